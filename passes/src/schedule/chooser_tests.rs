//! What every kind of schedule says of a kernel, from models.

use fornax_kernels::chooser::explain;
use fornax_module::remarks::Tried;
use fornax_targets::Target;

/// The kernels of a product of [rows, 512] by [512, 512] on a target: what each kind of schedule said.
fn told(target: &str, rows: usize) -> Vec<Tried> {
    told_of(target, "bf16", [rows, 512, 512])
}

/// The same of [m, k] by [k, n].
fn told_of(target: &str, ty: &str, [m, k, n]: [usize; 3]) -> Vec<Tried> {
    let text = format!(
        "func.func @main(%x: tensor<{m}x{k}x{ty}>, %w: tensor<{k}x{n}x{ty}>) -> tensor<{m}x{n}x{ty}> {{
           %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
             : (tensor<{m}x{k}x{ty}>, tensor<{k}x{n}x{ty}>) -> tensor<{m}x{n}x{ty}>
           return %0 : tensor<{m}x{n}x{ty}>
         }}"
    );
    told_by(target, &text)
}

/// What is said of the last kernel of a model.
fn told_by(target: &str, text: &str) -> Vec<Tried> {
    let graph = fornax_import::import_text(text, "m.mlir", &Default::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    let fused = crate::fuse::fuse(&graph).unwrap();
    let target = Target::from_spec(target).unwrap();
    let planned = crate::plan(&fused, &target, &Default::default()).unwrap();
    explain(planned.kernels.last().unwrap(), &target)
}

#[test]
fn every_kind_of_schedule_says_what_it_would_be_or_why_not() {
    let told = told("cuda:sm_80", 512);
    let code = |name: &str| {
        let row = told.iter().find(|tried| tried.schedule == name);
        row.and_then(|tried| tried.refused.as_ref()).map(|why| why.code.clone())
    };
    assert_eq!([code("gemv"), code("wgmma")], [Some("SCHED09".into()), Some("SCHED03".into())], "{told:?}");
    let matrix: Vec<&Tried> = told.iter().filter(|tried| tried.schedule.starts_with("mma")).collect();
    assert!(matrix.len() > 1 && matrix[0].chosen && matrix.iter().all(|tried| tried.cycles > Some(0)), "{told:?}");
    assert!(matrix.windows(2).all(|pair| pair[0].cycles <= pair[1].cycles), "{told:?}");
    assert!(told.last().is_some_and(|tried| tried.schedule.starts_with("tile") && !tried.chosen), "{told:?}");
    assert_eq!(told.iter().filter(|tried| tried.chosen).count(), 1, "{told:?}");
}

#[test]
fn few_rows_go_by_another_schedule() {
    let told = told("cuda:sm_80", 4);
    assert!(told[0].chosen && told[0].schedule.starts_with("gemv") && told[0].cycles.is_some(), "{told:?}");
    let matrix = told.iter().find(|tried| tried.schedule == "mma").and_then(|tried| tried.refused.as_ref());
    assert!(matrix.is_some_and(|why| why.code == "SCHED20" && why.text.contains("too small")), "{told:?}");
}

/// Measured on an H100, [35, 9001]·[9001, 33] f32: 126 us by matrix instructions in 6 workgroups, 47 by threads that
/// share each tile's steps.
#[test]
fn the_cheaper_of_two_kinds_is_chosen_against_the_order() {
    let told = told_of("cuda:sm_80", "f32", [35, 9001, 33]);
    let cycles = |kind: &str| {
        let row = told.iter().find(|tried| tried.schedule.starts_with(kind) && tried.refused.is_none());
        row.and_then(|tried| tried.cycles.map(|cycles| (tried.chosen, cycles)))
    };
    let (tile, matrix) = (cycles("tile").unwrap(), cycles("mma").unwrap());
    assert!(tile.0 && !matrix.0 && 2 * tile.1 < matrix.1, "{told:?}");
}

/// Off CUDA nothing was measured that two kinds could be weighed by.
#[test]
fn elsewhere_the_order_decides() {
    let told = told_of("rocm:gfx90a", "f32", [35, 9001, 33]);
    assert!(told.iter().any(|tried| tried.chosen && tried.schedule.starts_with("mma")), "{told:?}");
}

/// Models that leave memory out say fewer cycles than memory takes. Measured on an H200, one row by [28672, 8192]
/// transposed in bf16: 105 us as a GEMV, 114 by tiles, which say 72; 32 images of 56² by 64 × 256 in tf32: 35 us by
/// wgmma, 46 by mma.
#[test]
fn nothing_is_chosen_for_cycles_that_it_cannot_reach() {
    let told = told_by(
        "cuda:sm_90a",
        "func.func @main(%x: tensor<1x8192xbf16>, %w: tensor<28672x8192xbf16>) -> tensor<1x28672xbf16> {
           %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
             : (tensor<1x8192xbf16>, tensor<28672x8192xbf16>) -> tensor<1x28672xbf16>
           return %0 : tensor<1x28672xbf16>
         }",
    );
    let gemv = told.iter().find(|tried| tried.chosen).unwrap();
    let tile = told.iter().find(|tried| tried.schedule.starts_with("tile")).unwrap();
    assert!(gemv.schedule.starts_with("gemv") && tile.cycles < gemv.cycles, "{told:?}");

    let told = told_by(
        "cuda:sm_90a",
        "func.func @main(%x: tensor<100352x64xf32>, %w: tensor<64x256xf32>) -> tensor<100352x256xf32> {
           %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32,
             rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
             num_primitive_operations = 1, allow_imprecise_accumulation = false>
             : (tensor<100352x64xf32>, tensor<64x256xf32>) -> tensor<100352x256xf32>
           return %0 : tensor<100352x256xf32>
         }",
    );
    let wgmma = told.iter().find(|tried| tried.chosen).unwrap();
    let mma = told.iter().find(|tried| tried.schedule.starts_with("mma")).unwrap();
    assert!(wgmma.schedule.starts_with("wgmma") && mma.cycles < wgmma.cycles, "{told:?}");
}

/// Weights [out, in, ky, kx] lie along kx, of three elements, the image along its channels: what the weights' copy is
/// laid along, whichever of them the result's columns are. One H200: 700 us by warps, 120 predicted by warpgroups.
#[test]
fn weights_of_a_convolution_are_copied_along_the_channels() {
    for (result, order) in [("2x64x64x320", "0, 1, 2, 3"), ("2x320x64x64", "0, 3, 1, 2")] {
        let told = told_by(
            "cuda:sm_90a",
            &format!(
                "func.func @main(%x: tensor<2x64x64x960xbf16>, %w: tensor<320x960x3x3xbf16>)
                     -> tensor<{result}xbf16> {{
                   %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f],
                     window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
                     : (tensor<2x64x64x960xbf16>, tensor<320x960x3x3xbf16>) -> tensor<2x64x64x320xbf16>
                   %1 = stablehlo.transpose %0, dims = [{order}]
                     : (tensor<2x64x64x320xbf16>) -> tensor<{result}xbf16>
                   return %1 : tensor<{result}xbf16>
                 }}"
            ),
        );
        assert!(told.iter().any(|tried| tried.chosen && tried.schedule.starts_with("wgmma")), "{result}: {told:?}");
    }
}

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
    let graph = fornax_import::import_text(&text, "m.mlir", &Default::default()).unwrap_or_else(|e| panic!("{}", e[0]));
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
    let told = told_of("cuda:sm_90a", "f32", [35, 9001, 33]);
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

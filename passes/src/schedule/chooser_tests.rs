//! What every kind of schedule says of a kernel, from models.

use fornax_kernels::chooser::explain;
use fornax_module::remarks::Tried;
use fornax_targets::Target;

/// The kernels of a product on a target: what each kind of schedule said.
fn told(target: &str, rows: usize) -> Vec<Tried> {
    let text = format!(
        "func.func @main(%x: tensor<{rows}x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<{rows}x512xbf16> {{
           %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
             : (tensor<{rows}x512xbf16>, tensor<512x512xbf16>) -> tensor<{rows}x512xbf16>
           return %0 : tensor<{rows}x512xbf16>
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
    assert_eq!([code("skinny"), code("warpgroup")], [Some("SCHED09".into()), Some("SCHED03".into())], "{told:?}");
    let matrix: Vec<&Tried> = told.iter().filter(|tried| tried.schedule.starts_with("matrix")).collect();
    assert!(matrix.len() > 1 && matrix[0].chosen && matrix.iter().all(|tried| tried.cycles > Some(0)), "{told:?}");
    assert!(matrix.windows(2).all(|pair| pair[0].cycles <= pair[1].cycles), "{told:?}");
    assert!(told.last().is_some_and(|tried| tried.schedule.starts_with("tile") && !tried.chosen), "{told:?}");
    assert_eq!(told.iter().filter(|tried| tried.chosen).count(), 1, "{told:?}");
}

#[test]
fn few_rows_go_by_another_schedule() {
    let told = told("cuda:sm_80", 4);
    assert!(told[0].chosen && told[0].schedule.starts_with("skinny") && told[0].cycles.is_some(), "{told:?}");
    let matrix = told.iter().find(|tried| tried.schedule == "matrix").and_then(|tried| tried.refused.as_ref());
    assert!(matrix.is_some_and(|why| why.code == "SCHED20" && why.text.contains("too small")), "{told:?}");
}

//! Which rectangles transposes get, from models.

use fornax_targets::Target;

/// How the one kernel of a transpose of [rows, columns] is scheduled, with the ops behind it.
fn way(target: &str, element: &str, (rows, columns): (u64, u64), behind: &str) -> String {
    let (x, y) = (format!("tensor<{rows}x{columns}x{element}>"), format!("tensor<{columns}x{rows}x{element}>"));
    let text = format!(
        "func.func @main(%x: {x}) -> {y} {{
           %0 = stablehlo.transpose %x, dims = [1, 0] : ({x}) -> {y}
           %1 = stablehlo.{behind} %0 : {y}
           return %1 : {y}
         }}"
    );
    let graph = fornax_import::import_text(&text, "m.mlir", &Default::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    let fused = crate::fuse::fuse(&graph).unwrap();
    let planned = crate::plan(&fused, &Target::from_spec(target).unwrap(), &Default::default()).unwrap();
    planned.program.kernels[0].note.clone()
}

/// The measured cases of the constants' comments.
#[test]
fn large_transposes_have_more_threads_with_less_each() {
    for (target, element, shape, behind, wanted) in [
        ("cuda:sm_90a", "bf16", (16384, 16384), "negate", "transpose 128x64 lanes 8 to 8 threads 512"),
        ("cuda:sm_90a", "f32", (8192, 8192), "negate", "transpose 64x64 lanes 4 to 4 threads 512"),
        ("cuda:sm_90a", "f32", (4096, 4096), "tanh", "transpose 64x64 lanes 4 to 4 threads 256"),
        ("cuda:sm_90a", "bf16", (3072, 768), "negate", "transpose 128x128 lanes 8 to 8 threads 256"),
        ("rocm:gfx90a", "bf16", (16384, 16384), "negate", "transpose 128x128 lanes 8 to 8 threads 256"),
    ] {
        let way = way(target, element, shape, behind);
        assert!(way.starts_with(wanted), "{target} {element} {shape:?} {behind}: {way}");
    }
}

//! Models in linalg on tensors and in TOSA through the binary: goldens of tests/dialects on the CPU, MLIR bytecode, and
//! errors.

use fornax_tests::{fornax, root};

use crate::numeric::on_the_cpu;

#[test]
fn goldens_of_other_dialects() {
    on_the_cpu("tests/dialects");
}

#[test]
fn every_backend_compiles_them() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["linalg_convolutions", "tosa_quantised"] {
        let model = root().join("tests/dialects").join(name).join("model.mlir").display().to_string();
        let targets = ["--target=cuda:sm_80", "--target=cuda:sm_90a", "--target=rocm:gfx908", "--compile-to=emit"];
        let run = fornax(folder.path(), &[&["compile", "--quiet", &model][..], &targets].concat()).ok();
        assert!(run.stdout.contains("llvm.func"), "{name}");
    }
}

#[test]
fn the_dialect_is_recognised_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let model = root().join("tests/dialects/tosa_control/model.mlir").display().to_string();
    let text = fornax(folder.path(), &["compile", "--quiet", &model, "--compile-to=import"]).ok().stdout;
    assert!(text.contains("stablehlo.while") && text.contains("stablehlo.if"), "{text}");
    fornax(folder.path(), &["compile", "--quiet", &model, "--input-type=tosa", "--compile-to=import"]).ok();
    fornax(folder.path(), &["compile", "--quiet", &model, "--input-type=onnx"]).fails(1, "tosa");
}

#[test]
fn errors_show_the_line_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let function = |body: &str| format!("func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{\n{body}\n}}\n");
    let cases: &[(&str, String, &str, &str)] = &[
        ("parse.mlir", function("  %0 = tosa.abs %y : (tensor<2x3xf32>) -> tensor<2x3xf32>"), "FX0131", ":2:"),
        (
            "verify.mlir",
            function("  %0 = tosa.abs %x : (tensor<2x3xf32>) -> tensor<3xf32>\n  return %x : tensor<2x3xf32>"),
            "FX0131",
            ":2:",
        ),
        (
            "custom.mlir",
            function(
                "  %0 = tosa.custom %x {domain_name = \"d\", implementation_attrs = \"\", operator_name = \"o\"} \
                     : (tensor<2x3xf32>) -> tensor<2x3xf32>\n  \
                 return %0 : tensor<2x3xf32>",
            ),
            "FX0132",
            ":2:",
        ),
        (
            "dynamic.mlir",
            "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  \
             return %x : tensor<2xf32>\n\
             }\n\
             func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  \
             %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>\n  \
             return %0 : tensor<?xf32>\n\
             }\n"
            .into(),
            "FX0133",
            ":4:",
        ),
        ("cut.mlir", function("  %0 = \"tosa.abs\"(%x) : (tensor<2x3xf32>"), "FX0131", "cut.mlir"),
        ("deep.mlir", format!("// tosa.\n{}", "[".repeat(100_000)), "FX0", "deep.mlir"),
        ("bytecode.mlir", "ML\u{ef}R tosa\0".into(), "FX0", "bytecode.mlir"),
    ];
    for (name, text, code, place) in cases {
        std::fs::write(folder.path().join(name), text).unwrap();
        let run = fornax(folder.path(), &["compile", "--quiet", name, "-o", "out.fnx"]).fails(1, code);
        assert!(run.stderr.contains(place), "{name}: {}", run.stderr);
        assert!(!folder.path().join("out.fnx").exists(), "{name}");
    }
}

/// Constants as newer versions of MLIR print them.
#[test]
fn constants_of_tosa_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    for constant in [
        "\"tosa.const\"() <{values = dense<2.0> : tensor<4xf32>}> : () -> tensor<4xf32>",
        "tosa.const values(dense<2.0> : tensor<4xf32>) : () -> tensor<4xf32>",
        "tosa.const {values = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>",
        "tosa.const dense<2.0> : tensor<4xf32>",
    ] {
        let text = format!(
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{\n  %0 = {constant}\n  \
             %1 = tosa.add %a, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n  return %1 : tensor<4xf32>\n}}\n"
        );
        std::fs::write(folder.path().join("m.mlir"), text).unwrap();
        fornax(folder.path(), &["compile", "-q", "m.mlir"]).ok();
        let run = fornax(folder.path(), &["run-module", "--module=m.fnx", "--input=4xf32=1 2 3 4"]).ok();
        assert_eq!(run.stdout, "result[0]: 4xf32=3 4 5 6\n", "{constant}");
    }
}

/// Ops of linalg in their pretty form, named and generic, with a scalar from outside, among StableHLO.
#[test]
fn linalg_among_stablehlo() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %half = arith.constant 5.000000e-01 : f32
    %s = stablehlo.add %a, %a : tensor<2x3xf32>
    %0 = tensor.empty() : tensor<2x2xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = linalg.matmul ins(%s, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%1 : tensor<2x2xf32>) -> tensor<2x2xf32>
    %g = linalg.generic {indexing_maps = [#map, #map], iterator_types = [\"parallel\", \"parallel\"]}
        ins(%2 : tensor<2x2xf32>) outs(%0 : tensor<2x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %m = arith.mulf %in, %half : f32
      linalg.yield %m : f32
    } -> tensor<2x2xf32>
    %3 = tensor.empty() : tensor<2xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2xf32>) -> tensor<2xf32>
    %5 = linalg.reduce { arith.addf } ins(%g : tensor<2x2xf32>) outs(%4 : tensor<2xf32>) dimensions = [1]
    %6 = stablehlo.negate %2 : tensor<2x2xf32>
    return %6, %5 : tensor<2x2xf32>, tensor<2xf32>
  }
}
";
    let path = folder.path().join("m.mlir");
    std::fs::write(&path, text).unwrap();
    fornax(folder.path(), &["compile", "-q", "m.mlir"]).ok();
    let call = ["run-module", "--module=m.fnx", "--input=2x3xf32=1 2 3 4 5 6", "--input=3x2xf32=1"];
    let run = fornax(folder.path(), &call).ok().stdout;
    assert_eq!(run, "result[0]: 2x2xf32=[-12 -12][-30 -30]\nresult[1]: 2xf32=12 30\n");
    // What MLIR refuses is shown at its line.
    std::fs::write(&path, text.replace("arith.mulf %in, %half", "arith.mulff %in, %half")).unwrap();
    let refused = fornax(folder.path(), &["compile", "-q", "m.mlir"]).fails(1, "FX0131").stderr;
    assert!(refused.contains("m.mlir:13:") && refused.contains("arith.mulff"), "{refused}");
}

//! Every element type from the command line: read, computed with, printed, written and compared; and compiled for every
//! kind of GPU.

use fornax_tests::fornax;

/// Types and what 1.5 + 1.5, doubled from literals, prints as: floats that hold 1.5 and 3, the others from 1 + 1.
const TYPES: &[(&str, &str, &str)] = &[
    ("i2", "1 -2", "-2 0"),
    ("i4", "7 -3", "-2 -6"),
    ("i8", "100 -3", "-56 -6"),
    ("i16", "300 -3", "600 -6"),
    ("i32", "7 -3", "14 -6"),
    ("i64", "7 -3", "14 -6"),
    ("ui2", "1 3", "2 2"),
    ("ui4", "7 9", "14 2"),
    ("ui8", "7 200", "14 144"),
    ("ui16", "7 9", "14 18"),
    ("ui32", "7 9", "14 18"),
    ("ui64", "7 9", "14 18"),
    ("f4E2M1FN", "1.5 -6", "3 -6"),
    ("f6E2M3FN", "1.5 -0.125", "3 -0.25"),
    ("f6E3M2FN", "1.5 -14", "3 -28"),
    ("f8E3M4", "1.5 -8", "3 -INF"),
    ("f8E4M3", "1.5 -8", "3 -16"),
    ("f8E4M3FN", "1.5 -448", "3 NAN"),
    ("f8E4M3FNUZ", "1.5 -8", "3 -16"),
    ("f8E4M3B11FNUZ", "1.5 -8", "3 -16"),
    ("f8E5M2", "1.5 -8", "3 -16"),
    ("f8E5M2FNUZ", "1.5 -8", "3 -16"),
    ("f8E8M0FNU", "1 4", "2 8"),
    ("bf16", "1.5 -8", "3 -16"),
    ("f16", "1.5 -8", "3 -16"),
    ("f32", "1.5 -8", "3 -16"),
    ("f64", "1.5 -8", "3 -16"),
];

fn doubling() -> String {
    let mut text = String::new();
    for (name, _, _) in TYPES {
        text.push_str(&format!(
            "func.func @{name}(%x: tensor<2x{name}>) -> tensor<2x{name}> {{\n  \
             %0 = stablehlo.add %x, %x : tensor<2x{name}>\n  \
             return %0 : tensor<2x{name}>\n}}\n"
        ));
    }
    text
}

#[test]
fn literals_printing_and_files_of_every_type() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), doubling()).unwrap();
    fornax(folder.path(), &["compile", "--quiet", "--target=cpu", "m.mlir", "-o", "m.fnx"]).ok();
    for (name, input, expected) in TYPES {
        let function = format!("--function={name}");
        let run = |extra: &[&str]| {
            let literal = format!("--input=2x{name}={input}");
            let mut arguments = vec!["run-module", "--module=m.fnx", &function, &literal];
            arguments.extend(extra);
            fornax(folder.path(), &arguments).ok().stdout
        };
        let printed = run(&[]);
        assert!(printed.contains(&format!("2x{name}={expected}")), "{name}: {printed}");
        run(&[&format!("--output=@{name}.npy"), &format!("--expected-output=2x{name}={expected}")]);
        run(&[&format!("--expected-output=@{name}.npy")]);
        let file = format!("--input=@{name}.npy");
        fornax(folder.path(), &["run-module", "--module=m.fnx", &function, &file]).ok();
    }
}

#[test]
fn every_type_compiles_for_every_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let types: Vec<&str> = TYPES.iter().map(|t| t.0).collect();
    let mut lines = String::new();
    for (at, name) in types.iter().enumerate() {
        lines.push_str(&format!(
            "  %a{at} = stablehlo.convert %x : (tensor<64xf32>) -> tensor<64x{name}>\n  \
             %b{at} = stablehlo.multiply %a{at}, %a{at} : tensor<64x{name}>\n"
        ));
    }
    let results: Vec<String> = types.iter().map(|name| format!("tensor<64x{name}>")).collect();
    let names: Vec<String> = (0..types.len()).map(|at| format!("%b{at}")).collect();
    let (results, names) = (results.join(", "), names.join(", "));
    let text =
        format!("func.func @main(%x: tensor<64xf32>) -> ({results}) {{\n{lines}  return {names} : {results}\n}}\n");
    std::fs::write(folder.path().join("m.mlir"), text).unwrap();
    let arguments = [
        "compile",
        "--quiet",
        "--target-backends=cuda,rocm",
        "--cuda-target=sm_75,sm_80,sm_89,sm_90,sm_100",
        "--rocm-target=gfx900,gfx906,gfx908,gfx90a,gfx942",
        "m.mlir",
        "-o",
        "m.fnx",
    ];
    fornax(folder.path(), &arguments).ok();
}

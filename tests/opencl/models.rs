//! The models of the first demonstrations: sin, a trained classifier with its weights next to it, sizes of run time;
//! `verify` and `bench`.

use std::time::Duration;

use fornax_tests::{fornax, fornax_with, root};

use crate::has_device;

const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn sin_is_that_of_the_cpu() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let text = "func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {\n  \
                %0 = stablehlo.sine %x : tensor<1000xf32>\n  \
                return %0 : tensor<1000xf32>\n}\n";
    std::fs::write(folder.path().join("sin.mlir"), text).unwrap();
    let input: Vec<String> = (0..1000).map(|at| format!("{}", f64::from(at * at - 300_000) * 0.01)).collect();
    let input = format!("--input=1000xf32={}", input.join(" "));
    fornax(folder.path(), &["compile", "--quiet", "--target-backends=cpu,opencl", "sin.mlir", "-o", "sin.fnx"]).ok();
    fornax(folder.path(), &["run-module", "--module=sin.fnx", &input, "--output=@cpu.npy"]).ok();
    let expected = ["--expected-output=@cpu.npy", "--expected-f32-threshold=2e-7"];
    let flags = [&["run-module", "--device=opencl", "--module=sin.fnx", &input], &expected[..]].concat();
    fornax(folder.path(), &flags).ok();
}

#[test]
fn the_trained_classifier_reads_digits() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let data = root().join("tests/model/digits");
    let at = |name: &str| data.join(name).display().to_string();
    let from = format!("--parameters-from={}", at("args.json"));
    fornax(folder.path(), &["compile", "--quiet", "--target-backends=opencl", &from, &at("model.mlir"), "-o", "m.fnx"])
        .ok();
    let line = |digit: usize| {
        let flags = [
            "--module=m.fnx".to_string(),
            "--function=predict".to_string(),
            "--device=opencl".to_string(),
            format!("--parameters={}", at("weights.safetensors")),
            format!("--input=@{}", at(&format!("digit_{digit}.npy"))),
            format!("--expected-output=@{}", at(&format!("expected_{digit}.npy"))),
        ];
        serde_json::to_string(&flags).unwrap()
    };
    let lines: Vec<String> = (0..10).map(line).collect();
    std::fs::write(folder.path().join("batch"), lines.join("\n")).unwrap();
    let run = fornax_with(folder.path(), &["run-module", "--batch=batch"], &[], LIMIT).ok();
    let right = run.stdout.lines().filter(|line| line.starts_with("run ") && line.ends_with(": ok")).count();
    assert_eq!(right, lines.len(), "{}\n{}", run.stdout, run.stderr);
}

#[test]
fn a_module_for_any_sizes_agrees_with_the_reference() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let model = root().join("tests/sizes/mlp/model.mlir").display().to_string();
    let flags = ["verify", "--device=opencl", &model];
    let shown = fornax_with(folder.path(), &flags, &[], LIMIT).ok().stdout;
    assert!(shown.contains("agree with the reference"), "{shown}");
}

#[test]
fn a_model_is_measured() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    fornax(folder.path(), &["compile", "--quiet", "--target-backends=opencl", &model, "-o", "m.fnx"]).ok();
    let flags = ["bench", "--device=opencl", "--module=m.fnx", "--input=4x1000xf32=1"];
    let shown = fornax_with(folder.path(), &flags, &[], LIMIT).ok().stdout;
    assert!(shown.contains("opencl"), "{shown}");
    let kernels = fornax_with(folder.path(), &[&flags[..], &["--kernels"]].concat(), &[], LIMIT).ok().stdout;
    assert!(kernels.contains("possible"), "{kernels}");
    // What only the device's compiler knows is not told as nothing.
    let header = kernels.lines().find(|line| line.contains("regs")).unwrap();
    let row = kernels.lines().skip_while(|line| !line.contains("regs")).nth(1).unwrap();
    let column = header.find("regs").unwrap() + "regs".len() - 1;
    assert_eq!(row.as_bytes().get(column), Some(&b'-'), "{kernels}");
}

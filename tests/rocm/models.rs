//! The models of the first demonstrations: sin, softmax, a trained classifier with its weights next to it.

use std::time::Duration;

use fornax_tests::{fornax, root};

use crate::{chips, folder, on_double};

const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn sin_is_that_of_the_cpu() {
    let (folder, chips) = (folder(), chips());
    let text = "func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {\n  \
                %0 = stablehlo.sine %x : tensor<1000xf32>\n  \
                return %0 : tensor<1000xf32>\n}\n";
    std::fs::write(folder.path().join("sin.mlir"), text).unwrap();
    let input: Vec<String> = (0..1000).map(|at| format!("{}", f64::from(at * at - 300_000) * 0.01)).collect();
    let input = format!("--input=1000xf32={}", input.join(" "));
    let targets = format!("--rocm-target={}", chips.join(","));
    let compile = ["compile", "--quiet", "--target-backends=cpu,rocm", &targets, "sin.mlir", "-o", "sin.fnx"];
    fornax(folder.path(), &compile).ok();
    fornax(folder.path(), &["run-module", "--module=sin.fnx", &input, "--output=@cpu.npy"]).ok();
    for device in 0..chips.len() {
        let device = format!("--device=rocm://{device}");
        let flags = [
            "run-module",
            &device,
            "--module=sin.fnx",
            &input,
            "--expected-output=@cpu.npy",
            "--expected-f32-threshold=2e-7",
        ];
        on_double(folder.path(), &chips, &flags, LIMIT).ok();
    }
}

#[test]
fn the_trained_classifier_reads_digits() {
    let (folder, chips) = (folder(), chips());
    let data = root().join("tests/model/digits");
    let at = |name: &str| data.join(name).display().to_string();
    let (from, targets) =
        (format!("--parameters-from={}", at("args.json")), format!("--rocm-target={}", chips.join(",")));
    let compile = ["compile", "--quiet", "--target-backends=rocm", &targets, &from, &at("model.mlir"), "-o", "m.fnx"];
    fornax(folder.path(), &compile).ok();
    let parameters = format!("--parameters={}", at("weights.safetensors"));
    let line = |run: usize| {
        let digit = run % 10;
        let flags = [
            "--module=m.fnx".to_string(),
            "--function=predict".to_string(),
            format!("--device=rocm://{}", run / 10),
            parameters.clone(),
            format!("--input=@{}", at(&format!("digit_{digit}.npy"))),
            format!("--expected-output=@{}", at(&format!("expected_{digit}.npy"))),
        ];
        serde_json::to_string(&flags).unwrap()
    };
    let lines: Vec<String> = (0..10 * chips.len()).map(line).collect();
    std::fs::write(folder.path().join("batch"), lines.join("\n")).unwrap();
    let run = on_double(folder.path(), &chips, &["run-module", "--batch=batch"], LIMIT).ok();
    let right = run.stdout.lines().filter(|line| line.starts_with("run ") && line.ends_with(": ok")).count();
    assert_eq!(right, lines.len(), "{}\n{}", run.stdout, run.stderr);
}

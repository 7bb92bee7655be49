//! `fornax diff`: what changed between two modules, running both on the same inputs, exit codes, JSON.

use std::path::Path;

use fornax_tests::{ONE_CPU, fornax, root};
use serde_json::Value;

/// `x + 1` of a row, or of a size of run time, with another constant or element type where a test wants one.
fn model(rows: &str, ty: &str, constant: &str, op: &str) -> String {
    let tensor = format!("tensor<{rows}x64x{ty}>");
    format!(
        "func.func @main(%x: {tensor}) -> {tensor} {{
  %0 = stablehlo.{op} %x : {tensor}
  %1 = stablehlo.constant dense<{constant}> : {tensor}
  %2 = stablehlo.add %0, %1 : {tensor}
  return %2 : {tensor}
}}
"
    )
}

fn compiled(folder: &Path, name: &str, text: &str, flags: &[&str]) {
    std::fs::write(folder.join("m.mlir"), text).unwrap();
    let common = ["compile", "--quiet", "--jobs=1", "--cuda-use-ptxas=false", "m.mlir", "-o", name];
    fornax(folder, &[&common, flags].concat()).ok();
}

fn json(folder: &Path, flags: &[&str], code: i32) -> Value {
    let run = fornax(folder, &[&["diff", "a.fnx", "b.fnx", "--format=json"], flags].concat());
    assert_eq!(run.code, code, "{}{}", run.stdout, run.stderr);
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.stdout))
}

#[test]
fn a_module_is_the_same_as_itself() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path(), "a.fnx", &model("8", "f32", "1.0", "tanh"), &["--target=cpu"]);
    compiled(folder.path(), "b.fnx", &model("8", "f32", "1.0", "tanh"), &["--target=cpu"]);
    let text = fornax(folder.path(), &["diff", "a.fnx", "b.fnx", "--device=cpu"]).ok().stdout;
    for part in
        ["signature: the same", "bytes moved", "kernels: 1 the same, 0 not", "time of a call", "equal bit for bit"]
    {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let found = json(folder.path(), &[], 0);
    assert_eq!((&found["same"], &found["same_signature"]), (&Value::Bool(true), &Value::Bool(true)));
    let call = &found["targets"][0]["functions"][0]["call"];
    // 8 × 64 floats in and out.
    assert_eq!((call["a"]["bytes_moved"].as_u64(), call["a"]["launches"].as_u64()), (Some(4096), Some(1)));
    assert_eq!(call["a"], call["b"]);
    let run = &found["run"]["functions"][0];
    assert!(run["call_ms"]["a"].as_f64().unwrap() > 0.0 && run["call_ms"]["b"].as_f64().unwrap() > 0.0, "{run}");
}

#[test]
fn other_numbers_and_other_signatures_exit_with_6() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path(), "a.fnx", &model("8", "f32", "1.0", "tanh"), &["--target=cpu"]);
    compiled(folder.path(), "b.fnx", &model("8", "f32", "1.001", "tanh"), &["--target=cpu"]);
    let run = fornax(folder.path(), &["diff", "a.fnx", "b.fnx", "--device=cpu"]).fails(6, "FX0816");
    assert!(run.stdout.contains("512 of 512 elements differ"), "{}", run.stdout);
    let found = json(folder.path(), &["--device=cpu"], 6);
    let absolute = found["run"]["functions"][0]["outputs"][0]["absolute"].as_f64().unwrap();
    assert!((absolute - 0.001).abs() < 1e-5, "{absolute}");
    // A tolerance allows it, and without running nobody knows.
    fornax(folder.path(), &["diff", "a.fnx", "b.fnx", "--device=cpu", "--tolerance=0.1"]).ok();
    fornax(folder.path(), &["diff", "a.fnx", "b.fnx", "--no-run"]).ok();
    compiled(folder.path(), "b.fnx", &model("8", "f16", "1.0", "tanh"), &["--target=cpu"]);
    let run = fornax(folder.path(), &["diff", "a.fnx", "b.fnx"]).fails(6, "different signatures");
    assert!(run.stdout.contains("- @main(8x64xf32)") && run.stdout.contains("+ @main(8x64xf16)"), "{}", run.stdout);
    assert!(run.stdout.contains("not run: no function has the same signature"), "{}", run.stdout);
}

#[test]
fn kernels_bytes_and_predicted_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = root().join("tests/numeric/gelu_mlp_f32/model.mlir");
    let text = std::fs::read_to_string(path).unwrap();
    compiled(folder.path(), "a.fnx", &text, &["--target=cuda:sm_90a", ONE_CPU]);
    compiled(folder.path(), "b.fnx", &text, &["--target=cuda:sm_90a", "--f32-matmul=tf32"]);
    let found = json(folder.path(), &["--no-run"], 0);
    assert_eq!(found["other_targets"]["a"].as_array().unwrap().len(), 1, "{found}");
    let target = &found["targets"][0];
    let kernels = target["kernels"].as_array().unwrap();
    assert!(kernels.iter().any(|kernel| kernel["change"] == "changed"), "{kernels:?}");
    let call = &target["functions"][0];
    assert!(call["product"].is_string() && call["call"]["a"]["least_us"].as_f64().unwrap() > 0.0, "{call}");
    let shown = fornax(folder.path(), &["diff", "a.fnx", "b.fnx", "--no-run"]).ok().stdout;
    for part in ["schedule: mma m16n8k8.tf32 x3", "only a has: cpu x86-64-v3", "least time", "not run: --no-run"] {
        assert!(shown.contains(part), "no {part} in {shown}");
    }
    // The device named has no image of b: an error. Without a name it is said, and the rest stands.
    fornax(folder.path(), &["diff", "a.fnx", "b.fnx", "--device=cpu"]).fails(3, "file: b.fnx");
    let offered = fornax(folder.path(), &["diff", "a.fnx", "b.fnx"]).ok().stdout;
    assert!(offered.contains("not run: "), "{offered}");
    fornax(folder.path(), &["diff", "a.fnx", "b.fnx", "--target=gfx942"])
        .fails(1, "neither module has the target gfx942");
    fornax(folder.path(), &["diff", "a.fnx", "b.fnx", "--function=other"]).fails(1, "FX0710");
    fornax(folder.path(), &["diff", "a.fnx", "nothing.fnx"]).fails(1, "FX0803");
    fornax(folder.path(), &["diff", "a.fnx", "m.mlir"]).fails(2, "m.mlir");
}

#[test]
fn sizes_of_run_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = root().join("tests/sizes/mlp/model.mlir");
    let text = std::fs::read_to_string(path).unwrap();
    compiled(folder.path(), "a.fnx", &text, &["--target=cpu"]);
    compiled(folder.path(), "b.fnx", &text, &["--target=cpu"]);
    let moved = |found: &Value| found["targets"][0]["functions"][0]["call"]["a"]["bytes_moved"].as_u64().unwrap();
    let usual = json(folder.path(), &["--device=cpu"], 0);
    let sizes = usual["targets"][0]["functions"][0]["sizes"].as_object().unwrap();
    let name = sizes.keys().next().unwrap();
    assert_eq!(sizes[name], 16);
    let large = json(folder.path(), &["--device=cpu", &format!("--input-size={name}=64")], 0);
    assert!(moved(&large) > moved(&usual), "{large}");
    fornax(folder.path(), &["diff", "a.fnx", "b.fnx", "--input-size=rows=3"]).fails(1, "FX0801");
}

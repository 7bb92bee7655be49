//! Which calls of CUDA the kinds of command buffers make: the double's report tells them apart.

use std::time::Duration;

use fornax_tests::{fornax, fornax_with, link_double, root};

use crate::DRIVERS;

/// Calls of each function in one run of a model of several kernels.
fn calls(kind: &str) -> serde_json::Value {
    let driver = &DRIVERS[1];
    let folder = tempfile::tempdir().unwrap();
    link_double(folder.path(), driver.double, driver.library);
    let model = root().join("tests/numeric/attention_f32/model.mlir").display().to_string();
    let target = format!("--target={}", driver.target);
    let compile = ["compile", "--quiet", "--cuda-use-ptxas=false", &target, &model, "-o", "m.fnx"];
    fornax(folder.path(), &compile).ok();
    let mut flags = vec!["run-module".to_string(), "--device=cuda".into(), "--module=m.fnx".into()];
    flags.push(format!("--command-buffer={kind}"));
    let inputs = (0..).map(|n| root().join(format!("tests/numeric/attention_f32/in_{n}.npy")));
    flags.extend(inputs.take_while(|path| path.exists()).map(|path| format!("--input=@{}", path.display())));
    let (path, report) = (folder.path().display().to_string(), folder.path().join("report.json"));
    let report_path = report.display().to_string();
    let variables = [
        ("LD_LIBRARY_PATH", path.as_str()),
        ("FORNAX_FAKE_ARCH", "sm_80"),
        ("FORNAX_FAKE_REPORT", report_path.as_str()),
    ];
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    fornax_with(folder.path(), &flags, &variables, Duration::from_secs(60)).ok();
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!(report["violations"], serde_json::json!([]));
    assert_eq!(report["live"], serde_json::json!({}));
    report["by_name"].clone()
}

#[test]
fn kinds_of_command_buffers_make_other_calls() {
    let [auto, direct, stream, graph] = ["auto", "direct", "stream", "graph"].map(calls);
    let count = |calls: &serde_json::Value, name: &str| calls[name].as_u64().unwrap_or(0);
    let kernels = |calls: &serde_json::Value| count(calls, "cuLaunchKernel");
    assert!(kernels(&stream) > 1 && count(&stream, "cuGraphLaunch") == 0, "{stream}");
    assert_eq!((kernels(&auto), count(&auto, "cuGraphLaunch")), (kernels(&stream), 0), "a first call is no graph");
    let waits = |calls: &serde_json::Value| count(calls, "cuStreamSynchronize");
    assert!(waits(&direct) >= waits(&stream) + kernels(&stream), "{direct}");
    assert_eq!((count(&graph, "cuGraphCreate"), count(&graph, "cuGraphLaunch")), (1, 1), "{graph}");
}

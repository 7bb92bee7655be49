//! The commands on the double: devices that can be used and devices that cannot, names, kinds of command buffers.

use std::path::Path;
use std::time::Duration;

use fornax_tests::{Run, fornax, fornax_with, link_double, root};

const LIMIT: Duration = Duration::from_secs(120);

/// A folder that holds the double.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    link_double(folder.path(), "libfornax_fake_opencl.so", "libOpenCL.so.1");
    folder
}

/// Runs the binary where the double is found, with these kinds of devices.
fn on_double(folder: &Path, kinds: &str, arguments: &[&str]) -> Run {
    let path = folder.display().to_string();
    fornax_with(folder, arguments, &[("LD_LIBRARY_PATH", &path), ("FORNAX_FAKE_ARCH", kinds)], LIMIT)
}

fn compile(folder: &Path) {
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    fornax(folder, &["compile", "--quiet", "--target-backends=opencl,cpu", &model, "-o", "m.fnx"]).ok();
}

#[test]
fn devices_say_what_they_are_and_why_they_cannot_be_used() {
    let folder = folder();
    let run = |arguments: &[&str]| on_double(folder.path(), "no-il,gpu,no-svm", arguments);
    let listed = run(&["list-devices", "opencl"]).ok();
    assert_eq!(listed.stdout.lines().count(), 2, "{}", listed.stdout);
    assert!(listed.stderr.contains("Invented no-il cannot run modules: it takes no SPIR-V"), "{}", listed.stderr);
    let json = run(&["list-devices", "opencl", "--format=json"]).ok().stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json.as_array().unwrap().len(), json[1]["unusable"].is_null()), (3, true), "{json}");
    assert_eq!(json[1]["properties"]["intermediate languages"], "SPIR-V_1.0 SPIR-V_1.2 SPIR-V_1.4", "{json}");
    let report = run(&["doctor"]).ok().stdout;
    let words = ["GPU available: True", "Invented gpu", "cannot run modules", "kind: GPU", "one allocation: at most"];
    for words in words.into_iter().chain(["memory: shared virtual memory", "memory: buffers"]) {
        assert!(report.contains(words), "no {words} in {report}");
    }
    assert!(!run(&["list-drivers"]).ok().stdout.contains("opencl: OpenCL HAL driver (SPIR-V, via dylib) [unavailable"));
    compile(folder.path());
    let run = |device: &str| {
        let device = format!("--device={device}");
        run(&["run-module", &device, "--module=m.fnx", "--input=4x1000xf32=1"])
    };
    let id = listed.stdout.lines().next().unwrap();
    for device in ["opencl", "opencl://1", "opencl:1", "opencl://invented-gpu", id, "opencl://2"] {
        run(device).ok();
    }
    assert!(run("opencl://0").fails(3, "FX0704").stderr.contains("it takes no SPIR-V"));
    run("opencl://3").fails(3, "FX0702");
    run("opencl://no-such-name").fails(3, "FX0702");
}

#[test]
fn where_nothing_is_installed_that_is_said() {
    let folder = folder();
    let listed = on_double(folder.path(), "", &["list-devices", "opencl"]).ok();
    assert!(listed.stdout.is_empty() && listed.stderr.contains("opencl: No OpenCL devices found\n"), "{listed:?}");
    compile(folder.path());
    let flags = ["run-module", "--device=opencl", "--module=m.fnx", "--input=4x1000xf32=1"];
    assert!(on_double(folder.path(), "", &flags).fails(3, "FX0701").stderr.contains("No OpenCL devices found"));
    let listed = on_double(folder.path(), "no-il", &["list-drivers"]).ok().stdout;
    assert!(listed.contains("[unavailable: Invented no-il cannot run modules: it takes no SPIR-V"), "{listed}");
    on_double(folder.path(), "no-il", &flags).fails(3, "FX0704");
}

/// The calls of each name in a run of the softmax.
fn calls(folder: &Path, kind: &str, more: &[(&str, &str)]) -> serde_json::Value {
    let (path, report) = (folder.display().to_string(), folder.join("report.json"));
    let report_path = report.display().to_string();
    let variables =
        [("LD_LIBRARY_PATH", path.as_str()), ("FORNAX_FAKE_ARCH", kind), ("FORNAX_FAKE_REPORT", report_path.as_str())];
    let flags = ["run-module", "--device=opencl", "--module=m.fnx", "--input=4x1000xf32=1"];
    fornax_with(folder, &flags, &[&variables[..], more].concat(), LIMIT).ok();
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!((&report["violations"], &report["live"]), (&serde_json::json!([]), &serde_json::json!({})));
    report["by_name"].clone()
}

#[test]
fn memory_is_shared_or_buffers() {
    let folder = folder();
    compile(folder.path());
    let shared = calls(folder.path(), "gpu", &[]);
    assert!(shared["clSVMAlloc"].is_u64() && shared["clCreateBuffer"].is_null(), "{shared}");
    for (kind, more) in [("no-svm", &[][..]), ("gpu", &[("FORNAX_OPENCL_MEMORY", "buffers")][..])] {
        let buffers = calls(folder.path(), kind, more);
        assert!(buffers["clSVMAlloc"].is_null() && buffers["clCreateBuffer"].is_u64(), "{buffers}");
        assert!(buffers["clSetKernelArgSVMPointer"].is_null() && buffers["clEnqueueReadBuffer"].is_u64(), "{buffers}");
    }
}

#[test]
fn what_the_compiler_made_is_kept() {
    let folder = folder();
    compile(folder.path());
    let cache = folder.path().join("cache");
    let variable = cache.display().to_string();
    let run = |kind: &str| {
        let calls = calls(folder.path(), kind, &[("FORNAX_KERNEL_CACHE", variable.as_str())]);
        ["clCreateProgramWithBinary", "clCreateProgramWithIL", "clGetProgramInfo"]
            .map(|name| calls[name].as_u64().unwrap_or(0))
    };
    assert_eq!(run("gpu"), [0, 1, 2]);
    assert_eq!(run("gpu"), [1, 0, 0]);
    assert_eq!(run("no-svm"), [0, 1, 2], "another device");
    let entries = || std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(entries().len(), 2);
    for path in entries() {
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(run("gpu"), [0, 1, 2], "a damaged entry");
    assert_eq!(run("gpu"), [1, 0, 0]);
    // Where nothing is to be kept, or the default folder cannot be used.
    let off = calls(folder.path(), "gpu", &[("FORNAX_KERNEL_CACHE", "off")]);
    assert!(off["clCreateProgramWithIL"] == 1 && off["clGetProgramInfo"].is_null(), "{off}");
    let home = folder.path().join("home").display().to_string();
    for calls_of_il in [1, 0] {
        let variables = [("FORNAX_KERNEL_CACHE", ""), ("XDG_CACHE_HOME", ""), ("HOME", &*home)];
        let calls = calls(folder.path(), "gpu", &variables);
        assert_eq!(calls["clCreateProgramWithIL"].as_u64().unwrap_or(0), calls_of_il, "{calls}");
    }
    assert!(Path::new(&home).join(".cache/fornax/opencl").is_dir());
}

#[test]
fn command_buffers_of_opencl_are_direct() {
    let folder = folder();
    compile(folder.path());
    let run = |kind: &str| {
        let kind = format!("--command-buffer={kind}");
        on_double(
            folder.path(),
            "gpu",
            &["run-module", "--device=opencl", &kind, "--module=m.fnx", "--input=4x1000xf32=1"],
        )
    };
    assert!(!run("direct").ok().stderr.contains("note"));
    let stream = run("stream").ok().stderr;
    assert!(stream.contains("note: command buffers of the kind `stream` are `direct` on opencl"), "{stream}");
    assert!(run("graph").fails(3, "FX0704").stderr.contains("it has: direct"));
}

#[test]
fn a_module_without_spirv_names_what_it_holds() {
    let folder = folder();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    fornax(folder.path(), &["compile", "--quiet", "--target=rocm:gfx90a", &model, "-o", "m.fnx"]).ok();
    let flags = ["run-module", "--device=opencl", "--module=m.fnx", "--input=4x1000xf32=1"];
    let run = on_double(folder.path(), "gpu", &flags).fails(3, "FX0611");
    assert!(run.stderr.contains("gfx90a") && run.stderr.contains("opencl"), "{}", run.stderr);
}

//! Devices by name, by choice and by fallback: `--device=auto`, ranges, `--fallback=cpu`, what an error says where a
//! device is missing.
//!
//! Where a GPU is wanted, the test doubles of libcuda and libamdhip64 are it; one without devices stands for a machine
//! without that GPU.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fornax_tests::{Run, binary, fornax, fornax_with, link_double, root};

const LIMIT: Duration = Duration::from_secs(120);
/// A softmax of 4 rows.
const INPUT: &str = "--input=4x1000xf32=1";
const ANSWER: &str = "4x1000xf32=[0.001 0.001";

/// A folder with the doubles, and modules of the softmax: `both.fnx` (CUDA, ROCm and CPU), `cuda.fnx`, `rocm.fnx`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    link_double(folder.path(), "libfornax_fake_cuda.so", "libcuda.so.1");
    link_double(folder.path(), "libfornax_fake_hip.so", "libamdhip64.so.7");
    link_double(folder.path(), "libfornax_fake_opencl.so", "libOpenCL.so.1");
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    for (name, targets) in [
        ("both.fnx", &["--target=cuda:sm_80", "--target=rocm:gfx906", "--target=cpu"][..]),
        ("cuda.fnx", &["--target=cuda:sm_80"][..]),
        ("rocm.fnx", &["--target=rocm:gfx906"][..]),
    ] {
        let compile = ["compile", "--quiet", "--cuda-use-ptxas=false", &model, "-o", name];
        fornax(folder.path(), &[&compile[..], targets].concat()).ok();
    }
    folder
}

/// Runs the binary on a machine with these devices of CUDA and of ROCm, and none of OpenCL.
#[track_caller]
fn on_machine(folder: &Path, cuda: &str, rocm: &str, arguments: &[&str]) -> Run {
    let path = folder.display().to_string();
    let variables = [
        ("LD_LIBRARY_PATH", path.as_str()),
        ("FORNAX_FAKE_CUDA_ARCH", cuda),
        ("FORNAX_FAKE_HIP_ARCH", rocm),
        ("FORNAX_FAKE_OPENCL_ARCH", ""),
    ];
    fornax_with(folder, arguments, &variables, LIMIT)
}

#[test]
fn auto_takes_the_first_device_that_the_module_has_an_image_for() {
    let folder = folder();
    let run = |cuda: &str, rocm: &str, module: &str| {
        let module = format!("--module={module}");
        on_machine(folder.path(), cuda, rocm, &["run-module", "--device=auto", &module, INPUT])
    };
    for (cuda, rocm, wanted, before) in [
        ("sm_90", "gfx906", "cuda://GPU-", ""),
        ("", "gfx906", "rocm://GPU-", "CUDA: No CUDA devices found"),
        ("sm_35", "gfx906", "rocm://GPU-", "CUDA: Invented sm_35 cannot run modules: compute capability 3.5"),
        ("sm_75", "", "cpu://", "CUDA: the module holds no image for"),
        ("", "gfx942", "cpu://", "ROCm: the module holds no image for"),
        ("", "", "cpu://", "OpenCL: the module holds no image for it"),
    ] {
        let run = run(cuda, rocm, "both.fnx").ok();
        let said = run.stderr.lines().find(|line| line.starts_with("note: --device=auto: ")).unwrap_or_default();
        assert!(said.contains(wanted) && said.contains(before), "{cuda},{rocm}: {}", run.stderr);
        // The double of CUDA runs no kernels.
        assert!(wanted.starts_with("cuda") || run.stdout.contains(ANSWER), "{}", run.stdout);
    }
    // The choice is among the images that there are: the processor is no way out for a module without one for it.
    let none = run("", "gfx906", "cuda.fnx").fails(3, "FX0703");
    assert!(none.stdout.is_empty() && none.stderr.contains("CPU: the module holds no image for it"), "{}", none.stderr);
    for words in ["ptx sm_80", "this machine has: ", "rocm://GPU-", "cpu://"] {
        assert!(none.stderr.contains(words), "no {words} in {}", none.stderr);
    }
    let bench = ["bench", "--device=auto", "--module=both.fnx", INPUT, "--seconds=0.01", "--min-calls=1"];
    let bench = on_machine(folder.path(), "", "", &bench).ok();
    assert!(bench.stderr.contains("note: --device=auto: cpu://"), "{}", bench.stderr);
}

#[test]
fn a_missing_device_is_an_error_that_says_what_is_needed_and_what_is_here() {
    let folder = folder();
    let run = |cuda: &str, rocm: &str, arguments: &[&str]| {
        on_machine(folder.path(), cuda, rocm, &[&["run-module", INPUT], arguments].concat())
    };
    // No CUDA here; a card too old; a card that takes no such image; a second card that is not there.
    for (cuda, device, code, cause) in [
        ("", "cuda", "FX0701", "No CUDA devices found"),
        ("sm_35", "cuda", "FX0704", "compute capability 3.5, the oldest supported is 5.0"),
        ("sm_75", "cuda", "FX0611", "sm_75"),
        ("sm_80", "cuda:1", "FX0702", "does not exist"),
        ("sm_80", "cuda:0-3", "FX0702", "does not exist"),
    ] {
        let device = format!("--device={device}");
        let error = run(cuda, "gfx906", &[&device, "--module=cuda.fnx"]).fails(3, code);
        assert!(error.stdout.is_empty(), "{}", error.stdout);
        for words in [cause, "sm_80", "this machine has: ", "rocm://GPU-", "gfx906", "cpu://"] {
            assert!(error.stderr.contains(words), "{cuda}: no {words} in {}", error.stderr);
        }
        assert_eq!(
            error.stderr.contains("it runs here with --device=cuda://GPU-"),
            cuda == "sm_80",
            "{}",
            error.stderr
        );
    }
    let error = run("", "gfx906", &["--device=cuda", "--module=both.fnx"]).fails(3, "FX0701");
    assert!(error.stderr.contains("it runs here with --device=rocm://GPU-"), "{}", error.stderr);
    let error = run("", "gfx942", &["--device=rocm", "--module=both.fnx"]).fails(3, "FX0611");
    assert!(error.stderr.contains("it runs here with --device=cpu"), "{}", error.stderr);
}

#[test]
fn the_processor_stands_in_only_where_that_is_asked_for() {
    let folder = folder();
    let run = |cuda: &str, arguments: &[&str]| {
        on_machine(folder.path(), cuda, "", &[&["run-module", INPUT, "--fallback=cpu"], arguments].concat())
    };
    for cuda in ["", "sm_35", "sm_75"] {
        let run = run(cuda, &["--device=cuda", "--module=both.fnx"]).ok();
        assert!(run.stdout.contains(ANSWER), "{}", run.stdout);
        assert!(run.stderr.contains("--fallback=cpu runs it on the processor"), "{}", run.stderr);
        assert!(run.stderr.contains("note: running on cpu://"), "{}", run.stderr);
    }
    let there = run("sm_80", &["--device=cuda", "--module=both.fnx"]).ok();
    assert!(
        there.stderr.contains("note: running on cuda://GPU-") && !there.stderr.contains("runs it on the processor")
    );
    // Without an image for the processor there is nothing to fall back to.
    let error = run("", &["--device=cuda", "--module=cuda.fnx"]).fails(3, "FX0611");
    assert!(error.stdout.is_empty() && error.stderr.contains("No CUDA devices found"), "{}", error.stderr);
    // A wrong name is no missing device.
    run("", &["--device=gpu", "--module=both.fnx"]).fails(1, "FX0717");
    fornax(folder.path(), &["run-module", "--fallback=gpu", "--module=both.fnx", INPUT]).fails(1, "FX0801");
}

#[test]
fn a_range_means_one_of_its_devices() {
    let folder = folder();
    let run = |rocm: &str, device: &str| {
        let device = format!("--device={device}");
        on_machine(folder.path(), "", rocm, &["run-module", &device, "--module=rocm.fnx", INPUT])
    };
    for device in ["rocm:0-1", "hip:0-1", "rocm://0-1"] {
        let run = run("gfx906,gfx906", device).ok();
        assert!(run.stderr.contains("note: a module runs on one device: rocm://GPU-"), "{}", run.stderr);
        assert!(run.stdout.contains(ANSWER), "{}", run.stdout);
    }
    assert!(!run("gfx906,gfx906", "rocm:1-1").ok().stderr.contains("note"));
    run("gfx906", "rocm:0-1").fails(3, "FX0702");
    run("gfx906", "rocm:1-0").fails(1, "FX0717");
}

#[test]
fn doctor_and_list_drivers_tell_the_truth() {
    let folder = folder();
    let doctor = |cuda: &str, rocm: &str, more: &[&str]| {
        on_machine(folder.path(), cuda, rocm, &[&["doctor"], more].concat()).ok().stdout
    };
    let report = doctor("sm_35", "gfx906", &[]);
    assert!(report.contains("GPU enabled: True\nGPU available: True\n"), "{report}");
    let report = doctor("sm_35", "", &[]);
    assert!(report.contains("GPU enabled: True\nGPU available: False\n"), "{report}");
    assert!(report.contains("cannot run modules: compute capability 3.5, the oldest supported is 5.0"), "{report}");
    // HIP's version and file, also where it has no device.
    for rocm in ["", "gfx906"] {
        let report = doctor("", rocm, &[]);
        let section = report.split("\nROCm\n").nth(1).unwrap().split("\n\n").next().unwrap();
        assert!(section.contains("library: ") && section.contains("libamdhip64.so.7"), "{section}");
        assert!(section.contains("version: HIP "), "{section}");
    }
    let summary = doctor("sm_90", "", &["--backends"]);
    assert!(summary.starts_with("=== Available Backends ===\n✓ CPU (CPU)\n    [0] "), "{summary}");
    assert!(summary.contains("✓ CUDA (CUDA)\n    [0] Invented sm_90: 16.00 GB (16.00 GB free)\n"), "{summary}");
    assert!(summary.contains("✗ ROCm (ROCm)\n    Error: No ROCm devices found\n"), "{summary}");
    assert!(summary.contains("✗ Metal (Metal)\n    Error: ") && summary.ends_with("\n\nRecommended backend: CUDA\n"));
    let drivers = fornax(&root(), &["list-drivers"]).ok().stdout;
    let rocm = drivers.lines().find(|line| line.trim_start().starts_with("rocm:")).unwrap();
    let missing = rocm.contains("ROCm runtime not available");
    assert!(!missing || rocm.contains("tried libamdhip64.so.7, libamdhip64.so.6, libamdhip64.so.5"), "{rocm}");
}

#[test]
fn the_version_lists_what_is_built_in() {
    let shown = fornax(&root(), &["--version"]).ok().stdout;
    let mut lines = shown.lines();
    assert!(lines.next().unwrap().starts_with("fornax "), "{shown}");
    let features = lines.next().unwrap().strip_prefix("features: ").unwrap();
    for name in ["compiler", "cuda", "rocm", "opencl", "cpu"] {
        assert!(features.split(", ").any(|feature| feature == name), "{shown}");
    }
    assert_eq!(fornax(&root(), &["-V"]).ok().stdout.lines().count(), 1);
}

#[test]
fn the_only_function_is_called_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let function = |name: &str| {
        format!("func.func public @{name}(%x: tensor<2xf32>) -> tensor<2xf32> {{ return %x : tensor<2xf32> }}\n")
    };
    for (file, names) in [("one", &["main"][..]), ("two", &["f", "g"][..])] {
        let text: String = names.iter().map(|name| function(name)).collect();
        std::fs::write(folder.path().join(format!("{file}.mlir")), text).unwrap();
        let (model, module) = (format!("{file}.mlir"), format!("{file}.fnx"));
        fornax(folder.path(), &["compile", "--quiet", &model, "-o", &module]).ok();
    }
    let run = |module: &str| {
        let module = format!("--module={module}");
        fornax(folder.path(), &["run-module", "--function=predict", &module, "--input=2xf32=1 2"])
    };
    let one = run("one.fnx").ok();
    assert_eq!(one.stdout, "result[0]: 2xf32=1 2\n");
    assert!(one.stderr.contains("note: the module has no function `predict`; its only one, `main`"), "{}", one.stderr);
    assert!(run("two.fnx").fails(1, "FX0710").stderr.contains("it exports: f, g"));
}

/// Whatever is left of file descriptors, nobody is told to compile the module again.
#[test]
fn a_lack_of_descriptors_is_called_that() {
    let folder = folder();
    let mut refused = 0;
    for limit in 3..=12 {
        let line = format!("ulimit -n {limit}; exec \"$0\" run-module --device=cpu --module=both.fnx {INPUT}");
        let output = Command::new("sh").args(["-c", &line]).arg(binary()).current_dir(folder.path()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.success() || !stderr.contains("error[") {
            continue;
        }
        refused += 1;
        assert!(!stderr.contains("compile the module again") && !stderr.contains("driver"), "{limit}: {stderr}");
        assert!(stderr.contains("Too many open files") || stderr.contains("os error 24"), "{limit}: {stderr}");
    }
    assert!(refused > 0, "no limit was too low");
}

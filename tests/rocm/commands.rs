//! The commands on the double and on AMD's own library, where that is installed.

use std::time::Duration;

use fornax_tests::{fornax, fornax_with, root};

use crate::{folder, on_double};

const LIMIT: Duration = Duration::from_secs(120);

fn two_chips() -> Vec<String> {
    vec!["gfx942:sramecc+:xnack-".to_string(), "gfx906".to_string()]
}

#[test]
fn devices_are_listed_and_found_by_their_names() {
    let folder = folder();
    let run = |arguments: &[&str]| on_double(folder.path(), &two_chips(), arguments, LIMIT);
    let listed = run(&["list-devices", "rocm"]).ok().stdout;
    let uris: Vec<&str> = listed.lines().collect();
    assert!(uris.len() == 2 && uris.iter().all(|uri| uri.starts_with("rocm://GPU-")), "{listed}");
    let report = run(&["doctor"]).ok().stdout;
    assert!(report.contains("GPU available: True") && report.contains("gfx942:sramecc+:xnack-"), "{report}");
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    let targets = "--rocm-target=mi300x,radeonvii";
    fornax(folder.path(), &["compile", "--quiet", "--target-backends=rocm", targets, &model, "-o", "m.fnx"]).ok();
    for device in ["rocm", "hip", "rocm://0", "hip:1", uris[1]] {
        let device = format!("--device={device}");
        let run = run(&["run-module", &device, "--module=m.fnx", "--input=4x1000xf32=1"]).ok();
        assert!(run.stdout.contains("4x1000xf32=[0.001 0.001"), "{}", run.stdout);
    }
    run(&["run-module", "--device=rocm://GPU-0", "--module=m.fnx", "--input=4x1000xf32=1"]).fails(3, "FX0702");
}

#[test]
fn command_buffers_of_rocm_are_direct() {
    let folder = folder();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    fornax(folder.path(), &["compile", "--quiet", "--target=rocm:gfx906", &model, "-o", "m.fnx"]).ok();
    let run = |kind: &str| {
        let kind = format!("--command-buffer={kind}");
        let flags = ["run-module", "--device=rocm://1", &kind, "--module=m.fnx", "--input=4x1000xf32=1"];
        on_double(folder.path(), &two_chips(), &flags, LIMIT)
    };
    assert!(!run("direct").ok().stderr.contains("note"));
    let stream = run("stream").ok();
    assert!(
        stream.stderr.contains("note: command buffers of the kind `stream` are `direct` on rocm"),
        "{}",
        stream.stderr
    );
    let graph = run("graph").fails(3, "FX0704");
    assert!(graph.stderr.contains("it has: direct"), "{}", graph.stderr);
}

/// HIP has no command lists that decide: kernels of a loop look at a flag, and the host waits after twice as many
/// rounds each time.
#[test]
fn the_host_waits_seldom_for_a_loop_of_unknown_length() {
    let folder = folder();
    let model = "func.func @main(%x: tensor<7xf32>) -> (tensor<7xf32>, tensor<i32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%y = %x, %n = %zero) : tensor<7xf32>, tensor<i32>
      cond {
        %start = stablehlo.constant dense<0.0> : tensor<f32>
        %sum = stablehlo.reduce(%y init: %start) applies stablehlo.add across dimensions = [0] \
            : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
        %most = stablehlo.constant dense<210.0> : tensor<f32>
        %less = stablehlo.compare LT, %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %ones = stablehlo.constant dense<1.0> : tensor<7xf32>
        %next = stablehlo.add %y, %ones : tensor<7xf32>
        %count = stablehlo.add %n, %one : tensor<i32>
        stablehlo.return %next, %count : tensor<7xf32>, tensor<i32>
      }
      return %r#0, %r#1 : tensor<7xf32>, tensor<i32>
    }";
    std::fs::write(folder.path().join("loop.mlir"), model).unwrap();
    fornax(folder.path(), &["compile", "--quiet", "--target=rocm:gfx906", "loop.mlir", "-o", "m.fnx"]).ok();
    let report = folder.path().join("report.json").display().to_string();
    let mut waits = Vec::new();
    for (start, rounds) in [("30", 0), ("29", 1), ("0", 30)] {
        let input = format!("--input=7xf32={start}");
        let arguments = ["run-module", "--device=rocm", "--module=m.fnx", &input];
        let path = folder.path().display().to_string();
        let variables = [
            ("LD_LIBRARY_PATH", path.as_str()),
            ("FORNAX_FAKE_ARCH", "gfx906"),
            ("FORNAX_FAKE_REPORT", report.as_str()),
        ];
        let run = fornax_with(folder.path(), &arguments, &variables, LIMIT).ok();
        assert!(run.stdout.contains(&format!("i32={rounds}")) && run.stdout.contains("7xf32=30 30"), "{}", run.stdout);
        let calls: serde_json::Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
        waits.push(calls["by_name"]["hipStreamSynchronize"].as_u64().unwrap());
    }
    // Rounds 1, 3, 7, 15 and 31 are behind a look.
    assert_eq!(waits[1] - waits[0], 0, "{waits:?}");
    assert_eq!(waits[2] - waits[0], 4, "{waits:?}");
}

#[test]
fn an_image_for_another_chip_is_refused_with_what_there_is() {
    let folder = folder();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    fornax(folder.path(), &["compile", "--quiet", "--target=rocm:gfx90a", &model, "-o", "m.fnx"]).ok();
    let flags = ["run-module", "--device=rocm", "--module=m.fnx", "--input=4x1000xf32=1"];
    let run = on_double(folder.path(), &two_chips(), &flags, LIMIT).fails(3, "FX0611");
    assert!(run.stderr.contains("gfx90a") && run.stderr.contains("gfx942"), "{}", run.stderr);
}

#[test]
fn code_objects_have_the_version_that_was_asked_for() {
    let folder = folder();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    for (version, byte) in [("4", 2u8), ("5", 3), ("6", 4)] {
        let flag = format!("--rocm-code-object-version={version}");
        fornax(folder.path(), &["compile", "--quiet", "--target=rocm:gfx906", &flag, &model, "-o", "m.fnx"]).ok();
        let module = std::fs::read(folder.path().join("m.fnx")).unwrap();
        // The OS of HSA, then the version, in the identification of the ELF file.
        let at = module.windows(8).position(|bytes| bytes == b"\x7fELF\x02\x01\x01\x40").unwrap();
        assert_eq!(module[at + 8], byte, "version {version}");
        let flags = ["run-module", "--device=rocm://1", "--module=m.fnx", "--input=4x1000xf32=1"];
        on_double(folder.path(), &two_chips(), &flags, LIMIT).ok();
    }
    let compile =
        |more: &[&str]| fornax(folder.path(), &[&["compile", "--quiet", &model, "-o", "n.fnx"], more].concat());
    compile(&["--target=rocm:gfx906", "--rocm-code-object-version=7"]).fails(1, "FX0508");
    compile(&["--target=rocm:gfx11-generic", "--rocm-code-object-version=5"]).fails(1, "FX0508");
    compile(&["--target=rocm:gfx11-generic"]).ok();
}

/// Debian's package libamdhip64-5 is the real library; without a GPU it says so, and so do we.
#[test]
fn the_real_library_without_a_device() {
    let report = fornax(&root(), &["doctor"]).ok().stdout;
    let rocm = report.split("\nROCm\n").nth(1).unwrap_or_default().lines().next().unwrap_or_default();
    match rocm.trim() {
        "not available: ROCm runtime not available" => return println!("skipped: libamdhip64 is not installed"),
        "not available: No ROCm devices found" => {}
        _ => return println!("skipped: there is an AMD GPU"),
    }
    let listed = fornax(&root(), &["list-devices", "rocm"]).ok();
    assert!(listed.stdout.is_empty() && listed.stderr.contains("rocm: No ROCm devices found"), "{listed:?}");
    let folder = tempfile::tempdir().unwrap();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    fornax(folder.path(), &["compile", "--quiet", "--target=rocm:gfx908", &model, "-o", "m.fnx"]).ok();
    for device in ["rocm", "rocm://0", "hip"] {
        let device = format!("--device={device}");
        let flags = ["run-module", &device, "--module=m.fnx", "--input=4x1000xf32=1"];
        let run = fornax(folder.path(), &flags).fails(3, "FX0701");
        assert!(run.stderr.contains("No ROCm devices found"), "{}", run.stderr);
    }
}

/// HIP tells neither occupancy nor a name that is a product: both come from the chip.
#[test]
fn bench_of_kernels_knows_peaks_and_occupancy() {
    let folder = folder();
    let model = "func.func @main(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32>
      return %0 : tensor<64x64xf32>
    }";
    std::fs::write(folder.path().join("dot.mlir"), model).unwrap();
    let targets = ["--target=rocm:gfx90a", "--target=rocm:gfx942"];
    fornax(folder.path(), &[&["compile", "--quiet", "dot.mlir", "-o", "m.fnx"], &targets[..]].concat()).ok();
    let path = folder.path().display().to_string();
    for (chip, product) in [("gfx90a:sramecc+:xnack-", "mi210"), ("gfx942", "mi300x")] {
        let variables = [
            ("LD_LIBRARY_PATH", path.as_str()),
            ("FORNAX_FAKE_ARCH", chip),
            // What matters is what is said of the kernels, not what they compute.
            ("FORNAX_FAKE_EXECUTE", "0"),
        ];
        let flags = ["bench", "--device=rocm", "--module=m.fnx", "--kernels", "--format=json", "--seconds=0.01"];
        let run = fornax_with(folder.path(), &flags, &variables, LIMIT).ok();
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["product"], product, "{chip}: {report}");
        let kernel = &report["kernels"][0];
        assert!(kernel["peak_us"].as_f64().unwrap() > 0.0, "{chip}: {kernel}");
        let occupancy = kernel["occupancy"].as_f64().unwrap_or_else(|| panic!("{chip}: {kernel}"));
        assert!(occupancy > 0.0 && occupancy <= 1.0, "{chip}: {kernel}");
        assert!(kernel["resident_groups"].as_u64().unwrap() > 0, "{chip}: {kernel}");
    }
}

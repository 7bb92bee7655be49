//! The commands on the double and on AMD's own library, where that is installed.

use std::time::Duration;

use fornax_tests::{fornax, root};

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

#[test]
fn a_missing_device_library_is_an_error_where_it_is_asked_for() {
    let folder = folder();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    let dir = format!("--iree-rocm-bc-dir={}", folder.path().display());
    let flags = ["compile", "--target=rocm:gfx906", "--iree-rocm-link-bc=true", &dir, &model, "-o", "m.fnx"];
    let run = fornax(folder.path(), &flags).fails(1, "FX0804");
    assert!(run.stderr.contains("ocml.bc") && run.stderr.contains("--rocm-bc-dir"), "{}", run.stderr);
    for name in ["ocml.bc", "ockl.bc"] {
        std::fs::write(folder.path().join(name), b"BC\xc0\xde").unwrap();
    }
    let run = fornax(folder.path(), &flags).ok();
    assert!(run.stderr.contains("nothing of it is linked"), "{}", run.stderr);
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

//! The small commands: what they print, byte for byte where others parse it.

use fornax_tests::{fornax, root};

#[test]
fn list_devices_prints_uris_only() {
    let run = fornax(&root(), &["list-devices"]).ok();
    assert!(run.stdout.lines().all(|line| line.contains("://") && !line.contains(' ')), "{}", run.stdout);
    assert!(run.stdout.lines().any(|line| line == "cpu://"), "{}", run.stdout);
    let compatible = fornax(&root(), &["run-module", "--list_devices"]).ok();
    assert!(compatible.stdout.contains("local-sync://\nlocal-task://\n"), "{}", compatible.stdout);
}

#[test]
fn list_drivers_has_the_known_layout() {
    let run = fornax(&root(), &["list-drivers"]).ok();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[1], "# Available HAL drivers");
    assert!(lines[0].starts_with("# ===") && lines[0] == lines[2]);
    assert_eq!(lines[3], "# Use --list_devices={driver name} to enumerate available devices.");
    assert_eq!(lines[4], "");
    assert!(lines[5].starts_with("            cuda: NVIDIA CUDA HAL driver (via dylib)"), "{}", lines[5]);
    for name in ["rocm", "hip", "opencl", "cpu", "local-sync", "local-task", "null"] {
        assert!(lines.iter().any(|l| l.trim_start().starts_with(&format!("{name}:"))), "{name}");
    }
}

#[test]
fn list_targets_is_short_and_knows_products() {
    let listed = |arguments: &[&str]| fornax(&root(), &[&["list-targets"], arguments].concat()).ok().stdout;
    let short = listed(&[]);
    assert!(short.lines().count() < 60 && short.lines().all(|line| line.len() <= 100), "{short}");
    for name in ["hopper", "sm_90", "rtx3090", "cdna3", "gfx942", "mi300x", "x86-64-v4"] {
        assert!(short.contains(name), "no {name} in {short}");
    }
    assert!(listed(&["rocm"]).starts_with("rocm - ") && !listed(&["rocm"]).contains("cuda"));
    assert_eq!(listed(&["Hopper"]), listed(&["hopper"]));
    let hopper = listed(&["hopper"]);
    assert!(hopper.starts_with("cuda: hopper\n  sm_90, compiled as sm_90a + sm_80\n"), "{hopper}");
    assert!(
        hopper.contains("products: h100") && hopper.contains("h100-sxm5") && !hopper.contains("ampere"),
        "{hopper}"
    );
    assert!(listed(&["a100"]).contains("sm_80"));
    for name in ["sm_120f", "gfx11-generic", "h100-sxm5", "graviton3"] {
        assert!(listed(&["--all"]).contains(name), "{name}");
    }
    let json: serde_json::Value = serde_json::from_str(&listed(&["mi300x", "--format=json"])).unwrap();
    assert_eq!(json[0]["generations"][0]["architectures"][0]["name"], "gfx942", "{json}");
    let run = fornax(&root(), &["list-targets", "hoper"]).fails(1, "FX0501");
    assert!(run.stderr.contains("did you mean hopper?"), "{}", run.stderr);
}

#[test]
fn completions_and_help() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(fornax(&root(), &["completions", shell]).ok().stdout.contains("run-module"));
    }
    let help = fornax(&root(), &["run-module", "--help"]).ok().stdout;
    assert!(help.contains("INPUT FORMAT") && help.contains("@file.npy") && help.contains("EXIT CODES"), "{help}");
    assert!(fornax(&root(), &["explain", "FX0501"]).ok().stdout.contains("unknown target"));
}

#[test]
fn an_absent_device_is_an_error_with_its_reason() {
    // Where there is a GPU the list says so, and this test has nothing to show.
    let devices = fornax(&root(), &["list-devices"]).ok().stdout;
    let folder = tempfile::tempdir().unwrap();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    fornax(folder.path(), &["compile", "--quiet", "--target=cpu", "--target=cuda:sm_80", &model, "-o", "m.fnx"]).ok();
    for driver in ["cuda", "rocm", "opencl"] {
        if devices.contains(&format!("{driver}://")) {
            continue;
        }
        let device = format!("--device={driver}");
        let run =
            fornax(folder.path(), &["run-module", &device, "--module=m.fnx", "--input=4x1000xf32=0"]).fails(3, "FX07");
        assert!(run.stdout.is_empty(), "{}", run.stdout);
    }
}

#[test]
fn a_batch_goes_on_behind_what_fails() {
    let folder = tempfile::tempdir().unwrap();
    let model = "func.func public @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}";
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    fornax(folder.path(), &["compile", "m.mlir", "-o", "m.fnx"]).ok();
    let lines = r#"["--module=m.fnx", "--input=3xf32=1 2 3", "--expected-output=3xf32=2 4 6"]
["--module=m.fnx", "--input=4xf32=1"]
not a line
["--module=m.fnx", "--input=3xf32=1", "--output=@out.npy"]
"#;
    std::fs::write(folder.path().join("runs.jsonl"), lines).unwrap();
    let run = fornax(folder.path(), &["run-module", "--batch=runs.jsonl"]).fails(1, "FX0812");
    assert!(run.stderr.contains("2 of the 4 runs failed"), "{}", run.stderr);
    let shown = run.stdout;
    for wanted in ["run 1: ok", "run 2: exit 1: error[FX0713]", "run 3: exit 1: error[FX0801]", "run 4: ok"] {
        assert!(shown.contains(wanted), "no {wanted} in {shown}");
    }
    assert!(folder.path().join("out.npy").exists());
    fornax(folder.path(), &["run-module", "--batch=nothing.jsonl"]).fails(1, "FX0803");
}

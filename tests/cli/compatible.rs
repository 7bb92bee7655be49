//! Command lines of iree-compile and iree-run-module, through the links that `install-links` makes, and what they
//! print.

use std::path::Path;
use std::process::Command;

use fornax_tests::{Run, fornax, root};

const MODEL: &str = "func.func public @predict(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}";

/// A folder with a model and the links.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), MODEL).unwrap();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    let made = fornax(folder.path(), &["install-links", "bin"]).ok().stdout;
    assert!(made.starts_with("bin/iree-compile -> ") && made.contains("bin/iree-run-module -> "), "{made}");
    folder
}

fn run(folder: &Path, line: &str) -> Run {
    let (program, arguments) = line.split_once(' ').unwrap();
    let output =
        Command::new(folder.join("bin").join(program)).args(arguments.split(' ')).current_dir(folder).output().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn links_are_made_again_and_replace_nothing_else() {
    let folder = folder();
    fornax(folder.path(), &["install-links", "bin"]).ok();
    let other = folder.path().join("bin/iree-compile");
    std::fs::remove_file(&other).unwrap();
    std::fs::write(&other, "another program").unwrap();
    let refused = fornax(folder.path(), &["install-links", "bin"]).fails(1, "FX0802");
    assert!(refused.stderr.contains("bin/iree-compile is there already and is not this program"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "another program");
    fornax(folder.path(), &["install-links", "no/such/folder"]).fails(1, "FX0802");
}

#[test]
fn results_have_the_layout_of_the_name_called() {
    let folder = folder();
    let compile = "iree-compile --iree-hal-target-backends=llvm-cpu --iree-llvmcpu-target-cpu=host --iree-opt-level=O3 \
                   m.mlir -o m.vmfb";
    let compiled = run(folder.path(), compile).ok();
    assert_eq!(compiled.stderr, "note: --iree-opt-level has no effect: every module is optimised fully\n");
    let theirs = run(folder.path(), "iree-run-module --module=m.vmfb --function=predict --input=3xf32=1").ok();
    assert_eq!(theirs.stdout, "EXEC @predict\nresult[0]: hal.buffer_view\n3xf32=2 2 2\n");
    let call = ["run-module", "--module=m.vmfb", "--input=3xf32=1,2,3"];
    assert_eq!(fornax(folder.path(), &call).ok().stdout, "result[0]: 3xf32=2 4 6\n");
    let json = fornax(folder.path(), &[&call[..], &["--format=json"]].concat()).ok().stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["outputs"][0]["values"].to_string(), "[2,4,6]", "{json}");
    assert_eq!((&json["function"], &json["device"]), (&"predict".into(), &"cpu://".into()));
    assert!(json["kernels_ms"].as_f64().unwrap() > 0.0, "{json}");
    let written = [&call[..], &["--format=json", "--output=@y.npy"]].concat();
    let json: serde_json::Value = serde_json::from_str(&fornax(folder.path(), &written).ok().stdout).unwrap();
    assert_eq!(json["outputs"][0]["file"], "y.npy");
}

#[test]
fn flags_from_a_file() {
    let folder = folder();
    let flags = "# a run\n--module=m.fnx\n--input=3xf32=1 2 3\n\n--expected_output=3xf32=2 4 6\n";
    std::fs::write(folder.path().join("run.flags"), flags).unwrap();
    fornax(folder.path(), &["compile", "m.mlir"]).ok();
    let said = fornax(folder.path(), &["run-module", "--flagfile=run.flags"]).ok().stdout;
    assert!(said.contains("[SUCCESS]"), "{said}");
    fornax(folder.path(), &["run-module", "--flagfile=no.flags"]).fails(1, "FX0803");
    fornax(folder.path(), &["run-module", "--flagfile=run.flags", "--nonsense"]).fails(1, "FX0801");
}

#[test]
fn flags_of_older_pages() {
    let folder = folder();
    let print = |line: &str| run(folder.path(), &format!("iree-compile {line} --print-target")).ok();
    let old = print("--iree-hal-target-backends=cuda --iree-hal-cuda-llvm-target-arch=sm_80");
    assert!(old.stdout.starts_with("cuda:sm_80\n"), "{}", old.stdout);
    assert_eq!(old.stderr, "note: --iree-hal-cuda-llvm-target-arch is an alias of --cuda-target\n");
    let none = print("--iree-hal-target-backends=cuda --iree-hal-cuda-llvm-target-arch=");
    assert!(none.stdout.starts_with("cuda:sm_60\n"), "{}", none.stdout);
    assert!(none.stderr.contains("the default is now sm_60 (was sm_35)"), "{}", none.stderr);
    let chip = print("--iree-hal-target-backends=rocm --iree-rocm-target-chip=gfx908 --iree-rocm-link-bc=false");
    assert!(chip.stdout.starts_with("rocm:gfx908\n"), "{}", chip.stdout);
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let line = "iree-compile --iree-hal-target-backends=rocm --iree-rocm-target-chip=gfx908 --iree-rocm-link-bc=true \
                --iree-rocm-bc-dir=empty m.mlir -o m.vmfb";
    let refused = run(folder.path(), line).fails(1, "FX0804").stderr;
    assert!(refused.contains("`ocml.bc` cannot be read in the folder empty: there is no such file"), "{refused}");
    assert!(refused.contains("leave --rocm-link-bc out"), "{refused}");
    let unknown = run(folder.path(), "iree-compile --iree-rocm-target-chp=gfx908 m.mlir").fails(1, "FX0801").stderr;
    assert!(unknown.contains("did you mean --iree-rocm-target-chip?"), "{unknown}");
}

#[test]
fn targets_in_a_list() {
    let targets = |flag: &str| {
        let text = fornax(&root(), &["compile", flag, "--print-target", "--format=json"]).ok().stdout;
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        found.as_array().unwrap().iter().map(|t| t["target"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(targets("--target=cuda,cpu"), ["cuda:sm_60", "cpu:x86-64-v3", "cpu:x86-64-v4"]);
    assert_eq!(targets("--target=cpu:v3"), ["cpu:x86-64-v3"]);
    assert_eq!(targets("--cpu-target=v4"), ["cpu:x86-64-v4"]);
    assert_eq!(targets("--target=cuda:sm_75,sm_86,rocm:mi300x"), ["cuda:sm_75", "cuda:sm_86", "rocm:gfx942"]);
    assert_eq!(targets("--target=opencl:spirv64+fp16,cpu").len(), 3);
    fornax(&root(), &["compile", "--target=cuda,nonsense", "--print-target"]).fails(1, "FX0506");
}

#[test]
fn help_has_examples_and_the_flags_of_others() {
    let help = fornax(&root(), &["compile", "--help"]).ok().stdout;
    assert!(help.contains("EXAMPLES\n  fornax compile model.mlir\n"), "{help}");
    assert!(
        help.contains("FLAGS OF IREE\n  --iree-hal-target-backends") && help.contains("--iree-opt-level"),
        "{help}"
    );
    let short = fornax(&root(), &["compile", "-h"]).ok().stdout;
    assert!(short.contains("EXAMPLES") && !short.contains("FLAGS OF IREE"), "{short}");
}

#[test]
fn manual_pages() {
    let folder = tempfile::tempdir().unwrap();
    fornax(folder.path(), &["man", "share/man1"]).ok();
    let page = std::fs::read_to_string(folder.path().join("share/man1/fornax-compile.1")).unwrap();
    assert!(
        page.contains(".TH fornax-compile 1") && page.contains("f32\\-matmul") && page.contains("EXAMPLES"),
        "{page}"
    );
    for name in ["fornax.1", "fornax-tune-measure.1", "fornax-run-module.1"] {
        assert!(folder.path().join("share/man1").join(name).exists(), "{name}");
    }
    let worker = folder.path().join("share/man1/fornax-codegen-worker.1");
    assert!(!worker.exists() && !folder.path().join("share/man1/fornax-help.1").exists());
}

#[test]
fn the_demanded_schedule_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let ty = "tensor<512x512xbf16>";
    let model = format!(
        "func.func @f(%x: {ty}, %w: {ty}) -> {ty} {{\n  \
         %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({ty}, {ty}) -> {ty}\n  \
         return %0 : {ty}\n\
         }}"
    );
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    let compile = |target: &str, schedule: &str| {
        fornax(folder.path(), &["compile", "m.mlir", "--compile-to=schedule", target, schedule])
    };
    let asked = compile("--target=cuda:sm_90a", "--schedule=mma").ok().stdout;
    assert!(asked.contains("mma "));
    // The name of earlier releases.
    assert_eq!(compile("--target=cuda:sm_90a", "--schedule=matrix").ok().stdout, asked);
    let refused = compile("--target=cuda:sm_80", "--schedule=wgmma").fails(1, "error[FX0320]").stderr;
    for part in ["NoScheduleFound", "m.mlir:2:", "limits of cuda:sm_80: 1024 threads", "--target=cpu"] {
        assert!(refused.contains(part), "no {part} in {refused}");
    }
    let unknown = compile("--target=cuda:sm_80", "--schedule=wgma").fails(1, "FX0801").stderr;
    assert!(unknown.contains("did you mean wgmma?"), "{unknown}");
    assert!(fornax(folder.path(), &["explain", "FX0320"]).ok().stdout.contains("NoScheduleFound"));
}

#[test]
fn data_as_json_on_every_command_that_prints() {
    let folder = folder();
    fornax(folder.path(), &["compile", "m.mlir"]).ok();
    let json = |arguments: &[&str]| {
        let text = fornax(folder.path(), &[arguments, &["--format=json"]].concat()).ok().stdout;
        serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {text}"))
    };
    let doctor = json(&["doctor"]);
    assert!(doctor["gpu_enabled"].is_boolean() && doctor["backends"].as_array().unwrap().len() >= 4, "{doctor}");
    assert_eq!(json(&["explain", "fx0501"])["code"], "FX0501");
    assert!(json(&["explain"]).as_array().unwrap().len() > 40);
    assert_eq!(json(&["compile", "--list-target-backends"])[0]["name"], "cuda");
    assert_eq!(json(&["verify", "m.mlir"])["agrees"], true);
    assert_eq!(json(&["inspect", "m.fnx"])["module_name"], "module");
    assert!(json(&["list-drivers"]).is_array() && json(&["list-devices"]).is_array());
}

/// Names of arguments and results as JAX exports them.
#[test]
fn names_of_the_exporter_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let model = "func.func public @main(%w: tensor<2xf32> {jax.arg_info = \"params['w']\"}, %x: tensor<2xf32>)
        -> (tensor<2xf32> {jax.result_info = \"result['logits']\"}, \
            tensor<2xf32> {jax.result_info = \"result['aux'][0]\"}) {
      %0 = stablehlo.add %w, %x : tensor<2xf32>
      return %0, %w : tensor<2xf32>, tensor<2xf32>
    }";
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    fornax(folder.path(), &["compile", "-q", "m.mlir"]).ok();
    let shown = fornax(folder.path(), &["inspect", "m.fnx"]).ok().stdout;
    assert!(shown.contains("@main(params.w: 2xf32, 2xf32) -> (logits: 2xf32, aux[0]: 2xf32)"), "{shown}");
    let call = ["run-module", "--module=m.fnx", "--input=2xf32=1", "--input=2xf32=2", "--format=json"];
    let json: serde_json::Value = serde_json::from_str(&fornax(folder.path(), &call).ok().stdout).unwrap();
    assert_eq!((&json["outputs"][0]["name"], &json["outputs"][1]["name"]), (&"logits".into(), &"aux[0]".into()));
}

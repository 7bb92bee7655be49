//! `fornax check`: which image would run here and why not the others, memory with and without open sizes, exit codes,
//! JSON.

use std::path::Path;
use std::time::Duration;

use fornax_module::{DeviceArch, ParsedModule, choose};
use fornax_targets::Backend;
use fornax_targets::cpu::cpu_row;
use fornax_tests::{Run, fornax, fornax_with, link_double, root};
use serde_json::Value;

const OPEN: &str = "func.func @main(%x: tensor<?x8xf32>, %w: tensor<8x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
      : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
";

fn compiled(folder: &Path, text: &str, targets: &[&str]) {
    std::fs::write(folder.join("m.mlir"), text).unwrap();
    let flags = ["compile", "--quiet", "--jobs=1", "--cuda-use-ptxas=false", "m.mlir", "-o", "m.fnx"];
    fornax(folder, &[&flags, targets].concat()).ok();
}

fn json(folder: &Path, flags: &[&str]) -> Value {
    let run = fornax(folder, &[&["check", "m.fnx", "--format=json"], flags].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", run.stdout, run.stderr))
}

#[test]
fn a_module_for_this_processor_runs_here() {
    let folder = tempfile::tempdir().unwrap();
    let model = std::fs::read_to_string(root().join("tests/model/softmax.mlir")).unwrap();
    compiled(folder.path(), &model, &["--target=cpu", "--target=cuda:sm_80"]);
    let text = fornax(folder.path(), &["check", "m.fnx", "--device=cpu"]).ok().stdout;
    for part in ["4x1000xf32", "cpu://", ": runs", "cpu-elf x86-64-v", "it is for cuda devices", "runs here on cpu://"]
    {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let found = json(folder.path(), &["--device=cpu"]);
    let device = &found["devices"][0];
    assert_eq!((found["runs"].as_bool(), found["exit_code"].as_u64()), (Some(true), Some(0)));
    assert_eq!(device["verdict"], "runs");
    assert_eq!(device["memory"][0]["inputs"]["bytes"], 16000);
    let known = device["memory"][0]["known_bytes"].as_u64().unwrap();
    assert!(known >= 32000 && known < device["free_bytes"].as_u64().unwrap(), "{device}");
    let images = device["images"].as_array().unwrap();
    assert_eq!(images.iter().filter(|image| image["chosen"] == true).count(), 1, "{images:?}");
    // Without --device every device of the machine is looked at; the processor is one.
    assert_eq!(json(folder.path(), &[])["exit_code"], 0);
}

/// The default's two images on processors that have AVX-512, nearly have it and do not, and on the one that is here.
#[test]
fn of_the_default_images_a_processor_takes_the_widest_that_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path(), OPEN, &[]);
    let module = ParsedModule::parse(std::fs::read(folder.path().join("m.fnx")).unwrap()).unwrap();
    let on = |isa: &str, features: &[&str]| {
        let features = features.iter().map(|feature| feature.to_string()).collect();
        let device = DeviceArch { backend: Backend::Cpu, arch: isa.into(), features };
        choose(module.manifest(), &device).map(|choice| choice.image.arch).map_err(|error| error.to_string())
    };
    let of = |name: &str| cpu_row(name).unwrap().detect.concat();
    for (processor, image) in [
        ("x86-64-v3", "x86-64-v3"),
        ("haswell", "x86-64-v3"),
        ("znver3", "x86-64-v3"),
        ("x86-64-v4", "x86-64-v4"),
        ("cascadelake", "x86-64-v4"),
        ("znver4", "x86-64-v4"),
    ] {
        assert_eq!(on("x86_64", &of(processor)).as_deref(), Ok(image), "{processor}");
    }
    let all = of("znver4");
    for missing in of("x86-64-v4").iter().filter(|feature| feature.starts_with("avx512")) {
        let rest: Vec<&str> = all.iter().copied().filter(|feature| feature != missing).collect();
        assert_eq!(on("x86_64", &rest).as_deref(), Ok("x86-64-v3"), "without {missing}");
    }
    let none = on("x86_64", &of("x86-64-v2")).unwrap_err();
    assert!(none.contains("cpu-elf x86-64-v3 (the processor lacks avx,") && none.contains("x86-64-v4 ("), "{none}");
    let other = on("aarch64", &of("neoverse-v2")).unwrap_err();
    assert!(other.contains("it holds x86_64 code"), "{other}");

    let here = fornax_runtime::registry::devices().into_iter().find(|device| device.driver == "cpu").unwrap();
    let found = json(folder.path(), &["--device=cpu"]);
    let chosen = found["devices"][0]["image"]["image"].as_str().unwrap();
    assert_eq!(chosen, format!("cpu-elf {}", on(&here.arch, &here.features).unwrap()));
}

#[test]
fn what_will_not_run_says_why_and_exits_3() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path(), OPEN, &["--target=rocm:gfx90a"]);
    let run = fornax(folder.path(), &["check", "m.fnx", "--device=cpu"]).fails(3, "FX0815");
    assert!(
        run.stderr.contains("hsaco gfx90a") && run.stdout.contains("does not run here"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let found = json(folder.path(), &["--device=cpu"]);
    assert_eq!((found["runs"].as_bool(), found["devices"][0]["verdict"].as_str()), (Some(false), Some("cannot-run")));
    fornax(folder.path(), &["check", "m.fnx", "--device=cpu:7"]).fails(3, "no such device");
    fornax(folder.path(), &["check", "m.fnx", "--device=toaster"]).fails(1, "FX0717");
    fornax(folder.path(), &["check", "nothing.fnx"]).fails(1, "FX0803");
    fornax(folder.path(), &["check", "m.mlir"]).fails(2, "FX06");
}

/// A check on a machine with these GPUs, which test doubles stand for, and none of OpenCL.
#[track_caller]
fn on_machine(folder: &Path, cuda: &str, rocm: &str, arguments: &[&str]) -> Run {
    let path = folder.display().to_string();
    let variables = [
        ("LD_LIBRARY_PATH", path.as_str()),
        ("FORNAX_FAKE_CUDA_ARCH", cuda),
        ("FORNAX_FAKE_HIP_ARCH", rocm),
        ("FORNAX_FAKE_OPENCL_ARCH", ""),
    ];
    fornax_with(folder, &[&["check", "m.fnx"], arguments].concat(), &variables, Duration::from_secs(60))
}

#[test]
fn auto_and_ranges_of_devices() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    link_double(path, "libfornax_fake_cuda.so", "libcuda.so.1");
    link_double(path, "libfornax_fake_hip.so", "libamdhip64.so.7");
    link_double(path, "libfornax_fake_opencl.so", "libOpenCL.so.1");
    compiled(path, OPEN, &["--target=cuda:sm_80", "--target=rocm:gfx906", "--target=cpu"]);
    let drivers = |run: &Run| -> Vec<(String, String)> {
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let text = |device: &Value, name: &str| device[name].as_str().unwrap().to_string();
        report["devices"].as_array().unwrap().iter().map(|d| (text(d, "driver"), text(d, "verdict"))).collect()
    };
    let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(driver, verdict)| ((*driver).to_string(), (*verdict).to_string())).collect()
    };
    // Up to the device that a run would take, with those before it.
    for (cuda, rocm, wanted) in [
        ("sm_90,sm_80", "gfx906", &[("cuda", "runs")][..]),
        ("sm_75", "gfx906", &[("cuda", "cannot-run"), ("rocm", "runs")][..]),
        ("", "gfx942", &[("rocm", "cannot-run"), ("cpu", "runs")][..]),
    ] {
        let run = on_machine(path, cuda, rocm, &["--device=auto", "--format=json"]).ok();
        assert_eq!(drivers(&run), pairs(wanted), "{cuda} {rocm}");
        let ran = on_machine(path, cuda, rocm, &["--device=auto"]).ok().stdout;
        let last = wanted.last().unwrap().0;
        assert!(ran.contains(&format!("runs here on {last}://")), "{ran}");
    }
    // A range: each of its devices that is there.
    let run = on_machine(path, "sm_90,sm_75,sm_80", "", &["--device=cuda:0-1", "--format=json"]).ok();
    assert_eq!(drivers(&run), pairs(&[("cuda", "runs"), ("cuda", "cannot-run")]));
    let run = on_machine(path, "sm_75,sm_90,sm_80", "", &["--device=cuda:1-7", "--format=json"]).ok();
    assert_eq!(drivers(&run), pairs(&[("cuda", "runs"), ("cuda", "runs")]));
    on_machine(path, "sm_75", "", &["--device=cuda:0-3"]).fails(3, "FX0815");
    on_machine(path, "sm_80", "", &["--device=cuda:4-7"]).fails(3, "no such device");
    on_machine(path, "sm_80", "", &["--device=cuda:3-0"]).fails(1, "FX0717");
}

#[test]
fn target_ids_of_amd_choose_their_image() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    link_double(path, "libfornax_fake_hip.so", "libamdhip64.so.7");
    compiled(path, OPEN, &["--target=rocm:gfx90a:sramecc+:xnack-"]);
    let on = |device: &str| on_machine(path, "", device, &["--device=rocm"]);
    let text = on("gfx90a:sramecc+:xnack-").ok().stdout;
    assert!(text.contains("hsaco gfx90a,+sramecc,-xnack"), "{text}");
    for (device, why) in [("gfx90a:sramecc+:xnack+", "with -xnack"), ("gfx90a:sramecc-:xnack-", "with +sramecc")] {
        let run = on(device).fails(3, "FX0815");
        assert!(run.stdout.contains(&format!("it was compiled {why}")), "{}", run.stdout);
    }
    // The same settings as features, and several chips, each with its own.
    compiled(path, OPEN, &["--target=rocm:gfx90a,+sramecc,-xnack"]);
    assert!(on("gfx90a:sramecc+:xnack-").ok().stdout.contains("hsaco gfx90a,+sramecc,-xnack"));
    compiled(path, OPEN, &["--target=rocm:gfx942:xnack+,gfx90a:xnack-"]);
    assert!(on("gfx942:sramecc+:xnack+").ok().stdout.contains("hsaco gfx942,+xnack"));
    assert!(on("gfx90a:sramecc+:xnack-").ok().stdout.contains("hsaco gfx90a,-xnack"));
    let wrong = ["compile", "m.mlir", "--target=rocm:gfx90a:fast+"];
    fornax(path, &wrong).fails(1, "FX0504");
}

#[test]
fn memory_of_open_sizes() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path(), OPEN, &["--target=cpu"]);
    let name =
        json(folder.path(), &["--device=cpu"])["devices"][0]["memory"][0]["open"][0].as_str().unwrap().to_string();
    let open = fornax(folder.path(), &["check", "m.fnx", "--device=cpu"]).ok().stdout;
    assert!(open.contains(&format!("{name}*32 + 96 bytes")) && open.contains("--input-size"), "{open}");
    let size = |n: u64| format!("--input-size={name}={n}");
    let known = json(folder.path(), &["--device=cpu", &size(1000)]);
    let memory = &known["devices"][0]["memory"][0];
    assert_eq!((memory["inputs"]["bytes"].as_u64(), memory["outputs"]["bytes"].as_u64()), (Some(32096), Some(12000)));
    let large = fornax(folder.path(), &["check", "m.fnx", "--device=cpu", &size(1 << 40)]).fails(4, "FX0706");
    assert!(large.stdout.contains("memory does not suffice"), "{}", large.stdout);
    fornax(folder.path(), &["check", "m.fnx", "--device=cpu", "--input-size=rows=3"]).fails(1, &name);
    fornax(folder.path(), &["check", "m.fnx", "--function=other"]).fails(1, "FX0710");
}

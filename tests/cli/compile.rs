//! `fornax compile`: the seed command lines, targets, reproducible bytes, phases, and images that the vendors' tools
//! accept.

use std::path::{Path, PathBuf};
use std::process::Command;

use fornax_tests::{fornax, root};

fn model() -> String {
    root().join("tests/model/softmax.mlir").display().to_string()
}

/// The seed rows: product, canonical name, code name.
const CUDA_ROWS: &[(&str, &str, &str)] = &[
    ("k80", "sm_35", "kepler"),
    ("p100", "sm_60", "pascal"),
    ("v100", "sm_70", "volta"),
    ("a100", "sm_80", "ampere"),
    ("h100", "sm_90a", "hopper"),
    ("rtx2080", "sm_75", "turing"),
    ("rtx3090", "sm_86", "ampere"),
    ("rtx4090", "sm_89", "ada"),
];
const ROCM_ROWS: &[(&str, &str)] =
    &[("mi25", "gfx900"), ("mi50", "gfx906"), ("mi60", "gfx906"), ("mi100", "gfx908"), ("mi300x", "gfx942")];

pub fn ptxas() -> Option<PathBuf> {
    let named = std::env::var_os("FORNAX_PTXAS").map(PathBuf::from);
    let on_path =
        std::env::var_os("PATH").and_then(|p| std::env::split_paths(&p).map(|d| d.join("ptxas")).find(|f| f.is_file()));
    named.or(on_path)
}

fn llvm_tool(name: &str) -> PathBuf {
    let prefix =
        std::env::var_os("MLIR_SYS_220_PREFIX").map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    prefix.join("bin").join(name)
}

#[test]
fn every_cuda_row_gives_ptx_for_its_architecture() {
    let folder = tempfile::tempdir().unwrap();
    for (product, arch, code) in CUDA_ROWS {
        let text = |name: &str| {
            fornax(folder.path(), &["compile", "--print-target", &format!("--target=cuda:{name}")]).ok().stdout
        };
        assert!(text(product).starts_with(&format!("cuda:{arch}")), "{product}");
        assert!(text(code).starts_with("cuda:sm_"), "{code}");
        let dump = folder.path().join(arch);
        let arguments = [
            "compile",
            "--quiet",
            "--iree-hal-target-backends=cuda",
            &format!("--iree-cuda-target={arch}"),
            "--cuda-use-ptxas=false",
            &format!("--dump-ir-to={}", dump.display()),
            "-o",
            "m.vmfb",
            &model(),
        ];
        fornax(folder.path(), &arguments).ok();
        let ptx = std::fs::read_to_string(dump.join(format!("cuda_{arch}/6_image.ptx"))).unwrap();
        assert!(ptx.contains(&format!(".target {arch}\n")), "{arch}: {}", &ptx[..200]);
        assert!(!ptx.contains(".extern .func"), "{arch}: calls something outside");
        assemble(&dump.join(format!("cuda_{arch}/6_image.ptx")), arch);
    }
}

/// Six kinds of program (products of three types and of unknown rows, a sine, a convolution), one module for all rows.
#[test]
fn every_cuda_row_compiles_the_probes() {
    let mut probes: Vec<PathBuf> =
        std::fs::read_dir(root().join("tests/model/probes")).unwrap().map(|entry| entry.unwrap().path()).collect();
    probes.sort();
    assert_eq!(probes.len(), 6);
    let targets: Vec<String> = CUDA_ROWS.iter().map(|(product, ..)| format!("--target=cuda:{product}")).collect();
    for probe in probes {
        let folder = tempfile::tempdir().unwrap();
        let (model, dump) = (probe.display().to_string(), format!("--dump-ir-to={}", folder.path().display()));
        let mut arguments = vec!["compile", "--quiet", "--cuda-use-ptxas=false", &model, &dump, "-o", "m.fnx"];
        arguments.extend(targets.iter().map(String::as_str));
        fornax(folder.path(), &arguments).ok();
        for (_, arch, _) in CUDA_ROWS {
            let ptx = folder.path().join(format!("cuda_{arch}/6_image.ptx"));
            assert!(std::fs::read_to_string(&ptx).unwrap().contains(&format!(".target {arch}\n")), "{model} {arch}");
            assemble(&ptx, arch);
        }
    }
}

/// ptxas accepts the PTX, where there is a ptxas that knows the architecture.
fn assemble(ptx: &Path, arch: &str) {
    let Some(tool) = ptxas() else {
        println!("skipped: no ptxas (FORNAX_PTXAS)");
        return;
    };
    let output = Command::new(tool).arg(format!("-arch={arch}")).arg(ptx).args(["-o", "/dev/null"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if text.contains("is not defined for option 'gpu-name'") {
        println!("skipped: this ptxas does not know {arch}");
        return;
    }
    assert!(output.status.success(), "{arch}: {text}");
}

#[test]
fn every_rocm_row_gives_an_hsaco_that_llvm_reads() {
    let folder = tempfile::tempdir().unwrap();
    for (product, arch) in ROCM_ROWS {
        let dump = folder.path().join(product);
        let arguments = [
            "compile",
            "--iree-hal-target-backends=rocm",
            &format!("--iree-rocm-target-chip={product}"),
            "--iree-rocm-link-bc=false",
            "--iree-rocm-bc-dir=/opt/rocm/amdgcn/bitcode",
            &format!("--dump-ir-to={}", dump.display()),
            "-o",
            "m.vmfb",
            &model(),
        ];
        let run = fornax(folder.path(), &arguments).ok();
        assert!(run.stderr.contains("is an alias of --rocm-target"), "{}", run.stderr);
        let image = dump.join(format!("rocm_{arch}/6_image.hsaco"));
        let notes = Command::new(llvm_tool("llvm-readelf")).arg("--notes").arg(&image).output().unwrap();
        let text = String::from_utf8_lossy(&notes.stdout).into_owned();
        assert!(text.contains(&format!("amdgcn-amd-amdhsa--{arch}")), "{product}: {text}");
    }
}

#[test]
fn one_module_holds_many_targets() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "compile",
        "--target-backends=cuda,rocm,cpu",
        "--cuda-target=sm_75,sm_90",
        "--rocm-target=gfx908,mi300x",
        "--cuda-use-ptxas=false",
        "-o",
        "m.fnx",
        &model(),
    ];
    fornax(folder.path(), &arguments).ok();
    let text = fornax(folder.path(), &["inspect", "m.fnx"]).ok().stdout;
    for name in [
        "cuda sm_75",
        "cuda sm_90a: ptx for sm_90a",
        "cuda sm_80: ptx for sm_80",
        "rocm gfx908",
        "rocm gfx942 (mi300x)",
        "cpu x86-64-v3",
        "cpu x86-64-v4",
    ] {
        assert!(text.contains(name), "{name} in {text}");
    }
    let json = fornax(folder.path(), &["inspect", "--format=json", "m.fnx"]).ok().stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["targets"].as_array().unwrap().len(), 7);
    assert_eq!(json["functions"][0]["name"], "predict");
    // Registers are told by those who know them: no CPU has a number.
    for program in json["programs"].as_array().unwrap() {
        let is_cpu = program["targets"][0].as_str().unwrap().starts_with("cpu");
        for kernel in program["kernels"].as_array().unwrap() {
            assert!(!is_cpu || kernel["registers"].is_null() && kernel["spill_bytes"].is_null(), "{kernel}");
            assert!(kernel["registers"] != 0, "{kernel}");
        }
    }
}

#[test]
fn defaults_are_named_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let run = fornax(
        folder.path(),
        &["compile", "--target-backends=cuda,rocm", "--cuda-use-ptxas=false", "-o", "m.fnx", &model()],
    )
    .ok();
    assert!(run.stderr.contains("sm_60") && run.stderr.contains("gfx908"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("compiling for sm_60").count(), 1);
}

#[test]
fn wrong_targets_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let compile = |flag: &str| fornax(folder.path(), &["compile", flag, "-o", "m.fnx", &model()]);
    assert!(compile("--target=cuda:sm_800").fails(1, "FX0501").stderr.contains("sm_80"));
    assert!(compile("--target=cuda:h10").fails(1, "FX0501").stderr.contains("h100"));
    compile("--target=cuda:mi300x").fails(1, "FX0502");
    compile("--target=tpu").fails(1, "FX0506");
    let both = ["compile", "--target-backends=cpu", "--cuda-target=sm_80", "-o", "m.fnx", &model()];
    fornax(folder.path(), &both).fails(1, "FX0801");
    assert!(compile("--compile-to=codgen").fails(1, "FX0801").stderr.contains("did you mean codegen"));
    assert!(compile("--iree-cuda-targt=sm_80").fails(1, "FX0801").stderr.contains("iree-cuda-target"));
}

#[test]
fn bytes_do_not_depend_on_names_or_threads() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(model(), folder.path().join("another_name.mlir")).unwrap();
    let compile = |input: &str, jobs: &str, output: &str| {
        fornax(
            folder.path(),
            &[
                "compile",
                "--quiet",
                // Every time anew.
                "--kernel-store=off",
                "--target=cpu",
                "--target=cuda:sm_80",
                "--cuda-use-ptxas=false",
                "--target=rocm:gfx908",
                jobs,
                input,
                "-o",
                output,
            ],
        )
        .ok();
        std::fs::read(folder.path().join(output)).unwrap()
    };
    assert!(compile(&model(), "--jobs=1", "a.fnx") == compile("another_name.mlir", "--jobs=2", "b.fnx"));
}

#[test]
fn every_phase_can_be_printed_and_the_first_two_read_back() {
    let folder = tempfile::tempdir().unwrap();
    for phase in ["import", "simplify", "fuse", "schedule", "emit", "codegen"] {
        let run = fornax(
            folder.path(),
            &[
                "compile",
                "--quiet",
                "--target=cuda:sm_80",
                "--cuda-use-ptxas=false",
                &format!("--compile-to={phase}"),
                &model(),
            ],
        )
        .ok();
        assert!(run.stdout.lines().count() > 5, "{phase}: {}", run.stdout);
        if ["import", "simplify"].contains(&phase) {
            let again = format!("{phase}.mlir");
            std::fs::write(folder.path().join(&again), &run.stdout).unwrap();
            fornax(folder.path(), &["compile", "--quiet", &again, "-o", "m.fnx"]).ok();
        }
    }
}

#[test]
fn sine_of_an_affine_is_one_kernel_with_wide_accesses() {
    let folder = tempfile::tempdir().unwrap();
    let text = "func.func public @f(%x: tensor<4000x4000xf32>) -> tensor<4000x4000xf32> {\n  \
                %two = stablehlo.constant dense<2.0> : tensor<4000x4000xf32>\n  \
                %one = stablehlo.constant dense<1.0> : tensor<4000x4000xf32>\n  \
                %0 = stablehlo.multiply %x, %two : tensor<4000x4000xf32>\n  \
                %1 = stablehlo.add %0, %one : tensor<4000x4000xf32>\n  \
                %2 = stablehlo.sine %1 : tensor<4000x4000xf32>\n  \
                return %2 : tensor<4000x4000xf32>\n\
                }\n";
    std::fs::write(folder.path().join("sin.mlir"), text).unwrap();
    fornax(
        folder.path(),
        &[
            "compile",
            "--quiet",
            "--target=cuda:sm_80",
            "--cuda-use-ptxas=false",
            "--dump-ir-to=dump",
            "sin.mlir",
            "-o",
            "m.fnx",
        ],
    )
    .ok();
    let json = fornax(folder.path(), &["inspect", "--format=json", "m.fnx"]).ok().stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["programs"][0]["kernels"].as_array().unwrap().len(), 1);
    let ptx = std::fs::read_to_string(folder.path().join("dump/cuda_sm_80/6_image.ptx")).unwrap();
    assert!(ptx.contains("ld.global.nc.v4") && ptx.contains("st.global.v4"), "{ptx}");
}

/// Models whose kernels are of every kind that OpenCL devices get.
const OPENCL_GOLDENS: &[&str] = &[
    "argmax",
    "convert_f16",
    "division_f32",
    "dot_bf16_to_f32",
    "scatter_max",
    "sort_two_keys",
    "sum_long_row",
    "transpose",
    "trigonometric_f32",
];

/// A SPIR-V module of all kernels for every kind of device; where spirv-val is installed, it agrees.
/// `FORNAX_OPENCL=all`: all goldens.
#[test]
fn opencl_modules_are_spirv() {
    let cases = fornax_tests::goldens::cases(&["tests/numeric"]);
    let cases = fornax_tests::goldens::chosen(cases, "FORNAX_OPENCL", OPENCL_GOLDENS);
    fornax_tests::goldens::all_right(&cases, 5, |case| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let model = case.join("model.mlir").display().to_string();
        let dump = folder.path().join("dump");
        let arguments = [
            "compile",
            "--quiet",
            "--jobs=1",
            "--opencl-target=spirv64,spirv64+fp16+subgroup16",
            "--target-backends=opencl",
            &format!("--dump-ir-to={}", dump.display()),
            "-o",
            "m.fnx",
            &model,
        ];
        let compiled = fornax(folder.path(), &arguments);
        if compiled.code != 0 {
            return Err(compiled.stderr);
        }
        for (target, environment) in [("opencl_spirv64", "spv1.2"), ("opencl_spirv64_+fp16_+subgroup16", "spv1.3")] {
            let kernels = std::fs::read_dir(dump.join(target)).map_err(|error| format!("{target}: {error}"))?;
            let listings = kernels.flatten().filter(|file| file.path().to_string_lossy().ends_with(".s"));
            if listings.count() == 0 {
                return Err(format!("{target}: no listing of a kernel"));
            }
            let image = dump.join(target).join("6_image.spirv");
            let validator = Command::new("spirv-val").arg("--target-env").arg(environment).arg(&image).output();
            match validator {
                Ok(said) if !said.status.success() => return Err(String::from_utf8_lossy(&said.stdout).into_owned()),
                Ok(_) => {}
                Err(_) => eprintln!("skipped: no spirv-val"),
            }
        }
        // Reading the module checks the image: memory model, entry points, nothing imported.
        let read = fornax(folder.path(), &["inspect", "m.fnx"]);
        let holds = ["opencl spirv64: spirv for spirv64", "spirv for spirv64,+fp16,+subgroup16"];
        match holds.iter().find(|text| !read.stdout.contains(**text)) {
            Some(text) => Err(format!("no `{text}` in {}{}", read.stdout, read.stderr)),
            None => Ok(()),
        }
    });
}

#[test]
fn a_module_keeps_entries_of_its_provenance() {
    let folder = tempfile::tempdir().unwrap();
    let compile = |entry: &str| {
        let entry = format!("--provenance={entry}");
        fornax(folder.path(), &["compile", "-q", "--target=cpu:x86-64-v3", &entry, "-o", "m.fnx", &model()])
    };
    compile("git.commit=a=b").ok();
    let shown = fornax(folder.path(), &["inspect", "--format=json", "m.fnx"]).ok().stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["provenance"]["git.commit"], "a=b");
    assert!(shown["provenance"]["compiler"].as_str().unwrap().starts_with("fornax "));
    for wrong in ["compiler=me", "=x", "none", "tuning candidates=[]", "é=x"] {
        compile(wrong).fails(1, "FX0801");
    }
}

#[test]
fn opencl_targets_and_their_settings() {
    let folder = tempfile::tempdir().unwrap();
    let print = |name: &str| {
        fornax(
            folder.path(),
            &["compile", "--print-target", "--target-backends=opencl", &format!("--opencl-target={name}")],
        )
    };
    assert!(print("Intel Arc A770").ok().stdout.starts_with("opencl:xe-hpg"));
    assert!(print("spirv64+subgroup8-fp64").stderr.contains("FX0509"));
    assert!(print("spirv64-fp64+subgroup8").ok().stdout.starts_with("opencl:spirv64,-fp64,+subgroup8"));
    assert!(print("spirv46").stderr.contains("did you mean `spirv64`"));
    assert!(print("spirv64+subgroup7").stderr.contains("FX0509"));
    assert!(print("gfx90a").stderr.contains("FX0502"));
    // No f64 where the device has none.
    let model = folder.path().join("m.mlir");
    let text = "func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {\n  \
                %0 = stablehlo.add %a, %a : tensor<4xf64>\n  \
                return %0 : tensor<4xf64>\n\
                }\n";
    std::fs::write(&model, text).unwrap();
    let model = model.display().to_string();
    let run = fornax(folder.path(), &["compile", "--target=opencl:xe-hpg", "-o", "m.fnx", &model]);
    assert!(run.code != 0 && run.stderr.contains("FX0401") && run.stderr.contains("f64"), "{}", run.stderr);
    // Two SPIR-V modules in one process are refused, not written wrongly.
    let many = root().join("tests/numeric/argmax/model.mlir").display().to_string();
    let compile =
        ["compile", "--in-process", "--kernel-store=off", "--jobs=1", "--target=opencl", "-o", "m.fnx", &many];
    let run = fornax(folder.path(), &compile);
    assert!(run.stderr.contains("FX0446"), "{}", run.stderr);
}

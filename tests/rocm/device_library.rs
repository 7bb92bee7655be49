//! `--rocm-link-bc`: kernels call AMD's device library, which is linked. A library of our own, whose functions give
//! what no mathematics does, shows that it is called; AMD's own is tried where Debian's package `rocm-device-libs` is
//! installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fornax_tests::{fornax, root};

use crate::{folder, on_double};

const LIMIT: Duration = Duration::from_secs(120);

/// Functions by a helper that must not stay a call, by a constant that the compiler sets, by a table, and in f64.
const LIBRARY: &str = "target triple = \"amdgcn-amd-amdhsa\"
@__oclc_ISA_version = external addrspace(4) constant i32
@__oclc_daz_opt = external addrspace(4) constant i8
@table = internal addrspace(4) constant [2 x float] [float 0.25, float 0.5]
define internal float @twice(float %x) noinline {
  %y = fmul float %x, 2.0
  ret float %y
}
define float @__ocml_exp_f32(float %x) {
  %isa = load i32, ptr addrspace(4) @__oclc_ISA_version
  %number = uitofp i32 %isa to float
  %twice = call float @twice(float %x)
  %sum = fadd float %twice, %number
  ret float %sum
}
define float @__ocml_pow_f32(float %x, float %y) {
  %daz = load i8, ptr addrspace(4) @__oclc_daz_opt
  %is_off = icmp eq i8 %daz, 0
  %wide = zext i1 %is_off to i64
  %at = getelementptr [2 x float], ptr addrspace(4) @table, i64 0, i64 %wide
  %half = load float, ptr addrspace(4) %at
  %difference = fsub float %x, %y
  %sum = fadd float %difference, %half
  ret float %sum
}
define double @__ocml_sin_f64(double %x) {
  %y = fadd double %x, 1.0
  ret double %y
}
define float @unused(float %x) {
  %y = call float @nowhere(float %x)
  ret float %y
}
declare float @nowhere(float)
";

const MODEL: &str = "func.func @main(%x: tensor<7xf32>, %y: tensor<7xf32>, %z: tensor<5xf64>) \
                         -> (tensor<7xf32>, tensor<7xf32>, tensor<5xf64>) {
  %0 = stablehlo.exponential %x : tensor<7xf32>
  %1 = stablehlo.power %x, %y : tensor<7xf32>
  %2 = stablehlo.sine %z : tensor<5xf64>
  return %0, %1, %2 : tensor<7xf32>, tensor<7xf32>, tensor<5xf64>
}
";

/// LLVM's assembler, which is installed with what the compiler is built of.
fn llvm_as() -> PathBuf {
    let prefix =
        std::env::var_os("MLIR_SYS_220_PREFIX").map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    prefix.join("bin/llvm-as")
}

fn write_library(folder: &Path, text: &str) {
    std::fs::write(folder.join("ocml.ll"), text).unwrap();
    let target = folder.join("ocml.bc");
    let done = Command::new(llvm_as()).arg(folder.join("ocml.ll")).arg("-o").arg(&target).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn functions_of_the_library_are_called_and_linked() {
    let folder = folder();
    write_library(folder.path(), LIBRARY);
    std::fs::write(folder.path().join("model.mlir"), MODEL).unwrap();
    let chips: Vec<String> = ["gfx906", "gfx90a", "gfx1100"].map(String::from).to_vec();
    let targets = format!("--rocm-target={}", chips.join(","));
    let compile = [
        "compile",
        "--target-backends=rocm",
        &targets,
        "--rocm-link-bc=true",
        "--rocm-bc-dir=.",
        "model.mlir",
        "-o",
        "m.fnx",
    ];
    fornax(folder.path(), &compile).ok();
    let inputs = ["--input=7xf32=0 1 2 3 4 5 6", "--input=7xf32=3", "--input=5xf64=1 2 3 4 5"];
    for (at, isa) in [9006, 9010, 11000].into_iter().enumerate() {
        let device = format!("--device=rocm://{at}");
        let exp: Vec<String> = (0..7).map(|x| (2 * x + isa).to_string()).collect();
        let expected = [
            format!("--expected-output=7xf32={}", exp.join(" ")),
            "--expected-output=7xf32=-2.5 -1.5 -0.5 0.5 1.5 2.5 3.5".to_string(),
            "--expected-output=5xf64=2 3 4 5 6".to_string(),
        ];
        let mut flags = vec!["run-module", &device, "--module=m.fnx"];
        flags.extend(inputs);
        flags.extend(expected.iter().map(String::as_str));
        on_double(folder.path(), &chips, &flags, LIMIT).ok();
    }
    // Without the flag they are ours: the library is not looked at.
    let plain = ["compile", "--quiet", "--target=rocm:gfx906", "--rocm-bc-dir=.", "model.mlir", "-o", "n.fnx"];
    fornax(folder.path(), &plain).ok();
    let flags = [
        &["run-module", "--device=rocm", "--module=n.fnx"],
        &inputs[..],
        &["--expected-output=7xf32=1 2.7182817 7.389056 20.085537 54.59815 148.41316 403.4288"],
    ]
    .concat();
    let flags = [&flags[..], &["--expected-output=(ignored)", "--expected-output=(ignored)"]].concat();
    on_double(folder.path(), &chips, &flags, LIMIT).ok();
}

#[test]
fn a_library_that_is_missing_or_lacks_something_is_an_error() {
    let folder = folder();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    let dir = format!("--iree-rocm-bc-dir={}", folder.path().display());
    let flags = ["compile", "--target=rocm:gfx906", "--iree-rocm-link-bc=true", &dir, &model, "-o", "m.fnx"];
    let run = fornax(folder.path(), &flags).fails(1, "FX0804");
    assert!(run.stderr.contains("ocml.bc") && run.stderr.contains("--rocm-bc-dir"), "{}", run.stderr);
    let file = folder.path().join("ocml.bc");
    std::fs::write(&file, b"text").unwrap();
    assert!(fornax(folder.path(), &flags).fails(1, "FX0804").stderr.contains("is no LLVM bitcode"));
    std::fs::write(folder.path().join("model.mlir"), MODEL).unwrap();
    let flags =
        ["compile", "--target=rocm:gfx906", "--rocm-link-bc=true", "--rocm-bc-dir=.", "model.mlir", "-o", "m.fnx"];
    std::fs::write(&file, b"BC\xc0\xde").unwrap();
    fornax(folder.path(), &flags).fails(1, "FX0447");
    write_library(folder.path(), &LIBRARY.replace("__ocml_pow_f32", "__ocml_powr_f32"));
    let run = fornax(folder.path(), &flags).fails(1, "FX0447");
    assert!(run.stderr.contains("there is no `__ocml_pow_f32` in it"), "{}", run.stderr);
    // Other chips than AMD's do not ask for it.
    fornax(folder.path(), &["compile", "--quiet", "--target=cpu", "--rocm-link-bc=true", "model.mlir", "-o", "m.fnx"])
        .ok();
}

/// AMD's own library as Debian has it, one wave on the double: within a few units of what the functions are.
#[test]
fn amds_own_library() {
    let places = ["/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/amdgcn/bitcode", "/opt/rocm/amdgcn/bitcode"];
    let asked = std::env::var("FORNAX_OCML").ok();
    let Some(place) =
        asked.as_deref().into_iter().chain(places).find(|place| Path::new(place).join("ocml.bc").exists())
    else {
        return println!(
            "skipped: there is no ocml.bc (Debian's package rocm-device-libs, or its folder in FORNAX_OCML)"
        );
    };
    let folder = folder();
    let text = "func.func @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %0 = stablehlo.exponential %x : tensor<5xf32>
  %1 = stablehlo.log %x : tensor<5xf32>
  %2 = stablehlo.tanh %x : tensor<5xf32>
  return %0, %1, %2 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
";
    std::fs::write(folder.path().join("model.mlir"), text).unwrap();
    let dir = format!("--rocm-bc-dir={place}");
    let flags = ["compile", "--target=rocm:gfx90a", "--rocm-link-bc=true", &dir, "model.mlir", "-o", "m.fnx"];
    fornax(folder.path(), &flags).ok();
    let flags = [
        "run-module",
        "--device=rocm",
        "--module=m.fnx",
        "--input=5xf32=0.5 1 2 3 10",
        "--expected-output=5xf32=1.6487213 2.7182817 7.389056 20.085537 22026.466",
        "--expected-output=5xf32=-0.6931472 0 0.6931472 1.0986123 2.3025851",
        "--expected-output=5xf32=0.46211717 0.7615942 0.9640276 0.9950548 1",
        "--expected-f32-threshold=1e-6",
    ];
    on_double(folder.path(), &["gfx90a".to_string()], &flags, LIMIT).ok();
}

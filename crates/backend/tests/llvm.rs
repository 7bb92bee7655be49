//! Everything that links LLVM, in one binary: kernels compiled for all three back ends, CPU kernels run.
//!
//! Tools: LLVM's are looked for in LLVM's prefix and the PATH, ptxas in `FORNAX_PTXAS` (a file) and the PATH. A test
//! that lacks its tool says so and passes.

#[path = "llvm/amdgpu.rs"]
mod amdgpu;
#[path = "llvm/cpu.rs"]
mod cpu;
#[path = "llvm/cpu_support.rs"]
mod cpu_support;
#[path = "llvm/emit_gemv.rs"]
mod emit_gemv;
#[path = "llvm/emit_loop.rs"]
mod emit_loop;
#[path = "llvm/emit_math.rs"]
mod emit_math;
#[path = "llvm/emit_mfma.rs"]
mod emit_mfma;
#[path = "llvm/emit_mma.rs"]
mod emit_mma;
#[path = "llvm/emit_ordered.rs"]
mod emit_ordered;
#[path = "llvm/emit_panel.rs"]
mod emit_panel;
#[path = "llvm/emit_plans.rs"]
mod emit_plans;
#[path = "llvm/emit_row.rs"]
mod emit_row;
#[path = "llvm/emit_run.rs"]
mod emit_run;
#[path = "llvm/emit_scalar.rs"]
mod emit_scalar;
#[path = "llvm/emit_tile.rs"]
mod emit_tile;
#[path = "llvm/emit_transpose.rs"]
mod emit_transpose;
#[path = "llvm/emit_update.rs"]
mod emit_update;
#[path = "llvm/errors.rs"]
mod errors;
#[path = "llvm/kernels.rs"]
mod kernels;
#[path = "llvm/link.rs"]
mod link;
#[path = "llvm/nvptx.rs"]
mod nvptx;
#[path = "llvm/ordered_plans.rs"]
mod ordered_plans;
#[path = "llvm/run_mfma.rs"]
mod run_mfma;
#[path = "llvm/spirv.rs"]
mod spirv;
#[path = "llvm/target_tables.rs"]
mod target_tables;

use std::path::PathBuf;

use fornax_backend::{CodegenOptions, KernelBinary, KernelSource, Tools, compile_one};
use fornax_targets::{Backend, Target, resolve};

/// LLVM's directory, then those of the PATH.
fn search() -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> =
        std::env::var_os("MLIR_SYS_220_PREFIX").map(|prefix| PathBuf::from(prefix).join("bin")).into_iter().collect();
    dirs.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    dirs
}

fn tools() -> Tools {
    let mut tools = Tools::find(&search());
    if let Some(ptxas) = std::env::var_os("FORNAX_PTXAS") {
        tools.ptxas = Some(PathBuf::from(ptxas));
    }
    tools
}

/// A tool of LLVM, by its plain name or the one with the version.
fn llvm_tool(name: &str) -> Option<PathBuf> {
    let names = [name.to_string(), format!("{name}-22")];
    let found =
        search().into_iter().flat_map(|dir| names.clone().map(|name| dir.join(name))).find(|path| path.is_file());
    if found.is_none() {
        eprintln!("skipped: no {name} in LLVM's prefix or in the PATH");
    }
    found
}

fn target(backend: Backend, name: &str) -> Target {
    resolve(backend, name).unwrap_or_else(|error| panic!("{error}")).target
}

fn compile(target: &Target, name: &str, mlir: String) -> KernelBinary {
    compile_as(target, name, mlir, CodegenOptions::default())
}

fn compile_as(target: &Target, name: &str, mlir: String, options: CodegenOptions) -> KernelBinary {
    compile_one(target, &KernelSource { name: name.into(), mlir: mlir.clone() }, options)
        .unwrap_or_else(|error| panic!("{error}\n{mlir}"))
}
#[path = "llvm/update_plans.rs"]
mod update_plans;

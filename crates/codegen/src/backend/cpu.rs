//! CPU images: the objects of all kernels linked into one shared object that needs nothing else.
//!
//! No undefined symbol, no needed library, no constructor, only the kernels exported. What LLVM calls by itself (memcpy, half
//! conversions, fma without the instruction) comes from `cpu_support`, compiled for the same CPU, and only the functions used.

use fornax_targets::{ImageKind, Target};

use super::cpu_support::{SupportModule, support_for};
use super::elf::Elf;
use super::errors::BackendError;
use super::tools::{ToolRun, Tools};
use super::{Image, KernelBinary, KernelResources, Linked, machine_spec};

const LINKER_FLAGS: &[&str] = &[
    "-shared",
    "-nostdlib",
    "--no-undefined",
    "--gc-sections",
    "--build-id=none",
    "--strip-all",
    "--hash-style=gnu",
    "-znow",
    "-znoexecstack",
    "--version-script=exports.txt",
    "-o",
    "kernels.so",
];

pub fn link(target: &Target, kernels: &[KernelBinary], tools: &Tools) -> Result<Linked, BackendError> {
    let linker = tools.ld_lld.as_deref().ok_or_else(|| BackendError::NoLinker { target: target.spec() })?;
    let run = ToolRun::new(linker)?;
    let mut arguments: Vec<String> = LINKER_FLAGS.iter().map(|flag| (*flag).to_string()).collect();
    for (index, kernel) in kernels.iter().enumerate() {
        let file = format!("{index}.o");
        run.write(&file, &kernel.bytes)?;
        arguments.push(file);
    }
    for (index, support) in support_modules(kernels)?.iter().enumerate() {
        let object = support.compile(&machine_spec(target)).map_err(|error| BackendError::Compile {
            kernel: support.name.to_string(),
            target: target.spec(),
            error: Box::new(error),
        })?;
        let file = format!("support{index}.o");
        run.write(&file, &object)?;
        arguments.push(file);
    }
    run.write("exports.txt", exports(kernels).as_bytes())?;
    let output = run.run(&arguments)?;
    if !output.succeeded {
        return Err(run.failure(target.spec(), &output));
    }
    let bytes = run.read("kernels.so")?;
    let resources = kernels.iter().map(|kernel| (kernel.name.clone(), KernelResources::default())).collect();
    Ok(Linked {
        images: vec![Image { kind: ImageKind::CpuElf, target: target.arch_spec(), bytes, resources }],
        notes: Vec::new(),
    })
}

/// The support modules that define what the kernels leave undefined.
fn support_modules(kernels: &[KernelBinary]) -> Result<Vec<&'static SupportModule>, BackendError> {
    let mut undefined = Vec::new();
    for kernel in kernels {
        undefined.extend(Elf::parse(&kernel.name, &kernel.bytes)?.undefined_symbols()?);
    }
    Ok(support_for(&undefined))
}

/// A version script that exports the kernels and hides everything else.
fn exports(kernels: &[KernelBinary]) -> String {
    let names: String = kernels.iter().map(|kernel| format!("    {};\n", kernel.name)).collect();
    let global = if names.is_empty() { String::new() } else { format!("  global:\n{names}") };
    format!("{{\n{global}  local:\n    *;\n}};\n")
}

//! AMD's device library, linked to a kernel that calls it: its functions become part of the kernel, nothing is left to
//! call.
//!
//! Input: an LLVM module with calls of `__ocml_exp_f32` and its kin; the folder that holds `ocml.bc`. Output: the same
//! module with what it calls, inlined by the passes that follow. The library asks how it shall compute by constants
//! (`__oclc_…`), which are defined here instead of by its own files: IEEE with subnormal numbers, infinities and NaN,
//! correctly rounded square roots, and the chip.
//!
//! Limits: one level of names, `__ocml_` and `__oclc_`, must be resolved by `ocml.bc` and the constants; others of its
//! own are internal.
//!
//! Example: `call float @__ocml_sin_f32(float %x)` becomes the arithmetic of `sin`, with `__oclc_ISA_version` 9010 on
//! gfx90a.

use std::collections::HashSet;
use std::ffi::CStr;
use std::path::Path;

use mlir_sys::*;

use crate::compile::MachineSpec;
use crate::errors::{MlirError, Stage};
use crate::llvm::{LlvmModule, TargetMachine};

/// The file of mathematical functions, the one of the library that is read.
pub const FILE: &str = "ocml.bc";
/// How names of functions and of constants start.
const FUNCTIONS: &str = "__ocml_";
const CONSTANTS: &str = "__oclc_";

/// Links the library where the module calls it.
///
/// # Errors
/// `FX0447`: a file that cannot be read or is no bitcode of this LLVM, or that lacks a function.
pub(crate) fn link(
    module: &mut LlvmModule<'_>,
    machine: &TargetMachine,
    spec: &MachineSpec,
    folder: &Path,
) -> Result<(), MlirError> {
    if !missing(module).iter().any(|name| name.starts_with(FUNCTIONS)) {
        return Ok(());
    }
    let file = folder.join(FILE);
    let refuse = |why: String| MlirError::new(Stage::Library, format!("{}: {why}", file.display()), Vec::new(), "");
    let bytes = std::fs::read(&file).map_err(|error| refuse(error.to_string()))?;
    let own: HashSet<String> = symbols(module).into_iter().map(|symbol| symbol.1).collect();
    for text in [bytes.as_slice(), constants(spec).as_bytes()] {
        let mut other = LlvmModule::parse(module.context(), text).map_err(|error| refuse(error.summary))?;
        other.target(machine, None);
        module.take_in(other).map_err(|error| refuse(error.summary))?;
    }
    let ours = |name: &str| name.starts_with(FUNCTIONS) || name.starts_with(CONSTANTS);
    for (value, name) in symbols(module).into_iter().filter(|symbol| !own.contains(&symbol.1) || ours(&symbol.1)) {
        make_internal(module, value, &name);
    }
    // The library is large: what nothing calls goes before anything else looks at it.
    module.run_passes(machine, c"globaldce", Stage::Library)?;
    match missing(module).iter().find(|name| ours(name)) {
        Some(name) => Err(refuse(format!("there is no `{name}` in it"))),
        None => Ok(()),
    }
}

/// The constants that the library reads, as a module.
fn constants(spec: &MachineSpec) -> String {
    let row = |name: &str, ty: &str, value: u32| {
        format!("@{CONSTANTS}{name} = linkonce_odr hidden addrspace(4) constant {ty} {value}\n")
    };
    let byte = |name: &str, value: u32| row(name, "i8", value);
    let word = |name: &str, value: u32| row(name, "i32", value);
    let wide = spec.features.split(',').any(|feature| feature == "+wavefrontsize64") || !spec.cpu.starts_with("gfx1");
    [
        byte("daz_opt", 0),
        byte("finite_only_opt", 0),
        byte("unsafe_math_opt", 0),
        byte("correctly_rounded_sqrt32", 1),
        byte("wavefrontsize64", u32::from(wide)),
        word("ISA_version", isa_version(&spec.cpu)),
        word("ABI_version", spec.amdgpu_code_object.unwrap_or(500)),
    ]
    .concat()
}

/// A chip's number in the library: 9010 for gfx90a, 10300 for gfx1030; that of its first chip for a family.
fn isa_version(cpu: &str) -> u32 {
    let name = cpu.strip_prefix("gfx").unwrap_or_default();
    if let Some(family) = name.strip_suffix("-generic") {
        let mut parts = family.split('-').map(|part| part.parse::<u32>().unwrap_or(0));
        return parts.next().unwrap_or(0) * 1000 + parts.next().unwrap_or(0) * 100;
    }
    let digit = |at: usize| name.get(at..=at).and_then(|text| u32::from_str_radix(text, 16).ok()).unwrap_or(0);
    let last = name.len();
    let major = last.checked_sub(2).and_then(|end| name.get(..end)).and_then(|text| text.parse::<u32>().ok());
    major.map_or(0, |major| major * 1000 + digit(last - 2) * 100 + digit(last - 1))
}

/// Functions and variables, with their names.
fn symbols(module: &mut LlvmModule<'_>) -> Vec<(LLVMValueRef, String)> {
    let (raw, _) = module.raw();
    let mut found = Vec::new();
    let mut add = |value: LLVMValueRef| {
        let mut bytes = 0;
        // SAFETY: a live value; its name has as many bytes as it says.
        let name = unsafe {
            let text = LLVMGetValueName2(value, &mut bytes);
            std::slice::from_raw_parts(text.cast::<u8>(), bytes)
        };
        found.push((value, String::from_utf8_lossy(name).into_owned()));
    };
    // SAFETY: the module is alive, and nothing changes it during the walk.
    unsafe {
        let mut value = LLVMGetFirstFunction(raw);
        while !value.is_null() {
            add(value);
            value = LLVMGetNextFunction(value);
        }
        let mut value = LLVMGetFirstGlobal(raw);
        while !value.is_null() {
            add(value);
            value = LLVMGetNextGlobal(value);
        }
    }
    found
}

/// Names that the module uses and does not define, those of LLVM's own functions left out.
fn missing(module: &mut LlvmModule<'_>) -> Vec<String> {
    // SAFETY: values of a live module.
    let is_missing =
        |value: LLVMValueRef| unsafe { LLVMIsDeclaration(value) != 0 && !LLVMGetFirstUse(value).is_null() };
    let found = symbols(module).into_iter().filter(|symbol| is_missing(symbol.0) && !symbol.1.starts_with("llvm."));
    found.map(|symbol| symbol.1).collect()
}

/// Makes a definition of the library one that only the kernel uses; functions are inlined wherever they are called.
fn make_internal(module: &mut LlvmModule<'_>, value: LLVMValueRef, name: &str) {
    const ANYWHERE: LLVMAttributeIndex = LLVMAttributeFunctionIndex as LLVMAttributeIndex;
    let (_, context) = module.raw();
    let kind = |name: &CStr| {
        // SAFETY: a text of as many bytes.
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr(), name.count_bytes()) }
    };
    // SAFETY: a live value of a live module; attributes belong to the module's context.
    unsafe {
        if LLVMIsDeclaration(value) != 0 || name.starts_with("llvm.") {
            return;
        }
        LLVMSetLinkage(value, LLVMLinkage_LLVMInternalLinkage);
        LLVMSetVisibility(value, LLVMVisibility_LLVMDefaultVisibility);
        if !LLVMIsAFunction(value).is_null() {
            for unwanted in [c"noinline", c"optnone"] {
                LLVMRemoveEnumAttributeAtIndex(value, ANYWHERE, kind(unwanted));
            }
            let inlined = LLVMCreateEnumAttribute(context, kind(c"alwaysinline"), 0);
            LLVMAddAttributeAtIndex(value, ANYWHERE, inlined);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_have_numbers() {
        let rows = [("gfx906", 9006), ("gfx90a", 9010), ("gfx942", 9402), ("gfx1030", 10300), ("gfx1201", 12001)];
        for (cpu, number) in rows.into_iter().chain([("gfx11-generic", 11000), ("gfx9-4-generic", 9400), ("", 0)]) {
            assert_eq!(isa_version(cpu), number, "{cpu}");
        }
    }
}

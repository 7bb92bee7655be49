//! CPU images: the objects of all kernels linked into one shared object that needs nothing else.
//!
//! No undefined symbol, no needed library, no constructor, only the kernels exported. What LLVM calls by itself
//! (memcpy, half conversions, fma without the instruction) comes from `cpu_support`, compiled for the same CPU, and
//! only the functions used.

use fornax_targets::{ImageKind, Target};

use super::cpu_support::support_for;
use super::errors::BackendError;
use super::link::{self, Object, Request};
use super::{Image, KernelBinary, KernelResources, Linked, machine_spec};

pub fn link(target: &Target, kernels: &[KernelBinary]) -> Result<Linked, BackendError> {
    let mut objects: Vec<Object<'_>> =
        kernels.iter().map(|kernel| Object::read(&kernel.name, &kernel.bytes)).collect::<Result<_, _>>()?;
    let undefined: Vec<&str> = objects.iter().flat_map(Object::undefined_symbols).collect();
    let mut support = Vec::new();
    for module in support_for(&undefined) {
        let object = module.object(&machine_spec(target)).map_err(|error| BackendError::Compile {
            kernel: module.name.to_string(),
            target: target.spec(),
            error: Box::new(error),
        })?;
        support.push((module.name, object));
    }
    for (name, object) in &support {
        objects.push(Object::read(name, object)?);
    }
    let exports = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    let request = Request { objects: &objects, target: target.spec(), exports, note: None, symbol_table: false };
    let bytes = link::link(&request)?;
    let resources = kernels.iter().map(|kernel| (kernel.name.clone(), KernelResources::default())).collect();
    Ok(Linked {
        images: vec![Image { kind: ImageKind::CpuElf, target: target.arch_spec(), bytes, resources }],
        notes: Vec::new(),
    })
}

//! OpenCL images: the SPIR-V modules of all kernels joined into one, which the device's driver compiles.

use fornax_targets::{ImageKind, Target};

use super::errors::BackendError;
use super::spirv::{self, Joined};
use super::{Image, KernelBinary, KernelResources, Linked};

pub fn link(target: &Target, kernels: &[KernelBinary]) -> Result<Linked, BackendError> {
    let mut all = Joined::default();
    let mut resources = Vec::new();
    for kernel in kernels {
        let refuse =
            |reason: String| BackendError::Unlinkable { target: target.spec(), object: kernel.name.clone(), reason };
        let local = spirv::add(&mut all, &kernel.name, &kernel.bytes).map_err(refuse)?;
        let taken = KernelResources { static_shared_bytes: Some(local), ..KernelResources::default() };
        resources.push((kernel.name.clone(), taken));
    }
    let image = Image { kind: ImageKind::SpirV, target: target.arch_spec(), bytes: all.finish(), resources };
    Ok(Linked { images: vec![image], notes: Vec::new() })
}

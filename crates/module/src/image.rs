//! Well-formedness of executable images: what a driver or the dynamic loader relies on without checking.
//!
//! PTX goes to `cuModuleLoadData` without a length, so it must end in the only NUL. ELF images must lie within their
//! bytes. SPIR-V must be a module of kernels for OpenCL that imports nothing. A CPU image must load without other
//! libraries and without running code.

use std::collections::HashSet;

use crate::elf::{EM_AARCH64, EM_AMDGPU, EM_CUDA, EM_X86_64, Elf};
use crate::manifest::ImageKind;
use crate::program::Program;
use crate::spirv::Spirv;

/// `e_machine` values that a kind may have; none for what is no ELF.
const MACHINES: &[(ImageKind, &[u16])] = &[
    (ImageKind::Ptx, &[]),
    (ImageKind::Cubin, &[EM_CUDA]),
    (ImageKind::Hsaco, &[EM_AMDGPU]),
    (ImageKind::SpirV, &[]),
    (ImageKind::CpuElf, &[EM_X86_64, EM_AARCH64]),
];

/// Checks an image; returns the symbols it exports (for hsaco kernel descriptors, `NAME.kd`).
pub fn check_image(kind: ImageKind, bytes: &[u8]) -> Result<HashSet<&str>, String> {
    if kind == ImageKind::Ptx {
        return check_ptx(bytes);
    }
    if kind == ImageKind::SpirV {
        let module = Spirv::parse(bytes)?;
        module.check_opencl()?;
        return Ok(module.kernels()?.into_iter().collect());
    }
    if bytes.starts_with(&[0x50, 0xed, 0x55, 0xba]) {
        return Err("a fat binary; only single cubins are read".into());
    }
    let elf = Elf::parse(bytes)?;
    let machines = MACHINES.iter().find(|row| row.0 == kind).map_or(&[][..], |row| row.1);
    if !machines.contains(&elf.machine) {
        return Err(format!("ELF machine {} is not that of a {} image", elf.machine, kind.name()));
    }
    if kind == ImageKind::CpuElf { elf.self_contained_symbols() } else { elf.defined_symbols() }
}

/// The first kernel of the program that the image does not export.
pub(crate) fn missing_kernel<'p>(kind: ImageKind, exports: &HashSet<&str>, program: &'p Program) -> Option<&'p str> {
    let exported = |name: &str| match kind {
        ImageKind::Hsaco => exports.contains(format!("{name}.kd").as_str()),
        _ => exports.contains(name),
    };
    program.kernels.iter().map(|kernel| kernel.name.as_str()).find(|name| !exported(name))
}

/// ASCII without control characters, one NUL, at the end; exports the `.entry` functions.
fn check_ptx(bytes: &[u8]) -> Result<HashSet<&str>, String> {
    let Some((0, text)) = bytes.split_last() else {
        return Err("PTX does not end with NUL".into());
    };
    let plain = |b: &u8| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    if let Some(at) = text.iter().position(|b| !plain(b)) {
        return Err(format!("byte {at} of the PTX is not plain ASCII"));
    }
    let text = std::str::from_utf8(text).map_err(|e| e.to_string())?;
    if !text.contains(".version") || !text.contains(".target") {
        return Err("PTX without .version and .target".into());
    }
    let mut entries = HashSet::new();
    for (at, word) in text.match_indices(".entry") {
        let rest = text.get(at + word.len()..).unwrap_or("");
        let name = rest.trim_start();
        let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')));
        let name = name.get(..end.unwrap_or(name.len())).unwrap_or("");
        if name.len() < rest.len() && !name.is_empty() {
            entries.insert(name);
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_is_ascii_with_one_nul() {
        let good = b".version 6.3\n.target sm_60\n.visible .entry add_one(\n.entry\n\tb2 ()\0";
        let exports = check_image(ImageKind::Ptx, good).unwrap();
        assert_eq!(exports, HashSet::from(["add_one", "b2"]));
        for bad in [&b".version\n.target"[..], b".version .target\0\0", b".version .target \xc3\xa4\0", b"\0", b""] {
            check_image(ImageKind::Ptx, bad).unwrap_err();
        }
    }

    #[test]
    fn images_of_the_wrong_kind() {
        let mut elf = vec![0; 64];
        elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        elf[18..20].copy_from_slice(&EM_AMDGPU.to_le_bytes());
        assert!(check_image(ImageKind::Hsaco, &elf).unwrap().is_empty());
        assert!(check_image(ImageKind::Cubin, &elf).unwrap_err().contains("224"));
        elf[18..20].copy_from_slice(&EM_X86_64.to_le_bytes());
        assert_eq!(check_image(ImageKind::CpuElf, &elf).unwrap_err(), "it is not a shared object");
        elf[16] = 3; // ET_DYN
        assert_eq!(check_image(ImageKind::CpuElf, &elf).unwrap_err(), "nothing is loaded");
        assert!(check_image(ImageKind::Cubin, &[0x50, 0xed, 0x55, 0xba]).unwrap_err().contains("fat"));
    }
}

//! Our linker against LLVM's: the same objects, the same exported symbols, the same kernels behind them.

use std::collections::BTreeMap;
use std::process::Command;

use fornax_backend::{KernelBinary, LinkOptions, Tools, link};
use fornax_targets::Backend;
use fornax_targets::amd::AMD_LLVM_CPUS;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

use super::amdgpu::two_kernels;
use super::cpu::relocated_kernels;
use super::{llvm_tool, target};

/// The image that ld.lld makes.
fn by_lld(linker: &std::path::Path, kernels: &[KernelBinary]) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut command = Command::new(linker);
    command.current_dir(directory.path()).args(["-shared", "--no-undefined", "-o", "image"]);
    for (index, kernel) in kernels.iter().enumerate() {
        let name = format!("{index}.o");
        std::fs::write(directory.path().join(&name), &kernel.bytes).expect("written");
        command.arg(name);
    }
    let output = command.output().expect("ld.lld runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(directory.path().join("image")).expect("an image")
}

/// Exported symbols with their addresses and the bytes that they name.
fn exports(image: &[u8]) -> BTreeMap<String, (u64, Vec<u8>)> {
    let file = object::File::parse(image).expect("an ELF file");
    let mut found = BTreeMap::new();
    for symbol in file.dynamic_symbols() {
        let section = file.section_by_index(symbol.section_index().expect("a section")).expect("in the file");
        let bytes = section.data_range(symbol.address(), symbol.size()).expect("in the file").expect("bytes");
        found.insert(symbol.name().expect("a name").to_string(), (symbol.address(), bytes.to_vec()));
    }
    found
}

#[test]
fn every_hsaco_holds_what_lld_would_put_in_it() {
    let Some(linker) = llvm_tool("ld.lld") else { return };
    for name in AMD_LLVM_CPUS {
        let target = target(Backend::Rocm, name);
        let kernels = two_kernels(&target);
        let linked = link(&target, &kernels, &Tools::default(), &LinkOptions::default()).expect("links");
        let (ours, theirs) = (exports(&linked.images[0].bytes), exports(&by_lld(&linker, &kernels)));
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{name}");
        for (symbol, (address, bytes)) in &ours {
            let (their_address, their_bytes) = &theirs[symbol];
            let Some(kernel) = symbol.strip_suffix(".kd") else {
                assert_eq!(bytes, their_bytes, "{name}: the code of {symbol}");
                continue;
            };
            // Bytes 16 to 24 of a descriptor: from it to its kernel's code.
            let entry = |bytes: &[u8], at: u64| {
                at.wrapping_add_signed(i64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes")))
            };
            assert_eq!(entry(bytes, *address), ours[kernel].0, "{name}: {symbol} leads to its code");
            assert_eq!(entry(their_bytes, *their_address), theirs[kernel].0);
            assert_eq!((&bytes[..16], &bytes[24..]), (&their_bytes[..16], &their_bytes[24..]), "{name}: {symbol}");
        }
    }
}

#[test]
fn readelf_finds_nothing_to_complain_of() {
    let Some(readelf) = llvm_tool("llvm-readelf") else { return };
    let directory = tempfile::tempdir().expect("temporary directory");
    let images =
        [(Backend::Rocm, "gfx942"), (Backend::Cpu, "x86-64-v3"), (Backend::Cpu, "aarch64")].map(|(backend, name)| {
            let target = target(backend, name);
            let kernels = if backend == Backend::Rocm { two_kernels(&target) } else { relocated_kernels(&target) };
            link(&target, &kernels, &Tools::default(), &LinkOptions::default()).expect("links").images[0].bytes.clone()
        });
    for image in images {
        let file = directory.path().join("image");
        std::fs::write(&file, image).expect("written");
        let output = Command::new(&readelf).arg("-a").arg(&file).output().expect("runs");
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

//! hsaco for every architecture: flags, one metadata note with all kernels, resources.

use fornax_backend::{CodegenOptions, KernelBinary, KernelSource, LinkOptions, compile_one, link};
use fornax_targets::amd::{AMD_ARCHES, AMD_LLVM_CPUS};
use fornax_targets::occupancy::{Demand, unit_row};
use fornax_targets::{Backend, ImageKind, Target};

use super::kernels::gpu_sine;
use super::{compile, target, tools};

pub(crate) fn two_kernels(target: &Target) -> Vec<KernelBinary> {
    ["first", "second"].map(|name| compile(target, name, gpu_sine(name, false))).to_vec()
}

#[test]
fn every_architecture_llvm_knows_links_to_an_hsaco_of_its_own() {
    let tools = tools();
    for name in AMD_LLVM_CPUS {
        let target = target(Backend::Rocm, name);
        let linked = link(&target, &two_kernels(&target), &tools, &LinkOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let image = &linked.images[0];
        assert_eq!((image.kind, image.target.as_str()), (ImageKind::Hsaco, *name));
        if let Some(row) = AMD_ARCHES.iter().find(|row| row.name == *name) {
            let flags = u32::from_le_bytes(image.bytes[48..52].try_into().expect("four bytes"));
            assert_eq!(flags, row.elf_flags, "{name}");
        }
        let abi_version = if name.ends_with("-generic") { 4 } else { 3 };
        assert_eq!(
            (image.bytes[7], image.bytes[8]),
            (64, abi_version),
            "{name}: OSABI is HSA, ABI version that of the code object"
        );
        for (kernel, resources) in &image.resources {
            assert!(
                resources.registers.is_some_and(|count| (4..=128).contains(&count)),
                "{name} {kernel} {resources:?}"
            );
            assert_eq!(resources.static_shared_bytes, Some(1024), "{name} {kernel}");
            assert_eq!((resources.spill_bytes, resources.scratch_bytes), (Some(0), Some(0)), "{name} {kernel}");
        }
        let exports = fornax_module::image::check_image(ImageKind::Hsaco, &image.bytes)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(exports.contains("first.kd") && exports.contains("second.kd"), "{name}");
    }
}

/// The waves of a SIMD that llc writes besides a kernel are those that follow from the registers and LDS it writes
/// there too.
#[test]
fn occupancy_is_what_llvm_says() {
    let Some(llc) = super::llvm_tool("llc") else { return };
    let folder = tempfile::tempdir().expect("temporary directory");
    let matrix = |chip: &str| {
        let row = super::emit_mfma::ATOMS.iter().find(|(_, _, has, _)| *has == chip);
        row.map(|&(element, atom, ..)| {
            let plan = super::emit_mma::product(element, (1, 130, 72, 67), [false, false]);
            super::emit_run::emitted(&super::emit_mfma::with(&plan, atom), "kernel", &target(Backend::Rocm, chip)).mlir
        })
    };
    for row in AMD_ARCHES {
        let target = target(Backend::Rocm, row.name);
        for mlir in [Some(gpu_sine("kernel", false)), matrix(row.name)].into_iter().flatten() {
            let source = KernelSource { name: "kernel".into(), mlir };
            let binary = compile_one(&target, &source, CodegenOptions::KEEP)
                .unwrap_or_else(|error| panic!("{}: {error}", row.name));
            let file = folder.path().join("kernel.ll");
            std::fs::write(&file, binary.intermediates.expect("asked for").llvm_ir).expect("written");
            let cpu = format!("-mcpu={}", row.name);
            let output = std::process::Command::new(&llc).args([&cpu, "-o", "-"]).arg(&file).output().expect("runs");
            let text = String::from_utf8_lossy(&output.stdout);
            let number = |key: &str| {
                let line = text.lines().find_map(|line| line.trim().trim_start_matches("- ").strip_prefix(key));
                let digits: String = line.unwrap_or("").trim().chars().take_while(char::is_ascii_digit).collect();
                digits.parse::<u32>().unwrap_or_else(|_| panic!("{}: no {key} in what llc writes", row.name))
            };
            let demand = Demand {
                wave: number(".wavefront_size:"),
                vector_registers: number(".vgpr_count:"),
                accumulation_registers: if text.contains(".agpr_count:") { number(".agpr_count:") } else { 0 },
                scalar_registers: number(".sgpr_count:"),
                shared_bytes: number(".group_segment_fixed_size:"),
                threads: number(".max_flat_workgroup_size:"),
            };
            let found = unit_row(row.name).expect("a row").occupancy(&demand);
            assert_eq!(found.waves, number("; Occupancy:"), "{}: {demand:?} {found:?}", row.name);
        }
    }
}

#[test]
fn readelf_sees_one_note_with_both_kernels_and_bytes_are_reproducible() {
    let tools = tools();
    let target = target(Backend::Rocm, "gfx942");
    let kernels = two_kernels(&target);
    let linked = link(&target, &kernels, &tools, &LinkOptions::default()).expect("links");
    assert_eq!(
        linked,
        link(&target, &two_kernels(&target), &tools, &LinkOptions::default()).expect("links"),
        "same input, same bytes"
    );
    let Some(readelf) = super::llvm_tool("llvm-readelf") else { return };
    let directory = tempfile::tempdir().expect("temporary directory");
    let file = directory.path().join("k.hsaco");
    std::fs::write(&file, &linked.images[0].bytes).expect("written");
    let output = std::process::Command::new(readelf).arg("--notes").arg(&file).output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.matches("NT_AMDGPU_METADATA").count(), 1, "{text}");
    assert_eq!(text.matches(".symbol:").count(), 2, "{text}");
    assert!(
        text.contains("first.kd") && text.contains("second.kd") && text.contains("amdgcn-amd-amdhsa--gfx942"),
        "{text}"
    );
}

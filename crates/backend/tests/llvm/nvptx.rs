//! PTX for every architecture, joined, and assembled where ptxas is at hand.

use fornax_backend::{BackendError, CubinPolicy, LinkOptions, Linked, Tools, link};
use fornax_targets::nvidia::NVIDIA_LLVM_CPUS;
use fornax_targets::{Backend, ImageKind, Target};

use super::kernels::gpu_sine;
use super::{compile, target, tools};

fn two_kernels(target: &Target, tools: &Tools, cubin: CubinPolicy) -> Result<Linked, BackendError> {
    let kernels =
        [compile(target, "first", gpu_sine("first", true)), compile(target, "second", gpu_sine("second", true))];
    link(target, &kernels, tools, &LinkOptions { cubin })
}

#[test]
fn every_architecture_llvm_knows_gives_ptx_of_its_own() {
    for (name, _) in NVIDIA_LLVM_CPUS {
        let target = target(Backend::Cuda, name);
        let ptx = compile(&target, "sine", gpu_sine("sine", true)).bytes;
        let ptx = String::from_utf8(ptx).expect("PTX is text");
        let version = target.ptx_version.expect("CUDA");
        assert!(ptx.contains(&format!(".version {}.{}\n", version / 10, version % 10)), "{name}");
        assert!(ptx.contains(&format!(".target {name}\n")), "{name}");
        assert!(ptx.contains(".entry sine("), "{name}");
    }
}

#[test]
fn memory_is_accessed_in_sixteen_bytes_and_arithmetic_is_not_contracted() {
    for name in ["sm_35", "sm_60", "sm_80", "sm_90"] {
        let ptx = compile(&target(Backend::Cuda, name), "sine", gpu_sine("sine", true)).bytes;
        let ptx = String::from_utf8(ptx).expect("PTX is text");
        let loads = [".v4.f32", ".v4.b32", ".v2.b64"].iter().any(|form| ptx.contains(&format!("ld.global.nc{form}")));
        let stores = [".v4.f32", ".v4.b32"].iter().any(|form| ptx.contains(&format!("st.global{form}")));
        assert!(loads && stores, "{name}:\n{ptx}");
        // A multiplication or addition without a rounding mode may be fused by ptxas.
        assert!(
            ptx.contains("mul.rn.f32") && !ptx.contains("\tmul.f32") && !ptx.contains("\tadd.f32"),
            "{name}:\n{ptx}"
        );
        assert!(!ptx.contains(".ftz"), "{name}: denormals are kept");
    }
}

#[test]
fn joined_ptx_has_one_header_and_both_kernels() {
    let linked = two_kernels(&target(Backend::Cuda, "sm_80"), &Tools::default(), CubinPolicy::IfPossible)
        .expect("PTX needs no tool");
    assert_eq!(linked.images.len(), 1);
    let image = &linked.images[0];
    assert_eq!((image.kind, image.target.as_str()), (ImageKind::Ptx, "sm_80"));
    assert!(!image.bytes.contains(&0));
    let ptx = String::from_utf8_lossy(&image.bytes);
    assert_eq!((ptx.matches(".version").count(), ptx.matches(".entry").count()), (1, 2));
    assert_eq!(
        image.resources.iter().map(|(name, found)| (name.as_str(), found.static_shared_bytes)).collect::<Vec<_>>(),
        [("first", Some(1024)), ("second", Some(1024))]
    );
    assert!(linked.notes.iter().any(|note| note.contains("ptxas")));
    let with_nul = [image.bytes.as_slice(), &[0]].concat();
    let exports = fornax_module::image::check_image(ImageKind::Ptx, &with_nul).expect("a driver can load it");
    assert!(exports.contains("first") && exports.contains("second"));
}

#[test]
fn ptxas_accepts_the_ptx_and_its_numbers_are_read() {
    let tools = tools();
    if tools.ptxas.is_none() {
        eprintln!("skipped: no ptxas in FORNAX_PTXAS or the PATH");
        return;
    }
    let mut assembled = 0;
    for (name, _) in NVIDIA_LLVM_CPUS {
        let linked = two_kernels(&target(Backend::Cuda, name), &tools, CubinPolicy::IfPossible)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let Some(cubin) = linked.images.iter().find(|image| image.kind == ImageKind::Cubin) else {
            assert!(linked.notes.iter().any(|note| note.contains(name)), "{name}: {:?}", linked.notes);
            continue;
        };
        assembled += 1;
        for (kernel, resources) in &cubin.resources {
            assert!(
                resources.registers.is_some_and(|count| (8..=64).contains(&count)),
                "{name} {kernel} {resources:?}"
            );
            assert!(
                resources.static_shared_bytes.is_some_and(|bytes| (1024..=2048).contains(&bytes)),
                "{name} {resources:?}"
            );
            assert_eq!(resources.spill_bytes, Some(0), "{name}");
        }
        fornax_module::image::check_image(ImageKind::Cubin, &cubin.bytes)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert!(assembled >= 5, "ptxas took only {assembled} architectures");
    let sm_35 = two_kernels(&target(Backend::Cuda, "sm_35"), &tools, CubinPolicy::Required);
    assert_eq!(sm_35.expect_err("no ptxas of CUDA 12 or later takes sm_35").code(), "FX0425");
    let sm_90 = target(Backend::Cuda, "sm_90");
    let once = two_kernels(&sm_90, &tools, CubinPolicy::IfPossible).expect("assembled");
    assert_eq!(
        once,
        two_kernels(&sm_90, &tools, CubinPolicy::IfPossible).expect("assembled"),
        "same input, same bytes"
    );
}

#[test]
fn a_demanded_cubin_without_ptxas_is_an_error() {
    let error =
        two_kernels(&target(Backend::Cuda, "sm_90"), &Tools::default(), CubinPolicy::Required).expect_err("no ptxas");
    assert_eq!(error.code(), "FX0424");
}

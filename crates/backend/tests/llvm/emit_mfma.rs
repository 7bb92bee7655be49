//! MFMA, WMMA and dot products: every atom's kernel compiles for the chips that have it, with its instruction, in
//! registers.

use fornax_backend::{CodegenOptions, KernelSource, LinkOptions, compile_one, link};
use fornax_graph::ElementType::{self, Bf16, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, F32, F64, I8, Ui8};
use fornax_kernels::gemm_mma::schedule::MmaSchedule;
use fornax_plan::matrix::{Dot, Lanes, Mfma, Wmma};
use fornax_plan::{KernelPlan, MatrixAtom};
use fornax_targets::Backend;

use super::emit_mma::{product, product_of};
use super::emit_run::emitted;
use super::{target, tools};

/// Atoms with a chip that has them and the instruction as its assembly spells it.
pub(crate) const ATOMS: &[(ElementType, MatrixAtom, &str, &str)] = &[
    (F16, MatrixAtom::Mfma16(Mfma::F16), "gfx908", "v_mfma_f32_16x16x16f16"),
    (F16, MatrixAtom::Mfma32(Mfma::F16), "gfx90a", "v_mfma_f32_32x32x8f16"),
    (F16, MatrixAtom::Mfma16(Mfma::F16Wide), "gfx950", "v_mfma_f32_16x16x32_f16"),
    (F16, MatrixAtom::Mfma32(Mfma::F16Wide), "gfx950", "v_mfma_f32_32x32x16_f16"),
    (Bf16, MatrixAtom::Mfma16(Mfma::Bf16), "gfx908", "v_mfma_f32_16x16x8bf16"),
    (Bf16, MatrixAtom::Mfma32(Mfma::Bf16), "gfx908", "v_mfma_f32_32x32x4bf16"),
    (Bf16, MatrixAtom::Mfma16(Mfma::Bf16K1), "gfx90a", "v_mfma_f32_16x16x16bf16_1k"),
    (Bf16, MatrixAtom::Mfma32(Mfma::Bf16K1), "gfx942", "v_mfma_f32_32x32x8_bf16"),
    (Bf16, MatrixAtom::Mfma16(Mfma::Bf16Wide), "gfx950", "v_mfma_f32_16x16x32_bf16"),
    (Bf16, MatrixAtom::Mfma32(Mfma::Bf16Wide), "gfx950", "v_mfma_f32_32x32x16_bf16"),
    (F32, MatrixAtom::Mfma16(Mfma::F32), "gfx908", "v_mfma_f32_16x16x4f32"),
    (F32, MatrixAtom::Mfma32(Mfma::F32), "gfx942", "v_mfma_f32_32x32x2_f32"),
    (F32, MatrixAtom::Mfma16(Mfma::Xf32), "gfx942", "v_mfma_f32_16x16x8_xf32"),
    (F32, MatrixAtom::Mfma32(Mfma::Xf32), "gfx942", "v_mfma_f32_32x32x4_xf32"),
    (F64, MatrixAtom::Mfma16(Mfma::F64), "gfx90a", "v_mfma_f64_16x16x4f64"),
    (I8, MatrixAtom::Mfma16(Mfma::I8), "gfx908", "v_mfma_i32_16x16x16i8"),
    (I8, MatrixAtom::Mfma32(Mfma::I8), "gfx90a", "v_mfma_i32_32x32x8i8"),
    (I8, MatrixAtom::Mfma16(Mfma::I8Wide), "gfx942", "v_mfma_i32_16x16x32_i8"),
    (I8, MatrixAtom::Mfma32(Mfma::I8Wide), "gfx950", "v_mfma_i32_32x32x16_i8"),
    (I8, MatrixAtom::Mfma16(Mfma::I8Wider), "gfx950", "v_mfma_i32_16x16x64_i8"),
    (I8, MatrixAtom::Mfma32(Mfma::I8Wider), "gfx950", "v_mfma_i32_32x32x32_i8"),
    (F8E4M3FNUZ, MatrixAtom::Mfma16(Mfma::F8Fnuz), "gfx942", "v_mfma_f32_16x16x32_fp8_fp8"),
    (F8E5M2FNUZ, MatrixAtom::Mfma32(Mfma::F8Fnuz), "gfx942", "v_mfma_f32_32x32x16_bf8_bf8"),
    (F8E5M2, MatrixAtom::Mfma16(Mfma::F8), "gfx950", "v_mfma_f32_16x16x32_bf8_bf8"),
    (F8E4M3FN, MatrixAtom::Mfma32(Mfma::F8), "gfx950", "v_mfma_f32_32x32x16_fp8_fp8"),
    (F8E4M3FN, MatrixAtom::Mfma16(Mfma::F8Wide), "gfx950", "v_mfma_f32_16x16x128_f8f6f4"),
    (F8E5M2, MatrixAtom::Mfma32(Mfma::F8Wide), "gfx950", "v_mfma_f32_32x32x64_f8f6f4"),
    (F16, MatrixAtom::Wmma3(Wmma::F16), "gfx1100", "v_wmma_f32_16x16x16_f16"),
    (Bf16, MatrixAtom::Wmma3(Wmma::Bf16), "gfx1151", "v_wmma_f32_16x16x16_bf16"),
    (I8, MatrixAtom::Wmma3(Wmma::I8), "gfx1100", "v_wmma_i32_16x16x16_iu8"),
    (F16, MatrixAtom::Wmma4(Wmma::F16), "gfx1200", "v_wmma_f32_16x16x16_f16"),
    (Bf16, MatrixAtom::Wmma4(Wmma::Bf16), "gfx1201", "v_wmma_f32_16x16x16_bf16"),
    (I8, MatrixAtom::Wmma4(Wmma::I8), "gfx1200", "v_wmma_i32_16x16x16_iu8"),
    (F8E5M2, MatrixAtom::Wmma4(Wmma::F8), "gfx1200", "v_wmma_f32_16x16x16_bf8_bf8"),
    (F16, MatrixAtom::Dot64(Dot::F16), "gfx906", "v_dot2_f32_f16"),
    (I8, MatrixAtom::Dot64(Dot::I8), "gfx906", "v_dot4_i32_i8"),
    (Ui8, MatrixAtom::Dot64(Dot::Ui8), "gfx908", "v_dot4_u32_u8"),
    (F16, MatrixAtom::Dot32(Dot::F16), "gfx1030", "v_dot2c_f32_f16"),
    (I8, MatrixAtom::Dot32(Dot::I8), "gfx1011", "v_dot4c_i32_i8"),
    (Ui8, MatrixAtom::Dot32(Dot::Ui8), "gfx1030", "v_dot4_u32_u8"),
];

/// Atoms that take two formats, in both mixed orders.
pub(crate) const MIXED: &[([ElementType; 2], MatrixAtom, &str, &str)] = &[
    ([F8E4M3FNUZ, F8E5M2FNUZ], MatrixAtom::Mfma32(Mfma::F8Fnuz), "gfx942", "v_mfma_f32_32x32x16_fp8_bf8"),
    ([F8E5M2FNUZ, F8E4M3FNUZ], MatrixAtom::Mfma16(Mfma::F8Fnuz), "gfx942", "v_mfma_f32_16x16x32_bf8_fp8"),
    ([F8E4M3FN, F8E5M2], MatrixAtom::Mfma16(Mfma::F8), "gfx950", "v_mfma_f32_16x16x32_fp8_bf8"),
    ([F8E5M2, F8E4M3FN], MatrixAtom::Mfma32(Mfma::F8), "gfx950", "v_mfma_f32_32x32x16_bf8_fp8"),
    ([F8E4M3FN, F8E5M2], MatrixAtom::Mfma32(Mfma::F8Wide), "gfx950", "v_mfma_f32_32x32x64_f8f6f4"),
    ([F8E5M2, F8E4M3FN], MatrixAtom::Mfma16(Mfma::F8Wide), "gfx950", "v_mfma_f32_16x16x128_f8f6f4"),
    ([F8E4M3FN, F8E5M2], MatrixAtom::Wmma4(Wmma::F8), "gfx1200", "v_wmma_f32_16x16x16_fp8_bf8"),
    ([F8E5M2, F8E4M3FN], MatrixAtom::Wmma4(Wmma::F8), "gfx1201", "v_wmma_f32_16x16x16_bf8_fp8"),
];

/// Every atom with its operands' types.
pub(crate) fn all_atoms() -> impl Iterator<Item = ([ElementType; 2], MatrixAtom, &'static str, &'static str)> {
    let equal = ATOMS.iter().map(|&(element, atom, chip, name)| ([element; 2], atom, chip, name));
    equal.chain(MIXED.iter().copied())
}

/// Steps of a block: two instructions', or 16 bytes of each plane's.
pub(crate) fn steps(atom: MatrixAtom) -> i64 {
    i64::from((2 * atom.row().shape[2]).max(64 / atom.bytes()))
}

/// The plan with a tile of 64 × 64 by two by two waves.
pub(crate) fn with(plan: &KernelPlan, atom: MatrixAtom) -> KernelPlan {
    let steps = steps(atom) as u32;
    let schedule =
        MmaSchedule { atom, rows: 64, columns: 64, steps, down: 2, across: 2, stages: 2, group: 4, ahead: false };
    assert!(schedule.is_consistent(), "{schedule:?}");
    plan.with_schedule(schedule)
}

#[test]
fn atoms_on_their_chips() {
    for (elements, atom, chip, instruction) in all_atoms() {
        for transposed in [[false, false], [true, true]] {
            let plan = with(&product_of(elements, (2, 130, 72, 67), transposed), atom);
            let target = target(Backend::Rocm, chip);
            let source = KernelSource { name: "kernel".into(), mlir: emitted(&plan, "kernel", &target).mlir };
            let binary =
                compile_one(&target, &source, CodegenOptions::KEEP).unwrap_or_else(|error| panic!("{atom:?}: {error}"));
            let assembly = &binary.intermediates.as_ref().expect("asked for").assembly;
            // Some chips spell the same instruction with an underscore more.
            let plain = |text: &str| text.replace('_', "");
            assert!(plain(assembly).contains(&plain(instruction)), "{atom:?} on {chip}: no {instruction}");
            let linked = link(&target, &[binary], &tools(), &LinkOptions::default()).expect("links");
            let resources = &linked.images[0].resources[0].1;
            assert_eq!((resources.spill_bytes, resources.scratch_bytes), (Some(0), Some(0)), "{atom:?} on {chip}");
        }
    }
}

#[test]
fn every_chunked_atom_is_tried() {
    for row in
        fornax_plan::matrix::ATOMS.iter().filter(|row| row.lanes != Lanes::Quads && row.atom != MatrixAtom::F16K4)
    {
        assert!(ATOMS.iter().any(|(_, atom, ..)| *atom == row.atom), "{}", row.name);
    }
}

/// Lanes read whole chunks, of the two blocks of a round, and operands whose outputs are contiguous are transposed on
/// the way to shared memory.
#[test]
fn shared_memory_is_read_sixteen_bytes_at_a_time() {
    for transposed in [[false, false], [true, true], [false, true]] {
        let plan = with(&product(Bf16, (1, 128, 128, 64), transposed), MatrixAtom::Mfma32(Mfma::Bf16K1));
        let target = target(Backend::Rocm, "gfx90a");
        let mlir = emitted(&plan, "kernel", &target).mlir;
        let shared_loads: Vec<&str> = mlir
            .lines()
            .filter(|line| line.contains("llvm.load") && line.contains("ptr<3> -> vector<4xi32>"))
            .collect();
        assert_eq!(shared_loads.len(), 2 * 2 * 2, "{transposed:?}");
    }
}

/// Blocks are read by buffer resource, at a distance in a scalar register; buffers of 4 GiB and more have whole
/// addresses.
#[test]
fn memory_is_read_by_resource_where_it_can_be() {
    let target = target(Backend::Rocm, "gfx90a");
    for (batch, by_resource) in [(1, true), (1 << 19, false)] {
        let plan = product(Bf16, (batch, 128, 128, 64), [false, false]);
        let mlir = emitted(&with(&plan, MatrixAtom::Mfma32(Mfma::Bf16K1)), "kernel", &target).mlir;
        let whole = mlir.lines().any(|line| line.contains("llvm.load") && line.contains("ptr<1> -> vector<8x"));
        assert_eq!((mlir.contains("rocdl.raw.ptr.buffer.load"), whole), (by_resource, !by_resource), "{batch}");
    }
}

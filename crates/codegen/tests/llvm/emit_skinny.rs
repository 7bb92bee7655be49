//! Contractions with few outputs on one side, compiled for GPUs.

use fornax_graph::ElementType::{self, Bf16, F16, F32, I8, I32};
use fornax_plan::{Body, KernelPlan, Precision, Schedule, SkinnySchedule, Store};

use super::emit_plans::Maker;
use super::emit_run::{compile_for, compile_for_gpus};
use fornax_targets::Backend;

/// [m, k]·[k, n], or [m, k]·[n, k]ᵀ, in loads of `lanes` and blocks of `tile`, by `across` × `down` threads.
fn product(
    (element, wide): (ElementType, ElementType),
    (m, n, k): (i64, i64, i64),
    inside: bool,
    [lanes, tile, depth, across, down]: [u32; 5],
) -> KernelPlan {
    let mut maker = Maker::default();
    let (i, j, p) = (maker.var(m), maker.var(n), maker.var(k));
    let (a, b) = (maker.input(element, m * k), maker.input(element, n * k));
    let output = maker.output(wide, m * n);
    let left = maker.load_at(a, &[(i, k), (p, 1)]);
    let right = if inside { maker.load_at(b, &[(j, k), (p, 1)]) } else { maker.load_at(b, &[(p, n), (j, 1)]) };
    let (lhs, rhs) = (maker.exprs.convert(wide, left), maker.exprs.convert(wide, right));
    let value = maker.reduced(0, wide);
    let offset = maker.at(&[(i, n), (j, 1)]);
    let stores = vec![Store { buffer: output, offset, value }];
    let body =
        Body::Contraction { reduction: vec![p], lhs, rhs, accumulator: wide, precision: Precision::Ieee, stores };
    let (short, long) = (vec![i], vec![j]);
    let (batch, long_is_lhs) = (Vec::new(), false);
    let schedule =
        SkinnySchedule { batch, short, long, long_is_lhs, lanes, inside, tile, depth, across, down, matrix: false };
    maker.plan(vec![i, j], body, Schedule::Skinny(schedule))
}

#[test]
fn the_long_operand_is_read_in_wide_loads() {
    let along_columns = product((Bf16, F32), (2, 4096, 1024), false, [8, 2, 4, 8, 32]);
    let ptx = compile_for_gpus(&along_columns);
    assert!(ptx.matches("ld.global.nc.v4").count() >= 8, "{ptx}");
    assert!(ptx.contains("shfl.sync.bfly"), "{ptx}");
    let inside = product((Bf16, F32), (2, 4096, 1024), true, [8, 2, 2, 4, 32]);
    let ptx = compile_for_gpus(&inside);
    assert!(ptx.matches("ld.global.nc.v4").count() >= 4, "{ptx}");
}

#[test]
fn odd_sizes_are_guarded() {
    for (shape, inside, numbers) in [
        ((3, 77, 1001), true, [1, 2, 2, 2, 64]),
        ((5, 130, 513), false, [2, 1, 8, 4, 32]),
        ((1, 1, 1000), true, [8, 1, 1, 1, 256]),
        ((7, 33, 24), false, [1, 8, 1, 32, 4]),
    ] {
        for types in [(F32, F32), (I8, I32)] {
            compile_for_gpus(&product(types, shape, inside, numbers));
        }
    }
}

#[test]
fn matrix_instructions_take_the_long_operand_from_memory() {
    for (element, inside, tile) in [(Bf16, true, 2), (F16, true, 1), (Bf16, false, 1), (F16, false, 1)] {
        let mut plan = product((element, F32), (7, 200, 96), inside, [8, tile, 2, 2, 4]);
        if let Schedule::Skinny(s) = &mut plan.schedule {
            s.matrix = true;
        }
        let ptx = compile_for(&plan, Backend::Cuda, "sm_80");
        let ptx = String::from_utf8_lossy(&ptx);
        assert!(ptx.contains("mma.sync.aligned.m16n8k16") && ptx.contains("ld.global.nc.v4"), "{ptx}");
    }
}

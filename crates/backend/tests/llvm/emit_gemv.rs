//! Contractions with few outputs on one side, compiled for GPUs.

use fornax_graph::ElementType::{Bf16, F16, F32, I8, I32};
use fornax_targets::Backend;

use super::emit_run::{compile_for, compile_for_gpus};
use super::ordered_plans::{GemvWay, gemv};

#[test]
fn the_long_operand_is_read_in_wide_loads() {
    let along_columns =
        gemv((Bf16, F32), (2, 4096, 1024), GemvWay { inside: false, matrix: false, numbers: [8, 2, 4, 8, 32] });
    let ptx = compile_for_gpus(&along_columns);
    assert!(ptx.matches("ld.global.nc.v4").count() >= 8, "{ptx}");
    assert!(ptx.contains("shfl.sync.bfly"), "{ptx}");
    let inside = gemv((Bf16, F32), (2, 4096, 1024), GemvWay { inside: true, matrix: false, numbers: [8, 2, 2, 4, 32] });
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
            compile_for_gpus(&gemv(types, shape, GemvWay { inside, matrix: false, numbers }));
        }
    }
}

#[test]
fn matrix_instructions_take_the_long_operand_from_memory() {
    for (element, inside, tile) in [(Bf16, true, 2), (F16, true, 1), (Bf16, false, 1), (F16, false, 1)] {
        let plan = gemv((element, F32), (7, 200, 96), GemvWay { inside, matrix: true, numbers: [8, tile, 2, 2, 4] });
        let ptx = compile_for(&plan, Backend::Cuda, "sm_80");
        let ptx = String::from_utf8_lossy(&ptx);
        assert!(ptx.contains("mma.sync.aligned.m16n8k16") && ptx.contains("ld.global.nc.v4"), "{ptx}");
    }
}

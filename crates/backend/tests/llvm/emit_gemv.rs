//! Contractions with few outputs on one side, compiled for GPUs; with weights in blocks, run on the CPU.

use fornax_graph::ElementType::{Bf16, F16, F32, I8, I32, Ui8};
use fornax_kernels::gemv::cpu;
use fornax_plan::{Binary, Body, KernelPlan, Precision, Store};
use fornax_targets::{Backend, Target};

use super::emit_plans::{Maker, Random, tile};
use super::emit_run::{check, compile_for, compile_for_gpus};
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

/// x `[rows, steps]` by weights of 4 bits, `[columns, supers, blocks, 16]` bytes in ui8, with a scale and an offset for
/// each block in f16.
fn blocks(rows: i64, columns: i64, [supers, blocks]: [i64; 2]) -> KernelPlan {
    let mut maker = Maker::default();
    let [i, j, s, b, lane] = [rows, columns, supers, blocks, 16].map(|extent| maker.var(extent));
    let (all, steps) = (supers * blocks, supers * blocks * 16);
    let (x, bytes) = (maker.input(F32, rows * steps), maker.input(Ui8, columns * steps));
    let (scales, offsets) = (maker.input(F16, columns * all), maker.input(F16, columns * all));
    let output = maker.output(F32, rows * columns);
    let lhs = maker.load_at(x, &[(i, steps), (s, blocks * 16), (b, 16), (lane, 1)]);
    let byte = maker.load_at(bytes, &[(j, steps), (s, blocks * 16), (b, 16), (lane, 1)]);
    let [mask, eight] = [maker.constant(Ui8, 15), maker.constant(F32, 8f32.to_bits().into())];
    let number = maker.exprs.binary(Binary::And, byte, mask);
    let number = maker.exprs.convert(F32, number);
    let number = maker.exprs.binary(Binary::Subtract, number, eight);
    let [scale, offset] = [scales, offsets].map(|buffer| {
        let half = maker.load_at(buffer, &[(j, all), (s, blocks), (b, 1)]);
        maker.exprs.convert(F32, half)
    });
    let rhs = maker.exprs.binary(Binary::Multiply, number, scale);
    let rhs = maker.exprs.binary(Binary::Add, rhs, offset);
    let value = maker.reduced(0, F32);
    let offset = maker.at(&[(i, columns), (j, 1)]);
    let stores = vec![Store { buffer: output, offset, value }];
    let reduction = vec![s, b, lane];
    let body = Body::Contraction { reduction, lhs, rhs, accumulator: F32, precision: Precision::Ieee, stores };
    maker.plan(vec![i, j], body, tile(None, &[], 1))
}

/// Scales and offsets are computed ahead, vectors of blocks at a time: 16, 8 and fewer, of one column and of four.
#[test]
fn blocks_meet_what_is_computed_ahead() {
    let mut random = Random(53);
    for (rows, columns, of_column) in [(1, 8, [1, 18]), (1, 3, [1, 7]), (2, 12, [3, 16]), (3, 4, [2, 33])] {
        let plan = blocks(rows, columns, of_column);
        let read = plan.buffers.iter().take(plan.buffers.len() - 1);
        let inputs: Vec<_> = read.map(|buffer| random.small(buffer.element, buffer.elements as usize)).collect();
        for name in ["x86-64-v3", "x86-64-v4"] {
            let target = Target::from_spec(&format!("cpu:{name}")).unwrap();
            let schedule = cpu::choose(&plan, &target).unwrap_or_else(|why| panic!("{why:?}"));
            let plan = plan.with_schedule(schedule.clone());
            let bytes = of_column.iter().product::<i64>() * i64::from(schedule.columns) * 4 * 2;
            assert_eq!(i64::from(plan.scratch_bytes()), bytes, "f32 of each scale and offset of a tile");
            if name == "x86-64-v3" || std::arch::is_x86_feature_detected!("avx512f") {
                check(&plan, name, &inputs, 2000.0);
            }
        }
    }
}

//! Loops whose loads and stores run along different variables.

use fornax_graph::ElementType;
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_kernels::transpose::schedule::TransposeSchedule;
use fornax_plan::{Binary, Body, KernelPlan, Schedule, Store, VarId};

use super::emit_plans::{Maker, Random};
use super::emit_run::{check, compile_for_gpus};

use ElementType::{Bf16, F32};

/// out[i, j] = a[j, i] + b[i, j] over [rows, columns].
fn transposed_sum(element: ElementType, (rows, columns): (i64, i64), schedule: impl Schedule) -> KernelPlan {
    let mut m = Maker::default();
    let (i, j) = (m.var(rows), m.var(columns));
    let (a, b) = (m.input(element, rows * columns), m.input(element, rows * columns));
    let output = m.output(element, rows * columns);
    let a = m.load_at(a, &[(j, rows), (i, 1)]);
    let b = m.load_at(b, &[(i, columns), (j, 1)]);
    let value = m.exprs.binary(Binary::Add, a, b);
    let offset = m.at(&[(i, columns), (j, 1)]);
    m.plan(vec![i, j], Body::Loop { stores: vec![Store { buffer: output, offset, value }] }, schedule)
}

fn exchange(lanes: (u32, u32), (height, width): (u32, u32)) -> TransposeSchedule {
    let (load_lanes, store_lanes) = lanes;
    TransposeSchedule {
        along: VarId(0),
        load_lanes,
        store_lanes,
        height,
        width,
        threads: 256,
        phase: 1,
        load_run: 1,
        store_run: 1,
    }
}

#[test]
fn rectangles_on_gpus_and_strides_on_the_cpu() {
    let mut random = Random(13);
    let shape = (64, 96);
    let inputs = [random.small(F32, 64 * 96), random.small(F32, 64 * 96)];
    for vector in [1, 4] {
        let cpu = LoopSchedule { vector, threads: 1, items_per_thread: 64 };
        check(&transposed_sum(F32, shape, cpu), "x86-64-v3", &inputs, 0.0);
    }
    let ptx = compile_for_gpus(&transposed_sum(F32, shape, exchange((4, 4), (64, 32))));
    assert!(ptx.contains("st.global.v4") && ptx.contains("ld.global.nc.v4"), "{ptx}");
    assert!(!ptx.contains("bra"), "the rectangles need no guards: {ptx}");
    // 63 rows are no multiple of a rectangle's: its edge is guarded.
    assert!(compile_for_gpus(&transposed_sum(F32, (63, 96), exchange((1, 4), (64, 32)))).contains("bra"));
}

/// Squares that overlap at both ends, in every width, fewer items than squares and more.
#[test]
fn odd_extents_turn_in_registers() {
    let mut random = Random(17);
    for element in [F32, Bf16, ElementType::F64, ElementType::I8] {
        for (rows, columns) in [(63, 37), (8, 16), (17, 130)] {
            let inputs = [0; 2].map(|_| random.small(element, (rows * columns) as usize));
            for (vector, items_per_thread) in [(8, 3), (1, 1000)] {
                let plan =
                    transposed_sum(element, (rows, columns), LoopSchedule { vector, threads: 1, items_per_thread });
                check(&plan, "x86-64-v3", &inputs, 0.0);
            }
        }
    }
}

#[test]
fn bf16_rounds_by_instruction_where_there_is_one() {
    let ptx = compile_for_gpus(&transposed_sum(Bf16, (128, 128), exchange((8, 8), (64, 64))));
    assert!(ptx.contains("cvt.rn.bf16"), "{ptx}");
}

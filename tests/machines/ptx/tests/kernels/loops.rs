//! Loops, plain and through shared memory.

use fornax_graph::ElementType::{self, Bf16, F16, F32, F64, I8, I32};
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_kernels::transpose::schedule::TransposeSchedule;
use fornax_plan::{Access, Body, KernelPlan, Node, Store, VarId};

use super::emit_plans::{Maker, Random};
use super::run::{check, text};
use super::samples::{transposed, transposed_sum};

fn inputs(random: &mut Random, plan: &fornax_plan::KernelPlan) -> Vec<Vec<u8>> {
    let read = plan.buffers.iter().filter(|b| b.access == Access::Read);
    read.map(|b| random.small(b.element, b.elements as usize)).collect()
}

#[test]
fn transposed_sums_of_odd_and_even_shapes() {
    let mut random = Random(13);
    let elements: [ElementType; 6] = [F32, Bf16, F16, F64, I8, I32];
    for (seed, element) in elements.into_iter().enumerate() {
        for shape in [(64, 96), (1, 7), (33, 129), (128, 32), (63, 64)] {
            for schedule in [
                LoopSchedule { vector: 1, threads: 256, items_per_thread: 4 },
                LoopSchedule { vector: 4, threads: 256, items_per_thread: 1 },
                LoopSchedule { vector: 2, threads: 64, items_per_thread: 2 },
            ] {
                let plan = transposed_sum(element, shape, schedule);
                let given = inputs(&mut random, &plan);
                for device in ["sm_60", "sm_90"] {
                    check(&plan, device, &given, 1.0, seed as u64);
                }
            }
        }
    }
}

#[test]
fn a_crossed_loop_moves_each_byte_once_in_whole_sectors() {
    let mut random = Random(17);
    let plan = transposed_sum(F32, (64, 96), rectangles((4, 4), (64, 32)));
    let given = inputs(&mut random, &plan);
    let report = check(&plan, "sm_90", &given, 0.0, 1);
    let bytes = 64 * 96 * 4;
    assert_eq!(report.traffic, [(bytes, 0), (bytes, 0), (0, bytes)]);
    for site in &report.sites {
        assert_eq!(site.turns, site.least, "{site:?}");
    }
}

fn rectangles((load_lanes, store_lanes): (u32, u32), (height, width): (u32, u32)) -> TransposeSchedule {
    TransposeSchedule {
        along: VarId(0),
        load_lanes,
        store_lanes,
        height,
        width,
        threads: 64,
        phase: 1,
        load_run: 1,
        store_run: 1,
    }
}

#[test]
fn rectangles_of_any_shape_pass_through_shared_memory() {
    let mut random = Random(23);
    let cases = [
        (F32, (64, 96), (4, 4), (64, 32)),
        (F32, (63, 70), (1, 2), (32, 64)),
        (F32, (36, 33), (4, 1), (64, 64)),
        (Bf16, (128, 72), (8, 8), (64, 64)),
        (Bf16, (33, 129), (1, 1), (64, 64)),
        (F16, (40, 64), (8, 8), (32, 64)),
        (F64, (34, 30), (2, 2), (32, 32)),
        (I8, (64, 48), (16, 16), (64, 64)),
        (I32, (5, 7), (1, 1), (8, 8)),
    ];
    for (seed, (element, shape, lanes, sides)) in cases.into_iter().enumerate() {
        let plan = transposed_sum(element, shape, rectangles(lanes, sides));
        let given = inputs(&mut random, &plan);
        for device in ["sm_60", "sm_90"] {
            check(&plan, device, &given, 1.0, seed as u64);
        }
    }
}

#[test]
fn odd_extents_are_shifted_to_whole_vectors() {
    let mut random = Random(29);
    for (seed, (element, lanes, phase)) in
        [(F32, 4, 8), (Bf16, 8, 16), (I8, 16, 32), (F64, 2, 4)].into_iter().enumerate()
    {
        for (height, width) in [(64, 64), (32, 96)] {
            for shape in [(63, 71), (129, 65), (31, 200), (7, 1001)] {
                let s = TransposeSchedule {
                    along: VarId(0),
                    load_lanes: lanes,
                    store_lanes: lanes,
                    height,
                    width,
                    threads: 64,
                    phase,
                    load_run: 1,
                    store_run: 1,
                };
                let plan = transposed(element, shape, s);
                let given = inputs(&mut random, &plan);
                check(&plan, "sm_90", &given, 0.0, seed as u64);
            }
        }
    }
}

#[test]
fn a_short_odd_extent_is_a_run_of_vectors() {
    let mut random = Random(31);
    for (seed, (element, run)) in [(F32, 4), (Bf16, 8), (I8, 16), (F64, 2)].into_iter().enumerate() {
        for short in [3, 5, 31] {
            // Whole rectangles, the last one sticking out, fewer vectors than threads.
            for (long, side, threads) in [(256, 64, 64), (208, 64, 64), (48, 64, 128)] {
                for load in [true, false] {
                    let (rows, columns) = if load { (short, long) } else { (long, short) };
                    let s = TransposeSchedule {
                        along: VarId(0),
                        load_lanes: if load { 1 } else { run },
                        store_lanes: if load { run } else { 1 },
                        height: if load { short as u32 } else { side },
                        width: if load { side } else { short as u32 },
                        threads,
                        phase: 1,
                        load_run: if load { run } else { 1 },
                        store_run: if load { 1 } else { run },
                    };
                    let plan = transposed(element, (rows, columns), s);
                    let given = inputs(&mut random, &plan);
                    let report = check(&plan, "sm_90", &given, 0.0, seed as u64);
                    let bytes = (short * long) as u64 * element.storage_bytes() as u64;
                    assert_eq!(report.traffic[1], (0, bytes), "every byte is stored once");
                }
            }
        }
    }
}

#[test]
fn operands_of_shifted_rectangles_are_kept_in_the_cache() {
    let mut random = Random(37);
    let s = TransposeSchedule {
        along: VarId(0),
        load_lanes: 4,
        store_lanes: 4,
        height: 64,
        width: 64,
        threads: 64,
        phase: 8,
        load_run: 1,
        store_run: 1,
    };
    let plan = transposed(F32, (129, 65), s);
    let given = inputs(&mut random, &plan);
    // Before PTX 7.4 there are no policies.
    for (device, policies) in [("sm_80", false), ("sm_90", true), ("sm_120", true)] {
        assert_eq!(text(&plan, device).contains("L2::evict_last"), policies, "{device}");
        check(&plan, device, &given, 0.0, 1);
    }
}

/// Rows of 16 elements: the first `cut` of one buffer, then those of another.
fn concatenated(rows: i64, cut: i64, schedule: LoopSchedule) -> KernelPlan {
    let mut m = Maker::default();
    let (row, column) = (m.var(rows), m.var(16));
    let (first, second, output) = (m.input(F32, rows * cut), m.input(F32, rows * (16 - cut)), m.output(F32, rows * 16));
    let index = m.at(&[(column, 1)]);
    let [left, right] = [(0, cut), (cut, 16)].map(|(low, high)| m.exprs.add(Node::InRange { index, low, high }));
    let here = m.at(&[(row, cut), (column, 1)]);
    let there = m.at(&[(row, 16 - cut), (column, 1)]);
    let back = m.exprs.indices.constant(-cut);
    let there = m.exprs.indices.add(there, back);
    let load = |buffer, offset, mask| Node::Load { buffer, element: F32, offset, mask: Some(mask) };
    let a = m.exprs.add(load(first, here, left));
    let b = m.exprs.add(load(second, there, right));
    let value = m.exprs.add(Node::Select { condition: left, a, b });
    let stores = vec![Store { buffer: output, offset: m.at(&[(row, 16), (column, 1)]), value }];
    m.plan(vec![row, column], Body::Loop { stores }, schedule)
}

#[test]
fn a_vector_on_one_side_of_a_cut_is_one_load() {
    let mut random = Random(17);
    let schedule = LoopSchedule { vector: 4, threads: 32, items_per_thread: 1 };
    for (cut, is_whole) in [(8, true), (4, true), (6, false)] {
        let plan = concatenated(33, cut, schedule);
        let scalars = text(&plan, "sm_90").contains("-> f32");
        assert_eq!(scalars, !is_whole, "cut at {cut}");
        check(&plan, "sm_90", &inputs(&mut random, &plan), 0.0, 5);
    }
}

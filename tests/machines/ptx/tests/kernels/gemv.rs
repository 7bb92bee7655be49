//! Contractions with few outputs on one side.

use fornax_graph::ElementType::{self, Bf16, F16, F32, F64, I8, I32};
use fornax_kernels::gemv::schedule::GemvSchedule;
use fornax_plan::KernelPlan;

use super::emit_plans::Random;
use super::ordered_plans::{GemvWay, gemv};
use super::run::check;

fn given(random: &mut Random, element: ElementType, (m, n, k): (i64, i64, i64)) -> [Vec<u8>; 2] {
    [m * k, n * k].map(|count| random.small(element, count as usize))
}

#[test]
fn long_operands_stream_by() {
    let mut random = Random(23);
    for (at, (types, shape, inside, numbers)) in [
        ((F32, F32), (3, 77, 101), true, [1, 2, 2, 2, 64]),
        ((F32, F32), (1, 5, 1000), true, [4, 1, 1, 1, 256]),
        ((Bf16, F32), (7, 33, 72), true, [8, 4, 2, 4, 32]),
        ((F16, F32), (2, 9, 64), true, [8, 8, 1, 32, 4]),
        ((F32, F32), (5, 130, 57), false, [2, 1, 8, 4, 32]),
        ((Bf16, F32), (8, 48, 130), false, [8, 2, 4, 2, 64]),
        ((I8, I32), (4, 64, 36), false, [16, 4, 2, 4, 32]),
        ((F64, F64), (1, 3, 500), false, [1, 2, 4, 1, 128]),
    ]
    .into_iter()
    .enumerate()
    {
        let inputs = given(&mut random, types.0, shape);
        check(&gemv(types, shape, GemvWay { inside, matrix: false, numbers }), "sm_80", &inputs, 400.0, at as u64);
    }
}

#[test]
fn matrix_instructions_read_memory_as_it_lies() {
    let mut random = Random(29);
    for (at, (element, shape, inside, numbers)) in [
        (Bf16, (8, 64, 96), true, [8, 2, 2, 1, 4]),
        (F16, (7, 50, 160), true, [8, 1, 1, 2, 2]),
        (Bf16, (3, 1, 64), true, [8, 1, 2, 1, 4]),
        (Bf16, (8, 128, 80), false, [8, 1, 2, 2, 2]),
        (F16, (5, 200, 48), false, [8, 1, 1, 1, 4]),
        (Bf16, (1, 8, 32), false, [8, 1, 4, 1, 4]),
        (F16, (8, 72, 64), false, [4, 1, 2, 2, 4]),
    ]
    .into_iter()
    .enumerate()
    {
        let inputs = given(&mut random, element, shape);
        check(
            &gemv((element, F32), shape, GemvWay { inside, matrix: true, numbers }),
            "sm_80",
            &inputs,
            400.0,
            at as u64,
        );
    }
}

/// A gemv product whose outputs `cluster` workgroups share.
fn clustered(mut plan: KernelPlan, cluster: u32) -> KernelPlan {
    let gemv = plan.schedule_as::<GemvSchedule>().cloned();
    plan.set_schedule(GemvSchedule { cluster, ..gemv.expect("a GEMV") });
    plan
}

#[test]
fn workgroups_of_a_cluster_share_outputs() {
    let mut random = Random(31);
    for (at, (types, shape, (inside, matrix), numbers, cluster)) in [
        ((F32, F32), (3, 77, 101), (true, false), [1, 2, 2, 2, 64], 2),
        ((Bf16, F32), (1, 5, 1000), (true, false), [8, 1, 1, 1, 32], 8),
        ((Bf16, F32), (8, 48, 130), (false, false), [8, 2, 4, 2, 64], 4),
        ((F64, F64), (2, 3, 500), (false, false), [1, 2, 4, 1, 128], 8),
        ((I8, I32), (4, 64, 36), (false, false), [16, 4, 2, 4, 32], 2),
        ((Bf16, F32), (8, 64, 672), (true, true), [8, 2, 2, 1, 4], 4),
        ((F16, F32), (5, 200, 480), (false, true), [8, 1, 1, 1, 4], 8),
        ((F16, F32), (1, 72, 64), (false, true), [4, 1, 2, 2, 4], 2),
    ]
    .into_iter()
    .enumerate()
    {
        let inputs = given(&mut random, types.0, shape);
        let plan = clustered(gemv(types, shape, GemvWay { inside, matrix, numbers }), cluster);
        check(&plan, "sm_90", &inputs, 400.0, at as u64);
    }
}

#[test]
fn long_operands_come_through_a_ring() {
    let mut random = Random(37);
    for (at, (types, shape, numbers, [cluster, ring])) in [
        // As many groups as parts, fewer, more than are written one after another, blocks left over.
        ((Bf16, F32), (1, 128, 256), [8, 2, 1, 8, 32], [1, 4]),
        ((Bf16, F32), (1, 64, 128), [8, 2, 1, 8, 32], [1, 4]),
        ((F32, F32), (1, 64, 516), [4, 2, 1, 4, 8], [1, 2]),
        ((F16, F32), (3, 48, 900), [8, 2, 2, 2, 16], [1, 4]),
        ((Bf16, F32), (1, 128, 512), [8, 2, 1, 4, 32], [2, 4]),
    ]
    .into_iter()
    .enumerate()
    {
        let inputs = given(&mut random, types.0, shape);
        let mut plan = clustered(gemv(types, shape, GemvWay { inside: false, matrix: false, numbers }), cluster);
        let gemv = plan.schedule_as::<GemvSchedule>().cloned();
        plan.set_schedule(GemvSchedule { ring, ..gemv.expect("a GEMV") });
        // Up to a thousand products that cancel; one that is missing is some 10^5 units.
        check(&plan, "sm_90", &inputs, 4000.0, at as u64);
    }
}

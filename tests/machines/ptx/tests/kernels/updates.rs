//! Updates of a buffer in place: by atomic instructions, and by plain stores to different places.

use fornax_graph::ElementType::{self, Bf16, F32, I32, I64, Ui32, Ui64};
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_kernels::scatter::candidates::points;
use fornax_plan::{Access, Binary, Body, Buffer, KernelPlan, Node, Store, Unscheduled};
use fornax_targets::{Backend, resolve};

use super::emit_plans::{Maker, Random};
use super::run::check;
use super::update_plans::{places, update};

const SCHEDULES: [LoopSchedule; 2] = [
    LoopSchedule { vector: 1, threads: 64, items_per_thread: 4 },
    LoopSchedule { vector: 1, threads: 32, items_per_thread: 1 },
];

#[test]
fn integers_are_combined_in_any_order() {
    let mut random = Random(5);
    for schedule in SCHEDULES {
        for element in [I32, Ui32, I64, Ui64] {
            use Binary::{Add, And, Maximum, Minimum, Or, Xor};
            for (seed, op) in [Add, And, Maximum, Minimum, Or, Xor].into_iter().enumerate() {
                let plan = update(element, (1000, 37), Some(op), schedule);
                let given = [places(1000, 37, false), random.small(element, 1000), random.small(element, 37)];
                check(&plan, "sm_80", &given, 0.0, seed as u64);
            }
        }
    }
}

#[test]
fn different_places_are_set_by_stores() {
    let mut random = Random(7);
    for schedule in SCHEDULES {
        let plan = update(F32, (300, 1000), None, schedule);
        let given = [places(300, 1000, true), random.small(F32, 300), random.small(F32, 1000)];
        check(&plan, "sm_90", &given, 0.0, 3);
    }
}

/// `cache[at[row] · 24 + column] = cache[…] + given[row · 24 + column]` for `rows` rows of places in `0..size`, none of
/// which is there twice.
fn rows(element: ElementType, (rows, size): (i64, i64)) -> KernelPlan {
    const WIDTH: i64 = 24;
    let mut m = Maker::default();
    let (row, column) = (m.var(rows), m.var(WIDTH));
    let (at, given) = (m.input(I32, rows), m.input(element, rows * WIDTH));
    m.buffers.push(Buffer { element, elements: size * WIDTH, access: Access::Update });
    let (place, value) = (m.load_at(at, &[(row, 1)]), m.load_at(given, &[(row, WIDTH), (column, 1)]));
    let bound = |m: &mut Maker, bits: i64| m.constant(I32, bits as u32 as u64);
    let (least, most) = (bound(&mut m, -1), bound(&mut m, size));
    let clamped = m.exprs.binary(Binary::Maximum, place, least);
    let clamped = m.exprs.binary(Binary::Minimum, clamped, most);
    let chosen = m.exprs.indices.value(clamped, -1, size);
    let condition = m.exprs.add(Node::InRange { index: chosen, low: 0, high: size });
    let (first, own) = (m.exprs.indices.scale(chosen, WIDTH), m.at(&[(column, 1)]));
    let offset = m.exprs.indices.add(first, own);
    let old = m.load(2, offset);
    let [old, value] = [old, value].map(|x| m.exprs.convert(F32, x));
    let value = m.exprs.binary(Binary::Add, old, value);
    let value = m.exprs.convert(element, value);
    let stores = vec![Store { buffer: 2, offset, value }];
    m.plan(vec![row, column], Body::Update { condition, combine: None, stores }, Unscheduled)
}

#[test]
fn rows_are_set_in_vectors() {
    let (target, mut random) = (resolve(Backend::Cuda, "sm_90").unwrap().target, Random(11));
    for (element, lanes) in [(F32, 4), (Bf16, 8)] {
        let plan = rows(element, (50, 90));
        let given = [places(50, 90, true), random.small(element, 50 * 24), random.small(element, 90 * 24)];
        let chosen = points(&plan, &target);
        assert_eq!(chosen.vector, lanes);
        let few = LoopSchedule { vector: 2, threads: 32, items_per_thread: 3 };
        for (seed, schedule) in [chosen, few].into_iter().enumerate() {
            check(&plan.with_schedule(schedule), "sm_90", &given, 0.0, seed as u64);
        }
    }
}

//! Updates of a buffer in place: by atomic instructions, and by plain stores to different places.

use fornax_graph::ElementType::{F32, I32, I64, Ui32, Ui64};
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_plan::Binary;

use super::emit_plans::Random;
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

//! Updates of a buffer in place, run on the CPU and compiled for GPUs.

use fornax_graph::ElementType::{F32, I32, I64, Ui32, Ui64};
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_plan::Binary;

use super::emit_plans::Random;
use super::emit_run::{check, compile_for_gpus};
use super::update_plans::{places, update};

#[test]
fn updates_on_the_cpu() {
    let mut random = Random(3);
    let schedule = LoopSchedule { vector: 1, threads: 1, items_per_thread: 128 };
    for element in [I32, Ui32, I64, Ui64] {
        for op in [Binary::Add, Binary::Maximum, Binary::Minimum, Binary::Xor] {
            let plan = update(element, (1000, 37), Some(op), schedule);
            let given = [places(1000, 37, false), random.small(element, 1000), random.small(element, 37)];
            check(&plan, "x86-64", &given, 0.0);
        }
    }
    let plan = update(F32, (300, 1000), None, schedule);
    check(&plan, "x86-64-v3", &[places(300, 1000, true), random.small(F32, 300), random.small(F32, 1000)], 0.0);
}

#[test]
fn atomic_instructions_of_gpus() {
    let schedule = LoopSchedule { vector: 1, threads: 256, items_per_thread: 4 };
    for (op, instruction) in [(Binary::Add, "add.u32"), (Binary::Maximum, "max.s32"), (Binary::And, "and.b32")] {
        let ptx = compile_for_gpus(&update(I32, (100_000, 1000), Some(op), schedule));
        assert!(ptx.lines().any(|l| (l.contains("atom") || l.contains("red")) && l.contains(instruction)), "{ptx}");
    }
}

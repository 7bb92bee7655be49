//! Which kernels may store where an operand lies: those in which one thread reads an element, at its own place, before
//! it stores there.

use fornax_kernels::gemv::cpu::CpuGemvSchedule;
use fornax_kernels::gemv::schedule::GemvSchedule;
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_kernels::scatter::schedule::SegmentSchedule;
use fornax_plan::{Body, KernelPlan, Store};

/// The stores of such a kernel.
pub(super) fn stores_by_element(plan: &KernelPlan) -> Option<&[Store]> {
    match &plan.body {
        Body::Loop { stores } if plan.schedule_as::<LoopSchedule>().is_some() => Some(stores),
        // A thread has its points alone.
        Body::Segment { stores, .. } if plan.schedule_as::<SegmentSchedule>().is_some_and(|s| s.share == 1) => {
            Some(stores)
        }
        // Threads without an output read one of their workgroup's, before it is stored.
        Body::Products(p) if plan.schedule_as::<GemvSchedule>().is_some() => Some(&p.stores),
        Body::Products(p) if plan.schedule_as::<CpuGemvSchedule>().is_some() => Some(&p.stores),
        _ => None,
    }
}

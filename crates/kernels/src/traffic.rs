//! What kernels that mostly move memory cost: loops, transposes, reductions and rows.
//!
//! Cycles of the device are those of its busiest part: bytes from memory, each once; sectors that subgroups touch,
//! through the caches; operations. Threads that wait for each other and for memory, wave after wave, add what does not
//! overlap.
//!
//! Worked example, H200, a transpose of [8192, 8192] f32. As a loop, neighbouring threads load 32 KB apart: 32 bytes of
//! sectors for 4 wanted, 2.1 GB through the caches, 360,000 cycles. As rectangles through shared memory: 4 bytes for 4,
//! one meeting, 537 MB through memory, 203,000 cycles.

use fornax_plan::{IndexId, KernelPlan, NodeId, Schedule, VarId};
use fornax_targets::fitted::traffic::{MEETING, OVERLAP, SECTOR_BYTES, SHARED_ACCESS_BYTES, TRIP};
use fornax_targets::{Target, unit_rates};

use crate::access::{Step, loads, step};

/// What a kernel asks of a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    /// Bytes of the sectors that subgroups touch.
    pub touched: f64,
    pub threads: f64,
    /// Operations of one thread.
    pub work: f64,
    /// Round trips to memory of one thread that wait for one another.
    pub trips: f64,
    /// Cycles in which one thread waits for others.
    pub met: f64,
}

impl Traffic {
    /// Cycles of the device; `None` where its rates are not known.
    pub fn cycles(&self, plan: &KernelPlan, target: &Target) -> Option<f64> {
        let rates = unit_rates(target)?;
        let units = f64::from(target.compute_units.max(1));
        let memory = memory_cycles(plan, target)?;
        let cached = self.touched / units / f64::from(rates.cache_bytes.max(1));
        // A multiply-add is two operations of a rate.
        let issued = self.threads * self.work / units / f64::from(rates.scalar_f32.max(2) / 2);
        let waves = (self.threads / units / f64::from(target.max_threads_per_unit.max(1))).ceil().max(1.0);
        let busy = memory.max(cached).max(issued);
        let waiting = waves * (self.trips.max(1.0) * TRIP + self.met);
        Some(busy.max(waiting) + OVERLAP * busy.min(waiting))
    }
}

/// Cycles in which memory moves the plan's bytes, each once; `None` where the device's rates are not known. No schedule
/// is faster on buffers that the cache does not hold.
pub fn memory_cycles(plan: &KernelPlan, target: &Target) -> Option<f64> {
    let rates = unit_rates(target)?;
    Some(plan.bytes_moved() as f64 / f64::from(target.compute_units.max(1)) / f64::from(rates.memory_bytes.max(1)))
}

/// Cycles for threads of a workgroup to meet so often.
pub fn meetings(times: f64) -> f64 {
    times * MEETING
}

/// Bytes of sectors for all loads and stores where neighbouring threads are neighbours along `near`. Loads that
/// `through_shared` names are fetched in whole sectors whatever their step.
pub fn touched(plan: &KernelPlan, roots: &[NodeId], near: VarId, through_shared: &dyn Fn(IndexId) -> bool) -> f64 {
    let points = |vars: &[VarId]| vars.iter().map(|&v| plan.exprs.indices.extent(v).max(1) as f64).product::<f64>();
    let outputs = points(&plan.domain);
    let folded = points(plan.body.reduction());
    let each = |offset: IndexId, bytes: f64| match step(&plan.exprs, offset, near) {
        _ if through_shared(offset) => bytes,
        Step::Same => SHARED_ACCESS_BYTES,
        Step::By(n) => (n.unsigned_abs() as f64 * bytes).min(SECTOR_BYTES),
        Step::Irregular => SECTOR_BYTES,
    };
    let read = loads(&plan.exprs, roots).into_iter().map(|l| {
        let again =
            if plan.body.reduction().iter().any(|&v| plan.exprs.index_varies(l.offset, v)) { folded } else { 1.0 };
        outputs * again * each(l.offset, l.element.storage_bytes() as f64)
    });
    let stored = plan.body.stores().iter().map(|s| {
        let of_rows = plan.body.reduction().iter().any(|&v| plan.exprs.index_varies(s.offset, v));
        let again = if of_rows { folded } else { 1.0 };
        outputs * again * each(s.offset, plan.exprs.element(s.value).storage_bytes() as f64)
    });
    read.sum::<f64>() + stored.sum::<f64>()
}

/// Names of schedules with their cycles, the cheapest first.
pub fn costs<S: Schedule>(
    plans: Vec<KernelPlan>,
    target: &Target,
    cycles: fn(&KernelPlan, &Target, &S) -> Option<f64>,
) -> Vec<(String, u64)> {
    let named = |plan: KernelPlan| Some((plan.way(), cycles(&plan, target, plan.schedule_as()?)? as u64));
    let mut all: Vec<(String, u64)> = plans.into_iter().filter_map(named).collect();
    all.sort_by_key(|(_, cycles)| *cycles);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example: crossing loads as they are, and through shared memory.
    #[test]
    fn sectors_that_are_mostly_unused_cost() {
        let target = Target::from_spec("cuda:sm_90a").expect("a target");
        let n = 8192.0 * 8192.0;
        let body = fornax_plan::Body::Loop { stores: Vec::new() };
        let none = fornax_plan::Unscheduled;
        let plan = KernelPlan::new(Default::default(), Vec::new(), Vec::new(), body, none, "nothing".into());
        let of = |each: f64, met: f64| {
            let traffic = Traffic { touched: n * each, threads: n / 4.0, work: 4.0, trips: 1.0, met };
            traffic.cycles(&plan, &target).expect("rates")
        };
        assert!(of(36.0, 0.0) > 2.0 * of(8.0, meetings(1.0)));
        // Few threads wait, however few bytes they move.
        let few = Traffic { touched: 1024.0, threads: 256.0, work: 1.0, trips: 4.0, met: 0.0 };
        assert!(few.cycles(&plan, &target).expect("rates") >= 4.0 * TRIP);
        let host = Target::from_spec("cpu:x86-64-v3").expect("a target");
        assert_eq!(few.cycles(&plan, &host), None);
    }
}

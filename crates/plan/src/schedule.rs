//! How a kernel's loops map to the machine, as far as plans, dumps and programs ask: the families of `fornax_kernels`
//! say it.
//!
//! Worked example: 4001×3999 f32 in one variable, the loop schedule of 4 lanes, 256 threads and 2 items:
//! [`Schedule::way`] is `loop vector 4 threads 256 items 2`, [`Schedule::launch`] 7813 workgroups of 256 threads.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::index::{IndexId, VarId};
use crate::kernel::KernelPlan;
use crate::sized::LaunchFormula;

/// Launch grid `[x, y, z]` in workgroups, and threads of a workgroup (1 on CPU).
pub type Launch = ([u64; 3], u32);

/// Names of variables and index expressions in a dump.
pub trait Names {
    fn var(&self, var: VarId) -> String;
    fn index(&self, index: IndexId) -> String;
}

/// A schedule of one family.
pub trait Schedule: Any + Debug + Send + Sync {
    /// In a few words, for people and for tuning locks: schedules of one plan that differ have different names.
    fn way(&self, plan: &KernelPlan) -> String;

    /// In full, for dumps and for telling kernels apart.
    fn text(&self, names: &dyn Names) -> String;

    /// The launch; with sizes known only at run time that of the largest.
    fn launch(&self, plan: &KernelPlan) -> Launch;

    /// The formula of the workgroups of a call, where their number depends on its sizes.
    fn launch_formula(&self, _: &KernelPlan) -> Option<LaunchFormula> {
        None
    }

    /// Items or tiles that one thread works on, one after another.
    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        1
    }

    /// Workgroups of a cluster along x; 1 where there are none.
    fn cluster(&self) -> u32 {
        1
    }

    /// The kernel's workgroups compute more than they wait: two on one multiprocessor take about twice as long.
    fn computes(&self, _: &KernelPlan) -> bool {
        false
    }

    /// Buffers that the kernel starts to read before the kernels that it depends on are over, all of them `given` (by
    /// number): no kernel of a call writes them.
    fn early(&self, _: &KernelPlan, _given: &[bool]) -> Vec<u32> {
        Vec::new()
    }

    /// Buffers that the kernel reads before that, too, though kernels of a call write them: those that are `there` (by
    /// number) when it starts.
    fn settled(&self, _: &KernelPlan, _there: &[bool]) -> Vec<u32> {
        Vec::new()
    }

    /// The same program in workgroups of so many threads, where it can be in such.
    fn of_threads(&self, _: u32) -> Option<Arc<dyn Schedule>> {
        None
    }

    /// Shared memory given at launch, besides what the kernel declares itself (bytes).
    fn dynamic_shared_bytes(&self, _: &KernelPlan) -> u32 {
        0
    }

    /// Scratch that a CPU thread gives the kernel, bytes.
    fn scratch_bytes(&self, _: &KernelPlan) -> u32 {
        0
    }

    /// Variables that neither the domain nor the body has: the schedule binds them.
    fn own_vars(&self) -> Vec<VarId> {
        Vec::new()
    }

    /// Values of [`Schedule::own_vars`] at a point of the domain.
    fn own_values(&self, _: &KernelPlan, _: &dyn Fn(VarId) -> i64) -> Vec<i64> {
        Vec::new()
    }
}

/// A plan that has no schedule yet: one workgroup of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unscheduled;

impl Schedule for Unscheduled {
    fn way(&self, _: &KernelPlan) -> String {
        "none".to_string()
    }

    fn text(&self, _: &dyn Names) -> String {
        "none".to_string()
    }

    fn launch(&self, _: &KernelPlan) -> Launch {
        ([1, 1, 1], 1)
    }
}

impl KernelPlan {
    /// The schedule, if it is of this type.
    pub fn schedule_as<S: Schedule>(&self) -> Option<&S> {
        let any: &dyn Any = self.schedule.as_ref();
        any.downcast_ref()
    }

    /// Gives the plan another schedule.
    pub fn set_schedule(&mut self, schedule: impl Schedule) {
        self.schedule = Arc::new(schedule);
    }

    /// The plan with another schedule.
    pub fn with_schedule(&self, schedule: impl Schedule) -> KernelPlan {
        KernelPlan { schedule: Arc::new(schedule), ..self.clone() }
    }

    /// What the plan computes, without how: no schedule, nor the boxes and early loads that go with one.
    pub fn unscheduled(&self) -> KernelPlan {
        KernelPlan { early: Vec::new(), tensor_maps: Vec::new(), ..self.with_schedule(Unscheduled) }
    }

    /// Whether both plans' schedules say the same of the same variables.
    pub fn is_scheduled_as(&self, other: &KernelPlan) -> bool {
        format!("{:?}", self.schedule) == format!("{:?}", other.schedule)
    }

    /// The schedule in a few words.
    pub fn way(&self) -> String {
        self.schedule.way(self)
    }

    /// Launch grid `[x, y, z]` and threads of a workgroup: the one place where both sides take them from. With sizes
    /// known only at run time the grid of the largest; [`KernelPlan::launch_formula`] is that of a call.
    pub fn launch(&self) -> Launch {
        self.schedule.launch(self)
    }

    /// The formula of the workgroups; `None` where their number is that of [`KernelPlan::launch`] whatever the sizes.
    pub fn launch_formula(&self) -> Option<LaunchFormula> {
        if self.has_static_loops() { None } else { self.schedule.launch_formula(self) }
    }

    /// Items or tiles that one thread works on, one after another.
    pub fn points_per_thread(&self) -> u64 {
        self.schedule.points_per_thread(self)
    }

    /// Workgroups of a cluster along x; 1 where there are none.
    pub fn cluster(&self) -> u32 {
        self.schedule.cluster()
    }

    /// Shared memory given at launch, besides what the kernel declares itself (bytes).
    pub fn dynamic_shared_bytes(&self) -> u32 {
        self.schedule.dynamic_shared_bytes(self)
    }

    /// Scratch that a CPU thread gives the kernel, bytes.
    pub fn scratch_bytes(&self) -> u32 {
        self.schedule.scratch_bytes(self)
    }
}

//! Kernels with their schedules: the main one, those that run before it, and the values that their buffers stand for.

use fornax_plan::{Access, KernelPlan, Node, Schedule};

/// What a buffer of the kernel is: a value of the fusion op, or what the n-th kernel before it prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Operand(usize),
    Result(usize),
    Prepared(usize),
}

/// A kernel that runs before another one and writes one buffer for it: a padded copy of a convolution's input, packed
/// panels of a product's operand.
#[derive(Clone, Debug)]
pub struct Prepare {
    pub plan: KernelPlan,
    /// What it reads; the last buffer is the one it writes, unless it writes results.
    pub bound: Vec<Bound>,
}

impl Prepare {
    /// Bytes of the buffer it writes for the other one alone; 0 where it writes a result.
    pub fn bytes(&self) -> u64 {
        let own = matches!(self.bound.last(), Some(Bound::Prepared(_)));
        self.plan
            .buffers
            .last()
            .filter(|b| own && b.access == Access::Write)
            .map_or(0, |b| b.elements.max(0) as u64 * b.element.storage_bytes() as u64)
    }
}

/// A kernel plan, what runs before it, and the values its buffers stand for.
#[derive(Debug)]
pub struct Scheduled {
    pub plan: KernelPlan,
    /// The same kernel for other calls: which of them runs depends on a size.
    pub others: Vec<KernelPlan>,
    pub bound: Vec<Bound>,
    /// Kernels that run before, in order: `Bound::Prepared(n)` is what the n-th writes.
    pub prepare: Vec<Prepare>,
    /// A way that the tuning lock names and that does not exist.
    pub ignored: Option<String>,
}

/// A lowered group whose main kernel has no schedule yet.
#[derive(Clone, Debug)]
pub struct Ready {
    pub plan: KernelPlan,
    pub bound: Vec<Bound>,
    pub prepare: Vec<Prepare>,
    /// Its reductions are folded in order.
    pub ordered: bool,
    /// Another product of as many outputs reads the same vector, and is launched with it.
    pub is_beside: bool,
}

/// Takes out operands that only gave shapes.
pub fn drop_unused(plan: &mut KernelPlan, bound: Vec<Bound>) -> Vec<Bound> {
    let mut used = vec![false; plan.buffers.len()];
    for &node in &plan.reached().nodes {
        if let Node::Load { buffer, .. } = plan.exprs.node(node) {
            used[*buffer as usize] = true;
        }
    }
    for store in plan.body.stores() {
        used[store.buffer as usize] = true;
    }
    if used.iter().all(|&u| u) {
        return bound;
    }
    let mut renumbered = Vec::with_capacity(used.len());
    let mut next = 0;
    for &u in &used {
        renumbered.push(next);
        next += u32::from(u);
    }
    plan.renumber_buffers(&renumbered);
    let mut keep = used.iter();
    plan.buffers.retain(|_| keep.next().copied().unwrap_or(true));
    bound.into_iter().zip(used).filter(|(_, u)| *u).map(|(b, _)| b).collect()
}

/// A plan with the first of some schedules whose way has the name that is meant.
pub fn of_name(
    plan: &KernelPlan,
    schedules: impl Iterator<Item = impl Schedule>,
    is_meant: &dyn Fn(&str) -> bool,
) -> Option<KernelPlan> {
    let mut found = plan.clone();
    for schedule in schedules {
        found.set_schedule(schedule);
        if is_meant(&found.way()) {
            return Some(found);
        }
    }
    None
}

/// A lowered group whose main kernel is this plan.
pub fn of_plan(ready: &Ready, plan: KernelPlan) -> Scheduled {
    let (bound, prepare) = (ready.bound.clone(), ready.prepare.clone());
    Scheduled { plan, others: Vec::new(), bound, prepare, ignored: None }
}

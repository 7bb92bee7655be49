//! schedule: a fusion group becomes a kernel plan for one target.
//!
//! Input: a `fornax.fusion` op and a target row. Output: a [`KernelPlan`] and which buffer is which operand or result.
//! Steps: `lower` (what to compute, target independent), `collapse` (fewer, longer loops), `choose` (how loops map to
//! workgroups, threads and lanes), on CPUs `panel` and `pack` (operands of products in the order in which they are read). All are deterministic functions of the group and the target row.

pub(crate) mod access;
pub mod attention;
mod classes;
mod collapse;
mod contraction;
pub mod demand;
mod exchange;
mod gpu_tile;
pub(crate) mod loop_schedule;
pub mod lower;
pub mod matrix;
mod matrix_cost;
mod moved;
mod ordered_schedule;
mod pack;
mod panel;
mod precision;
pub mod radix;
mod rectangle;
pub mod reduction;
mod row;
mod row_schedule;
mod scatter;
pub mod segment;
pub(crate) mod sized;
mod skinny;
pub mod sort;
mod split;
mod stream;
mod tile_schedule;
pub mod tries;
pub mod tuning;
pub mod update;
mod warpgroup;
mod warpgroup_maps;
mod warpgroup_sources;
mod warpgroup_tiles;
mod window;

use std::sync::Arc;

use fornax_graph::{Graph, OpId};
use fornax_module::tuning::Lock;
pub use fornax_plan::Precision;
use fornax_plan::{KernelPlan, LoopSchedule, Schedule};
use fornax_targets::Target;

use crate::errors::PassError;
use lower::{Bound, Prepare};
use tuning::Chosen;

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
    plan: KernelPlan,
    bound: Vec<Bound>,
    prepare: Vec<Prepare>,
    ordered: bool,
}

/// What a user can choose about kernels.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How accurate products of f32 values must be where the op does not ask for more.
    pub f32_matmul: Precision,
    /// Schedules found by measuring, taken instead of those that the cost models choose.
    pub tuning: Option<Arc<Lock>>,
    /// Ways of one program that a tuner is offered, at most; `None` for the usual number.
    pub ways: Option<usize>,
    /// How the names of ways begin that a tuner is offered; `None` for all.
    pub only: Option<String>,
    /// How the name of the way begins that kernels with a choice must have.
    pub demand: Option<String>,
    /// Loops stay loops of launches: every kernel can be looked at.
    pub plain_loops: bool,
}

/// Plans the kernel of a fusion op; `None` when it has nothing to compute (no elements). `is_constant` tells of an operand
/// whether it is the same in every call.
///
/// # Errors
/// FX0315 for forms of ops that have no kernel, FX0314 when the launch would be larger than the target's grid, FX0320
/// when there is no schedule of the demanded name.
pub fn schedule(
    graph: &Graph,
    fusion: OpId,
    target: &Target,
    options: &Options,
    is_constant: &dyn Fn(usize) -> bool,
) -> Result<Option<Scheduled>, PassError> {
    let Some(ready) = ready(graph, fusion, target, options)? else { return Ok(None) };
    let by_model = |ready| by_model(ready, target, is_constant);
    let scheduled = match (&options.demand, &options.tuning) {
        (Some(demand), _) => demand::demanded(graph, fusion, ready, target, demand, is_constant)?,
        (None, None) => by_model(ready),
        (None, Some(lock)) => match tuning::chosen(lock, ready, target) {
            Chosen::Model(ready) => by_model(*ready),
            Chosen::Way(scheduled) => *scheduled,
            Chosen::Unknown(ready, way) => Scheduled { ignored: Some(way), ..by_model(*ready) },
        },
    };
    // With sizes known only at run time the grid is checked then.
    let (grid, _) = scheduled.plan.launch();
    if scheduled.plan.launch_formula().is_none() && grid[0] > u64::from(target.max_grid[0]) {
        return Err(PassError::no_kernel(graph, fusion, "FX0314", "needs more workgroups than the target has"));
    }
    Ok(Some(scheduled))
}

/// Lowers a group; the kernels before the main one get their schedules.
fn ready(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> Result<Option<Ready>, PassError> {
    let Some(lowered) = lower::lower(graph, fusion, !target.is_gpu(), options)? else { return Ok(None) };
    let mut prepare = lowered.prepare;
    for before in &mut prepare {
        before.bound = drop_unused(&mut before.plan, std::mem::take(&mut before.bound));
        collapse::collapse(&mut before.plan);
        choose(&mut before.plan, target, false);
    }
    let none = Schedule::Loop(LoopSchedule { vector: 1, threads: 1, items_per_thread: 1 });
    let mut plan = KernelPlan::new(lowered.exprs, lowered.buffers, lowered.domain, lowered.body, none, lowered.summary);
    plan.ordered = lowered.ordered;
    let bound = drop_unused(&mut plan, lowered.bound);
    collapse::collapse(&mut plan);
    Ok(Some(Ready { plan, bound, prepare, ordered: lowered.ordered }))
}

/// The schedules that the cost models choose.
fn by_model(ready: Ready, target: &Target, is_constant: &dyn Fn(usize) -> bool) -> Scheduled {
    let Ready { mut plan, mut bound, mut prepare, ordered } = ready;
    if !plan.has_static_loops() {
        let mut others = classes::split(&plan, target);
        match others.pop() {
            Some(main) => plan = main,
            None => in_panels(&mut plan, &mut bound, target, is_constant, &mut prepare)
                .unwrap_or_else(|| choose(&mut plan, target, ordered)),
        }
        return Scheduled { plan, others, bound, prepare, ignored: None };
    }
    prepare.extend(skinny::split(&mut plan, &mut bound, target, prepare.len()));
    if in_panels(&mut plan, &mut bound, target, is_constant, &mut prepare).is_none() {
        choose(&mut plan, target, ordered);
        let copies = copied_operands(&mut plan, &mut bound, target, is_constant, prepare.len());
        prepare.extend(copies);
        prepare.extend(split::split(&mut plan, &mut bound, target, prepare.len()));
        let number = prepare.len();
        prepare.extend(stream::split(&mut plan, &mut bound, target, number).unwrap_or_default());
        prepare.extend(attention::split(&mut plan, &mut bound, target, prepare.len()));
    }
    Scheduled { plan, others: Vec::new(), bound, prepare, ignored: None }
}

/// CPU: a product in panels, where it can be one, after the kernel that packs an operand.
fn in_panels(
    plan: &mut KernelPlan,
    bound: &mut [Bound],
    target: &Target,
    is_constant: &dyn Fn(usize) -> bool,
    prepare: &mut Vec<Prepare>,
) -> Option<()> {
    let constant = |buffer: u32| matches!(bound.get(buffer as usize), Some(Bound::Operand(n)) if is_constant(*n));
    let packed = panel::schedule(plan, target, &constant)?;
    if let Some((buffer, copy)) = packed {
        let packed = Bound::Prepared(prepare.len());
        let source = std::mem::replace(&mut bound[buffer as usize], packed);
        prepare.push(Prepare { plan: copy, bound: vec![source, packed] });
    }
    Some(())
}

/// A product that no better program took gets the warpgroups' where copies of its operands, made before, pay: those copies.
fn copied_operands(
    plan: &mut KernelPlan,
    bound: &mut Vec<Bound>,
    target: &Target,
    is_constant: &dyn Fn(usize) -> bool,
    number: usize,
) -> Vec<Prepare> {
    if matches!(plan.schedule, Schedule::Skinny(_) | Schedule::Warpgroup(_)) {
        return Vec::new();
    }
    let constant = |b: &Bound| matches!(b, Bound::Operand(n) if is_constant(*n));
    let constants: Vec<bool> = bound.iter().map(constant).collect();
    let Some(warpgroup::Prepared { schedule, copies }) = warpgroup::prepare(plan, target, &constants) else {
        return Vec::new();
    };
    plan.schedule = Schedule::Warpgroup(schedule);
    let sources = bound.clone();
    let mut made = Vec::with_capacity(copies.len());
    for (at, copy) in copies.into_iter().enumerate() {
        let written = Bound::Prepared(number + at);
        let mut plan = copy.plan;
        let mut buffers = sources.clone();
        buffers.resize(plan.buffers.len() - 1, written);
        buffers.push(written);
        let kept = drop_unused(&mut plan, buffers);
        collapse::collapse(&mut plan);
        choose(&mut plan, target, false);
        made.push(Prepare { plan, bound: kept });
        bound.push(written);
    }
    made
}

/// Picks the schedule of a lowered plan for a target; an `ordered` reduction is folded by one thread in order.
pub fn choose(plan: &mut KernelPlan, target: &Target, ordered: bool) {
    tries::first(plan, target, ordered);
}

/// Takes out operands that only gave shapes.
fn drop_unused(plan: &mut KernelPlan, bound: Vec<Bound>) -> Vec<Bound> {
    let mut used = vec![false; plan.buffers.len()];
    for &node in &plan.reached().nodes {
        if let fornax_plan::Node::Load { buffer, .. } = plan.exprs.node(node) {
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

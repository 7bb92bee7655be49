//! schedule: a fusion group becomes a kernel plan for one target.
//!
//! Input: a `fornax.fusion` op and a target row. Output: a [`KernelPlan`] and which buffer is which operand or result.
//! Steps: `lower` (what to compute, target independent), `collapse` (fewer, longer loops), `choose` (how loops map to
//! workgroups, threads and lanes), on CPUs `panel` and `pack` (operands of products in the order in which they are
//! read). All are deterministic functions of the group and the target row.

pub mod attention;
#[cfg(test)]
mod chooser_tests;
mod contraction;
#[cfg(test)]
mod demand_tests;
mod heroes;
pub mod joined;
pub mod lower;
mod moved;
mod precision;
pub mod products;
pub mod radix;
pub mod reduction;
mod row;
mod scale;
mod scatter;
pub mod segment;
pub mod sort;
#[cfg(test)]
mod transposes_tests;
#[cfg(test)]
mod tuning_tests;
pub mod update;

use fornax_plan::Unscheduled;
use std::collections::HashMap;
use std::sync::Arc;

use fornax_graph::{Graph, OpId, ValueId};
use fornax_kernels::chooser::{by_model, choose};
use fornax_kernels::collapse::collapse;
use fornax_kernels::demand::{NoSchedule, demanded};
use fornax_kernels::gemv::candidates as gemv;
use fornax_kernels::scheduled::{Ready, Scheduled, drop_unused};
use fornax_kernels::tuning::{self, Chosen, Ways};
use fornax_module::tuning::Lock;
use fornax_plan::KernelPlan;
pub use fornax_plan::Precision;
use fornax_targets::{Feature, Target};

use crate::errors::{PassError, place};
use crate::facts::dequantized::computes_operand;
use crate::facts::products::{has_several, is_beside_another, is_joined};

/// Row pitches: elements from one row of a value to the next, of those values whose rows do not follow each other
/// directly.
pub type Pitches = HashMap<ValueId, i64>;

/// What a user can choose about kernels, and what the program says of the values that they read and write.
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
    /// Of the graph that is planned; a program sets them.
    pub pitches: Arc<Pitches>,
}

/// Plans the kernel of a fusion op; `None` when it has nothing to compute (no elements). `is_constant` tells of an
/// operand whether it is the same in every call.
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
        (Some(demand), _) => demanded(ready, target, demand, is_constant).map_err(|NoSchedule { tried, limits }| {
            PassError::NoSchedule {
                at: place(graph, graph.op(fusion).location),
                demand: demand.clone(),
                target: target.spec(),
                tried,
                limits,
            }
        })?,
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

/// Whether the target has a kernel for a group of a kind that not all have ([`crate::fuse::EXPANSIONS`]).
pub fn has_kernel(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> bool {
    if has_several(graph, fusion) {
        return products::fits(graph, fusion, target, options);
    }
    if computes_operand(graph, fusion) {
        return products::computes(graph, fusion, target, options);
    }
    attention::fits(graph, fusion, target, options)
}

/// Whether a group is a GEMV whose weights come through a ring.
pub fn has_ring(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> bool {
    // A demand is for a program that the group may have as it is.
    if options.demand.is_some() || !target.has(Feature::DependentLaunch) {
        return false;
    }
    let Ok(Some(ready)) = ready(graph, fusion, target, options) else { return false };
    gemv::choose(&ready.plan, target).is_ok_and(|(schedule, _)| schedule.ring > 0)
}

/// What the kernel of a group is predicted to take on a target, its launch included; 0 for a group without elements.
///
/// # Errors
/// As [`schedule`].
pub fn cycles(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> Result<f64, PassError> {
    let ready = ready(graph, fusion, target, options)?;
    Ok(ready.map_or(0.0, |ready| fornax_kernels::chooser::cycles(&ready.plan, target)))
}

/// Lowers a group; the kernels before the main one get their schedules.
fn ready(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> Result<Option<Ready>, PassError> {
    let Some(lowered) = heroes::lower(graph, fusion, !target.is_gpu(), options)? else { return Ok(None) };
    let mut prepare = lowered.prepare;
    for before in &mut prepare {
        before.bound = drop_unused(&mut before.plan, std::mem::take(&mut before.bound));
        collapse(&mut before.plan);
        choose(&mut before.plan, target, false);
    }
    let none = Unscheduled;
    let mut plan = KernelPlan::new(lowered.exprs, lowered.buffers, lowered.domain, lowered.body, none, lowered.summary);
    plan.ordered = lowered.ordered;
    if target.is_gpu() {
        scale::behind_sums(&mut plan);
    }
    let bound = drop_unused(&mut plan, lowered.bound);
    collapse(&mut plan);
    let is_beside = is_joined(graph, fusion) || is_beside_another(graph, fusion);
    Ok(Some(Ready { plan, bound, prepare, ordered: lowered.ordered, is_beside }))
}

/// The ways of a fusion op; `None` for ops that have one way only.
///
/// # Errors
/// As [`schedule`].
pub fn ways(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> Result<Option<Ways>, PassError> {
    let Some(ready) = ready(graph, fusion, target, options)? else { return Ok(None) };
    Ok(tuning::ways(&ready, target, options.ways, options.only.as_deref().unwrap_or_default()))
}

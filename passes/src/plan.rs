//! From a fused graph to a program for one target: the last choice of fuse, then schedule and program.
//!
//! Groups of attention for which the target has no kernel become plain groups again; what is left is planned.

use fornax_graph::{Graph, OpId};
use fornax_targets::Target;

use crate::errors::PassError;
use crate::fuse::{expand_attention, observed_expansion};
use crate::observe::{Nobody, Observer};
use crate::program::trace::{Traced, plan_groups_traced};
use crate::program::{Options, Planned, plan_groups};
use crate::remarks::Expanded;
use crate::schedule;

/// Plans the functions of a fused graph.
///
/// # Errors
/// FX0316 for a function that is not there, FX0317 for a parameter that is no argument, FX0314 and FX0315 from
/// scheduling.
pub fn plan(graph: &Graph, target: &Target, options: &Options) -> Result<Planned, PassError> {
    plan_observed(graph, target, options, &mut Nobody)
}

/// The same before an observer, who hears of `expand_attention` and of each of [`crate::program::PASSES`], once for the
/// target.
///
/// # Errors
/// As [`plan`].
pub fn plan_observed(
    graph: &Graph,
    target: &Target,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Planned, PassError> {
    let keep = |graph: &Graph, op: OpId| schedule::attention::fits(graph, op, target, &options.schedule);
    let mut expanded = options.remarks.is_some().then(Expanded::default);
    let graph = observed_expansion(graph, &target.spec(), &keep, expanded.as_mut(), observer)?;
    plan_groups(&graph, target, options, expanded, observer)
}

/// Plans the functions of a fused graph and tells what every launch is of.
///
/// # Errors
/// As [`plan`].
pub fn plan_traced(graph: &Graph, target: &Target, options: &Options) -> Result<Traced, PassError> {
    let keep = |graph: &Graph, op: OpId| schedule::attention::fits(graph, op, target, &options.schedule);
    let graph = expand_attention(graph, &keep, None)?.into_owned();
    plan_groups_traced(graph, target, options)
}

//! From a fused graph to a program for one target: the last choice of fuse, then schedule and program.
//!
//! Groups of attention, of several products and of products that compute their weights, for which the target has no
//! kernel, become plain groups again; what is left is planned.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use fornax_graph::{Graph, OpId, OpKind};
use fornax_targets::Target;

use crate::errors::PassError;
use crate::facts::dequantized::computes_operand;
use crate::facts::products::has_several;
use crate::fuse::join_epilogue::{Pair, observed_join};
use crate::fuse::transpose_weights::observed_transpose;
use crate::fuse::{EXPANSIONS, apart, observed_expansion};
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

/// The same before an observer, who hears of each of [`EXPANSIONS`] and of each of [`crate::program::PASSES`], once for
/// the target.
///
/// # Errors
/// As [`plan`].
pub fn plan_observed(
    graph: &Graph,
    target: &Target,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Planned, PassError> {
    let mut expanded = options.remarks.is_some().then(Expanded::default);
    let graph = expand(graph, (target, options), &mut expanded, observer)?;
    plan_groups(&graph, target, options, expanded, observer)
}

/// Plans the functions of a fused graph and tells what every launch is of.
///
/// # Errors
/// As [`plan`].
pub fn plan_traced(graph: &Graph, target: &Target, options: &Options) -> Result<Traced, PassError> {
    let graph = expand(graph, (target, options), &mut None, &mut Nobody)?.into_owned();
    plan_groups_traced(graph, target, options)
}

/// The graph without the groups that the target has no kernel for.
fn expand<'a>(
    graph: &'a Graph,
    (target, options): (&Target, &Options),
    expanded: &mut Option<Expanded>,
    observer: &mut dyn Observer,
) -> Result<Cow<'a, Graph>, PassError> {
    let keep = |graph: &Graph, op: OpId| {
        schedule::has_kernel(graph, op, target, &options.schedule)
            && (!has_several(graph, op) && !computes_operand(graph, op)
                || pays(graph, op, target, options).unwrap_or(false))
    };
    let spec = target.spec();
    let mut graph = Cow::Borrowed(graph);
    for expansion in EXPANSIONS {
        let next = observed_expansion(&graph, (expansion, &spec), &keep, expanded.as_mut(), observer)?;
        if let Cow::Owned(next) = next {
            graph = Cow::Owned(next);
        }
    }
    let gains = |graph: &Graph, group: OpId| schedule::has_ring(graph, group, target, &options.schedule);
    if let Cow::Owned(new) = observed_transpose(&graph, (&spec, &options.parameters), &gains, observer)? {
        graph = Cow::Owned(new);
    }
    let before = graph;
    // Layers of a model are alike.
    let known: RefCell<HashMap<String, bool>> = RefCell::default();
    let joins = |joined: &Graph, group: OpId, pair: Pair| {
        let Some(form) = schedule::joined::form(joined, group, target, &options.schedule) else { return false };
        let decide = || {
            schedule::joined::fits(joined, group, target, &options.schedule)
                && is_shorter((joined, group), (&before, pair), target, options).unwrap_or(false)
        };
        *known.borrow_mut().entry(form).or_insert_with(decide)
    };
    let joined = observed_join(&before, (&spec, &joins), expanded.as_mut(), observer)?;
    let joined = if let Cow::Owned(joined) = joined { Some(joined) } else { None };
    Ok(joined.map_or(before, Cow::Owned))
}

/// Whether a product and its reader in one kernel are predicted to take no longer than in two.
fn is_shorter(
    (joined, group): (&Graph, OpId),
    (before, pair): (&Graph, Pair),
    target: &Target,
    options: &Options,
) -> Result<bool, PassError> {
    let cycles = |graph: &Graph, op| schedule::cycles(graph, op, target, &options.schedule);
    Ok(cycles(joined, group)? <= cycles(before, pair.product)? + cycles(before, pair.reader)?)
}

/// Whether one kernel of several products, or one that computes an operand, is predicted to take no longer than the
/// kernels that its ops are otherwise.
fn pays(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> Result<bool, PassError> {
    let Some(apart) = cycles_apart(graph, fusion, target, options)? else { return Ok(true) };
    Ok(schedule::cycles(graph, fusion, target, &options.schedule)? <= apart)
}

/// What the kernels that a group's ops are otherwise are predicted to take, of which some may be apart in turn; `None`
/// for groups of no such kind.
fn cycles_apart(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> Result<Option<f64>, PassError> {
    let Some(kind) = EXPANSIONS.iter().find(|kind| (kind.is_meant)(graph, fusion)) else { return Ok(None) };
    let apart = apart(graph, fusion, kind.forms)?;
    let mut sum = 0.0;
    for entry in apart.functions.iter().filter_map(|function| apart.entry(function)) {
        for &op in apart.block(entry).ops.iter().filter(|&&op| apart.op(op).kind == OpKind::Fusion) {
            let further = cycles_apart(&apart, op, target, options)?;
            let whole = || schedule::cycles(&apart, op, target, &options.schedule);
            sum += match further {
                Some(further) if !schedule::has_kernel(&apart, op, target, &options.schedule) => further,
                Some(further) => whole()?.min(further),
                None => whole()?,
            };
        }
    }
    Ok(Some(sum))
}

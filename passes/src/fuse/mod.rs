//! fuse: groups the ops of each function into `fornax.fusion` ops, one kernel each.
//!
//! Input: a simplified graph. Output: the same functions, in which every op that computes sits in the region of a
//! `fornax.fusion` op (block arguments = operands, `fornax.yield` = results) with attribute `hero`: `"loop"`,
//! `"reduction"`, `"row"` (several reductions of the same rows), `"contraction"`, `"sort"` or `"attention"` (see [`expand_attention`]). Outside remain constants that kernels read, reshapes of returned values (aliases, no
//! kernel), `while` and `if`, whose blocks are grouped like a function's, and the return.
//!
//! How: one walk over the ops from the last to the first decides for each value whether it is stored in a buffer or
//! recomputed in every group that needs it (`decide`). A group is a set of stored values with one iteration domain and
//! everything inlined behind them, with at most one hero (reduction, dot product, convolution), or several reductions of the
//! same rows (`rows`). What is recomputed
//! costs nothing (index maps) or little against a trip through memory (`cost`).
//!
//! Worked example, softmax of [4, 1000]: `m = reduce max x` · `e = exp(x - m)` · `s = reduce add e` · `e / s`. The division's group
//! reads s once a row and so takes the sum, which takes e, which takes the maximum: one group, which reads x once.
//!
//! Limits: a concatenation is one kernel that selects.

mod affine;
mod alone;
mod attention;
mod build;
mod carried;
mod control;
mod cost;
mod decide;
mod expand;
mod extents;
mod groups;
mod in_place;
mod insert;
mod join;
mod maps;
mod pairs;
mod prepare;
mod rows;
mod scales;
mod single_updates;
mod split_radix;
mod split_reduce;
mod split_scan;
mod split_scatter;
mod split_select;
mod split_sized_scatter;
mod split_sized_sort;
mod split_sort;
mod stored;
pub(crate) mod update_slices;

#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod split_tests;
#[cfg(test)]
mod tests;

pub use alone::{Given, model_of};
pub use expand::expand_attention;
use fornax_graph::{BlockId, Graph, OpKind};

use crate::errors::PassError;
use crate::facts::ops;
use crate::observe::{Nobody, Observer, Run, observed};
use prepare::Which;
pub use prepare::{REWRITES, Rewrite, SCALES};

/// Fuses every public function (all functions where none is public).
///
/// # Errors
/// FX0311–FX0315 for ops, element types and sizes that have no kernel.
pub fn fuse(graph: &Graph) -> Result<Graph, PassError> {
    fuse_for(graph, Machines::Any)
}

/// The same for a module whose targets are known to be of one kind.
///
/// # Errors
/// As [`fuse`].
pub fn fuse_for(graph: &Graph, machines: Machines) -> Result<Graph, PassError> {
    fuse_observed(graph, machines, &mut Nobody)
}

/// The same before an observer, who hears of each of [`REWRITES`] and of `group`.
///
/// # Errors
/// As [`fuse`].
pub fn fuse_observed(graph: &Graph, machines: Machines, observer: &mut dyn Observer) -> Result<Graph, PassError> {
    fuse_with(graph, true, machines, observer)
}

/// One of [`REWRITES`], or `group`, alone.
///
/// # Errors
/// As [`fuse`].
pub(crate) fn run_alone(graph: &mut Graph, name: &str, machines: Machines) -> Result<(), PassError> {
    let functions = functions(graph);
    *graph = match name {
        GROUP => group(graph.clone(), &functions, true, &mut Nobody)?,
        rewrite => prepare::prepare(graph, &functions, Which::Only(rewrite), machines, &mut Nobody)?,
    };
    Ok(())
}

/// What a fused graph will run on, where that decides how work is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machines {
    /// GPUs, maybe CPUs too.
    Any,
    /// CPUs only.
    Hosts,
}

impl Machines {
    /// Elements of a line from which a radix sort is faster than merging. A CPU's branches of a merge are mispredicted, whatever the length:
    /// 262,144 f32 with positions took 44 ms of processor time by merging, 2^20 f32 by digits 14.
    pub(crate) fn radix_line_min(self) -> i64 {
        match self {
            Machines::Any => 512 * 1024,
            Machines::Hosts => 1024,
        }
    }
}

/// Fuses without forming attention.
fn fuse_plainly(graph: &Graph, observer: &mut dyn Observer) -> Result<Graph, PassError> {
    fuse_with(graph, false, Machines::Any, observer)
}

fn fuse_with(
    graph: &Graph,
    attention: bool,
    machines: Machines,
    observer: &mut dyn Observer,
) -> Result<Graph, PassError> {
    let functions = functions(graph);
    let which = if attention { Which::All } else { Which::WithoutAttention };
    let prepared = prepare::prepare(graph, &functions, which, machines, observer)?;
    group(prepared, &functions, attention, observer)
}

/// The name of the pass that forms the groups.
pub const GROUP: &str = "group";

fn group(
    mut graph: Graph,
    functions: &[usize],
    attention: bool,
    observer: &mut dyn Observer,
) -> Result<Graph, PassError> {
    let run = Run { phase: "fuse", name: GROUP, round: 0 };
    let remarks = observer.remarks().is_some();
    let pairs = observed(observer, &run, &mut graph, |graph| {
        let mut pairs = Vec::new();
        let mut fused = build::shell(graph);
        for &function in functions {
            let function = &graph.functions[function];
            let Some(entry) = graph.entry(function) else { continue };
            check(graph, entry)?;
            pairs.extend(build::function(graph, (function, entry), attention, remarks, &mut fused)?);
        }
        *graph = fused;
        Ok(pairs)
    })?;
    if let Some(kept) = observer.remarks() {
        kept.extend(pairs);
    }
    Ok(graph)
}

/// Functions that become entry points.
fn functions(graph: &Graph) -> Vec<usize> {
    let with_body = || (0..graph.functions.len()).filter(|&f| graph.functions[f].body.is_some());
    let public: Vec<usize> = with_body().filter(|&f| !graph.functions[f].private).collect();
    if public.is_empty() { with_body().collect() } else { public }
}

/// Every op of a function's block must have a row in the op table and static types it can work on.
fn check(graph: &Graph, block: BlockId) -> Result<(), PassError> {
    for &op in &graph.block(block).ops {
        match graph.op(op).kind {
            OpKind::FuncReturn | OpKind::Return => {
                for &value in &graph.op(op).operands {
                    ops::check_value(graph, op, value)?;
                }
            }
            _ => {
                ops::check(graph, op)?;
                for inner in control::blocks(graph, op) {
                    check(graph, inner)?;
                }
            }
        }
    }
    Ok(())
}

//! fuse: groups the ops of each function into `fornax.fusion` ops, one kernel each.
//!
//! Input: a simplified graph. Output: the same functions, in which every op that computes sits in the region of a
//! `fornax.fusion` op (block arguments = operands, `fornax.yield` = results) with attribute `hero`: `"loop"`,
//! `"reduction"`, `"row"` (several reductions of the same rows), `"contraction"`, `"products"` (several, or one at
//! several places), `"sort"` or `"attention"` (see [`EXPANSIONS`]); for a target also `"joined"` (a product and the
//! group behind it, [`join_epilogue`]). Outside remain constants that kernels read, reshapes of returned values
//! (aliases, no kernel), `while` and `if`, whose blocks are grouped like a function's, and the return.
//!
//! How: one walk over the ops from the last to the first decides for each value whether it is stored in a buffer or
//! recomputed in every group that needs it (`decide`). A group is a set of stored values with one iteration domain and
//! everything inlined behind them, with at most one hero (reduction, dot product, convolution), or several reductions
//! of the same rows (`rows`). What is recomputed costs nothing (index maps) or little against a trip through memory
//! (`cost`).
//!
//! Worked example, softmax of `[4, 1000]`: `m = reduce max x` · `e = exp(x - m)` · `s = reduce add e` · `e / s`. The
//! division's group reads s once a row and so takes the sum, which takes e, which takes the maximum: one group, which
//! reads x once.
//!
//! Limits: a concatenation is one kernel that selects.

mod affine;
mod alone;
mod build;
mod carried;
mod cost;
mod decide;
mod diamond;
mod expand;
mod expand_attention;
mod expand_computed;
mod expand_products;
mod extents;
mod group;
mod groups;
mod join;
pub mod join_epilogue;
mod maps;
mod narrowed;
mod pairs;
mod products;
mod rows;
mod stored;
mod traffic;
pub mod transpose_weights;

#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod tests;

pub use alone::{Given, model_of};
use decide::Forms;
pub use expand::{Expansion, apart, expand_groups, observed_expansion};
use fornax_graph::Graph;

pub use crate::decompose::Machines;
use crate::decompose::{Which, decompose};
use crate::errors::PassError;
use crate::observe::{Nobody, Observer};

/// The phase of these passes.
pub const PHASE: &str = "fuse";

/// A row of the table of passes.
pub struct FusePass {
    pub name: &'static str,
    /// One line for `--print-passes`.
    pub doc: &'static str,
    run: fn(&mut Graph) -> Result<(), PassError>,
}

/// The pass that forms the groups.
const GROUP: FusePass = FusePass {
    name: "group",
    doc: "ops that one kernel computes become a fornax.fusion",
    run: |graph| group::group(graph, Forms::ALONE, false).map(drop),
};

/// Kinds of groups that some targets have no kernel for, in the order in which they are expanded.
pub const EXPANSIONS: &[&Expansion] =
    &[&expand_products::EXPANSION, &expand_computed::EXPANSION, &expand_attention::EXPANSION];

/// What fusion does, in this order: all but the first for each target on its own.
pub const PASSES: &[FusePass] = &[
    GROUP,
    expansion(&expand_products::EXPANSION, |graph| expand_all(graph, &expand_products::EXPANSION)),
    expansion(&expand_computed::EXPANSION, |graph| expand_all(graph, &expand_computed::EXPANSION)),
    expansion(&expand_attention::EXPANSION, |graph| expand_all(graph, &expand_attention::EXPANSION)),
    FusePass { name: transpose_weights::NAME, doc: transpose_weights::DOC, run: transpose_all },
    FusePass { name: join_epilogue::NAME, doc: join_epilogue::DOC, run: join_all },
];

const fn expansion(of: &'static Expansion, run: fn(&mut Graph) -> Result<(), PassError>) -> FusePass {
    FusePass { name: of.name, doc: of.doc, run }
}

/// Expands every group of a kind.
fn expand_all(graph: &mut Graph, expansion: &Expansion) -> Result<(), PassError> {
    *graph = expand_groups(graph, expansion, &|_, _| false, None)?.into_owned();
    Ok(())
}

/// Transposes every weight that products of one row alone read, every argument being one.
fn transpose_all(graph: &mut Graph) -> Result<(), PassError> {
    let parameters = transpose_weights::all_arguments(graph);
    *graph = transpose_weights::transpose(graph, &parameters, &|_, _| true)?.into_owned();
    Ok(())
}

/// Joins every pair of groups, whether a target has a kernel for both or not.
fn join_all(graph: &mut Graph) -> Result<(), PassError> {
    *graph = join_epilogue::join(graph, &|_, _, _| true, None)?.into_owned();
    Ok(())
}

/// Each pass's file, for the examples in it.
#[cfg(test)]
const SOURCES: &[&str] = &[
    include_str!("group.rs"),
    include_str!("expand_products.rs"),
    include_str!("expand_computed.rs"),
    include_str!("expand_attention.rs"),
    include_str!("transpose_weights.rs"),
    include_str!("join_epilogue.rs"),
];

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

/// The same before an observer, who hears of each of [`crate::decompose::REWRITES`] and of `group`.
///
/// # Errors
/// As [`fuse`].
pub fn fuse_observed(graph: &Graph, machines: Machines, observer: &mut dyn Observer) -> Result<Graph, PassError> {
    let decomposed = decompose(graph, Which::All, machines, observer)?;
    let forms = Forms { whole: true, computed: machines.computed_rows() };
    group::observed_group(decomposed, forms, observer)
}

/// Fuses without forming attention.
fn fuse_plainly(graph: &Graph, forms: Forms, observer: &mut dyn Observer) -> Result<Graph, PassError> {
    let decomposed = decompose(graph, Which::WithoutAttention, Machines::Any, observer)?;
    group::observed_group(decomposed, forms, observer)
}

/// One of [`PASSES`] alone; whether there is one of that name.
///
/// # Errors
/// As [`fuse`].
pub(crate) fn run_alone(graph: &mut Graph, name: &str) -> Result<bool, PassError> {
    let Some(pass) = PASSES.iter().find(|pass| pass.name == name) else { return Ok(false) };
    (pass.run)(graph)?;
    Ok(true)
}

//! Groups that a target has no kernel for become plain groups again; which kinds there are stands in
//! [`super::EXPANSIONS`].
//!
//! Input: a fused graph and a predicate that says which groups of a kind stay. Output: the graph with the ops of the
//! others grouped as if the kind were not known: products, reductions, loops, in the forms that the kind's row says.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::alone::alone;
use super::build::Copy;
use super::decide::Forms;
use super::{PHASE, fuse_plainly};
use crate::decompose::insert::replace;
use crate::errors::PassError;
use crate::facts::control;
use crate::observe::{Ir, Nobody, Observer, Run, Turn, observed};
use crate::remarks::{Expanded, Pair, Reason};

/// A kind of group that some targets have a kernel for.
pub struct Expansion {
    /// Of the pass.
    pub name: &'static str,
    /// One line for `--print-passes`.
    pub doc: &'static str,
    /// Whether a group is of the kind.
    pub is_meant: fn(&Graph, OpId) -> bool,
    /// What the groups of its ops may be.
    pub forms: Forms,
    /// Why its ops are apart where there is none.
    pub because: &'static Reason,
}

/// The graph with every group of a kind for which `keep` is false expanded; `remarks` hears of each.
pub fn expand_groups<'a>(
    graph: &'a Graph,
    expansion: &Expansion,
    keep: &dyn Fn(&Graph, OpId) -> bool,
    mut remarks: Option<&mut Expanded>,
) -> Result<Cow<'a, Graph>, PassError> {
    let mut expanded = Cow::Borrowed(graph);
    for function in &graph.functions {
        let Some(entry) = graph.entry(function) else { continue };
        for block in control::all_blocks(graph, entry) {
            for &op in &graph.block(block).ops {
                let is_meant = graph.op(op).kind == OpKind::Fusion && (expansion.is_meant)(graph, op);
                if is_meant && !keep(graph, op) {
                    expand(expanded.to_mut(), (op, expansion), (block, entry), remarks.as_deref_mut())?;
                }
            }
        }
    }
    Ok(expanded)
}

/// The same before an observer, who hears of one run, for `target`.
pub fn observed_expansion<'a>(
    graph: &'a Graph,
    (expansion, target): (&Expansion, &str),
    keep: &dyn Fn(&Graph, OpId) -> bool,
    remarks: Option<&mut Expanded>,
    observer: &mut dyn Observer,
) -> Result<Cow<'a, Graph>, PassError> {
    if !observer.listens() {
        return expand_groups(graph, expansion, keep, remarks);
    }
    let run = Run { phase: PHASE, name: expansion.name, turn: Turn::Target(target) };
    let mut expanded = graph.clone();
    observed(observer, &run, &mut expanded, |graph| {
        let new = match expand_groups(graph, expansion, keep, remarks)? {
            Cow::Owned(new) => Some(new),
            Cow::Borrowed(_) => None,
        };
        if let Some(new) = new {
            *graph = new;
        }
        Ok(())
    })?;
    Ok(Cow::Owned(expanded))
}

/// Keeps fusion's remarks and hears of nothing else.
struct Pairs {
    asked: bool,
    kept: Vec<Pair>,
}

impl Observer for Pairs {
    fn listens(&self) -> bool {
        false
    }

    fn shows(&self, _: &str) -> bool {
        false
    }

    fn before(&mut self, _: &Run, _: &dyn Ir) {}

    fn after(&mut self, _: &Run, _: &dyn Ir, _: bool) {}

    fn took(&mut self, _: &Run, _: Duration) {}

    fn remarks(&mut self) -> Option<&mut Vec<Pair>> {
        self.asked.then_some(&mut self.kept)
    }
}

/// A function of the groups that a group's ops are otherwise.
///
/// # Errors
/// As [`super::fuse`].
pub fn apart(graph: &Graph, fusion: OpId, forms: Forms) -> Result<Graph, PassError> {
    fuse_plainly(&alone(graph, fusion)?, forms, &mut Nobody)
}

/// Replaces a group by the groups of its ops.
fn expand(
    graph: &mut Graph,
    (fusion, expansion): (OpId, &Expansion),
    (block, entry): (BlockId, BlockId),
    remarks: Option<&mut Expanded>,
) -> Result<(), PassError> {
    let mut pairs = Pairs { asked: remarks.is_some(), kept: Vec::new() };
    let mini = fuse_plainly(&alone(graph, fusion)?, expansion.forms, &mut pairs)?;
    let body = mini.functions.first().and_then(|f| mini.entry(f));
    let body = body.ok_or_else(|| PassError::broken("an expanded group has no body"))?;
    graph.constants.clone_from(&mini.constants);
    graph.dims.extend_from(&mini.dims);
    let operands = graph.op(fusion).operands.clone();
    let values = mini.block(body).arguments.iter().copied().zip(operands).collect();
    let before = graph.block(block).ops.len();
    let mut copy = Copy { from: &mini, to: graph, values, forms: Forms::APART, pairs: None };
    let (mut results, mut inner) = (Vec::new(), Vec::new());
    for &op in &mini.block(body).ops {
        if mini.op(op).kind == OpKind::FuncReturn {
            results = mini.op(op).operands.iter().map(|&v| copy.value(v)).collect::<Result<Vec<_>, _>>()?;
        } else {
            copy.op(op, block)?;
            inner.push(op);
        }
    }
    // What was added at the end of the block belongs where the group stood.
    let ops = &mut graph.blocks[block.index()].ops;
    let added = ops.split_off(before);
    if let Some(remarks) = remarks {
        let new: HashMap<OpId, OpId> = inner.into_iter().zip(added.iter().copied()).collect();
        for pair in &mut pairs.kept {
            if !pair.refused.is_empty() {
                pair.refused.insert(0, expansion.because.of([]));
            }
            for group in pair.producer.groups.iter_mut().chain(&mut pair.consumer.groups) {
                *group = new.get(group).copied().unwrap_or(*group);
            }
        }
        remarks.pairs.append(&mut pairs.kept);
        remarks.replaced.insert(fusion, added.clone());
    }
    let at = ops.iter().position(|&op| op == fusion).unwrap_or(ops.len());
    ops.splice(at..at, added);
    let pairs: Vec<(ValueId, ValueId)> = graph.op(fusion).results.iter().copied().zip(results).collect();
    replace(graph, entry, &pairs);
    graph.erase_op(fusion);
    Ok(())
}

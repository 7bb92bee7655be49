//! Rewrites before grouping, as a table: see [`REWRITES`].
//!
//! Input: a simplified graph. Output: the same functions, in which no op is too long or too wide for one kernel.

use std::collections::HashSet;

use fornax_graph::{
    Attr, AttrMap, BlockId, Constant, Dim, ElementType, Graph, NewOp, OpId, OpKind, Storage, Type, ValueId,
};

use super::{Machines, control, update_slices};
use crate::errors::PassError;
use crate::facts::donated;
use crate::facts::ops::{constant_of, tensor};
use crate::observe::{Observer, Run, observed};

/// Operands of one concatenation, at most.
pub const CONCATENATE_OPERANDS_MAX: usize = 32;

/// A row of the table of rewrites.
pub struct Rewrite {
    pub name: &'static str,
    /// One line for `--print-passes`.
    pub doc: &'static str,
    /// The kind of op that it rewrites.
    kind: OpKind,
    /// Ops whose sizes are all known (`Some(true)`), those with others (`Some(false)`), or both.
    sized: Option<bool>,
    run: fn(&mut Graph, OpId, &Site) -> Result<(), PassError>,
}

/// What a rewrite may ask about the function that it works on.
struct Site {
    entry: BlockId,
    machines: Machines,
    /// Reductions that attention claims: they stay whole.
    whole: HashSet<OpId>,
    bodies: HashSet<BlockId>,
    given: HashSet<ValueId>,
}

/// Every rewrite, in the order of their runs. Each sees the ops that were there before the first of them ran, not those
/// that another rewrite made.
#[rustfmt::skip]
pub const REWRITES: &[Rewrite] = &[
    Rewrite { name: "drop_barriers", doc: "the readers of an optimization_barrier read its operands", kind: OpKind::OptimizationBarrier, sized: None,
        run: |graph, op, site| { forward(graph, op, site.entry); Ok(()) } },
    Rewrite { name: "iota_constants", doc: "a constant a, a + 1, a + 2, … is made from positions", kind: OpKind::Constant, sized: None,
        run: |graph, op, site| { count(graph, op, site.entry); Ok(()) } },
    Rewrite { name: "split_concatenate", doc: "more than 32 operands: a tree (a kernel has a bounded number of inputs)", kind: OpKind::Concatenate, sized: None,
        run: |graph, op, _| split(graph, op) },
    Rewrite { name: "two_stage_reduce", doc: "a long reduction to few elements: partial results, then theirs", kind: OpKind::Reduce, sized: Some(true),
        run: |graph, op, site| if site.whole.contains(&op) { Ok(()) } else { super::split_reduce::split(graph, op, site.entry) } },
    Rewrite { name: "sorted_scatter", doc: "many updates: sorted by index, then a segmented reduction", kind: OpKind::Scatter, sized: Some(true),
        run: |graph, op, site| super::split_scatter::split(graph, op, site.entry, site.machines) },
    Rewrite { name: "sorted_scatter_of_sizes", doc: "the same for sizes known only at run time", kind: OpKind::Scatter, sized: Some(false),
        run: |graph, op, site| super::split_sized_scatter::split(graph, op, site.entry, site.machines) },
    Rewrite { name: "update_slices", doc: "a slice that a loop writes is written in place", kind: OpKind::DynamicUpdateSlice, sized: Some(true),
        run: |graph, op, site| update_slices::split(graph, op, site.entry, (&site.bodies, &site.given)) },
    Rewrite { name: "block_sort", doc: "a long sort: sorted blocks, then merges, or passes by digit", kind: OpKind::Sort, sized: Some(true),
        run: |graph, op, site| super::split_sort::split(graph, op, site.entry, site.machines) },
    Rewrite { name: "block_sort_of_sizes", doc: "the same for lengths known only at run time", kind: OpKind::Sort, sized: Some(false),
        run: |graph, op, site| super::split_sized_sort::split(graph, op, site.entry) },
    Rewrite { name: "three_pass_scan", doc: "a long scan: results of blocks, their scan, its combination with each block", kind: OpKind::ReduceWindow, sized: Some(true),
        run: |graph, op, site| super::split_scan::split(graph, op, site.entry) },
];

/// Name and line of the rewrite that runs before those of the table, once a function, where attention is formed.
pub const SCALES: (&str, &str) = ("scale_after_qk", "a constant scale of Q or K goes behind their product");

/// Which rewrites run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    All,
    /// No attention is formed: its reductions are split as others are.
    WithoutAttention,
    /// One, by its name.
    Only(&'a str),
}

impl Which<'_> {
    fn has(self, name: &str) -> bool {
        match self {
            Which::All => true,
            Which::WithoutAttention => name != SCALES.0,
            Which::Only(one) => one == name,
        }
    }
}

/// The graph with rewrites done in some functions. Where attention is formed, its reductions stay whole.
pub fn prepare(
    graph: &Graph,
    functions: &[usize],
    which: Which,
    machines: Machines,
    observer: &mut dyn Observer,
) -> Result<Graph, PassError> {
    let mut graph = graph.clone();
    for (round, &function) in functions.iter().enumerate() {
        let Some(entry) = graph.entry(&graph.functions[function]) else { continue };
        let blocks = control::all_blocks(&graph, entry);
        let mut whole = HashSet::new();
        if which != Which::WithoutAttention {
            let run = Run { phase: "fuse", name: SCALES.0, round };
            let hoist = which.has(SCALES.0);
            let mut claim = |graph: &mut Graph| -> Result<(), PassError> {
                for &block in &blocks {
                    for found in super::attention::find(graph, block)? {
                        if hoist {
                            super::scales::hoist(graph, &found, entry)?;
                        }
                        whole.extend(found.claimed);
                    }
                }
                Ok(())
            };
            if hoist { observed(observer, &run, &mut graph, claim)? } else { claim(&mut graph)? }
        }
        let bodies = update_slices::bodies(&graph, &blocks);
        let given = donated::given_away(&graph, &graph.functions[function], entry);
        let site = Site { entry, machines, whole, bodies, given };
        let ops: Vec<OpId> = blocks.into_iter().flat_map(|b| graph.block(b).ops.clone()).collect();
        let kinds: Vec<OpKind> = ops.iter().map(|&op| graph.op(op).kind).collect();
        for rewrite in REWRITES.iter().filter(|row| which.has(row.name) && kinds.contains(&row.kind)) {
            let run = Run { phase: "fuse", name: rewrite.name, round };
            observed(observer, &run, &mut graph, |graph| {
                let these = ops.iter().zip(&kinds).filter(|(_, kind)| **kind == rewrite.kind);
                for (&op, _) in these {
                    if rewrite.sized.is_none_or(|sized| sized == is_static(graph, op)) {
                        (rewrite.run)(graph, op, &site)?;
                    }
                }
                Ok(())
            })?;
        }
    }
    Ok(graph)
}

/// Sizes are checked later: nothing is rewritten that will be refused.
fn is_static(graph: &Graph, op: OpId) -> bool {
    let data = graph.op(op);
    let fits = |v: &ValueId| graph.ty(*v).as_tensor().is_some_and(|t| t.bytes().is_some());
    let sized = data.attrs.0.iter().any(|(_, attr)| matches!(attr, Attr::Dims(_)));
    !sized && data.operands.iter().chain(&data.results).all(fits)
}

/// Lets the readers of a barrier's results read its operands.
fn forward(graph: &mut Graph, barrier: OpId, entry: BlockId) {
    let (operands, results) = (graph.op(barrier).operands.clone(), graph.op(barrier).results.clone());
    let pairs: Vec<(ValueId, ValueId)> = results.into_iter().zip(operands).collect();
    replace(graph, entry, &pairs);
    graph.erase_op(barrier);
}

/// Lets every reader in a function body read the second of a pair instead of the first.
pub fn replace(graph: &mut Graph, entry: BlockId, pairs: &[(ValueId, ValueId)]) {
    let mut readers = Vec::new();
    graph.walk(entry, &mut |op| readers.push(op));
    for op in readers {
        for slot in graph.op_mut(op).operands.iter_mut() {
            if let Some(&(_, new)) = pairs.iter().find(|p| p.0 == *slot) {
                *slot = new;
            }
        }
    }
}

/// A constant a, a + 1, a + 2, … is made from positions: what compares it with them is then a bound (masks of attention), and nothing is
/// loaded.
fn count(graph: &mut Graph, op: OpId, entry: BlockId) {
    let (block, result) = (graph.op(op).block, graph.op(op).results[0]);
    let Some(constant) = constant_of(graph, result).map(|id| graph.constant(id)) else { return };
    let ty = constant.ty.clone();
    let Some(sizes) = ty.static_shape() else { return };
    let long: Vec<usize> = (0..sizes.len()).filter(|&d| sizes[d] != 1).collect();
    let (&[dimension], true) = (long.as_slice(), matches!(ty.element, ElementType::I32 | ElementType::I64)) else {
        return;
    };
    let Storage::Dense(data) = &constant.storage else { return };
    let width = ty.element.storage_bytes();
    let mut chunks = data.bytes().chunks_exact(width).map(|chunk| {
        let mut word = [if chunk[width - 1] & 0x80 == 0 { 0 } else { 0xff }; 8];
        word[..width].copy_from_slice(chunk);
        i64::from_le_bytes(word)
    });
    let Some(first) = chunks.next().filter(|v| v.abs() < 1 << 30) else { return };
    if sizes[dimension] < 2 || !chunks.zip(1..).all(|(value, at)| value == first + at) {
        return;
    }
    let data = graph.op_mut(op);
    data.kind = OpKind::Iota;
    data.attrs = AttrMap::default();
    data.attrs.set("iota_dimension", Attr::Int(dimension as i128, Type::Scalar(ElementType::I64)));
    if first == 0 {
        return;
    }
    let location = graph.op(op).location;
    let at = graph.block(block).ops.iter().position(|&o| o == op).unwrap_or(0) + 1;
    let splat = graph.add_constant(Constant::splat(ty.clone(), first.to_le_bytes()[..width].to_vec()));
    let start = NewOp::new(OpKind::Constant, Vec::new(), vec![Type::Tensor(ty.clone())], location);
    let start = graph.insert_op(block, at, start.attr("value", Attr::Dense(splat)));
    let start = graph.op(start).results[0];
    let sum =
        graph.insert_op(block, at + 1, NewOp::new(OpKind::Add, vec![start, start], vec![Type::Tensor(ty)], location));
    let whole = graph.op(sum).results[0];
    replace(graph, entry, &[(result, whole)]);
    graph.op_mut(sum).operands = vec![result, start];
}

/// Concatenates chunks first while there are too many operands.
fn split(graph: &mut Graph, op: OpId) -> Result<(), PassError> {
    while graph.op(op).operands.len() > CONCATENATE_OPERANDS_MAX {
        let data = graph.op(op).clone();
        let dimension = data.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
        let mut parts: Vec<ValueId> = Vec::new();
        for chunk in data.operands.chunks(CONCATENATE_OPERANDS_MAX) {
            if let [single] = chunk {
                parts.push(*single);
                continue;
            }
            let mut ty = tensor(graph, chunk[0])?.clone();
            let mut size = Dim::Static(0);
            for &v in chunk {
                let part = tensor(graph, v)?.shape.get(dimension).copied();
                size = graph.dim_add(size, part.unwrap_or(Dim::Static(0)));
            }
            if let Some(slot) = ty.shape.get_mut(dimension) {
                *slot = size;
            }
            let element = Type::Scalar(ElementType::I64);
            let new = NewOp::new(data.kind, chunk.to_vec(), vec![Type::Tensor(ty)], data.location)
                .attr("dimension", Attr::Int(dimension as i128, element));
            let at = graph.block(data.block).ops.iter().position(|&o| o == op).unwrap_or(0);
            let part = graph.insert_op(data.block, at, new);
            parts.push(graph.op(part).results[0]);
        }
        graph.op_mut(op).operands = parts;
    }
    Ok(())
}

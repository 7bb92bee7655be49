//! The group behind a product of one row becomes its epilogue where no element of the product is needed at two places:
//! rotations of a head's halves, and what is written into a cache.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1x2048xf32>, %arg1: tensor<2048x256xf32>) -> tensor<1x256xf32> {
//!   %0 = "fornax.fusion"(%arg0, %arg1) ({
//!   ^bb0(%arg2: tensor<1x2048xf32>, %arg3: tensor<2048x256xf32>):
//!     %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] :
//!         (tensor<1x2048xf32>, tensor<2048x256xf32>) -> tensor<1x256xf32>
//!     fornax.yield %2 : tensor<1x256xf32>
//!   }) {hero = "contraction"} : (tensor<1x2048xf32>, tensor<2048x256xf32>) -> tensor<1x256xf32>
//!   %1 = "fornax.fusion"(%0) ({
//!   ^bb0(%arg4: tensor<1x256xf32>):
//!     %2 = stablehlo.slice %arg4 [0:1, 0:128] : (tensor<1x256xf32>) -> tensor<1x128xf32>
//!     %3 = stablehlo.slice %arg4 [0:1, 128:256] : (tensor<1x256xf32>) -> tensor<1x128xf32>
//!     %4 = stablehlo.negate %3 : tensor<1x128xf32>
//!     %5 = stablehlo.concatenate %4, %2, dim = 1 :
//!         (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x256xf32>
//!     fornax.yield %5 : tensor<1x256xf32>
//!   }) {hero = "loop"} : (tensor<1x256xf32>) -> tensor<1x256xf32>
//!   return %1 : tensor<1x256xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<1x2048xf32>, %arg1: tensor<2048x256xf32>) -> tensor<1x256xf32> {
//!   %0 = "fornax.fusion"(%arg0, %arg1) ({
//!   ^bb0(%arg2: tensor<1x2048xf32>, %arg3: tensor<2048x256xf32>):
//!     %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] :
//!         (tensor<1x2048xf32>, tensor<2048x256xf32>) -> tensor<1x256xf32>
//!     %2 = stablehlo.slice %1 [0:1, 0:128] : (tensor<1x256xf32>) -> tensor<1x128xf32>
//!     %3 = stablehlo.slice %1 [0:1, 128:256] : (tensor<1x256xf32>) -> tensor<1x128xf32>
//!     %4 = stablehlo.negate %3 : tensor<1x128xf32>
//!     %5 = stablehlo.concatenate %4, %2, dim = 1 :
//!         (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x256xf32>
//!     fornax.yield %5 : tensor<1x256xf32>
//!   }) {hero = "joined"} : (tensor<1x2048xf32>, tensor<2048x256xf32>) -> tensor<1x256xf32>
//!   return %0 : tensor<1x256xf32>
//! }
//! ```
//!
//! Input: a fused graph. Output: the same, where a group of a product whose result one other group reads is one with
//! that (`schedule::joined` says how it is computed), if the target has a kernel for both that is predicted to take no
//! longer. A launch and a trip through memory less.
//!
//! Worked example: a layer of Llama 3.2 1B, one token: Q's rotation, K's with its write to the cache and the write of V
//! are in the kernels of the products, which are one launch.
//!
//! Limits: products of one row, not in bodies of loops; the reader has one result and no product of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use fornax_graph::{Attr, BlockId, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::build::Copy;
use super::decide::Forms;
use crate::decompose::insert::replace;
use crate::errors::PassError;
use crate::facts::products::{JOINED, has_several, is_product, rows_and_long_operand};
use crate::facts::{control, scalar};
use crate::observe::{Observer, Run, Turn, observed};
use crate::remarks::Expanded;

/// The pass's row.
pub const NAME: &str = "join_epilogue";
pub const DOC: &str = "what follows from a product of one row alone is computed with it: rotations, writes to caches";

/// A product's group and the one that reads its result, by their ops.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub product: OpId,
    pub reader: OpId,
    /// The result.
    value: ValueId,
}

/// Whether a new group, the last op of its block, may take the place of a pair of the graph before.
pub type Pays<'f> = &'f dyn Fn(&Graph, OpId, Pair) -> bool;

/// The graph with pairs joined that may be; `remarks` hears of each.
///
/// # Errors
/// FX0901 for a fusion group without a region.
pub fn join<'a>(
    graph: &'a Graph,
    pays: Pays<'_>,
    mut remarks: Option<&mut Expanded>,
) -> Result<Cow<'a, Graph>, PassError> {
    let mut joined = Cow::Borrowed(graph);
    // What is read in the place of a result that is no more.
    let mut instead: HashMap<ValueId, ValueId> = HashMap::new();
    for function in &graph.functions {
        let Some(entry) = graph.entry(function) else { continue };
        let pairs = pairs(graph, entry)?;
        for pair in pairs {
            let new = joined.to_mut();
            let group = one(graph, new, pair, &instead)?;
            let block = graph.op(pair.reader).block;
            if !pays(new, group, pair) {
                new.erase_op(group);
                continue;
            }
            let ops = &mut new.blocks[block.index()].ops;
            ops.retain(|&op| op != group);
            let at = ops.iter().position(|&op| op == pair.reader).unwrap_or(ops.len());
            ops.insert(at, group);
            let (old, result) = (graph.op(pair.reader).results[0], new.op(group).results[0]);
            replace(new, entry, &[(old, result)]);
            instead.insert(old, result);
            [pair.product, pair.reader].into_iter().for_each(|op| new.erase_op(op));
            if let Some(remarks) = remarks.as_deref_mut() {
                remarks.joined.extend([pair.product, pair.reader].map(|op| (op, group)));
            }
        }
    }
    Ok(joined)
}

/// The same before an observer, who hears of one run, for `target`.
///
/// # Errors
/// As [`join`].
pub fn observed_join<'a>(
    graph: &'a Graph,
    (target, pays): (&str, Pays<'_>),
    remarks: Option<&mut Expanded>,
    observer: &mut dyn Observer,
) -> Result<Cow<'a, Graph>, PassError> {
    if !observer.listens() {
        return join(graph, pays, remarks);
    }
    let run = Run { phase: super::PHASE, name: NAME, turn: Turn::Target(target) };
    let mut joined = graph.clone();
    observed(observer, &run, &mut joined, |joined| {
        if let Cow::Owned(new) = join(graph, pays, remarks)? {
            *joined = new;
        }
        Ok(())
    })?;
    Ok(Cow::Owned(joined))
}

/// Pairs of groups of a function that may be one, in the order of the readers.
fn pairs(graph: &Graph, entry: BlockId) -> Result<Vec<Pair>, PassError> {
    let mut reads: BTreeMap<ValueId, usize> = BTreeMap::new();
    graph.walk(entry, &mut |op| graph.op(op).operands.iter().for_each(|&v| *reads.entry(v).or_default() += 1));
    let blocks = control::all_blocks(graph, entry);
    let bodies = control::bodies(graph, &blocks);
    let mut found = Vec::new();
    for block in blocks.into_iter().filter(|block| !bodies.contains(block)) {
        for &reader in &graph.block(block).ops {
            let data = graph.op(reader);
            if data.kind != OpKind::Fusion || data.results.len() != 1 || !is_plain(graph, reader)? {
                continue;
            }
            for &value in data.operands.iter().filter(|&value| reads.get(value) == Some(&1)) {
                let Some(product) = graph.producer(value).filter(|&op| graph.op(op).block == block) else { continue };
                if has_one_row(graph, product)? {
                    found.push(Pair { product, reader, value });
                    break;
                }
            }
        }
    }
    Ok(found)
}

/// Whether a group has elementwise ops and moves alone, or an update in place behind them.
fn is_plain(graph: &Graph, group: OpId) -> Result<bool, PassError> {
    let ops = &graph.block(scalar::body(graph, group)?).ops;
    let is_loop = graph.op(group).attrs.str("hero") == Some("loop");
    Ok(is_loop || ops.iter().any(|&op| graph.op(op).kind == OpKind::UpdateInPlace))
}

/// Whether an op is the group of products of one row, with one result.
fn has_one_row(graph: &Graph, group: OpId) -> Result<bool, PassError> {
    let data = graph.op(group);
    if data.kind != OpKind::Fusion || data.results.len() != 1 {
        return Ok(false);
    }
    let is_meant = has_several(graph, group) || data.attrs.str("hero") == Some("contraction");
    let ops = &graph.block(scalar::body(graph, group)?).ops;
    let mut products = ops.iter().copied().filter(|&op| is_product(graph, op)).peekable();
    let one_row = |op| rows_and_long_operand(graph, op).is_some_and(|(rows, _)| rows == 1);
    Ok(is_meant && products.peek().is_some() && products.all(one_row))
}

/// Adds the group of both to the end of the block in `new`, a copy of `graph` in which values may have others instead.
fn one(
    graph: &Graph,
    new: &mut Graph,
    Pair { product, reader, value }: Pair,
    instead: &HashMap<ValueId, ValueId>,
) -> Result<OpId, PassError> {
    let mut inputs: Vec<ValueId> = Vec::new();
    for &operand in graph.op(product).operands.iter().chain(&graph.op(reader).operands) {
        if operand != value && !inputs.contains(&operand) {
            inputs.push(operand);
        }
    }
    let types: Vec<Type> = inputs.iter().map(|&v| graph.ty(v).clone()).collect();
    let region = new.add_region();
    let inner = new.add_block(region, &types);
    let given = new.block(inner).arguments.clone();
    let values: HashMap<ValueId, ValueId> = inputs.iter().copied().zip(given).collect();
    let mut copy = Copy { from: graph, to: new, values, forms: Forms::APART, pairs: None };
    for group in [product, reader] {
        let block = graph.block(scalar::body(graph, group)?);
        for (&argument, &operand) in block.arguments.iter().zip(&graph.op(group).operands) {
            let own = copy.value(operand)?;
            copy.values.insert(argument, own);
        }
        for &op in &block.ops {
            let data = graph.op(op);
            if data.kind != OpKind::FusionYield {
                copy.op(op, inner)?;
                continue;
            }
            let yielded = data.operands.iter().map(|&v| copy.value(v)).collect::<Result<Vec<_>, _>>()?;
            if let (true, Some(&first)) = (group == product, yielded.first()) {
                copy.values.insert(value, first);
            } else {
                copy.to.push_op(inner, NewOp::new(OpKind::FusionYield, yielded, Vec::new(), data.location));
            }
        }
    }
    let data = graph.op(reader);
    let results = data.results.iter().map(|&r| graph.ty(r).clone()).collect();
    let operands = inputs.iter().map(|v| instead.get(v).copied().unwrap_or(*v)).collect();
    let location = graph.op(product).location;
    let mut fusion =
        NewOp::new(OpKind::Fusion, operands, results, location).attr("hero", Attr::String(JOINED.to_string()));
    fusion.regions = vec![region];
    Ok(new.push_op(data.block, fusion))
}

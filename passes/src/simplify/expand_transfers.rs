//! A `send` and its `recv` become permutes: one, or one a level where what is sent is computed from what is received.
//!
//! Before:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.create_token : !stablehlo.token
//!   %1 = "stablehlo.send"(%arg0, %0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
//!       source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}>
//!       : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
//!   %2:2 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
//!       source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}>
//!       : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
//!   return %2#0 : tensor<2xf32>
//! }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
//!       source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! }
//! ```
//!
//! A pipeline: partition 0 receives nothing, so zeros, and sends their stage to partition 1, which sends to nobody.
//!
//! Before:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.create_token : !stablehlo.token
//!   %1:2 = "stablehlo.recv"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
//!       source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}>
//!       : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
//!   %2 = stablehlo.add %1#0, %arg0 : tensor<2xf32>
//!   %3 = "stablehlo.send"(%2, %1#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
//!       source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}>
//!       : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
//!   return %2 : tensor<2xf32>
//! }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %cst = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
//!   %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
//!   %0 = stablehlo.partition_id : tensor<ui32>
//!   %c = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
//!   %1 = stablehlo.dynamic_slice %c, %0, sizes = [1] : (tensor<2xi32>, tensor<ui32>) -> tensor<1xi32>
//!   %2 = stablehlo.reshape %1 : (tensor<1xi32>) -> tensor<i32>
//!   %c_1 = stablehlo.constant dense<0> : tensor<i32>
//!   %3 = stablehlo.compare EQ, %2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!   %4 = "stablehlo.if"(%3) ({
//!     %8 = stablehlo.add %cst, %arg0 : tensor<2xf32>
//!     stablehlo.return %8 : tensor<2xf32>
//!   }, {
//!     stablehlo.return %cst_0 : tensor<2xf32>
//!   }) : (tensor<i1>) -> tensor<2xf32>
//!   %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
//!       source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
//!   %c_2 = stablehlo.constant dense<1> : tensor<i32>
//!   %6 = stablehlo.compare EQ, %2, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!   %7 = "stablehlo.if"(%6) ({
//!     %8 = stablehlo.add %5, %arg0 : tensor<2xf32>
//!     stablehlo.return %8 : tensor<2xf32>
//!   }, {
//!     stablehlo.return %4 : tensor<2xf32>
//!   }) : (tensor<i1>) -> tensor<2xf32>
//!   return %7 : tensor<2xf32>
//! }
//! }
//! ```
//!
//! How levels are found: `expand_transfers/levels.rs`; how they become ops: `expand_transfers/stages.rs`. Tokens count
//! where devices would wait for each other for ever (`expand_transfers/deadlock.rs`), and then no more.
//! Limits: transfers with the host are refused, and so are halves of a channel in different blocks. A stage is there
//! once a level.

mod channels;
mod deadlock;
mod groups;
mod levels;
mod stages;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use fornax_graph::sharding::{Mesh, parse_axes};
use fornax_graph::{BlockId, DimDef, Graph, NewOp, OpKind, Type, ValueId};

use self::channels::{Channel, by_block, is_plain};
use self::deadlock::Order;
use self::groups::groups;
use self::stages::Group;
use super::{Options, each_op};
use crate::errors::PassError;
use crate::rewrite::copy::ValueMap;

pub fn run(graph: &mut Graph, options: &Options) -> Result<bool, PassError> {
    let mut is_ready = true;
    each_op(graph, &mut |id| is_ready &= !matches!(graph.op(id).kind, OpKind::FuncCall | OpKind::AsyncStart));
    if !is_ready {
        return Ok(false);
    }
    let mut changed = false;
    for at in 0..graph.functions.len() {
        let Some(entry) = graph.entry(&graph.functions[at]) else { continue };
        let blocks = blocks(graph, entry);
        let all: Vec<BlockId> = blocks.iter().map(|(block, _)| *block).collect();
        let mut by_block = by_block(graph, &all)?;
        // Inner blocks first: what is a permute there is a collective of a stage outside.
        for (block, is_cut_later) in blocks.into_iter().rev() {
            if let Some(channels) = by_block.remove(&block) {
                changed |= expand(graph, (block, is_cut_later), &channels, options)?;
            }
        }
    }
    Ok(changed)
}

/// The blocks of a function, outer before inner, and whether collectives may come to stand there when the program of
/// all devices is cut.
fn blocks(graph: &Graph, entry: BlockId) -> Vec<(BlockId, bool)> {
    let meshes = graph.module_ops.iter().filter_map(|text| Mesh::parse(text)?.ok());
    let axes: HashSet<String> = meshes.flat_map(|mesh| mesh.axes).map(|(name, _)| name).collect();
    let mut found = Vec::new();
    // With the axes that are left to be cut along.
    let mut next = vec![(entry, axes)];
    while let Some((block, axes)) = next.pop() {
        for &id in &graph.block(block).ops {
            let op = graph.op(id);
            let manual = op.attrs.get("manual_axes").filter(|_| op.kind == OpKind::ManualComputation);
            let manual = manual.and_then(|attr| parse_axes(&super::partition::text(attr)).ok()).unwrap_or_default();
            let left: HashSet<String> = axes.iter().filter(|axis| !manual.contains(axis)).cloned().collect();
            let inner = op.regions.iter().flat_map(|&region| &graph.region(region).blocks);
            next.extend(inner.map(|&block| (block, left.clone())));
        }
        found.push((block, !axes.is_empty()));
    }
    found
}

/// The channels of one block; whether anything changed.
fn expand(
    graph: &mut Graph,
    (block, is_cut_later): (BlockId, bool),
    channels: &[Channel],
    options: &Options,
) -> Result<bool, PassError> {
    let is_known = |channel: &Channel| channel.received(graph).iter().all(|&value| is_plain(graph, value));
    if !channels.iter().all(is_known) {
        return Ok(false);
    }
    let order = Order::of(graph, block, channels);
    deadlock::refuse(graph, channels, &order)?;
    let mut changed = detach_tokens(graph, block, channels);
    for (group, is_pipeline) in groups(&Order::of(graph, block, channels).before_send) {
        let channels = group.iter().map(|&at| &channels[at]).collect();
        let group = Group { channels, is_pipeline, is_cut_later, max_ops: options.max_ops };
        if let Some(values) = group.expand(graph, block)? {
            replace(graph, &values);
            changed = true;
        }
    }
    Ok(changed)
}

/// The order that tokens ask for is known: whoever took one of these tokens takes a new one.
fn detach_tokens(graph: &mut Graph, block: BlockId, channels: &[Channel]) -> bool {
    let halves: Vec<_> = channels.iter().flat_map(|channel| [channel.send, channel.recv]).collect();
    let given: HashSet<ValueId> = halves.iter().filter_map(|&op| graph.op(op).results.last().copied()).collect();
    let is_used = graph.ops.iter().flat_map(|op| &op.operands).any(|value| given.contains(value));
    let is_new = |value: &ValueId| graph.producer(*value).is_some_and(|op| graph.op(op).kind == OpKind::CreateToken);
    if !is_used && halves.iter().all(|&op| graph.op(op).operands.last().is_none_or(is_new)) {
        return false;
    }
    let location = graph.op(halves[0]).location;
    let token = graph.insert_op(block, 0, NewOp::new(OpKind::CreateToken, Vec::new(), vec![Type::Token], location));
    let token = graph.op(token).results[0];
    replace(graph, &given.into_iter().map(|old| (old, token)).collect());
    for op in halves {
        if let Some(last) = graph.op_mut(op).operands.last_mut() {
            *last = token;
        }
    }
    true
}

/// Values that others take the place of, everywhere.
fn replace(graph: &mut Graph, values: &ValueMap) {
    let new = |old: &mut ValueId| {
        if let Some(&new) = values.get(old) {
            *old = new;
        }
    };
    graph.ops.iter_mut().flat_map(|op| &mut op.operands).for_each(new);
    for dim in graph.dims.iter_mut() {
        if let DimDef::Value { value } = &mut dim.def {
            new(value);
        }
    }
}

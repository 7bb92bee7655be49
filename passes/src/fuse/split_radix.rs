//! Long sorts by a total order of keys become a radix sort: for every eight bits of the key, lowest first, the counts of digits in
//! tiles, their prefix sums, and a stable distribution.
//!
//! Worked example: 16,777,216 f32: 4 passes; tiles of 4096 give counts [256, 4096], whose exclusive prefix sums in that order
//! say where the elements of each digit and tile go.

use fornax_graph::{Attr, ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::split_reduce::Insert;
use super::{split_scan, split_sort};
use crate::errors::PassError;
use crate::facts::marks::{COUNTS, DIGIT_SHIFT, TILE};
use crate::facts::ops::{shape, tensor};
use crate::facts::sort_keys::key_bits;
use crate::facts::sorting::register_bytes;
use fornax_graph::BlockId;
use fornax_plan::radix::{DIGIT_BITS, DIGITS};

/// Tiles, and the bytes that an element may have in the shared memory that is left.
const TILES: &[(i64, i64)] = &[(4096, 8), (2048, 17), (1024, 36)];

/// The results of sort `op` along its last dimension, sorted by digits, where that pays: from `least` elements a line on.
pub(super) fn sorted(
    graph: &mut Graph,
    op: OpId,
    (along, least): (usize, i64),
    entry: BlockId,
) -> Result<Option<Vec<ValueId>>, PassError> {
    let data = graph.op(op).clone();
    let sizes = shape(graph, data.operands[0])?;
    let n = sizes[along];
    let mut bytes = 0;
    for &operand in &data.operands {
        bytes += register_bytes(tensor(graph, operand)?.element);
    }
    // A line has two tiles at least.
    let halved = |tile: i64| std::iter::successors(Some(tile), |t| Some(t / 2)).find(|t| 2 * t <= n.max(2));
    let tile = TILES.iter().find(|t| bytes <= t.1).and_then(|t| halved(t.0));
    let Some(tile) = tile.filter(|_| along + 1 == sizes.len() && n >= least && n <= i64::from(i32::MAX)) else {
        return Ok(None);
    };
    let Some(bits) = key_bits(graph, op)? else { return Ok(None) };
    let tiles = (n + tile - 1) / tile;
    let mut values = data.operands.clone();
    for shift in (0..bits).step_by(DIGIT_BITS as usize) {
        let mut counted = sizes[..along].to_vec();
        counted.extend([DIGITS, tiles]);
        let types = vec![Type::tensor(&counted, ElementType::I32)];
        let counts = pass(graph, op, &values, types, &[(DIGIT_SHIFT, i64::from(shift)), (TILE, tile), (COUNTS, 1)])[0];
        let mut flat = sizes[..along].to_vec();
        flat.push(DIGITS * tiles);
        let of = (flat.as_slice(), ElementType::I32);
        let mut at = Insert { graph, before: op };
        let counts = at.op(OpKind::Reshape, &[counts], of);
        let sums = split_scan::prefix_sum(&mut at, counts, along, of);
        let scan = at.graph.producer(sums);
        let starts = at.op(OpKind::Subtract, &[sums, counts], of);
        let starts = at.op(OpKind::Reshape, &[starts], (&counted, ElementType::I32));
        if let Some(scan) = scan {
            split_scan::split(graph, scan, entry)?;
        }
        let types = data.operands.iter().map(|&v| graph.ty(v).clone()).collect();
        values.push(starts);
        values = pass(graph, op, &values, types, &[(DIGIT_SHIFT, i64::from(shift)), (TILE, tile)]);
    }
    Ok(Some(values))
}

/// A sort like `op` with attributes that say which pass it is.
fn pass(
    graph: &mut Graph,
    op: OpId,
    operands: &[ValueId],
    types: Vec<Type>,
    attributes: &[(&str, i64)],
) -> Vec<ValueId> {
    let data = graph.op(op).clone();
    let mut new = NewOp::new(OpKind::Sort, operands.to_vec(), types, data.location);
    if let Some(dimension) = data.attrs.get("dimension") {
        new = new.attr("dimension", dimension.clone());
    }
    for &(name, value) in attributes {
        new = new.attr(name, Attr::Int(i128::from(value), Type::Scalar(ElementType::I64)));
    }
    new.regions = data.regions.iter().map(|&region| split_sort::copy_region(graph, region)).collect();
    let at = graph.block(data.block).ops.iter().position(|&o| o == op).unwrap_or(0);
    let new = graph.insert_op(data.block, at, new);
    graph.op(new).results.clone()
}

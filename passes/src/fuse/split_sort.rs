//! Long sorts by keys become radix sorts (`split_radix`), others a sort of blocks and merges of runs twice as long each; a sort of which only the first elements are read
//! keeps those of every block.
//!
//! Long lines of which few elements are read are looked at in groups first (`split_select`).
//!
//! Worked examples: 100,000 f32 are sorted in blocks of 2048, then merged to runs of 4096, …, 131,072: 7 ops. The first 5 of
//! 100,000 (`top_k`): 49 blocks of 2048 keep 5 each, which leaves 245 to sort.

use std::collections::HashMap;

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, BlockId, ElementType, Graph, NewOp, OpId, OpKind, RegionId, Type, ValueId};

use super::prepare::replace;
use super::{Machines, split_radix, split_select};
use crate::errors::PassError;
use crate::facts::marks::DIGIT_SHIFT;
use crate::facts::marks::{KEEP, RUNS, SORTED_RUNS};
use crate::facts::ops::{shape, tensor};
use crate::facts::sorting::{block, dimension};

/// How much shorter every round of a selection must make the lines.
const SHRINK: i64 = 4;

/// Splits `op`, a `sort` in the function body `entry`, where its lines are longer than a block.
pub fn split(graph: &mut Graph, op: OpId, entry: BlockId, machines: Machines) -> Result<(), PassError> {
    let data = graph.op(op).clone();
    let Some(&first) = data.operands.first() else { return Ok(()) };
    let along = dimension(graph, op)?;
    let mut n = shape(graph, first)?[along];
    let block = block(graph, &data.operands)?;
    let short = n <= block;
    if short && n < machines.radix_line_min() || data.attrs.int(RUNS).is_some() || data.attrs.int(DIGIT_SHIFT).is_some()
    {
        return Ok(());
    }
    let mut values = data.operands.clone();
    let selected = selected(graph, op, along, entry)?.filter(|&k| k * SHRINK <= block && !short);
    if let Some(keep) = selected {
        if let Some(candidates) = split_select::candidates(graph, op, along, keep)? {
            (values, n) = (candidates.operands, candidates.line);
            for sort in candidates.sorts {
                split(graph, sort, entry, machines)?;
            }
        }
        while n > block {
            let kept = n / block * keep + keep.min(n % block);
            values = part(graph, op, &values, (along, kept), &[(RUNS, block), (KEEP, keep)])?;
            n = kept;
        }
        values = part(graph, op, &values, (along, n), &[])?;
    } else if let Some(sorted) = split_radix::sorted(graph, op, (along, machines.radix_line_min()), entry)? {
        values = sorted;
    } else if short {
        return Ok(());
    } else {
        values = part(graph, op, &values, (along, n), &[(RUNS, block)])?;
        let mut run = block;
        while run < n {
            values = part(graph, op, &values, (along, n), &[(SORTED_RUNS, run), (RUNS, 2 * run)])?;
            run *= 2;
        }
    }
    let pairs: Vec<(ValueId, ValueId)> = data.results.iter().copied().zip(values).collect();
    replace(graph, entry, &pairs);
    graph.erase_op(op);
    Ok(())
}

/// How many of the first elements are read, where slices are all that reads the results.
fn selected(graph: &Graph, op: OpId, along: usize, entry: BlockId) -> Result<Option<i64>, PassError> {
    let results = &graph.op(op).results;
    let mut readers = Vec::new();
    graph.walk(entry, &mut |reader| {
        if graph.op(reader).operands.iter().any(|v| results.contains(v)) {
            readers.push(reader);
        }
    });
    let mut most = None;
    for reader in readers {
        let data = graph.op(reader);
        if data.kind != OpKind::Slice {
            return Ok(None);
        }
        let (starts, limits) = (dim_list(data, "start_indices"), dim_list(data, "limit_indices"));
        let strides = dim_list(data, "strides");
        let (Some(0), Some(&limit), Some(1)) = (starts.get(along), limits.get(along), strides.get(along)) else {
            return Ok(None);
        };
        most = most.max(i64::try_from(limit).ok());
    }
    Ok(most.filter(|&k| k >= 1))
}

/// A sort like `op` of other operands, with attributes; its results have `extent` elements along a dimension.
fn part(
    graph: &mut Graph,
    op: OpId,
    operands: &[ValueId],
    (along, extent): (usize, i64),
    attributes: &[(&str, i64)],
) -> Result<Vec<ValueId>, PassError> {
    let mut types = Vec::new();
    for &operand in operands {
        let mut sizes = shape(graph, operand)?;
        sizes[along] = extent;
        types.push(Type::tensor(&sizes, tensor(graph, operand)?.element));
    }
    Ok(sort_like(graph, op, operands, types, attributes))
}

/// A sort like `op` of other operands and result types, with attributes.
pub fn sort_like(
    graph: &mut Graph,
    op: OpId,
    operands: &[ValueId],
    types: Vec<Type>,
    attributes: &[(&str, i64)],
) -> Vec<ValueId> {
    let data = graph.op(op).clone();
    let mut new = NewOp::new(OpKind::Sort, operands.to_vec(), types, data.location);
    for name in ["dimension", "is_stable"] {
        if let Some(value) = data.attrs.get(name) {
            new = new.attr(name, value.clone());
        }
    }
    for &(name, value) in attributes {
        new = new.attr(name, Attr::Int(i128::from(value), Type::Scalar(ElementType::I64)));
    }
    for &region in &data.regions {
        new.regions.push(copy_region(graph, region));
    }
    let at = graph.block(data.block).ops.iter().position(|&o| o == op).unwrap_or(0);
    let new = graph.insert_op(data.block, at, new);
    graph.op(new).results.clone()
}

/// A copy of a region that reads nothing from outside.
pub(super) fn copy_region(graph: &mut Graph, region: RegionId) -> RegionId {
    let copy = graph.add_region();
    let mut values: HashMap<ValueId, ValueId> = HashMap::new();
    for block in graph.region(region).blocks.clone() {
        let arguments = graph.block(block).arguments.clone();
        let types: Vec<Type> = arguments.iter().map(|&v| graph.ty(v).clone()).collect();
        let new = graph.add_block(copy, &types);
        values.extend(arguments.into_iter().zip(graph.block(new).arguments.clone()));
        for op in graph.block(block).ops.clone() {
            let data = graph.op(op).clone();
            let result_types = data.results.iter().map(|&r| graph.ty(r).clone()).collect();
            let operands = data.operands.iter().map(|v| values.get(v).copied().unwrap_or(*v)).collect();
            let regions = data.regions.iter().map(|&inner| copy_region(graph, inner)).collect();
            let (kind, name, attrs, location) = (data.kind, data.name.clone(), data.attrs.clone(), data.location);
            let copied = graph.push_op(new, NewOp { kind, name, operands, result_types, attrs, regions, location });
            values.extend(data.results.into_iter().zip(graph.op(copied).results.clone()));
        }
    }
    copy
}

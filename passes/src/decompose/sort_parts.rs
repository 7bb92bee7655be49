//! What the rewrites of sorts share: how long lines are, what is read of them, and sorts like another one.

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, BlockId, ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::Site;
use crate::errors::PassError;
use crate::facts::ops::{shape, tensor};
use crate::facts::sorting::{block, dimension};
use crate::rewrite::Rewriter;
use crate::rewrite::copy::{ValueMap, copy_region};

/// How much shorter every round of a selection must make the lines.
const SHRINK: i64 = 4;

/// The lines of a sort of known sizes.
pub struct Line {
    /// The dimension that is sorted.
    pub along: usize,
    pub length: i64,
    /// Elements that one kernel sorts from scratch.
    pub block: i64,
}

impl Line {
    /// `None` for a sort of nothing.
    pub fn of(graph: &Graph, op: OpId) -> Result<Option<Line>, PassError> {
        let data = graph.op(op);
        let Some(&first) = data.operands.first() else { return Ok(None) };
        let along = dimension(graph, op)?;
        Ok(Some(Line { along, length: shape(graph, first)?[along], block: block(graph, &data.operands)? }))
    }

    /// Whether one kernel sorts a line.
    pub fn is_short(&self) -> bool {
        self.length <= self.block
    }
}

/// The lines of a long sort of which few elements are read, and how many.
pub fn selection(graph: &Graph, op: OpId, site: &Site) -> Result<Option<(Line, i64)>, PassError> {
    let Some(line) = Line::of(graph, op)?.filter(|line| !line.is_short()) else { return Ok(None) };
    let keep = selected(graph, op, line.along, site.entry)?.filter(|k| k * SHRINK <= line.block);
    Ok(keep.map(|keep| (line, keep)))
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

/// How long the results of a part of a sort are.
#[derive(Clone, Copy)]
pub struct Extent {
    /// The dimension that is sorted.
    pub along: usize,
    /// The elements along it.
    pub length: i64,
}

/// A part of the sort `op`, of other operands, with attributes; its results have the length of `extent`.
pub fn part(
    graph: &mut Graph,
    op: OpId,
    kind: OpKind,
    operands: &[ValueId],
    extent: Extent,
    attributes: &[(&str, i64)],
) -> Result<Vec<ValueId>, PassError> {
    let mut types = Vec::new();
    for &operand in operands {
        let mut sizes = shape(graph, operand)?;
        sizes[extent.along] = extent.length;
        types.push(Type::tensor(&sizes, tensor(graph, operand)?.element));
    }
    Ok(part_of(graph, (op, kind), operands, types, attributes))
}

/// A part of the sort `op`, of other operands and result types, with attributes.
pub fn part_of(
    graph: &mut Graph,
    (op, kind): (OpId, OpKind),
    operands: &[ValueId],
    types: Vec<Type>,
    attributes: &[(&str, i64)],
) -> Vec<ValueId> {
    let data = graph.op(op).clone();
    let mut new = NewOp::new(kind, operands.to_vec(), types, data.location);
    for name in ["dimension", "is_stable"] {
        if let Some(value) = data.attrs.get(name) {
            new = new.attr(name, value.clone());
        }
    }
    for &(name, value) in attributes {
        new = new.attr(name, Attr::Int(i128::from(value), Type::Scalar(ElementType::I64)));
    }
    for &region in &data.regions {
        new.regions.push(copy_region(graph, region, &mut ValueMap::new()));
    }
    Rewriter::before(graph, op).insert(new)
}

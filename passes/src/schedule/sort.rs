//! `sort` as a [`Body::Sort`].
//!
//! Long sorts are cut in `fornax.sort_runs` and `fornax.merge_runs` before: `sorted_runs` are runs along the dimension
//! that are in order already, `runs` those that shall be, `keep` elements that a run keeps. A sort orders whole lines.
//!
//! Worked example: sort of [8, 1000] by `a > b` along dimension 1: lines of 1000 f32, `before` = Running(0) >
//! Incoming(0), result (i, j) = Reduced(0) with j along the line.

use fornax_graph::OpId;
use fornax_plan::{Body, Node, NodeId};

use super::lower::{HeroBody, Lowering};
use crate::errors::PassError;
use crate::facts::scalar;
use crate::facts::sorting::dimension;

/// Builds the body.
pub(super) fn sort(l: &mut Lowering<'_>, op: OpId, index: &[fornax_plan::IndexId]) -> Result<HeroBody, PassError> {
    let data = l.graph.op(op);
    let along = dimension(l.graph, op)?;
    let size = l.sizes(data.operands[0])?.get(along).copied();
    let size = size.ok_or_else(|| PassError::internal(l.graph, op, "sorts along no dimension"))?;
    let known = l.exprs.indices.as_constant(size);
    let extent = known.unwrap_or(i64::MAX);
    if known.is_some() && extent > i64::from(i32::MAX) {
        return Err(PassError::no_kernel(l.graph, op, "FX0314", "sorts more than 2^31 elements"));
    }
    if extent == 1 {
        let own = data.operands.iter().map(|&v| l.value_at(v, index, None)).collect::<Result<Vec<_>, _>>()?;
        return Ok(HeroBody::computed(own));
    }
    let source = l.exprs.indices.add_sized_var(size);
    let mut there = index.to_vec();
    there[along] = l.exprs.indices.var(source);
    let target = match l.exprs.indices.as_var(index[along]) {
        Some(var) => var,
        None => l.exprs.indices.add_var(1),
    };
    let (mut operands, mut arguments, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for (index, &operand) in (0u32..).zip(&data.operands) {
        let node: NodeId = l.value_at(operand, &there, None)?;
        let element = l.exprs.element(node);
        operands.push(node);
        arguments.push(l.exprs.add(Node::Running { index, element }));
        arguments.push(l.exprs.add(Node::Incoming { index, element }));
        results.push(l.exprs.add(Node::Reduced { index, element }));
    }
    let block = scalar::body(l.graph, op)?;
    let before = scalar::region(l.graph, op, block, &arguments, &mut l.exprs)?;
    let before = *before.first().ok_or_else(|| PassError::internal(l.graph, op, "compares nothing"))?;
    let number = |name| data.attrs.int(name).filter(|&n| n >= 1);
    let (from, to) = (number("sorted_runs").unwrap_or(1), number("runs").unwrap_or(extent));
    let keep = number("keep").unwrap_or(to);
    let body = Body::Sort { along: target, source, operands, before, from, to, keep, stores: Vec::new() };
    Ok(HeroBody::of(body, results))
}

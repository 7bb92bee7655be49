//! A scatter whose updates fusion sorted by the row they go to (`decompose::sorted_scatter`) as a [`Body::Segment`].
//!
//! Operands: inputs, sorted rows `[N]`, updates, their numbers `[N]` in that order; both i32, or i64 where N or the
//! rows are known only at run time. Worked example: rows `[0, 2, 2]`, numbers [1, 0, 2], updates [5, 6, 7], add into
//! [x, y, z]: x + 6, y, z + (5 + 7).

use fornax_graph::views::scatter_dims;
use fornax_graph::{ElementType, OpId};
use fornax_plan::{Body, Combiner, IndexId, Node, NodeId};

use super::lower::{HeroBody, Lowering};
use super::reduction::is_identity;
use crate::errors::PassError;
use crate::facts::combiner::simple;
use crate::facts::scalar::{self, identity_bits};

/// Builds the body; `index` is the index of the results.
pub(super) fn build(l: &mut Lowering<'_>, op: OpId, index: &[IndexId]) -> Result<HeroBody, PassError> {
    let data = l.graph.op(op);
    let n = data.results.len();
    let broken = || PassError::internal(l.graph, op, "dimension numbers do not fit the shapes");
    if data.operands.len() != 2 * n + 2 || n == 0 {
        return Err(broken());
    }
    let dims = scatter_dims(data);
    let (rows, updates, numbers) = (data.operands[n], &data.operands[n + 1..=2 * n], data.operands[2 * n + 1]);
    let (sizes, update_shape) = (l.sizes(data.operands[0])?, l.sizes(updates[0])?);
    let count = l.sizes(rows)?.first().copied().ok_or_else(broken)?;
    let along = l.exprs.indices.add_sized_var(count);
    let place = l.exprs.indices.var(along);
    let key = l.value_at(rows, &[place], None)?;
    let scattered: Vec<IndexId> =
        dims.scatter_dims_to_operand_dims.iter().filter_map(|&d| index.get(d).copied()).collect();
    let extents: Vec<IndexId> =
        dims.scatter_dims_to_operand_dims.iter().filter_map(|&d| sizes.get(d).copied()).collect();
    let row = l.exprs.indices.linearize_sized(&scattered, &extents);
    let row = l.exprs.add(Node::FromIndex { element: l.exprs.element(key), index: row });
    let number = l.value_at(numbers, &[place], None)?;
    let last = l.exprs.indices.range(count).1.saturating_sub(1).max(0);
    let number = l.exprs.indices.value(number, 0, last);
    let of_batch: Vec<usize> = (0..update_shape.len()).filter(|d| !dims.update_window_dims.contains(d)).collect();
    let batch_sizes: Vec<IndexId> = of_batch.iter().map(|&d| update_shape[d]).collect();
    let batch = l.exprs.indices.delinearize_sized(number, &batch_sizes);
    let zero = l.exprs.indices.constant(0);
    let window = (0..sizes.len()).filter(|d| !dims.inserted_window_dims.contains(d));
    let window: Vec<IndexId> =
        window.map(|d| if dims.scatter_dims_to_operand_dims.contains(&d) { zero } else { index[d] }).collect();
    let mut there = vec![zero; update_shape.len()];
    for (&d, &at) in of_batch.iter().zip(&batch).chain(dims.update_window_dims.iter().zip(&window)) {
        *there.get_mut(d).ok_or_else(broken)? = at;
    }
    let (mut olds, mut news) = (Vec::new(), Vec::new());
    for (&operand, &update) in data.operands[..n].iter().zip(updates) {
        olds.push(l.value_at(operand, index, None)?);
        news.push(l.value_at(update, &there, None)?);
    }
    let block = scalar::body(l.graph, op)?;
    if n == 1
        && let Some(combiner) = simple(l.graph, block)
    {
        let own = l.exprs.element(olds[0]);
        let element = own.accumulator();
        let input = l.exprs.convert(element, news[0]);
        let bits = identity_bits(combiner, element).unwrap_or(0);
        let init = l.exprs.add(Node::Constant { element, bits });
        let mut node = l.exprs.add(Node::Reduced { index: 0, element });
        if !is_identity(l, combiner, olds[0]) {
            let old = l.exprs.convert(element, olds[0]);
            node = l.exprs.binary(combiner, old, node);
        }
        let node = l.exprs.convert(own, node);
        let (inputs, inits, combiner) = (vec![input], vec![init], Combiner::Simple(combiner));
        let body = Body::Segment { along, key, row, inputs, inits, combiner, stores: Vec::new() };
        return Ok(HeroBody::of(body, vec![node]));
    }
    let types: Vec<ElementType> = olds.iter().map(|&i| l.exprs.element(i)).collect();
    let mut arguments: Vec<NodeId> = Vec::with_capacity(2 * n);
    for (index, &element) in (0u32..).zip(&types) {
        arguments.push(l.exprs.add(Node::Running { index, element }));
    }
    for (index, &element) in (0u32..).zip(&types) {
        arguments.push(l.exprs.add(Node::Incoming { index, element }));
    }
    let combined = scalar::region(l.graph, op, block, &arguments, &mut l.exprs)?;
    let results = (0u32..).zip(&types).map(|(index, &element)| l.exprs.add(Node::Reduced { index, element })).collect();
    let combiner = Combiner::General(combined);
    let body = Body::Segment { along, key, row, inputs: news, inits: olds, combiner, stores: Vec::new() };
    Ok(HeroBody::of(body, results))
}

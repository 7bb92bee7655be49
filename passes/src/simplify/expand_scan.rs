//! `chlo.scan` becomes a counted loop, `chlo.ragged_dot` products with the matrix of each group.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<0xf32>, %arg1: tensor<f32>) -> (tensor<0xf32>, tensor<f32>) {
//!   %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 {
//!   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//!     %1 = stablehlo.add %a, %b : tensor<f32>
//!     stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
//!   } : (tensor<0xf32>, tensor<f32>) -> (tensor<0xf32>, tensor<f32>)
//!   return %0#0, %0#1 : tensor<0xf32>, tensor<f32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<0xf32>, %arg1: tensor<f32>) -> (tensor<0xf32>, tensor<f32>) {
//!   %0 = stablehlo.constant dense<0.000000e+00> : tensor<0xf32>
//!   return %0, %arg1 : tensor<0xf32>, tensor<f32>
//! }
//! ```
//!
//! A round of the scan's loop takes a slice of each input and puts one into each output. Of a ragged product, rows from the sum of the
//! sizes of the groups before up to that with its own size belong to a group; rows after the last group are zero. A round of
//! its loop multiplies with the matrix of one group and keeps the group's rows.
//! Limits: static shapes. A ragged product costs as much as all rows with every matrix.

use fornax_graph::{Attr, AttrMap, ElementType, Graph, OpId, OpKind, TensorType, ValueId};
use fornax_reference::Scalar;

use super::build::dot_attr;
use super::ops::Ops;
use super::rewrite::{Rewrite, Rewriter, sweep};
use super::Options;
use crate::errors::PassError;
use fornax_graph::views::DotDims;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::ChloScan => Ok(scan(rw, id).map_or(Rewrite::Keep, Rewrite::Replace)),
        OpKind::ChloRaggedDot => Ok(ragged_dot(rw, id).map_or(Rewrite::Keep, Rewrite::with)),
        _ => Ok(Rewrite::Keep),
    })
}

fn scan(rw: &mut Rewriter, id: OpId) -> Option<Vec<ValueId>> {
    let op = rw.graph.op(id).clone();
    let segments = op.attrs.ints("operandSegmentSizes").unwrap_or_default();
    let count = segments.first().and_then(|&n| usize::try_from(n).ok()).unwrap_or(op.operands.len() / 2);
    let (inputs, carries) = op.operands.split_at_checked(count).filter(|parts| !parts.0.is_empty())?;
    let outputs = op.results.len().checked_sub(carries.len())?;
    let dimension = usize::try_from(op.attrs.int("dimension")?).ok()?;
    let backwards = op.attrs.bool("is_reverse").unwrap_or(false);
    let shapes = inputs.iter().map(|&v| rw.shape(v).filter(|s| dimension < s.len())).collect::<Option<Vec<_>>>()?;
    let results = op.results.iter().map(|&r| rw.tensor(r).cloned()).collect::<Option<Vec<TensorType>>>()?;
    let length = shapes[0][dimension];
    let outputs = &results[..outputs];
    if shapes.iter().any(|s| s[dimension] != length)
        || outputs.iter().any(|ty| ty.static_shape().is_none_or(|s| s.get(dimension) != Some(&length)))
    {
        return None;
    }
    let body = rw.graph.region(*op.regions.first()?).blocks.first().copied()?;
    let o = &Ops::new(rw);
    let empty = |ty: &TensorType| o.splat(&ty.static_shape().unwrap_or_default(), ty.element, Scalar::zero(ty.element));
    let stacks: Vec<ValueId> = outputs.iter().map(empty).collect();
    let start = [&stacks[..], carries].concat();
    if length == 0 {
        return Some(start);
    }
    let at = |rank: usize, i: ValueId| -> Vec<ValueId> {
        (0..rank).map(|d| if d == dimension { i } else { o.index(0) }).collect()
    };
    Some(o.counted(length, &start, |o, i, carried| {
        let i = if backwards { o.sub(o.index(length - 1), i) } else { i };
        let (stacks, carries) = carried.split_at(outputs.len());
        let mut arguments: Vec<ValueId> = Vec::new();
        for (&input, shape) in inputs.iter().zip(&shapes) {
            let mut one = shape.clone();
            one[dimension] = 1;
            let slice = o.slice_at(input, &at(shape.len(), i), &one);
            one.remove(dimension);
            arguments.push(o.reshape(slice, &one));
        }
        arguments.extend(carries);
        let made = o.with(|rw| {
            let formal = rw.graph.block(body).arguments.clone();
            rw.copy_body(body, &mut formal.into_iter().zip(arguments).collect())
        });
        let mut next = Vec::new();
        for ((&stack, &value), ty) in stacks.iter().zip(&made).zip(outputs) {
            let mut one = ty.static_shape().unwrap_or_default();
            one[dimension] = 1;
            next.push(o.put_at(stack, o.reshape(value, &one), &at(one.len(), i)));
        }
        next.extend(&made[stacks.len().min(made.len())..]);
        next
    }))
}

/// `[B, M, K]·[B, K, N]` with a result of another element type.
fn product(o: &Ops, a: ValueId, b: ValueId, element: ElementType, attrs: &AttrMap) -> ValueId {
    let (left, right) = (o.shape(a), o.shape(b));
    let numbers = DotDims { lhs_batch: vec![0], rhs_batch: vec![0], lhs_contract: vec![2], rhs_contract: vec![1] };
    let mut given = vec![("dot_dimension_numbers", dot_attr(&numbers))];
    if let Some(precision) = attrs.get("precision_config") {
        given.push(("precision_config", precision.clone()));
    }
    o.emit(OpKind::DotGeneral, &[a, b], TensorType::new(&[left[0], left[1], right[2]], element), &given)
}

/// Dimension numbers by name.
fn list(fields: &AttrMap, name: &str) -> Vec<usize> {
    let ints = fields.ints(name).unwrap_or_default();
    ints.into_iter().filter_map(|d| usize::try_from(d).ok()).collect()
}

fn ragged_dot(rw: &mut Rewriter, id: OpId) -> Option<ValueId> {
    let op = rw.graph.op(id).clone();
    let &[lhs, rhs, sizes] = &op.operands[..] else { return None };
    let Some(Attr::Struct(_, fields)) = op.attrs.get("ragged_dot_dimension_numbers") else { return None };
    let (left, right, group_shape) = (rw.shape(lhs)?, rw.shape(rhs)?, rw.shape(sizes)?);
    let result = rw.tensor(*op.results.first()?)?.clone();
    let wanted = result.static_shape()?;
    let (lhs_batch, rhs_batch) = (list(fields, "lhs_batching_dimensions"), list(fields, "rhs_batching_dimensions"));
    let (lhs_sum, rhs_sum) = (list(fields, "lhs_contracting_dimensions"), list(fields, "rhs_contracting_dimensions"));
    let group = list(fields, "rhs_group_dimensions");
    let &[ragged] = &list(fields, "lhs_ragged_dimensions")[..] else { return None };
    let free = |rank: usize, taken: [&[usize]; 3]| -> Vec<usize> {
        (0..rank).filter(|d| !taken.iter().any(|t| t.contains(d))).collect()
    };
    let lhs_free = free(left.len(), [&lhs_batch, &lhs_sum, &[]]);
    let rhs_free = free(right.len(), [&rhs_batch, &rhs_sum, &group]);
    let size = |of: &[i64], dims: &[usize]| dims.iter().map(|&d| of[d]).product::<i64>();
    let (b, m, k) = (size(&left, &lhs_batch), size(&left, &lhs_free), size(&left, &lhs_sum));
    let n = size(&right, &rhs_free);
    let groups = *group_shape.last()?;
    let o = &Ops::new(rw);
    let a = o.reshape(o.transpose(lhs, &[&lhs_batch[..], &lhs_free, &lhs_sum].concat()), &[b, m, k]);
    if lhs_batch.contains(&ragged) {
        let other = o.transpose(rhs, &[&rhs_batch[..], &rhs_sum, &rhs_free].concat());
        let whole = product(o, a, o.reshape(other, &[b, k, n]), result.element, &op.attrs);
        return Some(o.reshape(whole, &wanted));
    }
    // Where each group begins and ends, [B, 1] a round.
    let own: i64 = group_shape.iter().product();
    let ranges = o.convert(sizes, ElementType::I64);
    let ranges = if own == groups {
        o.broadcast(o.reshape(ranges, &[groups]), &[1], &[b, groups])
    } else if own == groups * b {
        o.reshape(ranges, &[b, groups])
    } else {
        return None;
    };
    // Positions along the ragged dimension of what is flattened.
    let positions = |dims: &[usize]| {
        let shape: Vec<i64> = dims.iter().map(|&d| left[d]).collect();
        let along = dims.iter().position(|&d| d == ragged).unwrap_or(0);
        let at = o.with(|rw| rw.iota(&TensorType::new(&shape, ElementType::I64), along));
        let count = shape.iter().product();
        o.broadcast(o.reshape(at, &[count]), &[1], &[b, count])
    };
    let inside = |o: &Ops, at: ValueId, begin: ValueId, end: ValueId| {
        let shape = o.shape(at);
        let (begin, end) = (o.spread(begin, &shape), o.spread(end, &shape));
        o.and(o.compare("GE", at, begin), o.compare("LT", at, end))
    };
    let zero_at = o.splat(&[b, 1], ElementType::I64, Scalar::Int(0));
    let bounds = |o: &Ops, g: ValueId, begin: ValueId| o.add(begin, o.slice_at(ranges, &[o.index(0), g], &[b, 1]));
    if groups == 0 || wanted.iter().product::<i64>() == 0 {
        return Some(o.splat(&wanted, result.element, Scalar::zero(result.element)));
    }
    if lhs_sum.contains(&ragged) {
        let other = o.transpose(rhs, &[&rhs_batch[..], &rhs_sum, &rhs_free].concat());
        let other = o.reshape(other, &[b, k, n]);
        let at = positions(&lhs_sum);
        let start = o.splat(&[groups, b, m, n], result.element, Scalar::zero(result.element));
        let made = o.counted(groups, &[start, zero_at], |o, g, carried| {
            let end = bounds(o, g, carried[1]);
            let mask = inside(o, at, carried[1], end);
            let keep = |v: ValueId, along: usize| {
                let mask = o.broadcast(mask, &[0, along], &o.shape(v));
                o.select(mask, v, o.splat(&o.shape(v), o.element(v), Scalar::zero(o.element(v))))
            };
            let part = product(o, keep(a, 2), keep(other, 1), result.element, &op.attrs);
            let part = o.reshape(part, &[1, b, m, n]);
            let zero = o.index(0);
            vec![o.put_at(carried[0], part, &[g, zero, zero, zero]), end]
        });
        return Some(o.reshape(made[0], &wanted));
    }
    let other = o.transpose(rhs, &[&group[..], &rhs_batch, &rhs_sum, &rhs_free].concat());
    let other = o.reshape(other, &[groups, b, k, n]);
    let at = positions(&lhs_free);
    let start = o.splat(&[b, m, n], result.element, Scalar::zero(result.element));
    let made = o.counted(groups, &[start, zero_at], |o, g, carried| {
        let end = bounds(o, g, carried[1]);
        let mask = o.broadcast(inside(o, at, carried[1], end), &[0, 1], &[b, m, n]);
        let zero = o.index(0);
        let matrix = o.reshape(o.slice_at(other, &[g, zero, zero, zero], &[1, b, k, n]), &[b, k, n]);
        vec![o.select(mask, product(o, a, matrix, result.element, &op.attrs), carried[0]), end]
    });
    Some(o.reshape(made[0], &wanted))
}

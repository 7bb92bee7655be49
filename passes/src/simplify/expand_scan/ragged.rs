//! Products of groups of rows, each with a matrix of its own: `chlo.ragged_dot`.
//!
//! Operands become `[B, M, K]` and `[G, B, K, N]` or `[B, K, N]`. Where the ragged dimension is one of M, a round of a
//! counted loop multiplies all rows with the matrix of one group and keeps the group's rows; where it is one of K, a
//! round sums over the group's part of K alone, and the results are stacked; where it is one of B, groups do not
//! matter. Rows of no group give zero.
//!
//! Worked example, sizes [2, 1] of four rows: row 0 and 1 with matrix 0, row 2 with matrix 1, row 3 is zero.

use fornax_graph::views::DotDims;
use fornax_graph::{Attr, AttrMap, ElementType, OpId, OpKind, TensorType, ValueId};
use fornax_reference::Scalar;

use crate::simplify::ops::Ops;
use crate::rewrite::Rewriter;

/// The dimensions of both operands by role.
struct Dims {
    lhs_batch: Vec<usize>,
    rhs_batch: Vec<usize>,
    lhs_sum: Vec<usize>,
    rhs_sum: Vec<usize>,
    lhs_free: Vec<usize>,
    rhs_free: Vec<usize>,
    group: Vec<usize>,
    ragged: usize,
}

impl Dims {
    fn of(fields: &AttrMap, left: usize, right: usize) -> Option<Dims> {
        let list = |name: &str| -> Vec<usize> {
            let ints = fields.ints(name).unwrap_or_default();
            ints.into_iter().filter_map(|d| usize::try_from(d).ok()).collect()
        };
        let (lhs_batch, rhs_batch) = (list("lhs_batching_dimensions"), list("rhs_batching_dimensions"));
        let (lhs_sum, rhs_sum) = (list("lhs_contracting_dimensions"), list("rhs_contracting_dimensions"));
        let group = list("rhs_group_dimensions");
        let &[ragged] = &list("lhs_ragged_dimensions")[..] else { return None };
        let free = |rank: usize, taken: [&[usize]; 3]| -> Vec<usize> {
            (0..rank).filter(|d| !taken.iter().any(|t| t.contains(d))).collect()
        };
        let lhs_free = free(left, [&lhs_batch, &lhs_sum, &[]]);
        let rhs_free = free(right, [&rhs_batch, &rhs_sum, &group]);
        Some(Dims { lhs_batch, rhs_batch, lhs_sum, rhs_sum, lhs_free, rhs_free, group, ragged })
    }
}

/// Both operands as lists of matrices.
struct Product<'a> {
    dims: &'a Dims,
    left: &'a [i64],
    /// `[B, M, K]`
    a: ValueId,
    rhs: ValueId,
    /// B, M, K, N.
    sizes: [i64; 4],
    /// `[B, G]` i64: rows of each group.
    groups: Option<ValueId>,
    element: ElementType,
    attrs: &'a AttrMap,
}

pub fn dot(rw: &mut Rewriter, id: OpId) -> Option<ValueId> {
    let op = rw.graph.op(id).clone();
    let &[lhs, rhs, sizes] = &op.operands[..] else { return None };
    let Some(Attr::Struct(_, fields)) = op.attrs.get("ragged_dot_dimension_numbers") else { return None };
    let (left, right, group_shape) = (rw.shape(lhs)?, rw.shape(rhs)?, rw.shape(sizes)?);
    let result = rw.tensor(*op.results.first()?)?.clone();
    let wanted = result.static_shape()?;
    let dims = Dims::of(fields, left.len(), right.len())?;
    let size = |of: &[i64], dims: &[usize]| dims.iter().map(|&d| of[d]).product::<i64>();
    let (b, m) = (size(&left, &dims.lhs_batch), size(&left, &dims.lhs_free));
    let (k, n) = (size(&left, &dims.lhs_sum), size(&right, &dims.rhs_free));
    let count = *group_shape.last()?;
    let o = &Ops::new(rw);
    if wanted.iter().product::<i64>() == 0 || count == 0 {
        return Some(o.splat(&wanted, result.element, Scalar::zero(result.element)));
    }
    let order = [&dims.lhs_batch[..], &dims.lhs_free, &dims.lhs_sum].concat();
    let list = o.convert(sizes, ElementType::I64);
    let own: i64 = group_shape.iter().product();
    let groups = match own {
        _ if own == count => Some(o.broadcast(o.reshape(list, &[count]), &[1], &[b, count])),
        _ if own == count * b => Some(o.reshape(list, &[b, count])),
        _ => None,
    };
    let a = o.reshape(o.transpose(lhs, &order), &[b, m, k]);
    let (sizes, element) = ([b, m, k, n], result.element);
    let product = Product { dims: &dims, left: &left, a, rhs, sizes, groups, element, attrs: &op.attrs };
    let made = if dims.lhs_batch.contains(&dims.ragged) {
        let other = product.one_matrix(o);
        product.multiplied(o, a, other)
    } else if dims.lhs_sum.contains(&dims.ragged) {
        product.by_parts_of_sums(o, count)?
    } else {
        product.by_rows(o, count)?
    };
    Some(o.reshape(made, &wanted))
}

impl Product<'_> {
    /// `[B, M, K]·[B, K, N]` with the result's element type.
    fn multiplied(&self, o: &Ops, a: ValueId, b: ValueId) -> ValueId {
        let numbers = DotDims { lhs_batch: vec![0], rhs_batch: vec![0], lhs_contract: vec![2], rhs_contract: vec![1] };
        let mut given = vec![("dot_dimension_numbers", numbers.attr())];
        if let Some(precision) = self.attrs.get("precision_config") {
            given.push(("precision_config", precision.clone()));
        }
        let shape = [o.shape(a)[0], o.shape(a)[1], o.shape(b)[2]];
        o.emit(OpKind::DotGeneral, &[a, b], TensorType::new(&shape, self.element), &given)
    }

    /// The right operand without groups, `[B, K, N]`.
    fn one_matrix(&self, o: &Ops) -> ValueId {
        let [b, _, k, n] = self.sizes;
        let order = [&self.dims.rhs_batch[..], &self.dims.rhs_sum, &self.dims.rhs_free].concat();
        o.reshape(o.transpose(self.rhs, &order), &[b, k, n])
    }

    /// `[B, …] i64`: the place along the ragged dimension of each place of `dims` flattened.
    fn places(&self, o: &Ops, dims: &[usize]) -> ValueId {
        let shape: Vec<i64> = dims.iter().map(|&d| self.left[d]).collect();
        let along = dims.iter().position(|&d| d == self.dims.ragged).unwrap_or(0);
        let at = o.with(|rw| rw.iota(&TensorType::new(&shape, ElementType::I64), along));
        let count = shape.iter().product();
        o.broadcast(o.reshape(at, &[count]), &[1], &[self.sizes[0], count])
    }

    /// Which places belong to group g, that begins at `begin: [B, 1]`, and where it ends.
    fn inside(&self, o: &Ops, at: ValueId, g: ValueId, begin: ValueId, groups: ValueId) -> (ValueId, ValueId) {
        let end = o.add(begin, o.slice_at(groups, &[o.index(0), g], &[self.sizes[0], 1]));
        let shape = o.shape(at);
        let from = o.compare("GE", at, o.spread(begin, &shape));
        (o.and(from, o.compare("LT", at, o.spread(end, &shape))), end)
    }

    fn zeros(&self, o: &Ops, shape: &[i64]) -> ValueId {
        o.splat(shape, self.element, Scalar::zero(self.element))
    }

    /// `[G, B, M, N]`
    fn by_parts_of_sums(&self, o: &Ops, count: i64) -> Option<ValueId> {
        let ([b, m, _, n], groups) = (self.sizes, self.groups?);
        let other = self.one_matrix(o);
        let at = self.places(o, &self.dims.lhs_sum);
        let begin = o.splat(&[b, 1], ElementType::I64, Scalar::Int(0));
        let made = o.counted(count, &[self.zeros(o, &[count, b, m, n]), begin], |o, g, carried| {
            let (mask, end) = self.inside(o, at, g, carried[1], groups);
            let keep = |v: ValueId, along: usize| {
                let mask = o.broadcast(mask, &[0, along], &o.shape(v));
                o.select(mask, v, o.splat(&o.shape(v), o.element(v), Scalar::zero(o.element(v))))
            };
            let part = self.multiplied(o, keep(self.a, 2), keep(other, 1));
            let zero = o.index(0);
            vec![o.put_at(carried[0], o.reshape(part, &[1, b, m, n]), &[g, zero, zero, zero]), end]
        });
        made.first().copied()
    }

    /// `[B, M, N]`
    fn by_rows(&self, o: &Ops, count: i64) -> Option<ValueId> {
        let ([b, m, k, n], groups) = (self.sizes, self.groups?);
        let d = self.dims;
        let order = [&d.group[..], &d.rhs_batch, &d.rhs_sum, &d.rhs_free].concat();
        let other = o.reshape(o.transpose(self.rhs, &order), &[count, b, k, n]);
        let at = self.places(o, &d.lhs_free);
        let begin = o.splat(&[b, 1], ElementType::I64, Scalar::Int(0));
        let made = o.counted(count, &[self.zeros(o, &[b, m, n]), begin], |o, g, carried| {
            let (mask, end) = self.inside(o, at, g, carried[1], groups);
            let mask = o.broadcast(mask, &[0, 1], &[b, m, n]);
            let zero = o.index(0);
            let matrix = o.reshape(o.slice_at(other, &[g, zero, zero, zero], &[1, b, k, n]), &[b, k, n]);
            vec![o.select(mask, self.multiplied(o, self.a, matrix), carried[0]), end]
        });
        made.first().copied()
    }
}

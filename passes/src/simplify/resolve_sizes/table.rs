//! Which rule gives the sizes of an op's results: one row an op family.
//!
//! Elementwise ops agree in shape, `reverse` keeps its operand's, `reduce` drops dimensions, `dynamic_reshape` reads
//! its shape operand, and so on. Ops without a row have static results or are refused.

use fornax_graph::ops::{self, Trait};
use fornax_graph::views::{self, dim_list};
use fornax_graph::{Dim, DimCheck, DimRelation, OpId, OpKind};

use super::{Resolver, dynamic_windows};
use crate::errors::PassError;

type Shapes = Result<Vec<Vec<Dim>>, PassError>;
type Rule = fn(&mut Resolver, OpId) -> Shapes;

/// Rows of [`rule`]: the kinds that share one.
const RULES: &[(&[OpKind], Rule)] = &[
    (
        &[
            OpKind::Reverse,
            OpKind::DynamicUpdateSlice,
            OpKind::Cholesky,
            OpKind::BatchNormInference,
            OpKind::ChloConstantLike,
            OpKind::UniformQuantize,
            OpKind::UniformDequantize,
            OpKind::ReducePrecision,
        ],
        |r, id| Ok(vec![r.operand_shape(id, 0)?]),
    ),
    (&[OpKind::Clamp], agreeing),
    (&[OpKind::TriangularSolve], |r, id| Ok(vec![r.operand_shape(id, 1)?])),
    (&[OpKind::OptimizationBarrier, OpKind::Sort, OpKind::Scatter], each_operand),
    (&[OpKind::BatchNormTraining, OpKind::BatchNormGrad], batch_norm),
    (&[OpKind::Map, OpKind::Complex, OpKind::Real, OpKind::Imag], agreeing),
    (&[OpKind::BitcastConvert], bitcast),
    (&[OpKind::Transpose], transpose),
    (&[OpKind::Reshape], reshape),
    (&[OpKind::DynamicReshape, OpKind::ChloDynamicReshape], dynamic_reshape),
    (&[OpKind::BroadcastInDim, OpKind::DynamicBroadcastInDim], broadcast_in_dim),
    (&[OpKind::Broadcast], broadcast),
    (&[OpKind::DynamicIota], |r, id| Ok(vec![r.sizes_in(id, 0)?])),
    (&[OpKind::Rng], |r, id| Ok(vec![r.sizes_in(id, 2)?])),
    (&[OpKind::Concatenate], concatenate),
    (&[OpKind::Slice, OpKind::RealDynamicSlice], |r, id| r.slice(id)),
    (&[OpKind::DynamicSlice], |r, id| Ok(vec![r.graph.op(id).attrs.dims("slice_sizes").unwrap_or_default()])),
    (&[OpKind::Pad, OpKind::DynamicPad], |r, id| r.pad(id)),
    (&[OpKind::Gather, OpKind::DynamicGather], gather),
    (&[OpKind::TorchIndexSelect], index_select),
    (&[OpKind::Reduce], reduce),
    (&[OpKind::ReduceWindow, OpKind::SelectAndScatter], |r, id| r.window(id)),
    (&[OpKind::Dot], dot),
    (&[OpKind::DotGeneral], |r, id| r.dot_general(id)),
    (&[OpKind::Convolution, OpKind::DynamicConv], |r, id| r.convolution(id)),
    (&[OpKind::Fft], fft),
    (&[OpKind::GetDimensionSize], |_, _| Ok(vec![Vec::new()])),
    (&[OpKind::SetDimensionSize], set_dimension_size),
    (&[OpKind::ChloTopK], top_k),
    (&[OpKind::CustomCall], custom_call),
];

/// The rule of an op.
pub fn rule(kind: OpKind) -> Option<Rule> {
    if let Some((_, rule)) = RULES.iter().find(|(kinds, _)| kinds.contains(&kind)) {
        return Some(*rule);
    }
    if kind.name().starts_with("chlo.broadcast_") {
        return Some(broadcasting);
    }
    ops::row(kind).has(Trait::Elementwise).then_some(agreeing as Rule)
}

/// All operands but scalars next to tensors have the shape of the results.
fn agreeing(r: &mut Resolver, id: OpId) -> Shapes {
    let op = r.graph.op(id).clone();
    let rank = op.results.first().map_or(0, |&result| r.rank(result));
    let mut shape: Option<Vec<Dim>> = None;
    for &operand in &op.operands {
        let found = r.shape(operand);
        if found.len() != rank {
            continue;
        }
        shape = Some(match shape {
            Some(known) => r.unify_shapes(id, &known, &found)?,
            None => found,
        });
    }
    Ok(vec![shape.unwrap_or_default(); op.results.len()])
}

/// Each result has the shape of its operand; those of `sort` and the inputs of `scatter` agree.
fn each_operand(r: &mut Resolver, id: OpId) -> Shapes {
    let op = r.graph.op(id).clone();
    let mut shapes: Vec<Vec<Dim>> = Vec::new();
    for &operand in op.operands.iter().take(op.results.len()) {
        let found = r.shape(operand);
        let shape = match (op.kind, shapes.first().cloned()) {
            (OpKind::Sort | OpKind::Scatter, Some(first)) => r.unify_shapes(id, &first, &found)?,
            _ => found,
        };
        shapes.push(shape);
    }
    if op.kind == OpKind::Scatter {
        let dims = views::scatter_dims(r.graph.op(id));
        let (indices, update) = (r.operand_shape(id, op.results.len())?, r.operand_shape(id, op.results.len() + 1)?);
        let batch = without(&indices, &[dims.index_vector_dim]);
        let scattered = without(&update, &dims.update_window_dims);
        r.unify_shapes(id, &batch, &scattered)?;
    }
    Ok(shapes)
}

fn without(shape: &[Dim], dims: &[usize]) -> Vec<Dim> {
    shape.iter().enumerate().filter(|(d, _)| !dims.contains(d)).map(|(_, &dim)| dim).collect()
}

fn batch_norm(r: &mut Resolver, id: OpId) -> Shapes {
    let shape = r.operand_shape(id, 0)?;
    let scale = r.operand_shape(id, 1)?;
    let others = r.graph.op(id).results.len().saturating_sub(1);
    Ok(std::iter::once(shape).chain(std::iter::repeat_n(scale, others)).collect())
}

fn bitcast(r: &mut Resolver, id: OpId) -> Shapes {
    let mut shape = r.operand_shape(id, 0)?;
    let result = r.graph.op(id).results.first().and_then(|&v| r.graph.ty(v).as_tensor());
    let given = result.map(|t| t.shape.clone()).unwrap_or_default();
    match given.len().cmp(&shape.len()) {
        std::cmp::Ordering::Less => drop(shape.pop()),
        std::cmp::Ordering::Greater => shape.extend(given.last()),
        std::cmp::Ordering::Equal => {}
    }
    Ok(vec![shape])
}

fn transpose(r: &mut Resolver, id: OpId) -> Shapes {
    let from = r.operand_shape(id, 0)?;
    Ok(vec![dim_list(r.graph.op(id), "permutation").iter().filter_map(|&d| from.get(d).copied()).collect()])
}

/// One unknown size is what the others leave.
fn reshape(r: &mut Resolver, id: OpId) -> Shapes {
    let from = r.operand_shape(id, 0)?;
    let result = r.graph.op(id).results.first().and_then(|&v| r.graph.ty(v).as_tensor());
    let mut shape = result.map(|t| t.shape.clone()).unwrap_or_default();
    let open: Vec<usize> = (0..shape.len()).filter(|&d| shape[d] == Dim::Symbolic(0)).collect();
    let total = r.graph.dim_product(&from);
    match open[..] {
        [] => {}
        [d] => {
            let known = r.graph.dim_product(&without(&shape, &[d]));
            shape[d] = r.graph.dim_floor_div(total, known);
        }
        _ => return Err(r.unknown(id, "more than one size of its result")),
    }
    let made = r.graph.dim_product(&shape);
    r.unify(id, total, made)?;
    Ok(vec![shape])
}

fn dynamic_reshape(r: &mut Resolver, id: OpId) -> Shapes {
    let from = r.operand_shape(id, 0)?;
    let mut shape = r.numbers_in(id, 1)?;
    let total = r.graph.dim_product(&from);
    let open: Vec<usize> = (0..shape.len()).filter(|&d| shape[d] == Dim::Static(-1)).collect();
    if let [d] = open[..] {
        let known = r.graph.dim_product(&without(&shape, &[d]));
        shape[d] = r.graph.dim_floor_div(total, known);
    }
    shape.iter().for_each(|&dim| r.limit(id, dim, None));
    let made = r.graph.dim_product(&shape);
    r.unify(id, total, made)?;
    Ok(vec![shape])
}

fn broadcast_in_dim(r: &mut Resolver, id: OpId) -> Shapes {
    let from = r.operand_shape(id, 0)?;
    let op = r.graph.op(id).clone();
    let axes = dim_list(&op, "broadcast_dimensions");
    let declared = op.results.first().and_then(|&v| r.graph.ty(v).as_tensor()).map(|t| t.shape.clone());
    let mut shape = match op.kind {
        OpKind::DynamicBroadcastInDim => r.sizes_in(id, 1)?,
        _ => declared.unwrap_or_default(),
    };
    let listed = |name: &str, d: usize| dim_list(&op, name).contains(&d);
    for (d, (&size, &to)) in from.iter().zip(&axes).enumerate() {
        let known = match () {
            () if listed("known_expanding_dimensions", d) => Some(true),
            () if listed("known_nonexpanding_dimensions", d) => Some(false),
            () => None,
        };
        let Some(&wanted) = shape.get(to) else {
            return Err(PassError::malformed(r.graph, id, "its dimensions do not fit its result"));
        };
        shape[to] = r.broadcast(id, size, wanted, known)?;
    }
    Ok(vec![shape])
}

fn broadcast(r: &mut Resolver, id: OpId) -> Shapes {
    let mut shape = r.graph.op(id).attrs.dims("broadcast_sizes").unwrap_or_default();
    shape.extend(r.operand_shape(id, 0)?);
    Ok(vec![shape])
}

/// CHLO's implicit broadcast: of two sizes that are not known to be equal the one that is not 1.
fn broadcasting(r: &mut Resolver, id: OpId) -> Shapes {
    let op = r.graph.op(id).clone();
    let rank = op.results.first().map_or(0, |&v| r.rank(v));
    let given = op.attrs.ints("broadcast_dimensions");
    let lowest = op.operands.iter().map(|&v| r.rank(v)).min().unwrap_or(0);
    let mut shape = vec![Dim::Static(1); rank];
    for &operand in &op.operands {
        let from = r.shape(operand);
        let axes: Vec<usize> = match &given {
            Some(list) if list.len() == from.len() && from.len() == lowest => {
                list.iter().filter_map(|&d| usize::try_from(d).ok()).collect()
            }
            _ => (rank.saturating_sub(from.len())..rank).collect(),
        };
        for (&size, to) in from.iter().zip(axes) {
            let Some(known) = shape.get(to).copied() else {
                return Err(PassError::malformed(r.graph, id, "its operands do not fit its result"));
            };
            shape[to] = r.wider(id, known, size)?;
        }
    }
    Ok(vec![shape; op.results.len()])
}

impl Resolver<'_> {
    fn wider(&mut self, id: OpId, a: Dim, b: Dim) -> Result<Dim, PassError> {
        let (a, b) = (self.canonical(a), self.canonical(b));
        let above = |dim, r: &Self| r.graph.dim_bounds(dim).0 > 1;
        match (a, b) {
            (Dim::Static(1), other) | (other, Dim::Static(1)) => Ok(other),
            _ if a == b => Ok(a),
            _ if self.stretches_ones_only || above(a, self) && above(b, self) => self.unify(id, a, b),
            (Dim::Static(_), _) => Ok(a),
            (_, Dim::Static(_)) => Ok(b),
            // b where a is 1, else a.
            _ => {
                let (more, less) = (self.graph.dim_sub(a, Dim::Static(1)), self.graph.dim_sub(Dim::Static(1), a));
                let distance = self.graph.dim_max(more, less);
                let many = self.graph.dim_min(distance, Dim::Static(1));
                let difference = self.graph.dim_sub(a, b);
                let part = self.graph.dim_mul(many, difference);
                Ok(self.graph.dim_add(b, part))
            }
        }
    }
}

fn concatenate(r: &mut Resolver, id: OpId) -> Shapes {
    let op = r.graph.op(id).clone();
    let axis = op.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
    let mut shape = r.operand_shape(id, 0)?;
    for &operand in op.operands.iter().skip(1) {
        for (d, dim) in r.shape(operand).into_iter().enumerate() {
            let Some(known) = shape.get(d).copied() else {
                return Err(PassError::malformed(r.graph, id, "its operands differ in rank"));
            };
            shape[d] = if d == axis { r.graph.dim_add(known, dim) } else { r.unify(id, known, dim)? };
        }
    }
    Ok(vec![shape])
}

fn gather(r: &mut Resolver, id: OpId) -> Shapes {
    let dims = views::gather_dims(r.graph.op(id));
    let slice = match r.graph.op(id).kind {
        OpKind::DynamicGather => r.sizes_in(id, 2)?,
        _ => r.graph.op(id).attrs.dims("slice_sizes").unwrap_or_default(),
    };
    let (operand, indices) = (r.operand_shape(id, 0)?, r.operand_shape(id, 1)?);
    for (d, (&length, &size)) in slice.iter().zip(&operand).enumerate() {
        r.in_order(id, length, size, d);
    }
    for (&a, &b) in dims.operand_batching_dims.iter().zip(&dims.start_indices_batching_dims) {
        r.unify(id, operand[a], indices[b])?;
    }
    let dropped = [&dims.collapsed_slice_dims[..], &dims.operand_batching_dims[..]].concat();
    let mut window = without(&slice, &dropped).into_iter();
    let mut batch = without(&indices, &[dims.index_vector_dim]).into_iter();
    let rank = window.len() + batch.len();
    let size = |d: usize| if dims.offset_dims.contains(&d) { window.next() } else { batch.next() };
    let shape: Option<Vec<Dim>> = (0..rank).map(size).collect();
    shape.map(|s| vec![s]).ok_or_else(|| PassError::malformed(r.graph, id, "its dimension numbers do not fit"))
}

fn index_select(r: &mut Resolver, id: OpId) -> Shapes {
    let (operand, index) = (r.operand_shape(id, 0)?, r.operand_shape(id, 1)?);
    let number = |name: &str| r.graph.op(id).attrs.int(name).and_then(|n| usize::try_from(n).ok());
    let (Some(dim), Some(batch)) = (number("dim"), number("batch_dims")) else {
        return Err(PassError::malformed(r.graph, id, "it names no dimension"));
    };
    let parts = (operand.get(..dim), index.get(batch..), operand.get(dim + 1..));
    match parts {
        (Some(a), Some(b), Some(c)) => Ok(vec![[a, b, c].concat()]),
        _ => Err(PassError::malformed(r.graph, id, "its dimensions do not fit its operands")),
    }
}

fn reduce(r: &mut Resolver, id: OpId) -> Shapes {
    let inputs = r.graph.op(id).results.len();
    let mut shape = r.operand_shape(id, 0)?;
    for at in 1..inputs {
        let other = r.operand_shape(id, at)?;
        shape = r.unify_shapes(id, &shape, &other)?;
    }
    let over = dim_list(r.graph.op(id), "dimensions");
    Ok(vec![without(&shape, &over); inputs])
}

fn dot(r: &mut Resolver, id: OpId) -> Shapes {
    let (left, right) = (r.operand_shape(id, 0)?, r.operand_shape(id, 1)?);
    let (Some((&a, rows)), Some((&b, columns))) = (left.split_last(), right.split_first()) else {
        return Err(PassError::malformed(r.graph, id, "it multiplies scalars"));
    };
    r.unify(id, a, b)?;
    Ok(vec![[rows, columns].concat()])
}

/// The lengths are attributes; the dimensions before them stay.
fn fft(r: &mut Resolver, id: OpId) -> Shapes {
    let mut shape = r.operand_shape(id, 0)?;
    let op = r.graph.op(id);
    let (mut lengths, kind) = (op.attrs.ints("fft_length").unwrap_or_default(), op.attrs.keyword("fft_type"));
    if let (Some("RFFT"), Some(last)) = (kind, lengths.last_mut()) {
        *last = if *last > 0 { *last / 2 + 1 } else { 0 };
    }
    let first = shape.len().saturating_sub(lengths.len());
    shape.truncate(first);
    shape.extend(lengths.into_iter().map(Dim::Static));
    Ok(vec![shape])
}

fn set_dimension_size(r: &mut Resolver, id: OpId) -> Shapes {
    let mut shape = r.operand_shape(id, 0)?;
    let axis = r.graph.op(id).attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(usize::MAX);
    let size = r.sizes_in(id, 1)?.first().copied();
    match (shape.get_mut(axis), size) {
        (Some(slot), Some(size)) => *slot = size,
        _ => return Err(PassError::malformed(r.graph, id, "it names no dimension of its operand")),
    }
    Ok(vec![shape])
}

fn top_k(r: &mut Resolver, id: OpId) -> Shapes {
    let mut shape = r.operand_shape(id, 0)?;
    if let (Some(last), Some(k)) = (shape.last_mut(), r.graph.op(id).attrs.int("k")) {
        let size = std::mem::replace(last, Dim::Static(k));
        let message = format!("`chlo.top_k` takes {k} of {}", r.graph.dim_text(size));
        let location = r.graph.op(id).location;
        let condition = DimRelation::LessEqual;
        r.graph.add_dim_check(DimCheck { condition, a: Dim::Static(k), b: size, message, location });
    }
    Ok(vec![shape; 2])
}

/// Operands that hold the results' shapes are listed; without a list the types say all.
fn custom_call(r: &mut Resolver, id: OpId) -> Shapes {
    if dynamic_windows::is_one(r.graph, id) {
        return r.dynamic_window(id);
    }
    let op = r.graph.op(id).clone();
    let listed = match op.attrs.get("indices_of_shape_operands") {
        Some(fornax_graph::Attr::Dense(constant)) => {
            let bytes = r.graph.constant(*constant).to_bytes();
            bytes.chunks_exact(8).filter_map(|c| Some(i64::from_le_bytes(c.try_into().ok()?))).collect()
        }
        Some(attr) => attr.as_ints().unwrap_or_default(),
        None => Vec::new(),
    };
    if listed.len() == op.results.len() && !listed.is_empty() {
        let at = |n: i64| usize::try_from(n).unwrap_or(usize::MAX);
        return listed.into_iter().map(|n| r.sizes_in(id, at(n))).collect();
    }
    let mut shapes = Vec::new();
    for &result in &op.results {
        let shape = r.graph.ty(result).as_tensor().map(|t| t.shape.clone()).unwrap_or_default();
        // A call with one operand of the same rank is an annotation or an elementwise function.
        let like = op.operands.first().map(|&v| r.shape(v)).filter(|s| s.len() == shape.len());
        shapes.push(match like {
            Some(like) if shape.contains(&Dim::Symbolic(0)) && op.operands.len() == 1 => like,
            _ => shape,
        });
    }
    Ok(shapes)
}

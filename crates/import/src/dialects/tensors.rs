//! `tensor.*` and the constants of other dialects: one rule an op.

use fornax_graph::{Attr, ElementType, Op, OpKind, Type, ValueId};

use super::body::{Lane, Scope};
use super::build::{Number, ones};
use super::converter::{Converter, Result, Rule};
use super::scalars::number_of;

pub const RULES: &[(&str, Rule)] = &[
    ("tensor.bitcast", bitcast),
    ("tensor.cast", same),
    ("tensor.collapse_shape", collapse),
    ("tensor.concat", concat),
    ("tensor.dim", dim),
    ("tensor.empty", empty),
    ("tensor.expand_shape", expand),
    ("tensor.extract", extract),
    ("tensor.extract_slice", extract_slice),
    ("tensor.from_elements", from_elements),
    ("tensor.generate", generate),
    ("tensor.insert", insert),
    ("tensor.insert_slice", insert_slice),
    ("tensor.pad", pad),
    ("tensor.rank", rank),
    ("tensor.reshape", reshape),
    ("tensor.splat", splat),
    ("complex.constant", complex_constant),
    ("arith.addui_extended", add_extended),
    ("arith.mulsi_extended", multiply_extended),
    ("arith.mului_extended", multiply_extended),
    ("math.sincos", sin_cos),
    ("bufferization.alloc_tensor", empty),
];

fn same(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    Ok(vec![c.operand(op, 0)?])
}

fn bitcast(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, ty) = (c.operand(op, 0)?, c.result_type(op, 0)?);
    Ok(vec![c.b.bitcast(a, ty.element)])
}

fn reshape(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, shape) = (c.operand(op, 0)?, c.result_shape(op, 0)?);
    Ok(vec![c.b.reshape(a, &shape)])
}

/// Groups of dimensions become one.
fn collapse(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let from = c.b.shape(a);
    let Some(Attr::Array(groups)) = op.attrs.get("reassociation") else { return reshape(c, op) };
    let size = |group: &Attr| {
        let mut sizes =
            group.as_ints()?.into_iter().map(|d| usize::try_from(d).ok().and_then(|d| from.get(d).copied()));
        sizes.try_fold(1i64, |n, size| n.checked_mul(size?))
    };
    match groups.iter().map(size).collect::<Option<Vec<i64>>>() {
        Some(shape) => Ok(vec![c.b.reshape(a, &shape)]),
        None => Err(c.malformed(op, "`reassociation` does not fit the operand".into())),
    }
}

fn expand(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let shape = c.sized_shape(op, 0, op.operands.get(1..).unwrap_or(&[]))?;
    Ok(vec![c.b.reshape(a, &shape)])
}

fn concat(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let parts = c.operands(op)?;
    let rank = parts.first().map_or(0, |&p| c.b.rank(p));
    let dimension = c.dimension(op, "dim", rank)?;
    Ok(vec![c.b.concatenate(&parts, dimension)])
}

fn dim(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, shape) = (c.operand(op, 0)?, c.operand(op, 0).map(|a| c.b.shape(a))?);
    if let Some(d) = op.operands.get(1).and_then(|&raw| c.known_number(raw)) {
        let size = usize::try_from(d).ok().and_then(|d| shape.get(d).copied());
        return match size {
            Some(size) => Ok(vec![c.b.splat(&[], ElementType::I64, Number::Int(size.into()))]),
            None => Err(c.malformed(op, format!("dimension {d} of rank {}", c.b.rank(a)))),
        };
    }
    let bytes: Vec<u8> = shape.iter().flat_map(|n| n.to_le_bytes()).collect();
    let ty = fornax_graph::TensorType::new(&[shape.len() as i64], ElementType::I64);
    let sizes = c.b.constant(fornax_graph::Constant::dense(ty, bytes));
    let at = c.operand(op, 1)?;
    let size = c.b.dynamic_slice(sizes, &[at], &[1]);
    Ok(vec![c.b.reshape(size, &[])])
}

/// Zeros: what an op writes over is not read.
fn empty(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let shape = c.sized_shape(op, 0, &op.operands)?;
    let element = op.results.first().map_or(ElementType::I1, |&r| c.scalar_element(r));
    Ok(vec![c.zeros(&shape, element)])
}

fn rank(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let rank = c.b.rank(a) as i128;
    Ok(vec![c.b.splat(&[], ElementType::I64, Number::Int(rank))])
}

fn splat(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, shape) = (c.operand(op, 0)?, c.sized_shape(op, 0, op.operands.get(1..).unwrap_or(&[]))?);
    Ok(vec![c.b.broadcast(a, &[], &shape)])
}

fn from_elements(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let shape = c.result_shape(op, 0)?;
    let parts: Vec<ValueId> = c.operands(op)?.into_iter().map(|a| c.b.reshape(a, &[1])).collect();
    let flat = c.b.concatenate(&parts, 0);
    Ok(vec![c.b.reshape(flat, &shape)])
}

fn extract(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let operands = c.operands(op)?;
    let Some((&a, at)) = operands.split_first() else { return Err(c.malformed(op, "the tensor is missing".into())) };
    let element = if at.is_empty() { a } else { c.b.dynamic_slice(a, at, &ones(at.len())) };
    Ok(vec![c.b.reshape(element, &[])])
}

fn insert(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let operands = c.operands(op)?;
    let [element, a, at @ ..] = operands.as_slice() else {
        return Err(c.malformed(op, "an element and a tensor are needed".into()));
    };
    let update = c.b.reshape(*element, &ones(at.len()));
    Ok(vec![if at.is_empty() { update } else { c.b.dynamic_update_slice(*a, update, at) }])
}

/// Offsets, sizes and strides of a slice, each a number or an operand.
struct Region {
    /// Rank 0, i64.
    offsets: Vec<ValueId>,
    /// Where all offsets are numbers.
    known: Option<Vec<i64>>,
    sizes: Vec<i64>,
    strides: Vec<i64>,
}

/// `first` is the first of the three segments.
fn region(c: &mut Converter, op: &Op, first: usize, segments: usize) -> Result<Region> {
    let parts = c.segments(op, segments)?;
    let statics = c.ints(op, "static_offsets")?;
    let n = statics.len();
    let [sizes, strides] = [(1, "static_sizes"), (2, "static_strides")].map(|(at, name)| {
        let mut given = parts[first + at].iter();
        let number = |n: &i64| if *n == i64::MIN { c.known_number(*given.next()?) } else { Some(*n) };
        c.ints_of(op, name, n).map(|list| list.iter().map(number).collect::<Option<Vec<i64>>>())
    });
    let (Some(sizes), Some(strides)) = (sizes?, strides?) else {
        return Err(c.unsupported(op, "sizes and strides that are not numbers".into()));
    };
    if sizes.iter().chain(&strides).any(|&s| s < 0) || strides.contains(&0) {
        return Err(c.unsupported(op, "sizes and strides that are not numbers".into()));
    }
    let mut dynamic = parts[first].iter();
    let (mut offsets, mut known) = (Vec::new(), Some(Vec::new()));
    for &offset in &statics {
        if offset != i64::MIN {
            offsets.push(c.b.splat(&[], ElementType::I64, Number::Int(offset.into())));
            if let Some(list) = &mut known {
                list.push(offset);
            }
            continue;
        }
        let Some(&raw) = dynamic.next() else { return Err(c.malformed(op, "an offset is missing".into())) };
        known = match (known, c.known_number(raw)) {
            (Some(mut list), Some(number)) => {
                list.push(number);
                Some(list)
            }
            _ => None,
        };
        offsets.push(c.value(op, raw)?);
    }
    Ok(Region { offsets, known, sizes, strides })
}

/// Elements from the first to the last of a strided run.
fn reach(sizes: &[i64], strides: &[i64]) -> Vec<i64> {
    sizes
        .iter()
        .zip(strides)
        .map(|(&n, &s)| if n == 0 { 0 } else { (n - 1).saturating_mul(s).saturating_add(1) })
        .collect()
}

fn extract_slice(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let from = c.b.shape(a);
    let at = region(c, op, 1, 4)?;
    if at.sizes.len() != from.len() {
        return Err(c.malformed(op, "the slice does not have the rank of the tensor".into()));
    }
    let reach = reach(&at.sizes, &at.strides);
    let (whole, start) = match &at.known {
        Some(start) => (a, start.clone()),
        None => (c.b.dynamic_slice(a, &at.offsets, &reach), vec![0; from.len()]),
    };
    let limit: Vec<i64> = start.iter().zip(&reach).map(|(s, n)| s.saturating_add(*n)).collect();
    let sliced = c.b.slice(whole, &start, &limit, &at.strides);
    // A result of smaller rank lacks dimensions of one element.
    let Some(Type::Tensor(ty)) = op.results.first().map(|&r| c.raw.ty(r)) else { return Ok(vec![sliced]) };
    if ty.rank() == at.sizes.len() {
        return Ok(vec![sliced]);
    }
    let rest: Vec<i64> = match ty.static_shape() {
        Some(shape) => shape,
        None => at.sizes.iter().copied().filter(|&n| n != 1).collect(),
    };
    Ok(vec![c.b.reshape(sliced, &rest)])
}

fn insert_slice(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (source, target) = (c.operand(op, 0)?, c.operand(op, 1)?);
    let at = region(c, op, 2, 5)?;
    let source = c.b.reshape(source, &at.sizes);
    if at.strides.iter().all(|&s| s == 1) {
        return Ok(vec![c.b.dynamic_update_slice(target, source, &at.offsets)]);
    }
    // Strided: the source spread out, where a mask spread out likewise says so.
    let Some(start) = &at.known else {
        return Err(c.unsupported(op, "a strided insertion at a place that is computed".into()));
    };
    let (shape, element) = (c.b.shape(target), c.b.element(target));
    if shape.len() != at.sizes.len() {
        return Err(c.malformed(op, "the slice does not have the rank of the tensor".into()));
    }
    let reach = reach(&at.sizes, &at.strides);
    let high: Vec<i64> = (0..shape.len()).map(|d| shape[d].saturating_sub(start[d]).saturating_sub(reach[d])).collect();
    let between: Vec<i64> = at.strides.iter().map(|s| s - 1).collect();
    let zero = c.zeros(&[], element);
    let spread = c.b.pad(source, zero, start, &high, &between);
    let (yes, no) = (c.b.splat(&at.sizes, ElementType::I1, Number::Int(1)), c.zeros(&[], ElementType::I1));
    let mask = c.b.pad(yes, no, start, &high, &between);
    Ok(vec![c.b.select(mask, spread, target)])
}

/// A block over all indices of a shape.
fn over_indices(c: &mut Converter, op: &Op, shape: &[i64]) -> Result<ValueId> {
    let block = c.region_block(op, 0)?;
    let arguments = c.raw.block(block).arguments.clone();
    let last = c.raw.block(block).ops.last().map(|&id| c.raw.op(id)).filter(|op| op.name == "tensor.yield");
    let Some(&[root]) = last.map(|op| op.operands.as_slice()) else {
        return Err(c.malformed(op, "the block must yield one value".into()));
    };
    if arguments.len() != shape.len() {
        return Err(c.malformed(op, "the block must have an index for each dimension".into()));
    }
    let mut scope = Scope::new(shape.to_vec());
    for (d, &argument) in arguments.iter().enumerate() {
        let lane = c.index_lane(d, &scope);
        scope.env.insert(argument, lane);
    }
    c.evaluate(block, &[root], &mut scope)?;
    let lane: Lane = c.lane(op, root, &scope)?;
    let all: Vec<usize> = (0..shape.len()).collect();
    Ok(c.spread(&lane, &all, &scope))
}

fn generate(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let shape = c.sized_shape(op, 0, &op.operands)?;
    Ok(vec![over_indices(c, op, &shape)?])
}

fn pad(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let (from, parts) = (c.b.shape(a), c.segments(op, 3)?);
    let rank = from.len();
    let [low, high] = [(1, "static_low"), (2, "static_high")].map(|(at, name)| {
        let mut given = parts[at].iter();
        let number = |n: &i64| if *n == i64::MIN { c.known_number(*given.next()?) } else { Some(*n) };
        c.ints_of(op, name, rank).map(|list| list.iter().map(number).collect::<Option<Vec<i64>>>())
    });
    let (Some(low), Some(high)) = (low?, high?) else {
        return Err(c.unsupported(op, "padding that is not numbers".into()));
    };
    let shape: Vec<i64> = (0..rank).map(|d| from[d].saturating_add(low[d]).saturating_add(high[d])).collect();
    let between = over_indices(c, op, &shape)?;
    if let Some(bytes) = c.b.splat_bytes(between) {
        let ty = fornax_graph::TensorType::new(&[], c.b.element(a));
        let value = c.b.constant(fornax_graph::Constant::splat(ty, bytes));
        return Ok(vec![c.b.pad(a, value, &low, &high, &vec![0; rank])]);
    }
    let zero = c.zeros(&[], c.b.element(a));
    let none = vec![0; rank];
    let padded = c.b.pad(a, zero, &low, &high, &none);
    let (yes, no) = (c.b.splat(&from, ElementType::I1, Number::Int(1)), c.zeros(&[], ElementType::I1));
    let mask = c.b.pad(yes, no, &low, &high, &none);
    Ok(vec![c.b.select(mask, padded, between)])
}

fn complex_constant(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let element = c.result_type(op, 0)?.element;
    let parts = match op.attrs.get("value") {
        Some(Attr::Array(items)) => items.iter().filter_map(number_of).collect(),
        _ => Vec::new(),
    };
    let &[re, im] = parts.as_slice() else { return Err(c.malformed(op, "`value` must be two numbers".into())) };
    let part = element.complex_part();
    let (re, im) = (c.b.splat(&[], part, re), c.b.splat(&[], part, im));
    Ok(vec![c.b.emit(OpKind::Complex, &[re, im], (&[], element), &[])])
}

fn add_extended(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (x, y) = (c.operand(op, 0)?, c.operand(op, 1)?);
    let element = c.b.element(x);
    let Some(unsigned) = super::scalars::unsigned_of(element) else {
        return Err(c.malformed(op, "the operands must be integers".into()));
    };
    let (x, y) = (c.b.bitcast(x, unsigned), c.b.bitcast(y, unsigned));
    let sum = c.b.binary(OpKind::Add, x, y);
    let carry = c.b.compare("LT", sum, x);
    Ok(vec![c.b.bitcast(sum, element), carry])
}

fn multiply_extended(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (x, y) = (c.operand(op, 0)?, c.operand(op, 1)?);
    let element = c.b.element(x);
    let inner = if op.name == "arith.mului_extended" { super::scalars::unsigned_of(element) } else { Some(element) };
    let Some(inner) = inner else { return Err(c.malformed(op, "the operands must be integers".into())) };
    let (x, y) = (c.b.bitcast(x, inner), c.b.bitcast(y, inner));
    let (low, high) = (c.b.binary(OpKind::Multiply, x, y), c.b.binary(OpKind::ChloMulhi, x, y));
    Ok(vec![c.b.bitcast(low, element), c.b.bitcast(high, element)])
}

fn sin_cos(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    Ok(vec![c.b.unary(OpKind::Sine, a), c.b.unary(OpKind::Cosine, a)])
}

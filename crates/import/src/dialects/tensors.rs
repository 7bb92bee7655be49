//! `tensor.*` and the constants of other dialects: one rule an op.

use fornax_graph::{Attr, Dim, ElementType, Op, OpKind, Type, ValueId};

use super::affine::parse_applied;
use super::body::{Lane, Scope};
use super::build::{Number, known, numbers, times};
use super::converter::{Converter, Result, Rule};
use super::scalars::number_of;

pub const RULES: &[(&str, Rule)] = &[
    ("tensor.bitcast", bitcast),
    ("tensor.cast", cast),
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
    ("affine.apply", apply),
    ("arith.addui_extended", add_extended),
    ("arith.mulsi_extended", multiply_extended),
    ("arith.mului_extended", multiply_extended),
    ("math.sincos", sin_cos),
    ("bufferization.alloc_tensor", empty),
];

/// A number for a size of run time is a check of the host.
fn cast(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, to) = (c.operand(op, 0)?, c.result_shape(op, 0)?);
    for (d, (from, to)) in c.b.shape(a).into_iter().zip(to).enumerate() {
        if to != Dim::Symbolic(0) && from != Dim::Symbolic(0) && c.b.unify(from, to, "`tensor.cast`").is_none() {
            return Err(c.malformed(op, format!("dimension {d} has another size")));
        }
    }
    Ok(vec![a])
}

fn bitcast(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, to) = (c.operand(op, 0)?, c.result_element(op, 0)?);
    Ok(vec![c.b.bitcast(a, to)])
}

fn reshape(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, mut shape) = (c.operand(op, 0)?, c.result_shape(op, 0)?);
    // Open sizes are in the shape operand, where it is made of scalars.
    if let Some(parts) = op.operands.get(1).and_then(|&raw| c.elements(raw)).filter(|p| p.len() == shape.len()) {
        for (dim, raw) in shape.iter_mut().zip(parts) {
            if *dim == Dim::Symbolic(0) {
                *dim = c.size(op, raw)?;
            }
        }
    }
    Ok(vec![c.reshaped(op, a, shape)?])
}

/// Groups of dimensions become one.
fn collapse(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let from = c.b.shape(a);
    let Some(Attr::Array(groups)) = op.attrs.get("reassociation") else { return reshape(c, op) };
    let size = |group: &Attr| {
        let sizes = group.as_ints()?.into_iter().map(|d| usize::try_from(d).ok().and_then(|d| from.get(d).copied()));
        Some(c.b.graph.dim_product(&sizes.collect::<Option<Vec<Dim>>>()?))
    };
    match groups.iter().map(size).collect::<Option<Vec<Dim>>>() {
        Some(shape) => Ok(vec![c.b.reshape(a, &shape)]),
        None => Err(c.malformed(op, "`reassociation` does not fit the operand".into())),
    }
}

fn expand(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let shape = c.sized_shape(op, 0, op.operands.get(1..).unwrap_or(&[]))?;
    Ok(vec![c.reshaped(op, a, shape)?])
}

fn concat(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let parts = c.operands(op)?;
    let rank = parts.first().map_or(0, |&p| c.b.rank(p));
    let dimension = c.dimension(op, "dim", rank)?;
    c.joined(op, &parts, dimension)
}

fn dim(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let shape = c.b.shape(a);
    if let Some(d) = op.operands.get(1).and_then(|&raw| c.known_number(raw)) {
        let axis = usize::try_from(d).ok().filter(|&d| d < shape.len());
        return match axis {
            Some(axis) => Ok(vec![c.size_value(a, axis)]),
            None => Err(c.malformed(op, format!("dimension {d} of rank {}", shape.len()))),
        };
    }
    let sizes: Vec<ValueId> = (0..shape.len())
        .map(|axis| {
            let one = c.size_value(a, axis);
            c.b.reshape(one, &known(&[1]))
        })
        .collect();
    let sizes = c.b.concatenate(&sizes, 0);
    let at = c.operand(op, 1)?;
    let size = c.b.dynamic_slice(sizes, &[at], &known(&[1]));
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
    let one = known(&[1]);
    let scalars = c.operands(op)?;
    let parts: Vec<ValueId> = scalars.iter().map(|&a| c.b.reshape(a, &one)).collect();
    let flat = c.b.concatenate(&parts, 0);
    let value = c.b.reshape(flat, &shape);
    if shape.len() == 1 {
        c.lists.insert(value, scalars);
    }
    Ok(vec![value])
}

fn extract(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let operands = c.operands(op)?;
    let Some((&a, at)) = operands.split_first() else { return Err(c.malformed(op, "the tensor is missing".into())) };
    // An element of a list of scalars is that scalar.
    if let (&[place], Some(parts)) = (at, c.elements(op.operands[0]))
        && let Some(&raw) = c.b.known_index(place).and_then(|n| parts.get(usize::try_from(n).ok()?))
    {
        return Ok(vec![c.value(op, raw)?]);
    }
    let element = if at.is_empty() { a } else { c.b.dynamic_slice(a, at, &times(at.len(), 1)) };
    Ok(vec![c.b.reshape(element, &[])])
}

fn insert(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let operands = c.operands(op)?;
    let [element, a, at @ ..] = operands.as_slice() else {
        return Err(c.malformed(op, "an element and a tensor are needed".into()));
    };
    let update = c.b.reshape(*element, &times(at.len(), 1));
    Ok(vec![if at.is_empty() { update } else { c.b.dynamic_update_slice(*a, update, at) }])
}

/// Offsets, sizes and strides of a slice, each a number or an operand.
struct Region {
    /// Rank 0, i64.
    offsets: Vec<ValueId>,
    /// Where all offsets are numbers or sizes.
    known: Option<Vec<Dim>>,
    sizes: Vec<Dim>,
    strides: Vec<i64>,
}

/// `first` is the first of the three segments.
fn region(c: &mut Converter, op: &Op, first: usize, segments: usize) -> Result<Region> {
    let parts = c.segments(op, segments)?;
    let statics = c.ints(op, "static_offsets")?;
    let n = statics.len();
    let sizes = c.amounts(op, "static_sizes", n, parts[first + 1])?;
    let strides = c.amounts(op, "static_strides", n, parts[first + 2])?;
    let Some(strides) = numbers(&strides).filter(|strides| strides.iter().all(|&s| s > 0)) else {
        return Err(c.unsupported(op, "strides that are not positive numbers".into()));
    };
    if !sizes.iter().all(|&size| c.b.not_negative(size, &format!("`{}`", op.name))) {
        return Err(c.malformed(op, "a size is negative".into()));
    }
    let mut dynamic = parts[first].iter();
    let (mut offsets, mut known) = (Vec::new(), Some(Vec::new()));
    for &offset in &statics {
        if offset != i64::MIN {
            offsets.push(c.b.index_of(Dim::Static(offset)));
            if let Some(list) = &mut known {
                list.push(Dim::Static(offset));
            }
            continue;
        }
        let Some(&raw) = dynamic.next() else { return Err(c.malformed(op, "an offset is missing".into())) };
        known = match (known, c.known_size(raw)) {
            (Some(mut list), Some(size)) => {
                list.push(size);
                Some(list)
            }
            _ => None,
        };
        offsets.push(c.value(op, raw)?);
    }
    Ok(Region { offsets, known, sizes, strides })
}

/// Elements from the first to the last of a strided run.
fn reach(c: &mut Converter, sizes: &[Dim], strides: &[i64]) -> Vec<Dim> {
    sizes.iter().zip(strides).map(|(&n, &s)| c.b.reach(n, s)).collect()
}

fn extract_slice(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let from = c.b.shape(a);
    let at = region(c, op, 1, 4)?;
    if at.sizes.len() != from.len() {
        return Err(c.malformed(op, "the slice does not have the rank of the tensor".into()));
    }
    let reach = reach(c, &at.sizes, &at.strides);
    let (whole, start) = match &at.known {
        Some(start) => (a, start.clone()),
        None => (c.b.dynamic_slice(a, &at.offsets, &reach), times(from.len(), 0)),
    };
    let mut limit = Vec::new();
    for (d, (&s, &n)) in start.iter().zip(&reach).enumerate() {
        let last = c.b.plus(s, n);
        let (low, high) =
            (c.b.at_most(Dim::Static(0), s, "a slice"), at.known.is_none() || c.b.at_most(last, from[d], "a slice"));
        if !low || !high {
            return Err(c.malformed(op, format!("the slice is outside of dimension {d}")));
        }
        limit.push(last);
    }
    let sliced = c.b.slice_of(whole, &start, &limit, &at.strides, &at.sizes);
    // A result of smaller rank lacks dimensions of one element.
    let Some(Type::Tensor(ty)) = op.results.first().map(|&r| c.raw.ty(r)) else { return Ok(vec![sliced]) };
    if ty.rank() == at.sizes.len() {
        return Ok(vec![sliced]);
    }
    // Which ones: the kept sizes are the result's in order; one that an operand gives always stays.
    let written = c.ints(op, "static_sizes")?;
    let mut kept = Vec::new();
    for (&size, &written) in at.sizes.iter().zip(&written) {
        if written != 1 || ty.shape.get(kept.len()) == Some(&Dim::Static(1)) {
            kept.push(size);
        }
    }
    if kept.len() != ty.rank() {
        kept = at.sizes.iter().zip(&written).filter(|(_, written)| **written != 1).map(|(&size, _)| size).collect();
    }
    Ok(vec![c.b.reshape(sliced, &kept)])
}

fn insert_slice(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (source, target) = (c.operand(op, 0)?, c.operand(op, 1)?);
    let at = region(c, op, 2, 5)?;
    let source = c.reshaped(op, source, at.sizes.clone())?;
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
    let reach = reach(c, &at.sizes, &at.strides);
    let mut high = Vec::new();
    for d in 0..shape.len() {
        let last = c.b.plus(start[d], reach[d]);
        high.push(c.b.minus(shape[d], last));
    }
    let between: Vec<i64> = at.strides.iter().map(|s| s - 1).collect();
    let zero = c.zeros(&[], element);
    let spread = c.b.pad(source, zero, start, &high, &between);
    let (yes, no) = (c.b.splat(&at.sizes, ElementType::I1, Number::Int(1)), c.zeros(&[], ElementType::I1));
    let mask = c.b.pad(yes, no, start, &high, &between);
    Ok(vec![c.b.select(mask, spread, target)])
}

/// A block over all indices of a shape.
fn over_indices(c: &mut Converter, op: &Op, shape: &[Dim]) -> Result<ValueId> {
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
    let (low, high) = (c.amounts(op, "static_low", rank, parts[1])?, c.amounts(op, "static_high", rank, parts[2])?);
    let mut shape = Vec::new();
    for d in 0..rank {
        let around = c.b.plus(low[d], high[d]);
        shape.push(c.b.plus(from[d], around));
    }
    if !shape.iter().all(|&size| c.b.not_negative(size, &format!("`{}`", op.name))) {
        return Err(c.malformed(op, "a size is negative".into()));
    }
    let between = over_indices(c, op, &shape)?;
    let none = vec![0; rank];
    if let Some(bytes) = c.b.splat_bytes(between) {
        let value = c.b.splat_of(&[], c.b.element(a), bytes);
        return Ok(vec![c.b.pad(a, value, &low, &high, &none)]);
    }
    let zero = c.zeros(&[], c.b.element(a));
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

/// The value of a map of indices.
fn apply(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let map = match op.attrs.get("map") {
        Some(Attr::Opaque(text)) => parse_applied(text),
        _ => None,
    };
    let operands = c.operands(op)?;
    let Some((_, [expr])) = map.as_ref().map(|(n, exprs)| (*n, exprs.as_slice())).filter(|(n, _)| *n == operands.len())
    else {
        return Err(c.unsupported(op, "its `map`".into()));
    };
    Ok(vec![c.applied(expr, &operands)])
}

//! TOSA's reductions, transforms and ops that move elements.

use fornax_graph::{Attr, Dim, ElementType, NewOp, Op, OpKind, Type, ValueId};

use super::elementwise::extreme_of;
use super::shapes::shape;
use super::{ignores_nan, name, scalar};
use crate::dialects::build::{Number, dims, ints, numbers, ones, tensor_of};
use crate::dialects::converter::{Converter, Result};
use crate::dialects::reduction::least;

pub fn constant(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let ty = c.result_type(op, 0)?;
    match op.attrs.get("values").or_else(|| op.attrs.get("value")) {
        Some(Attr::Dense(id)) => Ok(vec![c.dense(*id, ty)]),
        _ => Err(c.malformed(op, "`values` must be dense".into())),
    }
}

pub fn concat(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (parts, rank) = (c.operands(op)?, c.result_shape(op, 0)?.len());
    let axis = c.dimension(op, "axis", rank)?;
    c.joined(op, &parts, axis)
}

pub fn reshape(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, mut to) = (c.operand(op, 0)?, c.result_shape(op, 0)?);
    // What the type leaves open is in the shape operand, -1 of which is what the others leave.
    if to.contains(&Dim::Symbolic(0)) {
        let given = shape(c, op, 1, to.len())?;
        for (size, given) in to.iter_mut().zip(given).filter(|(size, _)| **size == Dim::Symbolic(0)) {
            *size = given;
        }
    }
    Ok(vec![c.reshaped(op, a, to)?])
}

pub fn reverse(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let axis = c.dimension(op, "axis", c.b.rank(a))?;
    Ok(vec![c.b.reverse(a, &[axis])])
}

pub fn transpose(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let rank = c.b.rank(a);
    let order: Vec<usize> =
        c.ints_of(op, "perms", rank)?.into_iter().map(|d| usize::try_from(d).unwrap_or(rank)).collect();
    if (0..rank).any(|d| !order.contains(&d)) {
        return Err(c.malformed(op, "`perms` is not a permutation".into()));
    }
    Ok(vec![c.b.transpose(a, &order)])
}

pub fn slice(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let rank = c.b.rank(a);
    let (start, size) = (shape(c, op, 1, rank)?, shape(c, op, 2, rank)?);
    let from = c.b.shape(a);
    let mut limit = Vec::new();
    for d in 0..rank {
        // -1: all that is left.
        let last = if size[d] == Dim::Static(-1) { from[d] } else { c.b.plus(start[d], size[d]) };
        if !c.b.at_most(last, from[d], "`tosa.slice`") {
            return Err(c.malformed(op, format!("the slice is outside of dimension {d}")));
        }
        limit.push(last);
    }
    Ok(vec![c.b.slice(a, &start, &limit, &ones(rank))])
}

pub fn pad(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let around = shape(c, op, 1, 2 * c.b.rank(a))?;
    let value = if op.operands.len() > 2 { scalar(c, op, 2)? } else { c.zeros(&[], c.b.element(a)) };
    let low: Vec<Dim> = around.iter().copied().step_by(2).collect();
    let high: Vec<Dim> = around.iter().copied().skip(1).step_by(2).collect();
    let between = vec![0; low.len()];
    Ok(vec![c.b.pad(a, value, &low, &high, &between)])
}

pub fn tile(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let from = c.b.shape(a);
    let times = shape(c, op, 1, from.len())?;
    let to: Vec<Dim> = times.iter().zip(&from).map(|(&t, &n)| c.b.graph.dim_mul(t, n)).collect();
    // Each dimension becomes (times, size).
    let at: Vec<usize> = (0..from.len()).map(|d| 2 * d + 1).collect();
    let split: Vec<Dim> = times.iter().zip(&from).flat_map(|(&t, &n)| [t, n]).collect();
    let spread = c.b.broadcast(a, &at, &split);
    Ok(vec![c.b.reshape(spread, &to)])
}

pub fn reduce(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let axis = c.dimension(op, "axis", c.b.rank(a))?;
    let (mut to, element) = (c.b.shape(a), c.b.element(a));
    to[axis] = Dim::Static(1);
    let (kind, first) = match name(op) {
        "reduce_all" => (OpKind::And, Number::Int(1)),
        "reduce_any" => (OpKind::Or, Number::Int(0)),
        "reduce_max" => (OpKind::Maximum, least("arith.maxsi", element)),
        "reduce_min" => (OpKind::Minimum, least("arith.minsi", element)),
        "reduce_product" => (OpKind::Multiply, Number::Int(1)),
        _ => (OpKind::Add, Number::Int(0)),
    };
    let first = c.b.splat(&[], element, first);
    let scalars = [Type::tensor(&[], element), Type::tensor(&[], element)];
    let ignore = ignores_nan(c, op) && matches!(kind, OpKind::Maximum | OpKind::Minimum);
    let region = c.b.region(&scalars, |b, a| vec![extreme_of(b, kind, ignore, a[0], a[1])]);
    let reduced = c.b.reduce_with(a, first, &[axis], region);
    Ok(vec![c.b.reshape(reduced, &to)])
}

/// The first place of the greatest element; a NaN is greater than every number, or less where it is ignored.
pub fn argmax(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let (from, element) = (c.b.shape(a), c.b.element(a));
    let axis = c.dimension(op, "axis", from.len())?;
    let to = c.result_element(op, 0)?;
    let places = c.b.iota(&from, to, axis);
    let ignore = ignores_nan(c, op);
    let scalars = [Type::tensor(&[], element), Type::tensor(&[], to)];
    let region = c.b.region(&[scalars.clone(), scalars].concat(), |b, v| {
        let (x, y) = ([v[0], v[1]], [v[2], v[3]]);
        let mut wins = b.compare("GT", x[0], y[0]);
        let mut ties = b.compare("EQ", x[0], y[0]);
        if element.is_float() {
            let (x_nan, y_nan) = (b.compare("NE", x[0], x[0]), b.compare("NE", y[0], y[0]));
            let (lost, won) = if ignore { (x_nan, y_nan) } else { (y_nan, x_nan) };
            let number = b.unary(OpKind::Not, lost);
            let only = b.binary(OpKind::And, won, number);
            wins = b.binary(OpKind::Or, wins, only);
            let both = b.binary(OpKind::And, x_nan, y_nan);
            ties = b.binary(OpKind::Or, ties, both);
        }
        let earlier = b.compare("LT", x[1], y[1]);
        let tie = b.binary(OpKind::And, ties, earlier);
        let x_wins = b.binary(OpKind::Or, wins, tie);
        vec![b.select(x_wins, x[0], y[0]), b.select(x_wins, x[1], y[1])]
    });
    let lowest = if ignore && element.is_float() { Number::Float(f64::NAN) } else { least("arith.maxsi", element) };
    let first = c.b.splat(&[], element, lowest);
    let never = c.b.splat(&[], to, Number::Int((1i128 << (to.bits() - 1)) - 1));
    let kept: Vec<Dim> = (0..from.len()).filter(|&d| d != axis).map(|d| from[d]).collect();
    let types = vec![tensor_of(&kept, element), tensor_of(&kept, to)];
    let mut new = NewOp::new(OpKind::Reduce, vec![a, places, first, never], types, c.b.location);
    new.attrs.set("dimensions", dims(&[axis]));
    new.regions.push(region);
    Ok(c.b.push(new).into_iter().skip(1).take(1).collect())
}

fn transform(c: &mut Converter, op: &Op, a: ValueId, kind: &str, to: (&[Dim], ElementType)) -> Result<ValueId> {
    let from = c.b.shape(a);
    if from.len() != 3 {
        return Err(c.malformed(op, "the input must have rank 3".into()));
    }
    let Some(lengths) = numbers(&from[1..]) else {
        return Err(c.unsupported(op, "a transform whose length is not a number".into()));
    };
    let kind = Attr::Enum("fft_type".into(), kind.into());
    Ok(c.b.emit(OpKind::Fft, &[a], to, &[("fft_type", kind), ("fft_length", ints(&lengths))]))
}

fn parts(c: &mut Converter, a: ValueId) -> [ValueId; 2] {
    let (shape, part) = (c.b.shape(a), c.b.element(a).complex_part());
    [OpKind::Real, OpKind::Imag].map(|kind| c.b.emit(kind, &[a], (&shape, part), &[]))
}

/// The inverse is not divided by the number of elements: the transform of the conjugate, conjugated.
pub fn fft2d(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (re, mut im) = (c.operand(op, 0)?, c.operand(op, 1)?);
    let inverse = op.attrs.bool("inverse") == Some(true);
    if inverse {
        im = c.b.unary(OpKind::Negate, im);
    }
    let shape = c.b.shape(re);
    let complex = ElementType::ComplexF32;
    let joined = c.b.emit(OpKind::Complex, &[re, im], (&shape, complex), &[]);
    let done = transform(c, op, joined, "FFT", (&shape, complex))?;
    let [re, im] = parts(c, done);
    Ok(vec![re, if inverse { c.b.unary(OpKind::Negate, im) } else { im }])
}

pub fn rfft2d(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let mut to = c.b.shape(a);
    if let Some(last) = to.last_mut() {
        let half = c.b.graph.dim_floor_div(*last, Dim::Static(2));
        *last = c.b.plus(half, Dim::Static(1));
    }
    let done = transform(c, op, a, "RFFT", (&to, ElementType::ComplexF32))?;
    Ok(parts(c, done).to_vec())
}

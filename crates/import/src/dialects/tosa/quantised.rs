//! TOSA's fixed-point scaling, and numbers that share a scale by blocks.

use fornax_graph::views::DotDims;
use fornax_graph::{Dim, ElementType, Op, OpKind, ValueId};

use super::elementwise::saturate;
use super::{scalar, stretched};
use crate::dialects::build::{Builder, Number};
use crate::dialects::converter::{Converter, Result};
use crate::dialects::scalars::unsigned_of;

/// `(value * multiplier + round) >> shift` in 64 bits; double rounding moves the half by 2³⁰ with the value's sign
/// where more than 31 bits go.
fn scaled(b: &mut Builder, value: ValueId, multiplier: ValueId, shift: ValueId, double_round: bool) -> ValueId {
    let one = b.number_like(value, Number::Int(1));
    let before = b.binary(OpKind::Subtract, shift, one);
    let mut round = b.binary(OpKind::ShiftLeft, one, before);
    if double_round {
        let zero = b.number_like(value, Number::Int(0));
        let (limit, more) = (b.number_like(value, Number::Int(31)), b.number_like(value, Number::Int(1 << 30)));
        let less = b.unary(OpKind::Negate, more);
        let positive = b.compare("GE", value, zero);
        let step = b.select(positive, more, less);
        let far = b.compare("GT", shift, limit);
        let step = b.select(far, step, zero);
        round = b.binary(OpKind::Add, round, step);
    }
    let product = b.binary(OpKind::Multiply, value, multiplier);
    let sum = b.binary(OpKind::Add, product, round);
    b.binary(OpKind::ShiftRightArithmetic, sum, shift)
}

/// An integer in 64 bits.
fn wide(b: &mut Builder, a: ValueId, unsigned: bool) -> ValueId {
    let narrow = match unsigned_of(b.element(a)) {
        Some(element) if unsigned => b.bitcast(a, element),
        _ => a,
    };
    b.convert(narrow, ElementType::I64)
}

pub fn apply_scale(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let double = c.keyword(&op.attrs, "rounding_mode") == "DOUBLE_ROUND";
    let to = c.result_element(op, 0)?;
    let mut values = [c.operand(op, 0)?; 3];
    for (index, value) in values.iter_mut().enumerate() {
        let given = if c.result_shape(op, 0)?.is_empty() { c.operand(op, index)? } else { stretched(c, op, index)? };
        *value = wide(&mut c.b, given, false);
    }
    let result = scaled(&mut c.b, values[0], values[1], values[2], double);
    Ok(vec![c.b.convert(result, to)])
}

pub fn rescale(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let (shape, to) = (c.b.shape(a), c.result_element(op, 0)?);
    let flag = |name: &str| op.attrs.bool(name) == Some(true);
    let (in_unsigned, out_unsigned) = (flag("input_unsigned"), flag("output_unsigned"));
    let double = flag("scale32") && c.keyword(&op.attrs, "rounding_mode") == "DOUBLE_ROUND";
    let mut factors = Vec::new();
    for index in [1, 2] {
        let given = c.operand(op, index)?;
        let given = c.b.convert(given, ElementType::I64);
        let per_channel = flag("per_channel") && !shape.is_empty();
        let (given, at) =
            if per_channel { (given, vec![shape.len() - 1]) } else { (scalar_of(c, op, given)?, Vec::new()) };
        factors.push(c.b.broadcast(given, &at, &shape));
    }
    let mut zero_points = Vec::new();
    for (index, unsigned) in [(3, in_unsigned), (4, out_unsigned)] {
        let given = scalar(c, op, index)?;
        let given = wide(&mut c.b, given, unsigned);
        zero_points.push(c.b.broadcast(given, &[], &shape));
    }
    let value = wide(&mut c.b, a, in_unsigned);
    let value = c.b.binary(OpKind::Subtract, value, zero_points[0]);
    let value = scaled(&mut c.b, value, factors[0], factors[1], double);
    let value = c.b.binary(OpKind::Add, value, zero_points[1]);
    let target = if out_unsigned { unsigned_of(to).unwrap_or(to) } else { to };
    let value = saturate(&mut c.b, value, target);
    Ok(vec![c.b.bitcast(value, to)])
}

fn scalar_of(c: &mut Converter, op: &Op, a: ValueId) -> Result<ValueId> {
    if c.b.tensor(a).elements() != Some(1) {
        return Err(c.malformed(op, "multiplier and shift must have one element".into()));
    }
    Ok(c.b.reshape(a, &[]))
}

/// Blocks of the last dimension times their scale.
fn unscaled(c: &mut Converter, op: &Op, data: ValueId, scale: ValueId, to: ElementType) -> Result<ValueId> {
    let (shape, blocks) = (c.b.shape(data), c.b.shape(scale));
    let ends = (shape.last().and_then(|d| d.as_static()), blocks.last().and_then(|d| d.as_static()));
    let (Some(n), Some(m)) = ends else {
        return Err(c.malformed(op, "the last dimension of data and scales must be a number".into()));
    };
    if m < 1 || n % m != 0 || shape.len() != blocks.len() {
        return Err(c.malformed(op, "the scales do not divide the data".into()));
    }
    let mut split = blocks.clone();
    split.push(Dim::Static(n / m));
    let (data, scale) = (c.b.convert(data, to), c.b.convert(scale, to));
    let data = c.b.reshape(data, &split);
    let at: Vec<usize> = (0..blocks.len()).collect();
    let scale = c.b.broadcast(scale, &at, &split);
    let product = c.b.binary(OpKind::Multiply, data, scale);
    Ok(c.b.reshape(product, &shape))
}

pub fn cast_from_block_scaled(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (data, scale, to) = (c.operand(op, 0)?, c.operand(op, 1)?, c.result_element(op, 0)?);
    Ok(vec![unscaled(c, op, data, scale, to)?])
}

/// `[N, H, C]` with `[N or 1, W, C]` → `[N, H, W]`.
pub fn matmul_t_block_scaled(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let operands = c.operands(op)?;
    let &[a, a_scale, b, b_scale] = operands.as_slice() else {
        return Err(c.malformed(op, "two factors with scales are needed".into()));
    };
    let to = c.result_element(op, 0)?;
    let a = unscaled(c, op, a, a_scale, to)?;
    let mut b = unscaled(c, op, b, b_scale, to)?;
    let (left, right) = (c.b.shape(a), c.b.shape(b));
    if left.len() != 3 || right.len() != 3 {
        return Err(c.malformed(op, "the factors must have rank 3".into()));
    }
    b = c.b.broadcast(b, &[0, 1, 2], &[left[0], right[1], right[2]]);
    let numbers = DotDims { lhs_batch: vec![0], rhs_batch: vec![0], lhs_contract: vec![2], rhs_contract: vec![2] };
    Ok(vec![c.b.dot(a, b, &numbers, to)])
}

//! TOSA's elementwise ops.

use fornax_graph::{ElementType, Op, OpKind, ValueId};

use super::{ignores_nan, known, name, scalar, stretched, without_zero_point};
use crate::dialects::build::{Builder, Number};
use crate::dialects::converter::{Converter, Result};
use crate::dialects::scalars;

const UNARY: &[(&str, OpKind)] = &[
    ("abs", OpKind::Abs),
    ("bitwise_not", OpKind::Not),
    ("ceil", OpKind::Ceil),
    ("clz", OpKind::CountLeadingZeros),
    ("cos", OpKind::Cosine),
    ("erf", OpKind::ChloErf),
    ("exp", OpKind::Exponential),
    ("floor", OpKind::Floor),
    ("log", OpKind::Log),
    ("logical_not", OpKind::Not),
    ("rsqrt", OpKind::Rsqrt),
    ("sigmoid", OpKind::Logistic),
    ("sin", OpKind::Sine),
    ("tanh", OpKind::Tanh),
];

const BINARY: &[(&str, OpKind)] = &[
    ("add", OpKind::Add),
    ("bitwise_and", OpKind::And),
    ("bitwise_or", OpKind::Or),
    ("bitwise_xor", OpKind::Xor),
    ("intdiv", OpKind::Divide),
    ("logical_and", OpKind::And),
    ("logical_left_shift", OpKind::ShiftLeft),
    ("logical_or", OpKind::Or),
    ("logical_right_shift", OpKind::ShiftRightLogical),
    ("logical_xor", OpKind::Xor),
    ("pow", OpKind::Power),
    ("sub", OpKind::Subtract),
];

fn kind(c: &Converter, op: &Op, table: &[(&str, OpKind)]) -> Result<OpKind> {
    let found = table.iter().find(|(n, _)| *n == name(op)).map(|(_, kind)| *kind);
    found.ok_or_else(|| c.unsupported(op, "there is no rule for it".into()))
}

pub fn unary(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (kind, a) = (kind(c, op, UNARY)?, c.operand(op, 0)?);
    Ok(vec![c.b.unary(kind, a)])
}

pub fn binary(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let kind = kind(c, op, BINARY)?;
    let (a, b) = (stretched(c, op, 0)?, stretched(c, op, 1)?);
    Ok(vec![c.b.binary(kind, a, b)])
}

pub fn identity(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    Ok(vec![c.operand(op, 0)?])
}

pub fn reciprocal(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let one = c.b.number_like(a, Number::Float(1.0));
    Ok(vec![c.b.binary(OpKind::Divide, one, a)])
}

pub fn compare(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let direction = match name(op) {
        "equal" => "EQ",
        "greater" => "GT",
        _ => "GE",
    };
    let (a, b) = (stretched(c, op, 0)?, stretched(c, op, 1)?);
    Ok(vec![c.b.compare(direction, a, b)])
}

pub fn select(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (condition, a, b) = (stretched(c, op, 0)?, stretched(c, op, 1)?, stretched(c, op, 2)?);
    Ok(vec![c.b.select(condition, a, b)])
}

/// The greater or the lesser of two, NaN by the mode.
pub fn extreme_of(b: &mut Builder, kind: OpKind, ignore_nan: bool, x: ValueId, y: ValueId) -> ValueId {
    let number = if ignore_nan && b.element(x).is_float() { scalars::number_of_two(b, &[x, y], kind) } else { None };
    number.unwrap_or_else(|| b.binary(kind, x, y))
}

pub fn extreme(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let kind = if name(op) == "maximum" { OpKind::Maximum } else { OpKind::Minimum };
    let (ignore, a, b) = (ignores_nan(c, op), stretched(c, op, 0)?, stretched(c, op, 1)?);
    Ok(vec![extreme_of(&mut c.b, kind, ignore, a, b)])
}

pub fn clamp(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let bound = |name: &str| op.attrs.get(name).and_then(scalars::number_of);
    let (Some(low), Some(high)) = (bound("min_val"), bound("max_val")) else {
        return Err(c.malformed(op, "`min_val` and `max_val` must be numbers".into()));
    };
    let ignore = ignores_nan(c, op);
    let (low, high) = (c.b.number_like(a, low), c.b.number_like(a, high));
    let raised = extreme_of(&mut c.b, OpKind::Maximum, ignore, a, low);
    Ok(vec![extreme_of(&mut c.b, OpKind::Minimum, ignore, raised, high)])
}

/// Products of integers are of the result's width; i32 products may be shifted right, rounded, from 64 bits.
pub fn mul(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let to = c.result_element(op, 0)?;
    let (a, b) = (stretched(c, op, 0)?, stretched(c, op, 1)?);
    let unshifted = to.is_float() || op.operands.len() < 3 || known(c, op, 2) == Some(0);
    if unshifted {
        let (a, b) = (c.b.convert(a, to), c.b.convert(b, to));
        return Ok(vec![c.b.binary(OpKind::Multiply, a, b)]);
    }
    let wide = ElementType::I64;
    let (a, b) = (c.b.convert(a, wide), c.b.convert(b, wide));
    let product = c.b.binary(OpKind::Multiply, a, b);
    let (shift, shape) = (scalar(c, op, 2)?, c.b.shape(product));
    let shift = c.b.convert(shift, wide);
    let shift = c.b.broadcast(shift, &[], &shape);
    let shifted = shift_rounded(&mut c.b, product, shift);
    Ok(vec![c.b.convert(shifted, to)])
}

/// `(a + (1 << shift >> 1)) >> shift`, the shift not negative.
pub fn shift_rounded(b: &mut Builder, a: ValueId, shift: ValueId) -> ValueId {
    let one = b.number_like(a, Number::Int(1));
    let power = b.binary(OpKind::ShiftLeft, one, shift);
    let half = b.binary(OpKind::ShiftRightArithmetic, power, one);
    let sum = b.binary(OpKind::Add, a, half);
    b.binary(OpKind::ShiftRightArithmetic, sum, shift)
}

pub fn arithmetic_right_shift(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, shift) = (stretched(c, op, 0)?, stretched(c, op, 1)?);
    let shifted = c.b.binary(OpKind::ShiftRightArithmetic, a, shift);
    if op.attrs.bool("round") != Some(true) {
        return Ok(vec![shifted]);
    }
    // The last bit shifted out is added.
    let (zero, one) = (c.b.number_like(a, Number::Int(0)), c.b.number_like(a, Number::Int(1)));
    let positive = c.b.compare("GT", shift, zero);
    let before = c.b.binary(OpKind::Subtract, shift, one);
    let before = c.b.select(positive, before, zero);
    let bit = c.b.binary(OpKind::ShiftRightArithmetic, a, before);
    let bit = c.b.binary(OpKind::And, bit, one);
    let bit = c.b.select(positive, bit, zero);
    Ok(vec![c.b.binary(OpKind::Add, shifted, bit)])
}

/// `output_zp - (a - input1_zp)`, saturated.
pub fn negate(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let zero = |c: &mut Converter, index: usize| -> Result<bool> {
        Ok(op.operands.len() <= index || {
            let zp = scalar(c, op, index)?;
            c.b.is_zero(zp)
        })
    };
    let element = c.b.element(a);
    if element.is_float() || (element == ElementType::I32 && zero(c, 1)? && zero(c, 2)?) {
        return Ok(vec![c.b.unary(OpKind::Negate, a)]);
    }
    let shape = c.b.shape(a);
    let a = without_zero_point(c, op, a, 1)?;
    let wide = ElementType::I64;
    let a = c.b.convert(a, wide);
    let mut negated = c.b.unary(OpKind::Negate, a);
    if !zero(c, 2)? {
        let zp = scalar(c, op, 2)?;
        let zp = c.b.convert(zp, wide);
        let zp = c.b.broadcast(zp, &[], &shape);
        negated = c.b.binary(OpKind::Add, negated, zp);
    }
    Ok(vec![saturate(&mut c.b, negated, element)])
}

/// A wide integer in a type of fewer bits, what does not fit at the end of its range.
pub fn saturate(b: &mut Builder, a: ValueId, to: ElementType) -> ValueId {
    let bits = to.bits().min(63);
    let (low, high) =
        if to.is_unsigned() { (0, (1i128 << bits) - 1) } else { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) };
    let (low, high) = (b.number_like(a, Number::Int(low)), b.number_like(a, Number::Int(high)));
    let raised = b.binary(OpKind::Maximum, a, low);
    let inside = b.binary(OpKind::Minimum, raised, high);
    b.convert(inside, to)
}

/// Floats become integers by rounding to nearest even, and booleans by comparison with zero.
pub fn cast(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, to) = (c.operand(op, 0)?, c.result_element(op, 0)?);
    let from = c.b.element(a);
    if to == ElementType::I1 && from != ElementType::I1 {
        let zero = c.b.number_like(a, Number::Int(0));
        return Ok(vec![c.b.compare("NE", a, zero)]);
    }
    let rounded = if from.is_float() && to.is_integer() { c.b.unary(OpKind::RoundNearestEven, a) } else { a };
    Ok(vec![c.b.convert(rounded, to)])
}

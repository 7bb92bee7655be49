//! Operators on one element at a time: arithmetic, comparisons, logic, bits.

use fornax_graph::{ElementType, OpKind, ValueId};
use fornax_types::{Scalar, Specials};

use super::{Row, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[
    one("Abs", abs),
    one("Neg", |c, n| unary(c, n, OpKind::Negate)),
    one("Ceil", |c, n| unary(c, n, OpKind::Ceil)),
    one("Floor", |c, n| unary(c, n, OpKind::Floor)),
    one("Round", |c, n| unary(c, n, OpKind::RoundNearestEven)),
    one("Exp", |c, n| unary(c, n, OpKind::Exponential)),
    one("Log", |c, n| unary(c, n, OpKind::Log)),
    one("Sqrt", |c, n| unary(c, n, OpKind::Sqrt)),
    one("Sin", |c, n| unary(c, n, OpKind::Sine)),
    one("Cos", |c, n| unary(c, n, OpKind::Cosine)),
    one("Tan", |c, n| unary(c, n, OpKind::Tan)),
    one("Tanh", |c, n| unary(c, n, OpKind::Tanh)),
    one("Asin", |c, n| unary(c, n, OpKind::ChloAsin)),
    one("Acos", |c, n| unary(c, n, OpKind::ChloAcos)),
    one("Atan", |c, n| unary(c, n, OpKind::ChloAtan)),
    one("Sinh", |c, n| unary(c, n, OpKind::ChloSinh)),
    one("Cosh", |c, n| unary(c, n, OpKind::ChloCosh)),
    one("Asinh", |c, n| unary(c, n, OpKind::ChloAsinh)),
    one("Acosh", |c, n| unary(c, n, OpKind::ChloAcosh)),
    one("Atanh", |c, n| unary(c, n, OpKind::ChloAtanh)),
    one("Erf", |c, n| unary(c, n, OpKind::ChloErf)),
    one("Sign", sign),
    one("Reciprocal", reciprocal),
    one("Not", |c, n| unary(c, n, OpKind::Not)),
    one("BitwiseNot", |c, n| unary(c, n, OpKind::Not)),
    one("IsNaN", is_nan),
    one("IsInf", is_inf),
    one("Add", |c, n| binary(c, n, OpKind::Add)),
    one("Sub", |c, n| binary(c, n, OpKind::Subtract)),
    one("Mul", |c, n| binary(c, n, OpKind::Multiply)),
    one("Div", |c, n| binary(c, n, OpKind::Divide)),
    one("And", |c, n| binary(c, n, OpKind::And)),
    one("Or", |c, n| binary(c, n, OpKind::Or)),
    one("Xor", |c, n| binary(c, n, OpKind::Xor)),
    one("BitwiseAnd", |c, n| binary(c, n, OpKind::And)),
    one("BitwiseOr", |c, n| binary(c, n, OpKind::Or)),
    one("BitwiseXor", |c, n| binary(c, n, OpKind::Xor)),
    one("BitShift", bit_shift),
    one("Pow", pow),
    one("Mod", modulo),
    one("Equal", |c, n| compare(c, n, "EQ")),
    one("Less", |c, n| compare(c, n, "LT")),
    one("LessOrEqual", |c, n| compare(c, n, "LE")),
    one("Greater", |c, n| compare(c, n, "GT")),
    one("GreaterOrEqual", |c, n| compare(c, n, "GE")),
    one("Where", where_),
    one("Max", |c, n| folded(c, n, OpKind::Maximum)),
    one("Min", |c, n| folded(c, n, OpKind::Minimum)),
    one("Sum", |c, n| folded(c, n, OpKind::Add)),
    one("Mean", mean),
    one("Clip", clip),
];

fn unary(c: &mut Converter, node: &Node, kind: OpKind) -> Result<ValueId> {
    let a = node.input(0)?;
    Ok(c.b.unary(kind, a))
}

fn abs(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    Ok(if c.b.element(a).is_unsigned() { a } else { c.b.unary(OpKind::Abs, a) })
}

fn sign(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    if !c.b.element(a).is_unsigned() {
        return Ok(c.b.unary(OpKind::Sign, a));
    }
    Ok(c.with_number(OpKind::Minimum, a, 1.0))
}

fn reciprocal(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let one = c.number(a, 1.0);
    Ok(c.divide(one, a))
}

fn is_nan(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    Ok(c.b.compare("NE", a, a))
}

fn is_inf(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    if c.b.element(a).format().is_none_or(|format| format.specials != Specials::Ieee) {
        let shape = c.b.shape(a);
        return Ok(c.b.splat(&shape, ElementType::I1, Scalar::Int(0)));
    }
    let positive = c.number(a, f64::INFINITY);
    let negative = c.number(a, f64::NEG_INFINITY);
    let (up, down) = (c.b.compare("EQ", a, positive), c.b.compare("EQ", a, negative));
    Ok(match (node.int_or("detect_positive", 1) != 0, node.int_or("detect_negative", 1) != 0) {
        (true, true) => c.b.binary(OpKind::Or, up, down),
        (true, false) => up,
        (false, true) => down,
        (false, false) => c.b.binary(OpKind::And, up, down),
    })
}

/// The two inputs; before version 7 the second one is aligned at an axis of the first.
fn pair(c: &mut Converter, node: &Node) -> Result<(ValueId, ValueId)> {
    let (a, b) = (node.input(0)?, node.input(1)?);
    if node.version >= 7 || !node.is_set("broadcast") {
        return Ok((a, b));
    }
    let Some(axis) = node.int("axis") else { return Ok((a, b)) };
    let (rank, mut shape) = (c.b.rank(a), c.b.shape(b));
    let at = node.axis_of(axis, rank)?;
    if at + shape.len() > rank {
        return Err(node.broken("the second operand does not fit at its axis"));
    }
    shape.resize(rank - at, 1.into());
    Ok((a, c.b.reshape(b, &shape)))
}

fn binary(c: &mut Converter, node: &Node, kind: OpKind) -> Result<ValueId> {
    let (a, b) = pair(c, node)?;
    c.binary(node, kind, a, b)
}

fn compare(c: &mut Converter, node: &Node, direction: &str) -> Result<ValueId> {
    let (a, b) = pair(c, node)?;
    if c.b.element(a) != c.b.element(b) {
        return Err(node.broken(format!("operands of {} and {}", c.b.element(a), c.b.element(b))));
    }
    let (a, b) = c.together(node, a, b)?;
    Ok(c.b.compare(direction, a, b))
}

/// By amounts outside of the type nothing but copies of the sign are left.
fn bit_shift(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let (a, b) = c.together(node, a, b)?;
    let element = c.b.element(a);
    let is_left = match node.text_or("direction", "") {
        "LEFT" => true,
        "RIGHT" => false,
        other => return Err(node.broken(format!("direction `{other}`; known: LEFT, RIGHT"))),
    };
    let kind = match (is_left, element.is_unsigned()) {
        (true, _) => OpKind::ShiftLeft,
        (false, true) => OpKind::ShiftRightLogical,
        (false, false) => OpKind::ShiftRightArithmetic,
    };
    let zero = c.number(a, 0.0);
    let bits = c.number(a, f64::from(element.bits()));
    let most = c.number(a, f64::from(element.bits() - 1));
    let (negative, beyond) = (c.b.compare("LT", b, zero), c.b.compare("GE", b, bits));
    let outside = c.b.binary(OpKind::Or, negative, beyond);
    let amount = c.b.select(outside, most, b);
    let shifted = c.b.binary(kind, a, amount);
    if kind == OpKind::ShiftRightArithmetic {
        return Ok(shifted);
    }
    Ok(c.b.select(outside, zero, shifted))
}

/// The result has the type of the base; an exponent of another type makes the power one of floats.
fn pow(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, b) = pair(c, node)?;
    let (base, exponent) = (c.b.element(a), c.b.element(b));
    if base == exponent {
        return c.binary(node, OpKind::Power, a, b);
    }
    if base.is_integer() && exponent.is_integer() {
        let b = c.b.convert(b, base);
        return c.binary(node, OpKind::Power, a, b);
    }
    let is_single = |e: ElementType| e.is_float() && e.bits() <= 32;
    let with = if is_single(base) && (is_single(exponent) || exponent.is_integer()) {
        ElementType::F32
    } else {
        ElementType::F64
    };
    let (a, b) = (c.b.convert(a, with), c.b.convert(b, with));
    let power = c.binary(node, OpKind::Power, a, b)?;
    Ok(c.b.convert(power, base))
}

/// `fmod` has the sign of the dividend; else the remainder has that of the divisor.
fn modulo(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, b) = pair(c, node)?;
    let rest = c.binary(node, OpKind::Remainder, a, b)?;
    if node.is_set("fmod") || c.b.element(a).is_unsigned() {
        return Ok(rest);
    }
    let shape = c.b.shape(rest);
    let b = c.stretch(b, &shape);
    let zero = c.number(rest, 0.0);
    let (negative, other) = (c.b.compare("LT", rest, zero), c.b.compare("LT", b, zero));
    let (differ, some) = (c.b.compare("NE", negative, other), c.b.compare("NE", rest, zero));
    let wrong = c.b.binary(OpKind::And, differ, some);
    let moved = c.add(rest, b);
    Ok(c.b.select(wrong, moved, rest))
}

fn where_(c: &mut Converter, node: &Node) -> Result<ValueId> {
    selected(c, node, [node.input(0)?, node.input(1)?, node.input(2)?])
}

/// A condition, what is taken where it holds, and what elsewhere.
pub fn selected(c: &mut Converter, node: &Node, values: [ValueId; 3]) -> Result<ValueId> {
    let all = c.all_together(node, &values)?;
    if c.b.element(all[0]) != ElementType::I1 || c.b.element(all[1]) != c.b.element(all[2]) {
        return Err(node.broken("a condition and two values of one type are expected"));
    }
    Ok(c.b.select(all[0], all[1], all[2]))
}

fn folded(c: &mut Converter, node: &Node, kind: OpKind) -> Result<ValueId> {
    let values = node.tensors()?;
    let Some((&first, rest)) = values.split_first() else { return Err(node.broken("it has no input")) };
    rest.iter().try_fold(first, |sum, &value| c.binary(node, kind, sum, value))
}

fn mean(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let sum = folded(c, node, OpKind::Add)?;
    Ok(c.with_number(OpKind::Divide, sum, node.inputs.len() as f64))
}

/// Bounds are attributes before version 11, then inputs.
fn clip(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let mut a = node.input(0)?;
    if node.version < 11 {
        if let Some(low) = node.float("min") {
            a = c.with_number(OpKind::Maximum, a, low);
        }
        if let Some(high) = node.float("max") {
            a = c.with_number(OpKind::Minimum, a, high);
        }
        return Ok(a);
    }
    if let Some(low) = node.optional(1) {
        a = c.binary(node, OpKind::Maximum, a, low)?;
    }
    if let Some(high) = node.optional(2) {
        a = c.binary(node, OpKind::Minimum, a, high)?;
    }
    Ok(a)
}

//! Scalar ops of arith, math and complex on tensors of one shape: one row an op.
//!
//! MLIR's integers have no sign: an op that reads them as unsigned goes through the unsigned type and back. `i1` is
//! signed in arith (true is −1) and is treated so where it matters. Casts of floats to integers that do not fit have no
//! meaning in arith; here they saturate, as StableHLO's do.

use fornax_graph::{Attr, ElementType, Op, OpKind, ValueId};

use super::build::{Builder, Number};

/// How a row makes its results.
#[derive(Clone, Copy)]
enum Rule {
    /// One operand, result of its type.
    Unary(OpKind),
    Binary(OpKind),
    /// As unsigned integers.
    Unsigned(OpKind),
    /// On `i1` another op than on integers.
    Boolean(OpKind, OpKind),
    /// To the result's type; the operand is signed.
    Signed,
    /// To the result's type; operand or result are unsigned.
    UnsignedCast,
    Custom(fn(&mut Builder, &Op, &[ValueId], ElementType) -> Option<ValueId>),
}

use OpKind as K;
use Rule::{Binary, Boolean, Custom, Signed, Unary, Unsigned, UnsignedCast};

#[rustfmt::skip]
const RULES: &[(&str, Rule)] = &[
    ("arith.addf", Binary(K::Add)), ("arith.addi", Boolean(K::Add, K::Xor)),
    ("arith.subf", Binary(K::Subtract)), ("arith.subi", Boolean(K::Subtract, K::Xor)),
    ("arith.mulf", Binary(K::Multiply)), ("arith.muli", Boolean(K::Multiply, K::And)),
    ("arith.divf", Binary(K::Divide)), ("arith.divsi", Binary(K::Divide)), ("arith.divui", Unsigned(K::Divide)),
    ("arith.remf", Binary(K::Remainder)), ("arith.remsi", Binary(K::Remainder)),
    ("arith.remui", Unsigned(K::Remainder)),
    ("arith.floordivsi", Custom(floor_div)), ("arith.ceildivsi", Custom(ceil_div)),
    ("arith.ceildivui", Custom(ceil_div_unsigned)),
    ("arith.andi", Binary(K::And)), ("arith.ori", Binary(K::Or)), ("arith.xori", Binary(K::Xor)),
    ("arith.shli", Binary(K::ShiftLeft)), ("arith.shrsi", Binary(K::ShiftRightArithmetic)),
    ("arith.shrui", Binary(K::ShiftRightLogical)),
    ("arith.maximumf", Binary(K::Maximum)), ("arith.minimumf", Binary(K::Minimum)),
    ("arith.maxnumf", Custom(max_number)), ("arith.minnumf", Custom(min_number)),
    ("arith.maxsi", Boolean(K::Maximum, K::And)), ("arith.minsi", Boolean(K::Minimum, K::Or)),
    ("arith.maxui", Unsigned(K::Maximum)), ("arith.minui", Unsigned(K::Minimum)),
    ("arith.negf", Unary(K::Negate)),
    ("arith.extf", Signed), ("arith.truncf", Signed), ("arith.sitofp", Signed), ("arith.fptosi", Signed),
    ("arith.scaling_extf", Custom(scaled_extension)), ("arith.scaling_truncf", Custom(scaled_truncation)),
    ("arith.extsi", Signed), ("arith.trunci", Custom(truncate)), ("arith.index_cast", Signed),
    ("arith.extui", UnsignedCast), ("arith.uitofp", UnsignedCast), ("arith.index_castui", UnsignedCast),
    ("arith.fptoui", Custom(float_to_unsigned)),
    ("arith.bitcast", Custom(bitcast)),
    ("arith.cmpi", Custom(compare_integers)), ("arith.cmpf", Custom(compare_floats)), ("arith.select", Custom(select)),
    ("math.absf", Unary(K::Abs)), ("math.absi", Unary(K::Abs)),
    ("math.acos", Unary(K::ChloAcos)), ("math.acosh", Unary(K::ChloAcosh)),
    ("math.asin", Unary(K::ChloAsin)), ("math.asinh", Unary(K::ChloAsinh)), ("math.atan", Unary(K::ChloAtan)),
    ("math.atanh", Unary(K::ChloAtanh)), ("math.atan2", Binary(K::Atan2)),
    ("math.cbrt", Unary(K::Cbrt)), ("math.ceil", Unary(K::Ceil)),
    ("math.copysign", Custom(copy_sign)), ("math.cos", Unary(K::Cosine)), ("math.cosh", Unary(K::ChloCosh)),
    ("math.ctlz", Unary(K::CountLeadingZeros)), ("math.cttz", Custom(count_trailing_zeros)),
    ("math.ctpop", Unary(K::Popcnt)),
    ("math.erf", Unary(K::ChloErf)), ("math.erfc", Unary(K::ChloErfc)),
    ("math.exp", Unary(K::Exponential)), ("math.exp2", Custom(exp2)),
    ("math.expm1", Unary(K::ExponentialMinusOne)), ("math.floor", Unary(K::Floor)), ("math.fma", Custom(multiply_add)),
    ("math.fpowi", Custom(power)), ("math.ipowi", Custom(power)), ("math.powf", Binary(K::Power)),
    ("math.log", Unary(K::Log)), ("math.log1p", Unary(K::LogPlusOne)),
    ("math.log2", Custom(log2)), ("math.log10", Custom(log10)),
    ("math.round", Unary(K::RoundNearestAfz)), ("math.roundeven", Unary(K::RoundNearestEven)),
    ("math.rsqrt", Unary(K::Rsqrt)),
    ("math.sin", Unary(K::Sine)), ("math.sinh", Unary(K::ChloSinh)),
    ("math.sqrt", Unary(K::Sqrt)), ("math.tan", Unary(K::ChloTan)),
    ("math.tanh", Unary(K::Tanh)), ("math.trunc", Custom(truncate_float)),
    ("math.isnan", Custom(is_nan)), ("math.isinf", Custom(is_infinite)), ("math.isfinite", Custom(is_finite)),
    ("complex.add", Binary(K::Add)), ("complex.sub", Binary(K::Subtract)), ("complex.mul", Binary(K::Multiply)),
    ("complex.div", Binary(K::Divide)), ("complex.pow", Binary(K::Power)), ("complex.atan2", Binary(K::Atan2)),
    ("complex.neg", Unary(K::Negate)), ("complex.exp", Unary(K::Exponential)),
    ("complex.expm1", Unary(K::ExponentialMinusOne)),
    ("complex.log", Unary(K::Log)), ("complex.log1p", Unary(K::LogPlusOne)), ("complex.sqrt", Unary(K::Sqrt)),
    ("complex.rsqrt", Unary(K::Rsqrt)), ("complex.sin", Unary(K::Sine)),
    ("complex.cos", Unary(K::Cosine)), ("complex.tan", Unary(K::ChloTan)),
    ("complex.tanh", Unary(K::Tanh)), ("complex.conj", Unary(K::ChloConj)), ("complex.sign", Unary(K::Sign)),
    ("complex.create", Custom(complex)), ("complex.re", Custom(real)),
    ("complex.im", Custom(imaginary)), ("complex.abs", Custom(magnitude)),
    ("complex.angle", Custom(angle)), ("complex.eq", Custom(equal)), ("complex.neq", Custom(not_equal)),
];

/// Every scalar op there is a row for.
pub fn names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(name, _)| *name)
}

/// The op on tensors of one shape; `None` when there is no row, or the op does not fit it.
pub fn emit(b: &mut Builder, op: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let (_, rule) = RULES.iter().find(|(name, _)| *name == op.name)?;
    match (rule, operands) {
        (Unary(kind), [a]) => Some(b.unary(*kind, *a)),
        (Binary(kind), [x, y]) => Some(b.binary(*kind, *x, *y)),
        (Boolean(_, kind), [x, y]) if b.element(*x) == ElementType::I1 => Some(b.binary(*kind, *x, *y)),
        (Boolean(kind, _), [x, y]) => Some(b.binary(*kind, *x, *y)),
        (Unsigned(kind), [x, y]) => unsigned(b, *kind, *x, *y),
        (Signed, [a]) => Some(signed_cast(b, *a, to)),
        (UnsignedCast, [a]) => {
            let from = as_unsigned(b, *a)?;
            Some(b.convert(from, to))
        }
        (Custom(make), _) => make(b, op, operands, to),
        _ => None,
    }
}

/// The unsigned type of as many bits; `i1` is its own.
pub fn unsigned_of(element: ElementType) -> Option<ElementType> {
    Some(match element {
        ElementType::I2 => ElementType::Ui2,
        ElementType::I4 => ElementType::Ui4,
        ElementType::I8 => ElementType::Ui8,
        ElementType::I16 => ElementType::Ui16,
        ElementType::I32 => ElementType::Ui32,
        ElementType::I64 => ElementType::Ui64,
        e if e == ElementType::I1 || e.is_unsigned() => e,
        _ => return None,
    })
}

fn as_unsigned(b: &mut Builder, a: ValueId) -> Option<ValueId> {
    let to = unsigned_of(b.element(a))?;
    Some(b.bitcast(a, to))
}

fn unsigned(b: &mut Builder, kind: OpKind, x: ValueId, y: ValueId) -> Option<ValueId> {
    let element = b.element(x);
    if element == ElementType::I1 {
        let kind = match kind {
            K::Maximum => K::Or,
            K::Minimum => K::And,
            _ => return None,
        };
        return Some(b.binary(kind, x, y));
    }
    let (x, y) = (as_unsigned(b, x)?, as_unsigned(b, y)?);
    let result = b.binary(kind, x, y);
    Some(b.bitcast(result, element))
}

/// A cast that takes `i1` as 0 and −1.
fn signed_cast(b: &mut Builder, a: ValueId, to: ElementType) -> ValueId {
    let cast = b.convert(a, to);
    if b.element(a) == ElementType::I1 && to != ElementType::I1 { b.unary(K::Negate, cast) } else { cast }
}

/// `input · scale` in the result's type; a scale is the power of two that f8E8M0FNU makes of it.
fn scaled_extension(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[input, scale] = operands else { return None };
    let scale = power_of_two(b, scale, to);
    let input = b.convert(input, to);
    Some(b.binary(K::Multiply, scale, input))
}

/// `input / scale`, computed in the input's type, rounded to the result's.
fn scaled_truncation(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[input, scale] = operands else { return None };
    let wide = b.element(input);
    let scale = power_of_two(b, scale, wide);
    let quotient = b.binary(K::Divide, input, scale);
    Some(b.convert(quotient, to))
}

fn power_of_two(b: &mut Builder, scale: ValueId, element: ElementType) -> ValueId {
    let power = b.convert(scale, ElementType::F8E8M0FNU);
    b.convert(power, element)
}

fn truncate(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[a] = operands else { return None };
    if to != ElementType::I1 {
        return Some(b.convert(a, to));
    }
    let one = b.number_like(a, Number::Int(1));
    let bit = b.binary(K::And, a, one);
    Some(b.compare("EQ", bit, one))
}

fn float_to_unsigned(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[a] = operands else { return None };
    let wide = b.convert(a, unsigned_of(to)?);
    Some(b.bitcast(wide, to))
}

fn bitcast(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[a] = operands else { return None };
    Some(b.bitcast(a, to))
}

fn floor_div(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    rounded_div(b, x, y, "NE", -1)
}

fn ceil_div(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    rounded_div(b, x, y, "EQ", 1)
}

/// The quotient towards zero, moved by `step` where there is a remainder and the signs compare as `signs` says.
fn rounded_div(b: &mut Builder, x: ValueId, y: ValueId, signs: &str, step: i128) -> Option<ValueId> {
    let quotient = b.binary(K::Divide, x, y);
    let back = b.binary(K::Multiply, quotient, y);
    let zero = b.number_like(x, Number::Int(0));
    let step = b.number_like(x, Number::Int(step));
    let (inexact, left, right) = (b.compare("NE", back, x), b.compare("LT", x, zero), b.compare("LT", y, zero));
    let signs = b.compare(signs, left, right);
    let moved = b.binary(K::And, inexact, signs);
    let away = b.binary(K::Add, quotient, step);
    Some(b.select(moved, away, quotient))
}

fn ceil_div_unsigned(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    let (x, y) = (as_unsigned(b, x)?, as_unsigned(b, y)?);
    let (quotient, rest) = (b.binary(K::Divide, x, y), b.binary(K::Remainder, x, y));
    let (zero, one) = (b.number_like(x, Number::Int(0)), b.number_like(x, Number::Int(1)));
    let (inexact, more) = (b.compare("NE", rest, zero), b.binary(K::Add, quotient, one));
    let result = b.select(inexact, more, quotient);
    Some(b.bitcast(result, to))
}

fn max_number(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    number_of_two(b, operands, K::Maximum)
}

fn min_number(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    number_of_two(b, operands, K::Minimum)
}

/// Of a NaN and a number, the number.
pub fn number_of_two(b: &mut Builder, operands: &[ValueId], kind: OpKind) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    let both = b.binary(kind, x, y);
    let (x_nan, y_nan) = (b.compare("NE", x, x), b.compare("NE", y, y));
    let inner = b.select(y_nan, x, both);
    Some(b.select(x_nan, y, inner))
}

const INTEGER_PREDICATES: [(&str, bool); 10] = [
    ("EQ", false),
    ("NE", false),
    ("LT", false),
    ("LE", false),
    ("GT", false),
    ("GE", false),
    ("LT", true),
    ("LE", true),
    ("GT", true),
    ("GE", true),
];

fn compare_integers(b: &mut Builder, op: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    let at = usize::try_from(op.attrs.int("predicate")?).ok()?;
    let &(direction, is_unsigned) = INTEGER_PREDICATES.get(at)?;
    if is_unsigned {
        let (x, y) = (as_unsigned(b, x)?, as_unsigned(b, y)?);
        return Some(b.compare(direction, x, y));
    }
    // True is −1.
    let ordered = !matches!(direction, "EQ" | "NE");
    if ordered && b.element(x) == ElementType::I1 {
        Some(b.compare(direction, y, x))
    } else {
        Some(b.compare(direction, x, y))
    }
}

fn compare_floats(b: &mut Builder, op: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    // The ordered comparison, and whether the predicate is the negation of it.
    let (direction, negated) = match op.attrs.int("predicate")? {
        1 => ("EQ", false),
        2 => ("GT", false),
        3 => ("GE", false),
        4 => ("LT", false),
        5 => ("LE", false),
        9 => ("LE", true),
        10 => ("LT", true),
        11 => ("GE", true),
        12 => ("GT", true),
        13 => ("NE", false),
        always @ (0 | 15) => {
            let shape = b.shape(x);
            return Some(b.splat(&shape, ElementType::I1, Number::Int(i128::from(always == 15))));
        }
        both @ (6 | 8) => {
            let (less, more) = (b.compare("LT", x, y), b.compare("GT", x, y));
            let one = b.binary(K::Or, less, more);
            return Some(if both == 6 { one } else { b.unary(K::Not, one) });
        }
        ordered @ (7 | 14) => {
            let (x_nan, y_nan) = (b.compare("NE", x, x), b.compare("NE", y, y));
            let unordered = b.binary(K::Or, x_nan, y_nan);
            return Some(if ordered == 14 { unordered } else { b.unary(K::Not, unordered) });
        }
        _ => return None,
    };
    let result = b.compare(direction, x, y);
    Some(if negated { b.unary(K::Not, result) } else { result })
}

fn select(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[condition, x, y] = operands else { return None };
    Some(b.select(condition, x, y))
}

fn copy_sign(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    let bits = match to.bits() {
        16 => ElementType::Ui16,
        32 => ElementType::Ui32,
        64 => ElementType::Ui64,
        _ => return None,
    };
    let (x, y) = (b.bitcast(x, bits), b.bitcast(y, bits));
    let sign = 1i128 << (to.bits() - 1);
    let (sign, rest) = (b.number_like(x, Number::Int(sign)), b.number_like(x, Number::Int(sign - 1)));
    let (magnitude, sign) = (b.binary(K::And, x, rest), b.binary(K::And, y, sign));
    let joined = b.binary(K::Or, magnitude, sign);
    Some(b.bitcast(joined, to))
}

/// The zeros below the lowest one: those above it in `x & -x`, counted from the width.
fn count_trailing_zeros(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[a] = operands else { return None };
    let minus = b.unary(K::Negate, a);
    let lowest = b.binary(K::And, a, minus);
    let leading = b.unary(K::CountLeadingZeros, lowest);
    let width = i128::from(to.bits());
    let (top, full, zero) = (
        b.number_like(a, Number::Int(width - 1)),
        b.number_like(a, Number::Int(width)),
        b.number_like(a, Number::Int(0)),
    );
    let (trailing, none) = (b.binary(K::Subtract, top, leading), b.compare("EQ", a, zero));
    Some(b.select(none, full, trailing))
}

fn exp2(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[a] = operands else { return None };
    let two = b.number_like(a, Number::Float(2.0));
    Some(b.binary(K::Power, two, a))
}

fn log2(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    log_over(b, operands, std::f64::consts::LN_2)
}

fn log10(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    log_over(b, operands, std::f64::consts::LN_10)
}

fn log_over(b: &mut Builder, operands: &[ValueId], base: f64) -> Option<ValueId> {
    let &[a] = operands else { return None };
    let (log, base) = (b.unary(K::Log, a), b.number_like(a, Number::Float(base)));
    Some(b.binary(K::Divide, log, base))
}

fn multiply_add(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[x, y, z] = operands else { return None };
    let product = b.binary(K::Multiply, x, y);
    Some(b.binary(K::Add, product, z))
}

fn power(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    let y = b.convert(y, to);
    Some(b.binary(K::Power, x, y))
}

/// Towards zero, −0 kept.
fn truncate_float(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[a] = operands else { return None };
    let zero = b.number_like(a, Number::Float(0.0));
    let (negative, up, down) = (b.compare("LT", a, zero), b.unary(K::Ceil, a), b.unary(K::Floor, a));
    Some(b.select(negative, up, down))
}

fn is_nan(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[a] = operands else { return None };
    Some(b.compare("NE", a, a))
}

fn is_infinite(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[a] = operands else { return None };
    let (magnitude, infinity) = (b.unary(K::Abs, a), b.number_like(a, Number::Float(f64::INFINITY)));
    Some(b.compare("EQ", magnitude, infinity))
}

fn is_finite(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[a] = operands else { return None };
    let shape = b.shape(a);
    Some(b.emit(K::IsFinite, &[a], (&shape, ElementType::I1), &[]))
}

fn complex(b: &mut Builder, _: &Op, operands: &[ValueId], to: ElementType) -> Option<ValueId> {
    let &[re, im] = operands else { return None };
    let shape = b.shape(re);
    Some(b.emit(K::Complex, &[re, im], (&shape, to), &[]))
}

fn to_part(b: &mut Builder, kind: OpKind, operands: &[ValueId]) -> Option<ValueId> {
    let &[a] = operands else { return None };
    let (shape, part) = (b.shape(a), b.element(a).complex_part());
    Some(b.emit(kind, &[a], (&shape, part), &[]))
}

fn real(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    to_part(b, K::Real, operands)
}

fn imaginary(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    to_part(b, K::Imag, operands)
}

fn magnitude(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    to_part(b, K::Abs, operands)
}

fn angle(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let (re, im) = (to_part(b, K::Real, operands)?, to_part(b, K::Imag, operands)?);
    Some(b.binary(K::Atan2, im, re))
}

fn equal(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    Some(b.compare("EQ", x, y))
}

fn not_equal(b: &mut Builder, _: &Op, operands: &[ValueId], _: ElementType) -> Option<ValueId> {
    let &[x, y] = operands else { return None };
    Some(b.compare("NE", x, y))
}

/// A scalar constant's number.
pub fn number_of(attr: &Attr) -> Option<Number> {
    match attr {
        Attr::Int(value, _) => Some(Number::Int(*value)),
        Attr::Float(value, _) => Some(Number::Float(*value)),
        Attr::Bool(value) => Some(Number::Int(i128::from(*value))),
        _ => None,
    }
}

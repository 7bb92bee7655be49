//! Scalar arithmetic of the interpreter: bits in, bits out, rounded to the element type after every op.

use fornax_graph::ElementType;
use fornax_types::{decode_float, encode_float};

use crate::expr::{Binary, Compare, Unary};

// Most numbers are f32 or f64: no format is looked up for these.

fn float(element: ElementType, bits: u64) -> f64 {
    match element {
        ElementType::F32 => f64::from(f32::from_bits(bits as u32)),
        ElementType::F64 => f64::from_bits(bits),
        _ => decode_float(element, bits),
    }
}

fn float_bits(element: ElementType, value: f64) -> u64 {
    match element {
        ElementType::F32 => u64::from((value as f32).to_bits()),
        ElementType::F64 => value.to_bits(),
        _ => encode_float(element, value),
    }
}

/// Integer value of bits, sign-extended for signed types.
pub fn integer(element: ElementType, bits: u64) -> i128 {
    let width = element.bits();
    let value = i128::from(bits) & ((1i128 << width) - 1);
    let signed = !element.is_unsigned() && element != ElementType::I1;
    if signed && value >> (width - 1) != 0 { value - (1i128 << width) } else { value }
}

fn integer_bits(element: ElementType, value: i128) -> u64 {
    (value & ((1i128 << element.bits()) - 1)) as u64
}

fn integer_range(element: ElementType) -> (i128, i128) {
    let width = element.bits();
    match element.is_unsigned() || element == ElementType::I1 {
        true => (0, (1i128 << width) - 1),
        false => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
    }
}

pub fn convert(from: ElementType, to: ElementType, bits: u64) -> u64 {
    match (from.is_float(), to.is_float()) {
        _ if to == ElementType::I1 && from.is_float() => u64::from(float(from, bits) != 0.0),
        _ if to == ElementType::I1 => u64::from(integer(from, bits) != 0),
        (true, true) => float_bits(to, float(from, bits)),
        (false, true) if to == ElementType::F32 => u64::from((integer(from, bits) as f32).to_bits()),
        (false, true) => float_bits(to, integer(from, bits) as f64),
        (true, false) => {
            let (low, high) = integer_range(to);
            integer_bits(to, (float(from, bits) as i128).clamp(low, high))
        }
        (false, false) => integer_bits(to, integer(from, bits)),
    }
}

pub fn reduce_precision(element: ElementType, exponent: u32, mantissa: u32, bits: u64) -> u64 {
    let value = float(element, bits);
    if value.is_nan() && mantissa == 0 {
        return float_bits(element, f64::INFINITY.copysign(value));
    }
    if value.is_nan() || value.is_infinite() || value == 0.0 {
        return bits;
    }
    let bias = (1i64 << (exponent.clamp(1, 11) - 1)) - 1;
    // Round the mantissa half to even in f64's own bits.
    let drop = 52u32.saturating_sub(mantissa);
    let raw = value.to_bits();
    let rounded = if drop == 0 {
        raw
    } else {
        let half = 1u64 << (drop - 1);
        let odd = (raw >> drop) & 1;
        ((raw + half - 1 + odd) >> drop) << drop
    };
    let rounded = f64::from_bits(rounded);
    let scale = rounded.abs().log2().floor() as i64;
    if scale > bias {
        return float_bits(element, f64::INFINITY.copysign(value));
    }
    let narrower = exponent < element.signed_format().map_or(8, |f| f.exponent_bits);
    if scale < 1 - bias && narrower {
        return float_bits(element, 0f64.copysign(value));
    }
    float_bits(element, rounded)
}

pub fn unary(op: Unary, element: ElementType, bits: u64) -> u64 {
    if element.is_float() {
        let x = float(element, bits);
        return match op {
            Unary::IsFinite => u64::from(x.is_finite()),
            Unary::Negate | Unary::Abs if element.is_small_float() => {
                float_bits(element, if op == Unary::Abs { x.abs() } else { -x })
            }
            Unary::Negate => bits ^ (1 << (element.bits() - 1)),
            Unary::Abs => bits & !(1 << (element.bits() - 1)),
            _ => float_bits(element, float_unary(op, x)),
        };
    }
    let x = integer(element, bits);
    let value = match op {
        Unary::Negate => -x,
        Unary::Abs => x.abs(),
        Unary::Sign => x.signum(),
        Unary::Not => !x,
        Unary::PopulationCount => i128::from(integer_bits(element, x).count_ones()),
        Unary::CountLeadingZeros => {
            i128::from(integer_bits(element, x).leading_zeros()) - (64 - i128::from(element.bits()))
        }
        _ => 0,
    };
    integer_bits(element, value)
}

fn float_unary(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Sign if x.is_nan() || x == 0.0 => x,
        Unary::Sign => 1f64.copysign(x),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::RoundNearestEven => x.round_ties_even(),
        Unary::RoundNearestAwayFromZero => x.round(),
        Unary::Sqrt => x.sqrt(),
        Unary::Rsqrt => 1.0 / x.sqrt(),
        Unary::Cbrt => x.cbrt(),
        Unary::Exponential => x.exp(),
        Unary::ExponentialMinusOne => x.exp_m1(),
        Unary::Log => x.ln(),
        Unary::LogPlusOne => x.ln_1p(),
        Unary::Logistic => 1.0 / (1.0 + (-x).exp()),
        Unary::Sine => x.sin(),
        Unary::Cosine => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Tanh => x.tanh(),
        Unary::Erf => erf(x),
        Unary::Erfc if x >= FAR => erfc_far(x),
        Unary::Erfc => 1.0 - erf(x),
        Unary::ErfInv => erf_inv(x),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Sinh => x.sinh(),
        Unary::Cosh => x.cosh(),
        Unary::Asinh => x.asinh(),
        Unary::Acosh => x.acosh(),
        Unary::Atanh => x.atanh(),
        _ => f64::NAN,
    }
}

/// From here on erf is 1 less [`erfc_far`].
const FAR: f64 = 3.0;

/// Series for small arguments, continued fraction of erfc for large ones.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() {
        return x;
    }
    let value = if a < FAR {
        let (mut term, mut sum) = (a, a);
        for n in 1..200 {
            term *= -a * a / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        1.0 - erfc_far(a)
    };
    value.copysign(x)
}

fn erfc_far(a: f64) -> f64 {
    let mut fraction = a;
    for n in (1..60).rev() {
        fraction = a + f64::from(n) / 2.0 / fraction;
    }
    (-a * a).exp() / fraction / std::f64::consts::PI.sqrt()
}

/// Bisection on [`erf`].
fn erf_inv(y: f64) -> f64 {
    match y {
        _ if y.is_nan() || y.abs() > 1.0 => f64::NAN,
        _ if y.abs() == 1.0 => f64::INFINITY.copysign(y),
        _ => {
            let (mut low, mut high) = (0.0, 6.0);
            for _ in 0..80 {
                let middle = (low + high) / 2.0;
                if erf(middle) < y.abs() { low = middle } else { high = middle }
            }
            high.copysign(y)
        }
    }
}

pub fn binary(op: Binary, element: ElementType, a: u64, b: u64) -> u64 {
    if element.is_float() {
        let (x, y) = (float(element, a), float(element, b));
        return float_bits(element, float_binary(op, x, y));
    }
    let (x, y) = (integer(element, a), integer(element, b));
    let width = i128::from(element.bits());
    let unsigned = |v: i128| v & ((1i128 << element.bits()) - 1);
    let shift = unsigned(y);
    let value = match op {
        // Addition of booleans is `or`.
        Binary::Add if element == ElementType::I1 => x | y,
        Binary::Add => x + y,
        Binary::Subtract => x - y,
        Binary::Multiply => x.wrapping_mul(y),
        Binary::Divide if y == 0 => -1,
        Binary::Divide => x / y,
        Binary::Remainder if y == 0 => x,
        Binary::Remainder => x % y,
        Binary::Maximum => x.max(y),
        Binary::Minimum => x.min(y),
        Binary::Power => integer_power(element, x, y),
        Binary::And => x & y,
        Binary::Or => x | y,
        Binary::Xor => x ^ y,
        Binary::ShiftLeft if shift >= width => 0,
        Binary::ShiftLeft => x << shift,
        Binary::ShiftRightLogical if shift >= width => 0,
        Binary::ShiftRightLogical => unsigned(x) >> shift,
        Binary::ShiftRightArithmetic => signed(element, x) >> shift.min(width - 1),
        Binary::Atan2 => 0,
    };
    integer_bits(element, value)
}

/// The value with its top bit read as a sign, also for unsigned types.
fn signed(element: ElementType, x: i128) -> i128 {
    let width = element.bits();
    let value = x & ((1i128 << width) - 1);
    if value >> (width - 1) != 0 { value - (1i128 << width) } else { value }
}

fn integer_power(element: ElementType, base: i128, exponent: i128) -> i128 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 != 0 => -1,
            -1 => 1,
            _ => 0,
        };
    }
    let wrap = |v: i128| integer(element, integer_bits(element, v));
    let (mut result, mut square, mut rest) = (1i128, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = wrap(result.wrapping_mul(square));
        }
        square = wrap(square.wrapping_mul(square));
        rest >>= 1;
    }
    result
}

fn float_binary(op: Binary, x: f64, y: f64) -> f64 {
    match op {
        Binary::Add => x + y,
        Binary::Subtract => x - y,
        Binary::Multiply => x * y,
        Binary::Divide => x / y,
        Binary::Remainder => x % y,
        Binary::Maximum | Binary::Minimum if x.is_nan() || y.is_nan() => f64::NAN,
        Binary::Maximum if x == y => {
            if x.is_sign_negative() {
                y
            } else {
                x
            }
        }
        Binary::Minimum if x == y => {
            if x.is_sign_negative() {
                x
            } else {
                y
            }
        }
        Binary::Maximum => x.max(y),
        Binary::Minimum => x.min(y),
        Binary::Power => x.powf(y),
        Binary::Atan2 => x.atan2(y),
        _ => f64::NAN,
    }
}

pub fn compare(op: Compare, element: ElementType, a: u64, b: u64) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = if element.is_float() {
        let (x, y) = (float(element, a), float(element, b));
        let total = matches!(
            op,
            Compare::TotalEq
                | Compare::TotalNe
                | Compare::TotalLt
                | Compare::TotalLe
                | Compare::TotalGt
                | Compare::TotalGe
        );
        if total { Some(x.total_cmp(&y)) } else { x.partial_cmp(&y) }
    } else {
        Some(integer(element, a).cmp(&integer(element, b)))
    };
    match op {
        Compare::Eq | Compare::TotalEq => order == Some(Equal),
        Compare::Ne | Compare::TotalNe => order != Some(Equal),
        Compare::Lt | Compare::TotalLt => order == Some(Less),
        Compare::Le | Compare::TotalLe => matches!(order, Some(Less | Equal)),
        Compare::Gt | Compare::TotalGt => order == Some(Greater),
        Compare::Ge | Compare::TotalGe => matches!(order, Some(Greater | Equal)),
    }
}

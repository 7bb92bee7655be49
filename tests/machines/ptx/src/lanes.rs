//! Arithmetic of one operation on 32 lanes.
//!
//! Input and output: lanes of 64 bits, of which the type's width counts; above it everything is zero. f32 computes in
//! f32, f16 and bf16 in f32 with one rounding, f64 in f64.
//!
//! Worked example: `Add` of i8 lanes 200 and 100 gives 300 mod 256 = 44.

use half::{bf16, f16};

use crate::inst::{Binary, Predicate, Unary};
use crate::types::Scalar;

pub type Lanes = [u64; 32];

/// The bits as a signed number.
pub fn signed(x: u64, bits: u32) -> i64 {
    ((x << (64 - bits)) as i64) >> (64 - bits)
}

fn map2(x: &Lanes, y: &Lanes, f: impl Fn(u64, u64) -> u64) -> Lanes {
    let mut out = [0; 32];
    for lane in 0..32 {
        out[lane] = f(x[lane], y[lane]);
    }
    out
}

fn map1(x: &Lanes, f: impl Fn(u64) -> u64) -> Lanes {
    let mut out = [0; 32];
    for lane in 0..32 {
        out[lane] = f(x[lane]);
    }
    out
}

pub fn f32_of(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

pub fn of_f32(x: f32) -> u64 {
    u64::from(x.to_bits())
}

/// Any float as f64 (exact).
pub fn widen(ty: Scalar, x: u64) -> f64 {
    match ty {
        Scalar::F16 => f64::from(f16::from_bits(x as u16)),
        Scalar::Bf16 => f64::from(bf16::from_bits(x as u16)),
        Scalar::F32 => f64::from(f32_of(x)),
        _ => f64::from_bits(x),
    }
}

/// f64 to any float, to nearest even.
pub fn narrow(ty: Scalar, x: f64) -> u64 {
    match ty {
        Scalar::F16 => f16::from_f32(odd_single(x)).to_bits().into(),
        Scalar::Bf16 => bf16::from_f32(odd_single(x)).to_bits().into(),
        Scalar::F32 => of_f32(x as f32),
        _ => x.to_bits(),
    }
}

/// A double in single precision, so that rounding again to 16 bits does no harm: what is not exact ends in a one.
/// `half` itself leaves out the lower half of a double, and so what breaks a tie.
fn odd_single(x: f64) -> f32 {
    let single = x as f32;
    if f64::from(single) == x || x.is_nan() {
        return single;
    }
    let further = f64::from(single).abs() > x.abs();
    f32::from_bits((single.to_bits() - u32::from(further)) | 1)
}

fn float2(
    ty: Scalar,
    x: &Lanes,
    y: &Lanes,
    single: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) -> Lanes {
    match ty {
        Scalar::F32 => map2(x, y, |a, b| of_f32(single(f32_of(a), f32_of(b)))),
        Scalar::F64 => map2(x, y, |a, b| double(f64::from_bits(a), f64::from_bits(b)).to_bits()),
        // Exact in f64, or rounded so far below the result's last place that a second rounding does no harm.
        _ => map2(x, y, |a, b| narrow(ty, f64::from(single(widen(ty, a) as f32, widen(ty, b) as f32)))),
    }
}

macro_rules! float_op {
    ($ty:expr, $x:expr, $y:expr, $f:expr, $g:expr) => {
        float2($ty, $x, $y, $f, $g)
    };
}

fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b { if a.is_sign_negative() { a } else { b } } else { a.min(b) }
}

/// −0 below +0, the number where one operand is NaN.
fn min_num(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => minimum(a, b),
    }
}

pub fn binary(op: Binary, ty: Scalar, x: &Lanes, y: &Lanes) -> Lanes {
    let bits = ty.bits();
    let mask = ty.mask();
    let s = |v: u64| signed(v, bits);
    match op {
        Binary::Add => map2(x, y, |a, b| a.wrapping_add(b) & mask),
        Binary::Sub => map2(x, y, |a, b| a.wrapping_sub(b) & mask),
        Binary::Mul => map2(x, y, |a, b| a.wrapping_mul(b) & mask),
        Binary::And => map2(x, y, |a, b| a & b),
        Binary::Or => map2(x, y, |a, b| a | b),
        Binary::Xor => map2(x, y, |a, b| a ^ b),
        Binary::Shl => map2(x, y, |a, b| if b < u64::from(bits) { (a << b) & mask } else { 0 }),
        Binary::ShrU => map2(x, y, |a, b| if b < u64::from(bits) { a >> b } else { 0 }),
        Binary::ShrS => map2(x, y, |a, b| (s(a) >> b.min(u64::from(bits) - 1)) as u64 & mask),
        Binary::DivU => map2(x, y, |a, b| a.checked_div(b).unwrap_or(0)),
        Binary::RemU => map2(x, y, |a, b| a.checked_rem(b).unwrap_or(0)),
        Binary::DivS => map2(x, y, |a, b| s(a).checked_div(s(b)).unwrap_or(0) as u64 & mask),
        Binary::RemS => map2(x, y, |a, b| s(a).checked_rem(s(b)).unwrap_or(0) as u64 & mask),
        Binary::MinU => map2(x, y, |a, b| a.min(b)),
        Binary::MaxU => map2(x, y, |a, b| a.max(b)),
        Binary::MinS => map2(x, y, |a, b| s(a).min(s(b)) as u64 & mask),
        Binary::MaxS => map2(x, y, |a, b| s(a).max(s(b)) as u64 & mask),
        Binary::MulHighU => map2(x, y, |a, b| ((u128::from(a) * u128::from(b)) >> bits) as u64 & mask),
        Binary::MulHighS => map2(x, y, |a, b| ((i128::from(s(a)) * i128::from(s(b))) >> bits) as u64 & mask),
        Binary::AddF => float_op!(ty, x, y, |a, b| a + b, |a, b| a + b),
        Binary::SubF => float_op!(ty, x, y, |a, b| a - b, |a, b| a - b),
        Binary::MulF => float_op!(ty, x, y, |a, b| a * b, |a, b| a * b),
        Binary::DivF => float_op!(ty, x, y, |a, b| a / b, |a, b| a / b),
        Binary::RemF => float_op!(ty, x, y, |a, b| a % b, |a, b| a % b),
        Binary::MinNum => map2(x, y, |a, b| narrow(ty, min_num(widen(ty, a), widen(ty, b)))),
        Binary::MaxNum => map2(x, y, |a, b| narrow(ty, -min_num(-widen(ty, a), -widen(ty, b)))),
        Binary::Minimum => map2(x, y, |a, b| narrow(ty, minimum(widen(ty, a), widen(ty, b)))),
        Binary::Maximum => map2(x, y, |a, b| narrow(ty, -minimum(-widen(ty, a), -widen(ty, b)))),
        Binary::CopySign => {
            let sign = 1u64 << (bits - 1);
            map2(x, y, |a, b| (a & !sign) | (b & sign))
        }
    }
}

pub fn fma(ty: Scalar, x: &Lanes, y: &Lanes, z: &Lanes) -> Lanes {
    let mut out = [0; 32];
    for lane in 0..32 {
        let (a, b, c) = (x[lane], y[lane], z[lane]);
        out[lane] = match ty {
            Scalar::F32 => of_f32(f32_of(a).mul_add(f32_of(b), f32_of(c))),
            Scalar::F64 => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(),
            _ => narrow(ty, widen(ty, a).mul_add(widen(ty, b), widen(ty, c))),
        };
    }
    out
}

fn float1(ty: Scalar, x: &Lanes, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> Lanes {
    match ty {
        Scalar::F32 => map1(x, |a| of_f32(single(f32_of(a)))),
        _ => map1(x, |a| narrow(ty, double(widen(ty, a)))),
    }
}

/// Denormals become zeros of their sign.
fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

/// Nearest tf32 (10 bits of mantissa), ties away from zero.
fn to_tf32(x: u64) -> u64 {
    // Lanes that are switched off may hold anything.
    let x = x & 0xFFFF_FFFF;
    if f32_of(x).is_finite() {
        (x + 0x1000) & 0xFFFF_E000
    } else {
        (x & 0xFFFF_E000) | (u64::from(x & 0x007F_FFFF != 0) * 0x40_0000)
    }
}

fn to_integer(x: f64, low: f64, high: f64, saturating: bool) -> i128 {
    match (x.is_nan(), saturating) {
        (true, true) => 0,
        (_, true) => x.clamp(low, high) as i128,
        _ => x as i128,
    }
}

pub fn unary(op: Unary, from: Scalar, into: Scalar, x: &Lanes) -> Lanes {
    let (bits, mask) = (from.bits(), into.mask());
    let sign = 1u64 << (bits - 1);
    let range = |ty: Scalar, s: bool| {
        let b = ty.bits() as i32;
        if s { (-(2f64.powi(b - 1)), 2f64.powi(b - 1)) } else { (0.0, 2f64.powi(b)) }
    };
    let float_to_int = |s: bool, saturating: bool| {
        let (low, high) = range(into, s);
        let last = if s { i128::from(signed(mask >> 1, 64)) } else { i128::from(mask) };
        map1(x, |a| to_integer(widen(from, a), low, high, saturating).min(last) as u64 & mask)
    };
    match op {
        Unary::NegF => map1(x, |a| a ^ sign),
        Unary::AbsF => map1(x, |a| a & !sign),
        Unary::Sqrt => float1(from, x, f32::sqrt, f64::sqrt),
        Unary::Floor => float1(from, x, f32::floor, f64::floor),
        Unary::Ceil => float1(from, x, f32::ceil, f64::ceil),
        Unary::Trunc => float1(from, x, f32::trunc, f64::trunc),
        Unary::RoundEven => float1(from, x, f32::round_ties_even, f64::round_ties_even),
        Unary::Round => float1(from, x, f32::round, f64::round),
        Unary::CountLeadingZeros => map1(x, |a| u64::from((a & from.mask()).leading_zeros() - (64 - bits))),
        Unary::CountTrailingZeros => map1(x, |a| u64::from(a.trailing_zeros().min(bits))),
        Unary::CountOnes => map1(x, |a| u64::from(a.count_ones())),
        Unary::ReverseBits => map1(x, |a| a.reverse_bits() >> (64 - bits)),
        Unary::ReverseBytes => map1(x, |a| a.swap_bytes() >> (64 - bits)),
        Unary::Exp2 => float1(from, x, |a| flush((f64::from(flush(a))).exp2() as f32), f64::exp2),
        Unary::Log2 => float1(from, x, |a| (f64::from(flush(a))).log2() as f32, f64::log2),
        Unary::Reciprocal => float1(from, x, |a| flush((1.0 / f64::from(flush(a))) as f32), |a| 1.0 / a),
        Unary::RsqrtApprox => float1(from, x, |a| (1.0 / f64::from(flush(a)).sqrt()) as f32, |a| 1.0 / a.sqrt()),
        Unary::Tanh => float1(from, x, |a| f64::from(a).tanh() as f32, f64::tanh),
        Unary::Sin => float1(from, x, |a| f64::from(a).sin() as f32, f64::sin),
        Unary::Cos => float1(from, x, |a| f64::from(a).cos() as f32, f64::cos),
        Unary::ToTf32 => map1(x, to_tf32),
        Unary::Extend => *x,
        Unary::ExtendSigned => map1(x, |a| signed(a, bits) as u64 & mask),
        Unary::Truncate => map1(x, |a| a & mask),
        Unary::FloatToFloat => map1(x, |a| narrow(into, widen(from, a))),
        Unary::FloatToSigned => float_to_int(true, false),
        Unary::FloatToUnsigned => float_to_int(false, false),
        Unary::FloatToSignedSaturating => float_to_int(true, true),
        Unary::FloatToUnsignedSaturating => float_to_int(false, true),
        Unary::SignedToFloat => map1(x, |a| integer_to_float(i128::from(signed(a, bits)), into)),
        Unary::UnsignedToFloat => map1(x, |a| integer_to_float(i128::from(a), into)),
        Unary::E4m3ToF16 => map1(x, e4m3_to_f16),
        Unary::E5m2ToF16 => map1(x, |a| if a & 0x7F > 0x7C { 0x7FFF } else { a << 8 }),
    }
}

/// Four bits of exponent with bias 7 in five with bias 15: 2^8 too small.
fn e4m3_to_f16(a: u64) -> u64 {
    let magnitude = a & 0x7F;
    if magnitude == 0x7F {
        return 0x7FFF;
    }
    narrow(Scalar::F16, widen(Scalar::F16, magnitude << 7) * 256.0) | (a & 0x80) << 8
}

fn integer_to_float(x: i128, into: Scalar) -> u64 {
    match into {
        Scalar::F32 => of_f32(x as f32),
        Scalar::F64 => (x as f64).to_bits(),
        // Up to 53 bits are exact; beyond, f16 overflows and bf16 keeps 8 of them.
        _ => narrow(into, x as f64),
    }
}

pub fn compare(predicate: Predicate, ty: Scalar, x: &Lanes, y: &Lanes) -> Lanes {
    let bits = ty.bits();
    let s = |v: u64| signed(v, bits);
    match predicate {
        Predicate::Eq => map2(x, y, |a, b| (a == b).into()),
        Predicate::Ne => map2(x, y, |a, b| (a != b).into()),
        Predicate::Slt => map2(x, y, |a, b| (s(a) < s(b)).into()),
        Predicate::Sle => map2(x, y, |a, b| (s(a) <= s(b)).into()),
        Predicate::Sgt => map2(x, y, |a, b| (s(a) > s(b)).into()),
        Predicate::Sge => map2(x, y, |a, b| (s(a) >= s(b)).into()),
        Predicate::Ult => map2(x, y, |a, b| (a < b).into()),
        Predicate::Ule => map2(x, y, |a, b| (a <= b).into()),
        Predicate::Ugt => map2(x, y, |a, b| (a > b).into()),
        Predicate::Uge => map2(x, y, |a, b| (a >= b).into()),
        Predicate::Float(truth) => map2(x, y, |a, b| {
            let (a, b) = (widen(ty, a), widen(ty, b));
            let at = match a.partial_cmp(&b) {
                Some(std::cmp::Ordering::Less) => 0,
                Some(std::cmp::Ordering::Equal) => 1,
                Some(std::cmp::Ordering::Greater) => 2,
                None => 3,
            };
            truth[at].into()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_little_more_than_a_tie_goes_up() {
        let bits = |x: f64| narrow(Scalar::Bf16, x);
        assert_eq!((bits(f64::from(f32::from_bits(0x4386_8003))), bits(269.0)), (0x4387, 0x4386));
        assert_eq!((bits(1.0 + 2f64.powi(-8) + 2f64.powi(-40)), bits(1.0 + 2f64.powi(-8))), (0x3f81, 0x3f80));
        let bits = |x: f64| narrow(Scalar::F16, x);
        assert_eq!((bits(1.0 + 2f64.powi(-11) + 2f64.powi(-40)), bits(1.0 + 2f64.powi(-11))), (0x3c01, 0x3c00));
        assert!(f16::from_bits(bits(f64::NAN) as u16).is_nan());
    }

    #[test]
    fn integers_wrap_and_saturate() {
        let i8 = Scalar::Int(8);
        assert_eq!(binary(Binary::Add, i8, &[200; 32], &[100; 32])[0], 44);
        assert_eq!(binary(Binary::DivS, i8, &[0x80; 32], &[2; 32])[0], 0xC0);
        assert_eq!(binary(Binary::MaxS, i8, &[0xFF; 32], &[0; 32])[0], 0);
        let big = [of_f32(1e10); 32];
        assert_eq!(unary(Unary::FloatToSignedSaturating, Scalar::F32, Scalar::Int(32), &big)[0], 0x7FFF_FFFF);
        let nan = [of_f32(f32::NAN); 32];
        assert_eq!(unary(Unary::FloatToSignedSaturating, Scalar::F32, Scalar::Int(32), &nan)[0], 0);
        for (code, value) in [(0x38, 1.0), (0xB8, -1.0), (0x01, 0.001953125), (0x7E, 448.0)] {
            let half = unary(Unary::E4m3ToF16, Scalar::Int(8), Scalar::F16, &[code; 32])[0];
            assert_eq!(widen(Scalar::F16, half), value, "{code:#x}");
        }
    }

    #[test]
    fn floats_round_once() {
        let x = [u64::from(f16::from_f32(1.0).to_bits()); 32];
        let y = [u64::from(f16::from_f32(2f32.powi(-11)).to_bits()); 32];
        assert_eq!(binary(Binary::AddF, Scalar::F16, &x, &y)[0], x[0]);
        assert_eq!(to_tf32(0x3F80_1000), 0x3F80_2000);
        assert_eq!(f32_of(binary(Binary::MaxNum, Scalar::F32, &[of_f32(f32::NAN); 32], &[of_f32(1.0); 32])[0]), 1.0);
    }
}

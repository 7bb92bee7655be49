//! Types of operands, and how the bits of a register become a number and back.
//!
//! A lane's operand is 32 bits ([`Lanes`]) or, where an instruction has a 64-bit operand, 64 ([`Wide`]). Types of 16
//! bits stand in the low half. Worked example: [`Half`] of the bits `0x3c00` is 1.0; what is computed in f32 is rounded
//! to f16 when it is written.

use half::{bf16, f16};

pub type Lanes = [u32; 64];
pub type Wide = [u64; 64];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    B16,
    I16,
    F16,
    Bf16,
    B32,
    I32,
    F32,
    B64,
    I64,
    F64,
}

impl Type {
    pub fn words(self) -> u8 {
        if matches!(self, Type::B64 | Type::I64 | Type::F64) { 2 } else { 1 }
    }

    pub fn is_half(self) -> bool {
        matches!(self, Type::B16 | Type::I16 | Type::F16 | Type::Bf16)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
    }

    /// The sign bit of a float.
    pub fn sign(self) -> u64 {
        match self {
            Type::F16 | Type::Bf16 | Type::B16 | Type::I16 => 0x8000,
            Type::F64 | Type::B64 | Type::I64 => 1 << 63,
            Type::F32 | Type::B32 | Type::I32 => 1 << 31,
        }
    }

    /// Bits of an inline float.
    pub fn float_bits(self, value: f64) -> u64 {
        match self {
            Type::F16 | Type::B16 | Type::I16 => nearest_f16(value).into(),
            Type::Bf16 => nearest_bf16(value).into(),
            Type::F64 | Type::B64 | Type::I64 => value.to_bits(),
            Type::F32 | Type::B32 | Type::I32 => u64::from((value as f32).to_bits()),
        }
    }

    /// Bits of the inline constant 1/(2π), which each type has rounded its own way.
    pub fn inv_two_pi(self) -> u64 {
        match self {
            Type::F16 | Type::B16 | Type::I16 => 0x3118,
            Type::Bf16 => 0x3e22,
            Type::F64 | Type::B64 | Type::I64 => 0x3fc4_5f30_6dc9_c882,
            Type::F32 | Type::B32 | Type::I32 => 0x3e22_f983,
        }
    }
}

/// A type that rows of the tables compute with.
pub trait Value: Copy {
    const TYPE: Type;
    fn get(bits: u64) -> Self;
    fn put(self) -> u64;
}

macro_rules! value {
    ($t:ty, $ty:ident, |$bits:ident| $get:expr, |$v:ident| $put:expr) => {
        impl Value for $t {
            const TYPE: Type = Type::$ty;
            #[inline(always)]
            fn get($bits: u64) -> Self {
                $get
            }
            #[inline(always)]
            fn put(self) -> u64 {
                let $v = self;
                $put
            }
        }
    };
}

/// An f16, held as the f32 of the same value.
#[derive(Clone, Copy, Debug)]
pub struct Half(pub f32);

value!(u32, B32, |b| b as u32, |v| u64::from(v));
value!(i32, I32, |b| b as i32, |v| u64::from(v as u32));
value!(f32, F32, |b| f32::from_bits(b as u32), |v| u64::from(v.to_bits()));
value!(u16, B16, |b| b as u16, |v| u64::from(v));
value!(i16, I16, |b| b as i16, |v| u64::from(v as u16));
value!(u64, B64, |b| b, |v| v);
value!(i64, I64, |b| b as i64, |v| v as u64);
value!(f64, F64, |b| f64::from_bits(b), |v| v.to_bits());
value!(Half, F16, |b| Half(f16::from_bits(b as u16).to_f32()), |v| u64::from(f16::from_f32(v.0).to_bits()));

/// Bits of the nearest f16.
pub fn nearest_f16(value: f64) -> u16 {
    f16::from_f32(odd_single(value)).to_bits()
}

/// The same of bf16.
pub fn nearest_bf16(value: f64) -> u16 {
    bf16::from_f32(odd_single(value)).to_bits()
}

/// A double in single precision, so that rounding again to 16 bits does no harm: what is not exact ends in a one.
/// `half` itself leaves out the lower half of a double, and so what breaks a tie.
fn odd_single(value: f64) -> f32 {
    let single = value as f32;
    if f64::from(single) == value || value.is_nan() {
        return single;
    }
    let further = f64::from(single).abs() > value.abs();
    f32::from_bits((single.to_bits() - u32::from(further)) | 1)
}

/// `a * b + c` of f16 with one rounding: the product is exact in f64, the sum is rounded to odd, so that rounding again
/// does no harm.
pub fn fma_half(a: Half, b: Half, c: Half) -> u16 {
    nearest_f16(sum_to_odd(f64::from(a.0) * f64::from(b.0), f64::from(c.0)))
}

/// The sum of two f64, rounded to odd.
pub fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    let part = sum - a;
    let lost = (a - (sum - part)) + (b - part);
    if lost == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (lost > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// The larger number; the other one where one is NaN; +0 is larger than -0.
#[inline(always)]
pub fn max32(a: f32, b: f32) -> f32 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a > b || (a == b && a.is_sign_positive()) {
        a
    } else {
        b
    }
}

#[inline(always)]
pub fn min32(a: f32, b: f32) -> f32 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a < b || (a == b && a.is_sign_negative()) {
        a
    } else {
        b
    }
}

#[inline(always)]
pub fn max64(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a > b || (a == b && a.is_sign_positive()) {
        a
    } else {
        b
    }
}

#[inline(always)]
pub fn min64(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a < b || (a == b && a.is_sign_negative()) {
        a
    } else {
        b
    }
}

/// A denormal becomes a zero of its sign.
#[inline(always)]
pub fn flush(value: f32) -> f32 {
    if value.to_bits() & 0x7f80_0000 == 0 { f32::from_bits(value.to_bits() & 0x8000_0000) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_once() {
        // 2^-24 added to 1 + 2^-10 · (odd): a tie in f16 that the lost part decides.
        let tiny = Half(5.960_464_5e-8);
        assert_eq!(fma_half(Half(1.0), Half(1.0), tiny), 0x3c00);
        assert_eq!(fma_half(Half(2048.0), Half(1.0), Half(1.0)), f16::from_f32(2048.0).to_bits(), "tie to even");
        assert_eq!(sum_to_odd(1.0, f64::MIN_POSITIVE).to_bits(), 1f64.to_bits() + 1);
        assert_eq!(sum_to_odd(1.0, -f64::MIN_POSITIVE).to_bits() & 1, 1);
    }

    #[test]
    fn larger_and_smaller() {
        assert_eq!(max32(f32::NAN, 1.0), 1.0);
        assert_eq!(max32(0.0, -0.0).to_bits(), 0);
        assert_eq!(min32(0.0, -0.0).to_bits(), 1 << 31);
        assert_eq!(flush(-1e-40).to_bits(), 1 << 31);
    }
}

//! Comparisons: the relation and the type stand in the name, `v_cmp_nge_f32`; the result is a lane mask.
//!
//! `n` before a relation of floats is its opposite, true for NaN: `nge` is not (a >= b). `lg` is less or greater, false
//! for NaN; `neq` is its counterpart that is true. `class` tests against a set of kinds of numbers. Worked example:
//! `v_cmp_u_f32` is true where one is NaN.

use crate::inst::Alu;
use crate::value::{Half, Lanes, Type, Value, Wide};

/// Kinds of floats, as bits of `class`: NaNs (2), -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
fn class(sign: bool, quiet: bool, top: bool, bottom: bool, mantissa: bool) -> u32 {
    match (top, bottom, mantissa, sign) {
        (true, _, true, _) => 1 << u32::from(quiet),
        (true, _, false, true) => 1 << 2,
        (true, _, false, false) => 1 << 9,
        (_, true, false, true) => 1 << 5,
        (_, true, false, false) => 1 << 6,
        (_, true, true, true) => 1 << 4,
        (_, true, true, false) => 1 << 7,
        (_, _, _, true) => 1 << 3,
        (_, _, _, false) => 1 << 8,
    }
}

fn class_of(bits: u64, ty: Type) -> u32 {
    let (exponent, mantissa) = match ty {
        Type::F16 => (5, 10),
        Type::F64 => (11, 52),
        _ => (8, 23),
    };
    let field = bits >> mantissa & ((1 << exponent) - 1);
    let fraction = bits & ((1 << mantissa) - 1);
    let sign = bits >> (exponent + mantissa) & 1 == 1;
    class(sign, fraction >> (mantissa - 1) == 1, field == (1 << exponent) - 1, field == 0, fraction != 0)
}

/// A number that can be compared; f16 as the f32 it is.
trait Order: Value {
    type Of: PartialOrd;
    fn of(self) -> Self::Of;
}

macro_rules! order {
    ($($t:ty => $of:ty, |$v:ident| $e:expr;)*) => {
        $(impl Order for $t {
            type Of = $of;
            #[inline(always)]
            fn of(self) -> $of {
                let $v = self;
                $e
            }
        })*
    };
}
order! {
    u32 => u32, |v| v;
    i32 => i32, |v| v;
    f32 => f32, |v| v;
    u16 => u16, |v| v;
    i16 => i16, |v| v;
    u64 => u64, |v| v;
    i64 => i64, |v| v;
    f64 => f64, |v| v;
    Half => f32, |v| v.0;
}

macro_rules! compared {
    ($t:ty, Compare, $lanes:ty, |$a:ident, $b:ident| $e:expr) => {{
        fn go(s: &[&$lanes; 2]) -> u64 {
            let mut mask = 0;
            for i in 0..64 {
                let $a = <$t as Value>::get(u64::from(s[0][i])).of();
                let $b = <$t as Value>::get(u64::from(s[1][i])).of();
                mask |= u64::from($e) << i;
            }
            mask
        }
        Alu::Compare(go)
    }};
    ($t:ty, CompareWide, $lanes:ty, |$a:ident, $b:ident| $e:expr) => {{
        fn go(s: &[&$lanes; 2]) -> u64 {
            let mut mask = 0;
            for i in 0..64 {
                let $a = <$t as Value>::get(s[0][i]).of();
                let $b = <$t as Value>::get(s[1][i]).of();
                mask |= u64::from($e) << i;
            }
            mask
        }
        Alu::CompareWide(go)
    }};
}

/// Relations of a type; `!` of a relation is true for NaN.
macro_rules! relations {
    ($t:ty, $kind:ident, $lanes:ty, $relation:expr) => {
        Some(match $relation {
            "f" => compared!($t, $kind, $lanes, |a, b| {
                let _ = (a, b);
                false
            }),
            "lt" => compared!($t, $kind, $lanes, |a, b| a < b),
            "eq" => compared!($t, $kind, $lanes, |a, b| a == b),
            "le" => compared!($t, $kind, $lanes, |a, b| a <= b),
            "gt" => compared!($t, $kind, $lanes, |a, b| a > b),
            "ge" => compared!($t, $kind, $lanes, |a, b| a >= b),
            "ne" | "neq" => compared!($t, $kind, $lanes, |a, b| a != b),
            "lg" => compared!($t, $kind, $lanes, |a, b| matches!(a.partial_cmp(&b), Some(o) if o.is_ne())),
            "nlg" => compared!($t, $kind, $lanes, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_ne())),
            "o" => compared!($t, $kind, $lanes, |a, b| a.partial_cmp(&b).is_some()),
            "u" => compared!($t, $kind, $lanes, |a, b| a.partial_cmp(&b).is_none()),
            "nge" => compared!($t, $kind, $lanes, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_ge())),
            "ngt" => compared!($t, $kind, $lanes, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_gt())),
            "nle" => compared!($t, $kind, $lanes, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_le())),
            "nlt" => compared!($t, $kind, $lanes, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_lt())),
            "t" | "tru" => compared!($t, $kind, $lanes, |a, b| {
                let _ = (a, b);
                true
            }),
            _ => return None,
        })
    };
}

fn class_half(s: &[&Lanes; 2]) -> u64 {
    (0..64).map(|i| u64::from(class_of(u64::from(s[0][i]), Type::F16) & s[1][i] != 0) << i).sum()
}

fn class_single(s: &[&Lanes; 2]) -> u64 {
    (0..64).map(|i| u64::from(class_of(u64::from(s[0][i]), Type::F32) & s[1][i] != 0) << i).sum()
}

fn class_double(s: &[&Wide; 2]) -> u64 {
    (0..64).map(|i| u64::from(class_of(s[0][i], Type::F64) & s[1][i] as u32 != 0) << i).sum()
}

/// The types of the operands and the function of `lt_f32`, the name without `v_cmp_`.
pub fn compare(name: &str) -> Option<([Type; 2], Alu)> {
    let (relation, ty) = name.split_once('_')?;
    if relation == "class" {
        return Some(match ty {
            "f16" => ([Type::F16, Type::B32], Alu::Compare(class_half)),
            "f32" => ([Type::F32, Type::B32], Alu::Compare(class_single)),
            "f64" => ([Type::F64, Type::B32], Alu::CompareWide(class_double)),
            _ => return None,
        });
    }
    let (ty, alu) = match ty {
        "u32" => (Type::B32, relations!(u32, Compare, Lanes, relation)),
        "i32" => (Type::I32, relations!(i32, Compare, Lanes, relation)),
        "f32" => (Type::F32, relations!(f32, Compare, Lanes, relation)),
        "u16" => (Type::B16, relations!(u16, Compare, Lanes, relation)),
        "i16" => (Type::I16, relations!(i16, Compare, Lanes, relation)),
        "f16" => (Type::F16, relations!(Half, Compare, Lanes, relation)),
        "u64" => (Type::B64, relations!(u64, CompareWide, Wide, relation)),
        "i64" => (Type::I64, relations!(i64, CompareWide, Wide, relation)),
        "f64" => (Type::F64, relations!(f64, CompareWide, Wide, relation)),
        _ => return None,
    };
    Some(([ty; 2], alu?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let of = |value: f32| class_of(u64::from(value.to_bits()), Type::F32).trailing_zeros();
        assert_eq!(of(f32::NEG_INFINITY), 2);
        assert_eq!(of(-1.0), 3);
        assert_eq!(of(-1e-40), 4);
        assert_eq!((of(-0.0), of(0.0), of(1e-40), of(1.0), of(f32::INFINITY), of(f32::NAN)), (5, 6, 7, 8, 9, 1));
    }

    #[test]
    fn relations_with_nan() {
        let (a, b) = ([f32::NAN.to_bits(); 64], [0; 64]);
        let run = |name| match compare(name).unwrap().1 {
            Alu::Compare(f) => f(&[&a, &b]) & 1,
            _ => 2,
        };
        assert_eq!(
            ["lt_f32", "nge_f32", "lg_f32", "neq_f32", "u_f32", "o_f32", "nlg_f32"].map(run),
            [0, 1, 0, 1, 1, 0, 1]
        );
        assert!(compare("lt_q32").is_none());
    }
}

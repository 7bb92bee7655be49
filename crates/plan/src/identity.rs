//! Bits of numbers in an element type, and of what a combiner leaves others unchanged with.

use fornax_types::{ElementType, Specials, encode_float};

use crate::expr::Binary;

/// Bits of a whole number in an element type.
pub fn bits_of(element: ElementType, value: i64) -> u64 {
    match element {
        float if float.is_float() => encode_float(float, value as f64),
        other => value as u64 & mask(other),
    }
}

/// Low bits that an element type uses.
pub fn mask(element: ElementType) -> u64 {
    match element.bits() {
        bits @ 0..=63 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

/// Bits of the identity of a combiner: 0 for sums, −∞ or the least integer for maxima; `None` where the type has none.
pub fn identity_bits(op: Binary, element: ElementType) -> Option<u64> {
    let float = |positive: u64, negative: u64| match op {
        Binary::Maximum => Some(negative),
        Binary::Minimum => Some(positive),
        _ => None,
    };
    let extreme = match element {
        _ if element.is_float() => element
            .format()
            .filter(|f| f.specials == Specials::Ieee)
            .and_then(|_| float(encode_float(element, f64::INFINITY), encode_float(element, f64::NEG_INFINITY))),
        _ if element.is_unsigned() || element == ElementType::I1 => float(mask(element), 0),
        _ => float(mask(element) >> 1, (mask(element) >> 1) + 1),
    };
    match op {
        // A bare exponent has no zero.
        Binary::Add if element == ElementType::F8E8M0FNU => None,
        Binary::Add | Binary::Or | Binary::Xor => Some(bits_of(element, 0)),
        Binary::Multiply => Some(bits_of(element, 1)),
        Binary::And => Some(mask(element)),
        Binary::Maximum | Binary::Minimum => extreme,
        _ => None,
    }
}

//! Is a result what was expected? Floats within a tolerance, everything else exactly.
//!
//! A float is equal to an expected one if |actual - expected| ≤ tolerance × max(1, |expected|): absolute up to one,
//! relative above. NaN equals NaN, infinities equal themselves. Complex numbers compare part by part. Small float
//! types use the bf16 tolerance or one step of their own precision, whichever is larger.

use std::fmt;

use super::print::{Digits, print_element};
use super::{ElementType, Scalar, Tensor};

/// Tolerances by element type; the defaults are IREE's thresholds.
#[derive(Clone, Copy, Debug)]
pub struct Tolerances {
    pub f16: f64,
    pub bf16: f64,
    pub f32: f64,
    pub f64: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Tolerances { f16: 1e-3, bf16: 1e-2, f32: 1e-4, f64: 1e-4 }
    }
}

impl Tolerances {
    /// Tolerance of a type; zero means exact.
    pub fn of(&self, ty: ElementType) -> f64 {
        match (ty.complex_part(), ty.format()) {
            (ElementType::F16, _) => self.f16,
            (ElementType::Bf16, _) => self.bf16,
            (ElementType::F32, _) => self.f32,
            (ElementType::F64, _) => self.f64,
            (_, Some(format)) => self.bf16.max(f64::from(format.mantissa_bits).exp2().recip()),
            (_, None) => 0.0,
        }
    }
}

/// The first element that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Row-major position and its coordinates.
    pub index: usize,
    pub coordinates: Vec<u64>,
    pub actual: Scalar,
    pub expected: Scalar,
}

/// Outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    Equal,
    /// Element type or shape differ: the two types.
    Types {
        actual: String,
        expected: String,
    },
    /// `count` of `total` elements differ.
    Elements {
        count: usize,
        total: usize,
        first: Mismatch,
        element_type: ElementType,
        largest_difference: f64,
    },
}

impl Comparison {
    pub fn is_equal(&self) -> bool {
        *self == Comparison::Equal
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Comparison::Equal => f.write_str("equal"),
            Comparison::Types { actual, expected } => write!(f, "expected {expected}, got {actual}"),
            Comparison::Elements { count, total, first, element_type, largest_difference } => {
                let show = |value| {
                    let mut text = String::new();
                    print_element(&mut text, *element_type, value, Digits::Exact);
                    text
                };
                let place: Vec<String> = first.coordinates.iter().map(u64::to_string).collect();
                write!(f, "{count} of {total} elements differ; first at [{}]: ", place.join(", "))?;
                write!(f, "expected {}, got {}; ", show(first.expected), show(first.actual))?;
                write!(f, "largest difference {largest_difference:e}")
            }
        }
    }
}

/// Compares a result with what was expected.
pub fn compare(actual: &Tensor, expected: &Tensor, tolerances: &Tolerances) -> Comparison {
    if actual.ty() != expected.ty() {
        return Comparison::Types { actual: actual.ty().to_string(), expected: expected.ty().to_string() };
    }
    if actual.bytes() == expected.bytes() {
        return Comparison::Equal;
    }
    let tolerance = tolerances.of(actual.element_type());
    let (mut count, mut first, mut largest) = (0, None, 0f64);
    for (index, (got, want)) in actual.iter().zip(expected.iter()).enumerate() {
        let (equal, difference) = compare_scalars(got, want, tolerance);
        largest = largest.max(difference);
        if !equal {
            count += 1;
            first.get_or_insert((index, got, want));
        }
    }
    match first {
        None => Comparison::Equal,
        Some((index, got, want)) => Comparison::Elements {
            count,
            total: actual.elements(),
            first: Mismatch { index, coordinates: coordinates(index, actual.shape()), actual: got, expected: want },
            element_type: actual.element_type(),
            largest_difference: largest,
        },
    }
}

fn compare_scalars(got: Scalar, want: Scalar, tolerance: f64) -> (bool, f64) {
    match (got, want) {
        (Scalar::Float(got), Scalar::Float(want)) => compare_floats(got, want, tolerance),
        (Scalar::Complex(re, im), Scalar::Complex(want_re, want_im)) => {
            let (re_equal, re_difference) = compare_floats(re, want_re, tolerance);
            let (im_equal, im_difference) = compare_floats(im, want_im, tolerance);
            (re_equal && im_equal, re_difference.max(im_difference))
        }
        (Scalar::Int(got), Scalar::Int(want)) => (got == want, (got - want).abs() as f64),
        _ => (false, f64::INFINITY),
    }
}

fn compare_floats(got: f64, want: f64, tolerance: f64) -> (bool, f64) {
    if got == want || (got.is_nan() && want.is_nan()) {
        return (true, 0.0);
    }
    if !got.is_finite() || !want.is_finite() {
        return (false, f64::INFINITY);
    }
    let difference = (got - want).abs();
    (difference <= tolerance * want.abs().max(1.0), difference)
}

fn coordinates(index: usize, shape: &[u64]) -> Vec<u64> {
    let mut rest = index as u64;
    let mut out: Vec<u64> = shape
        .iter()
        .rev()
        .map(|dim| {
            let at = rest % (*dim).max(1);
            rest /= (*dim).max(1);
            at
        })
        .collect();
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::parse::{Parsed, parse_input};

    fn compared(actual: &str, expected: &str) -> Comparison {
        let tensor = |text| match parse_input(text, None) {
            Ok(Parsed::Tensors(mut tensors)) => tensors.remove(0),
            _ => panic!("{text}"),
        };
        compare(&tensor(actual), &tensor(expected), &Tolerances::default())
    }

    #[test]
    fn tolerances_by_type() {
        assert!(compared("2xf32=1 1000", "2xf32=1.00009 1000.09").is_equal());
        assert!(!compared("f32=1", "f32=1.0002").is_equal());
        assert!(compared("f16=1", "f16=1.0009").is_equal());
        assert!(compared("2xf64=nan inf", "2xf64=nan inf").is_equal());
        assert!(!compared("f32=inf", "f32=-inf").is_equal());
        assert!(!compared("i64=9007199254740993", "i64=9007199254740992").is_equal());
        assert!(!compared("complex<f32>=(1,2)", "complex<f32>=(1,2.1)").is_equal());
        assert!(compared("f8E4M3FN=1", "f8E4M3FN=1.125").is_equal());
    }

    #[test]
    fn the_first_difference_and_the_count_are_told() {
        let told = compared("2x2xi32=[1 2][3 4]", "2x2xi32=[1 2][0 0]").to_string();
        assert_eq!(told, "2 of 4 elements differ; first at [1, 0]: expected 0, got 3; largest difference 4e0");
        assert_eq!(compared("2xf32=1", "3xf32=1").to_string(), "expected 3xf32, got 2xf32");
    }
}

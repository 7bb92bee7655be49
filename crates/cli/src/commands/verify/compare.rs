//! Are a dispatch's results those of the reference? Floats within a tolerance, everything else exactly.
//!
//! A float is right if |found - expected| ≤ absolute + relative × |expected|; NaN is right where NaN is expected, an
//! infinity where the same one is. Results of sums may also be off by a twentieth of the relative tolerance of their
//! largest element: terms cancel. The table's figures are those by which the conformance suite judges; integers and i1
//! are exact.
//!
//! Worked example, f32 sum with expected `[1000, 0.001]`: 1e-6 + 1e-4 × 0.001 would allow 1.1e-6 for the second
//! element; the first, 1000, makes that 1e-4 × 0.05 × 1000 = 5e-3.

use fornax_runtime::tensor::print::{Digits, print_element};
use fornax_runtime::{ElementType, Scalar, Tensor};

use crate::failure::Failure;

/// Relative and absolute tolerance of a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    relative: f64,
    absolute: f64,
}

/// By the start of the type's spelling; the first that fits counts.
const TABLE: &[(&str, Tolerance)] = &[
    ("f64", Tolerance { relative: 1e-9, absolute: 1e-12 }),
    ("f32", Tolerance { relative: 1e-4, absolute: 1e-6 }),
    ("f16", Tolerance { relative: 5e-3, absolute: 1e-3 }),
    ("bf16", Tolerance { relative: 3e-2, absolute: 1e-2 }),
    ("f8E5", Tolerance { relative: 0.26, absolute: 0.13 }),
    ("f", Tolerance { relative: 0.13, absolute: 0.07 }),
];
/// Of a sum's largest result, times the relative tolerance.
const SUM_SHARE: f64 = 0.05;
/// Absolute tolerance besides a relative one that the user gives.
const GIVEN_ABSOLUTE: f64 = 1e-2;

/// The tolerances of a run.
#[derive(Clone, Debug, Default)]
pub struct Tolerances {
    /// Type (empty: all) and relative tolerance, as given.
    given: Vec<(String, f64)>,
}

impl Tolerances {
    /// Reads `1e-3` and `f32=1e-5`.
    pub fn parse(texts: &[String]) -> Result<Tolerances, Failure> {
        let one = |text: &String| {
            let (ty, number) = text.split_once('=').unwrap_or(("", text));
            let number = number.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            let known = ty.is_empty() || ElementType::parse(ty).is_some();
            let number = number.filter(|_| known);
            let wrong = || Failure::usage(format!("--tolerance={text}: a number, or TYPE=NUMBER (1e-3, f32=1e-5)"));
            Ok((ty.to_string(), number.ok_or_else(wrong)?))
        };
        Ok(Tolerances { given: texts.iter().map(one).collect::<Result<_, Failure>>()? })
    }

    fn of(&self, ty: ElementType) -> Tolerance {
        let spelled = ty.to_string();
        let part = spelled.strip_prefix("complex<").and_then(|t| t.strip_suffix('>')).unwrap_or(&spelled);
        if let Some((_, x)) = self.given.iter().rev().find(|(t, _)| t.is_empty() || t == part || *t == spelled) {
            return Tolerance { relative: *x, absolute: x * GIVEN_ABSOLUTE };
        }
        let row = TABLE.iter().find(|row| part.starts_with(row.0));
        row.map_or(Tolerance { relative: 0.0, absolute: 0.0 }, |row| row.1)
    }
}

/// How far results are off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    pub absolute: f64,
    pub relative: f64,
    /// In units of the last place of the expected value.
    pub ulp: f64,
}

/// A result that is not the reference's.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub text: String,
    pub errors: Errors,
}

/// Compares a result with the reference's; `sums` where long sums are in it.
pub fn compare(
    found: &Tensor,
    expected: &Tensor,
    tolerances: &Tolerances,
    sums: bool,
) -> Result<Errors, Box<Difference>> {
    let ty = expected.element_type();
    if found.ty() != expected.ty() {
        let text = format!("a result of type {} where {} is expected", found.ty(), expected.ty());
        return Err(Box::new(Difference { text, errors: Errors::default() }));
    }
    if found.bytes() == expected.bytes() {
        return Ok(Errors::default());
    }
    let mut tolerance = if ty.is_inexact() { tolerances.of(ty) } else { Tolerance { relative: 0.0, absolute: 0.0 } };
    if sums {
        let finite = expected.iter().flat_map(parts).map(f64::abs).filter(|x| x.is_finite());
        let largest = finite.fold(0.0, f64::max);
        tolerance.absolute = tolerance.absolute.max(tolerance.relative * SUM_SHARE * largest);
    }
    let (mut errors, mut first, mut count) = (Errors::default(), None, 0usize);
    for (at, (got, want)) in found.iter().zip(expected.iter()).enumerate() {
        let (right, own) = element(got, want, ty, tolerance);
        errors.absolute = errors.absolute.max(own.absolute);
        errors.relative = errors.relative.max(own.relative);
        errors.ulp = errors.ulp.max(own.ulp);
        if !right {
            count += 1;
            first.get_or_insert((at, got, want));
        }
    }
    let Some((at, got, want)) = first else { return Ok(errors) };
    let text = format!(
        "{} of {} elements differ; first at [{}]: expected {}, found {}\n  \
         largest errors: absolute {:.3e}, relative {:.3e}, {} (allowed: relative {:e}, absolute {:e})",
        count,
        expected.elements(),
        place(at, expected.shape()),
        show(ty, want),
        show(ty, got),
        errors.absolute,
        errors.relative,
        ulp_text(errors.ulp),
        tolerance.relative,
        tolerance.absolute
    );
    Err(Box::new(Difference { text, errors }))
}

pub fn ulp_text(ulp: f64) -> String {
    if ulp >= 1e6 { format!("{ulp:.1e} ulp") } else { format!("{ulp:.1} ulp") }
}

fn parts(value: Scalar) -> [f64; 2] {
    match value {
        Scalar::Int(v) => [v as f64, 0.0],
        Scalar::Float(v) => [v, 0.0],
        Scalar::Complex(re, im) => [re, im],
    }
}

fn element(got: Scalar, want: Scalar, ty: ElementType, tolerance: Tolerance) -> (bool, Errors) {
    if let (Scalar::Int(a), Scalar::Int(b)) = (got, want) {
        let difference = (a - b).abs() as f64;
        let errors = Errors { absolute: difference, relative: difference / (b.abs() as f64).max(1.0), ulp: difference };
        return (a == b, errors);
    }
    let (got, want) = (parts(got), parts(want));
    // A complex number's size is that of both parts.
    let size: f64 = want.iter().filter(|x| x.is_finite()).map(|x| x.abs()).sum();
    let (mut right, mut errors) = (true, Errors::default());
    for (g, w) in got.into_iter().zip(want) {
        if g == w || g.is_nan() && w.is_nan() {
            continue;
        }
        let difference = if g.is_finite() && w.is_finite() { (g - w).abs() } else { f64::INFINITY };
        right &= difference <= tolerance.absolute + tolerance.relative * size;
        errors.absolute = errors.absolute.max(difference);
        errors.relative = errors.relative.max(difference / size.max(f64::MIN_POSITIVE));
        errors.ulp = errors.ulp.max(difference / last_place(w, ty));
    }
    (right, errors)
}

/// The distance of neighbouring numbers of a type at a value.
fn last_place(value: f64, ty: ElementType) -> f64 {
    let Some(format) = ty.format() else { return 1.0 };
    let exponent = if value == 0.0 || !value.is_finite() { i32::MIN } else { value.abs().log2().floor() as i32 };
    let exponent = exponent.max(1 - format.bias);
    f64::from(exponent - format.mantissa_bits as i32).exp2().max(f64::MIN_POSITIVE)
}

fn show(ty: ElementType, value: Scalar) -> String {
    let mut text = String::new();
    print_element(&mut text, ty, value, Digits::Exact);
    text
}

/// Row-major coordinates.
pub fn place(at: usize, shape: &[u64]) -> String {
    let mut rest = at as u64;
    let mut texts = Vec::with_capacity(shape.len());
    for dim in shape.iter().rev() {
        texts.push((rest % (*dim).max(1)).to_string());
        rest /= (*dim).max(1);
    }
    texts.reverse();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use fornax_runtime::TensorType;
    use fornax_runtime::tensor::parse::{Parsed, parse_input};

    use super::*;

    fn tensor(text: &str) -> Tensor {
        match parse_input(text, None) {
            Ok(Parsed::Tensors(mut tensors)) => tensors.remove(0),
            _ => panic!("{text}"),
        }
    }

    fn of(found: &str, expected: &str, given: &[&str], sums: bool) -> Result<Errors, Box<Difference>> {
        let given: Vec<String> = given.iter().map(|t| t.to_string()).collect();
        compare(&tensor(found), &tensor(expected), &Tolerances::parse(&given).unwrap(), sums)
    }

    #[test]
    fn tolerances_by_type_and_by_flag() {
        assert!(of("2xf32=1 1000", "2xf32=1.00005 1000.05", &[], false).is_ok());
        assert!(of("f32=1", "f32=1.0002", &[], false).is_err());
        assert!(of("f32=1", "f32=1.0002", &["1e-3"], false).is_ok());
        assert!(of("f32=1", "f32=1.0002", &["1e-3", "f32=1e-5"], false).is_err());
        assert!(of("bf16=1", "bf16=1.03", &["f32=0"], false).is_ok());
        assert!(of("2xf32=1000 0.002", "2xf32=1000 0", &[], false).is_err());
        assert!(of("2xf32=1000 0.002", "2xf32=1000 0", &[], true).is_ok());
        assert!(of("f32=inf", "f32=nan", &["1"], false).is_err());
        assert!(of("2xf64=nan -inf", "2xf64=nan -inf", &[], false).is_ok());
        assert!(of("i32=1", "i32=2", &["10"], false).is_err());
        assert!(Tolerances::parse(&["f33=1".into()]).is_err() && Tolerances::parse(&["-1".into()]).is_err());
    }

    #[test]
    fn what_is_told() {
        let told = of("2x2xf32=[1 2][3 4]", "2x2xf32=[1 2][3 4.0000005]", &["0"], false).unwrap_err();
        assert!(
            told.text.starts_with("1 of 4 elements differ; first at [1, 1]: expected 4.0000005, found 4\n"),
            "{}",
            told.text
        );
        assert_eq!(told.errors.ulp, 1.0);
        assert_eq!(of("f32=4", "f32=4.0000005", &[], false).unwrap().ulp, 1.0);
        assert_eq!(last_place(0.0, ElementType::F16), 2f64.powi(-24));
        let zeros = Tensor::zeros(TensorType::new(ElementType::F32, [2])).unwrap();
        assert!(compare(&zeros, &tensor("f32=0"), &Tolerances::default(), false).is_err());
    }
}

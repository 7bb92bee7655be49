//! Element-wise ops of one operand: a row an op, a column a class of element types.

use fornax_graph::{Class, ElementType, OpKind};

use crate::complex::Complex;
use crate::complex_inverse as inverse;
use crate::scalar::{IntType, Scalar};
use crate::special;

/// How one op computes each class; `None` where the op does not take the class. Results are rounded by the caller.
struct Row {
    kind: OpKind,
    boolean: Option<fn(bool) -> bool>,
    integer: Option<fn(IntType, i128) -> i128>,
    float: Option<fn(f64) -> f64>,
    complex: Option<fn(Complex) -> Complex>,
}

const fn real(kind: OpKind, float: fn(f64) -> f64) -> Row {
    Row { kind, boolean: None, integer: None, float: Some(float), complex: None }
}

const fn both(kind: OpKind, float: fn(f64) -> f64, complex: fn(Complex) -> Complex) -> Row {
    Row { kind, boolean: None, integer: None, float: Some(float), complex: Some(complex) }
}

const fn integer(kind: OpKind, integer: fn(IntType, i128) -> i128) -> Row {
    Row { kind, boolean: None, integer: Some(integer), float: None, complex: None }
}

const fn number(
    kind: OpKind,
    integer: fn(IntType, i128) -> i128,
    float: fn(f64) -> f64,
    complex: fn(Complex) -> Complex,
) -> Row {
    Row { kind, boolean: None, integer: Some(integer), float: Some(float), complex: Some(complex) }
}

const ROWS: &[Row] = &[
    number(OpKind::Negate, |_, x| -x, |x| -x, |z| -z),
    number(OpKind::Sign, |_, x| x.signum(), sign, Complex::sign),
    number(OpKind::ChloSquare, |_, x| x.wrapping_mul(x), |x| x * x, Complex::square),
    number(OpKind::ChloConj, |_, x| x, |x| x, Complex::conj),
    Row { boolean: Some(|b| !b), ..integer(OpKind::Not, |_, x| !x) },
    integer(OpKind::Popcnt, |t, x| i128::from(t.pattern(x).count_ones())),
    integer(OpKind::CountLeadingZeros, |t, x| i128::from(t.bits + t.pattern(x).leading_zeros()) - 128),
    real(OpKind::Ceil, f64::ceil),
    real(OpKind::Floor, f64::floor),
    real(OpKind::RoundNearestAfz, f64::round),
    real(OpKind::RoundNearestEven, f64::round_ties_even),
    both(OpKind::Cbrt, f64::cbrt, Complex::cbrt),
    both(OpKind::Cosine, f64::cos, Complex::cos),
    both(OpKind::Sine, f64::sin, Complex::sin),
    both(OpKind::Tan, f64::tan, Complex::tan),
    both(OpKind::Tanh, f64::tanh, Complex::tanh),
    both(OpKind::Exponential, f64::exp, Complex::exp),
    both(OpKind::ExponentialMinusOne, f64::exp_m1, Complex::exp_m1),
    both(OpKind::Log, f64::ln, Complex::ln),
    both(OpKind::LogPlusOne, f64::ln_1p, Complex::ln_1p),
    both(OpKind::Logistic, |x| 1.0 / (1.0 + (-x).exp()), Complex::logistic),
    both(OpKind::Sqrt, f64::sqrt, Complex::sqrt),
    both(OpKind::Rsqrt, |x| 1.0 / x.sqrt(), Complex::rsqrt),
    both(OpKind::ChloAcos, f64::acos, inverse::acos),
    both(OpKind::ChloAcosh, inverse::real_acosh, inverse::acosh),
    both(OpKind::ChloAsin, f64::asin, inverse::asin),
    Row {
        complex: Some(inverse::asin_acos_kernel),
        boolean: None,
        integer: None,
        float: None,
        kind: OpKind::ChloAsinAcosKernel,
    },
    both(OpKind::ChloAsinh, inverse::real_asinh, inverse::asinh),
    both(OpKind::ChloAtan, f64::atan, inverse::atan),
    both(OpKind::ChloAtanh, inverse::real_atanh, inverse::atanh),
    both(OpKind::ChloCosh, f64::cosh, Complex::cosh),
    both(OpKind::ChloSinh, f64::sinh, Complex::sinh),
    both(OpKind::ChloTan, f64::tan, Complex::tan),
    real(OpKind::ChloBesselI1e, special::bessel_i1e),
    real(OpKind::ChloDigamma, special::digamma),
    real(OpKind::ChloErf, special::erf),
    real(OpKind::ChloErfInv, special::erf_inv),
    real(OpKind::ChloErfc, special::erfc),
    real(OpKind::ChloLgamma, special::lgamma),
];

/// Ops whose result is of another class than their operand.
type Crossing = fn(Scalar) -> Option<Scalar>;

const CROSSINGS: &[(OpKind, Crossing)] = &[
    (OpKind::Abs, |x| {
        Some(match x {
            Scalar::Int(v) => Scalar::Int(v.abs()),
            Scalar::Float(v) => Scalar::Float(v.abs()),
            Scalar::Complex(c) => Scalar::Float(c.abs()),
            Scalar::Bool(_) => return None,
        })
    }),
    (OpKind::Real, |x| Some(Scalar::Float(x.as_f64()))),
    (OpKind::Imag, |x| Some(Scalar::Float(x.as_complex().im))),
    (OpKind::IsFinite, |x| Some(Scalar::Bool(x.as_f64().is_finite()))),
    (OpKind::ChloIsInf, |x| Some(Scalar::Bool(x.as_f64().is_infinite()))),
    (OpKind::ChloIsPosInf, |x| Some(Scalar::Bool(x.as_f64() == f64::INFINITY))),
    (OpKind::ChloIsNegInf, |x| Some(Scalar::Bool(x.as_f64() == f64::NEG_INFINITY))),
];

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// Whether this is an element-wise op of one operand.
pub fn is_unary(kind: OpKind) -> bool {
    ROWS.iter().any(|r| r.kind == kind) || CROSSINGS.iter().any(|r| r.0 == kind)
}

/// A unary op bound to its operand's element type.
#[derive(Clone, Copy)]
pub enum Unary {
    Boolean(fn(bool) -> bool),
    Integer(IntType, fn(IntType, i128) -> i128),
    Float(fn(f64) -> f64),
    Complex(fn(Complex) -> Complex),
    Crossing(Crossing),
}

impl Unary {
    /// `None` when the op does not take the element type.
    pub fn bind(kind: OpKind, element: ElementType) -> Option<Unary> {
        if let Some((_, f)) = CROSSINGS.iter().find(|r| r.0 == kind) {
            return Some(Unary::Crossing(*f));
        }
        let row = ROWS.iter().find(|r| r.kind == kind)?;
        match element.class() {
            Class::Boolean => row.boolean.map(Unary::Boolean),
            Class::SignedInteger | Class::UnsignedInteger => {
                row.integer.zip(IntType::of(element)).map(|(f, t)| Unary::Integer(t, f))
            }
            Class::Float => row.float.map(Unary::Float),
            Class::Complex => row.complex.map(Unary::Complex),
            Class::Quantized => None,
        }
    }

    /// Unrounded result; `None` when the value is of a class that the op does not take.
    pub fn apply(self, x: Scalar) -> Option<Scalar> {
        Some(match (self, x) {
            (Unary::Boolean(f), Scalar::Bool(x)) => Scalar::Bool(f(x)),
            (Unary::Integer(t, f), Scalar::Int(x)) => Scalar::Int(f(t, x)),
            (Unary::Float(f), Scalar::Float(x)) => Scalar::Float(f(x)),
            (Unary::Complex(f), Scalar::Complex(x)) => Scalar::Complex(f(x)),
            (Unary::Crossing(f), x) => return f(x),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(kind: OpKind, element: ElementType, x: Scalar) -> Scalar {
        Unary::bind(kind, element).unwrap().apply(x).unwrap().round_to(element)
    }

    #[test]
    fn integers() {
        let int = |kind, element, x| apply(kind, element, Scalar::Int(x));
        assert_eq!(int(OpKind::Negate, ElementType::I8, -128), Scalar::Int(-128));
        assert_eq!(int(OpKind::Abs, ElementType::I8, -128), Scalar::Int(-128));
        assert_eq!(int(OpKind::Not, ElementType::Ui8, 0), Scalar::Int(255));
        assert_eq!(int(OpKind::Popcnt, ElementType::I4, -1), Scalar::Int(4));
        assert_eq!(int(OpKind::CountLeadingZeros, ElementType::I16, 1), Scalar::Int(15));
        assert_eq!(int(OpKind::CountLeadingZeros, ElementType::Ui64, 0), Scalar::Int(64));
        assert_eq!(int(OpKind::Sign, ElementType::I32, -7), Scalar::Int(-1));
    }

    #[test]
    fn floats() {
        let float = |kind, x| apply(kind, ElementType::F32, Scalar::Float(x));
        assert_eq!(float(OpKind::RoundNearestAfz, 2.5), Scalar::Float(3.0));
        assert_eq!(float(OpKind::RoundNearestEven, 2.5), Scalar::Float(2.0));
        assert_eq!(float(OpKind::Rsqrt, 4.0), Scalar::Float(0.5));
        assert_eq!(float(OpKind::Exponential, 100.0), Scalar::Float(f64::INFINITY));
        assert_eq!(float(OpKind::Logistic, 0.0), Scalar::Float(0.5));
        let Scalar::Float(s) = float(OpKind::Sign, f64::NAN) else { panic!() };
        assert!(s.is_nan());
        assert_eq!(float(OpKind::Sign, -0.0), Scalar::Float(-0.0));
    }

    #[test]
    fn classes_without_a_rule_are_refused() {
        assert!(Unary::bind(OpKind::Sine, ElementType::I32).is_none());
        assert!(Unary::bind(OpKind::Not, ElementType::F32).is_none());
    }
}

//! Element-wise ops of two operands of one element type, and `compare`.

use std::cmp::Ordering;

use fornax_graph::{Class, ElementType, OpKind};

use crate::complex::Complex;
use crate::scalar::{IntType, Scalar};
use crate::special;

/// How one op computes each class; `None` where the op does not take the class. Results are rounded by the caller.
struct Row {
    kind: OpKind,
    boolean: Option<fn(bool, bool) -> bool>,
    integer: Option<fn(IntType, i128, i128) -> i128>,
    float: Option<fn(f64, f64) -> f64>,
    complex: Option<fn(Complex, Complex) -> Complex>,
}

const NONE: Row = Row { kind: OpKind::Unregistered, boolean: None, integer: None, float: None, complex: None };

const ROWS: &[Row] = &[
    Row {
        kind: OpKind::Add,
        boolean: Some(|a, b| a | b),
        integer: Some(|_, a, b| a + b),
        float: Some(|a, b| a + b),
        complex: Some(|a, b| a + b),
    },
    Row {
        kind: OpKind::Multiply,
        boolean: Some(|a, b| a & b),
        integer: Some(|_, a, b| a.wrapping_mul(b)),
        float: Some(|a, b| a * b),
        complex: Some(|a, b| a * b),
    },
    Row {
        kind: OpKind::Subtract,
        integer: Some(|_, a, b| a - b),
        float: Some(|a, b| a - b),
        complex: Some(|a, b| a - b),
        ..NONE
    },
    Row {
        kind: OpKind::Divide,
        integer: Some(|_, a, b| if b == 0 { -1 } else { a / b }),
        float: Some(|a, b| a / b),
        complex: Some(|a, b| a / b),
        ..NONE
    },
    Row {
        kind: OpKind::Remainder,
        integer: Some(|_, a, b| if b == 0 { a } else { a % b }),
        float: Some(|a, b| a % b),
        complex: Some(Complex::remainder),
        ..NONE
    },
    Row {
        kind: OpKind::Power,
        integer: Some(integer_power),
        float: Some(f64::powf),
        complex: Some(Complex::pow),
        ..NONE
    },
    Row {
        kind: OpKind::Maximum,
        boolean: Some(|a, b| a | b),
        integer: Some(|_, a, b| a.max(b)),
        float: Some(maximum),
        complex: Some(|a, b| if lexicographic(a, b) == Some(Ordering::Less) { b } else { a }),
    },
    Row {
        kind: OpKind::Minimum,
        boolean: Some(|a, b| a & b),
        integer: Some(|_, a, b| a.min(b)),
        float: Some(|a, b| -maximum(-a, -b)),
        complex: Some(|a, b| if lexicographic(a, b) == Some(Ordering::Greater) { b } else { a }),
    },
    Row { kind: OpKind::And, boolean: Some(|a, b| a & b), integer: Some(|_, a, b| a & b), ..NONE },
    Row { kind: OpKind::Or, boolean: Some(|a, b| a | b), integer: Some(|_, a, b| a | b), ..NONE },
    Row { kind: OpKind::Xor, boolean: Some(|a, b| a ^ b), integer: Some(|_, a, b| a ^ b), ..NONE },
    Row { kind: OpKind::ShiftLeft, integer: Some(|t, a, b| shift(t, b).map_or(0, |n| a << n)), ..NONE },
    Row {
        kind: OpKind::ShiftRightLogical,
        integer: Some(|t, a, b| shift(t, b).map_or(0, |n| t.pattern(a) >> n)),
        ..NONE
    },
    Row {
        kind: OpKind::ShiftRightArithmetic,
        integer: Some(|t, a, b| {
            let signed = IntType { signed: true, ..t }.wrap(a);
            shift(t, b).map_or(signed >> 127, |n| signed >> n)
        }),
        ..NONE
    },
    Row { kind: OpKind::Atan2, float: Some(f64::atan2), complex: Some(Complex::atan2), ..NONE },
    Row {
        kind: OpKind::ChloMulhi,
        integer: Some(|t, a, b| if t.signed { (a * b) >> t.bits } else { ((a as u128 * b as u128) >> t.bits) as i128 }),
        ..NONE
    },
    Row { kind: OpKind::ChloPolygamma, float: Some(special::polygamma), ..NONE },
    Row { kind: OpKind::ChloZeta, float: Some(special::zeta), ..NONE },
];

/// The shift distance when it is below the width; negative distances count as large.
fn shift(t: IntType, by: i128) -> Option<u32> {
    u32::try_from(by).ok().filter(|&n| n < t.bits)
}

/// IEEE-754 maximum: NaN wins, +0 is above -0.
fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() { a } else { b };
    }
    if a > b || (a == b && b.is_sign_negative()) { a } else { b }
}

/// By squaring, modulo the type. A negative exponent is the reciprocal truncated: ±1 for bases ±1, else 0.
fn integer_power(t: IntType, base: i128, exponent: i128) -> i128 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut result, mut square, mut rest) = (1i128, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = t.wrap(result.wrapping_mul(square));
        }
        square = t.wrap(square.wrapping_mul(square));
        rest >>= 1;
    }
    result
}

/// Order by real, then imaginary part.
fn lexicographic(a: Complex, b: Complex) -> Option<Ordering> {
    match a.re.partial_cmp(&b.re) {
        Some(Ordering::Equal) => a.im.partial_cmp(&b.im),
        other => other,
    }
}

/// Whether this is an element-wise op of two operands (`compare` apart).
pub fn is_binary(kind: OpKind) -> bool {
    matches!(kind, OpKind::Complex | OpKind::ChloNextAfter) || ROWS.iter().any(|r| r.kind == kind)
}

/// A binary op bound to the element type of its operands.
#[derive(Clone, Copy)]
pub enum Binary {
    Boolean(fn(bool, bool) -> bool),
    Integer(IntType, fn(IntType, i128, i128) -> i128),
    Float(fn(f64, f64) -> f64),
    Complex(fn(Complex, Complex) -> Complex),
    /// Two reals make a complex number.
    MakeComplex,
    NextAfter(ElementType),
}

impl Binary {
    /// `None` when the op does not take the element type.
    pub fn bind(kind: OpKind, element: ElementType) -> Option<Binary> {
        match kind {
            OpKind::Complex => return Some(Binary::MakeComplex),
            OpKind::ChloNextAfter => return Some(Binary::NextAfter(element)),
            _ => {}
        }
        let row = ROWS.iter().find(|r| r.kind == kind)?;
        match element.class() {
            Class::Boolean => row.boolean.map(Binary::Boolean),
            Class::SignedInteger | Class::UnsignedInteger => {
                row.integer.zip(IntType::of(element)).map(|(f, t)| Binary::Integer(t, f))
            }
            Class::Float => row.float.map(Binary::Float),
            Class::Complex => row.complex.map(Binary::Complex),
            Class::Quantized => None,
        }
    }

    /// Unrounded result; `None` when a value is of a class that the op does not take.
    pub fn apply(self, a: Scalar, b: Scalar) -> Option<Scalar> {
        Some(match (self, a, b) {
            (Binary::Boolean(f), Scalar::Bool(a), Scalar::Bool(b)) => Scalar::Bool(f(a, b)),
            (Binary::Integer(t, f), Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(f(t, a, b)),
            (Binary::Float(f), Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(f(a, b)),
            (Binary::Complex(f), Scalar::Complex(a), Scalar::Complex(b)) => Scalar::Complex(f(a, b)),
            (Binary::MakeComplex, Scalar::Float(a), Scalar::Float(b)) => Scalar::Complex(Complex::new(a, b)),
            (Binary::NextAfter(e), Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(special::next_after(e, a, b)?),
            _ => return None,
        })
    }
}

/// `comparison_direction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Eq,
    Ne,
    Ge,
    Gt,
    Le,
    Lt,
}

impl Direction {
    pub fn parse(keyword: &str) -> Option<Direction> {
        Some(match keyword {
            "EQ" => Direction::Eq,
            "NE" => Direction::Ne,
            "GE" => Direction::Ge,
            "GT" => Direction::Gt,
            "LE" => Direction::Le,
            "LT" => Direction::Lt,
            _ => return None,
        })
    }

    fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Direction::Eq => order == Some(Ordering::Equal),
            Direction::Ne => order != Some(Ordering::Equal),
            Direction::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Direction::Gt => order == Some(Ordering::Greater),
            Direction::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Direction::Lt => order == Some(Ordering::Less),
        }
    }
}

/// `compare`: with `total`, floats order as -NaN < -∞ < … < -0 < +0 < … < ∞ < NaN; else NaN is unordered.
pub fn compare(direction: Direction, total: bool, a: Scalar, b: Scalar) -> Option<bool> {
    let order = match (a, b) {
        (Scalar::Bool(a), Scalar::Bool(b)) => Some(a.cmp(&b)),
        (Scalar::Int(a), Scalar::Int(b)) => Some(a.cmp(&b)),
        (Scalar::Float(a), Scalar::Float(b)) if total => Some(a.total_cmp(&b)),
        (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(&b),
        (Scalar::Complex(a), Scalar::Complex(b)) => lexicographic(a, b),
        _ => return None,
    };
    Some(direction.holds(order))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(kind: OpKind, element: ElementType, a: i128, b: i128) -> i128 {
        let result = Binary::bind(kind, element).unwrap().apply(Scalar::Int(a), Scalar::Int(b));
        result.unwrap().round_to(element).as_int()
    }

    #[test]
    fn integer_edges() {
        let (i8, u8) = (ElementType::I8, ElementType::Ui8);
        assert_eq!(int(OpKind::Add, i8, 127, 1), -128);
        assert_eq!(int(OpKind::Subtract, u8, 0, 1), 255);
        assert_eq!(int(OpKind::Divide, i8, 7, 0), -1);
        assert_eq!(int(OpKind::Divide, u8, 7, 0), 255);
        assert_eq!(int(OpKind::Divide, i8, -128, -1), -128);
        assert_eq!(int(OpKind::Divide, i8, -7, 2), -3);
        assert_eq!(int(OpKind::Remainder, i8, -7, 2), -1);
        assert_eq!(int(OpKind::Remainder, i8, -128, -1), 0);
        assert_eq!(int(OpKind::Remainder, i8, 5, 0), 5);
        assert_eq!(int(OpKind::Power, i8, 2, -1), 0);
        assert_eq!(int(OpKind::Power, i8, -1, -3), -1);
        assert_eq!(int(OpKind::Power, i8, 3, 5), -13);
        assert_eq!(int(OpKind::ShiftLeft, i8, 1, 8), 0);
        assert_eq!(int(OpKind::ShiftLeft, i8, 1, 7), -128);
        assert_eq!(int(OpKind::ShiftRightLogical, i8, -1, 4), 15);
        assert_eq!(int(OpKind::ShiftRightLogical, i8, -1, -1), 0);
        assert_eq!(int(OpKind::ShiftRightArithmetic, i8, -128, 100), -1);
        assert_eq!(int(OpKind::ShiftRightArithmetic, i8, 64, 3), 8);
        assert_eq!(int(OpKind::ChloMulhi, i8, -128, 127), -64);
        assert_eq!(int(OpKind::Multiply, ElementType::Ui64, u64::MAX.into(), u64::MAX.into()), 1);
        let u64_max = i128::from(u64::MAX);
        assert_eq!(int(OpKind::ChloMulhi, ElementType::Ui64, u64_max, u64_max), u64_max - 1);
    }

    #[test]
    fn float_maximum_propagates_nan_and_orders_zeros() {
        let max = Binary::bind(OpKind::Maximum, ElementType::F32).unwrap();
        let min = Binary::bind(OpKind::Minimum, ElementType::F32).unwrap();
        let f = Scalar::Float;
        assert!(max.apply(f(1.0), f(f64::NAN)).unwrap().as_f64().is_nan());
        assert!(min.apply(f(f64::NAN), f(1.0)).unwrap().as_f64().is_nan());
        assert!(max.apply(f(-0.0), f(0.0)).unwrap().as_f64().is_sign_positive());
        assert!(min.apply(f(0.0), f(-0.0)).unwrap().as_f64().is_sign_negative());
    }

    #[test]
    fn comparisons_with_nan() {
        let nan = Scalar::Float(f64::NAN);
        assert_eq!(compare(Direction::Eq, false, nan, nan), Some(false));
        assert_eq!(compare(Direction::Ne, false, nan, nan), Some(true));
        assert_eq!(compare(Direction::Eq, true, nan, nan), Some(true));
        assert_eq!(compare(Direction::Lt, true, Scalar::Float(-0.0), Scalar::Float(0.0)), Some(true));
        assert_eq!(compare(Direction::Lt, false, Scalar::Float(1.0), nan), Some(false));
    }
}

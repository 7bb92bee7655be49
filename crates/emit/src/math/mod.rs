//! The scalar library: elementary functions in arithmetic, fma and integer operations. No libdevice, no libm; ocml
//! where it is asked for.
//!
//! Each function takes scalars or vectors of f32 or f64 and gives the same type; f16 and bf16 are computed in f32 and
//! rounded, some by shorter forms (`rounded`). Bounds are in units of the last place of the result, over all arguments,
//! on a target with fma; a target without (x86-64 before v3) may add one unit. Zeros, infinities, NaN and subnormal
//! numbers are right everywhere.
//!
//! | file | functions |
//! | --- | --- |
//! | `exponential` | exp, expm1, logistic, sinh, cosh, tanh |
//! | `logarithm` | log, log1p, asinh, acosh, atanh |
//! | `trigonometric`, `reduction` | sin, cos, tan; argument reduction |
//! | `inverse_trigonometric` | asin, acos, atan, atan2 |
//! | `error_function` | erf, erfc, erf_inv |
//! | `root` | sqrt, rsqrt, cbrt |
//! | `power` | pow |
//! | `remainder` | the exact floating point remainder |
//! | `divisor` | quotients of many dividends and one divisor |
//! | `rounded` | shorter forms for results that are rounded to 16 bits at once |
//! | `device_library` | calls of AMD's ocml instead, where asked for |

mod coefficients;
pub mod device_library;
mod divisor;
mod error_function;
mod exponential;
mod inverse_trigonometric;
mod logarithm;
mod power;
mod reduction;
mod remainder;
mod root;
pub mod rounded;
mod trigonometric;

use fornax_plan::{Binary, Unary};

pub use divisor::divided_by_one;
pub use exponential::{exp_below_one, exp_of_difference};

use crate::text::{Code, Scalar, Ty, Value};

/// A function of one argument.
pub struct UnaryRow {
    pub op: Unary,
    pub emit: fn(&mut Code, Value) -> Value,
    /// Largest error in units of the last place.
    pub ulp_f32: f64,
    pub ulp_f64: f64,
}

/// A function of two arguments.
pub struct BinaryRow {
    pub op: Binary,
    pub emit: fn(&mut Code, Value, Value) -> Value,
    pub ulp_f32: f64,
    pub ulp_f64: f64,
}

const fn row(op: Unary, emit: fn(&mut Code, Value) -> Value, ulp_f32: f64, ulp_f64: f64) -> UnaryRow {
    UnaryRow { op, emit, ulp_f32, ulp_f64 }
}

/// Functions of one argument.
pub const UNARY: &[UnaryRow] = &[
    row(Unary::Sqrt, root::sqrt, 0.5, 0.5),
    row(Unary::Rsqrt, root::rsqrt, 1.5, 1.5),
    row(Unary::Cbrt, root::cbrt, 0.6, 0.6),
    row(Unary::Exponential, exponential::exp, 1.1, 1.1),
    row(Unary::ExponentialMinusOne, exponential::expm1, 1.6, 2.0),
    row(Unary::Log, logarithm::log, 1.0, 1.0),
    row(Unary::LogPlusOne, logarithm::log1p, 1.75, 1.5),
    row(Unary::Logistic, exponential::logistic, 2.5, 2.75),
    row(Unary::Sine, trigonometric::sin, 1.75, 1.0),
    row(Unary::Cosine, trigonometric::cos, 1.75, 1.0),
    row(Unary::Tan, trigonometric::tan, 3.5, 2.5),
    row(Unary::Tanh, exponential::tanh, 1.5, 2.75),
    row(Unary::Erf, error_function::erf, 1.25, 1.25),
    row(Unary::Erfc, error_function::erfc, 4.0, 4.0),
    row(Unary::ErfInv, error_function::erf_inv, 3.0, 3.0),
    row(Unary::Asin, inverse_trigonometric::asin, 1.25, 1.25),
    row(Unary::Acos, inverse_trigonometric::acos, 1.25, 1.25),
    row(Unary::Atan, inverse_trigonometric::atan, 1.5, 1.75),
    row(Unary::Sinh, exponential::sinh, 1.75, 1.75),
    row(Unary::Cosh, exponential::cosh, 1.6, 1.6),
    row(Unary::Asinh, logarithm::asinh, 2.1, 2.1),
    row(Unary::Acosh, logarithm::acosh, 2.5, 2.5),
    row(Unary::Atanh, logarithm::atanh, 2.0, 2.0),
];

/// Functions of two arguments.
pub const BINARY: &[BinaryRow] = &[
    BinaryRow { op: Binary::Power, emit: power::power, ulp_f32: 1.5, ulp_f64: 1.5 },
    BinaryRow { op: Binary::Atan2, emit: inverse_trigonometric::atan2, ulp_f32: 1.75, ulp_f64: 1.75 },
    BinaryRow { op: Binary::Remainder, emit: remainder::remainder, ulp_f32: 0.0, ulp_f64: 0.0 },
];

/// The row of an op, if the library has it.
pub fn unary(op: Unary) -> Option<&'static UnaryRow> {
    UNARY.iter().find(|r| r.op == op)
}

/// The row of an op, if the library has it.
pub fn binary(op: Binary) -> Option<&'static BinaryRow> {
    BINARY.iter().find(|r| r.op == op)
}

/// Whether the value is f64 (else f32).
fn is_double(x: Value) -> bool {
    x.ty.scalar == Scalar::F64
}

/// What belongs to the type of x.
fn choose<T>(x: Value, single: T, double: T) -> T {
    if is_double(x) { double } else { single }
}

/// An unevaluated sum: head and tail, the tail at most half a unit of the head.
type Pair = (Value, Value);

/// x·factor + summand, rounded and then moved into 0 … 1; NaN becomes 0. One instruction of NVIDIA's multiply-add
/// units.
fn fma_saturated(code: &mut Code, x: Value, factor: f64, summand: f64) -> Value {
    if !code.exp2_approx {
        let (factor, summand) = (code.float(x.ty, factor), code.float(x.ty, summand));
        let value = code.fma(x, factor, summand);
        let (zero, one) = (code.float(x.ty, 0.0), code.float(x.ty, 1.0));
        let value = code.binary("arith.maxnumf", value, zero);
        return code.binary("arith.minnumf", value, one);
    }
    let scalar = Ty::scalar(Scalar::F32);
    let (factor, summand) = (code.float(scalar, factor), code.float(scalar, summand));
    let lanes: Vec<Value> = (0..x.ty.lanes)
        .map(|lane| {
            let x = code.extract(x, lane);
            let text = "llvm.inline_asm asm_dialect = att \"fma.rn.sat.f32 $0, $1, $2, $3;\", \"=f,f,f,f\"";
            code.pure(scalar, format!("{text} {x}, {factor}, {summand} : (f32, f32, f32) -> f32"))
        })
        .collect();
    code.assemble(&lanes)
}

/// n/d for 1 ≤ d < 2^126, within 0.51 units. On GPUs f32 divisors above give 0.
fn quotient(code: &mut Code, n: Value, d: Value) -> Value {
    if is_double(d) || !code.max_by_select {
        return code.div_f(n, d);
    }
    // GPUs: the approximate reciprocal is one instruction (within 2 units, no subnormal numbers); a step of Newton
    // corrects the quotient by its exact remainder.
    let one = code.float(d.ty, 1.0);
    let inverse = code.pure(d.ty, format!("arith.divf {one}, {d} fastmath<afn> : {}", d.ty));
    let first = code.mul_f(n, inverse);
    let opposite = code.neg_f(d);
    let rest = code.fma(opposite, first, n);
    code.fma(rest, inverse, first)
}

/// Horner's scheme, highest coefficient first.
fn polynomial(code: &mut Code, x: Value, coefficients: &[f64]) -> Value {
    let mut sum = code.float(x.ty, coefficients[0]);
    for &c in &coefficients[1..] {
        let c = code.float(x.ty, c);
        sum = code.fma(sum, x, c);
    }
    sum
}

/// `a·b` as an unevaluated sum of the rounded product and its error.
fn two_product(code: &mut Code, a: Value, b: Value) -> Pair {
    let product = code.mul_f(a, b);
    if code.has_fma {
        let negated = code.neg_f(product);
        let error = code.fma(a, b, negated);
        return (product, error);
    }
    // Dekker: split both factors into halves whose products are exact.
    let (ah, al) = split(code, a);
    let (bh, bl) = split(code, b);
    let hh = code.mul_f(ah, bh);
    let error = code.sub_f(hh, product);
    let hl = code.mul_f(ah, bl);
    let error = code.add_f(error, hl);
    let lh = code.mul_f(al, bh);
    let error = code.add_f(error, lh);
    let ll = code.mul_f(al, bl);
    let error = code.add_f(error, ll);
    (product, error)
}

/// Upper and lower half of the significand.
fn split(code: &mut Code, a: Value) -> (Value, Value) {
    let mask = if is_double(a) { !((1i64 << 27) - 1) } else { !((1i64 << 12) - 1) };
    let bits = code.to_bits(a);
    let high = code.and_k(bits, mask);
    let high = code.bitcast(high, a.ty.scalar);
    let low = code.sub_f(a, high);
    (high, low)
}

/// `a + b` for |a| ≥ |b| as the rounded sum and its error.
fn fast_two_sum(code: &mut Code, a: Value, b: Value) -> Pair {
    let sum = code.add_f(a, b);
    let part = code.sub_f(sum, a);
    let error = code.sub_f(b, part);
    (sum, error)
}

/// 2^n for an integer vector n within the normal exponent range.
fn exp2_integer(code: &mut Code, n: Value, float: Scalar) -> Value {
    let (bias, shift) = if float == Scalar::F64 { (1023, 52) } else { (127, 23) };
    let biased = code.add_ik(n, bias);
    let bits = code.shl_k(biased, shift);
    code.bitcast(bits, float)
}

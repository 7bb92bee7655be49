//! lgamma, digamma, zeta, polygamma and bessel_i1e become arithmetic, by the formulas of StableHLO's own legalisation.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = chlo.polygamma %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```
//! After one step (digamma, lgamma and zeta follow in the next rounds):
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
//!   %cst = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
//!   %0 = stablehlo.remainder %arg0, %cst : tensor<2xf32>
//!   %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
//!   %1 = stablehlo.multiply %cst_0, %0 : tensor<2xf32>
//!   %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
//!   %2 = stablehlo.subtract %1, %cst_1 : tensor<2xf32>
//!   %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
//!   %3 = stablehlo.add %arg0, %cst_2 : tensor<2xf32>
//!   %4 = chlo.lgamma %3 : tensor<2xf32> -> tensor<2xf32>
//!   %5 = stablehlo.exponential %4 : tensor<2xf32>
//!   %6 = chlo.zeta %3, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
//!   %7 = stablehlo.multiply %2, %5 : tensor<2xf32>
//!   %8 = stablehlo.multiply %7, %6 : tensor<2xf32>
//!   %9 = chlo.digamma %arg1 : tensor<2xf32> -> tensor<2xf32>
//!   %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
//!   %10 = stablehlo.compare EQ, %arg0, %cst_3, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
//!   %11 = stablehlo.select %10, %9, %8 : tensor<2xi1>, tensor<2xf32>
//!   %12 = stablehlo.floor %arg0 : tensor<2xf32>
//!   %13 = stablehlo.compare NE, %arg0, %12, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
//!   %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
//!   %14 = stablehlo.compare LT, %arg0, %cst_4, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
//!   %15 = stablehlo.or %13, %14 : tensor<2xi1>
//!   %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<2xf32>
//!   %16 = stablehlo.select %15, %cst_5, %11 : tensor<2xi1>, tensor<2xf32>
//!   return %16 : tensor<2xf32>
//! }
//! ```
//!
//! Types narrower than f32 are computed in f32 and rounded once. Limits: real floats of static shape.

use fornax_graph::{ElementType, Graph, OpId, OpKind, ValueId};

use super::Options;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// Lanczos approximation of the gamma function with g = 7 and 9 terms, the least sensitive of the usual choices to
/// the quality of `log`.
const LANCZOS_G: f64 = 7.0;
const LANCZOS_BASE: f64 = 0.999_999_999_999_809_9;
const LANCZOS: [f64; 8] = [
    676.5203681218851,
    -1259.1392167224028,
    771.3234287776531,
    -176.6150291621406,
    12.507343278686905,
    -0.13857109526572012,
    9.984369578019572e-06,
    1.5056327351493116e-07,
];

/// Chebyshev coefficients of exp(−x)·I₁(x)/x on [0, 8] (Cephes), highest first; the last 17 do for f32.
const I1E_UP_TO_8: [f64; 29] = [
    2.7779141127610464e-18,
    -2.111421214358166e-17,
    1.5536319577362005e-16,
    -1.1055969477353862e-15,
    7.600684294735408e-15,
    -5.042185504727912e-14,
    3.223793365945575e-13,
    -1.9839743977649436e-12,
    1.1736186298890901e-11,
    -6.663489723502027e-11,
    3.625590281552117e-10,
    -1.8872497517228294e-09,
    9.381537386495773e-09,
    -4.445059128796328e-08,
    2.0032947535521353e-07,
    -8.568720264695455e-07,
    3.4702513081376785e-06,
    -1.3273163656039436e-05,
    4.781565107550054e-05,
    -0.00016176081582589674,
    0.0005122859561685758,
    -0.0015135724506312532,
    0.004156422944312888,
    -0.010564084894626197,
    0.024726449030626516,
    -0.05294598120809499,
    0.1026436586898471,
    -0.17641651835783406,
    0.25258718644363365,
];

/// Of exp(−x)·√x·I₁(x) for x > 8 in 32/x − 2; the last 7 do for f32.
const I1E_FROM_8: [f64; 25] = [
    7.517296310842105e-18,
    4.414348323071708e-18,
    -4.6503053684893586e-17,
    -3.209525921993424e-17,
    2.96262899764595e-16,
    3.3082023109209285e-16,
    -1.8803547755107825e-15,
    -3.8144030724370075e-15,
    1.0420276984128802e-14,
    4.272440016711951e-14,
    -2.1015418427726643e-14,
    -4.0835511110921974e-13,
    -7.198551776245908e-13,
    2.0356285441470896e-12,
    1.4125807436613782e-11,
    3.2526035830154884e-11,
    -1.8974958123505413e-11,
    -5.589743462196584e-10,
    -3.835380385964237e-09,
    -2.6314688468895196e-08,
    -2.512236237870209e-07,
    -3.882564808877691e-06,
    -0.00011058893876262371,
    -0.009761097491361469,
    0.7785762350182801,
];

/// (2k)! / B₂ₖ of the Euler–Maclaurin tail of the Hurwitz zeta function, k = 12 … 1.
const ZETA: [f64; 12] = [
    -7.166165256175667e+18,
    1.8152105401943546e+17,
    -4597978722407473.0,
    116467828143500.67,
    -2950130727918.164,
    74724249600.0,
    -1892437580.3183792,
    47900160.0,
    -1209600.0,
    30240.0,
    -720.0,
    12.0,
];

/// Terms of the zeta series that are summed as they are.
const ZETA_ITERATIONS: usize = 9;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| Ok(expand(rw, id).unwrap_or(Rewrite::Keep)))
}

fn expand(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    type Formula = fn(&mut Floats, &[ValueId]) -> Option<ValueId>;
    let formula: Formula = match rw.kind(id) {
        OpKind::ChloLgamma => |f, args| Some(lgamma(f, *args.first()?)),
        OpKind::ChloDigamma => |f, args| Some(digamma(f, *args.first()?)),
        OpKind::ChloBesselI1e => |f, args| Some(bessel_i1e(f, *args.first()?)),
        OpKind::ChloZeta => |f, args| Some(zeta(f, *args.first()?, *args.get(1)?)),
        OpKind::ChloPolygamma => |f, args| Some(polygamma(f, *args.first()?, *args.get(1)?)),
        _ => return None,
    };
    let operands = rw.graph.op(id).operands.clone();
    let ty = rw.tensor(*operands.first()?)?.clone();
    rw.sizes(*operands.first()?)?;
    if !ty.element.is_float() {
        return None;
    }
    let work = if ty.element == ElementType::F64 { ElementType::F64 } else { ElementType::F32 };
    let wide: Vec<ValueId> = operands.into_iter().map(|v| rw.convert(v, work)).collect();
    let value = formula(&mut Floats { rw, double: work == ElementType::F64 }, &wide)?;
    Some(Rewrite::with(rw.convert(value, ty.element)))
}

/// Arithmetic on f32 or f64 tensors of one shape.
struct Floats<'r, 'g> {
    rw: &'r mut Rewriter<'g>,
    double: bool,
}

impl Floats<'_, '_> {
    fn number(&mut self, like: ValueId, value: f64) -> ValueId {
        self.rw.float_like(like, value)
    }

    fn add(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.rw.binary(OpKind::Add, a, b)
    }

    fn sub(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.rw.binary(OpKind::Subtract, a, b)
    }

    fn mul(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.rw.binary(OpKind::Multiply, a, b)
    }

    fn div(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.rw.binary(OpKind::Divide, a, b)
    }

    fn of(&mut self, function: OpKind, a: ValueId) -> ValueId {
        self.rw.unary(function, a)
    }

    fn plus(&mut self, a: ValueId, value: f64) -> ValueId {
        let value = self.number(a, value);
        self.add(a, value)
    }

    fn minus(&mut self, a: ValueId, value: f64) -> ValueId {
        let value = self.number(a, value);
        self.sub(a, value)
    }

    fn times(&mut self, value: f64, a: ValueId) -> ValueId {
        let value = self.number(a, value);
        self.mul(value, a)
    }

    fn compare(&mut self, direction: &str, a: ValueId, value: f64) -> ValueId {
        let value = self.number(a, value);
        self.rw.compare(direction, a, value)
    }

    /// Whether `a` is an integer.
    fn whole(&mut self, direction: &str, a: ValueId) -> ValueId {
        let floor = self.of(OpKind::Floor, a);
        self.rw.compare(direction, a, floor)
    }
}

/// `(needs reflection, z, t, log t)`: below ½ the function is computed at 1 − x. `z` is −x or x − 1, `t = z + g + ½`.
fn lanczos_arguments(f: &mut Floats, x: ValueId) -> [ValueId; 4] {
    let reflect = f.compare("LT", x, 0.5);
    let negated = f.of(OpKind::Negate, x);
    let shifted = f.minus(x, 1.0);
    let z = f.rw.select(reflect, negated, shifted);
    let t = f.plus(z, LANCZOS_G + 0.5);
    let scale = f.number(z, LANCZOS_G + 0.5);
    let ratio = f.div(z, scale);
    let log_ratio = f.of(OpKind::LogPlusOne, ratio);
    let log_t = f.plus(log_ratio, (LANCZOS_G + 0.5).ln());
    [reflect, z, t, log_t]
}

/// `a(z) = base + Σ c/(z + k)`.
fn lanczos_sum(f: &mut Floats, z: ValueId) -> ValueId {
    let mut a = f.number(z, LANCZOS_BASE);
    for (k, c) in (1..).zip(LANCZOS) {
        let term = f.plus(z, f64::from(k));
        let c = f.number(z, c);
        let quotient = f.div(c, term);
        a = f.add(a, quotient);
    }
    a
}

/// `log Γ(z + 1) = log(2π)/2 + (z + ½ − t/log t)·log t + log a(z)`, reflected below ½ by
/// `log π − log|sin πx| − log Γ(1 − x)`.
fn lgamma(f: &mut Floats, x: ValueId) -> ValueId {
    let pi = std::f64::consts::PI;
    let [reflect, z, t, log_t] = lanczos_arguments(f, x);
    let a = lanczos_sum(f, z);
    let t_over_log = f.div(t, log_t);
    let z_half = f.plus(z, 0.5);
    let factor = f.sub(z_half, t_over_log);
    let r = f.mul(factor, log_t);
    let log_a = f.of(OpKind::Log, a);
    let sum = f.plus(r, (2.0f64.ln() + pi.ln()) / 2.0);
    let direct = f.add(sum, log_a);
    // |sin πx| from the distance of |x| to the nearest integer, so that integers give exactly 0.
    let size = f.of(OpKind::Abs, x);
    let floor = f.of(OpKind::Floor, size);
    let fraction = f.sub(size, floor);
    let past_half = f.compare("GT", fraction, 0.5);
    let one = f.number(x, 1.0);
    let rest = f.sub(one, fraction);
    let fraction = f.rw.select(past_half, rest, fraction);
    let angle = f.times(pi, fraction);
    let sine = f.of(OpKind::Sine, angle);
    let log_sine = f.of(OpKind::Log, sine);
    let log_pi = f.number(x, pi.ln());
    let difference = f.sub(log_pi, log_sine);
    let reflected = f.sub(difference, direct);
    let finite = f.rw.is_finite(log_sine);
    let pole = f.of(OpKind::Negate, log_sine);
    let reflected = f.rw.select(finite, reflected, pole);
    let value = f.rw.select(reflect, reflected, direct);
    let infinity = f.number(x, f64::INFINITY);
    let infinite = f.rw.compare("EQ", size, infinity);
    f.rw.select(infinite, infinity, value)
}

/// `ψ(z + 1) = log t + a'(z)/a(z) − g/t`, reflected below ½ by `ψ(1 − x) − π·cot(πx)`; NaN at the poles.
fn digamma(f: &mut Floats, x: ValueId) -> ValueId {
    let pi = std::f64::consts::PI;
    let [reflect, z, t, log_t] = lanczos_arguments(f, x);
    let a = lanczos_sum(f, z);
    let mut slope = f.number(z, 0.0);
    for (k, c) in (1..).zip(LANCZOS) {
        let term = f.plus(z, f64::from(k));
        let squared = f.mul(term, term);
        let c = f.number(z, c);
        let quotient = f.div(c, squared);
        slope = f.sub(slope, quotient);
    }
    let ratio = f.div(slope, a);
    let g = f.number(t, LANCZOS_G);
    let last = f.div(g, t);
    let sum = f.add(log_t, ratio);
    let direct = f.sub(sum, last);
    // x is below ½ here: move it into [−½, ½], where πx keeps its precision.
    let half_up = f.plus(x, 0.5);
    let periods = f.of(OpKind::Floor, half_up);
    let periods = f.of(OpKind::Abs, periods);
    let reduced = f.add(x, periods);
    let angle = f.times(pi, reduced);
    let cosine = f.of(OpKind::Cosine, angle);
    let sine = f.of(OpKind::Sine, angle);
    let cosine = f.times(pi, cosine);
    let cotangent = f.div(cosine, sine);
    let reflected = f.sub(direct, cotangent);
    let value = f.rw.select(reflect, reflected, direct);
    let not_positive = f.compare("LE", x, 0.0);
    let whole = f.whole("EQ", x);
    let pole = f.rw.binary(OpKind::And, not_positive, whole);
    let nan = f.number(x, f64::NAN);
    f.rw.select(pole, nan, value)
}

/// `exp(−|x|)·I₁(x)` from two Chebyshev series that meet at 8.
fn bessel_i1e(f: &mut Floats, x: ValueId) -> ValueId {
    let (near, far) =
        if f.double { (&I1E_UP_TO_8[..], &I1E_FROM_8[..]) } else { (&I1E_UP_TO_8[12..], &I1E_FROM_8[18..]) };
    let size = f.of(OpKind::Abs, x);
    let half = f.times(0.5, size);
    let argument = f.minus(half, 2.0);
    let below = chebyshev(f, argument, near);
    let below = f.mul(size, below);
    let scale = f.number(size, 32.0);
    let inverse = f.div(scale, size);
    let argument = f.minus(inverse, 2.0);
    let above = chebyshev(f, argument, far);
    let root = f.of(OpKind::Sqrt, size);
    let above = f.div(above, root);
    let is_below = f.compare("LE", size, 8.0);
    let value = f.rw.select(is_below, below, above);
    let sign = f.of(OpKind::Sign, x);
    f.mul(sign, value)
}

/// Clenshaw's recurrence.
fn chebyshev(f: &mut Floats, x: ValueId, coefficients: &[f64]) -> ValueId {
    let zero = f.number(x, 0.0);
    let (mut b0, mut b1, mut b2) = (zero, zero, zero);
    for &c in coefficients {
        (b2, b1) = (b1, b0);
        let product = f.mul(x, b1);
        let difference = f.sub(product, b2);
        b0 = f.plus(difference, c);
    }
    let difference = f.sub(b0, b2);
    f.times(0.5, difference)
}

/// Hurwitz zeta `Σ (q + i)^−x`: nine terms, then the Euler–Maclaurin tail (Johansson, arXiv 1309.2877, formula 5).
fn zeta(f: &mut Floats, x: ValueId, q: ValueId) -> ValueId {
    let negated = f.of(OpKind::Negate, x);
    let mut sum = f.rw.binary(OpKind::Power, q, negated);
    let mut at = q;
    for _ in 0..ZETA_ITERATIONS {
        at = f.plus(at, 1.0);
        let term = f.rw.binary(OpKind::Power, at, negated);
        sum = f.add(sum, term);
    }
    at = f.plus(at, 1.0);
    let last = f.rw.binary(OpKind::Power, at, negated);
    let product = f.mul(last, at);
    let x_less = f.minus(x, 1.0);
    let integral = f.div(product, x_less);
    let tail = zeta_tail(f, x, at, last);
    let series = f.add(sum, integral);
    let accurate = f.add(series, tail);
    // Where the last term no longer counts, the sum alone is exact and the tail may have overflowed.
    let smallest = if f.double { f64::from_bits(1) } else { f64::from(f32::from_bits(1)) };
    let size = f.of(OpKind::Abs, sum);
    let least = f.times(smallest, size);
    let last_size = f.of(OpKind::Abs, last);
    let negligible = f.rw.compare("LT", last_size, least);
    let value = f.rw.select(negligible, sum, accurate);
    zeta_domain(f, x, q, value)
}

fn zeta_tail(f: &mut Floats, x: ValueId, at: ValueId, last: ValueId) -> ValueId {
    let squared = f.mul(at, at);
    let one = f.number(at, 1.0);
    let inverse = f.div(one, squared);
    let mut horner = f.number(at, 0.0);
    for (k, c) in ZETA[..ZETA.len() - 1].iter().enumerate() {
        let upper = f.plus(x, (2 * ZETA.len() - 2 - 2 * k) as f64);
        let lower = f.plus(x, (2 * ZETA.len() - 3 - 2 * k) as f64);
        let factor = f.mul(upper, lower);
        let inner = f.plus(horner, 1.0 / c);
        let scaled = f.mul(inverse, inner);
        horner = f.mul(factor, scaled);
    }
    let first = f.plus(horner, 1.0 / ZETA[ZETA.len() - 1]);
    let ratio = f.div(x, at);
    let scaled = f.mul(ratio, first);
    let bracket = f.plus(scaled, 0.5);
    f.mul(last, bracket)
}

/// NaN below x = 1 and for q ≤ 0 unless x is an integer; poles at integers q ≤ 0 and at x = 1.
fn zeta_domain(f: &mut Floats, x: ValueId, q: ValueId, value: ValueId) -> ValueId {
    let nan = f.number(x, f64::NAN);
    let infinity = f.number(x, f64::INFINITY);
    let below = f.compare("LT", x, 1.0);
    let value = f.rw.select(below, nan, value);
    let q_not_positive = f.compare("LE", q, 0.0);
    let x_broken = f.whole("NE", x);
    let undefined = f.rw.binary(OpKind::And, q_not_positive, x_broken);
    let value = f.rw.select(undefined, nan, value);
    let q_whole = f.whole("EQ", q);
    let pole = f.rw.binary(OpKind::And, q_not_positive, q_whole);
    let two = f.number(x, 2.0);
    let remainder = f.rw.binary(OpKind::Remainder, x, two);
    let even = f.compare("EQ", remainder, 0.0);
    let x_whole = f.whole("EQ", x);
    let even = f.rw.binary(OpKind::And, x_whole, even);
    let limit = f.rw.select(even, infinity, nan);
    let value = f.rw.select(pole, limit, value);
    let harmonic = f.compare("EQ", x, 1.0);
    f.rw.select(harmonic, infinity, value)
}

/// `ψ⁽ⁿ⁾(x) = (−1)^(n+1) · n! · ζ(n + 1, x)`, digamma for n = 0, NaN where n is no natural number.
fn polygamma(f: &mut Floats, n: ValueId, x: ValueId) -> ValueId {
    let two = f.number(n, 2.0);
    let parity = f.rw.binary(OpKind::Remainder, n, two);
    let twice = f.times(2.0, parity);
    let sign = f.minus(twice, 1.0);
    let next = f.plus(n, 1.0);
    let log_factorial = f.of(OpKind::ChloLgamma, next);
    let factorial = f.of(OpKind::Exponential, log_factorial);
    let zeta = f.rw.binary(OpKind::ChloZeta, next, x);
    let signed = f.mul(sign, factorial);
    let value = f.mul(signed, zeta);
    let digamma = f.of(OpKind::ChloDigamma, x);
    let at_zero = f.compare("EQ", n, 0.0);
    let value = f.rw.select(at_zero, digamma, value);
    let broken = f.whole("NE", n);
    let negative = f.compare("LT", n, 0.0);
    let undefined = f.rw.binary(OpKind::Or, broken, negative);
    let nan = f.number(x, f64::NAN);
    f.rw.select(undefined, nan, value)
}

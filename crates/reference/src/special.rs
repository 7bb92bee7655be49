//! Special functions of real arguments in `f64`: erf, erfc, erf⁻¹, lgamma, digamma, polygamma, zeta, Bessel I1e,
//! nextafter.
//!
//! Series and continued fractions straight from their definitions; about 1e-14 relative away from zeros.

use std::f64::consts::{LN_2, PI};

use fornax_graph::ElementType;

use crate::float_format::FloatFormat;

const TWO_OVER_SQRT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;
const EULER_GAMMA: f64 = 0.577_215_664_901_532_9;

/// 2/√π ∫₀ˣ e^(-t²) dt.
pub fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let a = x.abs();
    if a >= 3.0 {
        return (1.0 - erfc(a)).copysign(x);
    }
    // erf(x) = 2/√π e^(-x²) Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)): all terms positive.
    let (mut term, mut sum, mut n) = (a, a, 0.0);
    while term > sum * 1e-18 {
        n += 1.0;
        term *= 2.0 * a * a / (2.0 * n + 1.0);
        sum += term;
    }
    (TWO_OVER_SQRT_PI * (-a * a).exp() * sum).copysign(x)
}

/// 1 - erf(x), accurate where erf is close to 1.
pub fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    if x < 1.5 || x.is_nan() {
        return 1.0 - erf(x);
    }
    if x > 28.0 {
        return 0.0;
    }
    // Continued fraction x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …))).
    let mut tail = x;
    for n in (1..=300).rev() {
        tail = x + f64::from(n) / 2.0 / tail;
    }
    (-x * x).exp() / (PI.sqrt() * tail)
}

/// Inverse of erf on [-1, 1]; ±∞ at ±1, NaN outside.
pub fn erf_inv(x: f64) -> f64 {
    let a = x.abs();
    if a > 1.0 || x.is_nan() {
        return f64::NAN;
    }
    if a == 1.0 {
        return f64::INFINITY.copysign(x);
    }
    if a < 1e-8 {
        return x / TWO_OVER_SQRT_PI;
    }
    // A closed form good to three digits, then Halley's method.
    let log = ((1.0 - a) * (1.0 + a)).ln();
    let t = 2.0 / (PI * 0.147) + log / 2.0;
    let mut y = if a < 0.1 { a / TWO_OVER_SQRT_PI } else { ((t * t - log / 0.147).sqrt() - t).sqrt() };
    for _ in 0..4 {
        let error = if a > 0.5 { (1.0 - a) - erfc(y) } else { erf(y) - a };
        let u = error / (TWO_OVER_SQRT_PI * (-y * y).exp());
        y -= u / (1.0 + y * u);
    }
    y.copysign(x)
}

/// sin(πx) and cos(πx) with the argument reduced exactly.
fn sin_cos_pi(x: f64) -> (f64, f64) {
    let r = x - 2.0 * (x / 2.0).round();
    (PI * r).sin_cos()
}

/// ln |Γ(x)|; ∞ at the poles 0, -1, -2, …
pub fn lgamma(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || (x <= 0.0 && x == x.floor()) {
        return f64::INFINITY;
    }
    if x < 0.5 {
        if x.abs() < 1e-18 {
            return -x.abs().ln();
        }
        return (PI / sin_cos_pi(x).0.abs()).ln() - lgamma(1.0 - x);
    }
    if (x - 1.0).abs() <= 0.25 {
        return lgamma_1p(x - 1.0);
    }
    if (x - 2.0).abs() <= 0.25 {
        return (x - 2.0).ln_1p() + lgamma_1p(x - 2.0);
    }
    let (mut shifted, mut product) = (x, 1.0);
    while shifted < 15.0 {
        product *= shifted;
        shifted += 1.0;
    }
    let inverse = 1.0 / shifted;
    let square = inverse * inverse;
    // B₂ₖ / (2k(2k-1))
    let coefficients =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360360.0, 1.0 / 156.0];
    let series = coefficients.iter().rev().fold(0.0, |sum, c| sum * square + c) * inverse;
    (shifted - 0.5) * shifted.ln() - shifted + (LN_2 + PI.ln()) / 2.0 + series - product.ln()
}

/// lgamma(1 + e) for |e| ≤ 1/4: -γe + Σ ζ(k)(-e)^k / k.
fn lgamma_1p(e: f64) -> f64 {
    let mut power = -e;
    let mut sum = -EULER_GAMMA * e;
    for k in 2..40 {
        power *= -e;
        sum += zeta(f64::from(k), 1.0) * power / f64::from(k);
        if power.abs() < 1e-19 * sum.abs() {
            break;
        }
    }
    sum
}

/// Γ'(x)/Γ(x); NaN at the poles 0, -1, -2, …
pub fn digamma(x: f64) -> f64 {
    if x <= 0.0 && x == x.floor() || x.is_nan() {
        return f64::NAN;
    }
    if x < 0.5 {
        let (s, c) = sin_cos_pi(x);
        return digamma(1.0 - x) - PI * c / s;
    }
    let (mut shifted, mut sum) = (x, 0.0);
    while shifted < 15.0 {
        sum -= 1.0 / shifted;
        shifted += 1.0;
    }
    let square = 1.0 / (shifted * shifted);
    // B₂ₖ / 2k
    let coefficients = [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let series = coefficients.iter().rev().fold(0.0, |sum, c| sum * square + c) * square;
    sum + shifted.ln() - 0.5 / shifted - series
}

/// The derivative of order `n` of digamma; NaN unless `n` is a non-negative integer.
pub fn polygamma(n: f64, x: f64) -> f64 {
    if n < 0.0 || n != n.floor() {
        return f64::NAN;
    }
    if n == 0.0 {
        return digamma(x);
    }
    let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
    sign * lgamma(n + 1.0).exp() * zeta(n + 1.0, x)
}

/// Hurwitz zeta Σ (q + k)^(-x): ∞ at x = 1, NaN below, and where q < -1e6 would make the sum too long.
pub fn zeta(x: f64, q: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x < 1.0 || x.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return f64::INFINITY;
        }
        if x != x.floor() || q < -1e6 {
            return f64::NAN;
        }
    }
    // Terms up to q + n ≥ 12, then Euler and Maclaurin.
    let (mut at, mut sum) = (q, 0.0);
    while at < 12.0 {
        sum += at.powf(-x);
        at += 1.0;
    }
    let tail = at.powf(-x);
    sum += tail * at / (x - 1.0) + tail / 2.0;
    // B₂ₖ / (2k)!
    let coefficients = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30240.0,
        -1.0 / 1209600.0,
        1.0 / 47900160.0,
        -691.0 / 1307674368000.0,
        1.0 / 74724249600.0,
        -3617.0 / 10670622842880000.0,
    ];
    let (mut factor, mut k) = (x * tail / at, 0.0);
    for c in coefficients {
        sum += factor * c;
        factor *= (x + 2.0 * k + 1.0) * (x + 2.0 * k + 2.0) / (at * at);
        k += 1.0;
    }
    sum
}

/// e^(-|x|) I₁(x), the scaled modified Bessel function.
pub fn bessel_i1e(x: f64) -> f64 {
    let a = x.abs();
    if a <= 30.0 {
        let quarter = a * a / 4.0;
        let (mut term, mut sum, mut k) = (a / 2.0, a / 2.0, 0.0);
        while term > sum * 1e-18 {
            k += 1.0;
            term *= quarter / (k * (k + 1.0));
            sum += term;
        }
        return ((-a).exp() * sum).copysign(x);
    }
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..25 {
        let odd = f64::from(2 * k - 1);
        term *= -(4.0 - odd * odd) / (8.0 * f64::from(k) * a);
        sum += term;
    }
    (sum / (2.0 * PI * a).sqrt()).copysign(x)
}

/// The next value of the element type after `from` in the direction of `to`.
pub fn next_after(element: ElementType, from: f64, to: f64) -> Option<f64> {
    let format = FloatFormat::of(element)?;
    if from.is_nan() || to.is_nan() {
        return Some(f64::NAN);
    }
    if from == to {
        return Some(to);
    }
    if from == 0.0 {
        return Some(format.decode(1).copysign(to));
    }
    let bits = format.encode(from);
    let away = (to > from) == (from > 0.0);
    Some(format.decode(if away { bits + 1 } else { bits - 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 2e-14 * b.abs().max(1e-3), "{a} {b}");
    }

    #[test]
    fn error_functions() {
        near(erf(0.5), 0.5204998778130465);
        near(erf(-2.0), -0.9953222650189527);
        near(erfc(2.0), 0.004677734981047266);
        assert!((erfc(10.0) / 2.088487583762545e-45 - 1.0).abs() < 1e-12);
        for x in [-0.99999, -0.3, 1e-5, 0.05, 0.5, 0.9, 0.999999] {
            near(erf(erf_inv(x)), x);
        }
        assert_eq!(erf_inv(1.0), f64::INFINITY);
        assert!(erf_inv(1.5).is_nan());
    }

    #[test]
    fn gamma_functions() {
        near(lgamma(0.5), PI.sqrt().ln());
        near(lgamma(10.0), 362880f64.ln());
        near(lgamma(1.1), -0.04987244125983972);
        near(lgamma(2.2), 0.09694746679063885);
        near(lgamma(-1.5), 0.860047015376481);
        assert_eq!(lgamma(-2.0), f64::INFINITY);
        near(digamma(1.0), -EULER_GAMMA);
        near(digamma(-0.5), 0.03648997397857652);
        assert!(digamma(0.0).is_nan());
        near(zeta(2.0, 1.0), PI * PI / 6.0);
        near(polygamma(1.0, 1.0), PI * PI / 6.0);
        near(polygamma(2.0, 1.0), -2.4041138063191885);
    }

    #[test]
    fn bessel() {
        near(bessel_i1e(1.0), 0.2079104153497085);
        near(bessel_i1e(-50.0), -0.05599312389289545);
    }

    #[test]
    fn neighbours() {
        assert_eq!(next_after(ElementType::F32, 1.0, 2.0), Some(1.0 + 2f64.powi(-23)));
        assert_eq!(next_after(ElementType::F32, 0.0, -1.0), Some(-(2f64.powi(-149))));
        assert_eq!(next_after(ElementType::Bf16, -1.0, 0.0), Some(-1.0 + 2f64.powi(-8)));
    }
}

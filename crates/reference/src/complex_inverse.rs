//! Inverse trigonometric and hyperbolic functions of complex arguments (Kahan's formulas, branch cuts by signed zeros).

use std::f64::consts::{FRAC_PI_2, LN_2};

use crate::complex::Complex;

/// Above this magnitude the square roots of the general formulas would overflow.
const LARGE: f64 = f64::MAX / 4.0;

/// `ln |2z|` for large z.
fn ln_of_twice(z: Complex) -> f64 {
    (z.re / 2.0).hypot(z.im / 2.0).ln() + 2.0 * LN_2
}

fn is_large(z: Complex) -> bool {
    z.re.abs() > LARGE || z.im.abs() > LARGE
}

pub fn asinh(z: Complex) -> Complex {
    if is_large(z) {
        return Complex::new(ln_of_twice(z).copysign(z.re), z.im.atan2(z.re.abs()));
    }
    let s1 = Complex::new(1.0 + z.im, -z.re).sqrt();
    let s2 = Complex::new(1.0 - z.im, z.re).sqrt();
    Complex::new(real_asinh(s1.re * s2.im - s2.re * s1.im), z.im.atan2(s1.re * s2.re - s1.im * s2.im))
}

pub fn acosh(z: Complex) -> Complex {
    if is_large(z) {
        return Complex::new(ln_of_twice(z), z.im.atan2(z.re));
    }
    let s1 = Complex::new(z.re - 1.0, z.im).sqrt();
    let s2 = Complex::new(z.re + 1.0, z.im).sqrt();
    Complex::new(real_asinh(s1.re * s2.re + s1.im * s2.im), 2.0 * s1.im.atan2(s2.re))
}

pub fn acos(z: Complex) -> Complex {
    if is_large(z) {
        return Complex::new(z.im.abs().atan2(z.re), -ln_of_twice(z).copysign(z.im));
    }
    let s1 = Complex::new(1.0 - z.re, -z.im).sqrt();
    let s2 = Complex::new(1.0 + z.re, z.im).sqrt();
    Complex::new(2.0 * s1.re.atan2(s2.re), real_asinh(s2.re * s1.im - s2.im * s1.re))
}

/// `(cos θ · cosh v, v)` for `asin z = θ ± i·v`, v not negative: from it follow asin and acos.
pub fn asin_acos_kernel(z: Complex) -> Complex {
    let s1 = Complex::new(1.0 - z.re, -z.im).sqrt();
    let s2 = Complex::new(1.0 + z.re, z.im).sqrt();
    let re = (s1.re * s2.re - s1.im * s2.im).abs();
    let im = if is_large(z) { ln_of_twice(z) } else { real_asinh(s2.re * s1.im - s2.im * s1.re).abs() };
    Complex::new(re, im)
}

pub fn asin(z: Complex) -> Complex {
    asinh(z.times_i()).over_i()
}

pub fn atanh(z: Complex) -> Complex {
    if z.re.is_sign_negative() {
        return -atanh(-z);
    }
    let y = z.im.abs();
    if z.re > 1e150 || y > 1e150 {
        let h = (z.re / 2.0).hypot(z.im / 2.0);
        let re = if h.is_infinite() { 0.0 } else { z.re / 4.0 / h / h };
        return Complex::new(re, FRAC_PI_2.copysign(z.im));
    }
    if z.re == 1.0 && y < 1e-150 {
        if y == 0.0 {
            return Complex::new(f64::INFINITY, z.im);
        }
        let re = -(y.sqrt() / y.hypot(2.0).sqrt()).ln();
        return Complex::new(re, (2f64.atan2(-y) / 2.0).copysign(z.im));
    }
    let gap = 1.0 - z.re;
    Complex::new(
        (4.0 * z.re / (gap * gap + y * y)).ln_1p() / 4.0,
        -(-2.0 * z.im).atan2(gap * (1.0 + z.re) - y * y) / 2.0,
    )
}

pub fn atan(z: Complex) -> Complex {
    atanh(z.times_i()).over_i()
}

/// `asinh` of a real number with full relative accuracy for small and large arguments.
pub fn real_asinh(x: f64) -> f64 {
    let a = x.abs();
    let r = if a > 1e150 { a.ln() + LN_2 } else { (a + a * a / (1.0 + (1.0 + a * a).sqrt())).ln_1p() };
    r.copysign(x)
}

/// `acosh` of a real number; NaN below 1.
pub fn real_acosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x > 1e150 {
        return x.ln() + LN_2;
    }
    let t = x - 1.0;
    (t + (2.0 * t + t * t).sqrt()).ln_1p()
}

/// `atanh` of a real number; ±∞ at ±1, NaN outside.
pub fn real_atanh(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * (2.0 * a / (1.0 - a)).ln_1p()).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: Complex, re: f64, im: f64) {
        assert!((a - Complex::new(re, im)).abs() < 1e-12, "{a:?} {re} {im}");
    }

    #[test]
    fn inverses_at_known_points() {
        let z = Complex::new(1.0, 2.0);
        near(asin(z), 0.42707858639247614, 1.5285709194809982);
        near(acos(z), 1.1437177404024204, -1.528570919480998);
        near(asinh(z), 1.4693517443681852, 1.0634400235777521);
        near(acosh(z), 1.528570919480998, 1.1437177404024204);
        near(atan(z), 1.3389725222944935, 0.40235947810852507);
        near(atanh(z), 0.17328679513998632, 1.1780972450961724);
        assert!((real_acosh(1.5) - 0.9624236501192069).abs() < 1e-15);
        assert!((real_asinh(-0.5) + 0.48121182505960347).abs() < 1e-15);
        assert!((real_atanh(0.5) - 0.5493061443340549).abs() < 1e-15);
        assert!(real_atanh(2.0).is_nan() && real_acosh(0.5).is_nan());
        assert_eq!(real_atanh(1.0), f64::INFINITY);
    }
}

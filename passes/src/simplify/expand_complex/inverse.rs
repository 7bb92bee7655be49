//! Inverse trigonometric and hyperbolic functions of complex numbers (Kahan's formulas, branch cuts by signed zeros).

use std::f64::consts::{FRAC_PI_2, LN_2};

use super::formula::{Mask, Real};
use super::functions::Complex;

/// Above this magnitude the square roots of the general formulas would overflow.
const LARGE: f64 = f64::MAX / 4.0;

fn is_large(z: Complex<'_>) -> Mask<'_> {
    z.re.abs().greater(LARGE) | z.im.abs().greater(LARGE)
}

/// `ln |2z|` for large z.
fn ln_of_twice(z: Complex<'_>) -> Real<'_> {
    Complex::new(z.re * 0.5, z.im * 0.5).abs().ln() + 2.0 * LN_2
}

/// Of a real number, with full relative accuracy for small and large arguments.
fn real_asinh(x: Real<'_>) -> Real<'_> {
    let a = x.abs();
    let square = a * a;
    let mut value = (a + square / (1.0 + (1.0 + square).sqrt())).ln_1p();
    if x.is_native_f64() {
        value = a.greater(1e150).pick(a.ln() + LN_2, value);
    }
    value.copysign(x)
}

pub fn asinh(z: Complex<'_>) -> Complex<'_> {
    let s1 = Complex::new(1.0 + z.im, -z.re).sqrt();
    let s2 = Complex::new(1.0 - z.im, z.re).sqrt();
    let im = z.im.atan2(s1.re * s2.re - s1.im * s2.im);
    let general = Complex::new(real_asinh(s1.re * s2.im - s2.re * s1.im), im);
    let large = Complex::new(ln_of_twice(z).copysign(z.re), z.im.atan2(z.re.abs()));
    Complex::pick(is_large(z), large, general)
}

pub fn acosh(z: Complex<'_>) -> Complex<'_> {
    let s1 = Complex::new(z.re - 1.0, z.im).sqrt();
    let s2 = Complex::new(z.re + 1.0, z.im).sqrt();
    let general = Complex::new(real_asinh(s1.re * s2.re + s1.im * s2.im), 2.0 * s1.im.atan2(s2.re));
    let large = Complex::new(ln_of_twice(z), z.im.atan2(z.re));
    Complex::pick(is_large(z), large, general)
}

pub fn acos(z: Complex<'_>) -> Complex<'_> {
    let s1 = Complex::new(1.0 - z.re, -z.im).sqrt();
    let s2 = Complex::new(1.0 + z.re, z.im).sqrt();
    let general = Complex::new(2.0 * s1.re.atan2(s2.re), real_asinh(s2.re * s1.im - s2.im * s1.re));
    let large = Complex::new(z.im.abs().atan2(z.re), -ln_of_twice(z).copysign(z.im));
    Complex::pick(is_large(z), large, general)
}

/// `(cos θ · cosh v, v)` for `asin z = θ ± i·v`, v not negative.
pub fn asin_acos_kernel(z: Complex<'_>) -> Complex<'_> {
    let s1 = Complex::new(1.0 - z.re, -z.im).sqrt();
    let s2 = Complex::new(1.0 + z.re, z.im).sqrt();
    let re = (s1.re * s2.re - s1.im * s2.im).abs();
    let general = Complex::new(re, real_asinh(s2.re * s1.im - s2.im * s1.re).abs());
    Complex::pick(is_large(z), Complex::new(re, ln_of_twice(z)), general)
}

pub fn asin(z: Complex<'_>) -> Complex<'_> {
    asinh(z.times_i()).over_i()
}

pub fn atanh(z: Complex<'_>) -> Complex<'_> {
    let negative = z.re.is_negative();
    let value = atanh_of_right(Complex::pick(negative, -z, z));
    Complex::pick(negative, -value, value)
}

/// `atanh` where the real part has no sign.
fn atanh_of_right(z: Complex<'_>) -> Complex<'_> {
    let y = z.im.abs();
    let gap = 1.0 - z.re;
    let general = Complex::new(
        (4.0 * z.re / (gap * gap + y * y)).ln_1p() * 0.25,
        -(z.im * -2.0).atan2(gap * (1.0 + z.re) - y * y) * 0.5,
    );
    let h = Complex::new(z.re * 0.5, z.im * 0.5).abs();
    let far = h.is_infinite().pick(0.0, z.re * 0.25 / h / h);
    let far = Complex::new(far, z.re.constant(FRAC_PI_2).copysign(z.im));
    let value = Complex::pick(z.re.greater(1e150) | y.greater(1e150), far, general);
    // At the pole the general formula would divide by a square that vanishes.
    let near = -(y.sqrt() / Complex::new(y, y.constant(2.0)).abs().sqrt()).ln();
    let near = Complex::new(near, (z.re.constant(2.0).atan2(-y) * 0.5).copysign(z.im));
    let value = Complex::pick(z.re.equals(1.0) & y.less(1e-150), near, value);
    let pole = Complex::new(z.re.constant(f64::INFINITY), z.im);
    Complex::pick(z.re.equals(1.0) & y.equals(0.0), pole, value)
}

pub fn atan(z: Complex<'_>) -> Complex<'_> {
    atanh(z.times_i()).over_i()
}

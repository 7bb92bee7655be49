//! Complex numbers as pairs of `f64` and the elementary functions on them (inverse functions: `complex_inverse`).
//!
//! Formulas are those that keep relative accuracy near zeros and do not overflow early. Signed zeros choose branch
//! cuts.

use std::f64::consts::LN_2;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `re + im·i`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    pub const ZERO: Complex = Complex::new(0.0, 0.0);
    pub const ONE: Complex = Complex::new(1.0, 0.0);

    pub const fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    pub fn conj(self) -> Complex {
        Complex::new(self.re, -self.im)
    }

    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    pub fn scale(self, k: f64) -> Complex {
        Complex::new(self.re * k, self.im * k)
    }

    /// Multiplied by i.
    pub fn times_i(self) -> Complex {
        Complex::new(-self.im, self.re)
    }

    /// Divided by i.
    pub fn over_i(self) -> Complex {
        Complex::new(self.im, -self.re)
    }

    pub fn square(self) -> Complex {
        let cancels = self.re.abs() == self.im.abs() && self.re.is_finite();
        let re = if cancels { 0.0 } else { (self.re - self.im) * (self.re + self.im) };
        Complex::new(re, 2.0 * (self.re * self.im))
    }

    /// `x / |x|`, zero for zero.
    pub fn sign(self) -> Complex {
        if self.re == 0.0 && self.im == 0.0 {
            return Complex::ZERO;
        }
        let r = self.abs();
        Complex::new(self.re / r, self.im / r)
    }

    pub fn exp(self) -> Complex {
        if self.im == 0.0 {
            return Complex::new(self.re.exp(), self.im);
        }
        // Half the exponent twice: e^x may overflow where e^x·cos(y) does not.
        let half = (self.re / 2.0).exp();
        Complex::new(half * self.im.cos() * half, half * self.im.sin() * half)
    }

    pub fn exp_m1(self) -> Complex {
        let half_sin = (self.im / 2.0).sin();
        let re = self.re.exp_m1() * self.im.cos() - 2.0 * half_sin * half_sin;
        Complex::new(re, self.exp().im)
    }

    pub fn ln(self) -> Complex {
        let (ax, ay) = (self.re.abs(), self.im.abs());
        let (large, small) = (ax.max(ay), ax.min(ay));
        let re = if large > f64::MAX / 4.0 {
            (ax / 2.0).hypot(ay / 2.0).ln() + LN_2
        } else if large < f64::MIN_POSITIVE {
            (ax * 2f64.powi(53)).hypot(ay * 2f64.powi(53)).ln() - 53.0 * LN_2
        } else {
            let h = ax.hypot(ay);
            if (0.71..=1.73).contains(&h) {
                ((large - 1.0) * (large + 1.0) + small * small).ln_1p() / 2.0
            } else {
                h.ln()
            }
        };
        Complex::new(re, self.im.atan2(self.re))
    }

    pub fn ln_1p(self) -> Complex {
        let (x, y) = (self.re, self.im);
        // Left of -1/2 the sum 1 + x is exact, or the number is far from 1.
        let re = if x > -0.5 && x.abs().max(y.abs()) < 1e100 {
            (2.0 * x + y * y + x * x).ln_1p() / 2.0
        } else {
            Complex::new(1.0 + x, y).ln().re
        };
        Complex::new(re, y.atan2(1.0 + x))
    }

    pub fn sqrt(self) -> Complex {
        let Complex { re, im } = self;
        if re == 0.0 && im == 0.0 {
            return Complex::new(0.0, im);
        }
        if im.is_infinite() {
            return Complex::new(f64::INFINITY, im);
        }
        if re.is_infinite() {
            let zero = if im.is_nan() { im } else { 0.0 };
            return if re > 0.0 {
                Complex::new(re, zero.copysign(im))
            } else {
                Complex::new(zero, f64::INFINITY.copysign(im))
            };
        }
        let (mut ax, mut ay) = (re.abs(), im.abs());
        let tiny = ax < 1e-290 && ay < 1e-290;
        if tiny {
            (ax, ay) = (ax * 2f64.powi(108), ay * 2f64.powi(108));
        }
        let mut s = 2.0 * (ax / 8.0 + (ax / 8.0).hypot(ay / 8.0)).sqrt();
        let mut d = ay / (2.0 * s);
        if tiny {
            (s, d) = (s * 2f64.powi(-54), d * 2f64.powi(-54));
        }
        if re >= 0.0 { Complex::new(s, d.copysign(im)) } else { Complex::new(d, s.copysign(im)) }
    }

    /// `self − t·by`, `t` the quotient with the fractions of both parts cut off. StableHLO leaves the meaning open;
    /// this is the remainder of real numbers where both are real. A finite number by an infinite one is itself.
    pub fn remainder(self, by: Complex) -> Complex {
        if self.im == 0.0 && by.im == 0.0 {
            return Complex::new(self.re % by.re, self.im);
        }
        if self.re.is_finite() && self.im.is_finite() && (by.re.is_infinite() || by.im.is_infinite()) {
            return self;
        }
        let quotient = self / by;
        self - Complex::new(quotient.re.trunc(), quotient.im.trunc()) * by
    }

    pub fn rsqrt(self) -> Complex {
        if self.re.is_infinite() || self.im.is_infinite() {
            return Complex::ZERO;
        }
        Complex::ONE / self.sqrt()
    }

    pub fn cbrt(self) -> Complex {
        if self == Complex::ZERO { self } else { self.ln().scale(1.0 / 3.0).exp() }
    }

    pub fn logistic(self) -> Complex {
        Complex::ONE / (Complex::ONE + (-self).exp())
    }

    pub fn sinh(self) -> Complex {
        let re = if self.re == 0.0 { self.re } else { self.re.sinh() * self.im.cos() };
        let im = if self.im == 0.0 { self.im } else { self.re.cosh() * self.im.sin() };
        Complex::new(re, im)
    }

    pub fn cosh(self) -> Complex {
        let im = if self.im == 0.0 { self.im * self.re } else { self.re.sinh() * self.im.sin() };
        Complex::new(self.re.cosh() * self.im.cos(), im)
    }

    pub fn sin(self) -> Complex {
        self.times_i().sinh().over_i()
    }

    pub fn cos(self) -> Complex {
        self.times_i().cosh()
    }

    pub fn tanh(self) -> Complex {
        if self.re.abs() > 350.0 && (self.re.is_infinite() || self.im.is_finite()) {
            let (s, c) = self.im.sin_cos();
            let im = if self.im.is_finite() { 4.0 * s * c * (-2.0 * self.re.abs()).exp() } else { 0.0 };
            return Complex::new(1f64.copysign(self.re), im);
        }
        let (tx, ty, cx) = (self.re.tanh(), self.im.tan(), 1.0 / self.re.cosh());
        let txty = tx * ty;
        let denominator = 1.0 + txty * txty;
        Complex::new(tx * (1.0 + ty * ty) / denominator, ty / denominator * cx * cx)
    }

    pub fn tan(self) -> Complex {
        self.times_i().tanh().over_i()
    }

    /// Principal value of `self^exponent`; 0^0 is 1.
    pub fn pow(self, exponent: Complex) -> Complex {
        if exponent == Complex::ZERO {
            return Complex::ONE;
        }
        if self == Complex::ZERO {
            return if exponent.re > 0.0 { Complex::ZERO } else { Complex::new(f64::NAN, f64::NAN) };
        }
        (exponent * self.ln()).exp()
    }

    /// `atan2(self, x)`: the angle of `x + i·self`.
    pub fn atan2(self, x: Complex) -> Complex {
        let root = (self * self + x * x).sqrt();
        ((x + self.times_i()) / root).ln().over_i()
    }
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, o: Complex) -> Complex {
        Complex::new(self.re + o.re, self.im + o.im)
    }
}

impl Sub for Complex {
    type Output = Complex;
    fn sub(self, o: Complex) -> Complex {
        Complex::new(self.re - o.re, self.im - o.im)
    }
}

impl Neg for Complex {
    type Output = Complex;
    fn neg(self) -> Complex {
        Complex::new(-self.re, -self.im)
    }
}

impl Mul for Complex {
    type Output = Complex;
    fn mul(self, o: Complex) -> Complex {
        Complex::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }
}

impl Div for Complex {
    type Output = Complex;
    /// Smith's division: no overflow unless the quotient overflows; x/0 has infinite parts.
    fn div(self, o: Complex) -> Complex {
        if o.re == 0.0 && o.im == 0.0 {
            return Complex::new(self.re / o.re.abs(), self.im / o.re.abs());
        }
        if o.re.is_infinite() || o.im.is_infinite() {
            let finite = self.re.is_finite() && self.im.is_finite();
            return if finite { Complex::ZERO } else { Complex::new(f64::NAN, f64::NAN) };
        }
        if o.re.abs() >= o.im.abs() {
            let r = o.im / o.re;
            let d = o.re + o.im * r;
            Complex::new((self.re + self.im * r) / d, (self.im - self.re * r) / d)
        } else {
            let r = o.re / o.im;
            let d = o.re * r + o.im;
            Complex::new((self.re * r + self.im) / d, (self.im * r - self.re) / d)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: Complex, re: f64, im: f64) {
        assert!((a - Complex::new(re, im)).abs() < 1e-12, "{a:?} {re} {im}");
    }

    #[test]
    fn remainders_cut_both_parts_of_the_quotient() {
        // (7 + 5i) / (2 − i) = 1.8 + 3.4i, of which 1 + 3i is taken.
        near(Complex::new(7.0, 5.0).remainder(Complex::new(2.0, -1.0)), 2.0, 0.0);
        near(Complex::new(-7.0, -5.0).remainder(Complex::new(2.0, -1.0)), -2.0, 0.0);
        near(Complex::new(-7.5, 0.0).remainder(Complex::new(2.0, 0.0)), -1.5, 0.0);
        near(Complex::new(3.0, 4.0).remainder(Complex::new(f64::INFINITY, 1.0)), 3.0, 4.0);
        assert!(Complex::new(3.0, 4.0).remainder(Complex::ZERO).re.is_nan());
    }

    #[test]
    fn elementary_functions_at_known_points() {
        let z = Complex::new(1.0, 2.0);
        near(z.exp(), -1.1312043837568135, 2.4717266720048188);
        near(z.ln(), 0.8047189562170503, 1.1071487177940904);
        near(z.sqrt(), 1.272019649514069, 0.7861513777574233);
        near(z.sin(), 3.165778513216168, 1.9596010414216063);
        near(z.cos(), 2.0327230070196656, -3.0518977991518);
        near(z.tanh(), 1.16673625724092, -0.243458201185725);
        near(z.tan(), 0.03381282607989669, 1.0147936161466335);
        near(z / Complex::new(3.0, -1.0), 0.1, 0.7);
        near(z.pow(Complex::new(2.0, 0.0)), -3.0, 4.0);
        near(z.exp_m1(), -2.1312043837568135, 2.4717266720048188);
        near(z.ln_1p(), 1.0397207708399179, std::f64::consts::FRAC_PI_4);
    }
}

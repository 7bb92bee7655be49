//! Functions of complex numbers as formulas of their parts, those of the reference evaluator.
//!
//! Infinities, NaN, zeros with their signs and branch cuts come out as there. Overflow and underflow are kept off by
//! scaling with powers of two. A function marked `wide` cancels or overflows early: for `complex<f32>` it is computed
//! in f64, where neither happens, and rounded once.

use std::f64::consts::LN_2;
use std::ops::{Add, Div, Mul, Neg, Sub};

use fornax_graph::{ElementType, Op, OpKind, ValueId};

use super::formula::{Formula, Mask, Real};
use super::{Number, Pair, inverse};
use crate::rewrite::Rewriter;

/// `re + im·i`.
#[derive(Clone, Copy)]
pub struct Complex<'f> {
    pub re: Real<'f>,
    pub im: Real<'f>,
}

#[derive(Clone, Copy)]
enum Function {
    One(for<'f> fn(Complex<'f>) -> Complex<'f>),
    Two(for<'f> fn(Complex<'f>, Complex<'f>) -> Complex<'f>),
    /// To a real number.
    Measure(for<'f> fn(Complex<'f>) -> Real<'f>),
}

struct Row {
    kind: OpKind,
    /// Computed in f64 for `complex<f32>`.
    wide: bool,
    function: Function,
}

const fn native(kind: OpKind, function: for<'f> fn(Complex<'f>) -> Complex<'f>) -> Row {
    Row { kind, wide: false, function: Function::One(function) }
}

const fn wide(kind: OpKind, function: for<'f> fn(Complex<'f>) -> Complex<'f>) -> Row {
    Row { kind, wide: true, function: Function::One(function) }
}

const ROWS: &[Row] = &[
    Row { kind: OpKind::Multiply, wide: false, function: Function::Two(|a, b| a * b) },
    Row { kind: OpKind::Divide, wide: false, function: Function::Two(|a, b| a / b) },
    Row { kind: OpKind::Remainder, wide: true, function: Function::Two(|a, b| a.remainder(b)) },
    Row { kind: OpKind::Power, wide: true, function: Function::Two(|z, w| z.pow(w)) },
    Row { kind: OpKind::Atan2, wide: true, function: Function::Two(|y, x| y.atan2(x)) },
    Row { kind: OpKind::Abs, wide: false, function: Function::Measure(|z| z.abs()) },
    wide(OpKind::Sign, |z| z.sign()),
    native(OpKind::Exponential, |z| z.exp()),
    wide(OpKind::ExponentialMinusOne, |z| z.exp_m1()),
    wide(OpKind::Log, |z| z.ln()),
    wide(OpKind::LogPlusOne, |z| z.ln_1p()),
    native(OpKind::Sqrt, |z| z.sqrt()),
    wide(OpKind::Rsqrt, |z| z.rsqrt()),
    wide(OpKind::Cbrt, |z| z.cbrt()),
    wide(OpKind::Logistic, |z| z.logistic()),
    native(OpKind::Sine, |z| z.sin()),
    native(OpKind::Cosine, |z| z.cos()),
    wide(OpKind::Tan, |z| z.tan()),
    wide(OpKind::ChloTan, |z| z.tan()),
    wide(OpKind::Tanh, |z| z.tanh()),
    native(OpKind::ChloSinh, |z| z.sinh()),
    native(OpKind::ChloCosh, |z| z.cosh()),
    wide(OpKind::ChloAsin, inverse::asin),
    wide(OpKind::ChloAcos, inverse::acos),
    wide(OpKind::ChloAtan, inverse::atan),
    wide(OpKind::ChloAsinh, inverse::asinh),
    wide(OpKind::ChloAcosh, inverse::acosh),
    wide(OpKind::ChloAsinAcosKernel, inverse::asin_acos_kernel),
    wide(OpKind::ChloAtanh, inverse::atanh),
];

/// The value of an op of the table on complex operands; `None` when it is none.
pub fn expand(rw: &mut Rewriter, op: &Op, operands: &[Number]) -> Option<Number> {
    let row = ROWS.iter().find(|row| row.kind == op.kind)?;
    let pair = |at: usize| operands.get(at).and_then(|number| number.complex());
    let first = pair(0)?;
    let element = rw.tensor(first[0])?.element;
    let widened = row.wide && element == ElementType::F32;
    let formula = Formula::new(if widened { ElementType::F64 } else { element }, widened);
    let input = |[re, im]: Pair| Complex { re: formula.input(re), im: formula.input(im) };
    let mut emit = |z: Complex| formula.emit(rw, [z.re, z.im], first[0], element);
    Some(match row.function {
        Function::One(f) => Number::Complex(emit(f(input(first)))),
        Function::Two(f) => Number::Complex(emit(f(input(first), input(pair(1)?)))),
        Function::Measure(f) => {
            let [value]: [ValueId; 1] = formula.emit(rw, [f(input(first))], first[0], element);
            Number::Real(value)
        }
    })
}

/// Magnitudes at which squares start to overflow or vanish, and the powers of two (all even) that bring them back.
struct Range {
    large: f64,
    shrink: i32,
    small: f64,
    grow: i32,
}

const F32: Range = Range { large: 2.3e18, shrink: -66, small: 8.9e-16, grow: 100 };
const F64: Range = Range { large: 1e153, shrink: -520, small: 1e-135, grow: 600 };

/// A number times a power of two 2^e such that squares of the parts neither overflow nor vanish.
struct Scaled<'f> {
    /// Magnitudes of the parts, scaled.
    re: Real<'f>,
    im: Real<'f>,
    /// Where the number was too large, too small.
    large: Mask<'f>,
    small: Mask<'f>,
    range: &'static Range,
}

impl<'f> Scaled<'f> {
    /// `f` of the exponent `e`.
    fn of_exponent(&self, f: impl Fn(i32) -> f64) -> Real<'f> {
        let inner = self.small.pick(f(self.range.grow), f(0));
        self.large.pick(f(self.range.shrink), inner)
    }
}

impl<'f> Complex<'f> {
    pub fn new(re: Real<'f>, im: Real<'f>) -> Complex<'f> {
        Complex { re, im }
    }

    /// `a` where the mask is true, else `b`.
    pub fn pick(mask: Mask<'f>, a: Complex<'f>, b: Complex<'f>) -> Complex<'f> {
        Complex::new(mask.pick(a.re, b.re), mask.pick(a.im, b.im))
    }

    fn constant(self, re: f64, im: f64) -> Complex<'f> {
        Complex::new(self.re.constant(re), self.re.constant(im))
    }

    pub fn times_i(self) -> Complex<'f> {
        Complex::new(-self.im, self.re)
    }

    pub fn over_i(self) -> Complex<'f> {
        Complex::new(self.im, -self.re)
    }

    fn is_zero(self) -> Mask<'f> {
        self.re.equals(0.0) & self.im.equals(0.0)
    }

    pub fn is_infinite(self) -> Mask<'f> {
        self.re.is_infinite() | self.im.is_infinite()
    }

    /// `None` when nothing needs scaling.
    fn scaled(self) -> Option<Scaled<'f>> {
        if self.re.is_widened() {
            return None;
        }
        let range = if self.re.is_native_f64() { &F64 } else { &F32 };
        let (re, im) = (self.re.abs(), self.im.abs());
        let largest = re.max(im);
        let (large, small) = (largest.greater(range.large), largest.less(range.small));
        let scaled = Scaled { re, im, large, small, range };
        let factor = scaled.of_exponent(|e| 2f64.powi(e));
        Some(Scaled { re: re * factor, im: im * factor, ..scaled })
    }

    /// `√(re² + im²)`; infinite when a part is, even next to NaN.
    pub fn abs(self) -> Real<'f> {
        let norm = match self.scaled() {
            None => (self.re * self.re + self.im * self.im).sqrt(),
            Some(s) => (s.re * s.re + s.im * s.im).sqrt() * s.of_exponent(|e| 2f64.powi(-e)),
        };
        self.is_infinite().pick(f64::INFINITY, norm)
    }

    /// `z / |z|`, zero for zero.
    fn sign(self) -> Complex<'f> {
        let (zero, size) = (self.is_zero(), self.abs());
        Complex::new(zero.pick(0.0, self.re / size), zero.pick(0.0, self.im / size))
    }

    /// Half the exponent twice: e^x may overflow where e^x·cos(y) does not.
    pub fn exp(self) -> Complex<'f> {
        let half = (self.re * 0.5).exp();
        let real = self.im.equals(0.0);
        let re = real.pick(self.re.exp(), half * self.im.cos() * half);
        Complex::new(re, real.pick(self.im, half * self.im.sin() * half))
    }

    fn exp_m1(self) -> Complex<'f> {
        let half_sin = (self.im * 0.5).sin();
        let re = self.re.exp_m1() * self.im.cos() - 2.0 * half_sin * half_sin;
        Complex::new(re, self.exp().im)
    }

    /// `ln |z|`, by `ln(1 + (|z|² − 1)) / 2` near the unit circle.
    fn ln_abs(self) -> Real<'f> {
        let (norm, shift) = match self.scaled() {
            None => ((self.re * self.re + self.im * self.im).sqrt(), None),
            Some(s) => {
                let shift = s.of_exponent(|e| f64::from(-e) * LN_2);
                ((s.re * s.re + s.im * s.im).sqrt(), Some((shift, s.large | s.small)))
            }
        };
        let (ax, ay) = (self.re.abs(), self.im.abs());
        let (large, small) = (ax.max(ay), ax.min(ay));
        let excess = (large - 1.0) * (large + 1.0) + small * small;
        let mut near = norm.at_least(0.71) & norm.at_most(1.73);
        let mut far = norm.ln();
        if let Some((shift, scaled)) = shift {
            far = far + shift;
            near = near & !scaled;
        }
        let value = near.pick(excess.ln_1p() * 0.5, far);
        self.is_infinite().pick(f64::INFINITY, value)
    }

    pub fn ln(self) -> Complex<'f> {
        Complex::new(self.ln_abs(), self.im.atan2(self.re))
    }

    fn ln_1p(self) -> Complex<'f> {
        let (x, y) = (self.re, self.im);
        let from_one = Complex::new(x + 1.0, y);
        // Left of -1/2 the sum 1 + x is exact, or the number is far from 1.
        let near = x.greater(-0.5) & x.abs().max(y.abs()).less(1e18);
        let re = near.pick(((2.0 * x + y * y) + x * x).ln_1p() * 0.5, from_one.ln_abs());
        Complex::new(re, y.atan2(from_one.re))
    }

    pub fn sqrt(self) -> Complex<'f> {
        let Complex { re, im } = self;
        // √((|x| + |z|) / 2), and |y| over twice that.
        let root = |x: Real<'f>, y: Real<'f>| ((x + (x * x + y * y).sqrt()) * 0.5).sqrt();
        let large = match self.scaled() {
            None => root(re.abs(), im.abs()),
            Some(s) => root(s.re, s.im) * s.of_exponent(|e| 2f64.powi(-e / 2)),
        };
        let small = im.abs() / (2.0 * large);
        let right = re.at_least(0.0);
        let general = Complex::new(right.pick(large, small), right.pick(small, large).copysign(im));
        // An infinite real part leaves the smaller part zero, or NaN next to NaN.
        let rest = im.is_nan().pick(f64::NAN, 0.0);
        let infinity = re.constant(f64::INFINITY);
        let along_axis = Complex::new(right.pick(infinity, rest), right.pick(rest, infinity).copysign(im));
        let value = Complex::pick(re.is_infinite(), along_axis, general);
        let value = Complex::pick(im.is_infinite(), Complex::new(infinity, im), value);
        Complex::pick(self.is_zero(), Complex::new(re.constant(0.0), im), value)
    }

    fn rsqrt(self) -> Complex<'f> {
        let value = self.constant(1.0, 0.0) / self.sqrt();
        Complex::pick(self.is_infinite(), self.constant(0.0, 0.0), value)
    }

    fn cbrt(self) -> Complex<'f> {
        let ln = self.ln();
        let third = 1.0 / 3.0;
        Complex::pick(self.is_zero(), self, Complex::new(ln.re * third, ln.im * third).exp())
    }

    fn logistic(self) -> Complex<'f> {
        let one = self.constant(1.0, 0.0);
        one / (one + (-self).exp())
    }

    fn sinh(self) -> Complex<'f> {
        let Complex { re, im } = self;
        let real = re.equals(0.0).pick(re, re.sinh() * im.cos());
        Complex::new(real, im.equals(0.0).pick(im, re.cosh() * im.sin()))
    }

    fn cosh(self) -> Complex<'f> {
        let Complex { re, im } = self;
        Complex::new(re.cosh() * im.cos(), im.equals(0.0).pick(im * re, re.sinh() * im.sin()))
    }

    fn sin(self) -> Complex<'f> {
        self.times_i().sinh().over_i()
    }

    fn cos(self) -> Complex<'f> {
        self.times_i().cosh()
    }

    fn tanh(self) -> Complex<'f> {
        let Complex { re, im } = self;
        let (tx, ty, cx) = (re.tanh(), im.tan(), 1.0 / re.cosh());
        let txty = tx * ty;
        let denominator = 1.0 + txty * txty;
        let general = Complex::new(tx * (1.0 + ty * ty) / denominator, ty / denominator * cx * cx);
        // Where cosh overflows only the exponential is left.
        let tail = 4.0 * im.sin() * im.cos() * (re.abs() * -2.0).exp();
        let limit = Complex::new(re.constant(1.0).copysign(re), im.is_finite().pick(tail, 0.0));
        // An infinite angle of a finite length has no direction.
        let is_tail = re.abs().greater(350.0) & (re.is_infinite() | im.is_finite());
        Complex::pick(is_tail, limit, general)
    }

    fn tan(self) -> Complex<'f> {
        self.times_i().tanh().over_i()
    }

    /// `a − t·b`, `t` the quotient with the fractions of both parts cut off. Numbers without imaginary part have their
    /// own remainder; a finite number by an infinite one is itself.
    fn remainder(self, by: Complex<'f>) -> Complex<'f> {
        let quotient = self / by;
        let general = self - Complex::new(quotient.re.trunc(), quotient.im.trunc()) * by;
        let finite = self.re.is_finite() & self.im.is_finite();
        let value = Complex::pick(finite & by.is_infinite(), self, general);
        let real = self.im.equals(0.0) & by.im.equals(0.0);
        Complex::pick(real, Complex::new(self.re.remainder(by.re), self.im), value)
    }

    /// Principal value; 0^0 is 1.
    fn pow(self, exponent: Complex<'f>) -> Complex<'f> {
        let general = (exponent * self.ln()).exp();
        let nan = self.constant(f64::NAN, f64::NAN);
        let of_zero = Complex::pick(exponent.re.greater(0.0), self.constant(0.0, 0.0), nan);
        let value = Complex::pick(self.is_zero(), of_zero, general);
        Complex::pick(exponent.is_zero(), self.constant(1.0, 0.0), value)
    }

    /// The angle of `x + i·self`.
    fn atan2(self, x: Complex<'f>) -> Complex<'f> {
        let root = (self * self + x * x).sqrt();
        ((x + self.times_i()) / root).ln().over_i()
    }
}

impl<'f> Add for Complex<'f> {
    type Output = Complex<'f>;
    fn add(self, o: Complex<'f>) -> Complex<'f> {
        Complex::new(self.re + o.re, self.im + o.im)
    }
}

impl<'f> Sub for Complex<'f> {
    type Output = Complex<'f>;
    fn sub(self, o: Complex<'f>) -> Complex<'f> {
        Complex::new(self.re - o.re, self.im - o.im)
    }
}

impl<'f> Neg for Complex<'f> {
    type Output = Complex<'f>;
    fn neg(self) -> Complex<'f> {
        Complex::new(-self.re, -self.im)
    }
}

impl<'f> Mul for Complex<'f> {
    type Output = Complex<'f>;
    fn mul(self, o: Complex<'f>) -> Complex<'f> {
        Complex::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }
}

impl<'f> Div for Complex<'f> {
    type Output = Complex<'f>;
    /// Smith's division: no overflow unless the quotient overflows; x/0 has infinite parts.
    fn div(self, o: Complex<'f>) -> Complex<'f> {
        let real = o.re.abs().at_least(o.im.abs());
        let (large, small) = (real.pick(o.re, o.im), real.pick(o.im, o.re));
        let ratio = small / large;
        let denominator = large + small * ratio;
        let (p, q) = (real.pick(self.re, self.im), real.pick(self.im, self.re));
        let across = p * ratio;
        let im = real.pick(q - across, across - q);
        let general = Complex::new((p + q * ratio) / denominator, im / denominator);
        let finite = self.re.is_finite() & self.im.is_finite();
        let vanishing = finite.pick(0.0, f64::NAN);
        let value = Complex::pick(o.is_infinite(), Complex::new(vanishing, vanishing), general);
        let zero = o.re.abs();
        Complex::pick(o.is_zero(), Complex::new(self.re / zero, self.im / zero), value)
    }
}

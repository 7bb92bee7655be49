//! `fft`: FFT, IFFT, RFFT, IRFFT over the last one to three dimensions, any lengths.

use std::f64::consts::PI;

use crate::complex::Complex;
use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::scalar::Scalar;
use crate::tensor::{Indices, Tensor, offset, strides};

/// Complex data of a shape.
struct Field {
    shape: Vec<usize>,
    data: Vec<Complex>,
}

impl Field {
    /// Replaces every line along `axis` by `f(line)`, of length `length`.
    fn along(self, axis: usize, length: usize, f: impl Fn(Vec<Complex>) -> Vec<Complex>) -> Field {
        let mut shape = self.shape.clone();
        shape[axis] = length;
        let (from, to) = (strides(&self.shape), strides(&shape));
        let mut data = vec![Complex::ZERO; shape.iter().product()];
        let mut lines = self.shape.clone();
        lines[axis] = 1;
        let mut walk = Indices::new(&lines);
        while let Some(index) = walk.advance() {
            let place = |k: usize, s: &[isize]| (offset(index, s) + k as isize * s[axis]) as usize;
            let line = (0..self.shape[axis]).map(|k| self.data[place(k, &from)]).collect();
            for (k, value) in f(line).into_iter().take(length).enumerate() {
                data[place(k, &to)] = value;
            }
        }
        Field { shape, data }
    }
}

/// Σ `x[j]`·e^(sign·2πi·jk/n), halving while the length is even.
fn transform(x: &[Complex], sign: f64) -> Vec<Complex> {
    let n = x.len();
    let root = |k: usize| {
        let (s, c) = (sign * 2.0 * PI * (k % n) as f64 / n as f64).sin_cos();
        Complex::new(c, s)
    };
    if n > 1 && n.is_multiple_of(2) {
        let half = |first: usize| transform(&x.iter().skip(first).step_by(2).copied().collect::<Vec<_>>(), sign);
        let (even, odd) = (half(0), half(1));
        return (0..n).map(|k| even[k % (n / 2)] + root(k) * odd[k % (n / 2)]).collect();
    }
    (0..n).map(|k| x.iter().enumerate().fold(Complex::ZERO, |sum, (j, &v)| sum + v * root(j * k))).collect()
}

fn inverse(x: &[Complex]) -> Vec<Complex> {
    let n = x.len() as f64;
    transform(x, 1.0).into_iter().map(|z| z.scale(1.0 / n)).collect()
}

/// Kernel of `stablehlo.fft`.
pub(crate) fn fft(call: &mut Call) -> Result<Vec<Tensor>, EvalError> {
    let operand = call.operand(0)?;
    let lengths = call.sizes(&call.op.attrs.ints("fft_length").unwrap_or_default())?;
    let kind = call.op.attrs.keyword("fft_type").unwrap_or("FFT");
    let rank = operand.rank();
    call.check(!lengths.is_empty() && lengths.len() <= rank, "fft_length of another rank")?;
    let first = rank - lengths.len();
    let axes = first..rank;
    let last = rank - 1;
    let n = lengths[lengths.len() - 1];
    let longest = lengths.iter().copied().max().unwrap_or(0) as u64;
    call.charge_work((operand.len() as u64).saturating_mul(longest))?;
    let mut field =
        Field { shape: operand.shape(), data: operand.scalars().into_iter().map(Scalar::as_complex).collect() };
    let complex_axes = if kind == "FFT" || kind == "IFFT" { axes.clone() } else { first..last };
    let stored = |axis: usize| if kind == "IRFFT" && axis == last { n / 2 + 1 } else { lengths[axis - first] };
    call.check(axes.clone().all(|axis| field.shape[axis] == stored(axis)), "fft_length does not fit the operand")?;
    if kind == "RFFT" {
        field = field.along(last, n / 2 + 1, |line| transform(&line, -1.0));
    }
    for axis in complex_axes {
        let length = field.shape[axis];
        let forward = kind == "FFT" || kind == "RFFT";
        field = field.along(axis, length, |line| if forward { transform(&line, -1.0) } else { inverse(&line) });
    }
    if kind == "IRFFT" {
        field = field.along(last, n, |line| {
            // The missing half is the conjugate of the stored one.
            let full: Vec<Complex> = (0..n).map(|k| if k <= n / 2 { line[k] } else { line[n - k].conj() }).collect();
            inverse(&full)
        });
    }
    let element = call.result_element(0)?;
    call.check_size(&field.shape)?;
    let values = field.data.into_iter().map(|z| Scalar::Complex(z).convert(element));
    Ok(vec![Tensor::from_scalars(&field.shape, element, values)])
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use crate::{Complex, Scalar};
    use fornax_graph::{ElementType, OpKind};

    #[test]
    fn real_transform_and_back() {
        for n in [3usize, 4] {
            let x: Vec<f64> = (0..n).map(|i| (i * i) as f64 + 1.0).collect();
            let attrs = |kind: &str| [("fft_type", keyword(kind)), ("fft_length", dims(&[n as i64]))];
            let c = ElementType::ComplexF32;
            let half = op(OpKind::Fft, &attrs("RFFT"), &[f32s(&[n], &x)], &[ty(&[n / 2 + 1], c)]);
            assert_eq!(half[0].get(0), Scalar::Complex(Complex::new(x.iter().sum(), 0.0)));
            let back = op(OpKind::Fft, &attrs("IRFFT"), &half, &[ty(&[n], F32)]);
            for (a, b) in values(&back[0]).iter().zip(&x) {
                assert!((a - b).abs() < 1e-5);
            }
        }
    }
}

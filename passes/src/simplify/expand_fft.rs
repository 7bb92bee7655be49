//! Fourier transforms become products with matrices of roots of unity, long ones by factors.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>> {
//!   %0 = stablehlo.fft %arg0, type = RFFT, length = [2] : (tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>>
//!   return %0 : tensor<3x2xcomplex<f32>>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>> {
//!   %cst = stablehlo.constant dense<[[1.000000e+00, 1.000000e+00], [1.000000e+00, -1.000000e+00]]> : tensor<2x2xf32>
//!   %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2x2xf32>
//!   %0 = stablehlo.dot_general %arg0, %cst, contracting_dims = [1] x [0]
//!       : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
//!   %1 = stablehlo.dot_general %arg0, %cst_0, contracting_dims = [1] x [0]
//!       : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
//!   %2 = stablehlo.complex %0, %1 : tensor<3x2xcomplex<f32>>
//!   return %2 : tensor<3x2xcomplex<f32>>
//! }
//! ```
//!
//! With n = a·b, position j = j₁·b + j₂ and frequency k = k₁ + a·k₂ the sum Σ `x[j]`·w^(jk) over w = e^(∓2πi/n) is, for
//! each j₂, a transform of length a over j₁; then a product with w^(j₂·k₁); then, for each k₁, a transform of length b
//! over j₂. Lengths up to [`DIRECT`] are one product; a length whose factors are all larger is a convolution
//! (Bluestein) of a length that is a power of two. Work grows as n·(a + b + …). Axes go one after the other.
//! Limits: lengths are numbers, up to [`LONGEST`].

use std::f64::consts::PI;

use fornax_graph::views::DotDims;
use fornax_graph::{AttrMap, Dim, ElementType, Graph, OpId, OpKind, TensorType, Type, ValueId};
use fornax_reference::{Complex, Scalar, Tensor};

use super::Options;
use super::constants::to_constant;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// Longest transform that is one product with a matrix, where the length has factors.
const DIRECT: i64 = 64;
/// The same where it has none up to [`DIRECT`].
const DIRECT_PRIME: i64 = 512;
const LONGEST: i64 = 1 << 24;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::Fft => Ok(expand(rw, id).map_or(Rewrite::Keep, Rewrite::with)),
        _ => Ok(Rewrite::Keep),
    })
}

/// A sum over e^(sign·2πi·jk/n), times `scale`.
#[derive(Clone, Copy)]
struct Transform {
    n: i64,
    sign: f64,
    scale: f64,
}

impl Transform {
    fn forward(n: i64) -> Transform {
        Transform { n, sign: -1.0, scale: 1.0 }
    }

    fn inverse(n: i64) -> Transform {
        Transform { n, sign: 1.0, scale: 1.0 / n as f64 }
    }

    /// `scale · e^(sign·2πi·power/n)`; quarter turns are exact.
    fn root(&self, power: i64) -> Complex {
        let quarters = 4 * power.rem_euclid(self.n);
        let (sin, cos) = (PI / 2.0 * (quarters % self.n) as f64 / self.n as f64).sin_cos();
        let (cos, sin) = match quarters / self.n {
            0 => (cos, sin),
            1 => (-sin, cos),
            2 => (-cos, -sin),
            _ => (sin, -cos),
        };
        // + 0 makes a zero positive.
        Complex::new(cos * self.scale + 0.0, self.sign * sin * self.scale + 0.0)
    }
}

fn expand(rw: &mut Rewriter, id: OpId) -> Option<ValueId> {
    let op = rw.graph.op(id).clone();
    let lengths = op.attrs.ints("fft_length")?;
    let kind = op.attrs.keyword("fft_type").unwrap_or("FFT");
    let result = rw.tensor(*op.results.first()?)?.clone();
    let mut value = *op.operands.first()?;
    let rank = rw.sizes(value)?.len();
    let first = rank.checked_sub(lengths.len())?;
    let (last, &n) = (rank.checked_sub(1)?, lengths.last()?);
    if result.elements() == Some(0) {
        return Some(rw.splat(&result, Scalar::Float(0.0)));
    }
    if lengths.iter().any(|&n| !(1..=LONGEST).contains(&n)) {
        return None;
    }
    let of_length = if matches!(kind, "FFT" | "RFFT") { Transform::forward } else { Transform::inverse };
    let real = matches!(kind, "RFFT" | "IRFFT");
    if kind == "RFFT" {
        value = along(rw, value, last, &mut |rw, lines| first_half(rw, lines, of_length(n)))?;
    }
    for (axis, &n) in (first..rank).zip(&lengths).filter(|(axis, _)| !real || *axis != last) {
        value = along(rw, value, axis, &mut |rw, lines| transform(rw, lines, of_length(n)))?;
    }
    if kind == "IRFFT" {
        value = along(rw, value, last, &mut |rw, lines| from_half(rw, lines, of_length(n)))?;
    }
    Some(value)
}

/// Applies `f` to `x` as lines `[lines, n]` of one axis.
fn along(
    rw: &mut Rewriter,
    x: ValueId,
    axis: usize,
    f: &mut dyn FnMut(&mut Rewriter, ValueId) -> Option<ValueId>,
) -> Option<ValueId> {
    let mut shape = rw.sizes(x)?;
    let order: Vec<usize> = (0..shape.len()).filter(|&d| d != axis).chain([axis]).collect();
    let back: Vec<usize> = (0..shape.len()).map(|d| order.iter().position(|&o| o == d).unwrap_or(d)).collect();
    let n = shape.remove(axis);
    let lines = rw.graph.dim_product(&shape);
    let moved = rw.transpose(x, &order);
    let flat = rw.reshape(moved, &[lines, n]);
    let made = f(rw, flat)?;
    shape.push(*rw.sizes(made)?.last()?);
    let made = rw.reshape(made, &shape);
    Some(rw.transpose(made, &back))
}

/// The transform of each line of `[lines, n]`, real or complex.
fn transform(rw: &mut Rewriter, x: ValueId, t: Transform) -> Option<ValueId> {
    let lines = *rw.sizes(x)?.first()?;
    let n = t.n;
    let factor = (2..=DIRECT).rev().find(|a| n % a == 0 && n > DIRECT);
    let Some(a) = factor else {
        return if n <= DIRECT_PRIME { direct(rw, x, t, n) } else { by_convolution(rw, x, t) };
    };
    let b = n / a;
    let split = [lines, a.into(), b.into()];
    let grid = rw.reshape(x, &split);
    // [lines, a, b] · [a, a] → [lines, b, a]
    let columns = direct(rw, grid, Transform { n: a, ..t }, a)?;
    let shape = rw.tensor(columns)?.shape.clone();
    let element = rw.tensor(columns)?.element;
    let whole = Transform { scale: 1.0, ..t };
    let twiddles = complex_constant(rw, &[b, a], element, |at| whole.root((at / a) * (at % a)));
    let twiddles = rw.broadcast(twiddles, &[1, 2], &shape);
    let turned = rw.binary(OpKind::Multiply, columns, twiddles);
    let rows = rw.transpose(turned, &[0, 2, 1]);
    let all = rw.graph.dim_mul(lines, a.into());
    let rows = rw.reshape(rows, &[all, b.into()]);
    let rows = transform(rw, rows, Transform { n: b, sign: t.sign, scale: 1.0 })?;
    let rows = rw.reshape(rows, &split);
    let natural = rw.transpose(rows, &[0, 2, 1]);
    Some(rw.reshape(natural, &[lines, n.into()]))
}

/// Contracts dimension 1 with the matrix of the first `outputs` frequencies; they become the last dimension.
fn direct(rw: &mut Rewriter, x: ValueId, t: Transform, outputs: i64) -> Option<ValueId> {
    let ty = rw.tensor(x)?.clone();
    let value = |at: i64| t.root((at / outputs) * (at % outputs));
    if ty.element.is_complex() {
        let matrix = complex_constant(rw, &[t.n, outputs], ty.element, value);
        return Some(dot(rw, x, matrix));
    }
    let cosines = real_constant(rw, &[t.n, outputs], ty.element, |at| value(at).re);
    let sines = real_constant(rw, &[t.n, outputs], ty.element, |at| value(at).im);
    let (re, im) = (dot(rw, x, cosines), dot(rw, x, sines));
    Some(complex(rw, re, im))
}

/// Bluestein: with `c[j]` = e^(sign·πi·j²/n) the transform is `c[k]·Σ (x[j]·c[j])·conj(c[k−j])`, a convolution, done by
/// transforms of a length m that is a power of two and at least 2n − 1.
fn by_convolution(rw: &mut Rewriter, x: ValueId, t: Transform) -> Option<ValueId> {
    let (lines, n) = (*rw.sizes(x)?.first()?, t.n);
    let element = complex_of(rw.tensor(x)?.element);
    let m = u64::try_from(2 * n - 1).ok()?.next_power_of_two();
    let half_turns = Transform { n: 2 * n, sign: t.sign, scale: 1.0 };
    let chirp = |j: i64| half_turns.root((i128::from(j) * i128::from(j) % i128::from(2 * n)) as i64);
    let mut kernel = vec![Complex::ZERO; usize::try_from(m).ok()?];
    for j in 0..n {
        let value = chirp(j).conj();
        let mirrored = (m as i64 - j) % m as i64;
        kernel[j as usize] = value;
        kernel[mirrored as usize] = value;
    }
    let spectrum = spectrum(&kernel);
    let m = m as i64;
    let dims = |n: i64| [lines, Dim::Static(n)];
    let lines_of = |n: i64, element| TensorType { shape: dims(n).to_vec(), element, encoding: None };
    let chirps = complex_constant(rw, &[n], element, chirp);
    let chirps = rw.broadcast(chirps, &[1], &dims(n));
    let x = rw.convert(x, element);
    let turned = rw.binary(OpKind::Multiply, x, chirps);
    let zeros = rw.splat(&lines_of(m - n, element), Scalar::Float(0.0));
    let padded_ty = Type::Tensor(lines_of(m, element));
    let padded =
        rw.emit(OpKind::Concatenate, &[turned, zeros], padded_ty, &[("dimension", crate::rewrite::build::int(1))]);
    let forward = transform(rw, padded, Transform::forward(m))?;
    let kernel = complex_constant(rw, &[m], element, |at| spectrum[at as usize].scale(t.scale));
    let kernel = rw.broadcast(kernel, &[1], &dims(m));
    let product = rw.binary(OpKind::Multiply, forward, kernel);
    let convolved = transform(rw, product, Transform::inverse(m))?;
    let kept = rw.slice_to(convolved, &[0, 0], &dims(n), &[1, 1]);
    Some(rw.binary(OpKind::Multiply, kept, chirps))
}

/// The forward transform of a list whose length is a power of two.
fn spectrum(x: &[Complex]) -> Vec<Complex> {
    let n = x.len();
    if n <= 1 {
        return x.to_vec();
    }
    let half = |first: usize| spectrum(&x.iter().skip(first).step_by(2).copied().collect::<Vec<_>>());
    let (even, odd) = (half(0), half(1));
    let t = Transform::forward(n as i64);
    (0..n).map(|k| even[k % (n / 2)] + t.root(k as i64) * odd[k % (n / 2)]).collect()
}

/// Frequencies 0 to n/2 of real lines.
fn first_half(rw: &mut Rewriter, x: ValueId, t: Transform) -> Option<ValueId> {
    let (lines, kept) = (*rw.sizes(x)?.first()?, t.n / 2 + 1);
    if t.n <= DIRECT {
        return direct(rw, x, t, kept);
    }
    let whole = transform(rw, x, t)?;
    Some(rw.slice_to(whole, &[0, 0], &[lines, kept.into()], &[1, 1]))
}

/// Real lines from their frequencies 0 to n/2; the others are conjugates of those.
fn from_half(rw: &mut Rewriter, x: ValueId, t: Transform) -> Option<ValueId> {
    let [lines, Dim::Static(half)] = rw.sizes(x)?[..] else { return None };
    let line = |n: i64, element| {
        Type::Tensor(TensorType { shape: vec![lines, Dim::Static(n)], element, encoding: None })
    };
    let part = line(half, rw.tensor(x)?.element.complex_part());
    let [re, im] = [OpKind::Real, OpKind::Imag].map(|kind| rw.emit(kind, &[x], part.clone(), &[]));
    if t.n <= DIRECT {
        let element = rw.tensor(re)?.element;
        let times = |at: i64| if at / t.n == 0 || 2 * (at / t.n) == t.n { 1.0 } else { 2.0 };
        let root = |at: i64| t.root((at / t.n) * (at % t.n)).scale(times(at));
        let cosines = real_constant(rw, &[half, t.n], element, |at| root(at).re);
        let sines = real_constant(rw, &[half, t.n], element, |at| root(at).im);
        let (of_re, of_im) = (dot(rw, re, cosines), dot(rw, im, sines));
        return Some(rw.binary(OpKind::Subtract, of_re, of_im));
    }
    // Frequency n − k for k from (n − 1) / 2 down to 1.
    let mirrored = |rw: &mut Rewriter, value| {
        let inner = rw.slice_to(value, &[0, 1], &[lines, Dim::Static((t.n + 1) / 2)], &[1, 1]);
        let ty = rw.graph.ty(inner).clone();
        rw.emit(OpKind::Reverse, &[inner], ty, &[("dimensions", crate::rewrite::build::dims(&[1]))])
    };
    let (re, im) = (mirrored(rw, re), mirrored(rw, im));
    let im = rw.unary(OpKind::Negate, im);
    let rest = complex(rw, re, im);
    let ty = line(t.n, rw.tensor(x)?.element);
    let whole = rw.emit(OpKind::Concatenate, &[x, rest], ty, &[("dimension", crate::rewrite::build::int(1))]);
    let made = transform(rw, whole, t)?;
    let ty = line(t.n, rw.tensor(made)?.element.complex_part());
    Some(rw.emit(OpKind::Real, &[made], ty, &[]))
}

/// Contracts dimension 1 of `a` with dimension 0 of the matrix.
fn dot(rw: &mut Rewriter, a: ValueId, matrix: ValueId) -> ValueId {
    let numbers = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
    rw.dot(a, matrix, &numbers, &AttrMap::default())
}

fn complex(rw: &mut Rewriter, re: ValueId, im: ValueId) -> ValueId {
    let Some(ty) = rw.tensor(re).map(|ty| ty.with_element(complex_of(ty.element))) else { return re };
    rw.emit(OpKind::Complex, &[re, im], Type::Tensor(ty), &[])
}

fn complex_of(element: ElementType) -> ElementType {
    match element {
        ElementType::F64 | ElementType::ComplexF64 => ElementType::ComplexF64,
        _ => ElementType::ComplexF32,
    }
}

fn complex_constant(rw: &mut Rewriter, shape: &[i64], element: ElementType, of: impl Fn(i64) -> Complex) -> ValueId {
    constant(rw, shape, complex_of(element), &|at| Scalar::Complex(of(at)))
}

fn real_constant(rw: &mut Rewriter, shape: &[i64], element: ElementType, of: impl Fn(i64) -> f64) -> ValueId {
    constant(rw, shape, element, &|at| Scalar::Float(of(at)))
}

fn constant(rw: &mut Rewriter, shape: &[i64], element: ElementType, of: &dyn Fn(i64) -> Scalar) -> ValueId {
    let sizes: Vec<usize> = shape.iter().filter_map(|&n| usize::try_from(n).ok()).collect();
    let count: i64 = shape.iter().product();
    rw.constant(to_constant(Tensor::from_scalars(&sizes, element, (0..count).map(of))))
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print, reimport};
    use super::*;
    use fornax_reference::evaluate;

    fn check(kind: &str, from: &[usize], to: &[usize], lengths: &[usize]) {
        let ty = |shape: &[usize], real: bool| {
            let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
            format!("tensor<{sizes}{}>", if real { "f64" } else { "complex<f64>" })
        };
        let (from_ty, to_ty) = (ty(from, kind == "RFFT"), ty(to, kind == "IRFFT"));
        let text = format!(
            "func.func @main(%x: {from_ty}) -> {to_ty} {{
               %0 = stablehlo.fft %x, type = {kind}, length = {lengths:?} : ({from_ty}) -> {to_ty}
               return %0 : {to_ty}
             }}"
        );
        let mut graph = import(&text);
        let element = if kind == "RFFT" { ElementType::F64 } else { ElementType::ComplexF64 };
        let wave = |at: i64| Complex::new((at * at % 17) as f64 - 8.0, (at * 7 % 13) as f64 - 6.0);
        let values = (0..from.iter().product::<usize>() as i64).map(|at| Scalar::Complex(wave(at)).convert(element));
        let input = [Tensor::from_scalars(from, element, values)];
        let wanted = evaluate(&graph, "main", &input, &Default::default()).unwrap();
        assert!(run(&mut graph, &Options::default()).unwrap(), "{text}");
        assert!(!print(&graph).contains("stablehlo.fft"));
        if lengths[0] < 100 {
            reimport(&graph);
        }
        let found = evaluate(&graph, "main", &input, &Default::default()).unwrap();
        let size = wanted[0].scalars().iter().map(|s| s.as_complex().abs()).fold(0.0, f64::max);
        for (w, f) in wanted[0].scalars().iter().zip(found[0].scalars()) {
            assert!((w.as_complex() - f.as_complex()).abs() <= 1e-13 * size, "{w:?} {f:?}\n{text}");
        }
    }

    #[test]
    fn transforms_of_all_kinds_of_lengths() {
        for n in [1, 2, 15, 64, 96, 134, 1000, 67 * 71, 521, 4 * 521] {
            check("FFT", &[2, n], &[2, n], &[n]);
            check("IFFT", &[2, n], &[2, n], &[n]);
            check("RFFT", &[n], &[n / 2 + 1], &[n]);
            check("IRFFT", &[n / 2 + 1], &[n], &[n]);
        }
    }

    #[test]
    fn several_axes() {
        check("FFT", &[2, 3, 4, 5], &[2, 3, 4, 5], &[3, 4, 5]);
        check("IFFT", &[3, 70], &[3, 70], &[3, 70]);
        check("RFFT", &[3, 4, 6], &[3, 4, 4], &[4, 6]);
        check("IRFFT", &[3, 4, 4], &[3, 4, 7], &[3, 4, 7]);
        check("FFT", &[0, 4], &[0, 4], &[4]);
    }
}

//! Fourier transforms, windows and what is made with them.

use fornax_graph::{Attr, Constant, Dim, ElementType, OpKind, TensorType, ValueId};
use fornax_types::Scalar;

use super::cast::named_element;
use super::{Row, one};
use crate::dialects::build::ints;
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[
    one("DFT", dft),
    one("STFT", stft),
    one("HannWindow", |c, n| window(c, n, &[0.5, 0.5])),
    one("HammingWindow", |c, n| window(c, n, &[25.0 / 46.0, 1.0 - 25.0 / 46.0])),
    one("BlackmanWindow", |c, n| window(c, n, &[0.42, 0.5, 0.08])),
    one("MelWeightMatrix", mel),
];

/// Elements of a window or a matrix that is made here at most.
const MADE_MAX: i64 = 1 << 24;

/// Numbers as a constant.
fn made(c: &mut Converter, element: ElementType, shape: &[i64], numbers: &[f64]) -> ValueId {
    let mut bytes = Vec::new();
    numbers.iter().for_each(|&x| element.encode(Scalar::Float(x), &mut bytes));
    c.b.constant(Constant::dense(TensorType::new(shape, element), bytes))
}

/// A sum of cosines with alternating signs.
fn window(c: &mut Converter, node: &Node, factors: &[f64]) -> Result<ValueId> {
    let element = named_element(node, "output_datatype")?.unwrap_or(ElementType::F32);
    let size = c.numbers(node, 0)?.first().copied().unwrap_or(0);
    if !(0..=MADE_MAX).contains(&size) {
        return Err(node.broken(format!("a window of {size} elements")));
    }
    let length = if node.int_or("periodic", 1) != 0 { size } else { size - 1 };
    let at = |n: i64| {
        let angle = std::f64::consts::TAU * n as f64 / length.max(1) as f64;
        let terms =
            (0..).zip(factors).map(|(k, f)| f * (angle * f64::from(k)).cos() * if k % 2 == 0 { 1.0 } else { -1.0 });
        terms.sum::<f64>()
    };
    let numbers: Vec<f64> = (0..size).map(at).collect();
    Ok(made(c, element, &[size], &numbers))
}

fn fft(c: &mut Converter, a: ValueId, (kind, length): (&str, i64), shape: &[Dim], to: ElementType) -> ValueId {
    let attrs = [("fft_type", Attr::Enum("fft_type".into(), kind.into())), ("fft_length", ints(&[length]))];
    c.b.emit(OpKind::Fft, &[a], (shape, to), &attrs)
}

/// `[…, 1]` or `[…, 2]` as real or complex numbers without the last dimension.
fn joined(c: &mut Converter, node: &Node, a: ValueId) -> Result<ValueId> {
    let mut shape = c.b.shape(a);
    let element = c.b.element(a);
    let complex = if element == ElementType::F64 { ElementType::ComplexF64 } else { ElementType::ComplexF32 };
    match shape.pop() {
        Some(Dim::Static(1)) => Ok(c.b.reshape(a, &shape)),
        Some(Dim::Static(2)) => {
            let axis = shape.len();
            let part = |c: &mut Converter, k: i64| {
                let one = c.b.slice_dim(a, axis, Dim::Static(k), Dim::Static(k + 1));
                c.b.reshape(one, &shape)
            };
            let (real, imaginary) = (part(c, 0), part(c, 1));
            Ok(c.b.emit(OpKind::Complex, &[real, imaginary], (&shape, complex), &[]))
        }
        _ => Err(node.broken("the last dimension is of real and imaginary parts")),
    }
}

fn parts(c: &mut Converter, a: ValueId) -> ValueId {
    let (shape, part) = (c.b.shape(a), c.b.element(a).complex_part());
    let mut one = shape.clone();
    one.push(Dim::Static(1));
    let real = c.b.emit(OpKind::Real, &[a], (&shape, part), &[]);
    let imaginary = c.b.emit(OpKind::Imag, &[a], (&shape, part), &[]);
    let (real, imaginary) = (c.b.reshape(real, &one), c.b.reshape(imaginary, &one));
    c.b.concatenate(&[real, imaginary], shape.len())
}

/// A dimension cut or filled with zeros.
fn fitted(c: &mut Converter, a: ValueId, axis: usize, to: i64) -> ValueId {
    let shape = c.b.shape(a);
    let Some(from) = shape[axis].as_static() else { return a };
    if from >= to {
        return c.b.slice_dim(a, axis, Dim::Static(0), Dim::Static(to));
    }
    let element = c.b.element(a);
    let zero = c.b.splat(&[], element, Scalar::Int(0));
    let none = vec![Dim::Static(0); shape.len()];
    let mut high = none.clone();
    high[axis] = Dim::Static(to - from);
    c.b.pad(a, zero, &none, &high, &vec![0; shape.len()])
}

fn dft(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let rank = c.b.rank(a);
    let axis = match node.version < 20 {
        true => node.int_or("axis", 1),
        false => c.numbers_if(node, 2)?.and_then(|list| list.first().copied()).unwrap_or(-2),
    };
    let axis = node.axis_of(axis, rank)?;
    if rank < 2 || axis + 1 == rank {
        return Err(node.broken("the axis is that of real and imaginary parts"));
    }
    let Some(size) = c.b.shape(a)[axis].as_static() else {
        return Err(node.error("FX1025", "the length of a transform must be known when the model is compiled"));
    };
    let (is_inverse, is_half) = (node.is_set("inverse"), node.is_set("onesided"));
    let length = match c.numbers_if(node, 1)?.and_then(|list| list.first().copied()) {
        Some(length) => length,
        None if is_inverse && is_half => 2 * (size - 1),
        None => size,
    };
    if length < 1 {
        return Err(node.broken(format!("a transform of {length} elements")));
    }
    let element = c.b.element(a);
    let wide = c.wide(a);
    let whole = joined(c, node, wide)?;
    // The transform is along the last dimension.
    let last = rank - 2;
    let mut order: Vec<usize> = (0..=last).collect();
    order.swap(axis, last);
    let x = c.b.transpose(whole, &order);
    let complex = if c.b.element(wide) == ElementType::F64 { ElementType::ComplexF64 } else { ElementType::ComplexF32 };
    let mut shape = c.b.shape(x);
    let half = length / 2 + 1;
    let result = if is_inverse && is_half {
        let x = c.b.convert(x, complex);
        let x = fitted(c, x, last, half);
        shape[last] = Dim::Static(length);
        let real = fft(c, x, ("IRFFT", length), &shape, complex.complex_part());
        let back = c.b.transpose(real, &order);
        let mut shape = c.b.shape(back);
        shape.push(Dim::Static(1));
        c.b.reshape(back, &shape)
    } else {
        let x = fitted(c, x, last, length);
        let is_real = !c.b.element(x).is_complex();
        shape[last] = Dim::Static(length);
        let mut made = if is_real && is_half {
            shape[last] = Dim::Static(half);
            fft(c, x, ("RFFT", length), &shape, complex)
        } else {
            let x = c.b.convert(x, complex);
            fft(c, x, (if is_inverse { "IFFT" } else { "FFT" }, length), &shape, complex)
        };
        if is_half && !is_real {
            made = c.b.slice_dim(made, last, Dim::Static(0), Dim::Static(half));
        }
        let back = c.b.transpose(made, &order);
        parts(c, back)
    };
    Ok(c.b.convert(result, element))
}

/// Transforms of frames, each by a window.
fn stft(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let step = c.numbers(node, 1)?.first().copied().unwrap_or(0);
    let window = node.optional(2);
    let shape = c.b.shape(a);
    let (&[batch, Dim::Static(size), depth], element) = (shape.as_slice(), c.b.element(a)) else {
        return Err(node.error("FX1025", "three dimensions are expected, and a signal of known length"));
    };
    let length = match (c.numbers_if(node, 3)?.and_then(|list| list.first().copied()), window) {
        (Some(length), _) => length,
        (None, Some(window)) => c.of_rank(node, window, 1)?[0].as_static().unwrap_or(0),
        (None, None) => size,
    };
    if step < 1 || length < 1 || length > size {
        return Err(node.broken(format!("frames of {length} of {size} elements, {step} apart")));
    }
    let frames = (size - length) / step + 1;
    let (first, inner) = (c.b.iota(&[frames.into(), length.into()], ElementType::I64, 0), {
        c.b.iota(&[frames.into(), length.into()], ElementType::I64, 1)
    });
    let first = c.with_number(OpKind::Multiply, first, step as f64);
    let at = c.add(first, inner);
    let mut x = super::shape::take(c, a, at, 1);
    let wide = [batch, frames.into(), length.into(), depth];
    if let Some(window) = window {
        let window = c.b.broadcast(window, &[2], &wide);
        x = c.multiply(x, window);
    }
    let x = c.wide(x);
    let x = joined(c, node, x)?;
    let is_half = node.int_or("onesided", 1) != 0;
    let part = c.b.element(x).complex_part();
    let complex = if part == ElementType::F64 { ElementType::ComplexF64 } else { ElementType::ComplexF32 };
    let bins = if is_half { length / 2 + 1 } else { length };
    let result = if is_half && !c.b.element(x).is_complex() {
        fft(c, x, ("RFFT", length), &[batch, frames.into(), bins.into()], complex)
    } else {
        let x = c.b.convert(x, complex);
        let all = fft(c, x, ("FFT", length), &[batch, frames.into(), length.into()], complex);
        c.b.slice_dim(all, 2, Dim::Static(0), bins.into())
    };
    let result = parts(c, result);
    Ok(c.b.convert(result, element))
}

/// Triangles over the bins of a spectrum, evenly spaced in mel.
fn mel(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let element = named_element(node, "output_datatype")?.unwrap_or(ElementType::F32);
    let mut whole = Vec::new();
    for at in 0..3 {
        whole.push(c.numbers(node, at)?.first().copied().unwrap_or(0));
    }
    let (low, high) = (c.float_numbers(node, 3)?, c.float_numbers(node, 4)?);
    let ([bands, length, rate], Some(&low), Some(&high)) = (&whole[..], low.first(), high.first()) else {
        return Err(node.broken("five scalars are expected"));
    };
    let (bands, length, rate) = (*bands, *length, *rate);
    let bins = length / 2 + 1;
    if bands < 1 || length < 1 || rate < 1 || bins.checked_mul(bands).is_none_or(|n| n > MADE_MAX) {
        return Err(node.broken(format!("{bands} bands of {length} elements at a rate of {rate}")));
    }
    let to_mel = |hertz: f64| 2595.0 * (hertz / 700.0).ln_1p() / 10f64.ln();
    let step = (to_mel(high) - to_mel(low)) / (bands + 2) as f64;
    let edges: Vec<i64> = (0..bands + 2)
        .map(|k| {
            let hertz = 700.0 * ((k as f64 * step + to_mel(low)) / 2595.0 * 10f64.ln()).exp_m1();
            ((length + 1) as f64 * hertz / rate as f64).floor() as i64
        })
        .collect();
    let mut numbers = vec![0.0; (bins * bands) as usize];
    let mut set = |bin: i64, band: i64, value: f64| {
        if (0..bins).contains(&bin) {
            numbers[(bin * bands + band) as usize] = value;
        }
    };
    for band in 0..bands {
        let k = band as usize;
        let (left, center, right) = (edges[k], edges[k + 1], edges[k + 2]);
        if left == center {
            set(center, band, 1.0);
        } else {
            (left..=center).for_each(|bin| set(bin, band, (bin - left) as f64 / (center - left) as f64));
        }
        (center..right).for_each(|bin| set(bin, band, (right - bin) as f64 / (right - center) as f64));
    }
    Ok(made(c, element, &[bins, bands], &numbers))
}

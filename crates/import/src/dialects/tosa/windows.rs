//! TOSA's convolutions, pools and matrix products. Images are `[N, H, W, C]`, kernels `[O, H, W, I]`.

use fornax_graph::views::DotDims;
use fornax_graph::{Dim, ElementType, Op, OpKind, Type, ValueId};

use super::elementwise::{extreme_of, saturate};
use super::{ignores_nan, list, scalar, without_zero_point};
use crate::dialects::build::{Number, Window, numbers};
use crate::dialects::converter::{Converter, Result};
use crate::dialects::convolution::Convolution;
use crate::dialects::reduction::least;

/// Both operands without their zero points, of one element type.
fn factors(c: &mut Converter, op: &Op, zero_points: [usize; 2]) -> Result<(ValueId, ValueId)> {
    let (a, b) = (c.operand(op, 0)?, c.operand(op, 1)?);
    let (mut a, mut b) = (without_zero_point(c, op, a, zero_points[0])?, without_zero_point(c, op, b, zero_points[1])?);
    let (left, right) = (c.b.element(a), c.b.element(b));
    if left != right {
        let wide = match (left.is_float(), right.is_float()) {
            (false, false) if left.bits() >= right.bits() => left,
            (false, false) => right,
            _ => ElementType::F32,
        };
        (a, b) = (c.b.convert(a, wide), c.b.convert(b, wide));
    }
    Ok((a, b))
}

/// `[N, spatial…, C]` → `[N, C, spatial…]`.
fn channels_first(c: &mut Converter, a: ValueId) -> ValueId {
    let rank = c.b.rank(a);
    let mut order = vec![0, rank - 1];
    order.extend(1..rank - 1);
    c.b.transpose(a, &order)
}

/// `[N, C, spatial…]` → `[N, spatial…, C]`, the bias added.
fn finish(c: &mut Converter, op: &Op, a: ValueId) -> Result<Vec<ValueId>> {
    let rank = c.b.rank(a);
    let mut order = vec![0];
    order.extend(2..rank);
    order.push(1);
    let result = c.b.transpose(a, &order);
    let bias = c.operand(op, 2)?;
    if c.b.is_zero(bias) {
        return Ok(vec![result]);
    }
    let (shape, element) = (c.b.shape(result), c.b.element(result));
    let bias = c.b.convert(bias, element);
    let one = Dim::Static(1);
    let to = if c.b.shape(bias) == [one] && shape[rank - 1] != one { c.b.reshape(bias, &[]) } else { bias };
    let at: Vec<usize> = if c.b.rank(to) == 0 { Vec::new() } else { vec![rank - 1] };
    let bias = c.b.broadcast(to, &at, &shape);
    Ok(vec![c.b.binary(OpKind::Add, result, bias)])
}

fn pairs(list: &[i64]) -> Vec<(Dim, Dim)> {
    list.chunks_exact(2).map(|pair| (Dim::Static(pair[0]), Dim::Static(pair[1]))).collect()
}

/// The convolution of channels-first operands, in the shape that the op says.
fn convolved(c: &mut Converter, op: &Op, input: ValueId, kernel: ValueId, conv: &Convolution) -> Result<Vec<ValueId>> {
    let (mut shape, element) = (c.result_shape(op, 0)?, c.result_element(op, 0)?);
    let (from, size) = (c.b.shape(input), c.b.shape(kernel));
    if shape.len() != from.len() {
        return Err(c.malformed(op, "input and result must have one rank".into()));
    }
    let channels = shape.pop().unwrap_or(Dim::Static(0));
    shape.insert(1, channels);
    for d in (0..shape.len()).filter(|&d| shape[d] == Dim::Symbolic(0)).collect::<Vec<_>>() {
        shape[d] = match d {
            0 => from[0],
            1 => size[0],
            _ => {
                let spread = c.b.reach(from[d], conv.base_dilations[d - 2]);
                let window = Window {
                    size: vec![size[d]],
                    strides: vec![conv.strides[d - 2]],
                    dilations: vec![conv.dilations[d - 2]],
                    padding: vec![conv.padding[d - 2]],
                };
                c.b.positions(&window, 0, spread)
            }
        };
    }
    let result = c.b.convolve(input, kernel, conv, (&shape, element));
    finish(c, op, result)
}

fn spatial_rank(c: &Converter, op: &Op, input: ValueId, kernel: ValueId) -> Result<usize> {
    let rank = c.b.rank(input);
    if rank < 3 || c.b.rank(kernel) != rank {
        return Err(c.malformed(op, "input and kernel must have one rank, at least 3".into()));
    }
    Ok(rank - 2)
}

pub fn conv(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (input, kernel) = factors(c, op, [3, 4])?;
    let n = spatial_rank(c, op, input, kernel)?;
    let (input, kernel) = (channels_first(c, input), channels_first(c, kernel));
    let conv = Convolution {
        strides: c.ints_of(op, "stride", n)?,
        dilations: c.ints_of(op, "dilation", n)?,
        padding: pairs(&c.ints_of(op, "pad", 2 * n)?),
        ..Convolution::plain(n)
    };
    convolved(c, op, input, kernel, &conv)
}

/// Kernels `[H, W, C, M]`; channel `c * M + m` of the result comes from channel `c`.
pub fn depthwise(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (input, kernel) = factors(c, op, [3, 4])?;
    let n = spatial_rank(c, op, input, kernel)?;
    if n != 2 {
        return Err(c.malformed(op, "the input must have rank 4".into()));
    }
    let shape = c.b.shape(kernel);
    let Some(groups) = shape[2].as_static() else {
        return Err(c.unsupported(op, "a number of channels that is not known".into()));
    };
    let kernel = c.b.transpose(kernel, &[2, 3, 0, 1]);
    let outputs = c.b.scaled(shape[3], groups, 0);
    let kernel = c.b.reshape(kernel, &[outputs, Dim::Static(1), shape[0], shape[1]]);
    let input = channels_first(c, input);
    let conv = Convolution {
        strides: c.ints_of(op, "stride", n)?,
        dilations: c.ints_of(op, "dilation", n)?,
        padding: pairs(&c.ints_of(op, "pad", 2 * n)?),
        groups,
        ..Convolution::plain(n)
    };
    convolved(c, op, input, kernel, &conv)
}

/// A convolution of the input spread by the stride, with the kernel reversed.
pub fn transpose_conv2d(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (input, kernel) = factors(c, op, [3, 4])?;
    let n = spatial_rank(c, op, input, kernel)?;
    let (input, kernel) = (channels_first(c, input), channels_first(c, kernel));
    let reach: Vec<Dim> = c.b.shape(kernel)[2..].iter().map(|&k| c.b.graph.dim_sub(k, Dim::Static(1))).collect();
    let out = pairs(&c.ints_of(op, "out_pad", 2 * n)?);
    let padding = out.iter().zip(&reach).map(|(&(l, h), &k)| (c.b.plus(k, l), c.b.plus(k, h))).collect();
    let conv =
        Convolution { base_dilations: c.ints_of(op, "stride", n)?, padding, reversed: true, ..Convolution::plain(n) };
    convolved(c, op, input, kernel, &conv)
}

pub fn matmul(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, b) = factors(c, op, [2, 3])?;
    if c.b.rank(a) != 3 || c.b.rank(b) != 3 {
        return Err(c.malformed(op, "the operands must have rank 3".into()));
    }
    let to = c.result_element(op, 0)?;
    let numbers = DotDims { lhs_batch: vec![0], rhs_batch: vec![0], lhs_contract: vec![2], rhs_contract: vec![1] };
    Ok(vec![c.b.dot(a, b, &numbers, to)])
}

fn pool_window(c: &Converter, op: &Op, input: ValueId) -> Result<Window> {
    if c.b.rank(input) != 4 {
        return Err(c.malformed(op, "the input must have rank 4".into()));
    }
    let (size, strides, pad) = (c.ints_of(op, "kernel", 2)?, c.ints_of(op, "stride", 2)?, c.ints_of(op, "pad", 4)?);
    if size.iter().chain(&strides).any(|&n| n < 1) || pad.iter().any(|&n| n < 0) {
        return Err(c.malformed(op, "windows and strides must be positive, padding not negative".into()));
    }
    let mut window = Window::unit(4);
    for d in 0..2 {
        window.size[d + 1] = Dim::Static(size[d]);
        window.strides[d + 1] = strides[d];
        window.padding[d + 1] = (Dim::Static(pad[2 * d]), Dim::Static(pad[2 * d + 1]));
    }
    Ok(window)
}

pub fn max_pool2d(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let window = pool_window(c, op, a)?;
    let (element, ignore) = (c.b.element(a), ignores_nan(c, op));
    let scalars = [Type::tensor(&[], element), Type::tensor(&[], element)];
    let region = c.b.region(&scalars, |b, v| vec![extreme_of(b, OpKind::Maximum, ignore, v[0], v[1])]);
    let first = c.b.splat(&[], element, least("arith.maxsi", element));
    Ok(vec![c.b.reduce_window(a, first, region, &window)])
}

/// Means over the elements of a window that are inside the image.
pub fn avg_pool2d(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    let window = pool_window(c, op, a)?;
    let a = without_zero_point(c, op, a, 1)?;
    let wide = match element {
        ElementType::F64 => ElementType::F64,
        e if e.is_float() => ElementType::F32,
        _ => ElementType::I32,
    };
    let a = c.b.convert(a, wide);
    let first = c.zeros(&[], wide);
    let region = c.b.reducer(OpKind::Add, wide);
    let sums = c.b.reduce_window(a, first, region, &window);
    let out = c.b.shape(sums);
    let (Some(image), Some(grid)) = (numbers(&shape[1..3]), numbers(&out[1..3])) else {
        // Images of run time: the elements are counted by the same windows.
        if !element.is_float() {
            return Err(c.unsupported(op, "means of integers over images whose size is not known".into()));
        }
        let ones = c.b.splat(&shape[1..3], wide, Number::Int(1));
        let region = c.b.reducer(OpKind::Add, wide);
        let inner = |list: &[i64]| list[1..3].to_vec();
        let window = Window {
            size: window.size[1..3].to_vec(),
            strides: inner(&window.strides),
            dilations: inner(&window.dilations),
            padding: window.padding[1..3].to_vec(),
        };
        let counts = c.b.reduce_window(ones, first, region, &window);
        let counts = c.b.broadcast(counts, &[1, 2], &out);
        let means = c.b.binary(OpKind::Divide, sums, counts);
        return Ok(vec![c.b.convert(means, element)]);
    };
    let Some(counts) = inside(&window, &image, &grid) else {
        return Err(c.unsupported(op, "images of this size".into()));
    };
    if element.is_float() {
        let counts: Vec<f64> = counts.iter().map(|&n| n as f64).collect();
        let counts = super::floats(c, &grid, &counts, wide);
        let counts = c.b.broadcast(counts, &[1, 2], &out);
        let means = c.b.binary(OpKind::Divide, sums, counts);
        return Ok(vec![c.b.convert(means, element)]);
    }
    // As the specification divides: by a 31-bit reciprocal.
    let scales: Vec<(i64, i64)> = counts.iter().map(|&n| reciprocal(n)).collect();
    let multipliers: Vec<i64> = scales.iter().map(|s| s.0).collect();
    let shifts: Vec<i64> = scales.iter().map(|s| s.1).collect();
    let [multipliers, shifts] = [multipliers, shifts]
        .map(|values| list(c, &grid, &values, ElementType::I64))
        .map(|v| c.b.broadcast(v, &[1, 2], &out));
    let sums = c.b.convert(sums, ElementType::I64);
    let product = c.b.binary(OpKind::Multiply, sums, multipliers);
    let mut means = super::elementwise::shift_rounded(&mut c.b, product, shifts);
    if op.operands.len() > 2 {
        let zero_point = scalar(c, op, 2)?;
        let zero_point = c.b.convert(zero_point, ElementType::I64);
        let zero_point = c.b.broadcast(zero_point, &[], &out);
        means = c.b.binary(OpKind::Add, means, zero_point);
    }
    Ok(vec![saturate(&mut c.b, means, element)])
}

/// Elements inside the image of the window at each place of the result; `None` when there are too many places.
fn inside(window: &Window, from: &[i64], to: &[i64]) -> Option<Vec<i64>> {
    if to[0].checked_mul(to[1])? > 1 << 24 {
        return None;
    }
    let count = |d: usize, at: i64| {
        let (size, low) = (window.size[d + 1].as_static()?, window.padding[d + 1].0.as_static()?);
        let start = at.checked_mul(window.strides[d + 1])?.checked_sub(low)?;
        Some(start.checked_add(size)?.min(from[d]).checked_sub(start.max(0))?.max(0))
    };
    let rows: Vec<i64> = (0..to[0]).map(|y| count(0, y)).collect::<Option<_>>()?;
    let columns: Vec<i64> = (0..to[1]).map(|x| count(1, x)).collect::<Option<_>>()?;
    rows.iter().flat_map(|y| columns.iter().map(move |x| Some(y.checked_mul(*x)?.max(1)))).collect()
}

/// `multiplier >> shift` ≈ 1 / n.
fn reciprocal(n: i64) -> (i64, i64) {
    let k = i64::from(64 - ((n - 1) as u64).leading_zeros());
    ((((1i128 << 30) + 1) << k).div_euclid(n.into()) as i64, 30 + k)
}

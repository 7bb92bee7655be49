//! Sampling at places that are computed: grids, deformed kernels.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_types::Scalar;

use super::{Row, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[one("GridSample", grid_sample), one("AffineGrid", affine_grid), one("DeformConv", deformed)];

/// What stands outside of the data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outside {
    Zeros,
    Border,
    Reflection,
}

/// How a sampler works.
pub(super) struct Sampler {
    pub outside: Outside,
    pub aligned: bool,
    /// `[N]`: which of the data's images the places are of; `None`: image `n` for places `n`.
    pub images: Option<ValueId>,
}

/// A number of elements as a float in the shape of `like`.
pub(super) fn size_like(c: &mut Converter, size: Dim, like: ValueId) -> ValueId {
    super::reduce::count_like(c, size, like)
}

/// A place beyond an edge, mirrored at it as often as needed.
fn reflected(c: &mut Converter, x: ValueId, size: ValueId, aligned: bool) -> ValueId {
    let shift = if aligned { (0.0, -1.0) } else { (-0.5, -0.5) };
    let low = c.number(x, shift.0);
    let high = c.with_number(OpKind::Add, size, shift.1);
    let range = c.subtract(high, low);
    let range = c.with_number(OpKind::Maximum, range, 1e-9);
    let mirror = |c: &mut Converter, from: ValueId, to: ValueId, distance: ValueId, sign: OpKind| {
        let turns = c.divide(distance, range);
        let turns = c.b.unary(OpKind::Floor, turns);
        let whole = c.multiply(turns, range);
        let rest = c.subtract(distance, whole);
        let half = c.with_number(OpKind::Multiply, turns, 0.5);
        let floor = c.b.unary(OpKind::Floor, half);
        let is_even = c.b.compare("EQ", half, floor);
        let back = if sign == OpKind::Add { OpKind::Subtract } else { OpKind::Add };
        let (near, far) = (c.b.binary(sign, from, rest), c.b.binary(back, to, rest));
        c.b.select(is_even, near, far)
    };
    let (under, over) = (c.subtract(low, x), c.subtract(x, high));
    let from_low = mirror(c, low, high, under, OpKind::Add);
    let from_high = mirror(c, high, low, over, OpKind::Subtract);
    let (below, above) = (c.b.compare("LT", x, low), c.b.compare("GT", x, high));
    let x = c.b.select(above, from_high, x);
    c.b.select(below, from_low, x)
}

/// Elements of `a` `[images, spatial…, C]` at whole places, one list of floats `[N, out…]` a dimension:
/// `[N, out…, C]`.
pub(super) fn pixels(c: &mut Converter, a: ValueId, places: &[ValueId], sampler: &Sampler) -> ValueId {
    let shape = c.b.shape(a);
    let n = places.len();
    let out = c.b.shape(places[0]);
    let mut one = out.clone();
    one.push(Dim::Static(1));
    let mut parts = vec![match sampler.images {
        Some(images) => c.b.broadcast(images, &[0], &one),
        None => c.b.iota(&one, ElementType::I64, 0),
    }];
    let mut inside: Option<ValueId> = None;
    for (d, &place) in places.iter().enumerate() {
        let size = size_like(c, shape[d + 1], place);
        let last = c.with_number(OpKind::Subtract, size, 1.0);
        let zero = c.number(place, 0.0);
        let place = match sampler.outside {
            Outside::Reflection => reflected(c, place, size, sampler.aligned),
            _ => place,
        };
        if sampler.outside == Outside::Zeros {
            let (low, high) = (c.b.compare("GE", place, zero), c.b.compare("LE", place, last));
            let both = c.b.binary(OpKind::And, low, high);
            inside = Some(inside.map_or(both, |old| c.b.binary(OpKind::And, old, both)));
        }
        let place = c.b.binary(OpKind::Maximum, place, zero);
        let place = c.b.binary(OpKind::Minimum, place, last);
        let place = c.b.convert(place, ElementType::I64);
        parts.push(c.b.reshape(place, &one));
    }
    let at = c.b.concatenate(&parts, out.len());
    let found = c.b.gather(a, at, &(0..=n).collect::<Vec<_>>());
    let Some(inside) = inside else { return found };
    let wide = c.b.shape(found);
    let inside = c.b.broadcast(inside, &(0..out.len()).collect::<Vec<_>>(), &wide);
    let zero = c.number(found, 0.0);
    c.b.select(inside, found, zero)
}

/// Weighted sums of the neighbours of places.
pub(super) fn interpolated(
    c: &mut Converter,
    a: ValueId,
    places: &[ValueId],
    is_cubic: bool,
    sampler: &Sampler,
) -> ValueId {
    let n = places.len();
    let bases: Vec<ValueId> = places.iter().map(|&p| c.b.unary(OpKind::Floor, p)).collect();
    let ratios: Vec<ValueId> = places.iter().zip(&bases).map(|(&p, &b)| c.subtract(p, b)).collect();
    let (first, each) = if is_cubic { (-1, 4) } else { (0, 2) };
    let weights: Vec<Vec<ValueId>> =
        ratios.iter().map(|&r| (0..each).map(|k| weight(c, r, (first + k) as f64, is_cubic)).collect()).collect();
    let element = c.b.element(a);
    let mut sum: Option<ValueId> = None;
    for number in 0..(each as usize).pow(n as u32) {
        let mut rest = number;
        let (mut at, mut factor): (Vec<ValueId>, Option<ValueId>) = (Vec::new(), None);
        for d in 0..n {
            let k = rest % each as usize;
            rest /= each as usize;
            at.push(c.with_number(OpKind::Add, bases[d], (first + k as i64) as f64));
            factor = Some(factor.map_or(weights[d][k], |old| c.multiply(old, weights[d][k])));
        }
        let found = pixels(c, a, &at, sampler);
        let Some(factor) = factor else { continue };
        let shape = c.b.shape(found);
        let factor = c.b.convert(factor, element);
        let factor = c.b.broadcast(factor, &(0..shape.len() - 1).collect::<Vec<_>>(), &shape);
        let part = c.multiply(found, factor);
        sum = Some(sum.map_or(part, |sum| c.add(sum, part)));
    }
    sum.unwrap_or(a)
}

/// The weight of the neighbour at `offset` from the place's floor.
pub(super) fn weight(c: &mut Converter, ratio: ValueId, offset: f64, is_cubic: bool) -> ValueId {
    let distance = c.with_number(OpKind::Subtract, ratio, offset);
    let x = c.b.unary(OpKind::Abs, distance);
    if !is_cubic {
        let one = c.number(x, 1.0);
        return c.subtract(one, x);
    }
    let alpha = -0.75;
    let polynomial = |c: &mut Converter, numbers: [f64; 4]| {
        let mut sum = c.number(x, numbers[0]);
        for number in &numbers[1..] {
            let product = c.multiply(sum, x);
            sum = c.with_number(OpKind::Add, product, *number);
        }
        sum
    };
    match offset {
        0.0 | 1.0 => polynomial(c, [alpha + 2.0, -(alpha + 3.0), 0.0, 1.0]),
        _ => polynomial(c, [alpha, -5.0 * alpha, 8.0 * alpha, -4.0 * alpha]),
    }
}

/// Channels last, and back.
pub(super) fn channels_last(c: &mut Converter, a: ValueId) -> ValueId {
    let rank = c.b.rank(a);
    let order: Vec<usize> = std::iter::once(0).chain(2..rank).chain([1]).collect();
    c.b.transpose(a, &order)
}

pub(super) fn channels_second(c: &mut Converter, a: ValueId) -> ValueId {
    let rank = c.b.rank(a);
    let order: Vec<usize> = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
    c.b.transpose(a, &order)
}

/// One list of a last dimension.
pub(super) fn picked(c: &mut Converter, a: ValueId, number: i64) -> ValueId {
    let mut shape = c.b.shape(a);
    let axis = shape.len() - 1;
    let part = c.b.slice_dim(a, axis, Dim::Static(number), Dim::Static(number + 1));
    shape.pop();
    c.b.reshape(part, &shape)
}

fn grid_sample(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, grid) = (node.input(0)?, node.input(1)?);
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    let n = shape.len().saturating_sub(2);
    if n == 0 || c.b.shape(grid).last() != Some(&Dim::Static(n as i64)) {
        return Err(node.broken("the grid does not fit the data"));
    }
    let batch = c.of_rank(node, grid, n + 2)?[0];
    c.same(node, shape[0], batch)?;
    let outside = match node.text_or("padding_mode", "zeros") {
        "zeros" => Outside::Zeros,
        "border" => Outside::Border,
        "reflection" => Outside::Reflection,
        other => return Err(node.broken(format!("padding_mode `{other}`; known: zeros, border, reflection"))),
    };
    let sampler = Sampler { outside, aligned: node.is_set("align_corners"), images: None };
    let mode = node.text_or("mode", "linear").to_string();
    let is_nearest = mode == "nearest";
    // Coordinates stand in the order of the last dimension first.
    let mut places = Vec::new();
    for d in 0..n {
        let x = picked(c, grid, (n - 1 - d) as i64);
        let x = c.wide(x);
        let size = size_like(c, shape[d + 2], x);
        let moved = c.with_number(OpKind::Add, x, 1.0);
        let x = match sampler.aligned {
            true => {
                let half = c.with_number(OpKind::Multiply, moved, 0.5);
                let less = c.with_number(OpKind::Subtract, size, 1.0);
                c.multiply(half, less)
            }
            false => {
                let far = c.multiply(moved, size);
                let far = c.with_number(OpKind::Subtract, far, 1.0);
                c.with_number(OpKind::Multiply, far, 0.5)
            }
        };
        let x = if is_nearest { c.b.unary(OpKind::RoundNearestEven, x) } else { x };
        let x = match outside {
            Outside::Zeros => x,
            Outside::Border => {
                let low = c.with_number(OpKind::Maximum, x, 0.0);
                let last = c.with_number(OpKind::Subtract, size, 1.0);
                c.b.binary(OpKind::Minimum, low, last)
            }
            Outside::Reflection => {
                let x = reflected(c, x, size, sampler.aligned);
                if is_nearest { truncated(c, x) } else { x }
            }
        };
        places.push(x);
    }
    let last = channels_last(c, a);
    let last = if element.is_float() { c.wide(last) } else { last };
    let result = match mode.as_str() {
        "nearest" => pixels(c, last, &places, &sampler),
        "linear" | "bilinear" => interpolated(c, last, &places, false, &sampler),
        "cubic" | "bicubic" => interpolated(c, last, &places, true, &sampler),
        other => return Err(node.broken(format!("mode `{other}`; known: nearest, linear, cubic"))),
    };
    let result = channels_second(c, result);
    Ok(c.b.convert(result, element))
}

fn truncated(c: &mut Converter, x: ValueId) -> ValueId {
    let size = c.b.unary(OpKind::Abs, x);
    let size = c.b.unary(OpKind::Floor, size);
    let sign = c.b.unary(OpKind::Sign, x);
    c.multiply(size, sign)
}

/// Places of a grid from -1 to 1, by a matrix each.
fn affine_grid(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let theta = node.input(0)?;
    let size = c.amounts(node, 1)?;
    let element = c.b.element(theta);
    let n = size.len().saturating_sub(2);
    if !(2..=3).contains(&n) {
        return Err(node.broken("four or five sizes are expected"));
    }
    let spatial = &size[2..];
    let mut one = spatial.to_vec();
    one.push(Dim::Static(1));
    let with = if element == ElementType::F64 { element } else { ElementType::F32 };
    let mut parts = Vec::new();
    // x, y, z: the last dimension first; then ones.
    for d in (0..n).rev() {
        let numbers = c.b.iota(&one, with, d);
        let count = size_like(c, spatial[d], numbers);
        let place = if node.is_set("align_corners") {
            let less = c.with_number(OpKind::Subtract, count, 1.0);
            let less = c.with_number(OpKind::Maximum, less, 1.0);
            let twice = c.with_number(OpKind::Multiply, numbers, 2.0);
            c.divide(twice, less)
        } else {
            let twice = c.with_number(OpKind::Multiply, numbers, 2.0);
            let middle = c.with_number(OpKind::Add, twice, 1.0);
            c.divide(middle, count)
        };
        parts.push(c.with_number(OpKind::Subtract, place, 1.0));
    }
    parts.push(c.b.splat(&one, with, Scalar::Int(1)));
    let all = c.b.concatenate(&parts, n);
    let theta = c.b.convert(theta, with);
    // [N, n, n + 1] · [spatial…, n + 1] over the last: [N, n, spatial…].
    let result = c.b.dot(theta, all, &super::matmul::dot(vec![], vec![], vec![2], vec![n]), with);
    let order: Vec<usize> = std::iter::once(0).chain(2..n + 2).chain([1]).collect();
    let result = c.b.transpose(result, &order);
    Ok(c.b.convert(result, element))
}

/// A convolution whose kernel's places are moved by data: samples for each place, then a product.
fn deformed(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, kernel, offset) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let (shape, by, element) = (c.b.shape(a), c.b.shape(kernel), c.b.element(a));
    let numbers = |shape: &[Dim]| shape.iter().map(|d| d.as_static()).collect::<Option<Vec<i64>>>();
    let (Some(from), Some(by_numbers), Some(moved)) = (numbers(&shape), numbers(&by), numbers(&c.b.shape(offset)))
    else {
        return Err(node.error("FX1025", "sizes must be known when the model is compiled"));
    };
    let (&[n, channels, _, _], &[outputs, each, kh, kw], &[_, _, oh, ow]) =
        (from.as_slice(), by_numbers.as_slice(), moved.as_slice())
    else {
        return Err(node.broken("four dimensions are expected"));
    };
    let (groups, shifts) = (node.int_or("group", 1), node.int_or("offset_group", 1));
    let (strides, dilations) = (node.ints_of("strides", 2, 1)?, node.ints_of("dilations", 2, 1)?);
    let pads = node.ints_of("pads", 4, 0)?;
    if groups < 1 || shifts < 1 || each * groups != channels || channels % shifts != 0 || outputs % groups != 0 {
        return Err(node.broken("groups do not divide the channels"));
    }
    let known = |list: &[i64]| crate::dialects::build::known(list);
    if moved[1] != shifts * kh * kw * 2 {
        return Err(node.broken("offsets do not fit the kernel"));
    }
    // [N · shifts, kh, kw, oh, ow] of each of two coordinates.
    let offset = c.b.reshape(offset, &known(&[n * shifts, kh, kw, 2, oh, ow]));
    let out = known(&[n * shifts, kh, kw, oh, ow]);
    let mut places = Vec::new();
    for d in 0..2 {
        let part = c.b.slice_dim(offset, 3, Dim::Static(d), Dim::Static(d + 1));
        let part = c.b.reshape(part, &out);
        let part = c.wide(part);
        let with = c.b.element(part);
        let (k, o) = (c.b.iota(&out, with, 1 + d as usize), c.b.iota(&out, with, 3 + d as usize));
        let k = c.with_number(OpKind::Multiply, k, dilations[d as usize] as f64);
        let o = c.with_number(OpKind::Multiply, o, strides[d as usize] as f64);
        let at = c.add(k, o);
        let at = c.with_number(OpKind::Subtract, at, pads[d as usize] as f64);
        places.push(c.add(at, part));
    }
    let images = c.b.reshape(a, &known(&[n * shifts, channels / shifts, from[2], from[3]]));
    let images = channels_last(c, images);
    let sampler = Sampler { outside: Outside::Zeros, aligned: true, images: None };
    let mut found = interpolated(c, images, &places, false, &sampler);
    if let Some(mask) = node.optional(4) {
        let mask = c.b.reshape(mask, &out);
        let wide = c.b.shape(found);
        let mask = c.b.broadcast(mask, &[0, 1, 2, 3, 4], &wide);
        found = c.multiply(found, mask);
    }
    // To [groups, N, each, kh, kw, oh, ow], then a product a group.
    let parts = c.b.reshape(found, &known(&[n, shifts, kh, kw, oh, ow, channels / shifts]));
    let parts = c.b.transpose(parts, &[0, 1, 6, 2, 3, 4, 5]);
    let parts = c.b.reshape(parts, &known(&[n, groups, each, kh, kw, oh, ow]));
    let weights = c.b.reshape(kernel, &known(&[groups, outputs / groups, each, kh, kw]));
    let dims = super::matmul::dot(vec![0], vec![1], vec![2, 3, 4], vec![2, 3, 4]);
    let result = c.b.dot(weights, parts, &dims, element);
    // [groups, outputs / groups, N, oh, ow]
    let result = c.b.transpose(result, &[2, 0, 1, 3, 4]);
    let result = c.b.reshape(result, &known(&[n, outputs, oh, ow]));
    let Some(bias) = node.optional(3) else { return Ok(result) };
    let wide = c.b.shape(result);
    let bias = c.b.broadcast(bias, &[1], &wide);
    Ok(c.add(result, bias))
}

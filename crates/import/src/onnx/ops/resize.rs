//! Resizing: one axis after the other, each element of the result a weighted sum of a few of the operand's.
//!
//! Where sizes are numbers, places and weights are constants that are worked out here, in f64. Where they are sizes of
//! run time, they are computed by the model, in f32.

use fornax_graph::{Constant, Dim, ElementType, OpKind, TensorType, ValueId};
use fornax_types::Scalar;

use super::shape::take;
use super::{Row, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[one("Resize", resize), one("Upsample", upsample)];

/// How a node resizes.
struct How {
    mode: Mode,
    /// `half_pixel`, `align_corners`, …
    coordinates: String,
    nearest: String,
    cubic: f64,
    is_smoothed: bool,
    excludes_outside: bool,
    extrapolation: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Nearest,
    Linear,
    Cubic,
}

/// An axis and what becomes of it.
struct Axis {
    axis: usize,
    from: Dim,
    to: Dim,
    /// As the node says it, or the quotient of the sizes; `None` where that is known at run time only.
    scale: Option<f64>,
    /// The part of the axis that is cut out, for `tf_crop_and_resize`.
    part: (f64, f64),
    /// Its start and end where they are data, f32.
    read: Option<[ValueId; 2]>,
}

fn upsample(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let scales = match node.floats("scales").filter(|_| node.version < 9) {
        Some(scales) => scales,
        None => c.float_numbers(node, 1)?,
    };
    let mode = match node.text_or("mode", "nearest") {
        "nearest" => Mode::Nearest,
        "linear" | "bilinear" => Mode::Linear,
        other => return Err(node.broken(format!("mode `{other}`; known: nearest, linear"))),
    };
    let how = How { mode, coordinates: "asymmetric".into(), nearest: "floor".into(), ..How::plain() };
    let rank = c.b.rank(a);
    let axes = by_scales(c, node, a, &(0..rank).collect::<Vec<_>>(), &scales)?;
    all_axes(c, node, a, &how, axes)
}

impl How {
    fn plain() -> How {
        How {
            mode: Mode::Nearest,
            coordinates: "half_pixel".into(),
            nearest: "round_prefer_floor".into(),
            cubic: -0.75,
            is_smoothed: false,
            excludes_outside: false,
            extrapolation: 0.0,
        }
    }
}

fn resize(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let rank = c.b.rank(a);
    let is_old = node.version < 11;
    let mode = match node.text_or("mode", "nearest") {
        "nearest" => Mode::Nearest,
        "linear" => Mode::Linear,
        "cubic" => Mode::Cubic,
        other => return Err(node.broken(format!("mode `{other}`; known: nearest, linear, cubic"))),
    };
    let plain = How::plain();
    let how = How {
        mode,
        coordinates: match is_old {
            true => "asymmetric".into(),
            false => node.text_or("coordinate_transformation_mode", &plain.coordinates).to_string(),
        },
        nearest: if is_old { "floor".into() } else { node.text_or("nearest_mode", &plain.nearest).to_string() },
        cubic: node.float_or("cubic_coeff_a", plain.cubic),
        is_smoothed: node.is_set("antialias"),
        excludes_outside: node.is_set("exclude_outside"),
        extrapolation: node.float_or("extrapolation_value", 0.0),
    };
    let axes: Vec<usize> = match node.ints("axes") {
        Some(list) => list.iter().map(|&axis| node.axis_of(axis, rank)).collect::<Result<Vec<_>>>()?,
        None => (0..rank).collect(),
    };
    let (scales_at, sizes_at) = if is_old { (1, 3) } else { (2, 3) };
    let mut list = match node.optional(sizes_at) {
        Some(_) => by_sizes(c, node, a, &axes, sizes_at)?,
        None => {
            let scales = c.float_numbers(node, scales_at)?;
            by_scales(c, node, a, &axes, &scales)?
        }
    };
    if how.coordinates == "tf_crop_and_resize" {
        cut_out(c, node, &mut list)?;
    }
    all_axes(c, node, a, &how, list)
}

/// The region that the second input gives: starts of the axes, then their ends.
fn cut_out(c: &mut Converter, node: &Node, list: &mut [Axis]) -> Result<()> {
    let (region, count) = (node.input(1)?, list.len());
    if c.of_rank(node, region, 1)? != [Dim::Static(2 * count as i64)] {
        return Err(node.broken("the region has another number of axes"));
    }
    let known = c.known_floats(region);
    let region = c.b.convert(region, ElementType::F32);
    for (k, one) in list.iter_mut().enumerate() {
        match &known {
            Some(region) => one.part = (region[k], region[k + count]),
            None => {
                one.read = Some([k, k + count].map(|at| {
                    let at = at as i64;
                    let end = c.b.slice_dim(region, 0, Dim::Static(at), Dim::Static(at + 1));
                    c.b.reshape(end, &[])
                }));
            }
        }
    }
    Ok(())
}

fn by_scales(c: &mut Converter, node: &Node, a: ValueId, axes: &[usize], scales: &[f64]) -> Result<Vec<Axis>> {
    if scales.len() != axes.len() || scales.iter().any(|s| !(*s > 0.0 && *s < 1e6)) {
        return Err(node.broken(format!("scales {scales:?} for {} axes", axes.len())));
    }
    let shape = c.b.shape(a);
    let mut list = Vec::new();
    for (&axis, &scale) in axes.iter().zip(scales) {
        let from = shape[axis];
        let to = match from {
            // In f32, as shapes of ONNX are inferred: 10 · 0.7 is 7 there, and 6.9999999 in f64.
            Dim::Static(n) => Dim::Static((n as f32 * scale as f32).floor() as i64),
            size if scale == scale.round() => c.b.scaled(size, scale as i64, 0),
            size if (1.0 / scale) == (1.0 / scale).round() => {
                c.b.graph.dim_floor_div(size, Dim::Static((1.0 / scale) as i64))
            }
            _ => {
                return Err(node.error("FX1025", format!("a size of run time by {scale}: whole numbers are supported")));
            }
        };
        list.push(Axis { axis, from, to, scale: Some(scale), part: (0.0, 1.0), read: None });
    }
    Ok(list)
}

fn by_sizes(c: &mut Converter, node: &Node, a: ValueId, axes: &[usize], at: usize) -> Result<Vec<Axis>> {
    let sizes = c.amounts(node, at)?;
    if sizes.len() != axes.len() {
        return Err(node.broken(format!("{} sizes for {} axes", sizes.len(), axes.len())));
    }
    c.not_negative(node, &sizes)?;
    let shape = c.b.shape(a);
    let mut list: Vec<Axis> = axes
        .iter()
        .zip(&sizes)
        .map(|(&axis, &to)| {
            let scale = match (shape[axis], to) {
                (Dim::Static(from), Dim::Static(to)) => Some(to as f64 / from as f64),
                _ => None,
            };
            Axis { axis, from: shape[axis], to, scale, part: (0.0, 1.0), read: None }
        })
        .collect();
    let policy = node.text_or("keep_aspect_ratio_policy", "stretch");
    // Ways of resizing that need numbers say which input lacks them.
    let mode = node.text_or("mode", "nearest");
    let coordinates = node.text_or("coordinate_transformation_mode", "half_pixel");
    let is_plain = policy == "stretch"
        && mode != "cubic"
        && ["asymmetric", "half_pixel", "pytorch_half_pixel", "align_corners", "tf_crop_and_resize"]
            .contains(&coordinates)
        && !["antialias", "exclude_outside"].iter().any(|name| node.is_set(name));
    if !is_plain {
        c.numbers(node, at)?;
    }
    if policy == "stretch" {
        return Ok(list);
    }
    let scales: Option<Vec<f64>> = list.iter().map(|one| one.scale).collect();
    let scales = scales.ok_or_else(|| node.error("FX1025", "sizes of a kept ratio must be known"))?;
    let scale = match policy {
        "not_larger" => scales.iter().copied().fold(f64::INFINITY, f64::min),
        "not_smaller" => scales.iter().copied().fold(0.0, f64::max),
        other => return Err(node.broken(format!("keep_aspect_ratio_policy `{other}`"))),
    };
    for one in &mut list {
        one.scale = Some(scale);
        one.to = Dim::Static((scale * one.from.as_static().unwrap_or(0) as f64 + 0.5).floor() as i64);
    }
    Ok(list)
}

fn all_axes(c: &mut Converter, node: &Node, a: ValueId, how: &How, axes: Vec<Axis>) -> Result<ValueId> {
    let element = c.b.element(a);
    // Weighted sums are of floats; elements that are only moved stay what they are.
    let mut value =
        if how.mode == Mode::Nearest || element == ElementType::F64 { a } else { c.b.convert(a, ElementType::F32) };
    for one in axes {
        let whole = one.part == (0.0, 1.0) && one.read.is_none();
        if one.from == one.to && one.scale.is_none_or(|s| (s - 1.0).abs() < 1e-9) && whole {
            continue;
        }
        value = match repeated(how, &one) {
            Some(times) => repeat(c, value, one.axis, times),
            None => match (one.from, one.to, one.scale) {
                (Dim::Static(from), Dim::Static(to), Some(scale)) if one.read.is_none() => {
                    known_axis(c, node, value, (how, &one), &Sizes { from, to, scale })?
                }
                _ => open_axis(c, node, value, how, &one)?,
            },
        };
    }
    if element.is_integer() && how.mode != Mode::Nearest {
        let rounded = c.b.unary(OpKind::RoundNearestEven, value);
        return Ok(c.b.convert(rounded, element));
    }
    Ok(c.b.convert(value, element))
}

/// How often each element stands in the result, where that is all there is to do.
fn repeated(how: &How, one: &Axis) -> Option<i64> {
    let times = one.scale.filter(|s| *s == s.round() && *s >= 1.0)? as i64;
    let is_plain = match how.coordinates.as_str() {
        "asymmetric" => how.nearest == "floor",
        "half_pixel" | "pytorch_half_pixel" => how.nearest.starts_with("round"),
        _ => false,
    };
    let fits = match (one.from, one.to) {
        (Dim::Static(from), Dim::Static(to)) => from.checked_mul(times) == Some(to) && to > 1,
        _ => how.coordinates != "pytorch_half_pixel",
    };
    (how.mode == Mode::Nearest && is_plain && fits).then_some(times)
}

fn repeat(c: &mut Converter, a: ValueId, axis: usize, times: i64) -> ValueId {
    let mut shape = c.b.shape(a);
    let mut wide = shape.clone();
    wide.insert(axis + 1, Dim::Static(times));
    let to: Vec<usize> = (0..wide.len()).filter(|&d| d != axis + 1).collect();
    let all = c.b.broadcast(a, &to, &wide);
    shape[axis] = c.b.scaled(shape[axis], times, 0);
    c.b.reshape(all, &shape)
}

/// Sizes of an axis that are numbers.
struct Sizes {
    from: i64,
    to: i64,
    scale: f64,
}

/// Where element `y` of the result lies in the operand.
fn place(node: &Node, how: &How, one: &Axis, sizes: &Sizes, y: f64) -> Result<f64> {
    let (from, to, scale) = (sizes.from as f64, sizes.to as f64, sizes.scale);
    let width = scale * from;
    let (start, end) = one.part;
    Ok(match how.coordinates.as_str() {
        "align_corners" if width == 1.0 => 0.0,
        "align_corners" => y * (from - 1.0) / (width - 1.0),
        "asymmetric" => y / scale,
        "tf_crop_and_resize" if width == 1.0 => (end - start) * (from - 1.0) / 2.0 + start * (from - 1.0),
        "tf_crop_and_resize" => y * (end - start) * (from - 1.0) / (width - 1.0) + start * (from - 1.0),
        "pytorch_half_pixel" if width == 1.0 => -0.5,
        "pytorch_half_pixel" | "half_pixel" => (y + 0.5) / scale - 0.5,
        "half_pixel_symmetric" => from / 2.0 * (1.0 - to / width) + (y + 0.5) / scale - 0.5,
        "tf_half_pixel_for_nn" => (y + 0.5) / scale,
        other => return Err(node.broken(format!("coordinate_transformation_mode `{other}`"))),
    })
}

/// Weights of the neighbours of a place, whose distance from the one before it is `ratio`, in (0, 1].
fn weights(node: &Node, how: &How, ratio: f64, scale: f64) -> Result<Vec<f64>> {
    let cubic = |x: f64| {
        let (x, a) = (x.abs(), how.cubic);
        match x {
            x if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
            x if x < 2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
            _ => 0.0,
        }
    };
    let linear = |x: f64| (1.0 - x.abs()).max(0.0);
    let scale = if how.is_smoothed { scale.min(1.0) } else { 1.0 };
    Ok(match how.mode {
        Mode::Nearest => {
            let second = match how.nearest.as_str() {
                _ if ratio == 1.0 => true,
                "round_prefer_floor" => ratio > 0.5,
                "round_prefer_ceil" => ratio >= 0.5,
                "floor" => false,
                "ceil" => true,
                other => return Err(node.broken(format!("nearest_mode `{other}`"))),
            };
            vec![f64::from(u8::from(!second)), f64::from(u8::from(second))]
        }
        Mode::Linear | Mode::Cubic => {
            let reach = if how.mode == Mode::Linear { 1.0 } else { 2.0 };
            let first = (-reach / scale).floor() as i64 + 1;
            let count = 2 - 2 * first;
            let curve = |x: f64| if how.mode == Mode::Linear { linear(x) } else { cubic(x) };
            let list: Vec<f64> = (first..first + count).map(|i| curve((i as f64 - ratio) * scale)).collect();
            match how.is_smoothed {
                true => {
                    let sum: f64 = list.iter().sum();
                    list.iter().map(|w| w / sum).collect()
                }
                false => list,
            }
        }
    })
}

/// An axis of known sizes: for each neighbour its places and weights, as constants.
fn known_axis(c: &mut Converter, node: &Node, a: ValueId, (how, one): (&How, &Axis), sizes: &Sizes) -> Result<ValueId> {
    let &Sizes { from, to, scale } = sizes;
    if from < 1 || !(0..=1 << 28).contains(&to) {
        return Err(node.broken(format!("from {from} to {to} elements")));
    }
    let (mut places, mut factors): (Vec<Vec<i64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let mut outside = Vec::new();
    for y in 0..to {
        let x = place(node, how, one, sizes, y as f64)?;
        outside.push(u8::from(x < 0.0 || x > (from - 1) as f64));
        let before = x.ceil() - 1.0;
        let mut list = weights(node, how, x - before, scale)?;
        let n = list.len();
        let first = before as i64 - n as i64 / 2 + 1;
        if how.excludes_outside {
            for (k, weight) in (0..).zip(&mut list) {
                if !(0..from).contains(&(first + k)) {
                    *weight = 0.0;
                }
            }
            let sum: f64 = list.iter().sum();
            list.iter_mut().for_each(|weight| *weight /= sum);
        }
        places.resize(n, Vec::new());
        factors.resize(n, Vec::new());
        for (k, weight) in list.into_iter().enumerate() {
            places[k].push((first + k as i64).clamp(0, from - 1));
            factors[k].push(weight);
        }
    }
    let result = if how.mode == Mode::Nearest {
        let picked: Vec<i64> =
            (0..to as usize).map(|y| if factors[0][y] > 0.0 { places[0][y] } else { places[1][y] }).collect();
        let at = c.vector(&picked);
        take(c, a, at, one.axis)
    } else {
        let mut sum: Option<ValueId> = None;
        for (places, factors) in places.iter().zip(&factors) {
            if factors.iter().all(|&w| w == 0.0) {
                continue;
            }
            let at = c.vector(places);
            let part = take(c, a, at, one.axis);
            let (shape, element) = (c.b.shape(part), c.b.element(part));
            let mut bytes = Vec::new();
            factors.iter().for_each(|&w| element.encode(Scalar::Float(w), &mut bytes));
            let factor = c.b.constant(Constant::dense(TensorType::new(&[to], element), bytes));
            let factor = c.b.broadcast(factor, &[one.axis], &shape);
            let part = c.multiply(part, factor);
            sum = Some(sum.map_or(part, |sum| c.add(sum, part)));
        }
        sum.ok_or_else(|| node.broken("the result is empty"))?
    };
    if how.coordinates != "tf_crop_and_resize" || outside.iter().all(|&x| x == 0) {
        return Ok(result);
    }
    let shape = c.b.shape(result);
    let mask = c.b.constant(Constant::dense(TensorType::new(&[to], ElementType::I1), outside));
    let mask = c.b.broadcast(mask, &[one.axis], &shape);
    let beyond = c.number(result, how.extrapolation);
    Ok(c.b.select(mask, beyond, result))
}

/// An axis of sizes, or of a region, of run time: nearest and linear.
fn open_axis(c: &mut Converter, node: &Node, a: ValueId, how: &How, one: &Axis) -> Result<ValueId> {
    if how.mode == Mode::Cubic || how.is_smoothed || how.excludes_outside {
        return Err(node.error("FX1025", "sizes must be known for this way of resizing"));
    }
    let y = c.b.iota(&[one.to], ElementType::F32, 0);
    let size = |c: &mut Converter, size: Dim| super::reduce::count_like(c, size, y);
    let (from, to) = (size(c, one.from), size(c, one.to));
    let scale = match one.scale {
        Some(scale) => c.number(y, scale),
        None => c.divide(to, from),
    };
    let x = match how.coordinates.as_str() {
        "asymmetric" => c.divide(y, scale),
        "half_pixel" => {
            let middle = c.with_number(OpKind::Add, y, 0.5);
            let x = c.divide(middle, scale);
            c.with_number(OpKind::Subtract, x, 0.5)
        }
        "pytorch_half_pixel" => {
            let middle = c.with_number(OpKind::Add, y, 0.5);
            let x = c.divide(middle, scale);
            let x = c.with_number(OpKind::Subtract, x, 0.5);
            let one = c.number(to, 1.0);
            let single = c.b.compare("EQ", to, one);
            let half = c.number(x, -0.5);
            c.b.select(single, half, x)
        }
        "align_corners" => {
            let (less_from, less_to) =
                (c.with_number(OpKind::Subtract, from, 1.0), c.with_number(OpKind::Subtract, to, 1.0));
            let less_to = c.with_number(OpKind::Maximum, less_to, 1.0);
            let x = c.multiply(y, less_from);
            c.divide(x, less_to)
        }
        "tf_crop_and_resize" => in_region(c, one, y, (from, to)),
        other => return Err(node.error("FX1025", format!("sizes must be known for `{other}`"))),
    };
    let last = c.with_number(OpKind::Subtract, from, 1.0);
    let at = |c: &mut Converter, x: ValueId| {
        let low = c.with_number(OpKind::Maximum, x, 0.0);
        let inside = c.b.binary(OpKind::Minimum, low, last);
        let at = c.b.convert(inside, ElementType::I64);
        take(c, a, at, one.axis)
    };
    if how.mode == Mode::Nearest {
        let rounded = match how.nearest.as_str() {
            "floor" => c.b.unary(OpKind::Floor, x),
            "ceil" => c.b.unary(OpKind::Ceil, x),
            "round_prefer_floor" => {
                let less = c.with_number(OpKind::Subtract, x, 0.5);
                c.b.unary(OpKind::Ceil, less)
            }
            "round_prefer_ceil" => {
                let more = c.with_number(OpKind::Add, x, 0.5);
                c.b.unary(OpKind::Floor, more)
            }
            other => return Err(node.broken(format!("nearest_mode `{other}`"))),
        };
        let picked = at(c, rounded);
        return Ok(within(c, how, one, (x, last), picked));
    }
    let before = c.b.unary(OpKind::Floor, x);
    let ratio = c.subtract(x, before);
    let after = c.with_number(OpKind::Add, before, 1.0);
    let (first, second) = (at(c, before), at(c, after));
    let (shape, element) = (c.b.shape(first), c.b.element(first));
    let ratio = c.b.convert(ratio, element);
    let ratio = c.b.broadcast(ratio, &[one.axis], &shape);
    let difference = c.subtract(second, first);
    let part = c.multiply(difference, ratio);
    let sum = c.add(first, part);
    Ok(within(c, how, one, (x, last), sum))
}

/// Where elements `y` of an axis of `to` elements lie in the region of its `from` elements.
fn in_region(c: &mut Converter, one: &Axis, y: ValueId, (from, to): (ValueId, ValueId)) -> ValueId {
    let [start, end] = one.read.unwrap_or_else(|| {
        let of = |c: &mut Converter, at: f64| c.b.splat(&[], ElementType::F32, Scalar::Float(at));
        [of(c, one.part.0), of(c, one.part.1)]
    });
    let shape = c.b.shape(y);
    let (start, end) = (c.stretch(start, &shape), c.stretch(end, &shape));
    let last = c.with_number(OpKind::Subtract, from, 1.0);
    let (first, length) = (c.multiply(start, last), c.subtract(end, start));
    let length = c.multiply(length, last);
    let less_to = c.with_number(OpKind::Subtract, to, 1.0);
    let less_to = c.with_number(OpKind::Maximum, less_to, 1.0);
    let x = c.multiply(y, length);
    let x = c.divide(x, less_to);
    // One element lies in the middle.
    let half = c.with_number(OpKind::Multiply, length, 0.5);
    let ones = c.number(to, 1.0);
    let single = c.b.compare("EQ", to, ones);
    let x = c.b.select(single, half, x);
    c.add(x, first)
}

/// The result of an axis, with the extrapolated value at places `x` that lie outside of `0..=last`.
fn within(c: &mut Converter, how: &How, one: &Axis, (x, last): (ValueId, ValueId), result: ValueId) -> ValueId {
    if how.coordinates != "tf_crop_and_resize" {
        return result;
    }
    let zero = c.number(x, 0.0);
    let (below, above) = (c.b.compare("LT", x, zero), c.b.compare("GT", x, last));
    let outside = c.b.binary(OpKind::Or, below, above);
    let shape = c.b.shape(result);
    let outside = c.b.broadcast(outside, &[one.axis], &shape);
    let beyond = c.number(result, how.extrapolation);
    c.b.select(outside, beyond, result)
}

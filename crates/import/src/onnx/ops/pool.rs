//! Pooling.

use fornax_graph::{Dim, ElementType, NewOp, OpKind, Type, ValueId};
use fornax_types::Scalar;

use super::index::scatter;
use super::reduce::{count_like, lowest, reduced};
use super::window::Windows;
use super::{Row, many, one};
use crate::dialects::build::{Window, ints, known, ones, tensor_of};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    many("MaxPool", max_pool),
    one("AveragePool", |c, n| {
        let a = n.input(0)?;
        averaged(c, n, a)
    }),
    one("LpPool", lp_pool),
    one("GlobalAveragePool", |c, n| global(c, n, "Mean")),
    one("GlobalMaxPool", |c, n| global(c, n, "Max")),
    one("GlobalLpPool", global_lp),
    one("MaxUnpool", max_unpool),
    one("Col2Im", columns_to_image),
];

fn global(c: &mut Converter, node: &Node, name: &str) -> Result<ValueId> {
    let a = node.input(0)?;
    let axes: Vec<usize> = (2..c.b.rank(a)).collect();
    Ok(reduced(c, a, &axes, name, true))
}

fn global_lp(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let axes: Vec<usize> = (2..c.b.rank(a)).collect();
    let p = node.int_or("p", 2) as f64;
    let power = powers(c, a, p);
    let sum = reduced(c, power, &axes, "Sum", true);
    Ok(c.with_number(OpKind::Power, sum, 1.0 / p))
}

fn powers(c: &mut Converter, a: ValueId, p: f64) -> ValueId {
    let size = c.b.unary(OpKind::Abs, a);
    c.with_number(OpKind::Power, size, p)
}

fn kernel(node: &Node) -> Result<Vec<Dim>> {
    match node.ints("kernel_shape") {
        Some(list) if list.iter().all(|n| (1..=i64::from(i32::MAX)).contains(n)) => Ok(known(list)),
        _ => Err(node.broken("`kernel_shape` is missing, or has sizes out of range")),
    }
}

/// Sums over windows; outside of the data is nothing.
fn sums(c: &mut Converter, a: ValueId, windows: &Windows, is_padded: bool) -> ValueId {
    let element = c.b.element(a);
    let zero = c.b.splat(&[], element, Scalar::Int(0));
    let region = c.b.reducer(OpKind::Add, element);
    let (window, _) = windows.over_all(c, is_padded);
    let shape = placed(c, a, windows);
    c.b.reduce_window_to(a, zero, region, &window, &shape)
}

/// The shape of a value with the places of windows for its spatial dimensions.
fn placed(c: &mut Converter, a: ValueId, windows: &Windows) -> Vec<Dim> {
    let shape = c.b.shape(a);
    shape[..2].iter().chain(&windows.places).copied().collect()
}

/// The mean of what a window has; padding counts where the node says so, what lies beyond it never.
pub fn averaged(c: &mut Converter, node: &Node, a: ValueId) -> Result<ValueId> {
    let element = c.b.element(a);
    let windows = c.windows(node, a, &kernel(node)?)?;
    let wide = c.wide(a);
    let counts_padding = node.is_set("count_include_pad");
    let sum = sums(c, wide, &windows, false);
    let all = windows.elements(c);
    let is_whole = !windows.is_padded() || (counts_padding && windows.pads == windows.reached);
    let count = if is_whole {
        count_like(c, all, sum)
    } else {
        let shape = c.b.shape(a);
        let mut one: Vec<Dim> = vec![Dim::Static(1), Dim::Static(1)];
        for (d, &size) in shape[2..].iter().enumerate() {
            let (low, high) = if counts_padding { windows.pads[d] } else { (Dim::Static(0), Dim::Static(0)) };
            let size = c.b.plus(size, low);
            one.push(c.b.plus(size, high));
        }
        let with = c.b.element(sum);
        let counted = c.b.splat(&one, with, Scalar::Int(1));
        let counts = sums(c, counted, &windows, counts_padding);
        let shape = c.b.shape(sum);
        c.stretch(counts, &shape)
    };
    let mean = c.divide(sum, count);
    Ok(c.b.convert(mean, element))
}

fn lp_pool(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let windows = c.windows(node, a, &kernel(node)?)?;
    let p = node.int_or("p", 2) as f64;
    let power = powers(c, a, p);
    let sum = sums(c, power, &windows, false);
    Ok(c.with_number(OpKind::Power, sum, 1.0 / p))
}

fn max_pool(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let a = node.input(0)?;
    if !node.wants(1) {
        return Ok(vec![largest(c, node, a)?.into()]);
    }
    let (start, windows) = (least_of(c, a), c.windows(node, a, &kernel(node)?)?);
    let (window, _) = windows.over_all(c, false);
    let shape = placed(c, a, &windows);
    with_places(c, node, (a, start), (&window, &shape))
}

fn least_of(c: &mut Converter, a: ValueId) -> ValueId {
    let element = c.b.element(a);
    c.b.splat(&[], element, lowest(element))
}

/// The largest element of each window.
pub fn largest(c: &mut Converter, node: &Node, a: ValueId) -> Result<ValueId> {
    let element = c.b.element(a);
    let windows = c.windows(node, a, &kernel(node)?)?;
    let (window, _) = windows.over_all(c, false);
    let shape = placed(c, a, &windows);
    let start = least_of(c, a);
    let region = c.b.reducer(OpKind::Maximum, element);
    Ok(c.b.reduce_window_to(a, start, region, &window, &shape))
}

/// The largest of each window and where it stands in the tensor, row-major or with rows and columns exchanged.
fn with_places(
    c: &mut Converter,
    node: &Node,
    (a, start): (ValueId, ValueId),
    (window, shape): (&Window, &[Dim]),
) -> Result<Vec<Item>> {
    let (from, element) = (c.b.shape(a), c.b.element(a));
    let rank = from.len();
    let mut order: Vec<usize> = (0..rank).collect();
    if node.is_set("storage_order") {
        order[2..].reverse();
    }
    // The number of each element, dimensions in that order.
    let mut numbers = None;
    let mut behind = Dim::Static(1);
    for &d in order.iter().rev() {
        let along = c.b.iota(&from, ElementType::I64, d);
        let factor = count_like(c, behind, along);
        let part = c.multiply(along, factor);
        numbers = Some(numbers.map_or(part, |sum| c.add(sum, part)));
        behind = c.b.graph.dim_mul(behind, from[d]);
    }
    let Some(numbers) = numbers else { return Err(node.broken("a scalar has no windows")) };
    let none = c.b.splat(&[], ElementType::I64, Scalar::Int(i64::MAX.into()));
    let scalar = |e| Type::tensor(&[], e);
    let types = [scalar(element), scalar(ElementType::I64), scalar(element), scalar(ElementType::I64)];
    let region = c.b.region(&types, |b, at| {
        let better = b.compare("GT", at[0], at[2]);
        let same = b.compare("EQ", at[0], at[2]);
        let nearer = b.compare("LT", at[1], at[3]);
        let tie = b.binary(OpKind::And, same, nearer);
        let mine = b.binary(OpKind::Or, better, tie);
        vec![b.select(mine, at[0], at[2]), b.select(mine, at[1], at[3])]
    });
    let types = vec![tensor_of(shape, element), tensor_of(shape, ElementType::I64)];
    let mut op = NewOp::new(OpKind::ReduceWindow, vec![a, numbers, start, none], types, c.b.location);
    let padding: Vec<Dim> = window.padding.iter().flat_map(|&(low, high)| [low, high]).collect();
    for (name, value) in [
        ("window_dimensions", fornax_graph::Attr::of_dims(&window.size)),
        ("window_strides", ints(&window.strides)),
        ("base_dilations", ints(&ones(rank))),
        ("window_dilations", ints(&window.dilations)),
        ("padding", fornax_graph::Attr::of_dims(&padding)),
    ] {
        op.attrs.set(name, value);
    }
    op.regions.push(region);
    Ok(c.b.push(op).into_iter().map(Item::from).collect())
}

/// Writes elements back to where they were pooled from.
fn max_unpool(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, at) = (node.input(0)?, node.input(1)?);
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    let kernel = kernel(node)?;
    let n = kernel.len();
    if shape.len() != n + 2 || c.b.shape(at) != shape {
        return Err(node.broken("elements, places and windows do not fit"));
    }
    let (strides, pads) = (node.ints_of("strides", n, 1)?, node.ints_of("pads", 2 * n, 0)?);
    let mut from: Vec<Dim> = shape[..2].to_vec();
    for d in 0..n {
        let less = c.b.minus(shape[d + 2], Dim::Static(1));
        let far = c.b.scaled(less, strides[d], -pads[d] - pads[d + n]);
        from.push(c.b.plus(far, kernel[d]));
    }
    c.not_negative(node, &from)?;
    let (total, count) = (c.b.graph.dim_product(&from), c.b.graph.dim_product(&shape));
    let empty = c.b.splat(&[total], element, Scalar::Int(0));
    let (flat, places) = (c.b.reshape(a, &[count]), c.b.reshape(at, &[count, Dim::Static(1)]));
    let scalar = Type::tensor(&[], element);
    let region = c.b.region(&[scalar.clone(), scalar], |_, at| vec![at[1]]);
    let all = scatter(c, (empty, places, flat), 1, region);
    let result = c.b.reshape(all, &from);
    if node.optional(2).is_none() {
        return Ok(result);
    }
    let wanted = c.amounts(node, 2)?;
    if wanted.len() != from.len() {
        return Err(node.broken("the output's shape has another rank"));
    }
    let high: Vec<Dim> = wanted.iter().zip(&from).map(|(&to, &from)| c.b.minus(to, from)).collect();
    let zero = c.b.splat(&[], element, Scalar::Int(0));
    let rank = from.len();
    Ok(c.b.pad(result, zero, &vec![Dim::Static(0); rank], &high, &vec![0; rank]))
}

/// Adds up blocks where they overlap: for each place of a block, its elements with gaps of the strides between them.
fn columns_to_image(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let (image, block) = (c.numbers(node, 1)?, c.numbers(node, 2)?);
    let n = image.len();
    let (strides, dilations) = (node.ints_of("strides", n, 1)?, node.ints_of("dilations", n, 1)?);
    let pads = node.ints_of("pads", 2 * n, 0)?;
    let [batch, rows, columns] = c.b.shape(a)[..] else { return Err(node.broken("three dimensions are expected")) };
    let each: i64 = block.iter().product();
    if block.len() != n || !(1..=1 << 10).contains(&each) || strides.iter().chain(&dilations).any(|&x| x < 1) {
        return Err(node.broken("blocks do not fit, or are larger than 1024 elements"));
    }
    let channels = c.b.graph.dim_floor_div(rows, Dim::Static(each));
    let mut places = Vec::new();
    for d in 0..n {
        let room = image[d] + pads[d] + pads[d + n] - dilations[d] * (block[d] - 1) - 1;
        if room < 0 {
            return Err(node.broken("a block is larger than the image"));
        }
        places.push(room / strides[d] + 1);
    }
    c.same(node, columns, Dim::Static(places.iter().product()))?;
    let element = c.b.element(a);
    let mut split = vec![batch, channels, Dim::Static(each)];
    split.extend(known(&places));
    let parts = super::shape::reshaped(c, node, a, split)?;
    let zero = c.b.splat(&[], element, Scalar::Int(0));
    let mut sum: Option<ValueId> = None;
    for k in 0..each {
        let part = c.b.slice_dim(parts, 2, Dim::Static(k), Dim::Static(k + 1));
        let mut shape = vec![batch, channels];
        shape.extend(known(&places));
        let part = c.b.reshape(part, &shape);
        let (mut low, mut high, mut inside) = (vec![0i64; n + 2], vec![0i64; n + 2], vec![0i64; n + 2]);
        let mut rest = k;
        for d in (0..n).rev() {
            let at = rest % block[d];
            rest /= block[d];
            low[d + 2] = at * dilations[d] - pads[d];
            let far = (places[d] - 1) * strides[d] + 1;
            high[d + 2] = image[d] - far - low[d + 2];
            inside[d + 2] = strides[d] - 1;
        }
        let part = c.b.pad(part, zero, &known(&low), &known(&high), &inside);
        sum = Some(sum.map_or(part, |sum| c.add(sum, part)));
    }
    sum.ok_or_else(|| node.broken("there is no block"))
}

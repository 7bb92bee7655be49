//! Convolutions.

use fornax_graph::{Dim, ElementType, ValueId};

use super::matmul::dot;
use super::{Row, many, one};
use crate::dialects::build::known;
use crate::dialects::convolution::Convolution;
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] =
    &[one("Conv", conv), one("ConvTranspose", conv_transposed), many("CausalConvWithState", causal_conv)];

/// `[N, C, spatial…]` with `[O, C / groups, spatial…]`.
pub fn convolve(c: &mut Converter, (a, kernel): (ValueId, ValueId), moves: &Convolution, to: ElementType) -> ValueId {
    let (from, by) = (c.b.shape(a), c.b.shape(kernel));
    let n = moves.strides.len();
    let mut shape = vec![from[0], by[0]];
    for d in 0..n {
        let size = c.b.reach(from[d + 2], moves.base_dilations[d]);
        let size = c.b.plus(size, moves.padding[d].0);
        let size = c.b.plus(size, moves.padding[d].1);
        let reach = c.b.reach(by[d + 2], moves.dilations[d]);
        let room = c.b.minus(size, reach);
        let steps = c.b.graph.dim_floor_div(room, Dim::Static(moves.strides[d]));
        let places = c.b.plus(steps, Dim::Static(1));
        shape.push(c.b.graph.dim_max(places, Dim::Static(0)));
    }
    c.b.convolve(a, kernel, moves, (&shape, to))
}

/// A convolution as nodes say it, of operands that are ready.
pub fn convolved(c: &mut Converter, node: &Node, (a, kernel): (ValueId, ValueId), to: ElementType) -> Result<ValueId> {
    let (from, by) = (c.b.shape(a), c.b.shape(kernel));
    if from.len() < 3 || by.len() != from.len() {
        return Err(node.broken("the kernel has another rank than the input, or there is no spatial dimension"));
    }
    let groups = groups(node, &from, by[0])?;
    let each = c.b.graph.dim_mul(by[1], Dim::Static(groups));
    c.same(node, from[1], each)?;
    if let Some(list) = node.ints("kernel_shape").filter(|list| !list.is_empty())
        && known(list) != by[2..]
    {
        return Err(node.broken("`kernel_shape` is not the kernel's"));
    }
    let windows = c.windows(node, a, &by[2..])?;
    let moves = Convolution {
        base_dilations: vec![1; windows.strides.len()],
        strides: windows.strides,
        padding: windows.pads,
        dilations: windows.dilations,
        reversed: false,
        groups,
    };
    Ok(convolve(c, (a, kernel), &moves, to))
}

fn groups(node: &Node, from: &[Dim], outputs: Dim) -> Result<i64> {
    let groups = node.int_or("group", 1);
    let divides = |n: Dim| n.as_static().is_none_or(|n| n % groups == 0);
    match groups > 0 && divides(from[1]) && divides(outputs) {
        true => Ok(groups),
        false => Err(node.broken(format!("{groups} groups do not divide the channels"))),
    }
}

/// A bias a channel.
fn with_bias(c: &mut Converter, a: ValueId, bias: Option<ValueId>) -> ValueId {
    let Some(bias) = bias else { return a };
    let shape = c.b.shape(a);
    let bias = c.b.broadcast(bias, &[1], &shape);
    c.add(a, bias)
}

pub fn conv(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, kernel) = (node.input(0)?, node.input(1)?);
    let element = c.b.element(a);
    let result = convolved(c, node, (a, kernel), element)?;
    Ok(with_bias(c, result, node.optional(2)))
}

/// The kernel is turned around and moves over the input with gaps of the strides in it.
fn conv_transposed(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, kernel) = (node.input(0)?, node.input(1)?);
    let (from, by) = (c.b.shape(a), c.b.shape(kernel));
    if from.len() < 3 || by.len() != from.len() {
        return Err(node.broken("the kernel has another rank than the input, or there is no spatial dimension"));
    }
    let n = from.len() - 2;
    let groups = groups(node, &from, by[0])?;
    c.same(node, from[1], by[0])?;
    let each = c.b.graph.dim_floor_div(by[0], Dim::Static(groups));
    let mut split = vec![Dim::Static(groups), each];
    split.extend_from_slice(&by[1..]);
    let parts = c.b.reshape(kernel, &split);
    let mut order: Vec<usize> = (0..split.len()).collect();
    order.swap(1, 2);
    let parts = c.b.transpose(parts, &order);
    let mut joined = vec![c.b.graph.dim_mul(by[1], Dim::Static(groups)), each];
    joined.extend_from_slice(&by[2..]);
    let kernel = c.b.reshape(parts, &joined);
    let (strides, dilations) = (node.ints_of("strides", n, 1)?, node.ints_of("dilations", n, 1)?);
    let (pads, more) = (node.ints_of("pads", 2 * n, 0)?, node.ints_of("output_padding", n, 0)?);
    if strides.iter().chain(&dilations).any(|&x| x < 1) || more.iter().any(|&x| x < 0) {
        return Err(node.broken("a stride, dilation or padding is out of range"));
    }
    let auto = node.text_or("auto_pad", "NOTSET").to_string();
    let wanted = node.ints("output_shape").map(|list| known(&list[list.len().saturating_sub(n)..]));
    let is_bare = pads.iter().chain(&more).all(|&x| x == 0) && wanted.is_none() && !auto.starts_with("SAME");
    if is_bare && groups == 1 && known(&strides) == by[2..] && dilations.iter().all(|&x| x == 1) {
        let result = side_by_side(c, a, node.input(1)?);
        return Ok(with_bias(c, result, node.optional(2)));
    }
    let mut padding = Vec::new();
    for d in 0..n {
        let reach = c.b.reach(by[d + 2], dilations[d]);
        let less = c.b.minus(from[d + 2], Dim::Static(1));
        let far = c.b.scaled(less, strides[d], more[d]);
        let full = c.b.plus(far, reach);
        let to = match (&wanted, auto.as_str()) {
            (Some(list), _) if list.len() == n => Some(list[d]),
            (_, "SAME_UPPER" | "SAME_LOWER") => Some(c.b.scaled(from[d + 2], strides[d], 0)),
            _ => None,
        };
        let (low, high) = match to {
            Some(to) => {
                let total = c.b.minus(full, to);
                let total = c.b.graph.dim_max(total, Dim::Static(0));
                let half = c.b.graph.dim_floor_div(total, Dim::Static(2));
                let rest = c.b.minus(total, half);
                if auto == "SAME_UPPER" { (half, rest) } else { (rest, half) }
            }
            None if auto == "VALID" => (Dim::Static(0), Dim::Static(0)),
            None => (Dim::Static(pads[d]), Dim::Static(pads[d + n])),
        };
        let edge = c.b.minus(reach, Dim::Static(1));
        let before = c.b.minus(edge, low);
        let after = c.b.minus(edge, high);
        let mut after = c.b.plus(after, Dim::Static(more[d]));
        // A larger output than the windows reach has zeros behind.
        if let Some(to) = to {
            let made = c.b.minus(full, low);
            let made = c.b.minus(made, high);
            let missing = c.b.minus(to, made);
            after = c.b.plus(after, missing);
        }
        padding.push((before, after));
    }
    let moves =
        Convolution { strides: vec![1; n], padding, base_dilations: strides, dilations, reversed: true, groups };
    let element = c.b.element(a);
    let result = convolve(c, (a, kernel), &moves, element);
    Ok(with_bias(c, result, node.optional(2)))
}

/// Windows of a transposed convolution that do not overlap: a product for each element, whose results lie side by side.
/// With gaps of zeros in the input most of what is multiplied would be nothing.
fn side_by_side(c: &mut Converter, a: ValueId, kernel: ValueId) -> ValueId {
    let (from, by, element) = (c.b.shape(a), c.b.shape(kernel), c.b.element(a));
    let n = from.len() - 2;
    let numbers = dot(Vec::new(), Vec::new(), vec![1], vec![0]);
    // [n, places…, outputs, taps…]: each place is followed by its taps.
    let all = c.b.dot(a, kernel, &numbers, element);
    let mut order = vec![0, n + 1];
    order.extend((0..n).flat_map(|d| [1 + d, n + 2 + d]));
    let spread = c.b.transpose(all, &order);
    let mut shape = vec![from[0], by[1]];
    for d in 0..n {
        shape.push(c.b.graph.dim_mul(from[2 + d], by[2 + d]));
    }
    c.b.reshape(spread, &shape)
}

/// A depthwise convolution of a sequence that goes on from the last elements of the one before.
fn causal_conv(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (a, kernel) = (node.input(0)?, node.input(1)?);
    let (from, by, element) = (c.b.shape(a), c.b.shape(kernel), c.b.element(a));
    let (&[batch, channels, _], &[_, _, length]) = (from.as_slice(), by.as_slice()) else {
        return Err(node.broken("three dimensions are expected"));
    };
    let Some(groups) = channels.as_static() else {
        return Err(node.error("FX1025", "the number of channels must be known when the model is compiled"));
    };
    let kept = c.b.minus(length, Dim::Static(1));
    let before = match node.optional(3) {
        Some(before) => before,
        None => c.b.splat(&[batch, channels, kept], element, fornax_types::Scalar::Int(0)),
    };
    let all = super::shape::joined(c, node, &[before, a], 2)?;
    let moves = Convolution {
        strides: vec![1],
        padding: vec![(Dim::Static(0), Dim::Static(0))],
        base_dilations: vec![1],
        dilations: vec![1],
        reversed: false,
        groups,
    };
    let result = convolve(c, (all, kernel), &moves, element);
    let mut result = with_bias(c, result, node.optional(2));
    match node.text_or("activation", "none") {
        "none" => {}
        "silu" | "swish" => {
            let wide = c.wide(result);
            let gated = super::activations::swished(c, wide, 1.0);
            result = c.b.convert(gated, element);
        }
        other => return Err(node.broken(format!("activation `{other}`; known: none, silu, swish"))),
    }
    let size = c.b.shape(all)[2];
    let first = c.b.minus(size, kept);
    let present = c.b.slice_of(
        all,
        &[Dim::Static(0), Dim::Static(0), first],
        &[batch, channels, size],
        &[1, 1, 1],
        &[batch, channels, kept],
    );
    Ok(vec![result.into(), present.into()])
}

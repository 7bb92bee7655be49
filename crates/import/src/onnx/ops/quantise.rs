//! Quantised numbers: to them, from them, products of them.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};

use super::cast::{named_element, saturated};
use super::conv::convolved;
use super::matmul::matmul;
use super::{Row, many, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::data;
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[
    one("QuantizeLinear", quantise_node),
    one("DequantizeLinear", dequantise_node),
    many("DynamicQuantizeLinear", |c, n| {
        let a = n.input(0)?;
        let (result, scale, point) = dynamic(c, a);
        Ok(vec![result.into(), scale.into(), point.into()])
    }),
    one("MatMulInteger", matmul_integer),
    one("QLinearMatMul", matmul_quantised),
    one("ConvInteger", conv_integer),
    one("QLinearConv", |c, n| {
        let a = n.input(0)?;
        conv_quantised(c, n, a)
    }),
];

/// A scale or zero point in the shape of the data: one, one a slice of the axis, or one a block along it.
pub fn fitted(c: &mut Converter, node: &Node, part: ValueId, shape: &[Dim], axis: i64) -> Result<ValueId> {
    let sizes = c.b.shape(part);
    if sizes.is_empty() || sizes == [Dim::Static(1)] {
        let part = c.b.reshape(part, &[]);
        return Ok(c.stretch(part, shape));
    }
    let at = node.axis_of(axis, shape.len())?;
    if sizes.len() == 1 && node.int_or("block_size", 0) == 0 {
        c.same(node, sizes[0], shape[at])?;
        return Ok(c.b.broadcast(part, &[at], shape));
    }
    let block = node.int_or("block_size", 0);
    if sizes.len() != shape.len() || block < 1 {
        return Err(node.broken("the scale's shape fits neither the data nor blocks of it"));
    }
    // Each entry as often as a block has elements; the last block may be cut.
    let mut wide = sizes.clone();
    wide.insert(at + 1, Dim::Static(block));
    let to: Vec<usize> = (0..=sizes.len()).filter(|&d| d != at + 1).collect();
    let all = c.b.broadcast(part, &to, &wide);
    let mut flat = sizes.clone();
    flat[at] = c.b.graph.dim_mul(sizes[at], Dim::Static(block));
    let all = c.b.reshape(all, &flat);
    let all = c.b.slice_dim(all, at, Dim::Static(0), shape[at]);
    for d in (0..shape.len()).filter(|&d| d != at) {
        c.same(node, sizes[d], shape[d])?;
    }
    Ok(all)
}

/// Floats rounded to an integer type, those outside of it to its ends; or to a small float.
pub fn narrowed(c: &mut Converter, a: ValueId, zero: Option<ValueId>, to: ElementType) -> ValueId {
    if to.is_float() {
        return saturated(c, a, to);
    }
    let rounded = c.b.unary(OpKind::RoundNearestEven, a);
    let moved = match zero {
        Some(zero) => {
            let element = c.b.element(a);
            let zero = c.b.convert(zero, element);
            c.add(rounded, zero)
        }
        None => rounded,
    };
    limited(c, moved, to)
}

fn limited(c: &mut Converter, a: ValueId, to: ElementType) -> ValueId {
    let (low, high) = match to.integer_range() {
        Some((low, _)) if low < 0 => (low, -1 - low),
        Some(range) => range,
        None => return c.b.convert(a, to),
    };
    let above = c.with_number(OpKind::Maximum, a, low as f64);
    let within = c.with_number(OpKind::Minimum, above, high as f64);
    c.b.convert(within, to)
}

fn quantise_node(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, scale) = (node.input(0)?, node.input(1)?);
    let zero = node.optional(2);
    let named = named_element(node, "output_dtype")?.filter(|_| node.is_set("output_dtype"));
    let to = match (zero, named) {
        (Some(zero), _) => c.b.element(zero),
        (None, Some(named)) => named,
        (None, None) => ElementType::Ui8,
    };
    let shape = c.b.shape(a);
    let axis = node.int_or("axis", 1);
    let with = match node.int("precision").filter(|&p| p != 0) {
        Some(code) => data::element_of(code).map_err(|(code, what)| node.error(code, what))?,
        // Narrow floats divide in f32, as the sum with the zero point must not be rounded.
        None => match c.b.element(a) {
            ElementType::F64 => ElementType::F64,
            _ => ElementType::F32,
        },
    };
    let (x, scale) = (c.b.convert(a, with), c.b.convert(scale, with));
    let scale = fitted(c, node, scale, &shape, axis)?;
    let part = c.divide(x, scale);
    let part = c.wide(part);
    let zero = match zero {
        Some(zero) => Some(fitted(c, node, zero, &shape, axis)?),
        None => None,
    };
    if to.is_float() && !node.is_set("saturate") && node.int("saturate").is_some() {
        return Ok(c.b.convert(part, to));
    }
    Ok(narrowed(c, part, zero, to))
}

fn dequantise_node(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, scale) = (node.input(0)?, node.input(1)?);
    let shape = c.b.shape(a);
    let axis = node.int_or("axis", 1);
    let named = named_element(node, "output_dtype")?.filter(|_| node.is_set("output_dtype"));
    let to = named.unwrap_or(c.b.element(scale));
    let from = c.b.element(a);
    let with = if from == ElementType::I32 { ElementType::F64 } else { ElementType::F32 };
    let mut x = c.b.convert(a, with);
    if let Some(zero) = node.optional(2) {
        let zero = fitted(c, node, zero, &shape, axis)?;
        let zero = c.b.convert(zero, with);
        x = c.subtract(x, zero);
    }
    let scale = c.b.convert(scale, with);
    let scale = fitted(c, node, scale, &shape, axis)?;
    let result = c.multiply(x, scale);
    Ok(c.b.convert(result, to))
}

/// Bytes with a scale and a zero point from the smallest and largest element, 0 among them.
pub fn dynamic(c: &mut Converter, a: ValueId) -> (ValueId, ValueId, ValueId) {
    let all: Vec<usize> = (0..c.b.rank(a)).collect();
    let (low, high) =
        (super::reduce::reduced(c, a, &all, "Min", false), super::reduce::reduced(c, a, &all, "Max", false));
    let (low, high) = (c.with_number(OpKind::Minimum, low, 0.0), c.with_number(OpKind::Maximum, high, 0.0));
    let range = c.subtract(high, low);
    let scale = c.with_number(OpKind::Divide, range, 255.0);
    let zero = c.number(scale, 0.0);
    let none = c.b.compare("EQ", scale, zero);
    let one = c.number(scale, 1.0);
    let divisor = c.b.select(none, one, scale);
    let place = c.divide(low, divisor);
    let place = c.b.unary(OpKind::Negate, place);
    let place = c.b.unary(OpKind::RoundNearestEven, place);
    let point = limited(c, place, ElementType::Ui8);
    let shape = c.b.shape(a);
    let (wide_scale, wide_point) = (c.stretch(divisor, &shape), c.stretch(point, &shape));
    let part = c.divide(a, wide_scale);
    let result = narrowed(c, part, Some(wide_point), ElementType::Ui8);
    (result, scale, point)
}

/// An operand as i32 less its zero point, which may be one a row or column.
pub fn whole(c: &mut Converter, node: &Node, a: ValueId, zero: Option<ValueId>, axis: i64) -> Result<ValueId> {
    let shape = c.b.shape(a);
    let wide = c.b.convert(a, ElementType::I32);
    let Some(zero) = zero else { return Ok(wide) };
    let zero = c.b.convert(zero, ElementType::I32);
    let zero = match c.b.rank(zero) {
        0 | 1 => {
            let is_one = c.b.shape(zero).iter().all(|&n| n == Dim::Static(1));
            let zero = if is_one { c.b.reshape(zero, &[]) } else { zero };
            if is_one { c.stretch(zero, &shape) } else { fitted(c, node, zero, &shape, axis)? }
        }
        _ => {
            let (_, zero) = c.together(node, wide, zero)?;
            zero
        }
    };
    Ok(c.subtract(wide, zero))
}

fn matmul_integer(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let a = whole(c, node, a, node.optional(2), -2)?;
    let b = whole(c, node, b, node.optional(3), -1)?;
    matmul(c, node, a, b, ElementType::I32)
}

/// Sums of products of quantised numbers, quantised again.
fn requantised(
    c: &mut Converter,
    node: &Node,
    sum: ValueId,
    scales: [ValueId; 3],
    (zero, axis): (ValueId, i64),
) -> Result<ValueId> {
    let shape = c.b.shape(sum);
    let mut wide = c.b.convert(sum, ElementType::F64);
    for (at, scale) in scales.into_iter().enumerate() {
        let scale = c.b.convert(scale, ElementType::F64);
        let scale = match c.b.rank(scale) > 1 {
            true => c.stretch(scale, &shape),
            false => fitted(c, node, scale, &shape, axis)?,
        };
        wide = if at == 2 { c.divide(wide, scale) } else { c.multiply(wide, scale) };
    }
    let to = c.b.element(zero);
    let zero = match c.b.rank(zero) > 1 {
        true => c.stretch(zero, &shape),
        false => fitted(c, node, zero, &shape, axis)?,
    };
    Ok(narrowed(c, wide, Some(zero), to))
}

fn matmul_quantised(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let inputs = node.tensors()?;
    let [a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero] = inputs[..] else {
        return Err(node.broken("eight inputs are expected"));
    };
    if c.b.element(a).is_float() {
        return Err(node.unsupported("products of small floats"));
    }
    if c.b.rank(a_scale) == 1 && c.b.shape(a_scale)[0] != Dim::Static(1) {
        return Err(node.unsupported("a scale a row"));
    }
    let a = whole(c, node, a, Some(a_zero), -2)?;
    let b = whole(c, node, b, Some(b_zero), -1)?;
    let sum = matmul(c, node, a, b, ElementType::I32)?;
    requantised(c, node, sum, [a_scale, b_scale, y_scale], (y_zero, -1))
}

fn conv_integer(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, kernel) = (node.input(0)?, node.input(1)?);
    let a = whole(c, node, a, node.optional(2), 1)?;
    let kernel = whole(c, node, kernel, node.optional(3), 0)?;
    convolved(c, node, (a, kernel), ElementType::I32)
}

pub fn conv_quantised(c: &mut Converter, node: &Node, a: ValueId) -> Result<ValueId> {
    let part = |at: usize| node.input(at);
    let a = whole(c, node, a, node.optional(2), 1)?;
    let kernel = whole(c, node, part(3)?, node.optional(5), 0)?;
    let mut sum = convolved(c, node, (a, kernel), ElementType::I32)?;
    if let Some(bias) = node.optional(8) {
        let shape = c.b.shape(sum);
        let bias = c.b.broadcast(bias, &[1], &shape);
        sum = c.add(sum, bias);
    }
    requantised(c, node, sum, [part(1)?, part(4)?, part(6)?], (part(7)?, 1))
}

//! Normalisations.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_types::Scalar;

use super::reduce::{mean, spread};
use super::{Row, many, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::data;
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    many("BatchNormalization", batch),
    one("InstanceNormalization", instance),
    many("LayerNormalization", layer),
    one("GroupNormalization", group),
    one("RMSNormalization", root_mean_square),
    one("LRN", local_response),
    one("LpNormalization", lp),
    one("MeanVarianceNormalization", mean_variance),
];

/// A vector along one dimension of a shape.
pub fn along_axis(c: &mut Converter, a: ValueId, axis: usize, shape: &[Dim]) -> ValueId {
    c.b.broadcast(a, &[axis], shape)
}

fn batch(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (a, scale, bias) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let (old_mean, old_variance) = (node.input(3)?, node.input(4)?);
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    if shape.len() < 2 {
        return Err(node.broken("at least two dimensions are expected"));
    }
    if node.version < 9 && node.int_or("spatial", 1) == 0 {
        return Err(node.unsupported("spatial = 0"));
    }
    let is_training = node.is_set("training_mode");
    if !is_training && (1..5).any(|at| node.wants(at)) {
        return Err(node.unsupported("training outputs"));
    }
    let axes: Vec<usize> = (0..shape.len()).filter(|&d| d != 1).collect();
    let (used_mean, used_variance, running) = if is_training {
        let now = mean(c, a, &axes);
        let spread_mean = spread(c, now, a, &axes);
        let less = c.subtract(a, spread_mean);
        let square = c.multiply(less, less);
        let variance = mean(c, square, &axes);
        let momentum = node.float_or("momentum", f64::from(0.9f32));
        let mixed = |c: &mut Converter, old: ValueId, new: ValueId| {
            let element = c.b.element(old);
            let new = c.b.convert(new, element);
            let (old, new) =
                (c.with_number(OpKind::Multiply, old, momentum), c.with_number(OpKind::Multiply, new, 1.0 - momentum));
            c.add(old, new)
        };
        let running = vec![mixed(c, old_mean, now).into(), mixed(c, old_variance, variance).into()];
        (now, variance, running)
    } else {
        (old_mean, old_variance, vec![])
    };
    // Statistics may have another type than the data: f32 beside f16.
    let with = [scale, used_mean, used_variance].iter().fold(element, |e, &v| wider(e, c.b.element(v)));
    let epsilon = node.float_or("epsilon", f64::from(1e-5f32));
    let (x, scale, bias) = (c.b.convert(a, with), c.b.convert(scale, with), c.b.convert(bias, with));
    let (used_mean, used_variance) = (c.b.convert(used_mean, with), c.b.convert(used_variance, with));
    let root = c.with_number(OpKind::Add, used_variance, epsilon);
    let root = c.b.unary(OpKind::Sqrt, root);
    let factor = c.divide(scale, root);
    let [used_mean, factor, bias] = [used_mean, factor, bias].map(|v| along_axis(c, v, 1, &shape));
    let less = c.subtract(x, used_mean);
    let scaled = c.multiply(less, factor);
    let result = c.add(scaled, bias);
    let mut results = vec![c.b.convert(result, element).into()];
    results.extend(running);
    Ok(results)
}

fn wider(a: ElementType, b: ElementType) -> ElementType {
    if b.bits() > a.bits() { b } else { a }
}

/// `(x - mean) / sqrt(variance + epsilon)` over axes; the mean and the inverse root too, with sizes of 1.
pub fn normalised(c: &mut Converter, a: ValueId, axes: &[usize], epsilon: f64) -> (ValueId, ValueId, ValueId) {
    let average = mean(c, a, axes);
    let spread_mean = spread(c, average, a, axes);
    let less = c.subtract(a, spread_mean);
    let square = c.multiply(less, less);
    let variance = mean(c, square, axes);
    let raised = c.with_number(OpKind::Add, variance, epsilon);
    let root = c.b.unary(OpKind::Rsqrt, raised);
    let wide = spread(c, root, a, axes);
    let result = c.multiply(less, wide);
    (result, super::reduce::kept(c, average, axes), super::reduce::kept(c, root, axes))
}

fn instance(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, scale, bias) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    let axes: Vec<usize> = (2..shape.len()).collect();
    let wide = c.wide(a);
    let (result, _, _) = normalised(c, wide, &axes, node.float_or("epsilon", f64::from(1e-5f32)));
    let (scale, bias) = (c.wide(scale), c.wide(bias));
    let (scale, bias) = (along_axis(c, scale, 1, &shape), along_axis(c, bias, 1, &shape));
    let scaled = c.multiply(result, scale);
    let result = c.add(scaled, bias);
    Ok(c.b.convert(result, element))
}

/// The type that a normalisation computes in: `stash_type`, f32 where nothing is said.
fn stash(node: &Node) -> Result<ElementType> {
    match node.int("stash_type") {
        Some(code) => data::element_of(code).map_err(|(code, what)| node.error(code, what)),
        None => Ok(ElementType::F32),
    }
}

fn layer(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (a, scale) = (node.input(0)?, node.input(1)?);
    let (rank, element) = (c.b.rank(a), c.b.element(a));
    let axis = node.axis_of(node.int_or("axis", -1), rank)?;
    let axes: Vec<usize> = (axis..rank).collect();
    let with = wider(stash(node)?, element);
    let x = c.b.convert(a, with);
    let (result, average, root) = normalised(c, x, &axes, node.float_or("epsilon", f64::from(1e-5f32)));
    let result = c.b.convert(result, element);
    let mut result = c.binary(node, OpKind::Multiply, result, scale)?;
    if let Some(bias) = node.optional(2) {
        result = c.binary(node, OpKind::Add, result, bias)?;
    }
    Ok(vec![result.into(), average.into(), root.into()])
}

fn group(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, scale, bias) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    let groups = Dim::Static(node.int_or("num_groups", 0).max(1));
    if shape.len() < 2 {
        return Err(node.broken("at least two dimensions are expected"));
    }
    let each = c.b.graph.dim_floor_div(shape[1], groups);
    let mut cut = vec![shape[0], groups, each];
    cut.extend_from_slice(&shape[2..]);
    let wide = if node.version >= 21 {
        let with = wider(stash(node)?, element);
        c.b.convert(a, with)
    } else {
        c.wide(a)
    };
    let parts = super::shape::reshaped(c, node, wide, cut.clone())?;
    let axes: Vec<usize> = (2..cut.len()).collect();
    let (result, _, _) = normalised(c, parts, &axes, node.float_or("epsilon", f64::from(1e-5f32)));
    let result = c.b.reshape(result, &shape);
    let result = c.b.convert(result, element);
    // Before version 21 there is a scale a group.
    let one_each = |c: &mut Converter, v: ValueId| {
        if node.version >= 21 {
            return along_axis(c, v, 1, &shape);
        }
        let wide = c.b.broadcast(v, &[0], &[groups, each]);
        let flat = c.b.reshape(wide, &[shape[1]]);
        along_axis(c, flat, 1, &shape)
    };
    let (scale, bias) = (one_each(c, scale), one_each(c, bias));
    let scaled = c.multiply(result, scale);
    Ok(c.add(scaled, bias))
}

fn root_mean_square(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, scale) = (node.input(0)?, node.input(1)?);
    let (rank, element) = (c.b.rank(a), c.b.element(a));
    let axis = node.axis_of(node.int_or("axis", -1), rank)?;
    let with = wider(stash(node)?, element);
    let x = c.b.convert(a, with);
    let axes: Vec<usize> = (axis..rank).collect();
    let result = rms(c, x, &axes, node.float_or("epsilon", f64::from(1e-5f32)));
    let result = c.b.convert(result, element);
    let scale = c.b.convert(scale, element);
    c.binary(node, OpKind::Multiply, result, scale)
}

/// `x / sqrt(mean(x²) + epsilon)`.
pub fn rms(c: &mut Converter, a: ValueId, axes: &[usize], epsilon: f64) -> ValueId {
    let square = c.multiply(a, a);
    let average = mean(c, square, axes);
    let raised = c.with_number(OpKind::Add, average, epsilon);
    let root = c.b.unary(OpKind::Rsqrt, raised);
    let wide = spread(c, root, a, axes);
    c.multiply(a, wide)
}

/// Squares are summed over neighbouring channels.
fn local_response(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    let size = node.int_or("size", 1);
    if shape.len() < 2 || size < 1 {
        return Err(node.broken("at least two dimensions and a size of at least 1 are expected"));
    }
    let square = c.multiply(a, a);
    let element = c.b.element(a);
    let mut window = crate::dialects::build::Window::unit(shape.len());
    window.size[1] = Dim::Static(size);
    window.padding[1] = (Dim::Static((size - 1) / 2), Dim::Static(size - 1 - (size - 1) / 2));
    let zero = c.b.splat(&[], element, Scalar::Int(0));
    let region = c.b.reducer(OpKind::Add, element);
    let sum = c.b.reduce_window(square, zero, region, &window);
    let scaled = c.with_number(OpKind::Multiply, sum, node.float_or("alpha", f64::from(1e-4f32)) / size as f64);
    let raised = c.with_number(OpKind::Add, scaled, node.float_or("bias", 1.0));
    let power = c.with_number(OpKind::Power, raised, node.float_or("beta", 0.75));
    Ok(c.divide(a, power))
}

fn lp(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let axis = node.axis_of(node.int_or("axis", -1), c.b.rank(a))?;
    let name = match node.int_or("p", 2) {
        1 => "L1",
        2 => "L2",
        other => return Err(node.broken(format!("p = {other}; known: 1, 2"))),
    };
    let norm = super::reduce::reduced(c, a, &[axis], name, false);
    let norm = spread(c, norm, a, &[axis]);
    let zero = c.number(a, 0.0);
    let none = c.b.compare("EQ", norm, zero);
    let part = c.divide(a, norm);
    Ok(c.b.select(none, zero, part))
}

fn mean_variance(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let rank = c.b.rank(a);
    let axes = node.axes_of(node.ints("axes").unwrap_or(&[0, 2, 3]), rank)?;
    // sqrt(E[x²] - E[x]²) + 1e-9, as its function body has it.
    let average = mean(c, a, &axes);
    let square = c.multiply(average, average);
    let squares = c.multiply(a, a);
    let squares = mean(c, squares, &axes);
    let variance = c.subtract(squares, square);
    let root = c.b.unary(OpKind::Sqrt, variance);
    let root = c.with_number(OpKind::Add, root, 1e-9);
    let (average, root) = (spread(c, average, a, &axes), spread(c, root, a, &axes));
    let less = c.subtract(a, average);
    Ok(c.divide(less, root))
}

//! Steps of optimisers.

use fornax_graph::{ElementType, OpKind, ValueId};

use super::{Row, Rule};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

const fn step(name: &'static str, rule: fn(&mut Converter, &Node) -> Result<Vec<Item>>) -> Row {
    Row { domain: "ai.onnx.preview.training", name, rule: Rule::Many(rule) }
}

pub const ROWS: &[Row] = &[step("Adagrad", adagrad), step("Adam", adam), step("Momentum", momentum)];

/// What is optimised, each with its gradient and its states.
fn each(node: &Node, n: usize) -> Result<Vec<Vec<ValueId>>> {
    let all = node.tensors_from(2)?;
    if all.is_empty() || !all.len().is_multiple_of(n) {
        return Err(node.broken(format!("{} tensors, which are no {n} lists", all.len())));
    }
    let count = all.len() / n;
    Ok((0..count).map(|k| all.iter().copied().skip(k).step_by(count).collect()).collect())
}

fn flat(lists: [Vec<ValueId>; 2], more: Vec<ValueId>) -> Vec<Item> {
    lists.into_iter().flatten().chain(more).map(Item::from).collect()
}

/// The gradient with that of the norm.
fn regularised(c: &mut Converter, node: &Node, x: ValueId, gradient: ValueId) -> ValueId {
    let factor = node.float_or("norm_coefficient", 0.0);
    let part = c.with_number(OpKind::Multiply, x, factor);
    c.add(part, gradient)
}

/// A scalar of the type of values, in their shape.
fn like(c: &mut Converter, scalar: ValueId, x: ValueId) -> ValueId {
    let (shape, element) = (c.b.shape(x), c.b.element(x));
    let scalar = c.b.reshape(scalar, &[]);
    let scalar = c.b.convert(scalar, element);
    c.stretch(scalar, &shape)
}

fn adagrad(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (rate, count) = (node.input(0)?, node.input(1)?);
    let all = each(node, 3)?;
    let (mut values, mut states) = (Vec::new(), Vec::new());
    for one in all {
        let (x, state) = (one[0], one[2]);
        let gradient = regularised(c, node, x, one[1]);
        let (rate, count) = (like(c, rate, x), like(c, count, x));
        let decay = c.with_number(OpKind::Multiply, count, node.float_or("decay_factor", 0.0));
        let decay = c.with_number(OpKind::Add, decay, 1.0);
        let rate = c.divide(rate, decay);
        let square = c.multiply(gradient, gradient);
        let next = c.add(state, square);
        let root = c.b.unary(OpKind::Sqrt, next);
        let root = c.with_number(OpKind::Add, root, node.float_or("epsilon", f64::from(1e-6f32)));
        let part = c.multiply(rate, gradient);
        let part = c.divide(part, root);
        values.push(c.subtract(x, part));
        states.push(next);
    }
    Ok(flat([values, states], Vec::new()))
}

/// `keep · old + (1 - keep) · new`.
fn averaged(c: &mut Converter, old: ValueId, new: ValueId, keep: f64) -> ValueId {
    let (old, new) = (c.with_number(OpKind::Multiply, old, keep), c.with_number(OpKind::Multiply, new, 1.0 - keep));
    c.add(old, new)
}

fn adam(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (rate, count) = (node.input(0)?, node.input(1)?);
    let all = each(node, 4)?;
    let (alpha, beta) = (node.float_or("alpha", f64::from(0.9f32)), node.float_or("beta", f64::from(0.999f32)));
    let (mut values, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    for one in all {
        let x = one[0];
        let gradient = regularised(c, node, x, one[1]);
        let square = c.multiply(gradient, gradient);
        let (v, h) = (averaged(c, one[2], gradient, alpha), averaged(c, one[3], square, beta));
        let root = c.b.unary(OpKind::Sqrt, h);
        let root = c.with_number(OpKind::Add, root, node.float_or("epsilon", f64::from(1e-6f32)));
        let (rate, count) = (like(c, rate, x), like(c, count, x));
        let unbiased = |c: &mut Converter, base: f64| {
            let base = c.number(x, base);
            let power = c.b.binary(OpKind::Power, base, count);
            let one = c.number(x, 1.0);
            c.subtract(one, power)
        };
        let (over, under) = (unbiased(c, beta), unbiased(c, alpha));
        let over = c.b.unary(OpKind::Sqrt, over);
        let adjusted = c.multiply(rate, over);
        let adjusted = c.divide(adjusted, under);
        let zero = c.number(count, 0.0);
        let later = c.b.compare("GT", count, zero);
        let rate = c.b.select(later, adjusted, rate);
        let part = c.multiply(rate, v);
        let part = c.divide(part, root);
        let next = c.subtract(x, part);
        values.push(c.with_number(OpKind::Multiply, next, 1.0 - node.float_or("norm_coefficient_post", 0.0)));
        first.push(v);
        second.push(h);
    }
    Ok(flat([values, first], second))
}

fn momentum(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (rate, count) = (node.input(0)?, node.input(1)?);
    let all = each(node, 3)?;
    let (alpha, beta) = (node.float_or("alpha", 0.0), node.float_or("beta", 1.0));
    let is_nesterov = match node.text_or("mode", "standard") {
        "standard" => false,
        "nesterov" => true,
        other => return Err(node.broken(format!("mode `{other}`; known: standard, nesterov"))),
    };
    let count = c.b.convert(count, ElementType::I64);
    let (mut values, mut states) = (Vec::new(), Vec::new());
    for one in all {
        let x = one[0];
        let gradient = regularised(c, node, x, one[1]);
        let (rate, count) = (like(c, rate, x), like(c, count, x));
        let zero = c.number(count, 0.0);
        let later = c.b.compare("GT", count, zero);
        let (first, factor) = (c.number(x, 1.0), c.number(x, beta));
        let factor = c.b.select(later, factor, first);
        let old = c.with_number(OpKind::Multiply, one[2], alpha);
        let new = c.multiply(factor, gradient);
        let state = c.add(old, new);
        let way = match is_nesterov {
            true => {
                let far = c.with_number(OpKind::Multiply, state, alpha);
                c.add(gradient, far)
            }
            false => state,
        };
        let part = c.multiply(rate, way);
        values.push(c.subtract(x, part));
        states.push(state);
    }
    Ok(flat([values, states], Vec::new()))
}

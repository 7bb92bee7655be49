//! Losses.

use fornax_graph::{ElementType, OpKind, ValueId};
use fornax_types::Scalar;

use super::reduce::{reduced, softmax};
use super::shape::take;
use super::{Row, many, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    one("NegativeLogLikelihoodLoss", |c, n| {
        let a = n.input(0)?;
        likelihood(c, n, a)
    }),
    many("SoftmaxCrossEntropyLoss", cross_entropy),
];

fn cross_entropy(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let a = node.input(0)?;
    let logs = softmax(c, a, &[1], true);
    Ok(vec![likelihood(c, node, logs)?.into(), logs.into()])
}

/// The mean of what was said of the right classes, by weights; classes are dimension 1.
fn likelihood(c: &mut Converter, node: &Node, logs: ValueId) -> Result<ValueId> {
    let (at, shape, element) = (node.input(1)?, c.b.shape(logs), c.b.element(logs));
    let mut rest = shape.clone();
    if shape.len() < 2 {
        return Err(node.broken("classes are expected in dimension 1"));
    }
    rest.remove(1);
    let found = c.b.shape(at);
    if found.len() != rest.len() {
        return Err(node.broken("targets and scores do not fit"));
    }
    for (&x, &y) in rest.iter().zip(&found) {
        c.same(node, x, y)?;
    }
    let at = c.b.convert(at, ElementType::I64);
    let ignored = node.int("ignore_index").map(|number| {
        let number = c.b.number_like(at, Scalar::Int(number.into()));
        c.b.compare("EQ", at, number)
    });
    let zero = c.number(at, 0.0);
    let safe = ignored.map_or(at, |ignored| c.b.select(ignored, zero, at));
    // The scores of the right classes: those of all others count as zero.
    let to: Vec<usize> = (0..shape.len()).filter(|&d| d != 1).collect();
    let wide = c.b.broadcast(safe, &to, &shape);
    let numbers = c.b.iota(&shape, ElementType::I64, 1);
    let on = c.b.compare("EQ", wide, numbers);
    let nothing = c.number(logs, 0.0);
    let right = c.b.select(on, logs, nothing);
    let right = reduced(c, right, &[1], "Sum", false);
    let mut loss = c.b.unary(OpKind::Negate, right);
    let weights = match node.optional(2) {
        Some(weights) => Some(take(c, weights, safe, 0)),
        None => ignored.map(|_| c.b.splat(&rest, element, Scalar::Int(1))),
    };
    let weights = match (weights, ignored) {
        (Some(weights), Some(ignored)) => {
            let none = c.number(weights, 0.0);
            Some(c.b.select(ignored, none, weights))
        }
        (weights, _) => weights,
    };
    if let Some(weights) = weights {
        loss = c.multiply(loss, weights);
    }
    let all: Vec<usize> = (0..rest.len()).collect();
    match (node.text_or("reduction", "mean"), weights) {
        ("none", _) => Ok(loss),
        ("sum", _) => Ok(reduced(c, loss, &all, "Sum", false)),
        ("mean", None) => Ok(reduced(c, loss, &all, "Mean", false)),
        ("mean", Some(weights)) => {
            let (sum, count) = (reduced(c, loss, &all, "Sum", false), reduced(c, weights, &all, "Sum", false));
            Ok(c.divide(sum, count))
        }
        (other, _) => Err(node.broken(format!("reduction `{other}`; known: none, sum, mean"))),
    }
}

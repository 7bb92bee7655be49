//! Operators of `com.microsoft` that ONNX Runtime fuses others into: products and convolutions with what follows them.
//!
//! A model that a session has optimised and saved is full of them: `FusedConv` is `activation(conv(x, w, b) + z)`.

use fornax_graph::{OpKind, ValueId};

use super::Row;
use super::activations::{activation, defaults};
use super::contrib::one;
use super::conv::conv;
use super::matmul::{gemm, matmul};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[
    one("FusedConv", |c, n| {
        let mut sum = conv(c, n)?;
        if let Some(more) = n.optional(3) {
            sum = c.binary(n, OpKind::Add, sum, more)?;
        }
        activated(c, n, sum, n.floats("activation_params").unwrap_or_default())
    }),
    one("FusedGemm", |c, n| {
        let sum = gemm(c, n)?;
        let names = ["activation_alpha", "activation_beta"];
        let numbers = names.into_iter().map_while(|name| n.float(name)).collect();
        activated(c, n, sum, numbers)
    }),
    one("FusedMatMul", fused_product),
    one("TransposeMatMul", fused_product),
];

/// What the attribute `activation` says; `numbers` are its constants, as far as they are given.
fn activated(c: &mut Converter, node: &Node, a: ValueId, numbers: Vec<f64>) -> Result<ValueId> {
    let name = node.text_or("activation", "");
    if name.is_empty() {
        return Ok(a);
    }
    let (alpha, beta) = defaults(name);
    let (first, second) = (numbers.first().copied(), numbers.get(1).copied());
    if name == "Clip" {
        let low = first.map_or(a, |low| c.with_number(OpKind::Maximum, a, low));
        return Ok(second.map_or(low, |high| c.with_number(OpKind::Minimum, low, high)));
    }
    let made = activation(c, name, a, first.unwrap_or(alpha), second.unwrap_or(beta));
    made.ok_or_else(|| node.unsupported(format!("activation {name}")))
}

/// `alpha · a · b`, each with its first dimension moved behind the batch, and transposed, where the node says so.
fn fused_product(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let transposed = |c: &mut Converter, at: usize, (batch, matrix): (&str, &str)| -> Result<ValueId> {
        let a = node.input(at)?;
        let rank = c.b.rank(a);
        let mut order: Vec<usize> = (0..rank).collect();
        if node.is_set(batch) && rank > 2 {
            order[..rank - 1].rotate_left(1);
        }
        if node.is_set(matrix) && rank > 1 {
            order.swap(rank - 2, rank - 1);
        }
        Ok(if order.is_sorted() { a } else { c.b.transpose(a, &order) })
    };
    let (a, b) = (transposed(c, 0, ("transBatchA", "transA"))?, transposed(c, 1, ("transBatchB", "transB"))?);
    let element = c.b.element(a);
    let result = matmul(c, node, a, b, element)?;
    let alpha = node.float_or("alpha", 1.0);
    Ok(if alpha == 1.0 { result } else { c.with_number(OpKind::Multiply, result, alpha) })
}

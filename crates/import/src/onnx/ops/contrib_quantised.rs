//! Operators of `com.microsoft` on quantised numbers, as ONNX Runtime's quantiser writes them.
//!
//! Most are their namesakes on `(x - zero) · scale`, rounded again to the scale and zero point of the result. A zero
//! point may be left out; it is 0, and the result has the type of the first operand.

use fornax_graph::{ElementType, OpKind, ValueId};

use super::activations::{activation, defaults};
use super::contrib::one;
use super::matmul::{dot, matmul};
use super::pool::{averaged, largest};
use super::quantise::{conv_quantised, dynamic, fitted, narrowed, whole};
use super::reduce::{reduced, softmaxed};
use super::shape::joined;
use super::{Row, elementwise};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[
    one("QLinearAdd", |c, n| pair(c, n, OpKind::Add)),
    one("QLinearMul", |c, n| pair(c, n, OpKind::Multiply)),
    one("QLinearSigmoid", |c, n| through(c, n, |c, n, a| activated(c, n, a, "Sigmoid"))),
    one("QLinearLeakyRelu", |c, n| through(c, n, |c, n, a| activated(c, n, a, "LeakyRelu"))),
    one("QLinearSoftmax", |c, n| through(c, n, |c, n, a| softmaxed(c, n, a, n.int_or("opset", 13)))),
    one("QLinearAveragePool", |c, n| through(c, n, averaged)),
    one("QLinearGlobalAveragePool", |c, n| {
        through(c, n, |c, _, a| {
            let axes: Vec<usize> = (2..c.b.rank(a)).collect();
            Ok(reduced(c, a, &axes, "Mean", true))
        })
    }),
    one("QLinearConcat", concatenated),
    one("QLinearConv", |c, n| {
        let a = n.input(0)?;
        if !n.is_set("channels_last") {
            return conv_quantised(c, n, a);
        }
        in_front(c, n, a, conv_quantised)
    }),
    one("NhwcMaxPool", |c, n| {
        let a = n.input(0)?;
        in_front(c, n, a, largest)
    }),
    one("QLinearWhere", chosen),
    one("QGemm", gemm),
    one("MatMulIntegerToFloat", product_to_float),
    one("DynamicQuantizeMatMul", dynamic_product),
];

/// The f32 that three inputs from `first` on stand for: numbers, their scale, their zero point.
fn real(c: &mut Converter, node: &Node, first: usize) -> Result<ValueId> {
    let (a, scale) = (node.input(first)?, node.input(first + 1)?);
    let shape = c.b.shape(a);
    let mut x = c.b.convert(a, ElementType::F32);
    if let Some(zero) = node.optional(first + 2) {
        let zero = c.b.convert(zero, ElementType::F32);
        let zero = fitted(c, node, zero, &shape, 1)?;
        x = c.subtract(x, zero);
    }
    let scale = fitted(c, node, scale, &shape, 1)?;
    Ok(c.multiply(x, scale))
}

/// Floats rounded to the scale and zero point that stand at `first`; to `like` where there is no zero point.
fn rounded(c: &mut Converter, node: &Node, a: ValueId, (first, like): (usize, ElementType)) -> Result<ValueId> {
    let shape = c.b.shape(a);
    let scale = node.input(first)?;
    let scale = fitted(c, node, scale, &shape, 1)?;
    let part = c.divide(a, scale);
    let (zero, to) = match node.optional(first + 1) {
        Some(zero) => (Some(fitted(c, node, zero, &shape, 1)?), c.b.element(zero)),
        None => (None, like),
    };
    Ok(narrowed(c, part, zero, to))
}

fn pair(c: &mut Converter, node: &Node, kind: OpKind) -> Result<ValueId> {
    let like = c.b.element(node.input(0)?);
    let (a, b) = (real(c, node, 0)?, real(c, node, 3)?);
    let made = c.binary(node, kind, a, b)?;
    rounded(c, node, made, (6, like))
}

/// A rule of one operand, between its numbers and those of the result.
fn through(
    c: &mut Converter,
    node: &Node,
    rule: impl Fn(&mut Converter, &Node, ValueId) -> Result<ValueId>,
) -> Result<ValueId> {
    let like = c.b.element(node.input(0)?);
    let a = real(c, node, 0)?;
    let made = if node.is_set("channels_last") { in_front(c, node, a, rule)? } else { rule(c, node, a)? };
    rounded(c, node, made, (3, like))
}

/// A rule of an image whose channels lie last, by way of one whose channels lie in front.
fn in_front(
    c: &mut Converter,
    node: &Node,
    a: ValueId,
    rule: impl Fn(&mut Converter, &Node, ValueId) -> Result<ValueId>,
) -> Result<ValueId> {
    let rank = c.b.rank(a);
    if rank < 3 {
        return Err(node.broken(format!("an image is expected, and the input has {rank} dimensions")));
    }
    let mut order: Vec<usize> = (0..rank).collect();
    order[1..].rotate_right(1);
    let a = c.b.transpose(a, &order);
    let made = rule(c, node, a)?;
    let mut order: Vec<usize> = (0..c.b.rank(made)).collect();
    order[1..].rotate_left(1);
    Ok(c.b.transpose(made, &order))
}

fn activated(c: &mut Converter, node: &Node, a: ValueId, name: &str) -> Result<ValueId> {
    let (alpha, beta) = defaults(name);
    let made = activation(c, name, a, node.float_or("alpha", alpha), beta);
    made.ok_or_else(|| node.unsupported(format!("activation {name}")))
}

/// Scale and zero point of the result come first.
fn concatenated(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let like = c.b.element(node.input(2)?);
    let parts = (2..node.inputs.len()).step_by(3).map(|at| real(c, node, at)).collect::<Result<Vec<_>>>()?;
    let axis = node.axis_of(node.int_or("axis", 0), c.b.rank(parts[0]))?;
    let made = joined(c, node, &parts, axis)?;
    rounded(c, node, made, (0, like))
}

fn chosen(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let like = c.b.element(node.input(1)?);
    let (a, b) = (real(c, node, 1)?, real(c, node, 4)?);
    let made = elementwise::selected(c, node, [node.input(0)?, a, b])?;
    rounded(c, node, made, (7, like))
}

/// `alpha · a · b` and a bias that has the scale of the product; f32 where the result has no scale.
fn gemm(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, b) = (node.input(0)?, node.input(3)?);
    if c.b.rank(a) != 2 || c.b.rank(b) != 2 {
        return Err(node.broken("two matrices are expected"));
    }
    let like = c.b.element(a);
    let (x, y) = (usize::from(!node.is_set("transA")), usize::from(node.is_set("transB")));
    let (a, b) = (whole(c, node, a, node.optional(2), 0)?, whole(c, node, b, node.optional(5), 1 - y as i64)?);
    let (k, l) = (c.b.shape(a)[x], c.b.shape(b)[y]);
    c.same(node, k, l)?;
    let mut sum = c.b.dot(a, b, &dot(vec![], vec![], vec![x], vec![y]), ElementType::I32);
    if let Some(bias) = node.optional(6) {
        sum = c.binary(node, OpKind::Add, sum, bias)?;
    }
    let sum = c.b.convert(sum, ElementType::F32);
    let sum = c.with_number(OpKind::Multiply, sum, node.float_or("alpha", 1.0));
    let made = scaled(c, node, sum, [node.input(1)?, node.input(4)?])?;
    match node.optional(7) {
        Some(_) => rounded(c, node, made, (7, like)),
        None => Ok(made),
    }
}

/// A product of quantised numbers times the scales of its operands; that of the second may be one a column.
fn scaled(c: &mut Converter, node: &Node, sum: ValueId, scales: [ValueId; 2]) -> Result<ValueId> {
    let shape = c.b.shape(sum);
    let mut made = sum;
    for scale in scales {
        let scale = fitted(c, node, scale, &shape, -1)?;
        made = c.multiply(made, scale);
    }
    Ok(made)
}

fn product_to_float(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, scale) = (node.input(0)?, node.input(2)?);
    let b = Second { numbers: node.input(1)?, scale: node.input(3)?, zero: node.optional(5), bias: node.optional(6) };
    product(c, node, (a, scale, node.optional(4)), b)
}

/// The first operand is quantised by its smallest and largest element.
fn dynamic_product(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let (a, scale, zero) = dynamic(c, a);
    let b = Second { numbers: node.input(1)?, scale: node.input(2)?, zero: node.optional(3), bias: node.optional(4) };
    product(c, node, (a, scale, Some(zero)), b)
}

/// The second operand of a product of quantised numbers, and what is added to the product.
pub struct Second {
    pub numbers: ValueId,
    pub scale: ValueId,
    pub zero: Option<ValueId>,
    pub bias: Option<ValueId>,
}

/// A product of quantised numbers as f32; the first operand with its scale and zero point.
pub fn product(
    c: &mut Converter,
    node: &Node,
    (a, scale, zero): (ValueId, ValueId, Option<ValueId>),
    by: Second,
) -> Result<ValueId> {
    let a = whole(c, node, a, zero, -2)?;
    let b = whole(c, node, by.numbers, by.zero, -1)?;
    let sum = matmul(c, node, a, b, ElementType::I32)?;
    let sum = c.b.convert(sum, ElementType::F32);
    let made = scaled(c, node, sum, [scale, by.scale])?;
    match by.bias {
        Some(bias) => c.binary(node, OpKind::Add, made, bias),
        None => Ok(made),
    }
}

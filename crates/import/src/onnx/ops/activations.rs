//! Activations.

use fornax_graph::{ElementType, OpKind, ValueId};

use super::{Row, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[
    one("Relu", |c, n| plain(c, n, "Relu")),
    one("Sigmoid", |c, n| plain(c, n, "Sigmoid")),
    one("LeakyRelu", |c, n| plain(c, n, "LeakyRelu")),
    one("Elu", |c, n| plain(c, n, "Elu")),
    one("Selu", selu),
    one("Celu", celu),
    one("HardSigmoid", |c, n| plain(c, n, "HardSigmoid")),
    one("HardSwish", hard_swish),
    one("Softplus", |c, n| plain(c, n, "Softplus")),
    one("Softsign", |c, n| plain(c, n, "Softsign")),
    one("ThresholdedRelu", |c, n| plain(c, n, "ThresholdedRelu")),
    one("PRelu", prelu),
    one("Shrink", shrink),
    one("Mish", mish),
    one("Swish", swish),
    one("SwiGLU", swiglu),
    one("Gelu", gelu),
];

/// An activation by its name, as recurrent layers name them too; `None` for an unknown one.
pub fn activation(c: &mut Converter, name: &str, a: ValueId, alpha: f64, beta: f64) -> Option<ValueId> {
    let zero = c.number(a, 0.0);
    Some(match name {
        "Relu" => c.b.binary(OpKind::Maximum, a, zero),
        "Tanh" => c.b.unary(OpKind::Tanh, a),
        "Sigmoid" => c.b.unary(OpKind::Logistic, a),
        "Affine" => {
            let scaled = c.with_number(OpKind::Multiply, a, alpha);
            c.with_number(OpKind::Add, scaled, beta)
        }
        "LeakyRelu" => {
            let scaled = c.with_number(OpKind::Multiply, a, alpha);
            negative_or(c, a, scaled, a)
        }
        "ThresholdedRelu" => {
            let alpha = c.number(a, alpha);
            let above = c.b.compare("GT", a, alpha);
            c.b.select(above, a, zero)
        }
        "ScaledTanh" => {
            let inner = c.with_number(OpKind::Multiply, a, beta);
            let tanh = c.b.unary(OpKind::Tanh, inner);
            c.with_number(OpKind::Multiply, tanh, alpha)
        }
        "HardSigmoid" => {
            let scaled = c.with_number(OpKind::Multiply, a, alpha);
            let moved = c.with_number(OpKind::Add, scaled, beta);
            let low = c.b.binary(OpKind::Maximum, moved, zero);
            c.with_number(OpKind::Minimum, low, 1.0)
        }
        "Elu" => {
            let below = c.b.unary(OpKind::ExponentialMinusOne, a);
            let below = c.with_number(OpKind::Multiply, below, alpha);
            negative_or(c, a, below, a)
        }
        "Softsign" => {
            let size = c.b.unary(OpKind::Abs, a);
            let size = c.with_number(OpKind::Add, size, 1.0);
            c.divide(a, size)
        }
        // max(x, 0) + log(1 + e^-|x|): no exponential that overflows.
        "Softplus" => {
            let size = c.b.unary(OpKind::Abs, a);
            let size = c.b.unary(OpKind::Negate, size);
            let small = c.b.unary(OpKind::Exponential, size);
            let rest = c.b.unary(OpKind::LogPlusOne, small);
            let above = c.b.binary(OpKind::Maximum, a, zero);
            c.add(above, rest)
        }
        _ => return None,
    })
}

/// The constants of an activation where nothing is said.
pub fn defaults(name: &str) -> (f64, f64) {
    match name {
        "LeakyRelu" => (f64::from(0.01f32), 0.0),
        "HardSigmoid" => (f64::from(0.2f32), 0.5),
        "Elu" | "ThresholdedRelu" => (1.0, 0.0),
        "Affine" | "ScaledTanh" => (1.0, 1.0),
        _ => (0.0, 0.0),
    }
}

fn negative_or(c: &mut Converter, a: ValueId, below: ValueId, above: ValueId) -> ValueId {
    let zero = c.number(a, 0.0);
    let negative = c.b.compare("LT", a, zero);
    c.b.select(negative, below, above)
}

fn plain(c: &mut Converter, node: &Node, name: &str) -> Result<ValueId> {
    let a = node.input(0)?;
    let (alpha, beta) = defaults(name);
    let (alpha, beta) = (node.float_or("alpha", alpha), node.float_or("beta", beta));
    activation(c, name, a, alpha, beta).ok_or_else(|| node.unsupported(format!("activation {name}")))
}

fn selu(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let alpha = node.float_or("alpha", f64::from(1.673_263_2_f32));
    let gamma = node.float_or("gamma", f64::from(1.050_701_f32));
    let below = c.b.unary(OpKind::ExponentialMinusOne, a);
    let below = c.with_number(OpKind::Multiply, below, alpha);
    let both = negative_or(c, a, below, a);
    Ok(c.with_number(OpKind::Multiply, both, gamma))
}

fn celu(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let alpha = node.float_or("alpha", 1.0);
    let part = c.with_number(OpKind::Divide, a, alpha);
    let below = c.b.unary(OpKind::ExponentialMinusOne, part);
    let below = c.with_number(OpKind::Multiply, below, alpha);
    Ok(negative_or(c, a, below, a))
}

fn hard_swish(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let gate = activation(c, "HardSigmoid", a, 1.0 / 6.0, 0.5);
    Ok(gate.map_or(a, |gate| c.multiply(a, gate)))
}

/// Before version 7 a slope is one a channel.
fn prelu(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, slope) = (node.input(0)?, node.input(1)?);
    let (shape, sizes) = (c.b.shape(a), c.b.shape(slope));
    let is_by_channel = node.version < 7 && sizes.len() == 1 && shape.get(1) == sizes.first();
    let slope = match is_by_channel {
        true => c.b.broadcast(slope, &[1], &shape),
        false => {
            if c.joint_shape(node, &shape, &sizes)? != shape {
                return Err(node.broken("the slope does not fit the input"));
            }
            c.stretch(slope, &shape)
        }
    };
    let below = c.multiply(a, slope);
    Ok(negative_or(c, a, below, a))
}

fn shrink(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let (bias, edge) = (node.float_or("bias", 0.0), node.float_or("lambd", 0.5));
    let (low, high) = (c.number(a, -edge), c.number(a, edge));
    let (below, above) = (c.b.compare("LT", a, low), c.b.compare("GT", a, high));
    let (up, down) = (c.with_number(OpKind::Add, a, bias), c.with_number(OpKind::Subtract, a, bias));
    let zero = c.number(a, 0.0);
    let rest = c.b.select(above, down, zero);
    Ok(c.b.select(below, up, rest))
}

fn mish(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let inner = activation(c, "Softplus", a, 0.0, 0.0).unwrap_or(a);
    let gate = c.b.unary(OpKind::Tanh, inner);
    Ok(c.multiply(a, gate))
}

fn swish(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    Ok(swished(c, a, node.float_or("alpha", 1.0)))
}

/// `x · sigmoid(alpha · x)`.
pub fn swished(c: &mut Converter, a: ValueId, alpha: f64) -> ValueId {
    let inner = if alpha == 1.0 { a } else { c.with_number(OpKind::Multiply, a, alpha) };
    let gate = c.b.unary(OpKind::Logistic, inner);
    c.multiply(a, gate)
}

/// `swish(gate) · value`.
fn swiglu(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (gate, value) = (node.input(0)?, node.input(1)?);
    let gate = swished(c, gate, node.float_or("alpha", 1.0));
    c.binary(node, OpKind::Multiply, gate, value)
}

fn gelu(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    match node.text_or("approximate", "none") {
        "none" => Ok(exact_gelu(c, a)),
        "tanh" => Ok(tanh_gelu(c, a)),
        other => Err(node.broken(format!("approximate `{other}`; known: none, tanh"))),
    }
}

/// `x / 2 · (1 + erf(x / √2))`.
pub fn exact_gelu(c: &mut Converter, a: ValueId) -> ValueId {
    let inner = c.with_number(OpKind::Multiply, a, std::f64::consts::FRAC_1_SQRT_2);
    let erf = c.b.unary(OpKind::ChloErf, inner);
    halved(c, a, erf)
}

/// `x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))`.
pub fn tanh_gelu(c: &mut Converter, a: ValueId) -> ValueId {
    let square = c.multiply(a, a);
    let cube = c.multiply(square, a);
    let cube = c.with_number(OpKind::Multiply, cube, 0.044715);
    let inner = c.add(a, cube);
    let inner =
        c.with_number(OpKind::Multiply, inner, std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2);
    let tanh = c.b.unary(OpKind::Tanh, inner);
    halved(c, a, tanh)
}

fn halved(c: &mut Converter, a: ValueId, gate: ValueId) -> ValueId {
    debug_assert!(c.b.element(a) != ElementType::I1);
    let gate = c.with_number(OpKind::Add, gate, 1.0);
    let half = c.with_number(OpKind::Multiply, a, 0.5);
    c.multiply(half, gate)
}

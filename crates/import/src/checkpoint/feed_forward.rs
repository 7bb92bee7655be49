//! A layer's feed-forward part.

use super::decoder::{Activation, Decoder};
use super::experts::mixture;
use super::function::Function;
use super::names::Role;
use super::norm::{Weights, norm};
use super::text::{Text, Value};
use crate::Diagnostic;

/// `√(2 / π)` and the cubic term of the tanh form of GELU. Source: Hendrycks and Gimpel, arXiv 1606.08415.
const GELU_SCALE: f64 = 0.797_884_560_802_865_4;
const GELU_CUBE: f64 = 0.044_715;

/// `hidden + norm(down(act(gate(x)) · up(x)))` with `x = norm(hidden)`, or `down(act(up(x)))` without a gate, or the
/// mixture of several such.
///
/// # Errors
/// FX1013, FX1014.
pub fn feed_forward(
    f: &mut Function,
    (decoder, layer): (&Decoder, u64),
    hidden: &Value,
) -> Result<Value, Box<Diagnostic>> {
    let before = Weights { weight: Role::FeedForwardNorm, bias: Some(Role::FeedForwardNormBias), layer };
    let x = if decoder.norm_places.before() { norm(f, decoder.norm, before, hidden)? } else { hidden.clone() };
    let experts = decoder.layers.get(layer as usize).and_then(|layer| layer.experts);
    let mut out = match &experts {
        Some(experts) => mixture(f, (decoder, layer), experts, &x)?,
        None => one(f, (decoder, layer), &x)?,
    };
    if decoder.norm_places.after() {
        let after = Weights { weight: Role::PostFeedForwardNorm, bias: None, layer };
        out = norm(f, decoder.norm, after, &out)?;
    }
    Ok(f.text.binary("add", hidden, &out))
}

/// By the matrices that all tokens go through.
fn one(f: &mut Function, (decoder, layer): (&Decoder, u64), x: &Value) -> Result<Value, Box<Diagnostic>> {
    let size = decoder.feed_forward;
    let inner = if !decoder.has_gate {
        let up = f.linear(x, (Role::Up, Role::UpBias), layer, size)?;
        activated(&mut f.text, decoder.activation, &up)
    } else {
        let (gate, up) = if decoder.layout.fused_gate_up {
            let both = f.linear(x, (Role::GateUp, Role::GateBias), layer, 2 * size)?;
            (f.text.slice_last(&both, 0, size), f.text.slice_last(&both, size, 2 * size))
        } else {
            let gate = f.linear(x, (Role::Gate, Role::GateBias), layer, size)?;
            (gate, f.linear(x, (Role::Up, Role::UpBias), layer, size)?)
        };
        gated(&mut f.text, decoder.activation, &gate, &up)
    };
    f.linear(&inner, (Role::Down, Role::DownBias), layer, decoder.width)
}

/// `act(gate) · up`.
pub fn gated(t: &mut Text, activation: Activation, gate: &Value, up: &Value) -> Value {
    let gate = activated(t, activation, gate);
    t.binary("multiply", &gate, up)
}

pub fn activated(t: &mut Text, activation: Activation, x: &Value) -> Value {
    match activation {
        Activation::Silu => {
            let logistic = t.unary("logistic", x);
            t.binary("multiply", x, &logistic)
        }
        Activation::GeluTanh => {
            let square = t.binary("multiply", x, x);
            let cube = t.binary("multiply", &square, x);
            let factor = t.float(GELU_CUBE, &x.shape);
            let cube = t.binary("multiply", &cube, &factor);
            let inner = t.binary("add", x, &cube);
            let scale = t.float(GELU_SCALE, &x.shape);
            let inner = t.binary("multiply", &inner, &scale);
            let tanh = t.unary("tanh", &inner);
            let half = t.binary_with("multiply", x, "0.5");
            let sum = t.binary_with("add", &tanh, "1.0");
            t.binary("multiply", &half, &sum)
        }
        Activation::Gelu => {
            let scale = t.float(std::f64::consts::FRAC_1_SQRT_2, &x.shape);
            let scaled = t.binary("multiply", x, &scale);
            let erf = t.erf(&scaled);
            let half = t.binary_with("multiply", x, "0.5");
            let sum = t.binary_with("add", &erf, "1.0");
            t.binary("multiply", &half, &sum)
        }
        Activation::Relu => t.binary_with("maximum", x, "0.0"),
    }
}

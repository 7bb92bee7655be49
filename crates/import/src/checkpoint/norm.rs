//! Norms: of a token's vector, and of heads.

use super::decoder::{Norm, NormKind};
use super::function::Function;
use super::names::Role;
use super::text::{Text, Value};
use crate::Diagnostic;

/// Where a norm's weights and biases are.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    pub weight: Role,
    /// What norms that take the mean off add.
    pub bias: Option<Role>,
    pub layer: u64,
}

/// Those before the last matrix.
pub const OUTPUT: Weights = Weights { weight: Role::OutputNorm, bias: Some(Role::OutputNormBias), layer: 0 };

/// A norm over the last dimension.
///
/// # Errors
/// FX1013, FX1014.
pub fn norm(f: &mut Function, norm: Norm, weights: Weights, x: &Value) -> Result<Value, Box<Diagnostic>> {
    let size = x.last();
    let mut weight = f.vector(weights.weight, weights.layer, size)?;
    let bias = match (norm.kind, weights.bias) {
        (NormKind::Mean, Some(role)) => Some(f.vector(role, weights.layer, size)?),
        _ => None,
    };
    let t = &mut f.text;
    if norm.kind == NormKind::RmsFromOne {
        weight = t.binary_with("add", &weight, "1.0");
    }
    let x = match norm.kind {
        NormKind::Mean => {
            let mean = mean(t, x);
            let mean = t.spread(&mean, &x.shape);
            t.binary("subtract", x, &mean)
        }
        NormKind::Rms | NormKind::RmsFromOne => x.clone(),
    };
    let squares = t.binary("multiply", &x, &x);
    let mean = mean(t, &squares);
    let epsilon = t.float(norm.epsilon, &mean.shape);
    let shifted = t.binary("add", &mean, &epsilon);
    let scale = t.unary("rsqrt", &shifted);
    let scale = t.spread(&scale, &x.shape);
    let scaled = t.binary("multiply", &x, &scale);
    let last = [x.shape.len() - 1];
    let weight = t.broadcast(&weight, &x.shape, &last);
    let product = t.binary("multiply", &scaled, &weight);
    let Some(bias) = bias else { return Ok(product) };
    let bias = t.broadcast(&bias, &x.shape, &last);
    Ok(t.binary("add", &product, &bias))
}

/// Over the last dimension.
fn mean(t: &mut Text, x: &Value) -> Value {
    let sum = t.reduce_last("add", x);
    let size = t.float(x.last() as f64, &sum.shape);
    t.binary("divide", &sum, &size)
}

//! A mixture of experts: each token goes through the experts that its router scores highest.
//!
//! `Σ w[e] · down[e](act(gate[e](x)) · up[e](x))` over the `used` largest `w = softmax(router(x))`, which are divided by
//! their sum where the model says so. The router is f32. Sorted as transformers does it; equal scores are rare.
//!
//! With few tokens their experts' matrices are picked, so that no other is read; else all are multiplied, with weights
//! of 0.

use fornax_types::ElementType;

use super::decoder::{Decoder, Experts};
use super::feed_forward::gated;
use super::function::Function;
use super::names::Role;
use super::text::{Text, Value};
use crate::Diagnostic;

/// Weights of each token's experts, and which they are: `[tokens, used]` of f32 and i32.
struct Routes {
    weights: Value,
    experts: Value,
}

/// Of normed tokens `[tokens, width]`, in f32.
///
/// # Errors
/// FX1013, FX1014.
pub fn mixture(
    f: &mut Function,
    (decoder, layer): (&Decoder, u64),
    experts: &Experts,
    x: &Value,
) -> Result<Value, Box<Diagnostic>> {
    let tokens = x.shape.first().copied().unwrap_or(1);
    let scores = f.exact(x, (Role::Router, layer), experts.count)?;
    let scores = f.text.softmax_last(&scores);
    let (mut weights, numbers) = f.text.top_k(&scores, experts.used);
    if experts.normed {
        weights = f.text.divided_by_sum(&weights);
    }
    let routes = Routes { weights, experts: numbers };
    let part = Part { decoder, layer, experts };
    let out = if tokens * experts.used < experts.count {
        part.picked(f, &routes, x)?
    } else {
        part.all(f, &routes, x)?
    };
    match experts.shared {
        None => Ok(out),
        Some(width) => {
            let shared = part.shared(f, x, width)?;
            Ok(f.text.binary("add", &out, &shared))
        }
    }
}

/// A layer's feed-forward part.
struct Part<'a> {
    decoder: &'a Decoder,
    layer: u64,
    experts: &'a Experts,
}

impl Part<'_> {
    /// Each token by its experts alone.
    fn picked(&self, f: &mut Function, routes: &Routes, x: &Value) -> Result<Value, Box<Diagnostic>> {
        let (tokens, used) = (x.shape.first().copied().unwrap_or(1), self.experts.used);
        let (slots, width) = (tokens * used, self.decoder.width);
        let t = &mut f.text;
        let numbers = t.reshape(&routes.experts, &[slots]);
        let each = t.broadcast(x, &[tokens, used, width], &[0, 2]);
        let each = t.reshape(&each, &[slots, width]);
        let one = (Some(&numbers), 1);
        let inner = self.inner(f, one, |t, weights| {
            let x = t.convert(&each, weights.element);
            t.product_over((&x, &[1]), (weights, &[2]), &[0])
        })?;
        let down = self.down(f, one)?;
        let t = &mut f.text;
        let inner = t.convert(&inner, down.element);
        let out = t.product_over((&inner, &[1]), (&down, &[2]), &[0]);
        let out = t.reshape(&out, &[tokens, used, width]);
        let weights = t.spread(&routes.weights, &[tokens, used, width]);
        let out = t.binary("multiply", &out, &weights);
        Ok(t.reduce("add", &out, 1))
    }

    /// Every token by every expert; the weights of those that it does not go through are 0.
    fn all(&self, f: &mut Function, routes: &Routes, x: &Value) -> Result<Value, Box<Diagnostic>> {
        let tokens = x.shape.first().copied().unwrap_or(1);
        let inner = self.inner(f, (None, tokens), |t, weights| {
            let x = t.convert(x, weights.element);
            t.product_over((&x, &[1]), (weights, &[2]), &[])
        })?;
        let weights = spread_weights(&mut f.text, routes, self.experts);
        let t = &mut f.text;
        let weights = t.spread(&weights, &inner.shape);
        let inner = t.binary("multiply", &inner, &weights);
        let down = self.down(f, (None, tokens))?;
        let t = &mut f.text;
        let inner = t.convert(&inner, down.element);
        Ok(t.product_over((&inner, &[1, 2]), (&down, &[0, 2]), &[]))
    }

    /// What the experts' second products are given; `product` multiplies tokens by matrices.
    fn inner(
        &self,
        f: &mut Function,
        which: (Option<&Value>, u64),
        product: impl Fn(&mut Text, &Value) -> Value,
    ) -> Result<Value, Box<Diagnostic>> {
        let (count, size, width) = (self.experts.count, self.experts.width, self.decoder.width);
        let (gate, up) = if f.holds(Role::ExpertGateUpStack, self.layer) {
            let both = f.matrices((Role::ExpertGateUpStack, self.layer), [count, 2 * size, width], which)?;
            let both = product(&mut f.text, &both);
            (f.text.slice_last(&both, 0, size), f.text.slice_last(&both, size, 2 * size))
        } else {
            let gate = f.matrices((Role::ExpertGates, self.layer), [count, size, width], which)?;
            let gate = product(&mut f.text, &gate);
            let up = f.matrices((Role::ExpertUps, self.layer), [count, size, width], which)?;
            (gate, product(&mut f.text, &up))
        };
        Ok(gated(&mut f.text, self.decoder.activation, &gate, &up))
    }

    fn down(&self, f: &mut Function, which: (Option<&Value>, u64)) -> Result<Value, Box<Diagnostic>> {
        let is_stack = f.holds(Role::ExpertDownStack, self.layer);
        let role = if is_stack { Role::ExpertDownStack } else { Role::ExpertDowns };
        f.matrices((role, self.layer), [self.experts.count, self.decoder.width, self.experts.width], which)
    }

    /// `logistic(scale · x) · expert(x)`.
    fn shared(&self, f: &mut Function, x: &Value, size: u64) -> Result<Value, Box<Diagnostic>> {
        let gate = f.multiplied(x, (Role::SharedGate, self.layer), size, false)?;
        let up = f.multiplied(x, (Role::SharedUp, self.layer), size, false)?;
        let inner = gated(&mut f.text, self.decoder.activation, &gate, &up);
        let out = f.multiplied(&inner, (Role::SharedDown, self.layer), self.decoder.width, false)?;
        let scale = f.one_row(Role::SharedScale, self.layer, self.decoder.width)?;
        let t = &mut f.text;
        let scale = t.broadcast(&scale, &x.shape, &[1]);
        let scaled = t.binary("multiply", x, &scale);
        let scale = t.reduce_last("add", &scaled);
        let scale = t.unary("logistic", &scale);
        let scale = t.spread(&scale, &out.shape);
        Ok(t.binary("multiply", &out, &scale))
    }
}

/// Weights by expert, `[tokens, count]` of f32: 0 for those that a token does not go through.
fn spread_weights(t: &mut Text, routes: &Routes, experts: &Experts) -> Value {
    let tokens = routes.weights.shape.first().copied().unwrap_or(1);
    let cube = [tokens, experts.count, experts.used];
    let chosen = t.broadcast(&routes.experts, &cube, &[0, 2]);
    let number = t.iota(&cube, 1);
    let same = t.compare("EQ", &chosen, &number);
    let weights = t.broadcast(&routes.weights, &cube, &[0, 2]);
    let zero = t.splat("0.0", ElementType::F32, &cube);
    let weights = t.select(&same, &weights, &zero);
    t.reduce_last("add", &weights)
}

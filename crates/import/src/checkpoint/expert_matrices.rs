//! Matrices of a layer's experts, and how rows are multiplied by them.
//!
//! A product is of floats, or of E4M3 with scales behind its sums (`quantized::Scales`). Experts whose matrices have
//! their inputs in an order of their own multiply the columns of `x` in it.

use super::quantized::{self, Rows, Scales};
use super::text::{Pairing, Text, Value};

/// Matrices `[matrices, out, in]`.
pub struct Stack {
    weights: Value,
    /// The order of each one's inputs, `[matrices, in]` of i32, if it has one.
    order: Option<Value>,
    /// Where both operands are of E4M3.
    scales: Option<Scales>,
}

impl Stack {
    /// Floats with their inputs in an order.
    pub fn of_floats(weights: Value, order: Option<Value>) -> Stack {
        Stack { weights, order, scales: None }
    }

    /// Elements of E4M3.
    pub fn narrow((weights, scales): (Value, Scales)) -> Stack {
        Stack { weights, order: None, scales: Some(scales) }
    }

    /// Rows `[matrices, in]` or `[matrices, rows, in]` by the matrix of their place: `[matrices, …, out]` of f32.
    pub fn by_place(&self, t: &mut Text, rows: &Rows) -> Value {
        if let Some(scales) = &self.scales {
            let x = scales.narrow(t, rows);
            let pairing = Pairing { batching: &[0], left: x.elements.shape.len() - 1, right: 2 };
            let sums = t.narrow_product(&x.elements, &self.weights, &pairing);
            return scales.applied(t, &sums, (&x.scale, 0));
        }
        let x = t.convert(&rows.x, self.weights.element);
        let x = match &self.order {
            Some(order) => quantized::of_each(t, &x, order),
            None => x,
        };
        t.product_over((&x, &[x.shape.len() - 1]), (&self.weights, &[2]), &[0])
    }

    /// Rows `[tokens, in]` by all matrices: `[tokens, matrices, out]` of f32.
    pub fn by_all(&self, t: &mut Text, rows: &Rows) -> Value {
        match (&self.scales, &rows.narrow) {
            (Some(scales), Some(x)) => {
                let pairing = Pairing { batching: &[], left: 1, right: 2 };
                let sums = t.narrow_product(&x.elements, &self.weights, &pairing);
                scales.applied(t, &sums, (&x.scale, 1))
            }
            (Some(_), None) => {
                let matrices = self.weights.shape.first().copied().unwrap_or(1);
                let shape: Vec<u64> = std::iter::once(matrices).chain(rows.x.shape.iter().copied()).collect();
                let each = t.broadcast(&rows.x, &shape, &[1, 2]);
                let out = self.by_place(t, &Rows::of(each));
                t.transpose(&out, &[1, 0, 2])
            }
            (None, _) => self.floats_by_all(t, &rows.x),
        }
    }

    fn floats_by_all(&self, t: &mut Text, x: &Value) -> Value {
        let x = t.convert(x, self.weights.element);
        match &self.order {
            None => t.product_over((&x, &[1]), (&self.weights, &[2]), &[]),
            Some(order) => {
                let x = quantized::for_each(t, &x, order);
                let out = t.product_over((&x, &[2]), (&self.weights, &[2]), &[0]);
                t.transpose(&out, &[1, 0, 2])
            }
        }
    }

    /// The sum over matrices of `x` `[tokens, matrices, in]` by each, with `weights` `[tokens, matrices]`:
    /// `[tokens, out]` of f32.
    pub fn summed(&self, t: &mut Text, x: &Value, weights: &Value) -> Value {
        if self.scales.is_some() {
            let (own, weights) = (t.transpose(x, &[1, 0, 2]), t.transpose(weights, &[1, 0]));
            let out = self.by_place(t, &Rows::of(own));
            let weights = t.spread(&weights, &out.shape);
            let out = t.binary("multiply", &out, &weights);
            return t.reduce("add", &out, 0);
        }
        let weights = t.spread(weights, &x.shape);
        let weighted = t.binary("multiply", x, &weights);
        let mut x = t.convert(&weighted, self.weights.element);
        if let Some(order) = &self.order {
            let own = t.transpose(&x, &[1, 0, 2]);
            let own = quantized::of_each(t, &own, order);
            x = t.transpose(&own, &[1, 0, 2]);
        }
        t.product_over((&x, &[1, 2]), (&self.weights, &[0, 2]), &[])
    }
}

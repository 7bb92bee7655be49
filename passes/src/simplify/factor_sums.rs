//! Sums of products leave behind the sum what is the same in all of its terms: Σ c·x becomes c·Σ x. What is then summed
//! is often summed already: the four sums of a batch norm's gradient become two of one pass.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
//!   %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
//!   %1 = stablehlo.multiply %arg0, %0 : tensor<8x4xf32>
//!   %2 = stablehlo.negate %1 : tensor<8x4xf32>
//!   %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] :
//!     (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
//!   %4 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] :
//!     (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
//!   return %3, %4 : tensor<4xf32>, tensor<4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
//!   %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] :
//!     (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
//!   %1 = stablehlo.multiply %0, %arg1 : tensor<4xf32>
//!   %2 = stablehlo.negate %1 : tensor<4xf32>
//!   %3 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] :
//!     (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
//!   return %2, %3 : tensor<4xf32>, tensor<4xf32>
//! }
//! ```
//!
//! Accuracy: a sum has as many roundings as before, a product one instead of one a term; both err by as much of
//! Σ |c·x|. A sum may overflow where c is small, or its terms be subnormal where c is large. Factors that are there
//! so that nothing overflows stay: one that comes twice, as in a scaled norm `s·√Σ(x/s)²`, one made of a maximum, and
//! constants below [`CONSTANT_MIN`]. Only f32 and f64: narrower types round after each op. What takes longer than a
//! product to compute is taken as it is, not in other factors: the terms of a softmax are its weights, not
//! exponentials.

use fornax_graph::views::dim_list;
use fornax_graph::{Dim, ElementType, Graph, OpId, OpKind, TensorType, ValueId};
use fornax_reference::Scalar;

use super::Options;
use super::constants::splat_of;
use super::fold_shapes::single_op;
use crate::errors::PassError;
use crate::rewrite::{Rewrite, Rewriter, sweep};

/// Products of products, at most.
const DEPTH_MAX: usize = 4;
/// Constant factors that leave a sum, at least: those of a mean of 2²⁴ elements. Divisors: its reciprocal.
const CONSTANT_MIN: f64 = 1.0 / (1 << 24) as f64;
/// Ops between a factor and the maximum that it is made of, at most.
const MADE_OF_MAX: usize = 6;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let rewrite = (rw.kind(id) == OpKind::Reduce).then(|| sum(rw, id)).flatten();
        Ok(rewrite.unwrap_or(Rewrite::Keep))
    })
}

fn sum(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id);
    let (&[terms, init], &[result]) = (&op.operands[..], &op.results[..]) else { return None };
    let over = dim_list(op, "dimensions");
    let ty = rw.tensor(result)?.clone();
    let wide = matches!(ty.element, ElementType::F32 | ElementType::F64);
    let starts = splat_of(rw.graph, init)? == Scalar::zero(ty.element);
    if !wide || !starts || single_op(rw.graph, id)? != OpKind::Add {
        return None;
    }
    let mut factors = Factors { over, ty, varying: Vec::new(), same: Vec::new(), negative: false };
    if !factors.collect(rw, terms, 0) || factors.same.is_empty() && !factors.negative || factors.varying.is_empty() {
        return None;
    }
    factors.varying.sort();
    let Factors { over, ty, varying, same, negative } = factors;
    let twice = |at: usize, factor: &Factor| same[..at].iter().any(|before| before.is(factor));
    if same.iter().enumerate().any(|(at, factor)| factor.keeps_range(rw.graph) || twice(at, factor)) {
        return None;
    }
    let terms = varying.into_iter().reduce(|product, x| rw.binary(OpKind::Multiply, product, x))?;
    let mut sum = rw.reduce(terms, init, &over, OpKind::Add);
    for factor in same {
        let (kind, value) = factor.of_sum(rw, &over, &ty)?;
        sum = rw.binary(kind, sum, value);
    }
    Some(Rewrite::with(if negative { rw.unary(OpKind::Negate, sum) } else { sum }))
}

/// What is the same in all terms of a sum.
enum Factor {
    /// A value of its own dimensions, and which of the terms' these are; the sum is divided by it or multiplied.
    Broadcast(OpKind, ValueId, Vec<usize>),
    Constant(OpKind, Scalar),
}

impl Factor {
    /// Whether both are one value, or one constant.
    fn is(&self, other: &Factor) -> bool {
        match (self, other) {
            (Factor::Broadcast(_, a, _), Factor::Broadcast(_, b, _)) => a == b,
            (Factor::Constant(_, a), Factor::Constant(_, b)) => a == b,
            _ => false,
        }
    }

    /// Whether terms without it may be far larger, and it is likely to be there for that.
    fn keeps_range(&self, graph: &Graph) -> bool {
        match self {
            Factor::Broadcast(_, value, _) => is_made_of_extremes(graph, *value, MADE_OF_MAX),
            Factor::Constant(kind, value) => {
                let size = value.as_f64().abs();
                let size = if *kind == OpKind::Divide { 1.0 / size } else { size };
                size.is_nan() || size < CONSTANT_MIN
            }
        }
    }

    /// The factor as the sum has it, and the op that joins them.
    fn of_sum(self, rw: &mut Rewriter, over: &[usize], ty: &TensorType) -> Option<(OpKind, ValueId)> {
        let (kind, value, to) = match self {
            Factor::Constant(kind, value) => return Some((kind, rw.splat(ty, value))),
            Factor::Broadcast(kind, value, to) => (kind, value, to),
        };
        // Dimensions that are summed have one element here.
        let sizes = rw.sizes(value)?;
        let kept: Vec<(Dim, usize)> = sizes.into_iter().zip(to).filter(|(_, d)| !over.contains(d)).collect();
        let sizes: Vec<Dim> = kept.iter().map(|k| k.0).collect();
        let value = rw.reshape(value, &sizes);
        let to: Vec<usize> = kept.iter().map(|k| k.1 - over.iter().filter(|&&o| o < k.1).count()).collect();
        let is_whole = sizes == ty.shape && to.iter().enumerate().all(|(at, &d)| at == d);
        Some((kind, if is_whole { value } else { rw.broadcast(value, &to, &ty.shape) }))
    }
}

/// The terms of a sum, as factors.
struct Factors {
    over: Vec<usize>,
    /// Of the sum.
    ty: TensorType,
    varying: Vec<ValueId>,
    same: Vec<Factor>,
    negative: bool,
}

impl Factors {
    /// Takes a value apart; whether something was the same in all terms, or at least a sign was.
    fn collect(&mut self, rw: &Rewriter, value: ValueId, depth: usize) -> bool {
        let (varying, same, negative) = (self.varying.len(), self.same.len(), self.negative);
        let took = depth < DEPTH_MAX && self.take_apart(rw, value, depth);
        let own = &self.varying[varying..];
        if took && (depth == 0 || own.iter().all(|&v| is_at_hand(rw, v))) {
            return true;
        }
        self.varying.truncate(varying);
        self.same.truncate(same);
        self.negative = negative;
        self.varying.push(value);
        false
    }

    fn take_apart(&mut self, rw: &Rewriter, value: ValueId, depth: usize) -> bool {
        let Some(producer) = rw.graph.producer(value) else { return false };
        let op = rw.graph.op(producer);
        match (op.kind, &op.operands[..]) {
            (OpKind::Negate, &[x]) => {
                self.negative = !self.negative;
                self.collect(rw, x, depth + 1);
                true
            }
            (OpKind::Divide, &[x, by]) => match self.factor(rw, by, OpKind::Divide) {
                Some(factor) => {
                    self.same.push(factor);
                    self.collect(rw, x, depth + 1);
                    true
                }
                None => false,
            },
            (OpKind::Multiply, &[a, b]) => {
                let mut took = false;
                for x in [a, b] {
                    match self.factor(rw, x, OpKind::Multiply) {
                        Some(factor) => {
                            self.same.push(factor);
                            took = true;
                        }
                        None => took |= self.collect(rw, x, depth + 1),
                    }
                }
                took
            }
            _ => false,
        }
    }

    /// A value that is the same in all terms.
    fn factor(&self, rw: &Rewriter, value: ValueId, kind: OpKind) -> Option<Factor> {
        if let Some(constant) = splat_of(rw.graph, value) {
            return Some(Factor::Constant(kind, constant));
        }
        let op = rw.graph.op(rw.graph.producer(value)?);
        let &[source] = &op.operands[..] else { return None };
        if op.kind != OpKind::BroadcastInDim {
            return None;
        }
        let to = dim_list(op, "broadcast_dimensions");
        let sizes = rw.sizes(source)?;
        let varies = sizes.iter().zip(&to).any(|(&n, d)| n != Dim::Static(1) && self.over.contains(d));
        (!varies).then_some(Factor::Broadcast(kind, source, to))
    }
}

/// Whether a value is made, element by element, of the largest or smallest of others.
fn is_made_of_extremes(graph: &Graph, value: ValueId, steps: usize) -> bool {
    let Some(producer) = graph.producer(value).filter(|_| steps > 0) else { return false };
    let op = graph.op(producer);
    let is_extreme = |kind| matches!(kind, OpKind::Maximum | OpKind::Minimum);
    if op.kind == OpKind::Reduce {
        return single_op(graph, producer).is_some_and(is_extreme);
    }
    let moves = matches!(op.kind, OpKind::BroadcastInDim | OpKind::Reshape);
    let passes_on = moves || fornax_graph::ops::row(op.kind).has(fornax_graph::ops::Trait::Elementwise);
    passes_on && op.operands.iter().any(|&operand| is_made_of_extremes(graph, operand, steps - 1))
}

/// Whether a value takes no longer to compute than a product of others would, or is none of elements alone.
fn is_at_hand(rw: &Rewriter, value: ValueId) -> bool {
    use OpKind::*;
    let Some(producer) = rw.graph.producer(value) else { return true };
    let kind = rw.kind(producer);
    let cheap = matches!(kind, Convert | Select | Add | Subtract | Maximum | Minimum | Negate | Abs);
    cheap || !fornax_graph::ops::row(kind).has(fornax_graph::ops::Trait::Elementwise)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{import, print};

    /// The sums of a function of x [6, 4] and c [4] after the pass.
    fn after(body: &str, dimensions: &str, result: &str) -> String {
        let mut graph = import(&format!(
            "func.func @main(%x: tensor<6x4xf32>, %c: tensor<4xf32>) -> {result} {{
               %z = stablehlo.constant dense<0.0> : tensor<f32>
               %k = stablehlo.constant dense<3.0> : tensor<6x4xf32>
               %b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32>
               {body}
               %s = stablehlo.reduce(%t init: %z) applies stablehlo.add across dimensions = {dimensions} : \
             (tensor<6x4xf32>, tensor<f32>) -> {result}
               return %s : {result}
             }}"
        ));
        run(&mut graph, &Options::default()).unwrap();
        print(&graph)
    }

    fn sums_argument(text: &str) -> bool {
        text.contains("stablehlo.reduce(%arg0 init")
    }

    #[test]
    fn only_what_all_terms_share_leaves_the_sum() {
        let table = [
            ("%t = stablehlo.multiply %x, %b : tensor<6x4xf32>", "[0]", "tensor<4xf32>", true),
            ("%t = stablehlo.divide %x, %b : tensor<6x4xf32>", "[0]", "tensor<4xf32>", true),
            ("%t = stablehlo.multiply %k, %x : tensor<6x4xf32>", "[1]", "tensor<6xf32>", true),
            ("%t = stablehlo.negate %x : tensor<6x4xf32>", "[0, 1]", "tensor<f32>", true),
            // Another c in every term.
            ("%t = stablehlo.multiply %x, %b : tensor<6x4xf32>", "[1]", "tensor<6xf32>", false),
            // The divided is the same, not what divides.
            ("%t = stablehlo.divide %b, %x : tensor<6x4xf32>", "[0]", "tensor<4xf32>", false),
            // Exponentials dear enough to be stored as they are used.
            (
                "%e = stablehlo.exponential %x : tensor<6x4xf32>
                 %w = stablehlo.divide %e, %b : tensor<6x4xf32>
                 %t = stablehlo.multiply %x, %w : tensor<6x4xf32>",
                "[0]",
                "tensor<4xf32>",
                false,
            ),
        ];
        // What is there so that squares do not overflow.
        let scaled = [
            (
                "%u = stablehlo.divide %x, %b : tensor<6x4xf32>
                 %t = stablehlo.multiply %u, %u : tensor<6x4xf32>",
                "[0]",
                "tensor<4xf32>",
                false,
            ),
            (
                "%l = stablehlo.constant dense<0xFF800000> : tensor<f32>
                 %a = stablehlo.abs %x : tensor<6x4xf32>
                 %m = stablehlo.reduce(%a init: %l) applies stablehlo.maximum across dimensions = [0] : \
             (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
                 %d = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32>
                 %t = stablehlo.divide %x, %d : tensor<6x4xf32>",
                "[0]",
                "tensor<4xf32>",
                false,
            ),
            (
                "%w = stablehlo.constant dense<1.0e-30> : tensor<6x4xf32>
                 %t = stablehlo.multiply %x, %w : tensor<6x4xf32>",
                "[0]",
                "tensor<4xf32>",
                false,
            ),
        ];
        for (body, dimensions, result, factored) in table.into_iter().chain(scaled) {
            let text = after(body, dimensions, result);
            assert_eq!(sums_argument(&text), factored, "{body}: {text}");
        }
        let nested = "%u = stablehlo.multiply %x, %b : tensor<6x4xf32>
                      %t = stablehlo.multiply %x, %u : tensor<6x4xf32>";
        let text = after(nested, "[0]", "tensor<4xf32>");
        assert!(text.contains("stablehlo.multiply %arg0, %arg0"), "{text}");
    }
}

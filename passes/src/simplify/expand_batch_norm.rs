//! Batch normalisation becomes arithmetic, with statistics over all dimensions but the feature dimension.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<8x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<3xf32>,
//!     %arg4: tensor<3xf32>) -> tensor<8x3xf32> {
//!   %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4)
//!       {epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}
//!       : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
//!   return %0 : tensor<8x3xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<8x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<3xf32>,
//!     %arg4: tensor<3xf32>) -> tensor<8x3xf32> {
//!   %0 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<3xf32>) -> tensor<8x3xf32>
//!   %1 = stablehlo.subtract %arg0, %0 : tensor<8x3xf32>
//!   %cst = stablehlo.constant dense<1.000000e-03> : tensor<3xf32>
//!   %2 = stablehlo.add %arg4, %cst : tensor<3xf32>
//!   %3 = stablehlo.rsqrt %2 : tensor<3xf32>
//!   %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<3xf32>) -> tensor<8x3xf32>
//!   %5 = stablehlo.multiply %1, %4 : tensor<8x3xf32>
//!   %6 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<8x3xf32>
//!   %7 = stablehlo.multiply %5, %6 : tensor<8x3xf32>
//!   %8 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xf32>) -> tensor<8x3xf32>
//!   %9 = stablehlo.add %7, %8 : tensor<8x3xf32>
//!   return %9 : tensor<8x3xf32>
//! }
//! ```
//!
//! The division by the standard deviation is a product with `rsqrt`, once a feature, as XLA does it. The variance is
//! the mean of squared differences (two passes), never the difference of squares.

use fornax_graph::{Dim, Graph, OpId, OpKind, TensorType, ValueId};
use fornax_reference::Scalar;

use super::Options;
use crate::rewrite::{Outcome, Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let expand: fn(&mut Norm, &[ValueId]) -> Option<Vec<ValueId>> = match rw.kind(id) {
            OpKind::BatchNormInference => inference,
            OpKind::BatchNormTraining => training,
            OpKind::BatchNormGrad => gradient,
            _ => return Ok(Rewrite::Keep),
        };
        rewrite(rw, id, expand)
    })
}

fn rewrite(rw: &mut Rewriter, id: OpId, expand: fn(&mut Norm, &[ValueId]) -> Option<Vec<ValueId>>) -> Outcome {
    let operands = rw.graph.op(id).operands.clone();
    let epsilon = match rw.graph.op(id).attrs.get("epsilon") {
        Some(fornax_graph::Attr::Float(value, _)) => *value,
        _ => 0.0,
    };
    let ty = operands.first().and_then(|&x| rw.tensor(x)).cloned();
    let feature = rw.graph.op(id).attrs.int("feature_index").and_then(|d| usize::try_from(d).ok());
    let (Some(ty), Some(feature)) = (ty, feature) else {
        return Err(PassError::malformed(rw.graph, id, "it has no operand or no feature index"));
    };
    if ty.element.is_quantized() {
        return Ok(Rewrite::Keep);
    }
    if !ty.is_sized() {
        return Err(PassError::unsupported(rw.graph, id, "the sizes of its operand are not known"));
    }
    if feature >= ty.rank() {
        return Err(PassError::malformed(rw.graph, id, "the feature index is not a dimension"));
    }
    let mut norm = Norm { rw, ty, feature, epsilon };
    match expand(&mut norm, &operands) {
        Some(values) => Ok(Rewrite::Replace(values)),
        None => Err(PassError::malformed(norm.rw.graph, id, "it lacks an operand")),
    }
}

/// The op being expanded: its operand's type `[…, features, …]` and parameters.
struct Norm<'r, 'g> {
    rw: &'r mut Rewriter<'g>,
    ty: TensorType,
    feature: usize,
    epsilon: f64,
}

impl Norm<'_, '_> {
    /// `[features]` to the operand's shape.
    fn spread(&mut self, value: ValueId) -> ValueId {
        let shape: Vec<Dim> = self.ty.shape.clone();
        self.rw.broadcast(value, &[self.feature], &shape)
    }

    /// Sum over all dimensions but the features.
    fn sum(&mut self, value: ValueId) -> ValueId {
        let over: Vec<usize> = (0..self.ty.rank()).filter(|&d| d != self.feature).collect();
        let zero = self.rw.splat(&TensorType::new(&[], self.ty.element), Scalar::Float(0.0));
        self.rw.reduce(value, zero, &over, OpKind::Add)
    }

    /// Elements a feature.
    fn count(&self) -> f64 {
        let others = self.ty.shape.iter().enumerate().filter(|(d, _)| *d != self.feature);
        others.filter_map(|(_, n)| n.as_static()).map(|n| n as f64).product()
    }

    fn mean(&mut self, value: ValueId) -> ValueId {
        let sum = self.sum(value);
        let count = self.rw.float_like(sum, self.count());
        self.rw.binary(OpKind::Divide, sum, count)
    }

    fn centred(&mut self, x: ValueId, mean: ValueId) -> ValueId {
        let mean = self.spread(mean);
        self.rw.binary(OpKind::Subtract, x, mean)
    }

    fn variance_plus_epsilon(&mut self, variance: ValueId) -> ValueId {
        let epsilon = self.rw.float_like(variance, self.epsilon);
        self.rw.binary(OpKind::Add, variance, epsilon)
    }

    fn normalised(&mut self, x: ValueId, mean: ValueId, variance: ValueId) -> ValueId {
        let centred = self.centred(x, mean);
        let shifted = self.variance_plus_epsilon(variance);
        let inverse = self.rw.unary(OpKind::Rsqrt, shifted);
        let inverse = self.spread(inverse);
        self.rw.binary(OpKind::Multiply, centred, inverse)
    }

    fn apply(&mut self, x: ValueId, [scale, offset]: [ValueId; 2], mean: ValueId, variance: ValueId) -> ValueId {
        let normalised = self.normalised(x, mean, variance);
        let scale = self.spread(scale);
        let scaled = self.rw.binary(OpKind::Multiply, normalised, scale);
        let offset = self.spread(offset);
        self.rw.binary(OpKind::Add, scaled, offset)
    }
}

fn inference(norm: &mut Norm, operands: &[ValueId]) -> Option<Vec<ValueId>> {
    let &[x, scale, offset, mean, variance] = operands else { return None };
    Some(vec![norm.apply(x, [scale, offset], mean, variance)])
}

fn training(norm: &mut Norm, operands: &[ValueId]) -> Option<Vec<ValueId>> {
    let &[x, scale, offset] = operands else { return None };
    let mean = norm.mean(x);
    let centred = norm.centred(x, mean);
    let squared = norm.rw.binary(OpKind::Multiply, centred, centred);
    let variance = norm.mean(squared);
    Some(vec![norm.apply(x, [scale, offset], mean, variance), mean, variance])
}

/// With n elements a feature, c = x − mean and s = variance + epsilon:
/// `scale · rsqrt(s) / n · (n·g − Σg − c·Σ(g·c)/s)`, `Σ(g·c·rsqrt(s))`, `Σg`.
fn gradient(norm: &mut Norm, operands: &[ValueId]) -> Option<Vec<ValueId>> {
    let &[x, scale, mean, variance, g] = operands else { return None };
    let centred = norm.centred(x, mean);
    let shifted = norm.variance_plus_epsilon(variance);
    let inverse = norm.rw.unary(OpKind::Rsqrt, shifted);
    let sum_g = norm.sum(g);
    let g_centred = norm.rw.binary(OpKind::Multiply, g, centred);
    let sum_g_centred = norm.sum(g_centred);
    let count = norm.rw.float_like(inverse, norm.count());
    let slope = norm.rw.binary(OpKind::Divide, sum_g_centred, shifted);
    let slope = norm.spread(slope);
    let count_g = norm.spread(count);
    let first = norm.rw.binary(OpKind::Multiply, count_g, g);
    let second = norm.spread(sum_g);
    let third = norm.rw.binary(OpKind::Multiply, centred, slope);
    let difference = norm.rw.binary(OpKind::Subtract, first, second);
    let difference = norm.rw.binary(OpKind::Subtract, difference, third);
    let factor = norm.rw.binary(OpKind::Multiply, scale, inverse);
    let factor = norm.rw.binary(OpKind::Divide, factor, count);
    let factor = norm.spread(factor);
    let grad_x = norm.rw.binary(OpKind::Multiply, factor, difference);
    let spread_inverse = norm.spread(inverse);
    let normalised = norm.rw.binary(OpKind::Multiply, centred, spread_inverse);
    let g_normalised = norm.rw.binary(OpKind::Multiply, g, normalised);
    let grad_scale = norm.sum(g_normalised);
    Some(vec![grad_x, grad_scale, sum_g])
}

//! `batch_norm_inference`, `_training`, `_grad`: statistics over every dimension but `feature_index`, in f64.

use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

type Results = Result<Vec<Tensor>, EvalError>;

/// The operand and how its elements map to features.
struct Features {
    values: Vec<f64>,
    count: usize,
    inner: usize,
    epsilon: f64,
}

impl Features {
    fn new(call: &Call) -> Result<Features, EvalError> {
        let operand = call.operand(0)?;
        let index = call.op.attrs.int("feature_index").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
        call.check_dims(&[index], operand.rank())?;
        let epsilon = match call.op.attrs.get("epsilon") {
            Some(fornax_graph::Attr::Float(v, _)) => *v,
            _ => return Err(call.malformed("no epsilon")),
        };
        let shape = operand.shape();
        let count = shape[index];
        let vectors = call.operands[1..].iter().all(|t| t.len() == count || t.shape() == shape);
        call.check(vectors, "one value a feature")?;
        Ok(Features { values: reals(&operand), count, inner: shape[index + 1..].iter().product(), epsilon })
    }

    fn of(&self, at: usize) -> usize {
        at / self.inner % self.count
    }

    /// Elements of each feature.
    fn population(&self) -> f64 {
        self.values.len() as f64 / self.count.max(1) as f64
    }

    /// Sum over each feature of `f(position)`.
    fn sums(&self, f: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        (0..self.values.len()).for_each(|at| sums[self.of(at)] += f(at));
        sums
    }

    fn map(&self, f: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        (0..self.values.len()).map(|at| f(at, self.of(at))).collect()
    }

    fn normalised(&self, mean: &[f64], variance: &[f64], scale: &[f64], offset: &[f64]) -> Vec<f64> {
        self.map(|at, c| (self.values[at] - mean[c]) / (variance[c] + self.epsilon).sqrt() * scale[c] + offset[c])
    }
}

fn reals(tensor: &Tensor) -> Vec<f64> {
    (0..tensor.len()).map(|at| tensor.get(at).as_f64()).collect()
}

fn like(tensor: &Tensor, values: Vec<f64>) -> Tensor {
    Tensor::from_scalars(&tensor.shape(), tensor.element(), values.into_iter().map(Scalar::Float))
}

/// Operands: operand, scale, offset, mean, variance.
pub(crate) fn inference(call: &mut Call) -> Results {
    call.check(call.operands.len() == 5, "five operands")?;
    let features = Features::new(call)?;
    let [scale, offset, mean, variance] = [1, 2, 3, 4].map(|i| reals(&call.operands[i]));
    let out = features.normalised(&mean, &variance, &scale, &offset);
    Ok(vec![like(&call.operands[0], out)])
}

/// Operands: operand, scale, offset. Results: normalised operand, mean, variance.
pub(crate) fn training(call: &mut Call) -> Results {
    call.check(call.operands.len() == 3, "three operands")?;
    let features = Features::new(call)?;
    let (scale, offset) = (reals(&call.operands[1]), reals(&call.operands[2]));
    let n = features.population();
    let mean: Vec<f64> = features.sums(|at| features.values[at]).iter().map(|s| s / n).collect();
    let squares = features.sums(|at| (features.values[at] - mean[features.of(at)]).powi(2));
    let variance: Vec<f64> = squares.iter().map(|s| s / n).collect();
    let out = features.normalised(&mean, &variance, &scale, &offset);
    let [operand, vector] = [&call.operands[0], &call.operands[1]];
    Ok(vec![like(operand, out), like(vector, mean), like(vector, variance)])
}

/// Operands: operand, scale, mean, variance, gradient of the output. Results: gradients of operand, scale, offset.
pub(crate) fn grad(call: &mut Call) -> Results {
    call.check(call.operands.len() == 5, "five operands")?;
    let features = Features::new(call)?;
    let [scale, mean, variance, gradient] = [1, 2, 3, 4].map(|i| reals(&call.operands[i]));
    call.check(gradient.len() == features.values.len(), "a gradient of another shape")?;
    let n = features.population();
    let centered = features.map(|at, c| features.values[at] - mean[c]);
    let sum = features.sums(|at| gradient[at]);
    let sum_centered = features.sums(|at| gradient[at] * centered[at]);
    let operand = features.map(|at, c| {
        let spread = variance[c] + features.epsilon;
        let inner = n * gradient[at] - sum[c] - sum_centered[c] * centered[at] / spread;
        scale[c] / spread.sqrt() / n * inner
    });
    let scale_grad = (0..features.count).map(|c| sum_centered[c] / (variance[c] + features.epsilon).sqrt()).collect();
    let [like_operand, vector] = [&call.operands[0], &call.operands[1]];
    Ok(vec![like(like_operand, operand), like(vector, scale_grad), like(vector, sum)])
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::{Attr, OpKind, Type};

    fn attrs() -> [(&'static str, Attr); 2] {
        [("epsilon", Attr::Float(0.0, Type::Scalar(F32))), ("feature_index", int(1))]
    }

    #[test]
    fn inference_and_training() {
        let x = f32s(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
        let vector = |a: f64, b: f64| f32s(&[2], &[a, b]);
        let operands = [x.clone(), vector(2.0, 1.0), vector(1.0, 0.0), vector(1.0, 2.0), vector(4.0, 1.0)];
        let out = op(OpKind::BatchNormInference, &attrs(), &operands, &[ty(&[2, 2], F32)]);
        assert_eq!(values(&out[0]), [1.0, 0.0, 3.0, 2.0]);
        let types = [ty(&[2, 2], F32), ty(&[2], F32), ty(&[2], F32)];
        let out = op(OpKind::BatchNormTraining, &attrs(), &[x, vector(1.0, 1.0), vector(0.0, 0.0)], &types);
        assert_eq!(values(&out[0]), [-1.0, -1.0, 1.0, 1.0]);
        assert_eq!((values(&out[1]), values(&out[2])), (vec![2.0, 3.0], vec![1.0, 1.0]));
    }

    #[test]
    fn gradient_of_a_constant_output_gradient_vanishes() {
        let x = f32s(&[2, 1], &[1.0, 3.0]);
        let one = |v: f64| f32s(&[1], &[v]);
        let operands = [x, one(1.0), one(2.0), one(1.0), f32s(&[2, 1], &[1.0, 1.0])];
        let types = [ty(&[2, 1], F32), ty(&[1], F32), ty(&[1], F32)];
        let out = op(OpKind::BatchNormGrad, &attrs(), &operands, &types);
        assert_eq!((values(&out[0]), values(&out[1]), values(&out[2])), (vec![0.0, 0.0], vec![0.0], vec![2.0]));
    }
}

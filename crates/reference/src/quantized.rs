//! Quantised element types. Inside an evaluation a quantised value is held as what it stands for, `(q -
//! zero_point)·scale` in the expressed type; each op computes on those and its result is rounded to the steps of its
//! quantised type.

use fornax_graph::{ElementType, Graph, QuantizedType, Type};

use crate::scalar::{IntType, Scalar};
use crate::tensor::{Tensor, strides};

/// The quantised type of a value, if it has one.
pub(crate) fn quantized<'g>(graph: &'g Graph, ty: &Type) -> Option<&'g QuantizedType> {
    match ty.as_tensor()?.element {
        ElementType::Quantized(id) => graph.quantized.get(id as usize),
        _ => None,
    }
}

/// Scale and zero point of the element at a row-major position.
fn parameters(ty: &QuantizedType, shape: &[usize], at: usize) -> Option<(f64, f64)> {
    if let Some(blocks) = &ty.blocks {
        let sizes: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
        let sizes = blocks.block_sizes(&sizes)?;
        let steps = strides(shape);
        let mut block = 0;
        for (d, &count) in blocks.shape.iter().enumerate() {
            block = block * count + (at / steps[d] as usize % shape[d]) as i64 / sizes[d];
        }
        let found = ty.parameters.get(usize::try_from(block).ok()?);
        return found.map(|&(scale, zero)| (scale, zero as f64));
    }
    let slice = match ty.axis.map(usize::try_from) {
        None => 0,
        Some(Ok(axis)) if axis < shape.len() => at / strides(shape)[axis] as usize % shape[axis],
        Some(_) => return None,
    };
    ty.parameters.get(slice).map(|&(scale, zero)| (scale, zero as f64))
}

fn map(
    tensor: &Tensor,
    ty: &QuantizedType,
    element: ElementType,
    f: impl Fn(f64, (f64, f64)) -> f64,
) -> Option<Tensor> {
    let shape = tensor.shape();
    let mut out = Tensor::zeros(&shape, element);
    for at in 0..tensor.len() {
        let value = f(tensor.get(at).as_f64(), parameters(ty, &shape, at)?);
        out.set(at, Scalar::Float(value).convert(element));
    }
    Some(out)
}

/// Storage integer of a real value: nearest step, ties to even, saturated; NaN is stored as 0.
fn step(ty: &QuantizedType, value: f64, (scale, zero): (f64, f64)) -> f64 {
    let scaled = (value as f32 / scale as f32) as f64;
    let exact = if ty.expressed == ElementType::F32 { scaled } else { value / scale };
    if exact.is_nan() {
        return 0f64.clamp(ty.storage_min as f64, ty.storage_max as f64);
    }
    (exact.round_ties_even() + zero).clamp(ty.storage_min as f64, ty.storage_max as f64)
}

/// Real values rounded to the steps of a quantised type; `None` for parameters that do not fit the shape.
pub(crate) fn rounded(tensor: &Tensor, ty: &QuantizedType) -> Option<Tensor> {
    map(tensor, ty, ty.expressed, |v, p| (step(ty, v, p) - p.1) * p.0)
}

/// Real values of storage integers.
pub(crate) fn from_storage(tensor: &Tensor, ty: &QuantizedType) -> Option<Tensor> {
    map(tensor, ty, ty.expressed, |q, p| (q - p.1) * p.0)
}

/// Storage integers of real values.
pub(crate) fn to_storage(tensor: &Tensor, ty: &QuantizedType) -> Option<Tensor> {
    map(tensor, ty, ty.storage, |v, p| step(ty, v, p))
}

/// A result of an op as a value of quantised type: integers are storage (constants, bitcasts), reals are rounded.
pub(crate) fn result(tensor: &Tensor, ty: &QuantizedType) -> Option<Tensor> {
    if IntType::of(tensor.element()).is_some() { from_storage(tensor, ty) } else { rounded(tensor, ty) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn steps_saturate_and_round_to_even() {
        let ty = QuantizedType {
            storage: I8,
            storage_min: -128,
            storage_max: 127,
            expressed: F32,
            axis: None,
            blocks: None,
            parameters: vec![(0.5, 10)],
            text: String::new(),
        };
        let x = f32s(&[4], &[0.25, 0.75, 1000.0, -0.6]);
        assert_eq!(values(&rounded(&x, &ty).unwrap()), [0.0, 1.0, 58.5, -0.5]);
        assert_eq!(to_storage(&x, &ty).unwrap().ints(), [10, 12, 127, 9]);
        assert_eq!(values(&from_storage(&ints(&[1], I8, &[12]), &ty).unwrap()), [1.0]);
    }
}

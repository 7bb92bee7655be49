//! `dot` and `dot_general`, and the accumulators that convolution shares.
//!
//! Floats accumulate in f64 and round once, integers wrap modulo 2^64, complex numbers are pairs of f64.

use fornax_graph::views::{DotDims, dot_dims};
use fornax_graph::{ElementType, OpKind};

use crate::complex::Complex;
use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::scalar::Scalar;
use crate::tensor::{Tensor, affine_copy, strides, tensor_type};

type Results = Result<Vec<Tensor>, EvalError>;

/// An accumulator.
pub(crate) trait Number: Copy {
    const ZERO: Self;
    fn add_product(self, a: Self, b: Self) -> Self;
    fn from_scalar(value: Scalar) -> Self;
    fn to_scalar(self) -> Scalar;

    /// All elements of a tensor.
    fn elements(tensor: &Tensor) -> Vec<Self> {
        (0..tensor.len()).map(|i| Self::from_scalar(tensor.get(i))).collect()
    }
}

impl Number for f64 {
    const ZERO: f64 = 0.0;
    fn add_product(self, a: f64, b: f64) -> f64 {
        self + a * b
    }
    fn from_scalar(value: Scalar) -> f64 {
        value.as_f64()
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Float(self)
    }
    fn elements(tensor: &Tensor) -> Vec<f64> {
        if tensor.element() == ElementType::F32 {
            let words = tensor.bytes.as_chunks::<4>().0.iter();
            return words.map(|b| f64::from(f32::from_le_bytes(*b))).collect();
        }
        (0..tensor.len()).map(|i| tensor.get(i).as_f64()).collect()
    }
}

impl Number for i64 {
    const ZERO: i64 = 0;
    fn add_product(self, a: i64, b: i64) -> i64 {
        self.wrapping_add(a.wrapping_mul(b))
    }
    fn from_scalar(value: Scalar) -> i64 {
        value.as_int() as i64
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Int(self.into())
    }
}

impl Number for Complex {
    const ZERO: Complex = Complex::ZERO;
    fn add_product(self, a: Complex, b: Complex) -> Complex {
        self + a * b
    }
    fn from_scalar(value: Scalar) -> Complex {
        value.as_complex()
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Complex(self)
    }
}

/// Which accumulator two element types need.
pub(crate) enum Accumulator {
    Float,
    Integer,
    Complex,
}

impl Accumulator {
    pub fn of(a: ElementType, b: ElementType) -> Accumulator {
        if a.is_complex() || b.is_complex() {
            Accumulator::Complex
        } else if a.is_float() || b.is_float() {
            Accumulator::Float
        } else {
            Accumulator::Integer
        }
    }
}

/// A tensor from accumulators, rounded to the element type.
pub(crate) fn from_numbers<T: Number>(shape: &[usize], element: ElementType, values: &[T]) -> Tensor {
    Tensor::from_scalars(shape, element, values.iter().map(|v| v.to_scalar().convert(element)))
}

/// The tensor with its dimensions in the given order.
pub(crate) fn permuted(call: &Call, source: &Tensor, order: &[usize]) -> Result<Tensor, EvalError> {
    call.check_dims(order, source.rank())?;
    call.check(order.len() == source.rank(), "dimension numbers of another rank")?;
    let (from, steps) = (source.shape(), strides(&source.shape()));
    let shape: Vec<usize> = order.iter().map(|&d| from[d]).collect();
    let steps: Vec<isize> = order.iter().map(|&d| steps[d]).collect();
    affine_copy(source, &shape, 0, &steps).ok_or_else(|| call.malformed("reads outside of its operand"))
}

/// [batch…, M…, K…]·[batch…, K…, N…] → [batch…, M…, N…], operand dimensions in any order.
pub(crate) fn dot_general(call: &mut Call) -> Results {
    let dims = match call.op.kind {
        OpKind::Dot => {
            let last = call.operand(0)?.rank().checked_sub(1);
            DotDims { lhs_contract: last.into_iter().collect(), rhs_contract: vec![0], ..DotDims::default() }
        }
        _ => dot_dims(call.op),
    };
    let (lhs, rhs) = (call.operand(0)?, call.operand(1)?);
    let free = |rank: usize, a: &[usize], b: &[usize]| -> Vec<usize> {
        (0..rank).filter(|d| !a.contains(d) && !b.contains(d)).collect()
    };
    let lhs_free = free(lhs.rank(), &dims.lhs_batch, &dims.lhs_contract);
    let rhs_free = free(rhs.rank(), &dims.rhs_batch, &dims.rhs_contract);
    let lhs = permuted(call, &lhs, &[&dims.lhs_batch[..], &lhs_free, &dims.lhs_contract].concat())?;
    let rhs = permuted(call, &rhs, &[&dims.rhs_batch[..], &dims.rhs_contract, &rhs_free].concat())?;
    let (lhs_shape, rhs_shape) = (lhs.shape(), rhs.shape());
    let (nb, nm) = (dims.lhs_batch.len(), lhs_free.len());
    let nk = dims.lhs_contract.len();
    let agree = dims.rhs_batch.len() == nb
        && dims.rhs_contract.len() == nk
        && lhs_shape[..nb] == rhs_shape[..nb]
        && lhs_shape[nb + nm..] == rhs_shape[nb..nb + nk];
    call.check(agree, "batch or contracted dimensions differ")?;
    let shape = [&lhs_shape[..nb + nm], &rhs_shape[nb + nk..]].concat();
    call.check_size(&shape)?;
    let size = Sizes {
        b: lhs_shape[..nb].iter().product(),
        m: lhs_shape[nb..nb + nm].iter().product(),
        k: rhs_shape[nb..nb + nk].iter().product(),
        n: rhs_shape[nb + nk..].iter().product(),
    };
    call.charge_work([size.b, size.m, size.k, size.n].iter().fold(1u64, |w, &n| w.saturating_mul(n as u64)))?;
    let element = call.result_element(0)?;
    Ok(vec![match Accumulator::of(lhs.element(), rhs.element()) {
        Accumulator::Float => contract::<f64>(&size, &lhs, &rhs, &shape, element),
        Accumulator::Integer => contract::<i64>(&size, &lhs, &rhs, &shape, element),
        Accumulator::Complex => contract::<Complex>(&size, &lhs, &rhs, &shape, element),
    }])
}

struct Sizes {
    b: usize,
    m: usize,
    k: usize,
    n: usize,
}

/// `[B,M,K]·[B,K,N]` → `[B,M,N]`.
fn contract<T: Number>(size: &Sizes, lhs: &Tensor, rhs: &Tensor, shape: &[usize], element: ElementType) -> Tensor {
    let (lhs, rhs) = (T::elements(lhs), T::elements(rhs));
    let Sizes { b, m, k, n } = *size;
    let mut out = Tensor { ty: tensor_type(shape, element), bytes: Vec::with_capacity(b * m * n) };
    let width = element.storage_bytes();
    let mut row = vec![T::ZERO; n];
    for batch in 0..b {
        for i in 0..m {
            row.fill(T::ZERO);
            for l in 0..k {
                let x = lhs[(batch * m + i) * k + l];
                let start = (batch * k + l) * n;
                for (sum, &y) in row.iter_mut().zip(&rhs[start..start + n]) {
                    *sum = sum.add_product(x, y);
                }
            }
            for sum in &row {
                let at = out.bytes.len();
                out.bytes.resize(at + width, 0);
                sum.to_scalar().convert(element).write(element, &mut out.bytes[at..]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::OpKind;

    #[test]
    fn matrix_products() {
        let a = f32s(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
        let b = f32s(&[2, 2], &[5.0, 6.0, 7.0, 8.0]);
        let out = op(OpKind::Dot, &[], &[a.clone(), b.clone()], &[ty(&[2, 2], F32)]);
        assert_eq!(values(&out[0]), [19.0, 22.0, 43.0, 50.0]);
        let numbers = fields(&[("lhs_contracting_dimensions", dims(&[0])), ("rhs_contracting_dimensions", dims(&[1]))]);
        let out = op(OpKind::DotGeneral, &[("dot_dimension_numbers", numbers)], &[a, b], &[ty(&[2, 2], F32)]);
        assert_eq!(values(&out[0]), [23.0, 31.0, 34.0, 46.0]);
    }

    #[test]
    fn batches_and_wider_results() {
        let a = ints(&[2, 1, 2], I8, &[100, 100, 1, 2]);
        let b = ints(&[2, 2, 1], I8, &[100, 100, 3, 4]);
        let numbers = fields(&[
            ("lhs_batching_dimensions", dims(&[0])),
            ("rhs_batching_dimensions", dims(&[0])),
            ("lhs_contracting_dimensions", dims(&[2])),
            ("rhs_contracting_dimensions", dims(&[1])),
        ]);
        let out = op(OpKind::DotGeneral, &[("dot_dimension_numbers", numbers)], &[a, b], &[ty(&[2, 1, 1], I32)]);
        assert_eq!(out[0].ints(), [20000, 11]);
    }
}

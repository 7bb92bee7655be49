//! Products of quantised tensors on their storage integers.
//!
//! Input: a `dot_general` of two operands of at most 8 bits. Output: a float, what the exact sum stands for: `Σ (p −
//! zₚ)(q − z_q) = Σ p·q − z_q Σ p − zₚ Σ q + k·zₚ·z_q`, all in 32-bit integers, times both scales. The product of the
//! i8 tensors is what integer tensor cores do; the sums over one operand are there only where the other has a zero
//! point.
//!
//! Limits: one scale and zero point a tensor; the right operand may instead have scales along a free dimension, without
//! zero points. The sum must fit 32 bits: up to 33,025 steps of 255 · 255. What does not fit is computed on floats as
//! any other op.
//!
//! Worked example: p = [3, 5] (scale 0.5, zero point 1), q = [2, −4] (scale 0.25): Σ p·q = −14, less 1 · (2 − 4) = −12;
//! −12 · 0.125 = −1.5, which is 1 · 0.5 + 2 · (−1).

use fornax_graph::views::dot_dims;
use fornax_graph::{Constant, Dim, ElementType, Op, OpKind, QuantizedType, TensorType, ValueId};
use fornax_reference::Scalar;

use crate::rewrite::build::element_bytes;
use crate::rewrite::Rewriter;

/// Largest |q − zero point|.
const LARGEST: i64 = 255;

/// One operand: its integers as i8, and what they are counted from.
struct Side {
    value: ValueId,
    zero: i64,
}

/// The product as the result's expressed float; `None` where it is to be computed on floats.
pub fn product(
    rw: &mut Rewriter,
    op: &Op,
    [left, right]: [&QuantizedType; 2],
    expressed: ElementType,
) -> Option<ValueId> {
    let &[a, b] = &op.operands[..] else { return None };
    if op.kind != OpKind::DotGeneral || [left.expressed, right.expressed, expressed] != [ElementType::F32; 3] {
        return None;
    }
    let numbers = dot_dims(op);
    let result = rw.tensor(*op.results.first()?)?.clone();
    let (shape_a, shape_b) = (rw.shape(a)?, rw.shape(b)?);
    let steps = numbers.lhs_contract.iter().try_fold(1i64, |n, &d| n.checked_mul(*shape_a.get(d)?))?;
    steps.checked_mul(LARGEST * LARGEST).filter(|&sum| sum <= i64::from(i32::MAX))?;
    let free: Vec<usize> = (0..shape_b.len())
        .filter(|d| !numbers.rhs_contract.contains(d) && !numbers.rhs_batch.contains(d))
        .collect();
    // Where in the result the right operand's own dimensions start.
    let first_free = result.rank().checked_sub(free.len())?;
    let &[(scale, _)] = &left.parameters[..] else { return None };
    let one = matches!((left.axis, &left.blocks), (None, None));
    if !one || right.blocks.is_some() || !fits(left) || !fits(right) {
        return None;
    }
    let scales: Vec<f64> = right.parameters.iter().map(|p| scale * p.0).collect();
    let along = match right.axis {
        None => None,
        Some(axis) => {
            let axis = usize::try_from(axis).ok()?;
            let at = free.iter().position(|&d| d == axis)?;
            if right.parameters.iter().any(|p| p.1 != 0)
                || shape_b.get(axis).copied() != i64::try_from(scales.len()).ok()
            {
                return None;
            }
            Some(first_free + at)
        }
    };
    let zero = |ty: &QuantizedType| ty.parameters.first().map_or(0, |p| p.1);
    let (p, q) = (side(rw, a, zero(left)), side(rw, b, zero(right)));
    let wide = result.with_element(ElementType::I32);
    let attrs: Vec<(&str, fornax_graph::Attr)> = op
        .attrs
        .get("dot_dimension_numbers")
        .map(|numbers| ("dot_dimension_numbers", numbers.clone()))
        .into_iter()
        .collect();
    let mut sum = rw.emit(OpKind::DotGeneral, &[p.value, q.value], fornax_graph::Type::Tensor(wide.clone()), &attrs);
    if q.zero != 0 {
        let batch = numbers.lhs_batch.len();
        let kept = shape_a.len() - numbers.lhs_contract.len();
        let to: Vec<usize> = (0..kept.max(batch)).collect();
        let dims = SumDims { contract: &numbers.lhs_contract, batch: &numbers.lhs_batch, to: &to };
        let off = corrected(rw, &p, q.zero, dims, &wide);
        sum = rw.binary(OpKind::Subtract, sum, off);
    }
    if p.zero != 0 {
        let to: Vec<usize> = (0..numbers.rhs_batch.len()).chain(first_free..result.rank()).collect();
        let dims = SumDims { contract: &numbers.rhs_contract, batch: &numbers.rhs_batch, to: &to };
        let off = corrected(rw, &q, p.zero, dims, &wide);
        sum = rw.binary(OpKind::Subtract, sum, off);
    }
    if p.zero != 0 && q.zero != 0 {
        let all = rw.int_like(sum, i128::from(steps * p.zero * q.zero));
        sum = rw.binary(OpKind::Add, sum, all);
    }
    let real = rw.convert(sum, ElementType::F32);
    let scale = match (along, &scales[..]) {
        (None, &[only]) => rw.float_like(real, only),
        (None, _) => return None,
        (Some(dim), _) => {
            let bytes = scales.iter().flat_map(|&s| element_bytes(ElementType::F32, Scalar::Float(s))).collect();
            let count = scales.len() as i64;
            let list = rw.constant(Constant::dense(TensorType::new(&[count], ElementType::F32), bytes));
            let shape = wide.shape.clone();
            rw.broadcast(list, &[dim], &shape)
        }
    };
    Some(rw.binary(OpKind::Multiply, real, scale))
}

/// Whether differences from the zero point are at most [`LARGEST`].
fn fits(ty: &QuantizedType) -> bool {
    ty.storage.bits() <= 8 && ty.parameters.iter().all(|p| (ty.storage_min..=ty.storage_max).contains(&p.1))
}

/// The storage integers as i8; those without sign and of 8 bits count from −128.
fn side(rw: &mut Rewriter, value: ValueId, zero: i64) -> Side {
    if rw.tensor(value).is_some_and(|t| t.element == ElementType::Ui8) {
        let wide = rw.convert(value, ElementType::I16);
        let half = rw.int_like(wide, 128);
        let centred = rw.binary(OpKind::Subtract, wide, half);
        return Side { value: rw.convert(centred, ElementType::I8), zero: zero - 128 };
    }
    Side { value: rw.convert(value, ElementType::I8), zero }
}

/// The dimensions of a sum over one operand.
struct SumDims<'d> {
    /// Those that are summed.
    contract: &'d [usize],
    /// The batch dimensions of the operand.
    batch: &'d [usize],
    /// Those of the result that the kept ones become.
    to: &'d [usize],
}

/// `by · Σ` of one operand over what is summed, in the shape of the result.
fn corrected(rw: &mut Rewriter, side: &Side, by: i64, dims: SumDims<'_>, wide: &TensorType) -> ValueId {
    let SumDims { contract, batch, to } = dims;
    let rank = rw.tensor(side.value).map_or(0, TensorType::rank);
    let x = rw.convert(side.value, ElementType::I32);
    let zero = rw.splat(&TensorType::new(&[], ElementType::I32), Scalar::Int(0));
    // Batch dimensions first, as in the result.
    let free = (0..rank).filter(|d| !contract.contains(d) && !batch.contains(d));
    let order: Vec<usize> = batch.iter().copied().chain(free).chain(contract.iter().copied()).collect();
    let x = rw.transpose(x, &order);
    let over: Vec<usize> = (rank - contract.len()..rank).collect();
    let sums = if over.is_empty() { x } else { rw.reduce(x, zero, &over, OpKind::Add) };
    let shape: Vec<Dim> = wide.shape.clone();
    let sums = rw.broadcast(sums, to, &shape);
    let by = rw.int_like(sums, i128::from(by));
    rw.binary(OpKind::Multiply, sums, by)
}

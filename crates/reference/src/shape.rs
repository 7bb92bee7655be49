//! Constants, iota and the ops that only move elements: each is an affine copy, see `tensor::affine_copy`.

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, Dim, ElementType};

use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::scalar::Scalar;
use crate::tensor::{Indices, Tensor, affine_copy, strides};

type Results = Result<Vec<Tensor>, EvalError>;

/// `stablehlo.constant`, `chlo.constant`.
pub(crate) fn constant(call: &mut Call) -> Results {
    let Some(Attr::Dense(id)) = call.op.attrs.get("value") else {
        return Err(call.malformed("no dense value"));
    };
    let constant = call.interp.graph.constant(*id);
    let shape = call.sizes(&constant.ty.static_shape().unwrap_or_default())?;
    call.check_size(&shape)?;
    Tensor::new(constant.ty.clone(), constant.to_bytes()).map(|t| vec![t])
}

/// Index along `iota_dimension` in every element.
pub(crate) fn iota(call: &mut Call) -> Results {
    let shape = call.result_shape(0)?;
    iota_of(call, &shape)
}

/// `iota` with the shape as operand.
pub(crate) fn dynamic_iota(call: &mut Call) -> Results {
    let shape = call.sizes(&call.operand(0)?.ints())?;
    iota_of(call, &shape)
}

fn iota_of(call: &Call, shape: &[usize]) -> Results {
    let element = call.result_element(0)?;
    let dimension = call.op.attrs.int("iota_dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
    call.check_dims(&[dimension], shape.len())?;
    let mut out = call.alloc(shape, element)?;
    let inner: usize = shape[dimension + 1..].iter().product();
    for at in 0..out.len() {
        let index = at / inner % shape[dimension];
        out.set(at, Scalar::Int(index as i128).convert(element));
    }
    Ok(vec![out])
}

/// Copies operand 0 affinely; a source index outside of it is a malformed op.
fn copy(call: &Call, source: &Tensor, shape: &[usize], base: isize, strides: &[isize]) -> Results {
    call.check_size(shape)?;
    let copied = affine_copy(source, shape, base, strides);
    copied.map(|t| vec![t]).ok_or_else(|| call.malformed("reads outside of its operand"))
}

/// Operand dimension `i` becomes result dimension `broadcast_dimensions[i]`; size 1 is repeated.
pub(crate) fn broadcast_in_dim(call: &mut Call) -> Results {
    let shape = call.result_shape(0)?;
    let operand = call.operand(0)?;
    broadcast_to(call, &operand, &shape, &dim_list(call.op, "broadcast_dimensions")).map(|t| vec![t])
}

/// `broadcast_in_dim` with the result shape as operand.
pub(crate) fn dynamic_broadcast_in_dim(call: &mut Call) -> Results {
    let shape = call.sizes(&call.operand(1)?.ints())?;
    let operand = call.operand(0)?;
    broadcast_to(call, &operand, &shape, &dim_list(call.op, "broadcast_dimensions")).map(|t| vec![t])
}

/// Broadcast of a tensor to a shape.
pub(crate) fn broadcast_to(call: &Call, source: &Tensor, shape: &[usize], dims: &[usize]) -> Result<Tensor, EvalError> {
    call.check_dims(dims, shape.len())?;
    call.check(dims.len() == source.rank(), "one broadcast dimension an operand dimension")?;
    let from = source.shape();
    let mut steps = vec![0; shape.len()];
    for ((&d, &n), &s) in dims.iter().zip(&from).zip(&strides(&from)) {
        call.check(n == 1 || n == shape[d], "a broadcast dimension of another size")?;
        steps[d] = if n == 1 { 0 } else { s };
    }
    call.check_size(shape)?;
    affine_copy(source, shape, 0, &steps).ok_or_else(|| call.malformed("reads outside of its operand"))
}

/// `broadcast_sizes` are new leading dimensions.
pub(crate) fn broadcast(call: &mut Call) -> Results {
    let operand = call.operand(0)?;
    let mut shape = dim_list(call.op, "broadcast_sizes");
    let new = shape.len();
    shape.extend(operand.shape());
    let dims: Vec<usize> = (new..shape.len()).collect();
    broadcast_to(call, &operand, &shape, &dims).map(|t| vec![t])
}

/// The same elements in row-major order under the result's shape; one unknown size follows from the others.
pub(crate) fn reshape(call: &mut Call) -> Results {
    let operand = call.operand(0)?;
    let declared = call.op.results.first().and_then(|&r| call.interp.graph.ty(r).as_tensor());
    let shape = declared.map(|t| t.shape.clone()).unwrap_or_default();
    let number = |&dim: &Dim| call.interp.sizes.number(call.interp.graph, dim);
    let sizes: Vec<Option<i64>> = shape.iter().map(number).collect();
    let known = sizes.iter().flatten().try_fold(1i64, |n, &d| n.checked_mul(d)).unwrap_or(0);
    let shape = if sizes.iter().filter(|s| s.is_none()).count() == 1 && known > 0 {
        let rest = operand.len() as i64 / known;
        call.sizes(&sizes.iter().map(|s| s.unwrap_or(rest)).collect::<Vec<_>>())?
    } else {
        call.result_shape(0)?
    };
    reshape_to(call, &operand, &shape)
}

/// `reshape` with the result shape as operand.
pub(crate) fn dynamic_reshape(call: &mut Call) -> Results {
    let shape = call.sizes(&call.operand(1)?.ints())?;
    let operand = call.operand(0)?;
    reshape_to(call, &operand, &shape)
}

fn reshape_to(call: &Call, operand: &Tensor, shape: &[usize]) -> Results {
    call.check_size(shape)?;
    call.check(shape.iter().product::<usize>() == operand.len(), "a reshape to another number of elements")?;
    Ok(vec![operand.reshaped(shape)])
}

/// Result dimension `i` is operand dimension `permutation[i]`.
pub(crate) fn transpose(call: &mut Call) -> Results {
    let operand = call.operand(0)?;
    let permutation = dim_list(call.op, "permutation");
    call.check_dims(&permutation, operand.rank())?;
    call.check(permutation.len() == operand.rank(), "a permutation of another rank")?;
    let (from, steps) = (operand.shape(), strides(&operand.shape()));
    let shape: Vec<usize> = permutation.iter().map(|&d| from[d]).collect();
    copy(call, &operand, &shape, 0, &permutation.iter().map(|&d| steps[d]).collect::<Vec<_>>())
}

/// Runs the listed dimensions backwards.
pub(crate) fn reverse(call: &mut Call) -> Results {
    let operand = call.operand(0)?;
    let dims = dim_list(call.op, "dimensions");
    call.check_dims(&dims, operand.rank())?;
    let shape = operand.shape();
    let mut steps = strides(&shape);
    let mut base = 0;
    for &d in &dims {
        base += (shape[d].max(1) as isize - 1) * steps[d];
        steps[d] = -steps[d];
    }
    copy(call, &operand, &shape, base, &steps)
}

/// Elements `start, start + stride, … < limit` of every dimension.
pub(crate) fn slice(call: &mut Call) -> Results {
    let attr = |name: &str| call.op.attrs.ints(name).unwrap_or_default();
    let (starts, limits) = (attr("start_indices"), attr("limit_indices"));
    let steps = fornax_graph::views::ints_or(call.op, "strides", starts.len(), 1);
    slice_of(call, &starts, &limits, &steps)
}

/// `slice` with bounds as operands.
pub(crate) fn real_dynamic_slice(call: &mut Call) -> Results {
    let (starts, limits, steps) = (call.operand(1)?.ints(), call.operand(2)?.ints(), call.operand(3)?.ints());
    slice_of(call, &starts, &limits, &steps)
}

fn slice_of(call: &Call, starts: &[i64], limits: &[i64], steps: &[i64]) -> Results {
    let operand = call.operand(0)?;
    let from = operand.shape();
    let rank = from.len();
    call.check(starts.len() == rank && limits.len() == rank && steps.len() == rank, "bounds of another rank")?;
    let natural = strides(&from);
    let (mut shape, mut strides, mut base) = (Vec::new(), Vec::new(), 0);
    for d in 0..rank {
        let (start, limit, step) = (starts[d], limits[d], steps[d]);
        let inside = 0 <= start && start <= limit && limit <= from[d] as i64 && step > 0;
        call.check(inside, "slice bounds outside of the operand")?;
        shape.push((limit - start).div_ceil_positive(step));
        strides.push(natural[d] * step as isize);
        base += natural[d] * start as isize;
    }
    copy(call, &operand, &shape, base, &strides)
}

/// Ceiling division of non-negative by positive.
trait CeilingDivision {
    fn div_ceil_positive(self, by: i64) -> usize;
}

impl CeilingDivision for i64 {
    fn div_ceil_positive(self, by: i64) -> usize {
        (self as u64).div_ceil(by as u64) as usize
    }
}

/// Start indices of `dynamic_slice` and its kin, clamped so that the window stays inside.
fn clamped_starts(call: &Call, first: usize, from: &[usize], window: &[usize]) -> Result<Vec<usize>, EvalError> {
    call.check(call.operands.len() == first + from.len(), "one start index a dimension")?;
    let starts = call.operands[first..].iter().zip(from).zip(window);
    starts
        .map(|((start, &n), &w)| {
            call.check(w <= n, "a window larger than its operand")?;
            Ok(start.get(0).as_int().clamp(0, (n - w) as i128) as usize)
        })
        .collect()
}

/// A window of `slice_sizes` at start indices given as scalars, clamped into the operand.
pub(crate) fn dynamic_slice(call: &mut Call) -> Results {
    let operand = call.operand(0)?;
    let from = operand.shape();
    let shape = dim_list(call.op, "slice_sizes");
    call.check(shape.len() == from.len(), "slice sizes of another rank")?;
    let starts = clamped_starts(call, 1, &from, &shape)?;
    let steps = strides(&from);
    let base = crate::tensor::offset(&starts, &steps);
    copy(call, &operand, &shape, base, &steps)
}

/// The operand with a window replaced by the update.
pub(crate) fn dynamic_update_slice(call: &mut Call) -> Results {
    let (operand, update) = (call.operand(0)?, call.operand(1)?);
    let (from, window) = (operand.shape(), update.shape());
    call.check(from.len() == window.len(), "an update of another rank")?;
    let starts = clamped_starts(call, 2, &from, &window)?;
    let mut out = (*operand).clone();
    let base = crate::tensor::offset(&starts, &strides(&from));
    paste(&mut out, &update, base, &strides(&from));
    Ok(vec![out])
}

/// Writes every element `i` of `update` at `base + Σ i·stride` of `out`; the caller has checked the bounds.
fn paste(out: &mut Tensor, update: &Tensor, base: isize, strides: &[isize]) {
    let width = update.element().storage_bytes();
    let mut walk = Indices::new(&update.shape());
    let mut cells = update.bytes.chunks_exact(width);
    while let (Some(index), Some(cell)) = (walk.advance(), cells.next()) {
        let at = (base + crate::tensor::offset(index, strides)) as usize * width;
        if let Some(to) = out.bytes.get_mut(at..at + width) {
            to.copy_from_slice(cell);
        }
    }
}

/// Operands one after the other along `dimension`.
pub(crate) fn concatenate(call: &mut Call) -> Results {
    let dimension = call.op.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
    let operands = call.operands.clone();
    let parts: Vec<&Tensor> = operands.iter().map(|part| &**part).collect();
    Ok(vec![joined(call, &parts, dimension)?])
}

/// Tensors one after the other along a dimension.
pub(crate) fn joined(call: &Call, parts: &[&Tensor], dimension: usize) -> Result<Tensor, EvalError> {
    let Some(first) = parts.first() else { return Err(call.malformed("too few operands")) };
    call.check_dims(&[dimension], first.rank())?;
    let mut shape = first.shape();
    shape[dimension] = 0;
    for operand in parts {
        let mut other = operand.shape();
        call.check(other.len() == shape.len() && operand.element() == first.element(), "operands of unlike types")?;
        let along = std::mem::replace(&mut other[dimension], shape[dimension]);
        call.check(other == shape, "operands of unlike sizes")?;
        shape[dimension] += along;
    }
    let mut out = call.alloc(&shape, first.element())?;
    let natural = strides(&shape);
    let mut base = 0;
    for operand in parts {
        paste(&mut out, operand, base, &natural);
        base += operand.shape()[dimension] as isize * natural[dimension];
    }
    Ok(out)
}

/// Padding at both edges (negative removes elements) and between elements.
pub(crate) fn pad(call: &mut Call) -> Results {
    let rank = call.operand(0)?.rank();
    let table = |name: &str| fornax_graph::views::ints_or(call.op, name, rank, 0);
    let (low, high, interior) = (table("edge_padding_low"), table("edge_padding_high"), table("interior_padding"));
    pad_by(call, &low, &high, &interior)
}

/// `pad` with the amounts as operands.
pub(crate) fn dynamic_pad(call: &mut Call) -> Results {
    let (low, high, interior) = (call.operand(2)?.ints(), call.operand(3)?.ints(), call.operand(4)?.ints());
    pad_by(call, &low, &high, &interior)
}

fn pad_by(call: &Call, low: &[i64], high: &[i64], interior: &[i64]) -> Results {
    let (operand, value) = (call.operand(0)?, call.operand(1)?);
    let from = operand.shape();
    let rank = from.len();
    call.check(low.len() == rank && high.len() == rank && interior.len() == rank, "padding of another rank")?;
    let mut shape = Vec::new();
    for d in 0..rank {
        call.check(interior[d] >= 0, "negative interior padding")?;
        let spread = (from[d] as i128 - 1).max(0) * i128::from(interior[d]) + from[d] as i128;
        let size = spread + i128::from(low[d]) + i128::from(high[d]);
        shape.push(i64::try_from(size).unwrap_or(i64::MAX));
    }
    let shape = call.sizes(&shape)?;
    let mut out = call.filled(&shape, operand.element(), value.get(0))?;
    let natural = strides(&shape);
    let width = operand.element().storage_bytes();
    let mut walk = Indices::new(&from);
    let mut cells = operand.bytes.chunks_exact(width);
    while let (Some(index), Some(cell)) = (walk.advance(), cells.next()) {
        let place = (0..rank).try_fold(0isize, |sum, d| {
            let at = i128::from(low[d]) + index[d] as i128 * (i128::from(interior[d]) + 1);
            (0 <= at && at < shape[d] as i128).then(|| sum + at as isize * natural[d])
        });
        if let Some(place) = place {
            let at = place as usize * width;
            out.bytes[at..at + width].copy_from_slice(cell);
        }
    }
    Ok(vec![out])
}

/// Size of one dimension, as the result's integer type.
pub(crate) fn get_dimension_size(call: &mut Call) -> Results {
    let operand = call.operand(0)?;
    let dimension = call.op.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
    call.check_dims(&[dimension], operand.rank())?;
    let size = operand.shape()[dimension] as i128;
    Ok(vec![Tensor::scalar(call.result_element(0)?, Scalar::Int(size))])
}

/// The same bits as another element type. Unequal widths trade a minor dimension for them, low bits first.
pub(crate) fn bitcast_convert(call: &mut Call) -> Results {
    let operand = call.operand(0)?;
    let (from, to) = (operand.element(), call.result_element(0)?);
    let (from_bits, to_bits) = (from.bits() as usize, to.bits() as usize);
    let mut shape = operand.shape();
    if from_bits > to_bits {
        shape.push(from_bits / to_bits);
    } else if from_bits < to_bits {
        let minor = shape.pop();
        call.check(minor == Some(to_bits / from_bits), "a minor dimension that does not fit the widths")?;
    }
    if from.storage_bytes() * 8 == from_bits && to.storage_bytes() * 8 == to_bits {
        let ty = crate::tensor::tensor_type(&shape, to);
        return Ok(vec![Tensor { ty, bytes: operand.bytes.clone() }]);
    }
    let mut out = call.alloc(&shape, to)?;
    let total = operand.len() * from_bits;
    for bit in 0..total.min(out.len() * to_bits) {
        let source = operand.bytes[bit / from_bits * from.storage_bytes() + bit % from_bits / 8];
        if source >> (bit % from_bits % 8) & 1 == 1 {
            out.bytes[bit / to_bits * to.storage_bytes() + bit % to_bits / 8] |= 1 << (bit % to_bits % 8);
        }
    }
    if to.bits() < 8 && to != ElementType::I1 {
        // Sub-byte integers are stored sign-extended.
        for at in 0..out.len() {
            let value = out.get(at);
            out.set(at, value);
        }
    }
    Ok(vec![out])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use fornax_graph::OpKind;

    fn matrix() -> Tensor {
        ints(&[2, 3], I32, &[1, 2, 3, 4, 5, 6])
    }

    #[test]
    fn iota_and_broadcast() {
        let out = op(OpKind::Iota, &[("iota_dimension", int(0))], &[], &[ty(&[2, 2], Bf16)]);
        assert_eq!(values(&out[0]), [0.0, 0.0, 1.0, 1.0]);
        let row = ints(&[2], I32, &[7, 8]);
        let out = op(OpKind::BroadcastInDim, &[("broadcast_dimensions", dims(&[0]))], &[row], &[ty(&[2, 3], I32)]);
        assert_eq!(out[0].ints(), [7, 7, 7, 8, 8, 8]);
        let out =
            op(OpKind::Broadcast, &[("broadcast_sizes", dims(&[2]))], &[ints(&[2], I32, &[1, 2])], &[ty(&[2, 2], I32)]);
        assert_eq!(out[0].ints(), [1, 2, 1, 2]);
    }

    #[test]
    fn movement() {
        let out = op(OpKind::Transpose, &[("permutation", dims(&[1, 0]))], &[matrix()], &[ty(&[3, 2], I32)]);
        assert_eq!(out[0].ints(), [1, 4, 2, 5, 3, 6]);
        let out = op(OpKind::Reverse, &[("dimensions", dims(&[1]))], &[matrix()], &[ty(&[2, 3], I32)]);
        assert_eq!(out[0].ints(), [3, 2, 1, 6, 5, 4]);
        let attrs = [("start_indices", dims(&[0, 0])), ("limit_indices", dims(&[2, 3])), ("strides", dims(&[1, 2]))];
        let out = op(OpKind::Slice, &attrs, &[matrix()], &[ty(&[2, 2], I32)]);
        assert_eq!(out[0].ints(), [1, 3, 4, 6]);
        let out = op(OpKind::Concatenate, &[("dimension", int(1))], &[matrix(), matrix()], &[ty(&[2, 6], I32)]);
        assert_eq!(out[0].ints(), [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6]);
    }

    #[test]
    fn padding_inside_outside_and_negative() {
        let attrs =
            [("edge_padding_low", dims(&[1])), ("edge_padding_high", dims(&[-1])), ("interior_padding", dims(&[1]))];
        let out = op(OpKind::Pad, &attrs, &[ints(&[3], I32, &[1, 2, 3]), ints(&[], I32, &[9])], &[ty(&[5], I32)]);
        assert_eq!(out[0].ints(), [9, 1, 9, 2, 9]);
    }

    #[test]
    fn dynamic_windows_are_clamped() {
        let at = |i| ints(&[], I32, &[i]);
        let out = op(
            OpKind::DynamicSlice,
            &[("slice_sizes", dims(&[1, 2]))],
            &[matrix(), at(5), at(-3)],
            &[ty(&[1, 2], I32)],
        );
        assert_eq!(out[0].ints(), [4, 5]);
        let update = ints(&[1, 2], I32, &[0, 0]);
        let out = op(OpKind::DynamicUpdateSlice, &[], &[matrix(), update, at(0), at(9)], &[ty(&[2, 3], I32)]);
        assert_eq!(out[0].ints(), [1, 0, 0, 4, 5, 6]);
    }

    #[test]
    fn bitcasts() {
        let out = op(OpKind::BitcastConvert, &[], &[f32s(&[1], &[1.0])], &[ty(&[1], Ui32)]);
        assert_eq!(out[0].ints(), [0x3f80_0000]);
        let out = op(OpKind::BitcastConvert, &[], &[ints(&[1], Ui32, &[0x0403_0201])], &[ty(&[1, 4], Ui8)]);
        assert_eq!(out[0].ints(), [1, 2, 3, 4]);
        let out = op(OpKind::BitcastConvert, &[], &[ints(&[1, 2], I4, &[1, -1])], &[ty(&[1], Ui8)]);
        assert_eq!(out[0].ints(), [0xf1]);
        let out = op(OpKind::BitcastConvert, &[], &[ints(&[1], Ui8, &[0xf1])], &[ty(&[1, 2], I4)]);
        assert_eq!(out[0].ints(), [1, -1]);
    }

    #[test]
    fn shapes_as_operands() {
        let out = op(OpKind::DynamicReshape, &[], &[matrix(), ints(&[2], I64, &[3, 2])], &[ty(&[3, 2], I32)]);
        assert_eq!(out[0].shape(), [3, 2]);
        let (start, limit, step) = (ints(&[1], I64, &[1]), ints(&[1], I64, &[6]), ints(&[1], I64, &[2]));
        let line = ints(&[6], I32, &[0, 1, 2, 3, 4, 5]);
        let out = op(OpKind::RealDynamicSlice, &[], &[line, start, limit, step], &[ty(&[3], I32)]);
        assert_eq!(out[0].ints(), [1, 3, 5]);
    }

    #[test]
    fn bounds_outside_of_the_operand_are_an_error() {
        let attrs = [("start_indices", dims(&[0])), ("limit_indices", dims(&[9])), ("strides", dims(&[1]))];
        let result = try_op(OpKind::Slice, &attrs, &[ints(&[2], I32, &[1, 2])], &[ty(&[9], I32)], &[]);
        assert_eq!(result.unwrap_err().code(), "FX0387");
    }
}

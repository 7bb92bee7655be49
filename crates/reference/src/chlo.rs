//! CHLO ops that are not element-wise: implicit broadcasting, `constant_like`, `scan`, `ragged_dot`.

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, OpKind};

use crate::dot::permuted;
use crate::elementwise;
use crate::errors::EvalError;
use crate::interpreter::{Call, Value};
use crate::scalar::Scalar;
use crate::shape::broadcast_to;
use crate::tensor::{Indices, Tensor, affine_copy, offset, strides};

type Results = Result<Vec<Tensor>, EvalError>;

/// (broadcasting op, the element-wise op it applies)
const BROADCASTS: &[(OpKind, OpKind)] = &[
    (OpKind::ChloBroadcastAdd, OpKind::Add),
    (OpKind::ChloBroadcastAnd, OpKind::And),
    (OpKind::ChloBroadcastAtan2, OpKind::Atan2),
    (OpKind::ChloBroadcastCompare, OpKind::Compare),
    (OpKind::ChloBroadcastComplex, OpKind::Complex),
    (OpKind::ChloBroadcastDivide, OpKind::Divide),
    (OpKind::ChloBroadcastMaximum, OpKind::Maximum),
    (OpKind::ChloBroadcastMinimum, OpKind::Minimum),
    (OpKind::ChloBroadcastMultiply, OpKind::Multiply),
    (OpKind::ChloBroadcastNextAfter, OpKind::ChloNextAfter),
    (OpKind::ChloBroadcastOr, OpKind::Or),
    (OpKind::ChloBroadcastPolygamma, OpKind::ChloPolygamma),
    (OpKind::ChloBroadcastPower, OpKind::Power),
    (OpKind::ChloBroadcastRemainder, OpKind::Remainder),
    (OpKind::ChloBroadcastSelect, OpKind::Select),
    (OpKind::ChloBroadcastShiftLeft, OpKind::ShiftLeft),
    (OpKind::ChloBroadcastShiftRightArithmetic, OpKind::ShiftRightArithmetic),
    (OpKind::ChloBroadcastShiftRightLogical, OpKind::ShiftRightLogical),
    (OpKind::ChloBroadcastSubtract, OpKind::Subtract),
    (OpKind::ChloBroadcastXor, OpKind::Xor),
    (OpKind::ChloBroadcastZeta, OpKind::ChloZeta),
];

/// The element-wise op of a broadcasting one.
pub(crate) fn broadcast_base(kind: OpKind) -> Option<OpKind> {
    BROADCASTS.iter().find(|row| row.0 == kind).map(|row| row.1)
}

/// Broadcasts the operands to one shape (sizes 1 repeat, shapes align at the end or by `broadcast_dimensions`).
pub(crate) fn broadcasting(call: &mut Call) -> Results {
    let Some(base) = broadcast_base(call.op.kind) else { return Err(call.malformed("not a broadcasting op")) };
    let rank = call.operands.iter().map(|t| t.rank()).max().unwrap_or(0);
    let given = dim_list(call.op, "broadcast_dimensions");
    let mut shape = vec![1; rank];
    let mut placed = Vec::new();
    for operand in &call.operands {
        let own = operand.shape();
        let aligned: Vec<usize> = (rank - own.len()..rank).collect();
        let dims = if own.len() < rank && given.len() == own.len() { given.clone() } else { aligned };
        call.check_dims(&dims, rank)?;
        dims.iter().zip(&own).filter(|(_, n)| **n != 1).for_each(|(&d, &n)| shape[d] = n);
        placed.push(dims);
    }
    let operands = call.operands.iter().zip(&placed);
    let operands = operands.map(|(t, dims)| broadcast_to(call, t, &shape, dims)).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![elementwise::apply(call, base, &operands.iter().collect::<Vec<_>>())?])
}

/// The attribute's value in the operand's shape.
pub(crate) fn constant_like(call: &mut Call) -> Results {
    let element = call.result_element(0)?;
    let value = match call.op.attrs.get("value") {
        Some(Attr::Int(v, _)) => Scalar::Int(*v),
        Some(Attr::Float(v, _)) => Scalar::Float(*v),
        Some(Attr::Bool(v)) => Scalar::Bool(*v),
        _ => return Err(call.unsupported("its value is not a number")),
    };
    let shape = call.operand(0)?.shape();
    Ok(vec![call.filled(&shape, element, value.convert(element))?])
}

/// Slice `at` of a dimension, without that dimension.
fn slice_at(call: &Call, tensor: &Tensor, dimension: usize, at: usize) -> Result<Tensor, EvalError> {
    let (mut shape, mut steps) = (tensor.shape(), strides(&tensor.shape()));
    shape.remove(dimension);
    let base = steps.remove(dimension) * at as isize;
    affine_copy(tensor, &shape, base, &steps).ok_or_else(|| call.malformed("reads outside of its operand"))
}

/// Runs the region over the slices of the inputs, handing carries on: (slices…, carries…) → (outputs…, carries…).
pub(crate) fn scan(call: &mut Call) -> Results {
    let segments = call.op.attrs.ints("operandSegmentSizes").unwrap_or_default();
    let inputs = segments.first().and_then(|&n| usize::try_from(n).ok()).unwrap_or(call.operands.len() / 2);
    call.check(0 < inputs && inputs <= call.operands.len(), "no inputs")?;
    let mut carries: Vec<Value> = call.operands[inputs..].iter().cloned().map(Value::Tensor).collect();
    call.check(carries.len() <= call.op.results.len(), "fewer results than carries")?;
    let dimension = call.op.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
    let backwards = call.op.attrs.bool("is_reverse").unwrap_or(false);
    for input in &call.operands[..inputs] {
        call.check_dims(&[dimension], input.rank())?;
    }
    let length = call.operands[0].shape()[dimension];
    call.check(call.operands[..inputs].iter().all(|t| t.shape()[dimension] == length), "inputs of unlike lengths")?;
    let outputs = call.op.results.len() - carries.len();
    let mut stacked: Vec<Option<Tensor>> = vec![None; outputs];
    let region = call.region(0)?;
    for step in 0..length {
        let at = if backwards { length - 1 - step } else { step };
        let mut args = Vec::new();
        for input in &call.operands[..inputs] {
            args.push(Value::tensor(slice_at(call, input, dimension, at)?));
        }
        args.append(&mut carries);
        let mut results = call.interp.run_region(region, args)?;
        call.check(results.len() == call.op.results.len(), "wrong number of results")?;
        carries = results.split_off(outputs);
        for (slot, value) in stacked.iter_mut().zip(&results) {
            let value = call.interp.expect_tensor(value)?;
            place_slice(call, slot, &value, dimension, at, length)?;
        }
    }
    let mut results = Vec::new();
    for (k, slot) in stacked.into_iter().enumerate() {
        results.push(match slot {
            Some(tensor) => tensor,
            None => call.alloc(&call.result_shape(k)?, call.result_element(k)?)?,
        });
    }
    for carry in &carries {
        results.push((*call.interp.expect_tensor(carry)?).clone());
    }
    Ok(results)
}

/// Writes a slice into the stack of slices, which the first one creates.
fn place_slice(
    call: &Call,
    slot: &mut Option<Tensor>,
    value: &Tensor,
    dimension: usize,
    at: usize,
    length: usize,
) -> Result<(), EvalError> {
    let mut shape = value.shape();
    call.check(dimension <= shape.len(), "an output of too low rank")?;
    shape.insert(dimension, length);
    if slot.is_none() {
        *slot = Some(call.alloc(&shape, value.element())?);
    }
    let Some(stack) = slot else { return Ok(()) };
    call.check(stack.shape() == shape, "outputs of unlike shapes")?;
    let mut steps = strides(&shape);
    let base = steps.remove(dimension) * at as isize;
    let mut walk = Indices::new(&value.shape());
    let mut from = 0;
    while let Some(index) = walk.advance() {
        stack.set((base + offset(index, &steps)) as usize, value.get(from));
        from += 1;
    }
    Ok(())
}

/// Groups of rows of the left operand, each with a right operand of its own:
/// lhs `[batch…, M (ragged), K]`, rhs `[groups, batch…, K, N]`, group sizes `[groups]` or `[batch…, groups]` →
/// `[batch…, M, N]`.
pub(crate) fn ragged_dot(call: &mut Call) -> Results {
    let (lhs, rhs, sizes) = (call.operand(0)?, call.operand(1)?, call.operand(2)?);
    let Some(Attr::Struct(_, fields)) = call.op.attrs.get("ragged_dot_dimension_numbers") else {
        return Err(call.malformed("no ragged_dot_dimension_numbers"));
    };
    let dims = |name: &str| -> Vec<usize> {
        let ints = fields.ints(name).unwrap_or_default();
        ints.into_iter().filter_map(|d| usize::try_from(d).ok()).collect()
    };
    let (lhs_batch, rhs_batch) = (dims("lhs_batching_dimensions"), dims("rhs_batching_dimensions"));
    let (lhs_contract, rhs_contract) = (dims("lhs_contracting_dimensions"), dims("rhs_contracting_dimensions"));
    let (ragged, group) = (dims("lhs_ragged_dimensions"), dims("rhs_group_dimensions"));
    let rest = |rank: usize, lists: &[&[usize]]| -> Vec<usize> {
        (0..rank).filter(|d| !lists.iter().any(|l| l.contains(d))).collect()
    };
    let lhs_free = rest(lhs.rank(), &[&lhs_batch, &lhs_contract]);
    let rhs_free = rest(rhs.rank(), &[&rhs_batch, &rhs_contract, &group]);
    if group.len() != 1 || ragged.len() != 1 || lhs_free != ragged {
        return Err(call.unsupported("only a ragged free dimension of the left operand is defined"));
    }
    let lhs = permuted(call, &lhs, &[&lhs_batch[..], &lhs_free, &lhs_contract].concat())?;
    let rhs = permuted(call, &rhs, &[&group[..], &rhs_batch, &rhs_contract, &rhs_free].concat())?;
    let (nb, nk) = (lhs_batch.len(), lhs_contract.len());
    let (ls, rs) = (lhs.shape(), rhs.shape());
    let agree = rhs_batch.len() == nb
        && rhs_contract.len() == nk
        && ls[..nb] == rs[1..1 + nb]
        && ls[nb + 1..] == rs[1 + nb..1 + nb + nk];
    call.check(agree, "batch or contracted dimensions differ")?;
    let (b, m): (usize, usize) = (ls[..nb].iter().product(), ls[nb]);
    let k: usize = ls[nb + 1..].iter().product();
    let n: usize = rs[1 + nb + nk..].iter().product();
    let groups = rs[0];
    let shape = [&ls[..nb + 1], &rs[1 + nb + nk..]].concat();
    let element = call.result_element(0)?;
    let mut out = call.alloc(&shape, element)?;
    let sizes = sizes.ints();
    call.check(groups > 0 && (sizes.len() == groups || sizes.len() == groups * b), "one size a group")?;
    call.charge_work((out.len() as u64).saturating_mul(k as u64))?;
    for batch in 0..b {
        let own = if sizes.len() == groups { &sizes[..] } else { &sizes[batch * groups..(batch + 1) * groups] };
        let ends = own.iter().scan(0i64, |end, &s| {
            *end = end.saturating_add(s);
            Some(*end)
        });
        let ends: Vec<i64> = ends.collect();
        for row in 0..m {
            let Some(group) = ends.iter().position(|&end| (row as i64) < end) else { continue };
            for column in 0..n {
                let sum = (0..k).fold(0.0, |sum, l| {
                    let x = lhs.get((batch * m + row) * k + l).as_f64();
                    let y = rhs.get(((group * b + batch) * k + l) * n + column).as_f64();
                    sum + x * y
                });
                out.set((batch * m + row) * n + column, Scalar::Float(sum).convert(element));
            }
        }
    }
    Ok(vec![out])
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::{Attr, OpKind, Type};

    #[test]
    fn shapes_align_at_the_end() {
        let m = ints(&[2, 2], I32, &[1, 2, 3, 4]);
        let out = op(OpKind::ChloBroadcastAdd, &[], &[m, ints(&[2], I32, &[10, 20])], &[ty(&[2, 2], I32)]);
        assert_eq!(out[0].ints(), [11, 22, 13, 24]);
    }

    #[test]
    fn constant_like_takes_the_shape() {
        let attrs = [("value", Attr::Float(1.5, Type::Scalar(F32)))];
        let out = op(OpKind::ChloConstantLike, &attrs, &[f32s(&[2], &[0.0, 0.0])], &[ty(&[2], F32)]);
        assert_eq!(values(&out[0]), [1.5, 1.5]);
    }

    #[test]
    fn scan_is_a_running_sum() {
        let build = |net: &mut Net, block, a: &[_]| {
            let sum = net.op(block, OpKind::Add, a, ty(&[], I32));
            vec![sum, sum]
        };
        let body = Body { arguments: vec![I32, I32], build: Box::new(build) };
        let operands = [ints(&[3], I32, &[1, 2, 3]), ints(&[], I32, &[10])];
        let types = [ty(&[3], I32), ty(&[], I32)];
        let out = try_op(OpKind::ChloScan, &[("dimension", int(0))], &operands, &types, &[body]).unwrap();
        assert_eq!((out[0].ints(), out[1].ints()), (vec![11, 13, 16], vec![16]));
    }

    #[test]
    fn ragged_rows_use_their_groups_matrix() {
        let numbers = fields(&[
            ("lhs_contracting_dimensions", dims(&[1])),
            ("rhs_contracting_dimensions", dims(&[1])),
            ("lhs_ragged_dimensions", dims(&[0])),
            ("rhs_group_dimensions", dims(&[0])),
        ]);
        let lhs = f32s(&[3, 1], &[1.0, 2.0, 3.0]);
        let rhs = f32s(&[2, 1, 1], &[10.0, 100.0]);
        let out = op(
            OpKind::ChloRaggedDot,
            &[("ragged_dot_dimension_numbers", numbers)],
            &[lhs, rhs, ints(&[2], I64, &[1, 1])],
            &[ty(&[3, 1], F32)],
        );
        assert_eq!(values(&out[0]), [10.0, 200.0, 0.0]);
    }
}

//! Rules of CHLO ops.

use fornax_types::ElementType;

use super::check::{
    Check, OPERAND, RESULT, SHAPES, Size, VALUE, Verdict, distinct_dimensions, ensure, fault, fits, sizes,
};
use crate::op::OpKind;
use crate::types::Type;

/// Binary ops whose operands broadcast, by `broadcast_dimensions` or from the trailing dimensions.
pub(crate) fn broadcast_binary(check: &Check) -> Verdict {
    let (Type::Tensor(lhs), Type::Tensor(rhs)) = (check.operand_type(0)?, check.operand_type(1)?) else {
        return fault(OPERAND, "ranked tensors are needed");
    };
    check.ensure_same_element(lhs.element, rhs.element, "the operands")?;
    let (large, small) = if lhs.rank() >= rhs.rank() { (lhs, rhs) } else { (rhs, lhs) };
    let offset = large.rank() - small.rank();
    let positions = match check.op.attrs.get("broadcast_dimensions") {
        Some(_) if offset > 0 => {
            check.ints_of_rank("broadcast_dimensions", small.rank())?;
            check.dimensions("broadcast_dimensions", large.rank())?
        }
        _ => (offset..large.rank()).collect(),
    };
    let mut shape = sizes(large);
    for (&d, size) in positions.iter().zip(sizes(small)) {
        shape[d] = match (shape[d], size) {
            (Some(1), other) | (other, Some(1)) => other,
            (None, other) | (other, None) => other,
            (Some(a), Some(b)) => {
                ensure(a == b, SHAPES, || {
                    format!("{} and {} do not broadcast", check.tensor_text(lhs), check.tensor_text(rhs))
                })?;
                Some(a)
            }
        };
    }
    let element = match (check.op.kind, lhs.element) {
        (OpKind::ChloBroadcastCompare, _) => ElementType::I1,
        (OpKind::ChloBroadcastComplex, ElementType::F32) => ElementType::ComplexF32,
        (OpKind::ChloBroadcastComplex, _) => ElementType::ComplexF64,
        (_, e) => e,
    };
    check.ensure_result(0, &shape, Some(element))
}

pub fn top_k(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    let k = check.int("k")?;
    let mut shape = sizes(operand);
    let Some(last) = shape.last_mut() else { return fault(SHAPES, "the operand must have a dimension") };
    ensure(k >= 0 && last.is_none_or(|n| k <= n), VALUE, || {
        format!("`k` = {k}, but the last dimension has size {}", last.unwrap_or(0))
    })?;
    *last = Some(k);
    check.ensure_result(0, &shape, Some(operand.element))?;
    check.ensure_result(1, &shape, Some(ElementType::I32))
}

pub fn scan(check: &Check) -> Verdict {
    let segments = |name: &str, n: usize| -> Result<usize, super::Fault> {
        match check.op.attrs.ints(name).as_deref() {
            Some([first, second]) if *first >= 0 && *second >= 0 && first.checked_add(*second) == Some(n as i64) => {
                Ok(*first as usize)
            }
            _ => fault(VALUE, format!("`{name}` must be two numbers that add up to {n}")),
        }
    };
    let inputs = segments("operandSegmentSizes", check.op.operands.len())?;
    let outputs = segments("resultSegmentSizes", check.op.results.len())?;
    let (carries, carried) = (check.op.operands.len() - inputs, check.op.results.len() - outputs);
    ensure(carries == carried, "FX0201", || format!("{carries} initial values and {carried} final values"))?;
    let mut arguments = Vec::new();
    for i in 0..inputs {
        let input = check.operand(i)?;
        let d = check.dimension("dimension", input.rank())?;
        let mut slice = input.clone();
        slice.shape.remove(d);
        arguments.push(Type::Tensor(slice));
    }
    for i in inputs..check.op.operands.len() {
        let init = check.operand(i)?;
        arguments.push(Type::Tensor(init.clone()));
        check.ensure_result(outputs + i - inputs, &sizes(init), Some(init.element))?;
    }
    let returns: Vec<Type> = check.region_returns(0)?.into_iter().cloned().collect();
    ensure(returns.len() == outputs + carries, RESULT, || {
        format!("the region returns {} values for {} results", returns.len(), outputs + carries)
    })?;
    check.ensure_region(0, &arguments, &returns)
}

pub fn ragged_dot(check: &Check) -> Verdict {
    let (lhs, rhs, groups) = (check.operand(0)?, check.operand(1)?, check.operand(2)?);
    ensure(groups.element.is_integer(), OPERAND, || {
        format!("the group sizes must be integers, not {}", check.tensor_text(groups))
    })?;
    let fields = check.fields("ragged_dot_dimension_numbers")?;
    let list = |name: &str, rank: usize| distinct_dimensions(name, &fields.ints(name).unwrap_or_default(), rank);
    let lhs_batch = list("lhs_batching_dimensions", lhs.rank())?;
    let rhs_batch = list("rhs_batching_dimensions", rhs.rank())?;
    let lhs_contract = list("lhs_contracting_dimensions", lhs.rank())?;
    let rhs_contract = list("rhs_contracting_dimensions", rhs.rank())?;
    let ragged = list("lhs_ragged_dimensions", lhs.rank())?;
    let group = list("rhs_group_dimensions", rhs.rank())?;
    ensure(ragged.len() == 1, VALUE, || "there must be one ragged dimension".into())?;
    let grouped = !lhs_batch.contains(&ragged[0]) && !lhs_contract.contains(&ragged[0]);
    ensure(group.len() == usize::from(grouped), VALUE, || {
        format!("{} group dimensions, {} are needed for this ragged dimension", group.len(), usize::from(grouped))
    })?;
    let groups_size = groups.shape.last().and_then(|d| d.as_static());
    ensure(group.iter().all(|&d| fits(sizes(rhs)[d], groups_size)), SHAPES, || {
        format!("the group dimension of {} does not fit {}", check.tensor_text(rhs), check.tensor_text(groups))
    })?;
    let (l, r) = (sizes(lhs), sizes(rhs));
    for (kind, a, b) in [("batching", &lhs_batch, &rhs_batch), ("contracting", &lhs_contract, &rhs_contract)] {
        let fitting = a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| fits(l[x], r[y]));
        ensure(fitting, SHAPES, || format!("the {kind} dimensions do not fit together"))?;
    }
    let free = |shape: &[Size], taken: [&[usize]; 3]| -> Vec<Size> {
        (0..shape.len()).filter(|d| !taken.iter().any(|t| t.contains(d))).map(|d| shape[d]).collect()
    };
    let mut shape: Vec<Size> = Vec::new();
    if lhs_contract.contains(&ragged[0]) {
        shape.push(groups_size);
    }
    shape.extend(lhs_batch.iter().map(|&d| l[d]));
    shape.extend(free(&l, [&lhs_batch, &lhs_contract, &[]]));
    shape.extend(free(&r, [&rhs_batch, &rhs_contract, &group]));
    check.ensure_result(0, &shape, None)
}

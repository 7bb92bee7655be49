//! Rules of collectives and transfers.

use fornax_types::ElementType;

use super::check::{Check, OPERAND, RESULT, SHAPES, Size, VALUE, Verdict, ensure, fault, fits, sizes};
use crate::attr::Attr;
use crate::devices;
use crate::op::OpKind;
use crate::types::Type;

pub fn device_id(check: &Check) -> Verdict {
    check.ensure_result(0, &[], Some(ElementType::Ui32))
}

/// Number of processes in a group where the attribute says it: replica groups are a [groups, processes] table.
fn group_size(check: &Check) -> Result<Size, super::Fault> {
    match check.op.attrs.get("replica_groups") {
        Some(Attr::Dense(id)) => {
            let ty = &check.graph.constant(*id).ty;
            ensure(ty.rank() == 2, VALUE, || {
                format!("`replica_groups` must be a [groups, processes] table, not {}", check.tensor_text(ty))
            })?;
            replica_ids(check, *id)?;
            // An empty table means one group of all.
            Ok(sizes(ty)[1].filter(|&n| n > 0))
        }
        // Mesh axes: the size is in the mesh.
        Some(_) => Ok(None),
        None => fault("FX0204", "attribute `replica_groups` is missing"),
    }
}

/// Every replica once, from 0 on (a broadcast may leave some out); -1 fills groups that are shorter than others.
fn replica_ids(check: &Check, id: crate::graph::ConstId) -> Verdict {
    let constant = check.graph.constant(id);
    if constant.ty.element != ElementType::I64 || constant.ty.elements().is_none_or(|n| n > 1 << 20) {
        return Ok(());
    }
    let bytes = constant.to_bytes();
    let mut ids: Vec<i64> = bytes
        .chunks_exact(8)
        .map(|c| i64::from_le_bytes(c.try_into().unwrap_or([0; 8])))
        .filter(|&i| i != -1)
        .collect();
    ids.sort_unstable();
    let distinct = ids.windows(2).all(|pair| pair[0] != pair[1]) && ids.first().is_none_or(|&id| id >= 0);
    ensure(distinct, VALUE, || "`replica_groups` must not name a replica twice or below 0".into())?;
    let complete = ids.iter().enumerate().all(|(i, &id)| i as i64 == id);
    let subset = check.op.kind == OpKind::CollectiveBroadcast;
    ensure(subset || complete, VALUE, || "`replica_groups` must name each replica from 0 on".into())
}

fn as_many_results(check: &Check) -> Verdict {
    let (operands, results) = (check.op.operands.len(), check.op.results.len());
    ensure(operands == results, "FX0201", || format!("{results} results for {operands} operands"))
}

pub fn all_gather(check: &Check) -> Verdict {
    as_many_results(check)?;
    group_size(check)?;
    for (i, operand) in check.operands()?.into_iter().enumerate() {
        let d = check.dimension("all_gather_dim", operand.rank())?;
        let mut shape = sizes(operand);
        // Which processes form a group depends on the mode: the result may be any multiple of the operand.
        let gathered = check.result(i)?.shape.get(d).and_then(|s| s.as_static());
        let multiple = match (shape[d], gathered) {
            (Some(n), Some(total)) => n > 0 && total % n == 0,
            _ => true,
        };
        ensure(multiple, RESULT, || format!("dimension {d} of the result is not a multiple of the operand's"))?;
        shape[d] = None;
        check.ensure_result(i, &shape, Some(operand.element))?;
    }
    Ok(())
}

pub fn all_reduce(check: &Check) -> Verdict {
    as_many_results(check)?;
    reduced(check, check.op.operands.len())
}

pub(crate) fn collective_reduce(check: &Check) -> Verdict {
    reduced(check, data_operands(check)?)
}

/// The first `n` operands give results of their shapes, in the type of the region.
fn reduced(check: &Check, n: usize) -> Verdict {
    group_size(check)?;
    let elements = check.reducer(0, 1)?;
    for (i, operand) in check.operands()?.into_iter().take(n).enumerate() {
        check.ensure_promotable(operand.element, elements[0])?;
        check.ensure_result(i, &sizes(operand), (n == 1).then_some(elements[0]))?;
    }
    Ok(())
}

/// Number of operands without the roots, which come last when they are dynamic.
fn data_operands(check: &Check) -> Result<usize, super::Fault> {
    let dynamic = check.op.attrs.bool("has_dynamic_root").unwrap_or(false);
    let n = check.op.operands.len().saturating_sub(usize::from(dynamic));
    ensure(n > 0 && n == check.op.results.len(), "FX0201", || {
        format!("{} results for {n} operands", check.op.results.len())
    })?;
    if dynamic {
        let roots = check.operand(n)?;
        let fitting =
            roots.rank() == 1 && roots.element == ElementType::I32 && fits(sizes(roots)[0], i64::try_from(n).ok());
        ensure(fitting, OPERAND, || {
            format!("the last operand must be tensor<{n}xi32>, not {}", check.tensor_text(roots))
        })?;
    }
    Ok(n)
}

pub(crate) fn reduce_scatter(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    let d = check.dimension("scatter_dimension", operand.rank())?;
    let group = group_size(check)?;
    let mut shape = sizes(operand);
    if let (Some(n), Some(g)) = (shape[d], group) {
        ensure(g > 0 && n % g == 0, SHAPES, || format!("dimension {d} of size {n} does not split into {g} parts"))?;
        shape[d] = Some(n / g);
    } else {
        shape[d] = None;
    }
    let elements = check.reducer(0, 1)?;
    check.ensure_promotable(operand.element, elements[0])?;
    check.ensure_result(0, &shape, Some(elements[0]))
}

pub(crate) fn all_to_all(check: &Check) -> Verdict {
    as_many_results(check)?;
    let count = check.int("split_count")?;
    ensure(count > 0, VALUE, || format!("`split_count` = {count} must be positive"))?;
    ensure(fits(group_size(check)?, Some(count)), VALUE, || {
        format!("`split_count` = {count} must be the number of processes in a group")
    })?;
    for (i, operand) in check.operands()?.into_iter().enumerate() {
        let split = check.dimension("split_dimension", operand.rank())?;
        let concat = check.dimension("concat_dimension", operand.rank())?;
        let mut shape = sizes(operand);
        ensure(shape[split].is_none_or(|n| n % count == 0), SHAPES, || {
            format!("dimension {split} does not split into {count} parts")
        })?;
        shape[split] = shape[split].map(|n| n / count);
        shape[concat] = shape[concat].and_then(|n| n.checked_mul(count));
        check.ensure_result(i, &shape, Some(operand.element))?;
    }
    Ok(())
}

pub(crate) fn collective_broadcast(check: &Check) -> Verdict {
    group_size(check)?;
    for i in 0..data_operands(check)? {
        let operand = check.operand(i)?;
        check.ensure_result(i, &sizes(operand), Some(operand.element))?;
    }
    Ok(())
}

pub fn collective_permute(check: &Check) -> Verdict {
    pairs(&check.ints("source_target_pairs")?)?;
    super::shape::same(check)
}

/// Each process sends once at most, and receives once at most.
fn pairs(pairs: &[i64]) -> Verdict {
    for side in 0..2 {
        let mut ids: Vec<i64> = pairs.iter().skip(side).step_by(2).copied().collect();
        let n = ids.len();
        ensure(ids.iter().all(|&i| i >= 0), VALUE, || "process ids must not be negative".into())?;
        ids.sort_unstable();
        ids.dedup();
        ensure(ids.len() == n, VALUE, || {
            format!("a {} appears twice in `source_target_pairs`", if side == 0 { "source" } else { "target" })
        })?;
    }
    Ok(())
}

/// Types of channels, by number: from device to device, from the device to the host, from the host to the device.
const CHANNELS: [&str; 3] = ["DEVICE_TO_DEVICE", "DEVICE_TO_HOST", "HOST_TO_DEVICE"];

/// `send`: values and a token to a token.
pub(crate) fn send(check: &Check) -> Verdict {
    transfer(check)?;
    ensure(check.op.results.len() == 1, "FX0201", || {
        format!("{} results, but it has one, a token", check.op.results.len())
    })?;
    channel(check, 2)
}

/// `recv`: a token to values and a token.
pub(crate) fn recv(check: &Check) -> Verdict {
    transfer(check)?;
    ensure(check.op.operands.len() == 1, "FX0201", || {
        format!("{} operands, but it has one, a token", check.op.operands.len())
    })?;
    channel(check, 3)
}

/// The pairs, and the type of the channel, which says the same as `is_host_transfer`; `host` is the one with the host.
fn channel(check: &Check, host: i64) -> Verdict {
    let attrs = &check.op.attrs;
    pairs(&attrs.ints("source_target_pairs").unwrap_or_default())?;
    let with_host = attrs.bool("is_host_transfer").unwrap_or(false);
    let wanted = if with_host { host } else { 1 };
    let found = match attrs.get("channel_handle") {
        Some(Attr::Struct(_, fields)) => fields.int("type"),
        _ => None,
    };
    ensure(found == Some(wanted), VALUE, || {
        let name = CHANNELS[wanted as usize - 1];
        format!("the type of the channel must be {wanted} ({name}) where `is_host_transfer = {with_host}`")
    })
}

/// `infeed`, `outfeed`, `send`, `recv`: the last operand and the last result are tokens.
pub fn transfer(check: &Check) -> Verdict {
    let is_token = |v: &crate::graph::ValueId| *check.graph.ty(*v) == Type::Token;
    let is_last = |values: &[crate::graph::ValueId]| values.iter().position(is_token) == values.len().checked_sub(1);
    ensure(is_last(&check.op.operands), OPERAND, || "the last operand must be a token, the others tensors".into())?;
    ensure(is_last(&check.op.results), RESULT, || "the last result must be a token, the others tensors".into())
}

/// Kinds of `fornax.collective`.
const KINDS: [&str; 6] = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "permute"];

/// `fornax.collective`: parts are equal pieces of the first dimension. Several operands of one that combines are
/// pieces of one buffer, one behind the other along the first dimension.
pub(crate) fn canonical(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    let kind = check.op.attrs.str("kind").unwrap_or_default();
    ensure(KINDS.contains(&kind), VALUE, || format!("`kind` must be one of {}", KINDS.join(", ")))?;
    let reduces = matches!(kind, "all_reduce" | "reduce_scatter");
    let reducer = check.op.attrs.str("reducer");
    ensure(reducer.is_some() == reduces && reducer.is_none_or(|r| devices::reducer(r).is_some()), VALUE, || {
        let known = devices::REDUCERS.map(|(name, _)| name).join(", ");
        format!("`reducer` must be one of {known} where the kind combines, else absent")
    })?;
    let Some(Attr::Array(rows)) = check.op.attrs.get("groups") else {
        return fault(VALUE, "`groups` must be a list of lists of devices");
    };
    let groups = rows.iter().map(Attr::as_ints).collect::<Option<Vec<_>>>();
    let Some(groups) = groups.filter(|groups| groups.iter().all(|g| !g.is_empty())) else {
        return fault(VALUE, "`groups` must be a list of lists of devices");
    };
    let size = groups.first().map_or(1, |g| g.len() as i64);
    let mut shape = sizes(operand);
    let others = check.operands()?.split_off(1);
    ensure(others.is_empty() || reduces, OPERAND, || format!("{kind} has one operand"))?;
    for other in others {
        let rest = |shape: &[Size]| shape.get(1..).map(<[Size]>::to_vec);
        let next = sizes(other);
        let alike = other.element == operand.element && rest(&next).is_some() && rest(&next) == rest(&shape);
        ensure(alike, SHAPES, || "operands that differ in more than their first dimension".into())?;
        shape[0] = shape[0].zip(next[0]).and_then(|(rows, more)| rows.checked_add(more));
    }
    if !matches!(kind, "all_reduce" | "broadcast" | "permute") {
        ensure(groups.iter().all(|g| g.len() as i64 == size), VALUE, || "groups of unlike sizes".into())?;
        ensure(!shape.is_empty(), OPERAND, || "a scalar has no parts".into())?;
        let whole = shape[0].is_none_or(|n| kind == "all_gather" || n % size == 0);
        ensure(whole, SHAPES, || format!("the first dimension does not split into {size} parts"))?;
        shape[0] = match kind {
            "all_gather" => shape[0].and_then(|n| n.checked_mul(size)),
            "reduce_scatter" => shape[0].map(|n| n / size),
            _ => shape[0],
        };
    }
    check.ensure_result(0, &shape, Some(operand.element))
}

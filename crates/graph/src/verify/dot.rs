//! Rules of contractions and convolutions.

use fornax_types::ElementType;

use super::check::{
    Check, Fault, OPERAND, RESULT, SHAPES, Size, VALUE, Verdict, distinct_dimensions, ensure, fault, fits, in_rank,
    sizes,
};
use super::window::{ensure_factors, window_positions};
use crate::attr::{Attr, AttrMap};
use crate::types::TensorType;

/// Element type of the result where it must be that of the operands; products may widen in their kind. Floats do not
/// give integers: the specification has no rounding for them.
fn product_element(check: &Check) -> Result<Option<ElementType>, Fault> {
    let (lhs, rhs, result) = (check.operand(0)?, check.operand(1)?, check.result(0)?);
    if check.has_quantized() {
        return Ok(None);
    }
    let class = |t: &TensorType| t.element.class();
    let number = |t: &TensorType| t.element.is_float() || t.element.is_integer();
    let same_kind = class(lhs) == class(rhs) || (number(lhs) && number(rhs));
    ensure(same_kind, OPERAND, || {
        format!("{} and {} cannot be multiplied", check.tensor_text(lhs), check.tensor_text(rhs))
    })?;
    let rounded = result.element.is_integer() && (lhs.element.is_float() || rhs.element.is_float());
    ensure(!rounded, RESULT, || {
        let operands = [lhs, rhs].map(|t| check.tensor_text(t));
        let text = check.tensor_text(result);
        format!(
            "the product of {} and {} is a float, the result {text} is not; convert it afterwards",
            operands[0], operands[1]
        )
    })?;
    let complex = |t: &TensorType| t.element.is_complex();
    let wider = complex(result) && complex(lhs) && result.element.bits() > lhs.element.bits();
    Ok(if wider || (number(result) && number(lhs)) { None } else { Some(lhs.element) })
}

fn precision(check: &Check) -> Verdict {
    match check.op.attrs.get("precision_config") {
        Some(Attr::Array(items)) if items.len() > 2 => {
            fault(VALUE, format!("`precision_config` has {} entries, at most 2 are allowed", items.len()))
        }
        _ => Ok(()),
    }
}

/// `algorithm` counts are positive and leave the precision at its default.
fn algorithm(check: &Check) -> Verdict {
    let Some(Attr::Struct(_, fields)) = check.op.attrs.get("algorithm") else { return Ok(()) };
    for name in ["lhs_component_count", "rhs_component_count", "num_primitive_operations"] {
        let count = fields.int(name).unwrap_or(1);
        ensure(count > 0, VALUE, || format!("`{name}` = {count} must be positive"))?;
    }
    let default = match check.op.attrs.get("precision_config") {
        Some(Attr::Array(items)) => items.iter().all(|i| matches!(i, Attr::Enum(_, v) if v == "DEFAULT")),
        _ => true,
    };
    ensure(default, VALUE, || "`precision_config` must be DEFAULT where an algorithm is given".into())
}

pub fn dot(check: &Check) -> Verdict {
    precision(check)?;
    let (lhs, rhs) = (check.operand(0)?, check.operand(1)?);
    let (l, r) = (sizes(lhs), sizes(rhs));
    let ranks = (1..=2).contains(&l.len()) && (1..=2).contains(&r.len());
    ensure(ranks && fits(l[l.len() - 1], r[0]), SHAPES, || {
        format!("{} and {} do not contract", check.tensor_text(lhs), check.tensor_text(rhs))
    })?;
    let shape: Vec<Size> = l[..l.len() - 1].iter().chain(&r[1..]).copied().collect();
    check.ensure_result(0, &shape, product_element(check)?)
}

pub fn dot_general(check: &Check) -> Verdict {
    precision(check)?;
    algorithm(check)?;
    let (lhs, rhs) = (check.operand(0)?, check.operand(1)?);
    let fields = check.fields("dot_dimension_numbers")?;
    let list = |name: &str, rank: usize| distinct_dimensions(name, &fields.ints(name).unwrap_or_default(), rank);
    let lhs_batch = list("lhs_batching_dimensions", lhs.rank())?;
    let rhs_batch = list("rhs_batching_dimensions", rhs.rank())?;
    let lhs_contract = list("lhs_contracting_dimensions", lhs.rank())?;
    let rhs_contract = list("rhs_contracting_dimensions", rhs.rank())?;
    let (l, r) = (sizes(lhs), sizes(rhs));
    for (kind, a, b) in [("batching", &lhs_batch, &rhs_batch), ("contracting", &lhs_contract, &rhs_contract)] {
        ensure(a.len() == b.len(), VALUE, || format!("{} and {} {kind} dimensions", a.len(), b.len()))?;
        for (&x, &y) in a.iter().zip(b) {
            ensure(fits(l[x], r[y]), SHAPES, || {
                let (s, t) = (l[x].unwrap_or(0), r[y].unwrap_or(0));
                format!("{kind} dimension {x} of the left operand has size {s}, dimension {y} of the right has {t}")
            })?;
        }
    }
    let both = |a: &[usize], b: &[usize], side: &str| {
        let shared = a.iter().find(|d| b.contains(d));
        ensure(shared.is_none(), VALUE, || {
            format!("dimension {} of the {side} operand is both batching and contracting", shared.unwrap_or(&0))
        })
    };
    both(&lhs_batch, &lhs_contract, "left")?;
    both(&rhs_batch, &rhs_contract, "right")?;
    let free = |shape: &[Size], batch: &[usize], contract: &[usize]| -> Vec<Size> {
        (0..shape.len()).filter(|d| !batch.contains(d) && !contract.contains(d)).map(|d| shape[d]).collect()
    };
    let mut shape: Vec<Size> = lhs_batch.iter().zip(&rhs_batch).map(|(&x, &y)| l[x].or(r[y])).collect();
    shape.extend(free(&l, &lhs_batch, &lhs_contract));
    shape.extend(free(&r, &rhs_batch, &rhs_contract));
    check.ensure_result(0, &shape, product_element(check)?)
}

/// Positions of the dimensions of one side of a convolution: (first, second, spatial).
fn positions(
    fields: &AttrMap,
    prefix: &str,
    names: [&str; 2],
    rank: usize,
) -> Result<(usize, usize, Vec<usize>), Fault> {
    let number = |name: &str| {
        let full = format!("{prefix}_{name}_dimension");
        in_rank(&full, fields.int(&full).unwrap_or(-1), rank)
    };
    let (first, second) = (number(names[0])?, number(names[1])?);
    let name = format!("{prefix}_spatial_dimensions");
    let spatial = fields.ints(&name).unwrap_or_default();
    let all: Vec<i64> = spatial.iter().copied().chain([first as i64, second as i64]).collect();
    let all = distinct_dimensions(&format!("{prefix} dimension numbers"), &all, rank)?;
    ensure(all.len() == rank, VALUE, || format!("the {prefix} dimension numbers do not cover rank {rank}"))?;
    Ok((first, second, all[..spatial.len()].to_vec()))
}

pub fn convolution(check: &Check) -> Verdict {
    let padding_count = check.operand(0)?.rank().saturating_sub(2);
    let padding = match check.op.attrs.get("padding") {
        Some(Attr::Dims(list)) => {
            ensure(list.len() == 2 * padding_count, VALUE, || {
                format!("`padding` has {} entries, but {padding_count} dimensions need two each", list.len())
            })?;
            list.chunks_exact(2).map(|pair| Some((pair[0].as_static()?, pair[1].as_static()?))).collect()
        }
        _ => check.pairs_or_zero("padding", padding_count)?.into_iter().map(Some).collect(),
    };
    window_convolution(check, padding)
}

/// Padding is an operand, so that the spatial sizes of the result are unknown.
pub fn dynamic_conv(check: &Check) -> Verdict {
    let spatial = check.operand(0)?.rank().saturating_sub(2);
    let padding = check.operand(2)?;
    let fitting = padding.element.is_integer()
        && padding.rank() == 2
        && fits(sizes(padding)[0], i64::try_from(spatial).ok())
        && fits(sizes(padding)[1], Some(2));
    ensure(fitting, OPERAND, || {
        format!("the padding must have shape [{spatial}, 2], not {}", check.tensor_text(padding))
    })?;
    window_convolution(check, vec![None; spatial])
}

fn window_convolution(check: &Check, padding: Vec<Option<(i64, i64)>>) -> Verdict {
    precision(check)?;
    let (lhs, rhs) = (check.operand(0)?, check.operand(1)?);
    let rank = lhs.rank();
    if !check.has_quantized() {
        check.ensure_same_element(lhs.element, rhs.element, "input and kernel")?;
    }
    ensure(rank >= 2, SHAPES, || format!("the input must have rank 2 at least, not {}", check.tensor_text(lhs)))?;
    check.ensure_rank(rhs, rank, "the kernel")?;
    check.ensure_rank(check.result(0)?, rank, "the result")?;
    let fields = check.fields("dimension_numbers")?;
    let (batch, feature, spatial) = positions(fields, "input", ["batch", "feature"], rank)?;
    let (kernel_in, kernel_out, kernel_spatial) =
        positions(fields, "kernel", ["input_feature", "output_feature"], rank)?;
    let (out_batch, out_feature, out_spatial) = positions(fields, "output", ["batch", "feature"], rank)?;
    let n = rank - 2;
    let strides = check.ints_or("window_strides", n, 1)?;
    let base = check.ints_or("lhs_dilation", n, 1)?;
    let dilation = check.ints_or("rhs_dilation", n, 1)?;
    check.ints_or("window_reversal", n, 0)?;
    for (name, values) in [("window_strides", &strides), ("lhs_dilation", &base), ("rhs_dilation", &dilation)] {
        ensure_factors(name, values)?;
    }
    let (groups, batch_groups) = (check.int("feature_group_count")?, check.int("batch_group_count")?);
    ensure(groups > 0 && batch_groups > 0 && (groups == 1 || batch_groups == 1), VALUE, || {
        "group counts must be positive, and one of them 1".into()
    })?;
    let (l, r) = (sizes(lhs), sizes(rhs));
    grouping(l[feature], r[kernel_in], r[kernel_out], l[batch], groups, batch_groups)?;
    let mut shape: Vec<Size> = vec![None; rank];
    shape[out_batch] = l[batch].map(|b| b / batch_groups);
    shape[out_feature] = r[kernel_out];
    for i in 0..n {
        shape[out_spatial[i]] = match (padding[i], r[kernel_spatial[i]]) {
            (Some(pad), Some(window)) => {
                window_positions(l[spatial[i]], base[i], pad, window, dilation[i], strides[i])?
            }
            _ => None,
        };
    }
    check.ensure_result(0, &shape, product_element(check)?)
}

fn grouping(features: Size, kernel_in: Size, kernel_out: Size, batch: Size, groups: i64, batch_groups: i64) -> Verdict {
    let divides = |size: Size, count: i64| size.is_none_or(|n| n % count == 0);
    ensure(divides(features, groups), SHAPES, || {
        format!("`feature_group_count` = {groups} does not divide the {} input features", features.unwrap_or(0))
    })?;
    ensure(divides(batch, batch_groups), SHAPES, || {
        format!("`batch_group_count` = {batch_groups} does not divide the batch of {}", batch.unwrap_or(0))
    })?;
    ensure(divides(kernel_out, groups) && divides(kernel_out, batch_groups), SHAPES, || {
        format!("the group counts do not divide the {} output features", kernel_out.unwrap_or(0))
    })?;
    ensure(fits(features.map(|f| f / groups), kernel_in), SHAPES, || {
        let (f, k) = (features.unwrap_or(0), kernel_in.unwrap_or(0));
        format!("{f} input features in {groups} groups do not fit a kernel with {k} input features")
    })
}

/// `einsum` and `unary_einsum`: as many index groups as operands.
pub fn einsum(check: &Check) -> Verdict {
    let config = check.op.attrs.str("einsum_config").unwrap_or("");
    let inputs = config.split("->").next().unwrap_or("").split(',').count();
    ensure(inputs == check.op.operands.len(), VALUE, || {
        format!("`einsum_config` {config:?} has {inputs} inputs for {} operands", check.op.operands.len())
    })
}

//! Rules of constants and of ops that move elements.

use fornax_types::ElementType;

use super::check::{Check, OPERAND, RESULT, SHAPES, Size, VALUE, Verdict, ensure, fault, fits, in_rank, sizes};
use crate::attr::Attr;
use crate::types::Type;

/// Result 0 has the type of operand 0.
pub fn same(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    check.ensure_result(0, &sizes(operand), Some(operand.element))
}

pub fn constant(check: &Check) -> Verdict {
    let Some(Attr::Dense(id)) = check.op.attrs.get("value") else {
        return fault("FX0204", "attribute `value` must be a dense constant");
    };
    let (value, result) = (&check.graph.constant(*id).ty, check.result(0)?);
    let stored = check.quantized(result.element).map_or(result.element, |q| q.storage);
    let same = sizes(value) == sizes(result) && (value.element == result.element || value.element == stored);
    ensure(same, RESULT, || {
        format!("the value has type {}, the result {}", check.tensor_text(value), check.tensor_text(result))
    })
}

pub fn iota(check: &Check) -> Verdict {
    let result = check.result(0)?;
    check.dimension("iota_dimension", result.rank())?;
    ensure(result.is_sized(), RESULT, || "the sizes of the result must be known".into())?;
    ensure(result.element != ElementType::I1, RESULT, || "the result cannot be of i1".into())
}

pub fn dynamic_iota(check: &Check) -> Verdict {
    let result = check.result(0)?;
    check.dimension("iota_dimension", result.rank())?;
    check.ensure_shape_operand(0, result.rank(), "the output shape")
}

pub fn bitcast_convert(check: &Check) -> Verdict {
    let (operand, result) = (check.operand(0)?, check.result(0)?);
    let bits = |e: ElementType| check.quantized(e).map_or(e, |q| q.storage).bits();
    let (from, to) = (bits(operand.element), bits(result.element));
    ensure(operand.element.is_complex() == result.element.is_complex(), OPERAND, || {
        "complex numbers convert to complex numbers only".into()
    })?;
    let mut shape = sizes(operand);
    if from > to {
        shape.push(Some(i64::from(from / to)));
    } else if from < to {
        let last = shape.pop();
        ensure(last.is_some_and(|d| fits(d, Some(i64::from(to / from)))), SHAPES, || {
            format!("the last dimension of {} must be {}", check.tensor_text(operand), to / from)
        })?;
    }
    ensure(from.max(to) % from.min(to) == 0, OPERAND, || format!("{from} and {to} bits do not divide each other"))?;
    check.ensure_result(0, &shape, None)
}

pub fn broadcast(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    let lead = check.ints("broadcast_sizes")?;
    ensure(lead.iter().all(|&n| n >= 0), VALUE, || "`broadcast_sizes` must not be negative".into())?;
    let shape: Vec<Size> = lead.into_iter().map(Some).chain(sizes(operand)).collect();
    check.ensure_result(0, &shape, Some(operand.element))
}

fn broadcast_dimensions(check: &Check) -> Verdict {
    let (operand, result) = (check.operand(0)?, check.result(0)?);
    check.ensure_same_element(operand.element, result.element, "operand and result")?;
    check.ints_of_rank("broadcast_dimensions", operand.rank())?;
    let dims = check.dimensions("broadcast_dimensions", result.rank())?;
    for (i, (&d, size)) in dims.iter().zip(sizes(operand)).enumerate() {
        let target = result.shape[d].as_static();
        ensure(fits(size, target) || size == Some(1), SHAPES, || {
            let (a, b) = (size.unwrap_or(0), target.unwrap_or(0));
            format!("dimension {i} of the operand has size {a}, which cannot become {b} (dimension {d} of the result)")
        })?;
    }
    Ok(())
}

pub fn broadcast_in_dim(check: &Check) -> Verdict {
    broadcast_dimensions(check)
}

pub fn dynamic_broadcast_in_dim(check: &Check) -> Verdict {
    broadcast_dimensions(check)?;
    check.ensure_shape_operand(1, check.result(0)?.rank(), "the output shape")?;
    let rank = check.operand(0)?.rank();
    for name in ["known_expanding_dimensions", "known_nonexpanding_dimensions"] {
        if check.op.attrs.get(name).is_some() {
            check.dimensions(name, rank)?;
        }
    }
    Ok(())
}

pub fn concatenate(check: &Check) -> Verdict {
    let operands = check.operands()?;
    let first = check.operand(0)?;
    let axis = check.dimension("dimension", first.rank())?;
    let mut shape = sizes(first);
    let mut total = Some(0i64);
    for (i, operand) in operands.iter().enumerate() {
        check.ensure_rank(operand, first.rank(), &format!("operand {i}"))?;
        check.ensure_same_element(first.element, operand.element, &format!("operand 0 and operand {i}"))?;
        for (d, size) in sizes(operand).into_iter().enumerate() {
            if d == axis {
                total = total.and_then(|t| t.checked_add(size?));
            } else {
                ensure(fits(shape[d], size), SHAPES, || {
                    let (a, b) = (check.tensor_text(first), check.tensor_text(operand));
                    format!("operands 0 and {i} differ in dimension {d}, which is not the one joined: {a} and {b}")
                })?;
                shape[d] = shape[d].or(size);
            }
        }
    }
    shape[axis] = total;
    check.ensure_result(0, &shape, Some(first.element))
}

pub fn reshape(check: &Check) -> Verdict {
    let (operand, result) = (check.operand(0)?, check.result(0)?);
    check.ensure_same_element(operand.element, result.element, "operand and result")?;
    let same = match (operand.elements(), result.elements()) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    };
    ensure(same, SHAPES, || {
        let (a, b) = (check.tensor_text(operand), check.tensor_text(result));
        format!("{a} and {b} do not have the same number of elements")
    })
}

pub fn dynamic_reshape(check: &Check) -> Verdict {
    reshape(check)?;
    check.ensure_shape_operand(1, check.result(0)?.rank(), "the output shape")
}

pub fn transpose(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    check.ints_of_rank("permutation", operand.rank())?;
    let permutation = check.dimensions("permutation", operand.rank())?;
    let from = sizes(operand);
    let shape: Vec<Size> = permutation.iter().map(|&d| from[d]).collect();
    check.ensure_result(0, &shape, Some(operand.element))
}

pub fn reverse(check: &Check) -> Verdict {
    check.dimensions("dimensions", check.operand(0)?.rank())?;
    same(check)
}

pub fn slice(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    let rank = operand.rank();
    let starts = check.amounts_of_rank("start_indices", rank)?;
    let limits = check.amounts_of_rank("limit_indices", rank)?;
    let strides = check.amounts_of_rank("strides", rank)?;
    let mut shape = Vec::with_capacity(rank);
    for (d, size) in sizes(operand).into_iter().enumerate() {
        let (Some(start), Some(limit), Some(stride)) = (starts[d], limits[d], strides[d]) else {
            shape.push(None);
            continue;
        };
        ensure(0 <= start && start <= limit && size.is_none_or(|n| limit <= n), VALUE, || {
            let size = size.map_or("?".into(), |n| n.to_string());
            format!("dimension {d}: the range {start}:{limit} does not lie in 0:{size}")
        })?;
        ensure(stride > 0, VALUE, || format!("dimension {d}: the stride {stride} must be positive"))?;
        shape.push(Some(if limit > start { (limit - start - 1) / stride + 1 } else { 0 }));
    }
    check.ensure_result(0, &shape, Some(operand.element))
}

pub fn real_dynamic_slice(check: &Check) -> Verdict {
    let (operand, result) = (check.operand(0)?, check.result(0)?);
    check.ensure_same_element(operand.element, result.element, "operand and result")?;
    check.ensure_rank(result, operand.rank(), "the result")?;
    for (i, what) in [(1, "the start indices"), (2, "the limit indices"), (3, "the strides")] {
        check.ensure_shape_operand(i, operand.rank(), what)?;
    }
    Ok(())
}

/// One integer scalar a dimension from operand `first` on.
fn start_indices(check: &Check, first: usize, rank: usize) -> Verdict {
    let given = check.op.operands.len() - first;
    ensure(given == rank, SHAPES, || format!("{given} start indices for {rank} dimensions"))?;
    for i in first..check.op.operands.len() {
        let index = check.operand(i)?;
        ensure(index.rank() == 0 && index.element.is_integer(), OPERAND, || {
            format!("operand {i} must be an integer scalar, not {}", check.tensor_text(index))
        })?;
        check.ensure_same_element(index.element, check.operand(first)?.element, "the start indices")?;
    }
    Ok(())
}

pub fn dynamic_slice(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    start_indices(check, 1, operand.rank())?;
    let lengths = check.amounts_of_rank("slice_sizes", operand.rank())?;
    for (d, (length, size)) in lengths.iter().zip(sizes(operand)).enumerate() {
        let Some(length) = *length else { continue };
        ensure(length >= 0 && size.is_none_or(|n| length <= n), VALUE, || {
            format!("`slice_sizes` = {length} in dimension {d}, which has size {}", size.unwrap_or(0))
        })?;
    }
    check.ensure_result(0, &lengths, Some(operand.element))
}

pub fn dynamic_update_slice(check: &Check) -> Verdict {
    let (operand, update) = (check.operand(0)?, check.operand(1)?);
    start_indices(check, 2, operand.rank())?;
    check.ensure_same_element(operand.element, update.element, "operand and update")?;
    check.ensure_rank(update, operand.rank(), "the update")?;
    for (d, (small, large)) in sizes(update).into_iter().zip(sizes(operand)).enumerate() {
        ensure(!matches!((small, large), (Some(s), Some(l)) if s > l), SHAPES, || {
            format!("the update is larger than the operand in dimension {d}")
        })?;
    }
    same(check)
}

/// `operand`, `padding_value` and the result of `pad` and `dynamic_pad`.
fn padded(check: &Check) -> Verdict {
    let (operand, value) = (check.operand(0)?, check.operand(1)?);
    check.ensure_scalar(value, "the padding value")?;
    check.ensure_same_element(operand.element, value.element, "operand and padding value")
}

pub fn pad(check: &Check) -> Verdict {
    padded(check)?;
    let operand = check.operand(0)?;
    let rank = operand.rank();
    let low = check.amounts_of_rank("edge_padding_low", rank)?;
    let high = check.amounts_of_rank("edge_padding_high", rank)?;
    let interior = check.amounts_of_rank("interior_padding", rank)?;
    let mut shape = Vec::with_capacity(rank);
    for (d, size) in sizes(operand).into_iter().enumerate() {
        let (Some(low), Some(high), Some(interior)) = (low[d], high[d], interior[d]) else {
            shape.push(None);
            continue;
        };
        ensure(interior >= 0, VALUE, || format!("`interior_padding` = {interior} must not be negative"))?;
        let grown = size.map(|n| n.saturating_add((n - 1).max(0).saturating_mul(interior)));
        let total = grown.map(|n| n.saturating_add(low).saturating_add(high));
        ensure(total.is_none_or(|n| n >= 0), VALUE, || format!("dimension {d} would have a negative size"))?;
        shape.push(total);
    }
    check.ensure_result(0, &shape, Some(operand.element))
}

pub fn dynamic_pad(check: &Check) -> Verdict {
    padded(check)?;
    let (operand, result) = (check.operand(0)?, check.result(0)?);
    check.ensure_same_element(operand.element, result.element, "operand and result")?;
    check.ensure_rank(result, operand.rank(), "the result")?;
    for (i, what) in [(2, "the low padding"), (3, "the high padding"), (4, "the interior padding")] {
        check.ensure_shape_operand(i, operand.rank(), what)?;
    }
    Ok(())
}

pub fn get_dimension_size(check: &Check) -> Verdict {
    check.dimension("dimension", check.operand(0)?.rank())?;
    check.ensure_result(0, &[], Some(ElementType::I32))
}

pub fn set_dimension_size(check: &Check) -> Verdict {
    let (operand, size) = (check.operand(0)?, check.operand(1)?);
    check.ensure_scalar(size, "the size")?;
    let d = in_rank("dimension", check.int("dimension")?, operand.rank())?;
    let mut shape = sizes(operand);
    shape[d] = None;
    check.ensure_result(0, &shape, Some(operand.element))
}

/// Results have the types of the operands.
pub fn optimization_barrier(check: &Check) -> Verdict {
    let (operands, results) = (check.types(&check.op.operands), check.types(&check.op.results));
    let same =
        operands.len() == results.len() && operands.iter().zip(&results).all(|(a, b)| check.compatible_types(a, b));
    ensure(same, RESULT, || "the results must have the types of the operands".into())
}

pub fn tuple(check: &Check) -> Verdict {
    let parts: Vec<Type> = check.types(&check.op.operands).into_iter().cloned().collect();
    match check.types(&check.op.results).as_slice() {
        [Type::Tuple(types)] if *types == parts => Ok(()),
        _ => fault(RESULT, format!("the result must be {}", check.text(&Type::Tuple(parts)))),
    }
}

pub fn get_tuple_element(check: &Check) -> Verdict {
    let Type::Tuple(parts) = check.operand_type(0)? else { return fault(OPERAND, "the operand must be a tuple") };
    let index = check.int("index")?;
    let Some(part) = usize::try_from(index).ok().and_then(|i| parts.get(i)) else {
        return fault(VALUE, format!("`index` = {index}, but the tuple has {} elements", parts.len()));
    };
    ensure(check.types(&check.op.results) == [part], RESULT, || {
        format!("element {index} of the tuple has type {}", check.text(part))
    })
}

/// Operands and results are tokens.
pub fn tokens(check: &Check) -> Verdict {
    let mut values = check.op.operands.iter().chain(&check.op.results);
    ensure(values.all(|&v| *check.graph.ty(v) == Type::Token), RESULT, || "operands and result must be tokens".into())
}

pub fn rng(check: &Check) -> Verdict {
    let (a, b, result) = (check.operand(0)?, check.operand(1)?, check.result(0)?);
    for (ty, what) in [(a, "the first parameter"), (b, "the second parameter")] {
        check.ensure_scalar(ty, what)?;
        check.ensure_same_element(ty.element, result.element, &format!("{what} and the result"))?;
    }
    let normal = check.op.attrs.keyword("rng_distribution") == Some("NORMAL");
    ensure(!normal || result.element.is_float(), VALUE, || "a normal distribution needs a float type".into())?;
    check.ensure_shape_operand(2, result.rank(), "the shape")
}

pub fn rng_bit_generator(check: &Check) -> Verdict {
    let (state, output) = (check.operand(0)?, check.result(1)?);
    check.ensure_result(0, &sizes(state), Some(state.element))?;
    check.ensure_rank(state, 1, "the state")?;
    let number = output.element.is_integer() || output.element.is_float();
    ensure(number, RESULT, || format!("the output must hold numbers, not {}", check.tensor_text(output)))?;
    let length = match check.op.attrs.keyword("rng_algorithm") {
        Some("THREE_FRY") => Some(&[2i64][..]),
        Some("PHILOX") => Some(&[2, 3][..]),
        _ => None,
    };
    let fits_state = |n: i64| length.is_none_or(|allowed| state.element != ElementType::Ui64 || allowed.contains(&n));
    let size = state.shape[0].as_static();
    ensure(size.is_none_or(fits_state), SHAPES, || format!("the state {} has the wrong size", check.tensor_text(state)))
}

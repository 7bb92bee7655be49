//! Rules of elementwise ops.

use fornax_types::{Class, ElementType};

use super::check::{Check, OPERAND, REGION, RESULT, SHAPES, VALUE, Verdict, ensure, fault, sizes};
use crate::types::{TensorType, Type};

/// Operands and result have one type, up to quantisation parameters and unknown sizes.
pub fn same_type(check: &Check) -> Verdict {
    let result = check.result(0)?;
    for (i, operand) in check.operands()?.into_iter().enumerate() {
        check.ensure_same_shape(operand, result, &format!("operand {i} and the result"))?;
        check.ensure_same_element(operand.element, result.element, &format!("operand {i} and the result"))?;
    }
    Ok(())
}

/// One operand, a result of the same shape and any element type.
pub fn same_shape(check: &Check) -> Verdict {
    check.ensure_same_shape(check.operand(0)?, check.result(0)?, "operand and result")
}

fn result_element(check: &Check, element: ElementType) -> Verdict {
    check.ensure_result(0, &sizes(check.operand(0)?), Some(element))
}

pub fn abs(check: &Check) -> Verdict {
    result_element(check, check.operand(0)?.element.complex_part())
}

/// `real` and `imag`.
pub(crate) fn real_part(check: &Check) -> Verdict {
    abs(check)
}

/// A result of `i1` and the operands' shape.
pub fn predicate(check: &Check) -> Verdict {
    result_element(check, ElementType::I1)
}

pub fn uniform_quantize(check: &Check) -> Verdict {
    same_shape(check)?;
    let (operand, result) = (check.operand(0)?, check.result(0)?);
    let Some(quantized) = check.quantized(result.element) else {
        return fault(RESULT, format!("the result must be quantised, not {}", check.tensor_text(result)));
    };
    let expressed = check.quantized(operand.element).map_or(operand.element, |q| q.expressed);
    ensure(expressed == quantized.expressed, OPERAND, || {
        format!(
            "the operand has values of type {}, the result of {}",
            expressed.spelling(),
            quantized.expressed.spelling()
        )
    })
}

pub fn uniform_dequantize(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    match check.quantized(operand.element) {
        Some(quantized) => result_element(check, quantized.expressed),
        None => fault(OPERAND, "the operand must be quantised"),
    }
}

pub fn reduce_precision(check: &Check) -> Verdict {
    same_type(check)?;
    let (exponent, mantissa) = (check.int("exponent_bits")?, check.int("mantissa_bits")?);
    ensure(exponent >= 1, VALUE, || format!("`exponent_bits` = {exponent} must be at least 1"))?;
    ensure(mantissa >= 0, VALUE, || format!("`mantissa_bits` = {mantissa} must not be negative"))
}

pub fn complex(check: &Check) -> Verdict {
    let (lhs, rhs) = (check.operand(0)?, check.operand(1)?);
    check.ensure_same_shape(lhs, rhs, "the operands")?;
    check.ensure_same_element(lhs.element, rhs.element, "the operands")?;
    let element = match lhs.element {
        ElementType::F32 => ElementType::ComplexF32,
        ElementType::F64 => ElementType::ComplexF64,
        _ => return fault(OPERAND, format!("the parts must be f32 or f64, not {}", check.tensor_text(lhs))),
    };
    result_element(check, element)
}

pub fn compare(check: &Check) -> Verdict {
    let (lhs, rhs) = (check.operand(0)?, check.operand(1)?);
    check.ensure_same_shape(lhs, rhs, "the operands")?;
    check.ensure_same_element(lhs.element, rhs.element, "the operands")?;
    let Some(kind) = check.op.attrs.keyword("compare_type").filter(|k| *k != "NOTYPE") else { return predicate(check) };
    let fits = match lhs.element.class() {
        // The operands' type says how integers are compared; exporters (torch-mlir on i1) are not exact here.
        Class::Boolean | Class::UnsignedInteger | Class::SignedInteger => kind == "UNSIGNED" || kind == "SIGNED",
        Class::Float => kind == "FLOAT" || kind == "TOTALORDER",
        Class::Complex => kind == "FLOAT",
        Class::Quantized => true,
    };
    ensure(fits, VALUE, || format!("`compare_type` {kind} is not for operands of type {}", check.tensor_text(lhs)))?;
    predicate(check)
}

pub fn select(check: &Check) -> Verdict {
    let (predicate, on_true, on_false) = (check.operand(0)?, check.operand(1)?, check.operand(2)?);
    ensure(predicate.element == ElementType::I1, OPERAND, || {
        format!("the predicate must be of i1, not {}", check.tensor_text(predicate))
    })?;
    check.ensure_same_shape(on_true, on_false, "the values")?;
    check.ensure_same_element(on_true.element, on_false.element, "the values")?;
    if predicate.rank() != 0 {
        check.ensure_same_shape(predicate, on_true, "the predicate, unless it is a scalar, and the values")?;
    }
    check.ensure_same_shape(on_true, check.result(0)?, "the values and the result")?;
    result_is(check, on_true)
}

fn result_is(check: &Check, ty: &TensorType) -> Verdict {
    check.ensure_result(0, &sizes(ty), Some(ty.element))
}

pub fn clamp(check: &Check) -> Verdict {
    let (min, operand, max) = (check.operand(0)?, check.operand(1)?, check.operand(2)?);
    for (bound, name) in [(min, "the lower bound"), (max, "the upper bound")] {
        check.ensure_same_element(bound.element, operand.element, &format!("{name} and the operand"))?;
        if bound.rank() != 0 {
            check.ensure_same_shape(bound, operand, &format!("{name}, unless it is a scalar, and the operand"))?;
        }
    }
    result_is(check, operand)
}

pub fn map(check: &Check) -> Verdict {
    let operands = check.operands()?;
    let first = check.operand(0)?;
    for (i, operand) in operands.iter().enumerate() {
        check.ensure_same_shape(first, operand, &format!("operand 0 and operand {i}"))?;
    }
    let dimensions = check.ints("dimensions")?;
    let ascending = dimensions.iter().enumerate().all(|(i, &d)| i as i64 == d);
    ensure(ascending && dimensions.len() == first.rank(), VALUE, || {
        format!("`dimensions` must be all {} dimensions in order", first.rank())
    })?;
    let returns = check.region_returns(0)?;
    let [Type::Tensor(returned)] = returns.as_slice() else {
        return fault(REGION, "the region must return one scalar");
    };
    ensure(returned.rank() == 0, SHAPES, || "the region must return one scalar".into())?;
    let arguments: Vec<Type> = operands.iter().map(|t| Type::tensor(&[], t.element)).collect();
    check.ensure_region(0, &arguments, &[Type::tensor(&[], returned.element)])?;
    check.ensure_result(0, &sizes(first), Some(returned.element))
}

//! Rules of control flow, calls and fusion groups.

use fornax_types::ElementType;

use super::check::{Check, OPERAND, REGION, RESULT, VALUE, Verdict, ensure, fault};
use crate::attr::Attr;
use crate::ops::nearest;
use crate::types::Type;

/// Every branch takes nothing and returns the op's results.
fn branches(check: &Check) -> Verdict {
    let results: Vec<Type> = check.types(&check.op.results).into_iter().cloned().collect();
    (0..check.op.regions.len()).try_for_each(|i| check.ensure_region(i, &[], &results))
}

fn scalar_operand(check: &Check, element: ElementType, what: &str) -> Verdict {
    let ty = check.operand(0)?;
    ensure(ty.rank() == 0 && ty.element == element, OPERAND, || {
        format!("{what} must be tensor<{}>, not {}", element.spelling(), check.tensor_text(ty))
    })
}

pub fn if_(check: &Check) -> Verdict {
    scalar_operand(check, ElementType::I1, "the predicate")?;
    branches(check)
}

pub fn case(check: &Check) -> Verdict {
    scalar_operand(check, ElementType::I32, "the index")?;
    ensure(!check.op.regions.is_empty(), REGION, || "at least one branch is needed".into())?;
    branches(check)
}

pub fn while_(check: &Check) -> Verdict {
    let state: Vec<Type> = check.types(&check.op.operands).into_iter().cloned().collect();
    check.ensure_region(0, &state, &[Type::tensor(&[], ElementType::I1)])?;
    check.ensure_region(1, &state, &state)?;
    super::shape::optimization_barrier(check)
}

/// Tensors of known sizes, and tokens, go to the host and come back; the number is of a function there.
pub fn host_call(check: &Check) -> Verdict {
    ensure(check.int("number")? >= 0, VALUE, || "`number` must not be negative".into())?;
    for ty in check.types(&check.op.operands).into_iter().chain(check.types(&check.op.results)) {
        let fits = match ty {
            Type::Tensor(tensor) => tensor.static_shape().is_some(),
            other => *other == Type::Token,
        };
        let found = || format!("operands and results must be tokens or static tensors, not {}", check.text(ty));
        ensure(fits, OPERAND, found)?;
    }
    Ok(())
}

/// The function of a symbol attribute has this signature.
fn signature(check: &Check, name: &str) -> Verdict {
    let Some(Attr::Symbol(path)) = check.op.attrs.get(name) else {
        return fault("FX0204", format!("attribute `{name}` must be a symbol"));
    };
    let target = path.last().map_or("", String::as_str);
    let Some(function) = check.graph.function(target) else {
        let near = nearest(target, check.graph.functions.iter().map(|f| f.name.as_str()));
        let hint = near.map_or(String::new(), |n| format!("; did you mean `@{n}`?"));
        return fault("FX0211", format!("there is no function `@{target}`{hint}"));
    };
    let inputs: Vec<&Type> = match (check.graph.entry(function), function.attrs.get("function_type")) {
        (Some(block), _) => check.types(&check.graph.block(block).arguments),
        (None, Some(Attr::Type(Type::Function { inputs, .. }))) => inputs.iter().collect(),
        _ => return Ok(()),
    };
    let results: Vec<&Type> = function.result_types.iter().collect();
    for (what, given, wanted) in
        [("arguments", check.types(&check.op.operands), inputs), ("results", check.types(&check.op.results), results)]
    {
        let same = given.len() == wanted.len() && given.iter().zip(&wanted).all(|(a, b)| check.compatible_types(a, b));
        ensure(same, "FX0211", || {
            let list = |types: &[&Type]| types.iter().map(|t| check.text(t)).collect::<Vec<_>>().join(", ");
            format!("the call has {what} ({}), but `@{target}` has ({})", list(&given), list(&wanted))
        })?;
    }
    Ok(())
}

pub fn call(check: &Check) -> Verdict {
    signature(check, "callee")
}

pub fn composite(check: &Check) -> Verdict {
    signature(check, "decomposition")
}

/// The region takes the operands and yields the results.
pub fn fusion(check: &Check) -> Verdict {
    let types = |values| check.types(values).into_iter().cloned().collect::<Vec<Type>>();
    let (operands, results) = (types(&check.op.operands), types(&check.op.results));
    ensure(!results.is_empty(), RESULT, || "a fusion group has results".into())?;
    check.ensure_region(0, &operands, &results)
}

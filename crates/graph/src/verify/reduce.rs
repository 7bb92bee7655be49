//! Rules of reductions, windows, sort and batch normalisation.

use fornax_types::ElementType;

use super::check::{Check, REGION, SHAPES, Size, VALUE, Verdict, ensure, fault, sizes};
use super::window::{ensure_factors, window_positions};
use crate::types::{Dim, Type};

/// n inputs of one shape, then n scalar initial values; returns n.
fn inputs_and_inits(check: &Check) -> Result<usize, super::Fault> {
    let operands = check.operands()?;
    let n = operands.len() / 2;
    ensure(operands.len() % 2 == 0 && n > 0, "FX0201", || {
        format!("{} operands: as many initial values as inputs are needed", operands.len())
    })?;
    for i in 0..n {
        check.ensure_same_shape(operands[0], operands[i], &format!("input 0 and input {i}"))?;
        check.ensure_scalar(operands[n + i], &format!("initial value {i}"))?;
        check.ensure_same_element(operands[i].element, operands[n + i].element, "an input and its initial value")?;
    }
    ensure(check.op.results.len() == n, "FX0201", || format!("{} results for {n} inputs", check.op.results.len()))?;
    Ok(n)
}

pub fn reduce(check: &Check) -> Verdict {
    let n = inputs_and_inits(check)?;
    let input = check.operand(0)?;
    let dims = check.dimensions("dimensions", input.rank())?;
    let shape: Vec<Size> =
        sizes(input).into_iter().enumerate().filter(|(d, _)| !dims.contains(d)).map(|(_, s)| s).collect();
    let elements = check.reducer(0, n)?;
    (0..n).try_for_each(|i| {
        check.ensure_promotable(check.operand(i)?.element, elements[i])?;
        check.ensure_result(i, &shape, result_element(check, i, elements[i]))
    })
}

/// The reducer may compute in another type than the input; quantised results only keep their class.
fn result_element(check: &Check, i: usize, reduced: ElementType) -> Option<ElementType> {
    match check.result(i) {
        Ok(result) if result.element.is_quantized() && reduced.is_quantized() => None,
        _ => Some(reduced),
    }
}

/// Shape of the result of a window over a shape.
fn windowed(check: &Check, shape: &[Size], dilations: bool) -> Result<Vec<Size>, super::Fault> {
    let rank = shape.len();
    // Dimensions whose window or padding is a size of the call.
    let sized = check.op.attrs.dims("window_dimensions").unwrap_or_default();
    let sized_padding = check.op.attrs.dims("padding").unwrap_or_default();
    let is_sized = |d: usize| {
        let known = |dim: Option<&Dim>| dim.is_none_or(|dim| dim.as_static().is_some());
        !known(sized.get(d)) || !known(sized_padding.get(2 * d)) || !known(sized_padding.get(2 * d + 1))
    };
    let any_sized = (0..rank).any(is_sized);
    let window = if any_sized { static_or(&sized, rank, 1) } else { check.ints_or("window_dimensions", rank, 1)? };
    let strides = check.ints_or("window_strides", rank, 1)?;
    let ones = vec![1; rank];
    let base = if dilations { check.ints_or("base_dilations", rank, 1)? } else { ones.clone() };
    let dilation = if dilations { check.ints_or("window_dilations", rank, 1)? } else { ones };
    let padding = if any_sized {
        static_or(&sized_padding, 2 * rank, 0).chunks_exact(2).map(|p| (p[0], p[1])).collect()
    } else {
        check.pairs_or_zero("padding", rank)?
    };
    for (name, values) in [
        ("window_dimensions", &window),
        ("window_strides", &strides),
        ("base_dilations", &base),
        ("window_dilations", &dilation),
    ] {
        ensure_factors(name, values)?;
    }
    let position = |d: usize| {
        let size = shape[d].filter(|_| !is_sized(d));
        window_positions(size, base[d], padding[d], window[d], dilation[d], strides[d])
    };
    (0..rank).map(position).collect()
}

/// Numbers of a list, `default` for sizes of the call and where there is no list of this length.
fn static_or(list: &[Dim], n: usize, default: i64) -> Vec<i64> {
    (0..n).map(|at| list.get(at).and_then(|dim| dim.as_static()).unwrap_or(default)).collect()
}

pub fn reduce_window(check: &Check) -> Verdict {
    let n = inputs_and_inits(check)?;
    let input = check.operand(0)?;
    let shape = windowed(check, &sizes(input), true)?;
    let elements = check.reducer(0, n)?;
    (0..n).try_for_each(|i| {
        check.ensure_promotable(check.operand(i)?.element, elements[i])?;
        check.ensure_result(i, &shape, result_element(check, i, elements[i]))
    })
}

pub fn select_and_scatter(check: &Check) -> Verdict {
    let (operand, source, init) = (check.operand(0)?, check.operand(1)?, check.operand(2)?);
    check.ensure_scalar(init, "the initial value")?;
    check.ensure_same_element(operand.element, source.element, "operand and source")?;
    check.ensure_same_element(operand.element, init.element, "operand and initial value")?;
    let expected = windowed(check, &sizes(operand), false)?;
    let fitting =
        source.rank() == expected.len() && sizes(source).iter().zip(&expected).all(|(a, b)| super::check::fits(*a, *b));
    ensure(fitting, SHAPES, || {
        let wanted = super::check::shape_text(&expected);
        format!("the source {} must have the shape {wanted} of the windows", check.tensor_text(source))
    })?;
    let scalar = Type::tensor(&[], operand.element);
    check.ensure_region(0, &[scalar.clone(), scalar], &[Type::tensor(&[], ElementType::I1)])?;
    let elements = check.reducer(1, 1)?;
    check.ensure_promotable(operand.element, elements[0])?;
    check.ensure_result(0, &sizes(operand), result_element(check, 0, elements[0]))
}

pub fn sort(check: &Check) -> Verdict {
    let operands = check.operands()?;
    let rank = operands[0].rank() as i64;
    let dimension = check.op.attrs.int("dimension").unwrap_or(-1);
    let scalar = rank == 0 && dimension == -1;
    ensure(scalar || (-rank <= dimension && dimension < rank), VALUE, || {
        format!("`dimension` = {dimension} is not a dimension of a tensor of rank {rank}")
    })?;
    ensure(check.op.results.len() == operands.len(), "FX0201", || {
        format!("{} results for {} operands", check.op.results.len(), operands.len())
    })?;
    let mut arguments = Vec::new();
    for (i, operand) in operands.iter().enumerate() {
        check.ensure_same_shape(operands[0], operand, &format!("operand 0 and operand {i}"))?;
        check.ensure_result(i, &sizes(operand), Some(operand.element))?;
        arguments.extend([Type::tensor(&[], operand.element), Type::tensor(&[], operand.element)]);
    }
    match check.region_returns(0)?.as_slice() {
        [one] if **one == Type::tensor(&[], ElementType::I1) => {}
        _ => return fault(REGION, "the comparator must return one i1 scalar"),
    }
    check.ensure_region(0, &arguments, &[Type::tensor(&[], ElementType::I1)])
}

pub fn batch_norm(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    let feature = check.dimension("feature_index", operand.rank())?;
    let size = sizes(operand)[feature];
    let whole = sizes(operand);
    let gradient = check.op.operands.len() == 5 && check.op.results.len() == 3;
    for i in 1..check.op.operands.len() {
        let ty = check.operand(i)?;
        check.ensure_same_element(operand.element, ty.element, &format!("operand 0 and operand {i}"))?;
        if gradient && i == 4 {
            check.ensure_same_shape(operand, ty, "operand and output gradient")?;
        } else {
            check.ensure_rank(ty, 1, &format!("operand {i}"))?;
            ensure(super::check::fits(size, sizes(ty)[0]), SHAPES, || {
                format!("operand {i} must have one entry a feature, not {}", check.tensor_text(ty))
            })?;
        }
    }
    check.ensure_result(0, &whole, Some(operand.element))?;
    (1..check.op.results.len()).try_for_each(|i| check.ensure_result(i, &[size], Some(operand.element)))
}

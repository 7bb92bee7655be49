//! Rules of the parts of sorts and scatters.

use fornax_types::ElementType;

use super::check::{
    Check, OPERAND, REGION, SHAPES, Size, VALUE, Verdict, distinct_dimensions, ensure, fault, fits, sizes,
};
use crate::types::{TensorType, Type};

/// Digits of a pass of a radix sort: eight bits.
const DIGITS: i64 = 256;

/// Operands of one shape, and a comparator of pairs of their elements; the dimension that is sorted.
fn compared(check: &Check, operands: &[&TensorType]) -> Result<usize, super::Fault> {
    let Some(first) = operands.first() else { return fault("FX0201", "operand 0 is missing") };
    let rank = first.rank() as i64;
    let dimension = check.op.attrs.int("dimension").unwrap_or(-1);
    ensure(-rank <= dimension && dimension < rank, VALUE, || {
        format!("`dimension` = {dimension} is not a dimension of a tensor of rank {rank}")
    })?;
    let mut arguments = Vec::new();
    for (i, operand) in operands.iter().enumerate() {
        check.ensure_same_shape(first, operand, &format!("operand 0 and operand {i}"))?;
        arguments.extend([Type::tensor(&[], operand.element), Type::tensor(&[], operand.element)]);
    }
    let truth = Type::tensor(&[], ElementType::I1);
    match check.region_returns(0)?.as_slice() {
        [one] if **one == truth => {}
        _ => return fault(REGION, "the comparator must return one i1 scalar"),
    }
    check.ensure_region(0, &arguments, &[truth])?;
    Ok(if dimension < 0 { dimension + rank } else { dimension } as usize)
}

fn positive(check: &Check, name: &str) -> Result<Option<i64>, super::Fault> {
    let found = check.op.attrs.int(name);
    ensure(found.is_none_or(|n| n > 0), VALUE, || format!("`{name}` must be positive"))?;
    Ok(found)
}

/// Results like the operands, of another size along a dimension.
fn ensure_lines(check: &Check, operands: &[&TensorType], along: usize, length: Size) -> Verdict {
    ensure(check.op.results.len() == operands.len(), "FX0201", || {
        format!("{} results for {} operands", check.op.results.len(), operands.len())
    })?;
    operands.iter().enumerate().try_for_each(|(i, operand)| {
        let mut shape = sizes(operand);
        shape[along] = length;
        check.ensure_result(i, &shape, Some(operand.element))
    })
}

pub fn sort_runs(check: &Check) -> Verdict {
    let operands = check.operands()?;
    let along = compared(check, &operands)?;
    let runs = positive(check, "runs")?.unwrap_or(1);
    let keep = positive(check, "keep")?.unwrap_or(runs).min(runs);
    let length = sizes(operands[0])[along];
    ensure_lines(check, &operands, along, length.map(|n| n / runs * keep + keep.min(n % runs)))
}

pub fn merge_runs(check: &Check) -> Verdict {
    let operands = check.operands()?;
    let along = compared(check, &operands)?;
    let (from, to) = (positive(check, "sorted_runs")?.unwrap_or(1), positive(check, "runs")?);
    ensure(to.is_none_or(|to| to > from && to % from == 0), VALUE, || {
        format!("`runs` must be a multiple of `sorted_runs` = {from}")
    })?;
    ensure_lines(check, &operands, along, sizes(operands[0])[along])
}

/// The shape of the counts of a pass over lines: digits, then tiles, in the place of the last dimension.
fn counts(check: &Check, operands: &[&TensorType]) -> Result<Vec<Size>, super::Fault> {
    let along = compared(check, operands)?;
    let mut shape = sizes(operands[0]);
    ensure(along + 1 == shape.len(), VALUE, || "a radix sort goes along the last dimension".into())?;
    let bits = operands.iter().map(|ty| ty.element.bits()).max().unwrap_or(0);
    let shift = check.int("digit_shift")?;
    ensure((0..i64::from(bits)).contains(&shift), VALUE, || format!("`digit_shift` = {shift} is no bit of a key"))?;
    let tile = positive(check, "tile")?.unwrap_or(1);
    let length = shape.pop().flatten();
    shape.extend([Some(DIGITS), length.map(|n| n / tile + i64::from(n % tile != 0))]);
    Ok(shape)
}

pub fn radix_count(check: &Check) -> Verdict {
    let shape = counts(check, &check.operands()?)?;
    check.ensure_result(0, &shape, Some(ElementType::I32))
}

/// The last operand says where the elements of each digit of each tile go.
pub fn radix_distribute(check: &Check) -> Verdict {
    let operands = check.operands()?;
    let Some((starts, sorted)) = operands.split_last() else { return fault("FX0201", "operand 0 is missing") };
    let shape = counts(check, sorted)?;
    let found = sizes(starts);
    let same = found.len() == shape.len() && found.iter().zip(&shape).all(|(a, b)| fits(*a, *b));
    ensure(same && starts.element == ElementType::I32, OPERAND, || {
        format!("the starts {} must be i32, one a digit and tile", check.tensor_text(starts))
    })?;
    let along = sizes(sorted[0]).len() - 1;
    ensure_lines(check, sorted, along, sizes(sorted[0])[along])
}

/// Operands: inputs, the rows of the updates in ascending order, updates, and whose rows they are.
pub fn sorted_scatter(check: &Check) -> Verdict {
    let operands = check.operands()?;
    let n = (operands.len() - 2) / 2;
    ensure(operands.len().is_multiple_of(2) && check.op.results.len() == n, "FX0201", || {
        format!(
            "{} operands and {} results: inputs, rows and updates do not fit",
            operands.len(),
            check.op.results.len()
        )
    })?;
    let (input, rows, update, numbers) = (operands[0], operands[n], operands[n + 1], operands[2 * n + 1]);
    let whole = rows.rank() == 1 && rows.element.is_integer();
    ensure(whole, OPERAND, || format!("the rows {} must be a list of integers", check.tensor_text(rows)))?;
    check.ensure_same_shape(rows, numbers, "rows and numbers")?;
    check.ensure_same_element(rows.element, numbers.element, "rows and numbers")?;
    for i in 0..n {
        check.ensure_same_shape(input, operands[i], &format!("input 0 and input {i}"))?;
        check.ensure_same_shape(update, operands[n + 1 + i], &format!("update 0 and update {i}"))?;
        check.ensure_same_element(operands[i].element, operands[n + 1 + i].element, "an input and its update")?;
    }
    let fields = check.fields("scatter_dimension_numbers")?;
    let list = |name: &str, rank| distinct_dimensions(name, &fields.ints(name).unwrap_or_default(), rank);
    let windows = list("update_window_dims", update.rank())?;
    let dropped = list("inserted_window_dims", input.rank())?;
    list("scatter_dims_to_operand_dims", input.rank())?;
    let batching = fields.ints("input_batching_dims").unwrap_or_default();
    ensure(batching.is_empty(), VALUE, || "`input_batching_dims` must be empty: rows number the batches, too".into())?;
    ensure(windows.len() + dropped.len() == input.rank(), VALUE, || {
        format!("{} window dimensions for an input of rank {}", windows.len(), input.rank())
    })?;
    let mut updates = (0..update.rank()).filter(|d| !windows.contains(d)).map(|d| sizes(update)[d]);
    let count = updates.try_fold(1i64, |n, size| n.checked_mul(size?));
    ensure(fits(count, sizes(rows)[0]), SHAPES, || {
        format!("{} has not one row for each update of {}", check.tensor_text(rows), check.tensor_text(update))
    })?;
    let elements = check.reducer(0, n)?;
    (0..n).try_for_each(|k| {
        check.ensure_promotable(operands[k].element, elements[k])?;
        check.ensure_result(k, &sizes(input), Some(elements[k]))
    })
}

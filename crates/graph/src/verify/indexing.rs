//! Rules of gather and scatter.

use super::check::{
    Check, Fault, OPERAND, SHAPES, Size, VALUE, Verdict, distinct_dimensions, ensure, fits, in_rank, sizes,
};
use crate::attr::AttrMap;
use crate::types::TensorType;

/// The parts of gather's and scatter's dimension numbers that both have.
struct Numbers {
    /// Dimensions of the operand that are not part of a slice: collapsed or inserted.
    dropped: Vec<usize>,
    operand_batching: Vec<usize>,
    indices_batching: Vec<usize>,
    index_vector_dim: usize,
}

fn numbers(
    check: &Check,
    fields: &AttrMap,
    names: [&str; 4],
    operand: usize,
    indices: &TensorType,
) -> Result<Numbers, Fault> {
    ensure(indices.element.is_integer(), OPERAND, || {
        format!("the indices must be integers, not {}", check.tensor_text(indices))
    })?;
    let list = |name: &str, rank: usize| distinct_dimensions(name, &fields.ints(name).unwrap_or_default(), rank);
    let dropped = list(names[0], operand)?;
    let operand_batching = list(names[1], operand)?;
    let indices_batching = list(names[2], indices.rank())?;
    let index_map = list(names[3], operand)?;
    let index_vector_dim =
        in_rank("index_vector_dim", fields.int("index_vector_dim").unwrap_or(0), indices.rank() + 1)?;
    ensure(operand_batching.len() == indices_batching.len(), VALUE, || {
        format!("{} and {} batching dimensions", operand_batching.len(), indices_batching.len())
    })?;
    ensure(!indices_batching.contains(&index_vector_dim), VALUE, || {
        format!("the index vector dimension {index_vector_dim} is also a batching dimension")
    })?;
    let overlap = operand_batching.iter().any(|d| dropped.contains(d) || index_map.contains(d));
    ensure(!overlap, VALUE, || format!("a dimension in `{}` is also collapsed or indexed", names[1]))?;
    for (name, dims) in [(names[0], &dropped), (names[1], &operand_batching)] {
        ensure(dims.is_sorted(), VALUE, || format!("`{name}` must be sorted"))?;
    }
    let vector = if index_vector_dim == indices.rank() { Some(1) } else { sizes(indices)[index_vector_dim] };
    ensure(fits(vector, i64::try_from(index_map.len()).ok()), SHAPES, || {
        let n = vector.unwrap_or(0);
        format!("index vectors have {n} entries, but `{}` has {}", names[3], index_map.len())
    })?;
    Ok(Numbers { dropped, operand_batching, indices_batching, index_vector_dim })
}

impl Numbers {
    /// Sizes of the indices without the index vectors: one slice each.
    fn batch_shape(&self, indices: &TensorType) -> Vec<Size> {
        let all = sizes(indices).into_iter().enumerate();
        all.filter(|(d, _)| *d != self.index_vector_dim).map(|(_, s)| s).collect()
    }

    fn is_dropped(&self, d: usize) -> bool {
        self.dropped.contains(&d) || self.operand_batching.contains(&d)
    }

    fn batching_fits(&self, operand: &TensorType, indices: &TensorType) -> bool {
        let (o, i) = (sizes(operand), sizes(indices));
        self.operand_batching.iter().zip(&self.indices_batching).all(|(&a, &b)| fits(o[a], i[b]))
    }
}

/// Shape of slices laid out among batch dimensions: `window_dims` are the positions of the slice's dimensions.
fn interleave(window_dims: &[usize], window: Vec<Size>, batch: Vec<Size>) -> Vec<Size> {
    let rank = window.len() + batch.len();
    let (mut window, mut batch) = (window.into_iter(), batch.into_iter());
    (0..rank).map(|d| if window_dims.contains(&d) { window.next() } else { batch.next() }.flatten()).collect()
}

const GATHER: [&str; 4] =
    ["collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims", "start_index_map"];
const SCATTER: [&str; 4] =
    ["inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"];

fn gather_shape(check: &Check, slice: &[Size]) -> Verdict {
    let (operand, indices) = (check.operand(0)?, check.operand(1)?);
    let fields = check.fields("dimension_numbers")?;
    let numbers = numbers(check, fields, GATHER, operand.rank(), indices)?;
    ensure(numbers.batching_fits(operand, indices), SHAPES, || "batching dimensions differ in size".into())?;
    for (d, (length, size)) in slice.iter().zip(sizes(operand)).enumerate() {
        let inside = length.is_none_or(|l| l >= 0 && size.is_none_or(|n| l <= n));
        ensure(inside, VALUE, || {
            let (l, n) = (length.unwrap_or(0), size.unwrap_or(0));
            format!("`slice_sizes` = {l} in dimension {d}, which has size {n}")
        })?;
        ensure(!numbers.is_dropped(d) || length.is_none_or(|l| l <= 1), VALUE, || {
            format!("dimension {d} is collapsed or batching, so its slice size must be 1")
        })?;
    }
    let window: Vec<Size> = (0..operand.rank()).filter(|&d| !numbers.is_dropped(d)).map(|d| slice[d]).collect();
    let batch = numbers.batch_shape(indices);
    let rank = window.len() + batch.len();
    let offsets = distinct_dimensions("offset_dims", &fields.ints("offset_dims").unwrap_or_default(), rank)?;
    ensure(offsets.len() == window.len() && offsets.is_sorted(), VALUE, || {
        format!("`offset_dims` must be {} sorted dimensions of the result", window.len())
    })?;
    check.ensure_result(0, &interleave(&offsets, window, batch), Some(operand.element))
}

pub fn gather(check: &Check) -> Verdict {
    gather_shape(check, &check.amounts_of_rank("slice_sizes", check.operand(0)?.rank())?)
}

pub fn dynamic_gather(check: &Check) -> Verdict {
    let rank = check.operand(0)?.rank();
    check.ensure_shape_operand(2, rank, "the slice sizes")?;
    gather_shape(check, &vec![None; rank])
}

pub fn scatter(check: &Check) -> Verdict {
    let operands = check.operands()?;
    let n = (operands.len() - 1) / 2;
    ensure(operands.len() % 2 == 1 && check.op.results.len() == n, "FX0201", || {
        format!(
            "{} operands and {} results: inputs, indices and updates do not fit",
            operands.len(),
            check.op.results.len()
        )
    })?;
    let (input, indices, update) = (operands[0], operands[n], operands[n + 1]);
    for i in 0..n {
        check.ensure_same_shape(input, operands[i], &format!("input 0 and input {i}"))?;
        check.ensure_same_shape(update, operands[n + 1 + i], &format!("update 0 and update {i}"))?;
        check.ensure_same_element(operands[i].element, operands[n + 1 + i].element, "an input and its update")?;
    }
    let fields = check.fields("scatter_dimension_numbers")?;
    let numbers = numbers(check, fields, SCATTER, input.rank(), indices)?;
    ensure(numbers.batching_fits(input, indices), SHAPES, || "batching dimensions differ in size".into())?;
    let windows = distinct_dimensions(
        "update_window_dims",
        &fields.ints("update_window_dims").unwrap_or_default(),
        update.rank(),
    )?;
    ensure(windows.is_sorted(), VALUE, || "`update_window_dims` must be sorted".into())?;
    let kept: Vec<usize> = (0..input.rank()).filter(|&d| !numbers.is_dropped(d)).collect();
    let batch = numbers.batch_shape(indices);
    ensure(windows.len() == kept.len() && update.rank() == kept.len() + batch.len(), VALUE, || {
        format!(
            "the update {} must have {} window and {} scatter dimensions",
            check.tensor_text(update),
            kept.len(),
            batch.len()
        )
    })?;
    let (i, u) = (sizes(input), sizes(update));
    for (&w, &d) in windows.iter().zip(&kept) {
        ensure(!matches!((u[w], i[d]), (Some(a), Some(b)) if a > b), SHAPES, || {
            format!("dimension {w} of the update is larger than dimension {d} of the input")
        })?;
    }
    let scattered: Vec<Size> = (0..u.len()).filter(|d| !windows.contains(d)).map(|d| u[d]).collect();
    ensure(scattered.iter().zip(&batch).all(|(a, b)| fits(*a, *b)), SHAPES, || {
        format!("the scatter dimensions of {} do not fit {}", check.tensor_text(update), check.tensor_text(indices))
    })?;
    let elements = check.reducer(0, n)?;
    (0..n).try_for_each(|k| {
        check.ensure_promotable(operands[k].element, elements[k])?;
        check.ensure_result(k, &i, Some(elements[k]))
    })
}

pub fn torch_index_select(check: &Check) -> Verdict {
    let (operand, index) = (check.operand(0)?, check.operand(1)?);
    ensure(index.element.is_integer(), OPERAND, || {
        format!("the index must be of integers, not {}", check.tensor_text(index))
    })?;
    let d = check.dimension("dim", operand.rank())?;
    let batch = check.int("batch_dims")?;
    let Some(batch) = usize::try_from(batch).ok().filter(|&b| b <= d && b <= index.rank()) else {
        return super::check::fault(
            VALUE,
            format!("`batch_dims` = {batch} must be at most `dim` and the index's rank"),
        );
    };
    let (o, i) = (sizes(operand), sizes(index));
    let shape: Vec<Size> = o[..d].iter().chain(&i[batch..]).chain(&o[d + 1..]).copied().collect();
    check.ensure_result(0, &shape, Some(operand.element))
}

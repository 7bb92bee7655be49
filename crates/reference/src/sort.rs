//! `sort` (variadic, comparator region) and `top_k`: stable merge sort of positions, so that a comparator that is no
//! order gives some permutation rather than a failure.
//!
//! The parts of a long sort (`fornax.sort_runs`, `fornax.merge_runs`) are sorts, too: `runs` are how many elements are
//! sorted with one another, `keep` how many of each run stay. What was sorted before (`sorted_runs`) changes nothing.

use std::cmp::Ordering;

use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::region::ScalarRegion;
use crate::scalar::Scalar;
use crate::tensor::{Indices, Tensor, offset, strides};

type Results = Result<Vec<Tensor>, EvalError>;

/// Sorts all operands along `dimension` by the region's "comes before".
pub(crate) fn sort(call: &mut Call) -> Results {
    let n = call.operands.len();
    let shape = call.operand(0)?.shape();
    call.check(call.operands.iter().all(|t| t.shape() == shape), "operands of unlike shapes")?;
    let region = call.region(0)?;
    let mut body = ScalarRegion::new(call.interp, region)?;
    call.check(body.arguments.len() == 2 * n, "a comparator of 2N arguments")?;
    let rank = shape.len();
    if rank == 0 {
        return Ok(call.operands.iter().map(|t| (**t).clone()).collect());
    }
    let dimension = call.op.attrs.int("dimension").unwrap_or(-1);
    let dimension = if dimension < 0 { dimension + rank as i64 } else { dimension } as usize;
    call.check_dims(&[dimension], rank)?;
    let length = shape[dimension];
    let positive = |name: &str| call.op.attrs.int(name).and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0);
    let run = positive("runs").unwrap_or(length.max(1));
    let keep = positive("keep").unwrap_or(run).min(run);
    let mut kept = shape.clone();
    kept[dimension] = length / run * keep + keep.min(length % run);
    let allocated = call.operands.iter().map(|t| call.alloc(&kept, t.element())).collect::<Result<Vec<_>, _>>();
    let mut outputs = allocated?;
    let (natural, natural_kept) = (strides(&shape), strides(&kept));
    let mut lines = shape.clone();
    lines[dimension] = 1;
    let (step, step_kept) = (natural[dimension], natural_kept[dimension]);
    let mut walk = Indices::new(&lines);
    let (mut args, mut results) = (vec![Scalar::Bool(false); 2 * n], Vec::new());
    while let Some(line) = walk.advance() {
        let base = offset(line, &natural);
        let place = |i: usize| (base + i as isize * step) as usize;
        let base_kept = offset(line, &natural_kept);
        let place_kept = |i: usize| (base_kept + i as isize * step_kept) as usize;
        let columns: Vec<Vec<Scalar>> =
            call.operands.iter().map(|t| (0..length).map(|i| t.get(place(i))).collect()).collect();
        call.charge_work(length as u64 * 20)?;
        let mut order = Vec::with_capacity(length);
        for start in (0..length).step_by(run) {
            let sorted = merge_sort((start..length.min(start + run)).collect(), &mut |a, b| {
                for (k, column) in columns.iter().enumerate() {
                    args[2 * k] = column[a];
                    args[2 * k + 1] = column[b];
                }
                body.call(call.interp, &args, &mut results)?;
                Ok(results[0].as_bool())
            })?;
            order.extend(sorted.into_iter().take(keep));
        }
        for (output, column) in outputs.iter_mut().zip(&columns) {
            order.iter().enumerate().for_each(|(to, &from)| output.set(place_kept(to), column[from]));
        }
    }
    Ok(outputs)
}

/// Stable merge sort of positions with a "comes before" that may fail.
fn merge_sort(
    items: Vec<usize>,
    before: &mut dyn FnMut(usize, usize) -> Result<bool, EvalError>,
) -> Result<Vec<usize>, EvalError> {
    if items.len() < 2 {
        return Ok(items);
    }
    let right = merge_sort(items[items.len() / 2..].to_vec(), before)?;
    let left = merge_sort(items[..items.len() / 2].to_vec(), before)?;
    let (mut l, mut r) = (left.into_iter().peekable(), right.into_iter().peekable());
    let mut merged = Vec::with_capacity(items.len());
    while let (Some(&a), Some(&b)) = (l.peek(), r.peek()) {
        let take_right = before(b, a)?;
        merged.extend(if take_right { r.next() } else { l.next() });
    }
    merged.extend(l);
    merged.extend(r);
    Ok(merged)
}

/// The `k` largest elements of the last dimension, largest first, equal ones in order, and their positions.
pub(crate) fn top_k(call: &mut Call) -> Results {
    let operand = call.operand(0)?;
    let mut shape = operand.shape();
    let k = call.op.attrs.int("k").and_then(|k| usize::try_from(k).ok()).unwrap_or(0);
    let Some(length) = shape.last().copied() else { return Err(call.malformed("an operand of rank 0")) };
    call.check(k <= length, "k larger than the last dimension")?;
    *shape.last_mut().unwrap_or(&mut 0) = k;
    let mut values = call.alloc(&shape, operand.element())?;
    let mut positions = call.alloc(&shape, call.result_element(1)?)?;
    let rows = operand.len().checked_div(length).unwrap_or(0);
    for row in 0..rows {
        let elements: Vec<Scalar> = (0..length).map(|i| operand.get(row * length + i)).collect();
        let mut order: Vec<usize> = (0..length).collect();
        order.sort_by(|&a, &b| descending(elements[a], elements[b]));
        for (to, &from) in order.iter().take(k).enumerate() {
            values.set(row * k + to, elements[from]);
            positions.set(row * k + to, Scalar::Int(from as i128));
        }
    }
    Ok(vec![values, positions])
}

/// Largest first; NaN counts as largest.
fn descending(a: Scalar, b: Scalar) -> Ordering {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => b.total_cmp(&a),
        (a, b) => b.as_int().cmp(&a.as_int()),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::OpKind;

    #[test]
    fn sorts_keys_with_their_values_stably() {
        let keys = ints(&[5], I32, &[3, 1, 3, 0, 1]);
        let positions = ints(&[5], I32, &[0, 1, 2, 3, 4]);
        let body = [Body::compare("LT", &[I32; 4])];
        let types = [ty(&[5], I32), ty(&[5], I32)];
        let out = try_op(OpKind::Sort, &[("dimension", int(-1))], &[keys, positions], &types, &body).unwrap();
        assert_eq!(out[0].ints(), [0, 1, 1, 3, 3]);
        assert_eq!(out[1].ints(), [3, 1, 4, 0, 2]);
    }

    #[test]
    fn parts_of_a_sort_order_runs_and_keep_their_first() {
        let keys = || ints(&[2, 5], I32, &[3, 1, 2, 9, 4, 5, 6, 7, 1, 0]);
        let body = [Body::compare("LT", &[I32; 2])];
        let runs = [("dimension", int(1)), ("runs", int(3))];
        let out = try_op(OpKind::SortRuns, &runs, &[keys()], &[ty(&[2, 5], I32)], &body).unwrap();
        assert_eq!(out[0].ints(), [1, 2, 3, 4, 9, 5, 6, 7, 0, 1]);
        let kept = [("dimension", int(1)), ("runs", int(4)), ("keep", int(2))];
        let out = try_op(OpKind::SortRuns, &kept, &[keys()], &[ty(&[2, 3], I32)], &body).unwrap();
        assert_eq!(out[0].ints(), [1, 2, 4, 1, 5, 0]);
    }

    #[test]
    fn sorts_columns() {
        let m = ints(&[2, 2], I32, &[4, 1, 3, 2]);
        let body = [Body::compare("LT", &[I32; 2])];
        let out = try_op(OpKind::Sort, &[("dimension", int(0))], &[m], &[ty(&[2, 2], I32)], &body).unwrap();
        assert_eq!(out[0].ints(), [3, 1, 4, 2]);
    }

    #[test]
    fn top_two() {
        let out = op(
            OpKind::ChloTopK,
            &[("k", int(2))],
            &[f32s(&[4], &[1.0, 7.0, 7.0, 3.0])],
            &[ty(&[2], F32), ty(&[2], I32)],
        );
        assert_eq!((values(&out[0]), out[1].ints()), (vec![7.0, 7.0], vec![1, 2]));
    }
}

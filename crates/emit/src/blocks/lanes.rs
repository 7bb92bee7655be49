//! Partial results become one: lanes of a vector are folded pairwise, values of threads come by lane exchange.
//!
//! Worked example: 4 lanes: 2 + 2, then 1 + 1.

use super::fold::Fold;
use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::Value;

/// Folds the lanes of one point's accumulators: halves while the number is even, then one by one.
pub fn merge_lanes(e: &mut Emitter<'_>, fold: &dyn Fold, mut values: Vec<Value>) -> Result<Vec<Value>, EmitError> {
    loop {
        let lanes = values.iter().map(|v| v.ty.lanes).max().unwrap_or(1);
        if lanes == 1 {
            return Ok(values);
        }
        if lanes.is_multiple_of(2) {
            let low: Vec<Value> = values.iter().map(|&v| e.code.slice(v, 0, lanes / 2)).collect();
            let high: Vec<Value> = values.iter().map(|&v| e.code.slice(v, lanes / 2, lanes / 2)).collect();
            values = fold.merge(e, &low, &high)?;
            continue;
        }
        let mut result: Vec<Value> = values.iter().map(|&v| e.code.extract(v, 0)).collect();
        for lane in 1..lanes {
            let next: Vec<Value> = values.iter().map(|&v| e.code.extract(v, lane)).collect();
            result = fold.merge(e, &result, &next)?;
        }
        return Ok(result);
    }
}

/// Folds the lanes of several points' accumulators, one point behind the other; each point becomes a lane of the
/// results. A point's lanes are folded in the order of [`merge_lanes`], so the bits are the same.
///
/// Worked example: 2 points of 4 lanes: `[a0 a1 b0 b1] + [a2 a3 b2 b3]` is `[x0 x1 y0 y1]`, and `[x0 y0] + [x1 y1]` is
/// both sums.
pub fn merge_points(e: &mut Emitter<'_>, fold: &dyn Fold, all: &[Value]) -> Result<Vec<Value>, EmitError> {
    let mut points: Vec<Vec<Value>> = all.chunks(fold.operands()).map(<[Value]>::to_vec).collect();
    let lanes = all.iter().map(|v| v.ty.lanes).max().unwrap_or(1);
    let halves = lanes.is_power_of_two() && points.len().is_power_of_two() && points.len() <= lanes as usize;
    if points.len() == 1 || !halves || all.iter().any(|v| v.ty.lanes != lanes) {
        let merged: Result<Vec<_>, _> = points.into_iter().map(|point| merge_lanes(e, fold, point)).collect();
        let merged = merged?;
        let lanes_of = |operand| merged.iter().map(|point| point[operand]).collect::<Vec<_>>();
        return Ok((0..fold.operands()).map(|operand| e.code.assemble(&lanes_of(operand))).collect());
    }
    // Lanes of each point in a vector.
    let mut each = lanes;
    while each > 1 {
        each /= 2;
        let mut next = Vec::new();
        // Two vectors become one; the last one becomes shorter.
        for pair in points.chunks(2) {
            let width = pair.len() as u32 * pair[0][0].ty.lanes;
            let starts = |from: u32| (0..width).step_by(2 * each as usize).map(move |start| start + from);
            let order = |from: u32| starts(from).flat_map(|start| start..start + each).collect::<Vec<u32>>();
            let half = |e: &mut Emitter<'_>, from: u32| -> Vec<Value> {
                let last = pair.len() - 1;
                (0..pair[0].len()).map(|at| e.code.shuffle(pair[0][at], pair[last][at], &order(from))).collect()
            };
            let (low, high) = (half(e, 0), half(e, each));
            next.push(fold.merge(e, &low, &high)?);
        }
        points = next;
    }
    Ok(points.remove(0))
}

/// What the thread whose number differs in the bits of `mask` has.
pub fn exchange(e: &mut Emitter<'_>, values: &[Value], mask: u32) -> Vec<Value> {
    values
        .iter()
        .map(|&value| {
            let lanes: Vec<Value> = (0..value.ty.lanes)
                .map(|lane| {
                    let scalar = e.code.extract(value, lane);
                    e.abi.shuffle_xor(&mut e.code, scalar, mask)
                })
                .collect();
            e.code.assemble(&lanes)
        })
        .collect()
}

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

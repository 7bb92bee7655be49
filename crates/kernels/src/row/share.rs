//! Threads that share a row exchange their partial results, so that every one of them has the whole.
//!
//! First within a subgroup by lane exchange, then, where a row has several subgroups, one slot each in shared memory,
//! which every thread reads and folds in the same order. One barrier a reduction: each has slots of its own.
//!
//! Worked example: 256 threads share a row. After 5 exchanges each of 8 subgroups has its part; its first lane writes
//! it; barrier; all threads read 8 values (the same address for a whole subgroup) and fold them from first to last.
//!
//! Columns, 8 next to each other and 32 threads each: thread = 8·rank + column, so a subgroup of 32 has 4 ranks of
//! every column: exchanges across 8 and 16 threads, then 8 slots a column.

use super::cluster::Part;
use fornax_emit::blocks::fold::Fold;
use fornax_emit::blocks::lanes::exchange;
use fornax_emit::blocks::shared::{read_shared, write_shared};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Value};

/// A thread's place among those that share rows.
#[derive(Clone, Copy)]
pub struct Share {
    /// Its number among the threads of its row, and the number of its row in the workgroup.
    pub rank: Value,
    pub local: Value,
    pub threads: u32,
    pub rows: u32,
    /// Threads of a row are neighbours; else threads of the same rank are.
    pub across: bool,
    /// This workgroup's part of the row, where several share it.
    pub part: Option<Part>,
}

/// The whole results of a row, in all of its threads.
pub fn share(e: &mut Emitter<'_>, fold: &dyn Fold, mut values: Vec<Value>, s: Share) -> Result<Vec<Value>, EmitError> {
    let (subgroup, all) = (e.abi.subgroup, s.threads * s.rows);
    let step = if s.across { 1 } else { s.rows };
    // Ranks of a row that are in one subgroup.
    let together = if e.abi.shuffles && (all < subgroup || all.is_multiple_of(subgroup)) {
        s.threads.min((subgroup / step).max(1))
    } else {
        1
    };
    let mut mask = 1;
    while mask < together {
        let moved = exchange(e, &values, mask * step);
        values = if fold.is_symmetric() {
            fold.merge(e, &values, &moved)?
        } else {
            // Both sides must merge in the same order.
            let bit = e.code.and_k(s.rank, i64::from(mask));
            let first = e.code.cmp_ik("eq", bit, 0);
            let low: Vec<Value> = values.iter().zip(&moved).map(|(&a, &b)| e.code.select(first, a, b)).collect();
            let high: Vec<Value> = values.iter().zip(&moved).map(|(&a, &b)| e.code.select(first, b, a)).collect();
            fold.merge(e, &low, &high)?
        };
        mask *= 2;
    }
    if together == s.threads {
        return Ok(values);
    }
    through_memory(e, fold, values, s, together)
}

/// One part of `together` ranks a slot.
fn through_memory(
    e: &mut Emitter<'_>,
    fold: &dyn Fold,
    values: Vec<Value>,
    s: Share,
    together: u32,
) -> Result<Vec<Value>, EmitError> {
    let parts = s.threads / together;
    let slots = u64::from(parts) * u64::from(s.rows);
    let mut arrays = Vec::new();
    for value in &values {
        let memory = if value.ty.scalar == Scalar::I1 { Scalar::I8 } else { value.ty.scalar };
        arrays.push(e.abi.shared_array(&mut e.code, memory, slots * u64::from(value.ty.lanes)));
    }
    let part = e.code.int_k("arith.divui", s.rank, i64::from(together));
    let row = e.code.int_k("arith.muli", part, i64::from(s.rows));
    let own = e.code.add_i(row, s.local);
    if together > 1 {
        let rest = e.code.int_k("arith.remui", s.rank, i64::from(together));
        let first = e.code.cmp_ik("eq", rest, 0);
        e.code.begin_if(first, &[]);
        write_shared(e, &arrays, own, &values);
        e.code.end_if(&[]);
    } else {
        write_shared(e, &arrays, own, &values);
    }
    e.abi.barrier(&mut e.code);
    let mut whole = read_shared(e, &arrays, s.local, &values);
    for part in 1..i64::from(parts) {
        let slot = e.code.add_ik(s.local, part * i64::from(s.rows));
        let next = read_shared(e, &arrays, slot, &values);
        whole = fold.merge(e, &whole, &next)?;
    }
    Ok(whole)
}

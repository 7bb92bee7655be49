//! Rows whose workgroups go from one to the next, the next row under way while the present one is worked on.
//!
//! A workgroup that holds a long row reads it, waits, computes, and stores: memory rests while it computes, unless
//! another workgroup of the multiprocessor reads. Of rows of 32,768 bf16 there is room for one. Here a workgroup starts
//! to read its next row before it computes, into registers of their own, as 32-bit words: narrow elements stay narrow
//! until they are used. Shared memory needs no barrier more than the folds have: with two folds, whoever writes the
//! slots of the first again has met all that read them at the second.
//!
//! Worked example, softmax of [2048, 32768] bf16: 132 workgroups of 512 threads, 8 vectors of 8 a thread: 32 words of
//! the next row and 64 exponentials of this one. Workgroup 5 has the rows 5, 137, 269, …

use super::emit::Row;
use super::packed;
use super::share::Share;
use super::walk::Walk;
use fornax_emit::blocks::count::Count;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Refuses schedules whose rows cannot be read ahead.
pub fn check(e: &Emitter<'_>, row: &Row<'_>) -> Result<(), EmitError> {
    let s = &row.schedule;
    let known = matches!(row.total, Count::Known(_));
    if s.ahead == 0 || s.held && s.rows == 1 && s.adjacent && known {
        return Ok(());
    }
    Err(e.unfit("rows that cannot be read ahead"))
}

/// A workgroup's rows, from its first on.
pub fn rows(row: &Row<'_>, e: &mut Emitter<'_>, first: Value, share: Share) -> Result<(), EmitError> {
    let Count::Known(total) = row.total else { return Err(e.malformed("rows without a number are read ahead")) };
    let roots = row.element_roots();
    let loads = row.streams(e, &roots);
    let ty = e.index_ty();
    let (end, by) = (e.code.int(ty, total), e.code.int(ty, i64::from(row.schedule.ahead)));
    let last = e.code.int(ty, total - 1);
    row.bind_row(e, first);
    let mut chunks = row.own_chunks(e, share);
    let words = packed::read(row, e, &chunks, &loads)?;
    let open = e.code.begin_for(first, end, by, &words);
    let next = e.code.add_i(open.iv, by);
    // After its last row, some row again.
    let next = e.code.binary("arith.minsi", next, last);
    row.bind_row(e, next);
    let words = packed::read(row, e, &chunks, &loads)?;
    row.bind_row(e, open.iv);
    packed::hold(row, e, &mut chunks, &loads, open.carried.clone())?;
    let walk = Walk::Held(chunks);
    row.fold_all(e, &walk, Some(share))?;
    // A single fold has only its own slots: they are free when all have read them.
    row.store(e, &walk, Some(share), None)?;
    if row.folds.len() < 2 {
        e.abi.barrier(&mut e.code);
    }
    e.code.end_for(open, &words);
    Ok(())
}

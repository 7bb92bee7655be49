//! Sorts on CPUs: a workgroup is one thread. Blocks are sorted bottom-up between two halves of a local array; longer
//! runs are merged from memory to memory, one tile of the result a workgroup.
//!
//! Worked example: a row of 1000 f32 in a block of 2048 slots: 10 rounds of merges, runs of 1, 2, …, 512, from one half
//! of 4096 slots to the other and back; the first 1000 are stored.

use super::emit::Sorter;
use fornax_emit::blocks::shared::memory;
use fornax_emit::blocks::shared::write_shared;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Sorts runs from scratch, as many a workgroup as fit the slots.
pub(super) fn blocks(e: &mut Emitter<'_>, sorter: &Sorter<'_>, slots: i64) -> Result<(), EmitError> {
    let runs = sorter.runs;
    let ty = e.index_ty();
    let arrays: Vec<Value> = sorter.types.iter().map(|ty| local_array(e, memory(ty.scalar), 2 * slots)).collect();
    let together = slots / runs.padded();
    let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let low = e.code.int_k("arith.muli", group, together);
    let end = e.code.add_ik(low, together);
    let total = e.code.int(ty, runs.lines * runs.count);
    let high = e.code.binary("arith.minsi", end, total);
    let (zero, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
    let each = e.code.begin_for(low, high, one, &[]);
    let run = e.code.int_k("arith.remui", each.iv, runs.count);
    let line = e.code.int_k("arith.divui", each.iv, runs.count);
    sorter.bind_line(e, line);
    let start = e.code.int_k("arith.muli", run, runs.run);
    let full = e.code.int(ty, runs.line);
    let left = e.code.sub_i(full, start);
    let most = e.code.int(ty, runs.run);
    let count = e.code.binary("arith.minsi", left, most);
    let load = e.code.begin_for(zero, count, one, &[]);
    let place = e.code.add_i(start, load.iv);
    let values = sorter.global(e, place, &sorter.all())?;
    write_shared(e, &arrays, load.iv, &values);
    e.code.end_for(load, &[]);
    let half = merge_rounds(e, sorter, &arrays, (count, slots))?;
    let keep = e.code.int(ty, runs.keep);
    let kept = e.code.binary("arith.minsi", count, keep);
    let target = e.code.int_k("arith.muli", run, runs.keep);
    let store = e.code.begin_for(zero, kept, one, &[]);
    let slot = e.code.add_i(half, store.iv);
    let values = sorter.local(e, &arrays, slot, &sorter.all());
    let place = e.code.add_i(target, store.iv);
    sorter.store(e, place, &values)?;
    e.code.end_for(store, &[]);
    e.code.end_for(each, &[]);
    Ok(())
}

/// Merges runs of 1, 2, 4, … of `count` elements between the halves of the arrays; where the sorted half starts.
fn merge_rounds(
    e: &mut Emitter<'_>,
    sorter: &Sorter<'_>,
    arrays: &[Value],
    (count, slots): (Value, i64),
) -> Result<Value, EmitError> {
    let ty = count.ty;
    let (zero, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
    let open = e.code.begin_while(&[one, zero]);
    let more = e.code.cmp_i("slt", open.carried[0], count);
    let rounds = e.code.do_while(open, more);
    let (width, half) = (rounds.carried[0], rounds.carried[1]);
    let all = e.code.int(ty, slots);
    let other = e.code.sub_i(all, half);
    let pair = e.code.add_i(width, width);
    let pairs = e.code.begin_for(zero, count, pair, &[]);
    let middle = e.code.add_i(pairs.iv, width);
    let middle = e.code.binary("arith.minsi", middle, count);
    let end = e.code.add_i(pairs.iv, pair);
    let end = e.code.binary("arith.minsi", end, count);
    let merge = e.code.begin_for(pairs.iv, end, one, &[pairs.iv, middle]);
    let heads = merge.carried.clone();
    let last = e.code.add_ik(count, -1);
    let read = |e: &mut Emitter<'_>, place: Value, which: &[usize]| -> Result<Vec<Value>, EmitError> {
        let slot = e.code.add_i(half, place);
        Ok(sorter.local(e, arrays, slot, which))
    };
    let (source, next) = step(e, sorter, &heads, Ends { middle, end, last }, &read)?;
    let values = read(e, source, &sorter.all())?;
    let target = e.code.add_i(other, merge.iv);
    write_shared(e, arrays, target, &values);
    e.code.end_for(merge, &next);
    e.code.end_for(pairs, &[]);
    Ok(e.code.end_for(rounds, &[pair, other])[1])
}

/// Where two runs that are merged end.
struct Ends {
    /// Behind the first run.
    middle: Value,
    /// Behind the second run.
    end: Value,
    /// No place beyond this one is read.
    last: Value,
}

/// One element of a merge of two runs: where it is, and the heads after it.
fn step(
    e: &mut Emitter<'_>,
    sorter: &Sorter<'_>,
    heads: &[Value],
    Ends { middle, end, last }: Ends,
    read: super::emit::Read<'_>,
) -> Result<(Value, Vec<Value>), EmitError> {
    let (a, b) = (heads[0], heads[1]);
    let (a_left, b_left) = (e.code.cmp_i("slt", a, middle), e.code.cmp_i("slt", b, end));
    let mut keys = Vec::new();
    for head in [a, b] {
        let place = e.code.binary("arith.minsi", head, last);
        keys.push(read(e, place, &sorter.keys)?);
    }
    let takes_b = sorter.takes_b(e, (&keys[0], &keys[1]), (a_left, b_left))?;
    let source = e.code.select(takes_b, b, a);
    let (a_after, b_after) = (e.code.add_ik(a, 1), e.code.add_ik(b, 1));
    let next = vec![e.code.select(takes_b, a, a_after), e.code.select(takes_b, b_after, b)];
    Ok((source, next))
}

/// One tile of the merge of two neighbouring runs.
pub(super) fn merge(e: &mut Emitter<'_>, sorter: &Sorter<'_>, slots: i64) -> Result<(), EmitError> {
    let ty = e.index_ty();
    let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let part = sorter.part(e, group, slots);
    let read = |e: &mut Emitter<'_>, place: Value, which: &[usize]| sorter.global(e, place, which);
    let of_a = sorter.search(e, (part.a, part.b), part.low, &read)?;
    let of_b = e.code.sub_i(part.low, of_a);
    let a = e.code.add_i(part.a.start, of_a);
    let b = e.code.add_i(part.b.start, of_b);
    let middle = part.b.start;
    let end = e.code.add_i(middle, part.b.count);
    let last = e.code.int(ty, sorter.runs.line - 1);
    let one = e.code.int(ty, 1);
    let merge = e.code.begin_for(part.low, part.high, one, &[a, b]);
    let heads = merge.carried.clone();
    let (source, next) = step(e, sorter, &heads, Ends { middle, end, last }, &read)?;
    let values = sorter.global(e, source, &sorter.all())?;
    let from_low = e.code.sub_i(merge.iv, part.low);
    let place = e.code.add_i(part.first, from_low);
    sorter.store(e, place, &values)?;
    e.code.end_for(merge, &next);
    Ok(())
}

/// An array of the thread's own.
fn local_array(e: &mut Emitter<'_>, scalar: Scalar, elements: i64) -> Value {
    let count = e.code.int(Ty::scalar(Scalar::I64), elements);
    let ty = Ty::scalar(Scalar::Ptr(0));
    e.code.effect(ty, &format!("llvm.alloca {count} x {scalar} {{alignment = 64 : i64}} : (i64) -> !llvm.ptr"))
}

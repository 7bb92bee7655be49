//! `Body::Count` and `Body::Distribute`: a pass of a radix sort; a workgroup works on one tile of one line.
//!
//! GPU: a subgroup takes a run of neighbouring elements, 32 at a time. Its lanes vote on each bit of their digits,
//! which tells every lane which others have the same digit: how many come before it, and, for the first of them, how
//! many there are, to be added to the subgroup's own counter. Counters of one digit are then added up over the
//! subgroups, and (to distribute) over the digits, which gives every element its slot in the tile in sorted order.
//! Elements go through shared memory to their slots, so that those of one digit, which are neighbours in the result,
//! are written by neighbouring threads. Where elements are only counted, each is an atomic addition to its subgroup's
//! counter: integers, so that their order does not matter.
//!
//! With one thread a workgroup (CPUs, GPUs without votes) counters live in an array, one element after another.
//!
//! Worked example: 16,777,216 f32, tiles of 4096, 8 subgroups of 16 · 32 elements: 4096 workgroups; a digit has about
//! 16 elements in a tile, 64 bytes.

use super::schedule::RadixSchedule;
use fornax_plan::radix::{DIGIT_BITS, DIGITS, Digits};
use fornax_plan::{Body, NodeId, VarId};

use fornax_emit::blocks::shared::memory;
use fornax_emit::blocks::shared::{read_shared, write_shared};
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);

/// What a thread knows when the digits of a tile are counted.
struct Counts {
    /// Threads of the workgroup.
    threads: i64,
    thread: Value,
    subgroup: Value,
    lane: Value,
    /// Shared counters, one for each subgroup and digit.
    counters: Value,
    /// The first counter of the own subgroup.
    row: Value,
    /// Elements of the tile that have the thread's digit.
    total: Value,
    /// Elements of the tile.
    count: Value,
}

/// A pass over the tile of a workgroup.
struct Pass<'a> {
    digits: &'a Digits,
    /// Elements to move and where their digit and tile start; nothing to count.
    moved: Option<(&'a [NodeId], NodeId, VarId)>,
    /// The tile's number, its first element and how many it has.
    tile: Value,
    first: Value,
    count: Value,
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: RadixSchedule) -> Result<(), EmitError> {
    let plan = e.plan;
    let (digits, moved) = match &plan.body {
        Body::Count { digits, .. } => (digits, None),
        Body::Distribute { digits, along, operands, start, .. } => {
            (digits, Some((operands.as_slice(), *start, *along)))
        }
        _ => return Err(e.malformed("not a pass of a radix sort")),
    };
    let line = e.exprs.indices.extent(digits.source).max(1);
    let index = e.index_ty();
    let tiles = (line + digits.tile - 1) / digits.tile;
    let group = e.abi.workgroup_id(&mut e.code, index.scalar);
    let tile = e.code.int_k("arith.remui", group, tiles);
    let mut rest = e.code.int_k("arith.divui", group, tiles);
    for (at, &var) in plan.radix_lines().iter().enumerate().rev() {
        let extent = e.exprs.indices.extent(var);
        let value = if at == 0 { rest } else { e.code.int_k("arith.remui", rest, extent) };
        rest = e.code.int_k("arith.divui", rest, extent);
        e.bind(var, Some(value), 1, 0);
    }
    let first = e.code.int_k("arith.muli", tile, digits.tile);
    let end = e.code.int(index, line);
    let left = e.code.sub_i(end, first);
    let most = e.code.int(index, digits.tile);
    let count = e.code.binary("arith.minsi", left, most);
    e.lanes = 1;
    let pass = Pass { digits, moved, tile, first, count };
    if schedule.threads == 1 {
        return pass.serial(e);
    }
    let whole = digits.tile % i64::from(schedule.threads) == 0 && e.abi.subgroup == 32;
    if i64::from(schedule.threads) != DIGITS || !e.abi.shuffles || !whole {
        return Err(e.unfit(format!("{} threads for a tile of {}", schedule.threads, digits.tile)));
    }
    pass.by_votes(e, i64::from(schedule.threads))
}

impl Pass<'_> {
    fn bind_source(&self, e: &mut Emitter<'_>, within: Value) {
        let within = e.code.resize_u(within, e.index);
        let place = e.code.add_i(self.first, within);
        e.bind(self.digits.source, Some(place), 1, 0);
    }

    /// Stores what `Node::Reduced(i)` are at a point of the domain.
    fn store(&self, e: &mut Emitter<'_>, values: &[Value]) -> Result<(), EmitError> {
        for (at, &value) in values.iter().enumerate() {
            e.set_slot(Slot::Reduced(at as u32), value);
        }
        let stores = e.plan.body.stores();
        let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
        for (store, value) in stores.iter().zip(values) {
            e.store(store.buffer, store.offset, value)?;
        }
        Ok(())
    }

    fn bind_digit(&self, e: &mut Emitter<'_>, digit: Value) {
        let digit = e.code.resize_u(digit, e.index);
        e.bind(self.digits.digit_var, Some(digit), 1, 0);
        e.bind(self.digits.tile_var, Some(self.tile), 1, 0);
    }

    /// One thread, one element after another.
    fn serial(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let index = e.index_ty();
        let counters = if e.abi.is_gpu() {
            e.abi.shared_array(&mut e.code, Scalar::I32, DIGITS as u64)
        } else {
            let count = e.code.int(Ty::scalar(Scalar::I64), DIGITS);
            let ty = Ty::scalar(Scalar::Ptr(0));
            e.code.effect(ty, &format!("llvm.alloca {count} x i32 {{alignment = 64 : i64}} : (i64) -> !llvm.ptr"))
        };
        let (zero, one, all) = (e.code.int(index, 0), e.code.int(index, 1), e.code.int(index, DIGITS));
        let open = e.code.begin_for(zero, all, one, &[]);
        let start = match self.moved {
            None => e.code.int(I32, 0),
            Some((_, start, _)) => {
                self.bind_digit(e, open.iv);
                e.eval(start)?
            }
        };
        write_shared(e, &[counters], open.iv, &[start]);
        e.code.end_for(open, &[]);
        let open = e.code.begin_for(zero, self.count, one, &[]);
        self.bind_source(e, open.iv);
        let digit = e.eval(self.digits.digit)?;
        let present = read_shared(e, &[counters], digit, &[digit])[0];
        let next = e.code.add_ik(present, 1);
        write_shared(e, &[counters], digit, &[next]);
        if let Some((operands, _, along)) = self.moved {
            let values = operands.iter().map(|&n| e.eval(n)).collect::<Result<Vec<_>, _>>()?;
            let place = e.code.resize_u(present, index.scalar);
            e.bind(along, Some(place), 1, 0);
            self.store(e, &values)?;
        }
        e.code.end_for(open, &[]);
        if self.moved.is_none() {
            let open = e.code.begin_for(zero, all, one, &[]);
            let zero32 = e.code.int(I32, 0);
            let total = read_shared(e, &[counters], open.iv, &[zero32])[0];
            self.bind_digit(e, open.iv);
            self.store(e, &[total])?;
            e.code.end_for(open, &[]);
        }
        Ok(())
    }

    /// A thread a digit.
    fn by_votes(&self, e: &mut Emitter<'_>, threads: i64) -> Result<(), EmitError> {
        let subgroups = threads / 32;
        let items = self.digits.tile / threads;
        let thread = e.abi.thread_id(&mut e.code);
        let own = e.code.int_k("arith.divui", thread, 32);
        let lane = e.code.int_k("arith.remui", thread, 32);
        let counters = e.abi.shared_array(&mut e.code, Scalar::I32, (subgroups * DIGITS) as u64);
        let zero = e.code.int(I32, 0);
        for at in 0..subgroups {
            let slot = e.code.add_ik(thread, at * DIGITS);
            write_shared(e, &[counters], slot, &[zero]);
        }
        e.abi.barrier(&mut e.code);
        let count = e.code.resize_u(self.count, Scalar::I32);
        let base = e.code.int_k("arith.muli", own, items * 32);
        let base = e.code.add_i(base, lane);
        let row = e.code.int_k("arith.muli", own, DIGITS);
        let mut loaded = Vec::new();
        for at in 0..items {
            let within = e.code.add_ik(base, at * 32);
            let exists = e.code.cmp_i("ult", within, count);
            let last = e.code.add_ik(count, -1);
            let within = e.code.binary("arith.minsi", within, last);
            self.bind_source(e, within);
            let digit = e.eval(self.digits.digit)?;
            let mut values = Vec::new();
            for &operand in self.moved.map_or(&[][..], |m| m.0) {
                values.push(e.eval(operand)?);
            }
            loaded.push((exists, digit, values));
        }
        let mut ranks = Vec::new();
        for &(exists, digit, _) in &loaded {
            match self.moved {
                Some(_) => ranks.push(self.rank(e, (exists, digit), (counters, row), lane)),
                None => count_one(e, (exists, digit), (counters, row)),
            }
        }
        e.abi.barrier(&mut e.code);
        // Thread d has digit d: what lies before each subgroup, and all.
        let mut total = zero;
        for at in 0..subgroups {
            let slot = e.code.add_ik(thread, at * DIGITS);
            let own = read_shared(e, &[counters], slot, &[zero])[0];
            if self.moved.is_some() {
                write_shared(e, &[counters], slot, &[total]);
            }
            total = e.code.add_i(total, own);
        }
        if self.moved.is_none() {
            self.bind_digit(e, thread);
            return self.store(e, &[total]);
        }
        let items: Vec<(Value, Value, Value, Vec<Value>)> = loaded
            .into_iter()
            .zip(ranks)
            .map(|((exists, digit, values), rank)| (exists, digit, rank, values))
            .collect();
        let counts = Counts { threads, thread, subgroup: own, lane, counters, row, total, count };
        self.distribute(e, &items, &counts)
    }

    /// How many elements of the subgroup with the same digit come before this lane's, among those counted so far;
    /// counts them.
    fn rank(
        &self,
        e: &mut Emitter<'_>,
        (exists, digit): (Value, Value),
        (counters, row): (Value, Value),
        lane: Value,
    ) -> Value {
        let all = e.code.int(I32, -1);
        let ballot = |e: &mut Emitter<'_>, vote: Value| {
            e.code.effect(I32, &format!("nvvm.vote.sync ballot {all}, {vote} -> i32"))
        };
        let mut peers = ballot(e, exists);
        for bit in 0..DIGIT_BITS {
            let own = e.code.and_k(digit, 1 << bit);
            let set = e.code.cmp_ik("ne", own, 0);
            let votes = ballot(e, set);
            let others = e.code.not(votes);
            let same = e.code.select(set, votes, others);
            peers = e.code.and(peers, same);
        }
        let one = e.code.int(I32, 1);
        let below = e.code.shl(one, lane);
        let below = e.code.add_ik(below, -1);
        let before = e.code.and(peers, below);
        let before = e.code.unary("math.ctpop", before);
        let together = e.code.unary("math.ctpop", peers);
        let slot = e.code.add_i(row, digit);
        let counted = read_shared(e, &[counters], slot, &[before])[0];
        e.code.line(&format!("nvvm.bar.warp.sync {all} : i32"));
        let is_first = e.code.cmp_ik("eq", before, 0);
        let counts = e.code.and(is_first, exists);
        e.code.begin_if(counts, &[]);
        let next = e.code.add_i(counted, together);
        write_shared(e, &[counters], slot, &[next]);
        e.code.end_if(&[]);
        e.code.line(&format!("nvvm.bar.warp.sync {all} : i32"));
        e.code.add_i(counted, before)
    }

    /// Elements to their slots of the sorted tile, and from there to the result.
    fn distribute(
        &self,
        e: &mut Emitter<'_>,
        items: &[(Value, Value, Value, Vec<Value>)],
        counts: &Counts,
    ) -> Result<(), EmitError> {
        let &Counts { threads, thread, counters, row, count, .. } = counts;
        let Some((operands, start, along)) = self.moved else { return Err(e.malformed("nothing to move")) };
        let slots = self.digits.tile as u64;
        let starts = e.abi.shared_array(&mut e.code, Scalar::I32, DIGITS as u64);
        let places = e.abi.shared_array(&mut e.code, Scalar::I32, DIGITS as u64);
        let sums = e.abi.shared_array(&mut e.code, Scalar::I32, (threads / 32) as u64);
        let first = self.digits_before(e, counts, sums);
        self.bind_digit(e, thread);
        let place = e.eval(start)?;
        let place = e.code.sub_i(place, first);
        write_shared(e, &[starts, places], thread, &[first, place]);
        e.abi.barrier(&mut e.code);
        let scalars: Vec<Scalar> =
            items.first().map_or_else(Vec::new, |i| i.3.iter().map(|v| memory(v.ty.scalar)).collect());
        let mut arrays = vec![e.abi.shared_array(&mut e.code, Scalar::I8, slots)];
        arrays.extend(scalars.iter().map(|&s| e.abi.shared_array(&mut e.code, s, slots)));
        for (exists, digit, rank, values) in items {
            e.code.begin_if(*exists, &[]);
            let counter = e.code.add_i(row, *digit);
            let before = read_shared(e, &[counters], counter, &[*digit])[0];
            let start = read_shared(e, &[starts], *digit, &[*digit])[0];
            let slot = e.code.add_i(before, start);
            let slot = e.code.add_i(slot, *rank);
            let mut all = vec![e.code.resize_u(*digit, Scalar::I8)];
            all.extend(values);
            write_shared(e, &arrays, slot, &all);
            e.code.end_if(&[]);
        }
        e.abi.barrier(&mut e.code);
        let Some((_, digit, _, like)) = items.first() else { return Err(e.malformed("an empty tile")) };
        let mut types = vec![Value { id: digit.id, ty: Ty::scalar(Scalar::I8) }];
        types.extend(like);
        debug_assert_eq!(operands.len() + 1, types.len());
        for at in 0..self.digits.tile / threads {
            let slot = e.code.add_ik(thread, at * threads);
            let inside = e.code.cmp_i("ult", slot, count);
            e.code.begin_if(inside, &[]);
            let values = read_shared(e, &arrays, slot, &types);
            let digit = e.code.resize_u(values[0], Scalar::I32);
            let place = read_shared(e, &[places], digit, &[digit])[0];
            let place = e.code.add_i(place, slot);
            let place = e.code.resize_u(place, e.index);
            e.bind(along, Some(place), 1, 0);
            self.store(e, &values[1..])?;
            e.code.end_if(&[]);
        }
        Ok(())
    }

    /// The sum of the totals of lower threads.
    fn digits_before(&self, e: &mut Emitter<'_>, counts: &Counts, sums: Value) -> Value {
        let &Counts { threads, thread, subgroup: own, lane, total, .. } = counts;
        let zero = e.code.int(I32, 0);
        let (mut before, mut all) = (zero, total);
        let mut mask = 1;
        while mask < 32 {
            let other = e.abi.shuffle_xor(&mut e.code, all, mask);
            let bit = e.code.and_k(thread, i64::from(mask));
            let upper = e.code.cmp_ik("ne", bit, 0);
            let after = e.code.add_i(before, other);
            before = e.code.select(upper, after, before);
            all = e.code.add_i(all, other);
            mask *= 2;
        }
        let writes = e.code.cmp_ik("eq", lane, 0);
        e.code.begin_if(writes, &[]);
        write_shared(e, &[sums], own, &[all]);
        e.code.end_if(&[]);
        e.abi.barrier(&mut e.code);
        for at in 0..threads / 32 {
            let slot = e.code.int(I32, at);
            let sum = read_shared(e, &[sums], slot, &[zero])[0];
            let lower = e.code.cmp_ik("ugt", own, at);
            let sum = e.code.select(lower, sum, zero);
            before = e.code.add_i(before, sum);
        }
        before
    }
}

/// Adds one to the subgroup's counter of a digit.
fn count_one(e: &mut Emitter<'_>, (exists, digit): (Value, Value), (counters, row): (Value, Value)) {
    let (slot, one) = (e.code.add_i(row, digit), e.code.int(I32, 1));
    e.code.begin_if(exists, &[]);
    let ty = counters.ty;
    let pointer = e.code.pure(ty, format!("llvm.getelementptr inbounds {counters}[{slot}] : ({ty}, i32) -> {ty}, i32"));
    e.code.effect(I32, &format!("llvm.atomicrmw add {pointer}, {one} syncscope(\"block\") monotonic : {ty}, i32"));
    e.code.end_if(&[]);
}

//! `Body::Sort`: stable merge sorts with any comparator and any number of operands.
//!
//! Short runs (`from` = 1) are sorted in shared memory, several a workgroup where they are short: every thread sorts
//! its few items in registers by an odd-even network, then runs of 2, 4, … threads are merged, each thread finding its
//! part of the merged run by a binary search along its diagonal. Longer runs are merged from global memory, one tile of
//! the result a workgroup: two threads search the tile's ends, the tile's elements come to shared memory, and the same
//! merge follows. Both store tiles in order. Only operands that the comparator reads are looked at before the others
//! move.
//!
//! Worked example: rows of 100,000 f32 with their i32 positions: 49 runs of 2048 a row by one kernel, then 6 merges, to
//! 4096, …, 131,072. In the block sort, 512 threads × 4 items: a network of 6 comparisons, then 9 merges of 4 outputs a
//! thread.

use crate::sort::schedule::SortSchedule;
use fornax_plan::ordered::Runs;
use fornax_plan::{Body, NodeId, Store, VarId};

use super::cpu;
use fornax_emit::blocks::shared::{memory, read_shared, write_shared};
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Items of a thread, at most: they live in registers.
const ITEMS_MAX: u32 = 16;

/// A sort being emitted.
pub(super) struct Sorter<'a> {
    pub along: VarId,
    pub source: VarId,
    pub operands: &'a [NodeId],
    pub before: NodeId,
    /// Operands that the comparator reads.
    pub keys: Vec<usize>,
    pub from: i64,
    pub to: i64,
    pub runs: Runs,
    pub line_vars: Vec<VarId>,
    pub stores: &'a [Store],
    /// Types of the operands in registers.
    pub types: Vec<Ty>,
}

/// A run or a part of one: where it starts and how many elements it has.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub start: Value,
    pub count: Value,
}

/// Reads the operands in a list at a place.
pub(super) type Read<'r> = &'r dyn Fn(&mut Emitter<'_>, Value, &[usize]) -> Result<Vec<Value>, EmitError>;

/// Emits the body.
pub fn emit<'a>(e: &mut Emitter<'a>, schedule: &SortSchedule) -> Result<(), EmitError> {
    let sorter = Sorter::new(e)?;
    if !schedule.items.is_power_of_two() || schedule.threads == 0 || schedule.threads > e.target.max_threads_per_block {
        return Err(e.unfit(format!("{} threads with {} items each", schedule.threads, schedule.items)));
    }
    let slots = schedule.slots();
    let blocks = sorter.from <= 1;
    let whole = if blocks { slots % sorter.runs.padded() == 0 } else { sorter.from % slots == 0 };
    if !whole || !e.abi.is_gpu() && schedule.threads != 1 {
        return Err(e.unfit(format!("{slots} slots for runs of {} to {}", sorter.from, sorter.to)));
    }
    if !e.abi.is_gpu() {
        return if blocks { cpu::blocks(e, &sorter, slots) } else { cpu::merge(e, &sorter, slots) };
    }
    let items = i64::from(schedule.items);
    if schedule.items > ITEMS_MAX || blocks && items > sorter.runs.padded() || !schedule.threads.is_power_of_two() {
        return Err(e.unfit(format!("{} items a thread", schedule.items)));
    }
    let arrays = sorter.types.iter().map(|ty| memory(ty.scalar)).collect::<Vec<_>>();
    let bytes: i64 = arrays.iter().map(|s| slots * i64::from(s.bits() / 8)).sum();
    if bytes + 16 > i64::from(e.target.static_shared_bytes_max) {
        return Err(e.unfit(format!("{bytes} bytes of shared memory")));
    }
    let arrays: Vec<Value> = arrays.iter().map(|&s| e.abi.shared_array(&mut e.code, s, slots as u64)).collect();
    let tile = Tile { sorter: &sorter, arrays, threads: i64::from(schedule.threads), items };
    if blocks { tile.blocks(e) } else { tile.merge(e) }
}

impl<'a> Sorter<'a> {
    fn new(e: &mut Emitter<'a>) -> Result<Sorter<'a>, EmitError> {
        let plan = e.plan;
        let Body::Sort { along, source, operands, before, from, to, stores, .. } = &plan.body else {
            return Err(e.malformed("not a sort"));
        };
        let Some(runs) = plan.runs() else { return Err(e.malformed("a sort without runs")) };
        let mut types = Vec::new();
        for &operand in operands {
            let scalar = e.register_scalar(e.exprs.element(operand))?;
            types.push(Ty::scalar(scalar));
        }
        let compared = e.reachable(&[*before]);
        let mut keys = Vec::new();
        for at in 0..operands.len() {
            let read = compared.iter().any(|&n| match *e.exprs.node(n) {
                fornax_plan::Node::Running { index, .. } | fornax_plan::Node::Incoming { index, .. } => {
                    index as usize == at
                }
                _ => false,
            });
            if read {
                keys.push(at);
            }
        }
        Ok(Sorter {
            along: *along,
            source: *source,
            operands,
            before: *before,
            keys,
            from: *from,
            to: *to,
            runs,
            line_vars: plan.line_vars(),
            stores,
            types,
        })
    }

    pub fn all(&self) -> Vec<usize> {
        (0..self.operands.len()).collect()
    }

    /// Binds the variables of a line to the digits of its number.
    pub fn bind_line(&self, e: &mut Emitter<'_>, line: Value) {
        let mut rest = line;
        for (at, &var) in self.line_vars.iter().enumerate().rev() {
            let value = if at == 0 {
                rest
            } else {
                let extent = e.exprs.indices.extent(var);
                e.next_digit(&mut rest, extent)
            };
            e.bind(var, Some(value), 1, 0);
        }
    }

    /// Operands at a place of the line in global memory.
    pub fn global(&self, e: &mut Emitter<'_>, place: Value, which: &[usize]) -> Result<Vec<Value>, EmitError> {
        e.lanes = 1;
        let place = e.code.resize_s(place, e.index);
        e.bind(self.source, Some(place), 1, 0);
        which.iter().map(|&at| e.eval(self.operands[at])).collect()
    }

    /// Operands at a slot of arrays.
    pub fn local(&self, e: &mut Emitter<'_>, arrays: &[Value], slot: Value, which: &[usize]) -> Vec<Value> {
        let arrays: Vec<Value> = which.iter().map(|&at| arrays[at]).collect();
        let like: Vec<Value> = which.iter().map(|&at| Value { id: 0, ty: self.types[at] }).collect();
        read_shared(e, &arrays, slot, &like)
    }

    /// Whether the element with keys `a` comes before the one with keys `b`.
    pub fn comes_before(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Value, EmitError> {
        for ((&at, &a), &b) in self.keys.iter().zip(a).zip(b) {
            e.set_slot(Slot::Running(at as u32), a);
            e.set_slot(Slot::Incoming(at as u32), b);
        }
        e.eval(self.before)
    }

    /// How many elements of `a` are among the first `diagonal` of the merged `a` and `b`.
    pub fn search(
        &self,
        e: &mut Emitter<'_>,
        (a, b): (Run, Run),
        diagonal: Value,
        read: Read<'_>,
    ) -> Result<Value, EmitError> {
        let zero = e.code.int(diagonal.ty, 0);
        let least = e.code.sub_i(diagonal, b.count);
        let low = e.code.binary("arith.maxsi", least, zero);
        let high = e.code.binary("arith.minsi", diagonal, a.count);
        let open = e.code.begin_while(&[low, high]);
        let more = e.code.cmp_i("slt", open.carried[0], open.carried[1]);
        let body = e.code.do_while(open, more);
        let (low, high) = (body.carried[0], body.carried[1]);
        let sum = e.code.add_i(low, high);
        let middle = e.code.shr_uk(sum, 1);
        let of_a = e.code.add_i(a.start, middle);
        let of_b = e.code.sub_i(diagonal, middle);
        let of_b = e.code.add_ik(of_b, -1);
        let of_b = e.code.add_i(b.start, of_b);
        let a_keys = read(e, of_a, &self.keys)?;
        let b_keys = read(e, of_b, &self.keys)?;
        let later_first = self.comes_before(e, &b_keys, &a_keys)?;
        let above = e.code.add_ik(middle, 1);
        let low = e.code.select(later_first, low, above);
        let high = e.code.select(later_first, middle, high);
        Ok(e.code.end_for(body, &[low, high])[0])
    }

    /// Whether the next element of the merged run is `b`'s, given the heads' keys and whether they exist.
    pub fn takes_b(
        &self,
        e: &mut Emitter<'_>,
        (a_keys, b_keys): (&[Value], &[Value]),
        (a_left, b_left): (Value, Value),
    ) -> Result<Value, EmitError> {
        let first = self.comes_before(e, b_keys, a_keys)?;
        let none = e.code.not(a_left);
        let wanted = e.code.or(first, none);
        Ok(e.code.and(b_left, wanted))
    }

    /// Stores the element with these operands at a place of the result's line.
    pub fn store(&self, e: &mut Emitter<'_>, place: Value, values: &[Value]) -> Result<(), EmitError> {
        e.lanes = 1;
        for (at, &value) in values.iter().enumerate() {
            e.set_slot(Slot::Reduced(at as u32), value);
        }
        let place = e.code.resize_s(place, e.index);
        e.bind(self.along, Some(place), 1, 0);
        let values = self.stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
        for (store, value) in self.stores.iter().zip(values) {
            e.store(store.buffer, store.offset, value)?;
        }
        Ok(())
    }
}

/// A GPU workgroup's tile in shared memory.
struct Tile<'s, 'a> {
    sorter: &'s Sorter<'a>,
    arrays: Vec<Value>,
    threads: i64,
    items: i64,
}

/// A thread's items: their operands.
type Items = Vec<Vec<Value>>;

impl Tile<'_, '_> {
    /// Sorts runs from scratch.
    fn blocks(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let sorter = self.sorter;
        let runs = sorter.runs;
        let padded = runs.padded();
        let (each, together) = (padded / self.items, self.threads * self.items / padded);
        let index = e.index;
        let group = e.abi.workgroup_id(&mut e.code, index);
        let thread = e.abi.thread_id(&mut e.code);
        let own = e.code.int_k("arith.divui", thread, each);
        let lane = e.code.int_k("arith.remui", thread, each);
        let first = e.code.int_k("arith.muli", group, together);
        let wide = e.code.resize_u(own, index);
        let number = e.code.add_i(first, wide);
        let total = runs.lines * runs.count;
        let exists = e.code.cmp_ik("ult", number, total);
        let last = e.code.int(number.ty, total - 1);
        let number = e.code.select(exists, number, last);
        let run = e.code.int_k("arith.remui", number, runs.count);
        let line = e.code.int_k("arith.divui", number, runs.count);
        sorter.bind_line(e, line);
        let start = e.code.int_k("arith.muli", run, runs.run);
        let full = e.code.int(start.ty, runs.line);
        let left = e.code.sub_i(full, start);
        let most = e.code.int(left.ty, runs.run);
        let count = e.code.binary("arith.minsi", left, most);
        let count = e.code.resize_s(count, Scalar::I32);
        let base = e.code.int_k("arith.muli", own, padded);

        let all = sorter.all();
        for at in 0..self.items {
            let slot = e.code.add_ik(lane, at * each);
            let end = e.code.add_ik(count, -1);
            let place = e.code.binary("arith.minsi", slot, end);
            let place = e.code.resize_u(place, index);
            let place = e.code.add_i(start, place);
            let values = sorter.global(e, place, &all)?;
            let slot = e.code.add_i(base, slot);
            write_shared(e, &self.arrays, slot, &values);
        }
        e.abi.barrier(&mut e.code);
        let first = e.code.int_k("arith.muli", lane, self.items);
        let mut items = self.read_items(e, base, first);
        self.network(e, &mut items, first, count)?;
        let mut width = self.items;
        while width < padded {
            self.write_items(e, base, first, &items);
            e.abi.barrier(&mut e.code);
            items = self.merge_pair(e, (base, first, count), width)?;
            e.abi.barrier(&mut e.code);
            width *= 2;
        }
        self.write_items(e, base, first, &items);
        e.abi.barrier(&mut e.code);
        let keep = e.code.int(count.ty, runs.keep);
        let kept = e.code.binary("arith.minsi", count, keep);
        let target = e.code.int_k("arith.muli", run, runs.keep);
        for at in 0..self.items {
            let slot = e.code.add_ik(lane, at * each);
            let inside = e.code.cmp_i("slt", slot, kept);
            let active = e.code.and(inside, exists);
            self.store(e, active, (base, slot), target)?;
        }
        Ok(())
    }

    /// Stores the element of a slot of the tile at `target + slot`, where `active`.
    fn store(
        &self,
        e: &mut Emitter<'_>,
        active: Value,
        (base, slot): (Value, Value),
        target: Value,
    ) -> Result<(), EmitError> {
        e.code.begin_if(active, &[]);
        let from = e.code.add_i(base, slot);
        let values = self.sorter.local(e, &self.arrays, from, &self.sorter.all());
        let slot = e.code.resize_u(slot, target.ty.scalar);
        let place = e.code.add_i(target, slot);
        self.sorter.store(e, place, &values)?;
        e.code.end_if(&[]);
        Ok(())
    }

    fn read_items(&self, e: &mut Emitter<'_>, base: Value, first: Value) -> Items {
        let start = e.code.add_i(base, first);
        let all = self.sorter.all();
        (0..self.items)
            .map(|at| {
                let slot = e.code.add_ik(start, at);
                self.sorter.local(e, &self.arrays, slot, &all)
            })
            .collect()
    }

    fn write_items(&self, e: &mut Emitter<'_>, base: Value, first: Value, items: &Items) {
        let start = e.code.add_i(base, first);
        for (at, values) in (0i64..).zip(items) {
            let slot = e.code.add_ik(start, at);
            write_shared(e, &self.arrays, slot, values);
        }
    }

    /// Sorts a thread's items: neighbours swap where the later comes first; those from `count` on stay.
    fn network(&self, e: &mut Emitter<'_>, items: &mut Items, first: Value, count: Value) -> Result<(), EmitError> {
        for round in 0..items.len() {
            for at in (round % 2..items.len().saturating_sub(1)).step_by(2) {
                let keys = |item: &Vec<Value>| self.sorter.keys.iter().map(|&k| item[k]).collect::<Vec<_>>();
                let (a, b) = (keys(&items[at]), keys(&items[at + 1]));
                let later_first = self.sorter.comes_before(e, &b, &a)?;
                let later = e.code.add_ik(first, at as i64 + 1);
                let exists = e.code.cmp_i("slt", later, count);
                let swap = e.code.and(later_first, exists);
                for k in 0..items[at].len() {
                    let (x, y) = (items[at][k], items[at + 1][k]);
                    items[at][k] = e.code.select(swap, y, x);
                    items[at + 1][k] = e.code.select(swap, x, y);
                }
            }
        }
        Ok(())
    }

    /// A thread's items of the merge of two neighbouring runs of `width` slots, of which `count` in all have elements.
    fn merge_pair(
        &self,
        e: &mut Emitter<'_>,
        (base, first, count): (Value, Value, Value),
        width: i64,
    ) -> Result<Items, EmitError> {
        let pair = e.code.and_k(first, !(2 * width - 1));
        let (zero, most) = (e.code.int(count.ty, 0), e.code.int(count.ty, width));
        let left = e.code.sub_i(count, pair);
        let right = e.code.add_ik(left, -width);
        let mut counts = Vec::new();
        for rest in [left, right] {
            let some = e.code.binary("arith.maxsi", rest, zero);
            counts.push(e.code.binary("arith.minsi", some, most));
        }
        let a_start = e.code.add_i(base, pair);
        let b_start = e.code.add_ik(a_start, width);
        let (a, b) = (Run { start: a_start, count: counts[0] }, Run { start: b_start, count: counts[1] });
        let diagonal = e.code.sub_i(first, pair);
        self.merged_items(e, (a, b), diagonal)
    }

    /// A thread's items from `diagonal` on of two runs merged, both in shared memory.
    fn merged_items(&self, e: &mut Emitter<'_>, (a, b): (Run, Run), diagonal: Value) -> Result<Items, EmitError> {
        let sorter = self.sorter;
        let arrays = &self.arrays;
        let both = e.code.add_i(a.count, b.count);
        let diagonal = e.code.binary("arith.minsi", diagonal, both);
        let read = |e: &mut Emitter<'_>, slot: Value, which: &[usize]| Ok(sorter.local(e, arrays, slot, which));
        let of_a = sorter.search(e, (a, b), diagonal, &read)?;
        let of_b = e.code.sub_i(diagonal, of_a);
        let last = e.code.int(diagonal.ty, self.threads * self.items - 1);
        let mut heads = [e.code.add_i(a.start, of_a), e.code.add_i(b.start, of_b)];
        let ends = [e.code.add_i(a.start, a.count), e.code.add_i(b.start, b.count)];
        let mut keys = Vec::new();
        for head in heads {
            let slot = e.code.binary("arith.minsi", head, last);
            keys.push(sorter.local(e, arrays, slot, &sorter.keys));
        }
        let mut sources = Vec::new();
        for at in 0..self.items {
            let left = [0, 1].map(|side| e.code.cmp_i("slt", heads[side], ends[side]));
            let b_next = sorter.takes_b(e, (&keys[0], &keys[1]), (left[0], left[1]))?;
            let source = e.code.select(b_next, heads[1], heads[0]);
            sources.push(e.code.binary("arith.minsi", source, last));
            let after = [e.code.add_ik(heads[0], 1), e.code.add_ik(heads[1], 1)];
            heads = [e.code.select(b_next, heads[0], after[0]), e.code.select(b_next, after[1], heads[1])];
            if at + 1 < self.items {
                let next = e.code.select(b_next, heads[1], heads[0]);
                let next = e.code.binary("arith.minsi", next, last);
                let fresh = sorter.local(e, arrays, next, &sorter.keys);
                for (k, &fresh) in fresh.iter().enumerate() {
                    keys[0][k] = e.code.select(b_next, keys[0][k], fresh);
                    keys[1][k] = e.code.select(b_next, fresh, keys[1][k]);
                }
            }
        }
        let all = sorter.all();
        Ok(sources.into_iter().map(|slot| sorter.local(e, arrays, slot, &all)).collect())
    }

    /// One tile of the merge of two neighbouring runs of `from`.
    fn merge(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let sorter = self.sorter;
        let slots = self.threads * self.items;
        let index = e.index;
        let group = e.abi.workgroup_id(&mut e.code, index);
        let thread = e.abi.thread_id(&mut e.code);
        let part = sorter.part(e, group, slots);
        // Two threads find where the tile starts and ends.
        let ends = e.abi.shared_array(&mut e.code, index, 2);
        let searching = e.code.cmp_ik("ult", thread, 2);
        e.code.begin_if(searching, &[]);
        let is_first = e.code.cmp_ik("eq", thread, 0);
        let diagonal = e.code.select(is_first, part.low, part.high);
        let read = |e: &mut Emitter<'_>, place: Value, which: &[usize]| sorter.global(e, place, which);
        let found = sorter.search(e, (part.a, part.b), diagonal, &read)?;
        write_shared(e, &[ends], thread, &[found]);
        e.code.end_if(&[]);
        e.abi.barrier(&mut e.code);
        let (zero, one) = (e.code.int(thread.ty, 0), e.code.int(thread.ty, 1));
        let low = read_shared(e, &[ends], zero, &[found])[0];
        let high = read_shared(e, &[ends], one, &[found])[0];
        let b_low = e.code.sub_i(part.low, low);
        let of_a = e.code.sub_i(high, low);
        let of_a = e.code.resize_s(of_a, Scalar::I32);
        let count = e.code.sub_i(part.high, part.low);
        let count = e.code.resize_s(count, Scalar::I32);
        let of_b = e.code.sub_i(count, of_a);
        let a_first = e.code.add_i(part.a.start, low);
        let b_first = e.code.add_i(part.b.start, b_low);

        let all = sorter.all();
        let end = e.code.add_ik(count, -1);
        for at in 0..self.items {
            let slot = e.code.add_ik(thread, at * self.threads);
            let filled = e.code.binary("arith.minsi", slot, end);
            let in_a = e.code.cmp_i("slt", filled, of_a);
            let beyond = e.code.sub_i(filled, of_a);
            let (in_first, in_second) = (e.code.resize_s(filled, index), e.code.resize_s(beyond, index));
            let in_first = e.code.add_i(a_first, in_first);
            let in_second = e.code.add_i(b_first, in_second);
            let place = e.code.select(in_a, in_first, in_second);
            let values = sorter.global(e, place, &all)?;
            write_shared(e, &self.arrays, slot, &values);
        }
        e.abi.barrier(&mut e.code);
        let first = e.code.int_k("arith.muli", thread, self.items);
        let (a, b) = (Run { start: zero, count: of_a }, Run { start: of_a, count: of_b });
        let items = self.merged_items(e, (a, b), first)?;
        e.abi.barrier(&mut e.code);
        self.write_items(e, zero, first, &items);
        e.abi.barrier(&mut e.code);
        for at in 0..self.items {
            let slot = e.code.add_ik(thread, at * self.threads);
            let active = e.code.cmp_i("slt", slot, count);
            self.store(e, active, (zero, slot), part.first)?;
        }
        Ok(())
    }
}

/// The part of a merge that one workgroup does.
pub(super) struct Part {
    /// The two runs, in places of the line.
    pub a: Run,
    pub b: Run,
    /// Where the tile starts and ends in the merged run.
    pub low: Value,
    pub high: Value,
    /// Where it starts in the line.
    pub first: Value,
}

impl Sorter<'_> {
    /// Binds the line of workgroup `group` and gives its part.
    pub fn part(&self, e: &mut Emitter<'_>, group: Value, slots: i64) -> Part {
        let tiles = (self.runs.line + slots - 1) / slots;
        let tile = e.code.int_k("arith.remui", group, tiles);
        let line = e.code.int_k("arith.divui", group, tiles);
        self.bind_line(e, line);
        let first = e.code.int_k("arith.muli", tile, slots);
        let pair = e.code.int_k("arith.divui", first, self.to);
        let pair = e.code.int_k("arith.muli", pair, self.to);
        let line_end = e.code.int(first.ty, self.runs.line);
        let middle = e.code.add_ik(pair, self.from);
        let middle = e.code.binary("arith.minsi", middle, line_end);
        let end = e.code.add_ik(pair, self.to);
        let end = e.code.binary("arith.minsi", end, line_end);
        let (of_a, of_b) = (e.code.sub_i(middle, pair), e.code.sub_i(end, middle));
        let low = e.code.sub_i(first, pair);
        let high = e.code.add_ik(low, slots);
        let both = e.code.sub_i(end, pair);
        let high = e.code.binary("arith.minsi", high, both);
        Part { a: Run { start: pair, count: of_a }, b: Run { start: middle, count: of_b }, low, high, first }
    }
}

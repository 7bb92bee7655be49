//! `Body::Attention` by warpgroups: one thread copies tiles in bulk, two or three warpgroups of 64 rows multiply and
//! exponentiate.
//!
//! Queries lie in shared memory, keys and values in two rings (see `hopper::barrier`); scores and result are
//! accumulators of the warpgroup multiply, whose lanes hold rows and columns as those of `mma.sync` do, so that scores,
//! masks and softmax are the same code. Multiplies and exponentials overlap inside a warpgroup (`pipeline`), and
//! between the warpgroups. Where there are more blocks of rows than the device has units, workgroups stay and take one
//! after another: what is copied for the next block comes while the last one is stored.
//!
//! Worked example: 128 features, tiles of 128 rows × 128 columns, 2 stages: 32 KiB of queries, 2·32 KiB of keys, 2·32
//! KiB of values; a tile is 8 multiplies of 64×128×16 for the scores, 64 exponentials a thread, and 8 multiplies for
//! the result. 512 blocks on 132 units: workgroup 0 takes blocks 0, 263, 264 and 527, which is none.
//!
//! Traps: weights are packed to 16 bits only after the running product is waited for (else the assembler serialises the
//! multiplies); that wait also names the weights and first spins on a barrier that has turned already, or the assembler
//! moves exponentials behind it.

mod multiply;
mod pipeline;
mod turns;

use crate::attention::schedule::{AttentionBoxes, AttentionBulk, AttentionLayout, AttentionSchedule};
use fornax_emit::blocks::hopper::wgmma::Major;
use fornax_graph::ElementType;
use fornax_plan::{Attention, Body};

use self::pipeline::TileRange;
use super::ranges;
use super::ranges::{PASSES, Ranges};
use super::{F32, I32, Kernel, State};
use fornax_emit::blocks::hopper::barrier;
use fornax_emit::blocks::hopper::barrier::{BARRIER_BYTES, Cursor, Ring};
use fornax_emit::blocks::hopper::bulk;
use fornax_emit::blocks::hopper::bulk::ROW_BYTES;
use fornax_emit::blocks::hopper::roles;
use fornax_emit::blocks::hopper::roles::Place;
use fornax_emit::blocks::hopper::wgmma;
use fornax_emit::blocks::hopper::wgmma::Matrix;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Value};

/// Registers of a copying and of a multiplying thread, by the number of multiplying warpgroups.
const REGISTERS: &[(u32, u32, u32)] = &[(1, 24, 240), (2, 24, 240), (3, 24, 160)];
/// Columns of a box, and steps of one multiply.
const BOX: i64 = 64;
const STEP: i64 = 16;

/// What is done for a block of rows: from where the rings are and the block's number modulo 2 in this workgroup to
/// where the rings are then.
type OfBlock<'a> = dyn FnMut(&mut Emitter<'_>, &Group<'_>, Cursor, Value) -> Result<Cursor, EmitError> + 'a;

/// The kernel and where its shared memory is.
#[derive(Clone)]
struct Group<'a> {
    k: Kernel<'a>,
    bulk: &'a AttentionBulk,
    layout: AttentionLayout,
    place: Place,
    keys: Ring,
    values: Ring,
    /// Descriptors of this warpgroup's queries and of the first tile of keys and of values.
    descriptors: [Value; 3],
    element: ElementType,
    /// How many blocks this workgroup has done, where it stays for more than one.
    round: Option<Value>,
}

/// Emits the kernel.
pub fn emit(e: &mut Emitter<'_>, schedule: &AttentionSchedule, bulk: &AttentionBulk) -> Result<(), EmitError> {
    let plan = e.plan;
    let Body::Attention(a) = &plan.body else { return Err(e.malformed("not attention")) };
    let Some(layout) = schedule.layout() else { return Err(e.malformed("no shared memory")) };
    let fits = schedule.row_tiles == 1 && schedule.warps.is_multiple_of(4) && schedule.columns.is_multiple_of(16);
    if !fits || layout.total > e.target.shared_bytes_max {
        return Err(e.unfit("warpgroups or shared memory"));
    }
    let multipliers = schedule.warps / 4;
    let Some(&(_, few, many)) = REGISTERS.iter().find(|r| r.0 == multipliers) else {
        return Err(e.unfit("warpgroups"));
    };
    e.abi.attribute("nvvm.minctasm = 1 : i32");
    let group = Group::new(e, a, schedule, bulk, layout)?;
    group.initialise(e);
    let copies = e.code.cmp_ik("eq", group.place.warpgroup, i64::from(multipliers));
    e.code.begin_if(copies, &[]);
    roles::give_registers(&mut e.code, few);
    group.produce(e)?;
    e.code.begin_else(&[]);
    roles::take_registers(&mut e.code, many);
    group.consume(e)?;
    e.code.end_if(&[]);
    Ok(())
}

impl<'a> Group<'a> {
    fn new(
        e: &mut Emitter<'_>,
        a: &'a Attention,
        s: &'a AttentionSchedule,
        bulk: &'a AttentionBulk,
        layout: AttentionLayout,
    ) -> Result<Group<'a>, EmitError> {
        let thread = e.abi.thread_id(&mut e.code);
        let place = roles::place(&mut e.code, thread);
        let mut k = Kernel::new(e, a, s, [place.thread, place.lane, place.warp])?;
        k.shared = e.abi.dynamic_shared(&mut e.code);
        let at = i64::from(layout.barriers + 8 * AttentionLayout::SINGLE_BARRIERS);
        let keys = Ring { shared: k.shared, at, stages: bulk.stages };
        let values = Ring { at: at + Ring::bytes(bulk.stages), ..keys };
        let mut group =
            Group { k, bulk, layout, place, keys, values, descriptors: [thread; 3], element: a.weight, round: None };
        let warpgroup = e.code.int_k("arith.muli", place.warpgroup, wgmma::ROWS * ROW_BYTES);
        let starts = [
            (group.steps_matrix(), warpgroup),
            (group.steps_matrix(), e.code.int(I32, i64::from(layout.keys))),
            (group.value_matrix(), e.code.int(I32, i64::from(layout.values))),
        ];
        group.descriptors = starts.map(|(matrix, at)| {
            let pointer = e.code.byte_offset(group.k.shared, at);
            matrix.descriptor(&mut e.code, pointer)
        });
        Ok(group)
    }

    /// Queries and keys: rows of steps.
    fn steps_matrix(&self) -> Matrix {
        Matrix { element: self.element, major: Major::Steps, box_bytes: 0 }
    }

    /// Values: rows of features.
    fn value_matrix(&self) -> Matrix {
        let box_bytes = i64::from(self.k.s.columns) * ROW_BYTES;
        Matrix { element: self.element, major: Major::Outputs, box_bytes }
    }

    fn barrier_at(&self, e: &mut Emitter<'_>, at: i64) -> Value {
        let at = e.code.int(I32, i64::from(self.layout.barriers) + at * BARRIER_BYTES);
        e.code.byte_offset(self.k.shared, at)
    }

    fn query_barrier(&self, e: &mut Emitter<'_>) -> Value {
        self.barrier_at(e, 0)
    }

    fn query_free_barrier(&self, e: &mut Emitter<'_>) -> Value {
        self.barrier_at(e, 1)
    }

    fn flag_barrier(&self, e: &mut Emitter<'_>) -> Value {
        self.barrier_at(e, 2)
    }

    fn initialise(&self, e: &mut Emitter<'_>) {
        let first = e.code.cmp_ik("eq", self.place.thread, 0);
        e.code.begin_if(first, &[]);
        let (query, free, flags) = (self.query_barrier(e), self.query_free_barrier(e), self.flag_barrier(e));
        barrier::initialise(&mut e.code, query, 1);
        barrier::initialise(&mut e.code, free, self.k.s.warps);
        barrier::initialise(&mut e.code, flags, self.k.s.warps);
        self.keys.initialise(&mut e.code, 1, self.k.s.warps);
        self.values.initialise(&mut e.code, 1, self.k.s.warps);
        barrier::fence_initialised(&mut e.code);
        e.code.end_if(&[]);
        e.abi.barrier(&mut e.code);
    }

    /// Byte of the flags of a pass.
    fn flag_words(&self, e: &mut Emitter<'_>, pass: Value) -> Value {
        let words = e.code.int_k("arith.muli", pass, 4 * i64::from(self.k.s.warps));
        e.code.add_ik(words, i64::from(self.layout.flags))
    }

    /// The flags of a pass, once every warp has written its own. A block has an odd number of passes.
    fn joined_flags(&self, e: &mut Emitter<'_>, pass: Value, turn: Value) -> Value {
        let barrier = self.flag_barrier(e);
        let parity = e.code.xor(pass, turn);
        let parity = e.code.and_k(parity, 1);
        barrier::wait(&mut e.code, barrier, parity);
        let words = self.flag_words(e, pass);
        ranges::any_flag(e, &self.k, words)
    }

    /// One thread starts all copies.
    fn produce(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let (warp, lane) = (e.code.cmp_ik("eq", self.place.warp_in_group, 0), e.code.cmp_ik("eq", self.place.lane, 0));
        let one_thread = e.code.and(warp, lane);
        e.code.begin_if(one_thread, &[]);
        self.blocks(e, &mut |e, group, cursor, turn| {
            let ranges = Ranges::new(e, &group.k)?;
            group.produce_block(e, &ranges, cursor, turn)
        })?;
        e.code.end_if(&[]);
        Ok(())
    }

    fn produce_block(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        cursor: Cursor,
        turn: Value,
    ) -> Result<Cursor, EmitError> {
        let query = self.query_barrier(e);
        if self.bulk.resident.is_some() {
            let free = self.query_free_barrier(e);
            let parity = e.code.int_k("arith.xori", turn, 1);
            barrier::wait(&mut e.code, free, parity);
        }
        if let Some(&row) = self.k.a.rows.first() {
            e.bind(row, Some(self.k.first_row), 1, 0);
        }
        let (rows, depth) = (i64::from(self.k.s.rows()), i64::from(self.bulk.depth));
        let start = e.code.int(I32, 0);
        self.copy(e, &self.bulk.query, (start, rows, depth), query)?;
        if !Ranges::needs_passes(e, &self.k) {
            return self.copy_tiles(e, ranges.visible(), cursor);
        }
        let (zero, one, passes) = (e.code.int(I32, 0), e.code.int(I32, 1), e.code.int(I32, PASSES));
        let inits = [cursor.stage, cursor.parity, one];
        let open = e.code.begin_for(zero, passes, one, &inits);
        let Some(at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
        let tiles = ranges.of_pass(e, open.iv, open.carried[2]);
        let next = self.copy_tiles(e, tiles, at)?;
        let flags = self.joined_flags(e, open.iv, turn);
        let results = e.code.end_for(open, &[next.stage, next.parity, flags]);
        Cursor::of(&results).ok_or_else(|| e.malformed("a loop lost its cursor"))
    }

    fn copy_tiles(
        &self,
        e: &mut Emitter<'_>,
        (low, high): (Value, Value),
        cursor: Cursor,
    ) -> Result<Cursor, EmitError> {
        let one = e.code.int(I32, 1);
        let open = e.code.begin_for(low, high, one, &cursor.values());
        let Some(at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
        let first = self.k.first_column(e, open.iv);
        let columns = i64::from(self.k.s.columns);
        let rings = [
            (self.keys, &self.bulk.key, self.layout.keys, self.layout.key_bytes, self.bulk.depth),
            (self.values, &self.bulk.value, self.layout.values, self.layout.value_bytes, self.bulk.features),
        ];
        for (ring, boxes, start, bytes, width) in rings {
            ring.wait_empty(&mut e.code, at);
            let full = ring.full(&mut e.code, at.stage);
            let place = e.code.int_k("arith.muli", at.stage, i64::from(bytes));
            let place = e.code.add_ik(place, i64::from(start));
            e.bind(self.k.a.column(), Some(first), columns, 0);
            self.copy(e, boxes, (place, columns, i64::from(width)), full)?;
        }
        let next = self.keys.advance(&mut e.code, at);
        let results = e.code.end_for(open, &next.values());
        Cursor::of(&results).ok_or_else(|| e.malformed("a loop lost its cursor"))
    }

    /// Announces and starts the copies of the boxes of `rows` × `width` elements at `place`.
    fn copy(
        &self,
        e: &mut Emitter<'_>,
        boxes: &AttentionBoxes,
        (place, rows, width): (Value, i64, i64),
        full: Value,
    ) -> Result<(), EmitError> {
        let Some(&map) = e.maps.get(boxes.map as usize) else { return Err(e.malformed("a tensor map is missing")) };
        barrier::arrive_expecting(&mut e.code, full, 2 * rows * width);
        let coordinates = bulk::coordinates(e, &boxes.coordinates)?;
        for at in 0..width / BOX {
            let mut coordinates = coordinates.clone();
            if let Some(inner) = coordinates.first_mut() {
                *inner = e.code.add_ik(*inner, at * BOX);
            }
            let place = e.code.add_ik(place, at * rows * ROW_BYTES);
            let there = e.code.byte_offset(self.k.shared, place);
            bulk::load(&mut e.code, map, &coordinates, there, full, None);
        }
        Ok(())
    }

    /// Workgroups that stay.
    fn resident(&self, e: &Emitter<'_>) -> i64 {
        let total = self.k.s.blocks(self.k.a, e.exprs, &e.plan.domain) as i64;
        self.bulk.resident.map_or(total, i64::from).clamp(1, total.max(1))
    }

    /// The number of the present block of workgroup `own`.
    fn number(&self, e: &mut Emitter<'_>, own: Value) -> Value {
        let Some(round) = self.round else { return own };
        let resident = self.resident(e);
        let own = e.code.resize_u(own, Scalar::I32);
        // Every other round goes backwards, so that nobody gets the heavier block each time.
        let turn = e.code.and_k(round, 1);
        let last = e.code.int(I32, resident - 1);
        let back = e.code.sub_i(last, own);
        let forward = e.code.cmp_ik("eq", turn, 0);
        let place = e.code.select(forward, own, back);
        let first = e.code.int_k("arith.muli", round, resident);
        let number = e.code.add_i(first, place);
        e.code.resize_u(number, e.index)
    }

    /// Divides and stores. Thread, block and rows are worked out anew here, so that they need no registers in the loop
    /// over tiles.
    fn finish(&self, e: &mut Emitter<'_>, state: State) -> Result<(), EmitError> {
        let mut k = self.k.clone();
        k.thread = e.abi.thread_id_again(&mut e.code);
        (k.lane, k.warp) = (e.code.and_k(k.thread, 31), e.code.shr_uk(k.thread, 5));
        k.run_start = k.share.run_start(e, k.lane);
        let index = e.index;
        let own = e.abi.workgroup_id_again(&mut e.code, index);
        let number = self.number(e, own);
        k.start_block(e, number)?;
        k.finish(e, state)
    }

    /// Runs `body` for every block of rows of this workgroup.
    fn blocks(&self, e: &mut Emitter<'_>, body: &mut OfBlock<'_>) -> Result<(), EmitError> {
        let index = e.index;
        let own = e.abi.workgroup_id(&mut e.code, index);
        let mut group = self.clone();
        let cursor = Cursor::first(&mut e.code);
        let total = self.k.s.blocks(self.k.a, e.exprs, &e.plan.domain) as i64;
        let resident = self.resident(e);
        let rounds = (total.max(1) + resident - 1) / resident;
        if rounds == 1 {
            group.k.start_block(e, own)?;
            let turn = e.code.int(I32, 0);
            body(e, &group, cursor, turn)?;
            return Ok(());
        }
        let (zero, one, end) = (e.code.int(I32, 0), e.code.int(I32, 1), e.code.int(I32, rounds));
        let open = e.code.begin_for(zero, end, one, &cursor.values());
        let Some(cursor) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
        let turn = e.code.and_k(open.iv, 1);
        group.round = Some(open.iv);
        let number = group.number(e, own);
        let inside = e.code.cmp_ik("slt", number, total);
        let types = [I32, I32];
        let results = e.code.begin_if(inside, &types);
        group.k.start_block(e, number)?;
        let next = body(e, &group, cursor, turn)?;
        e.code.begin_else(&next.values());
        e.code.end_if(&cursor.values());
        e.code.end_for(open, &results);
        Ok(())
    }

    fn consume(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        self.open_turns(e);
        self.blocks(e, &mut |e, group, cursor, turn| {
            let ranges = Ranges::new(e, &group.k)?;
            group.consume_block(e, &ranges, cursor, turn)
        })?;
        self.close_turns(e);
        Ok(())
    }

    fn consume_block(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        cursor: Cursor,
        turn: Value,
    ) -> Result<Cursor, EmitError> {
        let (low, zero) = (e.code.float(F32, f64::NEG_INFINITY), e.code.float(F32, 0.0));
        let out = vec![zero; self.bulk.features as usize / 2];
        let state = State { maxima: vec![low; 2], sums: vec![zero; 2], out, doubt: Vec::new() };
        let query = self.query_barrier(e);
        barrier::wait(&mut e.code, query, turn);
        if !Ranges::needs_passes(e, &self.k) {
            let (low, high) = ranges.visible();
            let range = TileRange { low, high, is_last: true };
            let (state, next) = self.range(e, ranges, range, (state, cursor))?;
            self.finish(e, state)?;
            return Ok(next);
        }
        let (first, one, passes) = (e.code.int(I32, 0), e.code.int(I32, 1), e.code.int(I32, PASSES));
        let mut inits = vec![cursor.stage, cursor.parity, one];
        inits.extend(state.flat());
        let open = e.code.begin_for(first, passes, one, &inits);
        let Some(at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
        let (low, high) = ranges.of_pass(e, open.iv, open.carried[2]);
        let range = TileRange { low, high, is_last: false };
        let (after, next) = self.range(e, ranges, range, (state.of(&open.carried[3..]), at))?;
        let flag = ranges::warp_flag(e, &self.k, &after);
        let words = self.flag_words(e, open.iv);
        let lead = self.leads(e);
        e.code.begin_if(lead, &[]);
        ranges::write_flag(e, &self.k, words, flag);
        let barrier = self.flag_barrier(e);
        barrier::arrive(&mut e.code, barrier);
        e.code.end_if(&[]);
        let flags = self.joined_flags(e, open.iv, turn);
        let mut carried = vec![next.stage, next.parity, flags];
        carried.extend(after.flat());
        let results = e.code.end_for(open, &carried);
        self.release_query(e);
        self.finish(e, state.of(&results[3..]))?;
        Cursor::of(&results).ok_or_else(|| e.malformed("a loop lost its cursor"))
    }

    fn leads(&self, e: &mut Emitter<'_>) -> Value {
        e.code.cmp_ik("eq", self.place.lane, 0)
    }

    fn release(&self, e: &mut Emitter<'_>, ring: Ring, stage: Value) {
        let lead = self.leads(e);
        e.code.begin_if(lead, &[]);
        ring.release(&mut e.code, stage);
        e.code.end_if(&[]);
    }

    /// This warp has done with the queries.
    fn release_query(&self, e: &mut Emitter<'_>) {
        if self.bulk.resident.is_none() {
            return;
        }
        let lead = self.leads(e);
        e.code.begin_if(lead, &[]);
        let barrier = self.query_free_barrier(e);
        barrier::arrive(&mut e.code, barrier);
        e.code.end_if(&[]);
    }
}

//! `Body::Attention` by warpgroups: one thread copies tiles in bulk, two warpgroups of 64 rows multiply and exponentiate.
//!
//! Queries lie in shared memory, keys and values in two rings (see `hopper::barrier`); scores and result are accumulators of the warpgroup
//! multiply, whose lanes hold rows and columns as those of `mma.sync` do, so that scores, masks and softmax are the same code. While the
//! weights of a tile are computed, the product of the tile before with its values runs, and the next product of
//! queries and keys after it: multiplies and exponentials overlap inside a warpgroup, and between the two.
//!
//! Worked example: 128 features, tiles of 128 rows × 128 columns, 2 stages: 32 KiB of queries, 2·32 KiB of keys, 2·32 KiB of values; a tile is 8
//! multiplies of 64×128×16 for the scores, 64 exponentials a thread, and 8 multiplies for the result.
//!
//! Traps: weights are packed to 16 bits only after the running product is waited for (else the assembler serialises the multiplies); that wait
//! also names the weights and first spins on a barrier that has turned already, or the assembler moves exponentials behind it.

use fornax_graph::ElementType;
use fornax_plan::{Attention, AttentionBoxes, AttentionBulk, AttentionLayout, AttentionSchedule, Body, Major};

use super::fragments::pack_pair;
use super::ranges::{self, PASSES, Ranges};
use super::{F32, I32, Kernel, State};
use crate::emit::emitter::Emitter;
use crate::emit::hopper::barrier::{self, BARRIER_BYTES, Cursor, Ring};
use crate::emit::hopper::bulk::{self, ROW_BYTES};
use crate::emit::hopper::roles::{self, Place};
use crate::emit::hopper::tiles;
use crate::emit::hopper::wgmma::{self, Matrix};
use crate::emit::text::{Scalar, Ty, Value, list, types};
use crate::errors::EmitError;

/// Registers of a copying and of a multiplying thread.
const REGISTERS: (u32, u32) = (24, 240);
/// Columns of a box, and steps of one multiply.
const BOX: i64 = 64;
const STEP: i64 = 16;

/// The kernel and where its shared memory is.
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
    e.abi.attribute("nvvm.minctasm = 1 : i32");
    let group = Group::new(e, a, schedule, bulk, layout)?;
    let ranges = Ranges::new(e, &group.k)?;
    group.initialise(e);
    let multipliers = i64::from(schedule.warps / 4);
    let copies = e.code.cmp_ik("eq", group.place.warpgroup, multipliers);
    e.code.begin_if(copies, &[]);
    roles::give_registers(&mut e.code, REGISTERS.0);
    group.produce(e, &ranges)?;
    e.code.begin_else(&[]);
    roles::take_registers(&mut e.code, REGISTERS.1);
    group.consume(e, &ranges)?;
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
        let at = i64::from(layout.barriers) + 2 * BARRIER_BYTES;
        let keys = Ring { shared: k.shared, at, stages: bulk.stages };
        let values = Ring { at: at + Ring::bytes(bulk.stages), ..keys };
        let mut group = Group { k, bulk, layout, place, keys, values, descriptors: [thread; 3], element: a.weight };
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

    fn flag_barrier(&self, e: &mut Emitter<'_>) -> Value {
        self.barrier_at(e, 1)
    }

    fn initialise(&self, e: &mut Emitter<'_>) {
        let first = e.code.cmp_ik("eq", self.place.thread, 0);
        e.code.begin_if(first, &[]);
        let (query, flags) = (self.query_barrier(e), self.flag_barrier(e));
        barrier::initialise(&mut e.code, query, 1);
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

    /// The flags of a pass, once every warp has written its own.
    fn joined_flags(&self, e: &mut Emitter<'_>, pass: Value) -> Value {
        let barrier = self.flag_barrier(e);
        let parity = e.code.and_k(pass, 1);
        barrier::wait(&mut e.code, barrier, parity);
        let words = self.flag_words(e, pass);
        ranges::any_flag(e, &self.k, words)
    }

    /// One thread starts all copies.
    fn produce(&self, e: &mut Emitter<'_>, ranges: &Ranges) -> Result<(), EmitError> {
        let (warp, lane) = (e.code.cmp_ik("eq", self.place.warp_in_group, 0), e.code.cmp_ik("eq", self.place.lane, 0));
        let one_thread = e.code.and(warp, lane);
        e.code.begin_if(one_thread, &[]);
        let query = self.query_barrier(e);
        if let Some(&row) = self.k.a.rows.first() {
            e.bind(row, Some(self.k.first_row), 1, 0);
        }
        let (rows, depth) = (i64::from(self.k.s.rows()), i64::from(self.bulk.depth));
        let start = e.code.int(I32, 0);
        self.copy(e, &self.bulk.query, (start, rows, depth), query)?;
        let cursor = Cursor::first(&mut e.code);
        if Ranges::needs_passes(e, &self.k) {
            let (zero, one, passes) = (e.code.int(I32, 0), e.code.int(I32, 1), e.code.int(I32, PASSES));
            let inits = [cursor.stage, cursor.parity, one];
            let open = e.code.begin_for(zero, passes, one, &inits);
            let Some(at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
            let tiles = ranges.of_pass(e, open.iv, open.carried[2]);
            let next = self.copy_tiles(e, tiles, at)?;
            let flags = self.joined_flags(e, open.iv);
            e.code.end_for(open, &[next.stage, next.parity, flags]);
        } else {
            self.copy_tiles(e, ranges.visible(), cursor)?;
        }
        e.code.end_if(&[]);
        Ok(())
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
        let coordinates = tiles::coordinates(e, &boxes.coordinates)?;
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

    fn consume(&self, e: &mut Emitter<'_>, ranges: &Ranges) -> Result<(), EmitError> {
        let (low, zero) = (e.code.float(F32, f64::NEG_INFINITY), e.code.float(F32, 0.0));
        let out = vec![zero; self.bulk.features as usize / 2];
        let state = State { maxima: vec![low; 2], sums: vec![zero; 2], out };
        let query = self.query_barrier(e);
        let turn = e.code.int(I32, 0);
        barrier::wait(&mut e.code, query, turn);
        let cursor = Cursor::first(&mut e.code);
        if !Ranges::needs_passes(e, &self.k) {
            let (state, _) = self.range(e, ranges, ranges.visible(), state, cursor)?;
            return self.k.finish(e, state);
        }
        let (first, one, passes) = (e.code.int(I32, 0), e.code.int(I32, 1), e.code.int(I32, PASSES));
        let mut inits = vec![cursor.stage, cursor.parity, one];
        inits.extend(state.flat());
        let open = e.code.begin_for(first, passes, one, &inits);
        let Some(at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
        let tiles = ranges.of_pass(e, open.iv, open.carried[2]);
        let (after, next) = self.range(e, ranges, tiles, state.of(&open.carried[3..]), at)?;
        let flag = ranges::warp_flag(e, &self.k, &after);
        let words = self.flag_words(e, open.iv);
        let lead = self.leads(e);
        e.code.begin_if(lead, &[]);
        ranges::write_flag(e, &self.k, words, flag);
        let barrier = self.flag_barrier(e);
        barrier::arrive(&mut e.code, barrier);
        e.code.end_if(&[]);
        let flags = self.joined_flags(e, open.iv);
        let mut carried = vec![next.stage, next.parity, flags];
        carried.extend(after.flat());
        let results = e.code.end_for(open, &carried);
        self.k.finish(e, state.of(&results[3..]))
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

    /// Tiles from `low` to `high`, if there are any.
    fn range(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        (low, high): (Value, Value),
        state: State,
        cursor: Cursor,
    ) -> Result<(State, Cursor), EmitError> {
        let mut before = cursor.values().to_vec();
        before.extend(state.flat());
        let some = e.code.cmp_i("slt", low, high);
        let result_types: Vec<Ty> = before.iter().map(|v| v.ty).collect();
        let results = e.code.begin_if(some, &result_types);
        let (after, behind) = self.tiles(e, ranges, (low, high), &state, cursor)?;
        let mut yields = behind.values().to_vec();
        yields.extend(after.flat());
        e.code.begin_else(&yields);
        e.code.end_if(&before);
        let Some(cursor) = Cursor::of(&results) else { return Err(e.malformed("a branch lost its cursor")) };
        Ok((state.of(&results[2..]), cursor))
    }

    /// At least one tile: scores of the first; of each further one while the product of the one before runs; that of the last.
    fn tiles(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        (low, high): (Value, Value),
        state: &State,
        cursor: Cursor,
    ) -> Result<(State, Cursor), EmitError> {
        self.keys.wait_full(&mut e.code, cursor);
        let scores = self.products(e, cursor.stage);
        let (scores, _) = self.wait(e, 0, scores, Vec::new(), None);
        self.release(e, self.keys, cursor.stage);
        let (weights, mut state) = self.weigh(e, ranges, low, scores, state)?;
        state.1.scale(e, &state.0);
        let state = state.1;
        let packed = self.pack(e, &weights);
        let next = self.keys.advance(&mut e.code, cursor);
        let (one, from) = (e.code.int(I32, 1), e.code.add_ik(low, 1));
        let mut inits = [next.values(), cursor.values()].concat();
        inits.extend(&packed);
        inits.extend(state.flat());
        let open = e.code.begin_for(from, high, one, &inits);
        let (Some(key), Some(value)) = (Cursor::of(&open.carried), Cursor::of(&open.carried[2..])) else {
            return Err(e.malformed("a loop lost its cursors"));
        };
        let inside = state.of(&open.carried[4 + packed.len()..]);
        let running = open.carried[4..4 + packed.len()].to_vec();
        let (packed_next, after) = self.overlapped(e, ranges, open.iv, (key, value), &running, inside)?;
        let ahead = self.keys.advance(&mut e.code, key);
        let mut carried = [ahead.values(), key.values()].concat();
        carried.extend(packed_next);
        carried.extend(after.flat());
        let results = e.code.end_for(open, &carried);
        let (Some(behind), Some(last)) = (Cursor::of(&results), Cursor::of(&results[2..])) else {
            return Err(e.malformed("a loop lost its cursors"));
        };
        let mut state = state.of(&results[4 + packed.len()..]);
        self.values.wait_full(&mut e.code, last);
        let out = self.accumulate(e, &state.out, &results[4..4 + packed.len()], last.stage);
        (state.out, _) = self.wait(e, 0, out, Vec::new(), None);
        self.release(e, self.values, last.stage);
        Ok((state, behind))
    }

    /// Scores and weights of a tile while the product of the weights before with their values runs.
    fn overlapped(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        tile: Value,
        (key, value): (Cursor, Cursor),
        running: &[Value],
        state: State,
    ) -> Result<(Vec<Value>, State), EmitError> {
        self.keys.wait_full(&mut e.code, key);
        let scores = self.products(e, key.stage);
        self.values.wait_full(&mut e.code, value);
        let out = self.accumulate(e, &state.out, running, value.stage);
        let (scores, _) = self.wait(e, 1, scores, Vec::new(), None);
        self.release(e, self.keys, key.stage);
        let (weights, (factors, mut state)) = self.weigh(e, ranges, tile, scores, &state)?;
        let turned = self.values.full(&mut e.code, value.stage);
        let (out, weights) = self.wait(e, 0, out, weights, Some((turned, value.parity)));
        self.release(e, self.values, value.stage);
        let packed = self.pack(e, &weights);
        state.out = out;
        state.scale(e, &factors);
        Ok((packed, state))
    }

    /// Weights of a tile's products; factors of the result so far; the state with new maxima and sums.
    #[allow(clippy::type_complexity, reason = "weights, and factors with the state they belong to")]
    fn weigh(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        tile: Value,
        products: Vec<Value>,
        state: &State,
    ) -> Result<(Vec<Value>, (Vec<Value>, State)), EmitError> {
        let first = self.k.first_column(e, tile);
        let whole = ranges.is_whole(e, tile);
        let scores = self.k.scores(e, first, whole, vec![products])?;
        let (weights, factors, state) = self.k.softmax(e, scores, state);
        Ok((weights.concat(), (factors, state)))
    }

    fn pack(&self, e: &mut Emitter<'_>, weights: &[Value]) -> Vec<Value> {
        weights.chunks(2).map(|p| pack_pair(e, self.k.bf16, p[0], p[1])).collect()
    }

    /// Starts the product of this warpgroup's queries with a tile of keys, as one group; the accumulator's registers.
    fn products(&self, e: &mut Emitter<'_>, stage: Value) -> Vec<Value> {
        let name = wgmma::type_name(self.element).unwrap_or("bf16");
        let columns = self.k.s.columns;
        let ty = wgmma::accumulator(ElementType::F32, columns);
        let mut sum = e.code.zeros(ty);
        wgmma::fence(&mut e.code);
        let bytes = e.code.int_k("arith.muli", stage, i64::from(self.layout.key_bytes));
        let key = wgmma::descriptor_moved(&mut e.code, self.descriptors[1], bytes);
        for step in 0..i64::from(self.bulk.depth) / STEP {
            let at = |rows: i64| step / 4 * rows * ROW_BYTES + step % 4 * wgmma::STEP_BYTES;
            let a = wgmma::descriptor_at(&mut e.code, self.descriptors[0], at(i64::from(self.k.s.rows())));
            let b = wgmma::descriptor_at(&mut e.code, key, at(i64::from(columns)));
            let add = if step == 0 { "zero" } else { "one" };
            let text = format!(
                "nvvm.wgmma.mma_async {a}, {b}, {sum}, #nvvm.shape<m = 64, n = {columns}, k = 16>, D [<f32>, <{add}>], A [<{name}>, \
                 <one>, <row>], B [<{name}>, <one>, <col>] : {ty} -> {ty}"
            );
            sum = e.code.effect(ty, &text);
        }
        wgmma::commit(&mut e.code);
        (0..columns / 2).map(|at| e.code.member(sum, at)).collect()
    }

    /// Starts `out += weights · values`, as one group.
    fn accumulate(&self, e: &mut Emitter<'_>, out: &[Value], weights: &[Value], stage: Value) -> Vec<Value> {
        let name = wgmma::type_name(self.element).unwrap_or("bf16");
        let (features, n) = (self.bulk.features, out.len());
        let ty = wgmma::accumulator(ElementType::F32, features);
        wgmma::fence(&mut e.code);
        let bytes = e.code.int_k("arith.muli", stage, i64::from(self.layout.value_bytes));
        let values = wgmma::descriptor_moved(&mut e.code, self.descriptors[2], bytes);
        let named = |range: std::ops::Range<usize>| range.map(|at| format!("${at}")).collect::<Vec<_>>().join(", ");
        let text = format!(
            "wgmma.mma_async.sync.aligned.m64n{features}k16.f32.{name}.{name} {{{}}}, {{{}}}, ${}, 1, 1, 1, 1;",
            named(0..n),
            named(n..n + 4),
            n + 4
        );
        let tied: Vec<String> = (0..n).map(|at| at.to_string()).collect();
        let constraints = format!("{},r,r,r,r,l,{}", vec!["=f"; n].join(","), tied.join(","));
        let mut out = out.to_vec();
        for (step, fragment) in weights.chunks(4).enumerate() {
            let step = step as i64 * self.value_matrix().step_bytes();
            let values = wgmma::descriptor_at(&mut e.code, values, step);
            let operands = [fragment, &[values], &out].concat();
            let all = e.code.effect(
                ty,
                &format!(
                    "llvm.inline_asm has_side_effects asm_dialect = att \"{text}\", \"{constraints}\" {} : ({}) -> {ty}",
                    list(&operands),
                    types(&operands)
                ),
            );
            out = (0..n as u32).map(|at| e.code.member(all, at)).collect();
        }
        wgmma::commit(&mut e.code);
        out
    }

    /// Waits until at most `pending` groups run; `first` and `second` can only be used after. With `turned`, a barrier that has turned past the
    /// parity is waited for too: a block boundary that keeps what computes `second` before.
    fn wait(
        &self,
        e: &mut Emitter<'_>,
        pending: u32,
        first: Vec<Value>,
        second: Vec<Value>,
        turned: Option<(Value, Value)>,
    ) -> (Vec<Value>, Vec<Value>) {
        let values = [first.as_slice(), &second].concat();
        let n = values.len();
        let ty = Ty::scalar(Scalar::F32s(n as u16));
        let mut constraints = vec!["=f".to_string(); n];
        let mut operands = Vec::new();
        let mut text = String::new();
        if let Some((barrier, parity)) = turned {
            operands.extend([barrier::shared_address(&mut e.code, barrier), parity]);
            constraints.extend(["r".to_string(), "r".to_string()]);
            text = format!("{}\\0A", barrier::wait_text(n, n + 1));
        }
        constraints.extend((0..n).map(|at| at.to_string()));
        operands.extend(&values);
        let all = e.code.effect(
            ty,
            &format!(
                "llvm.inline_asm has_side_effects asm_dialect = att \"{text}wgmma.wait_group.sync.aligned {pending};\", \"{},~{{memory}}\" {} : \
                 ({}) -> {ty}",
                constraints.join(","),
                list(&operands),
                types(&operands)
            ),
        );
        let mut members: Vec<Value> = (0..n as u32).map(|at| e.code.member(all, at)).collect();
        let second = members.split_off(first.len());
        (members, second)
    }
}

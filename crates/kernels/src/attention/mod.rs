//! `Body::Attention` with `mma.sync`: a workgroup keeps rows of queries in registers and goes through keys and values
//! once.
//!
//! Tiles of keys and of values come through shared memory (`tiles`), one of each, copied while the other is used. A
//! warp holds 16 rows: scores in accumulator fragments, which after the exponential are, packed, the fragments of the
//! weights: nothing is exchanged between warps (`fragments`). Maximum and sum of a row are kept up to date as tiles go
//! by (`softmax`). What stands between the products (masks, bias, soft-cap) is evaluated where the scores lie
//! (`scores`); tiles that no bound cuts take the short form, tiles wholly outside are left out (`ranges`).
//!
//! Worked example: [4096, 128] bf16 queries, keys, values of a head: 64 workgroups of 4 warps × 16 rows; 64 tiles of 64
//! columns; in each 64 + 64 instructions a warp; rows of shared memory are 272 bytes apart, so that eight lie in
//! different banks; 34,816 bytes.

pub mod candidates;
pub mod chunk_schedule;
mod chunk_tiles;
pub mod chunks;
mod exact;
mod fragments;
pub mod lane_schedule;
pub mod lanes;
mod ranges;
pub mod schedule;
mod scores;
mod share;
mod sizes;
mod softmax;
mod stores;
pub mod stream;
mod tiles;
pub mod warpgroups;

use self::lane_schedule::AttentionLanes;
use self::schedule::AttentionSchedule;
use crate::family::{Family, Offer, Try, no_costs};
use fornax_graph::ElementType;
use fornax_plan::{Attention, Body, MatrixAtom, Precision, VarId};

use fornax_emit::blocks::mma::Multiplier;
use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};
use fragments::{Fragments, Query};
use ranges::Ranges;
use share::Share;
use sizes::Ends;
use tiles::{Outer, Tile};

pub(super) const I32: Ty = Ty::scalar(Scalar::I32);
pub(super) const F32: Ty = Ty::scalar(Scalar::F32);

/// One attention being emitted.
#[derive(Clone)]
struct Kernel<'a> {
    a: &'a Attention,
    s: &'a AttentionSchedule,
    thread: Value,
    lane: Value,
    warp: Value,
    /// What lanes have of a product.
    share: Share,
    /// Where the lane's first run of columns begins, as an index.
    run_start: Value,
    /// First row of the workgroup, and rows altogether.
    first_row: Value,
    rows: i64,
    columns: i64,
    /// Of a call, where `rows` and `columns` are only the most there can be.
    ends: Ends,
    depth: i64,
    features: i64,
    /// Rows of a lane in a fragment that are rows of the attention: all, or 1 where streamed rows are up to 8.
    halves: usize,
    /// The element of queries, keys, values and weights: bf16, or f32 (whose products are split), else f16.
    bf16: bool,
    splits: bool,
    /// f32 multiply-adds instead of split products.
    exact: bool,
    /// Some stores are one a row.
    stores_rows: bool,
    shared: Value,
    /// Bindings of the row variables for each row of this thread.
    row_bindings: Vec<Vec<(VarId, Binding)>>,
}

/// What goes round the loop over tiles.
#[derive(Clone)]
struct State {
    /// Largest score so far, and the sum of weights that this thread saw, of each of its rows.
    maxima: Vec<Value>,
    sums: Vec<Value>,
    /// Accumulator fragments of the result: by fragment of 16 rows, by 8 features, 4 each.
    out: Vec<Value>,
    /// Where split products are watched: NaN once one was not finite, else 0.
    doubt: Vec<Value>,
}

impl State {
    /// Multiplies the result so far by a factor for each row of this thread.
    fn scale(&mut self, e: &mut Emitter<'_>, factors: &[Value]) {
        let each = self.out.len() / (factors.len() / 2);
        for (at, value) in self.out.iter_mut().enumerate() {
            *value = e.code.mul_f(*value, factors[2 * (at / each) + at / 2 % 2]);
        }
    }

    fn flat(&self) -> Vec<Value> {
        [&self.maxima[..], &self.sums, &self.out, &self.doubt].concat()
    }

    fn of(&self, flat: &[Value]) -> State {
        let (maxima, rest) = flat.split_at(self.maxima.len());
        let (sums, rest) = rest.split_at(self.sums.len());
        let (out, doubt) = rest.split_at(self.out.len());
        State { maxima: maxima.to_vec(), sums: sums.to_vec(), out: out.to_vec(), doubt: doubt.to_vec() }
    }
}

/// Emits the kernel.
pub fn emit(e: &mut Emitter<'_>, schedule: &AttentionSchedule) -> Result<(), EmitError> {
    let plan = e.plan;
    let Body::Attention(a) = &plan.body else { return Err(e.malformed("not attention")) };
    let thread = e.abi.thread_id(&mut e.code);
    let (lane, warp) = (e.code.and_k(thread, 31), e.code.shr_uk(thread, 5));
    let mut kernel = Kernel::new(e, a, schedule, [thread, lane, warp])?;
    if let Some(most) = kernel.registers_max() {
        e.abi.attribute(&format!("nvvm.maxnreg = {most} : i32"));
    }
    let index = e.index;
    let group = e.abi.workgroup_id(&mut e.code, index);
    kernel.start_block(e, group)?;
    let bytes = kernel.shared_bytes();
    if schedule.tiles.is_some() {
        if bytes > i64::from(e.target.shared_bytes_max) || bytes != i64::from(schedule.shared_bytes()) {
            return Err(e.unfit("shared memory of attention"));
        }
        kernel.shared = e.abi.dynamic_shared(&mut e.code);
    } else {
        kernel.shared = e.abi.shared_array(&mut e.code, Scalar::I8, bytes as u64);
    }
    let query = kernel.query(e)?;
    let ranges = Ranges::new(e, &kernel)?;
    let state = kernel.start(e);
    let range = &mut |e: &mut Emitter<'_>, tiles, state| ranges.range(e, &kernel, &query, tiles, state);
    let state = ranges.run(e, &kernel, state, range)?;
    let state = kernel.mended(e, &ranges, &query, state)?;
    kernel.finish(e, state)
}

impl<'a> Kernel<'a> {
    /// The registers a thread may have, said by name: left to itself, ptxas takes 96 for one more workgroup a unit and
    /// spills 4 to 16 bytes; of up to 80 f32 features it takes 128 to 168.
    fn registers_max(&self) -> Option<u32> {
        let widest = self.depth.max(self.features);
        match self.splits {
            false if widest <= 32 => Some(128),
            true if widest <= 32 => Some(168),
            true if widest <= 80 => Some(255),
            _ => None,
        }
    }

    /// `[thread, lane, warp]` say where this thread is.
    fn new(
        e: &mut Emitter<'_>,
        a: &'a Attention,
        s: &'a AttentionSchedule,
        [thread, lane, warp]: [Value; 3],
    ) -> Result<Kernel<'a>, EmitError> {
        let extent = |var| e.exprs.indices.extent(var);
        let (columns, depth, features) = (extent(a.column()), extent(a.depth()), extent(a.feature));
        let rows = a.row_count(e.exprs) as i64;
        let (bf16, splits) = match a.weight {
            ElementType::Bf16 => (true, false),
            ElementType::F16 => (false, false),
            ElementType::F32 if s.chunks.is_some() => (false, false),
            ElementType::F32 if s.tiles.is_some() => (false, true),
            _ => return Err(e.malformed("attention of elements that no kernel takes")),
        };
        let share = Share::of(s);
        let run_start = share.run_start(e, lane);
        Ok(Kernel {
            a,
            s,
            thread,
            lane,
            warp,
            share,
            run_start,
            first_row: thread,
            rows,
            columns,
            ends: Ends::of(e, a)?,
            depth,
            features,
            halves: if s.stream.is_some() && rows <= 8 { 1 } else { share.slots },
            bf16,
            splits,
            exact: false,
            stores_rows: a.stores_rows(e.exprs),
            shared: thread,
            row_bindings: Vec::new(),
        })
    }

    /// Binds the batch variables and the rows of a block, by its number; blocks that see the most columns come first.
    fn start_block(&mut self, e: &mut Emitter<'_>, number: Value) -> Result<(), EmitError> {
        let blocks = self.row_blocks(e);
        let resident = self.s.bulk.as_deref().is_some_and(|b| b.resident.is_some());
        let batch = self.a.batch(&e.plan.domain);
        let mut rest = number;
        // Workgroups that stay take all heavy blocks before the light ones.
        let batch_first = resident && !self.a.bands.is_empty();
        let block = if batch_first { None } else { Some(sizes::next_digit(e, &mut rest, blocks)) };
        for &var in batch.iter().rev() {
            let n = sizes::extent(e, var)?;
            let digit = sizes::next_digit(e, &mut rest, n);
            e.bind(var, Some(digit), 1, 0);
        }
        let mut block = block.unwrap_or(rest);
        if !self.a.bands.is_empty() {
            // Late rows see the most columns: they begin first.
            let blocks = blocks.value(e, block.ty);
            let last = e.code.add_ik(blocks, -1);
            block = e.code.sub_i(last, block);
        }
        self.first_row = e.code.int_k("arith.muli", block, i64::from(self.s.rows()));
        self.row_bindings.clear();
        for at in 0..self.row_slots() {
            let row = self.row(e, at);
            self.bind_row(e, row)?;
            let bindings = self.a.rows.iter().filter_map(|&v| Some((v, e.binding(v)?))).collect();
            self.row_bindings.push(bindings);
        }
        Ok(())
    }

    /// Rows of a thread.
    fn row_slots(&self) -> usize {
        self.halves * self.s.row_tiles as usize
    }

    /// The row number of a thread's slot; it may lie past the last row.
    fn row(&self, e: &mut Emitter<'_>, slot: usize) -> Value {
        let within = self.share.row(e, self.lane);
        let warp = e.code.int_k("arith.muli", self.warp, 16 * i64::from(self.s.row_tiles));
        let row = e.code.add_i(warp, within);
        let row = e.code.add_ik(row, self.share.row_distance() * slot as i64);
        let row = e.code.resize_u(row, e.index);
        e.code.add_i(self.first_row, row)
    }

    /// Whether workgroups reach past the last row.
    fn has_row_tail(&self) -> bool {
        self.ends.rows.is_some() || self.rows % i64::from(self.s.rows()) != 0
    }

    /// Binds the row variables at a row number, the last row where it is past that.
    fn bind_row(&self, e: &mut Emitter<'_>, row: Value) -> Result<(), EmitError> {
        let mut rest = row;
        if self.has_row_tail() {
            rest = self.row_end().clamped(e, "arith.minui", row);
        }
        for (at, &var) in self.a.rows.iter().enumerate().rev() {
            if at == 0 {
                e.bind(var, Some(rest), 1, 0);
            } else {
                let extent = sizes::extent(e, var)?;
                let digit = sizes::next_digit(e, &mut rest, extent);
                e.bind(var, Some(digit), 1, 0);
            }
        }
        Ok(())
    }

    fn use_row(&self, e: &mut Emitter<'_>, slot: usize) {
        for &(var, binding) in &self.row_bindings[slot] {
            e.rebind(var, binding);
        }
    }

    fn key_tile(&self) -> Tile {
        Tile {
            node: self.a.key,
            outer: Outer::Column,
            rows: self.s.columns.into(),
            limit: self.columns,
            inner: self.a.depth(),
            extent: self.depth,
            bytes: self.element_bytes(),
            offset: 0,
        }
    }

    fn value_tile(&self) -> Tile {
        let keys = self.key_tile();
        let (node, inner, extent) = (self.a.value, self.a.feature, self.features);
        Tile { node, inner, extent, offset: keys.bytes(), ..keys }
    }

    /// Queries lie where keys will, or behind keys and values if they stay.
    fn query_tile(&self) -> Tile {
        let keys = self.key_tile();
        let offset = match self.s.tiles {
            Some(_) => keys.bytes() + self.value_tile().bytes(),
            None => 0,
        };
        let (rows, limit) = (self.s.rows().into(), self.rows);
        Tile { node: self.a.query, outer: Outer::Row, rows, limit, offset, ..keys }
    }

    fn element_bytes(&self) -> i64 {
        if self.splits { 4 } else { 2 }
    }

    /// How f32 is multiplied.
    fn multiplier(&self) -> Multiplier {
        let atom = if self.a.precision == Precision::Tf32 { MatrixAtom::Tf32 } else { MatrixAtom::Tf32x3 };
        Multiplier { atom, elements: [ElementType::F32; 2] }
    }

    /// Keys, values and queries; a word a warp for what warps tell each other.
    fn shared_bytes(&self) -> i64 {
        let tiles = self.key_tile().bytes() + self.value_tile().bytes();
        let query = self.query_tile();
        tiles.max(query.offset + query.bytes()) + 4 * i64::from(self.s.warps)
    }

    /// The queries of the workgroup; as fragments of this warp where they do not stay.
    fn query(&self, e: &mut Emitter<'_>) -> Result<Query, EmitError> {
        let tile = self.query_tile();
        tile.clear_padding(e, self);
        tile.copy(e, self, self.first_row)?;
        tiles::arrived(e);
        let query = match self.s.tiles {
            Some(_) => Query::Shared(tile),
            None => {
                let fragments = Fragments::read_rows(e, self, &tile);
                e.abi.barrier(&mut e.code);
                Query::Held(fragments)
            }
        };
        self.key_tile().clear_padding(e, self);
        self.value_tile().clear_padding(e, self);
        Ok(query)
    }

    fn start(&self, e: &mut Emitter<'_>) -> State {
        let (low, zero) = (e.code.float(F32, f64::NEG_INFINITY), e.code.float(F32, 0.0));
        let count = self.s.row_tiles as usize * self.value_tile().padded() as usize / 2;
        let doubt = if self.watches() { vec![zero] } else { Vec::new() };
        State { maxima: vec![low; self.row_slots()], sums: vec![zero; self.row_slots()], out: vec![zero; count], doubt }
    }

    /// The state, or where a warp doubts it what multiply-adds give.
    fn mended(&self, e: &mut Emitter<'_>, ranges: &Ranges, query: &Query, state: State) -> Result<State, EmitError> {
        if !self.watches() {
            return Ok(state);
        }
        let flag = self.warp_doubts(e, &state);
        let flag = ranges::joined(e, self, flag);
        let doubted = e.code.cmp_ik("ne", flag, 0);
        let exact = Kernel { exact: true, ..self.clone() };
        let kept = State { doubt: Vec::new(), ..state };
        let types: Vec<Ty> = kept.flat().iter().map(|v| v.ty).collect();
        let results = e.code.begin_if(doubted, &types);
        let start = exact.start(e);
        let range = &mut |e: &mut Emitter<'_>, tiles, state| ranges.range(e, &exact, query, tiles, state);
        let again = ranges.run(e, &exact, start, range)?;
        e.code.begin_else(&again.flat());
        e.code.end_if(&kept.flat());
        Ok(kept.of(&results))
    }

    /// All columns of tile `at`, whose keys are on their way; starts the copy of the keys of the next tile before
    /// `end`.
    fn step(
        &self,
        e: &mut Emitter<'_>,
        query: &Query,
        (at, end): (Value, Value),
        whole: Option<Value>,
        state: &State,
    ) -> Result<State, EmitError> {
        let first = self.first_column(e, at);
        tiles::arrived(e);
        self.value_tile().copy(e, self, first)?;
        let products = query.products(e, self, &self.key_tile());
        let doubt = self.watched(e, &state.doubt, &products);
        tiles::arrived(e);
        let next = e.code.add_ik(at, 1);
        let more = e.code.cmp_i("slt", next, end);
        e.code.begin_if(more, &[]);
        let ahead = self.first_column(e, next);
        self.key_tile().copy(e, self, ahead)?;
        e.code.end_if(&[]);
        let scores = self.scores(e, first, whole, products)?;
        let (weights, factors, mut state) = self.softmax(e, scores, state);
        state.scale(e, &factors);
        let weights = Fragments::pack(e, self, &weights);
        let out = weights.multiply(e, self, &self.value_tile(), state.out.clone());
        Ok(State { out, doubt, ..state })
    }

    fn first_column(&self, e: &mut Emitter<'_>, tile: Value) -> Value {
        let first = e.code.int_k("arith.muli", tile, i64::from(self.s.columns));
        e.code.resize_u(first, e.index)
    }
}

/// The family's row.
pub const FAMILY: Family = Family {
    name: "attention",
    demanded: true,
    tries: &[Try {
        name: "attention",
        applies: |plan| matches!(plan.body, Body::Attention(_)),
        choose: |plan, asked| {
            Ok(Offer { schedule: candidates::choose(plan, asked.target), cycles: None, at_worst: 1.0 })
        },
        costs: no_costs,
    }],
    candidates: Some(candidates::candidates),
    named: None,
    together: None,
    side_by_side: None,
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let Body::Attention(_) = &plan.body else { return None };
    if let Some(lanes) = plan.schedule_as::<AttentionLanes>() {
        return Some(lanes::emit(e, lanes));
    }
    let schedule = plan.schedule_as::<AttentionSchedule>()?;
    Some(match (schedule.bulk.as_deref(), &schedule.stream, schedule.chunks) {
        (Some(bulk), ..) => warpgroups::emit(e, schedule, bulk),
        (None, Some(stream), _) => stream::emit(e, schedule, stream),
        (None, None, Some(chunks)) => chunks::emit(e, schedule, chunks),
        (None, None, None) => emit(e, schedule),
    })
}

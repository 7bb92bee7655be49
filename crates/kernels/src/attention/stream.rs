//! Attention of up to 16 rows (decoding): warps stream keys and values from memory, and a cluster adds its warps'
//! results up.
//!
//! A tile is 16 columns of one warp; the warps of all workgroups of a cluster take turns at the visible tiles, so that
//! a short part of a long cache is shared evenly too. A warp copies to shared memory, some tiles ahead, what it will
//! itself read from there: nothing is waited for but the warp's own copies, and no register holds what is on its way.
//! 16 bytes are a piece of a fragment as they lie: `mma.sync` does not mind in which order the contraction goes, nor
//! how its rows are numbered. Scores are rows × columns; results are features × rows, so that 8 rows cost no more than
//! one. At the end every warp has a maximum, a sum and sums of values for each row: added up in the workgroup's shared
//! memory, then over the cluster, in order of their numbers: the same bits every time.
//!
//! | operand | lane (g = lane / 4, t = lane mod 4) loads | is |
//! | --- | --- | --- |
//! | keys | column g of 8, depth 32·i + 8·t … + 8 | the column operand of steps 2i and 2i + 1 |
//! | queries | row g (+ 8), the same depth | their row operand |
//! | values | columns 2t, 2t + 1, 2t + 8, 2t + 9, features 64·h + 8·g … + 8 | paired: row operands, 16 × 16 |
//!
//! The row operands of values are 16 features × 16 columns.
//!
//! Worked example: 32 heads of 1 row, 128 features, 4096 columns: 32 clusters of 8 workgroups of 4 warps; a warp goes
//! through 8 tiles of 16 loads a lane, 16 + 8 products and 16 exponentials a row.

mod copies;
pub(super) mod early;
mod records;

use super::schedule::AttentionStream;
use crate::attention::schedule::AttentionSchedule;
use fornax_plan::{Attention, Body, Node, NodeId, VarId};

use super::fragments::{multiply, pack_pair};
use super::ranges::Ranges;
use super::{F32, I32, Kernel, State};
use fornax_emit::blocks::hopper::barrier;
use fornax_emit::blocks::hopper::bulk;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::kept;
use fornax_emit::text::{Scalar, Ty, Value};

/// Depth that a row of four lanes loads at once, features that eight lanes load at once.
const DEPTH: i64 = 32;
const FEATURES: i64 = 64;
/// Elements of a load.
const CHUNK: i64 = 8;
const LANES: i64 = 32;
/// Columns of values that a lane reads, from twice its place in its quad on.
const VALUE_COLUMNS: [i64; 4] = [0, 1, 8, 9];

/// The kernel and where a thread is.
struct Stream<'a> {
    k: Kernel<'a>,
    s: &'a AttentionStream,
    shared: Value,
    thread: Value,
    warp: Value,
    /// The workgroup's number in its cluster.
    rank: Value,
    /// The lane's row of four, and its place there (i32), and eight times both as indices.
    group: Value,
    quad: Value,
    group_chunk: Value,
    quad_chunk: Value,
    /// How the second-level cache shall treat what bulk copies read, where it is told.
    policy: Option<Value>,
}

/// Emits the kernel.
pub fn emit(e: &mut Emitter<'_>, schedule: &AttentionSchedule, stream: &AttentionStream) -> Result<(), EmitError> {
    let plan = e.plan;
    let Body::Attention(a) = &plan.body else { return Err(e.malformed("not attention")) };
    if stream.cluster > 1 {
        e.abi.attribute(&format!("nvvm.cluster_dim = array<i32: {}, 1, 1>", stream.cluster));
    }
    let stream = Stream::new(e, a, schedule, stream)?;
    let ranges = Ranges::new(e, &stream.k)?;
    if !plan.early.is_empty() {
        stream.begin(e, &ranges)?;
    }
    let state = stream.fold(e, &ranges)?;
    // Records lie where tiles were.
    e.abi.barrier(&mut e.code);
    stream.write(e, &state);
    e.abi.barrier(&mut e.code);
    if stream.s.cluster == 1 {
        return stream.results(e);
    }
    stream.add_up_warps(e)?;
    barrier::meet_cluster(&mut e.code);
    stream.results(e)?;
    barrier::part_cluster(&mut e.code);
    Ok(())
}

impl<'a> Stream<'a> {
    fn new(
        e: &mut Emitter<'_>,
        a: &'a Attention,
        schedule: &'a AttentionSchedule,
        s: &'a AttentionStream,
    ) -> Result<Stream<'a>, EmitError> {
        let thread = e.abi.thread_id(&mut e.code);
        let (lane, warp, zero) = (e.code.and_k(thread, 31), e.code.shr_uk(thread, 5), e.code.int(I32, 0));
        let mut k = Kernel::new(e, a, schedule, [thread, lane, zero])?;
        if k.depth % DEPTH != 0 || k.features % FEATURES != 0 || k.rows > 16 {
            return Err(e.unfit("rows or vectors of attention"));
        }
        let shared = e.abi.dynamic_shared(&mut e.code);
        let index = e.index;
        let number = e.abi.workgroup_id(&mut e.code, index);
        let cluster = i64::from(s.cluster);
        let (block, rank) = e.code.div_rem(number, cluster);
        let rank = e.code.resize_u(rank, Scalar::I32);
        k.start_block(e, block)?;
        let (group, quad) = (e.code.shr_uk(lane, 2), e.code.and_k(lane, 3));
        let mut chunk = |value: Value| {
            let chunk = e.code.int_k("arith.muli", value, CHUNK);
            e.code.resize_u(chunk, index)
        };
        let (group_chunk, quad_chunk) = (chunk(group), chunk(quad));
        let policy = s.beyond_cache.then(|| kept::policy(&mut e.code, "evict_first"));
        Ok(Stream { k, s, shared, thread, warp, rank, group, quad, group_chunk, quad_chunk, policy })
    }

    fn halves(&self) -> usize {
        self.k.halves
    }

    /// This warp's first tile, and where the last one ends.
    fn own_tiles(&self, e: &mut Emitter<'_>, ranges: &Ranges) -> (Value, Value) {
        let (from, to) = if Ranges::needs_passes(e, &self.k) { ranges.all() } else { ranges.visible() };
        let own = e.code.int_k("arith.muli", self.rank, i64::from(self.k.s.warps));
        let own = e.code.add_i(own, self.warp);
        (e.code.add_i(from, own), to)
    }

    /// From one of its tiles to the next.
    fn step(&self) -> i64 {
        i64::from(self.k.s.warps * self.s.cluster)
    }

    /// Tiles on their way beside the one that is used.
    fn ahead(&self) -> i64 {
        i64::from(self.s.stages) - 1
    }

    /// Goes through this warp's tiles.
    fn fold(&self, e: &mut Emitter<'_>, ranges: &Ranges) -> Result<State, EmitError> {
        let (low, zero) = (e.code.float(F32, f64::NEG_INFINITY), e.code.float(F32, 0.0));
        let out = vec![zero; self.halves() * self.k.features as usize / 4];
        let state = State { maxima: vec![low; self.halves()], sums: vec![zero; self.halves()], out, doubt: Vec::new() };
        let early = if self.s.beyond_cache { None } else { Some(self.query(e)?) };
        let (from, to) = self.own_tiles(e, ranges);
        let (step, ahead) = (self.step(), self.ahead());
        self.start_copies(e);
        for at in 0..ahead {
            let (tile, slot) = (e.code.add_ik(from, at * step), e.code.int(I32, at));
            self.copy(e, (tile, to), slot)?;
        }
        let query = early.map_or_else(|| self.query(e), Ok)?;
        let (step_value, zero) = (e.code.int(I32, step), e.code.int(I32, 0));
        let open = e.code.begin_for(from, to, step_value, &[&[zero, zero], &state.flat()[..]].concat());
        let (slot, turn, inside) = (open.carried[0], open.carried[1], state.of(&open.carried[2..]));
        let (tile, free) = (e.code.add_ik(open.iv, ahead * step), self.slot_after(e, slot, ahead));
        if self.s.bulk {
            // What was read of the slot is over before the copy engine writes there.
            bulk::fence_shared(&mut e.code);
        }
        meet_warp(e);
        self.copy(e, (tile, to), free)?;
        self.wait(e, (slot, turn));
        meet_warp(e);
        let next = self.tile(e, ranges, (open.iv, slot), &query, inside)?;
        let after = self.slot_after(e, slot, 1);
        // Barriers turn once a round of slots.
        let around = e.code.cmp_ik("eq", after, 0);
        let around = e.code.resize_u(around, Scalar::I32);
        let turn = e.code.xor(turn, around);
        let results = e.code.end_for(open, &[&[after, turn], &next.flat()[..]].concat());
        if !self.s.bulk {
            e.code.line("nvvm.cp.async.wait.group 0");
        }
        Ok(state.of(&results[2..]))
    }

    fn slot_after(&self, e: &mut Emitter<'_>, slot: Value, steps: i64) -> Value {
        let stages = i64::from(self.s.stages);
        let next = e.code.add_ik(slot, steps);
        let around = e.code.cmp_ik("sge", next, stages);
        let first = e.code.add_ik(next, -stages);
        e.code.select(around, first, next)
    }

    fn read(&self, e: &mut Emitter<'_>, there: Value) -> Vec<Value> {
        let ty = Ty::vector(Scalar::I32, 4);
        let all = e.code.effect(ty, &format!("llvm.load {there} {{alignment = 16 : i64}} : {} -> {ty}", there.ty));
        (0..4).map(|word| e.code.extract(all, word)).collect()
    }

    /// Eight elements from `base + offset` along `inner`, as words.
    fn words(
        &self,
        e: &mut Emitter<'_>,
        node: NodeId,
        (inner, base, offset): (VarId, Value, i64),
    ) -> Result<Vec<Value>, EmitError> {
        let Node::Load { buffer, offset: place, mask: None, .. } = *e.exprs.node(node) else {
            return Err(e.malformed("operands of attention that are no plain loads"));
        };
        e.lanes = CHUNK as u32;
        e.bind_lanes(inner, Some(base), CHUNK, offset);
        let words = e.load_words(buffer, place);
        e.lanes = 1;
        words
    }

    /// The queries as row operands of each step.
    fn query(&self, e: &mut Emitter<'_>) -> Result<Vec<[Value; 4]>, EmitError> {
        let zero = e.code.int(I32, 0);
        let mut steps = Vec::new();
        for at in 0..self.k.depth / DEPTH {
            let mut rows = [vec![zero; 4], vec![zero; 4]];
            for (half, words) in rows.iter_mut().enumerate().take(self.halves()) {
                self.k.use_row(e, half);
                *words = self.words(e, self.k.a.query, (self.k.a.depth(), self.quad_chunk, DEPTH * at))?;
            }
            for pair in [0, 2] {
                steps.push([rows[0][pair], rows[1][pair], rows[0][pair + 1], rows[1][pair + 1]]);
            }
        }
        Ok(steps)
    }

    /// Binds the column `lane_part + offset` of a tile, the last one where it is past that.
    fn bind_column(&self, e: &mut Emitter<'_>, column: Value, offset: i64) {
        let mut at = e.code.add_ik(column, offset);
        if self.k.has_column_tail() {
            at = e.code.int_k("arith.minui", at, self.k.columns - 1);
        }
        e.bind(self.k.a.column(), Some(at), 1, 0);
    }

    /// Multiplies a tile that has arrived, weighs, multiplies.
    fn tile(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        (tile, slot): (Value, Value),
        query: &[[Value; 4]],
        state: State,
    ) -> Result<State, EmitError> {
        let first = self.k.first_column(e, tile);
        let mut keys = Vec::new();
        for block in 0..2 {
            for at in 0..self.k.depth / DEPTH {
                let chunk = e.code.add_ik(self.quad, 4 * at);
                let place = self.key_place(e, slot, (block, self.group, chunk));
                keys.push(self.read(e, place));
            }
        }
        let mut values = Vec::new();
        for offset in VALUE_COLUMNS {
            for at in 0..self.k.features / FEATURES {
                let place = self.value_place(e, slot, (offset, at));
                values.push(self.read(e, place));
            }
        }
        let zero = e.code.float(F32, 0.0);
        let mut products = vec![zero; 8];
        for (block, keys) in keys.chunks(query.len() / 2).enumerate() {
            let sums = &mut products[4 * block..4 * block + 4];
            for (at, words) in keys.iter().enumerate() {
                multiply(e, self.k.bf16, &query[2 * at], &words[..2], sums);
                multiply(e, self.k.bf16, &query[2 * at + 1], &words[2..], sums);
            }
        }
        let whole = ranges.is_whole(e, tile);
        let scores = self.k.scores(e, first, whole, vec![products])?;
        let (weights, factors, mut state) = self.k.softmax(e, scores, &state);
        self.rescale(e, &mut state, &factors);
        self.accumulate(e, &weights[0], &values, &mut state.out);
        Ok(state)
    }

    /// Brings results down to new maxima, if a row of the warp has one. A lane's results are of rows 2t and 2t + 1 (+
    /// 8).
    fn rescale(&self, e: &mut Emitter<'_>, state: &mut State, factors: &[Value]) {
        let mut changed = e.code.bits(Ty::scalar(Scalar::I1), 0);
        for &factor in factors {
            let other = e.code.cmp_fk("une", factor, 1.0);
            changed = e.code.or(changed, other);
        }
        let all = e.code.int(I32, -1);
        let any = e.code.effect(Ty::scalar(Scalar::I1), &format!("nvvm.vote.sync any {all}, {changed} -> i1"));
        let types: Vec<Ty> = state.out.iter().map(|v| v.ty).collect();
        let results = e.code.begin_if(any, &types);
        let mut scaled = state.out.clone();
        let each = scaled.len() / factors.len();
        for (half, &factor) in factors.iter().enumerate() {
            // Row r is held by lanes 4r … 4r + 3.
            let source = e.code.shl_k(self.quad, 3);
            let rows = [0, 4].map(|next| {
                let lane = e.code.add_ik(source, next);
                let clamp = e.code.int(I32, 31);
                e.code.effect(F32, &format!("nvvm.shfl.sync idx {all}, {factor}, {lane}, {clamp} : f32 -> f32"))
            });
            for (at, value) in scaled[half * each..(half + 1) * each].iter_mut().enumerate() {
                *value = e.code.mul_f(*value, rows[at % 2]);
            }
        }
        e.code.begin_else(&scaled);
        e.code.end_if(&state.out);
        state.out = results;
    }

    /// `out += valuesᵀ · weightsᵀ`, 16 features a product.
    fn accumulate(&self, e: &mut Emitter<'_>, weights: &[Value], values: &[Vec<Value>], out: &mut [Value]) {
        let sets = (self.k.features / FEATURES) as usize;
        let each = out.len() / self.halves();
        let mut columns = Vec::new();
        for half in 0..self.halves() {
            let pack = |e: &mut Emitter<'_>, block: usize| {
                let at = 4 * block + 2 * half;
                pack_pair(e, self.k.bf16, weights[at], weights[at + 1])
            };
            columns.push([pack(e, 0), pack(e, 1)]);
        }
        for set in 0..sets {
            let [a, b, c, d] = [0, 1, 2, 3].map(|column| values[column * sets + set].iter());
            for (word, (((&a, &b), &c), &d)) in a.zip(b).zip(c).zip(d).enumerate() {
                let (low, high) = (e.code.paired_halves(a, b), e.code.paired_halves(c, d));
                let rows = [low[0], low[1], high[0], high[1]];
                for (half, columns) in columns.iter().enumerate() {
                    let at = half * each + 4 * (4 * set + word);
                    multiply(e, self.k.bf16, &rows, columns, &mut out[at..at + 4]);
                }
            }
        }
    }
}

/// The lanes of a warp meet: what each read is free, what each has copied is there for all.
fn meet_warp(e: &mut Emitter<'_>) {
    let all = e.code.int(I32, -1);
    e.code.line(&format!("nvvm.bar.warp.sync {all} : i32"));
}

//! Contractions with few outputs on one side: the long operand streams by once.
//!
//! A thread fetches `depth` blocks of the long operand in loads of `lanes` elements, the short operand's elements
//! next to them, multiplies in the accumulator's type (on AMD several f16 or bytes at a time, `dot`), and goes on
//! `down` blocks further. Partial sums of a subgroup meet by lane exchange, those of the subgroups in shared memory,
//! where every output is added up in a fixed order by one thread, which also does the stores; workgroups of a cluster
//! that share outputs send their sums to the one that stores them (`finish`). Operands may be any expressions. See
//! [`GemvSchedule`] for the numbers.
//!
//! Worked example: [1, 4096]·[4096, 4096]ᵀ bf16: lanes inside, 8 a load, 4 rows a thread, 1 × 128 threads: a thread
//! does blocks d, d + 128, … of 512, each 4 loads of weights, 1 of the vector and 32 products; 5 exchanges a row, 4
//! partial sums a row in shared memory, 4 threads store.

use std::ops::Range;

use crate::gemv::schedule::{GemvSchedule, QUAD_THREADS, QUADS};
use fornax_graph::ElementType;
use fornax_plan::{Body, NodeId, VarId, form};

use fornax_targets::{Backend, Feature};

use super::affine::{Affine, LANES_MIN, Worth};
use super::early::Begun;
use super::finish;
use super::finish::Kept;
use super::matrix;
use super::prefetch::meet;
use super::products::{Space, Stage, Stages, Term};
use super::quads_shape;
use super::registers;
use super::ring::Ring;
use super::steps::{ByThreads, Steps};
use super::unpacked::{self, Place};
use fornax_emit::blocks::dot::Dots;
use fornax_emit::blocks::product::multiply_add;
use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Ty, Value};

/// Loads of 16 bytes of a line of the first-level cache: neighbours who read as many read it whole.
const LINE_LOADS: u32 = 8;

/// Variables with their present bindings.
pub(super) type Bound = Vec<(VarId, Binding)>;

pub(super) struct Gemv<'a> {
    pub schedule: &'a GemvSchedule,
    /// Which products are computed together; of [`Gemv::dots`] the operands before conversions.
    pub stages: Stages,
    /// Some long operands have something in common to the lanes of a load (`unpacked`).
    is_unpacked: bool,
    /// The short operands' type where matrix instructions multiply them (`quads`).
    pub half: Option<ElementType>,
    /// How words of both are multiplied, which then are what they were before conversions, as in memory.
    dots: Option<Dots>,
    pub element: ElementType,
    /// The first-level cache does not keep the long operands, so that it keeps the short ones, which all workgroups
    /// read. Source: a step of Llama on one H200: 3.2 1B in bf16 0.774 -> 0.766 ms, 8 of 3.1 8B's layers in E4M3
    /// 0.780 -> 0.770, in bf16 1.148 -> 1.146.
    once: bool,
    /// This workgroup's number in its cluster, where there are clusters.
    pub rank: Option<Value>,
    /// Long outputs, short outputs.
    pub columns: i64,
    pub rows: i64,
}

/// What a thread has fetched of one block.
pub(super) struct Block {
    /// By long operand, one vector a load: by row of the operand where the lanes are inside, else by step.
    pub long: Vec<Vec<Value>>,
    /// By short operand, one vector (along the block) a short output.
    pub short: Vec<Vec<Value>>,
}

/// Emits the kernel.
pub fn emit<'a>(e: &mut Emitter<'a>, schedule: &'a GemvSchedule) -> Result<(), EmitError> {
    let mut gemv = Gemv::new(e, schedule)?;
    if gemv.columns == 0 || gemv.rows == 0 {
        return Ok(());
    }
    let thread = e.abi.thread_id(&mut e.code);
    let index = e.index;
    let mut group = e.abi.workgroup_id(&mut e.code, index);
    if schedule.cluster > 1 {
        gemv.rank = Some(finish::join_cluster(e, schedule.cluster, &mut group));
    }
    let group_count = schedule.groups(e.plan) as i64;
    let column_group = e.next_digit(&mut group, group_count);
    bind_joint(e, &schedule.batch, group);
    let place = (thread, column_group);
    if schedule.matrix {
        return matrix::emit(e, &gemv, place);
    }
    if schedule.quads {
        registers::limit_registers(e, schedule);
    }
    let (down, across) = split_thread(e, schedule, thread);
    let points = gemv.long_points(e, column_group, across);
    if gemv.is_unpacked {
        return unpacked::emit(e, &gemv, &Place { thread, column_group, down, across }, &points);
    }
    let is_early = gemv.is_early(e)?;
    gemv.once = is_early && schedule.inside && schedule.down >= LINE_LOADS;
    let steps = |space| ByThreads { gemv: &gemv, space, points: &points };
    let mut all = if schedule.ahead { gemv.begin_all(e, &points, down)? } else { Vec::new() };
    let mut begun = None;
    let ring = Ring::of(e, &gemv, (thread, down))?;
    if let Some(first) = gemv.stages.spaces().next()
        && let Some(ring) = &ring
    {
        ring.fill(e, &steps(first))?;
    } else if is_early
        && all.is_empty()
        && let Some(first) = gemv.stages.spaces().next()
    {
        begun = gemv.begin_first(e, down, &steps(first))?;
    }
    let output = if is_early { gemv.before_wait(e, place)? } else { None };
    let is_settled = ring.is_none() && gemv.is_settled(e);
    let (mut fetched, mut late) = (Vec::new(), None);
    if is_settled {
        (fetched, late) = (gemv.fetch_all(e, std::mem::take(&mut all))?, begun.take());
    }
    let ahead = if late.is_none() { gemv.wait(e, place, (is_early, output.clone()))? } else { None };
    let mut kept = Kept { parts: 0, stride: gemv.rows * schedule.width() as i64, array: None, ahead };
    fetched.extend(gemv.fetch_all(e, all)?);
    let mut fetched = fetched.into_iter();
    for stage in &gemv.stages.stages {
        let mut sums = gemv.cleared(e, stage)?;
        for space in &stage.spaces {
            if let Some(blocks) = fetched.next() {
                sums = gemv.multiply_all(e, space, &blocks, sums)?;
                continue;
            }
            let mut done = 0;
            if let Some(ring) = &ring {
                (done, sums) = ring.fold(e, &steps(space), sums)?;
            }
            if let Some(first) = late.take() {
                done = first.starts.len() as i64;
                sums = gemv.go_on(e, &steps(space), first, sums)?;
                kept.ahead = gemv.wait(e, place, (true, output.clone()))?;
            }
            sums = gemv.fold_from(e, (down, sums), &steps(space), (done, begun.take()))?;
        }
        let shares = gemv.exchange(e, sums, down)?;
        let entries = gemv.entries(e, &shares, (across, stage.sums.start));
        kept.parts = shares.parts;
        gemv.keep(e, &mut kept, (&entries, shares.writes))?;
    }
    gemv.finish(e, &kept, place)
}

/// Where a block starts: bindings of the outer reduction variables, place of the last; its number among all.
pub(super) struct Start {
    pub outer: Bound,
    pub base: Value,
    pub number: Value,
}

/// Some loads of a block of a long operand, whose steps lie along `inner`.
pub(super) struct LongRead<'p> {
    pub points: &'p [Bound],
    pub inner: VarId,
    pub long: NodeId,
    pub loads: Range<usize>,
}

/// Binds variables, the last the fastest, to the digits of a number.
pub(super) fn bind_joint(e: &mut Emitter<'_>, vars: &[VarId], number: Value) {
    let mut rest = number;
    for (at, &var) in vars.iter().enumerate().rev() {
        let extent = e.exprs.indices.extent(var);
        let value = if at == 0 { rest } else { e.next_digit(&mut rest, extent) };
        e.bind(var, Some(value), 1, 0);
    }
}

/// A thread's place down the contraction and across the outputs, i32.
fn split_thread(e: &mut Emitter<'_>, s: &GemvSchedule, thread: Value) -> (Value, Value) {
    if s.quads {
        let (quad, own) = e.code.div_rem(thread, i64::from(QUAD_THREADS));
        let (subgroup, across) = e.code.div_rem(quad, i64::from(QUADS));
        let first = e.code.int_k("arith.muli", subgroup, i64::from(QUAD_THREADS));
        return (e.code.add_i(first, own), across);
    }
    let (fast, slow) = if s.inside { (s.down, s.across) } else { (s.across, s.down) };
    let (low, high) = match (fast, slow) {
        (_, 1) => (thread, e.code.int(thread.ty, 0)),
        (1, _) => (e.code.int(thread.ty, 0), thread),
        _ => {
            let fast = i64::from(fast);
            (e.code.int_k("arith.remui", thread, fast), e.code.int_k("arith.divui", thread, fast))
        }
    };
    if s.inside { (low, high) } else { (high, low) }
}

impl<'a> Gemv<'a> {
    fn new(e: &mut Emitter<'a>, schedule: &'a GemvSchedule) -> Result<Gemv<'a>, EmitError> {
        let plan = e.plan;
        let accumulator = match &plan.body {
            Body::Contraction { accumulator, .. } => *accumulator,
            Body::Products(p) => p.accumulator,
            _ => return Err(e.malformed("not a contraction")),
        };
        let mut stages = Stages::of(plan, schedule.long_is_lhs);
        if stages.stages.is_empty() {
            return Err(e.malformed("a contraction over nothing"));
        }
        let s = schedule;
        let extent = |v: &VarId| plan.exprs.indices.extent(*v).max(0);
        let along = |inner: &VarId| if s.inside { Some(extent(inner)) } else { s.long.last().map(extent) };
        let zero = [s.lanes, s.tile, s.depth, s.across, s.down].contains(&0);
        let fits = |space: &Space| {
            let along = along(&space.inner);
            along.map_or(s.lanes == 1, |n| n % i64::from(s.lanes) == 0) && extent(&space.inner) % s.block() as i64 == 0
        };
        if zero || !stages.spaces().all(fits) {
            return Err(e.unfit("the lanes or blocks of a GEMV schedule do not divide its extents"));
        }
        let powers = s.across.is_power_of_two() && (s.quads || s.down.is_power_of_two()) && s.across <= e.abi.subgroup;
        if !e.abi.is_gpu() || !powers || s.threads() > e.target.max_threads_per_block {
            return Err(e.unfit(format!("{} x {} threads of a GEMV schedule", s.across, s.down)));
        }
        if !(1..=8).contains(&s.cluster) || s.cluster > 1 && !e.target.has(Feature::Cluster) {
            return Err(e.unfit(format!("clusters of {} workgroups", s.cluster)));
        }
        let points = |vars: &[VarId]| vars.iter().map(extent).product::<i64>();
        let dots = Gemv::dots(e, schedule, &mut stages, accumulator);
        if dots.is_none() && s.inside && !s.matrix && s.lanes >= LANES_MIN && accumulator == ElementType::F32 {
            let worth = Worth::on_gpu(e.target.backend == Backend::Cuda && s.lanes.is_multiple_of(4));
            for space in stages.stages.iter_mut().flat_map(|stage| &mut stage.spaces) {
                let affine = |&long: &NodeId| Affine::of(&plan.exprs, long, space.inner, worth);
                space.affine = space.long.iter().map(affine).collect();
            }
        }
        let is_affine = |space: &Space| space.affine.iter().any(|affine| !affine.is_plain());
        let is_unpacked = s.staged || stages.spaces().any(is_affine);
        let half = if s.quads { Some(quads_shape::operands(e, s, &stages)?) } else { None };
        if s.cluster > 1 && stages.places.len() > 1 {
            return Err(e.unfit("several sums in a cluster"));
        }
        let (columns, rows) = (points(&s.long), points(&s.short));
        let (element, once, rank) = (accumulator, false, None);
        Ok(Gemv { schedule, stages, is_unpacked, half, dots, element, once, rank, columns, rows })
    }

    /// How words of operands are multiplied, if those of all products are: the operands then are what they were before
    /// conversions.
    fn dots(e: &Emitter<'_>, s: &GemvSchedule, stages: &mut Stages, accumulator: ElementType) -> Option<Dots> {
        let exprs = e.exprs;
        let narrow = |node: NodeId| form::exact_source(exprs, node);
        let whole = |dots: &Dots| s.inside && !s.matrix && s.lanes.is_multiple_of(dots.each());
        let pairs = || stages.spaces().flat_map(|x| x.terms.iter().map(|t| [x.long[t.long], x.short[t.short]]));
        let types = |pair: [NodeId; 2]| pair.map(|node| exprs.element(narrow(node)));
        let first = types(pairs().next()?);
        let dots = Dots::of(e, first, accumulator).filter(whole)?;
        if !pairs().all(|pair| types(pair) == first) {
            return None;
        }
        for space in stages.stages.iter_mut().flat_map(|stage| &mut stage.spaces) {
            space.long.iter_mut().chain(&mut space.short).for_each(|node| *node = narrow(*node));
        }
        Some(dots)
    }

    /// Bindings of the long variables for each load of a block (one set where the lanes lie along them).
    fn long_points(&self, e: &mut Emitter<'_>, column_group: Value, across: Value) -> Vec<Bound> {
        let s = self.schedule;
        let first = e.code.int_k("arith.muli", column_group, i64::from(s.across));
        let across = e.code.resize_u(across, e.index);
        let unit = e.code.add_i(first, across);
        if s.inside {
            let start = e.code.int_k("arith.muli", unit, i64::from(s.tile));
            let whole = self.columns % s.width() as i64 == 0;
            return (0..i64::from(s.tile))
                .map(|row| {
                    let mut number = e.code.add_ik(start, row);
                    if !whole {
                        let last = e.code.int(number.ty, self.columns - 1);
                        number = e.code.binary("arith.minsi", number, last);
                    }
                    bind_joint(e, &s.long, number);
                    bindings(e, &s.long)
                })
                .collect();
        }
        let lanes = i64::from(s.lanes);
        let units = self.columns / lanes;
        let mut unit = unit;
        if units % i64::from(s.across) != 0 {
            let last = e.code.int(unit.ty, units - 1);
            unit = e.code.binary("arith.minsi", unit, last);
        }
        if let Some((&last, outer)) = s.long.split_last() {
            let extent = e.exprs.indices.extent(last) / lanes;
            let digit = if outer.is_empty() { unit } else { e.next_digit(&mut unit, extent) };
            bind_joint(e, outer, unit);
            e.lanes = s.lanes;
            let base = e.code.int_k("arith.muli", digit, lanes);
            e.bind_lanes(last, Some(base), lanes, 0);
        }
        vec![bindings(e, &s.long)]
    }

    /// The long variables of a tile's first row, where the others of `points` follow it along the last one.
    pub(super) fn neighbours<'p>(&self, e: &Emitter<'_>, points: &'p [Bound]) -> Option<&'p Bound> {
        let s = self.schedule;
        let (&last, tile) = (s.long.last()?, i64::from(s.tile));
        // The rows of a turn behind the last one are the last tile's again.
        let whole = s.turns > 0 || self.columns % s.width() as i64 == 0 && tile > 1;
        points.first().filter(|_| s.inside && whole && e.exprs.indices.extent(last) % tile == 0)
    }

    /// Zero for each of the thread's sums of a stage: by number of the sum, then short outputs, then long ones (vectors
    /// of lanes where these lie along them).
    pub(super) fn cleared(&self, e: &mut Emitter<'_>, stage: &Stage) -> Result<Vec<Value>, EmitError> {
        let s = self.schedule;
        let scalar = e.register_scalar(self.element)?;
        let ty = if s.inside { Ty::scalar(scalar) } else { Ty::vector(scalar, s.lanes) };
        let each = if s.inside { i64::from(s.tile) } else { 1 };
        let zero = e.code.bits(ty, 0);
        Ok(vec![zero; stage.sums.len() * (self.rows * each) as usize])
    }

    /// Threads (or subgroups) down the contraction, those of all workgroups of a cluster.
    pub(super) fn all_down(&self) -> i64 {
        i64::from(self.schedule.down) * i64::from(self.schedule.cluster)
    }

    /// Blocks of a space's steps.
    pub(super) fn blocks(&self, e: &Emitter<'_>, space: &Space) -> i64 {
        let steps: i64 = space.reduction.iter().map(|&v| e.exprs.indices.extent(v).max(0)).product();
        steps / self.schedule.block() as i64
    }

    /// Rounds of a space's blocks that every thread has one of, and those blocks that only some have.
    pub(super) fn full_rounds(&self, e: &Emitter<'_>, space: &Space) -> (i64, i64) {
        let (blocks, threads) = (self.blocks(e, space), self.all_down());
        (blocks / threads, blocks % threads)
    }

    /// The number of a thread (or subgroup) among those down the contraction, in all workgroups of a cluster.
    pub(super) fn own_down(&self, e: &mut Emitter<'_>, down: Value) -> Value {
        let down = e.code.resize_u(down, e.index);
        let Some(rank) = self.rank else { return down };
        let first = e.code.int_k("arith.muli", rank, i64::from(self.schedule.down));
        let first = e.code.resize_u(first, e.index);
        e.code.add_i(down, first)
    }

    /// Adds all products of the blocks of thread (or subgroup) `down` to sums; the first are `begun`.
    pub(super) fn fold<S: Steps>(
        &self,
        e: &mut Emitter<'_>,
        threads: (Value, Vec<Value>),
        steps: &S,
        begun: Option<Begun<S>>,
    ) -> Result<Vec<Value>, EmitError> {
        self.fold_from(e, threads, steps, (0, begun))
    }

    /// The same behind so many rounds, where none is begun.
    fn fold_from<S: Steps>(
        &self,
        e: &mut Emitter<'_>,
        (down, mut sums): (Value, Vec<Value>),
        steps: &S,
        (mut done, begun): (i64, Option<Begun<S>>),
    ) -> Result<Vec<Value>, EmitError> {
        let space = steps.space();
        let ((rounds, left), depth) = (self.full_rounds(e, space), i64::from(self.schedule.depth));
        let down = self.own_down(e, down);
        let index = e.index_ty();
        if let Some(begun) = begun {
            done = begun.starts.len() as i64;
            sums = self.go_on(e, steps, begun, sums)?;
            if rounds > done {
                meet(e);
            }
        }
        let looped = (rounds - done) / depth * depth;
        if looped > 0 {
            let (low, high) = (e.code.int(index, done), e.code.int(index, done + looped));
            let step = e.code.int(index, depth);
            let open = e.code.begin_for(low, high, step, &sums);
            let carried = open.carried.clone();
            let next = self.rounds(e, (steps, down), (open.iv, depth), carried)?;
            sums = e.code.end_for(open, &next);
        }
        done += looped;
        if rounds > done {
            let first = e.code.int(index, done);
            sums = self.rounds(e, (steps, down), (first, rounds - done), sums)?;
        }
        if left != 0 {
            let types: Vec<Ty> = sums.iter().map(|v| v.ty).collect();
            let active = e.code.cmp_ik("ult", down, left);
            let folded = e.code.begin_if(active, &types);
            let first = e.code.int(index, rounds);
            let starts = self.starts(e, space, (first, down), 1);
            let long = steps.fetch(e, &starts, 0..self.schedule.loads())?;
            let more = steps.multiply(e, (&starts, long), sums.clone(), false)?;
            e.code.begin_else(&more);
            e.code.end_if(&sums);
            sums = folded;
        }
        Ok(sums)
    }

    /// The products of `count` blocks from round `first` on.
    fn rounds<S: Steps>(
        &self,
        e: &mut Emitter<'_>,
        (steps, down): (&S, Value),
        (first, count): (Value, i64),
        sums: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        let starts = self.starts(e, steps.space(), (first, down), count);
        let long = steps.fetch(e, &starts, 0..self.schedule.loads())?;
        steps.multiply(e, (&starts, long), sums, true)
    }

    /// Where `count` blocks from round `first` on start.
    pub(super) fn starts(
        &self,
        e: &mut Emitter<'_>,
        space: &Space,
        (first, down): (Value, Value),
        count: i64,
    ) -> Vec<Start> {
        let threads = self.all_down();
        let start = e.code.int_k("arith.muli", first, threads);
        // What blocks have in common, neighbours have too: a quad's blocks are neighbours.
        let next = if self.schedule.quads { 1 } else { threads };
        let down = if self.schedule.quads { e.code.int_k("arith.muli", down, count) } else { down };
        let start = e.code.add_i(start, down);
        let mut starts = Vec::new();
        for at in 0..count {
            let block = e.code.add_ik(start, at * next);
            let mut number = block;
            let blocks = e.exprs.indices.extent(space.inner) / self.schedule.block() as i64;
            let single = space.reduction.len() == 1;
            let digit = if single { number } else { e.next_digit(&mut number, blocks) };
            let outer = &space.reduction[..space.reduction.len() - 1];
            bind_joint(e, outer, number);
            let base = e.code.int_k("arith.muli", digit, self.schedule.block() as i64);
            starts.push(Start { outer: bindings(e, outer), base, number: block });
        }
        starts
    }

    pub(super) fn fetch_long(
        &self,
        e: &mut Emitter<'_>,
        start: &Start,
        LongRead { points, inner, long, loads }: LongRead<'_>,
    ) -> Result<Vec<Value>, EmitError> {
        let s = self.schedule;
        let block = s.block() as i64;
        let &Start { ref outer, base, .. } = start;
        rebind(e, outer);
        e.lanes = s.lanes;
        let mut values = Vec::new();
        if s.inside {
            e.bind_lanes(inner, Some(base), block, 0);
            for point in &points[loads] {
                rebind(e, point);
                e.once = self.once;
                let value = self.factor(e, long);
                e.once = false;
                values.push(e.code.spread(value?, s.lanes));
            }
            return Ok(values);
        }
        for point in points {
            rebind(e, point);
            for step in loads.clone() {
                e.bind(inner, Some(base), block, step as i64);
                let value = e.eval(long)?;
                values.push(e.code.spread(value, s.lanes));
            }
        }
        Ok(values)
    }

    /// A block of a space whose long operands are fetched.
    pub(super) fn block(
        &self,
        e: &mut Emitter<'_>,
        space: &Space,
        start: &Start,
        long: Vec<Vec<Value>>,
    ) -> Result<Block, EmitError> {
        let short = space.short.iter().map(|&short| self.fetch_short(e, (space.inner, short), start));
        Ok(Block { long, short: short.collect::<Result<Vec<_>, _>>()? })
    }

    /// A vector along the block for every short output.
    pub(super) fn fetch_short(
        &self,
        e: &mut Emitter<'_>,
        (inner, short): (VarId, NodeId),
        &Start { ref outer, base, .. }: &Start,
    ) -> Result<Vec<Value>, EmitError> {
        let s = self.schedule;
        let block = s.block();
        rebind(e, outer);
        e.lanes = block as u32;
        e.bind_lanes(inner, Some(base), block as i64, 0);
        let mut values = Vec::new();
        for row in 0..self.rows {
            self.bind_short(e, row);
            let value = self.factor(e, short)?;
            values.push(e.code.spread(value, block as u32));
        }
        Ok(values)
    }

    /// Binds the short variables to a short output.
    pub(super) fn bind_short(&self, e: &mut Emitter<'_>, row: i64) {
        let mut rest = row;
        for &var in self.schedule.short.iter().rev() {
            let extent = e.exprs.indices.extent(var).max(1);
            e.bind(var, None, 1, rest % extent);
            rest /= extent;
        }
    }

    /// A factor as it is multiplied.
    fn factor(&self, e: &mut Emitter<'_>, node: NodeId) -> Result<Value, EmitError> {
        let value = e.eval(node)?;
        if self.dots.is_some() { e.encode(e.exprs.element(node), value) } else { Ok(value) }
    }

    /// Adds one product of a block to its sum.
    pub(super) fn multiply(
        &self,
        e: &mut Emitter<'_>,
        block: &Block,
        term: Term,
        sums: &mut [Value],
    ) -> Result<(), EmitError> {
        let s = self.schedule;
        let each = if s.inside { s.tile as usize } else { 1 };
        let (long, short) = (&block.long[term.long], &block.short[term.short]);
        let own = self.rows as usize * each;
        let sums = &mut sums[term.sum * own..][..own];
        if let Some(dots) = self.dots {
            let words = |e: &mut Emitter<'_>, all: &[Value]| -> Vec<Vec<Value>> {
                all.iter().map(|&value| dots.words(e, value)).collect()
            };
            let (long, short) = (words(e, long), words(e, short));
            // Sums take turns, since an instruction waits for the one before it on the same sum.
            for word in 0..(s.lanes / dots.each()) as usize {
                for (row, short) in short.iter().enumerate() {
                    for (at, long) in long.iter().enumerate() {
                        let sum = &mut sums[row * s.tile as usize + at];
                        *sum = dots.add(e, long[word], short[word], *sum);
                    }
                }
            }
            return Ok(());
        }
        for (row, &short) in short.iter().enumerate() {
            for (at, &long) in long.iter().enumerate() {
                if s.inside {
                    for lane in 0..s.lanes {
                        let (a, b) = (e.code.extract(long, lane), e.code.extract(short, lane));
                        let sum = &mut sums[row * each + at];
                        *sum = multiply_add(e, self.element, a, b, *sum)?;
                    }
                } else {
                    let b = e.code.extract(short, at as u32);
                    sums[row] = multiply_add(e, self.element, long, b, sums[row])?;
                }
            }
        }
        Ok(())
    }
}

pub(super) fn bindings(e: &Emitter<'_>, vars: &[VarId]) -> Bound {
    vars.iter().filter_map(|&v| Some((v, e.binding(v)?))).collect()
}

pub(super) fn rebind(e: &mut Emitter<'_>, bound: &Bound) {
    for &(var, binding) in bound {
        e.rebind(var, binding);
    }
}

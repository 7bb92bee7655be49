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

use crate::gemv::schedule::GemvSchedule;
use fornax_graph::ElementType;
use fornax_plan::{Binary, Body, NodeId, VarId, form};

use fornax_targets::Feature;

use super::finish;
use super::finish::{Entry, Shared};
use super::matrix;
use fornax_emit::blocks::dot::Dots;
use fornax_emit::blocks::product::multiply_add;
use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Ty, Value};

/// Variables with their present bindings.
pub(super) type Bound = Vec<(VarId, Binding)>;

pub(super) struct Gemv<'a> {
    pub schedule: &'a GemvSchedule,
    long: NodeId,
    short: NodeId,
    /// How words of both are multiplied, which then are what they were before conversions, as in memory.
    dots: Option<Dots>,
    pub element: ElementType,
    /// This workgroup's number in its cluster, where there are clusters.
    pub rank: Option<Value>,
    reduction: &'a [VarId],
    /// The last reduction variable.
    pub inner: VarId,
    /// Long outputs, short outputs, blocks of the contraction.
    pub columns: i64,
    pub rows: i64,
    blocks: i64,
}

/// What a thread has fetched of one block.
struct Block {
    /// One vector a load: by row of the long operand where the lanes are inside, else by step.
    long: Vec<Value>,
    /// One vector (along the block) a short output.
    short: Vec<Value>,
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
    if schedule.matrix {
        return matrix::emit(e, &gemv, (thread, column_group));
    }
    let (down, across) = split_thread(e, schedule, thread);
    let points = gemv.long_points(e, column_group, across);
    let sums = gemv.cleared(e)?;
    let body =
        |e: &mut Emitter<'_>, starts: &[(Bound, Value)], sums: Vec<Value>| gemv.products(e, &points, starts, sums);
    let sums = gemv.fold(e, down, sums, &body)?;
    let (sums, parts, part, writes) = gemv.exchange(e, sums, down)?;
    let entries = gemv.entries(e, &sums, (part, across));
    let stride = gemv.rows * schedule.width() as i64;
    gemv.finish(e, &entries, Shared { parts, stride, writes, thread, column_group })
}

/// The products of the blocks that start at (outer bindings, place of the last reduction variable), added to sums.
pub(super) type Products<'p> =
    &'p dyn Fn(&mut Emitter<'_>, &[(Bound, Value)], Vec<Value>) -> Result<Vec<Value>, EmitError>;

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
        let Body::Contraction { reduction, lhs, rhs, accumulator, .. } = &plan.body else {
            return Err(e.malformed("not a contraction"));
        };
        let Some(&inner) = reduction.last() else { return Err(e.malformed("a contraction over nothing")) };
        let s = schedule;
        let extent = |v: &VarId| plan.exprs.indices.extent(*v).max(0);
        let along = if s.inside { Some(extent(&inner)) } else { s.long.last().map(extent) };
        let zero = [s.lanes, s.tile, s.depth, s.across, s.down].contains(&0);
        let fits = !zero && along.is_none_or(|n| n % i64::from(s.lanes) == 0) && extent(&inner) % s.block() as i64 == 0;
        if !fits || along.is_none() && s.lanes != 1 {
            return Err(e.unfit("the lanes or blocks of a GEMV schedule do not divide its extents"));
        }
        let powers = s.across.is_power_of_two() && s.down.is_power_of_two() && s.across <= e.abi.subgroup;
        if !e.abi.is_gpu() || !powers || s.threads() > e.target.max_threads_per_block {
            return Err(e.unfit(format!("{} x {} threads of a GEMV schedule", s.across, s.down)));
        }
        if !(1..=8).contains(&s.cluster) || s.cluster > 1 && !e.target.has(Feature::Cluster) {
            return Err(e.unfit(format!("clusters of {} workgroups", s.cluster)));
        }
        let points = |vars: &[VarId]| vars.iter().map(extent).product::<i64>();
        let (mut long, mut short) = if s.long_is_lhs { (*lhs, *rhs) } else { (*rhs, *lhs) };
        let narrow = [long, short].map(|node| form::exact_source(&plan.exprs, node));
        let elements = narrow.map(|node| plan.exprs.element(node));
        let whole = |dots: &Dots| s.inside && !s.matrix && s.lanes.is_multiple_of(dots.each());
        let dots = Dots::of(e, elements, *accumulator).filter(whole);
        if dots.is_some() {
            [long, short] = narrow;
        }
        Ok(Gemv {
            schedule,
            long,
            short,
            dots,
            element: *accumulator,
            rank: None,
            reduction,
            inner,
            columns: points(&s.long),
            rows: points(&s.short),
            blocks: points(reduction) / s.block() as i64,
        })
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

    /// Zero for each of the thread's sums: short outputs outermost, then long ones (vectors of lanes where these lie
    /// along them).
    fn cleared(&self, e: &mut Emitter<'_>) -> Result<Vec<Value>, EmitError> {
        let s = self.schedule;
        let scalar = e.register_scalar(self.element)?;
        let ty = if s.inside { Ty::scalar(scalar) } else { Ty::vector(scalar, s.lanes) };
        let each = if s.inside { i64::from(s.tile) } else { 1 };
        let zero = e.code.bits(ty, 0);
        Ok(vec![zero; (self.rows * each) as usize])
    }

    /// Threads (or subgroups) down the contraction, those of all workgroups of a cluster.
    fn all_down(&self) -> i64 {
        i64::from(self.schedule.down) * i64::from(self.schedule.cluster)
    }

    /// Adds all products of the blocks of thread (or subgroup) `down` to sums.
    pub(super) fn fold(
        &self,
        e: &mut Emitter<'_>,
        down: Value,
        mut sums: Vec<Value>,
        body: Products<'_>,
    ) -> Result<Vec<Value>, EmitError> {
        let threads = self.all_down();
        let (rounds, depth) = (self.blocks / threads, i64::from(self.schedule.depth));
        let mut down = e.code.resize_u(down, e.index);
        if let Some(rank) = self.rank {
            let first = e.code.int_k("arith.muli", rank, i64::from(self.schedule.down));
            let first = e.code.resize_u(first, e.index);
            down = e.code.add_i(down, first);
        }
        let index = e.index_ty();
        if rounds >= depth {
            let (low, high) = (e.code.int(index, 0), e.code.int(index, rounds / depth * depth));
            let step = e.code.int(index, depth);
            let open = e.code.begin_for(low, high, step, &sums);
            let carried = open.carried.clone();
            let next = self.rounds(e, body, (open.iv, down), depth, carried)?;
            sums = e.code.end_for(open, &next);
        }
        if rounds % depth != 0 {
            let first = e.code.int(index, rounds / depth * depth);
            sums = self.rounds(e, body, (first, down), rounds % depth, sums)?;
        }
        let left = self.blocks % threads;
        if left != 0 {
            let types: Vec<Ty> = sums.iter().map(|v| v.ty).collect();
            let active = e.code.cmp_ik("ult", down, left);
            let folded = e.code.begin_if(active, &types);
            let first = e.code.int(index, rounds);
            let more = self.rounds(e, body, (first, down), 1, sums.clone())?;
            e.code.begin_else(&more);
            e.code.end_if(&sums);
            sums = folded;
        }
        Ok(sums)
    }

    /// The products of `count` blocks from round `first` on.
    fn rounds(
        &self,
        e: &mut Emitter<'_>,
        body: Products<'_>,
        (first, down): (Value, Value),
        count: i64,
        sums: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        let threads = self.all_down();
        let start = e.code.int_k("arith.muli", first, threads);
        let start = e.code.add_i(start, down);
        let mut starts = Vec::new();
        for at in 0..count {
            let mut number = e.code.add_ik(start, at * threads);
            let blocks = e.exprs.indices.extent(self.inner) / self.schedule.block() as i64;
            let single = self.reduction.len() == 1;
            let digit = if single { number } else { e.next_digit(&mut number, blocks) };
            let outer = &self.reduction[..self.reduction.len() - 1];
            bind_joint(e, outer, number);
            let base = e.code.int_k("arith.muli", digit, self.schedule.block() as i64);
            starts.push((bindings(e, outer), base));
        }
        body(e, &starts, sums)
    }

    /// Fetches the blocks that start at `starts`, then multiplies them.
    fn products(
        &self,
        e: &mut Emitter<'_>,
        points: &[Bound],
        starts: &[(Bound, Value)],
        mut sums: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        let mut long = Vec::new();
        for (outer, base) in starts {
            long.push(self.fetch_long(e, points, outer, *base)?);
        }
        for ((outer, base), long) in starts.iter().zip(long) {
            let short = self.fetch_short(e, outer, *base)?;
            self.multiply(e, &Block { long, short }, &mut sums)?;
        }
        Ok(sums)
    }

    fn fetch_long(
        &self,
        e: &mut Emitter<'_>,
        points: &[Bound],
        outer: &Bound,
        base: Value,
    ) -> Result<Vec<Value>, EmitError> {
        let s = self.schedule;
        let block = s.block() as i64;
        rebind(e, outer);
        e.lanes = s.lanes;
        let mut values = Vec::new();
        if s.inside {
            e.bind_lanes(self.inner, Some(base), block, 0);
            for point in points {
                rebind(e, point);
                let value = self.factor(e, self.long)?;
                values.push(e.code.spread(value, s.lanes));
            }
            return Ok(values);
        }
        for point in points {
            rebind(e, point);
            for step in 0..block {
                e.bind(self.inner, Some(base), block, step);
                let value = e.eval(self.long)?;
                values.push(e.code.spread(value, s.lanes));
            }
        }
        Ok(values)
    }

    /// A vector along the block for every short output.
    fn fetch_short(&self, e: &mut Emitter<'_>, outer: &Bound, base: Value) -> Result<Vec<Value>, EmitError> {
        let s = self.schedule;
        let block = s.block();
        rebind(e, outer);
        e.lanes = block as u32;
        e.bind_lanes(self.inner, Some(base), block as i64, 0);
        let mut values = Vec::new();
        for row in 0..self.rows {
            let mut rest = row;
            for &var in s.short.iter().rev() {
                let extent = e.exprs.indices.extent(var).max(1);
                e.bind(var, None, 1, rest % extent);
                rest /= extent;
            }
            let value = self.factor(e, self.short)?;
            values.push(e.code.spread(value, block as u32));
        }
        Ok(values)
    }

    /// A factor as it is multiplied.
    fn factor(&self, e: &mut Emitter<'_>, node: NodeId) -> Result<Value, EmitError> {
        let value = e.eval(node)?;
        if self.dots.is_some() { e.encode(e.exprs.element(node), value) } else { Ok(value) }
    }

    fn multiply(&self, e: &mut Emitter<'_>, block: &Block, sums: &mut [Value]) -> Result<(), EmitError> {
        let s = self.schedule;
        if let Some(dots) = self.dots {
            let words = |e: &mut Emitter<'_>, all: &[Value]| -> Vec<Vec<Value>> {
                all.iter().map(|&value| dots.words(e, value)).collect()
            };
            let (long, short) = (words(e, &block.long), words(e, &block.short));
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
        let each = if s.inside { s.tile as usize } else { 1 };
        for (row, &short) in block.short.iter().enumerate() {
            for (at, &long) in block.long.iter().enumerate() {
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

    /// Adds up the sums of the threads of a subgroup that share outputs. Gives the sums, the number of partial sums
    /// that an output still has, which of them this thread holds, and whether it is the one to write it.
    fn exchange(
        &self,
        e: &mut Emitter<'_>,
        sums: Vec<Value>,
        down: Value,
    ) -> Result<(Vec<Value>, i64, Value, Option<Value>), EmitError> {
        let s = self.schedule;
        let subgroup = e.abi.subgroup;
        if !e.abi.shuffles || !s.threads().is_multiple_of(subgroup) {
            return Ok((sums, i64::from(s.down), down, None));
        }
        // Neighbours down the contraction are `distance` lanes apart.
        let distance = if s.inside { 1 } else { s.across };
        let together = s.down.min(subgroup / distance);
        let mut values = sums;
        let mut mask = 1;
        while mask < together {
            let moved: Vec<Value> = values.iter().map(|&v| self.exchange_lanes(e, v, mask * distance)).collect();
            for (value, other) in values.iter_mut().zip(moved) {
                *value = e.combine(Binary::Add, self.element, *value, other)?;
            }
            mask *= 2;
        }
        if together == 1 {
            return Ok((values, i64::from(s.down), down, None));
        }
        let part = e.code.int_k("arith.divui", down, i64::from(together));
        let first = e.code.int_k("arith.remui", down, i64::from(together));
        let writes = e.code.cmp_ik("eq", first, 0);
        Ok((values, i64::from(s.down / together), part, Some(writes)))
    }

    fn exchange_lanes(&self, e: &mut Emitter<'_>, value: Value, mask: u32) -> Value {
        let lanes: Vec<Value> = (0..value.ty.lanes)
            .map(|lane| {
                let scalar = e.code.extract(value, lane);
                e.abi.shuffle_xor(&mut e.code, scalar, mask)
            })
            .collect();
        e.code.assemble(&lanes)
    }

    /// Where the thread's sums go: shared memory is [parts][short outputs][long outputs].
    fn entries(&self, e: &mut Emitter<'_>, sums: &[Value], (part, across): (Value, Value)) -> Vec<Entry> {
        let width = self.schedule.width() as i64;
        let each = width / i64::from(self.schedule.across);
        let row = e.code.int_k("arith.muli", part, self.rows * width);
        let column = e.code.int_k("arith.muli", across, each);
        let base = e.code.add_i(row, column);
        let scalars = sums.iter().flat_map(|&v| (0..v.ty.lanes).map(move |lane| (v, lane)));
        let mut entries = Vec::new();
        for (at, (sum, lane)) in (0i64..).zip(scalars) {
            let value = e.code.extract(sum, lane);
            entries.push(Entry { base, offset: at / each * width + at % each, value });
        }
        entries
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

//! `Body::Scan`: prefix folds (cumulative sums, products, extrema) along one variable.
//!
//! GPU, long lines: the threads of a workgroup share a line and walk it in rounds, a subgroup a stretch of it, load
//! after load: adjacent lanes have neighbouring vectors, so that an access covers whole lines of memory. A thread
//! folds each vector in registers; lanes exchange the vectors' totals in a butterfly that keeps what lies before each;
//! subgroups exchange theirs through shared memory, in two arrays by turns so that a round has one barrier; what the
//! rounds before gave is carried along. Lines in columns: `columns`. Elsewhere a thread folds lines of its own,
//! several next to each other in lanes, and loads a few steps ahead.
//!
//! Worked example: the cumulative sum of a row of 100,000 f32, 256 threads with four loads of 4: 25 rounds of 4096
//! elements, the last of 1696; in a round a subgroup has 512 elements, its second load elements 128 to 255 of them; a
//! round is 12 additions, 20 exchanges, 8 totals and 16 additions of the prefix.

use crate::scan::schedule::{ScanSchedule, ScanWay};
use fornax_graph::ElementType;
use fornax_plan::{Binary, Body, NodeId, Store, VarId};

use fornax_emit::blocks::reduction_folds::identity_bits;
use fornax_emit::blocks::shared::{read_shared, write_shared};
use fornax_emit::emitter::{Binding, Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Ty, Value};

/// Steps that a thread with lines of its own loads before it folds them.
const AHEAD: i64 = 8;

pub(super) struct Scan<'a> {
    pub(super) along: VarId,
    pub(super) reverse: bool,
    pub(super) input: NodeId,
    combiner: Binary,
    element: ElementType,
    stores: &'a [Store],
    pub(super) line_vars: Vec<VarId>,
    pub(super) extent: i64,
    /// The value that changes nothing.
    pub(super) identity: Value,
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: &ScanSchedule) -> Result<(), EmitError> {
    let plan = e.plan;
    let Body::Scan { along, reverse, input, combiner, stores } = &plan.body else {
        return Err(e.malformed("not a scan"));
    };
    let s = schedule;
    if s.threads == 0 || s.lanes == 0 || s.items == 0 || s.threads > e.target.max_threads_per_block {
        return Err(e.unfit(format!("{} threads with {} loads of {} lanes", s.threads, s.items, s.lanes)));
    }
    let extent = e.exprs.indices.extent(*along).max(0);
    let line_vars = plan.line_vars();
    let lanes_along =
        if s.way == ScanWay::Shared { extent } else { line_vars.last().map_or(1, |&v| e.exprs.indices.extent(v)) };
    if lanes_along % i64::from(s.lanes) != 0 {
        return Err(e.unfit(format!("{} lanes along {lanes_along}", s.lanes)));
    }
    let element = e.exprs.element(*input);
    let scalar = e.register_scalar(element)?;
    let bits = identity_bits(*combiner, element, scalar).ok_or_else(|| e.undefined(combiner.name(), element))?;
    let identity = e.code.bits(Ty::scalar(scalar), bits);
    let scan = Scan {
        along: *along,
        reverse: *reverse,
        input: *input,
        combiner: *combiner,
        element,
        stores,
        line_vars,
        extent,
        identity,
    };
    match s.way {
        ScanWay::Own => return scan.alone(e, s),
        ScanWay::Columns(width) => return scan.columns(e, s, width),
        ScanWay::Shared => {}
    }
    if !e.abi.exchanges() || !s.threads.is_multiple_of(e.abi.subgroup) {
        return Err(e.unfit("threads that share a line exchange their lanes"));
    }
    scan.together(e, s)
}

impl Scan<'_> {
    pub(super) fn combine(&self, e: &mut Emitter<'_>, a: Value, b: Value) -> Result<Value, EmitError> {
        e.combine(self.combiner, self.element, a, b)
    }

    fn bind_line(&self, e: &mut Emitter<'_>, number: Value, lanes: u32) {
        let mut rest = number;
        for (at, &var) in self.line_vars.iter().enumerate().rev() {
            let last = at + 1 == self.line_vars.len();
            let count = e.exprs.indices.extent(var) / if last { i64::from(lanes) } else { 1 };
            let value = if at == 0 { rest } else { e.next_digit(&mut rest, count) };
            if last && lanes > 1 {
                e.lanes = lanes;
                let base = e.code.int_k("arith.muli", value, i64::from(lanes));
                e.bind_lanes(var, Some(base), i64::from(lanes), 0);
            } else {
                e.bind(var, Some(value), 1, 0);
            }
        }
    }

    /// Stores a result at a place along the line, where that is in the line.
    pub(super) fn store_at(
        &self,
        e: &mut Emitter<'_>,
        (inside, binding): (Option<Value>, Binding),
        value: Value,
    ) -> Result<(), EmitError> {
        e.rebind(self.along, binding);
        if let Some(inside) = inside {
            e.code.begin_if(inside, &[]);
        }
        self.store(e, value)?;
        if inside.is_some() {
            e.code.end_if(&[]);
        }
        Ok(())
    }

    pub(super) fn store(&self, e: &mut Emitter<'_>, value: Value) -> Result<(), EmitError> {
        e.set_slot(Slot::Reduced(0), value);
        let values = self.stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
        for (store, value) in self.stores.iter().zip(values) {
            e.store(store.buffer, store.offset, value)?;
        }
        Ok(())
    }

    /// Threads with lines of their own.
    fn alone(&self, e: &mut Emitter<'_>, s: &ScanSchedule) -> Result<(), EmitError> {
        let index = e.index_ty();
        let total = s.line_items(e.plan) as i64;
        let (threads, items) = (i64::from(s.threads), i64::from(s.items));
        let group = e.abi.workgroup_id(&mut e.code, index.scalar);
        let thread = e.abi.thread_id(&mut e.code);
        let thread = e.code.resize_u(thread, index.scalar);
        let start = e.code.int_k("arith.muli", group, threads * items);
        let low = e.code.add_i(start, thread);
        let end = e.code.add_ik(start, threads * items);
        let limit = e.code.int(index, total);
        let high = e.code.binary("arith.minsi", end, limit);
        let step = e.code.int(index, threads);
        let open = e.code.begin_for(low, high, step, &[]);
        self.bind_line(e, open.iv, s.lanes);
        e.lanes = s.lanes;
        self.walk(e, s.lanes)?;
        e.code.end_for(open, &[]);
        Ok(())
    }

    /// Folds the bound line from its first element to its last.
    fn walk(&self, e: &mut Emitter<'_>, lanes: u32) -> Result<(), EmitError> {
        let index = e.index_ty();
        let mut sum = e.code.spread(self.identity, lanes);
        let ahead = if e.abi.is_gpu() { AHEAD } else { 1 };
        let whole = self.extent / ahead * ahead;
        if whole > 0 {
            let (zero, high, step) = (e.code.int(index, 0), e.code.int(index, whole), e.code.int(index, ahead));
            let open = e.code.begin_for(zero, high, step, &[sum]);
            let next = self.steps(e, open.iv, ahead, (lanes, open.carried[0]))?;
            sum = e.code.end_for(open, &[next])[0];
        }
        if whole < self.extent {
            let first = e.code.int(index, whole);
            self.steps(e, first, self.extent - whole, (lanes, sum))?;
        }
        Ok(())
    }

    fn steps(
        &self,
        e: &mut Emitter<'_>,
        first: Value,
        count: i64,
        (lanes, mut sum): (u32, Value),
    ) -> Result<Value, EmitError> {
        let mut loaded = Vec::new();
        for at in 0..count {
            let place = if self.reverse {
                let last = e.code.int(first.ty, self.extent - 1 - at);
                e.code.sub_i(last, first)
            } else {
                e.code.add_ik(first, at)
            };
            e.bind(self.along, Some(place), 1, 0);
            let value = e.eval(self.input)?;
            loaded.push((e.binding(self.along), e.code.spread(value, lanes)));
        }
        for (binding, value) in loaded {
            sum = self.combine(e, sum, value)?;
            if let Some(binding) = binding {
                e.rebind(self.along, binding);
            }
            self.store(e, sum)?;
        }
        Ok(sum)
    }

    /// The threads of a workgroup share a line.
    fn together(&self, e: &mut Emitter<'_>, s: &ScanSchedule) -> Result<(), EmitError> {
        let index = e.index_ty();
        let each = i64::from(s.lanes) * i64::from(s.items);
        let round = i64::from(s.threads) * each;
        let rounds = (self.extent + round - 1) / round;
        let line = e.abi.workgroup_id(&mut e.code, index.scalar);
        self.bind_line(e, line, 1);
        let thread = e.abi.thread_id(&mut e.code);
        let subgroups = i64::from(s.threads / e.abi.subgroup);
        let scalar = self.identity.ty.scalar;
        let memory = fornax_emit::blocks::shared::memory(scalar);
        let totals = e.abi.shared_array(&mut e.code, memory, 2 * subgroups as u64);
        let (zero, one, high) = (e.code.int(index, 0), e.code.int(index, 1), e.code.int(index, rounds));
        let open = e.code.begin_for(zero, high, one, &[self.identity]);
        let carry = open.carried[0];
        let own = e.code.resize_u(thread, index.scalar);
        let size = i64::from(e.abi.subgroup);
        let stretch = e.code.int_k("arith.divui", own, size);
        let stretch = e.code.int_k("arith.muli", stretch, size * each);
        let lane = e.code.int_k("arith.remui", own, size);
        let lane = e.code.int_k("arith.muli", lane, i64::from(s.lanes));
        let first = e.code.int_k("arith.muli", open.iv, round);
        let first = e.code.add_i(first, stretch);
        let first = e.code.add_i(first, lane);
        let whole = self.extent % round == 0;
        let (points, folded) = self.fold_own(e, s, first, whole)?;
        let (prefixes, all) = self.exchange_loads(e, &folded, thread)?;
        let (before, all) = self.exchange_subgroups(e, all, (thread, open.iv), (totals, subgroups))?;
        let before = before.map_or(Ok(carry), |before| self.combine(e, carry, before))?;
        for (at, (inside, binding)) in points.into_iter().enumerate() {
            let prefix = self.combine(e, before, prefixes[at])?;
            let mut values = Vec::new();
            for &value in &folded[at] {
                values.push(self.combine(e, prefix, value)?);
            }
            if self.reverse {
                values.reverse();
            }
            let value = e.code.assemble(&values);
            e.lanes = s.lanes;
            self.store_at(e, (inside, binding), value)?;
        }
        let carry = self.combine(e, carry, all)?;
        e.code.end_for(open, &[carry]);
        Ok(())
    }

    /// Loads this thread's vectors, the first at `first` in the order of the scan, and folds each. Gives where each
    /// load is (and whether it is in the line at all), and its running results.
    #[allow(clippy::type_complexity)]
    fn fold_own(
        &self,
        e: &mut Emitter<'_>,
        s: &ScanSchedule,
        first: Value,
        whole: bool,
    ) -> Result<(Vec<(Option<Value>, Binding)>, Vec<Vec<Value>>), EmitError> {
        let lanes = i64::from(s.lanes);
        e.lanes = s.lanes;
        let mut points = Vec::new();
        let mut loaded = Vec::new();
        for at in 0..i64::from(s.items) {
            let place = e.code.add_ik(first, at * lanes * i64::from(e.abi.subgroup));
            let inside = (!whole).then(|| e.code.cmp_ik("ult", place, self.extent));
            let last = e.code.int(place.ty, self.extent - lanes);
            let place = if whole { place } else { e.code.binary("arith.minsi", place, last) };
            let place = if self.reverse { e.code.sub_i(last, place) } else { place };
            e.bind_lanes(self.along, Some(place), lanes, 0);
            let Some(binding) = e.binding(self.along) else { return Err(e.malformed("an unbound variable")) };
            let value = e.eval(self.input)?;
            let value = e.code.spread(value, s.lanes);
            points.push((inside, binding));
            loaded.push(value);
        }
        let mut all = Vec::new();
        for (&(inside, _), value) in points.iter().zip(loaded) {
            let mut folded: Vec<Value> = Vec::new();
            for lane in 0..s.lanes {
                let lane = if self.reverse { s.lanes - 1 - lane } else { lane };
                let mut element = e.code.extract(value, lane);
                if let Some(inside) = inside {
                    element = e.code.select(inside, element, self.identity);
                }
                let next = match folded.last() {
                    None => element,
                    Some(&sum) => self.combine(e, sum, element)?,
                };
                folded.push(next);
            }
            all.push(folded);
        }
        Ok((points, all))
    }

    /// For each load the fold of what the subgroup has before this lane's vector, and the fold of all that the subgroup
    /// has.
    fn exchange_loads(
        &self,
        e: &mut Emitter<'_>,
        folded: &[Vec<Value>],
        thread: Value,
    ) -> Result<(Vec<Value>, Value), EmitError> {
        let mut sum = None;
        let mut prefixes = Vec::new();
        for load in folded {
            let (before, all) = self.exchange(e, load[load.len() - 1], thread)?;
            match sum {
                None => {
                    prefixes.push(before);
                    sum = Some(all);
                }
                Some(earlier) => {
                    prefixes.push(self.combine(e, earlier, before)?);
                    sum = Some(self.combine(e, earlier, all)?);
                }
            }
        }
        Ok((prefixes, sum.unwrap_or(self.identity)))
    }

    /// The fold of what the lower lanes of the subgroup have, and of what all have.
    fn exchange(&self, e: &mut Emitter<'_>, total: Value, thread: Value) -> Result<(Value, Value), EmitError> {
        let (mut before, mut all) = (self.identity, total);
        let mut mask = 1;
        while mask < e.abi.subgroup {
            let other = e.abi.shuffle_xor(&mut e.code, all, mask);
            let bit = e.code.and_k(thread, i64::from(mask));
            let upper = e.code.cmp_ik("ne", bit, 0);
            let after = self.combine(e, other, before)?;
            before = e.code.select(upper, after, before);
            all = self.combine(e, all, other)?;
            mask *= 2;
        }
        Ok((before, all))
    }

    /// The fold of what the lower subgroups have (none where there is one subgroup), and of what all have.
    fn exchange_subgroups(
        &self,
        e: &mut Emitter<'_>,
        all: Value,
        (thread, round): (Value, Value),
        (totals, subgroups): (Value, i64),
    ) -> Result<(Option<Value>, Value), EmitError> {
        if subgroups == 1 {
            return Ok((None, all));
        }
        let size = i64::from(e.abi.subgroup);
        let own = e.code.int_k("arith.divui", thread, size);
        let lane = e.code.int_k("arith.remui", thread, size);
        let turn = e.code.resize_u(round, own.ty.scalar);
        let turn = e.code.and_k(turn, 1);
        let base = e.code.int_k("arith.muli", turn, subgroups);
        let writes = e.code.cmp_ik("eq", lane, 0);
        e.code.begin_if(writes, &[]);
        let slot = e.code.add_i(base, own);
        write_shared(e, &[totals], slot, &[all]);
        e.code.end_if(&[]);
        e.abi.barrier(&mut e.code);
        let (mut lower, mut sum) = (self.identity, self.identity);
        for at in 0..subgroups {
            let slot = e.code.add_ik(base, at);
            let total = read_shared(e, &[totals], slot, &[all])[0];
            let is_lower = e.code.cmp_ik("ugt", own, at);
            let with = self.combine(e, lower, total)?;
            lower = e.code.select(is_lower, with, lower);
            sum = self.combine(e, sum, total)?;
        }
        Ok((Some(lower), sum))
    }
}

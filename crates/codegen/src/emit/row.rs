//! `Body::Row`, and `Body::Reduce` with a row schedule: reductions of the same rows one after another, then the stores.
//!
//! GPU: `threads` threads share a row; thread r has the vectors r, r + threads, r + 2·threads, … of it. Where the row is *held*, all of
//! a thread's vectors are written out one after another without a loop: the emitter's memo then finds what was loaded and computed
//! for the first reduction again in the second and in the stores, so that each element is read once and stays in registers.
//! A row that is too long is *streamed*: every reduction and the stores go through it in a loop, some vectors at a time. Vectors past
//! the end of the row are read at its last vector instead, and are not folded nor stored. Every thread gets every reduction's
//! result (`row_share`). CPU: one thread, loops over the row; where the lanes do not divide it, its last vector overlaps
//! the one before and folds only what is new.
//!
//! Worked example, softmax of [4096, 1000] f32: 32 threads a row, 8 rows a workgroup, lanes 4: thread r reads vectors r + 32·c for c
//! below 8; of c = 7 only r below 26 exist (250 vectors). Maximum over 32 values, 3 merges of lanes, 5 exchanges; 32 exponentials,
//! kept; their sum likewise; 8 stores of 16 bytes.

use fornax_plan::row_keep::Kept;
use fornax_plan::{Body, NodeId, RowFold, RowSchedule, Store, VarId};

use super::combine::merge_lanes;
use super::emitter::{Binding, Emitter, Slot};
use super::row_count::{Total, positions};
use super::row_share::{Share, share};
use super::text::{Scalar, Ty, Value};
use super::tile::Fold;
use super::{reduce, row_cluster};
use crate::errors::EmitError;

/// One vector of a row.
struct Chunk {
    bindings: Vec<(VarId, Binding)>,
    /// Which of it exists, if not all: a truth value, or one a lane.
    valid: Option<Value>,
}

/// How a thread goes through its part of a row.
enum Walk {
    Held(Vec<Chunk>),
    /// Loops; GPU: the thread's number in its row.
    Streamed(Option<Value>),
}

/// Folds or stores the elements of a chunk that is bound: running values in, running values out.
type Visit<'v> = dyn FnMut(&mut Emitter<'_>, &[Chunk], Vec<Value>) -> Result<Vec<Value>, EmitError> + 'v;

struct Row<'a> {
    schedule: RowSchedule,
    row: &'a [VarId],
    folds: Vec<(Vec<NodeId>, Box<dyn Fold + 'a>)>,
    /// Stores for every element, and for every row.
    elements: Vec<&'a Store>,
    rows: Vec<&'a Store>,
    /// The lanes lie along the row.
    across: bool,
    lanes: u32,
    total: Total,
    /// Vectors of a row.
    positions: Value,
    /// CPU: values that later passes find in scratch.
    kept: Vec<Kept>,
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: RowSchedule) -> Result<(), EmitError> {
    let plan = e.plan;
    let (row, stores) = (plan.body.reduction(), plan.body.stores());
    let mut folds = Vec::new();
    match &plan.body {
        Body::Row { folds: list, .. } => {
            for fold in list {
                let RowFold { inputs, inits, combiner } = fold;
                folds.push((fold.roots().collect(), reduce::fold(e, inputs, inits, combiner)?));
            }
        }
        Body::Reduce { inputs, inits, combiner, .. } => {
            folds.push((inputs.clone(), reduce::fold(e, inputs, inits, combiner)?));
        }
        _ => return Err(e.malformed("not a row")),
    }
    let varies = |s: &&Store| row.iter().any(|&v| plan.exprs.index_varies(s.offset, v));
    let (elements, rows) = stores.iter().partition(varies);
    let (var, lanes) = schedule.vector;
    let across = row.contains(&var);
    let total = Total::of(e, &schedule)?;
    let kept = plan.row_kept(&schedule);
    let positions = positions(e, row, &schedule)?;
    let row = Row { schedule, row, folds, elements, rows, across, lanes, total, positions, kept };
    row.check(e)?;
    if matches!(total, Total::Known(0)) {
        return Ok(());
    }
    if e.abi.is_gpu() { row.gpu(e) } else { row.cpu(e) }
}

impl Row<'_> {
    /// The row's length is known only at run time.
    fn is_sized(&self, e: &Emitter<'_>) -> bool {
        self.row.iter().any(|&v| e.exprs.indices.run_extent(v).is_some())
    }

    /// Refuses schedules that cannot run.
    fn check(&self, e: &Emitter<'_>) -> Result<(), EmitError> {
        let s = &self.schedule;
        let extent = e.exprs.indices.extent(s.vector.0);
        let threads = u64::from(s.threads) * u64::from(s.rows);
        if s.threads == 0 || s.rows == 0 || s.chunks == 0 || !(1..=64).contains(&self.lanes) || self.row.is_empty() {
            return Err(e.unfit("a row schedule has a zero or more than 64 lanes in it"));
        }
        if self.is_sized(e) {
            let divisor = e.exprs.indices.run_extent(s.vector.0).map(|x| e.exprs.indices.alignment(x, 64));
            let lanes = divisor.is_none_or(|d| d % i64::from(self.lanes) == 0);
            if s.held || s.cluster > 1 || self.row.len() > 1 || !lanes {
                return Err(
                    e.unfit("a row of unknown length that is held, shared by a cluster or cut in whole vectors")
                );
            }
        }
        if i64::from(self.lanes) > extent || e.abi.is_gpu() && extent % i64::from(self.lanes) != 0 {
            return Err(e.unfit(format!("{} lanes along {extent} elements", self.lanes)));
        }
        let power = s.threads.is_power_of_two() && s.rows.is_power_of_two();
        if e.abi.is_gpu() != s.side_by_side
            || e.abi.is_gpu() && (threads > u64::from(e.target.max_threads_per_block) || !power)
            || !e.abi.is_gpu() && (s.threads != 1 || s.held)
        {
            return Err(e.unfit(format!("{} threads share each of {} rows", s.threads, s.rows)));
        }
        if s.held && s.held_vectors() < self.positions(e) as u64 {
            return Err(e.unfit("a row does not fit what its threads hold"));
        }
        row_cluster::check(e, s)
    }

    /// Vectors of a row.
    fn positions(&self, e: &Emitter<'_>) -> i64 {
        self.row.iter().map(|&v| self.count(e, v)).product()
    }

    /// Vectors along a row variable.
    fn count(&self, e: &Emitter<'_>, var: VarId) -> i64 {
        let extent = e.exprs.indices.extent(var);
        if var == self.schedule.vector.0 { extent / i64::from(self.lanes) } else { extent }
    }

    fn cpu(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let ty = e.index_ty();
        let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
        let per_group = i64::from(self.schedule.rows);
        if per_group == 1 {
            return self.whole(e, group, None, None);
        }
        let (low, high) = match self.total {
            Total::Known(total) => e.share_of_workgroup(group, per_group, total as i64),
            Total::Sized(total) => {
                let low = e.code.int_k("arith.muli", group, per_group);
                let end = e.code.add_ik(low, per_group);
                (low, e.code.binary("arith.minsi", end, total))
            }
        };
        let one = e.code.int(ty, 1);
        let open = e.code.begin_for(low, high, one, &[]);
        self.whole(e, open.iv, None, None)?;
        e.code.end_for(open, &[]);
        Ok(())
    }

    fn gpu(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let ty = e.index_ty();
        let (threads, rows) = (i64::from(self.schedule.threads), i64::from(self.schedule.rows));
        let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
        let thread = e.abi.thread_id(&mut e.code);
        let (rank, local) = match (threads, rows, self.across) {
            (1, ..) => (e.code.int(thread.ty, 0), thread),
            (_, 1, _) => (thread, e.code.int(thread.ty, 0)),
            (_, _, true) => {
                (e.code.int_k("arith.remui", thread, threads), e.code.int_k("arith.divui", thread, threads))
            }
            (_, _, false) => (e.code.int_k("arith.divui", thread, rows), e.code.int_k("arith.remui", thread, rows)),
        };
        let wide = e.code.resize_u(local, ty.scalar);
        let (group, part) = row_cluster::part(e, group, self.schedule.cluster);
        let first = e.code.int_k("arith.muli", group, rows);
        let row = e.code.add_i(first, wide);
        let (shared, side) = (self.schedule.threads, self.schedule.rows);
        let share = Share { rank, local, threads: shared, rows: side, across: self.across, part };
        let total = match self.total {
            Total::Known(total) if total.is_multiple_of(rows as u64) => return self.whole(e, row, Some(share), None),
            Total::Known(total) => e.code.int(ty, total as i64),
            Total::Sized(total) => total,
        };
        // Threads without a row work on the last one too, since all must meet at barriers, and do not store.
        let inside = e.code.cmp_i("ult", row, total);
        let last = e.code.add_ik(total, -1);
        let row = e.code.select(inside, row, last);
        self.whole(e, row, Some(share), Some(inside))
    }

    /// One row from its number to its stores.
    fn whole(
        &self,
        e: &mut Emitter<'_>,
        number: Value,
        share: Option<Share>,
        inside: Option<Value>,
    ) -> Result<(), EmitError> {
        self.bind_row(e, number);
        let walk = self.walk(e, share)?;
        let mut made = 0;
        for (pass, (roots, fold)) in self.folds.iter().enumerate() {
            let folded = self.fold(e, &walk, (pass, roots), fold.as_ref())?;
            let folded = match share {
                Some(of) if of.threads > 1 => self::share(e, fold.as_ref(), folded, of)?,
                _ => folded,
            };
            let folded = match share.and_then(|s| s.part) {
                Some(_) => row_cluster::share(e, fold.as_ref(), folded, self.schedule.cluster)?,
                None => folded,
            };
            for value in fold.finish(e, &folded)? {
                e.set_slot(Slot::Reduced(made), value);
                made += 1;
            }
        }
        let part = share.and_then(|s| s.part);
        row_cluster::leave(e, part);
        self.store_elements(e, &walk, inside)?;
        self.store_rows(e, share, inside)?;
        row_cluster::finish(e, part);
        Ok(())
    }

    /// Binds the domain variables from the row's number; lanes that lie across rows become the present lanes.
    fn bind_row(&self, e: &mut Emitter<'_>, number: Value) {
        e.lanes = if self.across { 1 } else { self.lanes };
        let mut rest = number;
        let domain = e.plan.domain.clone();
        for (at, &var) in domain.iter().enumerate().rev() {
            let extent = e.exprs.indices.extent(var);
            let lanes = if var == self.schedule.vector.0 { i64::from(self.lanes) } else { 1 };
            let count = (extent + lanes - 1) / lanes;
            let own = if at == 0 { rest } else { e.next_digit(&mut rest, count) };
            let base = e.code.int_k("arith.muli", own, lanes);
            if lanes == 1 {
                e.bind(var, Some(base), 1, 0);
            } else if extent % lanes == 0 {
                e.bind_lanes(var, Some(base), lanes, 0);
            } else {
                let limit = e.code.int(base.ty, extent - lanes);
                let base = e.code.binary("arith.minsi", base, limit);
                e.bind_lanes(var, Some(base), 1, 0);
            }
        }
    }

    /// What of a row this thread has. Held: all of it is read now.
    fn walk(&self, e: &mut Emitter<'_>, share: Option<Share>) -> Result<Walk, EmitError> {
        let Some(share) = share else { return Ok(Walk::Streamed(None)) };
        let rank = e.code.resize_u(share.rank, e.index);
        if !self.schedule.held {
            return Ok(Walk::Streamed(Some(rank)));
        }
        let positions = self.positions(e);
        let each = i64::from(self.schedule.threads) * i64::from(self.schedule.chunks);
        let (first, before) = match share.part {
            None => (rank, 0),
            Some(part) => {
                let before = e.code.int_k("arith.muli", part.rank, each);
                (e.code.add_i(before, rank), each * (i64::from(self.schedule.cluster) - 1))
            }
        };
        // Of the last part, which has the least.
        let chunks = self.chunks(e, first, |at| before + at <= positions);
        let mut roots: Vec<NodeId> = self.folds.iter().flat_map(|f| f.0.iter().copied()).collect();
        roots.extend(self.elements.iter().map(|s| s.value));
        self.read(e, &chunks, &roots)?;
        Ok(Walk::Held(chunks))
    }

    /// A thread's next vectors, from its number `first` on; `exists` says whether all before a number surely do.
    fn chunks(&self, e: &mut Emitter<'_>, first: Value, exists: impl Fn(i64) -> bool) -> Vec<Chunk> {
        let threads = i64::from(self.schedule.threads);
        e.lanes = self.lanes;
        let mut chunks = Vec::new();
        for c in 0..i64::from(self.schedule.chunks) {
            let mut number = e.code.add_ik(first, c * threads);
            let mut valid = None;
            if !exists((c + 1) * threads) {
                let inside = e.code.cmp_i("ult", number, self.positions);
                let last = e.code.add_ik(self.positions, -1);
                number = e.code.select(inside, number, last);
                valid = Some(inside);
            }
            let mut bindings = Vec::new();
            let mut rest = number;
            for (at, &var) in self.row.iter().enumerate().rev() {
                let count = self.count(e, var);
                let own = if at == 0 { rest } else { e.next_digit(&mut rest, count) };
                self.bind_position(e, var, Some(own));
                bindings.extend(e.binding(var).map(|b| (var, b)));
            }
            chunks.push(Chunk { bindings, valid });
        }
        chunks
    }

    fn bind_position(&self, e: &mut Emitter<'_>, var: VarId, number: Option<Value>) {
        if var != self.schedule.vector.0 || self.lanes == 1 {
            e.bind(var, number, 1, 0);
            return;
        }
        let lanes = i64::from(self.lanes);
        let base = number.map(|n| e.code.int_k("arith.muli", n, lanes));
        e.bind_lanes(var, base, lanes, 0);
    }

    /// Reads what some nodes need of the row's elements, all of it before anything is computed, so that many loads are under way
    /// at once. What does not change with the row is in a cache and read where it is used.
    fn read(&self, e: &mut Emitter<'_>, chunks: &[Chunk], roots: &[NodeId]) -> Result<(), EmitError> {
        let domain = e.plan.domain.clone();
        let single = matches!(self.total, Total::Known(1));
        let mut loads = Vec::new();
        for node in e.reachable(roots) {
            let streams = matches!(e.exprs.node(node), fornax_plan::Node::Load { .. })
                && self.row.iter().any(|&v| e.depends_on(node, v))
                && (single || domain.iter().any(|&v| e.depends_on(node, v)))
                && !e.depends_on_results(node);
            if streams {
                loads.push(node);
            }
        }
        for chunk in chunks {
            bind(e, chunk);
            for &node in &loads {
                e.eval(node)?;
            }
        }
        Ok(())
    }

    /// Computes what is the same for all of the row before a loop over it.
    fn hoist(&self, e: &mut Emitter<'_>, roots: &[NodeId]) -> Result<(), EmitError> {
        e.lanes = if self.across { 1 } else { self.lanes };
        for node in e.reachable(roots) {
            if !self.row.iter().any(|&v| e.depends_on(node, v)) && !e.depends_on_operands(node) {
                e.eval(node)?;
            }
        }
        Ok(())
    }

    /// Folds this thread's part of the row; lanes along it are merged.
    fn fold(
        &self,
        e: &mut Emitter<'_>,
        walk: &Walk,
        (pass, roots): (usize, &[NodeId]),
        fold: &dyn Fold,
    ) -> Result<Vec<Value>, EmitError> {
        self.hoist(e, roots)?;
        e.lanes = self.lanes;
        let identity = fold.identity(e)?;
        let start = identity.into_iter().map(|v| e.code.spread(v, self.lanes)).collect();
        let folded = self.each(e, walk, start, &mut |e, chunks, mut running| {
            if let Walk::Streamed(Some(_)) = walk {
                self.read(e, chunks, roots)?;
            }
            for chunk in chunks {
                bind(e, chunk);
                self.find_kept(e, pass)?;
                let next = fold.step(e, &running)?;
                self.keep(e, pass)?;
                for (slot, value) in running.iter_mut().zip(next) {
                    let value = e.code.spread(value, self.lanes);
                    *slot = match chunk.valid {
                        Some(valid) => e.code.select(valid, value, *slot),
                        None => value,
                    };
                }
            }
            Ok(running)
        })?;
        if !self.across {
            return Ok(folded);
        }
        e.lanes = 1;
        merge_lanes(e, fold, folded)
    }

    fn each(
        &self,
        e: &mut Emitter<'_>,
        walk: &Walk,
        start: Vec<Value>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Value>, EmitError> {
        match walk {
            Walk::Held(chunks) => visit(e, chunks, start),
            Walk::Streamed(None) => self.nest(e, 0, start, visit),
            Walk::Streamed(Some(rank)) => {
                let ty = e.index_ty();
                let step = i64::from(self.schedule.threads) * i64::from(self.schedule.chunks);
                // The loop ends with the thread's own last vector, not with the row's: no barrier is inside.
                let (high, step_value) = (self.positions, e.code.int(ty, step));
                let open = e.code.begin_for(*rank, high, step_value, &start);
                let divides = !self.is_sized(e) && self.positions(e) % step == 0;
                let threads = i64::from(self.schedule.threads);
                let chunks = self.chunks(e, open.iv, |at| divides || at <= threads);
                let next = visit(e, &chunks, open.carried.clone())?;
                Ok(e.code.end_for(open, &next))
            }
        }
    }

    /// One thread's loops over the row, from variable `at` inwards.
    fn nest(
        &self,
        e: &mut Emitter<'_>,
        at: usize,
        running: Vec<Value>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Value>, EmitError> {
        let Some(&var) = self.row.get(at) else {
            let mut bindings = Vec::new();
            for &var in self.row {
                bindings.extend(e.binding(var).map(|b| (var, b)));
            }
            return visit(e, &[Chunk { bindings, valid: None }], running);
        };
        e.lanes = self.lanes;
        let ty = e.index_ty();
        let (zero, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
        let high = if self.is_sized(e) {
            self.positions
        } else {
            let count = self.count(e, var);
            e.code.int(ty, count)
        };
        let open = e.code.begin_for(zero, high, one, &running);
        self.bind_position(e, var, Some(open.iv));
        let next = self.nest(e, at + 1, open.carried.clone(), visit)?;
        let running = e.code.end_for(open, &next);
        let (extent, lanes) = (e.exprs.indices.extent(var), i64::from(self.lanes));
        if var != self.schedule.vector.0 || extent % lanes == 0 || self.is_sized(e) {
            return Ok(running);
        }
        // The last vector starts where it ends with the row; its first lanes were folded before.
        e.lanes = self.lanes;
        e.bind_lanes(var, None, 0, extent - lanes);
        let lane = e.code.iota(e.index, self.lanes);
        let valid = e.code.cmp_ik("sge", lane, lanes - extent % lanes);
        let mut bindings = Vec::new();
        for &var in self.row {
            bindings.extend(e.binding(var).map(|b| (var, b)));
        }
        visit(e, &[Chunk { bindings, valid: Some(valid) }], running)
    }

    /// The stores for every element of the row.
    fn store_elements(&self, e: &mut Emitter<'_>, walk: &Walk, inside: Option<Value>) -> Result<(), EmitError> {
        if self.elements.is_empty() {
            return Ok(());
        }
        let roots: Vec<NodeId> = self.elements.iter().map(|s| s.value).collect();
        self.hoist(e, &roots)?;
        self.each(e, walk, Vec::new(), &mut |e, chunks, _| {
            if let Walk::Streamed(Some(_)) = walk {
                self.read(e, chunks, &roots)?;
            }
            for chunk in chunks {
                bind(e, chunk);
                e.lanes = self.lanes;
                self.find_kept(e, self.folds.len())?;
                let mut values = roots.iter().map(|&n| e.eval(n)).collect::<Result<Vec<_>, _>>()?;
                if let Some(valid) = chunk.valid.filter(|v| v.ty.is_vector()) {
                    self.leave_finished(e, valid, &mut values)?;
                }
                let condition = match (inside, chunk.valid.filter(|v| !v.ty.is_vector())) {
                    (Some(a), Some(b)) => Some(e.code.and(a, b)),
                    (a, b) => a.or(b),
                };
                if let Some(condition) = condition {
                    e.code.begin_if(condition, &[]);
                }
                for (store, value) in self.elements.iter().zip(values) {
                    e.store(store.buffer, store.offset, value)?;
                }
                if condition.is_some() {
                    e.code.end_if(&[]);
                }
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// The stores for the row as a whole: by its first thread.
    fn store_rows(&self, e: &mut Emitter<'_>, share: Option<Share>, inside: Option<Value>) -> Result<(), EmitError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        e.lanes = if self.across { 1 } else { self.lanes };
        let mut first = share.filter(|s| s.threads > 1).map(|s| e.code.cmp_ik("eq", s.rank, 0));
        if let (Some(part), Some(own)) = (share.and_then(|s| s.part), first) {
            let first_part = e.code.cmp_ik("eq", part.rank, 0);
            first = Some(e.code.and(own, first_part));
        }
        let condition = match (first, inside) {
            (Some(a), Some(b)) => Some(e.code.and(a, b)),
            (a, b) => a.or(b),
        };
        if let Some(condition) = condition {
            e.code.begin_if(condition, &[]);
        }
        for store in &self.rows {
            let value = e.eval(store.value)?;
            e.store(store.buffer, store.offset, value)?;
        }
        if condition.is_some() {
            e.code.end_if(&[]);
        }
        Ok(())
    }
}

impl Row<'_> {
    /// Where a kept value of the bound elements is in scratch.
    fn kept_pointer(&self, e: &mut Emitter<'_>, kept: &Kept) -> Result<Value, EmitError> {
        let ty = e.index_ty();
        let mut at = e.code.int(ty, 0);
        for &var in self.row {
            let binding = e.binding(var).ok_or_else(|| e.malformed("a row variable is not bound"))?;
            let base = binding.base.unwrap_or_else(|| e.code.int(ty, 0));
            let own = e.code.add_ik(base, binding.offset);
            let scaled = e.code.int_k("arith.muli", at, e.exprs.indices.extent(var));
            at = e.code.add_i(scaled, own);
        }
        if !self.across {
            at = e.code.int_k("arith.muli", at, i64::from(self.lanes));
        }
        let at = e.code.int_k("arith.muli", at, e.exprs.element(kept.node).storage_bytes() as i64);
        let at = e.code.add_ik(at, kept.bytes_at);
        let pointer = Ty::scalar(Scalar::Ptr(0));
        Ok(e.code
            .pure(pointer, format!("llvm.getelementptr inbounds %scratch[{at}] : (!llvm.ptr, {ty}) -> !llvm.ptr, i8")))
    }

    /// A last vector that overlaps the one before finds results where values were kept: they stay.
    fn leave_finished(&self, e: &mut Emitter<'_>, valid: Value, values: &mut [Value]) -> Result<(), EmitError> {
        let stores = e.plan.body.stores();
        for kept in &self.kept {
            let Some(store) = kept.store.and_then(|at| stores.get(at)) else { continue };
            for (element, value) in self.elements.iter().zip(values.iter_mut()) {
                if element.buffer == store.buffer {
                    let old = e.eval(kept.node)?;
                    *value = e.code.select(valid, *value, old);
                }
            }
        }
        Ok(())
    }

    /// Writes what this pass computed of the bound elements and later passes want.
    fn keep(&self, e: &mut Emitter<'_>, pass: usize) -> Result<(), EmitError> {
        for kept in self.kept.iter().filter(|k| k.pass == pass) {
            let value = e.eval(kept.node)?;
            let value = e.code.spread(value, self.lanes);
            if let Some(store) = kept.store.and_then(|at| e.plan.body.stores().get(at)) {
                e.store(store.buffer, store.offset, value)?;
                continue;
            }
            let pointer = self.kept_pointer(e, kept)?;
            let alignment = value.ty.scalar.bits() / 8;
            let ty = value.ty;
            e.code.line(&format!("llvm.store {value}, {pointer} {{alignment = {alignment} : i64}} : {ty}, !llvm.ptr"));
        }
        Ok(())
    }

    /// Reads what an earlier pass kept of the bound elements.
    fn find_kept(&self, e: &mut Emitter<'_>, pass: usize) -> Result<(), EmitError> {
        for kept in self.kept.iter().filter(|k| k.pass < pass) {
            if let Some(store) = kept.store.and_then(|at| e.plan.body.stores().get(at)) {
                let value = e.load(store.buffer, e.exprs.element(kept.node), store.offset, None)?;
                e.provide(kept.node, value);
                continue;
            }
            let ty = Ty::vector(e.register_scalar(e.exprs.element(kept.node))?, self.lanes);
            let pointer = self.kept_pointer(e, kept)?;
            let alignment = ty.scalar.bits() / 8;
            let load = format!("llvm.load {pointer} {{alignment = {alignment} : i64}} : !llvm.ptr -> {ty}");
            let value = e.code.effect(ty, &load);
            e.provide(kept.node, value);
        }
        Ok(())
    }
}

fn bind(e: &mut Emitter<'_>, chunk: &Chunk) {
    for &(var, binding) in &chunk.bindings {
        e.rebind(var, binding);
    }
}

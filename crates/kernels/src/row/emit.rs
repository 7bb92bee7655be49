//! `Body::Row`, and `Body::Reduce` with a row schedule: reductions of the same rows one after another, then the stores.
//!
//! GPU: `threads` threads share a row; thread r has the vectors r, r + threads, r + 2·threads, … of it. Where the row
//! is *held*, all of a thread's vectors are written out one after another without a loop: the emitter's memo then finds
//! what was loaded and computed for the first reduction again in the second and in the stores, so that each element is
//! read once and stays in registers. A row that is too long is *streamed*: every reduction and the stores go through it
//! in a loop, some vectors at a time. Vectors past the end of the row are read at its last vector instead, and are not
//! folded nor stored. Every thread gets every reduction's result (`share`). CPU: one thread, loops over the row;
//! where the lanes do not divide it, its last vector overlaps the one before and folds only what is new. A row of
//! unknown length has two programs, with vectors and without, of which the kernel takes one when it knows the length.
//!
//! Worked example, softmax of [4096, 1000] f32: 32 threads a row, 8 rows a workgroup, lanes 4: thread r reads vectors
//! r + 32·c for c below 8; of c = 7 only r below 26 exist (250 vectors). Maximum over 32 values, 3 merges of lanes, 5
//! exchanges; 32 exponentials, kept; their sum likewise; 8 stores of 16 bytes.

use crate::row::keep::Kept;
use crate::row::schedule::RowSchedule;
use fornax_plan::{Atom, Body, IndexId, NodeId, RowFold, Store, VarId};

use super::count::{positions, rows_in_all};
use super::share::{Share, share};
use super::walk::{Walk, bind};
use super::{ahead, cluster, early, joint, loose, packed, together};
use fornax_emit::blocks::count::Count;
use fornax_emit::blocks::fold::Fold;
use fornax_emit::blocks::lanes::merge_lanes;
use fornax_emit::blocks::reduction_folds;
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

pub(super) struct Row<'a> {
    pub schedule: RowSchedule,
    pub row: &'a [VarId],
    pub folds: Vec<(Vec<NodeId>, Box<dyn Fold + 'a>)>,
    /// Stores for every element, and for every row.
    pub elements: Vec<&'a Store>,
    rows: Vec<&'a Store>,
    /// The lanes lie along the row.
    pub across: bool,
    pub lanes: u32,
    pub total: Count,
    /// Of the domain's variables, extents known only at run time.
    counts: Vec<Option<Value>>,
    /// Vectors of a row.
    pub positions: Value,
    /// CPU: values that later passes find in scratch.
    pub kept: Vec<Kept>,
}

/// Emits the body. A row of unknown length is gone through in vectors where it is whole vectors (GPU), or one at least
/// (CPU), else one element after the other.
pub fn emit(e: &mut Emitter<'_>, schedule: RowSchedule) -> Result<(), EmitError> {
    early::begin(e)?;
    let (var, lanes) = (schedule.vector.0, i64::from(schedule.vector.1));
    let open = |extent: &IndexId| lanes > 1 && e.exprs.indices.alignment(*extent, lanes) != lanes;
    let Some(extent) = e.exprs.indices.run_extent(var).filter(open) else { return all_rows(e, schedule) };
    let length = e.extent_value(var)?;
    let fits = if e.abi.is_gpu() {
        let rest = e.code.int_k("arith.remui", length, lanes);
        e.code.cmp_ik("eq", rest, 0)
    } else {
        e.code.cmp_ik("sge", length, lanes)
    };
    e.code.begin_if(fits, &[]);
    if let (true, [(atom, 1)]) = (e.abi.is_gpu(), e.exprs.indices.linear(extent).terms.as_slice())
        && let Atom::Size(size) = e.exprs.indices.atom(*atom)
    {
        e.assumed = Some((size, lanes));
    }
    all_rows(e, schedule)?;
    e.assumed = None;
    e.code.begin_else(&[]);
    all_rows(e, schedule.one_by_one())?;
    e.code.end_if(&[]);
    Ok(())
}

fn all_rows(e: &mut Emitter<'_>, schedule: RowSchedule) -> Result<(), EmitError> {
    let plan = e.plan;
    let (row, stores) = (plan.body.reduction(), plan.body.stores());
    let mut folds = Vec::new();
    match &plan.body {
        Body::Row { folds: list, .. } => {
            for fold in list {
                let RowFold { inputs, inits, combiner } = fold;
                folds.push((fold.roots().collect(), reduction_folds::fold(e, inputs, inits, combiner)?));
            }
        }
        Body::Reduce { inputs, inits, combiner, .. } => {
            folds.push((inputs.clone(), reduction_folds::fold(e, inputs, inits, combiner)?));
        }
        _ => return Err(e.malformed("not a row")),
    }
    let varies = |s: &&Store| row.iter().any(|&v| plan.exprs.index_varies(s.offset, v));
    let (elements, rows) = stores.iter().partition(varies);
    let (var, lanes) = schedule.vector;
    let across = row.contains(&var);
    let (total, counts) = rows_in_all(e, &schedule)?;
    let kept = super::keep::kept(plan, &schedule);
    let positions = positions(e, row, &schedule)?;
    let row = Row { schedule, row, folds, elements, rows, across, lanes, total, counts, positions, kept };
    row.check(e)?;
    if schedule.packed {
        loose::note(e);
    } else if !e.abi.is_gpu() {
        loose::note_differences(e);
    }
    if matches!(total, Count::Known(0)) {
        return Ok(());
    }
    if e.abi.is_gpu() { row.gpu(e) } else { row.cpu(e) }
}

impl Row<'_> {
    /// The row's length is known only at run time.
    pub(super) fn is_sized(&self, e: &Emitter<'_>) -> bool {
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
        if self.is_sized(e) && (s.held && !s.holds(e.plan) || s.cluster > 1 || self.row.len() > 1) {
            return Err(
                e.unfit("a row of unknown length that is held though it may be too long, or shared by a cluster")
            );
        }
        let open = e.exprs.indices.run_extent(s.vector.0).is_some();
        if i64::from(self.lanes) > extent || !open && e.abi.is_gpu() && extent % i64::from(self.lanes) != 0 {
            return Err(e.unfit(format!("{} lanes along {extent} elements", self.lanes)));
        }
        let power = s.threads.is_power_of_two() && s.rows.is_power_of_two();
        if e.abi.is_gpu() != s.adjacent
            || e.abi.is_gpu() && (threads > u64::from(e.target.max_threads_per_block) || !power)
            || !e.abi.is_gpu() && (s.threads != 1 || s.held)
        {
            return Err(e.unfit(format!("{} threads share each of {} rows", s.threads, s.rows)));
        }
        if s.held && !self.is_sized(e) && s.held_vectors() < self.positions(e) as u64 {
            return Err(e.unfit("a row does not fit what its threads hold"));
        }
        ahead::check(e, self)?;
        packed::check(e, self)?;
        cluster::check(e, s)
    }

    /// Vectors of a row.
    pub(super) fn positions(&self, e: &Emitter<'_>) -> i64 {
        self.row.iter().map(|&v| self.count(e, v)).product()
    }

    /// Vectors along a row variable.
    pub(super) fn count(&self, e: &Emitter<'_>, var: VarId) -> i64 {
        let extent = e.exprs.indices.extent(var);
        if var == self.schedule.vector.0 { extent / i64::from(self.lanes) } else { extent }
    }

    fn cpu(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let per_group = i64::from(self.schedule.rows);
        self.total.each_of_workgroup(e, per_group, &mut |e, row| self.whole(e, row, None, None))
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
            (_, _, false) => e.code.div_rem(thread, rows),
        };
        let wide = e.code.resize_u(local, ty.scalar);
        let (group, part) = cluster::part(e, group, self.schedule.cluster, self.folds.len());
        if self.schedule.packed || self.schedule.cluster > 1 {
            packed::limit_registers(self, e)?;
        }
        let first = e.code.int_k("arith.muli", group, rows);
        let row = e.code.add_i(first, wide);
        let (shared, side) = (self.schedule.threads, self.schedule.rows);
        let share = Share { rank, local, threads: shared, rows: side, across: self.across, part };
        if self.schedule.ahead > 0 {
            return ahead::rows(self, e, row, share);
        }
        if matches!(self.total, Count::Known(total) if total % rows == 0) {
            return self.whole(e, row, Some(share), None);
        }
        let total = self.total.value(e);
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
        self.fold_all(e, &walk, share)?;
        self.store(e, &walk, share, inside)
    }

    /// The reductions of a row that is bound, one after another unless one pass folds them all.
    pub(super) fn fold_all(&self, e: &mut Emitter<'_>, walk: &Walk, share: Option<Share>) -> Result<(), EmitError> {
        if together::applies(e, self) {
            return together::fold(self, e, walk, share);
        }
        let mut made = 0;
        let mut meeting = 0;
        let joint = joint::applies(e, self);
        for (pass, (roots, fold)) in self.folds.iter().enumerate() {
            let folded = self.fold(e, walk, (pass, roots), fold.as_ref())?;
            let folded = match share {
                Some(of) if of.threads > 1 => self::share(e, fold.as_ref(), folded, of)?,
                _ => folded,
            };
            let folded = match share.and_then(|s| s.part) {
                // Each workgroup goes on with its own maximum.
                Some(_) if joint && pass == 0 => folded,
                Some(part) => {
                    let next = (part, self.schedule.cluster, meeting);
                    meeting += 1;
                    if joint && pass == 1 {
                        vec![joint::meet(e, &folded, next)?]
                    } else {
                        cluster::share(e, fold.as_ref(), &folded, next)?
                    }
                }
                None => folded,
            };
            for value in fold.finish(e, &folded)? {
                e.set_slot(Slot::Reduced(made), value);
                made += 1;
            }
        }
        Ok(())
    }

    /// What is stored of a row, once its reductions are known.
    pub(super) fn store(
        &self,
        e: &mut Emitter<'_>,
        walk: &Walk,
        share: Option<Share>,
        inside: Option<Value>,
    ) -> Result<(), EmitError> {
        self.store_elements(e, walk, inside)?;
        self.store_rows(e, share, inside)
    }

    /// Binds the domain variables from the row's number; lanes that lie across rows become the present lanes.
    pub(super) fn bind_row(&self, e: &mut Emitter<'_>, number: Value) {
        e.lanes = if self.across { 1 } else { self.lanes };
        let mut rest = number;
        let domain = e.plan.domain.clone();
        for (at, &var) in domain.iter().enumerate().rev() {
            let extent = e.exprs.indices.extent(var);
            let lanes = if var == self.schedule.vector.0 { i64::from(self.lanes) } else { 1 };
            let count = (extent + lanes - 1) / lanes;
            let own = match self.counts.get(at).copied().flatten() {
                _ if at == 0 => rest,
                Some(count) => e.next_digit_of(&mut rest, count),
                None => e.next_digit(&mut rest, count),
            };
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

    /// Computes what is the same for all of the row before a loop over it.
    pub(super) fn hoist(&self, e: &mut Emitter<'_>, roots: &[NodeId]) -> Result<(), EmitError> {
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
        if let Some(folded) = self.narrow_extremum(e, walk, fold)? {
            return Ok(vec![folded]);
        }
        match fold.quick().filter(|_| self.across && self.lanes > 1) {
            Some(quick) => self.quick_extremum(e, walk, (pass, roots), (&quick, fold)),
            None => self.fold_by(e, walk, (pass, roots), fold),
        }
    }

    /// The same by this fold, without looking for another way.
    pub(super) fn fold_by(
        &self,
        e: &mut Emitter<'_>,
        walk: &Walk,
        (pass, roots): (usize, &[NodeId]),
        fold: &dyn Fold,
    ) -> Result<Vec<Value>, EmitError> {
        e.lanes = self.lanes;
        let identity = fold.identity(e)?;
        let start = identity.into_iter().map(|v| e.code.spread(v, self.lanes)).collect();
        let folded = self.each(e, walk, start, &mut |e, chunks, mut running| {
            if let Walk::Streamed(Some(_)) = walk {
                self.read(e, chunks, roots)?;
            }
            for chunk in chunks {
                bind(e, chunk)?;
                self.prefetch(e, pass)?;
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
                bind(e, chunk)?;
                e.lanes = self.lanes;
                self.prefetch(e, self.folds.len())?;
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

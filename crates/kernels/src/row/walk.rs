//! How a thread goes through its part of a row: the vectors that it holds, or loops over them (`row` says which and
//! why).
//!
//! Worked example: a row of 250 vectors, 32 threads, 8 vectors held: thread 27 binds the vectors 27, 59, … 219 and,
//! past the end, vector 249 again, marked as not existing.

use fornax_plan::{NodeId, VarId};

use super::emit::Row;
use super::packed;
use super::share::Share;
use fornax_emit::blocks::count::Count;
use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Iterations of a CPU's loop over a row up to which LLVM may write all of it out. Of longer ones it would, and then
/// keep on the stack what one pass loads for the next.
const UNROLLED_MAX: i64 = 4;

/// One vector of a row.
pub(super) struct Chunk {
    pub bindings: Vec<(VarId, Binding)>,
    /// Which of it exists, if not all: a truth value, or one a lane.
    pub valid: Option<Value>,
    /// What loads have read of it, as it lies in memory, where every pass starts from that.
    pub words: Vec<(NodeId, Vec<Value>)>,
}

/// How a thread goes through its part of a row.
pub(super) enum Walk {
    Held(Vec<Chunk>),
    /// Loops; GPU: the thread's number in its row.
    Streamed(Option<Value>),
}

/// Folds or stores the elements of a chunk that is bound: running values in, running values out.
pub(super) type Visit<'v> = dyn FnMut(&mut Emitter<'_>, &[Chunk], Vec<Value>) -> Result<Vec<Value>, EmitError> + 'v;

impl Row<'_> {
    /// What of a row this thread has. Held: all of it is read now.
    pub(super) fn walk(&self, e: &mut Emitter<'_>, share: Option<Share>) -> Result<Walk, EmitError> {
        let Some(share) = share else { return Ok(Walk::Streamed(None)) };
        if !self.schedule.held {
            return Ok(Walk::Streamed(Some(e.code.resize_u(share.rank, e.index))));
        }
        let mut chunks = self.own_chunks(e, share);
        let roots = self.element_roots();
        if self.schedule.packed {
            let loads = self.streams(e, &roots);
            let words = packed::read(self, e, &chunks, &loads)?;
            packed::hold(self, e, &mut chunks, &loads, words)?;
        } else {
            self.read(e, &chunks, &roots)?;
        }
        Ok(Walk::Held(chunks))
    }

    /// The vectors that a thread holds of its row.
    pub(super) fn own_chunks(&self, e: &mut Emitter<'_>, share: Share) -> Vec<Chunk> {
        let rank = e.code.resize_u(share.rank, e.index);
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
        let sized = self.is_sized(e);
        self.chunks(e, first, |at| !sized && before + at <= positions)
    }

    /// A thread's next vectors, from its number `first` on; `exists` says whether all before a number surely do.
    pub(super) fn chunks(&self, e: &mut Emitter<'_>, first: Value, exists: impl Fn(i64) -> bool) -> Vec<Chunk> {
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
            chunks.push(Chunk { bindings, valid, words: Vec::new() });
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

    /// Reads what some nodes need of the row's elements, all of it before anything is computed, so that many loads are
    /// under way at once. What does not change with the row is in a cache and read where it is used.
    pub(super) fn read(&self, e: &mut Emitter<'_>, chunks: &[Chunk], roots: &[NodeId]) -> Result<(), EmitError> {
        let loads = self.streams(e, roots);
        for chunk in chunks {
            bind(e, chunk)?;
            for &node in &loads {
                e.eval(node)?;
            }
        }
        Ok(())
    }

    /// Nodes that are evaluated for elements.
    pub(super) fn element_roots(&self) -> Vec<NodeId> {
        let mut roots: Vec<NodeId> = self.folds.iter().flat_map(|f| f.0.iter().copied()).collect();
        roots.extend(self.elements.iter().map(|s| s.value));
        roots
    }

    /// Loads behind some nodes that change from row to row and along it.
    pub(super) fn streams(&self, e: &mut Emitter<'_>, roots: &[NodeId]) -> Vec<NodeId> {
        let domain = e.plan.domain.clone();
        let single = matches!(self.total, Count::Known(1));
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
        loads
    }

    pub(super) fn each(
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
            return visit(e, &[Chunk { bindings, valid: None, words: Vec::new() }], running);
        };
        e.lanes = self.lanes;
        let ty = e.index_ty();
        let (zero, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
        let (high, rolled) = if self.is_sized(e) {
            (self.positions, false)
        } else {
            let count = self.count(e, var);
            (e.code.int(ty, count), count > UNROLLED_MAX)
        };
        let open = e.code.begin_for(zero, high, one, &running);
        self.bind_position(e, var, Some(open.iv));
        let next = self.nest(e, at + 1, open.carried.clone(), visit)?;
        let running = if rolled { e.code.end_rolled_for(open, &next) } else { e.code.end_for(open, &next) };
        let (extent, lanes) = (e.exprs.indices.extent(var), i64::from(self.lanes));
        if let Some(extent) = e.exprs.indices.run_extent(var) {
            let whole = e.exprs.indices.alignment(extent, lanes) == lanes;
            return if var != self.schedule.vector.0 || whole {
                Ok(running)
            } else {
                self.rest(e, var, running, visit)
            };
        }
        if var != self.schedule.vector.0 || extent % lanes == 0 {
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
        visit(e, &[Chunk { bindings, valid: Some(valid), words: Vec::new() }], running)
    }
}

impl Row<'_> {
    /// The last elements of a row that is at least a vector long, where its length is known only at run time: as with
    /// known lengths.
    fn rest(
        &self,
        e: &mut Emitter<'_>,
        var: VarId,
        running: Vec<Value>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Value>, EmitError> {
        let lanes = i64::from(self.lanes);
        let ty = e.index_ty();
        let length = e.extent_value(var)?;
        let left = e.code.int_k("arith.remui", length, lanes);
        let (zero, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
        let some = e.code.binary("arith.minsi", left, one);
        let open = e.code.begin_for(zero, some, one, &running);
        e.lanes = self.lanes;
        let start = e.code.add_ik(length, -lanes);
        e.bind_lanes(var, Some(start), 1, 0);
        let lane = e.code.iota(e.index, self.lanes);
        let before = e.code.int(ty, lanes);
        let before = e.code.sub_i(before, left);
        let before = e.code.spread(before, self.lanes);
        let valid = e.code.cmp_i("sge", lane, before);
        let bindings = self.row.iter().filter_map(|&var| Some((var, e.binding(var)?))).collect();
        let chunk = Chunk { bindings, valid: Some(valid), words: Vec::new() };
        let next = visit(e, &[chunk], open.carried.clone())?;
        Ok(e.code.end_for(open, &next))
    }
}

/// Binds a chunk's elements: as before, or, where a row is packed, anew for each pass.
pub(super) fn bind(e: &mut Emitter<'_>, chunk: &Chunk) -> Result<(), EmitError> {
    for &(var, binding) in &chunk.bindings {
        if chunk.words.is_empty() { e.rebind(var, binding) } else { e.bind_anew(var, binding) }
    }
    packed::provide(e, chunk)
}

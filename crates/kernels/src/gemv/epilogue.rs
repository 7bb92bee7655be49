//! What is made of the sums of an output, and stored.
//!
//! With several products one thread has at most one output to store, as a rule. What its epilogue reads next to the
//! sums (a bias, the cell of an LSTM, its place in a cache) is then asked for before the products, and has come when
//! these are done. So it is with quads, whose workgroups are few: a residual, the weights of the norm behind it. What
//! is stored where a position says is begun before the kernels before are over: the position is loaded, and its
//! angles' functions are computed.

use fornax_plan::walk::Reached;
use fornax_plan::{Access, Exprs, IndexId, KernelPlan, Node, NodeId};

use super::emit::{Bound, Gemv, bind_joint, bindings, rebind};
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

impl Gemv<'_> {
    /// Loads what the thread's epilogue reads, where it has one output at most; gives the output's bindings, which may
    /// be `known`.
    pub(super) fn ahead(
        &self,
        e: &mut Emitter<'_>,
        place: (Value, Value),
        known: Option<Bound>,
    ) -> Result<Option<Bound>, EmitError> {
        let Some(bound) = known.or_else(|| self.own_output(e, place)) else { return Ok(None) };
        e.lanes = 1;
        rebind(e, &bound);
        for node in independent(e.exprs, e.plan) {
            if matches!(e.exprs.node(node), Node::Load { mask: None, .. }) {
                e.eval(node)?;
            }
        }
        Ok(Some(bound))
    }

    /// Before the kernels before are over: loads and functions of what no kernel of a call writes, for the epilogue.
    /// Where there are some, gives the output's bindings.
    pub(super) fn before_wait(&self, e: &mut Emitter<'_>, place: (Value, Value)) -> Result<Option<Bound>, EmitError> {
        let (exprs, plan) = (e.exprs, e.plan);
        let is_late =
            |&node: &NodeId| matches!(exprs.node(node), Node::Load { buffer, .. } if !plan.early.contains(buffer));
        let given = |node: &NodeId| !Reached::from(exprs, [*node], &[]).nodes.iter().any(is_late);
        let nodes: Vec<NodeId> = independent(exprs, plan).into_iter().filter(given).collect();
        let bound = if nodes.is_empty() { None } else { self.own_output(e, place) };
        for node in nodes.into_iter().filter(|_| bound.is_some()) {
            e.eval(node)?;
        }
        Ok(bound)
    }

    /// Binds the thread's output, if it has one at most whose epilogue is begun ahead. Threads without an output take
    /// the last.
    fn own_output(&self, e: &mut Emitter<'_>, (thread, column_group): (Value, Value)) -> Option<Bound> {
        let s = self.schedule;
        let outputs = self.rows * s.width() as i64;
        let is_asked = s.quads || is_placed(e.exprs, e.plan);
        let is_one = self.stages.places.len() == 1 && (self.rank.is_some() || !is_asked);
        if is_one || outputs > i64::from(s.threads()) {
            return None;
        }
        let last = e.code.int(thread.ty, outputs - 1);
        let at = e.code.binary("arith.minsi", thread, last);
        let (row, column) = self.place(e, at, column_group);
        let last = e.code.int(column.ty, self.columns - 1);
        let column = e.code.binary("arith.minsi", column, last);
        e.lanes = 1;
        bind_joint(e, &s.long, column);
        let row = e.code.resize_u(row, e.index);
        bind_joint(e, &s.short, row);
        let mut bound = bindings(e, &s.long);
        bound.extend(bindings(e, &s.short));
        Some(bound)
    }

    /// Row (i32) and column of output `at` of the workgroup.
    fn place(&self, e: &mut Emitter<'_>, at: Value, column_group: Value) -> (Value, Value) {
        let width = self.schedule.width() as i64;
        let column = e.code.int_k("arith.remui", at, width);
        let row = e.code.int_k("arith.divui", at, width);
        let first = e.code.int_k("arith.muli", column_group, width);
        let wide = e.code.resize_u(column, e.index);
        let column = e.code.add_i(first, wide);
        (row, column)
    }

    /// Stores output `at` of the workgroup, if there is such a column. `ahead` has its bindings, where they are known.
    pub(super) fn store(
        &self,
        e: &mut Emitter<'_>,
        at: Value,
        sums: &[Value],
        (column_group, ahead): (Value, Option<&Bound>),
    ) -> Result<(), EmitError> {
        let s = self.schedule;
        let (row, column) = self.place(e, at, column_group);
        let inside = e.code.cmp_ik("ult", column, self.columns);
        e.code.begin_if(inside, &[]);
        match ahead {
            Some(bound) => rebind(e, bound),
            None => {
                bind_joint(e, &s.long, column);
                let row = e.code.resize_u(row, e.index);
                bind_joint(e, &s.short, row);
            }
        }
        (0..).zip(sums).for_each(|(number, &sum)| e.set_slot(Slot::Reduced(number), sum));
        let stores = e.plan.body.stores();
        let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
        for (store, value) in stores.iter().zip(values) {
            e.store(store.buffer, store.offset, value)?;
        }
        e.code.end_if(&[]);
        Ok(())
    }
}

/// Of what results and their places are made of, loads and functions that need no sum, and nothing that is announced.
fn independent(exprs: &Exprs, plan: &KernelPlan) -> Vec<NodeId> {
    let stores = plan.body.stores();
    let offsets: Vec<IndexId> = stores.iter().map(|s| s.offset).collect();
    let reached = Reached::from(exprs, stores.iter().map(|s| s.value), &offsets);
    let is_meant = |&node: &NodeId| matches!(exprs.node(node), Node::Load { .. } | Node::Unary { .. });
    // What another workgroup announces is there behind the products, not before.
    let is_announced = |buffer: &u32| plan.buffers.get(*buffer as usize).is_some_and(|b| b.access == Access::Announced);
    let is_sum = |&node: &NodeId| match exprs.node(node) {
        Node::Load { buffer, .. } => is_announced(buffer),
        other => matches!(other, Node::Reduced { .. }),
    };
    let known = |node: &NodeId| !Reached::from(exprs, [*node], &[]).nodes.iter().any(is_sum);
    reached.nodes.into_iter().filter(is_meant).filter(known).collect()
}

/// Whether something that is read says where results are stored: a position in a cache.
fn is_placed(exprs: &Exprs, plan: &KernelPlan) -> bool {
    let offsets: Vec<IndexId> = plan.body.stores().iter().map(|s| s.offset).collect();
    let reached = Reached::from(exprs, [], &offsets);
    reached.nodes.iter().any(|&node| matches!(exprs.node(node), Node::Load { .. }))
}

/// Where a position that is read says where results go: buffers that the epilogue may read before the wait.
pub(super) fn early_buffers(plan: &KernelPlan) -> Vec<u32> {
    if !is_placed(&plan.exprs, plan) {
        return Vec::new();
    }
    let buffer = |node| match plan.exprs.node(node) {
        Node::Load { buffer, mask: None, .. } => Some(*buffer),
        _ => None,
    };
    independent(&plan.exprs, plan).into_iter().filter_map(buffer).collect()
}

//! What is made of the sums of an output, and stored.
//!
//! With several products one thread has at most one output to store, as a rule. What its epilogue reads next to the
//! sums (a bias, the cell of an LSTM) is then asked for before the products, and has come when these are done.

use fornax_plan::walk::Reached;
use fornax_plan::{Node, NodeId};

use super::emit::{Bound, Gemv, bind_joint, bindings, rebind};
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

impl Gemv<'_> {
    /// Loads what the thread's epilogue reads, where it has one output at most; gives the output's bindings.
    pub(super) fn ahead(
        &self,
        e: &mut Emitter<'_>,
        (thread, column_group): (Value, Value),
    ) -> Result<Option<Bound>, EmitError> {
        let s = self.schedule;
        let outputs = self.rows * s.width() as i64;
        if self.stages.places.len() == 1 || outputs > i64::from(s.threads()) {
            return Ok(None);
        }
        // Threads without an output load what the last one does.
        let last = e.code.int(thread.ty, outputs - 1);
        let at = e.code.binary("arith.minsi", thread, last);
        let (row, column) = self.place(e, at, column_group);
        let last = e.code.int(column.ty, self.columns - 1);
        let column = e.code.binary("arith.minsi", column, last);
        e.lanes = 1;
        bind_joint(e, &s.long, column);
        let row = e.code.resize_u(row, e.index);
        bind_joint(e, &s.short, row);
        for node in self.epilogue_loads(e) {
            e.eval(node)?;
        }
        let mut bound = bindings(e, &s.long);
        bound.extend(bindings(e, &s.short));
        Ok(Some(bound))
    }

    /// Loads that the stored values are made of, under no condition.
    fn epilogue_loads(&self, e: &Emitter<'_>) -> Vec<NodeId> {
        let exprs = e.exprs;
        let plain = |node: &NodeId| matches!(exprs.node(*node), Node::Load { mask: None, .. });
        let reached = Reached::from(exprs, e.plan.body.stores().iter().map(|s| s.value), &[]);
        let known = |node: &NodeId| {
            let behind = Reached::from(exprs, [*node], &[]);
            !behind.nodes.iter().any(|&node| matches!(exprs.node(node), Node::Reduced { .. }))
        };
        reached.nodes.into_iter().filter(plain).filter(known).collect()
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

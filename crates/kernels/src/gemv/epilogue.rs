//! What is made of the sums of an output, and stored.
//!
//! With several products one thread has at most one output to store, as a rule. What its epilogue reads next to the
//! sums (a bias, the cell of an LSTM) is then asked for before the products, and has come when these are done. So it is
//! for one product whose weights are on their way before the kernels before are over: a residual. What no kernel
//! writes, such as a bias or the scale of an output, is asked for before the wait, as the product's weights are.

use std::collections::BTreeSet;

use fornax_plan::walk::Reached;
use fornax_plan::{KernelPlan, Node, NodeId};
use fornax_targets::Backend;

use super::emit::{Bound, Gemv, bind_joint, bindings, rebind};
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Registers of a thread where a multiprocessor is full of threads. Source: CUDA C++ Programming Guide, compute
/// capabilities 8.0 and 9.0: 65,536 for 2048 threads.
const REGISTERS_FULL: u32 = 32;

/// Loads that the stored values are made of, under no condition.
fn loads(plan: &KernelPlan) -> Vec<NodeId> {
    let exprs = &plan.exprs;
    let plain = |node: &NodeId| matches!(exprs.node(*node), Node::Load { mask: None, .. });
    let reached = Reached::from(exprs, plan.body.stores().iter().map(|s| s.value), &[]);
    let known = |node: &NodeId| {
        let behind = Reached::from(exprs, [*node], &[]);
        !behind.nodes.iter().any(|&node| matches!(exprs.node(node), Node::Reduced { .. }))
    };
    reached.nodes.into_iter().filter(plain).filter(known).collect()
}

fn buffer(plan: &KernelPlan, node: NodeId) -> Option<u32> {
    if let Node::Load { buffer, .. } = plan.exprs.node(node) { Some(*buffer) } else { None }
}

/// Buffers that epilogues read, each once.
pub(super) fn buffers(plan: &KernelPlan) -> BTreeSet<u32> {
    loads(plan).into_iter().filter_map(|node| buffer(plan, node)).collect()
}

impl Gemv<'_> {
    /// Loads what the thread's epilogue reads of what no kernel writes, where it has one output at most; gives the
    /// output's bindings.
    pub(super) fn ahead_given(&self, e: &mut Emitter<'_>, place: (Value, Value)) -> Result<Option<Bound>, EmitError> {
        let plan = e.plan;
        let given = |node: &NodeId| buffer(plan, *node).is_some_and(|buffer| plan.early.contains(&buffer));
        let given: Vec<NodeId> = loads(plan).into_iter().filter(given).collect();
        if given.is_empty() { Ok(None) } else { self.ask(e, place, &given) }
    }

    /// Loads all that it reads; `begun` are the bindings where some is under way.
    pub(super) fn ahead(
        &self,
        e: &mut Emitter<'_>,
        place: (Value, Value),
        begun: Option<Bound>,
    ) -> Result<Option<Bound>, EmitError> {
        let all = loads(e.plan);
        if all.is_empty() && self.stages.places.len() == 1 {
            return Ok(None);
        }
        let Some(bound) = begun else { return self.ask(e, place, &all) };
        rebind(e, &bound);
        e.lanes = 1;
        for node in all {
            e.eval(node)?;
        }
        Ok(Some(bound))
    }

    fn ask(
        &self,
        e: &mut Emitter<'_>,
        (thread, column_group): (Value, Value),
        loads: &[NodeId],
    ) -> Result<Option<Bound>, EmitError> {
        let s = self.schedule;
        let outputs = self.rows * s.width() as i64;
        // Weights that are asked for before the wait have the time that these loads take.
        let pays = self.stages.places.len() > 1 || self.is_early(e)? && s.cluster == 1;
        if !pays || outputs > i64::from(s.threads()) {
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
        for &node in loads {
            e.eval(node)?;
        }
        let mut bound = bindings(e, &s.long);
        bound.extend(bindings(e, &s.short));
        Ok(Some(bound))
    }

    /// Has the assembler leave the registers with which a multiprocessor holds all threads that it may: without what
    /// an epilogue asks for ahead, narrow tiles take just as many. Down of Llama 3.1 8B with a residual took 34, with
    /// which a fifth of the threads less fit, and 30.6 us; held to 32 it took 28.7 (one H200).
    pub(super) fn fill_units(&self, e: &mut Emitter<'_>) {
        let (threads, target) = (self.schedule.threads(), e.target);
        let fits = target.backend == Backend::Cuda && target.max_threads_per_unit.is_multiple_of(threads);
        if fits && target.registers_per_unit / target.max_threads_per_unit.max(1) >= REGISTERS_FULL {
            e.abi.attribute(&format!("nvvm.minctasm = {} : i32", target.max_threads_per_unit / threads));
        }
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

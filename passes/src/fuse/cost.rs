//! What fusion knows of a value before it decides: the price of recomputing it, its readers, the hero it continues.

use std::collections::HashMap;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::affine::{absorbed, own_cost};
use super::diamond::{Readers, source};
use super::extents::{elements, read_sizes, shape};
use crate::errors::PassError;
use crate::facts::control;
use crate::facts::index_maps::is_bijective;
use crate::facts::ops::{Class, row};
use crate::facts::sizes::same_count;

/// Facts of the values of one function, by value index.
pub struct Facts {
    /// Cost of one element computed from stored values (an estimate: values that are surely stored count 0, such as
    /// what follows from a product and has several readers, and what a broadcast repeats counts no more than if it were
    /// stored: `cos` of 32 angles read by 32 heads is a load).
    pub expense: Vec<f64>,
    /// The hero whose result this is but for elementwise ops and one-to-one index maps, with no other reader between;
    /// of products also where several readers meet again (`diamond`).
    pub hero: HashMap<ValueId, OpId>,
    /// Values that some reader needs in a buffer whatever else is decided: operands of a return or of a control op.
    pub returned: Vec<bool>,
}

const EXPENSE_MAX: f64 = 1e6;
/// Cost of recomputation below which storing never pays, in additions: about one kernel launch.
pub(super) const RECOMPUTE_FREE: f64 = 65536.0;
/// Fixed price of a trip through memory against evaluating an element again, in additions.
pub(super) const STORE_COST: f64 = 24.0;
/// Price of that trip for an element, in additions.
pub(super) const LOAD_COST: f64 = 3.0;

impl Facts {
    pub fn of(graph: &Graph, block: BlockId) -> Result<Facts, PassError> {
        let n = graph.values.len();
        let mut facts = Facts { expense: vec![0.0; n], hero: HashMap::new(), returned: vec![false; n] };
        let mut readers = Readers::new();
        let mut multiplied = vec![false; n];
        for &op in &graph.block(block).ops {
            let data = graph.op(op);
            let mut operands = data.operands.clone();
            operands.sort();
            operands.dedup();
            for v in operands {
                readers.entry(v).or_default().push(op);
                facts.returned[v.index()] |= matches!(data.kind, OpKind::FuncReturn | OpKind::Return);
            }
            if control::is_control(graph, op) {
                for v in control::inputs(graph, op) {
                    facts.returned[v.index()] = true;
                }
            }
            if row(data.kind).is_some_and(|r| r.class == Class::Contraction) {
                for &v in data.operands.iter().take(2) {
                    multiplied[v.index()] = true;
                }
            }
        }
        for value in read_sizes(graph) {
            facts.returned[value.index()] = true;
        }
        for &op in &graph.block(block).ops {
            facts.visit(graph, op, &readers, &multiplied)?;
        }
        Ok(facts)
    }

    fn visit(&mut self, graph: &Graph, op: OpId, readers: &Readers, multiplied: &[bool]) -> Result<(), PassError> {
        let data = graph.op(op);
        let Some(row) = row(data.kind) else { return Ok(()) };
        match row.class {
            Class::Reduction | Class::Contraction => {
                for &v in &data.results {
                    self.hero.insert(v, op);
                }
            }
            Class::Elementwise | Class::Index => {
                let Some(&result) = data.results.first() else { return Ok(()) };
                let stored = |v: ValueId| {
                    let compute = graph.producer(v).is_some_and(|p| !absorbed(graph.op(p).kind));
                    let product = |op: OpId| row_class(graph, op) == Some(Class::Contraction);
                    let shared = readers.get(&v).is_some_and(|all| all.len() > 1)
                        && self.hero.get(&v).is_some_and(|&hero| product(hero));
                    self.returned[v.index()] || shared || multiplied[v.index()] && compute
                };
                let mut below: f64 =
                    data.operands.iter().filter(|&&v| !stored(v)).map(|v| self.expense[v.index()]).sum();
                if data.kind == OpKind::BroadcastInDim {
                    below = repeated(graph, op, below)?;
                }
                self.expense[result.index()] = (own_cost(graph, op) + below).min(EXPENSE_MAX);
                if let Some(hero) = self.continues(graph, op, result, readers)? {
                    self.hero.insert(result, hero);
                }
            }
            Class::Constant | Class::Control => {}
        }
        Ok(())
    }

    fn continues(
        &self,
        graph: &Graph,
        op: OpId,
        result: ValueId,
        readers: &Readers,
    ) -> Result<Option<OpId>, PassError> {
        let data = graph.op(op);
        let elementwise = row(data.kind).is_some_and(|r| r.class == Class::Elementwise);
        if !elementwise && data.kind != OpKind::BitcastConvert && !is_bijective(graph, op)? {
            return Ok(None);
        }
        for &v in &data.operands {
            let same = same_count(graph, v, result)? && (!elementwise || shape(graph, v)? == shape(graph, result)?);
            if let (Some(&hero), true) = (self.hero.get(&v), same)
                && readers.get(&v).is_some_and(|all| all.len() == 1)
                && !self.returned[v.index()]
            {
                return Ok(Some(hero));
            }
        }
        let found = if elementwise { source(graph, op, self, readers)? } else { None };
        let hero = found.and_then(|value| self.hero.get(&value).copied());
        Ok(hero.filter(|&hero| row_class(graph, hero) == Some(Class::Contraction)))
    }
}

/// What the table of ops says that an op is.
pub(super) fn row_class(graph: &Graph, op: OpId) -> Option<Class> {
    row(graph.op(op).kind).map(|row| row.class)
}

/// The expense of an element that a broadcast repeats: where this reader alone brings half of what makes a value worth
/// storing, no more than if it were stored.
fn repeated(graph: &Graph, op: OpId, expense: f64) -> Result<f64, PassError> {
    let data = graph.op(op);
    let [from, to] = [data.operands[0], data.results[0]].map(|value| elements(graph, value));
    let (from, to) = (from?.max(1) as f64, to? as f64);
    let is_dear = (to - from) * expense > RECOMPUTE_FREE / 2.0;
    Ok(if is_dear { expense.min(LOAD_COST + (expense + STORE_COST) * from / to) } else { expense })
}

//! Reductions of the same rows that do not read each other's results, on GPUs: one pass folds them all.
//!
//! They meet once too: what one fold's threads read of shared memory would wait in registers behind the barrier of the
//! next fold, and those of three do not fit.
//!
//! Worked example, the gradient of a batch norm, Σ dy and Σ dy·(x − m) over [25088, 512] bf16: a thread reads a vector
//! of dy and of x and adds to both sums, then goes on. One pass a sum read dy twice, and holding both vectors for a
//! second pass took more registers than a thread has.

use fornax_plan::walk::Reached;
use fornax_plan::{Body, KernelPlan, Node, NodeId};

use super::emit::Row;
use super::share::{Share, share};
use super::walk::Walk;
use fornax_emit::blocks::fold::Fold;
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Whether a row has several reductions, none of which reads another's result.
pub(super) fn are_independent(plan: &KernelPlan) -> bool {
    let Body::Row { folds, .. } = &plan.body else { return false };
    let roots = folds.iter().flat_map(|fold| fold.roots());
    let reached = Reached::from(&plan.exprs, roots, &[]);
    folds.len() > 1 && !reached.nodes.iter().any(|&node| matches!(plan.exprs.node(node), Node::Reduced { .. }))
}

/// Whether one pass folds all of a row's reductions. Extrema along a row have ways of their own.
pub(super) fn applies(e: &Emitter<'_>, row: &Row<'_>) -> bool {
    let plain = row.schedule.cluster == 1 && row.schedule.ahead == 0 && !row.schedule.packed;
    let quick = row.across && row.folds.iter().any(|(_, fold)| fold.quick().is_some());
    e.abi.is_gpu() && plain && !quick && are_independent(e.plan)
}

/// Folds them.
pub(super) fn fold(row: &Row<'_>, e: &mut Emitter<'_>, walk: &Walk, of: Option<Share>) -> Result<(), EmitError> {
    let roots: Vec<NodeId> = row.folds.iter().flat_map(|(roots, _)| roots.iter().copied()).collect();
    let all = Together(row.folds.iter().map(|(_, fold)| fold.as_ref()).collect());
    row.hoist(e, &roots)?;
    let mut folded = row.fold_by(e, walk, (0, &roots), &all)?;
    if let Some(of) = of.filter(|of| of.threads > 1) {
        folded = share(e, &all, folded, of)?;
    }
    for (index, value) in (0..).zip(all.finish(e, &folded)?) {
        e.set_slot(Slot::Reduced(index), value);
    }
    Ok(())
}

/// Several folds as one: the accumulators of one after those of the other.
struct Together<'a>(Vec<&'a (dyn Fold + 'a)>);

impl Together<'_> {
    /// Each fold with its own of some accumulators.
    fn each<'v>(&self, of: &'v [Value]) -> impl Iterator<Item = (&(dyn Fold + '_), &'v [Value])> {
        let mut rest = of;
        self.0.iter().map(move |fold| {
            let (own, others) = rest.split_at(fold.operands().min(rest.len()));
            rest = others;
            (*fold, own)
        })
    }
}

impl Fold for Together<'_> {
    fn operands(&self) -> usize {
        self.0.iter().map(|fold| fold.operands()).sum()
    }

    fn is_symmetric(&self) -> bool {
        self.0.iter().all(|fold| fold.is_symmetric())
    }

    fn identity(&self, e: &mut Emitter<'_>) -> Result<Vec<Value>, EmitError> {
        let all = self.0.iter().map(|fold| fold.identity(e)).collect::<Result<Vec<_>, _>>()?;
        Ok(all.concat())
    }

    fn step(&self, e: &mut Emitter<'_>, running: &[Value]) -> Result<Vec<Value>, EmitError> {
        let all = self.each(running).map(|(fold, own)| fold.step(e, own)).collect::<Result<Vec<_>, _>>()?;
        Ok(all.concat())
    }

    fn merge(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Vec<Value>, EmitError> {
        let both = self.each(a).zip(self.each(b));
        let all = both.map(|((fold, a), (_, b))| fold.merge(e, a, b)).collect::<Result<Vec<_>, _>>()?;
        Ok(all.concat())
    }

    fn finish(&self, e: &mut Emitter<'_>, folded: &[Value]) -> Result<Vec<Value>, EmitError> {
        let all = self.each(folded).map(|(fold, own)| fold.finish(e, own)).collect::<Result<Vec<_>, _>>()?;
        Ok(all.concat())
    }
}

//! Loops and branches: their bodies are cut as the walk cuts a function.
//!
//! What a loop carries lies alike before and after its body. Worked example: `h` begins as zeros, whole, and each step
//! makes `tanh(x W + h U)` of an `x` that is cut along the batch. The first trial of the body starts with `h` whole and
//! ends with it cut along the batch; the second starts with that, and ends with it: so the loop carries a part of `h`.
//! What would have to move within every step although no step changes it is brought to all devices once, before the
//! loop; so is what no trial leaves as it was.
//!
//! Bodies are copied for every trial and dropped; a value changes its layout at most twice, so trials end.

use std::collections::HashMap;

use fornax_graph::{BlockId, NewOp, Op, OpId, OpKind, RegionId, Type, ValueId};

use super::layout::Layout;
use super::{Part, Pass, is_edge, rename};
use crate::errors::PassError;
use crate::facts::control::inputs;
use crate::rewrite::Rewriter;

/// A region of one device.
struct Cut {
    region: RegionId,
    arguments: Vec<ValueId>,
    yields: Vec<ValueId>,
    /// Layouts of what it yields; `None` for what is no tensor.
    natural: Vec<Option<Layout>>,
}

/// What a loop or the branches of a choice hand on: layouts by result.
type Layouts = Vec<Option<Layout>>;

impl Pass {
    /// The results of a loop or a choice; `None` where nothing in it is cut.
    pub(super) fn control(&mut self, rw: &mut Rewriter, id: OpId) -> Result<Option<Vec<ValueId>>, PassError> {
        if !self.touches(rw, id) {
            return Ok(None);
        }
        if rw.kind(id) == OpKind::While { self.looped(rw, id).map(Some) } else { self.chosen(rw, id).map(Some) }
    }

    /// Whether anything that the op reads is cut, or something in it says how to cut.
    fn touches(&self, rw: &Rewriter, id: OpId) -> bool {
        let is_cut = |v: &ValueId| self.values.get(v).is_some_and(|part| !part.layout.is_whole());
        let mut found = inputs(rw.graph, id).iter().any(is_cut);
        for &region in &rw.graph.op(id).regions {
            for &block in &rw.graph.region(region).blocks {
                let speaks = [OpKind::ManualComputation, OpKind::ShardingConstraint];
                rw.graph.walk(block, &mut |op| found |= speaks.contains(&rw.kind(op)) || is_edge(rw.graph, op));
            }
        }
        found
    }

    fn looped(&mut self, rw: &mut Rewriter, id: OpId) -> Result<Vec<ValueId>, PassError> {
        let op = rw.graph.op(id).clone();
        let &[condition, body] = op.regions.as_slice() else {
            return Err(PassError::unsupported(rw.graph, id, "is a loop without a condition and a body"));
        };
        let parts: Vec<Option<Part>> = op.operands.iter().map(|&v| self.part(rw, v)).collect();
        let whole = |at: usize| parts[at].as_ref().map(|part: &Part| self.machine.replicated(&part.whole));
        let all_whole: Layouts = (0..parts.len()).map(whole).collect();
        let mut layouts: Layouts = parts.iter().map(|part| part.as_ref().map(|part| part.layout.clone())).collect();
        let mut changes = vec![0; layouts.len()];
        loop {
            let before = rw.graph.values.len();
            let outer = std::mem::take(&mut self.moved);
            let trial = self.region(rw, body, &layouts, None)?;
            let moved = std::mem::replace(&mut self.moved, outer);
            let mut settled = true;
            for at in 0..layouts.len() {
                let natural = trial.natural.get(at).cloned().flatten();
                let stays = trial.yields.get(at) == trial.arguments.get(at);
                let drags = stays && trial.arguments.get(at).is_some_and(|v| moved.contains(v));
                let next = match changes[at] {
                    0 if !drags => natural,
                    _ => all_whole[at].clone(),
                };
                // A value that has to be whole in the end yields what is brought to that.
                if (natural_differs(&trial, at, &layouts) || drags) && changes[at] < 2 && next != layouts[at] {
                    changes[at] += 1;
                    layouts[at] = next;
                    settled = false;
                }
            }
            let captured = moved.iter().copied().filter(|v| v.index() < before);
            for value in captured.collect::<Vec<_>>() {
                let all = self.gathered(rw, value);
                rename(rw.graph, id, value, all);
                settled = false;
            }
            if settled {
                break;
            }
        }
        let mut operands = Vec::with_capacity(op.operands.len());
        for (&value, layout) in op.operands.iter().zip(&layouts) {
            operands.push(match layout {
                Some(layout) => self.reshard(rw, value, layout),
                None => value,
            });
        }
        let first = self.region(rw, condition, &layouts, Some(&[]))?;
        let rest = self.region(rw, body, &layouts, Some(&layouts))?;
        Ok(self.built(rw, &op, operands, vec![first.region, rest.region], &layouts))
    }

    /// `if` and `case`: every branch hands on what the first one that has a cut has.
    fn chosen(&mut self, rw: &mut Rewriter, id: OpId) -> Result<Vec<ValueId>, PassError> {
        let operands = rw.graph.op(id).operands.clone();
        let operands: Vec<ValueId> = operands.into_iter().map(|v| self.gathered(rw, v)).collect();
        let op = rw.graph.op(id).clone();
        let mut layouts: Layouts = vec![None; op.results.len()];
        for &region in &op.regions {
            let trial = self.region(rw, region, &[], None)?;
            for (layout, natural) in layouts.iter_mut().zip(trial.natural) {
                if layout.as_ref().is_none_or(Layout::is_whole) {
                    *layout = natural;
                }
            }
        }
        let mut regions = Vec::with_capacity(op.regions.len());
        for &region in &op.regions {
            regions.push(self.region(rw, region, &[], Some(&layouts))?.region);
        }
        Ok(self.built(rw, &op, operands, regions, &layouts))
    }

    /// The op on parts, and what its results stand for.
    fn built(
        &mut self,
        rw: &mut Rewriter,
        op: &Op,
        operands: Vec<ValueId>,
        regions: Vec<RegionId>,
        layouts: &Layouts,
    ) -> Vec<ValueId> {
        let mut types = Vec::with_capacity(op.results.len());
        for (&value, layout) in op.results.iter().zip(layouts) {
            types.push(self.local(rw, value, layout));
        }
        let mut new = NewOp::new(op.kind, operands, types, op.location);
        new.attrs = op.attrs.clone();
        new.regions = regions;
        let results = rw.insert(new);
        for ((&old, &value), layout) in op.results.iter().zip(&results).zip(layouts) {
            self.stands_for(rw, value, old, layout);
        }
        results
    }

    fn local(&self, rw: &Rewriter, value: ValueId, layout: &Option<Layout>) -> Type {
        match (rw.graph.ty(value), layout) {
            (Type::Tensor(whole), Some(layout)) => Type::Tensor(self.machine.local(whole, layout)),
            (other, _) => other.clone(),
        }
    }

    /// A value is the part of what had the type of `old`.
    fn stands_for(&mut self, rw: &Rewriter, value: ValueId, old: ValueId, layout: &Option<Layout>) {
        if let (Some(whole), Some(layout)) = (rw.tensor(old), layout)
            && !layout.is_whole()
        {
            self.values.insert(value, Part { layout: layout.clone(), whole: whole.clone() });
        }
    }

    /// A copy of a region with arguments in these layouts. What it yields is brought to `wanted`; where that says
    /// nothing, to the whole. Without `wanted` it stays as it is.
    fn region(
        &mut self,
        rw: &mut Rewriter,
        region: RegionId,
        layouts: &[Option<Layout>],
        wanted: Option<&[Option<Layout>]>,
    ) -> Result<Cut, PassError> {
        let made = rw.graph.add_region();
        let mut cut = Cut { region: made, arguments: Vec::new(), yields: Vec::new(), natural: Vec::new() };
        for block in rw.graph.region(region).blocks.clone() {
            let arguments = rw.graph.block(block).arguments.clone();
            let types = arguments.iter().zip(layouts).map(|(&v, layout)| self.local(rw, v, layout));
            let types: Vec<Type> = types.collect();
            let new = rw.graph.add_block(made, &types);
            cut.arguments = rw.graph.block(new).arguments.clone();
            for ((&old, &value), layout) in arguments.iter().zip(&cut.arguments).zip(layouts) {
                self.stands_for(rw, value, old, layout);
            }
            let mut map: HashMap<ValueId, ValueId> = arguments.into_iter().zip(cut.arguments.clone()).collect();
            rw.within(new, |rw| -> Result<(), PassError> {
                let made = self.walk(rw, block, &mut map)?;
                cut.yields = made.into_iter().map(|value| self.added_up(rw, value, &[])).collect();
                let layout = |&value: &ValueId| self.part(rw, value).map(|part| part.layout);
                cut.natural = cut.yields.iter().map(layout).collect();
                let mut brought = cut.yields.clone();
                for (at, value) in brought.iter_mut().enumerate().filter(|_| wanted.is_some()) {
                    *value = match wanted.and_then(|wanted| wanted.get(at).cloned().flatten()) {
                        Some(layout) => self.reshard(rw, *value, &layout),
                        None => self.gathered(rw, *value),
                    };
                }
                rw.insert(NewOp::new(OpKind::Return, brought, Vec::new(), rw.location()));
                Ok(())
            })?;
        }
        Ok(cut)
    }

    /// Copies of the ops of a block, one by one, where new ops go; what its terminator hands on.
    pub(super) fn walk(
        &mut self,
        rw: &mut Rewriter,
        block: BlockId,
        map: &mut HashMap<ValueId, ValueId>,
    ) -> Result<Vec<ValueId>, PassError> {
        for old in rw.graph.block(block).ops.clone() {
            let copy = rw.copy_op(old, map);
            if copy.kind == OpKind::Return {
                return Ok(copy.operands);
            }
            let Some(id) = rw.draft(copy) else { continue };
            for (from, to) in rw.graph.op(old).results.iter().zip(&rw.graph.op(id).results) {
                if let Some(wish) = self.wanted.get(from).cloned() {
                    self.wanted.insert(*to, wish);
                }
                if let Some(&reads) = self.reads.get(from) {
                    self.reads.insert(*to, reads);
                }
            }
            let results = match self.step(rw, id)? {
                Some(results) => results,
                None => {
                    rw.place(id);
                    rw.graph.op(id).results.clone()
                }
            };
            map.extend(rw.graph.op(old).results.iter().copied().zip(results));
        }
        Ok(Vec::new())
    }
}

fn natural_differs(trial: &Cut, at: usize, layouts: &Layouts) -> bool {
    trial.natural.get(at).is_some_and(|natural| *natural != layouts[at])
}

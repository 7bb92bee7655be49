//! Contractions with few outputs and many steps, cut along the steps: a kernel makes partial sums, another adds them
//! up.
//!
//! Worked example, H200: [1, 65536]·[65536, 8] f32 has one workgroup of work: it is cut into 64 parts of 1024 steps,
//! whose sums [64, 8] a second kernel adds up.

use std::collections::HashMap;

use fornax_plan::identity::identity_bits;
use fornax_plan::substitute::Substitution;
use fornax_plan::{Access, Binary, Body, Buffer, Combiner, KernelPlan, Node, Store, Unscheduled, VarId};
use fornax_targets::Target;

use super::candidates::cut;
use super::schedule::GemvSchedule;
use crate::scheduled::{Bound, Prepare, drop_unused};

/// Cuts a GEMV in parts where that pays: `plan` becomes the sum of the partial results that the returned
/// plan makes. `number` is that of the next prepared buffer.
pub fn split(plan: &mut KernelPlan, bound: &mut Vec<Bound>, target: &Target, number: usize) -> Option<Prepare> {
    let (parts, mut schedule) = cut(plan, target)?;
    let before = partial(plan, parts, &mut schedule)?;
    let elements = before.buffers.last()?.elements;
    let sources = before_bound(plan, bound, &before, number);
    whole(plan, parts, elements)?;
    bound.push(Bound::Prepared(number));
    let kept = drop_unused(plan, std::mem::take(bound));
    *bound = kept;
    let mut before = Prepare { plan: before, bound: sources };
    before.bound = drop_unused(&mut before.plan, std::mem::take(&mut before.bound));
    Some(before)
}

/// Buffers of the partial kernel: the operands of the whole one, then the partial results.
fn before_bound(plan: &KernelPlan, bound: &[Bound], before: &KernelPlan, number: usize) -> Vec<Bound> {
    let mut sources: Vec<Bound> = bound.iter().take(plan.buffers.len()).copied().collect();
    sources.truncate(before.buffers.len() - 1);
    sources.push(Bound::Prepared(number));
    sources
}

/// The kernel of the partial results: [parts, outputs of the domain] in the accumulator's type, in a buffer after all
/// others.
fn partial(plan: &KernelPlan, parts: i64, schedule: &mut GemvSchedule) -> Option<KernelPlan> {
    let mut before = plan.clone();
    let KernelPlan { exprs, buffers, domain, body, .. } = &mut before;
    let Body::Contraction { reduction, lhs, rhs, accumulator, stores, .. } = body else { return None };
    let last = reduction.last_mut()?;
    let steps = exprs.indices.extent(*last) / parts;
    let (part, step) = (exprs.indices.add_var(parts), exprs.indices.add_var(steps));
    let (part_index, step_index) = (exprs.indices.var(part), exprs.indices.var(step));
    let first = exprs.indices.scale(part_index, steps);
    let map = HashMap::from([(*last, exprs.indices.add(first, step_index))]);
    *last = step;
    let mut s = Substitution::new(exprs, &map);
    (*lhs, *rhs) = (s.node(*lhs), s.node(*rhs));
    domain.insert(0, part);
    let elements = domain.iter().map(|&v| exprs.indices.extent(v)).product();
    let offset = joint(exprs, domain);
    let value = exprs.add(Node::Reduced { index: 0, element: *accumulator });
    buffers.push(Buffer { element: *accumulator, elements, access: Access::Write });
    *stores = vec![Store { buffer: buffers.len() as u32 - 1, offset, value }];
    schedule.batch.insert(0, part);
    before.set_schedule(schedule.clone());
    before.summary = format!("{} in {parts} parts", plan.summary);
    Some(before)
}

/// Turns the contraction into the sum of its parts, which lie in a buffer after all others.
fn whole(plan: &mut KernelPlan, parts: i64, elements: i64) -> Option<()> {
    let KernelPlan { exprs, buffers, domain, body, .. } = plan;
    let Body::Contraction { accumulator, stores, .. } = body else { return None };
    let element = *accumulator;
    let part = exprs.indices.add_var(parts);
    let mut vars = vec![part];
    vars.extend(domain.iter());
    let offset = joint(exprs, &vars);
    let buffer = buffers.len() as u32;
    buffers.push(Buffer { element, elements, access: Access::Read });
    let input = exprs.add(Node::Load { buffer, element, offset, mask: None });
    let bits = identity_bits(Binary::Add, element)?;
    let init = exprs.add(Node::Constant { element, bits });
    let stores = std::mem::take(stores);
    let combiner = Combiner::Simple(Binary::Add);
    *body = Body::Reduce { reduction: vec![part], inputs: vec![input], inits: vec![init], combiner, stores };
    plan.set_schedule(Unscheduled);
    Some(())
}

/// Row-major joint index of variables.
fn joint(exprs: &mut fornax_plan::Exprs, vars: &[VarId]) -> fornax_plan::IndexId {
    let index: Vec<_> = vars.iter().map(|&v| exprs.indices.var(v)).collect();
    let sizes: Vec<i64> = vars.iter().map(|&v| exprs.indices.extent(v)).collect();
    exprs.indices.linearize(&index, &sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemv::candidates::tests::{product, target};
    use fornax_graph::ElementType::F32;

    #[test]
    fn many_steps_for_few_outputs_are_cut() {
        let mut plan = product(F32, (1, 8, 65536), false);
        let mut bound = vec![Bound::Operand(0), Bound::Operand(1), Bound::Result(0)];
        let before = split(&mut plan, &mut bound, &target(), 0).expect("a split");
        assert_eq!(before.bound, [Bound::Operand(0), Bound::Operand(1), Bound::Prepared(0)]);
        assert_eq!(bound, [Bound::Result(0), Bound::Prepared(0)]);
        let Some(schedule) = before.plan.schedule_as::<GemvSchedule>() else { panic!("{:?}", before.plan.schedule) };
        assert!(schedule.workgroups(&before.plan) >= 16);
        let mut buffers: Vec<Vec<u8>> =
            [65536usize, 8 * 65536].map(|n| (0..n).flat_map(|i| ((i % 5) as f32).to_le_bytes()).collect()).into();
        buffers.push(vec![0; before.bytes() as usize]);
        fornax_plan::interpret::run(&before.plan, &mut buffers).expect("runs");
        let mut last = vec![vec![0; 32], buffers.pop().unwrap_or_default()];
        fornax_plan::interpret::run(&plan, &mut last).expect("runs");
        let expected: f32 = (0..65536i64).map(|k| ((k % 5) * (8 * k % 5)) as f32).sum();
        assert_eq!(last[0][..4], expected.to_le_bytes());
        assert!(split(&mut product(F32, (1, 4096, 1024), true), &mut bound, &target(), 0).is_none());
    }
}

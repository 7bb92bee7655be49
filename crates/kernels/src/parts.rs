//! Contractions with few outputs and many steps, cut along the steps: partial sums first, then their sum and what
//! follows.
//!
//! Input: the plan of a contraction, a number of parts that divides one of its step variables. Output: a contraction
//! that writes every part's sums to a temporary, and a reduction that adds the parts in order and does the stores of
//! the plan. No atomics: the same input gives the same bits.
//!
//! Worked example: [64, 4096]·[4096, 64] in 8 parts: 8 batches of [64, 512]·[512, 64] into 8 × 64 × 64 floats; then
//! 4096 outputs, each the sum of 8.

use fornax_plan::Unscheduled;
use std::collections::HashMap;

use fornax_graph::ElementType;
use fornax_plan::substitute::Substitution;
use fornax_plan::{Access, Binary, Body, Buffer, Combiner, KernelPlan, Node, Store, VarId};

/// The two kernels, without schedules.
pub struct Parts {
    /// Writes its last buffer.
    pub partial: KernelPlan,
    /// Reads it as its last buffer.
    pub whole: KernelPlan,
}

/// The step variable that `parts` divides, outermost first.
pub fn variable(plan: &KernelPlan, parts: i64) -> Option<VarId> {
    let extent = |v: &VarId| plan.exprs.indices.extent(*v);
    plan.body.reduction().iter().copied().find(|v| extent(v) % parts == 0)
}

/// Cuts a contraction into `parts`.
pub fn cut(plan: &KernelPlan, parts: i64) -> Option<Parts> {
    let var = variable(plan, parts)?;
    let Body::Contraction { reduction, lhs, rhs, accumulator, precision, stores } = &plan.body else { return None };
    let mut exprs = plan.exprs.clone();
    let inside = exprs.indices.extent(var) / parts;
    let (part, step) = (exprs.indices.add_var(parts), exprs.indices.add_var(inside));
    // The temporary: parts, then the domain as the plan orders it.
    let mut domain = vec![part];
    domain.extend(&plan.domain);
    let shape: Vec<i64> = domain.iter().map(|&v| exprs.indices.extent(v)).collect();
    let elements = shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
    let index: Vec<_> = domain.iter().map(|&v| exprs.indices.var(v)).collect();
    let place = exprs.indices.linearize(&index, &shape);
    let number = plan.buffers.len() as u32;
    let buffer = |access| Buffer { element: *accumulator, elements, access };
    let none = Unscheduled;

    let partial = {
        let mut exprs = exprs.clone();
        let whole = exprs.indices.var(part);
        let whole = exprs.indices.scale(whole, inside);
        let within = exprs.indices.var(step);
        let map = HashMap::from([(var, exprs.indices.add(whole, within))]);
        let mut s = Substitution::new(&mut exprs, &map);
        let (lhs, rhs) = (s.node(*lhs), s.node(*rhs));
        let reduction = reduction.iter().map(|&v| if v == var { step } else { v }).collect();
        let value = exprs.add(Node::Reduced { index: 0, element: *accumulator });
        let stores = vec![Store { buffer: number, offset: place, value }];
        let (accumulator, precision) = (*accumulator, *precision);
        let body = Body::Contraction { reduction, lhs, rhs, accumulator, precision, stores };
        let mut buffers = plan.buffers.clone();
        buffers.push(buffer(Access::Write));
        KernelPlan::new(exprs, buffers, domain, body, none, plan.summary.clone())
    };

    let input = exprs.add(Node::Load { buffer: number, element: *accumulator, offset: place, mask: None });
    let init = exprs.add(Node::Constant { element: *accumulator, bits: 0 });
    let body = Body::Reduce {
        reduction: vec![part],
        inputs: vec![input],
        inits: vec![init],
        combiner: Combiner::Simple(Binary::Add),
        stores: stores.clone(),
    };
    let mut buffers = plan.buffers.clone();
    buffers.push(buffer(Access::Read));
    let summary = format!("{} parts", plan.summary);
    let whole = KernelPlan::new(exprs, buffers, plan.domain.clone(), body, none, summary);
    Some(Parts { partial, whole })
}

/// Bytes that the parts take through memory: written once, read once.
pub fn bytes(outputs: f64, parts: f64, accumulator: ElementType) -> f64 {
    2.0 * outputs * parts * accumulator.storage_bytes() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_plan::{Exprs, Precision};

    /// [6, 96]·[96, 10] f32.
    fn product() -> KernelPlan {
        let mut x = Exprs::default();
        let [i, j, p] = [6, 10, 96].map(|extent| x.indices.add_var(extent));
        let at = |x: &mut Exprs, terms: [(VarId, i64); 2]| {
            let parts = terms.map(|(var, stride)| {
                let var = x.indices.var(var);
                x.indices.scale(var, stride)
            });
            x.indices.add(parts[0], parts[1])
        };
        let element = ElementType::F32;
        let load = |x: &mut Exprs, buffer, terms| {
            let offset = at(x, terms);
            x.add(Node::Load { buffer, element, offset, mask: None })
        };
        let lhs = load(&mut x, 0, [(i, 96), (p, 1)]);
        let rhs = load(&mut x, 1, [(p, 10), (j, 1)]);
        let value = x.add(Node::Reduced { index: 0, element });
        let offset = at(&mut x, [(i, 10), (j, 1)]);
        let stores = vec![Store { buffer: 2, offset, value }];
        let precision = Precision::Ieee;
        let body = Body::Contraction { reduction: vec![p], lhs, rhs, accumulator: element, precision, stores };
        let buffer = |elements, access| Buffer { element, elements, access };
        let buffers = vec![buffer(576, Access::Read), buffer(960, Access::Read), buffer(60, Access::Write)];
        let none = Unscheduled;
        KernelPlan::new(x, buffers, vec![i, j], body, none, "product".into())
    }

    #[test]
    fn parts_add_up_to_the_product() {
        let plan = product();
        let parts = cut(&plan, 4).expect("96 steps in 4 parts");
        // Small whole numbers: sums are exact in any order.
        let numbers = |n: usize| (0..n).flat_map(|i| ((i * 7 % 11) as f32 - 5.0).to_le_bytes()).collect::<Vec<u8>>();
        let (a, b) = (numbers(576), numbers(960));
        let mut wanted = vec![a.clone(), b.clone(), vec![0; 240]];
        fornax_plan::interpret::run(&plan, &mut wanted).expect("the product");
        let mut partial = vec![a.clone(), b.clone(), vec![0; 240], vec![0; 960]];
        fornax_plan::interpret::run(&parts.partial, &mut partial).expect("the parts");
        let mut whole = vec![a, b, vec![0; 240], partial.remove(3)];
        fornax_plan::interpret::run(&parts.whole, &mut whole).expect("their sum");
        assert_eq!(whole[2], wanted[2]);
        assert_eq!(variable(&plan, 5), None);
    }
}

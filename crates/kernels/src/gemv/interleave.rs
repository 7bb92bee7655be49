//! What the elements of a block have in common, copied so that neighbouring rows have it side by side.
//!
//! A scale of two bytes is as much of a request to memory as 16 bytes of weights, and a thread has a scale for each of
//! its rows. In the copy the scales of eight rows for one block follow each other: a thread has those of all of its
//! rows by one load, and the quads of a subgroup read whole sectors (`unpacked`).
//!
//! Input: a GEMV by quads, and which buffers are the same in every call. Output: the kernels that copy, which then run
//! when the module is loaded, and the plan that reads what they write.
//!
//! Worked example: Q4_0, scales [4096, 128] in f16: the copy is [512, 128, 8]. A thread of 4 rows has a load of 8 bytes
//! where it had 4 of 2; 8 quads read 8 sectors, as before, but all of each.
//!
//! Limits: numbers that do not change along a block's variable, nor where another number says.

use std::collections::HashMap;

use fornax_plan::substitute::Substitution;
use fornax_plan::walk::Reached;
use fornax_plan::{Access, Atom, Body, Buffer, Exprs, IndexId, KernelPlan, Node, NodeId, Store, Unscheduled, VarId};

use super::products::{Space, Stages};
use super::schedule::GemvSchedule;
use crate::access::{Step, step};
use crate::scheduled::{Bound, Prepare, drop_unused};

/// Rows whose numbers lie side by side: as many as the highest tile of quads has.
const ROWS: i64 = 8;

/// A load of such numbers.
struct Common {
    node: NodeId,
    buffer: u32,
    offset: IndexId,
    /// What it moves with: variables outside of the rows' one, and steps.
    outer: Vec<VarId>,
    steps: Vec<VarId>,
}

/// Makes the plan read copies, and gives the kernels that write them; `number` is that of the next prepared buffer.
pub fn copies(
    plan: &mut KernelPlan,
    bound: &mut Vec<Bound>,
    number: usize,
    is_same: &dyn Fn(&[Bound], u32) -> bool,
) -> Vec<Prepare> {
    let Some(schedule) = plan.schedule_as::<GemvSchedule>().filter(|schedule| schedule.quads) else {
        return Vec::new();
    };
    let Some(&row) = schedule.long.last().filter(|&&row| plan.exprs.indices.extent(row) % ROWS == 0) else {
        return Vec::new();
    };
    let stages = Stages::of(plan, schedule.long_is_lhs);
    let mut found: Vec<Common> = Vec::new();
    for space in stages.spaces() {
        found.extend(commons(plan, space, row).into_iter().filter(|common| is_same(bound, common.buffer)));
    }
    let sources = bound.clone();
    let mut made: Vec<Prepare> = Vec::new();
    let mut read: HashMap<NodeId, NodeId> = HashMap::new();
    for common in found {
        if read.contains_key(&common.node) {
            continue;
        }
        let Some((copy, node)) = copied(plan, &common, row) else { continue };
        read.insert(common.node, node);
        let written = Bound::Prepared(number + made.len());
        made.push(Prepare { plan: copy, bound: vec![sources[common.buffer as usize], written] });
        bound.push(written);
    }
    if !made.is_empty() {
        put(plan, &read);
        *bound = drop_unused(plan, std::mem::take(bound));
    }
    made
}

/// The loads of a space's long operands that rows have each, and all lanes of a block alike.
fn commons(plan: &KernelPlan, space: &Space, row: VarId) -> Vec<Common> {
    let exprs = &plan.exprs;
    let mut found = Vec::new();
    for node in Reached::from(exprs, space.long.iter().copied(), &[]).nodes {
        let Node::Load { buffer, offset, mask: None, .. } = *exprs.node(node) else { continue };
        let is_common = step(exprs, offset, space.inner) == Step::Same;
        let lies_apart = matches!(step(exprs, offset, row), Step::By(by) if by > 1);
        if !is_common || !lies_apart || !Reached::from(exprs, [], &[offset]).nodes.is_empty() {
            continue;
        }
        let moves = |var: &VarId| *var != row && step(exprs, offset, *var) != Step::Same;
        let outer = plan.domain.iter().copied().filter(moves).collect();
        let steps = space.reduction.iter().copied().filter(moves).collect();
        found.push(Common { node, buffer, offset, outer, steps });
    }
    found
}

/// The kernel that copies what a load reads, and the load of the copy. `None` where that would be more than there is.
fn copied(plan: &mut KernelPlan, common: &Common, row: VarId) -> Option<(KernelPlan, NodeId)> {
    let &Common { node, buffer, offset, ref outer, ref steps } = common;
    let source = plan.buffers.get(buffer as usize)?.clone();
    let extent = |exprs: &Exprs, var: VarId| exprs.indices.extent(var);
    let mut exprs = plan.exprs.clone();
    let [high, low] = [extent(&exprs, row) / ROWS, ROWS].map(|extent| exprs.indices.add_var(extent));
    let domain: Vec<VarId> = outer.iter().copied().chain([high]).chain(steps.iter().copied()).chain([low]).collect();
    let shape: Vec<i64> = domain.iter().map(|&var| extent(&exprs, var)).collect();
    let elements = shape.iter().try_fold(1i64, |all, &size| all.checked_mul(size))?;
    if elements > source.elements {
        return None;
    }
    let element = exprs.element(node);
    let [eights, own] = [high, low].map(|var| exprs.indices.var(var));
    let eights = exprs.indices.scale(eights, ROWS);
    let map = HashMap::from([(row, exprs.indices.add(eights, own))]);
    let from = Substitution::new(&mut exprs, &map).index(offset);
    let index: Vec<IndexId> = domain.iter().map(|&var| exprs.indices.var(var)).collect();
    let to = exprs.indices.linearize(&index, &shape);
    let value = exprs.add(Node::Load { buffer: 0, element, offset: from, mask: None });
    let written = Buffer { element, elements, access: Access::Write };
    let stores = vec![Store { buffer: 1, offset: to, value }];
    let summary = "interleave".to_string();
    let copy = KernelPlan::new(exprs, vec![source, written], domain, Body::Loop { stores }, Unscheduled, summary);

    let indices = &mut plan.exprs.indices;
    let at = indices.var(row);
    let (eights, own) = (indices.floor_div(at, ROWS), indices.modulo(at, ROWS));
    let mut index: Vec<IndexId> = outer.iter().map(|&var| indices.var(var)).collect();
    index.push(eights);
    index.extend(steps.iter().map(|&var| indices.var(var)));
    index.push(own);
    let offset = indices.linearize(&index, &shape);
    let number = plan.buffers.len() as u32;
    plan.buffers.push(Buffer { element, elements, access: Access::Read });
    Some((copy, plan.exprs.add(Node::Load { buffer: number, element, offset, mask: None })))
}

/// Puts loads in the place of others.
fn put(plan: &mut KernelPlan, read: &HashMap<NodeId, NodeId>) {
    let KernelPlan { exprs, body, .. } = plan;
    let none = HashMap::new();
    let mut s = Substitution::new(exprs, &none);
    read.iter().for_each(|(&node, &by)| s.replace(node, by));
    match body {
        Body::Contraction { lhs, rhs, .. } => (*lhs, *rhs) = (s.node(*lhs), s.node(*rhs)),
        Body::Products(products) => {
            for product in products.sums.iter_mut().flatten() {
                (product.lhs, product.rhs) = (s.node(product.lhs), s.node(product.rhs));
            }
        }
        _ => {}
    }
}

/// Whether the rows of a load lie side by side.
pub(super) fn is_interleaved(exprs: &Exprs, offset: IndexId, row: VarId) -> bool {
    let terms = &exprs.indices.linear(offset).terms;
    terms.iter().any(|&(atom, by)| by == 1 && matches!(exprs.indices.atom(atom), Atom::Var(var) if var == row))
}

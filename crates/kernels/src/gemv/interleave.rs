//! What the elements of a block have in common, copied so that a thread's rows have it side by side.
//!
//! A scale of two bytes is as much of a request to memory as 16 bytes of weights, and a thread has one for each of its
//! rows, of gate and of up; blocks of Q4_K have four numbers and two scales. In copies all numbers of one kind that a
//! thread needs for a block follow each other: it has them by one load, and the quads of a subgroup read whole sectors
//! (`unpacked`).
//!
//! Input: a GEMV by quads, and which buffers are the same in every call. Output: the kernels that copy, which then run
//! when the module is loaded, and the plan that reads what they write.
//!
//! Worked example: gate and up of Q4_0, 2 rows a thread, two times scales [14336, 128] in f16: the copy is [7168, 128,
//! 2, 2], by rows of a thread, block, matrix, row. A thread has a load of 8 bytes where it had 4 of 2.
//!
//! Limits: numbers that do not change along a block's variable, nor where another number says.

use std::collections::HashMap;

use fornax_graph::ElementType;
use fornax_plan::substitute::Substitution;
use fornax_plan::walk::Reached;
use fornax_plan::{Access, Atom, AtomId, Body, Buffer, IndexId, KernelPlan, Node, NodeId, Store, Unscheduled, VarId};

use super::products::{Space, Stages};
use super::schedule::GemvSchedule;
use super::shape::LOAD_BYTES;
use crate::access::{Step, step};
use crate::scheduled::{Bound, Prepare, drop_unused};

/// A load of such numbers.
struct Common {
    node: NodeId,
    buffer: u32,
    offset: IndexId,
    element: ElementType,
    /// What it moves with: variables outside of the rows' one, and steps.
    outer: Vec<VarId>,
    steps: Vec<VarId>,
}

impl Common {
    /// Whether the numbers of both may lie in one copy.
    fn is_like(&self, other: &Common) -> bool {
        (self.element, &self.outer, &self.steps) == (other.element, &other.outer, &other.steps)
    }
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
    let tile = i64::from(schedule.tile);
    let Some(&row) = schedule.long.last().filter(|&&row| plan.exprs.indices.extent(row) % tile == 0) else {
        return Vec::new();
    };
    let stages = Stages::of(plan, schedule.long_is_lhs);
    let mut groups: Vec<Vec<Common>> = Vec::new();
    for space in stages.spaces() {
        for common in commons(plan, space, row) {
            let is_known = |group: &Vec<Common>| group.iter().any(|other| other.node == common.node);
            if !is_same(bound, common.buffer) || groups.iter().any(is_known) {
                continue;
            }
            match groups.iter_mut().find(|group| group[0].is_like(&common)) {
                Some(group) => group.push(common),
                None => groups.push(vec![common]),
            }
        }
    }
    let sources = bound.clone();
    let mut made: Vec<Prepare> = Vec::new();
    let mut read: HashMap<NodeId, NodeId> = HashMap::new();
    for group in &groups {
        // A single number of a single row has nothing beside it.
        for part in parts(group, tile).into_iter().filter(|part| part.len() as i64 * tile > 1) {
            let Some(copy) = copied(plan, part, (row, tile), &mut read) else { continue };
            let written = Bound::Prepared(number + made.len());
            let own = part.iter().map(|common| sources[common.buffer as usize]);
            made.push(Prepare { plan: copy, bound: own.chain([written]).collect() });
            bound.push(written);
        }
    }
    if !made.is_empty() {
        put(plan, &read);
        *bound = drop_unused(plan, std::mem::take(bound));
    }
    made
}

/// A group in parts of as many as one load may have, powers of two.
fn parts(mut group: &[Common], tile: i64) -> Vec<&[Common]> {
    let mut all = Vec::new();
    while let Some(first) = group.first() {
        let most = (LOAD_BYTES as usize / (tile as usize * first.element.storage_bytes()).max(1)).max(1);
        let count = 1 << group.len().min(most).ilog2();
        let (part, rest) = group.split_at(count);
        all.push(part);
        group = rest;
    }
    all
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
        found.push(Common { node, buffer, offset, element: exprs.element(node), outer, steps });
    }
    found
}

/// The kernel that copies what some loads read, which then read the copy. `None` where that would be more than there
/// is.
fn copied(
    plan: &mut KernelPlan,
    part: &[Common],
    (row, tile): (VarId, i64),
    read: &mut HashMap<NodeId, NodeId>,
) -> Option<KernelPlan> {
    let Common { element, outer, steps, .. } = part.first()?;
    let (element, count) = (*element, part.len() as i64);
    let mut exprs = plan.exprs.clone();
    let [high, low] = [exprs.indices.extent(row) / tile, tile].map(|extent| exprs.indices.add_var(extent));
    let domain: Vec<VarId> = outer.iter().chain([&high]).chain(steps).chain([&low]).copied().collect();
    let mut shape: Vec<i64> = domain.iter().map(|&var| exprs.indices.extent(var)).collect();
    let each = shape.iter().try_fold(1i64, |all, &size| all.checked_mul(size))?;
    let elements = each.checked_mul(count)?;
    let mut buffers: Vec<Buffer> = Vec::new();
    for common in part {
        buffers.push(plan.buffers.get(common.buffer as usize).filter(|buffer| each <= buffer.elements)?.clone());
    }
    shape.insert(shape.len() - 1, count);
    let [group, own] = [high, low].map(|var| exprs.indices.var(var));
    let group = exprs.indices.scale(group, tile);
    let map = HashMap::from([(row, exprs.indices.add(group, own))]);
    let mut stores = Vec::new();
    for (number, common) in (0..).zip(part) {
        let offset = Substitution::new(&mut exprs, &map).index(common.offset);
        let value = exprs.add(Node::Load { buffer: number as u32, element, offset, mask: None });
        let mut index: Vec<IndexId> = domain.iter().map(|&var| exprs.indices.var(var)).collect();
        index.insert(index.len() - 1, exprs.indices.constant(number));
        stores.push(Store { buffer: count as u32, offset: exprs.indices.linearize(&index, &shape), value });
    }
    buffers.push(Buffer { element, elements, access: Access::Write });
    let summary = "interleave".to_string();
    let copy = KernelPlan::new(exprs, buffers, domain, Body::Loop { stores }, Unscheduled, summary);

    let buffer = plan.buffers.len() as u32;
    plan.buffers.push(Buffer { element, elements, access: Access::Read });
    for (number, common) in (0..).zip(part) {
        let indices = &mut plan.exprs.indices;
        let at = indices.var(row);
        let (group, own) = (indices.floor_div(at, tile), indices.modulo(at, tile));
        let mut index: Vec<IndexId> = outer.iter().map(|&var| indices.var(var)).collect();
        index.push(group);
        index.extend(steps.iter().map(|&var| indices.var(var)));
        index.extend([indices.constant(number), own]);
        let offset = indices.linearize(&index, &shape);
        let load = plan.exprs.add(Node::Load { buffer, element, offset, mask: None });
        read.insert(common.node, load);
    }
    Some(copy)
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

/// A load of a copy, by a thread's first row: `count` numbers in all, of which those of the rows begin at `first`.
pub(super) struct Beside {
    pub buffer: u32,
    pub offset: IndexId,
    pub count: u32,
    pub first: u32,
}

impl Beside {
    /// Of a load, where tiles of so many rows have what it reads in one aligned load, as those of copies; `steps` are
    /// what its space sums over.
    pub fn of(plan: &KernelPlan, node: NodeId, (row, tile): (VarId, i64), steps: &[VarId]) -> Option<Beside> {
        let Node::Load { buffer, offset, mask: None, .. } = *plan.exprs.node(node) else { return None };
        let indices = &plan.exprs.indices;
        let varies = |var: &&VarId| plan.exprs.index_varies(offset, **var);
        let each: i64 = plan.domain.iter().chain(steps).filter(varies).map(|&var| indices.extent(var)).product();
        let Buffer { element, elements, .. } = *plan.buffers.get(buffer as usize)?;
        let count = elements / each.max(1) * tile;
        let bytes = u64::try_from(count).ok()?.checked_mul(element.storage_bytes() as u64)?;
        let first = indices.linear(offset).constant;
        let is_inside = first >= 0 && first % tile == 0 && first + tile <= count;
        if bytes > LOAD_BYTES || !is_inside || !is_even(plan, offset, (row, tile), count) {
            return None;
        }
        Some(Beside { buffer, offset, count: count as u32, first: first as u32 })
    }
}

/// Whether the elements of a tile's rows follow each other, and those of every tile and step begin at a multiple of
/// `count`, a power of two, but for the offset's constant.
fn is_even(plan: &KernelPlan, offset: IndexId, (row, tile): (VarId, i64), count: i64) -> bool {
    let indices = &plan.exprs.indices;
    let is_row = |atom: AtomId| matches!(indices.atom(atom), Atom::Var(var) if var == row);
    let is_rows = |of: IndexId| {
        let linear = indices.linear(of);
        linear.constant == 0 && matches!(linear.terms[..], [(atom, 1)] if is_row(atom))
    };
    // What a tile is further than the one before: its rows, and what their number by the tile is multiplied by.
    let (mut own, mut further) = (0, tile);
    for &(atom, by) in &indices.linear(offset).terms {
        match indices.atom(atom) {
            _ if is_row(atom) => own += by,
            Atom::FloorDiv(of, divisor) if divisor == tile && is_rows(of) => further += by,
            _ if by % count != 0 => return false,
            _ => {}
        }
    }
    let rows = if tile == 1 { own % count == 0 } else { own == 1 };
    rows && count.count_ones() == 1 && further % count == 0
}

#[cfg(test)]
mod tests {
    use fornax_plan::Exprs;

    use super::*;

    /// Of scales [4, N] at `pitch` and behind `first`, in a buffer of `elements`: count and place of a tile's first.
    fn beside(rows: i64, tile: i64, (pitch, first, elements): (i64, i64, i64)) -> Option<(u32, u32)> {
        let mut exprs = Exprs::default();
        let domain = vec![exprs.indices.add_var(4), exprs.indices.add_var(rows)];
        let [block, row] = [domain[0], domain[1]].map(|var| exprs.indices.var(var));
        let at = exprs.indices.scale(block, pitch);
        let at = exprs.indices.add(at, row);
        let behind = exprs.indices.constant(first);
        let offset = exprs.indices.add(at, behind);
        let element = ElementType::F16;
        let node = exprs.add(Node::Load { buffer: 0, element, offset, mask: None });
        let buffers = vec![Buffer { element, elements, access: Access::Read }];
        let row = domain[1];
        let body = Body::Loop { stores: Vec::new() };
        let plan = KernelPlan::new(exprs, buffers, domain, body, Unscheduled, "scales".to_string());
        Beside::of(&plan, node, (row, tile), &[]).map(|beside| (beside.count, beside.first))
    }

    #[test]
    fn only_what_lies_so_is_read_by_one_load() {
        assert_eq!(beside(32, 2, (32, 0, 128)), Some((2, 0)));
        // Parts of a larger tensor: behind others, and at a pitch that no load keeps to.
        assert_eq!(beside(32, 2, (96, 32, 384)), None);
        assert_eq!(beside(32, 2, (33, 0, 132)), None);
        assert_eq!(beside(32, 2, (32, 1, 129)), None);
        // More than one load has.
        assert_eq!(beside(64, 16, (64, 0, 256)), None);
    }
}

//! CPU: the operand of a contraction that vectors lie along is copied into panels, so that a tile walks it in a straight line.
//!
//! A matrix product reads NR columns of a [K, N] operand down its K rows; with N in the thousands, each row is another page
//! and rows fall into the same cache sets. Packed as [N / NR, K, NR] the same loads are consecutive. Weights are packed
//! once, when the module is loaded; other operands once a call, where enough rows use them again.
//!
//! Worked example: [128, 768]·[768, 3072] f32 with tiles of 4 × 24: the right operand becomes [128, 768, 24], the column
//! variable n becomes 24·n₁ + n₀, and the load offset 3072·k + n becomes 18432·n₁ + 24·k + n₀.

use std::collections::HashMap;

use fornax_plan::index::Atom;
use fornax_plan::substitute::Substitution;
use fornax_plan::{
    Access, Body, Buffer, Exprs, IndexId, KernelPlan, LoopSchedule, Node, NodeId, Schedule, Store, VarId,
};
use fornax_targets::Target;

use super::access::{Step, loads, step};
use super::loop_schedule;

/// Bytes up to which an operand stays in the first-level cache however it is walked.
const SMALL_BYTES: i64 = 32 * 1024;
/// Bytes from which packing at every call pays, and the row tiles that must use the copy again.
const LARGE_BYTES: i64 = 256 * 1024;
const USES_MIN: u64 = 16;

/// What is packed: a buffer of the plan and how its load moves.
struct Panels {
    buffer: u32,
    /// The load, and the conversion of what it loads.
    node: NodeId,
    is_lhs: bool,
    offset: IndexId,
    column: VarId,
    lanes: u32,
    /// Columns of a panel.
    width: i64,
    /// Other domain variables that the operand depends on.
    outer: Vec<VarId>,
    reduction: Vec<VarId>,
}

/// Rewrites a scheduled contraction to read a packed copy of one operand, in the same buffer slot, and gives that buffer and
/// the plan of the kernel that makes the copy, from its buffer 0 to its buffer 1. `is_constant` tells of a buffer whether its contents
/// are the same in every call.
pub fn pack(plan: &mut KernelPlan, target: &Target, is_constant: &dyn Fn(u32) -> bool) -> Option<(u32, KernelPlan)> {
    if target.is_gpu() {
        return None;
    }
    let panels = find(plan)?;
    let indices = &plan.exprs.indices;
    let extent = |v: &VarId| indices.extent(*v);
    let outer: Vec<i64> = panels.outer.iter().map(extent).collect();
    let depth: Vec<i64> = panels.reduction.iter().map(extent).collect();
    let columns = indices.extent(panels.column);
    let mut shape = outer.clone();
    shape.push(columns / panels.width);
    shape.extend(&depth);
    shape.push(panels.width);
    let elements = shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
    let element = plan.buffers[panels.buffer as usize].element;
    let bytes = elements.checked_mul(element.storage_bytes() as i64)?;
    let Schedule::Tile(schedule) = &plan.schedule else { return None };
    let uses = plan.tiles(schedule) / (shape[..=outer.len()].iter().product::<i64>().max(1) as u64);
    let pays = match is_constant(panels.buffer) {
        true => bytes > SMALL_BYTES && uses > 1,
        false => bytes > LARGE_BYTES && uses >= USES_MIN,
    };
    if !pays {
        return None;
    }
    let copy = copy_plan(plan, &panels, &shape, target);
    rewrite(plan, &panels, &shape, elements);
    Some((panels.buffer, copy))
}

/// The operand to pack: a plain load that moves with the lanes, which the other operand does not.
fn find(plan: &KernelPlan) -> Option<Panels> {
    let (Body::Contraction { reduction, lhs, rhs, .. }, Schedule::Tile(schedule)) = (&plan.body, &plan.schedule) else {
        return None;
    };
    let (column, lanes) = schedule.vector?;
    if !plan.domain.contains(&column) {
        return None;
    }
    let width = i64::try_from(plan.tile_extent(schedule, column)).ok()?;
    let columns = plan.exprs.indices.extent(column);
    let is_lhs = plan.exprs.node_varies(*lhs, column);
    let (node, other) = if is_lhs { (*lhs, *rhs) } else { (*rhs, *lhs) };
    if plan.exprs.node_varies(other, column) || columns % width != 0 || columns == width {
        return None;
    }
    let load = match plan.exprs.node(node) {
        Node::Convert { a, .. } => *a,
        _ => node,
    };
    let Node::Load { buffer, offset, mask: None, .. } = *plan.exprs.node(load) else { return None };
    let linear = plan.exprs.indices.linear(offset);
    let affine = linear.terms.iter().all(|t| matches!(plan.exprs.indices.atom(t.0), Atom::Var(_)));
    if !affine || !step(&plan.exprs, offset, column).is_one() || read_elsewhere(plan, buffer, node) {
        return None;
    }
    let moves = |v: &&VarId| **v != column && step(&plan.exprs, offset, **v) != Step::Same;
    let outer = plan.domain.iter().filter(moves).copied().collect();
    let depth: Vec<VarId> = reduction.iter().filter(moves).copied().collect();
    Some(Panels { buffer, node, is_lhs, offset, column, lanes, width, outer, reduction: depth })
}

/// Is the buffer read by anything but this operand?
fn read_elsewhere(plan: &KernelPlan, buffer: u32, node: NodeId) -> bool {
    let reads = |n: &NodeId| matches!(plan.exprs.node(*n), Node::Load { buffer: b, .. } if *b == buffer);
    let all = plan.reached().nodes.iter().filter(|n| reads(n)).count();
    all != loads(&plan.exprs, &[node]).len()
}

/// The kernel that copies: a loop over the packed shape.
fn copy_plan(plan: &KernelPlan, panels: &Panels, shape: &[i64], target: &Target) -> KernelPlan {
    let mut exprs = Exprs::default();
    let domain: Vec<VarId> = shape.iter().map(|&n| exprs.indices.add_var(n)).collect();
    let index: Vec<IndexId> = domain.iter().map(|&v| exprs.indices.var(v)).collect();
    let mut places: HashMap<VarId, IndexId> = HashMap::new();
    places.extend(panels.outer.iter().copied().zip(index.iter().copied()));
    places.extend(panels.reduction.iter().copied().zip(index[panels.outer.len() + 1..].iter().copied()));
    let panel = exprs.indices.scale(index[panels.outer.len()], panels.width);
    let column = exprs.indices.add(panel, index[index.len() - 1]);
    places.insert(panels.column, column);
    let linear = plan.exprs.indices.linear(panels.offset);
    let mut offset = exprs.indices.constant(linear.constant);
    for &(atom, coefficient) in &linear.terms {
        if let Atom::Var(var) = plan.exprs.indices.atom(atom)
            && let Some(&place) = places.get(&var)
        {
            let term = exprs.indices.scale(place, coefficient);
            offset = exprs.indices.add(offset, term);
        }
    }
    let source = plan.buffers[panels.buffer as usize].clone();
    let element = source.element;
    let value = exprs.add(Node::Load { buffer: 0, element, offset, mask: None });
    let target_offset = exprs.indices.linearize(&index, shape);
    let packed = Buffer { element, elements: shape.iter().product(), access: Access::Write };
    let mut copy = KernelPlan::new(
        exprs,
        vec![source, packed],
        domain.into_iter().zip(shape).filter(|(_, n)| **n != 1).map(|(v, _)| v).collect(),
        Body::Loop { stores: vec![Store { buffer: 1, offset: target_offset, value }] },
        Schedule::Loop(LoopSchedule { vector: 1, threads: 1, items_per_thread: 1 }),
        "pack".to_string(),
    );
    super::collapse::collapse(&mut copy);
    copy.schedule = Schedule::Loop(loop_schedule::choose(&copy, target));
    copy
}

/// Splits the column variable and reads the packed buffer.
fn rewrite(plan: &mut KernelPlan, panels: &Panels, shape: &[i64], elements: i64) {
    let KernelPlan { exprs, buffers, domain, body, schedule, .. } = plan;
    let columns = exprs.indices.extent(panels.column);
    let panel = exprs.indices.add_var(columns / panels.width);
    let inside = exprs.indices.add_var(panels.width);
    let (panel_index, inside_index) = (exprs.indices.var(panel), exprs.indices.var(inside));
    let scaled = exprs.indices.scale(panel_index, panels.width);
    let column = exprs.indices.add(scaled, inside_index);
    let mut index: Vec<IndexId> = panels.outer.iter().map(|&v| exprs.indices.var(v)).collect();
    index.push(panel_index);
    index.extend(panels.reduction.iter().map(|&v| exprs.indices.var(v)));
    index.push(inside_index);
    let offset = exprs.indices.linearize(&index, shape);
    let element = buffers[panels.buffer as usize].element;
    let packed = exprs.add(Node::Load { buffer: panels.buffer, element, offset, mask: None });
    let wanted = exprs.element(panels.node);
    let packed = exprs.convert(wanted, packed);
    let map = HashMap::from([(panels.column, column)]);
    let mut s = Substitution::new(exprs, &map);
    if let Body::Contraction { lhs, rhs, stores, .. } = body {
        (*lhs, *rhs) = if panels.is_lhs { (packed, s.node(*rhs)) } else { (s.node(*lhs), packed) };
        for store in stores {
            store.offset = s.index(store.offset);
            store.value = s.node(store.value);
        }
    }
    buffers[panels.buffer as usize].elements = elements;
    if let Some(at) = domain.iter().position(|&v| v == panels.column) {
        domain[at] = panel;
        domain.push(inside);
    }
    if let Schedule::Tile(schedule) = schedule {
        schedule.vector = Some((inside, panels.lanes));
        for unrolled in schedule.unroll.iter_mut().filter(|u| u.0 == panels.column) {
            unrolled.0 = inside;
        }
    }
}

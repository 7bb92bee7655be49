//! CPU: the column operand of a product is copied into panels, so that a tile walks it in a straight line.
//!
//! A matrix product reads NR columns of a [K, N] operand down its K rows; with N in the thousands, each row is another
//! page and rows fall into the same cache sets. Packed as [⌈N / NR⌉, K, NR] the same loads are consecutive, and an
//! operand that lies [N, K] is transposed by the way. Weights are packed once, when the module is loaded; other
//! operands once a call. The last panel holds the last NR columns, whatever N is. Small floats (f8, f6, f4) become f16
//! on the way, or f32.
//!
//! Worked example: [128, 768]·[768, 1000] f32 with tiles of 32 columns: the right operand becomes [32, 768, 32]; panel
//! 31 starts at column 968, and the load offset 1000·k + n becomes 24576·panel + 32·k + inside.

use fornax_plan::Unscheduled;
use std::collections::HashMap;

use crate::gemm_cpu::schedule::PanelSchedule;
use fornax_graph::ElementType;
use fornax_plan::form::widens_exactly;
use fornax_plan::index::Atom;
use fornax_plan::{Access, Body, Buffer, Exprs, IndexId, KernelPlan, Node, NodeId, Store, VarId};
use fornax_targets::{Feature, Target};

use crate::access::{Step, loads, step};

/// What is packed: a buffer of the plan and how its load moves.
pub struct Source {
    pub buffer: u32,
    /// The load, and the conversion of what it loads.
    node: NodeId,
    element: ElementType,
    /// The type of the copy: small floats are converted while they are copied, once for all rows.
    packed: ElementType,
    offset: IndexId,
    /// Other domain variables that the operand depends on.
    outer: Vec<VarId>,
    reduction: Vec<VarId>,
}

/// The column operand, if it is a plain load of a buffer that nothing else reads.
pub fn source(plan: &KernelPlan, node: NodeId, schedule: &PanelSchedule, target: &Target) -> Option<Source> {
    let load = match plan.exprs.node(node) {
        Node::Convert { a, .. } => *a,
        _ => node,
    };
    let Node::Load { buffer, offset, element, mask: None } = *plan.exprs.node(load) else { return None };
    let linear = plan.exprs.indices.linear(offset);
    let affine = linear.terms.iter().all(|t| matches!(plan.exprs.indices.atom(t.0), Atom::Var(_)));
    if !affine || read_elsewhere(plan, buffer, node) {
        return None;
    }
    if loops_of(plan, offset).any(|v| plan.exprs.indices.run_extent(v).is_some()) {
        return None;
    }
    let moves = |v: &&VarId| **v != schedule.column && step(&plan.exprs, offset, **v) != Step::Same;
    let outer = plan.domain.iter().filter(moves).copied().collect();
    let reduction: Vec<VarId> = plan.body.reduction().iter().filter(moves).copied().collect();
    let half = target.has(Feature::CvtF16) && widens_exactly(element, ElementType::F16);
    let packed = match element.is_small_float() {
        true if half => ElementType::F16,
        true => ElementType::F32,
        false => element,
    };
    Some(Source { buffer, node, element, packed, offset, outer, reduction })
}

/// Variables that an offset moves with.
fn loops_of(plan: &KernelPlan, offset: IndexId) -> impl Iterator<Item = VarId> + '_ {
    let all = plan.domain.iter().chain(plan.body.reduction()).copied();
    all.filter(move |&v| step(&plan.exprs, offset, v) != Step::Same)
}

/// Is the buffer read by anything but this operand?
fn read_elsewhere(plan: &KernelPlan, buffer: u32, node: NodeId) -> bool {
    let reads = |n: &NodeId| matches!(plan.exprs.node(*n), Node::Load { buffer: b, .. } if *b == buffer);
    let all = plan.reached().nodes.iter().filter(|n| reads(n)).count();
    all != loads(&plan.exprs, &[node]).len()
}

impl Source {
    /// Extents of the packed copy.
    fn shape(&self, plan: &KernelPlan, schedule: &PanelSchedule) -> Vec<i64> {
        let extent = |v: &VarId| plan.exprs.indices.extent(*v);
        let mut shape: Vec<i64> = self.outer.iter().map(extent).collect();
        shape.push(schedule.tiles(plan).1);
        shape.extend(self.reduction.iter().map(extent));
        shape.push(schedule.width().min(extent(&schedule.column)));
        shape
    }

    /// Bytes of the packed copy.
    pub fn bytes(&self, plan: &KernelPlan, schedule: &PanelSchedule) -> Option<i64> {
        let elements = self.shape(plan, schedule).iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
        elements.checked_mul(self.packed.storage_bytes() as i64)
    }
}

/// Makes the plan read the packed copy, in the same buffer slot, and gives the plan of the kernel that makes it, from
/// its buffer 0 to its buffer 1.
pub fn rewrite(plan: &mut KernelPlan, source: &Source, schedule: &mut PanelSchedule) -> Option<KernelPlan> {
    let shape = source.shape(plan, schedule);
    let elements = shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
    let copy = copy_plan(plan, source, schedule, &shape);
    let (panels, width) = (shape[source.outer.len()], *shape.last()?);
    let KernelPlan { exprs, buffers, body, .. } = plan;
    let panel = exprs.indices.add_var(panels);
    let inside = exprs.indices.add_var(width);
    let mut index: Vec<IndexId> = source.outer.iter().map(|&v| exprs.indices.var(v)).collect();
    index.push(exprs.indices.var(panel));
    index.extend(source.reduction.iter().map(|&v| exprs.indices.var(v)));
    index.push(exprs.indices.var(inside));
    let offset = exprs.indices.linearize(&index, &shape);
    let packed = exprs.add(Node::Load { buffer: source.buffer, element: source.packed, offset, mask: None });
    let packed = exprs.convert(exprs.element(source.node), packed);
    if let Body::Contraction { lhs, rhs, .. } = body {
        *(if schedule.rows_are_lhs { rhs } else { lhs }) = packed;
    }
    if let Some(buffer) = buffers.get_mut(source.buffer as usize) {
        buffer.elements = elements;
        buffer.element = source.packed;
    }
    schedule.panel = Some((panel, inside));
    Some(copy)
}

/// The kernel that copies: a loop over the packed shape.
fn copy_plan(plan: &KernelPlan, source: &Source, schedule: &PanelSchedule, shape: &[i64]) -> KernelPlan {
    let mut exprs = Exprs::default();
    let domain: Vec<VarId> = shape.iter().map(|&n| exprs.indices.add_var(n)).collect();
    let index: Vec<IndexId> = domain.iter().map(|&v| exprs.indices.var(v)).collect();
    let panel_at = source.outer.len();
    let mut places: HashMap<VarId, IndexId> = HashMap::new();
    places.extend(source.outer.iter().copied().zip(index.iter().copied()));
    places.extend(source.reduction.iter().copied().zip(index[panel_at + 1..].iter().copied()));
    let (panels, width, inside) = (shape[panel_at], shape[shape.len() - 1], index[index.len() - 1]);
    let extent = plan.exprs.indices.extent(schedule.column);
    let element = source.element;
    let start = exprs.indices.scale(index[panel_at], width);
    let column = exprs.indices.add(start, inside);
    let whole = load_at(plan, source, &mut exprs, &places, schedule.column, column);
    let value = if extent % width == 0 {
        exprs.add(Node::Load { buffer: 0, element, offset: whole, mask: None })
    } else {
        let column = exprs.indices.offset(inside, extent - width);
        let last = load_at(plan, source, &mut exprs, &places, schedule.column, column);
        let condition = exprs.add(Node::InRange { index: index[panel_at], low: 0, high: panels - 1 });
        let whole = exprs.add(Node::Load { buffer: 0, element, offset: whole, mask: Some(condition) });
        let last = exprs.add(Node::Load { buffer: 0, element, offset: last, mask: None });
        exprs.select(condition, whole, last)
    };
    let value = exprs.convert(source.packed, value);
    let offset = exprs.indices.linearize(&index, shape);
    let packed = Buffer { element: source.packed, elements: shape.iter().product(), access: Access::Write };
    KernelPlan::new(
        exprs,
        vec![plan.buffers[source.buffer as usize].clone(), packed],
        domain.into_iter().zip(shape).filter(|(_, n)| **n != 1).map(|(v, _)| v).collect(),
        Body::Loop { stores: vec![Store { buffer: 1, offset, value }] },
        Unscheduled,
        "pack".to_string(),
    )
}

/// The source's offset with these indices in place of its variables, `column` in place of the column variable.
fn load_at(
    plan: &KernelPlan,
    source: &Source,
    exprs: &mut Exprs,
    places: &HashMap<VarId, IndexId>,
    column_var: VarId,
    column: IndexId,
) -> IndexId {
    let linear = plan.exprs.indices.linear(source.offset);
    let mut offset = exprs.indices.constant(linear.constant);
    for &(atom, coefficient) in &linear.terms {
        let place = match plan.exprs.indices.atom(atom) {
            Atom::Var(var) if var == column_var => Some(&column),
            Atom::Var(var) => places.get(&var),
            _ => None,
        };
        if let Some(&place) = place {
            let term = exprs.indices.scale(place, coefficient);
            offset = exprs.indices.add(offset, term);
        }
    }
    offset
}

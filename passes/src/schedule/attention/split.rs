//! Attention of few rows over many columns (decoding), cut along the columns: parts first, then their combination and what follows.
//!
//! Input: the plan of an attention that leaves most of the device idle. Output: an attention that writes of every part the largest score, the
//! sum of weights and the weighted sum of values to a temporary, and a reduction that combines the parts in order and does the
//! stores of the plan: of (m, l, o) and (m', l', o') with M the larger of m and m', (M, l·e^(m − M) + l'·e^(m' − M), the same of o). No
//! atomics: the same input gives the same bits.
//!
//! Worked example: 32 heads, 1 row, 32768 columns, 128 features: 25 parts of 1344 columns, 800 workgroups of one warp; 32·25 records of 130
//! floats; 4096 results of 25 parts each.

use fornax_graph::ElementType::F32;
use fornax_plan::attention::Part;
use fornax_plan::{
    Access, Attention, AttentionSchedule, Binary, Body, Buffer, Combiner, Compare, Exprs, KernelPlan, LoopSchedule,
    Node, NodeId, Schedule, Store, Unary, VarId,
};
use fornax_targets::Target;

use crate::schedule::lower::{Bound, Prepare};
use crate::schedule::{choose, drop_unused};

/// Workgroups that a compute unit should have, and tiles of columns that one should go through at least.
const GROUPS_PER_UNIT: u64 = 6;
const STREAMS_PER_UNIT: u64 = 3;
const TILES_MIN: i64 = 2;
/// Rows above which a workgroup reads keys and values for enough of them.
const ROWS_MAX: u64 = 64;

/// Where an attention should be cut: makes the plan the combination of its parts, and gives the kernel of the parts, which writes what the
/// plan then reads as `Bound::Prepared(number)`.
pub fn split(plan: &mut KernelPlan, bound: &mut Vec<Bound>, target: &Target, number: usize) -> Option<Prepare> {
    let (Body::Attention(a), Schedule::Attention(schedule)) = (&plan.body, &plan.schedule) else { return None };
    let columns = columns_of_part(plan, a, schedule, target)?;
    let (partial, whole) = cut(plan, a, schedule, columns)?;
    let mut all = std::mem::take(bound);
    all.push(Bound::Prepared(number));
    let mut before = Prepare { plan: partial, bound: all.clone() };
    before.bound = drop_unused(&mut before.plan, before.bound);
    *plan = whole;
    *bound = drop_unused(plan, all);
    choose(plan, target, false);
    Some(before)
}

/// Columns of a part, if parts are wanted.
fn columns_of_part(plan: &KernelPlan, a: &Attention, s: &AttentionSchedule, target: &Target) -> Option<i64> {
    if s.bulk.is_some() || s.cluster() > 1 || a.row_count(&plan.exprs) > ROWS_MAX {
        return None;
    }
    let groups = s.workgroups(a, &plan.exprs, &plan.domain).max(1);
    let streams = s.stream.is_some();
    let a_unit = if streams { STREAMS_PER_UNIT } else { GROUPS_PER_UNIT };
    let wanted = u64::from(target.compute_units.max(1)) * a_unit / groups;
    // The warps of a workgroup that streams take a tile each.
    let width = i64::from(s.columns) * if streams { i64::from(s.warps) } else { 1 };
    let tiles = (plan.exprs.indices.extent(a.column()) + width - 1) / width;
    let parts = (wanted as i64).min(tiles / TILES_MIN);
    (parts >= 2).then(|| (tiles + parts - 1) / parts * width)
}

/// The kernel of the parts, and their combination.
fn cut(plan: &KernelPlan, a: &Attention, s: &AttentionSchedule, columns: i64) -> Option<(KernelPlan, KernelPlan)> {
    let mut exprs = plan.exprs.clone();
    let parts = (exprs.indices.extent(a.column()) + columns - 1) / columns;
    let part = exprs.indices.add_var(parts);
    // A record a point and part: the largest score, the sum of weights, the sums of values.
    let mut places: Vec<VarId> = plan.domain.iter().copied().filter(|v| *v != a.feature).collect();
    places.push(part);
    let shape: Vec<i64> = places.iter().map(|&v| exprs.indices.extent(v)).collect();
    let width = exprs.indices.extent(a.feature) + 2;
    let elements = shape.iter().try_fold(width, |n, &d| n.checked_mul(d)).filter(|n| *n < i64::from(i32::MAX / 4))?;
    let index: Vec<_> = places.iter().map(|&v| exprs.indices.var(v)).collect();
    let record = exprs.indices.linearize(&index, &shape);
    let record = exprs.indices.scale(record, width);
    let feature = exprs.indices.var(a.feature);
    let value = exprs.indices.add(record, feature);
    let offsets = [record, exprs.indices.offset(record, 1), exprs.indices.offset(value, 2)];
    let number = plan.buffers.len() as u32;
    let buffers = |access| {
        let mut buffers = plan.buffers.clone();
        buffers.push(Buffer { element: F32, elements, access });
        buffers
    };

    let partial = {
        let mut exprs = exprs.clone();
        let start = exprs.indices.var(part);
        let start = exprs.indices.scale(start, columns);
        let mut stores = Vec::new();
        for (offset, slot) in offsets.into_iter().zip([2, 3, 1]) {
            let value = exprs.add(Node::Reduced { index: slot, element: F32 });
            stores.push(Store { buffer: number, offset, value });
        }
        let body = Attention { part: Some(Part { start, columns }), stores, ..a.clone() };
        let mut domain = plan.domain.clone();
        domain.push(part);
        let schedule = Schedule::Attention(s.clone());
        let body = Body::Attention(Box::new(body));
        let mut partial = KernelPlan::new(exprs, buffers(Access::Write), domain, body, schedule, plan.summary.clone());
        partial.note = format!("the columns in {parts} parts, for want of rows");
        partial
    };

    let inputs = offsets.map(|offset| exprs.add(Node::Load { buffer: number, element: F32, offset, mask: None }));
    let inits = [f32::NEG_INFINITY, 0.0, 0.0].map(|v| constant(&mut exprs, v));
    let combined = combined(&mut exprs);
    let sum = exprs.add(Node::Reduced { index: 1, element: F32 });
    let values = exprs.add(Node::Reduced { index: 2, element: F32 });
    let mut mean = exprs.binary(Binary::Divide, values, sum);
    if a.empty_is_zero {
        let zero = constant(&mut exprs, 0.0);
        let empty = exprs.compare(Compare::Eq, sum, zero);
        mean = exprs.select(empty, zero, mean);
    }
    let stores = a.stores.iter().map(|s| Store { value: replaced(&mut exprs, s.value, mean), ..*s }).collect();
    let combiner = Combiner::General(combined);
    let body = Body::Reduce { reduction: vec![part], inputs: inputs.to_vec(), inits: inits.to_vec(), combiner, stores };
    let none = Schedule::Loop(LoopSchedule { vector: 1, threads: 1, items_per_thread: 1 });
    let summary = format!("{} parts", plan.summary);
    Some((partial, KernelPlan::new(exprs, buffers(Access::Read), plan.domain.clone(), body, none, summary)))
}

fn constant(exprs: &mut Exprs, value: f32) -> NodeId {
    exprs.add(Node::Constant { element: F32, bits: u64::from(value.to_bits()) })
}

/// The combination of two records.
fn combined(exprs: &mut Exprs) -> Vec<NodeId> {
    let records = [0, 1].map(|side| {
        [0, 1, 2].map(|index| {
            exprs.add(match side {
                0 => Node::Running { index, element: F32 },
                _ => Node::Incoming { index, element: F32 },
            })
        })
    });
    let largest = exprs.binary(Binary::Maximum, records[0][0], records[1][0]);
    let (low, zero) = (constant(exprs, f32::NEG_INFINITY), constant(exprs, 0.0));
    let weights = records.map(|[m, ..]| {
        let empty = exprs.compare(Compare::Eq, m, low);
        let below = exprs.binary(Binary::Subtract, m, largest);
        let weight = exprs.unary(Unary::Exponential, below);
        exprs.select(empty, zero, weight)
    });
    let mut results = vec![largest];
    for at in [1, 2] {
        let [a, b] = [0, 1].map(|side| exprs.binary(Binary::Multiply, records[side][at], weights[side]));
        results.push(exprs.binary(Binary::Add, a, b));
    }
    results
}

/// The node with `Reduced(1)` replaced.
fn replaced(exprs: &mut Exprs, node: NodeId, by: NodeId) -> NodeId {
    let each = |n: NodeId, exprs: &mut Exprs| replaced(exprs, n, by);
    match exprs.node(node).clone() {
        Node::Reduced { index: 1, .. } => by,
        Node::Unary { op, a } => {
            let a = each(a, exprs);
            exprs.unary(op, a)
        }
        Node::Binary { op, a, b } => {
            let (a, b) = (each(a, exprs), each(b, exprs));
            exprs.binary(op, a, b)
        }
        Node::Compare { op, a, b } => {
            let (a, b) = (each(a, exprs), each(b, exprs));
            exprs.compare(op, a, b)
        }
        Node::Select { condition, a, b } => {
            let (condition, a, b) = (each(condition, exprs), each(a, exprs), each(b, exprs));
            exprs.select(condition, a, b)
        }
        Node::Convert { element, a } => {
            let a = each(a, exprs);
            exprs.convert(element, a)
        }
        Node::Bitcast { element, a } => {
            let a = each(a, exprs);
            exprs.add(Node::Bitcast { element, a })
        }
        Node::ReducePrecision { exponent, mantissa, a } => {
            let a = each(a, exprs);
            exprs.add(Node::ReducePrecision { exponent, mantissa, a })
        }
        _ => node,
    }
}

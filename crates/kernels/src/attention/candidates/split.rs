//! Attention of few rows over many columns (decoding, a chunk of a prompt), cut along the columns: parts first, then
//! their combination and what follows.
//!
//! Input: the plan of an attention that leaves most of the device idle. Output: an attention that writes of every part
//! the largest score, the sum of weights and the weighted sum of values to a temporary, and a kernel that combines the
//! parts in a fixed order and does the stores of the plan: of parts (m, l, o) with M the largest m, the sum of l·e^(m −
//! M) and that of o·e^(m − M). No atomics: the same input gives the same bits.
//!
//! Limits: stores of rows, which the combination would do once a feature, are of whole attentions.
//!
//! Worked example: 32 heads, 1 row, 32768 columns, 128 features: 25 parts of 1344 columns, 800 workgroups of one warp;
//! 32·25 records of 130 floats; 4096 results of 25 parts each.

use crate::attention::schedule::AttentionSchedule;
use fornax_graph::ElementType::F32;
use fornax_plan::Unscheduled;
use fornax_plan::attention::Part;
use fornax_plan::{
    Access, Attention, Binary, Body, Buffer, Combiner, Compare, Exprs, KernelPlan, Node, NodeId, RowFold, Store, Unary,
    VarId,
};
use fornax_targets::Target;

use super::stream::WARPS_PER_UNIT;
use crate::scheduled::{Bound, Prepare, drop_unused};

/// Workgroups that a compute unit should have: of tiles, of streams by lanes (by the copy engine: `stream`). Tiles of
/// columns that one should go through at least; one that has a unit to itself goes through one at least.
const GROUPS_PER_UNIT: u64 = 6;
const STREAMS_PER_UNIT: u64 = 3;
const TILES_MIN: i64 = 2;
/// Parts up to which they are folded record by record: one meeting of threads instead of three (measured: 8 parts 1.35
/// and 2.9 µs, 22 parts 2.9 and 2.8, 86 parts 19.5 and 5.3).
const RECORDS_MAX: i64 = 16;
/// Rows above which tiles are full, and what computes them is busy with fewer of them.
const FULL_ROWS: u64 = 64;
/// Such workgroups that a compute unit should have, where half of the units had none, and the least tiles of columns of
/// one: the combination reads a record of each row and part. One H200, f32: 12 heads of 384 rows, 72 workgroups, 22.7
/// and in three parts 24.8 µs; 32 heads of 128 rows over 2048 columns, 64 workgroups, 385 and in four parts 135.
const FULL_PER_UNIT: u64 = 2;
const FULL_TILES_MIN: i64 = 4;
/// Units that blocks of warpgroups must leave idle for each one that they use, by 128 features, and the least parts,
/// so that parts by `mma.sync` are faster. One H200, µs whole and in parts: 128 features, 32 blocks over 512, 1024
/// and 2048 columns 10.8 and 17.5, 16.5 and 26.6, 27.8 and 34.6; 16 blocks over 8192 95.6 and 48.6, 8 over 2048 27.4
/// and 16.8; 64 features, 20 blocks over 1500 18.4 and 15.2, 16 over 2048 24.0 and 15.6.
const IDLE_FOR_ONE: u64 = 5;
const IDLE_FEATURES: u64 = 128;
const PARTS_FOR_BLOCKS: i64 = 4;

/// Where an attention should be cut: makes the plan the combination of its parts, and gives the kernel of the parts,
/// which writes what the plan then reads as `Bound::Prepared(number)`. The combination has no schedule yet.
pub fn split(plan: &mut KernelPlan, bound: &mut Vec<Bound>, target: &Target, number: usize) -> Option<Prepare> {
    let (Body::Attention(a), Some(schedule)) = (&plan.body, plan.schedule_as::<AttentionSchedule>()) else {
        return None;
    };
    let columns = columns_of_part(plan, a, schedule, target)?;
    let (partial, whole) = cut(plan, a, schedule, columns)?;
    let mut all = std::mem::take(bound);
    all.push(Bound::Prepared(number));
    let mut before = Prepare { plan: partial, bound: all.clone() };
    before.bound = drop_unused(&mut before.plan, before.bound);
    *plan = whole;
    *bound = drop_unused(plan, all);
    Some(before)
}

/// Whether blocks of warpgroups, which are not cut, leave so much of the device idle that what is cut is faster.
pub fn beats(whole: &KernelPlan, plan: &KernelPlan, target: &Target) -> bool {
    let (Body::Attention(blocks), Some(by_blocks)) = (&whole.body, whole.schedule_as::<AttentionSchedule>()) else {
        return false;
    };
    let Body::Attention(a) = &plan.body else { return false };
    let used = by_blocks.blocks(blocks, &whole.exprs, &whole.domain);
    let units = u64::from(target.compute_units.max(1));
    let extent = |var| plan.exprs.indices.extent(var);
    let features = extent(a.feature).max(0) as u64;
    let is_idle = used.saturating_mul(IDLE_FEATURES + IDLE_FOR_ONE * features) <= IDLE_FEATURES * units;
    let of_part = super::plain(plan, a, target).filter(|_| is_idle).and_then(|s| columns_of_part(plan, a, &s, target));
    of_part.is_some_and(|columns| extent(a.column()) > (PARTS_FOR_BLOCKS - 1) * columns)
}

/// Columns of a part, if parts are wanted.
fn columns_of_part(plan: &KernelPlan, a: &Attention, s: &AttentionSchedule, target: &Target) -> Option<i64> {
    if s.bulk.is_some() || s.cluster() > 1 || a.stores_rows(&plan.exprs) {
        return None;
    }
    let groups = s.workgroups(a, &plan.exprs, &plan.domain).max(1);
    let (units, streams) = (u64::from(target.compute_units.max(1)), s.stream.is_some());
    let own = u64::from((WARPS_PER_UNIT / s.warps.max(1)).max(1));
    let is_full = a.row_count(&plan.exprs) > FULL_ROWS;
    // Of full tiles only those of NVIDIA were measured.
    if is_full && (2 * groups > units || !super::has_kernel(target)) {
        return None;
    }
    let of_tiles = if is_full { FULL_PER_UNIT } else { GROUPS_PER_UNIT };
    let a_unit = s.stream.as_ref().map_or(of_tiles, |of| if of.bulk { own } else { STREAMS_PER_UNIT });
    let wanted = units * a_unit / groups;
    // The warps of a workgroup that streams take a tile each.
    let width = i64::from(s.columns) * if streams { i64::from(s.warps) } else { 1 };
    let tiles = (plan.exprs.indices.extent(a.column()) + width - 1) / width;
    let least = match &s.stream {
        Some(of) if of.bulk && own == 1 => 1,
        None if is_full => FULL_TILES_MIN,
        _ => TILES_MIN,
    };
    let parts = (wanted as i64).min(tiles / least);
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
        let schedule = s.clone();
        let body = Body::Attention(Box::new(body));
        let mut partial = KernelPlan::new(exprs, buffers(Access::Write), domain, body, schedule, plan.summary.clone());
        partial.note = format!("the columns in {parts} parts, for want of rows");
        partial
    };

    let inputs = offsets.map(|offset| exprs.add(Node::Load { buffer: number, element: F32, offset, mask: None }));
    let body = |exprs: &mut Exprs, stores| {
        if parts > RECORDS_MAX {
            return Body::Row { row: vec![part], folds: folds(exprs, inputs), stores };
        }
        let inits = [f32::NEG_INFINITY, 0.0, 0.0].map(|v| constant(exprs, v)).to_vec();
        let combiner = Combiner::General(combined(exprs));
        Body::Reduce { reduction: vec![part], inputs: inputs.to_vec(), inits, combiner, stores }
    };
    let sum = exprs.add(Node::Reduced { index: 1, element: F32 });
    let values = exprs.add(Node::Reduced { index: 2, element: F32 });
    let mut mean = exprs.binary(Binary::Divide, values, sum);
    if a.empty_is_zero {
        let zero = constant(&mut exprs, 0.0);
        let empty = exprs.compare(Compare::Eq, sum, zero);
        mean = exprs.select(empty, zero, mean);
    }
    let stores = a.stores.iter().map(|s| Store { value: replaced(&mut exprs, s.value, mean), ..*s }).collect();
    let body = body(&mut exprs, stores);
    let none = Unscheduled;
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

/// The largest score of all parts, then the sums of what they have, weighed against it. One after another, each a plain
/// maximum or sum: as one reduction of records, every merge takes two exponentials for each feature.
fn folds(exprs: &mut Exprs, [score, sum, value]: [NodeId; 3]) -> Vec<RowFold> {
    let (low, zero) = (constant(exprs, f32::NEG_INFINITY), constant(exprs, 0.0));
    let largest = exprs.add(Node::Reduced { index: 0, element: F32 });
    let empty = exprs.compare(Compare::Eq, score, low);
    let below = exprs.binary(Binary::Subtract, score, largest);
    let weight = exprs.unary(Unary::Exponential, below);
    let weight = exprs.select(empty, zero, weight);
    let [sum, value] = [sum, value].map(|part| exprs.binary(Binary::Multiply, part, weight));
    let fold = |input, init, op| RowFold { inputs: vec![input], inits: vec![init], combiner: Combiner::Simple(op) };
    vec![fold(score, low, Binary::Maximum), fold(sum, zero, Binary::Add), fold(value, zero, Binary::Add)]
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

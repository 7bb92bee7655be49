//! What a CPU kernel over rows keeps of a row: values that an earlier pass over the row computed and a later one wants
//! again.
//!
//! One thread goes through a row once for every fold and once for the stores. Reading an element again costs nothing,
//! since the row is in the cache; computing an exponential again does. Such values are written where they are first
//! computed and read back afterwards: in scratch, if they fit, or in place of the row's results, where those have the
//! same type and are long or many.
//!
//! Worked example, softmax of [512, 1000] f32: the second fold and the stores both want exp(x − max): node 5 is kept,
//! 4000 bytes of scratch; x − max alone would not be. Rows of a length known only at run time have no scratch.

use std::collections::BTreeSet;

use fornax_graph::ElementType;
use fornax_plan::walk::Reached;
use fornax_plan::{Binary, Body, Exprs, KernelPlan, Node, NodeId, Store, Unary, VarId};

use super::schedule::RowSchedule;

/// Bytes of scratch that kept values may take: a part of a second-level cache.
const KEPT_BYTES_MAX: i64 = 256 * 1024;

/// Bytes of a row up to which scratch is the better place: aligned, and in the first-level cache, where a result's row
/// may not be. Longer rows and a copy of them do not fit there together; large results come from memory anyway, and
/// better early.
const NEAR_BYTES_MAX: i64 = 8 * 1024;
const NEAR_RESULT_BYTES_MAX: i64 = 4 * 1024 * 1024;

/// A value of every element of the row, in scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    pub node: NodeId,
    /// The pass that computes it: the number of its fold.
    pub pass: usize,
    /// The store (by number) whose buffer holds it until the result is written there; else it is in scratch.
    pub store: Option<usize>,
    /// Where its elements start in scratch.
    pub bytes_at: i64,
}

/// What is kept, in ascending node order; empty on GPUs, whose threads hold rows in registers.
pub fn kept(plan: &KernelPlan, schedule: &RowSchedule) -> Vec<Kept> {
    let Body::Row { folds, .. } = &plan.body else { return Vec::new() };
    let sized = |&v: &VarId| plan.exprs.indices.run_extent(v).is_some();
    if schedule.adjacent {
        return Vec::new();
    }
    let endless = plan.body.reduction().iter().any(sized);
    let mut passes: Vec<Vec<NodeId>> = folds.iter().map(|f| f.roots().collect()).collect();
    let row = plan.body.reduction();
    let elements = plan.body.stores().iter().filter(|s| row.iter().any(|&v| plan.exprs.index_varies(s.offset, v)));
    passes.push(elements.map(|s| s.value).collect());
    let reached: Vec<BTreeSet<NodeId>> =
        passes.iter().map(|roots| Reached::from(&plan.exprs, roots.iter().copied(), &[]).nodes).collect();
    let mut kept: Vec<Kept> = Vec::new();
    for (later, roots) in passes.iter().enumerate().skip(1) {
        let mut open = roots.clone();
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            if !seen.insert(node) || !row.iter().any(|&v| plan.exprs.node_varies(node, v)) {
                continue;
            }
            let before = reached[..later].iter().position(|nodes| nodes.contains(&node));
            match before {
                Some(pass) if is_dear(&plan.exprs, node) && is_plain(&plan.exprs, node) => {
                    if kept.iter().all(|k| k.node != node) {
                        kept.push(Kept { node, pass, store: None, bytes_at: 0 });
                    }
                }
                _ => open.extend(plan.exprs.operands(node)),
            }
        }
    }
    kept.sort_by_key(|k| k.node);
    let extents = row.iter().map(|&v| plan.exprs.indices.extent(v).max(1)).fold(1, i64::saturating_mul);
    let lanes = if row.contains(&schedule.vector.0) { 1 } else { i64::from(schedule.vector.1) };
    let mut end = 0i64;
    let mut taken: Vec<usize> = Vec::new();
    for value in &mut kept {
        let row_bytes = extents.saturating_mul(plan.exprs.element(value.node).storage_bytes() as i64);
        let rows = plan.domain.iter().map(|&v| plan.exprs.indices.extent(v).max(1)).fold(1, i64::saturating_mul);
        let far = endless || row_bytes > NEAR_BYTES_MAX || row_bytes.saturating_mul(rows) > NEAR_RESULT_BYTES_MAX;
        value.store = holder(plan, schedule, value.node).filter(|at| far && !taken.contains(at));
        taken.extend(value.store);
        if value.store.is_some() || endless {
            continue;
        }
        value.bytes_at = end;
        let bytes = plan.exprs.element(value.node).storage_bytes() as i64;
        end = end.saturating_add(extents.saturating_mul(lanes).saturating_mul(bytes));
        end = end.saturating_add(63) / 64 * 64;
    }
    if endless {
        // Scratch has a size that is known.
        kept.retain(|k| k.store.is_some());
    }
    if end > KEPT_BYTES_MAX { Vec::new() } else { kept }
}

/// A store of every element of the row, one after another, in the node's own type: that of the node itself, else one
/// that is the only one to need the node. Where the last vector overlaps the one before, the place holds results
/// already, and another result could not be made of them.
fn holder(plan: &KernelPlan, schedule: &RowSchedule, node: NodeId) -> Option<usize> {
    let var = schedule.vector.0;
    let element = plan.exprs.element(node);
    let along = plan.body.reduction().contains(&var);
    let stores = plan.body.stores();
    let fits = |s: &Store| {
        let buffer = plan.buffers.get(s.buffer as usize);
        let alone = stores.iter().filter(|other| other.buffer == s.buffer).count() == 1;
        along
            && alone
            && buffer.is_some_and(|b| b.element == element)
            && plan.exprs.indices.stride(s.offset, var) == Some(1)
    };
    if let Some(own) = stores.iter().position(|s| s.value == node && fits(s)) {
        return Some(own);
    }
    let mut needing = stores.iter().filter(|s| Reached::from(&plan.exprs, [s.value], &[]).nodes.contains(&node));
    let only = needing.next().filter(|_| needing.next().is_none())?;
    stores.iter().position(|s| s.buffer == only.buffer && fits(s))
}

/// Bytes of scratch that kept values take.
pub fn kept_bytes(plan: &KernelPlan, schedule: &RowSchedule) -> i64 {
    let row = plan.body.reduction();
    let extents = row.iter().map(|&v| plan.exprs.indices.extent(v).max(1)).fold(1, i64::saturating_mul);
    let lanes = if row.contains(&schedule.vector.0) { 1 } else { i64::from(schedule.vector.1) };
    let width = |k: &Kept| lanes * plan.exprs.element(k.node).storage_bytes() as i64;
    let end = |k: &Kept| k.bytes_at.saturating_add(extents.saturating_mul(width(k)));
    kept(plan, schedule).iter().filter(|k| k.store.is_none()).map(end).max().unwrap_or(0)
}

/// Lies in memory as it does in registers.
fn is_plain(exprs: &Exprs, node: NodeId) -> bool {
    matches!(exprs.element(node), ElementType::F32 | ElementType::F64)
}

/// Something in the value takes many operations.
fn is_dear(exprs: &Exprs, node: NodeId) -> bool {
    let cheap = |op: Unary| {
        matches!(
            op,
            Unary::Negate
                | Unary::Abs
                | Unary::Sign
                | Unary::Not
                | Unary::Floor
                | Unary::Ceil
                | Unary::RoundNearestEven
                | Unary::IsFinite
        )
    };
    let dear = |node: &NodeId| match exprs.node(*node) {
        Node::Unary { op, .. } => !cheap(*op),
        Node::Binary { op, .. } => matches!(op, Binary::Power | Binary::Remainder | Binary::Atan2),
        _ => false,
    };
    Reached::from(exprs, [node], &[]).nodes.iter().any(dear)
}

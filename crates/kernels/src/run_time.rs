//! Schedules of kernels whose loops are as long as sizes known only at run time.
//!
//! Input: a lowered plan with sizes in its loops. Output: where only the outermost extent (or the length of rows) is
//! such a size, what would be chosen for a likely one, rows shared by threads and register tiles; else the program that
//! every body has (`SizedSchedule`): lanes along the last item variable where accesses there are neighbours, on CPUs as
//! many items as are worth a workgroup.
//!
//! Worked example: [b, 96] f32 on AVX2 is one variable of 96·b: 8 lanes, no tail since 8 divides 96.

use std::sync::Arc;

use fornax_plan::{Body, KernelPlan, LIKELY_SIZE, Schedule, VarId};
use fornax_targets::Target;

use crate::access::widest_bytes;
use crate::family::{Offer, Try, has_own, no_costs};
use crate::points::candidates::plain;
use crate::row::candidates as rows_of;
use crate::row::schedule::RowSchedule;
use crate::tile::candidates as tiles_of;

/// Vectors of a row of unknown length that a thread takes at a time.
const STREAMED_CHUNKS: u32 = 4;

/// Tried last.
pub const TRY: Try = Try {
    name: "sized",
    applies: |plan| !plan.has_static_loops() && !has_own(plan),
    choose: |plan, asked| {
        Ok(Offer { schedule: choose(plan, asked.target, asked.ordered), cycles: None, at_worst: 1.0 })
    },
    costs: no_costs,
};

/// The schedule of a plan; its domain may be put in another order.
fn choose(plan: &mut KernelPlan, target: &Target, ordered: bool) -> Arc<dyn Schedule> {
    shared_work(plan, target, ordered).unwrap_or_else(|| Arc::new(plain(plan, target)))
}

/// Rows that threads share, and register tiles.
fn shared_work(plan: &mut KernelPlan, target: &Target, ordered: bool) -> Option<Arc<dyn Schedule>> {
    let mut likely = plan.clone();
    likely.exprs.indices = plan.exprs.indices.with_extents(|size| match plan.serves {
        Some(serves) if serves.size == size => serves.likely,
        _ => LIKELY_SIZE,
    });
    let rows = match &plan.body {
        Body::Reduce { .. } => rows_of::reduction(&likely, target, ordered).ok(),
        Body::Row { .. } => Some(rows_of::choose(&likely, target)),
        _ => None,
    };
    if let Some(row) = rows.and_then(|row| fitting_row(plan, row, target)) {
        return Some(Arc::new(row));
    }
    let tile = match &plan.body {
        Body::Reduce { .. } => tiles_of::reduction(&likely, target, ordered),
        Body::Contraction { .. } => tiles_of::contraction(&mut likely, target),
        _ => return None,
    };
    let sized = |&v: &VarId| plan.exprs.indices.run_extent(v).is_some();
    // CPU: in the order of the results; products that want another are in panels.
    if !target.is_gpu() {
        return Some(Arc::new(tile));
    }
    // The size stays outside: then nothing is divided by it.
    let mut domain = likely.domain;
    domain.sort_by_key(|v| !sized(v));
    let vector = tile.vector.is_none_or(|(v, _)| !sized(&v));
    let before = std::mem::replace(&mut plan.domain, domain);
    if vector && plan.domain.first().is_some_and(sized) && plan.loops_inside_are_static() {
        return Some(Arc::new(tile));
    }
    plan.domain = before;
    None
}

/// A row schedule for rows, or lengths of rows, known only at run time.
fn fitting_row(plan: &KernelPlan, mut row: RowSchedule, target: &Target) -> Option<RowSchedule> {
    let indices = &plan.exprs.indices;
    let sized = |&v: &VarId| indices.run_extent(v).is_some();
    let along = plan.body.reduction();
    if plan.domain.contains(&row.vector.0) && sized(&row.vector.0) {
        return None;
    }
    if row.ahead > 0 && plan.domain.iter().any(sized) {
        row.ahead = 0;
    }
    if !along.iter().any(sized) {
        return Some(row);
    }
    if along.len() > 1 {
        return None;
    }
    if !target.is_gpu() && sized(&row.vector.0) {
        // Shorter rows go one by one.
        row.vector.1 = row.vector.1.min((2 * target.vector_bytes / widest_bytes(plan)).max(1));
    }
    row.held &= row.holds(plan);
    row.ahead = 0;
    if !row.held {
        row.cluster = 1;
        row.chunks = row.chunks.clamp(1, STREAMED_CHUNKS);
    }
    Some(row)
}

//! Products on matrix instructions whose rows, columns or batch are one size known only at run time: a kernel for few,
//! one for some and one for many points, where the model chooses differently. Rows of a length known only at run time:
//! kernels whose threads hold short rows, and longer ones, in registers, and one that goes through any row again and
//! again.
//!
//! Input: a lowered plan. Output: the kernels, each with the calls that it serves; the grid of the others is empty in a
//! call, and a launch without workgroups is none. Limits: more than one size in the domain gets one kernel, chosen for
//! likely sizes.
//!
//! Worked example: [b, 1024]·[1024, 4096] on Hopper: tiles of 64 × 32 up to 64 rows, so that 128 workgroups read the
//! weights, 128 × 256 from 769 on.

use fornax_plan::{Body, IndexId, KernelPlan, Serves, VarId};
use fornax_targets::Target;

use crate::gemm_mma::schedule::MmaSchedule;
use crate::gemm_wgmma::schedule::WgmmaSchedule;
use crate::row::schedule::RowSchedule;

/// The last size of a class, and a likely one.
const CLASSES: &[(i64, i64)] = &[(64, 64), (768, 512), (i64::MAX, 2048)];

/// The longest rows of a class, after each the number they are taken for.
const ROW_CLASSES: &[(i64, i64)] = &[(512, 512), (4096, 4096), (i64::MAX, 16384)];

/// The kernels, smallest calls first; none where one serves all.
pub fn split(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    if !target.is_gpu() {
        return Vec::new();
    }
    if let Body::Row { row, .. } = &plan.body {
        return of_rows(plan, row, target);
    }
    let indices = &plan.exprs.indices;
    let mut sized = plan.domain.iter().filter_map(|&v| Some((v, indices.run_extent(v)?)));
    let (Some((var, size)), None) = (sized.next(), sized.next()) else { return Vec::new() };
    if !matches!(plan.body, Body::Contraction { .. }) {
        return Vec::new();
    }
    let multiplies = |plan: &KernelPlan| {
        plan.schedule_as::<WgmmaSchedule>().is_some() || plan.schedule_as::<MmaSchedule>().is_some()
    };
    by_class(plan, Sizes { var, size, min: 0, classes: CLASSES }, target, multiplies, |a, b| a.way() == b.way())
}

/// Kernels for short, longer and any rows, where all results lie along the row: then a row without elements has none.
fn of_rows(plan: &KernelPlan, row: &[VarId], target: &Target) -> Vec<KernelPlan> {
    let (&[var], Some(size)) = (row, row.first().and_then(|&v| plan.exprs.indices.run_extent(v))) else {
        return Vec::new();
    };
    if plan.body.stores().iter().any(|s| !plan.exprs.index_varies(s.offset, var)) {
        return Vec::new();
    }
    let holds = |plan: &KernelPlan| plan.schedule_as::<RowSchedule>().is_some();
    by_class(plan, Sizes { var, size, min: 1, classes: ROW_CLASSES }, target, holds, KernelPlan::is_scheduled_as)
}

/// A size known only at run time, and its classes.
struct Sizes {
    var: VarId,
    /// The extent of `var`.
    size: IndexId,
    /// The smallest size.
    min: i64,
    /// The last size of each class, and a likely one.
    classes: &'static [(i64, i64)],
}

/// A kernel for every class of sizes, from the smallest size on, classes whose kernels are the
/// `same` in one; none where one serves all, or a class gets no schedule that `fits`.
fn by_class(
    plan: &KernelPlan,
    Sizes { var, size, mut min, classes }: Sizes,
    target: &Target,
    fits: impl Fn(&KernelPlan) -> bool,
    same: impl Fn(&KernelPlan, &KernelPlan) -> bool,
) -> Vec<KernelPlan> {
    let mut made: Vec<KernelPlan> = Vec::new();
    for &(max, likely) in classes {
        let mut own = plan.clone();
        own.serves = Some(Serves { size, min, max, likely });
        crate::chooser::choose(&mut own, target, false);
        if !fits(&own) {
            return Vec::new();
        }
        match made.last_mut().filter(|before| same(before, &own)) {
            Some(before) => before.serves = before.serves.map(|serves| Serves { max, ..serves }),
            None => made.push(own),
        }
        if max >= plan.exprs.indices.extent(var) {
            break;
        }
        min = max.saturating_add(1);
    }
    if made.len() < 2 { Vec::new() } else { made }
}

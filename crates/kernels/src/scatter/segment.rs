//! `Body::Segment`: for every point the fold of the updates whose sorted key is the point's row (see `segment_fold`),
//! points next to each other or a subgroup a point.

use crate::scatter::schedule::SegmentSchedule;
use fornax_plan::{Body, Combiner};

use fornax_emit::blocks::segment_fold::Segment;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;

/// Emits the body.
pub fn emit<'a>(e: &mut Emitter<'a>, schedule: &'a SegmentSchedule) -> Result<(), EmitError> {
    let plan = e.plan;
    let Body::Segment { combiner, .. } = &plan.body else { return Err(e.malformed("not a segment fold")) };
    let s = schedule;
    let extent = plan.domain.last().map_or(1, |&v| plan.exprs.indices.extent(v));
    let shares = s.share == 1 || s.share == e.abi.subgroup && e.abi.shuffles && matches!(combiner, Combiner::Simple(_));
    let fits = s.lanes > 0 && extent % i64::from(s.lanes) == 0 && s.threads > 0 && s.items > 0;
    if !fits || !shares || s.threads > e.target.max_threads_per_block || !s.threads.is_multiple_of(s.share) {
        return Err(e.unfit(format!("{} of {} threads share a segment in {} lanes", s.share, s.threads, s.lanes)));
    }
    let segment = Segment::new(e, (s.lanes, s.share))?;
    let index = e.index_ty();
    let group = e.abi.workgroup_id(&mut e.code, index.scalar);
    let thread = e.abi.thread_id(&mut e.code);
    let thread = e.code.resize_u(thread, index.scalar);
    let share = i64::from(s.share);
    let together = i64::from(s.threads) / share;
    let own = if share == 1 { thread } else { e.code.int_k("arith.divui", thread, share) };
    let rank = if share == 1 { e.code.int(index, 0) } else { e.code.int_k("arith.remui", thread, share) };
    let total = s.points(plan) as i64;
    let first = e.code.int_k("arith.muli", group, together * i64::from(s.items));
    let low = e.code.add_i(first, own);
    if s.items == 1 && share > 1 {
        // All threads exchange lanes: those beyond the end do the last point again.
        let exists = e.code.cmp_ik("ult", low, total);
        let last = e.code.int(index, total - 1);
        let number = e.code.select(exists, low, last);
        let writes = e.code.cmp_ik("eq", rank, 0);
        let writes = e.code.and(writes, exists);
        return segment.point(e, number, rank, Some(writes));
    }
    let end = e.code.add_ik(first, together * i64::from(s.items));
    let limit = e.code.int(index, total);
    let high = e.code.binary("arith.minsi", end, limit);
    let step = e.code.int(index, together);
    let open = e.code.begin_for(low, high, step, &[]);
    segment.point(e, open.iv, rank, None)?;
    e.code.end_for(open, &[]);
    Ok(())
}

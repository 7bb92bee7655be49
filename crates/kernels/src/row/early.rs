//! What a row needs of memory that no kernel of a call writes, asked for before the kernels before are over.
//!
//! A norm between two products is as long as its trips to memory. The sums that it reads lie in the second-level cache;
//! its weights, which the call before read last, do not. So each thread asks for a line of those for the second-level
//! cache, then waits for the kernels before, and finds all of it there.
//!
//! Worked example: 2048 elements, weights in f32: 64 of 256 threads ask for 128 bytes each.
//!
//! Limits: few workgroups, since each asks for all of it; buffers of no more lines than a workgroup has threads.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_plan::schedule::Schedule;
use fornax_plan::{Access, Buffer, KernelPlan};
use fornax_targets::fitted::row::{EARLY_GROUPS_MAX, LINE_BYTES};

use super::schedule::RowSchedule;

fn bytes(buffer: &Buffer) -> u64 {
    (buffer.elements.max(0) as u64).saturating_mul(buffer.element.storage_bytes() as u64)
}

/// Buffers that are asked for, of those that are `given`.
pub(super) fn buffers(schedule: &RowSchedule, plan: &KernelPlan, given: &[bool]) -> Vec<u32> {
    let ([groups, ..], threads) = schedule.launch(plan);
    if plan.is_sized() || groups > EARLY_GROUPS_MAX {
        return Vec::new();
    }
    let fits = |buffer: &Buffer| buffer.access == Access::Read && bytes(buffer) <= LINE_BYTES * u64::from(threads);
    let meant = |(at, buffer): (u32, &Buffer)| (given.get(at as usize) == Some(&true) && fits(buffer)).then_some(at);
    (0..).zip(&plan.buffers).filter_map(meant).collect()
}

/// Asks for what is read early, where something is, and waits.
///
/// # Errors
/// As [`Emitter::await_earlier`].
pub(super) fn begin(e: &mut Emitter<'_>) -> Result<(), EmitError> {
    let plan = e.plan;
    if plan.early.is_empty() {
        return Ok(());
    }
    let thread = e.abi.thread_id(&mut e.code);
    let first = e.code.int_k("arith.muli", thread, LINE_BYTES as i64);
    for &at in &plan.early {
        let (Some(&pointer), Some(buffer)) = (e.buffers.get(at as usize), plan.buffers.get(at as usize)) else {
            return Err(e.malformed(format!("no buffer {at} to read early")));
        };
        let exists = e.code.cmp_ik("ult", thread, bytes(buffer).div_ceil(LINE_BYTES) as i64);
        e.code.begin_if(exists, &[]);
        e.ask_for_line(pointer, first);
        e.code.end_if(&[]);
    }
    e.await_earlier()
}

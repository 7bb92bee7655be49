//! Rows that a cluster of workgroups shares: parts of the results meet through distributed shared memory.
//!
//! A row of 65,536 f32 does not fit the registers of a workgroup; gone through three times, it is read three times. The workgroups of a
//! cluster hold a part each, and every byte is read once. After a reduction each workgroup writes its part of the result to its own
//! shared memory, all meet, and every thread reads the parts of all workgroups and folds them from the first to the last: the same
//! bits everywhere and every time. Each reduction has slots of its own, so one meeting is enough; a last one, waited for after the
//! stores, keeps the memory alive until all have read it.
//!
//! Worked example, softmax of [1024, 65536] f32: 4 workgroups of 512 threads a row, 8 vectors of 4 a thread: part 2 has the elements
//! 32768…49151; its maximum is slot 0 of rank 2.

use fornax_plan::RowSchedule;
use fornax_targets::Feature;

use super::emitter::Emitter;
use super::hopper::barrier;
use super::shared::write_shared;
use super::text::{Scalar, Ty, Value};
use super::tile::Fold;
use crate::errors::EmitError;

/// Most workgroups of a cluster.
const CLUSTER_MAX: u32 = 8;

/// The number of a workgroup's part of its row.
#[derive(Clone, Copy)]
pub struct Part {
    pub rank: Value,
}

/// Refuses clusters that cannot be.
pub fn check(e: &Emitter<'_>, s: &RowSchedule) -> Result<(), EmitError> {
    let fits = s.cluster.is_power_of_two() && s.cluster <= CLUSTER_MAX;
    let alone = s.rows == 1 && s.threads > 1 && s.held && s.side_by_side;
    let possible = s.cluster == 1 || alone && e.target.has(Feature::Cluster);
    if fits && possible { Ok(()) } else { Err(e.unfit(format!("{} workgroups share a row", s.cluster))) }
}

/// The number of the row's cluster, and the part of a workgroup.
pub fn part(e: &mut Emitter<'_>, group: Value, cluster: u32) -> (Value, Option<Part>) {
    if cluster <= 1 {
        return (group, None);
    }
    e.abi.attribute(&format!("nvvm.cluster_dim = array<i32: {cluster}, 1, 1>"));
    let own = e.code.int_k("arith.divui", group, i64::from(cluster));
    let rank = e.code.int_k("arith.remui", group, i64::from(cluster));
    (own, Some(Part { rank }))
}

/// The whole results of a row from those of its parts, in all threads.
pub fn share(e: &mut Emitter<'_>, fold: &dyn Fold, values: Vec<Value>, cluster: u32) -> Result<Vec<Value>, EmitError> {
    let mut arrays = Vec::with_capacity(values.len());
    for value in &values {
        let memory = if value.ty.scalar == Scalar::I1 { Scalar::I8 } else { value.ty.scalar };
        arrays.push(e.abi.shared_array(&mut e.code, memory, u64::from(value.ty.lanes)));
    }
    let thread = e.abi.thread_id(&mut e.code);
    let first = e.code.cmp_ik("eq", thread, 0);
    let zero = e.code.int(thread.ty, 0);
    e.code.begin_if(first, &[]);
    write_shared(e, &arrays, zero, &values);
    e.code.end_if(&[]);
    barrier::meet_cluster(&mut e.code);
    let mut whole: Option<Vec<Value>> = None;
    for rank in 0..i64::from(cluster) {
        let next = read_remote(e, &arrays, rank, &values);
        whole = Some(match whole {
            None => next,
            Some(before) => fold.merge(e, &before, &next)?,
        });
    }
    whole.ok_or_else(|| e.malformed("a cluster without workgroups"))
}

/// Slot 0 of the arrays of a workgroup of the cluster.
fn read_remote(e: &mut Emitter<'_>, arrays: &[Value], rank: i64, like: &[Value]) -> Vec<Value> {
    let rank = e.code.int(Ty::scalar(Scalar::I32), rank);
    let mut values = Vec::with_capacity(like.len());
    for (&array, &value) in arrays.iter().zip(like) {
        let narrow = value.ty.scalar == Scalar::I1;
        let ty = value.ty.with(if narrow { Scalar::I8 } else { value.ty.scalar });
        let remote = Ty::scalar(Scalar::Ptr(7));
        let there = e.code.pure(remote, format!("nvvm.mapa {array}, {rank} : {} -> {remote}", array.ty));
        let bytes = ty.scalar.bits() / 8;
        let raw = e.code.effect(ty, &format!("llvm.load {there} {{alignment = {bytes} : i64}} : {remote} -> {ty}"));
        values.push(if narrow { e.code.cmp_ik("ne", raw, 0) } else { raw });
    }
    values
}

/// This workgroup has read all that it wants of the others.
pub fn leave(e: &mut Emitter<'_>, part: Option<Part>) {
    if part.is_some() {
        e.code.line("nvvm.cluster.arrive {aligned}");
    }
}

/// Waits until the others have read all that they want.
pub fn finish(e: &mut Emitter<'_>, part: Option<Part>) {
    if part.is_some() {
        e.code.line("nvvm.cluster.wait {aligned}");
    }
}

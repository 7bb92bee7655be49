//! Workgroups of a cluster that shared a tile's contraction add their sums up: each ends with all sums of its share of
//! the columns.
//!
//! Every workgroup writes its accumulators to its own shared memory (where the stages were), 16 bytes a thread and 8×8
//! column of matrices; all meet; then each reads its share from all of them, itself included, in the order of their
//! ranks: the same bits every time. A last meeting keeps the memory alive until all have read it.
//!
//! Worked example: a 64 × 128 tile by 4 workgroups: 16 matrix columns of 128 · 16 bytes, 32 KiB each; rank 2 adds up
//! columns 64…95, that is matrix columns 8…11.

use super::main_loop::Frame;
use fornax_emit::blocks::hopper::barrier;
use fornax_emit::blocks::hopper::roles::{Place, WARPGROUP_THREADS};
use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
/// Bytes of a thread's part of a matrix column in a block of 64 rows: four registers.
const PART_BYTES: i64 = 16;
const PARTS_BYTES: i64 = WARPGROUP_THREADS as i64 * PART_BYTES;

/// Where a workgroup is in its cluster.
pub fn rank(e: &mut Emitter<'_>) -> Value {
    e.code.pure(I32, "nvvm.read.ptx.sreg.cluster.ctarank : i32".into())
}

/// Producers: takes part in the meetings of [`add_up`].
pub fn attend(e: &mut Emitter<'_>) {
    barrier::meet_cluster(&mut e.code);
    barrier::meet_cluster(&mut e.code);
}

/// Gives the sums over all workgroups of the cluster of this one's share of the columns, block by block of 64 rows.
pub fn add_up(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    place: Place,
    rank: Value,
    sums: &[Vec<Value>],
) -> Vec<Vec<Value>> {
    let schedule = frame.schedule;
    let split = i64::from(schedule.split);
    let matrices = i64::from(schedule.tile_columns()) / 8;
    let share = matrices / split;
    let blocks = sums.len() as i64;
    let all = e.code.int(I32, i64::from(schedule.consumers) + 1);
    barrier::meet(&mut e.code, all, schedule.consumers * WARPGROUP_THREADS);
    let thread = e.code.and_k(place.thread, i64::from(WARPGROUP_THREADS) - 1);
    let thread = e.code.int_k("arith.muli", thread, PART_BYTES);
    let group = e.code.int_k("arith.muli", place.warpgroup, blocks * matrices * PARTS_BYTES);
    let mine = e.code.add_i(group, thread);
    for (block, registers) in sums.iter().enumerate() {
        for (matrix, four) in registers.chunks_exact(4).enumerate() {
            let at = e.code.add_ik(mine, (block as i64 * matrices + matrix as i64) * PARTS_BYTES);
            let pointer = e.code.byte_offset(frame.shared, at);
            let value = e.code.assemble(four);
            let text = format!("llvm.store {value}, {pointer} {{alignment = 16 : i64}} : {}, {}", value.ty, pointer.ty);
            e.code.line(&text);
        }
    }
    barrier::meet_cluster(&mut e.code);
    let first = e.code.int_k("arith.muli", rank, share * PARTS_BYTES);
    let from = e.code.add_i(mine, first);
    let added = (0..blocks)
        .map(|block| {
            (0..share)
                .flat_map(|matrix| {
                    let at = e.code.add_ik(from, (block * matrices + matrix) * PARTS_BYTES);
                    column_sum(e, frame, at, sums)
                })
                .collect()
        })
        .collect();
    barrier::meet_cluster(&mut e.code);
    added
}

/// The four registers at a place, added up over the cluster.
fn column_sum(e: &mut Emitter<'_>, frame: &Frame<'_>, at: Value, sums: &[Vec<Value>]) -> Vec<Value> {
    let scalar = sums.first().and_then(|s| s.first()).map_or(Scalar::F32, |v| v.ty.scalar);
    let ty = Ty::vector(scalar, 4);
    let mut total: Option<Value> = None;
    for rank in 0..i64::from(frame.schedule.split) {
        let rank = e.code.int(I32, rank);
        let there = e.code.pure(
            Ty::scalar(Scalar::Ptr(7)),
            format!("nvvm.mapa {}, {rank} : !llvm.ptr<3> -> !llvm.ptr<7>", frame.shared),
        );
        let pointer = e.code.byte_offset(there, at);
        let part = e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = 16 : i64}} : {} -> {ty}", pointer.ty));
        total = Some(match total {
            None => part,
            Some(sum) if scalar.is_float() => e.code.add_f(sum, part),
            Some(sum) => e.code.add_i(sum, part),
        });
    }
    let total = total.unwrap_or_else(|| e.code.bits(ty, 0));
    (0..4).map(|at| e.code.extract(total, at)).collect()
}

//! Rows that a cluster of workgroups shares: parts of the results meet through distributed shared memory.
//!
//! A row of 65,536 f32 does not fit the registers of a workgroup; gone through three times, it is read three times. The
//! workgroups of a cluster hold a part each, and every byte is read once. After a reduction each workgroup sends its
//! part of the result to all of them, into slots of its own, and every thread waits until its workgroup's slots are
//! full and folds them from the first to the last: the same bits everywhere and every time. Sending is `st.async`,
//! which an mbarrier of the receiver counts: a barrier of the cluster would wait, as a fence of the whole device does,
//! for all that was stored before. Each reduction has slots and an mbarrier of its own, so each turns once; a workgroup
//! ends after all have sent it what they have, and nobody reads its memory.
//!
//! Worked example, softmax of [1024, 65536] f32: 4 workgroups of 512 threads a row, 8 vectors of 4 a thread: part 2 has
//! the elements 32768…49151; its maximum is slot 2 of all four; 16 bytes are awaited.

use crate::row::schedule::RowSchedule;
use fornax_targets::Feature;

use fornax_emit::blocks::fold::Fold;
use fornax_emit::blocks::hopper::barrier;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
/// Most workgroups of a cluster.
const CLUSTER_MAX: u32 = 8;

/// The number of a workgroup's part of its row, and an mbarrier for each reduction.
#[derive(Clone, Copy)]
pub struct Part {
    pub rank: Value,
    barriers: Value,
}

/// Refuses clusters that cannot be.
pub fn check(e: &Emitter<'_>, s: &RowSchedule) -> Result<(), EmitError> {
    let fits = s.cluster.is_power_of_two() && s.cluster <= CLUSTER_MAX;
    let alone = s.rows == 1 && s.threads >= s.cluster && s.held && s.adjacent && s.ahead == 0;
    let possible = s.cluster == 1 || alone && e.target.has(Feature::AsyncStore);
    if fits && possible { Ok(()) } else { Err(e.unfit(format!("{} workgroups share a row", s.cluster))) }
}

/// The number of the row's cluster, and the part of a workgroup, which is ready for `meetings` reductions; it comes to
/// meet the others.
pub fn part(e: &mut Emitter<'_>, group: Value, cluster: u32, meetings: usize) -> (Value, Option<Part>) {
    if cluster <= 1 {
        return (group, None);
    }
    e.abi.attribute(&format!("nvvm.cluster_dim = array<i32: {cluster}, 1, 1>"));
    let own = e.code.int_k("arith.divui", group, i64::from(cluster));
    let rank = e.code.int_k("arith.remui", group, i64::from(cluster));
    let barriers = e.abi.shared_array(&mut e.code, Scalar::I64, meetings.max(1) as u64);
    let part = Part { rank, barriers };
    begin_first(e);
    for meeting in 0..meetings {
        let barrier = part.barrier(e, meeting);
        barrier::initialise(&mut e.code, barrier, 1);
    }
    barrier::fence_initialised(&mut e.code);
    e.code.end_if(&[]);
    e.code.line("nvvm.cluster.arrive.relaxed {aligned}");
    (own, Some(part))
}

/// What follows is done by the first thread; the caller ends it.
fn begin_first(e: &mut Emitter<'_>) {
    let thread = e.abi.thread_id(&mut e.code);
    let first = e.code.cmp_ik("eq", thread, 0);
    e.code.begin_if(first, &[]);
}

impl Part {
    fn barrier(&self, e: &mut Emitter<'_>, meeting: usize) -> Value {
        let at = e.code.int(I32, meeting as i64 * barrier::BARRIER_BYTES);
        e.code.byte_offset(self.barriers, at)
    }
}

/// The whole results of a row from those of its parts, in all threads.
pub fn share(
    e: &mut Emitter<'_>,
    fold: &dyn Fold,
    values: &[Value],
    meeting: (Part, u32, usize),
) -> Result<Vec<Value>, EmitError> {
    let mut whole: Option<Vec<Value>> = None;
    for next in gather(e, values, meeting) {
        whole = Some(match whole {
            None => next,
            Some(before) => fold.merge(e, &before, &next)?,
        });
    }
    whole.ok_or_else(|| e.malformed("a cluster without workgroups"))
}

/// The values of all workgroups of the cluster, in order, in all threads. Meetings come one after another from 0 on.
pub fn gather(e: &mut Emitter<'_>, values: &[Value], (part, cluster, meeting): (Part, u32, usize)) -> Vec<Vec<Value>> {
    let mut slots = Vec::with_capacity(values.len());
    let mut bytes = 0;
    for &value in values {
        let (scalar, lanes) = (sent(value.ty.scalar), value.ty.lanes);
        bytes += i64::from(cluster * lanes * scalar.bits() / 8);
        slots.push((scalar, e.abi.shared_array(&mut e.code, scalar, u64::from(cluster * lanes))));
    }
    if meeting == 0 {
        // All have initialised their mbarriers.
        e.code.line("nvvm.cluster.wait {aligned}");
    }
    let barrier = part.barrier(e, meeting);
    begin_first(e);
    barrier::arrive_expecting(&mut e.code, barrier, bytes);
    e.code.end_if(&[]);
    // A thread sends to the workgroup of its number.
    let thread = e.abi.thread_id(&mut e.code);
    let to = e.code.resize_u(thread, Scalar::I32);
    let sends = e.code.cmp_ik("ult", to, i64::from(cluster));
    e.code.begin_if(sends, &[]);
    for (&value, &(scalar, array)) in values.iter().zip(&slots) {
        for lane in 0..value.ty.lanes {
            let own = e.code.extract(value, lane);
            let own = if own.ty.scalar.is_float() { e.code.to_bits(own) } else { own };
            let own = e.code.resize_u(own, scalar);
            let at = slot(e, part.rank, (scalar, value.ty.lanes, lane));
            let there = e.code.byte_offset(array, at);
            send(e, own, there, barrier, to);
        }
    }
    e.code.end_if(&[]);
    let zero = e.code.int(I32, 0);
    barrier::wait(&mut e.code, barrier, zero);
    let mut all = Vec::new();
    for rank in 0..i64::from(cluster) {
        let mut next = Vec::with_capacity(values.len());
        for (&value, &(scalar, array)) in values.iter().zip(&slots) {
            let mut lanes = Vec::new();
            for lane in 0..value.ty.lanes {
                let rank = e.code.int(part.rank.ty, rank);
                let at = slot(e, rank, (scalar, value.ty.lanes, lane));
                let there = e.code.byte_offset(array, at);
                lanes.push(received(e, there, scalar, value.ty.scalar));
            }
            next.push(e.code.assemble(&lanes));
        }
        all.push(next);
    }
    all
}

/// As what a value is sent.
fn sent(scalar: Scalar) -> Scalar {
    if scalar.bits() > 32 { Scalar::I64 } else { Scalar::I32 }
}

/// Bytes from the start of an array to a workgroup's lane.
fn slot(e: &mut Emitter<'_>, rank: Value, (scalar, lanes, lane): (Scalar, u32, u32)) -> Value {
    let each = i64::from(scalar.bits() / 8);
    let at = e.code.int_k("arith.muli", rank, each * i64::from(lanes));
    e.code.add_ik(at, each * i64::from(lane))
}

/// Stores a word to the same place of another workgroup, whose mbarrier counts its bytes.
fn send(e: &mut Emitter<'_>, word: Value, place: Value, barrier: Value, rank: Value) {
    let [place, barrier] = [place, barrier].map(|here| {
        let remote = Ty::scalar(Scalar::Ptr(7));
        let there = e.code.pure(remote, format!("nvvm.mapa {here}, {rank} : {} -> {remote}", here.ty));
        let wide = e.code.pure(Ty::scalar(Scalar::I64), format!("llvm.ptrtoint {there} : {remote} to i64"));
        e.code.resize_u(wide, Scalar::I32)
    });
    let (ty, bits) = (word.ty, word.ty.scalar.bits());
    let letter = if bits == 64 { "l" } else { "r" };
    e.code.line(&format!(
        "llvm.inline_asm has_side_effects \
         asm_dialect = att \"st.async.shared::cluster.mbarrier::complete_tx::bytes.b{bits} [$0], $1, [$2];\", \
         \"r,{letter},r,~{{memory}}\" {place}, {word}, {barrier} : (i32, {ty}, i32) -> ()"
    ));
}

/// A word of this workgroup's slots as the value that it was.
fn received(e: &mut Emitter<'_>, place: Value, sent: Scalar, scalar: Scalar) -> Value {
    let ty = Ty::scalar(sent);
    let bytes = sent.bits() / 8;
    let raw = e.code.effect(ty, &format!("llvm.load {place} {{alignment = {bytes} : i64}} : {} -> {ty}", place.ty));
    let raw = e.code.resize_u(raw, Scalar::integer(scalar.bits()));
    if scalar.is_float() { e.code.bitcast(raw, scalar) } else { raw }
}

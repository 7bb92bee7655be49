//! The long operand on its way through shared memory: each thread copies its blocks there itself, some parts of a ring
//! ahead of what it multiplies, and reads them when they have come.
//!
//! Loads into registers wait behind what a kernel reads of others, and ptxas leaves about three of a thread under way.
//! Copies stay where they are written. So a kernel that starts before the one it depends on is over fills its ring with
//! weights first: they come while the other ends.
//!
//! ```text
//! copy the blocks of groups 0 … R - 2; wait for the kernels before
//! for each group g: wait for its copies; read it; copy group g + R - 1 to where g - 1 was; multiply
//! ```
//!
//! A thread reads only what it copied, so no barrier is needed. What it copies over it has multiplied.
//!
//! Worked example: [1, 2048]·[2048, 8192] bf16, 8 × 32 threads of 2 steps, 4 parts: groups of 2 × 16 bytes a thread,
//! 32 KiB a workgroup, of which 24 KiB are under way at the wait.
//!
//! Where it pays: one row, weights as [K, N] in 16 bits. A step of two Llama 1B blocks, one H200, a graph: 137.6 us ->
//! 123.3; of the whole model 943 -> 827. Weights as [N, K] gain nothing as a whole: 122.2 -> 121.2 to 131 in 15 ways,
//! though each product is faster (8192 × 2048 11.6 us -> 8.9): kernels in registers overlap with their neighbours (the
//! sum of all is 133 of 123 us; with rings 122 of 123). Matrix instructions lose: four rows 154 -> 163 to 206. Tried in
//! vain: 2 and 8 parts (126.5, 136.9), runs of 64 bytes (125.9), 512 and 1024 threads (133), fetching 256 bytes a miss
//! (128.1), a multiprocessor's memory divided alike for all kernels (122 to 125), small kernels that let others start
//! before they wait (127 to 129).

use std::cell::Cell;
use std::ops::Range;

use fornax_plan::index::Atom;
use fornax_plan::{Exprs, IndexId, KernelPlan, Node, NodeId, Operand, VarId};

use super::emit::{Gemv, Start, rebind};
use super::products::Stages;
use super::schedule::GemvSchedule;
use super::shape::{Shape, Steps as Numbers, Way};
use super::steps::{ByThreads, Loaded, Steps};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};
use fornax_targets::fitted::gemv::RING_MARGIN;
use fornax_targets::{Feature, Target};

/// Parts of a ring.
pub(super) const PARTS: u64 = 4;
/// Threads of a workgroup with a ring, and its bytes at most: three fit a multiprocessor, or the next kernel's beside.
const THREADS: u64 = 256;
const BYTES_MAX: u64 = 65_536;
/// Bytes and steps of the long operands of which there is one: the range in which it was measured to gain, in 16-bit
/// floats. One H200, two products one after the other, bf16, without and with: 5120 × 5120 47.0 us, 29.8; 2048 × 4096
/// 11.2, 10.6; 1000 × 2048 7.7, 7.0. Outside of it: steps of 50257 48.2, 66.1; of 65536 37.9, 41.2; 470 MB 219, 248.
/// Floats of 32 bits lose: two Llama 1B blocks 229, 233.
const WEIGHTS: Range<u64> = 2 << 20..128 << 20;
const STEPS: Range<u64> = 1024..8193;
const ELEMENT_BYTES: u64 = 2;
/// Bytes that neighbouring threads read in a row, if that leaves so many workgroups. Source: 8192 columns, gate and up
/// together: 21.3 us with 64 bytes and 256 workgroups, 18.4 with 128 and 128.
const RUN_BYTES: u64 = 128;
const GROUPS_MIN: u64 = 128;
/// Groups that are written one after another; more become a loop.
const GROUPS_UNROLLED: i64 = 4;
/// Bytes of a copy.
const COPY_BYTES: u64 = 16;

impl Shape {
    /// Cycles that a ring may take more by the model.
    pub(super) fn ring_margin(&self) -> f64 {
        RING_MARGIN * self.steps.iter().map(|steps| steps.long).max().unwrap_or(1) as f64
    }

    /// Bytes of a workgroup's ring (0 without); `None` where a way can have none.
    pub(super) fn ring_bytes(&self, target: &Target, way: &Way) -> Option<u64> {
        if way.ring == 0 {
            return Some(0);
        }
        let longs = self.steps.iter().map(|steps| steps.long).max().unwrap_or(1);
        let weights: u64 = self.steps.iter().map(|steps| steps.blocks(1, 1) * steps.long).sum();
        let rounds = |steps: &Numbers| steps.blocks(way.tile, way.parts) / (way.down * way.cluster * way.depth);
        let least = self.steps.iter().map(rounds).min().unwrap_or(0);
        let most = self.columns / (way.lanes * GROUPS_MIN);
        let across = (RUN_BYTES / COPY_BYTES).min(most.max(1));
        let bytes = way.ring * way.depth * way.tile * longs * COPY_BYTES * way.threads(target);
        let fits = target.has(Feature::CpAsync)
            && target.has(Feature::DependentLaunch)
            && (self.rows, way.matrix, way.depth, way.parts) == (1, false, 1, 1)
            && self.copies
            && way.lanes * self.bytes == COPY_BYTES
            && self.bytes == ELEMENT_BYTES
            && WEIGHTS.contains(&(self.batches * self.columns * weights * self.bytes))
            && self.steps.iter().all(|steps| STEPS.contains(&steps.blocks(1, 1)))
            && way.threads(target) == THREADS
            && way.across >= across
            && way.ring <= least
            && bytes <= BYTES_MAX;
        fits.then_some(bytes)
    }
}

/// Whether loads along a variable begin where whole copies may: at multiples of the elements of one.
///
/// Worked example, bf16: columns 3 to 1003 of a matrix begin 6 bytes behind such a place, and rows of 1027 elements
/// anywhere.
pub(super) fn copies(exprs: &Exprs, offset: IndexId, along: VarId, bytes: u64) -> bool {
    let elements = (COPY_BYTES / bytes.max(1)).max(1) as i64;
    let linear = exprs.indices.linear(offset);
    let begins = |&(atom, stride): &_| exprs.indices.atom(atom) == Atom::Var(along) || stride % elements == 0;
    linear.constant % elements == 0 && linear.terms.iter().all(begins)
}

/// Loads of a thread in a part.
fn loads(schedule: &GemvSchedule, plan: &KernelPlan) -> u64 {
    let stages = Stages::of(plan, schedule.long_is_lhs);
    let longs = stages.spaces().map(|space| space.long.len()).max().unwrap_or(0);
    u64::from(schedule.depth) * (longs * schedule.loads()) as u64
}

/// Bytes of a workgroup's ring.
pub(super) fn bytes(schedule: &GemvSchedule, plan: &KernelPlan) -> u32 {
    let pieces = u64::from(schedule.ring) * loads(schedule, plan) * u64::from(schedule.threads());
    (pieces * COPY_BYTES).min(u64::from(u32::MAX)) as u32
}

/// The ring of a thread.
pub(super) struct Ring<'g, 'a> {
    gemv: &'g Gemv<'a>,
    /// The thread's number down the contraction.
    down: Value,
    /// Its first piece.
    first: Value,
    /// Bytes from one part of a thread to the next, and from one piece of a part to the next.
    part_bytes: i64,
    piece_bytes: i64,
    /// The first groups of the space whose turn it is are under way.
    is_filled: Cell<bool>,
}

/// What is done with a piece, given the node of a load: the load is copied there, or what lies there is what it gives.
type Piece<'f> = &'f mut dyn FnMut(&mut Emitter<'_>, NodeId, Value) -> Result<(), EmitError>;

impl<'g, 'a> Ring<'g, 'a> {
    /// The ring of a thread, if the schedule has one.
    ///
    /// # Errors
    /// `FX0404` for lanes along the steps, and parts that are no power of two from 2 on.
    pub(super) fn of(
        e: &mut Emitter<'_>,
        gemv: &'g Gemv<'a>,
        (thread, down): (Value, Value),
    ) -> Result<Option<Ring<'g, 'a>>, EmitError> {
        let s = gemv.schedule;
        if s.ring == 0 {
            return Ok(None);
        }
        if s.ring < 2 || !s.ring.is_power_of_two() || s.inside {
            return Err(e.unfit(format!("a ring of {} parts for such a GEMV", s.ring)));
        }
        let array = e.abi.dynamic_shared(&mut e.code);
        let own = e.code.int_k("arith.muli", thread, COPY_BYTES as i64);
        let first = e.code.byte_offset(array, own);
        let piece_bytes = COPY_BYTES as i64 * i64::from(s.threads());
        let part_bytes = piece_bytes * loads(s, e.plan) as i64;
        let down = gemv.own_down(e, down);
        Ok(Some(Ring { gemv, down, first, part_bytes, piece_bytes, is_filled: Cell::new(false) }))
    }

    fn parts(&self) -> i64 {
        i64::from(self.gemv.schedule.ring)
    }

    /// Groups of blocks of a space that every thread has.
    fn groups(&self, e: &Emitter<'_>, steps: &ByThreads<'_, '_>) -> i64 {
        self.gemv.full_rounds(e, steps.space).0 / i64::from(self.gemv.schedule.depth)
    }

    /// Groups that are under way before the first is multiplied, of so many.
    fn lead(&self, groups: i64) -> i64 {
        if groups <= self.parts() { groups } else { self.parts() - 1 }
    }

    /// Where the blocks of a group start.
    fn starts(&self, e: &mut Emitter<'_>, steps: &ByThreads<'_, '_>, group: Value) -> Vec<Start> {
        let depth = i64::from(self.gemv.schedule.depth);
        let first = e.code.int_k("arith.muli", group, depth);
        self.gemv.starts(e, steps.space, (first, self.down), depth)
    }

    /// Does something with each piece of a group's part, its load's variables bound, in the order of [`Steps::fetch`].
    fn each(
        &self,
        e: &mut Emitter<'_>,
        (steps, starts): (&ByThreads<'_, '_>, &[Start]),
        group: Value,
        piece: Piece<'_>,
    ) -> Result<(), EmitError> {
        let s = self.gemv.schedule;
        let part = e.code.and_k(group, self.parts() - 1);
        let at = e.code.int_k("arith.muli", part, self.part_bytes);
        let first = e.code.byte_offset(self.first, at);
        let mut pieces = 0..;
        for Start { outer, base, .. } in starts {
            rebind(e, outer);
            e.lanes = s.lanes;
            for &long in &steps.space.long {
                for point in steps.points {
                    rebind(e, point);
                    for (step, number) in (0..i64::from(s.tile)).zip(&mut pieces) {
                        e.bind(steps.space.inner, Some(*base), s.block() as i64, step);
                        let bytes = e.code.int(Ty::scalar(Scalar::I32), number * self.piece_bytes);
                        let there = e.code.byte_offset(first, bytes);
                        piece(e, long, there)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Starts to copy a group.
    fn copy(&self, e: &mut Emitter<'_>, steps: &ByThreads<'_, '_>, group: Value) -> Result<(), EmitError> {
        let starts = self.starts(e, steps, group);
        self.each(e, (steps, &starts), group, &mut |e, long, there| {
            let Load { buffer, offset, .. } = load(e, long)?;
            e.copy_lanes((buffer, offset), there)
        })?;
        e.close_copies();
        Ok(())
    }

    /// What the loads of a group that has come give.
    fn read<'s>(
        &self,
        e: &mut Emitter<'_>,
        (steps, starts): (&ByThreads<'s, '_>, &[Start]),
        group: Value,
    ) -> Result<Loaded<ByThreads<'s, 's>>, EmitError> {
        let s = self.gemv.schedule;
        let mut values = Vec::new();
        self.each(e, (steps, starts), group, &mut |e, long, there| {
            let Load { node, buffer, .. } = load(e, long)?;
            let value = e.copied_lanes((buffer, e.exprs.element(node)), there)?;
            e.provide(node, value);
            let value = e.eval(long)?;
            values.push(e.code.spread(value, s.lanes));
            Ok(())
        })?;
        let by_long: Vec<Vec<Value>> = values.chunks(s.loads().max(1)).map(<[Value]>::to_vec).collect();
        Ok(by_long.chunks(steps.space.long.len().max(1)).map(<[Vec<Value>]>::to_vec).collect())
    }

    /// Starts to copy the first groups of a space, before its turn.
    pub(super) fn fill(&self, e: &mut Emitter<'_>, steps: &ByThreads<'_, '_>) -> Result<(), EmitError> {
        self.is_filled.set(true);
        self.start(e, steps)
    }

    fn start(&self, e: &mut Emitter<'_>, steps: &ByThreads<'_, '_>) -> Result<(), EmitError> {
        for group in 0..self.lead(self.groups(e, steps)) {
            let group = e.code.int(e.index_ty(), group);
            self.copy(e, steps, group)?;
        }
        Ok(())
    }

    /// Adds the products of all groups of a space to sums; gives the rounds of blocks that they are, too.
    pub(super) fn fold(
        &self,
        e: &mut Emitter<'_>,
        steps: &ByThreads<'_, '_>,
        mut sums: Vec<Value>,
    ) -> Result<(i64, Vec<Value>), EmitError> {
        if !self.is_filled.replace(false) {
            self.start(e, steps)?;
        }
        let groups = self.groups(e, steps);
        let lead = self.lead(groups);
        let refilled = groups - lead;
        let index = e.index_ty();
        let refilling = Turn { open: lead - 1, ahead: lead };
        if refilled > GROUPS_UNROLLED {
            let (low, high, one) = (e.code.int(index, 0), e.code.int(index, refilled), e.code.int(index, 1));
            let open = e.code.begin_for(low, high, one, &sums);
            let carried = open.carried.clone();
            let next = self.turn(e, steps, (open.iv, carried), refilling)?;
            sums = e.code.end_for(open, &next);
        } else {
            for group in 0..refilled {
                let group = e.code.int(index, group);
                sums = self.turn(e, steps, (group, sums), refilling)?;
            }
        }
        for at in 0..lead {
            let group = e.code.int(index, refilled + at);
            sums = self.turn(e, steps, (group, sums), Turn { open: lead - 1 - at, ahead: 0 })?;
        }
        Ok((groups * i64::from(self.gemv.schedule.depth), sums))
    }

    /// Adds the products of one group to sums.
    fn turn(
        &self,
        e: &mut Emitter<'_>,
        steps: &ByThreads<'_, '_>,
        (group, sums): (Value, Vec<Value>),
        Turn { open, ahead }: Turn,
    ) -> Result<Vec<Value>, EmitError> {
        e.await_copies(open);
        let starts = self.starts(e, steps, group);
        let long = self.read(e, (steps, &starts), group)?;
        if ahead > 0 {
            let next = e.code.add_ik(group, ahead);
            self.copy(e, steps, next)?;
        }
        steps.multiply(e, (&starts, long), sums, true)
    }
}

/// What is done around a group.
#[derive(Clone, Copy)]
struct Turn {
    /// Others that are under way at most when it is read.
    open: i64,
    /// The group so far behind it is copied then; 0: none.
    ahead: i64,
}

/// The load that a long operand is, but for conversions.
struct Load {
    node: NodeId,
    buffer: u32,
    offset: IndexId,
}

fn load(e: &Emitter<'_>, long: NodeId) -> Result<Load, EmitError> {
    let node = Operand::of(e.exprs, long).narrow;
    match *e.exprs.node(node) {
        Node::Load { buffer, offset, mask: None, .. } => Ok(Load { node, buffer, offset }),
        _ => Err(e.unfit("a ring of operands that are computed")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::choose;
    use super::super::candidates::tests::product;
    use super::copies;
    use fornax_graph::ElementType::{Bf16, F32};
    use fornax_plan::Exprs;
    use fornax_targets::Target;

    #[test]
    fn copies_begin_at_whole_ones() {
        let mut exprs = Exprs::default();
        let (k, n) = (exprs.indices.add_var(2048), exprs.indices.add_var(1000));
        let vars = [k, n].map(|var| exprs.indices.var(var));
        for (row, from, wanted) in [(1016, 0, true), (1016, 8, true), (1016, 3, false), (1027, 0, false)] {
            let at = exprs.indices.linearize(&vars, &[2048, row]);
            let at = exprs.indices.offset(at, from);
            assert_eq!(copies(&exprs, at, n, 2), wanted, "rows of {row}, from {from}");
        }
    }

    #[test]
    fn one_row_streams_through_a_ring() {
        let target = Target::from_spec("cuda:sm_90a").expect("a target");
        let ring = |element, shape, transposed| {
            choose(&product(element, shape, transposed), &target).ok().map(|(schedule, _)| schedule.ring)
        };
        assert_eq!(ring(Bf16, (1, 8192, 2048), false), Some(4));
        assert_eq!(ring(Bf16, (1, 2048, 8192), false), Some(4));
        // Wide elements, several rows, weights as [N, K], few weights, many of them, many steps.
        assert_eq!(ring(F32, (1, 2048, 2048), false), Some(0));
        assert_eq!(ring(Bf16, (2, 8192, 2048), false), Some(0));
        assert_eq!(ring(Bf16, (1, 8192, 2048), true), Some(0));
        assert_eq!(ring(Bf16, (1, 256, 2048), false), Some(0));
        assert_eq!(ring(Bf16, (1, 28672, 8192), false), Some(0));
        assert_eq!(ring(Bf16, (1, 512, 65536), false), Some(0));
    }
}

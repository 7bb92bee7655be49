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

use fornax_graph::ElementType;
use fornax_plan::index::Atom;
use fornax_plan::walk::Reached;
use fornax_plan::{DirectLoad, Exprs, IndexId, KernelPlan, Node, NodeId, VarId};

use super::candidates::{Shape, Steps as Numbers, Way};
use super::emit::{Gemv, Steps};
use super::products::Stages;
use super::schedule::GemvSchedule;
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

/// The ring of a thread.
pub(super) struct Ring {
    /// Its first piece.
    first: Value,
    parts: i64,
    /// Bytes from one part of a thread to the next, and from one piece of a part to the next.
    part_bytes: i64,
    piece_bytes: i64,
}

/// Pieces of a part, one a load, in the order of the loads.
pub(super) struct Pieces {
    first: Value,
    bytes: i64,
    taken: Cell<i64>,
    /// Filled, not read.
    fills: bool,
}

impl Pieces {
    fn next(&self, e: &mut Emitter<'_>) -> Value {
        let at = self.taken.replace(self.taken.get() + 1);
        let bytes = e.code.int(Ty::scalar(Scalar::I32), at * self.bytes);
        e.code.byte_offset(self.first, bytes)
    }
}

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

/// Bytes of a load, and loads of a thread in a part.
fn piece(schedule: &GemvSchedule, plan: &KernelPlan) -> (u64, u64) {
    let stages = Stages::of(plan, schedule.long_is_lhs);
    let mut loads = stages.spaces().flat_map(|space| &space.long).filter_map(|&long| single_load(&plan.exprs, long));
    let bytes = loads.next().map_or(0, |load| load.element.storage_bytes() as u64 * u64::from(schedule.lanes));
    let longs = stages.spaces().map(|space| space.long.len()).max().unwrap_or(0);
    (bytes, u64::from(schedule.depth) * (longs * schedule.loads()) as u64)
}

/// Bytes of a workgroup's ring.
pub(super) fn bytes(schedule: &GemvSchedule, plan: &KernelPlan) -> u32 {
    let (bytes, loads) = piece(schedule, plan);
    (u64::from(schedule.ring) * bytes * loads * u64::from(schedule.threads())).min(u64::from(u32::MAX)) as u32
}

/// A load that a long operand is, but for conversions.
struct Streamed {
    node: NodeId,
    buffer: u32,
    element: ElementType,
    offset: IndexId,
}

fn single_load(exprs: &Exprs, long: NodeId) -> Option<Streamed> {
    let loads = Reached::from(exprs, [long], &[]).nodes.into_iter().filter_map(|node| match *exprs.node(node) {
        Node::Load { buffer, element, offset, mask: None } => Some(Streamed { node, buffer, element, offset }),
        _ => None,
    });
    let mut loads = loads.fuse();
    let first = loads.next()?;
    loads.next().is_none().then_some(first)
}

/// Whether a piece is filled with what a long operand reads; where pieces are read, says what the load gives.
pub(super) fn passes(e: &mut Emitter<'_>, long: NodeId, through: Option<&Pieces>) -> Result<bool, EmitError> {
    let Some(pieces) = through else { return Ok(false) };
    let load = single_load(e.exprs, long).ok_or_else(|| e.unfit("a ring of operands that are computed"))?;
    let there = pieces.next(e);
    if pieces.fills {
        e.copy_lanes((load.buffer, load.offset), there)?;
    } else {
        let value = e.copied_lanes((load.buffer, load.element), there)?;
        e.provide(load.node, value);
    }
    Ok(pieces.fills)
}

/// The words of a load; none where a piece is filled with them.
pub(super) fn words(
    e: &mut Emitter<'_>,
    load: &DirectLoad,
    through: Option<&Pieces>,
) -> Result<Option<Vec<Value>>, EmitError> {
    let Some(pieces) = through else { return e.load_words(load.buffer, load.offset).map(Some) };
    let there = pieces.next(e);
    if pieces.fills {
        e.copy_lanes((load.buffer, load.offset), there)?;
        return Ok(None);
    }
    e.copied_words(load.buffer, there).map(Some)
}

impl Ring {
    /// The ring of a thread, if the schedule has one.
    pub(super) fn of(e: &mut Emitter<'_>, schedule: &GemvSchedule, thread: Value) -> Result<Option<Ring>, EmitError> {
        if schedule.ring == 0 {
            return Ok(None);
        }
        if schedule.ring < 2 || !schedule.ring.is_power_of_two() {
            return Err(e.unfit(format!("a ring of {} parts", schedule.ring)));
        }
        let (bytes, loads) = piece(schedule, e.plan);
        let array = e.abi.dynamic_shared(&mut e.code);
        let own = e.code.int_k("arith.muli", thread, bytes as i64);
        let first = e.code.byte_offset(array, own);
        let piece_bytes = bytes as i64 * i64::from(schedule.threads());
        let part_bytes = piece_bytes * loads as i64;
        Ok(Some(Ring { first, parts: i64::from(schedule.ring), part_bytes, piece_bytes }))
    }

    /// The pieces of the part of a group.
    fn pieces(&self, e: &mut Emitter<'_>, group: Value, fills: bool) -> Pieces {
        let part = e.code.and_k(group, self.parts - 1);
        let at = e.code.int_k("arith.muli", part, self.part_bytes);
        let first = e.code.byte_offset(self.first, at);
        Pieces { first, bytes: self.piece_bytes, taken: Cell::new(0), fills }
    }

    /// Groups that are under way before the first is multiplied, of so many.
    fn lead(&self, groups: i64) -> i64 {
        if groups <= self.parts { groups } else { self.parts - 1 }
    }
}

/// What is done around a group.
struct Turn<'r> {
    ring: &'r Ring,
    /// Others that are under way at most when it is read.
    open: i64,
    /// The group so far behind it is copied then; 0: none.
    ahead: i64,
}

impl Gemv<'_> {
    /// Groups of blocks of a space that every thread has.
    fn groups(&self, e: &Emitter<'_>, steps: &impl Steps) -> i64 {
        self.full_rounds(e, steps.space()).0 / i64::from(self.schedule.depth)
    }

    /// Starts to copy the first groups of a space.
    pub(super) fn fill<S: Steps>(
        &self,
        e: &mut Emitter<'_>,
        down: Value,
        steps: &S,
        ring: &Ring,
    ) -> Result<(), EmitError> {
        let down = self.own_down(e, down);
        for group in 0..ring.lead(self.groups(e, steps)) {
            let group = e.code.int(e.index_ty(), group);
            self.copy_group(e, (group, down), steps, ring)?;
        }
        Ok(())
    }

    fn copy_group<S: Steps>(
        &self,
        e: &mut Emitter<'_>,
        (group, down): (Value, Value),
        steps: &S,
        ring: &Ring,
    ) -> Result<(), EmitError> {
        let depth = i64::from(self.schedule.depth);
        let first = e.code.int_k("arith.muli", group, depth);
        let starts = self.starts(e, steps.space(), (first, down), depth);
        let pieces = ring.pieces(e, group, true);
        steps.fetch(e, &starts, 0..self.schedule.loads(), Some(&pieces))?;
        e.close_copies();
        Ok(())
    }

    /// Adds the products of all groups of thread (or subgroup) `down` to sums; the first ones are under way.
    pub(super) fn fold_ring<S: Steps>(
        &self,
        e: &mut Emitter<'_>,
        (down, mut sums): (Value, Vec<Value>),
        steps: &S,
        ring: &Ring,
    ) -> Result<Vec<Value>, EmitError> {
        let groups = self.groups(e, steps);
        let lead = ring.lead(groups);
        let index = e.index_ty();
        let refilled = groups - lead;
        if refilled > GROUPS_UNROLLED {
            let (low, high, one) = (e.code.int(index, 0), e.code.int(index, refilled), e.code.int(index, 1));
            let open = e.code.begin_for(low, high, one, &sums);
            let carried = open.carried.clone();
            let next = self.group(e, (open.iv, down, carried), steps, Turn { ring, open: lead - 1, ahead: lead })?;
            sums = e.code.end_for(open, &next);
        } else {
            for group in 0..refilled {
                let group = e.code.int(index, group);
                sums = self.group(e, (group, down, sums), steps, Turn { ring, open: lead - 1, ahead: lead })?;
            }
        }
        for at in 0..lead {
            let group = e.code.int(index, refilled + at);
            sums = self.group(e, (group, down, sums), steps, Turn { ring, open: lead - 1 - at, ahead: 0 })?;
        }
        Ok(sums)
    }

    /// Adds the products of one group.
    fn group<S: Steps>(
        &self,
        e: &mut Emitter<'_>,
        (group, down, sums): (Value, Value, Vec<Value>),
        steps: &S,
        Turn { ring, open, ahead }: Turn<'_>,
    ) -> Result<Vec<Value>, EmitError> {
        e.await_copies(open);
        let depth = i64::from(self.schedule.depth);
        let first = e.code.int_k("arith.muli", group, depth);
        let starts = self.starts(e, steps.space(), (first, down), depth);
        let pieces = ring.pieces(e, group, false);
        let long = steps.fetch(e, &starts, 0..self.schedule.loads(), Some(&pieces))?;
        if ahead > 0 {
            let next = e.code.add_ik(group, ahead);
            self.copy_group(e, (next, down), steps, ring)?;
        }
        steps.multiply(e, &starts, long, sums)
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

//! Schedules of sorts, scans and segment folds.
//!
//! Worked examples, CUDA: rows of 1000 f32 are sorted by 256 threads with 4 items each; rows of 20 in 32 slots, 16 rows a
//! workgroup. Cumulative sums of [4096, 1000] f32: 128 threads a row, 8 elements each; of [4096, 4096] 256 threads, 16 elements; of the columns of
//! [4096, 16384] 32 neighbours a workgroup of 256 threads.

use fornax_plan::radix::DIGITS;
use fornax_plan::{Body, Combiner, KernelPlan, RadixSchedule, ScanSchedule, ScanWay, SegmentSchedule, SortSchedule};
use fornax_targets::{Feature, Target};

use super::access::{loads, power_of_two_below, step, widest_bytes, work};
use super::loop_schedule::cpu_items;
use super::tile_schedule::dividing;
use crate::facts::sorting::{block_of, register_bytes};

/// Items of a thread.
const SORT_ITEMS: i64 = 4;
/// Slots of a workgroup whose runs are shorter, if there are enough of them.
const SORT_SLOTS_MIN: i64 = 512;
/// Elements of a thread in one round of a scan, of one whose line takes more than a round so, and threads of a workgroup.
const SCAN_ELEMENTS: u64 = 8;
const SCAN_ELEMENTS_LONG: u64 = 16;
const SCAN_THREADS: u64 = 256;
/// Threads of a workgroup whose threads have lines of their own.
const LINE_THREADS: u32 = 128;
/// Updates of a row from which a subgroup shares it, where rows are few.
const SHARED_UPDATES: u64 = 16;
/// Lines below which a workgroup shares one although its elements are far apart.
const LINES_FEW: u64 = 512;
/// Lines a multiprocessor from which threads take several side by side.
const LINES_MANY: u64 = 128;
/// Lines side by side that a workgroup goes through together: bytes of an access, elements of a line from which it pays, loads of a thread in a round,
/// threads of a unit that should be at work, and of a workgroup.
const BESIDE_BYTES: u64 = 128;
const BESIDE_LINE_MIN: u64 = 128;
const BESIDE_ITEMS: u64 = 16;
const BESIDE_UNIT_THREADS: u64 = 1024;
const BESIDE_THREADS: [u64; 2] = [128, 1024];

/// Schedule of a `Body::Sort`.
pub fn sort(plan: &KernelPlan, target: &Target) -> SortSchedule {
    let (Some(runs), Body::Sort { operands, from, .. }) = (plan.runs(), &plan.body) else {
        return SortSchedule { threads: 1, items: 1 };
    };
    let bytes = operands.iter().map(|&n| register_bytes(plan.exprs.element(n))).sum();
    let block = block_of(bytes);
    let padded = runs.padded();
    let units = i64::from(target.compute_units.max(1));
    let slots = match *from {
        1 if runs.lines * runs.count * padded < units * SORT_SLOTS_MIN => padded,
        1 => padded.max(SORT_SLOTS_MIN.min(block)),
        // Runs are powers of two times the block.
        _ => block,
    };
    if !target.is_gpu() {
        return SortSchedule { threads: 1, items: slots.max(1) as u32 };
    }
    let most = i64::from(target.max_threads_per_block.max(1));
    let mut items = SORT_ITEMS.min(slots).min(if *from == 1 { padded } else { slots });
    while slots / items > most.min(512) && items < 16 {
        items *= 2;
    }
    SortSchedule { threads: (slots / items).max(1) as u32, items: items as u32 }
}

/// Schedule of a `Body::Scan`.
pub fn scan(plan: &KernelPlan, target: &Target) -> ScanSchedule {
    let Body::Scan { along, input, .. } = plan.body else {
        return ScanSchedule { way: ScanWay::Own, lanes: 1, items: 1, threads: 1 };
    };
    let offsets = || {
        let read = loads(&plan.exprs, &[input]).into_iter().map(|l| l.offset);
        read.chain(plan.body.stores().iter().map(|s| s.offset))
    };
    let contiguous = |var| offsets().all(|offset| step(&plan.exprs, offset, var).is_one());
    let n = plan.exprs.indices.extent(along).max(1) as u64;
    let width = u64::from(target.vector_bytes / widest_bytes(plan)).max(1);
    let vars = plan.line_vars();
    let beside = vars.last().copied().filter(|&v| contiguous(v));
    let lines = plan.lines();
    let many = lines >= LINES_MANY * u64::from(target.compute_units);
    let rows = contiguous(along);
    if target.is_gpu() && target.exchanges() && n > SCAN_ELEMENTS && (rows || lines < LINES_FEW) {
        let lanes = if rows { dividing(width.min(SCAN_ELEMENTS), n) } else { 1 };
        let long = rows && n > SCAN_ELEMENTS * SCAN_THREADS;
        let items = if long { SCAN_ELEMENTS_LONG } else { SCAN_ELEMENTS } / lanes;
        let subgroup = u64::from(target.subgroup_size.max(1));
        let wanted = n.div_ceil(SCAN_ELEMENTS).next_power_of_two();
        let threads = wanted.clamp(subgroup, SCAN_THREADS.min(u64::from(target.max_threads_per_block)));
        return ScanSchedule {
            way: ScanWay::Shared,
            lanes: lanes as u32,
            items: items as u32,
            threads: threads as u32,
        };
    }
    let extent = beside.map_or(1, |v| plan.exprs.indices.extent(v).max(1) as u64);
    if let Some(s) = lines_beside(plan, target, (n, extent)).filter(|_| beside.is_some()) {
        return s;
    }
    if target.is_gpu() {
        let lanes = if many { dividing(width.min(4), extent) } else { 1 };
        let threads = LINE_THREADS.min(target.max_threads_per_block);
        return ScanSchedule { way: ScanWay::Own, lanes: lanes as u32, items: 1, threads };
    }
    let lanes = dividing(power_of_two_below(width), extent);
    let items = cpu_items(lines / lanes.max(1), work(plan, &[input]) * n * lanes);
    ScanSchedule { way: ScanWay::Own, lanes: lanes as u32, items, threads: 1 }
}

/// Lines of `n` elements that lie side by side along `extent`: workgroups that share some, where a thread a line would leave units without work.
fn lines_beside(plan: &KernelPlan, target: &Target, (n, extent): (u64, u64)) -> Option<ScanSchedule> {
    let units = u64::from(target.compute_units.max(1));
    let resident = units * u64::from(target.max_threads_per_unit);
    let width = u64::from(target.subgroup_size).clamp(1, 32);
    let lanes = dividing((BESIDE_BYTES / width / widest_bytes(plan) as u64).max(1), extent);
    let groups = plan.lines() / extent * extent.div_ceil(lanes * width);
    let few = plan.lines() < resident && 2 * groups >= units;
    if !target.is_gpu() || n < BESIDE_LINE_MIN || extent < lanes * width || !few {
        return None;
    }
    let [least, most] = BESIDE_THREADS;
    let most =
        most.min(u64::from(target.max_threads_per_block)).min(n.div_ceil(BESIDE_ITEMS).next_power_of_two() * width);
    let threads = 1u64 << (units * BESIDE_UNIT_THREADS / groups).max(1).ilog2();
    let threads: u64 = threads.clamp(least.min(most), most) / width * width;
    Some(ScanSchedule {
        way: ScanWay::Beside(width as u32),
        lanes: lanes as u32,
        items: BESIDE_ITEMS as u32,
        threads: threads as u32,
    })
}

/// Schedule of a `Body::Segment`.
pub fn segment(plan: &KernelPlan, target: &Target) -> SegmentSchedule {
    let none = SegmentSchedule { lanes: 1, share: 1, threads: 1, items: 1 };
    let Body::Segment { along, row, inputs, combiner, .. } = &plan.body else { return none };
    let last = plan.domain.last().copied().filter(|&v| {
        let read = loads(&plan.exprs, inputs).into_iter().map(|l| l.offset);
        let mut offsets = read.chain(plan.body.stores().iter().map(|s| s.offset));
        !plan.exprs.node_varies(*row, v) && offsets.all(|offset| plan.exprs.indices.stride(offset, v) == Some(1))
    });
    let extent = last.map_or(1, |v| plan.exprs.indices.extent(v).max(1) as u64);
    let width = u64::from(target.vector_bytes / widest_bytes(plan)).max(1);
    let lanes = dividing(power_of_two_below(width.min(if target.is_gpu() { 4 } else { 16 })), extent);
    let items = plan.loop_items(lanes as u32);
    let updates = plan.exprs.indices.extent(*along).max(1) as u64;
    let points: u64 = plan.domain.iter().map(|&v| plan.exprs.indices.extent(v).max(1) as u64).product();
    let rows = if last.is_some() { points / extent } else { points };
    let each = updates / rows.max(1);
    if !target.is_gpu() {
        let steps = each + u64::from(updates.ilog2());
        let items = cpu_items(items, work(plan, inputs) * steps * lanes);
        return SegmentSchedule { lanes: lanes as u32, items, ..none };
    }
    let resident = u64::from(target.compute_units) * u64::from(target.max_threads_per_unit);
    let simple = matches!(combiner, Combiner::Simple(_)) && target.has(Feature::ShuffleSync);
    let share = if simple && each >= SHARED_UPDATES && 2 * items < resident { target.subgroup_size } else { 1 };
    let threads = LINE_THREADS.min(target.max_threads_per_block);
    SegmentSchedule { lanes: lanes as u32, share, threads, items: 1 }
}

/// Schedule of a pass of a radix sort: a thread a digit where lanes can vote.
pub fn radix(target: &Target) -> RadixSchedule {
    let votes = target.votes() && target.subgroup_size == 32;
    RadixSchedule { threads: if votes { DIGITS as u32 } else { 1 } }
}

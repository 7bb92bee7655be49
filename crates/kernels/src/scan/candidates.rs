//! Schedules of scans.
//!
//! Worked examples, CUDA: cumulative sums of [4096, 1000] f32: 128 threads a row, 8 elements each; of [4096, 4096] 256
//! threads, 16 elements; of the columns of [4096, 16384] 32 neighbours a workgroup of 256 threads.

use crate::scan::schedule::{ScanSchedule, ScanWay};
use fornax_plan::{Body, KernelPlan};
use fornax_targets::Target;

use crate::access::{loads, step, widest_bytes, work};
use crate::sizing::{LINE_THREADS, cpu_items, dividing, power_of_two_below};

/// Elements of a thread in one round of a scan, of one whose line takes more than a round so, and threads of a
/// workgroup.
const SCAN_ELEMENTS: u64 = 8;
const SCAN_ELEMENTS_LONG: u64 = 16;
const SCAN_THREADS: u64 = 256;
/// Lines below which a workgroup shares one although its elements are far apart.
const LINES_FEW: u64 = 512;
/// Lines a multiprocessor from which threads take several next to each other.
const LINES_MANY: u64 = 128;
/// Lines in columns that a workgroup goes through together: bytes of an access, elements of a line from which it
/// pays, loads of a thread in a round, threads of a unit that should be at work, and of a workgroup.
const BESIDE_BYTES: u64 = 128;
const BESIDE_LINE_MIN: u64 = 128;
const BESIDE_ITEMS: u64 = 16;
const BESIDE_UNIT_THREADS: u64 = 1024;
const BESIDE_THREADS: [u64; 2] = [128, 1024];

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
    let column = vars.last().copied().filter(|&v| contiguous(v));
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
    let extent = column.map_or(1, |v| plan.exprs.indices.extent(v).max(1) as u64);
    if let Some(s) = lines_in_columns(plan, target, (n, extent)).filter(|_| column.is_some()) {
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

/// Lines of `n` elements that are adjacent along `extent`: workgroups that share some, where a thread a line would
/// leave units without work.
fn lines_in_columns(plan: &KernelPlan, target: &Target, (n, extent): (u64, u64)) -> Option<ScanSchedule> {
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
        way: ScanWay::Columns(width as u32),
        lanes: lanes as u32,
        items: BESIDE_ITEMS as u32,
        threads: threads as u32,
    })
}

//! Sizes that schedules of several families are made of: lanes, threads, items of a workgroup.

/// Rows of a product up to which it is a GEMV, bound by the bytes of the other operand.
pub const SHORT_MAX: i64 = 8;
/// Threads of a GPU workgroup.
pub const GPU_THREADS: u32 = 256;
/// Threads of a workgroup whose threads have lines of their own.
pub const LINE_THREADS: u32 = 128;
/// Operations a CPU workgroup should do, so that handing it out costs little.
const CPU_GROUP_WORK: u64 = 64 * 1024;
/// Workgroups that a big CPU kernel is cut into at least: four for each of sixteen cores.
const CPU_GROUPS: u64 = 64;
/// Operations below which a CPU workgroup is not cut further.
const CPU_GROUP_WORK_MIN: u64 = 4096;
/// Lanes that emitters take at most.
pub const LANES_MAX: u64 = 64;

/// Items (or tiles) of `item_work` operations that one CPU workgroup does.
pub fn cpu_items(items: u64, item_work: u64) -> u32 {
    let item_work = item_work.max(1);
    let full = CPU_GROUP_WORK.div_ceil(item_work);
    let spread = (items / CPU_GROUPS).max(CPU_GROUP_WORK_MIN.div_ceil(item_work));
    full.min(spread).clamp(1, 1 << 24) as u32
}

/// Largest power of two up to `limit` that divides the extent.
pub fn dividing(limit: u64, extent: u64) -> u64 {
    let mut lanes = power_of_two_below(limit);
    while lanes > 1 && !extent.is_multiple_of(lanes) {
        lanes /= 2;
    }
    lanes
}

/// Largest power of two that is at most `n` (1 for 0).
pub fn power_of_two_below(n: u64) -> u64 {
    if n == 0 { 1 } else { 1 << (63 - n.leading_zeros()) }
}

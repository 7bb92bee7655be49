//! Processors: products in panels, attention with rows in lanes.
//!
//! Source: measured with one thread of an AMD Zen 5 (512-bit datapath) and of an Intel Emerald Rapids. Other processors
//! use the same figures.

/// Half cycles that a vector of 64 bytes from the second-level cache takes.
pub const FAR_HALF_CYCLES: u64 = 6;
/// Sixteenths of a cycle that a step costs besides its multiply-adds.
pub const STEP_COST: u64 = 8;
/// The same for each row of a step: another stream of memory.
pub const ROW_COST: u64 = 2;
/// The same for each vector of a step.
pub const VECTOR_COST: u64 = 1;
/// Half cycles that a chain of dependent multiply-adds takes at least.
pub const CHAIN: u64 = 8;
/// Cycles of a workgroup that are worth handing out.
pub const GROUP_CYCLES: u64 = 16 * 1024;
/// Workgroups that a large kernel is cut into, at least.
pub const GROUPS: u64 = 32;
/// Cycles that a line of memory takes to come.
pub const LINE_CYCLES: i64 = 400;

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
/// Bytes of a line of memory.
pub const LINE_BYTES: i64 = 64;
/// Cycles that a line of memory takes to come.
pub const LINE_CYCLES: i64 = 400;
/// Rows and columns of a CPU tile whose lanes lie along the contraction, and the same with 32 vector registers. Columns
/// are neighbours in the result, so they are the lanes of what follows. A GELU by tanh behind a product of 96 × 96 × 96
/// took 59 µs by tiles of 4 × 4 and takes 37 by 2 × 8, with AVX2 63 by 4 × 2 and 53 by 2 × 4. The product alone takes
/// as long either way (one thread, Xeon of the fourth generation).
pub const FEW: (u64, u64) = (2, 4);
pub const FEW_OF_MANY: (u64, u64) = (2, 8);
/// Fewest lanes of the vectors that take what whole vectors leave over of a sum: the shortest register of x86-64 and
/// aarch64 has four of f32.
pub const REST_LANES_MIN: u32 = 4;
/// Most outputs that become one vector behind a sum: the widest register has 16 of f32.
pub const EPILOGUE_LANES_MAX: usize = 16;

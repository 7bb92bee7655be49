//! Kernels that mostly move memory: loops, transposes, reductions, rows.
//!
//! Source: the round trip is that of [`super::gemv`]; meetings are derived from instruction latencies of NVIDIA's
//! documents. They only weigh two families against each other, and decide where these are [`MODEL_ERROR`] apart.

pub use super::gemv::TRIP;

/// Cycles in which threads of a workgroup exchange values: stores to shared memory, a barrier, loads.
pub const MEETING: f64 = 120.0;
/// Cycles in which lanes of a subgroup exchange a value.
pub const EXCHANGE: f64 = 25.0;
/// Share of the shorter of moving and waiting that does not overlap with the longer one.
pub const OVERLAP: f64 = 0.19;
/// Bytes that memory and caches move at least, for one access of one thread.
pub const SECTOR_BYTES: f64 = 32.0;
/// Bytes for each element of an access that is the same for all threads of a subgroup: a sector for 32 of them.
pub const SHARED_ACCESS_BYTES: f64 = 1.0;
/// Cycles of any kernel, whatever it does: its launch, its first instructions and its last stores (an empty kernel of
/// one H200 takes 2.2 us).
pub const KERNEL: f64 = 4000.0;
/// Share by which one family's predicted cycles must be below another's to decide against the order of families.
pub const MODEL_ERROR: f64 = 0.25;

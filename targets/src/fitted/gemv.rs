//! GEMV and skinny GEMM.
//!
//! Source: fitted to 550 measurements on one H200 (sm_90a). Other chips use the same figures.

/// Bytes that a multiprocessor streams in a cycle when all do.
pub const STREAM_BYTES: f64 = 21.0;
/// Cycles of a round trip to memory under load.
pub const TRIP: f64 = 810.0;
/// Cycles of what follows the last round trip: exchange, shared memory, store.
pub const FINISH: f64 = 1700.0;
/// Cycles for one partial sum read back.
pub const PART: f64 = 15.0;
/// Cycles for a kernel of its own that adds up parts.
pub const SECOND_KERNEL: f64 = 5500.0;
/// Sizes of clusters, cycles for their meetings, and the workgroups of a hundred that run where clusters of a size are
/// placed.
pub const CLUSTERS: &[(u64, f64, f64)] = &[(1, 0.0, 100.0), (2, 1400.0, 100.0), (4, 1300.0, 91.0), (8, 1300.0, 91.0)];
/// Products a cycle of a multiprocessor, with the conversions before them.
pub const PRODUCTS: f64 = 36.0;
/// The same by matrix instructions.
pub const MATRIX_PRODUCTS: f64 = 127.0;

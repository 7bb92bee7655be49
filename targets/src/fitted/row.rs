//! Rows: cut along themselves, and weights asked for early.
//!
//! Source: derived from row kernels of EfficientNet-B0 on one H200, which ran in 2 to 9 workgroups. Other GPUs use the
//! same figure.

/// Bytes that one workgroup reads in the time of one more launch: 12 GB/s for 4 µs.
pub const LAUNCH_BYTES: u64 = 48 << 10;
/// Bytes of a cache line: columns of a workgroup that are fewer fetch the same sectors several times.
pub const LINE_BYTES: u64 = 128;
/// Bytes from which columns read in whole lines by two kernels are faster than in less than a line by one. Sums over
/// the rows of [6272, 512] bf16 (6.4 MB) on one H200: 6.0 µs at 1.07 TB/s; [25088, 512] 23 µs, in parts 8.
pub const NARROW_BYTES: u64 = 4 << 20;
/// Workgroups of a row kernel, at most, that ask for their weights before the kernels before are over: each asks for
/// all of them. Norms of one token, one H200: 1.39 → 1.31 µs of 2048 elements, 1.94 → 1.70 of 4096.
pub const EARLY_GROUPS_MAX: u64 = 16;

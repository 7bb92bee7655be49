//! Rows that are cut along themselves.
//!
//! Source: derived from row kernels of EfficientNet-B0 on one H200, which ran in 2 to 9 workgroups. Other GPUs use the
//! same figure.

/// Bytes that one workgroup reads in the time of one more launch: 12 GB/s for 4 µs.
pub const LAUNCH_BYTES: u64 = 48 << 10;

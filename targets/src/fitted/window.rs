//! Windows that slide: depthwise convolutions and pooling.
//!
//! Source: fitted to 275 measurements of eight convolutions on one H200 (sm_90a): what is chosen takes 4 % longer than
//! the best of them in the mean, 7 % at most. Other GPUs use the same figures.

/// Cycles from an instruction of a warp to its next one.
pub const ALONE: f64 = 6.0;
/// How much longer instructions take than their issue.
pub const SLACK: f64 = 1.5;
/// Bytes that the caches give a multiprocessor in a cycle.
pub const CACHE_BYTES: f64 = 16.0;
/// Cycles from a load to its use, once for every filling of a multiprocessor.
pub const LATENCY: f64 = 1200.0;

//! When every workgroup of a product of few rows had better do the small kernel before it.
//!
//! Source: a step of Llama 1B on one H200, in which the norm before q, k, v and the one before gate and up hand on 4
//! KiB each. The bounds are some times as much.

/// Bytes that are handed on in shared memory, at most: a ring of 64 KiB still fits three times.
pub const HANDED_BYTES: u64 = 12 << 10;
/// Bytes that all workgroups together read for it, at most: about two microseconds of the second cache. Source: 224
/// workgroups of q, k and v of Llama 3.1 8B in Q4_0, one H200: with the norm before them, of 48 KiB, 8 layers take
/// 0.545 ms, apart 0.554.
pub const AGAIN_BYTES: u64 = 12 << 20;

//! Register tiles by plain multiply-add (SIMT GEMM).
//!
//! Source: fitted to about 300 measurements of single products and convolutions on one H200 (sm_90a). Other GPUs use
//! the same figures.

/// Cycles before the first step and after the last: those of [`super::gemm_mma::START`].
pub const START: f64 = super::gemm_mma::START;
/// Cycles to combine what threads folded of one reduction, however few they are (H100: 1.33 us of a sum of 7 by two
/// threads each, 1.03 by one).
pub const COMBINE: f64 = 500.0;
/// Cycles of one step of a warp that has the multiprocessor to itself.
pub const STEP_LATENCY: f64 = 320.0;
/// Cycles of one round of combining one vector through shared memory.
pub const TREE_ROUND: f64 = 300.0;
/// Cycles of one round of combining one vector by lane exchange.
pub const EXCHANGE_ROUND: f64 = 25.0;
/// Cycles from fetching a block to its use, with the barrier between.
pub const STAGE_LATENCY: f64 = 900.0;
/// How much longer staged steps take than their multiply-adds.
pub const STAGED_SLACK: f64 = 1.3;
/// Cycles of a warp for each element a thread fetches.
pub const FETCH_CYCLES: f64 = 2.0;
/// How much longer products of 64 bits take than the model of 32 bits says, at least: half the rate, twice the bytes.
pub const WIDE_FACTOR: f64 = 2.0;
/// How much longer products that memory holds take than the model says: it leaves out how their operands lie there.
/// H100: one row by [28672, 8192] transposed in bf16 2.2 times, 8 rows in f32 by [128256, 2048] transposed 5 times, by
/// [2048, 8192] 2.5 times.
pub const MEMORY_BOUND_FACTOR: f64 = 2.0;

//! GEMM by warps' matrix instructions (`mma.sync`, MFMA, WMMA).
//!
//! Source: fitted to 199 measurements of products and convolutions on one H200 (sm_90a); the tile that the model picks
//! takes 4 % longer than the best measured one, in the mean. Other NVIDIA chips use the same figures. Those of AMD are
//! derived from instruction counts, not measured.

/// Cycles from starting a copy of a block to its use.
pub const COPY_LATENCY: f64 = 1660.0;
/// Cycles of a block besides its work when nothing else runs: barrier, start of copies.
pub const BLOCK_LATENCY: f64 = 131.0;
/// Cycles of one instruction's fragments when nothing hides them.
pub const FRAGMENT_LATENCY: f64 = 40.0;
/// Cycles of a product when nothing hides it.
pub const PRODUCT_LATENCY: f64 = 9.0;
/// Cycles of a workgroup before the first block and after the last.
pub const START: f64 = 3600.0;
/// Cycles of a warp for one piece of 16 bytes or less.
pub const PIECE_CYCLES: f64 = 7.0;
/// Cycles in which what is under way from memory arrives.
pub const MEMORY_LATENCY: f64 = 900.0;
/// Bytes of shared memory that a unit moves in a cycle (CUDA C programming guide: 32 banks of 4 bytes).
pub const SHARED_BYTES: f64 = 128.0;
/// Cycles that another kernel takes, however small.
pub const SECOND_KERNEL: f64 = 4500.0;
/// Share of its cost by which the model errs, where it was measured. Costs closer than that do not decide.
pub const MODEL_ERROR: f64 = 0.04;
/// AMD: cycles of a block besides its work when nothing else runs. Not measured.
pub const CHUNK_BLOCK_LATENCY: f64 = 30.0;
/// AMD: share of the cycles of shared memory and cache that matrix instructions of other waves do not hide. Not
/// measured.
pub const MOVED_SHARE: f64 = 0.15;
/// AMD: share of other instructions that matrix instructions of other waves do not hide. Not measured.
pub const BESIDES_SHARE: f64 = 0.3;
/// AMD: instructions of a wave for a block, besides multiplications. Not measured.
pub const BLOCK_INSTRUCTIONS: f64 = 20.0;
/// AMD: instructions of a wave for each piece. Not measured.
pub const PIECE_INSTRUCTIONS: f64 = 4.0;
/// Kernels of operands that are converted when they are read, and of large results, against the model of their tiles,
/// which counts neither: measured 1.25 to 1.75 on convolutions of 32 images in tf32.
pub const FED_FACTOR: f64 = 1.5;
/// The same for f32 products in tf32 terms, weighed against such in bf16 terms by `wgmma`: of ten products on one H100
/// the former took 1.2 to 2.0 times as many cycles as their model says, the latter 1.3.
pub const TERMS_FACTOR: f64 = 0.9;

//! What cost models know of chips besides [`crate::rates`]: cycles, latencies and rates that were fitted to
//! measurements.
//!
//! A file a kernel family; each says on which chip, to how many measurements. A chip that is measured anew gets its
//! figures here, and the families that read them stay as they are.

pub mod attention;
pub mod bundle;
pub mod collectives;
pub mod cpu;
pub mod gemm_mma;
pub mod gemm_wgmma;
pub mod gemv;
pub mod lead;
pub mod row;
pub mod tile;
pub mod traffic;
pub mod window;

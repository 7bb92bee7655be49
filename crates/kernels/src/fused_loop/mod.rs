//! Fused loops (schedule `team`): the small kernels of a counted loop as one kernel, all rounds of a problem by one
//! workgroup.

pub mod emit;

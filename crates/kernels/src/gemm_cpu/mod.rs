//! GEMM on CPUs in panels (schedule `panel`): packed operands, a register block of vectors, blocks for the caches.
//!
//! `emit`: the nest; `ahead`: lines of memory that are asked for early.

mod ahead;
pub mod candidates;
pub mod emit;
mod pack;

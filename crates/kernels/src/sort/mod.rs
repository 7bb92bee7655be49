//! Sorts: runs in shared memory and their merges (`emit`; `cpu` on processors), passes by digit (`radix`).

pub mod block;
pub mod candidates;
mod cpu;
pub mod emit;
pub mod radix;

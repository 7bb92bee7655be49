//! Rows: one reduction or several of the same rows and what is stored of them (softmax, norms, sums along the fastest
//! variable), a workgroup, a subgroup or a cluster a row.
//!
//! `emit` holds the order of the passes over a row; the other files are one trick each: `kept` (elements stay in
//! registers), `cluster` (several workgroups a row), `ahead` (the next row is loaded early), `packed` (two 16-bit elements
//! a register), `joint` (online softmax: maximum and sum in one pass) and so on.

mod ahead;
pub mod candidates;
mod cluster;
mod count;
pub mod emit;
mod extremum;
mod joint;
mod kept;
mod loose;
mod narrow;
mod packed;
mod prefetch;
mod share;
mod walk;

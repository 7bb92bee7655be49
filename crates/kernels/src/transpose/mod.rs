//! Transposes and what is fused with them: `Body::Loop` whose loads run across its stores, through rectangles in shared
//! memory, so that loads and stores are coalesced both.
//!
//! `emit`: the rectangle; `runs`: loads and stores in vectors; `skewed`: odd extents, rows shifted so that vectors are
//! aligned.

pub mod candidates;
pub mod emit;
mod runs;
mod skewed;

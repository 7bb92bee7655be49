//! Register tiles: reductions and contractions by plain multiply-add, a block of outputs a thread. Every target has it.
//!
//! `reduce`: reductions that are no rows. `contraction`: products and convolutions without matrix instructions (SIMT GEMM);
//! `staged` shares blocks of both operands in shared memory. The tile itself is `fornax_emit::blocks::tile`.

pub mod candidates;
pub mod contraction;
mod gpu;
mod rectangle;
pub mod reduce;
mod staged;

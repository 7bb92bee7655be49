//! GEMV: products with few rows or columns (schedule `skinny`), bound by the bytes of the long operand.
//!
//! `emit`: threads share the steps of an output; `matrix`: on matrix instructions; `finish`: the sum of the threads' and a
//! cluster's shares.

pub mod candidates;
pub mod emit;
mod finish;
mod matrix;

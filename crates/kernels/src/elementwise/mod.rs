//! Elementwise kernels: every point of the domain computed on its own, `Body::Loop` in the loop schedule.
//!
//! `emit`: vectors of neighbouring elements, several items a thread. `squares`: on CPUs, loads that cross the stores, a
//! square of registers at a time.

pub mod candidates;
pub mod emit;
mod squares;

//! Scans (prefix sums and the like): a thread, a workgroup or a subgroup a line (`emit`), lines side by side (`beside`).

mod beside;
pub mod candidates;
pub mod emit;

//! (crates/plan)

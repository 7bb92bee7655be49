//! (crates/reference)

//! (crates/graph)

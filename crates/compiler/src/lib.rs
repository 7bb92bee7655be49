//! (crates/compiler)

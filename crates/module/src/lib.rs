//! (crates/module)

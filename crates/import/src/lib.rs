//! (crates/import)

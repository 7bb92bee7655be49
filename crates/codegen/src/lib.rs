//! (crates/codegen)

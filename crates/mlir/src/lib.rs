//! (crates/mlir)

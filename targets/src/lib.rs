//! (targets)

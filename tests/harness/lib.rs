//! Harness of the cross-crate tests.

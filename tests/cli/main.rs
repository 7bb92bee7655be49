//! End to end through the `fornax` binary.

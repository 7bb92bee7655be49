//! Depthwise convolutions and pooling: outputs beside each other share what they read of a sliding window.

pub mod candidates;
pub mod emit;

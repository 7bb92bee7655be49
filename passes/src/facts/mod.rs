//! Facts about ops that fuse, schedule and program need: what an op computes, which element it reads, how long it is.
//!
//! Nothing here decides or rewrites, and nothing here uses another folder of the passes.

pub mod attention;
pub mod combiner;
pub mod control;
pub mod dequantized;
pub mod donated;
pub mod index_maps;
pub mod ops;
pub mod parts;
pub mod pattern;
pub mod picked;
pub mod prefix;
pub mod products;
pub mod scalar;
pub mod sizes;
pub mod softmax;
pub mod sort_keys;
pub mod sorting;

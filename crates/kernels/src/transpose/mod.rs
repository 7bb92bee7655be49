pub mod emit;
mod runs;
mod skewed;

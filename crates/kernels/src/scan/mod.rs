mod beside;
pub mod emit;

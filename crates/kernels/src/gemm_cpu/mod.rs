mod ahead;
pub mod emit;

pub mod emit;

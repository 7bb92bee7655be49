pub mod emit;
mod finish;
mod matrix;

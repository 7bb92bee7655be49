pub mod emit;
mod squares;

mod cpu;
pub mod emit;
pub mod radix;

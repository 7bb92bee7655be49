//! Code generation: kernel plans in, executable images out.

pub mod backend;

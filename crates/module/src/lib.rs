//! The module file and the host program: read, write, check. No LLVM, no GPU, no `unsafe`.
#![forbid(unsafe_code)]

pub mod program;

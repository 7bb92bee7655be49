//! Commands that a runtime-only build lacks: they say so, whatever their flags.

use std::ffi::OsString;

use anyhow::Result;
use clap::Args;

use crate::failure::{Failure, exit};

/// Any words.
#[derive(Args, Debug)]
pub struct Absent {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub rest: Vec<OsString>,
}

/// Refuses a command of the compiler.
///
/// # Errors
/// FX0805 always.
pub fn refuse(command: &str) -> Result<()> {
    let text = format!("`fornax {command}` needs the compiler, and this is the runtime-only build of Fornax");
    let help = "compile where the whole `fornax` is (built with its default features, with LLVM), copy the module, \
                and run it here with `fornax run-module`";
    Err(Failure::new(exit::USAGE, "FX0805", text, help).into())
}

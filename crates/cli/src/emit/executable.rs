//! A program of its own: `fornax` with the module behind it, which it finds when it starts.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use fornax_module::ModuleBuilder;
use fornax_runtime::attached;

use super::bytes_of;
use crate::atomic_file::write_program;
use crate::failure::Failure;

pub fn write(path: &Path, module: &ModuleBuilder<'_>, runtime: Option<&Path>) -> Result<()> {
    let own = std::env::current_exe().context("error[FX0803]: this program's own file cannot be found")?;
    let runtime = runtime.unwrap_or(&own);
    let program = std::fs::read(runtime)
        .map_err(|error| Failure::usage(format!("--emit-runtime: {}: {error}", runtime.display())))?;
    // One that carries a module already would carry two.
    let program = &program[..attached::program_bytes(&program)];
    if !program.starts_with(b"\x7fELF") {
        return Err(Failure::usage(format!("--emit-runtime: {} is no program", runtime.display())).into());
    }
    let module = bytes_of(module)?;
    write_program(path, &mut |out: &mut dyn Write| Ok(attached::write(out, program, &module)?))
}

//! One process of the `fornax` program a compilation.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{input, messages};
use crate::error::{Failure, Result, Status};

/// Compiles a model.
///
/// # Errors
/// What the compiler says of the model; FX0733 where the program does not start, FX0911 where it ends by itself.
pub fn compile(program: &Path, arguments: &[&str], model: &[u8]) -> Result<Vec<u8>> {
    let unusable = |error| Failure::coded(Status::NotFound, "FX0733", format!("{}: {error}", program.display()));
    let (mut input, given) = input::pair().map_err(unusable)?;
    let child = Command::new(program)
        .args(["compile", "-o", "-", "--error-format=json"])
        .args(arguments)
        .args(["--", "-"])
        .stdin(given)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(unusable)?;
    // The model goes in by a thread of its own: the compiler may speak before it has read everything.
    let done = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A compiler that ends early says why itself.
            let _ = input.write_all(model);
        });
        child.wait_with_output()
    });
    let done = done.map_err(unusable)?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    Err(messages::failure(&String::from_utf8_lossy(&done.stderr), &done.status.to_string()))
}

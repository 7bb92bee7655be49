//! `fornax model-worker`: compiles one model after the other for another process, such as the PJRT plugin. Starting a
//! compiler takes longer than compiling a small model.
//!
//! Frames as of the code generation's workers, in turn: the flags of `fornax compile` as a JSON list, the model; then
//! `module` or `error`, and the module's bytes or the error as JSON lines. Kernels are compiled in this process: a
//! fatal error of LLVM ends it, and whoever started it asks `fornax compile`, which reports it.

use std::io::{Read, Write};

use anyhow::Result;
use fornax_compiler::worker::{read_frame, write_frame};

use crate::commands::compile;
use crate::failure::render;
use crate::messages;

/// Answers from `input` on `output` until the pipe closes.
pub fn serve(input: &mut dyn Read, output: &mut dyn Write) -> Result<()> {
    while let Some(flags) = read_frame(input)? {
        let Some(model) = read_frame(input)? else { break };
        let made = serde_json::from_slice(&flags)
            .map_err(anyhow::Error::from)
            .and_then(|flags: Vec<String>| compile::module_of(&flags, &model));
        match made {
            Ok(module) => {
                write_frame(output, b"module")?;
                write_frame(output, &module)?;
            }
            Err(error) => {
                write_frame(output, b"error")?;
                write_frame(output, messages::json_lines(&render(&error)).as_bytes())?;
            }
        }
    }
    Ok(())
}

//! `fornax man DIR`: the manual pages, one a command, from the same table as `--help`.

use std::path::Path;

use anyhow::{Context, Result};

use crate::args::command;
use crate::output::say;

/// Writes `fornax.1` and `fornax-COMMAND.1` into a folder, which is made if it is not there.
///
/// # Errors
/// FX0802 where the folder cannot be written.
pub fn run(folder: &Path) -> Result<()> {
    let refuse = || format!("error[FX0802]: cannot write manual pages to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(refuse)?;
    // Pages of `fornax help COMMAND` would say the same again.
    let command = command().disable_help_subcommand(true);
    let command = command.mut_subcommands(|sub| sub.disable_help_subcommand(true));
    clap_mangen::generate_to(command, folder).with_context(refuse)?;
    say!("{}: see `man -l {}`", folder.display(), folder.join("fornax.1").display());
    Ok(())
}

//! `fornax install-links DIR`: links `iree-compile` and `iree-run-module` to this program, which goes by its own name.

use std::path::Path;

use anyhow::{Context, Result};

use crate::failure::{Failure, exit};
use crate::output::say;

/// Names under which the program takes IREE's command lines; the first needs the compiler.
const NAMES: &[&str] = &[
    #[cfg(feature = "compiler")]
    "iree-compile",
    "iree-run-module",
];

/// Makes the links. One that is there already is made anew; anything else of the name stays.
///
/// # Errors
/// FX0802 where a file or another program's link has the name, or the folder cannot be written.
pub fn run(folder: &Path) -> Result<()> {
    let program = std::env::current_exe().context("error[FX0803]: cannot find this program's own file")?;
    for name in NAMES {
        let link = folder.join(name);
        let refuse = || format!("error[FX0802]: cannot make the link {}", link.display());
        match std::fs::symlink_metadata(&link) {
            Ok(_) if std::fs::canonicalize(&link).is_ok_and(|to| to == program) => {
                std::fs::remove_file(&link).with_context(refuse)?;
            }
            Ok(_) => {
                let text = format!("{} is there already and is not this program", link.display());
                let help = "remove it first, or name a folder that comes before its own in PATH";
                return Err(Failure::new(exit::USAGE, "FX0802", text, help).into());
            }
            Err(_) => {}
        }
        std::os::unix::fs::symlink(&program, &link).with_context(refuse)?;
        say!("{} -> {}", link.display(), program.display());
    }
    Ok(())
}

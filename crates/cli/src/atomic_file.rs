//! Output files appear whole or not at all: written next to their place under a temporary name, then renamed.

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

use crate::failure::{Failure, exit};

/// Writes `path` with what `fill` produces; on any error nothing appears and the old file stays.
///
/// # Errors
/// FX0802 when the folder cannot be written; the error of `fill`.
pub fn write_atomically(path: &Path, fill: &mut dyn FnMut(&mut dyn Write) -> Result<()>) -> Result<()> {
    write_with_mode(path, 0o644, fill)
}

/// As [`write_atomically`], for a program.
#[cfg(feature = "compiler")]
pub fn write_program(path: &Path, fill: &mut dyn FnMut(&mut dyn Write) -> Result<()>) -> Result<()> {
    write_with_mode(path, 0o755, fill)
}

fn write_with_mode(path: &Path, mode: u32, fill: &mut dyn FnMut(&mut dyn Write) -> Result<()>) -> Result<()> {
    let refuse = || format!("error[FX0802]: cannot write {}", path.display());
    // A device or pipe (`/dev/stdout`) cannot be replaced: write straight into it.
    if path.exists() && !path.is_file() {
        let mut out = std::fs::OpenOptions::new().write(true).open(path).with_context(refuse)?;
        return fill(&mut out);
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let text = format!("cannot write {}: there is no folder {}", path.display(), folder.display());
        return Err(Failure::new(exit::USAGE, "FX0802", text, "make the folder, or write to another").into());
    }
    let temporary = tempfile::Builder::new().prefix(".fornax-").tempfile_in(folder).with_context(refuse)?;
    let mut out = BufWriter::with_capacity(1 << 20, temporary);
    fill(&mut out)?;
    let file = out.into_inner().map_err(|e| e.into_error()).with_context(refuse)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(mode);
        file.as_file().set_permissions(mode).with_context(refuse)?;
    }
    file.persist(path).map_err(|e| e.error).with_context(refuse)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_writer_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.fnx");
        std::fs::write(&path, b"old").unwrap();
        let failed = write_atomically(&path, &mut |out| {
            out.write_all(b"new")?;
            anyhow::bail!("no")
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        write_atomically(&path, &mut |out| Ok(out.write_all(b"new")?)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_missing_folder_is_an_error_with_its_code() {
        let error = write_atomically(Path::new("no/such/folder/m.fnx"), &mut |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("FX0802"));
    }
}

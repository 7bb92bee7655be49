//! `--output=` targets: results to files, whole or not at all.
//!
//! `@y.npy` writes (replaces), `+y.npy` appends to an .npy file of several arrays, `@y.bin` (any other name) writes
//! raw little-endian elements, `-` prints text. A file is written next to its place under a temporary name, flushed,
//! and renamed; when anything fails the place holds what it held before.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Tensor, npy};
use crate::errors::{Result, RuntimeError};

/// Where a result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputTarget {
    Text,
    Replace(PathBuf),
    Append(PathBuf),
}

impl OutputTarget {
    /// Parses `-`, `@path` or `+path`.
    pub fn parse(text: &str) -> Result<OutputTarget> {
        let path = |rest: &str| PathBuf::from(rest);
        match (text, text.strip_prefix('@'), text.strip_prefix('+')) {
            ("-" | "", ..) => Ok(OutputTarget::Text),
            (_, Some(rest), _) if !rest.is_empty() => Ok(OutputTarget::Replace(path(rest))),
            (_, _, Some(rest)) if rest.ends_with(".npy") => Ok(OutputTarget::Append(path(rest))),
            _ => Err(RuntimeError::input("FX0821", format!("output `{text}`: expected -, @FILE or +FILE.npy"))),
        }
    }
}

/// Writes a tensor to a file; `Text` is the caller's to print.
pub fn write_output(target: &OutputTarget, tensor: &Tensor) -> Result<()> {
    match target {
        OutputTarget::Text => Ok(()),
        OutputTarget::Replace(path) => write_whole(path, &file_bytes(path, tensor)),
        OutputTarget::Append(path) => {
            let mut bytes = match fs::read(path) {
                Ok(bytes) => bytes,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
                Err(e) => return Err(unwritable(path, &e)),
            };
            npy::write(tensor, &mut bytes);
            write_whole(path, &bytes)
        }
    }
}

fn file_bytes(path: &Path, tensor: &Tensor) -> Vec<u8> {
    if path.extension().is_some_and(|extension| extension == "npy") {
        let mut bytes = Vec::new();
        npy::write(tensor, &mut bytes);
        return bytes;
    }
    tensor.bytes().to_vec()
}

fn unwritable(path: &Path, error: &std::io::Error) -> RuntimeError {
    RuntimeError::input("FX0832", format!("{}: {error}", path.display()))
}

/// Writes `bytes` to `path` so that the path never holds a part of them. What is not a regular file (a pipe,
/// `/dev/null`) is written directly.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return fs::write(path, bytes).map_err(|e| unwritable(path, &e));
    }
    let name = path
        .file_name()
        .ok_or_else(|| RuntimeError::input("FX0832", format!("{}: not a file name", path.display())))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    renamed.map_err(|e| {
        // The temporary file may not exist; the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        unwritable(path, &e)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::TensorType;

    #[test]
    fn files_appear_whole() {
        let dir = tempfile::tempdir().unwrap();
        let tensor = Tensor::zeros(TensorType::parse("2xf32").unwrap()).unwrap();
        let target = |sign: &str, name: &str| {
            OutputTarget::parse(&format!("{sign}{}", dir.path().join(name).display())).unwrap()
        };
        write_output(&target("@", "y.bin"), &tensor).unwrap();
        assert_eq!(fs::read(dir.path().join("y.bin")).unwrap(), [0; 8]);
        write_output(&target("+", "y.npy"), &tensor).unwrap();
        write_output(&target("+", "y.npy"), &tensor).unwrap();
        assert_eq!(npy::read_all(&fs::read(dir.path().join("y.npy")).unwrap()).unwrap().len(), 2);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        let error = write_output(&target("@", "missing/y.bin"), &tensor).unwrap_err();
        assert_eq!((error.code(), error.exit_code()), ("FX0832", 1));
        assert!(OutputTarget::parse("y.npy").is_err());
    }
}

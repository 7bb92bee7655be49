//! `--dump-ir-to=DIR`: every phase, every kernel's MLIR, LLVM IR and assembly as files that sort in order.

use std::path::{Path, PathBuf};

use crate::errors::CompileError;

/// Writes dumps into a folder, or nowhere.
#[derive(Clone, Debug, Default)]
pub struct Dump {
    directory: Option<PathBuf>,
}

impl Dump {
    pub fn new(directory: Option<PathBuf>) -> Dump {
        Dump { directory }
    }

    pub fn enabled(&self) -> bool {
        self.directory.is_some()
    }

    /// Writes `DIR/name` (subfolders are made) with the text that `make` gives; does nothing without a folder.
    pub fn write(&self, name: &str, make: impl FnOnce() -> Vec<u8>) -> Result<(), CompileError> {
        let Some(directory) = &self.directory else { return Ok(()) };
        let path = directory.join(name);
        write_with_parents(&path, &make())
            .map_err(|e| CompileError::environment("FX0904", format!("cannot write {}: {e}", path.display())))
    }
}

fn write_with_parents(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, bytes)
}

/// The folder of a target's dumps.
pub fn folder_of(spec: &str) -> String {
    spec.replace([':', ','], "_")
}

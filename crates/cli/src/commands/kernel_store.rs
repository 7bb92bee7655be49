//! Where compiled kernels are kept: `--kernel-store`, else the variable, which every way to the compiler passes on.

use std::path::{Path, PathBuf};

use anyhow::Result;
use fornax_compiler::{STORE_BYTES, StoreOptions};

use crate::byte_count;
use crate::failure::Failure;

/// A folder, or `off`.
const FOLDER: &str = "FORNAX_KERNEL_STORE";
/// What all kernels together may take: `512MiB`.
const BYTES: &str = "FORNAX_KERNEL_STORE_BYTES";

/// The store that a flag names, else the variable; `program` is the one that the code generator is in.
///
/// # Errors
/// FX0801 for a limit that is no amount of memory.
pub fn of(flag: Option<&Path>, program: Option<&Path>) -> Result<Option<StoreOptions>> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = flag.map(Path::to_path_buf).or_else(|| variable(FOLDER).map(PathBuf::from));
    let (Some(folder), Some(program)) = (folder.filter(|folder| folder.as_os_str() != "off"), program) else {
        return Ok(None);
    };
    let bytes = match variable(BYTES) {
        Some(text) => {
            byte_count::parse(&text.to_string_lossy()).map_err(|why| Failure::usage(format!("{BYTES}: {why}")))?
        }
        None => STORE_BYTES,
    };
    Ok(Some(StoreOptions { folder, bytes, program: program.to_path_buf() }))
}

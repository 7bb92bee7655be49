//! Kernels that broke a backend, kept as files for a report: `fornax-reproducer-HASH.mlir`, the newest few in a folder.
//!
//! The same kernel has the same file, so that repeated runs do not pile up; of different ones the oldest go.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const PREFIX: &str = "fornax-reproducer-";
const SUFFIX: &str = ".mlir";
/// Files that stay in a folder.
const KEPT: usize = 16;

/// Writes the text of a kernel; the file's name, if it could be written.
pub fn keep(folder: &Path, mlir: &str) -> Option<String> {
    let hash = blake3::hash(mlir.as_bytes()).to_hex();
    let name = OsString::from(format!("{PREFIX}{}{SUFFIX}", &hash[..16]));
    let path = folder.join(&name);
    fs::create_dir_all(folder).ok()?;
    fs::write(&path, mlir).ok()?;
    for old in superseded(folder, &name) {
        // Another process may have been faster.
        let _ = fs::remove_file(old);
    }
    Some(path.display().to_string())
}

/// Reproducers but the newest, of which `own` is one.
fn superseded(folder: &Path, own: &OsString) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut others: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let text = name.to_string_lossy();
            name != *own && text.starts_with(PREFIX) && text.ends_with(SUFFIX)
        })
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    others.sort();
    let gone = others.len().saturating_sub(KEPT - 1);
    others.into_iter().take(gone).map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stay() {
        let folder = std::env::temp_dir().join(format!("fornax-kept-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("fornax-reproducer.txt"), "another's").unwrap();
        let mut names = Vec::new();
        for n in 0..KEPT + 3 {
            names.push(keep(&folder, &format!("kernel {n}")).unwrap());
            let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(n as u64);
            fs::File::options().write(true).open(&names[n]).unwrap().set_modified(old).unwrap();
        }
        assert_eq!(keep(&folder, "kernel 18").as_ref(), names.last());
        let there: Vec<bool> = names.iter().map(|name| Path::new(name).exists()).collect();
        let left = fs::read_dir(&folder).unwrap().count();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((there[..3].to_vec(), left), (vec![false; 3], KEPT + 1));
    }
}

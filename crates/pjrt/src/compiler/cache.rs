//! Compiled modules on disk, by a hash of what they were made of, in the folder of the Python package's. When they take
//! more than the limit, those that were not used for the longest go.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// How many modules are kept between two looks at the size of the folder.
const SWEEP_EVERY: u64 = 64;

/// A folder of modules.
pub struct Cache {
    folder: PathBuf,
    limit: u64,
    kept: AtomicU64,
}

/// The name of a module made by this program, with these arguments, of this model.
pub fn key(identity: &str, arguments: &[&str], model: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    let parts = std::iter::once(identity.as_bytes()).chain(arguments.iter().map(|argument| argument.as_bytes()));
    for part in parts.chain([model]) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex().to_string()
}

impl Cache {
    pub fn new(folder: &Path, limit: u64) -> Cache {
        Cache { folder: folder.to_path_buf(), limit, kept: AtomicU64::new(0) }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.fnx"))
    }

    /// The module of a key.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        let found = std::fs::read(&path).ok()?;
        // When it was used last decides how long it stays; where the time cannot be set it goes earlier.
        let _ = std::fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(found)
    }

    /// Keeps a module. A folder that cannot be written costs time, not the result.
    pub fn keep(&self, key: &str, module: &[u8]) {
        let number = self.kept.fetch_add(1, Ordering::Relaxed);
        let part = self.folder.join(format!("{key}.{}.{number}.part", std::process::id()));
        let written = std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(&part, module))
            // Whole or not at all, whoever else writes it.
            .and_then(|()| std::fs::rename(&part, self.path(key)));
        if written.is_err() {
            let _ = std::fs::remove_file(&part);
        } else if number.is_multiple_of(SWEEP_EVERY) {
            self.sweep();
        }
    }

    fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let row = |entry: std::fs::DirEntry| {
            let path = entry.path();
            let data = entry.metadata().ok().filter(|_| path.extension().is_some_and(|end| end == "fnx"))?;
            Some((data.modified().ok()?, data.len(), path))
        };
        let mut found: Vec<_> = entries.flatten().filter_map(row).collect();
        found.sort_by_key(|row| std::cmp::Reverse(row.0));
        let mut total = 0u64;
        for (_, bytes, path) in found {
            total = total.saturating_add(bytes);
            if total > self.limit {
                // Another process may have been first.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_and_the_oldest_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(&folder.path().join("modules"), 10);
        let keys: Vec<String> = (0..3).map(|at| key("fornax 1", &["-x"], &[at])).collect();
        assert_eq!(cache.get(&keys[0]), None);
        for (age, key) in keys.iter().enumerate() {
            cache.keep(key, &[7; 4]);
            let file = std::fs::File::options().append(true).open(cache.path(key)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(age as u64)).unwrap();
        }
        cache.sweep();
        assert_eq!(cache.get(&keys[0]), None);
        assert_eq!(cache.get(&keys[2]), Some(vec![7; 4]));
        assert_eq!(std::fs::read_dir(folder.path().join("modules")).unwrap().count(), 2);
    }

    #[test]
    fn keys_tell_parts_apart() {
        assert_ne!(key("a", &["bc"], b"d"), key("a", &["b", "c"], b"d"));
        assert_ne!(key("a", &["bc"], b"d"), key("a", &["b"], b"cd"));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = Cache::new(file.path(), 10);
        cache.keep("k", b"module");
        assert_eq!(cache.get("k"), None);
    }
}

//! A file mapped read-only and private: module files and weights are used in place, not copied.
//!
//! Limits: if another process shortens the file while it is mapped, touching the lost pages ends this process with
//! SIGBUS; if it changes the file, the bytes may change under us. Callers that cannot trust the file's owner read it
//! into memory instead ([`Mapping::read`]).

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::errors::{ErrorKind, Result, RuntimeError};

enum Storage {
    Mapped(memmap2::Mmap),
    Read(Vec<u8>),
}

/// The bytes of a file.
pub struct Mapping(Storage);

fn unreadable(path: &Path, error: &std::io::Error) -> RuntimeError {
    RuntimeError::new("FX0826", ErrorKind::Input, format!("{}: {error}", path.display()))
}

impl Mapping {
    /// Maps a file; an empty file or one that is not regular (a pipe) is read instead.
    pub fn open(path: &Path) -> Result<Mapping> {
        let file = File::open(path).map_err(|e| unreadable(path, &e))?;
        let data = file.metadata().map_err(|e| unreadable(path, &e))?;
        if data.is_dir() {
            let message = format!("{} is a directory", path.display());
            return Err(RuntimeError::new("FX0826", ErrorKind::Input, message));
        }
        if !data.is_file() || data.len() == 0 {
            return Mapping::read(path);
        }
        // SAFETY: the mapping is private and read-only, and this process does not write to the file; what happens
        // when another one does is this module's documented limit.
        let map = unsafe { memmap2::MmapOptions::new().map_copy_read_only(&file) };
        map.map(|map| Mapping(Storage::Mapped(map))).map_err(|e| unreadable(path, &e))
    }

    /// Reads the file into memory.
    pub fn read(path: &Path) -> Result<Mapping> {
        let bytes = std::fs::read(path).map_err(|e| unreadable(path, &e))?;
        Ok(Mapping(Storage::Read(bytes)))
    }

    /// Bytes that are in memory already.
    pub fn from_bytes(bytes: Vec<u8>) -> Mapping {
        Mapping(Storage::Read(bytes))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Storage::Mapped(map) => map,
            Storage::Read(bytes) => bytes,
        }
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.bytes().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A range of a mapping, kept alive by it.
#[derive(Clone)]
pub struct HostBytes {
    mapping: Arc<Mapping>,
    range: Range<usize>,
}

impl HostBytes {
    /// `None` if the range is not inside of the mapping.
    pub fn new(mapping: Arc<Mapping>, range: Range<usize>) -> Option<HostBytes> {
        mapping.bytes().get(range.clone())?;
        Some(HostBytes { mapping, range })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.mapping.bytes().get(self.range.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_map_and_ranges_are_checked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::write(&path, b"hello").unwrap();
        let mapping = Arc::new(Mapping::open(&path).unwrap());
        assert_eq!(mapping.bytes(), b"hello");
        assert_eq!(HostBytes::new(mapping.clone(), 1..3).unwrap().bytes(), b"el");
        assert!(HostBytes::new(mapping, 3..9).is_none());
        std::fs::write(&path, b"").unwrap();
        assert!(Mapping::open(&path).unwrap().is_empty());
        assert_eq!(Mapping::open(dir.path()).err().unwrap().code(), "FX0826");
        assert_eq!(Mapping::open(&dir.path().join("none")).err().unwrap().code(), "FX0826");
    }
}

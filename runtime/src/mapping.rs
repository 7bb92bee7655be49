//! Files as bytes: copied into memory that nothing else changes, or mapped.
//!
//! | | for | what happens when another process shortens or changes the file |
//! | --- | --- | --- |
//! | [`Mapping::copy`] | modules | nothing: the bytes are this process's own |
//! | [`Mapping::open`] | weights, arrays | shortened: SIGBUS when it touches the lost pages; changed: other bytes |
//!
//! Bytes that belong to somebody else's array are lent ([`Mapping::lent`]): nothing is copied.
//!
//! A copy is read by several threads into large pages; from the page cache that takes about as long as the page faults
//! of a mapping would. A module of more than half of the free memory is mapped all the same; [`Mapping::changed`]
//! then tells, before a run, whether its file is still the one that was opened.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::attached;
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::threads::{by_threads, cores};

/// Most bytes that are taken from a pipe or a socket: one that never ends must end somewhere.
pub const STREAM_BYTES: u64 = 2 << 30;
/// Bytes that a thread reads at a time: a few large pages.
const PIECE: usize = 8 << 20;
/// Threads that read; more do not copy faster.
const READERS: usize = 8;
/// A file is copied if it takes at most this part of the free memory.
const COPY_PART: u64 = 2;

enum Storage {
    Mapped(memmap2::Mmap),
    Read(Vec<u8>),
    Lent(Box<dyn AsRef<[u8]> + Send + Sync>),
}

/// A file behind a mapping, as it was when it was opened.
struct Opened {
    file: File,
    bytes: u64,
    modified: Option<SystemTime>,
}

/// The bytes of a file.
pub struct Mapping {
    storage: Storage,
    /// Of mappings: what they depend on.
    opened: Option<Opened>,
}

fn unreadable(path: &Path, error: &io::Error) -> RuntimeError {
    RuntimeError::new("FX0826", ErrorKind::Input, format!("{}: {error}", path.display()))
}

fn refused(path: &Path, what: &str) -> RuntimeError {
    RuntimeError::new("FX0826", ErrorKind::Input, format!("{} {what}", path.display()))
}

/// What a path is, once opened.
enum Source {
    File(File, u64),
    /// A pipe or a socket.
    Stream(File),
}

fn source(path: &Path) -> Result<Source> {
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let data = file.metadata().map_err(|e| unreadable(path, &e))?;
    let kind = data.file_type();
    if kind.is_dir() {
        return Err(refused(path, "is a directory"));
    }
    if kind.is_char_device() || kind.is_block_device() {
        return Err(refused(path, "is a device, not a file"));
    }
    Ok(if kind.is_file() { Source::File(file, data.len()) } else { Source::Stream(file) })
}

impl Mapping {
    /// Maps a file; an empty one and one that is not regular (a pipe) is read instead.
    ///
    /// # Errors
    /// FX0826 for what cannot be read, for devices, and for pipes of more than [`STREAM_BYTES`].
    pub fn open(path: &Path) -> Result<Mapping> {
        match source(path)? {
            Source::File(file, bytes) if bytes > 0 => Mapping::map(file, 0..bytes).map_err(|e| unreadable(path, &e)),
            Source::File(..) => Ok(Mapping::from_bytes(Vec::new())),
            Source::Stream(file) => Ok(Mapping::from_bytes(read_stream(file, path, &[])?)),
        }
    }

    /// Reads a module file into memory of this process's own, by several threads; one that is larger than half of the
    /// free memory is mapped. Of a program with a module behind it, the module is read. A pipe is read as long as it
    /// begins as `start` does.
    ///
    /// # Errors
    /// As [`Mapping::open`].
    pub fn copy(path: &Path, start: &[u8]) -> Result<Mapping> {
        let (file, place) = match source(path)? {
            Source::File(file, bytes) => {
                let place = attached::module_of(&file, bytes).unwrap_or(0..bytes);
                (file, place)
            }
            Source::Stream(file) => return Ok(Mapping::from_bytes(read_stream(file, path, start)?)),
        };
        let bytes = place.end - place.start;
        let fits = bytes <= crate::drivers::free_memory() / COPY_PART;
        match usize::try_from(bytes) {
            Ok(0) => Ok(Mapping::from_bytes(Vec::new())),
            Ok(len) if fits => match copied(&file, place.start, len) {
                Err(error) if error.kind() == io::ErrorKind::OutOfMemory => {
                    Mapping::map(file, place).map_err(|e| unreadable(path, &e))
                }
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    Err(refused(path, "became shorter while it was read"))
                }
                other => other.map_err(|e| unreadable(path, &e)),
            },
            _ => Mapping::map(file, place).map_err(|e| unreadable(path, &e)),
        }
    }

    fn map(file: File, place: Range<u64>) -> io::Result<Mapping> {
        let mut options = memmap2::MmapOptions::new();
        options.offset(place.start).len((place.end - place.start) as usize);
        let data = file.metadata()?;
        // SAFETY: the mapping is private and read-only, and this process does not write to the file; what happens
        // when another one does is this module's documented limit.
        let map = unsafe { options.map_copy_read_only(&file) }?;
        let opened = Opened { file, bytes: data.len(), modified: data.modified().ok() };
        Ok(Mapping { storage: Storage::Mapped(map), opened: Some(opened) })
    }

    /// Bytes that are in memory already.
    pub fn from_bytes(bytes: Vec<u8>) -> Mapping {
        Mapping { storage: Storage::Read(bytes), opened: None }
    }

    /// Bytes that belong to `owner`, in place: those of another library's array. It is dropped with the mapping.
    pub fn lent(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Mapping {
        Mapping { storage: Storage::Lent(Box::new(owner)), opened: None }
    }

    /// Whether the file behind a mapping has another length or was written to since it was opened. Never so for a copy.
    pub fn changed(&self) -> bool {
        self.opened.as_ref().is_some_and(|opened| {
            let now = opened.file.metadata();
            now.is_ok_and(|now| now.len() != opened.bytes || now.modified().ok() != opened.modified)
        })
    }

    pub fn bytes(&self) -> &[u8] {
        match &self.storage {
            Storage::Mapped(map) => map,
            Storage::Read(bytes) => bytes,
            Storage::Lent(owner) => (**owner).as_ref(),
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

/// Reads `len` bytes of a regular file into pages of this process's own, which then cannot be written.
fn copied(file: &File, start: u64, len: usize) -> io::Result<Mapping> {
    let mut copy = memmap2::MmapMut::map_anon(len)?;
    // Only advice: small pages do as well.
    #[cfg(target_os = "linux")]
    let _ = copy.advise(memmap2::Advice::HugePage);
    let readers = cores().min(READERS).min(len.div_ceil(PIECE));
    let pieces = Mutex::new(copy.chunks_mut(PIECE).enumerate());
    by_threads(readers, "fornax-read", &|| -> io::Result<()> {
        loop {
            let Some((at, piece)) = pieces.lock().unwrap_or_else(PoisonError::into_inner).next() else { return Ok(()) };
            file.read_exact_at(piece, start + at as u64 * PIECE as u64)?;
        }
    })?;
    Ok(Mapping { storage: Storage::Mapped(copy.make_read_only()?), opened: None })
}

/// All of a pipe. One that does not begin with `start` is not read further: whoever takes the bytes will say why.
pub(crate) fn read_stream(mut stream: impl Read, path: &Path, start: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let first = stream.by_ref().take(start.len() as u64).read_to_end(&mut bytes);
    first.map_err(|e| unreadable(path, &e))?;
    if bytes != start {
        return Ok(bytes);
    }
    let left = STREAM_BYTES.saturating_sub(bytes.len() as u64);
    stream.take(left + 1).read_to_end(&mut bytes).map_err(|e| unreadable(path, &e))?;
    if bytes.len() as u64 > STREAM_BYTES {
        let error = refused(path, &format!("gives more than {STREAM_BYTES} bytes and has no end yet"));
        return Err(error.with_help("pipes are read up to that; write a file and give its name"));
    }
    Ok(bytes)
}

/// Everything that a file or a pipe gives, `most` + 1 bytes at most.
pub(crate) fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>> {
    let (Source::File(file, _) | Source::Stream(file)) = source(path)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| unreadable(path, &e))?;
    Ok(bytes)
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

    pub fn bytes(&self) -> &[u8] {
        self.mapping.bytes().get(self.range.clone()).unwrap_or_default()
    }
}

/// A range of a device's memory that another library owns.
pub struct DeviceBytes {
    address: u64,
    len: u64,
    _owner: Box<dyn std::any::Any + Send + Sync>,
}

impl DeviceBytes {
    /// A range that stays as long as `owner` lives.
    ///
    /// # Safety
    /// The range is memory of the device that it is lent to, in the context that the driver of this crate uses there.
    pub unsafe fn new(address: u64, len: u64, owner: impl std::any::Any + Send + Sync) -> DeviceBytes {
        DeviceBytes { address, len, _owner: Box::new(owner) }
    }

    /// The device's address of the first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
impl DeviceBytes {
    /// The memory of another buffer of the same device.
    pub(crate) fn of_buffer(buffer: &crate::hal::Buffer) -> DeviceBytes {
        // SAFETY: the buffer keeps it, and all devices of a driver's number share one context.
        unsafe { DeviceBytes::new(buffer.address(), buffer.bytes(), buffer.clone()) }
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
        assert!(Mapping::copy(&path, b"x").unwrap().is_empty());
        let copy: fn(&Path) -> Result<Mapping> = |path| Mapping::copy(path, b"x");
        for open in [Mapping::open, copy] {
            assert_eq!(open(dir.path()).err().unwrap().code(), "FX0826");
            assert_eq!(open(&dir.path().join("none")).err().unwrap().code(), "FX0826");
            let error = open(Path::new("/dev/zero")).err().unwrap();
            assert!(error.message().contains("is a device"), "{error}");
        }
    }

    #[test]
    fn a_copy_stays_what_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let bytes: Vec<u8> = (0..2 * PIECE + 100).map(|at| (at / 4096 + at) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let (copy, mapped) = (Mapping::copy(&path, b"").unwrap(), Mapping::open(&path).unwrap());
        assert!(!copy.changed() && !mapped.changed());
        File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
        assert!(copy.bytes() == bytes, "the copy changed with its file");
        assert!(!copy.changed() && mapped.changed());
    }

    #[test]
    fn streams_that_are_something_else_are_not_read_on() {
        let path = Path::new("pipe");
        assert_eq!(read_stream(&b"abcdef"[..], path, b"ab").unwrap(), b"abcdef");
        assert_eq!(read_stream(io::repeat(7), path, b"ab").unwrap(), [7, 7]);
        assert_eq!(read_stream(&b"a"[..], path, b"ab").unwrap(), b"a");
    }
}

//! What a device's compiler made of images, kept in a folder, so that the next process need not wait for it.
//!
//! A file an image: its name is the hash of everything on which the compiler's output depends (the device with its
//! versions, the options, the image). It holds a mark, the hash of what follows, and the binary. A file that cannot be
//! read, or whose hashes are wrong, is no entry, and one whose binary the driver refuses is removed. The folder is kept
//! below [`ROOM`]; what was not used for the longest time goes first. Nothing here is ever an error: without the folder
//! the image is compiled again.
//!
//! Example: `~/.cache/fornax/opencl/6f1c….bin`, 40 KiB for a softmax on Intel's runtime for processors, whose compiler
//! takes 1.5 s.

use std::ffi::CStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// First bytes of a file: what it is, and the version of this form.
const MARK: &[u8; 16] = b"fornax opencl 1\n";
const HASH: usize = blake3::OUT_LEN;
/// Bytes of all files together, and of one.
const ROOM: u64 = 256 << 20;
const FILE_ROOM: u64 = ROOM / 4;
const ENDING: &str = "bin";

/// The entries of one device.
pub(super) struct Cache {
    folder: PathBuf,
    /// Hash of what the device is.
    device: blake3::Hash,
}

/// The name of an entry.
#[derive(Clone, Copy)]
pub(super) struct Key(blake3::Hash);

impl Cache {
    /// The entries of a device in a folder, which need not exist. `identity` names device, driver and versions.
    pub(super) fn new(folder: &Path, identity: &str) -> Cache {
        Cache { folder: folder.to_path_buf(), device: blake3::hash(identity.as_bytes()) }
    }

    /// The entry of an image that is built with these options.
    pub(super) fn key(&self, options: &CStr, image: &[u8]) -> Key {
        let mut hasher = blake3::Hasher::new();
        // Lengths are fixed but for the image's, which comes last.
        hasher.update(MARK).update(self.device.as_bytes()).update(blake3::hash(options.to_bytes()).as_bytes());
        Key(hasher.update(image).finalize())
    }

    fn path(&self, key: Key) -> PathBuf {
        self.folder.join(key.0.to_hex().as_str()).with_extension(ENDING)
    }

    /// The binary of an entry.
    pub(super) fn get(&self, key: Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        if fs::metadata(&path).ok()?.len() > FILE_ROOM {
            return None;
        }
        let mut bytes = fs::read(&path).ok()?;
        let sum = bytes.get(MARK.len()..MARK.len() + HASH)?;
        let binary = bytes.get(MARK.len() + HASH..)?;
        if !bytes.starts_with(MARK) || sum != checksum(key, binary).as_bytes() {
            tracing::info!("{}: not what was written; it is made again", path.display());
            return None;
        }
        // Its turn to go comes later; no harm where the folder cannot be written.
        let _ = fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(bytes.split_off(MARK.len() + HASH))
    }

    /// Keeps a binary.
    pub(super) fn put(&self, key: Key, binary: &[u8]) {
        if let Err(error) = self.try_put(key, binary) {
            tracing::info!("{}: {error}", self.folder.display());
        }
    }

    fn try_put(&self, key: Key, binary: &[u8]) -> std::io::Result<()> {
        if binary.is_empty() || binary.len() as u64 > FILE_ROOM - (MARK.len() + HASH) as u64 {
            return Ok(());
        }
        create(&self.folder)?;
        let path = self.path(key);
        // Another process may write the same entry: each writes its own file first.
        let partial = path.with_extension(format!("{}.part", std::process::id()));
        let written = (|| {
            let mut file = fs::File::create(&partial)?;
            file.write_all(&[MARK.as_slice(), checksum(key, binary).as_bytes(), binary].concat())?;
            fs::rename(&partial, &path)
        })();
        if written.is_err() {
            let _ = fs::remove_file(&partial);
        }
        written.and_then(|()| trim(&self.folder, ROOM))
    }

    /// Removes an entry that the driver refused.
    pub(super) fn forget(&self, key: Key) {
        let _ = fs::remove_file(self.path(key));
    }
}

fn checksum(key: Key, binary: &[u8]) -> blake3::Hash {
    blake3::keyed_hash(key.0.as_bytes(), binary)
}

/// Makes the folder; others may not read it where the system knows that.
fn create(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Removes files, the longest unused first, until at most `room` bytes are left; half of that where any had to go.
fn trim(folder: &Path, room: u64) -> std::io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_ours = path.extension().is_some_and(|ending| ending == ENDING || ending == "part");
        // A file may go while this looks.
        let Some(found) = is_ours.then(|| fs::metadata(&path).ok()).flatten().filter(fs::Metadata::is_file) else {
            continue;
        };
        files.push((found.modified().unwrap_or(SystemTime::UNIX_EPOCH), found.len(), path));
    }
    let mut sum: u64 = files.iter().map(|file| file.1).sum();
    if sum <= room {
        return Ok(());
    }
    files.sort();
    for (_, bytes, path) in files {
        if sum <= room / 2 {
            break;
        }
        if fs::remove_file(&path).is_ok() {
            sum -= bytes;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_entry_is_of_one_device_and_image() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(&folder.path().join("made/anew"), "device 1");
        let key = cache.key(c"-o", b"image");
        assert_eq!(cache.get(key), None);
        cache.put(key, b"binary");
        assert_eq!(cache.get(key).as_deref(), Some(&b"binary"[..]));
        assert_eq!(cache.get(cache.key(c"", b"image")), None);
        assert_eq!(cache.get(cache.key(c"-o", b"images")), None);
        let other = Cache::new(&folder.path().join("made/anew"), "device 2");
        assert_eq!(other.get(other.key(c"-o", b"image")), None);
        cache.forget(key);
        assert_eq!(cache.get(key), None);
        // A folder that cannot be made is no error.
        std::fs::write(folder.path().join("file"), b"").unwrap();
        Cache::new(&folder.path().join("file/below"), "d").put(key, b"binary");
    }

    #[test]
    fn damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "device");
        let key = cache.key(c"", b"image");
        cache.put(key, b"binary");
        let path = cache.path(key);
        let good = fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).unwrap();
            assert_eq!(cache.get(key), None, "byte {at}");
            fs::write(&path, &good[..at]).unwrap();
            assert_eq!(cache.get(key), None, "cut to {at}");
        }
        fs::write(&path, &good).unwrap();
        assert!(cache.get(key).is_some());
        // The entry of another image is not taken for this one.
        let other = cache.key(c"", b"other");
        fs::rename(&path, cache.path(other)).unwrap();
        assert_eq!(cache.get(other), None);
    }

    #[test]
    fn what_was_used_last_stays() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "device");
        let keys: Vec<Key> = (0..5u8).map(|at| cache.key(c"", &[at])).collect();
        for (at, key) in keys.iter().enumerate() {
            cache.put(*key, &[0; 1000]);
            let file = fs::File::options().append(true).open(cache.path(*key)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(at as u64)).unwrap();
        }
        cache.get(keys[0]).unwrap();
        fs::write(folder.path().join("note.txt"), [0; 9000]).unwrap();
        trim(folder.path(), 5 * 1048).unwrap();
        assert!(keys.iter().all(|key| cache.get(*key).is_some()), "there is room for all");
        for (at, key) in keys.iter().enumerate().skip(1) {
            let file = fs::File::options().append(true).open(cache.path(*key)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(at as u64)).unwrap();
        }
        trim(folder.path(), 5 * 1048 - 1).unwrap();
        let left: Vec<bool> = keys.iter().map(|key| cache.path(*key).exists()).collect();
        assert_eq!(left, [true, false, false, false, true], "half of the room, the first one was used last");
        assert!(folder.path().join("note.txt").exists());
    }
}

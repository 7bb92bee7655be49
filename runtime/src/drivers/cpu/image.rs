//! A CPU image in memory: written to an anonymous file, loaded from there by the system's dynamic loader. The loader
//! wants a path, which /proc gives; where /proc is missing, the image is a file of a folder for temporary files until
//! it is loaded.
//!
//! The file stays open as long as the library is loaded: the loader knows libraries by path, and a reused descriptor
//! number would silently give the older one.

use std::ffi::{c_char, c_int, c_uint};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::elf;
use crate::drivers::loader_message;
use crate::hal::{HalError, HalErrorKind, HalResult, KernelSpec, RawExecutable};

/// Closed on exec.
const MFD_CLOEXEC: c_uint = 1;
/// Folders for files of the moment, best first.
const FOLDERS: &[&str] = &["/dev/shm", "/tmp", "/var/tmp", "."];
/// The process has no file descriptor left (`EMFILE`); the system has none (`ENFILE`).
const NO_DESCRIPTORS: &[i32] = &[24, 23];

// SAFETY: the prototype is the one of memfd_create(2), which the C library that std links exports.
unsafe extern "C" {
    fn memfd_create(name: *const c_char, flags: c_uint) -> c_int;
}

pub(super) struct CpuImage {
    kernels: Vec<u64>,
    bytes: usize,
    // Dropped in this order: the library first, then the file behind it.
    _library: Library,
    _file: File,
}

impl CpuImage {
    /// Checks, loads and finds the kernels.
    pub(super) fn load(image: &[u8], kernels: &[KernelSpec]) -> HalResult<CpuImage> {
        elf::check(image)?;
        let (library, file) = load(image)?;
        let mut handles = Vec::with_capacity(kernels.len());
        for kernel in kernels {
            // SAFETY: only the symbol's address is taken here.
            let symbol = unsafe { library.get::<*const u8>(kernel.name.as_bytes()) };
            let symbol = symbol.map_err(|_| {
                HalError::new(HalErrorKind::BadImage, format!("the CPU image has no kernel {}", kernel.name))
            })?;
            handles.push(symbol.into_raw() as u64);
        }
        Ok(CpuImage { kernels: handles, bytes: image.len(), _library: library, _file: file })
    }
}

/// The library of a checked image, and the file behind it.
fn load(image: &[u8]) -> HalResult<(Library, File)> {
    match memory_file(image) {
        Ok(file) => {
            let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            match open(&path) {
                Ok(library) => Ok((library, file)),
                Err(why) if path.exists() => Err(refused(why)),
                Err(_) => from_folders(image, "/proc is not mounted", &folders()),
            }
        }
        Err(error) if error.raw_os_error().is_some_and(|code| NO_DESCRIPTORS.contains(&code)) => Err(no_place(&error)),
        Err(error) => from_folders(image, &format!("the system gives no memory file ({error})"), &folders()),
    }
}

fn no_place(why: &dyn std::fmt::Display) -> HalError {
    HalError::new(HalErrorKind::Host, format!("no file for the CPU image: {why}"))
}

/// The loader's words about an image. It needs a descriptor of its own.
fn refused(why: String) -> HalError {
    if why.contains("Too many open files") {
        return no_place(&why);
    }
    HalError::new(HalErrorKind::BadImage, format!("the CPU image does not load: {why}"))
}

fn open(path: &Path) -> Result<Library, String> {
    // SAFETY: `elf::check` refused images with initialisers or other libraries, so loading runs no code of it.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    library.map_err(|error| loader_message(&error))
}

fn folders() -> Vec<PathBuf> {
    FOLDERS.iter().map(PathBuf::from).collect()
}

/// Loads the image from a file in the first folder that allows it. The name is gone afterwards, the open file stays.
fn from_folders(image: &[u8], why: &str, folders: &[PathBuf]) -> HalResult<(Library, File)> {
    let mut said = Vec::new();
    for folder in folders {
        let path = folder.join(file_name());
        let loaded = match write_new(&path, image) {
            Ok(file) => open(&path).map(|library| (library, file)),
            Err(error) => Err(format!("{}: {error}", folder.display())),
        };
        // A file that is there is ours: it was made as a new one.
        let _ = std::fs::remove_file(&path);
        match loaded {
            Ok(loaded) => return Ok(loaded),
            Err(words) => said.push(words),
        }
    }
    Err(no_place(&format!("{why}, and no folder for temporary files takes it ({})", said.join("; "))))
}

/// A name that no other image of this process has.
fn file_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("fornax-image-{}-{count}.so", std::process::id())
}

fn write_new(path: &Path, image: &[u8]) -> std::io::Result<File> {
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(image)?;
    Ok(file)
}

impl RawExecutable for CpuImage {
    fn kernels(&self) -> &[u64] {
        &self.kernels
    }

    fn describe(&self) -> String {
        format!("elf image of {} bytes, loaded from memory", self.bytes)
    }
}

fn memory_file(image: &[u8]) -> std::io::Result<File> {
    // SAFETY: the name is a NUL-terminated string.
    let descriptor = unsafe { memfd_create(c"fornax-image".as_ptr(), MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and belongs to nobody else.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(image)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shared object made by the machine's C compiler, where there is one.
    fn image() -> Option<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("k.c"), "int answer(void) { return 42; }").unwrap();
        let arguments = ["-shared", "-fPIC", "-nostdlib", "-ffreestanding", "-o", "k.so", "k.c"];
        let made = std::process::Command::new("cc").args(arguments).current_dir(folder.path()).output();
        match made {
            Ok(output) if output.status.success() => Some(std::fs::read(folder.path().join("k.so")).unwrap()),
            other => {
                println!("skipped: no working C compiler: {other:?}");
                None
            }
        }
    }

    #[test]
    fn an_image_loads_from_a_folder_that_takes_it_and_leaves_nothing_there() {
        let Some(image) = image() else { return };
        elf::check(&image).unwrap();
        let good = tempfile::tempdir().unwrap();
        let folders = [good.path().join("not there"), good.path().to_path_buf()];
        let (library, _file) = from_folders(&image, "/proc is not mounted", &folders).unwrap();
        // SAFETY: the prototype is that of the source above.
        let answer = unsafe { library.get::<extern "C" fn() -> c_int>(b"answer").unwrap()() };
        assert_eq!((answer, std::fs::read_dir(good.path()).unwrap().count()), (42, 0));
        let error = from_folders(&image, "/proc is not mounted", &folders[..1]).err().unwrap();
        assert_eq!(error.kind(), HalErrorKind::Host);
        let text = error.to_string();
        assert!(text.contains("/proc is not mounted") && text.contains("not there: No such file"), "{text}");
    }

    #[test]
    fn what_the_system_lacks_is_no_fault_of_the_image() {
        let no_descriptors = refused("cannot open shared object file: Too many open files".into());
        assert_eq!(no_descriptors.kind(), HalErrorKind::Host);
        assert_eq!(refused("invalid ELF header".into()).kind(), HalErrorKind::BadImage);
    }
}

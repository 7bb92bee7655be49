//! Bytes of an invented device: through whichever double of a driver this process has loaded.

use std::ffi::c_int;

use libloading::os::unix::Library;

type Copy = unsafe extern "C" fn(u64, u64, usize, u64) -> c_int;
type CopyWithKind = unsafe extern "C" fn(u64, u64, usize, c_int, u64) -> c_int;
type Wait = unsafe extern "C" fn(u64) -> c_int;

/// `RTLD_LAZY` and `RTLD_NOLOAD`.
const LOADED_ALREADY: c_int = 1 | 4;
/// `hipMemcpyDefault`.
const ANY_TO_ANY: c_int = 4;

fn loaded(name: &str) -> Option<Library> {
    // SAFETY: nothing is loaded: the library is there or it is not.
    unsafe { Library::open(Some(name), LOADED_ALREADY) }.ok()
}

/// Copies between a device and the host, behind what the stream has, and waits.
fn copy(target: u64, source: u64, bytes: usize, stream: u64) -> c_int {
    for name in ["libcuda.so.1", "libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.7", "libamdhip64.so.5"] {
        let Some(driver) = loaded(name) else { continue };
        // SAFETY: the prototypes are those of the vendors' headers; the caller's ranges are live.
        unsafe {
            if let (Ok(copy), Ok(wait)) =
                (driver.get::<Copy>(b"cuMemcpyAsync"), driver.get::<Wait>(b"cuStreamSynchronize"))
            {
                return copy(target, source, bytes, stream).max(wait(stream));
            }
            if let (Ok(copy), Ok(wait)) =
                (driver.get::<CopyWithKind>(b"hipMemcpyAsync"), driver.get::<Wait>(b"hipStreamSynchronize"))
            {
                return copy(target, source, bytes, ANY_TO_ANY, stream).max(wait(stream));
            }
        }
    }
    panic!("no double of a driver is loaded");
}

pub fn read(source: u64, bytes: usize, stream: u64) -> Vec<u8> {
    let mut read = vec![0; bytes];
    assert_eq!(copy(read.as_mut_ptr() as u64, source, bytes, stream), 0, "reading {bytes} bytes at {source:#x}");
    read
}

pub fn write(target: u64, bytes: &[u8], stream: u64) {
    assert_eq!(copy(target, bytes.as_ptr() as u64, bytes.len(), stream), 0, "writing at {target:#x}");
}

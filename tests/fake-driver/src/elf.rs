//! The length of an image of which a driver gets only the first byte.

use std::ffi::{CStr, c_void};

/// The bytes of an ELF file or of text that ends with a NUL (which is left out).
///
/// # Safety
/// `image` points to a whole ELF file, or to a text that ends with a NUL.
pub unsafe fn image_bytes<'a>(image: *const c_void) -> &'a [u8] {
    let start: *const u8 = image.cast();
    // SAFETY: both kinds of image have at least four bytes (a text of fewer ends within them, and is not compared
    // further).
    let is_elf = unsafe { start.read() == 0x7f && start.add(1).read() == b'E' && start.add(2).read() == b'L' };
    if !is_elf {
        // SAFETY: the caller's word.
        return unsafe { CStr::from_ptr(image.cast()) }.to_bytes();
    }
    // SAFETY: an ELF file holds its header.
    let header = unsafe { std::slice::from_raw_parts(start, 64) };
    let mut end = 64;
    let tables = [
        (word(header, 32, 8), word(header, 54, 2), word(header, 56, 2)),
        (word(header, 40, 8), word(header, 58, 2), word(header, 60, 2)),
    ];
    for (table, (offset, size, count)) in tables.into_iter().enumerate() {
        end = end.max(offset + size * count);
        for entry in 0..count {
            // SAFETY: the file holds its tables of segments and sections.
            let entry =
                unsafe { std::slice::from_raw_parts(start.add((offset + entry * size) as usize), size as usize) };
            // A segment's offset and size in the file; a section's, unless it takes no bytes of the file.
            let (from, bytes) = match table {
                0 => (word(entry, 8, 8), word(entry, 32, 8)),
                _ if word(entry, 4, 4) == 8 => (0, 0),
                _ => (word(entry, 24, 8), word(entry, 32, 8)),
            };
            end = end.max(from + bytes);
        }
    }
    // SAFETY: the file reaches to the end of its last section or segment.
    unsafe { std::slice::from_raw_parts(start, end as usize) }
}

/// A little-endian number; 0 outside of the bytes.
fn word(bytes: &[u8], at: usize, width: usize) -> u64 {
    let field = bytes.get(at..at + width).unwrap_or_default();
    field.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_that_of_the_last_section() {
        let mut file = [0u8; 200];
        file[..4].copy_from_slice(b"\x7fELF");
        file[40] = 64; // sections at 64
        file[58] = 64; // of 64 bytes
        file[60] = 1; // one of them
        file[64 + 24] = 150; // its bytes
        file[64 + 32] = 30;
        // SAFETY: `file` is larger than its headers say.
        assert_eq!(unsafe { image_bytes(file.as_ptr().cast()) }.len(), 180);
        // SAFETY: a text with a NUL.
        assert_eq!(unsafe { image_bytes(c".version 8.0".as_ptr().cast()) }, b".version 8.0");
    }
}

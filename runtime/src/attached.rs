//! Modules behind a program: `fornax compile --emit=exe` writes one file that is both.
//!
//! ```text
//! program (ELF)   zeros to a page   module   where the module begins, its bytes (u64 each)   "FNX-IN-PROGRAM-1"
//! ```
//!
//! What runs a program reads its beginning alone; what opens a module looks at the end.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Marks a file with a module behind it.
const MARK: &[u8; 16] = b"FNX-IN-PROGRAM-1";
/// Bytes behind the module: where it begins, its length, the mark.
const TAIL_BYTES: usize = 8 + 8 + MARK.len();
/// The module begins at a multiple of this, so that its sections keep their alignment when the file is mapped.
const PAGE_BYTES: usize = 4096;
/// How programs begin.
const ELF: &[u8] = b"\x7fELF";

/// Writes a program with a module behind it.
///
/// # Errors
/// What writing gives.
pub fn write(out: &mut dyn Write, program: &[u8], module: &[u8]) -> io::Result<()> {
    let start = program.len().next_multiple_of(PAGE_BYTES);
    out.write_all(program)?;
    out.write_all(&vec![0; start - program.len()])?;
    out.write_all(module)?;
    out.write_all(&(start as u64).to_le_bytes())?;
    out.write_all(&(module.len() as u64).to_le_bytes())?;
    out.write_all(MARK)
}

/// Where the module lies in a file of `len` bytes that ends with `tail`.
fn module_in(len: u64, tail: &[u8]) -> Option<Range<u64>> {
    let tail = tail.strip_suffix(MARK)?;
    let (start, bytes) = tail.split_at_checked(8)?;
    let number = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_le_bytes);
    let start = number(start)?;
    let end = start.checked_add(number(bytes)?)?;
    (end.checked_add(TAIL_BYTES as u64)? == len).then_some(start..end)
}

/// Where the module behind a program lies in its file; none for any other file.
pub fn module_of(file: &File, len: u64) -> Option<Range<u64>> {
    let at = len.checked_sub(TAIL_BYTES as u64)?;
    let (mut tail, mut head) = ([0; TAIL_BYTES], [0; ELF.len()]);
    file.read_exact_at(&mut tail, at).ok()?;
    let found = module_in(len, &tail)?;
    file.read_exact_at(&mut head, 0).ok()?;
    (head == *ELF).then_some(found)
}

/// Bytes of a program without the module behind it, with the zeros before that.
pub fn program_bytes(file: &[u8]) -> usize {
    let tail = file.len().checked_sub(TAIL_BYTES).and_then(|at| file.get(at..));
    tail.and_then(|tail| module_in(file.len() as u64, tail)).map_or(file.len(), |module| module.start as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(program: &[u8], module: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, program, module).unwrap();
        bytes
    }

    fn found(bytes: &[u8]) -> Option<Range<u64>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        module_of(&file, bytes.len() as u64)
    }

    #[test]
    fn a_module_is_found_behind_its_program() {
        let bytes = made(b"\x7fELF and more", b"a module");
        let place = found(&bytes).unwrap();
        assert_eq!(place, 4096..4104);
        assert_eq!(&bytes[4096..4104], b"a module");
        assert_eq!(program_bytes(&bytes), 4096);
    }

    #[test]
    fn other_files_have_none() {
        assert_eq!(found(b""), None);
        assert_eq!(found(b"\x7fELF"), None);
        assert_eq!(found(&made(b"#!/bin/sh", b"a module")), None);
        let whole = made(b"\x7fELF", b"a module");
        assert_eq!(found(&whole[..whole.len() - 1]), None);
        // Lengths that lead out of the file, and out of the numbers.
        for (start, bytes) in [(0, u64::MAX), (u64::MAX, 1), (4096, 9), (1 << 40, 8)] {
            let at = whole.len() - TAIL_BYTES;
            let mut other = whole.clone();
            other[at..at + 8].copy_from_slice(&u64::to_le_bytes(start));
            other[at + 8..at + 16].copy_from_slice(&u64::to_le_bytes(bytes));
            assert_eq!(found(&other), None, "{start} {bytes}");
            assert_eq!(program_bytes(&other), other.len());
        }
    }
}

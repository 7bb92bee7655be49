//! Which code generator a program has: what tells entries of the kernel store apart that different builds wrote.
//!
//! It is the program's build id, a hash that the linker takes of all that it wrote. So another compiler has another
//! one, and the same build has the same one on every machine. LLVM and MLIR are linked into the program, hence part of
//! it.
//!
//! Length and time of the file would not do. A rebuilt program often has the length of the one before, and packages and
//! container images give all files one date.
//!
//! Limit: a program without a build id is none that a store can know. Linkers of GNU and LLVM write one where they are
//! asked to, which GCC does; `crates/cli/build.rs` asks for it in optimised builds.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use object::elf::{FileHeader64, NT_GNU_BUILD_ID};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadCache};

/// The owner of the note that holds the build id.
const NOTE_OWNER: &[u8] = b"GNU";

/// A program that generates code.
pub struct Generator {
    program: PathBuf,
    build_id: Vec<u8>,
    /// Length and time of the file, as they were before the build id was read.
    state: (u64, SystemTime),
}

impl Generator {
    /// Reads what a program is.
    ///
    /// # Errors
    /// Those of reading the file; one without a build id is of kind `Unsupported`.
    pub fn of(program: &Path) -> io::Result<Generator> {
        let file = File::open(program)?;
        let state = state(&file.metadata()?)?;
        let none = || io::Error::new(io::ErrorKind::Unsupported, "the program has no build id");
        let build_id = build_id(file).filter(|id| !id.is_empty()).ok_or_else(none)?;
        Ok(Generator { program: program.to_path_buf(), build_id, state })
    }

    pub fn build_id(&self) -> &[u8] {
        &self.build_id
    }

    /// Whether the file is still the one that was read: a worker that starts later runs what is there then.
    pub fn is_unchanged(&self) -> bool {
        std::fs::metadata(&self.program).and_then(|found| state(&found)).is_ok_and(|found| found == self.state)
    }
}

fn state(file: &Metadata) -> io::Result<(u64, SystemTime)> {
    Ok((file.len(), file.modified()?))
}

/// The build id of an ELF file of 64 bits; only headers and notes are read.
fn build_id(file: File) -> Option<Vec<u8>> {
    let data = ReadCache::new(file);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    for segment in header.program_headers(endian, &data).ok()? {
        let Some(mut notes) = segment.notes(endian, &data).ok().flatten() else { continue };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == NOTE_OWNER && note.n_type(endian) == NT_GNU_BUILD_ID {
                return Some(note.desc().to_vec());
            }
        }
    }
    None
}

/// An ELF file that has nothing but a build id.
#[cfg(test)]
pub fn program_of_tests(id: &[u8]) -> Vec<u8> {
    let words = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let halves = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let note = [halves(&[4, id.len() as u32, 3]), b"GNU\0".to_vec(), id.to_vec()].concat();
    // 64 bits, little endian, version 1; a shared object for x86-64; one program header of 56 bytes behind this one.
    let magic = [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 9]].concat();
    let header = [magic, halves(&[3 | 62 << 16, 1]), words(&[0, 64, 0]), halves(&[0, 64 | 56 << 16, 1, 0])].concat();
    let segment = [halves(&[4, 4]), words(&[120, 120, 120, note.len() as u64, note.len() as u64, 4])].concat();
    [header, segment, note].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_its_build_id() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let whole = program_of_tests(b"twelve bytes");
        std::fs::write(&path, &whole).unwrap();
        let generator = Generator::of(&path).unwrap();
        assert_eq!(generator.build_id(), b"twelve bytes");
        assert!(generator.is_unchanged());
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(Generator::of(&path).is_err(), "cut to {length}");
        }
        assert!(!generator.is_unchanged());
        std::fs::write(&path, program_of_tests(b"")).unwrap();
        assert_eq!(Generator::of(&path).err().map(|error| error.kind()), Some(io::ErrorKind::Unsupported));
        std::fs::remove_file(&path).unwrap();
        assert!(Generator::of(&path).is_err() && !generator.is_unchanged());
    }
}

//! The little of ELF that linking needs: sections, segments and symbols of a 64-bit little-endian file.
//!
//! Reads objects that LLVM wrote and images that lld wrote; still checks every offset, since a tool may be another than
//! the one we know.

use super::errors::BackendError;

pub const SHT_SYMTAB: u32 = 2;
pub const SHT_NOTE: u32 = 7;
pub const PT_NOTE: u32 = 4;

/// One section header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// File offset of the header itself.
    pub header: usize,
    /// `sh_type`.
    pub kind: u32,
    /// `sh_offset`.
    pub offset: usize,
    /// `sh_size`.
    pub size: usize,
    /// `sh_link`.
    pub link: usize,
}

/// One program header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// File offset of the header itself.
    pub header: usize,
    /// `p_type`.
    pub kind: u32,
    /// `p_offset`.
    pub offset: usize,
    /// `p_filesz`.
    pub size: usize,
}

/// A file taken apart.
pub struct Elf<'a> {
    what: &'a str,
    bytes: &'a [u8],
    /// Sections in file order.
    pub sections: Vec<Section>,
    /// Segments in file order.
    pub segments: Vec<Segment>,
}

impl<'a> Elf<'a> {
    /// Reads the header tables; `what` names the file in errors.
    pub fn parse(what: &'a str, bytes: &'a [u8]) -> Result<Elf<'a>, BackendError> {
        let mut elf = Elf { what, bytes, sections: Vec::new(), segments: Vec::new() };
        if !bytes.starts_with(&[0x7f, b'E', b'L', b'F', 2, 1]) {
            return Err(elf.malformed("not a 64-bit little-endian ELF file"));
        }
        let (segments_at, sections_at) = (elf.u64_at(32)?, elf.u64_at(40)?);
        let (segment_count, section_count) = (elf.u16_at(56)?, elf.u16_at(60)?);
        for index in 0..segment_count {
            let header = segments_at + index * 56;
            let segment = Segment {
                header,
                kind: elf.u32_at(header)?,
                offset: elf.u64_at(header + 8)?,
                size: elf.u64_at(header + 32)?,
            };
            elf.segments.push(segment);
        }
        for index in 0..section_count {
            let header = sections_at + index * 64;
            let section = Section {
                header,
                kind: elf.u32_at(header + 4)?,
                offset: elf.u64_at(header + 24)?,
                size: elf.u64_at(header + 32)?,
                link: elf.u32_at(header + 40)? as usize,
            };
            elf.sections.push(section);
        }
        Ok(elf)
    }

    /// The bytes of a section.
    pub fn section_bytes(&self, section: &Section) -> Result<&'a [u8], BackendError> {
        let end = section.offset.checked_add(section.size);
        end.and_then(|end| self.bytes.get(section.offset..end))
            .ok_or_else(|| self.malformed("a section lies outside the file"))
    }

    /// Names of the undefined symbols of an object.
    pub fn undefined_symbols(&self) -> Result<Vec<&'a str>, BackendError> {
        let mut names = Vec::new();
        for section in self.sections.iter().filter(|section| section.kind == SHT_SYMTAB) {
            let strings =
                self.sections.get(section.link).ok_or_else(|| self.malformed("the symbol table has no strings"))?;
            let strings = self.section_bytes(strings)?;
            for symbol in self.section_bytes(section)?.chunks_exact(24) {
                let (Some(name), Some([0, 0])) = (symbol.first_chunk::<4>(), symbol.get(6..8)) else { continue };
                let name = strings.get(u32::from_le_bytes(*name) as usize..).unwrap_or(&[]);
                let name = name.split(|byte| *byte == 0).next().unwrap_or(&[]);
                let name = std::str::from_utf8(name).map_err(|_| self.malformed("a symbol name is not text"))?;
                if !name.is_empty() {
                    names.push(name);
                }
            }
        }
        Ok(names)
    }

    pub fn malformed(&self, reason: &str) -> BackendError {
        BackendError::Malformed { what: self.what.to_string(), reason: reason.to_string() }
    }

    fn field<const N: usize>(&self, at: usize) -> Result<[u8; N], BackendError> {
        self.bytes
            .get(at..)
            .and_then(|rest| rest.first_chunk::<N>())
            .copied()
            .ok_or_else(|| self.malformed("a header lies outside the file"))
    }

    fn u16_at(&self, at: usize) -> Result<usize, BackendError> {
        Ok(usize::from(u16::from_le_bytes(self.field(at)?)))
    }

    fn u32_at(&self, at: usize) -> Result<u32, BackendError> {
        Ok(u32::from_le_bytes(self.field(at)?))
    }

    /// Offsets and sizes; bounded by half the address space so that sums of two do not overflow.
    fn u64_at(&self, at: usize) -> Result<usize, BackendError> {
        let value = u64::from_le_bytes(self.field(at)?);
        usize::try_from(value)
            .ok()
            .filter(|value| *value <= usize::MAX / 4)
            .ok_or_else(|| self.malformed("an offset is too large"))
    }
}

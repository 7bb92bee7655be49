//! A small reader of ELF64 little endian: headers, string tables, defined symbols, and what a shared object asks of
//! the dynamic loader. All arithmetic is checked; nothing is trusted; work is linear in the file.

mod loader;

use std::collections::HashSet;

/// `e_machine` values of images.
pub const EM_X86_64: u16 = 62;
pub const EM_AARCH64: u16 = 183;
pub const EM_CUDA: u16 = 190;
pub const EM_AMDGPU: u16 = 224;

const EHDR_BYTES: usize = 64;
const PHDR_BYTES: u64 = 56;
const SHDR_BYTES: u64 = 64;
const SYM_BYTES: u64 = 24;
const RELA_BYTES: u64 = 24;

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_INTERP: u32 = 3;
const PT_GNU_STACK: u32 = 0x6474_e551;
const PF_X: u32 = 1;
const PF_W: u32 = 2;
const SHT_SYMTAB: u32 = 2;
const SHT_STRTAB: u32 = 3;
const SHT_NOTE: u32 = 7;
const SHT_NOBITS: u32 = 8;
const SHT_DYNSYM: u32 = 11;
const STT_GNU_IFUNC: u8 = 10;

const DT_NULL: u64 = 0;
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_STRSZ: u64 = 10;
const DT_GNU_HASH: u64 = 0x6fff_fef5;

/// Dynamic tags that load other files or run code while the library is loaded: `(tag, name)`.
const REFUSED_TAGS: &[(u64, &str)] = &[
    (1, "DT_NEEDED"),
    (12, "DT_INIT"),
    (13, "DT_FINI"),
    (17, "DT_REL"),
    (22, "DT_TEXTREL"),
    (25, "DT_INIT_ARRAY"),
    (26, "DT_FINI_ARRAY"),
    (32, "DT_PREINIT_ARRAY"),
    (35, "DT_RELRSZ"),
    (0x6fff_fefb, "DT_DEPAUDIT"),
    (0x6fff_fefc, "DT_AUDIT"),
    (0x7fff_fffd, "DT_AUXILIARY"),
    (0x7fff_ffff, "DT_FILTER"),
];

type Result<T> = std::result::Result<T, String>;

/// An ELF file whose header, program headers and section headers have been checked against its length.
pub struct Elf<'a> {
    bytes: &'a [u8],
    pub machine: u16,
    segments: Vec<Segment>,
    sections: Vec<SectionHeader>,
}

struct Segment {
    kind: u32,
    flags: u32,
    offset: u64,
    address: u64,
    file_bytes: u64,
    memory_bytes: u64,
    align: u64,
}

struct SectionHeader {
    kind: u32,
    offset: u64,
    bytes: u64,
    link: u32,
}

/// Where the tables of the dynamic section lie, as file bytes.
struct Dynamic<'a> {
    symbols: &'a [u8],
    strings: &'a [u8],
    count: u64,
}

impl<'a> Elf<'a> {
    /// Reads and checks the headers.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let header = bytes.get(..EHDR_BYTES).ok_or("shorter than an ELF header")?;
        if !header.starts_with(b"\x7fELF\x02\x01\x01") {
            return Err("not an ELF64 little-endian file".into());
        }
        let (phoff, phentsize, phnum) = (u64_at(header, 32)?, u16_at(header, 54)?, u16_at(header, 56)?);
        let (shoff, shentsize, shnum) = (u64_at(header, 40)?, u16_at(header, 58)?, u16_at(header, 60)?);
        if (phnum > 0 && u64::from(phentsize) != PHDR_BYTES) || (shnum > 0 && u64::from(shentsize) != SHDR_BYTES) {
            return Err("header entries of an unknown size".into());
        }
        if shnum == 0 && shoff != 0 {
            return Err("extended section numbering".into());
        }
        let mut elf = Self { bytes, machine: u16_at(header, 18)?, segments: Vec::new(), sections: Vec::new() };
        let table = elf.range(phoff, PHDR_BYTES * u64::from(phnum)).ok_or("program headers outside the file")?;
        for entry in table.chunks_exact(PHDR_BYTES as usize) {
            elf.add_segment(entry)?;
        }
        let table = elf.range(shoff, SHDR_BYTES * u64::from(shnum)).ok_or("section headers outside the file")?;
        for entry in table.chunks_exact(SHDR_BYTES as usize) {
            elf.add_section(entry)?;
        }
        Ok(elf)
    }

    fn add_segment(&mut self, entry: &[u8]) -> Result<()> {
        let segment = Segment {
            kind: u32_at(entry, 0)?,
            flags: u32_at(entry, 4)?,
            offset: u64_at(entry, 8)?,
            address: u64_at(entry, 16)?,
            file_bytes: u64_at(entry, 32)?,
            memory_bytes: u64_at(entry, 40)?,
            align: u64_at(entry, 48)?,
        };
        self.range(segment.offset, segment.file_bytes).ok_or("a segment lies outside the file")?;
        if segment.address.checked_add(segment.memory_bytes).is_none() {
            return Err("a segment's address overflows".into());
        }
        self.segments.push(segment);
        Ok(())
    }

    fn add_section(&mut self, entry: &[u8]) -> Result<()> {
        let section = SectionHeader {
            kind: u32_at(entry, 4)?,
            offset: u64_at(entry, 24)?,
            bytes: u64_at(entry, 32)?,
            link: u32_at(entry, 40)?,
        };
        if section.kind != SHT_NOBITS && section.kind != 0 {
            let data = self.range(section.offset, section.bytes).ok_or("a section lies outside the file")?;
            if section.kind == SHT_STRTAB && data.last().is_some_and(|b| *b != 0) {
                return Err("a string table does not end with NUL".into());
            }
        }
        self.sections.push(section);
        Ok(())
    }

    fn range(&self, offset: u64, bytes: u64) -> Option<&'a [u8]> {
        let end = offset.checked_add(bytes)?;
        self.bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)
    }

    /// File bytes from a loaded address to the end of its segment.
    fn at_address(&self, address: u64) -> Result<&'a [u8]> {
        let inside = |s: &&Segment| s.kind == PT_LOAD && address >= s.address && address - s.address < s.file_bytes;
        let segment = self.segments.iter().find(inside).ok_or("an address lies in no segment")?;
        let skip = address - segment.address;
        let offset = segment.offset.checked_add(skip).ok_or("an address lies in no segment")?;
        self.range(offset, segment.file_bytes - skip).ok_or_else(|| "an address lies in no segment".into())
    }

    /// The sections of notes.
    pub fn notes(&self) -> impl Iterator<Item = &'a [u8]> {
        self.sections.iter().filter(|s| s.kind == SHT_NOTE).filter_map(|s| self.range(s.offset, s.bytes))
    }

    /// Names of the defined symbols of the section symbol tables (cubin) or of the dynamic section.
    pub fn defined_symbols(&self) -> Result<HashSet<&'a str>> {
        let mut names = HashSet::new();
        for section in self.sections.iter().filter(|s| matches!(s.kind, SHT_SYMTAB | SHT_DYNSYM)) {
            let strings = self.sections.get(section.link as usize).filter(|s| s.kind == SHT_STRTAB);
            let strings = strings.and_then(|s| self.range(s.offset, s.bytes)).ok_or("a symbol table without names")?;
            let symbols = self.range(section.offset, section.bytes).ok_or("a symbol table outside the file")?;
            for symbol in symbols.chunks_exact(SYM_BYTES as usize) {
                if u16_at(symbol, 6)? != 0 {
                    names.insert(string_at(strings, u32_at(symbol, 0)?)?);
                }
            }
        }
        if self.segments.iter().any(|s| s.kind == PT_DYNAMIC) {
            self.dynamic_symbols(&mut names, false)?;
        }
        Ok(names)
    }

    /// Checks that the dynamic loader has nothing to look for and nothing to run, that no page is both writable and
    /// executable, and that every table it reads is whole; returns the defined dynamic symbols.
    pub fn self_contained_symbols(&self) -> Result<HashSet<&'a str>> {
        self.check_segments()?;
        let mut names = HashSet::new();
        self.dynamic_symbols(&mut names, true)?;
        Ok(names)
    }

    /// Tags and values of the dynamic section.
    fn dynamic_entries(&self) -> Result<Vec<(u64, u64)>> {
        let mut tables = self.segments.iter().filter(|s| s.kind == PT_DYNAMIC);
        let segment = tables.next().ok_or("no dynamic section")?;
        if tables.next().is_some() {
            return Err("two dynamic sections".into());
        }
        // The loader reads it at its address, so that is where it must be read here.
        let data = self.at_address(segment.address)?;
        let mut entries = Vec::new();
        for entry in data.chunks_exact(16) {
            match (u64_at(entry, 0)?, u64_at(entry, 8)?) {
                (DT_NULL, _) => return Ok(entries),
                pair => entries.push(pair),
            }
        }
        Err("the dynamic section has no end".into())
    }

    fn dynamic_symbols(&self, names: &mut HashSet<&'a str>, strict: bool) -> Result<()> {
        let entries = self.dynamic_entries()?;
        if strict {
            refuse_loader_work(&entries)?;
        }
        let Some(dynamic) = self.dynamic_tables(&entries)? else {
            return if strict { Err("no table of symbols".into()) } else { Ok(()) };
        };
        if strict {
            self.check_dynamic(&entries, &dynamic)?;
        }
        let bytes = dynamic.count.checked_mul(SYM_BYTES).and_then(|n| usize::try_from(n).ok());
        let symbols = bytes.and_then(|n| dynamic.symbols.get(..n)).ok_or("the symbol table lies outside the file")?;
        for symbol in symbols.chunks_exact(SYM_BYTES as usize).skip(1) {
            let name = string_at(dynamic.strings, u32_at(symbol, 0)?)?;
            if u16_at(symbol, 6)? != 0 {
                names.insert(name);
            } else if strict {
                return Err(format!("symbol {name:?} is not defined"));
            }
            if strict && symbol.get(4).is_some_and(|info| info & 15 == STT_GNU_IFUNC) {
                return Err(format!("symbol {name:?} is chosen by code at load time"));
            }
            if strict {
                self.check_export(symbol, name)?;
            }
        }
        Ok(())
    }

    /// The symbol table that the loader uses; its length is known only through the hash tables.
    fn dynamic_tables(&self, entries: &[(u64, u64)]) -> Result<Option<Dynamic<'a>>> {
        let value = |tag: u64| entries.iter().find(|e| e.0 == tag).map(|e| e.1);
        let (Some(symbols), Some(strings), Some(size)) = (value(DT_SYMTAB), value(DT_STRTAB), value(DT_STRSZ)) else {
            return Ok(None);
        };
        let strings = self.at_address(strings)?;
        let strings = usize::try_from(size).ok().and_then(|n| strings.get(..n)).ok_or("strings outside the file")?;
        if strings.last().is_none_or(|b| *b != 0) {
            return Err("the dynamic string table does not end with NUL".into());
        }
        let count = match (value(DT_HASH), value(DT_GNU_HASH)) {
            (Some(table), _) => u64::from(u32_at(self.at_address(table)?, 4)?),
            (None, Some(table)) => gnu_hash_count(self.at_address(table)?)?,
            (None, None) => return Err("no hash table of symbols".into()),
        };
        Ok(Some(Dynamic { symbols: self.at_address(symbols)?, strings, count }))
    }
}

/// Tags that are refused by name; others that are not known are refused with the rest of the table.
fn refuse_loader_work(entries: &[(u64, u64)]) -> Result<()> {
    match REFUSED_TAGS.iter().find(|row| entries.iter().any(|entry| entry.0 == row.0)) {
        Some(row) => Err(format!("it has {}", row.1)),
        None => Ok(()),
    }
}

/// Number of symbols by a GNU hash table: one more than the end of the last chain. Only that chain is walked.
fn gnu_hash_count(table: &[u8]) -> Result<u64> {
    let (buckets, first, bloom) = (u32_at(table, 0)?, u32_at(table, 4)?, u32_at(table, 8)?);
    let buckets_at = usize::try_from(16 + 8 * u64::from(bloom)).map_err(|e| e.to_string())?;
    let data = table.get(buckets_at..).ok_or("hash table cut short")?;
    let bucket_bytes = usize::try_from(4 * u64::from(buckets)).map_err(|e| e.to_string())?;
    let (heads, chains) = data.split_at_checked(bucket_bytes).ok_or("hash table cut short")?;
    let mut last = 0;
    for head in heads.chunks_exact(4) {
        last = last.max(u32_at(head, 0)?);
    }
    if last < first {
        return Ok(first.into());
    }
    for (at, link) in chains.chunks_exact(4).enumerate().skip((last - first) as usize) {
        if u32_at(link, 0)? & 1 != 0 {
            return Ok(u64::from(first) + at as u64 + 1);
        }
    }
    Err("hash chain without an end".into())
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N]> {
    bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied().ok_or_else(|| "a table is cut short".into())
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    array_at(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    array_at(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64> {
    array_at(bytes, at).map(u64::from_le_bytes)
}

/// A NUL-terminated name; names that are longer than any symbol of ours or not UTF-8 read as empty.
fn string_at(strings: &[u8], at: u32) -> Result<&str> {
    let rest = strings.get(at as usize..).ok_or("a symbol's name lies outside the string table")?;
    let window = rest.get(..256).unwrap_or(rest);
    let end = window.iter().position(|b| *b == 0);
    Ok(end.and_then(|end| window.get(..end)).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or(""))
}

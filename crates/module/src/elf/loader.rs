//! What the system's dynamic loader relies on without looking, checked before it is given an image: a malformed table
//! makes it read or write anywhere, or loop, inside of `dlopen`.
//!
//! The rules are what Fornax's own linker writes, and a little more:
//!
//! - Loaded segments ascend in memory without sharing a page. All other headers lie inside of one.
//! - Only known dynamic tags, each once.
//! - Symbols, names, hash tables and relocations lie in segments that are not writable, so that no relocation
//!   changes what was checked here.
//! - Relocations only add the load address to words of writable memory, and leave the dynamic section alone.
//! - Hash chains end. Every exported symbol lies in code.

use super::{
    Dynamic, EM_AARCH64, EM_X86_64, Elf, PF_W, PF_X, PT_DYNAMIC, PT_GNU_STACK, PT_INTERP, PT_LOAD, RELA_BYTES, Result,
    SYM_BYTES, Segment, array_at, u16_at, u32_at, u64_at,
};

const ET_DYN: u16 = 3;
const PT_NULL: u32 = 0;
const PT_NOTE: u32 = 4;
const PT_PHDR: u32 = 6;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const PT_GNU_RELRO: u32 = 0x6474_e552;
const PT_GNU_PROPERTY: u32 = 0x6474_e553;
/// Program headers of an image, at most.
const HEADERS: usize = 64;
/// Smallest page of any machine, and largest alignment that is taken, bytes.
const PAGE: u64 = 4096;
const ALIGN: u64 = 2 << 20;
/// Memory of an image, at most, bytes.
const MEMORY: u64 = 1 << 30;
/// First of the section numbers that are no sections (`SHN_LORESERVE`).
const RESERVED_SECTIONS: u16 = 0xff00;
const STT_TLS: u8 = 6;

/// `R_*_RELATIVE`: word = load address + addend.
const RELATIVE: &[(u16, u32)] = &[(EM_X86_64, 8), (EM_AARCH64, 1027)];

/// Dynamic tags an image may have: `(tag, name, what its value must be)`.
const TAGS: &[(u64, &str, Value)] = &[
    (4, "DT_HASH", Value::Address(4)),
    (5, "DT_STRTAB", Value::Address(1)),
    (6, "DT_SYMTAB", Value::Address(8)),
    (7, "DT_RELA", Value::Address(8)),
    (8, "DT_RELASZ", Value::Any),
    (9, "DT_RELAENT", Value::Only(RELA_BYTES)),
    (10, "DT_STRSZ", Value::Any),
    (11, "DT_SYMENT", Value::Only(SYM_BYTES)),
    (14, "DT_SONAME", Value::Any),
    // DF_SYMBOLIC, DF_BIND_NOW
    (30, "DT_FLAGS", Value::Within(2 | 8)),
    (0x6fff_fef5, "DT_GNU_HASH", Value::Address(8)),
    (0x6fff_fff9, "DT_RELACOUNT", Value::Any),
    // DF_1_NOW
    (0x6fff_fffb, "DT_FLAGS_1", Value::Within(1)),
];
const DT_HASH: u64 = 4;
const DT_STRSZ: u64 = 10;
const DT_SONAME: u64 = 14;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
const DT_RELACOUNT: u64 = 0x6fff_fff9;

/// What the value of a dynamic tag must be.
enum Value {
    Any,
    Only(u64),
    /// Bits of this mask.
    Within(u64),
    /// An address of so many bytes' alignment in a loaded segment that is not writable.
    Address(u64),
}

fn value(entries: &[(u64, u64)], tag: u64) -> Option<u64> {
    entries.iter().find(|entry| entry.0 == tag).map(|entry| entry.1)
}

impl Segment {
    fn end(&self) -> u64 {
        self.address.saturating_add(self.memory_bytes)
    }

    fn holds(&self, address: u64, bytes: u64) -> bool {
        address >= self.address && address.checked_add(bytes).is_some_and(|end| end <= self.end())
    }
}

impl<'a> Elf<'a> {
    /// Checks the headers that the loader maps by.
    pub(super) fn check_segments(&self) -> Result<()> {
        if u16_at(self.bytes, 16)? != ET_DYN {
            return Err("it is not a shared object".into());
        }
        if self.segments.len() > HEADERS {
            return Err(format!("more than {HEADERS} program headers"));
        }
        let mut end = 0;
        for load in self.loads() {
            self.check_load(load, end)?;
            end = load.end();
        }
        if end == 0 {
            return Err("nothing is loaded".into());
        }
        if self.segments.iter().filter(|s| s.kind == PT_GNU_STACK).count() != 1 {
            return Err("it does not say that its stack is not executable".into());
        }
        self.segments.iter().try_for_each(|segment| self.check_segment(segment))
    }

    fn loads(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter().filter(|s| s.kind == PT_LOAD)
    }

    fn check_load(&self, load: &Segment, previous_end: u64) -> Result<()> {
        if load.memory_bytes < load.file_bytes || load.memory_bytes == 0 {
            return Err("a segment is larger in the file than in memory".into());
        }
        let congruent = load.address.wrapping_sub(load.offset).is_multiple_of(load.align.max(1));
        if !load.align.is_power_of_two() || !(PAGE..=ALIGN).contains(&load.align) || !congruent {
            return Err("a segment is not aligned to pages".into());
        }
        if load.address / PAGE < previous_end.div_ceil(PAGE) || load.end() > MEMORY {
            return Err("its segments do not ascend in memory, share a page or take too much of it".into());
        }
        if load.flags & (PF_W | PF_X) == PF_W | PF_X {
            return Err("a segment is writable and executable".into());
        }
        Ok(())
    }

    fn check_segment(&self, segment: &Segment) -> Result<()> {
        let inside = |writable: bool| {
            let fits = |load: &&Segment| load.holds(segment.address, segment.memory_bytes);
            self.loads().filter(|load| !writable || load.flags & PF_W != 0).any(|load| fits(&load))
        };
        let in_file = segment.file_bytes == segment.memory_bytes && self.mapped(segment);
        match segment.kind {
            PT_NULL | PT_LOAD => Ok(()),
            PT_GNU_STACK if segment.flags & PF_X == 0 => Ok(()),
            PT_GNU_STACK => Err("it asks for an executable stack".into()),
            PT_INTERP => Err("it names an interpreter".into()),
            PT_GNU_RELRO if inside(true) => Ok(()),
            PT_NOTE if segment.file_bytes == 0 && segment.memory_bytes == 0 => Ok(()),
            PT_NOTE | PT_GNU_PROPERTY if in_file => self.check_notes(segment),
            PT_GNU_EH_FRAME if in_file => Ok(()),
            PT_DYNAMIC if in_file && segment.address.is_multiple_of(8) => Ok(()),
            PT_PHDR if in_file && self.is_header_table(segment)? => Ok(()),
            kind => Err(format!("a program header of type {kind:#x} that is not known, or not where it says")),
        }
    }

    /// Notes follow each other and end where their segment ends, give or take what aligns the next.
    fn check_notes(&self, segment: &Segment) -> Result<()> {
        let bytes = self.range(segment.offset, segment.file_bytes).ok_or("notes outside the file")?;
        let align = if segment.align == 8 { 8 } else { 4 };
        let mut at = 0u64;
        while at < segment.file_bytes {
            let word = |skip: u64| u32_at(bytes, (at + skip) as usize).map(u64::from);
            let (name, description) = (word(0)?, word(4)?);
            let after_name = (at + 12 + name).next_multiple_of(align);
            at = (after_name + description).next_multiple_of(align);
            if after_name + description > segment.file_bytes {
                return Err("a note reaches beyond its segment".into());
            }
        }
        Ok(())
    }

    /// Whether a header's address and its place in the file are the same bytes of a loaded segment.
    fn mapped(&self, segment: &Segment) -> bool {
        self.loads().any(|load| {
            load.holds(segment.address, segment.file_bytes)
                && segment.address - load.address + segment.file_bytes <= load.file_bytes
                && load.offset.checked_add(segment.address - load.address) == Some(segment.offset)
        })
    }

    fn is_header_table(&self, segment: &Segment) -> Result<bool> {
        let (offset, bytes) = (u64_at(self.bytes, 32)?, super::PHDR_BYTES * u64::from(u16_at(self.bytes, 56)?));
        Ok((segment.offset, segment.file_bytes) == (offset, bytes))
    }

    /// Checks the dynamic section and all that it points at.
    pub(super) fn check_dynamic(&self, entries: &[(u64, u64)], dynamic: &Dynamic<'a>) -> Result<()> {
        for (at, &(tag, value)) in entries.iter().enumerate() {
            let row = TAGS.iter().find(|row| row.0 == tag).ok_or_else(|| format!("a dynamic tag {tag:#x}"))?;
            if entries.iter().take(at).any(|earlier| earlier.0 == tag) {
                return Err(format!("{} twice", row.1));
            }
            let good = match row.2 {
                Value::Any => true,
                Value::Only(only) => value == only,
                Value::Within(mask) => value & !mask == 0,
                Value::Address(align) => value.is_multiple_of(align) && self.is_constant(value),
            };
            if !good {
                return Err(format!("{} is {value:#x}", row.1));
            }
        }
        let names = value(entries, DT_STRSZ).unwrap_or(0);
        if value(entries, DT_SONAME).is_some_and(|at| at >= names) {
            return Err("DT_SONAME lies outside the string table".into());
        }
        if let Some(table) = value(entries, DT_HASH) {
            check_sysv_hash(self.at_address(table)?, dynamic.count)?;
        }
        if let Some(table) = value(entries, DT_GNU_HASH) {
            check_gnu_hash(self.at_address(table)?, dynamic.count)?;
        }
        self.check_relocations(entries)
    }

    /// Whether an address lies in the file bytes of a segment that is not writable.
    fn is_constant(&self, address: u64) -> bool {
        let within = |load: &Segment| address >= load.address && address - load.address < load.file_bytes;
        self.loads().any(|load| within(load) && load.flags & PF_W == 0)
    }

    fn check_relocations(&self, entries: &[(u64, u64)]) -> Result<()> {
        let size = value(entries, DT_RELASZ).unwrap_or(0);
        let Some(table) = value(entries, DT_RELA) else {
            return if size == 0 { Ok(()) } else { Err("DT_RELASZ without DT_RELA".into()) };
        };
        let data = self.at_address(table)?;
        let data = usize::try_from(size).ok().and_then(|n| data.get(..n)).ok_or("relocations outside the file")?;
        let count = size / RELA_BYTES;
        if !size.is_multiple_of(RELA_BYTES) || value(entries, DT_RELACOUNT).is_some_and(|n| n > count) {
            return Err("its relocations are not as many as it says".into());
        }
        let dynamic = self.segments.iter().find(|s| s.kind == PT_DYNAMIC).ok_or("no dynamic section")?;
        let end = self.loads().map(Segment::end).max().unwrap_or(0);
        for entry in data.chunks_exact(RELA_BYTES as usize) {
            let (at, kind, addend) = (u64_at(entry, 0)?, u64_at(entry, 8)?, u64_at(entry, 16)?);
            // The upper half of the kind is a symbol, which these have not.
            if !RELATIVE.iter().any(|row| row.0 == self.machine && u64::from(row.1) == kind) {
                return Err(format!("a relocation of kind {kind:#x}, which does more than add the load address"));
            }
            let writable = self.loads().any(|load| load.flags & PF_W != 0 && load.holds(at, 8));
            let outside = at.checked_add(8).is_some_and(|after| after <= dynamic.address) || at >= dynamic.end();
            if !writable || !outside || addend > end {
                return Err("a relocation of what is not its own".into());
            }
        }
        Ok(())
    }

    /// A symbol that others can find must be code.
    pub(super) fn check_export(&self, symbol: &[u8], name: &str) -> Result<()> {
        let [info] = array_at::<1>(symbol, 4)?;
        let (section, at) = (u16_at(symbol, 6)?, u64_at(symbol, 8)?);
        let in_code =
            |load: &Segment| load.flags & PF_X != 0 && at >= load.address && at - load.address < load.file_bytes;
        if section >= RESERVED_SECTIONS || info & 15 == STT_TLS || !self.loads().any(in_code) {
            return Err(format!("symbol {name:?} is not in its code"));
        }
        Ok(())
    }
}

/// Chains of the table of System V: every number is that of a symbol, and no symbol is met twice.
fn check_sysv_hash(table: &[u8], count: u64) -> Result<()> {
    let (buckets, chains) = (u64::from(u32_at(table, 0)?), u64::from(u32_at(table, 4)?));
    let bytes = usize::try_from(8 + 4 * (buckets + chains)).map_err(|e| e.to_string())?;
    let words = table.get(8..bytes).ok_or("hash table cut short")?;
    if buckets == 0 || chains != count {
        return Err("hash table without buckets, or of another number of symbols".into());
    }
    let next = |symbol: u64| u32_at(words, 4 * (buckets + symbol) as usize).map(u64::from);
    let mut met = vec![false; count as usize];
    for bucket in 0..buckets {
        let mut symbol = u64::from(u32_at(words, 4 * bucket as usize)?);
        while symbol != 0 {
            let seen = met.get_mut(symbol as usize).ok_or("a hash chain leaves the symbols")?;
            if std::mem::replace(seen, true) {
                return Err("a hash chain comes back to itself or to another".into());
            }
            symbol = next(symbol)?;
        }
    }
    Ok(())
}

/// GNU's table: buckets begin at symbols that it covers, and the last chain ends with the last symbol.
fn check_gnu_hash(table: &[u8], count: u64) -> Result<()> {
    let (buckets, first, bloom) = (u32_at(table, 0)?, u64::from(u32_at(table, 4)?), u32_at(table, 8)?);
    if buckets == 0 || !bloom.is_power_of_two() || first > count || u32_at(table, 12)? >= 32 {
        return Err("hash table without buckets, filter or symbols".into());
    }
    let heads_at = 16 + 8 * u64::from(bloom);
    let chains_at = heads_at + 4 * u64::from(buckets);
    let end = usize::try_from(chains_at + 4 * (count - first)).map_err(|e| e.to_string())?;
    let table = table.get(..end).ok_or("hash table cut short")?;
    for bucket in 0..u64::from(buckets) {
        let head = u64::from(u32_at(table, (heads_at + 4 * bucket) as usize)?);
        if head != 0 && !(first..count).contains(&head) {
            return Err("a hash bucket names no symbol of its table".into());
        }
    }
    if count > first && u32_at(table, end - 4)? & 1 == 0 {
        return Err("hash chain without an end".into());
    }
    Ok(())
}

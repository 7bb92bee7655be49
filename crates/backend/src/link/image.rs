//! The file: addresses for everything that was kept, relocations resolved, headers, hashes and symbols around it.
//!
//! Order: headers, notes, dynamic symbols, hashes, names, relocations for the loader, constants | code | pointers,
//! their table, the dynamic section. Each part between bars is one loaded segment. A segment starts where the one
//! before it ends in the file and a page further in memory, so that no file bytes are spent on padding and no page has
//! two protections.

use std::collections::BTreeMap;

use object::Endianness;
use object::elf;
use object::write::StringId;
use object::write::elf::{FileHeader, ProgramHeader, Rel, SectionHeader, Sym, TwoPhase, Writer};

use super::input::{Region, Symbol};
use super::relocation::{Addresses, Kind, Value, evaluate, store};
use super::{Meaning, Program, SectionId};
use crate::errors::BackendError;

const SEGMENTS: u32 = 8;

/// A run of bytes of the file that is one section of the image.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// In the file.
    offset: u64,
    /// In memory, relative to the load address.
    address: u64,
    size: u64,
    align: u64,
    index: u32,
}

impl Part {
    fn end(&self) -> u64 {
        self.offset + self.size
    }
}

/// Where everything is.
struct Layout {
    addresses: BTreeMap<SectionId, u64>,
    /// Slot of each symbol in the table of pointers, by what it points at.
    slots: BTreeMap<(SectionId, u64), u64>,
    note: Part,
    dynsym: u64,
    gnu_hash: u64,
    hash: u64,
    dynstr: u64,
    rela: Part,
    regions: [Part; 3],
    table: Part,
    dynamic: Part,
}

/// Regions with their section names.
const REGIONS: [(Region, &[u8]); 3] =
    [(Region::Constants, b".rodata"), (Region::Code, b".text"), (Region::Pointers, b".data.rel.ro")];

/// An exported symbol with its hash.
struct Export<'a> {
    name: &'a str,
    section: SectionId,
    symbol: Symbol<'a>,
    hash: u32,
    string: Option<StringId>,
    plain: Option<StringId>,
}

/// A field to be resolved: the section's bytes, where it is, what it shall hold.
struct Fix<'a> {
    section: SectionId,
    offset: u64,
    kind: &'static Kind,
    target: Meaning<'a>,
    addend: i64,
}

pub(super) fn write(program: &Program<'_>) -> Result<Vec<u8>, BackendError> {
    let fixes = fixes(program)?;
    let buckets = (program.request.exports.len() as u32).max(1);
    let mut exports = exports(program)?;
    exports.sort_by_key(|export| export.hash % buckets);
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Endianness::Little, true, &mut bytes);
    for export in &mut exports {
        export.string = Some(writer.add_dynamic_string(export.name.as_bytes()));
        writer.reserve_dynamic_symbol_index();
        if program.request.symbol_table {
            export.plain = Some(writer.add_string(export.name.as_bytes()));
        }
    }
    let mut image = Image { program, exports, buckets, fixes, names: Vec::new() };
    let mut layout = image.reserve(&mut writer)?;
    let contents = image.contents(&layout)?;
    image
        .emit(&mut writer, &mut layout, &contents)
        .map_err(|reason| super::refused(program.request, "the image", reason))?;
    Ok(bytes)
}

/// Every relocation of the kept sections with its meaning.
fn fixes<'a>(program: &Program<'a>) -> Result<Vec<Fix<'a>>, BackendError> {
    let mut fixes = Vec::new();
    for id in &program.kept {
        let Some(section) = program.section(*id) else { continue };
        for relocation in &section.relocations {
            let kind = program.rules.kinds.iter().find(|kind| kind.number == relocation.kind);
            let kind = kind.ok_or_else(|| {
                program
                    .refused(id.0, format!("section `{}` has a relocation of kind {}", section.name, relocation.kind))
            })?;
            let target = program.resolve(id.0, relocation.symbol)?;
            if kind.value == Value::Address && section.region != Region::Pointers {
                let reason =
                    format!("section `{}` holds an address ({}), but is not written at load", section.name, kind.name);
                return Err(program.refused(id.0, reason));
            }
            fixes.push(Fix { section: *id, offset: relocation.offset, kind, target, addend: relocation.addend });
        }
    }
    Ok(fixes)
}

fn exports<'a>(program: &Program<'a>) -> Result<Vec<Export<'a>>, BackendError> {
    let named = program.request.exports.iter().map(|name| {
        let (section, symbol) = program.export(name)?;
        Ok(Export { name, section, symbol, hash: elf::gnu_hash(name.as_bytes()), string: None, plain: None })
    });
    named.collect()
}

struct Image<'p, 'a> {
    program: &'p Program<'a>,
    exports: Vec<Export<'a>>,
    buckets: u32,
    fixes: Vec<Fix<'a>>,
    /// Names of the sections that the writer has no names for, in the order of their headers.
    names: Vec<StringId>,
}

impl Image<'_, '_> {
    /// Gives every part its place.
    fn reserve(&mut self, writer: &mut Writer<'_, TwoPhase>) -> Result<Layout, BackendError> {
        let program = self.program;
        let page = program.rules.page;
        writer.reserve_file_header();
        writer.reserve_program_headers(SEGMENTS);
        let mut layout = Layout {
            addresses: BTreeMap::new(),
            slots: BTreeMap::new(),
            note: Part::default(),
            dynsym: 0,
            gnu_hash: 0,
            hash: 0,
            dynstr: 0,
            rela: Part::default(),
            regions: [Part::default(); 3],
            table: Part::default(),
            dynamic: Part::default(),
        };
        if let Some(note) = &program.request.note {
            layout.note = part(writer, note.len() as u64, 4, 0);
        }
        self.slots(&mut layout);
        let pointers = self.fixes.iter().filter(|fix| fix.kind.value == Value::Address && fix.is_place()).count();
        let count = self.exports.len() as u32;
        layout.dynsym = writer.reserve_dynsym();
        layout.gnu_hash = writer.reserve_gnu_hash(self.bloom_words(), self.buckets, count);
        layout.hash = writer.reserve_hash(self.buckets, count + 1);
        layout.dynstr =
            writer.reserve_dynstr().map_err(|error| super::refused(program.request, "the image", error.to_string()))?;
        layout.rela = part(writer, 24 * (pointers + layout.slots.len()) as u64, 8, 0);
        for (number, (region, _)) in REGIONS.into_iter().enumerate() {
            let shift = number as u64 * page;
            if let Some(slot) = layout.regions.get_mut(number) {
                *slot = place(program, writer, region, shift, &mut layout.addresses);
            }
        }
        layout.table = part(writer, 8 * layout.slots.len() as u64, 8, 2 * page);
        let dynamic = writer.reserve_dynamic(DYNAMIC_TAGS + if layout.rela.size > 0 { RELA_TAGS } else { 0 });
        let size = writer.reserved_len() - dynamic;
        layout.dynamic = Part { offset: dynamic, address: dynamic + 2 * page, size, align: 8, index: 0 };
        for (index, slot) in layout.slots.values_mut().enumerate() {
            *slot = layout.table.address + 8 * index as u64;
        }
        self.reserve_headers(writer, &mut layout)?;
        Ok(layout)
    }

    /// One slot for each address that is read through the table of pointers.
    fn slots(&self, layout: &mut Layout) {
        for fix in self.fixes.iter().filter(|fix| fix.kind.value.takes_slot()) {
            if let Meaning::Place(section, symbol) = fix.target {
                layout.slots.insert((section, symbol.value), 0);
            }
        }
    }

    fn bloom_words(&self) -> u32 {
        (self.exports.len() as u32).div_ceil(8).next_power_of_two()
    }

    /// Section numbers and what follows the loaded parts: symbol tables and names.
    fn reserve_headers(&mut self, writer: &mut Writer<'_, TwoPhase>, layout: &mut Layout) -> Result<(), BackendError> {
        let mut named = |writer: &mut Writer<'_, TwoPhase>, name: &'static [u8], part: &mut Part| {
            if part.size > 0 {
                let id = writer.add_section_name(name);
                part.index = writer.reserve_section_index().0;
                self.names.push(id);
            }
        };
        named(writer, b".note", &mut layout.note);
        writer.reserve_dynsym_section_index();
        writer.reserve_gnu_hash_section_index();
        writer.reserve_hash_section_index();
        writer.reserve_dynstr_section_index();
        named(writer, b".rela.dyn", &mut layout.rela);
        for (part, (_, name)) in layout.regions.iter_mut().zip(REGIONS) {
            named(writer, name, part);
        }
        named(writer, b".got", &mut layout.table);
        layout.dynamic.index = writer.reserve_dynamic_section_index().0;
        if self.program.request.symbol_table {
            writer.reserve_symtab_section_index();
            writer.reserve_strtab_section_index();
        }
        writer.reserve_shstrtab_section_index();
        let result = (|| {
            if self.program.request.symbol_table {
                for _ in &self.exports {
                    writer.reserve_symbol_index(None);
                }
                writer.reserve_symtab();
                writer.reserve_strtab()?;
            }
            writer.reserve_shstrtab()?;
            writer.reserve_section_headers();
            Ok::<(), object::write::Error>(())
        })();
        result.map_err(|error| super::refused(self.program.request, "the image", error.to_string()))
    }

    /// Address of a meaning; numbers are themselves.
    fn address(&self, layout: &Layout, meaning: &Meaning<'_>) -> Option<u64> {
        match meaning {
            Meaning::Number(number) => Some(*number),
            Meaning::Place(section, symbol) => Some(layout.addresses.get(section)?.wrapping_add(symbol.value)),
        }
    }

    /// The bytes of every kept section with its relocations resolved, and the table of pointers.
    fn contents(&self, layout: &Layout) -> Result<Contents, BackendError> {
        let mut contents = Contents { sections: BTreeMap::new(), table: Vec::new(), rela: Vec::new() };
        for id in &self.program.kept {
            if let Some(section) = self.program.section(*id) {
                contents.sections.insert(*id, section.bytes.to_vec());
            }
        }
        for fix in &self.fixes {
            self.resolve(layout, fix, &mut contents).ok_or_else(|| self.unresolvable(fix))?;
        }
        for ((section, value), slot) in &layout.slots {
            let address = layout.addresses.get(section).map_or(0, |address| address.wrapping_add(*value));
            contents.table.extend(address.to_le_bytes());
            contents.rela.push((*slot, address.cast_signed()));
        }
        contents.rela.sort_unstable();
        Ok(contents)
    }

    fn resolve(&self, layout: &Layout, fix: &Fix<'_>, contents: &mut Contents) -> Option<()> {
        let place = layout.addresses.get(&fix.section)?.wrapping_add(fix.offset);
        let target = match (fix.kind.value.takes_slot(), &fix.target) {
            (true, Meaning::Place(section, symbol)) => *layout.slots.get(&(*section, symbol.value))?,
            (true, Meaning::Number(_)) => return None,
            (false, target) => self.address(layout, target)?,
        };
        let target = target.wrapping_add_signed(fix.addend);
        if fix.kind.value == Value::Address && fix.is_place() {
            contents.rela.push((place, target.cast_signed()));
        }
        let bytes = contents.sections.get_mut(&fix.section)?;
        let field = bytes.get_mut(usize::try_from(fix.offset).ok()?..)?;
        store(fix.kind.field, evaluate(fix.kind.value, Addresses { target, place }), field)
    }

    fn unresolvable(&self, fix: &Fix<'_>) -> BackendError {
        let section = self.program.section(fix.section).map_or("?", |section| section.name);
        let target = match fix.target {
            Meaning::Place(_, symbol) if !symbol.name.is_empty() => format!("`{}`", symbol.name),
            _ => "a section".to_string(),
        };
        let reason = format!("{} at byte {} of `{section}` does not reach {target}", fix.kind.name, fix.offset);
        self.program.refused(fix.section.0, reason)
    }

    fn symbol(&self, layout: &Layout, export: &Export<'_>, name: u32) -> Sym {
        let region = self.program.section(export.section).map(|section| section.region);
        let index = REGIONS.iter().zip(&layout.regions).find(|((each, _), _)| Some(*each) == region);
        Sym {
            section: index.map(|(_, part)| part.index),
            st_name: name,
            st_info: elf::SymbolInfo::new(elf::STB_GLOBAL, export.symbol.info.st_type()),
            st_other: export.symbol.other,
            st_shndx: elf::SymbolSection(0),
            st_value: layout.addresses.get(&export.section).map_or(0, |at| at.wrapping_add(export.symbol.value)),
            st_size: export.symbol.size,
        }
    }

    /// Writes everything in the order in which it was reserved.
    fn emit(&self, writer: &mut Writer<'_, TwoPhase>, layout: &mut Layout, contents: &Contents) -> Result<(), String> {
        let identity = self.program.identity;
        let header = FileHeader {
            os_abi: identity.os_abi,
            abi_version: identity.abi_version,
            e_type: elf::ET_DYN,
            e_machine: identity.machine,
            e_entry: 0,
            e_flags: identity.flags,
        };
        writer.write_file_header(&header).map_err(|error| error.to_string())?;
        self.emit_segments(writer, layout);
        if let Some(note) = &self.program.request.note {
            writer.pad_until(layout.note.offset);
            writer.write(note);
        }
        writer.write_null_dynamic_symbol();
        for export in &self.exports {
            let symbol = self.symbol(layout, export, writer.dynamic_string_offset(export.string));
            writer.write_dynamic_symbol(&symbol);
        }
        let count = self.exports.len() as u32;
        let hash = |index: u32| self.exports.get(index as usize).map_or(0, |export| export.hash);
        writer.write_gnu_hash(1, 26, self.bloom_words(), self.buckets, count, hash);
        let sysv = |index: u32| Some(elf::hash(self.exports.get((index as usize).checked_sub(1)?)?.name.as_bytes()));
        writer.write_hash(self.buckets, count + 1, sysv);
        writer.write_dynstr();
        writer.pad_until(layout.rela.offset);
        for (offset, addend) in &contents.rela {
            let r_type = elf::RelocationType(self.program.rules.relative);
            writer.write_relocation(true, &Rel { r_offset: *offset, r_sym: 0, r_type, r_addend: *addend });
        }
        for (number, part) in layout.regions.iter().enumerate() {
            writer.pad_until(part.offset);
            let shift = part.address - part.offset;
            let region = REGIONS.get(number).map(|(region, _)| *region);
            for id in &self.program.kept {
                let inside = self.program.section(*id).is_some_and(|section| Some(section.region) == region);
                if let (true, Some(address), Some(bytes)) =
                    (inside, layout.addresses.get(id), contents.sections.get(id))
                {
                    writer.pad_until(address - shift);
                    writer.write(bytes);
                }
            }
        }
        writer.pad_until(layout.table.offset);
        writer.write(&contents.table);
        self.emit_dynamic(writer, layout).map_err(|error| error.to_string())?;
        self.emit_headers(writer, layout);
        Ok(())
    }

    fn emit_segments(&self, writer: &mut Writer<'_, TwoPhase>, layout: &Layout) {
        let (read, write, execute) =
            (elf::PF_R, elf::ProgramFlags(elf::PF_R.0 | elf::PF_W.0), elf::ProgramFlags(elf::PF_R.0 | elf::PF_X.0));
        let page = self.program.rules.page;
        let headers = 64 + 56 * u64::from(SEGMENTS);
        let segment = |p_type, p_flags, from: (u64, u64), p_filesz: u64, p_align| ProgramHeader {
            p_type,
            p_flags,
            p_offset: from.0,
            p_vaddr: from.1,
            p_paddr: from.1,
            p_filesz,
            p_memsz: p_filesz,
            p_align,
        };
        let [constants, code, pointers] = layout.regions;
        let dynamic = layout.dynamic;
        let start = (pointers.offset, pointers.address);
        let written = dynamic.end() - pointers.offset;
        // What is read-only after loading ends with a page.
        let padded = (pointers.address + written).next_multiple_of(page) - pointers.address;
        let padded = |header: ProgramHeader| ProgramHeader { p_memsz: padded, ..header };
        writer.write_align_program_headers();
        for header in [
            segment(elf::PT_PHDR, read, (64, 64), headers - 64, 8),
            segment(elf::PT_LOAD, read, (0, 0), constants.end(), page),
            segment(elf::PT_LOAD, execute, (code.offset, code.address), code.size, page),
            padded(segment(elf::PT_LOAD, write, start, written, page)),
            segment(elf::PT_DYNAMIC, write, (dynamic.offset, dynamic.address), dynamic.size, 8),
            padded(segment(elf::PT_GNU_RELRO, read, start, written, 1)),
            segment(elf::PT_GNU_STACK, write, (0, 0), 0, 0),
            segment(elf::PT_NOTE, read, (layout.note.offset, layout.note.address), layout.note.size, 4),
        ] {
            writer.write_program_header(&header);
        }
    }

    fn emit_dynamic(&self, writer: &mut Writer<'_, TwoPhase>, layout: &Layout) -> object::write::Result<()> {
        writer.write_align_dynamic();
        writer.write_dynamic(elf::DT_SYMTAB, layout.dynsym)?;
        writer.write_dynamic(elf::DT_SYMENT, 24)?;
        writer.write_dynamic(elf::DT_STRTAB, layout.dynstr)?;
        writer.write_dynamic(elf::DT_STRSZ, u64::from(writer.dynstr_len()))?;
        writer.write_dynamic(elf::DT_GNU_HASH, layout.gnu_hash)?;
        writer.write_dynamic(elf::DT_HASH, layout.hash)?;
        if layout.rela.size > 0 {
            writer.write_dynamic(elf::DT_RELA, layout.rela.address)?;
            writer.write_dynamic(elf::DT_RELASZ, layout.rela.size)?;
            writer.write_dynamic(elf::DT_RELAENT, 24)?;
            writer.write_dynamic(elf::DT_RELACOUNT, layout.rela.size / 24)?;
        }
        writer.write_dynamic(elf::DT_NULL, 0)
    }

    fn emit_headers(&self, writer: &mut Writer<'_, TwoPhase>, layout: &Layout) {
        if self.program.request.symbol_table {
            writer.write_null_symbol();
            for export in &self.exports {
                let symbol = self.symbol(layout, export, writer.string_offset(export.plain));
                writer.write_symbol(&symbol);
            }
            writer.write_strtab();
        }
        writer.write_shstrtab();
        writer.write_null_section_header();
        let mut names = self.names.iter();
        let mut named = |writer: &mut Writer<'_, TwoPhase>, part: &Part, sh_type, flags: u64, link: u32, entry: u64| {
            if part.size > 0 {
                let name = names.next().copied();
                writer.write_section_header(&SectionHeader {
                    sh_name: writer.section_name_offset(name),
                    sh_type,
                    sh_flags: elf::SectionFlags(elf::SHF_ALLOC.0 | flags),
                    sh_addr: part.address,
                    sh_offset: part.offset,
                    sh_size: part.size,
                    sh_link: link,
                    sh_info: 0,
                    sh_addralign: part.align,
                    sh_entsize: entry,
                });
            }
        };
        named(writer, &layout.note, elf::SHT_NOTE, 0, 0, 0);
        writer.write_dynsym_section_header(layout.dynsym, 1);
        writer.write_gnu_hash_section_header(layout.gnu_hash);
        writer.write_hash_section_header(layout.hash);
        writer.write_dynstr_section_header(layout.dynstr);
        let dynsym = writer.dynsym_index().0;
        named(writer, &layout.rela, elf::SHT_RELA, 0, dynsym, 24);
        let flags = [0, elf::SHF_EXECINSTR.0, elf::SHF_WRITE.0];
        for (part, flags) in layout.regions.iter().zip(flags) {
            named(writer, part, elf::SHT_PROGBITS, flags, 0, 0);
        }
        named(writer, &layout.table, elf::SHT_PROGBITS, elf::SHF_WRITE.0, 0, 8);
        writer.write_dynamic_section_header(layout.dynamic.address);
        if self.program.request.symbol_table {
            writer.write_symtab_section_header(1);
            writer.write_strtab_section_header();
        }
        writer.write_shstrtab_section_header();
    }
}

/// Entries of the dynamic section, the last one included; and those for relocations.
const DYNAMIC_TAGS: usize = 7;
const RELA_TAGS: usize = 4;

/// What goes into the file besides headers and symbols.
struct Contents {
    sections: BTreeMap<SectionId, Vec<u8>>,
    table: Vec<u8>,
    /// (place, address) pairs that the loader completes.
    rela: Vec<(u64, i64)>,
}

impl Fix<'_> {
    fn is_place(&self) -> bool {
        matches!(self.target, Meaning::Place(..))
    }
}

fn part(writer: &mut Writer<'_, TwoPhase>, size: u64, align: u64, shift: u64) -> Part {
    let offset = writer.reserve(size, align);
    Part { offset, address: offset + shift, size, align, index: 0 }
}

/// Places the sections of a region one after the other.
fn place(
    program: &Program<'_>,
    writer: &mut Writer<'_, TwoPhase>,
    region: Region,
    shift: u64,
    addresses: &mut BTreeMap<SectionId, u64>,
) -> Part {
    let sections = program.kept.iter().filter_map(|id| program.section(*id).map(|section| (*id, section)));
    let sections: Vec<_> = sections.filter(|(_, section)| section.region == region).collect();
    let align = sections.iter().map(|(_, section)| section.align).max().unwrap_or(1);
    let start = writer.reserve(0, align);
    for (id, section) in sections {
        addresses.insert(id, writer.reserve(section.bytes.len() as u64, section.align) + shift);
    }
    Part { offset: start, address: start + shift, size: writer.reserved_len() - start, align, index: 0 }
}

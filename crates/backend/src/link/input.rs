//! Object files as LLVM writes them: sections that are loaded, symbols and relocations, every offset checked.

use object::LittleEndian;
use object::elf;
use object::read::elf::{ElfFile64, FileHeader as _, Rela as _, SectionHeader as _, Sym as _};

use crate::errors::BackendError;

/// Where a section goes in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Region {
    /// Read only: constants.
    Constants,
    /// Read and executed.
    Code,
    /// Written once, by the loader: pointers.
    Pointers,
    /// Written by the program. No kernel has any.
    Writable,
}

/// One section that is loaded.
pub struct Section<'a> {
    pub name: &'a str,
    pub region: Region,
    pub align: u64,
    /// In memory, bytes.
    pub size: u64,
    /// In the file: none where it holds only zeros.
    pub bytes: &'a [u8],
    pub relocations: Vec<Relocation>,
}

/// `field at offset = form(kind)(symbol, addend)`.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    pub offset: u64,
    pub kind: u32,
    pub symbol: usize,
    pub addend: i64,
}

/// Where a symbol points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// Another object has to define it.
    Missing,
    /// In a section of this object.
    Section(usize),
    /// A number, not an address.
    Absolute,
}

/// One symbol.
#[derive(Clone, Copy, Debug)]
pub struct Symbol<'a> {
    pub name: &'a str,
    pub definition: Definition,
    pub value: u64,
    pub size: u64,
    pub info: elf::SymbolInfo,
    pub other: elf::SymbolOther,
}

impl Symbol<'_> {
    /// Seen from other objects.
    pub fn is_global(&self) -> bool {
        self.info.st_bind() != elf::STB_LOCAL
    }
}

/// What the headers of all objects have to agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub machine: elf::Machine,
    pub os_abi: elf::OsAbi,
    pub abi_version: u8,
    pub flags: elf::FileFlags,
}

/// One object file taken apart. Sections keep their numbers: those that are not loaded are `None`.
pub struct Object<'a> {
    pub name: &'a str,
    pub identity: Identity,
    pub sections: Vec<Option<Section<'a>>>,
    pub symbols: Vec<Symbol<'a>>,
    /// Sections of notes.
    pub notes: Vec<&'a [u8]>,
}

impl<'a> Object<'a> {
    /// Reads `bytes`; `name` names them in errors.
    pub fn read(name: &'a str, bytes: &'a [u8]) -> Result<Object<'a>, BackendError> {
        let broken = |reason: String| BackendError::Malformed { what: name.to_string(), reason };
        let file: ElfFile64<'a, LittleEndian> =
            ElfFile64::parse(bytes).map_err(|error| broken(format!("not a 64-bit little-endian ELF file: {error}")))?;
        Reader { name, file: &file, bytes }.object().map_err(|error| broken(error.to_string()))
    }

    /// Names that other objects have to define.
    pub fn undefined_symbols(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.symbols
            .iter()
            .filter(|symbol| symbol.definition == Definition::Missing && !symbol.name.is_empty())
            .map(|symbol| symbol.name)
    }
}

struct Reader<'f, 'a> {
    name: &'a str,
    file: &'f ElfFile64<'a, LittleEndian>,
    bytes: &'a [u8],
}

impl<'a> Reader<'_, 'a> {
    fn object(&self) -> object::Result<Object<'a>> {
        let header = self.file.elf_header();
        let identity = Identity {
            machine: header.e_machine(LittleEndian),
            os_abi: header.e_ident().os_abi,
            abi_version: header.e_ident().abi_version,
            flags: header.e_flags(LittleEndian),
        };
        let (mut sections, notes) = self.sections()?;
        let symbols = self.symbols(sections.len())?;
        self.relocations(&mut sections, symbols.len())?;
        Ok(Object { name: self.name, identity, sections, symbols, notes })
    }

    #[allow(clippy::type_complexity, reason = "two lists of one walk")]
    fn sections(&self) -> object::Result<(Vec<Option<Section<'a>>>, Vec<&'a [u8]>)> {
        let table = self.file.elf_section_table();
        let (mut sections, mut notes) = (Vec::new(), Vec::new());
        for header in table.iter() {
            let kind = header.sh_type(LittleEndian);
            let flags = header.sh_flags(LittleEndian).0;
            let loaded = flags & elf::SHF_ALLOC.0 != 0;
            if kind == elf::SHT_NOTE {
                notes.push(header.data(LittleEndian, self.bytes)?);
            }
            let holds_data = kind == elf::SHT_PROGBITS || kind == elf::SHT_NOBITS || kind == elf::SHT_INIT_ARRAY;
            if !loaded || !holds_data {
                sections.push(None);
                continue;
            }
            let name = std::str::from_utf8(table.section_name(LittleEndian, header)?).unwrap_or("?");
            let region = match (flags & elf::SHF_WRITE.0 != 0, flags & elf::SHF_EXECINSTR.0 != 0) {
                (false, false) => Region::Constants,
                (false, true) => Region::Code,
                (true, false) if name.starts_with(".data.rel.ro") => Region::Pointers,
                _ => Region::Writable,
            };
            sections.push(Some(Section {
                name,
                region,
                align: header.sh_addralign(LittleEndian).max(1),
                size: header.sh_size(LittleEndian),
                bytes: header.data(LittleEndian, self.bytes)?,
                relocations: Vec::new(),
            }));
        }
        Ok((sections, notes))
    }

    fn symbols(&self, sections: usize) -> object::Result<Vec<Symbol<'a>>> {
        let table = self.file.elf_symbol_table();
        let mut symbols = Vec::new();
        for (index, symbol) in table.enumerate() {
            let section = symbol.st_shndx(LittleEndian);
            let definition = if index.0 == 0 || section == elf::SHN_UNDEF {
                Definition::Missing
            } else if section == elf::SHN_ABS {
                Definition::Absolute
            } else {
                let section = table.symbol_section(LittleEndian, symbol, index)?.map(|section| section.0);
                Definition::Section(section.filter(|section| *section < sections).unwrap_or(usize::MAX))
            };
            symbols.push(Symbol {
                name: std::str::from_utf8(table.symbol_name(LittleEndian, symbol)?).unwrap_or("?"),
                definition,
                value: symbol.st_value(LittleEndian),
                size: symbol.st_size(LittleEndian),
                info: symbol.st_info(),
                other: symbol.st_other(),
            });
        }
        Ok(symbols)
    }

    fn relocations(&self, sections: &mut [Option<Section<'a>>], symbols: usize) -> object::Result<()> {
        for header in self.file.elf_section_table().iter() {
            let Some((entries, _)) = header.rela(LittleEndian, self.bytes)? else { continue };
            let target = header.sh_info(LittleEndian) as usize;
            let Some(Some(section)) = sections.get_mut(target) else { continue };
            for entry in entries {
                let symbol = entry.r_sym(LittleEndian, false) as usize;
                section.relocations.push(Relocation {
                    offset: entry.r_offset(LittleEndian),
                    kind: entry.r_type(LittleEndian, false).0,
                    symbol: if symbol < symbols { symbol } else { usize::MAX },
                    addend: entry.r_addend(LittleEndian),
                });
            }
        }
        Ok(())
    }
}

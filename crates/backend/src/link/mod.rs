//! The linker: the objects of all kernels of one target become one shared object, in process, with no installed tool.
//!
//! Four steps: read the objects; find what each symbol stands for; keep the sections that an exported symbol reaches;
//! place them, resolve their relocations and write the file. The kernels contract makes it small: no library is needed,
//! nothing runs at load time, there is no writable data, and only kernels are exported; an object that breaks the
//! contract is an error that names the symbol or section. Tests link the same objects by LLVM's ld.lld with
//! `--no-undefined` and compare.
//!
//! Example: two objects of 0x178 and 0x23c bytes of code and a kernel descriptor of 64 bytes each for gfx908 become
//! constants at 0xd00 (both descriptors), code at 0x1e00 and 0x2000, and the descriptors' entry offsets 0x1e00 − 0xd00
//! and 0x2000 − 0xd40.

mod image;
mod input;
mod relocation;

use std::collections::{BTreeSet, HashMap};

pub use input::Object;
use input::{Definition, Identity, Region, Section, Symbol};
use relocation::{MACHINES, MachineRules};

use super::errors::BackendError;

/// What is linked.
pub struct Request<'a> {
    /// The objects, in the order in which their sections are placed.
    pub objects: &'a [Object<'a>],
    /// The target in errors.
    pub target: String,
    /// Symbols that the image shows, in this order.
    pub exports: Vec<String>,
    /// The section of notes that the image carries.
    pub note: Option<Vec<u8>>,
    /// Whether a full symbol table is written besides the dynamic one: ROCm's loader reads it.
    pub symbol_table: bool,
}

/// A section by object and number.
type SectionId = (usize, usize);

/// What a symbol stands for.
#[derive(Clone, Copy)]
enum Meaning<'a> {
    /// A place in a section, with the symbol that names it.
    Place(SectionId, Symbol<'a>),
    /// A number.
    Number(u64),
}

/// The request with every symbol resolved.
struct Program<'a> {
    request: &'a Request<'a>,
    rules: &'static MachineRules,
    identity: Identity,
    globals: HashMap<&'a str, Meaning<'a>>,
    /// Sections that are placed, in order.
    kept: Vec<SectionId>,
}

/// Links the objects.
///
/// # Errors
/// `FX0430` where they do not make an image, naming the object and the symbol, section or relocation.
pub fn link(request: &Request<'_>) -> Result<Vec<u8>, BackendError> {
    let (identity, rules) = agreed(request)?;
    let globals = definitions(request)?;
    let mut program = Program { request, rules, identity, globals, kept: Vec::new() };
    program.kept = program.reached()?;
    image::write(&program)
}

fn refused(request: &Request<'_>, object: &str, reason: impl Into<String>) -> BackendError {
    BackendError::Unlinkable { target: request.target.clone(), object: object.to_string(), reason: reason.into() }
}

/// The identity that all objects share, and its machine's rules.
fn agreed(request: &Request<'_>) -> Result<(Identity, &'static MachineRules), BackendError> {
    let first = request.objects.first().ok_or_else(|| refused(request, "the image", "there is nothing to link"))?;
    for object in request.objects {
        if object.identity != first.identity {
            return Err(refused(request, object.name, format!("it is for another machine than {}", first.name)));
        }
    }
    let rules = MACHINES.iter().find(|rules| rules.machine == first.identity.machine);
    let rules = rules.ok_or_else(|| {
        refused(request, first.name, format!("ELF machine {} is not known", first.identity.machine.0))
    })?;
    Ok((first.identity, rules))
}

/// Every symbol that is seen from other objects; a strong definition wins over weak ones.
fn definitions<'a>(request: &'a Request<'a>) -> Result<HashMap<&'a str, Meaning<'a>>, BackendError> {
    let mut globals: HashMap<&str, (Meaning<'_>, bool)> = HashMap::new();
    for (number, object) in request.objects.iter().enumerate() {
        for symbol in object.symbols.iter().filter(|symbol| symbol.is_global()) {
            let Some(meaning) = meaning(request, number, symbol)? else { continue };
            let strong = symbol.info.st_bind() != object::elf::STB_WEAK;
            match globals.get(symbol.name) {
                Some((_, true)) if strong => {
                    return Err(refused(request, object.name, format!("symbol `{}` is defined twice", symbol.name)));
                }
                Some(_) if !strong => {}
                _ => {
                    globals.insert(symbol.name, (meaning, strong));
                }
            }
        }
    }
    Ok(globals.into_iter().map(|(name, (meaning, _))| (name, meaning)).collect())
}

/// What a symbol of object `number` stands for by itself; None when another object has to say.
fn meaning<'a>(request: &Request<'a>, number: usize, symbol: &Symbol<'a>) -> Result<Option<Meaning<'a>>, BackendError> {
    Ok(match symbol.definition {
        Definition::Missing => None,
        Definition::Absolute => Some(Meaning::Number(symbol.value)),
        Definition::Section(section) => {
            let object = request.objects.get(number);
            if object.and_then(|object| object.sections.get(section)).is_none() {
                let name = object.map_or("the image", |object| object.name);
                return Err(refused(request, name, format!("symbol `{}` is in no section", symbol.name)));
            }
            Some(Meaning::Place((number, section), *symbol))
        }
    })
}

impl<'a> Program<'a> {
    fn refused(&self, object: usize, reason: impl Into<String>) -> BackendError {
        let name = self.request.objects.get(object).map_or("the image", |object| object.name);
        refused(self.request, name, reason)
    }

    fn section(&self, (object, section): SectionId) -> Option<&'a Section<'a>> {
        self.request.objects.get(object)?.sections.get(section)?.as_ref()
    }

    /// What symbol `index` of object `number` stands for.
    fn resolve(&self, number: usize, index: usize) -> Result<Meaning<'a>, BackendError> {
        let symbol = self.request.objects.get(number).and_then(|object| object.symbols.get(index));
        let symbol = symbol.ok_or_else(|| self.refused(number, "a relocation names no symbol"))?;
        if symbol.is_global()
            && let Some(meaning) = self.globals.get(symbol.name)
        {
            return Ok(*meaning);
        }
        meaning(self.request, number, symbol)?
            .ok_or_else(|| self.refused(number, format!("symbol `{}` is not defined", symbol.name)))
    }

    /// What an exported name stands for.
    fn export(&self, name: &str) -> Result<(SectionId, Symbol<'a>), BackendError> {
        match self.globals.get(name) {
            Some(Meaning::Place(section, symbol)) => Ok((*section, *symbol)),
            _ => Err(refused(self.request, "the image", format!("kernel symbol `{name}` is not defined"))),
        }
    }

    /// The sections that exported symbols reach, by region and then in the order of the objects.
    fn reached(&self) -> Result<Vec<SectionId>, BackendError> {
        let mut found = BTreeSet::new();
        let mut open = Vec::new();
        for name in &self.request.exports {
            open.push(self.export(name)?.0);
        }
        while let Some(id) = open.pop() {
            let Some(section) = self.section(id) else {
                return Err(self.refused(id.0, "a symbol lies in a section that is not loaded"));
            };
            if section.region == Region::Writable && section.size != 0 {
                return Err(self
                    .refused(id.0, format!("section `{}` is writable data, which kernels cannot have", section.name)));
            }
            if !section.align.is_power_of_two() || section.align > self.rules.page {
                return Err(
                    self.refused(id.0, format!("section `{}` is aligned to {} bytes", section.name, section.align))
                );
            }
            if !found.insert((section.region, id)) {
                continue;
            }
            for relocation in &section.relocations {
                if let Meaning::Place(target, _) = self.resolve(id.0, relocation.symbol)? {
                    open.push(target);
                }
            }
        }
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }
}

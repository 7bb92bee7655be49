//! Writing a module: the same input gives the same bytes, and nothing is written that the reader would refuse.
//!
//! ```no_run
//! # use fornax_module::{ModuleBuilder, ModuleError, manifest::Manifest, program::Program};
//! # fn weights() -> Vec<u8> { vec![] }
//! # fn main() -> Result<(), ModuleError> {
//! let mut builder = ModuleBuilder::new(Manifest::default());
//! let offset = builder.add_constant(weights());     // borrowed or owned
//! let program = builder.add_program(Program::default());
//! let image = builder.add_image(vec![]);
//! // … builder.manifest.targets.push(TargetEntry { program, images: … });
//! builder.write_to(&mut std::io::stdout())?;
//! # Ok(()) }
//! ```
//! Constants are not collected: borrowed slices are read where they lie, and generated ones are asked for twice, once
//! to hash and once to write, because the table with the hash comes first in the file.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::errors::ModuleError;
use crate::format::{
    CONSTANTS_ALIGN_LOG2, ENTRY_BYTES, HEADER_BYTES, Hash, Header, IMAGE_ALIGN_LOG2, MAJOR, MINOR, SECTION_ALIGN_LOG2,
    Section, SectionKind, align_up, hash,
};
use crate::integrity::contents_hash;
use crate::limits::{LIMITS, within};
use crate::manifest::{FORMAT, Manifest};
use crate::program::Program;
use crate::read::check_contents;
use crate::records;

/// Alignment of each constant inside the constants section, bytes: enough for any vector load or bulk copy.
pub(crate) const CONSTANT_ALIGN: u64 = 256;

/// Collects the parts of a module and writes it.
#[derive(Default)]
pub struct ModuleBuilder<'a> {
    /// Signature, parameters, targets, provenance. `format`, `constants_bytes` and `section_names` are set here.
    pub manifest: Manifest,
    programs: Vec<Program>,
    images: Vec<Cow<'a, [u8]>>,
    debug: Vec<(String, Cow<'a, [u8]>)>,
    constants: Vec<Constant<'a>>,
    constants_bytes: u64,
}

/// Writes the bytes of a constant; called twice, must give the same bytes.
type ConstantSource<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

enum Data<'a> {
    Bytes(Cow<'a, [u8]>),
    Source(ConstantSource<'a>),
}

struct Constant<'a> {
    offset: u64,
    len: u64,
    data: Data<'a>,
}

/// One section before it has a place.
struct Part<'p> {
    kind: SectionKind,
    align_log2: u8,
    target: Option<u16>,
    name: Option<u16>,
    len: u64,
    hash: Hash,
    body: Body<'p>,
}

enum Body<'p> {
    Bytes(&'p [u8]),
    Constants,
}

impl<'p> Part<'p> {
    fn new(kind: SectionKind, align_log2: u8, bytes: &'p [u8]) -> Self {
        let (len, hash) = (bytes.len() as u64, hash(bytes));
        Part { kind, align_log2, target: None, name: None, len, hash, body: Body::Bytes(bytes) }
    }
}

impl<'a> ModuleBuilder<'a> {
    /// Starts a module.
    pub fn new(manifest: Manifest) -> Self {
        Self { manifest, ..Self::default() }
    }

    /// Adds a program, or finds the equal one; returns the number for `TargetEntry::program`.
    pub fn add_program(&mut self, program: Program) -> u32 {
        if let Some(at) = self.programs.iter().position(|p| *p == program) {
            return at as u32;
        }
        self.programs.push(program);
        (self.programs.len() - 1) as u32
    }

    /// Adds an executable image, or finds the equal one; returns the number for `ImageEntry::section`.
    /// PTX must end with one NUL: pass its text through [`ptx_image`].
    pub fn add_image(&mut self, bytes: impl Into<Cow<'a, [u8]>>) -> u32 {
        let bytes = bytes.into();
        if let Some(at) = self.images.iter().position(|i| *i == bytes) {
            return at as u32;
        }
        self.images.push(bytes);
        (self.images.len() - 1) as u32
    }

    /// Adds data for people and tools, found again by name.
    pub fn add_debug(&mut self, name: impl Into<String>, bytes: impl Into<Cow<'a, [u8]>>) {
        self.debug.push((name.into(), bytes.into()));
    }

    /// Adds a constant, borrowed or owned; returns its offset in `Space::Constant`, a multiple of 256.
    pub fn add_constant(&mut self, bytes: impl Into<Cow<'a, [u8]>>) -> u64 {
        let bytes = bytes.into();
        let len = bytes.len() as u64;
        self.push_constant(len, Data::Bytes(bytes))
    }

    /// Adds a constant of `len` bytes that `source` writes when asked (twice, the same bytes each time).
    pub fn add_constant_from(&mut self, len: u64, source: impl Fn(&mut dyn Write) -> io::Result<()> + 'a) -> u64 {
        self.push_constant(len, Data::Source(Box::new(source)))
    }

    fn push_constant(&mut self, len: u64, data: Data<'a>) -> u64 {
        let offset = self.constants_bytes.saturating_add(CONSTANT_ALIGN - 1) / CONSTANT_ALIGN * CONSTANT_ALIGN;
        self.constants.push(Constant { offset, len, data });
        self.constants_bytes = offset.saturating_add(len);
        offset
    }

    /// Bytes of constant data so far.
    pub fn constants_bytes(&self) -> u64 {
        self.constants_bytes
    }

    /// Checks everything and writes the file; returns its length.
    ///
    /// # Errors
    /// FX0607, FX0609, FX0610, FX0612 where the module is not one the reader would take, FX0614 where a constant's
    /// source is not as announced, FX0615 where `out` fails.
    pub fn write_to(&self, out: &mut dyn Write) -> Result<u64, ModuleError> {
        let mut manifest = self.finished_manifest();
        manifest.check()?;
        let images: Vec<&[u8]> = self.images.iter().map(AsRef::as_ref).collect();
        check_contents(&manifest, &self.programs, &images)?;
        let programs = self.programs.iter().map(records::encode).collect::<Result<Vec<_>, _>>()?;
        let mut parts = self.parts(&programs)?;
        manifest.contents_hash = contents_hash(&layout(&parts)?.1);
        let json = manifest.to_json()?;
        parts.insert(0, Part::new(SectionKind::Manifest, SECTION_ALIGN_LOG2, &json));
        let (header, sections) = layout(&parts)?;
        let mut out = Counter { out, written: 0 };
        self.emit(&mut out, &header, &sections, &parts).map_err(|e| ModuleError::io("writing the module", &e))?;
        if out.written != header.file_len {
            return Err(ModuleError::Write {
                what: "a constant's source gave another number of bytes than announced".into(),
            });
        }
        Ok(out.written)
    }

    /// The file in memory, for small modules and tests.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModuleError> {
        let mut out = Vec::new();
        self.write_to(&mut out)?;
        Ok(out)
    }

    fn finished_manifest(&self) -> Manifest {
        let mut manifest = self.manifest.clone();
        manifest.format = FORMAT.into();
        manifest.constants_bytes = self.constants_bytes;
        manifest.section_names = self.debug.iter().map(|d| d.0.clone()).collect();
        manifest
    }

    /// All sections but the manifest, which holds a hash of them.
    fn parts<'p>(&'p self, programs: &'p [Vec<u8>]) -> Result<Vec<Part<'p>>, ModuleError> {
        let targets = &self.manifest.targets;
        let mut parts = Vec::new();
        for (index, bytes) in (0u32..).zip(programs) {
            let target = targets.iter().position(|t| t.program == index).and_then(|t| u16::try_from(t).ok());
            parts.push(Part { target, ..Part::new(SectionKind::Program, SECTION_ALIGN_LOG2, bytes) });
        }
        for (index, bytes) in (0u32..).zip(&self.images) {
            let target = targets.iter().position(|t| t.images.iter().any(|i| i.section == index));
            let target = target.and_then(|t| u16::try_from(t).ok());
            parts.push(Part { target, ..Part::new(SectionKind::Image, IMAGE_ALIGN_LOG2, bytes) });
        }
        for (index, (_, bytes)) in (0u16..).zip(&self.debug) {
            parts.push(Part { name: Some(index), ..Part::new(SectionKind::Debug, SECTION_ALIGN_LOG2, bytes) });
        }
        if self.constants_bytes > 0 {
            let (kind, align_log2, len) = (SectionKind::Constants, CONSTANTS_ALIGN_LOG2, self.constants_bytes);
            let hash = self.hash_constants()?;
            parts.push(Part { kind, align_log2, target: None, name: None, len, hash, body: Body::Constants });
        }
        Ok(parts)
    }

    fn hash_constants(&self) -> Result<Hash, ModuleError> {
        let mut hasher = blake3::Hasher::new();
        let mut out = Counter { out: &mut hasher, written: 0 };
        self.write_constants(&mut out).map_err(|e| ModuleError::io("reading a constant", &e))?;
        if out.written != self.constants_bytes {
            return Err(ModuleError::Write {
                what: "a constant's source gave another number of bytes than announced".into(),
            });
        }
        Ok(*hasher.finalize().as_bytes())
    }

    fn write_constants(&self, out: &mut Counter) -> io::Result<()> {
        let start = out.written;
        for constant in &self.constants {
            out.zeros(start.saturating_add(constant.offset))?;
            match &constant.data {
                Data::Bytes(bytes) => out.write_all(bytes)?,
                Data::Source(source) => source(out)?,
            }
            if out.written != start.saturating_add(constant.offset).saturating_add(constant.len) {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a constant is not as long as announced"));
            }
        }
        Ok(())
    }

    fn emit(&self, out: &mut Counter, header: &Header, sections: &[Section], parts: &[Part]) -> io::Result<()> {
        out.write_all(&header.encode())?;
        for section in sections {
            out.write_all(&section.encode())?;
        }
        for (section, part) in sections.iter().zip(parts) {
            out.zeros(section.offset)?;
            match part.body {
                Body::Bytes(bytes) => out.write_all(bytes)?,
                Body::Constants => self.write_constants(out)?,
            }
        }
        out.flush()
    }
}

/// PTX text as an image: with the NUL at its end.
pub fn ptx_image(mut text: Vec<u8>) -> Vec<u8> {
    if text.last() != Some(&0) {
        text.push(0);
    }
    text
}

/// Gives every part its place.
fn layout(parts: &[Part]) -> Result<(Header, Vec<Section>), ModuleError> {
    within("number of sections", parts.len() as u64, LIMITS.sections)?;
    let too_long = || ModuleError::Write { what: "the file is too long".into() };
    let mut end = (HEADER_BYTES + ENTRY_BYTES * parts.len()) as u64;
    let mut sections = Vec::with_capacity(parts.len());
    for part in parts {
        let (len, hash) = (part.len, part.hash);
        if len == 0 {
            return Err(ModuleError::Write { what: format!("a {} section is empty", part.kind.name()) });
        }
        let offset = align_up(end, part.align_log2).ok_or_else(too_long)?;
        end = offset.checked_add(len).ok_or_else(too_long)?;
        let must_understand = part.kind != SectionKind::Debug;
        let (kind, align_log2, target, name) = (part.kind, part.align_log2, part.target, part.name);
        sections.push(Section { kind, must_understand, offset, len, align_log2, target, name, hash });
    }
    let table: Vec<u8> = sections.iter().flat_map(Section::encode).collect();
    let header = Header {
        major: MAJOR,
        minor: MINOR,
        file_len: end,
        section_count: sections.len() as u32,
        features: 0,
        table_hash: hash(&table),
    };
    Ok((header, sections))
}

/// Counts what is written, to know the place in the file without seeking.
struct Counter<'w> {
    out: &'w mut dyn Write,
    written: u64,
}

impl Counter<'_> {
    /// Writes zeros up to a place.
    fn zeros(&mut self, until: u64) -> io::Result<()> {
        const ZEROS: [u8; 4096] = [0; 4096];
        while self.written < until {
            let count = (until - self.written).min(ZEROS.len() as u64) as usize;
            self.write_all(ZEROS.get(..count).unwrap_or(&ZEROS))?;
        }
        Ok(())
    }
}

impl Write for Counter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.written = self.written.saturating_add(count as u64);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

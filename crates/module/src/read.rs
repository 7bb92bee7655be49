//! Reading a module: every structural check, on any bytes, without panic and without `unsafe`.
//!
//! Input: the bytes of a file (a slice, a vector, a mapping: anything that gives a slice). Output: a
//! [`ParsedModule`] with manifest and programs decoded and owned, and images and constants left where they are.
//! The hash of the constants is checked by its own call ([`ParsedModule::verify_constants`]), so that whoever runs the
//! module can do it while other work goes on. When the others are checked is [`Verify`].
//!
//! The bytes of a mapped file may change under the reader. What is decoded is owned; images are loaded from
//! [`ParsedModule::copy_image`], a private copy that is hashed and checked again; no access panics.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use crate::check::check_program;
use crate::errors::ModuleError;
use crate::format::{Header, Section, SectionKind, decode_table};
use crate::image::{check_image, missing_kernel};
use crate::integrity::{self, Verify};
use crate::manifest::{ImageEntry, ImageKind, Manifest, TargetEntry};
use crate::program::Program;
use crate::records;

/// A module whose structure has been checked. Not yet one to run: see `trust.rs`.
#[derive(Clone, Debug)]
pub struct ParsedModule<B> {
    bytes: B,
    header: Header,
    sections: Vec<Section>,
    manifest: Manifest,
    programs: Vec<Program>,
    /// Indices of the image sections.
    images: Vec<usize>,
    verify: Verify,
}

impl<B: AsRef<[u8]>> ParsedModule<B> {
    /// Reads a whole module file and checks the hashes of all sections but the constants.
    ///
    /// # Errors
    /// FX0601 to FX0610 and FX0612, for the first thing found wrong.
    pub fn parse(bytes: B) -> Result<Self, ModuleError> {
        Self::parse_with(bytes, Verify::Full)
    }

    /// Reads a whole module file; `verify` says which hashes are checked now and later.
    ///
    /// # Errors
    /// As [`ParsedModule::parse`].
    pub fn parse_with(bytes: B, verify: Verify) -> Result<Self, ModuleError> {
        let file = bytes.as_ref();
        let header = Header::decode(file)?;
        let sections = decode_table(file, &header)?;
        let now = |kind: SectionKind| match verify {
            Verify::Full => kind != SectionKind::Constants,
            Verify::Lazy => matches!(kind, SectionKind::Manifest | SectionKind::Program),
            Verify::Off => false,
        };
        for (index, section) in sections.iter().enumerate().filter(|(_, s)| now(s.kind)) {
            section.verify(index, section.bytes(file)?)?;
        }
        let manifest = Manifest::from_json(only(&sections, SectionKind::Manifest)?.bytes(file)?)?;
        check_section_fields(&sections, &manifest)?;
        let programs = sections.iter().filter(|s| s.kind == SectionKind::Program);
        let programs = programs.map(|s| records::decode(s.bytes(file)?)).collect::<Result<Vec<_>, _>>()?;
        let images = sections.iter().enumerate().filter(|(_, s)| s.kind == SectionKind::Image);
        let images: Vec<usize> = images.map(|(index, _)| index).collect();
        let mut image_bytes = Vec::with_capacity(images.len());
        for section in sections.iter().filter(|s| s.kind == SectionKind::Image) {
            image_bytes.push(section.bytes(file)?);
        }
        check_contents(&manifest, &programs, &image_bytes)?;
        // Last, so that a fault with a name of its own is named.
        if verify != Verify::Off && manifest.contents_hash != integrity::contents_hash(&sections) {
            let section = "what the module runs (its manifest's hash of programs, images and constants)".into();
            return Err(ModuleError::Hash { section });
        }
        Ok(Self { header, sections, manifest, programs, images, bytes, verify })
    }

    fn section_bytes(&self, section: &Section) -> Result<&[u8], ModuleError> {
        section.bytes(self.bytes.as_ref())
    }

    /// The bytes of image `index` (as in `ImageEntry::section`), where they lie in the file.
    pub fn image(&self, index: u32) -> Result<&[u8], ModuleError> {
        self.section_bytes(self.image_section(index)?.1)
    }

    /// A private copy of an image, hashed (unless [`Verify::Off`]) and checked after copying: what a driver is given.
    pub fn copy_image(&self, entry: &ImageEntry) -> Result<Vec<u8>, ModuleError> {
        let (at, section) = self.image_section(entry.section)?;
        let copy = self.section_bytes(section)?.to_vec();
        if self.verify != Verify::Off {
            section.verify(at, &copy)?;
        }
        check_image(entry.kind, &copy).map_err(|what| ModuleError::image(entry.title(), what))?;
        Ok(copy)
    }

    fn image_section(&self, index: u32) -> Result<(usize, &Section), ModuleError> {
        let at = self.images.get(index as usize).copied();
        at.and_then(|at| Some((at, self.sections.get(at)?)))
            .ok_or_else(|| ModuleError::image(index.to_string(), "there is no such image section"))
    }

    /// The constant data; empty where the module has none.
    pub fn constants(&self) -> Result<&[u8], ModuleError> {
        self.sections
            .iter()
            .find(|s| s.kind == SectionKind::Constants)
            .map_or(Ok(&[][..]), |section| self.section_bytes(section))
    }

    /// Checks the constant data against its hash, whatever [`Verify`] says. Reads all of it, by several threads.
    ///
    /// # Errors
    /// FX0606 where they differ.
    pub fn verify_constants(&self) -> Result<(), ModuleError> {
        self.verify_constants_until(&AtomicBool::new(false)).map(drop)
    }

    /// As [`ParsedModule::verify_constants`], but ends early, with `false`, once `stop` is true.
    ///
    /// # Errors
    /// FX0606 where they differ.
    pub fn verify_constants_until(&self, stop: &AtomicBool) -> Result<bool, ModuleError> {
        let constants = self.sections.iter().enumerate().filter(|(_, s)| s.kind == SectionKind::Constants);
        for (index, section) in constants {
            let bytes = self.section_bytes(section)?;
            let Some(hash) = integrity::hash_in_parallel(bytes, integrity::threads(), stop) else { return Ok(false) };
            section.compare(index, &hash)?;
        }
        Ok(true)
    }

    /// The debug section of a name; with [`Verify::Lazy`] its hash is checked here.
    ///
    /// # Errors
    /// FX0606 where it differs.
    pub fn debug(&self, name: &str) -> Result<Option<&[u8]>, ModuleError> {
        let names = &self.manifest.section_names;
        let named = |s: &&Section| s.name.and_then(|n| names.get(usize::from(n))).is_some_and(|n| n == name);
        let debug = self.sections.iter().enumerate().filter(|(_, s)| s.kind == SectionKind::Debug);
        let Some((index, section)) = debug.into_iter().find(|(_, s)| named(s)) else { return Ok(None) };
        let bytes = self.section_bytes(section)?;
        if self.verify == Verify::Lazy {
            section.verify(index, bytes)?;
        }
        Ok(Some(bytes))
    }
}

impl<B> ParsedModule<B> {
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// When hashes are checked.
    pub fn verify(&self) -> Verify {
        self.verify
    }

    /// The section table.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All programs; `TargetEntry::program` is an index into them.
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// The program of a target of the manifest.
    pub fn program_of(&self, target: &TargetEntry) -> Option<&Program> {
        self.programs.get(target.program as usize)
    }

    /// Where the constant data lies in the file, bytes; empty at 0 where the module has none. Page aligned.
    pub fn constants_range(&self) -> Range<u64> {
        let section = self.sections.iter().find(|s| s.kind == SectionKind::Constants);
        section.map_or(0..0, |s| s.offset..s.offset.saturating_add(s.len))
    }

    /// The bytes the module was read from.
    pub fn source(&self) -> &B {
        &self.bytes
    }
}

impl ImageEntry {
    /// `ptx sm_60`.
    pub fn title(&self) -> String {
        format!("{} {}", self.kind.name(), self.arch)
    }
}

fn only(sections: &[Section], kind: SectionKind) -> Result<&Section, ModuleError> {
    let mut all = sections.iter().filter(|s| s.kind == kind);
    match (all.next(), all.next()) {
        (Some(section), None) => Ok(section),
        (None, _) => Err(ModuleError::table(format!("there is no {} section", kind.name()))),
        _ => Err(ModuleError::table(format!("there are two {} sections", kind.name()))),
    }
}

/// Targets, names and the constants' size as the manifest says.
fn check_section_fields(sections: &[Section], manifest: &Manifest) -> Result<(), ModuleError> {
    for (index, section) in sections.iter().enumerate() {
        let target = section.target.is_none_or(|t| usize::from(t) < manifest.targets.len());
        let name = section.name.is_none_or(|n| usize::from(n) < manifest.section_names.len());
        if !target || !name {
            return Err(ModuleError::table(format!(
                "section {index} names a target or a name that the manifest lacks"
            )));
        }
    }
    let has_constants = sections.iter().any(|s| s.kind == SectionKind::Constants);
    let bytes = if has_constants { only(sections, SectionKind::Constants)?.len } else { 0 };
    if bytes != manifest.constants_bytes {
        let said = manifest.constants_bytes;
        return Err(ModuleError::manifest(format!("it says {said} bytes of constants, the file has {bytes}")));
    }
    Ok(())
}

/// Checks programs and images against the manifest; shared by the reader and the writer. Every program and every
/// image belongs to a target, so that everything in the file has been checked.
pub(crate) fn check_contents(manifest: &Manifest, programs: &[Program], images: &[&[u8]]) -> Result<(), ModuleError> {
    let mut exports: HashMap<(u32, ImageKind), HashSet<&str>> = HashMap::new();
    let (mut programs_seen, mut images_seen) = (HashSet::new(), HashSet::new());
    let mut pairs = HashSet::new();
    for target in &manifest.targets {
        let program = programs.get(target.program as usize);
        let program = program.ok_or_else(|| ModuleError::manifest(format!("{}: no such program", target.title())))?;
        if programs_seen.insert((target.program, target.backend == "cpu")) {
            check_program(program, manifest, &target.backend)?;
        }
        for entry in &target.images {
            let title = || format!("{} of {}", entry.title(), target.title());
            let key = (entry.section, entry.kind);
            let bytes = images.get(entry.section as usize).copied();
            let bytes = bytes.ok_or_else(|| ModuleError::image(title(), "there is no such image section"))?;
            if let std::collections::hash_map::Entry::Vacant(slot) = exports.entry(key) {
                slot.insert(check_image(entry.kind, bytes).map_err(|what| ModuleError::image(title(), what))?);
            }
            images_seen.insert(entry.section);
            if pairs.insert((target.program, key))
                && let Some(kernel) = exports.get(&key).and_then(|names| missing_kernel(entry.kind, names, program))
            {
                return Err(ModuleError::image(title(), format!("it does not export kernel {kernel}")));
            }
        }
    }
    let unused = (0..programs.len() as u32).find(|p| !programs_seen.iter().any(|seen| seen.0 == *p));
    if let Some(program) = unused {
        return Err(ModuleError::manifest(format!("no target uses program {program}")));
    }
    if let Some(image) = (0..images.len() as u32).find(|image| !images_seen.contains(image)) {
        return Err(ModuleError::manifest(format!("no target uses image {image}")));
    }
    Ok(())
}

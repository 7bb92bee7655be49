//! `fornax verify-file MODULE`: every hash, then every record, image and rule that a reader checks; nothing is run.
//!
//! Sections are hashed first, all of them, so that a damaged one is named whatever else its damage does.
//! Exit code 2 where anything is wrong.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use fornax_module::format::{Header, Section, decode_table};
use fornax_module::manifest::Manifest;
use fornax_module::{ModuleError, ParsedModule, Verify, integrity};
use serde::Serialize;

use crate::args::{Format, VerifyFileArgs};
use crate::commands::loading;
use crate::failure::Failure;
use crate::output::say;

#[derive(Serialize)]
struct Report {
    module: String,
    format_version: String,
    file_bytes: usize,
    sections: Vec<SectionReport>,
    /// What was checked behind the hashes; absent where a hash differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<Contents>,
}

#[derive(Serialize)]
struct SectionReport {
    index: usize,
    kind: &'static str,
    offset: u64,
    bytes: u64,
    hash: String,
    matches: bool,
}

#[derive(Serialize)]
struct Contents {
    functions: usize,
    targets: usize,
    programs: usize,
    kernels: usize,
    commands: usize,
    images: usize,
}

pub fn run(args: &VerifyFileArgs) -> Result<()> {
    let file = loading::read(&args.module)?;
    let bytes = file.bytes();
    let header = Header::decode(bytes).map_err(|e| Failure::in_module(&args.module, e))?;
    let table = decode_table(bytes, &header).map_err(|e| Failure::in_module(&args.module, e))?;
    let mut report = Report {
        module: args.module.display().to_string(),
        format_version: format!("{}.{}", header.major, header.minor),
        file_bytes: bytes.len(),
        sections: Vec::with_capacity(table.len()),
        contents: None,
    };
    let mut damaged = Vec::new();
    for (index, section) in table.iter().enumerate() {
        let (row, checked) = hash(index, section, bytes)?;
        report.sections.push(row);
        damaged.extend(checked.err());
    }
    let parsed = if damaged.is_empty() { Some(ParsedModule::parse_with(bytes, Verify::Off)) } else { None };
    if let Some(Ok(module)) = &parsed {
        report.contents = Some(contents(module));
    }
    match args.format {
        Format::Json => say!("{}", serde_json::to_string_pretty(&report)?),
        Format::Text => print(&report),
    }
    if let Some(Err(error)) = parsed {
        return Err(Failure::in_module(&args.module, error).into());
    }
    match damaged.into_iter().next() {
        Some(error) => Err(Failure::in_module(&args.module, error).into()),
        None => Ok(()),
    }
}

fn hash(index: usize, section: &Section, file: &[u8]) -> Result<(SectionReport, Result<(), ModuleError>)> {
    let bytes = section.bytes(file).map_err(Failure::from)?;
    let never = AtomicBool::new(false);
    let found = integrity::hash_in_parallel(bytes, integrity::threads(), &never);
    let found = found.ok_or_else(|| Failure::usage("hashing was stopped"))?;
    let checked = section.compare(index, &found);
    let row = SectionReport {
        index,
        kind: section.kind.name(),
        offset: section.offset,
        bytes: section.len,
        hash: found.iter().map(|byte| format!("{byte:02x}")).collect(),
        matches: checked.is_ok(),
    };
    Ok((row, checked))
}

fn contents(module: &ParsedModule<&[u8]>) -> Contents {
    let manifest: &Manifest = module.manifest();
    let commands = module.programs().iter().flat_map(|program| &program.blocks).map(|block| block.commands.len());
    Contents {
        functions: manifest.functions.len(),
        targets: manifest.targets.len(),
        programs: module.programs().len(),
        kernels: module.programs().iter().map(|program| program.kernels.len()).sum(),
        commands: commands.sum(),
        images: manifest.targets.iter().map(|target| target.images.len()).sum(),
    }
}

fn print(report: &Report) {
    say!("{} - format {}, {} bytes", report.module, report.format_version, report.file_bytes);
    say!("header and section table: ok");
    for row in &report.sections {
        let short = row.hash.get(..16).unwrap_or(&row.hash);
        let verdict = if row.matches { "ok" } else { "DIFFERS from its hash in the section table" };
        say!(
            "section {:<3} {:<10} {:>12} bytes at {:<10} blake3 {short}…  {verdict}",
            row.index,
            row.kind,
            row.bytes,
            row.offset
        );
    }
    if let Some(c) = &report.contents {
        say!(
            "manifest, programs and images: ok ({} functions, {} targets, {} programs with {} kernels and {} commands, \
             {} images)",
            c.functions,
            c.targets,
            c.programs,
            c.kernels,
            c.commands,
            c.images
        );
    }
}

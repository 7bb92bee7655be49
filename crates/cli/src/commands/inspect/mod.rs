//! `fornax inspect MODULE`: signature, targets, kernels with their resources, memory plan, provenance; of an AMD code
//! object its kernels. With `--report` all of it as a page to look at.

mod amd;
mod collectives;
mod loops;
mod report;
mod why;

use std::path::PathBuf;

use anyhow::Result;
use fornax_module::manifest::{DimSig, Manifest, TensorSignature};
use fornax_module::program::{Command, Kernel, Program};
use fornax_module::read::ParsedModule;
use serde::Serialize;

use crate::args::{Format, InspectArgs};
use crate::failure::Failure;
use crate::output::say;
use amd::{AmdReport, CodeObjectReport, Reports};
use loops::Loops;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    manifest: &'a Manifest,
    file_bytes: usize,
    programs: Vec<ProgramReport<'a>>,
    /// What could not be found out, and why.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct ProgramReport<'a> {
    targets: Vec<String>,
    kernels: Vec<KernelReport<'a>>,
    dispatches: usize,
    persistent_bytes: u64,
    /// Of a module for several devices: one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collectives: Vec<String>,
}

#[derive(Serialize)]
struct KernelReport<'a> {
    name: &'a str,
    hero: &'a str,
    summary: &'a str,
    block: [u32; 3],
    /// Registers of a thread and bytes that are spilled, where the image's compiler tells.
    registers: Option<u32>,
    spill_bytes: Option<u32>,
    static_shared_bytes: u32,
    dynamic_shared_bytes: u32,
    scratch_bytes: u32,
    bindings: u32,
    tensor_maps: usize,
    cluster: [u32; 3],
    flops: u64,
    arithmetic: &'a str,
    bytes: u64,
    note: &'a str,
    /// One for each AMD image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    amd: Vec<AmdReport>,
}

pub fn run(args: &InspectArgs) -> Result<()> {
    let file = super::loading::read(&args.module)?;
    let bytes = file.bytes();
    if let Some(kernel) = &args.why {
        return why::print(args, kernel, bytes);
    }
    if args.report.is_some() {
        let module = ParsedModule::parse(bytes).map_err(|e| Failure::in_module(&args.module, e))?;
        return report::write(args, &module, bytes.len());
    }
    let loops = args.loops.then(|| Loops::find(&tool_folders()));
    if let Some(report) = amd::code_object(bytes, loops.as_ref()) {
        return print_code_object(&report, args.format);
    }
    let module = ParsedModule::parse(bytes).map_err(|e| Failure::in_module(&args.module, e))?;
    let report = module_report(&module, bytes.len(), args.target.as_deref(), loops.as_ref());
    match args.format {
        Format::Json => say!("{}", serde_json::to_string_pretty(&report)?),
        Format::Text => print_text(&report),
    }
    Ok(())
}

fn print_code_object(report: &CodeObjectReport, format: Format) -> Result<()> {
    match format {
        Format::Json => say!("{}", serde_json::to_string_pretty(report)?),
        Format::Text => {
            for kernel in &report.kernels {
                say!("{}", kernel.name);
                kernel.report.lines().iter().for_each(|line| say!("  {line}"));
            }
            report.notes.iter().for_each(|note| say!("note: {note}"));
        }
    }
    Ok(())
}

/// The PATH, then where Debian keeps LLVM.
fn tool_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    folders.push("/usr/lib/llvm-22/bin".into());
    folders
}

fn module_report<'a>(
    module: &'a ParsedModule<&'a [u8]>,
    file_bytes: usize,
    only: Option<&str>,
    loops: Option<&Loops>,
) -> Report<'a> {
    let manifest = module.manifest();
    let mut notes: Vec<String> = loops.and_then(Loops::missing).map(String::from).into_iter().collect();
    let mut programs = Vec::new();
    for (program, index) in module.programs().iter().zip(0u32..) {
        let of_program = manifest.targets.iter().filter(|t| t.program == index);
        let wanted: Vec<_> =
            of_program.filter(|t| only.is_none_or(|name| t.arch == name || t.backend == name)).collect();
        if !wanted.is_empty() {
            let targets = wanted.iter().map(|t| format!("{}:{}", t.backend, t.arch)).collect();
            let amd = amd::reports(module, program, wanted.into_iter(), loops, &mut notes);
            programs.push(program_report(program, targets, amd));
        }
    }
    Report { manifest, file_bytes, programs, notes }
}

fn program_report(program: &Program, targets: Vec<String>, mut amd: Reports) -> ProgramReport<'_> {
    let is_dispatch = |c: &&Command| matches!(c, Command::Dispatch { .. });
    let kernels = program.kernels.iter();
    let collectives = collectives::texts(program, &targets);
    ProgramReport {
        targets,
        kernels: kernels.map(|kernel| kernel_report(kernel, amd.remove(&kernel.name).unwrap_or_default())).collect(),
        dispatches: program.blocks.iter().flat_map(|b| &b.commands).filter(is_dispatch).count(),
        persistent_bytes: program.persistent_bytes,
        collectives,
    }
}

fn kernel_report(k: &Kernel, amd: Vec<AmdReport>) -> KernelReport<'_> {
    KernelReport {
        name: &k.name,
        hero: &k.hero,
        summary: &k.summary,
        block: k.block,
        registers: (k.registers > 0).then_some(k.registers),
        spill_bytes: (k.registers > 0).then_some(k.spill_bytes),
        static_shared_bytes: k.static_shared_bytes,
        dynamic_shared_bytes: k.dynamic_shared_bytes,
        scratch_bytes: k.scratch_bytes,
        bindings: k.bindings,
        tensor_maps: k.tensor_maps.len(),
        cluster: k.cluster,
        flops: k.flops,
        arithmetic: &k.arithmetic,
        bytes: k.bytes,
        note: &k.note,
        amd,
    }
}

/// A number, or that nobody tells it: OpenCL's devices compile for themselves, CPUs have no such limit.
fn told(number: Option<u32>) -> String {
    number.map_or("-".to_string(), |number| number.to_string())
}

/// `1x224x224x3xf32`, symbolic sizes by name.
pub fn tensor_text(t: &TensorSignature) -> String {
    let dims = t.shape.iter().map(|d| match d {
        DimSig::Static(n) => format!("{n}x"),
        DimSig::Symbolic { name, .. } => format!("{name}x"),
        DimSig::Computed { formula, .. } => format!("({formula})x"),
    });
    dims.collect::<String>() + &t.element_type
}

/// How the whole is cut: `, 4x2 parts`; nothing where every device has the same.
fn parts_text(t: &TensorSignature) -> String {
    if t.sharding.is_empty() {
        return String::new();
    }
    let pieces: Vec<String> = (0..t.shape.len()).map(|d| t.pieces(d).to_string()).collect();
    format!(" ({} parts)", pieces.join("x"))
}

/// With the exporter's name: `logits: 2xf32`.
fn named_text(t: &TensorSignature) -> String {
    let text = tensor_text(t) + &parts_text(t);
    t.name.as_ref().map_or_else(|| text.clone(), |name| format!("{name}: {text}"))
}

fn print_text(report: &Report<'_>) {
    let m = report.manifest;
    say!("module {} - {} bytes, by {} {}", m.module_name, report.file_bytes, m.producer.name, m.producer.version);
    if let Some(grid) = m.grid {
        say!("for {} devices: {} replica(s) of {} partition(s)", m.devices(), grid.replicas, grid.partitions);
    }
    for f in &m.functions {
        let list = |tensors: &[TensorSignature]| tensors.iter().map(named_text).collect::<Vec<_>>().join(", ");
        say!("function @{}({}) -> ({})", f.name, list(&f.inputs), list(&f.outputs));
        let shared = f.aliases.iter().map(|a| format!("output {} lies in input {}", a.output, a.input));
        let shared: Vec<String> = shared.collect();
        if !shared.is_empty() {
            say!("  {}", shared.join(", "));
        }
        if !f.parameters.is_empty() {
            say!("  arguments of the model: {}", list(&m.model_signature(f).inputs));
        }
    }
    if !m.parameters.is_empty() {
        let bytes: u64 = m.parameters.iter().map(|p| p.bytes).sum();
        say!("parameters: {} named, {bytes} bytes, bound at load", m.parameters.len());
    }
    say!("constants: {} bytes", m.constants_bytes);
    for t in &m.targets {
        let images: Vec<String> = t.images.iter().map(|i| format!("{} for {}", i.kind, i.arch)).collect();
        say!("target {}: {}", t.title(), images.join(", "));
        for plan in &t.memory {
            let arena = match &plan.arena_formula {
                Some(formula) => format!("arena {formula} bytes"),
                None => format!("arena {} bytes, peak {} bytes", plan.arena_bytes, plan.peak_bytes),
            };
            say!("  memory of @{}: {arena}", plan.function);
        }
    }
    for p in &report.programs {
        p.collectives.iter().for_each(|c| say!("collective {} for {}", c, p.targets.join(", ")));
        say!("kernels for {} ({} kernels, {} dispatches)", p.targets.join(", "), p.kernels.len(), p.dispatches);
        say!("  {:<44} {:<12} {:>5} {:>6} {:>7} {:>7}  ops", "name", "hero", "block", "regs", "spills", "shared");
        for k in &p.kernels {
            let threads = k.block.iter().product::<u32>();
            let shared = k.static_shared_bytes + k.dynamic_shared_bytes;
            say!(
                "  {:<44} {:<12} {:>5} {:>6} {:>7} {:>7}  {}",
                k.name,
                k.hero,
                threads,
                told(k.registers),
                told(k.spill_bytes),
                shared,
                k.summary
            );
            if !k.note.is_empty() {
                say!("    {}", k.note);
            }
            k.amd.iter().flat_map(AmdReport::lines).for_each(|line| say!("    {line}"));
        }
    }
    report.notes.iter().for_each(|note| say!("note: {note}"));
    // Each candidate is a function above; the list is for `tune measure`.
    for (key, value) in m.provenance.iter().filter(|(key, _)| *key != fornax_module::tuning::CANDIDATES) {
        say!("{key}: {value}");
    }
}

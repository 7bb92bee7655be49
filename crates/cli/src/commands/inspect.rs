//! `fornax inspect MODULE`: signature, targets, kernels with their resources, memory plan, provenance.

use anyhow::{Context, Result};
use fornax_module::manifest::{DimSig, Manifest, TensorSignature};
use fornax_module::program::{Command, Kernel, Program};
use fornax_module::read::ParsedModule;
use serde::Serialize;

use crate::args::{Format, InspectArgs};
use crate::failure::Failure;
use crate::output::say;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    manifest: &'a Manifest,
    file_bytes: usize,
    programs: Vec<ProgramReport<'a>>,
}

#[derive(Serialize)]
struct ProgramReport<'a> {
    targets: Vec<String>,
    kernels: Vec<KernelReport<'a>>,
    dispatches: usize,
    persistent_bytes: u64,
}

#[derive(Serialize)]
struct KernelReport<'a> {
    name: &'a str,
    hero: &'a str,
    summary: &'a str,
    block: [u32; 3],
    registers: u32,
    spill_bytes: u32,
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
}

pub fn run(args: &InspectArgs) -> Result<()> {
    let bytes =
        std::fs::read(&args.module).with_context(|| format!("error[FX0803]: cannot read {}", args.module.display()))?;
    let module = ParsedModule::parse(&bytes).map_err(Failure::from)?;
    let report = report(&module, bytes.len(), args.target.as_deref());
    match args.format {
        Format::Json => say!("{}", serde_json::to_string_pretty(&report)?),
        Format::Text => print_text(&report),
    }
    Ok(())
}

fn report<'a>(module: &'a ParsedModule<&'a Vec<u8>>, file_bytes: usize, only: Option<&str>) -> Report<'a> {
    let manifest = module.manifest();
    let programs = module.programs().iter().zip(0u32..).filter_map(|(program, index)| {
        let of_program = manifest.targets.iter().filter(|t| t.program == index);
        let wanted = of_program.filter(|t| only.is_none_or(|name| t.arch == name || t.backend == name));
        let targets: Vec<String> = wanted.map(|t| format!("{}:{}", t.backend, t.arch)).collect();
        (!targets.is_empty()).then(|| program_report(program, targets))
    });
    Report { manifest, file_bytes, programs: programs.collect() }
}

fn program_report(program: &Program, targets: Vec<String>) -> ProgramReport<'_> {
    let is_dispatch = |c: &&Command| matches!(c, Command::Dispatch { .. });
    ProgramReport {
        targets,
        kernels: program.kernels.iter().map(kernel_report).collect(),
        dispatches: program.blocks.iter().flat_map(|b| &b.commands).filter(is_dispatch).count(),
        persistent_bytes: program.persistent_bytes,
    }
}

fn kernel_report(k: &Kernel) -> KernelReport<'_> {
    KernelReport {
        name: &k.name,
        hero: &k.hero,
        summary: &k.summary,
        block: k.block,
        registers: k.registers,
        spill_bytes: k.spill_bytes,
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
    }
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

fn print_text(report: &Report<'_>) {
    let m = report.manifest;
    say!("module {} - {} bytes, by {} {}", m.module_name, report.file_bytes, m.producer.name, m.producer.version);
    for f in &m.functions {
        let list = |tensors: &[TensorSignature]| tensors.iter().map(tensor_text).collect::<Vec<_>>().join(", ");
        say!("function @{}({}) -> ({})", f.name, list(&f.inputs), list(&f.outputs));
        let shared = f.aliases.iter().map(|a| format!("output {} lies in input {}", a.output, a.input));
        let shared: Vec<String> = shared.collect();
        if !shared.is_empty() {
            say!("  {}", shared.join(", "));
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
                k.registers,
                k.spill_bytes,
                shared,
                k.summary
            );
            if !k.note.is_empty() {
                say!("    {}", k.note);
            }
        }
    }
    // Each candidate is a function above; the list is for `tune measure`.
    for (key, value) in m.provenance.iter().filter(|(key, _)| *key != fornax_module::tuning::CANDIDATES) {
        say!("{key}: {value}");
    }
}

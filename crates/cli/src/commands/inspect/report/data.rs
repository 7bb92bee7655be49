//! What the report's page shows, as JSON: the module, and for each program kernels, graphs and memory. Sizes are
//! indices into the program's expressions, which the page evaluates, so that it can show any sizes of a module that
//! leaves some open.

use std::collections::BTreeMap;

use fornax_module::Program;
use fornax_module::manifest::{DimSig, Manifest, TargetEntry, TensorSignature};
use fornax_module::program::{Function, Kernel, SizeExpr};
use fornax_module::read::ParsedModule;
use fornax_module::remarks::Remarks;
use serde::Serialize;

use super::measured::Measured;
use crate::commands::analysis::peaks::{DeviceRow, rows};
use crate::commands::analysis::sizes::Sizes;
use crate::commands::analysis::walk::{Walk, sample, walk};
use crate::commands::inspect::why::kept;

#[derive(Serialize)]
pub struct Data<'a> {
    file: String,
    file_bytes: usize,
    module_name: &'a str,
    producer: String,
    constants_bytes: u64,
    parameters: usize,
    parameter_bytes: u64,
    provenance: BTreeMap<&'a str, &'a str>,
    programs: Vec<ProgramData<'a>>,
}

#[derive(Serialize)]
struct ProgramData<'a> {
    targets: Vec<TargetData>,
    kernels: Vec<KernelData<'a>>,
    persistent_bytes: u64,
    /// `[tag, a, b]`, as in the module's file: see `encode`.
    exprs: Vec<(u8, i64, i64)>,
    functions: Vec<FunctionData>,
    /// Products that run it, with their peaks.
    devices: Vec<DeviceRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<&'a Measured>,
}

#[derive(Serialize)]
struct TargetData {
    title: String,
    images: Vec<ImageData>,
    features: Vec<String>,
}

#[derive(Serialize)]
struct ImageData {
    title: String,
    bytes: usize,
}

#[derive(Serialize)]
struct KernelData<'a> {
    name: &'a str,
    hero: &'a str,
    summary: &'a str,
    note: &'a str,
    block: [u32; 3],
    cluster: [u32; 3],
    registers: u32,
    spill_bytes: u32,
    shared_bytes: u32,
    scratch_bytes: u32,
    bindings: u32,
    tensor_maps: usize,
    flops: u64,
    arithmetic: &'a str,
    /// 0 = what its bindings hold.
    bytes: u64,
    /// Why neighbours of its ops are computed by other kernels, sentences; where the module holds remarks.
    apart: Vec<String>,
    /// Which schedules were tried for it, and what became of each.
    tried: Vec<String>,
}

#[derive(Serialize)]
struct FunctionData {
    name: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// Names of the size slots, and the sizes to show at first.
    sizes: Vec<(String, u64)>,
    arena: Formula,
    /// Formulas of the grids, lengths and offsets that depend on sizes.
    formulas: BTreeMap<u32, String>,
    walk: Walk,
}

#[derive(Serialize)]
struct Formula {
    expr: u32,
    text: String,
}

/// Everything that the page shows of a module; `only` chooses targets as `inspect --target` does.
pub fn data<'a>(
    module: &'a ParsedModule<&'a [u8]>,
    (file, file_bytes): (String, usize),
    only: Option<&str>,
    given: &[(String, u64)],
    measured: &'a [Measured],
) -> Data<'a> {
    let manifest = module.manifest();
    let mut programs = Vec::new();
    for (program, index) in module.programs().iter().zip(0u32..) {
        let of_program = manifest.targets.iter().filter(|t| t.program == index);
        let wanted: Vec<&TargetEntry> =
            of_program.filter(|t| only.is_none_or(|name| t.arch == name || t.backend == name)).collect();
        if !wanted.is_empty() {
            programs.push(program_data(module, program, &wanted, given, measured));
        }
    }
    let parameter_bytes = manifest.parameters.iter().map(|p| p.bytes).fold(0, u64::saturating_add);
    let known = manifest.provenance.iter().filter(|(key, _)| *key != fornax_module::tuning::CANDIDATES);
    Data {
        file,
        file_bytes,
        module_name: &manifest.module_name,
        producer: format!("{} {}", manifest.producer.name, manifest.producer.version),
        constants_bytes: manifest.constants_bytes,
        parameters: manifest.parameters.len(),
        parameter_bytes,
        provenance: known.map(|(key, value)| (key.as_str(), value.as_str())).collect(),
        programs,
    }
}

fn program_data<'a>(
    module: &'a ParsedModule<&'a [u8]>,
    program: &'a Program,
    targets: &[&TargetEntry],
    given: &[(String, u64)],
    measured: &'a [Measured],
) -> ProgramData<'a> {
    let manifest = module.manifest();
    let image = |image: &fornax_module::manifest::ImageEntry| ImageData {
        title: image.title(),
        bytes: module.image(image.section).map_or(0, <[u8]>::len),
    };
    let target = |t: &&TargetEntry| TargetData {
        title: t.title(),
        images: t.images.iter().map(image).collect(),
        features: t.features.clone(),
    };
    let mut devices: Vec<DeviceRow> = Vec::new();
    for row in targets.iter().flat_map(|t| rows(t)) {
        if !devices.contains(&row) {
            devices.push(row);
        }
    }
    let mut functions: Vec<FunctionData> =
        program.functions.iter().map(|f| function_data(manifest, program, f, given)).collect();
    if let Some(load) = program.load {
        let nothing = Function { name: "load".into(), body: load, ..Function::default() };
        functions.push(function_data(manifest, program, &nothing, given));
    }
    let of = |remarks: &Remarks| {
        let spec = |t: &&TargetEntry| format!("{}:{}", t.backend, t.arch);
        targets.iter().any(|t| remarks.target.starts_with(&spec(t)))
    };
    let remarks: Vec<Remarks> = kept(module).unwrap_or_default().into_iter().filter(of).take(1).collect();
    ProgramData {
        kernels: program.kernels.iter().map(|kernel| kernel_data(kernel, &remarks)).collect(),
        persistent_bytes: program.persistent_bytes,
        exprs: program.exprs.iter().map(encode).collect(),
        functions,
        devices,
        measured: measured.iter().find(|m| m.is_of(targets)),
        targets: targets.iter().map(target).collect(),
    }
}

/// Numbers of the module's file format; those above 2^53 lose their last digits in the page.
fn encode(expr: &SizeExpr) -> (u8, i64, i64) {
    let two = |tag: u8, a: &u32, b: &u32| (tag, i64::from(*a), i64::from(*b));
    match expr {
        SizeExpr::Const(value) => (0, *value as i64, 0),
        SizeExpr::Slot(slot) => (1, i64::from(*slot), 0),
        SizeExpr::Add(a, b) => two(2, a, b),
        SizeExpr::Sub(a, b) => two(3, a, b),
        SizeExpr::Mul(a, b) => two(4, a, b),
        SizeExpr::FloorDiv(a, b) => two(5, a, b),
        SizeExpr::CeilDiv(a, b) => two(6, a, b),
        SizeExpr::Mod(a, b) => two(7, a, b),
        SizeExpr::Min(a, b) => two(8, a, b),
        SizeExpr::Max(a, b) => two(9, a, b),
    }
}

/// Pairs that a kernel's page shows, at most.
const APART_MAX: usize = 24;

fn kernel_data<'a>(k: &'a Kernel, remarks: &[Remarks]) -> KernelData<'a> {
    let apart = remarks.iter().flat_map(|remarks| remarks.apart(&k.name)).take(APART_MAX).collect();
    let tried = remarks.iter().flat_map(|remarks| remarks.tried(&k.name)).collect();
    KernelData {
        apart,
        tried,
        name: &k.name,
        hero: &k.hero,
        summary: &k.summary,
        note: &k.note,
        block: k.block,
        cluster: k.cluster,
        registers: k.registers,
        spill_bytes: k.spill_bytes,
        shared_bytes: k.static_shared_bytes.saturating_add(k.dynamic_shared_bytes),
        scratch_bytes: k.scratch_bytes,
        bindings: k.bindings,
        tensor_maps: k.tensor_maps.len(),
        flops: k.flops,
        arithmetic: &k.arithmetic,
        bytes: k.bytes,
    }
}

fn function_data(manifest: &Manifest, program: &Program, function: &Function, given: &[(String, u64)]) -> FunctionData {
    let signature = manifest.functions.iter().find(|s| s.name == function.name);
    let sizes = sample(function, signature, given);
    let walk = walk(program, function.body, signature, &Sizes::new(program, function, &sizes));
    let open = Sizes::new(program, function, &[]);
    let mut shown: Vec<u32> = vec![function.arena_bytes];
    shown.extend(walk.steps.iter().flat_map(|step| step.grid.iter().flatten().chain(&step.bound)));
    shown.extend(walk.values.iter().flat_map(|value| [value.offset, value.length]));
    let formulas = shown.into_iter().filter(|expr| open.of(*expr).is_none() && function.size_slots > 0);
    let texts = |tensors: Option<&Vec<_>>| tensors.map_or(Vec::new(), |t| t.iter().map(tensor_text).collect());
    FunctionData {
        name: function.name.clone(),
        inputs: texts(signature.map(|s| &s.inputs)),
        outputs: texts(signature.map(|s| &s.outputs)),
        sizes,
        arena: Formula { expr: function.arena_bytes, text: open.text(function.arena_bytes) },
        formulas: formulas.map(|expr| (expr, open.text(expr))).collect(),
        walk,
    }
}

/// A tensor as the page shows it: `9 × 24 f32`.
fn tensor_text(t: &TensorSignature) -> String {
    let dim = |d: &DimSig| match d {
        DimSig::Static(n) => n.to_string(),
        DimSig::Symbolic { name, .. } => name.clone(),
        DimSig::Computed { formula, .. } => format!("({formula})"),
    };
    let dims: Vec<String> = t.shape.iter().map(dim).collect();
    format!("{} {}", dims.join(" × "), t.element_type).trim_start().to_string()
}

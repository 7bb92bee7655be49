//! One model through the phases: the whole compilation on one screen.
//!
//! ```text
//! import → simplify → fuse → for each target: schedule → emit → codegen → link → pack
//! ```
//! What is done for each target is in `one_target.rs`.
//!
//! Input: the bytes of a model file. Output: a [`ModuleBuilder`] ready to be written, or the text of the phase that
//! `compile_to` names. The same input, options and version give the same bytes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use fornax_backend::Linked;
use fornax_graph::{Graph, OpKind, devices};
use fornax_import::checkpoint::{CheckpointOptions, CheckpointSizes};
use fornax_import::onnx::OnnxOptions;
use fornax_import::{ImportOptions, check_aliases, dialects, import_bytes, import_generic, is_onnx};
use fornax_module::ModuleBuilder;
use fornax_module::manifest::{DeviceGrid, Manifest};
use fornax_module::remarks::{self, REMARKS, Remarks};
use fornax_passes::program::{Planned, candidates};
use fornax_passes::remarks::Pair;
use fornax_passes::{fuse, pipeline, simplify};
use fornax_targets::{Target, without_duplicates};

use crate::arguments;
use crate::dump::Dump;
use crate::errors::CompileError;
use crate::one_target::{OneTarget, Stage, compile_targets};
use crate::options::{CompileOptions, Event, Listener};
use crate::pack;
use crate::phase::Phase;
use crate::timing::Timed;
use crate::watch::Watch;
use crate::worker::Connection;

/// What a compilation made.
pub enum Compiled {
    /// The text of the phase that was asked for.
    Text(String),
    /// A module, ready to be written.
    Module(Box<ModuleBuilder<'static>>),
}

/// One target on its way.
pub struct TargetPlan {
    pub target: Target,
    pub product: Option<String>,
    pub planned: Planned,
    pub linked: Linked,
}

/// Compiles a model.
///
/// # Errors
/// Every error is complete text with a stable code; see [`CompileError`].
pub fn compile(
    source: &[u8],
    file_name: &str,
    options: &CompileOptions,
    listener: Listener,
) -> Result<Compiled, CompileError> {
    let dump = Dump::new(options.dump_to.clone());
    let mut watch = Watch::new(options, listener, &dump);
    let fused = match front(source, file_name, (options, machines(options)), &mut watch)? {
        Front::Text(text) => {
            watch.finish()?;
            return Ok(Compiled::Text(text));
        }
        Front::Fused(fused) => *fused,
    };
    let Fused { graph: fused, pairs } = fused;
    let pairs = (options.remarks || dump.enabled()).then(|| Arc::new(pairs));
    let parameters = pack::parameters(&fused, options)?;
    let targets = without_duplicates(options.targets.clone());
    let ones: Vec<OneTarget> = targets.iter().map(|one| OneTarget::new(one, options, listener, &dump)).collect();
    let mut plans = Vec::new();
    let mut texts = Vec::new();
    for (one, stage) in targets.iter().zip(compile_targets(&ones, &fused, &parameters, pairs, watch)?) {
        match stage {
            Stage::Text(text) => texts.push(text),
            Stage::Linked(both) => {
                let (planned, linked) = *both;
                let product = one.product.map(|p| p.name.to_string());
                plans.push(TargetPlan { target: one.target.clone(), product, planned, linked });
            }
        }
    }
    if options.compile_to < Phase::Pack {
        return Ok(Compiled::Text(texts.join("\n")));
    }
    listener(Event::Phase(Phase::Pack));
    let timed = Timed::start(Phase::Pack);
    let targets = plans.len();
    let remarks: Vec<Remarks> = plans.iter().filter_map(|plan| plan.planned.remarks.as_deref().cloned()).collect();
    let mut builder = pack::pack(source, &fused, &parameters, plans)?;
    if options.remarks {
        builder.add_debug(REMARKS, remarks::encode(&remarks));
    }
    timed.done(format_args!("{targets} target(s)"));
    Ok(Compiled::Module(Box::new(builder)))
}

/// A checkpoint of a language model as StableHLO text, for [`compile`].
///
/// # Errors
/// FX10xx: what is wrong with the checkpoint.
pub fn checkpoint_text(path: &Path, options: &CheckpointOptions) -> Result<String, CompileError> {
    fornax_import::checkpoint::to_text(path, options).map_err(|diagnostic| CompileError::import(&[*diagnostic]))
}

/// What a checkpoint's model takes, before it is compiled.
///
/// # Errors
/// As [`checkpoint_text`].
pub fn checkpoint_sizes(path: &Path, options: &CheckpointOptions) -> Result<CheckpointSizes, CompileError> {
    fornax_import::checkpoint::sizes(path, options).map_err(|diagnostic| CompileError::import(&[*diagnostic]))
}

/// The graph of a model in StableHLO or ONNX, as text.
///
/// # Errors
/// FX01xx and FX02xx: what is wrong with the model.
pub fn import_only(source: &[u8], file_name: &str, onnx: OnnxOptions) -> Result<String, CompileError> {
    let graph = import_bytes(source, file_name, &ImportOptions { onnx, ..ImportOptions::default() });
    graph.map(|graph| fornax_graph::print(&graph)).map_err(|diagnostics| CompileError::import(&diagnostics))
}

/// Why the kernels of a model are as they are, for each target of `options`; nothing is compiled below them.
///
/// # Errors
/// As [`compile`].
pub fn explain(
    source: &[u8],
    file_name: &str,
    options: &CompileOptions,
    listener: Listener,
) -> Result<Vec<Remarks>, CompileError> {
    let options = &CompileOptions { compile_to: Phase::Pack, remarks: true, ..options.clone() };
    let dump = Dump::new(options.dump_to.clone());
    let mut watch = Watch::new(options, listener, &dump);
    let Front::Fused(fused) = front(source, file_name, (options, machines(options)), &mut watch)? else {
        return Err(CompileError::user("FX0908", "the model was not compiled up to its kernels"));
    };
    let parameters = pack::parameters(&fused.graph, options)?;
    let pairs = Arc::new(fused.pairs);
    let mut remarks = Vec::new();
    for resolved in without_duplicates(options.targets.clone()) {
        let one = OneTarget::new(&resolved, options, listener, &dump);
        let planned = one.plan(&fused.graph, &parameters, Some(pairs.clone()), &mut watch)?;
        remarks.extend(planned.remarks.map(|remarks| *remarks));
    }
    watch.finish()?;
    Ok(remarks)
}

/// Compiles every way of every contraction of a model into a module of candidates, for the first target.
///
/// # Errors
/// As [`compile`]; FX0908 where the model has nothing to choose.
pub fn compile_candidates(
    source: &[u8],
    file_name: &str,
    options: &CompileOptions,
    listener: Listener,
) -> Result<ModuleBuilder<'static>, CompileError> {
    let options = &CompileOptions { compile_to: Phase::Pack, ..options.clone() };
    let dump = Dump::new(options.dump_to.clone());
    let mut watch = Watch::new(options, listener, &dump);
    let Front::Fused(fused) = front(source, file_name, (options, machines(options)), &mut watch)? else {
        return Err(CompileError::user("FX0908", "the model was not compiled up to its kernels"));
    };
    watch.finish()?;
    let resolved = options.targets.first().ok_or_else(|| CompileError::user("FX0908", "no target to tune for"))?;
    listener(Event::Phase(Phase::Schedule));
    let (planned, functions) =
        candidates::candidates(&fused.graph, &resolved.target, &options.schedule).map_err(CompileError::pass)?;
    if functions.is_empty() {
        let what = format!("no kernel of the model has more than one schedule on {}", resolved.target.name);
        return Err(CompileError::user("FX0908", what));
    }
    let one = OneTarget::new(resolved, options, listener, &dump);
    let Stage::Linked(both) = one.build(planned)? else {
        return Err(CompileError::user("FX0908", "the candidates were not compiled up to images"));
    };
    let (planned, linked) = *both;
    let product = resolved.product.map(|p| p.name.to_string());
    let plan = TargetPlan { target: resolved.target.clone(), product, planned, linked };
    listener(Event::Phase(Phase::Pack));
    pack::pack_candidates(source, &fused.graph, &functions, plan)
}

/// A model up to its fusion groups, or the text of the phase where it stopped.
pub(crate) enum Front {
    Text(String),
    Fused(Box<Fused>),
}

/// A model up to its fusion groups.
pub(crate) struct Fused {
    pub graph: Graph,
    /// Every two neighbouring ops, where remarks are asked for.
    pub pairs: Vec<Pair>,
}

/// Up to fusion; `watch` hears of every pass.
pub(crate) fn front(
    source: &[u8],
    file_name: &str,
    (options, machines): (&CompileOptions, fuse::Machines),
    watch: &mut Watch,
) -> Result<Front, CompileError> {
    let (listener, dump) = (watch.listener, watch.dump);
    let stop = |phase: Phase| options.compile_to == phase;

    listener(Event::Phase(Phase::Import));
    let timed = Timed::start(Phase::Import);
    let mut graph = import(source, file_name, options)?;
    timed.done(format_args!("{} bytes, {} functions", source.len(), graph.functions.len()));
    dump.write("0_import.mlir", || fornax_graph::print(&graph).into_bytes())?;
    if stop(Phase::Import) {
        return Ok(Front::Text(fornax_graph::print(&graph)));
    }

    if !options.run_passes.is_empty() {
        graph = pipeline::run(&graph, &options.run_passes, machines, watch).map_err(CompileError::pass)?;
        return Ok(Front::Text(fornax_graph::print(&graph)));
    }

    listener(Event::Phase(Phase::Simplify));
    let timed = Timed::start(Phase::Simplify);
    let report = simplify::simplify_observed(&mut graph, &simplify::Options::default(), watch);
    let report = report.map_err(CompileError::pass)?;
    timed.done(format_args!("{} ops, {} after, {} rounds", report.ops_before, report.ops_after, report.rounds));
    dump.write("1_simplify.mlir", || fornax_graph::print(&graph).into_bytes())?;
    if stop(Phase::Simplify) {
        return Ok(Front::Text(fornax_graph::print(&graph)));
    }

    listener(Event::Phase(Phase::Fuse));
    let timed = Timed::start(Phase::Fuse);
    let fused = fuse::fuse_observed(&graph, machines, watch).map_err(CompileError::pass)?;
    let pairs = watch.take_pairs();
    timed.done(format_args!("{} groups", groups(&fused)));
    dump.write("2_fuse.mlir", || fornax_graph::print(&fused).into_bytes())?;
    if stop(Phase::Fuse) {
        return Ok(Front::Text(fornax_graph::print(&fused)));
    }

    Ok(Front::Fused(Box::new(Fused { graph: fused, pairs })))
}

/// Fusion groups of all functions.
fn groups(graph: &Graph) -> usize {
    let mut count = 0;
    for block in graph.functions.iter().filter_map(|function| graph.entry(function)) {
        graph.walk(block, &mut |op| count += usize::from(graph.op(op).kind == OpKind::Fusion));
    }
    count
}

/// What the module's targets have in common.
pub(crate) fn machines(options: &CompileOptions) -> fuse::Machines {
    let gpus = options.targets.iter().filter(|t| t.target.is_gpu()).count();
    match gpus {
        _ if options.targets.is_empty() => fuse::Machines::Any,
        0 => fuse::Machines::Hosts,
        _ if gpus == options.targets.len() => fuse::Machines::Gpus,
        _ => fuse::Machines::Any,
    }
}

pub(crate) fn import(source: &[u8], file_name: &str, options: &CompileOptions) -> Result<Graph, CompileError> {
    let how = ImportOptions { onnx: options.onnx.clone(), ..ImportOptions::default() };
    let graph = if is_onnx(source, file_name) {
        import_bytes(source, file_name, &how)
    } else if dialects::recognises(source) {
        check_aliases(source, file_name).map_err(|diagnostics| CompileError::import(&diagnostics))?;
        let generic = Connection::new(&options.worker).generic_form(&dialects::readable(source));
        match generic.map_err(|error| CompileError::model(file_name, &error))? {
            Ok(text) => import_generic(&text, source, file_name, &how),
            Err(said) => Err(dialects::refused(source, file_name, &said)),
        }
    } else if let Some(islands) = dialects::Islands::of(source) {
        check_aliases(source, file_name).map_err(|diagnostics| CompileError::import(&diagnostics))?;
        let generic = Connection::new(&options.worker).generic_form(islands.module.as_bytes());
        match generic.map_err(|error| CompileError::model(file_name, &error))? {
            Ok(text) => match islands.inserted(source, &text) {
                Some(whole) => import_bytes(whole.as_bytes(), file_name, &how),
                None => import_bytes(source, file_name, &how),
            },
            Err(said) => Err(dialects::refused(source, file_name, &islands.refusals(&said))),
        }
    } else {
        import_bytes(source, file_name, &how)
    };
    let mut graph = graph.map_err(|diagnostics| CompileError::import(&diagnostics))?;
    if let Some(chosen) = &options.donate {
        arguments::donate(&mut graph, chosen)?;
    }
    Ok(graph)
}

/// What the manifest says of how the module was made.
pub(crate) fn provenance() -> BTreeMap<String, String> {
    BTreeMap::from([("compiler".to_string(), format!("fornax {}", env!("CARGO_PKG_VERSION")))])
}

/// A manifest with everything but functions, parameters and targets.
pub(crate) fn blank_manifest(graph: &Graph, source: &[u8]) -> Manifest {
    let mut manifest =
        Manifest { module_name: graph.name.clone().unwrap_or_else(|| "module".into()), ..Manifest::default() };
    manifest.producer.name = "fornax".into();
    manifest.producer.version = env!("CARGO_PKG_VERSION").into();
    manifest.source_hash = blake3::hash(source).to_hex().to_string();
    manifest.provenance = provenance();
    for function in &graph.functions {
        for (at, attrs) in function.argument_attrs.iter().enumerate() {
            if let Some(by) = attrs.str(devices::SHARDING_BY) {
                manifest.provenance.insert(format!("sharding of input {at} of @{}", function.name), by.to_string());
            }
        }
    }
    let grid = devices::DeviceGrid::of(graph).filter(|grid| grid.devices() > 1 && devices::needs_all(graph));
    manifest.grid = grid.map(|grid| DeviceGrid { replicas: grid.replicas, partitions: grid.partitions });
    manifest
}

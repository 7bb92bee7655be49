//! One model through the phases: the whole compilation on one screen.
//!
//! ```text
//! import → simplify → fuse → for each target: schedule → emit → codegen → link → pack
//! ```
//! Input: the bytes of a model file. Output: a [`ModuleBuilder`] ready to be written, or the text of the phase that
//! `compile_to` names. The same input, options and version give the same bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use fornax_backend::{CubinPolicy, KernelBinary, KernelSource, LinkOptions, Linked, link};
use fornax_graph::{Graph, OpKind};
use fornax_import::{ImportOptions, check_aliases, dialects, import_bytes, import_generic};
use fornax_kernels::emit;
use fornax_module::ModuleBuilder;
use fornax_module::manifest::Manifest;
use fornax_module::remarks::{self, REMARKS, Remarks};
use fornax_passes::program::{self, Planned, candidates};
use fornax_passes::remarks::Pair;
use fornax_passes::{fuse, pipeline, simplify};
use fornax_targets::{Target, without_duplicates};

use crate::arguments;
use crate::dump::Dump;
use crate::errors::CompileError;
use crate::options::{CompileOptions, Event, Listener};
use crate::pack;
use crate::phase::Phase;
use crate::pool::{Job, compile_all};
use crate::reproducer;
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
    let fused = match front(source, file_name, (options, machines(options)), listener, &dump)? {
        Front::Text(text) => return Ok(Compiled::Text(text)),
        Front::Fused(fused) => *fused,
    };
    let Fused { graph: fused, pairs } = fused;
    let pairs = (options.remarks || dump.enabled()).then(|| Arc::new(pairs));
    let parameters = pack::parameters(&fused, &options.parameters)?;
    let mut plans = Vec::new();
    let mut texts = Vec::new();
    for resolved in without_duplicates(options.targets.clone()) {
        let product = resolved.product.map(|p| p.name.to_string());
        let cubin = if resolved.fallback { CubinPolicy::Never } else { options.cubin };
        let one = OneTarget { target: &resolved.target, cubin, options, listener, dump: &dump };
        match one.compile(&fused, &parameters, pairs.clone())? {
            Stage::Text(text) => texts.push(text),
            Stage::Linked(both) => {
                let (planned, linked) = *both;
                plans.push(TargetPlan { target: resolved.target.clone(), product, planned, linked });
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
    let Front::Fused(fused) = front(source, file_name, (options, machines(options)), listener, &dump)? else {
        return Err(CompileError::user("FX0908", "the model was not compiled up to its kernels"));
    };
    let parameters = pack::parameters(&fused.graph, &options.parameters)?;
    let pairs = Arc::new(fused.pairs);
    let mut remarks = Vec::new();
    for resolved in without_duplicates(options.targets.clone()) {
        let one = OneTarget { target: &resolved.target, cubin: CubinPolicy::Never, options, listener, dump: &dump };
        let planned = one.plan(&fused.graph, &parameters, Some(pairs.clone()))?;
        remarks.extend(planned.remarks.map(|remarks| *remarks));
    }
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
    let Front::Fused(fused) = front(source, file_name, (options, machines(options)), listener, &dump)? else {
        return Err(CompileError::user("FX0908", "the model was not compiled up to its kernels"));
    };
    let resolved = options.targets.first().ok_or_else(|| CompileError::user("FX0908", "no target to tune for"))?;
    listener(Event::Phase(Phase::Schedule));
    let (planned, functions) =
        candidates::candidates(&fused.graph, &resolved.target, &options.schedule).map_err(CompileError::pass)?;
    if functions.is_empty() {
        let what = format!("no kernel of the model has more than one schedule on {}", resolved.target.name);
        return Err(CompileError::user("FX0908", what));
    }
    let one = OneTarget { target: &resolved.target, cubin: options.cubin, options, listener, dump: &dump };
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

pub(crate) fn front(
    source: &[u8],
    file_name: &str,
    (options, machines): (&CompileOptions, fuse::Machines),
    listener: Listener,
    dump: &Dump,
) -> Result<Front, CompileError> {
    let stop = |phase: Phase| options.compile_to == phase;

    listener(Event::Phase(Phase::Import));
    let timed = Timed::start(Phase::Import);
    let mut graph = import(source, file_name, options)?;
    timed.done(format_args!("{} bytes, {} functions", source.len(), graph.functions.len()));
    dump.write("0_import.mlir", || fornax_graph::print(&graph).into_bytes())?;
    if stop(Phase::Import) {
        return Ok(Front::Text(fornax_graph::print(&graph)));
    }

    let mut watch = Watch::new(options, listener, dump);
    if !options.run_passes.is_empty() {
        graph = pipeline::run(&graph, &options.run_passes, machines, &mut watch).map_err(CompileError::pass)?;
        watch.finish()?;
        return Ok(Front::Text(fornax_graph::print(&graph)));
    }

    listener(Event::Phase(Phase::Simplify));
    let timed = Timed::start(Phase::Simplify);
    let report = simplify::simplify_observed(&mut graph, &simplify::Options::default(), &mut watch);
    let report = report.map_err(CompileError::pass)?;
    timed.done(format_args!("{} ops, {} after, {} rounds", report.ops_before, report.ops_after, report.rounds));
    dump.write("1_simplify.mlir", || fornax_graph::print(&graph).into_bytes())?;
    if stop(Phase::Simplify) {
        watch.finish()?;
        return Ok(Front::Text(fornax_graph::print(&graph)));
    }

    listener(Event::Phase(Phase::Fuse));
    let timed = Timed::start(Phase::Fuse);
    let fused = fuse::fuse_observed(&graph, machines, &mut watch).map_err(CompileError::pass)?;
    let pairs = watch.finish()?;
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
    let hosts = options.targets.iter().all(|t| !t.target.is_gpu());
    if hosts && !options.targets.is_empty() { fuse::Machines::Hosts } else { fuse::Machines::Any }
}

pub(crate) fn import(source: &[u8], file_name: &str, options: &CompileOptions) -> Result<Graph, CompileError> {
    let how = ImportOptions::default();
    let graph = if dialects::recognises(source) {
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

/// The part of a compilation that one target needs.
pub(crate) struct OneTarget<'a> {
    pub target: &'a Target,
    pub cubin: CubinPolicy,
    pub options: &'a CompileOptions,
    pub listener: Listener<'a>,
    pub dump: &'a Dump,
}

pub(crate) enum Stage {
    Text(String),
    Linked(Box<(Planned, Linked)>),
}

impl OneTarget<'_> {
    fn compile(
        &self,
        fused: &Graph,
        parameters: &pack::Parameters,
        pairs: Option<Arc<Vec<Pair>>>,
    ) -> Result<Stage, CompileError> {
        let planned = self.plan(fused, parameters, pairs)?;
        self.build(planned)
    }

    /// The program and its kernels.
    fn plan(
        &self,
        fused: &Graph,
        parameters: &pack::Parameters,
        pairs: Option<Arc<Vec<Pair>>>,
    ) -> Result<Planned, CompileError> {
        (self.listener)(Event::Phase(Phase::Schedule));
        let plan_options = program::Options {
            functions: parameters.by_function.keys().cloned().collect(),
            parameters: parameters.by_function.clone(),
            schedule: self.options.schedule.clone(),
            remarks: pairs,
            ..program::Options::default()
        };
        let timed = Timed::start(Phase::Schedule);
        let planned = fornax_passes::plan(fused, self.target, &plan_options).map_err(CompileError::pass)?;
        timed.done(format_args!("{} kernels for {}", planned.kernels.len(), self.target.spec()));
        Ok(planned)
    }

    /// From the planned program on.
    pub fn build(&self, mut planned: Planned) -> Result<Stage, CompileError> {
        let folder = self.target.spec().replace([':', ','], "_");
        let stop = |phase: Phase| self.options.compile_to == phase;
        for note in &planned.notes {
            (self.listener)(Event::Note(note.clone()));
        }
        self.dump.write(&format!("{folder}/3_schedule.txt"), || planned.describe().into_bytes())?;
        if let Some(remarks) = &planned.remarks {
            let text = || remarks.lines().join("\n").into_bytes();
            self.dump.write(&format!("{folder}/3_why.txt"), text)?;
        }
        if stop(Phase::Schedule) {
            return Ok(Stage::Text(planned.describe()));
        }

        (self.listener)(Event::Phase(Phase::Emit));
        let timed = Timed::start(Phase::Emit);
        let sources = self.emit(&planned)?;
        timed.done(format_args!("{} bytes of MLIR", sources.iter().map(|source| source.mlir.len()).sum::<usize>()));
        for source in &sources {
            self.dump.write(&format!("{folder}/4_{}.mlir", source.name), || source.mlir.clone().into_bytes())?;
        }
        if stop(Phase::Emit) {
            return Ok(Stage::Text(sources.into_iter().map(|s| s.mlir).collect::<Vec<_>>().join("\n")));
        }

        (self.listener)(Event::Phase(Phase::Codegen));
        let timed = Timed::start(Phase::Codegen);
        let binaries = self.codegen(sources, &folder)?;
        let linked = if binaries.is_empty() {
            Linked::default()
        } else {
            let link_options = LinkOptions { cubin: self.cubin };
            link(self.target, &binaries, &self.options.tools, &link_options).map_err(CompileError::link)?
        };
        let bytes: usize = linked.images.iter().map(|image| image.bytes.len()).sum();
        timed.done(format_args!("{} kernels, {} image(s) of {bytes} bytes", binaries.len(), linked.images.len()));
        for note in &linked.notes {
            (self.listener)(Event::Note(note.clone()));
        }
        for image in &linked.images {
            self.dump.write(&format!("{folder}/6_image.{}", image.kind.name()), || image.bytes.clone())?;
        }
        if stop(Phase::Codegen) {
            return Ok(Stage::Text(assembly_text(&binaries)));
        }
        pack::record_resources(&mut planned.program, &linked);
        Ok(Stage::Linked(Box::new((planned, linked))))
    }

    fn emit(&self, planned: &Planned) -> Result<Vec<KernelSource>, CompileError> {
        let kernels = planned.kernels.iter().zip(&planned.program.kernels);
        kernels.map(|(plan, record)| emit(plan, &record.name, self.target).map_err(CompileError::emit)).collect()
    }

    fn codegen(&self, sources: Vec<KernelSource>, folder: &str) -> Result<Vec<KernelBinary>, CompileError> {
        let total = sources.len();
        let jobs: Vec<Job> = sources.into_iter().map(|kernel| Job { target: self.target.clone(), kernel }).collect();
        let progress = |done: usize| (self.listener)(Event::Kernels { done, total });
        let keep = self.dump.enabled() || self.options.compile_to == Phase::Codegen;
        let results = compile_all(&self.options.worker, &jobs, self.options.jobs, keep, &progress);
        let mut binaries = Vec::with_capacity(total);
        for (job, result) in jobs.iter().zip(results) {
            let binary = result.map_err(|error| {
                let kept = reproducer::keep(&self.options.reproducer_folder, &job.kernel.mlir);
                CompileError::kernel(&job.kernel.name, &self.target.spec(), &error, kept.as_deref())
            })?;
            if let Some(i) = &binary.intermediates {
                let stem = format!("{folder}/5_{}", binary.name);
                self.dump.write(&format!("{stem}.lowered.mlir"), || i.lowered_mlir.clone().into_bytes())?;
                self.dump.write(&format!("{stem}.ll"), || i.llvm_ir.clone().into_bytes())?;
                self.dump.write(&format!("{stem}.s"), || i.assembly.clone().into_bytes())?;
            }
            binaries.push(binary);
        }
        Ok(binaries)
    }
}

fn assembly_text(binaries: &[KernelBinary]) -> String {
    binaries.iter().filter_map(|b| b.intermediates.as_ref()).map(|i| i.assembly.as_str()).collect::<Vec<_>>().join("\n")
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
    manifest
}

//! The part of a compilation that each target needs: schedule → emit → codegen → link.
//!
//! A module for x86-64-v3 and x86-64-v4 on two cores: one thread plans and emits for v3 while another does it for v4.
//! Then the kernels of both are jobs of one pool, whose workers start once. Last, each target's kernels are linked.

use std::sync::Arc;

use fornax_backend::{CodegenOptions, CubinPolicy, KernelBinary, KernelSource, LinkOptions, Linked, link};
use fornax_graph::Graph;
use fornax_kernels::emit;
use fornax_passes::observe::{Nobody, Observer};
use fornax_passes::program::{self, Planned};
use fornax_passes::remarks::Pair;
use fornax_targets::{Resolved, Target};

use crate::dump::{Dump, folder_of};
use crate::errors::CompileError;
use crate::options::{CompileOptions, Event, Listener};
use crate::pack;
use crate::phase::Phase;
use crate::pool::{Job, Pool, compile_all, map_all};
use crate::reproducer;
use crate::store::Store;
use crate::timing::Timed;
use crate::watch::Watch;

/// The part of a compilation that one target needs.
pub struct OneTarget<'a> {
    target: &'a Target,
    cubin: CubinPolicy,
    options: &'a CompileOptions,
    listener: Listener<'a>,
    dump: &'a Dump,
}

/// How far a target came.
pub enum Stage {
    Text(String),
    Linked(Box<(Planned, Linked)>),
}

/// A target's kernels in MLIR.
struct Lowered {
    planned: Planned,
    sources: Vec<KernelSource>,
    /// The text of the phase, where it is to stop there; it has no sources then.
    text: Option<String>,
}

/// Compiles for every target, for several at the same time; up to kernels in MLIR one after the other where somebody
/// watches.
pub fn compile_targets(
    targets: &[OneTarget],
    fused: &Graph,
    parameters: &pack::Parameters,
    pairs: Option<Arc<Vec<Pair>>>,
    mut watch: Watch,
) -> Result<Vec<Stage>, CompileError> {
    let jobs = targets.first().map_or(1, |one| one.options.jobs);
    let lower = |one: &OneTarget, observer: &mut dyn Observer| {
        let planned = one.plan(fused, parameters, pairs.clone(), observer)?;
        one.lower(planned)
    };
    let lowered = if watch.listens() {
        targets.iter().map(|one| lower(one, &mut watch)).collect()
    } else {
        map_all(targets, jobs, |one| lower(one, &mut Nobody))
    };
    watch.finish()?;
    finish(targets, lowered.into_iter().collect::<Result<_, _>>()?)
}

/// From kernels in MLIR to images. The targets have the same options.
fn finish(targets: &[OneTarget], mut lowered: Vec<Lowered>) -> Result<Vec<Stage>, CompileError> {
    let mut jobs = Vec::new();
    let mut counts = Vec::new();
    for (one, lowered) in targets.iter().zip(&mut lowered) {
        lowered.planned.notes.iter().for_each(|note| (one.listener)(Event::Note(note.clone())));
        counts.push(lowered.sources.len());
        let job = |kernel| Job { target: one.target.clone(), kernel };
        jobs.extend(std::mem::take(&mut lowered.sources).into_iter().map(job));
    }
    let mut binaries = match targets.first() {
        Some(one) if one.options.compile_to >= Phase::Codegen => one.codegen(&jobs)?.into_iter(),
        _ => Vec::new().into_iter(),
    };
    let mut stages = Vec::new();
    for ((one, lowered), count) in targets.iter().zip(lowered).zip(counts) {
        stages.push(match lowered.text {
            Some(text) => Stage::Text(text),
            None => one.link(lowered.planned, &binaries.by_ref().take(count).collect::<Vec<_>>())?,
        });
    }
    Ok(stages)
}

impl<'a> OneTarget<'a> {
    pub fn new(
        resolved: &'a Resolved,
        options: &'a CompileOptions,
        listener: Listener<'a>,
        dump: &'a Dump,
    ) -> OneTarget<'a> {
        let cubin = if resolved.fallback { CubinPolicy::Never } else { options.cubin };
        OneTarget { target: &resolved.target, cubin, options, listener, dump }
    }

    /// The program and its kernels.
    pub fn plan(
        &self,
        fused: &Graph,
        parameters: &pack::Parameters,
        pairs: Option<Arc<Vec<Pair>>>,
        observer: &mut dyn Observer,
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
        let planned = fornax_passes::plan_observed(fused, self.target, &plan_options, observer);
        let planned = planned.map_err(CompileError::pass)?;
        timed.done(format_args!("{} kernels for {}", planned.kernels.len(), self.target.spec()));
        Ok(planned)
    }

    /// From the planned program on.
    pub fn build(self, planned: Planned) -> Result<Stage, CompileError> {
        let lowered = self.lower(planned)?;
        let stages = finish(&[self], vec![lowered])?;
        stages.into_iter().next().ok_or_else(|| CompileError::user("FX0908", "no target to compile for"))
    }

    fn lower(&self, planned: Planned) -> Result<Lowered, CompileError> {
        let folder = folder_of(&self.target.spec());
        let stop = |phase: Phase| self.options.compile_to == phase;
        self.dump.write(&format!("{folder}/3_schedule.txt"), || planned.describe().into_bytes())?;
        if let Some(remarks) = &planned.remarks {
            let text = || remarks.lines().join("\n").into_bytes();
            self.dump.write(&format!("{folder}/3_why.txt"), text)?;
        }
        if stop(Phase::Schedule) {
            let text = Some(planned.describe());
            return Ok(Lowered { planned, sources: Vec::new(), text });
        }

        (self.listener)(Event::Phase(Phase::Emit));
        let timed = Timed::start(Phase::Emit);
        let sources = self.emit(&planned)?;
        let bytes: usize = sources.iter().map(|source| source.mlir.len()).sum();
        timed.done(format_args!("{bytes} bytes of MLIR for {}", self.target.spec()));
        for source in &sources {
            self.dump.write(&format!("{folder}/4_{}.mlir", source.name), || source.mlir.clone().into_bytes())?;
        }
        if stop(Phase::Emit) {
            let text = Some(sources.into_iter().map(|s| s.mlir).collect::<Vec<_>>().join("\n"));
            return Ok(Lowered { planned, sources: Vec::new(), text });
        }
        Ok(Lowered { planned, sources, text: None })
    }

    fn emit(&self, planned: &Planned) -> Result<Vec<KernelSource>, CompileError> {
        let kernels = planned.kernels.iter().zip(&planned.program.kernels);
        kernels.map(|(plan, record)| emit(plan, &record.name, self.target).map_err(CompileError::emit)).collect()
    }

    /// The kernels of all targets.
    fn codegen(&self, jobs: &[Job]) -> Result<Vec<KernelBinary>, CompileError> {
        (self.listener)(Event::Phase(Phase::Codegen));
        let timed = Timed::start(Phase::Codegen);
        let progress = |done: usize| (self.listener)(Event::Kernels { done, total: jobs.len() });
        let keep = self.dump.enabled() || self.options.compile_to == Phase::Codegen;
        let how = CodegenOptions { keep_intermediates: keep, quick: self.options.quick };
        let store = self.options.store.as_ref().and_then(Store::open);
        let pool = Pool { worker: &self.options.worker, threads: self.options.jobs, store: store.as_ref() };
        let results = compile_all(pool, jobs, how, &progress);
        let mut binaries = Vec::with_capacity(jobs.len());
        for (job, result) in jobs.iter().zip(results) {
            let binary = result.map_err(|error| {
                let kept = reproducer::keep(&self.options.reproducer_folder, &job.kernel.mlir);
                CompileError::kernel(&job.kernel.name, &job.target.spec(), &error, kept.as_deref())
            })?;
            if let Some(i) = &binary.intermediates {
                let stem = format!("{}/5_{}", folder_of(&job.target.spec()), binary.name);
                self.dump.write(&format!("{stem}.lowered.mlir"), || i.lowered_mlir.clone().into_bytes())?;
                self.dump.write(&format!("{stem}.ll"), || i.llvm_ir.clone().into_bytes())?;
                self.dump.write(&format!("{stem}.s"), || i.assembly.clone().into_bytes())?;
            }
            binaries.push(binary);
        }
        let from = store.as_ref().map(|store| store.counts());
        let from = from.map(|(found, compiled)| format!(": {found} from the store, {compiled} compiled"));
        timed.done(format_args!("{} kernels{}", binaries.len(), from.unwrap_or_default()));
        Ok(binaries)
    }

    fn link(&self, mut planned: Planned, binaries: &[KernelBinary]) -> Result<Stage, CompileError> {
        let timed = Timed::start(Phase::Codegen);
        let linked = if binaries.is_empty() {
            Linked::default()
        } else {
            let link_options = LinkOptions { cubin: self.cubin };
            link(self.target, binaries, &self.options.tools, &link_options).map_err(CompileError::link)?
        };
        let bytes: usize = linked.images.iter().map(|image| image.bytes.len()).sum();
        timed.done(format_args!("{} image(s) of {bytes} bytes for {}", linked.images.len(), self.target.spec()));
        for note in &linked.notes {
            (self.listener)(Event::Note(note.clone()));
        }
        for image in &linked.images {
            let file = format!("{}/6_image.{}", folder_of(&self.target.spec()), image.kind.name());
            self.dump.write(&file, || image.bytes.clone())?;
        }
        if self.options.compile_to == Phase::Codegen {
            return Ok(Stage::Text(assembly_text(binaries)));
        }
        pack::record_resources(&mut planned.program, &linked);
        Ok(Stage::Linked(Box::new((planned, linked))))
    }
}

fn assembly_text(binaries: &[KernelBinary]) -> String {
    binaries.iter().filter_map(|b| b.intermediates.as_ref()).map(|i| i.assembly.as_str()).collect::<Vec<_>>().join("\n")
}

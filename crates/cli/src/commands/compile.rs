//! `fornax compile MODEL -o MODULE`: flags to options, progress on stderr, the module file whole or not at all.

use std::io::{IsTerminal, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use fornax_compiler::{
    ArgumentRanges, Checks, CompileError, CompileOptions, Compiled, CubinPolicy, Event, Fault, PHASES,
    ParameterSelection, PassReports, Passes, Phase, Precision, ScheduleOptions, Tools, WeightSelection, Worker,
    compile_checked, current_schedule_name, schedule_kinds,
};
use fornax_module::ModuleBuilder;
use fornax_module::remarks::Remarks;
use fornax_module::tuning::Lock;
use fornax_targets::opencl::split_settings;
use fornax_targets::{
    Backend, CpuIsa, Resolved, default_targets, fits_cpu_features, nearest, resolve, resolve_all, resolve_native_cpu,
    without_duplicates,
};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{CompileArgs, EmitKind, PassArgs, TunePrepareArgs};
use crate::atomic_file::write_atomically;
use crate::commands::{import, kernel_store, print_target};
use crate::emit;
use crate::failure::{Failure, exit};
use crate::input_file::{self, STDIN};
use crate::messages::{self, Level};
use crate::output::{self, say};

/// The file that stands for stdout.
const STDOUT: &str = "/dev/stdout";

pub fn run(args: &CompileArgs) -> Result<()> {
    if args.list_target_backends {
        return print_target::backends(args.format);
    }
    if args.passes.print_passes {
        print_passes();
        return Ok(());
    }
    let mut targets = targets(args)?;
    if args.print_target {
        return print_target::targets(&targets, args.format);
    }
    targets.iter().flat_map(|t| &t.notes).for_each(messages::warning);
    set_device_library(args, &mut targets)?;
    let options = options(args, targets)?;
    let input = args.input.as_deref().unwrap_or(Path::new(STDIN));
    let source = import::model(input, &args.checkpoint, &options.targets)?;
    let progress = Progress::new(messages::quiet());
    let name = if input == Path::new(STDIN) { "<stdin>".to_string() } else { input.display().to_string() };
    let compiled = fornax_compiler::compile(&source, &name, &options, &|event| progress.hear(event));
    progress.finish();
    match compiled.map_err(failure)? {
        Compiled::Text(text) => match &args.output {
            Some(path) if path != Path::new(STDIN) => {
                write_atomically(&output_path(args, input, "mlir")?, &mut |out| Ok(out.write_all(text.as_bytes())?))
            }
            _ => {
                output::bytes(text.as_bytes());
                Ok(())
            }
        },
        Compiled::Module(mut builder) => {
            builder.manifest.provenance.extend(args.provenance.iter().cloned());
            let path = output_path(args, input, emit::extension(args.emit))?;
            if args.emit != EmitKind::Module && path == Path::new(STDOUT) {
                return Err(Failure::usage("--emit needs a file's name: give it with -o").into());
            }
            emit::write(args.emit, &path, &builder, args.emit_runtime.as_deref())
        }
    }
}

/// `fornax tune prepare`: the module of candidates.
pub fn prepare(prepare: &TunePrepareArgs) -> Result<()> {
    let args = &prepare.compile;
    let targets = one_target(args, "candidates are for one target: name one")?;
    let mut options = options(args, targets)?;
    options.schedule.ways = prepare.ways;
    options.schedule.only.clone_from(&prepare.only);
    let input = args.input.as_deref().unwrap_or(Path::new(STDIN));
    let source = import::model(input, &args.checkpoint, &options.targets)?;
    let progress = Progress::new(messages::quiet());
    let name = input.display().to_string();
    let prepared = fornax_compiler::compile_candidates(&source, &name, &options, &|event| progress.hear(event));
    progress.finish();
    let mut builder = prepared.map_err(failure)?;
    builder.manifest.provenance.extend(args.provenance.iter().cloned());
    let path = output_path(args, input, "candidates.fnx")?;
    write_atomically(&path, &mut |out| {
        builder.write_to(out).map_err(Failure::from)?;
        Ok(())
    })
}

/// Why the kernels of a model are as they are, for `fornax inspect --why`; `flags` are those of a compilation.
pub fn explain(model: &Path, target: Option<&str>, flags: &[String]) -> Result<Vec<Remarks>> {
    let name = model.display().to_string();
    let mut words = vec!["compile".to_string(), name.clone()];
    words.extend(target.map(|target| format!("--target={target}")));
    words.extend_from_slice(flags);
    let args = Explained::try_parse_from(words).map_err(|error| Failure::usage(error.to_string()))?.args;
    let targets: Vec<Resolved> = targets(&args)?.into_iter().filter(|target| !target.fallback).collect();
    let options = options(&args, targets)?;
    let source = import::model(model, &args.checkpoint, &options.targets)?;
    let progress = Progress::new(true);
    let remarks = fornax_compiler::explain(&source, &name, &options, &|event| progress.hear(event));
    progress.finish();
    Ok(remarks.map_err(failure)?)
}

/// The module of a model, compiled in this process where LLVM can make one more there.
pub fn module_of(flags: &[String], model: &[u8]) -> Result<Vec<u8>> {
    let words = ["compile", STDIN].into_iter().map(String::from).chain(flags.iter().cloned());
    let args = Explained::try_parse_from(words).map_err(|error| Failure::usage(error.to_string()))?.args;
    let targets = targets(&args)?;
    // LLVM writes one SPIR-V module a process.
    let in_process = !targets.iter().any(|resolved| resolved.target.backend == Backend::OpenCl);
    let mut options = options(&args, targets)?;
    if in_process {
        options.worker = Worker::InProcess;
    }
    match fornax_compiler::compile(model, "<stdin>", &options, &|_| {}).map_err(failure)? {
        Compiled::Text(_) => Err(Failure::usage("--compile-to: only whole modules are made here").into()),
        Compiled::Module(mut builder) => {
            builder.manifest.provenance.extend(args.provenance.iter().cloned());
            let mut bytes = Vec::new();
            builder.write_to(&mut bytes).map_err(Failure::from)?;
            Ok(bytes)
        }
    }
}

/// The arguments of a compilation that the command line does not name.
#[derive(Parser)]
struct Explained {
    #[command(flatten)]
    args: CompileArgs,
}

/// The module of `fornax verify`: compiled for one target, with what a run is compared with.
pub fn checked(args: &CompileArgs, checks: &Checks) -> Result<ModuleBuilder<'static>> {
    let targets = one_target(args, "one target is compared at a time: name one")?;
    let options = options(args, targets)?;
    let input = args.input.as_deref().unwrap_or(Path::new(STDIN));
    let source = import::model(input, &args.checkpoint, &options.targets)?;
    let progress = Progress::new(true);
    let name = input.display().to_string();
    let compiled = compile_checked(&source, &name, &options, &|event| progress.hear(event), checks);
    progress.finish();
    Ok(compiled.map_err(failure)?)
}

/// The lock that ships, with the entries of `--tuning` before its own.
fn tuning(args: &CompileArgs) -> Result<Lock> {
    let mut lock = fornax_compiler::shipped_tuning();
    if let Some(path) = &args.tuning {
        lock.ways.extend(read_lock(path)?.ways);
    }
    Ok(lock)
}

fn read_lock(path: &Path) -> Result<Lock> {
    let text = input_file::read_text(path)?;
    let wrong = |why| Failure::usage(format!("{} is no tuning lock: {why}", path.display()));
    Ok(Lock::parse(&text).map_err(wrong)?)
}

/// Where a module goes: `-o`, else the model's name with another extension; what stdin gives goes to stdout, as with
/// `-o -`, unless that is a terminal.
///
/// # Errors
/// FX0801 where it would replace the model, or where a terminal would have to show it.
fn output_path(args: &CompileArgs, input: &Path, extension: &str) -> Result<PathBuf> {
    let stdout = || PathBuf::from(STDOUT);
    let path = match &args.output {
        Some(path) if path == Path::new(STDIN) => stdout(),
        Some(path) => path.clone(),
        None if input == Path::new(STDIN) => stdout(),
        None => input.with_extension(extension),
    };
    if path == Path::new(STDOUT) && std::io::stdout().is_terminal() {
        return Err(Failure::usage("a module is not text for a terminal: name its file with -o").into());
    }
    let place = |path: &Path| std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino(), data.is_file()));
    if place(&path).is_some_and(|(.., is_file)| is_file) && place(input) == place(&path) {
        let text = format!("-o {} would replace the model itself: give the module another name", path.display());
        return Err(Failure::usage(text).into());
    }
    Ok(path)
}

pub fn failure(error: CompileError) -> Failure {
    let exit = match error.fault {
        Fault::User => exit::USAGE,
        Fault::Environment => exit::UNSUPPORTED,
        Fault::Ours => exit::USAGE,
    };
    Failure { exit, message: error.message }
}

/// Dialects of models; which one a file is in shows in the file.
const INPUT_TYPES: [&str; 4] = ["auto", "stablehlo", "linalg", "tosa"];

fn options(args: &CompileArgs, targets: Vec<Resolved>) -> Result<CompileOptions> {
    let compile_to = match &args.compile_to {
        None => Phase::Pack,
        Some(name) => Phase::parse(name).ok_or_else(|| {
            let names: Vec<&str> = PHASES.iter().map(|row| row.name).collect();
            let near = nearest(name, names.iter().copied());
            let hint = near.first().map_or(String::new(), |n| format!("; did you mean {n}?"));
            Failure::usage(format!("unknown phase `{name}` in --compile-to{hint} The phases: {}", names.join(", ")))
        })?,
    };
    if !INPUT_TYPES.contains(&args.input_type.as_str()) {
        let known = INPUT_TYPES.join(", ");
        return Err(Failure::usage(format!("unknown --input-type `{}`; known: {known}", args.input_type)).into());
    }
    let f32_matmul = Precision::from_name(&args.f32_matmul).ok_or_else(|| {
        let names: Vec<&str> = Precision::ALL.iter().map(|p| p.name()).collect();
        let hint = nearest(&args.f32_matmul, names.iter().copied());
        let hint = hint.first().map_or(String::new(), |n| format!("; did you mean {n}?"));
        Failure::usage(format!("unknown --f32-matmul `{}`{hint}; known: {}", args.f32_matmul, names.join(", ")))
    })?;
    let parameters = match (&args.parameter_args, &args.parameters_from) {
        (Some(ranges), _) => ParameterSelection::parse_ranges(ranges).map_err(failure)?,
        (None, Some(path)) => {
            let json = input_file::read(path)?;
            ParameterSelection::parse_manifest(&json, &path.display().to_string()).map_err(failure)?
        }
        (None, None) => ParameterSelection::None,
    };
    let found = Tools::find(&tool_folders());
    let program = std::env::current_exe().ok();
    let store = kernel_store::of(args.kernel_store.as_deref(), program.as_deref())?;
    let worker = program.filter(|_| !args.in_process).map_or(Worker::InProcess, Worker::Process);
    Ok(CompileOptions {
        targets,
        compile_to,
        dump_to: args.dump_ir_to.clone(),
        remarks: args.passes.remarks,
        reports: reports(&args.passes).map_err(failure)?,
        run_passes: args.passes.run_passes.clone(),
        parameters,
        weights: args.weights.as_deref().map(WeightSelection::parse).transpose().map_err(failure)?,
        donate: args
            .donate
            .as_deref()
            .map(|text| ArgumentRanges::parse("--donate", text))
            .transpose()
            .map_err(failure)?,
        onnx: import::onnx_options(&args.onnx)?,
        schedule: ScheduleOptions {
            f32_matmul,
            tuning: Some(Arc::new(tuning(args)?)),
            demand: demanded_schedule(args)?,
            ..Default::default()
        },
        quick: args.quick.unwrap_or(false),
        cubin: match args.cuda_use_ptxas {
            None => CubinPolicy::IfPossible,
            Some(true) => CubinPolicy::Required,
            Some(false) => CubinPolicy::Never,
        },
        tools: Tools { ptxas: args.ptxas.clone().or(found.ptxas) },
        worker,
        store,
        jobs: args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get())),
        reproducer_folder: args.dump_ir_to.clone().unwrap_or_else(std::env::temp_dir),
    })
}

/// `--schedule`: its first word names a family.
fn demanded_schedule(args: &CompileArgs) -> Result<Option<String>> {
    let Some(demand) = args.schedule.as_deref().map(current_schedule_name) else { return Ok(None) };
    let family = demand.split(' ').next().unwrap_or_default();
    let known = schedule_kinds();
    if known.contains(&family) {
        return Ok(Some(demand.into_owned()));
    }
    let near = nearest(family, known.iter().copied());
    let near = near.first().map_or(String::new(), |name| format!("did you mean {name}? "));
    let help = format!("{near}The kinds: {}", known.join(", "));
    let text = format!("--schedule={demand}: no kind of schedule is called `{family}`");
    Err(Failure::new(exit::USAGE, "FX0801", text, &help).into())
}

fn reports(args: &PassArgs) -> Result<PassReports, CompileError> {
    Ok(PassReports {
        before: Passes::of(&args.print_ir_before)?,
        after: Passes::of(&args.print_ir_after)?,
        after_change: args.print_ir_after_change,
        times: args.time_passes,
        statistics: args.pass_statistics,
        dump_each: args.dump_each_pass,
    })
}

fn print_passes() {
    let passes = fornax_compiler::passes();
    let width = passes.iter().map(|pass| pass.name.len()).max().unwrap_or(0);
    for pass in passes {
        say!("{:<9} {:<width$}  {}", pass.phase, pass.name, pass.doc);
    }
}

/// Where ptxas may be: the PATH, then the CUDA toolkit.
fn tool_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    let cuda = std::env::var_os("CUDA_HOME").map_or_else(|| PathBuf::from("/usr/local/cuda"), PathBuf::from);
    folders.push(cuda.join("bin"));
    folders
}

/// The targets in the order of the backends, each backend's defaults where it is named without an architecture.
fn targets(args: &CompileArgs) -> Result<Vec<Resolved>> {
    targets_or(args, default_targets)
}

/// What one target is wanted for: of a backend's defaults the best that this machine runs, else the first.
fn one_target(args: &CompileArgs, several: &str) -> Result<Vec<Resolved>> {
    let default = |backend| {
        let mut targets = default_targets(backend);
        let best = if backend == Backend::Cpu { targets.iter().rposition(runs_here) } else { None };
        targets.drain(best.unwrap_or(0)..).take(1).collect()
    };
    let targets: Vec<Resolved> = targets_or(args, default)?.into_iter().filter(|target| !target.fallback).collect();
    if targets.len() > 1 { Err(Failure::usage(several).into()) } else { Ok(targets) }
}

/// Whether this machine's processor runs images for a CPU target.
fn runs_here(resolved: &Resolved) -> bool {
    let processor = fornax_runtime::registry::devices().into_iter().find(|device| device.driver == "cpu");
    processor.is_some_and(|p| fits_cpu_features(&p.arch, &p.features, &resolved.target.name).is_ok())
}

fn targets_or(args: &CompileArgs, defaults: impl Fn(Backend) -> Vec<Resolved>) -> Result<Vec<Resolved>> {
    let mut targets = Vec::new();
    for (backend, names) in requested(args)? {
        if names.is_empty() {
            targets.extend(defaults(backend));
        }
        for name in names {
            targets.extend(resolve_name(backend, &name)?);
        }
    }
    for resolved in targets.iter_mut().filter(|resolved| resolved.target.backend == Backend::Rocm) {
        set_code_object_version(args, resolved)?;
    }
    Ok(without_duplicates(targets))
}

fn set_code_object_version(args: &CompileArgs, resolved: &mut Resolved) -> Result<()> {
    let Some(version) = args.rocm_code_object_version else { return Ok(()) };
    if resolved.target.amdgpu_code_object != version.checked_mul(100) {
        let feature = format!("+code-object-v{version}");
        resolved.target = resolved.target.with_features(&feature).map_err(Failure::from)?;
    }
    Ok(())
}

/// `--rocm-link-bc`: kernels of AMD's chips call the library, which must be there.
fn set_device_library(args: &CompileArgs, targets: &mut [Resolved]) -> Result<()> {
    let mut amd = targets.iter_mut().filter(|resolved| resolved.target.backend == Backend::Rocm).peekable();
    if args.rocm_link_bc != Some(true) || amd.peek().is_none() {
        return Ok(());
    }
    let file = args.rocm_bc_dir.join("ocml.bc");
    let read = std::fs::File::open(&file).and_then(|mut file| {
        let mut magic = [0; 4];
        file.read_exact(&mut magic).map(|()| magic)
    });
    let text = match read {
        // LLVM bitcode, plain and wrapped.
        Ok([b'B', b'C', 0xc0, 0xde] | [0xde, 0xc0, 0x17, 0x0b]) => {
            amd.for_each(|resolved| resolved.target.device_library = Some(args.rocm_bc_dir.clone()));
            return Ok(());
        }
        Ok(_) => "it is no LLVM bitcode".to_string(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        Err(error) => error.to_string(),
    };
    let folder = args.rocm_bc_dir.display();
    let text = format!("AMD's device library `ocml.bc` cannot be read in the folder {folder}: {text}");
    let help = "--rocm-bc-dir=DIR names the folder of ocml.bc; leave --rocm-link-bc out (or give --rocm-link-bc=false) \
                and none is needed: Fornax has its own functions";
    Err(Failure::new(exit::USAGE, "FX0804", text, help).into())
}

/// Backends in order of appearance, each with the architectures asked of it.
fn requested(args: &CompileArgs) -> Result<Vec<(Backend, Vec<String>)>> {
    let mut wanted: Vec<(Backend, Vec<String>)> = Vec::new();
    let mut add = |backend: Backend, name: Option<String>| {
        if !wanted.iter().any(|w| w.0 == backend) {
            wanted.push((backend, Vec::new()));
        }
        if let Some(entry) = wanted.iter_mut().find(|w| w.0 == backend) {
            entry.1.extend(name);
        }
    };
    for name in &args.target_backends {
        add(Backend::parse(name).map_err(Failure::from)?, None);
    }
    for (backend, arch) in named_targets(args)? {
        add(backend, arch);
    }
    let listed = args.target_backends.is_empty() && args.target.is_empty();
    let by_backend = [
        (Backend::Cuda, &args.cuda_target),
        (Backend::Rocm, &args.rocm_target),
        (Backend::OpenCl, &args.opencl_target),
        (Backend::Cpu, &args.cpu_target),
    ];
    for (backend, names) in by_backend {
        let named = wanted_backend(args, backend)?;
        for name in names {
            if !listed && !named {
                let text =
                    format!("--{backend}-target={name} is given, but {backend} is not among the target backends");
                return Err(Failure::usage(text).into());
            }
            add(backend, Some(name.clone()));
        }
    }
    if wanted.is_empty() {
        wanted.push((Backend::Cpu, Vec::new()));
    }
    Ok(wanted)
}

/// What `--target` names: `cuda:a100`, `cuda,cpu`, `cuda:sm_80,sm_90,cpu`. After a comma stands a backend, another
/// architecture of the one before, or, behind a sign, a setting of the architecture before.
fn named_targets(args: &CompileArgs) -> Result<Vec<(Backend, Option<String>)>> {
    let mut named: Vec<(Backend, Option<String>)> = Vec::new();
    for spec in &args.target {
        let first = named.len();
        for piece in spec.split(',') {
            let (name, arch) = piece.split_once(':').map_or((piece, None), |(b, a)| (b, Some(a.to_string())));
            match (Backend::parse(name), named.get_mut(first..).and_then(<[_]>::last_mut)) {
                (_, Some((_, Some(arch)))) if piece.starts_with(['+', '-']) => {
                    arch.push(',');
                    arch.push_str(piece);
                }
                (Ok(backend), _) => named.push((backend, arch)),
                (Err(_), Some((backend, Some(_)))) => {
                    let backend = *backend;
                    named.push((backend, Some(piece.to_string())));
                }
                (Err(error), _) => return Err(Failure::from(error).into()),
            }
        }
    }
    Ok(named)
}

fn wanted_backend(args: &CompileArgs, backend: Backend) -> Result<bool> {
    for name in &args.target_backends {
        if Backend::parse(name).map_err(Failure::from)? == backend {
            return Ok(true);
        }
    }
    Ok(named_targets(args)?.iter().any(|named| named.0 == backend))
}

/// The targets of one name; with added features exactly the one named.
fn resolve_name(backend: Backend, name: &str) -> Result<Vec<Resolved>> {
    let (plain, mut features) = match backend {
        Backend::OpenCl => split_settings(name),
        // A target id has signs of its own.
        Backend::Rocm if name.contains(':') => {
            name.split_once(',').map_or((name, String::new()), |(n, f)| (n, f.into()))
        }
        // A feature is on behind a plus or a comma (`sm_90a+ptx84`), off behind a comma (`gfx90a,-xnack`).
        _ => {
            let (plain, features) = name.split_at(name.find(['+', ',']).unwrap_or(name.len()));
            (plain, features.replace('+', ",+"))
        }
    };
    let resolved = match (backend, plain.eq_ignore_ascii_case("native")) {
        (Backend::Cpu, true) => {
            let device = fornax_runtime::registry::devices().into_iter().find(|d| d.driver == "cpu");
            let isa = CpuIsa::from_name(std::env::consts::ARCH).unwrap_or(CpuIsa::X86_64);
            vec![resolve_native_cpu(isa, &device.map(|d| d.features).unwrap_or_default())]
        }
        (_, true) => {
            let device = fornax_runtime::registry::devices().into_iter().find(|d| d.driver == backend.name());
            let device = device.ok_or_else(|| {
                let text = format!("`{backend}:native` needs a {backend} device, and this machine has none");
                let example = default_targets(backend).first().map_or(String::new(), |first| first.target.spec());
                Failure::new(
                    exit::UNSUPPORTED,
                    "FX0702",
                    text,
                    &format!("name the architecture, e.g. --target={example}"),
                )
            })?;
            if backend == Backend::OpenCl {
                features = native_settings(&device.features) + &features;
            }
            resolve_all(backend, &device.arch).map_err(Failure::from)?
        }
        _ if features.is_empty() => resolve_all(backend, plain).map_err(Failure::from)?,
        _ => vec![resolve(backend, plain).map_err(Failure::from)?],
    };
    let add = |resolved: Resolved| -> Result<Resolved> {
        let target = resolved.target.with_features(&features).map_err(Failure::from)?;
        Ok(Resolved { target, ..resolved })
    };
    resolved.into_iter().map(add).collect()
}

/// What a device of OpenCL has beyond the generic target, and lacks of it: `+fp16,-fp64,`.
fn native_settings<S: AsRef<str>>(offered: &[S]) -> String {
    let offers = |name| offered.iter().any(|feature| feature.as_ref() == name);
    let half = if offers("fp16") { "+fp16," } else { "" };
    let double = if offers("fp64") { "" } else { "-fp64," };
    format!("{half}{double}")
}

/// Says on stderr what a long compilation is doing: a bar on a terminal, nothing else elsewhere.
struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    said: Mutex<Vec<String>>,
}

impl Progress {
    fn new(quiet: bool) -> Progress {
        let bar = (!quiet && !messages::json() && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Progress { bar, quiet, said: Mutex::new(Vec::new()) }
    }

    fn hear(&self, event: Event) {
        match (event, &self.bar) {
            (Event::Phase(phase), Some(bar)) => bar.set_message(phase.name()),
            (Event::Kernels { done, total }, Some(bar)) => {
                bar.set_message(format!("codegen: {done} of {total} kernels"))
            }
            (Event::Report(text), Some(bar)) => bar.suspend(|| eprintln!("{text}")),
            (Event::Report(text), None) => eprintln!("{text}"),
            (Event::Note(note), bar) if !self.quiet => {
                let Ok(mut said) = self.said.lock() else { return };
                if said.contains(&note) {
                    return;
                }
                match bar {
                    Some(bar) => bar.println(messages::line(Level::Note, &note)),
                    None => messages::note(&note),
                }
                said.push(note);
            }
            _ => {}
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

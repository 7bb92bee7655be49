//! From an open module and a device to a session: image, memory, constants, parameters, the load block.

use std::time::Instant;

use fornax_module::manifest::{ImageEntry, Manifest, TargetEntry};
use fornax_module::parameter_reads::ParameterReads;
use fornax_module::program::{BlockId, Command};
use fornax_module::{DeviceArch, Program, Verify, choose};
use fornax_targets::Backend;

use super::parameters::{self, Found};
use super::{Module, Session, SessionOptions, execute, program_error};
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{Buffer, Collective, Device, DeviceInfo, Executable, HalErrorKind, KernelSpec, Place, block_bytes};

pub(super) fn load(module: &Module, device: &Device, options: &SessionOptions) -> Result<Session> {
    let _phase = device.phase(|| "load module".to_string());
    let (target, executable, description) = load_image(module, device)?;
    tracing::info!("image: {description}");
    let manifest = module.manifest();
    let entry = manifest.targets.get(target).ok_or_else(|| program_error("no such target"))?;
    let program = module.parsed().program_of(entry).ok_or_else(|| program_error("no such program"))?.clone();
    let reads = program.parameter_reads(manifest.parameters.len());
    let WeightBytes { stay: weight_bytes, at_load } = WeightBytes::of(manifest, &program, &reads, device);
    let arenas = arena_bytes(&program);
    let planned_bytes = arenas.saturating_add(weight_bytes);
    let most = arenas.max(at_load).saturating_add(weight_bytes);
    if let Some(limit) = options.max_device_memory
        && most > limit
    {
        let message = format!("the module plans {most} bytes of device memory, the limit is {limit}");
        return Err(RuntimeError::new("FX0706", ErrorKind::OutOfMemory, message));
    }
    meet(module, options.collective.as_ref(), device)?;
    let found = parameters::find(manifest, options)?;
    let straight = (0..program.functions.len()).map(|function| is_straight(&program, function)).collect();
    let mut session = Session {
        device: device.clone(),
        module: module.clone(),
        executable,
        constants: constants(module, device)?,
        parameters: found.bind(device, &|number| options.keeps_parameters || reads.in_calls(number))?,
        persistent: None,
        arenas: vec![None; program.functions.len()],
        straight,
        static_values: program.evaluate_known(&[]).into(),
        cache: Default::default(),
        trace: None,
        watching: None,
        description,
        planned_bytes,
        weight_bytes,
        memory_limit: options.max_device_memory,
        collective: options.collective.clone(),
        host_functions: options.host_functions.clone(),
        program,
    };
    if session.program.persistent_bytes > 0 {
        tracing::debug!("{} bytes for what is computed once", session.program.persistent_bytes);
        session.persistent = Some(device.allocate(session.program.persistent_bytes, Place::Device)?);
    }
    // Uploads went on during the hashing; nothing has run yet.
    if module.verify() == Verify::Full {
        module.check_constants()?;
    }
    if let Some(block) = session.program.load {
        let passing = (!options.keeps_parameters).then_some(Passing { found: &found, reads: &reads });
        execute::run_load(&mut session, block, passing.as_ref())?;
        if session.parameters.iter().any(Option::is_none) {
            device.trim();
        }
    }
    Ok(session)
}

/// Parameters that the load block alone reads: each is on the device from the first command that reads it to the last.
pub(super) struct Passing<'l> {
    found: &'l Found<'l>,
    reads: &'l ParameterReads,
}

impl Passing<'_> {
    /// Uploads what command `at` is the first to read.
    pub(super) fn before(&self, at: usize, device: &Device, parameters: &mut [Option<Buffer>]) -> Result<()> {
        for &number in self.reads.first_at(at) {
            if let Some(parameter) = parameters.get_mut(number) {
                *parameter = Some(self.found.upload(device, number)?);
            }
        }
        Ok(())
    }

    /// Whether command `at` is the last to read one.
    pub(super) fn ends_at(&self, at: usize) -> bool {
        !self.reads.last_at(at).is_empty()
    }

    /// Gives back what command `at` is the last to read, when that is in the device's queue: what uses the memory next
    /// comes behind it.
    pub(super) fn after(&self, at: usize, parameters: &mut [Option<Buffer>]) {
        for &number in self.reads.last_at(at) {
            if let Some(parameter) = parameters.get_mut(number) {
                *parameter = None;
            }
        }
    }
}

/// Makes sure that as many devices as the module is made for run it, all of them the same. One that is made for one
/// device asks nothing of the others: any number runs it.
fn meet(module: &Module, collective: Option<&Collective>, device: &Device) -> Result<()> {
    let wanted = module.manifest().devices();
    let given = collective.map_or(1, Collective::devices);
    if wanted != given && wanted != 1 {
        let message = format!("the module is made for {wanted} device(s), and {given} run it");
        return Err(RuntimeError::new("FX0729", ErrorKind::Module, message));
    }
    let Some(collective) = collective else { return Ok(()) };
    let own = *blake3::hash(module.manifest().contents_hash.as_bytes()).as_bytes();
    let all = collective.tell(own)?;
    match all.iter().position(|other| *other != own) {
        None => Ok(()),
        Some(other) => {
            let (number, uri) = (collective.device(), device.info().uri());
            let message = format!("device {number} ({uri}) runs another module than device {other}");
            Err(RuntimeError::new("FX0728", ErrorKind::Module, message))
        }
    }
}

/// Chooses and loads an image: target of the manifest, executable, and what was chosen and why.
fn load_image(module: &Module, device: &Device) -> Result<(usize, Option<Executable>, String)> {
    let mut manifest = module.manifest().clone();
    let arch = device_arch(device.info())?;
    if let Some(target) = without_kernels(module, arch.as_ref()) {
        return Ok((target, None, "no image: the program has no kernels".into()));
    }
    loop {
        let (target, image, reason) = match &arch {
            Some(arch) => {
                let choice = choose(&manifest, arch)?;
                (choice.target, choice.image, choice.reason)
            }
            None => any_image(&manifest)?,
        };
        let entry = manifest.targets.get_mut(target).ok_or_else(|| program_error("no such target"))?;
        match load_one(module, device, entry, &image) {
            Ok(executable) => {
                let description = format!("{reason}; {}", executable.describe());
                return Ok((target, Some(executable), description));
            }
            // A driver too old for a cubin may still compile the PTX next to it, or that for an older chip.
            Err(error) if may_try_another(&error) => {
                entry.images.retain(|other| *other != image);
                if choose(&manifest, arch.as_ref().ok_or_else(|| error.clone())?).is_err() {
                    return Err(error);
                }
                tracing::warn!("{}: {error}; trying the next image", image.title());
            }
            Err(error) => return Err(error),
        }
    }
}

fn may_try_another(error: &RuntimeError) -> bool {
    matches!(error.hal_kind(), Some(HalErrorKind::BadImage | HalErrorKind::Unsupported))
}

fn load_one(module: &Module, device: &Device, target: &TargetEntry, image: &ImageEntry) -> Result<Executable> {
    let program = module.parsed().program_of(target).ok_or_else(|| program_error("no such program"))?;
    let kernels: Vec<KernelSpec> = program
        .kernels
        .iter()
        .map(|kernel| KernelSpec {
            name: kernel.name.clone(),
            block: kernel.block,
            dynamic_shared_bytes: kernel.dynamic_shared_bytes,
            scratch_bytes: kernel.scratch_bytes,
            bindings: kernel.bindings,
            tensor_maps: kernel.tensor_maps.clone(),
            cluster: kernel.cluster,
            awaits: kernel.awaits,
        })
        .collect();
    let bytes = module.parsed().copy_image(image)?;
    let began = Instant::now();
    let loaded = device.load(image.kind, &bytes, &kernels)?;
    let ms = began.elapsed().as_secs_f64() * 1e3;
    tracing::debug!("{}: {} bytes, {} kernels, loaded in {ms:.1} ms", image.title(), bytes.len(), kernels.len());
    Ok(loaded)
}

/// The image of a module for a device that is not open: which, and why that one.
///
/// # Errors
/// FX0611 where it holds none.
pub(crate) fn image_for(module: &Module, info: &DeviceInfo) -> Result<String> {
    let arch = device_arch(info)?;
    if without_kernels(module, arch.as_ref()).is_some() {
        return Ok("no image: the program has no kernels".into());
    }
    match arch {
        Some(arch) => Ok(choose(module.manifest(), &arch)?.reason),
        None => Ok(any_image(module.manifest())?.2),
    }
}

/// The program of a module that a session on a device would run.
///
/// # Errors
/// FX0611 where it holds none.
pub(crate) fn program_for<'m>(module: &'m Module, info: &DeviceInfo) -> Result<&'m Program> {
    let arch = device_arch(info)?;
    let target = match (without_kernels(module, arch.as_ref()), &arch) {
        (Some(target), _) => target,
        (None, Some(arch)) => choose(module.manifest(), arch)?.target,
        (None, None) => any_image(module.manifest())?.0,
    };
    let entry = module.manifest().targets.get(target).ok_or_else(|| program_error("no such target"))?;
    module.parsed().program_of(entry).ok_or_else(|| program_error("no such program"))
}

/// What the device is in the words of image choice; `None` for one that takes any image.
fn device_arch(info: &DeviceInfo) -> Result<Option<DeviceArch>> {
    if info.driver == "null" {
        return Ok(None);
    }
    let backend = Backend::parse(info.driver).map_err(|error| program_error(error.to_string()))?;
    let features = info.features.iter().map(|feature| feature.to_string()).collect();
    Ok(Some(DeviceArch { backend, arch: info.arch.clone(), features }))
}

/// A target of the device's backend whose program launches nothing (it returns arguments and constants).
fn without_kernels(module: &Module, arch: Option<&DeviceArch>) -> Option<usize> {
    let fits = |target: &TargetEntry| arch.is_none_or(|arch| target.backend == arch.backend.name());
    let empty = |target: &TargetEntry| module.parsed().program_of(target).is_some_and(|p| p.kernels.is_empty());
    module.manifest().targets.iter().position(|target| fits(target) && empty(target))
}

fn any_image(manifest: &Manifest) -> Result<(usize, ImageEntry, String)> {
    let first = manifest.targets.iter().enumerate().find_map(|(at, target)| Some((at, target.images.first()?.clone())));
    let (target, image) = first.ok_or_else(|| program_error("the module holds no image"))?;
    let reason = format!("{}: the first of the module", image.title());
    Ok((target, image, reason))
}

/// The constants: in place where the device can use them there, else uploaded.
fn constants(module: &Module, device: &Device) -> Result<Option<Buffer>> {
    let Some(host) = module.constants().filter(|host| !host.bytes().is_empty()) else { return Ok(None) };
    match device.import(&host) {
        Some(buffer) => Ok(Some(buffer)),
        None => Ok(Some(device.upload_new(host.bytes())?)),
    }
}

/// Arenas of all functions.
fn arena_bytes(program: &Program) -> u64 {
    let values = program.evaluate_known(&[]);
    let arena = |function: &fornax_module::program::Function| {
        values.get(function.arena_bytes as usize).and_then(|value| value.known()).unwrap_or(0)
    };
    program.functions.iter().map(arena).fold(0, u64::saturating_add)
}

/// What weights take of a device's memory, bytes.
struct WeightBytes {
    /// Constants, parameters and persistent buffers.
    stay: u64,
    /// Parameters that the load alone reads, while it does.
    at_load: u64,
}

impl WeightBytes {
    fn of(manifest: &Manifest, program: &Program, reads: &ParameterReads, device: &Device) -> WeightBytes {
        let in_place = device.info().driver == "cpu";
        let bytes = |number: usize| manifest.parameters.get(number).map_or(0, |parameter| parameter.bytes);
        let kept = (0..manifest.parameters.len()).filter(|&number| reads.in_calls(number)).map(bytes);
        let weights = kept.fold(manifest.constants_bytes, u64::saturating_add);
        let stay = if in_place { 0 } else { weights };
        let at_load = if in_place { 0 } else { reads.bytes_at_load(&|number| block_bytes(bytes(number))) };
        WeightBytes { stay: stay.saturating_add(program.persistent_bytes), at_load }
    }
}

/// Commands of a list, at most.
const LIST_MAX: u64 = 16384;

/// Whether a call of the function is one command list whatever the data: no size is read on the way.
fn is_straight(program: &Program, function: usize) -> bool {
    list_length(program, function).is_some_and(|length| length <= LIST_MAX)
}

/// Commands of the list of a call of the function, if it is one.
fn list_length(program: &Program, function: usize) -> Option<u64> {
    // The module's checks exclude recursion.
    block_length(program, program.functions.get(function)?.body)
}

fn block_length(program: &Program, block: BlockId) -> Option<u64> {
    let commands = &program.blocks.get(block as usize)?.commands;
    commands.iter().try_fold(0u64, |sum, command| Some(sum.saturating_add(control_length(program, command)?)))
}

/// Commands that a command is in a list, with those of its blocks; `None` where the host reads a size or is called
/// among them.
pub(super) fn control_length(program: &Program, command: &Command) -> Option<u64> {
    Some(match command {
        Command::Dispatch { .. } | Command::Copy { .. } | Command::Fill { .. } => 1,
        Command::Collective { .. } | Command::DeviceId { .. } => 1,
        // What is required of sizes holds for every call with the same ones.
        Command::Require { .. } => 0,
        Command::Call { function, .. } => list_length(program, *function as usize)?,
        Command::Repeat { body, .. } => block_length(program, *body)?.saturating_add(1),
        Command::If { then_block: a, else_block: b, .. } | Command::While { condition: a, body: b, .. } => {
            block_length(program, *a)?.saturating_add(block_length(program, *b)?).saturating_add(1)
        }
        Command::HostShape { .. } | Command::HostCall { .. } => return None,
    })
}

//! One device: which image it would load and why not the others, which driver that needs, and whether memory suffices.

use fornax_module::manifest::{FunctionSignature, ImageEntry, Manifest, TargetEntry};
use fornax_module::{DeviceArch, candidates, choose};
use fornax_runtime::hal::DeviceInfo;
use fornax_targets::Backend;
use serde::Serialize;

use super::driver::{self, need};
use super::inference::Inference;
use super::memory::{Memory, memory};
use super::{Bytes, Module};

/// What `check` says of one device.
#[derive(Serialize)]
pub struct DeviceReport {
    pub uri: String,
    pub name: String,
    pub arch: String,
    pub driver: String,
    pub driver_version: String,
    pub verdict: Verdict,
    /// Why it will not run; empty where it will.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The image that would be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<Chosen>,
    /// Every image of the module.
    pub images: Vec<ImageReport>,
    /// Bytes of the device's memory that are free; absent where nobody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<u64>,
    pub memory: Vec<Memory>,
    /// All that a language model or an encoder takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference: Option<Inference>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Runs,
    /// No image fits, or the device cannot run modules.
    CannotRun,
    OutOfMemory,
}

#[derive(Clone, Serialize)]
pub struct Chosen {
    /// `cubin sm_90`; empty for a program without kernels.
    pub image: String,
    pub target: String,
    pub reason: String,
    /// `CUDA 11.8`, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_driver: Option<String>,
}

#[derive(Serialize)]
pub struct ImageReport {
    pub image: String,
    pub target: String,
    pub chosen: bool,
    /// Why the device cannot run it; absent where it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misfit: Option<String>,
}

/// What a device's driver and memory say; `look` opens the device.
pub struct Seen<'a> {
    pub info: &'a DeviceInfo,
    pub look: &'a dyn Fn() -> Result<Found, String>,
}

/// What an open device says.
pub struct Found {
    /// Free bytes.
    pub free: u64,
    pub inference: Option<Inference>,
}

/// Looks at a module from a device.
pub fn report(
    module: &Module<'_>,
    functions: &[&FunctionSignature],
    given: &[(String, u64)],
    seen: &Seen<'_>,
) -> DeviceReport {
    let info = seen.info;
    let mut report = DeviceReport {
        uri: info.uri(),
        name: info.name.clone(),
        arch: info.arch.clone(),
        driver: info.driver.to_string(),
        driver_version: info.driver_version.clone(),
        verdict: Verdict::CannotRun,
        why: String::new(),
        image: None,
        images: Vec::new(),
        free_bytes: None,
        memory: Vec::new(),
        inference: None,
    };
    if let Some(why) = &info.unusable {
        report.why = format!("the device cannot run modules: {why}");
        return report;
    }
    let found = match device_arch(info) {
        Some(arch) => chosen(module, &arch, info, &mut report),
        None => any_image(module.parsed.manifest()),
    };
    let (at, image) = match found {
        Ok(found) => found,
        Err(why) => {
            report.why = why;
            return report;
        }
    };
    let manifest = module.parsed.manifest();
    let Some(target) = manifest.targets.get(at) else { return report };
    for row in &mut report.images {
        row.chosen = row.image == image.image && row.target == image.target;
    }
    if let Some(why) = over_limits(module, target, info) {
        report.why = why;
        return report;
    }
    report.image = Some(image);
    let Some(program) = module.parsed.program_of(target) else { return report };
    let in_place = info.driver == "cpu";
    report.memory = functions.iter().filter_map(|f| memory(manifest, program, f, given, in_place)).collect();
    match (seen.look)() {
        Ok(Found { free, mut inference }) => {
            report.free_bytes = Some(free);
            let most = report.memory.iter().map(|m| m.known_bytes).max().unwrap_or(0);
            let (most, whose) = match &inference {
                Some(inference) => (inference.total, inference.title()),
                None => (most, "a call".to_string()),
            };
            report.verdict = if most > free { Verdict::OutOfMemory } else { Verdict::Runs };
            if most > free {
                report.why = format!("{whose} needs {most} bytes of device memory, {free} are free");
            }
            inference.iter_mut().for_each(|inference| inference.set_free(free));
            report.inference = inference;
        }
        Err(why) => report.why = why,
    }
    report
}

/// What the device is in the words of image choice; `None` for one that takes any image.
fn device_arch(info: &DeviceInfo) -> Option<DeviceArch> {
    let backend = Backend::parse(info.driver).ok()?;
    let features = info.features.iter().map(|feature| feature.to_string()).collect();
    Some(DeviceArch { backend, arch: info.arch.clone(), features })
}

fn any_image(manifest: &Manifest) -> Result<(usize, Chosen), String> {
    let first = manifest.targets.iter().enumerate().find_map(|(at, t)| Some((at, t, t.images.first()?)));
    let (at, target, image) = first.ok_or_else(|| "the module holds no image".to_string())?;
    let reason = "the first of the module: the device takes any".to_string();
    Ok((at, Chosen { image: image.title(), target: target.title(), reason, needs_driver: None }))
}

/// The image that a session would load: the best that fits and whose driver is new enough.
fn chosen(
    module: &Module<'_>,
    arch: &DeviceArch,
    info: &DeviceInfo,
    report: &mut DeviceReport,
) -> Result<(usize, Chosen), String> {
    let mut manifest = module.parsed.manifest().clone();
    let title = |target: usize| manifest.targets.get(target).map(TargetEntry::title).unwrap_or_default();
    let row = |seen: fornax_module::Candidate| ImageReport {
        image: seen.image.title(),
        target: title(seen.target),
        chosen: false,
        misfit: seen.misfit,
    };
    report.images = candidates(&manifest, arch).into_iter().map(row).collect();
    let empty = |target: &TargetEntry| {
        target.backend == arch.backend.name() && module.parsed.program_of(target).is_some_and(|p| p.kernels.is_empty())
    };
    if let Some(at) = manifest.targets.iter().position(empty) {
        let reason = "no image: the program has no kernels".to_string();
        let target = title(at);
        return Ok((at, Chosen { image: String::new(), target, reason, needs_driver: None }));
    }
    let mut too_old = None;
    loop {
        let choice = match choose(&manifest, arch) {
            Ok(choice) => choice,
            Err(_) => return Err(too_old.unwrap_or_else(|| no_image(&manifest, info))),
        };
        let Some(target) = manifest.targets.get_mut(choice.target) else { return Err("no such target".into()) };
        let need = of_image(module, &choice.image);
        let here = driver::release(&info.driver_version);
        match need {
            Some(need) if here.is_some_and(|here| here < need.release) => {
                let why = format!(
                    "it is {}, which needs a driver for {} or later; here: {}",
                    need.why,
                    need.title(),
                    info.driver_version
                );
                let (image, title) = (choice.image.title(), target.title());
                for row in report.images.iter_mut().filter(|row| row.image == image && row.target == title) {
                    row.misfit = Some(why.clone());
                }
                target.images.retain(|other| *other != choice.image);
                too_old = Some(format!("the driver is too old for {image}: {why}"));
            }
            need => {
                let needs_driver = need.map(|need| need.title());
                let chosen =
                    Chosen { image: choice.image.title(), target: target.title(), reason: choice.reason, needs_driver };
                return Ok((choice.target, chosen));
            }
        }
    }
}

fn of_image(module: &Module<'_>, image: &ImageEntry) -> Option<driver::Need> {
    let bytes: Bytes<'_> = module.parsed.image(image.section).ok()?;
    need(image.kind, &image.arch, bytes)
}

/// Which architectures the module is for, and what is here.
fn no_image(manifest: &Manifest, info: &DeviceInfo) -> String {
    let mut holds: Vec<String> = manifest.targets.iter().flat_map(|t| t.images.iter().map(ImageEntry::title)).collect();
    holds.dedup();
    format!("the module holds no image for {} {}; it holds {}", info.driver, info.arch, holds.join(", "))
}

/// A kernel whose workgroups are larger than the device's.
fn over_limits(module: &Module<'_>, target: &TargetEntry, info: &DeviceInfo) -> Option<String> {
    let limits = &info.limits;
    let program = module.parsed.program_of(target)?;
    program.kernels.iter().find_map(|kernel| {
        let threads = kernel.block.iter().fold(1u32, |n, side| n.saturating_mul(*side));
        let shared = kernel.static_shared_bytes.saturating_add(kernel.dynamic_shared_bytes);
        if limits.max_block_threads > 1 && threads > limits.max_block_threads {
            let most = limits.max_block_threads;
            return Some(format!(
                "kernel {} has {threads} threads a workgroup, the device at most {most}",
                kernel.name
            ));
        }
        if limits.max_shared_bytes > 0 && shared > limits.max_shared_bytes {
            let most = limits.max_shared_bytes;
            return Some(format!(
                "kernel {} takes {shared} bytes of shared memory, the device has {most}",
                kernel.name
            ));
        }
        None
    })
}

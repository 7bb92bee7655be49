//! Choosing the image for a device, and saying why.
//!
//! Input: the manifest and what a driver says about its device. Which image *can* run is `fornax_targets::fits`; which
//! of those is best is decided here, in this order:
//!
//! 1. machine code for exactly the device (cubin `sm_90` or `sm_90a` on sm_90, hsaco `gfx942` on gfx942)
//! 2. the highest architecture, `a` and `f` variants above the plain one, more demanded settings above fewer
//! 3. machine code before text that the driver must compile
//! 4. the first in the manifest

use fornax_targets::amd::AMD_GENERIC_MEMBERS;
use fornax_targets::cpu::cpu_row;
use fornax_targets::nvidia::parse_sm;
use fornax_targets::opencl::OPENCL_DEFAULT;
use fornax_targets::{Backend, ImageKind, fits, fits_cpu_features, fits_opencl_features};

use crate::errors::ModuleError;
use crate::manifest::{ImageEntry, Manifest, TargetEntry};

/// What a driver says about its device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceArch {
    pub backend: Backend,
    /// `sm_90`, `gfx90a:sramecc+:xnack-`, `spirv64`; on CPUs the instruction set as `std::env::consts::ARCH` spells it.
    pub arch: String,
    /// CPU features, as Rust's feature detection names them; what an OpenCL device offers (`fp64`, `fp16`,
    /// `subgroup16`); unused on CUDA and ROCm.
    pub features: Vec<String>,
}

/// The image to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Index into `Manifest::targets`.
    pub target: usize,
    /// The image, one of that target's.
    pub image: ImageEntry,
    /// For people: `cubin sm_90: machine code for exactly this device`.
    pub reason: String,
}

/// An image of a module as a device sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Index into `Manifest::targets`.
    pub target: usize,
    pub image: ImageEntry,
    /// Why the device cannot run it; `None` where it can.
    pub misfit: Option<String>,
}

/// Every image of a module, in the manifest's order, and whether a device can run it.
pub fn candidates(manifest: &Manifest, device: &DeviceArch) -> Vec<Candidate> {
    let of_target = |(at, target): (usize, &TargetEntry)| {
        let candidate = |image: &ImageEntry| {
            let why = misfit(target, image, device);
            let plain = || format!("it is for {} devices", target.backend);
            let misfit = why.map(|why| if why.is_empty() { plain() } else { why });
            Candidate { target: at, image: image.clone(), misfit }
        };
        target.images.iter().map(candidate).collect::<Vec<_>>()
    };
    manifest.targets.iter().enumerate().flat_map(of_target).collect()
}

/// Order of fitting images, best last.
type Rank = (bool, u32, u32, bool);

/// Chooses target and image for a device.
///
/// # Errors
/// FX0611 ([`ModuleError::NoImage`]) with everything the module holds and why it does not fit.
pub fn choose(manifest: &Manifest, device: &DeviceArch) -> Result<Choice, ModuleError> {
    let mut best: Option<(Rank, Choice)> = None;
    let mut holds: Vec<String> = Vec::new();
    for (at, target) in manifest.targets.iter().enumerate() {
        for image in &target.images {
            match misfit(target, image, device) {
                None => {
                    let rank = rank(image, device);
                    if best.as_ref().is_none_or(|(so_far, _)| rank > *so_far) {
                        let reason = reason(image, device, rank);
                        best = Some((rank, Choice { target: at, image: image.clone(), reason }));
                    }
                }
                Some(why) => {
                    let line = if why.is_empty() { image.title() } else { format!("{} ({why})", image.title()) };
                    if !holds.contains(&line) {
                        holds.push(line);
                    }
                }
            }
        }
    }
    best.map(|(_, choice)| choice).ok_or_else(|| ModuleError::NoImage { holds, device: device.title() })
}

/// Why an image cannot run; empty where it is plainly for another kind of device.
fn misfit(target: &TargetEntry, image: &ImageEntry, device: &DeviceArch) -> Option<String> {
    if target.backend != device.backend.name() || image.kind.backend() != device.backend {
        return Some(String::new());
    }
    let detected: Vec<&str> = device.features.iter().map(String::as_str).collect();
    let missing = || target.features.iter().find(|feature| !detected.contains(&feature.as_str()));
    if device.backend == Backend::OpenCl {
        if let Err(misfit) = fits_opencl_features(&device.arch, &detected, &image.arch) {
            return Some(misfit.why);
        }
        return missing().map(|feature| format!("the device does not offer {feature}, which a kernel uses"));
    }
    if device.backend != Backend::Cpu {
        return fits(&device.arch, &image.arch, image.kind).err().map(|misfit| misfit.why);
    }
    if let Err(misfit) = fits_cpu_features(&device.arch, &detected, &image.arch) {
        return Some(misfit.why);
    }
    missing().map(|feature| format!("the processor lacks {feature}"))
}

fn rank(image: &ImageEntry, device: &DeviceArch) -> Rank {
    let compiled = !matches!(image.kind, ImageKind::Ptx | ImageKind::SpirV);
    let (name, settings) = image.arch.split_once(',').unwrap_or((&image.arch, ""));
    let settings = settings.split(',').filter(|setting| !setting.is_empty()).count() as u32;
    match device.backend {
        Backend::Cuda => {
            let (number, variant) = parse_sm(name).unwrap_or((0, None));
            let exact = parse_sm(&device.arch).is_some_and(|(device, _)| device == number);
            let variant = [None, Some('f'), Some('a')].iter().position(|v| *v == variant).unwrap_or(0) as u32;
            (compiled && exact, number, variant, compiled)
        }
        Backend::Rocm => (!AMD_GENERIC_MEMBERS.iter().any(|row| row.0 == name), 0, settings, compiled),
        // What is made for a kind of device comes before what runs everywhere.
        Backend::OpenCl => (false, u32::from(name != OPENCL_DEFAULT), settings, compiled),
        Backend::Cpu => {
            let row = cpu_row(name);
            let demanded = row.map_or(0, |row| row.detect.iter().map(|group| group.len()).sum::<usize>() as u32);
            (false, row.map_or(0, |row| row.vector_bytes), demanded + settings, compiled)
        }
    }
}

fn reason(image: &ImageEntry, device: &DeviceArch, (exact, ..): Rank) -> String {
    let why = match (image.kind, exact) {
        (ImageKind::Ptx | ImageKind::SpirV, _) => format!("the driver compiles it for {}", device.arch),
        (ImageKind::CpuElf, _) => "the widest that this processor runs".into(),
        (ImageKind::Hsaco, false) => format!("machine code for the family of {}", device.arch),
        (ImageKind::Cubin, false) => format!("machine code that {} runs too", device.arch),
        (_, true) => "machine code for exactly this device".into(),
    };
    format!("{}: {why}", image.title())
}

impl DeviceArch {
    /// `cuda sm_90`.
    pub fn title(&self) -> String {
        format!("{} {}", self.backend.name(), self.arch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(images: &[(ImageKind, &str)]) -> Manifest {
        let target = |(kind, arch): &(ImageKind, &str)| TargetEntry {
            backend: kind.backend().name().into(),
            arch: arch.to_string(),
            images: vec![ImageEntry { kind: *kind, arch: arch.to_string(), section: 0 }],
            ..TargetEntry::default()
        };
        Manifest { targets: images.iter().map(target).collect(), ..Manifest::default() }
    }

    fn device(backend: Backend, arch: &str, features: &[&str]) -> DeviceArch {
        DeviceArch { backend, arch: arch.into(), features: features.iter().map(|f| f.to_string()).collect() }
    }

    #[test]
    fn cuda_prefers_exact_machine_code_then_the_highest() {
        use ImageKind::{Cubin, Ptx};
        let all = manifest(&[(Ptx, "sm_60"), (Ptx, "sm_90"), (Cubin, "sm_90"), (Cubin, "sm_80"), (Ptx, "sm_80")]);
        let chosen = |arch: &str| choose(&all, &device(Backend::Cuda, arch, &[])).map(|c| (c.image.title(), c.reason));
        assert_eq!(chosen("sm_90").unwrap().1, "cubin sm_90: machine code for exactly this device");
        assert_eq!(chosen("sm_86").unwrap().1, "cubin sm_80: machine code that sm_86 runs too");
        assert_eq!(chosen("sm_75").unwrap().1, "ptx sm_60: the driver compiles it for sm_75");
        assert_eq!(chosen("sm_120").unwrap().0, "ptx sm_90");
        let error = chosen("sm_52").unwrap_err();
        assert_eq!(error.code(), "FX0611");
        assert!(error.to_string().contains("no image for cuda sm_52; it holds ptx sm_60 ("), "{error}");
        let seen = candidates(&all, &device(Backend::Cuda, "sm_80", &[]));
        let fitting: Vec<&str> = seen.iter().filter(|c| c.misfit.is_none()).map(|c| c.image.arch.as_str()).collect();
        assert_eq!((seen.len(), fitting), (5, vec!["sm_60", "sm_80", "sm_80"]));
        let elsewhere = candidates(&all, &device(Backend::Rocm, "gfx942", &[]));
        assert!(elsewhere.iter().all(|c| c.misfit.as_deref() == Some("it is for cuda devices")));
        let variant = manifest(&[(Cubin, "sm_90"), (Cubin, "sm_90a")]);
        assert_eq!(choose(&variant, &device(Backend::Cuda, "sm_90", &[])).unwrap().target, 1);
    }

    #[test]
    fn rocm_prefers_the_chip_and_matching_settings() {
        let all = manifest(&[
            (ImageKind::Hsaco, "gfx9-4-generic"),
            (ImageKind::Hsaco, "gfx942"),
            (ImageKind::Hsaco, "gfx942,+xnack"),
        ]);
        let chosen = |arch: &str| choose(&all, &device(Backend::Rocm, arch, &[])).map(|c| c.image.arch);
        assert_eq!(chosen("gfx942:sramecc+:xnack-").unwrap(), "gfx942");
        assert_eq!(chosen("gfx942:sramecc+:xnack+").unwrap(), "gfx942,+xnack");
        assert_eq!(chosen("gfx950").unwrap(), "gfx9-4-generic");
        chosen("gfx1100").unwrap_err();
    }

    #[test]
    fn opencl_takes_what_the_device_offers() {
        use ImageKind::SpirV;
        let all = manifest(&[(SpirV, "spirv64"), (SpirV, "spirv64,+fp16,+subgroup16"), (SpirV, "xe2")]);
        let offering = |more: &[&str]| device(Backend::OpenCl, "spirv64", &[&["spirv1.2", "spirv1.3"], more].concat());
        let chosen = |offers: &[&str]| choose(&all, &offering(offers)).map(|c| c.image.arch);
        assert_eq!(chosen(&["fp64"]).unwrap(), "spirv64");
        assert_eq!(chosen(&["fp16", "subgroup8", "subgroup16"]).unwrap(), "spirv64,+fp16,+subgroup16");
        assert_eq!(chosen(&["fp16", "subgroup16", "subgroup32"]).unwrap(), "xe2");
        let mut only = manifest(&[(SpirV, "xe2")]);
        let error = choose(&only, &offering(&[])).unwrap_err().to_string();
        assert!(error.contains("the device does not offer subgroup32"), "{error}");
        only.targets[0].features.push("fp64".into());
        let error = choose(&only, &offering(&["subgroup32"])).unwrap_err().to_string();
        assert!(error.contains("the device does not offer fp64, which a kernel uses"), "{error}");
    }

    #[test]
    fn cpu_takes_the_widest_that_runs() {
        let mut all =
            manifest(&[(ImageKind::CpuElf, "x86-64-v3"), (ImageKind::CpuElf, "x86-64-v4"), (ImageKind::Ptx, "sm_60")]);
        let v4: Vec<&str> = cpu_row("x86-64-v4").unwrap().detect.concat();
        let v3: Vec<&str> = cpu_row("x86-64-v3").unwrap().detect.concat();
        let chosen = |m: &Manifest, features: &[&str]| choose(m, &device(Backend::Cpu, "x86_64", features));
        assert_eq!(chosen(&all, &v4).unwrap().image.arch, "x86-64-v4");
        assert_eq!(chosen(&all, &v3).unwrap().image.arch, "x86-64-v3");
        all.targets[1].features.push("amx-tile".into());
        assert_eq!(chosen(&all, &v4).unwrap().image.arch, "x86-64-v3");
        let error = chosen(&all, &[]).unwrap_err().to_string();
        assert!(error.contains("the processor lacks") && error.ends_with("ptx sm_60"), "{error}");
        choose(&all, &device(Backend::Cpu, "aarch64", &v4)).unwrap_err();
    }
}

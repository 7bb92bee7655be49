//! From a name people use to a [`Target`].
//!
//! Accepted, in any case, with or without `-`, `_`, spaces and vendor words (`NVIDIA GeForce RTX 3090`): canonical
//! names (`sm_80`, `gfx90a`, `x86-64-v3`), code names (`ampere`, `cdna3`), products (`a100`, `mi300x`) and series
//! (`rtx30…`), AMD target ids (`gfx90a:sramecc+:xnack-`, as `rocminfo` prints them). Canonical names must be ones LLVM
//! 22 knows, since LLVM writes nonsense or aborts on others; one without a row takes the limits of the nearest lower
//! row and says so. Anything else is `FX0501` with the nearest names.

use crate::amd::{AMD_CODE_NAMES, AMD_LLVM_CPUS};
use crate::amd_products::AMD_PRODUCTS;
use crate::backend::{BACKENDS, Backend};
use crate::cpu::{CPU_ALIASES, CPU_ARCHES, CPU_DEFAULTS, CPU_NATIVE_EXTRAS, CpuIsa, cpu_missing, cpu_row};
use crate::errors::TargetError;
use crate::near_miss::nearest;
use crate::nvidia::{NVIDIA_CODE_NAMES, NVIDIA_COMPILED_AS, NVIDIA_LLVM_CPUS, NVIDIA_SERIES, nvidia_row, parse_sm};
use crate::nvidia_products::NVIDIA_PRODUCTS;
use crate::opencl::{OPENCL_ALIASES, OPENCL_ARCHES, OPENCL_DEFAULT, opencl_row};
use crate::product::Product;
use crate::target::{Target, amd_target, cpu_target, llvm_cpu_feature, nvidia_target, opencl_target};

/// What a name means.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The architecture.
    pub target: Target,
    /// The product, where the name was one: a tuning hint that never changes what is legal.
    pub product: Option<&'static Product>,
    /// What the user should know (a row is missing, no driver runs it, a default was taken): one sentence each.
    pub notes: Vec<String>,
    /// Nobody named it: it is compiled besides a target of one chip, so that other chips find an image. PTX suffices.
    pub fallback: bool,
}

/// Settings of an AMD target id, `gfx90a:sramecc+:xnack-`; what it leaves out may be either way.
const AMD_ID_SETTINGS: &[&str] = &["sramecc", "xnack"];

/// Words that vendors put around names and that say nothing about the architecture.
const VENDOR_WORDS: &[&str] = &[
    "nvidia", "geforce", "tesla", "quadro", "jetson", "amd", "radeon", "instinct", "graphics", "gpu", "series", "intel",
];

/// What a known name stands for, by canonical architecture name.
#[derive(Clone, Copy)]
pub(crate) enum Meaning {
    Canonical(&'static str),
    CodeName(&'static str),
    Product(&'static Product),
}

/// Resolves a name for a backend.
///
/// # Errors
/// `FX0501` unknown, with suggestions; `FX0502` known to another backend; `FX0503` empty.
pub fn resolve(backend: Backend, name: &str) -> Result<Resolved, TargetError> {
    if name.trim().is_empty() {
        return Err(TargetError::Empty { backend });
    }
    if let Some(resolved) = lookup(backend, name) {
        return Ok(resolved);
    }
    if let (Backend::Rocm, Some((chip, settings))) = (backend, name.split_once(':')) {
        let resolved = resolve(backend, chip)?;
        let target = resolved.target.with_features(&target_id_features(&resolved.target.name, settings)?)?;
        return Ok(Resolved { target, ..resolved });
    }
    let owner =
        BACKENDS.iter().map(|row| row.backend).find(|other| *other != backend && lookup(*other, name).is_some());
    if let Some(owner) = owner {
        return Err(TargetError::OtherBackend { backend, name: name.to_string(), owner });
    }
    let wanted = key(name);
    let names = known_names(backend);
    let keys: Vec<(String, &str)> = names.iter().map(|(known, _)| (key(known), *known)).collect();
    let suggestions = nearest(&wanted, keys.iter().map(|(key, _)| key.as_str()))
        .into_iter()
        .filter_map(|near| keys.iter().find(|(key, _)| *key == near).map(|(_, name)| (*name).to_string()))
        .collect();
    Err(TargetError::UnknownTarget { backend, name: name.chars().take(80).collect(), suggestions })
}

/// LLVM features of what stands behind the chip in an AMD target id: `sramecc+:xnack-` is `+sramecc,-xnack`.
///
/// # Errors
/// `FX0504` for anything but `xnack` and `sramecc` with a sign behind it.
fn target_id_features(chip: &str, settings: &str) -> Result<String, TargetError> {
    let feature = |setting: &str| {
        let known = |sign: char| setting.strip_suffix(sign).filter(|name| AMD_ID_SETTINGS.contains(name));
        known('+').map(|name| format!("+{name}")).or_else(|| known('-').map(|name| format!("-{name}")))
    };
    let malformed = |setting: &str| TargetError::MalformedFeature {
        backend: Backend::Rocm,
        target: chip.to_string(),
        feature: setting.chars().take(80).collect(),
    };
    let features = settings.split(':').map(|setting| feature(setting.trim()).ok_or_else(|| malformed(setting)));
    Ok(features.collect::<Result<Vec<_>, _>>()?.join(","))
}

/// What is compiled for a name: as a rule the one target that [`resolve`] gives; where `NVIDIA_COMPILED_AS` has a row,
/// the variant with all features of that chip, and a fallback for other devices.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_all(backend: Backend, name: &str) -> Result<Vec<Resolved>, TargetError> {
    let resolved = resolve(backend, name)?;
    let Some((_, best, fallback)) = NVIDIA_COMPILED_AS.iter().find(|row| row.0 == resolved.target.name) else {
        return Ok(vec![resolved]);
    };
    let (best, fallback) = (resolve(backend, best)?, resolve(backend, fallback)?);
    Ok(vec![Resolved { target: best.target, ..resolved }, Resolved { fallback: true, ..fallback }])
}

/// Each target once: a fallback gives way to the same target where it is named.
pub fn without_duplicates(mut targets: Vec<Resolved>) -> Vec<Resolved> {
    targets.sort_by_key(|resolved| resolved.fallback);
    let mut kept: Vec<Resolved> = Vec::new();
    for resolved in targets {
        if !kept.iter().any(|other| other.target == resolved.target) {
            kept.push(resolved);
        }
    }
    kept
}

/// The targets taken when a backend is asked for without one: sm_60; gfx908; spirv64; x86-64-v3 and x86-64-v4. A note
/// says what better to name.
pub fn default_targets(backend: Backend) -> Vec<Resolved> {
    let (names, note): (&[&'static str], _) = match backend {
        Backend::Cuda => (
            &["sm_60"],
            Some(
                "no CUDA target given: compiling for sm_60, which runs on every later device but leaves tensor cores \
                 unused; name yours (`--cuda-target=sm_80`) or take the visible device's (`--target=cuda:native`)",
            ),
        ),
        Backend::Rocm => (
            &["gfx908"],
            Some(
                "no ROCm target given: compiling for gfx908 (MI100), and a code object runs on exactly that chip; \
                 name yours (`--rocm-target=gfx942` for MI300X, `--rocm-target=gfx1100` for RX 7900)",
            ),
        ),
        Backend::OpenCl => (&[OPENCL_DEFAULT], None),
        Backend::Cpu => (CPU_DEFAULTS, None),
    };
    let mut targets: Vec<Resolved> = names.iter().filter_map(|name| canonical(backend, name)).collect();
    targets.iter_mut().for_each(|resolved| resolved.notes.extend(note.map(str::to_string)));
    targets
}

/// The best target for a processor that reports these features (names as `is_x86_feature_detected!` spells them): the
/// highest level it has, and the extras the emitters can use.
pub fn resolve_native_cpu(isa: CpuIsa, detected: &[&str]) -> Resolved {
    let mut levels = CPU_ARCHES.iter().filter(|row| row.level && row.isa == isa);
    let lowest = levels.next().unwrap_or(&CPU_ARCHES[0]);
    let level = levels.rfind(|row| cpu_missing(row, detected).next().is_none()).unwrap_or(lowest);
    let wide = level.vector_bytes == 64 || isa == CpuIsa::Aarch64;
    let extras: Vec<String> = CPU_NATIVE_EXTRAS
        .iter()
        .filter(|(name, _)| wide && detected.contains(name))
        .map(|(name, _)| format!("+{}", llvm_cpu_feature(name)))
        .collect();
    let base = cpu_target(level);
    let target = base.with_features(&extras.join(",")).unwrap_or(base);
    Resolved { target, product: None, notes: Vec::new(), fallback: false }
}

/// Every known name of a backend with the canonical architecture it means, for `list-targets` and completions.
pub fn target_names(backend: Backend) -> Vec<(&'static str, &'static str)> {
    known_names(backend)
        .into_iter()
        .map(|(name, meaning)| match meaning {
            Meaning::Canonical(arch) | Meaning::CodeName(arch) => (name, arch),
            Meaning::Product(product) => (name, product.arch),
        })
        .collect()
}

pub(crate) fn known_names(backend: Backend) -> Vec<(&'static str, Meaning)> {
    let mut names: Vec<(&'static str, Meaning)> = Vec::new();
    let code_name = |(name, arch): &(&'static str, &'static str)| (*name, Meaning::CodeName(arch));
    match backend {
        Backend::Cuda => {
            names.extend(NVIDIA_LLVM_CPUS.iter().map(|(name, _)| (*name, Meaning::Canonical(name))));
            names.extend(NVIDIA_CODE_NAMES.iter().map(code_name));
            names.extend(products(NVIDIA_PRODUCTS));
        }
        Backend::Rocm => {
            names.extend(AMD_LLVM_CPUS.iter().map(|name| (*name, Meaning::Canonical(name))));
            names.extend(AMD_CODE_NAMES.iter().map(code_name));
            names.extend(products(AMD_PRODUCTS));
        }
        Backend::OpenCl => {
            names.extend(OPENCL_ARCHES.iter().map(|row| (row.name, Meaning::Canonical(row.name))));
            names.extend(OPENCL_ALIASES.iter().map(|(name, arch)| (*name, Meaning::Canonical(arch))));
        }
        Backend::Cpu => {
            names.extend(CPU_ARCHES.iter().map(|row| (row.name, Meaning::Canonical(row.name))));
            names.extend(CPU_ALIASES.iter().map(|(name, arch)| (*name, Meaning::Canonical(arch))));
        }
    }
    names
}

fn products(rows: &'static [Product]) -> impl Iterator<Item = (&'static str, Meaning)> {
    rows.iter().flat_map(|row| {
        std::iter::once(row.name).chain(row.aliases.iter().copied()).map(move |name| (name, Meaning::Product(row)))
    })
}

fn lookup(backend: Backend, name: &str) -> Option<Resolved> {
    let wanted = key(name);
    let names = known_names(backend);
    let meaning = names.iter().find(|(known, _)| key(known) == wanted).map(|(_, meaning)| *meaning);
    match meaning {
        Some(Meaning::Canonical(arch)) => canonical(backend, arch),
        Some(Meaning::CodeName(arch)) => {
            let mut resolved = canonical(backend, arch)?;
            resolved
                .notes
                .push(format!("code name `{}` means {arch}, the lowest architecture of its generation", name.trim()));
            Some(resolved)
        }
        Some(Meaning::Product(product)) => {
            let mut resolved = canonical(backend, product.arch)?;
            resolved.product = Some(product);
            Some(resolved)
        }
        None if backend == Backend::Cuda => series(&wanted, name),
        None => None,
    }
}

/// A GeForce name without a row: `rtx` and two digits of the series, then up to two digits of the model and a suffix.
fn series(wanted: &str, name: &str) -> Option<Resolved> {
    let (prefix, arch) = NVIDIA_SERIES.iter().find(|(prefix, _)| wanted.starts_with(prefix))?;
    let rest = wanted.strip_prefix(prefix)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let model_is_geforce = digits == 0 && rest.is_empty() || digits == 2 && !rest.starts_with("00");
    let suffix_is_word =
        rest.chars().skip(digits).all(|letter| letter.is_ascii_lowercase()) && rest.len() <= digits + 12;
    if !(model_is_geforce && suffix_is_word) {
        return None;
    }
    let mut resolved = canonical(Backend::Cuda, arch)?;
    resolved.notes.push(format!("`{}` has no row of its own: taken as {arch} by its series", name.trim()));
    Some(resolved)
}

fn canonical(backend: Backend, name: &'static str) -> Option<Resolved> {
    match backend {
        Backend::Cuda => canonical_nvidia(name),
        Backend::Rocm => canonical_amd(name),
        Backend::OpenCl => canonical_opencl(name),
        Backend::Cpu => cpu_row(name).map(|row| Resolved {
            target: cpu_target(row),
            product: None,
            notes: Vec::new(),
            fallback: false,
        }),
    }
}

fn canonical_nvidia(name: &'static str) -> Option<Resolved> {
    let (_, ptx) = NVIDIA_LLVM_CPUS.iter().find(|(cpu, _)| *cpu == name)?;
    let (number, variant) = parse_sm(name)?;
    let (row, exact) = nvidia_row(number);
    let mut notes = Vec::new();
    if !exact {
        notes.push(format!("{name} has no row of its own: it takes the limits of {}", row.name));
    }
    if number < 50 {
        notes.push(format!(
            "no current driver runs {name}: it needs R470 or older, and there is PTX but no cubin for it"
        ));
    }
    Some(Resolved { target: nvidia_target(name, number, variant, row, *ptx), product: None, notes, fallback: false })
}

fn canonical_opencl(name: &str) -> Option<Resolved> {
    let target = opencl_target(opencl_row(name)?);
    Some(Resolved { target, product: None, notes: Vec::new(), fallback: false })
}

fn canonical_amd(name: &'static str) -> Option<Resolved> {
    let (target, row, exact) = amd_target(name)?;
    let notes = if exact {
        Vec::new()
    } else {
        vec![format!("{name} has no row of its own: it takes the limits of {}", row.name)]
    };
    Some(Resolved { target, product: None, notes, fallback: false })
}

/// A name without case, separators and vendor words: `NVIDIA GeForce RTX 3090` → `rtx3090`.
fn key(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let words: Vec<&str> = lower.split([' ', '-', '_', '/', '(', ')', '\t']).filter(|word| !word.is_empty()).collect();
    let kept: Vec<&str> = words.iter().copied().filter(|word| !VENDOR_WORDS.contains(word)).collect();
    if kept.is_empty() { words.concat() } else { kept.concat() }
}

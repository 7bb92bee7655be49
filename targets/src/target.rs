//! The target that the compiler passes around: one architecture with its limits and features.
//!
//! A [`Target`] is made by [`crate::resolve()`] (or [`Target::from_spec`], its text form, which worker processes and
//! modules carry) and refined by [`Target::with_features`]. It never depends on the product a user named, so the same
//! architecture always gives the same code.

use crate::amd::{AmdArch, amd_row};
use crate::backend::Backend;
use crate::cpu::{CPU_FEATURE_NAMES, CPU_NATIVE_EXTRAS, CPU_SCRATCH_BYTES_MAX, CpuArch};
use crate::errors::TargetError;
use crate::features::{Feature, FeatureSet, nvidia_features};
use crate::nvidia::{
    LLVM_PTX_VERSIONS, NVIDIA_ARCHES, NVIDIA_LLVM_CPUS, NVIDIA_PTX_MIN, NvidiaArch, STATIC_SHARED_BYTES_MAX,
    nvidia_row, parse_sm,
};
use crate::opencl::{OPENCL_SETTINGS, OPENCL_SUBGROUP_GUESS, OPENCL_TRIPLES, OpenClArch, subgroup_setting};
use crate::resolve::resolve;

/// One architecture of one backend, with everything code generation and scheduling may ask.
///
/// A CPU workgroup is one thread: its subgroup and block sizes are 1 and its shared memory is a scratch block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The backend.
    pub backend: Backend,
    /// Canonical name: `sm_80`, `gfx90a`, `x86-64-v3`.
    pub name: String,
    /// LLVM target triple.
    pub triple: &'static str,
    /// LLVM CPU name.
    pub llvm_cpu: String,
    /// LLVM feature string, e.g. `+ptx70`.
    pub llvm_features: String,
    /// Lanes of a subgroup (warp, wave); 1 on CPU.
    pub subgroup_size: u32,
    /// Threads of one workgroup.
    pub max_threads_per_block: u32,
    /// Workgroup size by dimension x, y, z.
    pub max_block: [u32; 3],
    /// Workgroups of a grid by dimension x, y, z.
    pub max_grid: [u32; 3],
    /// Shared memory a kernel may declare statically, in bytes.
    pub static_shared_bytes_max: u32,
    /// Shared memory a workgroup may use with opt-in, in bytes: what every device that runs the code has.
    pub shared_bytes_max: u32,
    /// Shared memory of one compute unit, in bytes.
    pub shared_bytes_per_unit: u32,
    /// Resident threads of one compute unit.
    pub max_threads_per_unit: u32,
    /// Resident workgroups of one compute unit.
    pub max_blocks_per_unit: u32,
    /// Registers of one thread (32 bit), or vector registers on CPU.
    pub max_registers_per_thread: u32,
    /// Registers of one compute unit (32 bit); 0 on CPU.
    pub registers_per_unit: u32,
    /// Widest memory access of a thread on GPUs (16), widest vector on CPU (16, 32 or 64), in bytes.
    pub vector_bytes: u32,
    /// Compute units of the architecture's usual part: a hint for grid sizes; 0 on CPU (unknown until run).
    pub compute_units: u32,
    /// Second-level cache of that part, in bytes: a hint for what stays in it; 0 where it is not known.
    pub l2_bytes: u64,
    /// PTX version, ten times it, on CUDA.
    pub ptx_version: Option<u32>,
    /// AMDGPU code object version times 100: 500, and 600 for generic families; None elsewhere.
    pub amdgpu_code_object: Option<u32>,
    /// What emitters may use.
    pub features: FeatureSet,
    /// Features asked for on top of the row, as given: `+ptx84`, `+xnack`; empty as a rule.
    pub extra_features: String,
    /// The folder of AMD's device library, whose functions kernels then call. Not part of the target's name.
    pub device_library: Option<std::path::PathBuf>,
}

impl Target {
    /// Whether the target has a feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    /// True for all but the host processor.
    pub fn is_gpu(&self) -> bool {
        self.backend != Backend::Cpu
    }

    /// Whether the threads of a subgroup can exchange values where the whole workgroup takes part: by registers, on
    /// OpenCL else through shared memory.
    pub fn exchanges(&self) -> bool {
        self.has(Feature::ShuffleSync) || self.backend == Backend::OpenCl
    }

    /// Whether lanes vote (`vote.sync`): what radix sorts rank by.
    pub fn votes(&self) -> bool {
        self.backend == Backend::Cuda && self.has(Feature::ShuffleSync)
    }

    /// Whether kernels may compute in f64.
    pub fn has_f64(&self) -> bool {
        self.backend != Backend::OpenCl || self.has(Feature::Float64)
    }

    /// Canonical name and extra features: `sm_80`, or `sm_80,+ptx84`. What images carry, what [`crate::fits()`] reads.
    pub fn arch_spec(&self) -> String {
        if self.extra_features.is_empty() {
            self.name.clone()
        } else {
            format!("{},{}", self.name, self.extra_features)
        }
    }

    /// The text form that [`Target::from_spec`] reads back: `cuda:sm_80`, `cpu:x86-64-v4,+avx512bf16`.
    pub fn spec(&self) -> String {
        format!("{}:{}", self.backend, self.arch_spec())
    }

    /// Reads `BACKEND:NAME[,+feature|-feature]*`; the name may be anything [`crate::resolve()`] knows.
    ///
    /// # Errors
    /// `FX0501`–`FX0506`.
    pub fn from_spec(text: &str) -> Result<Target, TargetError> {
        let (backend, rest) = text.split_once(':').unwrap_or((text, ""));
        let backend = Backend::parse(backend)?;
        let (name, features) = rest.split_once(',').unwrap_or((rest, ""));
        resolve(backend, name)?.target.with_features(features)
    }

    /// The same target with LLVM features added (`+ptx84`, `+xnack,-sramecc`, `+avx512bf16`), separated by commas.
    ///
    /// `+ptxNN` replaces the PTX version and recomputes the features it unlocks. `+early-start` (sm_90 and later;
    /// `sm_90a` has it) lets kernels start before those that they depend on are over. `+wavefrontsize64` sets the
    /// subgroup size, `+code-object-vN` the version of the code object. OpenCL takes its own settings only.
    ///
    /// # Errors
    /// `FX0504` for a malformed feature, `FX0505` for a PTX version LLVM cannot write or the architecture does not
    /// take, `FX0508` for such a version of the code object, `FX0509` for a setting unknown to OpenCL targets,
    /// `FX0510` for `+early-start` on an older architecture.
    pub fn with_features(&self, features: &str) -> Result<Target, TargetError> {
        let mut target = self.clone();
        for feature in features.split(',').map(str::trim).filter(|feature| !feature.is_empty()) {
            let name = feature.strip_prefix(['+', '-']).unwrap_or("");
            let well_formed =
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'));
            if !well_formed {
                return Err(TargetError::MalformedFeature {
                    backend: self.backend,
                    target: self.name.clone(),
                    feature: feature.to_string(),
                });
            }
            target.add_feature(feature, name)?;
            if !target.extra_features.is_empty() {
                target.extra_features.push(',');
            }
            target.extra_features.push_str(feature);
        }
        Ok(target)
    }

    fn add_feature(&mut self, feature: &str, name: &str) -> Result<(), TargetError> {
        let added = feature.starts_with('+');
        match self.backend {
            Backend::Cuda => {
                if let (true, Some(version)) = (added, name.strip_prefix("ptx").and_then(|digits| digits.parse().ok()))
                {
                    return self.set_ptx_version(version);
                }
                if name == EARLY_START {
                    return self.set_early_start(added);
                }
            }
            Backend::Rocm => {
                if added && name == "wavefrontsize64" {
                    self.subgroup_size = 64;
                }
                if let (true, Some(version)) = (added, name.strip_prefix(CODE_OBJECT).and_then(|v| v.parse().ok())) {
                    return self.set_code_object_version(version);
                }
            }
            Backend::OpenCl => return self.set_opencl(feature, name),
            Backend::Cpu => {
                let extra = CPU_NATIVE_EXTRAS.iter().find(|(detect, _)| llvm_cpu_feature(detect) == name);
                if let (true, Some((_, set))) = (added, extra) {
                    self.features = self.features.with(*set);
                }
            }
        }
        append_feature(&mut self.llvm_features, feature);
        Ok(())
    }

    fn set_early_start(&mut self, added: bool) -> Result<(), TargetError> {
        let has_it = parse_sm(&self.name).is_some_and(|(number, _)| number >= EARLY_START_SINCE);
        if added && !has_it {
            return Err(TargetError::EarlyStart { target: self.name.clone() });
        }
        let set = FeatureSet::of(&[Feature::DependentLaunch]);
        self.features = if added { self.features.with(set) } else { self.features.without(set) };
        Ok(())
    }

    fn set_opencl(&mut self, feature: &str, name: &str) -> Result<(), TargetError> {
        let added = feature.starts_with('+');
        if let (true, Some(size)) = (added, subgroup_setting(name)) {
            self.subgroup_size = size;
            self.features = self.features.with(FeatureSet::of(&[Feature::ShuffleSync]));
            self.triple = OPENCL_TRIPLES[1];
            return Ok(());
        }
        let Some((.., set)) = OPENCL_SETTINGS.iter().find(|row| row.0 == name) else {
            let (target, setting) = (self.name.clone(), feature.to_string());
            return Err(TargetError::OpenClSetting { target, setting });
        };
        self.features = if added { self.features.with(*set) } else { self.features.without(*set) };
        Ok(())
    }

    fn set_code_object_version(&mut self, version: u32) -> Result<(), TargetError> {
        let refuse = |why: &str| {
            Err(TargetError::CodeObjectVersion { target: self.name.clone(), version, why: why.to_string() })
        };
        if !LLVM_CODE_OBJECT_VERSIONS.contains(&version) {
            return refuse("LLVM 22 writes 4, 5 and 6");
        }
        if self.name.ends_with("-generic") && version < 6 {
            return refuse("code for a generic family has version 6");
        }
        self.amdgpu_code_object = Some(version * 100);
        Ok(())
    }

    fn set_ptx_version(&mut self, version: u32) -> Result<(), TargetError> {
        let refuse = |why: String| TargetError::PtxVersion { target: self.name.clone(), version, why };
        if !LLVM_PTX_VERSIONS.contains(&version) {
            return Err(refuse("LLVM 22 does not write this version".to_string()));
        }
        let min = ptx_minimum(&self.name);
        if version < min {
            return Err(refuse(format!("the architecture needs at least PTX {}.{}", min / 10, min % 10)));
        }
        if let Some((number, variant)) = parse_sm(&self.name) {
            let starts_early = self.has(Feature::DependentLaunch);
            self.features = nvidia_features(number, variant == Some('a'), version);
            self.set_early_start(starts_early)?;
        }
        let others: Vec<&str> = self
            .llvm_features
            .split(',')
            .filter(|feature| !feature.starts_with("+ptx") && !feature.is_empty())
            .collect();
        let mut features = format!("+ptx{version}");
        for other in others {
            append_feature(&mut features, other);
        }
        self.llvm_features = features;
        self.ptx_version = Some(version);
        Ok(())
    }
}

/// The feature with which kernels start before those that they depend on are over.
const EARLY_START: &str = "early-start";
/// The first architecture that has it: `griddepcontrol` of PTX 7.8.
const EARLY_START_SINCE: u32 = 90;

/// The feature `+code-object-v6` and its kin ask for a version of the code object.
const CODE_OBJECT: &str = "code-object-v";
/// Versions of code objects that LLVM writes.
const LLVM_CODE_OBJECT_VERSIONS: &[u32] = &[4, 5, 6];

fn append_feature(features: &mut String, feature: &str) {
    if !features.is_empty() {
        features.push(',');
    }
    features.push_str(feature);
}

/// LLVM's name of a feature that Rust detects as `detect`.
pub(crate) fn llvm_cpu_feature(detect: &str) -> &str {
    CPU_FEATURE_NAMES.iter().find(|(rust, _)| *rust == detect).map_or(detect, |(_, llvm)| *llvm)
}

/// Lowest PTX version, ten times it, that LLVM accepts for this canonical name.
pub(crate) fn ptx_minimum(name: &str) -> u32 {
    if let Some((_, min)) = NVIDIA_PTX_MIN.iter().find(|(cpu, _)| *cpu == name) {
        return *min;
    }
    match (parse_sm(name), NVIDIA_LLVM_CPUS.iter().find(|(cpu, _)| *cpu == name)) {
        (Some((number, None)), _) if nvidia_row(number).1 => nvidia_row(number).0.ptx_min,
        (_, Some((_, ptx))) => *ptx,
        _ => 32,
    }
}

/// The target of a canonical NVIDIA name that LLVM knows; `row` gives the limits.
pub(crate) fn nvidia_target(name: &str, number: u32, variant: Option<char>, row: &NvidiaArch, ptx: u32) -> Target {
    // Code for a plain architecture runs on every later one too, and some of those have less shared memory.
    let later = NVIDIA_ARCHES.iter().filter(|other| variant.is_none() && other.number >= row.number);
    let shared_block_kib = later.map(|other| other.shared_block_kib).fold(row.shared_block_kib, u32::min);
    let shared_bytes_max = shared_block_kib * 1024;
    Target {
        backend: Backend::Cuda,
        name: name.to_string(),
        triple: "nvptx64-nvidia-cuda",
        llvm_cpu: name.to_string(),
        llvm_features: format!("+ptx{ptx}"),
        subgroup_size: 32,
        max_threads_per_block: 1024,
        max_block: [1024, 1024, 64],
        max_grid: [i32::MAX as u32, 65535, 65535],
        static_shared_bytes_max: STATIC_SHARED_BYTES_MAX,
        shared_bytes_max,
        shared_bytes_per_unit: row.shared_sm_kib * 1024,
        max_threads_per_unit: row.threads_per_sm,
        max_blocks_per_unit: row.blocks_per_sm,
        max_registers_per_thread: 255,
        registers_per_unit: 65536,
        vector_bytes: 16,
        compute_units: row.compute_units,
        l2_bytes: u64::from(row.l2_kib) * 1024,
        ptx_version: Some(ptx),
        amdgpu_code_object: None,
        features: nvidia_features(number, variant == Some('a'), ptx),
        extra_features: String::new(),
        device_library: None,
    }
}

/// The target of a canonical AMD name that LLVM knows, if the tables cover it.
pub(crate) fn amd_target(name: &str) -> Option<(Target, &'static AmdArch, bool)> {
    let (row, exact) = amd_row(name)?;
    let lds_bytes = row.lds_kib * 1024;
    let target = Target {
        backend: Backend::Rocm,
        name: name.to_string(),
        triple: "amdgcn-amd-amdhsa",
        llvm_cpu: name.to_string(),
        llvm_features: String::new(),
        subgroup_size: row.subgroup_sizes.first().copied().unwrap_or(64),
        max_threads_per_block: 1024,
        max_block: [1024, 1024, 1024],
        max_grid: [i32::MAX as u32, 65535, 65535],
        static_shared_bytes_max: lds_bytes,
        shared_bytes_max: lds_bytes,
        shared_bytes_per_unit: lds_bytes,
        max_threads_per_unit: 2048,
        max_blocks_per_unit: 32,
        max_registers_per_thread: row.vector_registers,
        registers_per_unit: 4 * 64 * row.vector_registers,
        vector_bytes: 16,
        compute_units: row.compute_units,
        l2_bytes: 0,
        ptx_version: None,
        amdgpu_code_object: Some(if name.ends_with("-generic") { 600 } else { 500 }),
        features: row.features,
        extra_features: String::new(),
        device_library: None,
    };
    Some((target, row, exact))
}

/// The target of an OpenCL row.
pub(crate) fn opencl_target(row: &OpenClArch) -> Target {
    Target {
        backend: Backend::OpenCl,
        name: row.name.to_string(),
        triple: OPENCL_TRIPLES[usize::from(row.subgroup.is_some())],
        llvm_cpu: String::new(),
        llvm_features: String::new(),
        subgroup_size: row.subgroup.unwrap_or(OPENCL_SUBGROUP_GUESS),
        max_threads_per_block: row.threads,
        max_block: [row.threads; 3],
        max_grid: [i32::MAX as u32; 3],
        static_shared_bytes_max: row.local_kib * 1024,
        shared_bytes_max: row.local_kib * 1024,
        shared_bytes_per_unit: row.local_kib * 1024,
        max_threads_per_unit: 2 * row.threads,
        max_blocks_per_unit: 16,
        max_registers_per_thread: row.registers,
        registers_per_unit: 2 * row.threads * row.registers,
        vector_bytes: 16,
        compute_units: row.compute_units,
        l2_bytes: 0,
        ptx_version: None,
        amdgpu_code_object: None,
        features: row.features,
        extra_features: String::new(),
        device_library: None,
    }
}

/// The target of a CPU row.
pub(crate) fn cpu_target(row: &CpuArch) -> Target {
    Target {
        backend: Backend::Cpu,
        name: row.name.to_string(),
        triple: row.isa.triple(),
        llvm_cpu: row.llvm_cpu.to_string(),
        llvm_features: String::new(),
        subgroup_size: 1,
        max_threads_per_block: 1,
        max_block: [1, 1, 1],
        max_grid: [i32::MAX as u32; 3],
        static_shared_bytes_max: CPU_SCRATCH_BYTES_MAX,
        shared_bytes_max: CPU_SCRATCH_BYTES_MAX,
        shared_bytes_per_unit: CPU_SCRATCH_BYTES_MAX,
        max_threads_per_unit: 1,
        max_blocks_per_unit: 1,
        max_registers_per_thread: row.vector_registers,
        registers_per_unit: 0,
        vector_bytes: row.vector_bytes,
        compute_units: 0,
        l2_bytes: 0,
        ptx_version: None,
        amdgpu_code_object: None,
        features: row.features,
        extra_features: String::new(),
        device_library: None,
    }
}

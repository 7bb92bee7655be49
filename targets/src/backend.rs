//! The four backends and the kinds of executable image they make.
//!
//! Everything that names a compute target says first which [`Backend`] it belongs to; everything that names a compiled
//! blob says which [`ImageKind`] it is.

use crate::errors::TargetError;
use crate::near_miss::nearest;

/// A code generation backend and, on the run side, a driver family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Backend {
    /// NVIDIA, through PTX.
    Cuda,
    /// AMD, through hsaco code objects.
    Rocm,
    /// Any device with an OpenCL driver that takes SPIR-V.
    OpenCl,
    /// The host processor, through an ELF shared object.
    Cpu,
}

/// One row of [`BACKENDS`].
pub struct BackendRow {
    /// The backend.
    pub backend: Backend,
    /// Its name on command lines and in modules.
    pub name: &'static str,
    /// Other accepted spellings.
    pub aliases: &'static [&'static str],
    /// What `list-targets` says about it.
    pub summary: &'static str,
}

/// All backends, in the order in which `auto` prefers them.
#[rustfmt::skip]
pub const BACKENDS: &[BackendRow] = &[
    BackendRow { backend: Backend::Cuda, name: "cuda", aliases: &["nvptx", "nvidia"],
                 summary: "NVIDIA GPUs: PTX, and a cubin where ptxas is at hand" },
    BackendRow { backend: Backend::Rocm, name: "rocm", aliases: &["hip", "amdgpu", "amd"],
                 summary: "AMD GPUs: hsaco code objects" },
    BackendRow { backend: Backend::OpenCl, name: "opencl", aliases: &["spirv", "cl"],
                 summary: "devices with an OpenCL driver: a SPIR-V module that the driver compiles" },
    BackendRow { backend: Backend::Cpu, name: "cpu", aliases: &["llvm-cpu", "local", "host"],
                 summary: "the host processor: an ELF image loaded from memory" },
];

impl Backend {
    /// The name on command lines and in modules: `cuda`, `rocm`, `opencl` or `cpu`.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Cuda => "cuda",
            Backend::Rocm => "rocm",
            Backend::OpenCl => "opencl",
            Backend::Cpu => "cpu",
        }
    }

    /// Whether the host need not look at the predicate of a loop of unknown length: command lists decide it, or the
    /// device is the host.
    pub fn decides_loops(self) -> bool {
        matches!(self, Backend::Cuda | Backend::Cpu)
    }

    /// Reads a backend name or alias, in any case.
    ///
    /// # Errors
    /// `FX0506` for anything else, with the nearest name.
    pub fn parse(text: &str) -> Result<Backend, TargetError> {
        let wanted = text.trim().to_ascii_lowercase().replace('_', "-");
        BACKENDS
            .iter()
            .find(|row| row.name == wanted || row.aliases.contains(&wanted.as_str()))
            .map(|row| row.backend)
            .ok_or_else(|| {
                let kinds = KINDS.iter().find(|row| row.0 == wanted);
                let names =
                    BACKENDS.iter().flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()));
                let suggestions = match kinds {
                    Some((_, backends)) => backends.iter().map(|name| (*name).to_string()).collect(),
                    None => nearest(&wanted, names),
                };
                TargetError::UnknownBackend { name: text.to_string(), suggestions }
            })
    }
}

/// Words for several backends, or for others: what whoever writes one may mean.
const KINDS: &[(&str, &[&str])] =
    &[("gpu", &["cuda", "rocm", "opencl"]), ("vulkan", &["opencl"]), ("spirv", &["opencl"])];

impl std::fmt::Display for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The form of one executable image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageKind {
    /// PTX text: compiled by the driver when it is loaded.
    Ptx,
    /// NVIDIA machine code.
    Cubin,
    /// An AMD code object.
    Hsaco,
    /// A SPIR-V module for the OpenCL environment: compiled by the driver when it is loaded.
    SpirV,
    /// An ELF shared object of host code.
    CpuElf,
}

impl ImageKind {
    /// Every kind.
    pub const ALL: &'static [ImageKind] =
        &[ImageKind::Ptx, ImageKind::Cubin, ImageKind::Hsaco, ImageKind::SpirV, ImageKind::CpuElf];

    /// The name in module manifests: `ptx`, `cubin`, `hsaco`, `spirv` or `cpu-elf`.
    pub fn name(self) -> &'static str {
        match self {
            ImageKind::Ptx => "ptx",
            ImageKind::Cubin => "cubin",
            ImageKind::Hsaco => "hsaco",
            ImageKind::SpirV => "spirv",
            ImageKind::CpuElf => "cpu-elf",
        }
    }

    /// The kind of that manifest name, if there is one.
    pub fn from_name(name: &str) -> Option<ImageKind> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The backend whose devices take this kind.
    pub fn backend(self) -> Backend {
        match self {
            ImageKind::Ptx | ImageKind::Cubin => Backend::Cuda,
            ImageKind::Hsaco => Backend::Rocm,
            ImageKind::SpirV => Backend::OpenCl,
            ImageKind::CpuElf => Backend::Cpu,
        }
    }
}

impl std::fmt::Display for ImageKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

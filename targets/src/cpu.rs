//! CPU targets: feature levels and microarchitectures of x86-64 and AArch64.
//!
//! Input to `resolve` and `fits`. A row names LLVM's CPU, the vector width the emitters write, and what the loader must
//! find before it runs such an image: the `detect` names are those of Rust's `is_x86_feature_detected!` and
//! `is_aarch64_feature_detected!`. Widths and registers are the instruction sets' own; LLVM 22.1.8 knows every
//! `llvm_cpu`.

use crate::features::{Feature, FeatureSet};

/// Instruction set of a CPU target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CpuIsa {
    /// 64-bit x86.
    X86_64,
    /// 64-bit Arm.
    Aarch64,
}

impl CpuIsa {
    /// LLVM's triple for images: Linux ELF.
    pub fn triple(self) -> &'static str {
        match self {
            CpuIsa::X86_64 => "x86_64-unknown-linux-gnu",
            CpuIsa::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// The name that `std::env::consts::ARCH` gives it.
    pub fn name(self) -> &'static str {
        match self {
            CpuIsa::X86_64 => "x86_64",
            CpuIsa::Aarch64 => "aarch64",
        }
    }

    /// The instruction set of this `std::env::consts::ARCH` name.
    pub fn from_name(name: &str) -> Option<CpuIsa> {
        [CpuIsa::X86_64, CpuIsa::Aarch64].into_iter().find(|isa| isa.name() == name)
    }
}

/// One CPU target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuArch {
    /// Canonical name.
    pub name: &'static str,
    /// Instruction set.
    pub isa: CpuIsa,
    /// LLVM's `-mcpu`.
    pub llvm_cpu: &'static str,
    /// Widest vector, in bytes.
    pub vector_bytes: u32,
    /// Vector registers.
    pub vector_registers: u32,
    /// Features the processor must report before an image for this row runs on it.
    pub detect: &'static [&'static [&'static str]],
    /// What emitters may use.
    pub features: FeatureSet,
    /// One of the levels that `native` chooses from.
    pub level: bool,
}

/// Scratch bytes a CPU kernel may ask for: what plays the role of shared memory, one block a thread.
pub const CPU_SCRATCH_BYTES_MAX: u32 = 1024 * 1024;

use CpuIsa::{Aarch64, X86_64};
use Feature::*;
const D_V2: &[&str] = &["sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cmpxchg16b"];
const D_V3: &[&str] = &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe"];
const D_V4: &[&str] = &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];
const D_VNNI: &[&str] = &["avx512vnni"];
const D_ICX: &[&str] =
    &["avx512vbmi", "avx512vbmi2", "avx512ifma", "avx512bitalg", "avx512vpopcntdq", "gfni", "vaes", "vpclmulqdq"];
const D_BF16: &[&str] = &["avx512bf16"];
const D_ADX: &[&str] = &["adx"];
const D_N1: &[&str] = &["lse", "rdm", "rcpc", "dotprod", "fp16"];
const D_V1: &[&str] = &["sve", "bf16", "i8mm"];
const D_SVE2: &[&str] = &["sve2"];
const F_V3: FeatureSet = FeatureSet::of(&[Avx2, Fma, CvtF16]);
const F_V4: FeatureSet = F_V3.with(FeatureSet::of(&[Avx512]));
const F_VNNI: FeatureSet = F_V4.with(FeatureSet::of(&[DotI8]));
const F_ZEN4: FeatureSet = F_VNNI.with(FeatureSet::of(&[CvtBf16]));
const F_NEON: FeatureSet = FeatureSet::of(&[Neon, Fma, CvtF16]);
const F_N1: FeatureSet = F_NEON.with(FeatureSet::of(&[DotI8]));
const F_V1: FeatureSet = F_N1.with(FeatureSet::of(&[CvtBf16]));

/// All rows; levels first within an instruction set, lowest first.
#[rustfmt::skip]
pub const CPU_ARCHES: &[CpuArch] = &[
    CpuArch { name: "x86-64", isa: X86_64, llvm_cpu: "x86-64", vector_bytes: 16, vector_registers: 16, detect: &[], features: FeatureSet::of(&[]), level: true },
    CpuArch { name: "x86-64-v2", isa: X86_64, llvm_cpu: "x86-64-v2", vector_bytes: 16, vector_registers: 16, detect: &[D_V2], features: FeatureSet::of(&[]), level: true },
    CpuArch { name: "x86-64-v3", isa: X86_64, llvm_cpu: "x86-64-v3", vector_bytes: 32, vector_registers: 16, detect: &[D_V2, D_V3], features: F_V3, level: true },
    CpuArch { name: "x86-64-v4", isa: X86_64, llvm_cpu: "x86-64-v4", vector_bytes: 64, vector_registers: 32, detect: &[D_V2, D_V3, D_V4], features: F_V4, level: true },
    CpuArch { name: "haswell", isa: X86_64, llvm_cpu: "haswell", vector_bytes: 32, vector_registers: 16, detect: &[D_V2, D_V3], features: F_V3, level: false },
    CpuArch { name: "znver2", isa: X86_64, llvm_cpu: "znver2", vector_bytes: 32, vector_registers: 16, detect: &[D_V2, D_V3, D_ADX], features: F_V3, level: false },
    CpuArch { name: "znver3", isa: X86_64, llvm_cpu: "znver3", vector_bytes: 32, vector_registers: 16, detect: &[D_V2, D_V3, D_ADX], features: F_V3, level: false },
    CpuArch { name: "znver4", isa: X86_64, llvm_cpu: "znver4", vector_bytes: 64, vector_registers: 32, detect: &[D_V2, D_V3, D_V4, D_ADX, D_VNNI, D_ICX, D_BF16], features: F_ZEN4, level: false },
    CpuArch { name: "znver5", isa: X86_64, llvm_cpu: "znver5", vector_bytes: 64, vector_registers: 32, detect: &[D_V2, D_V3, D_V4, D_ADX, D_VNNI, D_ICX, D_BF16, &["avxvnni"]], features: F_ZEN4, level: false },
    CpuArch { name: "skylake-avx512", isa: X86_64, llvm_cpu: "skylake-avx512", vector_bytes: 64, vector_registers: 32, detect: &[D_V2, D_V3, D_V4, D_ADX], features: F_V4, level: false },
    CpuArch { name: "cascadelake", isa: X86_64, llvm_cpu: "cascadelake", vector_bytes: 64, vector_registers: 32, detect: &[D_V2, D_V3, D_V4, D_ADX, D_VNNI], features: F_VNNI, level: false },
    CpuArch { name: "icelake-server", isa: X86_64, llvm_cpu: "icelake-server", vector_bytes: 64, vector_registers: 32, detect: &[D_V2, D_V3, D_V4, D_ADX, D_VNNI, D_ICX], features: F_VNNI, level: false },
    CpuArch { name: "sapphirerapids", isa: X86_64, llvm_cpu: "sapphirerapids", vector_bytes: 64, vector_registers: 32, detect: &[D_V2, D_V3, D_V4, D_ADX, D_VNNI, D_ICX, D_BF16, &["avx512fp16", "avxvnni"]], features: F_ZEN4, level: false },
    CpuArch { name: "aarch64", isa: Aarch64, llvm_cpu: "generic", vector_bytes: 16, vector_registers: 32, detect: &[&["neon"]], features: F_NEON, level: true },
    CpuArch { name: "neoverse-n1", isa: Aarch64, llvm_cpu: "neoverse-n1", vector_bytes: 16, vector_registers: 32, detect: &[&["neon"], D_N1], features: F_N1, level: false },
    CpuArch { name: "neoverse-v1", isa: Aarch64, llvm_cpu: "neoverse-v1", vector_bytes: 16, vector_registers: 32, detect: &[&["neon"], D_N1, D_V1], features: F_V1, level: false },
    CpuArch { name: "neoverse-n2", isa: Aarch64, llvm_cpu: "neoverse-n2", vector_bytes: 16, vector_registers: 32, detect: &[&["neon"], D_N1, D_V1, D_SVE2], features: F_V1, level: false },
    CpuArch { name: "neoverse-v2", isa: Aarch64, llvm_cpu: "neoverse-v2", vector_bytes: 16, vector_registers: 32, detect: &[&["neon"], D_N1, D_V1, D_SVE2], features: F_V1, level: false },
];

/// The CPU targets taken when none is named, each an image of the module: the runtime takes the widest that the machine
/// runs. AVX2 is what nearly every server and desktop has; with AVX-512 whole f32 models take 0.4 to 0.6 of the time
/// (nine models, two cores of an EPYC).
pub(crate) const CPU_DEFAULTS: &[&str] = &["x86-64-v3", "x86-64-v4"];

/// Other spellings.
#[rustfmt::skip]
pub(crate) const CPU_ALIASES: &[(&str, &str)] = &[
    ("x86_64", "x86-64"), ("amd64", "x86-64"), ("baseline", "x86-64"), ("v2", "x86-64-v2"), ("v3", "x86-64-v3"), ("v4", "x86-64-v4"),
    ("avx2", "x86-64-v3"), ("avx512", "x86-64-v4"), ("zen2", "znver2"), ("zen3", "znver3"), ("zen4", "znver4"), ("zen5", "znver5"),
    ("skx", "skylake-avx512"), ("clx", "cascadelake"), ("icx", "icelake-server"), ("spr", "sapphirerapids"), ("arm64", "aarch64"), ("generic", "aarch64"),
    ("neon", "aarch64"), ("graviton2", "neoverse-n1"), ("graviton3", "neoverse-v1"), ("graviton4", "neoverse-v2"), ("grace", "neoverse-v2"),
];

/// The row of this canonical name.
pub fn cpu_row(name: &str) -> Option<&'static CpuArch> {
    CPU_ARCHES.iter().find(|row| row.name == name)
}

/// What of a row's demands `detected` lacks, in table order.
pub(crate) fn cpu_missing<'a>(row: &'a CpuArch, detected: &'a [&str]) -> impl Iterator<Item = &'static str> + 'a {
    row.detect.iter().flat_map(|group| group.iter().copied()).filter(move |feature| !detected.contains(feature))
}

/// Rust's detection name → LLVM's feature name, where they differ.
#[rustfmt::skip]
pub(crate) const CPU_FEATURE_NAMES: &[(&str, &str)] = &[("bmi1", "bmi"), ("cmpxchg16b", "cx16"), ("pclmulqdq", "pclmul"), ("rdrand", "rdrnd"), ("fp16", "fullfp16")];

/// Features beyond the levels that `native` adds when the processor has them.
#[rustfmt::skip]
pub(crate) const CPU_NATIVE_EXTRAS: &[(&str, FeatureSet)] = &[
    ("avx512vnni", FeatureSet::of(&[DotI8])), ("avx512bf16", FeatureSet::of(&[CvtBf16])),
    ("avx512fp16", FeatureSet::of(&[])), ("dotprod", FeatureSet::of(&[DotI8])), ("fp16", FeatureSet::of(&[])),
    ("i8mm", FeatureSet::of(&[])), ("bf16", FeatureSet::of(&[CvtBf16])),
];

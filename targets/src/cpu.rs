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
const V2: &[&str] = &["sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cmpxchg16b"];
const V3: &[&str] = &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe"];
const V4: &[&str] = &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];
const VNNI: &[&str] = &["avx512vnni"];
const ICX: &[&str] =
    &["avx512vbmi", "avx512vbmi2", "avx512ifma", "avx512bitalg", "avx512vpopcntdq", "gfni", "vaes", "vpclmulqdq"];
const BF16: &[&str] = &["avx512bf16"];
const ADX: &[&str] = &["adx"];
const ZEN5: &[&str] = &["avxvnni"];
const SPR: &[&str] = &["avx512fp16", "avxvnni"];
const NEON: &[&str] = &["neon"];
const N1: &[&str] = &["lse", "rdm", "rcpc", "dotprod", "fp16"];
const V1: &[&str] = &["sve", "bf16", "i8mm"];
const SVE2: &[&str] = &["sve2"];
const F_BASE: FeatureSet = FeatureSet::of(&[]);
const F_V3: FeatureSet = FeatureSet::of(&[Avx2, Fma, CvtF16]);
const F_V4: FeatureSet = F_V3.with(FeatureSet::of(&[Avx512]));
const F_VNNI: FeatureSet = F_V4.with(FeatureSet::of(&[DotI8]));
const F_ZEN4: FeatureSet = F_VNNI.with(FeatureSet::of(&[CvtBf16]));
const F_NEON: FeatureSet = FeatureSet::of(&[Neon, Fma, CvtF16]);
const F_N1: FeatureSet = F_NEON.with(FeatureSet::of(&[DotI8]));
const F_V1: FeatureSet = F_N1.with(FeatureSet::of(&[CvtBf16]));

/// Rows of [`CPU_ARCHES`]: the fields of [`CpuArch`].
macro_rules! cpu_arches {
    ($(
        $name:literal $isa:ident $llvm_cpu:literal $vector_bytes:literal $vector_registers:literal $level:literal
        $features:ident [$($detect:ident),*];
    )*) => {
        &[$(CpuArch {
            name: $name,
            isa: $isa,
            llvm_cpu: $llvm_cpu,
            vector_bytes: $vector_bytes,
            vector_registers: $vector_registers,
            level: $level,
            features: $features,
            detect: &[$($detect),*],
        }),*]
    };
}

/// All rows; levels first within an instruction set, lowest first.
pub const CPU_ARCHES: &[CpuArch] = cpu_arches! {
    // name           ISA      LLVM              bytes  regs  level  features  detect
    "x86-64"          X86_64   "x86-64"             16    16  true   F_BASE    [];
    "x86-64-v2"       X86_64   "x86-64-v2"          16    16  true   F_BASE    [V2];
    "x86-64-v3"       X86_64   "x86-64-v3"          32    16  true   F_V3      [V2, V3];
    "x86-64-v4"       X86_64   "x86-64-v4"          64    32  true   F_V4      [V2, V3, V4];
    "haswell"         X86_64   "haswell"            32    16  false  F_V3      [V2, V3];
    "znver2"          X86_64   "znver2"             32    16  false  F_V3      [V2, V3, ADX];
    "znver3"          X86_64   "znver3"             32    16  false  F_V3      [V2, V3, ADX];
    "znver4"          X86_64   "znver4"             64    32  false  F_ZEN4    [V2, V3, V4, ADX, VNNI, ICX, BF16];
    "znver5"          X86_64   "znver5"             64    32  false  F_ZEN4    [V2, V3, V4, ADX, VNNI, ICX, BF16, ZEN5];
    "skylake-avx512"  X86_64   "skylake-avx512"     64    32  false  F_V4      [V2, V3, V4, ADX];
    "cascadelake"     X86_64   "cascadelake"        64    32  false  F_VNNI    [V2, V3, V4, ADX, VNNI];
    "icelake-server"  X86_64   "icelake-server"     64    32  false  F_VNNI    [V2, V3, V4, ADX, VNNI, ICX];
    "sapphirerapids"  X86_64   "sapphirerapids"     64    32  false  F_ZEN4    [V2, V3, V4, ADX, VNNI, ICX, BF16, SPR];
    "aarch64"         Aarch64  "generic"            16    32  true   F_NEON    [NEON];
    "neoverse-n1"     Aarch64  "neoverse-n1"        16    32  false  F_N1      [NEON, N1];
    "neoverse-v1"     Aarch64  "neoverse-v1"        16    32  false  F_V1      [NEON, N1, V1];
    "neoverse-n2"     Aarch64  "neoverse-n2"        16    32  false  F_V1      [NEON, N1, V1, SVE2];
    "neoverse-v2"     Aarch64  "neoverse-v2"        16    32  false  F_V1      [NEON, N1, V1, SVE2];
};

/// The CPU targets taken when none is named, each an image of the module: the runtime takes the widest that the machine
/// runs. AVX2 is what nearly every server and desktop has; with AVX-512 whole f32 models take 0.4 to 0.6 of the time
/// (nine models, two cores of an EPYC).
pub(crate) const CPU_DEFAULTS: &[&str] = &["x86-64-v3", "x86-64-v4"];

/// Other spellings.
#[rustfmt::skip]
pub(crate) const CPU_ALIASES: &[(&str, &str)] = &[
    ("x86_64", "x86-64"), ("amd64", "x86-64"), ("baseline", "x86-64"), ("v2", "x86-64-v2"), ("v3", "x86-64-v3"),
    ("v4", "x86-64-v4"), ("avx2", "x86-64-v3"), ("avx512", "x86-64-v4"), ("zen2", "znver2"), ("zen3", "znver3"),
    ("zen4", "znver4"), ("zen5", "znver5"), ("skx", "skylake-avx512"), ("clx", "cascadelake"),
    ("icx", "icelake-server"), ("spr", "sapphirerapids"), ("arm64", "aarch64"), ("generic", "aarch64"),
    ("neon", "aarch64"), ("graviton2", "neoverse-n1"), ("graviton3", "neoverse-v1"), ("graviton4", "neoverse-v2"),
    ("grace", "neoverse-v2"),
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
pub(crate) const CPU_FEATURE_NAMES: &[(&str, &str)] = &[
    ("bmi1", "bmi"), ("cmpxchg16b", "cx16"), ("pclmulqdq", "pclmul"), ("rdrand", "rdrnd"), ("fp16", "fullfp16"),
];

/// Features beyond the levels that `native` adds when the processor has them.
#[rustfmt::skip]
pub(crate) const CPU_NATIVE_EXTRAS: &[(&str, FeatureSet)] = &[
    ("avx512vnni", FeatureSet::of(&[DotI8])), ("avx512bf16", FeatureSet::of(&[CvtBf16])),
    ("avx512fp16", FeatureSet::of(&[])), ("dotprod", FeatureSet::of(&[DotI8])), ("fp16", FeatureSet::of(&[])),
    ("i8mm", FeatureSet::of(&[])), ("bf16", FeatureSet::of(&[CvtBf16])),
];

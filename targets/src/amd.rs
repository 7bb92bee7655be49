//! AMD architectures: limits, subgroup sizes, matrix features and ELF flags.
//!
//! Input to `resolve`, `fits` and the generated page. An unknown CPU name aborts LLVM on AMDGPU, so a name must be in
//! [`AMD_LLVM_CPUS`] before LLVM sees it. LDS sizes, default wave sizes, ELF flags and matrix forms are measured with
//! LLVM 22.1.8; 1024 threads a workgroup are from vendor documents.

use crate::features::{Feature, FeatureSet};
use crate::product::Source;

/// One architecture or one generic family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmdArch {
    /// `gfx90a`, `gfx9-4-generic`.
    pub name: &'static str,
    /// Vendor's name of the family.
    pub family: &'static str,
    /// LDS a workgroup can use, in KiB.
    pub lds_kib: u32,
    /// Subgroup sizes, the one we compile for first.
    pub subgroup_sizes: &'static [u32],
    /// Vector registers a lane, accumulation registers included.
    pub vector_registers: u32,
    /// Compute units of the family's usual part: a tuning hint.
    pub compute_units: u32,
    /// ELF header flags of its code objects (code object version 5; generic families 6).
    pub elf_flags: u32,
    /// What it can do.
    pub features: FeatureSet,
}

/// Where the limits come from.
pub(crate) const AMD_SOURCE: Source = Source::Llvm22;

use Feature::*;
const BASE: FeatureSet = FeatureSet::of(&[ShuffleSync, PackedF16, Fma, CvtF16]);
/// Without `ds_bpermute`: lanes exchange through LDS.
const GCN: FeatureSet = FeatureSet::of(&[Fma, CvtF16]);
const GCN3: FeatureSet = FeatureSet::of(&[ShuffleSync, Fma, CvtF16, Dpp]);
const GFX9: FeatureSet = BASE.with(FeatureSet::of(&[Dpp]));
const DOT: FeatureSet = FeatureSet::of(&[DotI8, DotF16]);
const CDNA1: FeatureSet = GFX9.with(DOT).with(FeatureSet::of(&[Mfma]));
const CDNA2: FeatureSet = CDNA1.with(FeatureSet::of(&[MfmaBf16K1, MfmaF64]));
const CDNA3: FeatureSet = CDNA2.with(FeatureSet::of(&[MfmaFp8Fnuz, MfmaXf32, MfmaI8Wide, CvtFp8]));
const CDNA4: FeatureSet = CDNA2.with(FeatureSet::of(&[MfmaFp8Ocp, MfmaI8Wide, MfmaWideK, LdsDma16, CvtBf16, CvtFp8]));
const CDNA3_GENERIC: FeatureSet = CDNA2.with(FeatureSet::of(&[MfmaI8Wide]));
const RDNA1: FeatureSet = BASE.with(FeatureSet::of(&[Dpp, DppRowXmask, PermLaneX16]));
const RDNA2: FeatureSet = RDNA1.with(DOT);
const RDNA3: FeatureSet = RDNA2.with(FeatureSet::of(&[DotI8Mixed, WmmaRdna3]));
const RDNA4: FeatureSet = RDNA2.with(FeatureSet::of(&[DotI8Mixed, WmmaRdna4, CvtFp8]));
const GFX1250: FeatureSet = RDNA1.with(FeatureSet::of(&[CvtFp8, CvtBf16]));
const W64: &[u32] = &[64];
const W32: &[u32] = &[32, 64];

/// All rows, oldest first, the generic families last.
#[rustfmt::skip]
pub const AMD_ARCHES: &[AmdArch] = &[
    AmdArch { name: "gfx600", family: "gcn1", lds_kib: 32, subgroup_sizes: W64, vector_registers: 256, compute_units: 32, elf_flags: 0x20, features: GCN },
    AmdArch { name: "gfx700", family: "gcn2", lds_kib: 64, subgroup_sizes: W64, vector_registers: 256, compute_units: 40, elf_flags: 0x22, features: GCN },
    AmdArch { name: "gfx801", family: "gcn3", lds_kib: 64, subgroup_sizes: W64, vector_registers: 256, compute_units: 64, elf_flags: 0x128, features: GCN3 },
    AmdArch { name: "gfx900", family: "gcn5", lds_kib: 64, subgroup_sizes: W64, vector_registers: 256, compute_units: 64, elf_flags: 0x12c, features: GFX9 },
    AmdArch { name: "gfx906", family: "gcn5", lds_kib: 64, subgroup_sizes: W64, vector_registers: 256, compute_units: 60, elf_flags: 0x52f, features: GFX9.with(DOT) },
    AmdArch { name: "gfx908", family: "cdna1", lds_kib: 64, subgroup_sizes: W64, vector_registers: 512, compute_units: 120, elf_flags: 0x530, features: CDNA1 },
    AmdArch { name: "gfx90a", family: "cdna2", lds_kib: 64, subgroup_sizes: W64, vector_registers: 512, compute_units: 104, elf_flags: 0x53f, features: CDNA2 },
    AmdArch { name: "gfx942", family: "cdna3", lds_kib: 64, subgroup_sizes: W64, vector_registers: 512, compute_units: 304, elf_flags: 0x54c, features: CDNA3 },
    AmdArch { name: "gfx950", family: "cdna4", lds_kib: 160, subgroup_sizes: W64, vector_registers: 512, compute_units: 256, elf_flags: 0x54f, features: CDNA4 },
    AmdArch { name: "gfx1010", family: "rdna1", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 40, elf_flags: 0x133, features: RDNA1 },
    AmdArch { name: "gfx1011", family: "rdna1", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 40, elf_flags: 0x134, features: RDNA1.with(DOT) },
    AmdArch { name: "gfx1012", family: "rdna1", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 24, elf_flags: 0x135, features: RDNA1.with(DOT) },
    AmdArch { name: "gfx1013", family: "rdna1", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 40, elf_flags: 0x142, features: RDNA1 },
    AmdArch { name: "gfx1030", family: "rdna2", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 80, elf_flags: 0x36, features: RDNA2 },
    AmdArch { name: "gfx1031", family: "rdna2", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 40, elf_flags: 0x37, features: RDNA2 },
    AmdArch { name: "gfx1032", family: "rdna2", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 32, elf_flags: 0x38, features: RDNA2 },
    AmdArch { name: "gfx1033", family: "rdna2", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 8, elf_flags: 0x39, features: RDNA2 },
    AmdArch { name: "gfx1034", family: "rdna2", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 16, elf_flags: 0x3e, features: RDNA2 },
    AmdArch { name: "gfx1035", family: "rdna2", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 12, elf_flags: 0x3d, features: RDNA2 },
    AmdArch { name: "gfx1036", family: "rdna2", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 2, elf_flags: 0x45, features: RDNA2 },
    AmdArch { name: "gfx1100", family: "rdna3", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 96, elf_flags: 0x41, features: RDNA3 },
    AmdArch { name: "gfx1101", family: "rdna3", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 60, elf_flags: 0x46, features: RDNA3 },
    AmdArch { name: "gfx1102", family: "rdna3", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 32, elf_flags: 0x47, features: RDNA3 },
    AmdArch { name: "gfx1103", family: "rdna3", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 12, elf_flags: 0x44, features: RDNA3 },
    AmdArch { name: "gfx1150", family: "rdna3.5", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 16, elf_flags: 0x43, features: RDNA3 },
    AmdArch { name: "gfx1151", family: "rdna3.5", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 40, elf_flags: 0x4a, features: RDNA3 },
    AmdArch { name: "gfx1152", family: "rdna3.5", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 8, elf_flags: 0x55, features: RDNA3 },
    AmdArch { name: "gfx1153", family: "rdna3.5", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 8, elf_flags: 0x58, features: RDNA3 },
    AmdArch { name: "gfx1200", family: "rdna4", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 32, elf_flags: 0x48, features: RDNA4 },
    AmdArch { name: "gfx1201", family: "rdna4", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 64, elf_flags: 0x4e, features: RDNA4 },
    AmdArch { name: "gfx1250", family: "gfx1250", lds_kib: 320, subgroup_sizes: &[32], vector_registers: 1024, compute_units: 64, elf_flags: 0x549, features: GFX1250 },
    AmdArch { name: "gfx1251", family: "gfx1250", lds_kib: 320, subgroup_sizes: &[32], vector_registers: 1024, compute_units: 64, elf_flags: 0x55a, features: GFX1250 },
    AmdArch { name: "gfx9-generic", family: "gcn5", lds_kib: 64, subgroup_sizes: W64, vector_registers: 256, compute_units: 60, elf_flags: 0x100_0151, features: GFX9 },
    AmdArch { name: "gfx9-4-generic", family: "cdna3", lds_kib: 64, subgroup_sizes: W64, vector_registers: 512, compute_units: 304, elf_flags: 0x100_055f, features: CDNA3_GENERIC },
    AmdArch { name: "gfx10-1-generic", family: "rdna1", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 40, elf_flags: 0x100_0152, features: RDNA1 },
    AmdArch { name: "gfx10-3-generic", family: "rdna2", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 60, elf_flags: 0x100_0053, features: RDNA2 },
    AmdArch { name: "gfx11-generic", family: "rdna3", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 60, elf_flags: 0x100_0054, features: RDNA3 },
    AmdArch { name: "gfx12-generic", family: "rdna4", lds_kib: 64, subgroup_sizes: W32, vector_registers: 256, compute_units: 60, elf_flags: 0x100_0059, features: RDNA4 },
];

/// Every CPU name that LLVM 22 knows for AMDGPU.
#[rustfmt::skip]
pub const AMD_LLVM_CPUS: &[&str] = &[
    "gfx600", "gfx601", "gfx602", "gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705", "gfx801", "gfx802", "gfx803", "gfx805", "gfx810",
    "gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909", "gfx90a", "gfx90c", "gfx942", "gfx950", "gfx1010", "gfx1011", "gfx1012", "gfx1013",
    "gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151",
    "gfx1152", "gfx1153", "gfx1200", "gfx1201", "gfx1250", "gfx1251", "gfx9-generic", "gfx9-4-generic", "gfx10-1-generic", "gfx10-3-generic",
    "gfx11-generic", "gfx12-generic",
];

/// Chips without a row of their own → the row whose limits and features they share.
#[rustfmt::skip]
pub(crate) const AMD_LIKE: &[(&str, &str)] = &[
    ("gfx601", "gfx600"), ("gfx602", "gfx600"), ("gfx701", "gfx700"), ("gfx702", "gfx700"), ("gfx703", "gfx700"), ("gfx704", "gfx700"),
    ("gfx705", "gfx700"), ("gfx802", "gfx801"), ("gfx803", "gfx801"), ("gfx805", "gfx801"), ("gfx810", "gfx801"), ("gfx902", "gfx900"),
    ("gfx904", "gfx900"), ("gfx909", "gfx900"), ("gfx90c", "gfx900"),
];

/// Code names → the lowest architecture that carries them.
#[rustfmt::skip]
pub(crate) const AMD_CODE_NAMES: &[(&str, &str)] = &[
    ("gcn5", "gfx900"), ("vega", "gfx900"), ("vega10", "gfx900"), ("vega20", "gfx906"), ("cdna", "gfx908"), ("cdna1", "gfx908"), ("cdna2", "gfx90a"),
    ("cdna3", "gfx942"), ("cdna4", "gfx950"), ("rdna", "gfx1010"), ("rdna1", "gfx1010"), ("rdna2", "gfx1030"), ("rdna3", "gfx1100"),
    ("rdna3.5", "gfx1150"), ("rdna4", "gfx1200"), ("arcturus", "gfx908"), ("aldebaran", "gfx90a"), ("aqua-vanjaram", "gfx942"),
    ("mi200", "gfx90a"), ("mi300", "gfx942"), ("mi350", "gfx950"), ("navi10", "gfx1010"), ("navi21", "gfx1030"), ("navi31", "gfx1100"), ("navi48", "gfx1201"),
];

/// Generic family → the chips that run its code.
#[rustfmt::skip]
pub const AMD_GENERIC_MEMBERS: &[(&str, &[&str])] = &[
    ("gfx9-generic", &["gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"]),
    ("gfx9-4-generic", &["gfx942", "gfx950"]),
    ("gfx10-1-generic", &["gfx1010", "gfx1011", "gfx1012", "gfx1013"]),
    ("gfx10-3-generic", &["gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"]),
    ("gfx11-generic", &["gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"]),
    ("gfx12-generic", &["gfx1200", "gfx1201"]),
];

/// The row of this canonical name, or of the chip it shares its limits with; and whether it is its own.
pub(crate) fn amd_row(name: &str) -> Option<(&'static AmdArch, bool)> {
    if let Some(row) = AMD_ARCHES.iter().find(|row| row.name == name) {
        return Some((row, true));
    }
    let (_, like) = AMD_LIKE.iter().find(|(chip, _)| *chip == name)?;
    AMD_ARCHES.iter().find(|row| row.name == *like).map(|row| (row, false))
}

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
const W32_ONLY: &[u32] = &[32];

/// Rows of [`AMD_ARCHES`]: the fields of [`AmdArch`], in its order.
macro_rules! amd_arches {
    ($(
        $name:literal $family:literal $lds_kib:literal $subgroup_sizes:ident $vector_registers:literal
        $compute_units:literal $elf_flags:literal $features:expr;
    )*) => {
        &[$(AmdArch {
            name: $name,
            family: $family,
            lds_kib: $lds_kib,
            subgroup_sizes: $subgroup_sizes,
            vector_registers: $vector_registers,
            compute_units: $compute_units,
            elf_flags: $elf_flags,
            features: $features,
        }),*]
    };
}

/// All rows, oldest first, the generic families last.
pub const AMD_ARCHES: &[AmdArch] = amd_arches! {
    // name            family     LDS KiB  lanes     registers  units  ELF flags   features
    "gfx600"           "gcn1"          32  W64             256     32  0x20        GCN;
    "gfx700"           "gcn2"          64  W64             256     40  0x22        GCN;
    "gfx801"           "gcn3"          64  W64             256     64  0x128       GCN3;
    "gfx900"           "gcn5"          64  W64             256     64  0x12c       GFX9;
    "gfx906"           "gcn5"          64  W64             256     60  0x52f       GFX9.with(DOT);
    "gfx908"           "cdna1"         64  W64             512    120  0x530       CDNA1;
    "gfx90a"           "cdna2"         64  W64             512    104  0x53f       CDNA2;
    "gfx942"           "cdna3"         64  W64             512    304  0x54c       CDNA3;
    "gfx950"           "cdna4"        160  W64             512    256  0x54f       CDNA4;
    "gfx1010"          "rdna1"         64  W32             256     40  0x133       RDNA1;
    "gfx1011"          "rdna1"         64  W32             256     40  0x134       RDNA1.with(DOT);
    "gfx1012"          "rdna1"         64  W32             256     24  0x135       RDNA1.with(DOT);
    "gfx1013"          "rdna1"         64  W32             256     40  0x142       RDNA1;
    "gfx1030"          "rdna2"         64  W32             256     80  0x36        RDNA2;
    "gfx1031"          "rdna2"         64  W32             256     40  0x37        RDNA2;
    "gfx1032"          "rdna2"         64  W32             256     32  0x38        RDNA2;
    "gfx1033"          "rdna2"         64  W32             256      8  0x39        RDNA2;
    "gfx1034"          "rdna2"         64  W32             256     16  0x3e        RDNA2;
    "gfx1035"          "rdna2"         64  W32             256     12  0x3d        RDNA2;
    "gfx1036"          "rdna2"         64  W32             256      2  0x45        RDNA2;
    "gfx1100"          "rdna3"         64  W32             256     96  0x41        RDNA3;
    "gfx1101"          "rdna3"         64  W32             256     60  0x46        RDNA3;
    "gfx1102"          "rdna3"         64  W32             256     32  0x47        RDNA3;
    "gfx1103"          "rdna3"         64  W32             256     12  0x44        RDNA3;
    "gfx1150"          "rdna3.5"       64  W32             256     16  0x43        RDNA3;
    "gfx1151"          "rdna3.5"       64  W32             256     40  0x4a        RDNA3;
    "gfx1152"          "rdna3.5"       64  W32             256      8  0x55        RDNA3;
    "gfx1153"          "rdna3.5"       64  W32             256      8  0x58        RDNA3;
    "gfx1200"          "rdna4"         64  W32             256     32  0x48        RDNA4;
    "gfx1201"          "rdna4"         64  W32             256     64  0x4e        RDNA4;
    "gfx1250"          "gfx1250"      320  W32_ONLY       1024     64  0x549       GFX1250;
    "gfx1251"          "gfx1250"      320  W32_ONLY       1024     64  0x55a       GFX1250;
    "gfx9-generic"     "gcn5"          64  W64             256     60  0x100_0151  GFX9;
    "gfx9-4-generic"   "cdna3"         64  W64             512    304  0x100_055f  CDNA3_GENERIC;
    "gfx10-1-generic"  "rdna1"         64  W32             256     40  0x100_0152  RDNA1;
    "gfx10-3-generic"  "rdna2"         64  W32             256     60  0x100_0053  RDNA2;
    "gfx11-generic"    "rdna3"         64  W32             256     60  0x100_0054  RDNA3;
    "gfx12-generic"    "rdna4"         64  W32             256     60  0x100_0059  RDNA4;
};

/// Every CPU name that LLVM 22 knows for AMDGPU.
#[rustfmt::skip]
pub const AMD_LLVM_CPUS: &[&str] = &[
    "gfx600", "gfx601", "gfx602", "gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705", "gfx801", "gfx802",
    "gfx803", "gfx805", "gfx810", "gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909", "gfx90a", "gfx90c",
    "gfx942", "gfx950", "gfx1010", "gfx1011", "gfx1012", "gfx1013", "gfx1030", "gfx1031", "gfx1032", "gfx1033",
    "gfx1034", "gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152",
    "gfx1153", "gfx1200", "gfx1201", "gfx1250", "gfx1251", "gfx9-generic", "gfx9-4-generic", "gfx10-1-generic",
    "gfx10-3-generic", "gfx11-generic", "gfx12-generic",
];

/// Chips without a row of their own → the row whose limits and features they share.
#[rustfmt::skip]
pub(crate) const AMD_LIKE: &[(&str, &str)] = &[
    ("gfx601", "gfx600"), ("gfx602", "gfx600"), ("gfx701", "gfx700"), ("gfx702", "gfx700"), ("gfx703", "gfx700"),
    ("gfx704", "gfx700"), ("gfx705", "gfx700"), ("gfx802", "gfx801"), ("gfx803", "gfx801"), ("gfx805", "gfx801"),
    ("gfx810", "gfx801"), ("gfx902", "gfx900"), ("gfx904", "gfx900"), ("gfx909", "gfx900"), ("gfx90c", "gfx900"),
];

/// Code names → the lowest architecture that carries them.
#[rustfmt::skip]
pub(crate) const AMD_CODE_NAMES: &[(&str, &str)] = &[
    ("gcn5", "gfx900"), ("vega", "gfx900"), ("vega10", "gfx900"), ("vega20", "gfx906"), ("cdna", "gfx908"),
    ("cdna1", "gfx908"), ("cdna2", "gfx90a"), ("cdna3", "gfx942"), ("cdna4", "gfx950"), ("rdna", "gfx1010"),
    ("rdna1", "gfx1010"), ("rdna2", "gfx1030"), ("rdna3", "gfx1100"), ("rdna3.5", "gfx1150"), ("rdna4", "gfx1200"),
    ("arcturus", "gfx908"), ("aldebaran", "gfx90a"), ("aqua-vanjaram", "gfx942"), ("mi200", "gfx90a"),
    ("mi300", "gfx942"), ("mi350", "gfx950"), ("navi10", "gfx1010"), ("navi21", "gfx1030"), ("navi31", "gfx1100"),
    ("navi48", "gfx1201"),
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

//! Features: what code asks for instead of comparing architecture numbers.
//!
//! Each feature is one capability that an emitter or a pass can use. `NVIDIA_AVAILABILITY` says from which
//! architecture and PTX version an NVIDIA device has it; AMD and CPU rows list theirs.

/// One capability of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Feature {
    /// `shfl.sync` / `vote.sync`: lanes of a subgroup exchange registers.
    ShuffleSync,
    /// f64 arithmetic; asked of OpenCL targets only ([`crate::Target::has_f64`]), all others have it.
    Float64,
    /// Four-way i8 dot product (`dp4a`, `v_dot4`, VNNI, `sdot`).
    DotI8,
    /// Two-way f16 dot product (`v_dot2`).
    DotF16,
    /// Four-way dot product of bytes, each side signed or not (`v_dot4_i32_iu8`), in the place of that of signed ones.
    DotI8Mixed,
    /// Warp matrix multiply f16 with the old 8x8x4 quad-pair form.
    MmaF16M8N8K4,
    /// `mma.sync` m16n8k8 f16.
    MmaF16K8,
    /// `mma.sync` m16n8k16 f16.
    MmaF16,
    /// `mma.sync` m16n8k16 bf16.
    MmaBf16,
    /// `mma.sync` m16n8k8 tf32.
    MmaTf32,
    /// `mma.sync` m8n8k4 f64.
    MmaF64,
    /// `mma.sync` m16n8k16 f64.
    MmaF64Wide,
    /// `mma.sync` m8n8k16 i8.
    MmaI8K16,
    /// `mma.sync` m16n8k32 i8.
    MmaI8,
    /// `mma.sync` m16n8k32 f8E4M3FN / f8E5M2.
    MmaFp8,
    /// `ldmatrix`.
    LdMatrix,
    /// `stmatrix`.
    StMatrix,
    /// A kernel starts before the one that it depends on is over, and waits for it (`griddepcontrol`). Later
    /// architectures have it too; by `+early-start`, since nothing was measured there.
    DependentLaunch,
    /// `cp.async`, 16 bytes.
    CpAsync,
    /// `createpolicy`: loads that say what the second-level cache should keep, and how much of a line it fetches.
    CachePolicy,
    /// `mbarrier` objects in shared memory.
    Mbarrier,
    /// `max.NaN.f32` and `min.NaN.f32`: NaN-propagating, +0 above −0.
    NanExtrema,
    /// `ex2.approx.ftz.f32`.
    Exp2Approx,
    /// Sums, products, maxima of bf16 pairs in one instruction (`add.bf16x2`).
    PackedBf16,
    /// `tanh.approx.f32` and `ex2.approx.f16`.
    TanhApprox,
    /// Conversion between f32 pairs and f8 pairs.
    CvtFp8,
    /// Thread block clusters.
    Cluster,
    /// `st.async`: stores to another workgroup of the cluster that its mbarrier counts.
    AsyncStore,
    /// Tensor memory accelerator copies and `elect.sync`.
    Tma,
    /// Warpgroup matrix multiply.
    Wgmma,
    /// `setmaxnreg`.
    SetMaxRegisters,
    /// MFMA f32, f16, i8 and the first bf16 forms.
    Mfma,
    /// MFMA bf16 `_1k` forms.
    MfmaBf16K1,
    /// MFMA f64.
    MfmaF64,
    /// MFMA fp8 / bf8 in the FNUZ encoding.
    MfmaFp8Fnuz,
    /// MFMA fp8 / bf8 in the OCP encoding, and the scaled f8f6f4 form.
    MfmaFp8Ocp,
    /// MFMA xf32.
    MfmaXf32,
    /// MFMA with the wider i8 K (16x16x32, 32x32x16).
    MfmaI8Wide,
    /// MFMA with doubled K for f16, bf16 (16x16x32, 32x32x16).
    MfmaWideK,
    /// WMMA 16x16x16 f16, bf16, i8 with 8-register operands.
    WmmaRdna3,
    /// WMMA 16x16x16 with 4-register operands, and fp8.
    WmmaRdna4,
    /// f16 arithmetic on two lanes at a time (`v_pk_add_f16`).
    PackedF16,
    /// DPP: operands from other lanes of a row of sixteen.
    Dpp,
    /// DPP `row_xmask`: any exchange within a row (gfx10 and later).
    DppRowXmask,
    /// `v_permlanex16`.
    PermLaneX16,
    /// Copies from global memory to LDS, 16 bytes a lane.
    LdsDma16,
    /// Conversion of f32 pairs to bf16 pairs in one instruction.
    CvtBf16,
    /// Fused multiply-add in hardware.
    Fma,
    /// Conversion between f16 and f32 in hardware.
    CvtF16,
    /// 256-bit vectors with integer operations (AVX2).
    Avx2,
    /// AVX-512 F, BW, CD, DQ, VL.
    Avx512,
    /// NEON.
    Neon,
}

/// Every feature with its name in generated pages and `--print-target`.
pub const FEATURES: &[(Feature, &str)] = &[
    (Feature::ShuffleSync, "shuffle-sync"),
    (Feature::Float64, "fp64"),
    (Feature::DotI8, "dot-i8"),
    (Feature::DotF16, "dot-f16"),
    (Feature::DotI8Mixed, "dot-i8-mixed"),
    (Feature::MmaF16M8N8K4, "mma-f16-m8n8k4"),
    (Feature::MmaF16K8, "mma-f16-k8"),
    (Feature::MmaF16, "mma-f16"),
    (Feature::MmaBf16, "mma-bf16"),
    (Feature::MmaTf32, "mma-tf32"),
    (Feature::MmaF64, "mma-f64"),
    (Feature::MmaF64Wide, "mma-f64-wide"),
    (Feature::MmaI8K16, "mma-i8-k16"),
    (Feature::MmaI8, "mma-i8"),
    (Feature::MmaFp8, "mma-fp8"),
    (Feature::LdMatrix, "ldmatrix"),
    (Feature::StMatrix, "stmatrix"),
    (Feature::DependentLaunch, "early-start"),
    (Feature::CpAsync, "cp-async"),
    (Feature::CachePolicy, "cache-policy"),
    (Feature::Mbarrier, "mbarrier"),
    (Feature::NanExtrema, "nan-extrema"),
    (Feature::Exp2Approx, "exp2-approx"),
    (Feature::PackedBf16, "pk-bf16"),
    (Feature::TanhApprox, "tanh-approx"),
    (Feature::CvtFp8, "cvt-fp8"),
    (Feature::Cluster, "cluster"),
    (Feature::AsyncStore, "async-store"),
    (Feature::Tma, "tma"),
    (Feature::Wgmma, "wgmma"),
    (Feature::SetMaxRegisters, "setmaxnreg"),
    (Feature::Mfma, "mfma"),
    (Feature::MfmaBf16K1, "mfma-bf16-1k"),
    (Feature::MfmaF64, "mfma-f64"),
    (Feature::MfmaFp8Fnuz, "mfma-fp8-fnuz"),
    (Feature::MfmaFp8Ocp, "mfma-fp8-ocp"),
    (Feature::MfmaXf32, "mfma-xf32"),
    (Feature::MfmaI8Wide, "mfma-i8-wide"),
    (Feature::MfmaWideK, "mfma-wide-k"),
    (Feature::WmmaRdna3, "wmma-rdna3"),
    (Feature::WmmaRdna4, "wmma-rdna4"),
    (Feature::PackedF16, "pk-f16"),
    (Feature::Dpp, "dpp"),
    (Feature::DppRowXmask, "dpp-row-xmask"),
    (Feature::PermLaneX16, "permlanex16"),
    (Feature::LdsDma16, "lds-dma-16"),
    (Feature::CvtBf16, "cvt-bf16"),
    (Feature::Fma, "fma"),
    (Feature::CvtF16, "cvt-f16"),
    (Feature::Avx2, "avx2"),
    (Feature::Avx512, "avx512"),
    (Feature::Neon, "neon"),
];

impl Feature {
    /// The name in generated pages and `--print-target`.
    pub fn name(self) -> &'static str {
        FEATURES.iter().find(|(feature, _)| *feature == self).map_or("", |(_, name)| name)
    }
}

/// A set of features; `Copy`, one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FeatureSet(u64);

impl FeatureSet {
    /// The set of these features.
    pub const fn of(features: &[Feature]) -> FeatureSet {
        let mut bits = 0u64;
        let mut index = 0;
        while index < features.len() {
            bits |= 1 << features[index] as u64;
            index += 1;
        }
        FeatureSet(bits)
    }

    /// Whether the feature is in the set.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u64) != 0
    }

    /// Both sets together.
    pub const fn with(self, other: FeatureSet) -> FeatureSet {
        FeatureSet(self.0 | other.0)
    }

    /// This set without the other.
    pub const fn without(self, other: FeatureSet) -> FeatureSet {
        FeatureSet(self.0 & !other.0)
    }

    /// The features in table order.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        FEATURES.iter().map(|(feature, _)| *feature).filter(move |feature| self.has(*feature))
    }
}

/// Which architecture variants have a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// Every architecture from this number on: 80 means sm_80 and later.
    Arch(u32),
    /// Only the `a` variants of these numbers.
    OnlyA(&'static [u32]),
}

/// From which NVIDIA architecture, and with which PTX version (ten times it), a feature can be used. Measured with
/// LLVM 22.1.8 and assembled with ptxas 12.9; tf32 starts at sm_80 by ptxas, LLVM alone would let it through on sm_75.
pub(crate) const NVIDIA_AVAILABILITY: &[(Feature, Since, u32)] = &[
    (Feature::Fma, Since::Arch(20), 32),
    (Feature::CvtF16, Since::Arch(20), 32),
    (Feature::Exp2Approx, Since::Arch(20), 32),
    (Feature::ShuffleSync, Since::Arch(30), 60),
    (Feature::DotI8, Since::Arch(61), 50),
    (Feature::MmaF16M8N8K4, Since::Arch(70), 64),
    (Feature::MmaF16K8, Since::Arch(75), 65),
    (Feature::LdMatrix, Since::Arch(75), 65),
    (Feature::MmaI8K16, Since::Arch(75), 65),
    (Feature::TanhApprox, Since::Arch(75), 70),
    (Feature::MmaF16, Since::Arch(80), 70),
    (Feature::MmaBf16, Since::Arch(80), 70),
    (Feature::MmaTf32, Since::Arch(80), 70),
    (Feature::MmaF64, Since::Arch(80), 70),
    (Feature::MmaI8, Since::Arch(80), 70),
    (Feature::CpAsync, Since::Arch(80), 70),
    (Feature::Mbarrier, Since::Arch(80), 70),
    (Feature::CvtBf16, Since::Arch(80), 70),
    (Feature::NanExtrema, Since::Arch(80), 70),
    (Feature::CachePolicy, Since::Arch(80), 74),
    (Feature::CvtFp8, Since::Arch(89), 81),
    (Feature::MmaFp8, Since::Arch(89), 84),
    (Feature::MmaF64Wide, Since::Arch(90), 78),
    (Feature::StMatrix, Since::Arch(90), 78),
    (Feature::PackedBf16, Since::Arch(90), 78),
    (Feature::Cluster, Since::Arch(90), 78),
    (Feature::AsyncStore, Since::Arch(90), 81),
    (Feature::Tma, Since::Arch(90), 80),
    (Feature::DependentLaunch, Since::OnlyA(&[90]), 78),
    (Feature::Wgmma, Since::OnlyA(&[90]), 80),
    (Feature::SetMaxRegisters, Since::OnlyA(&[90, 100, 101, 103, 110, 120, 121]), 80),
];

/// The features of `sm_<number>`, its `a` variant if `is_a`, when the PTX version is `ptx` (ten times it).
pub(crate) fn nvidia_features(number: u32, is_a: bool, ptx: u32) -> FeatureSet {
    NVIDIA_AVAILABILITY
        .iter()
        .filter(|(_, since, ptx_since)| {
            let arch_has = match since {
                Since::Arch(first) => number >= *first,
                Since::OnlyA(numbers) => is_a && numbers.contains(&number),
            };
            arch_has && ptx >= *ptx_since
        })
        .fold(FeatureSet::default(), |set, (feature, _, _)| set.with(FeatureSet::of(&[*feature])))
}

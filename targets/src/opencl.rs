//! OpenCL targets: SPIR-V modules for kinds of devices.
//!
//! Input to `resolve`, `fits` and the generated page. An image is SPIR-V for the OpenCL environment, which the device's
//! own compiler finishes; a row says what that compiler is asked for and how large a workgroup may be. The generic row
//! takes the least that full-profile devices of OpenCL 2.0 offer, so that its modules run on all of them; the size of a
//! subgroup is not known there, and lanes do not exchange registers. Rows that fix the size
//! (`intel_reqd_sub_group_size`) do.
//!
//! A setting (`spirv64+fp16`, `spirv64+subgroup16`) changes one thing of a row: see `OPENCL_SETTINGS`.

use crate::features::{Feature, FeatureSet};
use crate::product::Source;

/// One kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenClArch {
    /// Canonical name.
    pub name: &'static str,
    /// For people.
    pub summary: &'static str,
    /// Lanes of a subgroup that kernels ask for; `None` where the device chooses.
    pub subgroup: Option<u32>,
    /// Threads of a workgroup.
    pub threads: u32,
    /// Local memory of a workgroup, KiB.
    pub local_kib: u32,
    /// Registers of 32 bits a lane: a tuning hint.
    pub registers: u32,
    /// Compute units of the usual part: a tuning hint.
    pub compute_units: u32,
    /// What it can do.
    pub features: FeatureSet,
}

/// Where the limits come from: the specification of OpenCL 2.0 for the generic row.
pub(crate) const OPENCL_SOURCE: Source = Source::VendorDocuments;

/// The row taken where none is named.
pub const OPENCL_DEFAULT: &str = "spirv64";

/// LLVM's triples: the oldest version of SPIR-V that has all that kernels use, without and with exchange of lanes.
pub(crate) const OPENCL_TRIPLES: [&str; 2] = ["spirv64v1.2-unknown-unknown", "spirv64v1.3-unknown-unknown"];

/// Lanes that schedules reckon with where the device chooses.
pub(crate) const OPENCL_SUBGROUP_GUESS: u32 = 32;

use Feature::*;
const BASE: FeatureSet = FeatureSet::of(&[Fma, Float64]);
const HALF: FeatureSet = FeatureSet::of(&[CvtF16]);
const XE: FeatureSet = FeatureSet::of(&[Fma, CvtF16, ShuffleSync, DotI8]);
const XE_F64: FeatureSet = XE.with(BASE);
const ANY: Option<u32> = None;
const L16: Option<u32> = Some(16);
const L32: Option<u32> = Some(32);

/// Rows of [`OPENCL_ARCHES`]: the fields of [`OpenClArch`].
macro_rules! opencl_arches {
    ($(
        $name:literal $subgroup:ident $threads:literal $local_kib:literal $registers:literal $compute_units:literal
        $features:ident $summary:literal;
    )*) => {
        &[$(OpenClArch {
            name: $name,
            subgroup: $subgroup,
            threads: $threads,
            local_kib: $local_kib,
            registers: $registers,
            compute_units: $compute_units,
            features: $features,
            summary: $summary,
        }),*]
    };
}

/// All rows, the generic one first.
pub(crate) const OPENCL_ARCHES: &[OpenClArch] = opencl_arches! {
    // name    lanes  threads  KiB  registers  units  features  summary
    "spirv64"  ANY        256   32         64     16  BASE      "any device of OpenCL 2.0 or later that takes SPIR-V";
    "xe-lp"    L16        256   64        128     96  XE        "Intel Xe-LP (Gen12)";
    "xe-hpg"   L16        512   64        128    512  XE        "Intel Arc A, Data Center GPU Flex";
    "xe-hpc"   L32       1024   64        128   1024  XE_F64    "Intel Data Center GPU Max";
    "xe2"      L32       1024   64        128    160  XE_F64    "Intel Arc B, Lunar Lake";
};

/// Other spellings and products → row.
#[rustfmt::skip]
pub(crate) const OPENCL_ALIASES: &[(&str, &str)] = &[
    ("generic", "spirv64"), ("spirv", "spirv64"), ("opencl", "spirv64"), ("gen12", "xe-lp"), ("tigerlake", "xe-lp"),
    ("arc-a770", "xe-hpg"), ("arc-a750", "xe-hpg"), ("arc-a380", "xe-hpg"), ("flex-170", "xe-hpg"),
    ("flex-140", "xe-hpg"), ("alchemist", "xe-hpg"), ("ponte-vecchio", "xe-hpc"), ("max-1100", "xe-hpc"),
    ("max-1550", "xe-hpc"), ("arc-b580", "xe2"), ("arc-b570", "xe2"), ("battlemage", "xe2"), ("lunar-lake", "xe2"),
];

/// What a setting changes: `(name, what it says, features it adds or takes away)`. `+subgroupN` (N a power of two from
/// 4 to 64) besides fixes the size of subgroups.
pub(crate) const OPENCL_SETTINGS: &[(&str, &str, FeatureSet)] = &[
    ("fp64", "f64 arithmetic (`cl_khr_fp64`)", FeatureSet::of(&[Float64])),
    ("fp16", "f16 in registers (`cl_khr_fp16`)", HALF),
];

/// The row of this canonical name.
pub(crate) fn opencl_row(name: &str) -> Option<&'static OpenClArch> {
    OPENCL_ARCHES.iter().find(|row| row.name == name)
}

/// The size that a setting `subgroupN` fixes.
pub(crate) fn subgroup_setting(name: &str) -> Option<u32> {
    let size: u32 = name.strip_prefix("subgroup")?.parse().ok()?;
    (size.is_power_of_two() && (4..=64).contains(&size)).then_some(size)
}

/// A name as a command line has it, and the settings in it as [`crate::Target::with_features`] reads them:
/// `xe2-fp64+subgroup16` is (`xe2`, `-fp64,+subgroup16`).
pub fn split_settings(name: &str) -> (&str, String) {
    let taken = |rest: &str| {
        OPENCL_SETTINGS.iter().find_map(|row| rest.strip_suffix(row.0)?.strip_suffix('-').map(|r| (r.len(), row.0)))
    };
    let (mut plain, added) = name.split_once('+').unwrap_or((name, ""));
    let mut settings: Vec<String> = added.split('+').filter(|s| !s.is_empty()).map(|s| format!("+{s}")).collect();
    while let Some((end, setting)) = taken(plain) {
        plain = plain.get(..end).unwrap_or(plain);
        settings.insert(0, format!("-{setting}"));
    }
    (plain, settings.join(","))
}

/// What an image asks of a device before its bytes are looked at: the version of SPIR-V, the size of subgroups that its
/// row or a setting fixes (`subgroup16`), and `fp16` where a setting asks for it. f64 and f16 of a row are used only by
/// kernels that have them: the capabilities in the image tell.
pub(crate) fn opencl_demands(image_arch: &str) -> Vec<String> {
    let mut parts = image_arch.split(',');
    let row = parts.next().and_then(opencl_row);
    let mut demands: Vec<String> =
        row.and_then(|row| row.subgroup).map(|n| format!("subgroup{n}")).into_iter().collect();
    for setting in parts.filter_map(|part| part.strip_prefix('+')) {
        if let Some(size) = subgroup_setting(setting) {
            demands.retain(|demand| !demand.starts_with("subgroup"));
            demands.push(format!("subgroup{size}"));
        } else if setting == "fp16" {
            demands.push(setting.to_string());
        }
    }
    let exchange = demands.iter().any(|demand| demand.starts_with("subgroup"));
    demands.push(if exchange { "spirv1.3" } else { "spirv1.2" }.to_string());
    demands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_follow_rows_and_settings() {
        assert_eq!(opencl_demands("spirv64"), ["spirv1.2"]);
        assert_eq!(opencl_demands("spirv64,+fp16,+subgroup8"), ["fp16", "subgroup8", "spirv1.3"]);
        assert_eq!(opencl_demands("xe2,+subgroup16"), ["subgroup16", "spirv1.3"]);
        assert_eq!(opencl_demands("xe-hpg"), ["subgroup16", "spirv1.3"]);
        assert_eq!(
            [4, 64, 3, 128].map(|n| subgroup_setting(&format!("subgroup{n}")).is_some()),
            [true, true, false, false]
        );
    }

    #[test]
    fn settings_are_split_from_names() {
        let split = |name| split_settings(name);
        assert_eq!(split("spirv64"), ("spirv64", String::new()));
        assert_eq!(split("xe-hpg+subgroup8+fp16"), ("xe-hpg", "+subgroup8,+fp16".into()));
        assert_eq!(split("xe2-fp64-fp16+subgroup16"), ("xe2", "-fp64,-fp16,+subgroup16".into()));
    }

    #[test]
    fn aliases_name_rows() {
        assert!(OPENCL_ALIASES.iter().all(|(_, row)| opencl_row(row).is_some()));
        assert!(opencl_row(OPENCL_DEFAULT).is_some());
    }
}

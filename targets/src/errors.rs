//! Errors of target names and of image-to-device matching: codes FX05xx.

use crate::backend::{Backend, ImageKind};

fornax_types::errors! {
    /// Why a target name was refused.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum TargetError {
        /// No architecture, code name or product has this name.
        #[error(
            "[FX0501] unknown {backend} target `{name}`{}; `fornax list-targets` prints every name",
            did_you_mean(suggestions)
        )]
        UnknownTarget {
            /// The backend asked.
            backend: Backend,
            /// The name as given.
            name: String,
            /// The nearest known names, best first.
            suggestions: Vec<String>,
        } = FX0501 "unknown target":
            "use a canonical name (`sm_80`, `gfx90a`, `spirv64`, `x86-64-v3`); `fornax list-targets` prints all";
        /// The name is known, to another backend.
        #[error("[FX0502] `{name}` is a {owner} target, not a {backend} one: write `{owner}:{name}`")]
        OtherBackend {
            /// The backend asked.
            backend: Backend,
            /// The name as given.
            name: String,
            /// The backend that knows it.
            owner: Backend,
        } = FX0502 "target of another backend": "give the name to the backend that owns it";
        /// The name is empty.
        #[error("[FX0503] empty {backend} target name: name an architecture, a code name or a product")]
        Empty {
            /// The backend asked.
            backend: Backend,
        } = FX0503 "empty target name":
            "name an architecture, a code name or a product, or leave the flag out for the default";
        /// A feature is not written as `+name` or `-name`.
        #[error(
            "[FX0504] malformed feature `{feature}` for {backend} target `{target}`: write `+name` or `-name`, \
             separated by commas"
        )]
        MalformedFeature {
            /// The backend asked.
            backend: Backend,
            /// The canonical target name.
            target: String,
            /// The feature as given.
            feature: String,
        } = FX0504 "malformed target feature": "write features as `+name` or `-name`, separated by commas";
        /// A `+ptxNN` that LLVM cannot write or that is too old for the architecture.
        #[error("[FX0505] PTX {}.{} cannot be used for `{target}`: {why}", version / 10, version % 10)]
        PtxVersion {
            /// The canonical target name.
            target: String,
            /// Ten times the PTX version: 78 is 7.8.
            version: u32,
            /// What is wrong with it.
            why: String,
        } = FX0505 "PTX version not usable": "ask for a PTX version that LLVM writes and that the architecture accepts";
        /// An architecture on which kernels cannot start early.
        #[error("[FX0510] kernels of `{target}` cannot start before those that they depend on are over")]
        EarlyStart {
            /// The canonical target name.
            target: String,
        } = FX0510 "kernels cannot start early": "`+early-start` is for sm_90 and later; leave it out";
        /// A version of the code object that LLVM does not write or the target does not take.
        #[error("[FX0508] code object version {version} for {target}: {why}")]
        CodeObjectVersion {
            /// The canonical target name.
            target: String,
            /// The version asked for.
            version: u32,
            /// What is wrong with it.
            why: String,
        } = FX0508 "code object version not usable":
            "take 5, which ROCm 5 and later load; 6 for generic families (ROCm 6.3 and later)";
        /// A setting that no OpenCL target has.
        #[error(
            "[FX0509] OpenCL target `{target}` has no setting `{setting}`: there are +fp16, -fp16, +fp64, -fp64 and \
             +subgroupN for N = 4, 8, 16, 32 or 64"
        )]
        OpenClSetting {
            /// The canonical target name.
            target: String,
            /// The setting as given.
            setting: String,
        } = FX0509 "setting not known to OpenCL targets":
            "the settings are `+fp16`, `-fp16`, `+fp64`, `-fp64` and `+subgroupN` for N = 4, 8, 16, 32 or 64";
        /// No backend of this name.
        #[error("[FX0506] unknown backend `{name}`{}; there are cuda, rocm, opencl and cpu", did_you_mean(suggestions))]
        UnknownBackend {
            /// The name as given.
            name: String,
            /// The nearest known names.
            suggestions: Vec<String>,
        } = FX0506 "unknown backend": "use `cuda`, `rocm`, `opencl` or `cpu`";
    }
    FX0507 "image does not fit the device": "compile the model for this device as well";
}

/// Why an image cannot run on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("[FX0507] {kind} image for {image} does not run on {device}: {why}")]
pub struct Misfit {
    /// The kind of the image.
    pub kind: ImageKind,
    /// The architecture it was made for.
    pub image: String,
    /// The architecture of the device.
    pub device: String,
    /// The rule that is broken.
    pub why: String,
}

impl Misfit {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        "FX0507"
    }
}

fn did_you_mean(suggestions: &[String]) -> String {
    if suggestions.is_empty() { String::new() } else { format!(": did you mean `{}`?", suggestions.join("`, `")) }
}

//! Targets: architectures, products, features and limits, as data.
//!
//! Everything the project knows about chips is in the tables of this crate, with its source; the rest of the project
//! asks a [`Target`] for limits and features and never compares architecture numbers. Three verbs work on the tables:
//! [`resolve()`] turns any name people use into a [`Target`], [`fits()`] says whether an image runs on a device, and
//! [`targets_markdown`] writes the generated page `docs/use/targets.md`.
//!
//! No I/O, no environment, no detection of the machine at hand: a caller that wants the host processor passes the
//! features it detected to [`resolve_native_cpu`].

pub mod amd;
pub mod amd_products;
pub mod backend;
pub mod catalogue;
pub mod cpu;
pub mod errors;
pub mod features;
pub mod fits;
pub mod fitted;
pub mod markdown;
pub mod near_miss;
pub mod nvidia;
pub mod nvidia_products;
pub mod occupancy;
pub mod opencl;
pub mod product;
pub mod ptx_drivers;
pub mod rates;
pub mod resolve;
pub mod target;

pub use backend::{BACKENDS, Backend, ImageKind};
pub use catalogue::{Architecture, Generation, catalogue};
pub use cpu::CpuIsa;
pub use errors::{ERROR_CODES, Misfit, TargetError};
pub use features::{Feature, FeatureSet};
pub use fits::{fits, fits_cpu_features, fits_opencl_features};
pub use markdown::targets_markdown;
pub use near_miss::nearest;
pub use product::{Product, Source};
pub use rates::{UnitRates, unit_counts, unit_rates};
pub use resolve::{
    Resolved, default_targets, resolve, resolve_all, resolve_native_cpu, target_names, without_duplicates,
};
pub use target::Target;

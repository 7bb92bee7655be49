//! The flags of `fornax verify`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Format, Hashes};
#[cfg(not(feature = "compiler"))]
use crate::commands::absent::Absent;

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct VerifyArgs {
    #[command(subcommand)]
    pub step: Option<VerifyStep>,
    #[cfg(feature = "compiler")]
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Subcommand, Debug)]
pub enum VerifyStep {
    /// Compile a model with the reference's operands and results of every dispatch, for one target
    #[cfg(feature = "compiler")]
    Prepare(Box<PrepareArgs>),
    /// Compile what is compared (this build has no compiler)
    #[cfg(not(feature = "compiler"))]
    #[command(hide = true, disable_help_flag = true)]
    Prepare(Absent),
    /// Compare a device with what `prepare` wrote
    Measure(MeasureArgs),
}

/// What is run.
#[cfg(feature = "compiler")]
#[derive(Args, Debug)]
pub struct ModelArgs {
    /// The model, or a folder that --reproducer wrote
    pub model: Option<PathBuf>,
    /// The function; may be left out when the model has one
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// One input, in order; those that are not given are random
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// Seed of random inputs: floats in -1..1, integers in 0..127
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// A size known only at run time, of random inputs: `--size=b=5`
    #[arg(long, value_name = "NAME=N")]
    pub size: Vec<String>,
    /// What to compile for [default: the device's own, for CPUs the widest of the
    /// default that this machine runs]
    #[arg(long, value_name = "BACKEND[:ARCH]")]
    pub target: Option<String>,
    /// As in `compile`
    #[arg(long, value_name = "MODE", default_value = "ieee")]
    pub f32_matmul: String,
    /// Kernels compiled at the same time [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Bytes of operands and results that are kept at most; what a run does behind them is not compared
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30)]
    pub room: u64,
}

#[cfg(feature = "compiler")]
#[derive(Args, Debug)]
pub struct PrepareArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The module to write
    #[arg(short, long, value_name = "FILE", default_value = "verify.fnx")]
    pub output: PathBuf,
}

/// How it is run and compared.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// Where to run [default: cpu]
    #[arg(long, value_name = "URI")]
    pub device: Option<String>,
    /// Relative tolerance, of all float types or of one: `1e-3`, `f32=1e-5`; repeatable. Without: f64 1e-9, f32 1e-4,
    /// f16 5e-3, bf16 3e-2, f8E5… 0.26, other small floats 0.13; sums also a twentieth of that of their largest result;
    /// all else exact
    #[arg(long, value_name = "[TYPE=]X")]
    pub tolerance: Vec<String>,
    /// Folder for a model of the first dispatch that differs, with its inputs and what was expected and found
    #[arg(long, value_name = "DIR")]
    pub reproducer: Option<PathBuf>,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct MeasureArgs {
    /// The module that `verify prepare` wrote
    pub module: PathBuf,
    /// When the module's hashes are checked: full (all before the first run, while loading goes on), lazy (each
    /// section's when it is first used), off
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Hashes::Full)]
    pub verify: Hashes,
    #[command(flatten)]
    pub run: RunArgs,
}

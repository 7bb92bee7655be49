//! Arguments of `fornax tune` and its steps.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[cfg(feature = "compiler")]
use super::CompileArgs;
use super::{Format, Hashes};
#[cfg(not(feature = "compiler"))]
use crate::commands::absent::Absent;

#[derive(Subcommand, Debug)]
pub enum TuneCommand {
    /// Compile every schedule of every distinct kernel of a model into a module of candidates, for one target
    #[cfg(feature = "compiler")]
    Prepare(Box<TunePrepareArgs>),
    /// Compile candidates (this build has no compiler)
    #[cfg(not(feature = "compiler"))]
    #[command(hide = true, disable_help_flag = true)]
    Prepare(Absent),
    /// Time the candidates on a device
    Measure(TuneMeasureArgs),
    /// Make a lock of the fastest
    Apply(TuneApplyArgs),
}

#[cfg(feature = "compiler")]
#[derive(Args, Debug)]
pub struct TunePrepareArgs {
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Schedules of one kind for each kernel, at most, the most promising ones [default: 24]
    #[arg(long, value_name = "N")]
    pub ways: Option<usize>,
    /// Only schedules whose names begin so: `wgmma`, `mma`, `gemv`, `window`, `attention`, `stream`
    #[arg(long, value_name = "START")]
    pub only: Option<String>,
}

#[derive(Args, Debug)]
pub struct TuneMeasureArgs {
    /// The module that `tune prepare` wrote
    pub module: PathBuf,
    /// Where to run [default: cuda]
    #[arg(long, value_name = "URI")]
    pub device: Option<String>,
    /// When the module's hashes are checked: full (all before the first run, while loading goes on), lazy (each
    /// section's when it is first used), off
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Hashes::Full)]
    pub verify: Hashes,
    /// The file of times to write
    #[arg(short, long, value_name = "FILE", default_value = "times.json")]
    pub output: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct TuneApplyArgs {
    /// Files that `tune measure` wrote
    #[arg(required = true)]
    pub times: Vec<PathBuf>,
    /// The lock to write
    #[arg(short, long, value_name = "FILE", default_value = "tuning.lock")]
    pub output: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

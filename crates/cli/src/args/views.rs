//! Arguments of the views of a module: `fornax check` and `fornax diff`.

use std::path::PathBuf;

use clap::Args;

use super::bench::parse_size;
use super::{Format, Hashes};

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The module file; or a checkpoint, a GGUF file or a folder, for the memory that its model would take
    #[arg(value_name = "MODULE", required_unless_present = "module")]
    pub file: Option<PathBuf>,
    /// The same
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub module: Option<PathBuf>,
    /// Only this device: cuda, cuda://0, cuda:0-3 (each of these), rocm, opencl, cpu, …; auto is the one that
    /// run-module --device=auto would take [default: every device of this machine]
    #[arg(long, value_name = "URI")]
    pub device: Option<String>,
    /// Only this function [default: all]
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// A size that the module leaves open, for the memory that a call needs (repeatable)
    #[arg(long, alias = "size", value_name = "NAME=N", value_parser = parse_size)]
    pub input_size: Vec<(String, u64)>,
    #[cfg(feature = "text")]
    #[command(flatten)]
    pub inference: InferenceArgs,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// What is asked of a language model.
#[cfg(feature = "text")]
#[derive(Args, Debug)]
#[command(next_help_heading = "Language models")]
pub struct InferenceArgs {
    /// Tokens of a text [default: those that the module was compiled for]
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..=CONTEXT_MAX))]
    pub context: Option<u64>,
    /// Texts at a time, each with caches of its own [default: as many as decode takes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=TEXTS_MAX))]
    pub batch: Option<u64>,
    /// Pages of 32 tokens that a checkpoint's caches have for all texts together [default: whole contexts]
    #[arg(long, value_name = "PAGES")]
    pub cache_pages: Option<u64>,
    /// The files that --parameters of a run would name; without them weights count as the module has them
    #[arg(long, value_name = "[SCOPE=]FILE")]
    pub parameters: Vec<String>,
    /// Type of what a checkpoint's products multiply: f32, bf16 or f16 [default: f32]
    #[arg(long, value_name = "TYPE")]
    pub compute_type: Option<String>,
    /// Devices that compute a checkpoint's model together; figures are those of each [default: 1]
    #[arg(long, value_name = "N")]
    pub tensor_parallel: Option<u64>,
    /// Type of a checkpoint's caches: f32, bf16, f16, f8 or int8 [default: that of --compute-type]
    #[arg(long, value_name = "TYPE")]
    pub cache_type: Option<String>,
}

/// Tokens of a text, and texts, at most.
#[cfg(feature = "text")]
const CONTEXT_MAX: u64 = 1 << 24;
#[cfg(feature = "text")]
const TEXTS_MAX: u64 = 4096;

#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The module file that was
    pub a: PathBuf,
    /// The module file that is
    pub b: PathBuf,
    /// Only this target
    #[arg(long, value_name = "ARCH")]
    pub target: Option<String>,
    /// Only this function [default: all]
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// A size that the modules leave open (repeatable) [default: 16, within its bounds]
    #[arg(long, alias = "size", value_name = "NAME=N", value_parser = parse_size)]
    pub input_size: Vec<(String, u64)>,
    /// Compare without running
    #[arg(long, conflicts_with_all = ["device", "input", "tolerance"])]
    pub no_run: bool,
    /// Where both run [default: the first device that can run both; if there is none, that is said, and no error]
    #[arg(long, value_name = "URI")]
    pub device: Option<String>,
    /// One input of the calls, in order; see `fornax run-module --help` [default: random]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// Files of named parameters for both: .safetensors, .gguf, .npz, or a folder; repeatable
    #[arg(long, value_name = "[SCOPE=]FILE")]
    pub parameters: Vec<String>,
    /// Seed of random inputs: floats in -1..1, integers in 0..127
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Relative tolerance of floats, of all or of one type (f32=1e-5), repeatable [default: by type, f32 1e-4]
    #[arg(long, value_name = "[TYPE=]X")]
    pub tolerance: Vec<String>,
    /// Seconds to measure each module for
    #[arg(long, value_name = "S", default_value_t = 0.3)]
    pub seconds: f64,
    /// When the modules' hashes are checked: full, lazy, off
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Hashes::Full)]
    pub verify: Hashes,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

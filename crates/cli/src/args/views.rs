//! Arguments of the views of a module: `fornax check` and `fornax diff`.

use std::path::PathBuf;

use clap::Args;

use super::bench::parse_size;
use super::{Format, Hashes};

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The module file
    pub module: PathBuf,
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
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

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

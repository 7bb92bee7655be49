//! Arguments of the views of a module: `fornax check` and `fornax diff`.

use std::path::PathBuf;

use clap::Args;

use super::Format;
use super::bench::parse_size;

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The module file
    pub module: PathBuf,
    /// Only this device: cuda, cuda://0, rocm, opencl, cpu, … [default: every device of this machine]
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

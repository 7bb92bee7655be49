//! Arguments of `fornax bench`.

use clap::Args;

use super::{Format, ModuleArgs};

#[derive(Args, Debug)]
pub struct BenchArgs {
    #[command(flatten)]
    pub module: ModuleArgs,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Seconds to measure for
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub seconds: f64,
    /// Calls at least
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub min_calls: usize,
    /// Also each kernel: its time against a copy of as many bytes and the peak of its arithmetic, what it takes of the
    /// device, and why it was made as it is
    #[arg(long)]
    pub kernels: bool,
}

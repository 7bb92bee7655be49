//! Arguments of `fornax bench`.

use std::path::PathBuf;

use clap::Args;

use super::{Collectives, Format, ModuleArgs};

#[derive(Args, Debug)]
pub struct BenchArgs {
    #[command(flatten)]
    pub module: ModuleArgs,
    /// The devices of a module made for several, one each: cuda:0-1. Measured are calls that all begin together, and
    /// what its collectives take; in --input, `{device}` stands for a device's number
    #[arg(
        long,
        value_name = "URIS",
        conflicts_with_all = ["device", "fallback", "kernels", "trace", "threads", "size"]
    )]
    pub devices: Option<String>,
    /// With --devices: by what GPUs exchange buffers, as in run-module
    #[arg(long, value_enum, value_name = "BY", default_value = "auto")]
    pub collectives: Collectives,
    /// With --devices: seconds after which a device gives up waiting for another one
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub collective_timeout: f64,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Seconds to measure for; `inf` until Ctrl-C, which ends any measurement and prints what it has so far. A second
    /// of products can bring a GPU to its power cap, which lowers its clock
    #[arg(long, value_name = "S", default_value_t = 0.2)]
    pub seconds: f64,
    /// Calls at least
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub min_calls: usize,
    /// Calls before the clock starts; with 0 the first call counts too [default: for a tenth of --seconds, 3 at least]
    #[arg(long, value_name = "N")]
    pub warmup: Option<u32>,
    /// Threads of CPU devices [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// A size that the module leaves open, for inputs that bench makes itself (repeatable)
    #[arg(long, value_name = "NAME=N", value_parser = parse_size, conflicts_with = "input")]
    pub size: Vec<(String, u64)>,
    /// Items in a call, for items/s [default: the first size of all inputs and outputs, if it is the same]
    #[arg(long, value_name = "N")]
    pub items: Option<u64>,
    /// What an item is called in the report: `--items=512 --unit=tok` prints tok/s
    #[arg(long, value_name = "WORD", default_value = "items")]
    pub unit: String,
    /// Also each kernel: its time against a copy of as many bytes and the peak of its arithmetic, what it takes of the
    /// device, and why it was made as it is
    #[arg(long)]
    pub kernels: bool,
    /// Also trace loading, one call from host tensors and three on the device, apart from what is measured, for
    /// ui.perfetto.dev (Chrome trace events, JSON)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// `batch=4`.
pub(super) fn parse_size(text: &str) -> Result<(String, u64), String> {
    let (name, size) = text.split_once('=').ok_or("a size is NAME=N")?;
    let size = size.trim().parse().map_err(|_| format!("`{}` is no size", size.trim()))?;
    match name.trim() {
        "" => Err("a size is NAME=N".to_string()),
        name => Ok((name.to_string(), size)),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("batch=4"), Ok(("batch".to_string(), 4)));
        for wrong in ["batch", "=4", "batch=", "batch=-1", "batch=x"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}

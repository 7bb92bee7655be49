//! Arguments of `fornax inspect`.

use std::path::PathBuf;

use clap::Args;

use super::Format;
use super::bench::parse_size;

#[derive(Args, Debug)]
pub struct InspectArgs {
    /// The module file, or a code object for AMD (.hsaco); with --why also a model
    pub module: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Only this target's kernels and plan; of a model with --why, what to compile for, as `compile --target` has it
    #[arg(long, value_name = "ARCH")]
    pub target: Option<String>,
    /// Also the main loop of every ROCm kernel and, by LLVM's scheduling model, its cycles and those of the matrix unit
    /// (needs llvm-objdump and llvm-mca)
    #[arg(long)]
    pub loops: bool,
    /// Why neighbouring ops are computed by one kernel or by two, and why kernels have their schedules: of all kernels,
    /// or of those with KERNEL in their names; of a model, or of a module compiled with --remarks
    #[arg(
        long,
        value_name = "KERNEL",
        num_args = 0..=1,
        default_missing_value = "",
        require_equals = true,
        conflicts_with_all = ["report", "loops"]
    )]
    pub why: Option<String>,
    /// After `--`: how a model is compiled for --why, in the flags of `fornax compile`: `-- --f32-matmul=tf32`
    #[arg(last = true, value_name = "FLAGS", requires = "why")]
    pub compile: Vec<String>,
    /// Write one self-contained HTML page instead: graph, kernels, roofline, memory over time
    #[arg(long, value_name = "FILE.html", conflicts_with = "loops")]
    pub report: Option<PathBuf>,
    /// In the report: times of kernels, measured now on --device
    #[arg(long, requires = "report", conflicts_with = "bench")]
    pub measure: bool,
    /// In the report: times of kernels that `fornax bench --kernels --format=json` printed into this file
    #[arg(long, value_name = "FILE.json", requires = "report")]
    pub bench: Option<PathBuf>,
    /// In the report: a size that the module leaves open (repeatable); the page can change it
    #[arg(long, value_name = "NAME=N", value_parser = parse_size, requires = "report")]
    pub size: Vec<(String, u64)>,
    /// Where to measure [default: cpu]
    #[arg(long, value_name = "URI", requires = "measure")]
    pub device: Option<String>,
    /// The function to measure; may be left out when the module has one
    #[arg(long, value_name = "NAME", requires = "measure")]
    pub function: Option<String>,
    /// One input of the measured call, in order [default: random]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, requires = "measure")]
    pub input: Vec<String>,
    /// Files of named parameters for the measured call: .safetensors, .gguf, .npz, or a folder; repeatable
    #[arg(long, value_name = "[SCOPE=]FILE", requires = "measure")]
    pub parameters: Vec<String>,
}

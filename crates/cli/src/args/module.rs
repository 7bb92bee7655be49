//! Arguments of `fornax run-module`, and those that every command on a module shares.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fornax_runtime::hal::Transport;

use super::{Format, Hashes};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum CommandBuffer {
    Auto,
    Direct,
    Stream,
    Graph,
}

/// What may stand in for a missing device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fallback {
    Cpu,
}

/// Where a process learns which device of a run it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Launcher {
    Env,
}

/// By what GPUs exchange buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Collectives {
    #[default]
    Auto,
    Own,
    Nccl,
}

impl From<Collectives> for Transport {
    fn from(collectives: Collectives) -> Transport {
        match collectives {
            Collectives::Auto => Transport::Auto,
            Collectives::Own => Transport::Own,
            Collectives::Nccl => Transport::Nccl,
        }
    }
}

#[derive(Args, Debug)]
pub struct ModuleArgs {
    /// The module file
    #[arg(long, value_name = "FILE")]
    pub module: Option<PathBuf>,
    /// Where to run: cuda, cuda://0, cuda:0-3 (one of these), `cuda://GPU-<uuid>`, rocm, opencl, cpu, null (also
    /// local-sync, local-task); auto takes the first that can be used and for which the module holds an image, in the
    /// order cuda, rocm, opencl, cpu, and says which [default: cpu]
    #[arg(long, value_name = "URI")]
    pub device: Option<String>,
    /// Where the device asked for is missing, run here instead, and say so; without the flag that is an error
    #[arg(long, value_enum, value_name = "DEVICE")]
    pub fallback: Option<Fallback>,
    /// How commands reach the device: auto, direct (one by one; on CUDA with a wait after each, so that an error names
    /// its command), stream (one by one), graph (recorded at the second call); on ROCm and OpenCL `direct` is the only
    /// one
    #[arg(long, value_enum, value_name = "KIND", default_value_t = CommandBuffer::Auto)]
    pub command_buffer: CommandBuffer,
    /// The function to run; may be left out when the module has one
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// One input, in order; see INPUT FORMAT
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// Files of named parameters: .safetensors, .gguf, .npz, or a folder; repeatable
    #[arg(long, value_name = "[SCOPE=]FILE")]
    pub parameters: Vec<String>,
    /// When the module's hashes are checked: full (all before the first run, while loading goes on), lazy (each
    /// section's when it is first used), off
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Hashes::Full)]
    pub verify: Hashes,
    /// One output, in order: @file.npy, @file.bin, +file.npy (append), `-` (print)
    #[arg(long, value_name = "TARGET", allow_hyphen_values = true)]
    pub output: Vec<String>,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub module: ModuleArgs,
    /// The devices of a module made for several, one each: cpu:0-7 are eight that share the processor. In --input and
    /// --output, `{device}` stands for a device's number
    #[arg(long, value_name = "URIS", conflicts_with_all = ["device", "fallback", "batch", "trace"])]
    pub devices: Option<String>,
    /// This process is one device of a module made for several, which a launcher started: `env` takes its number from
    /// the variables of torchrun, Open MPI, PMI, PMIx or Slurm. `{device}` stands for the number
    #[arg(long, value_enum, value_name = "FROM", conflicts_with_all = ["devices", "fallback", "batch", "trace"])]
    pub launcher: Option<Launcher>,
    /// With --devices and --launcher: seconds after which a device gives up waiting for another one
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub collective_timeout: f64,
    /// With --devices and --launcher: by what GPUs exchange buffers. `own` are kernels of the runtime, for GPUs of this
    /// process that reach each other's memory; `nccl` is NCCL (RCCL on AMD GPUs); `auto` is `own` where that can be
    #[arg(long, value_enum, value_name = "BY", default_value = "auto")]
    pub collectives: Collectives,
    /// What each output must be; exit code 6 and the first difference if one is not
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub expected_output: Vec<String>,
    /// Absolute and relative tolerance for f16 outputs
    #[arg(long, value_name = "X", default_value_t = 1e-3)]
    pub expected_f16_threshold: f64,
    /// … for bf16 outputs
    #[arg(long, value_name = "X", default_value_t = 1e-2)]
    pub expected_bf16_threshold: f64,
    /// … for f32 outputs
    #[arg(long, value_name = "X", default_value_t = 1e-4)]
    pub expected_f32_threshold: f64,
    /// … for f64 outputs
    #[arg(long, value_name = "X", default_value_t = 1e-4)]
    pub expected_f64_threshold: f64,
    /// Elements of an output to print at most
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub output_max_element_count: usize,
    /// Same as `fornax list-devices [DRIVER]`
    #[arg(long, value_name = "DRIVER", num_args = 0..=1, default_missing_value = "")]
    pub list_devices: Option<String>,
    /// Same as `fornax list-drivers`
    #[arg(long)]
    pub list_drivers: bool,
    /// Form of what is printed: text, or json for one object with outputs and times
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    pub format: Format,
    /// Print the time of loading, upload, kernels and download
    #[arg(long)]
    pub timing: bool,
    /// Write a trace of what host and device did, and when, for ui.perfetto.dev (Chrome trace events, JSON)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Call N times more with the same inputs. An output that has other bits then is an error, which names the first
    /// launch whose result differs
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = ["devices", "launcher"])]
    pub repeats: u32,
    /// Layout of iree-run-module
    #[arg(long, hide = true)]
    pub iree_output: bool,
    /// Many runs in one process: each line of FILE holds the flags of one as a JSON array of strings; prints a line a
    /// run, `run N: ok` or `run N: exit CODE: error`
    #[arg(long, value_name = "FILE", conflicts_with = "module")]
    pub batch: Option<PathBuf>,
    /// Refuse a call that would take more device memory (inputs, outputs, intermediates and weights): bytes, or with a
    /// unit (`64MiB`, `2G`, `1.5GB`)
    #[arg(long, value_name = "BYTES", value_parser = crate::byte_count::parse)]
    pub max_memory: Option<u64>,
}

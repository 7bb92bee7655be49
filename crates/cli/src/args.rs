//! The command line: subcommands and flags, their help, the help on input formats.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::verify::args::VerifyArgs;

/// The part of `--help` on inputs and exit codes.
fn input_help() -> String {
    format!("INPUT FORMAT\n{}\n\n{EXIT_CODES}", fornax_runtime::tensor::parse::GRAMMAR)
}

const EXIT_CODES: &str = "\
EXIT CODES
  0 success   1 usage or input   2 bad module   3 device or architecture not supported
  4 out of memory   5 device lost   6 outputs differ from --expected-output, or `verify` found a difference";

#[derive(Parser, Debug)]
#[command(
    name = "fornax",
    version,
    about = "Ahead-of-time compiler and runtime for tensor programs",
    max_term_width = 120
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Say more on stderr (repeat for more)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Compile a model into one module file
    #[cfg(feature = "compiler")]
    Compile(Box<CompileArgs>),
    /// Run a function of a module
    #[command(after_long_help = input_help())]
    RunModule(RunArgs),
    /// Time a function of a module
    #[command(after_long_help = input_help())]
    Bench(BenchArgs),
    /// Choose schedules by measuring: prepare, measure, apply; then `compile --tuning=FILE`
    #[command(subcommand)]
    Tune(TuneCommand),
    /// Compare a device with the reference evaluator, dispatch by dispatch; `prepare` and `measure` do it on two machines
    #[command(after_long_help = input_help())]
    Verify(Box<VerifyArgs>),
    /// Print the devices of this machine, one URI a line
    ListDevices(ListDevicesArgs),
    /// Print the drivers, and why one is unavailable
    ListDrivers(ListDriversArgs),
    /// Say what of this build and this machine can run modules, and why something cannot
    Doctor,
    /// Print the architectures and products that --cuda-target, --rocm-target, --opencl-target and --cpu-target take
    ListTargets(ListTargetsArgs),
    /// Show what a module holds
    Inspect(InspectArgs),
    /// Say what an error code means; without one, print the table of all
    Explain { code: Option<String> },
    /// Print a shell completion script
    Completions { shell: clap_complete::Shell },
    /// Compile kernels on behalf of another process (internal)
    #[cfg(feature = "compiler")]
    #[command(hide = true, name = "codegen-worker")]
    CodegenWorker,
}

#[derive(Subcommand, Debug)]
pub enum TuneCommand {
    /// Compile every schedule of every distinct contraction of a model into a module of candidates, for one target
    #[cfg(feature = "compiler")]
    Prepare(Box<TunePrepareArgs>),
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
    /// Schedules of one kind of kernel for each contraction, at most, the most promising ones [default: 24]
    #[arg(long, value_name = "N")]
    pub ways: Option<usize>,
    /// Only schedules whose names begin so: `warpgroup`, `matrix`, `skinny`, `window`, `attention`, `stream`
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
    /// The file of times to write
    #[arg(short, long, value_name = "FILE", default_value = "times.json")]
    pub output: PathBuf,
}

#[derive(Args, Debug)]
pub struct TuneApplyArgs {
    /// Files that `tune measure` wrote
    #[arg(required = true)]
    pub times: Vec<PathBuf>,
    /// The lock to write
    #[arg(short, long, value_name = "FILE", default_value = "tuning.lock")]
    pub output: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum CommandBuffer {
    Auto,
    Direct,
    Stream,
    Graph,
}

#[cfg(feature = "compiler")]
#[derive(Args, Debug)]
pub struct CompileArgs {
    /// The model: StableHLO, linalg or TOSA, MLIR text or bytecode (`-` reads stdin)
    #[arg(required_unless_present_any = ["print_target", "list_target_backends"])]
    pub input: Option<PathBuf>,
    /// The module file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Backends to compile for: cuda, rocm, opencl, cpu (comma-separated, repeatable) [default: cpu]
    #[arg(long, value_name = "LIST", value_delimiter = ',', alias = "device")]
    pub target_backends: Vec<String>,
    /// CUDA architectures, code names or products: sm_80, ampere, rtx3090 [default: sm_60]; sm_90, hopper and h200 give sm_90a
    /// and, for other devices, sm_80 as PTX
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cuda_target: Vec<String>,
    /// ROCm architectures, code names or products: gfx908, cdna3, mi300x [default: gfx908]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub rocm_target: Vec<String>,
    /// Version of ROCm code objects: 4, 5 or 6 [default: 5, and 6 for generic families]
    #[arg(long, value_name = "N")]
    pub rocm_code_object_version: Option<u32>,
    /// Let ROCm kernels call the mathematical functions of AMD's device library, and link it
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub rocm_link_bc: Option<bool>,
    /// Where AMD's device library is: the folder of ocml.bc
    #[arg(long, value_name = "DIR", default_value = "/opt/rocm/amdgcn/bitcode")]
    pub rocm_bc_dir: PathBuf,
    /// Kinds of OpenCL devices, with settings: spirv64, spirv64+fp16, spirv64+subgroup16, xe-hpg [default: spirv64]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub opencl_target: Vec<String>,
    /// CPU architectures: x86-64-v3, x86-64-v4, znver4, neoverse-v1, native [default: x86-64-v3]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cpu_target: Vec<String>,
    /// Short form of backend and architecture, repeatable: cuda:a100, rocm:mi300x, opencl, cpu
    #[arg(long, value_name = "BACKEND[:ARCH]")]
    pub target: Vec<String>,
    /// Stop after a phase and print or write its result: import, simplify, fuse, schedule, emit, codegen, pack
    #[arg(long, value_name = "PHASE")]
    pub compile_to: Option<String>,
    /// Write every phase, every kernel's MLIR, LLVM IR and assembly into a folder
    #[arg(long, value_name = "DIR")]
    pub dump_ir_to: Option<PathBuf>,
    /// Print what the target names mean and stop
    #[arg(long)]
    pub print_target: bool,
    /// Print the backends of this build and stop
    #[arg(long)]
    pub list_target_backends: bool,
    /// Add a cubin made by ptxas: `true` insists, `false` never; without the flag, when ptxas is found
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub cuda_use_ptxas: Option<bool>,
    /// The ptxas to use
    #[arg(long, value_name = "FILE")]
    pub ptxas: Option<PathBuf>,
    /// Arguments that become named parameters: `1..`, `1..5,7` (named arg1, arg2, …)
    #[arg(long, value_name = "RANGES", conflicts_with = "parameters_from")]
    pub parameter_args: Option<String>,
    /// Named parameters by an argument manifest (JSON; entries of kind `weight` become parameters)
    #[arg(long, value_name = "FILE")]
    pub parameters_from: Option<PathBuf>,
    /// Least accuracy of products of f32 values: ieee, tf32, 3xtf32 or bf16x9; an op that asks for more gets more
    #[arg(long, value_name = "MODE", default_value = "ieee")]
    pub f32_matmul: String,
    /// Schedules found by `fornax tune`, before those that ship with the compiler
    #[arg(long, value_name = "FILE")]
    pub tuning: Option<PathBuf>,
    /// Dialect of the input: auto, stablehlo, linalg or tosa
    #[arg(long, value_name = "DIALECT", default_value = "auto")]
    pub input_type: String,
    /// Kernels compiled at the same time [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Compile kernels in this process (a backend's fatal error then ends it)
    #[arg(long, hide = true)]
    pub in_process: bool,
    /// No progress, no notes
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args, Debug)]
pub struct ModuleArgs {
    /// The module file
    #[arg(long, value_name = "FILE")]
    pub module: Option<PathBuf>,
    /// Where to run: cuda, cuda://0, cuda://GPU-<uuid>, rocm, opencl, cpu, null (also local-sync, local-task) [default: cpu]
    #[arg(long, value_name = "URI")]
    pub device: Option<String>,
    /// How commands reach the device: auto, direct (one by one; on CUDA with a wait after each, so that an error names its
    /// command), stream (one by one), graph (recorded at the second call); on ROCm and OpenCL `direct` is the only one
    #[arg(long, value_enum, value_name = "KIND", default_value_t = CommandBuffer::Auto)]
    pub command_buffer: CommandBuffer,
    /// The function to run; may be left out when the module has one
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// One input, in order; see INPUT FORMAT
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// Files of named parameters: .safetensors or .npz, repeatable
    #[arg(long, value_name = "[SCOPE=]FILE")]
    pub parameters: Vec<String>,
    /// One output, in order: @file.npy, @file.bin, +file.npy (append), `-` (print)
    #[arg(long, value_name = "TARGET", allow_hyphen_values = true)]
    pub output: Vec<String>,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub module: ModuleArgs,
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
    /// Print the time of loading, upload, kernels and download
    #[arg(long)]
    pub timing: bool,
    /// Many runs in one process: each line of FILE holds the flags of one as a JSON array of strings; prints a line a run,
    /// `run N: ok` or `run N: exit CODE: error`
    #[arg(long, value_name = "FILE", conflicts_with = "module")]
    pub batch: Option<PathBuf>,
    /// Refuse a call that would take more device memory (inputs, outputs, intermediates and weights): bytes, or with a unit (`64MiB`,
    /// `2G`, `1.5GB`)
    #[arg(long, value_name = "BYTES", value_parser = crate::byte_count::parse)]
    pub max_memory: Option<u64>,
}

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

#[derive(Args, Debug)]
pub struct ListDevicesArgs {
    /// Only devices of this driver
    pub driver: Option<String>,
    /// text or json (with names, architectures, memory)
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct ListDriversArgs {
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct ListTargetsArgs {
    /// Only this backend
    pub backend: Option<String>,
}

#[derive(Args, Debug)]
pub struct InspectArgs {
    /// The module file, or a code object for AMD (.hsaco)
    pub module: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Only this target's kernels and plan
    #[arg(long, value_name = "ARCH")]
    pub target: Option<String>,
    /// Also the main loop of every ROCm kernel and, by LLVM's scheduling model, its cycles and those of the matrix unit (needs
    /// llvm-objdump and llvm-mca)
    #[arg(long)]
    pub loops: bool,
}

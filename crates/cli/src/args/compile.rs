//! Arguments of `fornax compile`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;
use super::checkpoint::{CheckpointArgs, OnnxArgs};
use super::passes::PassArgs;

/// What `compile` writes; crates/cli/src/emit says what each is.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmitKind {
    Module,
    C,
    Rust,
    Exe,
}

#[derive(Args, Debug)]
pub struct CompileArgs {
    /// The model: StableHLO, linalg or TOSA, MLIR text or bytecode (`-` reads stdin); an ONNX file; or a checkpoint
    /// of a language model: a GGUF file, or a folder with config.json and .safetensors files
    #[arg(required_unless_present_any = ["print_target", "list_target_backends", "print_passes"])]
    pub input: Option<PathBuf>,
    /// The module file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What to write: module; c (NAME.h and NAME.o to link, functions in C); rust (a crate with methods, in a folder);
    /// exe (a program of its own, which takes the flags of `run-module`)
    #[arg(long, value_name = "KIND", value_enum, default_value_t = EmitKind::Module, hide_possible_values = true)]
    pub emit: EmitKind,
    /// The program that --emit=exe puts the module behind [default: this one; a runtime-only `fornax` is far smaller]
    #[arg(long, value_name = "FILE")]
    pub emit_runtime: Option<PathBuf>,
    /// Backends to compile for: cuda, rocm, opencl, cpu (comma-separated, repeatable) [default: cpu]
    #[arg(long, value_name = "LIST", value_delimiter = ',', alias = "device")]
    pub target_backends: Vec<String>,
    /// CUDA architectures, code names or products: sm_80, ampere, rtx3090 [default: sm_60]; sm_90, hopper and h200 give
    /// sm_90a and, for other devices, sm_80 as PTX
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
    /// CPU architectures: x86-64-v3, x86-64-v4, znver4, neoverse-v1, native [default: x86-64-v3,x86-64-v4; the widest
    /// that the machine runs is taken]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cpu_target: Vec<String>,
    /// Short form of backend and architecture, comma-separated, repeatable: cuda:a100, rocm:mi300x, opencl, cpu
    #[arg(long, value_name = "BACKEND[:ARCH],…")]
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
    /// Form of --print-target and --list-target-backends: text or json
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    pub format: Format,
    /// Spend a sixth less time on code for processors, which is up to a seventh slower: LLVM runs fewer passes
    /// [default: false]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub quick: Option<bool>,
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
    /// Arguments that are weights, by number or by the exporter's name: `1..`, `0,2..5`, `params`; `auto` goes by the
    /// exporter's names. What depends on them alone is prepared once, when the module is loaded. A run gives them among
    /// its inputs, or by --parameters
    #[arg(long, value_name = "LIST")]
    pub weights: Option<String>,
    /// Arguments that the caller gives away: `0`, `2..5,7`. An output may then lie in the buffer of an argument, and a
    /// cache is updated where it is
    #[arg(long, value_name = "RANGES")]
    pub donate: Option<String>,
    /// Least accuracy of products of f32 values: ieee, tf32, 3xtf32 or bf16x9; an op that asks for more gets more
    #[arg(long, value_name = "MODE", default_value = "ieee")]
    pub f32_matmul: String,
    /// Schedules found by `fornax tune`, before those that ship with the compiler
    #[arg(long, value_name = "FILE")]
    pub tuning: Option<PathBuf>,
    /// Demand how matrix products, windows and attention are scheduled, by the beginning of a schedule's name: mma,
    /// wgmma, gemv, stream, window, attention, tile, panel (`fornax inspect` shows whole names); an error where
    /// that cannot be
    #[arg(long, value_name = "NAME")]
    pub schedule: Option<String>,
    /// An entry of the module's provenance, for people and tools: `git.commit=1bb51aa0` (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = provenance)]
    pub provenance: Vec<(String, String)>,
    /// Dialect of the input: auto, stablehlo, linalg or tosa
    #[arg(long, value_name = "DIALECT", default_value = "auto")]
    pub input_type: String,
    /// Kernels compiled at the same time [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Keep compiled kernels in a folder, and compile only those that it has not; `off` keeps none [default: what
    /// FORNAX_KERNEL_STORE says, else off]; FORNAX_KERNEL_STORE_BYTES is what they may take, 1 GiB by default
    #[arg(long, value_name = "DIR")]
    pub kernel_store: Option<PathBuf>,
    /// Compile kernels in this process (a backend's fatal error then ends it)
    #[arg(long, hide = true)]
    pub in_process: bool,
    #[command(flatten)]
    pub checkpoint: CheckpointArgs,
    #[command(flatten)]
    pub onnx: OnnxArgs,
    #[command(flatten)]
    pub passes: PassArgs,
}

/// An entry of the provenance; the compiler's own has no other value.
fn provenance(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    match key {
        "compiler" => Err("`compiler` is what the compiler says of itself: choose another key".to_string()),
        _ if key.is_empty() || !key.chars().all(plain) => {
            Err(format!("a key is letters, digits, dots, `_` and `-`, not {key:?}"))
        }
        _ => Ok((key.to_string(), value.to_string())),
    }
}

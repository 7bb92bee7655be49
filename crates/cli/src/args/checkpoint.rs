//! Arguments for checkpoints of language models and encoders, for ONNX models, and those of `fornax import`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
#[command(next_help_heading = "Checkpoints")]
pub struct CheckpointArgs {
    /// Tokens that the caches of a checkpoint's model hold, or a text of an encoder has at most [default: the model's
    /// own, at most 2048]
    #[arg(long, value_name = "TOKENS")]
    pub context: Option<u64>,
    /// Tokens that @prefill of a checkpoint's model takes at a time [default: 128 for a GPU, 32 where the module is for
    /// processors alone]
    #[arg(long, value_name = "TOKENS")]
    pub chunk: Option<u64>,
    /// Tokens that @prefill_long takes at a time, where a prompt has as many: a multiple of --chunk; 0 for a model
    /// without it [default: 512 for a GPU, 256 where the module is for processors alone]
    #[arg(long, value_name = "TOKENS")]
    pub long_chunk: Option<u64>,
    /// Texts that @decode of a checkpoint's model adds a token to at a time, each with caches of its own
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub batch: u64,
    /// Pages of 32 tokens that the caches of all texts of a checkpoint's model have together, instead of the whole
    /// context for each text of --batch
    #[arg(long, value_name = "PAGES")]
    pub cache_pages: Option<u64>,
    /// Tokens that `generate --speculate` and its kin can guess ahead of a checkpoint's model: compiles @verify, which
    /// takes one more
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub speculate: u64,
    /// Devices that compute a checkpoint's model together, each with its part of the weights and caches
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub tensor_parallel: u64,
    /// Type of what a checkpoint's products multiply: f32, bf16 or f16
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    pub compute_type: String,
    /// Type of the caches of a checkpoint's model: f32, bf16, f16, or f8 or int8 with a scale for each head and
    /// position [default: that of --compute-type]
    #[arg(long, value_name = "TYPE")]
    pub cache_type: Option<String>,
    /// What products of a checkpoint's E4M3 matrices multiply: f8 (E4M3 with a scale for each token), float (that of
    /// --compute-type), or as-stored, what the folder's settings say
    #[arg(long, value_name = "TYPE", default_value = "as-stored")]
    pub activation_type: String,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "ONNX models")]
pub struct OnnxArgs {
    /// An input of an ONNX model that is known: `NAME=1,2,3`, its elements in order. It becomes a constant; repeatable
    #[arg(long, value_name = "NAME=VALUES")]
    pub fix_input: Vec<String>,
    /// A size of an ONNX model's inputs, by its name or its input's and its axis: `batch=4`, `x.0=4`; repeatable
    #[arg(long, value_name = "NAME=SIZE")]
    pub fix_size: Vec<String>,
    /// Length of an input of an ONNX model that is a sequence. It becomes as many inputs: NAME.0, NAME.1, …; repeatable
    #[arg(long, value_name = "NAME=LENGTH")]
    pub sequence_length: Vec<String>,
}

#[derive(Args, Debug)]
pub struct ImportArgs {
    /// The model: MLIR text or bytecode, an ONNX file, a GGUF file, or a folder with config.json and .safetensors files
    pub input: PathBuf,
    /// Write the text into a file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print StableHLO text; the only form there is
    #[arg(long)]
    pub emit_mlir: bool,
    #[command(flatten)]
    pub checkpoint: CheckpointArgs,
    #[command(flatten)]
    pub onnx: OnnxArgs,
}

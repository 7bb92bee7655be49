//! Arguments of `fornax quantize` and `fornax perplexity`.

use std::path::PathBuf;

use clap::Args;

use super::Format;
#[cfg(feature = "text")]
use super::LanguageModelArgs;

#[derive(Args, Debug)]
pub struct QuantizeArgs {
    /// The checkpoint, of floats: a GGUF file, or a folder with config.json and .safetensors files
    pub input: PathBuf,
    /// The GGUF file to write; with --type=fp8 the folder
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Kind of the matrices: q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k, q6_k, f32, f16, bf16; or fp8, of a folder
    #[arg(long = "type", value_name = "KIND")]
    pub kind: String,
    /// With --type=fp8, what products of the matrices multiply: float, or f8, which the folder's settings then ask for:
    /// E4M3 with a scale for each token
    #[arg(long, value_name = "TYPE", default_value = "float")]
    pub activation_type: String,
    /// With --type=fp8, the last matrix too, where that is none of the embedding: less to read for each token
    #[arg(long)]
    pub last_matrix: bool,
    /// A text by which both checkpoints are measured: each is compiled for this machine's processor, and the perplexity
    /// of the text printed
    #[arg(long, value_name = "FILE")]
    pub text_file: Option<PathBuf>,
    /// Tokens of the text that are looked at, at most
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub max_tokens: usize,
    /// text: a table with a line for each tensor; or json, one object
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    pub format: Format,
}

#[cfg(feature = "text")]
#[derive(Args, Debug)]
pub struct PerplexityArgs {
    #[command(flatten)]
    pub model: LanguageModelArgs,
    /// The text (`-` reads stdin)
    #[arg(long, value_name = "FILE")]
    pub text_file: PathBuf,
    /// Tokens of the text that are looked at, at most
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub max_tokens: usize,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    pub format: Format,
}

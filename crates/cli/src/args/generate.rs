//! Arguments of `fornax generate` and `fornax chat`, and those that every command on a language model shares.

use std::path::PathBuf;

use clap::Args;

use super::{Collectives, CommandBuffer, DraftArgs, Fallback, Format, Hashes, ModuleArgs};

/// A language model, its words, and where it runs.
#[derive(Args, Debug)]
pub struct LanguageModelArgs {
    /// The module that a checkpoint was compiled to (`fornax compile CHECKPOINT`)
    #[arg(long, value_name = "FILE")]
    pub module: PathBuf,
    /// The checkpoint that it was compiled from: a GGUF file, or a folder; repeatable
    #[arg(long, value_name = "[SCOPE=]FILE")]
    pub parameters: Vec<String>,
    /// Where words and the chat template come from: a GGUF file, a tokenizer.json, or a folder [default: the first
    /// --parameters]
    #[arg(long, value_name = "FILE")]
    pub tokenizer: Option<PathBuf>,
    /// Where to run: cuda, rocm, opencl, cpu, …; auto takes the first that can be used [default: cpu]
    #[arg(long, value_name = "URI")]
    pub device: Option<String>,
    /// Where the device asked for is missing, run here instead, and say so
    #[arg(long, value_enum, value_name = "DEVICE")]
    pub fallback: Option<Fallback>,
    /// The devices of a module compiled for several (`compile --tensor-parallel`), one each: cuda:0-1; cpu:0-1 are two
    /// that share the processor [default: the first ones of --device]
    #[arg(long, value_name = "URIS", conflicts_with_all = ["device", "fallback"])]
    pub devices: Option<String>,
    /// Devices that the module must be compiled for
    #[arg(long, value_name = "N")]
    pub tensor_parallel: Option<u32>,
    /// By what several GPUs exchange buffers: `own` kernels of the runtime, `nccl` (RCCL on AMD GPUs), or `auto`
    #[arg(long, value_enum, value_name = "BY", default_value = "auto")]
    pub collectives: Collectives,
}

/// How a text is made.
#[derive(Args, Debug)]
pub struct SamplingArgs {
    /// What the model is told to be, before the first message
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// Tokens to make at most
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_tokens: usize,
    /// Logits are divided by it; 0 takes the likeliest token
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    pub temperature: f32,
    /// Draw from so many of the likeliest tokens; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub top_k: usize,
    /// Draw from the likeliest tokens that together have this probability
    #[arg(long, value_name = "P", default_value_t = 1.0)]
    pub top_p: f32,
    /// Draw from the tokens with this part of the likeliest one's probability
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    pub min_p: f32,
    /// Make tokens that stand in the text less likely; 1 does not
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub repetition_penalty: f32,
    /// The same seed draws the same text
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Only JSON of this schema: its text, or @FILE; {} for any JSON
    #[arg(long, value_name = "SCHEMA")]
    pub json_schema: Option<String>,
    /// A word that ends the text (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub stop: Vec<String>,
}

/// Likeliest tokens that are said of each token at most, as in OpenAI's API.
const TOP_MAX: u64 = 20;

#[derive(Args, Debug)]
pub struct GenerateArgs {
    #[command(flatten)]
    pub model: LanguageModelArgs,
    /// What to answer (repeatable: as many at a time as the module was compiled for by --batch)
    #[arg(long, value_name = "TEXT", required_unless_present = "prompt_file", conflicts_with = "prompt_file")]
    pub prompt: Vec<String>,
    /// A file with what to answer (`-` reads stdin); of a .jsonl file each line is a prompt: a string, or an object
    /// with `prompt`
    #[arg(long, value_name = "FILE")]
    pub prompt_file: Option<PathBuf>,
    /// Continue the prompt as it is: no chat template
    #[arg(long, conflicts_with = "system")]
    pub raw: bool,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    #[command(flatten)]
    pub draft: DraftArgs,
    /// Say how likely each token was, with so many of the likeliest; with --format=json
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=TOP_MAX))]
    pub logprobs: Option<u64>,
    /// text, as it is made; or json, one object a prompt at the end
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct ChatArgs {
    #[command(flatten)]
    pub model: LanguageModelArgs,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    #[command(flatten)]
    pub draft: DraftArgs,
}

impl LanguageModelArgs {
    /// As the arguments that commands on modules share.
    pub fn module_args(&self) -> ModuleArgs {
        ModuleArgs {
            module: Some(self.module.clone()),
            device: self.device.clone(),
            fallback: self.fallback,
            command_buffer: CommandBuffer::Auto,
            function: None,
            input: Vec::new(),
            parameters: self.parameters.clone(),
            verify: Hashes::Full,
            output: Vec::new(),
        }
    }
}

//! The command line: subcommands and flags, their help, the help on input formats. One file a group of arguments.

mod bench;
#[cfg(feature = "compiler")]
mod checkpoint;
#[cfg(feature = "compiler")]
mod compile;
#[cfg(feature = "text")]
mod embed;
mod examples;
#[cfg(feature = "text")]
mod generate;
mod hashes;
mod help;
mod inspect;
mod listing;
mod messages;
mod module;
#[cfg(all(test, feature = "compiler"))]
mod page;
#[cfg(feature = "compiler")]
mod passes;
mod quantize;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "text")]
mod speculate;
mod tune;
pub mod verify;
mod views;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub use bench::BenchArgs;
#[cfg(feature = "compiler")]
pub use checkpoint::{CheckpointArgs, ImportArgs, OnnxArgs};
#[cfg(feature = "compiler")]
pub use compile::{CompileArgs, EmitKind};
#[cfg(feature = "text")]
pub use embed::EmbedArgs;
#[cfg(feature = "text")]
pub use generate::{ChatArgs, GenerateArgs, LanguageModelArgs, SamplingArgs};
pub use hashes::{Hashes, VerifyFileArgs};
pub use help::command;
pub use inspect::InspectArgs;
pub use listing::{DoctorArgs, ExplainArgs, ListDevicesArgs, ListDriversArgs, ListTargetsArgs};
pub use messages::MessageArgs;
pub use module::{Collectives, CommandBuffer, Fallback, ModuleArgs, RunArgs};
#[cfg(feature = "compiler")]
pub use passes::PassArgs;
#[cfg(feature = "text")]
pub use quantize::PerplexityArgs;
pub use quantize::QuantizeArgs;
#[cfg(feature = "serve")]
pub use serve::ServeArgs;
#[cfg(feature = "text")]
pub use speculate::DraftArgs;
#[cfg(feature = "compiler")]
pub use tune::TunePrepareArgs;
pub use tune::{TuneApplyArgs, TuneCommand, TuneMeasureArgs};
pub use views::{CheckArgs, DiffArgs};

use self::verify::VerifyArgs;
#[cfg(not(feature = "compiler"))]
use crate::commands::absent::Absent;

/// The part of `--help` on inputs and exit codes.
fn input_help() -> String {
    format!("INPUT FORMAT\n{}\n\n{EXIT_CODES}", fornax_runtime::tensor::parse::GRAMMAR)
}

const EXIT_CODES: &str = "\
EXIT CODES
  0 success   1 usage or input   2 bad module   3 device or architecture not supported
  4 out of memory   5 device lost   6 outputs differ from --expected-output, or `verify` or `diff` found a difference";

const DIFF_EXIT_CODES: &str = "\
EXIT CODES
  0 same signature, and the outputs are equal within the tolerance, or were not compared (kernels, bytes and times may \
      differ)
  6 signature or outputs differ   1 usage or input   2 bad module   3 the device named cannot run them   4 out of \
      memory";

#[derive(Parser, Debug)]
#[command(
    name = "fornax",
    version,
    long_version = crate::version::text(),
    about = "Ahead-of-time compiler and runtime for tensor programs",
    max_term_width = 120
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub messages: MessageArgs,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Compile a model into one module file
    #[cfg(feature = "compiler")]
    Compile(Box<CompileArgs>),
    /// Compile a model (this build has no compiler)
    #[cfg(not(feature = "compiler"))]
    #[command(hide = true, disable_help_flag = true)]
    Compile(Absent),
    /// Print a model, or a checkpoint of a language model, as StableHLO
    #[cfg(feature = "compiler")]
    Import(ImportArgs),
    /// Run a function of a module
    #[command(after_long_help = input_help())]
    RunModule(RunArgs),
    /// Make text with the module of a language model
    #[cfg(feature = "text")]
    Generate(Box<GenerateArgs>),
    /// Talk with the module of a language model: a line is a message, /clear forgets, /quit ends
    #[cfg(feature = "text")]
    Chat(Box<ChatArgs>),
    /// Print the vectors of texts, by the module of an encoder
    #[cfg(feature = "text")]
    Embed(Box<EmbedArgs>),
    /// Serve a language model or an encoder over HTTP, by the requests of OpenAI's API
    #[cfg(feature = "serve")]
    Serve(Box<ServeArgs>),
    /// Write a checkpoint of a language model in fewer bits, and say what that loses
    Quantize(QuantizeArgs),
    /// Say how likely the module of a language model finds a text
    #[cfg(feature = "text")]
    Perplexity(PerplexityArgs),
    /// Time a function of a module
    #[command(after_long_help = input_help())]
    Bench(BenchArgs),
    /// Choose schedules by measuring: prepare, measure, apply; then `compile --tuning=FILE`
    #[command(subcommand)]
    Tune(TuneCommand),
    /// Compare a device with the reference evaluator, dispatch by dispatch; `prepare` and `measure` do it on two
    /// machines
    #[command(after_long_help = input_help())]
    Verify(Box<VerifyArgs>),
    /// Print the devices of this machine, one URI a line
    ListDevices(ListDevicesArgs),
    /// Print the drivers, and why one is unavailable
    ListDrivers(ListDriversArgs),
    /// Say what of this build and this machine can run modules, and why something cannot
    Doctor(DoctorArgs),
    /// Print the generations, architectures and products that --target and its kin take; all names of one with a word
    ListTargets(ListTargetsArgs),
    /// Show what a module holds
    Inspect(InspectArgs),
    /// Check every hash and every record of a module file
    VerifyFile(VerifyFileArgs),
    /// Say whether a module will run here: image, driver, memory; exit code 3 if not, 4 if memory does not suffice
    Check(CheckArgs),
    /// Compare two modules: signature, kernels, bytes, predicted and measured time, outputs on random inputs
    #[command(after_long_help = DIFF_EXIT_CODES)]
    Diff(Box<DiffArgs>),
    /// Say what an error code means; without one, print the table of all
    Explain(ExplainArgs),
    /// Print a shell completion script
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder
    Man {
        /// The folder, made if it is not there
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Make links iree-compile and iree-run-module to this program, for scripts that call them
    InstallLinks {
        /// The folder, one of PATH as a rule
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Compile kernels on behalf of another process (internal)
    #[cfg(feature = "compiler")]
    #[command(hide = true, name = "codegen-worker")]
    CodegenWorker,
    /// Compile models on behalf of another process (internal)
    #[cfg(feature = "compiler")]
    #[command(hide = true, name = "model-worker")]
    ModelWorker,
}

/// The form of what a command prints on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
}

//! Arguments for tokens that are guessed ahead of a text.

use std::path::PathBuf;

use clap::Args;

/// Most that a module can be compiled for.
const AHEAD_MAX: u64 = 64;

/// How many tokens are guessed, and by whom.
#[derive(Args, Debug)]
pub struct DraftArgs {
    /// Guess so many tokens of what stood in the text before, and verify them in one call: the text stays that of the
    /// model. The module must be compiled with --speculate
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=AHEAD_MAX))]
    pub speculate: Option<u64>,
    /// Let this module of a smaller model guess, which has the same tokenizer
    #[arg(long, value_name = "FILE", requires = "speculate")]
    pub draft_module: Option<PathBuf>,
    /// The checkpoint that it was compiled from; repeatable
    #[arg(long, value_name = "[SCOPE=]FILE", requires = "draft_module")]
    pub draft_parameters: Vec<String>,
}

//! Arguments of `fornax embed`.

use std::path::PathBuf;

use clap::Args;

use super::{Format, LanguageModelArgs};

#[derive(Args, Debug)]
pub struct EmbedArgs {
    #[command(flatten)]
    pub model: LanguageModelArgs,
    /// A text (repeatable)
    #[arg(long, value_name = "TEXT", required_unless_present = "text_file", conflicts_with = "text_file")]
    pub text: Vec<String>,
    /// A file with a text in each line (`-` reads stdin)
    #[arg(long, value_name = "FILE")]
    pub text_file: Option<PathBuf>,
    /// Bring vectors to length 1; some models do so themselves
    #[arg(long)]
    pub normalize: bool,
    /// Leave out the end of texts that are too long, instead of an error
    #[arg(long)]
    pub truncate: bool,
    /// text, a vector a line; or json, one object
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    pub format: Format,
}

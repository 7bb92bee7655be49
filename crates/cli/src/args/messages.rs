//! Flags of every command: how much is said on stderr, and in which form.

use clap::Args;

use crate::messages::{Color, ErrorFormat, Style};

#[derive(Args, Debug)]
#[command(next_help_heading = "Every command")]
pub struct MessageArgs {
    /// Say more on stderr: -v phases and their times, -vv each pass and kernel, -vvv all (FORNAX_LOG sets it too)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Errors only: no progress, no notes, no warnings
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Colour in messages and help: auto, always or never
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t = Color::Auto,
        hide_possible_values = true
    )]
    pub color: Color,
    /// Form of messages on stderr: `human`, or `json` for one object a line
    #[arg(
        long, global = true, value_enum, value_name = "FORM", default_value_t = ErrorFormat::Human,
        hide_possible_values = true
    )]
    pub error_format: ErrorFormat,
    /// Read flags from FILE too, one a line; `#` begins a comment
    // Replaced by the lines of the file before clap sees it.
    #[arg(long, global = true, value_name = "FILE")]
    pub flagfile: Option<std::path::PathBuf>,
}

impl MessageArgs {
    pub fn style(&self) -> Style {
        Style { color: self.color, format: self.error_format, quiet: self.quiet }
    }
}

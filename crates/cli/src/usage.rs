//! What clap says of a command line, in the form of all errors: `error[FX0801]: …`, what to do, exit code 1.

use std::ffi::OsString;

use clap::error::{Error, ErrorKind};

use crate::failure::exit;
use crate::messages;

/// Whether `--help` has colour: as messages, but for its own place (stdout).
pub fn color_of_help() -> clap::ColorChoice {
    match messages::color() {
        messages::Color::Auto => clap::ColorChoice::Auto,
        messages::Color::Always => clap::ColorChoice::Always,
        messages::Color::Never => clap::ColorChoice::Never,
    }
}

/// Prints help and versions to stdout, errors to stderr; gives the exit code.
pub fn report(error: &Error, argv: &[OsString]) -> u8 {
    if !error.use_stderr() {
        // A closed pipe is the only way printing fails.
        let _ = error.print();
        return 0;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !messages::json() {
        let _ = error.print();
        return exit::USAGE;
    }
    messages::error(&text(error, argv));
    exit::USAGE
}

/// The error as ours: clap's blocks `tip:` and `Usage:` become help.
fn text(error: &Error, argv: &[OsString]) -> String {
    if error.kind() == ErrorKind::InvalidUtf8 {
        let wrong = argv.iter().find(|word| word.to_str().is_none());
        let shown = wrong.map_or_else(String::new, |word| format!(" `{}`", word.to_string_lossy().escape_debug()));
        return format!(
            "error[FX0801]: the argument{shown} is not UTF-8 text\n  \
             help: only paths may be other bytes, and paths behind `@` or inside of `SCOPE=FILE` may not: rename the \
             file, or link to it"
        );
    }
    let rendered = error.render().to_string();
    let body = rendered.strip_prefix("error: ").unwrap_or(&rendered);
    let mut message = String::new();
    let mut help: Vec<String> = Vec::new();
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        let trimmed = line.trim();
        if let Some(tip) = trimmed.strip_prefix("tip: ") {
            help.push(tip.to_string());
        } else if trimmed.starts_with("Usage: ") || trimmed.starts_with("For more information") || !help.is_empty() {
            help.push(trimmed.trim_end_matches('.').to_string());
        } else {
            let gap = if message.is_empty() { "" } else { "\n  " };
            message.push_str(&format!("{gap}{trimmed}"));
        }
    }
    if let Some(module) = unnamed_module(error) {
        help.insert(0, format!("write --module={module}"));
    }
    let help = help.join("\n        ");
    format!("error[FX0801]: {message}\n  help: {help}")
}

/// A module that stands where no command takes a word: `fornax run-module m.fnx`.
fn unnamed_module(error: &Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let usage = error.render().to_string();
    let takes = usage.contains("Usage: fornax run-module") || usage.contains("Usage: fornax bench");
    let is_file = !word.starts_with('-') && std::path::Path::new(word).is_file();
    (error.kind() == ErrorKind::UnknownArgument && takes && is_file).then(|| word.clone())
}

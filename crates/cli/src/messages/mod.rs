//! Everything that goes to stderr: errors, warnings, notes, log lines; as text with colour or as one JSON object a
//! line.
//!
//! How is decided once, by `--color`, `--error-format`, `--quiet` and `NO_COLOR`; see [`choose`].

pub mod diagnosis;
pub mod log;

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::sync::RwLock;

use clap::ValueEnum;

use self::diagnosis::Diagnosis;

/// When text on stderr and help on stdout has colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`
    #[default]
    Auto,
    Always,
    Never,
}

/// The form of errors, warnings and notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ErrorFormat {
    #[default]
    Human,
    /// One JSON object a line: level, code, message, help, file, line, column, source_line, cause
    Json,
}

/// What the command line says about messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    pub color: Color,
    pub format: ErrorFormat,
    /// Errors only.
    pub quiet: bool,
}

static STYLE: RwLock<Style> = RwLock::new(Style { color: Color::Auto, format: ErrorFormat::Human, quiet: false });

/// Sets the form of all messages from now on.
pub fn choose(style: Style) {
    if let Ok(mut current) = STYLE.write() {
        *current = style;
    }
}

fn style() -> Style {
    STYLE.read().map(|style| *style).unwrap_or_default()
}

/// Whether only errors are wanted.
pub fn quiet() -> bool {
    style().quiet
}

/// When there is colour, as the command line says.
pub fn color() -> Color {
    style().color
}

/// Whether messages are JSON.
pub fn json() -> bool {
    style().format == ErrorFormat::Json
}

/// Whether stderr gets colour.
pub fn colored() -> bool {
    match style().color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            std::io::stderr().is_terminal() && !set("NO_COLOR") && !dumb
        }
    }
}

/// What a message is; decides its colour and whether `--quiet` drops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    Note,
    Info,
    Debug,
    Trace,
}

/// Level, name, SGR parameters of its colour.
#[rustfmt::skip]
const LEVELS: &[(Level, &str, &str)] = &[
    (Level::Error,   "error",   "1;31"),
    (Level::Warning, "warning", "1;33"),
    (Level::Note,    "note",    "1;36"),
    (Level::Info,    "info",    "32"),
    (Level::Debug,   "debug",   "34"),
    (Level::Trace,   "trace",   "35"),
];

impl Level {
    pub fn name(self) -> &'static str {
        LEVELS.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// Text in the level's colour, where colour is wanted.
    pub fn paint(self, text: &str) -> String {
        let sgr = LEVELS.iter().find(|row| row.0 == self).map_or("0", |row| row.2);
        paint(sgr, text)
    }
}

/// Text in a colour, by SGR parameters, where colour is wanted.
fn paint(sgr: &str, text: &str) -> String {
    if colored() { format!("\x1b[{sgr}m{text}\x1b[0m") } else { text.to_string() }
}

/// A line that the user should know: `note: …`.
pub fn note(text: impl Display) {
    say(Level::Note, &text.to_string());
}

/// A line about something that is probably not meant: `warning: …`.
pub fn warning(text: impl Display) {
    say(Level::Warning, &text.to_string());
}

/// A line of information that was asked for (`--timing`, reasons of `list-devices`): as it is, without a level in text.
pub fn aside(text: impl Display) {
    match json() {
        true => say(Level::Info, &text.to_string()),
        false => put(&text.to_string()),
    }
}

/// A note or warning unless `--quiet`.
fn say(level: Level, text: &str) {
    if !quiet() {
        put(&line(level, text));
    }
}

/// A message of a level in the form that was chosen, without the newline.
pub fn line(level: Level, text: &str) -> String {
    match json() {
        true => serde_json::json!({ "level": level.name(), "message": text }).to_string(),
        false => format!("{} {text}", level.paint(&format!("{}:", level.name()))),
    }
}

/// A complete error text, of one diagnosis or several.
pub fn error(text: &str) {
    match json() {
        true => put(&json_lines(text)),
        false => put(&diagnosis::painted(text)),
    }
}

/// A complete error text as JSON, a line a diagnosis.
pub fn json_lines(text: &str) -> String {
    let lines = Diagnosis::all(text).into_iter().map(|found| serde_json::to_string(&found).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// A line on stderr; where stderr is closed nobody can be told.
fn put(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// What the flags of a command line say about messages, before it is parsed: a wrong command line is reported in the
/// form that it asks for itself.
pub fn asked_for(argv: &[std::ffi::OsString]) -> Style {
    let words: Vec<&str> =
        argv.iter().skip(1).filter_map(|word| word.to_str()).take_while(|word| *word != "--").collect();
    let value = |flag: &str| {
        words.iter().enumerate().rev().find_map(|(at, word)| match word.strip_prefix(flag)? {
            "" => words.get(at + 1).copied(),
            rest => rest.strip_prefix('='),
        })
    };
    Style {
        color: value("--color").and_then(|text| Color::from_str(text, true).ok()).unwrap_or_default(),
        format: value("--error-format").and_then(|text| ErrorFormat::from_str(text, true).ok()).unwrap_or_default(),
        quiet: words.iter().any(|word| matches!(*word, "-q" | "--quiet")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_messages_is_known_before_the_line_is_parsed() {
        let style = |line: &str| asked_for(&line.split(' ').map(std::ffi::OsString::from).collect::<Vec<_>>());
        let both = style("fornax compile --nonsense --error-format=json --color always");
        assert_eq!((both.format, both.color, both.quiet), (ErrorFormat::Json, Color::Always, false));
        let behind = style("fornax compile -q -- --error-format=json");
        assert_eq!((behind.format, behind.quiet), (ErrorFormat::Human, true));
        assert_eq!(style("fornax --color=blue").color, Color::Auto);
    }
}

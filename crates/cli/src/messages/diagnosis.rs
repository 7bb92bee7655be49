//! The text of an error taken apart: code, place, message, help, cause. For `--error-format=json`, and for colour.
//!
//! Worked example:
//! ```text
//! m.mlir:3:8: error[FX0110]: unknown operation "stablehlo.ad"      file, line, column, code, message
//!  3 |   %0 = stablehlo.ad %a, %a : tensor<4xf32>                  source_line
//!    |        ^
//!   = help: did you mean stablehlo.add?                            help
//!   cause: …                                                       cause, one entry a line
//! ```
//! Other lines belong to what stands above them: to the message at first, then to the help or the cause.

use serde::Serialize;

use super::{Level, paint};

/// One error as its reader sees it.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    pub level: &'static str,
    pub code: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_line: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cause: Vec<String>,
}

/// The first line of an error: what stands before `error[CODE]: `, the code, the message.
fn head(line: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = line.split_once("error[")?;
    let (code, message) = rest.split_once("]: ")?;
    let starts = before.is_empty() || before.ends_with(": ") && !before.starts_with(' ');
    let is_code = code.len() == 6 && code.starts_with("FX");
    (starts && is_code).then_some((before.strip_suffix(": ").unwrap_or(before), code, message))
}

/// What a line below the first is.
enum Part<'a> {
    /// ` 3 | text`
    Source(&'a str),
    /// `   |   ^`
    Caret,
    Help(&'a str),
    Note(&'a str),
    Cause(&'a str),
    More(&'a str),
}

fn part(line: &str) -> Part<'_> {
    let trimmed = line.trim_start();
    if line.starts_with(' ')
        && let Some((before, source)) = line.split_once('|')
        && before.trim().bytes().all(|b| b.is_ascii_digit())
    {
        return if before.trim().is_empty() {
            Part::Caret
        } else {
            Part::Source(source.strip_prefix(' ').unwrap_or(source))
        };
    }
    let word = trimmed.strip_prefix("= ").unwrap_or(trimmed);
    if let Some(help) = word.strip_prefix("help: ") {
        Part::Help(help)
    } else if let Some(note) = word.strip_prefix("note: ") {
        Part::Note(note)
    } else if let Some(cause) = word.strip_prefix("cause: ") {
        Part::Cause(cause)
    } else {
        Part::More(trimmed)
    }
}

/// The field that a further line continues.
#[derive(Clone, Copy)]
enum Open {
    Message,
    Help,
    Note,
    Cause,
}

impl Diagnosis {
    /// The diagnoses of a text: at least one.
    pub fn all(text: &str) -> Vec<Diagnosis> {
        let mut found: Vec<Diagnosis> = Vec::new();
        let mut open = Open::Message;
        for line in text.lines() {
            if let Some((before, code, message)) = head(line) {
                found.push(Diagnosis::at(before, code, message));
                open = Open::Message;
                continue;
            }
            match found.last_mut() {
                Some(current) => open = current.take(line, open),
                None => found.push(Diagnosis::at("", "FX0801", line)),
            }
        }
        found
    }

    fn at(place: &str, code: &str, message: &str) -> Diagnosis {
        let mut made = Diagnosis {
            level: Level::Error.name(),
            code: code.into(),
            message: message.into(),
            ..Diagnosis::default()
        };
        if place.is_empty() {
            return made;
        }
        let mut ends = place.rsplitn(3, ':');
        let numbers = (ends.next().and_then(|n| n.parse().ok()), ends.next().and_then(|n| n.parse().ok()));
        match (numbers, ends.next()) {
            ((Some(column), Some(line)), Some(file)) => {
                (made.file, made.line, made.column) = (Some(file.into()), Some(line), Some(column));
            }
            _ => made.file = Some(place.into()),
        }
        made
    }

    /// Takes a further line; gives the field that it opens.
    fn take(&mut self, line: &str, open: Open) -> Open {
        let more = |field: &mut String, text: &str| {
            field.push('\n');
            field.push_str(text);
        };
        match part(line) {
            Part::Source(source) => self.source_line = Some(source.to_string()),
            Part::Caret => {}
            Part::Help(text) => {
                self.help = Some(text.to_string());
                return Open::Help;
            }
            Part::Note(text) => {
                self.note = Some(text.to_string());
                return Open::Note;
            }
            Part::Cause(text) => {
                self.cause.push(text.to_string());
                return Open::Cause;
            }
            Part::More(text) => match (open, &mut self.help, &mut self.note, self.cause.last_mut()) {
                (Open::Help, Some(field), ..) | (Open::Note, _, Some(field), _) | (Open::Cause, .., Some(field)) => {
                    more(field, text);
                }
                _ => more(&mut self.message, text),
            },
        }
        open
    }
}

/// Bold; cyan as that of help.
const BOLD: &str = "1";
const HELP: &str = "1;36";
const SOURCE: &str = "1;34";

/// The text with its parts in colour, where colour is wanted: places bold, `error[…]` red, gutters blue, `help` cyan.
pub fn painted(text: &str) -> String {
    let line = |line: &str| {
        if let Some((before, code, message)) = head(line) {
            let place = if before.is_empty() { String::new() } else { paint(BOLD, &format!("{before}: ")) };
            return format!(
                "{place}{}{}",
                Level::Error.paint(&format!("error[{code}]")),
                paint(BOLD, &format!(": {message}"))
            );
        }
        match part(line) {
            Part::Source(_) | Part::Caret => match line.split_once('|') {
                Some((gutter, source)) => {
                    let caret = source.trim() == "^";
                    let source = if caret { Level::Error.paint(source) } else { source.to_string() };
                    format!("{}{source}", paint(SOURCE, &format!("{gutter}|")))
                }
                None => line.to_string(),
            },
            Part::Help(_) => line.replacen("help:", &paint(HELP, "help:"), 1),
            Part::Note(_) => line.replacen("note:", &paint(BOLD, "note:"), 1),
            Part::Cause(_) => line.replacen("cause:", &paint(BOLD, "cause:"), 1),
            Part::More(_) => line.to_string(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_in_a_model_has_its_place() {
        let text = "m.mlir:3:8: error[FX0110]: unknown operation\n \
                    3 |   %0 = x.y\n   \
                    |        ^\n  \
                    = help: did you mean\n    \
                    x.z?";
        let found = Diagnosis::all(text);
        assert_eq!(found.len(), 1);
        let one = &found[0];
        assert_eq!((one.file.as_deref(), one.line, one.column), (Some("m.mlir"), Some(3), Some(8)));
        assert_eq!((one.code.as_str(), one.message.as_str()), ("FX0110", "unknown operation"));
        assert_eq!(one.source_line.as_deref(), Some("  %0 = x.y"));
        assert_eq!(one.help.as_deref(), Some("did you mean\nx.z?"));
        let json = serde_json::to_value(one).unwrap();
        assert_eq!((&json["level"], &json["line"]), (&"error".into(), &3.into()));
        assert!(json.get("cause").is_none());
    }

    #[test]
    fn several_errors_and_causes() {
        let text = "a b.mlir: error[FX0101]: one\nm.mlir:1:2: error[FX0102]: two\n  more\n  cause: no\n  cause: never";
        let found = Diagnosis::all(text);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].file.as_deref(), found[0].line), (Some("a b.mlir"), None));
        assert_eq!(found[1].message, "two\nmore");
        assert_eq!(found[1].cause, ["no", "never"]);
        let plain = Diagnosis::all("something\nelse");
        assert_eq!((plain[0].code.as_str(), plain[0].message.as_str()), ("FX0801", "something\nelse"));
    }

    #[test]
    fn a_code_in_the_midst_of_a_line_starts_no_error() {
        assert_eq!(Diagnosis::all("error[FX0801]: x\n  run 2: error[FX0802]: y").len(), 1);
    }
}

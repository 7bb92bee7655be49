//! What the user sees of an error: `file:line:col: error[FX0101]: message`, the source line, a caret and a hint.

use std::fmt;

/// One error with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// `FX0101` …
    pub code: &'static str,
    pub message: String,
    pub file: String,
    /// 1-based; 0 when the error has no place.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// The source line, cut around the column when it is long.
    pub source_line: String,
    /// Column of the caret within `source_line`, 0-based, in characters.
    pub caret: usize,
    pub hint: Option<String>,
    /// The framework's name of the place, from the location in the text.
    pub note: Option<String>,
}

/// Characters of a source line that are shown.
const SHOWN: usize = 120;

impl Diagnostic {
    /// An error without a place.
    pub fn of_file(code: &'static str, file: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            file: file.to_string(),
            line: 0,
            column: 0,
            source_line: String::new(),
            caret: 0,
            hint: None,
            note: None,
        }
    }

    /// An error at a byte offset of the source.
    pub fn at(code: &'static str, file: &str, source: &str, offset: usize, message: impl Into<String>) -> Diagnostic {
        let bytes = source.as_bytes();
        let offset = offset.min(bytes.len());
        let start = bytes[..offset].iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let line = bytes[..start].iter().filter(|&&b| b == b'\n').count() as u32 + 1;
        let column = String::from_utf8_lossy(&bytes[start..offset]).chars().count();
        let window = start.max(offset.saturating_sub(SHOWN * 2 / 3));
        let shown = SHOWN - (offset - window);
        let end = bytes[offset..].iter().take(shown).position(|&b| b == b'\n').map_or(offset + shown, |p| offset + p);
        let end = end.min(bytes.len());
        let before = String::from_utf8_lossy(&bytes[window..offset]).replace('\t', " ");
        let after = String::from_utf8_lossy(&bytes[offset..end]).replace(['\t', '\r'], " ");
        let cut = if window > start { "…" } else { "" };
        let caret = cut.chars().count() + before.chars().count();
        Diagnostic {
            code,
            message: message.into(),
            file: file.to_string(),
            line,
            column: column as u32 + 1,
            source_line: printable(&format!("{cut}{before}{}", after.trim_end())),
            caret,
            hint: None,
            note: None,
        }
    }

    /// An error at a line and column of the source (1-based), as locations of ops have it.
    pub(crate) fn at_line(
        code: &'static str,
        file: &str,
        source: &str,
        (line, column): (u32, u32),
        message: impl Into<String>,
    ) -> Diagnostic {
        if line == 0 {
            return Diagnostic::of_file(code, file, message);
        }
        let start: usize = source.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
        let within: usize =
            source[start.min(source.len())..].chars().take(column.max(1) as usize - 1).map(char::len_utf8).sum();
        Diagnostic::at(code, file, source, start + within, message)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }
}

fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}: error[{}]: {}", self.file, self.code, self.message)?;
        } else {
            writeln!(f, "{}:{}:{}: error[{}]: {}", self.file, self.line, self.column, self.code, self.message)?;
            let number = self.line.to_string();
            let gutter = " ".repeat(number.len());
            writeln!(f, " {number} | {}", self.source_line)?;
            write!(f, " {gutter} | {}^", " ".repeat(self.caret))?;
        }
        if let Some(note) = &self.note {
            write!(f, "\n  = note: from {note}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  = help: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_line_and_caret() {
        let d = Diagnostic::at("FX0101", "m.mlir", "ab\n  cd ef\n", 8, "expected `=`").hint("write `=`");
        assert_eq!(
            d.to_string(),
            "m.mlir:2:6: error[FX0101]: expected `=`\n 2 |   cd ef\n   |      ^\n  = help: write `=`"
        );
        assert_eq!(Diagnostic::at_line("FX0101", "m.mlir", "ab\n  cd ef\n", (2, 6), "x").caret, 5);
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{}X{}", "a".repeat(5000), "b".repeat(5000));
        let d = Diagnostic::at("FX0101", "m", &text, 5000, "here");
        assert!(d.source_line.chars().count() < 250);
        assert_eq!(d.source_line.chars().nth(d.caret), Some('X'));
        assert_eq!(d.column, 5001);
    }
}

//! Decisions with reasons: a no says why, as a row of a table and the figures that decided.
//!
//! Making one costs nothing: no text is built before somebody asks for it.
//!
//! Worked example: `OUTPUTS_FULL.of([9, 8])` prints `FUSE26: the kernel would store 9 results, and may store 8`.

use std::fmt;

/// A row of a table of reasons.
#[derive(Debug, PartialEq, Eq)]
pub struct Reason {
    /// Stable, as an error's code is: `FUSE09`, `SCHED03`.
    pub code: &'static str,
    /// One sentence without its full stop; `{0}`, `{1}` and `{2}` are the figures.
    pub text: &'static str,
}

/// A reason with the figures that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Because {
    pub reason: &'static Reason,
    figures: [i64; 3],
}

impl Reason {
    /// The reason with its figures, in the order of its text; none where the text has none.
    pub fn of<const N: usize>(&'static self, given: [i64; N]) -> Because {
        let mut figures = [0; 3];
        figures.iter_mut().zip(given).for_each(|(slot, figure)| *slot = figure);
        Because { reason: self, figures }
    }
}

impl Because {
    /// The reason's text with the figures put in.
    pub fn text(&self) -> String {
        let mut text = self.reason.text.to_string();
        for (at, figure) in self.figures.iter().enumerate() {
            text = text.replace(&format!("{{{at}}}"), &figure.to_string());
        }
        text
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason.code, self.text())
    }
}

/// An answer to "may this be done?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Yes,
    No(Because),
}

/// A table of reasons: a constant each, and `REASONS` with all of them.
#[macro_export]
macro_rules! reasons {
    ($($name:ident $code:literal $text:literal)*) => {
        $(pub const $name: &$crate::reasons::Reason = &$crate::reasons::Reason { code: $code, text: $text };)*
        /// All of them, by code.
        pub const REASONS: &[&$crate::reasons::Reason] = &[$($name),*];
    };
}

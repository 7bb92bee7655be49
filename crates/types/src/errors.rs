//! Error codes: a table row a code, and the macro by which a crate writes its table and its error type in one list.
//!
//! A crate's errors are either a table alone (the code is given where the error is made):
//!
//! ```
//! fornax_types::errors! {
//!     FX0990 "cup empty": "fill it";
//! }
//! assert_eq!(ERROR_CODES[0].title, "cup empty");
//! ```
//!
//! or an enum whose variants name their codes. Variants behind a `|` take the code from a field. Codes that no
//! variant owns follow the enum:
//!
//! ```
//! mod cups {
//!     fornax_types::errors! {
//!         /// Why there is no tea.
//!         #[derive(Debug)]
//!         pub enum CupError {
//!             Empty { cup: u32 } = FX0990 "cup empty": "fill it";
//!             | Kitchen { code: &'static str } = code => code;
//!         }
//!         FX0991 "kettle cold": "wait";
//!     }
//! }
//! let error = cups::CupError::Empty { cup: 3 };
//! assert_eq!((error.code(), error.help()), ("FX0990", "fill it"));
//! assert_eq!(cups::CupError::Kitchen { code: "FX0991" }.help(), "wait");
//! ```
//!
//! A code that is malformed, or that a table has twice, does not compile.

/// A row of an error table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ErrorCode {
    /// `FX` and four digits; never used again for another error.
    pub code: &'static str,
    /// What it means, in a few words.
    pub title: &'static str,
    /// What to do.
    pub help: &'static str,
}

/// What to do about a code; empty where the table lacks it.
pub fn help(table: &'static [ErrorCode], code: &str) -> &'static str {
    table.iter().find(|row| row.code == code).map_or("", |row| row.help)
}

/// Refuses a table with malformed or equal codes, at compile time.
pub const fn check(table: &[ErrorCode]) {
    let mut at = 0;
    while at < table.len() {
        let code = table[at].code.as_bytes();
        assert!(code.len() == 6 && code[0] == b'F' && code[1] == b'X', "a code is FX and four digits");
        let mut other = at + 1;
        while other < table.len() {
            assert!(number(code) != number(table[other].code.as_bytes()), "a code stands twice in a table");
            other += 1;
        }
        at += 1;
    }
}

/// The number of `FXnnnn`.
const fn number(code: &[u8]) -> u32 {
    let (mut value, mut at) = (0, 2);
    while at < code.len() {
        assert!(code[at].is_ascii_digit(), "a code is FX and four digits");
        value = 10 * value + (code[at] - b'0') as u32;
        at += 1;
    }
    value
}

/// Makes a crate's `ERROR_CODES` and, if it has one, its error enum with `code()` and `help()`; see the module's
/// examples.
#[macro_export]
macro_rules! errors {
    ($($code:ident $title:literal: $help:literal;)*) => {
        /// Every error code of this crate.
        pub const ERROR_CODES: &[$crate::ErrorCode] =
            &[$($crate::ErrorCode { code: stringify!($code), title: $title, help: $help }),*];
        const _: () = $crate::errors::check(ERROR_CODES);
    };
    (
        $(#[$meta:meta])*
        pub enum $Error:ident {
            $($(#[$own_meta:meta])* $own:ident { $($own_fields:tt)* } = $code:ident $title:literal: $help:literal;)*
            $(| $(#[$meta_of:meta])* $of:ident { $($fields_of:tt)* } = $field:ident => $code_of:expr;)*
        }
        $($more:ident $more_title:literal: $more_help:literal;)*
    ) => {
        $crate::errors! { $($code $title: $help;)* $($more $more_title: $more_help;)* }

        $(#[$meta])*
        pub enum $Error {
            $($(#[$own_meta])* $own { $($own_fields)* },)*
            $($(#[$meta_of])* $of { $($fields_of)* },)*
        }

        impl $Error {
            /// The stable code, a row of [`ERROR_CODES`].
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$own { .. } => stringify!($code),)*
                    $(Self::$of { $field, .. } => $code_of,)*
                }
            }

            /// What to do, from [`ERROR_CODES`].
            pub fn help(&self) -> &'static str {
                $crate::errors::help(ERROR_CODES, self.code())
            }
        }
    };
}

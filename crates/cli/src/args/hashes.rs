//! When the hashes of a module are checked: the values of `--verify`, and the arguments of `fornax verify-file`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fornax_runtime::Verify;

use super::Format;

/// When a module's hashes are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Hashes {
    #[default]
    Full,
    Lazy,
    Off,
}

impl From<Hashes> for Verify {
    fn from(hashes: Hashes) -> Verify {
        match hashes {
            Hashes::Full => Verify::Full,
            Hashes::Lazy => Verify::Lazy,
            Hashes::Off => Verify::Off,
        }
    }
}

#[derive(Args, Debug)]
pub struct VerifyFileArgs {
    /// The module file
    pub module: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

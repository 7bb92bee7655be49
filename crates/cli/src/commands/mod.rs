//! One file a subcommand.

#[cfg(feature = "compiler")]
pub mod compile;
pub mod inspect;
pub mod list_targets;

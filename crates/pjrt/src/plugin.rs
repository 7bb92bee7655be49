//! What the plugin says of itself before there is a client.

use crate::api::{List, NamedValue, args};
use crate::error::Result;

/// Newest StableHLO that the compiler reads, and the oldest: JAX writes programs at the newest that both know.
const STABLEHLO_CURRENT: &[i64] = &[1, 17, 0];
const STABLEHLO_MINIMUM: &[i64] = &[1, 0, 0];
/// What XLA's own plugins call the version of their interface to compile options.
const XLA_VERSION: i64 = 2;

static ATTRIBUTES: [NamedValue; 4] = [
    NamedValue::of_int("xla_version", XLA_VERSION),
    NamedValue::of_ints("stablehlo_current_version", STABLEHLO_CURRENT),
    NamedValue::of_ints("stablehlo_minimum_version", STABLEHLO_MINIMUM),
    NamedValue::of_text("fornax_version", env!("CARGO_PKG_VERSION")),
];

args! {
    InitializeArgs {}
    AttributesArgs: 24 { attributes: List<NamedValue> }
}

pub fn initialize(_: &mut InitializeArgs) -> Result<()> {
    Ok(())
}

pub fn attributes(args: &mut AttributesArgs) -> Result<()> {
    args.attributes = List::lend(&ATTRIBUTES);
    Ok(())
}

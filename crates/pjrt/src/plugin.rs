//! What the plugin says of itself before there is a client.

use std::sync::OnceLock;

use crate::api::{List, NamedValue, args};
use crate::error::Result;

/// Major, minor and patch of a version of StableHLO.
type Version = [i64; 3];

/// Newest StableHLO that the compiler reads, and the oldest: JAX writes programs at the newest that both know.
const STABLEHLO_CURRENT: Version = [1, 17, 0];
const STABLEHLO_MINIMUM: &[i64] = &[1, 0, 0];
/// What XLA's own plugins call the version of their interface to compile options.
const XLA_VERSION: i64 = 2;

/// The newest that JAX writes, where it was told.
static KNOWN_TO_JAX: OnceLock<Version> = OnceLock::new();

/// Takes the newest StableHLO that JAX writes, before it asks for attributes; the first one told holds. JAX of 0.4.34
/// to 0.4.37 writes programs at the plugin's version, whether it knows that or not.
#[unsafe(no_mangle)]
pub extern "C" fn fornax_pjrt_stablehlo(major: i64, minor: i64, patch: i64) {
    KNOWN_TO_JAX.get_or_init(|| [major, minor, patch]);
}

/// The newest that both know.
fn common(known: Option<&Version>) -> Version {
    known.map_or(STABLEHLO_CURRENT, |known| STABLEHLO_CURRENT.min(*known))
}

fn known_attributes() -> &'static [NamedValue] {
    static NEWEST: OnceLock<Version> = OnceLock::new();
    static ATTRIBUTES: OnceLock<[NamedValue; 4]> = OnceLock::new();
    let newest = NEWEST.get_or_init(|| common(KNOWN_TO_JAX.get()));
    ATTRIBUTES.get_or_init(|| {
        [
            NamedValue::of_int("xla_version", XLA_VERSION),
            NamedValue::of_ints("stablehlo_current_version", newest),
            NamedValue::of_ints("stablehlo_minimum_version", STABLEHLO_MINIMUM),
            NamedValue::of_text("fornax_version", env!("CARGO_PKG_VERSION")),
        ]
    })
}

args! {
    InitializeArgs {}
    AttributesArgs: 24 { attributes: List<NamedValue> }
}

pub fn initialize(_: &mut InitializeArgs) -> Result<()> {
    Ok(())
}

pub fn attributes(args: &mut AttributesArgs) -> Result<()> {
    args.attributes = List::lend(known_attributes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_come_at_a_version_that_both_know() {
        assert_eq!(common(None), STABLEHLO_CURRENT);
        assert_eq!(common(Some(&[1, 7, 8])), [1, 7, 8]);
        assert_eq!(common(Some(&[1, 99, 0])), STABLEHLO_CURRENT);
        assert_eq!(common(Some(&[2, 0, 0])), STABLEHLO_CURRENT);
    }
}

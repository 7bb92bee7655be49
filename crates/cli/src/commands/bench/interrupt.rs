//! Ctrl-C while measuring: the first one ends the measurement, the second one the program.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use signal_hook::consts::SIGINT;

/// Exit code of a program that Ctrl-C ended: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// A flag that Ctrl-C sets.
pub fn flag() -> Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let told = "error[FX0801]: cannot watch for Ctrl-C";
    // In this order: the second signal finds the flag set.
    signal_hook::flag::register_conditional_shutdown(SIGINT, INTERRUPTED, flag.clone()).context(told)?;
    signal_hook::flag::register(SIGINT, flag.clone()).context(told)?;
    Ok(flag)
}

//! Times of phases, as events of level info: `simplify: 2.1 ms, 214 ops, 130 after`. Nothing is measured for anyone
//! else.

use std::fmt::Display;
use std::time::Instant;

use crate::phase::Phase;

/// A phase that runs.
pub struct Timed {
    phase: Phase,
    began: Instant,
}

impl Timed {
    pub fn start(phase: Phase) -> Timed {
        Timed { phase, began: Instant::now() }
    }

    /// The phase is done: what it made, in a few words.
    pub fn done(self, made: impl Display) {
        tracing::info!("{}: {:.1} ms, {made}", self.phase.name(), milliseconds(self.began));
    }
}

/// Since a moment.
pub fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}

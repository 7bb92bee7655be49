//! The passes of this phase before an observer.
//!
//! These passes decide while commands are made, in one walk over a function: no list of commands lies between two of
//! them. So the program that would lie there is planned for the observer: before a pass with those above it in
//! [`PASSES`] alone, after it with it too. The program that is compiled is planned as ever, and nothing is planned
//! again for a pass that is not shown.
//!
//! Worked example: for `needed`, the fourth, the program is planned with the first three passes, and with the first
//! four. With every pass shown, twelve programs are planned: what one pass leaves is what the next one finds.
//!
//! Times are those of the compiled program's planning, of what a pass does in a step of its own ([`Clock`]). Two passes
//! have none, as they are a question of the walk: `run_at_load` and `flags`.

use std::fmt::Write;
use std::time::{Duration, Instant};

use fornax_graph::Graph;
use fornax_targets::Target;

use super::{Options, PASSES, PHASE, Planned, describe, planned};
use crate::errors::PassError;
use crate::observe::{Ir, Observer, Run, Turn};

/// What the passes took so far, where somebody listens.
#[derive(Default)]
pub(super) struct Clock {
    runs: bool,
    times: Vec<(&'static str, Duration)>,
}

impl Clock {
    pub(super) fn new(runs: bool) -> Clock {
        Clock { runs, times: Vec::new() }
    }

    /// The moment; `None` where nobody listens.
    pub(super) fn now(&self) -> Option<Instant> {
        self.runs.then(Instant::now)
    }

    /// Adds what a pass took since `began`.
    pub(super) fn add(&mut self, pass: &'static str, began: Option<Instant>) {
        let Some(took) = began.map(|began| began.elapsed()) else { return };
        match self.times.iter_mut().find(|(name, _)| *name == pass) {
            Some((_, time)) => *time += took,
            None => self.times.push((pass, took)),
        }
    }

    fn of(&self, pass: &str) -> Option<Duration> {
        self.times.iter().find(|(name, _)| *name == pass).map(|(_, time)| *time)
    }
}

impl Ir for Planned {
    /// Kernels, commands, memory, and results in the place of arguments.
    fn text(&self) -> String {
        let mut text = describe::text(self);
        for (function, pairs) in &self.aliases {
            for (input, output) in pairs {
                let _ = writeln!(text, "@{function}: output {output} is input {input}");
            }
        }
        text
    }

    fn size(&self) -> i64 {
        self.program.blocks.iter().map(|block| block.commands.len() as i64).sum()
    }

    fn extension(&self) -> &'static str {
        "txt"
    }
}

/// Tells an observer of each pass, in the order of the table.
pub(super) fn tell(
    graph: &Graph,
    target: &Target,
    options: &Options,
    clock: &Clock,
    observer: &mut dyn Observer,
) -> Result<(), PassError> {
    let spec = target.spec();
    // What the last pass that was shown left, and its place.
    let mut left: Option<(usize, Planned)> = None;
    for (at, pass) in PASSES.iter().enumerate() {
        let run = Run { phase: PHASE, name: pass.name, turn: Turn::Target(&spec) };
        if observer.shows(pass.name) {
            let before = match left.take() {
                Some((last, program)) if last + 1 == at => program,
                _ => with_the_first(at, graph, target, options)?,
            };
            observer.before(&run, &before);
            let after = with_the_first(at + 1, graph, target, options)?;
            observer.after(&run, &after, before.text() != after.text());
            left = Some((at, after));
        }
        if let Some(time) = clock.of(pass.name) {
            observer.took(&run, time);
        }
    }
    Ok(())
}

/// The program with so many passes of the table.
fn with_the_first(count: usize, graph: &Graph, target: &Target, options: &Options) -> Result<Planned, PassError> {
    let mut options = Options { remarks: None, ..options.clone() };
    options.without.extend(PASSES.iter().skip(count).map(|pass| pass.name.to_string()));
    Ok(planned(graph, target, &options, None, Clock::default())?.planned)
}

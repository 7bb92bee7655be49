//! Who watches the passes: which ran, what they worked on before and after, how long each took.
//!
//! `fornax compile --print-ir-after=…`, `--time-passes` and their kin are observers. A compilation without them has
//! [`Nobody`], which costs nothing: texts are made only where somebody asks.

use std::time::{Duration, Instant};

use fornax_graph::Graph;

use crate::errors::PassError;
use crate::remarks::Pair;

/// One run of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    pub phase: &'static str,
    pub name: &'static str,
    pub turn: Turn<'a>,
}

/// Which of a pass's runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn<'a> {
    /// Of simplify the round, of decompose and fuse the function, counted from 0.
    Round(usize),
    /// The one for this target.
    Target(&'a str),
}

/// What a pass works on: a graph, a program.
pub trait Ir {
    /// For people. Two that print alike are taken for the same.
    fn text(&self) -> String;
    /// Ops of a graph, commands of a program.
    fn size(&self) -> i64;
    /// How a file with its text ends.
    fn extension(&self) -> &'static str;
}

impl Ir for Graph {
    fn text(&self) -> String {
        fornax_graph::print(self)
    }

    fn size(&self) -> i64 {
        let mut count = 0;
        for block in self.functions.iter().filter_map(|function| self.entry(function)) {
            self.walk(block, &mut |_| count += 1);
        }
        count
    }

    fn extension(&self) -> &'static str {
        "mlir"
    }
}

/// Hears of every run of a pass.
pub trait Observer {
    /// Whether anybody listens: times are taken only then.
    fn listens(&self) -> bool;
    /// Whether runs of this pass are to be shown: only then `before` and `after` are called.
    fn shows(&self, pass: &str) -> bool;
    fn before(&mut self, run: &Run, ir: &dyn Ir);
    /// `changed`: the text is another one.
    fn after(&mut self, run: &Run, ir: &dyn Ir, changed: bool);
    /// How long the pass took, alone. Not called for a run that was not measured.
    fn took(&mut self, run: &Run, time: Duration);
    /// Where fusion puts its remarks, one for every two neighbouring ops; `None`: nobody asks, and none are made.
    fn remarks(&mut self) -> Option<&mut Vec<Pair>> {
        None
    }
}

/// Nobody listens.
pub struct Nobody;

impl Observer for Nobody {
    fn listens(&self) -> bool {
        false
    }

    fn shows(&self, _: &str) -> bool {
        false
    }

    fn before(&mut self, _: &Run, _: &dyn Ir) {}

    fn after(&mut self, _: &Run, _: &dyn Ir, _: bool) {}

    fn took(&mut self, _: &Run, _: Duration) {}
}

/// Runs a pass before an observer.
///
/// # Errors
/// Those of the pass; nobody hears of the end of a run that failed.
pub fn observed<T>(
    observer: &mut dyn Observer,
    run: &Run,
    graph: &mut Graph,
    pass: impl FnOnce(&mut Graph) -> Result<T, PassError>,
) -> Result<T, PassError> {
    if !observer.listens() {
        return pass(graph);
    }
    let shown = observer.shows(run.name);
    if shown {
        observer.before(run, graph);
    }
    let text = shown.then(|| graph.text());
    let began = Instant::now();
    let result = pass(graph)?;
    let time = began.elapsed();
    if let Some(text) = text {
        observer.after(run, graph, graph.text() != text);
    }
    observer.took(run, time);
    Ok(result)
}

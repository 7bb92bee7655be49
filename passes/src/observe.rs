//! Who watches the passes: which ran, what the graph was before and after, how long each took.
//!
//! `fornax compile --print-ir-after=…`, `--time-passes` and their kin are observers. A compilation without them has
//! [`Nobody`], which costs nothing.

use std::time::{Duration, Instant};

use fornax_graph::Graph;

use crate::errors::PassError;
use crate::remarks::Pair;

/// One run of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub phase: &'static str,
    pub name: &'static str,
    /// Of simplify the round, of fuse the function, counted from 0.
    pub round: usize,
}

/// Hears of every run of a pass.
pub trait Observer {
    /// Whether anybody listens: graphs are compared only then.
    fn listens(&self) -> bool;
    fn before(&mut self, run: &Run, graph: &Graph);
    /// `changed`: the graph's text is another one. `took` holds the pass alone.
    fn after(&mut self, run: &Run, graph: &Graph, changed: bool, took: Duration);
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

    fn before(&mut self, _: &Run, _: &Graph) {}

    fn after(&mut self, _: &Run, _: &Graph, _: bool, _: Duration) {}
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
    observer.before(run, graph);
    let text = fornax_graph::print(graph);
    let began = Instant::now();
    let result = pass(graph)?;
    let took = began.elapsed();
    observer.after(run, graph, fornax_graph::print(graph) != text, took);
    Ok(result)
}

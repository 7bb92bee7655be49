//! What a compilation shows of its passes: graphs before and after them, their times, how often each changed the graph.
//!
//! The flags have the names and the layout of MLIR's: `--print-ir-after=fold_converts` prints each graph under a line
//! `// -----// IR Dump After fold_converts (simplify, round 1) //----- //`.

use std::time::Duration;

use fornax_graph::Graph;
use fornax_passes::observe::{Observer, Run};
use fornax_passes::pipeline;

use fornax_passes::remarks::Pair;

use crate::dump::Dump;
use crate::errors::CompileError;
use crate::options::{CompileOptions, Event, Listener};

/// Names of passes, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Passes {
    #[default]
    None,
    All,
    These(Vec<String>),
}

impl Passes {
    /// From a list of names, of which `all` stands for every pass.
    ///
    /// # Errors
    /// FX0318 for a name that no pass has.
    pub fn of(names: &[String]) -> Result<Passes, CompileError> {
        if names.is_empty() {
            return Ok(Passes::None);
        }
        if names.iter().any(|name| name == "all") {
            return Ok(Passes::All);
        }
        names.iter().try_for_each(|name| pipeline::known(name).map(drop)).map_err(CompileError::pass)?;
        Ok(Passes::These(names.to_vec()))
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Passes::None => false,
            Passes::All => true,
            Passes::These(names) => names.iter().any(|known| known == name),
        }
    }
}

/// What is shown of the passes. Nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassReports {
    pub before: Passes,
    pub after: Passes,
    /// After those only that changed the graph; with no passes named, after each that did.
    pub after_change: bool,
    /// A table of times at the end.
    pub times: bool,
    /// A table of runs and changes at the end.
    pub statistics: bool,
    /// A file a run that changed the graph, in the folder of dumps.
    pub dump_each: bool,
}

impl PassReports {
    fn any(&self) -> bool {
        *self != PassReports::default()
    }
}

/// Sums over the runs of one pass.
struct Sum {
    phase: &'static str,
    name: &'static str,
    runs: usize,
    changes: usize,
    took: Duration,
    /// Ops of the graph that the pass's changes added; negative where they removed some.
    ops: i64,
}

/// The observer that does what [`PassReports`] asks for.
pub(crate) struct Watch<'a> {
    reports: &'a PassReports,
    listener: Listener<'a>,
    dump: &'a Dump,
    sums: Vec<Sum>,
    /// Ops before the run that goes on.
    ops: i64,
    /// Files written.
    written: usize,
    failed: Option<CompileError>,
    /// Fusion's remarks; `None` where nobody asks.
    pairs: Option<Vec<Pair>>,
}

impl<'a> Watch<'a> {
    pub fn new(options: &'a CompileOptions, listener: Listener<'a>, dump: &'a Dump) -> Watch<'a> {
        let pairs = (options.remarks || dump.enabled()).then(Vec::new);
        let reports = &options.reports;
        Watch { reports, listener, dump, sums: Vec::new(), ops: 0, written: 0, failed: None, pairs }
    }

    /// Prints the tables; gives fusion's remarks.
    ///
    /// # Errors
    /// FX0904 where a dump could not be written.
    pub fn finish(mut self) -> Result<Vec<Pair>, CompileError> {
        if self.reports.times {
            self.sums.sort_by_key(|sum| std::cmp::Reverse(sum.took));
            (self.listener)(Event::Report(times(&self.sums)));
        }
        if self.reports.statistics {
            self.sums.sort_by_key(|sum| (sum.phase, sum.name));
            (self.listener)(Event::Report(statistics(&self.sums)));
        }
        self.failed.map_or(Ok(self.pairs.unwrap_or_default()), Err)
    }

    fn print(&self, when: &str, run: &Run, graph: &Graph) {
        let head =
            format!("// -----// IR Dump {when} {} ({}, round {}) //----- //", run.name, run.phase, run.round + 1);
        (self.listener)(Event::Report(format!("{head}\n{}", fornax_graph::print(graph))));
    }
}

impl Observer for Watch<'_> {
    fn listens(&self) -> bool {
        self.reports.any()
    }

    fn remarks(&mut self) -> Option<&mut Vec<Pair>> {
        self.pairs.as_mut()
    }

    fn before(&mut self, run: &Run, graph: &Graph) {
        self.ops = ops(graph);
        if self.reports.before.has(run.name) {
            self.print("Before", run, graph);
        }
    }

    fn after(&mut self, run: &Run, graph: &Graph, changed: bool, took: Duration) {
        let reports = self.reports;
        let named = match (&reports.after, reports.after_change) {
            (Passes::None, true) => true,
            (passes, _) => passes.has(run.name),
        };
        if named && (changed || !reports.after_change) {
            self.print("After", run, graph);
        }
        if reports.dump_each && changed && self.failed.is_none() {
            self.written += 1;
            let name = format!("passes/{:03}_{}_{}.mlir", self.written, run.phase, run.name);
            self.failed = self.dump.write(&name, || fornax_graph::print(graph).into_bytes()).err();
        }
        let at = match self.sums.iter().position(|sum| (sum.phase, sum.name) == (run.phase, run.name)) {
            Some(at) => at,
            None => {
                let (phase, name) = (run.phase, run.name);
                self.sums.push(Sum { phase, name, runs: 0, changes: 0, took: Duration::ZERO, ops: 0 });
                self.sums.len() - 1
            }
        };
        let sum = &mut self.sums[at];
        sum.runs += 1;
        sum.changes += usize::from(changed);
        sum.took += took;
        sum.ops += ops(graph) - self.ops;
    }
}

/// Ops of all functions.
fn ops(graph: &Graph) -> i64 {
    let mut count = 0;
    for block in graph.functions.iter().filter_map(|function| graph.entry(function)) {
        graph.walk(block, &mut |_| count += 1);
    }
    count
}

fn times(sums: &[Sum]) -> String {
    let total: Duration = sums.iter().map(|sum| sum.took).sum();
    let share = |took: Duration| 100.0 * took.as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE);
    let mut text = String::from("Pass times\n      ms     share  runs  pass\n");
    for sum in sums {
        let (ms, share) = (sum.took.as_secs_f64() * 1e3, share(sum.took));
        text.push_str(&format!("{ms:>8.3}  {share:>6.1} %  {:>4}  {}: {}\n", sum.runs, sum.phase, sum.name));
    }
    text.push_str(&format!("{:>8.3}   100.0 %        all passes\n", total.as_secs_f64() * 1e3));
    text
}

fn statistics(sums: &[Sum]) -> String {
    let mut text = String::from("Pass statistics\nruns  changes     ops  pass\n");
    for sum in sums {
        text.push_str(&format!("{:>4}  {:>7}  {:>+6}  {}: {}\n", sum.runs, sum.changes, sum.ops, sum.phase, sum.name));
    }
    text
}

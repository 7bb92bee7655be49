//! What a compilation shows of its passes: graphs and programs before and after them, their times, how often each
//! changed something.
//!
//! The flags have the names and the layout of MLIR's: `--print-ir-after=fold_converts` prints each graph under a line
//! `// -----// IR Dump After fold_converts (simplify, round 1) //----- //`. Passes that run for each target on its own
//! name it: `// -----// IR Dump After arena (program, cuda:sm_80) //----- //`.

use std::time::Duration;

use fornax_passes::observe::{Ir, Observer, Run, Turn};
use fornax_passes::pipeline;

use fornax_passes::remarks::Pair;

use crate::dump::{Dump, folder_of};
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
    /// After those only that changed something; with no passes named, after each that did.
    pub after_change: bool,
    /// A table of times at the end.
    pub times: bool,
    /// A table of runs and changes at the end.
    pub statistics: bool,
    /// A file a run that changed something, in the folder of dumps.
    pub dump_each: bool,
}

impl PassReports {
    fn any(&self) -> bool {
        *self != PassReports::default()
    }

    /// Whether what a pass leaves is printed.
    fn prints_after(&self, pass: &str) -> bool {
        match (&self.after, self.after_change) {
            (Passes::None, true) => true,
            (passes, _) => passes.has(pass),
        }
    }
}

/// Sums over the runs of one pass.
struct Sum {
    phase: &'static str,
    name: &'static str,
    /// Runs shown.
    runs: usize,
    changes: usize,
    /// Ops of the graph, commands of the program, that the pass's changes added; negative where they removed some.
    ops: i64,
    /// Runs measured.
    timed: usize,
    took: Duration,
}

/// The observer that does what [`PassReports`] asks for.
pub(crate) struct Watch<'a> {
    reports: &'a PassReports,
    pub listener: Listener<'a>,
    pub dump: &'a Dump,
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

    /// Fusion's remarks, taken out.
    pub fn take_pairs(&mut self) -> Vec<Pair> {
        self.pairs.take().unwrap_or_default()
    }

    /// Prints the tables.
    ///
    /// # Errors
    /// FX0904 where a dump could not be written.
    pub fn finish(mut self) -> Result<(), CompileError> {
        if self.reports.times {
            self.sums.sort_by_key(|sum| std::cmp::Reverse(sum.took));
            (self.listener)(Event::Report(times(&self.sums)));
        }
        if self.reports.statistics {
            self.sums.sort_by_key(|sum| (sum.phase, sum.name));
            (self.listener)(Event::Report(statistics(&self.sums)));
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn print(&self, when: &str, run: &Run, ir: &dyn Ir) {
        let turn = match run.turn {
            Turn::Round(round) => format!("round {}", round + 1),
            Turn::Target(target) => target.to_string(),
        };
        let head = format!("// -----// IR Dump {when} {} ({}, {turn}) //----- //", run.name, run.phase);
        (self.listener)(Event::Report(format!("{head}\n{}", ir.text())));
    }

    fn write(&mut self, run: &Run, ir: &dyn Ir) {
        self.written += 1;
        let folder = match run.turn {
            Turn::Round(_) => String::new(),
            Turn::Target(target) => format!("{}/", folder_of(target)),
        };
        let Run { phase, name, .. } = run;
        let name = format!("{folder}passes/{:03}_{phase}_{name}.{}", self.written, ir.extension());
        self.failed = self.dump.write(&name, || ir.text().into_bytes()).err();
    }

    fn sum(&mut self, run: &Run) -> &mut Sum {
        let at = match self.sums.iter().position(|sum| (sum.phase, sum.name) == (run.phase, run.name)) {
            Some(at) => at,
            None => {
                let (phase, name) = (run.phase, run.name);
                self.sums.push(Sum { phase, name, runs: 0, changes: 0, ops: 0, timed: 0, took: Duration::ZERO });
                self.sums.len() - 1
            }
        };
        &mut self.sums[at]
    }
}

impl Observer for Watch<'_> {
    fn listens(&self) -> bool {
        self.reports.any()
    }

    fn shows(&self, pass: &str) -> bool {
        let reports = self.reports;
        reports.before.has(pass) || reports.prints_after(pass) || reports.dump_each || reports.statistics
    }

    fn remarks(&mut self) -> Option<&mut Vec<Pair>> {
        self.pairs.as_mut()
    }

    fn before(&mut self, run: &Run, ir: &dyn Ir) {
        self.ops = ir.size();
        if self.reports.before.has(run.name) {
            self.print("Before", run, ir);
        }
    }

    fn after(&mut self, run: &Run, ir: &dyn Ir, changed: bool) {
        if self.reports.prints_after(run.name) && (changed || !self.reports.after_change) {
            self.print("After", run, ir);
        }
        if self.reports.dump_each && changed && self.failed.is_none() {
            self.write(run, ir);
        }
        let added = ir.size() - self.ops;
        let sum = self.sum(run);
        sum.runs += 1;
        sum.changes += usize::from(changed);
        sum.ops += added;
    }

    fn took(&mut self, run: &Run, time: Duration) {
        let sum = self.sum(run);
        sum.timed += 1;
        sum.took += time;
    }
}

fn times(sums: &[Sum]) -> String {
    let total: Duration = sums.iter().map(|sum| sum.took).sum();
    let share = |took: Duration| 100.0 * took.as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE);
    let mut text = String::from("Pass times\n      ms     share  runs  pass\n");
    for sum in sums.iter().filter(|sum| sum.timed > 0) {
        let (ms, share) = (sum.took.as_secs_f64() * 1e3, share(sum.took));
        text.push_str(&format!("{ms:>8.3}  {share:>6.1} %  {:>4}  {}: {}\n", sum.timed, sum.phase, sum.name));
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

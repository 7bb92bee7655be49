//! Every pass from graph to graph by name, and runs of some of them alone.

use fornax_graph::Graph;

use crate::errors::PassError;
use crate::fuse::{self, Machines};
use crate::observe::{Observer, Run, observed};
use crate::simplify;

/// A row of the table of passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassRow {
    pub phase: &'static str,
    pub name: &'static str,
    /// One line.
    pub doc: &'static str,
}

/// The pass that forms kernels.
const GROUP: PassRow =
    PassRow { phase: "fuse", name: fuse::GROUP, doc: "ops that one kernel computes become a fornax.fusion" };

/// Every pass, in the order of a compilation.
pub fn passes() -> Vec<PassRow> {
    let simplify = simplify::PASSES.iter().map(|pass| PassRow { phase: "simplify", name: pass.name, doc: pass.doc });
    let scales = PassRow { phase: "fuse", name: fuse::SCALES.0, doc: fuse::SCALES.1 };
    let rewrites = fuse::REWRITES.iter().map(|row| PassRow { phase: "fuse", name: row.name, doc: row.doc });
    simplify.chain([scales]).chain(rewrites).chain([GROUP]).collect()
}

/// The pass of a name.
///
/// # Errors
/// FX0318 where there is none.
pub fn known(name: &str) -> Result<PassRow, PassError> {
    let rows = passes();
    rows.iter().find(|row| row.name == name).copied().ok_or_else(|| {
        let near = fornax_targets::nearest(name, rows.iter().map(|row| row.name));
        let hint = near.first().map_or(String::new(), |near| format!("; did you mean {near}?"));
        PassError::request("FX0318", format!("there is no pass `{name}`{hint}"))
    })
}

/// Runs passes by name, in the order given, each once. A rewrite of fuse sees the ops that are there when it runs.
///
/// # Errors
/// FX0318 for a name that no pass has; those of the passes.
pub fn run(
    graph: &Graph,
    names: &[String],
    machines: Machines,
    observer: &mut dyn Observer,
) -> Result<Graph, PassError> {
    let mut graph = graph.clone();
    for (round, name) in names.iter().enumerate() {
        let row = known(name)?;
        let run = Run { phase: row.phase, name: row.name, round };
        observed(observer, &run, &mut graph, |graph| {
            match simplify::PASSES.iter().find(|pass| pass.name == row.name) {
                Some(pass) => (pass.run)(graph, &simplify::Options::default()).map(drop),
                None => fuse::run_alone(graph, row.name, machines),
            }
        })?;
    }
    Ok(graph)
}

//! Every pass by name, and runs of some of them alone: those from graph to graph.

use fornax_graph::Graph;

use crate::decompose::{self, Which, decompose};
use crate::errors::PassError;
use crate::fuse::{self, Machines};
use crate::observe::{Nobody, Observer, Run, Turn, observed};
use crate::program;
use crate::simplify;

/// A row of the table of passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassRow {
    pub phase: &'static str,
    pub name: &'static str,
    /// One line.
    pub doc: &'static str,
}

/// Every pass, in the order of a compilation.
pub fn passes() -> Vec<PassRow> {
    let simplify = simplify::PASSES.iter().map(|pass| PassRow { phase: "simplify", name: pass.name, doc: pass.doc });
    let rewrites =
        decompose::REWRITES.iter().map(|row| PassRow { phase: decompose::PHASE, name: row.name, doc: row.doc });
    let fuse = fuse::PASSES.iter().map(|pass| PassRow { phase: fuse::PHASE, name: pass.name, doc: pass.doc });
    let program = program::PASSES.iter().map(|pass| PassRow { phase: program::PHASE, name: pass.name, doc: pass.doc });
    simplify.chain(rewrites).chain(fuse).chain(program).collect()
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

/// The pass of a name, one from graph to graph.
fn from_graph_to_graph(name: &str) -> Result<PassRow, PassError> {
    let row = known(name)?;
    if row.phase == program::PHASE {
        let why = format!("`{name}` is a pass of {}: it changes commands, not the graph", program::PHASE);
        return Err(PassError::request("FX0318", why));
    }
    Ok(row)
}

/// Runs passes by name, in the order given, each once.
///
/// # Errors
/// FX0318 for a name that no pass has, or one that does not change the graph; those of the passes.
pub fn run(
    graph: &Graph,
    names: &[String],
    machines: Machines,
    observer: &mut dyn Observer,
) -> Result<Graph, PassError> {
    let mut graph = graph.clone();
    for (round, name) in names.iter().enumerate() {
        let row = from_graph_to_graph(name)?;
        let run = Run { phase: row.phase, name: row.name, turn: Turn::Round(round) };
        observed(observer, &run, &mut graph, |graph| {
            match simplify::PASSES.iter().find(|pass| pass.name == row.name) {
                Some(pass) => (pass.run)(graph, &simplify::Options::default()).map(drop),
                None if fuse::run_alone(graph, row.name)? => Ok(()),
                None => {
                    *graph = decompose(graph, Which::Only(row.name), machines, &mut Nobody)?;
                    Ok(())
                }
            }
        })?;
    }
    Ok(graph)
}

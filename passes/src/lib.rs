//! The passes between import and code generation: simplify, fuse, schedule and program. Graph in, kernel plans and a host
//! program out; no LLVM. One pass a file, its before and after cases beside it.
#![forbid(unsafe_code)]

pub mod errors;
pub mod fuse;
pub mod program;
pub mod schedule;
pub mod simplify;

use fornax_graph::Graph;

pub use errors::{ERROR_CODES, PassError};
pub use fuse::fuse;
pub use program::{ConstantPlacement, FunctionMemory, Options, Parameter, Planned, plan};

/// A phase that rewrites the graph: what `--compile-to` names and dumps.
pub struct Pass {
    pub name: &'static str,
    /// One line for `--help` and the generated table.
    pub doc: &'static str,
    pub run: fn(&Graph) -> Result<Graph, PassError>,
}

/// Phases of this crate that go from graph to graph, in order.
pub const PASSES: &[Pass] = &[
    Pass { name: "simplify", doc: "canonical ops only, constants folded", run: simplified },
    Pass { name: "fuse", doc: "groups ops into fornax.fusion, one kernel each", run: fuse::fuse },
];

fn simplified(graph: &Graph) -> Result<Graph, PassError> {
    let mut graph = graph.clone();
    simplify::simplify(&mut graph, &simplify::Options::default())?;
    Ok(graph)
}

//! Checks a graph against the StableHLO specification: structure, types, attributes, shapes, regions, calls, dominance.
//!
//! What every op shares is checked here from its row; what is particular to an op is in the rule of its row, one file a
//! family. Sizes unknown until run time are compatible with every size.

pub mod check;
pub mod chlo;
pub mod collective;
pub mod control;
pub mod decomposed;
pub mod dot;
pub mod elementwise;
pub mod indexing;
pub mod linalg;
pub mod reduce;
pub mod shape;
mod structure;
mod window;

use crate::graph::{Graph, OpId};
use crate::location::Location;
pub use check::{Check, Fault};

/// The rule of a row: what the specification demands of this op beyond its row.
pub type Rule = fn(&Check) -> Result<(), Fault>;

/// The rule of ops whose row says all.
pub fn accept(_: &Check) -> Result<(), Fault> {
    Ok(())
}

/// One violation of the specification.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifyError {
    /// The op at fault; `None` when a function is.
    pub op: Option<OpId>,
    /// `FX02xx`
    pub code: &'static str,
    pub message: String,
    pub location: Location,
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Location { line, column, .. } = self.location;
        write!(f, "{line}:{column}: error[{}]: {}", self.code, self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Every violation, 20 at most; empty for a valid graph.
pub fn verify(graph: &Graph) -> Vec<VerifyError> {
    verify_up_to(graph, 20)
}

/// Every violation, `limit` at most.
pub fn verify_up_to(graph: &Graph, limit: usize) -> Vec<VerifyError> {
    structure::Verifier::new(graph, limit).run()
}

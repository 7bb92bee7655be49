//! What is folded: one or several accumulators, whichever way a kernel goes over its elements.

use fornax_plan::{Binary, NodeId};

use super::quick_extremum::Quick;
use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::Value;

/// A fold, as bodies have them: reductions (`reduction_folds`), sums of products (`product`).
pub trait Fold {
    /// Number of accumulators a point.
    fn operands(&self) -> usize;
    /// Merging a into b gives the same bits as merging b into a.
    fn is_symmetric(&self) -> bool;
    /// Accumulators that change nothing, at the bound point.
    fn identity(&self, e: &mut Emitter<'_>) -> Result<Vec<Value>, EmitError>;
    /// Folds in the values at the bound point and reduction step.
    fn step(&self, e: &mut Emitter<'_>, running: &[Value]) -> Result<Vec<Value>, EmitError>;
    /// Combines two partial results.
    fn merge(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Vec<Value>, EmitError>;
    /// From the accumulators to the results, at the bound point.
    fn finish(&self, e: &mut Emitter<'_>, folded: &[Value]) -> Result<Vec<Value>, EmitError>;
    /// The input, where the fold is its maximum or minimum: folding a value twice then does no harm.
    fn extremum_of(&self) -> Option<(Binary, NodeId)> {
        None
    }
    /// A cheaper fold of the same, whose result may be in doubt.
    fn quick(&self) -> Option<Quick> {
        None
    }
}

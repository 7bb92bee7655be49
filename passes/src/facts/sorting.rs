//! How much one kernel sorts, and along which dimension.
//!
//! Worked example: f32 keys with i32 positions are 8 bytes in shared memory: blocks of 2048.

use fornax_graph::{Graph, OpId, ValueId};
use fornax_kernels::sort::block::block_of;
pub use fornax_kernels::sort::block::register_bytes;

use super::ops::tensor;
use crate::errors::PassError;

/// Elements of a line that one kernel sorts from scratch, at most: a power of two.
///
/// # Errors
/// FX0316 for operands that are no tensors.
pub fn block(graph: &Graph, operands: &[ValueId]) -> Result<i64, PassError> {
    let mut bytes = 0;
    for &operand in operands {
        bytes += register_bytes(tensor(graph, operand)?.element);
    }
    Ok(block_of(bytes))
}

/// The dimension that a sort orders.
///
/// # Errors
/// FX0316 where there is none.
pub fn dimension(graph: &Graph, op: OpId) -> Result<usize, PassError> {
    let data = graph.op(op);
    let rank = tensor(graph, data.operands[0])?.rank();
    let along = data.attrs.int("dimension").unwrap_or(-1);
    let along = if along < 0 { along + rank as i64 } else { along };
    let along = usize::try_from(along).ok().filter(|&d| d < rank);
    along.ok_or_else(|| PassError::internal(graph, op, "sorts along no dimension"))
}

//! How much one kernel sorts, and along which dimension.
//!
//! Worked example: f32 keys with i32 positions are 8 bytes in shared memory: blocks of 2048.

use fornax_graph::{ElementType, Graph, OpId, ValueId};

use super::ops::tensor;
use crate::errors::PassError;

/// Elements that one kernel sorts from scratch, at most, and the bytes of their operands: what every OpenCL device has, less 16.
const BLOCK_MAX: i64 = 2048;
const BLOCK_BYTES: i64 = 32 * 1024 - 16;

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

/// The same for elements of this many bytes in registers.
pub fn block_of(bytes: i64) -> i64 {
    let fits = (BLOCK_BYTES / bytes.max(1)).clamp(1, BLOCK_MAX);
    1 << fits.ilog2()
}

/// Bytes of an element as it lies in shared memory.
pub fn register_bytes(element: ElementType) -> i64 {
    match element {
        narrow if narrow.is_narrow_float() => 4,
        other => other.storage_bytes() as i64,
    }
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

//! Which regions of reductions, windows and scatters are one binary op of their two arguments.
//!
//! Worked example: `^(%a, %b): %0 = stablehlo.add %a, %b; return %0` is an addition; a region that compares and selects
//! is none.

use fornax_graph::{BlockId, ElementType, Graph, OpKind};
use fornax_plan::Binary;

use super::ops::{Scalar, row};
use super::scalar::{identity_bits, on_booleans};

/// The combiner of a region `return op(a, b)` over exactly its two arguments.
pub fn simple(graph: &Graph, block: BlockId) -> Option<Binary> {
    let block = graph.block(block);
    let ([a, b], [op, end]) = (block.arguments.as_slice(), block.ops.as_slice()) else { return None };
    let (op, end) = (graph.op(*op), graph.op(*end));
    let Some(Scalar::Binary(binary)) = row(op.kind).map(|r| r.scalar) else { return None };
    let arguments = op.operands == [*a, *b] || op.operands == [*b, *a];
    if end.kind != OpKind::Return || end.operands != op.results || !arguments {
        return None;
    }
    let element = graph.ty(*a).as_tensor()?.element;
    let binary = if element == ElementType::I1 { on_booleans(binary) } else { binary };
    identity_bits(binary, element.accumulator()).map(|_| binary)
}

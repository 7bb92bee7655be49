//! Products: their sides, and groups of several or with what follows, which fusion writes and lowering reads.

use fornax_graph::views::dot_dims;
use fornax_graph::{Graph, OpId, OpKind, ValueId};

/// The hero of such a group.
pub const HERO: &str = "products";

/// Whether a fusion op has several products.
pub fn has_several(graph: &Graph, fusion: OpId) -> bool {
    graph.op(fusion).attrs.str("hero") == Some(HERO)
}

/// The hero of a group of a product and of what follows from it alone.
pub const JOINED: &str = "joined";

/// Whether a fusion op is a product and what follows from it alone.
pub fn is_joined(graph: &Graph, fusion: OpId) -> bool {
    graph.op(fusion).attrs.str("hero") == Some(JOINED)
}

/// Whether an op may be one of them.
pub fn is_product(graph: &Graph, op: OpId) -> bool {
    matches!(graph.op(op).kind, OpKind::Dot | OpKind::DotGeneral)
}

/// The fewer of a product's rows and columns, and the operand that has the more. `None` for other ops and where sizes
/// are not known.
pub fn rows_and_long_operand(graph: &Graph, op: OpId) -> Option<(i64, ValueId)> {
    let data = graph.op(op);
    let (lhs, rhs) = operands(graph, op)?;
    let sides = if data.kind == OpKind::Dot {
        let (rows, columns) = (lhs.len().saturating_sub(1), 1.min(rhs.len()));
        [lhs[..rows].iter().product::<i64>(), rhs[columns..].iter().product()]
    } else {
        let dims = dot_dims(data);
        let free = |shape: &[i64], contracted: &[usize], batch: &[usize]| -> i64 {
            let kept = |d: &usize| !contracted.contains(d) && !batch.contains(d);
            (0..shape.len()).filter(kept).map(|d| shape[d]).product()
        };
        [free(&lhs, &dims.lhs_contract, &dims.lhs_batch), free(&rhs, &dims.rhs_contract, &dims.rhs_batch)]
    };
    let long = usize::from(sides[0] <= sides[1]);
    Some((sides[1 - long], *data.operands.get(long)?))
}

/// Whether another product of as many outputs or more reads the same vector (or few rows): K beside Q. Both become one
/// launch, which fills a device that the smaller one alone does not.
pub fn is_beside_another(graph: &Graph, fusion: OpId) -> bool {
    let elements = |v: ValueId| Some(graph.ty(v).as_tensor()?.static_shape()?.iter().product::<i64>());
    let of = |op: OpId| -> Option<(ValueId, i64)> {
        let data = graph.op(op);
        let is_product = data.kind == OpKind::Fusion && data.attrs.str("hero") == Some("contraction");
        let short =
            data.operands.iter().copied().filter(|_| is_product).min_by_key(|&v| elements(v).unwrap_or(i64::MAX))?;
        Some((short, elements(*data.results.first()?)?))
    };
    let Some((short, outputs)) = of(fusion) else { return false };
    let around = graph.blocks.iter().find(|block| block.ops.contains(&fusion));
    let mut others = around.into_iter().flat_map(|block| &block.ops).filter(|&&op| op != fusion);
    others.any(|&op| of(op).is_some_and(|(other, more)| other == short && more >= outputs))
}

/// The shapes of a product's operands, if they are known.
pub fn operands(graph: &Graph, op: OpId) -> Option<(Vec<i64>, Vec<i64>)> {
    let data = graph.op(op);
    if !is_product(graph, op) {
        return None;
    }
    let shape = |at: usize| graph.ty(*data.operands.get(at)?).as_tensor()?.static_shape();
    Some((shape(0)?, shape(1)?))
}

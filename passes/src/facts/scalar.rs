//! Elementwise ops as scalar nodes, and regions of scalar ops (of `reduce`, `map`).

use std::collections::HashMap;

use fornax_graph::{BlockId, ElementType, Graph, OpId, OpKind, ValueId};
pub use fornax_plan::identity::{bits_of, identity_bits, mask};
use fornax_plan::{Binary, Compare, Exprs, Node, NodeId};

use super::ops::{self, Scalar, splat_bits, tensor};
use crate::errors::PassError;

/// `compare` attribute values → (IEEE order, total order).
const DIRECTIONS: &[(&str, Compare, Compare)] = &[
    ("EQ", Compare::Eq, Compare::TotalEq),
    ("NE", Compare::Ne, Compare::TotalNe),
    ("LT", Compare::Lt, Compare::TotalLt),
    ("LE", Compare::Le, Compare::TotalLe),
    ("GT", Compare::Gt, Compare::TotalGt),
    ("GE", Compare::Ge, Compare::TotalGe),
];

/// StableHLO arithmetic on i1 is logic.
pub fn on_booleans(op: Binary) -> Binary {
    match op {
        Binary::Add | Binary::Maximum => Binary::Or,
        Binary::Multiply | Binary::Minimum => Binary::And,
        other => other,
    }
}

/// The scalar result of an elementwise op on scalar operands.
pub fn apply(graph: &Graph, op: OpId, operands: &[NodeId], exprs: &mut Exprs) -> Result<NodeId, PassError> {
    let data = graph.op(op);
    let row = ops::row(data.kind);
    let missing = || PassError::internal(graph, op, format!("`{}` lacks an operand or attribute", data.kind.name()));
    match (row.map(|r| r.scalar), operands) {
        (Some(Scalar::Unary(u)), &[a]) => return Ok(exprs.unary(u, a)),
        (Some(Scalar::Binary(b)), &[x, y]) => {
            let b = if exprs.element(x) == ElementType::I1 { on_booleans(b) } else { b };
            return Ok(exprs.binary(b, x, y));
        }
        _ => {}
    }
    let result = *data.results.first().ok_or_else(missing)?;
    Ok(match (data.kind, operands) {
        (OpKind::Compare, &[a, b]) => {
            let direction = data.attrs.keyword("comparison_direction").ok_or_else(missing)?;
            let row = DIRECTIONS.iter().find(|r| r.0 == direction).ok_or_else(missing)?;
            let total = data.attrs.keyword("compare_type") == Some("TOTALORDER") && exprs.element(a).is_float();
            exprs.compare(if total { row.2 } else { row.1 }, a, b)
        }
        (OpKind::Select, &[condition, a, b]) => exprs.select(condition, a, b),
        (OpKind::Clamp, &[low, a, high]) => {
            let logic = exprs.element(a) == ElementType::I1;
            let pick = |b| if logic { on_booleans(b) } else { b };
            let raised = exprs.binary(pick(Binary::Maximum), a, low);
            exprs.binary(pick(Binary::Minimum), raised, high)
        }
        (OpKind::Convert, &[a]) => exprs.convert(tensor(graph, result)?.element, a),
        (OpKind::BitcastConvert, &[a]) => exprs.add(Node::Bitcast { element: tensor(graph, result)?.element, a }),
        (OpKind::ReducePrecision, &[a]) => {
            let bits = |name| data.attrs.int(name).and_then(|n| u32::try_from(n).ok()).ok_or_else(missing);
            let (exponent, mantissa) = (bits("exponent_bits")?, bits("mantissa_bits")?);
            exprs.add(Node::ReducePrecision { exponent, mantissa, a })
        }
        (OpKind::Map, operands) => {
            let block = body(graph, op)?;
            let results = region(graph, op, block, operands, exprs)?;
            *results.first().ok_or_else(missing)?
        }
        _ => return Err(PassError::no_kernel(graph, op, "FX0315", "cannot be computed element by element")),
    })
}

/// The block of an op's first region.
pub fn body(graph: &Graph, op: OpId) -> Result<BlockId, PassError> {
    let region = graph.op(op).regions.first().copied();
    let block = region.and_then(|r| graph.region(r).blocks.first().copied());
    block.ok_or_else(|| PassError::internal(graph, op, "has no region"))
}

/// Evaluates a region of scalar ops on scalar arguments; `owner` is named in messages.
pub fn region(
    graph: &Graph,
    owner: OpId,
    block: BlockId,
    arguments: &[NodeId],
    exprs: &mut Exprs,
) -> Result<Vec<NodeId>, PassError> {
    let mut values: HashMap<ValueId, NodeId> = HashMap::new();
    let parameters = &graph.block(block).arguments;
    if parameters.len() != arguments.len() {
        return Err(PassError::internal(graph, owner, "its region has another number of arguments"));
    }
    values.extend(parameters.iter().copied().zip(arguments.iter().copied()));
    let outside = || PassError::no_kernel(graph, owner, "FX0315", "has a region that reads values from outside it");
    for &op in &graph.block(block).ops {
        let data = graph.op(op);
        let mut operands = Vec::with_capacity(data.operands.len());
        for v in &data.operands {
            // Merged duplicates leave a region with constants from outside it.
            let constant = |exprs: &mut Exprs| {
                let bits = splat_bits(graph, *v).ok_or_else(outside)?;
                Ok::<_, PassError>(exprs.add(Node::Constant { element: tensor(graph, *v)?.element, bits }))
            };
            operands.push(match values.get(v) {
                Some(&node) => node,
                None => constant(exprs)?,
            });
        }
        match data.kind {
            OpKind::Return => return Ok(operands),
            OpKind::Constant => {
                let result = data.results[0];
                let bits = splat_bits(graph, result).ok_or_else(outside)?;
                let node = exprs.add(Node::Constant { element: tensor(graph, result)?.element, bits });
                values.insert(result, node);
            }
            // Scalars: these change nothing.
            OpKind::Reshape | OpKind::BroadcastInDim | OpKind::OptimizationBarrier => {
                values.extend(data.results.iter().copied().zip(operands));
            }
            _ => {
                ops::check(graph, op)?;
                if data.results.iter().any(|&r| tensor(graph, r).map_or(true, |t| t.rank() != 0)) {
                    return Err(PassError::no_kernel(graph, op, "FX0315", "is not scalar inside a reduction"));
                }
                let node = apply(graph, op, &operands, exprs)?;
                values.insert(data.results[0], node);
            }
        }
    }
    Err(PassError::internal(graph, owner, "its region does not return"))
}

/// The value of a float constant.
pub fn float_of(element: ElementType, bits: u64) -> Option<f64> {
    Some(match element {
        ElementType::F64 => f64::from_bits(bits),
        ElementType::F32 => f64::from(f32::from_bits(bits as u32)),
        ElementType::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
        ElementType::F16 => {
            let (sign, exponent, mantissa) = (bits >> 15 & 1, (bits >> 10 & 31) as i32, (bits & 1023) as f64);
            let magnitude = match exponent {
                0 => mantissa / 1024.0 * 2f64.powi(-14),
                31 if mantissa == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                e => (1.0 + mantissa / 1024.0) * 2f64.powi(e - 15),
            };
            if sign == 1 { -magnitude } else { magnitude }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities() {
        assert_eq!(identity_bits(Binary::Maximum, ElementType::I8), Some(0x80));
        assert_eq!(identity_bits(Binary::Minimum, ElementType::I8), Some(0x7f));
        assert_eq!(identity_bits(Binary::Maximum, ElementType::Ui8), Some(0));
        assert_eq!(identity_bits(Binary::Minimum, ElementType::I64), Some(i64::MAX as u64));
        assert_eq!(identity_bits(Binary::Multiply, ElementType::Bf16), Some(0x3f80));
        assert_eq!(identity_bits(Binary::And, ElementType::I1), Some(1));
        assert_eq!(identity_bits(Binary::Maximum, ElementType::I4), Some(8));
        assert_eq!(identity_bits(Binary::Maximum, ElementType::F16), Some(0xfc00));
        assert_eq!(identity_bits(Binary::Minimum, ElementType::F8E5M2), Some(0x7c));
        assert_eq!(identity_bits(Binary::Maximum, ElementType::F8E4M3FN), None);
        assert_eq!(identity_bits(Binary::Multiply, ElementType::F8E8M0FNU), Some(127));
        assert_eq!(identity_bits(Binary::Divide, ElementType::F32), None);
    }
}

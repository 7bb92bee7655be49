//! What the weights of an output are scaled by meets its sum, not each of its products: Σ x·(w·s) is s·Σ x·w.
//!
//! Input: the plan of products of one row. Output: the same, where an operand that is elements of 8 bits times what no
//! step changes is the elements alone. Such products are bound by their instructions nearly as much as by memory.
//!
//! Worked example: `x·(convert(w) * s)ᵀ` of [1, 4096] and [14336, 4096] in E4M3, a scale s a row: the operand is a
//! plain load, `convert(w)`. An element takes half a conversion of pairs, one to f32 and a multiply-add, and no
//! product more.
//!
//! Limits: sums in f32, of one product each. They round otherwise than those of scaled elements, by no more.

use std::collections::HashMap;

use fornax_graph::ElementType;
use fornax_plan::form::{exact_source, points};
use fornax_plan::substitute::Substitution;
use fornax_plan::{Binary, Body, Exprs, KernelPlan, Node, NodeId, Product, VarId};

/// Bits of an element whose scale is taken out. Blocks of fewer have scales that steps change, and a family's own way.
const BITS: u32 = 8;

/// Takes the scales of outputs out of the operands of a plan, into what it stores.
pub(super) fn behind_sums(plan: &mut KernelPlan) {
    let KernelPlan { exprs, body, domain, .. } = plan;
    let taken: Vec<Option<NodeId>> = match body {
        Body::Contraction { reduction, lhs, rhs, accumulator: ElementType::F32, .. } => {
            vec![scale(exprs, (domain, reduction), [lhs, rhs])]
        }
        Body::Products(p) if p.accumulator == ElementType::F32 => {
            let of_sum = |sum: &mut Vec<Product>| match sum.as_mut_slice() {
                [Product { reduction, lhs, rhs }] => scale(exprs, (domain, reduction), [lhs, rhs]),
                _ => None,
            };
            p.sums.iter_mut().map(of_sum).collect()
        }
        _ => return,
    };
    let mut reduced: HashMap<u32, NodeId> = HashMap::new();
    for (index, scale) in (0..).zip(taken) {
        let Some(scale) = scale else { continue };
        let sum = exprs.add(Node::Reduced { index, element: ElementType::F32 });
        reduced.insert(index, exprs.binary(Binary::Multiply, sum, scale));
    }
    if let (Some(stores), false) = (body.stores_mut(), reduced.is_empty()) {
        let none = HashMap::new();
        let mut s = Substitution::new(exprs, &none);
        s.reduced = reduced;
        stores.iter_mut().for_each(|store| store.value = s.node(store.value));
    }
}

/// Takes what no step changes out of the factors of a product of one row, and gives the product of all of it.
fn scale(exprs: &mut Exprs, (domain, steps): (&[VarId], &[VarId]), [lhs, rhs]: [&mut NodeId; 2]) -> Option<NodeId> {
    let mut taken: Option<NodeId> = None;
    let others = [*rhs, *lhs];
    for (operand, other) in [lhs, rhs].into_iter().zip(others) {
        let rows: Vec<VarId> = domain.iter().copied().filter(|&var| exprs.node_varies(other, var)).collect();
        let Some((elements, scale)) = scaled(exprs, *operand, steps).filter(|_| points(exprs, &rows) == 1) else {
            continue;
        };
        *operand = elements;
        taken = Some(match taken {
            Some(so_far) => exprs.binary(Binary::Multiply, so_far, scale),
            None => scale,
        });
    }
    taken
}

/// The elements of 8 bits that are scaled, in f32, and their scale.
fn scaled(exprs: &Exprs, operand: NodeId, steps: &[VarId]) -> Option<(NodeId, NodeId)> {
    let Node::Binary { op: Binary::Multiply, a, b } = *exprs.node(operand) else { return None };
    let is_narrow = |node: NodeId| exprs.element(exact_source(exprs, node)).bits() == BITS;
    let stays = |node: NodeId| !steps.iter().any(|&var| exprs.node_varies(node, var));
    [(a, b), (b, a)].into_iter().find(|&(elements, scale)| is_narrow(elements) && stays(scale))
}

#[cfg(test)]
mod tests {
    use crate::example::import;
    use crate::program::Options;
    use fornax_plan::{Body, Node};
    use fornax_targets::Target;

    /// Many workgroups of two rows end more evenly than few of four (`fornax_kernels::gemv::candidates`).
    #[test]
    fn narrow_weights_have_two_rows_a_thread() {
        let (x, w, y) = ("tensor<1x4096xbf16>", "tensor<4096x4096xf8E4M3FN>", "tensor<1x4096xf32>");
        let model = format!(
            "func.func @main(%x: {x}, %w: {w}) -> {y} {{\n\
             %u = stablehlo.convert %w : ({w}) -> tensor<4096x4096xbf16>\n\
             %y = stablehlo.dot_general %x, %u, contracting_dims = [1] x [1] \
                 : ({x}, tensor<4096x4096xbf16>) -> {y}\n\
             return %y : {y}\n}}\n"
        );
        let graph = crate::fuse(&import(&model)).unwrap();
        let planned = crate::plan(&graph, &Target::from_spec("cuda:sm_90a").unwrap(), &Options::default()).unwrap();
        let ways: Vec<String> = planned.kernels.iter().map(|plan| plan.way()).collect();
        assert!(ways.iter().any(|way| way.contains("lanes 16 tile 2 depth 1")), "{ways:?}");
    }

    /// Whether the long operand of `x·(convert(w) * s)ᵀ` is a plain load, for so many rows.
    fn is_plain(rows: u32, scale: &str) -> bool {
        let (x, y) = (format!("tensor<{rows}x256xf32>"), format!("tensor<{rows}x512xf32>"));
        let model = format!(
            "func.func @main(%x: {x}, %w: tensor<512x256xf8E4M3FN>, %s: tensor<256xf32>, %t: tensor<512xf32>) \
                 -> {y} {{\n\
             %v = stablehlo.convert %w : (tensor<512x256xf8E4M3FN>) -> tensor<512x256xf32>\n\
             %b = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<512xf32>) -> tensor<512x256xf32>\n\
             %c = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>\n\
             %u = stablehlo.multiply %v, {scale} : tensor<512x256xf32>\n\
             %y = stablehlo.dot_general %x, %u, contracting_dims = [1] x [1] \
                 : ({x}, tensor<512x256xf32>) -> {y}\n\
             return %y : {y}\n}}\n"
        );
        let graph = crate::fuse(&import(&model)).unwrap();
        let planned = crate::plan(&graph, &Target::from_spec("cuda:sm_90a").unwrap(), &Options::default()).unwrap();
        planned.kernels.iter().any(|plan| match &plan.body {
            Body::Contraction { lhs, rhs, .. } => {
                [lhs, rhs].iter().all(|side| !matches!(plan.exprs.node(**side), Node::Binary { .. }))
            }
            _ => false,
        })
    }

    #[test]
    fn what_no_step_changes_meets_the_sum() {
        assert!(is_plain(1, "%b"));
        assert!(!is_plain(1, "%c"), "each step has its own");
        assert!(!is_plain(3, "%b"), "an element is scaled once for all rows");
    }
}

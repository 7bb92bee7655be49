//! CPU: an operand whose elements lie apart along the lanes is copied, so that vectors are loaded.
//!
//! A depthwise convolution multiplies a vector of channels with the filters of those channels. PyTorch and ONNX keep
//! filters as [C, 1, H, W]: neighbouring channels lie H·W elements apart. Without a copy such a convolution has no
//! lanes at all. Weights are copied once, when the module is loaded; other operands once a call.
//!
//! Worked example: depthwise 3×3 of [1, 56, 56, 144] f32 with filters [144, 1, 3, 3]: the copy is [3, 3, 144], and the
//! load offset 9·c + 3·h + w becomes 432·h + 144·w + c.

use fornax_plan::index::Atom;
use fornax_plan::{Access, Body, Buffer, IndexId, KernelPlan, Node, NodeId, Store, Unscheduled, VarId};
use fornax_targets::Target;

use super::candidates::{common, cut};
use crate::access::{Step, loads, step};

/// Lanes that are worth a copy: fewer are left to scalars anyway.
const LANES_MIN: i64 = 4;
/// Outputs that must use an element of the copy, where it is made in each call.
const USES_MIN: i64 = 8;

/// Makes a contraction that has no lanes read a copy of one operand, where it then has them. Gives the buffer that is
/// copied and the plan of the kernel that copies it, from its buffer 0 to its buffer 1. `is_constant` tells of a buffer
/// whether it is the same in every call.
pub fn operand_along_lanes(
    plan: &mut KernelPlan,
    target: &Target,
    is_constant: &dyn Fn(u32) -> bool,
) -> Option<(u32, KernelPlan)> {
    let Body::Contraction { lhs, rhs, .. } = plan.body else { return None };
    if target.is_gpu() || cut(plan, target).lanes.is_some() {
        return None;
    }
    let (apart, var) = lane(plan, lhs, rhs).map(|v| (rhs, v)).or_else(|| lane(plan, rhs, lhs).map(|v| (lhs, v)))?;
    let Node::Load { buffer, offset, element, .. } = *plan.exprs.node(loaded(plan, apart)) else { return None };
    let extent = |v: &VarId| plan.exprs.indices.extent(*v);
    let moves = |v: &VarId| step(&plan.exprs, offset, *v) != Step::Same;
    let uses = plan.domain.iter().filter(|v| !moves(v)).map(extent).fold(1, i64::saturating_mul);
    if !is_constant(buffer) && uses < USES_MIN {
        return None;
    }
    let loops = plan.domain.iter().chain(plan.body.reduction()).copied();
    let mut order: Vec<VarId> = loops.filter(|v| *v != var && moves(v)).collect();
    order.push(var);
    // The copy has one layout. The other loops may have sizes of run time.
    if order.iter().any(|&v| plan.exprs.indices.run_extent(v).is_some()) {
        return None;
    }
    let shape: Vec<i64> = order.iter().map(extent).collect();
    let elements = shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;

    let mut exprs = plan.exprs.clone();
    let index: Vec<IndexId> = order.iter().map(|&v| exprs.indices.var(v)).collect();
    let place = exprs.indices.linearize(&index, &shape);
    let value = exprs.add(Node::Load { buffer: 0, element, offset, mask: None });
    let written = Buffer { element, elements, access: Access::Write };
    let copy = KernelPlan::new(
        exprs,
        vec![plan.buffers[buffer as usize].clone(), written],
        order.clone(),
        Body::Loop { stores: vec![Store { buffer: 1, offset: place, value }] },
        Unscheduled,
        "pack".to_string(),
    );

    let KernelPlan { exprs, buffers, body, .. } = plan;
    let index: Vec<IndexId> = order.iter().map(|&v| exprs.indices.var(v)).collect();
    let offset = exprs.indices.linearize(&index, &shape);
    let packed = exprs.add(Node::Load { buffer, element, offset, mask: None });
    let packed = exprs.convert(exprs.element(apart), packed);
    if let Body::Contraction { lhs, rhs, .. } = body {
        *(if *rhs == apart { rhs } else { lhs }) = packed;
    }
    buffers[buffer as usize].elements = elements;
    Some((buffer, copy))
}

/// The variable that lanes could lie along if `apart` did not step by more than one element with it.
fn lane(plan: &KernelPlan, along: NodeId, apart: NodeId) -> Option<VarId> {
    let Node::Load { buffer, offset, mask: None, .. } = *plan.exprs.node(loaded(plan, apart)) else { return None };
    let terms = &plan.exprs.indices.linear(offset).terms;
    let is_affine = terms.iter().all(|term| matches!(plan.exprs.indices.atom(term.0), Atom::Var(_)));
    let reads = |node: &&NodeId| matches!(plan.exprs.node(**node), Node::Load { buffer: b, .. } if *b == buffer);
    if !is_affine || plan.reached().nodes.iter().filter(reads).count() != 1 {
        return None;
    }
    let of_along = loads(&plan.exprs, &[along]);
    plan.domain.iter().copied().find(|&var| {
        let is_apart = matches!(step(&plan.exprs, offset, var), Step::By(n) if n != 1);
        is_apart && common(plan, &of_along, var).is_one() && plan.exprs.indices.extent(var) >= LANES_MIN
    })
}

/// The load behind a conversion.
fn loaded(plan: &KernelPlan, node: NodeId) -> NodeId {
    match *plan.exprs.node(node) {
        Node::Convert { a, .. } => a,
        _ => node,
    }
}

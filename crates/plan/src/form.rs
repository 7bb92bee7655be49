//! The form of a contraction: which loop variables are batch, rows, columns and steps, and what its operands load.
//!
//! Input: a plan whose body is a contraction. Output: `batch × rows × columns` over the domain, `steps` over the
//! reduction, and for each operand whether it is plainly a load. Schedules and emitters of products read the same form,
//! so that what one admits the other can write.
//!
//! Worked example: [8, 128, 64]·[8, 96, 64] → [8, 128, 96] (q·kᵀ): batch = i0 < 8, rows = i1 < 128 (lhs), columns =
//! i2 < 96 (rhs, the contiguous side of the result), steps = i3 < 64; both operands have stride 1 along the steps.

use fornax_graph::ElementType;

use crate::expr::{Exprs, Node, NodeId};
use crate::index::{IndexId, VarId};
use crate::kernel::{Body, KernelPlan};
use crate::precision::Precision;
use crate::products::Product;

/// A contraction as `Σ_steps rows·columns` for every batch.
#[derive(Clone, Debug)]
pub struct ContractionForm {
    /// Domain variables by what they move, outermost first: both operands (or none), the row operand, the column
    /// operand.
    pub batch: Vec<VarId>,
    pub rows: Vec<VarId>,
    pub columns: Vec<VarId>,
    /// Reduction variables, outermost first.
    pub steps: Vec<VarId>,
    pub row_operand: Operand,
    pub column_operand: Operand,
    /// The row operand is the body's `rhs`.
    pub swapped: bool,
    pub accumulator: ElementType,
    pub precision: Precision,
}

/// One side of the product.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// The operand as the body has it, in the accumulator's type.
    pub node: NodeId,
    /// The same value before conversions that lose nothing: bf16 where the body says f32(bf16).
    pub narrow: NodeId,
    /// Element type of `narrow`.
    pub element: ElementType,
    /// Set where `narrow` is one load.
    pub load: Option<DirectLoad>,
}

/// A load, and zero where its mask is false.
#[derive(Clone, Copy, Debug)]
pub struct DirectLoad {
    pub buffer: u32,
    pub offset: IndexId,
    /// Where false, the operand is zero (padding of a convolution).
    pub mask: Option<NodeId>,
}

impl ContractionForm {
    /// The form of a plan; `None` for other bodies.
    pub fn of(plan: &KernelPlan) -> Option<ContractionForm> {
        let Body::Contraction { reduction, lhs, rhs, accumulator, precision, .. } = &plan.body else { return None };
        Some(ContractionForm::of_product(plan, (reduction, *lhs, *rhs), (*accumulator, *precision)))
    }

    /// The forms of all products of a plan, in the order of its sums; none for other bodies.
    pub fn all(plan: &KernelPlan) -> Vec<ContractionForm> {
        let Body::Products(p) = &plan.body else { return ContractionForm::of(plan).into_iter().collect() };
        let form = |product: &Product| {
            let Product { reduction, lhs, rhs } = product;
            ContractionForm::of_product(plan, (reduction, *lhs, *rhs), (p.accumulator, p.precision))
        };
        p.all().map(form).collect()
    }

    fn of_product(
        plan: &KernelPlan,
        (reduction, lhs, rhs): (&[VarId], NodeId, NodeId),
        (accumulator, precision): (ElementType, Precision),
    ) -> ContractionForm {
        let exprs = &plan.exprs;
        let [mut batch, mut left, mut right]: [Vec<VarId>; 3] = Default::default();
        for &var in &plan.domain {
            match (exprs.node_varies(lhs, var), exprs.node_varies(rhs, var)) {
                (true, false) => left.push(var),
                (false, true) => right.push(var),
                _ => batch.push(var),
            }
        }
        // Columns are the contiguous side of the first result.
        let first = plan.body.stores().first();
        let contiguous =
            |vars: &[VarId]| first.is_some_and(|s| vars.iter().any(|&v| exprs.indices.stride(s.offset, v) == Some(1)));
        let swapped = contiguous(&left) && !contiguous(&right);
        let (mut rows, mut columns) = (left, right);
        let (mut row_node, mut column_node) = (lhs, rhs);
        if swapped {
            std::mem::swap(&mut rows, &mut columns);
            std::mem::swap(&mut row_node, &mut column_node);
        }
        ContractionForm {
            batch,
            rows,
            columns,
            steps: reduction.to_vec(),
            row_operand: Operand::of(exprs, row_node),
            column_operand: Operand::of(exprs, column_node),
            swapped,
            accumulator,
            precision,
        }
    }
}

impl Operand {
    /// What a node of a product's operand loads.
    pub fn of(exprs: &Exprs, node: NodeId) -> Operand {
        let narrow = exact_source(exprs, node);
        Operand { node, narrow, element: exprs.element(narrow), load: direct(exprs, narrow) }
    }

    /// Elements from one value of the joint (row-major) index of `vars` to the next, where that is one number.
    /// `None` where the operand is no plain load or its offset is not linear in the joint index.
    pub fn stride(&self, exprs: &Exprs, vars: &[VarId]) -> Option<i64> {
        joint_stride(exprs, self.load?.offset, vars)
    }
}

/// Number of points of some variables.
pub fn points(exprs: &Exprs, vars: &[VarId]) -> i64 {
    vars.iter().map(|&v| exprs.indices.extent(v).max(0)).fold(1, i64::saturating_mul)
}

/// Change of an offset when the row-major joint index of `vars` goes up by one; `None` where it is not one number.
pub fn joint_stride(exprs: &Exprs, offset: IndexId, vars: &[VarId]) -> Option<i64> {
    let mut joint: Option<i64> = None;
    let mut below = 1;
    for &var in vars.iter().rev() {
        let extent = exprs.indices.extent(var);
        if extent == 1 {
            continue;
        }
        if exprs.index_varies(offset, var) && exprs.indices.stride(offset, var) == Some(0) {
            return None;
        }
        let stride = exprs.indices.stride(offset, var)?;
        match joint {
            None => joint = Some(stride),
            Some(inner) if inner.checked_mul(below) == Some(stride) => {}
            Some(_) => return None,
        }
        below = i64::saturating_mul(below, extent);
    }
    Some(joint.unwrap_or(0))
}

/// The node before conversions that keep every value exactly.
pub fn exact_source(exprs: &Exprs, mut node: NodeId) -> NodeId {
    while let Node::Convert { element, a } = *exprs.node(node) {
        if !widens_exactly(exprs.element(a), element) {
            break;
        }
        node = a;
    }
    // A masked conversion is a conversion of a masked value: zero is zero in every type.
    node
}

/// Every value of `from` is a value of `to`.
pub fn widens_exactly(from: ElementType, to: ElementType) -> bool {
    let wide = |e: ElementType| e.signed_format().filter(|_| !e.is_small_float());
    let float_bits = |e: ElementType| wide(e).map(|f| (f.exponent_bits, f.mantissa_bits));
    // A bare exponent has no zero, and a masked value must keep its own.
    if let Some(small) = from.signed_format().filter(|_| from.is_small_float()) {
        return float_bits(to).is_some_and(|to| small.exponent_bits <= to.0 && small.mantissa_bits <= to.1);
    }
    match (float_bits(from), float_bits(to)) {
        (Some(a), Some(b)) => a.0 <= b.0 && a.1 <= b.1,
        (None, Some((_, mantissa))) if from.is_integer() => from.bits() <= mantissa,
        (None, None) if from.is_integer() && to.is_integer() => {
            let (signed, widened) = (!from.is_unsigned(), !to.is_unsigned());
            signed == widened && from.bits() <= to.bits() || !signed && widened && from.bits() < to.bits()
        }
        _ => false,
    }
}

/// The load behind a node: itself, or a select of it against zero under its own mask.
fn direct(exprs: &Exprs, node: NodeId) -> Option<DirectLoad> {
    match *exprs.node(node) {
        Node::Load { buffer, offset, mask: None, .. } => Some(DirectLoad { buffer, offset, mask: None }),
        Node::Select { condition, a, b } => {
            let Node::Load { buffer, offset, mask, .. } = *exprs.node(a) else { return None };
            let zero = matches!(exprs.node(b), Node::Constant { bits: 0, .. });
            (zero && mask.is_none_or(|m| m == condition)).then_some(DirectLoad {
                buffer,
                offset,
                mask: Some(condition),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Access, Buffer, Store};
    use crate::schedule::Unscheduled;
    use ElementType::{Bf16 as BF16, F16, F32, F64, I8, I32};

    /// [2, m, k]·[2, n, k] with bf16 operands; `transposed` stores [2, n, m].
    fn product(m: i64, n: i64, k: i64, transposed: bool) -> KernelPlan {
        let mut x = Exprs::default();
        let [b, i, j, p] = [2, m, n, k].map(|extent| x.indices.add_var(extent));
        let [vb, vi, vj, vp] = [b, i, j, p].map(|v| x.indices.var(v));
        let at = |x: &mut Exprs, buffer, index: [IndexId; 3], shape: [i64; 3]| {
            let offset = x.indices.linearize(&index, &shape);
            let load = x.add(Node::Load { buffer, element: BF16, offset, mask: None });
            x.convert(F32, load)
        };
        let lhs = at(&mut x, 0, [vb, vi, vp], [2, m, k]);
        let rhs = at(&mut x, 1, [vb, vj, vp], [2, n, k]);
        let value = x.add(Node::Reduced { index: 0, element: F32 });
        let offset = if transposed {
            x.indices.linearize(&[vb, vj, vi], &[2, n, m])
        } else {
            x.indices.linearize(&[vb, vi, vj], &[2, m, n])
        };
        let stores = vec![Store { buffer: 2, offset, value }];
        let precision = Precision::Ieee;
        let body = Body::Contraction { reduction: vec![p], lhs, rhs, accumulator: F32, precision, stores };
        let buffer = |element, elements, access| Buffer { element, elements, access };
        let buffers = vec![
            buffer(BF16, 2 * m * k, Access::Read),
            buffer(BF16, 2 * n * k, Access::Read),
            buffer(F32, 2 * m * n, Access::Write),
        ];
        let schedule = Unscheduled;
        KernelPlan::new(x, buffers, vec![b, i, j], body, schedule, "product".into())
    }

    #[test]
    fn variables_fall_into_their_groups() {
        let plan = product(128, 96, 64, false);
        let form = ContractionForm::of(&plan).expect("a contraction");
        let d = &plan.domain;
        assert_eq!((form.batch, form.rows, form.columns), (vec![d[0]], vec![d[1]], vec![d[2]]));
        assert!(!form.swapped);
        assert_eq!(form.row_operand.element, BF16);
        assert_eq!(form.row_operand.stride(&plan.exprs, &form.steps), Some(1));
        assert_eq!(form.column_operand.stride(&plan.exprs, &[d[2]]), Some(64));
        assert_eq!(form.column_operand.stride(&plan.exprs, &[d[0], d[2]]), Some(64));
        assert_eq!(form.column_operand.stride(&plan.exprs, &[d[0], d[1], d[2]]), None);
    }

    #[test]
    fn columns_are_the_contiguous_side_of_the_result() {
        let plan = product(128, 96, 64, true);
        let form = ContractionForm::of(&plan).expect("a contraction");
        assert!(form.swapped);
        assert_eq!(form.columns, vec![plan.domain[1]]);
    }

    #[test]
    fn exact_widenings() {
        let (e4, e5, power) = (ElementType::F8E4M3FN, ElementType::F8E5M2FNUZ, ElementType::F8E8M0FNU);
        for (from, to) in [(BF16, F32), (F16, F32), (F32, F64), (I8, I32), (I8, F32), (e4, BF16), (e5, F16), (e4, F32)]
        {
            assert!(widens_exactly(from, to), "{from:?} to {to:?}");
        }
        let none = [(e4, ElementType::F8E4M3), (power, F32), (F32, e4)];
        for (from, to) in
            [(F32, BF16), (F16, BF16), (BF16, F16), (I32, F32), (I32, I8), (F64, F32)].into_iter().chain(none)
        {
            assert!(!widens_exactly(from, to), "{from:?} to {to:?}");
        }
    }
}

//! Clusters whose rows want a maximum and the sum of exponentials against it (a softmax): one meeting instead of two.
//!
//! Each workgroup adds its exponentials up against the maximum of its own part. Then all exchange both: of parts (m, s)
//! with M the largest m, the sum is that of s·e^(m − M). Exponentials that are wanted for every element are computed
//! again, against M. A part without anything above −∞ has no sum (∞ − ∞): it counts nothing, unless the whole row is
//! like that.
//!
//! Worked example, 2 workgroups: (3, 1.5) and (5, 1.25): M = 5, the sum 1.5·e⁻² + 1.25.

use fornax_graph::ElementType;
use fornax_plan::{Binary, Body, Combiner, Node, Unary};

use super::cluster::{Part, gather};
use super::emit::Row;
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::math;
use fornax_emit::text::Value;

/// Whether the first two reductions of a row that a cluster shares are these.
pub fn applies(e: &Emitter<'_>, row: &Row<'_>) -> bool {
    let Body::Row { folds, .. } = &e.plan.body else { return false };
    let [largest, sum, ..] = folds.as_slice() else { return false };
    let (&[x], &[power]) = (largest.inputs.as_slice(), sum.inputs.as_slice()) else { return false };
    let (maximum, add) = (Combiner::Simple(Binary::Maximum), Combiner::Simple(Binary::Add));
    let Node::Unary { op: Unary::Exponential, a } = *e.exprs.node(power) else { return false };
    let Node::Binary { op: Binary::Subtract, a: from, b: less } = *e.exprs.node(a) else { return false };
    row.schedule.cluster > 1
        && row.across
        && (&largest.combiner, &sum.combiner) == (&maximum, &add)
        && from == x
        && matches!(e.exprs.node(less), Node::Reduced { index: 0, .. })
        && e.exprs.element(power) == ElementType::F32
}

/// The row's sum, where the present `Reduced(0)` is the largest of the workgroup's part and `sum` adds up against it;
/// `Reduced(0)` becomes the row's.
pub fn meet(e: &mut Emitter<'_>, sum: &[Value], meeting: (Part, u32, usize)) -> Result<Value, EmitError> {
    let (Some(largest), &[sum]) = (e.slot(Slot::Reduced(0)), sum) else {
        return Err(e.malformed("a sum of exponentials without a maximum"));
    };
    let parts = gather(e, &[largest, sum], meeting);
    let low = f64::NEG_INFINITY;
    let mut whole = e.code.float(largest.ty, low);
    for part in &parts {
        whole = e.combine(Binary::Maximum, ElementType::F32, whole, part[0])?;
    }
    let something = e.code.cmp_fk("une", whole, low);
    let (zero, one) = (e.code.float(sum.ty, 0.0), e.code.float(sum.ty, 1.0));
    let mut total: Option<Value> = None;
    for part in parts {
        let (own, sum) = (part[0], part[1]);
        let less = e.code.sub_f(own, whole);
        let Some(row) = math::unary(Unary::Exponential) else { return Err(e.malformed("no exponential")) };
        let factor = (row.emit)(&mut e.code, less);
        let same = e.code.cmp_f("oeq", own, whole);
        let factor = e.code.select(same, one, factor);
        let term = e.code.mul_f(sum, factor);
        let empty = e.code.cmp_fk("oeq", own, low);
        let nothing = e.code.and(empty, something);
        let term = e.code.select(nothing, zero, term);
        total = Some(match total {
            None => term,
            Some(before) => e.code.add_f(before, term),
        });
    }
    e.set_slot(Slot::Reduced(0), whole);
    total.ok_or_else(|| e.malformed("a cluster without workgroups"))
}

//! A product and the group behind it as one kernel (`fuse::join_epilogue`).
//!
//! Input: a fusion op that is one (`facts::products::is_joined`): the ops of a product's group, and of a group that
//! reads its result. Output: a [`Body::Contraction`], or [`Body::Products`] where the result is put together from parts
//! (a concatenation) that read it at different places. Then the domain is one part, every point has a sum for each
//! element of the product that it needs, and stores each part where it lies in the whole. A result that is an update in
//! place is stored where the update goes; the kernel that copies what is updated is made as for any update.
//!
//! Worked example: `p = x·W` of [1, 2048] as 32 heads of 64, `q = concatenate(a·c - b·s, b·c + a·s)` with the halves a
//! and b of a head: the domain is 32 × 32 points, with two sums each, Σ x[k]·W[64·h + j, k] and Σ x[k]·W[64·h + 32 + j,
//! k], and two stores, at 64·h + j and 64·h + 32 + j.
//!
//! Limits: one result; of each product as many elements as there are parts, so that none is computed twice; an update
//! whose places are known to be inside.

use fornax_graph::{Graph, OpId, OpKind, ValueId};
use fornax_kernels::gemv::candidates as gemv;
use fornax_kernels::scheduled::Bound;
use fornax_plan::{Access, Store, VarId};
use fornax_targets::Target;

use super::lower::{Lowered, Lowering, Places, summary};
use super::{Options, products, ready, update};
use crate::errors::PassError;
use crate::facts::ops::shape;
use crate::facts::parts::is_update;
use crate::facts::products::is_product;
use crate::facts::scalar;

/// Parts of a result, at most.
const PARTS_MAX: usize = 4;

/// What such a group computes, as text: equal ones are decided alike. `None` where it is not one kernel.
pub fn form(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> Option<String> {
    // A demand is for a program that the parts may have.
    if options.demand.is_some() || !target.is_gpu() {
        return None;
    }
    Some(ready(graph, fusion, target, options).ok()??.plan.canonical())
}

/// Whether the target's GEMV does such a group, of one row, as it is measured to pay.
///
/// Not where its weights come through a ring: of Llama 3.2 1B as JAX writes it, one H200, kernels one by one take 775
/// us for 791, the step 0.799 ms for 0.785. Attention with less shared memory, so that rings fit beside it, makes it
/// 0.789 to 0.798.
pub fn fits(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> bool {
    let Ok(Some(ready)) = ready(graph, fusion, target, options) else { return false };
    let Ok((schedule, _)) = gemv::choose(&ready.plan, target) else { return false };
    schedule.ring == 0 && schedule.short.iter().all(|&var| ready.plan.exprs.indices.extent(var) == 1)
}

/// What the stored value is put together from.
struct Whole {
    /// The value whose places are known: the concatenation's, else the product's.
    seed: ValueId,
    /// The dimension along which parts lie.
    along: usize,
    parts: usize,
    /// A part's extents.
    sizes: Vec<i64>,
}

/// Lowers such a group.
pub(super) fn lower(graph: &Graph, fusion: OpId, options: &Options) -> Result<Lowered, PassError> {
    let ops = &graph.block(scalar::body(graph, fusion)?).ops;
    let refused = |what: &str| PassError::internal(graph, fusion, what);
    let yielded = ops.last().map(|&end| graph.op(end).operands.clone()).unwrap_or_default();
    let of_group: Vec<OpId> = ops.iter().copied().filter(|&op| is_product(graph, op)).collect();
    let (&[result], Some(&product)) = (yielded.as_slice(), of_group.first()) else {
        return Err(refused("no product with one result behind it"));
    };
    let change = graph.producer(result).filter(|&op| is_update(graph, op));
    let stored = change.and_then(|op| graph.op(op).operands.get(2).copied()).unwrap_or(result);
    let mut l = Lowering::new(graph, fusion, false, options)?;
    if let Some(op) = change {
        if graph.op(op).results.len() != 1 || !update::is_inside(&mut l, op)? {
            return Err(refused("an update that may go nowhere"));
        }
        let copy = update::copy(&l, op, options, fusion)?;
        l.prepare.push(copy);
    }
    l.products = Some(products::Found::streamed());
    let whole = Whole::of(graph, ops, product)?;
    let mut domain: Vec<VarId> = Vec::new();
    let mut point = Vec::with_capacity(whole.sizes.len());
    for &size in &whole.sizes {
        let extent = l.constant(size);
        point.push(l.variable(extent, &mut domain));
    }
    let buffer = match change {
        Some(_) => l.buffer(result, Access::Update, Bound::Result(0))?,
        None => l.result(result, 0)?,
    };
    let mut stores = Vec::with_capacity(whole.parts);
    for part in 0..whole.parts {
        let mut index = point.clone();
        if let Some(at) = index.get_mut(whole.along) {
            *at = l.exprs.indices.offset(*at, part as i64 * whole.sizes[whole.along]);
        }
        // Found anew: the same ops lead to another place.
        l.links.clear();
        let places = l.places(ops, Places::from([(whole.seed, index)]), &[stored])?;
        let place = places.get(&stored).ok_or_else(|| refused("a result that is not one to one with its parts"))?;
        let value = l.value_at(stored, place, None)?;
        let there = match change {
            Some(op) => update::place(&mut l, op, place)?.1,
            None => place.clone(),
        };
        let sizes = l.layout(result, Bound::Result(0))?;
        let offset = l.exprs.indices.linearize_sized(&there, &sizes);
        stores.push(Store { buffer, offset, value });
    }
    let found = l.products.take().filter(|found| found.count() == whole.parts * of_group.len());
    let found = found.ok_or_else(|| refused("parts that need elements of others"))?;
    let body = products::body(&mut l.exprs, found, stores);
    if domain.is_empty() {
        domain.push(l.exprs.indices.add_var(1));
    }
    let summary = summary(graph, ops);
    let Lowering { exprs, buffers, bound, prepare, ordered, .. } = l;
    Ok(Lowered { exprs, buffers, bound, prepare, domain, body, ordered, summary })
}

impl Whole {
    /// The first concatenation of equal parts that has as many elements as the product; else the product itself.
    fn of(graph: &Graph, ops: &[OpId], product: OpId) -> Result<Whole, PassError> {
        let all = graph.op(product).results[0];
        let count: i64 = shape(graph, all)?.iter().product();
        for &op in ops.iter().filter(|&&op| graph.op(op).kind == OpKind::Concatenate) {
            let data = graph.op(op);
            let along = data.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
            let sizes = shape(graph, data.operands[0])?;
            let alike = data.operands.iter().map(|&v| shape(graph, v)).collect::<Result<Vec<_>, _>>()?;
            let parts = data.operands.len();
            let fits = (2..=PARTS_MAX).contains(&parts) && alike.iter().all(|other| *other == sizes);
            if fits && sizes.iter().product::<i64>().checked_mul(parts as i64) == Some(count) {
                return Ok(Whole { seed: data.results[0], along, parts, sizes });
            }
        }
        Ok(Whole { seed: all, along: 0, parts: 1, sizes: shape(graph, all)? })
    }
}

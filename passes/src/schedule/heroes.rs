//! A fusion group lowered: the body of its hero by the kind of that op, and a store for each value that it yields.
//!
//! This file knows which heroes there are; `lower`, which they are written with, knows none of them.

use fornax_graph::{Dim, Graph, OpId, OpKind, ValueId};
use fornax_kernels::scheduled::Bound;
use fornax_plan::{Body, Store};

use super::lower::{Domain, Lowered, Lowering, Places, summary};
use super::{Options, attention, contraction, joined, products, radix, reduction, row, scatter, segment, sort, update};
use crate::errors::PassError;
use crate::facts::ops::{self, Class, tensor};
use crate::facts::products::{has_several, is_joined};
use crate::facts::scalar;

/// Lowers a fusion op; `None` when its results have no elements. `copy_padded` lets convolutions have their input
/// padded by a kernel of its own.
///
/// # Errors
/// FX0315 for forms of ops that have no kernel.
pub fn lower(graph: &Graph, fusion: OpId, copy_padded: bool, options: &Options) -> Result<Option<Lowered>, PassError> {
    let data = graph.op(fusion);
    let block = scalar::body(graph, fusion)?;
    for &result in &data.results {
        if tensor(graph, result)?.shape.contains(&Dim::Static(0)) {
            return Ok(None);
        }
    }
    if is_joined(graph, fusion) {
        return joined::lower(graph, fusion, options).map(Some);
    }
    if let Some(hero) = update::hero(graph, fusion)? {
        return update::lower(graph, fusion, hero, options).map(Some);
    }
    let mut lowering = Lowering::new(graph, fusion, copy_padded, options)?;
    let ops = &graph.block(block).ops;
    let Some(&end) = ops.last().filter(|&&op| graph.op(op).kind == OpKind::FusionYield) else {
        return Err(PassError::internal(graph, fusion, "a fusion region does not end in a yield"));
    };
    let yielded = graph.op(end).operands.clone();
    let heroes: Vec<OpId> = ops.iter().copied().filter(|&op| is_hero(graph, op)).collect();
    let (domain, seeds, mut body) = if row::is_row(graph, fusion) {
        row::build(&mut lowering, fusion, &heroes)?
    } else if has_several(graph, fusion) {
        lowering.products = Some(products::Found::default());
        lowering.domain(fusion, None, &yielded)?
    } else {
        let hero = attention::hero(graph, fusion).or(heroes.first().copied());
        lowering.domain(fusion, hero, &yielded)?
    };
    let mut places = lowering.places(ops, seeds, &yielded)?;
    lowering.place_single(&domain, &yielded, &mut places)?;
    if row::is_row(graph, fusion) && yielded.iter().any(|y| !places.contains_key(y)) {
        lowering.place_elements(&heroes, ops, &mut places)?;
        lowering.place_rows(&heroes, ops, &mut places)?;
        places = lowering.places(ops, places, &yielded)?;
    }
    let mut stores = Vec::new();
    for (at, &value) in yielded.iter().enumerate() {
        let Some(place) = places.get(&value) else {
            return Err(PassError::internal(graph, fusion, "a stored value is not one to one with its group"));
        };
        let node = lowering.value_at(value, place, None)?;
        let buffer = lowering.result(value, at)?;
        let sizes = lowering.layout(value, Bound::Result(at))?;
        let offset = lowering.exprs.indices.linearize_sized(place, &sizes);
        stores.push(Store { buffer, offset, value: node });
    }
    match lowering.products.take() {
        Some(found) => body = products::body(&mut lowering.exprs, found, stores),
        None => body.stores_mut().into_iter().for_each(|own| *own = std::mem::take(&mut stores)),
    }
    let summary = summary(graph, ops);
    let Lowering { exprs, buffers, bound, ordered, prepare, .. } = lowering;
    Ok(Some(Lowered { exprs, buffers, bound, prepare, domain, body, ordered, summary }))
}

fn is_hero(graph: &Graph, op: OpId) -> bool {
    ops::row(graph.op(op).kind).is_some_and(|r| matches!(r.class, Class::Reduction | Class::Contraction))
}

impl Lowering<'_> {
    /// Loop variables, the index of the hero's results (or of the first stored value) in them, and the body.
    fn domain(&mut self, fusion: OpId, hero: Option<OpId>, yielded: &[ValueId]) -> Result<Domain, PassError> {
        let graph = self.graph;
        let first = match hero {
            Some(hero) => graph.op(hero).results.first(),
            None => yielded.first(),
        };
        let Some(&first) = first else {
            return Err(PassError::internal(graph, fusion, "a fusion region yields nothing"));
        };
        let sizes = self.sizes(first)?;
        let split = match hero {
            Some(hero) => contraction::split(graph, hero)?,
            None => None,
        };
        let mut domain = Vec::new();
        let mut index = Vec::new();
        for (d, &n) in sizes.iter().enumerate() {
            let whole = self.exprs.indices.as_constant(n);
            match (split, whole) {
                // A grouped dimension has two variables: the group and the place in it.
                (Some((at, groups)), Some(n)) if at == d && groups > 1 && n % groups == 0 => {
                    let (count, each) = (self.constant(groups), self.constant(n / groups));
                    let group = self.variable(count, &mut domain);
                    let inside = self.variable(each, &mut domain);
                    let scaled = self.exprs.indices.scale(group, n / groups);
                    index.push(self.exprs.indices.add(scaled, inside));
                }
                _ => index.push(self.variable(n, &mut domain)),
            }
        }
        if domain.is_empty() {
            domain.push(self.exprs.indices.add_var(1));
        }
        let Some(hero) = hero else {
            return Ok((domain, Places::from([(first, index)]), Body::Loop { stores: Vec::new() }));
        };
        let built = match (graph.op(hero).kind, ops::row(graph.op(hero).kind).map(|r| r.class)) {
            (OpKind::SortedScatter, _) => segment::build(self, hero, &index)?,
            (OpKind::Scatter, _) => scatter::scatter(self, hero, &index)?,
            (OpKind::RadixCount | OpKind::RadixDistribute, _) => radix::build(self, hero, &index)?,
            (OpKind::Sort | OpKind::SortRuns | OpKind::MergeRuns, _) => sort::sort(self, hero, &index)?,
            _ if attention::hero(graph, fusion) == Some(hero) => attention::build(self, hero, &index)?,
            (_, Some(Class::Reduction)) => reduction::build(self, hero, &index)?,
            _ => contraction::build(self, hero, &index)?,
        };
        self.ordered = built.ordered;
        self.made(hero, &index, built.results);
        Ok((domain, self.made_places(), built.body))
    }
}

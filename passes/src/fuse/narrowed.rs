//! What a product's result is rounded to, before rows that read it.
//!
//! The kernel of such rows has a reduction and takes no product, so the product's result passes through memory. It does
//! so behind the ops that make it narrower: its own kernel's epilogue does these, and fewer bytes are stored and read.
//! Two products that meet in such ops may then share a kernel too.
//!
//! Worked example: `bf16(silu(x·G) · (x·U))` of [2048, 14336], whose rows are quantised by their largest magnitude.
//! Both products stored in f32 and read again are 470 MB, their rounded combination 117 MB.

use std::collections::BTreeSet;

use fornax_graph::{OpId, OpKind, ValueId};

use super::affine::narrows;
use super::decide::Decide;
use super::extents::shape;
use super::groups::GroupId;
use super::maps::MapId;
use crate::errors::PassError;
use crate::facts::ops::{Class, row, tensor};

/// Ops that are looked through for a product, at most.
const OPS_MAX: usize = 64;

/// What elements follow from: products, and reductions of which each row has one number.
#[derive(Default)]
struct Sources {
    products: Vec<OpId>,
    reductions: Vec<OpId>,
}

impl Decide<'_> {
    /// Whether an op makes what follows from a product narrower, for rows alone.
    pub(super) fn narrows_product(&self, op: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<bool, PassError> {
        let data = self.graph.op(op);
        let (&[operand], &[result]) = (data.operands.as_slice(), data.results.as_slice()) else { return Ok(false) };
        if data.kind != OpKind::Convert || !narrows(self.graph, op) {
            return Ok(false);
        }
        let [from, to] = [tensor(self.graph, operand)?.element, tensor(self.graph, result)?.element];
        let rows = |&(group, map): &(GroupId, MapId)| {
            self.groups.groups[group as usize].space.as_ref().is_some_and(|space| space.element == map)
        };
        let saves = from.is_float() && to.is_float() && to.storage_bytes() < from.storage_bytes();
        if !saves || uses.is_empty() || !uses.iter().all(rows) {
            return Ok(false);
        }
        let from = self.sources(operand)?;
        // What a reduction of the product's own rows decides is theirs to compute.
        for &reduction in &from.reductions {
            let folded = self.graph.op(reduction).operands.first();
            let folded = folded.map(|&value| self.sources(value)).transpose()?.unwrap_or_default();
            if folded.products.iter().any(|product| from.products.contains(product)) {
                return Ok(false);
            }
        }
        Ok(!from.products.is_empty())
    }

    /// What a value is computed of, element by element.
    fn sources(&self, value: ValueId) -> Result<Sources, PassError> {
        let sizes = shape(self.graph, value)?;
        let (mut found, mut at, mut sources) = (vec![value], 0, Sources::default());
        while let Some(&value) = found.get(at).filter(|_| at < OPS_MAX) {
            at += 1;
            let Some(op) = self.graph.producer(value).filter(|_| !self.buffered[value.index()]) else { continue };
            let data = self.graph.op(op);
            match row(data.kind).map(|row| row.class) {
                Some(Class::Contraction) => sources.products.push(op),
                Some(Class::Index) if data.kind == OpKind::BroadcastInDim => {
                    sources.reductions.extend(data.operands.first().and_then(|v| self.followers.get(v)));
                }
                Some(Class::Elementwise) => {
                    for &operand in &data.operands {
                        if !found.contains(&operand) && shape(self.graph, operand)? == sizes {
                            found.push(operand);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(sources)
    }
}

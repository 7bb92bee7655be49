//! Epilogues that are memory traffic: what a product's result goes into is a kernel of its own where it moves many
//! bytes beside it.
//!
//! A tile's epilogue has few loads under way: a workgroup a multiprocessor, a few hundred threads, each its own
//! elements. Where it moves as much as a loop over memory, the loop is faster, and the result's trip through memory
//! costs less than that.
//!
//! Worked example: the gradient of a weight `[768, 3072]` and Adam, which reads the weight and two moments and writes
//! them, 24 bytes an element in f32. One H200, a product of 1024 steps: 65.7 µs with Adam as its epilogue, at
//! 0.86 TB/s; 57 MB are 13 µs in a loop, the product alone 10.

use std::collections::BTreeSet;

use fornax_graph::OpId;

use super::cost::row_class;
use super::decide::Decide;
use super::extents::elements;
use super::groups::GroupId;
use super::maps::MapId;
use crate::errors::PassError;
use crate::facts::ops::{Class, splat_bits, tensor};
use crate::remarks::{Because, EPILOGUE_STREAMS};

/// Bytes an element that an epilogue may move beside the result: two residuals in f32 and two stores (derived: up to
/// there the result's own trip of 4 to 8 bytes costs as much as is won).
const BYTES_MAX: i64 = 16;
/// Elements below which a launch costs more than the epilogue's loads: 2^18 of 24 bytes take 1.5 µs at 4.3 TB/s.
const ELEMENTS_MIN: i64 = 1 << 18;

impl Decide<'_> {
    /// Why `op`, a product or what follows from one, is stored before its only reader, a group of elementwise ops.
    pub(super) fn streams(&self, op: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<Option<Because>, PassError> {
        let [(group, _)] = uses.iter().collect::<Vec<_>>()[..] else { return Ok(None) };
        let (data, state) = (self.graph.op(op), &self.groups.groups[*group as usize]);
        let &[result] = data.results.as_slice() else { return Ok(None) };
        let product = |op: OpId| row_class(self.graph, op) == Some(Class::Contraction);
        let hero = if product(op) { Some(op) } else { self.facts.hero.get(&result).copied() };
        let plain = state.hero.is_none() && state.control.is_none() && !state.attention && state.space.is_none();
        let count = elements(self.graph, result)?;
        if count < ELEMENTS_MIN || !plain || !hero.is_some_and(product) {
            return Ok(None);
        }
        let mut bytes = 0;
        let beside = state.inputs.iter().filter(|&&v| v != result && splat_bits(self.graph, v).is_none());
        for &value in beside.chain(&state.roots) {
            if elements(self.graph, value)? == count {
                bytes += tensor(self.graph, value)?.element.storage_bytes() as i64;
            }
        }
        Ok((bytes > BYTES_MAX).then(|| EPILOGUE_STREAMS.of([bytes, BYTES_MAX])))
    }
}

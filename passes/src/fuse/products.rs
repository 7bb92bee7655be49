//! Several products in one group: what is combined element by element is computed at once, and no product is stored.
//!
//! Input: products with few rows or columns, or of operands of 16 or 8 bits, and the groups that read them. Output:
//! which of them join a group that has a product already, or that reads one at several places. A group takes a product
//! if nothing else reads the result and it evaluates no more elements than there are: slices that do not overlap, of an
//! LSTM's gates for example. The lowering of such a group makes a product for each place (`schedule::products`); where
//! a target has no kernel for it, it becomes plain groups again ([`mod@super::expand_products`]).
//!
//! Worked example: `silu(x·W) * (x·V)`, [1, 2048] by [2048, 8192]: one group of two products, which reads x once, where
//! the second product would else read the result of the first. `p = h·U` of [8, 1024], read as four slices of [8, 256]
//! whose sigmoids are multiplied: one group of 2048 points with four products.

use std::collections::BTreeSet;

use fornax_graph::{BlockId, ElementType, Graph, OpId};
use fornax_kernels::sizing::SHORT_MAX;

use super::decide::Decide;
use super::extents::elements;
use super::groups::{Group, GroupId};
use super::maps::{Context, MapId};
use crate::errors::PassError;
use crate::facts::products::{operands, rows_and_long_operand};

/// Elements of the larger operands of a group's products, at least: less takes as long as its launch, and in loops
/// becomes part of a team.
const OPERAND_ELEMENTS_MIN: i64 = 8192;

/// Products of a block that may share a kernel: of known sizes, with as few rows or columns as a GEMV has, or of floats
/// of 16 or 8 bits.
pub fn candidates(graph: &Graph, block: BlockId) -> BTreeSet<OpId> {
    let shares = |op| is_gemv(graph, op).is_some_and(|gemv| gemv || is_narrow(graph, op));
    graph.block(block).ops.iter().copied().filter(|&op| shares(op)).collect()
}

/// Operands of 16 or 8 bits, which matrix instructions take as they are.
fn is_narrow(graph: &Graph, op: OpId) -> bool {
    let element = |&operand| graph.ty(operand).as_tensor().map(|tensor| tensor.element);
    let narrow = |element| {
        use ElementType::{Bf16, F8E4M3FN, F8E5M2, F16};
        matches!(element, Some(Bf16 | F16 | F8E4M3FN | F8E5M2))
    };
    graph.op(op).operands.iter().map(element).all(narrow)
}

/// Whether one operand of a product has few rows that the other is multiplied by. `None` for other ops and where sizes
/// are not known.
fn is_gemv(graph: &Graph, op: OpId) -> Option<bool> {
    Some(rows_and_long_operand(graph, op)?.0 <= SHORT_MAX)
}

/// Products of groups that have too little to do to share a kernel.
pub fn small<'g>(graph: &'g Graph, groups: &'g [Group]) -> impl Iterator<Item = OpId> + 'g {
    let large =
        |&op: &OpId| operands(graph, op).map_or(0, |(lhs, rhs)| lhs.iter().product::<i64>().max(rhs.iter().product()));
    let is_small = move |group: &&Group| {
        group.products && group.ops.iter().map(large).fold(0, i64::saturating_add) < OPERAND_ELEMENTS_MIN
    };
    groups.iter().filter(is_small).flat_map(|group| &group.ops).copied().filter(|&op| operands(graph, op).is_some())
}

impl Decide<'_> {
    /// The group that may evaluate a product wherever it reads it.
    pub(super) fn products_group(
        &self,
        op: OpId,
        uses: &BTreeSet<(GroupId, MapId)>,
    ) -> Result<Option<GroupId>, PassError> {
        let result = self.graph.op(op).results[0];
        if !self.candidates.contains(&op) || self.buffered[result.index()] {
            return Ok(None);
        }
        let Some(group) = self.only_reader(uses, elements(self.graph, result)?)? else { return Ok(None) };
        let state = &self.groups.groups[group as usize];
        let one = uses.len() == 1 && uses.iter().all(|u| self.groups.maps.get(u.1).bijective);
        // The only product, element by element, is a plain contraction.
        // What reads the old value of an update runs before it, and cannot be one kernel with what needs the new one.
        let mut updates = self.updates.of_old(&self.graph.op(op).operands);
        let joins = !(state.hero.is_none() && one)
            && self.full(op, state).is_none()
            && !updates.any(|new| self.groups.needs(group, new));
        Ok(joins.then_some(group))
    }

    /// The one group that reads a value of `count` elements, if it evaluates no element more, and has no hero but a
    /// product that may share its kernel.
    pub(super) fn only_reader(
        &self,
        uses: &BTreeSet<(GroupId, MapId)>,
        count: i64,
    ) -> Result<Option<GroupId>, PassError> {
        let Some(&(group, _)) = uses.first() else { return Ok(None) };
        let state = &self.groups.groups[group as usize];
        let is_free = state.control.is_none() && !state.attention && !state.row && state.space.is_none();
        let alike = state.hero.is_none_or(|hero| self.candidates.contains(&hero));
        let mut evaluations = 0.0;
        for &(reader, map) in uses {
            let map = self.groups.maps.get(map);
            if reader != group || map.context != Context::Plain {
                return Ok(None);
            }
            evaluations += map.evaluations;
        }
        Ok((is_free && alike && evaluations <= count as f64).then_some(group))
    }

    /// Whether the readers of what follows from a product will compute it with the product itself.
    pub(super) fn shares_kernel(&mut self, hero: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<bool, PassError> {
        let result = self.graph.op(hero).results[0];
        let shares =
            self.candidates.contains(&hero) && self.only_reader(uses, elements(self.graph, result)?)?.is_some();
        if shares {
            self.expected.insert(hero);
        }
        Ok(shares)
    }

    /// Makes a product one of those of a group.
    pub(super) fn join_products(
        &mut self,
        op: OpId,
        group: GroupId,
        uses: &BTreeSet<(GroupId, MapId)>,
    ) -> Result<(), PassError> {
        let state = &mut self.groups.groups[group as usize];
        state.hero = state.hero.or(Some(op));
        state.products = true;
        for &(_, map) in uses {
            self.groups.instantiate(self.graph, op, group, map)?;
        }
        Ok(())
    }
}

//! Which group that reads a value also stores it, and why the others do not.
//!
//! A value that is stored joins the first of its readers that has it at hand: one to one with the reader's elements, or
//! with its rows. That is how a product gets its epilogue and how kernels get several results.

use std::collections::BTreeSet;

use fornax_graph::{OpId, ValueId};

use super::cost::row_class;
use super::decide::Decide;
use super::groups::{Group, GroupId};
use super::maps::MapId;
use super::rows::{self, Space};
use crate::errors::PassError;
use crate::facts::ops::Class;
use crate::facts::parts;
use crate::remarks::{
    Because, CYCLE, Decision, HERO_TAKEN, NOT_ONE_TO_ONE, ONLY_FOLDED, OUTPUTS_FULL, PRODUCT_STORES, READ_OFTEN,
    READER_IS_CONTROL, READER_UPDATES, Reason,
};

/// Outputs of a kernel, at most.
const OUTPUTS_MAX: usize = 8;

fn refused(reason: &'static Reason) -> Decision {
    Decision::No(reason.of([]))
}

/// Whether a group can store so many more results.
fn outputs_full(group: &Group, more: usize) -> Option<Because> {
    let outputs = group.roots.len() + more;
    (outputs > OUTPUTS_MAX).then(|| OUTPUTS_FULL.of([outputs as i64, OUTPUTS_MAX as i64]))
}

impl Decide<'_> {
    /// The first group in whose rows a reduction fits, and its space.
    pub(super) fn row_joinable(
        &mut self,
        op: OpId,
        uses: &BTreeSet<(GroupId, MapId)>,
    ) -> Result<Option<(GroupId, Space)>, PassError> {
        let Some(kept) = rows::of_reduce(self.graph, op)? else { return Ok(None) };
        // A reduction that was refused follows from nothing.
        if self.followers.get(&self.graph.op(op).results[0]) != Some(&op) {
            return Ok(None);
        }
        for &(group, map) in uses {
            let state = &self.groups.groups[group as usize];
            let space = match &state.space {
                Some(space) => {
                    (space.row == map && space.kept == kept && self.like_hero(op, state)?).then(|| space.clone())
                }
                None => self.opens(op, state, map)?,
            };
            let Some(space) = space else { continue };
            match self.takes_rows(op, group, uses) {
                Decision::Yes => return Ok(Some((group, space))),
                Decision::No(because) => self.note(op, Some(group), Some(because)),
            }
        }
        Ok(None)
    }

    /// Whether a group in whose rows a reduction fits may take it.
    fn takes_rows(&self, op: OpId, group: GroupId, uses: &BTreeSet<(GroupId, MapId)>) -> Decision {
        let state = &self.groups.groups[group as usize];
        let maps = uses.iter().filter(|u| u.0 == group).count();
        if maps != 1 {
            return Decision::No(READ_OFTEN.of([maps as i64]));
        }
        let full = outputs_full(state, self.graph.op(op).results.len()).or_else(|| self.full(op, state));
        match full {
            Some(because) => Decision::No(because),
            None if self.groups.closes_cycle(self.graph, op, group) => refused(CYCLE),
            None => Decision::Yes,
        }
    }

    /// A group that folds the same elements as a reduction, though it does not read its results, and its space.
    ///
    /// A batch norm's gradient has Σ dy and Σ dy·(x − m) of [25088, 512]: one kernel reads dy once.
    pub(super) fn sibling(&self, op: OpId) -> Result<Option<(GroupId, Space)>, PassError> {
        let data = self.graph.op(op);
        let (Some(kept), Some(operand)) = (rows::folded(self.graph, op)?, data.operands.first()) else {
            return Ok(None);
        };
        if rows::of_reduce(self.graph, op)?.is_some() {
            return self.beside(op, (&kept, *operand), &|state| state.space.clone());
        }
        for value in rows::read_by_element(self.graph, op)? {
            let found = self.beside(op, (&kept, value), &|state| state.beside.clone())?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// A group that reads a value element by element of a space of rows `kept`, and may take a reduction of them.
    fn beside(
        &self,
        op: OpId,
        (kept, value): (&rows::Kept, ValueId),
        space: &dyn Fn(&Group) -> Option<Space>,
    ) -> Result<Option<(GroupId, Space)>, PassError> {
        let data = self.graph.op(op);
        let stored = data.results.iter().filter(|r| self.buffered[r.index()] || !self.groups.uses(**r).is_empty());
        let stored = stored.count();
        for &(group, map) in self.groups.uses(value) {
            let state = &self.groups.groups[group as usize];
            let Some(space) = space(state).filter(|s| s.element == map && s.kept == *kept) else { continue };
            let reads = self.groups.op_uses(self.graph, op).iter().any(|u| u.0 == group);
            if !reads
                && self.like_hero(op, state)?
                && outputs_full(state, stored).is_none()
                && self.full(op, state).is_none()
                && !self.groups.closes_cycle(self.graph, op, group)
            {
                return Ok(Some((group, space)));
            }
        }
        Ok(None)
    }

    fn like_hero(&self, op: OpId, group: &Group) -> Result<bool, PassError> {
        group.hero.map_or(Ok(true), |hero| rows::same(self.graph, hero, op))
    }

    /// The first group that reads the op's results through exactly one map, one to one with its domain or its rows, and
    /// may take it.
    pub(super) fn joinable(
        &mut self,
        op: OpId,
        hero: bool,
        uses: &BTreeSet<(GroupId, MapId)>,
    ) -> Result<Option<(GroupId, MapId)>, PassError> {
        for &(group, map) in uses {
            match self.takes(op, hero, (group, map), uses)? {
                Decision::Yes => return Ok(Some((group, map))),
                Decision::No(because) => self.note(op, Some(group), Some(because)),
            }
        }
        Ok(None)
    }

    /// Whether a group that reads an op's results through `map` may store them.
    pub(super) fn takes(
        &self,
        op: OpId,
        hero: bool,
        (group, map): (GroupId, MapId),
        uses: &BTreeSet<(GroupId, MapId)>,
    ) -> Result<Decision, PassError> {
        let state = &self.groups.groups[group as usize];
        if state.control.is_some() {
            return Ok(refused(READER_IS_CONTROL));
        }
        if hero && state.hero.is_some() {
            return Ok(refused(HERO_TAKEN));
        }
        if let Some(because) = self.streams(op, uses)? {
            return Ok(Decision::No(because));
        }
        // A kernel of rows has the elements at hand and may store them, where these are few; one that only folds them
        // would read the product and its epilogue's operands, and write what the product's kernel could have written.
        let reduces = state.hero.is_some_and(|hero| row_class(self.graph, hero) == Some(Class::Reduction));
        if !hero && reduces && self.follows_product(op) && (!state.row || self.is_stored_by_product(op)?) {
            return Ok(refused(PRODUCT_STORES));
        }
        let element = state.space.as_ref().is_some_and(|s| s.element == map);
        let whole = self.groups.maps.get(map).bijective;
        if !whole && (hero || !element && !self.in_rows(op, group, map)?) {
            return Ok(refused(NOT_ONE_TO_ONE));
        }
        let maps = uses.iter().filter(|u| u.0 == group).count();
        if maps != 1 {
            return Ok(Decision::No(READ_OFTEN.of([maps as i64])));
        }
        if state.hero.is_some_and(|hero| parts::is_update(self.graph, hero)) {
            return Ok(refused(READER_UPDATES));
        }
        if let Some(because) = outputs_full(state, self.graph.op(op).results.len()).or_else(|| self.full(op, state)) {
            return Ok(Decision::No(because));
        }
        if self.only_folded(op, group, map) {
            return Ok(refused(ONLY_FOLDED));
        }
        if self.groups.closes_cycle(self.graph, op, group) {
            return Ok(refused(CYCLE));
        }
        Ok(Decision::Yes)
    }

    /// Is what an op makes a product's result but for an epilogue?
    pub(super) fn follows_product(&self, op: OpId) -> bool {
        let hero = self.graph.op(op).results.first().and_then(|result| self.facts.hero.get(result));
        hero.is_some_and(|&hero| row_class(self.graph, hero) == Some(Class::Contraction))
    }

    /// Whether what an op makes, a value of the rows, reaches what the group stores only through its reduction: no
    /// element of the group's domain then has it at hand to store it.
    fn only_folded(&self, op: OpId, group: GroupId, map: MapId) -> bool {
        let state = &self.groups.groups[group as usize];
        if state.space.as_ref().is_none_or(|space| space.row != map) {
            return false;
        }
        let (mut values, mut seen) = (self.graph.op(op).results.clone(), BTreeSet::new());
        while let Some(value) = values.pop() {
            let readers = state.ops.iter().map(|&reader| (reader, self.graph.op(reader)));
            for (reader, data) in readers.filter(|(_, data)| data.operands.contains(&value)) {
                let reduces = row_class(self.graph, reader) == Some(Class::Reduction);
                if reduces || !seen.insert(reader) {
                    continue;
                }
                if data.results.iter().any(|r| state.roots.contains(r)) {
                    return false;
                }
                values.extend(&data.results);
            }
        }
        true
    }
}

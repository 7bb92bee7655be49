//! The decision of fusion: which values are stored, and in which group.
//!
//! Ops are visited from the last to the first, so that all readers of a value are known, with the number of times they
//! evaluate it, when its own turn comes. Storing a value prefers to join a group that already reads it one to one: that
//! is how a hero gets its epilogue and how groups get several outputs.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::affine;
use super::attention;
use super::carried::Updates;
use super::control;
use super::cost::Facts;
use super::extents::{elements, read_sizes, shape};
use super::groups::{Group, GroupId, Groups};
use super::maps::{Context, MapId};
use super::rows::{self, Space};
use crate::errors::PassError;
use crate::schedule::index_maps::is_renaming;
use crate::schedule::ops::{Class, row, splat_bits};
use crate::schedule::update;

/// Inputs of a kernel, at most (a concatenation alone may have as many).
const INPUTS_MAX: usize = 40;
/// Outputs of a kernel, at most.
const OUTPUTS_MAX: usize = 8;
/// Ops of a group, at most: lowering recurses over them.
const OPS_MAX: usize = 192;
/// Evaluations of ops through different maps in a group, at most.
const INSTANCES_MAX: usize = 512;
/// Different maps through which one group evaluates a value, at most.
const MAPS_MAX: usize = 8;
/// Reshapes between a group's domain and a value, at most.
const RESHAPES_MAX: u32 = 4;
/// Decisions that may be taken back, at most.
const ATTEMPTS_MAX: usize = 6;
/// Cost of recomputation below which storing never pays: about one kernel launch.
const RECOMPUTE_FREE: f64 = 65536.0;
/// Elements of an image up to which a convolution may read it through a transpose: its reads cost less than a kernel.
const IMAGE_FREE: f64 = 16384.0;
/// Price of a trip through memory against evaluating an element again, in additions: fixed, and an element.
const STORE_COST: f64 = 24.0;
const LOAD_COST: f64 = 3.0;

/// What fusion decided for one function.
pub struct Decided {
    pub groups: Vec<Group>,
    /// Reshapes (and their kin) that remain in the function, in order: aliases.
    pub aliases: Vec<OpId>,
    /// Reductions that did not join a group which evaluates what follows from them.
    failed: Vec<OpId>,
}

struct Decide<'a> {
    graph: &'a Graph,
    facts: Facts,
    groups: Groups,
    /// Values that must end up in a buffer.
    buffered: Vec<bool>,
    /// Values that the function itself names: results and what their aliases alias.
    named: Vec<bool>,
    aliases: Vec<OpId>,
    /// By value: the reduction whose rows it follows.
    followers: HashMap<ValueId, OpId>,
    /// Reductions that were expected to join a group.
    claims: BTreeSet<(OpId, GroupId)>,
    attention: &'a [attention::Found],
    /// Of a loop's body: what is to be written where it is.
    updates: &'a Updates,
}

/// Decides for the ops of a function's block: again where a reduction did not join the group that counted on it. `attention` lets
/// attention be one group.
pub fn decide(graph: &Graph, block: BlockId, attention: bool) -> Result<Decided, PassError> {
    let attention = if attention { attention::find(graph, block)? } else { Vec::new() };
    let updates = Updates::of(graph, block)?;
    let mut refused: BTreeSet<OpId> = BTreeSet::new();
    for _ in 0..ATTEMPTS_MAX {
        let decided = attempt(graph, block, &refused, (&attention, &updates))?;
        if decided.failed.is_empty() {
            return Ok(decided);
        }
        refused.extend(decided.failed);
    }
    refused.extend(graph.block(block).ops.iter().filter(|&&op| graph.op(op).kind == OpKind::Reduce));
    attempt(graph, block, &refused, (&attention, &updates))
}

fn attempt(
    graph: &Graph,
    block: BlockId,
    refused: &BTreeSet<OpId>,
    (attention, updates): (&[attention::Found], &Updates),
) -> Result<Decided, PassError> {
    let n = graph.values.len();
    let mut decide = Decide {
        graph,
        facts: Facts::of(graph, block)?,
        groups: Groups::new(),
        buffered: vec![false; n],
        named: vec![false; n],
        aliases: Vec::new(),
        followers: rows::followers(graph, block, refused)?,
        claims: BTreeSet::new(),
        attention,
        updates,
    };
    for value in read_sizes(graph) {
        decide.buffered[value.index()] = true;
        decide.named[value.index()] = true;
    }
    for &op in graph.block(block).ops.iter().rev() {
        if matches!(graph.op(op).kind, OpKind::FuncReturn | OpKind::Return) {
            for v in &graph.op(op).operands {
                decide.buffered[v.index()] = true;
                decide.named[v.index()] = true;
            }
        } else {
            decide.visit(op)?;
        }
    }
    decide.aliases.reverse();
    let groups = decide.groups.groups;
    let joined = |op: &OpId, group: GroupId| groups[group as usize].row && groups[group as usize].ops.contains(op);
    let failed = decide.claims.iter().filter(|(op, group)| !joined(op, *group)).map(|c| c.0).collect();
    Ok(Decided { groups, aliases: decide.aliases, failed })
}

impl Decide<'_> {
    fn visit(&mut self, op: OpId) -> Result<(), PassError> {
        let data = self.graph.op(op);
        let Some(row) = row(data.kind) else { return Ok(()) };
        if row.class == Class::Control {
            let inputs = control::inputs(self.graph, op);
            for v in &inputs {
                self.buffered[v.index()] = true;
                self.named[v.index()] = true;
            }
            self.groups.create_control(self.graph, op, inputs);
            return Ok(());
        }
        if let Some(found) = self.attention.iter().find(|f| f.claimed.contains(&op)) {
            let result = self.graph.op(found.root).results[0];
            if op == found.root && (self.buffered[result.index()] || !self.groups.uses(result).is_empty()) {
                self.groups.create_attention(self.graph, found);
                for v in &found.inputs {
                    self.buffered[v.index()] = true;
                }
            }
            return Ok(());
        }
        let uses = self.groups.op_uses(self.graph, op);
        let buffered = data.results.iter().any(|r| self.buffered[r.index()]);
        if row.class == Class::Constant || uses.is_empty() && !buffered {
            return Ok(());
        }
        if matches!(row.class, Class::Reduction | Class::Contraction) {
            return self.store(op, &uses);
        }
        let store = buffered || self.must_store(op, &uses)? || self.kept_apart(op, &uses)?;
        if self.is_alias(op)? {
            if store {
                self.alias(op);
            }
        } else if store {
            return self.store(op, &uses);
        }
        for &(group, map) in &uses {
            self.claim(op, group, map)?;
            self.groups.instantiate(self.graph, op, group, map)?;
        }
        Ok(())
    }

    /// Whether a group that may write a carried value where it is reads the op's result, which would be read of it elsewhere.
    fn kept_apart(&self, op: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<bool, PassError> {
        for &(group, map) in uses {
            let state = &self.groups.groups[group as usize];
            let scatter = state.hero.is_some_and(|hero| update::is_update(self.graph, hero));
            let own = !scatter && self.groups.maps.get(map).bijective;
            if state.control.is_none() && !own && self.updates.keep_apart(self.graph, op, &state.roots, scatter)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Is the op's result a value of the group's rows: of those it has, or of those that a reduction will bring?
    fn in_rows(&self, op: OpId, group: GroupId, map: MapId) -> Result<bool, PassError> {
        let state = &self.groups.groups[group as usize];
        if let Some(space) = &state.space {
            return Ok(space.row == map);
        }
        let follows = self.graph.op(op).results.first().and_then(|r| self.followers.get(r).copied());
        Ok(match follows {
            Some(reduce) => self.opens(reduce, state, map)?.is_some(),
            None => false,
        })
    }

    /// The space that a group without heroes would have, were `reduce`, which it reads through `map`, its first.
    fn opens(&self, reduce: OpId, group: &Group, map: MapId) -> Result<Option<Space>, PassError> {
        let Some((element, kept)) = &self.groups.maps.get(map).rows else { return Ok(None) };
        let fits = group.hero.is_none()
            && group.control.is_none()
            && self.groups.maps.get(*element).bijective
            && rows::of_reduce(self.graph, reduce)?.as_ref() == Some(kept);
        Ok(fits.then(|| Space { kept: kept.clone(), element: *element, row: map }))
    }

    /// Notes that a group counts on the reduction from which the op's result follows.
    fn claim(&mut self, op: OpId, group: GroupId, map: MapId) -> Result<(), PassError> {
        let follows = self.graph.op(op).results.first().and_then(|r| self.followers.get(r).copied());
        if let Some(reduce) = follows
            && reduce != op
            && !self.groups.maps.get(map).bijective
            && self.in_rows(op, group, map)?
        {
            self.claims.insert((reduce, group));
        }
        Ok(())
    }

    /// Reshapes and same-width bitcasts of a stored value are that value's buffer under another type.
    fn is_alias(&self, op: OpId) -> Result<bool, PassError> {
        let data = self.graph.op(op);
        if data.operands.first().is_none_or(|&v| splat_bits(self.graph, v).is_some()) {
            return Ok(false);
        }
        if data.kind == OpKind::BitcastConvert {
            return Ok(shape(self.graph, data.operands[0])? == shape(self.graph, data.results[0])?);
        }
        is_renaming(self.graph, op)
    }

    fn alias(&mut self, op: OpId) {
        let data = self.graph.op(op);
        let (operand, result) = (data.operands[0], data.results[0]);
        self.buffered[operand.index()] = true;
        if self.named[result.index()] {
            self.named[operand.index()] = true;
            self.aliases.push(op);
        }
    }

    /// Stores the results of an op: in a group that reads them one to one, or in a group of its own.
    fn store(&mut self, op: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<(), PassError> {
        let data = self.graph.op(op);
        let hero = row(data.kind).is_some_and(|r| matches!(r.class, Class::Reduction | Class::Contraction));
        let alone = update::is_update(self.graph, op);
        let space = match self.row_joinable(op, uses)? {
            _ if alone => None,
            Some(found) => Some(found),
            None => self.beside(op)?,
        };
        if let Some((group, space)) = space {
            self.groups.maps.set_row(self.graph, op, &space);
            let map = space.row;
            self.add_roots(op, group);
            let state = &mut self.groups.groups[group as usize];
            state.hero = Some(op);
            (state.space, state.row) = (Some(space), true);
            return self.groups.instantiate(self.graph, op, group, map);
        }
        if let Some((group, map)) = self.joinable(op, hero, uses)?.filter(|_| !alone) {
            self.claim(op, group, map)?;
            self.add_roots(op, group);
            let state = &mut self.groups.groups[group as usize];
            state.hero = state.hero.or(hero.then_some(op));
            state.row |= !self.groups.maps.get(map).bijective;
            self.groups.instantiate(self.graph, op, group, map)?;
            return self.open_space(op, group, map);
        }
        let roots = data.results.iter().copied();
        let roots = roots.filter(|r| self.buffered[r.index()] || !self.groups.uses(*r).is_empty()).collect();
        let domain = elements(self.graph, data.results[0])?;
        let group = self.groups.create(self.graph, op, roots, domain)?;
        if hero {
            self.groups.groups[group as usize].hero = Some(op);
        }
        let map = self.groups.groups[group as usize].root;
        match map {
            Some(map) => self.open_space(op, group, map),
            None => Ok(()),
        }
    }

    /// Whether what an op makes, a value of the rows, reaches what the group stores only through its reduction: no element of the
    /// group's domain then has it at hand to store it.
    fn only_folded(&self, op: OpId, group: GroupId, map: MapId) -> bool {
        let state = &self.groups.groups[group as usize];
        if state.space.as_ref().is_none_or(|space| space.row != map) {
            return false;
        }
        let (mut values, mut seen) = (self.graph.op(op).results.clone(), BTreeSet::new());
        while let Some(value) = values.pop() {
            let readers = state.ops.iter().map(|&reader| (reader, self.graph.op(reader)));
            for (reader, data) in readers.filter(|(_, data)| data.operands.contains(&value)) {
                let reduces = row(data.kind).is_some_and(|r| r.class == Class::Reduction);
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

    /// Results that are read elsewhere or must be in a buffer are stored by the group that makes them.
    fn add_roots(&mut self, op: OpId, group: GroupId) {
        let results = self.graph.op(op).results.iter().copied();
        let stored = results.filter(|r| self.buffered[r.index()] || self.groups.uses(*r).iter().any(|u| u.0 != group));
        let stored: Vec<ValueId> = stored.collect();
        self.groups.groups[group as usize].roots.extend(stored);
    }

    /// A reduction that became a group's hero, its result read through `map`, gives the group its space.
    fn open_space(&mut self, op: OpId, group: GroupId, map: MapId) -> Result<(), PassError> {
        if self.groups.groups[group as usize].hero != Some(op) {
            return Ok(());
        }
        if let Some(kept) = rows::of_reduce(self.graph, op)? {
            let element = self.groups.maps.hop(self.graph, op, 0, map)?;
            let space = Space { kept, element, row: map };
            self.groups.maps.set_row(self.graph, op, &space);
            self.groups.groups[group as usize].space = Some(space);
        }
        Ok(())
    }

    /// The first group in whose rows a reduction fits, and its space.
    fn row_joinable(&self, op: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<Option<(GroupId, Space)>, PassError> {
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
            let fits = uses.iter().filter(|u| u.0 == group).count() == 1
                && state.roots.len() + self.graph.op(op).results.len() <= OUTPUTS_MAX
                && self.has_room(op, state)
                && !self.groups.closes_cycle(self.graph, op, group);
            if fits {
                return Ok(Some((group, space)));
            }
        }
        Ok(None)
    }

    /// A group that folds the same elements as a reduction, though it does not read its results, and its space.
    fn beside(&self, op: OpId) -> Result<Option<(GroupId, Space)>, PassError> {
        let data = self.graph.op(op);
        let (Some(kept), Some(operand)) = (rows::of_reduce(self.graph, op)?, data.operands.first()) else {
            return Ok(None);
        };
        let stored = data.results.iter().filter(|r| self.buffered[r.index()] || !self.groups.uses(**r).is_empty());
        let stored = stored.count();
        for &(group, map) in self.groups.uses(*operand) {
            let state = &self.groups.groups[group as usize];
            let Some(space) = state.space.as_ref().filter(|s| s.element == map && s.kept == kept) else { continue };
            let reads = self.groups.op_uses(self.graph, op).iter().any(|u| u.0 == group);
            if !reads
                && self.like_hero(op, state)?
                && state.roots.len() + stored <= OUTPUTS_MAX
                && self.has_room(op, state)
                && !self.groups.closes_cycle(self.graph, op, group)
            {
                return Ok(Some((group, space.clone())));
            }
        }
        Ok(None)
    }

    fn like_hero(&self, op: OpId, group: &Group) -> Result<bool, PassError> {
        group.hero.map_or(Ok(true), |hero| rows::same(self.graph, hero, op))
    }

    /// The first group that reads the op's results through exactly one map, one to one with its domain or its rows, and may take
    /// it.
    fn joinable(
        &self,
        op: OpId,
        hero: bool,
        uses: &BTreeSet<(GroupId, MapId)>,
    ) -> Result<Option<(GroupId, MapId)>, PassError> {
        let results = self.graph.op(op).results.len();
        for &(group, map) in uses {
            let state = &self.groups.groups[group as usize];
            let element = state.space.as_ref().is_some_and(|s| s.element == map);
            let whole = self.groups.maps.get(map).bijective;
            let fits = (whole || !hero && (element || self.in_rows(op, group, map)?))
                && uses.iter().filter(|u| u.0 == group).count() == 1
                && state.control.is_none()
                && !state.hero.is_some_and(|hero| update::is_update(self.graph, hero))
                && !(hero && state.hero.is_some())
                && state.roots.len() + results <= OUTPUTS_MAX
                && self.has_room(op, state)
                && !self.only_folded(op, group, map);
            if fits && !self.groups.closes_cycle(self.graph, op, group) {
                return Ok(Some((group, map)));
            }
        }
        Ok(None)
    }

    fn has_room(&self, op: OpId, group: &Group) -> bool {
        let operands = self.graph.op(op).operands.iter();
        let new = operands.filter(|v| !group.inputs.contains(v) && splat_bits(self.graph, **v).is_none()).count();
        group.ops.len() < OPS_MAX
            && group.instances < INSTANCES_MAX
            && (new <= 1 || group.inputs.len() + new <= INPUTS_MAX)
    }

    /// Must the value be stored although no reader demands it?
    fn must_store(&self, op: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<bool, PassError> {
        let data = self.graph.op(op);
        if data.operands.iter().all(|&v| splat_bits(self.graph, v).is_some()) {
            return Ok(false);
        }
        if uses.iter().any(|u| self.groups.maps.get(u.1).reshapes > RESHAPES_MAX) {
            return Ok(true);
        }
        for &(group, _) in uses {
            let maps = uses.iter().filter(|u| u.0 == group).count();
            if maps > MAPS_MAX || !self.has_room(op, &self.groups.groups[group as usize]) {
                return Ok(true);
            }
        }
        // What is only widened is stored narrow, which its readers widen again: half the bytes, and products of 16-bit operands.
        if affine::widens(self.graph, op) {
            return Ok(false);
        }
        let result = data.results[0];
        let single = match uses.iter().collect::<Vec<_>>().as_slice() {
            [(group, map)] => self.groups.maps.get(*map).bijective || self.in_rows(op, *group, *map)?,
            _ => false,
        };
        if self.facts.hero.contains_key(&result) && !single {
            return Ok(true);
        }
        let mut evaluations = 0.0;
        let n = elements(self.graph, result)?.max(1) as f64;
        for &(group, map) in uses {
            if self.in_rows(op, group, map)? {
                evaluations += n;
                continue;
            }
            let map = self.groups.maps.get(map);
            match map.context {
                Context::Plain => evaluations += map.evaluations,
                Context::Contraction => {
                    let hero = self.groups.groups[group as usize].hero;
                    let turned = hero.is_some_and(|hero| affine::turns_image(self.graph, op, hero));
                    if self.contraction_refuses(op, map.immediate)? || turned && n > IMAGE_FREE {
                        return Ok(true);
                    }
                }
            }
        }
        let expense = self.facts.expense[result.index()];
        let again = (evaluations - n).max(0.0);
        Ok(again * expense > RECOMPUTE_FREE && again / n * (expense - LOAD_COST) > STORE_COST)
    }

    /// A contraction reads its operands many times: only what costs nothing in its inner loop may stand before it.
    fn contraction_refuses(&self, op: OpId, immediate: bool) -> Result<bool, PassError> {
        let data = self.graph.op(op);
        if !affine::absorbed(data.kind) {
            return Ok(true);
        }
        let (is_affine, base) = affine::chain(self.graph, data.results[0])?;
        let narrows = affine::narrows(self.graph, op) && !affine::is_leaf(self.graph, base);
        Ok(immediate && !is_affine || narrows)
    }
}

//! The decision of fusion: which values are stored, and in which group.
//!
//! Ops are visited from the last to the first, so that all readers of a value are known, with the number of times they
//! evaluate it, when its own turn comes. Storing a value prefers to join a group that already reads it one to one: that
//! is how a hero gets its epilogue and how groups get several outputs.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::carried::Updates;
use super::cost::Facts;
use super::extents::{elements, read_sizes, shape};
use super::groups::{Group, GroupId, Groups};
use super::maps::MapId;
use super::products;
use super::rows::{self, Space};
use super::traffic::Sources;
use crate::errors::PassError;
use crate::facts::attention::{self, Attentions};
use crate::facts::control;
use crate::facts::dequantized::{self, Rows};
use crate::facts::index_maps::is_renaming;
use crate::facts::ops::{Class, row, splat_bits};
use crate::facts::parts;
use crate::remarks::{Because, HERO_ONCE, IN_MEMORY};

/// Decisions that may be taken back, at most.
const ATTEMPTS_MAX: usize = 6;

/// What groups may be.
#[derive(Clone, Copy, Debug)]
pub struct Forms {
    /// Attention, and several products.
    pub whole: bool,
    /// Rows of products that compute their long operand.
    pub computed: Rows,
}

impl Forms {
    /// Where it is not known what the targets are.
    pub const ALONE: Forms = Forms { whole: true, computed: Rows::Few };
    /// Parts of what was one group.
    pub const APART: Forms = Forms { whole: false, computed: Rows::Few };
    /// Single products of what was a group of several, each of which may compute its operand.
    pub const SINGLE: Forms = Forms { whole: false, computed: Rows::Halves };
}

/// What fusion decided for one function.
pub struct Decided {
    pub groups: Vec<Group>,
    /// Reshapes (and their kin) that remain in the function, in order: aliases.
    pub aliases: Vec<OpId>,
    /// Why what is stored is (`None`), and why the kernel of a reader does not store it; empty where nobody asks.
    pub said: Said,
    /// Products that nearly end an attention, and why they do not.
    pub missed: HashMap<OpId, Because>,
    /// Reductions and products that did not join a group which evaluates what follows from them.
    failed: Vec<OpId>,
}

/// Reasons by op and, where one group refused it, that group.
pub type Said = HashMap<(OpId, Option<GroupId>), Because>;

pub(super) struct Decide<'a> {
    pub(super) graph: &'a Graph,
    pub(super) facts: Facts,
    pub(super) sources: Sources,
    pub(super) groups: Groups,
    /// Values that must end up in a buffer.
    pub(super) buffered: Vec<bool>,
    /// Values that the function itself names: results and what their aliases alias.
    named: Vec<bool>,
    aliases: Vec<OpId>,
    /// Products that may share a kernel.
    pub(super) candidates: BTreeSet<OpId>,
    /// Those of which a value was not stored because they would.
    pub(super) expected: BTreeSet<OpId>,
    /// By value: the reduction whose rows it follows.
    pub(super) followers: HashMap<ValueId, OpId>,
    /// Reductions that were expected to join a group.
    claims: BTreeSet<(OpId, GroupId)>,
    attention: &'a Attentions,
    /// Of a loop's body: what is to be written where it is.
    pub(super) updates: &'a Updates,
    pub(super) forms: Forms,
    /// `None`: nobody asks for reasons.
    said: Option<Said>,
}

/// What failed attempts leave to the next one.
struct Allowed {
    /// Reductions that follow from nothing.
    refused: BTreeSet<OpId>,
    /// Products that may share a kernel.
    products: BTreeSet<OpId>,
    forms: Forms,
}

/// Decides for the ops of a function's block: again where a reduction or product did not join the group that counted on
/// it. `remarks` keeps the reasons.
pub fn decide(graph: &Graph, block: BlockId, forms: Forms, remarks: bool) -> Result<Decided, PassError> {
    let attention = if forms.whole { attention::find(graph, block)? } else { Attentions::default() };
    let updates = Updates::of(graph, block)?;
    let products = if forms.whole { products::candidates(graph, block) } else { BTreeSet::new() };
    let mut allowed = Allowed { refused: BTreeSet::new(), products, forms };
    for _ in 0..ATTEMPTS_MAX {
        let decided = attempt(graph, block, &allowed, (&attention, &updates), remarks)?;
        if decided.failed.is_empty() {
            return Ok(decided);
        }
        allowed.products.retain(|op| !decided.failed.contains(op));
        allowed.refused.extend(decided.failed);
    }
    allowed.products.clear();
    allowed.refused.extend(graph.block(block).ops.iter().filter(|&&op| graph.op(op).kind == OpKind::Reduce));
    attempt(graph, block, &allowed, (&attention, &updates), remarks)
}

fn attempt(
    graph: &Graph,
    block: BlockId,
    allowed: &Allowed,
    (attention, updates): (&Attentions, &Updates),
    remarks: bool,
) -> Result<Decided, PassError> {
    let n = graph.values.len();
    let facts = Facts::of(graph, block)?;
    let mut decide = Decide {
        graph,
        sources: Sources::of(graph, block, &facts)?,
        facts,
        groups: Groups::new(),
        buffered: vec![false; n],
        named: vec![false; n],
        aliases: Vec::new(),
        candidates: allowed.products.clone(),
        expected: BTreeSet::new(),
        followers: rows::followers(graph, block, &allowed.refused)?,
        claims: BTreeSet::new(),
        attention,
        updates,
        forms: allowed.forms,
        said: remarks.then(Said::new),
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
    let failed = decide.claims.iter().filter(|(op, group)| !joined(op, *group)).map(|c| c.0);
    let shared = |op: &OpId| groups.iter().any(|group| group.products && group.ops.contains(op));
    let failed = failed.chain(decide.expected.iter().copied().filter(|op| !shared(op)));
    let failed = failed.chain(products::small(graph, &groups)).collect();
    let (aliases, said) = (decide.aliases, decide.said.unwrap_or_default());
    let missed = attention.missed.iter().copied().collect();
    Ok(Decided { groups, aliases, said, missed, failed })
}

impl Decide<'_> {
    /// Keeps a reason, if there is one and somebody asks for it.
    pub(super) fn note(&mut self, op: OpId, group: Option<GroupId>, why: Option<Because>) {
        if let (Some(said), Some(because)) = (&mut self.said, why) {
            said.entry((op, group)).or_insert(because);
        }
    }

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
        if let Some(found) = self.attention.found.iter().find(|f| f.claimed.contains(&op)) {
            let result = self.graph.op(found.root).results[0];
            let is_read = self.buffered[result.index()] || !self.groups.uses(result).is_empty();
            if op == found.root && (is_read || !found.rows.is_empty()) {
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
            self.note(op, None, Some(HERO_ONCE.of([])));
            return self.store(op, &uses);
        }
        let why = if buffered { Some(IN_MEMORY.of([])) } else { self.why_stored(op, &uses)? };
        self.note(op, None, why);
        if self.is_alias(op)? {
            if why.is_some() {
                self.alias(op);
            }
        } else if why.is_some() {
            return self.store(op, &uses);
        }
        for &(group, map) in &uses {
            self.claim(op, group, map)?;
            self.groups.instantiate(self.graph, op, group, map)?;
        }
        Ok(())
    }

    /// Is the op's result a value of the group's rows: of those it has, or of those that a reduction will bring?
    pub(super) fn in_rows(&self, op: OpId, group: GroupId, map: MapId) -> Result<bool, PassError> {
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
    pub(super) fn opens(&self, reduce: OpId, group: &Group, map: MapId) -> Result<Option<Space>, PassError> {
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
        let alone = parts::is_update(self.graph, op)
            || dequantized::adds_parts(self.graph, op)
            || self.narrows_product(op, uses)?;
        let space = match self.row_joinable(op, uses)? {
            _ if alone => None,
            Some(found) => Some(found),
            None => self.sibling(op)?,
        };
        if let Some((group, space)) = space {
            self.groups.maps.set_row(self.graph, op, &space);
            let map = space.row;
            self.add_roots(op, group);
            let state = &mut self.groups.groups[group as usize];
            (state.hero, state.row) = (Some(op), true);
            if state.beside.is_none() {
                state.space = Some(space);
            }
            return self.groups.instantiate(self.graph, op, group, map);
        }
        if let Some(group) = self.products_group(op, uses)? {
            return self.join_products(op, group, uses);
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
        let Some(kept) = rows::folded(self.graph, op)? else { return Ok(()) };
        let element = self.groups.maps.hop(self.graph, op, 0, map)?;
        let space = Space { kept, element, row: map };
        if rows::of_reduce(self.graph, op)?.is_some() {
            self.groups.maps.set_row(self.graph, op, &space);
            self.groups.groups[group as usize].space = Some(space);
        } else {
            self.groups.groups[group as usize].beside = Some(space);
        }
        Ok(())
    }
}

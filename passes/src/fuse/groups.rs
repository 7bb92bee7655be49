//! Fusion groups while they grow, and who reads what.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::{Graph, OpId, ValueId};

use super::maps::{MapId, Maps};
use super::rows::Space;
use crate::errors::PassError;
use crate::facts::ops::splat_bits;

pub type GroupId = u32;

#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Stored values; all are one-to-one with the domain, which is the index space of the first, or with the rows of
    /// its space.
    pub roots: Vec<ValueId>,
    pub hero: Option<OpId>,
    /// It has several products, of which the hero is one, or one at several places.
    pub products: bool,
    /// What its reductions fold; there may be several.
    pub space: Option<Space>,
    /// The same of a reduction that is too long to be a row, or of columns too few: it takes others that read the same
    /// elements, but nothing that follows from them.
    pub beside: Option<Space>,
    /// The identity of its domain.
    pub root: Option<MapId>,
    /// Values of the group's elements and of its rows are mixed, or it has several reductions.
    pub row: bool,
    /// The hero is attention: the ops are given, and nothing joins.
    pub attention: bool,
    /// The group is a control op, not a kernel.
    pub control: Option<OpId>,
    /// Ops evaluated in the group.
    pub ops: BTreeSet<OpId>,
    /// Values that the group uses and does not compute (so far).
    pub inputs: BTreeSet<ValueId>,
    /// Pairs of op and map.
    pub instances: usize,
}

pub struct Groups {
    pub groups: Vec<Group>,
    pub maps: Maps,
    /// By value: the groups that read it, and through which map. Sparse, since a graph has the values of all functions.
    uses: HashMap<ValueId, BTreeSet<(GroupId, MapId)>>,
    unused: BTreeSet<(GroupId, MapId)>,
}

impl Groups {
    pub fn new() -> Groups {
        Groups { groups: Vec::new(), maps: Maps::default(), uses: HashMap::new(), unused: BTreeSet::new() }
    }

    pub fn uses(&self, value: ValueId) -> &BTreeSet<(GroupId, MapId)> {
        self.uses.get(&value).unwrap_or(&self.unused)
    }

    /// Reads of all results of an op.
    pub fn op_uses(&self, graph: &Graph, op: OpId) -> BTreeSet<(GroupId, MapId)> {
        graph.op(op).results.iter().flat_map(|&r| self.uses(r).iter().copied()).collect()
    }

    /// A new group that stores `roots`, over a domain of `elements`.
    pub fn create(
        &mut self,
        graph: &Graph,
        op: OpId,
        roots: Vec<ValueId>,
        elements: i64,
    ) -> Result<GroupId, PassError> {
        let id = self.groups.len() as GroupId;
        let map = self.maps.root(elements);
        self.groups.push(Group { roots, root: Some(map), ..Group::default() });
        self.instantiate(graph, op, id, map)?;
        Ok(id)
    }

    /// A control op takes the place of a group: it reads buffers and makes buffers.
    pub fn create_control(&mut self, graph: &Graph, op: OpId, inputs: BTreeSet<ValueId>) {
        let id = self.groups.len() as GroupId;
        let map = self.maps.opaque();
        for v in &inputs {
            self.uses.entry(*v).or_default().insert((id, map));
        }
        let roots = graph.op(op).results.clone();
        self.groups.push(Group { roots, control: Some(op), inputs, ..Group::default() });
    }

    /// An attention takes the place of a group: it reads buffers and makes one, and those of rows.
    pub fn create_attention(&mut self, graph: &Graph, found: &crate::facts::attention::Found) {
        let id = self.groups.len() as GroupId;
        let map = self.maps.opaque();
        for v in &found.inputs {
            self.uses.entry(*v).or_default().insert((id, map));
        }
        self.groups.push(Group {
            roots: graph.op(found.root).results.iter().chain(&found.rows).copied().collect(),
            hero: Some(found.hero),
            attention: true,
            ops: found.ops.clone(),
            inputs: found.inputs.clone(),
            ..Group::default()
        });
    }

    /// Evaluates an op in a group through a map: its operands are read there.
    pub fn instantiate(&mut self, graph: &Graph, op: OpId, group: GroupId, map: MapId) -> Result<(), PassError> {
        let data = graph.op(op);
        let state = &mut self.groups[group as usize];
        state.instances += 1;
        if state.ops.insert(op) {
            for result in &data.results {
                state.inputs.remove(result);
            }
        }
        for (at, &operand) in data.operands.iter().enumerate() {
            if splat_bits(graph, operand).is_some() {
                continue;
            }
            let hop = self.maps.hop(graph, op, at, map)?;
            self.uses.entry(operand).or_default().insert((group, hop));
            self.groups[group as usize].inputs.insert(operand);
        }
        Ok(())
    }

    /// Does a group need a value, through other groups too, as far as is decided?
    pub fn needs(&self, group: GroupId, value: ValueId) -> bool {
        let mut seen = vec![false; self.groups.len()];
        let mut stack: Vec<GroupId> = self.uses(value).iter().map(|u| u.0).collect();
        while let Some(at) = stack.pop() {
            if at == group {
                return true;
            }
            if !std::mem::replace(&mut seen[at as usize], true) {
                let readers = self.groups[at as usize].roots.iter().flat_map(|&root| self.uses(root));
                stack.extend(readers.map(|u| u.0));
            }
        }
        false
    }

    /// Would the group, if it also made the results of `op`, need something that itself needs them?
    pub fn closes_cycle(&self, graph: &Graph, op: OpId, group: GroupId) -> bool {
        let mut seen = vec![false; self.groups.len()];
        let mut stack: Vec<GroupId> = self.op_uses(graph, op).iter().map(|u| u.0).filter(|&g| g != group).collect();
        while let Some(at) = stack.pop() {
            if at == group {
                return true;
            }
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            for &root in &self.groups[at as usize].roots {
                stack.extend(self.uses(root).iter().map(|u| u.0).filter(|&g| g != at));
            }
        }
        false
    }
}

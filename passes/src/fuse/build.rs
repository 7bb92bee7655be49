//! Writes the decided groups as `fornax.fusion` ops into a new graph.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::{Attr, BlockId, DimDef, Function, Graph, NewOp, OpId, OpKind, RegionId, Type, ValueId};

use super::decide::{Decided, Forms, decide};
use super::extents::read_sizes;
use super::groups::{Group, GroupId};
use super::pairs;
use crate::errors::PassError;
use crate::facts::control::calls_host;
use crate::facts::donated::buffer_of;
use crate::facts::ops::{Class, constant_of, row, splat_bits};
use crate::facts::parts::{is_update, whole};
use crate::facts::products::HERO;
use crate::remarks::{Pair, Site, describe};

/// The graph without functions: constants, locations and attributes stay, ids of constants and locations hold.
pub fn shell(graph: &Graph) -> Graph {
    Graph {
        name: graph.name.clone(),
        attrs: graph.attrs.clone(),
        locations: graph.locations.clone(),
        quantized: graph.quantized.clone(),
        dims: graph.dims.clone(),
        dim_checks: graph.dim_checks.clone(),
        constants: graph.constants.clone(),
        ..Graph::default()
    }
}

/// Copies ops from one graph to another.
pub struct Copy<'a> {
    pub from: &'a Graph,
    pub to: &'a mut Graph,
    pub values: HashMap<ValueId, ValueId>,
    pub forms: Forms,
    /// Every two neighbouring ops; `None` where nobody asks.
    pub pairs: Option<Vec<Pair>>,
}

/// Appends `function` with its groups to `fused`, which are what `forms` lets them be. Where
/// `remarks` is asked for, says of every two neighbouring ops why they are apart.
pub fn function(
    graph: &Graph,
    (function, entry): (&Function, BlockId),
    forms: Forms,
    remarks: bool,
    fused: &mut Graph,
) -> Result<Vec<Pair>, PassError> {
    let region = fused.add_region();
    let types: Vec<Type> = graph.block(entry).arguments.iter().map(|&v| graph.ty(v).clone()).collect();
    let body = fused.add_block(region, &types);
    fused.functions.push(Function { body: Some(region), ..function.clone() });
    let mut copy = Copy { from: graph, to: fused, values: HashMap::new(), forms, pairs: remarks.then(Vec::new) };
    copy.block(entry, body)?;
    copy.sizes();
    Ok(copy.pairs.unwrap_or_default())
}

/// Groups in an order in which every value is made before it is read, and read before it is changed where that can be;
/// among several, program order.
fn sorted<'a>(
    graph: &Graph,
    groups: &'a [Group],
    order: &HashMap<OpId, usize>,
) -> Result<Vec<(GroupId, &'a Group)>, PassError> {
    let mut maker: HashMap<ValueId, usize> = HashMap::new();
    for (at, group) in groups.iter().enumerate() {
        maker.extend(group.roots.iter().map(|&r| (r, at)));
    }
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    let mut missing = vec![0usize; groups.len()];
    for (at, group) in groups.iter().enumerate() {
        let sources: BTreeSet<usize> = group.inputs.iter().filter_map(|v| maker.get(v).copied()).collect();
        missing[at] = sources.len();
        for source in sources {
            readers[source].push(at);
        }
    }
    for (reader, update) in read_before_updates(graph, groups, &maker) {
        if !reaches(&readers, update, reader) && !readers[reader].contains(&update) {
            readers[reader].push(update);
            missing[update] += 1;
        }
    }
    for pair in host_calls(graph, groups, order).windows(2) {
        let (first, second) = (pair[0], pair[1]);
        if !reaches(&readers, second, first) && !readers[first].contains(&second) {
            readers[first].push(second);
            missing[second] += 1;
        }
    }
    let position = |at: usize| {
        let ops = groups[at].roots.iter().filter_map(|&r| graph.producer(r)).filter_map(|op| order.get(&op).copied());
        (ops.min().unwrap_or(0), at)
    };
    let mut ready: BTreeSet<(usize, usize)> = (0..groups.len()).filter(|&g| missing[g] == 0).map(position).collect();
    let mut done = Vec::with_capacity(groups.len());
    while let Some((_, at)) = ready.pop_first() {
        done.push((at as GroupId, &groups[at]));
        for &reader in &readers[at] {
            missing[reader] -= 1;
            if missing[reader] == 0 {
                ready.insert(position(reader));
            }
        }
    }
    if done.len() != groups.len() {
        return Err(PassError::broken("fusion groups depend on each other"));
    }
    Ok(done)
}

/// Groups that call functions of the host, in program order: they keep it, where no value asks for another one.
fn host_calls(graph: &Graph, groups: &[Group], order: &HashMap<OpId, usize>) -> Vec<usize> {
    let place = |at: usize| groups[at].control.filter(|&op| calls_host(graph, op)).map(|op| (order.get(&op), at));
    let mut found: Vec<(Option<&usize>, usize)> = (0..groups.len()).filter_map(place).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, at)| at).collect()
}

/// Pairs of groups: one that reads a value, and one that changes it where it is. The copy of the value is not needed
/// where the first runs before the second.
fn read_before_updates(graph: &Graph, groups: &[Group], maker: &HashMap<ValueId, usize>) -> Vec<(usize, usize)> {
    let buffer = |value: ValueId| maker.get(&value).map_or_else(|| buffer_of(graph, value), |_| value);
    let mut updates: HashMap<ValueId, Vec<usize>> = HashMap::new();
    for (at, group) in groups.iter().enumerate() {
        if let Some(hero) = group.hero.filter(|&hero| is_update(graph, hero)) {
            updates.entry(buffer(graph.op(hero).operands[0])).or_default().push(at);
        }
    }
    if updates.is_empty() {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for (reader, group) in groups.iter().enumerate() {
        let read: BTreeSet<ValueId> = group.inputs.iter().map(|&value| buffer(value)).collect();
        let changed = read.iter().filter_map(|value| updates.get(value)).flatten();
        pairs.extend(changed.filter(|&&update| update != reader).map(|&update| (reader, update)));
    }
    pairs
}

/// Whether a group runs before another one in every order.
fn reaches(readers: &[Vec<usize>], from: usize, to: usize) -> bool {
    let (mut seen, mut stack) = (vec![false; readers.len()], vec![from]);
    while let Some(at) = stack.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            stack.extend(&readers[at]);
        }
    }
    false
}

impl Copy<'_> {
    /// Sizes that the host reads are read from the copies.
    fn sizes(&mut self) {
        for (old, new) in self.from.dims.iter().zip(self.to.dims.iter_mut()) {
            if let DimDef::Value { value } = old.def
                && let Some(&copy) = self.values.get(&value)
            {
                new.def = DimDef::Value { value: copy };
            }
        }
    }

    /// Groups the ops of a block into `body`, a new block with the same arguments.
    fn block(&mut self, entry: BlockId, body: BlockId) -> Result<(), PassError> {
        let graph = self.from;
        for (at, &argument) in graph.block(entry).arguments.iter().enumerate() {
            let new = self.to.block(body).arguments[at];
            self.values.insert(argument, new);
        }
        let decided = decide(graph, entry, self.forms, self.pairs.is_some())?;
        let order: HashMap<OpId, usize> = graph.block(entry).ops.iter().enumerate().map(|(at, &op)| (op, at)).collect();
        self.constants(entry, body, &decided);
        let mut named: BTreeSet<OpId> = BTreeSet::new();
        // Names of sizes are there before what has such a size.
        let early = !read_sizes(graph).is_empty();
        let mut made: HashMap<GroupId, OpId> = HashMap::new();
        for (number, group) in sorted(graph, &decided.groups, &order)? {
            for &alias in decided.aliases.iter().filter(|_| early) {
                let ready = graph.op(alias).operands.iter().all(|v| self.values.contains_key(v));
                if ready && named.insert(alias) {
                    self.op(alias, body)?;
                }
            }
            match group.control {
                Some(op) => {
                    let mut aliases: Vec<OpId> = group.ops.iter().copied().filter(|a| named.insert(*a)).collect();
                    aliases.sort_by_key(|a| order.get(a).copied());
                    for alias in aliases {
                        self.op(alias, body)?;
                    }
                    self.control(op, body)?;
                }
                None => _ = made.insert(number, self.group(group, body, &order)?),
            }
        }
        if self.pairs.is_some() {
            self.remark(entry, &decided, &made);
        }
        for &op in decided.aliases.iter().filter(|a| !named.contains(a)) {
            self.op(op, body)?;
        }
        let end = |op: &&OpId| matches!(graph.op(**op).kind, OpKind::FuncReturn | OpKind::Return);
        for &op in graph.block(entry).ops.iter().filter(end) {
            self.op(op, body)?;
        }
        Ok(())
    }

    /// Keeps the block's pairs of neighbouring ops; `made` has the fusion op of each group.
    fn remark(&mut self, block: BlockId, decided: &Decided, made: &HashMap<GroupId, OpId>) {
        let graph = self.from;
        let site = |op: OpId, groups: &[GroupId]| Site {
            text: describe(graph, op),
            groups: groups.iter().filter_map(|group| made.get(group).copied()).collect(),
        };
        let pairs = pairs::of(graph, block, decided).into_iter().map(|n| Pair {
            producer: site(n.ops[0], &n.groups[0]),
            consumer: site(n.ops[1], &n.groups[1]),
            refused: n.refused,
        });
        self.pairs.get_or_insert_default().extend(pairs);
    }

    /// A control op, with the ops of its blocks grouped.
    fn control(&mut self, op: OpId, body: BlockId) -> Result<(), PassError> {
        let data = self.from.op(op);
        let operands = data.operands.iter().map(|v| self.value(*v)).collect::<Result<Vec<_>, _>>()?;
        let mut regions = Vec::with_capacity(data.regions.len());
        for &region in &data.regions {
            let new = self.to.add_region();
            for &block in &self.from.region(region).blocks {
                let types: Vec<Type> =
                    self.from.block(block).arguments.iter().map(|&v| self.from.ty(v).clone()).collect();
                let inner = self.to.add_block(new, &types);
                self.block(block, inner)?;
            }
            regions.push(new);
        }
        self.plain(op, body, operands);
        if let Some(&new) = self.to.block(body).ops.last() {
            self.to.op_mut(new).regions = regions;
        }
        Ok(())
    }

    /// Constants that some group reads from a buffer or the function returns.
    fn constants(&mut self, entry: BlockId, body: BlockId, decided: &Decided) {
        let returned = self.from.block(entry).ops.iter().filter(|&&op| {
            let kind = self.from.op(op).kind;
            matches!(kind, OpKind::FuncReturn | OpKind::Return) || decided.aliases.contains(&op)
        });
        let mut needed: BTreeSet<ValueId> = returned.flat_map(|&op| self.from.op(op).operands.clone()).collect();
        needed.extend(decided.groups.iter().flat_map(|g| g.inputs.iter().copied()));
        // Sizes that turned out to be constants are read like any other.
        needed.extend(read_sizes(self.from));
        for &op in &self.from.block(entry).ops {
            let data = self.from.op(op);
            if data.kind == OpKind::Constant && data.results.iter().any(|r| needed.contains(r)) {
                self.plain(op, body, Vec::new());
            }
        }
    }

    fn group(&mut self, group: &Group, body: BlockId, order: &HashMap<OpId, usize>) -> Result<OpId, PassError> {
        let mut ops: Vec<OpId> = group.ops.iter().copied().collect();
        ops.sort_by_key(|op| order.get(op).copied().unwrap_or(usize::MAX));
        let inputs: Vec<ValueId> = group.inputs.iter().copied().collect();
        let operands = inputs.iter().map(|v| self.value(*v)).collect::<Result<Vec<_>, _>>()?;
        let types: Vec<Type> = inputs.iter().map(|&v| self.from.ty(v).clone()).collect();
        let region = self.to.add_region();
        let inner = self.to.add_block(region, &types);
        let outer = self.values.clone();
        for (at, &input) in inputs.iter().enumerate() {
            let argument = self.to.block(inner).arguments[at];
            self.values.insert(input, argument);
        }
        for &op in &ops {
            self.splats(op, inner);
            self.op(op, inner)?;
        }
        let location = self.location(group, &ops);
        let yielded = group.roots.iter().map(|&r| self.value(r)).collect::<Result<Vec<_>, _>>()?;
        self.to.push_op(inner, NewOp::new(OpKind::FusionYield, yielded, Vec::new(), location));
        self.values = outer;
        let results = group.roots.iter().map(|&r| self.from.ty(r).clone()).collect();
        let mut fusion = NewOp::new(OpKind::Fusion, operands, results, location)
            .attr("hero", Attr::String(self.hero(group).to_string()));
        fusion.regions = vec![region];
        let fusion = self.to.push_op(body, fusion);
        for (at, &root) in group.roots.iter().enumerate() {
            let new = self.to.op(fusion).results[at];
            self.values.insert(root, new);
        }
        Ok(fusion)
    }

    /// Where a group came from: its hero, else the op that makes its first result.
    fn location(&self, group: &Group, ops: &[OpId]) -> fornax_graph::LocId {
        let root = group.roots.first().and_then(|&r| self.from.producer(r));
        let op = group.hero.or(root).or(ops.last().copied());
        op.map_or_else(Default::default, |op| self.from.op(op).location)
    }

    fn hero(&self, group: &Group) -> &'static str {
        if group.row {
            return "row";
        }
        if group.products {
            return HERO;
        }
        if group.hero.is_some_and(|op| whole(self.from.op(op).kind) == OpKind::Sort) {
            return "sort";
        }
        if group.attention {
            return "attention";
        }
        match group.hero.and_then(|op| row(self.from.op(op).kind)).map(|r| r.class) {
            Some(Class::Reduction) => "reduction",
            Some(Class::Contraction) => "contraction",
            _ => "loop",
        }
    }

    /// Splat constants live next to their readers.
    fn splats(&mut self, op: OpId, block: BlockId) {
        for &v in &self.from.op(op).operands {
            if splat_bits(self.from, v).is_none() {
                continue;
            }
            let known = self.values.get(&v).and_then(|&new| self.to.producer(new));
            if known.is_some_and(|p| self.to.op(p).block == block) {
                continue;
            }
            if let (Some(producer), true) = (self.from.producer(v), constant_of(self.from, v).is_some()) {
                self.plain(producer, block, Vec::new());
            }
        }
    }

    pub fn value(&self, v: ValueId) -> Result<ValueId, PassError> {
        self.values
            .get(&v)
            .copied()
            .ok_or_else(|| PassError::broken(format!("value {} is read before it is made", v.0)))
    }

    /// Copies an op with its regions.
    pub fn op(&mut self, op: OpId, block: BlockId) -> Result<(), PassError> {
        let data = self.from.op(op);
        let operands = data.operands.iter().map(|v| self.value(*v)).collect::<Result<Vec<_>, _>>()?;
        self.plain(op, block, operands);
        for &region in &data.regions {
            let new = self.region(region)?;
            let at = self.to.block(block).ops.last().copied();
            if let Some(at) = at {
                self.to.op_mut(at).regions.push(new);
            }
        }
        Ok(())
    }

    fn region(&mut self, region: RegionId) -> Result<RegionId, PassError> {
        let new = self.to.add_region();
        for &block in &self.from.region(region).blocks {
            let arguments = &self.from.block(block).arguments;
            let types: Vec<Type> = arguments.iter().map(|&v| self.from.ty(v).clone()).collect();
            let inner = self.to.add_block(new, &types);
            for (at, &argument) in arguments.iter().enumerate() {
                self.values.insert(argument, self.to.block(inner).arguments[at]);
            }
            for &op in &self.from.block(block).ops {
                // Merged duplicates leave a region with constants from outside it.
                self.splats(op, inner);
                self.op(op, inner)?;
            }
        }
        Ok(new)
    }

    fn plain(&mut self, op: OpId, block: BlockId, operands: Vec<ValueId>) {
        let data = self.from.op(op);
        let new = self.to.push_op(
            block,
            NewOp {
                kind: data.kind,
                name: data.name.clone(),
                operands,
                result_types: data.results.iter().map(|&r| self.from.ty(r).clone()).collect(),
                attrs: data.attrs.clone(),
                regions: Vec::new(),
                location: data.location,
            },
        );
        for (&old, &result) in data.results.iter().zip(&self.to.op(new).results) {
            self.values.insert(old, result);
        }
    }
}

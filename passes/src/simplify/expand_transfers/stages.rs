//! One group of channels becomes permutes: one, or one a level where what is sent is computed from what is received.
//!
//! Input: a block, and channels whose sends depend on one another's receives (or one channel alone). The ops that lie
//! between, the *stage*, are computed at each level by the devices of that level, then those send:
//!
//! ```text
//! level 0: y = stage(zeros)   permute y from level 0 to level 1 → x
//! level 1: y = stage(x)       permute y from level 1 to level 2 → x
//! …
//! ```
//! A permute names only the pairs of its level, so devices meet in twos and threes: in a loop a device begins the next
//! round while those behind it are still at this one.
//!
//! The stage is in an `if` on the device's level, once a level. Where it has collectives, or will get some when its
//! program is cut, all devices compute it at each level: they must meet in the same order.

use std::collections::{BTreeMap, HashMap, HashSet};

use fornax_graph::{
    Attr, BlockId, Constant, ElementType, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId, devices,
};
use fornax_reference::Scalar;

use super::channels::{Channel, is_plain};
use crate::errors::PassError;
use crate::facts::control::inputs;
use crate::rewrite::Rewriter;
use crate::rewrite::build::ints;
use crate::rewrite::copy::{ValueMap, copy_op};
use crate::rewrite::equal::has_side_effect;

/// Channels and ids that an error lists, at most.
const SHOWN: usize = 8;

/// A group of channels that is expanded together.
pub(super) struct Group<'c> {
    pub channels: Vec<&'c Channel>,
    /// What is sent is computed from what is received.
    pub is_pipeline: bool,
    /// Collectives may come to stand in the stage.
    pub is_cut_later: bool,
    /// Ops that a stage may have, over all levels.
    pub max_ops: usize,
}

/// How the ops of a block stand to a group.
struct Split {
    before: Vec<OpId>,
    /// Depend on what is received, and what is sent depends on them.
    stage: Vec<OpId>,
    behind: Vec<OpId>,
}

impl Group<'_> {
    /// Replaces the group's ops in its block; gives what takes the place of values, or `None` where the stage has sizes
    /// that are not known yet.
    pub fn expand(&self, graph: &mut Graph, block: BlockId) -> Result<Option<ValueMap>, PassError> {
        let split = self.split(graph, block);
        let made = split.stage.iter().flat_map(|&op| &graph.op(op).results);
        if !made.copied().all(|value| *graph.ty(value) == Type::Token || is_plain(graph, value)) {
            return Ok(None);
        }
        let Some(first) = self.channels.first() else { return Ok(None) };
        let location = graph.op(first.recv).location;
        let levels = self.levels(graph, &split.stage)?;
        let kept = self.kept(graph, &split);
        graph.blocks[block.index()].ops = split.before;
        let mut rw = Rewriter::at_end(graph, block, location);
        let routes = self.channels.iter().map(|&channel| Route::of(channel, &levels)).collect();
        let mut stages = Stages { group: self, routes, stage: &split.stage, levels, kept, own: HashMap::new() };
        let values = stages.emit(&mut rw);
        graph.blocks[block.index()].ops.extend(split.behind);
        Ok(Some(values))
    }

    fn split(&self, graph: &Graph, block: BlockId) -> Split {
        let halves: HashSet<OpId> = self.channels.iter().flat_map(|c| [c.send, c.recv]).collect();
        let ops = &graph.block(block).ops;
        let mut reached: HashSet<ValueId> = HashSet::new();
        self.channels.iter().for_each(|channel| reached.extend(channel.received(graph)));
        let mut dependent: HashSet<OpId> = HashSet::new();
        for &op in ops {
            if inputs(graph, op).iter().any(|value| reached.contains(value)) {
                dependent.insert(op);
                reached.extend(&graph.op(op).results);
            }
        }
        let mut needed: HashSet<ValueId> = HashSet::new();
        self.channels.iter().for_each(|channel| needed.extend(channel.sent(graph)));
        let mut feeding: HashSet<OpId> = HashSet::new();
        for &op in ops.iter().rev() {
            if graph.op(op).results.iter().any(|value| needed.contains(value)) {
                feeding.insert(op);
                needed.extend(inputs(graph, op));
            }
        }
        let mut split = Split { before: Vec::new(), stage: Vec::new(), behind: Vec::new() };
        for (at, &op) in ops.iter().enumerate().filter(|(_, op)| !halves.contains(op)) {
            match (dependent.contains(&op), feeding.contains(&op)) {
                (true, true) => split.stage.push(op),
                (false, _) if at + 1 < ops.len() => split.before.push(op),
                _ => split.behind.push(op),
            }
        }
        split
    }

    /// Values of the stage that others use, and no `send` of the group.
    fn kept(&self, graph: &Graph, split: &Split) -> Vec<ValueId> {
        let used: HashSet<ValueId> = split.behind.iter().flat_map(|&op| inputs(graph, op)).collect();
        let made = split.stage.iter().flat_map(|&op| &graph.op(op).results);
        made.copied().filter(|value| used.contains(value)).collect()
    }

    /// Of each id; all at 0 where nothing that is received is sent on.
    fn levels(&self, graph: &Graph, stage: &[OpId]) -> Result<Levels, PassError> {
        let Some(first) = self.channels.first() else { return Ok(Levels::default()) };
        let ids = first.ids;
        let mut levels = Levels { of: vec![0; ids.count as usize], meets: self.is_cut_later };
        if !self.is_pipeline {
            return Ok(levels);
        }
        let refuse = |op: OpId, why: String| Err(PassError::channel(graph, op, first.handle, why));
        if let Some(other) = self.channels.iter().find(|channel| channel.ids != ids) {
            let why = format!("depends on channel {}, whose pairs name replicas where these name partitions, or the \
                               other way round; use channels above 0 for both", other.handle);
            return refuse(first.recv, why);
        }
        let mut together: Vec<Vec<u32>> = Vec::new();
        for op in nested(graph, stage) {
            match met(graph, op).map_err(|why| PassError::unsupported(graph, op, why))? {
                Some(groups) => {
                    levels.meets = true;
                    let of_group = |group: Vec<u32>| {
                        group.into_iter().map(|device| ids.id(device)).filter(|&id| id < ids.count).collect()
                    };
                    together.extend(groups.into_iter().map(of_group));
                }
                None if has_side_effect(graph, op) => {
                    let name = graph.op(op).kind.name();
                    let why = format!("is followed by `{name}`, which acts on the outside, before its `send`");
                    return refuse(first.recv, why);
                }
                None => {}
            }
        }
        let pairs: Vec<[u32; 2]> = self.channels.iter().flat_map(|channel| channel.pairs.iter().copied()).collect();
        match super::levels::levels(ids.count as usize, &pairs, &together) {
            Ok(of) => levels.of = of,
            Err(cycle) => return Err(self.no_order(graph, first, &cycle, together.is_empty())),
        }
        let steps = self.last_level(&levels) as usize + 1;
        let size = nested(graph, stage).len();
        if size.saturating_mul(steps) > self.max_ops {
            let at = crate::errors::place(graph, graph.op(first.recv).location);
            return Err(PassError::TooManyOps { at, limit: self.max_ops });
        }
        Ok(levels)
    }

    /// The last level that sends.
    fn last_level(&self, levels: &Levels) -> u32 {
        let pairs = self.channels.iter().flat_map(|channel| &channel.pairs);
        pairs.map(|pair| levels.of(pair[0])).max().unwrap_or(0)
    }

    /// Why the group has no levels, with ids on a cycle. A cycle of one channel's pairs was refused before: here are
    /// several channels that depend on one another (`by_channels`), or a collective joins the ends of a chain.
    fn no_order(&self, graph: &Graph, first: &Channel, cycle: &[u32], by_channels: bool) -> PassError {
        let what = if first.ids.across_partitions { "partitions" } else { "replicas" };
        let cycle: Vec<String> = cycle.iter().take(SHOWN).map(|id| id.to_string()).collect();
        let handles: Vec<String> = self.channels.iter().take(SHOWN).map(|channel| channel.handle.to_string()).collect();
        let (cycle, handles) = (cycle.join(", "), handles.join(", "));
        if by_channels {
            let why = format!(
                "what channels {handles} send depends on what each of them receives, and their pairs together run in \
                 a cycle through {what} {cycle}; send on each channel what depends on its own `recv`"
            );
            return PassError::unsupported(graph, first.recv, why);
        }
        let at = crate::errors::place(graph, graph.op(first.recv).location);
        let why = format!(
            "{what} {cycle} send on channel(s) {handles} what they combine before, in a collective, with those that \
             receive it"
        );
        PassError::Deadlock { at, why }
    }
}

/// At which level devices are.
#[derive(Default)]
struct Levels {
    of: Vec<u32>,
    /// The stage has collectives, or may get some.
    meets: bool,
}

impl Levels {
    fn of(&self, id: u32) -> u32 {
        self.of.get(id as usize).copied().unwrap_or(0)
    }
}

/// Some ops and all inside of them.
fn nested(graph: &Graph, ops: &[OpId]) -> Vec<OpId> {
    let mut all = Vec::new();
    for &op in ops {
        all.push(op);
        for &block in graph.op(op).regions.iter().flat_map(|&region| &graph.region(region).blocks) {
            graph.walk(block, &mut |inner| all.push(inner));
        }
    }
    all
}

/// The groups of devices of a collective; `None` for other ops.
fn met(graph: &Graph, id: OpId) -> Result<Option<Vec<Vec<u32>>>, String> {
    let op = graph.op(id);
    match op.kind {
        OpKind::CollectivePermute => devices::pairs(graph, op).map(Some),
        OpKind::AllGather
        | OpKind::AllReduce
        | OpKind::AllToAll
        | OpKind::CollectiveBroadcast
        | OpKind::CollectiveReduce
        | OpKind::CrossReplicaSum
        | OpKind::ReduceScatter => devices::groups(graph, op).map(Some),
        OpKind::Collective => {
            let Some(Attr::Array(rows)) = op.attrs.get("groups") else { return Ok(None) };
            let device = |id: i64| u32::try_from(id).ok();
            let row = |row: &Attr| -> Option<Vec<u32>> { row.as_ints()?.into_iter().map(device).collect() };
            rows.iter().map(row).collect::<Option<Vec<_>>>().map(Some).ok_or_else(|| "its groups are none".into())
        }
        _ => Ok(None),
    }
}

/// A channel, and its pairs by the level of their source.
struct Route<'c> {
    channel: &'c Channel,
    pairs: BTreeMap<u32, Vec<[u32; 2]>>,
}

impl<'c> Route<'c> {
    fn of(channel: &'c Channel, levels: &Levels) -> Route<'c> {
        let mut pairs: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
        channel.pairs.iter().for_each(|&pair| pairs.entry(levels.of(pair[0])).or_default().push(pair));
        Route { channel, pairs }
    }
}

/// The expansion of a group while it is made.
struct Stages<'g> {
    group: &'g Group<'g>,
    routes: Vec<Route<'g>>,
    stage: &'g [OpId],
    levels: Levels,
    kept: Vec<ValueId>,
    /// What this device finds in a table by id: its level, or by number of a route when that brings it something.
    own: HashMap<Option<usize>, ValueId>,
}

impl Stages<'_> {
    fn emit(&mut self, rw: &mut Rewriter) -> ValueMap {
        let mut now = ValueMap::new();
        for at in 0..self.routes.len() {
            let received = self.routes[at].channel.received(rw.graph).to_vec();
            received.into_iter().for_each(|value| zeros(rw, value, &mut now));
        }
        let outputs = self.outputs(rw.graph);
        let is_guarded = !self.levels.meets && !self.stage.is_empty();
        if is_guarded {
            outputs.iter().for_each(|&value| zeros(rw, value, &mut now));
        }
        // Devices that send to nobody compute the stage too, where others use its values.
        let last = match is_guarded && !self.kept.is_empty() {
            true => self.levels.of.iter().copied().max().unwrap_or(0),
            false => self.group.last_level(&self.levels),
        };
        for level in 0..=last {
            match is_guarded {
                true => self.guarded(rw, level, &outputs, &mut now),
                false => self.computed(rw, &outputs, &mut now),
            }
            let sent = now.clone();
            (0..self.routes.len()).for_each(|at| self.send(rw, (at, level), &sent, &mut now));
        }
        if !is_guarded && !self.kept.is_empty() {
            self.computed(rw, &outputs, &mut now);
        }
        // What acts on the outside is not in a stage: its tokens say nothing.
        for &value in &self.kept {
            if *rw.graph.ty(value) == Type::Token {
                now.insert(value, rw.emit(OpKind::CreateToken, &[], Type::Token, &[]));
            }
        }
        now
    }

    /// Values of the stage that are sent or kept, each once.
    fn outputs(&self, graph: &Graph) -> Vec<ValueId> {
        let made: HashSet<ValueId> = self.stage.iter().flat_map(|&op| &graph.op(op).results).copied().collect();
        let sent = self.group.channels.iter().flat_map(|channel| channel.sent(graph));
        let mut seen = HashSet::new();
        let wanted = sent.chain(&self.kept).copied();
        wanted.filter(|v| made.contains(v) && *graph.ty(*v) != Type::Token && seen.insert(*v)).collect()
    }

    /// The stage, on every device.
    fn computed(&self, rw: &mut Rewriter, outputs: &[ValueId], now: &mut ValueMap) {
        let mut map = now.clone();
        for &op in self.stage {
            let copy = copy_op(rw.graph, op, &mut map);
            let results = rw.insert(copy);
            map.extend(rw.graph.op(op).results.iter().copied().zip(results));
        }
        now.extend(outputs.iter().filter_map(|value| Some((*value, *map.get(value)?))));
    }

    /// The stage, on devices of a level; others keep what they have.
    fn guarded(&mut self, rw: &mut Rewriter, level: u32, outputs: &[ValueId], now: &mut ValueMap) {
        let is_here = self.is_own(rw, None, level);
        let location = rw.location();
        let old: Vec<ValueId> = outputs.iter().map(|value| now.get(value).copied().unwrap_or(*value)).collect();
        let mut map = now.clone();
        let [then_region, else_region] = [(); 2].map(|()| rw.graph.add_region());
        let block = rw.graph.add_block(then_region, &[]);
        for &op in self.stage {
            let copy = copy_op(rw.graph, op, &mut map);
            let made = rw.graph.push_op(block, copy);
            let results = rw.graph.op(made).results.clone();
            map.extend(rw.graph.op(op).results.iter().copied().zip(results));
        }
        let new = outputs.iter().map(|value| map.get(value).copied().unwrap_or(*value)).collect();
        rw.graph.push_op(block, NewOp::new(OpKind::Return, new, Vec::new(), location));
        let block = rw.graph.add_block(else_region, &[]);
        rw.graph.push_op(block, NewOp::new(OpKind::Return, old, Vec::new(), location));
        let types = outputs.iter().map(|&value| rw.graph.ty(value).clone()).collect();
        let mut choice = NewOp::new(OpKind::If, vec![is_here], types, location);
        choice.regions = vec![then_region, else_region];
        let results = rw.insert(choice);
        now.extend(outputs.iter().copied().zip(results));
    }

    /// What the sources of a level send on a route; `sent` says what each value is, `now` gets what arrives.
    fn send(&mut self, rw: &mut Rewriter, (route, level): (usize, u32), sent: &ValueMap, now: &mut ValueMap) {
        let Route { channel, pairs } = &self.routes[route];
        let Some(named) = pairs.get(&level) else { return };
        // Before the first of its levels nobody has received anything: those that are no targets get zeros.
        let is_first = pairs.keys().next() == Some(&level);
        let named = ints(named.iter().flatten().map(|&id| i64::from(id)).collect::<Vec<_>>());
        let handle = rw.graph.op(channel.send).attrs.get("channel_handle").cloned();
        let (values, targets) = (channel.sent(rw.graph).to_vec(), channel.received(rw.graph).to_vec());
        for (value, target) in values.into_iter().zip(targets) {
            let ty = rw.graph.ty(target).clone();
            let operand = sent.get(&value).copied().unwrap_or(value);
            let mut permute = NewOp::new(OpKind::CollectivePermute, vec![operand], vec![ty], rw.location());
            if let Some(handle) = &handle {
                permute.attrs.set("channel_handle", handle.clone());
            }
            permute.attrs.set("source_target_pairs", named.clone());
            let mut arrived = rw.insert(permute)[0];
            if let (false, Some(&old)) = (is_first, now.get(&target)) {
                let is_target = self.is_own(rw, Some(route), level);
                arrived = rw.select(is_target, arrived, old);
            }
            now.insert(target, arrived);
        }
    }

    /// Whether this device is at a level, or a route brings it something at that level.
    fn is_own(&mut self, rw: &mut Rewriter, route: Option<usize>, level: u32) -> ValueId {
        let own = match self.own.get(&route) {
            Some(&own) => own,
            None => {
                let table = self.table(route);
                let across_partitions = self.routes.iter().all(|route| route.channel.ids.across_partitions);
                let kind = if across_partitions { OpKind::PartitionId } else { OpKind::ReplicaId };
                let device = rw.emit(kind, &[], Type::tensor(&[], ElementType::Ui32), &[]);
                let ty = TensorType::new(&[table.len() as i64], ElementType::I32);
                let bytes = table.iter().flat_map(|number| number.to_le_bytes()).collect();
                let all = rw.constant(Constant::dense(ty, bytes));
                let one = Type::tensor(&[1], ElementType::I32);
                let own = rw.emit(OpKind::DynamicSlice, &[all, device], one, &[("slice_sizes", ints([1]))]);
                let own = rw.reshape::<i64>(own, &[]);
                self.own.insert(route, own);
                own
            }
        };
        let level = rw.splat(&TensorType::new(&[], ElementType::I32), Scalar::Int(level.into()));
        rw.compare("EQ", own, level)
    }

    /// By id the level, or the one at which a route brings something; -1 where it brings nothing.
    fn table(&self, route: Option<usize>) -> Vec<i32> {
        let Some(route) = route else { return self.levels.of.iter().map(|&level| level as i32).collect() };
        let mut table = vec![-1; self.levels.of.len()];
        for (&level, pairs) in &self.routes[route].pairs {
            pairs.iter().for_each(|pair| table[pair[1] as usize] = level as i32);
        }
        table
    }
}

/// Until something comes a value is zeros.
fn zeros(rw: &mut Rewriter, value: ValueId, now: &mut ValueMap) {
    if let Some(ty) = rw.tensor(value).cloned() {
        let zeros = rw.splat(&ty, Scalar::zero(ty.element));
        now.insert(value, zeros);
    }
}

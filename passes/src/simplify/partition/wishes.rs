//! How values are wanted by what comes behind them: shardings that stand on results, or in the middle of a program,
//! reach the ops before them and arguments that say nothing.
//!
//! Worked example: `h = x @ w` is constrained to `[{}, {"m"}]`, and nothing else says anything. The product is wanted
//! cut along its columns; so is `w`, an argument that says nothing, and it comes in so. In `h @ v`, `h` lies cut along
//! what is summed up, so `v` is wanted cut along its rows.
//!
//! Rounds of two walks that change nothing: forward, how values lie, as the walk that cuts will find it; backward, what
//! each reader wants. Where readers differ, the cheapest layout is taken: what gathers move, against what it costs
//! to make all of the value on every device. A value that is wanted whole or not at all has no wish.

use std::collections::HashMap;

use fornax_graph::views::{conv_dims, dot_dims};
use fornax_graph::{BlockId, Graph, Op, OpKind, TensorType, Type, ValueId};
use fornax_targets::fitted::collectives::{LINK_COST, OPS_A_BYTE};

use super::choice::Choice;
use super::layout::Layout;
use super::rules::{COLLECTIVES, factors};
use super::{Part, Pass, is_edge, text};

/// Rounds, at most; what is not settled then is a worse cut, no other result.
const ROUNDS: usize = 4;

/// How a value is wanted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wish {
    pub layout: Layout,
    /// What asks for it, for people.
    pub by: String,
}

/// The state of the two walks.
#[derive(Default)]
struct Walk {
    /// How values lie; others are whole.
    lies: HashMap<ValueId, Wish>,
    wanted: HashMap<ValueId, Wish>,
    /// What readers want of a value; `None` for all of it.
    votes: HashMap<ValueId, Vec<Option<Wish>>>,
}

impl Pass {
    /// What is wanted of the values of a function that is not cut yet. `said` are the layouts of arguments that have
    /// one, and `results` those of the results.
    pub(super) fn wishes(
        &self,
        graph: &Graph,
        entry: BlockId,
        said: &HashMap<ValueId, Wish>,
        results: &[Option<Wish>],
    ) -> HashMap<ValueId, Wish> {
        let mut walk = Walk::default();
        for _ in 0..ROUNDS {
            walk.lies.clone_from(said);
            for argument in &graph.block(entry).arguments {
                if let (false, Some(wish)) = (said.contains_key(argument), walk.wanted.get(argument)) {
                    walk.lies.insert(*argument, wish.clone());
                }
            }
            self.forward(graph, entry, &mut walk);
            let before = std::mem::take(&mut walk.wanted);
            walk.votes.clear();
            self.backward(graph, entry, (&mut walk, results));
            for &argument in &graph.block(entry).arguments {
                self.settle_wish(graph, argument, 0, &mut walk);
            }
            if walk.wanted == before {
                break;
            }
        }
        walk.wanted
    }

    /// How the results of a block's ops will lie; what its terminator hands on.
    fn forward(&self, graph: &Graph, block: BlockId, walk: &mut Walk) -> Vec<ValueId> {
        for &id in &graph.block(block).ops {
            let op = graph.op(id);
            match op.kind {
                OpKind::Return | OpKind::FuncReturn => return op.operands.clone(),
                OpKind::While | OpKind::If | OpKind::Case => self.forward_regions(graph, op, walk),
                OpKind::ManualComputation => {
                    let outs = self.shardings(graph, id, "out_shardings").unwrap_or_default();
                    for (&result, sharding) in op.results.iter().zip(outs) {
                        let Some(whole) = graph.ty(result).as_tensor() else { continue };
                        let layout = self.machine.layout(&sharding, whole).ok();
                        lay(walk, result, layout, || "a manual computation".into());
                    }
                }
                OpKind::ShardingConstraint => {
                    if let (Some(wish), Some(&result)) = (self.said_by(graph, op, walk, false), op.results.first()) {
                        walk.lies.insert(result, wish);
                    }
                }
                _ if is_edge(graph, id) => {}
                _ => {
                    let Some(layouts) = self.layouts(graph, op, walk) else { continue };
                    let by = self.reason(op, walk);
                    for (&result, layout) in op.results.iter().zip(layouts) {
                        lay(walk, result, Some(layout), || by.clone());
                    }
                }
            }
        }
        Vec::new()
    }

    /// What a constraint says, with what its operand, or what is wanted of its result, adds to open dimensions.
    fn said_by(&self, graph: &Graph, op: &Op, walk: &Walk, backward: bool) -> Option<Wish> {
        let (&operand, &result) = (op.operands.first()?, op.results.first()?);
        let whole = graph.ty(result).as_tensor()?;
        let open = if backward { walk.wanted.get(&result) } else { walk.lies.get(&operand) };
        let now = open.map_or_else(|| self.machine.replicated(whole), |wish| wish.layout.clone());
        let layout = self.kept(&text(op.attrs.get("sharding")?), whole, &now).ok()?;
        let by = match open.filter(|wish| wish.layout == layout) {
            Some(wish) => wish.by.clone(),
            None => "a sharding constraint".into(),
        };
        Some(Wish { layout, by })
    }

    /// Who decides how the results of an op lie: the first operand that is cut, or else what is wanted of them.
    fn reason(&self, op: &Op, walk: &Walk) -> String {
        let operand = op.operands.iter().find_map(|v| walk.lies.get(v).filter(|wish| !wish.layout.is_whole()));
        let wish = operand.or_else(|| op.results.iter().find_map(|v| walk.wanted.get(v)));
        wish.map(|wish| wish.by.clone()).unwrap_or_default()
    }

    /// How the results of an op will lie; `None` for an op without a rule.
    fn layouts(&self, graph: &Graph, op: &Op, walk: &Walk) -> Option<Vec<Layout>> {
        let (factors, parts) = self.ruled(graph, op, walk)?;
        if op.kind == OpKind::BroadcastInDim && parts.iter().all(|part| part.layout.is_whole()) {
            return None;
        }
        let choice = Choice { machine: &self.machine, graph, op, factors: &factors, parts: &parts };
        let wanted: Vec<Option<&Layout>> = op.results.iter().map(|v| Some(&walk.wanted.get(v)?.layout)).collect();
        let chosen = choice.axes(&wanted);
        let layout = |dims: &Vec<usize>| Layout(dims.iter().map(|&f| chosen[f].clone()).collect());
        Some(factors.results.iter().map(layout).collect())
    }

    fn ruled(&self, graph: &Graph, op: &Op, walk: &Walk) -> Option<(super::rules::Factors, Vec<Part>)> {
        if COLLECTIVES.contains(&op.kind) {
            return None;
        }
        let part = |v: &ValueId| {
            let whole = graph.ty(*v).as_tensor()?.clone();
            let own = walk.lies.get(v).map(|wish| wish.layout.clone());
            Some(Part { layout: own.unwrap_or_else(|| self.machine.replicated(&whole)), whole })
        };
        let parts: Vec<Part> = op.operands.iter().map(part).collect::<Option<_>>()?;
        let types: Vec<TensorType> = parts.iter().map(|part| part.whole.clone()).collect();
        Some((factors(graph, op, &types)?, parts))
    }

    /// Loops carry what comes in, or what is wanted of them; branches hand on what the first one that has a cut has.
    fn forward_regions(&self, graph: &Graph, op: &Op, walk: &mut Walk) {
        let mut found: Vec<Option<Wish>> = vec![None; op.results.len()];
        for &block in op.regions.iter().flat_map(|&region| &graph.region(region).blocks) {
            for (at, &argument) in graph.block(block).arguments.iter().enumerate() {
                let comes = op.operands.get(at).and_then(|v| walk.lies.get(v));
                let wanted = || walk.wanted.get(op.results.get(at)?).or_else(|| walk.wanted.get(&argument));
                match comes.or_else(wanted).cloned() {
                    Some(wish) => walk.lies.insert(argument, wish),
                    None => walk.lies.remove(&argument),
                };
            }
            let yields = self.forward(graph, block, walk);
            for (slot, value) in found.iter_mut().zip(yields).filter(|_| graph.block(block).ops.len() > 1) {
                let own = walk.lies.get(&value).filter(|wish| !wish.layout.is_whole());
                *slot = slot.take().or_else(|| own.cloned());
            }
        }
        for (&result, wish) in op.results.iter().zip(found) {
            match wish {
                Some(wish) => walk.lies.insert(result, wish),
                None => walk.lies.remove(&result),
            };
        }
    }

    /// What the ops of a block want of their operands, the last op first. `results` is what is wanted of what the block
    /// hands on.
    fn backward(&self, graph: &Graph, block: BlockId, (walk, results): (&mut Walk, &[Option<Wish>])) {
        for &id in graph.block(block).ops.iter().rev() {
            let op = graph.op(id);
            let work = work(graph, op);
            for &result in &op.results {
                self.settle_wish(graph, result, work, walk);
            }
            match op.kind {
                OpKind::Return | OpKind::FuncReturn => {
                    for (at, &operand) in op.operands.iter().enumerate() {
                        if let Some(wish) = results.get(at).cloned().flatten() {
                            vote(walk, operand, Some(wish));
                        }
                    }
                }
                OpKind::While | OpKind::If | OpKind::Case => self.backward_regions(graph, op, walk),
                OpKind::ManualComputation => {
                    let ins = self.shardings(graph, id, "in_shardings").unwrap_or_default();
                    for (&operand, sharding) in op.operands.iter().zip(ins) {
                        let whole = graph.ty(operand).as_tensor();
                        let layout = whole.and_then(|whole| self.machine.layout(&sharding, whole).ok());
                        let by = "a manual computation".to_string();
                        vote(walk, operand, layout.map(|layout| Wish { layout, by }));
                    }
                }
                OpKind::ShardingConstraint => {
                    let wish = self.said_by(graph, op, walk, true);
                    op.operands.iter().for_each(|&v| vote(walk, v, wish.clone()));
                }
                _ => self.backward_rule(graph, op, walk),
            }
        }
    }

    fn backward_rule(&self, graph: &Graph, op: &Op, walk: &mut Walk) {
        let Some((factors, parts)) = self.ruled(graph, op, walk) else {
            op.operands.clone().into_iter().for_each(|v| vote(walk, v, None));
            return;
        };
        let choice = Choice { machine: &self.machine, graph, op, factors: &factors, parts: &parts };
        let wanted: Vec<Option<&Layout>> = op.results.iter().map(|v| Some(&walk.wanted.get(v)?.layout)).collect();
        let chosen = choice.axes(&wanted);
        let by = self.reason(op, walk);
        for (&operand, dims) in op.operands.iter().zip(&factors.operands) {
            let layout = Layout(dims.iter().map(|&f| chosen[f].clone()).collect());
            vote(walk, operand, Some(Wish { layout, by: by.clone() }));
        }
    }

    fn backward_regions(&self, graph: &Graph, op: &Op, walk: &mut Walk) {
        for &block in op.regions.iter().flat_map(|&region| &graph.region(region).blocks) {
            let arguments = graph.block(block).arguments.clone();
            let wanted = |at: usize, result: &ValueId| {
                let own = || walk.lies.get(arguments.get(at)?);
                walk.wanted.get(result).or_else(own).cloned()
            };
            let wanted: Vec<Option<Wish>> = op.results.iter().enumerate().map(|(at, v)| wanted(at, v)).collect();
            // A condition hands on no value that can be cut.
            let is_condition = op.kind == OpKind::While && Some(&block) == first_block(graph, op);
            self.backward(graph, block, (walk, if is_condition { &[] } else { &wanted }));
            for (&argument, &operand) in arguments.iter().zip(&op.operands) {
                self.settle_wish(graph, argument, 0, walk);
                if op.kind == OpKind::While && !is_condition {
                    let wish = walk.wanted.get(&argument).cloned();
                    vote(walk, operand, wish);
                }
            }
        }
        if op.kind != OpKind::While {
            op.operands.iter().for_each(|&v| vote(walk, v, None));
        }
    }

    /// The wish that costs least: gathers for readers that want less of it cut, and the work of making what is not cut.
    fn settle_wish(&self, graph: &Graph, value: ValueId, work: u64, walk: &mut Walk) {
        let Type::Tensor(whole) = graph.ty(value) else { return };
        let Some(votes) = walk.votes.get(&value) else { return };
        let all = self.machine.replicated(whole);
        let layout = |vote: &Option<Wish>| vote.as_ref().map_or_else(|| all.clone(), |wish| wish.layout.clone());
        let bytes = whole.bytes().unwrap_or(0);
        let cost = |layout_of: &Layout| {
            let pieces: i64 = layout_of.0.iter().map(|axes| self.machine.pieces(axes)).product();
            let gathers = votes.iter().map(&layout).filter(|to| !extends(to, layout_of)).count() as u64;
            let made = work / u64::try_from(pieces).unwrap_or(1).max(1);
            (gathers.saturating_mul(bytes).saturating_mul(LINK_COST).saturating_add(made), std::cmp::Reverse(pieces))
        };
        let wishes = votes.iter().flatten().filter(|wish| !wish.layout.is_whole());
        let best = wishes.min_by_key(|wish| cost(&wish.layout)).cloned();
        let best = best.filter(|wish| cost(&wish.layout) < cost(&all));
        if let Some(wish) = best {
            walk.wanted.insert(value, wish);
        }
    }
}

/// Whether a value in one layout is a piece of what another one leaves on a device.
fn extends(layout: &Layout, of: &Layout) -> bool {
    layout.0.iter().zip(&of.0).all(|(axes, first)| axes.starts_with(first))
}

fn first_block<'g>(graph: &'g Graph, op: &Op) -> Option<&'g BlockId> {
    graph.region(*op.regions.first()?).blocks.first()
}

fn lay(walk: &mut Walk, value: ValueId, layout: Option<Layout>, by: impl FnOnce() -> String) {
    match layout.filter(|layout| !layout.is_whole()) {
        Some(layout) => walk.lies.insert(value, Wish { layout, by: by() }),
        None => walk.lies.remove(&value),
    };
}

fn vote(walk: &mut Walk, value: ValueId, wish: Option<Wish>) {
    walk.votes.entry(value).or_default().push(wish);
}

/// What it costs to make the results of an op, in bytes of memory.
fn work(graph: &Graph, op: &Op) -> u64 {
    let bytes = |v: &ValueId| graph.ty(*v).as_tensor().and_then(TensorType::bytes).unwrap_or(0);
    let moved: u64 = op.operands.iter().chain(&op.results).map(bytes).sum();
    let elements = |v: Option<&ValueId>| graph.ty(*v?).as_tensor()?.elements();
    let products = match op.kind {
        OpKind::DotGeneral => {
            let contract = dot_dims(op).lhs_contract;
            let lhs = op.operands.first().and_then(|&v| graph.ty(v).as_tensor()?.static_shape()).unwrap_or_default();
            let summed: i64 = contract.iter().filter_map(|&d| lhs.get(d)).product();
            elements(op.results.first()).unwrap_or(0).saturating_mul(summed)
        }
        OpKind::Convolution => {
            // An element is a sum over the kernel, but for its output features.
            let kernel = op.operands.get(1).and_then(|&v| graph.ty(v).as_tensor()?.static_shape()).unwrap_or_default();
            let features = kernel.get(conv_dims(op).kernel_output_feature).copied().unwrap_or(1);
            let all = kernel.iter().fold(1i64, |n, &extent| n.saturating_mul(extent));
            let summed = all / features.max(1);
            elements(op.results.first()).unwrap_or(0).saturating_mul(summed)
        }
        _ => 0,
    };
    moved + u64::try_from(products).unwrap_or(0).saturating_mul(2) / OPS_A_BYTE
}

//! A program for all devices, with shardings, becomes the program of one device: local shapes, and collectives.
//!
//! Before:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! sdy.mesh @mesh = <["x"=2]>
//! func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
//!     -> tensor<4xf32> {
//!   %cst = stablehlo.constant dense<0.0> : tensor<f32>
//!   %0 = stablehlo.tanh %arg0 : tensor<4x8xf32>
//!   %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1]
//!       : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
//!   return %1 : tensor<4xf32>
//! }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<4x4xf32> {fornax.sharding = [[], [array<i64: 1, 2>]]}) -> tensor<4xf32> {
//!   %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %0 = stablehlo.tanh %arg0 : tensor<4x4xf32>
//!   %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1]
//!       : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
//!   %2 = "stablehlo.all_reduce"(%1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
//!       channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
//!   ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!     %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
//!     stablehlo.return %3 : tensor<f32>
//!   }) : (tensor<4xf32>) -> tensor<4xf32>
//!   return %2 : tensor<4xf32>
//! }
//! }
//! ```
//!
//! One walk from the first op to the last. A value's layout says which axes of the mesh cut each of its dimensions
//! (`layout`). An op's dimensions are names of factors (`rules`, one table): a factor takes the axes of its largest
//! operand that has some, and other operands are brought to that (`reshard`). What a factor that vanishes sums up is
//! completed by an all-reduce. An op without a rule gets whole operands and is computed on every device. Loops and
//! branches are walked as functions are (`regions`). The body of a `sdy.manual_computation` stands as it is between its
//! shardings; a `sdy.sharding_constraint` brings its operand to its layout.
//!
//! What nothing before an op cuts is cut as what comes behind wants it (`wishes`): whole operands are cut where they
//! are, and arguments that say nothing come in so. Values may be parts of a sum (`unreduced`).
//!
//! Functions keep what their arguments and results say; `fornax.sharding` tells the runtime how to cut and join them.
//! Parts of dimensions that do not divide are filled up (`uneven`); at the edges of functions these are whole.

mod choice;
mod layout;
mod manual;
mod regions;
mod reshard;
mod rules;
mod uneven;
mod unreduced;
mod windows;
mod wishes;

use std::collections::{HashMap, HashSet};

use fornax_graph::devices::{DeviceGrid, SHARDING, SHARDING_BY};
use fornax_graph::sharding::{AxisRef, Mesh, Sharding, parse_sharding, parse_shardings};
use fornax_graph::{Attr, AttrMap, BlockId, Graph, OpId, OpKind, TensorType, Type, ValueId};

use self::layout::{Layout, Machine};
use self::wishes::Wish;
use super::Options;
use super::read_hlo_shardings::MANUAL;
use crate::errors::PassError;
use crate::facts::control::inputs;
use crate::rewrite::{Outcome, Rewrite, Rewriter, sweep};

const SDY: &str = "sdy.sharding";

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    let machine = match state(graph)? {
        State::Unready => return Ok(false),
        State::OneDevice => return unconstrained(graph),
        State::Several(machine) => machine,
    };
    let functions: Vec<usize> = (0..graph.functions.len()).filter(|&f| graph.functions[f].body.is_some()).collect();
    let mut pass = Pass {
        machine,
        values: HashMap::new(),
        moved: HashSet::new(),
        results: HashMap::new(),
        manual: Vec::new(),
        wanted: HashMap::new(),
        uneven: HashMap::new(),
        unreduced: HashMap::new(),
        sums: HashMap::new(),
        reads: HashMap::new(),
    };
    super::each_op(graph, &mut |id| {
        graph.op(id).operands.iter().for_each(|&value| *pass.reads.entry(value).or_default() += 1);
    });
    for &f in &functions {
        pass.begin(graph, f)?;
    }
    sweep(graph, &mut |rw, id| pass.visit(rw, id))?;
    for &f in &functions {
        pass.end(graph, f);
    }
    pass.erase_unread(graph);
    graph.module_ops.retain(|text| Mesh::parse(text).is_none());
    Ok(true)
}

/// What there is to do with a module.
enum State {
    /// Its calls are not all inlined.
    Unready,
    /// There is nothing to cut.
    OneDevice,
    Several(Machine),
}

/// Constraints of a program for one device go.
fn unconstrained(graph: &mut Graph) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::ShardingConstraint => Ok(Rewrite::Replace(rw.graph.op(id).operands.clone())),
        _ => Ok(Rewrite::Keep),
    })
}

/// A module has to be cut if it is for several partitions, has shardings, and all its calls are inlined.
fn state(graph: &Graph) -> Result<State, PassError> {
    let meshes: Vec<Result<Mesh, String>> = graph.module_ops.iter().filter_map(|text| Mesh::parse(text)).collect();
    let (mut unready, mut manual, mut constrained) = (false, false, false);
    super::each_op(graph, &mut |id| match graph.op(id).kind {
        OpKind::FuncCall | OpKind::Composite | OpKind::Tuple => unready = true,
        OpKind::ManualComputation => manual = true,
        OpKind::ShardingConstraint => constrained = true,
        OpKind::CustomCall => manual |= is_edge(graph, id),
        _ => {}
    });
    if unready {
        return Ok(State::Unready);
    }
    let mut edges = graph.functions.iter().flat_map(|f| f.argument_attrs.iter().chain(&f.result_attrs));
    let speaks = manual || constrained || edges.any(|attrs| attrs.get(SDY).is_some());
    if meshes.is_empty() || !speaks {
        return Ok(State::OneDevice);
    }
    if DeviceGrid::of(graph).is_some_and(|grid| grid.devices() == 1) && !manual {
        return Ok(State::OneDevice);
    }
    let refuse = |why: String| PassError::Sizes { at: String::new(), why };
    let grid = DeviceGrid::of(graph).filter(|grid| grid.replicas == 1);
    let grid = grid.ok_or_else(|| refuse("a mesh in a module of several replicas, or of no device".into()))?;
    let meshes = meshes.into_iter().collect::<Result<Vec<Mesh>, String>>();
    let meshes = meshes.map_err(|why| refuse(format!("the module's mesh: {why}")))?;
    // A mesh of one device says where something is, not how it is cut.
    let all = i64::from(grid.devices());
    let fits = |mesh: &&Mesh| mesh.devices().is_some_and(|n| n == all || n == 1);
    if let Some(mesh) = meshes.iter().find(|mesh| !fits(mesh)) {
        let why = format!("mesh @{} has other devices than the module's {all}", mesh.name);
        return Err(refuse(format!("{why} (mhlo.num_partitions)")));
    }
    let machine = Machine::new(all, meshes, &named(graph));
    let machine = machine.map_err(|why| refuse(format!("the module's meshes: {why}")))?;
    Ok(State::Several(machine))
}

/// Axes, and parts of axes, that shardings name, with their meshes. What cannot be read says so where it is used.
fn named(graph: &Graph) -> Vec<(String, AxisRef)> {
    let edges = graph.functions.iter().flat_map(|f| f.argument_attrs.iter().chain(&f.result_attrs));
    let mut texts: Vec<String> = edges.filter_map(|attrs| attrs.get(SDY)).map(text).collect();
    super::each_op(graph, &mut |id| {
        let attrs = &graph.op(id).attrs;
        texts.extend(["sharding", "in_shardings", "out_shardings"].iter().filter_map(|name| attrs.get(name)).map(text));
    });
    let read = |text: &String| parse_shardings(text).or_else(|_| Ok::<_, String>(vec![parse_sharding(text)?]));
    let shardings = texts.iter().filter_map(|text| read(text).ok()).flatten();
    let axes = shardings.flat_map(|sharding| {
        let axes = sharding.dims.into_iter().flat_map(|dim| dim.axes).chain(sharding.unreduced);
        axes.map(move |axis| (sharding.mesh.clone(), axis)).collect::<Vec<_>>()
    });
    axes.collect()
}

/// What a value of the program of one device stands for.
#[derive(Clone)]
struct Part {
    layout: Layout,
    /// The type of the whole.
    whole: TensorType,
}

/// What was added up over devices.
#[derive(Clone)]
struct Sum {
    parts: ValueId,
    axes: Vec<usize>,
    /// Whether one op alone reads the sum.
    is_sole: bool,
}

struct Pass {
    machine: Machine,
    /// By value of the program of one device; others are whole.
    values: HashMap<ValueId, Part>,
    /// Values that had to be gathered, or moved from one dimension to another.
    moved: HashSet<ValueId>,
    /// By the body of a function: shardings that its results must have.
    results: HashMap<BlockId, Vec<Option<(String, TensorType)>>>,
    /// Axes of the manual computations around the op: each device has its own coordinate along them.
    manual: Vec<usize>,
    /// How values are wanted that nothing before them cuts.
    wanted: HashMap<ValueId, Wish>,
    /// Arguments that are whole where they come in, and that ops read in uneven parts.
    uneven: HashMap<ValueId, Layout>,
    /// Values that are parts of a sum, and the axes along which they are added up.
    unreduced: HashMap<ValueId, Vec<usize>>,
    /// By a sum over devices its parts, and the axes.
    sums: HashMap<ValueId, Sum>,
    /// How often a value of the program for all is read.
    reads: HashMap<ValueId, usize>,
}

impl Pass {
    /// Arguments get their layouts and local types.
    fn begin(&mut self, graph: &mut Graph, f: usize) -> Result<(), PassError> {
        let function = graph.functions[f].clone();
        let Some(entry) = graph.entry(&function) else { return Ok(()) };
        let wanted = function.result_attrs.iter().enumerate().map(|(at, attrs)| {
            let whole = function.result_types.get(at).and_then(|ty| ty.as_tensor());
            attrs.get(SDY).zip(whole).map(|(attr, whole)| (text(attr), whole.clone()))
        });
        let wanted: Vec<Option<(String, TensorType)>> = wanted.collect();
        let arguments = graph.block(entry).arguments.clone();
        let mut said = HashMap::new();
        for (at, &argument) in arguments.iter().enumerate() {
            let own = function.argument_attrs.get(at).and_then(|attrs| attrs.get(SDY)).map(text);
            let Some((own, whole)) = own.zip(graph.ty(argument).as_tensor()) else { continue };
            let layout = self.kept(&own, whole, &self.machine.replicated(whole))?;
            said.insert(argument, Wish { layout, by: format!("argument {at}") });
        }
        self.wish(graph, entry, &said, &wanted)?;
        for (at, &argument) in arguments.iter().enumerate() {
            let Some(whole) = graph.ty(argument).as_tensor().cloned() else { continue };
            let wish = said.get(&argument).or_else(|| self.wanted.get(&argument));
            let layout = wish.map_or_else(|| self.machine.replicated(&whole), |wish| wish.layout.clone());
            let even = self.machine.at_edges(&layout, &whole);
            if let (false, Some(wish)) = (said.contains_key(&argument), wish) {
                let all = &mut graph.functions[f].argument_attrs;
                all.resize(all.len().max(at + 1), AttrMap::default());
                all[at].set(SHARDING_BY, Attr::String(wish.by.clone()));
            }
            if even != layout {
                self.uneven.insert(argument, layout);
            }
            let local = self.machine.local(&whole, &even);
            graph.values[argument.index()].ty = Type::Tensor(local);
            let own = function.argument_attrs.get(at).and_then(|attrs| attrs.get(SDY));
            self.is_parts(argument, own.map(|attr| self.unreduced_of(&text(attr))).unwrap_or_default());
            self.values.insert(argument, Part { layout: even, whole });
        }
        self.results.insert(entry, wanted);
        Ok(())
    }

    /// Learns how the values of a function are wanted.
    fn wish(
        &mut self,
        graph: &Graph,
        entry: BlockId,
        said: &HashMap<ValueId, Wish>,
        results: &[Option<(String, TensorType)>],
    ) -> Result<(), PassError> {
        let mut ends = Vec::with_capacity(results.len());
        for (at, result) in results.iter().enumerate() {
            ends.push(match result {
                Some((sharding, whole)) => {
                    let layout = self.kept(sharding, whole, &self.machine.replicated(whole))?;
                    Some(Wish { layout, by: format!("result {at}") })
                }
                None => None,
            });
        }
        self.wanted.extend(self.wishes(graph, entry, said, &ends));
        Ok(())
    }

    /// The layout that a sharding's text gives a tensor; open dimensions keep what cuts them now.
    fn kept(&self, text: &str, whole: &TensorType, now: &Layout) -> Result<Layout, PassError> {
        let read = parse_sharding(text).and_then(|sharding| self.machine.completed(&sharding, whole, now));
        read.map_err(|why| PassError::Sizes { at: String::new(), why: format!("sharding `{text}`: {why}") })
    }

    fn shardings(
        &self,
        graph: &Graph,
        op: OpId,
        name: &str,
    ) -> Result<Vec<Sharding>, PassError> {
        let attr = graph.op(op).attrs.get(name).map(text).unwrap_or_default();
        parse_shardings(&attr).map_err(|why| PassError::unsupported(graph, op, format!("`{name}`: {why}")))
    }

    fn visit(&mut self, rw: &mut Rewriter, id: OpId) -> Outcome {
        if rw.is_nested() {
            return Ok(Rewrite::Keep);
        }
        if rw.kind(id) == OpKind::FuncReturn {
            return self.returned(rw, id);
        }
        let Some(results) = self.step(rw, id)? else { return Ok(Rewrite::Edited) };
        for (old, new) in rw.graph.op(id).results.clone().into_iter().zip(results) {
            rw.replace(old, new);
        }
        Ok(Rewrite::Erase)
    }

    /// One op: the results of what stands in its place, or `None` if it stays, with whole operands.
    fn step(&mut self, rw: &mut Rewriter, id: OpId) -> Result<Option<Vec<ValueId>>, PassError> {
        for value in inputs(rw.graph, id) {
            if let Some(layout) = self.uneven.get(&value).cloned() {
                let part = self.reshard(rw, value, &layout);
                rename(rw.graph, id, value, part);
            }
        }
        let results = match rw.kind(id) {
            OpKind::ManualComputation => Some(self.manual(rw, id)?),
            OpKind::ShardingConstraint => Some(self.constrained(rw, id)?),
            OpKind::CustomCall if is_edge(rw.graph, id) => Some(vec![self.edge(rw, id)?]),
            OpKind::While | OpKind::If | OpKind::Case => {
                self.settle(rw, id);
                self.control(rw, id)?
            }
            _ => {
                self.settle(rw, id);
                self.by_rule(rw, id)?
            }
        };
        if results.is_none() {
            self.whole(rw, id);
        }
        Ok(results)
    }

    /// The operand, cut as the program says; left as it lies where it says nothing that can be read.
    fn constrained(&mut self, rw: &mut Rewriter, id: OpId) -> Result<Vec<ValueId>, PassError> {
        let op = rw.graph.op(id).clone();
        let mut results = op.operands.clone();
        if let (Some(attr), [value], Some(whole)) = (
            op.attrs.get("sharding"),
            op.operands.as_slice(),
            op.results.first().and_then(|&v| rw.tensor(v)).cloned(),
        ) {
            let now = self.part(rw, *value).map(|part| part.layout);
            let layout = self.kept(&text(attr), &whole, &now.unwrap_or_else(|| self.machine.replicated(&whole)))?;
            let parts = self.unreduced_of(&text(attr));
            results = vec![self.brought(rw, *value, &layout, &parts)];
        }
        Ok(results)
    }

    /// The layout of a value; whole if nothing is known of it.
    fn part(&self, rw: &Rewriter, value: ValueId) -> Option<Part> {
        let known = self.values.get(&value).cloned();
        known.or_else(|| {
            let whole = rw.tensor(value)?.clone();
            Some(Part { layout: self.machine.replicated(&whole), whole })
        })
    }

    fn gathered(&mut self, rw: &mut Rewriter, value: ValueId) -> ValueId {
        match self.part(rw, value) {
            Some(part) => {
                let layout = self.machine.replicated(&part.whole);
                self.reshard(rw, value, &layout)
            }
            None => value,
        }
    }

    /// An op without a rule: every device computes all of it, of whole operands.
    fn whole(&mut self, rw: &mut Rewriter, id: OpId) {
        for value in inputs(rw.graph, id) {
            let all = self.gathered(rw, value);
            if all != value {
                rename(rw.graph, id, value, all);
            }
        }
    }

    fn returned(&mut self, rw: &mut Rewriter, id: OpId) -> Outcome {
        let data = rw.graph.op(id).clone();
        let wanted = self.results.get(&data.block).cloned().unwrap_or_default();
        let mut operands = Vec::with_capacity(data.operands.len());
        for (at, &value) in data.operands.iter().enumerate() {
            operands.push(match (wanted.get(at).cloned().flatten(), self.part(rw, value)) {
                (Some((sharding, whole)), Some(part)) => {
                    let layout = self.kept(&sharding, &whole, &part.layout)?;
                    let parts = self.unreduced_of(&sharding);
                    self.brought(rw, value, &self.machine.at_edges(&layout, &whole), &parts)
                }
                (None, Some(part)) => self.brought(rw, value, &self.machine.at_edges(&part.layout, &part.whole), &[]),
                _ => self.added_up(rw, value, &[]),
            });
        }
        rw.graph.op_mut(id).operands = operands;
        Ok(Rewrite::Edited)
    }

    /// Sums that nothing reads, since each device adds up its own piece instead. Other passes keep collectives.
    fn erase_unread(&self, graph: &mut Graph) {
        let mut read = HashSet::new();
        super::each_op(graph, &mut |id| read.extend(graph.op(id).operands.iter().copied()));
        let unread = self.sums.keys().filter(|sum| !read.contains(sum)).filter_map(|&sum| graph.producer(sum));
        let unread: HashSet<OpId> = unread.collect();
        for block in unread.iter().map(|&id| graph.op(id).block).collect::<HashSet<BlockId>>() {
            graph.blocks[block.index()].ops.retain(|op| !unread.contains(op));
        }
    }

    /// The function's types and attributes after the walk.
    fn end(&self, graph: &mut Graph, f: usize) {
        let Some(entry) = graph.entry(&graph.functions[f]) else { return };
        let arguments = graph.block(entry).arguments.clone();
        let last = graph.block(entry).ops.last().copied();
        let results = last.map(|op| graph.op(op).operands.clone()).unwrap_or_default();
        let types: Vec<Type> = results.iter().map(|&v| graph.ty(v).clone()).collect();
        let attr = |value: &ValueId| {
            let whole = || Some(self.machine.replicated(graph.ty(*value).as_tensor()?));
            let layout = self.values.get(value).map(|part| part.layout.clone()).or_else(whole)?;
            let parts = self.unreduced.get(value);
            (parts.is_some() || !layout.is_whole()).then(|| self.machine.attr(&layout, parts))
        };
        let [arguments, results] = [arguments, results].map(|values| values.iter().map(attr).collect::<Vec<_>>());
        let set = |list: &mut Vec<AttrMap>, shardings: Vec<Option<Attr>>| {
            list.resize(shardings.len(), AttrMap::default());
            for (attrs, sharding) in list.iter_mut().zip(shardings) {
                attrs.remove(SDY);
                if let Some(sharding) = sharding {
                    attrs.set(SHARDING, sharding);
                }
            }
        };
        let function = &mut graph.functions[f];
        function.result_types = types;
        set(&mut function.argument_attrs, arguments);
        set(&mut function.result_attrs, results);
    }
}

/// Whether an op is the edge of a part of the program that addresses devices itself.
fn is_edge(graph: &Graph, id: OpId) -> bool {
    graph.op(id).attrs.get(MANUAL).is_some()
}

/// The op and those in its regions, which were visited before, read another value.
fn rename(graph: &mut Graph, id: OpId, old: ValueId, new: ValueId) {
    let mut ops = vec![id];
    for block in graph.op(id).regions.iter().flat_map(|&region| &graph.region(region).blocks) {
        graph.walk(*block, &mut |op| ops.push(op));
    }
    for op in ops {
        graph.ops[op.index()].operands.iter_mut().filter(|v| **v == old).for_each(|v| *v = new);
    }
}

/// An attribute that was kept as text.
pub(super) fn text(attr: &Attr) -> String {
    match attr {
        Attr::Opaque(text) | Attr::String(text) => text.clone(),
        _ => String::new(),
    }
}

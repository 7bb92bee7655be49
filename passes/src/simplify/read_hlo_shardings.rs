//! Shardings of HLO (`mhlo.sharding`), as JAX before Shardy writes them, become those of Shardy.
//!
//! Before:
//! ```mlir
//! module attributes {mhlo.num_partitions = 4 : i32} {
//! func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"})
//!     -> tensor<8x4xf32> {
//!   %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[1]",
//!       mhlo.sharding = "{replicated}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
//!   return %0 : tensor<8x4xf32>
//! }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {mhlo.num_partitions = 4 : i32} {
//! sdy.mesh @tiles0 = <["t0"=2, "t1"=1, "t2"=2]>
//! sdy.mesh @tiles1 = <["t0"=4]>
//! func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@tiles0, [{"t0"}, {"t1"}]>})
//!     -> tensor<8x4xf32> {
//!   %0 = "sdy.sharding_constraint"(%arg0) {sharding = #sdy.sharding<@tiles1, [{}, {?}]>}
//!       : (tensor<8x4xf32>) -> tensor<8x4xf32>
//!   return %0 : tensor<8x4xf32>
//! }
//! }
//! ```
//!
//! The tiles of each sharding are a mesh of their own; `partition` finds the axes that all of them have in common. The
//! edges of `shard_map` (`@SPMDFullToShardShape`, `@SPMDShardToFullShape`) stay custom calls, with what the program
//! addresses itself in [`MANUAL`]. Modules for one device, and those that have a mesh of Shardy, stay as they are.

use std::collections::HashMap;

use fornax_graph::devices::DeviceGrid;
use fornax_graph::hlo_sharding::{HloSharding, parse_hlo_shardings};
use fornax_graph::sharding::{DimAxes, Mesh, Sharding};
use fornax_graph::{Attr, AttrMap, Graph, OpId, OpKind, Type, ValueId};

use super::{Options, symbol};
use crate::errors::PassError;
use crate::rewrite::{Outcome, Rewrite, Rewriter, sweep};

const HLO: &str = "mhlo.sharding";
/// The axes that the program addresses itself from here on, or up to here: a sharding of one dimension.
pub(super) const MANUAL: &str = "fornax.manual";

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    let Some(devices) = DeviceGrid::of(graph).map(|grid| i64::from(grid.partitions)) else { return Ok(false) };
    if devices == 1 || graph.module_ops.iter().any(|text| Mesh::parse(text).is_some()) {
        return Ok(false);
    }
    let mut meshes = Meshes { devices, known: Vec::new(), said: HashMap::new() };
    for f in 0..graph.functions.len() {
        let function = graph.functions[f].clone();
        let types = graph.entry(&function).map(|entry| graph.block(entry).arguments.clone()).unwrap_or_default();
        let arguments: Vec<usize> = types.iter().map(|&v| rank(graph.ty(v))).collect();
        let results: Vec<usize> = function.result_types.iter().map(rank).collect();
        meshes.edges(&mut graph.functions[f].argument_attrs, &arguments)?;
        meshes.edges(&mut graph.functions[f].result_attrs, &results)?;
    }
    let changed = sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::CustomCall => meshes.call(rw, id),
        _ => Ok(Rewrite::Keep),
    })?;
    let found = !meshes.known.is_empty();
    graph.module_ops.extend(meshes.known.iter().map(Mesh::to_string));
    Ok(changed || found)
}

fn rank(ty: &Type) -> usize {
    ty.as_tensor().map_or(0, |ty| ty.rank())
}

/// The meshes that stand for tiles.
struct Meshes {
    devices: i64,
    known: Vec<Mesh>,
    /// What was said of values that constraints make now.
    said: HashMap<ValueId, HloSharding>,
}

impl Meshes {
    /// The mesh of a sharding's tiles, by name.
    fn of(&mut self, sharding: &HloSharding) -> String {
        let mesh = sharding.mesh(&format!("tiles{}", self.known.len()), self.devices);
        let is_same = |known: &&Mesh| known.axes == mesh.axes && known.device_ids == mesh.device_ids;
        if let Some(known) = self.known.iter().find(is_same) {
            return known.name.clone();
        }
        let name = mesh.name.clone();
        self.known.push(mesh);
        name
    }

    /// Attributes of a function's arguments or results.
    fn edges(&mut self, edges: &mut [AttrMap], ranks: &[usize]) -> Result<(), PassError> {
        for (attrs, &rank) in edges.iter_mut().zip(ranks) {
            let Some(Attr::String(text)) = attrs.remove(HLO) else { continue };
            let refuse = |why: String| PassError::Sizes { at: String::new(), why: format!("sharding `{text}`: {why}") };
            let read = one(&text).map_err(refuse)?;
            if read.speaks() {
                let sharding = read.sharding(&self.of(&read), rank, &[]).map_err(refuse)?;
                attrs.set("sdy.sharding", sdy(&sharding));
            }
        }
        Ok(())
    }

    fn call(&mut self, rw: &mut Rewriter, id: OpId) -> Outcome {
        let target = symbol(rw.graph, id, "call_target_name").unwrap_or_default().to_string();
        let is_edge = matches!(target.as_str(), "SPMDFullToShardShape" | "SPMDShardToFullShape");
        let op = rw.graph.op(id).clone();
        let ([operand], [result]) = (op.operands.as_slice(), op.results.as_slice()) else { return Ok(Rewrite::Keep) };
        let said = op.attrs.str(HLO).filter(|_| is_edge || target == "Sharding");
        let Some(text) = said.map(str::to_string) else { return Ok(Rewrite::Keep) };
        let refuse = |rw: &Rewriter, why: String| {
            PassError::custom_call(rw.graph, id, &target, format!("has the sharding `{text}`: {why}"))
        };
        let read = one(&text).map_err(|why| refuse(rw, why))?;
        let ty = rw.graph.ty(*result).clone();
        let rank = rank(&ty);
        let mesh = self.of(&read);
        if !is_edge {
            if !read.speaks() {
                return Ok(Rewrite::Keep);
            }
            let sharding = read.sharding(&mesh, rank, &open(&op.attrs)).map_err(|why| refuse(rw, why))?;
            let made = rw.emit(OpKind::ShardingConstraint, &[*operand], ty, &[("sharding", sdy(&sharding))]);
            self.said.insert(made, read);
            return Ok(Rewrite::with(made));
        }
        let inner = match target.as_str() {
            "SPMDFullToShardShape" => read.clone(),
            _ => self.before(rw, *operand).map_err(|why| refuse(rw, why))?,
        };
        if inner.manual().is_empty() {
            return Err(refuse(rw, "nothing that the program addresses itself".into()));
        }
        let axes = DimAxes { axes: inner.manual(), open: false };
        let manual = Sharding { mesh: self.of(&inner), dims: vec![axes], unreduced: Vec::new() };
        let attrs = &mut rw.graph.op_mut(id).attrs;
        attrs.remove(HLO);
        attrs.set(MANUAL, sdy(&manual));
        if target == "SPMDShardToFullShape" {
            let sharding = read.sharding(&mesh, rank, &open(&op.attrs)).map_err(|why| refuse(rw, why))?;
            rw.graph.op_mut(id).attrs.set("sharding", sdy(&sharding));
        }
        Ok(Rewrite::Edited)
    }

    /// What the call that made a part says of it.
    fn before(&self, rw: &Rewriter, part: ValueId) -> Result<HloSharding, String> {
        if let Some(said) = self.said.get(&part) {
            return Ok(said.clone());
        }
        let producer = rw.graph.producer(part).map(|op| rw.graph.op(op));
        let text = producer.and_then(|op| op.attrs.str(HLO)).ok_or("its operand is from no @Sharding")?;
        one(text)
    }
}

/// The only sharding of a text.
fn one(text: &str) -> Result<HloSharding, String> {
    let mut all = parse_hlo_shardings(text)?;
    match (all.pop(), all.is_empty()) {
        (Some(one), true) => Ok(one),
        _ => Err("it is not of one tensor".into()),
    }
}

fn sdy(sharding: &Sharding) -> Attr {
    Attr::Opaque(format!("#sdy.sharding{sharding}"))
}

/// `unspecified_dims=[0,1]`: dimensions that may be cut further.
fn open(attrs: &AttrMap) -> Vec<i64> {
    let text = attrs.str("backend_config").unwrap_or_default();
    let list = text.strip_prefix("unspecified_dims=[").and_then(|text| text.strip_suffix(']')).unwrap_or_default();
    list.split(',').filter_map(|dim| dim.trim().parse().ok()).collect()
}

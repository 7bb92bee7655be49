//! Collectives become `fornax.collective`: one buffer, cut along its first dimension, and groups of devices by number.
//!
//! Before:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<3x2xf32>) -> tensor<3x4xf32> {
//!   %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 1 : i64,
//!       channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
//!       replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}
//!       : (tensor<3x2xf32>) -> tensor<3x4xf32>
//!   return %0 : tensor<3x4xf32>
//! }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<3x2xf32>) -> tensor<3x4xf32> {
//!   %0 = "fornax.collective"(%arg0) {groups = [array<i64: 0, 1>], kind = "all_gather"}
//!       : (tensor<3x2xf32>) -> tensor<6x2xf32>
//!   %1 = stablehlo.reshape %0 : (tensor<6x2xf32>) -> tensor<2x3x2xf32>
//!   %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<2x3x2xf32>) -> tensor<3x2x2xf32>
//!   %3 = stablehlo.reshape %2 : (tensor<3x2x2xf32>) -> tensor<3x4xf32>
//!   return %3 : tensor<3x4xf32>
//! }
//! }
//! ```
//!
//! Other dimensions are moved to the front and back. An op of several operands becomes one each. A reduction that no
//! device driver has (another region, another element type) becomes an `all_gather` or `all_to_all` and the region on
//! the parts, in the order of the group. Complex tensors go as real and imaginary parts. Where every group is one
//! device, nothing is left.

use fornax_graph::{Attr, ElementType, Graph, NewOp, OpId, OpKind, RegionId, TensorType, Type, ValueId, devices};
use fornax_module::collective::combines;
use fornax_reference::Scalar;

use super::Options;
use crate::errors::PassError;
use crate::rewrite::build::{dims, ints};
use crate::rewrite::copy::copy_region;
use crate::rewrite::{Outcome, Rewrite, Rewriter, sweep};

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::AllGather
        | OpKind::AllReduce
        | OpKind::AllToAll
        | OpKind::CollectiveBroadcast
        | OpKind::CollectivePermute
        | OpKind::CollectiveReduce
        | OpKind::CrossReplicaSum
        | OpKind::ReduceScatter => expand(rw, id),
        _ => Ok(Rewrite::Keep),
    })
}

/// One collective while it is rewritten.
struct Expansion {
    op: OpId,
    groups: Vec<Vec<u32>>,
    /// Devices of a group.
    size: i64,
    reducer: Reducer,
}

/// What combines two parts.
#[derive(Clone, Copy)]
enum Reducer {
    None,
    Named(&'static str),
    Region(RegionId),
}

fn expand(rw: &mut Rewriter, id: OpId) -> Outcome {
    let op = rw.graph.op(id).clone();
    let refuse = |rw: &Rewriter, why: &str| Err(PassError::unsupported(rw.graph, id, why));
    let groups = match op.kind {
        OpKind::CollectivePermute => devices::pairs(rw.graph, &op),
        _ => devices::groups(rw.graph, &op),
    };
    let groups = match groups {
        Ok(groups) => groups,
        Err(why) => return refuse(rw, &why),
    };
    let all = devices::DeviceGrid::of(rw.graph).map_or(1, |grid| grid.devices() as usize);
    let alone = |group: &Vec<u32>| group.iter().all(|device| Some(device) == group.first());
    if groups.len() == all && groups.iter().all(alone) {
        let same = op.operands.iter().zip(&op.results).all(|(&a, &b)| rw.graph.ty(a) == rw.graph.ty(b));
        if same {
            return Ok(Rewrite::Replace(op.operands));
        }
    }
    if op.kind == OpKind::CollectiveReduce || op.attrs.bool("has_dynamic_root").unwrap_or(false) {
        return refuse(rw, "its result depends on a root; use an all_reduce, or a broadcast without a dynamic root");
    }
    let size = groups.first().map_or(1, |group| group.len() as i64);
    let reducer = match op.kind {
        OpKind::CrossReplicaSum => Reducer::Named("add"),
        OpKind::AllReduce | OpKind::ReduceScatter => {
            let region = op.regions.first().copied();
            let region = region.ok_or_else(|| PassError::malformed(rw.graph, id, "lacks a region"))?;
            named(rw.graph, region).map_or(Reducer::Region(region), Reducer::Named)
        }
        _ => Reducer::None,
    };
    let expansion = Expansion { op: id, groups, size, reducer };
    let mut results = Vec::with_capacity(op.results.len());
    for (&operand, &result) in op.operands.iter().zip(&op.results) {
        let (Some(from), Some(to)) = (rw.tensor(operand).cloned(), rw.tensor(result).cloned()) else {
            return Ok(Rewrite::Keep);
        };
        if from.static_shape().is_none() || to.static_shape().is_none() {
            return refuse(rw, "its sizes are known only at run time; export the model with static shapes");
        }
        if from.element.is_quantized() || to.element.is_quantized() {
            return refuse(rw, "its elements are quantised; dequantise them before");
        }
        results.push(expansion.value(rw, operand, &from, &to)?);
    }
    Ok(Rewrite::Replace(results))
}

/// The name of a region that is one of the reducers that devices have.
fn named(graph: &Graph, region: RegionId) -> Option<&'static str> {
    let [block] = graph.region(region).blocks[..] else { return None };
    let block = graph.block(block);
    let ([a, b], [op, end]) = (block.arguments.as_slice(), block.ops.as_slice()) else { return None };
    let (op, end) = (graph.op(*op), graph.op(*end));
    let arguments = op.operands == [*a, *b] || op.operands == [*b, *a];
    if end.operands != op.results || !arguments {
        return None;
    }
    let element = graph.ty(*a).as_tensor()?.element;
    let boolean = element == ElementType::I1;
    let integer = boolean || element.is_integer();
    let kind = match op.kind {
        // Sums of booleans are whether one holds.
        OpKind::Add | OpKind::Maximum if boolean => OpKind::Or,
        OpKind::Multiply | OpKind::Minimum if boolean => OpKind::And,
        OpKind::And | OpKind::Or if !integer => return None,
        kind => kind,
    };
    devices::REDUCERS.iter().find(|(_, known)| *known == kind).map(|(name, _)| *name)
}

impl Expansion {
    /// The result for one operand.
    fn value(
        &self,
        rw: &mut Rewriter,
        operand: ValueId,
        from: &TensorType,
        to: &TensorType,
    ) -> Result<ValueId, PassError> {
        let dimension = |rw: &Rewriter, name: &str| {
            let found = rw.graph.op(self.op).attrs.int(name).and_then(|d| usize::try_from(d).ok());
            found.ok_or_else(|| PassError::malformed(rw.graph, self.op, "lacks a dimension"))
        };
        let kind = rw.kind(self.op);
        match kind {
            OpKind::CollectivePermute => Ok(self.moved(rw, operand, "permute")),
            OpKind::CollectiveBroadcast => Ok(self.moved(rw, operand, "broadcast")),
            OpKind::AllGather => {
                let dim = dimension(rw, "all_gather_dim")?;
                self.ensure_pieces(rw, to, from, dim)?;
                let parts = self.gathered(rw, operand);
                Ok(self.behind(rw, parts, dim))
            }
            OpKind::AllToAll => {
                let (split, concat) = (dimension(rw, "split_dimension")?, dimension(rw, "concat_dimension")?);
                self.ensure_even(rw)?;
                let parts = self.in_front(rw, operand, split);
                let parts = self.exchanged(rw, parts);
                Ok(self.behind(rw, parts, concat))
            }
            OpKind::ReduceScatter => {
                let dim = dimension(rw, "scatter_dimension")?;
                self.ensure_pieces(rw, from, to, dim)?;
                let parts = self.in_front(rw, operand, dim);
                self.scattered(rw, parts, to)
            }
            _ => self.reduced(rw, operand, to),
        }
    }

    fn ensure_even(&self, rw: &Rewriter) -> Result<(), PassError> {
        let even = self.groups.iter().all(|group| group.len() as i64 == self.size);
        let why = "its groups have unlike numbers of devices, so its result has no one shape";
        if even { Ok(()) } else { Err(PassError::unsupported(rw.graph, self.op, why)) }
    }

    /// `whole` must be as many `part`s along a dimension as a group has devices.
    fn ensure_pieces(&self, rw: &Rewriter, whole: &TensorType, part: &TensorType, dim: usize) -> Result<(), PassError> {
        self.ensure_even(rw)?;
        let extent = |ty: &TensorType| ty.shape.get(dim).and_then(|d| d.as_static());
        let fits = extent(part).and_then(|n| n.checked_mul(self.size)) == extent(whole);
        let why = format!("its groups have {} devices, and dimension {dim} of its types does not fit that", self.size);
        if fits { Ok(()) } else { Err(PassError::unsupported(rw.graph, self.op, why)) }
    }

    /// `fornax.collective` on one value; complex ones by parts.
    fn emit(&self, rw: &mut Rewriter, operand: ValueId, kind: &str, result: TensorType) -> ValueId {
        let element = result.element;
        if element.is_complex() {
            let real = element.complex_part();
            let parts = [OpKind::Real, OpKind::Imag].map(|part| {
                let from = rw.tensor(operand).map(|ty| ty.with_element(real)).unwrap_or_else(|| result.clone());
                let half = rw.emit(part, &[operand], Type::Tensor(from), &[]);
                self.emit(rw, half, kind, result.with_element(real))
            });
            return rw.emit(OpKind::Complex, &parts, Type::Tensor(result), &[]);
        }
        let row = |group: &Vec<u32>| ints(group.iter().map(|&d| i64::from(d)).collect::<Vec<_>>());
        let mut op = NewOp::new(OpKind::Collective, vec![operand], vec![Type::Tensor(result)], rw.location())
            .attr("groups", Attr::Array(self.groups.iter().map(row).collect()))
            .attr("kind", Attr::String(kind.into()));
        if let (Reducer::Named(name), "all_reduce" | "reduce_scatter") = (self.reducer, kind) {
            op.attrs.set("reducer", Attr::String(name.into()));
        }
        rw.insert(op)[0]
    }

    fn moved(&self, rw: &mut Rewriter, operand: ValueId, kind: &str) -> ValueId {
        let Some(ty) = rw.tensor(operand).cloned() else { return operand };
        if self.groups.is_empty() {
            return rw.splat(&ty, Scalar::zero(ty.element));
        }
        self.emit(rw, operand, kind, ty)
    }

    /// The parts of all devices, one behind the other in a new first dimension.
    fn gathered(&self, rw: &mut Rewriter, operand: ValueId) -> ValueId {
        let mut shape = rw.shape(operand).unwrap_or_default();
        let flat = if shape.is_empty() { rw.reshape(operand, &[1i64]) } else { operand };
        let mut joined = if shape.is_empty() { vec![1] } else { shape.clone() };
        joined[0] *= self.size;
        let element = rw.tensor(operand).map_or(ElementType::F32, |ty| ty.element);
        let all = self.emit(rw, flat, "all_gather", TensorType::new(&joined, element));
        shape.insert(0, self.size);
        rw.reshape(all, &shape)
    }

    /// Pieces along a dimension, as a new first dimension.
    fn in_front(&self, rw: &mut Rewriter, operand: ValueId, dim: usize) -> ValueId {
        let mut shape = rw.shape(operand).unwrap_or_default();
        shape[dim] /= self.size;
        shape.insert(dim, self.size);
        let cut = rw.reshape(operand, &shape);
        let order: Vec<usize> = std::iter::once(dim).chain((0..shape.len()).filter(|&d| d != dim)).collect();
        rw.transpose(cut, &order)
    }

    /// The first dimension goes before dimension `dim` of the others, and becomes one with it.
    fn behind(&self, rw: &mut Rewriter, parts: ValueId, dim: usize) -> ValueId {
        let rank = rw.shape(parts).unwrap_or_default().len();
        let mut order: Vec<usize> = (1..rank).collect();
        order.insert(dim, 0);
        let moved = rw.transpose(parts, &order);
        let mut shape = rw.shape(moved).unwrap_or_default();
        let count = shape.remove(dim);
        shape[dim] *= count;
        rw.reshape(moved, &shape)
    }

    /// Part `i` goes to device `i` of the group.
    fn exchanged(&self, rw: &mut Rewriter, parts: ValueId) -> ValueId {
        let Some(ty) = rw.tensor(parts).cloned() else { return parts };
        self.emit(rw, parts, "all_to_all", ty)
    }

    /// The region's types may be wider than the operand's.
    fn region_element(&self, rw: &Rewriter, to: &TensorType) -> ElementType {
        let Reducer::Region(region) = self.reducer else { return to.element };
        let block = rw.graph.region(region).blocks.first();
        let argument = block.and_then(|&b| rw.graph.block(b).arguments.first().copied());
        argument.and_then(|v| rw.tensor(v)).map_or(to.element, |ty| ty.element)
    }

    fn is_native(&self, element: ElementType) -> bool {
        let sums = matches!(self.reducer, Reducer::Named("add")) && element.is_complex();
        matches!(self.reducer, Reducer::Named(_)) && (combines(element) || sums)
    }

    fn reduced(&self, rw: &mut Rewriter, operand: ValueId, to: &TensorType) -> Result<ValueId, PassError> {
        let element = self.region_element(rw, to);
        let wide = rw.convert(operand, element);
        let out = if self.is_native(element) {
            self.emit(rw, wide, "all_reduce", to.with_element(element))
        } else {
            self.ensure_even(rw)?;
            let parts = self.gathered(rw, wide);
            self.folded(rw, parts)
        };
        Ok(rw.convert(out, to.element))
    }

    /// Pieces in front to the sum of this device's piece.
    fn scattered(&self, rw: &mut Rewriter, parts: ValueId, to: &TensorType) -> Result<ValueId, PassError> {
        let element = self.region_element(rw, to);
        let parts = rw.convert(parts, element);
        let out = if self.is_native(element) {
            let mut shape = rw.shape(parts).unwrap_or_default();
            shape[0] = 1;
            let piece = self.emit(rw, parts, "reduce_scatter", TensorType::new(&shape, element));
            rw.reshape(piece, &shape[1..])
        } else {
            let parts = self.exchanged(rw, parts);
            self.folded(rw, parts)
        };
        Ok(rw.convert(out, to.element))
    }

    /// The parts along the first dimension through the reducer, first to last.
    fn folded(&self, rw: &mut Rewriter, parts: ValueId) -> ValueId {
        let shape = rw.shape(parts).unwrap_or_default();
        let part = |rw: &mut Rewriter, at: i64| {
            let (mut start, mut limit) = (vec![0; shape.len()], shape.clone());
            (start[0], limit[0]) = (at, at + 1);
            let piece = rw.slice(parts, &start, &limit, &vec![1; shape.len()]);
            rw.reshape(piece, &shape[1..])
        };
        let mut sum = part(rw, 0);
        for at in 1..self.size {
            let next = part(rw, at);
            sum = self.combined(rw, sum, next);
        }
        sum
    }

    fn combined(&self, rw: &mut Rewriter, a: ValueId, b: ValueId) -> ValueId {
        let ty = rw.graph.ty(a).clone();
        let region = match self.reducer {
            Reducer::Region(region) => region,
            Reducer::Named(name) => {
                return devices::reducer(name).map_or(a, |kind| rw.binary(kind, a, b));
            }
            Reducer::None => return a,
        };
        let rank = rw.shape(a).unwrap_or_default().len();
        let mut map = NewOp::new(OpKind::Map, vec![a, b], vec![ty], rw.location());
        map.attrs.set("dimensions", dims(&(0..rank).collect::<Vec<_>>()));
        map.regions = vec![copy_region(rw.graph, region, &mut Default::default())];
        rw.insert(map)[0]
    }
}

#[cfg(test)]
mod tests {
    use super::super::simplify;
    use super::*;
    use crate::example::{import, print};

    fn reduce(groups: &str, attrs: &str) -> String {
        format!(
            "module attributes {{{attrs}}} {{
               func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{
                 %0 = \"stablehlo.all_reduce\"(%a) ({{
                 ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                   %1 = stablehlo.add %x, %y : tensor<f32>
                   stablehlo.return %1 : tensor<f32>
                 }}) {{replica_groups = {groups}}} : (tensor<2xf32>) -> tensor<2xf32>
                 return %0 : tensor<2xf32>
               }}
             }}"
        )
    }

    #[test]
    fn one_device_needs_no_collective_and_groups_must_fit_the_module() {
        for groups in ["dense<0> : tensor<1x1xi64>", "dense<> : tensor<0x0xi64>"] {
            let mut graph = import(&reduce(groups, "mhlo.num_replicas = 1 : i32"));
            simplify(&mut graph, &Options::default()).unwrap();
            assert!(!print(&graph).contains("all_reduce"));
        }
        for groups in ["dense<[[0, 1]]> : tensor<1x2xi64>", "dense<> : tensor<0x0xi64>"] {
            let mut graph = import(&reduce(groups, "mhlo.num_replicas = 2 : i32"));
            simplify(&mut graph, &Options::default()).unwrap();
            assert!(print(&graph).contains("groups = [array<i64: 0, 1>], kind = \"all_reduce\", reducer = \"add\""));
            // Without a number of replicas there is one device.
            let alone = simplify(&mut import(&reduce(groups, "")), &Options::default());
            if groups.contains("[[0") {
                let error = alone.unwrap_err();
                assert!(error.code() == "FX0301" && error.to_string().contains("num_replicas"), "{error}");
            }
        }
    }
}

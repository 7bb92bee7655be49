//! Sizes that are known only at run time become symbols and expressions of symbols; dynamic ops become the static
//! kinds.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<?x4xf32>, %arg1: tensor<4xf32>) -> tensor<?x4xf32> {
//!   %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
//!   %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
//!   %c = stablehlo.constant dense<4> : tensor<1xi32>
//!   %2 = stablehlo.concatenate %1, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
//!   %3 = stablehlo.dynamic_broadcast_in_dim %arg1, %2, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
//!   %4 = stablehlo.add %arg0, %3 : tensor<?x4xf32>
//!   return %4 : tensor<?x4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {fornax.dims = ["arg0_0: argument 0 axis 0, 0.."]} {
//!   func.func @main(%arg0: tensor<?x4xf32, #fornax.dims<arg0_0>>, %arg1: tensor<4xf32>)
//!       -> tensor<?x4xf32, #fornax.dims<arg0_0>> {
//!     %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #fornax.dims<arg0_0>>
//!     %1 = stablehlo.add %arg0, %0 : tensor<?x4xf32, #fornax.dims<arg0_0>>
//!     return %1 : tensor<?x4xf32, #fornax.dims<arg0_0>>
//!   }
//! }
//! ```
//!
//! How: forward over the ops of the entry function, sizes of results from sizes of operands (`infer`), numbers in shape
//! operands from the arithmetic that makes them (`contents`). Sizes that an op needs equal are made one (`equal`),
//! which can settle earlier ones: the walk is repeated until nothing new is learnt. Then types are written and ops
//! rewritten (`apply`). What cannot be proved is a check that the host makes before a run (`Graph::dim_checks`).
//!
//! A scalar that is no function of the arguments' sizes becomes a symbol that the host reads at run time
//! (`DimDef::Value`). Integer arithmetic on sizes is taken to be exact, whatever the width of its tensors.
//!
//! A loop that changes the size of a value carries the size, too (`loops`); a size that it computes from its state is a
//! symbol of its body.
//!
//! Limits: only the entry function (`@main`, else the first public one) has symbols; branches give equal sizes; sizes
//! that a loop changes or computes from its state have bounds; in a branch within a loop there are none of the latter.

mod apply;
mod assertions;
mod contents;
mod dynamic_windows;
mod equal;
mod formulas;
mod hoist;
mod infer;
mod loops;
mod ratios;
mod table;
mod windows;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use fornax_graph::{BlockId, Dim, DimDef, Equalities, Graph, OpId, OpKind, RegionId, Type, ValueId};
use fornax_reference::Tensor;

use super::{Options, each_op};
use crate::errors::PassError;

/// Walks over the function before giving up on settling its sizes.
const MAX_ROUNDS: usize = 16;

/// Ops that `apply` turns into static kinds.
const DYNAMIC: &[OpKind] = &[
    OpKind::DynamicBroadcastInDim,
    OpKind::DynamicReshape,
    OpKind::ChloDynamicReshape,
    OpKind::DynamicIota,
    OpKind::DynamicPad,
    OpKind::DynamicGather,
    OpKind::DynamicConv,
    OpKind::RealDynamicSlice,
    OpKind::SetDimensionSize,
];

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    let Some((function, entry)) = entry_of(graph) else { return Ok(false) };
    if !needs_work(graph, entry) {
        return Ok(false);
    }
    if !loops::are_there(graph, entry) {
        return resolve(graph, (function, entry), &loops::Decisions::new()).0;
    }
    let mut decisions = loops::Decisions::new();
    loop {
        let mut trial = graph.clone();
        let (done, more) = resolve(&mut trial, (function, entry), &decisions);
        if more.is_empty() {
            *graph = trial;
            return done;
        }
        decisions.extend(more);
    }
}

/// Works the sizes out as was decided of loops so far; also what is to be decided otherwise.
fn resolve(
    graph: &mut Graph,
    (function, entry): (usize, BlockId),
    decisions: &loops::Decisions,
) -> (Result<bool, PassError>, loops::Decisions) {
    let carried = match loops::carry(graph, decisions) {
        Ok(carried) => carried,
        Err(error) => return (Err(error), loops::Decisions::new()),
    };
    let mut resolver = Resolver::new(graph, entry);
    resolver.carried = carried;
    resolver.decisions = decisions.clone();
    resolver.arguments();
    let settled = resolver.settle().and_then(|()| resolver.check_bounds());
    let more = std::mem::take(&mut resolver.more);
    match settled {
        Ok(()) if more.is_empty() => (apply::apply(resolver, function), more),
        other => (other.map(|()| false), more),
    }
}

/// `@main`, else the first public function, else the first, with its block.
fn entry_of(graph: &Graph) -> Option<(usize, BlockId)> {
    let functions = || graph.functions.iter().enumerate().filter(|(_, f)| f.body.is_some());
    let (at, function) = functions()
        .find(|(_, f)| f.name == "main")
        .or_else(|| functions().find(|(_, f)| !f.private))
        .or_else(|| functions().next())?;
    Some((at, graph.entry(function)?))
}

fn needs_work(graph: &Graph, entry: BlockId) -> bool {
    let unknown = |&value: &ValueId| is_unknown(graph.ty(value));
    let mut found = graph.block(entry).arguments.iter().any(unknown);
    graph.walk(entry, &mut |id| {
        let op = graph.op(id);
        found |= DYNAMIC.contains(&op.kind) || op.results.iter().any(unknown) || is_assertion(graph, id);
        found |= dynamic_windows::is_one(graph, id);
        for &region in &op.regions {
            let blocks = &graph.region(region).blocks;
            found |= blocks.iter().any(|&block| graph.block(block).arguments.iter().any(unknown));
        }
    });
    let mut calls = false;
    each_op(graph, &mut |id| calls |= graph.op(id).kind == OpKind::FuncCall);
    found && !calls
}

fn is_assertion(graph: &Graph, id: OpId) -> bool {
    graph.op(id).kind == OpKind::CustomCall
        && super::symbol(graph, id, "call_target_name") == Some("shape_assertion")
}

/// Whether a type has a size `?` without a symbol, or sizes under a bound that is only written in its encoding.
fn is_unknown(ty: &Type) -> bool {
    match ty {
        Type::Tensor(tensor) => {
            tensor.shape.contains(&Dim::Symbolic(0))
                || tensor.encoding.as_ref().is_some_and(|e| e.starts_with("#stablehlo.bounds"))
        }
        Type::Tuple(parts) => parts.iter().any(is_unknown),
        _ => false,
    }
}

/// What is known of the entry function while its sizes are being worked out.
struct Resolver<'g> {
    graph: &'g mut Graph,
    entry: BlockId,
    /// Sizes of tensors, by value.
    shapes: HashMap<ValueId, Vec<Dim>>,
    /// Elements of small integer tensors in row-major order, where they are functions of symbols.
    contents: HashMap<ValueId, Option<Vec<Dim>>>,
    /// Entries of the table that are equal to something simpler.
    equal: Equalities,
    /// The op of a region's block.
    owners: HashMap<BlockId, OpId>,
    /// Scalars taken out of vectors to be read at run time.
    elements: HashMap<(ValueId, i64), ValueId>,
    /// Values of regions and what they are in the entry block, if they can be there.
    hoisted: HashMap<ValueId, Option<ValueId>>,
    /// JAX stretches only dimensions that it knows to be 1: others that are broadcast are equal.
    stretches_ones_only: bool,
    /// Depth of the value that `contents` looks at.
    depth: usize,
    /// What the evaluator made of small values that depend on constants.
    evaluated: HashMap<ValueId, Option<Tensor>>,
    /// Whether a scalar that nothing else is known of may become a symbol.
    values_allowed: bool,
    /// Sizes that loops carry.
    carried: Vec<loops::Carried>,
    /// What was decided of sizes that loops may change, and what is to be decided otherwise.
    decisions: loops::Decisions,
    more: loops::Decisions,
    /// Numbers that say whether an assertion fails.
    failures: HashMap<OpId, ValueId>,
    /// Symbols that are computed in loops, and the loop.
    from_state: Vec<(Dim, OpId)>,
}

impl<'g> Resolver<'g> {
    fn new(graph: &'g mut Graph, entry: BlockId) -> Resolver<'g> {
        // JAX names its modules so; older exports have no attribute.
        let jax = graph.name.as_ref().is_some_and(|name| name.starts_with("jit_"))
            || graph.attrs.bool("jax.uses_shape_polymorphism").unwrap_or(false);
        Resolver {
            graph,
            entry,
            shapes: HashMap::new(),
            contents: HashMap::new(),
            equal: Equalities::default(),
            owners: HashMap::new(),
            elements: HashMap::new(),
            hoisted: HashMap::new(),
            stretches_ones_only: jax,
            depth: 0,
            evaluated: HashMap::new(),
            values_allowed: true,
            carried: Vec::new(),
            decisions: loops::Decisions::new(),
            more: loops::Decisions::new(),
            failures: HashMap::new(),
            from_state: Vec::new(),
        }
    }

    /// Symbols for the unknown sizes of the arguments.
    fn arguments(&mut self) {
        for (at, value) in (0u32..).zip(self.graph.block(self.entry).arguments.clone()) {
            let Some(tensor) = self.graph.ty(value).as_tensor() else { continue };
            let (mut shape, bounds) = (tensor.shape.clone(), bounds_of(tensor));
            for (axis, dim) in (0u32..).zip(&mut shape) {
                if *dim == Dim::Symbolic(0) {
                    let max = bounds.get(axis as usize).copied().flatten().unwrap_or(i64::MAX);
                    *dim = self.graph.argument_dim(at, axis, &format!("arg{at}_{axis}"), (0, max));
                }
            }
            if let Type::Tensor(tensor) = &mut self.graph.values[value.index()].ty {
                (tensor.shape, tensor.encoding) = (shape, None);
            }
        }
    }

    /// Walks until nothing new is learnt.
    fn settle(&mut self) -> Result<(), PassError> {
        for _ in 0..MAX_ROUNDS {
            let before = (self.equal.facts(), self.bounds());
            self.shapes.clear();
            self.contents.clear();
            self.evaluated.clear();
            self.equal.refresh();
            self.block(self.entry)?;
            if (self.equal.facts(), self.bounds()) == before {
                return Ok(());
            }
        }
        Err(PassError::broken("the sizes of the model do not settle"))
    }

    /// Bounds of the symbols, which assertions narrow.
    fn bounds(&self) -> Vec<(i64, i64)> {
        let symbols = self.graph.dims.iter().filter(|d| !matches!(d.def, DimDef::Expr(_)));
        symbols.map(|d| (d.min, d.max)).collect()
    }

    fn block(&mut self, block: BlockId) -> Result<(), PassError> {
        for id in self.graph.block(block).ops.clone() {
            self.op(id)?;
        }
        Ok(())
    }

    fn region(&mut self, region: RegionId) -> Result<(), PassError> {
        let blocks = self.graph.region(region).blocks.clone();
        blocks.into_iter().try_for_each(|block| self.block(block))
    }

    /// Sizes of a tensor as far as they are known; of anything else none.
    fn shape(&mut self, value: ValueId) -> Vec<Dim> {
        let shape = match self.shapes.get(&value) {
            Some(shape) => shape.clone(),
            None => self.graph.ty(value).as_tensor().map(|t| t.shape.clone()).unwrap_or_default(),
        };
        shape.into_iter().map(|dim| self.canonical(dim)).collect()
    }

    fn operand(&self, id: OpId, at: usize) -> Result<ValueId, PassError> {
        let found = self.graph.op(id).operands.get(at).copied();
        found.ok_or_else(|| PassError::malformed(self.graph, id, format!("operand {at} is missing")))
    }

    fn operand_shape(&mut self, id: OpId, at: usize) -> Result<Vec<Dim>, PassError> {
        let value = self.operand(id, at)?;
        Ok(self.shape(value))
    }
}

/// Upper bounds from `#stablehlo.bounds<?, 5>`.
fn bounds_of(tensor: &fornax_graph::TensorType) -> Vec<Option<i64>> {
    let text = tensor.encoding.as_deref().unwrap_or_default();
    let list = text.strip_prefix("#stablehlo.bounds<").and_then(|t| t.strip_suffix('>'));
    list.map(|list| list.split(',').map(|n| n.trim().parse().ok()).collect()).unwrap_or_default()
}

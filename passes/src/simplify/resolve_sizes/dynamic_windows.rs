//! `reduce_window` whose window is as long as a size known only at run time: cumulative sums along such a dimension, as
//! JAX exports them.
//!
//! StableHLO has no op for it; JAX writes `custom_call @stablehlo.dynamic_reduce_window(inputs, initial values, window,
//! strides, base dilations, window dilations, padding)` with the reducer as a function. It becomes `reduce_window`,
//! whose window and padding may name sizes; strides and dilations must be constants.
//!
//! Worked example: window [b, 1], padding [[b - 1, 0], [0, 0]] over [b, 3]: `window_dimensions = #fornax.dims<b, 1>`,
//! `padding = #fornax.dims<b-1, 0, 0, 0>`; b positions along dimension 0.

use std::collections::HashMap;

use fornax_graph::{Attr, AttrMap, Dim, Graph, NewOp, OpId, OpKind, RegionId, Type, ValueId};

use crate::rewrite::{Rewrite, Rewriter};
use super::super::symbol;
use super::Resolver;
use super::windows::Axis;
use crate::errors::PassError;

const TARGET: &str = "stablehlo.dynamic_reduce_window";
/// Attributes by the operands after inputs and initial values.
pub const NAMES: [&str; 5] =
    ["window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"];

pub fn is_one(graph: &Graph, id: OpId) -> bool {
    graph.op(id).kind == OpKind::CustomCall && symbol(graph, id, "call_target_name") == Some(TARGET)
}

impl Resolver<'_> {
    /// Sizes of the results.
    pub fn dynamic_window(&mut self, id: OpId) -> Result<Vec<Vec<Dim>>, PassError> {
        let results = self.graph.op(id).results.len();
        let mut shape = self.operand_shape(id, 0)?;
        for at in 1..results {
            let other = self.operand_shape(id, at)?;
            shape = self.unify_shapes(id, &shape, &other)?;
        }
        let mut lists = Vec::with_capacity(NAMES.len());
        for at in 0..NAMES.len() {
            lists.push(self.numbers_in(id, 2 * results + at)?);
        }
        let [window, strides, base, dilations, padding] = &lists[..] else { return Ok(Vec::new()) };
        let rank = shape.len();
        if [window, strides, base, dilations].iter().any(|l| l.len() != rank) || padding.len() != 2 * rank {
            return Err(PassError::malformed(self.graph, id, "its window does not fit its operand"));
        }
        let mut sizes = Vec::with_capacity(rank);
        for (d, &input) in shape.iter().enumerate() {
            let step = |list: &[Dim]| list[d].as_static().filter(|&n| n >= 1);
            let (Some(stride), Some(base_dilation), Some(window_dilation)) =
                (step(strides), step(base), step(dilations))
            else {
                return Err(self.unknown(id, &format!("the stride or dilation of dimension {d}")));
            };
            let padding = (padding[2 * d], padding[2 * d + 1]);
            self.limit(id, window[d], None);
            let axis = Axis { input, padding, window: window[d], base_dilation, window_dilation, stride };
            sizes.push(self.positions(&axis));
        }
        Ok(vec![sizes; results])
    }
}

/// The call as `reduce_window`, with the amounts that its operands hold.
pub fn rewrite(rw: &mut Rewriter, id: OpId, amounts: &[Vec<Dim>]) -> Option<Rewrite> {
    let reducer = reducer_name(rw.graph, id)?;
    let region = reducer_region(rw.graph, &reducer)?;
    let op = rw.graph.op_mut(id);
    let results = op.results.len();
    op.kind = OpKind::ReduceWindow;
    op.operands.truncate(2 * results);
    op.attrs = AttrMap::default();
    op.regions = vec![region];
    for (name, list) in NAMES.iter().zip(amounts) {
        op.attrs.set(name, Attr::of_dims(list));
    }
    Some(Rewrite::Edited)
}

pub fn reducer_name(graph: &Graph, id: OpId) -> Option<String> {
    let Some(Attr::Array(items)) = graph.op(id).attrs.get("called_computations") else { return None };
    match &items[..] {
        [Attr::Symbol(path)] => path.last().cloned(),
        _ => None,
    }
}

/// The body of a function as the region of an op.
fn reducer_region(graph: &mut Graph, name: &str) -> Option<RegionId> {
    let function = graph.functions.iter().find(|f| f.name == name)?;
    let entry = graph.entry(function)?;
    let types: Vec<Type> = graph.block(entry).arguments.iter().map(|&a| graph.ty(a).clone()).collect();
    let region = graph.add_region();
    let block = graph.add_block(region, &types);
    let own = graph.block(block).arguments.clone();
    let mut map: HashMap<ValueId, ValueId> = graph.block(entry).arguments.iter().copied().zip(own).collect();
    for id in graph.block(entry).ops.clone() {
        let op = graph.op(id).clone();
        if !op.regions.is_empty() {
            return None;
        }
        let kind = if op.kind == OpKind::FuncReturn { OpKind::Return } else { op.kind };
        let operands = op.operands.iter().map(|v| map.get(v).copied().unwrap_or(*v)).collect();
        let result_types = op.results.iter().map(|&r| graph.ty(r).clone()).collect();
        let mut new = NewOp::new(kind, operands, result_types, op.location);
        (new.attrs, new.name) = (op.attrs, op.name);
        let made = graph.push_op(block, new);
        map.extend(op.results.into_iter().zip(graph.op(made).results.clone()));
    }
    Some(region)
}

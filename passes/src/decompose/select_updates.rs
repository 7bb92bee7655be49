//! A row chosen by its number, written where the value is that it goes into: `select(iota = position, new, old)`.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1000x64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64xf32>, %arg2:
//!     tensor<i32>) -> tensor<1000x64xf32> {
//!   %0 = stablehlo.iota dim = 0 : tensor<1000xi32>
//!   %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<1000xi32>
//!   %2 = stablehlo.compare EQ, %0, %1, SIGNED : (tensor<1000xi32>, tensor<1000xi32>) -> tensor<1000xi1>
//!   %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<1000xi1>) -> tensor<1000x64xi1>
//!   %4 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<1000x64xf32>
//!   %5 = stablehlo.select %3, %4, %arg0 : (tensor<1000x64xi1>, tensor<1000x64xf32>, tensor<1000x64xf32>) ->
//!     tensor<1000x64xf32>
//!   return %5 : tensor<1000x64xf32>
//! }
//! ```
//! After (what nothing reads any more goes with fusion):
//! ```mlir
//! func.func @main(%arg0: tensor<1000x64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64xf32>, %arg2:
//!     tensor<i32>) -> tensor<1000x64xf32> {
//!   %0 = stablehlo.iota dim = 0 : tensor<1000xi32>
//!   %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<1000xi32>
//!   %2 = stablehlo.compare EQ, %0, %1, SIGNED : (tensor<1000xi32>, tensor<1000xi32>) -> tensor<1000xi1>
//!   %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<1000xi1>) -> tensor<1000x64xi1>
//!   %4 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<1000x64xf32>
//!   %5 = stablehlo.slice %4 [0:1, 0:64] : (tensor<1000x64xf32>) -> tensor<1x64xf32>
//!   %6 = stablehlo.reshape %arg2 : (tensor<i32>) -> tensor<1xi32>
//!   %7 = "fornax.update_in_place"(%arg0, %6, %5) <{scatter_dimension_numbers =
//!       #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, indices_are_sorted =
//!       true, unique_indices = true}> ({
//!   ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!     stablehlo.return %arg4 : tensor<f32>
//!   }) : (tensor<1000x64xf32>, tensor<1xi32>, tensor<1x64xf32>) -> tensor<1000x64xf32>
//!   return %7 : tensor<1000x64xf32>
//! }
//! ```
//!
//! Where the old value may be written (`updates`), the rows that the comparison takes are a scatter in place: one row a
//! position. A position outside is equal to no number and goes nowhere, as in the scatter. Positions may differ from
//! batch to batch: `select(iota = position[b], new, old)` writes one row a batch.
//!
//! Worked example: a cache `[8, 1024, 64]`, positions `[8]`: 8 · 64 elements are stored, not 8 · 1024 · 64.
//!
//! Limits: static shapes; positions of 32 bits and more, since a count in fewer bits may wrap.

use fornax_graph::{Graph, OpId, OpKind, ValueId};
use fornax_plan::index::Indices;
use fornax_plan::{IndexId, VarId};

use super::Site;
use super::insert::replace_op;
use super::updates::{self, Window};
use crate::errors::PassError;
use crate::facts::donated;
use crate::facts::ops::{Class, row, shape, splat_bits, tensor};
use crate::facts::pattern::{Place, source};
use crate::rewrite::Rewriter;

/// Bits of a position below which counting may wrap.
const POSITION_BITS: u32 = 32;
/// Ops that are looked at to see that the new value is the same in every row, at most.
const OPS_MAX: usize = 64;

/// The rows that a predicate takes.
struct Rows {
    /// The dimension that is counted.
    dim: usize,
    positions: ValueId,
    /// The dimensions over which the positions differ, ascending, as the positions' own.
    batch: Vec<usize>,
    /// Whether the predicate is true in all other rows instead.
    negated: bool,
}

/// Rewrites `op`, a `select`, where that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let &[predicate, on_true, on_false] = graph.op(op).operands.as_slice() else { return Ok(()) };
    let sizes = shape(graph, on_true)?;
    if tensor(graph, predicate)?.shape.len() != sizes.len() || site.is_claimed(op) {
        return Ok(());
    }
    let mut indices = Indices::default();
    let variables: Vec<VarId> = sizes.iter().map(|&n| indices.add_var(n)).collect();
    let index: Vec<IndexId> = variables.iter().map(|&v| indices.var(v)).collect();
    let Some(rows) = rows(graph, (predicate, index.clone()), &variables, &mut indices)? else { return Ok(()) };
    let (new, old) = if rows.negated { (on_false, on_true) } else { (on_true, on_false) };
    let elements: i64 = sizes.iter().product();
    if !donated::pays(elements, elements / sizes[rows.dim].max(1)) || !updates::may_write(graph, op, old, site) {
        return Ok(());
    }
    let mut left = OPS_MAX;
    if !is_same_in_rows(graph, (new, index), variables[rows.dim], &mut indices, &mut left)? {
        return Ok(());
    }
    let mut at = Rewriter::before(graph, op);
    let (zeros, ones) = (vec![0; sizes.len()], vec![1; sizes.len()]);
    let mut limits = sizes.clone();
    limits[rows.dim] = 1;
    let update = at.slice(new, &zeros, &limits, &ones);
    let window = Window { operand: old, update, dims: &[rows.dim], starts: &[rows.positions], batch: &rows.batch };
    let updated = updates::update(graph, op, &window)?;
    replace_op(graph, site.entry, op, &[updated]);
    Ok(())
}

/// What `select` takes by a comparison of a count with positions.
fn rows(
    graph: &Graph,
    predicate: Place,
    variables: &[VarId],
    indices: &mut Indices,
) -> Result<Option<Rows>, PassError> {
    let (mut value, mut index) = source(graph, predicate, indices)?;
    let mut negated = false;
    while let Some(op) = graph.producer(value).map(|op| graph.op(op)).filter(|op| op.kind == OpKind::Not) {
        negated = !negated;
        (value, index) = source(graph, (op.operands[0], index), indices)?;
    }
    let Some(compare) = graph.producer(value).map(|op| graph.op(op)).filter(|op| op.kind == OpKind::Compare) else {
        return Ok(None);
    };
    let &[a, b] = compare.operands.as_slice() else { return Ok(None) };
    let differs = match compare.attrs.keyword("comparison_direction") {
        Some("EQ") => false,
        Some("NE") => true,
        _ => return Ok(None),
    };
    let element = tensor(graph, a)?.element;
    if !element.is_integer() || element.bits() < POSITION_BITS {
        return Ok(None);
    }
    for (count, positions) in [(a, b), (b, a)] {
        let Some(dim) = counted(graph, (count, index.clone()), variables, indices)? else { continue };
        let (positions, place) = source(graph, (positions, index.clone()), indices)?;
        let mut batch = Vec::with_capacity(place.len());
        for &at in &place {
            match indices.as_var(at).and_then(|var| variables.iter().position(|&v| v == var)) {
                Some(d) if d != dim && batch.last().is_none_or(|&last| last < d) => batch.push(d),
                _ if indices.as_constant(at) == Some(0) => {}
                _ => return Ok(None),
            }
        }
        let elements: i64 = shape(graph, positions)?.iter().product();
        let sizes = batch.iter().map(|&d| indices.extent(variables[d]));
        if elements != sizes.product::<i64>() {
            return Ok(None);
        }
        return Ok(Some(Rows { dim, positions, batch, negated: negated != differs }));
    }
    Ok(None)
}

/// The dimension whose numbers a value holds.
fn counted(
    graph: &Graph,
    place: Place,
    variables: &[VarId],
    indices: &mut Indices,
) -> Result<Option<usize>, PassError> {
    let (value, index) = source(graph, place, indices)?;
    let iota = graph.producer(value).map(|op| graph.op(op)).filter(|op| op.kind == OpKind::Iota);
    let dim = iota.and_then(|op| usize::try_from(op.attrs.int("iota_dimension")?).ok());
    let var = dim.and_then(|d| index.get(d)).and_then(|&at| indices.as_var(at));
    Ok(var.and_then(|var| variables.iter().position(|&v| v == var)))
}

/// Whether a value is the same for every value of a variable; `left` ops may be looked at.
fn is_same_in_rows(
    graph: &Graph,
    place: Place,
    variable: VarId,
    indices: &mut Indices,
    left: &mut usize,
) -> Result<bool, PassError> {
    let (value, index) = source(graph, place, indices)?;
    if splat_bits(graph, value).is_some() || index.iter().all(|&at| !indices.depends_on(at, variable)) {
        return Ok(true);
    }
    let Some(op) = graph.producer(value).map(|op| graph.op(op)) else { return Ok(false) };
    if *left == 0 || row(op.kind).is_none_or(|r| r.class != Class::Elementwise) {
        return Ok(false);
    }
    *left -= 1;
    for &operand in &op.operands {
        // A scalar operand has no index.
        let index = if tensor(graph, operand)?.shape.is_empty() { Vec::new() } else { index.clone() };
        if !is_same_in_rows(graph, (operand, index), variable, indices, left)? {
            return Ok(false);
        }
    }
    Ok(true)
}

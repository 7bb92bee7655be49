//! Weights that products of one row alone read as [K, N] lie as [N, K]: a copy that is made once, when the module is
//! loaded.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1x2048xbf16>, %arg1: tensor<2048x512xbf16>) -> tensor<1x512xbf16> {
//!   %0 = "fornax.fusion"(%arg0, %arg1) ({
//!   ^bb0(%arg2: tensor<1x2048xbf16>, %arg3: tensor<2048x512xbf16>):
//!     %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] :
//!         (tensor<1x2048xbf16>, tensor<2048x512xbf16>) -> tensor<1x512xbf16>
//!     fornax.yield %1 : tensor<1x512xbf16>
//!   }) {hero = "contraction"} : (tensor<1x2048xbf16>, tensor<2048x512xbf16>) -> tensor<1x512xbf16>
//!   return %0 : tensor<1x512xbf16>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<1x2048xbf16>, %arg1: tensor<2048x512xbf16>) -> tensor<1x512xbf16> {
//!   %0 = "fornax.fusion"(%arg1) ({
//!   ^bb0(%arg2: tensor<2048x512xbf16>):
//!     %2 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<2048x512xbf16>) -> tensor<512x2048xbf16>
//!     fornax.yield %2 : tensor<512x2048xbf16>
//!   }) {hero = "loop"} : (tensor<2048x512xbf16>) -> tensor<512x2048xbf16>
//!   %1 = "fornax.fusion"(%arg0, %0) ({
//!   ^bb0(%arg3: tensor<1x2048xbf16>, %arg4: tensor<512x2048xbf16>):
//!     %2 = stablehlo.dot_general %arg3, %arg4, contracting_dims = [1] x [1] :
//!         (tensor<1x2048xbf16>, tensor<512x2048xbf16>) -> tensor<1x512xbf16>
//!     fornax.yield %2 : tensor<1x512xbf16>
//!   }) {hero = "contraction"} : (tensor<1x2048xbf16>, tensor<512x2048xbf16>) -> tensor<1x512xbf16>
//!   return %1 : tensor<1x512xbf16>
//! }
//! ```
//!
//! Input: a fused graph, and which arguments are named parameters. Output: the same, where every product that reads
//! such an argument, in all functions that are given it, reads the transposed value, if the target's kernels for all of
//! them gain by it. Whoever reads it otherwise, such as the rows of an embedding or a product of many rows, keeps it as
//! it is: both would be twice the memory. What only the load reads is given back when it is over.
//!
//! Worked example: Llama 3.2 1B as JAX writes it, `x·W` with W of [2048, 8192] in bf16. As [N, K] a thread loads its
//! weights into registers before it waits for the kernels before, and rotations and writes to caches join the product
//! (`join_epilogue`); as [K, N] it has to copy them to shared memory. One H200, a step: 0.786 ms, 0.727.
//!
//! Limits: an operand that is the argument itself, without batches. All or none of the products of a group.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use fornax_graph::views::dot_dims;
use fornax_graph::{Attr, BlockId, ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use crate::errors::PassError;
use crate::facts::products::{is_product, rows_and_long_operand};
use crate::facts::{control, scalar};
use crate::observe::{Observer, Run, Turn, observed};

/// The pass's row.
pub const NAME: &str = "transpose_weights";
pub const DOC: &str = "weights that products of one row alone read are transposed once, where their kernels gain by it";

/// Which arguments of each function are named parameters, by function.
pub type Parameters = BTreeMap<String, Vec<(usize, String)>>;

/// Whether the kernel of a group gains if its weights lie as [N, K].
pub type Gains<'f> = &'f dyn Fn(&Graph, OpId) -> bool;

/// A reader of a weight: the group, which of its operands that is, and the product in it.
#[derive(Clone, Copy)]
struct Reader {
    group: OpId,
    operand: usize,
    product: OpId,
}

/// A parameter as an argument of one function.
struct Argument {
    entry: BlockId,
    value: ValueId,
    readers: Vec<Reader>,
}

/// The graph with weights transposed that may be.
///
/// # Errors
/// FX0901 for a fusion group without a region.
pub fn transpose<'a>(graph: &'a Graph, parameters: &Parameters, gains: Gains<'_>) -> Result<Cow<'a, Graph>, PassError> {
    let mut weights: BTreeMap<&str, Option<Vec<Argument>>> = BTreeMap::new();
    for function in &graph.functions {
        let (Some(entry), Some(named)) = (graph.entry(function), parameters.get(&function.name)) else { continue };
        for (at, name) in named {
            let Some(&value) = graph.block(entry).arguments.get(*at) else { continue };
            let readers = readers(graph, entry, value, gains)?;
            let all = weights.entry(name).or_insert_with(|| Some(Vec::new()));
            match (readers, all.as_mut()) {
                (Some(readers), Some(all)) => all.push(Argument { entry, value, readers }),
                _ => *all = None,
            }
        }
    }
    let mut weights: Vec<Vec<Argument>> = weights.into_values().flatten().collect();
    weights.retain(|arguments| arguments.iter().any(|argument| !argument.readers.is_empty()));
    keep_whole_groups(graph, &mut weights)?;
    let mut new = Cow::Borrowed(graph);
    for argument in weights.iter().flatten().filter(|argument| !argument.readers.is_empty()) {
        put(new.to_mut(), argument)?;
    }
    Ok(new)
}

/// The same before an observer, who hears of one run, for `target`.
///
/// # Errors
/// As [`transpose`].
pub fn observed_transpose<'a>(
    graph: &'a Graph,
    (target, parameters): (&str, &Parameters),
    gains: Gains<'_>,
    observer: &mut dyn Observer,
) -> Result<Cow<'a, Graph>, PassError> {
    if !observer.listens() {
        return transpose(graph, parameters, gains);
    }
    let run = Run { phase: super::PHASE, name: NAME, turn: Turn::Target(target) };
    let mut transposed = graph.clone();
    observed(observer, &run, &mut transposed, |transposed| {
        if let Cow::Owned(new) = transpose(graph, parameters, gains)? {
            *transposed = new;
        }
        Ok(())
    })?;
    Ok(Cow::Owned(transposed))
}

/// Every argument of every function, as if all were parameters of their own.
pub(super) fn all_arguments(graph: &Graph) -> Parameters {
    let of = |function: &fornax_graph::Function| {
        let count = graph.entry(function).map_or(0, |entry| graph.block(entry).arguments.len());
        let named = (0..count).map(|at| (at, format!("{}.{at}", function.name))).collect();
        (function.name.clone(), named)
    };
    graph.functions.iter().map(of).collect()
}

/// All readers of a value; `None` where one is no such product.
fn readers(graph: &Graph, entry: BlockId, value: ValueId, gains: Gains<'_>) -> Result<Option<Vec<Reader>>, PassError> {
    let mut found = Vec::new();
    for block in control::all_blocks(graph, entry) {
        for &op in &graph.block(block).ops {
            for (operand, _) in graph.op(op).operands.iter().enumerate().filter(|(_, v)| **v == value) {
                let Some(product) = product_of(graph, op, operand)? else { return Ok(None) };
                found.push(Reader { group: op, operand, product });
            }
        }
    }
    let groups: BTreeSet<OpId> = found.iter().map(|reader| reader.group).collect();
    Ok(groups.into_iter().all(|group| gains(graph, group)).then_some(found))
}

/// The product of one row that alone reads an operand of a group, as its long one and as [K, N].
fn product_of(graph: &Graph, group: OpId, operand: usize) -> Result<Option<OpId>, PassError> {
    if graph.op(group).kind != OpKind::Fusion {
        return Ok(None);
    }
    let block = graph.block(scalar::body(graph, group)?);
    let Some(&argument) = block.arguments.get(operand) else { return Ok(None) };
    let mut ops = block.ops.iter().copied().filter(|&op| graph.op(op).operands.contains(&argument));
    let (Some(product), None) = (ops.next(), ops.next()) else { return Ok(None) };
    if rows_and_long_operand(graph, product) != Some((1, argument)) {
        return Ok(None);
    }
    Ok(order(graph, product, argument).map(|_| product))
}

/// The dimensions of a product's operand with those that are contracted last; `None` where they are already, and where
/// there are batches.
fn order(graph: &Graph, product: OpId, operand: ValueId) -> Option<Vec<usize>> {
    let data = graph.op(product);
    let &[lhs, rhs] = data.operands.as_slice() else { return None };
    let numbers = dot_dims(data);
    let own = if rhs == operand { &numbers.rhs_contract } else { &numbers.lhs_contract };
    if data.kind != OpKind::DotGeneral || lhs == rhs || !numbers.lhs_batch.is_empty() {
        return None;
    }
    let rank = graph.ty(operand).as_tensor()?.shape.len();
    let (contracted, free): (Vec<usize>, Vec<usize>) = (0..rank).partition(|d| own.contains(d));
    let order = [free, contracted].concat();
    (!order.is_sorted()).then_some(order)
}

/// Drops weights of groups of which another product would stay as it is, until none is left.
fn keep_whole_groups(graph: &Graph, weights: &mut Vec<Vec<Argument>>) -> Result<(), PassError> {
    loop {
        let mut transposed: HashMap<OpId, usize> = HashMap::new();
        for reader in weights.iter().flatten().flat_map(|argument| &argument.readers) {
            *transposed.entry(reader.group).or_default() += 1;
        }
        let mut partly = BTreeSet::new();
        for (&group, &count) in &transposed {
            let ops = &graph.block(scalar::body(graph, group)?).ops;
            if ops.iter().filter(|&&op| is_product(graph, op)).count() != count {
                partly.insert(group);
            }
        }
        if partly.is_empty() {
            return Ok(());
        }
        let is_whole = |argument: &Argument| argument.readers.iter().all(|reader| !partly.contains(&reader.group));
        weights.retain(|arguments| arguments.iter().all(is_whole));
    }
}

/// Transposes an argument and lets its readers read that.
fn put(graph: &mut Graph, argument: &Argument) -> Result<(), PassError> {
    let mut made: Vec<(Vec<usize>, ValueId)> = Vec::new();
    for &Reader { group, operand, product } in &argument.readers {
        let body = scalar::body(graph, group)?;
        let own = graph.block(body).arguments[operand];
        let Some(order) = order(graph, product, own) else { continue };
        let known = made.iter().find(|(other, _)| *other == order).map(|(_, value)| *value);
        let transposed = match known {
            Some(value) => value,
            None => {
                let value = transposed(graph, argument, &order, group);
                made.push((order.clone(), value));
                value
            }
        };
        graph.op_mut(group).operands[operand] = transposed;
        graph.values[own.index()].ty = graph.ty(transposed).clone();
        let mut numbers = dot_dims(graph.op(product));
        let is_right = graph.op(product).operands[1] == own;
        let contracted = if is_right { &mut numbers.rhs_contract } else { &mut numbers.lhs_contract };
        let new = |d: &mut usize| *d = order.iter().position(|of| of == d).unwrap_or(*d);
        contracted.iter_mut().for_each(new);
        graph.op_mut(product).attrs.set("dot_dimension_numbers", numbers.attr());
    }
    Ok(())
}

/// A group that transposes an argument, the first of its function.
fn transposed(graph: &mut Graph, argument: &Argument, order: &[usize], reader: OpId) -> ValueId {
    let location = graph.op(reader).location;
    let from = graph.ty(argument.value).clone();
    let to = match &from {
        Type::Tensor(tensor) => {
            let mut tensor = tensor.clone();
            tensor.shape = order.iter().map(|&d| tensor.shape[d]).collect();
            Type::Tensor(tensor)
        }
        other => other.clone(),
    };
    let permutation = Attr::DenseArray(ElementType::I64, order.iter().map(|&d| d as i64).collect());
    let region = graph.add_region();
    let block = graph.add_block(region, &[from]);
    let given = graph.block(block).arguments.clone();
    let transpose = NewOp::new(OpKind::Transpose, given, vec![to.clone()], location).attr("permutation", permutation);
    let transpose = graph.push_op(block, transpose);
    let result = graph.op(transpose).results.clone();
    graph.push_op(block, NewOp::new(OpKind::FusionYield, result, Vec::new(), location));
    let mut group = NewOp::new(OpKind::Fusion, vec![argument.value], vec![to], location)
        .attr("hero", Attr::String("loop".to_string()));
    group.regions = vec![region];
    let group = graph.insert_op(argument.entry, 0, group);
    graph.op(group).results[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{import, reimport};
    use crate::fuse::fuse;

    /// Shapes of the products' weights behind the pass, in order, of functions given parameters by name.
    fn weights(text: &str, named: &[(&str, &[(usize, &str)])]) -> Vec<Vec<i64>> {
        let fused = fuse(&import(text)).unwrap_or_else(|e| panic!("{e}"));
        let of = |all: &[(usize, &str)]| all.iter().map(|(at, name)| (*at, name.to_string())).collect();
        let parameters: Parameters = named.iter().map(|(name, all)| (name.to_string(), of(all))).collect();
        let found = transpose(&fused, &parameters, &|_, _| true).unwrap_or_else(|e| panic!("{e}"));
        reimport(&found);
        let mut shapes = Vec::new();
        for entry in found.functions.iter().filter_map(|function| found.entry(function)) {
            for block in control::all_blocks(&found, entry) {
                for &group in found.block(block).ops.iter().filter(|op| found.op(**op).kind == OpKind::Fusion) {
                    let body = scalar::body(&found, group).unwrap_or_else(|e| panic!("{e}"));
                    for &op in found.block(body).ops.iter().filter(|op| is_product(&found, **op)) {
                        let long = rows_and_long_operand(&found, op).map(|(_, long)| long);
                        shapes.extend(long.and_then(|v| found.ty(v).as_tensor()?.static_shape()));
                    }
                }
            }
        }
        shapes
    }

    fn product(rows: i64, result: &str, of: &str) -> String {
        format!(
            "{result} = stablehlo.dot_general {of}, contracting_dims = [1] x [0] : \
             (tensor<{rows}x96xbf16>, tensor<96x64xbf16>) -> tensor<{rows}x64xbf16>"
        )
    }

    #[test]
    fn every_reader_has_one_row_or_none_is_transposed() {
        let of = |rows: i64| {
            let one = product(1, "%0", "%x, %w");
            let other = product(rows, "%0", "%y, %w");
            format!(
                "func.func @step(%x: tensor<1x96xbf16>, %w: tensor<96x64xbf16>) -> tensor<1x64xbf16> {{
                   {one}
                   return %0 : tensor<1x64xbf16>
                 }}
                 func.func @other(%w: tensor<96x64xbf16>, %y: tensor<{rows}x96xbf16>) -> tensor<{rows}x64xbf16> {{
                   {other}
                   return %0 : tensor<{rows}x64xbf16>
                 }}"
            )
        };
        let (as_it_is, transposed) = (vec![96, 64], vec![64, 96]);
        let both: &[(&str, &[(usize, &str)])] = &[("step", &[(1, "w")]), ("other", &[(0, "w")])];
        assert_eq!(weights(&of(1), both), [transposed.clone(), transposed.clone()]);
        assert_eq!(weights(&of(32), both), [as_it_is.clone(), as_it_is.clone()]);
        // Two parameters, or an argument of each call, are apart.
        let apart: &[(&str, &[(usize, &str)])] = &[("step", &[(1, "w")]), ("other", &[(0, "v")])];
        assert_eq!(weights(&of(32), apart), [transposed.clone(), as_it_is.clone()]);
        assert_eq!(weights(&of(1), &[("step", &[(1, "w")])]), [transposed, as_it_is.clone()]);
        assert_eq!(weights(&of(1), &[]), [as_it_is.clone(), as_it_is]);
    }

    #[test]
    fn what_is_read_otherwise_stays() {
        let (one, row) = (product(1, "%0", "%x, %w"), "tensor<1x64xbf16>");
        let with = |more: &str, result: &str| {
            format!(
                "func.func @main(%x: tensor<1x96xbf16>, %w: tensor<96x64xbf16>) -> ({row}, {result}) {{
                   {one}
                   {more}
                   return %0, %1 : {row}, {result}
                 }}"
            )
        };
        let named: &[(&str, &[(usize, &str)])] = &[("main", &[(1, "w")])];
        let slice = "%1 = stablehlo.slice %w [0:1, 0:64] : (tensor<96x64xbf16>) -> tensor<1x64xbf16>";
        assert_eq!(weights(&with(slice, row), named), [[96, 64]]);
        let returned = with("", "tensor<96x64xbf16>").replace("%0, %1", "%0, %w");
        assert_eq!(weights(&returned, named), [[96, 64]]);
        let doubled = "%1 = stablehlo.add %x, %x : tensor<1x96xbf16>";
        assert_eq!(weights(&with(doubled, "tensor<1x96xbf16>"), named), [[64, 96]]);
    }

    #[test]
    fn products_of_one_group_are_transposed_together() {
        let text = format!(
            "func.func @main(%x: tensor<1x96xbf16>, %g: tensor<96x64xbf16>, %u: tensor<96x64xbf16>) \
                 -> tensor<1x64xbf16> {{
               {}
               {}
               %2 = stablehlo.multiply %0, %1 : tensor<1x64xbf16>
               return %2 : tensor<1x64xbf16>
             }}",
            product(1, "%0", "%x, %g"),
            product(1, "%1", "%x, %u"),
        );
        let both = weights(&text, &[("main", &[(1, "g"), (2, "u")])]);
        assert_eq!(both, [[64, 96], [64, 96]]);
        let one = weights(&text, &[("main", &[(1, "g")])]);
        assert_eq!(one, [[96, 64], [96, 64]]);
    }
}

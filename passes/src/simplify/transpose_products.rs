//! A product that is transposed behind a collective is made transposed: its operands change places, and what reads the
//! collective's result finds it as it wants it. So a gradient has its weight's layout, and the weight is updated where
//! it lies.
//!
//! Before:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<16x4xf32>, %arg1: tensor<16x8xf32>) -> tensor<4x4xf32> {
//!   %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0]
//!       : (tensor<16x4xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
//!   %1 = stablehlo.reshape %0 : (tensor<4x8xf32>) -> tensor<4x2x4xf32>
//!   %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<4x2x4xf32>) -> tensor<2x4x4xf32>
//!   %3 = "fornax.collective"(%2) {groups = [array<i64: 0, 1>], kind = "reduce_scatter", reducer = "add"} :
//!       (tensor<2x4x4xf32>) -> tensor<1x4x4xf32>
//!   %4 = stablehlo.reshape %3 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
//!   %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
//!   return %5 : tensor<4x4xf32>
//! }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<16x4xf32>, %arg1: tensor<16x8xf32>) -> tensor<4x4xf32> {
//!   %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [0]
//!       : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
//!   %1 = stablehlo.reshape %0 : (tensor<8x4xf32>) -> tensor<2x4x4xf32>
//!   %2 = "fornax.collective"(%1) {groups = [array<i64: 0, 1>], kind = "reduce_scatter", reducer = "add"} :
//!       (tensor<2x4x4xf32>) -> tensor<1x4x4xf32>
//!   %3 = stablehlo.reshape %2 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
//!   return %3 : tensor<4x4xf32>
//! }
//! }
//! ```
//!
//! Input: a transpose of what an `all_reduce` or a `reduce_scatter` gives, maybe without its outermost dimension of one
//! part; the collective's operand is a product without batches, maybe converted, reshaped and transposed. Each of these
//! has one reader. Where all transposes together exchange the rows and columns of the product, they go. A
//! `reduce_scatter` keeps its outermost dimension, which says who gets what. The collective and the transpose stand in
//! one block: what is in a branch stays there.
//!
//! Worked example: the product above has 4 rows of 8. Behind its own transpose part, row and column lie 4, 8 and 1
//! elements apart; the other transpose makes that part 4, column 1, row 8: all columns before the rows.

use std::collections::HashMap;

use fornax_graph::views::{DotDims, dim_list, dot_dims};
use fornax_graph::{Attr, ElementType, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId};

use super::Options;
use crate::errors::PassError;
use crate::rewrite::{Rewrite, Rewriter, sweep};

/// How often each value is read.
type Reads = HashMap<ValueId, usize>;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    let mut reads = Reads::new();
    super::each_op(graph, &mut |op| graph.op(op).operands.iter().for_each(|&v| *reads.entry(v).or_insert(0) += 1));
    sweep(graph, &mut |rw, id| {
        let found = match rw.kind(id) {
            OpKind::Transpose => Transposed::of(rw, id, &reads),
            _ => None,
        };
        Ok(found.map_or(Rewrite::Keep, |found| Rewrite::with(found.put(rw, id))))
    })
}

/// A transpose behind a collective of a product.
struct Transposed {
    product: OpId,
    /// Of the product's result.
    element: ElementType,
    /// What that is converted to, one after the other.
    converts: Vec<ElementType>,
    collective: OpId,
    /// What goes with the transpose: devices meet once.
    gone: Vec<OpId>,
    /// Sizes of the collective's operand and result, transposed.
    operand: Vec<i64>,
    result: Vec<i64>,
}

impl Transposed {
    fn of(rw: &Rewriter, id: OpId, reads: &Reads) -> Option<Transposed> {
        let once = |op: OpId| rw.result(op, 0).filter(|value| reads.get(value) == Some(&1)).map(|_| op);
        let mut permutation = dim_list(rw.graph.op(id), "permutation");
        let mut value = rw.operand(id, 0)?;
        let mut gone = Vec::new();
        if let Some(reshape) = rw.made_by(value, OpKind::Reshape).and_then(once) {
            gone.push(reshape);
            let to = rw.shape(value)?;
            value = rw.operand(reshape, 0)?;
            let from = rw.shape(value)?;
            if from.first() != Some(&1) || from[1..] != to {
                return None;
            }
            permutation = std::iter::once(0).chain(permutation.iter().map(|d| d + 1)).collect();
        }
        let here = rw.graph.op(id).block;
        let collective = rw.made_by(value, OpKind::Collective).and_then(once)?;
        gone.push(collective);
        if gone.iter().any(|&op| rw.graph.op(op).block != here) {
            return None;
        }
        let is_cut = match rw.graph.op(collective).attrs.str("kind") {
            Some("all_reduce") => false,
            Some("reduce_scatter") => true,
            _ => return None,
        };
        let &[operand] = rw.graph.op(collective).operands.as_slice() else { return None };
        if is_cut && permutation.first() != Some(&0) {
            return None;
        }
        let mut chain = Vec::new();
        let mut made = once(rw.graph.producer(operand)?)?;
        while rw.kind(made) != OpKind::DotGeneral {
            if !matches!(rw.kind(made), OpKind::Convert | OpKind::Reshape | OpKind::Transpose) {
                return None;
            }
            chain.insert(0, made);
            made = once(rw.graph.producer(rw.operand(made, 0)?)?)?;
        }
        let dims = dot_dims(rw.graph.op(made));
        let free = rw.shape(rw.operand(made, 0)?)?.len().checked_sub(dims.lhs_contract.len())?;
        if !dims.lhs_batch.is_empty() {
            return None;
        }
        let shape = rw.shape(rw.result(made, 0)?)?;
        let columns = shape.get(free..)?.iter().product::<i64>();
        let mut lies = contiguous(&shape);
        let mut converts = Vec::new();
        for &op in &chain {
            let ty = rw.tensor(rw.result(op, 0)?)?.clone();
            match rw.kind(op) {
                OpKind::Convert => converts.push(ty.element),
                OpKind::Reshape => lies = reshaped(&lies, &ty.static_shape()?)?,
                _ => lies = permuted(&lies, &dim_list(rw.graph.op(op), "permutation"))?,
            }
        }
        lies = permuted(&lies, &permutation)?;
        let operand = lies.iter().map(|dim| dim.size).collect();
        let result = permuted(&contiguous(&rw.shape(value)?), &permutation)?.iter().map(|dim| dim.size).collect();
        let element = rw.tensor(rw.result(made, 0)?)?.element;
        let found = Transposed { product: made, element, converts, collective, gone, operand, result };
        is_exchanged(&lies, columns).then_some(found)
    }

    /// The same in another order: the value in the place of the transpose's result.
    fn put(self, rw: &mut Rewriter, id: OpId) -> ValueId {
        let product = rw.graph.op(self.product).clone();
        let dims = dot_dims(&product);
        let dims = DotDims { lhs_contract: dims.rhs_contract, rhs_contract: dims.lhs_contract, ..dims };
        let operands: Vec<ValueId> = product.operands.iter().rev().copied().collect();
        let sizes = |rw: &Rewriter, at: usize| operands.get(at).and_then(|&v| rw.sizes(v)).unwrap_or_default();
        let shape = dims.result(&sizes(rw, 0), &sizes(rw, 1));
        let ty = TensorType { shape, element: self.element, encoding: None };
        let mut new = NewOp::new(OpKind::DotGeneral, operands, vec![Type::Tensor(ty)], product.location);
        new.attrs = product.attrs;
        new.attrs.set("dot_dimension_numbers", dims.attr());
        if let Some(Attr::Array(each)) = new.attrs.get("precision_config").cloned() {
            new.attrs.set("precision_config", Attr::Array(each.into_iter().rev().collect()));
        }
        let mut value = rw.insert(new)[0];
        for &element in &self.converts {
            value = rw.convert(value, element);
        }
        let value = rw.reshape(value, &self.operand);
        let collective = rw.graph.op(self.collective).clone();
        let ty = Type::tensor(&self.result, self.converts.last().copied().unwrap_or(self.element));
        let mut new = NewOp::new(OpKind::Collective, vec![value], vec![ty], collective.location);
        new.attrs = collective.attrs;
        let all = rw.insert(new)[0];
        self.gone.iter().for_each(|&op| rw.graph.erase_op(op));
        let shape = rw.result(id, 0).and_then(|v| rw.shape(v)).unwrap_or_default();
        rw.reshape(all, &shape)
    }
}

/// A dimension of a tensor that lies in another one's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lying {
    size: i64,
    /// Elements from one to the next.
    stride: i64,
}

fn contiguous(shape: &[i64]) -> Vec<Lying> {
    let mut stride = 1;
    let mut dims: Vec<Lying> = Vec::new();
    for &size in shape.iter().rev() {
        dims.insert(0, Lying { size, stride });
        stride *= size.max(1);
    }
    dims
}

fn permuted(dims: &[Lying], permutation: &[usize]) -> Option<Vec<Lying>> {
    permutation.iter().map(|&d| dims.get(d).copied()).collect()
}

/// The same elements in another shape, whose dimensions are parts of these, or several that lie one behind the other.
fn reshaped(dims: &[Lying], shape: &[i64]) -> Option<Vec<Lying>> {
    let mut left = dims.iter().copied().filter(|dim| dim.size != 1);
    let mut now = Lying { size: 1, stride: 1 };
    let mut found = Vec::with_capacity(shape.len());
    for &size in shape {
        if size == 1 {
            found.push(Lying { size, stride: 1 });
            continue;
        }
        if now.size == 1 {
            now = left.next()?;
        }
        while now.size < size {
            let next = left.next().filter(|next| now.stride == next.size * next.stride)?;
            now = Lying { size: now.size * next.size, stride: next.stride };
        }
        if size < 1 || now.size % size != 0 {
            return None;
        }
        let inner = now.size / size;
        found.push(Lying { size, stride: now.stride * inner });
        now.size = inner;
    }
    (now.size == 1 && left.next().is_none()).then_some(found)
}

/// Whether all columns come before all rows of a matrix with rows of `columns`, each in their order.
fn is_exchanged(dims: &[Lying], columns: i64) -> bool {
    let dims: Vec<Lying> = dims.iter().copied().filter(|dim| dim.size != 1).collect();
    let rows = dims.iter().position(|dim| dim.stride >= columns).unwrap_or(dims.len());
    let (inner, outer) = dims.split_at(rows);
    let packed = |dims: &[Lying], unit: i64| {
        let shape: Vec<i64> = dims.iter().map(|dim| dim.size).collect();
        dims.iter().zip(contiguous(&shape)).all(|(dim, packed)| dim.stride == packed.stride * unit)
    };
    !inner.is_empty() && !outer.is_empty() && packed(inner, 1) && packed(outer, columns)
}

#[cfg(test)]
mod tests {
    use fornax_reference::{Limits, Scalar, Tensor, evaluate_devices};

    use super::*;
    use crate::example::{import, print};

    /// What becomes of a product of 4 rows and 6 columns, in f32, behind which `ops` make `%end`, of type `ty`.
    fn both(ops: &str, ty: &str) -> (Graph, Graph, bool) {
        let whole = import(&format!(
            "module attributes {{mhlo.num_partitions = 2 : i32}} {{
             func.func @main(%a: tensor<2x5x4xf32>, %b: tensor<2x5x6xf32>) -> tensor<{ty}> {{
               %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [0, 1]
                 : (tensor<2x5x4xf32>, tensor<2x5x6xf32>) -> tensor<4x6xf32>
               {ops}
               return %end : tensor<{ty}>
             }} }}"
        ));
        let mut graph = whole.clone();
        let changed = run(&mut graph, &Options::default()).unwrap();
        super::super::erase_unused::run(&mut graph, &Options::default()).unwrap();
        (whole, graph, changed)
    }

    fn sum(from: &str, kind: &str, (source, target): (&str, &str)) -> String {
        format!(
            "%sum = \"fornax.collective\"({from}) {{groups = [array<i64: 0, 1>], kind = \"{kind}\", reducer = \"add\"}}
               : (tensor<{source}>) -> tensor<{target}>"
        )
    }

    #[test]
    fn transposed_sums_are_those_of_transposed_products() {
        let plain = sum("%0", "all_reduce", ("4x6xf32", "4x6xf32"));
        let turn = "%end = stablehlo.transpose %sum, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>";
        let rounded = sum("%1", "all_reduce", ("4x6xbf16", "4x6xbf16"));
        let parts = sum("%2", "reduce_scatter", ("2x4x3xf32", "1x4x3xf32"));
        for (ops, ty) in [
            (format!("{plain} {turn}"), "6x4xf32"),
            (
                format!(
                    "%1 = stablehlo.convert %0 : (tensor<4x6xf32>) -> tensor<4x6xbf16> {rounded} {}",
                    turn.replace("f32", "bf16")
                ),
                "6x4xbf16",
            ),
            (
                format!(
                    "%1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
                     %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32> {parts}
                     %4 = stablehlo.reshape %sum : (tensor<1x4x3xf32>) -> tensor<4x3xf32>
                     %end = stablehlo.transpose %4, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>"
                ),
                "3x4xf32",
            ),
        ] {
            let (whole, graph, changed) = both(&ops, ty);
            assert!(changed && !print(&graph).contains("stablehlo.transpose"), "{}", print(&graph));
            let errors = fornax_graph::verify::verify(&graph);
            assert!(errors.is_empty(), "{}\n{}", errors[0], print(&graph));
            let input = |shape: &[usize], device: usize| {
                let value = |at: usize| Scalar::Float(((at * 3 + device * 5) % 7) as f64 - 2.0);
                Tensor::from_scalars(shape, ElementType::F32, (0..shape.iter().product()).map(value))
            };
            let inputs: Vec<Vec<Tensor>> =
                (0..2).map(|device| vec![input(&[2, 5, 4], device), input(&[2, 5, 6], device)]).collect();
            let limits = Limits::default();
            let [a, b] = [&whole, &graph].map(|graph| evaluate_devices(graph, "main", &inputs, &limits).unwrap());
            assert!(a == b, "{}", print(&graph));
        }
    }

    #[test]
    fn other_orders_and_readers_stay() {
        let plain = sum("%0", "all_reduce", ("4x6xf32", "4x6xf32"));
        let turn = "%end = stablehlo.transpose %sum, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>";
        let rows = sum("%1", "reduce_scatter", ("2x2x6xf32", "1x2x6xf32"));
        for (why, ops, ty) in [
            (
                "parts of rows",
                format!(
                    "%1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<2x2x6xf32> {rows}
                 %3 = stablehlo.reshape %sum : (tensor<1x2x6xf32>) -> tensor<2x6xf32>
                 %end = stablehlo.transpose %3, dims = [1, 0] : (tensor<2x6xf32>) -> tensor<6x2xf32>"
                ),
                "6x2xf32",
            ),
            ("two readers", format!("{plain} %9 = stablehlo.negate %sum : tensor<4x6xf32> {turn}"), "6x4xf32"),
            (
                "no product",
                format!("%1 = stablehlo.negate %0 : tensor<4x6xf32> {} {turn}", plain.replace("(%0)", "(%1)")),
                "6x4xf32",
            ),
        ] {
            assert!(!both(&ops, ty).2, "{why}");
        }
    }

    #[test]
    fn shapes_split_and_join_what_lies_together() {
        let dims =
            |pairs: &[(i64, i64)]| pairs.iter().map(|&(size, stride)| Lying { size, stride }).collect::<Vec<_>>();
        let matrix = contiguous(&[4, 6]);
        assert_eq!(reshaped(&matrix, &[4, 2, 3]), Some(dims(&[(4, 6), (2, 3), (3, 1)])));
        assert_eq!(reshaped(&matrix, &[1, 24]), Some(dims(&[(1, 1), (24, 1)])));
        assert_eq!(reshaped(&matrix, &[3, 8]), None);
        assert_eq!(reshaped(&dims(&[(6, 1), (4, 6)]), &[24]), None);
        assert_eq!(reshaped(&matrix, &[5, 5]), None);
        assert!(is_exchanged(&dims(&[(2, 3), (3, 1), (4, 6)]), 6));
        assert!(!is_exchanged(&dims(&[(2, 3), (4, 6), (3, 1)]), 6));
        assert!(!is_exchanged(&matrix, 6));
    }
}

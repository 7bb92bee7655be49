//! The first few elements of long sorted lines (`top_k`): only groups with the best maxima can hold them.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<60000xf32>) -> tensor<5xf32> {
//!   %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
//!   ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!     %1 = stablehlo.compare GT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %1 : tensor<i1>
//!   }) : (tensor<60000xf32>) -> tensor<60000xf32>
//!   %2 = stablehlo.slice %0 [0:5] : (tensor<60000xf32>) -> tensor<5xf32>
//!   return %2 : tensor<5xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<60000xf32>) -> tensor<5xf32> {
//!   %0 = stablehlo.bitcast_convert %arg0 : (tensor<60000xf32>) -> tensor<60000xi32>
//!   %1 = stablehlo.constant dense<31> : tensor<60000xi32>
//!   %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<60000xi32>
//!   %3 = stablehlo.constant dense<2147483647> : tensor<60000xi32>
//!   %4 = stablehlo.and %2, %3 : tensor<60000xi32>
//!   %5 = stablehlo.xor %0, %4 : tensor<60000xi32>
//!   %6 = stablehlo.constant dense<-2147483648> : tensor<i32>
//!   %7 = stablehlo.pad %5, %6, low = [0], high = [160], interior = [0] :
//!       (tensor<60000xi32>, tensor<i32>) -> tensor<60160xi32>
//!   %8 = stablehlo.reshape %7 : (tensor<60160xi32>) -> tensor<235x256xi32>
//!   %9 = stablehlo.constant dense<-2147483648> : tensor<i32>
//!   %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.maximum across dimensions = [1] :
//!       (tensor<235x256xi32>, tensor<i32>) -> tensor<235xi32>
//!   %11 = stablehlo.iota dim = 0 : tensor<235xi32>
//!   %12:2 = "stablehlo.sort"(%10, %11) <{dimension = 0 : i64, is_stable = true}> ({
//!   ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
//!     %13 = stablehlo.compare GT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %13 : tensor<i1>
//!   }) : (tensor<235xi32>, tensor<235xi32>) -> (tensor<235xi32>, tensor<235xi32>)
//!   %14 = stablehlo.slice %12#1 [0:5] : (tensor<235xi32>) -> tensor<5xi32>
//!   %15:2 = "stablehlo.sort"(%14, %14) <{dimension = 0 : i64, is_stable = true}> ({
//!   ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i32>, %arg8: tensor<i32>):
//!     %16 = stablehlo.compare LT, %arg5, %arg6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %16 : tensor<i1>
//!   }) : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>)
//!   %17 = stablehlo.constant dense<0xFFFFFFFF> : tensor<f32>
//!   %18 = stablehlo.pad %arg0, %17, low = [0], high = [160], interior = [0] :
//!       (tensor<60000xf32>, tensor<f32>) -> tensor<60160xf32>
//!   %19 = stablehlo.reshape %18 : (tensor<60160xf32>) -> tensor<235x256xf32>
//!   %20 = "stablehlo.gather"(%19, %15#0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
//!       collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 256>,
//!       indices_are_sorted = true}> : (tensor<235x256xf32>, tensor<5xi32>) -> tensor<5x256xf32>
//!   %21 = stablehlo.reshape %20 : (tensor<5x256xf32>) -> tensor<1280xf32>
//!   %22 = "fornax.sort_runs"(%21) <{dimension = 0 : i64, is_stable = true, runs = 1280 : i64}> ({
//!   ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
//!     %23 = stablehlo.compare GT, %arg9, %arg10, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %23 : tensor<i1>
//!   }) : (tensor<1280xf32>) -> tensor<1280xf32>
//!   %24 = stablehlo.slice %22 [0:5] : (tensor<1280xf32>) -> tensor<5xf32>
//!   return %24 : tensor<5xf32>
//! }
//! ```
//!
//! Of groups of 256 neighbours, those whose best element is among the k best of all groups hold the k first elements,
//! ties included: whatever is in another group has k elements before it. One pass over the line finds the best of every
//! group, two small sorts the groups, in ascending order, and a last selection looks at their elements only.
//!
//! Worked example: the first 100 of 16,777,216 f32: 65,536 maxima, of which the first 100; 25,600 elements are left.

use fornax_graph::{Class, ElementType, Graph, OpId, OpKind, ValueId};

use super::Site;
use super::insert::replace_op;
use super::sort_parts::{Extent, part, selection};
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::ops::{shape, tensor};
use crate::facts::scalar::{body, mask};

/// Elements of a group.
const GROUP: i64 = 256;
/// Elements of a line from which groups pay.
const LINE_MIN: i64 = 32 * 1024;
/// Groups for each one that is kept, at least.
const SHRINK: i64 = 4;

/// The order of a sort whose comparator compares one operand and nothing else.
struct Order {
    operand: usize,
    descending: bool,
}

/// Sorts only the candidates for the first elements of the lines of `op`, a `sort`, if groups pay.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some((line, keep)) = selection(graph, op, site)? else { return Ok(()) };
    let along = line.along;
    let data = graph.op(op).clone();
    let sizes = shape(graph, data.operands[0])?;
    let n = sizes[along];
    let groups = (n + GROUP - 1) / GROUP;
    let Some(order) = order(graph, op)? else { return Ok(()) };
    if along + 1 != sizes.len() || n < LINE_MIN || keep * SHRINK > groups || n > i64::from(i32::MAX) {
        return Ok(());
    }
    let element = tensor(graph, data.operands[order.operand])?.element;
    let Some(key_element) = integer_of(element) else { return Ok(()) };
    let mut at = Rewriter::before(graph, op);
    let key = integer_key(&mut at, data.operands[order.operand], (&sizes, element), key_element);
    // Padding comes last in the order.
    let signed = key_element.class() == Class::SignedInteger;
    let most = if signed { mask(key_element) >> 1 } else { mask(key_element) };
    let least = if signed { most + 1 } else { 0 };
    let last = if order.descending { least } else { most };
    let high = groups * GROUP - n;
    let key = at.longer(key, (along, high), last, (&sizes, key_element));
    let mut grouped = sizes.clone();
    grouped[along] = groups;
    grouped.push(GROUP);
    let key = at.op(OpKind::Reshape, &[key], (&grouped, key_element));
    let maxima = &grouped[..=along];
    let best = extremum(&mut at, key, (last, order.descending), (&grouped, key_element));
    let numbers = at.counter(along, (maxima, ElementType::I32));
    let direction = if order.descending { "GT" } else { "LT" };
    let [_, chosen] = at.sort((best, numbers), direction, (maxima, key_element));
    let chosen = at.part(chosen, (along, 0, keep), maxima);
    let mut kept = sizes.clone();
    kept[along] = keep;
    let [rows, _] = at.sort((chosen, chosen), "LT", (&kept, ElementType::I32));
    let mut operands = Vec::new();
    for &operand in &data.operands {
        let element = tensor(at.graph, operand)?.element;
        let whole = at.longer(operand, (along, high), worst(element, order.descending), (&sizes, element));
        let whole = at.op(OpKind::Reshape, &[whole], (&grouped, element));
        let few = at.rows(whole, rows, keep, (&grouped, element));
        let mut line = sizes.clone();
        line[along] = keep * GROUP;
        operands.push(at.op(OpKind::Reshape, &[few], (&line, element)));
    }
    let left = keep * GROUP;
    let extent = Extent { along, length: left };
    let values = match left > line.block {
        true => part(graph, op, OpKind::Sort, &operands, extent, &[])?,
        false => part(graph, op, OpKind::SortRuns, &operands, extent, &[("runs", left)])?,
    };
    replace_op(graph, site.entry, op, &values);
    Ok(())
}

/// The order that a comparator of one total comparison of one operand says.
fn order(graph: &Graph, op: OpId) -> Result<Option<Order>, PassError> {
    let block = graph.block(body(graph, op)?);
    let [compare, end] = block.ops.as_slice() else { return Ok(None) };
    let (compare, end) = (graph.op(*compare), graph.op(*end));
    let arguments = &block.arguments;
    let operand = (0..arguments.len() / 2).find(|&i| compare.operands == arguments[2 * i..2 * i + 2]);
    let direction = compare.attrs.keyword("comparison_direction");
    let descending = match direction {
        Some("GT") => true,
        Some("LT") => false,
        _ => return Ok(None),
    };
    let (Some(operand), true) = (operand, compare.kind == OpKind::Compare && end.operands == compare.results) else {
        return Ok(None);
    };
    let element = tensor(graph, graph.op(op).operands[operand])?.element;
    let total = !element.is_float() || compare.attrs.keyword("compare_type") == Some("TOTALORDER");
    Ok(total.then_some(Order { operand, descending }))
}

/// The integer type whose order is that of the elements.
fn integer_of(element: ElementType) -> Option<ElementType> {
    Some(match element {
        ElementType::F64 => ElementType::I64,
        ElementType::F32 => ElementType::I32,
        ElementType::F16 | ElementType::Bf16 => ElementType::I16,
        _ if element.class() == Class::SignedInteger || element.is_unsigned() => element,
        _ => return None,
    })
}

/// Integers in the total order of the elements: the bits, with all but the sign inverted in negative floats.
fn integer_key(
    at: &mut Rewriter<'_>,
    value: ValueId,
    (sizes, element): (&[i64], ElementType),
    to: ElementType,
) -> ValueId {
    if element == to {
        return value;
    }
    let of = (sizes, to);
    let bits = at.op(OpKind::BitcastConvert, &[value], of);
    let width = at.number(i64::from(to.bits()) - 1, of);
    let sign = at.op(OpKind::ShiftRightArithmetic, &[bits, width], of);
    let magnitude = at.bits(mask(to) >> 1, of);
    let flipped = at.op(OpKind::And, &[sign, magnitude], of);
    at.op(OpKind::Xor, &[bits, flipped], of)
}

/// Bits of the element that comes last in the order.
fn worst(element: ElementType, descending: bool) -> u64 {
    let all = mask(element);
    match (element.is_float(), element.is_unsigned(), descending) {
        // NaN with all bits: negative first, positive last in the total order.
        (true, _, true) => all,
        (true, _, false) => all >> 1,
        (_, true, true) => 0,
        (_, true, false) => all,
        (_, false, true) => (all >> 1) + 1,
        (_, false, false) => all >> 1,
    }
}

/// The best element of every group.
fn extremum(
    at: &mut Rewriter<'_>,
    key: ValueId,
    (last, descending): (u64, bool),
    (grouped, element): (&[i64], ElementType),
) -> ValueId {
    let init = at.bits(last, (&[], element));
    let kind = if descending { OpKind::Maximum } else { OpKind::Minimum };
    at.reduce(key, init, &[grouped.len() - 1], kind)
}

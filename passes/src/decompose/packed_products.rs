//! A product with weights that lie packed, several of them in a byte, becomes a sum of products: one for each part.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1x2x32xf32>, %arg1: tensor<8x2x16xui8>, %arg2: tensor<8x2xf32>) -> tensor<1x8xf32> {
//!   %0 = stablehlo.constant dense<15> : tensor<8x2x16xui8>
//!   %1 = stablehlo.constant dense<4> : tensor<8x2x16xui8>
//!   %2 = stablehlo.and %arg1, %0 : tensor<8x2x16xui8>
//!   %3 = stablehlo.shift_right_logical %arg1, %1 : tensor<8x2x16xui8>
//!   %4 = stablehlo.concatenate %2, %3, dim = 2 : (tensor<8x2x16xui8>, tensor<8x2x16xui8>) -> tensor<8x2x32xui8>
//!   %5 = stablehlo.convert %4 : (tensor<8x2x32xui8>) -> tensor<8x2x32xf32>
//!   %6 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x32xf32>
//!   %7 = stablehlo.multiply %5, %6 : tensor<8x2x32xf32>
//!   %8 = stablehlo.dot_general %arg0, %7, contracting_dims = [1, 2] x [1, 2] :
//!     (tensor<1x2x32xf32>, tensor<8x2x32xf32>) -> tensor<1x8xf32>
//!   return %8 : tensor<1x8xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<1x2x32xf32>, %arg1: tensor<8x2x16xui8>, %arg2: tensor<8x2xf32>) -> tensor<1x8xf32> {
//!   %0 = stablehlo.constant dense<15> : tensor<8x2x16xui8>
//!   %1 = stablehlo.constant dense<4> : tensor<8x2x16xui8>
//!   %2 = stablehlo.and %arg1, %0 : tensor<8x2x16xui8>
//!   %3 = stablehlo.shift_right_logical %arg1, %1 : tensor<8x2x16xui8>
//!   %4 = stablehlo.concatenate %2, %3, dim = 2 : (tensor<8x2x16xui8>, tensor<8x2x16xui8>) -> tensor<8x2x32xui8>
//!   %5 = stablehlo.convert %4 : (tensor<8x2x32xui8>) -> tensor<8x2x32xf32>
//!   %6 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x32xf32>
//!   %7 = stablehlo.multiply %5, %6 : tensor<8x2x32xf32>
//!   %8 = stablehlo.convert %2 : (tensor<8x2x16xui8>) -> tensor<8x2x16xf32>
//!   %9 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x16xf32>
//!   %10 = stablehlo.multiply %8, %9 : tensor<8x2x16xf32>
//!   %11 = stablehlo.slice %arg0 [0:1, 0:2, 0:16] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
//!   %12 = stablehlo.dot_general %11, %10, contracting_dims = [1, 2] x [1, 2] :
//!       (tensor<1x2x16xf32>, tensor<8x2x16xf32>) -> tensor<1x8xf32>
//!   %13 = stablehlo.convert %3 : (tensor<8x2x16xui8>) -> tensor<8x2x16xf32>
//!   %14 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x16xf32>
//!   %15 = stablehlo.multiply %13, %14 : tensor<8x2x16xf32>
//!   %16 = stablehlo.slice %arg0 [0:1, 0:2, 16:32] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
//!   %17 = stablehlo.dot_general %16, %15, contracting_dims = [1, 2] x [1, 2] :
//!       (tensor<1x2x16xf32>, tensor<8x2x16xf32>) -> tensor<1x8xf32>
//!   %18 = stablehlo.add %12, %17 : tensor<1x8xf32>
//!   return %18 : tensor<1x8xf32>
//! }
//! ```
//!
//! Input: a GEMV whose long operand is made, element by element, of a concatenation along a dimension that is
//! contracted, of parts of equal size that are made of fewer bytes than they have; or of bytes that are repeated along
//! such a dimension and shifted by the number there. Output: products of the parts, which the kernel adds up as it
//! reads each byte once (`fuse::products`).
//!
//! Worked examples: the above, GGUF's Q4_0 with two blocks a row: 16 low nibbles, 16 high ones. Q6_K, `[2, 2, 2, 2,
//! 16]` elements of a block: bytes `[2, 1, 2, 2, 16]` have the lower bits of two, bytes `[2, 1, 1, 2, 16]` the upper
//! ones of four: cut along the second and the third dimension these are four products.

use std::collections::BTreeSet;

use fornax_graph::views::{dim_list, dot_dims};
use fornax_graph::{ElementType, Graph, OpId, OpKind, Type, ValueId};

use super::insert::{copy_of, replace_op};
use super::{Machines, Site};
use crate::errors::PassError;
use crate::facts::dequantized::{Rows, is_cheap, most_elements, narrow_operand, source_bytes};
use crate::facts::ops::{before_widening, shape, splat_bits, tensor};
use crate::facts::picked;
use crate::rewrite::Rewriter;
use crate::rewrite::build::ints;

/// Parts at most: eight weights of a bit in a byte.
const PARTS_MAX: usize = 8;
/// Parts of repeated bytes at most: a kernel holds what each is multiplied by. Source: Q6_K, eight layers of Llama 3.1
/// 8B and a small last matrix, one H200: two parts 0.576 ms, four 0.546.
const REPEATED_MAX: usize = 4;

/// Numbers that every type of whole numbers has.
const SMALL_MAX: u64 = 127;

/// A dimension of parts, how many there are and the size of each.
#[derive(Clone, Copy)]
struct Cut {
    dimension: usize,
    count: usize,
    size: i64,
}

/// Multiplies the parts of packed weights one by one.
pub(super) fn run(graph: &mut Graph, product: OpId, site: &Site) -> Result<(), PassError> {
    if site.is_claimed(product) {
        return Ok(());
    }
    let Some(long) = narrow_operand(graph, product, Rows::Few) else { return Ok(()) };
    let cuts = packed(graph, long, site.machines)?;
    if cuts.is_empty() {
        return Ok(());
    }
    let data = graph.op(product);
    let (numbers, at) = (dot_dims(data), usize::from(data.operands.first() != Some(&long)));
    let (own, others) = match at {
        0 => (&numbers.lhs_contract, &numbers.rhs_contract),
        _ => (&numbers.rhs_contract, &numbers.lhs_contract),
    };
    let place = |cut: &Cut| others.get(own.iter().position(|&d| d == cut.dimension)?).copied();
    let (Some(places), other) = (cuts.iter().map(place).collect::<Option<Vec<usize>>>(), data.operands[1 - at]) else {
        return Ok(());
    };
    let sizes = shape(graph, other)?.to_vec();
    let (narrow, element) = (before_widening(graph, other), tensor(graph, other)?.element);
    let result = tensor(graph, graph.op(product).results[0])?.clone();
    // A sum of 16-bit floats is rounded once, as the product was.
    let sums = if result.element.is_narrow_float() { ElementType::F32 } else { result.element };
    let mut sum = None;
    for number in 0..cuts.iter().map(|cut| cut.count).product::<usize>() {
        let mut rewriter = Rewriter::before(graph, product);
        let (mut weights, mut factors, mut sizes, mut rest) = (long, narrow, sizes.clone(), number);
        for (&cut, &place) in cuts.iter().zip(&places).rev() {
            let part = rest % cut.count;
            rest /= cut.count;
            let Some(of_part) = part_of(&mut rewriter, weights, (cut, part))? else { return Ok(()) };
            weights = of_part;
            let low = cut.size * part as i64;
            factors = rewriter.part(factors, (place, low, low + cut.size), &sizes);
            sizes[place] = cut.size;
        }
        let factors = rewriter.convert(factors, element);
        let mut new = copy_of(rewriter.graph, product);
        new.operands = if at == 0 { vec![weights, factors] } else { vec![factors, weights] };
        new.result_types = vec![Type::Tensor(result.with_element(sums))];
        let next = rewriter.put(new);
        sum = Some(match sum {
            None => next,
            Some(sum) => rewriter.binary(OpKind::Add, sum, next),
        });
    }
    if let Some(sum) = sum {
        let sum = Rewriter::before(graph, product).convert(sum, result.element);
        replace_op(graph, site.entry, product, &[sum]);
    }
    Ok(())
}

/// The cuts of a value by which parts of it are made of the same bytes, element by element: along a concatenation of
/// parts with fewer bytes behind them, or where bytes are repeated; none where there is nothing of the kind.
/// Processors store elements of several bytes (`facts::dequantized`).
fn packed(graph: &Graph, value: ValueId, machines: Machines) -> Result<Vec<Cut>, PassError> {
    let (mut next, mut seen, mut repeats) = (vec![value], BTreeSet::new(), Vec::new());
    while let Some(value) = next.pop() {
        let Some(op) = graph.producer(value).filter(|_| seen.insert(value)) else { continue };
        let data = graph.op(op);
        match data.kind {
            OpKind::Concatenate if (2..=PARTS_MAX).contains(&data.operands.len()) => {
                let dimension = data.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
                let size = |&part: &ValueId| Ok(shape(graph, part)?.get(dimension).copied());
                let sizes = data.operands.iter().map(size).collect::<Result<BTreeSet<_>, PassError>>()?;
                let (Some(&Some(size)), 1) = (sizes.first(), sizes.len()) else { continue };
                let whole = source_bytes(graph, &[value]).filter(|_| size > 0);
                if whole.zip(source_bytes(graph, &data.operands)).is_some_and(|(whole, parts)| parts < whole) {
                    return Ok(vec![Cut { dimension, size, count: data.operands.len() }]);
                }
            }
            OpKind::Reshape => {}
            OpKind::BroadcastInDim if machines != Machines::Hosts => repeats.extend(repeated(graph, op)?),
            OpKind::BroadcastInDim => {}
            kind if is_cheap(kind) => next.extend(&data.operands),
            _ => next.extend(picked::table(graph, op)),
        }
    }
    Ok(along(repeats, most_elements(graph, value)))
}

/// A dimension along which bytes are repeated, and how many.
struct Repeat {
    cut: Cut,
    elements: f64,
}

/// The dimensions along which an op repeats bytes a few times. What more elements have in common, such as a block's
/// scale, is no part of each.
fn repeated(graph: &Graph, broadcast: OpId) -> Result<Vec<Repeat>, PassError> {
    let data = graph.op(broadcast);
    let (operand, result) = (tensor(graph, data.operands[0])?, tensor(graph, data.results[0])?);
    let (Some(from), Some(to)) = (operand.static_shape(), result.static_shape()) else { return Ok(Vec::new()) };
    let count = |shape: &[i64]| shape.iter().map(|&size| size as f64).product::<f64>();
    if operand.element.storage_bytes() != 1 || count(&to) > count(&from) * PARTS_MAX as f64 {
        return Ok(Vec::new());
    }
    let placed = dim_list(data, "broadcast_dimensions").into_iter().zip(&from);
    let ones = placed.filter(|&(dimension, &size)| size == 1 && to.get(dimension).is_some_and(|&size| size > 1));
    let all = ones.map(|(dimension, _)| Repeat {
        cut: Cut { dimension, size: 1, count: usize::try_from(to[dimension]).unwrap_or(usize::MAX) },
        elements: count(&from),
    });
    Ok(all.collect())
}

/// The cuts along which bytes are repeated, `most` of all bytes among them, and others while parts are few. Then bytes
/// of which each part has a bit are not read again for parts either.
fn along(repeats: Vec<Repeat>, most: f64) -> Vec<Cut> {
    let is_first = |repeat: &&Repeat| repeat.elements >= most && repeat.cut.count <= REPEATED_MAX;
    let mut cuts: Vec<Cut> = repeats.iter().find(is_first).map(|repeat| repeat.cut).into_iter().collect();
    if cuts.is_empty() {
        return cuts;
    }
    for Repeat { cut, .. } in repeats {
        let parts: usize = cuts.iter().map(|cut| cut.count).product();
        let is_new = cuts.iter().all(|known| known.dimension != cut.dimension);
        if is_new && parts.saturating_mul(cut.count) <= REPEATED_MAX {
            cuts.push(cut);
        }
    }
    cuts
}

/// A part of a value along the cut, made of the same parts of what it is made of.
fn part_of(rewriter: &mut Rewriter<'_>, value: ValueId, at: (Cut, usize)) -> Result<Option<ValueId>, PassError> {
    let (cut, part) = at;
    let mut sizes = shape(rewriter.graph, value)?.to_vec();
    let whole = sizes.clone();
    let Some(size) = sizes.get_mut(cut.dimension) else { return Ok(None) };
    *size = cut.size;
    let element = tensor(rewriter.graph, value)?.element;
    if let Some(bits) = splat_bits(rewriter.graph, value) {
        return Ok(Some(rewriter.bits(bits, (&sizes, element))));
    }
    let Some(op) = rewriter.graph.producer(value) else { return Ok(None) };
    let data = rewriter.graph.op(op).clone();
    match data.kind {
        OpKind::Concatenate => {
            // Another one may join other parts, or along another dimension.
            let found = data.operands.get(part).copied();
            let of_part = found.map(|found| shape(rewriter.graph, found)).transpose()?;
            let along = data.attrs.int("dimension").and_then(|d| usize::try_from(d).ok());
            let count = whole.get(cut.dimension).copied().unwrap_or(0) / cut.size;
            let same = along == Some(cut.dimension) && data.operands.len() as i64 == count;
            Ok(found.filter(|_| same && of_part.as_deref() == Some(&sizes[..])))
        }
        OpKind::Iota => {
            let along = data.attrs.int("iota_dimension").and_then(|d| usize::try_from(d).ok());
            let low = cut.size * part as i64;
            if along == Some(cut.dimension) {
                return Ok((cut.size == 1).then(|| rewriter.number(low, (&sizes, element))));
            }
            let mut new = copy_of(rewriter.graph, op);
            new.result_types = vec![Type::tensor(&sizes[..], element)];
            Ok(Some(rewriter.put(new)))
        }
        OpKind::BroadcastInDim => {
            let to = dim_list(&data, "broadcast_dimensions");
            let mut operand = data.operands[0];
            if let Some(from) = to.iter().position(|&d| d == cut.dimension) {
                let all = shape(rewriter.graph, operand)?.to_vec();
                if all.get(from) == whole.get(cut.dimension) {
                    let low = cut.size * part as i64;
                    operand = rewriter.part(operand, (from, low, low + cut.size), &all);
                }
            }
            let shape: Vec<_> = sizes.iter().map(|&n| n.into()).collect();
            Ok(Some(rewriter.broadcast(operand, &to, &shape)))
        }
        OpKind::Gather if cut.dimension > 0 && picked::table(rewriter.graph, op).is_some() => {
            let Some(table) = part_of(rewriter, data.operands[0], at)? else { return Ok(None) };
            let mut new = copy_of(rewriter.graph, op);
            new.operands[0] = table;
            let window: Vec<i64> = std::iter::once(1).chain(sizes.iter().skip(1).copied()).collect();
            new.attrs.set("slice_sizes", ints(&window));
            new.result_types = vec![Type::tensor(&sizes[..], element)];
            Ok(Some(rewriter.put(new)))
        }
        kind if is_cheap(kind) && kind != OpKind::Reshape => {
            let mut new = copy_of(rewriter.graph, op);
            for operand in &mut new.operands {
                let Some(part) = part_of(rewriter, *operand, at)? else { return Ok(None) };
                *operand = part;
            }
            if let Some(bits) = folded(rewriter.graph, (kind, element), &new.operands)? {
                return Ok(Some(rewriter.bits(bits, (&sizes, element))));
            }
            new.result_types = vec![Type::tensor(&sizes[..], element)];
            Ok(Some(rewriter.put(new)))
        }
        _ => Ok(None),
    }
}

/// What an op makes of small whole numbers that are the same in every element: where those of one part are counted.
fn folded(
    graph: &Graph,
    (kind, element): (OpKind, ElementType),
    operands: &[ValueId],
) -> Result<Option<u64>, PassError> {
    let is_whole = |element: ElementType| element.is_integer() && element.bits() >= 8;
    let mut numbers = Vec::new();
    for &operand in operands {
        let small = splat_bits(graph, operand).filter(|&bits| bits <= SMALL_MAX);
        let Some(bits) = small.filter(|_| is_whole(element)) else { return Ok(None) };
        if !is_whole(tensor(graph, operand)?.element) {
            return Ok(None);
        }
        numbers.push(bits);
    }
    let made = match (kind, &numbers[..]) {
        (OpKind::Convert, &[a]) => a,
        (OpKind::Add, &[a, b]) => a + b,
        (OpKind::Multiply, &[a, b]) => a * b,
        _ => return Ok(None),
    };
    Ok(Some(made).filter(|&made| made <= SMALL_MAX))
}

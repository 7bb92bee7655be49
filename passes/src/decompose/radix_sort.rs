//! Long sorts by a total order of keys become a radix sort: for every eight bits of the key, lowest first, the counts
//! of digits in tiles, their prefix sums, and a stable distribution.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<600000xi8>) -> tensor<600000xi8> {
//!   %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
//!   ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
//!     %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
//!     stablehlo.return %1 : tensor<i1>
//!   }) : (tensor<600000xi8>) -> tensor<600000xi8>
//!   return %0 : tensor<600000xi8>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<600000xi8>) -> tensor<600000xi8> {
//!   %0 = "fornax.radix_count"(%arg0) <{dimension = 0 : i64, is_stable = true, digit_shift = 0 : i64, tile = 4096 :
//!       i64}> ({
//!   ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
//!     %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
//!     stablehlo.return %1 : tensor<i1>
//!   }) : (tensor<600000xi8>) -> tensor<256x147xi32>
//!   %2 = stablehlo.reshape %0 : (tensor<256x147xi32>) -> tensor<37632xi32>
//!   %3 = stablehlo.constant dense<0> : tensor<i32>
//!   %4 = "stablehlo.reduce_window"(%2, %3) <{window_dimensions = array<i64: 37632>, padding = dense<[[37631, 0]]> :
//!       tensor<1x2xi64>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations =
//!       array<i64: 1>}> ({
//!   ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
//!     %5 = stablehlo.add %arg3, %arg4 : tensor<i32>
//!     stablehlo.return %5 : tensor<i32>
//!   }) : (tensor<37632xi32>, tensor<i32>) -> tensor<37632xi32>
//!   %6 = stablehlo.subtract %4, %2 : tensor<37632xi32>
//!   %7 = stablehlo.reshape %6 : (tensor<37632xi32>) -> tensor<256x147xi32>
//!   %8 = "fornax.radix_distribute"(%arg0, %7) <{dimension = 0 : i64, is_stable = true, digit_shift = 0 : i64, tile =
//!       4096 : i64}> ({
//!   ^bb0(%arg5: tensor<i8>, %arg6: tensor<i8>):
//!     %9 = stablehlo.compare LT, %arg5, %arg6, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
//!     stablehlo.return %9 : tensor<i1>
//!   }) : (tensor<600000xi8>, tensor<256x147xi32>) -> tensor<600000xi8>
//!   return %8 : tensor<600000xi8>
//! }
//! ```
//!
//! Worked example: 16,777,216 f32: 4 passes; tiles of 4096 give counts `[256, 4096]`, whose exclusive prefix sums in
//! that order say where the elements of each digit and tile go.

use fornax_graph::{ElementType, Graph, OpId, OpKind, Type};

use super::insert::replace_op;
use super::sort_parts::{Line, part_of};
use super::{Site, three_pass_scan};
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::ops::{shape, tensor};
use crate::facts::sort_keys::key_bits;
use crate::facts::sorting::register_bytes;
use fornax_plan::radix::{DIGIT_BITS, DIGITS};

/// Tiles, and the bytes that an element may have in the shared memory that is left.
const TILES: &[(i64, i64)] = &[(4096, 8), (2048, 17), (1024, 36)];

/// Elements of a line below which tiles are smaller, so that more workgroups share it. One H200, 131,072 keys of 16
/// bits: 25.6 µs with tiles of 2048, 25.8 with 4096; 262,144 keys: 32.2 and 30.8.
const LONG: i64 = 1 << 18;
const SHORT_TILE: i64 = 2048;

/// Splits `op`, a `sort` along the last dimension, where that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some(Line { along, .. }) = Line::of(graph, op)? else { return Ok(()) };
    let data = graph.op(op).clone();
    let sizes = shape(graph, data.operands[0])?;
    let n = sizes[along];
    let mut bytes = 0;
    for &operand in &data.operands {
        bytes += register_bytes(tensor(graph, operand)?.element);
    }
    // A line has two tiles at least.
    let halved = |tile: i64| std::iter::successors(Some(tile), |t| Some(t / 2)).find(|t| 2 * t <= n.max(2));
    let tile = TILES.iter().find(|t| bytes <= t.1).and_then(|t| halved(t.0));
    let tile = tile.map(|tile| if n < LONG { tile.min(SHORT_TILE) } else { tile });
    let Some(tile) = tile.filter(|_| along + 1 == sizes.len() && n <= i64::from(i32::MAX)) else { return Ok(()) };
    let Some(bits) = key_bits(graph, op)?.filter(|&bits| n >= site.machines.radix_line_min(bits)) else {
        return Ok(());
    };
    let tiles = (n + tile - 1) / tile;
    let mut values = data.operands.clone();
    for shift in (0..bits).step_by(DIGIT_BITS as usize) {
        let pass = [("digit_shift", i64::from(shift)), ("tile", tile)];
        let mut counted = sizes[..along].to_vec();
        counted.extend([DIGITS, tiles]);
        let types = vec![Type::tensor(&counted, ElementType::I32)];
        let counts = part_of(graph, (op, OpKind::RadixCount), &values, types, &pass)[0];
        let mut flat = sizes[..along].to_vec();
        flat.push(DIGITS * tiles);
        let of = (flat.as_slice(), ElementType::I32);
        let mut at = Rewriter::before(graph, op);
        let counts = at.op(OpKind::Reshape, &[counts], of);
        let sums = three_pass_scan::prefix_sum(&mut at, counts, along, of);
        let starts = at.op(OpKind::Subtract, &[sums, counts], of);
        let starts = at.op(OpKind::Reshape, &[starts], (&counted, ElementType::I32));
        let types = data.operands.iter().map(|&v| graph.ty(v).clone()).collect();
        values.push(starts);
        values = part_of(graph, (op, OpKind::RadixDistribute), &values, types, &pass);
    }
    replace_op(graph, site.entry, op, &values);
    Ok(())
}

//! A long sum over devices of a product is that of several products, of a piece of the rows each: what the first ones
//! make goes to the other devices while the last one is made.
//!
//! Before:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<2048x1024xbf16>, %arg1: tensor<1024x4096xbf16>) -> tensor<2048x4096xbf16> {
//!   %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] :
//!       (tensor<2048x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<2048x4096xbf16>
//!   %1 = "fornax.collective"(%0) {groups = [array<i64: 0, 1>], kind = "all_reduce", reducer = "add"} :
//!       (tensor<2048x4096xbf16>) -> tensor<2048x4096xbf16>
//!   return %1 : tensor<2048x4096xbf16>
//! }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<2048x1024xbf16>, %arg1: tensor<1024x4096xbf16>) -> tensor<2048x4096xbf16> {
//!   %0 = stablehlo.slice %arg0 [0:1024, 0:1024] : (tensor<2048x1024xbf16>) -> tensor<1024x1024xbf16>
//!   %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] :
//!       (tensor<1024x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<1024x4096xbf16>
//!   %2 = stablehlo.slice %arg0 [1024:2048, 0:1024] : (tensor<2048x1024xbf16>) -> tensor<1024x1024xbf16>
//!   %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0] :
//!       (tensor<1024x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<1024x4096xbf16>
//!   %4 = "fornax.collective"(%1, %3) {groups = [array<i64: 0, 1>], kind = "all_reduce", reducer = "add"} :
//!       (tensor<1024x4096xbf16>, tensor<1024x4096xbf16>) -> tensor<2048x4096xbf16>
//!   return %4 : tensor<2048x4096xbf16>
//! }
//! }
//! ```
//!
//! Input: an `all_reduce` between two devices, or a `reduce_scatter` between some, whose operand is a product, maybe
//! converted and reshaped, that nothing else reads. Output: the same with one operand a piece, which lie one behind the
//! other in one buffer (`program/collectives.rs`). What of it is sent ahead, and which piece a device makes last, is
//! the driver's matter (`drivers/cuda/collectives/ahead.rs`). More than two devices make an `all_reduce` in two steps,
//! which send less than all pieces of all.
//!
//! The pieces of a `reduce_scatter` are the parts of its devices: each sends those of the others while it makes its
//! own. Those of an `all_reduce` are the largest number of [`PIECES`]. A piece
//! * has [`PIECE_BYTES`] at least,
//! * makes the waves of block tiles on the device no more than they were,
//! * takes at least a part of the time, [`HIDDEN_PART`], that its bytes take over the link.
//!
//! Behind which a long product stands that does not read it stays whole: it is sent while that one is made
//! (`decompose/late_collectives`).
//!
//! Worked example: the above. 16 by 16 tiles of 128 × 256 on 132 multiprocessors are two waves; two pieces of 8 by 16
//! are one each, four would be four.

use fornax_graph::views::dot_dims;
use fornax_graph::{Attr, Graph, OpId, OpKind, TensorType, Type, ValueId};
use fornax_targets::fitted::collectives::{
    CUT_TILE, CUT_UNITS, HIDDEN_PART, LINK_COST, OPS_A_BYTE, PARTS_AHEAD, PIECE_BYTES, SENT_AHEAD,
};

use super::insert::{copy_of, replace_op};
use super::late_collectives::is_hidden;
use super::{Machines, Site};
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::rewrite::Rewriter;

/// Numbers of pieces of a sum that all devices get, the best first.
const PIECES: [i64; 2] = [4, 2];

/// What is worth a cut.
#[derive(Clone, Copy)]
struct Least {
    /// Of a piece.
    bytes: u64,
    /// Rows and columns of a block tile, and how many are made at a time.
    tile: (i64, i64),
    units: i64,
    /// A piece takes this part of the time of its bytes over the link.
    hidden: u64,
}

const LEAST: Least = Least { bytes: PIECE_BYTES, tile: CUT_TILE, units: CUT_UNITS, hidden: HIDDEN_PART };

/// Cuts the collective `op`, where there may be GPUs.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let stays = site.machines == Machines::Hosts || is_hidden(graph, op)?;
    if stays { Ok(()) } else { cut(graph, op, site, LEAST) }
}

fn cut(graph: &mut Graph, op: OpId, site: &Site, least: Least) -> Result<(), PassError> {
    let Some(cut) = Cut::of(graph, op, site, least)? else { return Ok(()) };
    let mut rewriter = Rewriter::before(graph, op);
    let pieces: Vec<ValueId> = (0..cut.pieces).map(|at| cut.piece(&mut rewriter, at)).collect();
    let mut new = copy_of(rewriter.graph, op);
    new.operands = pieces;
    let rows = cut.rows / if cut.is_scattered { cut.pieces } else { 1 };
    new.result_types = vec![Type::tensor(&[rows, cut.inner], cut.element.element)];
    let all = rewriter.put(new);
    let result = tensor(rewriter.graph, rewriter.graph.op(op).results[0])?.clone();
    let all = rewriter.reshape(all, &result.shape);
    replace_op(graph, site.entry, op, &[all]);
    for gone in cut.chain.into_iter().rev() {
        graph.erase_op(gone);
    }
    Ok(())
}

/// How a collective is cut.
struct Cut {
    /// From the product to the collective's operand: the product, conversions, reshapes.
    chain: Vec<OpId>,
    /// Which operand of the product has the rows, along which of its dimensions, and where the product's result has
    /// them.
    side: usize,
    dimension: usize,
    at: usize,
    pieces: i64,
    /// Each device gets one of the pieces.
    is_scattered: bool,
    rows: i64,
    /// Elements of a row.
    inner: i64,
    /// Of the collective's operand.
    element: TensorType,
}

impl Cut {
    fn of(graph: &Graph, op: OpId, site: &Site, least: Least) -> Result<Option<Cut>, PassError> {
        let data = graph.op(op);
        let &[operand] = data.operands.as_slice() else { return Ok(None) };
        let Some((numbers, is_scattered)) = numbers_of_pieces(graph, op) else { return Ok(None) };
        let element = tensor(graph, operand)?.clone();
        // Before the readers of all values are counted: most sums are short.
        let least_pieces = numbers.iter().min().copied().unwrap_or(1).unsigned_abs();
        let long = |&bytes: &u64| bytes / least_pieces >= least.bytes;
        let Some(bytes) = element.bytes().filter(long) else { return Ok(None) };
        let Some(chain) = chain(graph, operand, site) else { return Ok(None) };
        let Some(&product) = chain.first() else { return Ok(None) };
        let dims = dot_dims(graph.op(product));
        let result = tensor(graph, graph.op(product).results[0])?;
        let Some(shape) = result.static_shape() else { return Ok(None) };
        // The outermost dimension: its pieces lie one behind the other.
        let Some(at) = shape.iter().position(|&extent| extent > 1) else { return Ok(None) };
        let free = |side: usize| -> Result<Vec<usize>, PassError> {
            let taken = match side {
                0 => [&dims.lhs_batch, &dims.lhs_contract],
                _ => [&dims.rhs_batch, &dims.rhs_contract],
            };
            let rank = tensor(graph, graph.op(product).operands[side])?.rank();
            Ok((0..rank).filter(|d| !taken.iter().any(|all| all.contains(d))).collect())
        };
        let (left, right) = (free(0)?, free(1)?);
        let Some(number) = at.checked_sub(dims.lhs_batch.len()) else { return Ok(None) };
        let found = match left.get(number) {
            Some(&dimension) => Some((0, dimension)),
            None => right.get(number - left.len()).map(|&dimension| (1, dimension)),
        };
        let Some((side, dimension)) = found else { return Ok(None) };
        let (rows, inner) = (shape[at], shape.iter().skip(at + 1).product::<i64>());
        let first = tensor(graph, graph.op(product).operands[0])?;
        let depth = dims.lhs_contract.iter().filter_map(|&d| first.static_shape()?.get(d).copied()).product::<i64>();
        let pays = |pieces: &i64| least.allows(*pieces, (rows, inner, depth), bytes);
        let pieces = numbers.into_iter().find(pays);
        Ok(pieces.map(|pieces| Cut { chain, side, dimension, at, pieces, is_scattered, rows, inner, element }))
    }

    /// Piece `number` of the collective's operand: rows and columns.
    fn piece(&self, rw: &mut Rewriter, number: i64) -> ValueId {
        let product = self.chain[0];
        let mut new = copy_of(rw.graph, product);
        let operand = new.operands[self.side];
        let length = self.rows / self.pieces;
        let sizes = rw.shape(operand).unwrap_or_default();
        let mut result = rw.shape(rw.graph.op(product).results[0]).unwrap_or_default();
        result[self.at] = length;
        new.operands[self.side] = rw.part(operand, (self.dimension, number * length, (number + 1) * length), &sizes);
        let element = rw.tensor(rw.graph.op(product).results[0]).map_or(self.element.element, |ty| ty.element);
        new.result_types = vec![Type::tensor(&result, element)];
        let mut value = rw.put(new);
        for &op in &self.chain[1..] {
            if let Some(ty) = rw.tensor(rw.graph.op(op).results[0]) {
                let element = ty.element;
                value = rw.convert(value, element);
            }
        }
        rw.reshape(value, &[length, self.inner])
    }
}

impl Least {
    /// Whether a product of `rows` × `columns` × `depth`, which is `bytes` long, is worth so many pieces.
    fn allows(self, pieces: i64, (rows, columns, depth): (i64, i64, i64), bytes: u64) -> bool {
        let (tile_rows, tile_columns) = self.tile;
        let tiles = |rows: i64| (rows / tile_rows).saturating_mul(columns / tile_columns).unsigned_abs();
        let waves = |rows: i64| tiles(rows).div_ceil(self.units.unsigned_abs().max(1));
        let (all, piece) = (waves(rows), waves(rows / pieces));
        let pieces = pieces as u64;
        // Operations of a piece, and bytes over the link, both as bytes of memory.
        let made = (rows.unsigned_abs() / pieces)
            .saturating_mul(columns.unsigned_abs())
            .saturating_mul(depth.unsigned_abs())
            .saturating_mul(2)
            / OPS_A_BYTE;
        let sent = (bytes / pieces).saturating_mul(LINK_COST);
        rows % (pieces as i64 * tile_rows) == 0
            && columns % tile_columns == 0
            && bytes / pieces >= self.bytes
            && piece * pieces <= all
            && made >= sent / self.hidden
    }
}

/// In how many pieces a sum may be made, the best first, and whether each device gets one of them; `None` where it is
/// made at once.
fn numbers_of_pieces(graph: &Graph, op: OpId) -> Option<(Vec<i64>, bool)> {
    let devices = group_size(graph, op)?;
    match graph.op(op).attrs.str("kind")? {
        "all_reduce" if devices == SENT_AHEAD => Some((PIECES.to_vec(), false)),
        "reduce_scatter" if (2..=PARTS_AHEAD).contains(&devices) => Some((vec![devices as i64], true)),
        _ => None,
    }
}

/// Devices of each group; `None` where groups differ.
fn group_size(graph: &Graph, op: OpId) -> Option<usize> {
    let Some(Attr::Array(rows)) = graph.op(op).attrs.get("groups") else { return None };
    let mut sizes = rows.iter().map(|row| row.as_ints().map(|group| group.len()));
    let first = sizes.next()??;
    sizes.all(|size| size == Some(first)).then_some(first)
}

/// The product that a value is, and the conversions and reshapes behind it: each with one reader.
fn chain(graph: &Graph, mut value: ValueId, site: &Site) -> Option<Vec<OpId>> {
    let mut reads = std::collections::HashMap::new();
    graph.walk(site.entry, &mut |op| {
        graph.op(op).operands.iter().for_each(|&v| *reads.entry(v).or_insert(0) += 1);
    });
    let mut chain = Vec::new();
    loop {
        let op = graph.producer(value).filter(|_| reads.get(&value) == Some(&1))?;
        chain.insert(0, op);
        match graph.op(op).kind {
            OpKind::Convert | OpKind::Reshape => value = *graph.op(op).operands.first()?,
            OpKind::DotGeneral if !site.is_claimed(op) => return Some(chain),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use fornax_graph::ElementType;
    use fornax_reference::{Limits, Scalar, Tensor, evaluate_devices};

    use super::*;
    use crate::example::{import, print};

    /// A sum of a product of so many rows, columns and steps, on two devices, converted and in a shape of its own.
    fn model(sizes: (i64, i64, i64)) -> String {
        summed(sizes, ("all_reduce", "1, 0"), sizes.0)
    }

    /// The same whose devices, two or three, get a part of the rows each.
    fn scattered(sizes: (i64, i64, i64), devices: i64) -> String {
        let group = if devices == 2 { "1, 0" } else { "1, 2, 0" };
        summed(sizes, ("reduce_scatter", group), sizes.0 / devices)
    }

    fn summed((rows, columns, depth): (i64, i64, i64), (kind, group): (&str, &str), left: i64) -> String {
        let devices = group.split(',').count();
        format!(
            "module attributes {{mhlo.num_partitions = {devices} : i32}} {{
             func.func @main(%a: tensor<1x{rows}x{depth}xbf16>, %b: tensor<{columns}x{depth}xbf16>)
                 -> tensor<{left}x{columns}xbf16> {{
               %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [1]
                 : (tensor<1x{rows}x{depth}xbf16>, tensor<{columns}x{depth}xbf16>) -> tensor<1x{rows}x{columns}xf32>
               %1 = stablehlo.convert %0 : (tensor<1x{rows}x{columns}xf32>) -> tensor<1x{rows}x{columns}xbf16>
               %2 = stablehlo.reshape %1 : (tensor<1x{rows}x{columns}xbf16>) -> tensor<{rows}x{columns}xbf16>
               %3 = \"fornax.collective\"(%2) {{groups = [array<i64: {group}>], kind = \"{kind}\", reducer = \"add\"}}
                 : (tensor<{rows}x{columns}xbf16>) -> tensor<{left}x{columns}xbf16>
               return %3 : tensor<{left}x{columns}xbf16>
             }} }}"
        )
    }

    /// The model, and what is left of it.
    fn both(text: &str, least: Least) -> (Graph, Graph) {
        let whole = import(text);
        let mut graph = whole.clone();
        let entry = graph.entry(graph.function("main").unwrap()).unwrap();
        let site = Site {
            entry,
            machines: Machines::Any,
            attention: Vec::new(),
            bodies: Default::default(),
            given: Default::default(),
            readers: Default::default(),
        };
        let ops = graph.block(entry).ops.clone();
        for op in ops.into_iter().filter(|op| whole.op(*op).kind == OpKind::Collective) {
            cut(&mut graph, op, &site, least).unwrap();
        }
        let errors = fornax_graph::verify::verify(&graph);
        assert!(errors.is_empty(), "{}\n{}", errors[0], print(&graph));
        (whole, graph)
    }

    fn products(graph: &Graph) -> usize {
        print(graph).matches("dot_general").count()
    }

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let sizes = (24, 6, 3);
        for (text, devices, (units, pieces)) in [
            (model(sizes), 2, (12, 2)),
            (model(sizes), 2, (6, 4)),
            (scattered(sizes, 2), 2, (4, 2)),
            (scattered(sizes, 3), 3, (4, 3)),
        ] {
            let least = Least { bytes: 64, tile: (2, 3), units, hidden: u64::MAX };
            let (whole, cut) = both(&text, least);
            assert_eq!(products(&cut), pieces, "{}", print(&cut));
            let input = |shape: &[usize], device: usize| {
                let value = |at: usize| Scalar::Float(((at * 3 + device * 5) % 7) as f64 - 2.0);
                Tensor::from_scalars(shape, ElementType::Bf16, (0..shape.iter().product()).map(value))
            };
            let of = |device: usize| vec![input(&[1, 24, 3], device), input(&[6, 3], device)];
            let inputs: Vec<Vec<Tensor>> = (0..devices).map(of).collect();
            let limits = Limits::default();
            let [a, b] = [&whole, &cut].map(|graph| evaluate_devices(graph, "main", &inputs, &limits).unwrap());
            assert!(a == b, "{pieces} of {devices}");
        }
    }

    #[test]
    fn what_a_cut_would_slow_stays_whole() {
        let pieces = |text: &str| products(&both(text, LEAST).1);
        assert_eq!(pieces(&scattered((8192, 4096, 2048), 2)), 2);
        assert_eq!(pieces(&scattered((1024, 4096, 2048), 2)), 1);
        assert_eq!(pieces(&model((2048, 4096, 2048))), 2);
        assert_eq!(pieces(&model((8192, 4096, 2048))), 4);
        let sum = model((2048, 4096, 2048));
        let permute = sum.replace("all_reduce", "permute").replace(", reducer = \"add\"", "");
        for (why, text) in [
            ("few tiles", model((1024, 4096, 2048))),
            ("no whole tiles", model((2048 + 128, 4096, 2048))),
            ("three waves would be four", model((2560, 4096, 2048))),
            ("nothing to hide behind", model((2048, 4096, 64))),
            ("no sum", permute),
            ("one device", sum.replace("array<i64: 1, 0>", "array<i64: 0>, array<i64: 1>")),
        ] {
            assert_eq!(pieces(&text), 1, "{why}");
        }
    }
}

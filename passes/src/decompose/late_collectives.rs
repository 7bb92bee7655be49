//! A collective between devices stands as late as its result is wanted, not as early as it could be: its bytes go to
//! the other devices while kernels between run, and what is gathered takes no memory meanwhile.
//!
//! Before:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
//!   %0 = stablehlo.sine %arg0 : tensor<4x8xf32>
//!   %1 = "fornax.collective"(%0) {groups = [array<i64: 0, 1>], kind = "all_gather"} :
//!       (tensor<4x8xf32>) -> tensor<8x8xf32>
//!   %2 = stablehlo.cosine %arg1 : tensor<8x8xf32>
//!   %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] :
//!       (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
//!   return %3 : tensor<8x8xf32>
//! }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {mhlo.num_partitions = 2 : i32} {
//! func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
//!   %0 = stablehlo.sine %arg0 : tensor<4x8xf32>
//!   %1 = stablehlo.cosine %arg1 : tensor<8x8xf32>
//!   %2 = "fornax.collective"(%0) {groups = [array<i64: 0, 1>], kind = "all_gather"} :
//!       (tensor<4x8xf32>) -> tensor<8x8xf32>
//!   %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] :
//!       (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
//!   return %3 : tensor<8x8xf32>
//! }
//! }
//! ```
//!
//! Input: a collective. Output: the same before a later op of its block.
//! * `all_gather` and `permute`: before the first op that reads it, itself or in a region. Where its operand is only
//!   another element type of an argument of the block, and no product stands between, that conversion opens the block:
//!   else nothing would run while it is sent.
//! * A long `all_reduce` or `reduce_scatter`: behind the next product that does not read it, if that comes first. Not
//!   further: what is sent waits in memory that the next one needs.
//!
//! Sending it ahead is the driver's matter (`runtime/src/hal/ahead.rs`). Devices meet in the same order everywhere: all
//! have the same program.
//!
//! Worked example: a training step whose weights are cut converts all of them first. Each layer's are gathered when the
//! layer begins: those of a 1B decoder take 33 MB instead of 1.1 GB, and only the parts of 0.55 GB wait.

use fornax_graph::views::dot_dims;
use fornax_graph::{Graph, OpId, OpKind, ValueId};
use fornax_targets::fitted::collectives::{AHEAD_BYTES, LINK_COST, OPS_A_BYTE};

use super::{Machines, Site};
use crate::errors::PassError;
use crate::facts::ops::tensor;

/// Moves the collective `op` behind what does not read it.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some(wanted) = Wanted::of(graph, op) else { return Ok(()) };
    let between = wanted.products(graph);
    let before = match graph.op(op).attrs.str("kind") {
        Some("all_gather" | "permute") => {
            if between.is_empty() {
                convert_first(graph, op);
            }
            wanted.first
        }
        Some("all_reduce" | "reduce_scatter") if site.machines != Machines::Hosts => {
            let sent = tensor(graph, graph.op(op).results[0])?.bytes();
            if between.is_empty() || sent.is_none_or(|bytes| bytes < AHEAD_BYTES) {
                return Ok(());
            }
            between.get(1).copied().unwrap_or(wanted.first)
        }
        _ => return Ok(()),
    };
    let ops = &mut graph.blocks[graph.ops[op.index()].block.index()].ops;
    let Some(place) = ops.iter().position(|&other| other == before) else { return Ok(()) };
    let (head, tail) = ops.split_at(place);
    let moved = |other: &OpId| wanted.moved.contains(other);
    let (along, stay): (Vec<OpId>, Vec<OpId>) = head.iter().partition(|other| moved(other));
    *ops = [stay.as_slice(), &along, tail].concat();
    Ok(())
}

/// Whether the next product behind a collective takes longer than its bytes do over the link.
pub(super) fn is_hidden(graph: &Graph, op: OpId) -> Result<bool, PassError> {
    let products = Wanted::of(graph, op).map_or(Vec::new(), |wanted| wanted.products(graph));
    let Some(&product) = products.first() else { return Ok(false) };
    let elements = tensor(graph, graph.op(product).results[0])?.elements();
    let left = tensor(graph, graph.op(product).operands[0])?;
    let along = dot_dims(graph.op(product)).lhs_contract;
    let depth = left.static_shape().map(|sizes| along.iter().filter_map(|&d| sizes.get(d)).product::<i64>());
    let sent = tensor(graph, graph.op(op).results[0])?.bytes();
    let (Some(elements), Some(depth), Some(sent)) = (elements, depth, sent) else { return Ok(false) };
    let made = (elements as u64).saturating_mul(depth.unsigned_abs()).saturating_mul(2) / OPS_A_BYTE;
    Ok(made >= sent.saturating_mul(LINK_COST))
}

/// When the result of a collective is wanted.
struct Wanted {
    /// The collective, and what only changes the element type, the shape or the order of its elements behind it: these
    /// move together.
    moved: Vec<OpId>,
    /// What stands between the collective and its first reader, without these.
    between: Vec<OpId>,
    first: OpId,
}

impl Wanted {
    /// `None` where nothing of the block wants it.
    fn of(graph: &Graph, op: OpId) -> Option<Wanted> {
        let behind = graph.block(graph.op(op).block).ops.iter().copied().skip_while(|&other| other != op).skip(1);
        let mut values = graph.op(op).results.clone();
        let (mut moved, mut between) = (vec![op], Vec::new());
        for other in behind {
            if !reads(graph, other, &values) {
                between.push(other);
                continue;
            }
            let data = graph.op(other);
            if !matches!(data.kind, OpKind::Convert | OpKind::Reshape | OpKind::Transpose) {
                return Some(Wanted { moved, between, first: other });
            }
            values.extend(&data.results);
            moved.push(other);
        }
        None
    }

    /// The products between.
    fn products(&self, graph: &Graph) -> Vec<OpId> {
        self.between.iter().copied().filter(|&op| graph.op(op).kind == OpKind::DotGeneral).collect()
    }
}

/// Whether an op reads one of these, itself or in a region.
fn reads(graph: &Graph, op: OpId, values: &[ValueId]) -> bool {
    let own = |op: OpId| graph.op(op).operands.iter().any(|operand| values.contains(operand));
    let mut found = own(op);
    for &inner in graph.op(op).regions.iter().flat_map(|&region| &graph.region(region).blocks) {
        graph.walk(inner, &mut |inner| found |= own(inner));
    }
    found
}

/// Puts the conversion of an argument that a collective sends before all ops of its block.
fn convert_first(graph: &mut Graph, op: OpId) {
    let made = graph.op(op).operands.first().and_then(|&operand| graph.producer(operand));
    let Some(made) = made.filter(|&made| graph.op(made).kind == OpKind::Convert) else { return };
    let (data, block) = (graph.op(made), graph.op(op).block);
    let is_argument = data.operands.iter().all(|operand| graph.block(block).arguments.contains(operand));
    if data.block == block && is_argument {
        let ops = &mut graph.blocks[block.index()].ops;
        ops.retain(|&other| other != made);
        ops.insert(0, made);
    }
}

#[cfg(test)]
mod tests {
    use fornax_graph::ElementType;
    use fornax_reference::{Limits, Scalar, Tensor, evaluate_devices};

    use crate::decompose::{Machines, Which, decompose};
    use crate::example::{import, print};

    /// What becomes of a model, which gives the same; the words must stand in it in this order.
    fn moved(text: &str, machines: Machines, words: &[&str]) {
        let graph = import(text);
        let after = decompose(&graph, Which::Only("late_collectives"), machines, &mut crate::observe::Nobody).unwrap();
        let printed = print(&after);
        let input = |ty: &fornax_graph::TensorType, device: usize| {
            let shape: Vec<usize> = ty.static_shape().unwrap().iter().map(|&n| n as usize).collect();
            let value = |at: usize| Scalar::Float(((at * 3 + device * 5) % 7) as f64 - 2.0);
            Tensor::from_scalars(&shape, ElementType::F32, (0..shape.iter().product()).map(value))
        };
        let entry = graph.entry(graph.function("main").unwrap()).unwrap();
        let types: Vec<_> = graph.block(entry).arguments.iter().map(|&v| graph.ty(v).as_tensor().unwrap()).collect();
        let inputs: Vec<Vec<Tensor>> = (0..2).map(|d| types.iter().map(|ty| input(ty, d)).collect()).collect();
        let [a, b] =
            [&graph, &after].map(|graph| evaluate_devices(graph, "main", &inputs, &Limits::default()).unwrap());
        assert!(a == b, "{printed}");
        let mut rest = printed.as_str();
        for word in words {
            rest = rest.split_once(word).unwrap_or_else(|| panic!("{word}: {printed}")).1;
        }
    }

    #[test]
    fn gathers_of_one_reader_stand_before_it() {
        let text = "module attributes {mhlo.num_partitions = 2 : i32} {
             func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
               %0 = \"fornax.collective\"(%a) {groups = [array<i64: 0, 1>], kind = \"all_gather\"}
                 : (tensor<4x8xf32>) -> tensor<8x8xf32>
               %1 = \"fornax.collective\"(%b) {groups = [array<i64: 0, 1>], kind = \"all_gather\"}
                 : (tensor<4x8xf32>) -> tensor<8x8xf32>
               %2 = stablehlo.sine %a : tensor<4x8xf32>
               %3 = stablehlo.add %0, %1 : tensor<8x8xf32>
               %4 = stablehlo.slice %3 [0:4, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
               %5 = stablehlo.add %2, %4 : tensor<4x8xf32>
               %6 = stablehlo.concatenate %5, %4, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
               return %6 : tensor<8x8xf32>
             } }";
        moved(text, Machines::Any, &["sine", "\"(%arg0)", "\"(%arg1)", "stablehlo.add"]);
    }

    #[test]
    fn a_conversion_that_is_gathered_at_once_opens_its_block() {
        let text = "module attributes {mhlo.num_partitions = 2 : i32} {
             func.func @main(%a: tensor<8x8xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xbf16> {
               %0 = stablehlo.convert %a : (tensor<8x8xf32>) -> tensor<8x8xbf16>
               %1 = stablehlo.sine %0 : tensor<8x8xbf16>
               %2 = stablehlo.convert %b : (tensor<4x8xf32>) -> tensor<4x8xbf16>
               %3 = \"fornax.collective\"(%2) {groups = [array<i64: 0, 1>], kind = \"all_gather\"}
                 : (tensor<4x8xbf16>) -> tensor<8x8xbf16>
               %4 = stablehlo.add %1, %3 : tensor<8x8xbf16>
               return %4 : tensor<8x8xbf16>
             } }";
        moved(text, Machines::Any, &["convert %arg1", "convert %arg0", "sine", "fornax.collective"]);
    }

    /// A sum, its transposition, two products behind it, then its reader.
    fn sum(rows: i64) -> String {
        let (whole, transposed) = (format!("tensor<{rows}x1024xf32>"), format!("tensor<1024x{rows}xf32>"));
        let small = "tensor<4x4xf32>";
        format!(
            "module attributes {{mhlo.num_partitions = 2 : i32}} {{
             func.func @main(%a: {whole}, %b: {small}) -> ({transposed}, {small}) {{
               %0 = \"fornax.collective\"(%a) {{groups = [array<i64: 0, 1>], kind = \"all_reduce\", reducer = \"add\"}}
                 : ({whole}) -> {whole}
               %1 = stablehlo.transpose %0, dims = [1, 0] : ({whole}) -> {transposed}
               %2 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : ({small}, {small}) -> {small}
               %3 = stablehlo.sine %2 : {small}
               %4 = stablehlo.dot_general %3, %b, contracting_dims = [1] x [0] : ({small}, {small}) -> {small}
               %5 = stablehlo.cosine %1 : {transposed}
               return %5, %4 : {transposed}, {small}
             }} }}"
        )
    }

    #[test]
    fn a_long_sum_stands_behind_the_next_product() {
        let words = ["dot_general", "sine", "fornax.collective", "transpose", "dot_general", "cosine"];
        moved(&sum(256), Machines::Gpus, &words);
        // Short ones stay, and those of a processor.
        for (rows, machines) in [(128, Machines::Gpus), (256, Machines::Hosts)] {
            moved(&sum(rows), machines, &["fornax.collective", "transpose", "dot_general"]);
        }
    }
}

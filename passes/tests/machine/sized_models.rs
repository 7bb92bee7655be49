//! Models with sizes known only at run time: one program, many sizes, in the interpreter and in the emulator, against
//! the reference evaluator on the model of each size.
//!
//! A model is written with the sizes 97 and 89 where it shall have the symbols `b` and `s`; sizes that are multiples of
//! them become expressions. Values are those of a static model of the size at hand.

use fornax_graph::{Dim, Graph, Type};
use fornax_passes::{Options, Planned, fuse, plan, simplify};
use fornax_reference::{Limits, Tensor, evaluate};
use fornax_targets::Target;

use super::machine::compare::{close, import, inputs};
use super::machine::{Given, run_sized};

/// What stands for `b` and for `s`.
const PLACES: [i64; 2] = [97, 89];

/// A planned model whose sizes are symbols.
fn sized(text: &str, target: &str) -> (Graph, Planned) {
    let mut graph = import(text);
    simplify::simplify(&mut graph, &simplify::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    // Long sorts and scatters of windows are cut, and attention is found, before ops are grouped.
    let scatters = text.contains("stablehlo.scatter") && !text.contains("stablehlo.gather");
    let early = text.contains("stablehlo.sort") || scatters || text == ATTENTION;
    if early {
        name_sizes(&mut graph);
    }
    let mut fused = fuse(&graph).unwrap_or_else(|e| panic!("{e}"));
    if !early {
        name_sizes(&mut fused);
    }
    let target = Target::from_spec(target).unwrap();
    let planned = plan(&fused, &target, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    (fused, planned)
}

/// Puts symbols in the place of the sizes that stand for them.
fn name_sizes(graph: &mut Graph) {
    let symbols = [graph.argument_dim(0, 0, "b", (0, i64::MAX)), graph.argument_dim(0, 1, "s", (0, 1 << 20))];
    for at in 0..graph.values.len() {
        let Some(mut ty) = graph.values[at].ty.as_tensor().cloned() else { continue };
        for dim in &mut ty.shape {
            let Dim::Static(n) = *dim else { continue };
            let place = PLACES.iter().zip(symbols).find(|(place, _)| n != 0 && n % *place == 0);
            if let Some((place, symbol)) = place {
                *dim = graph.dim_mul(symbol, Dim::Static(n / place));
            }
        }
        graph.values[at].ty = Type::Tensor(ty);
    }
}

fn check(name: &str, text: &str, (b, s): (i64, i64), emulate: &[&str], interpret: &[&str]) {
    // A gather of rows needs one.
    let b = if text.contains("gather") { b.max(1) } else { b };
    // Windows fit into what they are scattered into.
    let (b, s) = if name.starts_with("windows") { (b.max(3), s.max(3)) } else { (b, s) };
    let sizes: &[i64] = &[b, s][..if text.contains("89") { 2 } else { 1 }];
    let own = text.replace("388", &(4 * b).to_string()).replace("194", &(2 * b).to_string());
    let own = own.replace("97", &b.to_string()).replace("89", &s.to_string());
    let graph = import(&own);
    let inputs: Vec<Tensor> = inputs(&graph);
    let want = evaluate(&graph, "main", &inputs, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let runs = emulate.iter().map(|t| (t, true)).chain(interpret.iter().map(|t| (t, false)));
    for (target, emulated) in runs {
        let (fused, planned) = sized(text, target);
        let device = Target::from_spec(target).unwrap();
        let device = emulated.then_some(&device);
        let given = Given { inputs: &inputs, parameters: &[], sizes };
        let got = run_sized(&fused, &planned, device, "main", given);
        for (n, (bytes, want)) in got.into_iter().zip(&want).enumerate() {
            let got = Tensor::new(want.ty.clone(), bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            close(&got, want, &format!("{name} on {target} with b = {b}, s = {s}, result {n}"));
        }
    }
}

const MODELS: &[(&str, &str)] = &[
    (
        "elementwise with a broadcast",
        "func.func @main(%x: tensor<97x12xf32>, %y: tensor<12xf32>) -> tensor<97x12xf32> {
           %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<12xf32>) -> tensor<97x12xf32>
           %1 = stablehlo.multiply %x, %0 : tensor<97x12xf32>
           %2 = stablehlo.sine %1 : tensor<97x12xf32>
           return %2 : tensor<97x12xf32>
         }",
    ),
    (
        "two sizes, transposed and reshaped",
        "func.func @main(%x: tensor<97x89x4xf32>) -> (tensor<89x97x4xf32>, tensor<388x89xf32>) {
           %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<97x89x4xf32>) -> tensor<89x97x4xf32>
           %1 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<97x89x4xf32>) -> tensor<97x4x89xf32>
           %2 = stablehlo.reshape %1 : (tensor<97x4x89xf32>) -> tensor<388x89xf32>
           return %0, %2 : tensor<89x97x4xf32>, tensor<388x89xf32>
         }",
    ),
    (
        "sums over either side",
        "func.func @main(%x: tensor<97x20xf32>) -> (tensor<97xf32>, tensor<20xf32>) {
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] \
               : (tensor<97x20xf32>, tensor<f32>) -> tensor<97xf32>
           %1 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] \
               : (tensor<97x20xf32>, tensor<f32>) -> tensor<20xf32>
           return %0, %1 : tensor<97xf32>, tensor<20xf32>
         }",
    ),
    (
        "softmax over a size",
        "func.func @main(%x: tensor<97x89xf32>) -> tensor<97x89xf32> {
           %n = stablehlo.constant dense<0xFF800000> : tensor<f32>
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.reduce(%x init: %n) applies stablehlo.maximum across dimensions = [1] \
               : (tensor<97x89xf32>, tensor<f32>) -> tensor<97xf32>
           %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<97xf32>) -> tensor<97x89xf32>
           %2 = stablehlo.subtract %x, %1 : tensor<97x89xf32>
           %3 = stablehlo.exponential %2 : tensor<97x89xf32>
           %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] \
               : (tensor<97x89xf32>, tensor<f32>) -> tensor<97xf32>
           %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<97xf32>) -> tensor<97x89xf32>
           %6 = stablehlo.divide %3, %5 : tensor<97x89xf32>
           return %6 : tensor<97x89xf32>
         }",
    ),
    (
        "softmax of a batch of rows",
        "func.func @main(%x: tensor<97x40xbf16>) -> (tensor<97x40xbf16>, tensor<97xbf16>) {
           %n = stablehlo.constant dense<0xFF80> : tensor<bf16>
           %z = stablehlo.constant dense<0.0> : tensor<bf16>
           %0 = stablehlo.reduce(%x init: %n) applies stablehlo.maximum across dimensions = [1] \
               : (tensor<97x40xbf16>, tensor<bf16>) -> tensor<97xbf16>
           %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<97xbf16>) -> tensor<97x40xbf16>
           %2 = stablehlo.subtract %x, %1 : tensor<97x40xbf16>
           %3 = stablehlo.exponential %2 : tensor<97x40xbf16>
           %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] \
               : (tensor<97x40xbf16>, tensor<bf16>) -> tensor<97xbf16>
           %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<97xbf16>) -> tensor<97x40xbf16>
           %6 = stablehlo.divide %3, %5 : tensor<97x40xbf16>
           return %6, %0 : tensor<97x40xbf16>, tensor<97xbf16>
         }",
    ),
    (
        "two products with an activation",
        "func.func @main(%x: tensor<97x24xf32>, %w: tensor<24x40xf32>, %v: tensor<40x8xf32>) -> tensor<97x8xf32> {
           %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
               : (tensor<97x24xf32>, tensor<24x40xf32>) -> tensor<97x40xf32>
           %1 = stablehlo.tanh %0 : tensor<97x40xf32>
           %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] \
               : (tensor<97x40xf32>, tensor<40x8xf32>) -> tensor<97x8xf32>
           return %2 : tensor<97x8xf32>
         }",
    ),
    (
        "products on matrix instructions",
        "func.func @main(%x: tensor<97x64xbf16>, %w: tensor<64x48xbf16>, %v: tensor<40x48xbf16>) \
             -> (tensor<97x40xf32>, tensor<40x97xf32>) {
           %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
               : (tensor<97x64xbf16>, tensor<64x48xbf16>) -> tensor<97x48xf32>
           %1 = stablehlo.convert %0 : (tensor<97x48xf32>) -> tensor<97x48xbf16>
           %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [1] \
               : (tensor<97x48xbf16>, tensor<40x48xbf16>) -> tensor<97x40xf32>
           %3 = stablehlo.dot_general %v, %1, contracting_dims = [1] x [1] \
               : (tensor<40x48xbf16>, tensor<97x48xbf16>) -> tensor<40x97xf32>
           return %2, %3 : tensor<97x40xf32>, tensor<40x97xf32>
         }",
    ),
    (
        "batched products of sizes on both sides",
        "func.func @main(%x: tensor<97x2x89x32xbf16>, %y: tensor<97x2x89x32xbf16>) -> tensor<97x2x89x89xf32> {
           %0 = stablehlo.dot_general %x, %y, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] \
               : (tensor<97x2x89x32xbf16>, tensor<97x2x89x32xbf16>) -> tensor<97x2x89x89xf32>
           return %0 : tensor<97x2x89x89xf32>
         }",
    ),
    (
        "a product over a size, batched over another",
        "func.func @main(%x: tensor<97x89x6xf32>, %y: tensor<97x89x5xf32>) -> tensor<97x6x5xf32> {
           %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] \
               : (tensor<97x89x6xf32>, tensor<97x89x5xf32>) -> tensor<97x6x5xf32>
           return %0 : tensor<97x6x5xf32>
         }",
    ),
    (
        "pad, concatenate, slice and reverse",
        "func.func @main(%x: tensor<97x5xf32>, %y: tensor<97x3xf32>, %v: tensor<f32>) \
             -> (tensor<97x12xf32>, tensor<194x5xf32>, tensor<97x5xf32>) {
           %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<97x5xf32>, tensor<97x3xf32>) -> tensor<97x8xf32>
           %1 = stablehlo.pad %0, %v, low = [0, 1], high = [0, 3], interior = [0, 0] \
               : (tensor<97x8xf32>, tensor<f32>) -> tensor<97x12xf32>
           %2 = stablehlo.reverse %x, dims = [0, 1] : tensor<97x5xf32>
           %3 = stablehlo.concatenate %x, %2, dim = 0 : (tensor<97x5xf32>, tensor<97x5xf32>) -> tensor<194x5xf32>
           return %1, %3, %2 : tensor<97x12xf32>, tensor<194x5xf32>, tensor<97x5xf32>
         }",
    ),
    (
        "gather and scatter along a size",
        "func.func @main(%x: tensor<97x6xf32>, %i: tensor<7x1xi32>, %u: tensor<7x6xf32>) \
             -> (tensor<7x6xf32>, tensor<97x6xf32>) {
           %0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], \
               collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, \
               slice_sizes = array<i64: 1, 6>}> : (tensor<97x6xf32>, tensor<7x1xi32>) -> tensor<7x6xf32>
           %1 = \"stablehlo.scatter\"(%x, %i, %u) \
               <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], \
               scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
             ^bb0(%a: tensor<f32>, %c: tensor<f32>):
               %2 = stablehlo.add %a, %c : tensor<f32>
               stablehlo.return %2 : tensor<f32>
           }) : (tensor<97x6xf32>, tensor<7x1xi32>, tensor<7x6xf32>) -> tensor<97x6xf32>
           return %0, %1 : tensor<7x6xf32>, tensor<97x6xf32>
         }",
    ),
    (
        "a stable sort along a size",
        "func.func @main(%x: tensor<97xi32>) -> (tensor<97xi32>, tensor<97xi32>) {
           %i = stablehlo.iota dim = 0 : tensor<97xi32>
           %0:2 = \"stablehlo.sort\"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
             ^bb0(%a: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>):
               %1 = stablehlo.compare LT, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %1 : tensor<i1>
           }) : (tensor<97xi32>, tensor<97xi32>) -> (tensor<97xi32>, tensor<97xi32>)
           return %0#0, %0#1 : tensor<97xi32>, tensor<97xi32>
         }",
    ),
    (
        "convolution of a batch",
        "func.func @main(%x: tensor<97x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<97x4x4x4xf32> {
           %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
               window = {stride = [2, 2], pad = [[1, 0], [1, 0]]} {batch_group_count = 1 : i64, \
               feature_group_count = 1 : i64} : (tensor<97x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<97x4x4x4xf32>
           return %0 : tensor<97x4x4x4xf32>
         }",
    ),
    (
        "argmax and a window",
        "func.func @main(%x: tensor<97x9xf32>) -> (tensor<97xi32>, tensor<97x4xf32>) {
           %n = stablehlo.constant dense<0xFF800000> : tensor<f32>
           %z = stablehlo.constant dense<0> : tensor<i32>
           %i = stablehlo.iota dim = 1 : tensor<97x9xi32>
           %0:2 = stablehlo.reduce(%x init: %n), (%i init: %z) across dimensions = [1] \
               : (tensor<97x9xf32>, tensor<97x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<97xf32>, tensor<97xi32>)
            reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
             %1 = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
             %2 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<f32>
             %3 = stablehlo.select %1, %b, %d : tensor<i1>, tensor<i32>
             stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
           }
           %4 = \"stablehlo.reduce_window\"(%x, %n) \
               <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
             ^bb0(%a: tensor<f32>, %c: tensor<f32>):
               %5 = stablehlo.maximum %a, %c : tensor<f32>
               stablehlo.return %5 : tensor<f32>
           }) : (tensor<97x9xf32>, tensor<f32>) -> tensor<97x4xf32>
           return %0#1, %4 : tensor<97xi32>, tensor<97x4xf32>
         }",
    ),
    (
        "a sum of one line at every element of another",
        "func.func @main(%x: tensor<97xi32>, %y: tensor<97xi32>) -> tensor<97xi32> {
           %0 = stablehlo.constant dense<0> : tensor<i32>
           %1 = stablehlo.reduce(%x init: %0) applies stablehlo.xor across dimensions = [0] \
               : (tensor<97xi32>, tensor<i32>) -> tensor<i32>
           %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<97xi32>
           %3 = stablehlo.shift_right_arithmetic %y, %2 : tensor<97xi32>
           return %3 : tensor<97xi32>
         }",
    ),
    (
        "windows scattered along sizes",
        "func.func @main(%x: tensor<97x5xf32>, %i: tensor<194x1xi32>, %u: tensor<194x3x5xf32>) -> tensor<97x5xf32> {
           %1 = \"stablehlo.scatter\"(%x, %i, %u) \
               <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], \
               scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
             ^bb0(%a: tensor<f32>, %c: tensor<f32>):
               %2 = stablehlo.add %a, %c : tensor<f32>
               stablehlo.return %2 : tensor<f32>
           }) : (tensor<97x5xf32>, tensor<194x1xi32>, tensor<194x3x5xf32>) -> tensor<97x5xf32>
           return %1 : tensor<97x5xf32>
         }",
    ),
    (
        "windows of which a part is left out, the vector first",
        "func.func @main(%x: tensor<97x89xf32>, %i: tensor<2x97xi32>, %u: tensor<2x97x3xf32>) -> tensor<97x89xf32> {
           %1 = \"stablehlo.scatter\"(%x, %i, %u) \
               <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2], \
               scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>}> ({
             ^bb0(%a: tensor<f32>, %c: tensor<f32>):
               %2 = stablehlo.add %a, %c : tensor<f32>
               stablehlo.return %2 : tensor<f32>
           }) : (tensor<97x89xf32>, tensor<2x97xi32>, tensor<2x97x3xf32>) -> tensor<97x89xf32>
           return %1 : tensor<97x89xf32>
         }",
    ),
    (
        "batches scattered along a size",
        "func.func @main(%x: tensor<97x89xf32>, %i: tensor<97x7xi32>, %u: tensor<97x7xf32>) -> tensor<97x89xf32> {
           %1 = \"stablehlo.scatter\"(%x, %i, %u) \
               <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], \
               scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
             ^bb0(%a: tensor<f32>, %c: tensor<f32>):
               %2 = stablehlo.add %a, %c : tensor<f32>
               stablehlo.return %2 : tensor<f32>
           }) : (tensor<97x89xf32>, tensor<97x7xi32>, tensor<97x7xf32>) -> tensor<97x89xf32>
           return %1 : tensor<97x89xf32>
         }",
    ),
];

#[test]
fn one_program_for_all_sizes() {
    for (name, text) in MODELS {
        for sizes in [(0, 3), (1, 1), (5, 7), (37, 2)] {
            check(name, text, sizes, &[], &["cpu:x86-64-v3", "cuda:sm_90"]);
        }
    }
}

#[test]
fn kernels_of_all_sizes_in_the_emulator() {
    for (name, text) in MODELS {
        for sizes in [(0, 3), (5, 7), (67, 1)] {
            check(name, text, sizes, &["cuda:sm_60", "cuda:sm_80"], &[]);
        }
    }
}

#[test]
fn products_keep_matrix_instructions() {
    let schedules = |at: usize, target: &str| -> Vec<String> {
        let (_, planned) = sized(MODELS[at].1, target);
        planned.kernels.iter().map(|plan| plan.way()).collect()
    };
    for (at, target) in [(6, "cuda:sm_80"), (6, "cuda:sm_90"), (7, "cuda:sm_80")] {
        let ways = schedules(at, target);
        let products = ways.iter().filter(|way| way.starts_with("mma")).count();
        assert!(products > 0, "{} on {target}: {ways:?}", MODELS[at].0);
    }
}

/// Where only the batch is a size, rows are shared by threads and products are tiled as ever.
#[test]
fn batches_of_all_sizes_share_work() {
    for (at, target, way) in [
        (3, "cuda:sm_80", "row"),
        (4, "cuda:sm_80", "row"),
        (4, "cpu:x86-64-v3", "row"),
        (5, "cpu:x86-64-v3", "panel"),
        (5, "cuda:sm_60", "tile"),
    ] {
        let (_, planned) = sized(MODELS[at].1, target);
        let ways: Vec<String> = planned.kernels.iter().map(|plan| plan.way()).collect();
        assert!(ways.iter().any(|w| w.starts_with(way)), "{} on {target}: {ways:?}", MODELS[at].0);
    }
}

/// Softmax between two products, of any batch and any length.
const ATTENTION: &str = "func.func @main(%q: tensor<97x89x2x32xbf16>, %k: tensor<97x89x2x32xbf16>, \
                             %v: tensor<97x89x2x32xbf16>) -> tensor<97x2x89x32xbf16> {
           %n = stablehlo.constant dense<0xFF800000> : tensor<f32>
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] \
               : (tensor<97x89x2x32xbf16>, tensor<97x89x2x32xbf16>) -> tensor<97x2x89x89xf32>
           %1 = stablehlo.reduce(%0 init: %n) applies stablehlo.maximum across dimensions = [3] \
               : (tensor<97x2x89x89xf32>, tensor<f32>) -> tensor<97x2x89xf32>
           %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<97x2x89xf32>) -> tensor<97x2x89x89xf32>
           %3 = stablehlo.subtract %0, %2 : tensor<97x2x89x89xf32>
           %4 = stablehlo.exponential %3 : tensor<97x2x89x89xf32>
           %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [3] \
               : (tensor<97x2x89x89xf32>, tensor<f32>) -> tensor<97x2x89xf32>
           %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<97x2x89xf32>) -> tensor<97x2x89x89xf32>
           %7 = stablehlo.divide %4, %6 : tensor<97x2x89x89xf32>
           %8 = stablehlo.convert %7 : (tensor<97x2x89x89xf32>) -> tensor<97x2x89x89xbf16>
           %9 = stablehlo.dot_general %8, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] \
               : (tensor<97x2x89x89xbf16>, tensor<97x89x2x32xbf16>) -> tensor<97x2x89x32xbf16>
           return %9 : tensor<97x2x89x32xbf16>
         }";

#[test]
fn attention_of_all_sizes_is_one_kernel() {
    let kernels = sized(ATTENTION, "cuda:sm_80").1.kernels;
    let ways: Vec<String> = kernels.iter().map(|plan| plan.way()).collect();
    assert!(kernels.len() == 1 && kernels[0].body.hero() == "attention", "{ways:?}");
    for sizes in [(0, 3), (1, 1), (3, 37), (2, 131)] {
        check("attention", ATTENTION, sizes, &["cuda:sm_80"], &[]);
    }
}

/// Products whose operands the copy engine fetches, with sizes in rows, columns, batch, steps and strides.
const WARPGROUPS: &[(&str, &str)] = &[
    (
        "rows, and columns",
        "func.func @main(%x: tensor<97x128xbf16>, %w: tensor<128x136xbf16>, %v: tensor<72x128xbf16>) \
             -> (tensor<97x136xbf16>, tensor<72x97xf32>) {
           %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
               : (tensor<97x128xbf16>, tensor<128x136xbf16>) -> tensor<97x136xf32>
           %1 = stablehlo.convert %0 : (tensor<97x136xf32>) -> tensor<97x136xbf16>
           %2 = stablehlo.dot_general %v, %x, contracting_dims = [1] x [1] \
               : (tensor<72x128xbf16>, tensor<97x128xbf16>) -> tensor<72x97xf32>
           return %1, %2 : tensor<97x136xbf16>, tensor<72x97xf32>
         }",
    ),
    (
        "steps",
        "func.func @main(%x: tensor<97x64xbf16>, %y: tensor<97x40xbf16>) -> tensor<64x40xf32> {
           %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] \
               : (tensor<97x64xbf16>, tensor<97x40xbf16>) -> tensor<64x40xf32>
           return %0 : tensor<64x40xf32>
         }",
    ),
    (
        "batch, rows and columns, with strides that are sizes",
        "func.func @main(%x: tensor<97x89x2x64xf16>, %y: tensor<97x89x2x64xf16>) -> tensor<97x2x89x89xf32> {
           %0 = stablehlo.dot_general %x, %y, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] \
               : (tensor<97x89x2x64xf16>, tensor<97x89x2x64xf16>) -> tensor<97x2x89x89xf32>
           return %0 : tensor<97x2x89x89xf32>
         }",
    ),
];

/// Runs of 64, merges of four, and lines that end in the middle of one.
#[test]
fn long_lines_are_sorted_by_merges() {
    let at = MODELS.iter().find(|m| m.0 == "a stable sort along a size").expect("it is there");
    let kernels = sized(at.1, "cuda:sm_80").1.kernels;
    assert!((8..12).contains(&kernels.len()), "{} kernels", kernels.len());
    for n in [63, 65, 600] {
        check(at.0, at.1, (n, 1), &["cuda:sm_80"], &["cpu:x86-64-v3"]);
    }
}

/// Steps known only at run time, on the instructions of one warp.
const STEPS: &[(&str, &str)] = &[
    (
        "a gradient of weights",
        "func.func @main(%x: tensor<97x64xbf16>, %y: tensor<97x40xbf16>) -> tensor<64x40xf32> {
           %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] \
               : (tensor<97x64xbf16>, tensor<97x40xbf16>) -> tensor<64x40xf32>
           return %0 : tensor<64x40xf32>
         }",
    ),
    (
        "weights of attention by values",
        "func.func @main(%x: tensor<97x2x89x89xf16>, %y: tensor<97x89x2x32xf16>) -> tensor<97x2x89x32xf16> {
           %0 = stablehlo.dot_general %x, %y, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] \
               : (tensor<97x2x89x89xf16>, tensor<97x89x2x32xf16>) -> tensor<97x2x89x32xf32>
           %1 = stablehlo.convert %0 : (tensor<97x2x89x32xf32>) -> tensor<97x2x89x32xf16>
           return %1 : tensor<97x2x89x32xf16>
         }",
    ),
    (
        "a product of f32",
        "func.func @main(%x: tensor<97x32xf32>, %y: tensor<97x48xf32>) -> tensor<32x48xf32> {
           %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] \
               : (tensor<97x32xf32>, tensor<97x48xf32>) -> tensor<32x48xf32>
           return %0 : tensor<32x48xf32>
         }",
    ),
];

#[test]
fn steps_of_a_call_keep_matrix_instructions() {
    for (name, text) in STEPS {
        let ways: Vec<String> = sized(text, "cuda:sm_80").1.kernels.iter().map(|plan| plan.way()).collect();
        assert!(ways.iter().any(|way| way.starts_with("mma")), "{name}: {ways:?}");
        for sizes in [(0, 3), (1, 1), (3, 37), (131, 33)] {
            let sizes = if text.contains("89") { (sizes.0.min(3), sizes.1) } else { sizes };
            check(name, text, sizes, &["cuda:sm_80"], &["cpu:x86-64-v3"]);
        }
    }
    let ways = sized(STEPS[0].1, "cuda:sm_75");
    assert!(ways.1.kernels.len() == 1);
}

#[test]
fn warpgroups_take_the_sizes_of_a_call() {
    for (name, text) in WARPGROUPS {
        let (_, planned) = sized(text, "cuda:sm_90a");
        let ways: Vec<String> = planned.kernels.iter().map(|plan| plan.way()).collect();
        assert!(ways.iter().all(|way| way.starts_with("wgmma")), "{name}: {ways:?}");
        for sizes in [(0, 3), (1, 1), (3, 70), (131, 7)] {
            check(name, text, sizes, &["cuda:sm_90a"], &[]);
        }
    }
}

#[test]
fn the_arena_is_a_formula() {
    let (_, planned) = sized(MODELS[5].1, "cpu:x86-64-v3");
    let function = &planned.program.functions[0];
    let bytes = |b: i64| planned.program.evaluate_known(&[Some(b)])[function.arena_bytes as usize].known();
    // [b, 40] f32 is the one intermediate; a slot is a multiple of 256 bytes, and 256 are spare.
    assert_eq!(bytes(0), Some(256));
    assert_eq!(bytes(3), Some(512 + 256));
    assert_eq!(bytes(1000), Some(160_000 + 256));
    assert!(planned.memory[0].arena_formula.contains('b'), "{}", planned.memory[0].arena_formula);
}

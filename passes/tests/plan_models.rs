//! Graph → fuse → plan → interpreted program gives what the reference evaluator gives, for every kind of target.

#[path = "machine/emulated_blocks.rs"]
mod emulated_blocks;
#[path = "machine/emulated_bundles.rs"]
mod emulated_bundles;
#[path = "machine/emulated_experts.rs"]
mod emulated_experts;
#[path = "machine/emulated_fragments.rs"]
mod emulated_fragments;
#[path = "machine/emulated_gates.rs"]
mod emulated_gates;
#[path = "machine/emulated_leads.rs"]
mod emulated_leads;
#[path = "machine/emulated_memory.rs"]
mod emulated_memory;
#[path = "machine/emulated_models.rs"]
mod emulated_models;
#[path = "machine/emulated_pitches.rs"]
mod emulated_pitches;
#[path = "machine/emulated_products.rs"]
mod emulated_products;
#[path = "machine/emulated_rounding.rs"]
mod emulated_rounding;
#[path = "machine/emulated_types.rs"]
mod emulated_types;
#[path = "machine/emulated_ways.rs"]
mod emulated_ways;
#[path = "machine/emulated_wgmma.rs"]
mod emulated_wgmma;
mod machine;
#[path = "machine/planted_faults.rs"]
mod planted_faults;
#[path = "machine/sized_models.rs"]
mod sized_models;

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_kernels::gemm_cpu::schedule::PanelSchedule;
use fornax_kernels::gemm_mma::schedule::MmaSchedule;
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_kernels::row::schedule::RowSchedule;
use std::path::Path;

use fornax_passes::{Options, Planned, fuse, plan, simplify};
use fornax_reference::{Limits, Tensor, evaluate};
use fornax_targets::Target;
use machine::compare::{check_on, close, close_by, import, inputs, planned};

const TARGETS: &[&str] = &["cpu:x86-64-v3", "cuda:sm_90", "rocm:gfx90a", "cpu:x86-64-v4"];

/// Checks a model on all targets and returns the number of kernels of the first.
fn check(name: &str, text: &str) -> usize {
    let planned: Vec<Planned> = TARGETS.iter().map(|target| check_on(name, text, target)).collect();
    planned[0].program.blocks.iter().map(|b| b.commands.len()).sum()
}

fn main_function(signature: &str, body: &str) -> String {
    format!("func.func @main({signature} {{\n{body}\n}}\n")
}

fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("{name}.mlir"));
    std::fs::read_to_string(path).unwrap()
}

/// (model of `data/`, commands it may take at most)
const MODELS: &[(&str, usize)] =
    &[("softmax", 3), ("softmax_bf16", 4), ("layernorm", 3), ("gelu_mlp", 4), ("attention", 9), ("conv_net", 8)];

#[test]
fn models() {
    for &(name, most) in MODELS {
        let commands = check(name, &model(name));
        assert!(commands <= most, "{name} takes {commands} commands");
    }
}

/// (name, signature, body, commands)
const CASES: &[(&str, &str, &str, usize)] = &[
    (
        "elementwise",
        "%x: tensor<5x7xf32>) -> tensor<5x7xf32>",
        "%c = stablehlo.constant dense<2.0> : tensor<5x7xf32>
         %0 = stablehlo.multiply %x, %c : tensor<5x7xf32>
         %1 = stablehlo.sine %0 : tensor<5x7xf32>
         return %1 : tensor<5x7xf32>",
        1,
    ),
    (
        "transpose and row broadcast",
        "%x: tensor<3x5xf32>, %b: tensor<3xf32>) -> tensor<5x3xf32>",
        "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
         %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
         %2 = stablehlo.add %0, %1 : tensor<5x3xf32>
         return %2 : tensor<5x3xf32>",
        1,
    ),
    (
        "returned argument, constant, alias and twice the same",
        "%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<4xi32>, tensor<6xf32>, tensor<2x3xf32>, tensor<2xi8>, \
         tensor<2x3xf32>)",
        "%c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
         %s = stablehlo.constant dense<7> : tensor<2xi8>
         %0 = stablehlo.negate %x : tensor<2x3xf32>
         %1 = stablehlo.reshape %0 : (tensor<2x3xf32>) -> tensor<6xf32>
         return %x, %c, %1, %0, %s, %0 : tensor<2x3xf32>, tensor<4xi32>, tensor<6xf32>, tensor<2x3xf32>, tensor<2xi8>, \
             tensor<2x3xf32>",
        6,
    ),
    (
        "pad with negative and interior padding",
        "%x: tensor<4x5xf32>, %v: tensor<f32>) -> tensor<8x6xf32>",
        "%0 = stablehlo.pad %x, %v, low = [2, -1], high = [-1, 2], interior = [1, 0] \
             : (tensor<4x5xf32>, tensor<f32>) -> tensor<8x6xf32>
         return %0 : tensor<8x6xf32>",
        1,
    ),
    (
        "concatenate, slice, reverse",
        "%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> tensor<2x8xf32>",
        "%0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
         %1 = stablehlo.reverse %0, dims = [1] : tensor<4x8xf32>
         %2 = stablehlo.slice %1 [1:4:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
         return %2 : tensor<2x8xf32>",
        1,
    ),
    (
        "gather rows with clamping",
        "%x: tensor<6x4xf32>, %i: tensor<5x1xi32>) -> tensor<5x4xf32>",
        "%0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], \
             collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, \
             slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
         return %0 : tensor<5x4xf32>",
        1,
    ),
    (
        "dynamic slice and update",
        "%x: tensor<6x4xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<ui8>) -> (tensor<3x2xf32>, \
         tensor<6x4xf32>)",
        "%0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [3, 2] \
             : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
         %1 = stablehlo.dynamic_update_slice %x, %u, %j, %j \
             : (tensor<6x4xf32>, tensor<2x2xf32>, tensor<ui8>, tensor<ui8>) -> tensor<6x4xf32>
         return %0, %1 : tensor<3x2xf32>, tensor<6x4xf32>",
        2,
    ),
    (
        "iota, compare, select, clamp on integers",
        "%x: tensor<3x4xi32>) -> tensor<3x4xi32>",
        "%i = stablehlo.iota dim = 1 : tensor<3x4xi32>
         %p = stablehlo.compare LT, %x, %i : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
         %a = stablehlo.constant dense<-1> : tensor<i32>
         %b = stablehlo.constant dense<2> : tensor<i32>
         %0 = stablehlo.clamp %a, %x, %b : (tensor<i32>, tensor<3x4xi32>, tensor<i32>) -> tensor<3x4xi32>
         %1 = stablehlo.select %p, %0, %i : tensor<3x4xi1>, tensor<3x4xi32>
         return %1 : tensor<3x4xi32>",
        1,
    ),
    (
        "row sum with an initial value and an epilogue",
        "%x: tensor<5x9xf32>, %i: tensor<f32>) -> tensor<5xf32>",
        "%0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] \
             : (tensor<5x9xf32>, tensor<f32>) -> tensor<5xf32>
         %1 = stablehlo.sqrt %0 : tensor<5xf32>
         %2 = stablehlo.abs %0 : tensor<5xf32>
         %3 = stablehlo.add %1, %2 : tensor<5xf32>
         return %3 : tensor<5xf32>",
        1,
    ),
    (
        "column maximum of bf16 and a boolean any",
        "%x: tensor<7x6xbf16>, %p: tensor<7x6xi1>) -> (tensor<6xbf16>, tensor<7xi1>)",
        "%n = stablehlo.constant dense<0xFF80> : tensor<bf16>
         %f = stablehlo.constant dense<false> : tensor<i1>
         %0 = stablehlo.reduce(%x init: %n) applies stablehlo.maximum across dimensions = [0] \
             : (tensor<7x6xbf16>, tensor<bf16>) -> tensor<6xbf16>
         %1 = stablehlo.reduce(%p init: %f) applies stablehlo.or across dimensions = [1] \
             : (tensor<7x6xi1>, tensor<i1>) -> tensor<7xi1>
         return %0, %1 : tensor<6xbf16>, tensor<7xi1>",
        2,
    ),
    (
        "argmax",
        "%x: tensor<4x9xf32>) -> tensor<4xi32>",
        "%n = stablehlo.constant dense<0xFF800000> : tensor<f32>
         %z = stablehlo.constant dense<0> : tensor<i32>
         %i = stablehlo.iota dim = 1 : tensor<4x9xi32>
         %0:2 = stablehlo.reduce(%x init: %n), (%i init: %z) across dimensions = [1] \
             : (tensor<4x9xf32>, tensor<4x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
          reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
           %1 = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
           %2 = stablehlo.compare EQ, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
           %3 = stablehlo.compare LT, %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
           %4 = stablehlo.and %2, %3 : tensor<i1>
           %5 = stablehlo.or %1, %4 : tensor<i1>
           %6 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<f32>
           %7 = stablehlo.select %5, %b, %d : tensor<i1>, tensor<i32>
           stablehlo.return %6, %7 : tensor<f32>, tensor<i32>
          }
         return %0#1 : tensor<4xi32>",
        1,
    ),
    (
        "max pool and a sum window with dilations",
        "%x: tensor<1x7x8x3xf32>) -> (tensor<1x4x4x3xf32>, tensor<1x11x4x3xf32>)",
        "%n = stablehlo.constant dense<0xFF800000> : tensor<f32>
         %z = stablehlo.constant dense<0.0> : tensor<f32>
         %0 = \"stablehlo.reduce_window\"(%x, %n) \
             <{padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, \
             window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
         ^bb0(%a: tensor<f32>, %b: tensor<f32>):
           %m = stablehlo.maximum %a, %b : tensor<f32>
           stablehlo.return %m : tensor<f32>
         }) : (tensor<1x7x8x3xf32>, tensor<f32>) -> tensor<1x4x4x3xf32>
         %1 = \"stablehlo.reduce_window\"(%x, %z) \
             <{padding = dense<[[0, 0], [1, 0], [1, 0], [0, 0]]> : tensor<4x2xi64>, \
             window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 2, 1>, \
             base_dilations = array<i64: 1, 2, 1, 1>, window_dilations = array<i64: 1, 3, 2, 1>}> ({
         ^bb0(%a: tensor<f32>, %b: tensor<f32>):
           %m = stablehlo.add %a, %b : tensor<f32>
           stablehlo.return %m : tensor<f32>
         }) : (tensor<1x7x8x3xf32>, tensor<f32>) -> tensor<1x11x4x3xf32>
         return %0, %1 : tensor<1x4x4x3xf32>, tensor<1x11x4x3xf32>",
        2,
    ),
    (
        "dot with batch dimensions, bias and a transposed result",
        "%x: tensor<2x3x4xf32>, %y: tensor<2x5x4xf32>, %b: tensor<5xf32>) -> tensor<3x2x5xf32>",
        "%0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] \
             : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
         %1 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<5xf32>) -> tensor<2x3x5xf32>
         %2 = stablehlo.add %0, %1 : tensor<2x3x5xf32>
         %3 = stablehlo.transpose %2, dims = [1, 0, 2] : (tensor<2x3x5xf32>) -> tensor<3x2x5xf32>
         return %3 : tensor<3x2x5xf32>",
        1,
    ),
    (
        "integer, bf16 and boolean dots",
        "%x: tensor<3x4xi8>, %y: tensor<4x2xi8>, %a: tensor<3x4xbf16>, %b: tensor<4x2xbf16>) -> (tensor<3x2xi32>, \
         tensor<3x2xbf16>)",
        "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] \
             : (tensor<3x4xi8>, tensor<4x2xi8>) -> tensor<3x2xi32>
         %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] \
             : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xbf16>
         return %0, %1 : tensor<3x2xi32>, tensor<3x2xbf16>",
        2,
    ),
    (
        "convolution, stride, padding, bias, relu, and the result twice",
        "%x: tensor<1x7x8x3xf32>, %k: tensor<3x3x3x5xf32>, %b: tensor<5xf32>) -> (tensor<1x4x4x5xf32>, \
         tensor<1x4x4x5xf32>)",
        "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
             window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, \
             feature_group_count = 1 : i64} : (tensor<1x7x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<1x4x4x5xf32>
         %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<5xf32>) -> tensor<1x4x4x5xf32>
         %2 = stablehlo.add %0, %1 : tensor<1x4x4x5xf32>
         %z = stablehlo.constant dense<0.0> : tensor<1x4x4x5xf32>
         %3 = stablehlo.maximum %2, %z : tensor<1x4x4x5xf32>
         return %3, %2 : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>",
        1,
    ),
    (
        "grouped, dilated, reversed convolution in NCHW",
        "%x: tensor<2x4x6x7xf32>, %k: tensor<6x2x2x3xf32>) -> tensor<2x6x11x4xf32>",
        "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], \
             window = {stride = [1, 2], pad = [[1, 0], [2, 1]], lhs_dilate = [2, 1], rhs_dilate = [1, 1], \
             reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} \
             : (tensor<2x4x6x7xf32>, tensor<6x2x2x3xf32>) -> tensor<2x6x11x4xf32>
         return %0 : tensor<2x6x11x4xf32>",
        1,
    ),
    (
        "depthwise convolution and batch groups",
        "%x: tensor<1x5x5x6xf32>, %k: tensor<3x3x1x6xf32>, %y: tensor<4x5x5x2xf32>, %l: tensor<3x3x2x4xf32>) \
         -> (tensor<1x5x5x6xf32>, tensor<2x3x3x4xf32>)",
        "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
             window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} \
             : (tensor<1x5x5x6xf32>, tensor<3x3x1x6xf32>) -> tensor<1x5x5x6xf32>
         %1 = stablehlo.convolution(%y, %l) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
             window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} \
             : (tensor<4x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<2x3x3x4xf32>
         return %0, %1 : tensor<1x5x5x6xf32>, tensor<2x3x3x4xf32>",
        2,
    ),
    (
        "empty tensors and empty reductions",
        "%x: tensor<0x3xf32>, %y: tensor<3x0xf32>) -> (tensor<0x3xf32>, tensor<3xf32>, tensor<3x3xf32>)",
        "%z = stablehlo.constant dense<1.5> : tensor<f32>
         %0 = stablehlo.negate %x : tensor<0x3xf32>
         %1 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] \
             : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
         %2 = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] \
             : (tensor<3x0xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
         return %0, %1, %2 : tensor<0x3xf32>, tensor<3xf32>, tensor<3x3xf32>",
        2,
    ),
    (
        "bit casts of other widths",
        "%x: tensor<3xui32>) -> (tensor<3x4xui8>, tensor<3xf32>)",
        "%0 = stablehlo.bitcast_convert %x : (tensor<3xui32>) -> tensor<3x4xui8>
         %1 = stablehlo.bitcast_convert %0 : (tensor<3x4xui8>) -> tensor<3xui32>
         %2 = stablehlo.bitcast_convert %1 : (tensor<3xui32>) -> tensor<3xf32>
         return %0, %2 : tensor<3x4xui8>, tensor<3xf32>",
        2,
    ),
    (
        "merged heads after a product: the transpose is stored, the reshape an alias",
        "%x: tensor<2x4x6x8xf32>, %y: tensor<2x4x8x5xf32>, %w: tensor<20x7xf32>) -> tensor<2x6x7xf32>",
        "%0 = stablehlo.dot_general %x, %y, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] \
             : (tensor<2x4x6x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x6x5xf32>
         %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<2x4x6x5xf32>) -> tensor<2x6x4x5xf32>
         %2 = stablehlo.reshape %1 : (tensor<2x6x4x5xf32>) -> tensor<2x6x20xf32>
         %3 = stablehlo.dot_general %2, %w, contracting_dims = [2] x [0] \
             : (tensor<2x6x20xf32>, tensor<20x7xf32>) -> tensor<2x6x7xf32>
         return %3 : tensor<2x6x7xf32>",
        2,
    ),
    (
        "a loop that swaps what it carries, and captures",
        "%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<2x2xf32>)",
        "%zero = stablehlo.constant dense<0> : tensor<i32>
         %one = stablehlo.constant dense<1> : tensor<i32>
         %n0 = stablehlo.abs %n : tensor<i32>
         %s = stablehlo.add %x, %y : tensor<4xf32>
         %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
          cond {
           %p = stablehlo.compare LT, %i, %n0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %p : tensor<i1>
          } do {
           %j = stablehlo.add %i, %one : tensor<i32>
           %c = stablehlo.multiply %a, %s : tensor<4xf32>
           stablehlo.return %j, %b, %c : tensor<i32>, tensor<4xf32>, tensor<4xf32>
          }
         %1 = stablehlo.reshape %0#2 : (tensor<4xf32>) -> tensor<2x2xf32>
         return %0#1, %1 : tensor<4xf32>, tensor<2x2xf32>",
        12,
    ),
    (
        "branches, one of which returns what it captures",
        "%p: tensor<i1>, %x: tensor<5xf32>) -> (tensor<5xf32>, tensor<f32>)",
        "%z = stablehlo.constant dense<0.0> : tensor<f32>
         %s = stablehlo.exponential %x : tensor<5xf32>
         %0:2 = \"stablehlo.if\"(%p) ({
           %1 = stablehlo.dot_general %s, %x, contracting_dims = [0] x [0] \
               : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
           %2 = stablehlo.negate %s : tensor<5xf32>
           stablehlo.return %2, %1 : tensor<5xf32>, tensor<f32>
         }, {
           stablehlo.return %x, %z : tensor<5xf32>, tensor<f32>
         }) : (tensor<i1>) -> (tensor<5xf32>, tensor<f32>)
         return %0#0, %0#1 : tensor<5xf32>, tensor<f32>",
        6,
    ),
];

#[test]
fn cases() {
    for &(name, signature, body, commands) in CASES {
        let got = check(name, &main_function(signature, body));
        assert_eq!(got, commands, "commands of `{name}`");
    }
}

/// Arguments named as parameters leave the inputs; what depends on them alone is computed once, at load.
#[test]
fn parameters_are_folded_at_load() {
    let text = main_function(
        "%x: tensor<4x8xf32>, %v: tensor<8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3xf32>",
        "%0 = stablehlo.rsqrt %v : tensor<8xf32>
         %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xf32>) -> tensor<8x3xf32>
         %2 = stablehlo.multiply %1, %w : tensor<8x3xf32>
         %3 = stablehlo.dot %x, %2 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
         return %3 : tensor<4x3xf32>",
    );
    let graph = import(&text);
    let mut given = inputs(&graph);
    for bytes in given[1].bytes.chunks_exact_mut(4) {
        let x = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        bytes.copy_from_slice(&(x.abs() + 0.5).to_le_bytes());
    }
    let want = evaluate(&graph, "main", &given, &Limits::default()).unwrap();
    let names = vec![(2, "w".to_string()), (1, "v".to_string())];
    let options = Options { parameters: [("main".to_string(), names)].into(), ..Options::default() };
    let fused = fuse(&graph).unwrap();
    let planned = plan(&fused, &Target::from_spec("cuda:sm_80").unwrap(), &options).unwrap();
    let program = &planned.program;
    assert_eq!(program.functions[0].input_bytes.len(), 1);
    assert_eq!(planned.parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["v", "w"]);
    assert_eq!(program.blocks[program.functions[0].body as usize].commands.len(), 1);
    assert_eq!(program.blocks[program.load.unwrap() as usize].commands.len(), 1);
    let got = machine::run(&fused, &planned, "main", &given[..1], &[given[1].clone(), given[2].clone()]);
    close(&Tensor::new(want[0].ty.clone(), got[0].clone()).unwrap(), &want[0], "with parameters");
}

/// Weights that products of one row alone read lie [N, K] where those would have a ring: two commands more at load, the
/// same numbers.
#[test]
fn weights_of_one_row_are_transposed_at_load() {
    let text = main_function(
        "%x: tensor<1x1024xbf16>, %w: tensor<1024x1024xbf16>, %v: tensor<1024x8x128xbf16>) -> tensor<1x8x128xbf16>",
        "%0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
               : (tensor<1x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1x1024xbf16>
         %1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0]
               : (tensor<1x1024xbf16>, tensor<1024x8x128xbf16>) -> tensor<1x8x128xbf16>
         return %1 : tensor<1x8x128xbf16>",
    );
    let graph = import(&text);
    let given = inputs(&graph);
    let want = evaluate(&graph, "main", &given, &Limits::default()).unwrap();
    let names = vec![(1, "w".to_string()), (2, "v".to_string())];
    let options = Options { parameters: [("main".to_string(), names)].into(), ..Options::default() };
    let fused = fuse(&graph).unwrap();
    for (target, at_load) in [("cuda:sm_90a", 2), ("cuda:sm_80", 0)] {
        let planned = plan(&fused, &Target::from_spec(target).unwrap(), &options).unwrap();
        let program = &planned.program;
        let load = program.load.map_or(0, |load| program.blocks[load as usize].commands.len());
        assert_eq!(load, at_load, "{target}");
        let reads = program.parameter_reads(2);
        assert_eq!([0, 1].map(|number| reads.in_calls(number)), [at_load == 0; 2], "{target}");
        let got = machine::run(&fused, &planned, "main", &given[..1], &[given[1].clone(), given[2].clone()]);
        close(&Tensor::new(want[0].ty.clone(), got[0].clone()).unwrap(), &want[0], target);
    }
}

/// A wide product on a CPU reads packed panels: one more command, the same numbers.
#[test]
fn wide_products_are_packed() {
    let text = main_function(
        "%x: tensor<2x64x88xf32>, %w: tensor<2x88x768xbf16>) -> tensor<2x64x768xf32>",
        "%0 = stablehlo.convert %w : (tensor<2x88x768xbf16>) -> tensor<2x88x768xf32>
         %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] \
             : (tensor<2x64x88xf32>, tensor<2x88x768xf32>) -> tensor<2x64x768xf32>
         return %1 : tensor<2x64x768xf32>",
    );
    let planned = check_on("packed product", &text, "cpu:x86-64-v3");
    assert_eq!(planned.kernels[0].summary, "pack");
    assert_eq!(planned.program.blocks[0].commands.len(), 2);
}

/// Filters of a depthwise convolution whose channels lie apart are copied where vectors of channels are then loaded.
#[test]
fn depthwise_filters_are_packed() {
    let depthwise = |ty: &str, kernel: &str, numbers: &str, out: &str| {
        let text = main_function(
            &format!("%x: tensor<{ty}xf32>, %w: tensor<{kernel}xbf16>) -> tensor<{out}xf32>"),
            &format!(
                "%0 = stablehlo.convert %w : (tensor<{kernel}xbf16>) -> tensor<{kernel}xf32>
                 %1 = stablehlo.convolution(%x, %0) dim_numbers = {numbers}, window = {{stride = [1, 2], \
                     pad = [[1, 1], [0, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 20 : i64}} \
                     : (tensor<{ty}xf32>, tensor<{kernel}xf32>) -> tensor<{out}xf32>
                 return %1 : tensor<{out}xf32>"
            ),
        );
        check_on("depthwise", &text, "cpu:x86-64-v3")
    };
    let summaries = |planned: &Planned| planned.kernels.iter().map(|k| k.summary.clone()).collect::<Vec<_>>();
    let last = depthwise("2x5x7x20", "20x1x3x2", "[b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f]", "2x5x4x20");
    assert_eq!(summaries(&last)[0], "pack", "{:?}", summaries(&last));
    assert!(last.kernels[1].way().starts_with("tile vector 8 "), "{}", last.kernels[1].way());
    let straight = depthwise("2x5x7x20", "3x2x1x20", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "2x5x4x20");
    assert_eq!(straight.kernels.len(), 1, "{:?}", summaries(&straight));
    // One output each is not worth a copy in every call.
    let single = depthwise("1x3x2x20", "20x1x3x2", "[b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f]", "1x3x1x20");
    assert_eq!(single.kernels.len(), 1, "{:?}", summaries(&single));
}

/// A long sum to a scalar has two kernels, of which the first has many results; bf16 stays f32 between them.
#[test]
fn long_reductions_are_split() {
    let text = main_function(
        "%x: tensor<72x512xbf16>, %i: tensor<bf16>) -> tensor<bf16>",
        "%0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0, 1] \
             : (tensor<72x512xbf16>, tensor<bf16>) -> tensor<bf16>
         return %0 : tensor<bf16>",
    );
    let planned = check_on("long sum", &text, "cuda:sm_80");
    assert_eq!(planned.kernels.len(), 2);
    assert_eq!(planned.kernels[0].buffers[1].elements, 9);
}

/// Every schedule is legal on every architecture of the tables: threads, lanes, grids, sharing.
#[test]
fn schedules_are_legal_everywhere() {
    let mut specs: Vec<String> = Vec::new();
    for row in fornax_targets::BACKENDS {
        let backend = row.backend;
        specs.extend(fornax_targets::target_names(backend).iter().map(|(_, arch)| format!("{backend}:{arch}")));
    }
    specs.sort();
    specs.dedup();
    let targets: Vec<Target> = specs.iter().map(|s| Target::from_spec(s).unwrap()).collect();
    assert!(targets.len() >= 30);
    for &(name, _) in MODELS {
        let mut graph = import(&model(name));
        simplify::simplify(&mut graph, &simplify::Options::default()).unwrap();
        let fused = fuse(&graph).unwrap();
        for target in &targets {
            let planned = plan(&fused, target, &Options::default()).unwrap();
            for kernel in &planned.kernels {
                legal(kernel, target);
            }
        }
    }
}

fn legal(kernel: &fornax_plan::KernelPlan, target: &Target) {
    let what = || format!("{}: {}", target.spec(), kernel.print());
    let (grid, threads) = kernel.launch();
    assert!(threads <= target.max_threads_per_block && threads >= 1, "{}", what());
    assert!(grid[0] <= u64::from(target.max_grid[0]), "{}", what());
    assert!(target.is_gpu() || threads == 1, "{}", what());
    let mut lanes = 1;
    if let Some(s) = kernel.schedule_as::<LoopSchedule>() {
        lanes = s.vector;
    }
    if let Some(s) = kernel.schedule_as::<MmaSchedule>() {
        assert!(s.is_consistent() && kernel.dynamic_shared_bytes() <= target.shared_bytes_max, "{}", what());
    }
    if let Some(s) = kernel.schedule_as::<TileSchedule>() {
        assert!(s.reduce_threads.is_power_of_two(), "{}", what());
        assert!(!target.is_gpu() || s.tiles_per_workgroup == 1, "{}", what());
        let known = |v: &fornax_plan::VarId| kernel.domain.contains(v);
        assert!(s.unroll.iter().all(|u| known(&u.0) && u.1 >= 1), "{}", what());
        if let Some((var, _)) = s.vector {
            assert!(known(&var) || kernel.body.reduction().contains(&var), "{}", what());
        }
        lanes = s.vector.map_or(1, |v| v.1);
    }
    if let Some(s) = kernel.schedule_as::<RowSchedule>() {
        assert!(s.threads.is_power_of_two() && s.adjacent == target.is_gpu(), "{}", what());
        let known = kernel.domain.contains(&s.vector.0) || kernel.body.reduction().contains(&s.vector.0);
        assert!(known && i64::from(s.vector.1) <= kernel.exprs.indices.extent(s.vector.0), "{}", what());
        let row: i64 = kernel.body.reduction().iter().map(|&v| kernel.exprs.indices.extent(v)).product();
        let covered = s.held_vectors() as i64 * i64::from(s.vector.1);
        assert!(!s.held || covered >= row || kernel.domain.contains(&s.vector.0), "{}", what());
        lanes = s.vector.1;
    }
    if let Some(s) = kernel.schedule_as::<PanelSchedule>() {
        assert!(!target.is_gpu() && kernel.domain.contains(&s.column), "{}", what());
        assert!(kernel.scratch_bytes() <= target.shared_bytes_max, "{}", what());
        lanes = s.lanes;
    }
    assert!(lanes.is_power_of_two() && lanes <= 64, "{}", what());
}

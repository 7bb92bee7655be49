//! Memory-bound kernels in the emulator: windows that slide (depthwise convolutions and pooling of any stride,
//! dilation, padding and layout), transposes of narrow and odd extents.

use super::emulated_models::{emulate, emulate_ways};
use super::main_function;

const DEVICES: &[&str] = &["cuda:sm_60", "cuda:sm_75", "cuda:sm_80", "cuda:sm_90a"];

/// (image, filter, result, dimension numbers, window, groups)
const DEPTHWISE: &[(&str, &str, &str, &str, &str, u32)] = &[
    ("2x9x7x16", "3x3x1x16", "2x5x4x16", NHWC, "stride = [2, 2], pad = [[1, 1], [1, 1]]", 16),
    ("1x13x11x12", "3x3x1x12", "1x9x7x12", NHWC, "rhs_dilate = [2, 2]", 12),
    ("1x13x11x8", "5x3x1x8", "1x4x5x8", NHWC, "stride = [3, 2], pad = [[0, 1], [2, 0]], rhs_dilate = [1, 2]", 8),
    ("2x8x9x6", "3x3x1x12", "2x8x9x12", NHWC, "pad = [[1, 1], [1, 1]]", 6),
    ("1x9x9x7", "3x3x1x7", "1x9x9x7", NHWC, "pad = [[1, 1], [1, 1]], reverse = [true, true]", 7),
    ("2x5x33x9", "5x1x3x3", "2x5x33x9", NCHW, "pad = [[1, 1], [1, 1]]", 5),
    ("2x4x10x13", "4x1x3x3", "2x4x5x7", NCHW, "stride = [2, 2], pad = [[1, 1], [1, 1]]", 4),
    ("1x15x15x16", "7x7x1x16", "1x15x15x16", NHWC, "pad = [[3, 3], [3, 3]]", 16),
    ("1x1x1x16", "3x3x1x16", "1x7x7x16", NHWC, "pad = [[4, 4], [4, 4]]", 16),
];
const NHWC: &str = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
const NCHW: &str = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";

#[test]
fn depthwise_convolutions() {
    let mut windows = 0;
    for element in ["f32", "f16", "bf16"] {
        for (image, filter, result, dims, window, groups) in DEPTHWISE {
            let tensor = |shape: &str| format!("tensor<{shape}x{element}>");
            let (x, k, z) = (tensor(image), tensor(filter), tensor(result));
            let body = format!(
                "%0 = stablehlo.convolution(%x, %k) dim_numbers = {dims}, window = {{{window}}} \
                     {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({x}, {k}) -> {z}
                 %z = stablehlo.constant dense<0.5> : {z}
                 %1 = stablehlo.maximum %0, %z : {z}
                 return %1 : {z}"
            );
            let text = main_function(&format!("%x: {x}, %k: {k}) -> {z}"), &body);
            let name = format!("{element} {image} by {filter}, {window}");
            emulate(&name, &text, DEVICES);
            let ways = emulate_ways(&name, &text, "cuda:sm_90a");
            windows += ways.iter().filter(|way| way.starts_with("window")).count();
        }
    }
    assert!(windows > 100, "{windows} ways");
}

/// (image, result, window, init of f32, region)
const POOLS: &[(&str, &str, &str, &str, &str)] = &[
    ("2x9x7x16", "2x5x4x16", "1, 3, 3, 1 | 1, 2, 2, 1 | [0, 0], [1, 1], [1, 1], [0, 0]", "minus", "maximum"),
    ("1x9x10x12", "1x7x8x12", "1, 3, 3, 1 | 1, 1, 1, 1 | [0, 0], [0, 0], [0, 0], [0, 0]", "zero", "add"),
    ("2x3x11x13", "2x3x10x13", "1, 1, 4, 3 | 1, 1, 1, 1 | [0, 0], [0, 0], [1, 1], [1, 1]", "plus", "minimum"),
    ("1x6x14x5", "1x3x5x5", "1, 2, 4, 1 | 1, 2, 3, 1 | [0, 0], [0, 0], [2, 1], [0, 0]", "zero", "add"),
    ("2x33x1x4", "2x33x1x4", "1, 9, 1, 1 | 1, 1, 1, 1 | [0, 0], [4, 4], [0, 0], [0, 0]", "minus", "maximum"),
];

#[test]
fn pooling() {
    for element in ["f32", "f16", "bf16", "f64", "i32"] {
        for (image, result, window, init, region) in POOLS {
            let parts: Vec<&str> = window.split(" | ").collect();
            let (x, z) = (format!("tensor<{image}x{element}>"), format!("tensor<{result}x{element}>"));
            let init = match (*init, element) {
                ("zero", "i32") => "0",
                ("zero", _) => "0.0",
                ("minus", "i32") => "-2147483648",
                (_, "i32") => "2147483647",
                ("minus", "f32") => "0xFF800000",
                ("minus", "f64") => "0xFFF0000000000000",
                ("minus", "f16") => "0xFC00",
                ("minus", _) => "0xFF80",
                (_, "f32") => "0x7F800000",
                (_, "f64") => "0x7FF0000000000000",
                (_, "f16") => "0x7C00",
                _ => "0x7F80",
            };
            let body = format!(
                "%z = stablehlo.constant dense<{init}> : tensor<{element}>
                 %0 = \"stablehlo.reduce_window\"(%x, %z) <{{window_dimensions = array<i64: {}>, \
                     window_strides = array<i64: {}>, padding = dense<[{}]> : tensor<4x2xi64>}}> ({{
                 ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
                   %m = stablehlo.{region} %a, %b : tensor<{element}>
                   stablehlo.return %m : tensor<{element}>
                 }}) : ({x}, tensor<{element}>) -> {z}
                 return %0 : {z}",
                parts[0], parts[1], parts[2]
            );
            let text = main_function(&format!("%x: {x}) -> {z}"), &body);
            emulate(&format!("{element} {image} {window} {region}"), &text, DEVICES);
        }
    }
}

#[test]
fn pooling_of_several_operands() {
    // The largest element of every window and its place.
    let (x, i) = ("tensor<1x9x7x8xf32>", "tensor<1x9x7x8xi32>");
    let (z, p) = ("tensor<1x5x4x8xf32>", "tensor<1x5x4x8xi32>");
    let body = format!(
        "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
         %zero = stablehlo.constant dense<-1> : tensor<i32>
         %i = stablehlo.iota dim = 1 : {i}
         %0:2 = \"stablehlo.reduce_window\"(%x, %i, %low, %zero) \
             <{{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, \
             padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}}> ({{
         ^bb0(%a: tensor<f32>, %k: tensor<i32>, %b: tensor<f32>, %l: tensor<i32>):
           %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
           %m = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>
           %n = stablehlo.select %c, %k, %l : tensor<i1>, tensor<i32>
           stablehlo.return %m, %n : tensor<f32>, tensor<i32>
         }}) : ({x}, {i}, tensor<f32>, tensor<i32>) -> ({z}, {p})
         return %0#0, %0#1 : {z}, {p}"
    );
    emulate("largest and where", &main_function(&format!("%x: {x}) -> ({z}, {p})"), &body), DEVICES);
}

#[test]
fn transposes_of_narrow_and_odd_extents() {
    let shapes = [
        ("3x2500", "2500x3"),
        ("2500x3", "3x2500"),
        ("1031x8", "8x1031"),
        ("17x1030", "1030x17"),
        ("131x197", "197x131"),
        ("130x2", "2x130"),
    ];
    for element in ["f32", "bf16", "i8", "f64"] {
        for (from, to) in shapes {
            let (x, z) = (format!("tensor<{from}x{element}>"), format!("tensor<{to}x{element}>"));
            let body = format!(
                "%0 = stablehlo.transpose %x, dims = [1, 0] : ({x}) -> {z}\n\
                 %1 = stablehlo.add %0, %y : {z}\n\
                 return %1 : {z}"
            );
            let text = main_function(&format!("%x: {x}, %y: {z}) -> {z}"), &body);
            emulate(&format!("{element} {from} to {to}"), &text, DEVICES);
        }
    }
}

/// Short odd extents whose side of a rectangle is one run of memory: alone, in a batch, at the end of a rectangle,
/// converted, where no vector fits.
#[test]
fn transposes_of_short_odd_extents() {
    let shapes = [
        ("3x5008", "5008x3", "[1, 0]"),
        ("5008x3", "3x5008", "[1, 0]"),
        ("2x1040x5", "2x5x1040", "[0, 2, 1]"),
        ("2x7x1040", "2x1040x7", "[0, 2, 1]"),
        ("1031x3", "3x1031", "[1, 0]"),
        ("31x1056", "1056x31", "[1, 0]"),
        ("2x16x15x3", "2x3x16x15", "[0, 3, 1, 2]"),
    ];
    for (element, result) in
        [("f32", "f32"), ("bf16", "bf16"), ("i8", "i8"), ("f64", "f64"), ("f32", "bf16"), ("i8", "f32")]
    {
        for (from, to, order) in shapes {
            let (x, w, z) = (
                format!("tensor<{from}x{element}>"),
                format!("tensor<{to}x{element}>"),
                format!("tensor<{to}x{result}>"),
            );
            let transposed = format!("%0 = stablehlo.transpose %x, dims = {order} : ({x}) -> {w}");
            let body = match element == result {
                true => format!("{transposed}\nreturn %0 : {w}"),
                false => format!("{transposed}\n%1 = stablehlo.convert %0 : ({w}) -> {z}\nreturn %1 : {z}"),
            };
            let text = main_function(&format!("%x: {x}) -> {z}"), &body);
            emulate(&format!("{element} {from} to {result} {to}"), &text, DEVICES);
        }
    }
}

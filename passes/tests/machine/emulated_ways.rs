//! Every schedule that a tuner may choose for loops, reductions, rows, transposes and windows, in the emulator.

use super::emulated_models::emulate_ways;
use super::main_function;

/// How names of ways begin, each with the least number of them that the models here have together.
const KINDS: &[(&str, usize)] = &[("row ", 40), ("tile ", 40), ("transpose ", 20), ("loop ", 40), ("window ", 20)];
const DEVICES: &[&str] = &["cuda:sm_80", "cuda:sm_90a"];

/// softmax of the last dimension of [rows, columns], computed in f32.
fn softmax(element: &str, rows: u64, columns: u64) -> String {
    let (x, y, r) = (
        format!("tensor<{rows}x{columns}x{element}>"),
        format!("tensor<{rows}x{columns}xf32>"),
        format!("tensor<{rows}xf32>"),
    );
    main_function(
        &format!("%x: {x}) -> {x}"),
        &format!(
            "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %zero = stablehlo.constant dense<0.0> : tensor<f32>
             %c = stablehlo.convert %x : ({x}) -> {y}
             %0 = stablehlo.reduce(%c init: %low) applies stablehlo.maximum across dimensions = [1] \
                 : ({y}, tensor<f32>) -> {r}
             %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ({r}) -> {y}
             %2 = stablehlo.subtract %c, %1 : {y}
             %3 = stablehlo.exponential %2 : {y}
             %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] \
                 : ({y}, tensor<f32>) -> {r}
             %5 = stablehlo.broadcast_in_dim %4, dims = [0] : ({r}) -> {y}
             %6 = stablehlo.divide %3, %5 : {y}
             %7 = stablehlo.convert %6 : ({y}) -> {x}
             return %7 : {x}"
        ),
    )
}

/// The sum over some dimensions.
fn sum(element: &str, shape: &str, dims: &str, result: &str) -> String {
    let (x, r) = (format!("tensor<{shape}x{element}>"), format!("tensor<{result}x{element}>"));
    let zero = if element.starts_with('i') { "0" } else { "0.0" };
    main_function(
        &format!("%x: {x}) -> {r}"),
        &format!(
            "%zero = stablehlo.constant dense<{zero}> : tensor<{element}>
             %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [{dims}] \
                 : ({x}, tensor<{element}>) -> {r}
             return %0 : {r}"
        ),
    )
}

/// A transpose, negated.
fn transpose(element: &str, (rows, columns): (u64, u64)) -> String {
    let (x, y) = (format!("tensor<{rows}x{columns}x{element}>"), format!("tensor<{columns}x{rows}x{element}>"));
    main_function(
        &format!("%x: {x}) -> {y}"),
        &format!(
            "%0 = stablehlo.transpose %x, dims = [1, 0] : ({x}) -> {y}
             %1 = stablehlo.negate %0 : {y}
             return %1 : {y}"
        ),
    )
}

/// Means of windows of 3 × 3 in steps of 2, with padding.
fn average(element: &str, image: &str, result: &str) -> String {
    let (x, z) = (format!("tensor<{image}x{element}>"), format!("tensor<{result}x{element}>"));
    main_function(
        &format!("%x: {x}) -> {z}"),
        &format!(
            "%z = stablehlo.constant dense<0.0> : tensor<{element}>
             %0 = \"stablehlo.reduce_window\"(%x, %z) \
                 <{{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, \
                 padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}}> ({{
             ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
               %m = stablehlo.add %a, %b : tensor<{element}>
               stablehlo.return %m : tensor<{element}>
             }}) : ({x}, tensor<{element}>) -> {z}
             %n = stablehlo.constant dense<9.0> : {z}
             %1 = stablehlo.divide %0, %n : {z}
             return %1 : {z}"
        ),
    )
}

/// x · tanh(x).
fn gated(element: &str, shape: (u64, u64)) -> String {
    let x = format!("tensor<{}x{}x{element}>", shape.0, shape.1);
    main_function(
        &format!("%x: {x}) -> {x}"),
        &format!(
            "%0 = stablehlo.tanh %x : {x}
             %1 = stablehlo.multiply %x, %0 : {x}
             return %1 : {x}"
        ),
    )
}

#[test]
fn all_ways_of_other_kernels_in_the_emulator() {
    let mut models = Vec::new();
    for (element, rows, columns) in
        [("f32", 9, 1000), ("f32", 3, 4097), ("bf16", 4, 8192), ("f16", 33, 72), ("f32", 70, 8)]
    {
        models.push((format!("softmax {element} {rows} x {columns}"), softmax(element, rows, columns)));
    }
    for (element, shape, dims, result) in [
        ("f32", "12x640", "1", "12"),
        ("bf16", "5x2048", "1", "5"),
        ("f32", "300x24", "0", "24"),
        ("i32", "7x19x33", "0, 2", "19"),
        ("f32", "2x100x40", "1", "2x40"),
    ] {
        models.push((format!("sum {element} {shape} over {dims}"), sum(element, shape, dims, result)));
    }
    for (element, shape) in [
        ("f32", (96, 64)),
        ("bf16", (130, 72)),
        ("f32", (257, 259)),
        ("i8", (64, 48)),
        ("f32", (3, 500)),
        ("f64", (34, 66)),
    ] {
        models.push((format!("transpose {element} {shape:?}"), transpose(element, shape)));
    }
    for (element, image, result) in
        [("f32", "1x9x7x33", "1x5x4x33"), ("f16", "1x9x7x33", "1x5x4x33"), ("bf16", "2x9x7x16", "2x5x4x16")]
    {
        models.push((format!("average {element} {image}"), average(element, image, result)));
    }
    for (element, shape) in [("f32", (37, 65)), ("bf16", (6, 800)), ("f64", (9, 130))] {
        models.push((format!("gated {element} {shape:?}"), gated(element, shape)));
    }
    let mut ways = Vec::new();
    for (name, text) in models {
        for device in DEVICES {
            ways.extend(emulate_ways(&name, &text, device));
        }
    }
    for &(kind, least) in KINDS {
        let count = ways.iter().filter(|way| way.starts_with(kind)).count();
        assert!(count >= least, "{count} ways begin with `{kind}`");
    }
}

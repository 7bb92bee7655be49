//! Products beyond matrices in the emulator: batches, epilogues, convolutions, and what stands around them.

use fornax_reference::Tensor;
use fornax_targets::Target;

use super::emulated_models::{emulate, emulate_ways};
use super::{close_by, import, machine, main_function, planned};

const DEVICES: &[&str] = &["cuda:sm_60", "cuda:sm_75", "cuda:sm_80", "cuda:sm_90a"];

/// Every device's choice, and every way of the two that have most.
fn everywhere(name: &str, text: &str) {
    emulate(name, text, DEVICES);
    for device in ["cuda:sm_80", "cuda:sm_90a"] {
        emulate_ways(name, text, device);
    }
}

#[test]
fn batches_with_epilogues() {
    for element in ["f32", "bf16", "f16"] {
        for (b, m, n, k) in [(3, 33, 40, 72), (2, 65, 129, 24), (5, 16, 8, 200)] {
            let (x, y) = (format!("tensor<{b}x{m}x{k}x{element}>"), format!("tensor<{b}x{k}x{n}x{element}>"));
            let (v, z) = (format!("tensor<{n}x{element}>"), format!("tensor<{b}x{m}x{n}x{element}>"));
            let body = format!(
                "%0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] \
                     : ({x}, {y}) -> {z}
                 %1 = stablehlo.broadcast_in_dim %b, dims = [2] : ({v}) -> {z}
                 %2 = stablehlo.add %0, %1 : {z}
                 %3 = stablehlo.logistic %2 : {z}
                 %4 = stablehlo.multiply %2, %3 : {z}
                 %5 = stablehlo.add %4, %r : {z}
                 return %5 : {z}"
            );
            let text = main_function(&format!("%x: {x}, %y: {y}, %b: {v}, %r: {z}) -> {z}"), &body);
            everywhere(&format!("{element} batch {b}x{m}x{n}x{k}"), &text);
        }
    }
}

#[test]
fn operands_in_any_order() {
    // Heads in the middle, the contraction in front, results transposed.
    for element in ["f32", "bf16"] {
        let (s, h, d) = (40, 3, 24);
        let x = format!("tensor<2x{s}x{h}x{d}x{element}>");
        let p = format!("tensor<2x{h}x{s}x{s}x{element}>");
        let q = format!("tensor<{d}x2x{s}x{h}x{element}>");
        let body = format!(
            "%0 = stablehlo.dot_general %x, %y, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] \
                 : ({x}, {x}) -> {p}
             %1 = stablehlo.transpose %x, dims = [3, 0, 1, 2] : ({x}) -> {q}
             %2 = stablehlo.dot_general %1, %y, batching_dims = [1, 3] x [0, 2], contracting_dims = [0] x [3] \
                 : ({q}, {x}) -> {p}
             %3 = stablehlo.subtract %0, %2 : {p}
             return %0, %3 : {p}, {p}"
        );
        let text = main_function(&format!("%x: {x}, %y: {x}) -> ({p}, {p})"), &body);
        emulate(&format!("{element} heads"), &text, DEVICES);
    }
}

/// (image, filter, result, window and dimension text)
const CONVOLUTIONS: &[(&str, &str, &str, &str)] = &[
    (
        "2x9x11x16",
        "3x3x16x24",
        "2x5x6x24",
        "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} \
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
    ),
    (
        "1x14x14x8",
        "1x1x8x40",
        "1x14x14x40",
        "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} \
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
    ),
    (
        "2x16x10x9",
        "24x16x3x3",
        "2x24x10x9",
        "dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} \
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
    ),
    (
        "1x12x13x3",
        "7x7x3x16",
        "1x6x7x16",
        "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[3, 3], [3, 3]]} \
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
    ),
    (
        "2x7x8x12",
        "3x3x1x12",
        "2x7x8x12",
        "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} \
         {batch_group_count = 1 : i64, feature_group_count = 12 : i64}",
    ),
    (
        "1x5x6x16",
        "3x3x16x8",
        "1x11x13x8",
        "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2]} \
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
    ),
    (
        "2x37x16",
        "5x16x24",
        "2x29x24",
        "dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [2]} \
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
    ),
    (
        "1x4x5x6x8",
        "2x3x2x8x16",
        "1x3x3x5x16",
        "dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {} \
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
    ),
    (
        "1x9x9x16",
        "3x3x8x32",
        "1x9x9x32",
        "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} \
         {batch_group_count = 1 : i64, feature_group_count = 2 : i64}",
    ),
];

#[test]
fn convolutions_of_any_kind() {
    for element in ["f32", "f16"] {
        for (image, filter, result, window) in CONVOLUTIONS {
            let (x, k, z) = (
                format!("tensor<{image}x{element}>"),
                format!("tensor<{filter}x{element}>"),
                format!("tensor<{result}x{element}>"),
            );
            let body = format!(
                "%0 = stablehlo.convolution(%x, %k) {window} : ({x}, {k}) -> {z}
                 %z = stablehlo.constant dense<0.0> : {z}
                 %1 = stablehlo.maximum %0, %z : {z}
                 return %1 : {z}"
            );
            everywhere(
                &format!("{element} {image} by {filter}"),
                &main_function(&format!("%x: {x}, %k: {k}) -> {z}"), &body),
            );
        }
    }
}

#[test]
fn transposes_scans_and_windows() {
    for element in ["f32", "bf16", "i8", "f64"] {
        let (t, u) = (format!("tensor<3x129x65x{element}>"), format!("tensor<65x3x129x{element}>"));
        let body = format!(
            "%0 = stablehlo.transpose %x, dims = [2, 0, 1] : ({t}) -> {u}
             %1 = stablehlo.add %0, %y : {u}
             return %1 : {u}"
        );
        emulate(&format!("{element} transpose"), &main_function(&format!("%x: {t}, %y: {u}) -> {u}"), &body), DEVICES);
    }
    for (rows, columns) in [(1, 7), (33, 129), (2, 5001)] {
        let t = format!("tensor<{rows}x{columns}xf32>");
        let before = columns - 1;
        let body = format!(
            "%z = stablehlo.constant dense<0.0> : tensor<f32>
             %0 = \"stablehlo.reduce_window\"(%x, %z) <{{padding = dense<[[0, 0], [{before}, 0]]> : tensor<2x2xi64>, \
                 window_dimensions = array<i64: 1, {columns}>}}> ({{
             ^bb0(%a: tensor<f32>, %b: tensor<f32>):
               %m = stablehlo.add %a, %b : tensor<f32>
               stablehlo.return %m : tensor<f32>
             }}) : ({t}, tensor<f32>) -> {t}
             return %0 : {t}"
        );
        emulate(
            &format!("cumulative sum {rows}x{columns}"),
            &main_function(&format!("%x: {t}) -> {t}"), &body),
            DEVICES,
        );
    }
}

/// The data behind the header of an .npy file.
fn npy(path: &std::path::Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (short, long) = (u16::from_le_bytes([bytes[8], bytes[9]]) as usize, &bytes[8..12]);
    let start = match bytes[6] {
        1 => 10 + short,
        _ => 12 + u32::from_le_bytes([long[0], long[1], long[2], long[3]]) as usize,
    };
    let header = String::from_utf8_lossy(&bytes[..start]);
    assert!(header.contains("'fortran_order': False"), "{}: {header}", path.display());
    bytes[start..].to_vec()
}

/// The models of the numeric tests on one device, with their inputs and results: those of small element types, or all
/// others.
fn goldens(device: &str, small: bool) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/numeric");
    let mut paths: Vec<_> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.join("model.mlir").exists());
    paths.sort();
    assert!(paths.len() > 100, "{} models", paths.len());
    let named = |path: &std::path::PathBuf, word| path.file_name().unwrap().to_string_lossy().starts_with(word);
    // Millions of conversions, which the CPU and the GPU test.
    paths.retain(|path| !path.ends_with("narrow_conversions"));
    paths.retain(|path| small == (named(path, "narrow_") || named(path, "small_int_")));
    let target = Target::from_spec(device).unwrap();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        eprintln!("{name} on {device}");
        let graph = import(&std::fs::read_to_string(path.join("model.mlir")).unwrap());
        let main = graph.function("main").unwrap();
        let entry = graph.entry(main).unwrap();
        let arguments = graph.block(entry).arguments.iter().enumerate();
        let inputs: Vec<Tensor> = arguments
            .map(|(n, &a)| {
                Tensor::new(graph.ty(a).as_tensor().unwrap().clone(), npy(&path.join(format!("in_{n}.npy")))).unwrap()
            })
            .collect();
        let (fused, planned) = planned(&graph, device);
        let got = machine::run_on(&fused, &planned, Some(&target), "main", (&inputs, &[]));
        // Most models have 5e-5 for f32, some more.
        let meta = std::fs::read_to_string(path.join("meta.json")).unwrap_or_default();
        let given = meta.split("\"f32\":").nth(1).and_then(|t| t.split([',', '}']).next()?.trim().parse::<f64>().ok());
        let times = 4.0 * (given.unwrap_or(5e-5) / 5e-5).max(1.0);
        for (n, (bytes, ty)) in got.into_iter().zip(&main.result_types).enumerate() {
            let tensor =
                |bytes| Tensor::new(ty.as_tensor().unwrap().clone(), bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            let want = tensor(npy(&path.join(format!("out_{n}.npy"))));
            close_by(&tensor(bytes), &want, times, &format!("{name} on {device}, result {n}"));
        }
    }
}

#[test]
fn numeric_models_for_sm_60() {
    goldens("cuda:sm_60", false);
}

#[test]
fn numeric_models_for_sm_80() {
    goldens("cuda:sm_80", false);
}

#[test]
fn numeric_models_for_sm_90a() {
    goldens("cuda:sm_90a", false);
}

#[test]
fn small_types_for_sm_75() {
    goldens("cuda:sm_75", true);
}

#[test]
fn small_types_for_sm_90a() {
    goldens("cuda:sm_90a", true);
}

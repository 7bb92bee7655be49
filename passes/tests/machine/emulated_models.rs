//! Small models planned for CUDA devices, each kernel's text run in the emulator.

use fornax_passes::program::candidates::candidates;
use fornax_passes::{fuse, simplify};
use fornax_reference::{Limits, Tensor, evaluate};
use fornax_targets::Target;

use super::{CASES, MODELS, close, import, inputs, machine, main_function, model, planned};

/// One device of each set of instructions that emitters choose by.
const DEVICES: &[&str] = &["cuda:sm_60", "cuda:sm_75", "cuda:sm_80", "cuda:sm_90a"];

/// What the planner makes of a model for each device gives the reference's results.
pub fn emulate(name: &str, text: &str, devices: &[&str]) {
    let graph = import(text);
    let inputs = inputs(&graph);
    let want = evaluate(&graph, "main", &inputs, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    for device in devices {
        eprintln!("{name} on {device}");
        let (fused, planned) = planned(&graph, device);
        let target = Target::from_spec(device).unwrap();
        let got = machine::run_on(&fused, &planned, Some(&target), "main", (&inputs, &[]));
        for (n, (bytes, want)) in got.into_iter().zip(&want).enumerate() {
            let got = Tensor::new(want.ty.clone(), bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            close(&got, want, &format!("{name} on {device}, result {n}"));
        }
    }
}

#[test]
fn models_and_cases_in_the_emulator() {
    for &(name, _) in MODELS {
        emulate(name, &model(name), DEVICES);
    }
    for &(name, signature, body, _) in CASES {
        emulate(name, &main_function(signature, body), DEVICES);
    }
}

/// `a · b`, the second operand as [k, n] or [n, k].
pub fn product(element: &str, (m, n, k): (u64, u64, u64), transposed: bool, result: &str) -> String {
    let (b, contract) = if transposed { (format!("{n}x{k}"), 1) } else { (format!("{k}x{n}"), 0) };
    let (x, y, z) =
        (format!("tensor<{m}x{k}x{element}>"), format!("tensor<{b}x{element}>"), format!("tensor<{m}x{n}x{result}>"));
    main_function(
        &format!("%x: {x}, %y: {y}) -> {z}"),
        &format!(
            "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [{contract}] : ({x}, {y}) -> {z}\n\
             return %0 : {z}"
        ),
    )
}

/// Every way that the tuner may choose for a product, of all programs and tile shapes.
pub fn emulate_ways(name: &str, text: &str, device: &str) -> Vec<String> {
    emulate_ways_on(name, text, &Target::from_spec(device).unwrap(), "")
}

/// The ways whose names begin with `start`.
fn emulate_ways_on(name: &str, text: &str, target: &Target, start: &str) -> Vec<String> {
    let device = target.arch_spec();
    let graph = import(text);
    let inputs = inputs(&graph);
    let want = evaluate(&graph, "main", &inputs, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut simplified = graph.clone();
    simplify::simplify(&mut simplified, &simplify::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let fused = fuse(&simplified).unwrap_or_else(|e| panic!("{e}"));
    let (planned, functions) = candidates(&fused, target, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut ways = Vec::new();
    for function in functions {
        let way = function.candidate.way;
        if !way.starts_with(start) {
            continue;
        }
        eprintln!("{name} on {device}: {way}");
        let got = machine::run_on(&fused, &planned, Some(target), &function.candidate.function, (&inputs, &[]));
        for (bytes, want) in got.into_iter().zip(&want) {
            let got = Tensor::new(want.ty.clone(), bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            close(&got, want, &format!("{name} on {device}: {way}"));
        }
        ways.push(way);
    }
    ways
}

#[test]
fn all_ways_of_products_in_the_emulator() {
    let mut ways = Vec::new();
    for (element, result) in [("bf16", "bf16"), ("f16", "f32"), ("f32", "f32"), ("i8", "i32"), ("f64", "f64")] {
        for (shape, transposed) in [((136, 264, 72), false), ((65, 72, 136), true)] {
            let text = product(element, shape, transposed, result);
            let name = format!("{element} {shape:?} transposed {transposed}");
            for device in ["cuda:sm_70", "cuda:sm_80", "cuda:sm_90a"] {
                ways.extend(emulate_ways(&name, &text, device));
            }
        }
    }
    for (element, transposed) in [("f8E4M3FN", true), ("f8E5M2", false)] {
        let text = product(element, (65, 72, 136), transposed, "f32");
        ways.extend(emulate_ways(element, &text, "cuda:sm_89"));
    }
    for atom in ["mma m8n8k4.f16", "mma m16n8k32.f8"] {
        assert!(ways.iter().any(|way| way.starts_with(atom)), "no {atom} among {ways:?}");
    }
    for kind in ["wgmma", "mma"] {
        assert!(ways.iter().any(|way| way.starts_with(kind)), "no {kind} among {ways:?}");
    }
}

/// On a device of two units, five tiles of 64 rows or three of 128: whole rounds, and parts of the rest.
#[test]
fn rests_of_rounds_in_parts_in_the_emulator() {
    let target = Target { compute_units: 2, ..Target::from_spec("cuda:sm_90a").unwrap() };
    for transposed in [false, true] {
        let text = product("bf16", (328, 248, 2048), transposed, "f32");
        assert!(!emulate_ways_on("stream", &text, &target, "stream").is_empty());
    }
}

#[test]
fn products_of_odd_shapes_in_the_emulator() {
    let shapes = [(1, 129, 257), (7, 33, 64), (33, 129, 40), (129, 127, 65)];
    for (element, result) in [("bf16", "bf16"), ("f16", "f16"), ("f32", "f32"), ("f64", "f64"), ("i8", "i32")] {
        for shape in shapes {
            for transposed in [false, true] {
                let name = format!("{element} {shape:?} transposed {transposed}");
                emulate(&name, &product(element, shape, transposed, result), DEVICES);
            }
        }
    }
}

/// A fold of rows or columns, a softmax-like chain, a cumulative sum.
#[test]
fn folds_of_odd_shapes_in_the_emulator() {
    for element in ["f32", "bf16", "i32", "f64"] {
        for (rows, columns) in [(1, 7), (33, 129), (127, 33), (3, 5001), (2003, 3)] {
            for (kept, folded, extent) in [(0, 1, rows), (1, 0, columns)] {
                let t = format!("tensor<{rows}x{columns}x{element}>");
                let out = format!("tensor<{extent}x{element}>");
                let zero = if element == "i32" { "0" } else { "0.0" };
                let body = format!(
                    "%z = stablehlo.constant dense<{zero}> : tensor<{element}>
                     %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [{folded}] \
                         : ({t}, tensor<{element}>) -> {out}
                     %1 = stablehlo.broadcast_in_dim %0, dims = [{kept}] : ({out}) -> {t}
                     %2 = stablehlo.subtract %x, %1 : {t}
                     return %0, %2 : {out}, {t}"
                );
                let name = format!("{element} {rows}x{columns} over {folded}");
                emulate(&name, &main_function(&format!("%x: {t}) -> ({out}, {t})"), &body), DEVICES);
            }
        }
    }
}

#[test]
fn sorts_of_odd_lengths_in_the_emulator() {
    for (rows, columns) in [(1, 7), (33, 129), (3, 1000), (1, 5001)] {
        let t = format!("tensor<{rows}x{columns}xf32>");
        let i = format!("tensor<{rows}x{columns}xi32>");
        let body = format!(
            "%i = stablehlo.iota dim = 1 : {i}
             %0:2 = \"stablehlo.sort\"(%x, %i) <{{dimension = 1 : i64, is_stable = true}}> ({{
             ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
               %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
               stablehlo.return %p : tensor<i1>
             }}) : ({t}, {i}) -> ({t}, {i})
             return %0#0, %0#1 : {t}, {i}"
        );
        emulate(&format!("sort {rows}x{columns}"), &main_function(&format!("%x: {t}) -> ({t}, {i})"), &body), DEVICES);
    }
}

/// f32 rows with infinities, NaN, numbers near the largest, denormals; each in a row of its own so that others stay
/// ordinary.
fn with_special_rows(tensor: &mut Tensor, columns: usize) {
    // The NaN of GPU arithmetic has all bits of its significand.
    let machine = f32::from_bits(0x7FFF_FFFF);
    let specials = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, -3e38, 1e-40, -1e-44, 0.0, machine, -machine];
    for (row, &special) in specials.iter().enumerate() {
        let at = 4 * (row * columns + (7 * row + 3) % columns);
        tensor.bytes[at..at + 4].copy_from_slice(&special.to_le_bytes());
        // The rest of a row of a large number is small: no sum overflows.
        if special.abs() > 1e38 && special.is_finite() {
            for column in (0..columns).filter(|c| row * columns + c != at / 4) {
                let at = 4 * (row * columns + column);
                tensor.bytes[at..at + 4].copy_from_slice(&0.25f32.to_le_bytes());
            }
        }
        // Denormals alone in their row, so that they count.
        if special != 0.0 && special.abs() < 1e-38 {
            for column in (0..columns).filter(|c| row * columns + c != at / 4) {
                let at = 4 * (row * columns + column);
                tensor.bytes[at..at + 4].copy_from_slice(&0f32.to_le_bytes());
            }
        }
    }
}

#[test]
fn special_values_of_f32_in_the_emulator() {
    let (m, n, k) = (72, 40, 136);
    let text = product("f32", (m, n, k), false, "f32");
    let graph = import(&text);
    let mut given = inputs(&graph);
    with_special_rows(&mut given[0], k as usize);
    // Below 1 in magnitude: products with the largest numbers stay finite.
    for word in given[1].bytes.chunks_exact_mut(4) {
        let x = f32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        word.copy_from_slice(&(x * 0.4).to_le_bytes());
    }
    let want = evaluate(&graph, "main", &given, &Limits::default()).unwrap().remove(0);
    let floats =
        |bytes: &[u8]| bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect::<Vec<_>>();
    for device in ["cuda:sm_60", "cuda:sm_80", "cuda:sm_90a"] {
        let target = Target::from_spec(device).unwrap();
        let (fused, _) = planned(&graph, device);
        let (ways, functions) = candidates(&fused, &target, &Default::default()).unwrap();
        let runs = functions.iter().map(|f| (&ways, f.candidate.function.as_str(), f.candidate.way.clone()));
        let (_, main) = planned(&graph, device);
        for (planned, function, way) in runs.chain([(&main, "main", "main".to_string())]) {
            let got = machine::run_on(&fused, planned, Some(&target), function, (&given, &[])).remove(0);
            for (at, (g, w)) in floats(&got).into_iter().zip(floats(&want.bytes)).enumerate() {
                let row = at / n as usize;
                let limit = if row < 7 { 2e-6 * w.abs() + 1e-44 } else { 2e-5 };
                let same = g == w || g.is_nan() && w.is_nan() || (g - w).abs() <= limit;
                assert!(same, "{device} {way}: row {row}, column {}: {g:e}, the reference says {w:e}", at % n as usize);
            }
        }
    }
}

/// A window of a selection picks the first of equal elements, in whatever order its loops could be written out.
#[test]
fn windows_pick_the_first_of_equal_elements_in_the_emulator() {
    let text = "func.func @main(%a: tensor<2x4x6xui8>, %s: tensor<1x3x5xui8>) -> tensor<2x4x6xui8> {
      %z = stablehlo.constant dense<0> : tensor<ui8>
      %m = stablehlo.constant dense<1> : tensor<2x4x6xui8>
      %x = stablehlo.and %a, %m : tensor<2x4x6xui8>
      %1 = \"stablehlo.select_and_scatter\"(%x, %s, %z) <{window_dimensions = array<i64: 2, 2, 2>}> ({
       ^bb0(%p: tensor<ui8>, %q: tensor<ui8>):
        %3 = stablehlo.compare GE, %p, %q, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      }, {
       ^bb0(%p: tensor<ui8>, %q: tensor<ui8>):
        %3 = stablehlo.add %p, %q : tensor<ui8>
        stablehlo.return %3 : tensor<ui8>
      }) : (tensor<2x4x6xui8>, tensor<1x3x5xui8>, tensor<ui8>) -> tensor<2x4x6xui8>
      return %1 : tensor<2x4x6xui8>
    }";
    emulate("the first of equal elements", text, DEVICES);
}

//! Operands of products in tf32 are rounded to the nearest value, wherever they come from: every way of products and
//! convolutions, run in the emulator, whose matrix units drop the lower 13 bits of what they are given.
//!
//! Inputs are positive. An operand that is cut is smaller by 2⁻¹¹ · 0.7 on average, so sums are too; one that is
//! rounded is as often larger.

use fornax_passes::program::candidates::candidates;
use fornax_passes::schedule::Options;
use fornax_passes::{fuse, simplify};
use fornax_plan::Precision;
use fornax_reference::{Limits, Scalar, Tensor, evaluate};
use fornax_targets::Target;

use super::{import, inputs, machine, main_function};

/// Mean of the relative errors, at most. One operand that is cut gives 3.4e-4; rounding 5e-6 with the fewest outputs
/// here.
const LEAN_MAX: f64 = 3e-5;
/// Relative error of an output.
const ERROR_MAX: f64 = 3e-4;

fn numbers(tensor: &Tensor) -> Vec<f64> {
    let value = |scalar| if let Scalar::Float(x) = scalar { x } else { f64::NAN };
    (0..tensor.len()).map(|at| value(tensor.get(at))).collect()
}

/// Runs all ways of the one contraction on a device; gives how many there were.
fn emulate(name: &str, text: &str, device: &str) -> usize {
    let graph = import(text);
    let mut given = inputs(&graph);
    for tensor in &mut given {
        // In [1, 3]: |x| + 1.
        tensor.bytes.chunks_exact_mut(4).for_each(|word| {
            let x = f32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            word.copy_from_slice(&(x.abs() + 1.0).to_le_bytes());
        });
    }
    let want = evaluate(&graph, "main", &given, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let want = numbers(&want[0]);
    let count = want.len() as f64;
    let target = Target::from_spec(device).unwrap();
    let mut simplified = graph.clone();
    simplify::simplify(&mut simplified, &simplify::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let fused = fuse(&simplified).unwrap_or_else(|e| panic!("{e}"));
    let options = Options { f32_matmul: Precision::Tf32, ways: Some(WAYS), ..Default::default() };
    let (planned, functions) = candidates(&fused, &target, &options).unwrap_or_else(|e| panic!("{e}"));
    for function in &functions {
        let way = &function.candidate.way;
        let got = machine::run_on(&fused, &planned, Some(&target), &function.candidate.function, (&given, &[]));
        let (mut lean, mut worst) = (0.0, 0.0f64);
        for (word, &want) in got[0].chunks_exact(4).zip(&want) {
            let got = f64::from(f32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            let error = (got - want) / want;
            lean += error / count;
            worst = worst.max(error.abs());
            assert!(error.is_finite(), "{name}: {way}: {got} instead of {want}");
        }
        eprintln!("{name}, {device}, {way}: leans by {lean:.1e}, worst {worst:.1e}");
        assert!(lean.abs() <= LEAN_MAX && worst <= ERROR_MAX, "{name}: {way}: leans by {lean}, worst {worst}");
    }
    functions.len()
}

/// Ways of a product that are run.
const WAYS: usize = 12;
const DEVICES: &[&str] = &["cuda:sm_90a", "cuda:sm_80"];
/// m, n, k.
const SHAPE: [u64; 3] = [64, 72, 136];

#[test]
fn products_in_every_layout() {
    let [m, n, k] = SHAPE;
    for (left, right) in [(false, false), (false, true), (true, false), (true, true)] {
        let (x, from) = if left { (format!("{k}x{m}"), 0) } else { (format!("{m}x{k}"), 1) };
        let (y, to) = if right { (format!("{n}x{k}"), 1) } else { (format!("{k}x{n}"), 0) };
        let (x, y, z) = (format!("tensor<{x}xf32>"), format!("tensor<{y}xf32>"), format!("tensor<{m}x{n}xf32>"));
        let text = main_function(
            &format!("%x: {x}, %y: {y}) -> {z}"),
            &format!(
                "%0 = stablehlo.dot_general %x, %y, contracting_dims = [{from}] x [{to}] : ({x}, {y}) -> {z}
                 return %0 : {z}"
            ),
        );
        for device in DEVICES {
            assert!(emulate(&format!("left {left} right {right}"), &text, device) >= 3);
        }
    }
}

#[test]
fn convolutions() {
    let (x, w, z) = ("tensor<1x7x7x36xf32>", "tensor<3x3x36x64xf32>", "tensor<1x7x7x64xf32>");
    let body = format!(
        "%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
             window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} \
             : ({x}, {w}) -> {z}\n\
         return %0 : {z}"
    );
    let text = main_function(&format!("%x: {x}, %w: {w}) -> {z}"), &body);
    for device in DEVICES {
        assert!(emulate("convolution", &text, device) >= 3);
    }
}

//! The expansions of triangular systems and Cholesky factors against the reference: every form, real and complex, and
//! sizes above a leaf.

use fornax_graph::ElementType;
use fornax_reference::{Complex, Scalar, Tensor, evaluate};

use super::super::Options;
use crate::example::{import, print, reimport};
use super::LEAF;

/// A repeatable list of numbers between −1 and 1.
fn numbers(count: usize) -> Vec<f64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn tensor(shape: &[usize], element: ElementType, value: impl Fn(usize, f64, f64) -> Complex) -> Tensor {
    let count: usize = shape.iter().product();
    let list = numbers(2 * count);
    let scalar = |at: usize| {
        let z = value(at, list[2 * at], list[2 * at + 1]);
        if element.is_complex() { Scalar::Complex(z) } else { Scalar::Float(z.re) }
    };
    Tensor::from_scalars(shape, element, (0..count).map(scalar))
}

/// The expansion computes what the reference does.
fn check(text: &str, inputs: &[Tensor], tolerance: f64) {
    let mut graph = import(text);
    let wanted = evaluate(&graph, "main", inputs, &Default::default()).unwrap();
    assert!(super::run(&mut graph, &Options::default()).unwrap());
    reimport(&graph);
    assert!(!print(&graph).contains("stablehlo.cholesky") && !print(&graph).contains("triangular_solve"));
    let found = evaluate(&graph, "main", inputs, &Default::default()).unwrap();
    for (w, f) in wanted[0].scalars().iter().zip(found[0].scalars()) {
        let (w, f) = (w.as_complex(), f.as_complex());
        let equal = w.re.is_nan() && f.re.is_nan() || (w - f).abs() <= tolerance * w.abs().max(1.0);
        assert!(equal, "{w:?} {f:?}\n{text}");
    }
}

#[test]
fn triangular_systems_of_every_form() {
    for (element, ty) in [(ElementType::F64, "f64"), (ElementType::ComplexF64, "complex<f64>")] {
        for form in 0..8 {
            let (left, lower, unit) = (form & 1 == 0, form & 2 == 0, form & 4 == 0);
            for transpose in ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"] {
                let (m, n) = if left { (5, 3) } else { (3, 5) };
                let text = format!(
                    "func.func @main(%a: tensor<2x5x5x{ty}>, %b: tensor<2x{m}x{n}x{ty}>) -> tensor<2x{m}x{n}x{ty}> {{
                       %0 = \"stablehlo.triangular_solve\"(%a, %b) {{left_side = {left}, \
                           lower = {lower}, unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {transpose}>}} \
                           : (tensor<2x5x5x{ty}>, tensor<2x{m}x{n}x{ty}>) -> tensor<2x{m}x{n}x{ty}>
                       return %0 : tensor<2x{m}x{n}x{ty}>
                     }}"
                );
                let diagonal = |at: usize| if (at % 25).is_multiple_of(6) { 2.0 } else { 0.0 };
                let a = tensor(&[2, 5, 5], element, |at, x, y| Complex::new(x + diagonal(at), y));
                let b = tensor(&[2, m, n], element, |_, x, y| Complex::new(x, y));
                check(&text, &[a, b], 1e-12);
            }
        }
    }
}

#[test]
fn long_systems_and_factors_go_by_halves() {
    let n = LEAF as usize + 6;
    let text = format!(
        "func.func @main(%a: tensor<{n}x{n}xf64>, %b: tensor<{n}x1xf64>) -> tensor<{n}x1xf64> {{
           %0 = \"stablehlo.triangular_solve\"(%a, %b) {{left_side = true, \
               lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}} \
               : (tensor<{n}x{n}xf64>, tensor<{n}x1xf64>) -> tensor<{n}x1xf64>
           return %0 : tensor<{n}x1xf64>
         }}"
    );
    let diagonal = |at: usize| if at / n == at % n { 8.0 } else { 0.0 };
    let a = tensor(&[n, n], ElementType::F64, |at, x, _| Complex::new(0.1 * x + diagonal(at), 0.0));
    check(&text, &[a.clone(), tensor(&[n, 1], ElementType::F64, |_, x, _| Complex::new(x, 0.0))], 1e-12);
    for lower in [true, false] {
        let text = format!(
            "func.func @main(%a: tensor<{n}x{n}xf64>) -> tensor<{n}x{n}xf64> {{
               %0 = stablehlo.cholesky %a, lower = {lower} : tensor<{n}x{n}xf64>
               return %0 : tensor<{n}x{n}xf64>
             }}"
        );
        let element = |at: usize, x: f64| if at / n >= at % n { 0.1 * x + diagonal(at) } else { 0.0 };
        let list = numbers(2 * n * n);
        let symmetric = tensor(&[n, n], ElementType::F64, |at, _, _| {
            let own = if at / n >= at % n { at } else { at % n * n + at / n };
            Complex::new(element(own, list[2 * own]), 0.0)
        });
        check(&text, &[symmetric], 1e-12);
    }
}

/// The same matrices with sides of run time, through all of simplify.
#[test]
fn sides_of_run_time() {
    for (element, ty) in [(ElementType::F64, "f64"), (ElementType::F32, "f32")] {
        for n in [0, 1, 5] {
            let diagonal = |at: usize| if n > 0 && (at % (n * n)).is_multiple_of(n + 1) { 4.0 } else { 0.0 };
            let a = tensor(&[2, n, n], element, |at, x, y| Complex::new(x + diagonal(at), y));
            let matrix = format!("tensor<2x?x?x{ty}>");
            for lower in [true, false] {
                let text = format!(
                    "func.func @main(%a: {matrix}) -> {matrix} {{
                       %0 = stablehlo.cholesky %a, lower = {lower} : {matrix}
                       return %0 : {matrix}
                     }}"
                );
                check_sized(&text, std::slice::from_ref(&a), 1e-5);
            }
            for form in 0..24 {
                let (left, lower, unit) = (form & 1 == 0, form & 2 == 0, form & 4 == 0);
                let transpose = ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"][form >> 3];
                let b = tensor(&if left { [2, n, 3] } else { [2, 3, n] }, element, |_, x, y| Complex::new(x, y));
                let other = if left { format!("tensor<2x?x3x{ty}>") } else { format!("tensor<2x3x?x{ty}>") };
                let text = format!(
                    "func.func @main(%a: {matrix}, %b: {other}) -> {other} {{
                       %0 = \"stablehlo.triangular_solve\"(%a, %b) {{left_side = {left}, \
                           lower = {lower}, unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {transpose}>}} \
                           : ({matrix}, {other}) -> {other}
                       return %0 : {other}
                     }}"
                );
                check_sized(&text, &[a.clone(), b], 1e-4);
            }
        }
    }
}

fn check_sized(text: &str, inputs: &[Tensor], tolerance: f64) {
    let mut graph = import(text);
    let wanted = evaluate(&graph, "main", inputs, &Default::default()).unwrap();
    crate::simplify::simplify(&mut graph, &Options::default()).unwrap();
    let printed = print(&graph);
    assert!(!printed.contains("stablehlo.cholesky") && !printed.contains("triangular_solve"), "{printed}");
    let found = evaluate(&graph, "main", inputs, &Default::default()).unwrap();
    assert_eq!(wanted[0].ty.shape, found[0].ty.shape, "{text}");
    for (w, f) in wanted[0].scalars().iter().zip(found[0].scalars()) {
        let (w, f) = (w.as_complex().re, f.as_complex().re);
        assert!(w.is_nan() && f.is_nan() || (w - f).abs() <= tolerance * w.abs().max(1.0), "{w} {f}\n{text}");
    }
}

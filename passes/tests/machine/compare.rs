//! A model on one target, planned and interpreted, against the reference evaluator.

use fornax_graph::{ElementType, Graph, TensorType};
use fornax_passes::{Options, Planned, fuse, plan, simplify};
use fornax_reference::{Limits, Scalar, Tensor, evaluate};
use fornax_targets::Target;

pub fn import(text: &str) -> Graph {
    fornax_import::import_text(text, "model.mlir", &Default::default())
        .unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

/// Values in about [−2, 2], the same every time; integers small.
pub fn input(ty: &TensorType, seed: u64) -> Tensor {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let shape: Vec<usize> = ty.static_shape().unwrap().iter().map(|&n| n as usize).collect();
    let n: usize = shape.iter().product();
    let values: Vec<Scalar> = (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let x = (state >> 33) as f64 / (1u64 << 31) as f64;
            match ty.element {
                ElementType::I1 => Scalar::Int((x > 0.5) as i128),
                e if e.is_float() => Scalar::Float(4.0 * x - 2.0),
                e if e.is_unsigned() => Scalar::Int((x * 7.0) as i128),
                _ => Scalar::Int((x * 9.0) as i128 - 3),
            }
        })
        .collect();
    Tensor::from_scalars(&shape, ty.element, values)
}

pub fn inputs(graph: &Graph) -> Vec<Tensor> {
    let main = graph.function("main").expect("main");
    let entry = graph.entry(main).unwrap();
    let arguments = &graph.block(entry).arguments;
    arguments.iter().zip(1..).map(|(&a, seed)| input(graph.ty(a).as_tensor().unwrap(), seed)).collect()
}

pub fn planned(graph: &Graph, target: &str) -> (Graph, Planned) {
    let mut graph = graph.clone();
    simplify::simplify(&mut graph, &simplify::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let fused = fuse(&graph).unwrap_or_else(|e| panic!("{e}"));
    let text = fornax_graph::print(&fused);
    assert_eq!(text, fornax_graph::print(&fuse(&graph).unwrap()), "fusion is deterministic");
    let target = Target::from_spec(target).unwrap();
    let planned = plan(&fused, &target, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (fused, planned)
}

/// Largest allowed difference as a share of the largest value, by element type of the result.
pub fn tolerance(element: ElementType) -> f64 {
    match element {
        ElementType::F64 | ElementType::ComplexF64 => 1e-12,
        ElementType::F32 | ElementType::ComplexF32 => 2e-5,
        ElementType::F16 => 4e-3,
        ElementType::Bf16 => 3e-2,
        _ => 0.0,
    }
}

/// The real and the imaginary part.
pub fn parts(s: Scalar) -> [f64; 2] {
    match s {
        Scalar::Int(v) => [v as f64, 0.0],
        Scalar::Float(v) => [v, 0.0],
        Scalar::Bool(v) => [f64::from(u8::from(v)), 0.0],
        Scalar::Complex(v) => [v.re, v.im],
    }
}

pub fn close(got: &Tensor, want: &Tensor, what: &str) {
    close_by(got, want, 1.0, what);
}

/// With a multiple of the tolerance.
pub fn close_by(got: &Tensor, want: &Tensor, times: f64, what: &str) {
    let (got, want_values) = (got.scalars(), want.scalars());
    let scale = want_values.iter().flat_map(|&s| parts(s)).map(f64::abs).filter(|x| x.is_finite()).fold(1e-3, f64::max);
    let limit = times * tolerance(want.element()) * scale;
    for (at, (&g, &w)) in got.iter().zip(&want_values).enumerate() {
        for (g, w) in parts(g).into_iter().zip(parts(w)) {
            let same = g == w || g.is_nan() && w.is_nan() || (g - w).abs() <= limit;
            assert!(same, "{what}: element {at} is {g}, the reference says {w}");
        }
    }
}

/// Checks a model on one target; gives its program.
pub fn check_on(name: &str, text: &str, target: &str) -> Planned {
    let graph = import(text);
    let inputs = inputs(&graph);
    let want = evaluate(&graph, "main", &inputs, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (fused, planned) = planned(&graph, target);
    let got = super::run(&fused, &planned, "main", &inputs, &[]);
    for (n, (bytes, want)) in got.into_iter().zip(&want).enumerate() {
        let got = Tensor::new(want.ty.clone(), bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        close(&got, want, &format!("{name} on {target}, result {n}"));
    }
    planned
}

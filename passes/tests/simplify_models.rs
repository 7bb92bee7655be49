//! Small JAX models give the same results before and after `simplify`, and large graphs are simplified in no time.
//!
//! The texts in `data/` are written by `export_models.py`.

use std::path::Path;
use std::time::{Duration, Instant};

use fornax_graph::{Graph, OpKind, TensorType};
use fornax_passes::simplify::{Options, Report, simplify};
use fornax_reference::{Limits, Scalar, Tensor, evaluate};

/// (model, largest difference as a share of the value; 0 asks for the same bits).
const MODELS: &[(&str, f64)] = &[
    ("softmax", 0.0),
    ("softmax_bf16", 0.0),
    ("layernorm", 0.0),
    ("gelu_mlp", 0.0),
    ("attention", 0.0),
    ("conv_net", 0.0),
    ("select_tokens", 0.0),
    // The evaluator knows lgamma and its kin exactly; the expansions compute them in f32.
    ("special", 2e-5),
    ("loop", 0.0),
];

fn import(text: &str) -> Graph {
    fornax_import::import_text(text, "model.mlir", &Default::default()).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

fn model(name: &str) -> Graph {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("{name}.mlir"));
    import(&std::fs::read_to_string(path).unwrap())
}

fn simplified(graph: &Graph) -> (Graph, Report) {
    let mut graph = graph.clone();
    let report = simplify(&mut graph, &Options::default()).unwrap();
    import(&fornax_graph::print(&graph));
    (graph, report)
}

/// Values in (−2, 2), small non-negative integers; the same every time.
fn random_inputs(graph: &Graph, seed: u64) -> Vec<Tensor> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut tensor = |ty: &TensorType| {
        let shape: Vec<usize> = ty.static_shape().unwrap().iter().map(|&n| n as usize).collect();
        let count: usize = shape.iter().product();
        let value = |u: f64| {
            if ty.element.is_integer() { Scalar::Int((u * 6.0) as i128) } else { Scalar::Float(u * 4.0 - 2.0) }
        };
        let values: Vec<Scalar> = (0..count).map(|_| value(next()).convert(ty.element)).collect();
        Tensor::from_scalars(&shape, ty.element, values)
    };
    let main = graph.entry(graph.function("main").unwrap()).unwrap();
    graph.block(main).arguments.iter().map(|&a| tensor(graph.ty(a).as_tensor().unwrap())).collect()
}

fn close(a: Scalar, b: Scalar, share: f64) -> bool {
    let (x, y) = (a.as_f64(), b.as_f64());
    x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= share * x.abs().max(1.0)
}

#[test]
fn models_give_the_same_results() {
    for &(name, share) in MODELS {
        let before = model(name);
        let (after, report) = simplified(&before);
        assert!(report.fixed_point, "{name}: {report:?}");
        assert_eq!(after.functions.len(), 1, "{name}");
        for seed in 1..4 {
            let inputs = random_inputs(&before, seed);
            let wanted = evaluate(&before, "main", &inputs, &Limits::default()).unwrap();
            let found = evaluate(&after, "main", &inputs, &Limits::default()).unwrap();
            assert_eq!(wanted.len(), found.len());
            for (result, (w, f)) in wanted.iter().zip(&found).enumerate() {
                assert_eq!(w.ty, f.ty, "{name}");
                for (at, (a, b)) in w.scalars().into_iter().zip(f.scalars()).enumerate() {
                    assert!(close(a, b, share), "{name}: result {result}, element {at}: {a:?} before, {b:?} after");
                }
            }
        }
    }
}

fn kinds(graph: &Graph) -> Vec<OpKind> {
    let mut kinds = Vec::new();
    let entry = graph.entry(graph.function("main").unwrap()).unwrap();
    graph.walk(entry, &mut |id| kinds.push(graph.op(id).kind));
    kinds
}

#[test]
fn softmax_has_nothing_left_to_do() {
    let (graph, _) = simplified(&model("softmax"));
    let found = kinds(&graph);
    let count = |kind| found.iter().filter(|&&k| k == kind).count();
    // max, subtract, exp, sum, divide; the maximum with −∞ and the double broadcasts are gone.
    assert_eq!(count(OpKind::BroadcastInDim), 2, "{}", fornax_graph::print(&graph));
    assert_eq!(count(OpKind::Maximum), 1, "only in the reducer: {}", fornax_graph::print(&graph));
    assert_eq!(count(OpKind::Reduce), 2);
}

#[test]
fn simplifying_twice_changes_nothing() {
    for &(name, _) in MODELS {
        let (mut graph, _) = simplified(&model(name));
        let before = fornax_graph::print(&graph);
        let report = simplify(&mut graph, &Options::default()).unwrap();
        assert_eq!((report.rounds, report.fixed_point), (1, true), "{name}");
        assert_eq!(before, fornax_graph::print(&graph), "{name}");
    }
}

/// A chain of layers as exporters write them: a call each, constants spelled out, broadcasts in two steps.
fn long_model(layers: usize) -> String {
    let mut text = String::from("func.func @main(%x0: tensor<64x32xf32>) -> tensor<64x32xf32> {\n");
    for n in 0..layers {
        text += &format!(
            "%c{n} = stablehlo.constant dense<0.5> : tensor<f32>
             %b{n} = stablehlo.broadcast_in_dim %c{n}, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
             %y{n} = stablehlo.multiply %b{n}, %x{n} : tensor<64x32xf32>
             %z{n} = stablehlo.constant dense<0.0> : tensor<f32>
             %r{n} = stablehlo.reduce(%y{n} init: %z{n}) applies stablehlo.add across dimensions = [1] \
                 : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
             %e{n} = stablehlo.broadcast_in_dim %r{n}, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
             %f{n} = stablehlo.broadcast_in_dim %e{n}, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x32xf32>
             %g{n} = stablehlo.subtract %y{n}, %f{n} : tensor<64x32xf32>
             %h{n} = call @act(%g{n}) : (tensor<64x32xf32>) -> tensor<64x32xf32>
             %x{} = stablehlo.add %h{n}, %x{n} : tensor<64x32xf32>\n",
            n + 1
        );
    }
    text += &format!("return %x{layers} : tensor<64x32xf32> }}\n");
    text + "func.func private @act(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
              %0 = stablehlo.logistic %x : tensor<64x32xf32>
              %1 = stablehlo.multiply %0, %x : tensor<64x32xf32>
              return %1 : tensor<64x32xf32>
            }"
}

#[test]
fn five_thousand_ops_are_quick() {
    let graph = import(&long_model(500));
    let mut best = Duration::MAX;
    let mut report = Report::default();
    for _ in 0..3 {
        let mut copy = graph.clone();
        let start = Instant::now();
        report = simplify(&mut copy, &Options::default()).unwrap();
        best = best.min(start.elapsed());
    }
    println!("{best:?} {report:?}");
    assert!(report.ops_before >= 5000 && report.ops_after <= 7 * 500 + 500 * 3 + 10, "{report:?}");
    // A tenth of this on an idle machine; the bound only catches work that grows with the square of the size.
    assert!(best < Duration::from_secs(1), "{best:?}");
}

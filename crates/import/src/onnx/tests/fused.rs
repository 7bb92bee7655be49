//! Operators that ONNX Runtime fuses and quantises models into.

use super::*;

fn real(node: NodeProto, name: &str, value: f32) -> NodeProto {
    with(node, name, |a| a.f = value)
}

fn text(node: NodeProto, name: &str, value: &'static str) -> NodeProto {
    with(node, name, |a| a.s = Bytes::from(value))
}

fn bytes(name: &str, dims: &[i64], numbers: &[i32]) -> TensorProto {
    TensorProto { name: name.into(), dims: dims.into(), data_type: 2, int32_data: numbers.into(), ..Default::default() }
}

/// The outputs `y` of a node with constant inputs `k0`, `k1` …, and the inputs of the model.
fn outcome(op: &str, constants: Vec<TensorProto>, names: &[&str], fill: impl Fn(NodeProto) -> NodeProto) -> Vec<f64> {
    let mut inner = graph(&[fill(contrib(op, names, &["y"]))], &[], &["y"]);
    inner.initializer = constants;
    numbers(&run(&model(inner), &[]).unwrap_or_else(|e| panic!("{op}: {e}"))[0])
}

#[test]
fn products_and_convolutions_with_what_follows() {
    let image = || f32s("x", &[1, 1, 2, 2], &[1.0, -2.0, 3.0, 4.0]);
    let convolution = || {
        vec![image(), f32s("w", &[1, 1, 1, 1], &[2.0]), f32s("b", &[1], &[1.0]), f32s("z", &[1, 1, 2, 2], &[-9.0; 4])]
    };
    let relu = |node| text(node, "activation", "Relu");
    assert_eq!(outcome("FusedConv", convolution(), &["x", "w", "b"], relu), [3.0, 0.0, 7.0, 9.0]);
    assert_eq!(outcome("FusedConv", convolution(), &["x", "w", "b", "z"], relu), [0.0, 0.0, 0.0, 0.0]);
    let clip = |node| with(text(node, "activation", "Clip"), "activation_params", |a| a.floats = vec![-1.0, 6.0]);
    assert_eq!(outcome("FusedConv", convolution(), &["x", "w"], clip), [2.0, -1.0, 6.0, 6.0]);
    let matrices = vec![f32s("a", &[1, 2], &[1.0, 2.0]), f32s("b", &[2, 2], &[1.0, -1.0, 1.0, -1.0])];
    let leaky = |node| real(text(node, "activation", "LeakyRelu"), "activation_alpha", 0.5);
    assert_eq!(outcome("FusedGemm", matrices, &["a", "b"], leaky), [3.0, -1.5]);
}

/// `[2, 3, 1]` with `transBatchA`: three matrices of two rows.
#[test]
fn a_batch_that_stands_behind_the_rows() {
    let a = f32s("a", &[2, 3, 1], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let b = f32s("b", &[3, 1, 1], &[1.0, 10.0, 100.0]);
    let found = outcome("FusedMatMul", vec![a, b], &["a", "b"], |node| int(node, "transBatchA", 1));
    assert_eq!(found, [1.0, 4.0, 20.0, 50.0, 300.0, 600.0]);
}

#[test]
fn quantised_operators() {
    let scale = |name: &str, value: f32| f32s(name, &[], &[value]);
    let constants = || {
        vec![
            bytes("a", &[2, 2], &[10, 20, 30, 40]),
            bytes("b", &[2, 2], &[1, 2, 3, 4]),
            bytes("ten", &[], &[10]),
            bytes("zero", &[], &[0]),
            scale("half", 0.5),
            scale("one", 1.0),
        ]
    };
    let plain = |node| node;
    // (a - 10) / 2 + b, in halves above 10.
    let names = ["a", "half", "ten", "b", "one", "zero", "half", "ten"];
    assert_eq!(outcome("QLinearAdd", constants(), &names, plain), [12.0, 24.0, 36.0, 48.0]);
    let names = ["a", "half", "ten", "b", "one", "zero", "one"];
    assert_eq!(outcome("QLinearMul", constants(), &names, plain), [0.0, 10.0, 30.0, 60.0]);
    let names = ["one", "zero", "a", "half", "ten", "b", "one", "zero"];
    let joined = outcome("QLinearConcat", constants(), &names, |node| int(node, "axis", 1));
    assert_eq!(joined, [0.0, 5.0, 1.0, 2.0, 10.0, 15.0, 3.0, 4.0]);
    // [[0, 5], [10, 15]] · [[1, 2], [3, 4]]
    let names = ["a", "half", "ten", "b", "one", "zero"];
    assert_eq!(outcome("QGemm", constants(), &names, plain), [15.0, 20.0, 55.0, 80.0]);
    let names = ["a", "half", "ten", "b", "one", "zero", "", "one", "ten"];
    assert_eq!(outcome("QGemm", constants(), &names, plain), [25.0, 30.0, 65.0, 90.0]);
    let names = ["a", "b", "half", "one", "ten", "zero"];
    assert_eq!(outcome("MatMulIntegerToFloat", constants(), &names, plain), [15.0, 20.0, 55.0, 80.0]);
    let mut floats = constants();
    floats.push(f32s("x", &[1, 2], &[0.0, 255.0]));
    assert_eq!(outcome("DynamicQuantizeMatMul", floats, &["x", "b", "half"], plain), [382.5, 510.0]);
    let names = ["a", "half", "ten", "one"];
    let pooled = outcome("QLinearSoftmax", constants(), &names, |node| int(node, "opset", 13));
    assert_eq!(pooled, [0.0, 1.0, 0.0, 1.0]);
}

/// Two words of two numbers each: (1, 3) + (0, 2) + (1, 1) and (4, 0) + (2, 0) + (0, 0).
#[test]
fn embeddings_are_added_and_normalised() {
    let constants = || {
        vec![
            i64s("ids", &[1, 2], &[1, 0]),
            i64s("kinds", &[1, 2], &[1, 0]),
            f32s("words", &[2, 2], &[4.0, 0.0, 1.0, 3.0]),
            f32s("places", &[3, 2], &[0.0, 2.0, 2.0, 0.0, 9.0, 9.0]),
            f32s("segments", &[2, 2], &[0.0, 0.0, 1.0, 1.0]),
            f32s("gamma", &[2], &[2.0, 2.0]),
            f32s("beta", &[2], &[1.0, 1.0]),
            i64s("mask", &[1, 2], &[1, 0]),
            i64s("swapped", &[1, 2], &[1, 0]),
        ]
    };
    let all = ["ids", "kinds", "words", "places", "segments", "gamma", "beta", "mask"];
    let mut inner =
        graph(&[contrib("EmbedLayerNormalization", &all, &["y", "count", "sum"])], &[], &["y", "count", "sum"]);
    inner.initializer = constants();
    let found = run(&model(inner), &[]).unwrap();
    near(&numbers(&found[0]), &[-1.0, 3.0, 3.0, -1.0]);
    assert_eq!(numbers(&found[1]), [1.0]);
    assert_eq!(numbers(&found[2]), [2.0, 6.0, 6.0, 0.0]);
    let fewer = ["ids", "", "words", "places", "", "gamma", "beta", "", "swapped"];
    // (1, 3) + (2, 0), whose numbers are equal, and (4, 0) + (0, 2).
    let found = outcome("EmbedLayerNormalization", constants(), &fewer, |node| node);
    near(&found, &[1.0, 1.0, 3.0, -1.0]);
}

/// Bytes that stand for themselves: attention of them is attention of the floats.
#[test]
fn attention_of_bytes() {
    let weights: Vec<i32> = (0..12).map(|at| at * 5 % 7).collect();
    let floats: Vec<f32> = weights.iter().map(|&w| (w - 3) as f32 * 0.5).collect();
    let x = [1, 4, 2, 0];
    let heads = |node| int(int(node, "num_heads", 1), "unidirectional", 1);
    let bias = || f32s("bias", &[6], &[0.5, 0.0, -0.5, 1.0, 0.0, 0.25]);
    let of_floats = vec![f32s("x", &[1, 2, 2], &x.map(|x| (x - 2) as f32 * 0.25)), f32s("w", &[2, 6], &floats), bias()];
    let wanted = outcome("Attention", of_floats, &["x", "w", "bias"], heads);
    let of_bytes = vec![
        bytes("x", &[1, 2, 2], &x),
        bytes("w", &[2, 6], &weights),
        bias(),
        f32s("quarter", &[], &[0.25]),
        f32s("half", &[], &[0.5]),
        bytes("two", &[], &[2]),
        bytes("three", &[], &[3]),
    ];
    let names = ["x", "w", "bias", "quarter", "half", "", "two", "three"];
    near(&outcome("QAttention", of_bytes, &names, heads), &wanted);
}

/// Weights lie transposed. Input and states are rounded to 255 steps between their ends.
#[test]
fn a_layer_over_time_with_weights_of_bytes() {
    let (w, r) = ([3, 5, 1, 4, 2, 6, 0, 7], [4, 2, 6, 1]);
    let transposed: Vec<f32> = (0..8).map(|at| (w[at % 2 * 4 + at / 2] - 3) as f32 * 0.5).collect();
    let x = || f32s("x", &[3, 1, 2], &[1.0, -0.5, 0.25, 2.0, -1.0, 0.0]);
    let again: Vec<f32> = r.iter().map(|&r| r as f32 * 0.25).collect();
    let of_floats = vec![x(), f32s("w", &[1, 4, 2], &transposed), f32s("r", &[1, 4, 1], &again)];
    let size = |node| int(node, "hidden_size", 1);
    let mut layer = graph(&[size(node("LSTM", &["x", "w", "r"], &["y"]))], &[], &["y"]);
    layer.initializer = of_floats;
    let wanted = numbers(&run(&model(layer), &[]).unwrap()[0]);
    let of_bytes = vec![
        x(),
        bytes("w", &[1, 2, 4], &w),
        bytes("r", &[1, 1, 4], &r),
        f32s("half", &[1], &[0.5]),
        bytes("three", &[1], &[3]),
        f32s("quarters", &[1, 4], &[0.25; 4]),
        bytes("zeros", &[1, 4], &[0; 4]),
    ];
    let names = ["x", "w", "r", "", "", "", "", "", "half", "three", "quarters", "zeros"];
    let found = outcome("DynamicQuantizeLSTM", of_bytes, &names, size);
    let far = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(found.len() == 3 && far < 0.01, "{found:?} {wanted:?}");
}

/// Channels that lie last, and two of one image that are as those of its transpose in front.
#[test]
fn images_whose_channels_lie_last() {
    let scale = |name: &str| f32s(name, &[], &[1.0]);
    let image = || bytes("x", &[1, 2, 2, 2], &[1, 5, 2, 6, 3, 7, 4, 8]);
    let last = |node| int(node, "channels_last", 1);
    let kernel = || bytes("w", &[1, 2, 1, 2], &[1, 0, 0, 1]);
    let names = ["x", "one", "zero", "w", "one", "zero", "one", "zero"];
    let found = outcome("QLinearConv", vec![image(), kernel(), scale("one"), bytes("zero", &[], &[0])], &names, last);
    assert_eq!(found, [7.0, 11.0]);
    let found = outcome("QLinearGlobalAveragePool", vec![image(), scale("one")], &["x", "one", "", "one", ""], last);
    assert_eq!(found, [2.0, 6.0]);
    let window = |node| with(node, "kernel_shape", |a| a.ints = vec![2, 1]);
    assert_eq!(outcome("NhwcMaxPool", vec![image()], &["x"], window), [3.0, 7.0, 4.0, 8.0]);
    let rows = vec![f32s("a", &[2, 2], &[0.0, 0.0, 3.0, 4.0]), f32s("b", &[1, 2], &[0.0, 0.0])];
    let metric = |node| text(node, "metric", "euclidean");
    assert_eq!(outcome("CDist", rows, &["a", "b"], metric), [0.0, 5.0]);
}

//! Classical models: `ai.onnx.ml`.

use super::*;

fn classical(op: &str, input: &[&str], output: &[&str]) -> NodeProto {
    NodeProto { domain: "ai.onnx.ml".into(), ..node(op, input, output) }
}

fn texts(node: NodeProto, name: &str, list: &[&str]) -> NodeProto {
    with(node, name, |a| a.strings = list.iter().map(|s| s.as_bytes().to_vec().into()).collect())
}

fn text(node: NodeProto, name: &str, value: &str) -> NodeProto {
    with(node, name, |a| a.s = value.as_bytes().to_vec().into())
}

fn list(node: NodeProto, name: &str, numbers: &[i64]) -> NodeProto {
    with(node, name, |a| a.ints = numbers.into())
}

fn reals(node: NodeProto, name: &str, numbers: &[f32]) -> NodeProto {
    with(node, name, |a| a.floats = numbers.into())
}

/// A model whose last operators are those of classical models; its input `x` has so many features.
fn made(nodes: &[NodeProto], features: &str, outputs: &[&str]) -> ModelProto {
    let mut made = model(graph(nodes, &[info("x", F32, &["n", features])], outputs));
    made.opset_import.push(OperatorSetIdProto { domain: "ai.onnx.ml".into(), version: 3 });
    made
}

/// Two trees over two features. The first asks `x0 <= 1`, then `x1 > 2`; the second is a leaf.
fn trees(op: &str, of: &str, outputs: &[&str]) -> NodeProto {
    let node = list(classical(op, &["x"], outputs), "nodes_treeids", &[0, 0, 0, 0, 0, 1]);
    let node = list(node, "nodes_nodeids", &[0, 1, 2, 3, 4, 0]);
    let node = list(node, "nodes_featureids", &[0, 0, 1, 0, 0, 0]);
    let node = reals(node, "nodes_values", &[1.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    let node = texts(node, "nodes_modes", &["BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF", "LEAF"]);
    let node = list(node, "nodes_truenodeids", &[1, 0, 3, 0, 0, 0]);
    let node = list(node, "nodes_falsenodeids", &[2, 0, 4, 0, 0, 0]);
    let node = list(node, "nodes_missing_value_tracks_true", &[1, 0, 0, 0, 0, 0]);
    let node = list(node, &format!("{of}_treeids"), &[0, 0, 0, 1]);
    list(node, &format!("{of}_nodeids"), &[1, 3, 4, 0])
}

fn four_samples() -> Tensor {
    // To the nodes 1, 3, 4, and 1 for what is no number.
    floats(&[4, 2], &[1.0, 0.0, 1.5, 2.5, 2.0, 2.0, f64::NAN, 9.0])
}

#[test]
fn trees_add_up() {
    let node = reals(
        list(trees("TreeEnsembleRegressor", "target", &["y"]), "target_ids", &[0; 4]),
        "target_weights",
        &[10.0, 20.0, 30.0, 0.5],
    );
    let found = run(&made(&[reals(node.clone(), "base_values", &[100.0])], "2", &["y"]), &[four_samples()]).unwrap();
    assert_eq!(numbers(&found[0]), [110.5, 120.5, 130.5, 110.5]);
    let mean = run(&made(&[text(node.clone(), "aggregate_function", "MAX")], "2", &["y"]), &[four_samples()]).unwrap();
    assert_eq!(numbers(&mean[0]), [10.0, 20.0, 30.0, 10.0]);
    let error = run(&made(&[node], "1", &["y"]), &[floats(&[1, 1], &[0.0])]).unwrap_err();
    assert!(error.starts_with("FX1024"), "{error}");
}

#[test]
fn classes_of_trees_have_labels_and_scores() {
    let node = list(trees("TreeEnsembleClassifier", "class", &["y", "z"]), "classlabels_int64s", &[7, 8, 9]);
    let node = reals(list(node, "class_ids", &[0, 1, 2, 1]), "class_weights", &[3.0, 3.0, 3.0, 1.0]);
    let found = run(&made(&[node], "2", &["y", "z"]), &[four_samples()]).unwrap();
    assert_eq!(numbers(&found[0]), [7.0, 8.0, 9.0, 7.0]);
    assert_eq!(numbers(&found[1])[..6], [3.0, 1.0, 0.0, 0.0, 4.0, 0.0]);
    // One score for two classes: a probability where no weight is negative.
    let node = list(trees("TreeEnsembleClassifier", "class", &["y", "z"]), "classlabels_int64s", &[0, 1]);
    let one = |weights: &[f32]| reals(list(node.clone(), "class_ids", &[0; 4]), "class_weights", weights);
    let found = run(&made(&[one(&[0.25, 0.75, 0.5, 0.0])], "2", &["y", "z"]), &[four_samples()]).unwrap();
    assert_eq!(numbers(&found[0]), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(numbers(&found[1]), [0.75, 0.25, 0.25, 0.75, 0.5, 0.5, 0.75, 0.25]);
    let found = run(&made(&[one(&[-1.0, 2.0, 0.0, 0.0])], "2", &["y", "z"]), &[four_samples()]).unwrap();
    assert_eq!(numbers(&found[0]), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(numbers(&found[1])[..4], [1.0, -1.0, -2.0, 2.0]);
}

#[test]
fn branches_in_a_circle_are_refused() {
    let node = list(classical("TreeEnsembleRegressor", &["x"], &["y"]), "nodes_treeids", &[0, 0, 0]);
    let node = list(list(node, "nodes_nodeids", &[0, 1, 2]), "nodes_featureids", &[0; 3]);
    let node = texts(reals(node, "nodes_values", &[0.0; 3]), "nodes_modes", &["BRANCH_LT", "BRANCH_LT", "LEAF"]);
    let node = list(list(node, "nodes_truenodeids", &[1, 1, 0]), "nodes_falsenodeids", &[2, 2, 0]);
    let error = run(&made(&[node], "1", &["y"]), &[floats(&[1, 1], &[0.0])]).unwrap_err();
    assert!(error.starts_with("FX1023") && error.contains("circle"), "{error}");
}

#[test]
fn linear_models() {
    let weights = |op, output: &[&str]| {
        let node = reals(classical(op, &["x"], output), "coefficients", &[1.0, 0.0, 0.0, 2.0]);
        reals(node, "intercepts", &[0.5, -1.0])
    };
    let x = floats(&[2, 2], &[1.0, 2.0, 3.0, 0.0]);
    let node = int(weights("LinearRegressor", &["y"]), "targets", 2);
    let found = run(&made(&[node], "2", &["y"]), std::slice::from_ref(&x)).unwrap();
    assert_eq!(numbers(&found[0]), [1.5, 3.0, 3.5, -1.0]);
    let node = list(weights("LinearClassifier", &["y", "z"]), "classlabels_ints", &[4, 6]);
    let found = run(&made(&[text(node, "post_transform", "SOFTMAX")], "2", &["y", "z"]), &[x]).unwrap();
    assert_eq!(numbers(&found[0]), [6.0, 4.0]);
    near(&numbers(&found[1])[..2], &[0.182_425_5, 0.817_574_5]);
    let texts = texts(weights("LinearClassifier", &["y", "z"]), "classlabels_strings", &["a", "b"]);
    let error = run(&made(&[texts], "2", &["y", "z"]), &[floats(&[1, 2], &[0.0; 2])]).unwrap_err();
    assert!(error.starts_with("FX1023") && error.contains("labels of text"), "{error}");
}

#[test]
fn features_are_scaled_and_filled() {
    let scaler = reals(reals(classical("Scaler", &["x"], &["a"]), "offset", &[1.0, 2.0]), "scale", &[0.5]);
    let found = run(&made(&[scaler], "2", &["a"]), &[floats(&[1, 2], &[5.0, 6.0])]).unwrap();
    assert_eq!(numbers(&found[0]), [2.0, 2.0]);
    let norm = text(classical("Normalizer", &["x"], &["a"]), "norm", "L2");
    let found = run(&made(&[norm], "2", &["a"]), &[floats(&[2, 2], &[3.0, 4.0, 0.0, 0.0])]).unwrap();
    near(&numbers(&found[0]), &[0.6, 0.8, 0.0, 0.0]);
    let filled = reals(classical("Imputer", &["x"], &["a"]), "imputed_value_floats", &[7.0, 8.0]);
    let filled = with(filled, "replaced_value_float", |a| a.f = f32::NAN);
    let found = run(&made(&[filled], "2", &["a"]), &[floats(&[1, 2], &[f64::NAN, 1.0])]).unwrap();
    assert_eq!(numbers(&found[0]), [7.0, 1.0]);
    let hot = list(classical("OneHotEncoder", &["x"], &["a"]), "cats_int64s", &[3, 5]);
    let found = run(&made(&[hot], "2", &["a"]), &[floats(&[1, 2], &[5.0, 4.0])]).unwrap();
    assert_eq!(numbers(&found[0]), [0.0, 1.0, 0.0, 0.0]);
}

/// Vectors 0 and 2 with a linear kernel: x decides between them at 1.
#[test]
fn support_vectors_vote() {
    let node = reals(classical("SVMClassifier", &["x"], &["y", "z"]), "support_vectors", &[0.0, 2.0]);
    let node = text(list(node, "vectors_per_class", &[1, 1]), "kernel_type", "LINEAR");
    let node = reals(reals(node, "coefficients", &[1.0, -1.0]), "rho", &[2.0]);
    let node = list(node, "classlabels_ints", &[0, 1]);
    let found = run(&made(&[node], "1", &["y"]), &[floats(&[2, 1], &[0.5, 1.5])]).unwrap();
    assert_eq!(numbers(&found[0]), [0.0, 1.0]);
    let node = reals(classical("SVMRegressor", &["x"], &["y"]), "support_vectors", &[0.0, 1.0]);
    let node = reals(text(int(node, "n_supports", 2), "kernel_type", "RBF"), "kernel_params", &[1.0, 0.0, 3.0]);
    let node = reals(reals(node, "coefficients", &[1.0, 2.0]), "rho", &[0.5]);
    let found = run(&made(&[node], "1", &["y"]), &[floats(&[1, 1], &[1.0])]).unwrap();
    near(&numbers(&found[0]), &[0.5 + (-1f64).exp() + 2.0]);
}

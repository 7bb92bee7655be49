//! Classical models: linear ones, support vectors, what is done with features before them (`ai.onnx.ml`).
//!
//! Rows are samples, `[N, features]`, of any numeric type; scores are f32, labels i64. Labels of text are refused.

use fornax_graph::{Constant, Dim, ElementType, OpKind, TensorType, ValueId};
use fornax_types::Scalar;

use super::reduce::{place_of, reduced, softmax, spread};
use super::shape::take;
use super::{Row, Rule};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    Row { domain: "ai.onnx.ml", name: "FeatureVectorizer", rule: Rule::One(join) },
    Row { domain: "ai.onnx.ml", name: "Imputer", rule: Rule::One(impute) },
    Row { domain: "ai.onnx.ml", name: "LabelEncoder", rule: Rule::One(encode) },
    Row { domain: "ai.onnx.ml", name: "LinearClassifier", rule: Rule::Many(linear_classifier) },
    Row { domain: "ai.onnx.ml", name: "LinearRegressor", rule: Rule::One(linear_regressor) },
    Row { domain: "ai.onnx.ml", name: "Normalizer", rule: Rule::One(normalize) },
    Row { domain: "ai.onnx.ml", name: "OneHotEncoder", rule: Rule::One(one_hot) },
    Row { domain: "ai.onnx.ml", name: "SVMClassifier", rule: Rule::Many(vector_classifier) },
    Row { domain: "ai.onnx.ml", name: "SVMRegressor", rule: Rule::One(vector_regressor) },
    Row { domain: "ai.onnx.ml", name: "Scaler", rule: Rule::One(scale) },
    Row { domain: "ai.onnx.ml", name: "ZipMap", rule: Rule::One(zip_map) },
];

/// Weights of a table, one for each support vector and pair of classes.
const TABLE_MAX: usize = 1 << 26;

/// Numbers as a constant of f32.
pub fn floats(c: &mut Converter, shape: &[i64], numbers: &[f64]) -> ValueId {
    let bytes = numbers.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect();
    c.b.constant(Constant::dense(TensorType::new(shape, ElementType::F32), bytes))
}

/// The samples as a matrix of floats, and how many features they have. One sample may come as a vector.
pub fn samples(c: &mut Converter, node: &Node, element: ElementType) -> Result<(ValueId, i64)> {
    let a = node.input(0)?;
    let mut shape = c.b.shape(a);
    let a = c.b.convert(a, element);
    let a = if shape.len() == 1 {
        shape.insert(0, Dim::Static(1));
        c.b.reshape(a, &shape)
    } else {
        a
    };
    match shape[..] {
        [_, Dim::Static(features)] => Ok((a, features)),
        [_, _] => Err(node.error("FX1025", "the number of features must be known when the model is compiled")),
        _ => Err(node.broken("a matrix of samples is expected")),
    }
}

/// The labels of classes.
///
/// # Errors
/// FX1023 for labels of text.
pub fn labels(node: &Node, integers: &str, texts: &str) -> Result<Vec<i64>> {
    if node.texts(texts).is_some_and(|list| !list.is_empty()) {
        let what = "labels of text: encode the classes as numbers before training";
        return Err(node.unsupported(what));
    }
    Ok(node.ints(integers).unwrap_or_default().to_vec())
}

/// The label of the class with the largest score of each row.
pub fn best(c: &mut Converter, node: &Node, scores: ValueId, labels: &[i64]) -> Result<ValueId> {
    if c.b.shape(scores).get(1) != Some(&Dim::Static(labels.len() as i64)) {
        return Err(node.broken(format!("{} labels for other classes", labels.len())));
    }
    let at = place_of(c, scores, 1, "GT", false);
    let labels = c.vector(labels);
    Ok(take(c, labels, at, 0))
}

/// The second label where a score is above a limit, else the first.
pub fn above(c: &mut Converter, score: ValueId, limit: f64, labels: [i64; 2]) -> ValueId {
    let shape = c.b.shape(score);
    let limit = c.number(score, limit);
    let on = c.b.compare("GT", score, limit);
    let [no, yes] = labels.map(|label| c.b.splat(&shape[..1], ElementType::I64, Scalar::Int(label.into())));
    let on = c.b.reshape(on, &shape[..1]);
    c.b.select(on, yes, no)
}

/// What is done with the scores of each row, by `transform`.
pub fn transformed(c: &mut Converter, node: &Node, transform: &str, scores: ValueId) -> Result<ValueId> {
    Ok(match transform {
        "NONE" => scores,
        "LOGISTIC" => c.b.unary(OpKind::Logistic, scores),
        "SOFTMAX" => softmax(c, scores, &[1], false),
        "SOFTMAX_ZERO" => {
            // A score of 0 stays, and takes no part.
            let zero = c.number(scores, 0.0);
            let none = c.b.compare("EQ", scores, zero);
            let nothing = c.number(scores, f64::NEG_INFINITY);
            let rest = c.b.select(none, nothing, scores);
            let parts = softmax(c, rest, &[1], false);
            c.b.select(none, scores, parts)
        }
        other => return Err(node.unsupported(format!("post_transform `{other}`"))),
    })
}

/// `samples · weightsᵀ + start`, with a row of weights a target.
fn linear(c: &mut Converter, node: &Node, targets: i64, starts: &str) -> Result<ValueId> {
    let (a, features) = samples(c, node, ElementType::F32)?;
    let weights = node.floats("coefficients").unwrap_or_default();
    if targets < 1 || Some(weights.len() as i64) != targets.checked_mul(features) {
        return Err(node.broken(format!("{} coefficients for {targets} × {features}", weights.len())));
    }
    let weights = floats(c, &[targets, features], &weights);
    let result = c.b.dot(a, weights, &super::matmul::dot(vec![], vec![], vec![1], vec![1]), ElementType::F32);
    let starts = node.floats(starts).unwrap_or_default();
    match starts.len() as i64 {
        0 => Ok(result),
        n if n == targets => {
            let starts = floats(c, &[targets], &starts);
            let shape = c.b.shape(result);
            let starts = c.stretch(starts, &shape);
            Ok(c.add(result, starts))
        }
        n => Err(node.broken(format!("{n} intercepts for {targets} targets"))),
    }
}

/// The attribute that names a transform.
fn transform<'n>(node: &'n Node) -> &'n str {
    node.text_or("post_transform", "NONE")
}

fn linear_regressor(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let result = linear(c, node, node.int_or("targets", 1), "intercepts")?;
    transformed(c, node, transform(node), result)
}

fn linear_classifier(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let labels = labels(node, "classlabels_ints", "classlabels_strings")?;
    let targets = node.floats("intercepts").map_or(labels.len(), |list| list.len());
    let scores = linear(c, node, targets as i64, "intercepts")?;
    match (targets, labels[..].try_into()) {
        (1, Ok(pair)) => {
            let label = above(c, scores, 0.0, pair);
            let scores = transformed(c, node, transform(node), scores)?;
            let other = c.with_number(OpKind::Subtract, scores, 1.0);
            let other = c.b.unary(OpKind::Negate, other);
            Ok(vec![label.into(), c.b.concatenate(&[other, scores], 1).into()])
        }
        _ => {
            let label = best(c, node, scores, &labels)?;
            Ok(vec![label.into(), transformed(c, node, transform(node), scores)?.into()])
        }
    }
}

/// A list with one number for each feature, or one for all.
fn for_each(c: &mut Converter, node: &Node, name: &str, like: ValueId) -> Result<Option<ValueId>> {
    let numbers = node.floats(name).unwrap_or_default();
    let shape = c.b.shape(like);
    match (numbers.len() as i64, shape.last()) {
        (0, _) => Ok(None),
        (1, _) => Ok(Some(c.number(like, numbers[0]))),
        (n, Some(Dim::Static(features))) if n == *features => {
            let list = floats(c, &[n], &numbers);
            Ok(Some(c.stretch(list, &shape)))
        }
        (n, _) => Err(node.broken(format!("`{name}` has {n} numbers, which are not the features"))),
    }
}

fn scale(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let mut a = node.input(0)?;
    a = c.b.convert(a, ElementType::F32);
    if let Some(offset) = for_each(c, node, "offset", a)? {
        a = c.subtract(a, offset);
    }
    Ok(match for_each(c, node, "scale", a)? {
        Some(scale) => c.multiply(a, scale),
        None => a,
    })
}

fn normalize(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let a = c.b.convert(a, ElementType::F32);
    let last = c.b.rank(a).checked_sub(1).ok_or_else(|| node.broken("a scalar has no norm"))?;
    let norm = match node.text_or("norm", "MAX") {
        "L1" => reduced(c, a, &[last], "L1", false),
        "L2" => reduced(c, a, &[last], "L2", false),
        "MAX" => reduced(c, a, &[last], "Max", false),
        other => return Err(node.broken(format!("norm `{other}`; known: MAX, L1, L2"))),
    };
    // Rows of zeros stay.
    let zero = c.number(norm, 0.0);
    let none = c.b.compare("EQ", norm, zero);
    let one = c.number(norm, 1.0);
    let norm = c.b.select(none, one, norm);
    let norm = spread(c, norm, a, &[last]);
    Ok(c.divide(a, norm))
}

fn impute(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let element = c.b.element(a);
    if element.is_integer() {
        let Some(&[number]) = node.ints("imputed_value_int64s") else {
            return Err(node.unsupported("integers with a value for each feature"));
        };
        let lost = c.b.number_like(a, Scalar::Int(node.int_or("replaced_value_int64", 0).into()));
        let lost = c.b.compare("EQ", a, lost);
        let number = c.b.number_like(a, Scalar::Int(number.into()));
        return Ok(c.b.select(lost, number, a));
    }
    let single = c.b.convert(a, ElementType::F32);
    let replaced = node.float_or("replaced_value_float", 0.0);
    let lost = match replaced.is_nan() {
        true => c.b.compare("NE", a, a),
        false => {
            let number = c.number(a, replaced);
            c.b.compare("EQ", a, number)
        }
    };
    let numbers = for_each(c, node, "imputed_value_floats", single)?;
    let numbers = numbers.ok_or_else(|| node.broken("no values to put in"))?;
    let numbers = c.b.convert(numbers, element);
    Ok(c.b.select(lost, numbers, a))
}

/// Features side by side.
fn join(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let mut parts = Vec::new();
    for value in node.tensors()? {
        c.of_rank(node, value, 2)?;
        parts.push(c.b.convert(value, ElementType::F32));
    }
    if parts.is_empty() {
        return Err(node.broken("nothing to join"));
    }
    Ok(c.b.concatenate(&parts, 1))
}

/// Numbers for numbers: each key is compared with.
fn encode(c: &mut Converter, node: &Node) -> Result<ValueId> {
    /// Keys that are written out.
    const KEYS_MAX: usize = 1 << 10;
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    let keys: Vec<Scalar> = match (node.ints("keys_int64s"), node.floats("keys_floats")) {
        (Some(list), _) => list.iter().map(|&n| Scalar::Int(n.into())).collect(),
        (_, Some(list)) => list.into_iter().map(Scalar::Float).collect(),
        _ => return Err(node.unsupported("keys of text, or in a tensor")),
    };
    let (element, values, default) = match (node.ints("values_int64s"), node.floats("values_floats")) {
        (Some(list), _) => {
            let default = Scalar::Int(node.int_or("default_int64", -1).into());
            (ElementType::I64, list.iter().map(|&n| Scalar::Int(n.into())).collect::<Vec<_>>(), default)
        }
        (_, Some(list)) => {
            let default = Scalar::Float(node.float_or("default_float", -0.0));
            (ElementType::F32, list.into_iter().map(Scalar::Float).collect(), default)
        }
        _ => return Err(node.unsupported("values of text, or in a tensor")),
    };
    if keys.len() != values.len() || keys.len() > KEYS_MAX {
        return Err(node.broken(format!("{} keys and {} values; at most {KEYS_MAX}", keys.len(), values.len())));
    }
    let mut result = c.b.splat(&shape, element, default);
    for (key, value) in keys.into_iter().zip(values).rev() {
        // A key that is no number means every element that is none.
        let on = match key {
            Scalar::Float(key) if key.is_nan() => c.b.compare("NE", a, a),
            key => {
                let key = c.b.number_like(a, key);
                c.b.compare("EQ", a, key)
            }
        };
        let value = c.b.splat(&shape, element, value);
        result = c.b.select(on, value, result);
    }
    Ok(result)
}

fn one_hot(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let Some(classes) = node.ints("cats_int64s").filter(|list| !list.is_empty()) else {
        return Err(node.unsupported("categories of text"));
    };
    if node.int_or("zeros", 1) == 0 {
        return Err(node.unsupported("zeros = 0: an unknown category as an error"));
    }
    let a = c.b.convert(a, ElementType::I64);
    let mut shape = c.b.shape(a);
    shape.push(Dim::Static(classes.len() as i64));
    let list = c.vector(classes);
    let list = c.stretch(list, &shape);
    let a = c.b.broadcast(a, &(0..shape.len() - 1).collect::<Vec<_>>(), &shape);
    let on = c.b.compare("EQ", a, list);
    Ok(c.b.convert(on, ElementType::F32))
}

/// A map for each sample; `fornax` has none.
fn zip_map(_: &mut Converter, node: &Node) -> Result<ValueId> {
    Err(node.unsupported("maps: convert the model without it (skl2onnx, onnxmltools: `zipmap=False`)"))
}

/// The kernel of each sample with each support vector, `[N, vectors]`.
fn kernel(c: &mut Converter, node: &Node, count: i64) -> Result<ValueId> {
    let (a, features) = samples(c, node, ElementType::F32)?;
    let numbers = node.floats("support_vectors").unwrap_or_default();
    if Some(numbers.len() as i64) != count.checked_mul(features) {
        return Err(node.broken(format!("{} numbers for {count} vectors of {features}", numbers.len())));
    }
    let vectors = floats(c, &[count, features], &numbers);
    let product = c.b.dot(a, vectors, &super::matmul::dot(vec![], vec![], vec![1], vec![1]), ElementType::F32);
    let given = node.floats("kernel_params").unwrap_or_default();
    let param = |at: usize| given.get(at).copied().unwrap_or(0.0);
    let (gamma, start, degree) = (param(0), param(1), param(2));
    let kind = node.text_or("kernel_type", "LINEAR");
    if kind == "RBF" {
        // exp(-γ·|a - v|²), by differences: squares of norms would cancel.
        let shape = c.b.shape(product);
        let wide = [shape[0], shape[1], Dim::Static(features)];
        let (x, v) = (c.b.broadcast(a, &[0, 2], &wide), c.b.broadcast(vectors, &[1, 2], &wide));
        let apart = c.subtract(x, v);
        let far = reduced(c, apart, &[2], "SumSquare", false);
        let power = c.with_number(OpKind::Multiply, far, -gamma);
        return Ok(c.b.unary(OpKind::Exponential, power));
    }
    if kind == "LINEAR" {
        return Ok(product);
    }
    let scaled = c.with_number(OpKind::Multiply, product, gamma);
    let moved = c.with_number(OpKind::Add, scaled, start);
    match kind {
        "POLY" => Ok(c.with_number(OpKind::Power, moved, degree)),
        "SIGMOID" => Ok(c.b.unary(OpKind::Tanh, moved)),
        other => Err(node.broken(format!("kernel_type `{other}`; known: LINEAR, POLY, RBF, SIGMOID"))),
    }
}

fn vector_regressor(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let count = node.int_or("n_supports", 0);
    if count == 0 {
        let result = linear(c, node, 1, "rho")?;
        return transformed(c, node, transform(node), result);
    }
    let kernel = kernel(c, node, count)?;
    let weights = node.floats("coefficients").unwrap_or_default();
    if weights.len() as i64 != count {
        return Err(node.broken(format!("{} coefficients for {count} vectors", weights.len())));
    }
    let weights = floats(c, &[count, 1], &weights);
    let mut result = c.b.dot(kernel, weights, &super::matmul::dot(vec![], vec![], vec![1], vec![0]), ElementType::F32);
    let start = node.floats("rho").and_then(|list| list.first().copied()).unwrap_or(0.0);
    result = c.with_number(OpKind::Add, result, start);
    if node.is_set("one_class") {
        let zero = c.number(result, 0.0);
        let (inside, outside) = (c.number(result, 1.0), c.number(result, -1.0));
        let on = c.b.compare("GT", result, zero);
        result = c.b.select(on, inside, outside);
    }
    transformed(c, node, transform(node), result)
}

/// Each pair of classes decides between them by its support vectors; the class with most votes wins.
fn vector_classifier(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let labels = labels(node, "classlabels_ints", "classlabels_strings")?;
    if node.floats("prob_a").is_some_and(|list| !list.is_empty()) {
        return Err(node.unsupported("probabilities of support vectors (prob_a): train with probability=False"));
    }
    let (Some(counts), Some(weights), Some(starts)) =
        (node.ints("vectors_per_class"), node.floats("coefficients"), node.floats("rho"))
    else {
        return Err(node.unsupported("a linear classifier without support vectors: write it as LinearClassifier"));
    };
    let (classes, count) = (counts.len(), counts.iter().fold(0i64, |sum, &n| sum.saturating_add(n)));
    let rows = classes.saturating_sub(1);
    let pairs = classes * rows / 2;
    let fits = weights.len() as i64 == count.saturating_mul(rows as i64) && starts.len() >= pairs;
    if classes < 2 || labels.len() != classes || counts.iter().any(|&n| n < 0) || !fits {
        return Err(node.broken("coefficients, vectors and classes do not fit"));
    }
    if count as usize > TABLE_MAX / pairs {
        return Err(node.unsupported(format!("{count} vectors of {classes} classes")));
    }
    let kernel = kernel(c, node, count)?;
    // Column (i, j): the weights of both classes' vectors, 0 for those of others.
    let begin: Vec<i64> = counts.iter().scan(0, |sum, n| Some(std::mem::replace(sum, *sum + n))).collect();
    let mut table = vec![0.0; count as usize * pairs];
    let mut names = Vec::new();
    for i in 0..classes {
        for j in i + 1..classes {
            for (own, row) in [(i, j - 1), (j, i)] {
                for at in begin[own]..begin[own] + counts[own] {
                    table[at as usize * pairs + names.len()] = weights[row * count as usize + at as usize];
                }
            }
            names.push((i, j));
        }
    }
    let table = floats(c, &[count, pairs as i64], &table);
    let numbers = super::matmul::dot(vec![], vec![], vec![1], vec![0]);
    let sums = c.b.dot(kernel, table, &numbers, ElementType::F32);
    let starts = floats(c, &[pairs as i64], &starts[..pairs]);
    let shape = c.b.shape(sums);
    let starts = c.stretch(starts, &shape);
    let sums = c.add(sums, starts);
    let zero = c.number(sums, 0.0);
    let first = c.b.compare("GT", sums, zero);
    let first = c.b.convert(first, ElementType::F32);
    // Votes: 1 for the first of each pair that won, else for the second.
    let mut votes = vec![0.0; pairs * classes];
    let mut owed = vec![0.0; classes];
    for (at, &(i, j)) in names.iter().enumerate() {
        votes[at * classes + i] = 1.0;
        votes[at * classes + j] = -1.0;
        owed[j] += 1.0;
    }
    let votes = floats(c, &[pairs as i64, classes as i64], &votes);
    let mut votes = c.b.dot(first, votes, &numbers, ElementType::F32);
    let owed = floats(c, &[classes as i64], &owed);
    let shape = c.b.shape(votes);
    let owed = c.stretch(owed, &shape);
    votes = c.add(votes, owed);
    let label = best(c, node, votes, &labels)?;
    let scores = if classes == 2 {
        let other = c.b.unary(OpKind::Negate, sums);
        c.b.concatenate(&[other, sums], 1)
    } else {
        sums
    };
    Ok(vec![label.into(), transformed(c, node, transform(node), scores)?.into()])
}

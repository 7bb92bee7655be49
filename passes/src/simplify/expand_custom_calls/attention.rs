//! Attention as JAX hands it to cuDNN (`__cudnn$fmha…`): products, masks and softmax as plain ops, which fusion finds
//! again.
//!
//! Operands: query, key, value; the bias, where the name has one; lengths of queries and of keys, where the mask is of
//! padding. Results: the mean of the values as [batch, heads, rows, features]; for training the logarithm of each row's
//! sum of exponentials; a workspace of no bytes. The configuration is JSON: `fmha_scale`, `mask_type`,
//! `sliding_window_length`, and whether batch and heads are dimensions 0 and 1 or 0 and 2
//! (`bmm1_dot_dimension_numbers`). Rows past a query's length are 0.
//!
//! Limits: no dropout, no packed sequences, no pages, no 8-bit floats, no gradients.
//!
//! Worked example: q [2, 5, 4, 8] and k, v [2, 7, 2, 8] (rows before heads), causal: two heads share keys; scores [2,
//! 4, 5, 7], column ≤ row.

use fornax_graph::views::DotDims;
use fornax_graph::{AttrMap, ElementType, OpKind, ValueId};
use serde_json::Value;

use super::{Call, Row, row};
use crate::simplify::ops::Ops;

pub const ROWS: &[Row] =
    &[row("__cudnn$fmhaSoftmax", softmax), row("__cudnn$fmhaScaleBiasSoftmax", biased_softmax)];

/// What masked scores are: low, and finite, so that a row of which nothing is visible has a mean.
const MASKED: f64 = -2.0e38;

/// What of the configuration counts.
struct Config {
    scale: f64,
    causal: bool,
    padding: bool,
    window: i64,
    /// Rows stand before heads.
    rows_first: bool,
}

impl Config {
    /// `None` where something is asked for that is not expanded.
    fn read(text: &str) -> Option<Config> {
        let whole: Value = serde_json::from_str(text).ok()?;
        let config = whole.get("cudnn_fmha_backend_config")?;
        let number = |name: &str| config.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        let flag = |name: &str| config.get(name).and_then(Value::as_bool).unwrap_or(false);
        let plain = number("dropout_rate") == 0.0 && number("max_seg_per_batch") <= 1.0 && !flag("is_paged_attention");
        let (causal, padding) = match config.get("mask_type")?.as_str()? {
            "NO_MASK" => (false, false),
            "CAUSAL" => (true, false),
            "PADDING" => (false, true),
            "PADDING_CAUSAL" => (true, true),
            _ => return None,
        };
        let batch = config.get("bmm1_dot_dimension_numbers")?.get("lhs_batch_dimensions")?.as_array()?;
        let batch: Vec<&str> = batch.iter().filter_map(Value::as_str).collect();
        let rows_first = match batch[..] {
            ["0", "1"] => false,
            ["0", "2"] => true,
            _ => return None,
        };
        let scale = config.get("fmha_scale")?.as_f64()?;
        let window = number("sliding_window_length") as i64;
        plain.then_some(Config { scale, causal, padding, window, rows_first })
    }
}

fn softmax(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    expand(o, call, false)
}

fn biased_softmax(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    expand(o, call, true)
}

fn expand(o: &Ops, call: &Call, biased: bool) -> Option<Vec<ValueId>> {
    let config = Config::read(&call.text)?;
    let lengths = if config.padding { 2 } else { 0 };
    if call.operands.len() != 3 + usize::from(biased) + lengths || !(2..=3).contains(&call.results.len()) {
        return None;
    }
    let operands = [0, 1, 2].map(|at| call.operands[at]);
    if operands.iter().any(|&v| o.shape(v).len() != 4 || !o.element(v).is_float()) {
        return None;
    }
    let [query, key, value] = operands.map(|v| if config.rows_first { o.transpose(v, &[0, 2, 1, 3]) } else { v });
    let &[batch, heads, rows, _] = &o.shape(query)[..] else { return None };
    let &[_, shared, columns, _] = &o.shape(key)[..] else { return None };
    let features = *o.shape(value).last()?;
    let fits = o.shape(value) == [batch, shared, columns, features]
        && o.shape(key) == [batch, shared, columns, *o.shape(query).last()?]
        && shared > 0
        && heads % shared == 0
        && call.shape(0)? == [batch, heads, rows, features];
    if !fits {
        return None;
    }
    let [key, value] = [key, value].map(|v| repeated(o, v, heads));
    let wide = [batch, heads, rows, columns];
    let products = dot(o, (query, key), (3, 3));
    let products = o.convert(products, ElementType::F32);
    let mut scores = o.mul(products, o.float(products, config.scale));
    if biased {
        scores = o.add(scores, spread(o, call.operands[3], &wide)?);
    }
    let mut visible = Vec::new();
    let (row, column) = (o.iota(&wide, 2), o.iota(&wide, 3));
    if config.causal {
        visible.push(o.compare("LE", column, row));
    }
    if config.window > 0 {
        visible.push(o.compare("LT", o.sub(row, column), o.int(row, config.window)));
    }
    let at = 3 + usize::from(biased);
    if config.padding {
        let length = of_batches(o, call.operands[at + 1], &wide, o.element(column))?;
        visible.push(o.compare("LT", column, length));
    }
    if let Some(all) = visible.into_iter().reduce(|a, b| o.and(a, b)) {
        scores = o.select(all, scores, o.float(scores, MASKED));
    }
    let (mean, logarithm) = weighed(o, scores, value, o.element(query));
    let mut results = vec![mean];
    if config.padding {
        let all = [batch, heads, rows, features];
        let row = o.iota(&all, 2);
        let length = of_batches(o, call.operands[at], &all, o.element(row))?;
        results[0] = o.select(o.compare("LT", row, length), mean, o.float(mean, 0.0));
    }
    if call.results.len() == 3 {
        (call.shape(1)? == o.shape(logarithm)).then_some(())?;
        results.push(logarithm);
    }
    let space = call.results.last()?;
    (space.static_shape()? == [0]).then_some(())?;
    results.push(o.splat(&[0], space.element, fornax_reference::Scalar::Int(0)));
    Some(results)
}

/// Softmax of the scores times the values; log Σ exp of each row.
fn weighed(o: &Ops, scores: ValueId, value: ValueId, element: ElementType) -> (ValueId, ValueId) {
    let shape = o.shape(scores);
    let low = o.splat(&[], ElementType::F32, fornax_reference::Scalar::Float(f64::NEG_INFINITY));
    let maximum = o.reduce(OpKind::Maximum, scores, low, &[3]);
    let below = o.sub(scores, o.broadcast(maximum, &[0, 1, 2], &shape));
    let weights = o.unary(OpKind::Exponential, below);
    let sum = o.sum(weights, &[3]);
    let share = o.div(weights, o.broadcast(sum, &[0, 1, 2], &shape));
    let mean = dot(o, (o.convert(share, element), value), (3, 2));
    (mean, o.add(maximum, o.unary(OpKind::Log, sum)))
}

/// Products over one dimension of each side; batches and heads are dimensions 0 and 1 of both.
fn dot(o: &Ops, (a, b): (ValueId, ValueId), (left, right): (usize, usize)) -> ValueId {
    let numbers =
        DotDims { lhs_batch: vec![0, 1], rhs_batch: vec![0, 1], lhs_contract: vec![left], rhs_contract: vec![right] };
    o.with(|rw| rw.dot(a, b, &numbers, &AttrMap::default()))
}

/// Each head as often as queries share it.
fn repeated(o: &Ops, value: ValueId, heads: i64) -> ValueId {
    let &[batch, shared, columns, inner] = &o.shape(value)[..] else { return value };
    if shared == heads {
        return value;
    }
    let all = o.broadcast(value, &[0, 1, 3, 4], &[batch, shared, heads / shared, columns, inner]);
    o.reshape(all, &[batch, heads, columns, inner])
}

/// A bias of every score, whose dimensions of size 1 are repeated, as f32.
fn spread(o: &Ops, bias: ValueId, shape: &[i64]) -> Option<ValueId> {
    let sizes = o.shape(bias);
    let fits = sizes.len() == shape.len() && sizes.iter().zip(shape).all(|(&n, &all)| n == all || n == 1);
    fits.then_some(())?;
    let dimensions: Vec<usize> = (0..shape.len()).collect();
    Some(o.broadcast(o.convert(bias, ElementType::F32), &dimensions, shape))
}

/// A length of each batch, for every element.
fn of_batches(o: &Ops, lengths: ValueId, shape: &[i64], element: ElementType) -> Option<ValueId> {
    (o.shape(lengths) == shape[..1]).then_some(())?;
    Some(o.broadcast(o.convert(lengths, element), &[0], shape))
}

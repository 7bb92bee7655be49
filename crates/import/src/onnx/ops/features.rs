//! Features for classical models: `ai.onnx.ml`, n-grams, determinants.

use fornax_graph::{Constant, Dim, ElementType, OpKind, TensorType, ValueId};
use fornax_types::Scalar;

use super::reduce::reduced;
use super::shape::take;
use super::{Row, Rule, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[
    Row { domain: "ai.onnx.ml", name: "ArrayFeatureExtractor", rule: Rule::One(extract) },
    Row { domain: "ai.onnx.ml", name: "Binarizer", rule: Rule::One(binarize) },
    one("TfIdfVectorizer", n_grams),
    one("Det", determinant),
];

/// Comparisons of n-grams with places, written out, at most.
const COMPARISONS_MAX: usize = 1 << 10;
/// Rows of a determinant that is written out.
const ROWS_MAX: i64 = 4;

fn extract(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, at) = (node.input(0)?, node.input(1)?);
    let rank = c.b.rank(a);
    if rank == 0 {
        return Err(node.broken("a scalar has no features"));
    }
    let shape = c.b.shape(at);
    let count = c.b.graph.dim_product(&shape);
    let at = c.b.reshape(at, &[count]);
    let result = take(c, a, at, rank - 1);
    Ok(if rank == 1 { c.b.reshape(result, &[Dim::Static(1), count]) } else { result })
}

fn binarize(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let edge = c.number(a, node.float_or("threshold", 0.0));
    let on = c.b.compare("GT", a, edge);
    let element = c.b.element(a);
    Ok(c.b.convert(on, element))
}

/// How often each n-gram of a list stands in a sequence, with up to so many elements skipped between its own.
fn n_grams(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let Some(pool) = node.ints("pool_int64s") else { return Err(node.unsupported("n-grams of strings")) };
    let (Some(starts), Some(places)) = (node.ints("ngram_counts"), node.ints("ngram_indexes")) else {
        return Err(node.broken("ngram_counts or ngram_indexes are missing"));
    };
    let (shortest, longest) = (node.int_or("min_gram_length", 1), node.int_or("max_gram_length", 1));
    let skips = node.int_or("max_skip_count", 0);
    let (rank, shape) = (c.b.rank(a), c.b.shape(a));
    let Some(length) = shape.last().and_then(|d| d.as_static()).filter(|_| rank <= 2) else {
        return Err(node.error("FX1025", "the length of a sequence must be known when the model is compiled"));
    };
    let width = places.iter().copied().max().unwrap_or(-1) + 1;
    if places.iter().any(|&p| p < 0) || width > 1 << 24 || !(0..1 << 16).contains(&skips) {
        return Err(node.broken("an n-gram's place is out of range"));
    }
    let outer = shape[..rank - 1].to_vec();
    let single = c.b.convert(a, ElementType::I64);
    let mut counts: Vec<(i64, ValueId)> = Vec::new();
    let mut number = 0;
    let mut comparisons = 0;
    for (k, &start) in starts.iter().enumerate() {
        let n = k + 1;
        let end = starts.get(n).copied().unwrap_or(pool.len() as i64);
        let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else {
            return Err(node.broken("ngram_counts are out of range"));
        };
        let Some(grams) = pool.get(start..end) else { return Err(node.broken("ngram_counts are out of range")) };
        for gram in grams.chunks_exact(n) {
            let Some(&place) = places.get(number) else { return Err(node.broken("ngram_indexes are too few")) };
            number += 1;
            if (n as i64) < shortest || n as i64 > longest {
                continue;
            }
            for skip in 0..if n == 1 { 1 } else { skips + 1 } {
                let reach = (n as i64 - 1) * (skip + 1);
                if reach >= length {
                    break;
                }
                comparisons += n;
                if comparisons > COMPARISONS_MAX {
                    return Err(node.unsupported(format!("more than {COMPARISONS_MAX} comparisons")));
                }
                let mut all: Option<ValueId> = None;
                for (at, &token) in (0..).zip(gram) {
                    let from = at * (skip + 1);
                    let part = c.b.slice_dim(single, rank - 1, Dim::Static(from), Dim::Static(from + length - reach));
                    let token = c.b.number_like(part, Scalar::Int(token.into()));
                    let same = c.b.compare("EQ", part, token);
                    all = Some(all.map_or(same, |old| c.b.binary(OpKind::And, old, same)));
                }
                let Some(all) = all else { continue };
                let ones = c.b.convert(all, ElementType::F32);
                counts.push((place, reduced(c, ones, &[rank - 1], "Sum", false)));
            }
        }
    }
    let mut wide = outer.clone();
    wide.push(Dim::Static(width));
    let mut sum = c.b.splat(&wide, ElementType::F32, Scalar::Int(0));
    for (place, count) in counts {
        let mut bytes = vec![0; 4 * width as usize];
        bytes[4 * place as usize..4 * place as usize + 4].copy_from_slice(&1f32.to_le_bytes());
        let unit = c.b.constant(Constant::dense(TensorType::new(&[width], ElementType::F32), bytes));
        let unit = c.stretch(unit, &wide);
        let count = c.b.broadcast(count, &(0..outer.len()).collect::<Vec<_>>(), &wide);
        let part = c.multiply(unit, count);
        sum = c.add(sum, part);
    }
    let mode = node.text_or("mode", "TF").to_string();
    if mode == "IDF" {
        sum = c.with_number(OpKind::Minimum, sum, 1.0);
    }
    match (mode.as_str(), node.floats("weights")) {
        ("TF", _) | (_, None) => Ok(sum),
        ("IDF" | "TFIDF", Some(weights)) => {
            let mut numbers = vec![1f32; width as usize];
            for (&place, weight) in places.iter().zip(weights) {
                numbers[place as usize] = weight as f32;
            }
            let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            let weights = c.b.constant(Constant::dense(TensorType::new(&[width], ElementType::F32), bytes));
            let weights = c.stretch(weights, &wide);
            Ok(c.multiply(sum, weights))
        }
        (other, _) => Err(node.broken(format!("mode `{other}`; known: TF, IDF, TFIDF"))),
    }
}

/// By cofactors.
fn determinant(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    let n = match shape[..] {
        [.., Dim::Static(rows), Dim::Static(columns)] if rows == columns && (1..=ROWS_MAX).contains(&rows) => rows,
        _ => return Err(node.unsupported(format!("other matrices than squares of 1 to {ROWS_MAX} rows"))),
    };
    let outer = shape[..shape.len() - 2].to_vec();
    let columns: Vec<i64> = (0..n).collect();
    Ok(minor(c, a, (0, &columns), &outer))
}

/// The determinant of the rows from one on in some columns.
fn minor(c: &mut Converter, a: ValueId, (row, columns): (i64, &[i64]), outer: &[Dim]) -> ValueId {
    let rank = outer.len();
    let mut sum: Option<ValueId> = None;
    for (k, &column) in columns.iter().enumerate() {
        let part = c.b.slice_dim(a, rank, Dim::Static(row), Dim::Static(row + 1));
        let part = c.b.slice_dim(part, rank + 1, Dim::Static(column), Dim::Static(column + 1));
        let mut part = c.b.reshape(part, outer);
        if columns.len() > 1 {
            let rest: Vec<i64> = columns.iter().copied().filter(|&other| other != column).collect();
            let inner = minor(c, a, (row + 1, &rest), outer);
            part = c.multiply(part, inner);
        }
        sum = Some(match sum {
            None => part,
            Some(sum) if k % 2 == 0 => c.add(sum, part),
            Some(sum) => c.subtract(sum, part),
        });
    }
    sum.unwrap_or(a)
}

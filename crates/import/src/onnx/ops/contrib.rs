//! `com.microsoft`: operators that ONNX Runtime's tools write.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};

use super::activations::{exact_gelu, swished, tanh_gelu};
use super::normalise::{normalised, rms};
use super::{Row, Rule, many};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

/// The domain of these operators.
pub const DOMAIN: &str = "com.microsoft";

/// An operator of the domain with one output.
pub const fn one(name: &'static str, rule: fn(&mut Converter, &Node) -> Result<ValueId>) -> Row {
    Row { domain: DOMAIN, name, rule: Rule::One(rule) }
}

pub const ROWS: &[Row] = &[
    one("Gelu", |c, n| {
        let a = n.input(0)?;
        Ok(exact_gelu(c, a))
    }),
    one("BiasGelu", |c, n| {
        let a = biased(c, n)?;
        Ok(exact_gelu(c, a))
    }),
    one("FastGelu", |c, n| {
        let a = biased(c, n)?;
        Ok(tanh_gelu(c, a))
    }),
    one("QuickGelu", |c, n| {
        let a = n.input(0)?;
        Ok(swished(c, a, n.float_or("alpha", f64::from(1.702f32))))
    }),
    one("MatMulNBits", product_of_bits),
    one("Range", super::make::range),
    one("CDist", distances),
    Row { domain: DOMAIN, name: "SkipLayerNormalization", rule: Rule::Many(|c, n| skipped(c, n, false)) },
    Row { domain: DOMAIN, name: "SkipSimplifiedLayerNormalization", rule: Rule::Many(|c, n| skipped(c, n, true)) },
    Row { domain: DOMAIN, name: "EmbedLayerNormalization", rule: Rule::Many(embedded) },
    // ONNX Runtime's tools put this one into the default domain.
    many("SimplifiedLayerNormalization", simplified),
    Row { domain: DOMAIN, name: "SimplifiedLayerNormalization", rule: Rule::Many(simplified) },
];

/// Distances of the rows of one matrix from those of another.
fn distances(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let (&[m, k], &[n, l]) = (c.of_rank(node, a, 2)?.as_slice(), c.of_rank(node, b, 2)?.as_slice()) else {
        return Err(node.broken("two matrices are expected"));
    };
    c.same(node, k, l)?;
    let (a, b) = (c.b.broadcast(a, &[0, 2], &[m, n, k]), c.b.broadcast(b, &[1, 2], &[m, n, k]));
    let apart = c.subtract(a, b);
    let square = c.multiply(apart, apart);
    let sum = super::reduce::reduced(c, square, &[2], "Sum", false);
    match node.text_or("metric", "sqeuclidean") {
        "sqeuclidean" => Ok(sum),
        "euclidean" => Ok(c.b.unary(OpKind::Sqrt, sum)),
        other => Err(node.broken(format!("metric `{other}`; known: euclidean, sqeuclidean"))),
    }
}

/// The first input plus the second, if there is one.
fn biased(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    match node.optional(1) {
        Some(bias) => c.binary(node, OpKind::Add, a, bias),
        None => Ok(a),
    }
}

fn last_axis(c: &mut Converter, node: &Node, a: ValueId) -> Result<Vec<usize>> {
    let rank = c.b.rank(a);
    let axis = node.axis_of(node.int_or("axis", -1), rank)?;
    Ok((axis..rank).collect())
}

fn simplified(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (a, scale) = (node.input(0)?, node.input(1)?);
    if node.wants(1) {
        return Err(node.unsupported("the inverse root as an output"));
    }
    let axes = last_axis(c, node, a)?;
    let result = scaled_rms(c, node, a, &axes)?;
    let scale = {
        let element = c.b.element(result);
        c.b.convert(scale, element)
    };
    Ok(vec![c.binary(node, OpKind::Multiply, result, scale)?.into()])
}

fn scaled_rms(c: &mut Converter, node: &Node, a: ValueId, axes: &[usize]) -> Result<ValueId> {
    let element = c.b.element(a);
    let wide = c.wide(a);
    let result = rms(c, wide, axes, node.float_or("epsilon", f64::from(1e-5f32)));
    Ok(c.b.convert(result, element))
}

/// A normalisation of a sum; the sum is the fourth output.
fn skipped(c: &mut Converter, node: &Node, is_simplified: bool) -> Result<Vec<Item>> {
    let (a, skip, scale) = (node.input(0)?, node.input(1)?, node.input(2)?);
    if node.wants(1) || node.wants(2) {
        return Err(node.unsupported("the mean and the inverse root as outputs"));
    }
    let mut sum = c.binary(node, OpKind::Add, a, skip)?;
    let (shift, bias) = if is_simplified { (None, node.optional(3)) } else { (node.optional(3), node.optional(4)) };
    if let Some(bias) = bias {
        sum = c.binary(node, OpKind::Add, sum, bias)?;
    }
    let axes = last_axis(c, node, sum)?;
    let result = match is_simplified {
        true => scaled_rms(c, node, sum, &axes)?,
        false => {
            let element = c.b.element(sum);
            let wide = c.wide(sum);
            // This operator's default is not that of LayerNormalization.
            let (result, _, _) = normalised(c, wide, &axes, node.float_or("epsilon", f64::from(1e-12f32)));
            c.b.convert(result, element)
        }
    };
    let mut result = c.binary(node, OpKind::Multiply, result, scale)?;
    if let Some(shift) = shift {
        result = c.binary(node, OpKind::Add, result, shift)?;
    }
    Ok(vec![result.into(), Item::Nothing, Item::Nothing, sum.into()])
}

/// A normalised sum of embeddings: of words, of positions (0, 1, … where none are given) and of segments, if there are
/// any. The other outputs are how many words of each row a mask has, and the sum.
fn embedded(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (ids, table, positions) = (node.input(0)?, node.input(2)?, node.input(3)?);
    let (gamma, beta) = (node.input(5)?, node.input(6)?);
    let sizes = c.of_rank(node, ids, 2)?;
    let mut sum = looked_up(c, node, table, ids)?;
    let places = match node.optional(8) {
        Some(places) => looked_up(c, node, positions, places)?,
        None => {
            let room = c.of_rank(node, positions, 2)?[0];
            if !c.b.at_most(sizes[1], room, &node.title) {
                return Err(node.broken("there are more words than positions"));
            }
            c.b.slice_dim(positions, 0, Dim::Static(0), sizes[1])
        }
    };
    if let (Some(segments), Some(table)) = (node.optional(1), node.optional(4)) {
        let segments = looked_up(c, node, table, segments)?;
        sum = c.binary(node, OpKind::Add, sum, segments)?;
    }
    sum = c.binary(node, OpKind::Add, sum, places)?;
    let (element, wide) = (c.b.element(sum), c.wide(sum));
    let (result, _, _) = normalised(c, wide, &[2], node.float_or("epsilon", f64::from(1e-12f32)));
    let result = c.b.convert(result, element);
    let result = c.binary(node, OpKind::Multiply, result, gamma)?;
    let result = c.binary(node, OpKind::Add, result, beta)?;
    let count = match node.optional(7) {
        Some(mask) => {
            c.of_rank(node, mask, 2)?;
            let mask = c.b.convert(mask, ElementType::I32);
            super::reduce::reduced(c, mask, &[1], "Sum", false)
        }
        None => c.b.splat(&sizes[..1], ElementType::I32, fornax_types::Scalar::Int(0)),
    };
    Ok(vec![result.into(), count.into(), sum.into()])
}

/// Rows of a matrix.
fn looked_up(c: &mut Converter, node: &Node, table: ValueId, ids: ValueId) -> Result<ValueId> {
    c.of_rank(node, table, 2)?;
    let ids = c.b.convert(ids, ElementType::I64);
    Ok(super::shape::take(c, table, ids, 0))
}

/// Integers of some bits, packed into bytes along the last dimension, the lowest bits first.
fn unpacked(c: &mut Converter, node: &Node, a: ValueId, bits: i64) -> Result<ValueId> {
    let mut shape = c.b.shape(a);
    if bits == 8 {
        return Ok(a);
    }
    let each = 8 / bits;
    let mut parts = Vec::new();
    let mut one = shape.clone();
    one.push(Dim::Static(1));
    for k in 0..each {
        let moved = c.with_number(OpKind::ShiftRightLogical, a, (k * bits) as f64);
        let part = c.with_number(OpKind::And, moved, f64::from((1u32 << bits) - 1));
        parts.push(c.b.reshape(part, &one));
    }
    let all = c.b.concatenate(&parts, shape.len());
    let Some(last) = shape.last_mut() else { return Err(node.broken("packed bits are a scalar")) };
    *last = c.b.scaled(*last, each, 0);
    Ok(c.b.reshape(all, &shape))
}

/// `a · bᵀ` with `b` `[N, blocks, bytes]` of a few bits an element, a scale and perhaps a zero point a block.
fn product_of_bits(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, packed, scales) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let (k, n) = (node.int_or("K", 0), node.int_or("N", 0));
    let (bits, block) = (node.int_or("bits", 4), node.int_or("block_size", 0));
    if node.optional(4).is_some() {
        return Err(node.unsupported("g_idx"));
    }
    if ![2, 4, 8].contains(&bits) || block < 16 || k < 1 || n < 1 || c.b.element(packed) != ElementType::Ui8 {
        return Err(node.unsupported(format!("{bits} bits in blocks of {block}; 2, 4 and 8 bits are")));
    }
    let blocks = k.div_euclid(block) + i64::from(k % block != 0);
    let whole = [Dim::Static(n), Dim::Static(blocks), Dim::Static(block)];
    let packed = super::shape::reshaped(c, node, packed, vec![n.into(), blocks.into(), (block * bits / 8).into()])?;
    let element = c.b.element(a);
    let with = if element == ElementType::F64 { element } else { ElementType::F32 };
    let numbers = unpacked(c, node, packed, bits)?;
    let numbers = c.b.convert(numbers, with);
    let one_each = |c: &mut Converter, value: ValueId| -> Result<ValueId> {
        let value = super::shape::reshaped(c, node, value, vec![n.into(), blocks.into()])?;
        let value = c.b.convert(value, with);
        Ok(c.b.broadcast(value, &[0, 1], &whole))
    };
    let centred = match node.optional(3) {
        Some(zero) if c.b.element(zero) == ElementType::Ui8 => {
            // A row of packed zero points ends with a whole byte.
            let bytes = (blocks * bits).div_euclid(8) + i64::from(blocks * bits % 8 != 0);
            let zero = super::shape::reshaped(c, node, zero, vec![n.into(), bytes.into()])?;
            let zero = unpacked(c, node, zero, bits)?;
            let zero = c.b.slice_dim(zero, 1, Dim::Static(0), blocks.into());
            let zero = one_each(c, zero)?;
            c.subtract(numbers, zero)
        }
        Some(zero) => {
            let zero = one_each(c, zero)?;
            c.subtract(numbers, zero)
        }
        None => c.with_number(OpKind::Subtract, numbers, f64::from(1u32 << (bits - 1))),
    };
    let scales = one_each(c, scales)?;
    let weights = c.multiply(centred, scales);
    let weights = c.b.reshape(weights, &[n.into(), (blocks * block).into()]);
    let weights = c.b.slice_dim(weights, 1, Dim::Static(0), k.into());
    let rank = c.b.rank(a);
    let last = c.b.shape(a).last().copied().unwrap_or(Dim::Static(0));
    c.same(node, last, k.into())?;
    let wide = c.b.convert(a, with);
    let numbers = super::matmul::dot(vec![], vec![], vec![rank - 1], vec![1]);
    let mut result = c.b.dot(wide, weights, &numbers, with);
    if let Some(bias) = node.optional(5) {
        let bias = c.b.convert(bias, with);
        result = c.binary(node, OpKind::Add, result, bias)?;
    }
    Ok(c.b.convert(result, element))
}

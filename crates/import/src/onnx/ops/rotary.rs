//! Rotary positions.

use fornax_graph::{Dim, ElementType, ValueId};

use super::attention::{heads, rows};
use super::shape::take;
use super::{Row, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[one("RotaryEmbedding", rotary)];

fn rotary(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, cosines, sines) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let is_packed = c.b.rank(a) == 3;
    let x = if is_packed { heads(c, node, a, node.int_or("num_heads", 0))? } else { a };
    let angles = match node.optional(3) {
        Some(at) => {
            let at = c.b.convert(at, ElementType::I64);
            (take(c, cosines, at, 0), take(c, sines, at, 0))
        }
        None => (cosines, sines),
    };
    let result = rotated(c, node, x, angles, node.is_set("interleaved"))?;
    Ok(if is_packed { rows(c, result) } else { result })
}

/// `[B, H, S, D]`, of which the first elements of each row are turned by angles `[B, S, R / 2]`.
pub fn rotated(
    c: &mut Converter,
    node: &Node,
    x: ValueId,
    (cosines, sines): (ValueId, ValueId),
    is_interleaved: bool,
) -> Result<ValueId> {
    let shape = c.b.shape(x);
    let &[batch, count, length, width] = shape.as_slice() else {
        return Err(node.broken("four dimensions are expected"));
    };
    let mut turned = match node.int_or("rotary_embedding_dim", 0) {
        0 => width,
        other => Dim::Static(other),
    };
    let half = match c.b.shape(cosines)[..] {
        [.., half] => half,
        [] => return Err(node.broken("angles are expected")),
    };
    let whole = c.b.scaled(half, 2, 0);
    turned = c.same(node, turned, whole)?;
    let part = c.b.slice_dim(x, 3, Dim::Static(0), turned);
    let (first, second) = if is_interleaved {
        let pairs = c.b.reshape(part, &[batch, count, length, half, Dim::Static(2)]);
        let pick = |c: &mut Converter, k: i64| {
            let one = c.b.slice_dim(pairs, 4, Dim::Static(k), Dim::Static(k + 1));
            c.b.reshape(one, &[batch, count, length, half])
        };
        (pick(c, 0), pick(c, 1))
    } else {
        (c.b.slice_dim(part, 3, Dim::Static(0), half), c.b.slice_dim(part, 3, half, turned))
    };
    let wide = [batch, count, length, half];
    let over = |c: &mut Converter, angle: ValueId| -> Result<ValueId> {
        let sizes = c.b.shape(angle);
        if sizes.len() != 3 {
            return Err(node.broken("angles of three dimensions are expected"));
        }
        c.same(node, sizes[1], length)?;
        let angle = match sizes[0] {
            Dim::Static(1) => c.b.reshape(angle, &[sizes[1], sizes[2]]),
            size => {
                c.same(node, size, batch)?;
                angle
            }
        };
        Ok(if c.b.rank(angle) == 2 {
            c.b.broadcast(angle, &[2, 3], &wide)
        } else {
            c.b.broadcast(angle, &[0, 2, 3], &wide)
        })
    };
    let (cosines, sines) = (over(c, cosines)?, over(c, sines)?);
    let (a, b) = (c.multiply(cosines, first), c.multiply(sines, second));
    let real = c.subtract(a, b);
    let (a, b) = (c.multiply(sines, first), c.multiply(cosines, second));
    let imaginary = c.add(a, b);
    let result = if is_interleaved {
        let pair = [batch, count, length, half, Dim::Static(1)];
        let (real, imaginary) = (c.b.reshape(real, &pair), c.b.reshape(imaginary, &pair));
        let both = c.b.concatenate(&[real, imaginary], 4);
        c.b.reshape(both, &[batch, count, length, turned])
    } else {
        c.b.concatenate(&[real, imaginary], 3)
    };
    if turned == width {
        return Ok(result);
    }
    let rest = c.b.slice_dim(x, 3, turned, width);
    Ok(c.b.concatenate(&[result, rest], 3))
}

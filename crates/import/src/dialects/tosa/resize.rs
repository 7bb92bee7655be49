//! `tosa.resize`: rows, then columns, each taken at places that are known while the file is read.
//!
//! Worked example: scale 2/1, offset 0: row 3 of the result stands at `3 * 1 / 2` = row 1 and 1/2. Nearest takes row 2,
//! bilinear half of row 1 and half of row 2. Integers keep the weights' numerators, as the specification says: results
//! are scaled.

use fornax_graph::{Dim, ElementType, Op, OpKind, ValueId};

use super::shapes::numbers_of;
use super::{floats, list};
use crate::dialects::build::numbers;
use crate::dialects::converter::{Converter, Result};

/// A dimension's places in the result: the element before, the one behind, and the way between them in `1 / whole`.
struct Axis {
    before: Vec<i64>,
    behind: Vec<i64>,
    way: Vec<i64>,
    whole: i64,
}

fn axis(from: i64, to: i64, scale: (i64, i64), offset: i64) -> Option<Axis> {
    if to > 1 << 24 {
        return None;
    }
    let mut axis = Axis { before: Vec::new(), behind: Vec::new(), way: Vec::new(), whole: scale.0 };
    for place in 0..to {
        let at = place.checked_mul(scale.1)?.checked_add(offset)?;
        let whole = at.div_euclid(scale.0);
        axis.before.push(whole.clamp(0, from - 1));
        axis.behind.push(whole.saturating_add(1).clamp(0, from - 1));
        axis.way.push(at.rem_euclid(scale.0));
    }
    Some(axis)
}

pub fn resize(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let (from, to, element) = (c.b.shape(a), c.result_shape(op, 0)?, c.result_element(op, 0)?);
    let (scale, offset) = (numbers_of(c, op, 1, 4)?, numbers_of(c, op, 2, 2)?);
    let image = |shape: &[Dim]| numbers(shape.get(1..3)?).filter(|_| shape.len() == 4);
    let (Some(from), Some(to)) = (image(&from), image(&to)) else {
        return Err(c.unsupported(op, "images whose height and width are not numbers".into()));
    };
    if from.contains(&0) || scale.iter().any(|&n| n < 1) {
        return Err(c.malformed(op, "images must be [N, H, W, C] and scales positive".into()));
    }
    let nearest = c.keyword(&op.attrs, "mode") == "NEAREST_NEIGHBOR";
    let mut value = if nearest { a } else { c.b.convert(a, element) };
    for d in 0..2 {
        let made = axis(from[d], to[d], (scale[2 * d], scale[2 * d + 1]), offset[d]);
        let Some(axis) = made else { return Err(c.malformed(op, "scales and offsets are too large".into())) };
        value = if nearest { nearer(c, value, d + 1, &axis) } else { between(c, value, d + 1, &axis) };
    }
    Ok(vec![value])
}

fn nearer(c: &mut Converter, a: ValueId, d: usize, axis: &Axis) -> ValueId {
    let pick = |i: usize| if axis.way[i].saturating_mul(2) >= axis.whole { axis.behind[i] } else { axis.before[i] };
    let places: Vec<i64> = (0..axis.way.len()).map(pick).collect();
    take(c, a, d, &places)
}

fn between(c: &mut Converter, a: ValueId, d: usize, axis: &Axis) -> ValueId {
    let (before, behind) = (take(c, a, d, &axis.before), take(c, a, d, &axis.behind));
    let (shape, element) = (c.b.shape(before), c.b.element(before));
    let n = [axis.way.len() as i64];
    let (left, right) = if element.is_float() {
        let right: Vec<f64> = axis.way.iter().map(|&w| w as f64 / axis.whole as f64).collect();
        let left: Vec<f64> = right.iter().map(|r| 1.0 - r).collect();
        (floats(c, &n, &left, element), floats(c, &n, &right, element))
    } else {
        let left: Vec<i64> = axis.way.iter().map(|w| axis.whole - w).collect();
        (list(c, &n, &left, element), list(c, &n, &axis.way, element))
    };
    let (left, right) = (c.b.broadcast(left, &[d], &shape), c.b.broadcast(right, &[d], &shape));
    let (left, right) = (c.b.binary(OpKind::Multiply, before, left), c.b.binary(OpKind::Multiply, behind, right));
    c.b.binary(OpKind::Add, left, right)
}

/// Elements at given places of a dimension: a slice, each element several times, or a gather.
fn take(c: &mut Converter, a: ValueId, d: usize, places: &[i64]) -> ValueId {
    let from = c.b.shape(a);
    let n = places.len() as i64;
    if places.iter().zip(0..).all(|(&p, i)| p == i) {
        return c.b.slice_dim(a, d, Dim::Static(0), Dim::Static(n));
    }
    let size = from[d].as_static().unwrap_or(1);
    let times = if n % size == 0 { n / size } else { 0 };
    if times > 1 && places.iter().zip(0..).all(|(&p, i)| p == i / times) {
        let mut spread = from.clone();
        spread.insert(d + 1, Dim::Static(times));
        let at: Vec<usize> = (0..from.len()).map(|k| if k > d { k + 1 } else { k }).collect();
        let wide = c.b.broadcast(a, &at, &spread);
        let mut to = from;
        to[d] = Dim::Static(n);
        return c.b.reshape(wide, &to);
    }
    let at = list(c, &[n, 1], places, ElementType::I32);
    let taken = c.b.gather(a, at, &[d]);
    // The places come first.
    let mut order: Vec<usize> = (1..=d).collect();
    order.push(0);
    order.extend(d + 1..from.len());
    c.b.transpose(taken, &order)
}

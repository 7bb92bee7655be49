//! Non-maximum suppression: boxes by their scores, of which those that overlap a better one are left out.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_types::Scalar;

use super::index::{places_of_true, sorted};
use super::reduce::running_along;
use super::shape::take;
use super::{Row, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[one("NonMaxSuppression", suppress)];

/// Edges of boxes: lowest and highest y, lowest and highest x.
type Edges = [ValueId; 4];

fn suppress(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (boxes, scores) = (node.input(0)?, node.input(1)?);
    let (&[batch, count, _], &[_, classes, _]) = (c.b.shape(boxes).as_slice(), c.b.shape(scores).as_slice()) else {
        return Err(node.broken("three dimensions are expected"));
    };
    let limit = |c: &mut Converter, at: usize, element: ElementType| match node.optional(at) {
        Some(value) => {
            let value = c.b.convert(value, element);
            Some(c.b.reshape(value, &[]))
        }
        None => None,
    };
    let most = limit(c, 2, ElementType::I64);
    let with = c.b.element(scores);
    let (overlap, least) = (limit(c, 3, with), limit(c, 4, with));
    let overlap = overlap.unwrap_or_else(|| c.b.splat(&[], with, Scalar::Int(0)));
    let all = [batch, classes, count];
    // Boxes of each class in the order of their scores.
    let (ordered, order) = sorted(c, scores, 2, "GT");
    let edges = edges_of(c, node, boxes)?;
    let edges: Edges = edges.map(|edge| {
        let wide = c.b.broadcast(edge, &[0, 2], &all);
        at_places(c, wide, order)
    });
    let start = match least {
        Some(least) => {
            let least = c.stretch(least, &all);
            c.b.compare("GT", ordered, least)
        }
        None => c.b.splat(&all, ElementType::I1, Scalar::Int(1)),
    };
    // Each box in turn, if it is left, takes out those behind it that overlap it too much.
    let left = c.counted(node, count, &[start], |c, round, state| {
        let left = state[0];
        let mine = c.at(left, 2, round);
        let mine = c.b.broadcast(mine, &[0, 1], &all);
        let one: Edges = edges.map(|edge| {
            let edge = c.at(edge, 2, round);
            c.b.broadcast(edge, &[0, 1], &all)
        });
        let overlaps = overlapping(c, &one, &edges, overlap);
        let numbers = c.b.iota(&all, ElementType::I64, 2);
        let round = c.stretch(round, &all);
        let behind = c.b.compare("GT", numbers, round);
        let out = c.b.binary(OpKind::And, overlaps, behind);
        let out = c.b.binary(OpKind::And, out, mine);
        let stays = c.b.unary(OpKind::Not, out);
        Ok(vec![c.b.binary(OpKind::And, left, stays)])
    })?[0];
    let numbers = c.b.convert(left, ElementType::I64);
    let counted = running_along(c, numbers, 2, OpKind::Add, (false, false));
    let most = most.unwrap_or_else(|| c.b.splat(&[], ElementType::I64, Scalar::Int(0)));
    let most = c.stretch(most, &all);
    let within = c.b.compare("LE", counted, most);
    let chosen = c.b.binary(OpKind::And, left, within);
    let total = c.b.graph.dim_product(&all);
    let flat = c.b.reshape(chosen, &[total]);
    let at = places_of_true(c, node, flat)?;
    let found = c.b.shape(at)[0];
    let mut columns = Vec::new();
    for (axis, list) in [(0, None), (1, None), (2, Some(order))] {
        let numbers = list.unwrap_or_else(|| c.b.iota(&all, ElementType::I64, axis));
        let flat = c.b.reshape(numbers, &[total]);
        let column = take(c, flat, at, 0);
        columns.push(c.b.reshape(column, &[found, Dim::Static(1)]));
    }
    Ok(c.b.concatenate(&columns, 1))
}

/// Elements of the last dimension by their places in it.
fn at_places(c: &mut Converter, a: ValueId, at: ValueId) -> ValueId {
    let mut one = c.b.shape(at);
    let rank = one.len();
    one.push(Dim::Static(1));
    let mut parts: Vec<ValueId> = (0..rank - 1).map(|d| c.b.iota(&one, ElementType::I64, d)).collect();
    parts.push(c.b.reshape(at, &one));
    let all = c.b.concatenate(&parts, rank);
    c.b.gather(a, all, &(0..rank).collect::<Vec<_>>())
}

fn edges_of(c: &mut Converter, node: &Node, boxes: ValueId) -> Result<Edges> {
    let shape = c.b.shape(boxes);
    let part = |c: &mut Converter, k: i64| {
        let one = c.b.slice_dim(boxes, 2, Dim::Static(k), Dim::Static(k + 1));
        c.b.reshape(one, &shape[..2])
    };
    let all = [part(c, 0), part(c, 1), part(c, 2), part(c, 3)];
    match node.int_or("center_point_box", 0) {
        // y1, x1, y2, x2: any two opposite corners.
        0 => Ok([
            c.b.binary(OpKind::Minimum, all[0], all[2]),
            c.b.binary(OpKind::Maximum, all[0], all[2]),
            c.b.binary(OpKind::Minimum, all[1], all[3]),
            c.b.binary(OpKind::Maximum, all[1], all[3]),
        ]),
        // Centre x, centre y, width, height.
        1 => {
            let half = |c: &mut Converter, a: ValueId| c.with_number(OpKind::Multiply, a, 0.5);
            let (w, h) = (half(c, all[2]), half(c, all[3]));
            Ok([c.subtract(all[1], h), c.add(all[1], h), c.subtract(all[0], w), c.add(all[0], w)])
        }
        other => Err(node.broken(format!("center_point_box {other}; known: 0, 1"))),
    }
}

/// Whether the shared part of two boxes is more of both than a share.
fn overlapping(c: &mut Converter, a: &Edges, b: &Edges, share: ValueId) -> ValueId {
    let zero = c.number(a[0], 0.0);
    let side = |c: &mut Converter, k: usize| {
        let low = c.b.binary(OpKind::Maximum, a[k], b[k]);
        let high = c.b.binary(OpKind::Minimum, a[k + 1], b[k + 1]);
        let side = c.subtract(high, low);
        c.b.binary(OpKind::Maximum, side, zero)
    };
    let (h, w) = (side(c, 0), side(c, 2));
    let shared = c.multiply(h, w);
    let area = |c: &mut Converter, e: &Edges| {
        let (h, w) = (c.subtract(e[1], e[0]), c.subtract(e[3], e[2]));
        c.multiply(h, w)
    };
    let (x, y) = (area(c, a), area(c, b));
    let sum = c.add(x, y);
    let union = c.subtract(sum, shared);
    let shape = c.b.shape(union);
    let share = c.stretch(share, &shape);
    let part = c.divide(shared, union);
    let more = c.b.compare("GT", part, share);
    let some = c.b.compare("GT", shared, zero);
    let (left, right) = (c.b.compare("GT", x, zero), c.b.compare("GT", y, zero));
    let both = c.b.binary(OpKind::And, left, right);
    let some = c.b.binary(OpKind::And, some, both);
    c.b.binary(OpKind::And, more, some)
}

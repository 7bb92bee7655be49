//! Distinct elements or slices, as many as there are.

use fornax_graph::{Attr, Dim, ElementType, NewOp, OpKind, Type, ValueId};
use fornax_types::Scalar;

use super::index::{places_of_true, scatter};
use super::reduce::running_along;
use super::shape::take;
use super::{Row, many};
use crate::dialects::build::{int, tensor_of};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[many("Unique", unique)];

/// Elements of a slice that is compared with others.
const KEYS_MAX: i64 = 64;

fn unique(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    let axis = match node.int("axis") {
        Some(axis) => Some(node.axis_of(axis, shape.len())?),
        None => None,
    };
    // Slices as rows: [n, keys].
    let (rows, back) = match axis {
        None => {
            let total = c.b.graph.dim_product(&shape);
            (c.b.reshape(a, &[total, Dim::Static(1)]), None)
        }
        Some(axis) => {
            let order: Vec<usize> = std::iter::once(axis).chain((0..shape.len()).filter(|&d| d != axis)).collect();
            let front = c.b.transpose(a, &order);
            let outer = c.b.shape(front);
            let keys = c.b.graph.dim_product(&outer[1..]);
            (c.b.reshape(front, &[outer[0], keys]), Some((axis, outer)))
        }
    };
    let [n, Dim::Static(keys)] = c.b.shape(rows)[..] else {
        return Err(node.error("FX1025", "the size of a slice must be known when the model is compiled"));
    };
    if !(1..=KEYS_MAX).contains(&keys) {
        return Err(node.unsupported(format!("slices of {keys} elements; 1 to {KEYS_MAX} can be compared")));
    }
    let columns: Vec<ValueId> = (0..keys)
        .map(|k| {
            let column = c.b.slice_dim(rows, 1, Dim::Static(k), Dim::Static(k + 1));
            c.b.reshape(column, &[n])
        })
        .collect();
    let (sorted, order) = lexicographic(c, &columns);
    // Where a new group begins in the order, and the first place of each element's group.
    let begins = group_starts(c, &sorted, n);
    let numbers = c.b.iota(&[n], ElementType::I64, 0);
    let zero = c.number(numbers, 0.0);
    let begun = c.b.select(begins, numbers, zero);
    let start = running_along(c, begun, 0, OpKind::Maximum, (false, false));
    let first = take(c, order, start, 0);
    let first = placed(c, first, order, n);
    let is_first = c.b.compare("EQ", first, numbers);
    // The number of each group: in the order of values, or of first places.
    let in_order = node.int_or("sorted", 1) != 0;
    let (number, chosen) = if in_order {
        let ones = c.b.convert(begins, ElementType::I64);
        let count = running_along(c, ones, 0, OpKind::Add, (false, false));
        let group = c.with_number(OpKind::Subtract, count, 1.0);
        let group = placed(c, group, order, n);
        let at = places_of_true(c, node, begins)?;
        (group, take(c, order, at, 0))
    } else {
        let ones = c.b.convert(is_first, ElementType::I64);
        let count = running_along(c, ones, 0, OpKind::Add, (false, false));
        let group = c.with_number(OpKind::Subtract, count, 1.0);
        (take(c, group, first, 0), places_of_true(c, node, is_first)?)
    };
    let values = take(c, rows, chosen, 0);
    let count = c.b.shape(chosen)[0];
    let values = match back {
        None => c.b.reshape(values, &[count]),
        Some((axis, mut outer)) => {
            outer[0] = count;
            let values = c.b.reshape(values, &outer);
            let order: Vec<usize> = (1..=axis).chain([0]).chain(axis + 1..outer.len()).collect();
            c.b.transpose(values, &order)
        }
    };
    let empty = c.b.splat(&[n], ElementType::I64, Scalar::Int(0));
    let ones = c.b.splat(&[n], ElementType::I64, Scalar::Int(1));
    let at = c.b.reshape(number, &[n, Dim::Static(1)]);
    let region = c.b.reducer(OpKind::Add, ElementType::I64);
    let counts = scatter(c, (empty, at, ones), 1, region);
    let counts = c.b.slice_of(counts, &[Dim::Static(0)], &[count], &[1], &[count]);
    Ok([values, chosen, number, counts].into_iter().map(Item::from).collect())
}

/// Values of an order back at the places that it was made from.
fn placed(c: &mut Converter, a: ValueId, order: ValueId, n: Dim) -> ValueId {
    let empty = c.b.splat(&[n], ElementType::I64, Scalar::Int(0));
    let at = c.b.reshape(order, &[n, Dim::Static(1)]);
    let scalar = Type::tensor(&[], ElementType::I64);
    let region = c.b.region(&[scalar.clone(), scalar], |_, at| vec![at[1]]);
    scatter(c, (empty, at, a), 1, region)
}

/// Rows in order, by their first column, then the next; and where each was.
fn lexicographic(c: &mut Converter, columns: &[ValueId]) -> (Vec<ValueId>, ValueId) {
    let shape = c.b.shape(columns[0]);
    let numbers = c.b.iota(&shape, ElementType::I64, 0);
    let mut operands = columns.to_vec();
    operands.push(numbers);
    let types: Vec<Type> = operands.iter().map(|&v| tensor_of(&shape, c.b.element(v))).collect();
    let scalars: Vec<Type> = operands.iter().flat_map(|&v| vec![Type::tensor(&[], c.b.element(v)); 2]).collect();
    let keys = columns.len();
    let region = c.b.region(&scalars, |b, at| {
        let mut less = b.compare("LT", at[2 * keys - 2], at[2 * keys - 1]);
        for k in (0..keys - 1).rev() {
            let (below, same) = (b.compare("LT", at[2 * k], at[2 * k + 1]), b.compare("EQ", at[2 * k], at[2 * k + 1]));
            let rest = b.binary(OpKind::And, same, less);
            less = b.binary(OpKind::Or, below, rest);
        }
        vec![less]
    });
    let mut op = NewOp::new(OpKind::Sort, operands, types, c.b.location)
        .attr("dimension", int(0))
        .attr("is_stable", Attr::Bool(true));
    op.regions.push(region);
    let mut results = c.b.push(op);
    let order = results.pop().unwrap_or(numbers);
    (results, order)
}

/// Whether each row differs from the one before it; the first does.
fn group_starts(c: &mut Converter, sorted: &[ValueId], n: Dim) -> ValueId {
    let numbers = c.b.iota(&[n], ElementType::I64, 0);
    let before = c.with_number(OpKind::Subtract, numbers, 1.0);
    let before = c.with_number(OpKind::Maximum, before, 0.0);
    let zero = c.number(numbers, 0.0);
    let mut begins = c.b.compare("EQ", numbers, zero);
    for &column in sorted {
        let other = take(c, column, before, 0);
        let differs = c.b.compare("NE", column, other);
        begins = c.b.binary(OpKind::Or, begins, differs);
    }
    begins
}

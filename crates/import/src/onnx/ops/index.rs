//! Operators that read or write at places.

use fornax_graph::{Attr, AttrMap, Dim, ElementType, NewOp, OpKind, RegionId, Type, ValueId};
use fornax_types::Scalar;

use super::reduce::running_along;
use super::shape::take;
use super::{Row, many, one};
use crate::dialects::build::{dims, int, tensor_of};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    one("Gather", gather),
    one("GatherElements", gather_elements),
    one("GatherND", gather_nd),
    one("Scatter", scatter_elements),
    one("ScatterElements", scatter_elements),
    one("ScatterND", scatter_nd),
    one("TensorScatter", tensor_scatter),
    one("OneHot", one_hot),
    one("NonZero", non_zero),
    one("Compress", compress),
    one("ReverseSequence", reverse_sequence),
    many("TopK", top_k),
];

/// Places as i64 that count from the front.
fn places(c: &mut Converter, at: ValueId, size: Dim) -> ValueId {
    let at = c.b.convert(at, ElementType::I64);
    if let Some(numbers) = c.known_ints(at)
        && numbers.iter().all(|&n| n >= 0)
    {
        return at;
    }
    let shape = c.b.shape(at);
    let zero = c.number(at, 0.0);
    let negative = c.b.compare("LT", at, zero);
    let size = c.b.index_of(size);
    let size = c.stretch(size, &shape);
    let moved = c.add(at, size);
    c.b.select(negative, moved, at)
}

fn gather(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, at) = (node.input(0)?, node.input(1)?);
    let axis = node.axis_of(node.int_or("axis", 0), c.b.rank(a))?;
    let size = c.b.shape(a)[axis];
    let at = places(c, at, size);
    // One place that is known is a slice.
    if let Some(&[place]) = c.known_ints(at).as_deref()
        && size.as_static().is_none_or(|size| place < size)
    {
        let part = c.b.slice_dim(a, axis, Dim::Static(place), Dim::Static(place + 1));
        let mut shape = c.b.shape(a);
        shape.splice(axis..=axis, c.b.shape(at));
        return Ok(c.b.reshape(part, &shape));
    }
    Ok(take(c, a, at, axis))
}

/// Index vectors for each element of `at`: its own place, but along `axis` what it holds.
fn full_places(c: &mut Converter, at: ValueId, axis: usize) -> ValueId {
    let mut shape = c.b.shape(at);
    let rank = shape.len();
    shape.push(Dim::Static(1));
    let mut parts = Vec::new();
    for d in 0..rank {
        parts.push(match d == axis {
            true => c.b.reshape(at, &shape),
            false => c.b.iota(&shape, ElementType::I64, d),
        });
    }
    c.b.concatenate(&parts, rank)
}

fn gather_elements(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, at) = (node.input(0)?, node.input(1)?);
    let rank = c.b.rank(a);
    let axis = node.axis_of(node.int_or("axis", 0), rank)?;
    if c.b.rank(at) != rank {
        return Err(node.broken("places and data have several ranks"));
    }
    let size = c.b.shape(a)[axis];
    let at = places(c, at, size);
    let all = full_places(c, at, axis);
    Ok(c.b.gather(a, all, &(0..rank).collect::<Vec<_>>()))
}

/// Index vectors that count from the front in each of the dimensions that they index.
fn vectors(c: &mut Converter, at: ValueId, sizes: &[Dim]) -> ValueId {
    let at = c.b.convert(at, ElementType::I64);
    let shape = c.b.shape(at);
    let list = c.sizes_vector(sizes);
    let list = c.stretch(list, &shape);
    let zero = c.number(at, 0.0);
    let negative = c.b.compare("LT", at, zero);
    let moved = c.add(at, list);
    c.b.select(negative, moved, at)
}

fn gather_nd(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, at) = (node.input(0)?, node.input(1)?);
    let batch = usize::try_from(node.int_or("batch_dims", 0)).map_err(|_| node.broken("batch_dims is negative"))?;
    let (from, shape) = (c.b.shape(a), c.b.shape(at));
    let Some(&Dim::Static(depth)) = shape.last() else {
        return Err(node.error("FX1025", "the length of index vectors must be known when the model is compiled"));
    };
    let depth = depth as usize;
    if batch + depth > from.len() || batch >= shape.len() {
        return Err(node.broken("index vectors are longer than the data has dimensions"));
    }
    let at = vectors(c, at, &from[batch..batch + depth]);
    let mut parts = Vec::new();
    let mut one = shape.clone();
    if let Some(last) = one.last_mut() {
        *last = Dim::Static(1);
    }
    for d in 0..batch {
        parts.push(c.b.iota(&one, ElementType::I64, d));
    }
    parts.push(at);
    let all = c.b.concatenate(&parts, shape.len() - 1);
    Ok(c.b.gather(a, all, &(0..batch + depth).collect::<Vec<_>>()))
}

/// How an element that is written meets the one that was there.
fn combination(c: &mut Converter, node: &Node, element: ElementType) -> Result<RegionId> {
    let kind = match node.text_or("reduction", "none") {
        "none" => None,
        "add" => Some(OpKind::Add),
        "mul" => Some(OpKind::Multiply),
        "max" => Some(OpKind::Maximum),
        "min" => Some(OpKind::Minimum),
        other => return Err(node.broken(format!("reduction `{other}`; known: none, add, mul, max, min"))),
    };
    let scalar = Type::tensor(&[], element);
    Ok(match kind {
        Some(kind) => c.b.reducer(kind, element),
        None => c.b.region(&[scalar.clone(), scalar], |_, at| vec![at[1]]),
    })
}

/// Writes windows at index vectors, which index the first `depth` dimensions.
pub fn scatter(
    c: &mut Converter,
    (a, at, new): (ValueId, ValueId, ValueId),
    depth: usize,
    region: RegionId,
) -> ValueId {
    let (shape, places) = (c.b.shape(a), c.b.rank(at));
    let window: Vec<usize> = (places - 1..places - 1 + shape.len() - depth).collect();
    let indexed: Vec<usize> = (0..depth).collect();
    let mut fields = AttrMap::default();
    for (name, list) in [
        ("update_window_dims", &window),
        ("inserted_window_dims", &indexed),
        ("input_batching_dims", &Vec::new()),
        ("scatter_indices_batching_dims", &Vec::new()),
        ("scatter_dims_to_operand_dims", &indexed),
    ] {
        fields.set(name, dims(list));
    }
    fields.set("index_vector_dim", int(places as i64 - 1));
    let ty = tensor_of(&shape, c.b.element(a));
    let mut op = NewOp::new(OpKind::Scatter, vec![a, at, new], vec![ty], c.b.location)
        .attr("scatter_dimension_numbers", Attr::Struct("stablehlo.scatter".into(), fields))
        .attr("indices_are_sorted", Attr::Bool(false))
        .attr("unique_indices", Attr::Bool(false));
    op.regions.push(region);
    c.b.push(op)[0]
}

fn scatter_elements(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, at, new) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let rank = c.b.rank(a);
    let axis = node.axis_of(node.int_or("axis", 0), rank)?;
    if c.b.rank(at) != rank || c.b.shape(at) != c.b.shape(new) || c.b.element(a) != c.b.element(new) {
        return Err(node.broken("data, places and updates do not fit"));
    }
    let size = c.b.shape(a)[axis];
    let at = places(c, at, size);
    let all = full_places(c, at, axis);
    let element = c.b.element(a);
    let region = combination(c, node, element)?;
    Ok(scatter(c, (a, all, new), rank, region))
}

fn scatter_nd(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, at, new) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let (from, shape) = (c.b.shape(a), c.b.shape(at));
    let Some(&Dim::Static(depth)) = shape.last() else {
        return Err(node.error("FX1025", "the length of index vectors must be known when the model is compiled"));
    };
    let depth = depth as usize;
    if depth > from.len() || c.b.rank(new) + 1 + depth != shape.len() + from.len() || c.b.element(a) != c.b.element(new)
    {
        return Err(node.broken("data, places and updates do not fit"));
    }
    let at = vectors(c, at, &from[..depth]);
    let element = c.b.element(a);
    let region = combination(c, node, element)?;
    Ok(scatter(c, (a, at, new), depth, region))
}

/// Writes rows into a cache, each batch's from a place of its own on.
fn tensor_scatter(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (cache, new) = (node.input(0)?, node.input(1)?);
    let rank = c.b.rank(cache);
    let axis = node.axis_of(node.int_or("axis", -2), rank)?;
    let shape = c.b.shape(new);
    if axis == 0 || shape.len() != rank {
        return Err(node.broken("the axis is that of the batch, or the update has another rank"));
    }
    let mut at = c.b.iota(&shape, ElementType::I64, axis);
    if let Some(first) = node.optional(2) {
        let first = c.b.convert(first, ElementType::I64);
        let first = c.b.broadcast(first, &[0], &shape);
        at = c.add(at, first);
    }
    match node.text_or("mode", "linear") {
        "linear" => {}
        "circular" => {
            let size = c.b.shape(cache)[axis];
            let size = c.b.index_of(size);
            let size = c.stretch(size, &shape);
            at = c.b.binary(OpKind::Remainder, at, size);
        }
        other => return Err(node.broken(format!("mode `{other}`; known: linear, circular"))),
    }
    let all = full_places(c, at, axis);
    let scalar = Type::tensor(&[], c.b.element(cache));
    let region = c.b.region(&[scalar.clone(), scalar], |_, at| vec![at[1]]);
    Ok(scatter(c, (cache, all, new), rank, region))
}

fn one_hot(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (at, values) = (node.input(0)?, node.input(2)?);
    let depth = node.input(1)?;
    let depth = c.b.convert(depth, ElementType::I64);
    let depth = match c.known_sizes(depth).as_deref() {
        Some(&[depth]) => depth,
        _ => {
            let scalar = c.b.reshape(depth, &[]);
            if c.b.block != c.b.entry.unwrap_or(c.b.block) {
                return Err(node.error("FX1025", "the depth is computed inside a loop or a branch"));
            }
            c.b.graph.value_dim(scalar, &format!("n{}", scalar.0), (0, i64::MAX))
        }
    };
    let mut shape = c.b.shape(at);
    let axis = node.axis_of(node.int_or("axis", -1), shape.len() + 1)?;
    shape.insert(axis, depth);
    let at = c.b.convert(at, ElementType::I64);
    let at = places(c, at, depth);
    let to: Vec<usize> = (0..shape.len()).filter(|&d| d != axis).collect();
    let at = c.b.broadcast(at, &to, &shape);
    let numbers = c.b.iota(&shape, ElementType::I64, axis);
    let on = c.b.compare("EQ", at, numbers);
    let halves: Vec<ValueId> = (0..2)
        .map(|k| {
            let one = c.b.slice_dim(values, 0, Dim::Static(k), Dim::Static(k + 1));
            let one = c.b.reshape(one, &[]);
            c.stretch(one, &shape)
        })
        .collect();
    Ok(c.b.select(on, halves[1], halves[0]))
}

/// Places of `true` in a vector, in their order, as many as there are: the host reads how many.
pub fn places_of_true(c: &mut Converter, node: &Node, which: ValueId) -> Result<ValueId> {
    if let Some(known) = c.known_ints(which) {
        let at: Vec<i64> = (0..).zip(known).filter(|(_, on)| *on != 0).map(|(at, _)| at).collect();
        return Ok(c.vector(&at));
    }
    if c.b.block != c.b.entry.unwrap_or(c.b.block) {
        return Err(node.error("FX1025", "a number of elements is computed inside a loop or a branch"));
    }
    let shape = c.of_rank(node, which, 1)?;
    let ones = c.b.convert(which, ElementType::I64);
    let count = c.b.reduce(ones, Scalar::Int(0), &[0], OpKind::Add);
    let most = shape[0].as_static().unwrap_or(i64::MAX);
    let size = c.b.graph.value_dim(count, &format!("n{}", count.0), (0, most));
    c.b.sizes.insert(count, size);
    // Element n of the result is the place where the n-th `true` is counted; the others go nowhere.
    let counted = running_along(c, ones, 0, OpKind::Add, (false, false));
    let before = c.with_number(OpKind::Subtract, counted, 1.0);
    let nowhere = c.number(before, -1.0);
    let to = c.b.select(which, before, nowhere);
    let to = c.b.reshape(to, &[shape[0], Dim::Static(1)]);
    let numbers = c.b.iota(&shape, ElementType::I64, 0);
    let empty = c.b.splat(&shape, ElementType::I64, Scalar::Int(0));
    let scalar = Type::tensor(&[], ElementType::I64);
    let region = c.b.region(&[scalar.clone(), scalar], |_, at| vec![at[1]]);
    let all = scatter(c, (empty, to, numbers), 1, region);
    Ok(c.b.slice_of(all, &[Dim::Static(0)], &[size], &[1], &[size]))
}

fn non_zero(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    let zero = c.b.number_like(a, Scalar::Int(0));
    let some = c.b.compare("NE", a, zero);
    let total = c.b.graph.dim_product(&shape);
    let flat = c.b.reshape(some, &[total]);
    let at = places_of_true(c, node, flat)?;
    let count = c.b.shape(at)[0];
    let mut rows = Vec::new();
    for d in 0..shape.len() {
        let behind = c.b.graph.dim_product(&shape[d + 1..]);
        let (behind, size) = (c.b.index_of(behind), c.b.index_of(shape[d]));
        let (behind, size) = (c.stretch(behind, &[count]), c.stretch(size, &[count]));
        let row = c.divide(at, behind);
        let row = c.b.binary(OpKind::Remainder, row, size);
        rows.push(c.b.reshape(row, &[Dim::Static(1), count]));
    }
    if rows.is_empty() {
        return Ok(c.b.splat(&[Dim::Static(0), count], ElementType::I64, Scalar::Int(0)));
    }
    Ok(c.b.concatenate(&rows, 0))
}

fn compress(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (mut a, mut which) = (node.input(0)?, node.input(1)?);
    let axis = match node.int("axis") {
        Some(axis) => node.axis_of(axis, c.b.rank(a))?,
        None => {
            let shape = c.b.shape(a);
            let total = c.b.graph.dim_product(&shape);
            a = c.b.reshape(a, &[total]);
            0
        }
    };
    // Conditions may be fewer than elements, and not more.
    let (have, size) = (c.of_rank(node, which, 1)?[0], c.b.shape(a)[axis]);
    if let (Dim::Static(have), Dim::Static(size)) = (have, size)
        && have > size
    {
        which = c.b.slice_dim(which, 0, Dim::Static(0), Dim::Static(size));
    }
    let at = places_of_true(c, node, which)?;
    Ok(take(c, a, at, axis))
}

fn reverse_sequence(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, lengths) = (node.input(0)?, node.input(1)?);
    let rank = c.b.rank(a);
    let time = node.axis_of(node.int_or("time_axis", 0), rank)?;
    let batch = node.axis_of(node.int_or("batch_axis", 1), rank)?;
    let shape = c.b.shape(a);
    let lengths = c.b.convert(lengths, ElementType::I64);
    let lengths = c.b.broadcast(lengths, &[batch], &shape);
    let numbers = c.b.iota(&shape, ElementType::I64, time);
    let last = c.with_number(OpKind::Subtract, lengths, 1.0);
    let back = c.subtract(last, numbers);
    let inside = c.b.compare("LT", numbers, lengths);
    let at = c.b.select(inside, back, numbers);
    let all = full_places(c, at, time);
    Ok(c.b.gather(a, all, &(0..rank).collect::<Vec<_>>()))
}

/// A sort of elements with their numbers, of which the first are kept.
fn top_k(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let a = node.input(0)?;
    let axis = node.axis_of(node.int_or("axis", -1), c.b.rank(a))?;
    let k = match node.int("k").filter(|_| node.version < 10) {
        Some(k) => Dim::Static(k),
        None => c.amounts(node, 1)?.first().copied().ok_or_else(|| node.broken("k is missing"))?,
    };
    c.not_negative(node, &[k])?;
    let direction = if node.int_or("largest", 1) != 0 { "GT" } else { "LT" };
    let (values, numbers) = sorted(c, a, axis, direction);
    if let (Dim::Static(k), Dim::Static(size)) = (k, c.b.shape(a)[axis])
        && k > size
    {
        return Err(node.broken(format!("the first {k} of {size} elements")));
    }
    Ok(vec![
        c.b.slice_dim(values, axis, Dim::Static(0), k).into(),
        c.b.slice_dim(numbers, axis, Dim::Static(0), k).into(),
    ])
}

/// Elements in order along an axis, and where each was.
pub fn sorted(c: &mut Converter, a: ValueId, axis: usize, direction: &str) -> (ValueId, ValueId) {
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    let numbers = c.b.iota(&shape, ElementType::I64, axis);
    let (one, number) = (Type::tensor(&[], element), Type::tensor(&[], ElementType::I64));
    let region =
        c.b.region(&[one.clone(), one, number.clone(), number], |b, at| vec![b.compare(direction, at[0], at[1])]);
    let types = vec![tensor_of(&shape, element), tensor_of(&shape, ElementType::I64)];
    let mut op = NewOp::new(OpKind::Sort, vec![a, numbers], types, c.b.location)
        .attr("dimension", int(axis as i64))
        .attr("is_stable", Attr::Bool(true));
    op.regions.push(region);
    let results = c.b.push(op);
    (results[0], results[1])
}

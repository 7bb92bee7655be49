//! torch-mlir's `tm_tensor`: sorts, running sums, scatters and the greatest of a line, which linalg does not have.
//!
//! Worked example: `sort dimension(1)` with `cmpf oge` on two values keeps a pair that is in order or equal; StableHLO
//! asks whether the first must come before: not (second ≥ first). Equal elements keep their order.

use fornax_graph::{Attr, AttrMap, Dim, ElementType, NewOp, Op, OpKind, RegionId, Type, ValueId};

use super::body::{Lane, Scope};
use super::build::{Window, dims, int};
use super::converter::{Converter, Result, Rule};
use super::reduction::neutral;
use super::scalars;

pub const RULES: &[(&str, Rule)] =
    &[("tm_tensor.scan", scan), ("tm_tensor.scatter", scatter), ("tm_tensor.sort", sort), ("tm_tensor.topk", top)];

/// The op's region on scalars of the given types, `order` naming the region's argument for each of the block's.
fn scalar_region(
    c: &mut Converter,
    op: &Op,
    types: &[Type],
    order: &[usize],
    finish: fn(&mut Converter, ValueId) -> ValueId,
) -> Result<RegionId> {
    let block = c.region_block(op, 0)?;
    let (raw, arguments) = (c.raw, c.raw.block(block).arguments.clone());
    let last = raw.block(block).ops.last().map(|&id| raw.op(id)).filter(|op| op.name == "tm_tensor.yield");
    let Some(&[root]) = last.map(|op| op.operands.as_slice()) else {
        return Err(c.malformed(op, "the block must yield one value".into()));
    };
    if arguments.len() != order.len() {
        return Err(c.malformed(op, "the block does not fit the operands".into()));
    }
    c.region(types, |c, given| {
        let mut scope = Scope::new(Vec::new());
        for (argument, &at) in arguments.iter().zip(order) {
            let Some(&value) = given.get(at) else { continue };
            scope.env.insert(*argument, Lane { value, dims: Vec::new() });
        }
        // Numbers from outside are made again inside: the region stands alone.
        for outer in c.needed(block, &[root]) {
            if let Some(id) = raw.producer(outer)
                && raw.op(id).kind == OpKind::Constant
                && !scope.env.contains_key(&outer)
            {
                let value = c.constant(raw.op(id))?;
                scope.env.insert(outer, Lane { value, dims: Vec::new() });
            }
        }
        c.evaluate(block, &[root], &mut scope)?;
        let value = c.lane(op, root, &scope)?.value;
        Ok(vec![finish(c, value)])
    })
}

fn same(_: &mut Converter, value: ValueId) -> ValueId {
    value
}

fn not(c: &mut Converter, value: ValueId) -> ValueId {
    c.b.unary(OpKind::Not, value)
}

/// Whether the comparison that a block yields holds for equal elements.
fn holds_for_equal(c: &Converter, op: &Op) -> Result<bool> {
    let block = c.region_block(op, 0)?;
    let root = c.raw.block(block).ops.last().and_then(|&id| c.raw.op(id).operands.first().copied());
    let compare = root.and_then(|root| c.raw.producer(root)).map(|id| c.raw.op(id));
    match compare.map(|op| (op.name.as_str(), op.attrs.int("predicate"))) {
        Some(("arith.cmpf", Some(3 | 5 | 10 | 12))) | Some(("arith.cmpi", Some(3 | 5 | 7 | 9))) => Ok(true),
        Some(("arith.cmpf", Some(2 | 4 | 9 | 11))) | Some(("arith.cmpi", Some(2 | 4 | 6 | 8))) => Ok(false),
        _ => Err(c.unsupported(op, "an order that is not one comparison".into())),
    }
}

/// Operands sorted along a dimension by the op's block, which sees pairs of elements.
fn sorted(c: &mut Converter, op: &Op, operands: &[ValueId], dimension: usize, pairs: usize) -> Result<Vec<ValueId>> {
    let scalars: Vec<Type> = operands
        .iter()
        .flat_map(|&v| {
            let scalar = Type::tensor(&[], c.b.element(v));
            [scalar.clone(), scalar]
        })
        .collect();
    let straight: Vec<usize> = (0..2 * pairs).collect();
    let region = if holds_for_equal(c, op)? {
        let swapped: Vec<usize> = straight.iter().map(|at| at ^ 1).collect();
        scalar_region(c, op, &scalars, &swapped, not)?
    } else {
        scalar_region(c, op, &scalars, &straight, same)?
    };
    let types = operands.iter().map(|&v| c.b.graph.ty(v).clone()).collect();
    let mut new = NewOp::new(OpKind::Sort, operands.to_vec(), types, c.b.location);
    new.attrs.set("dimension", int(dimension as i64));
    new.attrs.set("is_stable", Attr::Bool(true));
    new.regions.push(region);
    Ok(c.b.push(new))
}

fn sort(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let operands = c.operands(op)?;
    let rank = operands.first().map_or(0, |&v| c.b.rank(v));
    let dimension = c.dimension(op, "dimension", rank)?;
    sorted(c, op, &operands, dimension, operands.len())
}

/// The first of the sorted elements, with their places.
fn top(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let segments = c.segments(op, 2)?;
    let values = c.operand(op, 0)?;
    let shape = c.b.shape(values);
    let dimension = c.dimension(op, "dimension", shape.len())?;
    let (&[kept, places], 1 | 2) = (segments[1], segments[0].len()) else {
        return Err(c.malformed(op, "values and places are needed".into()));
    };
    let (kept, places) = (c.value(op, kept)?, c.value(op, places)?);
    let count = c.b.shape(kept).get(dimension).copied().unwrap_or(Dim::Static(0));
    let places = match segments[0].get(1) {
        Some(&given) => c.value(op, given)?,
        None => {
            let element = c.b.element(places);
            c.b.iota(&shape, element, dimension)
        }
    };
    let done = sorted(c, op, &[values, places], dimension, 1)?;
    Ok(done.into_iter().map(|v| c.b.slice_dim(v, dimension, Dim::Static(0), count)).collect())
}

/// `out[i] = in[0] ∘ … ∘ in[i]`, or up to `i - 1` from the initial value; and the last of them.
fn scan(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, start) = (c.operand(op, 0)?, c.operand(op, 2)?);
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    let dimension = c.dimension(op, "dimension", shape.len())?;
    let block = c.region_block(op, 0)?;
    let (raw, arguments) = (c.raw, c.raw.block(block).arguments.clone());
    let root = raw.block(block).ops.last().and_then(|&id| raw.op(id).operands.first().copied());
    let combine = root.and_then(|root| raw.producer(root)).map(|id| raw.op(id));
    let known = combine.and_then(|combine| Some((combine, neutral(&combine.name, element)?)));
    let Some((combine, first)) = known.filter(|(combine, _)| {
        combine.operands.len() == 2 && arguments.len() == 2 && combine.operands.iter().all(|o| arguments.contains(o))
    }) else {
        return Err(c.unsupported(op, "a running sum of another kind than one op".into()));
    };
    let n = shape[dimension];
    if n == Dim::Static(0) || !c.b.at_most(Dim::Static(1), n, "a running sum") {
        return Err(c.unsupported(op, "a running sum of nothing".into()));
    }
    let before = c.b.minus(n, Dim::Static(1));
    let mut window = Window::unit(shape.len());
    window.size[dimension] = n;
    window.padding[dimension] = (before, Dim::Static(0));
    let init = c.b.splat(&[], element, first);
    let region = c.combining_region(combine, element);
    let mut sums = c.b.reduce_window_to(a, init, region, &window, &shape);
    if op.attrs.bool("inclusive") == Some(false) {
        let others: Vec<usize> = (0..shape.len()).filter(|&d| d != dimension).collect();
        let mut one = shape.clone();
        one[dimension] = Dim::Static(1);
        let nothing = c.b.splat(&one, element, first);
        let first = c.b.slice_dim(sums, dimension, Dim::Static(0), before);
        let shifted = c.b.concatenate(&[nothing, first], dimension);
        let start = c.b.broadcast(start, &others, &shape);
        let Some(all) = scalars::emit(&mut c.b, combine, &[start, shifted], element) else {
            return Err(c.unsupported(op, "this running sum".into()));
        };
        sums = all;
    }
    let last = c.b.slice_dim(sums, dimension, before, n);
    let kept: Vec<Dim> = (0..shape.len()).filter(|&d| d != dimension).map(|d| shape[d]).collect();
    Ok(vec![sums, c.b.reshape(last, &kept)])
}

/// Updates `[n, slice…]` at indices `[n, k]`; the block gets the update and what stands there.
fn scatter(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (updates, at, target) = (c.operand(op, 0)?, c.operand(op, 1)?, c.operand(op, 2)?);
    let map = c.ints(op, "dimension_map")?;
    let rank = c.b.rank(target);
    let map: Vec<usize> = map.into_iter().map(|d| usize::try_from(d).unwrap_or(rank)).collect();
    let window = c.b.rank(updates).saturating_sub(1);
    let inserted = match window {
        w if w == rank => Vec::new(),
        w if w + map.len() == rank => {
            let mut sorted = map.clone();
            sorted.sort_unstable();
            sorted
        }
        _ => return Err(c.unsupported(op, "updates of this rank".into())),
    };
    let element = c.b.element(target);
    let scalars = [Type::tensor(&[], element), Type::tensor(&[], element)];
    // StableHLO's region gets what stands there first.
    let region = scalar_region(c, op, &scalars, &[1, 0], same)?;
    let mut fields = AttrMap::default();
    for (name, list) in [
        ("update_window_dims", (1..=window).collect()),
        ("inserted_window_dims", inserted),
        ("input_batching_dims", Vec::new()),
        ("scatter_indices_batching_dims", Vec::new()),
        ("scatter_dims_to_operand_dims", map),
    ] {
        fields.set(name, dims(&list));
    }
    fields.set("index_vector_dim", int(1));
    let at = if c.b.element(at) == ElementType::I1 { c.b.convert(at, ElementType::I32) } else { at };
    let ty = c.b.graph.ty(target).clone();
    let mut new = NewOp::new(OpKind::Scatter, vec![target, at, updates], vec![ty], c.b.location);
    new.attrs.set("scatter_dimension_numbers", Attr::Struct("stablehlo.scatter".into(), fields));
    new.attrs.set("indices_are_sorted", Attr::Bool(false));
    new.attrs.set("unique_indices", Attr::Bool(op.attrs.bool("unique_indices") == Some(true)));
    new.regions.push(region);
    Ok(c.b.push(new))
}

//! Rules that move elements: shapes, slices, pads, gathers, scatters and sorts.

use fornax_graph::ElementType::*;

use super::generate::{Generator, Rule};
use super::program::{Value, spelled};

pub const RULES: &[Rule] = &[
    (7, broadcast),
    (7, reshape),
    (7, transpose),
    (7, slice),
    (6, pad),
    (6, concatenate),
    (4, reverse),
    (3, iota),
    (4, dynamic_slice),
    (4, dynamic_update_slice),
    (4, gather),
    (4, scatter),
    (4, sort),
];

fn broadcast(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| v.shape.len() < 4)?;
    let Value { shape, element, .. } = g.value(a).clone();
    let rank = g.random.range(shape.len() as i64, 4) as usize;
    let mut dims: Vec<usize> = g.random.shuffled(rank);
    dims.truncate(shape.len());
    let mut to: Vec<i64> = (0..rank).map(|_| g.dim()).collect();
    for (at, &d) in dims.iter().enumerate() {
        if shape[at] != 1 {
            to[d] = shape[at];
        }
    }
    if to.iter().product::<i64>() > g.most {
        return None;
    }
    let (from, result) = (spelled(&shape, element), spelled(&to, element));
    g.moved(format!("stablehlo.broadcast_in_dim ${a}$, dims = {dims:?} : ({from}) -> {result}"), &[a], &to);
    Some(())
}

fn reshape(g: &mut Generator) -> Option<()> {
    let a = g.find(|_| true)?;
    let Value { shape, element, .. } = g.value(a).clone();
    let mut left: i64 = shape.iter().product();
    let mut to = Vec::new();
    for _ in 0..g.random.below(4) {
        let divisors: Vec<i64> = (1..=left.max(1)).filter(|d| left % d == 0).collect();
        let d = *g.random.pick(&divisors);
        to.push(d);
        left /= d;
    }
    to.push(left);
    let (from, result) = (spelled(&shape, element), spelled(&to, element));
    g.moved(format!("stablehlo.reshape ${a}$ : ({from}) -> {result}"), &[a], &to);
    Some(())
}

fn transpose(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| v.shape.len() > 1)?;
    let Value { shape, element, .. } = g.value(a).clone();
    let order = g.random.shuffled(shape.len());
    let to: Vec<i64> = order.iter().map(|&d| shape[d]).collect();
    let (from, result) = (spelled(&shape, element), spelled(&to, element));
    g.moved(format!("stablehlo.transpose ${a}$, dims = {order:?} : ({from}) -> {result}"), &[a], &to);
    Some(())
}

fn slice(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty())?;
    let Value { shape, element, .. } = g.value(a).clone();
    let (mut ranges, mut to) = (Vec::new(), Vec::new());
    for &n in &shape {
        let start = g.random.range(0, n / 2);
        let limit = g.random.range(start, n).max(if g.random.below(8) == 0 { start } else { n.min(start + 1) });
        let stride = *g.random.pick(&[1, 1, 1, 2, 3]);
        ranges.push(format!("{start}:{limit}:{stride}"));
        to.push((limit - start + stride - 1) / stride);
    }
    let (from, result) = (spelled(&shape, element), spelled(&to, element));
    g.moved(format!("stablehlo.slice ${a}$ [{}] : ({from}) -> {result}", ranges.join(", ")), &[a], &to);
    Some(())
}

fn pad(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty())?;
    let Value { shape, element, .. } = g.value(a).clone();
    let (mut low, mut high, mut interior, mut to) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for &n in &shape {
        let inside = *g.random.pick(&[0, 0, 0, 1, 2]);
        let whole = n + (n - 1).max(0) * inside;
        let l = g.random.range(-2, 3).max(-whole);
        let h = g.random.range(-2, 3).max(-whole - l);
        low.push(l);
        high.push(h);
        interior.push(inside);
        to.push(whole + l + h);
    }
    if to.iter().product::<i64>() > g.most {
        return None;
    }
    let v = g.like(&[], element, false);
    let (from, scalar, result) = (spelled(&shape, element), spelled(&[], element), spelled(&to, element));
    let text = format!(
        "stablehlo.pad ${a}$, ${v}$, low = {low:?}, high = {high:?}, interior = {interior:?} \
         : ({from}, {scalar}) -> {result}"
    );
    g.moved(text, &[a, v], &to);
    Some(())
}

fn concatenate(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty())?;
    let Value { shape, element, .. } = g.value(a).clone();
    let dim = g.random.below(shape.len() as i64) as usize;
    let mut parts = vec![a];
    for _ in 0..g.random.range(1, 2) {
        let mut other = shape.clone();
        if g.random.below(2) == 0 {
            other[dim] = g.dim();
        }
        let part = g.like(&other, element, false);
        parts.insert(g.random.below(parts.len() as i64 + 1) as usize, part);
    }
    let mut to = shape.clone();
    to[dim] = parts.iter().map(|&p| g.value(p).shape[dim]).sum();
    if to.iter().product::<i64>() > g.most {
        return None;
    }
    let names: Vec<String> = parts.iter().map(|p| format!("${p}$")).collect();
    let types: Vec<String> = parts.iter().map(|&p| g.value(p).spelled()).collect();
    let (names, types, result) = (names.join(", "), types.join(", "), spelled(&to, element));
    g.moved(format!("stablehlo.concatenate {names}, dim = {dim} : ({types}) -> {result}"), &parts, &to);
    Some(())
}

fn reverse(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty())?;
    let Value { shape, element, .. } = g.value(a).clone();
    let dims: Vec<usize> = (0..shape.len()).filter(|_| g.random.below(2) == 0).collect();
    g.moved(format!("stablehlo.reverse ${a}$, dims = {dims:?} : {}", spelled(&shape, element)), &[a], &shape);
    Some(())
}

fn iota(g: &mut Generator) -> Option<()> {
    let (shape, element) = (g.shape(1), g.element());
    if element == I1 {
        return None;
    }
    let dim = g.random.below(shape.len() as i64);
    g.step(format!("stablehlo.iota dim = {dim} : {}", spelled(&shape, element)), &[], &shape, element, 0.0);
    Some(())
}

/// One start index a dimension, all of one type.
fn starts(g: &mut Generator, rank: usize) -> (Vec<usize>, String, String) {
    let element = g.index();
    let starts: Vec<usize> = (0..rank).map(|_| g.like(&[], element, true)).collect();
    let names = starts.iter().map(|s| format!("${s}$")).collect::<Vec<_>>().join(", ");
    (starts, names, vec![spelled(&[], element); rank].join(", "))
}

fn part(g: &mut Generator, shape: &[i64]) -> Vec<i64> {
    shape.iter().map(|&n| g.random.range(1.min(n), n)).collect()
}

fn dynamic_slice(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty())?;
    let Value { shape, element, .. } = g.value(a).clone();
    let to = part(g, &shape);
    let (starts, names, types) = starts(g, shape.len());
    let (from, result) = (spelled(&shape, element), spelled(&to, element));
    let text = format!("stablehlo.dynamic_slice ${a}$, {names}, sizes = {to:?} : ({from}, {types}) -> {result}");
    let result = g.moved(text, &[&[a][..], &starts].concat(), &to);
    g.program.values[result].error = g.value(a).error;
    Some(())
}

fn dynamic_update_slice(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty())?;
    let Value { shape, element, .. } = g.value(a).clone();
    let size = part(g, &shape);
    let u = g.like(&size, element, false);
    let (starts, names, types) = starts(g, shape.len());
    let (from, update) = (spelled(&shape, element), spelled(&size, element));
    let text = format!("stablehlo.dynamic_update_slice ${a}$, ${u}$, {names} : ({from}, {update}, {types}) -> {from}");
    g.moved(text, &[&[a, u][..], &starts].concat(), &shape);
    Some(())
}

fn join(items: impl IntoIterator<Item = i64>) -> String {
    items.into_iter().map(|n| n.to_string()).collect::<Vec<_>>().join(", ")
}

/// Slices of the operand, some dimensions collapsed, at starts for some dimensions.
fn gather(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty() && !v.shape.contains(&0))?;
    let Value { shape, element, .. } = g.value(a).clone();
    let rank = shape.len();
    let indexed: Vec<usize> =
        g.random.shuffled(rank).into_iter().take(g.random.range(1, rank as i64) as usize).collect();
    let collapsed: Vec<usize> = (0..rank).filter(|_| g.random.below(2) == 0).collect();
    let sizes: Vec<i64> =
        (0..rank).map(|d| if collapsed.contains(&d) { 1 } else { g.random.range(1, shape[d]) }).collect();
    let places = g.random.range(1, 4);
    let index = g.index();
    let last = g.random.below(2) == 0;
    let k = indexed.len() as i64;
    let table = if last { [places, k] } else { [k, places] };
    let i = g.like(&table, index, true);
    let offsets: Vec<i64> = (0..rank).filter(|d| !collapsed.contains(d)).map(|d| sizes[d]).collect();
    // The dimension of the places comes anywhere among those of the slices.
    let at = g.random.range(0, offsets.len() as i64);
    let mut to = offsets.clone();
    to.insert(at as usize, places);
    if to.iter().product::<i64>() > g.most || to.len() > 4 {
        return None;
    }
    let dims = join((0..to.len() as i64).filter(|&d| d != at));
    let text = format!(
        "\"stablehlo.gather\"(${a}$, ${i}$) <{{dimension_numbers = #stablehlo.gather<offset_dims = [{dims}], \
         collapsed_slice_dims = {collapsed:?}, start_index_map = {indexed:?}, index_vector_dim = {}>, \
         indices_are_sorted = false, slice_sizes = array<i64: {}>}}> : ({}, {}) -> {}",
        i64::from(last),
        join(sizes),
        spelled(&shape, element),
        spelled(&table, index),
        spelled(&to, element),
    );
    let result = g.moved(text, &[a, i], &to);
    g.program.values[result].error = g.value(a).error;
    Some(())
}

/// Rows added or written over; integers, so that the order of sums does not matter.
fn scatter(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty() && v.element.is_integer() && v.element != I1)?;
    let Value { shape, element, .. } = g.value(a).clone();
    let dim = g.random.below(shape.len() as i64) as usize;
    let places = g.random.range(1, 5);
    let index = g.index();
    let i = g.like(&[places, 1], index, true);
    let mut rows = shape.clone();
    rows.remove(dim);
    rows.insert(0, places);
    let u = g.like(&rows, element, true);
    let name = *g.random.pick(&["add", "maximum", "minimum", "multiply", ""]);
    let scalar = spelled(&[], element);
    let body = match name {
        "" => format!("stablehlo.return %y : {scalar}"),
        _ => format!("%r = stablehlo.{name} %x, %y : {scalar}\n    stablehlo.return %r : {scalar}"),
    };
    let from = spelled(&shape, element);
    let text = format!(
        "\"stablehlo.scatter\"(${a}$, ${i}$, ${u}$) \
             <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [{}], \
             inserted_window_dims = [{dim}], scatter_dims_to_operand_dims = [{dim}], index_vector_dim = 1>, \
             unique_indices = false}}> ({{
   ^bb0(%x: {scalar}, %y: {scalar}):
    {body}
   }}) : ({from}, {}, {}) -> {from}",
        join(1..shape.len() as i64),
        spelled(&[places, 1], index),
        spelled(&rows, element),
    );
    g.step(text, &[a, i, u], &shape, element, 0.0);
    Some(())
}

/// By one key, stably, with what goes along.
fn sort(g: &mut Generator) -> Option<()> {
    // The sign of a NaN that is computed is nobody's promise, and a total order sees it.
    let a = g.find(|v| !v.shape.is_empty() && (v.element.is_integer() || v.element == F32 && v.plain))?;
    let Value { shape, element, .. } = g.value(a).clone();
    let dim = g.random.below(shape.len() as i64);
    let other = g.element();
    let b = g.like(&shape, other, true);
    let direction = *g.random.pick(&["LT", "GT"]);
    let order = if element == F32 { ", TOTALORDER" } else { "" };
    let (s, o, p) = (spelled(&[], element), spelled(&[], other), spelled(&[], I1));
    let (first, second) = (spelled(&shape, element), spelled(&shape, other));
    let text = format!(
        "\"stablehlo.sort\"(${a}$, ${b}$) <{{dimension = {dim} : i64, is_stable = true}}> ({{
   ^bb0(%x: {s}, %y: {s}, %u: {o}, %w: {o}):
    %p = stablehlo.compare {direction}, %x, %y{order} : ({s}, {s}) -> {p}
    stablehlo.return %p : {p}
   }}) : ({first}, {second}) -> ({first}, {second})"
    );
    g.steps(text, &[a, b], &[(shape.clone(), element), (shape, other)]);
    Some(())
}

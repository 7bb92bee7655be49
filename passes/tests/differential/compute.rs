//! Rules that compute: elementwise ops, conversions, reductions, windows, products and convolutions.

use fornax_graph::ElementType::{self, *};

use super::generate::{Generator, Rule, tolerance, wide};
use super::program::{Value, spelled};

pub const RULES: &[Rule] = &[
    (10, unary),
    (16, binary),
    (5, compare),
    (5, select),
    (3, clamp),
    (6, convert),
    (2, bitcast),
    (8, reduce),
    (2, argmax),
    (4, window),
    (6, dot),
    (3, convolution),
    (2, select_and_scatter),
];

fn is_integer(element: ElementType) -> bool {
    element.is_integer() && element != I1
}

fn unary(g: &mut Generator) -> Option<()> {
    let a = g.find(|_| true)?;
    let Value { shape, element, error, .. } = g.value(a).clone();
    let (mut names, mut inexact): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    match element {
        I1 => names.push("not"),
        e if e.is_complex() => names.push("negate"),
        e if e.is_float() => {
            names.extend(["negate", "abs"]);
            if error == 0.0 {
                names.extend(["floor", "ceil", "round_nearest_even", "round_nearest_afz", "sign"]);
            }
            if wide(e) {
                inexact.extend(["tanh", "logistic", "sine", "cosine"]);
                if error == 0.0 {
                    inexact.extend([
                        "exponential",
                        "sqrt",
                        "log_plus_one",
                        "cbrt",
                        "rsqrt",
                        "exponential_minus_one",
                        "log",
                    ]);
                }
            }
        }
        e if e.is_unsigned() => names.extend(["not", "popcnt", "count_leading_zeros"]),
        _ => names.extend(["not", "negate", "abs", "sign", "popcnt", "count_leading_zeros"]),
    }
    let at = g.random.below((names.len() + inexact.len()) as i64) as usize;
    let (name, more) = match names.get(at) {
        Some(name) => (*name, 0.0),
        None => (inexact[at - names.len()], tolerance(element)),
    };
    let ty = spelled(&shape, element);
    g.step(format!("stablehlo.{name} ${a}$ : {ty}"), &[a], &shape, element, error + more);
    Some(())
}

/// Names of binary ops for operands of a type.
fn binary_names(element: ElementType, exact: bool) -> &'static [&'static str] {
    match element {
        I1 => &["and", "or", "xor", "maximum", "minimum"],
        e if e.is_complex() => &["add", "subtract"],
        e if e.is_float() && exact => &["add", "subtract", "multiply", "divide", "maximum", "minimum"],
        e if e.is_float() => &["add", "subtract", "multiply", "maximum", "minimum"],
        _ => &[
            "add",
            "subtract",
            "multiply",
            "divide",
            "remainder",
            "maximum",
            "minimum",
            "and",
            "or",
            "xor",
            "shift_left",
            "shift_right_arithmetic",
            "shift_right_logical",
        ],
    }
}

fn binary(g: &mut Generator) -> Option<()> {
    let a = g.find(|_| true)?;
    let Value { shape, element, .. } = g.value(a).clone();
    let b = g.like(&shape, element, false);
    let error = g.value(a).error.max(g.value(b).error);
    let name = *g.random.pick(binary_names(element, error == 0.0));
    let (a, b) = if g.random.below(2) == 0 { (a, b) } else { (b, a) };
    let more = if error > 0.0 { 2.0 * error + tolerance(element) } else { 0.0 };
    g.step(format!("stablehlo.{name} ${a}$, ${b}$ : {}", spelled(&shape, element)), &[a, b], &shape, element, more);
    Some(())
}

fn compare(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| v.error == 0.0 && !v.element.is_complex())?;
    let Value { shape, element, .. } = g.value(a).clone();
    let b = g.like(&shape, element, true);
    let direction = *g.random.pick(&["EQ", "NE", "LT", "LE", "GT", "GE"]);
    let ty = spelled(&shape, element);
    let result = spelled(&shape, I1);
    g.step(format!("stablehlo.compare {direction}, ${a}$, ${b}$ : ({ty}, {ty}) -> {result}"), &[a, b], &shape, I1, 0.0);
    Some(())
}

fn select(g: &mut Generator) -> Option<()> {
    let a = g.find(|_| true)?;
    let Value { shape, element, .. } = g.value(a).clone();
    let b = g.like(&shape, element, false);
    let whole = g.random.below(4) > 0;
    let p = g.like(if whole { &shape } else { &[] }, I1, true);
    let error = g.value(a).error.max(g.value(b).error);
    let (predicate, ty) = (g.value(p).spelled(), spelled(&shape, element));
    let text = format!("stablehlo.select ${p}$, ${a}$, ${b}$ : {predicate}, {ty}");
    g.step(text, &[p, a, b], &shape, element, error);
    Some(())
}

fn clamp(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.element.is_complex() && v.element != I1)?;
    let Value { shape, element, .. } = g.value(a).clone();
    let bounds = if g.random.below(2) == 0 { shape.clone() } else { Vec::new() };
    let (low, high) = (g.like(&bounds, element, false), g.like(&bounds, element, false));
    let error = [a, low, high].iter().map(|&v| g.value(v).error).fold(0.0, f64::max);
    let (ty, bound) = (spelled(&shape, element), spelled(&bounds, element));
    let text = format!("stablehlo.clamp ${low}$, ${a}$, ${high}$ : ({bound}, {ty}, {bound}) -> {ty}");
    g.step(text, &[low, a, high], &shape, element, error);
    Some(())
}

fn convert(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.element.is_complex())?;
    let Value { shape, element, error, .. } = g.value(a).clone();
    let to = g.element();
    if to.is_complex() || error > 0.0 && !wide(to) {
        return None;
    }
    let error = if error > 0.0 { error.max(2.0 * tolerance(to)) } else { 0.0 };
    let (from, result) = (spelled(&shape, element), spelled(&shape, to));
    g.step(format!("stablehlo.convert ${a}$ : ({from}) -> {result}"), &[a], &shape, to, error);
    Some(())
}

fn bitcast(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| {
        v.error == 0.0 && v.element.bits() >= 8 && !v.element.is_complex() && (v.plain || !v.element.is_float())
    })?;
    let Value { shape, element, .. } = g.value(a).clone();
    let to = match element.bits() {
        8 => [I8, Ui8, F8E4M3FN],
        16 => [I16, F16, Bf16],
        32 => [I32, Ui32, F32],
        _ => [I64, Ui64, F64],
    };
    let to = *g.random.pick(&to);
    let (from, result) = (spelled(&shape, element), spelled(&shape, to));
    g.step(format!("stablehlo.bitcast_convert ${a}$ : ({from}) -> {result}"), &[a], &shape, to, 0.0);
    Some(())
}

/// An associative op of a type with a neutral element, and by how much its order matters.
fn fold(g: &mut Generator, element: ElementType, error: f64) -> Option<(&'static str, usize, f64)> {
    let (name, one, more) = match element {
        I1 => *g.random.pick(&[("and", true, 0.0), ("or", false, 0.0)]),
        e if wide(e) => *g.random.pick(&[("add", false, 1.0), ("maximum", false, 0.0), ("minimum", true, 0.0)]),
        e if is_integer(e) => *g.random.pick(&[
            ("add", false, 0.0),
            ("multiply", true, 0.0),
            ("maximum", false, 0.0),
            ("minimum", true, 0.0),
            ("or", false, 0.0),
            ("xor", false, 0.0),
        ]),
        _ => return None,
    };
    let init = g.number(one, element);
    let more = if more > 0.0 || error > 0.0 { 4.0 * error + 4.0 * tolerance(element) } else { 0.0 };
    Some((name, init, more))
}

fn reduce(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty() && (wide(v.element) || v.element.is_integer() || v.element == I1))?;
    let Value { shape, element, error, .. } = g.value(a).clone();
    let (name, init, error) = fold(g, element, error)?;
    let mut dims: Vec<usize> = (0..shape.len()).filter(|_| g.random.below(2) == 0).collect();
    if dims.is_empty() {
        dims.push(g.random.below(shape.len() as i64) as usize);
    }
    let left: Vec<i64> = (0..shape.len()).filter(|d| !dims.contains(d)).map(|d| shape[d]).collect();
    let (from, scalar, to) = (spelled(&shape, element), spelled(&[], element), spelled(&left, element));
    let text = format!(
        "stablehlo.reduce(${a}$ init: ${init}$) applies stablehlo.{name} across dimensions = {dims:?} \
         : ({from}, {scalar}) -> {to}"
    );
    g.step(text, &[a, init], &left, element, error);
    Some(())
}

/// The largest value and the first place where it is.
fn argmax(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty() && v.error == 0.0 && is_integer(v.element))?;
    let Value { shape, element, .. } = g.value(a).clone();
    let dim = g.random.below(shape.len() as i64) as usize;
    let (from, places) = (spelled(&shape, element), spelled(&shape, I32));
    let iota = g.step(format!("stablehlo.iota dim = {dim} : {places}"), &[], &shape, I32, 0.0);
    let lowest = if element.is_unsigned() { 0 } else { -(1i128 << (element.bits() - 1)) };
    let low = g.constant(&lowest.to_string(), &[], element);
    let zero = g.constant("2147483647", &[], I32);
    let mut left = shape.clone();
    left.remove(dim);
    let (v, i, b) = (spelled(&[], element), spelled(&[], I32), spelled(&[], I1));
    let (to, at) = (spelled(&left, element), spelled(&left, I32));
    let text = format!(
        "stablehlo.reduce(${a}$ init: ${low}$), (${iota}$ init: ${zero}$) across dimensions = [{dim}] \
             : ({from}, {places}, {v}, {i}) -> ({to}, {at})
   reducer(%x: {v}, %y: {v}) (%i: {i}, %j: {i}) {{
    %g = stablehlo.compare GT, %x, %y : ({v}, {v}) -> {b}
    %e = stablehlo.compare EQ, %x, %y : ({v}, {v}) -> {b}
    %l = stablehlo.compare LT, %i, %j : ({i}, {i}) -> {b}
    %f = stablehlo.and %e, %l : {b}
    %p = stablehlo.or %g, %f : {b}
    %u = stablehlo.select %p, %x, %y : {b}, {v}
    %w = stablehlo.select %p, %i, %j : {b}, {i}
    stablehlo.return %u, %w : {v}, {i}
   }}"
    );
    g.steps(text, &[a, low, iota, zero], &[(left.clone(), element), (left, I32)]);
    Some(())
}

/// A window along one dimension.
pub struct Window {
    size: i64,
    stride: i64,
    low: i64,
    high: i64,
    base: i64,
    dilation: i64,
}

impl Window {
    fn new(g: &mut Generator, extent: i64) -> Window {
        let plain = g.random.below(3) == 0;
        let dilation = |g: &mut Generator| if g.random.below(5) == 0 { 2 } else { 1 };
        if plain || extent == 0 {
            return Window { size: 1, stride: 1, low: 0, high: 0, base: 1, dilation: 1 };
        }
        let (base, dilation) = (dilation(g), dilation(g));
        let size = g.random.range(1, extent.min(3));
        let (low, high) = (g.random.range(-1, 2), g.random.range(0, 2));
        Window { size, stride: g.random.range(1, 2), low, high, base, dilation }
    }

    fn result(&self, extent: i64) -> i64 {
        let padded = if extent == 0 { 0 } else { (extent - 1) * self.base + 1 } + self.low + self.high;
        let window = (self.size - 1) * self.dilation + 1;
        if padded < window { 0 } else { (padded - window) / self.stride + 1 }
    }
}

fn listed(windows: &[Window], of: impl Fn(&Window) -> i64) -> String {
    windows.iter().map(|w| of(w).to_string()).collect::<Vec<_>>().join(", ")
}

fn window(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty() && (wide(v.element) || is_integer(v.element)))?;
    let Value { shape, element, error, .. } = g.value(a).clone();
    let windows: Vec<Window> = shape.iter().map(|&n| Window::new(g, n)).collect();
    let to: Vec<i64> = windows.iter().zip(&shape).map(|(w, &n)| w.result(n)).collect();
    if to.iter().product::<i64>() > 2 * g.most {
        return None;
    }
    let (name, init, error) = fold(g, element, error)?;
    let padding: Vec<String> = windows.iter().map(|w| format!("[{}, {}]", w.low, w.high)).collect();
    let (from, scalar, result) = (spelled(&shape, element), spelled(&[], element), spelled(&to, element));
    let text = format!(
        "\"stablehlo.reduce_window\"(${a}$, ${init}$) \
             <{{padding = dense<[{}]> : tensor<{}x2xi64>, window_dimensions = array<i64: {}>, \
             window_strides = array<i64: {}>, base_dilations = array<i64: {}>, window_dilations = array<i64: {}>}}> ({{
   ^bb0(%x: {scalar}, %y: {scalar}):
    %r = stablehlo.{name} %x, %y : {scalar}
    stablehlo.return %r : {scalar}
   }}) : ({from}, {scalar}) -> {result}",
        padding.join(", "),
        shape.len(),
        listed(&windows, |w| w.size),
        listed(&windows, |w| w.stride),
        listed(&windows, |w| w.base),
        listed(&windows, |w| w.dilation),
    );
    g.step(text, &[a, init], &to, element, error);
    Some(())
}

fn dot(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| !v.shape.is_empty() && (wide(v.element) || is_integer(v.element)))?;
    let Value { shape, element, .. } = g.value(a).clone();
    let rank = shape.len();
    let order = g.random.shuffled(rank);
    let contracted = g.random.range(0, 2.min(rank as i64)) as usize;
    let batch = g.random.range(0, (rank - contracted) as i64) as usize;
    let (contract, rest) = order.split_at(contracted);
    let (batches, free) = rest.split_at(batch);
    // The other side: batch, contracting and its own dimensions in an order of its own.
    let mut sizes: Vec<i64> = batches.iter().chain(contract).map(|&d| shape[d]).collect();
    sizes.extend((0..g.random.below(2)).map(|_| g.dim()));
    let places = g.random.shuffled(sizes.len());
    let mut other = vec![0; sizes.len()];
    for (at, &place) in places.iter().enumerate() {
        other[place] = sizes[at];
    }
    let mut free = free.to_vec();
    free.sort_unstable();
    let mut to: Vec<i64> = batches.iter().chain(&free).map(|&d| shape[d]).collect();
    let mut own: Vec<usize> = places[batch + contracted..].to_vec();
    own.sort_unstable();
    to.extend(own.iter().map(|&d| other[d]));
    if to.len() > 4 || to.iter().product::<i64>() > g.most || other.iter().product::<i64>() > g.most {
        return None;
    }
    let b = g.like(&other, element, false);
    let error = g.value(a).error.max(g.value(b).error);
    let error = if element.is_float() { 8.0 * error + 8.0 * tolerance(element) } else { 0.0 };
    let batching =
        if batch > 0 { format!("batching_dims = {batches:?} x {:?}, ", &places[..batch]) } else { String::new() };
    let text = format!(
        "stablehlo.dot_general ${a}$, ${b}$, {batching}contracting_dims = {contract:?} x {:?} : ({}, {}) -> {}",
        &places[batch..batch + contracted],
        spelled(&shape, element),
        spelled(&other, element),
        spelled(&to, element),
    );
    g.step(text, &[a, b], &to, element, error);
    Some(())
}

fn convolution(g: &mut Generator) -> Option<()> {
    let element = *g.random.pick(&[F32, F32, F64, Bf16, I32, I8]);
    let (groups, batch_groups) = *g.random.pick(&[(1, 1), (1, 1), (2, 1), (3, 1), (1, 2)]);
    let (batch, inputs) = (batch_groups * g.random.range(1, 2), groups * g.random.range(1, 2));
    let outputs = groups * batch_groups * g.random.range(1, 3);
    let (height, width) = (g.random.range(1, 6), g.random.range(1, 5));
    let windows = [Window::new(g, height), Window::new(g, width)];
    let to = [batch / batch_groups, windows[0].result(height), windows[1].result(width), outputs];
    let channels_first = g.random.below(2) == 0;
    let reorder = |s: [i64; 4]| if channels_first { [s[0], s[3], s[1], s[2]] } else { s };
    let (from, to) = (reorder([batch, height, width, inputs]), reorder(to));
    let kernel = [windows[0].size, windows[1].size, inputs / groups, outputs];
    let of = |g: &mut Generator, shape: &[i64]| {
        let found = g.find(|v| v.shape == shape && v.element == element);
        found.unwrap_or_else(|| g.argument(shape, element))
    };
    let (a, k) = (of(g, &from), of(g, &kernel));
    let order = if channels_first { "b, f, 0, 1" } else { "b, 0, 1, f" };
    let pads: Vec<String> = windows.iter().map(|w| format!("[{}, {}]", w.low, w.high)).collect();
    let error = g.value(a).error.max(g.value(k).error);
    let error = if element.is_float() { 8.0 * error + 8.0 * tolerance(element) } else { 0.0 };
    let text = format!(
        "stablehlo.convolution(${a}$, ${k}$) dim_numbers = [{order}]x[0, 1, i, o]->[{order}], \
         window = {{stride = [{}], pad = [{}], lhs_dilate = [{}], rhs_dilate = [{}], reverse = [{}, false]}} \
         {{batch_group_count = {batch_groups} : i64, feature_group_count = {groups} : i64}} : ({}, {}) -> {}",
        listed(&windows, |w| w.stride),
        pads.join(", "),
        listed(&windows, |w| w.base),
        listed(&windows, |w| w.dilation),
        g.random.below(2) == 1,
        spelled(&from, element),
        spelled(&kernel, element),
        spelled(&to, element),
    );
    g.step(text, &[a, k], &to, element, error);
    Some(())
}

/// The gradient of a maximum pool: each window's largest element takes what the source says of the window.
fn select_and_scatter(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| {
        (1..4).contains(&v.shape.len()) && v.error == 0.0 && is_integer(v.element) && !v.shape.contains(&0)
    })?;
    let Value { shape, element, .. } = g.value(a).clone();
    let sizes: Vec<i64> = shape.iter().map(|&n| g.random.range(1, n.min(3))).collect();
    let strides: Vec<i64> = shape.iter().map(|_| g.random.range(1, 2)).collect();
    let source: Vec<i64> = (0..shape.len()).map(|d| (shape[d] - sizes[d]) / strides[d] + 1).collect();
    let (b, init) = (g.like(&source, element, true), g.number(false, element));
    let join = |list: &[i64]| list.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let (from, other, scalar) = (spelled(&shape, element), spelled(&source, element), spelled(&[], element));
    let truth = spelled(&[], I1);
    let text = format!(
        "\"stablehlo.select_and_scatter\"(${a}$, ${b}$, ${init}$) \
             <{{window_dimensions = array<i64: {}>, window_strides = array<i64: {}>}}> ({{
   ^bb0(%x: {scalar}, %y: {scalar}):
    %p = stablehlo.compare GE, %x, %y : ({scalar}, {scalar}) -> {truth}
    stablehlo.return %p : {truth}
   }}, {{
   ^bb0(%x: {scalar}, %y: {scalar}):
    %r = stablehlo.add %x, %y : {scalar}
    stablehlo.return %r : {scalar}
   }}) : ({from}, {other}, {scalar}) -> {from}",
        join(&sizes),
        join(&strides),
    );
    g.step(text, &[a, b, init], &shape, element, 0.0);
    Some(())
}

//! The table of sizes: equal expressions are one entry, simplified ones keep their value and their bounds.

use super::*;

fn graph() -> (Graph, Dim, Dim) {
    let mut graph = Graph::default();
    let b = graph.argument_dim(0, 0, "b", (1, i64::MAX));
    let s = graph.argument_dim(0, 1, "s", (0, 4096));
    (graph, b, s)
}

fn n(value: i64) -> Dim {
    Dim::Static(value)
}

#[test]
fn equal_polynomials_are_one_entry() {
    let (mut g, b, s) = graph();
    let (up, down) = (g.dim_add(b, n(1)), g.dim_sub(b, n(1)));
    let product = g.dim_mul(up, down);
    let square = g.dim_mul(b, b);
    assert_eq!(product, g.dim_sub(square, n(1)));
    assert_eq!(g.dim_text(product), "b*b-1");
    let (x, y) = (g.dim_mul(s, b), g.dim_mul(b, s));
    assert_eq!(x, y);
    let gone = g.dim_sub(x, y);
    assert_eq!(gone, n(0));
    let twice = g.dim_add(b, b);
    let text = g.dim_add(twice, n(1));
    assert_eq!(g.dim_text(text), "2*b+1");
}

#[test]
fn quotients_are_split_and_dissolved() {
    let (mut g, b, s) = graph();
    let x = g.dim_mul(b, n(6));
    let x = g.dim_add(x, n(4));
    let quotient = g.dim_floor_div(x, n(4));
    assert_eq!(g.dim_text(quotient), "b+(2*b)/4+1");
    let half = g.dim_floor_div(b, n(2));
    let even = g.dim_mul(half, n(2));
    let odd = g.dim_mod(b, n(2));
    assert_eq!(g.dim_add(even, odd), b);
    let product = g.dim_mul(b, s);
    assert_eq!(g.dim_floor_div(product, b), s);
    let more = g.dim_add(b, n(1));
    let rows = g.dim_mul(more, s);
    assert_eq!(g.dim_floor_div(rows, more), s);
    assert_eq!(g.dim_mod(rows, more), n(0));
}

#[test]
fn bounds_decide_minima_and_maxima() {
    let (mut g, b, s) = graph();
    assert_eq!(g.dim_max(b, n(1)), b);
    assert_eq!(g.dim_min(s, n(5000)), s);
    let next = g.dim_add(b, n(1));
    assert_eq!(g.dim_max(b, next), next);
    let either = g.dim_max(b, s);
    assert_eq!(either, g.dim_max(s, b));
    assert_eq!(g.dim_text(either), "max(b, s)");
    assert_eq!(g.dim_bounds(either), (1, i64::MAX));
    g.narrow_dim(b, 2, 8);
    assert_eq!(g.dim_bounds(either), (2, 4096));
    let twice = g.dim_mul(b, n(2));
    assert_eq!(g.dim_bounds(twice), (4, 16));
}

/// Every simplification keeps the value: random expressions against plain evaluation.
#[test]
fn simplified_expressions_keep_their_value() {
    let mut state = 7u64;
    let mut random = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    for _ in 0..100 {
        let (mut g, b, s) = graph();
        let points: Vec<(i64, i64)> = (0..6).map(|_| (1 + random(40) as i64, random(40) as i64)).collect();
        // Each with its values at the points, which the table never sees.
        let mut pool: Vec<(Dim, Vec<Option<i64>>)> =
            vec![(b, points.iter().map(|p| Some(p.0)).collect()), (s, points.iter().map(|p| Some(p.1)).collect())];
        for _ in 0..10 {
            let constant = random(9) as i64 - 3;
            let left = pool[random(pool.len() as u64) as usize].clone();
            let right = match random(2) {
                0 => (n(constant), vec![Some(constant); points.len()]),
                _ => pool[random(pool.len() as u64) as usize].clone(),
            };
            let (x, y) = (left.0, right.0);
            let exprs = [
                DimExpr::Add(x, y),
                DimExpr::Sub(x, y),
                DimExpr::Mul(x, y),
                DimExpr::FloorDiv(x, y),
                DimExpr::CeilDiv(x, y),
                DimExpr::Mod(x, y),
                DimExpr::Min(x, y),
                DimExpr::Max(x, y),
            ];
            let expr = exprs[random(8) as usize];
            let values = left.1.iter().zip(&right.1).map(|(&a, &b)| expr.apply(a?, b?)).collect();
            pool.push((g.combine(expr), values));
        }
        for (dim, values) in &pool {
            let (min, max) = g.dim_bounds(*dim);
            for (point, value) in points.iter().zip(values) {
                let symbol = |at| Some(if Dim::Symbolic(at) == b { point.0 } else { point.1 });
                let Some(value) = value else { continue };
                assert_eq!(g.dim_value(*dim, &symbol), Some(*value), "{} at {point:?}", g.dim_text(*dim));
                assert!(min <= *value && *value <= max, "{} at {point:?}: {min}..{max}", g.dim_text(*dim));
            }
        }
    }
}

#[test]
fn equations_are_solved_for_a_symbol() {
    let (mut g, b, s) = graph();
    let (x, y) = (g.dim_mul(b, n(6)), g.dim_mul(s, n(3)));
    assert_eq!(g.solve_dims(x, y, 1), None);
    let twice = g.dim_mul(b, n(2));
    assert_eq!(g.solve_dims(x, y, 2), Some(twice));
    let product = g.dim_mul(b, s);
    assert_eq!(g.solve_dims(product, y, 2), None);
}

#[test]
fn checks_that_are_known_to_hold_are_not_kept() {
    let (mut g, b, s) = graph();
    let check = |condition, a, b| DimCheck { condition, a, b, message: String::new(), location: LocId(0) };
    g.add_dim_check(check(DimRelation::LessEqual, n(1), b));
    g.add_dim_check(check(DimRelation::Equal, s, s));
    let even = g.dim_mul(b, n(4));
    g.add_dim_check(check(DimRelation::Divides, n(2), even));
    assert!(g.dim_checks.is_empty());
    g.add_dim_check(check(DimRelation::Equal, s, b));
    g.add_dim_check(check(DimRelation::Equal, s, b));
    assert_eq!(g.dim_checks.len(), 1);
}

/// What a program makes of sizes round after round: entries stay few where ways to them are many.
#[test]
fn long_chains_of_sizes_are_no_burden() {
    type Round = fn(&mut Graph, [Dim; 2]) -> [Dim; 2];
    let rounds: [(&str, Round); 4] = [
        ("squares", |g, [x, y]| [g.dim_mul(x, x), y]),
        ("sums and products", |g, [x, y]| {
            let sum = g.dim_add(x, y);
            [g.dim_mul(sum, x), g.dim_add(x, n(1))]
        }),
        ("extrema", |g, [x, y]| {
            let (less, more) = (g.dim_min(x, y), g.dim_max(x, y));
            [g.dim_sub(more, less), less]
        }),
        ("quotients", |g, [x, y]| {
            let (whole, rest) = (g.dim_floor_div(x, n(3)), g.dim_mod(x, n(70)));
            [g.dim_add(whole, rest), y]
        }),
    ];
    for (name, round) in rounds {
        let (mut g, b, s) = graph();
        let mut sizes = [b, s];
        for _ in 0..100 {
            sizes = round(&mut g, sizes);
        }
        assert!(g.dims.len() < 200_000, "{name}: {} entries", g.dims.len());
        let value = |at: u32| Some(if Dim::Symbolic(at) == b { 1 } else { 0 });
        let (parts, _) = (g.dim_parts(sizes[0]), g.dim_value(sizes[0], &value));
        assert!(parts.len() < g.dims.len() && g.dim_estimate(sizes[0]) >= 0, "{name}");
        assert!(g.dim_text(sizes[0]).len() <= text::LONGEST, "{name}");
        let mut equal = Equalities::default();
        equal.merge(&mut g, b, n(4));
        equal.canonical(&mut g, sizes[0]);
    }
}

//! Rules of control flow: counted loops and branches over what is there, with captures.

use fornax_graph::ElementType::*;

use super::generate::{Generator, Rule};
use super::program::{Value, spelled};

pub const RULES: &[Rule] = &[(2, counted), (2, branches), (1, choices)];

/// An op of two values of one type that keeps them bounded.
fn step(g: &mut Generator, value: &Value) -> &'static str {
    match value.element {
        I1 => "xor",
        e if e.is_float() => g.random.pick::<&str>(&["maximum", "minimum", "subtract"]),
        e if e.is_complex() => "subtract",
        _ => g.random.pick::<&str>(&["add", "xor", "multiply"]),
    }
}

fn counted(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| v.error == 0.0)?;
    let value = g.value(a).clone();
    let b = g.like(&value.shape, value.element, true);
    let (zero, one) = (g.constant("0", &[], I32), g.constant("1", &[], I32));
    let times = g.random.below(4).to_string();
    let limit = g.constant(&times, &[], I32);
    let (name, ty) = (step(g, &value), value.spelled());
    // The two carried tensors may change places.
    let (x, y) = if g.random.below(2) == 0 { ("%n", "%c") } else { ("%c", "%n") };
    let text = format!(
        "stablehlo.while(%i = ${zero}$, %c = ${a}$, %d = ${b}$) : tensor<i32>, {ty}, {ty}
    cond {{
     %p = stablehlo.compare LT, %i, ${limit}$ : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %p : tensor<i1>
    }} do {{
     %j = stablehlo.add %i, ${one}$ : tensor<i32>
     %n = stablehlo.{name} %c, %d : {ty}
     stablehlo.return %j, {x}, {y} : tensor<i32>, {ty}, {ty}
    }}"
    );
    let results = [(vec![], I32), (value.shape.clone(), value.element), (value.shape, value.element)];
    g.steps(text, &[zero, one, limit, a, b], &results);
    Some(())
}

fn branches(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| v.error == 0.0)?;
    let value = g.value(a).clone();
    let b = g.like(&value.shape, value.element, true);
    let p = g.like(&[], I1, true);
    let (name, ty) = (step(g, &value), value.spelled());
    let text = format!(
        "\"stablehlo.if\"(${p}$) ({{
     %n = stablehlo.{name} ${a}$, ${b}$ : {ty}
     stablehlo.return %n : {ty}
    }}, {{
     stablehlo.return ${b}$ : {ty}
    }}) : (tensor<i1>) -> {ty}"
    );
    g.step(text, &[p, a, b], &value.shape, value.element, 0.0);
    Some(())
}

fn choices(g: &mut Generator) -> Option<()> {
    let a = g.find(|v| v.error == 0.0)?;
    let value = g.value(a).clone();
    let b = g.like(&value.shape, value.element, true);
    let at = g.like(&[], I32, true);
    let ty = spelled(&value.shape, value.element);
    let (first, second) = (step(g, &value), step(g, &value));
    let branch = |name: &str, x: usize, y: usize| {
        format!("{{\n     %n = stablehlo.{name} ${x}$, ${y}$ : {ty}\n     stablehlo.return %n : {ty}\n    }}")
    };
    let (one, two) = (branch(first, a, b), branch(second, b, a));
    let text = format!(
        "\"stablehlo.case\"(${at}$) ({one}, {two}, {{\n     \
         stablehlo.return ${a}$ : {ty}\n    \
         }}) : (tensor<i32>) -> {ty}"
    );
    g.step(text, &[at, a, b], &value.shape, value.element, 0.0);
    Some(())
}

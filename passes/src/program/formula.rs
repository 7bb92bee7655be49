//! Size expressions as text, for people: `1280 + 512*b`, `max(4*n, 256)`.
//!
//! Input: an expression of the function that is planned. Output: its text with the names of the sizes; where it would
//! be longer than a line of 200 characters, its end is left out.

use fornax_module::program::{ExprId, SizeExpr};

use super::Planner;

/// Longest text, characters.
const LONGEST: usize = 200;

/// How tightly the outermost operation of a text binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Sum,
    Product,
    Whole,
}

/// The text of an expression.
pub fn text(planner: &Planner<'_>, expr: ExprId) -> String {
    let names: Vec<String> = planner.sizes_of.slots.iter().map(|&dim| name(planner, dim)).collect();
    let mut texts: Vec<(String, Binding)> = Vec::new();
    let exprs = &planner.planned.program.exprs;
    for expr in exprs.iter().take(expr as usize + 1) {
        texts.push(entry(expr, &texts, &names));
    }
    texts.pop().map_or(String::new(), |t| t.0)
}

fn name(planner: &Planner<'_>, dim: u32) -> String {
    planner.graph.dims.get(dim as usize).map_or_else(|| "?".into(), |d| d.name.clone())
}

fn entry(expr: &SizeExpr, texts: &[(String, Binding)], names: &[String]) -> (String, Binding) {
    let at = |id: &ExprId, least: Binding| match texts.get(*id as usize) {
        Some((text, binding)) if *binding >= least => text.clone(),
        Some((text, _)) => format!("({text})"),
        None => "?".into(),
    };
    let call = |name: &str, a: &ExprId, b: &ExprId| {
        (format!("{name}({}, {})", at(a, Binding::Sum), at(b, Binding::Sum)), Binding::Whole)
    };
    let infix = |op: &str, a: &ExprId, b: &ExprId, left: Binding, right: Binding| {
        (format!("{}{op}{}", at(a, left), at(b, right)), left)
    };
    let (text, binding) = match expr {
        SizeExpr::Const(value) => ((*value as i64).to_string(), Binding::Whole),
        SizeExpr::Slot(slot) => (names.get(*slot as usize).map_or("?", String::as_str).to_string(), Binding::Whole),
        SizeExpr::Add(a, b) => infix(" + ", a, b, Binding::Sum, Binding::Sum),
        SizeExpr::Sub(a, b) => infix(" - ", a, b, Binding::Sum, Binding::Product),
        SizeExpr::Mul(a, b) => infix("*", a, b, Binding::Product, Binding::Product),
        SizeExpr::FloorDiv(a, b) => call("floordiv", a, b),
        SizeExpr::CeilDiv(a, b) => call("ceildiv", a, b),
        SizeExpr::Mod(a, b) => call("mod", a, b),
        SizeExpr::Min(a, b) => call("min", a, b),
        SizeExpr::Max(a, b) => call("max", a, b),
    };
    if text.chars().count() <= LONGEST {
        return (text, binding);
    }
    (text.chars().take(LONGEST).chain("…".chars()).collect(), Binding::Whole)
}

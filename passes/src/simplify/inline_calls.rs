//! Calls become the bodies of the functions called. Private functions that nothing refers to any more are dropped.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = call @relu(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
//!   %1 = call @relu(%0) : (tensor<2xf32>) -> tensor<2xf32>
//!   return %1 : tensor<2xf32>
//! }
//! func.func private @relu(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %cst = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
//!   %0 = stablehlo.maximum %arg0, %cst : tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %cst = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
//!   %0 = stablehlo.maximum %arg0, %cst : tensor<2xf32>
//!   %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
//!   %1 = stablehlo.maximum %0, %cst_0 : tensor<2xf32>
//!   return %1 : tensor<2xf32>
//! }
//! ```
//!
//! Callees are inlined into themselves first, so each call is copied once a caller. Names met twice, functions of
//! more than one block and calls whose types differ from the callee's are left for the verifier's message.

use std::collections::{HashMap, HashSet};

use fornax_graph::{Attr, BlockId, Graph, LocId, OpId, OpKind, RegionId};

use super::copy::ValueMap;
use super::rewrite::{Outcome, Rewrite, Rewriter, sweep_regions};
use super::{Options, count_ops, each_op, symbol};
use crate::errors::{PassError, place};

pub fn run(graph: &mut Graph, options: &Options) -> Result<bool, PassError> {
    let mut budget = options.max_ops.saturating_sub(count_ops(graph));
    let mut changed = false;
    for function in callees_first(graph)? {
        let Some(body) = graph.functions[function].body else { continue };
        changed |= inline_into(graph, body, options.max_ops, &mut budget)?;
    }
    Ok(drop_unreferenced(graph) | changed)
}

fn inline_into(graph: &mut Graph, body: RegionId, limit: usize, budget: &mut usize) -> Result<bool, PassError> {
    sweep_regions(graph, &[body], &mut |rw, id| match rw.kind(id) {
        OpKind::FuncCall => inline_call(rw, id, limit, budget),
        _ => Ok(Rewrite::Keep),
    })
}

fn inline_call(rw: &mut Rewriter, id: OpId, limit: usize, budget: &mut usize) -> Outcome {
    let Some(name) = symbol(rw.graph, id, "callee") else {
        return Err(PassError::malformed(rw.graph, id, "it names no callee"));
    };
    let Some(callee) = rw.graph.function(name) else {
        return Err(PassError::malformed(rw.graph, id, format!("there is no function `@{name}`")));
    };
    let Some(entry) = rw.graph.entry(callee) else {
        return Err(PassError::NoBody { function: name.into(), at: place(rw.graph, rw.location()) });
    };
    let arguments = rw.graph.block(entry).arguments.clone();
    let operands = rw.graph.op(id).operands.clone();
    if arguments.len() != operands.len() {
        return Err(PassError::malformed(rw.graph, id, "it has another number of arguments than the callee"));
    }
    let size = size_of(rw.graph, entry);
    *budget =
        budget.checked_sub(size).ok_or_else(|| PassError::TooManyOps { at: place(rw.graph, rw.location()), limit })?;
    let mut map: ValueMap = arguments.into_iter().zip(operands).collect();
    Ok(Rewrite::Replace(rw.copy_body(entry, &mut map)))
}

fn size_of(graph: &Graph, block: BlockId) -> usize {
    let mut size = 0;
    graph.walk(block, &mut |_| size += 1);
    size
}

/// The functions in an order in which each comes after those that it calls.
///
/// # Errors
/// FX0302 when there is no such order.
fn callees_first(graph: &Graph) -> Result<Vec<usize>, PassError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let calls = calls_by_function(graph);
    let mut states = vec![State::New; calls.len()];
    let mut order = Vec::with_capacity(calls.len());
    for root in 0..calls.len() {
        if states[root] != State::New {
            continue;
        }
        states[root] = State::Open;
        let mut path = vec![(root, 0)];
        while let Some((function, next)) = path.pop() {
            let Some(&(callee, location)) = calls[function].get(next) else {
                states[function] = State::Done;
                order.push(function);
                continue;
            };
            path.push((function, next + 1));
            match states[callee] {
                State::Done => {}
                State::Open => {
                    let function = graph.functions[callee].name.clone();
                    return Err(PassError::Recursion { function, at: place(graph, location) });
                }
                State::New => {
                    states[callee] = State::Open;
                    path.push((callee, 0));
                }
            }
        }
    }
    Ok(order)
}

/// For each function the functions it calls, and where.
fn calls_by_function(graph: &Graph) -> Vec<Vec<(usize, LocId)>> {
    let names: HashMap<&str, usize> = graph.functions.iter().enumerate().map(|(at, f)| (f.name.as_str(), at)).collect();
    let calls_of = |body: Option<RegionId>| {
        let mut calls = Vec::new();
        for &block in body.iter().flat_map(|&region| &graph.region(region).blocks) {
            graph.walk(block, &mut |id| {
                let name = (graph.op(id).kind == OpKind::FuncCall).then(|| symbol(graph, id, "callee")).flatten();
                if let Some(&callee) = name.and_then(|name| names.get(name)) {
                    calls.push((callee, graph.op(id).location));
                }
            });
        }
        calls
    };
    graph.functions.iter().map(|f| calls_of(f.body)).collect()
}

/// Drops private functions that no op names. A module with private functions only keeps all of them.
fn drop_unreferenced(graph: &mut Graph) -> bool {
    if graph.functions.iter().all(|f| f.private) {
        return false;
    }
    let mut named = HashSet::new();
    each_op(graph, &mut |id| graph.op(id).attrs.0.iter().for_each(|(_, attr)| symbols(attr, &mut named)));
    let before = graph.functions.len();
    graph.functions.retain(|f| !f.private || named.contains(&f.name));
    graph.functions.len() != before
}

/// Collects the names that an attribute refers to.
fn symbols(attr: &Attr, into: &mut HashSet<String>) {
    match attr {
        Attr::Symbol(path) => into.extend(path.iter().cloned()),
        Attr::Array(items) => items.iter().for_each(|item| symbols(item, into)),
        Attr::Dict(fields) | Attr::Struct(_, fields) => fields.0.iter().for_each(|(_, item)| symbols(item, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::import;
    use super::*;

    #[test]
    fn recursion_is_an_error() {
        let text = "func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
               %0 = call @again(%arg0) : (tensor<f32>) -> tensor<f32>
               return %0 : tensor<f32>
             }
             func.func private @again(%arg0: tensor<f32>) -> tensor<f32> {
               %0 = call @main(%arg0) : (tensor<f32>) -> tensor<f32>
               return %0 : tensor<f32>
             }";
        let unverified = fornax_import::ImportOptions { verify: false, ..Default::default() };
        let mut graph = fornax_import::import_text(text, "example.mlir", &unverified).unwrap();
        let error = run(&mut graph, &Options::default()).unwrap_err();
        assert_eq!(error.code(), "FX0302", "{error}");
    }

    #[test]
    fn doubling_calls_stop_at_the_limit() {
        let mut text =
            String::from("func.func private @f0(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n");
        for n in 1..40 {
            let callee = n - 1;
            let name = if n == 39 { "@main".to_owned() } else { format!("private @f{n}") };
            text += &format!(
                "func.func {name}(%a: tensor<f32>) -> tensor<f32> {{
                   %0 = call @f{callee}(%a) : (tensor<f32>) -> tensor<f32>
                   %1 = call @f{callee}(%0) : (tensor<f32>) -> tensor<f32>
                   %2 = stablehlo.add %0, %1 : tensor<f32>
                   return %2 : tensor<f32>
                 }}\n"
            );
        }
        let options = Options { max_ops: 10_000, ..Options::default() };
        assert_eq!(run(&mut import(&text), &options).unwrap_err().code(), "FX0303");
    }
}

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
//! From each function that stays, calls are followed all the way down, so an op is copied once for each place where it
//! ends up, however long the chain of calls is. Names met twice, functions of more than one block and calls whose types
//! differ from the callee's are left for the verifier's message.

use std::collections::{HashMap, HashSet};

use fornax_graph::{Attr, BlockId, DimDef, Graph, LocId, NewOp, OpId, OpKind, RegionId, ValueId};

use crate::rewrite::copy::ValueMap;
use super::{Options, count_ops, each_op, symbol};
use crate::errors::{PassError, place};

pub fn run(graph: &mut Graph, options: &Options) -> Result<bool, PassError> {
    let calls = calls_by_function(graph);
    refuse_recursion(graph, &calls)?;
    let stays = functions_that_stay(graph);
    let limit = options.max_ops;
    let by_name = graph.functions.iter().map(|f| f.name.clone()).zip(0..).collect();
    let mut inliner = Inliner { limit, budget: limit.saturating_sub(count_ops(graph)), by_name, instances: Vec::new() };
    let mut changed = false;
    for at in 0..graph.functions.len() {
        if let Some(body) = graph.functions[at].body
            && stays[at]
            && !calls[at].is_empty()
        {
            inliner.inline_into(graph, body)?;
            changed = true;
        }
    }
    changed |= stays.contains(&false);
    let mut stays = stays.into_iter();
    graph.functions.retain(|_| stays.next().unwrap_or(true));
    Ok(changed)
}

/// Ops of one block on their way into another.
struct Frame {
    /// In reverse: the next op is the last.
    ops: Vec<OpId>,
    to: BlockId,
    /// Which call they belong to; 0 is the function itself, whose ops are moved, not copied.
    instance: usize,
    /// The call whose results are what the block's terminator hands back, and the call that it is in.
    call: Option<(OpId, usize)>,
}

/// Follows calls.
struct Inliner {
    limit: usize,
    budget: usize,
    by_name: HashMap<String, usize>,
    /// For each call that was followed, what stands for the callee's values.
    instances: Vec<ValueMap>,
}

impl Inliner {
    fn inline_into(&mut self, graph: &mut Graph, body: RegionId) -> Result<(), PassError> {
        self.instances = vec![ValueMap::new()];
        let mut frames: Vec<Frame> = graph.region(body).blocks.iter().rev().map(|&b| Frame::of(b, b, 0)).collect();
        for frame in &mut frames {
            frame.take(graph);
        }
        while let Some(frame) = frames.last_mut() {
            let Some(id) = frame.ops.pop() else {
                frames.pop();
                continue;
            };
            let (to, instance, call) = (frame.to, frame.instance, frame.call);
            if let Some((call, outside)) = call.filter(|_| frame.ops.is_empty()) {
                // The callee's terminator.
                let values = self.mapped(&graph.op(id).operands, instance);
                let results = graph.op(call).results.iter().copied();
                self.instances[outside].extend(results.zip(values));
                frames.pop();
                continue;
            }
            if graph.op(id).kind == OpKind::FuncCall
                && let Some(frame) = self.follow(graph, id, to, instance)?
            {
                frames.push(frame);
                continue;
            }
            self.put(graph, id, to, instance, &mut frames);
        }
        let own = &self.instances[0];
        for dim in graph.dims.iter_mut() {
            if let DimDef::Value { value } = &mut dim.def
                && let Some(new) = own.get(value)
            {
                *value = *new;
            }
        }
        Ok(())
    }

    fn mapped(&self, values: &[ValueId], instance: usize) -> Vec<ValueId> {
        let map = &self.instances[instance];
        values.iter().map(|v| map.get(v).copied().unwrap_or(*v)).collect()
    }

    /// The callee's ops; `None` where its types are not the call's.
    fn follow(
        &mut self,
        graph: &Graph,
        id: OpId,
        to: BlockId,
        instance: usize,
    ) -> Result<Option<Frame>, PassError> {
        let Some(name) = symbol(graph, id, "callee") else {
            return Err(PassError::malformed(graph, id, "it names no callee"));
        };
        let Some(callee) = self.by_name.get(name).map(|&at| &graph.functions[at]) else {
            return Err(PassError::malformed(graph, id, format!("there is no function `@{name}`")));
        };
        let at = || place(graph, graph.op(id).location);
        let Some(entry) = graph.entry(callee) else {
            return Err(PassError::NoBody { function: name.into(), at: at() });
        };
        let arguments = graph.block(entry).arguments.clone();
        let operands = self.mapped(&graph.op(id).operands, instance);
        if arguments.len() != operands.len() {
            return Err(PassError::malformed(graph, id, "it has another number of arguments than the callee"));
        }
        let map: ValueMap = arguments.into_iter().zip(operands).collect();
        let mut ops = graph.block(entry).ops.clone();
        let handed_back = ops.last().map(|&op| graph.op(op).operands.as_slice()).unwrap_or_default();
        let results = &graph.op(id).results;
        let fits = |(&r, v): (&ValueId, &ValueId)| graph.ty(r) == graph.ty(map.get(v).copied().unwrap_or(*v));
        if results.len() != handed_back.len() || !results.iter().zip(handed_back).all(fits) {
            return Ok(None);
        }
        let left = self.budget.checked_sub(size_of(graph, entry));
        self.budget = left.ok_or_else(|| PassError::TooManyOps { at: at(), limit: self.limit })?;
        self.instances.push(map);
        ops.reverse();
        let (inner, call) = (self.instances.len() - 1, Some((id, instance)));
        Ok(Some(Frame { ops, to, instance: inner, call }))
    }

    /// An op into a block; its regions come next.
    fn put(&mut self, graph: &mut Graph, id: OpId, to: BlockId, instance: usize, frames: &mut Vec<Frame>) {
        let operands = self.mapped(&graph.op(id).operands, instance);
        let regions = graph.op(id).regions.clone();
        let mut inner = Vec::new();
        if instance == 0 {
            graph.op_mut(id).operands = operands;
            graph.blocks[to.index()].ops.push(id);
            for &region in &regions {
                for block in graph.region(region).blocks.clone() {
                    let mut frame = Frame::of(block, block, 0);
                    frame.take(graph);
                    inner.push(frame);
                }
            }
        } else {
            let copies = regions.iter().map(|&region| self.empty_copy(graph, region, instance, &mut inner)).collect();
            let op = graph.op(id).clone();
            let copy = NewOp {
                kind: op.kind,
                name: op.name,
                operands,
                result_types: op.results.iter().map(|&r| graph.ty(r).clone()).collect(),
                attrs: op.attrs,
                regions: copies,
                location: op.location,
            };
            let made = graph.push_op(to, copy);
            let made = graph.op(made).results.iter().copied();
            self.instances[instance].extend(op.results.into_iter().zip(made));
        }
        frames.extend(inner.into_iter().rev());
    }

    /// A region with the same blocks and arguments, whose ops come later.
    fn empty_copy(&mut self, graph: &mut Graph, region: RegionId, instance: usize, inner: &mut Vec<Frame>) -> RegionId {
        let copy = graph.add_region();
        for block in graph.region(region).blocks.clone() {
            let arguments = graph.block(block).arguments.clone();
            let types: Vec<_> = arguments.iter().map(|&a| graph.ty(a).clone()).collect();
            let new = graph.add_block(copy, &types);
            self.instances[instance].extend(arguments.into_iter().zip(graph.block(new).arguments.clone()));
            let mut frame = Frame::of(block, new, instance);
            frame.ops = graph.block(block).ops.iter().rev().copied().collect();
            inner.push(frame);
        }
        copy
    }
}

impl Frame {
    fn of(from: BlockId, to: BlockId, instance: usize) -> Frame {
        debug_assert!(instance > 0 || from == to);
        Frame { ops: Vec::new(), to, instance, call: None }
    }

    /// Takes the ops out of the block that they will be put back into.
    fn take(&mut self, graph: &mut Graph) {
        self.ops = std::mem::take(&mut graph.blocks[self.to.index()].ops);
        self.ops.reverse();
    }
}

fn size_of(graph: &Graph, block: BlockId) -> usize {
    let mut size = 0;
    graph.walk(block, &mut |_| size += 1);
    size
}

/// # Errors
/// FX0302 when a function calls itself, through others or not.
fn refuse_recursion(graph: &Graph, calls: &[Vec<(usize, LocId)>]) -> Result<(), PassError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; calls.len()];
    for root in 0..calls.len() {
        if states[root] != State::New {
            continue;
        }
        states[root] = State::Open;
        let mut path = vec![(root, 0)];
        while let Some((function, next)) = path.pop() {
            let Some(&(callee, location)) = calls[function].get(next) else {
                states[function] = State::Done;
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
    Ok(())
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

/// The public functions, and those that an op names in another way than by calling them. Of private functions alone,
/// all.
fn functions_that_stay(graph: &Graph) -> Vec<bool> {
    let all = graph.functions.iter().all(|f| f.private);
    let mut named = HashSet::new();
    each_op(graph, &mut |id| {
        let op = graph.op(id);
        let other = |name: &str| op.kind != OpKind::FuncCall || name != "callee";
        op.attrs.0.iter().filter(|(name, _)| other(name)).for_each(|(_, attr)| symbols(attr, &mut named));
    });
    graph.functions.iter().map(|f| all || !f.private || named.contains(&f.name)).collect()
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
    use crate::example::import;
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
    fn a_chain_of_calls_is_copied_once() {
        let (mut text, n) = (String::new(), 2000);
        for at in 0..n {
            let name = if at == 0 { "@main".to_owned() } else { format!("private @f{at}") };
            let rest = match at + 1 == n {
                true => "return %0 : tensor<f32>".to_owned(),
                false => format!("%1 = call @f{}(%0) : (tensor<f32>) -> tensor<f32>\n return %1 : tensor<f32>", at + 1),
            };
            text += &format!(
                "func.func {name}(%a: tensor<f32>) -> tensor<f32> {{\n \
                 %0 = stablehlo.sine %a : tensor<f32>\n \
                 {rest}\n \
                 }}\n"
            );
        }
        let mut graph = import(&text);
        assert!(run(&mut graph, &Options::default()).unwrap());
        assert_eq!((graph.functions.len(), count_ops(&graph)), (1, n + 1));
        // What is made is linear in what is there: each op of a callee once.
        assert!(graph.ops.len() < 4 * n, "{}", graph.ops.len());
    }

    #[test]
    fn calls_in_regions_are_followed() {
        let text = "func.func @main(%a: tensor<f32>) -> tensor<f32> {
               %p = stablehlo.compare LT, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
               %0 = call @outer(%a, %p) : (tensor<f32>, tensor<i1>) -> tensor<f32>
               return %0 : tensor<f32>
             }
             func.func private @outer(%a: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
               %0 = \"stablehlo.if\"(%p) ({
                 %1 = call @inner(%a) : (tensor<f32>) -> tensor<f32>
                 stablehlo.return %1 : tensor<f32>
               }, {
                 stablehlo.return %a : tensor<f32>
               }) : (tensor<i1>) -> tensor<f32>
               %2 = call @inner(%0) : (tensor<f32>) -> tensor<f32>
               return %2 : tensor<f32>
             }
             func.func private @inner(%a: tensor<f32>) -> tensor<f32> {
               %0 = stablehlo.sine %a : tensor<f32>
               return %0 : tensor<f32>
             }";
        let mut graph = import(text);
        assert!(run(&mut graph, &Options::default()).unwrap());
        assert!(fornax_graph::verify(&graph).is_empty());
        let text = fornax_graph::print(&graph);
        assert_eq!((text.matches("stablehlo.sine").count(), text.contains("call")), (2, false), "{text}");
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

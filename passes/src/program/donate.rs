//! Which outputs may lie in the buffer of an input that the caller gives away.
//!
//! Input: the commands of a planned function and the marks of its arguments: `tf.aliasing_output = 2` names an output,
//! `jax.buffer_donor` lets any output of the type have the buffer. Output: pairs (input, output). A pair is kept only where nothing reads the
//! input after the first write of the output. One kernel may do both if it computes each element from the same element of the
//! input and stores once. Where it is in doubt the caller's buffer is left alone.
//!
//! Worked example: p − rate·g with p given away: one kernel reads p[i] and writes result[i]: the result lies in p. With p
//! also read by a later kernel it does not.

use fornax_graph::{Attr, AttrMap, TensorType, ValueId};
use fornax_module::program::{Access, BlockId, Command, Program, Space, Span};
use fornax_plan::{Body, KernelPlan, Node, NodeId};

use super::Planner;
use crate::errors::PassError;
use crate::schedule::ops::tensor;

/// A command in the order in which it first runs, and the outermost loop that it is in.
struct Leaf<'a> {
    command: &'a Command,
    in_loop: Option<usize>,
}

/// What an argument's marks say.
enum Mark {
    Output(u32),
    Any,
}

/// Notes the pairs of a function whose commands are planned.
pub fn note(
    planner: &mut Planner<'_>,
    function: &fornax_graph::Function,
    (entry, body): (fornax_graph::BlockId, BlockId),
    (inputs, results): (&[ValueId], &[ValueId]),
) -> Result<(), PassError> {
    let graph = planner.graph;
    let none = AttrMap::default();
    let arguments = &graph.block(entry).arguments;
    let marks = |value: &ValueId| {
        let at = arguments.iter().position(|a| a == value);
        at.and_then(|at| function.argument_attrs.get(at)).unwrap_or(&none)
    };
    let outputs: Vec<&TensorType> = results.iter().map(|&v| tensor(graph, v)).collect::<Result<_, _>>()?;
    let inputs: Vec<(&AttrMap, &TensorType)> =
        inputs.iter().map(|v| Ok((marks(v), tensor(graph, *v)?))).collect::<Result<_, PassError>>()?;
    let found = pairs((&planner.planned.program, &planner.planned.kernels), body, &inputs, &outputs);
    if !found.is_empty() {
        planner.planned.aliases.insert(function.name.clone(), found);
    }
    Ok(())
}

/// The pairs of a function whose body is `body`; `inputs` has marks and type of each.
fn pairs(
    (program, kernels): (&Program, &[KernelPlan]),
    body: BlockId,
    inputs: &[(&AttrMap, &TensorType)],
    outputs: &[&TensorType],
) -> Vec<(u32, u32)> {
    let mut leaves = Vec::new();
    flatten(program, body, None, &mut leaves);
    let mut found: Vec<(u32, u32)> = Vec::new();
    let marks = inputs.iter().map(|(attrs, _)| mark(attrs));
    let fits = |input: usize, output: usize, found: &[(u32, u32)]| {
        outputs.get(output).is_some_and(|ty| *ty == inputs[input].1 && ty.static_shape().is_some())
            && found.iter().all(|pair| pair.1 as usize != output)
            && allowed(kernels, &leaves, input as u32, output as u32)
    };
    let marks: Vec<Option<Mark>> = marks.collect();
    for (input, mark) in marks.iter().enumerate() {
        if let Some(Mark::Output(output)) = mark
            && fits(input, *output as usize, &found)
        {
            found.push((input as u32, *output));
        }
    }
    for input in (0..inputs.len()).filter(|&at| matches!(marks[at], Some(Mark::Any))) {
        if let Some(output) = (0..outputs.len()).find(|&output| fits(input, output, &found)) {
            found.push((input as u32, output as u32));
        }
    }
    found.sort_unstable();
    found
}

fn mark(attrs: &AttrMap) -> Option<Mark> {
    if let Some(Attr::Int(output, _)) = attrs.get("tf.aliasing_output") {
        return u32::try_from(*output).ok().map(Mark::Output);
    }
    attrs.bool("jax.buffer_donor").filter(|&given| given).map(|_| Mark::Any)
}

fn flatten<'a>(program: &'a Program, block: BlockId, in_loop: Option<usize>, leaves: &mut Vec<Leaf<'a>>) {
    let Some(block) = program.blocks.get(block as usize) else { return };
    for command in &block.commands {
        let here = leaves.len();
        leaves.push(Leaf { command, in_loop });
        match command {
            Command::If { then_block, else_block, .. } => {
                flatten(program, *then_block, in_loop, leaves);
                flatten(program, *else_block, in_loop, leaves);
            }
            Command::While { condition, body, .. } => {
                flatten(program, *condition, in_loop.or(Some(here)), leaves);
                flatten(program, *body, in_loop.or(Some(here)), leaves);
            }
            Command::Repeat { body, .. } => flatten(program, *body, in_loop.or(Some(here)), leaves),
            _ => {}
        }
    }
}

/// Ranges that a command itself uses, and whether it writes them.
fn spans(command: &Command) -> Vec<(Span, bool)> {
    match command {
        Command::Dispatch { bindings, .. } => bindings.iter().map(|b| (b.span, b.access != Access::Read)).collect(),
        Command::Copy { source, target } => vec![(*source, false), (*target, true)],
        Command::Fill { target, .. } => vec![(*target, true)],
        // A callee may do both.
        Command::Call { arguments, .. } => arguments.iter().flat_map(|span| [(*span, false), (*span, true)]).collect(),
        Command::If { predicate, .. } | Command::While { predicate, .. } => vec![(*predicate, false)],
        Command::HostShape { source, .. } => vec![(*source, false)],
        Command::Repeat { .. } | Command::Require { .. } => Vec::new(),
    }
}

/// Does every read of the input come before every write of the output?
fn allowed(kernels: &[KernelPlan], leaves: &[Leaf<'_>], input: u32, output: u32) -> bool {
    let uses = |space: Space, writing: bool| -> Vec<usize> {
        let uses = |leaf: &Leaf<'_>| {
            spans(leaf.command).iter().any(|(span, writes)| span.space == space && *writes == writing)
        };
        (0..leaves.len()).filter(|&at| uses(&leaves[at])).collect()
    };
    let (reads, writes) = (uses(Space::Input(input), false), uses(Space::Output(output), true));
    let before = |read: usize, write: usize| {
        let (first, second) = (&leaves[read], &leaves[write]);
        if read == write {
            return first.in_loop.is_none() && in_place(kernels, first.command, input, output);
        }
        read < write && (first.in_loop.is_none() || first.in_loop != second.in_loop)
    };
    reads.iter().all(|&read| writes.iter().all(|&write| before(read, write)))
}

/// Does a dispatch compute each element of the output from the same element of the input, and store nothing else?
fn in_place(kernels: &[KernelPlan], command: &Command, input: u32, output: u32) -> bool {
    let Command::Dispatch { kernel, bindings, .. } = command else { return false };
    let Some(plan) = kernels.get(*kernel as usize) else { return false };
    let Body::Loop { stores } = &plan.body else { return false };
    let [store] = stores.as_slice() else { return false };
    let bound = |space: Space| bindings.iter().enumerate().filter(move |(_, b)| b.span.space == space);
    let target = bindings.get(store.buffer as usize).map(|b| b.span);
    let Some(target) = target.filter(|span| span.space == Space::Output(output)) else { return false };
    let whole = |span: Span| span.offset == target.offset && span.length == target.length;
    bound(Space::Input(input)).all(|(at, binding)| {
        let same = |id: u32| match plan.exprs.node(NodeId(id)) {
            Node::Load { buffer, offset, .. } if *buffer as usize == at => *offset == store.offset,
            _ => true,
        };
        whole(binding.span) && (0..plan.exprs.len() as u32).all(same)
    })
}

#[cfg(test)]
mod tests {
    use crate::program::{Options, plan};
    use crate::simplify::simplify;

    fn aliases(arguments: &str, body: &str, results: &str) -> Vec<(u32, u32)> {
        let text = format!("func.func @main({arguments}) -> ({results}) {{ {body} }}");
        let mut graph = fornax_import::import_text(&text, "t.mlir", &Default::default()).unwrap();
        simplify(&mut graph, &Default::default()).unwrap();
        let fused = crate::fuse::fuse(&graph).unwrap();
        let target = fornax_targets::resolve(fornax_targets::Backend::Cpu, "x86-64-v3").unwrap().target;
        let planned = plan(&fused, &target, &Options::default()).unwrap();
        planned.aliases.get("main").cloned().unwrap_or_default()
    }

    const UPDATE: &str = "%0 = stablehlo.subtract %p, %g : tensor<70xf32> return %0 : tensor<70xf32>";
    const GIVEN: &str = "%p: tensor<70xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<70xf32>";

    #[test]
    fn an_update_of_each_element_is_in_place() {
        assert_eq!(aliases(GIVEN, UPDATE, "tensor<70xf32>"), [(0, 0)]);
        let donor = "%p: tensor<70xf32> {jax.buffer_donor = true}, %g: tensor<70xf32>";
        assert_eq!(aliases(donor, UPDATE, "tensor<70xf32>"), [(0, 0)]);
        assert_eq!(aliases("%p: tensor<70xf32>, %g: tensor<70xf32>", UPDATE, "tensor<70xf32>"), []);
    }

    #[test]
    fn other_elements_and_later_readers_keep_the_input() {
        let reversed = "%0 = stablehlo.reverse %p, dims = [0] : tensor<70xf32>
             %1 = stablehlo.subtract %0, %g : tensor<70xf32> return %1 : tensor<70xf32>";
        assert_eq!(aliases(GIVEN, reversed, "tensor<70xf32>"), []);
        let passed = "%0 = stablehlo.subtract %p, %g : tensor<70xf32> return %0, %p : tensor<70xf32>, tensor<70xf32>";
        assert_eq!(aliases(GIVEN, passed, "tensor<70xf32>, tensor<70xf32>"), []);
        let other_type = "%0 = stablehlo.convert %p : (tensor<70xf32>) -> tensor<70xi32> return %0 : tensor<70xi32>";
        assert_eq!(aliases(GIVEN, other_type, "tensor<70xi32>"), []);
    }
}

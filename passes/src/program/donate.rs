//! Which outputs may lie in the buffer of an input that the caller gives away.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
//!   %0 = stablehlo.sine %arg0 : tensor<4xf32>
//!   return %0 : tensor<4xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_sine
//! @main: 1 inputs, 1 outputs, arena 0 bytes (0 without sharing)
//!   dispatch loop_0_sine grid 1 [input 0 +0 16B, -> output 0 +0 16B]
//! ```
//! After:
//! ```text
//! kernel loop_0_sine
//! @main: 1 inputs, 1 outputs, arena 0 bytes (0 without sharing)
//!   dispatch loop_0_sine grid 1 [input 0 +0 16B, -> output 0 +0 16B]
//! output 0 is input 0
//! ```
//!
//! Input: the commands of a planned function and the marks of its arguments: `tf.aliasing_output = 2` names an output,
//! `jax.buffer_donor` lets any output of the type have the buffer. Output: pairs (input, output). A pair is kept only
//! where nothing reads the input after the first write of the output. One kernel may do both if it computes each
//! element from the same element of the input: its emitters evaluate all stores of an element before they make one, and
//! are told (`Access::Overwritten`) not to compute an element twice. Where it is in doubt the caller's buffer is left
//! alone.
//!
//! Worked example: p − rate·g with p given away: one kernel reads `p[i]` and writes `result[i]`: the result lies in p.
//! With p also read by a later kernel it does not. Adam's step reads p, m, v and g and stores p', m' and v': three
//! results in place.

use fornax_graph::{Attr, AttrMap, TensorType, ValueId};
use fornax_kernels::points::schedule::SizedSchedule;
use fornax_module::program::{Access, Binding, BlockId, Command, Program, Space, Span};
use fornax_plan::{Access as PlanAccess, Body, KernelPlan, Node, NodeId};

use super::Planner;
use super::stores::stores_by_element;
use crate::errors::PassError;
use crate::facts::ops::tensor;

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
    if !planner.has("donate") {
        return Ok(());
    }
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
        for (kernel, buffer) in overwritten(&planner.planned.program, body, &found) {
            planner.overwrite(kernel as usize, buffer);
        }
        planner.planned.aliases.insert(function.name.clone(), found);
    }
    Ok(())
}

/// Kernels and their buffers that hold an input of a pair whose output the same dispatch writes.
fn overwritten(program: &Program, body: BlockId, found: &[(u32, u32)]) -> Vec<(u32, usize)> {
    let mut leaves = Vec::new();
    flatten(program, body, None, &mut leaves);
    let mut buffers = Vec::new();
    for leaf in leaves {
        let Command::Dispatch { kernel, bindings, .. } = leaf.command else { continue };
        for &(input, output) in found {
            if bindings.iter().any(|b| b.span.space == Space::Output(output)) {
                let given = bindings.iter().enumerate().filter(|(_, b)| b.span.space == Space::Input(input));
                buffers.extend(given.map(|(at, _)| (*kernel, at)));
            }
        }
    }
    buffers
}

impl Planner<'_> {
    /// Notes that a kernel overwrites a buffer that it reads. It is another kernel then, with another fingerprint.
    fn overwrite(&mut self, kernel: usize, at: usize) {
        let planned = &mut self.planned;
        if let (Some(plan), Some(fingerprint)) = (planned.kernels.get_mut(kernel), planned.fingerprints.get_mut(kernel))
            && let Some(buffer) = plan.buffers.get_mut(at)
        {
            buffer.access = PlanAccess::Overwritten;
            overwrite_in_parts(plan, at);
            *fingerprint = super::fingerprint(plan);
        }
    }
}

/// Of a bundle, the parts that have the buffer overwrite it; launches of one part share its code.
fn overwrite_in_parts(plan: &mut KernelPlan, at: usize) {
    let Body::Bundle(bundle) = &mut plan.body else { return };
    for part in &mut bundle.parts {
        for launch in &part.launches {
            for (buffer, _) in part.plan.buffers.iter_mut().zip(launch).filter(|(_, own)| **own as usize == at) {
                buffer.access = PlanAccess::Overwritten;
            }
        }
    }
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
        outputs.get(output).is_some_and(|ty| *ty == inputs[input].1)
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
        Command::Collective { source, target, .. } => vec![(*source, false), (*target, true)],
        Command::Fill { target, .. } | Command::DeviceId { target, .. } => vec![(*target, true)],
        Command::HostCall { operands, results, .. } => {
            let read = operands.iter().map(|span| (*span, false));
            read.chain(results.iter().map(|span| (*span, true))).collect()
        }
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

/// Does a command put into each element of the output what it makes of the same element of the input?
fn in_place(kernels: &[KernelPlan], command: &Command, input: u32, output: u32) -> bool {
    let (kernel, bindings) = match command {
        Command::Dispatch { kernel, bindings, .. } => (kernel, bindings),
        // A copy onto itself, which is none.
        Command::Copy { source, target } => return source.offset == target.offset && source.length == target.length,
        _ => return false,
    };
    let Some(plan) = kernels.get(*kernel as usize) else { return false };
    let Some(bundle) = plan.body.bundle() else { return is_in_place(plan, bindings, input, output) };
    let names = |launch: &Vec<u32>, space: Space| {
        launch.iter().any(|&at| bindings.get(at as usize).is_some_and(|binding| binding.span.space == space))
    };
    // What reads the one must be what writes the other: parts do not wait for each other.
    bundle.parts.iter().all(|part| {
        part.launches.iter().all(|launch| {
            if !names(launch, Space::Input(input)) {
                return true;
            }
            let own = launch.iter().filter_map(|&at| bindings.get(at as usize).cloned());
            names(launch, Space::Output(output))
                && is_in_place(&part.plan, &own.collect::<Vec<Binding>>(), input, output)
        })
    })
}

/// Does a kernel put into each element of the output what it makes of the same element of the input?
fn is_in_place(plan: &KernelPlan, bindings: &[Binding], input: u32, output: u32) -> bool {
    let sized = plan.schedule_as::<SizedSchedule>().is_some() && matches!(plan.body, Body::Loop { .. });
    let Some(stores) = stores_by_element(plan).or(sized.then(|| plan.body.stores())) else { return false };
    let bound = |space: Space| bindings.iter().enumerate().filter(move |(_, b)| b.span.space == space);
    let holds = |at: u32| bindings.get(at as usize).is_some_and(|b| b.span.space == Space::Output(output));
    let mut into = stores.iter().filter(|store| holds(store.buffer));
    let (Some(store), None) = (into.next(), into.next()) else { return false };
    // All stores run through memory alike, so that no emitter visits elements in another order for one of them.
    if stores.iter().any(|other| other.offset != store.offset) {
        return false;
    }
    let Some(target) = bindings.get(store.buffer as usize).map(|b| b.span) else { return false };
    let whole = |span: Span| span.offset == target.offset && span.length == target.length;
    let nodes = plan.reached().nodes;
    bound(Space::Input(input)).all(|(at, binding)| {
        let same = |id: &NodeId| match plan.exprs.node(*id) {
            Node::Load { buffer, offset, .. } if *buffer as usize == at => *offset == store.offset,
            _ => true,
        };
        whole(binding.span) && nodes.iter().all(same)
    })
}

#[cfg(test)]
mod tests {
    use fornax_module::program::{Command, Space};
    use fornax_plan::Access as PlanAccess;

    use crate::plan;
    use crate::program::Options;
    use crate::simplify::simplify;

    fn planned(arguments: &str, body: &str, results: &str) -> super::super::Planned {
        let text = format!("func.func @main({arguments}) -> ({results}) {{ {body} }}");
        let mut graph = fornax_import::import_text(&text, "t.mlir", &Default::default()).unwrap();
        simplify(&mut graph, &Default::default()).unwrap();
        let fused = crate::fuse::fuse(&graph).unwrap();
        let target = fornax_targets::resolve(fornax_targets::Backend::Cpu, "x86-64-v3").unwrap().target;
        plan(&fused, &target, &Options::default()).unwrap()
    }

    fn aliases(arguments: &str, body: &str, results: &str) -> Vec<(u32, u32)> {
        planned(arguments, body, results).aliases.get("main").cloned().unwrap_or_default()
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

    /// A cache that is given away is written where it is: what is copied before is a copy onto itself.
    #[test]
    fn a_slice_of_a_given_cache_is_all_that_is_written() {
        let arguments = "%p: tensor<99x32xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<1x32xf32>, %i: tensor<i32>";
        let body = "%z = stablehlo.constant dense<0> : tensor<i32>
             %0 = stablehlo.dynamic_update_slice %p, %v, %i, %z \
                 : (tensor<99x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> tensor<99x32xf32>
             %s = stablehlo.sine %0 : tensor<99x32xf32>
             return %0, %s : tensor<99x32xf32>, tensor<99x32xf32>";
        let planned = planned(arguments, body, "tensor<99x32xf32>, tensor<99x32xf32>");
        assert_eq!(planned.aliases.get("main").cloned().unwrap_or_default(), [(0, 0)]);
        let main = planned.program.functions[0].body as usize;
        let commands = &planned.program.blocks[main].commands;
        let [Command::Copy { source, target }, Command::Dispatch { kernel, .. }, ..] = commands.as_slice() else {
            panic!("{commands:?}")
        };
        assert_eq!((source.space, target.space), (Space::Input(0), Space::Output(0)));
        assert!(planned.kernels[*kernel as usize].buffers.iter().any(|b| b.access == PlanAccess::Update));
    }

    /// Without the constants, which need static sizes.
    const ADAM: &str = "%m1 = stablehlo.add %m, %g : TYPE
         %g2 = stablehlo.multiply %g, %g : TYPE
         %v1 = stablehlo.add %v, %g2 : TYPE
         %r = stablehlo.rsqrt %v1 : TYPE
         %u = stablehlo.multiply %m1, %r : TYPE
         %p1 = stablehlo.subtract %p, %u : TYPE
         return %p1, %m1, %v1 : TYPE, TYPE, TYPE";

    fn adam(ty: &str, given: &str) -> super::super::Planned {
        let argument = |name: &str, marks: &str| format!("%{name}: {ty}{marks}");
        let arguments = ["p", "m", "v"].map(|name| argument(name, given)).join(", ");
        planned(&format!("{arguments}, {}", argument("g", "")), &ADAM.replace("TYPE", ty), &[ty; 3].join(", "))
    }

    /// Parameters and moments of an optimiser's step are updated where they are: one kernel, nothing in the arena.
    #[test]
    fn a_fused_step_of_adam_is_in_place() {
        for ty in ["tensor<70xf32>", "tensor<7x13xf32>", "tensor<?xf32>", "tensor<?x3xf32>"] {
            let donor = " {jax.buffer_donor = true}";
            let planned = adam(ty, donor);
            assert_eq!(planned.aliases.get("main").cloned().unwrap_or_default(), [(0, 0), (1, 1), (2, 2)], "{ty}");
            assert_eq!((planned.kernels.len(), planned.memory[0].arena_bytes), (1, 0), "{ty}");
            let accesses: Vec<PlanAccess> = planned.kernels[0].buffers.iter().map(|b| b.access).collect();
            let count = |access| accesses.iter().filter(|a| **a == access).count();
            let counts = [PlanAccess::Overwritten, PlanAccess::Read, PlanAccess::Write].map(count);
            assert_eq!(counts, [3, 1, 3], "{ty}");
            let kept = adam(ty, "");
            assert!(kept.aliases.is_empty() && !kept.kernels[0].is_in_place(), "{ty}");
            assert_ne!(kept.fingerprints, planned.fingerprints, "{ty}");
        }
    }

    /// Gradients of rows that repeat: sorted, summed and subtracted by one kernel, where the rows are.
    #[test]
    fn what_takes_a_sum_of_sorted_updates_is_in_place() {
        let (rows, updates) = ("tensor<1000x8xf32>", "tensor<8192x8xf32>");
        let arguments = format!("%p: {rows} {{jax.buffer_donor = true}}, %i: tensor<8192x1xi32>, %u: {updates}");
        let body = format!(
            "%z = stablehlo.constant dense<0.0> : {rows}
             %s = \"stablehlo.scatter\"(%z, %i, %u) ({{
             ^bb0(%a: tensor<f32>, %b: tensor<f32>):
               %1 = stablehlo.add %a, %b : tensor<f32>
               stablehlo.return %1 : tensor<f32>
             }}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
                 scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
               : ({rows}, tensor<8192x1xi32>, {updates}) -> {rows}
             %r = stablehlo.subtract %p, %s : {rows}
             return %r : {rows}"
        );
        assert_eq!(aliases(&arguments, &body, rows), [(0, 0)]);
    }

    /// The state of a loop lies in the buffers that were given: the copies before it are none.
    #[test]
    fn a_loop_updates_what_it_was_given() {
        let body = "%z = stablehlo.constant dense<0> : tensor<i32>
             %n = stablehlo.constant dense<9> : tensor<i32>
             %o = stablehlo.constant dense<1> : tensor<i32>
             %0:2 = stablehlo.while(%i = %z, %y = %p) : tensor<i32>, tensor<70xf32>
             cond {
               %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %1 : tensor<i1>
             } do {
               %1 = stablehlo.add %i, %o : tensor<i32>
               %2 = stablehlo.subtract %y, %g : tensor<70xf32>
               stablehlo.return %1, %2 : tensor<i32>, tensor<70xf32>
             }
             return %0#1 : tensor<70xf32>";
        assert_eq!(aliases(GIVEN, body, "tensor<70xf32>"), [(0, 0)]);
        let two = "tensor<70xf32>, tensor<70xf32>";
        let read_later = body.replace("return %0#1 : tensor<70xf32>", &format!("return %0#1, %p : {two}"));
        assert_eq!(aliases(GIVEN, &read_later, two), []);
    }
}

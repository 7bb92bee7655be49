//! A function of a program as a graph: its commands in order, the values that flow between them, and how long each
//! value lives.
//!
//! Loops and branches are walked once; what a loop reads from before it lives until the loop's end. Who reads whose
//! bytes is decided for one set of sizes ([`sample`] where none are given): formulas of offsets keep their order for
//! other sizes.
//!
//! Worked example, softmax: step 0 `row_max` reads input 0 and writes arena 0..16, step 1 `row_sum` reads both. Edges:
//! input 0 → 0, input 0 → 1, 0 → 1 (the value at arena 0..16, which lives in steps 0..1).

use std::collections::BTreeSet;

use fornax_module::Program;
use fornax_module::manifest::{DimSig, FunctionSignature};
use fornax_module::program::{Access, BlockId, Command, ExprId, Function, Space, Span};
use serde::Serialize;

use super::sizes::Sizes;
use super::spans::{HeldSpans, ValueId};

/// Steps of a function that are followed at most; the rest is counted.
const STEPS_MAX: usize = 3000;
/// A size that nobody gave, where its bounds allow it.
const SAMPLE_SIZE: u64 = 16;

/// One command.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// `dispatch`, `copy`, `fill`, `call`, `test` (a branch or loop looks at a byte), `size` (the host reads a size).
    pub kind: &'static str,
    /// Of a dispatch: index into the program's kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<u32>,
    /// Of other commands, what they do.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// How often it runs in a call: the product of the loops around it.
    pub times: u64,
    /// A branch or a loop of unknown length decides whether and how often.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub conditional: bool,
    /// Loops and branches around it, outermost first: `8 rounds`, `while`, `then`, `else`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<[ExprId; 3]>,
    /// Lengths of what it binds, and of the weights among them.
    pub bound: Vec<ExprId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<ExprId>,
}

/// Where a value comes from or goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Node {
    Step(usize),
    Input(u32),
    Output(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Edge {
    pub from: Node,
    pub to: Node,
    pub value: ValueId,
}

/// Bytes that one command writes.
#[derive(Clone, Debug, Serialize)]
pub struct Value {
    /// It lies in the arena.
    pub arena: bool,
    pub offset: ExprId,
    pub length: ExprId,
    /// First and last step that need it.
    pub first: usize,
    pub last: usize,
    #[serde(skip)]
    from: Node,
    /// Overwritten from this step on.
    #[serde(skip)]
    lost: Option<usize>,
    /// The value from before a loop that it took the place of.
    #[serde(skip)]
    over: Option<ValueId>,
}

/// A function as a graph.
#[derive(Debug, Default, Serialize)]
pub struct Walk {
    pub steps: Vec<Step>,
    pub edges: Vec<Edge>,
    pub values: Vec<Value>,
    /// Commands behind the last step that was followed.
    pub omitted: usize,
}

/// Sizes for a function's open sizes: those given, else [`SAMPLE_SIZE`] within the bounds.
pub fn sample(
    function: &Function,
    signature: Option<&FunctionSignature>,
    given: &[(String, u64)],
) -> Vec<(String, u64)> {
    let tensors = signature.iter().flat_map(|s| s.inputs.iter().chain(&s.outputs));
    let bounds: Vec<(&str, u64, u64)> = tensors
        .flat_map(|tensor| &tensor.shape)
        .filter_map(|dim| match dim {
            DimSig::Symbolic { name, min, max } => Some((name.as_str(), *min, *max)),
            DimSig::Static(_) | DimSig::Computed { .. } => None,
        })
        .collect();
    let names = (0..function.size_slots as usize).map(|at| {
        let name = function.shapes.slot_names.get(at).cloned();
        name.unwrap_or_else(|| format!("size{at}"))
    });
    names
        .map(|name| {
            let known = given.iter().find(|size| size.0 == name).map(|size| size.1);
            let bound = bounds.iter().find(|bound| bound.0 == name);
            let sample = bound.map_or(SAMPLE_SIZE, |(_, min, max)| SAMPLE_SIZE.clamp(*min, (*max).max(*min)));
            (name, known.unwrap_or(sample))
        })
        .collect()
}

/// Follows a block of a program from its inputs to its outputs; `sizes` are known.
pub fn walk(program: &Program, body: BlockId, signature: Option<&FunctionSignature>, sizes: &Sizes) -> Walk {
    let mut walker =
        Walker { program, sizes, held: HeldSpans::default(), walk: Walk::default(), edges: BTreeSet::new() };
    let inputs = signature.map_or(0, |s| s.inputs.len()) as u32;
    for at in 0..inputs {
        let whole = Value {
            arena: false,
            offset: 0,
            length: 0,
            first: 0,
            last: 0,
            from: Node::Input(at),
            lost: None,
            over: None,
        };
        walker.walk.values.push(whole);
        walker.held.write(Space::Input(at), 0, u64::MAX, at as usize);
    }
    walker.block(body, &Around::default());
    let outputs = signature.map_or(0, |s| s.outputs.len()) as u32;
    for at in 0..outputs {
        let alias = signature.and_then(|s| s.aliases.iter().find(|alias| alias.output == at));
        let mut found = walker.held.read(Space::Output(at), 0, u64::MAX);
        if let Some(alias) = alias {
            found.extend(walker.held.read(Space::Input(alias.input), 0, u64::MAX));
        }
        for value in found {
            if let Some(v) = walker.walk.values.get(value) {
                walker.edges.insert(Edge { from: v.from, to: Node::Output(at), value });
            }
        }
    }
    walker.walk.edges = walker.edges.into_iter().collect();
    walker.walk
}

/// Loops and branches around a command.
#[derive(Clone)]
struct Around {
    within: Vec<String>,
    times: u64,
    conditional: bool,
}

impl Default for Around {
    fn default() -> Around {
        Around { within: Vec::new(), times: 1, conditional: false }
    }
}

impl Around {
    fn inside(&self, what: String, times: u64, conditional: bool) -> Around {
        let mut within = self.within.clone();
        within.push(what);
        Around { within, times: self.times.saturating_mul(times), conditional: self.conditional || conditional }
    }
}

struct Walker<'a> {
    program: &'a Program,
    sizes: &'a Sizes,
    held: HeldSpans,
    walk: Walk,
    edges: BTreeSet<Edge>,
}

impl Walker<'_> {
    fn block(&mut self, block: BlockId, around: &Around) {
        // The module's checks keep blocks from nesting without end.
        let commands = self.program.blocks.get(block as usize).map_or(&[][..], |block| block.commands.as_slice());
        for command in commands {
            if self.walk.steps.len() >= STEPS_MAX {
                self.walk.omitted += 1;
                continue;
            }
            self.command(command, around);
        }
    }

    fn command(&mut self, command: &Command, around: &Around) {
        match command {
            Command::Dispatch { kernel, grid, bindings, .. } => {
                let mut step = step("dispatch", String::new(), around);
                (step.kernel, step.grid) = (Some(*kernel), Some(*grid));
                let with = |wanted: fn(Access) -> bool| -> Vec<Span> {
                    bindings.iter().filter(|b| wanted(b.access)).map(|b| b.span).collect()
                };
                let (reads, writes) = (with(|a| a != Access::Write), with(|a| a != Access::Read));
                step.bound = bindings.iter().map(|b| b.span.length).collect();
                self.step(step, &reads, &writes);
            }
            Command::Copy { source, target } => {
                let mut step = step("copy", "copy".into(), around);
                step.bound = vec![source.length, target.length];
                self.step(step, &[*source], &[*target]);
            }
            Command::Fill { target, pattern, .. } => {
                let mut step = step("fill", format!("fill with {pattern:#x}"), around);
                step.bound = vec![target.length];
                self.step(step, &[], &[*target]);
            }
            Command::Collective { collective, source, target } => {
                let mut step = step("collective", collective.kind.name().into(), around);
                step.bound = vec![source.length, target.length];
                self.step(step, &[*source], &[*target]);
            }
            Command::HostCall { number, operands, results } => {
                let mut step = step("host", format!("function {number} of the host"), around);
                step.bound = operands.iter().chain(results).map(|span| span.length).collect();
                self.step(step, operands, results);
            }
            Command::DeviceId { target, .. } => {
                let mut step = step("fill", "number of the device".into(), around);
                step.bound = vec![target.length];
                self.step(step, &[], &[*target]);
            }
            Command::Call { function, arguments } => {
                let callee = self.program.functions.get(*function as usize);
                let name = callee.map_or("?", |f| f.name.as_str());
                let inputs = callee.map_or(0, |f| f.input_bytes.len()).min(arguments.len());
                let (reads, writes) = arguments.split_at(inputs);
                let mut step = step("call", format!("call @{name}"), around);
                step.bound = arguments.iter().map(|span| span.length).collect();
                self.step(step, reads, writes);
            }
            Command::If { predicate, then_block, else_block } => {
                self.step(step("test", "if".into(), around), &[*predicate], &[]);
                let before = self.held.clone();
                self.block(*then_block, &around.inside("then".into(), 1, true));
                let then = std::mem::replace(&mut self.held, before);
                self.block(*else_block, &around.inside("else".into(), 1, true));
                self.held.merge(then);
            }
            Command::While { condition, predicate, body, .. } => {
                let inner = around.inside("while".into(), 1, true);
                self.looped(|walker| {
                    walker.block(*condition, &inner);
                    walker.step(step("test", "while".into(), &inner), &[*predicate], &[]);
                    walker.block(*body, &inner);
                });
            }
            Command::Repeat { count, body } => {
                let inner = around.inside(format!("{count} rounds"), *count, false);
                self.looped(|walker| walker.block(*body, &inner));
            }
            Command::HostShape { slot, source, .. } => {
                let name = self.sizes.names.get(*slot as usize).map_or("size", String::as_str);
                self.step(step("size", format!("read {name}"), around), &[*source], &[]);
            }
            Command::Require { .. } => {}
        }
    }

    /// A loop: what it reads from before, and what it leaves in the place of such a value, lives until its end.
    fn looped(&mut self, body: impl FnOnce(&mut Self)) {
        let (start, known) = (self.walk.steps.len(), self.walk.values.len());
        body(self);
        let end = self.walk.steps.len().saturating_sub(1).max(start);
        for at in 0..self.walk.values.len() {
            let Some(value) = self.walk.values.get(at) else { continue };
            let carried = match (at < known, value.over) {
                (true, _) => value.last >= start,
                (false, Some(over)) => over < known && self.held.holds(at),
                (false, None) => false,
            };
            let last = value.lost.filter(|_| at < known).map_or(end, |lost| lost.saturating_sub(1).max(value.last));
            if let (true, Some(value)) = (carried, self.walk.values.get_mut(at)) {
                value.last = value.last.max(last);
            }
        }
    }

    fn step(&mut self, mut step: Step, reads: &[Span], writes: &[Span]) {
        let at = self.walk.steps.len();
        for span in reads {
            if matches!(span.space, Space::Constant | Space::Parameter(_)) {
                step.weights.push(span.length);
                continue;
            }
            let (offset, length) = self.range(span);
            let found = self.held.read(span.space, offset, length);
            if found.is_empty() && span.space == Space::Persistent {
                step.weights.push(span.length);
            }
            for value in found {
                if let Some(v) = self.walk.values.get_mut(value) {
                    v.last = v.last.max(at);
                    self.edges.insert(Edge { from: v.from, to: Node::Step(at), value });
                }
            }
        }
        for span in writes {
            let (offset, length) = self.range(span);
            let id = self.walk.values.len();
            let lost = self.held.write(span.space, offset, length, id);
            for value in &lost {
                if let Some(v) = self.walk.values.get_mut(*value) {
                    v.lost.get_or_insert(at);
                }
            }
            self.walk.values.push(Value {
                arena: span.space == Space::Arena,
                offset: span.offset,
                length: span.length,
                first: at,
                last: at,
                from: Node::Step(at),
                lost: None,
                over: lost.first().copied(),
            });
        }
        self.walk.steps.push(step);
    }

    fn range(&self, span: &Span) -> (u64, u64) {
        (self.sizes.of(span.offset).unwrap_or(0), self.sizes.of(span.length).unwrap_or(0))
    }
}

fn step(kind: &'static str, label: String, around: &Around) -> Step {
    Step {
        kind,
        kernel: None,
        label,
        times: around.times,
        conditional: around.conditional,
        within: around.within.clone(),
        grid: None,
        bound: Vec::new(),
        weights: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use fornax_module::manifest::TensorSignature;
    use fornax_module::program::{Binding, Block};

    use super::*;

    /// A program of one function, of these commands.
    struct Sketch(Program);

    impl Sketch {
        fn span(&mut self, space: Space, offset: u64, length: u64) -> Span {
            Span { space, offset: self.0.constant(offset), length: self.0.constant(length) }
        }

        fn dispatch(&mut self, reads: &[Span], writes: &[Span]) -> Command {
            let bind = |spans: &[Span], access| -> Vec<Binding> {
                spans.iter().map(|span| Binding { span: *span, access }).collect()
            };
            let bindings = [bind(reads, Access::Read), bind(writes, Access::Write)].concat();
            let one = self.0.constant(1);
            Command::Dispatch { kernel: 0, grid: [one; 3], bindings, constants: Vec::new() }
        }

        fn walk(mut self, commands: Vec<Command>) -> Walk {
            self.0.blocks.insert(0, Block { commands });
            let tensor = TensorSignature::default();
            let signature = FunctionSignature {
                inputs: vec![tensor.clone()],
                outputs: vec![tensor],
                ..FunctionSignature::default()
            };
            let sizes = Sizes::new(&self.0, &Function::default(), &[]);
            walk(&self.0, 0, Some(&signature), &sizes)
        }
    }

    #[test]
    fn values_flow_from_input_to_output() {
        let mut s = Sketch(Program::default());
        let (input, a) = (s.span(Space::Input(0), 0, 64), s.span(Space::Arena, 0, 64));
        let (weights, b) = (s.span(Space::Constant, 0, 64), s.span(Space::Arena, 64, 64));
        let output = s.span(Space::Output(0), 0, 64);
        let commands =
            vec![s.dispatch(&[input, weights], &[a]), s.dispatch(&[a], &[b]), s.dispatch(&[a, b], &[output])];
        let walk = s.walk(commands);
        let pairs: Vec<(Node, Node)> = walk.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let (first, second, third) = (Node::Step(0), Node::Step(1), Node::Step(2));
        for pair in [(Node::Input(0), first), (first, second), (first, third), (third, Node::Output(0))] {
            assert!(pairs.contains(&pair), "{pair:?} not in {pairs:?}");
        }
        assert_eq!((walk.steps[0].weights.len(), walk.edges.len()), (1, 5));
        let lives: Vec<(usize, usize)> = walk.values.iter().filter(|v| v.arena).map(|v| (v.first, v.last)).collect();
        assert_eq!(lives, [(0, 2), (1, 2)]);
    }

    #[test]
    fn what_a_loop_carries_lives_to_its_end() {
        let mut s = Sketch(Program::default());
        let (input, state) = (s.span(Space::Input(0), 0, 64), s.span(Space::Arena, 0, 64));
        let (table, next) = (s.span(Space::Arena, 64, 64), s.span(Space::Arena, 128, 64));
        let output = s.span(Space::Output(0), 0, 64);
        let body = vec![
            s.dispatch(&[state, table], &[next]),
            Command::Copy { source: next, target: state },
            s.dispatch(&[next], &[next]),
        ];
        s.0.blocks.push(Block { commands: body });
        let commands = vec![
            s.dispatch(&[input], &[state]),
            s.dispatch(&[input], &[table]),
            Command::Repeat { count: 8, body: 1 },
            s.dispatch(&[state], &[output]),
        ];
        let walk = s.walk(commands);
        assert_eq!((walk.steps[2].times, walk.steps[2].within.as_slice()), (8, &["8 rounds".to_string()][..]));
        let life = |first: usize| walk.values.iter().find(|v| v.arena && v.first == first).map(|v| v.last);
        // The table lives through the loop, the first state until it is overwritten, the new one until it is read.
        assert_eq!((life(1), life(0), life(3)), (Some(4), Some(2), Some(5)));
    }

    #[test]
    fn samples_keep_to_bounds() {
        let mut function = Function { size_slots: 3, ..Function::default() };
        function.shapes.slot_names = vec!["a".into(), "b".into()];
        let dim = |name: &str, min, max| DimSig::Symbolic { name: name.into(), min, max };
        let input = TensorSignature { shape: vec![dim("a", 1, 4), dim("b", 1, 99)], ..TensorSignature::default() };
        let signature = FunctionSignature { inputs: vec![input], ..FunctionSignature::default() };
        let sizes = sample(&function, Some(&signature), &[("b".into(), 7)]);
        assert_eq!(sizes, [("a".into(), 4), ("b".into(), 7), ("size2".into(), 16)]);
    }
}

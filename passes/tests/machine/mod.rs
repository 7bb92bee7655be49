//! Executes a planned program on the host: spaces as byte vectors, kernels with the plan interpreter or, as the text
//! that is emitted for a device, in the emulator.

#[allow(dead_code, reason = "each test binary uses its part")]
pub mod emulated;

#[allow(dead_code, reason = "each test binary uses its part")]
pub mod compare;

use std::collections::HashMap;

use fornax_graph::Graph;
use fornax_module::program::{Access, Command, ExprId, Space, Span};
use fornax_module::sizes::{SizeValue, number};
use fornax_passes::Planned;
use fornax_reference::Tensor;
use fornax_targets::Target;

/// A program with its memory.
pub struct Machine<'a> {
    planned: &'a Planned,
    memory: HashMap<Space, Vec<u8>>,
    /// The device whose kernels run in the emulator, instead of plans in the interpreter.
    target: Option<&'a Target>,
    /// Size slots of the call, as far as they are known.
    slots: Vec<Option<i64>>,
    /// All size expressions.
    values: Vec<SizeValue>,
}

/// What a function is run on.
pub struct Given<'g> {
    /// The inputs that are no parameters.
    pub inputs: &'g [Tensor],
    pub parameters: &'g [Tensor],
    /// Values for the slots that shapes give.
    pub sizes: &'g [i64],
}

/// Runs a function on inputs (parameters first removed from them) and gives the bytes of its results.
pub fn run(graph: &Graph, planned: &Planned, function: &str, inputs: &[Tensor], parameters: &[Tensor]) -> Vec<Vec<u8>> {
    run_on(graph, planned, None, function, (inputs, parameters))
}

/// The same with the text of each kernel in the emulator, where a device is given.
pub fn run_on(
    graph: &Graph,
    planned: &Planned,
    target: Option<&Target>,
    function: &str,
    (inputs, parameters): (&[Tensor], &[Tensor]),
) -> Vec<Vec<u8>> {
    run_sized(graph, planned, target, function, Given { inputs, parameters, sizes: &[] })
}

/// The same with values for the slots that shapes give.
pub fn run_sized(
    graph: &Graph,
    planned: &Planned,
    target: Option<&Target>,
    function: &str,
    given: Given<'_>,
) -> Vec<Vec<u8>> {
    let Given { inputs, parameters, sizes } = given;
    let program = &planned.program;
    let at = program.functions.iter().position(|f| f.name == function).expect("the function is planned");
    let function = &program.functions[at];
    let mut m = Machine {
        planned,
        memory: HashMap::new(),
        target,
        slots: sizes.iter().copied().map(Some).collect(),
        values: Vec::new(),
    };
    m.slots.resize(function.size_slots as usize, None);
    m.values = program.evaluate_known(&m.slots);
    let mut constants = vec![0u8; planned.constants_bytes as usize];
    for placement in &planned.constants {
        let bytes = placement.constant.to_bytes(graph);
        assert_eq!(placement.offset % 64, 0);
        constants[placement.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
    }
    m.memory.insert(Space::Constant, constants);
    m.memory.insert(Space::Persistent, vec![0xa5; program.persistent_bytes as usize]);
    for (n, parameter) in parameters.iter().enumerate() {
        m.memory.insert(Space::Parameter(n as u32), parameter.bytes.clone());
    }
    if let Some(load) = program.load {
        m.block(load);
    }
    // Poison: nothing may rely on zeroed memory. Sizes read from data are small here.
    let arena = m.values[function.arena_bytes as usize].known().unwrap_or(1 << 16);
    // NaN in every type of floats.
    m.memory.insert(Space::Arena, vec![0xff; arena as usize]);
    assert_eq!(function.input_bytes.len(), inputs.len());
    for (n, input) in inputs.iter().enumerate() {
        assert_eq!(m.size(function.input_bytes[n]), input.bytes.len());
        m.memory.insert(Space::Input(n as u32), input.bytes.clone());
    }
    for (n, &bytes) in function.output_bytes.iter().enumerate() {
        if let Some(bytes) = m.values[bytes as usize].known() {
            m.memory.insert(Space::Output(n as u32), vec![0xa5; bytes as usize]);
        }
    }
    m.block(function.body);
    (0..function.output_bytes.len()).map(|n| m.memory.remove(&Space::Output(n as u32)).unwrap_or_default()).collect()
}

impl Machine<'_> {
    fn size(&self, id: ExprId) -> usize {
        self.values[id as usize].known().unwrap_or_else(|| panic!("size expression {id} is not known")) as usize
    }

    fn number(&self, id: ExprId) -> i64 {
        number(&self.values, id).unwrap_or_else(|error| panic!("{error}"))
    }

    fn read(&self, span: &Span) -> Vec<u8> {
        let (offset, length) = (self.size(span.offset), self.size(span.length));
        if matches!(span.space, Space::Output(_)) && !self.memory.contains_key(&span.space) {
            return vec![0xa5; length];
        }
        self.memory[&span.space][offset..offset + length].to_vec()
    }

    fn write(&mut self, span: &Span, bytes: &[u8]) {
        let offset = self.size(span.offset);
        assert_eq!(self.size(span.length), bytes.len());
        if matches!(span.space, Space::Output(_)) && !self.memory.contains_key(&span.space) {
            self.memory.insert(span.space, vec![0xa5; offset + bytes.len()]);
        }
        self.memory.get_mut(&span.space).expect("a space that can be written")[offset..offset + bytes.len()]
            .copy_from_slice(bytes);
    }

    fn block(&mut self, block: u32) {
        let planned = self.planned;
        for command in &planned.program.blocks[block as usize].commands {
            self.command(command);
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::If { predicate, then_block, else_block } => {
                let taken = self.read(predicate)[0] != 0;
                self.block(if taken { *then_block } else { *else_block });
            }
            Command::While { condition, predicate, body, .. } => loop {
                self.block(*condition);
                if self.read(predicate)[0] == 0 {
                    break;
                }
                self.block(*body);
            },
            Command::Repeat { count, body } => (0..*count).for_each(|_| self.block(*body)),
            Command::Dispatch { kernel, bindings, grid, constants } => {
                let plan = &self.planned.kernels[*kernel as usize];
                let (launch, threads) = plan.launch();
                let grid = grid.map(|g| self.size(g) as u64);
                if plan.launch_formula().is_none() {
                    assert_eq!(launch, grid);
                }
                if grid.contains(&0) {
                    return;
                }
                let sizes: Vec<i64> = constants.iter().map(|&c| self.number(c)).collect();
                let own = plan.exprs.indices.sizes.len();
                assert_eq!(sizes.len(), own + plan.tensor_maps.iter().map(|m| m.sizes.len()).sum::<usize>());
                assert_eq!(self.planned.program.kernels[*kernel as usize].block, [threads, 1, 1]);
                for b in bindings {
                    assert_eq!(self.size(b.span.offset) % 16, 0);
                }
                let mut buffers: Vec<Vec<u8>> = bindings.iter().map(|b| self.read(&b.span)).collect();
                // A kernel must not depend on what its outputs held.
                for (bytes, _) in buffers.iter_mut().zip(bindings).filter(|(_, b)| b.access == Access::Write) {
                    bytes.fill(0x5a);
                }
                match self.target {
                    Some(target) => emulated::run_sized(plan, target, &mut buffers, (grid, &sizes)),
                    None => fornax_plan::interpret::run_sized(plan, &sizes[..own], &mut buffers)
                        .unwrap_or_else(|e| panic!("{e}\n{}", plan.print())),
                }
                for (binding, bytes) in bindings.iter().zip(&buffers) {
                    match binding.access {
                        Access::Write | Access::ReadWrite => self.write(&binding.span, bytes),
                        Access::Read => {
                            assert_eq!(&self.read(&binding.span), bytes, "an input was overwritten: arena overlap")
                        }
                    }
                }
            }
            Command::Copy { source, target } => {
                let bytes = self.read(source);
                self.write(target, &bytes);
            }
            Command::Fill { target, pattern, pattern_bytes } => {
                let n = usize::from(*pattern_bytes);
                let bytes = pattern.to_le_bytes()[..n].repeat(self.size(target.length) / n);
                self.write(target, &bytes);
            }
            Command::Require { relation, a, b, message } => {
                let (a, b) = (self.number(*a), self.number(*b));
                assert!(relation.holds(a, b), "{message}: {a} {} {b}", relation.symbol());
            }
            Command::HostShape { slot, source, signed, min, max, .. } => {
                let bytes = self.read(source);
                let mut word = [if *signed && bytes.last().is_some_and(|b| b & 0x80 != 0) { 0xff } else { 0u8 }; 8];
                word[..bytes.len()].copy_from_slice(&bytes);
                let value = i64::from_le_bytes(word);
                assert!((*min..=*max).contains(&value), "{value} is no size");
                self.slots[*slot as usize] = Some(value);
                self.values = self.planned.program.evaluate_known(&self.slots);
            }
            other => panic!("unexpected command {other:?}"),
        }
    }
}

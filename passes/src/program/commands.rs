//! Commands of one function: a dispatch for each fusion op, copies and fills for results that no kernel writes.
//!
//! A kernel that reads nothing but parameters and constants (folded batch norm, transposed weights, masks from iota) runs
//! once, in the load block, and its results live in `Space::Persistent`.

use std::collections::HashMap;

use fornax_graph::{BlockId, ConstId, Graph, OpId, OpKind, ValueId};
use fornax_module::program::{Access, Binding, Block, Command, ExprId, Function as ProgramFunction, Space, Span};
use fornax_plan::{Access as PlanAccess, KernelPlan};

use super::arena::{self, Interval};
use super::{ARENA_ALIGNMENT, FunctionMemory, Options, Parameter, Planner};
use crate::errors::PassError;
use crate::schedule::lower::Bound;
use crate::schedule::ops::{constant_of, splat_bits, tensor};
use crate::schedule::{Scheduled, schedule};

/// Where the bytes of a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Input(u32),
    Parameter(u32),
    Constant(ConstId),
    Output(u32),
    /// Offset, written by the load block.
    Persistent(u64),
    /// Intermediate number.
    Arena(usize),
}

/// What a kernel binds: a value of the graph, or the packed copy of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    Value(ValueId),
    Packed(usize),
}

/// A launch before its buffers have offsets.
struct Launch {
    kernel: u32,
    grid: [u64; 3],
    values: Vec<(Source, PlanAccess)>,
}

struct Builder<'p, 'a> {
    planner: &'p mut Planner<'a>,
    /// The value whose buffer a value uses, for reshapes.
    alias: HashMap<ValueId, ValueId>,
    places: HashMap<Source, Place>,
    /// Bytes of each packed copy.
    packed: Vec<u64>,
    intervals: Vec<Interval>,
    launches: Vec<Launch>,
}

/// Appends the function to the program.
pub fn function(
    planner: &mut Planner<'_>,
    function: &fornax_graph::Function,
    entry: BlockId,
    options: &Options,
) -> Result<(), PassError> {
    let graph = planner.graph;
    let mut b = Builder {
        planner,
        alias: HashMap::new(),
        places: HashMap::new(),
        packed: Vec::new(),
        intervals: Vec::new(),
        launches: Vec::new(),
    };
    let none = Vec::new();
    let parameters = options.parameters.get(&function.name).unwrap_or(&none);
    let inputs = b.arguments(entry, parameters)?;
    let ops = &graph.block(entry).ops;
    let results = match ops.last() {
        Some(&op) if graph.op(op).kind == OpKind::FuncReturn => graph.op(op).operands.clone(),
        _ => Vec::new(),
    };
    for &op in ops {
        b.name(op)?;
    }
    b.outputs(&results);
    for &op in ops.iter().filter(|&&op| graph.op(op).kind == OpKind::Fusion) {
        b.launch(op)?;
    }
    b.read_by_copies(&results);
    let (offsets, arena_bytes) = arena::place(&b.intervals);
    let mut commands = Vec::new();
    for launch in std::mem::take(&mut b.launches) {
        commands.push(b.dispatch(launch, &offsets)?);
    }
    b.copies(&results, &offsets, &mut commands)?;
    let memory = FunctionMemory {
        function: function.name.clone(),
        arena_bytes,
        unshared_bytes: b.intervals.iter().map(|i| i.bytes).sum(),
        intermediates: b.intervals.len(),
    };
    let bytes = |values: &[ValueId], planner: &mut Planner<'_>| -> Result<Vec<ExprId>, PassError> {
        values.iter().map(|&v| Ok(planner.size(bytes_of(graph, v)?))).collect()
    };
    let (input_bytes, output_bytes) = (bytes(&inputs, planner)?, bytes(&results, planner)?);
    let arena_bytes = planner.size(arena_bytes);
    let program = &mut planner.planned.program;
    program.blocks.push(Block { commands });
    let body = (program.blocks.len() - 1) as u32;
    let name = function.name.clone();
    program.functions.push(ProgramFunction { name, body, arena_bytes, size_slots: 0, input_bytes, output_bytes });
    planner.planned.memory.push(memory);
    Ok(())
}

fn bytes_of(graph: &Graph, value: ValueId) -> Result<u64, PassError> {
    tensor(graph, value)?.bytes().ok_or_else(|| PassError::broken(format!("value {} has no static size", value.0)))
}

impl Builder<'_, '_> {
    /// Arguments become inputs or parameters; returns the inputs in order.
    fn arguments(&mut self, entry: BlockId, parameters: &[(usize, String)]) -> Result<Vec<ValueId>, PassError> {
        let graph = self.planner.graph;
        let arguments = &graph.block(entry).arguments;
        for (at, (argument, name)) in parameters.iter().enumerate() {
            let again = parameters[..at].iter().any(|p| p.0 == *argument || p.1 == *name);
            if *argument >= arguments.len() || again {
                let what = format!(
                    "argument {argument} cannot be parameter `{name}`: the function has {} arguments, and each is named once",
                    arguments.len()
                );
                return Err(PassError::request("FX0317", what));
            }
        }
        let mut inputs = Vec::new();
        for (at, &value) in arguments.iter().enumerate() {
            let place = match parameters.iter().find(|p| p.0 == at) {
                Some((_, name)) => Place::Parameter(self.parameter(name, value)?),
                None => {
                    inputs.push(value);
                    Place::Input(inputs.len() as u32 - 1)
                }
            };
            self.places.insert(Source::Value(value), place);
        }
        Ok(inputs)
    }

    /// Number of a named parameter; functions share parameters of one name, which must have one type.
    fn parameter(&mut self, name: &str, value: ValueId) -> Result<u32, PassError> {
        let ty = tensor(self.planner.graph, value)?.clone();
        let parameters = &mut self.planner.planned.parameters;
        match parameters.iter().position(|p| p.name == name) {
            Some(at) if parameters[at].ty == ty => Ok(at as u32),
            Some(_) => {
                let what = format!("parameter `{name}` has different types in different functions");
                Err(PassError::request("FX0317", what))
            }
            None => {
                parameters.push(Parameter { name: name.to_string(), ty });
                Ok(parameters.len() as u32 - 1)
            }
        }
    }

    /// Notes what a function-level op makes: a constant, another name of a buffer; fusion results get places later.
    fn name(&mut self, op: OpId) -> Result<(), PassError> {
        let graph = self.planner.graph;
        let data = graph.op(op);
        match data.kind {
            OpKind::Fusion | OpKind::FuncReturn => {}
            OpKind::Constant => {
                if let Some(id) = constant_of(graph, data.results[0]) {
                    self.places.insert(Source::Value(data.results[0]), Place::Constant(id));
                }
            }
            OpKind::Reshape | OpKind::BroadcastInDim | OpKind::BitcastConvert
                if bytes_of(graph, data.operands[0])? == bytes_of(graph, data.results[0])? =>
            {
                let source = self.resolve(data.operands[0]);
                self.alias.insert(data.results[0], source);
            }
            _ => return Err(PassError::internal(graph, op, "an op outside the fusion groups")),
        }
        Ok(())
    }

    /// The value whose buffer holds `value`.
    fn resolve(&self, value: ValueId) -> ValueId {
        self.alias.get(&value).copied().unwrap_or(value)
    }

    /// The first result that names a kernel's output is written in place.
    fn outputs(&mut self, results: &[ValueId]) {
        for (at, &result) in results.iter().enumerate() {
            let source = self.resolve(result);
            let made = self.planner.graph.producer(source).map(|op| self.planner.graph.op(op).kind);
            if made == Some(OpKind::Fusion) {
                self.places.entry(Source::Value(source)).or_insert(Place::Output(at as u32));
            }
        }
    }

    fn launch(&mut self, op: OpId) -> Result<(), PassError> {
        let graph = self.planner.graph;
        let data = graph.op(op);
        let constant = |n: usize| {
            let value = data.operands.get(n).map(|&v| Source::Value(self.resolve(v)));
            value.is_some_and(|v| self.is_same_in_every_call(v))
        };
        let Some(Scheduled { plan, bound, pack }) = schedule(graph, op, self.planner.target, &constant)? else {
            return Ok(());
        };
        let mut sources = Vec::with_capacity(bound.len());
        for bound in bound {
            let value = match bound {
                Bound::Operand(n) => data.operands.get(n),
                Bound::Result(n) => data.results.get(n),
            };
            let value = *value.ok_or_else(|| PassError::internal(graph, op, "a buffer of no operand"))?;
            sources.push(Source::Value(self.resolve(value)));
        }
        if let Some((buffer, copy)) = pack {
            let packed = &copy.buffers[1];
            self.packed.push(packed.elements as u64 * packed.element.storage_bytes() as u64);
            let target = Source::Packed(self.packed.len() - 1);
            let source = std::mem::replace(&mut sources[buffer], target);
            self.run(copy, &[source, target])?;
        }
        self.run(plan, &sources)
    }

    /// Appends a launch, to the function or to the load block.
    fn run(&mut self, plan: KernelPlan, sources: &[Source]) -> Result<(), PassError> {
        let values: Vec<(Source, PlanAccess)> =
            sources.iter().copied().zip(plan.buffers.iter().map(|b| b.access)).collect();
        let (grid, _) = plan.launch();
        let kernel = self.planner.kernel(plan);
        if self.is_constant(&values) {
            return self.launch_at_load(Launch { kernel, grid, values });
        }
        for &(value, _) in &values {
            self.touch(value, self.launches.len())?;
        }
        self.launches.push(Launch { kernel, grid, values });
        Ok(())
    }

    fn is_same_in_every_call(&self, source: Source) -> bool {
        matches!(self.places.get(&source), Some(Place::Parameter(_) | Place::Constant(_) | Place::Persistent(_)))
    }

    fn bytes(&self, source: Source) -> Result<u64, PassError> {
        match source {
            Source::Value(value) => bytes_of(self.planner.graph, value),
            Source::Packed(n) => Ok(self.packed.get(n).copied().unwrap_or(0)),
        }
    }

    /// Does the launch compute the same in every call, into intermediates?
    fn is_constant(&self, values: &[(Source, PlanAccess)]) -> bool {
        values.iter().all(|&(source, access)| match access {
            PlanAccess::Write => !self.places.contains_key(&source),
            PlanAccess::Read => self.is_same_in_every_call(source),
        })
    }

    fn launch_at_load(&mut self, launch: Launch) -> Result<(), PassError> {
        for &(value, _) in launch.values.iter().filter(|v| v.1 == PlanAccess::Write) {
            let bytes = self.bytes(value)?;
            let end = &mut self.planner.planned.program.persistent_bytes;
            let offset = end.next_multiple_of(ARENA_ALIGNMENT);
            *end = offset + bytes;
            self.places.insert(value, Place::Persistent(offset));
        }
        let command = self.dispatch(launch, &[])?;
        self.planner.load.push(command);
        Ok(())
    }

    fn dispatch(&mut self, launch: Launch, offsets: &[u64]) -> Result<Command, PassError> {
        let mut bindings = Vec::with_capacity(launch.values.len());
        for (value, access) in launch.values {
            let access = if access == PlanAccess::Read { Access::Read } else { Access::Write };
            bindings.push(Binding { span: self.span(value, offsets)?, access });
        }
        let grid = launch.grid.map(|n| self.planner.size(n));
        Ok(Command::Dispatch { kernel: launch.kernel, grid, bindings, constants: Vec::new() })
    }

    /// Command `at` uses the value.
    fn touch(&mut self, value: Source, at: usize) -> Result<(), PassError> {
        match self.places.get(&value) {
            None => {
                let bytes = self.bytes(value)?;
                self.intervals.push(Interval { bytes, first: at, last: at });
                self.places.insert(value, Place::Arena(self.intervals.len() - 1));
            }
            Some(Place::Arena(n)) => self.intervals[*n].last = at,
            Some(_) => {}
        }
        Ok(())
    }

    /// Results copied at the end keep their sources alive.
    fn read_by_copies(&mut self, results: &[ValueId]) {
        let end = self.launches.len() + results.len();
        for &result in results {
            if let Some(Place::Arena(n)) = self.places.get(&Source::Value(self.resolve(result))) {
                self.intervals[*n].last = end;
            }
        }
    }

    fn span(&mut self, value: Source, offsets: &[u64]) -> Result<Span, PassError> {
        let bytes = self.bytes(value)?;
        let (space, offset) = match self.places.get(&value) {
            Some(Place::Input(n)) => (Space::Input(*n), 0),
            Some(Place::Parameter(n)) => (Space::Parameter(*n), 0),
            Some(Place::Output(n)) => (Space::Output(*n), 0),
            Some(Place::Persistent(offset)) => (Space::Persistent, *offset),
            Some(Place::Arena(n)) => (Space::Arena, offsets.get(*n).copied().unwrap_or(0)),
            Some(Place::Constant(id)) => {
                let graph = self.planner.graph;
                (Space::Constant, self.planner.pool.place(graph, *id).offset)
            }
            None => {
                let what = format!("{value:?} has no buffer");
                return Err(PassError::broken(what));
            }
        };
        Ok(Span { space, offset: self.planner.size(offset), length: self.planner.size(bytes) })
    }

    /// Copies or fills for the results that no kernel wrote in place.
    fn copies(&mut self, results: &[ValueId], offsets: &[u64], commands: &mut Vec<Command>) -> Result<(), PassError> {
        for (at, &result) in results.iter().enumerate() {
            let source = self.resolve(result);
            let bytes = bytes_of(self.planner.graph, result)?;
            if bytes == 0 || self.places.get(&Source::Value(source)) == Some(&Place::Output(at as u32)) {
                continue;
            }
            let (offset, length) = (self.planner.size(0), self.planner.size(bytes));
            let target = Span { space: Space::Output(at as u32), offset, length };
            commands.push(match splat_bits(self.planner.graph, source) {
                Some(pattern) => {
                    let element = tensor(self.planner.graph, source)?.element;
                    Command::Fill { target, pattern, pattern_bytes: element.storage_bytes() as u8 }
                }
                None => Command::Copy { source: self.span(Source::Value(source), offsets)?, target },
            });
        }
        Ok(())
    }
}

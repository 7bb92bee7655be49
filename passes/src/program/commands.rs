//! Commands of one function: a dispatch for each fusion op, copies and fills for results that no kernel writes, nested
//! blocks for control flow.
//!
//! A kernel that reads nothing but parameters and constants (folded batch norm, transposed weights, masks from iota)
//! runs once, in the load block, and its results live in `Space::Persistent`. The values that a loop carries live in
//! the buffers of its results: copied in before the loop, copied over at the end of the body.

use std::collections::{HashMap, HashSet};

use fornax_graph::{BlockId, Dim, DimCheck, DimRelation, Graph, OpId, OpKind, ValueId};
use fornax_module::program::{
    Block, BlockId as ProgramBlock, Command, ExprId, Function as ProgramFunction, FunctionShapes, Relation,
};
use fornax_plan::{Access as PlanAccess, KernelPlan};

use super::formula;
use super::launch::{Copies, Launch, Rounds, Step};
use super::run_at_load::widens_for_products;
use super::sizes::{Bytes, FunctionSizes, read_range, read_values};
use super::storage::{Place, Source, Storage};
use super::trace::{Around, Origin};
use super::{FunctionMemory, Options, Parameter, Planner, donate, in_place, needed, share_copies, trips};
use super::{apart, arena};
use crate::errors::PassError;
use crate::facts::donated;
use crate::facts::ops::{Class, constant_of, row, tensor};
use crate::remarks::{LOOP_BEGINS, RESULT_COPIED, ROUND_ENDS, ROUND_SAVES, Reason};

/// Characters of a requirement's message that are kept.
const MESSAGE_CHARS: usize = 250;

pub(super) struct Builder<'p, 'a> {
    pub(super) planner: &'p mut Planner<'a>,
    pub(super) storage: Storage,
    /// Scalars that the host reads, and the dims that they are.
    read: HashMap<ValueId, u32>,
    /// The byte that lets what is planned now run, in a loop that the host runs ahead of.
    pub(super) guard: Option<Source>,
    /// Intermediates that an update changes where they are.
    pub(super) overwritten: HashSet<Source>,
    /// Values that an op of the function reads.
    values_read: HashSet<ValueId>,
    /// Ops of loops that nothing needs.
    unused: HashSet<OpId>,
    /// Loops of known length around what is planned now.
    depth: u32,
    /// Copies that the block made that is planned now.
    pub(super) copies: share_copies::Made,
    /// Loops and branches around the commands that are made now.
    pub(super) around: Vec<Around>,
}

/// Appends the function to the program.
pub fn function(
    planner: &mut Planner<'_>,
    function: &fornax_graph::Function,
    entry: BlockId,
    options: &Options,
) -> Result<(), PassError> {
    let graph = planner.graph;
    planner.sizes_of = FunctionSizes::of(graph, entry);
    let read = read_values(graph);
    let mut values_read = needed::values_read(graph, entry);
    values_read.extend(read.keys());
    let mut b = Builder {
        planner,
        storage: Storage::default(),
        read,
        guard: None,
        overwritten: HashSet::new(),
        values_read,
        unused: HashSet::new(),
        depth: 0,
        copies: share_copies::Made::new(),
        around: Vec::new(),
    };
    let none = Vec::new();
    let parameters = options.parameters.get(&function.name).unwrap_or(&none);
    let inputs = b.arguments(entry, parameters)?;
    for &input in &inputs {
        b.planner.take_slots(input)?;
    }
    b.planner.number_reads(entry, &b.read);
    let results = results_of(graph, entry);
    let outputs: Vec<Source> = (0..results.len() as u32).map(Source::Output).collect();
    let mut steps = b.requirements()?;
    for &argument in &graph.block(entry).arguments {
        b.read(argument, &mut steps)?;
    }
    steps.extend(b.block(entry, &outputs, true)?);
    let given = donated::given_away(graph, function, entry);
    let steps = b.rearranged(steps, &given)?;
    let levels = b.clocked("apart", |b| apart::levels(b, &steps))?;
    let arena = b.clocked("arena", |b| arena::arrange(b.planner, &b.storage.intervals, &b.storage.rows, &levels))?;
    let commands = b.commands(&steps, &arena.offsets)?;
    let fixed = |i: &arena::Interval| if let Bytes::Fixed(bytes) = i.bytes { bytes } else { 0 };
    let sized = !b.planner.sizes_of.slots.is_empty();
    let memory = FunctionMemory {
        function: function.name.clone(),
        arena_bytes: arena.fixed,
        arena_formula: if sized { formula::text(b.planner, arena.bytes) } else { String::new() },
        unshared_bytes: b.storage.intervals.iter().map(fixed).sum(),
        intermediates: b.storage.intervals.len(),
    };
    let bytes = |values: &[ValueId], planner: &mut Planner<'_>| -> Result<Vec<ExprId>, PassError> {
        values
            .iter()
            .map(|&v| {
                let bytes = planner.bytes_of(v)?;
                planner.length(bytes)
            })
            .collect()
    };
    let (input_bytes, output_bytes) = (bytes(&inputs, planner)?, bytes(&results, planner)?);
    let shapes = if sized { shapes(planner, &inputs, &results, arena.stages)? } else { FunctionShapes::default() };
    let size_slots = planner.sizes_of.slots.len() as u32;
    let body = push_block(planner, commands);
    planner.clocked("donate", |p| donate::note(p, function, (entry, body), (&inputs, &results)))?;
    planner.settle_copies(&function.name);
    let (name, arena_bytes) = (function.name.clone(), arena.bytes);
    let function = ProgramFunction { name, body, arena_bytes, size_slots, input_bytes, output_bytes, shapes };
    planner.planned.program.functions.push(function);
    planner.planned.memory.push(memory);
    Ok(())
}

/// What the runtime is told of sizes.
fn shapes(
    planner: &mut Planner<'_>,
    inputs: &[ValueId],
    results: &[ValueId],
    arena_stages: Vec<ExprId>,
) -> Result<FunctionShapes, PassError> {
    let graph = planner.graph;
    let mut lists = Vec::with_capacity(2);
    for values in [inputs, results] {
        let mut list = Vec::with_capacity(values.len());
        for &value in values {
            let shape = &tensor(graph, value)?.shape;
            list.push(shape.iter().map(|&dim| planner.dim(dim)).collect::<Result<Vec<_>, _>>()?);
        }
        lists.push(list);
    }
    let outputs = lists.pop().unwrap_or_default();
    let inputs = lists.pop().unwrap_or_default();
    let name = |&dim: &u32| graph.dims.get(dim as usize).map_or(String::new(), |d| d.name.clone());
    let slot_names = planner.sizes_of.slots.iter().map(name).collect();
    Ok(FunctionShapes { slot_names, inputs, outputs, arena_stages })
}

pub(super) fn push_block(planner: &mut Planner<'_>, commands: Vec<Command>) -> ProgramBlock {
    let blocks = &mut planner.planned.program.blocks;
    blocks.push(Block { commands });
    (blocks.len() - 1) as ProgramBlock
}

/// Whether a loop gives one of its results with another size than it had before.
pub(super) fn changes_size(graph: &Graph, op: OpId, result: ValueId) -> bool {
    let data = graph.op(op);
    let at = data.results.iter().position(|&r| r == result);
    let before = at.and_then(|at| data.operands.get(at)).and_then(|&v| graph.ty(v).as_tensor());
    data.kind == OpKind::While && before.zip(graph.ty(result).as_tensor()).is_some_and(|(a, b)| a.shape != b.shape)
}

/// Operands of a block's terminator.
fn results_of(graph: &Graph, block: BlockId) -> Vec<ValueId> {
    match graph.block(block).ops.last() {
        Some(&op) if matches!(graph.op(op).kind, OpKind::FuncReturn | OpKind::Return) => graph.op(op).operands.clone(),
        _ => Vec::new(),
    }
}

impl Builder<'_, '_> {
    /// As [`Planner::clocked`].
    pub(super) fn clocked<T>(&mut self, pass: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        let began = self.planner.clock.now();
        let result = work(self);
        self.planner.clock.add(pass, began);
        result
    }

    /// What the host checks of sizes: at once where shapes give them.
    fn requirements(&mut self) -> Result<Vec<Step>, PassError> {
        let mut steps = Vec::new();
        self.require(None, &mut steps)?;
        Ok(steps)
    }

    fn requirement(&mut self, check: &DimCheck) -> Result<Option<Command>, PassError> {
        let (a, b) = (self.planner.dim(check.a)?, self.planner.dim(check.b)?);
        let relation = match check.condition {
            DimRelation::Equal => Relation::Equal,
            DimRelation::NotEqual => Relation::NotEqual,
            DimRelation::LessEqual => Relation::LessEqual,
            DimRelation::Divides => Relation::Divides,
        };
        let message: String = check.message.chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS).collect();
        Ok((a != b || relation != Relation::Equal).then_some(Command::Require { relation, a, b, message }))
    }

    fn stage_of(&self, command: &Command) -> usize {
        match command {
            Command::Require { a, b, .. } => self.planner.stage(*a).max(self.planner.stage(*b)),
            _ => 0,
        }
    }

    /// What can be checked once a scalar is read; without one, what shapes tell.
    fn require(&mut self, after: Option<u32>, steps: &mut Vec<Step>) -> Result<(), PassError> {
        for check in &self.planner.graph.dim_checks {
            if self.planner.last_read(check.a, check.b) != after {
                continue;
            }
            if let Some(command) = self.requirement(check)?
                && (after.is_some() || self.stage_of(&command) == 0)
            {
                steps.push(Step::Plain(command));
            }
        }
        Ok(())
    }

    /// After `value` is there: reads it, if it is a size, and checks what is known then.
    fn read(&mut self, value: ValueId, steps: &mut Vec<Step>) -> Result<(), PassError> {
        let graph = self.planner.graph;
        let Some(&dim) = self.read.get(&value) else { return Ok(()) };
        let source = Source::Value(self.storage.resolve(value));
        self.storage.touch(self.planner, source)?;
        self.storage.clock += 1;
        let slot = self.planner.slot(dim);
        // Known from here on.
        self.planner.dim(Dim::Symbolic(dim))?;
        let element = tensor(graph, value)?.element;
        steps.push(Step::Read { slot, source, element, range: read_range(graph, value) });
        self.require(Some(dim), steps)
    }

    /// Arguments become inputs or parameters; returns the inputs in order.
    fn arguments(&mut self, entry: BlockId, parameters: &[(usize, String)]) -> Result<Vec<ValueId>, PassError> {
        let graph = self.planner.graph;
        let arguments = &graph.block(entry).arguments;
        for (at, (argument, name)) in parameters.iter().enumerate() {
            let again = parameters[..at].iter().any(|p| p.0 == *argument || p.1 == *name);
            if *argument >= arguments.len() || again {
                let what = format!(
                    "argument {argument} cannot be parameter `{name}`: the function has {} arguments, and each is \
                     named once",
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
            self.storage.places.insert(Source::Value(value), place);
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

    /// The steps of a block, its results put into `targets`; where `direct`, by the kernels that make them.
    fn block(&mut self, block: BlockId, targets: &[Source], direct: bool) -> Result<Vec<Step>, PassError> {
        let graph = self.planner.graph;
        let ops = &graph.block(block).ops;
        let in_place = self.planner.has("in_place");
        let updates =
            if in_place { self.clocked("in_place", |_| in_place::updates(graph, block))? } else { Vec::new() };
        let updates = in_place::intermediate(graph, block, &updates);
        for &op in ops {
            self.name(op)?;
            for update in updates.iter().filter(|update| graph.producer(update.result) == Some(op)) {
                self.storage.rename(update.result, update.operand);
                self.overwritten.insert(Source::Value(self.storage.resolve(update.operand)));
            }
        }
        let results = results_of(graph, block);
        if direct && self.planner.has("place_directly") {
            for (&result, &target) in results.iter().zip(targets) {
                self.clocked("place_directly", |b| b.place_directly(block, result, target));
            }
        }
        let mut steps = Vec::new();
        let outside = std::mem::take(&mut self.copies);
        for &op in ops {
            match graph.op(op).kind {
                _ if self.unused.contains(&op) => continue,
                OpKind::Fusion => self.launch(op, &mut steps)?,
                OpKind::While => self.while_loop(op, &mut steps)?,
                OpKind::If => self.branch(op, &mut steps)?,
                OpKind::HostCall => self.host_call(op, &mut steps)?,
                _ => self.between_devices(op, &mut steps)?,
            }
            for &result in &graph.op(op).results {
                self.read(result, &mut steps)?;
            }
        }
        self.copies = outside;
        for (&result, &target) in results.iter().zip(targets) {
            self.copy(Source::Value(self.storage.resolve(result)), target, &mut steps, RESULT_COPIED)?;
        }
        Ok(steps)
    }

    /// Notes what an op outside the fusion groups makes: a constant, another name of a buffer.
    fn name(&mut self, op: OpId) -> Result<(), PassError> {
        let graph = self.planner.graph;
        let data = graph.op(op);
        match data.kind {
            OpKind::Fusion | OpKind::FuncReturn | OpKind::Return => {}
            kind if row(kind).is_some_and(|row| row.class == Class::Control) => {}
            OpKind::Constant => {
                if let Some(id) = constant_of(graph, data.results[0]) {
                    self.storage.places.insert(Source::Value(data.results[0]), Place::Constant(id));
                }
            }
            // A reshape has as many elements, even where only the checks before a run know that.
            OpKind::Reshape => self.storage.rename(data.results[0], data.operands[0]),
            OpKind::BroadcastInDim | OpKind::BitcastConvert
                if self.planner.bytes_of(data.operands[0])? == self.planner.bytes_of(data.results[0])? =>
            {
                self.storage.rename(data.results[0], data.operands[0]);
            }
            _ => return Err(PassError::internal(graph, op, "an op outside the fusion groups")),
        }
        Ok(())
    }

    /// Appends a launch, here or to the load block.
    pub(super) fn run(
        &mut self,
        mut plan: KernelPlan,
        from: &[Source],
        origin: Option<Origin>,
        steps: &mut Vec<Step>,
    ) -> Result<(), PassError> {
        let accesses = plan.buffers.iter().map(|b| b.access);
        let mut values: Vec<(Source, PlanAccess)> = from.iter().copied().zip(accesses).collect();
        let ([x, y, z], _) = plan.launch();
        let x = match plan.launch_formula() {
            Some(formula) => self.planner.workgroups(&plan, &formula)?,
            None => self.planner.size(x),
        };
        let grid = [x, self.planner.size(y), self.planner.size(z)];
        let sizes = self.planner.constants_of(&plan)?;
        let is_static = sizes.is_empty();
        let fusion = origin.as_ref().map(|origin| origin.op);
        let again = fusion.is_some_and(|op| widens_for_products(self.planner.graph, &plan, op));
        let at_load = is_static && !again && self.is_same_in_every_call(&values);
        let unguarded = (self.depth > 0 && is_static).then(|| Box::new(plan.clone()));
        if let (Some(guard), false) = (self.guard, at_load) {
            plan.add_guard();
            values.push((guard, PlanAccess::Guard));
        }
        let kernel = self.planner.kernel_for(plan, origin.as_ref())?;
        let (clock, bundled) = (self.storage.clock, Vec::new());
        let launch =
            Launch { kernel, grid, values, sizes, plan: unguarded, copies: None, origin, bundled, clock, until: clock };
        if at_load {
            return self.launch_at_load(launch);
        }
        for &(source, _) in &launch.values {
            self.storage.touch(self.planner, source)?;
        }
        self.storage.clock += 1;
        steps.push(Step::Launch(launch));
        Ok(())
    }

    /// A copy, unless both are the same bytes or there are none.
    pub(super) fn copy(
        &mut self,
        from: Source,
        to: Source,
        steps: &mut Vec<Step>,
        why: &'static Reason,
    ) -> Result<(), PassError> {
        if self.storage.place(from).is_some() && self.storage.place(from) == self.storage.place(to)
            || self.storage.bytes_or(self.planner, from, to)? == Bytes::Fixed(0)
        {
            return Ok(());
        }
        if self.guard.is_some() {
            return self.copy_by_kernel(Copies { from, to, why }, steps);
        }
        self.storage.touch(self.planner, from)?;
        self.storage.touch(self.planner, to)?;
        self.storage.clock += 1;
        steps.push(Step::Copy(Copies { from, to, why }));
        Ok(())
    }

    /// Gives the results of a control op a place; they are written in other blocks.
    fn place_results(&mut self, op: OpId) -> Result<Vec<Source>, PassError> {
        let graph = self.planner.graph;
        let sources: Vec<Source> = graph.op(op).results.iter().map(|&r| Source::Value(r)).collect();
        for &source in &sources {
            self.storage.touch(self.planner, source)?;
        }
        Ok(sources)
    }

    /// Room for what a loop carries of changing size.
    fn reserve(&mut self, op: OpId) -> Result<(), PassError> {
        let graph = self.planner.graph;
        for &result in &graph.op(op).results {
            if changes_size(graph, op, result)
                && let Some(room) = self.planner.room(result, true)?
            {
                self.storage.reserve(Source::Value(result), room);
            }
        }
        Ok(())
    }

    fn region_block(&self, op: OpId, at: usize) -> Result<BlockId, PassError> {
        let graph = self.planner.graph;
        let region = graph.op(op).regions.get(at).and_then(|&r| graph.region(r).blocks.first().copied());
        region.ok_or_else(|| PassError::internal(graph, op, "lacks a region"))
    }

    fn branch(&mut self, op: OpId, steps: &mut Vec<Step>) -> Result<(), PassError> {
        let predicate = Source::Value(self.storage.resolve(self.planner.graph.op(op).operands[0]));
        self.storage.touch(self.planner, predicate)?;
        let results = self.place_results(op)?;
        self.storage.clock += 1;
        let start = self.storage.clock;
        let then_steps = self.block(self.region_block(op, 0)?, &results, true)?;
        let else_steps = self.block(self.region_block(op, 1)?, &results, true)?;
        self.storage.keep_through(start, &results);
        steps.push(Step::If { predicate, then_steps, else_steps });
        Ok(())
    }

    fn while_loop(&mut self, op: OpId, steps: &mut Vec<Step>) -> Result<(), PassError> {
        let graph = self.planner.graph;
        let (condition_block, body_block) = (self.region_block(op, 0)?, self.region_block(op, 1)?);
        let count = self.clocked("trips", |b| b.trips(op));
        let mut is_needed = vec![true; graph.op(op).results.len()];
        if count.is_some() && self.planner.has("needed") {
            let needed = self.clocked("needed", |b| {
                needed::needed(graph, op, body_block, &b.values_read, &|v| b.read.contains_key(&v))
            });
            is_needed = needed.carried;
            self.unused.extend(needed.unused);
        }
        let before = self.storage.clock;
        self.reserve(op)?;
        let carried = self.place_results(op)?;
        let given = graph.op(op).operands.iter().zip(&carried).zip(&is_needed);
        for ((&operand, &to), _) in given.filter(|(_, needed)| **needed) {
            self.copy(Source::Value(self.storage.resolve(operand)), to, steps, LOOP_BEGINS)?;
        }
        let start = self.storage.clock;
        self.depth += u32::from(count.is_some());
        for block in [condition_block, body_block] {
            for (&argument, &result) in graph.block(block).arguments.iter().zip(&graph.op(op).results) {
                self.storage.rename(argument, result);
            }
        }
        let outside = self.guard;
        if count.is_none() && outside.is_none() && self.takes_flags(op) {
            self.guard = Some(self.flag(steps)?);
        }
        let condition = match count {
            Some(_) => None,
            None => Some(self.condition(op, condition_block)?),
        };
        if self.planner.has("in_place") {
            let updates = self.clocked("in_place", |_| in_place::updates(graph, body_block))?;
            for (at, update) in in_place::carried(graph, body_block, &updates) {
                self.storage.rename(update.result, graph.op(op).results[at]);
            }
        }
        let mut body = Vec::new();
        for &argument in &graph.block(body_block).arguments {
            self.read(argument, &mut body)?;
        }
        body.extend(self.block(body_block, &[], false)?);
        // A value carried in one buffer and wanted in another is saved before that is overwritten.
        let results = results_of(graph, body_block);
        let mut moves = Vec::new();
        for ((&result, &to), _) in results.iter().zip(&carried).zip(&is_needed).filter(|(_, needed)| **needed) {
            let mut from = Source::Value(self.storage.resolve(result));
            if from != to && carried.contains(&from) {
                let saved = self.storage.temporary_like(self.planner, from)?;
                self.copy(from, saved, &mut body, ROUND_SAVES)?;
                from = saved;
            }
            moves.push((from, to));
        }
        for (from, to) in moves {
            self.copy(from, to, &mut body, ROUND_ENDS)?;
        }
        self.clocked("coalesce", |b| b.coalesce(&mut body))?;
        self.storage.keep_through(start, &carried);
        self.depth -= u32::from(count.is_some());
        let guarded = self.guard != outside;
        self.guard = outside;
        match (condition, count) {
            (Some((condition, predicate)), _) => steps.push(Step::While { condition, predicate, body, guarded }),
            (None, Some(count)) if count > 0 => {
                let (problems, counter) = (self.problems(op), trips::counter(graph, op));
                let steady = trips::steady(graph, op, count);
                let rounds = Rounds { problems, counter, steady, from: before, to: self.storage.clock };
                steps.push(Step::Repeat { count, body, rounds, written_out: None });
            }
            (None, _) => {}
        }
        Ok(())
    }

    /// How many problems the values that a loop carries may hold next to each other: their first extents, and products
    /// of two.
    fn problems(&self, op: OpId) -> Vec<i64> {
        let graph = self.planner.graph;
        let types = graph.op(op).results.iter().filter_map(|&v| graph.ty(v).as_tensor());
        let mut found: Vec<i64> = Vec::new();
        for shape in types.filter_map(|ty| ty.static_shape()) {
            let products = shape.iter().take(2).scan(1i64, |n, &extent| {
                *n = n.checked_mul(extent)?;
                Some(*n)
            });
            found.extend(products.filter(|&n| n > 1));
        }
        found.sort_unstable_by_key(|&n| std::cmp::Reverse(n));
        found.dedup();
        found
    }

    /// The steps that compute a loop's predicate, and where it is.
    fn condition(&mut self, op: OpId, block: BlockId) -> Result<(Vec<Step>, Source), PassError> {
        let graph = self.planner.graph;
        let mut condition = Vec::new();
        for &argument in &graph.block(block).arguments {
            self.read(argument, &mut condition)?;
        }
        condition.extend(self.block(block, &[], false)?);
        let predicate = results_of(graph, block).first().copied();
        let predicate = predicate.ok_or_else(|| PassError::internal(graph, op, "its condition returns nothing"))?;
        let mut predicate = Source::Value(self.storage.resolve(predicate));
        if let Some(flag) = self.guard {
            self.lower_flag(flag, predicate, &mut condition)?;
            predicate = flag;
        }
        self.storage.touch(self.planner, predicate)?;
        self.storage.clock += 1;
        Ok((condition, predicate))
    }
}

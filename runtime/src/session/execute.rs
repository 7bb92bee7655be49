//! Runs a program's commands: spans become ranges of buffers, runs of launches, copies and fills become command lists.
//!
//! A function without sizes read from data is one list, made once for each tuple of input and output addresses and
//! sizes and submitted again when the tuple comes back (the pool gives steady callers the same addresses). Branches and
//! loops are nested in it; how they are decided is the driver's business. The others run piece by piece: the queue is
//! drained where the host must read a size. A traced or observed call is decided here too, so that the trace holds what
//! ran.

use std::sync::Arc;

use fornax_module::manifest::{DimSig, FunctionSignature};
use fornax_module::program::{Access, BlockId, Command, ExprId, Function, Relation, Space, Span};
use fornax_module::sizes::{SizeValue, number, size};

use super::bind::{self, Symbols};
use super::load;
use super::load::Passing;
use super::{DeviceTensor, DispatchAt, Session, program_error};
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{self, Binding, Buffer, BufferSlice, Place};

/// Commands that wait to be submitted together, in a traced or observed loop of known length.
const PENDING_MAX: usize = 4096;
/// Nested blocks and calls; the module's checks keep programs far below.
const MAX_DEPTH: usize = 256;

/// One running function.
struct Frame {
    /// `None` in the load block.
    function: Option<u32>,
    inputs: Vec<BufferSlice>,
    /// `None` until first used; those of a called function are the caller's.
    outputs: Vec<Option<BufferSlice>>,
    slots: Vec<Option<i64>>,
    values: Arc<[SizeValue]>,
    depth: usize,
    /// A size was read from data: the arena may have to grow with what is in it.
    grown: bool,
    /// The commands go into a branch or loop of a list: nothing can be read now.
    nested: bool,
}

impl Frame {
    fn size(&self, expr: ExprId) -> Result<u64> {
        Ok(size(&self.values, expr)?)
    }

    /// A number that may be negative.
    fn number(&self, expr: ExprId) -> Result<i64> {
        Ok(number(&self.values, expr)?)
    }
}

/// Calls an exported function.
pub(super) fn call(
    session: &mut Session,
    signature: &FunctionSignature,
    symbols: Symbols,
    inputs: &[DeviceTensor],
) -> Result<Vec<DeviceTensor>> {
    let _phase = session.device.phase(|| format!("call @{}", signature.name));
    let index = session.program.functions.iter().position(|function| function.name == signature.name);
    let index = index.ok_or_else(|| program_error(format!("no function @{} for this target", signature.name)))? as u32;
    let function = session.program.functions.get(index as usize).ok_or_else(|| program_error("functions"))?;
    let mut slots: Vec<Option<i64>> = symbols.iter().map(|symbol| i64::try_from(symbol.1).ok()).collect();
    slots.resize(function.size_slots as usize, None);
    let mut frame = Frame {
        function: Some(index),
        inputs: inputs.iter().map(|input| input.buffer.all()).collect(),
        outputs: vec![None; signature.outputs.len()],
        values: session.values(&slots),
        slots,
        depth: 0,
        grown: false,
        nested: false,
    };
    check_computed_sizes(function, &frame, signature, inputs)?;
    check_input_bytes(session, &frame, signature)?;
    check_memory(session, function, &frame)?;
    for alias in &signature.aliases {
        let input = inputs.get(alias.input as usize).ok_or_else(|| program_error("aliases"))?;
        let address = |tensor: &DeviceTensor| tensor.buffer.address();
        if inputs.iter().filter(|other| address(other) == address(input)).count() > 1 {
            let message = format!("input {} of @{} is overwritten and given twice", alias.input, signature.name);
            return Err(RuntimeError::new("FX0720", ErrorKind::Input, message));
        }
        let output = frame.outputs.get_mut(alias.output as usize).ok_or_else(|| program_error("aliases"))?;
        *output = Some(input.buffer.all());
    }
    // A traced or observed call runs piece by piece, so that its commands pass through `flush`.
    if !session.in_pieces() && session.straight.get(index as usize).copied().unwrap_or(false) {
        run_straight(session, &mut frame, index)?;
    } else {
        run_function(session, &mut frame, index)?;
    }
    let mut outputs = Vec::with_capacity(signature.outputs.len());
    for (at, output) in signature.outputs.iter().enumerate() {
        let slice = session.output(&mut frame, at as u32)?;
        let function = session.program.functions.get(index as usize).ok_or_else(|| program_error("functions"))?;
        let shape = function.shapes.outputs.get(at);
        let shape =
            shape.map(|dims| dims.iter().map(|&dim| frame.size(dim)).collect::<Result<Vec<u64>>>()).transpose()?;
        let ty = bind::output_type(signature, output, &frame.slots, shape)?;
        outputs.push(DeviceTensor { ty, buffer: slice.buffer });
    }
    Ok(outputs)
}

/// Runs the block that fills persistent buffers; parameters that it alone reads come and go as it does.
pub(super) fn run_load(session: &mut Session, block: BlockId, passing: Option<&Passing<'_>>) -> Result<()> {
    let _phase = session.device.phase(|| "compute constants".to_string());
    let values = session.values(&[]);
    let (inputs, outputs, slots) = (Vec::new(), Vec::new(), Vec::new());
    let mut frame = Frame { function: None, inputs, outputs, slots, values, depth: 1, grown: false, nested: false };
    let mut pending = Vec::new();
    let device = session.device.clone();
    for at in 0..session.commands(block)? {
        if let Some(passing) = passing {
            passing.before(at, &device, &mut session.parameters)?;
        }
        session.run_command_at(&mut frame, (block, at), &mut pending)?;
        if let Some(passing) = passing.filter(|passing| passing.ends_at(at)) {
            session.flush(&mut pending)?;
            passing.after(at, &mut session.parameters);
        }
    }
    session.flush(&mut pending)?;
    Ok(device.synchronize()?)
}

/// Input buffers must have the length that the program expects of them.
fn check_input_bytes(session: &Session, frame: &Frame, signature: &FunctionSignature) -> Result<()> {
    let index = frame.function.ok_or_else(|| program_error("functions"))?;
    let function = session.program.functions.get(index as usize).ok_or_else(|| program_error("functions"))?;
    for (at, (slice, wanted)) in frame.inputs.iter().zip(&function.input_bytes).enumerate() {
        let wanted = frame.size(*wanted)?;
        if slice.bytes != wanted {
            let message =
                format!("input {at} of @{} has {} bytes, the program wants {wanted}", signature.name, slice.bytes);
            return Err(RuntimeError::new("FX0713", ErrorKind::Input, message));
        }
    }
    Ok(())
}

/// Dimensions of inputs that are formulas of the symbols must have their values.
fn check_computed_sizes(
    function: &Function,
    frame: &Frame,
    signature: &FunctionSignature,
    inputs: &[DeviceTensor],
) -> Result<()> {
    for (at, ((input, wanted), dims)) in inputs.iter().zip(&signature.inputs).zip(&function.shapes.inputs).enumerate() {
        for ((given, dim), &expr) in input.ty.shape.iter().zip(&wanted.shape).zip(dims) {
            if let DimSig::Computed { formula, .. } = dim
                && frame.size(expr)? != *given
            {
                let message = format!(
                    "input {at} of @{} is {}, given was {}: {formula} is {}",
                    signature.name,
                    bind::type_text(wanted),
                    input.ty,
                    frame.size(expr)?
                );
                return Err(RuntimeError::new("FX0713", ErrorKind::Input, message));
            }
        }
    }
    Ok(())
}

/// A call may take no more device memory than the session's limit, as far as sizes are known before it runs.
fn check_memory(session: &Session, function: &Function, frame: &Frame) -> Result<()> {
    let Some(limit) = session.memory_limit else { return Ok(()) };
    let known = |expr: &ExprId| frame.values.get(*expr as usize).and_then(|v| v.known()).unwrap_or(0);
    let arena = known(&function.arena_bytes).max(function.shapes.arena_stages.iter().map(known).max().unwrap_or(0));
    let inputs: u64 = function.input_bytes.iter().map(known).fold(0, u64::saturating_add);
    let outputs: u64 = function.output_bytes.iter().map(known).fold(0, u64::saturating_add);
    let weights = session.weight_bytes;
    let total = arena.saturating_add(inputs).saturating_add(outputs).saturating_add(weights);
    if total <= limit {
        return Ok(());
    }
    let message = format!(
        "the call of @{} takes {total} bytes of device memory, the limit is {limit}: arena {arena}, inputs {inputs}, \
         outputs {outputs}, weights {weights}",
        function.name
    );
    Err(RuntimeError::new("FX0706", ErrorKind::OutOfMemory, message))
}

fn run_function(session: &mut Session, frame: &mut Frame, index: u32) -> Result<()> {
    let body = session.program.functions.get(index as usize).ok_or_else(|| program_error("functions"))?.body;
    let mut pending = Vec::new();
    session.run_block(frame, body, &mut pending)?;
    session.flush(&mut pending)
}

fn run_straight(session: &mut Session, frame: &mut Frame, index: u32) -> Result<()> {
    for at in 0..frame.outputs.len() {
        session.output(frame, at as u32)?;
    }
    let mut key: Vec<u64> = frame.slots.iter().map(|slot| slot.map_or(u64::MAX, |value| value as u64)).collect();
    key.extend(frame.inputs.iter().map(|slice| slice.buffer.address()));
    key.extend(frame.outputs.iter().flatten().map(|slice| slice.buffer.address()));
    if session.submit_cached(index, &key)? {
        return Ok(());
    }
    let body = session.program.functions.get(index as usize).ok_or_else(|| program_error("functions"))?.body;
    let mut pending = Vec::new();
    session.run_block(frame, body, &mut pending)?;
    let mut list = session.device.record(&pending)?;
    session.submit_new(index, (&key, frame.slots.len()), &list)?;
    // The caller keeps what is lent until the call is done. Who calls with these addresses again lends what lies there.
    if frame.inputs.iter().any(|slice| slice.buffer.is_read_only()) {
        list.release_lent();
    }
    session.keep_call(index, key, list);
    Ok(())
}

impl Session {
    /// All size expressions, as far as the slots are known.
    pub(super) fn values(&self, slots: &[Option<i64>]) -> Arc<[SizeValue]> {
        if slots.iter().all(Option::is_none) {
            return self.static_values.clone();
        }
        self.program.evaluate_known(slots).into()
    }

    /// Whether commands run one by one, for someone who watches.
    fn in_pieces(&self) -> bool {
        self.trace.is_some() || self.watching.is_some() || self.device.is_observed()
    }

    fn run_block(&mut self, frame: &mut Frame, block: BlockId, pending: &mut Vec<hal::Command>) -> Result<()> {
        if frame.depth > MAX_DEPTH {
            return Err(program_error("blocks are nested too deeply"));
        }
        frame.depth += 1;
        for at in 0..self.commands(block)? {
            self.run_command_at(frame, (block, at), pending)?;
        }
        frame.depth -= 1;
        Ok(())
    }

    /// Commands of a block.
    fn commands(&self, block: BlockId) -> Result<usize> {
        let found = self.program.blocks.get(block as usize);
        Ok(found.ok_or_else(|| program_error(format!("no block {block}")))?.commands.len())
    }

    fn run_command_at(
        &mut self,
        frame: &mut Frame,
        (block, at): (BlockId, usize),
        pending: &mut Vec<hal::Command>,
    ) -> Result<()> {
        let found = self.program.blocks.get(block as usize).and_then(|block| block.commands.get(at));
        let command = found.ok_or_else(|| program_error(format!("no block {block}")))?.clone();
        self.run_command(frame, &command, DispatchAt { block, command: at as u32 }, pending)
    }

    fn run_command(
        &mut self,
        frame: &mut Frame,
        command: &Command,
        at: DispatchAt,
        pending: &mut Vec<hal::Command>,
    ) -> Result<()> {
        match command {
            Command::Dispatch { kernel, grid, bindings, constants } => {
                let [x, y, z] = grid;
                let grid = [frame.size(*x)?, frame.size(*y)?, frame.size(*z)?];
                // Sizes of 0 leave nothing to do.
                if grid.contains(&0) {
                    return self.tell_skipped(at);
                }
                let mut ranges = Vec::with_capacity(bindings.len());
                for binding in bindings {
                    let writes = binding.access != Access::Read;
                    ranges.push(Binding { slice: self.span(frame, &binding.span, pending)?, writes });
                }
                let constants = constants.iter().map(|expr| frame.number(*expr)).collect::<Result<Vec<i64>>>()?;
                let loaded = self.executable.clone();
                let executable = loaded.ok_or_else(|| program_error("a dispatch without an image"))?;
                let kernel = *kernel as usize;
                let name = self.program.kernels.get(kernel).map_or("", |kernel| kernel.name.as_str());
                tracing::debug!("launch {name}: {} x {} x {} workgroups", grid[0], grid[1], grid[2]);
                pending.push(hal::Command::Dispatch { executable, kernel, grid, bindings: ranges, constants });
                self.observe_dispatch(at, pending)?;
            }
            Command::Copy { source, target } => {
                let (source, target) = (self.span(frame, source, pending)?, self.span(frame, target, pending)?);
                pending.push(hal::Command::Copy { source, target });
            }
            Command::Fill { target, pattern, pattern_bytes } => {
                let (target, pattern, pattern_bytes) = (self.span(frame, target, pending)?, *pattern, *pattern_bytes);
                pending.push(hal::Command::Fill { target, pattern, pattern_bytes });
            }
            Command::Collective { collective, source, target } => {
                let (source, target) = (self.span(frame, source, pending)?, self.span(frame, target, pending)?);
                let with = self.collective.clone().ok_or_else(|| program_error("a collective of one device"))?;
                let operation = Arc::new(collective.clone());
                pending.push(hal::Command::Collective { with, operation, source, target });
            }
            Command::HostCall { number, operands, results } => {
                if frame.nested {
                    return Err(program_error("a function of the host is called inside of a branch or loop of a list"));
                }
                let mut slices = |spans: &[Span]| -> Result<Vec<BufferSlice>> {
                    spans.iter().map(|span| self.span(frame, span, pending)).collect()
                };
                let (operands, results) = (slices(operands)?, slices(results)?);
                self.flush(pending)?;
                self.host_call(*number, &operands, &results)?;
            }
            Command::DeviceId { target, divisor, modulus } => {
                let target = self.span(frame, target, pending)?;
                let device = self.collective.as_ref().map_or(0, hal::Collective::device);
                let pattern = u64::from(device / divisor % modulus);
                pending.push(hal::Command::Fill { target, pattern, pattern_bytes: 4 });
            }
            Command::Call { function, arguments } => self.call_function(frame, *function, arguments, pending)?,
            Command::If { .. } | Command::While { .. } | Command::Repeat { .. }
                if !self.in_pieces() && load::control_length(&self.program, command).is_some() =>
            {
                let control = self.control(frame, command, pending)?;
                pending.push(control);
            }
            Command::If { predicate, then_block, else_block } => {
                let taken = self.read_value(frame, predicate, pending)? & 0xff != 0;
                self.run_block(frame, if taken { *then_block } else { *else_block }, pending)?;
            }
            Command::While { condition, predicate, body, .. } => {
                self.run_block(frame, *condition, pending)?;
                while self.read_value(frame, predicate, pending)? & 0xff != 0 {
                    self.run_block(frame, *body, pending)?;
                    self.run_block(frame, *condition, pending)?;
                }
            }
            Command::Repeat { count, body } => {
                for _ in 0..*count {
                    self.run_block(frame, *body, pending)?;
                    if pending.len() >= PENDING_MAX {
                        self.flush(pending)?;
                    }
                }
            }
            Command::HostShape { slot, source, bytes, signed, min, max } => {
                let raw = self.read_value(frame, source, pending)?;
                self.set_slot(frame, *slot, sign_extended(raw, *bytes, *signed), (*min, *max))?;
            }
            Command::Require { relation, a, b, message } => require(frame, *relation, (*a, *b), message)?,
        }
        Ok(())
    }

    /// A branch or a loop with its blocks, for the device to decide.
    fn control(
        &mut self,
        frame: &mut Frame,
        command: &Command,
        pending: &mut Vec<hal::Command>,
    ) -> Result<hal::Command> {
        Ok(match command {
            Command::If { predicate, then_block, else_block } => hal::Command::If {
                predicate: self.span(frame, predicate, pending)?,
                then: self.nested(frame, *then_block, pending)?,
                otherwise: self.nested(frame, *else_block, pending)?,
            },
            Command::While { condition, predicate, body, guarded } => hal::Command::While {
                condition: self.nested(frame, *condition, pending)?,
                predicate: self.span(frame, predicate, pending)?,
                body: self.nested(frame, *body, pending)?,
                guarded: *guarded,
            },
            Command::Repeat { count, body } => {
                hal::Command::Repeat { count: *count, body: self.nested(frame, *body, pending)? }
            }
            _ => return Err(program_error("no branch and no loop")),
        })
    }

    /// The commands of a block of a branch or loop.
    fn nested(
        &mut self,
        frame: &mut Frame,
        block: BlockId,
        pending: &mut Vec<hal::Command>,
    ) -> Result<Vec<hal::Command>> {
        // An arena that has to grow is copied before the branch.
        if frame.function.is_some() {
            self.arena(frame, pending)?;
        }
        let outer = std::mem::replace(&mut frame.nested, true);
        let mut commands = Vec::new();
        self.run_block(frame, block, &mut commands)?;
        frame.nested = outer;
        Ok(commands)
    }

    /// Runs another function on spans of the caller: its inputs, then its outputs.
    fn call_function(
        &mut self,
        frame: &mut Frame,
        function: u32,
        arguments: &[Span],
        pending: &mut Vec<hal::Command>,
    ) -> Result<()> {
        let mut slices = Vec::with_capacity(arguments.len());
        for argument in arguments {
            slices.push(self.span(frame, argument, pending)?);
        }
        let missing = || program_error(format!("no function {function}"));
        let callee = self.program.functions.get(function as usize).ok_or_else(missing)?;
        let outputs = slices.split_off(callee.input_bytes.len().min(slices.len()));
        let slots = vec![None; callee.size_slots as usize];
        let body = callee.body;
        let mut inner = Frame {
            function: Some(function),
            inputs: slices,
            outputs: outputs.into_iter().map(Some).collect(),
            values: self.values(&slots),
            slots,
            depth: frame.depth + 1,
            grown: false,
            nested: frame.nested,
        };
        self.run_block(&mut inner, body, pending)
    }

    /// Submits what is pending.
    pub(super) fn flush(&mut self, pending: &mut Vec<hal::Command>) -> Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        if let Some(trace) = &mut self.trace {
            trace.extend(pending.iter().cloned());
        }
        let list = self.device.record(pending)?;
        pending.clear();
        Ok(self.device.submit(&list)?)
    }

    /// Reads a little-endian number of at most eight bytes, behind everything pending.
    fn read_value(&mut self, frame: &mut Frame, span: &Span, pending: &mut Vec<hal::Command>) -> Result<u64> {
        if frame.nested {
            return Err(program_error("a size is read inside of a branch or loop"));
        }
        self.flush(pending)?;
        let slice = self.span(frame, span, pending)?;
        let mut bytes = [0u8; 8];
        let wanted = usize::try_from(slice.bytes).ok().and_then(|len| bytes.get_mut(..len));
        self.device.download(&slice, wanted.ok_or_else(|| program_error("a scalar of more than 8 bytes"))?)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn set_slot(&self, frame: &mut Frame, slot: u32, value: i128, (min, max): (i64, i64)) -> Result<()> {
        if value < i128::from(min) || value > i128::from(max) {
            let function = frame.function.and_then(|index| self.program.functions.get(index as usize));
            let name = function.and_then(|f| f.shapes.slot_names.get(slot as usize));
            let name = name.map_or(String::new(), |name| format!(" {name}"));
            let message = format!("the size{name} computed at run time is {value}; the module allows {min}..={max}");
            return Err(RuntimeError::new("FX0716", ErrorKind::Input, message));
        }
        let missing = || program_error(format!("no size slot {slot}"));
        *frame.slots.get_mut(slot as usize).ok_or_else(missing)? = Some(value as i64);
        frame.values = self.values(&frame.slots);
        frame.grown = true;
        Ok(())
    }

    /// A span's range of a buffer, checked against its space.
    fn span(&mut self, frame: &mut Frame, span: &Span, pending: &mut Vec<hal::Command>) -> Result<BufferSlice> {
        let (offset, length) = (frame.size(span.offset)?, frame.size(span.length)?);
        let base = self.space(frame, span.space, pending)?;
        if offset.checked_add(length).is_none_or(|end| end > base.bytes) {
            let what = format!("{length} bytes at {offset} lie outside of {:?} of {} bytes", span.space, base.bytes);
            return Err(program_error(what));
        }
        Ok(BufferSlice { offset: base.offset + offset, bytes: length, buffer: base.buffer })
    }

    fn space(&mut self, frame: &mut Frame, space: Space, pending: &mut Vec<hal::Command>) -> Result<BufferSlice> {
        let whole = |buffer: Option<&Buffer>| buffer.map(Buffer::all);
        let found = match space {
            Space::Arena => Some(self.arena(frame, pending)?.all()),
            Space::Persistent => whole(self.persistent.as_ref()),
            Space::Input(n) => frame.inputs.get(n as usize).cloned(),
            Space::Output(n) => return self.output(frame, n),
            Space::Constant => {
                self.module.check_constants()?;
                whole(self.constants.as_ref())
            }
            Space::Parameter(n) => whole(self.parameters.get(n as usize).and_then(Option::as_ref)),
            Space::Frame(n) => match frame.inputs.get(n as usize) {
                Some(input) => Some(input.clone()),
                None => return self.output(frame, n.saturating_sub(frame.inputs.len() as u32)),
            },
        };
        match found {
            Some(slice) => Ok(slice),
            // Nothing of it is in the module: only empty ranges lie inside.
            None if matches!(space, Space::Constant | Space::Persistent) => {
                Ok(self.device.allocate(0, Place::Device)?.all())
            }
            None => Err(program_error(format!("there is no {space:?}"))),
        }
    }

    /// Output `n` of a frame, allocated when it is first used: its size may come from data.
    fn output(&self, frame: &mut Frame, n: u32) -> Result<BufferSlice> {
        let missing = || program_error(format!("no output {n}"));
        if let Some(slice) = frame.outputs.get(n as usize).ok_or_else(missing)? {
            return Ok(slice.clone());
        }
        let function =
            frame.function.and_then(|index| self.program.functions.get(index as usize)).ok_or_else(missing)?;
        let bytes = frame.size(*function.output_bytes.get(n as usize).ok_or_else(missing)?)?;
        let slice = self.device.allocate(bytes, Place::Device)?.all();
        *frame.outputs.get_mut(n as usize).ok_or_else(missing)? = Some(slice.clone());
        Ok(slice)
    }

    /// The function's arena, at least as large as this call needs.
    fn arena(&mut self, frame: &Frame, pending: &mut Vec<hal::Command>) -> Result<Buffer> {
        let index = frame.function.ok_or_else(|| program_error("the load block has no arena"))?;
        let missing = || program_error(format!("no function {index}"));
        let function = self.program.functions.get(index as usize).ok_or_else(missing)?;
        let bytes = arena_bytes(function, frame)?;
        let old = self.arenas.get(index as usize).ok_or_else(missing)?.clone();
        if let Some(arena) = &old
            && arena.bytes() >= bytes
        {
            return Ok(arena.clone());
        }
        // Recorded calls hold the old arena: they go with it.
        self.cache.remove(&index);
        let arena = self.device.allocate(bytes, Place::Device)?;
        if let Some(old) = old.filter(|_| frame.grown) {
            self.flush(pending)?;
            let source = old.all();
            let target = BufferSlice { bytes: source.bytes, ..arena.all() };
            pending.push(hal::Command::Copy { source, target });
            self.flush(pending)?;
        }
        *self.arenas.get_mut(index as usize).ok_or_else(missing)? = Some(arena.clone());
        Ok(arena)
    }
}

/// Bytes of the arena, as far as sizes are known: what lies behind is not used before more of them are.
fn arena_bytes(function: &Function, frame: &Frame) -> Result<u64> {
    let known = |expr: &&ExprId| frame.values.get(**expr as usize).is_some_and(|v| v.known().is_some());
    match function.shapes.arena_stages.iter().rev().find(known) {
        Some(stage) => frame.size(*stage),
        None => frame.size(function.arena_bytes),
    }
}

fn require(frame: &Frame, relation: Relation, (a, b): (ExprId, ExprId), message: &str) -> Result<()> {
    let (a, b) = (frame.number(a)?, frame.number(b)?);
    if relation.holds(a, b) {
        return Ok(());
    }
    let message = format!("{message} (here: {a} {} {b} does not hold)", relation.symbol());
    Err(RuntimeError::new("FX0719", ErrorKind::Input, message))
}

/// The low `bytes` of a number as an integer.
fn sign_extended(raw: u64, bytes: u8, signed: bool) -> i128 {
    let unused = 64 - 8 * u32::from(bytes.clamp(1, 8));
    if signed { i128::from((raw << unused) as i64 >> unused) } else { i128::from(raw << unused >> unused) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_all_widths_extend() {
        assert_eq!(sign_extended(0xff, 1, true), -1);
        assert_eq!(sign_extended(0xff, 1, false), 255);
        assert_eq!(sign_extended(u64::MAX, 8, false), i128::from(u64::MAX));
        assert_eq!(sign_extended(0x1_8000_0000, 4, true), i128::from(i32::MIN));
    }
}

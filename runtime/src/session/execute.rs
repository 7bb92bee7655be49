//! Runs a program's commands: spans become ranges of buffers, runs of launches, copies and fills become command lists.
//!
//! A function without branches, loops and sizes read from data is one list, made once for each tuple of input and
//! output addresses and sizes and submitted again when the tuple comes back (the pool gives steady callers the same
//! addresses). The others run piece by piece: the queue is drained where the host must read a value.

use std::sync::Arc;

use fornax_module::manifest::FunctionSignature;
use fornax_module::program::{Access, BlockId, Command, ExprId, Space, Span};
use fornax_module::sizes::{SizeValue, size};

use super::bind::{self, Symbols};
use super::{DeviceTensor, Session, program_error};
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{self, Binding, Buffer, BufferSlice, CommandList, Place};

/// Lists kept of each function.
const CACHED_CALLS: usize = 4;
/// Nested blocks and calls; the module's checks keep programs far below.
const MAX_DEPTH: usize = 256;

/// A recorded call.
pub(super) struct CachedCall {
    /// Addresses of inputs and outputs, and the size slots.
    key: Vec<u64>,
    list: CommandList,
}

/// One running function.
struct Frame {
    /// `None` in the load block.
    function: Option<u32>,
    inputs: Vec<BufferSlice>,
    /// `None` until first used; those of a called function are the caller's.
    outputs: Vec<Option<BufferSlice>>,
    slots: Vec<Option<u64>>,
    values: Arc<[SizeValue]>,
    depth: usize,
}

impl Frame {
    fn size(&self, expr: ExprId) -> Result<u64> {
        Ok(size(&self.values, expr)?)
    }
}

/// Calls an exported function.
pub(super) fn call(
    session: &mut Session,
    signature: &FunctionSignature,
    symbols: Symbols,
    inputs: &[DeviceTensor],
) -> Result<Vec<DeviceTensor>> {
    let index = session.program.functions.iter().position(|function| function.name == signature.name);
    let index = index.ok_or_else(|| program_error(format!("no function @{} for this target", signature.name)))? as u32;
    let function = session.program.functions.get(index as usize).ok_or_else(|| program_error("functions"))?;
    let mut slots: Vec<Option<u64>> = symbols.iter().map(|symbol| Some(symbol.1)).collect();
    slots.resize(function.size_slots as usize, None);
    let mut frame = Frame {
        function: Some(index),
        inputs: inputs.iter().map(|input| input.buffer.all()).collect(),
        outputs: vec![None; signature.outputs.len()],
        values: session.values(&slots),
        slots,
        depth: 0,
    };
    check_input_bytes(session, &frame, signature)?;
    for alias in &signature.aliases {
        let input = inputs.get(alias.input as usize).ok_or_else(|| program_error("aliases"))?;
        let output = frame.outputs.get_mut(alias.output as usize).ok_or_else(|| program_error("aliases"))?;
        *output = Some(input.buffer.all());
    }
    // A traced call runs piece by piece, so that its commands pass through `flush`.
    if session.trace.is_none() && session.straight.get(index as usize).copied().unwrap_or(false) {
        run_straight(session, &mut frame, index)?;
    } else {
        run_function(session, &mut frame, index)?;
    }
    let mut outputs = Vec::with_capacity(signature.outputs.len());
    for (at, output) in signature.outputs.iter().enumerate() {
        let slice = session.output(&mut frame, at as u32)?;
        outputs.push(DeviceTensor { ty: bind::output_type(signature, output, &frame.slots)?, buffer: slice.buffer });
    }
    Ok(outputs)
}

/// Runs the block that fills persistent buffers.
pub(super) fn run_load(session: &mut Session, block: BlockId) -> Result<()> {
    let values = session.values(&[]);
    let (inputs, outputs, slots) = (Vec::new(), Vec::new(), Vec::new());
    let mut frame = Frame { function: None, inputs, outputs, slots, values, depth: 0 };
    let mut pending = Vec::new();
    session.run_block(&mut frame, block, &mut pending)?;
    session.flush(&mut pending)?;
    Ok(session.device.synchronize()?)
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
    let mut key: Vec<u64> = frame.slots.iter().map(|slot| slot.unwrap_or(u64::MAX)).collect();
    key.extend(frame.inputs.iter().map(|slice| slice.buffer.address()));
    key.extend(frame.outputs.iter().flatten().map(|slice| slice.buffer.address()));
    let cached = session.cache.entry(index).or_default();
    if let Some(at) = cached.iter().position(|call| call.key == key) {
        // Most recently used last.
        let call = cached.remove(at);
        session.device.submit(&call.list)?;
        cached.push(call);
        return Ok(());
    }
    let body = session.program.functions.get(index as usize).ok_or_else(|| program_error("functions"))?.body;
    let mut pending = Vec::new();
    session.run_block(frame, body, &mut pending)?;
    let list = session.device.record(&pending)?;
    session.device.submit(&list)?;
    let cached = session.cache.entry(index).or_default();
    if cached.len() >= CACHED_CALLS {
        cached.remove(0);
    }
    cached.push(CachedCall { key, list });
    Ok(())
}

impl Session {
    /// All size expressions, as far as the slots are known.
    fn values(&self, slots: &[Option<u64>]) -> Arc<[SizeValue]> {
        if slots.iter().all(Option::is_none) {
            return self.static_values.clone();
        }
        self.program.evaluate_known(slots).into()
    }

    fn run_block(&mut self, frame: &mut Frame, block: BlockId, pending: &mut Vec<hal::Command>) -> Result<()> {
        let missing = || program_error(format!("no block {block}"));
        let count = self.program.blocks.get(block as usize).ok_or_else(missing)?.commands.len();
        if frame.depth > MAX_DEPTH {
            return Err(program_error("blocks are nested too deeply"));
        }
        frame.depth += 1;
        for at in 0..count {
            let block = self.program.blocks.get(block as usize).ok_or_else(missing)?;
            let command = block.commands.get(at).ok_or_else(missing)?.clone();
            self.run_command(frame, &command, pending)?;
        }
        frame.depth -= 1;
        Ok(())
    }

    fn run_command(&mut self, frame: &mut Frame, command: &Command, pending: &mut Vec<hal::Command>) -> Result<()> {
        match command {
            Command::Dispatch { kernel, grid, bindings, constants } => {
                let [x, y, z] = grid;
                let grid = [frame.size(*x)?, frame.size(*y)?, frame.size(*z)?];
                let mut ranges = Vec::with_capacity(bindings.len());
                for binding in bindings {
                    let writes = binding.access != Access::Read;
                    ranges.push(Binding { slice: self.span(frame, &binding.span)?, writes });
                }
                let constants = constants.iter().map(|expr| frame.size(*expr).map(|value| value as i64));
                let constants = constants.collect::<Result<Vec<i64>>>()?;
                let loaded = self.executable.clone();
                let executable = loaded.ok_or_else(|| program_error("a dispatch without an image"))?;
                let kernel = *kernel as usize;
                pending.push(hal::Command::Dispatch { executable, kernel, grid, bindings: ranges, constants });
            }
            Command::Copy { source, target } => {
                let (source, target) = (self.span(frame, source)?, self.span(frame, target)?);
                pending.push(hal::Command::Copy { source, target });
            }
            Command::Fill { target, pattern, pattern_bytes } => {
                let (target, pattern, pattern_bytes) = (self.span(frame, target)?, *pattern, *pattern_bytes);
                pending.push(hal::Command::Fill { target, pattern, pattern_bytes });
            }
            Command::Call { function, arguments } => self.call_function(frame, *function, arguments, pending)?,
            Command::If { predicate, then_block, else_block } => {
                let taken = self.read_value(frame, predicate, pending)? & 0xff != 0;
                self.run_block(frame, if taken { *then_block } else { *else_block }, pending)?;
            }
            Command::While { condition, predicate, body } => {
                self.run_block(frame, *condition, pending)?;
                while self.read_value(frame, predicate, pending)? & 0xff != 0 {
                    self.run_block(frame, *body, pending)?;
                    self.run_block(frame, *condition, pending)?;
                }
            }
            Command::HostShape { slot, source, bytes, signed, min, max } => {
                let raw = self.read_value(frame, source, pending)?;
                self.set_slot(frame, *slot, sign_extended(raw, *bytes, *signed), *min, *max)?;
            }
        }
        Ok(())
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
            slices.push(self.span(frame, argument)?);
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
        };
        self.run_block(&mut inner, body, pending)
    }

    /// Submits what is pending.
    fn flush(&mut self, pending: &mut Vec<hal::Command>) -> Result<()> {
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
        self.flush(pending)?;
        let slice = self.span(frame, span)?;
        let mut bytes = [0u8; 8];
        let wanted = usize::try_from(slice.bytes).ok().and_then(|len| bytes.get_mut(..len));
        self.device.download(&slice, wanted.ok_or_else(|| program_error("a scalar of more than 8 bytes"))?)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn set_slot(&self, frame: &mut Frame, slot: u32, value: i128, min: u64, max: u64) -> Result<()> {
        if value < i128::from(min) || value > i128::from(max) {
            let message = format!("a size computed at run time is {value}; the module allows {min}..={max}");
            return Err(RuntimeError::new("FX0716", ErrorKind::Input, message));
        }
        let missing = || program_error(format!("no size slot {slot}"));
        *frame.slots.get_mut(slot as usize).ok_or_else(missing)? = Some(value as u64);
        frame.values = self.values(&frame.slots);
        Ok(())
    }

    /// A span's range of a buffer, checked against its space.
    fn span(&mut self, frame: &mut Frame, span: &Span) -> Result<BufferSlice> {
        let (offset, length) = (frame.size(span.offset)?, frame.size(span.length)?);
        let base = self.space(frame, span.space)?;
        if offset.checked_add(length).is_none_or(|end| end > base.bytes) {
            let what = format!("{length} bytes at {offset} lie outside of {:?} of {} bytes", span.space, base.bytes);
            return Err(program_error(what));
        }
        Ok(BufferSlice { offset: base.offset + offset, bytes: length, buffer: base.buffer })
    }

    fn space(&mut self, frame: &mut Frame, space: Space) -> Result<BufferSlice> {
        let whole = |buffer: Option<&Buffer>| buffer.map(Buffer::all);
        let found = match space {
            Space::Arena => Some(self.arena(frame)?.all()),
            Space::Persistent => whole(self.persistent.as_ref()),
            Space::Input(n) => frame.inputs.get(n as usize).cloned(),
            Space::Output(n) => return self.output(frame, n),
            Space::Constant => whole(self.constants.as_ref()),
            Space::Parameter(n) => whole(self.parameters.get(n as usize)),
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
    fn arena(&mut self, frame: &Frame) -> Result<Buffer> {
        let index = frame.function.ok_or_else(|| program_error("the load block has no arena"))?;
        let missing = || program_error(format!("no function {index}"));
        let function = self.program.functions.get(index as usize).ok_or_else(missing)?;
        let bytes = frame.size(function.arena_bytes)?;
        if let Some(arena) = self.arenas.get(index as usize).ok_or_else(missing)?
            && arena.bytes() >= bytes
        {
            return Ok(arena.clone());
        }
        // Recorded calls hold the old arena: they go with it.
        self.cache.remove(&index);
        let arena = self.device.allocate(bytes, Place::Device)?;
        *self.arenas.get_mut(index as usize).ok_or_else(missing)? = Some(arena.clone());
        Ok(arena)
    }
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

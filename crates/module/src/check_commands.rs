//! Validation of single commands: spans, access, launches. One [`Scope`] is one function or the load block.

use std::collections::HashSet;

use crate::check::Checker;
use crate::collective::Collective;
use crate::program::{Access, Binding, Command, ExprId, Function, Kernel, Space, Span};

/// Alignment of every span that a kernel binds, bytes.
pub(crate) const BINDING_ALIGN: u64 = 16;

/// What commands may refer to.
pub(crate) struct Scope<'a> {
    checker: &'a Checker<'a>,
    /// `None` in the load block.
    function: Option<&'a Function>,
    /// Inputs whose buffers the function may overwrite.
    donated: HashSet<u32>,
}

/// A statically known byte range of one command, for the overlap check.
type Range = (Space, u64, u64, bool);

impl<'a> Scope<'a> {
    /// The load block: static sizes, constants and parameters in, persistent buffers out.
    pub(crate) fn load(checker: &'a Checker<'a>) -> Self {
        Self { checker, function: None, donated: HashSet::new() }
    }

    pub(crate) fn of(checker: &'a Checker<'a>, function: &'a Function) -> Self {
        let aliases = checker.signatures.get(function.name.as_str()).map(|signature| signature.aliases.iter());
        let donated = aliases.into_iter().flatten().map(|alias| alias.input).collect();
        Self { checker, function: Some(function), donated }
    }

    pub(crate) fn name(&self) -> String {
        self.function.map_or_else(|| "load".into(), |f| format!("@{}", f.name))
    }

    /// Checks one command, not the blocks inside it.
    pub(crate) fn check(&self, command: &Command) -> Result<(), String> {
        match command {
            Command::Dispatch { kernel, grid, bindings, constants } => {
                self.dispatch(*kernel, *grid, bindings, constants)
            }
            Command::Copy { source, target } => self.copy(source, target),
            Command::Fill { target, pattern, pattern_bytes } => self.fill(target, *pattern, *pattern_bytes),
            Command::Call { function, arguments } => self.call(*function, arguments),
            Command::If { predicate, .. } | Command::While { predicate, .. } => self.scalar(predicate, 1),
            Command::Repeat { .. } => Ok(()),
            Command::HostShape { slot, source, bytes, min, max, .. } => {
                if *slot >= self.slots() {
                    return Err(format!("there is no size slot {slot}"));
                }
                if min > max {
                    return Err(format!("minimum {min} is larger than maximum {max}"));
                }
                if !matches!(bytes, 1 | 2 | 4 | 8) {
                    return Err(format!("an integer of {bytes} bytes"));
                }
                self.scalar(source, (*bytes).into())
            }
            Command::Collective { collective, source, target } => self.collective(collective, source, target),
            Command::HostCall { operands, results, .. } => self.host_call(operands, results),
            Command::DeviceId { target, divisor, modulus } => {
                if *divisor == 0 || *modulus == 0 {
                    return Err("a device's number is divided by zero".into());
                }
                self.fill(target, 0, 4)?;
                self.scalar(target, 4)
            }
            Command::Require { a, b, .. } => {
                self.checker.known_slots(*a, self.slots())?;
                self.checker.known_slots(*b, self.slots())
            }
        }
    }

    fn slots(&self) -> u32 {
        self.function.map_or(0, |f| f.size_slots)
    }

    fn value(&self, expr: ExprId) -> Result<Option<u64>, String> {
        self.checker.value(expr, self.slots())
    }

    /// Bytes of a space, `None` where known only at run time.
    fn space_bytes(&self, space: Space) -> Result<Option<u64>, String> {
        let missing = || format!("there is no {space:?} here");
        let manifest = self.checker.manifest;
        let expr = match space {
            Space::Persistent => return Ok(Some(self.checker.program.persistent_bytes)),
            Space::Constant => return Ok(Some(manifest.constants_bytes)),
            Space::Parameter(n) => return Ok(Some(manifest.parameters.get(n as usize).ok_or_else(missing)?.bytes)),
            Space::Arena => self.function.map(|f| f.arena_bytes),
            Space::Input(n) => self.function.and_then(|f| f.input_bytes.get(n as usize).copied()),
            Space::Output(n) => self.function.and_then(|f| f.output_bytes.get(n as usize).copied()),
            Space::Frame(n) => {
                self.function.and_then(|f| f.input_bytes.iter().chain(&f.output_bytes).nth(n as usize).copied())
            }
        };
        self.value(expr.ok_or_else(missing)?)
    }

    fn writable(&self, space: Space) -> bool {
        match space {
            Space::Arena | Space::Output(_) => true,
            Space::Persistent => self.function.is_none(),
            Space::Input(n) => self.donated.contains(&n),
            Space::Frame(n) => self.function.is_some_and(|f| n as usize >= f.input_bytes.len()),
            Space::Constant | Space::Parameter(_) => false,
        }
    }

    /// Checks a span; gives offset and length where static.
    fn span(&self, span: &Span, access: Access) -> Result<(Option<u64>, Option<u64>), String> {
        let space = self.space_bytes(span.space)?;
        let (offset, length) = (self.value(span.offset)?, self.value(span.length)?);
        if access != Access::Read && !self.writable(span.space) {
            return Err(format!("{:?} cannot be written here", span.space));
        }
        if let Some(space) = space {
            let end = offset.unwrap_or(0).checked_add(length.unwrap_or(0));
            if end.is_none_or(|end| end > space) {
                let (offset, length) = (offset.unwrap_or(0), length.unwrap_or(0));
                return Err(format!("{length} bytes at {offset} lie outside {:?} of {space} bytes", span.space));
            }
        }
        Ok((offset, length))
    }

    fn scalar(&self, span: &Span, bytes: u64) -> Result<(), String> {
        match self.span(span, Access::Read)? {
            (_, Some(length)) if length == bytes => Ok(()),
            _ => Err(format!("a value of {bytes} bytes expected")),
        }
    }

    fn dispatch(
        &self,
        kernel: u32,
        grid: [ExprId; 3],
        bindings: &[Binding],
        constants: &[ExprId],
    ) -> Result<(), String> {
        let row: &Kernel =
            self.checker.program.kernels.get(kernel as usize).ok_or_else(|| format!("there is no kernel {kernel}"))?;
        if bindings.len() != row.bindings as usize {
            return Err(format!("{} bindings, kernel {} takes {}", bindings.len(), row.name, row.bindings));
        }
        for ((expr, limit), cluster) in grid.iter().zip(self.checker.grid_limits).zip(row.cluster) {
            let Some(size) = self.value(*expr)? else { continue };
            if !(1..=limit).contains(&size) {
                return Err(format!("a grid dimension of kernel {} is {size}, not 1 to {limit}", row.name));
            }
            if size % u64::from(cluster.max(1)) != 0 {
                return Err(format!("a grid dimension of kernel {} is {size}: no clusters of {cluster}", row.name));
            }
        }
        for expr in constants {
            self.checker.known_slots(*expr, self.slots())?;
        }
        let sizes = row.tensor_maps.iter().flat_map(|map| &map.sizes);
        if sizes.into_iter().any(|size| size.constant as usize >= constants.len()) {
            return Err(format!(
                "a tensor map of kernel {} names a constant that the dispatch does not have",
                row.name
            ));
        }
        let mut ranges = Vec::with_capacity(bindings.len());
        for (at, binding) in bindings.iter().enumerate() {
            let place = |what: String| format!("binding {at} of kernel {}: {what}", row.name);
            let (offset, length) = self.span(&binding.span, binding.access).map_err(place)?;
            if offset.is_some_and(|o| o % BINDING_ALIGN != 0) {
                return Err(place(format!("its offset is not a multiple of {BINDING_ALIGN}")));
            }
            // What a call gives is checked at the call.
            let mut maps = row.tensor_maps.iter().filter(|map| map.binding as usize == at && map.sizes.is_empty());
            if let Some(length) = length
                && maps.any(|map| map.extent_bytes().is_none_or(|extent| extent > length))
            {
                return Err(place(format!("a tensor map reaches beyond its {length} bytes")));
            }
            if let (Some(offset), Some(length)) = (offset, length) {
                ranges.push((binding.span.space, offset, length, binding.access != Access::Read));
            }
        }
        check_overlap(ranges).map_err(|what| format!("kernel {}: {what}", row.name))
    }

    fn copy(&self, source: &Span, target: &Span) -> Result<(), String> {
        let (from, read) = self.span(source, Access::Read)?;
        let (to, written) = self.span(target, Access::Write)?;
        let (Some(read), Some(written)) = (read, written) else { return Ok(()) };
        if read != written {
            return Err(format!("copies {read} bytes into {written}"));
        }
        match (from, to) {
            (Some(from), Some(to)) => {
                check_overlap(vec![(source.space, from, read, false), (target.space, to, written, true)])
            }
            _ => Ok(()),
        }
    }

    fn collective(&self, collective: &Collective, source: &Span, target: &Span) -> Result<(), String> {
        if self.function.is_none() {
            return Err("the load block cannot wait for other devices".into());
        }
        collective.check(self.checker.manifest.devices())?;
        let (from, read) = self.span(source, Access::Read)?;
        let (to, written) = self.span(target, Access::Write)?;
        let ragged = |v: Option<u64>| v.is_some_and(|v| v % BINDING_ALIGN != 0);
        if ragged(from) || ragged(to) {
            return Err(format!("an offset that is not a multiple of {BINDING_ALIGN}"));
        }
        let (Some(read), Some(written)) = (read, written) else { return Ok(()) };
        let element = collective.element.storage_bytes() as u64;
        if collective.target_bytes(read) != Some(written)
            || !read.is_multiple_of(element)
            || !written.is_multiple_of(element)
        {
            return Err(format!("{} of {read} bytes into {written}", collective.kind.name()));
        }
        match (from, to) {
            (Some(from), Some(to)) => {
                check_overlap(vec![(source.space, from, read, false), (target.space, to, written, true)])?;
                let same = source.space == target.space && from == to && written > 0;
                if same { Err("it writes what other devices read".into()) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    fn host_call(&self, operands: &[Span], results: &[Span]) -> Result<(), String> {
        if self.function.is_none() {
            return Err("the load block cannot call the host".into());
        }
        let read = operands.iter().map(|span| (span, Access::Read));
        let mut ranges = Vec::with_capacity(operands.len() + results.len());
        for (span, access) in read.chain(results.iter().map(|span| (span, Access::Write))) {
            if let (Some(offset), Some(length)) = self.span(span, access)? {
                ranges.push((span.space, offset, length, access == Access::Write));
            }
        }
        check_overlap(ranges)
    }

    fn fill(&self, target: &Span, pattern: u64, pattern_bytes: u8) -> Result<(), String> {
        if !matches!(pattern_bytes, 1 | 2 | 4 | 8) {
            return Err(format!("a fill pattern of {pattern_bytes} bytes"));
        }
        if pattern_bytes < 8 && pattern >> (8 * u32::from(pattern_bytes)) != 0 {
            return Err(format!("fill pattern {pattern:#x} is wider than {pattern_bytes} bytes"));
        }
        let (offset, length) = self.span(target, Access::Write)?;
        let ragged = |v: Option<u64>| v.is_some_and(|v| v % u64::from(pattern_bytes) != 0);
        if ragged(offset) || ragged(length) {
            return Err(format!("offset and length of the fill are not multiples of {pattern_bytes}"));
        }
        Ok(())
    }

    fn call(&self, function: u32, arguments: &[Span]) -> Result<(), String> {
        if self.function.is_none() {
            return Err("the load block cannot call functions".into());
        }
        let functions = &self.checker.program.functions;
        let callee = functions.get(function as usize).ok_or_else(|| format!("there is no function {function}"))?;
        let inputs = callee.input_bytes.len();
        if arguments.len() != inputs + callee.output_bytes.len() {
            return Err(format!("{} arguments do not fit @{}", arguments.len(), callee.name));
        }
        let sizes = callee.input_bytes.iter().chain(&callee.output_bytes);
        for (at, (argument, expected)) in arguments.iter().zip(sizes).enumerate() {
            let place = |what: String| format!("argument {at} of @{}: {what}", callee.name);
            let access = if at < inputs { Access::Read } else { Access::Write };
            let (offset, length) = self.span(argument, access).map_err(place)?;
            let expected = self.checker.value(*expected, callee.size_slots).map_err(place)?;
            if offset.is_some_and(|o| o % BINDING_ALIGN != 0) {
                return Err(place(format!("its offset is not a multiple of {BINDING_ALIGN}")));
            }
            if length.zip(expected).is_some_and(|(length, expected)| length != expected) {
                return Err(place("its length is not that of the function".into()));
            }
        }
        Ok(())
    }
}

/// One range that a command writes must equal or miss each other range of the command; equal ranges (in place)
/// have one writer. Sorts and sweeps, so that many bindings cost little.
fn check_overlap(mut ranges: Vec<Range>) -> Result<(), String> {
    ranges.retain(|r| r.2 > 0);
    ranges.sort_unstable_by_key(|r| (space_key(r.0), r.1, r.2));
    let (mut space, mut any_end, mut write_end) = (None, 0, 0);
    for group in ranges.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
        let Some(&(this, offset, length, _)) = group.first() else { continue };
        if space != Some(this) {
            (space, any_end, write_end) = (Some(this), 0, 0);
        }
        let writers = group.iter().filter(|r| r.3).count();
        let end = offset.saturating_add(length);
        if writers > 1 || offset < write_end || (writers > 0 && offset < any_end) {
            return Err(format!(
                "it writes {this:?} bytes {offset}..{end} or a part of them and uses them otherwise too"
            ));
        }
        any_end = any_end.max(end);
        write_end = write_end.max(if writers > 0 { end } else { 0 });
    }
    Ok(())
}

fn space_key(space: Space) -> (u8, u32) {
    match space {
        Space::Arena => (0, 0),
        Space::Persistent => (1, 0),
        Space::Constant => (2, 0),
        Space::Input(n) => (3, n),
        Space::Output(n) => (4, n),
        Space::Parameter(n) => (5, n),
        Space::Frame(n) => (6, n),
    }
}

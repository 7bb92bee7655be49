//! Launches of a call on operands of their own, to be timed again and again.
//!
//! A call's intermediates share bytes of the arena: after the call most of them hold something else. A kernel whose
//! work depends on values reads wrong there. Split products compute again what is not finite; sorts, scatters and
//! radix passes store at positions that they read. So the call runs once more, and before each launch that will be
//! timed its operands are copied aside. Bytes that no command of the call writes, weights and inputs, are bound as they
//! are.
//!
//! Worked example: a kernel reads weights (4 MB), the arena's bytes 0 to 100 and writes 100 to 200. The launch that is
//! timed reads the same weights, and has 200 bytes of its own, filled from the arena just before the launch ran.

use std::ops::Range;

use crate::errors::Result;
use crate::hal::{Binding, Buffer, BufferSlice, Command, Device, Place};

/// What part of the free memory operands may take.
const MEMORY_PART: u64 = 4;
/// Device memory is allocated in multiples of this, bytes.
const PIECE_BYTES: u64 = 256;

/// The commands of one call, and the memory that they write.
pub(super) struct Operands<'a> {
    device: &'a Device,
    trace: &'a [Command],
    /// Addresses, sorted, without overlaps.
    written: Vec<Range<u64>>,
}

/// A launch whose written operands are to be copied: its place in the trace and the ranges, none overlapping another.
struct Wanted {
    at: usize,
    spans: Vec<BufferSlice>,
}

impl<'a> Operands<'a> {
    pub fn new(device: &'a Device, trace: &'a [Command]) -> Operands<'a> {
        let mut ranges = Vec::new();
        for command in trace {
            match command {
                Command::Dispatch { bindings, .. } => {
                    ranges
                        .extend(bindings.iter().filter(|binding| binding.writes).map(|binding| range(&binding.slice)));
                }
                Command::Copy { target, .. } | Command::Fill { target, .. } | Command::Collective { target, .. } => {
                    ranges.push(range(target));
                }
                Command::While { .. } | Command::If { .. } | Command::Repeat { .. } => {}
            }
        }
        Operands { device, trace, written: merged(ranges) }
    }

    /// Whether some command of the call writes to the range.
    pub fn is_written(&self, slice: &BufferSlice) -> bool {
        let asked = range(slice);
        let behind = self.written.partition_point(|known| known.start < asked.end);
        behind.checked_sub(1).and_then(|at| self.written.get(at)).is_some_and(|known| known.end > asked.start)
    }

    /// Bytes of weights and inputs that the call reads, each once.
    pub fn constant_bytes(&self) -> u64 {
        let dispatched = self.trace.iter().filter_map(|command| match command {
            Command::Dispatch { bindings, .. } => Some(bindings),
            _ => None,
        });
        let read = dispatched.flatten().filter(|binding| !self.is_written(&binding.slice));
        merged(read.map(|binding| range(&binding.slice)).collect()).iter().map(|range| range.end - range.start).sum()
    }

    /// At most `most` of the launches of a kernel, each on operands of its own; of those for which there is no memory
    /// only the first, on the call's. Either way the call has run up to the last of them.
    pub fn launches(&self, kernel: usize, most: usize) -> Result<Vec<Command>> {
        let is_wanted =
            |command: &Command| matches!(command, Command::Dispatch { kernel: known, .. } if *known == kernel);
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut free = self.device.memory()?.free / MEMORY_PART;
        let found = self.trace.iter().enumerate().filter(|(_, command)| is_wanted(command)).take(most);
        let places: Vec<usize> = found.map(|(at, _)| at).collect();
        for &at in &places {
            let spans = self.spans(at);
            let bytes: u64 = spans.iter().map(|span| span.bytes.next_multiple_of(PIECE_BYTES)).sum();
            let Some(left) = free.checked_sub(bytes) else { break };
            free = left;
            wanted.push(Wanted { at, spans });
        }
        if wanted.is_empty() {
            let first = places.first().copied().unwrap_or(0);
            self.device.submit(&self.device.record(self.trace.get(..first).unwrap_or(&[]))?)?;
            return Ok(self.trace.get(first).filter(|command| is_wanted(command)).cloned().into_iter().collect());
        }
        self.copied(&wanted)
    }

    /// Runs the call up to the last launch, copying operands aside on the way.
    fn copied(&self, wanted: &[Wanted]) -> Result<Vec<Command>> {
        let mut commands = Vec::new();
        let (mut launches, mut done) = (Vec::with_capacity(wanted.len()), 0);
        for Wanted { at, spans } in wanted {
            commands.extend(self.trace.get(done..*at).unwrap_or(&[]).iter().cloned());
            done = *at;
            let mut owned: Vec<(Range<u64>, Buffer)> = Vec::with_capacity(spans.len());
            for span in spans {
                let buffer = self.device.allocate(span.bytes.next_multiple_of(PIECE_BYTES), Place::Device)?;
                let target = buffer.slice(0, span.bytes);
                commands.push(Command::Copy { source: span.clone(), target });
                owned.push((range(span), buffer));
            }
            launches.extend(self.trace.get(*at).map(|command| rebound(command, &owned)));
        }
        self.device.submit(&self.device.record(&commands)?)?;
        self.device.synchronize()?;
        Ok(launches)
    }

    /// The written ranges that a launch binds. Ranges that overlap are one: a kernel that works in place still does.
    fn spans(&self, at: usize) -> Vec<BufferSlice> {
        let Some(Command::Dispatch { bindings, .. }) = self.trace.get(at) else { return Vec::new() };
        let written = |binding: &&Binding| binding.slice.bytes > 0 && self.is_written(&binding.slice);
        let mut slices: Vec<&BufferSlice> = bindings.iter().filter(written).map(|binding| &binding.slice).collect();
        slices.sort_by_key(|slice| range(slice).start);
        let mut spans: Vec<BufferSlice> = Vec::new();
        for slice in slices {
            let (start, end) = (range(slice).start, range(slice).end);
            match spans.last_mut() {
                Some(last) if range(last).end > start => last.bytes = last.bytes.max(end - range(last).start),
                _ => spans.push(slice.clone()),
            }
        }
        spans
    }
}

/// The launch with the copies in the place of the ranges that they were made of.
fn rebound(command: &Command, owned: &[(Range<u64>, Buffer)]) -> Command {
    let mut command = command.clone();
    let Command::Dispatch { bindings, .. } = &mut command else { return command };
    for binding in bindings {
        let at = range(&binding.slice).start;
        if let Some((from, buffer)) = owned.iter().find(|(from, _)| from.contains(&at)) {
            binding.slice = buffer.slice(at - from.start, binding.slice.bytes);
        }
    }
    command
}

/// The addresses of a range.
fn range(slice: &BufferSlice) -> Range<u64> {
    let start = slice.buffer.address().saturating_add(slice.offset);
    start..start.saturating_add(slice.bytes)
}

/// The same addresses as sorted ranges that do not touch.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::drivers::null::{Log, NullDevice};
    use crate::hal::KernelSpec;

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(merged(vec![8..12, 0..4, 4..6, 5..7, 3..3]), [0..7, 8..12]);
        assert!(merged(vec![]).is_empty());
    }

    /// Two launches of a kernel read the same bytes of the arena, which hold other values for each and a third at the
    /// end.
    #[test]
    fn a_launch_keeps_what_it_read_in_the_call() {
        let device = Device::new(Arc::new(NullDevice::new(Log::default())));
        let spec = KernelSpec { name: "k".into(), block: [1; 3], bindings: 3, ..KernelSpec::default() };
        let executable = device.load(device.image_kinds()[0], b"k\0", &[spec]).unwrap();
        let weights = device.upload_new(&[7; 64]).unwrap();
        let arena = device.allocate(256, Place::Device).unwrap();
        let (read, written) = (arena.slice(0, 64), arena.slice(64, 64));
        let fill = |pattern| Command::Fill { target: read.clone(), pattern, pattern_bytes: 1 };
        let binding = |slice: &BufferSlice, writes| Binding { slice: slice.clone(), writes };
        let launch = Command::Dispatch {
            executable,
            kernel: 0,
            grid: [1; 3],
            bindings: vec![binding(&weights.all(), false), binding(&read, false), binding(&written, true)],
            constants: vec![],
        };
        let trace = [fill(1), launch.clone(), fill(2), launch, fill(3)];
        let operands = Operands::new(&device, &trace);
        assert!(operands.is_written(&read) && !operands.is_written(&weights.all()));
        assert_eq!(operands.constant_bytes(), 64);

        let launches = operands.launches(0, 8).unwrap();
        device.submit(&device.record(&[fill(3)]).unwrap()).unwrap();
        let seen: Vec<u8> = launches
            .iter()
            .map(|command| {
                let Command::Dispatch { bindings, .. } = command else { panic!("a launch") };
                assert_eq!(range(&bindings[0].slice), range(&weights.all()));
                // Two ranges that do not overlap are apart; neither is the arena's.
                assert!(bindings[1..].iter().all(|own| !operands.is_written(&own.slice)));
                let mut bytes = [0; 64];
                device.download(&bindings[1].slice, &mut bytes).unwrap();
                assert!(bytes.iter().all(|byte| *byte == bytes[0]));
                bytes[0]
            })
            .collect();
        assert_eq!(seen, [1, 2]);
        assert_eq!(operands.launches(0, 1).unwrap().len(), 1);
    }
}

//! How what a collective sends ahead is laid out, and where the copies go in a list.
//!
//! Input: what [`crate::hal::ahead`] decided. Output: copies of the source, or of its pieces, into staging memory of
//! the other devices, which the copy engine does beside kernels, and where each device then finds the bytes of all. In
//! the collective's place one kernel meets the others and reads these. Of a sum in pieces the last one may be read over
//! the link. The pieces of a reduce-scatter are the devices' parts: its kernels change places, so that each device
//! makes its own part last, and nothing is read over the link.
//!
//! ```text
//! kernel 0 → kernel 1 → sum of pieces 0 and 1
//!      └→ copy of piece 0 ──┘
//! ```
//! **It cannot hang.** A copy waits for what stands before it on its own device alone: for its bytes, and for the
//! collective that used the same staging memory before. That one does not end before all devices have read, so its end
//! says that the memory is free. The collectives of a list are a chain, the same on all devices, and a copy stands in
//! the list behind the collective whose staging memory it takes. Take the first collective of the chain that some
//! device does not end. What it waits for on each device are kernels, copies and collectives before it in the chain,
//! which end. A queue of the driver may hold one of these up behind another node, but no queue holds a node that waits
//! for a later collective: that node itself waits for this one, and so for all of these, and a queue keeps that order.
//! Hence all devices come to the collective, and it ends. Copies that another device holds up do not exist: none waits
//! for a signal, and none reads memory of another device.
//!
//! Worked example: 16 MiB in two pieces between two H200. 8 MiB take 21 us by the copy engine; the kernel of the other
//! half takes 25.

use std::collections::HashMap;

use fornax_module::collective::CollectiveKind;

use super::plan::Planned;
use crate::hal::ahead::{Ahead, Step, decide};
use crate::hal::{HalResult, MemorySpan, RawCommand, RawDispatch, RawExchange};

/// Staging memories of a size. The bytes of the next collective come while those of this one are read.
const SLOTS: usize = 2;

/// A byte that is nowhere. Kernels read it; those of collectives that sent ahead write it. So such a one runs where it
/// stands in the list, not beside others. If one device began it while another one fills its multiprocessors with the
/// next product, the first would wait for that product.
const PLACE: MemorySpan = MemorySpan { address: 1, bytes: 1, writes: false };

/// Where a device sends pieces of its source ahead, and where it then finds those of all.
pub(super) struct Layout {
    /// Bytes of a piece.
    pub(super) length: u64,
    /// Pieces that the kernels of the first ones make later: those of a reduce-scatter begin with the part of the next
    /// device.
    pub(super) turn: usize,
    /// By piece that is sent ahead, a copy to each of the others: from and to.
    pub(super) copies: Vec<Vec<(u64, u64)>>,
    /// Piece by piece, and of each in the order of the group, where it is.
    pub(super) sources: Vec<u64>,
}

/// Bytes of staging memory on each device for what is sent ahead so.
pub(super) fn staging_bytes(how: &Ahead, exchange: &RawExchange) -> u64 {
    let devices = exchange.group.len() as u64;
    let (bytes, others) = (exchange.source_bytes, devices.saturating_sub(1));
    match (how, exchange.kind) {
        (_, CollectiveKind::Permute) => bytes,
        (_, CollectiveKind::ReduceScatter | CollectiveKind::AllToAll) => bytes / devices.max(1) * others,
        (Ahead::Pieces { writers, last: false }, _) => {
            let pieces = writers.len().max(1) as u64;
            bytes / pieces * (pieces - 1) * others
        }
        _ => bytes * others,
    }
}

/// Where the bytes of device `from` lie in the staging memory of device `to`: what one device sends lies together, in
/// the order of the group.
fn place(from: usize, to: usize, staging: &[u64], bytes: u64) -> Option<u64> {
    let number = if from > to { from - 1 } else { from };
    staging.get(to).map(|at| at + number as u64 * bytes)
}

/// The layout of a sum for device `rank`, where sources and staging memory of all devices are as given, and its source
/// is made in so many pieces, of which the last one may be sent, too.
pub(super) fn layout(
    rank: usize,
    (sources, staging): (&[u64], &[u64]),
    (pieces, last): (usize, bool),
    bytes: u64,
) -> Option<Layout> {
    let length = bytes / pieces.max(1) as u64;
    let sent = (pieces as u64).checked_sub(u64::from(!last))?;
    let slot = sent * length;
    let others = || (0..sources.len()).filter(|&other| other != rank);
    let own = *sources.get(rank)?;
    let copies = (0..sent).map(|piece| {
        let copy = |to: usize| Some((own + piece * length, place(rank, to, staging, slot)? + piece * length));
        others().map(copy).collect::<Option<Vec<_>>>()
    });
    let found = (0..pieces as u64).flat_map(|piece| sources.iter().enumerate().map(move |one| (piece, one)));
    let found = found.map(|(piece, (from, source))| {
        let in_place = piece >= sent || from == rank;
        Some(if in_place { *source } else { place(from, rank, staging, slot)? } + piece * length)
    });
    Some(Layout { length, turn: 0, copies: copies.collect::<Option<_>>()?, sources: found.collect::<Option<_>>()? })
}

/// The same where each device sends `length` bytes to each of the others at once: the same ones, or with `parts` the
/// part of each. It begins with the next device.
pub(super) fn whole(rank: usize, memory: (&[u64], &[u64]), length: u64, parts: bool) -> Option<Layout> {
    let (sources, staging) = memory;
    let devices = sources.len();
    let own = *sources.get(rank)?;
    let part = |of: usize| if parts { of as u64 * length } else { 0 };
    let others = (1..devices).map(|step| (rank + step) % devices);
    let copies = others.map(|to| Some(vec![(own + part(to), place(rank, to, staging, length)?)]));
    let found = (0..devices).map(|from| match from == rank {
        true => Some(own + part(rank)),
        false => place(from, rank, staging, length),
    });
    Some(Layout {
        length,
        turn: (rank + 1) % devices.max(1),
        copies: copies.collect::<Option<_>>()?,
        sources: found.collect::<Option<_>>()?,
    })
}

/// What a device does for one collective, which may send ahead so, into that staging memory.
pub(super) type Planner<'a> = dyn FnMut(&RawExchange, Option<(&Ahead, usize)>) -> HalResult<Planned> + 'a;

/// The commands with what `plan` makes of their collectives.
pub(super) fn planned(commands: &[RawCommand], plan: &mut Planner) -> HalResult<Vec<RawCommand>> {
    let steps = steps(commands);
    let mut sending = Sending::default();
    let mut list: Vec<Vec<RawCommand>> = vec![Vec::new()];
    for (at, command) in commands.iter().enumerate() {
        let one = match command {
            RawCommand::Collective(exchange) => {
                let how = decide(&steps, at).ok().map(|how| (staging_bytes(&how, exchange), how));
                let slot = how.as_ref().map(|(bytes, how)| (how, sending.slot(*bytes)));
                let mut found = plan(exchange, slot)?;
                if let Some((bytes, how)) = how.filter(|_| !found.copies.is_empty()) {
                    sending.send(&mut list, (&how, at, bytes), &mut found);
                }
                list.push(found.commands);
                continue;
            }
            RawCommand::While { condition, predicate, body, guarded } => RawCommand::While {
                condition: planned(condition, plan)?,
                predicate: *predicate,
                body: planned(body, plan)?,
                guarded: *guarded,
            },
            RawCommand::If { predicate, then, otherwise } => RawCommand::If {
                predicate: *predicate,
                then: planned(then, plan)?,
                otherwise: planned(otherwise, plan)?,
            },
            RawCommand::Repeat { count, body } => RawCommand::Repeat { count: *count, body: planned(body, plan)? },
            RawCommand::Dispatch(kernel) if !steps.is_empty() => in_place(kernel, false),
            other => other.clone(),
        };
        list.push(vec![one]);
    }
    Ok(list.into_iter().flatten().collect())
}

/// The commands as far as sending ahead goes; none where no collective is among them.
fn steps(commands: &[RawCommand]) -> Vec<Step> {
    let any = commands.iter().any(|command| matches!(command, RawCommand::Collective(_)));
    if any { commands.iter().map(Step::of).collect() } else { Vec::new() }
}

/// What each collective of the commands sends ahead, as devices tell each other, in the order in which they stand.
pub(super) fn words(commands: &[RawCommand], into: &mut Vec<u64>) {
    let steps = steps(commands);
    for (at, command) in commands.iter().enumerate() {
        match command {
            RawCommand::Collective(_) => into.push(Ahead::word(decide(&steps, at).ok().as_ref())),
            RawCommand::While { condition, body, .. } => [condition, body].into_iter().for_each(|c| words(c, into)),
            RawCommand::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|c| words(c, into)),
            RawCommand::Repeat { body, .. } => words(body, into),
            RawCommand::Dispatch(_) | RawCommand::Copy { .. } | RawCommand::Fill { .. } => {}
        }
    }
}

/// A list that is being planned: where the copies of its collectives go.
///
/// The list has an entry for what goes before all commands, then one for each: what it became, and what goes right
/// behind it.
#[derive(Default)]
pub(super) struct Sending {
    /// By bytes of staging memory, the collectives that have used it.
    used: HashMap<u64, Vec<usize>>,
    /// The first and the last of kernels that changed places.
    rotated: Vec<(usize, usize)>,
}

impl Sending {
    /// Which staging memory of so many bytes the next collective uses.
    pub(super) fn slot(&self, bytes: u64) -> usize {
        self.used.get(&bytes).map_or(0, Vec::len) % SLOTS
    }

    /// The first place from `wanted` on where a copy into that memory may stand: behind the collective that used it
    /// last, and not among kernels that changed places. A place is the number of commands before it.
    fn place(&self, wanted: usize, bytes: u64) -> usize {
        let all = self.used.get(&bytes).map_or(&[][..], Vec::as_slice);
        let last = all.len().checked_sub(SLOTS).and_then(|at| all.get(at));
        let place = wanted.max(last.map_or(0, |at| at + 1));
        let among = self.rotated.iter().find(|(first, last)| (first + 1..=*last).contains(&place));
        among.map_or(place, |(_, last)| last + 1)
    }

    /// Puts the copies of the collective at `at` into the list, and lets its kernel keep its place.
    pub(super) fn send(
        &mut self,
        list: &mut [Vec<RawCommand>],
        (how, at, bytes): (&Ahead, usize, u64),
        plan: &mut Planned,
    ) {
        let copies = std::mem::take(&mut plan.copies);
        match how {
            Ahead::Whole { from } => put(list, self.place(*from, bytes), copies.concat()),
            Ahead::Pieces { writers, .. } => {
                turn(list, writers, plan.turn);
                for (piece, (copies, &writer)) in copies.into_iter().zip(writers).enumerate() {
                    if let Some(next) = writers.get(piece + 1) {
                        wait(list, *next, &copies);
                    }
                    put(list, self.place(writer + 1, bytes), copies);
                }
                if let (Some(first), Some(last), 1..) = (writers.first(), writers.last(), plan.turn) {
                    self.rotated.push((*first, *last));
                }
            }
        }
        if let Some(command) = plan.commands.first_mut()
            && let RawCommand::Dispatch(kernel) = &command
        {
            *command = in_place(kernel, true);
        }
        self.used.entry(bytes).or_default().push(at);
    }
}

fn put(list: &mut [Vec<RawCommand>], place: usize, copies: Vec<RawCommand>) {
    list.get_mut(place).into_iter().for_each(|entry| entry.extend_from_slice(&copies));
}

/// Lets the first `turn` of these kernels change places with the others. What stood behind them stands behind the last.
fn turn(list: &mut [Vec<RawCommand>], writers: &[usize], turn: usize) {
    if turn == 0 {
        return;
    }
    let (mut kernels, mut behind) = (Vec::new(), Vec::new());
    for writer in writers {
        let mut entry = list.get_mut(writer + 1).map(std::mem::take).unwrap_or_default().into_iter();
        kernels.extend(entry.next());
        behind.extend(entry);
    }
    kernels.rotate_left(turn.min(writers.len()));
    for (kernel, writer) in kernels.into_iter().zip(writers) {
        put(list, writer + 1, vec![kernel]);
    }
    writers.last().into_iter().for_each(|last| put(list, last + 1, std::mem::take(&mut behind)));
}

/// Lets the kernel of a command wait for the piece that these copies send: what is sent first is made first.
fn wait(list: &mut [Vec<RawCommand>], command: usize, copies: &[RawCommand]) {
    if let (Some(&RawCommand::Copy { source: address, bytes, .. }), Some(RawCommand::Dispatch(next))) =
        (copies.first(), list.get_mut(command + 1).and_then(|entry| entry.first_mut()))
    {
        let made = MemorySpan { address, bytes, writes: false };
        next.spans = next.spans.iter().copied().chain([made]).collect();
    }
}

/// A kernel that also reads [`PLACE`], or writes it: then all kernels before it in the list come before it, and all
/// behind it after it.
fn in_place(kernel: &RawDispatch, writes: bool) -> RawCommand {
    let mut kernel = kernel.clone();
    kernel.spans = kernel.spans.iter().copied().chain([MemorySpan { writes, ..PLACE }]).collect();
    RawCommand::Dispatch(kernel)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Memory that is one number an address, on each device of so many: sources that say whose they are.
    fn memory(ranks: usize, bytes: u64) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
        let sources: Vec<u64> = (0..ranks as u64).map(|rank| 1000 * rank).collect();
        let staging: Vec<u64> = sources.iter().map(|at| at + 500).collect();
        let mut memory = vec![u64::MAX; 1000 * ranks];
        for (rank, at) in sources.iter().enumerate() {
            (0..bytes).for_each(|n| memory[(at + n) as usize] = 100 * rank as u64 + n);
        }
        (sources, staging, memory)
    }

    /// Does the copies of all devices; where they wrote.
    fn send_all(all: &[Layout], memory: &mut [u64]) -> HashSet<u64> {
        let mut written = HashSet::new();
        for (from, to) in all.iter().flat_map(|one| one.copies.iter().flatten()) {
            for n in 0..all[0].length {
                assert!(written.insert(to + n), "two copies to one place");
                memory[(to + n) as usize] = memory[(from + n) as usize];
            }
        }
        written
    }

    #[test]
    fn what_is_sent_ahead_is_what_the_others_sum() {
        for (ranks, pieces, last) in [(2usize, 2usize, false), (2, 4, true), (3, 2, true), (4, 3, false)] {
            let bytes = 4 * pieces as u64;
            let (sources, staging, mut memory) = memory(ranks, bytes);
            let of = |rank| layout(rank, (&sources, &staging), (pieces, last), bytes).unwrap();
            let all: Vec<Layout> = (0..ranks).map(of).collect();
            let sent = pieces - usize::from(!last);
            let written = send_all(&all, &mut memory);
            assert_eq!(written.len(), ranks * (ranks - 1) * sent * 4);
            for (rank, one) in all.iter().enumerate() {
                assert_eq!((one.length, one.copies.len(), one.turn), (4, sent, 0));
                for (piece, group) in one.sources.chunks(ranks).enumerate() {
                    for n in 0..one.length {
                        let found: Vec<u64> = group.iter().map(|at| memory[(at + n) as usize]).collect();
                        let at = piece as u64 * one.length + n;
                        let wanted: Vec<u64> = (0..ranks as u64).map(|from| 100 * from + at).collect();
                        assert_eq!(found, wanted, "device {rank} of {ranks}, piece {piece}");
                    }
                    // Only the last piece may be read over the link.
                    let far = group.iter().filter(|at| **at / 1000 != rank as u64).count();
                    assert_eq!(far, if piece < sent { 0 } else { ranks - 1 });
                }
            }
        }
    }

    #[test]
    fn what_is_sent_at_once_is_what_the_others_find() {
        for (ranks, parts) in [(2usize, true), (2, false), (3, true), (4, true), (4, false)] {
            let (sources, staging, mut memory) = memory(ranks, 8 * ranks as u64);
            let of = |rank| whole(rank, (&sources, &staging), 8, parts).unwrap();
            let all: Vec<Layout> = (0..ranks).map(of).collect();
            assert_eq!(send_all(&all, &mut memory).len(), ranks * (ranks - 1) * 8);
            for (rank, one) in all.iter().enumerate() {
                assert_eq!((one.copies.len(), one.turn), (ranks - 1, (rank + 1) % ranks));
                let first = if parts { 8 * rank as u64 } else { 0 };
                let found: Vec<u64> = one.sources.iter().map(|at| memory[*at as usize]).collect();
                let wanted: Vec<u64> = (0..ranks as u64).map(|from| 100 * from + first).collect();
                assert_eq!(found, wanted, "device {rank} of {ranks}");
                assert!(one.sources.iter().all(|at| at / 1000 == rank as u64));
            }
        }
    }

    fn kernel(writes: u64) -> RawCommand {
        RawCommand::Dispatch(RawDispatch {
            kernel: 0,
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared_bytes: 0,
            scratch_bytes: 0,
            awaits: true,
            words: Box::default(),
            bindings: 0,
            maps: Box::default(),
            spans: Box::new([MemorySpan { address: writes, bytes: 64, writes: true }]),
        })
    }

    fn copy(source: u64) -> RawCommand {
        RawCommand::Copy { source, target: 1 << 40, bytes: 64 }
    }

    /// A list of kernels that write 0, 64, 128, …
    fn list(kernels: u64) -> Vec<Vec<RawCommand>> {
        let kernels = (0..kernels).map(|at| vec![kernel(64 * at)]);
        std::iter::once(Vec::new()).chain(kernels).collect()
    }

    fn planned(copies: &[u64], turn: usize) -> Planned {
        let copies = copies.iter().map(|at| vec![copy(*at)]).collect();
        Planned { copies, turn, commands: vec![kernel(1 << 50)] }
    }

    /// A list in short: the address that a kernel writes, or what a copy sends, negative.
    fn short(list: &[Vec<RawCommand>]) -> Vec<i64> {
        let one = |command: &RawCommand| match command {
            RawCommand::Dispatch(kernel) => kernel.spans[0].address as i64,
            RawCommand::Copy { source, .. } => -(*source as i64) - 1,
            other => panic!("{other:?}"),
        };
        list.iter().flatten().map(one).collect()
    }

    fn spans(command: &RawCommand) -> Vec<u64> {
        let RawCommand::Dispatch(kernel) = command else { panic!("{command:?}") };
        kernel.spans.iter().filter(|span| !span.writes).map(|span| span.address).collect()
    }

    #[test]
    fn a_copy_stands_behind_its_kernel_and_the_next_kernel_waits() {
        let pieces = |last| Ahead::Pieces { writers: vec![0, 1], last };
        let mut whole = list(2);
        let mut plan = planned(&[0], 0);
        Sending::default().send(&mut whole, (&pieces(false), 2, 64), &mut plan);
        assert_eq!(short(&whole), [0, -1, 64]);
        assert_eq!(spans(&whole[2][0]), [0]);
        let RawCommand::Dispatch(sum) = &plan.commands[0] else { panic!("{:?}", plan.commands) };
        assert_eq!(sum.spans[1], MemorySpan { writes: true, ..PLACE });
        // The last one, too.
        let mut whole = list(3);
        let mut plan = planned(&[0, 64], 0);
        Sending::default().send(&mut whole, (&pieces(true), 3, 128), &mut plan);
        assert_eq!(short(&whole), [0, -1, 64, -65, 128]);
        // The second kernel is the first one now; a copy that stood behind the other one stands behind both.
        let mut rotated = list(2);
        rotated[1].push(copy(7));
        let mut sending = Sending::default();
        sending.send(&mut rotated, (&pieces(false), 2, 64), &mut planned(&[64], 1));
        assert_eq!(short(&rotated), [64, -65, 0, -8]);
        assert_eq!(spans(&rotated[2][0]), [64]);
        rotated.push(vec![kernel(512)]);
        sending.send(&mut rotated, (&Ahead::Whole { from: 1 }, 3, 256), &mut planned(&[9], 0));
        assert_eq!(short(&rotated), [64, -65, 0, -8, -10, 512]);
    }

    #[test]
    fn staging_memory_is_used_in_turn() {
        let mut sending = Sending::default();
        let mut all = list(0);
        for (at, slot, place) in [(3, 0, 0), (5, 1, 0), (9, 0, 4), (12, 1, 6)] {
            while all.len() <= at {
                all.push(vec![kernel(64 * all.len() as u64)]);
            }
            assert_eq!((sending.slot(64), sending.place(0, 64)), (slot, place));
            let mut plan = planned(&[1 << 20 | at as u64], 0);
            sending.send(&mut all, (&Ahead::Whole { from: 0 }, at, 64), &mut plan);
            let own = -(1 << 20 | at as i64) - 1;
            assert_eq!(all.iter().position(|entry| short(std::slice::from_ref(entry)).contains(&own)), Some(place));
        }
        assert_eq!((sending.slot(128), sending.place(2, 128)), (0, 2));
    }
}

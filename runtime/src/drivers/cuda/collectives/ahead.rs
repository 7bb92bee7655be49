//! What of a sum is sent before all of it is made.
//!
//! Input: a list whose long sum sends what several kernels write, an equal piece each, one behind the other
//! (`decompose/cut_collectives`). Output: those kernels. Each piece but the last is copied to another device as soon
//! as it is made, by the copy engine beside the next kernel; the sum then reads these copies from its own memory. Of an
//! all-reduce it reads the last piece over the link. The pieces of a reduce-scatter are the devices' parts: its kernels
//! change places, so that each device makes its own part last, and nothing is read over the link.
//!
//! ```text
//! kernel 0 → kernel 1 → sum of pieces 0 and 1
//!      └→ copy of piece 0 ──┘
//! ```
//! A copy waits for what stands before it on its own device alone: for its piece, and for the sum before that used the
//! same staging memory. No sum ends before all devices have read, so that one's end says that the memory is free. No
//! other wait is needed, and none may be: a copy that another device holds up would hold up that device.
//!
//! Worked example: 16 MiB in two pieces between two H200. 8 MiB take 21 us by the copy engine; the kernel of the other
//! half takes 25.

use fornax_module::collective::CollectiveKind;
use fornax_targets::fitted::collectives::{PARTS_AHEAD, PIECE_BYTES, SENT_AHEAD};

use super::plan::VECTOR;
use crate::drivers::cuda::order::conflict;
use crate::hal::{MemorySpan, RawCommand, RawExchange};

/// Commands between a sum and what makes its first piece, at most.
const WINDOW: usize = 64;
/// Pieces of a sum, at most: a thread reads all of them at the same time.
pub(super) const PIECES_MAX: usize = 4;

/// The places of the kernels that write the pieces of what the collective at `at` sends, in their order; none where it
/// is not sent in pieces.
pub(super) fn writers(commands: &[RawCommand], at: usize) -> Vec<usize> {
    found(commands, at).unwrap_or_default()
}

fn found(commands: &[RawCommand], at: usize) -> Option<Vec<usize>> {
    let Some(RawCommand::Collective(exchange)) = commands.get(at) else { return None };
    let devices = exchange.group.len();
    let (is_scattered, allowed) = match exchange.kind {
        CollectiveKind::AllReduce if devices == SENT_AHEAD => (false, 2..=PIECES_MAX),
        CollectiveKind::ReduceScatter if devices <= PARTS_AHEAD => (true, devices..=devices),
        _ => return None,
    };
    let (first, bytes) = (exchange.source, exchange.source_bytes);
    let meets = |span: &&MemorySpan| {
        span.address < first.saturating_add(bytes) && first < span.address.saturating_add(span.bytes)
    };
    let (mut all, mut missing) = (Vec::new(), bytes);
    for (place, command) in commands.iter().enumerate().take(at).rev().take(WINDOW) {
        let written = match command {
            RawCommand::Dispatch(dispatch) => {
                let mut written = dispatch.spans.iter().filter(|span| span.writes).filter(meets);
                match (written.next(), written.next()) {
                    (one, None) => one.copied(),
                    _ => return None,
                }
            }
            &RawCommand::Copy { target: address, bytes, .. } | &RawCommand::Fill { target: address, bytes, .. } => {
                let span = MemorySpan { address, bytes, writes: true };
                if meets(&&span) {
                    return None;
                }
                None
            }
            RawCommand::Collective(other) if writes(other, (first, bytes)) => return None,
            RawCommand::Collective(_) => None,
            RawCommand::While { .. } | RawCommand::If { .. } | RawCommand::Repeat { .. } => return None,
        };
        if let Some(span) = written {
            all.insert(0, (place, span));
            missing = missing.saturating_sub(span.bytes);
        }
        if missing == 0 {
            break;
        }
    }
    let pieces = all.len();
    let length = bytes / pieces.max(1) as u64;
    let in_order =
        (0u64..).zip(&all).all(|(at, (_, span))| (span.address, span.bytes) == (first + at * length, length));
    let fits = pieces > 1 && allowed.contains(&pieces) && length * pieces as u64 == bytes;
    let whole = length.is_multiple_of(VECTOR) && length >= PIECE_BYTES;
    let places: Vec<usize> = all.into_iter().map(|(place, _)| place).collect();
    let may_turn = !is_scattered || change_places(commands, &places);
    (fits && whole && in_order && may_turn).then_some(places)
}

/// Whether kernels may run in any order: nothing stands between them, and none writes what another one touches.
fn change_places(commands: &[RawCommand], places: &[usize]) -> bool {
    let spans = |&place: &usize| match commands.get(place) {
        Some(RawCommand::Dispatch(dispatch)) => Some(&dispatch.spans),
        _ => None,
    };
    let Some(all) = places.iter().map(spans).collect::<Option<Vec<_>>>() else { return false };
    let meet = |a: &[MemorySpan], b: &[MemorySpan]| a.iter().any(|a| b.iter().any(|b| conflict(a, b)));
    let apart = |at: usize| all.iter().skip(at + 1).all(|other| !meet(all[at], other));
    places.windows(2).all(|pair| pair[0] + 1 == pair[1]) && (0..all.len()).all(apart)
}

fn writes(exchange: &RawExchange, (first, bytes): (u64, u64)) -> bool {
    exchange.target < first.saturating_add(bytes) && first < exchange.target.saturating_add(exchange.target_bytes)
}

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
    /// Memory of the others that the copies write: where, and bytes.
    pub(super) sent: Vec<(u64, u64)>,
}

/// Bytes of staging memory on each device of so many, for sums of `bytes` in so many pieces.
pub(super) fn staging_bytes((ranks, pieces): (usize, usize), bytes: u64) -> u64 {
    bytes / pieces.max(1) as u64 * (pieces as u64 - 1) * (ranks as u64 - 1)
}

/// The layout for device `rank`, where sources and staging memory of all devices are as given. What one device sends
/// lies together, on each of the others in the order of the group.
pub(super) fn layout(rank: usize, (sources, staging): (&[u64], &[u64]), pieces: usize, bytes: u64) -> Option<Layout> {
    let length = bytes / pieces.max(1) as u64;
    let ahead = (pieces as u64).checked_sub(1)?;
    let slot = ahead * length;
    let place = |from: usize, to: usize| {
        let number = if from > to { from - 1 } else { from };
        staging.get(to).map(|at| at + number as u64 * slot)
    };
    let others = || (0..sources.len()).filter(|&other| other != rank);
    let own = *sources.get(rank)?;
    let copies = (0..ahead).map(|piece| {
        let copy = |to: usize| Some((own + piece * length, place(rank, to)? + piece * length));
        others().map(copy).collect::<Option<Vec<_>>>()
    });
    let found = (0..pieces as u64).flat_map(|piece| sources.iter().enumerate().map(move |one| (piece, one)));
    let found = found.map(|(piece, (from, source))| {
        let in_place = piece == ahead || from == rank;
        Some(if in_place { *source } else { place(from, rank)? } + piece * length)
    });
    Some(Layout {
        length,
        turn: 0,
        copies: copies.collect::<Option<_>>()?,
        sources: found.collect::<Option<_>>()?,
        sent: others().map(|to| Some((place(rank, to)?, slot))).collect::<Option<_>>()?,
    })
}

/// The same for a reduce-scatter: the pieces are the parts of the devices, each sends those of the others, beginning
/// with the next one's, and finds its own of all.
pub(super) fn parts(rank: usize, (sources, staging): (&[u64], &[u64]), bytes: u64) -> Option<Layout> {
    let devices = sources.len();
    let length = bytes / devices.max(1) as u64;
    let place = |from: usize, to: usize| {
        let number = if from > to { from - 1 } else { from };
        staging.get(to).map(|at| at + number as u64 * length)
    };
    let own = *sources.get(rank)?;
    let others = || (1..devices).map(|step| (rank + step) % devices);
    let copies = others().map(|to| Some(vec![(own + to as u64 * length, place(rank, to)?)]));
    let found = (0..devices).map(|from| match from == rank {
        true => Some(own + rank as u64 * length),
        false => place(from, rank),
    });
    Some(Layout {
        length,
        turn: (rank + 1) % devices.max(1),
        copies: copies.collect::<Option<_>>()?,
        sources: found.collect::<Option<_>>()?,
        sent: others().map(|to| Some((place(rank, to)?, length))).collect::<Option<_>>()?,
    })
}

/// Puts the copies of pieces behind the kernels that write them, after these changed places: `turn` of them go behind
/// the others. The first of `copies` are those of the piece that is then made first. Each of these kernels waits for
/// the one before it: what is sent first is made first.
pub(super) fn send(planned: &mut [Vec<RawCommand>], (writers, turn): (&[usize], usize), copies: Vec<Vec<RawCommand>>) {
    let mut kernels: Vec<Vec<RawCommand>> = Vec::new();
    kernels.extend(writers.iter().filter_map(|&at| planned.get_mut(at).map(std::mem::take)));
    let turn = turn.min(kernels.len());
    kernels.rotate_left(turn);
    for (kernel, &at) in kernels.into_iter().zip(writers) {
        if let Some(own) = planned.get_mut(at) {
            *own = kernel;
        }
    }
    for ((copies, &writer), &next) in copies.into_iter().zip(writers).zip(writers.iter().skip(1)) {
        if let (Some(&RawCommand::Copy { source: address, bytes, .. }), Some(RawCommand::Dispatch(next))) =
            (copies.first(), planned.get_mut(next).and_then(|own| own.first_mut()))
        {
            let made = MemorySpan { address, bytes, writes: false };
            next.spans = next.spans.iter().copied().chain([made]).collect();
        }
        if let Some(own) = planned.get_mut(writer) {
            own.extend(copies);
        }
    }
}

/// In how many pieces each collective of the commands sends, 1 where in one, in the order in which they stand.
pub(super) fn pieces(commands: &[RawCommand]) -> Vec<u64> {
    let mut found = Vec::new();
    collect(commands, &mut found);
    found
}

fn collect(commands: &[RawCommand], into: &mut Vec<u64>) {
    for (at, command) in commands.iter().enumerate() {
        match command {
            RawCommand::Collective(_) => into.push(writers(commands, at).len().max(1) as u64),
            RawCommand::While { condition, body, .. } => [condition, body].into_iter().for_each(|c| collect(c, into)),
            RawCommand::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|c| collect(c, into)),
            RawCommand::Repeat { body, .. } => collect(body, into),
            RawCommand::Dispatch(_) | RawCommand::Copy { .. } | RawCommand::Fill { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use fornax_module::collective::Reducer;
    use fornax_types::ElementType;

    use super::*;
    use crate::drivers::host_team;
    use crate::hal::RawDispatch;

    /// Copies and sums on memory that is one number an address, on each device of so many.
    #[test]
    fn what_is_sent_ahead_is_what_the_others_sum() {
        for (ranks, pieces) in [(2usize, 2usize), (2, 4), (3, 2), (4, 3)] {
            let bytes = 4 * pieces as u64;
            let staged = staging_bytes((ranks, pieces), bytes);
            let sources: Vec<u64> = (0..ranks as u64).map(|rank| 1000 * rank).collect();
            let staging: Vec<u64> = sources.iter().map(|at| at + 500).collect();
            let mut memory = vec![u64::MAX; 1000 * ranks];
            for (rank, at) in sources.iter().enumerate() {
                (0..bytes).for_each(|n| memory[(at + n) as usize] = 100 * rank as u64 + n);
            }
            let all: Vec<Layout> =
                (0..ranks).map(|rank| layout(rank, (&sources, &staging), pieces, bytes).unwrap()).collect();
            let mut written = std::collections::HashSet::new();
            for (from, to) in all.iter().flat_map(|one| one.copies.iter().flatten()) {
                for n in 0..all[0].length {
                    assert!(written.insert(to + n), "two copies to one place");
                    memory[(to + n) as usize] = memory[(from + n) as usize];
                }
            }
            assert_eq!(written.len() as u64, ranks as u64 * staged);
            for (rank, one) in all.iter().enumerate() {
                assert_eq!((one.length * pieces as u64, one.copies.len(), one.turn), (bytes, pieces - 1, 0));
                for (piece, group) in one.sources.chunks(ranks).enumerate() {
                    for n in 0..one.length {
                        let found: Vec<u64> = group.iter().map(|at| memory[(at + n) as usize]).collect();
                        let at = piece as u64 * one.length + n;
                        let wanted: Vec<u64> = (0..ranks as u64).map(|from| 100 * from + at).collect();
                        assert_eq!(found, wanted, "device {rank} of {ranks}, piece {piece}");
                    }
                    // Only the last piece is read over the link.
                    let far = group.iter().filter(|at| **at / 1000 != rank as u64).count();
                    assert_eq!(far, if piece + 1 == pieces { ranks - 1 } else { 0 });
                }
                let inside = |(at, bytes): &(u64, u64)| (*at..at + bytes).all(|at| written.contains(&at));
                assert!(one.sent.len() == ranks - 1 && one.sent.iter().all(inside));
            }
        }
    }

    /// As above: each device sends the parts of the others in the order in which it makes them, and reads its own.
    #[test]
    fn parts_that_are_sent_ahead_are_what_their_devices_sum() {
        for ranks in [2usize, 3, 4] {
            let bytes = 8 * ranks as u64;
            let sources: Vec<u64> = (0..ranks as u64).map(|rank| 1000 * rank).collect();
            let staging: Vec<u64> = sources.iter().map(|at| at + 500).collect();
            let all: Vec<Layout> = (0..ranks).map(|rank| parts(rank, (&sources, &staging), bytes).unwrap()).collect();
            let mut sent = std::collections::HashMap::new();
            for (rank, one) in all.iter().enumerate() {
                assert_eq!((one.length, one.copies.len(), one.turn), (8, ranks - 1, (rank + 1) % ranks));
                for (at, copies) in one.copies.iter().enumerate() {
                    let part = (one.turn + at) % ranks;
                    let (from, to) = copies[0];
                    assert_eq!((copies.len(), from), (1, sources[rank] + 8 * part as u64));
                    assert!(sent.insert(to, (rank, part)).is_none(), "two copies to one place");
                    assert!(one.sent.contains(&(to, 8)));
                }
            }
            for (rank, one) in all.iter().enumerate() {
                for (from, at) in one.sources.iter().enumerate() {
                    let own = (from == rank).then_some((rank, rank)).filter(|_| *at == sources[rank] + 8 * rank as u64);
                    assert_eq!(own.or(sent.get(at).copied()), Some((from, rank)), "device {rank} of {ranks}");
                }
            }
        }
    }

    fn kernel(spans: &[(u64, u64, bool)]) -> RawCommand {
        let span = |&(address, bytes, writes): &(u64, u64, bool)| MemorySpan { address, bytes, writes };
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
            spans: spans.iter().map(span).collect(),
        })
    }

    fn sum(source: (u64, u64), group: &[u32]) -> RawCommand {
        collective(CollectiveKind::AllReduce, source, group)
    }

    fn collective(kind: CollectiveKind, (source, source_bytes): (u64, u64), group: &[u32]) -> RawCommand {
        let with = host_team::join(group.len() as u32, Duration::from_secs(1)).remove(0);
        RawCommand::Collective(Box::new(RawExchange {
            with,
            kind,
            reducer: Some(Reducer::Add),
            element: ElementType::Bf16,
            group: group.into(),
            groups: Arc::new([group.to_vec()]),
            sender: None,
            source,
            source_bytes,
            target: 1 << 40,
            target_bytes: source_bytes,
        }))
    }

    const P: u64 = PIECE_BYTES;

    #[test]
    fn pieces_are_what_kernels_write_one_behind_the_other() {
        let whole = (P, 2 * P);
        let halves = [kernel(&[(0, 64, false), (P, P, true)]), kernel(&[(2 * P, P, true)])];
        let with = |commands: &[RawCommand]| [commands, &[sum(whole, &[0, 1])]].concat();
        let between = kernel(&[(0, 64, true), (P, P, false)]);
        let list = with(&[halves[0].clone(), between, halves[1].clone()]);
        assert_eq!(writers(&list, 3), [0, 2]);
        assert_eq!(pieces(&[RawCommand::Repeat { count: 2, body: list.clone() }, sum(whole, &[0, 1])]), [2, 1]);
        let fill = RawCommand::Fill { target: P, bytes: 64, pattern: 0, pattern_bytes: 1 };
        let copy = RawCommand::Copy { source: 0, target: 3 * P - 1, bytes: 1 };
        let turned = [halves[1].clone(), halves[0].clone()];
        let again = with(&[halves[0].clone(), halves[0].clone(), halves[1].clone()]);
        assert_eq!(writers(&again, 3), [1, 2]);
        let uneven = [kernel(&[(P, P - 256, true)]), kernel(&[(2 * P - 256, P + 256, true)])];
        let over = [kernel(&[(0, 2 * P, true)]), kernel(&[(2 * P, P, true)])];
        for (why, before) in [
            ("one kernel", vec![kernel(&[(P, 2 * P, true)])]),
            ("half is not written", vec![halves[1].clone()]),
            ("the other order", turned.to_vec()),
            ("a piece written again", [halves.to_vec(), vec![halves[0].clone()]].concat()),
            ("unlike pieces", uneven.to_vec()),
            ("more than the source", over.to_vec()),
            ("a copy into it", vec![halves[0].clone(), copy, halves[1].clone()]),
            ("a fill of it", vec![halves[0].clone(), halves[1].clone(), fill]),
        ] {
            let list = with(&before);
            assert_eq!(writers(&list, before.len()), [0usize; 0], "{why}");
        }
        let three = [halves.to_vec(), vec![sum(whole, &[0, 1, 2])]].concat();
        assert_eq!(writers(&three, 2), [0usize; 0], "three devices");
        let scatter = |before: &[RawCommand], group: &[u32]| {
            writers(&[before, &[collective(CollectiveKind::ReduceScatter, whole, group)]].concat(), before.len())
        };
        assert_eq!(scatter(&halves, &[0, 1]), [0, 1]);
        assert_eq!(scatter(&halves, &[0, 1, 2]), [0usize; 0], "halves for three devices");
        assert_eq!(scatter(&list[..3], &[0, 1]), [0usize; 0], "a kernel between");
        let reads = [halves[0].clone(), kernel(&[(P, P, false), (2 * P, P, true)])];
        assert_eq!(scatter(&reads, &[0, 1]), [0usize; 0], "the second half is made of the first");
        let short = [kernel(&[(0, 64, true)]), kernel(&[(64, 64, true)]), sum((0, 128), &[0, 1])];
        assert_eq!(writers(&short, 2), [0usize; 0], "few bytes");
    }

    #[test]
    fn a_copy_stands_behind_its_kernel_and_the_next_kernel_waits() {
        let mut planned = vec![vec![kernel(&[(0, P, true)])], vec![kernel(&[(P, P, true)])]];
        let copy = RawCommand::Copy { source: 0, target: 1 << 40, bytes: P };
        let before = planned.clone();
        send(&mut planned, (&[0, 1], 0), vec![vec![copy]]);
        assert!(matches!(planned[0][..], [RawCommand::Dispatch(_), RawCommand::Copy { .. }]));
        let [RawCommand::Dispatch(next)] = &planned[1][..] else { panic!("{planned:?}") };
        assert_eq!(next.spans[1], MemorySpan { address: 0, bytes: P, writes: false });
        // The second kernel is the first one now.
        let mut turned = before;
        send(&mut turned, (&[0, 1], 1), vec![vec![RawCommand::Copy { source: P, target: 1 << 40, bytes: P }]]);
        let [RawCommand::Dispatch(first), RawCommand::Copy { source: P, .. }] = &turned[0][..] else {
            panic!("{turned:?}")
        };
        assert_eq!(first.spans[..], [MemorySpan { address: P, bytes: P, writes: true }]);
        let [RawCommand::Dispatch(second)] = &turned[1][..] else { panic!("{turned:?}") };
        assert_eq!(second.spans[1], MemorySpan { address: P, bytes: P, writes: false });
    }
}

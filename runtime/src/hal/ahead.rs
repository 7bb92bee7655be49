//! Which collectives send what they exchange before they begin, and why the others do not.
//!
//! Input: the steps of a list, one of them a collective. Output: behind which steps the copy engine may send its
//! source, or pieces of it, to the other devices. It does so while the kernels that follow run; in the collective's own
//! place a kernel then meets the others and reads what came. This is the one place that decides: drivers ask it, and
//! `fornax inspect` tells what it answers.
//!
//! ```text
//! makes the source → other kernels     → collective → reads the result
//!               └──→ copy to the others ──┘
//! ```
//!
//! Worked example: a ring. The keys are an input, attention to them comes first, the permute of them after it: it sends
//! them from the start, and 64 MiB are there long before attention is over.

use std::fmt;

use fornax_module::collective::CollectiveKind;
use fornax_targets::fitted::collectives::{AHEAD_BYTES, PARTS_AHEAD, PIECE_BYTES, SENT_AHEAD};

use super::{MemorySpan, RawCommand, RawExchange};

/// Bytes of a vector: what is sent is made of whole ones.
pub const VECTOR: u64 = 16;
/// Steps between a sum and what makes its first piece, at most.
const WINDOW: usize = 64;
/// Pieces of a sum, at most: a thread reads all of them at the same time.
pub const PIECES_MAX: usize = 4;

/// A command, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A kernel, with what it touches.
    Kernel(Vec<MemorySpan>),
    /// A copy or a fill, with what it writes.
    Write(MemorySpan),
    Collective(Exchanged),
    /// A branch, a loop or what touches unknown memory. Lists inside of it send ahead themselves.
    Control,
}

/// A collective of a list, on one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchanged {
    pub kind: CollectiveKind,
    /// Devices of its group.
    pub devices: usize,
    pub source: MemorySpan,
    pub target: MemorySpan,
}

/// What a collective sends before it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// Its source is made by these steps, a piece each, one behind the other, and each piece is sent as soon as it is
    /// made: all but the last, or with `last` that one too.
    Pieces { writers: Vec<usize>, last: bool },
    /// All of its source, before this step.
    Whole { from: usize },
}

/// Why a collective sends nothing ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A broadcast: its root stores.
    Kind,
    Devices,
    Short,
    Vectors,
    /// What runs between is too little to hide a copy.
    Soon,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Kind => write!(f, "its root stores"),
            Reason::Devices => write!(f, "one device, or too many"),
            Reason::Short => write!(f, "below {AHEAD_BYTES} bytes"),
            Reason::Vectors => write!(f, "no multiple of {VECTOR} bytes"),
            Reason::Soon => write!(f, "little runs between its source and it"),
        }
    }
}

impl Ahead {
    /// What devices tell each other of it: all send alike, or none.
    pub fn word(found: Option<&Ahead>) -> u64 {
        match found {
            None => 1,
            Some(Ahead::Pieces { writers, last }) => writers.len() as u64 | u64::from(*last) << 8,
            Some(Ahead::Whole { .. }) => 1 << 16,
        }
    }
}

impl Step {
    pub fn of(command: &RawCommand) -> Step {
        match command {
            RawCommand::Dispatch(dispatch) => Step::Kernel(dispatch.spans.to_vec()),
            &RawCommand::Copy { target: address, bytes, .. } | &RawCommand::Fill { target: address, bytes, .. } => {
                Step::Write(MemorySpan { address, bytes, writes: true })
            }
            RawCommand::Collective(exchange) => Step::Collective(Exchanged::of(exchange)),
            RawCommand::While { .. } | RawCommand::If { .. } | RawCommand::Repeat { .. } => Step::Control,
        }
    }
}

impl Exchanged {
    fn of(exchange: &RawExchange) -> Exchanged {
        Exchanged {
            kind: exchange.kind,
            devices: exchange.group.len(),
            source: MemorySpan { address: exchange.source, bytes: exchange.source_bytes, writes: false },
            target: MemorySpan { address: exchange.target, bytes: exchange.target_bytes, writes: true },
        }
    }

    /// Bytes that a device sends to another one.
    fn sent(&self) -> u64 {
        match self.kind {
            CollectiveKind::ReduceScatter | CollectiveKind::AllToAll => self.source.bytes / self.devices.max(1) as u64,
            _ => self.source.bytes,
        }
    }

    fn devices_allowed(&self) -> bool {
        match self.kind {
            CollectiveKind::AllReduce => self.devices == SENT_AHEAD,
            CollectiveKind::Permute => self.devices > 1,
            _ => (2..=PARTS_AHEAD).contains(&self.devices),
        }
    }
}

/// What the collective at `at` sends ahead; or why nothing.
///
/// # Errors
/// The reason.
pub fn decide(steps: &[Step], at: usize) -> Result<Ahead, Reason> {
    let Some(Step::Collective(one)) = steps.get(at) else { return Err(Reason::Kind) };
    if one.kind == CollectiveKind::Broadcast {
        return Err(Reason::Kind);
    }
    if !one.devices_allowed() {
        return Err(Reason::Devices);
    }
    let sent = one.sent();
    if sent < AHEAD_BYTES {
        return Err(Reason::Short);
    }
    if !sent.is_multiple_of(VECTOR) {
        return Err(Reason::Vectors);
    }
    let before = steps.get(..at).unwrap_or_default();
    if let Some(writers) = pieces(before, one) {
        let behind = writers.last().map_or(at, |last| last + 1);
        let last = one.kind == CollectiveKind::AllReduce && hides(before, behind, sent / writers.len() as u64);
        return Ok(Ahead::Pieces { writers, last });
    }
    let from = before.iter().rposition(|step| makes(step, one)).map_or(0, |made| made + 1);
    if hides(before, from, sent) { Ok(Ahead::Whole { from }) } else { Err(Reason::Soon) }
}

/// Whether the kernels from `from` on touch as many bytes of memory as are sent.
fn hides(before: &[Step], from: usize, sent: u64) -> bool {
    let touched = before.iter().skip(from).map(|step| match step {
        Step::Kernel(spans) => spans.iter().fold(0u64, |sum, span| sum.saturating_add(span.bytes)),
        _ => 0,
    });
    touched.fold(0u64, u64::saturating_add) >= sent
}

/// Whether a step writes what is sent, or may.
fn makes(step: &Step, one: &Exchanged) -> bool {
    match step {
        Step::Kernel(spans) => spans.iter().any(|span| conflict(&one.source, span)),
        Step::Write(span) => conflict(&one.source, span),
        Step::Collective(other) => conflict(&one.source, &other.target),
        Step::Control => true,
    }
}

/// The places of the kernels that write the pieces of what a sum sends, in their order; none where it is not made in
/// pieces.
fn pieces(before: &[Step], one: &Exchanged) -> Option<Vec<usize>> {
    let (is_scattered, allowed) = match one.kind {
        CollectiveKind::AllReduce => (false, 2..=PIECES_MAX),
        CollectiveKind::ReduceScatter => (true, one.devices..=one.devices),
        _ => return None,
    };
    let (first, bytes) = (one.source.address, one.source.bytes);
    let (mut all, mut missing) = (Vec::new(), bytes);
    for (place, step) in before.iter().enumerate().rev().take(WINDOW) {
        match step {
            Step::Kernel(spans) => {
                let mut written = spans.iter().filter(|span| conflict(&one.source, span));
                match (written.next(), written.next()) {
                    (None, _) => continue,
                    (Some(span), None) => {
                        all.insert(0, (place, *span));
                        missing = missing.saturating_sub(span.bytes);
                    }
                    _ => return None,
                }
            }
            step if makes(step, one) => return None,
            _ => continue,
        }
        if missing == 0 {
            break;
        }
    }
    let count = all.len();
    let length = bytes / count.max(1) as u64;
    let in_order =
        (0u64..).zip(&all).all(|(at, (_, span))| (span.address, span.bytes) == (first + at * length, length));
    let fits = count > 1 && allowed.contains(&count) && length * count as u64 == bytes;
    let whole = length.is_multiple_of(VECTOR) && length >= PIECE_BYTES;
    let places: Vec<usize> = all.into_iter().map(|(place, _)| place).collect();
    let may_turn = !is_scattered || change_places(before, &places);
    (fits && whole && in_order && may_turn).then_some(places)
}

/// Whether kernels may run in any order: nothing stands between them, and none writes what another one touches.
fn change_places(steps: &[Step], places: &[usize]) -> bool {
    let spans = |&place: &usize| match steps.get(place) {
        Some(Step::Kernel(spans)) => Some(spans),
        _ => None,
    };
    let Some(all) = places.iter().map(spans).collect::<Option<Vec<_>>>() else { return false };
    let meet = |a: &[MemorySpan], b: &[MemorySpan]| a.iter().any(|a| b.iter().any(|b| conflict(a, b)));
    let apart = |at: usize| all.iter().skip(at + 1).all(|other| !meet(all[at], other));
    places.windows(2).all(|pair| pair[0] + 1 == pair[1]) && (0..all.len()).all(apart)
}

/// Whether two spans share a byte that one of them writes.
pub(crate) fn conflict(a: &MemorySpan, b: &MemorySpan) -> bool {
    (a.writes || b.writes)
        && a.address < b.address.saturating_add(b.bytes)
        && b.address < a.address.saturating_add(a.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: u64 = PIECE_BYTES;

    fn span((address, bytes, writes): (u64, u64, bool)) -> MemorySpan {
        MemorySpan { address, bytes, writes }
    }

    fn kernel(spans: &[(u64, u64, bool)]) -> Step {
        Step::Kernel(spans.iter().copied().map(span).collect())
    }

    fn exchange(kind: CollectiveKind, (address, bytes): (u64, u64), devices: usize) -> Step {
        let (source, target) = (span((address, bytes, false)), span((1 << 40, bytes, true)));
        Step::Collective(Exchanged { kind, devices, source, target })
    }

    fn found(before: &[Step], last: Step) -> Result<Ahead, Reason> {
        decide(&[before, &[last]].concat(), before.len())
    }

    fn writers(before: &[Step], last: Step) -> Vec<usize> {
        match found(before, last) {
            Ok(Ahead::Pieces { writers, last: false }) => writers,
            _ => Vec::new(),
        }
    }

    #[test]
    fn pieces_are_what_kernels_write_one_behind_the_other() {
        let sum = |devices| exchange(CollectiveKind::AllReduce, (P, 2 * P), devices);
        let halves = [kernel(&[(0, 64, false), (P, P, true)]), kernel(&[(2 * P, P, true)])];
        let between = kernel(&[(0, 64, true), (P, P, false)]);
        let list = [halves[0].clone(), between, halves[1].clone()];
        assert_eq!(writers(&list, sum(2)), [0, 2]);
        let write = |address, bytes| Step::Write(span((address, bytes, true)));
        let again = [halves[0].clone(), halves[0].clone(), halves[1].clone()];
        assert_eq!(writers(&again, sum(2)), [1, 2]);
        for (why, before) in [
            ("one kernel", vec![kernel(&[(P, 2 * P, true)])]),
            ("half is not written", vec![halves[1].clone()]),
            ("the other order", vec![halves[1].clone(), halves[0].clone()]),
            ("a piece written again", [&halves[..], &halves[..1]].concat()),
            ("unlike pieces", vec![kernel(&[(P, P - 256, true)]), kernel(&[(2 * P - 256, P + 256, true)])]),
            ("more than the source", vec![kernel(&[(0, 2 * P, true)]), kernel(&[(2 * P, P, true)])]),
            ("a copy into it", vec![halves[0].clone(), write(3 * P - 1, 1), halves[1].clone()]),
            ("a fill of it", vec![halves[0].clone(), halves[1].clone(), write(P, 64)]),
        ] {
            assert_eq!(writers(&before, sum(2)), [0usize; 0], "{why}");
        }
        assert_eq!(found(&halves, sum(3)), Err(Reason::Devices));
        let scatter =
            |before: &[Step], devices| writers(before, exchange(CollectiveKind::ReduceScatter, (P, 2 * P), devices));
        assert_eq!(scatter(&halves, 2), [0, 1]);
        assert_eq!(scatter(&halves, 3), [0usize; 0], "halves for three devices");
        assert_eq!(scatter(&list, 2), [0usize; 0], "a kernel between");
        let reads = [halves[0].clone(), kernel(&[(P, P, false), (2 * P, P, true)])];
        assert_eq!(scatter(&reads, 2), [0usize; 0], "the second half is made of the first");
        let short = [kernel(&[(0, 64, true)]), kernel(&[(64, 64, true)])];
        assert_eq!(found(&short, exchange(CollectiveKind::AllReduce, (0, 128), 2)), Err(Reason::Short));
    }

    #[test]
    fn the_last_piece_goes_too_where_a_kernel_stands_behind_it() {
        let sum = exchange(CollectiveKind::AllReduce, (P, 2 * P), 2);
        let halves = [kernel(&[(P, P, true)]), kernel(&[(2 * P, P, true)])];
        let of = |more: Step| found(&[&halves[..], &[more]].concat(), sum.clone());
        let two = |last| Ok(Ahead::Pieces { writers: vec![0, 1], last });
        assert_eq!(of(kernel(&[(8 * P, P, true)])), two(true));
        assert_eq!(of(kernel(&[(8 * P, P - 16, true)])), two(false));
        let words = [two(true), two(false), Ok(Ahead::Whole { from: 3 }), Err(Reason::Soon)];
        let words: Vec<u64> = words.iter().map(|found| Ahead::word(found.as_ref().ok())).collect();
        assert_eq!(words, [258, 2, 1 << 16, 1]);
    }

    #[test]
    fn a_source_is_sent_once_it_is_made() {
        let gather = |at| exchange(CollectiveKind::AllGather, (at, P), 2);
        let made = kernel(&[(0, P, true)]);
        let other = kernel(&[(0, P, false), (P, P, true)]);
        let of = |before: &[&Step], last: Step| found(&before.iter().copied().cloned().collect::<Vec<_>>(), last);
        assert_eq!(of(&[&other, &made, &other, &other], gather(0)), Ok(Ahead::Whole { from: 2 }));
        assert_eq!(of(&[&other], gather(0)), Ok(Ahead::Whole { from: 0 }), "an argument");
        assert_eq!(of(&[&other, &made], gather(0)), Err(Reason::Soon));
        let small = kernel(&[(4 * P, 64, true)]);
        assert_eq!(of(&[&made, &small], gather(0)), Err(Reason::Soon));
        assert_eq!(of(&[&made, &other, &Step::Control, &other], gather(0)), Ok(Ahead::Whole { from: 3 }));
        let copy = Step::Write(span((P - 1, 1, true)));
        assert_eq!(of(&[&made, &copy, &other], gather(0)), Ok(Ahead::Whole { from: 2 }), "a copy into it");
        let before = exchange(CollectiveKind::Permute, (0, P), 2);
        assert_eq!(of(&[&made, &before, &other], gather(1 << 40)), Ok(Ahead::Whole { from: 2 }), "a permuted source");
        for (kind, bytes, devices, wanted) in [
            (CollectiveKind::Permute, P, 16, Ok(Ahead::Whole { from: 0 })),
            (CollectiveKind::AllToAll, P, 4, Ok(Ahead::Whole { from: 0 })),
            (CollectiveKind::AllReduce, P, 2, Ok(Ahead::Whole { from: 0 })),
            (CollectiveKind::AllReduce, P, 4, Err(Reason::Devices)),
            (CollectiveKind::ReduceScatter, P, 8, Err(Reason::Devices)),
            (CollectiveKind::ReduceScatter, AHEAD_BYTES, 2, Err(Reason::Short)),
            (CollectiveKind::Broadcast, P, 2, Err(Reason::Kind)),
            (CollectiveKind::AllGather, P + 4, 2, Err(Reason::Vectors)),
        ] {
            assert_eq!(of(&[&other], exchange(kind, (0, bytes), devices)), wanted, "{kind:?} {bytes} {devices}");
        }
    }
}

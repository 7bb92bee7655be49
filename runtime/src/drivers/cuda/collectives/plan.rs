//! Which kernels do a collective, and with which parameters.
//!
//! Input: a checked collective and where the buffers of all devices of its group are. Output: commands for this device.
//!
//! | | few bytes | more |
//! | --- | --- | --- |
//! | all-reduce | push, combine | pull all, combine; of three and more devices pull a share, then gather the shares |
//! | reduce-scatter | push parts, combine | pull own part of all, combine |
//! | all-gather, all-to-all | push (parts) | pull, one behind the other |
//! | permute | | pull from one |
//! | broadcast | | the root spreads, the others wait |
//!
//! What is sent ahead is copied into the others' staging memory before ([`super::ahead`]); then one kernel meets them,
//! and combines or moves what is there. Of a sum in pieces it may read the last one in place.
//!
//! Worked example: 100 bytes of bf16, all-reduce on three devices, two steps: shares of 32 bytes (whole vectors);
//! device 1 combines bytes 32..64 of all into its own target, every device combines the last 4; then each gathers the
//! shares.

use fornax_module::collective::CollectiveKind;

use fornax_targets::fitted::collectives::ways;

use super::ptx::{BLOCK_BYTES, Kernel, PULL_BLOCKS, PUSH_BLOCKS, THREADS, Way, Work};
use super::{Member, Room, ahead};
use crate::drivers::host_team::Post;
use crate::hal::ahead::{Ahead, VECTOR};
use crate::hal::{HalError, HalErrorKind, HalResult, MemorySpan, RawCommand, RawDispatch, RawExchange};

/// What a device does for one collective.
pub(super) struct Planned {
    /// By piece that is sent ahead, in the order in which they are made, the copies of it.
    pub(super) copies: Vec<Vec<RawCommand>>,
    /// So many of the kernels that make the pieces go behind the others.
    pub(super) turn: usize,
    /// In the place of the collective.
    pub(super) commands: Vec<RawCommand>,
}

/// What a device does for one collective; `at` is the place of its words in each device's post, `how` what it may send
/// ahead, and into which staging memory. It does where all devices would.
pub(super) fn plan(
    member: &Member,
    exchange: &RawExchange,
    (posts, at): (&[Post], usize),
    how: Option<(&Ahead, usize)>,
) -> HalResult<Planned> {
    let at_once = |commands| Planned { copies: Vec::new(), turn: 0, commands };
    if exchange.group.is_empty() {
        return Ok(at_once(exchange.zeros().into_iter().collect()));
    }
    let address = |&device: &u32, which| {
        let post = posts.get(device as usize).ok_or_else(missing)?;
        post.addresses.get(at + which).copied().ok_or_else(missing)
    };
    let sources = exchange.group.iter().map(|device| address(device, 0)).collect::<HalResult<Vec<u64>>>()?;
    let targets = exchange.group.iter().map(|device| address(device, 1)).collect::<HalResult<Vec<u64>>>()?;
    let rank = exchange.group.iter().position(|&device| device == member.number).ok_or_else(missing)?;
    let pads = if sources.len() > 1 { member.memory(&exchange.group, Room::Pad)? } else { Vec::new() };
    let words = exchange.group.iter().map(|device| address(device, 2)).collect::<HalResult<Vec<u64>>>()?;
    let plan = Plan { member, exchange, rank, sources, targets, pads };
    match how {
        Some((how, slot)) if words.iter().all(|&word| word == Ahead::word(Some(how))) => plan.ahead(how, slot),
        _ => Ok(at_once(plan.commands()?)),
    }
}

/// A kernel that reads what came into the staging memory of its device, `rank`, and ends when all devices have: what is
/// sent into any of these memories later waits for it.
pub(super) fn reading(mut kernel: RawCommand, rank: usize, staging: &[u64], bytes: u64) -> RawCommand {
    if let RawCommand::Dispatch(kernel) = &mut kernel {
        let others = staging.iter().enumerate().filter(|(other, _)| *other != rank);
        let read = others.map(|(_, &address)| MemorySpan { address, bytes, writes: true });
        kernel.spans = kernel.spans.iter().copied().chain(read).collect();
    }
    kernel
}

fn missing() -> HalError {
    HalError::new(HalErrorKind::Internal, "a device without addresses for a collective")
}

struct Plan<'a> {
    member: &'a Member,
    exchange: &'a RawExchange,
    /// Place in the group.
    rank: usize,
    /// Where the buffers of all devices of the group are.
    sources: Vec<u64>,
    targets: Vec<u64>,
    pads: Vec<u64>,
}

impl Plan<'_> {
    fn commands(&self) -> HalResult<Vec<RawCommand>> {
        let RawExchange { kind, source, target, target_bytes, source_bytes, .. } = *self.exchange;
        let ranks = self.sources.len();
        if ranks == 1 && (kind != CollectiveKind::Permute || self.exchange.sender.is_some()) {
            let copy = RawCommand::Copy { source, target, bytes: target_bytes };
            return Ok(if target_bytes == 0 { Vec::new() } else { vec![copy] });
        }
        let part = target_bytes / ranks as u64;
        let parts_at = |bytes: u64| -> Vec<u64> { self.sources.iter().map(|s| s + self.rank as u64 * bytes).collect() };
        let ways = ways(ranks);
        // A push has room for so many.
        let limit = ways.pull.min(PUSH_BLOCKS * BLOCK_BYTES + 1);
        let is_small = |bytes: u64| bytes > 0 && bytes < limit && bytes.is_multiple_of(8);
        Ok(match kind {
            CollectiveKind::AllReduce if target_bytes < limit => {
                vec![self.push(self.combine()?, target_bytes, false)?]
            }
            CollectiveKind::AllReduce if target_bytes >= ways.two_steps => self.two_steps()?,
            CollectiveKind::AllReduce => vec![self.sum(target, &self.sources, target_bytes)?],
            CollectiveKind::ReduceScatter if is_small(target_bytes) => {
                vec![self.push(self.combine()?, target_bytes, true)?]
            }
            CollectiveKind::ReduceScatter => vec![self.sum(target, &parts_at(target_bytes), target_bytes)?],
            CollectiveKind::AllGather if is_small(source_bytes) => {
                vec![self.push(Work::Gather(VECTOR), source_bytes, false)?]
            }
            CollectiveKind::AllGather => vec![self.gather(target, &self.sources, source_bytes)?],
            CollectiveKind::AllToAll if is_small(part) => vec![self.push(Work::Gather(VECTOR), part, true)?],
            CollectiveKind::AllToAll => vec![self.gather(target, &parts_at(part), part)?],
            CollectiveKind::Broadcast if self.rank == 0 => vec![self.spread()?],
            // Its bytes come while it waits.
            CollectiveKind::Broadcast => vec![self.gather(target, &[], target_bytes)?],
            CollectiveKind::Permute => {
                let sender = self.exchange.sender;
                let sender = sender.and_then(|sender| self.exchange.group.iter().position(|&d| d == sender));
                let from: Vec<u64> = sender.and_then(|at| self.sources.get(at)).copied().into_iter().collect();
                let zeros = RawCommand::Fill { target, bytes: target_bytes, pattern: 0, pattern_bytes: 1 };
                match (ranks, from.is_empty()) {
                    (1, _) => vec![zeros],
                    (_, true) => vec![self.gather(target, &from, target_bytes)?, zeros],
                    (_, false) => vec![self.gather(target, &from, target_bytes)?],
                }
            }
        })
    }

    fn combine(&self) -> HalResult<Work> {
        let by = self.exchange.reducer.ok_or_else(|| HalError::invalid("a sum without a reducer"))?;
        Ok(Work::Combine(self.exchange.element, by))
    }

    /// Sends `bytes` to each of the others.
    fn push(&self, work: Work, bytes: u64, parts: bool) -> HalResult<RawCommand> {
        let words = vec![self.exchange.target, self.exchange.source, bytes];
        self.launch(work, Way::Push { parts }, bytes.div_ceil(BLOCK_BYTES), words)
    }

    /// Writes the source to the targets of all.
    fn spread(&self) -> HalResult<RawCommand> {
        let RawExchange { source, target, target_bytes: bytes, .. } = *self.exchange;
        let others: Vec<u64> = self.targets.iter().skip(1).copied().collect();
        let all = others.iter().chain([&source, &target, &bytes]).fold(VECTOR, |all, address| all | address);
        let width = 1 << all.trailing_zeros();
        let way = Way::Spread { others: others.len() };
        let words = [&[target, bytes, 0, source], others.as_slice()].concat();
        self.launch(Work::Gather(width), way, (bytes / width).div_ceil(THREADS), words)
    }

    /// Combines `bytes` of some buffers.
    fn sum(&self, target: u64, sources: &[u64], bytes: u64) -> HalResult<RawCommand> {
        let aligned = sources.iter().chain([&target]).all(|address| address.is_multiple_of(VECTOR));
        let vectors = if aligned { bytes / VECTOR } else { 0 };
        let units = if aligned { bytes.div_ceil(VECTOR) } else { bytes / self.exchange.element.storage_bytes() as u64 };
        let words = [&[target, bytes, vectors], sources].concat();
        let way = Way::Pull { sources: sources.len(), pieces: 1 };
        self.launch(self.combine()?, way, units.div_ceil(THREADS), words)
    }

    /// Sends ahead, then combines or moves what has come.
    fn ahead(&self, how: &Ahead, slot: usize) -> HalResult<Planned> {
        let RawExchange { kind, target, source_bytes: bytes, .. } = *self.exchange;
        let room_bytes = ahead::staging_bytes(how, self.exchange);
        let staging = self.member.memory(&self.exchange.group, Room::Staging { bytes: room_bytes, slot })?;
        if kind == CollectiveKind::Permute {
            return self.permute_ahead(&staging);
        }
        let (ranks, memory) = (self.sources.len(), (self.sources.as_slice(), staging.as_slice()));
        let part = bytes / ranks as u64;
        let found = match (how, kind) {
            (Ahead::Pieces { writers, last }, CollectiveKind::AllReduce) => {
                ahead::layout(self.rank, memory, (writers.len(), *last), bytes)
            }
            (_, CollectiveKind::ReduceScatter | CollectiveKind::AllToAll) => {
                ahead::whole(self.rank, memory, part, true)
            }
            _ => ahead::whole(self.rank, memory, bytes, false),
        };
        let found = found.ok_or_else(missing)?;
        let (length, sources) = (found.length, found.sources.as_slice());
        let kernel = match (how, kind) {
            (Ahead::Pieces { writers, .. }, CollectiveKind::AllReduce) => {
                let words = [&[target, length, length / VECTOR], sources].concat();
                let way = Way::Pull { sources: sources.len(), pieces: writers.len() };
                self.launch(self.combine()?, way, (length / VECTOR).div_ceil(THREADS), words)?
            }
            (_, kind) if kind.reduces() => self.sum(target, sources, length)?,
            _ => self.gather(target, sources, length)?,
        };
        let copy = |&(source, target): &(u64, u64)| RawCommand::Copy { source, target, bytes: length };
        let copies: Vec<Vec<RawCommand>> = found.copies.iter().map(|piece| piece.iter().map(copy).collect()).collect();
        let commands = vec![reading(kernel, self.rank, &staging, room_bytes)];
        Ok(Planned { copies, turn: found.turn, commands })
    }

    /// Sends the source to the device that gets it; then moves what came.
    fn permute_ahead(&self, staging: &[u64]) -> HalResult<Planned> {
        let RawExchange { source, source_bytes: bytes, target, sender, .. } = *self.exchange;
        let own = self.member.number;
        let receiver = self.exchange.groups.iter().find(|pair| pair.first() == Some(&own)).and_then(|pair| pair.get(1));
        let place = |device: u32| self.exchange.group.iter().position(|&other| other == device);
        let to = receiver.filter(|&&to| to != own).and_then(|&to| staging.get(place(to)?));
        let copies: Vec<Vec<RawCommand>> =
            vec![to.map(|&target| RawCommand::Copy { source, target, bytes }).into_iter().collect()];
        let from = match sender {
            Some(sender) if sender == own => Some(source),
            Some(_) => staging.get(self.rank).copied(),
            None => None,
        };
        let from: Vec<u64> = from.into_iter().collect();
        let mut commands = vec![reading(self.gather(target, &from, bytes)?, self.rank, staging, bytes)];
        if from.is_empty() {
            commands.push(RawCommand::Fill { target, bytes, pattern: 0, pattern_bytes: 1 });
        }
        Ok(Planned { copies, turn: 0, commands })
    }

    /// Puts `bytes` of each buffer one behind the other.
    fn gather(&self, target: u64, sources: &[u64], bytes: u64) -> HalResult<RawCommand> {
        let all = sources.iter().chain([&target, &bytes]).fold(VECTOR, |all, address| all | address);
        let width = 1 << all.trailing_zeros();
        let words = [&[target, bytes, 0], sources].concat();
        let way = Way::Pull { sources: sources.len(), pieces: 1 };
        self.launch(Work::Gather(width), way, (bytes / width).div_ceil(THREADS), words)
    }

    /// A share of the sum, then the shares of the others.
    fn two_steps(&self) -> HalResult<Vec<RawCommand>> {
        let RawExchange { target, target_bytes, .. } = *self.exchange;
        let ranks = self.sources.len() as u64;
        let share = target_bytes / ranks / VECTOR * VECTOR;
        let at = |addresses: &[u64], offset: u64| -> Vec<u64> { addresses.iter().map(|a| a + offset).collect() };
        let own = self.rank as u64 * share;
        let mut commands = vec![self.sum(target + own, &at(&self.sources, own), share)?];
        let shared = ranks * share;
        if shared < target_bytes {
            commands.push(self.sum(target + shared, &at(&self.sources, shared), target_bytes - shared)?);
        }
        let shares: Vec<u64> = (0u64..).zip(&self.targets).map(|(rank, target)| target + rank * share).collect();
        // The own share is copied onto itself.
        commands.push(self.gather(target, &shares, share)?);
        Ok(commands)
    }

    fn launch(&self, work: Work, way: Way, blocks: u64, words: Vec<u64>) -> HalResult<RawCommand> {
        let (exchange, member) = (self.exchange, self.member);
        let most = if matches!(way, Way::Push { .. }) { PUSH_BLOCKS } else { PULL_BLOCKS };
        let kernel = Kernel { work, group: exchange.group.clone(), rank: self.rank, way, early: member.early };
        let (own, sources) = words.split_at(3.min(words.len()));
        let words: Vec<u64> = [own, &member.words(), &self.pads, sources].concat();
        let span = |address, bytes, writes| MemorySpan { address, bytes, writes };
        // A kernel that only lets others read writes no target; in a broadcast the root writes it meanwhile.
        let only_waits = matches!(way, Way::Pull { sources: 0, .. }) && exchange.kind != CollectiveKind::Broadcast;
        let written = if only_waits { 0 } else { exchange.target_bytes };
        let spans = [
            span(exchange.source, exchange.source_bytes, false),
            span(exchange.target, written, true),
            // One collective at a time.
            span(member.state(), 4, true),
        ];
        Ok(RawCommand::Dispatch(RawDispatch {
            kernel: member.kernels.get(&kernel, exchange.kind.name())?,
            grid: [blocks.clamp(1, most) as u32, 1, 1],
            block: [THREADS as u32, 1, 1],
            dynamic_shared_bytes: 0,
            scratch_bytes: 0,
            awaits: member.early,
            bindings: words.len(),
            words: words.into(),
            maps: Box::default(),
            spans: spans.into(),
        }))
    }
}

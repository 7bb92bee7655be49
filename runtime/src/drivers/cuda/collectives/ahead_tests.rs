//! Random lists of kernels and collectives on simulated devices: in whatever order their queues run, all end, and give
//! what the same lists give where nothing is sent ahead and everything runs in the order of the list.
//!
//! A node waits for those that touch the same bytes ([`Order`]), as in a graph. Nodes lie in a few queues, each in an
//! order in which none comes before what it waits for; a queue runs its first node or nothing. A collective comes,
//! waits until all have come, reads, and ends when all have read. Memory holds a number a MiB.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use fornax_module::collective::{CollectiveKind, Reducer};
use fornax_types::ElementType;

use super::ahead::{layout, planned, staging_bytes, whole};
use super::plan::{Planned, reading};
use crate::drivers::cuda::order::{Order, Touched};
use crate::drivers::host_team;
use crate::hal::ahead::Ahead;
use crate::hal::{MemorySpan, RawCollective, RawCommand, RawDispatch, RawExchange};

const UNIT: u64 = 1 << 20;
/// Units of a device's buffers, and where its staging memory begins.
const UNITS: u64 = 48;
const DEVICE: u64 = 1 << 40;
const STAGING: u64 = 1 << 39;
const COMMANDS: usize = 24;

/// Xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }

    /// Some units of a device: where, and bytes.
    fn units(&mut self, most: usize) -> (u64, u64) {
        let count = 1 + self.below(most) as u64;
        (self.below((UNITS - count) as usize) as u64 * UNIT, count * UNIT)
    }
}

fn mixed(all: impl IntoIterator<Item = u64>) -> u64 {
    all.into_iter().fold(0x9E37, |sum, value| (sum ^ value).wrapping_mul(0x100_0000_01B3).rotate_left(29))
}

fn dispatch(number: u64, spans: &[MemorySpan]) -> RawCommand {
    RawCommand::Dispatch(RawDispatch {
        kernel: number,
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared_bytes: 0,
        scratch_bytes: 0,
        awaits: false,
        words: Box::default(),
        bindings: 0,
        maps: Box::default(),
        spans: spans.into(),
    })
}

/// A command of all devices.
#[derive(Clone, Debug)]
enum Command {
    /// Reads and writes.
    Kernel(Vec<(u64, u64, bool)>),
    Collective {
        kind: CollectiveKind,
        source: (u64, u64),
        target: (u64, u64),
    },
}

fn program(random: &mut Random, devices: usize) -> Vec<Command> {
    let mut all = Vec::new();
    while all.len() < COMMANDS {
        if random.below(3) > 0 {
            let reads = (0..random.below(3)).map(|_| random.units(12)).map(|(at, bytes)| (at, bytes, false));
            let mut spans: Vec<_> = reads.collect();
            let (at, bytes) = random.units(8);
            spans.push((at, bytes, true));
            all.push(Command::Kernel(spans));
            continue;
        }
        let kinds = [
            CollectiveKind::AllReduce,
            CollectiveKind::AllGather,
            CollectiveKind::ReduceScatter,
            CollectiveKind::Permute,
            CollectiveKind::AllToAll,
        ];
        let kind = kinds[random.below(kinds.len())];
        let n = devices as u64;
        let length = (1 + random.below(4) as u64) * UNIT * if kind == CollectiveKind::AllReduce { 2 } else { 1 };
        let (source, target) = match kind {
            CollectiveKind::AllGather => (length, n * length),
            CollectiveKind::ReduceScatter => (n * length, length),
            CollectiveKind::AllToAll => (n * length, n * length),
            _ => (length, length),
        };
        let at = |random: &mut Random, bytes: u64| random.below((UNITS - bytes / UNIT) as usize) as u64 * UNIT;
        let (from, to) = (at(random, source), at(random, target));
        if from < to + target && to < from + source {
            continue;
        }
        // As `decompose/cut_collectives` makes them: a kernel a piece.
        if kind.reduces() && random.below(2) == 0 {
            let pieces = if kind == CollectiveKind::AllReduce { 2 } else { n };
            let piece = source / pieces;
            all.extend((0..pieces).map(|number| Command::Kernel(vec![(from + number * piece, piece, true)])));
            if random.below(2) == 0 {
                all.push(Command::Kernel(vec![(to, target, true)]));
            }
        }
        all.push(Command::Collective { kind, source: (from, source), target: (to, target) });
    }
    all
}

/// What the kernel of a collective does.
#[derive(Clone, Debug)]
struct Exchange {
    kind: CollectiveKind,
    sources: Vec<u64>,
    /// Bytes of each.
    length: u64,
    target: u64,
    devices: usize,
}

impl Exchange {
    /// Pairs of address and value.
    fn work(&self, memory: &HashMap<u64, u64>) -> Vec<(u64, u64)> {
        let read = |at: u64| memory.get(&at).copied().unwrap_or(at);
        let mut written = Vec::new();
        for unit in (0..self.length).step_by(UNIT as usize) {
            if self.kind.reduces() {
                for (piece, group) in (0u64..).zip(self.sources.chunks(self.devices)) {
                    let sum = mixed(group.iter().map(|at| read(at + unit)));
                    written.push((self.target + piece * self.length + unit, sum));
                }
            } else {
                let placed = (0u64..).zip(&self.sources);
                written.extend(placed.map(|(at, from)| (self.target + at * self.length + unit, read(from + unit))));
            }
        }
        written
    }
}

/// What one device does: nodes, and the exchanges of its collectives.
struct Device {
    nodes: Vec<RawCommand>,
    exchanges: Vec<Exchange>,
}

/// Kernels of collectives have numbers from this one on.
const COLLECTIVES: u64 = 1 << 32;

impl Device {
    fn of(rank: usize, program: &[Command], places: &[Arc<dyn RawCollective>], is_ahead: bool) -> Device {
        let devices = places.len();
        let base = rank as u64 * DEVICE;
        let command = |(number, command): (usize, &Command)| match command {
            Command::Kernel(spans) => {
                let span = |&(at, bytes, writes): &(u64, u64, bool)| MemorySpan { address: base + at, bytes, writes };
                dispatch(number as u64, &spans.iter().map(span).collect::<Vec<_>>())
            }
            Command::Collective { kind, source, target } => RawCommand::Collective(Box::new(RawExchange {
                with: places[rank].clone(),
                kind: *kind,
                reducer: kind.reduces().then_some(Reducer::Add),
                element: ElementType::F32,
                group: (0..devices as u32).collect(),
                groups: Arc::new([(0..devices as u32).collect()]),
                sender: None,
                source: base + source.0,
                source_bytes: source.1,
                target: base + target.0,
                target_bytes: target.1,
            })),
        };
        let commands: Vec<RawCommand> = program.iter().enumerate().map(command).collect();
        let mut exchanges = Vec::new();
        let mut staged: HashMap<(u64, usize), u64> = HashMap::new();
        let mut used = 0;
        let nodes = planned(&commands, &mut |exchange, how| {
            let how = how.filter(|_| is_ahead);
            let staging = how.map(|(how, slot)| {
                let bytes = staging_bytes(how, exchange);
                let at = *staged.entry((bytes, slot)).or_insert_with(|| {
                    used += bytes;
                    used - bytes
                });
                (0..devices as u64).map(|device| device * DEVICE + STAGING + at).collect::<Vec<u64>>()
            });
            let plan = plan(rank, exchange, how.map(|(how, _)| how), (devices, staging));
            let (exchange, planned) = plan(exchanges.len() as u64);
            exchanges.push(exchange);
            Ok(planned)
        });
        Device { nodes: nodes.unwrap(), exchanges }
    }

    /// For each node those that it waits for.
    fn waits(&self, random: &mut Random) -> Vec<Vec<usize>> {
        let mut order = Order::default();
        let touched = |command: &RawCommand| match *command {
            RawCommand::Copy { source, target, bytes } => {
                let span = |address, writes| MemorySpan { address, bytes, writes };
                vec![span(source, false), span(target, true)]
            }
            RawCommand::Dispatch(ref dispatch) => dispatch.spans.to_vec(),
            ref other => panic!("{other:?}"),
        };
        let mut add = |command| order.add(Touched::Spans { spans: touched(command), fills: random.below(4) == 0 });
        self.nodes.iter().map(&mut add).collect()
    }
}

/// What a device does for a collective, as `plan::plan` makes it, by the number of its exchange.
fn plan(
    rank: usize,
    exchange: &RawExchange,
    how: Option<&Ahead>,
    (devices, staging): (usize, Option<Vec<u64>>),
) -> impl FnOnce(u64) -> (Exchange, Planned) {
    let RawExchange { kind, source, source_bytes: bytes, target, target_bytes, .. } = *exchange;
    let sources: Vec<u64> = (0..devices as u64).map(|device| device * DEVICE + source % DEVICE).collect();
    let parts = matches!(kind, CollectiveKind::ReduceScatter | CollectiveKind::AllToAll);
    let length = if parts { bytes / devices as u64 } else { bytes };
    let next = (rank + 1) % devices;
    let (staging, room) = (staging.unwrap_or_default(), how.map_or(0, |how| staging_bytes(how, exchange)));
    let memory = (sources.as_slice(), staging.as_slice());
    let found = match (how, kind) {
        (_, CollectiveKind::Permute) => None,
        (Some(Ahead::Pieces { writers, last }), CollectiveKind::AllReduce) => {
            layout(rank, memory, (writers.len(), *last), bytes)
        }
        (Some(_), _) => whole(rank, memory, length, parts),
        (None, _) => None,
    };
    let mut copies = found.as_ref().map_or(Vec::new(), |found| found.copies.clone());
    let own = |at: &u64| at + if parts { rank as u64 * length } else { 0 };
    let mut from: Vec<u64> = sources.iter().map(own).collect();
    if kind == CollectiveKind::Permute {
        from = vec![sources[(rank + devices - 1) % devices]];
        if how.is_some() {
            copies = vec![vec![(source, staging[next])]];
            from = vec![staging[rank]];
        }
    }
    let (turn, length) = found.as_ref().map_or((0, length), |found| (found.turn, found.length));
    let from = found.map_or(from, |found| found.sources);
    let done = Exchange { kind, sources: from, length, target, devices };
    let copy = move |&(source, target): &(u64, u64)| RawCommand::Copy { source, target, bytes: length };
    let copies: Vec<Vec<RawCommand>> = copies.iter().map(|piece| piece.iter().map(copy).collect()).collect();
    move |number| {
        let span = |address, bytes, writes| MemorySpan { address, bytes, writes };
        // One collective at a time.
        let state = rank as u64 * DEVICE + DEVICE - 1;
        let spans = [span(source, bytes, false), span(target, target_bytes, true), span(state, 1, true)];
        let commands = vec![reading(dispatch(COLLECTIVES + number, &spans), rank, &staging, room)];
        (done, Planned { copies, turn, commands })
    }
}

/// A kernel or a copy.
fn work(node: &RawCommand, memory: &mut HashMap<u64, u64>) {
    let read = |memory: &HashMap<u64, u64>, at: u64| memory.get(&at).copied().unwrap_or(at);
    let units = |bytes: u64| (0..bytes).step_by(UNIT as usize);
    match node {
        RawCommand::Copy { source, target, bytes } => units(*bytes).for_each(|unit| {
            let value = read(memory, source + unit);
            memory.insert(target + unit, value);
        }),
        RawCommand::Dispatch(kernel) => {
            let reads = kernel.spans.iter().filter(|span| !span.writes && span.address % UNIT == 0);
            let own = reads.flat_map(|span| units(span.bytes).map(|unit| span.address + unit));
            // Spans that only make it wait are behind what it writes.
            let before = kernel.spans.iter().take_while(|span| !span.writes).map(|span| span.bytes / UNIT).sum::<u64>();
            let own: Vec<u64> = own.take(before as usize).map(|at| read(memory, at)).collect();
            let value = mixed(own.into_iter().chain([kernel.kernel]));
            for span in kernel.spans.iter().filter(|span| span.writes) {
                units(span.bytes).for_each(|unit| _ = memory.insert(span.address + unit, mixed([value, unit])));
            }
        }
        other => panic!("{other:?}"),
    }
}

/// The buffers of all devices after the lists ran in their order, one collective after the other.
fn in_order(devices: &[Device]) -> HashMap<u64, u64> {
    let (mut memory, mut at) = (HashMap::new(), vec![0; devices.len()]);
    loop {
        let mut met = Vec::new();
        for (device, at) in devices.iter().zip(&mut at) {
            while let Some(node) = device.nodes.get(*at) {
                *at += 1;
                match node {
                    RawCommand::Dispatch(kernel) if kernel.kernel >= COLLECTIVES => {
                        met.push(device.exchanges[(kernel.kernel - COLLECTIVES) as usize].clone());
                        break;
                    }
                    node => work(node, &mut memory),
                }
            }
        }
        if met.is_empty() {
            return memory;
        }
        let written: Vec<(u64, u64)> = met.iter().flat_map(|exchange| exchange.work(&memory)).collect();
        memory.extend(written);
    }
}

/// The same in an order that chance makes.
fn in_any_order(devices: &[Device], random: &mut Random) -> HashMap<u64, u64> {
    let queues = 1 + random.below(4);
    let waits: Vec<Vec<Vec<usize>>> = devices.iter().map(|device| device.waits(random)).collect();
    let mut left: Vec<Vec<Vec<usize>>> = waits.iter().map(|waits| queued(waits, queues, random)).collect();
    let mut done: Vec<Vec<bool>> = devices.iter().map(|device| vec![false; device.nodes.len()]).collect();
    let mut memory = HashMap::new();
    // By collective, the devices that have come, and that have read.
    let mut met: HashMap<u64, [usize; 2]> = HashMap::new();
    let mut steps: HashMap<(usize, usize), usize> = HashMap::new();
    while left.iter().flatten().any(|queue| !queue.is_empty()) {
        let mut ready = Vec::new();
        for (rank, queues) in left.iter().enumerate() {
            for (queue, nodes) in queues.iter().enumerate() {
                let Some(&node) = nodes.first() else { continue };
                let step = steps.get(&(rank, node)).copied().unwrap_or(0);
                let is_free = waits[rank][node].iter().all(|&other| done[rank][other]);
                let goes_on = match (&devices[rank].nodes[node], step) {
                    (RawCommand::Dispatch(kernel), 1..) => {
                        met.get(&kernel.kernel).is_some_and(|met| met[step - 1] == devices.len())
                    }
                    _ => is_free,
                };
                if goes_on {
                    ready.push((rank, queue, node, step));
                }
            }
        }
        assert!(!ready.is_empty(), "all wait: {left:?}");
        let (rank, queue, node, step) = ready[random.below(ready.len())];
        let command = &devices[rank].nodes[node];
        let mut is_over = true;
        match command {
            RawCommand::Dispatch(kernel) if kernel.kernel >= COLLECTIVES => {
                if step == 1 {
                    let exchange = &devices[rank].exchanges[(kernel.kernel - COLLECTIVES) as usize];
                    let written = exchange.work(&memory);
                    memory.extend(written);
                }
                if step < 2 {
                    met.entry(kernel.kernel).or_default()[step] += 1;
                }
                is_over = step == 2;
                steps.insert((rank, node), step + 1);
            }
            other => work(other, &mut memory),
        }
        if is_over {
            left[rank][queue].remove(0);
            done[rank][node] = true;
        }
    }
    memory
}

/// Nodes in queues, in an order in which each comes behind what it waits for.
fn queued(waits: &[Vec<usize>], queues: usize, random: &mut Random) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); queues];
    let (mut placed, mut left) = (vec![false; waits.len()], (0..waits.len()).collect::<Vec<_>>());
    while !left.is_empty() {
        let free: Vec<usize> =
            left.iter().copied().filter(|&node| waits[node].iter().all(|&other| placed[other])).collect();
        let node = free[random.below(free.len())];
        placed[node] = true;
        left.retain(|&other| other != node);
        all[random.below(queues)].push(node);
    }
    all
}

#[test]
fn whatever_order_queues_keep_all_end_and_give_the_same() {
    let mut random = Random(0x5EED);
    let mut sent = 0;
    for round in 0..1000 {
        let count = [2, 2, 3, 4][round % 4];
        let places = host_team::join(count as u32, Duration::from_secs(1));
        let program = program(&mut random, count);
        let device = |rank, is_ahead| Device::of(rank, &program, &places, is_ahead);
        let plain: Vec<Device> = (0..count).map(|rank| device(rank, false)).collect();
        let ahead: Vec<Device> = (0..count).map(|rank| device(rank, true)).collect();
        let copies = |node: &&RawCommand| matches!(node, RawCommand::Copy { .. });
        sent += ahead[0].nodes.iter().filter(copies).count();
        let own = |memory: HashMap<u64, u64>| -> Vec<(u64, u64)> {
            let mut all: Vec<_> = memory.into_iter().filter(|(at, _)| at % DEVICE < UNITS * UNIT).collect();
            all.sort_unstable();
            all
        };
        let wanted = own(in_order(&plain));
        assert!(own(in_order(&ahead)) == wanted, "round {round}: {program:?}");
        for _ in 0..3 {
            assert!(own(in_any_order(&ahead, &mut random)) == wanted, "round {round}: {program:?}");
        }
    }
    assert!(sent > 1000, "{sent}");
}

//! Running a launch: clusters one after another (or together, where they wait for each other), warps in random order.
//!
//! Input: a [`Program`], a launch, its buffers. Output: the report; the buffers changed. A warp runs until it waits or
//! its turn ends; turns, the next warp and the moment when a bulk copy arrives are drawn from the seed. When no warp
//! can go on and no copy is under way, the launch is deadlocked.
//!
//! Limits: a cluster's workgroups run together; other clusters join only when one seems to wait for them (stream-K).

mod access;
mod bulk;
mod control;
mod sync;
mod tensor;
mod warp;

use std::collections::HashMap;

use crate::errors::{EmulateError, Fault, Result};
use crate::global::{Global, Thread, base};
use crate::inst::Slot;
use crate::lanes::Lanes;
use crate::launch::{Buffer, Launch, Report, Site};
use crate::lower::{Parameter, Program};
use crate::shared::{Raw, Shared, Who};
use sync::{Barriers, Mbarrier};
use warp::{Status, Warp};

/// Address that shared memory begins at: not 0, so that a null pointer is none.
pub const SHARED_BASE: u32 = 1024;
/// A generic address of shared memory.
pub const SHARED_TAG: u64 = 1 << 62;
/// A tensor map's address.
pub const MAP_TAG: u64 = 1 << 61;
/// Most mbarriers of a cluster.
const MBARRIERS: usize = 512;
/// Operations after which another cluster joins.
const PATIENCE: u64 = 30_000_000;
/// Looks at what another workgroup may write meanwhile after which another cluster joins: it may be the one that does.
const LOOKS: u64 = 64;
const DEFAULT_STEPS: u64 = 1_000_000_000;

/// Bytes for shared memory, in pieces.
#[derive(Clone, Debug, Default)]
struct Delivery {
    /// Shared byte and length; their bytes follow each other.
    pieces: Vec<(u32, u32)>,
    bytes: Vec<u8>,
}

impl Delivery {
    fn push(&mut self, at: u32, bytes: &[u8]) {
        self.pieces.push((at, bytes.len() as u32));
        self.bytes.extend_from_slice(bytes);
    }
}

/// A copy that arrives some time later.
#[derive(Debug)]
struct InFlight {
    rank: usize,
    barrier: u32,
    delivery: Delivery,
}

#[derive(Debug)]
pub struct Workgroup {
    shared: Shared,
    barriers: Barriers,
    /// It has looked at an atomic or an ordered load.
    acquired: bool,
    /// Registers a thread has given up or taken, by warpgroup.
    running: usize,
}

/// Workgroups that run together.
#[derive(Debug)]
struct Cluster {
    first: u64,
    workgroups: Vec<Workgroup>,
    warps: Vec<Warp>,
    mbarriers: HashMap<(usize, u32), Mbarrier>,
    in_flight: Vec<InFlight>,
    meeting: sync::Meeting,
    agents: usize,
    steps: u64,
}

pub struct Machine<'p, 'b> {
    program: &'p Program,
    launch: &'p Launch,
    global: Global<'b>,
    /// Ordered loads since a cluster joined.
    looks: u64,
    random: u64,
    counts: Vec<u64>,
    sites: Vec<Site>,
    steps: u64,
    size: Sizes,
}

/// Sizes of the launch.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    threads: u32,
    warps: usize,
    cluster: usize,
    shared: u32,
    workgroups: u64,
}

/// Runs a launch.
pub fn run(program: &Program, launch: &Launch, buffers: &mut [Buffer]) -> Result<Report> {
    let size = sizes(program, launch)?;
    let values = arguments(program, launch, buffers)?;
    let mut machine = Machine {
        program,
        launch,
        global: Global::new(buffers),
        looks: 0,
        random: launch.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D,
        counts: vec![0; program.insts.len()],
        sites: vec![Site::default(); program.insts.len()],
        steps: 0,
        size,
    };
    machine.all(&values)?;
    machine.report()
}

fn sizes(program: &Program, launch: &Launch) -> Result<Sizes> {
    let fail = |why: String| Err(EmulateError::Launch(why));
    let threads = match (launch.threads, program.threads) {
        (0, Some(threads)) => threads,
        (given, Some(threads)) if given != threads => {
            return fail(format!("{given} threads where the kernel is made for {threads}"));
        }
        (0, None) => return fail("how many threads a workgroup has is not said".into()),
        (given, _) => given,
    };
    let cluster = match (launch.cluster, program.cluster) {
        (0, cluster) => cluster.unwrap_or(1),
        (given, Some(cluster)) if given != cluster => {
            return fail(format!("clusters of {given} where the kernel is made for {cluster}"));
        }
        (given, _) => given,
    };
    let workgroups: u64 = launch.grid.iter().product();
    if threads > 1024 || !(1..=16).contains(&cluster) || !workgroups.is_multiple_of(u64::from(cluster)) {
        return fail(format!("{workgroups} workgroups of {threads} threads in clusters of {cluster}"));
    }
    let shared = (program.dynamic_start + launch.dynamic_shared_bytes).max(program.static_shared);
    if shared > 232_448 {
        return fail(format!("{shared} bytes of shared memory"));
    }
    let warps = threads.div_ceil(32) as usize;
    Ok(Sizes { threads, warps, cluster: cluster as usize, shared, workgroups })
}

/// Values of the parameters, with their slots.
fn arguments(program: &Program, launch: &Launch, buffers: &[Buffer]) -> Result<Vec<(Slot, u64)>> {
    let (mut buffer, mut map, mut scalar) = (0usize, 0usize, 0usize);
    let mut values = Vec::new();
    for &(slot, parameter) in &program.parameters {
        let value = match parameter {
            Parameter::Buffer { .. } => {
                buffer += 1;
                base(buffer - 1)
            }
            Parameter::Map => {
                map += 1;
                MAP_TAG | (map as u64 - 1) << 8
            }
            Parameter::Scalar(ty) => {
                scalar += 1;
                let bits = launch.scalars.get(scalar - 1).copied();
                bits.ok_or_else(|| EmulateError::Launch(format!("no value for number {}", scalar - 1)))? & ty.mask()
            }
        };
        values.push((slot, value));
    }
    // Bindings that only tensor maps look at may follow or be absent.
    if buffer > buffers.len() || map != launch.tensor_maps.len() || scalar != launch.scalars.len() {
        return Err(EmulateError::Launch(format!(
            "{} buffers, {} maps and {} numbers for {buffer}, {map} and {scalar} parameters",
            buffers.len(),
            launch.tensor_maps.len(),
            launch.scalars.len()
        )));
    }
    launch.tensor_maps.iter().try_for_each(|map| map.check(buffers))?;
    Ok(values)
}

impl Cluster {
    fn new(program: &Program, size: &Sizes, first: u64, values: &[(Slot, u64)]) -> Cluster {
        let all = size.warps * size.cluster;
        let workgroup = || Workgroup {
            shared: Shared::new(size.shared, program.granule, all),
            barriers: Barriers::new(all + MBARRIERS),
            acquired: false,
            running: size.warps,
        };
        let mut warps = Vec::new();
        for rank in 0..size.cluster {
            for at in 0..size.warps {
                let left = size.threads - 32 * at as u32;
                let lanes = if left >= 32 { u32::MAX } else { (1 << left) - 1 };
                let mut warp = Warp::new(program, rank, at, rank * size.warps + at, lanes, all + MBARRIERS);
                for &(slot, value) in values {
                    warp.registers[slot as usize] = [value; 32];
                }
                warps.push(warp);
            }
        }
        Cluster {
            first,
            workgroups: (0..size.cluster).map(|_| workgroup()).collect(),
            warps,
            mbarriers: HashMap::new(),
            in_flight: Vec::new(),
            meeting: sync::Meeting::new(all + MBARRIERS),
            agents: all,
            steps: 0,
        }
    }

    fn done(&self) -> bool {
        self.warps.iter().all(|w| w.status == Status::Done) && self.in_flight.is_empty()
    }
}

impl Machine<'_, '_> {
    /// The next random number below `n`.
    fn draw(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((self.random >> 33) as usize) % n.max(1)
    }

    fn all(&mut self, values: &[(Slot, u64)]) -> Result<()> {
        let clusters = self.size.workgroups / self.size.cluster as u64;
        let mut resident: Vec<Cluster> = Vec::new();
        let mut next = 0;
        let mut patience = PATIENCE;
        while next < clusters || !resident.is_empty() {
            let waits = self.steps > patience || self.looks > LOOKS;
            if resident.is_empty() || (waits && next < clusters) {
                // From the last to the first for odd seeds: no kernel may count on an order.
                let number = if self.launch.seed % 2 == 1 { clusters - 1 - next } else { next };
                let first = number * self.size.cluster as u64;
                resident.push(Cluster::new(self.program, &self.size, first, values));
                next += 1;
                patience = self.steps + PATIENCE;
                self.looks = 0;
            }
            let at = self.draw(resident.len());
            let moved = self.turn(&mut resident[at])?;
            if resident[at].done() {
                resident.swap_remove(at);
                patience = self.steps + PATIENCE;
            } else if !moved && resident.len() == 1 {
                return Err(self.deadlock(&resident[at]));
            }
        }
        Ok(())
    }

    /// Lets a random warp of the cluster run, or a copy arrive; whether anything happened.
    fn turn(&mut self, cluster: &mut Cluster) -> Result<bool> {
        let warps = cluster.warps.len();
        let copies = cluster.in_flight.len();
        let start = self.draw(warps + copies);
        if start >= warps {
            self.arrive(cluster, start - warps)?;
            return Ok(true);
        }
        for step in 0..warps {
            let at = (start + step) % warps;
            if cluster.warps[at].status == Status::Done || !self.may_go_on(cluster, at) {
                continue;
            }
            let turn = 1 << self.draw(12);
            let before = self.steps;
            self.run_warp(cluster, at, turn)?;
            if self.steps > before {
                return Ok(true);
            }
        }
        if copies > 0 {
            let at = self.draw(copies);
            self.arrive(cluster, at)?;
            return Ok(true);
        }
        Ok(false)
    }

    fn deadlock(&self, cluster: &Cluster) -> EmulateError {
        let mut waits: Vec<String> = Vec::new();
        for warp in cluster.warps.iter().filter(|w| w.status != Status::Done) {
            let line = self.program.insts.get(warp.pc).map_or(0, |i| i.line);
            let line = match warp.status {
                Status::Ready | Status::AtMbarrier { .. } => line,
                _ => self.program.insts.get(warp.pc.saturating_sub(1)).map_or(0, |i| i.line),
            };
            let text = self.program.lines.get(line.saturating_sub(1) as usize).map_or("", String::as_str);
            let short: String = text.chars().take(60).collect();
            waits.push(format!(
                "warp {} of workgroup {} at line {line} ({short})",
                warp.at,
                cluster.first + warp.rank as u64
            ));
        }
        let mut bars: Vec<String> = cluster
            .mbarriers
            .iter()
            .map(|((rank, at), m)| format!("{rank}:{at} parity {} pending {} bytes {}", m.parity, m.pending, m.bytes))
            .collect();
        bars.sort();
        let what = format!("everything waits: {}; mbarriers: {}", waits.join(", "), bars.join(", "));
        EmulateError::Result { fault: Fault::Deadlock, what }
    }

    fn fault(&self, cluster: &Cluster, warp: &Warp, (fault, what): Raw) -> EmulateError {
        let line = self.program.insts.get(warp.pc).map_or(0, |i| i.line);
        let text = self.program.lines.get(line.saturating_sub(1) as usize).cloned().unwrap_or_default();
        let place = format!("warp {} lanes {:#x}", warp.at, warp.mask);
        EmulateError::Fault { fault, what, line, text, workgroup: cluster.first + warp.rank as u64, place }
    }

    fn report(mut self) -> Result<Report> {
        if let Some((buffer, bytes, first)) = self.global.unwritten() {
            return Err(EmulateError::Result {
                fault: Fault::NotWritten,
                what: format!("{bytes} bytes of buffer {buffer} were never written, the first at byte {first}"),
            });
        }
        let mut report = Report {
            traffic: std::mem::take(&mut self.global.traffic),
            steps: self.steps,
            shared_bytes: self.size.shared,
            ..Report::default()
        };
        for (inst, &count) in self.program.insts.iter().zip(&self.counts) {
            let name = self.program.kinds.get(inst.kind as usize).cloned().unwrap_or_default();
            *report.counts.entry(name).or_insert(0) += count;
        }
        report.sites = self.sites.iter().filter(|s| s.accesses > 0).copied().collect();
        Ok(report)
    }
}

/// Who a lane of a warp is.
fn who(warp: &Warp, lane: u8) -> Who<'_> {
    Who {
        warp: warp.number,
        lane,
        clock: warp.clock,
        lane_sync: warp.lane_sync,
        seen: &warp.seen,
        proxied: &warp.proxied,
    }
}

/// Who a lane is to global memory.
fn thread<'w>(cluster: &Cluster, warp: &'w Warp, lane: u8) -> Thread<'w> {
    Thread {
        workgroup: cluster.first + warp.rank as u64,
        cluster: (cluster.first, cluster.workgroups.len() as u64),
        acquired: cluster.workgroups[warp.rank].acquired,
        who: who(warp, lane),
    }
}

/// Lanes whose bit is set.
fn active(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// The value that all active lanes hold.
fn uniform(lanes: &Lanes, mask: u32) -> Option<u64> {
    let first = lanes[mask.trailing_zeros().min(31) as usize];
    active(mask).all(|lane| lanes[lane] == first).then_some(first)
}

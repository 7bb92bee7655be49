//! Barriers of a workgroup and a cluster, and mbarriers: who waits for whom, and what that orders.

use super::warp::{Status, Warp};
use super::{Cluster, MBARRIERS, Machine, SHARED_BASE, active, uniform};
use crate::errors::Fault;
use crate::inst::{Count, Slot, Space};
use crate::shared::{Check, Raw};

/// Clocks that a meeting joins.
#[derive(Debug)]
pub struct Clocks {
    pub seen: Vec<u32>,
    pub proxied: Vec<u32>,
}

fn raise(to: &mut [u32], from: &[u32]) {
    to.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
}

impl Clocks {
    pub fn new(agents: usize) -> Clocks {
        Clocks { seen: vec![0; agents], proxied: vec![0; agents] }
    }

    fn take(&mut self, warp: &Warp) {
        raise(&mut self.seen, &warp.seen);
        raise(&mut self.proxied, &warp.proxied);
    }

    /// Becomes the other, in the memory that there is.
    fn copy_from(&mut self, other: &Clocks) {
        self.seen.copy_from_slice(&other.seen);
        self.proxied.copy_from_slice(&other.proxied);
    }

    pub fn give(&self, warp: &mut Warp) {
        raise(&mut warp.seen, &self.seen);
        raise(&mut warp.proxied, &self.proxied);
    }
}

/// One barrier: threads that came, whom they bring.
#[derive(Debug)]
pub struct Meeting {
    pub arrived: u32,
    pub expected: u32,
    pub generation: u64,
    gathering: Clocks,
    released: Clocks,
}

impl Meeting {
    pub fn new(agents: usize) -> Meeting {
        Meeting {
            arrived: 0,
            expected: 0,
            generation: 0,
            gathering: Clocks::new(agents),
            released: Clocks::new(agents),
        }
    }

    /// A warp comes; whether the meeting is complete.
    fn come(&mut self, warp: &mut Warp, threads: u32) -> bool {
        self.gathering.take(warp);
        warp.tick();
        self.arrived += threads;
        if self.arrived < self.expected {
            return false;
        }
        self.released.copy_from(&self.gathering);
        self.arrived = 0;
        self.generation += 1;
        true
    }
}

/// The barriers of a workgroup, up to the highest that was used.
#[derive(Debug)]
pub struct Barriers {
    all: Vec<Meeting>,
    agents: usize,
}

impl Barriers {
    pub fn new(agents: usize) -> Barriers {
        Barriers { all: Vec::new(), agents }
    }

    fn at(&mut self, id: u32) -> &mut Meeting {
        while self.all.len() <= id as usize {
            self.all.push(Meeting::new(self.agents));
        }
        &mut self.all[id as usize]
    }
}

/// A barrier in shared memory.
#[derive(Debug)]
pub struct Mbarrier {
    pub count: u32,
    pub pending: u32,
    /// Bytes announced and not yet there.
    pub bytes: i64,
    pub parity: u32,
    gathering: Clocks,
    released: Clocks,
    /// Its number among those who write shared memory.
    pub agent: usize,
    pub clock: u32,
    /// Warp that initialised it, and when.
    by: (usize, u32),
    /// A fence has made it visible to copies and other workgroups.
    pub fenced: bool,
}

impl Mbarrier {
    /// Turns if everything has arrived.
    pub fn settle(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.parity ^= 1;
            self.pending = self.count;
            self.released.copy_from(&self.gathering);
        }
    }

    /// Bytes of a copy have arrived; the clock of their writing.
    pub fn delivered(&mut self, bytes: i64) -> u32 {
        self.clock += 1;
        self.gathering.seen[self.agent] = self.clock;
        self.bytes -= bytes;
        self.settle();
        self.clock
    }
}

fn barrier_fault(what: impl Into<String>) -> Raw {
    (Fault::Barrier, what.into())
}

/// Workgroup rank and offset of a shared address.
pub fn locate(warp: &Warp, space: Space, address: u64) -> Check<(usize, u32)> {
    let address = address as u32;
    let (rank, low) = ((address >> 24) as usize, address & 0xFF_FFFF);
    if space != Space::Cluster && rank != warp.rank {
        let what = format!(
            "shared address {address:#x} is of workgroup {rank} of the cluster, not of this one, {}",
            warp.rank
        );
        return Err((Fault::OutOfBounds, what));
    }
    let offset = low.checked_sub(SHARED_BASE).ok_or_else(|| {
        (
            Fault::OutOfBounds,
            format!("shared address {address:#x} lies before the start of shared memory, {SHARED_BASE}"),
        )
    })?;
    Ok((rank, offset))
}

impl Machine<'_, '_> {
    fn count(&self, warp: &Warp, count: Count) -> Check<u32> {
        match count {
            Count::Fixed(n) => Ok(n),
            Count::In(slot) => uniform(warp.lanes_of(slot), warp.mask)
                .map(|n| n as u32)
                .ok_or_else(|| barrier_fault("a barrier's number or count differs between lanes")),
        }
    }

    /// A barrier of the workgroup; whether the warp must wait.
    pub(super) fn barrier(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        (id, threads, wait): (Count, Option<Count>, bool),
    ) -> Check<bool> {
        if warp.mask != warp.lanes {
            return Err(barrier_fault(format!("only lanes {:#x} of {:#x} reach the barrier", warp.mask, warp.lanes)));
        }
        let id = self.count(warp, id)?;
        let all = self.size.warps as u32 * 32;
        let expected = match threads {
            Some(count) => self.count(warp, count)?,
            None => all,
        };
        if id > 15 || expected == 0 || expected % 32 != 0 || expected > all {
            return Err(barrier_fault(format!("barrier {id} for {expected} threads of {all}")));
        }
        let workgroup = &mut cluster.workgroups[warp.rank];
        if threads.is_none() && workgroup.running < self.size.warps {
            return Err(barrier_fault("a barrier for all threads, of which some have left the kernel"));
        }
        let meeting = workgroup.barriers.at(id);
        if meeting.arrived > 0 && meeting.expected != expected {
            let before = meeting.expected;
            return Err(barrier_fault(format!(
                "barrier {id} for {expected} threads, while others meet there for {before}"
            )));
        }
        meeting.expected = expected;
        let generation = meeting.generation;
        let complete = meeting.come(warp, 32);
        if wait && complete {
            meeting.released.give(warp);
            warp.lane_sync = warp.clock;
        } else if wait {
            warp.status = Status::AtBarrier { id, generation };
        } else {
            warp.lane_sync = warp.clock;
        }
        Ok(wait && !complete)
    }

    /// Whether a warp that waited may go on; it then knows what those it met know.
    pub(super) fn may_go_on(&mut self, cluster: &mut Cluster, at: usize) -> bool {
        let Cluster { warps, workgroups, meeting, mbarriers, .. } = cluster;
        let warp = &mut warps[at];
        let (meeting, generation) = match warp.status {
            Status::Ready => return true,
            Status::Done => return false,
            Status::AtMbarrier { at, parity } => {
                return mbarriers.get(&(warp.rank, at)).is_none_or(|m| m.parity != parity);
            }
            Status::AtBarrier { id, generation } => (&workgroups[warp.rank].barriers.all[id as usize], generation),
            Status::AtCluster { generation } => (&*meeting, generation),
        };
        if meeting.generation == generation {
            return false;
        }
        meeting.released.give(warp);
        warp.lane_sync = warp.clock;
        warp.status = Status::Ready;
        true
    }

    pub(super) fn cluster_arrive(&mut self, cluster: &mut Cluster, warp: &mut Warp) -> Check<()> {
        if warp.mask != warp.lanes {
            return Err(barrier_fault("not all lanes of the warp arrive at the cluster's barrier"));
        }
        if warp.cluster_generation.is_some() {
            return Err(barrier_fault("a second arrival at the cluster's barrier without a wait"));
        }
        cluster.meeting.expected = 32 * cluster.warps.len() as u32;
        warp.cluster_generation = Some(cluster.meeting.generation);
        cluster.meeting.come(warp, 32);
        Ok(())
    }

    /// Whether the warp must wait.
    pub(super) fn cluster_wait(&mut self, cluster: &mut Cluster, warp: &mut Warp) -> Check<bool> {
        let Some(generation) = warp.cluster_generation.take() else {
            return Err(barrier_fault("a wait at the cluster's barrier without an arrival"));
        };
        if cluster.meeting.generation > generation {
            cluster.meeting.released.give(warp);
            warp.lane_sync = warp.clock;
            return Ok(false);
        }
        warp.status = Status::AtCluster { generation };
        Ok(true)
    }

    fn mbarrier_address(&self, warp: &Warp, slot: Slot, lane: usize, space: Space) -> Check<(usize, u32)> {
        let (rank, at) = locate(warp, space, warp.lanes_of(slot)[lane])?;
        if at % 8 != 0 {
            return Err((Fault::Misaligned, format!("an mbarrier at shared byte {at}")));
        }
        Ok((rank, at))
    }

    pub(super) fn mbarrier_init(&mut self, cluster: &mut Cluster, warp: &mut Warp, at: Slot, count: Slot) -> Check<()> {
        for lane in active(warp.mask) {
            let (rank, place) = self.mbarrier_address(warp, at, lane, Space::Shared)?;
            let count = warp.lanes_of(count)[lane] as u32;
            if count == 0 || count >= 1 << 20 {
                return Err(barrier_fault(format!("an mbarrier for {count} arrivals")));
            }
            let known = cluster.mbarriers.get(&(rank, place)).map(|m| (m.agent, m.clock));
            if known.is_none() {
                cluster.agents += 1;
            }
            let (agent, clock) = known.unwrap_or((cluster.agents - 1, 0));
            let agents = warp.seen.len();
            if agent >= agents {
                return Err(barrier_fault(format!("more than {MBARRIERS} mbarriers")));
            }
            let workgroup = &mut cluster.workgroups[rank];
            workgroup.shared.barrier(place, false)?;
            workgroup.shared.write(place, &u64::from(count).to_le_bytes(), &super::who(warp, lane as u8))?;
            workgroup.shared.barrier(place, true)?;
            let made = Mbarrier {
                count,
                pending: count,
                bytes: 0,
                parity: 0,
                gathering: Clocks::new(agents),
                released: Clocks::new(agents),
                agent,
                clock,
                by: (warp.number, warp.clock),
                fenced: false,
            };
            cluster.mbarriers.insert((rank, place), made);
        }
        Ok(())
    }

    pub(super) fn mbarrier_invalidate(&mut self, cluster: &mut Cluster, warp: &Warp, at: Slot) -> Check<()> {
        for lane in active(warp.mask) {
            let (rank, place) = self.mbarrier_address(warp, at, lane, Space::Shared)?;
            if cluster.mbarriers.remove(&(rank, place)).is_none() {
                return Err(barrier_fault(format!("no mbarrier at shared byte {place}")));
            }
            cluster.workgroups[rank].shared.barrier(place, false)?;
        }
        Ok(())
    }

    /// A fence of initialised mbarriers, or of the proxy: copies see them.
    pub(super) fn fence_mbarriers(&mut self, cluster: &mut Cluster, warp: &Warp) {
        for mbarrier in cluster.mbarriers.values_mut() {
            mbarrier.fenced |= mbarrier.by.0 == warp.number;
        }
    }

    /// The mbarrier of a lane's address, initialised before in an order that the warp knows of.
    pub(super) fn mbarrier_at<'c>(
        &self,
        cluster: &'c mut Cluster,
        warp: &Warp,
        (rank, at): (usize, u32),
    ) -> Check<&'c mut Mbarrier> {
        if rank != warp.rank && cluster.workgroups.get(rank).is_none_or(|w| w.running == 0) {
            return Err(barrier_fault(format!(
                "an mbarrier of workgroup {rank} of the cluster, which has ended or is none"
            )));
        }
        let Some(mbarrier) = cluster.mbarriers.get_mut(&(rank, at)) else {
            return Err(barrier_fault(format!("no mbarrier was initialised at shared byte {at} of workgroup {rank}")));
        };
        let (by, clock) = mbarrier.by;
        if by != warp.number && warp.seen[by] < clock {
            let what =
                format!("the mbarrier at shared byte {at} is used with nothing to order that after its initialisation");
            return Err((Fault::Race, what));
        }
        if rank != warp.rank && !mbarrier.fenced {
            return Err((
                Fault::MissingFence,
                format!("the mbarrier at shared byte {at} was not fenced after its initialisation"),
            ));
        }
        Ok(mbarrier)
    }

    pub(super) fn mbarrier_arrive(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        (at, space): (Slot, Space),
        (count, expect): (Option<Slot>, Option<Slot>),
    ) -> Check<()> {
        let mut last = None;
        for lane in active(warp.mask) {
            let place = self.mbarrier_address(warp, at, lane, space)?;
            let number = |slot: Option<Slot>, default: u64| slot.map_or(default, |s| warp.lanes_of(s)[lane]) as u32;
            let (count, expect) = (number(count, 1), number(expect, 0));
            let mbarrier = self.mbarrier_at(cluster, warp, place)?;
            if count > mbarrier.pending {
                let what = format!("arrival at the mbarrier at shared byte {} where none is awaited any more", place.1);
                return Err(barrier_fault(what));
            }
            // What one lane brings, all bring.
            if last.replace(place) != Some(place) {
                mbarrier.gathering.take(warp);
            }
            mbarrier.pending -= count;
            mbarrier.bytes += i64::from(expect);
            if mbarrier.bytes >= 1 << 20 {
                return Err(barrier_fault(format!("{} bytes announced at one mbarrier", mbarrier.bytes)));
            }
            mbarrier.settle();
        }
        warp.tick();
        Ok(())
    }

    pub(super) fn mbarrier_expect(
        &mut self,
        cluster: &mut Cluster,
        warp: &Warp,
        (at, space): (Slot, Space),
        bytes: Slot,
    ) -> Check<()> {
        for lane in active(warp.mask) {
            let place = self.mbarrier_address(warp, at, lane, space)?;
            let bytes = warp.lanes_of(bytes)[lane] as u32;
            let mbarrier = self.mbarrier_at(cluster, warp, place)?;
            mbarrier.bytes += i64::from(bytes);
            mbarrier.settle();
        }
        Ok(())
    }

    /// A wait for a phase: whether the warp must wait. Where a result is asked for, it says so instead.
    pub(super) fn mbarrier_wait(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        (at, parity): (Slot, Slot),
        to: Option<Slot>,
    ) -> Check<bool> {
        let mut verdict = [0u64; 32];
        // The lanes of a warp mostly wait for the same: what was asked last, and its verdict.
        let mut last = None;
        for lane in active(warp.mask) {
            let place = self.mbarrier_address(warp, at, lane, Space::Shared)?;
            let parity = warp.lanes_of(parity)[lane] as u32;
            if parity > 1 {
                return Err(barrier_fault(format!("a wait for parity {parity}")));
            }
            if let Some((asked, done)) = last
                && asked == (place, parity)
            {
                verdict[lane] = done;
                continue;
            }
            let mbarrier = self.mbarrier_at(cluster, warp, place)?;
            let done = mbarrier.parity != parity;
            if !done && to.is_none() {
                warp.status = Status::AtMbarrier { at: place.1, parity };
                return Ok(true);
            }
            if done {
                mbarrier.released.give(warp);
            }
            verdict[lane] = done.into();
            last = Some(((place, parity), done.into()));
        }
        if let Some(to) = to {
            warp.registers[to as usize] = verdict;
        }
        warp.status = Status::Ready;
        Ok(false)
    }
}

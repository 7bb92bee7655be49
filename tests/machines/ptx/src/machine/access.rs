//! Addresses, loads, stores, atomics, matrices through shared memory.

use super::sync::locate;
use super::warp::Warp;
use super::{Cluster, MAP_TAG, Machine, SHARED_BASE, SHARED_TAG, active, thread, who};
use crate::errors::Fault;
use crate::inst::{Access, Atomic, AtomicOp, Binary, Op, Slot, Space};
use crate::lanes::{binary, signed};
use crate::shared::{ALL_LANES, Check, bank_turns};

/// What an address means: shared memory of a workgroup, or global memory.
enum Place {
    Shared(usize, u32),
    Global(u64),
}

fn resolve(warp: &Warp, space: Space, address: u64) -> Check<Place> {
    match space {
        Space::Global => Ok(Place::Global(address)),
        Space::Generic if address & SHARED_TAG != 0 => {
            locate(warp, Space::Cluster, address).map(|(rank, at)| Place::Shared(rank, at))
        }
        Space::Generic if address & MAP_TAG != 0 => Err((Fault::OutOfBounds, "an access to a tensor map".into())),
        Space::Generic => Ok(Place::Global(address)),
        Space::Shared | Space::Cluster => locate(warp, space, address).map(|(rank, at)| Place::Shared(rank, at)),
    }
}

fn aligned(address: u64, alignment: u32) -> Check<()> {
    if address.is_multiple_of(u64::from(alignment.max(1))) {
        return Ok(());
    }
    Err((Fault::Misaligned, format!("address {address:#x} is no multiple of {alignment}")))
}

/// Bytes that hardware needs an access to be aligned to.
fn natural(access: &Access) -> u32 {
    let bytes = access.scalar.bytes();
    let whole = bytes * access.n;
    // An access of a promise below its size is split by the compiler.
    if access.alignment >= whole { whole.next_power_of_two() } else { access.alignment.max(1) }
}

/// Distinct 32-byte sectors, and the fewest for so many bytes.
fn sectors(addresses: &mut [u64], bytes: u32) -> (u64, u64) {
    addresses.sort_unstable();
    let (mut seen, mut distinct) = (0, 0);
    let (mut last, mut before) = (0, 0);
    for &address in addresses.iter() {
        if address == before {
            continue;
        }
        before = address;
        distinct += 1;
        let (low, high) = ((address >> 5) + 1, ((address + u64::from(bytes) - 1) >> 5) + 1);
        seen += (high + 1).saturating_sub(low.max(last + 1));
        last = last.max(high);
    }
    (seen, (distinct * u64::from(bytes)).div_ceil(32).max(1))
}

/// Addresses of the lanes of one access.
pub(super) struct Touched<T> {
    all: [T; 32],
    n: usize,
}

impl<T: Copy + Default> Touched<T> {
    pub fn new() -> Touched<T> {
        Touched { all: [T::default(); 32], n: 0 }
    }

    pub fn push(&mut self, address: T) {
        self.all[self.n] = address;
        self.n += 1;
    }
}

impl Machine<'_, '_> {
    pub(super) fn addressed(&mut self, cluster: &mut Cluster, warp: &mut Warp, op: &Op) -> Check<()> {
        match op {
            Op::SharedAddress { to, offset } => {
                let address = u64::from((warp.rank as u32) << 24 | (SHARED_BASE + offset));
                warp.registers[*to as usize] = [address; 32];
            }
            Op::Address { to, base, offset, terms } => {
                let mut out = *warp.lanes_of(*base);
                out.iter_mut().for_each(|x| *x = x.wrapping_add(*offset as u64));
                for &(slot, bits, step) in terms {
                    let index = warp.lanes_of(slot);
                    for lane in 0..32 {
                        let scaled = signed(index[lane], bits.into()).wrapping_mul(step);
                        out[lane] = out[lane].wrapping_add(scaled as u64);
                    }
                }
                warp.registers[*to as usize] = out;
            }
            Op::SpaceCast { to, a, from, into } => {
                let mut out = *warp.lanes_of(*a);
                for x in &mut out {
                    *x = match (from, into) {
                        (3 | 7, 0) => (*x & 0xFFFF_FFFF) | SHARED_TAG,
                        (0, 3 | 7) => *x & 0xFFFF_FFFF,
                        _ => *x,
                    };
                }
                warp.registers[*to as usize] = out;
            }
            Op::MapAddress { to, a, rank } => {
                let (a, rank) = (*warp.lanes_of(*a), *warp.lanes_of(*rank));
                let mut out = [0; 32];
                for lane in active(warp.mask) {
                    if rank[lane] as usize >= self.size.cluster {
                        return Err((
                            Fault::OutOfBounds,
                            format!("workgroup {} of a cluster of {}", rank[lane], self.size.cluster),
                        ));
                    }
                    out[lane] = (a[lane] & 0xFF_FFFF) | rank[lane] << 24;
                }
                warp.registers[*to as usize] = out;
            }
            Op::Load(access) => self.load(cluster, warp, access)?,
            Op::Store(access) => self.store(cluster, warp, access)?,
            Op::Atomic(atomic) => self.atomic(cluster, warp, atomic)?,
            _ => return Err((Fault::Value, "an operation without a meaning here".into())),
        }
        Ok(())
    }

    fn note_shared(&mut self, pc: usize, addresses: &[u32], bytes: u32) {
        let (turns, least) = bank_turns(addresses, bytes);
        let line = self.program.insts[pc].line;
        let site = &mut self.sites[pc];
        (site.line, site.shared) = (line, true);
        site.accesses += 1;
        site.turns += turns;
        site.least += least;
    }

    fn note_global(&mut self, pc: usize, addresses: &mut [u64], bytes: u32) {
        let (turns, least) = sectors(addresses, bytes);
        let line = self.program.insts[pc].line;
        let site = &mut self.sites[pc];
        site.line = line;
        site.accesses += 1;
        site.turns += turns;
        site.least += least;
    }

    pub(super) fn note(&mut self, pc: usize, shared: &Touched<u32>, mut global: Touched<u64>, bytes: u32) {
        if shared.n > 0 {
            self.note_shared(pc, &shared.all[..shared.n], bytes);
        }
        if global.n > 0 {
            self.note_global(pc, &mut global.all[..global.n], bytes);
        }
    }

    fn remote(cluster: &Cluster, warp: &Warp, rank: usize) -> Check<()> {
        let there = cluster.workgroups.get(rank).is_some_and(|w| w.running > 0);
        if rank == warp.rank || there {
            return Ok(());
        }
        Err((
            Fault::OutOfBounds,
            format!("shared memory of workgroup {rank} of the cluster, which has ended or is none"),
        ))
    }

    fn load(&mut self, cluster: &mut Cluster, warp: &mut Warp, access: &Access) -> Check<()> {
        let each = access.scalar.bytes();
        let bytes = each * access.n;
        let addresses = *warp.lanes_of(access.address);
        let (mut shared, mut global) = (Touched::new(), Touched::new());
        if access.ordered {
            cluster.workgroups[warp.rank].acquired = true;
            self.looks += 1;
        }
        let mask = access.scalar.mask();
        for lane in active(warp.mask) {
            aligned(addresses[lane], natural(access))?;
            match resolve(warp, access.space, addresses[lane])? {
                Place::Shared(rank, at) => {
                    Self::remote(cluster, warp, rank)?;
                    let memory = &mut cluster.workgroups[rank].shared;
                    memory.read(at, bytes, &who(warp, lane as u8))?;
                    for k in 0..access.n {
                        warp.registers[(access.value + k) as usize][lane] = memory.get(at + k * each, each) & mask;
                    }
                    shared.push(at);
                }
                Place::Global(address) => {
                    let place = self.global.read(address, bytes, &thread(cluster, warp, lane as u8))?;
                    for k in 0..access.n {
                        let at = (place.0, place.1 + (k * each) as usize);
                        warp.registers[(access.value + k) as usize][lane] = self.global.get(at, each) & mask;
                    }
                    global.push(address);
                }
            }
        }
        self.note(warp.pc, &shared, global, bytes);
        Ok(())
    }

    fn store(&mut self, cluster: &mut Cluster, warp: &mut Warp, access: &Access) -> Check<()> {
        let each = access.scalar.bytes();
        let bytes = each * access.n;
        let addresses = *warp.lanes_of(access.address);
        let (mut shared, mut global) = (Touched::new(), Touched::new());
        for lane in active(warp.mask) {
            aligned(addresses[lane], natural(access))?;
            let mut data = [0u8; 64];
            for k in 0..access.n {
                let word = warp.registers[(access.value + k) as usize][lane].to_le_bytes();
                let from = (k * each) as usize;
                data[from..from + each as usize].copy_from_slice(&word[..each as usize]);
            }
            let data = &data[..bytes as usize];
            match resolve(warp, access.space, addresses[lane])? {
                Place::Shared(rank, at) => {
                    Self::remote(cluster, warp, rank)?;
                    let memory = &mut cluster.workgroups[rank].shared;
                    memory.write(at, data, &who(warp, lane as u8))?;
                    shared.push(at);
                }
                Place::Global(address) => {
                    self.global.write(address, data, &thread(cluster, warp, lane as u8))?;
                    global.push(address);
                }
            }
        }
        self.note(warp.pc, &shared, global, bytes);
        Ok(())
    }

    fn atomic(&mut self, cluster: &mut Cluster, warp: &mut Warp, atomic: &Atomic) -> Check<()> {
        let bytes = atomic.scalar.bytes();
        let addresses = *warp.lanes_of(atomic.address);
        let (mut old, mut done) = ([0u64; 32], [0u64; 32]);
        for lane in active(warp.mask) {
            aligned(addresses[lane], bytes)?;
            let value = warp.lanes_of(atomic.value)[lane];
            let compare = atomic.compare.map(|c| warp.lanes_of(c)[lane]);
            match resolve(warp, atomic.space, addresses[lane])? {
                Place::Shared(rank, at) => {
                    Self::remote(cluster, warp, rank)?;
                    let memory = &mut cluster.workgroups[rank].shared;
                    memory.atomic(at, bytes, &who(warp, lane as u8))?;
                    old[lane] = memory.get(at, bytes);
                    let new = combined(atomic, old[lane], value, compare);
                    memory.set(at, bytes, new);
                }
                Place::Global(address) => {
                    let place = self.global.atomic(address, bytes)?;
                    old[lane] = self.global.get(place, bytes);
                    self.global.set(place, bytes, combined(atomic, old[lane], value, compare));
                    cluster.workgroups[warp.rank].acquired = true;
                }
            }
            done[lane] = u64::from(compare == Some(old[lane]));
        }
        if let Some(to) = atomic.to {
            warp.registers[to as usize] = old;
        }
        if let Some(success) = atomic.success {
            warp.registers[success as usize] = done;
        }
        Ok(())
    }

    /// Rows of 8×8 matrices: their shared offsets, by the lanes that hold the addresses.
    fn rows(&mut self, cluster: &Cluster, warp: &Warp, address: Slot, count: u32) -> Check<Vec<u32>> {
        if warp.mask != u32::MAX {
            return Err((Fault::Barrier, "not all lanes reach a matrix operation".into()));
        }
        let addresses = *warp.lanes_of(address);
        let mut rows = Vec::new();
        for &address in &addresses[..8 * count as usize] {
            aligned(address, 16)?;
            rows.push(locate(warp, Space::Shared, address)?.1);
        }
        debug_assert!(warp.rank < cluster.workgroups.len());
        for phase in rows.chunks(8) {
            self.note_shared(warp.pc, phase, 16);
        }
        Ok(rows)
    }

    pub(super) fn matrices(&mut self, cluster: &mut Cluster, warp: &mut Warp, op: &Op) -> Check<()> {
        match op {
            Op::LoadMatrix { to, address, count, transposed } => {
                let rows = self.rows(cluster, warp, *address, *count)?;
                let memory = &mut cluster.workgroups[warp.rank].shared;
                for (matrix, rows) in rows.chunks(8).enumerate() {
                    let mut cells = [[0u64; 8]; 8];
                    for (row, &at) in rows.iter().enumerate() {
                        memory.read(at, 16, &who(warp, ALL_LANES))?;
                        (0..8).for_each(|c| cells[row][c] = memory.get(at + 2 * c as u32, 2));
                    }
                    let out = &mut warp.registers[*to as usize + matrix];
                    for (lane, out) in out.iter_mut().enumerate() {
                        let (row, column) = (lane / 4, 2 * (lane % 4));
                        let pair = match transposed {
                            false => (cells[row][column], cells[row][column + 1]),
                            true => (cells[column][row], cells[column + 1][row]),
                        };
                        *out = pair.0 | pair.1 << 16;
                    }
                }
            }
            Op::StoreMatrix { address, values, transposed } => {
                let rows = self.rows(cluster, warp, *address, values.len() as u32)?;
                let memory = &mut cluster.workgroups[warp.rank].shared;
                for (rows, &value) in rows.chunks(8).zip(values) {
                    let words = warp.lanes_of(value);
                    for (row, &at) in rows.iter().enumerate() {
                        let mut data = [0u8; 16];
                        for column in 0..8 {
                            let (r, c) = if *transposed { (column, row) } else { (row, column) };
                            let word = words[4 * r + c / 2] >> (16 * (c % 2));
                            data[2 * column..2 * column + 2].copy_from_slice(&(word as u16).to_le_bytes());
                        }
                        memory.write(at, &data, &who(warp, ALL_LANES))?;
                    }
                }
            }
            Op::MoveMatrix { to, a } => {
                let words = *warp.lanes_of(*a);
                let cell = |r: usize, c: usize| (words[4 * r + c / 2] >> (16 * (c % 2))) & 0xFFFF;
                let mut out = [0; 32];
                for (lane, out) in out.iter_mut().enumerate() {
                    let (row, column) = (lane / 4, 2 * (lane % 4));
                    *out = cell(column, row) | cell(column + 1, row) << 16;
                }
                warp.registers[*to as usize] = out;
            }
            _ => {}
        }
        Ok(())
    }
}

/// What an atomic leaves behind.
fn combined(atomic: &Atomic, old: u64, value: u64, compare: Option<u64>) -> u64 {
    let op = match atomic.op {
        AtomicOp::Exchange => return value,
        AtomicOp::CompareExchange => return if compare == Some(old) { value } else { old },
        AtomicOp::Add => Binary::Add,
        AtomicOp::AddF => Binary::AddF,
        AtomicOp::And => Binary::And,
        AtomicOp::Or => Binary::Or,
        AtomicOp::Xor => Binary::Xor,
        AtomicOp::MinS => Binary::MinS,
        AtomicOp::MaxS => Binary::MaxS,
        AtomicOp::MinU => Binary::MinU,
        AtomicOp::MaxU => Binary::MaxU,
    };
    binary(op, atomic.scalar, &[old; 32], &[value; 32])[0]
}

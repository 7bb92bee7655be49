//! Asynchronous copies: of a few bytes by each thread (cp.async), and in bulk by boxes of a tensor map or in one piece.
//!
//! A thread's copies are done when it waits for their group; until then nothing may touch their target. A bulk copy
//! into shared memory arrives at a random later moment, at its mbarrier too. A bulk copy out of shared memory reads at
//! once; its source may not change until its group was waited for.

use super::access::Touched;
use super::sync::locate;
use super::warp::{CopyGroup, Warp};
use super::{Cluster, Delivery, InFlight, MAP_TAG, Machine, active, thread, who};
use crate::errors::{Fault, Result};
use crate::inst::{Access, Bulk, BulkTensor, Element, Op, Slot, Space};
use crate::lanes::{of_f32, signed};
use crate::launch::TensorMap;
use crate::shared::{Check, Raw};

fn fault(kind: Fault, what: impl Into<String>) -> Raw {
    (kind, what.into())
}

/// Lane of an operation that one thread issues.
fn single(warp: &Warp) -> Check<usize> {
    match warp.mask.count_ones() {
        1 => Ok(warp.mask.trailing_zeros() as usize),
        n => Err(fault(Fault::Value, format!("{n} lanes issue a bulk copy, each one of its own"))),
    }
}

/// A row of a box: byte in the box, byte in the buffer (none outside), bytes inside, bytes in all.
struct Run {
    shared: u32,
    global: Option<u64>,
    inside: u32,
    bytes: u32,
}

/// Rows of a box at these coordinates.
fn box_rows(map: &TensorMap, at: &[i64]) -> Vec<Run> {
    let elements = map.box_elements();
    let (width, each) = (elements[0], map.element_bytes);
    let mut runs = Vec::new();
    let outer: u32 = elements[1..].iter().product();
    let step0 = i64::from(map.element_strides[0]);
    for number in 0..outer {
        let mut rest = number;
        let mut address = map.offset_bytes as i64;
        let mut inside = true;
        for d in 1..elements.len() {
            let place = at[d] + i64::from(rest % elements[d]) * i64::from(map.element_strides[d]);
            rest /= elements[d];
            inside &= (0..map.dims[d] as i64).contains(&place);
            address += place * map.strides[d - 1] as i64;
        }
        if step0 != 1 {
            for column in 0..width {
                let x = at[0] + i64::from(column) * step0;
                let fine = inside && (0..map.dims[0] as i64).contains(&x);
                let global = fine.then(|| (address + x * i64::from(each)) as u64);
                let shared = (number * width + column) * each;
                runs.push(Run { shared, global, inside: if fine { each } else { 0 }, bytes: each });
            }
            continue;
        }
        // Columns left of the tensor, inside, right of it.
        let low = (-at[0]).clamp(0, i64::from(width)) as u32;
        let high = (map.dims[0] as i64 - at[0]).clamp(i64::from(low), i64::from(width)) as u32;
        let row = number * width * each;
        let parts = [(0, low, false), (low, high, inside), (high, width, false)];
        for (from, to, real) in parts.into_iter().filter(|(from, to, _)| to > from) {
            let bytes = (to - from) * each;
            let global = real.then(|| (address + (at[0] + i64::from(from)) * i64::from(each)) as u64);
            runs.push(Run { shared: row + from * each, global, inside: if real { bytes } else { 0 }, bytes });
        }
    }
    runs
}

/// Pixels of an im2col box: channels innermost, pixels walked through the bounding box, then images.
fn im2col_rows(map: &TensorMap, at: &[i64], offsets: &[i64]) -> Option<Vec<Run>> {
    let mode = map.im2col.as_ref()?;
    let spatial = map.dims.len().checked_sub(2)?;
    if offsets.len() != spatial || mode.lower.len() != spatial || mode.upper.len() != spatial {
        return None;
    }
    let mut place: Vec<i64> = at.to_vec();
    let last = |d: usize| map.dims[d] as i64 - 1 + i64::from(mode.upper[d - 1]);
    let mut runs = Vec::new();
    for pixel in 0..mode.pixels {
        let mut address = map.offset_bytes as i64 + place[0] * i64::from(map.element_bytes);
        let mut inside = true;
        for (d, &start) in place.iter().enumerate().skip(1) {
            let x = start + if d <= spatial { offsets[d - 1] } else { 0 };
            inside &= (0..map.dims[d] as i64).contains(&x);
            address += x * map.strides[d - 1] as i64;
        }
        let channels = (map.dims[0] as i64 - place[0]).clamp(0, i64::from(mode.channels)) as u32;
        let bytes = mode.channels * map.element_bytes;
        let good = if inside { channels * map.element_bytes } else { 0 };
        runs.push(Run { shared: pixel * bytes, global: inside.then_some(address as u64), inside: good, bytes });
        for (d, place) in place.iter_mut().enumerate().skip(1) {
            *place += i64::from(map.element_strides[d]);
            if d > spatial || *place <= last(d) {
                break;
            }
            *place = i64::from(mode.lower[d - 1]);
        }
    }
    Some(runs)
}

/// Shared bytes of a run after the swizzle, in units of 16 bytes where it lies so: place, byte in the run, length.
fn swizzled(map: &TensorMap, base: u32, run: &Run) -> impl Iterator<Item = (u32, u32, u32)> {
    // Rows of a box take whole units; a run may begin inside of one.
    let (start, bytes, swizzle) = (base + run.shared, run.bytes, map.swizzle);
    let mut from = 0;
    std::iter::from_fn(move || {
        let logical = start + from;
        let take = (16 - logical % 16).min(bytes - from);
        let part = (swizzle.apply(logical), from, take);
        from += take;
        (take > 0).then_some(part)
    })
}

impl Machine<'_, '_> {
    pub(super) fn copies(&mut self, cluster: &mut Cluster, warp: &mut Warp, op: &Op) -> Check<()> {
        match *op {
            Op::CopyAsync { shared, global, size, bytes } => {
                let (targets, sources) = (*warp.lanes_of(shared), *warp.lanes_of(global));
                let (mut noted, mut read) = (Touched::new(), Touched::new());
                for lane in active(warp.mask) {
                    let (_, at) = locate(warp, Space::Shared, targets[lane])?;
                    let source = sources[lane];
                    let take = bytes.map_or(u64::from(size), |b| warp.lanes_of(b)[lane]) as u32;
                    if ![4, 8, 16].contains(&size) || take > size {
                        return Err(fault(Fault::Value, format!("an asynchronous copy of {take} of {size} bytes")));
                    }
                    if at % size != 0 || source % u64::from(size) != 0 {
                        return Err(fault(
                            Fault::Misaligned,
                            format!("a copy of {size} bytes from {source:#x} to shared byte {at}"),
                        ));
                    }
                    let memory = &mut cluster.workgroups[warp.rank].shared;
                    memory.begin_write(at, size, &who(warp, lane as u8), false)?;
                    if take > 0 {
                        self.global.read(source, take, &thread(cluster, warp, lane as u8))?;
                        read.push(source);
                    }
                    noted.push(at);
                    warp.copies.copies.push((at, size, take, source, lane as u8));
                }
                self.note(warp.pc, &noted, read, size);
            }
            Op::CopyAsyncCommit => {
                self.together(warp)?;
                let group = std::mem::take(&mut warp.copies);
                warp.copy_groups.push_back(group);
            }
            Op::CopyAsyncWait { pending } => {
                self.together(warp)?;
                while warp.copy_groups.len() > pending as usize {
                    let group = warp.copy_groups.pop_front().unwrap_or_default();
                    self.finish_copies(cluster, warp, group, None)?;
                }
            }
            Op::CopyAsyncArrive { at, noinc } => {
                let groups: Vec<CopyGroup> =
                    warp.copy_groups.drain(..).chain([std::mem::take(&mut warp.copies)]).collect();
                let first = warp.mask.trailing_zeros() as usize;
                let place = locate(warp, Space::Shared, warp.lanes_of(at)[first])?;
                let (agent, clock) = {
                    let mbarrier = self.mbarrier_at(cluster, warp, place)?;
                    let clock = mbarrier.delivered(0);
                    (mbarrier.agent, clock)
                };
                for group in groups {
                    self.finish_copies(cluster, warp, group, Some((agent, clock)))?;
                }
                if noinc {
                    self.mbarrier_arrive(cluster, warp, (at, Space::Shared), (None, None))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Groups belong to threads; they are kept for the warp, so all lanes must agree on them.
    fn together(&self, warp: &Warp) -> Check<()> {
        if warp.mask == warp.lanes {
            return Ok(());
        }
        Err(fault(Fault::Barrier, "groups of copies where not all lanes are, which is not modelled"))
    }

    fn finish_copies(
        &mut self,
        cluster: &mut Cluster,
        warp: &Warp,
        group: CopyGroup,
        by: Option<(usize, u32)>,
    ) -> Check<()> {
        for (at, size, take, source, lane) in group.copies {
            let memory = &mut cluster.workgroups[warp.rank].shared;
            let (writer, clock) = by.unwrap_or((warp.number, warp.clock));
            memory.end_write(at, size, writer, lane, clock, true)?;
            memory.bytes[at as usize..(at + size) as usize].fill(0);
            if take > 0 {
                let (buffer, from) = self.global.place(source, u64::from(take))?;
                let bytes = &self.global.buffers[buffer].bytes[from..from + take as usize];
                memory.bytes[at as usize..(at + take) as usize].copy_from_slice(bytes);
            }
        }
        Ok(())
    }

    pub(super) fn bulk(&mut self, cluster: &mut Cluster, warp: &mut Warp, op: &Op) -> Check<()> {
        match op {
            Op::BulkTensorLoad(copy) => self.tensor_load(cluster, warp, copy)?,
            Op::BulkTensorStore(copy) => self.tensor_store(cluster, warp, copy)?,
            Op::StoreAsync { access, barrier } => self.store_async(cluster, warp, access, *barrier)?,
            Op::Bulk(copy) if copy.load => self.bulk_load(cluster, warp, copy)?,
            Op::Bulk(copy) => self.bulk_store(cluster, warp, copy)?,
            Op::BulkCommit => {
                let group = std::mem::take(&mut warp.bulk_reads);
                warp.bulk_groups.push_back(group);
            }
            Op::BulkWait { pending, read } => {
                // Groups that were read stay in the queue, empty, until their writes are waited for.
                let done = warp.bulk_groups.len().saturating_sub(*pending as usize);
                for at in 0..done {
                    let pieces = std::mem::take(&mut warp.bulk_groups[at]);
                    let memory = &mut cluster.workgroups[warp.rank].shared;
                    for (start, bytes) in pieces {
                        memory.end_read(start, bytes, warp.number, warp.clock)?;
                    }
                }
                if !read {
                    warp.bulk_groups.drain(..done);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn map(&self, warp: &Warp, slot: Slot, lane: usize) -> Check<TensorMap> {
        let address = warp.lanes_of(slot)[lane];
        let map = (address & MAP_TAG != 0 && address & 0xFF == 0).then_some(((address & !MAP_TAG) >> 8) as usize);
        map.and_then(|at| self.launch.tensor_maps.get(at).cloned())
            .ok_or_else(|| fault(Fault::Descriptor, format!("address {address:#x} is no tensor map")))
    }

    fn coordinates(warp: &Warp, slots: &[Slot], lane: usize) -> Vec<i64> {
        slots.iter().map(|&s| signed(warp.lanes_of(s)[lane], 32)).collect()
    }

    /// Workgroups that a copy goes to.
    fn targets(&self, warp: &Warp, rank: usize, multicast: Option<Slot>, lane: usize) -> Check<Vec<usize>> {
        let Some(slot) = multicast else { return Ok(vec![rank]) };
        let mask = warp.lanes_of(slot)[lane];
        let ranks: Vec<usize> = (0..64).filter(|r| mask >> r & 1 == 1).collect();
        match ranks.iter().all(|r| *r < self.size.cluster) && !ranks.is_empty() {
            true => Ok(ranks),
            false => Err(fault(
                Fault::OutOfBounds,
                format!("multicast mask {mask:#x} in a cluster of {}", self.size.cluster),
            )),
        }
    }

    fn check_box(&self, map: &TensorMap, coordinates: &[i64], at: u32) -> Check<()> {
        if coordinates.len() != map.dims.len() {
            let what = format!("{} coordinates for a map of {} dimensions", coordinates.len(), map.dims.len());
            return Err(fault(Fault::Descriptor, what));
        }
        let alignment = if map.swizzle.span().is_some() { 8 * (map.swizzle.mask() + 1) * 16 } else { 128 };
        // Hardware asks for 128; a swizzled box must start at a repetition of its pattern to be read back as one.
        if !at.is_multiple_of(alignment.max(128)) {
            return Err(fault(Fault::Misaligned, format!("a box at shared byte {at}, no multiple of {alignment}")));
        }
        Ok(())
    }

    fn tensor_load(&mut self, cluster: &mut Cluster, warp: &mut Warp, copy: &BulkTensor) -> Check<()> {
        let lane = single(warp)?;
        let map = self.map(warp, copy.map, lane)?;
        let coordinates = Self::coordinates(warp, &copy.coordinates, lane);
        let (rank, at) = locate(warp, copy.space, warp.lanes_of(copy.shared)[lane])?;
        self.check_box(&map, &coordinates, at + super::SHARED_BASE)?;
        let runs = match copy.im2col {
            true => im2col_rows(&map, &coordinates, &Self::coordinates(warp, &copy.offsets, lane))
                .ok_or_else(|| fault(Fault::Descriptor, "a map without an im2col mode that fits"))?,
            false if map.im2col.is_none() => box_rows(&map, &coordinates),
            false => return Err(fault(Fault::Descriptor, "a box of an im2col map")),
        };
        let (mut delivery, mut bytes) = (Delivery::default(), Vec::new());
        for run in &runs {
            bytes.clear();
            bytes.resize(run.bytes as usize, 0u8);
            if let Some(from) = run.global.filter(|_| run.inside > 0) {
                let address = crate::global::base(map.buffer) + from;
                let by = thread(cluster, warp, lane as u8);
                let (buffer, start) = self.global.read(address, run.inside, &by)?;
                let n = run.inside as usize;
                bytes[..n].copy_from_slice(&self.global.buffers[buffer].bytes[start..start + n]);
                if map.tf32 {
                    round_to_tf32(&mut bytes);
                }
            }
            for (place, from, take) in swizzled(&map, at + super::SHARED_BASE, run) {
                let (place, part) = (place - super::SHARED_BASE, &bytes[from as usize..(from + take) as usize]);
                // What lies inside of the tensor and what lies outside share a unit: it is written once.
                match delivery.pieces.last_mut() {
                    Some((at, length)) if place % 16 != 0 && *at + *length == place => {
                        *length += take;
                        delivery.bytes.extend_from_slice(part);
                    }
                    _ => delivery.push(place, part),
                }
            }
        }
        let ranks = self.targets(warp, rank, copy.multicast, lane)?;
        let barrier = copy.barrier.ok_or_else(|| fault(Fault::Barrier, "a load without an mbarrier"))?;
        self.launch_copy(cluster, warp, (lane, barrier), ranks, delivery)
    }

    /// Stores that arrive later, lane by lane, each counted by the mbarrier of the workgroup that it goes to.
    fn store_async(&mut self, cluster: &mut Cluster, warp: &mut Warp, access: &Access, barrier: Slot) -> Check<()> {
        let each = access.scalar.bytes();
        for lane in active(warp.mask) {
            let address = warp.lanes_of(access.address)[lane];
            if !address.is_multiple_of(u64::from(each * access.n)) {
                return Err(fault(Fault::Misaligned, format!("a store of {} bytes to {address:#x}", each * access.n)));
            }
            let (rank, at) = locate(warp, Space::Cluster, address)?;
            let mut bytes = Vec::new();
            for k in 0..access.n {
                let word = warp.registers[(access.value + k) as usize][lane].to_le_bytes();
                bytes.extend_from_slice(&word[..each as usize]);
            }
            let mut delivery = Delivery::default();
            delivery.push(at, &bytes);
            self.launch_copy(cluster, warp, (lane, barrier), vec![rank], delivery)?;
        }
        Ok(())
    }

    /// A copy into shared memory begins, for each workgroup that it goes to.
    fn launch_copy(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        (lane, barrier): (usize, Slot),
        ranks: Vec<usize>,
        delivery: Delivery,
    ) -> Check<()> {
        let (own, barrier) = locate(warp, Space::Cluster, warp.lanes_of(barrier)[lane])?;
        if own != warp.rank && ranks != [own] {
            return Err(fault(Fault::Barrier, "the mbarrier of another workgroup than the copy goes to"));
        }
        for rank in ranks {
            let mbarrier = self.mbarrier_at(cluster, warp, (rank, barrier))?;
            if !mbarrier.fenced {
                let what = format!(
                    "a copy completes on the mbarrier at shared byte {barrier}, which no fence has made visible"
                );
                return Err(fault(Fault::MissingFence, what));
            }
            let memory = &mut cluster.workgroups[rank].shared;
            for &(at, bytes) in &delivery.pieces {
                memory.begin_write(at, bytes, &who(warp, lane as u8), true)?;
            }
            cluster.in_flight.push(InFlight { rank, barrier, delivery: delivery.clone() });
        }
        Ok(())
    }

    /// A copy arrives.
    pub(super) fn arrive(&mut self, cluster: &mut Cluster, at: usize) -> Result<()> {
        let copy = cluster.in_flight.swap_remove(at);
        let outcome = self.land(cluster, &copy);
        outcome.map_err(|(fault, what)| crate::errors::EmulateError::Result { fault, what })
    }

    fn land(&mut self, cluster: &mut Cluster, copy: &InFlight) -> Check<()> {
        let workgroup = &mut cluster.workgroups[copy.rank];
        if workgroup.running == 0 {
            return Err(fault(Fault::OutOfBounds, "a bulk copy arrives at a workgroup that has ended"));
        }
        let Some(mbarrier) = cluster.mbarriers.get_mut(&(copy.rank, copy.barrier)) else {
            return Err(fault(Fault::Barrier, "a bulk copy arrives at an mbarrier that is no more"));
        };
        let Delivery { pieces, bytes } = &copy.delivery;
        let clock = mbarrier.delivered(bytes.len() as i64);
        let mut rest = bytes.as_slice();
        for &(at, length) in pieces {
            let (piece, behind) = rest.split_at(length as usize);
            workgroup.shared.end_write(at, length, mbarrier.agent, 0, clock, false)?;
            workgroup.shared.bytes[at as usize..(at + length) as usize].copy_from_slice(piece);
            rest = behind;
        }
        Ok(())
    }

    fn tensor_store(&mut self, cluster: &mut Cluster, warp: &mut Warp, copy: &BulkTensor) -> Check<()> {
        let lane = single(warp)?;
        let map = self.map(warp, copy.map, lane)?;
        let coordinates = Self::coordinates(warp, &copy.coordinates, lane);
        let (_, at) = locate(warp, copy.space, warp.lanes_of(copy.shared)[lane])?;
        self.check_box(&map, &coordinates, at + super::SHARED_BASE)?;
        let mut bytes = Vec::new();
        for run in box_rows(&map, &coordinates) {
            bytes.clear();
            bytes.resize(run.bytes as usize, 0u8);
            for (place, from, take) in swizzled(&map, at + super::SHARED_BASE, &run) {
                let place = place - super::SHARED_BASE;
                let memory = &mut cluster.workgroups[warp.rank].shared;
                memory.begin_read(place, take, &who(warp, lane as u8))?;
                warp.bulk_reads.push((place, take));
                let place = place as usize;
                bytes[from as usize..(from + take) as usize]
                    .copy_from_slice(&memory.bytes[place..place + take as usize]);
            }
            if let Some(to) = run.global.filter(|_| run.inside > 0) {
                let address = crate::global::base(map.buffer) + to;
                self.put(cluster, warp, lane, address, &bytes[..run.inside as usize], copy.add.then_some(&map))?;
            }
        }
        Ok(())
    }

    /// Writes bytes to global memory, or adds them to what is there.
    fn put(
        &mut self,
        cluster: &Cluster,
        warp: &Warp,
        lane: usize,
        address: u64,
        bytes: &[u8],
        add: Option<&TensorMap>,
    ) -> Check<()> {
        let Some(map) = add else {
            return self.global.write(address, bytes, &thread(cluster, warp, lane as u8));
        };
        let each = map.element_bytes;
        for (k, piece) in bytes.chunks(each as usize).enumerate() {
            let place = self.global.atomic(address + k as u64 * u64::from(each), each)?;
            let mut word = [0u8; 8];
            word[..piece.len()].copy_from_slice(piece);
            let (old, new) = (self.global.get(place, each), u64::from_le_bytes(word));
            let sum = match map.add_as {
                Some(Element::F32) => of_f32(f32::from_bits(old as u32) + f32::from_bits(new as u32)),
                Some(Element::S32) => (old as u32).wrapping_add(new as u32).into(),
                _ => return Err(fault(Fault::Descriptor, "a reduction whose element type is not said")),
            };
            self.global.set(place, each, sum);
        }
        Ok(())
    }

    /// Each lane's own piece: unlike boxes, pieces are often one row a lane.
    fn bulk_load(&mut self, cluster: &mut Cluster, warp: &mut Warp, copy: &Bulk) -> Check<()> {
        for lane in active(warp.mask) {
            self.load_piece(cluster, warp, copy, lane)?;
        }
        Ok(())
    }

    fn load_piece(&mut self, cluster: &mut Cluster, warp: &mut Warp, copy: &Bulk, lane: usize) -> Check<()> {
        let (rank, at) = locate(warp, copy.space, warp.lanes_of(copy.to)[lane])?;
        let (from, n) = (warp.lanes_of(copy.from)[lane], warp.lanes_of(copy.bytes)[lane] as u32);
        if at % 16 != 0 || from % 16 != 0 || n % 16 != 0 {
            return Err(fault(
                Fault::Misaligned,
                format!("a bulk copy of {n} bytes from {from:#x} to shared byte {at}"),
            ));
        }
        let (buffer, start) = self.global.read(from, n, &thread(cluster, warp, lane as u8))?;
        let mut delivery = Delivery::default();
        delivery.push(at, &self.global.buffers[buffer].bytes[start..start + n as usize]);
        let ranks = self.targets(warp, rank, copy.multicast, lane)?;
        let barrier = copy.barrier.ok_or_else(|| fault(Fault::Barrier, "a load without an mbarrier"))?;
        self.launch_copy(cluster, warp, (lane, barrier), ranks, delivery)
    }

    fn bulk_store(&mut self, cluster: &mut Cluster, warp: &mut Warp, copy: &Bulk) -> Check<()> {
        let lane = single(warp)?;
        let (_, at) = locate(warp, Space::Shared, warp.lanes_of(copy.from)[lane])?;
        let (to, n) = (warp.lanes_of(copy.to)[lane], warp.lanes_of(copy.bytes)[lane] as u32);
        if at % 16 != 0 || to % 16 != 0 || n % 16 != 0 {
            return Err(fault(Fault::Misaligned, format!("a bulk copy of {n} bytes from shared byte {at} to {to:#x}")));
        }
        let memory = &mut cluster.workgroups[warp.rank].shared;
        memory.begin_read(at, n, &who(warp, lane as u8))?;
        warp.bulk_reads.push((at, n));
        let bytes = memory.bytes[at as usize..(at + n) as usize].to_vec();
        self.put(cluster, warp, lane, to, &bytes, None)
    }
}

/// The nearest tf32 values, ties to even, NaN as 0x7FFFE000: what an H200's copies make of each pattern in the test
/// below.
fn round_to_tf32(bytes: &mut [u8]) {
    for word in bytes.chunks_exact_mut(4) {
        let x = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let is_nan = x & 0x7FFF_FFFF > 0x7F80_0000;
        let rounded = if is_nan { 0x7FFF_E000 } else { x.wrapping_add(0xFFF + (x >> 13 & 1)) & 0xFFFF_E000 };
        word.copy_from_slice(&rounded.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::round_to_tf32;

    #[test]
    fn copies_round_as_the_device_does() {
        let seen = [
            (0x3F80_1000, 0x3F80_0000),
            (0x3F80_1001, 0x3F80_2000),
            (0x3F80_3000, 0x3F80_4000),
            (0xBF80_1FFF, 0xBF80_2000),
            (0x0000_1000, 0x0000_0000),
            (0x0000_1800, 0x0000_2000),
            (0x7F7F_EFFF, 0x7F7F_E000),
            (0x7F7F_F000, 0x7F80_0000),
            (0x7F80_0000, 0x7F80_0000),
            (0x7F80_0001, 0x7FFF_E000),
            (0xFFFF_FFFF, 0x7FFF_E000),
        ];
        for (from, to) in seen {
            let mut bytes = u32::to_le_bytes(from);
            round_to_tf32(&mut bytes);
            assert_eq!(u32::from_le_bytes(bytes), to, "{from:#x}");
        }
    }
}

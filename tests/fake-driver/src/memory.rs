//! The memory of the devices: blocks at addresses that are never used twice, every access checked against their bounds.
//!
//! Device memory lies at invented addresses far from the host's: a host that dereferences one faults at once, and an
//! address tells its device. Page-locked host memory lies where the host sees it, between two guard zones that are
//! checked when it is freed; memory of the host's own that is page-locked has none. Fresh memory is poisoned. An access
//! that no block covers says which block it missed and by how much.
//!
//! Example: a block of 100 bytes at 0x7000_0000_0000; a read of 8 bytes at +96 is refused: `4 bytes beyond a block of
//! 100`.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use crate::code;

/// First address of device 0; each device has a tebibyte of addresses.
const BASE: u64 = 0x7000_0000_0000;
const DEVICE_SPAN: u64 = 1 << 40;
/// Alignment of blocks and space between them, bytes.
const GAP: u64 = 256;
/// Bytes before and behind page-locked memory.
const GUARD: usize = 256;
const GUARD_BYTE: u8 = 0xc3;

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Device(usize),
    /// Host memory, of the device that was current.
    Pinned(usize),
}

struct Block {
    place: Place,
    bytes: u64,
    /// Bytes of each guard zone.
    guard: usize,
    /// The first byte in this process.
    host: *mut u8,
    /// Of the memory and its guard zones; `None`: the host's own memory, taken note of.
    layout: Option<Layout>,
}

/// All blocks of all devices.
#[derive(Default)]
pub struct Memory {
    blocks: BTreeMap<u64, Block>,
    /// Where the next block of each device goes.
    next: Vec<u64>,
    used: Vec<u64>,
    /// Range and host address of the block hit last.
    last: Option<(u64, u64, usize)>,
}

// SAFETY: the pointers are to memory that only this object owns; host code that writes to page-locked memory is ordered
// by the calls of the driver that it makes, which hold the lock around this object.
unsafe impl Send for Memory {}
// SAFETY: as above; what `words` lends is atomic.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory of this many devices.
    pub fn new(devices: usize) -> Memory {
        let next = (0..devices as u64).map(|device| BASE + device * DEVICE_SPAN).collect();
        Memory { blocks: BTreeMap::new(), next, used: vec![0; devices], last: None }
    }

    /// Takes `bytes`, poisoned. `room` is the size of a device.
    pub fn allocate(&mut self, place: Place, bytes: u64, room: u64, poison: u8) -> Result<u64, i32> {
        let (Place::Device(device) | Place::Pinned(device)) = place;
        let used = self.used.get_mut(device).ok_or(code::INVALID_DEVICE)?;
        if bytes == 0 {
            return Err(code::INVALID_VALUE);
        }
        let pinned = matches!(place, Place::Pinned(_));
        if !pinned && used.checked_add(bytes).is_none_or(|sum| sum > room) {
            return Err(code::OUT_OF_MEMORY);
        }
        let guard = if pinned { GUARD } else { 0 };
        let whole = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_add(2 * guard));
        // Kernels see whole words.
        let whole = whole.map(|whole| whole.next_multiple_of(4));
        let layout = whole.and_then(|whole| Layout::from_size_align(whole, 256).ok()).ok_or(code::OUT_OF_MEMORY)?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return Err(code::OUT_OF_MEMORY);
        }
        // SAFETY: the allocation holds guard, block, guard.
        let host = unsafe {
            start.write_bytes(GUARD_BYTE, layout.size());
            let host = start.add(guard);
            host.write_bytes(poison, bytes as usize);
            host
        };
        let address = if pinned {
            host as u64
        } else {
            *used += bytes;
            let next = self.next.get_mut(device).ok_or(code::INVALID_DEVICE)?;
            let address = *next;
            *next += bytes.next_multiple_of(GAP) + GAP;
            address
        };
        self.blocks.insert(address, Block { place, bytes, guard, host, layout: Some(layout) });
        Ok(address)
    }

    /// Takes note of memory of the host's own as page-locked.
    pub fn register(&mut self, device: usize, address: u64, bytes: u64) -> Result<(), i32> {
        let before = self.blocks.range(..address.saturating_add(bytes)).next_back();
        let meets = before.is_some_and(|(start, block)| start + block.bytes > address);
        if address == 0 || bytes == 0 || meets {
            return Err(code::INVALID_VALUE);
        }
        let block = Block { place: Place::Pinned(device), bytes, guard: 0, host: address as *mut u8, layout: None };
        self.blocks.insert(address, block);
        Ok(())
    }

    /// Forgets memory of the host's own; the text says what is wrong with the address.
    pub fn unregister(&mut self, address: u64) -> Result<(), String> {
        self.last = None;
        match self.blocks.get(&address) {
            Some(Block { layout: None, .. }) => {
                self.blocks.remove(&address);
                Ok(())
            }
            _ => Err(format!("{address:#x} is no memory that was taken note of")),
        }
    }

    /// Gives a block back; the text says what is wrong with the address or the guard zones.
    pub fn free(&mut self, address: u64, pinned: bool) -> Result<(), String> {
        self.last = None;
        let is_meant = |block: &&Block| matches!(block.place, Place::Pinned(_)) == pinned && block.layout.is_some();
        let found = self.blocks.get(&address).filter(is_meant);
        if found.is_none() {
            return Err(format!("free of {address:#x}, which is no block of this kind"));
        }
        let Some(block) = self.blocks.remove(&address) else { return Ok(()) };
        let intact = block.guards_are_intact();
        if let Place::Device(device) = block.place
            && let Some(used) = self.used.get_mut(device)
        {
            *used -= block.bytes;
        }
        block.release();
        if intact { Ok(()) } else { Err(format!("a write outside the page-locked block at {address:#x}")) }
    }

    /// The device of a block, for lost devices.
    pub fn place(&self, address: u64) -> Option<Place> {
        self.blocks.get(&address).map(|block| block.place)
    }

    /// Blocks of device and host memory of the devices that `counts`.
    pub fn live(&self, counts: impl Fn(usize) -> bool) -> (usize, usize) {
        let of = |pinned: bool| {
            let wanted = |block: &&Block| match block.place {
                Place::Device(device) => !pinned && counts(device),
                Place::Pinned(device) => pinned && counts(device),
            };
            self.blocks.values().filter(wanted).count()
        };
        (of(false), of(true))
    }

    /// Free bytes of a device of `room` bytes.
    pub fn free_bytes(&self, device: usize, room: u64) -> u64 {
        room.saturating_sub(self.used.get(device).copied().unwrap_or(0))
    }

    /// Whether an address lies in one of the blocks, or in the devices' range of addresses.
    pub fn is_known(&self, address: u64) -> bool {
        let devices = BASE..BASE + self.next.len() as u64 * DEVICE_SPAN;
        devices.contains(&address) || self.block(address).is_some()
    }

    fn block(&self, address: u64) -> Option<(u64, &Block)> {
        let (start, block) = self.blocks.range(..=address).next_back()?;
        (address < start + block.bytes).then_some((*start, block))
    }

    /// The host address of a range of a block, or what is wrong.
    fn host(&mut self, address: u64, bytes: u64) -> Result<*mut u8, String> {
        if let Some((start, end, host)) = self.last
            && address >= start
            && address + bytes <= end
        {
            return Ok((host + (address - start) as usize) as *mut u8);
        }
        let below = self.blocks.range(..=address).next_back();
        let Some((start, block)) = below.filter(|(start, block)| address < *start + block.bytes) else {
            let near = below.map_or(String::new(), |(start, block)| {
                format!(": {} bytes behind the end of a block of {}", address - start - block.bytes, block.bytes)
            });
            return Err(format!("{bytes} bytes at {address:#x}, which is no live memory{near}"));
        };
        let offset = address - start;
        if offset + bytes > block.bytes {
            let beyond = offset + bytes - block.bytes;
            return Err(format!(
                "{bytes} bytes at {address:#x}: {beyond} bytes beyond a block of {} at {start:#x}",
                block.bytes
            ));
        }
        self.last = Some((*start, start + block.bytes, block.host as usize));
        // SAFETY: the offset lies inside of the block.
        Ok(unsafe { block.host.add(offset as usize) })
    }

    /// The block around an address as kernels see it: its first address, its bytes, and its words (the last one may
    /// reach beyond it).
    pub fn words(&self, address: u64) -> Option<(u64, u64, &[AtomicU32])> {
        let (start, block) = self.block(address)?;
        // SAFETY: the allocation is aligned to 256 bytes and holds whole words; nothing else reads or writes it while
        // kernels run.
        let words = unsafe { std::slice::from_raw_parts(block.host.cast(), block.bytes.div_ceil(4) as usize) };
        Some((start, block.bytes, words))
    }

    /// Reads a range of blocks.
    pub fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), String> {
        let from = self.host(address, bytes.len() as u64)?;
        // SAFETY: `host` checked the range; `bytes` is the caller's own.
        unsafe { std::ptr::copy(from, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Writes a range of blocks.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), String> {
        let to = self.host(address, bytes.len() as u64)?;
        // SAFETY: as for `read`.
        unsafe { std::ptr::copy(bytes.as_ptr(), to, bytes.len()) };
        Ok(())
    }

    /// Copies between any two addresses; what no block covers is the host's own memory.
    ///
    /// # Safety
    /// An address outside of the devices' range and of all blocks must be good for `bytes` on the host.
    pub unsafe fn copy(&mut self, target: u64, source: u64, bytes: u64) -> Result<(), String> {
        let from = if self.is_known(source) { self.host(source, bytes)? } else { source as *mut u8 };
        let to = if self.is_known(target) { self.host(target, bytes)? } else { target as *mut u8 };
        // SAFETY: blocks were checked; the rest is the caller's word.
        unsafe { std::ptr::copy(from, to, bytes as usize) };
        Ok(())
    }
}

impl Block {
    fn guards_are_intact(&self) -> bool {
        // SAFETY: the guards lie before and behind the block, inside of the allocation.
        let zone = |offset: isize| unsafe { std::slice::from_raw_parts(self.host.offset(offset), self.guard) };
        let intact = |zone: &[u8]| zone.iter().all(|byte| *byte == GUARD_BYTE);
        intact(zone(-(self.guard as isize))) && intact(zone(self.bytes as isize))
    }

    fn release(&self) {
        let Some(layout) = self.layout else { return };
        // SAFETY: allocated with this layout, the guard before the block; the block is out of the table.
        unsafe { dealloc(self.host.sub(self.guard), layout) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.blocks.values().for_each(Block::release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_exact_and_addresses_are_not_used_again() {
        let mut memory = Memory::new(2);
        let a = memory.allocate(Place::Device(0), 100, 1000, 0xff).unwrap();
        let b = memory.allocate(Place::Device(1), 8, 1000, 0xff).unwrap();
        let mut bytes = [0; 4];
        memory.read(a + 96, &mut bytes).unwrap();
        assert_eq!(bytes, [0xff; 4]);
        assert!(memory.read(a + 97, &mut bytes).unwrap_err().contains("1 bytes beyond a block of 100"));
        memory.write(b + 4, &[1, 2, 3, 4]).unwrap();
        // SAFETY: both are blocks.
        unsafe { memory.copy(a, b + 4, 4) }.unwrap();
        memory.read(a, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 2, 3, 4]);
        memory.free(a, false).unwrap();
        assert!(memory.read(a, &mut bytes).unwrap_err().contains("no live memory"));
        assert!(memory.free(a, false).is_err());
        assert_ne!(memory.allocate(Place::Device(0), 100, 1000, 0).unwrap(), a);
        assert_eq!(memory.live(|_| true), (2, 0));
        assert_eq!(memory.live(|device| device == 1), (1, 0));
    }

    #[test]
    fn a_full_device_and_damaged_guards_are_told() {
        let mut memory = Memory::new(1);
        assert_eq!(memory.allocate(Place::Device(0), 1001, 1000, 0), Err(code::OUT_OF_MEMORY));
        let pinned = memory.allocate(Place::Pinned(0), 10, 1000, 0).unwrap();
        // SAFETY: the guard zone behind the block is part of its allocation.
        unsafe { ((pinned + 10) as *mut u8).write(1) };
        assert!(memory.free(pinned, true).unwrap_err().contains("a write outside"));
    }

    #[test]
    fn the_hosts_own_memory_is_taken_note_of_and_forgotten() {
        let mut memory = Memory::new(1);
        let mut own = [1u8, 2, 3, 4];
        let address = own.as_mut_ptr() as u64;
        memory.register(0, address, 4).unwrap();
        assert_eq!(memory.register(0, address + 3, 4), Err(code::INVALID_VALUE), "known");
        assert_eq!(memory.live(|_| true), (0, 1));
        let mut bytes = [0; 4];
        assert!(memory.read(address + 1, &mut bytes).unwrap_err().contains("1 bytes beyond a block of 4"));
        memory.read(address, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 2, 3, 4]);
        assert!(memory.free(address, true).is_err(), "the host's own");
        memory.unregister(address).unwrap();
        assert!(memory.unregister(address).is_err());
        assert_eq!(memory.live(|_| true), (0, 0));
    }
}

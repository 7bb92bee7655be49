//! Device memory as kernels see it: allocations found by address, and a plain implementation for tests.
//!
//! An allocation is a slice of atomic words, so that two threads may run workgroups over it without a data race in
//! Rust's sense; every access of a kernel stays inside of one allocation or is a fault. Addresses are what the kernel
//! computes with; they need not be host addresses.
//!
//! Worked example: a buffer of 10 bytes has 3 words; byte 9 is the last that a kernel may touch:
//!
//! ```
//! use fornax_gcn::{HostMemory, Memory};
//! let mut memory = HostMemory::new();
//! let address = memory.alloc(10);
//! memory.write(address, &[7; 10]);
//! let region = memory.region(address + 9).unwrap();
//! assert_eq!((region.base, region.bytes, region.words.len()), (address, 10, 3));
//! assert!(memory.region(address + 10).is_none());
//! ```

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// One allocation: little-endian words, of which the first `bytes` bytes may be touched.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a> {
    /// Device address of the first byte; a multiple of 4.
    pub base: u64,
    pub bytes: u64,
    /// `bytes` rounded up to whole words.
    pub words: &'a [AtomicU32],
    pub writable: bool,
}

/// Where kernels load and store.
pub trait Memory: Sync {
    /// The allocation that holds the byte at `address`.
    fn region(&self, address: u64) -> Option<Region<'_>>;
}

/// Allocations on the host heap with unmapped space between them.
#[derive(Debug, Default)]
pub struct HostMemory {
    allocations: BTreeMap<u64, (u64, Vec<AtomicU32>)>,
    next: u64,
}

const FIRST: u64 = 0x7f00_0000_0000;
const GAP: u64 = 0x1_0000;

impl HostMemory {
    pub fn new() -> HostMemory {
        HostMemory { allocations: BTreeMap::new(), next: FIRST }
    }

    /// Space for `bytes` bytes, filled with a pattern that is a NaN in every float type.
    pub fn alloc(&mut self, bytes: u64) -> u64 {
        let address = self.next;
        let words = (0..bytes.div_ceil(4)).map(|_| AtomicU32::new(u32::MAX)).collect();
        self.allocations.insert(address, (bytes, words));
        self.next = (address + bytes + 2 * GAP) / GAP * GAP;
        address
    }

    /// An allocation with these contents.
    pub fn alloc_from(&mut self, bytes: &[u8]) -> u64 {
        let address = self.alloc(bytes.len() as u64);
        self.write(address, bytes);
        address
    }

    pub fn free(&mut self, address: u64) -> bool {
        self.allocations.remove(&address).is_some()
    }

    /// Stores from the host; false when that is not inside of one allocation.
    pub fn write(&self, address: u64, bytes: &[u8]) -> bool {
        let Some(region) = self.inside(address, bytes.len()) else { return false };
        for (at, byte) in (address - region.base..).zip(bytes) {
            let shift = at % 4 * 8;
            let word = &region.words[(at / 4) as usize];
            let old = word.load(Ordering::Relaxed);
            word.store(old & !(0xff << shift) | u32::from(*byte) << shift, Ordering::Relaxed);
        }
        true
    }

    /// Loads to the host; None when that is not inside of one allocation.
    pub fn read(&self, address: u64, bytes: usize) -> Option<Vec<u8>> {
        let region = self.inside(address, bytes)?;
        let start = address - region.base;
        Some((start..start + bytes as u64).map(|at| byte_of(region.words, at)).collect())
    }

    fn inside(&self, address: u64, bytes: usize) -> Option<Region<'_>> {
        let region = self.region(address)?;
        (address - region.base + bytes as u64 <= region.bytes).then_some(region)
    }
}

fn byte_of(words: &[AtomicU32], at: u64) -> u8 {
    (words[(at / 4) as usize].load(Ordering::Relaxed) >> (at % 4 * 8)) as u8
}

impl Memory for HostMemory {
    fn region(&self, address: u64) -> Option<Region<'_>> {
        let (&base, (bytes, words)) = self.allocations.range(..=address).next_back()?;
        (address - base < *bytes).then_some(Region { base, bytes: *bytes, words, writable: true })
    }
}

//! What a wave finds around itself: memory, the image, kernel arguments, LDS, facts of the chip.
//!
//! Input: addresses. Output: the allocation that holds them, or a fault. Worked example: a load of 4 bytes at the last
//! byte of an allocation is out of bounds, even where another allocation follows.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::access::Change;
use crate::chip::Chip;
use crate::errors::FaultKind;
use crate::inst::{Step, Trap};
use crate::lds::Lds;
use crate::memory::{Memory, Region};
use crate::program::Program;

/// Address of the kernel's arguments and of its dispatch packet.
pub const KERNARG: u64 = 0x7b00_0000_0000;
pub const PACKET: u64 = 0x7b80_0000_0000;

pub struct Environment<'a> {
    pub chip: &'a Chip,
    pub program: &'a Program,
    pub memory: &'a dyn Memory,
    pub fixed: [Region<'a>; 3],
    pub last: Option<Region<'a>>,
    pub lds: Lds,
    pub scratch_bytes: u32,
}

/// Whether the bytes lie inside.
#[inline(always)]
fn holds(region: &Region<'_>, address: u64, bytes: u64) -> bool {
    address.checked_sub(region.base).is_some_and(|at| at < region.bytes && region.bytes - at >= bytes)
}

impl<'a> Environment<'a> {
    /// The allocation that an access stays in.
    #[inline(always)]
    pub fn region(&mut self, address: u64, bytes: u64, write: bool, lane: Option<u32>) -> Step<Region<'a>> {
        match self.last {
            Some(region) if holds(&region, address, bytes) && (region.writable || !write) => Ok(region),
            _ => self.find(address, bytes, write, lane),
        }
    }

    fn find(&mut self, address: u64, bytes: u64, write: bool, lane: Option<u32>) -> Step<Region<'a>> {
        let memory: &'a dyn Memory = self.memory;
        let found =
            self.fixed.iter().copied().find(|region| holds(region, address, 1)).or_else(|| memory.region(address));
        let access = if write { "store" } else { "load" };
        let Some(region) = found else {
            return Err(Trap::at(
                FaultKind::OutOfBounds,
                lane,
                address,
                format!("{access} of {bytes} bytes outside of every allocation"),
            ));
        };
        if !holds(&region, address, bytes) {
            let what = format!(
                "{access} of {bytes} bytes beyond the end of an allocation of {} at 0x{:x}",
                region.bytes, region.base
            );
            return Err(Trap::at(FaultKind::OutOfBounds, lane, address, what));
        }
        if write && !region.writable {
            return Err(Trap::at(FaultKind::ReadOnly, lane, address, "store into memory that may only be read"));
        }
        self.last = Some(region);
        Ok(region)
    }
}

/// The word that starts at a byte of the allocation; bytes beyond its last word are 0.
#[inline(always)]
pub fn load_word(words: &[AtomicU32], at: u64) -> u32 {
    let index = (at / 4) as usize;
    let of = |index: usize| words.get(index).map_or(0, |word| word.load(Ordering::Relaxed));
    match at % 4 {
        0 => of(index),
        odd => ((u64::from(of(index)) | u64::from(of(index + 1)) << 32) >> (8 * odd)) as u32,
    }
}

/// Stores the low `bytes` bytes of a word.
#[inline(always)]
pub fn store_word(words: &[AtomicU32], at: u64, value: u32, bytes: u64) {
    if at.is_multiple_of(4) && bytes == 4 {
        if let Some(word) = words.get((at / 4) as usize) {
            word.store(value, Ordering::Relaxed);
        }
        return;
    }
    for byte in 0..bytes {
        let shift = (at + byte) % 4 * 8;
        let new = (value >> (8 * byte) & 0xff) << shift;
        if let Some(word) = words.get(((at + byte) / 4) as usize) {
            // Neighbouring bytes may belong to another workgroup.
            let _ = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(old & !(0xff << shift) | new));
        }
    }
}

/// Changes a word or two at once; the old value.
pub fn atomic(words: &[AtomicU32], at: u64, bytes: u8, change: Change, value: u64, compare: u64) -> Option<u64> {
    let index = (at / 4) as usize;
    if bytes == 4 {
        let word = words.get(index)?;
        let update = |old: u32| Some(change.apply(4, u64::from(old), value, compare) as u32);
        return word.fetch_update(Ordering::AcqRel, Ordering::Acquire, update).ok().map(u64::from);
    }
    // Two words have no common atomic: one lock for all of them.
    static PAIRS: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _held = PAIRS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (low, high) = (words.get(index)?, words.get(index + 1)?);
    let old = u64::from(low.load(Ordering::Acquire)) | u64::from(high.load(Ordering::Acquire)) << 32;
    let new = change.apply(8, old, value, compare);
    low.store(new as u32, Ordering::Release);
    high.store((new >> 32) as u32, Ordering::Release);
    Some(old)
}

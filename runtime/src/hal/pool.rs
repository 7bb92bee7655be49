//! A device's memory pool: freed blocks are kept by size and given out again, so that steady calls allocate nothing.
//!
//! Reuse is safe without waiting because a device has one queue: commands that use the new owner's block come after
//! those of the old one. Page-locked host blocks are the exception (the host touches them directly): they return to
//! the pool at the next synchronisation. A request takes the smallest free block of at most an eighth more.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Device, HalErrorKind, HalResult, Place, RawDevice};

/// Sizes are multiples of this; also the alignment of device blocks, bytes.
pub(crate) const GRANULE: u64 = 256;

/// Memory taken from the driver; given back when the last user drops it.
pub(crate) struct Block {
    device: Arc<dyn RawDevice>,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) place: Place,
    /// Bytes of all blocks of the device's memory; counts this one, if it is one.
    held: Option<Arc<AtomicU64>>,
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(held) = &self.held {
            held.fetch_sub(self.bytes, Ordering::Relaxed);
        }
        // A lost device's memory is gone with it: its driver must not be called again.
        if !self.device.health().is_lost() {
            self.device.free(self.address, self.bytes, self.place);
        }
    }
}

#[derive(Default)]
struct Blocks {
    free: BTreeMap<(Place, u64), Vec<Arc<Block>>>,
    /// Page-locked blocks that queued commands may still use.
    waiting: Vec<Arc<Block>>,
    free_bytes: u64,
}

#[derive(Default)]
pub(crate) struct Pool {
    blocks: Mutex<Blocks>,
    /// Bytes of the device's memory that the driver gave, those of free blocks included.
    held: Arc<AtomicU64>,
}

/// Bytes that a block for so many takes.
pub(crate) fn block_bytes(bytes: u64) -> u64 {
    bytes.max(1).div_ceil(GRANULE).saturating_mul(GRANULE)
}

impl Device {
    /// Bytes of the device's memory that buffers hold here, with those that wait to be used again. What drivers take
    /// for code and for themselves is not among them.
    pub fn held_bytes(&self) -> u64 {
        self.pool.held.load(Ordering::Relaxed)
    }
}

impl Pool {
    /// A block of at least `bytes`; on out of memory everything free is given back and the driver asked again.
    pub(crate) fn take(&self, device: &Arc<dyn RawDevice>, bytes: u64, place: Place) -> HalResult<Arc<Block>> {
        let bytes = block_bytes(bytes);
        if let Some(block) = self.take_free(bytes, place) {
            return Ok(block);
        }
        let allocate = || device.allocate(bytes, place);
        let address = match allocate() {
            Err(error) if matches!(error.kind(), HalErrorKind::OutOfMemory { .. }) => {
                if self.trim() == 0 {
                    return Err(error);
                }
                device.health().check()?;
                allocate()?
            }
            other => other?,
        };
        let held = (place == Place::Device).then(|| self.held.clone());
        held.iter().for_each(|held| _ = held.fetch_add(bytes, Ordering::Relaxed));
        Ok(Arc::new(Block { device: device.clone(), address, bytes, place, held }))
    }

    fn take_free(&self, bytes: u64, place: Place) -> Option<Arc<Block>> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let most = bytes.saturating_add(bytes / 8);
        let (_, list) = blocks.free.range_mut((place, bytes)..=(place, most)).find(|(_, list)| !list.is_empty())?;
        let block = list.pop()?;
        blocks.free_bytes -= block.bytes;
        Some(block)
    }

    pub(crate) fn give_back(&self, block: Arc<Block>) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if block.place == Place::HostPinned {
            return blocks.waiting.push(block);
        }
        blocks.put(block);
    }

    /// Everything queued is done: page-locked blocks are free now.
    pub(crate) fn synchronized(&self) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        for block in std::mem::take(&mut blocks.waiting) {
            blocks.put(block);
        }
    }

    /// Gives the free blocks back to the driver; returns their bytes.
    pub(crate) fn trim(&self) -> u64 {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.free.clear();
        std::mem::take(&mut blocks.free_bytes)
    }
}

impl Blocks {
    fn put(&mut self, block: Arc<Block>) {
        self.free_bytes += block.bytes;
        self.free.entry((block.place, block.bytes)).or_default().push(block);
    }
}

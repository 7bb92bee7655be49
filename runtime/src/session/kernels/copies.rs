//! What a device copy takes: the ceiling of kernels that are bound by memory.
//!
//! Copies of sizes that are powers of two are timed when they are asked for, as kernels are: many in one list. What is
//! read and written counts. Small copies stay in the cache and say what a kernel could do there; bytes that come from
//! memory in any case, as the weights of a model larger than the cache, are held against the best rate of the large
//! copies.

use super::command_us;
use crate::errors::Result;
use crate::hal::{Buffer, Command, Device, Place};

/// Largest copy measured, bytes read and written; on CPUs, whose caches are smaller.
const COPY_BYTES: u64 = 1 << 30;
const CPU_COPY_BYTES: u64 = 1 << 28;
/// The largest copies whose best rate is the memory's: a driver copies 1 GiB at 2.7 TB/s and a quarter of it at 4.2
/// (H200, 2026-11-23).
const LARGE_COPIES: u32 = 4;
/// What part of the free memory a copy may take.
const MEMORY_PART: u64 = 4;
/// Smallest copy measured, bytes; less takes as long.
const SMALLEST_COPY_BYTES: u64 = 4 << 10;

pub(super) struct Copies {
    device: Device,
    /// The largest, bytes read and written.
    most: u64,
    /// Bytes read and written, microseconds.
    known: Vec<(u64, f64)>,
}

impl Copies {
    pub fn new(device: &Device) -> Result<Copies> {
        let wanted = if device.info().driver == "cpu" { CPU_COPY_BYTES } else { COPY_BYTES };
        let fits = (device.memory()?.free / MEMORY_PART).max(2 * SMALLEST_COPY_BYTES);
        Ok(Copies { device: device.clone(), most: wanted.min(1 << fits.ilog2()), known: Vec::new() })
    }

    /// Microseconds of a copy that reads and writes `bytes` together, of which `streamed` come from memory in any case.
    pub fn us(&mut self, bytes: u64, streamed: u64) -> Result<f64> {
        let from_memory = if streamed > 0 { streamed as f64 / self.rate()? * 1e6 } else { 0.0 };
        let bytes = bytes.max(SMALLEST_COPY_BYTES);
        if bytes >= self.smallest_large() {
            return Ok((bytes as f64 / self.rate()? * 1e6).max(from_memory));
        }
        let below = 1u64 << bytes.ilog2();
        let (low, high) = (self.measured(below)?, self.measured(below * 2)?);
        let part = (bytes - below) as f64 / below as f64;
        Ok((low + (high - low) * part).max(from_memory))
    }

    /// Bytes a second, read and written, of the best of the large copies.
    pub fn rate(&mut self) -> Result<f64> {
        let mut best = 0.0f64;
        let mut bytes = self.most;
        while bytes >= self.smallest_large() {
            best = best.max(bytes as f64 / self.measured(bytes)?.max(1e-9) * 1e6);
            bytes /= 2;
        }
        Ok(best)
    }

    /// Bytes of the smallest copy that counts as large.
    fn smallest_large(&self) -> u64 {
        (self.most >> (LARGE_COPIES - 1)).max(2 * SMALLEST_COPY_BYTES)
    }

    fn measured(&mut self, bytes: u64) -> Result<f64> {
        if let Some((_, us)) = self.known.iter().find(|known| known.0 == bytes) {
            return Ok(*us);
        }
        let allocate = || -> Result<Buffer> { Ok(self.device.allocate(bytes / 2, Place::Device)?) };
        let (source, target) = (allocate()?, allocate()?);
        let noise = Command::Fill { target: source.all(), pattern: 0x9e37_79b9_7f4a_7c15, pattern_bytes: 8 };
        self.device.submit(&self.device.record(&[noise])?)?;
        let copy = Command::Copy { source: source.all(), target: target.all() };
        let us = command_us(&self.device, &[copy])?;
        self.known.push((bytes, us));
        Ok(us)
    }
}

//! Copies from a device that are queued now and waited for later, so that more can be queued meanwhile.

use std::sync::Arc;

use super::device::{BufferSlice, Device};
use super::{HalError, HalResult, RawDevice};

/// Bytes on their way from a device.
pub struct Fetch {
    device: Arc<dyn RawDevice>,
    bytes: Vec<u8>,
    /// Of the copy, while it is under way.
    handle: Option<u64>,
}

impl Device {
    /// Copies that can be under way at a time; 0 where [`Device::fetch`] waits for each.
    pub fn fetches_max(&self) -> usize {
        if self.watch.is_on() { 0 } else { self.raw.fetches_max() }
    }

    /// Queues a copy from the device. Where it is large, or the driver does not queue it, it is waited for here.
    pub fn fetch(&self, source: &BufferSlice) -> HalResult<Fetch> {
        let address = self.range(source, false)?;
        let bytes = usize::try_from(source.bytes).map_err(|_| HalError::invalid("more bytes than the host has"))?;
        let mut fetch = Fetch { device: self.raw.clone(), bytes: vec![0; bytes], handle: None };
        if bytes > 0 && self.fetches_max() > 0 {
            fetch.handle = self.call(|raw| raw.start_fetch(address, bytes))?;
        }
        if fetch.handle.is_none() {
            self.download(source, &mut fetch.bytes)?;
        }
        Ok(fetch)
    }
}

impl Fetch {
    /// Waits for the bytes.
    pub fn wait(mut self) -> HalResult<Vec<u8>> {
        let mut bytes = std::mem::take(&mut self.bytes);
        if let Some(handle) = self.handle {
            self.device.health().check()?;
            let finished = self.device.finish_fetch(handle, &mut bytes);
            finished.map_err(|error| self.device.health().note(error))?;
        }
        Ok(bytes)
    }
}

impl Drop for Fetch {
    fn drop(&mut self) {
        if let Some(handle) = self.handle {
            self.device.release_fetch(handle);
        }
    }
}

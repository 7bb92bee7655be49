//! Memory that belongs to somebody else: buffers over it, its order against other queues, lists that do not hold it.
//!
//! A list keeps all memory that it names. Arrays of a caller are many and may be large: a list that is kept for later
//! calls must not hold on to them. Such a list may be submitted only while they are there, which the caller sees to.

use std::sync::Arc;

use super::HalResult;
use super::device::{BINDING_ALIGNMENT, Buffer, CommandList, Device, Memory};
use crate::mapping::{DeviceBytes, HostBytes};

impl Device {
    /// A read-only buffer over host bytes in place, where the device can do that and they are aligned for kernels.
    pub fn import(&self, bytes: &HostBytes) -> Option<Buffer> {
        let address = self.raw.import(bytes)?;
        if address % BINDING_ALIGNMENT != 0 {
            return None;
        }
        let len = bytes.bytes().len() as u64;
        Some(self.buffer(Memory::Imported { address, keep: bytes.clone() }, len))
    }

    /// A read-only buffer over another library's memory on this device, where it is aligned for kernels. What that
    /// library queued for it comes first: see [`Device::stream`].
    pub fn lend(&self, bytes: DeviceBytes) -> Option<Buffer> {
        let len = bytes.len();
        bytes.address().is_multiple_of(BINDING_ALIGNMENT).then(|| self.buffer(Memory::Lent(Arc::new(bytes)), len))
    }

    /// The device's queue in the words of its API (a CUDA stream), for libraries that order their work by it. `None`
    /// where it has no such name: nothing is lent to or by such a device.
    pub fn stream(&self) -> Option<u64> {
        self.raw.stream()
    }

    /// Makes another queue of the device wait for all that is queued here by now.
    pub fn order_before(&self, stream: u64) -> HalResult<()> {
        self.call(|raw| raw.order_before(stream))
    }

    /// Makes what is queued here from now on wait for all that another queue of the device has by now.
    pub fn order_after(&self, stream: u64) -> HalResult<()> {
        self.call(|raw| raw.order_after(stream))
    }
}

impl CommandList {
    /// Lets go of memory that belongs to somebody else. Who submits the list keeps what lies there until it is done.
    pub(crate) fn release_lent(&mut self) {
        self.used.memory.retain(|memory| matches!(memory, Memory::Block(_)));
    }
}

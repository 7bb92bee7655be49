//! Devices that run one module together: each holds a [`Collective`], by which it meets the others.
//!
//! A collective is a command of a list (`Command::Collective`), done in the queue's order. All devices of a group
//! meet at it; who does not come within the timeout, fails or leaves, ends it for all with an error that names it. What
//! a driver does is a [`RawCollective`]: threads of this process on host memory; kernels that reach the memory of other
//! GPUs (`drivers/cuda/collectives`); NCCL (`drivers/nccl`).

use std::sync::Arc;
use std::time::Duration;

use fornax_module::collective::{Collective as Operation, CollectiveKind, DEVICES_MAX, Reducer};
use fornax_types::ElementType;

use super::device::{BINDING_ALIGNMENT, BufferSlice, Device, Used};
use super::{HalError, HalResult, RawCommand, RawDevice};

/// By what GPUs exchange buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Kernels of the runtime where the GPUs reach each other's memory, else NCCL or RCCL.
    #[default]
    Auto,
    /// Kernels of the runtime.
    Own,
    /// NCCL, on AMD GPUs RCCL.
    Nccl,
}

/// One device's place among those that run a module together. Clones are the same place.
#[derive(Clone)]
pub struct Collective {
    raw: Arc<dyn RawCollective>,
    device: Arc<dyn RawDevice>,
}

/// A collective with everything resolved, for the device that it is queued on.
#[derive(Clone)]
pub struct RawExchange {
    pub with: Arc<dyn RawCollective>,
    pub kind: CollectiveKind,
    pub reducer: Option<Reducer>,
    pub element: ElementType,
    /// Everyone who meets, this device among them; of a permute all senders and receivers. Empty on a device that is
    /// in no group: it gets zeros.
    pub group: Box<[u32]>,
    /// The groups of all devices; of a permute the pairs (from, to).
    pub groups: Arc<[Vec<u32>]>,
    /// Of a permute: whose buffer this device gets; `None` for zeros.
    pub sender: Option<u32>,
    pub source: u64,
    pub source_bytes: u64,
    pub target: u64,
    pub target_bytes: u64,
}

impl std::fmt::Debug for RawExchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} bytes among {:?}", self.kind.name(), self.source_bytes, self.group)
    }
}

impl RawExchange {
    /// What a device does that is in no group.
    pub fn zeros(&self) -> Option<RawCommand> {
        let (target, bytes) = (self.target, self.target_bytes);
        let zeros = RawCommand::Fill { target, bytes, pattern: 0, pattern_bytes: 1 };
        (self.group.is_empty() && bytes > 0).then_some(zeros)
    }
}

/// A driver's way for one device to meet the others.
pub trait RawCollective: std::any::Any + Send + Sync {
    /// This device's number.
    fn device(&self) -> u32;

    fn devices(&self) -> u32;

    /// Does a checked collective behind what was queued before.
    fn run(&self, exchange: &RawExchange) -> HalResult<()>;

    /// Gives a word to all others and gets theirs, by device.
    fn tell(&self, word: [u8; 32]) -> HalResult<Vec<[u8; 32]>>;

    /// This device cannot go on: the others end with an error that names it and says why.
    fn fail(&self, why: &str);
}

impl std::fmt::Debug for Collective {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "device {} of {}", self.device(), self.devices())
    }
}

impl Collective {
    /// Joins devices of one driver, one place each, in their order. Whoever waits for another one gives up after
    /// `timeout`.
    ///
    /// # Errors
    /// `Unsupported` where the driver has no collectives, or the devices are of several drivers.
    pub fn join(devices: &[Device], timeout: Duration) -> HalResult<Vec<Collective>> {
        let Some(first) = devices.first() else { return Err(HalError::invalid("no devices to join")) };
        let driver = first.info().driver;
        if let Some(other) = devices.iter().find(|device| device.info().driver != driver) {
            let what = format!("{} and {} in one run", first.info().uri(), other.info().uri());
            return Err(HalError::new(super::HalErrorKind::Unsupported, what));
        }
        if devices.len() > DEVICES_MAX as usize {
            return Err(HalError::invalid("too many devices"));
        }
        let all: Vec<Arc<dyn RawDevice>> = devices.iter().map(|device| device.raw.clone()).collect();
        let places = first.raw.join(&all, timeout)?;
        let with = |(raw, device): (Arc<dyn RawCollective>, &Device)| Collective { raw, device: device.raw.clone() };
        Ok(places.into_iter().zip(devices).map(with).collect())
    }

    /// Joins devices of as many processes: this one's is number `place.0` of `place.1`, and all meet where number 0
    /// listens (`host:port`).
    ///
    /// # Errors
    /// `Unsupported` where the driver has no collectives between processes; `Host` where the others do not come.
    pub fn connect(
        device: &Device,
        place: (u32, u32),
        meeting_point: &str,
        timeout: Duration,
    ) -> HalResult<Collective> {
        let raw = device.raw.connect(place, meeting_point, timeout)?;
        Ok(Collective { raw, device: device.raw.clone() })
    }

    /// This device's number.
    pub fn device(&self) -> u32 {
        self.raw.device()
    }

    pub fn devices(&self) -> u32 {
        self.raw.devices()
    }

    /// Gives a word to all others and gets theirs, by device.
    ///
    /// # Errors
    /// `Peer` where another device does not come.
    pub fn tell(&self, word: [u8; 32]) -> HalResult<Vec<[u8; 32]>> {
        self.raw.tell(word)
    }

    /// This device cannot go on: the others end with an error that names it.
    pub fn fail(&self, why: &str) {
        self.raw.fail(why);
    }
}

impl Device {
    /// A collective as drivers get it; `None` if there is nothing to do.
    pub(super) fn check_collective(
        &self,
        (with, operation): (&Collective, &Operation),
        (source, target): (&BufferSlice, &BufferSlice),
        used: &mut Used,
    ) -> HalResult<Option<RawCommand>> {
        if !Arc::ptr_eq(&with.device, &self.raw) {
            return Err(HalError::invalid("a collective of another device"));
        }
        let (from, to) = (self.range(source, false)?, self.range(target, true)?);
        operation.check(with.devices()).map_err(HalError::invalid)?;
        let width = operation.element.storage_bytes() as u64;
        let aligned = from.is_multiple_of(BINDING_ALIGNMENT) && to.is_multiple_of(BINDING_ALIGNMENT);
        if operation.target_bytes(source.bytes) != Some(target.bytes) || !source.bytes.is_multiple_of(width) || !aligned
        {
            let what = format!("{} of {} bytes to {} bytes", operation.kind.name(), source.bytes, target.bytes);
            return Err(HalError::invalid(what));
        }
        if from < to + target.bytes && to < from + source.bytes {
            return Err(HalError::invalid("a collective between ranges that overlap"));
        }
        used.keep([source, target]);
        let own = with.device();
        let (group, sender) = match operation.kind {
            CollectiveKind::Permute => {
                let mut all: Vec<u32> = operation.groups.iter().flatten().copied().collect();
                all.sort_unstable();
                all.dedup();
                let pair = operation.groups.iter().find(|pair| pair.get(1) == Some(&own));
                (all, pair.and_then(|pair| pair.first().copied()))
            }
            _ => (operation.groups.iter().find(|group| group.contains(&own)).cloned().unwrap_or_default(), None),
        };
        if target.bytes == 0 && source.bytes == 0 {
            return Ok(None);
        }
        let group = if group.contains(&own) { group } else { Vec::new() };
        Ok(Some(RawCommand::Collective(Box::new(RawExchange {
            with: with.raw.clone(),
            kind: operation.kind,
            reducer: operation.reducer,
            element: operation.element,
            group: group.into(),
            groups: operation.groups.as_slice().into(),
            sender,
            source: from,
            source_bytes: source.bytes,
            target: to,
            target_bytes: target.bytes,
        }))))
    }
}

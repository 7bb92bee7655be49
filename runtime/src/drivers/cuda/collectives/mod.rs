//! GPUs that run a module together.
//!
//! Input: lists with collectives, each on its device's thread. Output: the same lists with kernels in place of the
//! collectives ([`plan`], [`ptx`]), which reach the buffers of the other GPUs through peer memory.
//!
//! Before a list with collectives is queued all devices meet on the host (`host_team`), also those that are in none of
//! its groups: they make sure that all are about to do the same, and learn where each other's buffers are. So who
//! fails, leaves or does not come ends the others before a kernel waits for it. Only what is queued already waits on
//! the GPU, at most for the timeout; the failure of a device ends that too.
//!
//! ```text
//! meet: addresses, "I prepare" → prepare (kernels, pads, graph) → meet again if anyone prepared → queue
//! ```
//! Nobody allocates or loads between the last meeting and the queueing: memory is mapped on all GPUs, and such a call
//! may wait for kernels on any of them, which wait for this thread.
//!
//! Branches and loops of unknown length with collectives are decided by the host, not in a graph: after a failure the
//! device would go round for ever on what it did not get.
//!
//! GPUs that do not reach each other's memory, and those of several processes, meet by NCCL ([`nccl`]): there the
//! collectives stay in the list.
//!
//! Limits: a list's collectives must be those of all devices, also where a branch depends on the device and is decided
//! by the host; compute capability 7.0 and later, 16 devices of a group. One GPU may be several devices of a run, for
//! tests.

mod ahead;
#[cfg(test)]
mod ahead_tests;
mod combine;
mod kernels;
mod nccl;
mod plan;
mod ptx;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use self::ahead::planned;
use self::kernels::Kernels;
use self::ptx::{RANKS_MAX, pad_bytes};
use super::context::Context;
use super::device::CudaDevice;
use crate::drivers::host_team::{self, Post};
use crate::drivers::rendezvous::{Watched, exchanges, summary};
use crate::hal::{
    DeviceInfo, HalError, HalErrorKind, HalResult, RawCollective, RawCommand, RawDevice, RawExchange, Transport,
};

/// `CU_MEMHOSTALLOC_PORTABLE` and `_DEVICEMAP`: every context may use it.
const ALL_CONTEXTS: u32 = 3;
/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
const ALREADY: i32 = 704;
/// First architecture whose kernels wait by themselves for others (`griddepcontrol`).
const EARLY_ARCH: u32 = 90;
/// Bytes of a device's word.
const STATE_BYTES: u64 = 256;
/// Set in the host's word by a device that cannot go on.
const ABORTED: u32 = 1 << 31;

/// A word of the host that kernels look at and write to: why a device gave up, or 0.
pub(super) struct Alert {
    context: Arc<Context>,
    word: *mut u32,
    timeout: Duration,
}

// SAFETY: the word is only read and written as one, volatile.
unsafe impl Send for Alert {}
// SAFETY: as above.
unsafe impl Sync for Alert {}

impl Watched for Alert {
    /// An error if a kernel gave up.
    fn check(&self) -> HalResult<()> {
        // SAFETY: the word lives as long as `self`.
        let code = unsafe { self.word.read_volatile() };
        let seconds = self.timeout.as_secs_f64();
        let what = match code {
            0 => return Ok(()),
            _ if code & ABORTED != 0 => format!("device {} failed", code & !ABORTED),
            _ => format!("no sign of device(s) [{}] within {seconds} s in a collective", code - 1),
        };
        Err(HalError::new(HalErrorKind::Peer, what))
    }
}

impl Alert {
    fn raise(&self, code: u32) {
        // SAFETY: as above.
        unsafe {
            if self.word.read_volatile() == 0 {
                self.word.write_volatile(code);
            }
        }
    }
}

impl Drop for Alert {
    fn drop(&mut self) {
        if self.context.enter_for_release() && self.context.is_drained() && !self.context.health.is_lost() {
            // SAFETY: made by `Seat::open`; kernels that use it are done.
            let code = unsafe { self.context.api.cuMemFreeHost(self.word.cast()) };
            self.context.released("cuMemFreeHost", code);
        }
    }
}

/// What all devices of a run know of one of them.
struct Seat {
    context: Arc<Context>,
    alert: Arc<Alert>,
    /// Not 0 once a kernel gave up: those behind it do nothing.
    state: u64,
}

impl Seat {
    fn open(context: &Arc<Context>, timeout: Duration) -> HalResult<Seat> {
        context.enter()?;
        let mut word: *mut c_void = null_mut();
        // SAFETY: writes one pointer.
        let code = unsafe { context.api.cuMemHostAlloc(&mut word, STATE_BYTES as usize, ALL_CONTEXTS) };
        context.check("cuMemHostAlloc", code, "allocating a word that kernels see")?;
        let alert = Arc::new(Alert { context: context.clone(), word: word.cast(), timeout });
        // SAFETY: just allocated, aligned to a page.
        unsafe { alert.word.write_volatile(0) };
        let state = context.allocate_zeros(STATE_BYTES, "allocating the state of collectives")?;
        Ok(Seat { context: context.clone(), alert, state })
    }

    /// What all kernels of the device get.
    fn words(&self, timeout: Duration) -> [u64; 3] {
        [timeout.as_nanos().min(u64::MAX.into()) as u64, self.state, self.alert.word as u64]
    }
}

/// All devices of a run.
struct Team {
    seats: Vec<Seat>,
    /// Memory of groups: as much on each device, in the order of the group.
    memory: Mutex<Memory>,
}

/// By group and purpose, where it is on each device.
type Memory = HashMap<(Box<[u32]>, Room), Vec<u64>>;

/// What a group has memory for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Room {
    /// What others push and signal.
    Pad,
    /// So many bytes for what others send ahead of a collective, one of a few of that size.
    Staging { bytes: u64, slot: usize },
}

impl Drop for Team {
    fn drop(&mut self) {
        // Kernels and copies of one device write into the memory of the others.
        let drained = self.seats.iter().all(|seat| seat.context.enter_for_release() && seat.context.is_drained());
        if !drained {
            return;
        }
        let memory = self.memory.get_mut().unwrap_or_else(PoisonError::into_inner);
        let memory = memory.iter().flat_map(|((group, _), all)| group.iter().map(|&d| d as usize).zip(all.iter()));
        let states = self.seats.iter().enumerate().map(|(device, seat)| (device, &seat.state));
        for (device, &address) in states.chain(memory) {
            let Some(context) = self.seats.get(device).map(|seat| &seat.context) else { continue };
            if context.enter_for_release() {
                // SAFETY: allocated by `allocate_zeros`; all streams are drained.
                let code = unsafe { context.api.cuMemFree_v2(address) };
                context.released("cuMemFree_v2", code);
            }
        }
    }
}

/// One device's place.
pub(super) struct Member {
    host: host_team::Member,
    team: Arc<Team>,
    context: Arc<Context>,
    /// The device's number.
    number: u32,
    timeout: Duration,
    kernels: Kernels,
    /// Kernels of collectives start before those that they depend on are over.
    early: bool,
}

/// A device's context and what is known of it.
type Parts = (Arc<Context>, DeviceInfo);

/// Places for CUDA devices.
pub(super) fn join(
    devices: &[Arc<dyn RawDevice>],
    (transport, timeout): (Transport, Duration),
) -> HalResult<Vec<Arc<dyn RawCollective>>> {
    let cuda = |device: &Arc<dyn RawDevice>| {
        let device: &dyn Any = &**device;
        device.downcast_ref::<CudaDevice>().map(CudaDevice::parts)
    };
    let parts: Vec<Parts> = devices.iter().filter_map(cuda).collect();
    match transport {
        Transport::Own => join_own(parts, timeout),
        Transport::Nccl => nccl::join(parts, timeout),
        Transport::Auto => match join_own(parts.clone(), timeout) {
            Err(error) if error.kind() == HalErrorKind::Unsupported => {
                nccl::join(parts, timeout).map_err(|other| HalError::new(other.kind(), format!("{error}; {other}")))
            }
            joined => joined,
        },
    }
}

/// A place of a run whose devices are processes: those of the library alone.
pub(super) fn connect(
    device: &CudaDevice,
    place: (u32, u32),
    meeting_point: &str,
    (transport, timeout): (Transport, Duration),
) -> HalResult<Arc<dyn RawCollective>> {
    match transport {
        Transport::Own => Err(unsupported("GPUs of several processes work together by NCCL alone".into())),
        Transport::Auto | Transport::Nccl => nccl::connect(device.parts(), place, meeting_point, timeout),
    }
}

/// Queues a collective of the library, which is captured.
pub(super) fn capture(exchange: &RawExchange) -> HalResult<()> {
    let member: &dyn Any = &*exchange.with;
    let library: Option<&nccl::Member> = member.downcast_ref();
    library.ok_or_else(|| unsupported(format!("{exchange:?} in a graph")))?.capture(exchange)
}

/// Places of devices that reach each other's memory.
fn join_own(parts: Vec<Parts>, timeout: Duration) -> HalResult<Vec<Arc<dyn RawCollective>>> {
    let arch = |info: &DeviceInfo| info.arch.trim_start_matches("sm_").parse::<u32>().unwrap_or(0);
    if let Some((_, info)) = parts.iter().find(|(_, info)| arch(info) < 70) {
        return Err(unsupported(format!("collectives on {} ({}): they need sm_70", info.uri(), info.arch)));
    }
    for (context, info) in &parts {
        for (peer, other) in parts.iter().filter(|(peer, _)| peer.context != context.context) {
            reach((context, info), (peer, other))?;
        }
    }
    let alone = |(at, (context, _)): (usize, &Parts)| {
        parts.iter().skip(at + 1).all(|(other, _)| other.context != context.context)
    };
    let early = parts.iter().all(|(_, info)| arch(info) >= EARLY_ARCH) && parts.iter().enumerate().all(alone);
    let seats = parts.iter().map(|(context, _)| Seat::open(context, timeout)).collect::<HalResult<Vec<_>>>()?;
    for seat in &seats {
        let alert: Arc<dyn Watched> = seat.alert.clone();
        seat.context.watch(Arc::downgrade(&alert));
    }
    let team = Arc::new(Team { seats, memory: Mutex::default() });
    let hosts = host_team::members(parts.len() as u32, timeout);
    let places = (0u32..).zip(parts).zip(hosts).map(|((number, (context, info)), host)| {
        let kernels = Kernels::new(&context, info);
        Arc::new(Member { host, team: team.clone(), context, number, timeout, kernels, early }) as Arc<_>
    });
    Ok(places.collect())
}

fn unsupported(what: String) -> HalError {
    HalError::new(HalErrorKind::Unsupported, what)
}

/// Lets a device use the memory of another one.
fn reach((context, info): (&Arc<Context>, &DeviceInfo), (peer, other): (&Arc<Context>, &DeviceInfo)) -> HalResult<()> {
    let mut can = 0;
    // SAFETY: device numbers that cuDeviceGet gave; writes one int.
    let code = unsafe { context.api.cuDeviceCanAccessPeer(&mut can, context.device, peer.device) };
    context.check("cuDeviceCanAccessPeer", code, "asking for access to another device")?;
    if can == 0 {
        return Err(unsupported(format!("collectives: {} cannot reach the memory of {}", info.uri(), other.uri())));
    }
    context.enter()?;
    // SAFETY: both contexts live; flags must be 0.
    match unsafe { context.api.cuCtxEnablePeerAccess(peer.context, 0) } {
        ALREADY => Ok(()),
        code => context.check("cuCtxEnablePeerAccess", code, "reaching the memory of another device"),
    }
}

impl Member {
    /// The memory of a group for something, in its order; made by the first who asks.
    fn memory(&self, group: &[u32], room: Room) -> HalResult<Vec<u64>> {
        let mut all = self.team.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (group.into(), room);
        if let Some(memory) = all.get(&key) {
            return Ok(memory.clone());
        }
        if group.len() > RANKS_MAX {
            return Err(unsupported(format!("a collective of {} devices: at most {RANKS_MAX}", group.len())));
        }
        let (bytes, what) = match room {
            Room::Pad => (pad_bytes(group.len()), "allocating the pad of a group"),
            Room::Staging { bytes, .. } => (bytes, "allocating what a group sends ahead"),
        };
        let make = |&device: &u32| {
            let seat = self.team.seats.get(device as usize).ok_or_else(|| HalError::invalid("no such device"))?;
            seat.context.enter()?;
            seat.context.allocate_zeros(bytes, what)
        };
        let memory = group.iter().map(make).collect::<HalResult<Vec<u64>>>()?;
        self.context.enter()?;
        all.insert(key, memory.clone());
        Ok(memory)
    }

    fn seat(&self) -> Option<&Seat> {
        self.team.seats.get(self.number as usize)
    }

    /// What all kernels of this device get.
    fn words(&self) -> [u64; 3] {
        self.seat().map_or([0; 3], |seat| seat.words(self.timeout))
    }

    fn state(&self) -> u64 {
        self.seat().map_or(0, |seat| seat.state)
    }
}

impl RawCollective for Member {
    fn device(&self) -> u32 {
        self.number
    }

    fn devices(&self) -> u32 {
        self.team.seats.len() as u32
    }

    /// Kernels take the place of collectives before a list is queued.
    fn run(&self, exchange: &RawExchange) -> HalResult<()> {
        Err(HalError::invalid(format!("{exchange:?} was not prepared")))
    }

    fn tell(&self, word: [u8; 32]) -> HalResult<Vec<[u8; 32]>> {
        self.host.tell(word)
    }

    fn fail(&self, why: &str) {
        self.host.fail(why);
        for seat in &self.team.seats {
            seat.alert.raise(ABORTED | self.number);
        }
    }
}

/// A list's collectives, and what became of them.
pub(super) struct Meeting {
    member: Arc<dyn RawCollective>,
    /// What all devices are about to do.
    what: String,
    /// Of each collective source, target and what it sends ahead ([`WORDS`]).
    addresses: Vec<u64>,
    /// What all devices posted last.
    posts: Vec<Post>,
    /// The list with kernels in place of collectives.
    commands: Vec<RawCommand>,
}

/// Words of a collective in what a device posts.
const WORDS: usize = 3;
/// What one device says of itself: that it has to prepare something.
const PREPARES: [u8; 32] = [1; 32];

impl Meeting {
    /// `None` for a list without collectives.
    pub(super) fn of(commands: &[RawCommand]) -> Option<Meeting> {
        let exchanges = exchanges(commands);
        let (member, what) = (exchanges.first()?.with.clone(), summary(&exchanges));
        let mut sent = Vec::new();
        ahead::words(commands, &mut sent);
        let all = exchanges.iter().zip(sent);
        let addresses = all.flat_map(|(exchange, sent)| [exchange.source, exchange.target, sent]).collect();
        Some(Meeting { member, what, addresses, posts: Vec::new(), commands: Vec::new() })
    }

    /// The place of the library, where it does the collectives.
    fn library(&self) -> Option<&nccl::Member> {
        let member: &dyn Any = &*self.member;
        member.downcast_ref()
    }

    /// Collectives of the list were queued.
    pub(super) fn queued(&self) -> HalResult<()> {
        self.library().map_or(Ok(()), nccl::Member::queued)
    }

    fn member(&self) -> HalResult<&Member> {
        let member: &dyn Any = &*self.member;
        member.downcast_ref::<Member>().ok_or_else(|| HalError::invalid("a collective of another driver"))
    }

    /// Meets the others and makes kernels where anything is new. `record` does what else this device has to prepare, if
    /// `records`. Afterwards nobody waits for anything but kernels.
    pub(super) fn hold(
        &mut self,
        commands: &[RawCommand],
        records: bool,
        record: impl FnOnce(&[RawCommand]) -> HalResult<()>,
    ) -> HalResult<()> {
        if let Some(library) = self.library() {
            if self.commands.is_empty() {
                library.prepare(&exchanges(commands))?;
            }
            if records {
                record(commands)?;
            }
            library.meet(&self.what)?;
            self.commands = commands.to_vec();
            return Ok(());
        }
        let is_new = self.posts.is_empty();
        let posts = self.meet(if is_new || records { PREPARES } else { [0; 32] })?;
        let moved = is_new || self.posts.iter().zip(&posts).any(|(old, new)| old.addresses != new.addresses);
        self.posts = posts;
        if moved {
            self.commands = self.planned(commands, &mut 0)?;
        }
        if moved || records {
            record(&self.commands)?;
        }
        // All see the same words.
        if self.posts.iter().any(|post| post.word == PREPARES) {
            self.meet([0; 32])?;
        }
        Ok(())
    }

    pub(super) fn commands(&self) -> &[RawCommand] {
        &self.commands
    }

    fn meet(&self, word: [u8; 32]) -> HalResult<Vec<Post>> {
        let member = self.member()?;
        let all: Vec<u32> = (0..member.devices()).collect();
        let post = Post { what: self.what.clone(), addresses: self.addresses.clone(), word };
        member.host.gather(&all, post, member.timeout)
    }

    /// The commands with kernels in place of collectives; `place` counts addresses.
    fn planned(&self, commands: &[RawCommand], place: &mut usize) -> HalResult<Vec<RawCommand>> {
        let member = self.member()?;
        planned(commands, &mut |exchange, how| {
            let plan = plan::plan(member, exchange, (&self.posts, *place), how);
            *place += WORDS;
            plan
        })
    }
}

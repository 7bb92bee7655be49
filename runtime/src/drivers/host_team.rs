//! Collectives of devices that are threads of this process and whose memory is the host's.
//!
//! Everyone posts where its buffer is; when all of a group have, each writes its own result from the buffers of the
//! others, and nobody goes on before all are through. Elements are combined in the order of the group, so the same
//! inputs give the same bits. A large all-reduce goes in two steps: each device combines its share of the elements,
//! then copies the shares of the others.
//!
//! ```text
//! post → (all here?) → work → (all through?) → copy shares → (all through?) → on
//!         timeout, failure, left: an error    no error possible: only memory is touched
//! ```
//! Once all are here nobody leaves before the end, so no buffer goes away while another device reads it.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fornax_module::collective::CollectiveKind;

use super::host_memory;
use super::host_reduce::combine;
#[cfg(any(feature = "cuda", feature = "rocm"))]
use super::rendezvous::Rendezvous;
use crate::hal::{HalError, HalErrorKind, HalResult, RawCollective, RawExchange};

/// From this size on an all-reduce goes in two steps, bytes. Not measured: below it the second wait costs more than it
/// saves.
const TWO_STEPS: u64 = 64 << 10;

/// So long a device that waits does not sleep: waking up takes longer than the others mostly need.
const AWAKE: Duration = Duration::from_micros(100);

/// Who meets, and the number of their meeting.
type Key = (Box<[u32]>, u64);

/// What one device brings.
#[derive(Clone, Default)]
pub(super) struct Post {
    /// What it is about to do: the same for all who meet.
    pub(super) what: String,
    /// Its buffers.
    pub(super) addresses: Vec<u64>,
    pub(super) word: [u8; 32],
}

impl Post {
    fn source(&self) -> u64 {
        self.addresses.first().copied().unwrap_or_default()
    }

    fn target(&self) -> u64 {
        self.addresses.get(1).copied().unwrap_or_default()
    }
}

#[derive(Default)]
struct Meeting {
    posts: Vec<Option<Post>>,
    /// Devices that reached each step after the posts.
    through: [usize; 2],
}

#[derive(Default)]
struct State {
    meetings: HashMap<Key, Meeting>,
    /// The first device that cannot go on, and why.
    failed: Option<(u32, String)>,
    /// Devices that are done with the run.
    left: Vec<u32>,
}

/// All devices of a run.
struct Team {
    devices: u32,
    timeout: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

/// One device's place in a team.
pub(super) struct Member {
    team: Arc<Team>,
    device: u32,
    /// Meetings so far, by group.
    counts: Mutex<HashMap<Box<[u32]>, u64>>,
}

/// A team of so many devices.
pub(super) fn join(devices: u32, timeout: Duration) -> Vec<Arc<dyn RawCollective>> {
    members(devices, timeout).into_iter().map(|member| Arc::new(member) as Arc<_>).collect()
}

/// The same, for drivers that only meet here.
pub(super) fn members(devices: u32, timeout: Duration) -> Vec<Member> {
    let team = Arc::new(Team { devices, timeout, state: Mutex::default(), changed: Condvar::new() });
    (0..devices).map(|device| Member { team: team.clone(), device, counts: Mutex::default() }).collect()
}

pub(super) fn peer(what: String) -> HalError {
    HalError::new(HalErrorKind::Peer, what)
}

impl Team {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, device: u32, why: String) {
        self.lock().failed.get_or_insert((device, why));
        self.changed.notify_all();
    }

    /// Posts and waits for the others of the group; afterwards all of them are bound to finish.
    fn meet(&self, key: &Key, at: usize, post: Post) -> HalResult<Vec<Post>> {
        self.meet_within(key, at, post, self.timeout)
    }

    fn meet_within(&self, key: &Key, at: usize, post: Post, timeout: Duration) -> HalResult<Vec<Post>> {
        let group = &key.0;
        let began = Instant::now();
        let deadline = began + timeout;
        let mut state = self.lock();
        if let Some((device, why)) = &state.failed {
            return Err(peer(format!("device {device} failed: {why}")));
        }
        let (own, what) = (group.get(at).copied().unwrap_or_default(), post.what.clone());
        let meeting = state.meetings.entry(key.clone()).or_default();
        meeting.posts.resize(group.len(), None);
        let other = group.iter().zip(&meeting.posts).find_map(|(device, other)| {
            other.as_ref().filter(|other| other.what != what).map(|other| (*device, other.what.clone()))
        });
        if let Some((device, theirs)) = other {
            let why = format!("device {own} is at {what} while device {device} is at {theirs}");
            state.failed.get_or_insert((own, why.clone()));
            self.changed.notify_all();
            return Err(peer(why));
        }
        if let Some(slot) = meeting.posts.get_mut(at) {
            *slot = Some(post);
        }
        self.changed.notify_all();
        loop {
            let posts = state.meetings.get(key).map(|meeting| meeting.posts.as_slice()).unwrap_or_default();
            let all: Option<Vec<Post>> = posts.iter().cloned().collect();
            if let Some(all) = all {
                return Ok(all);
            }
            let missing = |device: u32| {
                let at = group.iter().position(|&d| d == device);
                at.is_some_and(|at| posts.get(at).is_none_or(Option::is_none))
            };
            let absent: Vec<u32> = group.iter().copied().filter(|&device| missing(device)).collect();
            let gone = absent.iter().find(|device| state.left.contains(device));
            let late = Instant::now() >= deadline;
            let why = match (&state.failed, gone) {
                (Some((device, why)), _) => format!("device {device} failed: {why}"),
                (None, Some(device)) => format!("device {device} is done, and device {own} waits for it at {what}"),
                (None, None) if late => {
                    let seconds = timeout.as_secs_f64();
                    format!("no sign of device(s) {absent:?} within {seconds} s at {what}")
                }
                (None, None) if began.elapsed() < AWAKE => {
                    drop(state);
                    std::thread::yield_now();
                    state = self.lock();
                    continue;
                }
                (None, None) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                    continue;
                }
            };
            if state.failed.is_none() {
                let device = absent.first().copied().unwrap_or(own);
                state.failed = Some((device, why.clone()));
            }
            // Nobody may find this device here any more: its buffers go away.
            let meeting = state.meetings.get_mut(key);
            if let Some(slot) = meeting.and_then(|meeting| meeting.posts.get_mut(at)) {
                *slot = None;
            }
            self.changed.notify_all();
            return Err(peer(why));
        }
    }

    /// Waits until all who met have come this far. They are at work, and that ends.
    fn through(&self, key: &Key, step: usize) {
        let all = key.0.len();
        let mut state = self.lock();
        let Some(count) = state.meetings.get_mut(key).and_then(|meeting| meeting.through.get_mut(step)) else { return };
        *count += 1;
        self.changed.notify_all();
        loop {
            let done = state.meetings.get(key).and_then(|meeting| meeting.through.get(step).copied());
            if done.is_none_or(|done| done >= all) {
                return;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The last one out takes the meeting away.
    fn leave(&self, key: &Key) {
        self.through(key, 1);
        self.lock().meetings.remove(key);
    }
}

impl Member {
    /// Posts, and gets the posts of all of a group once they are there. Nobody waits for those who read them.
    #[cfg(any(feature = "cuda", feature = "rocm"))]
    pub(super) fn gather(&self, group: &[u32], post: Post, timeout: Duration) -> HalResult<Vec<Post>> {
        let at = group.iter().position(|&device| device == self.device);
        let at = at.ok_or_else(|| HalError::invalid("a collective of other devices"))?;
        let key = self.key(group);
        let posts = self.team.meet_within(&key, at, post, timeout)?;
        let mut state = self.team.lock();
        let done = state.meetings.get_mut(&key).and_then(|meeting| meeting.through.get_mut(1)).map(|count| {
            *count += 1;
            *count
        });
        if done.is_none_or(|done| done >= group.len()) {
            state.meetings.remove(&key);
        }
        drop(state);
        Ok(posts)
    }

    fn key(&self, group: &[u32]) -> Key {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(group.into()).or_default();
        *count += 1;
        (group.into(), *count)
    }
}

impl RawCollective for Member {
    fn device(&self) -> u32 {
        self.device
    }

    fn devices(&self) -> u32 {
        self.team.devices
    }

    fn run(&self, exchange: &RawExchange) -> HalResult<()> {
        if exchange.group.is_empty() {
            host_memory::fill(exchange.target, exchange.target_bytes, 0, 1);
            return Ok(());
        }
        let at = exchange.group.iter().position(|&device| device == self.device);
        let at = at.ok_or_else(|| HalError::invalid("a collective of other devices"))?;
        let key = self.key(&exchange.group);
        let post = Post { what: describe(exchange), addresses: vec![exchange.source, exchange.target], word: [0; 32] };
        let posts = self.team.meet(&key, at, post)?;
        let shares = exchange.kind == CollectiveKind::AllReduce && exchange.source_bytes >= TWO_STEPS;
        match shares {
            true => combine_share(exchange, &posts, at),
            false => work(exchange, &posts, at),
        }
        self.team.through(&key, 0);
        if shares {
            copy_shares(exchange, &posts, at);
        }
        self.team.leave(&key);
        Ok(())
    }

    fn tell(&self, word: [u8; 32]) -> HalResult<Vec<[u8; 32]>> {
        let all: Vec<u32> = (0..self.team.devices).collect();
        let key = self.key(&all);
        let post = Post { what: "the start of the run".into(), addresses: Vec::new(), word };
        let posts = self.team.meet(&key, self.device as usize, post)?;
        self.team.through(&key, 0);
        self.team.leave(&key);
        Ok(posts.into_iter().map(|post| post.word).collect())
    }

    fn fail(&self, why: &str) {
        self.team.fail(self.device, why.to_string());
    }
}

#[cfg(any(feature = "cuda", feature = "rocm"))]
impl Rendezvous for Member {
    fn meet_all(&self, what: &str, word: [u8; 32], timeout: Duration) -> HalResult<Vec<[u8; 32]>> {
        let all: Vec<u32> = (0..self.team.devices).collect();
        let post = Post { what: what.into(), addresses: Vec::new(), word };
        Ok(self.gather(&all, post, timeout)?.into_iter().map(|post| post.word).collect())
    }

    fn lost(&self) -> Option<String> {
        let state = self.team.lock();
        let (device, why) = state.failed.as_ref().filter(|(device, _)| *device != self.device)?;
        Some(format!("device {device} failed: {why}"))
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.team.lock().left.push(self.device);
        self.team.changed.notify_all();
    }
}

/// A collective in words: devices at the same one have the same.
pub(super) fn describe(exchange: &RawExchange) -> String {
    let reducer = exchange.reducer.map_or("", |reducer| reducer.name());
    format!("{exchange:?} {reducer} {}", exchange.element.spelling())
}

/// Writes this device's result; `at` is its place in the group.
pub(super) fn work(exchange: &RawExchange, posts: &[Post], at: usize) {
    let RawExchange { target, target_bytes, source_bytes, .. } = *exchange;
    let sources: Vec<u64> = posts.iter().map(Post::source).collect();
    let part = target_bytes / sources.len().max(1) as u64;
    let by = exchange.reducer;
    match exchange.kind {
        CollectiveKind::AllReduce => combine(exchange.element, by, &sources, target, target_bytes),
        CollectiveKind::ReduceScatter => {
            let own: Vec<u64> = sources.iter().map(|source| source + at as u64 * target_bytes).collect();
            combine(exchange.element, by, &own, target, target_bytes);
        }
        CollectiveKind::AllGather => {
            let places = (0u64..).map(|n| target + n * source_bytes);
            sources.iter().zip(places).for_each(|(&source, to)| host_memory::copy(source, to, source_bytes));
        }
        CollectiveKind::AllToAll => {
            let places = (0u64..).map(|n| target + n * part);
            sources.iter().zip(places).for_each(|(&source, to)| host_memory::copy(source + at as u64 * part, to, part));
        }
        CollectiveKind::Broadcast => {
            let first = sources.first().copied().unwrap_or(exchange.source);
            host_memory::copy(first, target, target_bytes);
        }
        CollectiveKind::Permute => {
            let sender = exchange.sender.and_then(|sender| exchange.group.iter().position(|&d| d == sender));
            match sender.and_then(|at| sources.get(at)) {
                Some(&source) => host_memory::copy(source, target, target_bytes),
                None => host_memory::fill(target, target_bytes, 0, 1),
            }
        }
    }
}

/// The bytes that device `at` of `count` combines in a large all-reduce: offset and length.
fn share(exchange: &RawExchange, at: usize, count: usize) -> (u64, u64) {
    let width = exchange.element.storage_bytes() as u64;
    let elements = exchange.source_bytes / width;
    let edge = |at: usize| elements * at as u64 / count as u64 * width;
    (edge(at), edge(at + 1) - edge(at))
}

fn combine_share(exchange: &RawExchange, posts: &[Post], at: usize) {
    let (offset, bytes) = share(exchange, at, posts.len());
    let sources: Vec<u64> = posts.iter().map(|post| post.source() + offset).collect();
    combine(exchange.element, exchange.reducer, &sources, exchange.target + offset, bytes);
}

fn copy_shares(exchange: &RawExchange, posts: &[Post], at: usize) {
    for (other, post) in posts.iter().enumerate().filter(|(other, _)| *other != at) {
        let (offset, bytes) = share(exchange, other, posts.len());
        host_memory::copy(post.target() + offset, exchange.target + offset, bytes);
    }
}

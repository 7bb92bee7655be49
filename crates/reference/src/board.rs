//! Where the devices of one evaluation hand each other tensors.
//!
//! Each device is a thread with its own interpreter. A collective posts the device's operands under its group and the
//! number of the group's collective, and waits until all of the group have posted. What is sent lies in a queue until
//! the target asks for it. When everyone who still runs waits, nobody will come: the evaluation ends for all of them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use fornax_graph::OpId;

use crate::tensor::Tensor;

/// Why a group never comes together, whichever of its devices is the last to come.
const DONE: &str = "a device that others wait for is done";

/// Why a device never receives what it waits for.
const CYCLE: &str = "the devices wait for each other at different ops";

/// Devices, and the number of their collective.
type Key = (Vec<u32>, u64);

/// What one `send` gives.
pub(crate) type Parcel = Vec<Tensor>;

/// A channel, from which device, to which.
type Address = (i64, u32, u32);

#[derive(Default)]
struct State {
    /// By collective: what each device posted, in the order of the group.
    posts: HashMap<Key, Vec<Option<Posted>>>,
    /// What was sent and not received yet, in order.
    parcels: HashMap<Address, VecDeque<Parcel>>,
    /// Where devices wait for something to be sent.
    awaited: Vec<Address>,
    /// Devices that wait for others.
    waiting: usize,
    /// Devices that are done, well or not.
    done: usize,
    /// Why nobody may go on.
    failed: Option<String>,
}

type Posted = (OpId, Arc<Vec<Tensor>>);

pub(crate) struct Board {
    devices: usize,
    state: Mutex<State>,
    changed: Condvar,
}

/// One device's place at the board.
pub(crate) struct Seat {
    pub device: u32,
    board: Arc<Board>,
    /// Collectives so far, by group.
    counts: HashMap<Vec<u32>, u64>,
}

impl Board {
    pub fn new(devices: usize) -> Arc<Board> {
        Arc::new(Board { devices, state: Mutex::default(), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the evaluation where everyone who still runs waits.
    fn refuse_rest(&self, state: &mut State) {
        if state.waiting > 0 && state.waiting + state.done >= self.devices {
            let why = if state.done > 0 { DONE } else { CYCLE };
            state.failed.get_or_insert_with(|| why.into());
            self.changed.notify_all();
        }
    }
}

impl Seat {
    pub fn new(board: &Arc<Board>, device: u32) -> Seat {
        Seat { device, board: board.clone(), counts: HashMap::new() }
    }

    /// Posts the operands of a collective and gives those of the whole group, in its order.
    ///
    /// # Errors
    /// Why the group never comes together, for people.
    pub fn exchange(
        &mut self,
        group: &[u32],
        op: OpId,
        operands: Vec<Tensor>,
    ) -> Result<Vec<Arc<Vec<Tensor>>>, String> {
        let count = self.counts.entry(group.to_vec()).or_default();
        let key = (group.to_vec(), *count);
        *count += 1;
        let at = group.iter().position(|&d| d == self.device).ok_or("this device is not of the group")?;
        let mut state = self.board.lock();
        let posts = state.posts.entry(key.clone()).or_insert_with(|| vec![None; group.len()]);
        posts[at] = Some((op, Arc::new(operands)));
        if posts.iter().all(Option::is_some) {
            state.waiting -= group.len() - 1;
            self.board.changed.notify_all();
        } else {
            state.waiting += 1;
            self.board.refuse_rest(&mut state);
        }
        loop {
            let posts = state.posts.get(&key).map(Vec::as_slice).unwrap_or_default();
            let all: Option<Vec<Posted>> = posts.iter().cloned().collect();
            if let Some(all) = all {
                return match all.iter().all(|(other, _)| *other == op) {
                    true => Ok(all.into_iter().map(|(_, tensors)| tensors).collect()),
                    false => Err("the devices of a group meet at different ops".into()),
                };
            }
            if let Some(why) = &state.failed {
                return Err(why.clone());
            }
            state = self.board.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Puts a parcel where the target finds it.
    pub fn send(&self, channel: i64, target: u32, parcel: Parcel) {
        let address = (channel, self.device, target);
        let mut state = self.board.lock();
        state.parcels.entry(address).or_default().push_back(parcel);
        if let Some(at) = state.awaited.iter().position(|awaited| *awaited == address) {
            state.awaited.swap_remove(at);
            state.waiting -= 1;
            self.board.changed.notify_all();
        }
    }

    /// The next parcel of a source.
    ///
    /// # Errors
    /// Why it never comes, for people.
    pub fn receive(&self, channel: i64, source: u32) -> Result<Parcel, String> {
        let address = (channel, source, self.device);
        let mut state = self.board.lock();
        if state.parcels.get(&address).is_none_or(VecDeque::is_empty) {
            state.awaited.push(address);
            state.waiting += 1;
            self.board.refuse_rest(&mut state);
        }
        loop {
            if let Some(parcel) = state.parcels.get_mut(&address).and_then(VecDeque::pop_front) {
                return Ok(parcel);
            }
            if let Some(why) = &state.failed {
                return Err(why.clone());
            }
            state = self.board.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Seat {
    /// The device is done: whoever waits for it waits for nothing.
    fn drop(&mut self) {
        let mut state = self.board.lock();
        state.done += 1;
        self.board.refuse_rest(&mut state);
    }
}

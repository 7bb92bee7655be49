//! The library's communicators: one of all devices, one for each way in which they are grouped.
//!
//! Each call is made under a lock, so that whoever gives up can abort them: none waits, and how a call went is asked
//! for until it is done. After an abort there are none, and every call is an error that says why.

use std::collections::HashMap;
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Gpu;
use super::api::{Comm, Config, IN_PROGRESS, Nccl, SUCCESS, UniqueId};
use crate::drivers::rendezvous::{Rendezvous, Watched};
use crate::hal::{HalError, HalErrorKind, HalResult};

/// Between two looks at a call under way.
const LOOK: Duration = Duration::from_micros(20);
/// For the devices that still work to say so.
const ROLL_CALL: Duration = Duration::from_secs(2);
/// `NCCL_SPLIT_NOCOLOR`: in no group.
const NO_GROUP: c_int = -1;

/// Groups of devices, of all groups of an operation.
type Groups = Arc<[Vec<u32>]>;

struct State {
    /// The world, then groups in the order in which they were first used. Null where this device is in none.
    comms: Vec<Comm>,
    /// Places in `comms`.
    groups: HashMap<Groups, usize>,
    failed: Option<HalError>,
}

pub(super) struct Communicators {
    pub(super) api: Nccl,
    host: Arc<dyn Rendezvous>,
    timeout: Duration,
    state: Mutex<State>,
}

// SAFETY: the library's handles may be used from any thread, by one at a time, which the lock sees to.
unsafe impl Send for Communicators {}
// SAFETY: as above.
unsafe impl Sync for Communicators {}

impl Communicators {
    /// Meets the others for the unique id, and makes the communicator of all.
    pub(super) fn open(
        gpu: &Arc<dyn Gpu>,
        host: &Arc<dyn Rendezvous>,
        names: &[&str],
        timeout: Duration,
    ) -> HalResult<Communicators> {
        let api = Nccl::find(names)?;
        let state = State { comms: Vec::new(), groups: HashMap::new(), failed: None };
        let opened = Communicators { api, host: host.clone(), timeout, state: Mutex::new(state) };
        let mut id = UniqueId([0; 128]);
        if host.device() == 0 {
            // SAFETY: writes 128 bytes.
            let code = unsafe { opened.api.ncclGetUniqueId(&mut id) };
            opened.api.check("ncclGetUniqueId", code, "making an id of the run")?;
        }
        for part in id.0.chunks_exact_mut(32) {
            let word = <[u8; 32]>::try_from(&*part).unwrap_or_default();
            let words = host.meet_all("the library's id", word, timeout)?;
            part.copy_from_slice(&words.first().copied().unwrap_or_default());
        }
        gpu.enter()?;
        let (count, own) = (host.devices() as c_int, host.device() as c_int);
        opened.make("ncclCommInitRankConfig", |api, comm| {
            let mut config = Config::not_blocking();
            // SAFETY: the device is current; the handle lies on the heap until it is written.
            unsafe { api.ncclCommInitRankConfig(comm, count, id, own, &mut config) }
        })?;
        Ok(opened)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a communicator that a call makes.
    fn make(&self, api: &'static str, call: impl FnOnce(&Nccl, *mut Comm) -> c_int) -> HalResult<usize> {
        let what = "making a communicator";
        // The library may write it later.
        let mut made: Box<Comm> = Box::new(null_mut());
        let code = call(&self.api, &mut *made);
        self.api.check(api, code, what)?;
        let at = {
            let mut state = self.lock();
            state.comms.push(*made);
            state.comms.len() - 1
        };
        if (*made).is_null() && code == IN_PROGRESS {
            return Err(HalError::new(HalErrorKind::Internal, format!("{api} gave no communicator")));
        }
        self.finish(at, api, what).map(|()| at)
    }

    /// The communicator of the groups of an operation; made by all devices the first time.
    pub(super) fn of_groups(&self, groups: &Groups, own: &[u32]) -> HalResult<usize> {
        let count = self.host.devices();
        if let [all] = &**groups
            && all.iter().copied().eq(0..count)
        {
            return Ok(0);
        }
        if let Some(at) = self.lock().groups.get(groups) {
            return Ok(*at);
        }
        // Groups have no device in common: the least number names one.
        let place = own.iter().position(|&device| device == self.host.device());
        let color = place.and(own.iter().min()).map_or(NO_GROUP, |least| *least as c_int);
        let world = self.world()?;
        let made: Box<Comm> = Box::new(null_mut());
        let made = Box::into_raw(made);
        let mut config = Config::not_blocking();
        let key = place.unwrap_or(0) as c_int;
        let code = {
            let _calls = self.lock();
            // SAFETY: the communicator is live under the lock; the handle stays until the call is done.
            unsafe { self.api.ncclCommSplit(world, color, key, made, &mut config) }
        };
        let done = self.api.check("ncclCommSplit", code, "making a communicator of a group");
        let done = done.and_then(|()| self.finish(0, "ncclCommSplit", "making a communicator of a group"));
        // SAFETY: made above. After an error the library may still write there: then it stays.
        let made = if done.is_ok() { unsafe { *Box::from_raw(made) } } else { null_mut() };
        done?;
        let at = {
            let mut state = self.lock();
            state.comms.push(made);
            let at = state.comms.len() - 1;
            state.groups.insert(groups.clone(), at);
            at
        };
        if !made.is_null() {
            self.finish(at, "ncclCommSplit", "making a communicator of a group")?;
        }
        Ok(at)
    }

    fn world(&self) -> HalResult<Comm> {
        let state = self.lock();
        match (&state.failed, state.comms.first()) {
            (None, Some(world)) => Ok(*world),
            (failed, _) => Err(failed.clone().unwrap_or_else(|| HalError::invalid("a communicator that is closed"))),
        }
    }

    /// Makes a call on a communicator, and waits until the library has taken it.
    pub(super) fn call(&self, at: usize, api: &'static str, call: impl FnOnce(&Nccl, Comm) -> c_int) -> HalResult<()> {
        let code = {
            let state = self.lock();
            if let Some(failed) = &state.failed {
                return Err(failed.clone());
            }
            let comm = state.comms.get(at).copied().filter(|comm| !comm.is_null());
            call(&self.api, comm.ok_or_else(|| HalError::invalid("a collective without a communicator"))?)
        };
        let what = "queueing a collective";
        if let Err(error) = self.api.check(api, code, what) {
            return Err(self.gave_up(error));
        }
        if code == IN_PROGRESS { self.finish(at, api, what) } else { Ok(()) }
    }

    /// Waits for a call under way.
    fn finish(&self, at: usize, api: &'static str, what: &str) -> HalResult<()> {
        let begin = Instant::now();
        loop {
            match self.state_of(at)? {
                SUCCESS => return Ok(()),
                IN_PROGRESS => {}
                code => {
                    let error = self.api.check(api, code, what).err();
                    return error.map_or(Ok(()), |error| Err(self.gave_up(error)));
                }
            }
            if let Some(why) = self.host.lost() {
                return Err(self.abort(&why));
            }
            if begin.elapsed() > self.timeout {
                return Err(self.late(api));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// What the library says of a communicator; the first error of all for number 0.
    fn state_of(&self, at: usize) -> HalResult<c_int> {
        let state = self.lock();
        if let Some(failed) = &state.failed {
            return Err(failed.clone());
        }
        let Some(&comm) = state.comms.get(at).filter(|comm| !comm.is_null()) else { return Ok(SUCCESS) };
        let mut code = SUCCESS;
        // SAFETY: the communicator is live under the lock; writes one int.
        let asked = unsafe { self.api.ncclCommGetAsyncError(comm, &mut code) };
        Ok(if asked == SUCCESS { code } else { asked })
    }

    /// An error of the library ends the run. Where another device is known to be the cause, that is the error.
    fn gave_up(&self, error: HalError) -> HalError {
        let why = match self.host.lost() {
            Some(lost) => lost,
            None if error.kind() == HalErrorKind::Peer => format!("another device ended: {error}"),
            None => {
                self.abort_with(error.clone());
                return error;
            }
        };
        self.abort(&why)
    }

    /// Ends what did not end in time, with an error that says who is gone.
    pub(super) fn late(&self, what: &str) -> HalError {
        let seconds = self.timeout.as_secs_f64();
        let why = match self.host.meet_all("a collective that does not end", [0; 32], ROLL_CALL) {
            Err(error) => error.to_string(),
            Ok(_) => format!("{what} did not end within {seconds} s, though all devices are there"),
        };
        self.abort(&why)
    }

    /// Ends what is queued on this device: it waits for one that is not there any more.
    pub(super) fn abort(&self, why: &str) -> HalError {
        self.abort_with(HalError::new(HalErrorKind::Peer, why))
    }

    fn abort_with(&self, error: HalError) -> HalError {
        let (first, comms) = {
            let mut state = self.lock();
            let first = state.failed.get_or_insert(error).clone();
            (first, std::mem::take(&mut state.comms))
        };
        // Groups first: they may use what the world has.
        for comm in comms.into_iter().rev().filter(|comm| !comm.is_null()) {
            // SAFETY: taken out above: nobody uses it any more.
            let code = unsafe { self.api.ncclCommAbort(comm) };
            if code != SUCCESS {
                tracing::warn!("ncclCommAbort: {code}");
            }
        }
        first
    }

    /// An error where the library, or another device, has given up.
    pub(super) fn look(&self) -> HalResult<()> {
        let count = self.lock().comms.len();
        for at in 0..count {
            let code = self.state_of(at)?;
            if let Err(error) = self.api.check("ncclCommGetAsyncError", code, "a collective under way") {
                return Err(self.gave_up(error));
            }
        }
        match self.host.lost() {
            Some(why) => Err(self.abort(&why)),
            None => Ok(()),
        }
    }

    /// Gives the communicators back. The work on them is done, or they were aborted.
    pub(super) fn close(&self, timeout: Duration) {
        let count = self.lock().comms.len();
        for at in (0..count).rev() {
            let comm = self.lock().comms.get(at).copied().filter(|comm| !comm.is_null());
            let Some(comm) = comm else { continue };
            // SAFETY: live until it is destroyed below.
            let code = unsafe { self.api.ncclCommFinalize(comm) };
            let begin = Instant::now();
            let mut state = code;
            while state == IN_PROGRESS && begin.elapsed() < timeout {
                std::thread::sleep(LOOK);
                state = self.state_of(at).unwrap_or(code);
            }
            // SAFETY: nobody uses it any more.
            let gone = unsafe {
                match state {
                    SUCCESS => self.api.ncclCommDestroy(comm),
                    _ => self.api.ncclCommAbort(comm),
                }
            };
            if gone != SUCCESS {
                tracing::debug!("a communicator is given back: {gone}");
            }
        }
        self.lock().comms.clear();
    }
}

impl Watched for Communicators {
    fn check(&self) -> HalResult<()> {
        if let Some(failed) = &self.lock().failed {
            return Err(failed.clone());
        }
        self.look()
    }
}

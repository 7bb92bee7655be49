//! The sessions of a program, one a device, made when they are first needed.
//!
//! A program whose devices exchange data is loaded on all of them together: each session then has its place among them.
//! Where such a call fails, the places are of no use any more, and the next call finds new ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use fornax_runtime::hal::{self, Collective};
use fornax_runtime::session::HostFunctions;
use fornax_runtime::{Module, Session, SessionOptions};

use crate::device::Device;
use crate::error::{Failure, Result, Status};
use crate::host_functions::{self, Functions};

/// A session on a device, which jobs share, and its place among the devices that run the program together.
#[derive(Clone)]
pub struct Place {
    pub session: Arc<Mutex<Session>>,
    with: Option<Collective>,
}

impl Place {
    /// Tells the other devices of a call that this one cannot do its part.
    pub fn fail(&self, why: &Failure) {
        if let Some(with) = &self.with {
            with.fail(&why.message);
        }
    }
}

/// The sessions of one program.
pub struct Sessions {
    module: Module,
    /// So long a device waits for another one.
    timeout: Duration,
    made: Mutex<HashMap<i32, Place>>,
}

impl Sessions {
    pub fn new(module: &Module, timeout: Duration) -> Sessions {
        Sessions { module: module.clone(), timeout, made: Mutex::default() }
    }

    /// The program's devices exchange data.
    pub fn are_together(&self) -> bool {
        self.module.manifest().devices() > 1
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i32, Place>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sessions on devices. Those that are together come whole or not at all.
    ///
    /// # Errors
    /// What the runtime says of the module or the devices.
    pub fn on(&self, devices: &[Arc<Device>]) -> Result<Vec<Place>> {
        let mut made = self.lock();
        let of = |made: &HashMap<i32, Place>| devices.iter().map(|device| made.get(&device.id).cloned()).collect();
        let found: Option<Vec<Place>> = of(&made);
        if let Some(found) = found {
            return Ok(found);
        }
        let missing: Vec<&Arc<Device>> = match self.are_together() {
            true => devices.iter().collect(),
            false => devices.iter().filter(|device| !made.contains_key(&device.id)).collect(),
        };
        for (device, place) in missing.iter().zip(self.load(&missing)?) {
            made.insert(device.id, place);
        }
        let found: Option<Vec<Place>> = of(&made);
        found.ok_or_else(|| Failure::argument("a program for the same device twice"))
    }

    /// A session on a device.
    fn session(&self, device: &Device, with: Option<Collective>) -> Result<Session> {
        let host_functions = Some(Arc::new(Functions) as Arc<dyn HostFunctions>);
        let options = SessionOptions { collective: with, host_functions, ..SessionOptions::default() };
        Ok(Session::load(&self.module, &device.runtime, &options)?)
    }

    /// Runs a call on the session of a place, behind those that are there. In a function of the host a session that is
    /// taken is not waited for, its call may wait for the function: this call has a session of its own.
    ///
    /// # Errors
    /// What the call or the runtime says.
    pub fn call<T>(&self, device: &Device, place: &Place, call: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        if !host_functions::is_inside() {
            return call(&mut place.session.lock().unwrap_or_else(PoisonError::into_inner));
        }
        match place.session.try_lock() {
            Ok(mut session) => call(&mut session),
            Err(TryLockError::Poisoned(poisoned)) => call(&mut poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => call(&mut self.session(device, None)?),
        }
    }

    /// Loads the module. Devices that are together load at the same time, for they compare what they load.
    fn load(&self, devices: &[&Arc<Device>]) -> Result<Vec<Place>> {
        let one = |device: &Device, with: Option<Collective>| match self.session(device, with.clone()) {
            Ok(session) => Ok(Place { session: Arc::new(Mutex::new(session)), with }),
            Err(failure) => {
                with.iter().for_each(|with| with.fail(&failure.message));
                Err(failure)
            }
        };
        if !self.are_together() {
            return devices.iter().map(|device| one(device, None)).collect();
        }
        let runtimes: Vec<hal::Device> = devices.iter().map(|device| device.runtime.clone()).collect();
        let joined = Collective::join(&runtimes, self.timeout)?;
        std::thread::scope(|scope| {
            let one = &one;
            let start = |(device, with): (&&Arc<Device>, Collective)| {
                let device: Arc<Device> = Arc::clone(device);
                std::thread::Builder::new().spawn_scoped(scope, move || one(&device, Some(with)))
            };
            let threads: Vec<_> = devices.iter().zip(joined).map(start).collect();
            let ended = |what: &str| Failure::coded(Status::ResourceExhausted, "FX0721", what);
            let places = threads.into_iter().map(|thread| match thread.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(place)) => place,
                Ok(Err(_)) => Err(ended("a thread that loads a program ended")),
                Err(error) => Err(ended(&error.to_string())),
            });
            places.collect()
        })
    }

    /// After a failure: the places that a call had are not used again.
    pub fn forget(&self, failed: &Place) {
        if failed.with.is_some() {
            let mut made = self.lock();
            if made.values().any(|place| Arc::ptr_eq(&place.session, &failed.session)) {
                made.clear();
            }
        }
    }

    /// Ends the sessions; calls that run already keep theirs.
    pub fn clear(&self) {
        self.lock().clear();
    }
}

//! A program on the devices of a client: one session a device, made when the program first runs there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fornax_runtime::{Session, SessionOptions};

use crate::api::executables::*;
use crate::api::{Handle, List, Owned, Text};
use crate::client::Shared;
use crate::device::Device;
use crate::error::{Failure, Result, Status};
use crate::executable::{Compiled, Executable};

/// A session that jobs share.
pub type SharedSession = Arc<Mutex<Session>>;

/// A program on devices, as callers hold it.
pub struct Loaded {
    pub client: Arc<Shared>,
    pub compiled: Arc<Compiled>,
    /// Where it runs, in the order of the assignment; of a portable program all devices.
    pub devices: Vec<Arc<Device>>,
    handles: Vec<Handle<Device>>,
    ids: Vec<LogicalId>,
    sessions: Mutex<HashMap<i32, SharedSession>>,
    /// Operations and bytes of a call: small ones run on the caller's thread.
    pub work: Option<(u64, u64)>,
    is_deleted: AtomicBool,
}

impl Loaded {
    pub fn new(client: &Arc<Shared>, mut compiled: Compiled) -> Result<Loaded> {
        let options = &compiled.options;
        let is_portable = options.devices.is_empty();
        let devices = match is_portable {
            true => client.devices.clone(),
            false => options.devices.iter().map(|id| client.of_id(*id)).collect::<Result<Vec<_>>>()?,
        };
        let partitions = options.partitions.max(1);
        let id = |at: usize| LogicalId { replica: (at / partitions) as i32, partition: (at % partitions) as i32 };
        let handles = match is_portable {
            true => Vec::new(),
            false => devices.iter().map(|device| Handle::lend(&**device)).collect(),
        };
        let ids = (0..handles.len()).map(id).collect();
        // The first session shows now that the module can be loaded.
        let first = devices.first().ok_or_else(|| Failure::argument("a program for no device"))?;
        let session = Session::load(&compiled.module, &first.runtime, &SessionOptions::default())?;
        let work = session.work();
        compiled.set_costs(work);
        let sessions = HashMap::from([(first.id, Arc::new(Mutex::new(session)))]);
        Ok(Loaded {
            client: client.clone(),
            compiled: Arc::new(compiled),
            devices,
            handles,
            ids,
            sessions: Mutex::new(sessions),
            work,
            is_deleted: AtomicBool::new(false),
        })
    }

    /// The session on a device.
    ///
    /// # Errors
    /// What the runtime says of the module.
    pub fn session(&self, device: &Device) -> Result<SharedSession> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = sessions.get(&device.id) {
            return Ok(found.clone());
        }
        let session = Session::load(&self.compiled.module, &device.runtime, &SessionOptions::default())?;
        let session = Arc::new(Mutex::new(session));
        sessions.insert(device.id, session.clone());
        Ok(session)
    }

    /// Whether it can be called.
    ///
    /// # Errors
    /// FX0736 once it was deleted.
    pub fn check(&self) -> Result<()> {
        match self.is_deleted.load(Ordering::Acquire) {
            true => Err(Failure::coded(Status::InvalidArgument, "FX0736", "the program was deleted")),
            false => Ok(()),
        }
    }
}

pub fn destroy(args: &mut LoadedArgs) -> Result<()> {
    drop(args.executable.take());
    Ok(())
}

pub fn executable(args: &mut UnloadedArgs) -> Result<()> {
    args.executable = Handle::give(Executable(args.loaded.get()?.compiled.clone()));
    Ok(())
}

pub fn devices(args: &mut LoadedDevicesArgs) -> Result<()> {
    args.devices = List::lend(&args.executable.get()?.handles);
    Ok(())
}

pub fn logical_ids(args: &mut LogicalIdsArgs) -> Result<()> {
    args.ids = List::lend(&args.executable.get()?.ids);
    Ok(())
}

pub fn assignment(args: &mut LoadedOwnedArgs) -> Result<()> {
    args.owned = Owned::new(args.executable.get()?.compiled.options.assignment());
    Ok(())
}

/// Calls that run already come to their end.
pub fn delete(args: &mut LoadedArgs) -> Result<()> {
    let loaded = args.executable.get()?;
    loaded.is_deleted.store(true, Ordering::Release);
    loaded.sessions.lock().unwrap_or_else(PoisonError::into_inner).clear();
    Ok(())
}

pub fn is_deleted(args: &mut LoadedTruthArgs) -> Result<()> {
    args.value = args.executable.get()?.is_deleted.load(Ordering::Acquire);
    Ok(())
}

pub fn fingerprint(args: &mut LoadedTextArgs) -> Result<()> {
    args.text = Text::lend(args.executable.get()?.compiled.fingerprint().as_bytes());
    Ok(())
}

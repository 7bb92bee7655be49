//! A program on the devices of a client, where `Sessions` run it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use crate::api::executables::*;
use crate::api::{Handle, List, Owned, Text};
use crate::client::Shared;
use crate::device::Device;
use crate::error::{Failure, Result, Status};
use crate::executable::{Compiled, Executable};
use crate::sessions::{Place, Sessions};

/// A program on devices, as callers hold it.
pub struct Loaded {
    pub client: Arc<Shared>,
    pub compiled: Arc<Compiled>,
    /// Where it runs, in the order of the assignment; of a portable program all devices.
    pub devices: Vec<Arc<Device>>,
    handles: Vec<Handle<Device>>,
    ids: Vec<LogicalId>,
    pub sessions: Arc<Sessions>,
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
        let sessions = Arc::new(Sessions::new(&compiled.module, client.collective_timeout));
        let wanted = compiled.module.manifest().devices();
        if sessions.are_together() && (is_portable || wanted as usize != devices.len()) {
            let message = format!("the program is made for {wanted} devices, and {} are named", handles.len());
            return Err(Failure::coded(Status::InvalidArgument, "FX0735", message));
        }
        // The first session shows now that the module can be loaded.
        let first = devices.get(..1).ok_or_else(|| Failure::argument("a program for no device"))?;
        let places = sessions.on(if sessions.are_together() { &devices } else { first })?;
        let of = |place: &Place| place.session.lock().unwrap_or_else(PoisonError::into_inner).work();
        let work = places.first().and_then(of);
        compiled.set_costs(work);
        Ok(Loaded {
            client: client.clone(),
            compiled: Arc::new(compiled),
            devices,
            handles,
            ids,
            sessions,
            work,
            is_deleted: AtomicBool::new(false),
        })
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
    loaded.sessions.clear();
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

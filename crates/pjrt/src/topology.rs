//! The topology: the devices of a machine, for whoever asks without a client. Only that of this machine can be made.

use std::sync::Arc;

use prost::Message;

use crate::api::topologies::*;
use crate::api::{Handle, List, NamedValue, Owned};
use crate::client::{Client, Shared};
use crate::device::Device;
use crate::error::{Failure, Result, Status};
use crate::options::Options;

/// A topology as callers hold it.
pub struct Topology {
    /// Has the devices, and the compiler for them.
    pub client: Arc<Shared>,
    handles: Vec<Handle<Device>>,
    bytes: Vec<u8>,
}

/// A topology in bytes: the kinds of its devices.
#[derive(Clone, PartialEq, Message)]
struct Serialized {
    #[prost(string, repeated, tag = "1")]
    kinds: Vec<String>,
}

impl Topology {
    fn new(client: &Arc<Shared>) -> Topology {
        let handles: Vec<Handle<Device>> = client.devices.iter().map(|device| Handle::lend(&**device)).collect();
        let kinds = client.devices.iter().map(|device| device.runtime.info().name.clone()).collect();
        Topology { client: client.clone(), handles, bytes: Serialized { kinds }.encode_to_vec() }
    }

    /// That of the devices which a client with these options has.
    fn of_machine(options: &[NamedValue]) -> Result<Topology> {
        Ok(Topology::new(&Client::start(&Options::read(options)?)?.shared))
    }
}

pub fn of_client(args: &mut OfClientArgs) -> Result<()> {
    args.topology = Handle::give(Topology::new(&args.client.get()?.shared));
    Ok(())
}

pub fn create(args: &mut CreateArgs) -> Result<()> {
    if args.name.get().is_empty() {
        args.topology = Handle::give(Topology::of_machine(args.options.get())?);
        return Ok(());
    }
    let message = format!("the topology `{}`: only that of this machine, without a name, is known", args.name.text());
    Err(Failure::coded(Status::Unimplemented, "FX0732", message))
}

pub fn destroy(args: &mut TopologyArgs) -> Result<()> {
    drop(args.topology.take());
    Ok(())
}

pub fn descriptions(args: &mut DescriptionsArgs) -> Result<()> {
    args.descriptions = List::lend(&args.topology.get()?.handles);
    Ok(())
}

pub fn serialize(args: &mut OwnedArgs) -> Result<()> {
    args.owned = Owned::new(args.topology.get()?.bytes.clone());
    Ok(())
}

pub fn deserialize(args: &mut DeserializeArgs) -> Result<()> {
    let ours = Topology::of_machine(&[])?;
    if ours.bytes != args.bytes.get() {
        let message = "a topology of other devices than this machine has";
        return Err(Failure::coded(Status::Unimplemented, "FX0732", message));
    }
    args.topology = Handle::give(ours);
    Ok(())
}

pub fn attributes(args: &mut AttributesArgs) -> Result<()> {
    args.attributes = List::lend(&[]);
    args.topology.get().map(drop)
}

pub fn fingerprint(args: &mut FingerprintArgs) -> Result<()> {
    let hash = blake3::hash(&args.topology.get()?.bytes);
    args.fingerprint = hash.as_bytes().iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    Ok(())
}

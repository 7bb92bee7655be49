//! Arguments of the entries of topologies.

use super::{Handle, List, NamedValue, Owned, Text, args};
use crate::client::Client;
use crate::device::Device;
use crate::topology::Topology;

args! {
    OfClientArgs { client: Handle<Client>, topology: Handle<Topology> }
    CreateArgs { name: Text, options: List<NamedValue>, topology: Handle<Topology> }
    TopologyArgs { topology: Handle<Topology> }
    TextArgs { topology: Handle<Topology>, text: Text }
    DescriptionsArgs { topology: Handle<Topology>, descriptions: List<Handle<Device>> }
    OwnedArgs { topology: Handle<Topology>, owned: Owned }
    DeserializeArgs { bytes: Text, topology: Handle<Topology> }
    AttributesArgs { topology: Handle<Topology>, attributes: List<NamedValue> }
    FingerprintArgs { topology: Handle<Topology>, fingerprint: u64 }
}

//! Arguments of the extension for layouts.

use std::ffi::c_int;

use super::{Entry, Extension, Handle, List, Owned, args};
use crate::buffer::Buffer;
use crate::client::Client;
use crate::executable::Executable;
use crate::layout::MemoryLayout;
use crate::topology::Topology;

/// The number of the extension.
pub const KIND: c_int = 4;
/// How many functions it has.
pub const COUNT: usize = 7;

/// The extension: a link of the list, then its functions.
#[repr(C)]
pub struct LayoutsExtension {
    pub link: Extension,
    pub entries: [Entry; COUNT],
}

args! {
    LayoutArgs { layout: Handle<MemoryLayout> }
    OwnedArgs { layout: Handle<MemoryLayout>, owned: Owned }
    ClientArgs { client: Handle<Client>, code: c_int, dims: List<i64>, layout: Handle<MemoryLayout> }
    TopologyArgs { topology: Handle<Topology>, code: c_int, dims: List<i64>, layout: Handle<MemoryLayout> }
    BufferArgs { buffer: Handle<Buffer>, layout: Handle<MemoryLayout> }
    ExecutableArgs { executable: Handle<Executable>, count: usize, layouts: *const Handle<MemoryLayout> }
}

//! Arguments of the entries of programs.

use std::ffi::{c_int, c_void};

use super::{Handle, Head, List, NamedValue, Owned, Text, args};
use crate::buffer::Buffer;
use crate::client::Client;
use crate::device::Device;
use crate::event::Event;
use crate::executable::Executable;
use crate::execute::Context;
use crate::loaded::Loaded;
use crate::topology::Topology;

/// A program of the caller's, or room for one.
#[repr(C)]
pub struct Program {
    pub head: Head,
    pub code: *mut u8,
    pub code_bytes: usize,
    pub format: Text,
}

/// Replica and partition of a device.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct LogicalId {
    pub replica: c_int,
    pub partition: c_int,
}

/// How a program is called.
#[repr(C)]
pub struct ExecuteOptions {
    pub head: Head,
    pub send_callbacks: *const c_void,
    pub receive_callbacks: *const c_void,
    pub num_sends: usize,
    pub num_receives: usize,
    pub launch_id: c_int,
    /// Inputs that stay the caller's, whatever the program says.
    pub kept_inputs: List<i64>,
}

args! {
    CompileArgs { client: Handle<Client>, program: Handle<Program>, options: Text, executable: Handle<Loaded> }
    UnloadedCompileArgs {
        topology: Handle<Topology>,
        program: Handle<Program>,
        options: Text,
        client: Handle<Client>,
        executable: Handle<Executable>,
    }
    LoadArgs { client: Handle<Client>, executable: Handle<Executable>, options: Text, loaded: Handle<Loaded> }
    ExecutableArgs { executable: Handle<Executable> }
    TextArgs { executable: Handle<Executable>, text: Text }
    CountArgs { executable: Handle<Executable>, count: usize }
    BytesArgs { executable: Handle<Executable>, bytes: i64 }
    CostArgs { executable: Handle<Executable>, count: usize, properties: *const NamedValue }
    KindsArgs { executable: Handle<Executable>, count: usize, kinds: *const Handle<u8>, sizes: *const usize }
    TypesArgs { executable: Handle<Executable>, types: List<c_int> }
    DimensionsArgs { executable: Handle<Executable>, outputs: usize, dims: *const i64, ranks: *const usize }
    ProgramArgs { executable: Handle<Executable>, program: *mut Program }
    OwnedArgs { executable: Handle<Executable>, owned: Owned }
    DeserializeArgs { client: Handle<Client>, bytes: Text, executable: Handle<Loaded> }
    MemoryArgs {
        executable: Handle<Executable>,
        code: i64,
        arguments: i64,
        outputs: i64,
        aliases: i64,
        temporary: i64,
        host_code: i64,
        host_arguments: i64,
        host_outputs: i64,
        host_aliases: i64,
        host_temporary: i64,
    }
    LoadedArgs { executable: Handle<Loaded> }
    LoadedTextArgs { executable: Handle<Loaded>, text: Text }
    LoadedTruthArgs { executable: Handle<Loaded>, value: bool }
    LoadedOwnedArgs { executable: Handle<Loaded>, owned: Owned }
    LoadedDevicesArgs { executable: Handle<Loaded>, devices: List<Handle<Device>> }
    LogicalIdsArgs { executable: Handle<Loaded>, ids: List<LogicalId> }
    UnloadedArgs { loaded: Handle<Loaded>, executable: Handle<Executable> }
    ContextArgs { context: Handle<Context> }
    ExecuteArgs {
        executable: Handle<Loaded>,
        options: Handle<ExecuteOptions>,
        arguments: *const *const Handle<Buffer>,
        num_devices: usize,
        num_arguments: usize,
        outputs: *const *mut Handle<Buffer>,
        done: *mut Handle<Event>,
        device: Handle<Device>,
    }
}

/// The peak of a later version of [`MemoryArgs`].
#[repr(C)]
pub struct MemoryPeak {
    pub before: MemoryArgs,
    pub peak: i64,
}

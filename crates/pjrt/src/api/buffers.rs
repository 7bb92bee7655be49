//! Arguments of the entries of arrays.

use std::ffi::{c_char, c_int, c_void};

use super::values::Layout;
use super::{Handle, List, Text, args};
use crate::buffer::Buffer;
use crate::client::Client;
use crate::device::Device;
use crate::event::Event;
use crate::memory::Memory;

args! {
    FromHostArgs {
        client: Handle<Client>,
        data: *const u8,
        code: c_int,
        dims: List<i64>,
        byte_strides: List<i64>,
        semantics: c_int,
        device: Handle<Device>,
        memory: Handle<Memory>,
        layout: Handle<Layout>,
        done: Handle<Event>,
        buffer: Handle<Buffer>,
    }
    UninitializedArgs {
        client: Handle<Client>,
        dims: List<i64>,
        code: c_int,
        layout: Handle<Layout>,
        device: Handle<Device>,
        memory: Handle<Memory>,
        buffer: Handle<Buffer>,
    }
    ErrorBufferArgs {
        client: Handle<Client>,
        status: c_int,
        message: Text,
        dims: List<i64>,
        code: c_int,
        layout: Handle<Layout>,
        memory: Handle<Memory>,
        buffer: Handle<Buffer>,
    }
    ViewArgs {
        client: Handle<Client>,
        data: *mut c_void,
        dims: List<i64>,
        code: c_int,
        layout: Handle<Layout>,
        device: Handle<Device>,
        delete: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
        delete_argument: *mut c_void,
        stream: isize,
        buffer: Handle<Buffer>,
    }
    BufferArgs { buffer: Handle<Buffer> }
    CodeArgs { buffer: Handle<Buffer>, code: c_int }
    DimensionsArgs { buffer: Handle<Buffer>, dims: List<i64> }
    IndicesArgs { buffer: Handle<Buffer>, indices: List<usize> }
    LayoutArgs { buffer: Handle<Buffer>, layout: Layout }
    BytesArgs { buffer: Handle<Buffer>, bytes: usize }
    TruthArgs { buffer: Handle<Buffer>, value: bool }
    DeviceArgs { buffer: Handle<Buffer>, device: Handle<Device> }
    MemoryArgs { buffer: Handle<Buffer>, memory: Handle<Memory> }
    EventArgs { buffer: Handle<Buffer>, event: Handle<Event> }
    PointerArgs { buffer: Handle<Buffer>, pointer: usize }
    ToHostArgs {
        source: Handle<Buffer>,
        layout: Handle<Layout>,
        target: *mut u8,
        bytes: usize,
        event: Handle<Event>,
    }
    RawToHostArgs { buffer: Handle<Buffer>, target: *mut u8, offset: i64, bytes: i64, event: Handle<Event> }
    RawFutureArgs {
        buffer: Handle<Buffer>,
        offset: i64,
        bytes: i64,
        event: Handle<Event>,
        keeper: *mut c_void,
        ready: unsafe extern "C" fn(*mut TargetKnown),
    }
    ToDeviceArgs { buffer: Handle<Buffer>, device: Handle<Device>, copy: Handle<Buffer> }
    ToMemoryArgs { buffer: Handle<Buffer>, memory: Handle<Memory>, copy: Handle<Buffer> }
}

/// The memory of a later version of [`ViewArgs`].
#[repr(C)]
pub struct ViewMemory {
    pub before: ViewArgs,
    pub memory: Handle<Memory>,
}

/// What a caller says when it knows where bytes shall go.
#[repr(C)]
pub struct TargetKnown {
    pub size: usize,
    pub keeper: *mut c_void,
    pub status: c_int,
    pub message: *const c_char,
    pub message_bytes: usize,
    pub target: *mut u8,
}

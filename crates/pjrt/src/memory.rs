//! Memory spaces: each device has one, its own. The object begins with a table of functions, by which callers hang data
//! of theirs on it.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::api::{Extension, Handle, List, Text, args};
use crate::device::Device;
use crate::error::{Failure, Result};

/// The name that JAX has for a device's own memory.
pub const KIND: &str = "device";

type Deleter = Option<unsafe extern "C" fn(*mut c_void)>;

#[repr(C)]
struct MemoryTable {
    size: usize,
    extensions: *const Extension,
    instance: usize,
    get: unsafe extern "C" fn(*mut Memory, *const c_void) -> *mut c_void,
    set: unsafe extern "C" fn(*mut Memory, *const c_void, *mut c_void, Deleter),
}

// SAFETY: the table is constant.
unsafe impl Sync for MemoryTable {}

static TABLE: MemoryTable = MemoryTable {
    size: size_of::<MemoryTable>(),
    extensions: ptr::null(),
    // What callers know of a memory: the pointer to its table.
    instance: size_of::<usize>(),
    get: get_user_data,
    set: set_user_data,
};

/// Data of a caller's, and what ends it.
struct UserData(*mut c_void, Deleter);

// SAFETY: callers use it from any thread.
unsafe impl Send for UserData {}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(delete) = self.1 {
            // SAFETY: the caller left both together.
            unsafe { delete(self.0) };
        }
    }
}

/// A memory space.
#[repr(C)]
pub struct Memory {
    table: &'static MemoryTable,
    user_data: Mutex<HashMap<usize, UserData>>,
    id: c_int,
    text: String,
    device: Weak<Device>,
    handles: [Handle<Device>; 1],
}

impl Memory {
    /// The memory of a device that is being made.
    pub fn new(id: c_int, device: &Weak<Device>) -> Memory {
        let handles = [Handle::at(device.as_ptr())];
        let text = format!("fornax memory {id} ({KIND})");
        Memory { table: &TABLE, user_data: Mutex::default(), id, text, device: device.clone(), handles }
    }

    /// The device whose memory it is.
    ///
    /// # Errors
    /// FX0731 where it is gone.
    pub fn device(&self) -> Result<Arc<Device>> {
        self.device.upgrade().ok_or_else(|| Failure::argument("the device of a memory is gone"))
    }
}

unsafe extern "C" fn get_user_data(memory: *mut Memory, key: *const c_void) -> *mut c_void {
    // SAFETY: the caller gives a memory.
    let data = unsafe { &(*memory).user_data }.lock().unwrap_or_else(PoisonError::into_inner);
    data.get(&(key as usize)).map_or(ptr::null_mut(), |data| data.0)
}

unsafe extern "C" fn set_user_data(memory: *mut Memory, key: *const c_void, data: *mut c_void, delete: Deleter) {
    // SAFETY: the caller gives a memory.
    let all = unsafe { &(*memory).user_data };
    let before = all.lock().unwrap_or_else(PoisonError::into_inner).insert(key as usize, UserData(data, delete));
    drop(before);
}

args! {
    IdArgs { memory: Handle<Memory>, id: c_int }
    TextArgs { memory: Handle<Memory>, text: Text }
    DevicesArgs { memory: Handle<Memory>, devices: List<Handle<Device>> }
}

pub fn id(args: &mut IdArgs) -> Result<()> {
    args.id = args.memory.get()?.id;
    Ok(())
}

pub fn kind(args: &mut TextArgs) -> Result<()> {
    args.text = Text::lend(KIND.as_bytes());
    Ok(())
}

/// There is one kind.
pub fn kind_id(args: &mut IdArgs) -> Result<()> {
    args.id = 0;
    Ok(())
}

pub fn debug_string(args: &mut TextArgs) -> Result<()> {
    args.text = Text::lend(args.memory.get()?.text.as_bytes());
    Ok(())
}

pub fn to_string(args: &mut TextArgs) -> Result<()> {
    debug_string(args)
}

pub fn devices(args: &mut DevicesArgs) -> Result<()> {
    args.devices = List::lend(&args.memory.get()?.handles);
    Ok(())
}

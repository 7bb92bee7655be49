//! Copies of arrays: to the host, and to other devices. They are jobs of the source's queue, or happen at once where
//! the array is there already.

use std::ffi::c_void;
use std::sync::Arc;

use fornax_runtime::TensorType;

use super::Buffer;
use super::contents::Contents;
use super::strided::{self, Side};
use crate::api::Handle;
use crate::api::buffers::*;
use crate::api::values::row_major;
use crate::device::Device;
use crate::error::{Failure, Result, caught};
use crate::event::{Event, Signal};

/// Memory of the caller's that a job writes to.
struct Target(*mut u8);

// SAFETY: the caller leaves the memory to the plugin until the event is set.
unsafe impl Send for Target {}

impl Target {
    /// The bytes.
    ///
    /// # Safety
    /// There are `bytes` of them, and nobody else uses them.
    unsafe fn bytes(&mut self, bytes: usize) -> &mut [u8] {
        if bytes == 0 {
            return &mut [];
        }
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.0, bytes) }
    }
}

/// Copies a tensor to the host with the strides of the caller's array; `None` for a dense one.
fn download(contents: &Contents, ty: &TensorType, mut target: Target, strides: Option<&[i64]>) -> Result<()> {
    let tensor = contents.tensor()?;
    let bytes = ty.bytes()?;
    let Some(strides) = strides else {
        // SAFETY: the caller has room for a dense array.
        return Ok(tensor.read(unsafe { target.bytes(bytes) })?);
    };
    let mut dense = vec![0u8; bytes];
    tensor.read(&mut dense)?;
    let width = ty.element_type.storage_bytes();
    let own = row_major(&ty.shape, width);
    let (source, target) = (Side { start: dense.as_mut_ptr(), strides: &own }, Side { start: target.0, strides });
    // SAFETY: the source is dense; the caller has room for an array with its strides.
    unsafe { strided::copy(source, target, &ty.shape, width) };
    Ok(())
}

/// Runs a copy that sets `event`: at once where the array is there, else in the queue.
fn run(device: &Device, contents: &Contents, event: &Arc<Signal>, copy: impl FnOnce() -> Result<()> + Send + 'static) {
    if contents.ready.is_set() && device.is_on_host() {
        event.set(caught(copy));
        return;
    }
    let event = event.clone();
    device.queue.run(move || event.set(caught(copy)));
}

pub fn to_host(args: &mut ToHostArgs) -> Result<()> {
    let buffer = args.source.get()?;
    let ty = buffer.ty.clone();
    let bytes = ty.bytes()?;
    if args.target.is_null() {
        args.bytes = bytes;
        return Ok(());
    }
    let contents = buffer.contents()?;
    let width = ty.element_type.storage_bytes();
    let strides = args.layout.optional().map(|layout| layout.strides(&ty.shape, width)).transpose()?;
    let strides = strides.filter(|strides| *strides != row_major(&ty.shape, width));
    if args.bytes < bytes {
        return Err(Failure::argument(format!("room for {} bytes, the array has {bytes}", args.bytes)));
    }
    let (target, event) = (Target(args.target), Signal::new());
    let source = contents.clone();
    run(&buffer.device, &contents, &event, move || download(&source, &ty, target, strides.as_deref()));
    args.event = Event::give(event);
    Ok(())
}

/// A range of an array's bytes, as they lie on the host.
fn raw(contents: &Contents, offset: usize, mut target: Target, bytes: usize) -> Result<()> {
    let tensor = contents.tensor()?;
    let mut all = vec![0u8; tensor.ty().bytes()?];
    tensor.read(&mut all)?;
    let range = offset.checked_add(bytes).and_then(|end| all.get(offset..end));
    let range = range.ok_or_else(|| Failure::argument("a range outside of the array"))?;
    // SAFETY: the caller has room for the range.
    unsafe { target.bytes(bytes) }.copy_from_slice(range);
    Ok(())
}

fn checked(buffer: &Buffer, offset: i64, bytes: i64) -> Result<(usize, usize)> {
    let all = buffer.ty.bytes()?;
    let end = usize::try_from(offset).ok().zip(usize::try_from(bytes).ok());
    let inside = end.filter(|(offset, bytes)| offset.checked_add(*bytes).is_some_and(|end| end <= all));
    inside.ok_or_else(|| Failure::argument(format!("bytes {offset}+{bytes} of an array of {all} bytes")))
}

pub fn raw_to_host(args: &mut RawToHostArgs) -> Result<()> {
    let buffer = args.buffer.get()?;
    let (offset, bytes) = checked(buffer, args.offset, args.bytes)?;
    let contents = buffer.contents()?;
    let (target, event, source) = (Target(args.target), Signal::new(), contents.clone());
    run(&buffer.device, &contents, &event, move || raw(&source, offset, target, bytes));
    args.event = Event::give(event);
    Ok(())
}

/// What waits for the caller to say where bytes shall go.
struct Waiting {
    device: Arc<Device>,
    contents: Arc<Contents>,
    range: (usize, usize),
    event: Arc<Signal>,
}

pub fn raw_to_host_future(args: &mut RawFutureArgs) -> Result<()> {
    let buffer = args.buffer.get()?;
    let range = checked(buffer, args.offset, args.bytes)?;
    let event = Signal::new();
    let waiting = Waiting { device: buffer.device.clone(), contents: buffer.contents()?, range, event: event.clone() };
    args.keeper = Box::into_raw(Box::new(waiting)).cast::<c_void>();
    args.ready = target_known;
    args.event = Event::give(event);
    Ok(())
}

unsafe extern "C" fn target_known(known: *mut TargetKnown) {
    // SAFETY: the caller gives what `raw_to_host_future` gave it, once.
    let (known, waiting) = unsafe { (&*known, Box::from_raw((*known).keeper.cast::<Waiting>())) };
    let Waiting { device, contents, range: (offset, bytes), event } = *waiting;
    if known.status != 0 {
        event.set(Err(Failure { status: known.status, message: "the target of a copy was not made".into() }));
        return;
    }
    let (target, source) = (Target(known.target), contents.clone());
    run(&device, &contents, &event, move || raw(&source, offset, target, bytes));
}

/// A copy of an array on a device.
fn copy(buffer: &Buffer, device: &Arc<Device>) -> Result<Handle<Buffer>> {
    let source = buffer.contents()?;
    let target = Contents::pending(device, buffer.ty.bytes()?);
    let (filled, to) = (target.clone(), device.clone());
    let is_same = buffer.device.id == device.id;
    buffer.device.queue.run(move || {
        filled.fill(caught(|| {
            let tensor = source.tensor()?;
            match is_same {
                true => Ok(tensor.duplicate()?),
                false => Ok(tensor.to_host()?.to_device(&to.runtime)?),
            }
        }));
    });
    Buffer::give(device.clone(), buffer.ty.clone(), target)
}

pub fn to_device(args: &mut ToDeviceArgs) -> Result<()> {
    let buffer = args.buffer.get()?;
    args.copy = copy(buffer, &args.device.get()?.shared()?)?;
    Ok(())
}

pub fn to_memory(args: &mut ToMemoryArgs) -> Result<()> {
    let buffer = args.buffer.get()?;
    args.copy = copy(buffer, &args.memory.get()?.device()?)?;
    Ok(())
}

//! Entries that make arrays, and those that say what an array is.

use std::sync::atomic::Ordering;

use fornax_runtime::{DeviceTensor, TensorType};

use super::Buffer;
use super::contents::Contents;
use super::host::{self, Foreign, HostArray, ZERO_COPY};
use crate::api::buffers::*;
use crate::api::values::{self, Layout};
use crate::api::{Args, Handle, List};
use crate::error::{Failure, Result};
use crate::event::{Event, Signal};
use crate::memory::Memory;

fn type_of(code: i32, dims: List<i64>) -> Result<TensorType> {
    let ty = TensorType::new(values::element_type(code)?, values::shape_of(dims.get())?);
    ty.bytes()?;
    Ok(ty)
}

/// Arrays are row-major on devices.
fn check_layout(layout: Handle<Layout>, ty: &TensorType) -> Result<()> {
    let Some(layout) = layout.optional() else { return Ok(()) };
    let width = ty.element_type.storage_bytes();
    let (asked, ours) = (layout.strides(&ty.shape, width)?, values::row_major(&ty.shape, width));
    let extents = ty.shape.iter().zip(asked.iter().zip(&ours));
    match ty.shape.contains(&0) || extents.into_iter().all(|(extent, (asked, ours))| *extent == 1 || asked == ours) {
        true => Ok(()),
        false => Err(Failure::argument("a layout that is not row-major: arrays are row-major on devices")),
    }
}

pub fn from_host(args: &mut FromHostArgs) -> Result<()> {
    let device = args.client.get()?.shared.device(args.device, args.memory)?;
    let ty = type_of(args.code, args.dims)?;
    check_layout(args.layout, &ty)?;
    let given = args.byte_strides.get();
    let strides = match given.len() == ty.shape.len() {
        true => given.to_vec(),
        false if given.is_empty() => values::row_major(&ty.shape, ty.element_type.storage_bytes()),
        false => return Err(Failure::argument("strides of another rank than the array")),
    };
    let array = HostArray { data: args.data, ty: ty.clone(), strides };
    let done = Signal::new();
    let tensor = if args.semantics >= ZERO_COPY {
        array.lent(&device, &done)?
    } else {
        let copied = array.copied(&device)?;
        done.set(Ok(()));
        copied
    };
    args.buffer = Buffer::give(device.clone(), ty, Contents::of(&device, tensor))?;
    args.done = Event::give(done);
    Ok(())
}

pub fn uninitialized(args: &mut UninitializedArgs) -> Result<()> {
    let device = args.client.get()?.shared.device(args.device, args.memory)?;
    let ty = type_of(args.code, args.dims)?;
    check_layout(args.layout, &ty)?;
    let tensor = DeviceTensor::zeros(ty.clone(), &device.runtime)?;
    args.buffer = Buffer::give(device.clone(), ty, Contents::of(&device, tensor))?;
    Ok(())
}

/// An array that never comes: whoever reads it gets the error.
pub fn of_error(args: &mut ErrorBufferArgs) -> Result<()> {
    let device = args.client.get()?.shared.device(Handle::NULL, args.memory)?;
    let ty = type_of(args.code, args.dims)?;
    let contents = Contents::pending(&device, 0);
    contents.fill(Err(Failure { status: args.status, message: args.message.text() }));
    args.buffer = Buffer::give(device, ty, contents)?;
    Ok(())
}

pub fn view(args: &mut ViewArgs) -> Result<()> {
    let ty = type_of(args.code, args.dims)?;
    check_layout(args.layout, &ty)?;
    let memory = match args.has(size_of::<ViewMemory>()) {
        // SAFETY: the caller's struct is that long.
        true => unsafe { (*std::ptr::from_ref(args).cast::<ViewMemory>()).memory },
        false => Handle::<Memory>::NULL,
    };
    let device = args.client.get()?.shared.device(args.device, memory)?;
    if args.stream > 0 && device.runtime.stream().is_some() {
        device.runtime.order_after(args.stream as u64)?;
    }
    let foreign = Foreign { data: args.data, delete: args.delete, argument: args.delete_argument };
    let tensor = host::view(&device, &ty, foreign)?;
    args.buffer = Buffer::give(device.clone(), ty, Contents::of(&device, tensor))?;
    Ok(())
}

pub fn destroy(args: &mut BufferArgs) -> Result<()> {
    drop(args.buffer.take());
    Ok(())
}

pub fn element_type(args: &mut CodeArgs) -> Result<()> {
    args.code = args.buffer.get()?.code;
    Ok(())
}

pub fn dimensions(args: &mut DimensionsArgs) -> Result<()> {
    args.dims = List::lend(&args.buffer.get()?.dims);
    Ok(())
}

/// All dimensions are known.
pub fn dynamic_dimensions(args: &mut IndicesArgs) -> Result<()> {
    args.indices = List::lend(&[]);
    args.buffer.get().map(drop)
}

pub fn layout(args: &mut LayoutArgs) -> Result<()> {
    args.layout = Layout::of(&args.buffer.get()?.minor_to_major);
    Ok(())
}

pub fn device_bytes(args: &mut BytesArgs) -> Result<()> {
    let buffer = args.buffer.get()?;
    buffer.contents()?;
    args.bytes = buffer.ty.bytes()?;
    Ok(())
}

pub fn device(args: &mut DeviceArgs) -> Result<()> {
    args.device = Handle::lend(&*args.buffer.get()?.device);
    Ok(())
}

pub fn memory(args: &mut MemoryArgs) -> Result<()> {
    args.memory = Handle::lend(&*args.buffer.get()?.device.memory);
    Ok(())
}

pub fn delete(args: &mut BufferArgs) -> Result<()> {
    drop(args.buffer.get()?.take());
    Ok(())
}

pub fn is_deleted(args: &mut TruthArgs) -> Result<()> {
    args.value = args.buffer.get()?.contents().is_err();
    Ok(())
}

pub fn is_on_cpu(args: &mut TruthArgs) -> Result<()> {
    args.value = args.buffer.get()?.device.is_on_host();
    Ok(())
}

pub fn ready_event(args: &mut EventArgs) -> Result<()> {
    let contents = args.buffer.get()?.contents()?;
    args.event = Event::give(match contents.check_comes() {
        Ok(()) => contents.ready.clone(),
        Err(failure) => Signal::done(Err(failure)),
    });
    Ok(())
}

/// The device's address; waits until it is known.
pub fn unsafe_pointer(args: &mut PointerArgs) -> Result<()> {
    args.pointer = args.buffer.get()?.contents()?.tensor()?.address() as usize;
    Ok(())
}

pub fn opaque_pointer(args: &mut PointerArgs) -> Result<()> {
    unsafe_pointer(args)
}

pub fn hold(args: &mut BufferArgs) -> Result<()> {
    args.buffer.get()?.holders.fetch_add(1, Ordering::AcqRel);
    Ok(())
}

pub fn release(args: &mut BufferArgs) -> Result<()> {
    let less = |held: usize| held.checked_sub(1);
    let holders = &args.buffer.get()?.holders;
    let released = holders.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
    released.map(drop).map_err(|_| Failure::argument("an array is released more often than it was held"))
}

//! A test double of libOpenCL: the entry points that the runtime's OpenCL driver uses, over devices that do not exist.
//!
//! Input: the calls of the runtime. Output: what an OpenCL driver would answer. Shared virtual memory lies at addresses
//! that the host cannot use, as coarse-grained memory that is not mapped; queues run as late as they may; contexts,
//! queues, memory, programs, kernels and events are counted. Kernels are not executed: a launch is recorded, and its
//! addresses must lie in live memory when its turn comes. How to use it: `docs/use/opencl.md`.
//!
//! Limits: one platform; only what the driver calls; a program or kernel that is released waits for what is queued.
//!
//! Example: with a link `libOpenCL.so.1` to this library in DIR, `LD_LIBRARY_PATH=DIR FORNAX_FAKE_ARCH=gpu,no-il fornax
//! list-devices opencl` lists one device, and says of the other that it takes no SPIR-V.

mod device;
mod spirv;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use fornax_fake_driver::entry::{Setup, call_on, put, release_on};
use fornax_fake_driver::{Fill, Kind, Operation, Place, World, code};

/// An opaque handle.
type Handle = *mut c_void;

static SETUP: Setup = Setup { name: "fake-opencl", arch: "gpu", executor: || Box::new(spirv::Recorder) };

fornax_fake_driver::control_function!(SETUP);

const PLATFORM_NOT_FOUND: c_int = -1001;
const DEVICE_NOT_FOUND: c_int = -1;
const INVALID_VALUE: c_int = -30;
const INVALID_MEM_OBJECT: c_int = -38;
const INVALID_BINARY: c_int = -42;

/// OpenCL's codes for those of the shared part.
fn translated(error: i32) -> c_int {
    match error {
        code::INVALID_VALUE => INVALID_VALUE,
        code::OUT_OF_MEMORY => -4,
        code::INVALID_DEVICE => -33,
        code::INVALID_CONTEXT => -34,
        code::INVALID_IMAGE => -42,
        code::NOT_FOUND => -46,
        code::INVALID_HANDLE => -58,
        error if error > 0 => -36,
        error => error,
    }
}

/// What an entry point returns: its code, or what it gives and the code through a pointer.
trait Answer {
    type Given;
    fn answer(result: Result<Self::Given, i32>, code: *mut c_int) -> Self;
}

impl Answer for c_int {
    type Given = ();
    fn answer(result: Result<(), i32>, _code: *mut c_int) -> c_int {
        result.err().map_or(0, translated)
    }
}

impl Answer for Handle {
    type Given = u64;
    fn answer(result: Result<u64, i32>, code: *mut c_int) -> Handle {
        if !code.is_null() {
            // SAFETY: the caller of the entry point gives a pointer to an int, or none.
            unsafe { code.write(result.as_ref().err().map_or(0, |error| translated(*error))) };
        }
        result.unwrap_or(0) as Handle
    }
}

/// Defines entry points: `HOW NAME(ARGUMENTS) on HANDLE -> TYPE, CODE |world| BODY`. HANDLE's device becomes current
/// first.
macro_rules! entry_points {
    ($(
        $(#[$doc:meta])* $how:ident $name:ident($($arg:ident: $ty:ty),* $(,)?)
            on $handle:expr, $ret:ty, $code:expr, |$world:pat_param| $body:expr;
    )*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the function of OpenCL.
            #[unsafe(no_mangle)]
            #[allow(clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
                let of = |world: &World| owner(world, $handle as u64);
                <$ret as Answer>::answer($how(&SETUP, stringify!($name), of, |$world: &mut World| $body), $code)
            }
        )*
    };
}

/// The device that a handle belongs to; `None` for the platform, and for none.
fn owner(world: &World, handle: u64) -> Option<usize> {
    let of_memory = || match world.memory.place(handle)? {
        Place::Device(device) | Place::Pinned(device) => Some(device),
    };
    device::by_handle(handle, world.devices.len()).or_else(|| world.device_of(handle)).or_else(of_memory)
}

/// Writes a value of any length where there is room, and its length where that is asked for.
///
/// # Safety
/// `target` is null or has room for `room` bytes; `bytes` is null or good for a write.
unsafe fn put_value(value: Option<Vec<u8>>, room: usize, target: *mut c_void, bytes: *mut usize) -> Result<(), i32> {
    let value = value.ok_or(INVALID_VALUE)?;
    if !target.is_null() {
        if room < value.len() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: there is room.
        unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), target.cast(), value.len()) };
    }
    if !bytes.is_null() {
        // SAFETY: the caller's word.
        unsafe { bytes.write(value.len()) };
    }
    Ok(())
}

/// Writes handles as far as there is room, and how many there are.
///
/// # Safety
/// `target` is null or has room for `room` handles; `count` is null or good for a write.
unsafe fn put_list(handles: &[u64], room: c_uint, target: *mut Handle, count: *mut c_uint) -> Result<(), i32> {
    for (at, handle) in handles.iter().enumerate().take(if target.is_null() { 0 } else { room as usize }) {
        // SAFETY: there is room.
        unsafe { target.add(at).write(*handle as Handle) };
    }
    if !count.is_null() {
        // SAFETY: the caller's word.
        unsafe { count.write(handles.len() as c_uint) };
    }
    Ok(())
}

/// Copies and fills without a list of events to wait for, and without an event.
fn no_events(waits: c_uint, events: *const Handle, event: *mut Handle) -> Result<(), i32> {
    if waits == 0 && events.is_null() && event.is_null() { Ok(()) } else { Err(code::NOT_SUPPORTED) }
}

/// The pattern of a fill as fills of at most four bytes.
fn fills(target: u64, pattern: &[u8], bytes: u64) -> Vec<Operation> {
    let stride = pattern.len() as u64;
    let part = |(at, chunk): (usize, &[u8])| {
        let mut words = [0; 4];
        words.iter_mut().zip(chunk).for_each(|(word, byte)| *word = *byte);
        let target = target + 4 * at as u64;
        Operation::Fill(Fill { target, pattern: words, width: chunk.len(), count: bytes / stride, stride })
    };
    pattern.chunks(4).enumerate().map(part).collect()
}

/// A range of a buffer as an address.
fn in_buffer(world: &World, buffer: Handle, offset: usize, bytes: usize) -> Result<u64, i32> {
    let (start, size, _) = world.memory.words(buffer as u64).ok_or(INVALID_MEM_OBJECT)?;
    if start != buffer as u64 {
        return Err(INVALID_MEM_OBJECT);
    }
    let end = (offset as u64).checked_add(bytes as u64).filter(|end| *end <= size && bytes > 0);
    end.map(|_| start + offset as u64).ok_or(INVALID_VALUE)
}

/// Queues a fill with a pattern.
///
/// # Safety
/// `pattern` is null or has `width` bytes.
unsafe fn queue_fill(
    world: &mut World,
    queue: Handle,
    target: u64,
    (pattern, width): (*const c_void, usize),
    bytes: usize,
) -> Result<(), i32> {
    let aligned = [target as usize, bytes].iter().all(|value| value.is_multiple_of(width));
    if !aligned || !width.is_power_of_two() || width > 128 || pattern.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller's word.
    let pattern = unsafe { std::slice::from_raw_parts(pattern.cast::<u8>(), width) };
    fills(target, pattern, bytes as u64).into_iter().try_for_each(|fill| world.enqueue(queue as u64, fill))
}

/// Queues a copy and waits where it blocks.
fn queue_copy(world: &mut World, queue: Handle, operation: Operation, blocking: c_uint) -> Result<(), i32> {
    world.enqueue(queue as u64, operation)?;
    if blocking != 0 { world.synchronize(queue as u64) } else { Ok(()) }
}

/// Three extents.
///
/// # Safety
/// `sizes` is null or holds three.
unsafe fn extents(sizes: *const usize) -> Result<[u64; 3], i32> {
    if sizes.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller's word.
    Ok(unsafe { [sizes.read() as u64, sizes.add(1).read() as u64, sizes.add(2).read() as u64] })
}

fn new_program(world: &mut World, il: *const c_void, bytes: usize) -> Result<u64, i32> {
    if il.is_null() || bytes == 0 {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller of the entry point gives as many bytes.
    let image = unsafe { std::slice::from_raw_parts(il.cast::<u8>(), bytes) };
    world.load_module(image)
}

entry_points! {
    call_on clGetPlatformIDs(
        room: c_uint, platforms: *mut Handle, count: *mut c_uint,
    ) on 0, c_int, std::ptr::null_mut(), |world| {
        if world.devices.is_empty() {
            return Err(PLATFORM_NOT_FOUND);
        }
        // SAFETY: the caller gives room for as many handles as it says.
        unsafe { put_list(&[device::platform()], room, platforms, count) }
    };
    call_on clGetPlatformInfo(
        platform: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize,
    ) on platform, c_int, std::ptr::null_mut(), |world| {
        // SAFETY: the caller gives as much room as it says.
        unsafe { put_value(device::platform_info(&world.config, what), room, value, bytes) }
    };
    call_on clGetDeviceIDs(
        platform: Handle, _kinds: u64, room: c_uint, devices: *mut Handle, count: *mut c_uint,
    ) on platform, c_int, std::ptr::null_mut(), |world| {
        let handles: Vec<u64> = (0..world.devices.len()).map(device::handle).collect();
        if handles.is_empty() {
            return Err(DEVICE_NOT_FOUND);
        }
        // SAFETY: the caller gives room for as many handles as it says.
        unsafe { put_list(&handles, room, devices, count) }
    };
    call_on clGetDeviceInfo(
        device: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize,
    ) on device, c_int, std::ptr::null_mut(), |world| {
        let of = device::by_handle(device as u64, world.devices.len()).ok_or(code::INVALID_DEVICE)?;
        // SAFETY: the caller gives as much room as it says.
        unsafe { put_value(device::info(&world.config, of, what), room, value, bytes) }
    };
    call_on clGetExtensionFunctionAddressForPlatform(
        platform: Handle, name: *const c_char,
    ) on platform, Handle, std::ptr::null_mut(), |_world| {
        // SAFETY: the caller gives a text with a NUL.
        let known = unsafe { CStr::from_ptr(name) } == c"clCreateProgramWithILKHR";
        Ok(if known { clCreateProgramWithILKHR as *const c_void as u64 } else { 0 })
    };
    call_on clCreateContext(
        _properties: *const isize, count: c_uint, devices: *const Handle, _notify: Handle, _data: *mut c_void,
        code: *mut c_int,
    // SAFETY: the caller gives `count` handles of devices.
    ) on (if count == 1 { unsafe { devices.read() } } else { std::ptr::null_mut() }), Handle, code, |world| {
        let device = world.device()?;
        world.retain_context(device)
    };
    release_on clReleaseContext(context: Handle) on context, c_int, std::ptr::null_mut(), |world| {
        let device = world.device()?;
        world.release_context(device)
    };
    call_on clCreateCommandQueueWithProperties(
        context: Handle, device: Handle, _properties: *const u64, code: *mut c_int,
    ) on context, Handle, code, |world| {
        let of = world.device()?;
        if device as u64 != device::handle(of) {
            return Err(code::INVALID_DEVICE);
        }
        world.new_stream()
    };
    release_on clReleaseCommandQueue(queue: Handle) on queue, c_int, std::ptr::null_mut(), |world| {
        world.destroy_stream(queue as u64)
    };
    call_on clFlush(queue: Handle) on queue, c_int, std::ptr::null_mut(), |world| {
        world.device()?;
        world.check_stream(queue as u64)
    };
    call_on clFinish(queue: Handle) on queue, c_int, std::ptr::null_mut(), |world| {
        world.synchronize(queue as u64)
    };
    call_on clSVMAlloc(
        context: Handle, _flags: u64, bytes: usize, alignment: c_uint,
    ) on context, Handle, std::ptr::null_mut(), |world| {
        device::check_svm(world)?;
        if alignment > device::ALIGNMENT || alignment.count_ones() > 1 {
            return Err(INVALID_VALUE);
        }
        world.allocate(false, bytes as u64)
    };
    call_on clCreateBuffer(
        context: Handle, _flags: u64, bytes: usize, host: *mut c_void, code: *mut c_int,
    ) on context, Handle, code, |world| {
        if !host.is_null() {
            return Err(code::NOT_SUPPORTED);
        }
        world.allocate(false, bytes as u64)
    };
    release_on clReleaseMemObject(buffer: Handle) on buffer, c_int, std::ptr::null_mut(), |world| {
        world.device()?;
        world.free_behind(buffer as u64)
    };
    call_on clEnqueueReadBuffer(
        queue: Handle, buffer: Handle, blocking: c_uint, offset: usize, bytes: usize, target: *mut c_void,
        waits: c_uint, events: *const Handle, event: *mut Handle,
    ) on queue, c_int, std::ptr::null_mut(), |world| {
        no_events(waits, events, event)?;
        let source = in_buffer(world, buffer, offset, bytes)?;
        queue_copy(world, queue, Operation::Copy { target: target as u64, source, bytes: bytes as u64 }, blocking)
    };
    call_on clEnqueueWriteBuffer(
        queue: Handle, buffer: Handle, blocking: c_uint, offset: usize, bytes: usize, source: *const c_void,
        waits: c_uint, events: *const Handle, event: *mut Handle,
    ) on queue, c_int, std::ptr::null_mut(), |world| {
        no_events(waits, events, event)?;
        let target = in_buffer(world, buffer, offset, bytes)?;
        queue_copy(world, queue, Operation::Copy { target, source: source as u64, bytes: bytes as u64 }, blocking)
    };
    call_on clEnqueueCopyBuffer(
        queue: Handle, source: Handle, target: Handle, source_offset: usize, target_offset: usize, bytes: usize,
        waits: c_uint, events: *const Handle, event: *mut Handle,
    ) on queue, c_int, std::ptr::null_mut(), |world| {
        no_events(waits, events, event)?;
        let from = in_buffer(world, source, source_offset, bytes)?;
        let to = in_buffer(world, target, target_offset, bytes)?;
        if source == target && source_offset.abs_diff(target_offset) < bytes {
            return Err(-8);
        }
        world.enqueue(queue as u64, Operation::Copy { target: to, source: from, bytes: bytes as u64 })
    };
    call_on clEnqueueFillBuffer(
        queue: Handle, buffer: Handle, pattern: *const c_void, width: usize, offset: usize, bytes: usize, waits: c_uint,
        events: *const Handle, event: *mut Handle,
    ) on queue, c_int, std::ptr::null_mut(), |world| {
        no_events(waits, events, event)?;
        let target = in_buffer(world, buffer, offset, bytes)?;
        // SAFETY: the caller gives a pattern of that width.
        unsafe { queue_fill(world, queue, target, (pattern, width), bytes) }
    };
    call_on clEnqueueSVMMemcpy(
        queue: Handle, blocking: c_uint, target: *mut c_void, source: *const c_void, bytes: usize, waits: c_uint,
        events: *const Handle, event: *mut Handle,
    ) on queue, c_int, std::ptr::null_mut(), |world| {
        no_events(waits, events, event)?;
        let copy = Operation::Copy { target: target as u64, source: source as u64, bytes: bytes as u64 };
        queue_copy(world, queue, copy, blocking)
    };
    call_on clEnqueueSVMMemFill(
        queue: Handle, target: *mut c_void, pattern: *const c_void, width: usize, bytes: usize, waits: c_uint,
        events: *const Handle, event: *mut Handle,
    ) on queue, c_int, std::ptr::null_mut(), |world| {
        no_events(waits, events, event)?;
        // SAFETY: the caller gives a pattern of that width.
        unsafe { queue_fill(world, queue, target as u64, (pattern, width), bytes) }
    };
    call_on clEnqueueSVMFree(
        queue: Handle, count: c_uint, pointers: *mut Handle, notify: Handle, _data: *mut c_void, waits: c_uint,
        events: *const Handle, event: *mut Handle,
    ) on queue, c_int, std::ptr::null_mut(), |world| {
        no_events(waits, events, event)?;
        if !notify.is_null() {
            return Err(code::NOT_SUPPORTED);
        }
        (0..count as usize).try_for_each(|at| {
            // SAFETY: the caller gives as many pointers.
            let address = unsafe { pointers.add(at).read() } as u64;
            world.enqueue(queue as u64, Operation::Free(address))
        })
    };
    call_on clCreateProgramWithIL(
        context: Handle, il: *const c_void, bytes: usize, code: *mut c_int,
    ) on context, Handle, code, |world| {
        if world.config.old_properties {
            world.violate("clCreateProgramWithIL on a platform of OpenCL 2.0");
            return Err(INVALID_VALUE);
        }
        new_program(world, il, bytes)
    };
    /// Of the extension cl_khr_il_program.
    call_on clCreateProgramWithILKHR(
        context: Handle, il: *const c_void, bytes: usize, code: *mut c_int,
    ) on context, Handle, code, |world| {
        new_program(world, il, bytes)
    };
    call_on clCreateProgramWithBinary(
        context: Handle, count: c_uint, _devices: *const Handle, lengths: *const usize, binaries: *const *const u8,
        states: *mut c_int, code: *mut c_int,
    ) on context, Handle, code, |world| {
        if count != 1 || lengths.is_null() || binaries.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller gives one length and one binary as long.
        let binary = unsafe { std::slice::from_raw_parts(binaries.read(), lengths.read()) };
        let image = spirv::image_of(binary);
        if !states.is_null() {
            // SAFETY: the caller gives room for one state.
            unsafe { states.write(if image.is_some() { 0 } else { INVALID_BINARY }) };
        }
        world.load_module(image.ok_or(INVALID_BINARY)?)
    };
    call_on clGetProgramInfo(
        program: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize,
    ) on program, c_int, std::ptr::null_mut(), |world| {
        world.device()?;
        let binary = world.image(program as u64).and_then(spirv::binary).ok_or(-44)?;
        match what {
            // SAFETY: the caller gives as much room as it says.
            0x1165 => unsafe { put_value(Some(binary.len().to_ne_bytes().to_vec()), room, value, bytes) },
            0x1166 if room == 8 && !value.is_null() => {
                // SAFETY: the caller gives a list of one pointer, with room for the binary.
                unsafe { std::ptr::copy_nonoverlapping(binary.as_ptr(), value.cast::<*mut u8>().read(), binary.len()) };
                Ok(())
            }
            _ => Err(INVALID_VALUE),
        }
    };
    call_on clBuildProgram(
        program: Handle, _count: c_uint, _devices: *const Handle, _options: *const c_char, notify: Handle,
        _data: *mut c_void,
    ) on program, c_int, std::ptr::null_mut(), |world| {
        world.device()?;
        if notify.is_null() { Ok(()) } else { Err(code::NOT_SUPPORTED) }
    };
    call_on clGetProgramBuildInfo(
        program: Handle, _device: Handle, _what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize,
    ) on program, c_int, std::ptr::null_mut(), |world| {
        world.device()?;
        // SAFETY: the caller gives as much room as it says.
        unsafe { put_value(Some(b"an invented build log\0".to_vec()), room, value, bytes) }
    };
    release_on clReleaseProgram(program: Handle) on program, c_int, std::ptr::null_mut(), |world| {
        let device = world.device()?;
        let finished = world.run_device(device);
        world.unload_module(program as u64)?;
        finished
    };
    call_on clCreateKernel(program: Handle, name: *const c_char, code: *mut c_int) on program, Handle, code, |world| {
        // SAFETY: the caller gives a text with a NUL.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        world.new_kernel(program as u64, &name)
    };
    call_on clGetKernelInfo(
        kernel: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize,
    ) on kernel, c_int, std::ptr::null_mut(), |world| {
        let count = world.kernel_info(kernel as u64)?.arguments.len() as c_uint;
        let known = (what == 0x1191).then(|| count.to_ne_bytes().to_vec());
        // SAFETY: the caller gives as much room as it says.
        unsafe { put_value(known, room, value, bytes) }
    };
    call_on clGetKernelWorkGroupInfo(
        kernel: Handle, _device: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize,
    ) on kernel, c_int, std::ptr::null_mut(), |world| {
        world.kernel_info(kernel as u64)?;
        let known = match what {
            0x11b0 => Some(device::THREADS.to_ne_bytes().to_vec()),
            // No workgroup is asked for: the launch checks it.
            0x11b1 => Some(vec![0; 24]),
            0x11b2 | 0x11b4 => Some(vec![0; 8]),
            _ => None,
        };
        // SAFETY: the caller gives as much room as it says.
        unsafe { put_value(known, room, value, bytes) }
    };
    call_on clSetKernelArg(
        kernel: Handle, index: c_uint, bytes: usize, value: *const c_void,
    ) on kernel, c_int, std::ptr::null_mut(), |world| {
        if bytes != 8 || value.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller gives eight bytes.
        let value = unsafe { value.cast::<u64>().read_unaligned() };
        let kind = if in_buffer(world, value as Handle, 0, 1).is_ok() { Kind::Buffer } else { Kind::Value };
        world.set_argument(kernel as u64, index as usize, value, kind)
    };
    call_on clSetKernelArgSVMPointer(
        kernel: Handle, index: c_uint, pointer: *const c_void,
    ) on kernel, c_int, std::ptr::null_mut(), |world| {
        device::check_svm(world)?;
        world.set_argument(kernel as u64, index as usize, pointer as u64, Kind::Address)
    };
    call_on clEnqueueNDRangeKernel(
        queue: Handle, kernel: Handle, dimensions: c_uint, _offset: *const usize, global: *const usize,
        local: *const usize, waits: c_uint, events: *const Handle, event: *mut Handle,
    ) on queue, c_int, std::ptr::null_mut(), |world| {
        no_events(waits, events, event)?;
        if dimensions != 3 {
            return Err(code::NOT_SUPPORTED);
        }
        // SAFETY: the caller gives three extents each.
        let (global, local) = unsafe { (extents(global)?, extents(local)?) };
        if global.iter().zip(local).any(|(global, local)| local == 0 || global % local != 0) {
            return Err(INVALID_VALUE);
        }
        let mut grid = [0; 3];
        grid.iter_mut().zip(global).zip(local).for_each(|((grid, global), local)| *grid = (global / local) as u32);
        world.launch_kernel(queue as u64, kernel as u64, grid, local.map(|extent| extent as u32))
    };
    release_on clReleaseKernel(kernel: Handle) on kernel, c_int, std::ptr::null_mut(), |world| {
        world.release_kernel(kernel as u64)
    };
    call_on clEnqueueMarkerWithWaitList(
        queue: Handle, waits: c_uint, events: *const Handle, event: *mut Handle,
    ) on queue, c_int, std::ptr::null_mut(), |world| {
        if waits != 0 || !events.is_null() {
            return Err(code::NOT_SUPPORTED);
        }
        let made = world.new_event()?;
        world.enqueue(queue as u64, Operation::Record(made))?;
        // SAFETY: the caller gives a pointer to a handle.
        unsafe { put(event, made as Handle) }
    };
    call_on clWaitForEvents(count: c_uint, events: *const Handle) on (if count == 1 {
        // SAFETY: the caller gives `count` handles.
        unsafe { events.read() }
    } else {
        std::ptr::null_mut()
    }), c_int, std::ptr::null_mut(), |world| {
        // SAFETY: as above.
        (0..count as usize).try_for_each(|at| world.wait_event(unsafe { events.add(at).read() } as u64))
    };
    call_on clGetEventProfilingInfo(
        event: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize,
    ) on event, c_int, std::ptr::null_mut(), |world| {
        let known = world.happened_ns(event as u64)?.filter(|_| what == 0x1283).map(|ns| ns.to_ne_bytes().to_vec());
        // SAFETY: the caller gives as much room as it says.
        unsafe { put_value(known, room, value, bytes) }
    };
    release_on clReleaseEvent(event: Handle) on event, c_int, std::ptr::null_mut(), |world| {
        world.destroy_event(event as u64)
    };
}

/// Frees without waiting; it has no answer.
///
/// # Safety
/// As the function of OpenCL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMFree(context: Handle, pointer: Handle) {
    let of = |world: &World| owner(world, context as u64);
    let free = |world: &mut World| {
        world.device()?;
        world.memory.free(pointer as u64, false).map_err(|what| {
            world.violate(what);
            code::INVALID_VALUE
        })
    };
    let _ = release_on(&SETUP, "clSVMFree", of, free);
}

//! A test double of libamdhip64: the entry points that the runtime's ROCm driver uses, over devices that do not exist.
//!
//! Input: the calls of the runtime. Output: what HIP would answer; kernels of real hsaco images are executed by the
//! emulator (`tests/machines/gcn`), so that a whole model runs through the real driver code on any machine. How to use
//! it: `docs/extend/testing-amd.md`.
//!
//! Limits: only what the driver calls; kernel arguments only as one packed buffer; one graph kind less than HIP (none).
//!
//! Example: with a link `libamdhip64.so.7` to this library in DIR, `LD_LIBRARY_PATH=DIR FORNAX_FAKE_ARCH=gfx942 fornax
//! run-module --device=rocm …` runs on an invented gfx942.

mod device;
mod execute;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use fornax_fake_driver::entry::{Setup, put, put_text, set_current};
use fornax_fake_driver::{Fill, Launch, Operation, code, elf, entry_points};

/// An opaque handle.
type Handle = *mut c_void;

static SETUP: Setup = Setup { name: "fake-hip", arch: "gfx908", executor: || Box::new(execute::Emulator) };

/// Every thread starts on device 0.
fn enter() {
    if fornax_fake_driver::entry::current().is_none() {
        set_current(Some(0));
    }
}

fn fill(target: Handle, pattern: [u8; 4], width: usize, count: usize) -> Operation {
    Operation::Fill(Fill { target: target as u64, pattern, width, count: count as u64, stride: width as u64 })
}

/// Writes a handle or address.
fn put_handle(target: *mut Handle, value: u64) -> Result<(), i32> {
    // SAFETY: the caller of the entry point gives a pointer to a handle.
    unsafe { put(target, value as Handle) }
}

entry_points! { SETUP;
    call hipInit(_flags: c_uint) |world| {
        if world.devices.is_empty() { Err(code::NO_DEVICE) } else { Ok(()) }
    };
    call hipDriverGetVersion(version: *mut c_int) |_world| {
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(version, device::VERSION) }
    };
    call hipGetDeviceCount(count: *mut c_int) |world| {
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(count, world.devices.len() as c_int) }
    };
    switch hipSetDevice(device: c_int) |world| {
        world.ordinal(device).map(Some)
    };
    call hipDeviceGet(device: *mut c_int, ordinal: c_int) |world| {
        world.ordinal(ordinal)?;
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(device, ordinal) }
    };
    call hipDeviceGetName(name: *mut c_char, len: c_int, device: c_int) |world| {
        let text = device::name(&world.devices[world.ordinal(device)?].arch);
        // SAFETY: the caller gives a buffer of that length.
        unsafe { put_text(name, len, &text) }
    };
    call hipDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) |world| {
        // SAFETY: the caller gives room for 16 bytes.
        unsafe { put(uuid, device::uuid(world.ordinal(device)?)) }
    };
    call hipDeviceTotalMem(bytes: *mut usize, device: c_int) |world| {
        world.ordinal(device)?;
        // SAFETY: the caller gives a pointer to a size.
        unsafe { put(bytes, world.config.memory as usize) }
    };
    call hipDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) |world| {
        let arch = &world.devices[world.ordinal(device)?].arch;
        let number = device::attribute(arch, attribute, world.config.pools).ok_or(code::INVALID_VALUE)?;
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(value, number) }
    };
    call hipGetDevicePropertiesR0600(properties: *mut c_void, device: c_int) |world| {
        let ordinal = world.ordinal(device)?;
        if world.config.old_properties {
            return Err(code::NOT_SUPPORTED);
        }
        let arch = &world.devices[ordinal].arch;
        // SAFETY: the caller gives room for the structure.
        unsafe { device::write_properties(properties, &device::NEW_LAYOUT, arch, world.config.memory) }
    };
    call hipGetDeviceProperties(properties: *mut c_void, device: c_int) |world| {
        let ordinal = world.ordinal(device)?;
        let arch = &world.devices[ordinal].arch;
        // SAFETY: the caller gives room for the structure.
        unsafe { device::write_properties(properties, &device::OLD_LAYOUT, arch, world.config.memory) }
    };
    call hipMemGetInfo(free: *mut usize, total: *mut usize) |world| {
        enter();
        let device = world.device()?;
        let room = world.config.memory;
        // SAFETY: the caller gives pointers to two sizes.
        unsafe {
            put(free, world.memory.free_bytes(device, room) as usize)?;
            put(total, room as usize)
        }
    };
    call hipMalloc(address: *mut Handle, bytes: usize) |world| {
        enter();
        put_handle(address, world.allocate(false, bytes as u64)?)
    };
    release hipFree(address: Handle) |world| {
        enter();
        world.free(address as u64, false)
    };
    call hipMallocAsync(address: *mut Handle, bytes: usize, stream: Handle) |world| {
        enter();
        world.check_stream(stream as u64)?;
        put_handle(address, world.allocate(false, bytes as u64)?)
    };
    release hipFreeAsync(address: Handle, stream: Handle) |world| {
        enter();
        world.enqueue(stream as u64, Operation::Free(address as u64))
    };
    call hipDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int) |world| {
        if !world.config.pools {
            return Err(code::NOT_SUPPORTED);
        }
        put_handle(pool, device::pool(world.ordinal(device)?))
    };
    call hipMemPoolSetAttribute(pool: Handle, attribute: c_int, value: *const u64) |world| {
        let known = device::is_pool(pool as u64, world.devices.len()) && attribute == device::POOL_RELEASE_THRESHOLD;
        if known && !value.is_null() { Ok(()) } else { Err(code::INVALID_VALUE) }
    };
    call hipMemPoolTrimTo(pool: Handle, _keep: usize) |world| {
        if device::is_pool(pool as u64, world.devices.len()) { Ok(()) } else { Err(code::INVALID_VALUE) }
    };
    call hipHostMalloc(pointer: *mut Handle, bytes: usize, _flags: c_uint) |world| {
        enter();
        put_handle(pointer, world.allocate(true, bytes as u64)?)
    };
    release hipHostFree(pointer: Handle) |world| {
        enter();
        world.free(pointer as u64, true)
    };
    call hipMemcpyAsync(target: Handle, source: *const c_void, bytes: usize, kind: c_int, stream: Handle) |world| {
        enter();
        if kind != device::COPY_BY_ADDRESS {
            return Err(code::NOT_SUPPORTED);
        }
        let copy = Operation::Copy { target: target as u64, source: source as u64, bytes: bytes as u64 };
        world.enqueue(stream as u64, copy)
    };
    call hipMemsetD8Async(target: Handle, value: u8, count: usize, stream: Handle) |world| {
        enter();
        world.enqueue(stream as u64, fill(target, [value, 0, 0, 0], 1, count))
    };
    call hipMemsetD16Async(target: Handle, value: u16, count: usize, stream: Handle) |world| {
        enter();
        let [low, high] = value.to_le_bytes();
        world.enqueue(stream as u64, fill(target, [low, high, 0, 0], 2, count))
    };
    call hipMemsetD32Async(target: Handle, value: c_int, count: usize, stream: Handle) |world| {
        enter();
        world.enqueue(stream as u64, fill(target, value.to_le_bytes(), 4, count))
    };
    call hipModuleLoadData(module: *mut Handle, image: *const c_void) |world| {
        enter();
        // SAFETY: the caller gives a whole ELF file.
        let bytes = unsafe { elf::image_bytes(image) };
        put_handle(module, world.load_module(bytes)?)
    };
    release hipModuleUnload(module: Handle) |world| {
        enter();
        world.unload_module(module as u64)
    };
    call hipModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) |world| {
        enter();
        // SAFETY: the caller gives a text with a NUL.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        put_handle(function, world.function(module as u64, &name)?)
    };
    call hipModuleLaunchKernel(
        function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) |world| {
        enter();
        if !parameters.is_null() || extra.is_null() {
            return Err(code::NOT_SUPPORTED);
        }
        // SAFETY: the list of keys and values ends with its end key.
        let arguments = unsafe { execute::packed_arguments(extra) }.ok_or(code::INVALID_VALUE)?;
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        world.launch(stream as u64, Launch { function: function as u64, grid, block, shared_bytes, arguments })
    };
    call hipStreamCreateWithFlags(stream: *mut Handle, _flags: c_uint) |world| {
        enter();
        put_handle(stream, world.new_stream()?)
    };
    release hipStreamDestroy(stream: Handle) |world| {
        enter();
        world.destroy_stream(stream as u64)
    };
    call hipStreamSynchronize(stream: Handle) |world| {
        enter();
        world.synchronize(stream as u64)
    };
    call hipEventCreateWithFlags(event: *mut Handle, _flags: c_uint) |world| {
        enter();
        put_handle(event, world.new_event()?)
    };
    call hipEventRecord(event: Handle, stream: Handle) |world| {
        enter();
        world.enqueue(stream as u64, Operation::Record(event as u64))
    };
    call hipEventQuery(event: Handle) |world| {
        world.look_at_event(event as u64)
    };
    call hipEventSynchronize(event: Handle) |world| {
        enter();
        world.wait_event(event as u64)
    };
    call hipEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) |world| {
        enter();
        let elapsed = world.elapsed(start as u64, end as u64)?;
        // SAFETY: the caller gives a pointer to a float.
        unsafe { put(milliseconds, elapsed) }
    };
    release hipEventDestroy(event: Handle) |world| {
        enter();
        world.destroy_event(event as u64)
    };
}

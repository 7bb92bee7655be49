//! A test double of libcuda: the entry points that the runtime's CUDA driver uses, over devices that do not exist.
//!
//! Input: the calls of the runtime. Output: what libcuda would answer. Memory, streams, events, captures and graphs
//! behave as there; kernels are not executed: a launch is recorded, and its addresses must lie in live memory when its
//! turn comes. So the whole host side of the driver, and each failure of a call, is tested on any machine; what kernels
//! compute is tested elsewhere.
//!
//! Limits: PTX images only (an ELF image does not list its parameters); legacy streams and other contexts than the
//! primary one are not modelled.
//!
//! Example: with a link `libcuda.so.1` to this library in DIR, `LD_LIBRARY_PATH=DIR fornax list-devices cuda` prints an
//! invented sm_90.

mod device;
mod execute;
mod nodes;

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

use fornax_fake_driver::entry::{Setup, put, put_text};
use fornax_fake_driver::{Fill, Launch, Operation, code, elf, entry_points};

/// An opaque handle.
type Handle = *mut c_void;

static SETUP: Setup = Setup { name: "fake-cuda", arch: "sm_90", executor: || Box::new(execute::Recorder) };

/// `count` elements of `width` bytes, `stride` apart.
fn fill(target: u64, pattern: [u8; 4], width: usize, count: usize, stride: usize) -> Operation {
    Operation::Fill(Fill { target, pattern, width, count: count as u64, stride: stride as u64 })
}

/// Writes a handle or address.
fn put_handle(target: *mut Handle, value: u64) -> Result<(), i32> {
    // SAFETY: the caller of the entry point gives a pointer to a handle.
    unsafe { put(target, value as Handle) }
}

entry_points! { SETUP;
    call cuInit(_flags: c_uint) |world| {
        if world.devices.is_empty() { Err(code::NO_DEVICE) } else { Ok(()) }
    };
    call cuDriverGetVersion(version: *mut c_int) |_world| {
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(version, device::VERSION) }
    };
    call cuGetErrorName(error: c_int, name: *mut *const c_char) |_world| {
        let found = device::error_name(error).ok_or(code::INVALID_VALUE)?;
        // SAFETY: the caller gives a pointer to a pointer; the text lives for ever.
        unsafe { put(name, found.as_ptr()) }
    };
    call cuDeviceGetCount(count: *mut c_int) |world| {
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(count, world.devices.len() as c_int) }
    };
    call cuDeviceGet(device: *mut c_int, ordinal: c_int) |world| {
        world.ordinal(ordinal)?;
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(device, ordinal) }
    };
    call cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) |world| {
        let text = format!("Invented {}", world.devices[world.ordinal(device)?].arch);
        // SAFETY: the caller gives a buffer of that length.
        unsafe { put_text(name, len, &text) }
    };
    call cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) |world| {
        // SAFETY: the caller gives room for 16 bytes.
        unsafe { put(uuid, device::uuid(world.config.uuid, world.ordinal(device)?)) }
    };
    call cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) |world| {
        // SAFETY: the caller gives room for 16 bytes.
        unsafe { put(uuid, device::uuid(world.config.uuid, world.ordinal(device)?)) }
    };
    call cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) |world| {
        let arch = &world.devices[world.ordinal(device)?].arch;
        let number = device::attribute(arch, attribute).ok_or(code::INVALID_VALUE)?;
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(value, number) }
    };
    call cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) |world| {
        world.ordinal(device)?;
        // SAFETY: the caller gives a pointer to a size.
        unsafe { put(bytes, world.config.memory as usize) }
    };
    call cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) |world| {
        let device = world.ordinal(device)?;
        put_handle(context, world.retain_context(device)?)
    };
    release cuDevicePrimaryCtxRelease_v2(device: c_int) |world| {
        let device = world.ordinal(device)?;
        world.release_context(device)
    };
    switch cuCtxSetCurrent(context: Handle) |world| {
        world.context_device(context as u64).map(Some)
    };
    call cuMemGetInfo_v2(free: *mut usize, total: *mut usize) |world| {
        let device = world.device()?;
        let room = world.config.memory;
        // SAFETY: the caller gives pointers to two sizes.
        unsafe {
            put(free, world.memory.free_bytes(device, room) as usize)?;
            put(total, room as usize)
        }
    };
    call cuMemAlloc_v2(address: *mut u64, bytes: usize) |world| {
        let taken = world.allocate(false, bytes as u64)?;
        // SAFETY: the caller gives a pointer to an address.
        unsafe { put(address, taken) }
    };
    release cuMemFree_v2(address: u64) |world| {
        world.free(address, false)
    };
    call cuMemHostAlloc(pointer: *mut Handle, bytes: usize, _flags: c_uint) |world| {
        put_handle(pointer, world.allocate(true, bytes as u64)?)
    };
    release cuMemFreeHost(pointer: Handle) |world| {
        world.free(pointer as u64, true)
    };
    call cuMemHostRegister_v2(pointer: Handle, bytes: usize, _flags: c_uint) |world| {
        world.register(pointer as u64, bytes as u64)
    };
    release cuMemHostUnregister(pointer: Handle) |world| {
        world.unregister(pointer as u64)
    };
    call cuMemcpyAsync(target: u64, source: u64, bytes: usize, stream: Handle) |world| {
        world.enqueue(stream as u64, Operation::Copy { target, source, bytes: bytes as u64 })
    };
    call cuMemsetD8Async(target: u64, value: u8, count: usize, stream: Handle) |world| {
        world.enqueue(stream as u64, fill(target, [value, 0, 0, 0], 1, count, 1))
    };
    call cuMemsetD16Async(target: u64, value: u16, count: usize, stream: Handle) |world| {
        let [low, high] = value.to_le_bytes();
        world.enqueue(stream as u64, fill(target, [low, high, 0, 0], 2, count, 2))
    };
    call cuMemsetD32Async(target: u64, value: c_uint, count: usize, stream: Handle) |world| {
        world.enqueue(stream as u64, fill(target, value.to_le_bytes(), 4, count, 4))
    };
    call cuMemsetD2D32Async(
        target: u64, pitch: usize, value: c_uint, width: usize, height: usize, stream: Handle,
    ) |world| {
        if width != 1 {
            return Err(code::NOT_SUPPORTED);
        }
        world.enqueue(stream as u64, fill(target, value.to_le_bytes(), 4, height, pitch))
    };
    call cuModuleLoadDataEx(
        module: *mut Handle, image: *const c_void, _count: c_uint, _options: *mut c_int, _values: *mut Handle,
    ) |world| {
        // SAFETY: the caller gives a whole ELF file or a text with a NUL.
        let bytes = unsafe { elf::image_bytes(image) };
        put_handle(module, world.load_module(bytes)?)
    };
    release cuModuleUnload(module: Handle) |world| {
        world.unload_module(module as u64)
    };
    call cuLibraryLoadData(
        library: *mut Handle, image: *const c_void, _options: *mut c_int, _values: *mut Handle, _count: c_uint,
        _library_options: *mut c_int, _library_values: *mut Handle, _library_count: c_uint,
    ) |world| {
        // SAFETY: the caller gives a whole ELF file or a text with a NUL.
        let bytes = unsafe { elf::image_bytes(image) };
        put_handle(library, world.load_module(bytes)?)
    };
    // A library has one module here, which is itself.
    call cuLibraryGetModule(module: *mut Handle, library: Handle) |_world| {
        put_handle(module, library as u64)
    };
    release cuLibraryUnload(library: Handle) |world| {
        world.unload_module(library as u64)
    };
    call cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) |world| {
        // SAFETY: the caller gives a text with a NUL.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        put_handle(function, world.function(module as u64, &name)?)
    };
    call cuFuncGetAttribute(value: *mut c_int, _attribute: c_int, function: Handle) |world| {
        world.kernel(function as u64)?;
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(value, 32) }
    };
    call cuFuncSetAttribute(function: Handle, _attribute: c_int, _value: c_int) |world| {
        world.kernel(function as u64).map(drop)
    };
    call cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, function: Handle, block_threads: c_int, _shared_bytes: usize,
    ) |world| {
        world.kernel(function as u64)?;
        // SAFETY: the caller gives a pointer to an int.
        unsafe { put(blocks, 2048 / block_threads.max(1)) }
    };
    call cuTensorMapEncodeTiled(
        map: *mut [u64; 16], _element: c_int, rank: c_uint, address: Handle, _dims: *const c_ulonglong,
        _strides: *const c_ulonglong, _box_dims: *const c_uint, _element_strides: *const c_uint, _interleave: c_int,
        _swizzle: c_int, _l2_promotion: c_int, _out_of_bounds: c_int,
    ) |world| {
        let known = world.memory.place(address as u64).is_some() || world.memory.is_known(address as u64);
        if !(1..=5).contains(&rank) || !known {
            return Err(code::INVALID_VALUE);
        }
        let mut encoded = [0; 16];
        encoded[0] = address as u64;
        // SAFETY: the caller gives room for a map.
        unsafe { put(map, encoded) }
    };
    call cuLaunchKernel(
        function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: Handle, parameters: *mut Handle, _extra: *mut Handle,
    ) |world| {
        let kernel = world.kernel(function as u64)?;
        // SAFETY: the caller gives one pointer for each argument of the kernel.
        let arguments = unsafe { execute::gather(parameters, &kernel.arguments) };
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        world.launch(stream as u64, Launch { function: function as u64, grid, block, shared_bytes, arguments })
    };
    call cuStreamCreate(stream: *mut Handle, _flags: c_uint) |world| {
        put_handle(stream, world.new_stream()?)
    };
    release cuStreamDestroy_v2(stream: Handle) |world| {
        world.destroy_stream(stream as u64)
    };
    call cuStreamSynchronize(stream: Handle) |world| {
        world.synchronize(stream as u64)
    };
    call cuStreamBeginCapture_v2(stream: Handle, _mode: c_int) |world| {
        world.begin_capture(stream as u64)
    };
    release cuStreamEndCapture(stream: Handle, graph: *mut Handle) |world| {
        put_handle(graph, world.end_capture(stream as u64)?)
    };
    call cuGraphInstantiateWithFlags(exec: *mut Handle, graph: Handle, _flags: c_ulonglong) |world| {
        put_handle(exec, world.instantiate(graph as u64)?)
    };
    call cuGraphCreate(graph: *mut Handle, _flags: c_uint) |world| {
        put_handle(graph, world.new_graph(None)?)
    };
    call cuGraphAddKernelNode_v2(
        node: *mut Handle, graph: Handle, _after: *const Handle, _count: usize, parameters: *const nodes::Kernel,
    ) |world| {
        // SAFETY: the caller gives the parameters of a kernel node.
        let parameters = unsafe { &*parameters };
        let kernel = world.kernel(parameters.function as u64)?;
        // SAFETY: the caller gives one pointer for each argument of the kernel.
        let launch = unsafe { parameters.launch(&kernel.arguments) };
        let added = world.add_node(graph as u64, Operation::Launch(launch))?;
        put_handle(node, added)
    };
    call cuGraphAddMemcpyNode(
        node: *mut Handle, graph: Handle, _after: *const Handle, _count: usize, parameters: *const nodes::Copy,
        _context: Handle,
    ) |world| {
        // SAFETY: the caller gives the parameters of a copy.
        let operation = unsafe { &*parameters }.operation().ok_or(code::NOT_SUPPORTED)?;
        let added = world.add_node(graph as u64, operation)?;
        put_handle(node, added)
    };
    call cuGraphAddMemsetNode(
        node: *mut Handle, graph: Handle, _after: *const Handle, _count: usize, parameters: *const nodes::Set,
        _context: Handle,
    ) |world| {
        // SAFETY: the caller gives the parameters of a memset.
        let operation = unsafe { &*parameters }.operation().ok_or(code::NOT_SUPPORTED)?;
        let added = world.add_node(graph as u64, operation)?;
        put_handle(node, added)
    };
    call cuGraphAddNode_v2(
        node: *mut Handle, graph: Handle, _after: *const Handle, _edges: *const c_void, _count: usize,
        parameters: *mut nodes::Conditional,
    ) |world| {
        // SAFETY: the caller gives the parameters of a conditional node.
        let parameters = unsafe { &mut *parameters };
        if parameters.node_type != nodes::CONDITIONAL || parameters.count != 1 {
            return Err(code::NOT_SUPPORTED);
        }
        let body = world.new_graph(Some(graph as u64))?;
        // The array lives as long as the process: as long as a node, or longer.
        parameters.bodies = Box::leak(Box::new(body as Handle));
        put_handle(node, graph as u64 + 1)
    };
    call cuGraphConditionalHandleCreate(
        handle: *mut u64, graph: Handle, _context: Handle, _value: c_uint, _flags: c_uint,
    ) |world| {
        world.device()?;
        // SAFETY: the caller gives a pointer to a handle.
        unsafe { put(handle, graph as u64 + 2) }
    };
    call cuGraphExecKernelNodeSetParams_v2(exec: Handle, node: Handle, parameters: *const nodes::Kernel) |world| {
        // SAFETY: the caller gives the parameters of a kernel node.
        let parameters = unsafe { &*parameters };
        let kernel = world.kernel(parameters.function as u64)?;
        // SAFETY: the caller gives one pointer for each argument of the kernel.
        let launch = unsafe { parameters.launch(&kernel.arguments) };
        world.set_node(exec as u64, node as u64, Operation::Launch(launch))
    };
    call cuGraphExecMemcpyNodeSetParams(
        exec: Handle, node: Handle, parameters: *const nodes::Copy, _context: Handle,
    ) |world| {
        // SAFETY: the caller gives the parameters of a copy.
        let operation = unsafe { &*parameters }.operation().ok_or(code::NOT_SUPPORTED)?;
        world.set_node(exec as u64, node as u64, operation)
    };
    call cuGraphExecMemsetNodeSetParams(
        exec: Handle, node: Handle, parameters: *const nodes::Set, _context: Handle,
    ) |world| {
        // SAFETY: the caller gives the parameters of a memset.
        let operation = unsafe { &*parameters }.operation().ok_or(code::NOT_SUPPORTED)?;
        world.set_node(exec as u64, node as u64, operation)
    };
    call cuGraphLaunch(exec: Handle, stream: Handle) |world| {
        world.launch_graph(exec as u64, stream as u64)
    };
    release cuGraphExecDestroy(exec: Handle) |world| {
        world.destroy_graph(exec as u64)
    };
    release cuGraphDestroy(graph: Handle) |world| {
        world.destroy_graph(graph as u64)
    };
    call cuEventCreate(event: *mut Handle, _flags: c_uint) |world| {
        put_handle(event, world.new_event()?)
    };
    call cuEventRecord(event: Handle, stream: Handle) |world| {
        world.enqueue(stream as u64, Operation::Record(event as u64))
    };
    // Whoever waits in a queue waits at once: the order is the same.
    call cuStreamWaitEvent(_stream: Handle, event: Handle, _flags: c_uint) |world| {
        world.wait_event(event as u64)
    };
    call cuEventQuery(event: Handle) |world| {
        world.look_at_event(event as u64)
    };
    call cuEventSynchronize(event: Handle) |world| {
        world.wait_event(event as u64)
    };
    call cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) |world| {
        let elapsed = world.elapsed(start as u64, end as u64)?;
        // SAFETY: the caller gives a pointer to a float.
        unsafe { put(milliseconds, elapsed) }
    };
    release cuEventDestroy_v2(event: Handle) |world| {
        world.destroy_event(event as u64)
    };
}

//! The functions of the OpenCL loader that the driver uses, and their codes: our own declarations of OpenCL 3.0, which
//! a test compares with the header of Khronos where that is installed (`declarations.rs`).

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::drivers::symbols::{MISSING, symbols};
use crate::hal::{HalError, HalErrorKind, HalResult};

/// Names of the loader.
pub(super) const LIBRARY_NAMES: &[&str] = &["libOpenCL.so.1", "libOpenCL.so"];

/// An opaque handle: platform, device, context, queue, program, kernel or event.
pub(super) type Handle = *mut c_void;

/// `clCreateProgramWithILKHR`, which platforms before OpenCL 2.1 have instead of the core function.
pub(super) type CreateProgramWithIl =
    unsafe extern "C" fn(context: Handle, il: *const c_void, bytes: usize, code: *mut c_int) -> Handle;

symbols! {
    /// libOpenCL.
    Api {
        clGetPlatformIDs(room: c_uint, platforms: *mut Handle, count: *mut c_uint);
        clGetPlatformInfo(platform: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize);
        clGetDeviceIDs(platform: Handle, kinds: u64, room: c_uint, devices: *mut Handle, count: *mut c_uint);
        clGetDeviceInfo(device: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize);
        clGetExtensionFunctionAddressForPlatform(platform: Handle, name: *const c_char) -> Handle;
        clCreateContext(
            properties: *const isize, count: c_uint, devices: *const Handle, notify: Handle, data: *mut c_void,
            code: *mut c_int,
        ) -> Handle;
        clReleaseContext(context: Handle);
        clCreateCommandQueueWithProperties(
            context: Handle, device: Handle, properties: *const u64, code: *mut c_int,
        ) -> Handle;
        clReleaseCommandQueue(queue: Handle);
        clFlush(queue: Handle);
        clFinish(queue: Handle);
        clSVMAlloc(context: Handle, flags: u64, bytes: usize, alignment: c_uint) -> Handle;
        clSVMFree(context: Handle, pointer: Handle) -> ();
        clEnqueueSVMFree(
            queue: Handle, count: c_uint, pointers: *mut Handle, notify: Handle, data: *mut c_void, waits: c_uint,
            events: *const Handle, event: *mut Handle,
        );
        clEnqueueSVMMemcpy(
            queue: Handle, blocking: c_uint, target: *mut c_void, source: *const c_void, bytes: usize, waits: c_uint,
            events: *const Handle, event: *mut Handle,
        );
        clEnqueueSVMMemFill(
            queue: Handle, target: *mut c_void, pattern: *const c_void, pattern_bytes: usize, bytes: usize,
            waits: c_uint, events: *const Handle, event: *mut Handle,
        );
        clCreateBuffer(context: Handle, flags: u64, bytes: usize, host: *mut c_void, code: *mut c_int) -> Handle;
        clReleaseMemObject(memory: Handle);
        clEnqueueReadBuffer(
            queue: Handle, buffer: Handle, blocking: c_uint, offset: usize, bytes: usize, target: *mut c_void,
            waits: c_uint, events: *const Handle, event: *mut Handle,
        );
        clEnqueueWriteBuffer(
            queue: Handle, buffer: Handle, blocking: c_uint, offset: usize, bytes: usize, source: *const c_void,
            waits: c_uint, events: *const Handle, event: *mut Handle,
        );
        clEnqueueCopyBuffer(
            queue: Handle, source: Handle, target: Handle, source_offset: usize, target_offset: usize, bytes: usize,
            waits: c_uint, events: *const Handle, event: *mut Handle,
        );
        clEnqueueFillBuffer(
            queue: Handle, buffer: Handle, pattern: *const c_void, pattern_bytes: usize, offset: usize, bytes: usize,
            waits: c_uint, events: *const Handle, event: *mut Handle,
        );
        clCreateProgramWithIL(context: Handle, il: *const c_void, bytes: usize, code: *mut c_int) -> Handle;
        clCreateProgramWithBinary(
            context: Handle, count: c_uint, devices: *const Handle, lengths: *const usize,
            binaries: *const *const u8, states: *mut c_int, code: *mut c_int,
        ) -> Handle;
        clGetProgramInfo(program: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize);
        clBuildProgram(
            program: Handle, count: c_uint, devices: *const Handle, options: *const c_char, notify: Handle,
            data: *mut c_void,
        );
        clGetProgramBuildInfo(
            program: Handle, device: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize,
        );
        clReleaseProgram(program: Handle);
        clCreateKernel(program: Handle, name: *const c_char, code: *mut c_int) -> Handle;
        clGetKernelInfo(kernel: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize);
        clGetKernelWorkGroupInfo(
            kernel: Handle, device: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize,
        );
        clSetKernelArg(kernel: Handle, index: c_uint, bytes: usize, value: *const c_void);
        clSetKernelArgSVMPointer(kernel: Handle, index: c_uint, pointer: *const c_void);
        clEnqueueNDRangeKernel(
            queue: Handle, kernel: Handle, dimensions: c_uint, offset: *const usize, global: *const usize,
            local: *const usize, waits: c_uint, events: *const Handle, event: *mut Handle,
        );
        clReleaseKernel(kernel: Handle);
        clEnqueueMarkerWithWaitList(queue: Handle, waits: c_uint, events: *const Handle, event: *mut Handle);
        clWaitForEvents(count: c_uint, events: *const Handle);
        clGetEventProfilingInfo(event: Handle, what: c_uint, room: usize, value: *mut c_void, bytes: *mut usize);
        clReleaseEvent(event: Handle);
    }
}

/// Declares constants under the header's names without their `CL_`.
macro_rules! constants {
    ($list:ident: $($name:ident = $value:expr;)*) => {
        $(pub(super) const $name: u64 = $value;)*
        /// All of them, for the comparison with the header.
        #[cfg(test)]
        pub(super) const $list: &[(&str, u64)] = &[$((stringify!($name), $value)),*];
    };
}

constants! { CONSTANTS:
    PLATFORM_VERSION = 0x0901;
    PLATFORM_NAME = 0x0902;
    DEVICE_TYPE_ALL = 0xffff_ffff;
    DEVICE_TYPE_CPU = 1 << 1;
    DEVICE_TYPE_GPU = 1 << 2;
    DEVICE_TYPE_ACCELERATOR = 1 << 3;
    DEVICE_TYPE = 0x1000;
    DEVICE_MAX_COMPUTE_UNITS = 0x1002;
    DEVICE_MAX_CLOCK_FREQUENCY = 0x100c;
    DEVICE_MAX_WORK_GROUP_SIZE = 0x1004;
    DEVICE_MAX_WORK_ITEM_SIZES = 0x1005;
    DEVICE_ADDRESS_BITS = 0x100d;
    DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010;
    DEVICE_SINGLE_FP_CONFIG = 0x101b;
    DEVICE_GLOBAL_MEM_SIZE = 0x101f;
    DEVICE_LOCAL_MEM_SIZE = 0x1023;
    DEVICE_ENDIAN_LITTLE = 0x1026;
    DEVICE_AVAILABLE = 0x1027;
    DEVICE_COMPILER_AVAILABLE = 0x1028;
    DEVICE_NAME = 0x102b;
    DEVICE_VENDOR = 0x102c;
    DRIVER_VERSION = 0x102d;
    DEVICE_VERSION = 0x102f;
    DEVICE_EXTENSIONS = 0x1030;
    DEVICE_SVM_CAPABILITIES = 0x1053;
    DEVICE_IL_VERSION = 0x105b;
    DEVICE_SVM_COARSE_GRAIN_BUFFER = 1 << 0;
    DEVICE_SVM_FINE_GRAIN_BUFFER = 1 << 1;
    FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7;
    CONTEXT_PLATFORM = 0x1084;
    QUEUE_PROPERTIES = 0x1093;
    QUEUE_PROFILING_ENABLE = 1 << 1;
    MEM_READ_WRITE = 1 << 0;
    MEM_SVM_FINE_GRAIN_BUFFER = 1 << 10;
    PROGRAM_BINARY_SIZES = 0x1165;
    PROGRAM_BINARIES = 0x1166;
    PROGRAM_BUILD_LOG = 0x1183;
    KERNEL_NUM_ARGS = 0x1191;
    KERNEL_WORK_GROUP_SIZE = 0x11b0;
    KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11b1;
    KERNEL_LOCAL_MEM_SIZE = 0x11b2;
    KERNEL_PRIVATE_MEM_SIZE = 0x11b4;
    PROFILING_COMMAND_END = 0x1283;
}

constants! { EXTENSION_CONSTANTS:
    DEVICE_UUID_KHR = 0x106a;
    DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108;
}

/// What a platform without devices, and a loader without platforms, answer.
pub(super) const DEVICE_NOT_FOUND: c_int = -1;
pub(super) const PLATFORM_NOT_FOUND: c_int = -1001;
/// Work that failed shows as one of these when somebody waits for it.
pub(super) const OUT_OF_RESOURCES: c_int = -5;
pub(super) const INVALID_VALUE: c_int = -30;

const OUT_OF_MEMORY: HalErrorKind = HalErrorKind::OutOfMemory { requested: 0, free: None };

/// Code, name, meaning. Names are the header's; codes not here print as numbers.
#[rustfmt::skip]
pub(super) const CODES: &[(c_int, &str, HalErrorKind)] = &[
    (DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", HalErrorKind::Unavailable),
    (-2, "CL_DEVICE_NOT_AVAILABLE", HalErrorKind::DeviceLost),
    (-3, "CL_COMPILER_NOT_AVAILABLE", HalErrorKind::Unsupported),
    (-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", OUT_OF_MEMORY),
    (OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", OUT_OF_MEMORY),
    (-6, "CL_OUT_OF_HOST_MEMORY", OUT_OF_MEMORY),
    (-7, "CL_PROFILING_INFO_NOT_AVAILABLE", HalErrorKind::Unsupported),
    (-8, "CL_MEM_COPY_OVERLAP", HalErrorKind::Internal),
    (-11, "CL_BUILD_PROGRAM_FAILURE", HalErrorKind::BadImage),
    (-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", HalErrorKind::DeviceLost),
    (-15, "CL_COMPILE_PROGRAM_FAILURE", HalErrorKind::BadImage),
    (-16, "CL_LINKER_NOT_AVAILABLE", HalErrorKind::Unsupported),
    (-17, "CL_LINK_PROGRAM_FAILURE", HalErrorKind::BadImage),
    (INVALID_VALUE, "CL_INVALID_VALUE", HalErrorKind::Internal),
    (-32, "CL_INVALID_PLATFORM", HalErrorKind::Internal),
    (-33, "CL_INVALID_DEVICE", HalErrorKind::Unavailable),
    (-34, "CL_INVALID_CONTEXT", HalErrorKind::Internal),
    (-35, "CL_INVALID_QUEUE_PROPERTIES", HalErrorKind::Unsupported),
    // The queue was good when it was made: its device is gone.
    (-36, "CL_INVALID_COMMAND_QUEUE", HalErrorKind::DeviceLost),
    (-37, "CL_INVALID_HOST_PTR", HalErrorKind::Internal),
    (-38, "CL_INVALID_MEM_OBJECT", HalErrorKind::Internal),
    (-42, "CL_INVALID_BINARY", HalErrorKind::BadImage),
    (-43, "CL_INVALID_BUILD_OPTIONS", HalErrorKind::Internal),
    (-44, "CL_INVALID_PROGRAM", HalErrorKind::BadImage),
    (-45, "CL_INVALID_PROGRAM_EXECUTABLE", HalErrorKind::BadImage),
    (-46, "CL_INVALID_KERNEL_NAME", HalErrorKind::BadImage),
    (-47, "CL_INVALID_KERNEL_DEFINITION", HalErrorKind::BadImage),
    (-48, "CL_INVALID_KERNEL", HalErrorKind::Internal),
    (-49, "CL_INVALID_ARG_INDEX", HalErrorKind::Internal),
    (-50, "CL_INVALID_ARG_VALUE", HalErrorKind::Internal),
    (-51, "CL_INVALID_ARG_SIZE", HalErrorKind::Internal),
    (-52, "CL_INVALID_KERNEL_ARGS", HalErrorKind::Internal),
    (-53, "CL_INVALID_WORK_DIMENSION", HalErrorKind::Unsupported),
    (-54, "CL_INVALID_WORK_GROUP_SIZE", HalErrorKind::Unsupported),
    (-55, "CL_INVALID_WORK_ITEM_SIZE", HalErrorKind::Unsupported),
    (-57, "CL_INVALID_EVENT_WAIT_LIST", HalErrorKind::Internal),
    (-58, "CL_INVALID_EVENT", HalErrorKind::Internal),
    (-59, "CL_INVALID_OPERATION", HalErrorKind::Unsupported),
    (-61, "CL_INVALID_BUFFER_SIZE", OUT_OF_MEMORY),
    (-63, "CL_INVALID_GLOBAL_WORK_SIZE", HalErrorKind::Unsupported),
    (-64, "CL_INVALID_PROPERTY", HalErrorKind::Unsupported),
];

/// NVIDIA's code of a kernel that read or wrote outside of memory; it is in no header.
const ILLEGAL_ACCESS: (c_int, &str, HalErrorKind) =
    (-9999, "illegal read or write to a buffer", HalErrorKind::DeviceLost);

/// Name and meaning of a code.
pub(super) fn meaning(code: c_int) -> (&'static str, HalErrorKind) {
    if code == MISSING {
        return ("function missing in this version of the library", HalErrorKind::Unsupported);
    }
    let row = CODES.iter().chain([&ILLEGAL_ACCESS]).find(|row| row.0 == code);
    row.map_or(("unknown code", HalErrorKind::Internal), |row| (row.1, row.2))
}

/// An error unless the code is 0.
pub(super) fn check(api: &'static str, code: c_int, what: &str) -> HalResult<()> {
    if code == 0 {
        return Ok(());
    }
    let (name, kind) = meaning(code);
    Err(HalError::api(kind, api, code.into(), name.to_string(), what))
}

/// The result of a function that gives a handle and its code; a null handle without a code is an error too.
pub(super) fn check_handle(api: &'static str, handle: Handle, code: c_int, what: &str) -> HalResult<Handle> {
    check(api, code, what)?;
    if handle.is_null() {
        return Err(HalError::new(HalErrorKind::Internal, format!("{what}: {api} gave nothing")));
    }
    Ok(handle)
}

/// A function that writes a value of a length that it tells: `ask(room, value, bytes)`.
pub(super) type Query<'a> = dyn Fn(usize, *mut c_void, *mut usize) -> c_int + 'a;

/// The bytes of a value of any length.
pub(super) fn query_bytes(api: &'static str, what: &str, ask: &Query) -> HalResult<Vec<u8>> {
    let mut bytes = 0;
    check(api, ask(0, std::ptr::null_mut(), &mut bytes), what)?;
    let mut value = vec![0u8; bytes];
    if bytes > 0 {
        check(api, ask(value.len(), value.as_mut_ptr().cast(), std::ptr::null_mut()), what)?;
    }
    Ok(value)
}

/// An integer of at most eight bytes; shorter ones are extended by zeros.
pub(super) fn query_integer(api: &'static str, what: &str, ask: &Query) -> HalResult<u64> {
    let (mut value, mut bytes) = (0u64, 0);
    let code = ask(size_of::<u64>(), std::ptr::from_mut(&mut value).cast(), &mut bytes);
    check(api, code, what)?;
    Ok(value)
}

/// The text before the first NUL.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).trim().to_string()
}

/// The numbers of `OpenCL 3.1 …`.
pub(super) fn version(text: &str) -> Option<(u32, u32)> {
    let numbers = text.strip_prefix("OpenCL ")?.split(' ').next()?;
    let (major, minor) = numbers.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A name for a function of an extension.
pub(super) const CREATE_PROGRAM_WITH_IL_KHR: &CStr = c"clCreateProgramWithILKHR";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_names_and_meanings() {
        assert_eq!(meaning(-6).0, "CL_OUT_OF_HOST_MEMORY");
        assert_eq!(meaning(-9999).1, HalErrorKind::DeviceLost);
        assert_eq!(meaning(12345), ("unknown code", HalErrorKind::Internal));
        assert!(CODES.windows(2).all(|pair| pair[0].0 > pair[1].0), "sorted, each once");
        let error = check("clFinish", -36, "waiting").unwrap_err();
        assert!(error.to_string().contains("clFinish: -36 CL_INVALID_COMMAND_QUEUE"), "{error}");
    }

    #[test]
    fn versions_and_texts_are_read() {
        assert_eq!(version("OpenCL 3.1 LINUX"), Some((3, 1)));
        assert_eq!(version("OpenCL 1.2"), Some((1, 2)));
        assert_eq!(version("3.0"), None);
        assert_eq!(text(b" AMD EPYC\0rest"), "AMD EPYC");
    }

    #[test]
    fn values_are_queried_in_two_steps() {
        let ask = |room: usize, value: *mut c_void, bytes: *mut usize| {
            // SAFETY: `query_bytes` gives a pointer to a size, or room for as many bytes as it says.
            unsafe {
                if !bytes.is_null() {
                    bytes.write(3);
                }
                if room >= 3 {
                    std::ptr::copy_nonoverlapping(b"abc".as_ptr(), value.cast(), 3);
                }
            }
            0
        };
        assert_eq!(query_bytes("clX", "asking", &ask).unwrap(), b"abc");
        assert_eq!(query_integer("clX", "asking", &ask).unwrap(), 0x63_6261);
        assert!(query_bytes("clX", "asking", &|_, _, _| -30).is_err());
    }
}

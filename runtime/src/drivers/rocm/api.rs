//! The functions of libamdhip64 that the driver uses: our own declarations, stable from ROCm 5 to 7.
//!
//! hip-sys is a dev-dependency: a test compares constants with its bindings. It is not used here because its build
//! needs a ROCm installation and its error type is a Rust enum.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::drivers::symbols::{MISSING, symbols};
use crate::hal::{HalError, HalErrorKind, HalResult};

/// Names of the library, newest first; then come the folders of an installation.
pub(super) const LIBRARY_NAMES: &[&str] =
    &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"];

/// An opaque handle of the library.
pub(super) type Handle = *mut c_void;

symbols! {
    /// libamdhip64.
    Api {
        hipInit(flags: c_uint);
        hipDriverGetVersion(version: *mut c_int);
        hipGetDeviceCount(count: *mut c_int);
        hipSetDevice(device: c_int);
        hipDeviceGet(device: *mut c_int, ordinal: c_int);
        hipDeviceGetName(name: *mut c_char, len: c_int, device: c_int);
        hipDeviceGetUuid(uuid: *mut [u8; 16], device: c_int);
        hipDeviceTotalMem(bytes: *mut usize, device: c_int);
        hipDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
        hipGetDevicePropertiesR0600(properties: *mut c_void, device: c_int);
        hipGetDeviceProperties(properties: *mut c_void, device: c_int);
        hipMemGetInfo(free: *mut usize, total: *mut usize);
        hipMalloc(address: *mut Handle, bytes: usize);
        hipFree(address: Handle);
        hipMallocAsync(address: *mut Handle, bytes: usize, stream: Handle);
        hipFreeAsync(address: Handle, stream: Handle);
        hipDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int);
        hipMemPoolSetAttribute(pool: Handle, attribute: c_int, value: *mut c_void);
        hipMemPoolTrimTo(pool: Handle, keep: usize);
        hipHostMalloc(pointer: *mut Handle, bytes: usize, flags: c_uint);
        hipHostFree(pointer: Handle);
        hipMemcpyAsync(target: Handle, source: *const c_void, bytes: usize, kind: c_int, stream: Handle);
        hipMemsetD8Async(target: Handle, value: u8, count: usize, stream: Handle);
        hipMemsetD16Async(target: Handle, value: u16, count: usize, stream: Handle);
        hipMemsetD32Async(target: Handle, value: c_int, count: usize, stream: Handle);
        hipModuleLoadData(module: *mut Handle, image: *const c_void);
        hipModuleUnload(module: Handle);
        hipModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char);
        hipModuleLaunchKernel(
            function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
            block_z: c_uint, shared_bytes: c_uint, stream: Handle, parameters: *mut Handle, extra: *mut Handle,
        );
        hipStreamCreateWithFlags(stream: *mut Handle, flags: c_uint);
        hipStreamDestroy(stream: Handle);
        hipStreamSynchronize(stream: Handle);
        hipEventCreateWithFlags(event: *mut Handle, flags: c_uint);
        hipEventRecord(event: Handle, stream: Handle);
        hipEventQuery(event: Handle);
        hipEventSynchronize(event: Handle);
        hipEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle);
        hipEventDestroy(event: Handle);
    }
}

pub(super) const STREAM_NON_BLOCKING: c_uint = 1;
/// The functions that stream-ordered memory needs.
pub(super) const POOL_FUNCTIONS: &[&str] =
    &["hipMallocAsync", "hipFreeAsync", "hipDeviceGetDefaultMemPool", "hipMemPoolSetAttribute", "hipMemPoolTrimTo"];
/// The attribute of a pool that says how many free bytes it keeps.
pub(super) const POOL_RELEASE_THRESHOLD: c_int = 4;
pub(super) const MEMCPY_DEFAULT: c_int = 4;
/// Keys of the last argument of `hipModuleLaunchKernel`.
pub(super) const LAUNCH_PARAM_BUFFER_POINTER: usize = 1;
pub(super) const LAUNCH_PARAM_BUFFER_SIZE: usize = 2;
pub(super) const LAUNCH_PARAM_END: usize = 3;

/// Numbers of device attributes, equal in ROCm 5 and 6.
pub(super) mod attribute {
    use std::ffi::c_int;

    pub(crate) const CLOCK_RATE: c_int = 5;
    pub(crate) const MAX_BLOCK_DIM: [c_int; 3] = [26, 27, 28];
    pub(crate) const MAX_GRID_DIM: [c_int; 3] = [29, 30, 31];
    pub(crate) const MAX_THREADS_PER_BLOCK: c_int = 56;
    pub(crate) const MULTIPROCESSOR_COUNT: c_int = 63;
    pub(crate) const MAX_SHARED_MEMORY_PER_BLOCK: c_int = 74;
    pub(crate) const MEMORY_POOLS_SUPPORTED: c_int = 88;
}

/// Where `gcnArchName` starts in the properties of ROCm 6 (function R0600) and before, bytes.
pub(super) const ARCH_NAME_OFFSET_R0600: usize = 1160;
pub(super) const ARCH_NAME_OFFSET: usize = 396;
/// Larger than any version's properties.
pub(super) const PROPERTIES_BYTES: usize = 4096;

pub(super) const OUT_OF_MEMORY: c_int = 2;
/// What a machine without an AMD GPU answers.
pub(super) const NO_DEVICE: c_int = 100;
pub(super) const INVALID_DEVICE: c_int = 101;

/// Code, name, meaning. Names are the header's; codes not here print as numbers.
#[rustfmt::skip]
pub(super) const CODES: &[(c_int, &str, HalErrorKind)] = &[
    (1, "hipErrorInvalidValue", HalErrorKind::Internal),
    (OUT_OF_MEMORY, "hipErrorOutOfMemory", HalErrorKind::OutOfMemory { requested: 0, free: None }),
    (3, "hipErrorNotInitialized", HalErrorKind::Unavailable),
    (4, "hipErrorDeinitialized", HalErrorKind::DeviceLost),
    (NO_DEVICE, "hipErrorNoDevice", HalErrorKind::Unavailable),
    (INVALID_DEVICE, "hipErrorInvalidDevice", HalErrorKind::Unavailable),
    (200, "hipErrorInvalidImage", HalErrorKind::BadImage),
    (209, "hipErrorNoBinaryForGpu", HalErrorKind::Unsupported),
    (214, "hipErrorECCNotCorrectable", HalErrorKind::DeviceLost),
    (218, "hipErrorInvalidKernelFile", HalErrorKind::BadImage),
    (300, "hipErrorInvalidSource", HalErrorKind::BadImage),
    (302, "hipErrorSharedObjectSymbolNotFound", HalErrorKind::BadImage),
    (303, "hipErrorSharedObjectInitFailed", HalErrorKind::BadImage),
    (500, "hipErrorNotFound", HalErrorKind::BadImage),
    (700, "hipErrorIllegalAddress", HalErrorKind::DeviceLost),
    (701, "hipErrorLaunchOutOfResources", HalErrorKind::Unsupported),
    (702, "hipErrorLaunchTimeOut", HalErrorKind::DeviceLost),
    (709, "hipErrorContextIsDestroyed", HalErrorKind::DeviceLost),
    (710, "hipErrorAssert", HalErrorKind::DeviceLost),
    (719, "hipErrorLaunchFailure", HalErrorKind::DeviceLost),
    (801, "hipErrorNotSupported", HalErrorKind::Unsupported),
    (999, "hipErrorUnknown", HalErrorKind::DeviceLost),
];

/// Name and meaning of a code.
pub(super) fn meaning(code: c_int) -> (&'static str, HalErrorKind) {
    if code == MISSING {
        return ("function missing in this version of the library", HalErrorKind::Unsupported);
    }
    let row = CODES.iter().find(|row| row.0 == code);
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

/// The text in a zero-padded field at `offset`.
pub(super) fn text_at(bytes: &[u8], offset: usize) -> String {
    let field = bytes.get(offset..).unwrap_or_default();
    let text = CStr::from_bytes_until_nul(field).map(CStr::to_string_lossy);
    text.map(|text| text.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use hip_sys::hiprt as hip;
    use hip_sys::hiprt::{hipDeviceAttribute_t as Attribute, hipError_t as Error};

    use super::*;

    #[test]
    fn constants_are_those_of_the_bindings() {
        assert_eq!(STREAM_NON_BLOCKING, hip::hipStreamNonBlocking);
        assert_eq!(MEMCPY_DEFAULT, hip::hipMemcpyKind::hipMemcpyDefault as c_int);
        let block = [
            Attribute::hipDeviceAttributeMaxBlockDimX,
            Attribute::hipDeviceAttributeMaxBlockDimY,
            Attribute::hipDeviceAttributeMaxBlockDimZ,
        ];
        let grid = [
            Attribute::hipDeviceAttributeMaxGridDimX,
            Attribute::hipDeviceAttributeMaxGridDimY,
            Attribute::hipDeviceAttributeMaxGridDimZ,
        ];
        assert_eq!(attribute::MAX_BLOCK_DIM, block.map(|a| a as c_int));
        assert_eq!(attribute::MAX_GRID_DIM, grid.map(|a| a as c_int));
        assert_eq!(attribute::MAX_THREADS_PER_BLOCK, Attribute::hipDeviceAttributeMaxThreadsPerBlock as c_int);
        assert_eq!(attribute::MULTIPROCESSOR_COUNT, Attribute::hipDeviceAttributeMultiprocessorCount as c_int);
        let shared = Attribute::hipDeviceAttributeMaxSharedMemoryPerBlock as c_int;
        assert_eq!(attribute::MAX_SHARED_MEMORY_PER_BLOCK, shared);
        let pools = Attribute::hipDeviceAttributeMemoryPoolsSupported as c_int;
        assert_eq!(attribute::MEMORY_POOLS_SUPPORTED, pools);
        let threshold = hip::hipMemPoolAttr::hipMemPoolAttrReleaseThreshold as c_int;
        assert_eq!(POOL_RELEASE_THRESHOLD, threshold);
    }

    #[test]
    fn layouts_are_those_of_the_bindings() {
        assert_eq!(offset_of!(hip::hipDeviceProp_t, gcnArchName), ARCH_NAME_OFFSET);
        assert!(size_of::<hip::hipDeviceProp_t>() <= PROPERTIES_BYTES);
        assert_eq!(size_of::<hip::hipUUID>(), 16);
        assert_eq!(size_of::<hip::hipDeviceptr_t>(), size_of::<Handle>());
    }

    #[test]
    fn codes_are_those_of_the_bindings() {
        let rows = [
            Error::hipErrorInvalidValue,
            Error::hipErrorOutOfMemory,
            Error::hipErrorNotInitialized,
            Error::hipErrorDeinitialized,
            Error::hipErrorNoDevice,
            Error::hipErrorInvalidDevice,
            Error::hipErrorInvalidImage,
            Error::hipErrorNoBinaryForGpu,
            Error::hipErrorECCNotCorrectable,
            Error::hipErrorInvalidKernelFile,
            Error::hipErrorInvalidSource,
            Error::hipErrorSharedObjectSymbolNotFound,
            Error::hipErrorSharedObjectInitFailed,
            Error::hipErrorNotFound,
            Error::hipErrorIllegalAddress,
            Error::hipErrorLaunchOutOfResources,
            Error::hipErrorLaunchTimeOut,
            Error::hipErrorContextIsDestroyed,
            Error::hipErrorAssert,
            Error::hipErrorLaunchFailure,
            Error::hipErrorNotSupported,
            Error::hipErrorUnknown,
        ];
        assert_eq!(rows.len(), CODES.len());
        for (row, error) in CODES.iter().zip(rows) {
            assert_eq!((row.0, row.1.to_string()), (error as c_int, format!("{error:?}")));
        }
    }
}

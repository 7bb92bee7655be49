//! The functions of libcuda that the driver uses, and what their codes mean.
//!
//! Types and constants are cudarc's `driver::sys`. Its functions are not used: they panic when the library or a symbol
//! is missing, and return a Rust enum.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

use cudarc::driver::sys::{
    CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEMCPY3D_v2, CUDA_MEMSET_NODE_PARAMS_v1, CUcontext, CUdevice, CUdeviceptr,
    CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUlibrary, CUmodule, CUresult, CUstream, CUuuid,
};

use crate::drivers::symbols::{MISSING, symbols};
use crate::hal::{EncodedMap, HalError, HalErrorKind, HalResult};

/// Names of the library, most exact first.
pub(super) const LIBRARY_NAMES: &[&str] = &["libcuda.so.1", "libcuda.so", "nvcuda.dll"];

symbols! {
    /// libcuda.
    Api {
        cuInit(flags: c_uint);
        cuDriverGetVersion(version: *mut c_int);
        cuGetErrorName(code: c_int, name: *mut *const c_char);
        cuDeviceGetCount(count: *mut c_int);
        cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
        cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
        cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice);
        cuDeviceGetUuid(uuid: *mut CUuuid, device: CUdevice);
        cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: CUdevice);
        cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
        cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
        cuDevicePrimaryCtxRelease_v2(device: CUdevice);
        cuCtxSetCurrent(context: CUcontext);
        cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
        cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
        cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
        cuMemFree_v2(address: CUdeviceptr);
        cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint);
        cuMemFreeHost(pointer: *mut c_void);
        cuMemHostRegister_v2(pointer: *mut c_void, bytes: usize, flags: c_uint);
        cuMemHostUnregister(pointer: *mut c_void);
        cuMemcpyAsync(target: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: CUstream);
        cuMemsetD8Async(target: CUdeviceptr, value: u8, count: usize, stream: CUstream);
        cuMemsetD16Async(target: CUdeviceptr, value: u16, count: usize, stream: CUstream);
        cuMemsetD32Async(target: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
        cuMemsetD2D32Async(
            target: CUdeviceptr, pitch: usize, value: c_uint, width: usize, height: usize, stream: CUstream,
        );
        cuModuleLoadDataEx(
            module: *mut CUmodule, image: *const c_void, count: c_uint, options: *mut c_int, values: *mut *mut c_void,
        );
        cuModuleUnload(module: CUmodule);
        cuLibraryLoadData(
            library: *mut CUlibrary, image: *const c_void, options: *mut c_int, values: *mut *mut c_void,
            count: c_uint, library_options: *mut c_int, library_values: *mut *mut c_void, library_count: c_uint,
        );
        cuLibraryGetModule(module: *mut CUmodule, library: CUlibrary);
        cuLibraryUnload(library: CUlibrary);
        cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
        cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: CUfunction);
        cuOccupancyMaxActiveBlocksPerMultiprocessor(
            blocks: *mut c_int, function: CUfunction, block_threads: c_int, shared_bytes: usize,
        );
        cuFuncSetAttribute(function: CUfunction, attribute: c_int, value: c_int);
        cuTensorMapEncodeTiled(
            map: *mut EncodedMap, element: c_int, rank: c_uint, address: *mut c_void, dims: *const c_ulonglong,
            strides: *const c_ulonglong, box_dims: *const c_uint, element_strides: *const c_uint, interleave: c_int,
            swizzle: c_int, l2_promotion: c_int, out_of_bounds: c_int,
        );
        cuLaunchKernel(
            function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
            block_z: c_uint, shared_bytes: c_uint, stream: CUstream, parameters: *mut *mut c_void,
            extra: *mut *mut c_void,
        );
        cuStreamCreate(stream: *mut CUstream, flags: c_uint);
        cuStreamDestroy_v2(stream: CUstream);
        cuStreamSynchronize(stream: CUstream);
        cuStreamBeginCapture_v2(stream: CUstream, mode: c_int);
        cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph);
        cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
        cuGraphCreate(graph: *mut CUgraph, flags: c_uint);
        cuGraphAddKernelNode_v2(
            node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
            parameters: *const CUDA_KERNEL_NODE_PARAMS_v2,
        );
        cuGraphAddMemcpyNode(
            node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
            parameters: *const CUDA_MEMCPY3D_v2, context: CUcontext,
        );
        cuGraphAddMemsetNode(
            node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
            parameters: *const CUDA_MEMSET_NODE_PARAMS_v1, context: CUcontext,
        );
        cuGraphAddChildGraphNode(
            node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, child: CUgraph,
        );
        cuGraphAddNode_v2(
            node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, edges: *const c_void, count: usize,
            parameters: *mut ConditionalNode,
        );
        cuGraphAddDependencies_v2(
            graph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, edges: *const EdgeData, count: usize,
        );
        cuGraphConditionalHandleCreate(
            handle: *mut u64, graph: CUgraph, context: CUcontext, value: c_uint, flags: c_uint,
        );
        cuGraphExecKernelNodeSetParams_v2(
            exec: CUgraphExec, node: CUgraphNode, parameters: *const CUDA_KERNEL_NODE_PARAMS_v2,
        );
        cuGraphExecMemcpyNodeSetParams(
            exec: CUgraphExec, node: CUgraphNode, parameters: *const CUDA_MEMCPY3D_v2, context: CUcontext,
        );
        cuGraphExecMemsetNodeSetParams(
            exec: CUgraphExec, node: CUgraphNode, parameters: *const CUDA_MEMSET_NODE_PARAMS_v1, context: CUcontext,
        );
        cuGraphLaunch(exec: CUgraphExec, stream: CUstream);
        cuGraphExecDestroy(exec: CUgraphExec);
        cuGraphDestroy(graph: CUgraph);
        cuEventCreate(event: *mut CUevent, flags: c_uint);
        cuEventRecord(event: CUevent, stream: CUstream);
        cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
        cuEventQuery(event: CUevent);
        cuEventSynchronize(event: CUevent);
        cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
        cuEventDestroy_v2(event: CUevent);
    }
}

/// `CUgraphEdgeData`: what of a node another one waits for. All zeros: its end.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct EdgeData {
    from_port: u8,
    to_port: u8,
    edge_type: u8,
    reserved: [u8; 5],
}

/// `CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC`: every workgroup of a kernel has let others start, or ended.
const PORT_PROGRAMMATIC: u8 = 1;
/// `CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC`.
const DEPENDENCY_PROGRAMMATIC: u8 = 1;

impl EdgeData {
    /// The edge of a kernel that waits by itself, behind a kernel or another node.
    pub(super) fn behind(is_kernel: bool) -> EdgeData {
        match is_kernel {
            true => {
                EdgeData { from_port: PORT_PROGRAMMATIC, edge_type: DEPENDENCY_PROGRAMMATIC, ..EdgeData::default() }
            }
            false => EdgeData::default(),
        }
    }
}

/// `CUgraphNodeParams` of a conditional node: 256 bytes, of which the driver reads and writes the first.
#[repr(C)]
pub(super) struct ConditionalNode {
    pub(super) node_type: c_int,
    pub(super) reserved: [c_int; 3],
    pub(super) handle: u64,
    pub(super) kind: c_int,
    pub(super) count: c_uint,
    /// The driver's array of the bodies.
    pub(super) bodies: *mut CUgraph,
    pub(super) context: CUcontext,
    pub(super) rest: [i64; 26],
}

/// Codes after which the device is lost for the process.
const STICKY: &[CUresult] = &[
    CUresult::CUDA_ERROR_DEINITIALIZED,
    CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
    CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
    CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
    CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
    CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUresult::CUDA_ERROR_ASSERT,
    CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
    CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
    CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
    CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
    CUresult::CUDA_ERROR_INVALID_PC,
    CUresult::CUDA_ERROR_LAUNCH_FAILED,
    CUresult::CUDA_ERROR_UNKNOWN,
];

/// What other codes mean; the rest is `Internal`.
const KINDS: &[(CUresult, HalErrorKind)] = &[
    (CUresult::CUDA_ERROR_NO_DEVICE, HalErrorKind::Unavailable),
    (CUresult::CUDA_ERROR_NOT_INITIALIZED, HalErrorKind::Unavailable),
    (CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE, HalErrorKind::Unavailable),
    (CUresult::CUDA_ERROR_INVALID_DEVICE, HalErrorKind::NotFound),
    (CUresult::CUDA_ERROR_INVALID_IMAGE, HalErrorKind::BadImage),
    (CUresult::CUDA_ERROR_INVALID_SOURCE, HalErrorKind::BadImage),
    (CUresult::CUDA_ERROR_INVALID_PTX, HalErrorKind::BadImage),
    (CUresult::CUDA_ERROR_NOT_FOUND, HalErrorKind::BadImage),
    (CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU, HalErrorKind::Unsupported),
    (CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION, HalErrorKind::Unsupported),
    (CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND, HalErrorKind::Unsupported),
    (CUresult::CUDA_ERROR_JIT_COMPILATION_DISABLED, HalErrorKind::Unsupported),
    (CUresult::CUDA_ERROR_NOT_SUPPORTED, HalErrorKind::Unsupported),
    (CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, HalErrorKind::Unsupported),
];

pub(super) const OUT_OF_MEMORY: c_int = CUresult::CUDA_ERROR_OUT_OF_MEMORY as c_int;
pub(super) const NO_DEVICE: c_int = CUresult::CUDA_ERROR_NO_DEVICE as c_int;

/// What a code means.
pub(super) fn kind(code: c_int) -> HalErrorKind {
    if STICKY.iter().any(|sticky| *sticky as c_int == code) {
        return HalErrorKind::DeviceLost;
    }
    if code == MISSING {
        return HalErrorKind::Unsupported;
    }
    if code == OUT_OF_MEMORY {
        return HalErrorKind::OutOfMemory { requested: 0, free: None };
    }
    KINDS.iter().find(|row| row.0 as c_int == code).map_or(HalErrorKind::Internal, |row| row.1)
}

impl Api {
    /// The driver's name of a code.
    pub(super) fn code_name(&self, code: c_int) -> String {
        if code == MISSING {
            return "function missing in this version of the driver".to_string();
        }
        let mut name = std::ptr::null();
        // SAFETY: `name` is written with a pointer to a constant string, or left null.
        let known = unsafe { self.cuGetErrorName(code, &mut name) } == 0 && !name.is_null();
        if !known {
            return "unknown code".to_string();
        }
        // SAFETY: the driver gave a constant NUL-terminated string.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }

    /// An error unless the code is 0.
    pub(super) fn check(&self, api: &'static str, code: c_int, what: &str) -> HalResult<()> {
        if code == 0 {
            return Ok(());
        }
        Err(HalError::api(kind(code), api, code.into(), self.code_name(code), what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_into_kinds() {
        for (code, expected) in [
            (700, HalErrorKind::DeviceLost),
            (719, HalErrorKind::DeviceLost),
            (4, HalErrorKind::DeviceLost),
            (220, HalErrorKind::DeviceLost),
            (209, HalErrorKind::Unsupported),
            (222, HalErrorKind::Unsupported),
            (100, HalErrorKind::Unavailable),
            (218, HalErrorKind::BadImage),
            (123_456, HalErrorKind::Internal),
            (MISSING, HalErrorKind::Unsupported),
        ] {
            assert_eq!(kind(code), expected, "{code}");
        }
    }
}

//! What commands are as nodes of a CUDA graph: the parameters that the driver takes.
//!
//! Worked example: a fill with a pattern of 8 bytes whose halves differ is two nodes, each one word wide and 8 bytes
//! from row to row.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cudarc::driver::sys::{
    CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEMCPY3D_v2, CUDA_MEMSET_NODE_PARAMS_v1, CUcontext, CUfunction, CUmemorytype,
};

use crate::hal::{MemorySpan, RawDispatch};

/// A kernel; `words` point to its parameters and live until the driver has copied them.
pub(super) fn kernel(
    dispatch: &RawDispatch,
    words: &mut [*mut c_void],
    context: CUcontext,
) -> CUDA_KERNEL_NODE_PARAMS_v2 {
    let ([x, y, z], [bx, by, bz]) = (dispatch.grid, dispatch.block);
    CUDA_KERNEL_NODE_PARAMS_v2 {
        func: dispatch.kernel as CUfunction,
        gridDimX: x,
        gridDimY: y,
        gridDimZ: z,
        blockDimX: bx,
        blockDimY: by,
        blockDimZ: bz,
        sharedMemBytes: dispatch.dynamic_shared_bytes,
        kernelParams: words.as_mut_ptr(),
        extra: null_mut(),
        kern: null_mut(),
        ctx: context,
    }
}

/// A copy of bytes that lie one behind the other. The addresses say on which device: one may be another's.
pub(super) fn copy(source: u64, target: u64, bytes: u64) -> CUDA_MEMCPY3D_v2 {
    let device = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
    CUDA_MEMCPY3D_v2 {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: device,
        srcHost: null(),
        srcDevice: source,
        srcArray: null_mut(),
        reserved0: null_mut(),
        srcPitch: 0,
        srcHeight: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: device,
        dstHost: null_mut(),
        dstDevice: target,
        dstArray: null_mut(),
        reserved1: null_mut(),
        dstPitch: 0,
        dstHeight: 0,
        WidthInBytes: bytes as usize,
        Height: 1,
        Depth: 1,
    }
}

/// A fill: one node, or one for each half of a pattern of 8 bytes.
pub(super) fn fill(target: u64, bytes: u64, pattern: u64, pattern_bytes: u8) -> Vec<CUDA_MEMSET_NODE_PARAMS_v1> {
    let set = |dst: u64, value: u64, element: u8, (width, height): (u64, u64)| CUDA_MEMSET_NODE_PARAMS_v1 {
        dst,
        pitch: 8,
        value: value as u32,
        elementSize: element.into(),
        width: width as usize,
        height: height as usize,
    };
    let high = pattern >> 32;
    match pattern_bytes {
        1 | 2 | 4 => vec![set(target, pattern, pattern_bytes, (bytes / u64::from(pattern_bytes), 1))],
        _ if pattern as u32 == high as u32 => vec![set(target, pattern, 4, (bytes / 4, 1))],
        _ => vec![set(target, pattern, 4, (1, bytes / 8)), set(target + 4, high, 4, (1, bytes / 8))],
    }
}

/// The bytes of a node of [`fill`], from the first written one to the last.
pub(super) fn filled(set: &CUDA_MEMSET_NODE_PARAMS_v1) -> MemorySpan {
    let bytes = 8 * (set.height as u64 - 1) + set.width as u64 * u64::from(set.elementSize);
    MemorySpan { address: set.dst, bytes, writes: true }
}

//! Parameters of graph nodes and of launches with attributes, as far as the driver fills them in. Layouts are those of
//! cuda.h.

use std::ffi::{c_int, c_uint, c_void};

use fornax_fake_driver::{Fill, Launch, Operation};

use crate::execute::gather;

/// The type of a conditional node.
pub const CONDITIONAL: c_int = 13;
/// Memory by its address alone.
const UNIFIED: c_uint = 4;

/// `CUDA_KERNEL_NODE_PARAMS_v2`.
#[repr(C)]
pub struct Kernel {
    pub function: *mut c_void,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared_bytes: c_uint,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
    kernel: *mut c_void,
    context: *mut c_void,
}

impl Kernel {
    /// The launch of the node.
    ///
    /// # Safety
    /// There is a pointer for each of the sizes, good for as many bytes.
    pub unsafe fn launch(&self, sizes: &[usize]) -> Launch {
        // SAFETY: the caller's word.
        let arguments = unsafe { gather(self.parameters, sizes) };
        let function = self.function as u64;
        Launch { function, grid: self.grid, block: self.block, shared_bytes: self.shared_bytes, arguments }
    }
}

/// One side of a `CUDA_MEMCPY3D_v2`.
#[repr(C)]
struct Side {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    memory: c_uint,
    host: *const c_void,
    device: u64,
    array: *mut c_void,
    reserved: *mut c_void,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D_v2`.
#[repr(C)]
pub struct Copy {
    source: Side,
    target: Side,
    bytes: usize,
    height: usize,
    depth: usize,
}

impl Copy {
    /// The copy, if it is a plain one between device addresses.
    pub fn operation(&self) -> Option<Operation> {
        let plain =
            self.source.memory == UNIFIED && self.target.memory == UNIFIED && self.height == 1 && self.depth == 1;
        let (source, target) = (self.source.device, self.target.device);
        plain.then_some(Operation::Copy { target, source, bytes: self.bytes as u64 })
    }
}

/// `CUDA_MEMSET_NODE_PARAMS_v1`.
#[repr(C)]
pub struct Set {
    target: u64,
    pitch: usize,
    value: c_uint,
    element_bytes: c_uint,
    width: usize,
    height: usize,
}

impl Set {
    /// The fill, if it is one row or one column.
    pub fn operation(&self) -> Option<Operation> {
        let width = self.element_bytes as usize;
        let (count, stride) = match (self.width, self.height) {
            (count, 1) => (count, width),
            (1, count) => (count, self.pitch),
            _ => return None,
        };
        let pattern = self.value.to_le_bytes();
        let fill = Fill { target: self.target, pattern, width, count: count as u64, stride: stride as u64 };
        [1, 2, 4].contains(&width).then_some(Operation::Fill(fill))
    }
}

/// `CUgraphNodeParams` of a conditional node, up to the bodies that the driver writes.
#[repr(C)]
pub struct Conditional {
    pub node_type: c_int,
    reserved: [c_int; 3],
    handle: u64,
    kind: c_int,
    pub count: c_uint,
    pub bodies: *mut *mut c_void,
}

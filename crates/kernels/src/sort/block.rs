//! How much one kernel sorts from scratch.
//!
//! Worked example: f32 keys with i32 positions are 8 bytes in shared memory: blocks of 2048.

use fornax_graph::ElementType;

/// Elements that one kernel sorts from scratch, at most, and the bytes of their operands: what every OpenCL device has,
/// less 16.
const BLOCK_MAX: i64 = 2048;
const BLOCK_BYTES: i64 = 32 * 1024 - 16;

/// Elements of so many bytes in registers that one kernel sorts: a power of two.
pub fn block_of(bytes: i64) -> i64 {
    let fits = (BLOCK_BYTES / bytes.max(1)).clamp(1, BLOCK_MAX);
    1 << fits.ilog2()
}

/// Bytes of an element as it lies in shared memory.
pub fn register_bytes(element: ElementType) -> i64 {
    match element {
        narrow if narrow.is_narrow_float() => 4,
        other => other.storage_bytes() as i64,
    }
}

//! Elements with strides, brought into row-major order.
//!
//! Worked example: `a.T` of a 2x3 array of `f32` has the shape 3x2 and the strides 4 and 12 bytes. Its elements lie at
//! the offsets 0, 12, 4, 16, 8, 20.

use fornax_runtime::TensorType;

/// Whether strides (bytes) are those of row-major order. Sizes of 1 have any.
pub fn is_row_major(ty: &TensorType, strides: &[i64]) -> bool {
    let mut wanted = ty.element_type.storage_bytes() as i64;
    for (size, stride) in ty.shape.iter().zip(strides).rev() {
        if *size > 1 && *stride != wanted {
            return ty.shape.contains(&0);
        }
        wanted = wanted.saturating_mul(*size as i64);
    }
    true
}

/// The elements from an address on, in row-major order.
pub fn gathered(ty: &TensorType, start: *const u8, strides: &[i64]) -> Option<Vec<u8>> {
    let (count, width) = (ty.elements().ok()?, ty.element_type.storage_bytes());
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(count.checked_mul(width)?).ok()?;
    let mut index = vec![0u64; ty.shape.len()];
    let mut offset = 0i64;
    for _ in 0..count {
        // SAFETY: the array said that its element of this index lies there.
        bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(start.offset(offset as isize), width) });
        for ((at, size), stride) in index.iter_mut().zip(&ty.shape).zip(strides).rev() {
            *at += 1;
            offset += stride;
            if *at < *size {
                break;
            }
            offset -= stride * *size as i64;
            *at = 0;
        }
    }
    Some(bytes)
}

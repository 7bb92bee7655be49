//! Codes of element types, layouts, figures of memory.

use std::ffi::c_int;

use fornax_types::ElementType;

use super::{Handle, List, args};
use crate::device::Device;
use crate::error::{Failure, Result};

args! {
    MemoryStatsArgs {
        device: Handle<Device>,
        bytes_in_use: i64,
        peak_bytes_in_use: i64,
        has_peak_bytes_in_use: bool,
        num_allocs: i64,
        has_num_allocs: bool,
        largest_alloc_size: i64,
        has_largest_alloc_size: bool,
        bytes_limit: i64,
        has_bytes_limit: bool,
        bytes_reserved: i64,
        has_bytes_reserved: bool,
        peak_bytes_reserved: i64,
        has_peak_bytes_reserved: bool,
        bytes_reservable_limit: i64,
        has_bytes_reservable_limit: bool,
        largest_free_block_bytes: i64,
        has_largest_free_block_bytes: bool,
        pool_bytes: i64,
        has_pool_bytes: bool,
        peak_pool_bytes: i64,
        has_peak_pool_bytes: bool,
    }
}

/// The element type of each code of the API, in the order of the codes; 0 is none, 23 is a token.
const TYPES: [Option<ElementType>; 34] = {
    use ElementType::*;
    [
        None,
        Some(I1),
        Some(I8),
        Some(I16),
        Some(I32),
        Some(I64),
        Some(Ui8),
        Some(Ui16),
        Some(Ui32),
        Some(Ui64),
        Some(F16),
        Some(F32),
        Some(F64),
        Some(Bf16),
        Some(ComplexF32),
        Some(ComplexF64),
        Some(F8E5M2),
        Some(F8E4M3FN),
        Some(F8E4M3B11FNUZ),
        Some(F8E5M2FNUZ),
        Some(F8E4M3FNUZ),
        Some(I4),
        Some(Ui4),
        None,
        Some(I2),
        Some(Ui2),
        Some(F8E4M3),
        Some(F8E3M4),
        Some(F8E8M0FNU),
        Some(F4E2M1FN),
        None,
        None,
        Some(F6E2M3FN),
        Some(F6E3M2FN),
    ]
};

/// The element type of a code.
///
/// # Errors
/// FX0731 for a code without one.
pub fn element_type(code: c_int) -> Result<ElementType> {
    let found = usize::try_from(code).ok().and_then(|code| TYPES.get(code).copied().flatten());
    found.ok_or_else(|| Failure::argument(format!("element type {code} is not known")))
}

/// The code of an element type.
///
/// # Errors
/// FX0731 for a type that the API lacks.
pub fn code(ty: ElementType) -> Result<c_int> {
    let found = TYPES.iter().position(|row| *row == Some(ty));
    found.map(|code| code as c_int).ok_or_else(|| Failure::argument(format!("JAX has no element type {ty}")))
}

/// How an array lies in memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Layout {
    pub size: usize,
    pub extensions: usize,
    pub form: LayoutForm,
    /// 0 for tiles, 1 for strides.
    pub kind: c_int,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub union LayoutForm {
    tiled: Tiled,
    strides: Strides,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Tiled {
    size: usize,
    extensions: usize,
    minor_to_major: List<i64>,
    tile_dims: *const i64,
    tile_dim_sizes: *const usize,
    num_tiles: usize,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Strides {
    size: usize,
    extensions: usize,
    byte_strides: List<i64>,
}

impl Layout {
    /// The layout with these dimensions, the fastest first.
    pub fn of(minor_to_major: &[i64]) -> Layout {
        let tiled = Tiled {
            size: size_of::<Tiled>(),
            extensions: 0,
            minor_to_major: List::lend(minor_to_major),
            tile_dims: std::ptr::null(),
            tile_dim_sizes: std::ptr::null(),
            num_tiles: 0,
        };
        Layout { size: size_of::<Layout>(), extensions: 0, form: LayoutForm { tiled }, kind: 0 }
    }

    /// Bytes from an element to the next in each dimension of a dense array.
    ///
    /// # Errors
    /// FX0731 for tiles and for dimensions that are no permutation.
    pub fn strides(&self, dims: &[u64], element_bytes: usize) -> Result<Vec<i64>> {
        if self.kind == 1 {
            // SAFETY: the kind says which form it is.
            let given = unsafe { self.form.strides }.byte_strides.get();
            return match given.len() == dims.len() {
                true => Ok(given.to_vec()),
                false => Err(Failure::argument("a layout has another rank than its array")),
            };
        }
        // SAFETY: as above.
        let tiled = unsafe { self.form.tiled };
        if tiled.num_tiles > 0 {
            return Err(Failure::argument("a layout in tiles: arrays are row-major here"));
        }
        let mut strides = vec![0; dims.len()];
        let mut next = element_bytes as i64;
        let order = tiled.minor_to_major.get();
        for dim in order {
            let at = usize::try_from(*dim).unwrap_or(usize::MAX);
            let (Some(stride), Some(extent)) = (strides.get_mut(at), dims.get(at)) else {
                return Err(Failure::argument("a layout names a dimension that its array lacks"));
            };
            *stride = next;
            next = next.saturating_mul((*extent).max(1) as i64);
        }
        match order.len() == dims.len() {
            true => Ok(strides),
            false => Err(Failure::argument("a layout has another rank than its array")),
        }
    }
}

/// Strides in bytes of a dense row-major array.
pub fn row_major(dims: &[u64], element_bytes: usize) -> Vec<i64> {
    let mut strides = vec![0; dims.len()];
    let mut next = element_bytes as i64;
    for (stride, extent) in strides.iter_mut().zip(dims).rev() {
        *stride = next;
        next = next.saturating_mul((*extent).max(1) as i64);
    }
    strides
}

/// Dimensions as the API has them.
pub fn dims_of(shape: &[u64]) -> Vec<i64> {
    shape.iter().map(|dim| *dim as i64).collect()
}

/// Dimensions that a caller gives.
///
/// # Errors
/// FX0731 for a negative one.
pub fn shape_of(dims: &[i64]) -> Result<Vec<u64>> {
    let shape = dims.iter().map(|dim| u64::try_from(*dim)).collect::<Result<Vec<u64>, _>>();
    shape.map_err(|_| Failure::argument("a dimension is negative"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_comes_back() {
        for number in 0..TYPES.len() as c_int {
            if let Ok(ty) = element_type(number) {
                assert_eq!(code(ty), Ok(number));
            }
        }
        assert!(element_type(23).is_err() && element_type(-1).is_err() && element_type(99).is_err());
        assert!(code(ElementType::Index).is_err());
    }

    #[test]
    fn strides_of_layouts() {
        let dims = [2, 3, 4];
        assert_eq!(Layout::of(&[2, 1, 0]).strides(&dims, 4).unwrap(), row_major(&dims, 4));
        assert_eq!(Layout::of(&[0, 1, 2]).strides(&dims, 4).unwrap(), [4, 8, 24]);
        assert!(Layout::of(&[0, 1]).strides(&dims, 4).is_err() && Layout::of(&[0, 1, 3]).strides(&dims, 4).is_err());
    }
}

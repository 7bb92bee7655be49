//! Encodes tensor maps: a checked description and an address become the 128 bytes that bulk copies read.
//!
//! Boxes are prefetched into L2 in 256-byte units; elements outside of the tensor read as zero and are not written. A
//! driver older than CUDA 12.0 has no such function: a typed error says so.

use std::ffi::c_int;

use cudarc::driver::sys::{
    CUtensorMapDataType as Data, CUtensorMapFloatOOBfill as Fill, CUtensorMapInterleave as Interleave,
    CUtensorMapL2promotion as Promotion, CUtensorMapSwizzle as CudaSwizzle,
};

use super::context::Context;
use crate::hal::{EncodedMap, HalError, HalResult, MapElement, Swizzle, TensorMap};

const ELEMENTS: &[(MapElement, Data)] = &[
    (MapElement::U8, Data::CU_TENSOR_MAP_DATA_TYPE_UINT8),
    (MapElement::U16, Data::CU_TENSOR_MAP_DATA_TYPE_UINT16),
    (MapElement::U32, Data::CU_TENSOR_MAP_DATA_TYPE_UINT32),
    (MapElement::S32, Data::CU_TENSOR_MAP_DATA_TYPE_INT32),
    (MapElement::U64, Data::CU_TENSOR_MAP_DATA_TYPE_UINT64),
    (MapElement::S64, Data::CU_TENSOR_MAP_DATA_TYPE_INT64),
    (MapElement::F16, Data::CU_TENSOR_MAP_DATA_TYPE_FLOAT16),
    (MapElement::F32, Data::CU_TENSOR_MAP_DATA_TYPE_FLOAT32),
    (MapElement::F64, Data::CU_TENSOR_MAP_DATA_TYPE_FLOAT64),
    (MapElement::Bf16, Data::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16),
    (MapElement::Tf32, Data::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32),
];

const SWIZZLES: &[(Swizzle, CudaSwizzle)] = &[
    (Swizzle::None, CudaSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE),
    (Swizzle::B32, CudaSwizzle::CU_TENSOR_MAP_SWIZZLE_32B),
    (Swizzle::B64, CudaSwizzle::CU_TENSOR_MAP_SWIZZLE_64B),
    (Swizzle::B128, CudaSwizzle::CU_TENSOR_MAP_SWIZZLE_128B),
];

pub(super) fn encode(context: &Context, map: &TensorMap, address: u64) -> HalResult<EncodedMap> {
    context.enter()?;
    let unknown = || HalError::invalid("a tensor map of an element or swizzle without a row");
    let element = ELEMENTS.iter().find(|row| row.0 == map.element).ok_or_else(unknown)?.1;
    let swizzle = SWIZZLES.iter().find(|row| row.0 == map.swizzle).ok_or_else(unknown)?.1;
    let mut encoded = EncodedMap::default();
    // SAFETY: `encoded` is 128 bytes, aligned to 64; the lists have `rank` elements (strides one fewer), as the device
    // layer checked with `TensorMap::check`; the function reads them before it returns and does not touch `address`.
    let code = unsafe {
        context.api.cuTensorMapEncodeTiled(
            &mut encoded,
            element as c_int,
            map.dims.len() as u32,
            address as *mut _,
            map.dims.as_ptr(),
            map.strides.as_ptr(),
            map.box_dims.as_ptr(),
            map.element_strides.as_ptr(),
            Interleave::CU_TENSOR_MAP_INTERLEAVE_NONE as c_int,
            swizzle as c_int,
            Promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B as c_int,
            Fill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE as c_int,
        )
    };
    context.check("cuTensorMapEncodeTiled", code, &format!("encoding a tensor map of {:?} elements", map.dims))?;
    Ok(encoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_as_the_driver_declares_it() {
        use cudarc::driver::sys::CUtensorMap;
        assert_eq!(size_of::<EncodedMap>(), size_of::<CUtensorMap>());
        assert_eq!(align_of::<EncodedMap>(), align_of::<CUtensorMap>());
    }
}

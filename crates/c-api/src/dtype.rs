//! Codes of element types. A code is never used for another type.

use fornax_runtime::{ElementType, Result};

use crate::arguments::misuse;

/// An element type: one of the FORNAX_ constants below. Elements are little endian. Elements of less than a byte take
/// one byte each, signed integers sign-extended. FORNAX_BOOL is a byte, 0 or 1. Complex numbers are re, im.
pub type fornax_dtype = u32;

pub const FORNAX_BOOL: fornax_dtype = 1;
pub const FORNAX_I2: fornax_dtype = 2;
pub const FORNAX_I4: fornax_dtype = 3;
pub const FORNAX_I8: fornax_dtype = 4;
pub const FORNAX_I16: fornax_dtype = 5;
pub const FORNAX_I32: fornax_dtype = 6;
pub const FORNAX_I64: fornax_dtype = 7;
pub const FORNAX_U2: fornax_dtype = 8;
pub const FORNAX_U4: fornax_dtype = 9;
pub const FORNAX_U8: fornax_dtype = 10;
pub const FORNAX_U16: fornax_dtype = 11;
pub const FORNAX_U32: fornax_dtype = 12;
pub const FORNAX_U64: fornax_dtype = 13;
pub const FORNAX_F4E2M1FN: fornax_dtype = 14;
pub const FORNAX_F6E2M3FN: fornax_dtype = 15;
pub const FORNAX_F6E3M2FN: fornax_dtype = 16;
pub const FORNAX_F8E3M4: fornax_dtype = 17;
pub const FORNAX_F8E4M3: fornax_dtype = 18;
pub const FORNAX_F8E4M3FN: fornax_dtype = 19;
pub const FORNAX_F8E4M3FNUZ: fornax_dtype = 20;
pub const FORNAX_F8E4M3B11FNUZ: fornax_dtype = 21;
pub const FORNAX_F8E5M2: fornax_dtype = 22;
pub const FORNAX_F8E5M2FNUZ: fornax_dtype = 23;
pub const FORNAX_F8E8M0FNU: fornax_dtype = 24;
pub const FORNAX_BF16: fornax_dtype = 25;
pub const FORNAX_F16: fornax_dtype = 26;
pub const FORNAX_F32: fornax_dtype = 27;
pub const FORNAX_F64: fornax_dtype = 28;
pub const FORNAX_COMPLEX64: fornax_dtype = 29;
pub const FORNAX_COMPLEX128: fornax_dtype = 30;
/// A size: a signed integer of 64 bits.
pub const FORNAX_INDEX: fornax_dtype = 31;

/// Every code and its type.
const CODES: &[(fornax_dtype, ElementType)] = &[
    (FORNAX_BOOL, ElementType::I1),
    (FORNAX_I2, ElementType::I2),
    (FORNAX_I4, ElementType::I4),
    (FORNAX_I8, ElementType::I8),
    (FORNAX_I16, ElementType::I16),
    (FORNAX_I32, ElementType::I32),
    (FORNAX_I64, ElementType::I64),
    (FORNAX_U2, ElementType::Ui2),
    (FORNAX_U4, ElementType::Ui4),
    (FORNAX_U8, ElementType::Ui8),
    (FORNAX_U16, ElementType::Ui16),
    (FORNAX_U32, ElementType::Ui32),
    (FORNAX_U64, ElementType::Ui64),
    (FORNAX_F4E2M1FN, ElementType::F4E2M1FN),
    (FORNAX_F6E2M3FN, ElementType::F6E2M3FN),
    (FORNAX_F6E3M2FN, ElementType::F6E3M2FN),
    (FORNAX_F8E3M4, ElementType::F8E3M4),
    (FORNAX_F8E4M3, ElementType::F8E4M3),
    (FORNAX_F8E4M3FN, ElementType::F8E4M3FN),
    (FORNAX_F8E4M3FNUZ, ElementType::F8E4M3FNUZ),
    (FORNAX_F8E4M3B11FNUZ, ElementType::F8E4M3B11FNUZ),
    (FORNAX_F8E5M2, ElementType::F8E5M2),
    (FORNAX_F8E5M2FNUZ, ElementType::F8E5M2FNUZ),
    (FORNAX_F8E8M0FNU, ElementType::F8E8M0FNU),
    (FORNAX_BF16, ElementType::Bf16),
    (FORNAX_F16, ElementType::F16),
    (FORNAX_F32, ElementType::F32),
    (FORNAX_F64, ElementType::F64),
    (FORNAX_COMPLEX64, ElementType::ComplexF32),
    (FORNAX_COMPLEX128, ElementType::ComplexF64),
    (FORNAX_INDEX, ElementType::Index),
];

pub(crate) fn element_of(code: fornax_dtype) -> Result<ElementType> {
    let found = CODES.iter().find(|row| row.0 == code);
    found.map(|row| row.1).ok_or_else(|| misuse(format!("{code} is no code of an element type")))
}

/// 0 for a type that no tensor at the edge of a module has.
pub(crate) fn code_of(element: ElementType) -> fornax_dtype {
    CODES.iter().find(|row| row.1 == element).map_or(0, |row| row.0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_type_has_one_code() {
        for element in ElementType::all() {
            assert_eq!(element_of(code_of(element)).unwrap(), element);
        }
        let codes: HashSet<u32> = CODES.iter().map(|row| row.0).collect();
        assert_eq!(codes.len(), ElementType::all().count());
        assert_eq!(element_of(0).unwrap_err().code(), "FX0725");
    }
}

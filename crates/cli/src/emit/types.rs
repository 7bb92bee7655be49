//! Element types in C and in Rust.

use fornax_module::manifest::TensorSignature;
use fornax_types::ElementType;

/// An element type elsewhere.
pub struct Row {
    pub element: ElementType,
    /// C's type of an element, or of a part of a complex number.
    pub c: &'static str,
    /// Its code in fornax.h.
    pub code: &'static str,
    /// Rust's type, where the runtime's tensors show slices of it.
    pub rust: Option<&'static str>,
}

macro_rules! rows {
    ($($element:ident $c:literal $code:literal $($rust:literal)?;)*) => {
        const ROWS: &[Row] = &[$(Row {
            element: ElementType::$element,
            c: $c,
            code: $code,
            rust: [$(Some($rust),)? None][0],
        }),*];
    };
}

rows! {
    I1            "uint8_t"  "FORNAX_BOOL" "bool";
    I2            "int8_t"   "FORNAX_I2";
    I4            "int8_t"   "FORNAX_I4";
    I8            "int8_t"   "FORNAX_I8" "i8";
    I16           "int16_t"  "FORNAX_I16" "i16";
    I32           "int32_t"  "FORNAX_I32" "i32";
    I64           "int64_t"  "FORNAX_I64" "i64";
    Ui2           "uint8_t"  "FORNAX_U2";
    Ui4           "uint8_t"  "FORNAX_U4";
    Ui8           "uint8_t"  "FORNAX_U8" "u8";
    Ui16          "uint16_t" "FORNAX_U16" "u16";
    Ui32          "uint32_t" "FORNAX_U32" "u32";
    Ui64          "uint64_t" "FORNAX_U64" "u64";
    F4E2M1FN      "uint8_t"  "FORNAX_F4E2M1FN";
    F6E2M3FN      "uint8_t"  "FORNAX_F6E2M3FN";
    F6E3M2FN      "uint8_t"  "FORNAX_F6E3M2FN";
    F8E3M4        "uint8_t"  "FORNAX_F8E3M4";
    F8E4M3        "uint8_t"  "FORNAX_F8E4M3";
    F8E4M3FN      "uint8_t"  "FORNAX_F8E4M3FN";
    F8E4M3FNUZ    "uint8_t"  "FORNAX_F8E4M3FNUZ";
    F8E4M3B11FNUZ "uint8_t"  "FORNAX_F8E4M3B11FNUZ";
    F8E5M2        "uint8_t"  "FORNAX_F8E5M2";
    F8E5M2FNUZ    "uint8_t"  "FORNAX_F8E5M2FNUZ";
    F8E8M0FNU     "uint8_t"  "FORNAX_F8E8M0FNU";
    Bf16          "uint16_t" "FORNAX_BF16" "half::bf16";
    F16           "uint16_t" "FORNAX_F16" "half::f16";
    F32           "float"    "FORNAX_F32" "f32";
    F64           "double"   "FORNAX_F64" "f64";
    ComplexF32    "float"    "FORNAX_COMPLEX64" "[f32; 2]";
    ComplexF64    "double"   "FORNAX_COMPLEX128" "[f64; 2]";
    Index         "int64_t"  "FORNAX_INDEX";
}

/// The row of a tensor's elements; none for types that no edge of a module has.
pub fn of(tensor: &TensorSignature) -> Option<&'static Row> {
    let element = ElementType::from_spelling(&tensor.element_type)?;
    ROWS.iter().find(|row| row.element == element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_a_row_with_a_code_of_the_header() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let header = std::fs::read_to_string(folder.join("../c-api/include/fornax.h")).unwrap();
        for element in ElementType::all() {
            let row = ROWS.iter().find(|row| row.element == element).unwrap_or_else(|| panic!("{element}"));
            assert!(header.contains(&format!("#define {} ", row.code)), "{}", row.code);
        }
    }
}

//! Element types by the names that Python's libraries have for them: NumPy with ml_dtypes, and DLPack.
//!
//! | Fornax | NumPy, ml_dtypes | array interface | DLPack (code, bits) |
//! | --- | --- | --- | --- |
//! | `f32` | `float32` | `<f4` | 2, 32 |
//! | `bf16` | `bfloat16` | `<V2` | 4, 16 |
//! | `f8E4M3FN` | `float8_e4m3fn` | `<V1` | 10, 8 |
//! | `ui4` | `uint4` | `<V1` | - |

use fornax_types::{Class, ElementType};

/// DLPack's codes of floats of less than 16 bits.
const NARROW: &[(ElementType, u8)] = &[
    (ElementType::F8E3M4, 7),
    (ElementType::F8E4M3, 8),
    (ElementType::F8E4M3B11FNUZ, 9),
    (ElementType::F8E4M3FN, 10),
    (ElementType::F8E4M3FNUZ, 11),
    (ElementType::F8E5M2, 12),
    (ElementType::F8E5M2FNUZ, 13),
    (ElementType::F8E8M0FNU, 14),
];

/// The name of NumPy, or of ml_dtypes: `float32`, `bfloat16`, `float8_e4m3fn`, `int4`.
pub fn name(ty: ElementType) -> String {
    if let Some(known) = ty.row().numpy {
        return known.to_string();
    }
    let text = ty.spelling().to_lowercase();
    match (ty.class(), text.split_once('e')) {
        (Class::Float, Some((bits, rest))) => format!("float{}_e{rest}", bits.trim_start_matches('f')),
        (Class::UnsignedInteger, _) => format!("uint{}", ty.bits()),
        _ => format!("int{}", ty.bits()),
    }
}

/// The type of such a name.
pub fn from_name(text: &str) -> Option<ElementType> {
    ElementType::all().filter(|ty| *ty != ElementType::Index).find(|ty| name(*ty) == text)
}

/// The type string of the array interface.
pub fn type_string(ty: ElementType) -> String {
    match ty.row().npy {
        Some(npy) if ty.storage_bytes() == 1 => format!("|{npy}"),
        Some(npy) => format!("<{npy}"),
        None => format!("|V{}", ty.storage_bytes()),
    }
}

/// The type of NumPy's letter of a kind and the bytes of an element; not of `V`, which only a name tells.
pub fn of_kind(kind: char, bytes: i32) -> Option<ElementType> {
    let is_it = |npy: &str| npy.strip_prefix(kind).is_some_and(|digits| digits.parse() == Ok(bytes));
    ElementType::with(|row| row.npy.is_some_and(is_it)).filter(|_| kind != 'V')
}

/// Code and bits of DLPack.
pub fn dlpack(ty: ElementType) -> Option<(u8, u8)> {
    let bits = ty.bits() as u8;
    Some(match ty.class() {
        _ if ty.is_sub_byte() => return None,
        Class::Boolean => (6, 8),
        Class::SignedInteger => (0, bits),
        Class::UnsignedInteger => (1, bits),
        Class::Complex => (5, bits),
        Class::Float if ty == ElementType::Bf16 => (4, bits),
        Class::Float if bits == 8 => (NARROW.iter().find(|row| row.0 == ty)?.1, bits),
        Class::Float => (2, bits),
        Class::Quantized => return None,
    })
}

/// The type of DLPack's code and bits.
pub fn from_dlpack(code: u8, bits: u8) -> Option<ElementType> {
    ElementType::all().filter(|ty| *ty != ElementType::Index).find(|ty| dlpack(*ty) == Some((code, bits)))
}

//! Element types: every scalar type that StableHLO names, its MLIR spelling, storage and numeric class.
//!
//! Storage at the host edge: `i1` one byte (0 or 1), sub-byte types one byte an element, complex interleaved
//! (re, im), everything little endian.

/// Scalar element type of a tensor. Signless MLIR integers (`i8`) are StableHLO's signed integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    I1,
    I2,
    I4,
    I8,
    I16,
    I32,
    I64,
    Ui2,
    Ui4,
    Ui8,
    Ui16,
    Ui32,
    Ui64,
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    Bf16,
    F16,
    F32,
    F64,
    ComplexF32,
    ComplexF64,
    /// MLIR `index`, stored as 64-bit signed.
    Index,
    /// `!quant.uniform<…>`: index into [`crate::Graph::quantized`].
    Quantized(u32),
}

/// Numeric class of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Boolean,
    SignedInteger,
    UnsignedInteger,
    Float,
    Complex,
    Quantized,
}

struct Row {
    element: ElementType,
    spelling: &'static str,
    class: Class,
    /// Significant bits of the value.
    bits: u32,
    /// Bytes an element takes at the host edge.
    storage_bytes: usize,
}

const fn row(element: ElementType, spelling: &'static str, class: Class, bits: u32, storage_bytes: usize) -> Row {
    Row { element, spelling, class, bits, storage_bytes }
}

const ROWS: &[Row] = &[
    row(ElementType::I1, "i1", Class::Boolean, 1, 1),
    row(ElementType::I2, "i2", Class::SignedInteger, 2, 1),
    row(ElementType::I4, "i4", Class::SignedInteger, 4, 1),
    row(ElementType::I8, "i8", Class::SignedInteger, 8, 1),
    row(ElementType::I16, "i16", Class::SignedInteger, 16, 2),
    row(ElementType::I32, "i32", Class::SignedInteger, 32, 4),
    row(ElementType::I64, "i64", Class::SignedInteger, 64, 8),
    row(ElementType::Ui2, "ui2", Class::UnsignedInteger, 2, 1),
    row(ElementType::Ui4, "ui4", Class::UnsignedInteger, 4, 1),
    row(ElementType::Ui8, "ui8", Class::UnsignedInteger, 8, 1),
    row(ElementType::Ui16, "ui16", Class::UnsignedInteger, 16, 2),
    row(ElementType::Ui32, "ui32", Class::UnsignedInteger, 32, 4),
    row(ElementType::Ui64, "ui64", Class::UnsignedInteger, 64, 8),
    row(ElementType::F4E2M1FN, "f4E2M1FN", Class::Float, 4, 1),
    row(ElementType::F6E2M3FN, "f6E2M3FN", Class::Float, 6, 1),
    row(ElementType::F6E3M2FN, "f6E3M2FN", Class::Float, 6, 1),
    row(ElementType::F8E3M4, "f8E3M4", Class::Float, 8, 1),
    row(ElementType::F8E4M3, "f8E4M3", Class::Float, 8, 1),
    row(ElementType::F8E4M3FN, "f8E4M3FN", Class::Float, 8, 1),
    row(ElementType::F8E4M3FNUZ, "f8E4M3FNUZ", Class::Float, 8, 1),
    row(ElementType::F8E4M3B11FNUZ, "f8E4M3B11FNUZ", Class::Float, 8, 1),
    row(ElementType::F8E5M2, "f8E5M2", Class::Float, 8, 1),
    row(ElementType::F8E5M2FNUZ, "f8E5M2FNUZ", Class::Float, 8, 1),
    row(ElementType::F8E8M0FNU, "f8E8M0FNU", Class::Float, 8, 1),
    row(ElementType::Bf16, "bf16", Class::Float, 16, 2),
    row(ElementType::F16, "f16", Class::Float, 16, 2),
    row(ElementType::F32, "f32", Class::Float, 32, 4),
    row(ElementType::F64, "f64", Class::Float, 64, 8),
    row(ElementType::ComplexF32, "complex<f32>", Class::Complex, 64, 8),
    row(ElementType::ComplexF64, "complex<f64>", Class::Complex, 128, 16),
    row(ElementType::Index, "index", Class::SignedInteger, 64, 8),
];

static QUANTIZED: Row = row(ElementType::Quantized(0), "!quant.uniform", Class::Quantized, 8, 1);

impl ElementType {
    fn row(self) -> &'static Row {
        ROWS.iter().find(|r| r.element == self).unwrap_or(&QUANTIZED)
    }

    /// Every type but the quantised ones.
    pub fn all() -> impl Iterator<Item = ElementType> {
        ROWS.iter().map(|r| r.element)
    }

    /// The type of an MLIR spelling; `si32` is read as `i32`.
    pub fn from_spelling(text: &str) -> Option<ElementType> {
        let text = if text.starts_with("si") { &text[1..] } else { text };
        ROWS.iter().find(|r| r.spelling == text).map(|r| r.element)
    }

    pub fn spelling(self) -> &'static str {
        self.row().spelling
    }

    pub fn class(self) -> Class {
        self.row().class
    }

    /// Bits of the value (`i1` 1, `complex<f32>` 64).
    pub fn bits(self) -> u32 {
        self.row().bits
    }

    /// Bytes an element takes at the host edge and in unpacked buffers.
    pub fn storage_bytes(self) -> usize {
        self.row().storage_bytes
    }

    pub fn is_float(self) -> bool {
        self.class() == Class::Float
    }

    /// A float of at most eight bits: f8, f6, f4.
    pub fn is_small_float(self) -> bool {
        self.is_float() && self.bits() <= 8
    }

    /// A float of at most sixteen bits: computed in f32 and rounded after every op.
    pub fn is_narrow_float(self) -> bool {
        self.is_float() && self.bits() <= 16
    }

    /// The type that sums and products of many elements are held in: f32 for narrow floats, f64 for f8E8M0FNU, whose
    /// products f32 does not reach, else the type itself.
    pub fn accumulator(self) -> ElementType {
        match self {
            ElementType::F8E8M0FNU => ElementType::F64,
            _ if self.is_narrow_float() => ElementType::F32,
            other => other,
        }
    }

    pub fn is_complex(self) -> bool {
        self.class() == Class::Complex
    }

    /// Signed or unsigned integer, not `i1`.
    pub fn is_integer(self) -> bool {
        matches!(self.class(), Class::SignedInteger | Class::UnsignedInteger)
    }

    pub fn is_unsigned(self) -> bool {
        self.class() == Class::UnsignedInteger
    }

    pub fn is_quantized(self) -> bool {
        matches!(self, ElementType::Quantized(_))
    }

    /// `complex<f32>` → `f32`; every other type is its own part.
    pub fn complex_part(self) -> ElementType {
        match self {
            ElementType::ComplexF32 => ElementType::F32,
            ElementType::ComplexF64 => ElementType::F64,
            other => other,
        }
    }
}

//! Element types: one row each with its MLIR text, class, width, float format, and its names and codes in files.
//!
//! Storage at the host edge and in unpacked buffers, little endian:
//! - `i1`: one byte, 0 or 1;
//! - types of less than a byte: one byte, signed integers sign-extended, the others in the low bits;
//! - complex numbers: re, im.
//!
//! How to add one: `docs/adding/element-type.md`.

use std::fmt;

use crate::float::{FloatFormat, Specials};

/// Numeric class of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Boolean,
    /// Two's complement. MLIR's signless integers (`i8`) are StableHLO's signed ones.
    SignedInteger,
    UnsignedInteger,
    Float,
    /// Two floats.
    Complex,
    Quantized,
}

/// What the table says of an element type.
#[derive(Debug)]
pub struct Row {
    /// MLIR's text: `f32`, `complex<f32>`.
    pub spelling: &'static str,
    pub class: Class,
    /// Significant bits of the value: `i1` 1, `complex<f32>` 64.
    pub bits: u32,
    /// Layout of a float, or of a complex number's parts.
    pub format: Option<FloatFormat>,
    /// NumPy's name: `float32`. Manifests of parameters may use it.
    pub numpy: Option<&'static str>,
    /// Type string in `.npy` files, without the byte order.
    pub npy: Option<&'static str>,
    /// `dtype` in safetensors files.
    pub safetensors: Option<&'static str>,
    /// Code of the type in VHLO, the dialect of StableHLO's portable artifacts.
    pub vhlo: Option<u64>,
    /// Code of the type in MLIR's bytecode (builtin dialect). Integers have none: their width is written out.
    pub bytecode: Option<u64>,
}

/// `-` is none.
macro_rules! optional {
    (-) => {
        None
    };
    ($value:literal) => {
        Some($value)
    };
}

/// `(exponent bits, mantissa bits, bias, specials)` without the commas; `-` is none.
macro_rules! format {
    (-) => {
        None
    };
    (($exponent:literal $mantissa:literal $bias:literal $specials:ident)) => {
        Some(FloatFormat {
            exponent_bits: $exponent,
            mantissa_bits: $mantissa,
            bias: $bias,
            specials: Specials::$specials,
        })
    };
}

/// The class of the table's short name.
macro_rules! class {
    (Signed) => {
        Class::SignedInteger
    };
    (Unsigned) => {
        Class::UnsignedInteger
    };
    ($class:ident) => {
        Class::$class
    };
}

/// Makes [`ElementType`], its rows and the list of all types.
macro_rules! element_types {
    ($($name:ident $spelling:literal $class:tt $bits:literal $format:tt
       $numpy:tt $npy:tt $safetensors:tt $vhlo:tt $bytecode:tt;)*) => {
        /// Scalar element type of a tensor.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ElementType {
            $($name,)*
            /// `!quant.uniform<…>`: which of the graph's quantised types. Only models that were just read have it.
            Quantized(u32),
        }

        const ALL: &[ElementType] = &[$(ElementType::$name),*];

        impl ElementType {
            /// The type's row.
            pub const fn row(self) -> &'static Row {
                match self {
                    $(ElementType::$name => const { &Row {
                        spelling: $spelling,
                        class: class!($class),
                        bits: $bits,
                        format: format!($format),
                        numpy: optional!($numpy),
                        npy: optional!($npy),
                        safetensors: optional!($safetensors),
                        vhlo: optional!($vhlo),
                        bytecode: optional!($bytecode),
                    } },)*
                    ElementType::Quantized(_) => &QUANTIZED,
                }
            }
        }
    };
}

element_types! {
    //            MLIR text       class    bits float format             NumPy        .npy  safetensors   VHLO bytecode
    I1            "i1"            Boolean     1 -                        "bool"       "b1"  "BOOL"           0 -;
    I2            "i2"            Signed      2 -                        -            -     -               31 -;
    I4            "i4"            Signed      4 -                        -            -     -               10 -;
    I8            "i8"            Signed      8 -                        "int8"       "i1"  "I8"            11 -;
    I16           "i16"           Signed     16 -                        "int16"      "i2"  "I16"           12 -;
    I32           "i32"           Signed     32 -                        "int32"      "i4"  "I32"           13 -;
    I64           "i64"           Signed     64 -                        "int64"      "i8"  "I64"           14 -;
    Ui2           "ui2"           Unsigned    2 -                        -            -     -               32 -;
    Ui4           "ui4"           Unsigned    4 -                        -            -     -               15 -;
    Ui8           "ui8"           Unsigned    8 -                        "uint8"      "u1"  "U8"            16 -;
    Ui16          "ui16"          Unsigned   16 -                        "uint16"     "u2"  "U16"           17 -;
    Ui32          "ui32"          Unsigned   32 -                        "uint32"     "u4"  "U32"           18 -;
    Ui64          "ui64"          Unsigned   64 -                        "uint64"     "u8"  "U64"           19 -;
    F4E2M1FN      "f4E2M1FN"      Float       4 (2 1 1 None)             -            -     -               37 29;
    F6E2M3FN      "f6E2M3FN"      Float       6 (2 3 1 None)             -            -     -               38 30;
    F6E3M2FN      "f6E3M2FN"      Float       6 (3 2 3 None)             -            -     -               39 31;
    F8E3M4        "f8E3M4"        Float       8 (3 4 3 Ieee)             -            -     -               36 28;
    F8E4M3        "f8E4M3"        Float       8 (4 3 7 Ieee)             -            -     -               35 23;
    F8E4M3FN      "f8E4M3FN"      Float       8 (4 3 7 NanAllOnes)       -            -     "F8_E4M3"        6 24;
    F8E4M3FNUZ    "f8E4M3FNUZ"    Float       8 (4 3 8 NanNegativeZero)  -            -     "F8_E4M3FNUZ"   27 26;
    F8E4M3B11FNUZ "f8E4M3B11FNUZ" Float       8 (4 3 11 NanNegativeZero) -            -     -               29 27;
    F8E5M2        "f8E5M2"        Float       8 (5 2 15 Ieee)            -            -     "F8_E5M2"        7 22;
    F8E5M2FNUZ    "f8E5M2FNUZ"    Float       8 (5 2 16 NanNegativeZero) -            -     "F8_E5M2FNUZ"   28 25;
    F8E8M0FNU     "f8E8M0FNU"     Float       8 (8 0 127 ExponentOnly)   -            -     "F8_E8M0"       40 32;
    Bf16          "bf16"          Float      16 (8 7 127 Ieee)           "bfloat16"   "V2"  "BF16"           2 3;
    F16           "f16"           Float      16 (5 10 15 Ieee)           "float16"    "f2"  "F16"            3 4;
    F32           "f32"           Float      32 (8 23 127 Ieee)          "float32"    "f4"  "F32"            4 5;
    F64           "f64"           Float      64 (11 52 1023 Ieee)        "float64"    "f8"  "F64"            5 6;
    ComplexF32    "complex<f32>"  Complex    64 (8 23 127 Ieee)          "complex64"  "c8"  "C64"            - -;
    ComplexF64    "complex<f64>"  Complex   128 (11 52 1023 Ieee)        "complex128" "c16" -                - -;
    Index         "index"         Signed     64 -                        -            -     -                9 1;
}

static QUANTIZED: Row = Row {
    spelling: "!quant.uniform",
    class: Class::Quantized,
    bits: 8,
    format: None,
    numpy: None,
    npy: None,
    safetensors: None,
    vhlo: None,
    bytecode: None,
};

impl ElementType {
    /// Every type but the quantised ones.
    pub fn all() -> impl Iterator<Item = ElementType> {
        ALL.iter().copied()
    }

    /// The type of an MLIR spelling; `si32` is read as `i32`.
    pub fn from_spelling(text: &str) -> Option<ElementType> {
        let signless = text.strip_prefix('s').filter(|rest| rest.starts_with("i") && !matches!(*rest, "i1" | "index"));
        Self::with(|row| row.spelling == signless.unwrap_or(text))
    }

    /// The type of what a user writes: MLIR's spelling (case counts), `cf32`, `cf64`, `c64` or `c128`.
    pub fn parse(text: &str) -> Option<ElementType> {
        match text {
            "cf32" | "c64" => Some(ElementType::ComplexF32),
            "cf64" | "c128" => Some(ElementType::ComplexF64),
            other => Self::from_spelling(other),
        }
    }

    /// The first type whose row is as wanted.
    pub fn with(wanted: impl Fn(&Row) -> bool) -> Option<ElementType> {
        Self::all().find(|e| wanted(e.row()))
    }

    /// MLIR's text.
    pub fn spelling(self) -> &'static str {
        self.row().spelling
    }

    pub fn class(self) -> Class {
        self.row().class
    }

    /// Bits of the value (`i1` 1, `complex<f32>` 64), which are those of packed storage.
    pub fn bits(self) -> u32 {
        self.row().bits
    }

    /// Bytes an element takes at the host edge and in unpacked buffers.
    pub fn storage_bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// A real float; see [`Self::is_inexact`].
    pub fn is_float(self) -> bool {
        self.class() == Class::Float
    }

    /// Numbers with a fraction, real or complex.
    pub fn is_inexact(self) -> bool {
        matches!(self.class(), Class::Float | Class::Complex)
    }

    /// A float of at most eight bits: f8, f6, f4.
    pub fn is_small_float(self) -> bool {
        self.is_float() && self.bits() <= 8
    }

    /// A float of at most sixteen bits: computed in f32 and rounded after every op.
    pub fn is_narrow_float(self) -> bool {
        self.is_float() && self.bits() <= 16
    }

    /// Layout of a float, or of a complex number's parts.
    pub fn format(self) -> Option<&'static FloatFormat> {
        self.row().format.as_ref()
    }

    /// Layout of a real float that has a sign: of all but f8E8M0FNU, a bare exponent.
    pub fn signed_format(self) -> Option<&'static FloatFormat> {
        self.format().filter(|f| self.is_float() && f.specials != Specials::ExponentOnly)
    }

    /// Has a float for every value that a change of sign makes, zero included.
    pub fn has_negation(self) -> bool {
        self.signed_format().is_some_and(|f| f.specials != Specials::NanNegativeZero)
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

    /// Elements of less than a byte, booleans apart.
    pub fn is_sub_byte(self) -> bool {
        self.bits() < 8 && self != ElementType::I1
    }

    /// Kernels compute with it: real numbers and booleans, but not `index`, which only programs of the host have.
    pub fn is_kernel_type(self) -> bool {
        !self.is_complex() && !self.is_quantized() && self != ElementType::Index
    }

    /// `complex<f32>` → `f32`; every other type is its own part.
    pub fn complex_part(self) -> ElementType {
        match self {
            ElementType::ComplexF32 => ElementType::F32,
            ElementType::ComplexF64 => ElementType::F64,
            other => other,
        }
    }

    /// Whether a file that says this type may mean `other`. Files without a name for a type hold its bits: ui8 and
    /// ui16 stand for the float and sub-byte types of their width, i8 for signed sub-byte types, integers of 64 bits
    /// for index.
    pub fn stands_for(self, other: ElementType) -> bool {
        use ElementType as E;
        match self {
            _ if self == other => true,
            E::Ui8 => other.storage_bytes() == 1 && (other.is_sub_byte() || other.is_float()),
            E::I8 => other.is_sub_byte() && other.class() == Class::SignedInteger,
            E::Ui16 => other.is_float() && other.bits() == 16,
            E::Bf16 => other == E::F16,
            E::I64 | E::Ui64 => other == E::Index,
            _ => false,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spelling())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_codes_are_each_of_one_type() {
        for element in ElementType::all() {
            assert_eq!(ElementType::parse(element.spelling()), Some(element));
        }
        let columns: [fn(&Row) -> Option<String>; 6] = [
            |row| Some(row.spelling.to_string()),
            |row| row.numpy.map(str::to_string),
            |row| row.npy.map(str::to_string),
            |row| row.safetensors.map(str::to_string),
            |row| row.vhlo.map(|code| code.to_string()),
            |row| row.bytecode.map(|code| code.to_string()),
        ];
        for column in columns {
            let values: Vec<String> = ElementType::all().filter_map(|e| column(e.row())).collect();
            assert!(values.len() > 10);
            assert_eq!(values.iter().collect::<HashSet<_>>().len(), values.len(), "{values:?}");
        }
    }

    #[test]
    fn negation_needs_a_signed_zero() {
        assert!(ElementType::F8E4M3FN.has_negation() && ElementType::F4E2M1FN.has_negation());
        assert!(!ElementType::F8E5M2FNUZ.has_negation() && !ElementType::F8E8M0FNU.has_negation());
    }

    #[test]
    fn the_figures_of_a_row_agree() {
        for element in ElementType::all() {
            let format = element.format();
            assert_eq!(format.is_some(), element.is_inexact(), "{element}");
            let Some(format) = format else { continue };
            let sign = u32::from(format.specials != Specials::ExponentOnly);
            let bits = sign + format.exponent_bits + format.mantissa_bits;
            assert_eq!(bits, element.complex_part().bits(), "{element}");
            assert_eq!(Some(format), element.complex_part().format(), "{element}");
        }
    }

    #[test]
    fn spellings_of_users_and_of_models() {
        assert_eq!(ElementType::from_spelling("si32"), Some(ElementType::I32));
        assert_eq!(ElementType::parse("c64"), Some(ElementType::ComplexF32));
        for unknown in ["f8E4M3fn", "c64", "sindex", "si1", "s32", "si3", ""] {
            assert_eq!(ElementType::from_spelling(unknown), None, "{unknown}");
        }
        assert_eq!((ElementType::ComplexF32.storage_bytes(), ElementType::F6E2M3FN.storage_bytes()), (8, 1));
    }
}

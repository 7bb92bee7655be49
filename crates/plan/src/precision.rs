//! How accurate products of f32 values must be.
//!
//! Input: `--f32-matmul`, and the `precision_config` or `algorithm` of an op. It applies to contractions whose operands
//! are f32 and whose accumulator is f32; narrower operands are exact in every mode, f64 and integers are never relaxed.

/// Least accuracy of a product of two f32 values; more accurate ways are always allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Precision {
    /// 8-bit floats alone: sums stay in the matrix unit, which keeps some 14 bits of them. Asked for by an op, not by
    /// the flag.
    ShortSums,
    /// Operands rounded to tf32 (10 mantissa bits, 8 exponent bits): relative error about 2⁻¹¹ a product.
    Tf32,
    /// Operands as the sum of two tf32 values, the three larger products: about 2⁻²¹. Inf, NaN and values near the ends
    /// of the range as the split makes them.
    Tf32x3,
    /// Operands as the sum of three bf16 values, nine products: about 2⁻²⁴. Special values as the split makes them.
    Bf16x9,
    /// As accurate as f32 multiply-add, whatever instructions do it; Inf, NaN, values near the maximum and denormals as
    /// IEEE.
    #[default]
    Ieee,
}

impl Precision {
    pub const ALL: &[Precision] = &[Precision::Ieee, Precision::Tf32, Precision::Tf32x3, Precision::Bf16x9];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::ShortSums => "short-sums",
            Precision::Tf32 => "tf32",
            Precision::Tf32x3 => "3xtf32",
            Precision::Bf16x9 => "bf16x9",
            Precision::Ieee => "ieee",
        }
    }

    /// Operands of f32 may be rounded to tf32, sums of 8-bit floats need not have all digits of f32.
    pub fn is_short(self) -> bool {
        self <= Precision::Tf32
    }

    pub fn from_name(name: &str) -> Option<Precision> {
        Precision::ALL.iter().copied().find(|p| p.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_accuracy_is_ordered() {
        for &p in Precision::ALL {
            assert_eq!(Precision::from_name(p.name()), Some(p));
        }
        assert_eq!(Precision::from_name("fast"), None);
        assert_eq!(Precision::from_name(Precision::ShortSums.name()), None);
        assert!(Precision::Tf32 < Precision::Tf32x3 && Precision::Bf16x9 < Precision::Ieee);
    }
}

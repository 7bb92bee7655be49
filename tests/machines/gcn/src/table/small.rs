//! Eight-bit floats: fp8 (four exponent bits, three of mantissa) and bf8 (five and two), in AMD's FNUZ form (gfx942)
//! and OCP's (gfx950, gfx12).
//!
//! FNUZ has no infinity and no negative zero: 0x80 is NaN, and its exponent bias is one more. Worked example: 1.0 is
//! 0x38 in OCP fp8 and 0x40 in FNUZ fp8. Values beyond the largest become it where the conversion saturates, else NaN
//! (OCP bf8: infinity).

/// A format of eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Small {
    mantissa: u32,
    fnuz: bool,
}

impl Small {
    pub const fn fp8(fnuz: bool) -> Small {
        Small { mantissa: 3, fnuz }
    }

    pub const fn bf8(fnuz: bool) -> Small {
        Small { mantissa: 2, fnuz }
    }

    fn bias(self) -> i32 {
        (if self.mantissa == 3 { 7 } else { 15 }) + i32::from(self.fnuz)
    }

    /// The value of a byte; exact.
    pub fn value(self, byte: u8) -> f32 {
        let (sign, rest) = (byte >> 7, u32::from(byte & 0x7f));
        let top = 0x7f >> self.mantissa;
        let (exponent, mantissa) = (rest >> self.mantissa, rest & ((1 << self.mantissa) - 1));
        let magnitude = match (self.fnuz, self.mantissa) {
            (true, _) if byte == 0x80 => return f32::NAN,
            (false, 3) if rest == 0x7f => return f32::NAN,
            (false, 2) if exponent == top && mantissa != 0 => return f32::NAN,
            (false, 2) if exponent == top => f32::INFINITY,
            _ if exponent == 0 => mantissa as f32 * 2f32.powi(1 - self.bias() - self.mantissa as i32),
            _ => {
                (mantissa | 1 << self.mantissa) as f32 * 2f32.powi(exponent as i32 - self.bias() - self.mantissa as i32)
            }
        };
        if sign == 1 { -magnitude } else { magnitude }
    }

    fn largest(self) -> u8 {
        match (self.fnuz, self.mantissa) {
            (true, _) => 0x7f,
            (false, 3) => 0x7e,
            _ => 0x7b,
        }
    }

    fn nan(self) -> u8 {
        if self.fnuz { 0x80 } else { 0x7f }
    }

    /// The nearest byte, ties to even; beyond the largest value the largest one where it saturates.
    pub fn nearest(self, value: f32, saturate: bool) -> u8 {
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        if value.is_nan() {
            return self.nan() | if self.fnuz { 0 } else { sign };
        }
        let magnitude = value.abs();
        let limit = self.largest();
        // Bytes grow with their values: find the pair around the value.
        let (mut low, mut high) = (0u8, limit);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.value(middle) <= magnitude { low = middle } else { high = middle }
        }
        let (below, above) = (f64::from(self.value(low)), f64::from(self.value(high)));
        let magnitude = f64::from(magnitude);
        if magnitude > above {
            let half = (above - below) / 2.0;
            if magnitude < above + half || (magnitude == above + half && high & 1 == 0) || saturate {
                return sign | high;
            }
            return if !self.fnuz && self.mantissa == 2 { sign | 0x7c } else { self.nan() };
        }
        let up = magnitude - below > above - magnitude || (magnitude - below == above - magnitude && low & 1 == 1);
        let byte = if up { high } else { low };
        if byte == 0 && self.fnuz { 0 } else { sign | byte }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        for small in [Small::fp8(true), Small::fp8(false), Small::bf8(true), Small::bf8(false)] {
            for byte in 0..=255u8 {
                let value = small.value(byte);
                if value.is_finite() {
                    assert_eq!(small.nearest(value, true), byte, "{small:?} {byte:#x} {value}");
                }
            }
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(Small::fp8(false).value(0x38), 1.0);
        assert_eq!(Small::fp8(true).value(0x40), 1.0);
        assert_eq!(Small::fp8(false).value(0x7e), 448.0);
        assert_eq!(Small::fp8(true).value(0x7f), 240.0);
        assert_eq!(Small::bf8(false).value(0x7b), 57344.0);
        assert_eq!(Small::fp8(false).nearest(1e9, true), 0x7e);
        assert_eq!(Small::fp8(false).nearest(1e9, false), 0x7f);
        assert_eq!(Small::bf8(false).nearest(-1e9, false), 0xfc);
    }
}

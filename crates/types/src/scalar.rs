//! One element as a number, and exact conversion of it to and from its bytes on the host.

use crate::element::{Class, ElementType};

/// One element, in a type wide enough for every element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

impl ElementType {
    /// Smallest and largest integer that a literal of this type may be; signed types take unsigned literals too.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        let bits = self.bits();
        match self.class() {
            Class::Boolean => Some((0, 1)),
            Class::SignedInteger | Class::Quantized => Some((-(1 << (bits - 1)), (1 << bits) - 1)),
            Class::UnsignedInteger => Some((0, (1 << bits) - 1)),
            Class::Float | Class::Complex => None,
        }
    }

    /// Appends one element. Integers wrap, floats round; a number of another kind is converted as by `as`.
    pub fn encode(self, value: Scalar, out: &mut Vec<u8>) {
        let (bits, bytes) = (self.bits(), self.storage_bytes());
        let (re, im) = match value {
            Scalar::Int(v) => (v as f64, 0.0),
            Scalar::Float(v) => (v, 0.0),
            Scalar::Complex(re, im) => (re, im),
        };
        let integer = || match value {
            Scalar::Int(v) => v,
            _ => re as i128,
        };
        match (self.class(), self.format()) {
            (Class::Boolean, _) => out.push(u8::from(integer() != 0)),
            (Class::UnsignedInteger, _) if bits < 8 => out.push(integer() as u8 & ((1 << bits) - 1)),
            (_, None) if bits < 8 => out.push((((integer() as u8) << (8 - bits)) as i8 >> (8 - bits)) as u8),
            (_, None) => out.extend(integer().to_le_bytes().iter().take(bytes)),
            (Class::Complex, Some(format)) => {
                for part in [re, im] {
                    out.extend(format.encode(part).to_le_bytes().iter().take(bytes / 2));
                }
            }
            (_, Some(format)) => out.extend(format.encode(re).to_le_bytes().iter().take(bytes)),
        }
    }

    /// Reads one element from its host bytes (`storage_bytes()` of them; missing ones count as zero).
    pub fn decode(self, bytes: &[u8]) -> Scalar {
        let unused = 64u32.saturating_sub(self.bits());
        match (self.class(), self.format()) {
            (Class::Boolean, _) => Scalar::Int(i128::from(little_endian(bytes) & 0xff != 0)),
            (Class::UnsignedInteger, _) => Scalar::Int(i128::from(little_endian(bytes) << unused >> unused)),
            (_, None) => Scalar::Int(i128::from((little_endian(bytes) << unused) as i64 >> unused)),
            (Class::Complex, Some(format)) => {
                let (re, im) = bytes.split_at(bytes.len().min(self.storage_bytes() / 2));
                Scalar::Complex(format.decode(little_endian(re)), format.decode(little_endian(im)))
            }
            (_, Some(format)) => Scalar::Float(format.decode(little_endian(bytes))),
        }
    }
}

/// The first eight bytes as a number.
pub fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).enumerate().fold(0, |sum, (at, byte)| sum | u64::from(*byte) << (8 * at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_into_their_width_and_come_back() {
        let cases = [
            (ElementType::I16, 65535, vec![0xff, 0xff], -1),
            (ElementType::Ui16, 65535, vec![0xff, 0xff], 65535),
            (ElementType::Ui64, u64::MAX.into(), vec![0xff; 8], u64::MAX.into()),
            (ElementType::I4, -1, vec![0xff], -1),
            (ElementType::I4, 9, vec![0xf9], -7),
            (ElementType::Ui4, 15, vec![0x0f], 15),
            (ElementType::Ui4, 17, vec![0x01], 1),
            (ElementType::I1, 5, vec![1], 1),
        ];
        for (element, value, bytes, back) in cases {
            let mut out = Vec::new();
            element.encode(Scalar::Int(value), &mut out);
            assert_eq!(out, bytes, "{element} {value}");
            assert_eq!(element.decode(&out), Scalar::Int(back), "{element} {value}");
        }
    }

    #[test]
    fn every_type_takes_its_bytes() {
        for element in ElementType::all() {
            for value in [Scalar::Int(1), Scalar::Float(1.0), Scalar::Complex(1.0, 0.0)] {
                let mut out = Vec::new();
                element.encode(value, &mut out);
                assert_eq!(out.len(), element.storage_bytes(), "{element}");
                let wanted = match element.class() {
                    Class::Float => Scalar::Float(1.0),
                    Class::Complex => Scalar::Complex(1.0, 0.0),
                    _ => Scalar::Int(1),
                };
                assert_eq!(element.decode(&out), wanted, "{element}");
            }
        }
    }
}

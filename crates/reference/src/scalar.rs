//! One element as a value: exact integers, `f64` for every real float type (all of them fit), pairs for complex.
//!
//! An op computes on [`Scalar`]s and then rounds once to the element type of its result.

use fornax_graph::{Class, ElementType};

use crate::complex::Complex;
use crate::float_format::FloatFormat;

/// Value of one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(Complex),
}

/// Width and signedness of an integer element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntType {
    pub bits: u32,
    pub signed: bool,
}

impl IntType {
    pub fn of(element: ElementType) -> Option<IntType> {
        match element.class() {
            Class::SignedInteger => Some(IntType { bits: element.bits(), signed: true }),
            Class::UnsignedInteger => Some(IntType { bits: element.bits(), signed: false }),
            _ => None,
        }
    }

    /// The low bits of `value` read as this type.
    pub fn wrap(self, value: i128) -> i128 {
        let unused = 128 - self.bits;
        if self.signed { (value << unused) >> unused } else { self.pattern(value) }
    }

    /// The low bits as an unsigned number.
    pub fn pattern(self, value: i128) -> i128 {
        value & ((1i128 << self.bits) - 1)
    }

    pub fn min(self) -> i128 {
        if self.signed { -(1i128 << (self.bits - 1)) } else { 0 }
    }

    pub fn max(self) -> i128 {
        if self.signed { (1i128 << (self.bits - 1)) - 1 } else { (1i128 << self.bits) - 1 }
    }
}

/// Nearest `f64`, except that an inexact value gets an odd last bit, so that a later rounding to fewer bits is right.
fn int_to_f64_sticky(value: i128) -> f64 {
    let nearest = value as f64;
    if nearest as i128 == value {
        return nearest;
    }
    let bits = nearest.to_bits();
    let toward_zero = if (nearest as i128).abs() > value.abs() { bits - 1 } else { bits };
    f64::from_bits(toward_zero | 1)
}

impl Scalar {
    /// Rounds or wraps to what the element type can hold. The class must fit already.
    pub fn round_to(self, element: ElementType) -> Scalar {
        match self {
            Scalar::Bool(_) => self,
            Scalar::Int(v) => Scalar::Int(IntType::of(element).map_or(v, |t| t.wrap(v))),
            Scalar::Float(v) => Scalar::Float(round_float(v, element)),
            Scalar::Complex(c) => match element {
                ElementType::ComplexF32 => Scalar::Complex(Complex::new(c.re as f32 as f64, c.im as f32 as f64)),
                _ => self,
            },
        }
    }

    /// Value of the element type, with `stablehlo.convert`'s rules: integers wrap, floats round, a float becomes an
    /// integer by truncation that saturates (NaN → 0), a value that is not zero is true, a complex number loses its
    /// imaginary part.
    pub fn convert(self, to: ElementType) -> Scalar {
        match to.class() {
            Class::Boolean => Scalar::Bool(match self {
                Scalar::Bool(b) => b,
                Scalar::Int(v) => v != 0,
                Scalar::Float(v) => v != 0.0,
                Scalar::Complex(c) => c.re != 0.0,
            }),
            Class::SignedInteger | Class::UnsignedInteger => self.convert_to_int(to),
            Class::Float => match self {
                Scalar::Int(v) if to != ElementType::F64 => Scalar::Float(int_to_f64_sticky(v)).round_to(to),
                other => Scalar::Float(other.as_f64()).round_to(to),
            },
            Class::Complex => match self {
                Scalar::Complex(_) => self.round_to(to),
                real => match real.convert(to.complex_part()) {
                    Scalar::Float(re) => Scalar::Complex(Complex::new(re, 0.0)),
                    other => other,
                },
            },
            Class::Quantized => self,
        }
    }

    fn convert_to_int(self, to: ElementType) -> Scalar {
        let Some(int) = IntType::of(to) else { return self };
        Scalar::Int(match self {
            Scalar::Bool(b) => i128::from(b),
            Scalar::Int(v) => int.wrap(v),
            Scalar::Float(v) | Scalar::Complex(Complex { re: v, .. }) => (v as i128).clamp(int.min(), int.max()),
        })
    }

    /// Real value; an integer is rounded to the nearest `f64`, a complex number loses its imaginary part.
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(v) => v as f64,
            Scalar::Float(v) => v,
            Scalar::Complex(c) => c.re,
        }
    }

    /// Integer value; floats are truncated.
    pub fn as_int(self) -> i128 {
        match self {
            Scalar::Bool(b) => i128::from(b),
            Scalar::Int(v) => v,
            Scalar::Float(v) => v as i128,
            Scalar::Complex(c) => c.re as i128,
        }
    }

    pub fn as_complex(self) -> Complex {
        match self {
            Scalar::Complex(c) => c,
            other => Complex::new(other.as_f64(), 0.0),
        }
    }

    pub fn as_bool(self) -> bool {
        self.as_int() != 0
    }

    /// The additive identity of an element type.
    pub fn zero(element: ElementType) -> Scalar {
        Scalar::Bool(false).convert(element)
    }

    /// Reads an element in host-edge storage; `bytes` holds at least its storage bytes.
    pub fn read(element: ElementType, bytes: &[u8]) -> Scalar {
        match element {
            ElementType::I1 => return Scalar::Bool(bytes.first().is_some_and(|&b| b != 0)),
            ElementType::F32 => return Scalar::Float(f64::from(f32::from_bits(pattern(bytes, 4) as u32))),
            ElementType::F64 => return Scalar::Float(f64::from_bits(pattern(bytes, 8))),
            ElementType::ComplexF32 => {
                let part = |b: &[u8]| f64::from(f32::from_bits(pattern(b, 4) as u32));
                return Scalar::Complex(Complex::new(part(bytes), part(bytes.get(4..).unwrap_or(&[]))));
            }
            ElementType::ComplexF64 => {
                let part = |b: &[u8]| f64::from_bits(pattern(b, 8));
                return Scalar::Complex(Complex::new(part(bytes), part(bytes.get(8..).unwrap_or(&[]))));
            }
            _ => {}
        }
        let bits = pattern(bytes, element.storage_bytes());
        match (IntType::of(element), FloatFormat::of(element)) {
            (Some(int), _) => Scalar::Int(int.wrap(i128::from(bits))),
            (_, Some(format)) => Scalar::Float(format.decode(bits)),
            _ => Scalar::Int(i128::from(bits)),
        }
    }

    /// Writes the element, converted if it is of another class, in host-edge storage.
    pub fn write(self, element: ElementType, out: &mut [u8]) {
        match (element, self) {
            (ElementType::F32, Scalar::Float(v)) => return put(out, u64::from((v as f32).to_bits()), 4),
            (ElementType::I1, v) => return put(out, u64::from(v.as_bool()), 1),
            (ElementType::ComplexF32, v) => {
                let c = v.as_complex();
                let (re, im) = (u64::from((c.re as f32).to_bits()), u64::from((c.im as f32).to_bits()));
                return put(out, re | im << 32, 8);
            }
            (ElementType::ComplexF64, v) => {
                let c = v.as_complex();
                put(out, c.re.to_bits(), 8);
                return put(out.get_mut(8..).unwrap_or(&mut []), c.im.to_bits(), 8);
            }
            _ => {}
        }
        let bits = match (IntType::of(element), FloatFormat::of(element)) {
            (Some(int), _) => int.wrap(self.as_int()) as u64,
            (_, Some(format)) => format.encode(self.as_f64()),
            _ => self.as_int() as u64,
        };
        put(out, bits, element.storage_bytes());
    }
}

/// Rounds an `f64` to a real float type.
pub fn round_float(value: f64, element: ElementType) -> f64 {
    match element {
        ElementType::F64 => value,
        ElementType::F32 => f64::from(value as f32),
        _ => FloatFormat::of(element).map_or(value, |f| f.decode(f.encode(value))),
    }
}

fn pattern(bytes: &[u8], n: usize) -> u64 {
    let mut word = [0u8; 8];
    for (to, from) in word.iter_mut().zip(bytes.iter().take(n)) {
        *to = *from;
    }
    u64::from_le_bytes(word)
}

fn put(out: &mut [u8], bits: u64, n: usize) {
    for (to, from) in out.iter_mut().zip(bits.to_le_bytes().into_iter().take(n)) {
        *to = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_and_floats_saturate() {
        assert_eq!(Scalar::Int(200).convert(ElementType::I8), Scalar::Int(-56));
        assert_eq!(Scalar::Float(300.7).convert(ElementType::I8), Scalar::Int(127));
        assert_eq!(Scalar::Float(-1.5).convert(ElementType::Ui8), Scalar::Int(0));
        assert_eq!(Scalar::Float(f64::NAN).convert(ElementType::I32), Scalar::Int(0));
        assert_eq!(Scalar::Float(f64::NAN).convert(ElementType::I1), Scalar::Bool(true));
        assert_eq!(Scalar::Int(5).convert(ElementType::I2), Scalar::Int(1));
    }

    #[test]
    fn large_integers_round_once() {
        // 2^24 + 1 + 2^-30 of it: a second rounding through f64 would land on the tie.
        let v = (1i128 << 60) + (1 << 36) + 1;
        assert_eq!(Scalar::Int(v).convert(ElementType::F32), Scalar::Float(v as f32 as f64));
    }

    #[test]
    fn every_element_type_reads_what_it_wrote() {
        for element in ElementType::all() {
            let mut bytes = vec![0; element.storage_bytes()];
            let one = Scalar::Bool(true).convert(element);
            one.write(element, &mut bytes);
            assert_eq!(Scalar::read(element, &bytes), one, "{element:?}");
        }
        let mut bytes = [0];
        Scalar::Int(-3).write(ElementType::I4, &mut bytes);
        assert_eq!(bytes, [0xfd]);
    }
}

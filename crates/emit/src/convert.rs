//! Register forms of element types, rounding to f16 and bf16, and StableHLO `convert`.
//!
//! | element | in memory | in registers |
//! | --- | --- | --- |
//! | i1 | one byte, 0 or 1 | i1 |
//! | i8 … i64, ui8 … ui64, index | itself | iN |
//! | i2, i4, ui2, ui4 | i8, one an element | i8, sign- or zero-extended (`narrow`) |
//! | f8, f6, f4 | i8, one an element | f32 that it represents exactly (`narrow`) |
//! | bf16 | i16 | f32 that a bf16 represents exactly |
//! | f16 | f16 (i16 where the machine has no conversion) | f32 that an f16 represents exactly |
//! | f32, f64 | itself | itself |
//!
//! Worked example: bf16 `1 + 2^-8` is computed in f32 as 0x3F808000; its low half is exactly one half of a unit, so
//! adding 0x7FFF + (bit 16 = 0) gives 0x3F80FFFF and clearing the low half 0x3F800000: ties go to even, 1.0.

use fornax_graph::{Class, ElementType};
use fornax_targets::Feature;

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::narrow;
use crate::narrow::{Nan, is_sub_byte};
use crate::text::{Code, Scalar, Ty, Value};

impl Emitter<'_> {
    /// The register type of one element.
    pub fn register_scalar(&self, element: ElementType) -> Result<Scalar, EmitError> {
        Ok(match element {
            ElementType::I1 => Scalar::I1,
            ElementType::I8 | ElementType::Ui8 => Scalar::I8,
            ElementType::I16 | ElementType::Ui16 => Scalar::I16,
            ElementType::I32 | ElementType::Ui32 => Scalar::I32,
            ElementType::I64 | ElementType::Ui64 | ElementType::Index => Scalar::I64,
            ElementType::Bf16 | ElementType::F16 | ElementType::F32 => Scalar::F32,
            ElementType::F64 if self.target.has_f64() => Scalar::F64,
            other if other.is_small_float() => Scalar::F32,
            other if is_sub_byte(other) => Scalar::I8,
            other => return Err(self.unsupported(other)),
        })
    }

    /// The type an element has in a buffer.
    pub fn memory_scalar(&self, element: ElementType) -> Result<Scalar, EmitError> {
        Ok(match element {
            ElementType::I1 => Scalar::I8,
            ElementType::Bf16 => Scalar::I16,
            ElementType::F16 if self.target.has(Feature::CvtF16) => Scalar::F16,
            ElementType::F16 => Scalar::I16,
            other if other.is_small_float() => Scalar::I8,
            other => self.register_scalar(other)?,
        })
    }

    /// From memory form to register form.
    pub fn decode(&mut self, element: ElementType, raw: Value) -> Result<Value, EmitError> {
        Ok(match element {
            ElementType::I1 => self.code.cmp_ik("ne", raw, 0),
            ElementType::Bf16 => {
                let value = decode_bf16(&mut self.code, raw);
                self.patterns.insert(value.id, (element, raw));
                value
            }
            ElementType::F16 if raw.ty.scalar == Scalar::F16 => {
                let value = self.code.cast("arith.extf", raw, Scalar::F32);
                self.patterns.insert(value.id, (element, raw));
                value
            }
            ElementType::F16 => decode_f16(&mut self.code, raw),
            other if other.is_small_float() => self.decode_small(other, raw),
            other if is_sub_byte(other) => narrow::wrap(&mut self.code, other, raw),
            _ => raw,
        })
    }

    /// From register form to memory form.
    pub fn encode(&mut self, element: ElementType, value: Value) -> Result<Value, EmitError> {
        Ok(match element {
            ElementType::I1 => self.code.resize_u(value, Scalar::I8),
            ElementType::Bf16 => encode_bf16(&mut self.code, value),
            ElementType::F16 if self.target.has(Feature::CvtF16) => self.code.cast("arith.truncf", value, Scalar::F16),
            ElementType::F16 => encode_f16(&mut self.code, value),
            other if other.is_small_float() => match self.patterns.get(&value.id) {
                Some(&(of, raw)) if of == other => raw,
                _ => narrow::encode(&mut self.code, other, value, Nan::Kept),
            },
            _ => value,
        })
    }

    /// The f32 of a small float's byte, which is noted, so that storing the value again needs no rounding.
    fn decode_small(&mut self, element: ElementType, raw: Value) -> Value {
        let raw = if element.bits() < 8 { self.code.and_k(raw, (1 << element.bits()) - 1) } else { raw };
        let value = match narrow::decode_native(&mut self.code, self.target, element, raw) {
            Some(value) => value,
            None => narrow::decode(&mut self.code, element, raw),
        };
        self.patterns.insert(value.id, (element, raw));
        value
    }

    /// Rounds a register value to what its element type represents.
    pub fn round_to(&mut self, element: ElementType, value: Value) -> Value {
        match element {
            // On CPUs the instruction may flush subnormal numbers.
            ElementType::Bf16 if self.target.is_gpu() && self.target.has(Feature::CvtBf16) => {
                let narrow = self.code.cast("arith.truncf", value, Scalar::Bf16);
                let bits = self.code.to_bits(narrow);
                let rounded = decode_bf16(&mut self.code, bits);
                self.patterns.insert(rounded.id, (element, bits));
                rounded
            }
            ElementType::Bf16 => round_bf16(&mut self.code, value),
            ElementType::F16 if self.target.has(Feature::CvtF16) => {
                let narrow = self.code.cast("arith.truncf", value, Scalar::F16);
                self.code.cast("arith.extf", narrow, Scalar::F32)
            }
            ElementType::F16 => round_f16(&mut self.code, value),
            small if small.is_small_float() => {
                let raw = narrow::encode(&mut self.code, small, value, Nan::Quiet);
                self.decode_small(small, raw)
            }
            integer if is_sub_byte(integer) => narrow::wrap(&mut self.code, integer, value),
            _ => value,
        }
    }

    /// A constant given by its encoding.
    pub fn constant(&mut self, element: ElementType, bits: u64) -> Result<Value, EmitError> {
        let ty = Ty::scalar(self.register_scalar(element)?);
        let bits = match element {
            ElementType::Bf16 => (bits & 0xFFFF) << 16,
            ElementType::F16 => u64::from(f16_bits_to_f32(bits as u16).to_bits()),
            small if small.is_small_float() => narrow::constant_bits(small, bits),
            integer if is_sub_byte(integer) && !integer.is_unsigned() => {
                let unused = 64 - integer.bits();
                (((bits << unused) as i64) >> unused) as u64 & 0xFF
            }
            _ => bits,
        };
        Ok(self.code.bits(ty, bits))
    }

    /// StableHLO `convert`.
    pub fn convert(&mut self, from: ElementType, to: ElementType, value: Value) -> Result<Value, EmitError> {
        let target = self.register_scalar(to)?;
        let from_class = if from == ElementType::I1 { Class::Boolean } else { from.class() };
        let to_class = if to == ElementType::I1 { Class::Boolean } else { to.class() };
        Ok(match (from_class, to_class) {
            (Class::Float, Class::Float) => self.float_to_float(to, target, value),
            (Class::Float, Class::Boolean) => self.code.cmp_fk("une", value, 0.0),
            (Class::Float, Class::SignedInteger) => self.saturated("llvm.fptosi.sat", to, target, value),
            (Class::Float, Class::UnsignedInteger) => self.saturated("llvm.fptoui.sat", to, target, value),
            (Class::Boolean, Class::Float) => {
                let ty = Ty::scalar(target);
                let (one, zero) = (self.code.float(ty, 1.0), self.code.float(ty, 0.0));
                let number = self.code.select(value, one, zero);
                if to == ElementType::F8E8M0FNU { self.round_to(to, number) } else { number }
            }
            (Class::SignedInteger | Class::UnsignedInteger, Class::Float) => {
                self.integer_to_float(from.is_unsigned(), to, target, value)
            }
            (Class::SignedInteger | Class::UnsignedInteger, Class::Boolean) => self.code.cmp_ik("ne", value, 0),
            (Class::Boolean | Class::UnsignedInteger, _) => {
                let integer = self.code.resize_u(value, target);
                self.round_to(to, integer)
            }
            _ => {
                let integer = self.code.resize_s(value, target);
                self.round_to(to, integer)
            }
        })
    }

    /// To an integer, out of range to its ends, NaN to 0.
    fn saturated(&mut self, intrinsic: &str, to: ElementType, target: Scalar, value: Value) -> Value {
        // Intel's OpenCL runtime makes the largest integer of a NaN.
        let value = if self.code.spelled_out {
            let nan = self.code.is_nan(value);
            self.code.select_k(nan, 0.0, value)
        } else {
            value
        };
        let integer = self.code.intrinsic(intrinsic, &[value], value.ty.with(target));
        self.clamped(to, integer)
    }

    /// A byte brought into the range of an integer type of less than a byte.
    fn clamped(&mut self, to: ElementType, value: Value) -> Value {
        if !is_sub_byte(to) {
            return value;
        }
        let bits = to.bits();
        if to.is_unsigned() {
            let most = self.code.int(value.ty, (1 << bits) - 1);
            return self.code.binary("arith.minui", value, most);
        }
        let most = (1i64 << (bits - 1)) - 1;
        let (least, most) = (self.code.int(value.ty, -most - 1), self.code.int(value.ty, most));
        let value = self.code.binary("arith.maxsi", value, least);
        self.code.binary("arith.minsi", value, most)
    }

    fn float_to_float(&mut self, to: ElementType, target: Scalar, value: Value) -> Value {
        if value.ty.scalar == Scalar::F32 {
            let rounded = self.round_to(to, value);
            return self.code.cast("arith.extf", rounded, target);
        }
        if target == Scalar::F64 {
            return value;
        }
        if to == ElementType::F32 {
            return self.code.cast("arith.truncf", value, Scalar::F32);
        }
        // f64 to a narrow float: rounding to f32 first must not decide a tie, so it rounds to odd.
        let odd = truncate_to_odd(&mut self.code, value);
        self.round_to(to, odd)
    }

    fn integer_to_float(&mut self, unsigned: bool, to: ElementType, target: Scalar, value: Value) -> Value {
        let name = if unsigned { "arith.uitofp" } else { "arith.sitofp" };
        if to == ElementType::F32
            && let Some(floats) = self.bytes_to_floats(value, unsigned)
        {
            return floats;
        }
        if !to.is_narrow_float() {
            return self.code.cast(name, value, target);
        }
        match value.ty.scalar {
            Scalar::I32 => {
                let sticky = sticky_low_bits(&mut self.code, value, unsigned, 24, 9);
                let float = self.code.cast(name, sticky, Scalar::F32);
                self.round_to(to, float)
            }
            Scalar::I64 => {
                let sticky = sticky_low_bits(&mut self.code, value, unsigned, 53, 12);
                let double = self.code.cast(name, sticky, Scalar::F64);
                let odd = truncate_to_odd(&mut self.code, double);
                self.round_to(to, odd)
            }
            _ => {
                let float = self.code.cast(name, value, Scalar::F32);
                self.round_to(to, float)
            }
        }
    }

    /// Same-width reinterpretation.
    pub fn bitcast_element(&mut self, from: ElementType, to: ElementType, value: Value) -> Result<Value, EmitError> {
        if from.bits() != to.bits() {
            return Err(self.malformed(format!("bitcast from {} to {}", from.spelling(), to.spelling())));
        }
        if from == ElementType::I1 || to == ElementType::I1 {
            return Ok(value);
        }
        let bits = self.encode(from, value)?;
        let bits = self.code.to_bits(bits);
        let memory = self.memory_scalar(to)?;
        let raw = self.code.bitcast(bits, memory);
        self.decode(to, raw)
    }
}

/// Exact.
pub fn f16_bits_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, mantissa) = (u32::from(bits >> 10) & 31, u32::from(bits) & 0x3FF);
    let magnitude = match exponent {
        0 => (mantissa as f32 * f32::from_bits((127 - 24) << 23)).to_bits(),
        31 => 0x7F80_0000 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | magnitude)
}

fn decode_bf16(code: &mut Code, raw: Value) -> Value {
    let wide = code.resize_u(raw, Scalar::I32);
    let bits = code.shl_k(wide, 16);
    code.bitcast(bits, Scalar::F32)
}

fn encode_bf16(code: &mut Code, value: Value) -> Value {
    let bits = code.to_bits(value);
    let high = code.shr_uk(bits, 16);
    code.resize_u(high, Scalar::I16)
}

/// Round to nearest even at bit 16; NaN stays NaN and becomes quiet.
fn round_bf16(code: &mut Code, value: Value) -> Value {
    let bits = code.to_bits(value);
    let unit = code.shr_uk(bits, 16);
    let unit = code.and_k(unit, 1);
    let bias = code.add_ik(unit, 0x7FFF);
    let sum = code.add_i(bits, bias);
    let quiet = code.or_k(bits, 0x40_0000);
    let nan = code.is_nan(value);
    let chosen = code.select(nan, quiet, sum);
    let cleared = code.and_k(chosen, -0x1_0000);
    code.bitcast(cleared, Scalar::F32)
}

fn decode_f16(code: &mut Code, raw: Value) -> Value {
    let wide = code.resize_u(raw, Scalar::I32);
    let sign = code.and_k(wide, 0x8000);
    let sign = code.shl_k(sign, 16);
    let magnitude = code.and_k(wide, 0x7FFF);
    let moved = code.shl_k(magnitude, 13);
    let float = code.bitcast(moved, Scalar::F32);
    let scaled = code.mul_k(float, 2f64.powi(112));
    let scaled = code.to_bits(scaled);
    let special = code.cmp_ik("uge", magnitude, 0x7C00);
    let infinite = code.or_k(moved, 0x7F80_0000);
    let bits = code.select(special, infinite, scaled);
    let bits = code.or(bits, sign);
    code.bitcast(bits, Scalar::F32)
}

/// Of an f32 that an f16 represents exactly.
fn encode_f16(code: &mut Code, value: Value) -> Value {
    let bits = code.to_bits(value);
    let sign = code.shr_uk(bits, 16);
    let sign = code.and_k(sign, 0x8000);
    let magnitude = code.and_k(bits, 0x7FFF_FFFF);
    let normal = code.shr_uk(magnitude, 13);
    let normal = code.add_ik(normal, -(112 << 10));
    let float = code.bitcast(magnitude, Scalar::F32);
    let units = code.mul_k(float, 2f64.powi(24));
    let small = code.cmp_ik("ult", magnitude, (127 - 14) << 23);
    let zero = code.float(float.ty, 0.0);
    let units = code.select(small, units, zero);
    let subnormal = code.cast("arith.fptosi", units, Scalar::I32);
    let finite = code.select(small, subnormal, normal);
    let special = code.cmp_ik("uge", magnitude, 0x7F80_0000);
    let payload = code.shr_uk(magnitude, 13);
    let payload = code.and_k(payload, 0x3FF);
    let infinite = code.or_k(payload, 0x7C00);
    let result = code.select(special, infinite, finite);
    let result = code.or(result, sign);
    code.resize_u(result, Scalar::I16)
}

/// Round to nearest even f16, in f32, by integer arithmetic.
fn round_f16(code: &mut Code, value: Value) -> Value {
    let bits = code.to_bits(value);
    let unit = code.shr_uk(bits, 13);
    let unit = code.and_k(unit, 1);
    let bias = code.add_ik(unit, 0xFFF);
    let sum = code.add_i(bits, bias);
    let normal = code.and_k(sum, -0x2000);
    let normal = code.bitcast(normal, Scalar::F32);
    let magnitude = code.abs_f(value);
    // Below 2^-14 the unit is 2^-24: the unit of f32 in [0.5, 1).
    let lifted = code.add_k(magnitude, 0.5);
    let subnormal = code.add_k(lifted, -0.5);
    let small = code.cmp_fk("olt", magnitude, 2f64.powi(-14));
    let finite = code.select(small, subnormal, normal);
    let large = code.cmp_fk("oge", magnitude, 65520.0);
    let result = code.select_k(large, f64::INFINITY, finite);
    let result = code.copy_sign(result, value);
    let nan = code.is_nan(value);
    let quiet = code.or_k(bits, 0x40_0000);
    let quiet = code.and_k(quiet, -0x2000);
    let quiet = code.bitcast(quiet, Scalar::F32);
    code.select(nan, quiet, result)
}

/// f64 → f32 rounding to odd: truncated, with the last bit set where anything was lost.
pub fn truncate_to_odd(code: &mut Code, value: Value) -> Value {
    let nearest = code.cast("arith.truncf", value, Scalar::F32);
    let back = code.cast("arith.extf", nearest, Scalar::F64);
    let inexact = code.cmp_f("one", back, value);
    let (a, b) = (code.abs_f(back), code.abs_f(value));
    let above = code.cmp_f("ogt", a, b);
    let bits = code.to_bits(nearest);
    let down = code.add_ik(bits, -1);
    let truncated = code.select(above, down, bits);
    let odd = code.or_k(truncated, 1);
    let result = code.select(inexact, odd, bits);
    code.bitcast(result, Scalar::F32)
}

/// Replaces the low `low` bits by one sticky bit where the magnitude reaches `2^from`, so that the conversion to a
/// float of 24 or 53 bits is exact and the later rounding to 11 bits or fewer sees everything.
fn sticky_low_bits(code: &mut Code, value: Value, unsigned: bool, from: u32, low: u32) -> Value {
    let mask = (1i64 << low) - 1;
    let lost = code.and_k(value, mask);
    let inexact = code.cmp_ik("ne", lost, 0);
    let high = code.and_k(value, !mask);
    let sticky = code.or_k(high, 1 << (low - 1));
    let replaced = code.select(inexact, sticky, high);
    let limit = 1i64 << from;
    let small = if unsigned {
        code.cmp_ik("ult", value, limit)
    } else {
        let moved = code.add_ik(value, limit);
        code.cmp_ik("ult", moved, 2 * limit)
    };
    code.select(small, value, replaced)
}

#[cfg(test)]
mod tests {
    use super::f16_bits_to_f32;

    #[test]
    fn f16_constants() {
        for (bits, value) in
            [(0x3C00, 1.0), (0xC000, -2.0), (1, 2f32.powi(-24)), (0x7BFF, 65504.0), (0x0400, 2f32.powi(-14))]
        {
            assert_eq!(f16_bits_to_f32(bits), value);
        }
        assert!(f16_bits_to_f32(0x7E00).is_nan());
        assert_eq!(f16_bits_to_f32(0xFC00), f32::NEG_INFINITY);
    }
}

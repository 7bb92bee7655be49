//! Vectors of bytes on NVIDIA's GPUs, four to a register.
//!
//! A conversion of an integer to a float is one instruction there, at a quarter of the rate of others or less. A byte
//! put into the low bits of 2²³ by one permutation is 2²³ + byte as a float, from which 2²³ is taken away: two
//! instructions of full rate, and exact. A signed byte has its sign bit inverted before, which adds 128.
//!
//! Worked example: the byte 0x9C of the word 0x119C2233: `prmt(word, 0x4B000000, 0x7442)` is 0x4B00009C, 8388764.0,
//! less 8388608.0: 156.0.

use fornax_graph::ElementType;
use fornax_plan::Binary;
use fornax_targets::Backend;

use crate::emitter::Emitter;
use crate::text::{Code, Scalar, Ty, Value};

/// Bytes of a register.
const WORD_BYTES: u32 = 4;
/// 2²³ as an f32: a unit of its mantissa is 1.
const UNIT_BITS: i64 = 0x4B00_0000;
const UNIT: f64 = 8_388_608.0;
/// Bytes of a permutation's second operand in the result's upper three places: 0x4B, 0, 0. The first is the byte.
const SELECT: i64 = 0x7440;
/// Bits of a mantissa above its lower two bytes. A float from 2 to 4 has 0x40 as its uppermost byte, and the next one's
/// upper bit is 0.
const MANTISSA_TOP_BITS: u32 = 7;
const TWO_TOP_BITS: i64 = 0x4000_0000;
/// Bytes of a permutation's second operand: 0x40 on top, then the byte, then twice 0.
const SELECT_TOP: i64 = 0x7044;
/// Added to a signed byte.
const SIGNED: f64 = 128.0;
/// Bytes of a permutation's second operand: those of a pair, each below one of the second operand's.
const SELECT_PAIRS: [i64; 2] = [0x4140, 0x4342];

/// Bytes below 2ᵏ, k up to 7, as 16-bit floats `above + byte · 2ˢ`: the shifted byte is the lower one, `top` the upper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halves {
    top: i64,
    pub above: f64,
    /// s.
    shift: u32,
}

impl Halves {
    /// Of bytes below 2ᵏ, in the upper bits of the mantissa, so that `above`, which is subtracted from sums, is small
    /// compared with them.
    pub fn of(element: ElementType, bits: u32) -> Option<Halves> {
        let (top, above, room) = match element {
            ElementType::Bf16 => (0x4343_4343, 128.0, MANTISSA_TOP_BITS),
            ElementType::F16 => (0x6464_6464, 1024.0, u8::BITS),
            _ => return None,
        };
        Some(Halves { top, above, shift: room.checked_sub(bits)? })
    }

    /// What the float is more for a byte that is 1 more.
    pub fn unit(self) -> f64 {
        f64::from(1u32 << self.shift)
    }
}

impl Emitter<'_> {
    /// Bytes as f32, where the machine has a shorter way than its conversions.
    pub(crate) fn bytes_to_floats(&mut self, bytes: Value, unsigned: bool) -> Option<Value> {
        if self.target.backend != Backend::Cuda {
            return None;
        }
        let words = words(&mut self.code, bytes)?;
        let code = &mut self.code;
        let word = Ty::scalar(Scalar::I32);
        let unit = code.int(word, UNIT_BITS);
        let mut floats = Vec::new();
        for at in 0..words.ty.lanes.max(1) {
            let mut own = code.extract(words, at);
            if !unsigned {
                own = code.int_k("arith.xori", own, 0x8080_8080_u32 as i32 as i64);
            }
            for byte in 0..WORD_BYTES {
                let select = code.int(word, SELECT | i64::from(byte));
                let placed = code.intrinsic("llvm.nvvm.prmt", &[own, unit, select], word);
                floats.push(code.bitcast(placed, Scalar::F32));
            }
        }
        let floats = code.assemble(&floats);
        let unit = if unsigned { UNIT } else { UNIT + SIGNED };
        Some(self.less(floats, unit))
    }

    /// Bytes below 2ᵏ, k of 1 to 7, as `2 + byte / 2ᵏ⁻¹` in f32: the byte is what a mantissa has above its lower two
    /// bytes.
    pub fn bytes_from_two(&mut self, bytes: Value, bits: u32) -> Option<Value> {
        let above = MANTISSA_TOP_BITS.checked_sub(bits).filter(|_| self.target.backend == Backend::Cuda)?;
        let code = &mut self.code;
        let words = words(code, bytes)?;
        let words = if above > 0 { code.shl_k(words, i64::from(above)) } else { words };
        let word = Ty::scalar(Scalar::I32);
        let two = code.int(word, TWO_TOP_BITS);
        let mut floats = Vec::new();
        for at in 0..words.ty.lanes.max(1) {
            let own = code.extract(words, at);
            for byte in 0..WORD_BYTES {
                let select = code.int(word, SELECT_TOP | i64::from(byte) << 8);
                let placed = code.intrinsic("llvm.nvvm.prmt", &[own, two, select], word);
                floats.push(code.bitcast(placed, Scalar::F32));
            }
        }
        Some(code.assemble(&floats))
    }

    /// Bytes as pairs of 16-bit floats, a register each.
    pub fn bytes_as_halves(&mut self, bytes: Value, halves: Halves) -> Option<Vec<Value>> {
        let code = &mut self.code;
        let words = words(code, bytes)?;
        let words = if halves.shift > 0 { code.shl_k(words, i64::from(halves.shift)) } else { words };
        let word = Ty::scalar(Scalar::I32);
        let top = code.int(word, halves.top);
        let mut pairs = Vec::new();
        for at in 0..words.ty.lanes.max(1) {
            let own = code.extract(words, at);
            for select in SELECT_PAIRS {
                let select = code.int(word, select);
                pairs.push(code.intrinsic("llvm.nvvm.prmt", &[own, top, select], word));
            }
        }
        Some(pairs)
    }

    /// Bytes as registers of four.
    pub fn bytes_as_words(&mut self, bytes: Value) -> Option<Vec<Value>> {
        let words = words(&mut self.code, bytes)?;
        Some((0..words.ty.lanes.max(1)).map(|at| self.code.extract(words, at)).collect())
    }

    /// Such floats with a whole number more or less: all of it is taken away at once, which is exact too.
    pub(crate) fn bytes_moved(&mut self, op: Binary, floats: Value, by: Value) -> Option<Value> {
        let &(above, unit) = self.lowered.get(&floats.id)?;
        let by = f64::from(f32::from_bits(u32::try_from(self.code.constant_bits(by)?).ok()?));
        let sign = match op {
            Binary::Subtract => 1.0,
            Binary::Add => -1.0,
            _ => return None,
        };
        let is_small = by.fract() == 0.0 && by.abs() <= SIGNED;
        is_small.then(|| self.less(above, unit + sign * by))
    }

    fn less(&mut self, above: Value, unit: f64) -> Value {
        let k = self.code.float(above.ty, unit);
        let lowered = self.code.sub_f(above, k);
        self.lowered.insert(lowered.id, (above, unit));
        lowered
    }
}

/// Bytes of whole registers as those.
fn words(code: &mut Code, bytes: Value) -> Option<Value> {
    let count = bytes.ty.lanes / WORD_BYTES;
    if bytes.ty.scalar != Scalar::I8 || !bytes.ty.is_vector() || !bytes.ty.lanes.is_multiple_of(WORD_BYTES) {
        return None;
    }
    let ty = if count == 1 { Ty::scalar(Scalar::I32) } else { Ty::vector(Scalar::I32, count) };
    let from = bytes.ty;
    Some(code.pure(ty, format!("llvm.bitcast {bytes} : {from} to {ty}")))
}

/// Unsigned bytes shifted right by a number that is the same for all, a register at a time; by 8 and more there is
/// nothing left.
pub(crate) fn shifted_right(code: &mut Code, bytes: Value, by: Value) -> Option<Value> {
    let words = words(code, bytes)?;
    if let Some(by @ 1..=7) = code.constant_bits(by) {
        let shifted = code.shr_uk(words, by as i64);
        return Some(masked(code, (shifted, bytes.ty), 0xFF >> by));
    }
    if by.ty.is_vector() {
        return None;
    }
    let word = Ty::scalar(Scalar::I32);
    let by = code.resize_u(by, Scalar::I32);
    let most = code.int(word, i64::from(WORD_BYTES * u8::BITS) - 1);
    let by = code.binary("arith.minui", by, most);
    let byte = code.int(word, 0xFF);
    let left = code.binary("arith.shrui", byte, by);
    let mask = code.int_k("arith.muli", left, 0x0101_0101);
    let shifted = code.binary("arith.shrui", words, by);
    let kept = code.and(shifted, mask);
    let ty = bytes.ty;
    Some(code.pure(ty, format!("llvm.bitcast {kept} : {} to {ty}", kept.ty)))
}

/// Bytes shifted left by a constant, a register at a time.
pub(crate) fn shifted_left(code: &mut Code, bytes: Value, by: i64) -> Option<Value> {
    let words = words(code, bytes).filter(|_| (1..8).contains(&by))?;
    let shifted = code.shl_k(words, by);
    Some(masked(code, (shifted, bytes.ty), 0xFF << by & 0xFF))
}

/// The same bits of each byte of registers, as bytes of this type.
fn masked(code: &mut Code, (words, ty): (Value, Ty), mask: i64) -> Value {
    let mask = i64::from((0x0101_0101 * mask as u32) as i32);
    let kept = code.and_k(words, mask);
    code.pure(ty, format!("llvm.bitcast {kept} : {} to {ty}", kept.ty))
}

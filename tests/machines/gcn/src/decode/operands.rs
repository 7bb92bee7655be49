//! Operands: from text to sources and destinations with their types.
//!
//! Worked example: `0.5` read as f16 is the constant 0x3800, as f32 0x3f000000; `v1.h` is the high half of v1.

use super::Decoder;
use crate::inst::{Dst, Part, Rest, Slot, Src};
use crate::text::{Operand, Place, number, operand};
use crate::value::Type;

/// Instructions of 16 bits that keep the other half of their result already on gfx9.
const KEEP: &[&str] =
    &["v_mad_f16", "v_fma_f16", "v_mad_u16", "v_mad_i16", "v_div_fixup_f16", "v_fma_mixlo_f16", "v_mad_mixlo_f16"];

/// The bits of a constant as a type.
pub fn constant_bits(place: Place, ty: Type) -> Option<u64> {
    let narrow = |bits: u64| match (ty.words(), ty.is_half()) {
        (2, _) => bits,
        (_, true) => bits & 0xffff,
        _ => bits & 0xffff_ffff,
    };
    Some(match place {
        Place::Int(value) => narrow(value as u64),
        Place::Hex(value) if ty == Type::F64 && value <= u64::from(u32::MAX) => value << 32,
        Place::Hex(value) if ty == Type::I64 && value <= u64::from(u32::MAX) => value as u32 as i32 as i64 as u64,
        Place::Hex(value) => narrow(value),
        Place::Float(value) => ty.float_bits(value),
        Place::InvTwoPi => ty.inv_two_pi(),
        _ => return None,
    })
}

pub fn slot(place: Place) -> Slot {
    match place {
        Place::Vector(first, _) => Slot::Vector(first),
        Place::Scalar(first, _) => Slot::Scalar(first),
        Place::Nothing => Slot::Nothing,
        other => Slot::Special(other),
    }
}

fn count(place: Place) -> Option<u8> {
    match place {
        Place::Vector(_, count) | Place::Scalar(_, count) => Some(count),
        _ => None,
    }
}

impl Decoder<'_> {
    pub fn operand(&self, at: usize) -> Option<Operand> {
        operand(self.text.operands.get(at)?)
    }

    /// Operand `at` as a source of a type; its registers must be as many as the type has words.
    pub fn source(&self, at: usize, ty: Type) -> Option<Src> {
        self.source_of(self.operand(at)?, ty, ty.words())
    }

    pub fn source_of(&self, operand: Operand, ty: Type, words: u8) -> Option<Src> {
        let part = match operand.half {
            Some(true) => Part::High,
            Some(false) => Part::Low,
            None => Part::Whole,
        };
        let (slot, words) = match constant_bits(operand.place, ty) {
            Some(bits) => (Slot::Const(bits), ty.words()),
            None if count(operand.place).is_some_and(|count| count != words) => return None,
            None => (slot(operand.place), words),
        };
        let mut src =
            Src { slot, ty, words, part, sext: operand.sext, neg: operand.neg, abs: operand.abs, plain: false };
        settle(&mut src);
        Some(src)
    }

    /// A lane mask: a pair in waves of 64, one register in waves of 32.
    pub fn mask(&self, at: usize) -> Option<Src> {
        if self.wave == 64 {
            return self.source(at, Type::B64);
        }
        let mut src = self.source(at, Type::B32)?;
        if let Slot::Const(bits) = &mut src.slot {
            *bits &= 0xffff_ffff;
        }
        Some(src)
    }

    /// A register operand with as many words as it names.
    pub fn registers(&self, at: usize) -> Option<Src> {
        let operand = self.operand(at)?;
        let words = count(operand.place).unwrap_or(1);
        self.source_of(operand, Type::B32, words)
    }

    /// Operand `at` as a destination.
    pub fn destination(&self, at: usize, ty: Type) -> Option<Dst> {
        let operand = self.operand(at)?;
        let words = count(operand.place).unwrap_or_else(|| ty.words());
        if words != ty.words() || !matches!(operand.place, Place::Vector(..) | Place::Scalar(..) | Place::Nothing) {
            return None;
        }
        let keep = self.chip.rdna() || KEEP.contains(&self.name);
        let (part, rest) = match operand.half {
            Some(true) => (Part::High, Rest::Keep),
            Some(false) => (Part::Low, Rest::Keep),
            None if ty.is_half() && keep => (Part::Low, Rest::Keep),
            None => (Part::Whole, Rest::Keep),
        };
        Some(Dst { slot: slot(operand.place), ty, words, part, rest })
    }

    /// A lane mask as a destination.
    pub fn mask_destination(&self, at: usize) -> Option<Dst> {
        self.destination(at, if self.wave == 64 { Type::B64 } else { Type::B32 })
    }

    /// A destination with as many words as the operand names.
    pub fn wide_destination(&self, at: usize) -> Option<Dst> {
        let operand = self.operand(at)?;
        let words = count(operand.place)?;
        let part = match operand.half {
            Some(true) => Part::High,
            Some(false) => Part::Low,
            None => Part::Whole,
        };
        Some(Dst { slot: slot(operand.place), ty: Type::B32, words, part, rest: Rest::Keep })
    }

    /// `op_sel` of instructions of 16 bits: halves of sources, and of the result behind them. Names with `.l` and `.h`
    /// say it themselves.
    pub fn select_halves(&mut self) {
        let Some(bits) = self.text.bits("op_sel") else { return };
        let sources = self.inst.src.len();
        let named =
            |at: usize| operand(self.text.operands.get(at).copied().unwrap_or("")).is_some_and(|o| o.half.is_some());
        let true_halves = (0..self.text.operands.len()).any(named);
        if true_halves {
            return;
        }
        for (at, src) in self.inst.src.iter_mut().enumerate() {
            if bits >> at & 1 == 1 {
                src.part = Part::High;
                settle(src);
            }
        }
        if let Some(dst) = self.inst.dst.as_mut().filter(|_| bits >> sources & 1 == 1) {
            (dst.part, dst.rest) = (Part::High, Rest::Keep);
        }
    }

    /// Output modifiers.
    pub fn modifiers(&mut self) {
        self.inst.clamp = self.text.has("clamp");
        self.inst.omod = match (self.text.number("mul"), self.text.number("div")) {
            (Some(2), _) => 1,
            (Some(4), _) => 2,
            (_, Some(2)) => -1,
            _ => 0,
        };
    }
}

/// Notes whether a source can be taken as it stands. The rows look at the low half of types of 16 bits by themselves.
pub fn settle(src: &mut Src) {
    let whole = match src.part {
        Part::Whole => true,
        Part::Low => src.ty.is_half(),
        Part::High | Part::Byte(_) => false,
    };
    src.plain = whole && !src.neg && !src.abs && !src.sext;
}

/// A 16-bit immediate of `s_movk_i32` and its kin, however it is printed.
pub fn short(text: &str, signed: bool) -> Option<u64> {
    let value = number(text)?;
    Some(if signed { u64::from(value as i16 as i32 as u32) } else { value as u64 & 0xffff })
}

//! Vector instructions: comparisons, rows of the tables, packed forms.
//!
//! Worked example: `v_fmac_f32 v0, v1, v2` has three sources in its row and two in its text: the third is the
//! destination.

use super::Decoder;
use super::operands::constant_bits;
use crate::inst::{Alu, Dst, Part, Rest, Slot, Src};
use crate::run::{mixed, vector};
use crate::table::{Row, compare, row};
use crate::text::{EXEC, Place};
use crate::value::Type;

/// A source that is what the destination held before.
pub fn accumulator(dst: &Dst) -> Src {
    Src {
        slot: dst.slot,
        ty: dst.ty,
        words: dst.words,
        part: Part::Whole,
        sext: false,
        neg: false,
        abs: false,
        plain: true,
    }
}

impl Decoder<'_> {
    pub fn vector(&mut self) -> Option<()> {
        self.modifiers();
        if let Some(rest) = self.name.strip_prefix("v_cmpx_") {
            return self.comparison(rest, true);
        }
        if let Some(rest) = self.name.strip_prefix("v_cmp_") {
            return self.comparison(rest, false);
        }
        if self.special()? {
            return Some(());
        }
        if let Some(rest) = self.name.strip_prefix("v_pk_") {
            return self.packed(rest);
        }
        self.row()
    }

    /// DPP or SDWA, where the encoding is one.
    pub fn encodings(&mut self) -> Option<()> {
        if self.text.encoding.ends_with("dpp") {
            self.dpp()?;
        }
        if self.text.encoding == "sdwa" {
            self.sdwa()?;
        }
        Some(())
    }

    fn comparison(&mut self, rest: &str, exec: bool) -> Option<()> {
        let (types, alu) = compare(rest)?;
        let has_dst = self.text.operands.len() == 3;
        self.inst.alu = alu;
        self.inst.run = vector::compare;
        if has_dst {
            self.inst.dst = Some(self.mask_destination(0)?);
        }
        if exec {
            let words = if self.wave == 64 { 2 } else { 1 };
            self.inst.dst2 =
                Some(Dst { slot: Slot::Scalar(EXEC), ty: Type::B32, words, part: Part::Whole, rest: Rest::Keep });
        }
        for (at, ty) in types.into_iter().enumerate() {
            let src = self.source(at + usize::from(has_dst), ty)?;
            self.inst.src.push(src);
        }
        self.select_halves();
        // SDWA says nothing about a mask's parts.
        let dst = self.inst.dst.take();
        self.encodings()?;
        self.inst.dst = dst;
        (self.inst.dst.is_some() || self.inst.dst2.is_some()).then_some(())
    }

    /// The row of this instruction: with `clamp` integer sums saturate, which is a row of its own.
    fn find_row(&self, name: &str) -> Option<&'static Row> {
        if !self.inst.clamp {
            return row(name);
        }
        if let Some(saturating) = row(&format!("{name} clamp")) {
            return Some(saturating);
        }
        let found = row(name)?;
        (found.dst.is_float() || name.ends_with("_f16")).then_some(found)
    }

    fn row(&mut self) -> Option<()> {
        let name = match self.text.bits("neg_lo") {
            Some(3) if self.name.ends_with("_iu8") => "v_dot4_i32_iu8 neg_lo:[1,1]",
            Some(1) if self.name.ends_with("_iu8") => "v_dot4_i32_iu8 neg_lo:[1,0]",
            Some(2) if self.name.ends_with("_iu8") => "v_dot4_i32_iu8 neg_lo:[0,1]",
            Some(0) | None => self.name,
            Some(_) => return None,
        };
        let found = self.find_row(name)?;
        self.fill(found)?;
        const LOW_FIRST: &[&str] =
            &["v_lshl_add_u64", "v_add_nc_u64", "v_sub_nc_u64", "v_lshlrev_b64", "v_mov_b64", "v_mul_u64"];
        if LOW_FIRST.contains(&self.name) {
            self.inst.flags = vector::LOW_FIRST;
        }
        self.select_halves();
        self.encodings()
    }

    /// Destination and sources of a row.
    pub fn fill(&mut self, found: &'static Row) -> Option<()> {
        self.inst.alu = match &found.alu {
            Alu::Narrow(f) => Alu::Narrow(*f),
            Alu::Wide(f) => Alu::Wide(*f),
            _ => return None,
        };
        self.inst.run = if matches!(found.alu, Alu::Narrow(_)) { vector::narrow } else { vector::wide };
        let ty = if found.dst == Type::B16 && self.name.ends_with("_f16") { Type::F16 } else { found.dst };
        let dst = self.destination(0, ty)?;
        let given = self.text.operands.len() - 1;
        for (at, ty) in found.src.iter().enumerate().take(given) {
            let mut src = self.source(at + 1, *ty)?;
            if self.name.starts_with("v_dot2") && at < 2 {
                // Pairs of halves: an inline float is one half.
                if let Some(Place::Float(_) | Place::InvTwoPi) = self.operand(at + 1).map(|operand| operand.place) {
                    src.slot = Slot::Const(constant_bits(self.operand(at + 1)?.place, Type::F16)?);
                }
            }
            self.inst.src.push(src);
        }
        match found.src.len() - given.min(found.src.len()) {
            0 if given == found.src.len() => {}
            1 => self.inst.src.push(accumulator(&dst)),
            _ => return None,
        }
        if !matches!(dst.slot, Slot::Vector(_)) {
            return None;
        }
        self.inst.dst = Some(dst);
        self.dot_halves();
        Some(())
    }

    /// `v_dot2` with chosen halves or signs runs on words put together from them.
    fn dot_halves(&mut self) {
        if self.name.starts_with("v_dot2")
            && ["op_sel", "op_sel_hi", "neg_lo", "neg_hi"].iter().any(|key| self.text.has(key))
        {
            self.inst.flags = self.pack_flags(7);
            self.inst.run = mixed::dot;
        }
    }

    /// The bits of the four packed modifiers in one word.
    pub fn pack_flags(&self, high: u32) -> u32 {
        let of = |key: &str, default: u32| self.text.bits(key).unwrap_or(default) & 15;
        of("op_sel", 0) << mixed::OP_SEL
            | of("op_sel_hi", high) << mixed::OP_SEL_HI
            | of("neg_lo", 0) << mixed::NEG_LO
            | of("neg_hi", 0) << mixed::NEG_HI
    }

    fn packed(&mut self, rest: &str) -> Option<()> {
        self.inst.flags = self.pack_flags(7);
        if rest == "mov_b32" {
            return self.pair("v_mov_b32", 2);
        }
        if matches!(rest, "fma_f32" | "mul_f32" | "add_f32") {
            return self.pair(&format!("v_{rest}"), 0);
        }
        let found = self.find_row(&format!("v_{rest}"))?;
        if !found.src.iter().all(|ty| ty.is_half()) || !found.dst.is_half() {
            return None;
        }
        let Alu::Narrow(f) = found.alu else { return None };
        if self.inst.clamp && !rest.ends_with("_f16") {
            self.inst.clamp = false;
        }
        self.inst.alu = Alu::Narrow(f);
        self.inst.run = mixed::packed;
        self.inst.dst = Some(self.destination(0, Type::B32)?);
        for (at, ty) in found.src.iter().enumerate() {
            let operand = self.operand(at + 1)?;
            let mut src = self.source_of(operand, Type::B32, 1)?;
            src.ty = if rest.ends_with("f16") { Type::F16 } else { *ty };
            if matches!(operand.place, Place::Float(_) | Place::InvTwoPi) && rest.ends_with("_f16") {
                src.slot = Slot::Const(constant_bits(operand.place, Type::F16)?);
            }
            self.inst.src.push(src);
        }
        (self.text.operands.len() == found.src.len() + 1).then_some(())
    }

    /// Two 32-bit numbers at once.
    fn pair(&mut self, name: &str, moves: usize) -> Option<()> {
        let Alu::Narrow(f) = row(name)?.alu else { return None };
        self.inst.alu = Alu::Narrow(f);
        self.inst.run = if moves > 0 { mixed::pair_move } else { mixed::pair };
        self.inst.dst = Some(self.destination(0, Type::B64)?);
        for at in 1..self.text.operands.len() {
            let operand = self.operand(at)?;
            let constant = constant_bits(operand.place, Type::F32);
            let mut src = match constant {
                Some(bits) => crate::wave::constant(bits, Type::F32),
                None => self.source_of(operand, Type::B64, 2)?,
            };
            let high = if moves > 0 { mixed::OP_SEL } else { mixed::OP_SEL_HI };
            // What the high word of a constant is, is not documented.
            if constant.is_some_and(|bits| bits != 0) && self.inst.flags >> (high + at as u32 - 1) & 1 == 1 {
                return None;
            }
            src.plain = true;
            self.inst.src.push(src);
        }
        (!self.inst.clamp && self.inst.omod == 0).then_some(())
    }
}

//! Vector instructions with a handler of their own: carries, divisions, lanes, mixed sums, eight-bit floats, matrix
//! products.
//!
//! Worked example: `v_div_scale_f32 v0, vcc, v1, v2, v3` has a second destination, the mask, and three sources of its
//! type.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Decoder;
use super::operands::{settle, slot};
use crate::inst::{Alu, Dst, Part, Rest, Run, Slot};
use crate::matrix::{self, Layout, Shape};
use crate::run::{carry, control, lanes, mixed, vector};
use crate::table::row;
use crate::text::Place;
use crate::value::Type;

/// Sums with carry: what they compute.
const SUMS: &[(&str, i64)] = &[
    ("v_add_co_u32", carry::ADD),
    ("v_addc_co_u32", carry::ADD),
    ("v_sub_co_u32", carry::SUB),
    ("v_subb_co_u32", carry::SUB),
    ("v_subrev_co_u32", carry::SUBREV),
    ("v_subbrev_co_u32", carry::SUBREV),
];

/// Instructions on lanes: handler, what the first number of the instruction is.
const LANES: &[(&str, Run, i64)] = &[
    ("v_readfirstlane_b32", lanes::read_first, 0),
    ("v_readlane_b32", lanes::read_lane, 0),
    ("v_writelane_b32", lanes::write_lane, 0),
    ("v_mbcnt_lo_u32_b32", lanes::count_below, 0),
    ("v_mbcnt_hi_u32_b32", lanes::count_below, 32),
    ("v_permlane16_b32", lanes::permlane, 0),
    ("v_permlanex16_b32", lanes::permlane, 16),
    ("v_permlane64_b32", lanes::permlane64, 0),
    ("v_swap_b32", lanes::swap, 0),
    ("v_permlane16_swap_b32", lanes::swap, 16),
    ("v_permlane32_swap_b32", lanes::swap, 32),
];

/// Conversions of eight-bit floats: handler, 0 fp8 or 1 bf8.
const SMALL: &[(&str, Run, i64)] = &[
    ("v_cvt_f32_fp8", mixed::from_small, 0),
    ("v_cvt_f32_bf8", mixed::from_small, 1),
    ("v_cvt_pk_f32_fp8", mixed::pair_from_small, 0),
    ("v_cvt_pk_f32_bf8", mixed::pair_from_small, 1),
    ("v_cvt_pk_fp8_f32", mixed::pair_to_small, 0),
    ("v_cvt_pk_bf8_f32", mixed::pair_to_small, 1),
];

/// A shape once for all instructions that have it.
fn shared(shape: Shape) -> &'static Shape {
    static SHAPES: Mutex<Option<HashMap<String, &'static Shape>>> = Mutex::new(None);
    let mut held = SHAPES.lock().unwrap_or_else(PoisonError::into_inner);
    held.get_or_insert_default().entry(format!("{shape:?}")).or_insert_with(|| Box::leak(Box::new(shape)))
}

impl Decoder<'_> {
    /// Whether the instruction has a handler of its own; None where it has and its operands are not understood.
    pub fn special(&mut self) -> Option<bool> {
        let name = self.name;
        if matches!(name, "v_nop" | "v_clrexcp") {
            self.inst.run = control::nothing;
            return Some(true);
        }
        if let Some(&(_, kind)) = SUMS.iter().find(|row| row.0 == name) {
            return self.sum(kind).map(|()| true);
        }
        if let Some(&(_, run, number)) = LANES.iter().find(|row| row.0 == name) {
            return self.lanes(run, number).map(|()| true);
        }
        if let Some(&(_, run, kind)) = SMALL.iter().find(|row| row.0 == name) {
            return self.small(run, kind).map(|()| true);
        }
        if let Some(rest) = name.strip_prefix("v_mfma_") {
            return self.matrix(rest, Layout::Mfma).map(|()| true);
        }
        if let Some(rest) = name.strip_prefix("v_wmma_") {
            let late = self.chip.family == crate::chip::Family::Gfx12;
            return self.matrix(rest, if late { Layout::Wmma12 } else { Layout::Wmma11 }).map(|()| true);
        }
        match name {
            "v_cndmask_b32" | "v_cndmask_b16" => self.choice(),
            "v_mad_u64_u32" | "v_mad_i64_i32" => self.product(),
            "v_div_scale_f32" | "v_div_scale_f64" => self.three(carry::div_scale, true),
            "v_div_fmas_f32" | "v_div_fmas_f64" => self.three(carry::div_fmas, false),
            "v_fma_mix_f32" | "v_fma_mixlo_f16" | "v_fma_mixhi_f16" => self.mix(0),
            "v_mad_mix_f32" | "v_mad_mixlo_f16" | "v_mad_mixhi_f16" => self.mix(1),
            "v_bitop3_b32" | "v_bitop3_b16" => self.free_logic(),
            _ if name.starts_with("v_s_") => self.on_scalar(),
            _ => return Some(false),
        }
        .map(|()| true)
    }

    fn sum(&mut self, kind: i64) -> Option<()> {
        self.inst.run = carry::sum;
        self.inst.imm[0] = kind;
        self.inst.dst = Some(self.destination(0, Type::B32)?);
        self.inst.dst2 = Some(self.mask_destination(1)?);
        for at in 2..4 {
            let src = self.source(at, Type::B32)?;
            self.inst.src.push(src);
        }
        if self.text.operands.len() > 4 {
            let mask = self.mask(4)?;
            self.inst.src.push(mask);
        }
        self.encodings()
    }

    fn choice(&mut self) -> Option<()> {
        let ty = if self.name.ends_with("b16") { Type::F16 } else { Type::F32 };
        self.inst.run = vector::choose;
        self.inst.dst = Some(self.destination(0, ty)?);
        for at in 1..3 {
            let src = self.source(at, ty)?;
            self.inst.src.push(src);
        }
        if self.text.operands.len() > 3 {
            let mask = self.mask(3)?;
            self.inst.src.push(mask);
        } else {
            self.inst.touched.push(carry::IMPLICIT);
        }
        self.select_halves();
        self.encodings()
    }

    fn product(&mut self) -> Option<()> {
        self.inst.run = carry::product;
        self.inst.imm[0] = i64::from(self.name.starts_with("v_mad_i64"));
        self.inst.dst = Some(self.destination(0, Type::B64)?);
        self.inst.dst2 = Some(self.mask_destination(1)?);
        let third = if self.inst.imm[0] == 1 { Type::I64 } else { Type::B64 };
        for (at, ty) in [(2, Type::B32), (3, Type::B32), (4, third)] {
            let src = self.source(at, ty)?;
            self.inst.src.push(src);
        }
        (!self.inst.clamp).then_some(())
    }

    /// Three sources of the type in the name; `scale` has a mask as its second result.
    fn three(&mut self, run: Run, scale: bool) -> Option<()> {
        let ty = if self.name.ends_with("f64") { Type::F64 } else { Type::F32 };
        self.inst.run = run;
        self.inst.dst = Some(self.destination(0, ty)?);
        let first = if scale {
            self.inst.dst2 = Some(self.mask_destination(1)?);
            2
        } else {
            self.inst.touched.push(carry::IMPLICIT);
            1
        };
        for at in first..first + 3 {
            let src = self.source(at, ty)?;
            self.inst.src.push(src);
        }
        (!self.inst.clamp && self.inst.omod == 0).then_some(())
    }

    fn lanes(&mut self, run: Run, number: i64) -> Option<()> {
        self.inst.run = run;
        self.inst.imm[0] = number;
        self.inst.dst = Some(self.destination(0, Type::B32)?);
        for at in 1..self.text.operands.len() {
            let src = self.source(at, Type::B32)?;
            self.inst.src.push(src);
        }
        self.inst.flags = self.text.bits("op_sel").unwrap_or(0);
        if std::ptr::fn_addr_eq(run, lanes::swap as Run) && (self.text.has("bound_ctrl") || self.text.has("fi")) {
            return None;
        }
        (self.text.encoding != "dpp" && self.text.encoding != "sdwa").then_some(())
    }

    fn mix(&mut self, rounded: i64) -> Option<()> {
        self.inst.run = mixed::mix;
        self.inst.imm[0] = rounded;
        self.inst.flags = self.pack_flags(0);
        let ty = if self.name.ends_with("f32") { Type::F32 } else { Type::F16 };
        let mut dst = self.destination(0, ty)?;
        if self.name.contains("mixhi") {
            (dst.part, dst.rest) = (Part::High, Rest::Keep);
        } else if ty == Type::F16 && dst.part == Part::Whole {
            (dst.part, dst.rest) = (Part::Low, Rest::Keep);
        }
        self.inst.dst = Some(dst);
        for at in 0..3 {
            let half = self.inst.flags >> (mixed::OP_SEL_HI + at) & 1 == 1;
            let src = self.source(at as usize + 1, if half { Type::F16 } else { Type::F32 })?;
            self.inst.src.push(src);
        }
        (self.inst.omod == 0).then_some(())
    }

    fn free_logic(&mut self) -> Option<()> {
        let ty = if self.name.ends_with("b16") { Type::B16 } else { Type::B32 };
        self.inst.run = mixed::free_logic;
        self.inst.imm[0] = self.text.number("bitop3").unwrap_or(0);
        self.inst.dst = Some(self.destination(0, ty)?);
        for at in 1..4 {
            let src = self.source(at, ty)?;
            self.inst.src.push(src);
        }
        self.select_halves();
        Some(())
    }

    fn small(&mut self, run: Run, kind: i64) -> Option<()> {
        self.inst.run = run;
        self.inst.imm[0] = kind;
        let narrows = self.name.ends_with("_f32");
        let ty = if !narrows && self.name.contains("_pk_") { Type::B64 } else { Type::B32 };
        let mut dst = self.destination(0, ty)?;
        let sources = self.text.operands.len() - 1;
        for at in 1..=sources {
            let src = self.source(at, if narrows { Type::F32 } else { Type::B32 })?;
            self.inst.src.push(src);
        }
        let selected = self.text.bits("op_sel").unwrap_or(0);
        if narrows {
            let high = selected >> sources & 1 == 1 || dst.part == Part::High;
            (dst.part, dst.rest) = (if high { Part::High } else { Part::Low }, Rest::Keep);
        } else if let Some(src) = self.inst.src.first_mut() {
            let pair = ty == Type::B64;
            src.part = match (pair, self.text.number("byte_sel")) {
                (true, _) if selected & 1 == 1 => Part::High,
                (true, _) => src.part,
                (false, Some(byte)) => Part::Byte(byte as u8 & 3),
                // Two bits of op_sel number the byte, the low one last.
                (false, None) => Part::Byte(((selected & 1) << 1 | selected >> 1 & 1) as u8),
            };
            settle(src);
        }
        self.inst.dst = Some(dst);
        if self.text.encoding == "sdwa" {
            self.sdwa()?;
        }
        (!self.text.encoding.ends_with("dpp")).then_some(())
    }

    /// `v_s_rcp_f32`: a row on scalars.
    fn on_scalar(&mut self) -> Option<()> {
        let found = row(&self.name.replacen("v_s_", "v_", 1))?;
        let Alu::Narrow(f) = found.alu else { return None };
        self.inst.run = vector::uniform;
        self.inst.alu = Alu::Narrow(f);
        let dst = self.destination(0, Type::B32)?;
        self.inst.dst = Some(Dst { ty: found.dst, part: Part::Whole, ..dst });
        let src = self.source(1, found.src[0])?;
        self.inst.src.push(src);
        (found.src.len() == 1 && matches!(dst.slot, Slot::Scalar(_))).then_some(())
    }

    fn matrix(&mut self, rest: &str, layout: Layout) -> Option<()> {
        let mut shape = Shape::read(rest, layout)?;
        // Waves of 64 lay gfx12's matrices out in a way that is not modelled; broadcasts and permutations of blocks are
        // not either.
        if layout == Layout::Wmma12 && self.wave == 64 {
            return None;
        }
        let plain = |key: &str| self.text.number(key).unwrap_or(0) == 0;
        if rest.ends_with("_f8f6f4") {
            let format = |key: &str| self.text.number(key).unwrap_or(0);
            shape = shape.with_formats(format("cbsz"), format("blgp"))?;
        } else if !(plain("cbsz") && plain("abid") && plain("blgp")) {
            return None;
        }
        self.inst.run = matrix::run;
        let dst = self.wide_destination(0)?;
        shape.blocks(usize::from(dst.words), self.wave as usize)?;
        self.inst.dst = Some(Dst { part: Part::Whole, ..dst });
        for at in 1..3 {
            let src = self.registers(at)?;
            matches!(src.slot, Slot::Vector(_)).then_some(())?;
            self.inst.src.push(src);
        }
        let ty = match shape.out {
            matrix::Element::F64 => Type::F64,
            matrix::Element::F16 => Type::F16,
            matrix::Element::Bf16 => Type::Bf16,
            _ => Type::F32,
        };
        let operand = self.operand(3)?;
        let mut addend = match operand.place {
            Place::Vector(_, words) => self.source_of(operand, Type::B32, words)?,
            _ => self.source_of(operand, ty, ty.words())?,
        };
        addend.plain = true;
        self.inst.src.push(addend);
        self.inst.alu = Alu::Matrix(shared(shape));
        self.matrix_flags(&shape)?;
        matches!(slot(operand.place), Slot::Vector(_) | Slot::Nothing | Slot::Special(_)).then_some(())
    }

    fn matrix_flags(&mut self, shape: &Shape) -> Option<()> {
        let low = self.text.bits("neg_lo").or_else(|| self.text.bits("neg")).unwrap_or(0);
        let high = self.text.bits("neg_hi").unwrap_or(0);
        let selected = self.text.bits("op_sel").unwrap_or(0);
        self.inst.flags = if matrix::integer(shape) {
            (low & 3) * matrix::SIGNED_A
        } else if low | high == 0 {
            0
        } else if low == high || (self.text.has("neg") && high == 0) {
            ((low & 3) * matrix::NEG_A) | ((low >> 2 & 1) * matrix::NEG_C)
        } else {
            return None;
        };
        if selected >> 2 & 1 == 1 {
            self.inst.flags |= matrix::HIGH;
        }
        Some(())
    }
}

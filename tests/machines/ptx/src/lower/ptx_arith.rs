//! Inline PTX: arithmetic, comparisons, selections, moves.

use super::Builder;
use super::arith::{float_predicate, integer_predicate, look};
use super::nvvm::special;
use super::ptx::{Asm, Statement};
use crate::errors::Result;
use crate::inst::{Binary, Op, Predicate, Slot, Unary};
use crate::types::Scalar;

const FLOAT_UNARY: &[(&str, Unary)] = &[
    ("ex2", Unary::Exp2),
    ("lg2", Unary::Log2),
    ("rcp", Unary::Reciprocal),
    ("rsqrt", Unary::RsqrtApprox),
    ("sqrt", Unary::Sqrt),
    ("tanh", Unary::Tanh),
    ("sin", Unary::Sin),
    ("cos", Unary::Cos),
    ("neg", Unary::NegF),
    ("abs", Unary::AbsF),
];

const INTEGER_UNARY: &[(&str, Unary)] =
    &[("brev", Unary::ReverseBits), ("clz", Unary::CountLeadingZeros), ("popc", Unary::CountOnes)];

const FLOAT: &[(&str, Binary)] = &[
    ("add", Binary::AddF),
    ("sub", Binary::SubF),
    ("mul", Binary::MulF),
    ("div", Binary::DivF),
    ("min", Binary::MinNum),
    ("max", Binary::MaxNum),
    ("min.NaN", Binary::Minimum),
    ("max.NaN", Binary::Maximum),
];

const UNSIGNED: &[(&str, Binary)] = &[
    ("add", Binary::Add),
    ("sub", Binary::Sub),
    ("mul.lo", Binary::Mul),
    ("mul.hi", Binary::MulHighU),
    ("and", Binary::And),
    ("or", Binary::Or),
    ("xor", Binary::Xor),
    ("min", Binary::MinU),
    ("max", Binary::MaxU),
    ("shl", Binary::Shl),
    ("shr", Binary::ShrU),
];

const SIGNED: &[(&str, Binary)] =
    &[("mul.hi", Binary::MulHighS), ("min", Binary::MinS), ("max", Binary::MaxS), ("shr", Binary::ShrS)];

/// The operation of two operands that a statement names.
fn binary(s: &Statement, first: &str, ty: Scalar) -> Option<Binary> {
    let name = match ["lo", "hi", "NaN"].into_iter().find(|part| s.has(part)) {
        Some(part) => format!("{first}.{part}"),
        None => first.to_string(),
    };
    if ty.is_float() {
        return look(FLOAT, &name);
    }
    let signed = s.has("s32") || s.has("s64");
    signed.then(|| look(SIGNED, &name)).flatten().or_else(|| look(UNSIGNED, &name))
}

fn predicate(s: &Statement, ty: Scalar) -> Option<Predicate> {
    let word = s.opcode.split('.').nth(1).unwrap_or("");
    if ty.is_float() {
        return float_predicate(&format!("o{word}"));
    }
    let sign = if s.opcode.ends_with("s32") || s.opcode.ends_with("s64") { 's' } else { 'u' };
    integer_predicate(word).or_else(|| integer_predicate(&format!("{sign}{word}")))
}

impl Builder {
    /// The first operand's register, the others as slots.
    fn asm_slots<const N: usize>(&mut self, asm: &Asm, s: &Statement, ty: Scalar) -> Result<(Slot, [Slot; N])> {
        let short = || asm.line.error("operands are missing");
        let to = asm.slot(s.operands.first().ok_or_else(short)?)?;
        let mut slots = [0; N];
        for (at, slot) in slots.iter_mut().enumerate() {
            *slot = self.asm_operand(asm, s.operands.get(at + 1).ok_or_else(short)?, ty)?;
        }
        Ok((to, slots))
    }

    /// Lowers a statement on numbers; false if it is none.
    pub(super) fn asm_numbers(&mut self, asm: &Asm, s: &Statement) -> Result<bool> {
        let first = s.opcode.split('.').next().unwrap_or("");
        let Some(ty) = s.ty() else { return Ok(false) };
        let moves = ["mov", "selp", "cvt", "ld", "st", "ldu"].contains(&first);
        if !moves && (s.has("f16x2") || s.has("bf16x2")) {
            return Err(asm.line.error("arithmetic on pairs, which is not modelled"));
        }
        if first == "rcp" && ty == Scalar::F32 && !s.has("ftz") {
            let (to, [a]) = self.asm_slots(asm, s, ty)?;
            let one = self.constant_slot(u64::from(1f32.to_bits()));
            self.push_binary(Binary::DivF, ty, to, one, a, 1);
            return Ok(true);
        }
        if let Some(op) = look(if ty.is_float() { FLOAT_UNARY } else { INTEGER_UNARY }, first) {
            let (to, [a]) = self.asm_slots(asm, s, ty)?;
            self.push_unary(op, (ty, ty), to, a, 1);
            return Ok(true);
        }
        if let Some(op) = binary(s, first, ty) {
            let (to, [a, b]) = self.asm_slots(asm, s, ty)?;
            self.push_binary(op, ty, to, a, b, 1);
            return Ok(true);
        }
        match first {
            "mov" => match s.operands.get(1).and_then(|text| special(text)) {
                Some(which) => {
                    let to = asm.slot(&s.operands[0])?;
                    self.push_simple(Op::Special { to, which }, &[], &[to]);
                }
                None => {
                    let (to, [a]) = self.asm_slots(asm, s, ty)?;
                    self.push_moves(&[(to, a, 1)]);
                }
            },
            "setp" => {
                let predicate = predicate(s, ty).ok_or_else(|| asm.line.error("a comparison that is not modelled"))?;
                let (to, [a, b]) = self.asm_slots(asm, s, ty)?;
                self.push(Op::Compare { predicate, ty, to, a, b, n: 1 }, &[(a, 1), (b, 1)], &[(to, 1)]);
            }
            "selp" => {
                let (to, [a, b, condition]) = self.asm_slots(asm, s, ty)?;
                let op = Op::Select { to, condition, a, b, n: 1, each: false };
                self.push_simple(op, &[condition, a, b], &[to]);
            }
            "fma" => {
                let (to, slots) = self.asm_slots(asm, s, ty)?;
                let [a, b, c] = slots;
                self.push_simple(Op::Fma { ty, to, a, b, c, n: 1 }, &slots, &[to]);
                if s.has("sat") {
                    let one = if ty == Scalar::F64 { 1f64.to_bits() } else { u64::from(1f32.to_bits()) };
                    let (zero, one) = (self.constant_slot(0), self.constant_slot(one));
                    self.push_binary(Binary::MaxNum, ty, to, to, zero, 1);
                    self.push_binary(Binary::MinNum, ty, to, to, one, 1);
                }
            }
            "prmt" => {
                let (to, slots) = self.asm_slots(asm, s, Scalar::Int(32))?;
                let [a, b, selector] = slots;
                self.push_simple(Op::Permute { to, a, b, selector }, &slots, &[to]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

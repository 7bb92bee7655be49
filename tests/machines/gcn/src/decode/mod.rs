//! From the disassembler's text to an instruction that can be run.
//!
//! Input: one line, its address and length, the chip, the wave size. Output: an [`Inst`]; what is not understood
//! becomes one that faults when it is reached, with its text. Worked example: `s_cbranch_execz 12` at 0x100 is a branch
//! to 0x104 + 4·12.

mod memory;
mod moves;
mod operands;
mod scalar;
mod special;
mod vector;

use crate::access::Kind;
use crate::chip::Chip;
use crate::inst::{Alu, Dst, Inst, Slot, Src, Touched};
use crate::run::control;
use crate::table::canonical;
use crate::text::Text;

/// What decoding an instruction needs.
pub struct Decoder<'a> {
    pub text: Text<'a>,
    /// The mnemonic that the tables know.
    pub name: &'a str,
    pub chip: &'a Chip,
    pub wave: u32,
    pub inst: Inst,
}

fn blank(line: &str, address: u64, length: u64) -> Inst {
    Inst {
        run: control::unknown,
        alu: Alu::None,
        dst: None,
        dst2: None,
        src: Vec::new(),
        imm: [0; 4],
        flags: 0,
        clamp: false,
        omod: 0,
        dpp: None,
        next: address + length,
        target: 0,
        touched: Vec::new(),
        dual: None,
        text: line.to_string(),
    }
}

/// Reads a line.
pub fn decode(line: &str, address: u64, length: u64, chip: &Chip, wave: u32) -> Inst {
    if let Some((first, second)) = line.split_once(" :: ") {
        return dual(line, [first, second], address, length, chip, wave)
            .unwrap_or_else(|| blank(line, address, length));
    }
    one(line, address, length, chip, wave).unwrap_or_else(|| blank(line, address, length))
}

fn one(line: &str, address: u64, length: u64, chip: &Chip, wave: u32) -> Option<Inst> {
    let text = Text::read(line);
    let name = canonical(text.name);
    let mut decoder = Decoder { text, name, chip, wave, inst: blank(line, address, length) };
    if name.starts_with("v_") {
        decoder.vector()?;
    } else if name.starts_with("s_") {
        decoder.scalar()?;
    } else {
        decoder.memory()?;
    }
    let mut inst = decoder.inst;
    let by = match &inst.alu {
        Alu::Access(access) if access.kind == Kind::Load => access.counter(),
        _ => None,
    };
    inst.touched.extend(inst.src.iter().map(|src: &Src| Touched { slot: src.slot, count: src.words, by: None }));
    inst.touched.extend([inst.dst, inst.dst2].into_iter().flatten().map(|dst: Dst| Touched {
        slot: dst.slot,
        count: dst.words,
        by,
    }));
    inst.touched.retain(|touched| matches!(touched.slot, Slot::Vector(_) | Slot::Scalar(_)));
    Some(inst)
}

/// `v_dual_mul_f32 … :: v_dual_add_f32 …`.
fn dual(line: &str, halves: [&str; 2], address: u64, length: u64, chip: &Chip, wave: u32) -> Option<Inst> {
    let mut decoded = Vec::new();
    for half in halves {
        let plain = half.trim().replacen("v_dual_", "v_", 1);
        let inst = one(&plain, address, length, chip, wave)?;
        let fits = matches!(inst.alu, Alu::Narrow(_)) || plain.starts_with("v_cndmask");
        decoded.push(fits.then_some(inst)?);
    }
    let (second, mut first) = (decoded.pop()?, decoded.pop()?);
    first.touched.extend(second.touched.iter().copied());
    first.run = crate::run::vector::dual;
    first.dual = Some(Box::new(second));
    first.text = line.to_string();
    Some(first)
}

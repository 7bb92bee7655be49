//! DPP and SDWA: how lanes move, which parts of words are meant.
//!
//! Worked example: `row_shr:1` gives each lane of a row of 16 the value of the lane before it; the first lane of a row
//! has none.

use super::Decoder;
use super::operands::settle;
use crate::inst::{Dpp, Part, Rest};
use crate::text::{Text, number};

/// The lane that a lane reads; 255 where there is none.
fn from(text: &Text<'_>, lane: usize) -> Option<usize> {
    let list =
        |key: &str| text.modifier(key).map(|list| list.trim_matches(['[', ']']).split(',').map(|n| number(n.trim())));
    let (row, at) = (lane & !15, lane & 15);
    let by = |key: &str| text.number(key).map(|by| by as usize);
    const NONE: usize = 255;
    if let Some(mut quad) = list("quad_perm") {
        return Some(lane & !3 | quad.nth(lane & 3)?? as usize & 3);
    }
    if let Some(mut eight) = list("dpp8") {
        return Some(lane & !7 | eight.nth(lane & 7)?? as usize & 7);
    }
    if let Some(by) = by("row_shl") {
        return Some(if at + by < 16 { lane + by } else { NONE });
    }
    if let Some(by) = by("row_shr") {
        return Some(if at >= by { lane - by } else { NONE });
    }
    if let Some(by) = by("row_ror") {
        return Some(row | (at + 16 - by) & 15);
    }
    if let Some(share) = by("row_share").or_else(|| by("row_newbcast")) {
        return Some(row | share & 15);
    }
    if let Some(mask) = by("row_xmask") {
        return Some(row | at ^ (mask & 15));
    }
    if let Some(last) = by("row_bcast") {
        return Some(match last {
            15 if lane >= 16 => row - 1,
            31 if lane >= 32 => 31,
            _ => NONE,
        });
    }
    if text.has("row_mirror") {
        return Some(row | (15 - at));
    }
    if text.has("row_half_mirror") {
        return Some(lane & !7 | (7 - (lane & 7)));
    }
    for (key, turn) in [("wave_shl", 1), ("wave_rol", 1), ("wave_shr", 63), ("wave_ror", 63)] {
        if text.has(key) {
            let edge = if turn == 1 { 63 } else { 0 };
            let falls = key.contains("_sh") && lane == edge;
            return Some(if falls { NONE } else { (lane + turn) & 63 });
        }
    }
    None
}

impl Decoder<'_> {
    /// Reads what DPP says; None where the pattern is not known.
    pub fn dpp(&mut self) -> Option<()> {
        let mut dpp = Dpp { from: [0; 64], row_mask: 15, bank_mask: 15, zero: false, fetch_inactive: false };
        for (lane, slot) in dpp.from.iter_mut().enumerate() {
            *slot = from(&self.text, lane)? as u8;
        }
        dpp.row_mask = self.text.number("row_mask").unwrap_or(15) as u8;
        dpp.bank_mask = self.text.number("bank_mask").unwrap_or(15) as u8;
        dpp.zero = self.text.has("bound_ctrl") || self.text.has("dpp8");
        dpp.fetch_inactive = self.text.number("fi") == Some(1);
        self.inst.dpp = Some(Box::new(dpp));
        Some(())
    }

    /// Reads what SDWA says of sources and result.
    pub fn sdwa(&mut self) -> Option<()> {
        for (src, key) in self.inst.src.iter_mut().zip(["src0_sel", "src1_sel"]) {
            src.part = part(self.text.modifier(key).unwrap_or("DWORD"))?;
            settle(src);
        }
        let Some(dst) = &mut self.inst.dst else { return Some(()) };
        let selected = part(self.text.modifier("dst_sel").unwrap_or("DWORD"))?;
        if selected != Part::Whole {
            dst.part = selected;
            dst.rest = match self.text.modifier("dst_unused") {
                Some("UNUSED_PRESERVE") => Rest::Keep,
                Some("UNUSED_SEXT") => Rest::Sign,
                _ => Rest::Zero,
            };
        }
        Some(())
    }
}

fn part(name: &str) -> Option<Part> {
    Some(match name {
        "DWORD" => Part::Whole,
        "WORD_0" => Part::Low,
        "WORD_1" => Part::High,
        "BYTE_0" => Part::Byte(0),
        "BYTE_1" => Part::Byte(1),
        "BYTE_2" => Part::Byte(2),
        "BYTE_3" => Part::Byte(3),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_move() {
        let at = |text: &str, lane| from(&Text::read(&format!("v_mov_b32_dpp v0, v1 {text}")), lane);
        assert_eq!(at("row_shr:1", 17), Some(16));
        assert_eq!(at("row_shr:1", 16), Some(255));
        assert_eq!(at("row_shl:4", 12), Some(255));
        assert_eq!(at("row_ror:1", 0), Some(15));
        assert_eq!(at("row_bcast:15", 40), Some(31));
        assert_eq!(at("row_bcast:31", 20), Some(255));
        assert_eq!(at("quad_perm:[1,0,3,2]", 6), Some(7));
        assert_eq!(at("row_mirror", 1), Some(14));
        assert_eq!(at("row_half_mirror", 9), Some(14));
        assert_eq!(at("dpp8:[7,6,5,4,3,2,1,0]", 8), Some(15));
        assert_eq!(at("wave_shr:1", 0), Some(255));
        assert_eq!(at("row_xmask:3", 17), Some(18));
        assert_eq!(at("unheard_of:1", 0), None);
    }
}

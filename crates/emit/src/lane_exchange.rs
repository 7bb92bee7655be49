//! Lane exchange on AMD: the value of the lane whose number differs in the bits of a mask, by the cheapest instruction
//! for that mask.
//!
//! | mask | instruction | what it costs |
//! | --- | --- | --- |
//! | 1 … 3 | DPP `quad_perm` | part of the next VALU instruction |
//! | 7, 15 | DPP `row_half_mirror`, `row_mirror` | the same |
//! | 8 | DPP `row_ror:8` | the same |
//! | others below 16 | DPP `row_xmask` (gfx10 and later) | the same |
//! | 16 | `v_permlanex16` (gfx10 and later) | one VALU instruction |
//! | others below 32 | `ds_swizzle` | a trip through LDS, no address |
//! | 32 and above | `ds_bpermute` | a trip through LDS, an address |
//!
//! Sources: AMD's instruction set architectures of GCN3 to RDNA4, "Data Parallel Primitives", and `ds_swizzle_b32`.
//!
//! Worked example, a sum over 64 lanes on gfx90a: masks 32 (`ds_bpermute`), 16 (`ds_swizzle`), 8 (`row_ror:8`), 4
//! (`ds_swizzle`), 2 and 1 (`quad_perm`): three trips through LDS where six `ds_bpermute` would make six.

use fornax_targets::{Feature, FeatureSet};

use crate::text::{Code, Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
/// Lanes that `ds_swizzle` and DPP reach.
const SWIZZLE_MAX: u32 = 31;
const ROW_MAX: u32 = 15;

/// DPP control: the source lane of each lane of a quad, two bits each.
const fn quad_perm(mask: u32) -> u32 {
    mask | (1 ^ mask) << 2 | (2 ^ mask) << 4 | (3 ^ mask) << 6
}

/// The DPP control that exchanges lanes by a mask, where there is one.
fn dpp_control(mask: u32, chip: FeatureSet) -> Option<u32> {
    if !chip.has(Feature::Dpp) {
        return None;
    }
    match mask {
        1..=3 => Some(quad_perm(mask)),
        7 => Some(0x141),
        8 => Some(0x128),
        15 => Some(0x140),
        1..=ROW_MAX if chip.has(Feature::DppRowXmask) => Some(0x160 + mask),
        _ => None,
    }
}

/// `word` (i32) of the lane that differs in the bits of `mask`; `thread` is called where the lane's number is needed.
pub fn exchange(
    code: &mut Code,
    word: Value,
    mask: u32,
    chip: FeatureSet,
    thread: impl FnOnce(&mut Code) -> Value,
) -> Value {
    if let Some(control) = dpp_control(mask, chip) {
        let old = code.int(I32, 0);
        let text = format!("rocdl.update.dpp {old}, {word} with {control}, 15, 15, true : i32");
        return code.effect(I32, &text);
    }
    if mask == 16 && chip.has(Feature::PermLaneX16) {
        // Lane i of a row takes lane i of the other one.
        let (low, high) = (code.int(I32, 0x7654_3210), code.int(I32, i64::from(0xFEDC_BA98_u32.cast_signed())));
        let text = format!("rocdl.permlanex16 {word}, {word}, {low}, {high}, true, false : i32, i32");
        return code.effect(I32, &text);
    }
    if mask <= SWIZZLE_MAX {
        // Bit mode: all bits of the lane kept, none set, these turned.
        let pattern = code.int(I32, i64::from(mask << 10 | 0x1F));
        return code.effect(I32, &format!("rocdl.ds_swizzle {word}, {pattern} : (i32, i32) -> i32"));
    }
    let thread = thread(code);
    let other = code.int_k("arith.xori", thread, i64::from(mask));
    let address = code.shl_k(other, 2);
    code.effect(I32, &format!("rocdl.ds_bpermute {address}, {word} : (i32, i32) -> i32"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_are_permuted_by_exclusive_or() {
        assert_eq!([1, 2, 3].map(quad_perm), [0xB1, 0x4E, 0x1B]);
    }

    #[test]
    fn rows_are_exchanged_where_the_chip_can() {
        let gfx9 = FeatureSet::of(&[Feature::Dpp]);
        let gfx10 = gfx9.with(FeatureSet::of(&[Feature::DppRowXmask]));
        assert_eq!([4, 8, 12, 16].map(|mask| dpp_control(mask, gfx9)), [None, Some(0x128), None, None]);
        assert_eq!([4, 8, 12, 16].map(|mask| dpp_control(mask, gfx10)), [Some(0x164), Some(0x128), Some(0x16C), None]);
        assert_eq!(dpp_control(1, FeatureSet::of(&[])), None);
    }
}

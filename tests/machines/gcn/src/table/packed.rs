//! Dot products of halves, bytes and nibbles: rows on whole words. Packed sums and products (`v_pk_*`) run the row of
//! one half twice.
//!
//! Worked example: `v_dot4_i32_i8` of 0x01010101, 0x02ff0302 and 10 is 2 + 3 - 1 + 2 + 10.

use half::f16;

use super::{Row, narrow};

/// The sum over fields of `bits` bits.
fn dot(a: u32, b: u32, bits: u32, signed: [bool; 2]) -> i64 {
    let field = |word: u32, at: u32, signed: bool| {
        let up = word << (32 - bits - at * bits);
        if signed { i64::from(up as i32 >> (32 - bits)) } else { i64::from(up >> (32 - bits)) }
    };
    (0..32 / bits).map(|at| field(a, at, signed[0]) * field(b, at, signed[1])).sum()
}

fn signed(sum: i64, c: u32, clamp: bool) -> u32 {
    let sum = sum + i64::from(c as i32);
    if clamp { sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32 } else { sum as u32 }
}

fn unsigned(sum: i64, c: u32, clamp: bool) -> u32 {
    let sum = sum + i64::from(c);
    if clamp { sum.min(i64::from(u32::MAX)) as u32 } else { sum as u32 }
}

fn halves(a: u32) -> [f64; 2] {
    [a as u16, (a >> 16) as u16].map(|bits| f16::from_bits(bits).to_f64())
}

fn brains(a: u32) -> [f64; 2] {
    [a << 16, a & 0xffff_0000].map(|bits| f64::from(f32::from_bits(bits)))
}

fn dot_floats(a: [f64; 2], b: [f64; 2], c: f32) -> f32 {
    (a[0] * b[0] + a[1] * b[1] + f64::from(c)) as f32
}

const SIGNED: [bool; 2] = [true; 2];
const UNSIGNED: [bool; 2] = [false; 2];

const DOTS: [Row; 19] = [
    narrow!("v_dot2_f32_f16", (a: u32, b: u32, c: f32) -> f32, dot_floats(halves(a), halves(b), c)),
    narrow!("v_dot2c_f32_f16", (a: u32, b: u32, c: f32) -> f32, dot_floats(halves(a), halves(b), c)),
    narrow!("v_dot2_f32_bf16", (a: u32, b: u32, c: f32) -> f32, dot_floats(brains(a), brains(b), c)),
    narrow!("v_dot2c_f32_bf16", (a: u32, b: u32, c: f32) -> f32, dot_floats(brains(a), brains(b), c)),
    narrow!("v_dot4_i32_i8", (a: u32, b: u32, c: u32) -> u32, signed(dot(a, b, 8, SIGNED), c, false)),
    narrow!("v_dot4c_i32_i8", (a: u32, b: u32, c: u32) -> u32, signed(dot(a, b, 8, SIGNED), c, false)),
    narrow!("v_dot4_u32_u8", (a: u32, b: u32, c: u32) -> u32, unsigned(dot(a, b, 8, UNSIGNED), c, false)),
    narrow!("v_dot8_i32_i4", (a: u32, b: u32, c: u32) -> u32, signed(dot(a, b, 4, SIGNED), c, false)),
    narrow!("v_dot8c_i32_i4", (a: u32, b: u32, c: u32) -> u32, signed(dot(a, b, 4, SIGNED), c, false)),
    narrow!("v_dot8_u32_u4", (a: u32, b: u32, c: u32) -> u32, unsigned(dot(a, b, 4, UNSIGNED), c, false)),
    narrow!("v_dot2_i32_i16", (a: u32, b: u32, c: u32) -> u32, signed(dot(a, b, 16, SIGNED), c, false)),
    narrow!("v_dot2c_i32_i16", (a: u32, b: u32, c: u32) -> u32, signed(dot(a, b, 16, SIGNED), c, false)),
    narrow!("v_dot2_u32_u16", (a: u32, b: u32, c: u32) -> u32, unsigned(dot(a, b, 16, UNSIGNED), c, false)),
    narrow!("v_dot4_i32_i8 clamp", (a: u32, b: u32, c: u32) -> u32, signed(dot(a, b, 8, SIGNED), c, true)),
    narrow!("v_dot4_u32_u8 clamp", (a: u32, b: u32, c: u32) -> u32, unsigned(dot(a, b, 8, UNSIGNED), c, true)),
    // gfx11: the signs of the operands are modifiers; the decoder writes them into the name.
    narrow!("v_dot4_i32_iu8 neg_lo:[1,1]", (a: u32, b: u32, c: u32) -> u32, signed(dot(a, b, 8, SIGNED), c, false)),
    narrow!("v_dot4_i32_iu8 neg_lo:[1,0]", (a: u32, b: u32, c: u32) -> u32,
        signed(dot(a, b, 8, [true, false]), c, false)),
    narrow!("v_dot4_i32_iu8 neg_lo:[0,1]", (a: u32, b: u32, c: u32) -> u32,
        signed(dot(a, b, 8, [false, true]), c, false)),
    narrow!("v_dot4_i32_iu8", (a: u32, b: u32, c: u32) -> u32, signed(dot(a, b, 8, UNSIGNED), c, false)),
];

pub const ROWS: &[&[Row]] = &[&DOTS];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots() {
        assert_eq!(signed(dot(0x0101_0101, 0x02ff_0302, 8, SIGNED), 10, false), 16);
        assert_eq!(unsigned(dot(u32::MAX, u32::MAX, 16, UNSIGNED), u32::MAX, true), u32::MAX);
        assert_eq!(dot_floats(halves(0x3c00_4000), halves(0x4000_3c00), 0.5), 4.5);
    }
}

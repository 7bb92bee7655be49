//! Bits: logic, shifts, fields, bytes, counts.
//!
//! Worked example: `v_bfe_u32` of 0x1234, 4, 8 is 0x23; `v_perm_b32` takes each byte of its result from the eight of
//! its first two operands, those of the second being 0 … 3.

use super::{Row, narrow, wide};

fn field(a: u32, from: u32, width: u32) -> u32 {
    let (from, width) = (from & 31, width & 31);
    a >> from & ((1 << width) - 1)
}

fn signed_field(a: u32, from: u32, width: u32) -> i32 {
    let (from, width) = (from & 31, width & 31);
    if width == 0 {
        return 0;
    }
    let width = width.min(32 - from);
    (a << (32 - from - width)) as i32 >> (32 - width)
}

/// One byte of `v_perm_b32`: 0 … 7 a byte, 8 … 11 a sign, 12 zero, above all ones.
fn permuted(both: u64, selector: u32) -> u32 {
    match selector {
        0..=7 => (both >> (8 * selector)) as u32 & 0xff,
        8..=11 => ((both >> (16 * (selector - 8) + 15)) as u32 & 1) * 0xff,
        12 => 0,
        _ => 0xff,
    }
}

fn perm(a: u32, b: u32, selectors: u32) -> u32 {
    let both = u64::from(a) << 32 | u64::from(b);
    (0..4).map(|byte| permuted(both, selectors >> (8 * byte) & 0xff) << (8 * byte)).sum()
}

/// Leading bits equal to the sign, counted behind it; -1 where all are.
fn sign_run(a: i32) -> i32 {
    let run = (if a < 0 { !a } else { a }).leading_zeros() as i32;
    if run == 32 { -1 } else { run }
}

const LOGIC: [Row; 17] = [
    narrow!("v_mov_b32", (a: u32) -> u32, a),
    wide!("v_mov_b64", (a: u64) -> u64, a),
    narrow!("v_mov_b16", (a: u16) -> u16, a),
    narrow!("v_not_b32", (a: u32) -> u32, !a),
    narrow!("v_not_b16", (a: u16) -> u16, !a),
    narrow!("v_and_b32", (a: u32, b: u32) -> u32, a & b),
    narrow!("v_or_b32", (a: u32, b: u32) -> u32, a | b),
    narrow!("v_xor_b32", (a: u32, b: u32) -> u32, a ^ b),
    narrow!("v_xnor_b32", (a: u32, b: u32) -> u32, !(a ^ b)),
    narrow!("v_and_b16", (a: u16, b: u16) -> u16, a & b),
    narrow!("v_or_b16", (a: u16, b: u16) -> u16, a | b),
    narrow!("v_xor_b16", (a: u16, b: u16) -> u16, a ^ b),
    narrow!("v_and_or_b32", (a: u32, b: u32, c: u32) -> u32, (a & b) | c),
    narrow!("v_or3_b32", (a: u32, b: u32, c: u32) -> u32, a | b | c),
    narrow!("v_xor3_b32", (a: u32, b: u32, c: u32) -> u32, a ^ b ^ c),
    narrow!("v_lshl_or_b32", (a: u32, b: u32, c: u32) -> u32, (a << (b & 31)) | c),
    narrow!("v_bfi_b32", (a: u32, b: u32, c: u32) -> u32, (a & b) | (!a & c)),
];

const SHIFTS: [Row; 12] = [
    narrow!("v_lshlrev_b32", (a: u32, b: u32) -> u32, b << (a & 31)),
    narrow!("v_lshrrev_b32", (a: u32, b: u32) -> u32, b >> (a & 31)),
    narrow!("v_ashrrev_i32", (a: u32, b: i32) -> i32, b >> (a & 31)),
    narrow!("v_lshlrev_b16", (a: u16, b: u16) -> u16, b << (a & 15)),
    narrow!("v_lshrrev_b16", (a: u16, b: u16) -> u16, b >> (a & 15)),
    narrow!("v_ashrrev_i16", (a: u16, b: i16) -> i16, b >> (a & 15)),
    wide!("v_lshlrev_b64", (a: u32, b: u64) -> u64, b << (a & 63)),
    wide!("v_lshrrev_b64", (a: u32, b: u64) -> u64, b >> (a & 63)),
    wide!("v_ashrrev_i64", (a: u32, b: i64) -> i64, b >> (a & 63)),
    narrow!("v_alignbit_b32", (a: u32, b: u32, c: u32) -> u32,
        ((u64::from(a) << 32 | u64::from(b)) >> (c & 31)) as u32),
    narrow!("v_alignbyte_b32", (a: u32, b: u32, c: u32) -> u32,
        ((u64::from(a) << 32 | u64::from(b)) >> (8 * (c & 3))) as u32),
    narrow!("v_bfm_b32", (a: u32, b: u32) -> u32, ((1 << (a & 31)) - 1) << (b & 31)),
];

const FIELDS: [Row; 10] = [
    narrow!("v_bfe_u32", (a: u32, b: u32, c: u32) -> u32, field(a, b, c)),
    narrow!("v_bfe_i32", (a: u32, b: u32, c: u32) -> i32, signed_field(a, b, c)),
    narrow!("v_perm_b32", (a: u32, b: u32, c: u32) -> u32, perm(a, b, c)),
    narrow!("v_bfrev_b32", (a: u32) -> u32, a.reverse_bits()),
    narrow!("v_bcnt_u32_b32", (a: u32, b: u32) -> u32, a.count_ones().wrapping_add(b)),
    narrow!("v_ffbh_u32", (a: u32) -> u32, if a == 0 { u32::MAX } else { a.leading_zeros() }),
    narrow!("v_ffbl_b32", (a: u32) -> u32, if a == 0 { u32::MAX } else { a.trailing_zeros() }),
    narrow!("v_ffbh_i32", (a: i32) -> i32, sign_run(a)),
    narrow!("v_pack_b32_f16", (a: u16, b: u16) -> u32, u32::from(a) | u32::from(b) << 16),
    narrow!("v_sat_pk_u8_i16", (a: u32) -> u32,
        (a as i16).clamp(0, 255) as u32 | (((a >> 16) as i16).clamp(0, 255) as u32 * 256)),
];

pub const ROWS: &[&[Row]] = &[&LOGIC, &SHIFTS, &FIELDS];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_bytes() {
        assert_eq!(field(0x1234, 4, 8), 0x23);
        assert_eq!(signed_field(0xf0, 4, 4), -1);
        assert_eq!(perm(0x0706_0504, 0x0302_0100, 0x0c0d_0007), 0x00ff_0007);
        assert_eq!(perm(0x8000_0000, 0, 0x0b0a_0908), 0xff00_0000);
        assert_eq!(sign_run(-1), -1);
        assert_eq!(sign_run(0x0fff_ffff), 4);
    }
}

//! Conversions between numbers. Floats become integers by truncation, held at the ends of the range; NaN becomes 0.
//!
//! Worked example: `v_cvt_u32_f32` of -3.5 is 0; `v_cvt_pkrtz_f16_f32` of (1, 65535) is 1 and 65504 in the high half,
//! rounded towards zero.

use half::{bf16, f16};

use super::{Row, narrow, wide};
use crate::value::{Half, flush};

/// f16 rounded towards zero.
pub fn toward_zero(value: f32) -> u16 {
    let near = f16::from_f32(value);
    if value.is_finite() && near.to_f32().abs() > value.abs() { near.to_bits() - 1 } else { near.to_bits() }
}

fn pair(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// A number in [-1, 1] as 16 bits of a signed fraction.
fn fraction(value: f32) -> u16 {
    (value.clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i16 as u16
}

fn unsigned_fraction(value: f32) -> u16 {
    (value.clamp(0.0, 1.0) * 65535.0).round_ties_even() as u16
}

fn byte_into(value: f32, byte: u32, word: u32) -> u32 {
    let shift = 8 * (byte & 3);
    word & !(0xff << shift) | (value.round_ties_even() as u8 as u32) << shift
}

const PLAIN: [Row; 20] = [
    narrow!("v_cvt_f16_f32", (a: f32) -> u16, f16::from_f32(a).to_bits()),
    narrow!("v_cvt_f32_f16", (a: Half) -> f32, a.0),
    wide!("v_cvt_f32_f64", (a: f64) -> f32, a as f32),
    wide!("v_cvt_f64_f32", (a: f32) -> f64, f64::from(a)),
    narrow!("v_cvt_f32_i32", (a: i32) -> f32, a as f32),
    narrow!("v_cvt_f32_u32", (a: u32) -> f32, a as f32),
    wide!("v_cvt_f64_i32", (a: i32) -> f64, f64::from(a)),
    wide!("v_cvt_f64_u32", (a: u32) -> f64, f64::from(a)),
    narrow!("v_cvt_i32_f32", (a: f32) -> i32, a as i32),
    narrow!("v_cvt_u32_f32", (a: f32) -> u32, a as u32),
    wide!("v_cvt_i32_f64", (a: f64) -> i32, a as i32),
    wide!("v_cvt_u32_f64", (a: f64) -> u32, a as u32),
    narrow!("v_cvt_f16_i16", (a: i16) -> Half, Half(f32::from(a))),
    narrow!("v_cvt_f16_u16", (a: u16) -> Half, Half(f32::from(a))),
    narrow!("v_cvt_i16_f16", (a: Half) -> i16, a.0 as i16),
    narrow!("v_cvt_u16_f16", (a: Half) -> u16, a.0 as u16),
    narrow!("v_cvt_rpi_i32_f32", (a: f32) -> i32, (a + 0.5).floor() as i32),
    narrow!("v_cvt_flr_i32_f32", (a: f32) -> i32, a.floor() as i32),
    narrow!("v_cvt_i32_i16", (a: i16) -> i32, i32::from(a)),
    narrow!("v_cvt_u32_u16", (a: u16) -> u32, u32::from(a)),
];

const BYTES: [Row; 6] = [
    narrow!("v_cvt_f32_ubyte0", (a: u32) -> f32, (a & 0xff) as f32),
    narrow!("v_cvt_f32_ubyte1", (a: u32) -> f32, (a >> 8 & 0xff) as f32),
    narrow!("v_cvt_f32_ubyte2", (a: u32) -> f32, (a >> 16 & 0xff) as f32),
    narrow!("v_cvt_f32_ubyte3", (a: u32) -> f32, (a >> 24) as f32),
    narrow!("v_cvt_pk_u8_f32", (a: f32, b: u32, c: u32) -> u32, byte_into(a, b, c)),
    narrow!("v_cvt_off_f32_i4", (a: u32) -> f32, ((a << 28) as i32 >> 28) as f32 / 16.0),
];

const PAIRS: [Row; 8] = [
    narrow!("v_cvt_pkrtz_f16_f32", (a: f32, b: f32) -> u32, pair(toward_zero(a), toward_zero(b))),
    narrow!("v_cvt_pk_f16_f32", (a: f32, b: f32) -> u32, pair(f16::from_f32(a).to_bits(), f16::from_f32(b).to_bits())),
    narrow!("v_cvt_pk_bf16_f32", (a: f32, b: f32) -> u32,
        pair(bf16::from_f32(a).to_bits(), bf16::from_f32(b).to_bits())),
    narrow!("v_cvt_pknorm_i16_f32", (a: f32, b: f32) -> u32, pair(fraction(flush(a)), fraction(flush(b)))),
    narrow!("v_cvt_pknorm_u16_f32", (a: f32, b: f32) -> u32, pair(unsigned_fraction(a), unsigned_fraction(b))),
    narrow!("v_cvt_pk_u16_u32", (a: u32, b: u32) -> u32, pair(a.min(0xffff) as u16, b.min(0xffff) as u16)),
    narrow!("v_cvt_pk_i16_i32", (a: i32, b: i32) -> u32,
        pair(a.clamp(-32768, 32767) as u16, b.clamp(-32768, 32767) as u16)),
    narrow!("v_cvt_f32_bf16", (a: u16) -> f32, f32::from_bits(u32::from(a) << 16)),
];

pub const ROWS: &[&[Row]] = &[&PLAIN, &BYTES, &PAIRS];

//! Integer arithmetic: sums, products, comparisons with a choice, sums with shifts.
//!
//! Worked example: `v_mul_hi_u32` of 2^31 and 6 is 3; `v_mad_i32_i24` reads the low 24 bits of its factors, signed.

use super::{Row, narrow, wide};

/// The low 24 bits.
fn low24(a: u32) -> u32 {
    a & 0xff_ffff
}

/// The low 24 bits, signed.
fn signed24(a: u32) -> i32 {
    (a << 8) as i32 >> 8
}

fn middle<T: Ord>(a: T, b: T, c: T) -> T {
    let mut three = [a, b, c];
    three.sort_unstable();
    let [_, middle, _] = three;
    middle
}

const SUMS: [Row; 18] = [
    narrow!("v_add_u32", (a: u32, b: u32) -> u32, a.wrapping_add(b)),
    narrow!("v_add_i32", (a: u32, b: u32) -> u32, a.wrapping_add(b)),
    narrow!("v_sub_u32", (a: u32, b: u32) -> u32, a.wrapping_sub(b)),
    narrow!("v_sub_i32", (a: u32, b: u32) -> u32, a.wrapping_sub(b)),
    narrow!("v_subrev_u32", (a: u32, b: u32) -> u32, b.wrapping_sub(a)),
    narrow!("v_add_u16", (a: u16, b: u16) -> u16, a.wrapping_add(b)),
    narrow!("v_add_i16", (a: u16, b: u16) -> u16, a.wrapping_add(b)),
    narrow!("v_sub_u16", (a: u16, b: u16) -> u16, a.wrapping_sub(b)),
    narrow!("v_sub_i16", (a: u16, b: u16) -> u16, a.wrapping_sub(b)),
    narrow!("v_subrev_u16", (a: u16, b: u16) -> u16, b.wrapping_sub(a)),
    wide!("v_add_nc_u64", (a: u64, b: u64) -> u64, a.wrapping_add(b)),
    wide!("v_sub_nc_u64", (a: u64, b: u64) -> u64, a.wrapping_sub(b)),
    narrow!("v_add3_u32", (a: u32, b: u32, c: u32) -> u32, a.wrapping_add(b).wrapping_add(c)),
    narrow!("v_lshl_add_u32", (a: u32, b: u32, c: u32) -> u32, (a << (b & 31)).wrapping_add(c)),
    narrow!("v_add_lshl_u32", (a: u32, b: u32, c: u32) -> u32, a.wrapping_add(b) << (c & 31)),
    narrow!("v_xad_u32", (a: u32, b: u32, c: u32) -> u32, (a ^ b).wrapping_add(c)),
    wide!("v_lshl_add_u64", (a: u64, b: u32, c: u64) -> u64, (a << (b & 7)).wrapping_add(c)),
    narrow!("v_sad_u32", (a: u32, b: u32, c: u32) -> u32, a.abs_diff(b).wrapping_add(c)),
];

/// Sums that stay at the end of their range: what `clamp` makes of integer sums.
const SATURATING: [Row; 13] = [
    narrow!("v_add_u32 clamp", (a: u32, b: u32) -> u32, a.saturating_add(b)),
    narrow!("v_add_i32 clamp", (a: i32, b: i32) -> i32, a.saturating_add(b)),
    narrow!("v_sub_u32 clamp", (a: u32, b: u32) -> u32, a.saturating_sub(b)),
    narrow!("v_sub_i32 clamp", (a: i32, b: i32) -> i32, a.saturating_sub(b)),
    narrow!("v_subrev_u32 clamp", (a: u32, b: u32) -> u32, b.saturating_sub(a)),
    narrow!("v_add_u16 clamp", (a: u16, b: u16) -> u16, a.saturating_add(b)),
    narrow!("v_add_i16 clamp", (a: i16, b: i16) -> i16, a.saturating_add(b)),
    narrow!("v_sub_u16 clamp", (a: u16, b: u16) -> u16, a.saturating_sub(b)),
    narrow!("v_sub_i16 clamp", (a: i16, b: i16) -> i16, a.saturating_sub(b)),
    narrow!("v_subrev_u16 clamp", (a: u16, b: u16) -> u16, b.saturating_sub(a)),
    narrow!("v_mad_u16 clamp", (a: u16, b: u16, c: u16) -> u16,
        (u32::from(a) * u32::from(b)).saturating_add(u32::from(c)).min(0xffff) as u16),
    narrow!("v_mad_u32_u24 clamp", (a: u32, b: u32, c: u32) -> u32,
        (u64::from(low24(a)) * u64::from(low24(b)) + u64::from(c)).min(u64::from(u32::MAX)) as u32),
    narrow!("v_mad_i32_i24 clamp", (a: u32, b: u32, c: i32) -> i32,
        (i64::from(signed24(a)) * i64::from(signed24(b)) + i64::from(c))
            .clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32),
];

const PRODUCTS: [Row; 17] = [
    narrow!("v_mul_lo_u32", (a: u32, b: u32) -> u32, a.wrapping_mul(b)),
    narrow!("v_mul_hi_u32", (a: u32, b: u32) -> u32, ((u64::from(a) * u64::from(b)) >> 32) as u32),
    narrow!("v_mul_hi_i32", (a: i32, b: i32) -> i32, ((i64::from(a) * i64::from(b)) >> 32) as i32),
    narrow!("v_mul_u32_u24", (a: u32, b: u32) -> u32, low24(a).wrapping_mul(low24(b))),
    narrow!("v_mul_i32_i24", (a: u32, b: u32) -> i32, signed24(a).wrapping_mul(signed24(b))),
    narrow!("v_mul_hi_u32_u24", (a: u32, b: u32) -> u32, ((u64::from(low24(a)) * u64::from(low24(b))) >> 32) as u32),
    narrow!("v_mul_hi_i32_i24", (a: u32, b: u32) -> i32,
        ((i64::from(signed24(a)) * i64::from(signed24(b))) >> 32) as i32),
    narrow!("v_mul_lo_u16", (a: u16, b: u16) -> u16, a.wrapping_mul(b)),
    narrow!("v_mad_u32_u24", (a: u32, b: u32, c: u32) -> u32, low24(a).wrapping_mul(low24(b)).wrapping_add(c)),
    narrow!("v_mad_i32_i24", (a: u32, b: u32, c: i32) -> i32, signed24(a).wrapping_mul(signed24(b)).wrapping_add(c)),
    narrow!("v_mad_u16", (a: u16, b: u16, c: u16) -> u16, a.wrapping_mul(b).wrapping_add(c)),
    narrow!("v_mad_i16", (a: u16, b: u16, c: u16) -> u16, a.wrapping_mul(b).wrapping_add(c)),
    narrow!("v_mad_u32_u16", (a: u16, b: u16, c: u32) -> u32, (u32::from(a) * u32::from(b)).wrapping_add(c)),
    narrow!("v_mad_i32_i16", (a: i16, b: i16, c: i32) -> i32, (i32::from(a) * i32::from(b)).wrapping_add(c)),
    narrow!("v_mad_legacy_u16", (a: u16, b: u16, c: u16) -> u16, a.wrapping_mul(b).wrapping_add(c)),
    narrow!("v_mad_legacy_i16", (a: u16, b: u16, c: u16) -> u16, a.wrapping_mul(b).wrapping_add(c)),
    wide!("v_mul_u64", (a: u64, b: u64) -> u64, a.wrapping_mul(b)),
];

const SELECT: [Row; 28] = [
    narrow!("v_max_u32", (a: u32, b: u32) -> u32, a.max(b)),
    narrow!("v_max_i32", (a: i32, b: i32) -> i32, a.max(b)),
    narrow!("v_min_u32", (a: u32, b: u32) -> u32, a.min(b)),
    narrow!("v_min_i32", (a: i32, b: i32) -> i32, a.min(b)),
    narrow!("v_max_u16", (a: u16, b: u16) -> u16, a.max(b)),
    narrow!("v_max_i16", (a: i16, b: i16) -> i16, a.max(b)),
    narrow!("v_min_u16", (a: u16, b: u16) -> u16, a.min(b)),
    narrow!("v_min_i16", (a: i16, b: i16) -> i16, a.min(b)),
    narrow!("v_max3_u32", (a: u32, b: u32, c: u32) -> u32, a.max(b).max(c)),
    narrow!("v_max3_i32", (a: i32, b: i32, c: i32) -> i32, a.max(b).max(c)),
    narrow!("v_min3_u32", (a: u32, b: u32, c: u32) -> u32, a.min(b).min(c)),
    narrow!("v_min3_i32", (a: i32, b: i32, c: i32) -> i32, a.min(b).min(c)),
    narrow!("v_med3_u32", (a: u32, b: u32, c: u32) -> u32, middle(a, b, c)),
    narrow!("v_med3_i32", (a: i32, b: i32, c: i32) -> i32, middle(a, b, c)),
    narrow!("v_max3_u16", (a: u16, b: u16, c: u16) -> u16, a.max(b).max(c)),
    narrow!("v_max3_i16", (a: i16, b: i16, c: i16) -> i16, a.max(b).max(c)),
    narrow!("v_min3_u16", (a: u16, b: u16, c: u16) -> u16, a.min(b).min(c)),
    narrow!("v_min3_i16", (a: i16, b: i16, c: i16) -> i16, a.min(b).min(c)),
    narrow!("v_med3_u16", (a: u16, b: u16, c: u16) -> u16, middle(a, b, c)),
    narrow!("v_med3_i16", (a: i16, b: i16, c: i16) -> i16, middle(a, b, c)),
    narrow!("v_maxmin_u32", (a: u32, b: u32, c: u32) -> u32, a.max(b).min(c)),
    narrow!("v_maxmin_i32", (a: i32, b: i32, c: i32) -> i32, a.max(b).min(c)),
    narrow!("v_minmax_u32", (a: u32, b: u32, c: u32) -> u32, a.min(b).max(c)),
    narrow!("v_minmax_i32", (a: i32, b: i32, c: i32) -> i32, a.min(b).max(c)),
    wide!("v_max_u64", (a: u64, b: u64) -> u64, a.max(b)),
    wide!("v_max_i64", (a: i64, b: i64) -> i64, a.max(b)),
    wide!("v_min_u64", (a: u64, b: u64) -> u64, a.min(b)),
    wide!("v_min_i64", (a: i64, b: i64) -> i64, a.min(b)),
];

pub const ROWS: &[&[Row]] = &[&SUMS, &SATURATING, &PRODUCTS, &SELECT];

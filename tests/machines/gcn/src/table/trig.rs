//! `v_trig_preop_f64`: 53 bits of 2/π from a place that depends on the exponent of the argument, for the reduction of
//! large angles.
//!
//! Worked example: for arguments below 2^55 segment 0 is the first 53 bits of 2/π, 0.636…; segment 1 the next 53.

use super::float::scale;
use super::{Row, wide};

/// The bits of 2/π behind the binary point, the first one on top.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

fn exponent(value: f64) -> u32 {
    (value.to_bits() >> 52 & 0x7ff) as u32
}

/// 53 bits from a bit on.
fn bits_from(shift: u32) -> u64 {
    let word = |at: u32| u128::from(TWO_OVER_PI.get(at as usize).copied().unwrap_or(0));
    let at = shift / 64;
    let window = word(at) << 64 | word(at + 1);
    (window << (shift % 64) >> 75) as u64
}

fn preop(value: f64, segment: u32) -> f64 {
    let exponent = exponent(value);
    let shift = (segment & 31) * 53 + exponent.saturating_sub(1077);
    let more = if exponent >= 1968 { 128 } else { 0 };
    scale(bits_from(shift) as f64, more - 53 - shift as i32)
}

pub const ROWS: &[&[Row]] = &[&[wide!("v_trig_preop_f64", (a: f64, b: u32) -> f64, preop(a, b))]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_add_up() {
        assert_eq!(preop(1.0, 0).to_bits(), 0x3fe4_5f30_6dc9_c882);
        assert_eq!(preop(1.0, 0) + preop(1.0, 1), std::f64::consts::FRAC_2_PI);
        assert_eq!(bits_from(64), TWO_OVER_PI[1] >> 11);
    }
}

//! Scalar instructions: what each computes from its sources, the old value of its destination and SCC.
//!
//! Widths are in words; a result of 0 words is SCC alone. Worked example: `s_add_u32` of 0xffffffff and 1 gives 0 and
//! SCC 1; `s_addc_u32` then adds the carry.

use crate::inst::{ScalarIn, ScalarOut};

/// How undefined bits of the sources flow into the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Any undefined bit makes all of the result undefined.
    All,
    /// Bit by bit.
    Bits,
    /// A defined 0 makes the result's bit defined; `second inverted` is the same with the second source turned.
    And,
    AndNot,
    /// A defined 1 does.
    Or,
    OrNot,
    /// Bits move by the second source.
    Left,
    Right,
    /// Only the bits of the field matter: its first bit and width are the second source.
    Field,
}

pub struct ScalarRow {
    pub name: &'static str,
    pub dst: u8,
    pub src: &'static [u8],
    pub flow: Flow,
    /// The last source is a 16-bit number of the instruction: 1 signed, 2 unsigned.
    pub short: u8,
    /// The destination's old value is `c`.
    pub reads_dst: bool,
    pub reads_scc: bool,
    pub f: fn(ScalarIn) -> ScalarOut,
}

const fn row(name: &'static str, dst: u8, src: &'static [u8], f: fn(ScalarIn) -> ScalarOut) -> ScalarRow {
    ScalarRow { name, dst, src, flow: Flow::All, short: 0, reads_dst: false, reads_scc: false, f }
}

impl ScalarRow {
    const fn flow(mut self, flow: Flow) -> ScalarRow {
        self.flow = flow;
        self
    }

    const fn short(mut self, short: u8) -> ScalarRow {
        self.short = short;
        self
    }

    const fn reads_dst(mut self) -> ScalarRow {
        self.reads_dst = true;
        self
    }

    const fn reads_scc(mut self) -> ScalarRow {
        self.reads_scc = true;
        self
    }
}

fn plain(d: u64) -> ScalarOut {
    ScalarOut { d, scc: None }
}

fn with(d: u64, scc: bool) -> ScalarOut {
    ScalarOut { d, scc: Some(scc) }
}

/// SCC tells whether the result is not zero.
fn some(d: u64) -> ScalarOut {
    with(d, d != 0)
}

fn some32(d: u32) -> ScalarOut {
    some(u64::from(d))
}

fn flag(scc: bool) -> ScalarOut {
    with(0, scc)
}

impl ScalarIn {
    fn a32(self) -> u32 {
        self.a as u32
    }

    fn b32(self) -> u32 {
        self.b as u32
    }

    fn signed(self) -> (i32, i32) {
        (self.a as i32, self.b as i32)
    }
}

fn overflow(sum: i64) -> ScalarOut {
    with(u64::from(sum as u32), i64::from(sum as i32) != sum)
}

fn field(a: u64, b: u64, bits: u32) -> u64 {
    let (from, width) = ((b as u32) & (bits - 1), (b >> 16) as u32 & 127);
    let shifted = a >> from;
    if width >= 64 { shifted } else { shifted & ((1 << width) - 1) }
}

fn signed_field(a: u64, b: u64, bits: u32) -> u64 {
    let (from, width) = ((b as u32) & (bits - 1), (b >> 16) as u32 & 127);
    if width == 0 {
        return 0;
    }
    let width = width.min(bits - from);
    let up = a << (64 - from - width);
    ((up as i64) >> (64 - width)) as u64
}

fn first(found: u32, bits: u32) -> ScalarOut {
    plain(u64::from(if found == bits { u32::MAX } else { found }))
}

/// Leading bits equal to the sign.
fn sign_run(a: i64, bits: u32) -> ScalarOut {
    let turned = if a < 0 { !a } else { a } as u64;
    let run = turned.leading_zeros() - (64 - bits);
    first(run, bits)
}

/// A mask without the upper half where the wave has only a low one.
fn low(value: u64) -> u64 {
    value & 0xffff_ffff
}

macro_rules! logic {
    ($name32:literal, $name64:literal, $flow:ident, |$a:ident, $b:ident| $e:expr) => {
        [
            row($name32, 1, &[1, 1], |i| {
                let ($a, $b) = (i.a, i.b);
                some(low($e))
            })
            .flow(Flow::$flow),
            row($name64, 2, &[2, 2], |i| {
                let ($a, $b) = (i.a, i.b);
                some($e)
            })
            .flow(Flow::$flow),
        ]
    };
}

macro_rules! unary {
    ($name32:literal, $name64:literal, $flow:ident, |$a:ident| $e:expr) => {
        [
            row($name32, 1, &[1], |i| {
                let $a = i.a;
                plain(low($e))
            })
            .flow(Flow::$flow),
            row($name64, 2, &[2], |i| {
                let $a = i.a;
                plain($e)
            })
            .flow(Flow::$flow),
        ]
    };
}

const LOGIC: [[ScalarRow; 2]; 9] = [
    logic!("s_and_b32", "s_and_b64", And, |a, b| a & b),
    logic!("s_or_b32", "s_or_b64", Or, |a, b| a | b),
    logic!("s_xor_b32", "s_xor_b64", Bits, |a, b| a ^ b),
    logic!("s_andn2_b32", "s_andn2_b64", AndNot, |a, b| a & !b),
    logic!("s_orn2_b32", "s_orn2_b64", OrNot, |a, b| a | !b),
    logic!("s_nand_b32", "s_nand_b64", And, |a, b| !(a & b)),
    logic!("s_nor_b32", "s_nor_b64", Or, |a, b| !(a | b)),
    logic!("s_xnor_b32", "s_xnor_b64", Bits, |a, b| !(a ^ b)),
    unary!("s_mov_b32", "s_mov_b64", Bits, |a| a),
];

const MOVES: [ScalarRow; 12] = [
    row("s_not_b32", 1, &[1], |i| some(low(!i.a))).flow(Flow::Bits),
    row("s_not_b64", 2, &[2], |i| some(!i.a)).flow(Flow::Bits),
    row("s_cselect_b32", 1, &[1, 1], |i| plain(if i.scc { i.a } else { i.b })).reads_scc(),
    row("s_cselect_b64", 2, &[2, 2], |i| plain(if i.scc { i.a } else { i.b })).reads_scc(),
    row("s_cmov_b32", 1, &[1], |i| plain(if i.scc { i.a } else { i.c })).reads_scc().reads_dst(),
    row("s_cmov_b64", 2, &[2], |i| plain(if i.scc { i.a } else { i.c })).reads_scc().reads_dst(),
    row("s_movk_i32", 1, &[1], |i| plain(i.a)).short(1),
    row("s_cmovk_i32", 1, &[1], |i| plain(if i.scc { i.a } else { i.c })).short(1).reads_scc().reads_dst(),
    row("s_sext_i32_i8", 1, &[1], |i| plain(u64::from(i.a as i8 as u32))),
    row("s_sext_i32_i16", 1, &[1], |i| plain(u64::from(i.a as i16 as u32))),
    row("s_wqm_b32", 1, &[1], |i| some(low(quads(i.a)))),
    row("s_wqm_b64", 2, &[2], |i| some(quads(i.a))),
];

/// All four bits of a group where one is set.
fn quads(a: u64) -> u64 {
    let any = (a | a >> 1 | a >> 2 | a >> 3) & 0x1111_1111_1111_1111;
    any * 15
}

const SUMS: [ScalarRow; 24] = [
    row("s_add_u32", 1, &[1, 1], |i| with(low(i.a + i.b), i.a + i.b > low(u64::MAX))),
    row("s_sub_u32", 1, &[1, 1], |i| with(low(i.a.wrapping_sub(i.b)), i.b > i.a)),
    row("s_addc_u32", 1, &[1, 1], |i| {
        let sum = i.a + i.b + u64::from(i.scc);
        with(low(sum), sum > low(u64::MAX))
    })
    .reads_scc(),
    row("s_subb_u32", 1, &[1, 1], |i| {
        let less = i.b + u64::from(i.scc);
        with(low(i.a.wrapping_sub(less)), less > i.a)
    })
    .reads_scc(),
    row("s_add_i32", 1, &[1, 1], |i| overflow(i64::from(i.a as i32) + i64::from(i.b as i32))),
    row("s_sub_i32", 1, &[1, 1], |i| overflow(i64::from(i.a as i32) - i64::from(i.b as i32))),
    row("s_addk_i32", 1, &[1], |i| overflow(i64::from(i.c as i32) + i64::from(i.a as i32))).short(1).reads_dst(),
    row("s_mulk_i32", 1, &[1], |i| plain(u64::from(i.c as u32).wrapping_mul(i.a) & 0xffff_ffff)).short(1).reads_dst(),
    row("s_mul_i32", 1, &[1, 1], |i| plain(low(i.a.wrapping_mul(i.b)))),
    row("s_mul_hi_u32", 1, &[1, 1], |i| plain((low(i.a) * low(i.b)) >> 32)),
    row("s_mul_hi_i32", 1, &[1, 1], |i| plain(low((i64::from(i.a as i32) * i64::from(i.b as i32)) as u64 >> 32))),
    row("s_mul_u64", 2, &[2, 2], |i| plain(i.a.wrapping_mul(i.b))),
    row("s_add_nc_u64", 2, &[2, 2], |i| plain(i.a.wrapping_add(i.b))),
    row("s_sub_nc_u64", 2, &[2, 2], |i| plain(i.a.wrapping_sub(i.b))),
    row("s_abs_i32", 1, &[1], |i| some32((i.a as i32).unsigned_abs())),
    row("s_absdiff_i32", 1, &[1, 1], |i| some32((i.a as i32).wrapping_sub(i.b as i32).unsigned_abs())),
    row("s_lshl1_add_u32", 1, &[1, 1], |i| with(low((low(i.a) << 1) + i.b), (low(i.a) << 1) + i.b > low(u64::MAX))),
    row("s_lshl2_add_u32", 1, &[1, 1], |i| with(low((low(i.a) << 2) + i.b), (low(i.a) << 2) + i.b > low(u64::MAX))),
    row("s_lshl3_add_u32", 1, &[1, 1], |i| with(low((low(i.a) << 3) + i.b), (low(i.a) << 3) + i.b > low(u64::MAX))),
    row("s_lshl4_add_u32", 1, &[1, 1], |i| with(low((low(i.a) << 4) + i.b), (low(i.a) << 4) + i.b > low(u64::MAX))),
    row("s_min_i32", 1, &[1, 1], |i| {
        with(if i.signed().0 < i.signed().1 { i.a } else { i.b }, i.signed().0 < i.signed().1)
    }),
    row("s_max_i32", 1, &[1, 1], |i| {
        with(if i.signed().0 >= i.signed().1 { i.a } else { i.b }, i.signed().0 >= i.signed().1)
    }),
    row("s_min_u32", 1, &[1, 1], |i| with(i.a.min(i.b), i.a32() < i.b32())),
    row("s_max_u32", 1, &[1, 1], |i| with(i.a.max(i.b), i.a32() >= i.b32())),
];

const SHIFTS: [ScalarRow; 14] = [
    row("s_lshl_b32", 1, &[1, 1], |i| some(low(i.a << (i.b & 31)))).flow(Flow::Left),
    row("s_lshl_b64", 2, &[2, 1], |i| some(i.a << (i.b & 63))).flow(Flow::Left),
    row("s_lshr_b32", 1, &[1, 1], |i| some(low(i.a) >> (i.b & 31))).flow(Flow::Right),
    row("s_lshr_b64", 2, &[2, 1], |i| some(i.a >> (i.b & 63))).flow(Flow::Right),
    row("s_ashr_i32", 1, &[1, 1], |i| some32((i.a as i32 >> (i.b & 31)) as u32)),
    row("s_ashr_i64", 2, &[2, 1], |i| some((i.a as i64 >> (i.b & 63)) as u64)),
    row("s_bfm_b32", 1, &[1, 1], |i| plain(low(((1u64 << (i.a & 31)) - 1) << (i.b & 31)))),
    row("s_bfm_b64", 2, &[1, 1], |i| plain(((1u64 << (i.a & 63)) - 1) << (i.b & 63))),
    row("s_bfe_u32", 1, &[1, 1], |i| some(field(low(i.a), i.b, 32))).flow(Flow::Field),
    row("s_bfe_u64", 2, &[2, 1], |i| some(field(i.a, i.b, 64))).flow(Flow::Field),
    row("s_bfe_i32", 1, &[1, 1], |i| some(low(signed_field(i.a, i.b, 32)))).flow(Flow::Field),
    row("s_bfe_i64", 2, &[2, 1], |i| some(signed_field(i.a, i.b, 64))).flow(Flow::Field),
    row("s_bitset0_b32", 1, &[1], |i| plain(low(i.c & !(1 << (i.a & 31))))).reads_dst(),
    row("s_bitset1_b32", 1, &[1], |i| plain(low(i.c | 1 << (i.a & 31)))).reads_dst(),
];

const COUNTS: [ScalarRow; 18] = [
    row("s_brev_b32", 1, &[1], |i| plain(u64::from(i.a32().reverse_bits()))),
    row("s_brev_b64", 2, &[2], |i| plain(i.a.reverse_bits())),
    row("s_bcnt0_i32_b32", 1, &[1], |i| some32(i.a32().count_zeros())),
    row("s_bcnt0_i32_b64", 1, &[2], |i| some32(i.a.count_zeros())),
    row("s_bcnt1_i32_b32", 1, &[1], |i| some32(i.a32().count_ones())),
    row("s_bcnt1_i32_b64", 1, &[2], |i| some32(i.a.count_ones())),
    row("s_ff0_i32_b32", 1, &[1], |i| first(i.a32().trailing_ones(), 32)),
    row("s_ff0_i32_b64", 1, &[2], |i| first(i.a.trailing_ones(), 64)),
    row("s_ff1_i32_b32", 1, &[1], |i| first(i.a32().trailing_zeros(), 32)),
    row("s_ff1_i32_b64", 1, &[2], |i| first(i.a.trailing_zeros(), 64)),
    row("s_flbit_i32_b32", 1, &[1], |i| first(i.a32().leading_zeros(), 32)),
    row("s_flbit_i32_b64", 1, &[2], |i| first(i.a.leading_zeros(), 64)),
    row("s_flbit_i32", 1, &[1], |i| sign_run(i64::from(i.a as i32), 32)),
    row("s_flbit_i32_i64", 1, &[2], |i| sign_run(i.a as i64, 64)),
    row("s_pack_ll_b32_b16", 1, &[1, 1], |i| plain(i.a & 0xffff | (i.b & 0xffff) << 16)),
    row("s_pack_lh_b32_b16", 1, &[1, 1], |i| plain(i.a & 0xffff | i.b & 0xffff_0000)),
    row("s_pack_hh_b32_b16", 1, &[1, 1], |i| plain(i.a >> 16 & 0xffff | i.b & 0xffff_0000)),
    row("s_pack_hl_b32_b16", 1, &[1, 1], |i| plain(i.a >> 16 & 0xffff | (i.b & 0xffff) << 16)),
];

macro_rules! compared {
    ($signed:literal, $unsigned:literal, $ksigned:literal, $kunsigned:literal, $op:tt) => {
        [
            row($signed, 0, &[1, 1], |i| flag(i.signed().0 $op i.signed().1)),
            row($unsigned, 0, &[1, 1], |i| flag(i.a32() $op i.b32())),
            row($ksigned, 0, &[1, 1], |i| flag(i.signed().0 $op i.signed().1)).short(1),
            row($kunsigned, 0, &[1, 1], |i| flag(i.a32() $op i.b32())).short(2),
        ]
    };
}

const COMPARED: [[ScalarRow; 4]; 6] = [
    compared!("s_cmp_eq_i32", "s_cmp_eq_u32", "s_cmpk_eq_i32", "s_cmpk_eq_u32", ==),
    compared!("s_cmp_lg_i32", "s_cmp_lg_u32", "s_cmpk_lg_i32", "s_cmpk_lg_u32", !=),
    compared!("s_cmp_lt_i32", "s_cmp_lt_u32", "s_cmpk_lt_i32", "s_cmpk_lt_u32", <),
    compared!("s_cmp_le_i32", "s_cmp_le_u32", "s_cmpk_le_i32", "s_cmpk_le_u32", <=),
    compared!("s_cmp_gt_i32", "s_cmp_gt_u32", "s_cmpk_gt_i32", "s_cmpk_gt_u32", >),
    compared!("s_cmp_ge_i32", "s_cmp_ge_u32", "s_cmpk_ge_i32", "s_cmpk_ge_u32", >=),
];

const TESTS: [ScalarRow; 6] = [
    row("s_cmp_eq_u64", 0, &[2, 2], |i| flag(i.a == i.b)),
    row("s_cmp_lg_u64", 0, &[2, 2], |i| flag(i.a != i.b)),
    row("s_bitcmp0_b32", 0, &[1, 1], |i| flag(i.a >> (i.b & 31) & 1 == 0)),
    row("s_bitcmp1_b32", 0, &[1, 1], |i| flag(i.a >> (i.b & 31) & 1 == 1)),
    row("s_bitcmp0_b64", 0, &[2, 1], |i| flag(i.a >> (i.b & 63) & 1 == 0)),
    row("s_bitcmp1_b64", 0, &[2, 1], |i| flag(i.a >> (i.b & 63) & 1 == 1)),
];

/// The row of a canonical mnemonic.
pub fn scalar(name: &str) -> Option<&'static ScalarRow> {
    let plain: [&[ScalarRow]; 5] = [&MOVES, &SUMS, &SHIFTS, &COUNTS, &TESTS];
    let logic = LOGIC.iter().flat_map(|pair| pair.iter());
    let compared = COMPARED.iter().flat_map(|four| four.iter());
    plain
        .into_iter()
        .flatten()
        .chain(logic)
        .chain(compared)
        .chain(super::scalar_float::ROWS)
        .chain(super::scalar_float::RELATIONS.iter().flatten())
        .find(|row| row.name == name)
}

/// A row of floats, for the table next to this one.
pub const fn float_row(name: &'static str, dst: u8, src: &'static [u8], f: fn(ScalarIn) -> ScalarOut) -> ScalarRow {
    row(name, dst, src, f)
}

/// A row of floats whose destination is its third operand.
pub const fn float_sum_row(name: &'static str, f: fn(ScalarIn) -> ScalarOut) -> ScalarRow {
    row(name, 1, &[1, 1], f).reads_dst()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, a: u64, b: u64, scc: bool) -> (u64, Option<bool>) {
        let out = (scalar(name).unwrap().f)(ScalarIn { a, b, c: 0, scc });
        (out.d, out.scc)
    }

    #[test]
    fn carries_and_fields() {
        assert_eq!(run("s_add_u32", 0xffff_ffff, 1, false), (0, Some(true)));
        assert_eq!(run("s_addc_u32", 0xffff_ffff, 0, true), (0, Some(true)));
        assert_eq!(run("s_subb_u32", 5, 5, true), (0xffff_ffff, Some(true)));
        assert_eq!(run("s_add_i32", 0x7fff_ffff, 1, false), (0x8000_0000, Some(true)));
        assert_eq!(run("s_bfe_u32", 0xabcd, 4 | 8 << 16, false), (0xbc, Some(true)));
        assert_eq!(run("s_bfe_i32", 0xf0, 4 | 4 << 16, false), (0xffff_ffff, Some(true)));
        assert_eq!(run("s_flbit_i32_b32", 1, 0, false).0, 31);
        assert_eq!(run("s_ff1_i32_b64", 0, 0, false).0, 0xffff_ffff);
        assert_eq!(run("s_mul_hi_i32", 0xffff_ffff, 2, false).0, 0xffff_ffff);
        assert_eq!(run("s_wqm_b32", 0x10, 0, false).0, 0xf0);
        assert_eq!(run("s_cmp_lt_i32", 0xffff_ffff, 0, false).1, Some(true));
    }
}

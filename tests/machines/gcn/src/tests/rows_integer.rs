//! Integers, bits, carries: a row a mnemonic.

use super::check;

const SUMS: &str = "
v_add_u32 v0, v1, v2 ; v1=0xffffffff v2=3 -> v0=2
v_add_u32 v0, v1, v2 clamp ; v1=0xffffffff v2=3 -> v0=0xffffffff
v_add_i32 v0, v1, v2 clamp ; v1=0x7fffffff v2=3 -> v0=0x7fffffff
v_sub_u32 v0, v1, v2 ; v1=1 v2=3 -> v0=-2
v_sub_u32 v0, v1, v2 clamp ; v1=1 v2=3 -> v0=0
v_subrev_u32 v0, v1, v2 ; v1=1 v2=3 -> v0=2
v_add_co_u32 v0, vcc, v1, v2 ; v1=0xffffffff v2=3 -> v0=2 vcc=0xffffffffffffffff
v_addc_co_u32 v0, vcc, v1, v2, vcc ; v1=1 v2=3 vcc=0x0000000000000001 -> v0@0=5 v0@1=4 vcc=0
v_sub_co_u32 v0, vcc, v1, v2 ; v1=1 v2=3 -> v0=-2 vcc=0xffffffffffffffff
v_subb_co_u32 v0, vcc, v1, v2, vcc ; v1=5 v2=3 vcc=0xffffffffffffffff -> v0=1 vcc=0
v_subbrev_co_u32 v0, vcc, v1, v2, vcc ; v1=3 v2=5 vcc=0xffffffffffffffff -> v0=1 vcc=0
v_add_u16 v0, v1, v2 ; v0=0xffff0000 v1=0xffff v2=3 -> v0=2
v_sub_u16 v0, v1, v2 ; v1=1 v2=3 -> v0=0xfffe
v_add_i16 v0, v1, v2 ; v0=0 v1=0x7fff v2=1 -> v0=0x8000
v_add3_u32 v0, v1, v2, v3 ; v1=1 v2=2 v3=3 -> v0=6
v_lshl_add_u32 v0, v1, v2, v3 ; v1=1 v2=4 v3=3 -> v0=19
v_add_lshl_u32 v0, v1, v2, v3 ; v1=1 v2=2 v3=3 -> v0=24
v_xad_u32 v0, v1, v2, v3 ; v1=5 v2=3 v3=1 -> v0=7
v_mul_lo_u32 v0, v1, v2 ; v1=0x10001 v2=0x10001 -> v0=0x20001
v_mul_hi_u32 v0, v1, v2 ; v1=0x80000000 v2=6 -> v0=3
v_mul_hi_i32 v0, v1, v2 ; v1=-1 v2=6 -> v0=-1
v_mul_lo_u16 v0, v1, v2 ; v1=0x101 v2=0x101 -> v0=0x0201
v_mul_u32_u24 v0, v1, v2 ; v1=0xff000003 v2=5 -> v0=15
v_mul_i32_i24 v0, v1, v2 ; v1=0x00ffffff v2=5 -> v0=-5
v_mul_hi_u32_u24 v0, v1, v2 ; v1=0x800000 v2=0x800000 -> v0=0x4000
v_mad_u32_u24 v0, v1, v2, v3 ; v1=3 v2=5 v3=1 -> v0=16
v_mad_i32_i24 v0, v1, v2, v3 ; v1=0x00ffffff v2=5 v3=1 -> v0=-4
v_mad_u64_u32 v[0:1], s[0:1], v2, v3, v[4:5] ; v2=0x80000000 v3=4 v4=1 v5=2 -> v0=1 v1=4 s[0:1]=0
v_mad_i64_i32 v[0:1], s[0:1], v2, v3, v[4:5] ; v2=-2 v3=3 v4=0 v5=0 -> v0=-6 v1=-1
v_mad_u16 v0, v1, v2, v3 ; v0=0 v1=3 v2=5 v3=1 -> v0=16
v_mad_legacy_u16 v0, v1, v2, v3 ; v0=-1 v1=3 v2=5 v3=1 -> v0=16
v_max_u32 v0, v1, v2 ; v1=-1 v2=3 -> v0=-1
v_max_i32 v0, v1, v2 ; v1=-1 v2=3 -> v0=3
v_min_u32 v0, v1, v2 ; v1=-1 v2=3 -> v0=3
v_min_i32 v0, v1, v2 ; v1=-1 v2=3 -> v0=-1
v_max_u16 v0, v1, v2 ; v1=0xffff v2=3 -> v0=0xffff
v_max_i16 v0, v1, v2 ; v1=0xffff v2=3 -> v0=3
v_min_u16 v0, v1, v2 ; v1=0xffff v2=3 -> v0=3
v_min_i16 v0, v1, v2 ; v1=0xffff v2=3 -> v0=0xffff
v_min3_u32 v0, v1, v2, v3 ; v1=3 v2=2 v3=5 -> v0=2
v_max3_i32 v0, v1, v2, v3 ; v1=-3 v2=2 v3=-5 -> v0=2
v_med3_i32 v0, v1, v2, v3 ; v1=-3 v2=2 v3=-5 -> v0=-3
v_med3_u32 v0, v1, v2, v3 ; v1=-3 v2=2 v3=-5 -> v0=-5
v_min3_i32 v0, v1, v2, v3 ; v1=-3 v2=2 v3=-5 -> v0=-5
v_max3_u32 v0, v1, v2, v3 ; v1=-3 v2=2 v3=5 -> v0=-3
v_max3_i16 v0, v1, v2, v3 ; v0=0 v1=0xffff v2=2 v3=0xfffe -> v0=2
v_min3_i16 v0, v1, v2, v3 ; v0=0 v1=0xffff v2=2 v3=0xfffe -> v0=0xfffe
v_med3_i16 v0, v1, v2, v3 ; v0=0 v1=0xffff v2=2 v3=0xfffe -> v0=0xffff
v_max3_u16 v0, v1, v2, v3 ; v0=0 v1=0xffff v2=2 v3=0xfffe -> v0=0xffff
v_min3_u16 v0, v1, v2, v3 ; v0=0 v1=0xffff v2=2 v3=0xfffe -> v0=2
v_sad_u32 v0, v1, v2, v3 ; v1=3 v2=10 v3=1 -> v0=8
v_pk_add_u16 v0, v1, v2 ; v1=0xffff0001 v2=0x00020003 -> v0=0x00010004
v_pk_mul_lo_u16 v0, v1, v2 ; v1=0x00050003 v2=0x00020004 -> v0=0x000a000c
v_pk_lshlrev_b16 v0, v1, v2 ; v1=0x00010002 v2=0x00010001 -> v0=0x00020004
v_pk_max_i16 v0, v1, v2 ; v1=0xffff0001 v2=0x00020000 -> v0=0x00020001
v_pk_min_i16 v0, v1, v2 ; v1=0xffff0001 v2=0x00020000 -> v0=0xffff0000
v_pk_min_u16 v0, v1, v2 ; v1=0xffff0001 v2=0x00020003 -> v0=0x00020001
v_pk_sub_i16 v0, v1, v2 ; v1=0x00050003 v2=0x00020004 -> v0=0x0003ffff
v_dot4_i32_i8 v0, v1, v2, v3 ; v1=0x01010101 v2=0x02ff0302 v3=10 -> v0=16
v_dot4c_i32_i8 v0, v1, v2 ; v0=10 v1=0x01010101 v2=0x02ff0302 -> v0=16
v_dot4_u32_u8 v0, v1, v2, v3 ; v1=0x01010101 v2=0x02ff0302 v3=10 -> v0=272
v_dot8_i32_i4 v0, v1, v2, v3 ; v1=0x11111111 v2=0x2222222f v3=0 -> v0=13
v_dot8_u32_u4 v0, v1, v2, v3 ; v1=0x11111111 v2=0x2222222f v3=0 -> v0=29
v_dot8c_i32_i4 v0, v1, v2 ; v0=5 v1=0x11111111 v2=0x2222222f -> v0=18
v_dot2_i32_i16 v0, v1, v2, v3 ; v1=0x0001ffff v2=0x00020003 v3=0 -> v0=-1
v_dot2c_i32_i16 v0, v1, v2 ; v0=3 v1=0x0001ffff v2=0x00020003 -> v0=2
v_dot2_u32_u16 v0, v1, v2, v3 ; v1=0x0001ffff v2=0x00020003 v3=0 -> v0=0x2ffff
";

const BITS: &str = "
v_mov_b32 v0, 0x12345678 ; -> v0=0x12345678
v_not_b32 v0, v1 ; v1=0xff -> v0=0xffffff00
v_and_b32 v0, v1, v2 ; v1=0xff v2=0x1234 -> v0=0x34
v_or_b32 v0, v1, v2 ; v1=0xff v2=0x1234 -> v0=0x12ff
v_xor_b32 v0, v1, v2 ; v1=0xff v2=0x1234 -> v0=0x12cb
v_xnor_b32 v0, v1, v2 ; v1=0xff v2=0x1234 -> v0=0xffffed34
v_and_or_b32 v0, v1, v2, v3 ; v1=0xff v2=0x1234 v3=0x10000 -> v0=0x10034
v_or3_b32 v0, v1, v2, v3 ; v1=1 v2=2 v3=4 -> v0=7
v_lshl_or_b32 v0, v1, v2, v3 ; v1=1 v2=4 v3=3 -> v0=19
v_bfi_b32 v0, v1, v2, v3 ; v1=0xff00 v2=0x1234 v3=0xabcd -> v0=0x12cd
v_bfe_u32 v0, v1, v2, v3 ; v1=0x1234 v2=4 v3=8 -> v0=0x23
v_bfe_i32 v0, v1, v2, v3 ; v1=0xf0 v2=4 v3=4 -> v0=-1
v_bfm_b32 v0, v1, v2 ; v1=4 v2=8 -> v0=0xf00
v_bfrev_b32 v0, v1 ; v1=1 -> v0=0x80000000
v_bcnt_u32_b32 v0, v1, v2 ; v1=0xf0f v2=1 -> v0=9
v_ffbh_u32 v0, v1 ; v1=0x00010000 -> v0=15
v_ffbh_i32 v0, v1 ; v1=-1 -> v0=-1
v_ffbl_b32 v0, v1 ; v1=0x00010000 -> v0=16
v_perm_b32 v0, v1, v2, v3 ; v1=0x07060504 v2=0x03020100 v3=0x0c0d0007 -> v0=0x00ff0007
v_alignbit_b32 v0, v1, v2, v3 ; v1=0x12345678 v2=0x9abcdef0 v3=8 -> v0=0x789abcde
v_alignbyte_b32 v0, v1, v2, v3 ; v1=0x12345678 v2=0x9abcdef0 v3=2 -> v0=0x56789abc
v_lshlrev_b32 v0, v1, v2 ; v1=36 v2=1 -> v0=16
v_lshrrev_b32 v0, v1, v2 ; v1=4 v2=0x100 -> v0=0x10
v_ashrrev_i32 v0, v1, v2 ; v1=4 v2=-256 -> v0=-16
v_lshlrev_b16 v0, v1, v2 ; v1=4 v2=0xfff -> v0=0xfff0
v_lshrrev_b16 v0, v1, v2 ; v1=4 v2=0xffff -> v0=0xfff
v_ashrrev_i16 v0, v1, v2 ; v1=4 v2=0xff00 -> v0=0xfff0
v_lshlrev_b64 v[0:1], v2, v[4:5] ; v2=36 v4=1 v5=0 -> v0=0 v1=16
v_lshrrev_b64 v[0:1], v2, v[4:5] ; v2=36 v4=0 v5=16 -> v0=1 v1=0
v_ashrrev_i64 v[0:1], v2, v[4:5] ; v2=36 v4=0 v5=0xffffff00 -> v0=-16 v1=-1
v_sat_pk_u8_i16 v0, v1 ; v1=0x0100ffff -> v0=0xff00
v_mul_lo_u16_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD \
    ; v1=0x1203 v2=5 -> v0=15
v_add_u16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0 \
    ; v0=7 v1=0x00030000 v2=5 -> v0=0x00080007
v_mov_b32_sdwa v0, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 ; v1=0x8000 -> v0=0xffffff80
v_cmp_eq_u32 vcc, v1, v2 ; v1=lane v2=3 -> vcc=0x0000000000000008
v_cmp_ne_u32 vcc, v1, v2 ; v1=3 v2=3 -> vcc=0
v_cmp_lt_u32 vcc, v1, v2 ; v1=-1 v2=3 -> vcc=0
v_cmp_lt_i32 vcc, v1, v2 ; v1=-1 v2=3 -> vcc=0xffffffffffffffff
v_cmp_gt_u32 vcc, v1, v2 ; v1=-1 v2=3 -> vcc=0xffffffffffffffff
v_cmp_gt_i32 vcc, v1, v2 ; v1=-1 v2=3 -> vcc=0
v_cmp_ge_u32 vcc, v1, v2 ; v1=3 v2=3 -> vcc=0xffffffffffffffff
v_cmp_le_u32 vcc, v1, v2 ; v1=4 v2=3 -> vcc=0
v_cmp_gt_i16 vcc, v1, v2 ; v1=0xffff v2=3 -> vcc=0
v_cmp_gt_u16 vcc, v1, v2 ; v1=0xffff v2=3 -> vcc=0xffffffffffffffff
v_cmp_ge_i32 vcc, v1, v2 ; v1=lane v2=62 -> vcc=0xc000000000000000
v_cmp_le_i32 vcc, v1, v2 ; v1=lane v2=1 -> vcc=0x0000000000000003
v_cmp_eq_u16 vcc, v1, v2 ; v1=0x10003 v2=3 -> vcc=0xffffffffffffffff
v_cmp_ne_u16 vcc, v1, v2 ; v1=0x10003 v2=3 -> vcc=0
v_cmp_lt_u16 vcc, v1, v2 ; v1=0x10002 v2=0xffff -> vcc=0xffffffffffffffff
v_cmp_eq_u64 vcc, v[2:3], v[4:5] ; v2=1 v3=2 v4=1 v5=2 -> vcc=0xffffffffffffffff
v_cmp_ne_u64 vcc, v[2:3], v[4:5] ; v2=1 v3=2 v4=1 v5=2 -> vcc=0
v_cmp_lt_u64 vcc, v[2:3], v[4:5] ; v2=1 v3=1 v4=0 v5=2 -> vcc=0xffffffffffffffff
v_cmp_lt_i64 vcc, v[2:3], v[4:5] ; v2=1 v3=-1 v4=0 v5=2 -> vcc=0xffffffffffffffff
v_cmp_gt_u64 vcc, v[2:3], v[4:5] ; v2=1 v3=-1 v4=0 v5=2 -> vcc=0xffffffffffffffff
v_cmp_gt_i64 vcc, v[2:3], v[4:5] ; v2=1 v3=-1 v4=0 v5=2 -> vcc=0
v_accvgpr_write_b32 a3, v1 ; v1=7 -> a3=7
v_accvgpr_read_b32 v0, a3 ; a3=7 -> v0=7
";

#[test]
fn sums_and_products() {
    check("gfx908", 64, SUMS);
}

#[test]
fn bits() {
    check("gfx908", 64, BITS);
}

#[test]
fn new_names() {
    let late = "
        v_add_nc_u32 v0, v1, v2 ; v1=-1 v2=3 -> v0=2
        v_sub_nc_u32 v0, v1, v2 ; v1=1 v2=3 -> v0=-2
        v_subrev_nc_u32 v0, v1, v2 ; v1=1 v2=3 -> v0=2
        v_add_co_u32 v0, vcc_lo, v1, v2 ; v1=-1 v2=3 -> v0=2 vcc_lo=-1
        v_add_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo ; v1=1 v2=3 vcc_lo=1 -> v0@0=5 v0@1=4
        v_sub_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo ; v1=5 v2=3 vcc_lo=-1 -> v0=1
        v_subrev_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo ; v1=3 v2=5 vcc_lo=-1 -> v0=1
    ";
    check("gfx1030", 32, late);
    let eleven = "
        v_clz_i32_u32 v0, v1 ; v1=0x00010000 -> v0=15
        v_ctz_i32_b32 v0, v1 ; v1=0x00010000 -> v0=16
        v_and_b16 v0.h, v1.l, v2.l ; v0=7 v1=0xff v2=0x1234 -> v0=0x00340007
        v_add_nc_u16 v0.l, v1.h, v2.l ; v0=0xabcd0000 v1=0x00030000 v2=5 -> v0=0xabcd0008
        v_mov_b16 v0.h, v1.l ; v0=7 v1=5 -> v0=0x00050007
        v_cndmask_b16 v0.l, v1.l, v2.l, s0 ; v0=0 v1=1 v2=2 s0=2 -> v0@0=1 v0@1=2
        v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,1,0] ; v1=0x01010101 v2=0x02ff0302 v3=10 -> v0=16
        v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,0,0] ; v1=0xff010101 v2=0x02ff0302 v3=10 -> v0=268
        v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[0,1,0] ; v1=0xff010101 v2=0x02ff0302 v3=10 -> v0=524
        v_dot4_i32_iu8 v0, v1, v2, v3 ; v1=0xff010101 v2=0x02ff0302 v3=10 -> v0=780
        v_dot2_f32_bf16 v0, v1, v2, v3 ; v1=0x3f804000 v2=0x40003f80 v3=0.5 -> v0=4.5
        v_minmax_i32 v0, v1, v2, v3 ; v1=1 v2=5 v3=3 -> v0=3
        v_mad_u64_u32 v[0:1], null, v2, v3, v[4:5] ; v2=3 v3=4 v4=1 v5=2 -> v0=13 v1=2
        v_dual_mov_b32 v0, v1 :: v_dual_lshlrev_b32 v3, 4, v5 ; v1=7 v5=1 -> v0=7 v3=16
        v_dual_mov_b32 v0, v1 :: v_dual_and_b32 v3, v4, v5 ; v1=7 v4=6 v5=3 -> v0=7 v3=2
        v_dual_cndmask_b32 v0, v1, v2 :: v_dual_mov_b32 v3, v0 ; v0=9 v1=7 v2=5 vcc_lo=1 -> v0@0=5 v0@1=7 v3=9
    ";
    check("gfx1100", 32, eleven);
    let fifty = "
        v_bitop3_b32 v0, v1, v2, v3 bitop3:0x40 ; v1=15 v2=7 v3=3 -> v0=4
        v_bitop3_b16 v0, v1, v2, v3 bitop3:0x80 ; v0=0 v1=15 v2=7 v3=3 -> v0=3
        v_lshl_add_u64 v[0:1], v[2:3], 3, v[4:5] ; v2=0x40000000 v3=0 v4=1 v5=1 -> v0=1 v1=3
        v_mov_b64 v[0:1], v[2:3] ; v2=1 v3=2 -> v0=1 v1=2
        v_dot2c_f32_bf16 v0, v1, v2 ; v0=0.5 v1=0x3f804000 v2=0x40003f80 -> v0=4.5
    ";
    check("gfx950", 64, fifty);
}

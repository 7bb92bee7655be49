//! Float arithmetic, conversions, comparisons: a row a mnemonic.

use super::check;

/// f32 and what all types share.
const SINGLE: &str = "
v_add_f32 v0, v1, v2 ; v1=1.5 v2=2.25 -> v0=3.75
v_add_f32 v0, |v1|, -v2 clamp ; v1=-1.5 v2=1.0 -> v0=0.5
v_add_f32 v0, v1, v2 mul:4 ; v1=1.0 v2=0.5 -> v0=6.0
v_sub_f32 v0, v1, v2 ; v1=1.0 v2=2.5 -> v0=-1.5
v_subrev_f32 v0, v1, v2 ; v1=1.0 v2=2.5 -> v0=1.5
v_mul_f32 v0, 0.5, v2 ; v2=-3.0 -> v0=-1.5
v_mul_legacy_f32 v0, v1, v2 ; v1=0.0 v2=inf -> v0=0.0
v_max_f32 v0, v1, v2 ; v1=NaN v2=2.0 -> v0=2.0
v_min_f32 v0, v1, v2 ; v1=-1.0 v2=2.0 -> v0=-1.0
v_max3_f32 v0, v1, v2, v3 ; v1=1.0 v2=3.0 v3=2.0 -> v0=3.0
v_min3_f32 v0, v1, v2, v3 ; v1=1.0 v2=3.0 v3=2.0 -> v0=1.0
v_med3_f32 v0, v1, v2, v3 ; v1=1.0 v2=3.0 v3=2.0 -> v0=2.0
v_fma_f32 v0, v1, v2, v3 ; v1=1.000244140625 v2=1.000244140625 v3=-1.0 -> v0=0x3a000400
v_fmac_f32 v0, v1, v2 ; v0=1.0 v1=2.0 v2=3.0 -> v0=7.0
v_mad_f32 v0, v1, v2, v3 ; v1=2.0 v2=3.0 v3=4.0 -> v0=10.0
v_mac_f32 v0, v1, v2 ; v0=1.0 v1=2.0 v2=3.0 -> v0=7.0
v_madmk_f32 v0, v1, 0x42480000, v2 ; v1=2.0 v2=1.0 -> v0=101.0
v_madak_f32 v0, v1, v2, 0x42480000 ; v1=2.0 v2=3.0 -> v0=56.0
v_ceil_f32 v0, v1 ; v1=1.25 -> v0=2.0
v_floor_f32 v0, v1 ; v1=-1.25 -> v0=-2.0
v_trunc_f32 v0, v1 ; v1=-1.75 -> v0=-1.0
v_rndne_f32 v0, v1 ; v1=2.5 -> v0=2.0
v_fract_f32 v0, v1 ; v1=-0.25 -> v0=0.75
v_rcp_f32 v0, v1 ; v1=4.0 -> v0=0.25
v_rcp_iflag_f32 v0, v1 ; v1=-2.0 -> v0=-0.5
v_rsq_f32 v0, v1 ; v1=4.0 -> v0=0.5
v_sqrt_f32 v0, v1 ; v1=9.0 -> v0=3.0
v_exp_f32 v0, v1 ; v1=3.0 -> v0=8.0
v_log_f32 v0, v1 ; v1=8.0 -> v0=3.0
v_sin_f32 v0, v1 ; v1=0.25 -> v0=1.0
v_cos_f32 v0, v1 ; v1=0.0 -> v0=1.0
v_ldexp_f32 v0, v1, v2 ; v1=3.0 v2=-1 -> v0=1.5
v_frexp_mant_f32 v0, v1 ; v1=-6.0 -> v0=-0.75
v_frexp_exp_i32_f32 v0, v1 ; v1=6.0 -> v0=3
v_div_scale_f32 v0, vcc, v1, v1, v2 ; v1=3.0 v2=1.0 -> v0=3.0 vcc=0
v_div_scale_f32 v0, vcc, v1, v1, v2 ; v1=1.0e-38 v2=1.0e38 -> vcc=0xffffffffffffffff
v_div_fmas_f32 v0, v1, v2, v3 ; v1=2.0 v2=3.0 v3=1.0 vcc=0 -> v0=7.0
v_div_fixup_f32 v0, v1, v2, v3 ; v1=0.5 v2=-2.0 v3=1.0 -> v0=-0.5
v_div_fixup_f32 v0, v1, v2, v3 ; v1=0.5 v2=0.0 v3=1.0 -> v0=inf
v_cndmask_b32 v0, v1, v2, vcc ; v1=1 v2=2 vcc=0x0000000000000002 -> v0@0=1 v0@1=2
v_cmp_lt_f32 vcc, v1, v2 ; v1=1.0 v2=2.0 -> vcc=0xffffffffffffffff
v_cmp_eq_f32 vcc, v1, v2 ; v1=1.0 v2=1.0 exec=0x0000000f -> vcc=0x0000000f
v_cmp_le_f32 vcc, v1, v2 ; v1=1.0 v2=NaN -> vcc=0
v_cmp_gt_f32 vcc, v1, v2 ; v1=3.0 v2=2.0 -> vcc=0xffffffffffffffff
v_cmp_ge_f32 vcc, v1, v2 ; v1=2.0 v2=2.0 -> vcc=0xffffffffffffffff
v_cmp_lg_f32 vcc, v1, v2 ; v1=NaN v2=2.0 -> vcc=0
v_cmp_neq_f32 vcc, v1, v2 ; v1=NaN v2=2.0 -> vcc=0xffffffffffffffff
v_cmp_nge_f32 vcc, v1, v2 ; v1=NaN v2=2.0 -> vcc=0xffffffffffffffff
v_cmp_ngt_f32 vcc, v1, v2 ; v1=3.0 v2=2.0 -> vcc=0
v_cmp_nlg_f32 vcc, v1, v2 ; v1=2.0 v2=2.0 -> vcc=0xffffffffffffffff
v_cmp_nlt_f32 vcc, v1, v2 ; v1=1.0 v2=2.0 -> vcc=0
v_cmp_nle_f32 vcc, v1, v2 ; v1=1.0 v2=2.0 -> vcc=0
v_cmp_o_f32 vcc, v1, v2 ; v1=1.0 v2=2.0 -> vcc=0xffffffffffffffff
v_cmp_u_f32 vcc, v1, v2 ; v1=NaN v2=2.0 -> vcc=0xffffffffffffffff
v_cmp_class_f32 vcc, v1, v2 ; v1=-inf v2=4 -> vcc=0xffffffffffffffff
v_cmpx_lt_f32 vcc, v1, v2 ; v1=lane v2=4 -> exec=0x0000000f vcc=0x0000000f
";

const HALF: &str = "
v_add_f16 v0, v1, v2 ; v0=0xffffffff v1=1.5h v2=2.25h -> v0=3.75h
v_sub_f16 v0, v1, v2 ; v1=1.0h v2=2.5h -> v0=-1.5h
v_mul_f16 v0, 0.5, v2 ; v2=-3.0h -> v0=-1.5h
v_max_f16 v0, v1, v2 ; v1=1.0h v2=2.0h -> v0=2.0h
v_min_f16 v0, v1, v2 ; v1=1.0h v2=2.0h -> v0=1.0h
v_fma_f16 v0, v1, v2, v3 ; v0=0xabcd0000 v1=2.0h v2=3.0h v3=1.0h -> v0=0xabcd4700
v_fma_f16 v0, v1, v2, v3 op_sel:[1,0,0,1] ; v0=0x0000abcd v1=0x40000000 v2=3.0h v3=1.0h -> v0=0x4700abcd
v_ceil_f16 v0, v1 ; v1=1.25h -> v0=2.0h
v_floor_f16 v0, v1 ; v1=-1.25h -> v0=-2.0h
v_trunc_f16 v0, v1 ; v1=-1.75h -> v0=-1.0h
v_rndne_f16 v0, v1 ; v1=3.5h -> v0=4.0h
v_fract_f16 v0, v1 ; v1=-0.25h -> v0=0.75h
v_rcp_f16 v0, v1 ; v1=4.0h -> v0=0.25h
v_rsq_f16 v0, v1 ; v1=4.0h -> v0=0.5h
v_sqrt_f16 v0, v1 ; v1=9.0h -> v0=3.0h
v_exp_f16 v0, v1 ; v1=3.0h -> v0=8.0h
v_log_f16 v0, v1 ; v1=8.0h -> v0=3.0h
v_ldexp_f16 v0, v1, v2 ; v1=3.0h v2=1 -> v0=6.0h
v_div_fixup_f16 v0, v1, v2, v3 ; v0=0 v1=0.5h v2=-2.0h v3=1.0h -> v0=-0.5h
v_cmp_lt_f16 vcc, v1, v2 ; v1=1.0h v2=2.0h -> vcc=0xffffffffffffffff
v_cmp_eq_f16 vcc, v1, v2 ; v1=1.0h v2=2.0h -> vcc=0
v_cmp_le_f16 vcc, v1, v2 ; v1=2.0h v2=2.0h -> vcc=0xffffffffffffffff
v_cmp_gt_f16 vcc, v1, v2 ; v1=1.0h v2=2.0h -> vcc=0
v_cmp_ge_f16 vcc, v1, v2 ; v1=2.0h v2=2.0h -> vcc=0xffffffffffffffff
v_cmp_lg_f16 vcc, v1, v2 ; v1=1.0h v2=2.0h -> vcc=0xffffffffffffffff
v_cmp_neq_f16 vcc, v1, v2 ; v1=0x7e00 v2=2.0h -> vcc=0xffffffffffffffff
v_cmp_nge_f16 vcc, v1, v2 ; v1=1.0h v2=2.0h -> vcc=0xffffffffffffffff
v_cmp_nlg_f16 vcc, v1, v2 ; v1=0x7e00 v2=2.0h -> vcc=0xffffffffffffffff
v_cmp_o_f16 vcc, v1, v2 ; v1=0x7e00 v2=2.0h -> vcc=0
v_cmp_u_f16 vcc, v1, v2 ; v1=0x7e00 v2=2.0h -> vcc=0xffffffffffffffff
v_cmp_class_f16 vcc, v1, v2 ; v1=0x0001 v2=0x80 -> vcc=0xffffffffffffffff
v_pk_add_f16 v0, v1, v2 ; v1=0x3c004000 v2=0x40003c00 -> v0=0x42004200
v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] ; v1=0x3c004000 v2=0 -> v0=0x40003c00
v_pk_mul_f16 v0, v1, v2 ; v1=0x40004200 v2=0x3c004000 -> v0=0x40004600
v_pk_fma_f16 v0, v1, v2, v3 ; v1=0x40004000 v2=0x3c004000 v3=0x3c003c00 -> v0=0x42004500
v_pk_max_f16 v0, v1, v2 neg_lo:[1,0] ; v1=0x40004200 v2=0x3c00c500 -> v0=0x4000c200
v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,0] ; v1=0x40000000 v2=3.0 v3=1.0 -> v0=7.0
v_fma_mixlo_f16 v0, v1, v2, v3 ; v0=0xabcd0000 v1=2.0 v2=3.0 v3=1.0 -> v0=0xabcd4700
v_fma_mixhi_f16 v0, v1, v2, v3 ; v0=0x0000abcd v1=2.0 v2=3.0 v3=1.0 -> v0=0x4700abcd
v_dot2_f32_f16 v0, v1, v2, v3 ; v1=0x3c004000 v2=0x40003c00 v3=0.5 -> v0=4.5
v_dot2c_f32_f16 v0, v1, v2 ; v0=0.5 v1=0x3c004000 v2=0x40003c00 -> v0=4.5
v_pack_b32_f16 v0, v1, v2 ; v1=1.0h v2=2.0h -> v0=0x40003c00
v_mad_legacy_f16 v0, v1, v2, v3 ; v0=0xffffffff v1=2.0h v2=3.0h v3=1.0h -> v0=7.0h
";

const DOUBLE: &str = "
v_add_f64 v[0:1], v[2:3], v[4:5] ; v[2:3]=1.5d v[4:5]=2.25d -> v[0:1]=3.75d
v_mul_f64 v[0:1], v[2:3], -v[4:5] ; v[2:3]=1.5d v[4:5]=2.0d -> v[0:1]=-3.0d
v_max_f64 v[0:1], v[2:3], v[4:5] ; v[2:3]=1.5d v[4:5]=2.0d -> v[0:1]=2.0d
v_min_f64 v[0:1], v[2:3], v[4:5] ; v[2:3]=1.5d v[4:5]=2.0d -> v[0:1]=1.5d
v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7] ; v[2:3]=1.5d v[4:5]=2.0d v[6:7]=1.0d -> v[0:1]=4.0d
v_ceil_f64 v[0:1], v[2:3] ; v[2:3]=1.5d -> v[0:1]=2.0d
v_floor_f64 v[0:1], v[2:3] ; v[2:3]=-1.5d -> v[0:1]=-2.0d
v_trunc_f64 v[0:1], v[2:3] ; v[2:3]=-1.5d -> v[0:1]=-1.0d
v_rndne_f64 v[0:1], v[2:3] ; v[2:3]=0.5d -> v[0:1]=0.0d
v_fract_f64 v[0:1], v[2:3] ; v[2:3]=-0.25d -> v[0:1]=0.75d
v_rcp_f64 v[0:1], v[2:3] ; v[2:3]=4.0d -> v[0:1]=0.25d
v_rsq_f64 v[0:1], v[2:3] ; v[2:3]=4.0d -> v[0:1]=0.5d
v_sqrt_f64 v[0:1], v[2:3] ; v[2:3]=9.0d -> v[0:1]=3.0d
v_ldexp_f64 v[0:1], v[2:3], v4 ; v[2:3]=3.0d v4=2 -> v[0:1]=12.0d
v_frexp_mant_f64 v[0:1], v[2:3] ; v[2:3]=6.0d -> v[0:1]=0.75d
v_frexp_exp_i32_f64 v0, v[2:3] ; v[2:3]=6.0d -> v0=3
v_div_scale_f64 v[0:1], vcc, v[2:3], v[2:3], v[4:5] ; v[2:3]=3.0d v[4:5]=1.0d -> v[0:1]=3.0d vcc=0
v_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7] ; v[2:3]=3.0d v[4:5]=1.0d v[6:7]=1.0d vcc=0 -> v[0:1]=4.0d
v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7] ; v[2:3]=3.0d v[4:5]=-1.0d v[6:7]=1.0d -> v[0:1]=-3.0d
v_trig_preop_f64 v[0:1], v[2:3], 0 ; v[2:3]=1.0d -> v0=0x6dc9c882 v1=0x3fe45f30
v_cmp_lt_f64 vcc, v[2:3], v[4:5] ; v[2:3]=1.5d v[4:5]=2.0d -> vcc=0xffffffffffffffff
v_cmp_eq_f64 vcc, v[2:3], v[4:5] ; v[2:3]=1.5d v[4:5]=2.0d -> vcc=0
v_cmp_le_f64 vcc, v[2:3], v[4:5] ; v[2:3]=1.5d v[4:5]=2.0d -> vcc=0xffffffffffffffff
v_cmp_gt_f64 vcc, v[2:3], v[4:5] ; v[2:3]=1.5d v[4:5]=2.0d -> vcc=0
v_cmp_ge_f64 vcc, v[2:3], v[4:5] ; v[2:3]=1.5d v[4:5]=2.0d -> vcc=0
v_cmp_lg_f64 vcc, v[2:3], v[4:5] ; v[2:3]=1.5d v[4:5]=2.0d -> vcc=0xffffffffffffffff
v_cmp_neq_f64 vcc, v[2:3], v[4:5] ; v[2:3]=NaNd v[4:5]=2.0d -> vcc=0xffffffffffffffff
v_cmp_nge_f64 vcc, v[2:3], v[4:5] ; v[2:3]=NaNd v[4:5]=2.0d -> vcc=0xffffffffffffffff
v_cmp_ngt_f64 vcc, v[2:3], v[4:5] ; v[2:3]=3.0d v[4:5]=2.0d -> vcc=0
v_cmp_nlt_f64 vcc, v[2:3], v[4:5] ; v[2:3]=3.0d v[4:5]=2.0d -> vcc=0xffffffffffffffff
v_cmp_o_f64 vcc, v[2:3], v[4:5] ; v[2:3]=NaNd v[4:5]=2.0d -> vcc=0
v_cmp_u_f64 vcc, v[2:3], v[4:5] ; v[2:3]=NaNd v[4:5]=2.0d -> vcc=0xffffffffffffffff
v_cmp_class_f64 vcc, v[2:3], v4 ; v[2:3]=infd v4=0x200 -> vcc=0xffffffffffffffff
";

const CONVERSIONS: &str = "
v_cvt_f16_f32 v0, v1 ; v0=0xffff0000 v1=1.5 -> v0=1.5h
v_cvt_f32_f16 v0, v1 ; v1=0xffff3e00 -> v0=1.5
v_cvt_f32_f64 v0, v[2:3] ; v[2:3]=1.5d -> v0=1.5
v_cvt_f64_f32 v[0:1], v2 ; v2=1.5 -> v[0:1]=1.5d
v_cvt_f32_i32 v0, v1 ; v1=-3 -> v0=-3.0
v_cvt_f32_u32 v0, v1 ; v1=0xffffffff -> v0=4294967296.0
v_cvt_f64_i32 v[0:1], v2 ; v2=-3 -> v[0:1]=-3.0d
v_cvt_f64_u32 v[0:1], v2 ; v2=3 -> v[0:1]=3.0d
v_cvt_i32_f32 v0, v1 ; v1=-3.75 -> v0=-3
v_cvt_i32_f32 v0, v1 ; v1=3e9 -> v0=0x7fffffff
v_cvt_u32_f32 v0, v1 ; v1=-3.75 -> v0=0
v_cvt_u32_f32 v0, v1 ; v1=NaN -> v0=0
v_cvt_i32_f64 v0, v[2:3] ; v[2:3]=-3.75d -> v0=-3
v_cvt_u32_f64 v0, v[2:3] ; v[2:3]=3.75d -> v0=3
v_cvt_f16_i16 v0, v1 ; v1=0xfffd -> v0=-3.0h
v_cvt_f16_u16 v0, v1 ; v1=3 -> v0=3.0h
v_cvt_i16_f16 v0, v1 ; v1=-3.5h -> v0=0xfffd
v_cvt_u16_f16 v0, v1 ; v1=3.5h -> v0=3
v_cvt_f32_ubyte0 v0, v1 ; v1=0x04030201 -> v0=1.0
v_cvt_f32_ubyte1 v0, v1 ; v1=0x04030201 -> v0=2.0
v_cvt_f32_ubyte2 v0, v1 ; v1=0x04030201 -> v0=3.0
v_cvt_f32_ubyte3 v0, v1 ; v1=0x04030201 -> v0=4.0
v_cvt_pkrtz_f16_f32 v0, v1, v2 ; v1=1.0 v2=65535.0 -> v0=0x7bff3c00
v_cvt_pk_u8_f32 v0, v1, 1, v3 ; v1=7.0 v3=0xaabbccdd -> v0=0xaabb07dd
v_cvt_pknorm_i16_f32 v0, v1, v2 ; v1=1.0 v2=-1.0 -> v0=0x80017fff
v_cvt_rpi_i32_f32 v0, v1 ; v1=1.5 -> v0=2
v_cvt_flr_i32_f32 v0, v1 ; v1=-1.5 -> v0=-2
";

#[test]
fn singles() {
    check("gfx908", 64, SINGLE);
}

#[test]
fn halves() {
    check("gfx908", 64, HALF);
}

#[test]
fn doubles() {
    check("gfx908", 64, DOUBLE);
}

#[test]
fn conversions() {
    check("gfx908", 64, CONVERSIONS);
}

#[test]
fn pairs_of_floats() {
    let rows = "
        v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] ; v2=1.0 v3=2.0 v4=3.0 v5=4.0 v6=0.5 v7=0.25 -> v0=3.5 v1=8.25
        v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,1] ; v2=1.0 v3=2.0 v4=3.0 v5=4.0 -> v0=6.0 v1=4.0
        v_pk_add_f32 v[0:1], v[2:3], 1.0 op_sel_hi:[1,0] ; v2=1.0 v3=2.0 -> v0=2.0 v1=3.0
        v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[0,1] ; v2=1 v3=2 v4=3 v5=4 -> v0=1 v1=4
        v_fmac_f64 v[0:1], v[2:3], v[4:5] ; v[0:1]=1.0d v[2:3]=2.0d v[4:5]=3.0d -> v[0:1]=7.0d
    ";
    check("gfx90a", 64, rows);
    check("gfx942", 64, rows);
}

#[test]
fn eight_bits() {
    let fnuz = "
        v_cvt_f32_fp8 v0, v1 ; v1=0x40 -> v0=1.0
        v_cvt_f32_bf8 v0, v1 ; v1=0x40 -> v0=1.0
        v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_2 ; v1=0x00480000 -> v0=2.0
        v_cvt_pk_f32_fp8 v[0:1], v2 ; v2=0x4840 -> v0=1.0 v1=2.0
        v_cvt_pk_f32_fp8_sdwa v[0:1], v2 src0_sel:WORD_1 ; v2=0x48400000 -> v0=1.0 v1=2.0
        v_cvt_pk_f32_bf8_sdwa v[0:1], v2 src0_sel:WORD_1 ; v2=0x44400000 -> v0=1.0 v1=2.0
        v_cvt_pk_fp8_f32 v0, v1, v2 ; v0=0xabcd0000 v1=1.0 v2=2.0 -> v0=0xabcd4840
        v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1] ; v0=0x0000abcd v1=1.0 v2=2.0 -> v0=0x4840abcd
    ";
    let ocp = "
        v_cvt_f32_fp8 v0, v1 ; v1=0x38 -> v0=1.0
        v_cvt_pk_bf8_f32 v0, v1, v2 ; v0=0 v1=1.0 v2=-2.0 -> v0=0xc03c
        v_cvt_pk_bf16_f32 v0, v1, v2 ; v1=1.0 v2=-2.0 -> v0=0xc0003f80
        v_cvt_pk_f16_f32 v0, v1, v2 ; v1=1.0 v2=-2.0 -> v0=0xc0003c00
    ";
    check("gfx942", 64, fnuz);
    check("gfx950", 64, ocp);
    let twelve = "
        v_cvt_f32_fp8 v0, v1 ; v1=0x38 -> v0=1.0
        v_cvt_pk_f32_fp8 v[0:1], v2 ; v2=0x4038 -> v0=1.0 v1=2.0
        v_cvt_pk_f32_fp8_e64 v[0:1], v2 op_sel:[1,0] ; v2=0x40380000 -> v0=1.0 v1=2.0
        v_cvt_pk_f32_bf8_e64 v[0:1], v2 op_sel:[1,0] ; v2=0x403c0000 -> v0=1.0 v1=2.0
    ";
    check("gfx1200", 32, twelve);
}

#[test]
fn new_names() {
    let eleven = "
        v_add_f16 v0.l, v1.h, v2.l ; v0=0xabcd0000 v1=0x3c000000 v2=1.0h -> v0=0xabcd4000
        v_fmaak_f32 v0, v1, v2, 0x42480000 ; v1=2.0 v2=3.0 -> v0=56.0
        v_fmamk_f32 v0, v1, 0x42480000, v2 ; v1=2.0 v2=1.0 -> v0=101.0
        v_dual_mul_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5 ; v1=2.0 v2=3.0 v4=1.0 v5=0.5 -> v0=6.0 v3=1.5
        v_cmpx_lt_f32 v1, v2 ; v1=1.0 v2=2.0 exec=0x0000000f -> exec=0x0000000f
        v_maxmin_f32 v0, v1, v2, v3 ; v1=1.0 v2=3.0 v3=2.0 -> v0=2.0
        v_cvt_pk_rtz_f16_f32 v0, v1, v2 ; v1=1.0 v2=2.0 -> v0=0x40003c00
    ";
    let twelve = "
        v_max_num_f32 v0, v1, v2 ; v1=NaN v2=2.0 -> v0=2.0
        v_maximum_f32 v0, v1, v2 ; v1=3.0 v2=2.0 -> v0=3.0
        v_s_rcp_f32 s0, s1 ; s1=4.0 -> s0=0.25
        v_dual_max_num_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4 ; v1=2.0 v2=3.0 v4=7 -> v0=3.0 v3=7
    ";
    check("gfx1100", 32, eleven);
    check("gfx1200", 32, twelve);
}

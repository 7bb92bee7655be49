//! Scalar instructions.

use super::check;

const SCALAR: &str = "
s_mov_b32 s0, 0x12345678 ; -> s0=0x12345678
s_mov_b64 s[0:1], -1 ; -> s0=-1 s1=-1
s_movk_i32 s0, 0xff00 ; -> s0=0xffffff00
s_add_u32 s0, s1, s2 ; s1=-1 s2=1 -> s0=0 scc=1
s_addc_u32 s0, s1, s2 ; s1=1 s2=1 scc=1 -> s0=3 scc=0
s_sub_u32 s0, s1, s2 ; s1=1 s2=2 -> s0=-1 scc=1
s_subb_u32 s0, s1, s2 ; s1=5 s2=2 scc=1 -> s0=2 scc=0
s_add_i32 s0, s1, s2 ; s1=0x7fffffff s2=1 -> s0=0x80000000 scc=1
s_sub_i32 s0, s1, s2 ; s1=3 s2=5 -> s0=-2 scc=0
s_addk_i32 s0, 0x10 ; s0=1 -> s0=17 scc=0
s_mulk_i32 s0, 0xfffe ; s0=3 -> s0=-6
s_mul_i32 s0, s1, s2 ; s1=-3 s2=5 -> s0=-15
s_mul_hi_u32 s0, s1, s2 ; s1=0x80000000 s2=6 -> s0=3
s_mul_hi_i32 s0, s1, s2 ; s1=-1 s2=6 -> s0=-1
s_min_u32 s0, s1, s2 ; s1=-1 s2=6 -> s0=6 scc=0
s_max_u32 s0, s1, s2 ; s1=-1 s2=6 -> s0=-1 scc=1
s_min_i32 s0, s1, s2 ; s1=-1 s2=6 -> s0=-1 scc=1
s_max_i32 s0, s1, s2 ; s1=-1 s2=6 -> s0=6 scc=0
s_and_b32 s0, s1, s2 ; s1=12 s2=10 -> s0=8 scc=1
s_and_b64 s[0:1], s[2:3], s[4:5] ; s[2:3]=0x00000001ffffffff s[4:5]=0x0000000300000000 -> s0=0 s1=1 scc=1
s_or_b32 s0, s1, s2 ; s1=12 s2=10 -> s0=14 scc=1
s_or_b64 s[0:1], s[2:3], s[4:5] ; s[2:3]=0x0000000100000000 s[4:5]=0x0000000000000002 -> s0=2 s1=1 scc=1
s_xor_b32 s0, s1, s2 ; s1=12 s2=10 -> s0=6 scc=1
s_xor_b64 s[0:1], s[2:3], s[2:3] ; s[2:3]=0x0000000100000000 -> s0=0 s1=0 scc=0
s_andn2_b64 s[0:1], s[2:3], s[4:5] ; s[2:3]=0x000000000000000f s[4:5]=0x0000000000000005 -> s0=10 s1=0 scc=1
s_orn2_b64 s[0:1], s[2:3], s[4:5] ; s[2:3]=0x0000000000000000 s[4:5]=0x00000000ffffffff -> s0=0 s1=-1 scc=1
s_not_b32 s0, s1 ; s1=-1 -> s0=0 scc=0
s_not_b64 s[0:1], s[2:3] ; s[2:3]=0x00000000ffffffff -> s0=0 s1=-1 scc=1
s_lshl_b32 s0, s1, 4 ; s1=3 -> s0=48 scc=1
s_lshl_b64 s[0:1], s[2:3], 36 ; s[2:3]=0x0000000000000001 -> s0=0 s1=16 scc=1
s_lshr_b32 s0, s1, 4 ; s1=48 -> s0=3 scc=1
s_lshr_b64 s[0:1], s[2:3], 36 ; s[2:3]=0x0000001000000000 -> s0=1 s1=0 scc=1
s_ashr_i32 s0, s1, 4 ; s1=-48 -> s0=-3 scc=1
s_ashr_i64 s[0:1], s[2:3], 36 ; s[2:3]=0xfffffff000000000 -> s0=-1 s1=-1 scc=1
s_bfe_u32 s0, s1, 0x80004 ; s1=0xabcd -> s0=0xbc scc=1
s_bfe_i32 s0, s1, 0x40004 ; s1=0xf0 -> s0=-1 scc=1
s_bfe_i64 s[0:1], s[2:3], 0x80000 ; s2=0xff -> s0=-1 s1=-1 scc=1
s_bfm_b32 s0, 4, 8 ; -> s0=0xf00
s_brev_b32 s0, s1 ; s1=1 -> s0=0x80000000
s_bcnt1_i32_b64 s0, s[2:3] ; s[2:3]=0x0000000100000003 -> s0=3 scc=1
s_ff1_i32_b32 s0, s1 ; s1=8 -> s0=3
s_ff1_i32_b64 s0, s[2:3] ; s[2:3]=0x0000000100000000 -> s0=32
s_flbit_i32_b32 s0, s1 ; s1=1 -> s0=31
s_flbit_i32_b64 s0, s[2:3] ; s[2:3]=0x0000000500000000 -> s0=29
s_flbit_i32_b64 s0, s[2:3] ; s[2:3]=0x0000000000000001 -> s0=63
s_flbit_i32_b64 s0, s[2:3] ; s[2:3]=0x0000000000000000 -> s0=-1
s_abs_i32 s0, s1 ; s1=-5 -> s0=5 scc=1
s_abs_i32 s0, s1 ; s1=0x80000000 -> s0=0x80000000 scc=1
s_abs_i32 s0, s1 ; s1=0 -> s0=0 scc=0
s_bitcmp0_b32 s1, 3 ; s1=8 -> scc=0
s_bitcmp0_b32 s1, 3 ; s1=7 -> scc=1
s_sext_i32_i8 s0, s1 ; s1=0x80 -> s0=-128
s_sext_i32_i16 s0, s1 ; s1=0x8000 -> s0=0xffff8000
s_cselect_b32 s0, s1, s2 ; s1=1 s2=2 scc=1 -> s0=1
s_cselect_b64 s[0:1], s[2:3], -1 ; s[2:3]=0x0000000000000001 scc=0 -> s0=-1 s1=-1
s_cmov_b32 s0, s1 ; s0=5 s1=1 scc=0 -> s0=5
s_cmp_eq_u32 s1, s2 ; s1=1 s2=1 -> scc=1
s_cmp_lg_u32 s1, s2 ; s1=1 s2=1 -> scc=0
s_cmp_lt_i32 s1, s2 ; s1=-1 s2=1 -> scc=1
s_cmp_lt_u32 s1, s2 ; s1=-1 s2=1 -> scc=0
s_cmp_gt_u32 s1, s2 ; s1=-1 s2=1 -> scc=1
s_cmp_eq_u64 s[2:3], s[4:5] ; s[2:3]=0x0000000100000000 s[4:5]=0x0000000100000000 -> scc=1
s_cmpk_eq_u32 s1, 0xff00 ; s1=0xff00 -> scc=1
s_cmpk_eq_i32 s1, 0xff00 ; s1=0xffffff00 -> scc=1
s_cmpk_gt_u32 s1, 0xff00 ; s1=0xff01 -> scc=1
s_lshl3_add_u32 s0, s1, s2 ; s1=5 s2=2 -> s0=42 scc=0
s_cmpk_lg_i32 s1, 0xff00 ; s1=0xff00 -> scc=1
s_bitcmp1_b32 s1, 4 ; s1=16 -> scc=1
s_pack_ll_b32_b16 s0, s1, s2 ; s1=0x10001 s2=0x20002 -> s0=0x20001
s_pack_lh_b32_b16 s0, s1, s2 ; s1=0x10001 s2=0x30002 -> s0=0x30001
s_and_saveexec_b64 s[0:1], s[2:3] ; s[2:3]=0x000000000000000f exec=0x00000003 -> s0=3 s1=0 exec=3 scc=1
s_or_saveexec_b64 s[0:1], s[2:3] ; s[2:3]=0x000000000000000c exec=0x00000003 -> s0=3 exec=15 scc=1
s_xor_saveexec_b64 s[0:1], s[2:3] ; s[2:3]=0x000000000000000f exec=0x00000003 -> s0=3 exec=12 scc=1
s_andn2_saveexec_b64 s[0:1], s[2:3] ; s[2:3]=0x000000000000000f exec=0x00000003 -> s0=3 exec=12 scc=1
s_load_dword s0, s[2:3], 0x8 ; s[2:3]=mem -> s0=0x1002
s_load_dwordx2 s[0:1], s[2:3], 0x8 ; s[2:3]=mem -> s0=0x1002 s1=0x1003
s_load_dwordx4 s[4:7], s[2:3], s8 ; s[2:3]=mem s8=16 -> s4=0x1004 s7=0x1007
s_load_dwordx8 s[8:15], s[2:3], 0x0 ; s[2:3]=mem -> s8=0x1000 s15=0x1007
s_load_dwordx16 s[16:31], s[2:3], 0x4 ; s[2:3]=mem -> s16=0x1001 s31=0x1010
s_cbranch_scc1 16 ; scc=1 -> jump=1
s_cbranch_scc0 16 ; scc=1 -> jump=0
s_cbranch_vccz 16 ; vcc=0 -> jump=1
s_cbranch_vccnz 16 ; vcc=0x0000000000000001 -> jump=1
s_cbranch_execz 16 ; -> jump=0
s_cbranch_execnz 16 ; -> jump=1
s_branch 16 ; -> jump=1
s_getpc_b64 s[0:1] ; -> s0=0x1004 s1=0
s_setpc_b64 s[0:1] ; s[0:1]=0x0000000000001000 -> jump=1
s_swappc_b64 s[0:1], s[2:3] ; s[2:3]=0x0000000000002000 -> s0=0x1004 s1=0 jump=1
s_nop 3 ; -> jump=0
s_waitcnt vmcnt(0) lgkmcnt(0) ; -> jump=0
s_barrier ; -> jump=0
s_endpgm ; -> jump=0
s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4) ; -> s0=15
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3 ; -> jump=0
";

#[test]
fn scalars() {
    check("gfx908", 64, SCALAR);
}

#[test]
fn scalars_of_later_chips() {
    let eleven = "
        s_and_not1_b32 s0, s1, s2 ; s1=15 s2=5 -> s0=10 scc=1
        s_and_not1_saveexec_b32 s0, s2 ; s2=15 exec=0x00000003 -> s0=3 exec=12 scc=1
        s_and_saveexec_b32 s0, s2 ; s2=15 exec=0x00000003 -> s0=3 exec=3 scc=1
        s_ctz_i32_b32 s0, s1 ; s1=8 -> s0=3
        s_load_b128 s[4:7], s[2:3], null ; s[2:3]=mem -> s4=0x1000 s7=0x1003
        s_waitcnt_vscnt null, 0x0 ; -> jump=0
        s_delay_alu instid0(VALU_DEP_1) ; -> jump=0
        s_denorm_mode 15 ; -> jump=0
    ";
    check("gfx1100", 32, eleven);
    let twelve = "
        s_add_co_u32 s0, s1, s2 ; s1=-1 s2=1 -> s0=0 scc=1
        s_add_co_ci_u32 s0, s1, s2 ; s1=1 s2=1 scc=1 -> s0=3 scc=0
        s_sub_co_i32 s0, s1, s2 ; s1=3 s2=5 -> s0=-2 scc=0
        s_addk_co_i32 s0, 0x10 ; s0=1 -> s0=17 scc=0
        s_add_nc_u64 s[0:1], s[2:3], s[4:5] ; s[2:3]=0x00000001ffffffff s[4:5]=0x0000000000000001 -> s0=0 s1=2
        s_mul_u64 s[0:1], s[2:3], s[4:5] ; s[2:3]=0x0000000100000000 s[4:5]=0x0000000000000003 -> s0=0 s1=3
        s_add_f32 s0, s1, s2 ; s1=1.5 s2=2.25 -> s0=3.75
        s_sub_f32 s0, s1, s2 ; s1=1.5 s2=2.25 -> s0=-0.75
        s_mul_f32 s0, s1, 0.5 ; s1=1.5 -> s0=0.75
        s_max_num_f32 s0, s1, s2 ; s1=NaN s2=2.25 -> s0=2.25
        s_fmac_f32 s0, s1, s2 ; s0=1.0 s1=2.0 s2=3.0 -> s0=7.0
        s_fmaak_f32 s0, s1, s2, 0x42480000 ; s1=2.0 s2=3.0 -> s0=56.0
        s_cvt_f32_f16 s0, s1 ; s1=1.5h -> s0=1.5
        s_cvt_hi_f32_f16 s0, s1 ; s1=0x3e000000 -> s0=1.5
        s_cmp_lt_f32 s1, s2 ; s1=1.5 s2=2.25 -> scc=1
        s_cmp_nlg_f16 s1, 0x7c00 ; s1=1.5h -> scc=0
        s_fmac_f16 s0, s1, s2 ; s0=1.0h s1=2.0h s2=3.0h -> s0=7.0h
        s_cmp_nlt_f32 s1, s2 ; s1=NaN s2=2.25 -> scc=1
        s_cmp_u_f32 s1, s2 ; s1=NaN s2=2.25 -> scc=1
        s_load_u16 s0, s[2:3], 0x4 ; s[2:3]=mem -> s0=0x1001
        s_wait_loadcnt_dscnt 0x0 ; -> jump=0
        s_wait_kmcnt 0x0 ; -> jump=0
        s_barrier_signal -1 ; -> jump=0
    ";
    check("gfx1200", 32, twelve);
}

//! Names that gfx10, gfx11 and gfx12 have for loads, stores, waits and comparisons, dual instructions, and scalar
//! floats.

use super::check;

const NINE: &str = "
s_cmp_ge_u32 s1, s2 ; s1=-1 s2=1 -> scc=1
s_cmp_gt_i32 s1, s2 ; s1=-1 s2=1 -> scc=0
s_cmp_lg_u64 s[2:3], s[4:5] ; s[2:3]=0x0000000100000000 s[4:5]=0x0000000000000000 -> scc=1
s_cmpk_lt_u32 s1, 0xff00 ; s1=0xfeff -> scc=1
s_bitset1_b32 s0, 4 ; s0=1 -> s0=17
s_lshl2_add_u32 s0, s1, s2 ; s1=5 s2=2 -> s0=22 scc=0
s_lshl4_add_u32 s0, s1, s2 ; s1=0x10000000 s2=2 -> s0=2 scc=1
v_cmp_lt_i16 vcc, v1, v2 ; v1=0x1ffff v2=3 -> vcc=0xffffffffffffffff
v_cmp_nle_f64 vcc, v[2:3], v[4:5] ; v[2:3]=NaNd v[4:5]=2.0d -> vcc=0xffffffffffffffff
v_subrev_co_u32 v0, vcc, v1, v2 ; v1=3 v2=1 -> v0=-2 vcc=0xffffffffffffffff
v_pk_min_f16 v0, v1, v2 ; v1=0x40004200 v2=0x3c00c500 -> v0=0x3c00c500
buffer_load_dwordx2 v[0:1], v4, s[0:3], 0 offen ; v4=8 s[0:1]=mem s2=256 s3=0 -> v0=0x1002 v1=0x1003
s_bitset0_b32 s0, 4 ; s0=17 -> s0=1
s_cmp_le_i32 s1, s2 ; s1=-1 s2=1 -> scc=1
s_cmpk_gt_i32 s1, 0xff00 ; s1=0xfffffeff -> scc=0
s_cmpk_lt_i32 s1, 0xff00 ; s1=0xfffffeff -> scc=1
s_flbit_i32 s0, s1 ; s1=0xffff0000 -> s0=16
s_pack_hh_b32_b16 s0, s1, s2 ; s1=0x00010005 s2=0x00020006 -> s0=0x00020001
v_cmp_ge_i16 vcc, v1, v2 ; v1=0x1ffff v2=3 -> vcc=0
v_cmp_ge_u16 vcc, v1, v2 ; v1=0x1ffff v2=3 -> vcc=0xffffffffffffffff
v_cmp_le_i16 vcc, v1, v2 ; v1=0x1ffff v2=3 -> vcc=0xffffffffffffffff
v_cmp_le_u16 vcc, v1, v2 ; v1=0x1ffff v2=3 -> vcc=0
v_cmp_ge_i64 vcc, v[2:3], v[4:5] ; v2=-1 v3=-1 v4=0 v5=0 -> vcc=0
v_cmp_ge_u64 vcc, v[2:3], v[4:5] ; v2=-1 v3=-1 v4=0 v5=0 -> vcc=0xffffffffffffffff
v_cmp_le_i64 vcc, v[2:3], v[4:5] ; v2=-1 v3=-1 v4=0 v5=0 -> vcc=0xffffffffffffffff
v_cmp_le_u64 vcc, v[2:3], v[4:5] ; v2=-1 v3=-1 v4=0 v5=0 -> vcc=0
v_cmp_ngt_f16 vcc, v1, v2 ; v1=0x7e00 v2=2.0h -> vcc=0xffffffffffffffff
v_cmp_nlt_f16 vcc, v1, v2 ; v1=1.0h v2=2.0h -> vcc=0
v_cmp_nlg_f64 vcc, v[2:3], v[4:5] ; v[2:3]=2.0d v[4:5]=2.0d -> vcc=0xffffffffffffffff
v_pk_ashrrev_i16 v0, v1, v2 ; v1=0x00010002 v2=0x8000fff0 -> v0=0xc000fffc
v_pk_lshrrev_b16 v0, v1, v2 ; v1=0x00010002 v2=0x8000fff0 -> v0=0x40003ffc
v_pk_max_u16 v0, v1, v2 ; v1=0xffff0001 v2=0x00020003 -> v0=0xffff0003
v_subrev_u16 v0, v1, v2 ; v1=1 v2=3 -> v0=2
";

const TEN: &str = "
v_cmpx_eq_u32 v1, v2 ; v1=lane v2=3 -> exec=0x00000008
v_cmpx_ne_u32 v1, v2 ; v1=lane v2=0 exec=0x0000000f -> exec=0x0000000e
v_cmpx_gt_u32 v1, v2 ; v1=lane v2=29 -> exec=0xc0000000
v_cmpx_lt_u32 v1, v2 ; v1=lane v2=2 -> exec=0x00000003
s_or_saveexec_b32 s0, s2 ; s2=12 exec=0x00000003 -> s0=3 exec=15 scc=1
s_inst_prefetch 0x3 ; -> jump=0
s_clause 0x1 ; -> jump=0
s_waitcnt_depctr 0xffe3 ; -> jump=0
v_cmpx_gt_i32 v1, v2 ; v1=lane v2=30 -> exec=0x80000000
v_cmpx_ne_u16 v1, v2 ; v1=0x10003 v2=3 -> exec=0
";

const ELEVEN: &str = "
global_load_u8 v0, v[2:3], off offset:1 ; v[2:3]=mem -> v0=0x10
global_load_d16_u8 v0, v[2:3], off ; v0=0xabcd1111 v[2:3]=mem+8 -> v0=0xabcd0002
global_load_b64 v[0:1], v[2:3], off ; v[2:3]=mem+8 -> v0=0x1002 v1=0x1003
global_load_b96 v[4:6], v[2:3], off ; v[2:3]=mem+8 -> v4=0x1002 v6=0x1004
global_store_b8 v[2:3], v0, off ; v[2:3]=mem v0=0x1ff -> mem+0=0x10ff
global_store_b32 v[2:3], v0, off offset:4 ; v[2:3]=mem v0=7 -> mem+0=0x1000 mem+4=7 mem+8=0x1002
global_store_b64 v[2:3], v[0:1], off ; v[2:3]=mem v0=7 v1=9 -> mem+0=7 mem+4=9 mem+8=0x1002
global_store_b128 v[4:5], v[0:3], off ; v[4:5]=mem v0=7 v1=8 v2=9 v3=10 -> mem+0=7 mem+12=10 mem+16=0x1004
ds_load_b64 v[0:1], v2 ; v2=8 lds+8=7 lds+12=9 -> v0=7 v1=9
ds_load_b128 v[0:3], v4 ; v4=16 lds+16=1 lds+20=2 lds+24=3 lds+28=4 -> v0=1 v1=2 v2=3 v3=4
ds_store_b32 v1, v0 offset:8 ; v0=7 v1=0 -> lds+8=7
ds_store_2addr_b64 v4, v[0:1], v[2:3] offset1:2 ; v0=1 v1=2 v2=3 v3=4 v4=8 -> lds+8=1 lds+12=2 lds+24=3 lds+28=4
s_load_b32 s0, s[2:3], 0x8 ; s[2:3]=mem -> s0=0x1002
s_load_b64 s[0:1], s[2:3], 0x8 ; s[2:3]=mem -> s0=0x1002 s1=0x1003
s_load_b256 s[8:15], s[2:3], 0x4 ; s[2:3]=mem -> s8=0x1001 s15=0x1008
s_load_b512 s[16:31], s[2:3], 0x4 ; s[2:3]=mem -> s16=0x1001 s31=0x1010
s_set_inst_prefetch_distance 0x3 ; -> jump=0
s_sendmsg sendmsg(MSG_DEALLOC_VGPRS) ; -> jump=0
v_or_b16 v0.h, v1.l, v2.l ; v0=7 v1=0xff v2=0x1234 -> v0=0x12ff0007
v_xor_b16 v0.l, v1.h, v2.l ; v0=0xabcd0000 v1=0x00ff0000 v2=0x1234 -> v0=0xabcd12cb
v_dual_fmac_f32 v0, v1, v2 :: v_dual_sub_f32 v3, v4, v5 ; v0=1.0 v1=2.0 v2=3.0 v4=1.0 v5=0.25 -> v0=7.0 v3=0.75
v_dual_fmaak_f32 v0, v1, v2, 0x42480000 :: v_dual_min_f32 v3, v4, v5 ; v1=2.0 v2=3.0 v4=1.0 v5=-0.5 -> v0=56.0 v3=-0.5
v_dual_fmamk_f32 v0, v1, 0x42480000, v2 :: v_dual_add_nc_u32 v3, v4, v5 ; v1=2.0 v2=3.0 v4=1 v5=2 -> v0=103.0 v3=3
buffer_load_b128 v[0:3], off, s[4:7], s8 ; s[4:5]=mem s6=256 s7=0 s8=16 -> v0=0x1004 v3=0x1007
ds_load_2addr_b64 v[0:3], v4 offset1:2 ; v4=8 lds+8=1 lds+12=2 lds+24=3 lds+28=4 -> v0=1 v1=2 v2=3 v3=4
ds_store_b64 v2, v[0:1] ; v0=7 v1=9 v2=8 -> lds+8=7 lds+12=9
global_load_d16_hi_u8 v0, v[2:3], off ; v0=0xabcd1111 v[2:3]=mem+8 -> v0=0x00021111
global_store_b96 v[4:5], v[0:2], off ; v[4:5]=mem v0=7 v1=8 v2=9 -> mem+0=7 mem+8=9 mem+12=0x1003
global_store_d16_hi_b8 v[2:3], v0, off ; v[2:3]=mem v0=0x00ab0000 -> mem+0=0x10ab
s_cls_i32 s0, s1 ; s1=0xffff0000 -> s0=16
global_load_d16_i8 v0, v[2:3], off offset:1 ; v0=0xabcd1111 v[2:3]=mem -> v0=0xabcd0010
global_load_i8 v0, v[2:3], off offset:1 ; v[2:3]=mem -> v0=0x10
ds_load_b96 v[0:2], v4 ; v4=0 lds+0=7 lds+4=8 lds+8=9 -> v0=7 v1=8 v2=9
ds_load_u8 v0, v1 ; v1=1 lds+0=0x1234 -> v0=0x12
ds_load_u16 v0, v1 ; v1=2 lds+0=0x12345678 -> v0=0x1234
ds_load_u16_d16 v0, v1 ; v0=0x00070000 v1=2 lds+0=0x12345678 -> v0=0x00071234
ds_load_u16_d16_hi v0, v1 ; v0=7 v1=2 lds+0=0x12345678 -> v0=0x12340007
ds_store_b8 v1, v0 ; v0=0x1ff v1=1 lds+0=0 -> lds+0=0xff00
ds_store_b16 v1, v0 ; v0=0x12345 v1=2 lds+0=0 -> lds+0=0x23450000
ds_store_b96 v4, v[0:2] ; v0=7 v1=8 v2=9 v4=0 -> lds+0=7 lds+4=8 lds+8=9
v_dual_dot2acc_f32_f16 v0, v1, v2 :: v_dual_mov_b32 v3, v4 ; v0=1.0 v1=0x40003c00 v2=0x42004400 v4=7 -> v0=11.0 v3=7
v_dual_subrev_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4 ; v1=3.0 v2=1.0 v4=7 -> v0=-2.0 v3=7
";

const TWELVE: &str = "
s_cmp_gt_f32 s1, s2 ; s1=1.5 s2=2.25 -> scc=0
s_cmp_le_f32 s1, s2 ; s1=1.5 s2=1.5 -> scc=1
s_cmp_gt_f16 s1, s2 ; s1=1.5h s2=1.0h -> scc=1
s_cmp_o_f16 s1, s2 ; s1=0x7e00 s2=1.0h -> scc=0
v_s_sqrt_f32 s0, s1 ; s1=9.0 -> s0=3.0
v_pk_min_num_f16 v0, v1, v2 ; v1=0x40004200 v2=0x3c00c500 -> v0=0x3c00c500
v_dual_min_num_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4 ; v1=2.0 v2=3.0 v4=7 -> v0=2.0 v3=7
s_wait_loadcnt 0x0 ; -> jump=0
s_wait_storecnt 0x0 ; -> jump=0
s_wait_dscnt 0x0 ; -> jump=0
s_wait_alu 0xfffd ; -> jump=0
global_inv scope:SCOPE_DEV ; -> jump=0
s_cmp_eq_f32 s1, s2 ; s1=1.5 s2=1.5 -> scc=1
s_cmp_neq_f32 s1, s2 ; s1=NaN s2=1.5 -> scc=1
s_cmp_ngt_f32 s1, s2 ; s1=NaN s2=1.5 -> scc=1
s_cmp_nlg_f32 s1, s2 ; s1=1.5 s2=1.5 -> scc=1
s_cmp_o_f32 s1, s2 ; s1=NaN s2=1.5 -> scc=0
s_cvt_f16_f32 s0, s1 ; s1=1.5 -> s0=1.5h
s_cvt_f32_i32 s0, s1 ; s1=-3 -> s0=-3.0
s_cvt_f32_u32 s0, s1 ; s1=3 -> s0=3.0
s_load_b96 s[4:6], s[2:3], 0x4 ; s[2:3]=mem -> s4=0x1001 s6=0x1003
s_load_u8 s0, s[2:3], 0x1 ; s[2:3]=mem -> s0=0x10
s_sub_nc_u64 s[0:1], s[2:3], s[4:5] ; s[2:3]=0x0000000200000000 s[4:5]=0x0000000000000001 -> s0=-1 s1=1
s_cmp_eq_f16 s1, s2 ; s1=1.5h s2=1.5h -> scc=1
s_add_f16 s0, s1, s2 ; s1=1.5h s2=2.25h -> s0=3.75h
s_cmp_ge_f32 s1, s2 ; s1=1.5 s2=2.25 -> scc=0
s_cmp_lg_f32 s1, s2 ; s1=NaN s2=1.5 -> scc=0
s_cmp_lg_f32 s1, s2 ; s1=2.25 s2=1.5 -> scc=1
s_cmp_nge_f32 s1, s2 ; s1=NaN s2=1.5 -> scc=1
s_cmp_nge_f32 s1, s2 ; s1=2.25 s2=1.5 -> scc=0
s_cmp_nle_f32 s1, s2 ; s1=NaN s2=1.5 -> scc=1
s_cmp_nle_f32 s1, s2 ; s1=1.5 s2=1.5 -> scc=0
s_cmp_lt_f16 s1, s2 ; s1=1.0h s2=1.5h -> scc=1
s_cmp_neq_f16 s1, s2 ; s1=0x7e00 s2=1.0h -> scc=1
s_cmp_nlt_f16 s1, s2 ; s1=1.0h s2=1.5h -> scc=0
s_cvt_u32_f32 s0, s1 ; s1=3.75 -> s0=3
s_cvt_u32_f32 s0, s1 ; s1=-1.5 -> s0=0
s_floor_f32 s0, s1 ; s1=-1.25 -> s0=-2.0
s_rndne_f32 s0, s1 ; s1=2.5 -> s0=2.0
s_trunc_f32 s0, s1 ; s1=-1.75 -> s0=-1.0
v_s_rsq_f32 s0, s1 ; s1=4.0 -> s0=0.5
s_wait_storecnt_dscnt 0x0 ; -> jump=0
s_barrier_signal -1 ; -> signalled=1
s_barrier_wait -1 ; signalled=1 -> signalled=0
";

#[test]
fn later_names() {
    check("gfx908", 64, NINE);
    check("gfx1030", 32, TEN);
    check("gfx1100", 32, ELEVEN);
    check("gfx1200", 32, TWELVE);
}

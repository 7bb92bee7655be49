//! Values that cross lanes.

use super::check;

const LANES: &str = "
v_readfirstlane_b32 s0, v1 ; v1=lane exec=0x00000030 -> s0=4
v_readlane_b32 s0, v1, 7 ; v1=lane -> s0=7
v_readlane_b32 s0, v1, s2 ; v1=lane s2=65 -> s0=1
v_writelane_b32 v0, s1, 5 ; v0=9 s1=7 exec=0x00000001 -> v0@5=7 v0@4=9
v_mbcnt_lo_u32_b32 v0, -1, 0 ; -> v0@0=0 v0@5=5 v0@40=32
v_mbcnt_hi_u32_b32 v0, -1, v1 ; v1=32 -> v0@5=32 v0@40=40
v_swap_b32 v0, v1 ; v0=1 v1=2 -> v0=2 v1=1
v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf ; v0=0 v1=lane -> v0@0=1 v0@1=0 v0@63=62
v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf ; v0=99 v1=lane -> v0@0=99 v0@1=0 v0@16=99 v0@17=16
v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0 ; v0=99 v1=lane -> v0@0=0 v0@1=0 v0@17=16
v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf ; v0=99 v1=lane -> v0@0=1 v0@15=99
v_mov_b32_dpp v0, v1 row_ror:1 row_mask:0xf bank_mask:0xf ; v0=99 v1=lane -> v0@0=15 v0@1=0
v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf ; v0=99 v1=lane -> v0@0=15 v0@17=30
v_mov_b32_dpp v0, v1 row_half_mirror row_mask:0xf bank_mask:0xf ; v0=99 v1=lane -> v0@0=7 v0@9=14
v_mov_b32_dpp v0, v1 row_bcast:15 row_mask:0xa bank_mask:0xf ; v0=99 v1=lane -> v0@0=99 v0@16=15 v0@32=99 v0@48=47
v_mov_b32_dpp v0, v1 row_bcast:31 row_mask:0xc bank_mask:0xf ; v0=99 v1=lane -> v0@16=99 v0@32=31 v0@63=31
v_mov_b32_dpp v0, v1 wave_shr:1 row_mask:0xf bank_mask:0xf ; v0=99 v1=lane -> v0@0=99 v0@32=31
v_add_f32_dpp v0, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf ; v0=9.0 v1=1.0 v2=2.0 -> v0@0=9.0 v0@1=3.0
v_add_u32_dpp v0, v1, v2 row_shr:1 row_mask:0xf bank_mask:0x5 bound_ctrl:0 ; v0=9 v1=1 v2=2 -> v0@0=2 v0@1=3 v0@5=9
ds_bpermute_b32 v0, v1, v2 ; v1=20 v2=lane -> v0=5
ds_bpermute_b32 v0, v1, v2 offset:4 ; v1=20 v2=lane -> v0=6
ds_permute_b32 v0, v1, v2 ; v1=20 v2=lane exec=0x000000ff v0=0 -> v0@5=7 v0@4=0
ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1) ; v1=lane -> v0@0=1 v0@33=32
ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PERM,3,2,1,0) ; v1=lane -> v0@0=3 v0@5=6
ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,32,5) ; v1=lane -> v0@0=5 v0@40=37
ds_swizzle_b32 v0, v1 offset:swizzle(REVERSE,8) ; v1=lane -> v0@0=7 v0@9=14
ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,\"01pip\") ; v1=lane -> v0@0=10 v0@7=13
";

#[test]
fn lanes() {
    check("gfx908", 64, LANES);
}

#[test]
fn lanes_of_later_chips() {
    let ten = "
        v_mov_b32_dpp v0, v1 row_share:3 row_mask:0xf bank_mask:0xf ; v0=99 v1=lane -> v0@0=3 v0@20=19
        v_mov_b32_dpp v0, v1 row_xmask:1 row_mask:0xf bank_mask:0xf ; v0=99 v1=lane -> v0@0=1 v0@20=21
        v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] ; v0=99 v1=lane -> v0@0=7 v0@9=14
        v_permlane16_b32 v0, v1, s0, s1 ; v0=99 v1=lane s0=0x76543211 s1=0xfedcba98 -> v0@0=1 v0@1=1 v0@17=17
        v_permlanex16_b32 v0, v1, s0, s1 ; v0=99 v1=lane s0=0x76543211 s1=0xfedcba98 -> v0@0=17 v0@16=1
        ds_bpermute_b32 v0, v1, v2 ; v1=20 v2=lane -> v0=5
    ";
    check("gfx1030", 32, ten);
    let wide = "
        ds_bpermute_b32 v0, v1, v2 ; v1=20 v2=lane -> v0@0=5 v0@40=37
        v_permlane64_b32 v0, v1 ; v0=99 v1=lane -> v0@0=32 v0@40=8
        v_readlane_b32 s0, v1, 40 ; v1=lane -> s0=40
    ";
    check("gfx1100", 64, wide);
    let fifty = "
        v_permlane32_swap_b32 v0, v1 ; v0=lane v1=7 -> v0@0=0 v0@40=7 v1@0=32 v1@40=7
        v_permlane16_swap_b32 v0, v1 ; v0=lane v1=7 -> v0@0=0 v0@16=7 v1@0=16 v1@16=7
        v_mov_b32_dpp v0, v1 row_newbcast:3 row_mask:0xf bank_mask:0xf ; v0=99 v1=lane -> v0@0=3 v0@20=19
    ";
    check("gfx950", 64, fifty);
}

//! Loads, stores, atomics, LDS.

use super::check;

const GLOBAL: &str = "
global_load_dword v0, v[2:3], off ; v[2:3]=mem+8 -> v0=0x1002
global_load_dword v0, v2, s[0:1] offset:4 ; v2=8 s[0:1]=mem -> v0=0x1003
global_load_dwordx2 v[0:1], v[2:3], off ; v[2:3]=mem -> v0=0x1000 v1=0x1001
global_load_dwordx3 v[0:2], v[4:5], off ; v[4:5]=mem -> v0=0x1000 v2=0x1002
global_load_dwordx4 v[0:3], v[4:5], off offset:16 ; v[4:5]=mem -> v0=0x1004 v3=0x1007
global_load_ubyte v0, v[2:3], off offset:1 ; v[2:3]=mem -> v0=0x10
global_load_sbyte v0, v[2:3], off offset:1 ; v[2:3]=mem -> v0=0x10
global_load_ushort v0, v[2:3], off offset:3 ; v[2:3]=mem -> v0=0x0100
global_load_sshort v0, v[2:3], off ; v[2:3]=mem -> v0=0x1000
global_load_short_d16_hi v0, v[2:3], off ; v0=7 v[2:3]=mem -> v0=0x10000007
global_load_short_d16 v0, v[2:3], off ; v0=0x00070000 v[2:3]=mem -> v0=0x00071000
global_store_dword v[2:3], v0, off ; v[2:3]=mem v0=7 -> mem+0=7 mem+4=0x1001
global_store_dwordx2 v[2:3], v[0:1], off ; v[2:3]=mem v0=7 v1=8 -> mem+0=7 mem+4=8
global_store_dwordx3 v[4:5], v[0:2], off ; v[4:5]=mem v0=7 v1=8 v2=9 -> mem+8=9
global_store_dwordx4 v[4:5], v[0:3], off ; v[4:5]=mem v0=7 v1=8 v2=9 v3=10 -> mem+12=10
global_store_byte v[2:3], v0, off offset:2 ; v[2:3]=mem v0=0x1ff -> mem+0=0x00ff1000
global_store_short v[2:3], v0, off offset:2 ; v[2:3]=mem v0=0x12345 -> mem+0=0x23451000
global_store_short_d16_hi v[2:3], v0, off ; v[2:3]=mem v0=0x12340000 -> mem+0=0x1234
global_store_byte_d16_hi v[2:3], v0, off ; v[2:3]=mem v0=0x12340000 -> mem+0=0x1034
global_atomic_add v[2:3], v0, off ; v[2:3]=mem v0=1 -> mem+0=0x1040
global_atomic_add v1, v[2:3], v0, off glc ; v[2:3]=mem v0=1 exec=0x00000001 -> mem+0=0x1001 v1@0=0x1000
global_atomic_add_x2 v[2:3], v[4:5], off ; v[2:3]=mem v4=1 v5=0 exec=0x00000001 -> mem+0=0x1001 mem+4=0x1001
global_atomic_and v[2:3], v0, off ; v[2:3]=mem v0=0xff -> mem+0=0
global_atomic_and_x2 v[2:3], v[4:5], off ; v[2:3]=mem v4=0xff v5=-1 -> mem+0=0 mem+4=0x1001
global_atomic_or v[2:3], v0, off ; v[2:3]=mem v0=0xff -> mem+0=0x10ff
global_atomic_xor v[2:3], v0, off ; v[2:3]=mem v0=0x1000 exec=0x00000001 -> mem+0=0
global_atomic_swap v1, v[2:3], v0, off glc ; v[2:3]=mem v0=5 exec=0x00000001 -> mem+0=5 v1@0=0x1000
global_atomic_swap_x2 v[2:3], v[4:5], off ; v[2:3]=mem v4=5 v5=6 -> mem+0=5 mem+4=6
global_atomic_cmpswap v1, v[2:3], v[4:5], off glc ; v[2:3]=mem v4=5 v5=0x1000 exec=0x00000001 -> mem+0=5 v1@0=0x1000
global_atomic_cmpswap_x2 v[2:3], v[4:7], off \
    ; v[2:3]=mem v4=5 v5=6 v6=0x1000 v7=0x1001 exec=0x00000001 -> mem+0=5 mem+4=6
global_atomic_smax v[2:3], v0, off ; v[2:3]=mem v0=-1 -> mem+0=0x1000
global_atomic_smax_x2 v[2:3], v[4:5], off ; v[2:3]=mem v4=0 v5=0x2000 -> mem+4=0x2000
global_atomic_umin v[2:3], v0, off ; v[2:3]=mem v0=5 -> mem+0=5
global_atomic_add_f32 v[2:3], v0, off ; v[2:3]=mem v0=0.0 exec=0x00000001 -> mem+4=0x1001
flat_load_dword v0, v[2:3] ; v[2:3]=mem+8 -> v0=0x1002
flat_load_dword v0, v[2:3] ; v[2:3]=0x0001000000000008 lds+8=7 -> v0=7
flat_store_dword v[2:3], v0 ; v[2:3]=mem v0=7 -> mem+0=7
buffer_load_dword v0, v1, s[0:3], 0 offen offset:4 ; v1=8 s[0:1]=mem s2=256 s3=0 -> v0=0x1003
buffer_load_dword v0, v1, s[0:3], 0 offen ; v1=256 s[0:1]=mem s2=256 s3=0 -> v0=0
buffer_load_dwordx4 v[0:3], off, s[4:7], s8 ; s[4:5]=mem s6=256 s7=0 s8=16 -> v0=0x1004 v3=0x1007
buffer_load_ushort v0, off, s[0:3], 0 offset:2 ; s[0:1]=mem s2=256 s3=0 -> v0=0
buffer_store_dword v0, v1, s[0:3], 0 offen ; v0=7 v1=8 s[0:1]=mem s2=256 s3=0 -> mem+8=7
buffer_atomic_add v0, v1, s[0:3], 0 offen ; v0=1 v1=8 s[0:1]=mem s2=256 s3=0 -> mem+8=0x1042
scratch_load_dword v0, v1, off offset:4 ; v1=4 scr+8=7 -> v0=7
scratch_store_dword v1, v0, off ; v0=7 v1=8 -> v0=7
";

const LOCAL: &str = "
ds_read_b32 v0, v1 offset:8 ; v1=0 lds+8=7 -> v0=7
ds_read_b64 v[0:1], v2 ; v2=8 lds+8=7 lds+12=9 -> v0=7 v1=9
ds_read_b96 v[0:2], v4 ; v4=0 lds+0=7 lds+4=8 lds+8=9 -> v0=7 v2=9
ds_read_b128 v[0:3], v4 ; v4=0 lds+0=7 lds+4=8 lds+8=9 lds+12=10 -> v0=7 v3=10
ds_read2_b32 v[0:1], v2 offset0:1 offset1:3 ; v2=0 lds+4=7 lds+12=9 -> v0=7 v1=9
ds_read2_b64 v[0:3], v4 offset0:0 offset1:1 ; v4=0 lds+0=7 lds+4=8 lds+8=9 lds+12=10 -> v1=8 v3=10
ds_read2st64_b32 v[0:1], v2 offset0:0 offset1:1 ; v2=4 lds+4=7 lds+260=9 -> v0=7 v1=9
ds_read2st64_b64 v[0:3], v4 offset0:1 offset1:2 \
    ; v4=8 lds+520=7 lds+524=8 lds+1032=9 lds+1036=10 -> v0=7 v1=8 v2=9 v3=10
ds_read_u8 v0, v1 ; v1=1 lds+0=0x1234 -> v0=0x12
ds_read_i8 v0, v1 ; v1=1 lds+0=0x9234 -> v0=0xffffff92
ds_read_u16 v0, v1 ; v1=2 lds+0=0x12345678 -> v0=0x1234
ds_read_u16_d16 v0, v1 ; v0=0x00070000 v1=2 lds+0=0x12345678 -> v0=0x00071234
ds_read_u16_d16_hi v0, v1 ; v0=7 v1=2 lds+0=0x12345678 -> v0=0x12340007
ds_write_b32 v1, v0 offset:8 ; v0=7 v1=0 -> lds+8=7
ds_write_b64 v2, v[0:1] ; v0=7 v1=9 v2=8 -> lds+8=7 lds+12=9
ds_write_b96 v4, v[0:2] ; v0=7 v1=8 v2=9 v4=0 -> lds+0=7 lds+8=9
ds_write_b128 v4, v[0:3] ; v0=7 v1=8 v2=9 v3=10 v4=0 -> lds+12=10
ds_write_b8 v1, v0 ; v0=0x1ff v1=1 lds+0=0 -> lds+0=0xff00
ds_write_b16 v1, v0 ; v0=0x12345 v1=2 lds+0=0 -> lds+0=0x23450000
ds_write2_b32 v2, v0, v1 offset0:1 offset1:3 ; v0=7 v1=9 v2=0 -> lds+4=7 lds+12=9
ds_write2_b64 v4, v[0:1], v[2:3] offset0:0 offset1:2 ; v0=1 v1=2 v2=3 v3=4 v4=8 -> lds+8=1 lds+12=2 lds+24=3 lds+28=4
ds_write2st64_b32 v2, v0, v1 offset0:0 offset1:1 ; v0=7 v1=9 v2=4 -> lds+4=7 lds+260=9
ds_write2st64_b64 v4, v[0:1], v[2:3] offset0:1 offset1:2 \
    ; v0=1 v1=2 v2=3 v3=4 v4=8 -> lds+520=1 lds+524=2 lds+1032=3 lds+1036=4
ds_add_u32 v1, v0 ; v0=1 v1=0 lds+0=7 -> lds+0=71
ds_add_rtn_u32 v2, v1, v0 ; v0=1 v1=0 lds+0=7 exec=0x00000003 -> lds+0=9 v2@0=7 v2@1=8
ds_add_rtn_u64 v[2:3], v1, v[4:5] ; v1=0 v4=1 v5=0 lds+0=-1 lds+4=0 exec=0x00000001 -> lds+0=0 lds+4=1 v2@0=-1
ds_add_f32 v1, v0 ; v0=1.0 v1=0 lds+0=0 -> lds+0=64.0
ds_add_rtn_f32 v2, v1, v0 ; v0=1.5 v1=0 lds+0=0 exec=0x00000003 -> lds+0=3.0 v2@1=1.5
ds_max_rtn_u32 v2, v1, v0 ; v0=9 v1=0 lds+0=7 exec=0x00000001 -> lds+0=9 v2@0=7
ds_min_i32 v1, v0 ; v0=-9 v1=0 lds+0=7 -> lds+0=-9
ds_cmpst_rtn_b32 v2, v1, v0, v3 ; v0=7 v1=0 v3=5 lds+0=7 exec=0x00000001 -> lds+0=5 v2@0=7
ds_wrxchg_rtn_b32 v2, v1, v0 ; v0=5 v1=0 lds+0=7 exec=0x00000001 -> lds+0=5 v2@0=7
";

#[test]
fn global() {
    check("gfx908", 64, GLOBAL);
}

#[test]
fn local() {
    check("gfx908", 64, LOCAL);
}

#[test]
fn new_names() {
    let eleven = "
        global_load_b32 v0, v[2:3], off ; v[2:3]=mem+8 -> v0=0x1002
        global_load_b128 v[0:3], v[4:5], off offset:16 ; v[4:5]=mem -> v0=0x1004 v3=0x1007
        global_load_u16 v0, v[2:3], off ; v[2:3]=mem -> v0=0x1000
        global_load_d16_b16 v0, v[2:3], off ; v0=0x00070000 v[2:3]=mem -> v0=0x00071000
        global_load_d16_hi_b16 v0, v[2:3], off ; v0=7 v[2:3]=mem -> v0=0x10000007
        global_store_b16 v[2:3], v0, off ; v[2:3]=mem v0=0x12345 -> mem+0=0x2345
        global_store_d16_hi_b16 v[2:3], v0, off ; v[2:3]=mem v0=0x12340000 -> mem+0=0x1234
        global_atomic_add_u32 v[2:3], v0, off ; v[2:3]=mem v0=1 -> mem+0=0x1020
        global_atomic_cmpswap_b32 v1, v[2:3], v[4:5], off glc \
            ; v[2:3]=mem v4=5 v5=0x1000 exec=0x00000001 -> mem+0=5 v1@0=0x1000
        global_atomic_max_i32 v[2:3], v0, off ; v[2:3]=mem v0=-1 -> mem+0=0x1000
        ds_load_b32 v0, v1 offset:8 ; v1=0 lds+8=7 -> v0=7
        ds_load_2addr_b32 v[0:1], v2 offset0:1 offset1:3 ; v2=0 lds+4=7 lds+12=9 -> v0=7 v1=9
        ds_load_2addr_stride64_b32 v[0:1], v2 offset0:0 offset1:1 ; v2=4 lds+4=7 lds+260=9 -> v0=7 v1=9
        ds_store_b128 v4, v[0:3] ; v0=7 v1=8 v2=9 v3=10 v4=0 -> lds+12=10
        ds_store_2addr_b32 v2, v0, v1 offset0:1 offset1:3 ; v0=7 v1=9 v2=0 -> lds+4=7 lds+12=9
        ds_cmpstore_rtn_b32 v2, v1, v0, v3 ; v0=5 v1=0 v3=7 lds+0=7 exec=0x00000001 -> lds+0=5 v2@0=7
        buffer_gl0_inv ; -> exec=-1
    ";
    check("gfx1100", 32, eleven);
    let ninety = "
        global_atomic_add_f64 v[2:3], v[4:5], off ; v[2:3]=mem v[4:5]=0.0d exec=0x00000001 -> mem+4=0x1001
        global_atomic_pk_add_f16 v[2:3], v0, off ; v[2:3]=mem v0=0 exec=0x00000001 -> mem+0=0x1000
        global_load_lds_dword v[2:3], off ; v[2:3]=mem+4 m0=8 exec=0x00000003 -> lds+8=0x1001 lds+12=0x1001
    ";
    check("gfx942", 64, ninety);
    // Lane after lane, 16 bytes each.
    let fifty = "
        global_load_lds_dwordx4 v[2:3], off \
            ; v[2:3]=mem+4 m0=16 exec=0x00000003 -> lds+16=0x1001 lds+28=0x1004 lds+32=0x1001 lds+44=0x1004
    ";
    check("gfx950", 64, fifty);
}

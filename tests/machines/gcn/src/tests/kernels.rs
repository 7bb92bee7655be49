//! Whole kernels: one that is right under every order of its waves, and the same with one mistake planted.
//!
//! The kernel turns 128 words around through LDS: each of two waves writes its words, all wait, each reads the other's.
//! Worked example: without the barrier the emulator reports a race whatever the order was.

use std::process::Command;

use super::tool;
use crate::{CodeObject, Fault, FaultKind, HostMemory, Launch};

const GOOD: &str = "
    s_load_dwordx4 s[0:3], s[4:5], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[0:1]
    s_waitcnt vmcnt(0)
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_sub_u32 v3, 0x1fc, v1
    ds_read_b32 v4, v3
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v4, s[2:3]
    s_endpgm
";

fn object(body: &str) -> Option<CodeObject> {
    let (mc, lld) = (tool("llvm-mc")?, tool("ld.lld")?);
    let source = format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx908\"\n\
         .amdhsa_code_object_version 5\n\
         .text\n\
         .globl k\n\
         .p2align 8\n\
         .type k,@function\n\
         k:\n\
         {body}\n\
         .Lend:\n.size k, .Lend-k\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_group_segment_fixed_size 512\n\
         .amdhsa_user_sgpr_private_segment_buffer 1\n\
         .amdhsa_user_sgpr_kernarg_segment_ptr 1\n\
         .amdhsa_next_free_vgpr 8\n\
         .amdhsa_next_free_sgpr 16\n.end_amdhsa_kernel\n.amdgpu_metadata\n---\namdhsa.version: [1, 2]\n\
         amdhsa.target: amdgcn-amd-amdhsa--gfx908\n\
         amdhsa.kernels:\n  \
         - .name: k\n    \
         .symbol: k.kd\n    \
         .kernarg_segment_size: 16\n    \
         .kernarg_segment_align: 8\n    \
         .group_segment_fixed_size: 512\n    \
         .private_segment_fixed_size: 0\n    \
         .wavefront_size: 64\n    \
         .sgpr_count: 16\n    \
         .vgpr_count: 8\n    \
         .max_flat_workgroup_size: 128\n    \
         .args:\n      \
         - {{.offset: 0, .size: 8, .value_kind: global_buffer}}\n      \
         - {{.offset: 8, .size: 8, .value_kind: global_buffer}}\n\
         ...\n\
         .end_amdgpu_metadata\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("k.s"), source).unwrap();
    let mut assemble = Command::new(mc);
    assemble
        .args(["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx908", "-filetype=obj", "-o"])
        .arg(path("k.o"))
        .arg(path("k.s"));
    assert!(assemble.status().unwrap().success());
    assert!(
        Command::new(lld).args(["-shared", "-o"]).arg(path("k.hsaco")).arg(path("k.o")).status().unwrap().success()
    );
    Some(CodeObject::load(&std::fs::read(path("k.hsaco")).unwrap(), "gfx908").unwrap())
}

/// Runs a kernel; its results, or its fault.
fn run(object: &CodeObject, seed: u64, bytes: u64) -> Result<Vec<u32>, Box<Fault>> {
    let mut memory = HostMemory::new();
    let input: Vec<u8> = (0..128u32).flat_map(|word| (1000 + word).to_le_bytes()).collect();
    let (from, to) = (memory.alloc_from(&input), memory.alloc(bytes));
    let arguments: Vec<u8> = [from, to].iter().flat_map(|address| address.to_le_bytes()).collect();
    let launch = Launch { block: [128, 1, 1], seed, threads: 1, max_steps: 10_000, ..Launch::default() };
    match object.launch("k", &launch, &arguments, &memory) {
        Ok(stats) => {
            assert_eq!((stats.waves, stats.workgroups), (2, 1));
            let read = memory.read(to, bytes as usize).unwrap();
            Ok(read.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
        }
        Err(error) => Err(Box::new(error.fault().unwrap_or_else(|| panic!("{error}")).clone())),
    }
}

#[test]
fn right_under_every_order() {
    let Some(object) = object(GOOD) else { return };
    assert_eq!(object.unknown("k").unwrap(), Vec::<String>::new());
    for seed in 0..20 {
        let words = run(&object, seed, 512).unwrap();
        assert!(words.iter().enumerate().all(|(at, word)| *word == 1127 - at as u32), "{words:?}");
    }
}

/// The faults of the kernel with `from` replaced, under several orders.
fn planted(from: &str, to: &str) -> Option<Vec<Fault>> {
    assert!(GOOD.contains(from));
    let object = object(&GOOD.replacen(from, to, 1))?;
    Some((0..5).map(|seed| *run(&object, seed, 512).expect_err(from)).collect())
}

#[test]
fn planted_mistakes_are_caught() {
    let cases = [
        ("    s_barrier\n", "", FaultKind::Race, "ds_"),
        ("v2\n    s_waitcnt lgkmcnt(0)\n", "v2\n", FaultKind::Race, "ds_read_b32"),
        ("    s_waitcnt vmcnt(0)\n", "", FaultKind::MissingWait, "ds_write_b32"),
        ("v3\n    s_waitcnt lgkmcnt(0)\n", "v3\n", FaultKind::MissingWait, "global_store_dword"),
        ("    s_waitcnt lgkmcnt(0)\n    global_load", "    global_load", FaultKind::MissingWait, "global_load_dword"),
        ("0x1fc", "0x200", FaultKind::OutOfBounds, "ds_read_b32"),
        ("v1, v4, s[2:3]", "v1, v5, s[2:3]", FaultKind::Uninitialised, "global_store_dword"),
        ("v1, v4, s[2:3]", "v5, v4, s[2:3]", FaultKind::Uninitialised, "global_store_dword"),
        (
            "    v_sub_u32",
            "    v_cmp_eq_u32 vcc, v5, v6\n    s_cbranch_vccz 0\n    v_sub_u32",
            FaultKind::Uninitialised,
            "s_cbranch_vccz",
        ),
        ("    v_sub_u32", "    s_mov_b64 exec, s[8:9]\n    v_sub_u32", FaultKind::Uninitialised, "s_mov_b64"),
        ("    v_sub_u32", "    v_lerp_u8 v5, v0, v0, v0\n    v_sub_u32", FaultKind::Unknown, "v_lerp_u8"),
        ("    s_endpgm", "    s_branch 65535", FaultKind::Endless, ""),
        ("    s_endpgm", "    s_nop 0", FaultKind::Illegal, ""),
        ("v1, v4, s[2:3]", "v1, v4, s[2:3] offset:512", FaultKind::OutOfBounds, "global_store_dword"),
        ("    s_endpgm", "    s_setpc_b64 s[2:3]", FaultKind::Illegal, "s_setpc_b64"),
        ("    s_endpgm", "    s_trap 2", FaultKind::Illegal, "s_trap"),
    ];
    for (from, to, kind, at) in cases {
        let Some(faults) = planted(from, to) else { return };
        for fault in faults {
            // A wave that reads before the other one writes stores what nothing wrote, before the race is complete.
            let early = kind == FaultKind::Race && fault.kind == FaultKind::Uninitialised;
            assert!(fault.kind == kind || early, "{from:?}: {fault}");
            assert!(early || fault.instruction.starts_with(at), "{from:?}: {fault}");
            assert_eq!(fault.kernel, "k");
        }
    }
}

#[test]
fn a_fault_names_lane_and_address() {
    let Some(object) = object(GOOD) else { return };
    let fault = run(&object, 0, 500).unwrap_err();
    assert_eq!((fault.kind, fault.wave, fault.lane), (FaultKind::OutOfBounds, 1, Some(61)));
    assert_eq!(fault.address.map(|address| address % 4096), Some(500));
    assert_eq!(fault.instruction, "global_store_dword v1, v4, s[2:3]");
    assert!(fault.to_string().contains("kernel k at +0x"), "{fault}");
}

/// A product of [16, 4] by [4, 16] in one matrix instruction: lane l has row l mod 16 of A and column l mod 16 of B at
/// step l div 16, and rows 4·(l div 16) … + 3 of its column of the result.
const PRODUCT: &str = "
    s_load_dwordx4 s[0:3], s[4:5], 0x0
    v_and_b32 v1, 15, v0
    v_lshrrev_b32 v2, 4, v0
    v_lshl_add_u32 v3, v1, 2, v2
    v_lshlrev_b32 v3, 2, v3
    v_lshl_add_u32 v4, v2, 4, v1
    v_lshlrev_b32 v4, 2, v4
    s_waitcnt lgkmcnt(0)
    global_load_dword v5, v3, s[0:1]
    global_load_dword v6, v4, s[0:1] offset:256
    v_accvgpr_write_b32 a0, 0
    v_accvgpr_write_b32 a1, 0
    v_accvgpr_write_b32 a2, 0
    v_accvgpr_write_b32 a3, 0
    s_waitcnt vmcnt(0)
    v_mfma_f32_16x16x4f32 a[0:3], v5, v6, a[0:3]
    v_lshlrev_b32 v7, 8, v2
    v_lshl_add_u32 v7, v1, 2, v7
    s_nop 15
    v_accvgpr_read_b32 v3, a0
    v_accvgpr_read_b32 v4, a1
    v_accvgpr_read_b32 v5, a2
    v_accvgpr_read_b32 v6, a3
    global_store_dword v7, v3, s[2:3]
    global_store_dword v7, v4, s[2:3] offset:64
    global_store_dword v7, v5, s[2:3] offset:128
    global_store_dword v7, v6, s[2:3] offset:192
    s_endpgm
";

/// Lanes that hold other elements than the instruction wants break no rule: the numbers tell.
#[test]
fn a_wrong_lane_layout_gives_a_wrong_product() {
    let value = |at: usize| (at * at % 7) as f32 - 3.0;
    let (a, b): (Vec<f32>, Vec<f32>) = ((0..64).map(value).collect(), (64..128).map(value).collect());
    let right: Vec<f32> = (0..256).map(|at| (0..4).map(|k| a[at / 16 * 4 + k] * b[k * 16 + at % 16]).sum()).collect();
    let product = |from: &str, to: &str| {
        assert!(PRODUCT.contains(from));
        let object = object(&PRODUCT.replacen(from, to, 1))?;
        let mut memory = HostMemory::new();
        let input: Vec<u8> = a.iter().chain(&b).flat_map(|value| value.to_le_bytes()).collect();
        let (from, to) = (memory.alloc_from(&input), memory.alloc(1024));
        let arguments: Vec<u8> = [from, to].iter().flat_map(|address| address.to_le_bytes()).collect();
        let launch = Launch { block: [64, 1, 1], threads: 1, max_steps: 1000, ..Launch::default() };
        object.launch("k", &launch, &arguments, &memory).unwrap();
        let read = memory.read(to, 1024).unwrap();
        Some(read.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect::<Vec<f32>>())
    };
    let Some(found) = product("s_endpgm", "s_endpgm") else { return };
    assert_eq!(found, right);
    let planted = [
        // Rows of A by lane div 4, as they lie in memory; B turned; results as if a lane had every fourth row.
        ("v_lshl_add_u32 v3, v1, 2, v2", "v_mov_b32 v3, v0"),
        ("v_lshl_add_u32 v4, v2, 4, v1", "v_lshl_add_u32 v4, v1, 2, v2"),
        ("v_lshlrev_b32 v7, 8, v2", "v_lshlrev_b32 v7, 6, v2"),
    ];
    for (from, to) in planted {
        assert_ne!(product(from, to).unwrap(), right, "{from}");
    }
}

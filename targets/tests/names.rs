//! Every name of the collected target facts resolves, every mutation of one is answered without a panic, and the names
//! of the seeds' tables mean what the seeds say in all three spellings.

use fornax_targets::{
    Backend, TargetError, default_targets, resolve, resolve_all, resolve_native_cpu, target_names, without_duplicates,
};
use fornax_targets::{CpuIsa, Feature, ImageKind, Target, fits, fits_cpu_features};

/// Name → canonical architecture.
#[rustfmt::skip]
const CUDA_NAMES: &[(&str, &str)] = &[
    ("sm_35", "sm_35"), ("sm_50", "sm_50"), ("sm_52", "sm_52"), ("sm_60", "sm_60"), ("sm_61", "sm_61"),
    ("sm_62", "sm_62"), ("sm_70", "sm_70"), ("sm_72", "sm_72"), ("sm_75", "sm_75"), ("sm_80", "sm_80"),
    ("sm_86", "sm_86"), ("sm_87", "sm_87"), ("sm_89", "sm_89"), ("sm_90", "sm_90"), ("sm_100", "sm_100"),
    ("sm_103", "sm_103"), ("sm_110", "sm_110"), ("sm_120", "sm_120"), ("sm_121", "sm_121"), ("sm_20", "sm_20"),
    ("sm_21", "sm_21"), ("sm_30", "sm_30"), ("sm_32", "sm_32"), ("sm_37", "sm_37"), ("sm_53", "sm_53"),
    ("sm_88", "sm_88"), ("sm_90a", "sm_90a"), ("sm_100a", "sm_100a"), ("sm_100f", "sm_100f"), ("sm_101", "sm_101"),
    ("sm_101a", "sm_101a"), ("sm_101f", "sm_101f"), ("sm_103a", "sm_103a"), ("sm_103f", "sm_103f"),
    ("sm_110a", "sm_110a"), ("sm_110f", "sm_110f"), ("sm_120a", "sm_120a"), ("sm_120f", "sm_120f"),
    ("sm_121a", "sm_121a"), ("sm_121f", "sm_121f"), ("k80", "sm_35"), ("p100", "sm_60"), ("p40", "sm_61"),
    ("v100", "sm_70"), ("t4", "sm_75"), ("a100", "sm_80"), ("a100-80gb", "sm_80"), ("a30", "sm_80"), ("a10", "sm_86"),
    ("a40", "sm_86"), ("l4", "sm_89"), ("l40", "sm_89"), ("l40s", "sm_89"), ("h100", "sm_90"), ("h100-pcie", "sm_90"),
    ("h200", "sm_90"), ("gh200", "sm_90"), ("b200", "sm_100"), ("gb200", "sm_100"), ("b300", "sm_103"),
    ("rtx2060", "sm_75"), ("rtx2070", "sm_75"), ("rtx2080", "sm_75"), ("rtx2080ti", "sm_75"), ("rtx3060", "sm_86"),
    ("rtx3070", "sm_86"), ("rtx3070ti", "sm_86"), ("rtx3080", "sm_86"), ("rtx3080ti", "sm_86"), ("rtx3090", "sm_86"),
    ("rtx3090ti", "sm_86"), ("rtx4060", "sm_89"), ("rtx4070", "sm_89"), ("rtx4080", "sm_89"), ("rtx4090", "sm_89"),
    ("rtx5070", "sm_120"), ("rtx5080", "sm_120"), ("rtx5090", "sm_120"), ("gb10", "sm_121"), ("orin", "sm_87"),
    ("thor", "sm_110"),
];

/// Name → canonical architecture.
#[rustfmt::skip]
const ROCM_NAMES: &[(&str, &str)] = &[
    ("gfx900", "gfx900"), ("gfx906", "gfx906"), ("gfx908", "gfx908"), ("gfx90a", "gfx90a"), ("gfx942", "gfx942"),
    ("gfx950", "gfx950"), ("gfx1030", "gfx1030"), ("gfx1031", "gfx1031"), ("gfx1032", "gfx1032"),
    ("gfx1033", "gfx1033"), ("gfx1034", "gfx1034"), ("gfx1035", "gfx1035"), ("gfx1036", "gfx1036"),
    ("gfx1010", "gfx1010"), ("gfx1011", "gfx1011"), ("gfx1012", "gfx1012"), ("gfx1013", "gfx1013"),
    ("gfx1100", "gfx1100"), ("gfx1101", "gfx1101"), ("gfx1102", "gfx1102"), ("gfx1103", "gfx1103"),
    ("gfx1150", "gfx1150"), ("gfx1151", "gfx1151"), ("gfx1200", "gfx1200"), ("gfx1201", "gfx1201"),
    ("gfx1250", "gfx1250"), ("gfx600", "gfx600"), ("gfx601", "gfx601"), ("gfx602", "gfx602"), ("gfx700", "gfx700"),
    ("gfx701", "gfx701"), ("gfx702", "gfx702"), ("gfx703", "gfx703"), ("gfx704", "gfx704"), ("gfx705", "gfx705"),
    ("gfx801", "gfx801"), ("gfx802", "gfx802"), ("gfx803", "gfx803"), ("gfx805", "gfx805"), ("gfx810", "gfx810"),
    ("gfx902", "gfx902"), ("gfx904", "gfx904"), ("gfx909", "gfx909"), ("gfx90c", "gfx90c"), ("gfx1152", "gfx1152"),
    ("gfx1153", "gfx1153"), ("gfx1251", "gfx1251"), ("gfx9-generic", "gfx9-generic"),
    ("gfx9-4-generic", "gfx9-4-generic"), ("gfx10-1-generic", "gfx10-1-generic"),
    ("gfx10-3-generic", "gfx10-3-generic"), ("gfx11-generic", "gfx11-generic"), ("gfx12-generic", "gfx12-generic"),
    ("mi25", "gfx900"), ("mi50", "gfx906"), ("mi60", "gfx906"), ("mi100", "gfx908"), ("mi210", "gfx90a"),
    ("mi250", "gfx90a"), ("mi250x", "gfx90a"), ("mi300a", "gfx942"), ("mi300x", "gfx942"), ("mi308x", "gfx942"),
    ("mi325x", "gfx942"), ("mi350x", "gfx950"), ("mi355x", "gfx950"), ("rx9070xt", "gfx1201"), ("rx9070", "gfx1201"),
    ("r9700", "gfx1201"), ("rx9060xt", "gfx1200"), ("rx7900xtx", "gfx1100"), ("rx7900xt", "gfx1100"),
    ("rx7800xt", "gfx1101"), ("rx7700xt", "gfx1101"), ("v710", "gfx1101"), ("w7900", "gfx1100"), ("w7800", "gfx1100"),
    ("w7700", "gfx1101"), ("phoenix", "gfx1103"), ("strix-point", "gfx1150"), ("strix-halo", "gfx1151"),
];

/// What LLVM 22 does not know.
const REJECTED: &[&str] =
    &["sm_80a", "sm_90f", "sm_130", "gfx940", "gfx941", "gfx1170", "gfx12-5-generic", "teapot", "rtx5000"];

/// (product, canonical, code name, what the code name means) of the seeds' tables.
#[rustfmt::skip]
const SEED_ROWS: &[(Backend, &str, &str, &str, &str)] = &[
    (Backend::Cuda, "P100", "sm_60", "pascal", "sm_60"),
    (Backend::Cuda, "V100", "sm_70", "volta", "sm_70"),
    (Backend::Cuda, "A100", "sm_80", "ampere", "sm_80"),
    (Backend::Cuda, "H100", "sm_90", "hopper", "sm_90"),
    (Backend::Cuda, "RTX20 series", "sm_75", "turing", "sm_75"),
    (Backend::Cuda, "RTX30 series", "sm_86", "ampere", "sm_80"),
    (Backend::Cuda, "RTX40 series", "sm_89", "ada", "sm_89"),
    (Backend::Cuda, "K80", "sm_35", "kepler", "sm_35"),
    (Backend::Rocm, "MI25", "gfx900", "gcn5", "gfx900"),
    (Backend::Rocm, "MI50", "gfx906", "vega20", "gfx906"),
    (Backend::Rocm, "MI60", "gfx906", "vega20", "gfx906"),
    (Backend::Rocm, "MI100", "gfx908", "cdna1", "gfx908"),
];

fn arch(backend: Backend, name: &str) -> String {
    match resolve(backend, name) {
        Ok(resolved) => resolved.target.name,
        Err(error) => panic!("{name}: {error}"),
    }
}

#[test]
fn every_collected_name_resolves_and_survives_its_text_form() {
    for (backend, names) in [(Backend::Cuda, CUDA_NAMES), (Backend::Rocm, ROCM_NAMES)] {
        for (name, wanted) in names {
            assert_eq!(arch(backend, name), *wanted, "{name}");
            assert_eq!(arch(backend, &name.to_uppercase()), *wanted, "{name}");
            assert_eq!(arch(backend, &name.replace(['-', '_'], " ")), *wanted, "{name}");
            let target = resolve(backend, name).expect("just resolved").target;
            assert_eq!(Target::from_spec(&target.spec()), Ok(target), "{name}");
        }
        for (name, wanted) in target_names(backend) {
            assert_eq!(arch(backend, name), wanted, "{name}");
        }
    }
}

#[test]
fn the_seed_tables_hold_in_all_columns() {
    for (backend, product, canonical, code_name, code_name_arch) in SEED_ROWS {
        assert_eq!(arch(*backend, product), *canonical);
        assert_eq!(arch(*backend, canonical), *canonical);
        assert_eq!(arch(*backend, code_name), *code_name_arch);
    }
}

#[test]
fn the_spellings_people_use_resolve() {
    for (name, wanted) in [
        ("SM_80", "sm_80"),
        ("sm80", "sm_80"),
        ("RTX 3090", "sm_86"),
        ("geforce-rtx-3090", "sm_86"),
        ("NVIDIA GeForce RTX 4090", "sm_89"),
        ("h100-sxm", "sm_90"),
        ("a100-40gb", "sm_80"),
        ("NVIDIA A100-SXM4-80GB", "sm_80"),
        ("NVIDIA H100 80GB HBM3", "sm_90"),
        ("rtx 4070 super", "sm_89"),
        ("rtx20", "sm_75"),
        ("Tesla T4", "sm_75"),
        ("NVIDIA H200", "sm_90"),
        ("gb200", "sm_100"),
    ] {
        assert_eq!(arch(Backend::Cuda, name), wanted, "{name}");
    }
    for (name, wanted) in [
        ("AMD Instinct MI300X", "gfx942"),
        ("Radeon RX 7900 XTX", "gfx1100"),
        ("cdna3", "gfx942"),
        ("RDNA-3", "gfx1100"),
        ("gfx90A", "gfx90a"),
    ] {
        assert_eq!(arch(Backend::Rocm, name), wanted, "{name}");
    }
    for (name, wanted) in [
        ("x86_64_v4", "x86-64-v4"),
        ("zen4", "znver4"),
        ("X86-64", "x86-64"),
        ("generic", "aarch64"),
        ("neoverse_v2", "neoverse-v2"),
    ] {
        assert_eq!(arch(Backend::Cpu, name), wanted, "{name}");
    }
}

#[test]
fn a_wrong_name_is_answered_with_the_nearest() {
    let text = |backend, name| resolve(backend, name).expect_err("unknown").to_string();
    assert!(text(Backend::Cuda, "hoper").contains("did you mean `hopper`"), "{}", text(Backend::Cuda, "hoper"));
    assert!(text(Backend::Cuda, "sm_08").contains("sm_80"));
    assert!(text(Backend::Rocm, "gfx940").contains("gfx94") || text(Backend::Rocm, "gfx940").contains("gfx9"));
    assert_eq!(resolve(Backend::Cuda, "mi300x").expect_err("AMD").code(), "FX0502");
    assert_eq!(resolve(Backend::Cuda, " ").expect_err("empty").code(), "FX0503");
    for name in REJECTED {
        for backend in [Backend::Cuda, Backend::Rocm, Backend::Cpu] {
            assert!(matches!(resolve(backend, name), Err(TargetError::UnknownTarget { .. })), "{name}");
        }
    }
    assert!(Backend::parse("cdua").expect_err("unknown").to_string().contains("`cuda`"));
    assert_eq!(Backend::parse("HIP"), Ok(Backend::Rocm));
}

#[test]
fn mutated_names_never_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let letters: Vec<char> = "abgxsmrtf0159-_ é∑,:+".chars().collect();
    let all: Vec<&str> = CUDA_NAMES.iter().chain(ROCM_NAMES).map(|(name, _)| *name).collect();
    for _ in 0..2000 {
        let mut name: Vec<char> = all[random(all.len())].chars().collect();
        for _ in 0..1 + random(3) {
            let letter = letters[random(letters.len())];
            let place = random(name.len() + 1);
            match random(3) {
                0 => name.insert(place, letter),
                1 if place < name.len() => name[place] = letter,
                _ if place < name.len() => drop(name.remove(place)),
                _ => {}
            }
        }
        let name: String = name.into_iter().collect();
        for backend in [Backend::Cuda, Backend::Rocm, Backend::Cpu] {
            let _ = resolve(backend, &name);
            let _ = Target::from_spec(&format!("{backend}:{name}"));
            for kind in ImageKind::ALL {
                let _ = fits(&name, "sm_80", *kind);
                let _ = fits("gfx90a", &name, *kind);
            }
        }
    }
    let _ = resolve(Backend::Cuda, &"sm_".repeat(100_000));
}

#[test]
fn defaults_name_a_better_choice() {
    let names = |backend| -> Vec<String> { default_targets(backend).into_iter().map(|r| r.target.name).collect() };
    assert_eq!(names(Backend::Cuda), ["sm_60"]);
    assert_eq!(names(Backend::Rocm), ["gfx908"]);
    assert_eq!(names(Backend::OpenCl), ["spirv64"]);
    assert_eq!(names(Backend::Cpu), ["x86-64-v3", "x86-64-v4"]);
    let cuda = &default_targets(Backend::Cuda)[0];
    assert!(
        cuda.notes.iter().any(|note| note.contains("sm_60")
            && note.contains("tensor cores")
            && note.contains("--target=cuda:native"))
    );
    let rocm = &default_targets(Backend::Rocm)[0];
    assert!(rocm.notes.iter().any(|note| note.contains("gfx908") && note.contains("gfx942")));
    assert!(default_targets(Backend::Cpu).iter().all(|cpu| cpu.notes.is_empty()));
}

#[test]
fn a_chip_with_a_variant_of_its_own_is_compiled_with_a_fallback() {
    let names = |name: &str| -> Vec<(String, bool)> {
        let targets = resolve_all(Backend::Cuda, name).expect("known");
        targets.into_iter().map(|resolved| (resolved.target.name, resolved.fallback)).collect()
    };
    let both = vec![("sm_90a".to_string(), false), ("sm_80".to_string(), true)];
    for name in ["sm_90", "hopper", "H100", "NVIDIA H200"] {
        assert_eq!(names(name), both, "{name}");
    }
    assert_eq!(names("sm_90a"), both[..1]);
    assert_eq!(names("a100"), [("sm_80".to_string(), false)]);
    let all =
        [resolve_all(Backend::Cuda, "h200"), resolve_all(Backend::Cuda, "sm_80"), resolve_all(Backend::Cuda, "hopper")];
    let kept = without_duplicates(all.into_iter().flat_map(|found| found.expect("known")).collect());
    let kept: Vec<_> = kept.iter().map(|r| (r.target.name.as_str(), r.fallback, r.product.map(|p| p.name))).collect();
    assert_eq!(kept, [("sm_90a", false, Some("h200")), ("sm_80", false, None)]);
}

#[test]
fn limits_features_and_ptx_versions_are_the_rows() {
    let target = |name| resolve(Backend::Cuda, name).expect("known").target;
    assert_eq!((target("sm_86").shared_bytes_max, target("sm_86").static_shared_bytes_max), (99 * 1024, 48 * 1024));
    // sm_80 code runs on sm_86, sm_90 code on sm_120; sm_90a code on sm_90 alone.
    let shared = ["sm_70", "sm_80", "sm_90", "sm_90a", "sm_120"].map(|name| target(name).shared_bytes_max / 1024);
    assert_eq!(shared, [64, 99, 99, 227, 99]);
    assert_eq!(target("sm_60").llvm_features, "+ptx63");
    assert!(target("sm_60").has(Feature::ShuffleSync) && !target("sm_20").has(Feature::ShuffleSync));
    assert!(target("sm_80").has(Feature::MmaTf32) && !target("sm_75").has(Feature::MmaTf32));
    assert!(target("sm_90a").has(Feature::Wgmma) && !target("sm_90").has(Feature::Wgmma));
    assert!(target("sm_120a").has(Feature::SetMaxRegisters) && !target("sm_120").has(Feature::SetMaxRegisters));
    let newer = target("sm_90").with_features("+ptx84").expect("LLVM writes 8.4");
    assert_eq!((newer.llvm_features.as_str(), newer.spec().as_str()), ("+ptx84", "cuda:sm_90,+ptx84"));
    assert!(newer.has(Feature::MmaFp8) && !target("sm_90").has(Feature::MmaFp8));
    assert_eq!(target("sm_90a").with_features("+ptx78").expect_err("too old").code(), "FX0505");
    assert_eq!(target("sm_90").with_features("+ptx91").expect_err("not written").code(), "FX0505");
    assert_eq!(target("sm_90").with_features("ptx84").expect_err("no sign").code(), "FX0504");
    let amd = |name| resolve(Backend::Rocm, name).expect("known").target;
    assert_eq!((amd("gfx90a").subgroup_size, amd("gfx1100").subgroup_size), (64, 32));
    assert_eq!((amd("gfx950").shared_bytes_max, amd("gfx9-generic").amdgpu_code_object), (160 * 1024, Some(600)));
    assert!(resolve(Backend::Cuda, "sm_88").expect("LLVM knows it").notes.iter().any(|note| note.contains("sm_87")));
    assert!(resolve(Backend::Cuda, "k80").expect("known").notes.iter().any(|note| note.contains("no current driver")));
}

#[test]
fn images_fit_the_devices_they_should() {
    let ok = |device, image, kind| fits(device, image, kind).is_ok();
    assert!(
        ok("sm_90", "sm_60", ImageKind::Ptx)
            && ok("sm_130", "sm_90", ImageKind::Ptx)
            && !ok("sm_75", "sm_80", ImageKind::Ptx)
    );
    assert!(ok("sm_90", "sm_90a", ImageKind::Ptx) && !ok("sm_100", "sm_90a", ImageKind::Ptx));
    assert!(
        ok("sm_103", "sm_100f", ImageKind::Cubin)
            && ok("sm_121", "sm_120f", ImageKind::Ptx)
            && !ok("sm_120", "sm_100f", ImageKind::Ptx)
    );
    assert!(
        ok("sm_89", "sm_80", ImageKind::Cubin)
            && !ok("sm_80", "sm_86", ImageKind::Cubin)
            && !ok("sm_90", "sm_80", ImageKind::Cubin)
    );
    assert!(!ok("sm_87", "sm_80", ImageKind::Cubin) && ok("sm_87", "sm_87", ImageKind::Cubin));
    assert!(ok("gfx90a:sramecc+:xnack-", "gfx90a", ImageKind::Hsaco) && !ok("gfx90c", "gfx90a", ImageKind::Hsaco));
    assert!(
        !ok("gfx90a:sramecc+:xnack-", "gfx90a,+xnack", ImageKind::Hsaco)
            && ok("gfx90a:xnack+", "gfx90a,+xnack", ImageKind::Hsaco)
    );
    assert!(
        ok("gfx942:sramecc+:xnack-", "gfx942,+sramecc,-xnack", ImageKind::Hsaco)
            && !ok("gfx942:sramecc+:xnack+", "gfx942,+sramecc,-xnack", ImageKind::Hsaco)
            && !ok("gfx942:sramecc-:xnack-", "gfx942,+sramecc,-xnack", ImageKind::Hsaco)
    );
    assert!(ok("gfx942", "gfx9-4-generic", ImageKind::Hsaco) && !ok("gfx908", "gfx9-generic", ImageKind::Hsaco));
    assert!(ok("x86-64-v4", "x86-64-v3", ImageKind::CpuElf) && !ok("x86-64-v3", "x86-64-v4", ImageKind::CpuElf));
    assert!(ok("znver4", "x86-64-v4", ImageKind::CpuElf) && !ok("x86-64-v4", "aarch64", ImageKind::CpuElf));
    let misfit = fits("sm_70", "sm_80", ImageKind::Ptx).expect_err("older");
    assert!(misfit.to_string().contains("FX0507") && misfit.to_string().contains("sm_70"));
}

#[test]
fn target_ids_of_amd_are_names() {
    let of = |name: &str| resolve(Backend::Rocm, name).expect("a target id").target.arch_spec();
    assert_eq!(of("gfx90a:sramecc+:xnack-"), "gfx90a,+sramecc,-xnack");
    assert_eq!(of("gfx942:xnack+"), "gfx942,+xnack");
    assert_eq!(of("MI300X:sramecc+"), "gfx942,+sramecc");
    let spec = |text: &str| fornax_targets::Target::from_spec(text).expect("a target");
    assert_eq!(spec("rocm:gfx90a:sramecc+:xnack-"), spec("rocm:gfx90a,+sramecc,-xnack"));
    for wrong in ["gfx90a:", "gfx90a:xnack", "gfx90a:fast+", "gfx90a:xnack+-", "gfx90a:+xnack"] {
        let error = resolve(Backend::Rocm, wrong).expect_err(wrong).to_string();
        assert!(error.contains("FX0504") && error.contains("gfx90a"), "{error}");
    }
    let error = resolve(Backend::Rocm, "gfx9999:xnack+").expect_err("no chip").to_string();
    assert!(error.contains("FX0501"), "{error}");
    assert!(resolve(Backend::Cuda, "sm_80:xnack+").is_err());
}

#[test]
fn the_native_cpu_is_the_highest_level_it_has() {
    let v3 = [
        "sse3",
        "ssse3",
        "sse4.1",
        "sse4.2",
        "popcnt",
        "cmpxchg16b",
        "avx",
        "avx2",
        "bmi1",
        "bmi2",
        "f16c",
        "fma",
        "lzcnt",
        "movbe",
    ];
    let native = resolve_native_cpu(CpuIsa::X86_64, &v3).target;
    assert_eq!((native.name.as_str(), native.extra_features.as_str()), ("x86-64-v3", ""));
    let mut v4 = v3.to_vec();
    v4.extend(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512vnni", "avx512bf16"]);
    let native = resolve_native_cpu(CpuIsa::X86_64, &v4).target;
    assert_eq!(native.spec(), "cpu:x86-64-v4,+avx512vnni,+avx512bf16");
    assert!(native.has(Feature::CvtBf16) && native.vector_bytes == 64);
    assert_eq!(Target::from_spec(&native.spec()), Ok(native.clone()));
    assert!(fits_cpu_features("x86_64", &v4, &native.arch_spec()).is_ok());
    let misfit = fits_cpu_features("x86_64", &v3, &native.arch_spec()).expect_err("no AVX-512");
    assert!(misfit.why.contains("avx512f") && misfit.why.contains("avx512bf16"), "{misfit}");
    assert!(fits_cpu_features("aarch64", &["neon"], "x86-64").is_err());
    assert_eq!(resolve_native_cpu(CpuIsa::X86_64, &[]).target.name, "x86-64");
}

#[test]
fn kernels_start_early_where_it_is_asked_for_and_can_be() {
    let early = |spec: &str| Target::from_spec(spec).map(|target| target.has(Feature::DependentLaunch));
    assert_eq!(early("cuda:sm_90a"), Ok(true));
    assert_eq!(early("cuda:sm_90a,-early-start"), Ok(false));
    assert_eq!(early("cuda:sm_90a,-early-start,+ptx84"), Ok(false), "a PTX version does not turn it on");
    assert_eq!(early("cuda:sm_90"), Ok(false));
    assert_eq!(early("cuda:sm_100a"), Ok(false));
    for spec in ["cuda:sm_90a,+early-start", "cuda:sm_90,+early-start,+ptx84", "cuda:sm_100,+ptx86,+early-start"] {
        assert_eq!(early(spec), Ok(true), "{spec}");
        let target = Target::from_spec(spec).expect("a target");
        assert_eq!(target.spec(), spec, "what a worker reads back");
        assert!(!target.llvm_features.contains("early"), "LLVM does not know it");
        assert!(fits(&target.name, &target.arch_spec(), ImageKind::Ptx).is_ok(), "{spec}");
    }
    assert_eq!(early("cuda:sm_90a,+early-start,-early-start"), Ok(false));
    assert_eq!(early("cuda:sm_80,+early-start").expect_err("too old").code(), "FX0510");
}

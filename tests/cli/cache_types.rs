//! Caches of types that take less: how much logits differ from what transformers computes, in every kind of function.

use fornax_tests::{fornax, root};

use crate::checkpoints::{difference_together, difference_with};

/// Checkpoints and types, with what logits may differ by, of the largest: half as much again as found (x86-64). Gemma 2
/// has windows and soft-caps.
const TOLERANCES: &[(&str, &str, f32)] =
    &[("llama3", "f16", 3.2e-3), ("llama3", "bf16", 1.3e-2), ("llama3", "int8", 2.4e-2), ("gemma2", "f8", 0.43)];
/// The same of three texts a call.
const TOGETHER: (&str, &str, f32) = ("mistral", "int8", 4.2e-2);
/// Less than any type loses.
const LEAST: f32 = 1e-5;

#[test]
fn logits_are_near_those_of_wide_caches() {
    let folder = |name: &str| root().join("tests/checkpoints").join(name);
    let check = |(name, cache, tolerance): (&str, &str, f32), found: f32| {
        assert!((LEAST..tolerance).contains(&found), "{name} {cache}: {found:e}");
    };
    for &case in TOLERANCES {
        let flags = ["--chunk=5", &format!("--cache-type={}", case.1)];
        check(case, difference_with(&folder(case.0), &folder(case.0), &flags));
    }
    check(TOGETHER, difference_together(&folder(TOGETHER.0), &format!("--cache-type={}", TOGETHER.1)));
}

#[test]
fn narrow_caches_compile_for_gpus() {
    let dir = tempfile::tempdir().unwrap();
    let folder = root().join("tests/checkpoints/llama3").display().to_string();
    for (cache, batch) in [("int8", "3"), ("f8", "1")] {
        let flags = [format!("--cache-type={cache}"), format!("--batch={batch}")];
        let targets = ["--target=cuda:sm_80", "--target=rocm:gfx942", "--cuda-use-ptxas=false", "-o", "m.fnx"];
        fornax(dir.path(), &[&["compile", "-q", &folder, &flags[0], &flags[1]][..], &targets].concat()).ok();
    }
}

#[test]
fn other_types_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let folder = root().join("tests/checkpoints/llama3").display().to_string();
    for command in [&["compile", "-o", "m.fnx", "--target=cpu"][..], &["check", "--device=cpu"]] {
        let run = fornax(dir.path(), &[command, &[&folder, "--cache-type=int4"]].concat()).fails(1, "--cache-type");
        assert!(run.stderr.contains("known: f32, bf16, f16, f8, int8"), "{}", run.stderr);
    }
}

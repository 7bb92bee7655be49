//! Caches of types that take less: how much logits differ from what transformers computes, in every kind of function.

use fornax_tests::{fornax, root};

use crate::checkpoints::{difference_together, difference_with};

/// Of the largest logit: half as much again as found (x86-64), and what is less than any of them.
const TOLERANCES: &[(&str, f32)] = &[("f16", 3.2e-3), ("bf16", 3.5e-2), ("int8", 0.1), ("f8", 0.43)];
const LEAST: f32 = 1e-5;

#[test]
fn logits_are_near_those_of_wide_caches() {
    // A window, soft-caps and norms of heads are among them.
    for name in ["llama3", "gemma2"] {
        let folder = root().join("tests/checkpoints").join(name);
        for (cache, tolerance) in TOLERANCES {
            let flag = format!("--cache-type={cache}");
            let found = difference_with(&folder, &folder, &["--chunk=5", &flag]);
            assert!((LEAST..*tolerance).contains(&found), "{name} {cache}: {found:e}");
        }
    }
    let folder = root().join("tests/checkpoints/mistral");
    for (cache, tolerance) in &TOLERANCES[2..] {
        let found = difference_together(&folder, &format!("--cache-type={cache}"));
        assert!((LEAST..*tolerance).contains(&found), "three texts, {cache}: {found:e}");
    }
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

//! Arrows run down: the allowed dependencies of each crate, against `cargo metadata`. Every dependency is used.

use std::collections::BTreeSet;
use std::process::Command;

use crate::pass_folders::product;
use crate::sources::{report, tracked};

/// Crate → workspace crates it may use (build and normal dependencies; tests may use more).
const ALLOWED: &[(&str, &[&str])] = &[
    ("fornax-types", &[]),
    ("fornax-targets", &["fornax-types"]),
    ("fornax-checkpoint", &["fornax-types"]),
    ("fornax-graph", &["fornax-types"]),
    ("fornax-plan", &["fornax-types", "fornax-graph", "fornax-targets"]),
    ("fornax-import", &["fornax-types", "fornax-checkpoint", "fornax-graph", "fornax-mlir", "fornax-reference"]),
    ("fornax-reference", &["fornax-types", "fornax-graph"]),
    ("fornax-mlir", &["fornax-types"]),
    ("fornax-module", &["fornax-types", "fornax-targets"]),
    ("fornax-emit", &["fornax-types", "fornax-graph", "fornax-plan", "fornax-targets"]),
    (
        "fornax-kernels",
        &["fornax-types", "fornax-graph", "fornax-plan", "fornax-targets", "fornax-module", "fornax-emit"],
    ),
    ("fornax-backend", &["fornax-types", "fornax-emit", "fornax-mlir", "fornax-module", "fornax-targets"]),
    // Only tests use them: they stand next to the others.
    ("fornax-emulate", &[]),
    ("fornax-gcn", &[]),
    (
        "fornax-passes",
        &[
            "fornax-types",
            "fornax-graph",
            "fornax-plan",
            "fornax-kernels",
            "fornax-reference",
            "fornax-module",
            "fornax-targets",
        ],
    ),
    (
        "fornax-compiler",
        &[
            "fornax-types",
            "fornax-graph",
            "fornax-import",
            "fornax-passes",
            "fornax-plan",
            "fornax-emit",
            "fornax-kernels",
            "fornax-backend",
            "fornax-reference",
            "fornax-module",
            "fornax-targets",
        ],
    ),
    ("fornax-runtime", &["fornax-types", "fornax-checkpoint", "fornax-module", "fornax-targets"]),
    ("fornax-c", &["fornax-module", "fornax-runtime"]),
    ("fornax-text", &["fornax-types", "fornax-checkpoint", "fornax-module", "fornax-runtime"]),
    ("fornax-serve", &["fornax-types", "fornax-runtime", "fornax-text"]),
    (
        "fornax-cli",
        &[
            "fornax-types",
            "fornax-checkpoint",
            "fornax-import",
            "fornax-compiler",
            "fornax-runtime",
            "fornax-text",
            "fornax-serve",
            "fornax-module",
            "fornax-targets",
        ],
    ),
    ("fornax-python", &["fornax-types", "fornax-runtime", "fornax-module"]),
    ("fornax-pjrt", &["fornax-types", "fornax-runtime", "fornax-module"]),
    ("fornax-tests", &[]),
    ("fornax-fake-driver", &[]),
    ("fornax-fake-hip", &["fornax-fake-driver", "fornax-gcn"]),
    ("fornax-fake-cuda", &["fornax-fake-driver"]),
    ("fornax-fake-opencl", &["fornax-fake-driver"]),
    ("fornax-fake-nccl", &[]),
];

/// Outside packages that only one crate may name.
const ONLY: &[(&str, &str)] = &[
    ("melior", "fornax-mlir"),
    ("mlir-sys", "fornax-mlir"),
    ("cudarc", "fornax-runtime"),
    ("hip-sys", "fornax-runtime"),
    ("clap", "fornax-cli"),
    ("pyo3", "fornax-python"),
];

/// Built with the tests, which find the libraries next to themselves; no source names them.
const LOADED: &[&str] = &["fornax-fake-hip", "fornax-fake-cuda", "fornax-fake-opencl", "fornax-fake-nccl", "fornax-c"];

fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(fornax_tests::root())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn arrows_run_down() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let members: BTreeSet<&str> = packages.iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(members, ALLOWED.iter().map(|row| row.0).collect(), "the table lists the members of the workspace");
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let allowed = ALLOWED.iter().find(|row| row.0 == name).unwrap().1;
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            let test_only = dependency["kind"].as_str() == Some("dev");
            if members.contains(used) && !test_only && !allowed.contains(&used) {
                wrong.push(format!("{name} uses {used}"));
            }
            if ONLY.iter().any(|&(package, owner)| package == used && owner != name) {
                wrong.push(format!("{name} names {used}"));
            }
            let version = dependency["req"].as_str().unwrap();
            // The lock file pins; a library that does would clash with others in a program.
            if !members.contains(used) && (version.starts_with('=') || version == "*") {
                wrong.push(format!("{name}: {used} is no range of versions ({version})"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether a word stands in the code of a text.
fn names(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.lines().map(|line| line.split("//").next().unwrap_or(line)).any(|code| {
        code.match_indices(word)
            .any(|(at, _)| !code[..at].ends_with(is_part) && !code[at + word.len()..].starts_with(is_part))
    })
}

#[test]
fn every_dependency_is_used() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let root = fornax_tests::root();
    let folder = |package: &serde_json::Value| -> String {
        let manifest = std::path::Path::new(package["manifest_path"].as_str().unwrap());
        format!("{}/", manifest.parent().unwrap().strip_prefix(&root).unwrap().display())
    };
    let folders: Vec<String> = packages.iter().map(folder).collect();
    let files = tracked(&[".rs"]);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (package, own) in packages.iter().zip(&folders) {
        // Crates lie in each other's folders: tests/machines/gcn in tests/.
        let inner: Vec<&String> = folders.iter().filter(|other| *other != own && other.starts_with(own)).collect();
        let of_package = |name: &str| name.starts_with(own) && !inner.iter().any(|other| name.starts_with(*other));
        // The library of fornax-tests is its harness; all else of it is a test.
        let sources = format!("{own}{}", if own == "tests/" { "harness/" } else { "src/" });
        let code = |is_product: bool| -> String {
            let files =
                files.iter().filter(|file| of_package(&file.0) && (!is_product || file.0.starts_with(&sources)));
            files.map(|(name, text)| if is_product { product(name, text) } else { text.clone() }).collect()
        };
        let (in_product, in_all) = (code(true), code(false));
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            let is_product = dependency["kind"].is_null();
            count += 1;
            if LOADED.contains(&used) || names(if is_product { &in_product } else { &in_all }, &used.replace('-', "_"))
            {
                continue;
            }
            let name = package["name"].as_str().unwrap();
            wrong.push(match is_product && names(&in_all, &used.replace('-', "_")) {
                true => format!("{name}: only tests use {used}: it is one of [dev-dependencies]"),
                false => format!("{name}: nothing uses {used}"),
            });
        }
    }
    assert!(count > 80, "found only {count} dependencies");
    report(wrong);
}

#[test]
fn words_are_found_in_code_only() {
    assert!(names("use half::f16; // x", "half"));
    assert!(!names("let halfway = one_half; // half", "half"));
}

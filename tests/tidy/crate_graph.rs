//! Arrows run down: the allowed dependencies of each crate, against `cargo metadata`.

use std::collections::BTreeSet;
use std::process::Command;

/// Crate → workspace crates it may use (build and normal dependencies; tests may use more).
const ALLOWED: &[(&str, &[&str])] = &[
    ("fornax-types", &[]),
    ("fornax-targets", &["fornax-types"]),
    ("fornax-graph", &["fornax-types"]),
    ("fornax-plan", &["fornax-types", "fornax-graph", "fornax-targets"]),
    ("fornax-import", &["fornax-types", "fornax-graph", "fornax-mlir"]),
    ("fornax-reference", &["fornax-types", "fornax-graph"]),
    ("fornax-mlir", &["fornax-types"]),
    ("fornax-module", &["fornax-types", "fornax-targets"]),
    (
        "fornax-codegen",
        &["fornax-types", "fornax-plan", "fornax-graph", "fornax-mlir", "fornax-module", "fornax-targets"],
    ),
    // Only tests use them: they stand beside the others.
    ("fornax-emulate", &[]),
    ("fornax-gcn", &[]),
    (
        "fornax-passes",
        &["fornax-types", "fornax-graph", "fornax-plan", "fornax-reference", "fornax-module", "fornax-targets"],
    ),
    (
        "fornax-compiler",
        &[
            "fornax-types",
            "fornax-graph",
            "fornax-import",
            "fornax-passes",
            "fornax-plan",
            "fornax-codegen",
            "fornax-reference",
            "fornax-module",
            "fornax-targets",
        ],
    ),
    ("fornax-runtime", &["fornax-types", "fornax-module", "fornax-targets"]),
    ("fornax-cli", &["fornax-types", "fornax-compiler", "fornax-runtime", "fornax-module", "fornax-targets"]),
    ("fornax-tests", &[]),
    ("fornax-fake-driver", &[]),
    ("fornax-fake-hip", &["fornax-fake-driver", "fornax-gcn"]),
    ("fornax-fake-cuda", &["fornax-fake-driver"]),
    ("fornax-fake-opencl", &["fornax-fake-driver"]),
];

/// Outside packages that only one crate may name.
const ONLY: &[(&str, &str)] = &[
    ("melior", "fornax-mlir"),
    ("mlir-sys", "fornax-mlir"),
    ("cudarc", "fornax-runtime"),
    ("hip-sys", "fornax-runtime"),
    ("clap", "fornax-cli"),
];

#[test]
fn arrows_run_down() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(fornax_tests::root())
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
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
            if !members.contains(used) && !version.starts_with('=') {
                wrong.push(format!("{name}: {used} is not pinned ({version})"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

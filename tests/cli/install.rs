//! An installation is complete: what `make install` lays out runs the demo model in an empty root.

use std::process::Command;

use fornax_tests::{binary, root};

/// Runs a script of tests/dist and returns what it printed.
#[track_caller]
fn script(name: &str, arguments: &[&std::path::Path]) -> String {
    let output = Command::new(root().join("tests/dist").join(name)).args(arguments).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {printed}");
    printed
}

/// Bytes of the stripped program, optimised or not. With all of MLIR and of LLVM's code generators it has 190 MB and
/// more. On 2026-12-01 it had 123.9 MB optimised, and 160.2 as tests build it: crates that they do little in are not.
const PROGRAM_MAX: u64 = 165_000_000;

#[test]
fn the_demo_runs_as_installed() {
    let prefix = tempfile::tempdir().unwrap();
    script("stage.sh", &[&binary(), prefix.path()]);
    let size = prefix.path().join("bin/fornax").metadata().unwrap().len();
    assert!(size < PROGRAM_MAX, "{size} bytes: is more of MLIR registered than is used (crates/mlir/src/registry.rs)?");
    let licences = std::fs::read_to_string(prefix.path().join("share/doc/fornax/THIRD-PARTY")).unwrap();
    // NOTICE's own table says which crates there are; one of them stands for the rest.
    assert!(licences.contains("==== clap 4.") && licences.contains("Permission is hereby granted"));
    let printed = script("check.sh", &[prefix.path()]);
    assert!(printed.contains("[SUCCESS]") && printed.ends_with("check: the demo runs as installed\n"), "{printed}");
}

#[test]
fn a_broken_installation_is_noticed() {
    let prefix = tempfile::tempdir().unwrap();
    script("stage.sh", &[&binary(), prefix.path()]);
    std::fs::remove_file(prefix.path().join("share/doc/fornax/NOTICE")).unwrap();
    let output = Command::new(root().join("tests/dist/check.sh")).arg(prefix.path()).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("share/doc/fornax/NOTICE is missing"));
}

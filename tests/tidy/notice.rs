//! NOTICE names every crate that is linked in, with its version and licence: its table is made from `cargo tree`.
//!
//! `FORNAX_BLESS=1` rewrites the table. Crates that only build or test Fornax (bindgen, proptest, procedural macros)
//! are not in a binary, so they are not in the table.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The lines between which the table lies.
const BEGIN: &str = "--- crates (generated; FORNAX_BLESS=1 cargo test -p fornax-tests --test tidy notice) ---";
const END: &str = "--- end of crates ---";

/// Licences of crates whose manifest names a file instead of a licence. Each was read.
const READ: &[(&str, &str)] = &[("mlir-sys", "MIT")];

/// Features of the runtime-only binary, as `make deploy` builds it.
const RUNTIME_ONLY: &[&str] = &["--no-default-features", "--features=cuda,rocm,opencl,cpu"];

/// Outside crates linked into what a package makes: (name, version) and licence.
fn linked(package: &str, features: &[&str]) -> BTreeMap<(String, String), String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--color=never", "--package", package, "--prefix=none"])
        .args(["--edges=normal,no-proc-macro", "--target=x86_64-unknown-linux-gnu", "--format={p}|{l}|"])
        .args(features)
        .current_dir(fornax_tests::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let mut parts = line.split('|');
        let (package, licence) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let mut words = package.split_whitespace();
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        // What follows the version is the folder of a crate of this workspace.
        if words.next().is_none() {
            let read = READ.iter().find(|row| row.0 == name).map_or(licence, |row| row.1);
            found.insert((name.to_owned(), version.trim_start_matches('v').to_owned()), read.replace('/', " OR "));
        }
    }
    found
}

/// The table: a line a crate. What only Python's extension holds is in no binary.
fn table() -> String {
    let mut all = linked("fornax-cli", &[]);
    let compiler: BTreeSet<_> = all.keys().cloned().collect();
    let deployed: BTreeSet<_> = linked("fornax-cli", RUNTIME_ONLY).into_keys().collect();
    assert!(all.len() > 30 && deployed.len() > 20, "{} and {} crates", all.len(), deployed.len());
    let missing: Vec<_> = deployed.iter().filter(|package| !all.contains_key(package)).collect();
    assert!(missing.is_empty(), "only in the runtime: {missing:?}");
    all.extend(linked("fornax-python", &[]));
    let mut text = format!("{:<24}{:<12}{:<12}licence\n", "crate", "version", "in");
    for (package, licence) in &all {
        assert!(!licence.is_empty(), "{} names no licence: read its file and add a row to READ", package.0);
        let place = match (deployed.contains(package), compiler.contains(package)) {
            (true, _) => "both",
            (false, true) => "compiler",
            (false, false) => "python",
        };
        text.push_str(&format!("{:<24}{:<12}{place:<12}{licence}\n", package.0, package.1));
    }
    text
}

#[test]
fn notice_names_what_is_linked() {
    let path = fornax_tests::root().join("NOTICE");
    let found = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = found.split_once(BEGIN).expect("NOTICE has the line where the table begins");
    let (_, tail) = rest.split_once(END).expect("NOTICE has the line where the table ends");
    let wanted = format!("{head}{BEGIN}\n\n{}\n{END}{tail}", table());
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
        return;
    }
    assert!(found == wanted, "NOTICE is stale: run `make bless`");
}

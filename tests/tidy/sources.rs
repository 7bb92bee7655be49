//! Rules on source files, read as text from `git ls-files`.

use std::path::PathBuf;
use std::process::Command;

const MAX_LINES: usize = 600;

/// Where `unsafe` may stand.
const UNSAFE_IN: &[&str] = &[
    "crates/mlir/",
    // Its functions take pointers of C.
    "crates/c-api/",
    "crates/pjrt/",
    "runtime/src/drivers/",
    "runtime/src/mapping.rs",
    "crates/backend/tests/",
    "crates/python/src/foreign/",
    "tests/machines/gcn/src/llvm.rs",
    "tests/tidy/",
    "tests/fake-",
];

/// Names that say nothing.
const NAMELESS: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "base"];

pub fn tracked(extensions: &[&str]) -> Vec<(String, String)> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(fornax_tests::root()).output().unwrap();
    let names = String::from_utf8(output.stdout).unwrap();
    names
        .split('\0')
        .filter(|name| extensions.iter().any(|e| name.ends_with(e)))
        .filter_map(|name| Some((name.to_string(), std::fs::read_to_string(fornax_tests::root().join(name)).ok()?)))
        .collect()
}

pub fn report(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Columns of a line: code, comments and texts. rustfmt leaves long texts, tables and macros as they are.
const COLUMNS: usize = 120;

#[test]
fn lines_fit() {
    let mut wrong = Vec::new();
    for (name, text) in tracked(&[".rs"]) {
        for (number, line) in (1..).zip(text.lines()) {
            let columns = line.chars().count();
            if columns > COLUMNS {
                wrong.push(format!("{name}:{number}: {columns} columns, at most {COLUMNS}"));
            }
        }
    }
    report(wrong);
}

#[test]
fn files_are_short_and_open_with_their_purpose() {
    let files = tracked(&[".rs"]);
    assert!(files.len() > 50, "found only {} source files", files.len());
    let mut wrong = Vec::new();
    for (name, text) in &files {
        let lines = text.lines().count();
        if lines > MAX_LINES {
            wrong.push(format!("{name}: {lines} lines, split it (limit {MAX_LINES})"));
        }
        if !text.starts_with("//!") {
            wrong.push(format!("{name}: does not open with `//!` and what it is for"));
        }
    }
    report(wrong);
}

#[test]
fn unsafe_stands_only_where_it_may() {
    let mut wrong = Vec::new();
    for (name, text) in tracked(&[".rs"]) {
        let allowed = UNSAFE_IN.iter().any(|place| name.starts_with(place));
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            if !allowed && (code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl")) {
                wrong.push(format!("{name}:{}: unsafe", at + 1));
            }
        }
    }
    report(wrong);
}

#[test]
fn nothing_is_left_undone() {
    let (todo, unimplemented) = (concat!("todo", "!("), concat!("unimplemented", "!("));
    let ignore = concat!("#[", "ignore]");
    let mut wrong = Vec::new();
    for (name, text) in tracked(&[".rs"]) {
        for (at, line) in text.lines().enumerate() {
            if line.contains(todo) || line.contains(unimplemented) || line.contains(ignore) {
                wrong.push(format!("{name}:{}: {}", at + 1, line.trim()));
            }
        }
    }
    report(wrong);
}

#[test]
fn rooms_have_names() {
    let mut wrong = Vec::new();
    for (name, _) in tracked(&[".rs"]) {
        let path = PathBuf::from(&name);
        let parts = path.iter().filter_map(|p| p.to_str()).map(|p| p.trim_end_matches(".rs").to_string());
        wrong.extend(parts.filter(|p| NAMELESS.contains(&p.as_str())).map(|p| format!("{name}: `{p}` says nothing")));
    }
    report(wrong);
}

#[test]
fn no_machine_paths() {
    let places = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/tm", "p/")];
    let mut wrong = Vec::new();
    for (name, text) in tracked(&[".rs", ".md", ".py", ".sh", ".toml", "Makefile", ".ci/run"]) {
        for (at, line) in text.lines().enumerate() {
            if places.iter().any(|place| line.contains(place)) {
                wrong.push(format!("{name}:{}: {}", at + 1, line.trim()));
            }
        }
    }
    report(wrong);
}

#[test]
fn environment_is_read_only_by_the_cli_and_by_tests() {
    let mut wrong = Vec::new();
    for (name, text) in tracked(&[".rs"]) {
        let below_cli = (name.contains("/src/") || name.starts_with("passes/src")) && !name.starts_with("crates/cli/");
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        let is_test = name.contains("tests") || name.contains("conformance");
        // Options of the plugin: nobody passes it a command line.
        let is_front = name == "crates/pjrt/src/options.rs";
        if below_cli && !is_test && !is_front && code.contains("env::var") {
            wrong.push(format!("{name}: reads the environment below the CLI"));
        }
    }
    report(wrong);
}

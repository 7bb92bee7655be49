//! Which folder of `passes/src` may use which: arrows only run down, in the order of a compilation. Tests may use all.

use crate::sources::{report, tracked};

/// A folder, and those below it that it may use. `errors`, `observe` and `remarks` are for all; the files at the root
/// (`pipeline`, `plan`) stand above the folders and put them together.
const FOLDERS: &[(&str, &[&str])] = &[
    ("facts", &[]),
    ("rewrite", &[]),
    ("simplify", &["facts", "rewrite"]),
    ("decompose", &["facts", "rewrite"]),
    ("fuse", &["facts", "decompose"]),
    ("schedule", &["facts"]),
    ("program", &["facts", "schedule"]),
];

/// Uses that are still to be taken out: file and what it uses. A row that is no longer needed is an error.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// The part of a file that is no test.
pub fn product(name: &str, text: &str) -> String {
    let stem = name.rsplit('/').next().unwrap_or(name);
    let is_test = stem == "tests.rs" || stem.ends_with("_tests.rs");
    if is_test { String::new() } else { text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text).to_string() }
}

/// Roots of the paths `crate::…` in code.
pub fn uses(text: &str) -> Vec<String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    let after = code.flat_map(|line| line.split("crate::").skip(1).map(str::to_string).collect::<Vec<_>>());
    let word = |rest: &str| rest.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let roots = |rest: String| match rest.strip_prefix('{') {
        // `crate::{fuse, schedule::…}`
        Some(list) => list.split(['}', ',']).map(word).collect::<Vec<_>>(),
        None => vec![word(&rest)],
    };
    after.flat_map(roots).filter(|root| !root.is_empty()).collect()
}

#[test]
fn arrows_between_the_folders_of_passes_run_down() {
    let names: Vec<&str> = FOLDERS.iter().map(|row| row.0).collect();
    let (mut wrong, mut seen, mut needed) = (Vec::new(), 0, Vec::new());
    for (name, text) in tracked(&[".rs"]) {
        let Some(path) = name.strip_prefix("passes/src/") else { continue };
        let Some((folder, _)) = path.split_once('/') else { continue };
        let Some((_, below)) = FOLDERS.iter().find(|row| row.0 == folder) else {
            if folder != "remarks" {
                wrong.push(format!("{name}: the folder `{folder}` has no row in the table of this test"));
            }
            continue;
        };
        for used in uses(&product(&name, &text)) {
            seen += 1;
            if used == folder || !names.contains(&used.as_str()) || below.contains(&used.as_str()) {
                continue;
            }
            match EXCEPTIONS.iter().find(|row| row.0 == path && row.1 == used) {
                Some(row) => needed.push(*row),
                None => wrong.push(format!("{name}: `{folder}` may not use `{used}`, it may use {below:?}")),
            }
        }
    }
    let stale = EXCEPTIONS.iter().filter(|row| !needed.contains(row));
    wrong.extend(stale.map(|(file, used)| format!("the exception {file} -> {used} is not needed any more")));
    assert!(seen > 200, "found only {seen} uses");
    report(wrong);
}

#[test]
fn uses_are_found_in_code_only() {
    assert_eq!(
        uses("use crate::fuse::fuse; // crate::program\nlet x = crate::schedule(crate::facts::y);"),
        ["fuse", "schedule", "facts"]
    );
    assert_eq!(uses("use crate::{errors, fuse::fuse};"), ["errors", "fuse"]);
    assert_eq!(product("a.rs", "x\n#[cfg(test)]\nmod tests {\n use crate::fuse;\n}"), "x");
    assert_eq!(product("fuse/row_tests.rs", "use crate::program;"), "");
}

//! Circles of files: a file that uses another which uses it again, directly or through more of them. What stands in a
//! circle can only be read, moved or tested together.
//!
//! A file *uses* another where its code names a path into it, `crate::…`, `super::…` or `self::…`, in `use` or
//! elsewhere. The path is followed to the deepest module that is a file. Not counted:
//! - tests: items under `#[cfg(test)]`, files `tests.rs` and `…_tests.rs`;
//! - what a file says of modules below itself: a `mod.rs` declares them, hands them on and lists them;
//! - what the compiler finds without a path: a method of a type or of a trait.
//!
//! A *circle* is a strongly connected component of more than one file; the innermost folder that holds all of it has
//! it. Held, for every crate:
//! - no circle has files of two folders at the root of `src`: two kernel families, two folders of passes;
//! - circles that one folder has hold fewer than 10 files together, hence it has fewer than 5 circles. The folder `src`
//!   of a crate is held to the first rule alone.
//!
//! Worked example: `row/emit.rs` calls `walk::begin`, `row/walk.rs` names `super::emit::Rows`: one circle of two files.
//! `row/mod.rs` lists `emit::FAMILY` and `emit.rs` names `super::RowSchedule`: none.

use std::collections::{BTreeMap, BTreeSet};

use crate::pass_folders::product;
use crate::sources::{report, tracked};

/// Files that may stand in the circles of one folder.
const MOST_FILES: usize = 9;

/// Circles across folders that are known: crate, and the folders. A row that is no longer needed is an error.
const EXCEPTIONS: &[(&str, &[&str])] = &[
    // An instruction holds the function that executes it, and that gets the instruction. A machine for tests only.
    ("tests/machines/gcn", &["decode", "run", "table"]),
];

/// The names of modules from the crate's root down; `lib.rs` and `main.rs` are the empty path.
type Module = Vec<String>;

/// Which files of one crate use which.
#[derive(Default)]
struct Files {
    uses: BTreeMap<Module, BTreeSet<Module>>,
}

/// The crate's folder and the module of a file, if it is one of a crate's `src`.
fn module(name: &str) -> Option<(&str, Module)> {
    let (folder, path) = name.split_once("/src/")?;
    let path = path.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    let root = matches!(path, "lib" | "main" | "mod");
    Some((folder, if root { Module::new() } else { path.split('/').map(str::to_string).collect() }))
}

/// Code without comments and without what is compiled for tests alone.
fn code(name: &str, text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept += line;
            kept.push('\n');
            continue;
        }
        // The item ends with a line of its own depth that closes it.
        let depth = line.len() - line.trim_start().len();
        for line in lines.by_ref() {
            let own = line.len() - line.trim_start().len() == depth;
            if own && (line.ends_with(';') || line.trim_end().ends_with('}')) {
                break;
            }
        }
    }
    product(name, &kept)
}

/// The paths of a use tree: `a::{b, c::{d, e}}` is `a::b`, `a::c::d`, `a::c::e`.
fn leaves(tree: &str) -> Vec<String> {
    let Some((head, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().split_whitespace().collect()];
    };
    let list = rest.rsplit_once('}').map_or(rest, |(list, _)| list);
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in list.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match parts.last_mut() {
            Some(part) if c != ',' || depth > 0 => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(part)).map(|part| head.split_whitespace().collect::<String>() + &part).collect()
}

/// Every path that code names.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let begins =
            |before: &str| before.is_empty() || before.ends_with(['{', '}', ']', ')']) || before.ends_with("pub");
        let at = statement.find("use ").filter(|&at| begins(statement[..at].trim_end()));
        match at {
            Some(at) => {
                rest += &statement[..at];
                found.extend(leaves(statement[at + 4..].trim_end_matches(';')));
            }
            None => rest += statement,
        }
    }
    let in_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    found.extend(rest.split(|c: char| !in_path(c)).filter(|word| word.contains("::")).map(str::to_string));
    found
}

impl Files {
    fn of(sources: &[(Module, String)]) -> Files {
        let all: BTreeSet<&Module> = sources.iter().map(|(module, _)| module).collect();
        let mut files = Files::default();
        for (module, code) in sources {
            let used = paths(code).into_iter().filter_map(|path| resolved(&all, module, &path));
            let used = used.filter(|used| !used.starts_with(module)).collect();
            files.uses.insert(module.clone(), used);
        }
        files
    }

    /// All files that can be come to from one.
    fn reached(&self, from: &Module) -> BTreeSet<&Module> {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&Module> = self.uses.get(from).into_iter().flatten().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module) {
                next.extend(self.uses.get(module).into_iter().flatten());
            }
        }
        seen
    }

    /// The strongly connected components of more than one file.
    fn circles(&self) -> BTreeSet<Vec<&Module>> {
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.uses.keys().map(|module| (module, self.reached(module))).collect();
        let mut circles = BTreeSet::new();
        for (module, from) in &reached {
            let both = |other: &&Module| reached.get(other).is_some_and(|back| back.contains(module));
            let circle: Vec<&Module> = from.iter().copied().filter(both).collect();
            if circle.len() > 1 {
                circles.insert(circle);
            }
        }
        circles
    }
}

/// The innermost folder with all of a circle's files.
fn holder(circle: &[&Module]) -> Module {
    let Some((first, others)) = circle.split_first() else { return Module::new() };
    let alike = |other: &&Module| first.iter().zip(other.iter()).take_while(|(a, b)| a == b).count();
    let shared = others.iter().map(alike).min().unwrap_or(0);
    first.iter().take(shared).cloned().collect()
}

/// The deepest file that a path of a module leads into.
fn resolved(all: &BTreeSet<&Module>, from: &Module, path: &str) -> Option<Module> {
    let mut names = path.split("::").peekable();
    let mut at = from.clone();
    match names.peek().copied()? {
        "crate" => {
            at.clear();
            names.next();
        }
        "self" | "super" => {
            while let Some(name) = names.next_if(|name| matches!(*name, "self" | "super")) {
                if name == "super" {
                    at.pop();
                }
            }
        }
        // The name of another crate, of a type, of a module that `use` brought here and that was seen there.
        _ => return None,
    }
    for name in names {
        at.push(name.to_string());
        if !all.contains(&at) {
            at.pop();
            break;
        }
    }
    all.contains(&at).then_some(at)
}

/// Of each crate, the files with their code.
fn crates() -> BTreeMap<String, Vec<(Module, String)>> {
    let mut crates: BTreeMap<String, Vec<(Module, String)>> = BTreeMap::new();
    for (name, text) in tracked(&[".rs"]) {
        if let Some((folder, module)) = module(&name) {
            crates.entry(folder.to_string()).or_default().push((module, code(&name, &text)));
        }
    }
    crates
}

#[test]
fn circles_of_files_are_few_and_stay_in_a_folder() {
    let crates = crates();
    assert!(crates.len() > 12, "{:?}", crates.keys());
    let (mut wrong, mut needed, mut arrows) = (Vec::new(), Vec::new(), 0);
    for (folder, sources) in &crates {
        let files = Files::of(sources);
        arrows += files.uses.values().map(BTreeSet::len).sum::<usize>();
        let is_folder = |name: &str| files.uses.keys().any(|module| module.len() > 1 && module[0] == name);
        let mut had: BTreeMap<Module, Vec<String>> = BTreeMap::new();
        for circle in files.circles() {
            let roots = circle.iter().filter_map(|module| Some(module.first()?.as_str()));
            let roots: BTreeSet<&str> = roots.filter(|root| is_folder(root)).collect();
            let names: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
            if roots.len() < 2 {
                had.entry(holder(&circle)).or_default().extend(names);
                continue;
            }
            match EXCEPTIONS.iter().find(|row| row.0 == folder && roots.iter().eq(row.1)) {
                Some(row) => needed.push(row),
                None => wrong.push(format!("{folder}: a circle across {roots:?}: {}", names.join(", "))),
            }
        }
        for (holder, names) in had.iter().filter(|(holder, names)| !holder.is_empty() && names.len() > MOST_FILES) {
            let (holder, count) = (holder.join("/"), names.len());
            wrong.push(format!("{folder}/src/{holder}: {count} files in circles, at most {MOST_FILES}: {names:?}"));
        }
    }
    let stale = EXCEPTIONS.iter().filter(|row| !needed.contains(row));
    wrong.extend(stale.map(|(folder, roots)| format!("the exception {folder} {roots:?} is not needed any more")));
    assert!(arrows > 2000, "found only {arrows} uses");
    report(wrong);
}

#[test]
fn circles_are_found() {
    let file = |name: &str, text: &str| {
        let name = format!("crates/x/src/{name}.rs");
        (module(&name).unwrap().1, code(&name, text))
    };
    let sources = [
        file("lib", "mod row;\nmod sort;\npub use row::Family;"),
        file("row/mod", "mod emit;\nmod walk;\nuse emit::Rows;\nuse crate::sort::{self, radix};"),
        file("row/emit", "use super::{Family, walk::{begin, end as stop}};"),
        file(
            "row/walk",
            "// use crate::sort;\nfn f(rows: super::emit::Rows) {}\n#[cfg(test)]\nmod t {\n use crate::sort;\n}",
        ),
        file("sort/mod", "mod radix;"),
        file("sort/radix", "use super::Family; // crate::row"),
    ];
    let files = Files::of(&sources);
    let path = |name: &str| -> Module { name.split('/').map(str::to_string).collect() };
    assert_eq!(files.circles(), BTreeSet::from([vec![&path("row/emit"), &path("row/walk")]]));
    let used = |name: &str| files.uses[&path(name)].iter().map(|module| module.join("/")).collect::<Vec<_>>();
    assert_eq!(
        (used("row"), used("row/emit")),
        (vec!["sort".into(), "sort/radix".into()], vec!["row".into(), "row/walk".into()])
    );
    let within = |files: &[&str]| {
        let files: Vec<Module> = files.iter().map(|name| path(name)).collect();
        holder(&files.iter().collect::<Vec<_>>()).join("/")
    };
    assert_eq!(
        (within(&["a/b/c", "a/b/d"]), within(&["a", "a/b"]), within(&["a", "b"])),
        ("a/b".into(), "a".into(), "".into())
    );
    assert!(used("row/walk") == ["row/emit"] && used("sort") == [""; 0] && used("sort/radix") == ["sort"]);
}

//! The book in docs/: every page stands in SUMMARY.md, every link leads to a page and a heading that are there, every
//! path of the repository that a page names exists, and so do the flags of Fornax's commands and the targets of make.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::sources::{report, tracked};

/// Pages outside docs/ whose links are checked too.
const OUTSIDE: &[&str] = &["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// Folders of the repository: what begins with one of these in code type is a path.
const FOLDERS: &[&str] = &["crates/", "passes/", "runtime/", "targets/", "tests/", "docs/"];

/// Pages by their path in the repository.
fn pages() -> BTreeMap<String, String> {
    let is_page = |name: &String| name.starts_with("docs/") || OUTSIDE.contains(&name.as_str());
    let pages: BTreeMap<_, _> = tracked(&[".md"]).into_iter().filter(|(name, _)| is_page(name)).collect();
    assert!(pages.len() > 30, "found only {} pages", pages.len());
    pages
}

/// The lines of a page that are neither in a fenced block nor indented as code, each with its number.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced && !line.starts_with("    ")
    })
}

/// Parts of a line in code type, and the line without them.
fn code_spans(line: &str) -> (Vec<&str>, String) {
    let parts: Vec<&str> = line.split('`').collect();
    let code = parts.iter().skip(1).step_by(2).copied().collect();
    (code, parts.iter().step_by(2).copied().collect::<Vec<_>>().join("`"))
}

/// Targets of the links of a page, each with its line.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in prose(text) {
        let (_, plain) = code_spans(line);
        let targets = plain.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        found.extend(targets.map(|(link, _)| (at + 1, link.to_string())));
    }
    found
}

/// The anchor that GitHub and mdBook make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
}

/// Anchors of a page; the second heading of one name ends in `-1`.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text).filter(|(_, line)| line.starts_with('#')) {
        let wanted = anchor(line.trim_start_matches('#').trim());
        let free = (0..).map(|n| if n == 0 { wanted.clone() } else { format!("{wanted}-{n}") });
        found.extend(free.into_iter().find(|name| !found.contains(name)));
    }
    found
}

/// A link's file, from the root of the repository.
fn resolve(page: &str, link: &str) -> PathBuf {
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    let mut path = PathBuf::new();
    for part in folder.join(link).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

#[test]
fn links_lead_to_pages_and_headings() {
    let pages = pages();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, text) in &pages {
        for (line, link) in links(text).into_iter().filter(|(_, link)| !link.contains("://")) {
            count += 1;
            let (file, heading) = link.split_once('#').map_or((link.as_str(), None), |(f, h)| (f, Some(h)));
            let path = if file.is_empty() { PathBuf::from(name) } else { resolve(name, file) };
            if !fornax_tests::root().join(&path).exists() {
                wrong.push(format!("{name}:{line}: {link} leads nowhere"));
            }
            if name.starts_with("docs/") && !path.starts_with("docs") {
                wrong.push(format!("{name}:{line}: {link} leads out of the book; name the file in code type"));
            }
            let target = path.to_str().and_then(|path| pages.get(path));
            if let (Some(heading), Some(target)) = (heading, target)
                && !anchors(target).contains(heading)
            {
                wrong.push(format!("{name}:{line}: {link}: no such heading"));
            }
        }
    }
    assert!(count > 80, "found only {count} links");
    report(wrong);
}

#[test]
fn every_page_stands_in_the_summary_once() {
    let pages = pages();
    let summary = links(&pages["docs/SUMMARY.md"]);
    let listed: Vec<PathBuf> = summary.iter().map(|(_, link)| resolve("docs/SUMMARY.md", link)).collect();
    let mut wrong = Vec::new();
    for name in pages.keys().filter(|name| name.starts_with("docs/") && *name != "docs/SUMMARY.md") {
        let times = listed.iter().filter(|path| path.to_str() == Some(name)).count();
        if times != 1 {
            wrong.push(format!("{name} stands in docs/SUMMARY.md {times} times"));
        }
    }
    report(wrong);
}

#[test]
fn paths_that_pages_name_exist() {
    let pages = pages();
    let sources: Vec<String> = tracked(&[".rs"]).into_iter().map(|(name, _)| format!("/{name}")).collect();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, text) in pages.iter().filter(|(name, _)| *name != "CHANGELOG.md") {
        for (at, line) in prose(text) {
            for path in code_spans(line).0 {
                // `file.rs: test` names a test in a file.
                let path = path.split(": ").next().unwrap_or(path);
                let plain = path.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
                let is_whole = FOLDERS.iter().any(|folder| path.starts_with(folder));
                let is_source = path.ends_with(".rs");
                // `NAME` stands for what the reader adds.
                if path.contains("NAME") || !plain || !(is_whole || is_source) {
                    continue;
                }
                count += 1;
                let end = format!("/{path}");
                if !fornax_tests::root().join(path).exists() && (is_whole || !sources.iter().any(|s| s.ends_with(&end)))
                {
                    wrong.push(format!("{name}:{}: there is no {path}", at + 1));
                }
            }
        }
    }
    assert!(count > 100, "found only {count} paths");
    report(wrong);
}

/// Command lines of Fornax on a page, in blocks and in code type, each with its line; a `\\` at the end of a line goes
/// on.
fn command_lines(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    let mut fenced = false;
    for (at, line) in text.lines().enumerate() {
        let plain = line.trim().trim_start_matches("$ ");
        fenced ^= plain.starts_with("```");
        let is_block = fenced || line.starts_with("    ");
        if goes_on && let Some(last) = found.last_mut() {
            last.1.push_str(&format!(" {}", plain.trim_end_matches('\\')));
        } else if is_block {
            found.extend(
                plain.find("fornax ").filter(|_| in_shell(plain)).map(|from| (at + 1, plain[from..].to_string())),
            );
        } else {
            let spans = code_spans(line).0.into_iter().filter(|span| span.starts_with("fornax "));
            found.extend(spans.map(|span| (at + 1, span.to_string())));
        }
        goes_on = is_block && plain.ends_with('\\') && found.last().is_some_and(|last| last.0 == at + 1 || goes_on);
    }
    found
}

/// Is this a line that a shell would run `fornax` in? Variables may stand before it.
fn in_shell(line: &str) -> bool {
    line.split_whitespace().find(|word| !word.contains('=')).is_some_and(|word| word == "fornax")
}

/// Flags by command (`tune prepare`), from the page that is written from the command line's table.
fn flags() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(fornax_tests::root().join("docs/use/command-line.md")).unwrap();
    let (mut flags, mut command): (BTreeMap<String, BTreeSet<String>>, _) = (BTreeMap::new(), String::new());
    for line in text.lines() {
        if line.starts_with("## ") || line.starts_with("### ") {
            command = line.trim_start_matches('#').trim().trim_start_matches("fornax ").to_string();
        }
        let Some(cell) = line.strip_prefix("| `").and_then(|row| row.split_once('`')) else { continue };
        let names = cell.0.split([' ', ',', '[']).filter(|word| word.starts_with('-'));
        flags.entry(command.clone()).or_default().extend(names.map(str::to_string));
    }
    flags
}

#[test]
fn commands_that_pages_name_have_these_flags() {
    let known = flags();
    let (of_all, words) = (&known["Flags of every command"], |line: &str| -> Vec<String> {
        line.split_whitespace().map(str::to_string).collect()
    });
    let none = BTreeSet::new();
    let section = |path: &str| known.get(path);
    let (mut wrong, mut count) = (Vec::new(), 0);
    let pages: Vec<(String, String)> =
        pages().into_iter().filter(|(name, _)| name != "docs/use/command-line.md").collect();
    for (name, text) in &pages {
        for (line, command) in command_lines(text) {
            let command =
                command.split(" # ").next().unwrap_or(&command).split([';', '|']).next().unwrap_or("").to_string();
            let words = words(&command);
            let Some(first) = words.get(1).filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
            else {
                continue;
            };
            let two = words.get(2).map(|second| format!("{first} {second}")).filter(|path| section(path).is_some());
            let path = two.unwrap_or_else(|| first.clone());
            let own = section(&path).unwrap_or(&none);
            for flag in words.iter().skip(2).filter(|word| word.starts_with('-') && word.len() > 1 && *word != "--") {
                count += 1;
                let flag = flag.split('=').next().unwrap_or(flag).trim_end_matches(',').replace('_', "-");
                let everywhere = ["--help", "-h", "--version"].contains(&flag.as_str()) || flag.starts_with("--iree-");
                if !everywhere && !own.contains(&flag) && !of_all.contains(&flag) {
                    wrong.push(format!("{name}:{line}: `fornax {path}` has no {flag}"));
                }
            }
        }
    }
    assert!(count > 60, "found only {count} flags");
    report(wrong);
}

/// Columns of a line of prose; rows of tables and blocks are as long as they are.
const COLUMNS: usize = 120;

/// What tests write from the code: lines there are rows of the code's tables.
const GENERATED: &[&str] = &[
    "docs/use/ops.md",
    "docs/use/targets.md",
    "docs/measured/seeds.md",
    "docs/measured/conformance.md",
    "docs/understand/math.md",
];

#[test]
fn lines_of_prose_fit() {
    let mut wrong = Vec::new();
    for (name, text) in pages().iter().filter(|(name, _)| !GENERATED.contains(&name.as_str())) {
        for (at, line) in prose(text).filter(|(_, line)| !line.trim_start().starts_with('|')) {
            let columns = line.chars().count();
            if columns > COLUMNS {
                wrong.push(format!("{name}:{}: {columns} columns, at most {COLUMNS}", at + 1));
            }
        }
    }
    report(wrong);
}

/// `cargo test -p NAME` names a crate that is there; a crate that was renamed leaves such lines behind.
#[test]
fn crates_that_pages_name_exist() {
    let name_of = |manifest: String| {
        let line = manifest.lines().find_map(|line| line.strip_prefix("name = \"")).map(str::to_string);
        line.map(|rest| rest.trim_end_matches('"').to_string())
    };
    let manifests = tracked(&["Cargo.toml"]).into_iter().filter_map(|(_, text)| name_of(text));
    let known: BTreeSet<String> = manifests.collect();
    assert!(known.len() > 10, "{known:?}");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (page, text) in pages() {
        for (at, line) in text.lines().enumerate() {
            for after in line.split(" -p ").skip(1) {
                let is_name = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
                let name: String = after.chars().take_while(is_name).collect();
                seen += 1;
                if name.starts_with("fornax") && !known.contains(&name) {
                    wrong.push(format!("{page}:{}: there is no crate {name}", at + 1));
                }
            }
        }
    }
    assert!(seen > 10, "found only {seen} crates in commands");
    report(wrong);
}

#[test]
fn targets_of_make_that_pages_name_exist() {
    let makefile = std::fs::read_to_string(fornax_tests::root().join("Makefile")).unwrap();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, text) in pages() {
        for (at, line) in text.lines().enumerate() {
            let block = line.strip_prefix("    make ").into_iter().map(|rest| format!("make {rest}"));
            let spans = code_spans(line).0.into_iter().map(str::to_string);
            for command in block.chain(spans).filter(|span| span.starts_with("make ")) {
                let targets = command.split_whitespace().skip(1).take_while(|word| !word.contains(['=', '#']));
                for target in targets.take(1) {
                    count += 1;
                    if !makefile.lines().any(|rule| rule.starts_with(&format!("{target}:"))) {
                        wrong.push(format!("{name}:{}: Makefile has no `{target}`", at + 1));
                    }
                }
            }
        }
    }
    assert!(count > 20, "found only {count} targets");
    report(wrong);
}

#[test]
fn anchors_are_those_of_github() {
    assert_eq!(
        anchor("A device against the reference evaluator: `fornax verify`"),
        "a-device-against-the-reference-evaluator-fornax-verify"
    );
    assert_eq!(anchors("# A b\n```\n# c\n```\n## A b\n"), BTreeSet::from(["a-b".into(), "a-b-1".into()]));
}

//! The book in docs/: every page stands in SUMMARY.md, every link leads to a page and a heading that are there, and every
//! path of the repository that a page names exists.

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
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, text) in pages.iter().filter(|(name, _)| *name != "CHANGELOG.md") {
        for (at, line) in prose(text) {
            for path in code_spans(line).0 {
                // `file.rs: test` names a test in a file.
                let path = path.split(": ").next().unwrap_or(path);
                let plain = path.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
                // `NAME` stands for what the reader adds.
                if path.contains("NAME") || !plain || !FOLDERS.iter().any(|folder| path.starts_with(folder)) {
                    continue;
                }
                count += 1;
                if !fornax_tests::root().join(path).exists() {
                    wrong.push(format!("{name}:{}: there is no {path}", at + 1));
                }
            }
        }
    }
    assert!(count > 100, "found only {count} paths");
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

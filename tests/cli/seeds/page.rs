//! `docs/measured/seeds.md`, printed from the table; every test that the table names is one that runs.

use std::collections::HashSet;
use std::fmt::Write;

use fornax_tests::root;

use super::table::{DOCUMENTS, Kept, ROWS};

const HEAD: &str = "# What users expect\n\n\
    Fornax grew from five documents of other tools. They make promises to their readers; this page has each of them, \
    and the test that keeps it: ✔ stands only where a test runs it. It is printed from `tests/cli/seeds/table.rs`.\n";

fn page() -> String {
    let mut text = HEAD.to_string();
    let open = ROWS.iter().filter(|row| matches!(row.kept, Kept::Open(_))).count();
    writeln!(text, "\n{} promises, {} kept, {open} open.", ROWS.len(), ROWS.len() - open).unwrap();
    for (document, title) in DOCUMENTS {
        writeln!(text, "\n## {document}: {title}\n\n| id | | promise | tests |\n| --- | --- | --- | --- |").unwrap();
        for row in ROWS.iter().filter(|row| row.id.starts_with(document)) {
            let (mark, tests) = match row.kept {
                Kept::By(tests) => ("✔", tests.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join("<br>")),
                Kept::Open(why) => ("open", why.to_string()),
            };
            writeln!(text, "| {} | {mark} | {} | {tests} |", row.id, row.promise).unwrap();
        }
    }
    text
}

#[test]
fn the_page_of_promises_is_current() {
    let (text, path) = (page(), root().join("docs/measured/seeds.md"));
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/measured/seeds.md is stale: run `make bless`");
    assert_eq!(text.lines().filter(|line| line.contains(" | ✔ | ") || line.contains(" | open | ")).count(), ROWS.len());
}

/// A test that is named is there, is a test, and is not ignored.
#[test]
fn every_promise_names_tests_that_run() {
    let mut ids = HashSet::new();
    for row in ROWS {
        assert!(ids.insert(row.id), "{} stands twice", row.id);
        let Kept::By(tests) = row.kept else { continue };
        assert!(!tests.is_empty(), "{} is kept by nothing", row.id);
        for test in tests {
            let (file, name) = test.split_once(": ").unwrap();
            let text = std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{}: {file}: {e}", row.id));
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let at = lines.iter().position(|line| line.starts_with(&format!("fn {name}(")));
            let at = at.unwrap_or_else(|| panic!("{}: {file} has no test {name}", row.id));
            let above: Vec<&str> =
                lines[..at].iter().rev().take_while(|line| line.starts_with("#[")).copied().collect();
            let property = text.contains("proptest!");
            assert!(above.contains(&"#[test]") || property, "{}: {name} is no test", row.id);
            assert!(!above.iter().any(|line| line.starts_with("#[ignore")), "{}: {name} is ignored", row.id);
        }
    }
}

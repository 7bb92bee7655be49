//! Error codes: each that a crate's sources name is a row of docs/use/errors.md, so that `fornax explain` knows what a
//! user is told.

use crate::sources::{report, tracked};

/// The codes in string literals of a line: a quote, perhaps `[`, `error ` or `error[`, then `FX` and four digits.
fn codes(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("FX").filter_map(|(at, _)| {
        let quoted = ["\"", "\"[", "\"error ", "\"error["].iter().any(|open| line[..at].ends_with(open));
        let code = line.get(at..at + 6)?;
        (quoted && code[2..].bytes().all(|b| b.is_ascii_digit())).then_some(code)
    })
}

#[test]
fn codes_are_found_in_literals() {
    let line = r#"#[error("[FX0501] x")] or "FX0822" or "error FX0401: y", not FX0999 or "FXnnnn""#;
    assert_eq!(codes(line).collect::<Vec<_>>(), ["FX0501", "FX0822", "FX0401"]);
}

#[test]
fn every_code_has_a_row_in_the_table_of_errors() {
    let table = std::fs::read_to_string(fornax_tests::root().join("docs/use/errors.md")).unwrap();
    let mut wrong = Vec::new();
    let product = ["crates/", "passes/", "runtime/", "targets/"];
    for (name, text) in tracked(&[".rs"]) {
        if !product.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        for (at, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let unknown = codes(line).filter(|code| !table.contains(&format!("| {code} |")));
            wrong.extend(unknown.map(|code| format!("{name}:{}: {code} is not in docs/use/errors.md", at + 1)));
        }
    }
    report(wrong);
}

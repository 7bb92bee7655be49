//! A function has at most six arguments, those in tuple patterns counted one by one; more are a struct with names.
//!
//! Worked example: `fn fetch(memory: &mut Shared, (first, rows): (u32, u32))` has three. `self` does not count.

use crate::sources::{report, tracked};

const MOST: usize = 6;

/// Folders where functions still have more. One that is there and has no such function is an error: the list shrinks.
const NOT_YET: &[&str] = &[];

/// Functions that may have more: file, name, reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("crates/mlir/src/ffi.rs", "LLVMCreateTargetMachine", "LLVM's own signature"),
    ("runtime/src/backends/memory.rs", "estimate_inference_memory", "public and documented with these arguments"),
];

/// The text with comments and what stands in quotes taken out, line by line.
fn code(text: &str) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        let mut is_quoted = false;
        let mut before = ' ';
        for (at, c) in line.char_indices() {
            if !is_quoted && line[at..].starts_with("//") {
                break;
            }
            let is_quote = c == '"' && before != '\\' && before != '\'';
            is_quoted ^= is_quote;
            if !is_quoted && !is_quote {
                kept.push(c);
            }
            before = if c == '\\' && before == '\\' { ' ' } else { c };
        }
        kept.push('\n');
    }
    kept
}

/// The commas of a text that stand in no brackets, and where the bracket closes that was open before it.
fn commas(text: &str) -> (Vec<usize>, usize) {
    let (mut depth, mut before, mut found) = (0, ' ', Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // `->` and `=>` close nothing.
            '>' if before == '-' || before == '=' => {}
            ')' | ']' | '}' | '>' if depth == 0 => return (found, at),
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => found.push(at),
            _ => {}
        }
        before = c;
    }
    (found, text.len())
}

/// What stands between those commas, up to the bracket.
fn parts(text: &str) -> Vec<&str> {
    let (commas, end) = commas(text);
    let starts = std::iter::once(0).chain(commas.iter().map(|at| at + 1));
    let ends = commas.iter().copied().chain([end]);
    starts.zip(ends).map(|(from, to)| &text[from..to]).filter(|part| !part.trim().is_empty()).collect()
}

/// How many arguments a parameter is: 1, or as many as its tuple pattern has names.
fn count(parameter: &str) -> usize {
    let pattern = parameter.trim();
    match pattern.strip_prefix('&').unwrap_or(pattern).strip_prefix('(') {
        Some(inner) => parts(inner).into_iter().map(count).sum(),
        None => 1,
    }
}

fn is_self(parameter: &str) -> bool {
    let name = parameter.split(':').next().unwrap_or(parameter);
    name.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "self")
}

/// Functions with their line and their number of arguments.
fn functions(text: &str) -> Vec<(usize, String, usize)> {
    let code = code(text);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let rest = &code[at + 3..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_word = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let mut rest = &rest[name.len()..];
        if let Some(generics) = rest.strip_prefix('<') {
            rest = generics.get(commas(generics).1 + 1..).unwrap_or_default();
        }
        let Some(parameters) = rest.strip_prefix('(').filter(|_| is_word && !name.is_empty()) else { continue };
        let arguments = parts(parameters).into_iter().filter(|parameter| !is_self(parameter)).map(count).sum();
        found.push((code[..at].matches('\n').count() + 1, name, arguments));
    }
    found
}

#[test]
fn functions_have_few_arguments() {
    let (mut wrong, mut count, mut needed) = (Vec::new(), 0, Vec::new());
    let mut allowed = Vec::new();
    for (file, text) in tracked(&[".rs"]) {
        for (line, name, arguments) in functions(&text) {
            count += 1;
            if arguments <= MOST {
                continue;
            }
            if let Some(folder) = NOT_YET.iter().find(|folder| file.starts_with(**folder)) {
                needed.push(*folder);
            } else if let Some(row) = ALLOWED.iter().find(|row| row.0 == file && row.1 == name) {
                allowed.push(row.1);
            } else {
                wrong.push(format!("{file}:{line}: {name} has {arguments} arguments, at most {MOST}: make a struct"));
            }
        }
    }
    let is_there = |folder: &&&str| fornax_tests::root().join(folder).is_dir();
    let done = NOT_YET.iter().filter(|folder| !needed.contains(folder)).filter(is_there);
    wrong.extend(done.map(|folder| format!("{folder} has no such function any more: take it from NOT_YET")));
    let stale = ALLOWED.iter().filter(|row| !allowed.contains(&row.1));
    wrong.extend(stale.map(|row| format!("{}: {} need not be in ALLOWED", row.0, row.1)));
    assert!(count > 5000, "found only {count} functions");
    report(wrong);
}

#[test]
fn arguments_are_counted_through_tuples() {
    let number = |text: &str| functions(text).iter().map(|found| found.2).collect::<Vec<_>>();
    assert_eq!(number("fn a(x: u8, (y, z): (u8, u8)) {}"), [3]);
    assert_eq!(number("fn a(&mut self, ((y, z), [p, q]): X, f: &dyn Fn(u8, u8) -> u8) {}"), [4]);
    assert_eq!(number("pub fn b<'a, T: Fn(u8) -> Vec<T>>(\n  // a, b\n  x: Map<K, V>,\n) -> (u8, u8) {}"), [1]);
    assert!(number("let f: fn(u8) = x; let s = \"fn c(x: u8)\";").is_empty());
    assert_eq!(functions("\n\nfn d() {}")[0].0, 3);
}

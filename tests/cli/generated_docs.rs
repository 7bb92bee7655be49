//! Generated pages are what the binary prints today: docs/use/errors.md, docs/extend/passes.md, and the IR blocks of
//! docs/understand/life-of-a-model.md and docs/understand/life-of-a-dynamic-model.md.

use std::path::Path;

use fornax_tests::{fornax, root};

/// Compares a file with what it should be; with FORNAX_BLESS=1 rewrites it.
#[track_caller]
fn check(path: &str, wanted: &str) {
    let file = root().join(path);
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(&file, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "{path} is stale: run `make bless`");
}

#[test]
fn error_codes() {
    let page = fornax(&root(), &["explain"]).ok().stdout;
    assert!(page.lines().count() > 40, "{page}");
    check("docs/use/errors.md", &page);
}

#[test]
fn passes() {
    let (mut page, mut examples) = (String::from(PASSES), String::from(EXAMPLES));
    let printed = fornax(&root(), &["compile", "--print-passes"]).ok().stdout;
    for line in printed.lines() {
        let mut words = line.split_whitespace();
        let (phase, name) = (words.next().unwrap(), words.next().unwrap());
        let what = line.split_once(name).unwrap().1.trim().replace('*', "\\*");
        page.push_str(&format!("| [`{name}`](#{name}) | {phase} | {what} |\n"));
        let path = format!("passes/src/{phase}/{name}.rs");
        let example = example(&std::fs::read_to_string(root().join(&path)).unwrap_or_else(|e| panic!("{path}: {e}")));
        assert!(example.matches("```").count() >= 4, "{path} opens with no example");
        examples.push_str(&format!("\n### {name}\n\n{example}"));
    }
    assert!(page.lines().count() > 40, "{page}");
    check("docs/extend/passes.md", &(page + &examples));
}

/// The examples at the head of a pass's file: every fence, and the line before it.
fn example(source: &str) -> String {
    let head: Vec<&str> = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim_end).collect();
    let (mut text, mut open) = (String::new(), false);
    for (at, line) in head.iter().enumerate() {
        let fence = line.trim_start().starts_with("```");
        let title = !open && head.get(at + 1).is_some_and(|next| next.trim_start().starts_with("```")) && !fence;
        if fence || open || title {
            text.push_str(line.strip_prefix(' ').unwrap_or(line));
            text.push_str(if title { "\n\n" } else { "\n" });
        }
        if fence && open {
            text.push('\n');
        }
        open ^= fence;
    }
    text.trim_end().to_string() + "\n"
}

/// Head of docs/extend/passes.md.
const PASSES: &str = "# Passes

Made by `fornax compile --print-passes`. How to watch one, or run it alone:
[add a pass](pass.md#seeing-what-a-pass-does).

## Every pass, in order

| pass | phase | what it does |
| --- | --- | --- |
";

/// Head of the second part.
const EXAMPLES: &str = "
## Examples

Each is the head of the file of its pass, and a test.
";

#[test]
fn life_of_a_model() {
    follows("docs/understand/life-of-a-model.md", "softmax", "cuda:sm_80");
}

#[test]
fn life_of_a_model_with_a_size() {
    follows("docs/understand/life-of-a-dynamic-model.md", "any_rows", "cuda:sm_90a");
}

/// Blocks of a page between "<!-- dump: FILE [lines A-B] -->" and the end of the fence after it are replaced by the
/// text of the model's dump.
#[track_caller]
fn follows(path: &str, model: &str, target: &str) {
    let page = std::fs::read_to_string(root().join(path)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let model = root().join(format!("tests/model/{model}.mlir"));
    let dump = folder.path().join("dump");
    let arguments = [
        "compile",
        "--quiet",
        &format!("--target={target}"),
        "--cuda-use-ptxas=false",
        &format!("--dump-ir-to={}", dump.display()),
        "-o",
        "model.fnx",
        &model.display().to_string(),
    ];
    fornax(folder.path(), &arguments).ok();
    let mut wanted = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        wanted.push_str(line);
        wanted.push('\n');
        let Some(spec) = line.strip_prefix("<!-- dump: ").and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        for fence in lines.by_ref().skip_while(|l| !l.starts_with("```")).skip(1) {
            if fence.starts_with("```") {
                break;
            }
        }
        wanted.push_str(&format!("```\n{}```\n", excerpt(&dump, spec)));
    }
    check(path, &wanted);
}

/// `FILE` or `FILE lines A-B` of the dump folder.
fn excerpt(dump: &Path, spec: &str) -> String {
    let (file, range) = spec.split_once(" lines ").map_or((spec, None), |(f, r)| (f, r.split_once('-')));
    let text = std::fs::read_to_string(dump.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    let (from, to) = range.map_or((1, usize::MAX), |(a, b)| (a.parse().unwrap(), b.parse().unwrap()));
    let chosen = text.lines().enumerate().filter(|(at, _)| (from..=to).contains(&(at + 1)));
    chosen.map(|(_, line)| format!("{line}\n")).collect()
}

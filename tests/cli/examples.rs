//! Programs of runtime/examples: the commands at the head of each run, and print the lines shown there.
//!
//! `cargo test --workspace` builds them; alone, `cargo build -p fornax-runtime --examples` does.

use std::path::{Path, PathBuf};
use std::process::Command;

use fornax_tests::{fornax, root};

/// A command of an example's head and the lines shown behind it. A `\` at the end of a command goes on; `…` in a line
/// stands for any text.
pub struct Shown {
    pub command: String,
    pub lines: Vec<String>,
}

/// The commands of a program's head, whose lines begin with `comment`.
pub fn shown(source: &str, comment: &str) -> Vec<Shown> {
    let head =
        source.lines().map_while(|line| line.strip_prefix(comment)).map(|line| line.strip_prefix(' ').unwrap_or(line));
    let block = head.skip_while(|line| *line != "```console").skip(1).take_while(|line| *line != "```");
    let mut found: Vec<Shown> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push(Shown { command: command.to_string(), lines: Vec::new() }),
            (None, Some(last)) if last.command.ends_with('\\') => {
                last.command = format!("{} {}", last.command.trim_end_matches('\\').trim(), line.trim());
            }
            (None, Some(last)) => last.lines.push(line.to_string()),
            (None, None) => panic!("`{line}` stands before the first command"),
        }
    }
    found
}

/// Whether a printed line is the one shown.
pub fn fits(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let mut is_open = false;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        is_open = part.is_empty();
    }
    is_open || rest.is_empty()
}

/// The example, next to the running test's target folder.
fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(path.exists(), "{} is not built: cargo build -p fornax-runtime --examples", path.display());
    path
}

#[test]
fn each_does_what_its_head_shows() {
    let folder = root().join("runtime/examples");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    assert!(sources.len() >= 6, "found only {}", sources.len());
    for source in sources {
        let name = source.file_stem().unwrap().to_str().unwrap();
        let own = format!("cargo run -p fornax-runtime --example {name} -- ");
        // The commands name files from the root of the repository, and write none there.
        let folder = tempfile::tempdir().unwrap();
        for part in ["tests", "runtime"] {
            std::os::unix::fs::symlink(root().join(part), folder.path().join(part)).unwrap();
        }
        let mut runs = 0;
        for Shown { command, lines } in shown(&std::fs::read_to_string(&source).unwrap(), "//!") {
            let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
            let printed = if let Some(arguments) = command.strip_prefix(&own) {
                runs += 1;
                let done =
                    Command::new(program(name)).args(words(arguments)).current_dir(folder.path()).output().unwrap();
                let printed =
                    format!("{}{}", String::from_utf8_lossy(&done.stderr), String::from_utf8_lossy(&done.stdout));
                let fails = lines.iter().any(|line| line.starts_with("error["));
                assert_eq!(done.status.code(), Some(i32::from(fails)), "{command}\n{printed}");
                printed
            } else {
                let arguments = words(command.strip_prefix("fornax ").unwrap_or_else(|| panic!("{name}: {command}")));
                fornax(folder.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>()).ok().stdout
            };
            for line in &lines {
                assert!(printed.lines().any(|found| fits(line, found)), "{command}: no `{line}` in\n{printed}");
            }
        }
        assert!(runs > 0, "{name}: its head does not show how to run it");
    }
}

#[test]
fn lines_are_compared_but_for_gaps() {
    assert!(fits("@main runs on cpu://", "@main runs on cpu://"));
    assert!(!fits("@main runs on cpu:", "@main runs on cpu://"));
    assert!(fits("a call: …", "a call: 8.1"));
    assert!(fits("3, with … %", "3, with 99.9 %") && !fits("3, with … %", "3, with 99.9"));
}

//! `chat`: a conversation from a pipe, against the same model written out in f64.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use fornax_tests::{Run, binary};

use crate::generate::compiled;

/// Messages one behind the other, nothing between them.
pub const TEMPLATE: &str = "{% for m in messages %}{{ m.content + ' ' }}{% endfor %}";

pub fn chat(folder: &Path, flags: &[&str], lines: &str) -> Run {
    let mut child = Command::new(binary())
        .args(["chat", "--module=m.fnx", "--parameters=model", "--max-tokens=3"])
        .args(flags)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn line(ids: &[usize]) -> String {
    ids.iter().map(|id| format!("w{id}")).collect::<Vec<String>>().join(" ")
}

#[test]
fn a_conversation_is_kept_until_it_is_cleared() {
    let dir = tempfile::tempdir().unwrap();
    let model = compiled(dir.path());
    std::fs::write(dir.path().join("model/chat_template.jinja"), TEMPLATE).unwrap();
    let first = model.greedy(&[9, 3, 17], 3);
    let second = model.greedy(&[&[9, 3, 17], first.as_slice(), &[5]].concat(), 3);
    let run = chat(dir.path(), &["--system=w9"], "w3 w17\n\nw5\n/clear\nw3 w17\n/quit\nw1\n").ok();
    assert_eq!(run.stdout, format!("{}\n{}\n{}\n", line(&first), line(&second), line(&first)));
    // Signs and statistics are for terminals.
    assert_eq!(run.stderr, "");
    // The end of the input ends it too.
    assert_eq!(chat(dir.path(), &["--system=w9"], "w3 w17").ok().stdout, format!("{}\n", line(&first)));
}

#[test]
fn what_cannot_be_said_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    compiled(dir.path());
    chat(dir.path(), &[], "w1\n").fails(1, "FX1108");
    std::fs::write(dir.path().join("model/chat_template.jinja"), TEMPLATE).unwrap();
    let full = chat(dir.path(), &[], &"w1 w2 w3\n".repeat(4)).fails(1, "FX1105");
    // Fifteen tokens with the third message: its answer has the last row and one token behind it.
    assert_eq!(full.stdout.lines().count(), 3, "{}", full.stdout);
    assert!(full.stderr.contains("note: the context is full: /clear"), "{}", full.stderr);
    let other = chat(dir.path(), &[], "/help\nw1\n").ok();
    assert!(other.stderr.contains("no command /help"), "{}", other.stderr);
    chat(dir.path(), &["--temperature=-1"], "").fails(1, "FX0801");
}

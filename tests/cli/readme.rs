//! What README says is tried: its first commands run, its lines for each framework stand in that framework's page,
//! whose commands `tests/pages/run.py` runs. Its links are checked with those of all pages (`tests/tidy/docs.rs`).

use fornax_tests::{fornax, root};

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

/// The fenced blocks, each with the text before it.
fn blocks(page: &str) -> Vec<(String, String)> {
    let parts: Vec<&str> = page.split("\n```").collect();
    parts
        .chunks(2)
        .filter_map(|pair| match pair {
            [before, block] => {
                Some((before.to_string(), block.split_once('\n').map_or("", |(_, code)| code).to_string()))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn the_first_commands_run() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("tests"), folder.path().join("tests")).unwrap();
    let readme = readme();
    let (_, code) = &blocks(&readme)[0];
    assert_eq!(code.lines().count(), 2, "{code}");
    let mut printed = String::new();
    for line in code.lines() {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        printed = fornax(folder.path(), &words).ok().stdout;
    }
    assert!(printed.starts_with("result[0]: 4x1000xf32=["), "{printed}");
}

#[test]
fn lines_for_frameworks_stand_in_their_pages() {
    let mut found = 0;
    for (before, code) in &blocks(&readme())[1..] {
        // What else is shown there has tests of its own.
        let Some(last) = before.lines().rfind(|line| line.starts_with("From ")) else { continue };
        let file = last.split_once("](").and_then(|(_, rest)| rest.split_once(')')).unwrap().0;
        let page = std::fs::read_to_string(root().join(file)).unwrap();
        let tried: Vec<&str> = page.lines().map(str::trim).collect();
        for line in code.lines().filter(|line| !line.trim().is_empty()) {
            assert!(tried.contains(&line.trim()), "{file} does not have this line of README: {line}");
            found += 1;
        }
    }
    assert_eq!(found, 12, "three lines for each of three frameworks, one for ONNX, two for checkpoints");
}

//! docs/use/measuring.md: its commands run, and print the lines that it shows.

use std::time::Duration;

use fornax_tests::{fornax_with, link_double, root};

const LIMIT: Duration = Duration::from_secs(120);

/// Blocks of the page in this language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).filter_map(|rest| Some(rest.split_once("\n```")?.0.to_string())).collect()
}

/// What of a shown line holds on every machine: all before its first number, name of a device or gap.
fn steady(line: &str) -> &str {
    let line = line.trim();
    let end = |at: &str| line.find(at).unwrap_or(line.len());
    let digit = line.find(|c: char| c.is_ascii_digit()).unwrap_or(line.len());
    let end = digit.min(end("  ")).min(end("//")).min(end("GPU-"));
    line.get(..end).unwrap_or(line).trim_end()
}

#[test]
fn the_commands_of_the_page_run() {
    let page = std::fs::read_to_string(root().join("docs/use/measuring.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    link_double(folder.path(), "libfornax_fake_cuda.so", "libcuda.so.1");
    std::fs::write(folder.path().join("sines.mlir"), &blocks(&page, "mlir")[0]).unwrap();
    let path = folder.path().display().to_string();
    let variables = [("LD_LIBRARY_PATH", path.as_str()), ("FORNAX_FAKE_ARCH", "sm_80")];
    let (mut commands, mut lines) = (0, 0);
    for block in blocks(&page, "console") {
        let mut printed = String::new();
        for line in block.lines() {
            if let Some(command) = line.strip_prefix("$ fornax ") {
                let words: Vec<&str> = command.split_whitespace().collect();
                let run = fornax_with(folder.path(), &words, &variables, LIMIT).ok();
                printed = run.stderr + &run.stdout;
                commands += 1;
            } else {
                let wanted = steady(line);
                assert!(!wanted.is_empty() && printed.contains(wanted), "no `{wanted}` in {printed}");
                lines += 1;
            }
        }
    }
    assert!(commands == 6 && lines > 15, "{commands} commands, {lines} lines");
    for file in ["run.json", "bench.json", "y.npy"] {
        assert!(folder.path().join(file).exists(), "{file}");
    }
}

#[test]
fn lines_are_compared_up_to_what_differs() {
    assert_eq!(steady("CPU Time: 0.0004 seconds"), "CPU Time:");
    assert_eq!(steady("  in a queue               0.3702 ms a call"), "in a queue");
    assert_eq!(steady("@main on cuda://GPU-… (NVIDIA H200)"), "@main on cuda:");
}

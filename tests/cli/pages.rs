//! Pages of docs/use whose `console` blocks are a session: their commands run, and print the lines that the pages show.

use std::path::Path;
use std::time::Duration;

use fornax_tests::{fornax_with, link_double, root};

use crate::c_programs::{Installed, has_compilers};

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

/// Runs the commands of a page's `console` blocks in `folder`, where its first `mlir` block lies as `sines.mlir`. Each
/// line shown behind a command is in what it printed. A command behind which an error is shown fails, every other
/// succeeds. Gives the numbers of commands and of lines.
#[track_caller]
fn run(page: &str, folder: &Path, variables: &[(&str, &str)]) -> (usize, usize) {
    if let Some(model) = blocks(page, "mlir").first() {
        std::fs::write(folder.join("sines.mlir"), model).unwrap();
    }
    let (mut commands, mut lines) = (0, 0);
    for block in blocks(page, "console") {
        for shown in format!("\n{block}").split("\n$ fornax ").skip(1) {
            let (command, shown) = shown.split_once('\n').unwrap_or((shown, ""));
            let words: Vec<&str> = command.split_whitespace().collect();
            let done = fornax_with(folder, &words, variables, LIMIT);
            let printed = format!("{}{}", done.stderr, done.stdout);
            assert_eq!(done.code != 0, shown.starts_with("error["), "{command}: exit code {}\n{printed}", done.code);
            for line in shown.lines() {
                let wanted = steady(line);
                assert!(!wanted.is_empty() && printed.contains(wanted), "{command}: no `{wanted}` in {printed}");
                lines += 1;
            }
            commands += 1;
        }
    }
    (commands, lines)
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join("docs/use").join(name)).unwrap()
}

#[test]
fn measuring() {
    let folder = tempfile::tempdir().unwrap();
    link_double(folder.path(), "libfornax_fake_cuda.so", "libcuda.so.1");
    let path = folder.path().display().to_string();
    let variables = [("LD_LIBRARY_PATH", path.as_str()), ("FORNAX_FAKE_ARCH", "sm_80")];
    let (commands, lines) = run(&page("measuring.md"), folder.path(), &variables);
    assert!(commands == 6 && lines > 15, "{commands} commands, {lines} lines");
    for file in ["run.json", "bench.json", "y.npy"] {
        assert!(folder.path().join(file).exists(), "{file}");
    }
}

#[test]
fn first_model() {
    let folder = tempfile::tempdir().unwrap();
    let (commands, lines) = run(&page("first-model.md"), folder.path(), &[]);
    assert!(commands == 8 && lines > 10, "{commands} commands, {lines} lines");
}

#[test]
fn compiling_again() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(&page("compiling-again.md"), folder.path(), &[]), (2, 2));
    assert_eq!(std::fs::read_dir(folder.path().join("kernels/fornax-kernels")).unwrap().count(), 1);
}

#[test]
fn amd_gpus() {
    on_a_double("rocm.md", "libfornax_fake_hip.so", "libamdhip64.so.7", "gfx942");
}

#[test]
fn opencl_devices() {
    on_a_double("opencl.md", "libfornax_fake_opencl.so", "libOpenCL.so.1", "gpu");
}

/// Runs a page's four commands with a test double in the place of the driver's library.
#[track_caller]
fn on_a_double(name: &str, double: &str, library: &str, arch: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("tests"), folder.path().join("tests")).unwrap();
    link_double(folder.path(), double, library);
    let path = folder.path().display().to_string();
    let variables = [("LD_LIBRARY_PATH", path.as_str()), ("FORNAX_FAKE_ARCH", arch), ("FORNAX_KERNEL_CACHE", "off")];
    let (commands, lines) = run(&page(name), folder.path(), &variables);
    assert!(commands == 4 && lines == 3, "{commands} commands, {lines} lines");
}

#[test]
fn verifying() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("tests"), folder.path().join("tests")).unwrap();
    let (commands, lines) = run(&page("verify.md"), folder.path(), &[]);
    assert!(commands == 4 && lines > 4, "{commands} commands, {lines} lines");
}

#[test]
fn tuning() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("tests"), folder.path().join("tests")).unwrap();
    let (commands, lines) = run(&page("tuning.md"), folder.path(), &[]);
    assert!(commands == 3 && lines > 3, "{commands} commands, {lines} lines");
    assert!(folder.path().join("candidates.fnx").exists());
}

#[test]
fn deploying() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("tests"), folder.path().join("tests")).unwrap();
    let (commands, lines) = run(&page("deploying.md"), folder.path(), &[]);
    assert!(commands == 5 && lines > 6, "{commands} commands, {lines} lines");
}

#[test]
fn from_rust() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("runtime"), folder.path().join("runtime")).unwrap();
    let (commands, _) = run(&page("from-rust.md"), folder.path(), &[]);
    assert_eq!(commands, 1);
    // The two lines that need the crate: what they call is there.
    let made = std::fs::read_to_string(folder.path().join("sines/src/lib.rs")).unwrap();
    let method = "pub fn main(&mut self, input_0: &[f32]) -> Result<Vec<f32>>";
    assert!(made.contains("pub struct Sines(") && made.contains(method), "{made}");
}

#[test]
fn from_c() {
    if !has_compilers() {
        return;
    }
    let (installed, page) = (Installed::new(), page("from-c.md"));
    let programs = blocks(&page, "c");
    std::fs::write(installed.path().join("main.c"), &programs[0]).unwrap();
    let printed: String = blocks(&page, "sh").iter().map(|lines| installed.ok(lines)).collect();
    let shown = blocks(&page, "text");
    assert_eq!((programs.len(), shown.len()), (1, 2));
    for line in shown {
        assert!(printed.lines().any(|printed| printed == line), "no `{line}` in\n{printed}");
    }
}

#[test]
fn lines_are_compared_up_to_what_differs() {
    assert_eq!(steady("CPU Time: 0.0004 seconds"), "CPU Time:");
    assert_eq!(steady("  in a queue               0.3702 ms a call"), "in a queue");
    assert_eq!(steady("@main on cuda://GPU-… (NVIDIA H200)"), "@main on cuda:");
}

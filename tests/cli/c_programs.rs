//! Programs in C and C++ against the library as it is installed: the commands at the head of each run, and print the
//! lines shown there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fornax_tests::{binary, root};

use crate::examples::{Shown, fits, shown};

/// A folder with the C interface installed in `prefix`, and links to what the commands name from the repository's root.
pub struct Installed(tempfile::TempDir);

impl Installed {
    pub fn new() -> Installed {
        let folder = tempfile::tempdir().unwrap();
        let test = std::env::current_exe().unwrap();
        let built = test.parent().and_then(Path::parent).unwrap();
        let is_built = ["", "deps"].iter().any(|part| built.join(part).join("libfornax.so").exists());
        assert!(is_built, "libfornax is not built: cargo build -p fornax-c");
        let mut stage = Command::new(root().join("tests/dist/stage_c.sh"));
        let done = stage.args([built, &folder.path().join("prefix")]).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        for part in ["tests", "runtime", "crates"] {
            std::os::unix::fs::symlink(root().join(part), folder.path().join(part)).unwrap();
        }
        Installed(folder)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs a line of a shell, in which `fornax`, pkg-config and the loader find what is installed here.
    pub fn shell(&self, line: &str) -> Output {
        let library = self.path().join("prefix/lib");
        let programs = binary().parent().unwrap().to_path_buf();
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("bash")
            .args(["-c", line])
            .current_dir(self.path())
            .env("PATH", format!("{}:{path}", programs.display()))
            .env("PKG_CONFIG_PATH", library.join("pkgconfig"))
            .env("LD_LIBRARY_PATH", &library)
            .output()
            .unwrap()
    }

    /// The same, where it must succeed.
    pub fn ok(&self, line: &str) -> String {
        let done = self.shell(line);
        let printed = format!("{}{}", String::from_utf8_lossy(&done.stderr), String::from_utf8_lossy(&done.stdout));
        assert!(done.status.success(), "{line}\n{printed}");
        printed
    }
}

/// Whether the programs that the examples are built by are here; else a word.
pub fn has_compilers() -> bool {
    let missing: Vec<&str> = ["cc", "c++", "pkg-config"]
        .into_iter()
        .filter(|program| Command::new(program).arg("--version").output().is_err())
        .collect();
    if !missing.is_empty() {
        println!("skipped: no {}", missing.join(", "));
    }
    missing.is_empty()
}

#[test]
fn each_does_what_its_head_shows() {
    if !has_compilers() {
        return;
    }
    let installed = Installed::new();
    let sources: Vec<PathBuf> =
        std::fs::read_dir(root().join("crates/c-api/examples")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(sources.len() >= 2, "found only {}", sources.len());
    for source in sources {
        let commands = shown(&std::fs::read_to_string(&source).unwrap(), "//");
        assert!(commands.len() >= 3, "{}: its head does not show how to run it", source.display());
        for Shown { command, lines } in commands {
            let done = installed.shell(&command);
            let printed = format!("{}{}", String::from_utf8_lossy(&done.stderr), String::from_utf8_lossy(&done.stdout));
            let fails = lines.iter().any(|line| line.starts_with("error["));
            assert_eq!(done.status.code(), Some(i32::from(fails)), "{command}\n{printed}");
            for line in &lines {
                assert!(printed.lines().any(|found| fits(line, found)), "{command}: no `{line}` in\n{printed}");
            }
        }
    }
}

#[test]
fn a_program_may_hold_the_library() {
    if !has_compilers() {
        return;
    }
    let installed = Installed::new();
    installed.ok("fornax compile --target=cpu runtime/examples/sines.mlir -o sines.fnx");
    installed.ok("cc crates/c-api/examples/call.c -Iprefix/include prefix/lib/libfornax.a \
         $(pkg-config --static --libs-only-l fornax | sed 's/-lfornax//') -o call");
    std::fs::remove_dir_all(installed.path().join("prefix")).unwrap();
    let printed = installed.ok("./call sines.fnx");
    assert!(printed.contains("0.841471 0.141120 -0.958924 0.656987"), "{printed}");
}

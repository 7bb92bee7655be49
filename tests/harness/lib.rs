//! Harness of the cross-crate tests: where things are, how the `fornax` binary is run, what it must never do.

pub mod goldens;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The flag of `compile` for one image that every x86-64 machine of these tests runs. The default makes two, in twice
/// the time.
pub const ONE_CPU: &str = "--target=cpu:x86-64-v3";

/// Root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The `fornax` binary under test: `FORNAX_BIN`, or the one next to the running test's target folder.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("FORNAX_BIN") {
        return path.into();
    }
    let test = std::env::current_exe().unwrap_or_default();
    let profile = test.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    profile.join("fornax")
}

/// What one run of the binary printed.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Fails the test unless the run succeeded.
    #[track_caller]
    pub fn ok(self) -> Run {
        assert_eq!(self.code, 0, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Fails the test unless the run ended with this exit code and named this error code on stderr.
    #[track_caller]
    pub fn fails(self, code: i32, error: &str) -> Run {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        assert!(self.stderr.contains(error), "no {error} in: {}", self.stderr);
        self
    }
}

/// Runs `fornax` with arguments in a folder; no command may crash, panic or take longer than two minutes.
#[track_caller]
pub fn fornax(folder: &Path, arguments: &[&str]) -> Run {
    fornax_with(folder, arguments, &[], Duration::from_secs(120))
}

/// Puts a test double into a folder under the name of the library that it stands for; `LD_LIBRARY_PATH` names the
/// folder then.
pub fn link_double(folder: &Path, double: &str, library: &str) {
    let test = std::env::current_exe().unwrap_or_default();
    let path = test.parent().unwrap_or(Path::new(".")).join(double);
    assert!(path.exists(), "{} is not built", path.display());
    std::os::unix::fs::symlink(&path, folder.join(library)).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
}

/// As [`fornax`], with variables and a limit of time.
#[track_caller]
pub fn fornax_with(folder: &Path, arguments: &[&str], variables: &[(&str, &str)], limit: Duration) -> Run {
    let mut child = Command::new(binary())
        .args(arguments)
        // What earlier runs compiled hides faults.
        .env("FORNAX_KERNEL_CACHE", "off")
        .envs(variables.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("cannot start {}: {e}", binary().display()));
    let (done, timer) = std::sync::mpsc::channel::<()>();
    let id = child.id().to_string();
    let watchdog = std::thread::spawn(move || {
        if timer.recv_timeout(limit).is_err() {
            let _ = Command::new("kill").args(["-9", &id]).status();
        }
    });
    let stdout = child.stdout.take();
    let reader = std::thread::spawn(move || read(stdout));
    let stderr = read(child.stderr.take());
    let output = Output { status: child.wait().unwrap(), stdout: reader.join().unwrap(), stderr };
    let _ = done.send(());
    let _ = watchdog.join();
    let run = Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    assert!((0..=6).contains(&run.code), "{arguments:?} ended with {:?}: {}", output.status, run.stderr);
    assert!(!run.stderr.contains("panicked"), "{arguments:?}: {}", run.stderr);
    run
}

fn read(pipe: Option<impl std::io::Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

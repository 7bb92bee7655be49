//! Files and streams that are not what they should be: a model as its own output, stdin and stdout, closed and endless
//! ones, disks that are full, stacks that are small.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use fornax_tests::{binary, fornax};

const MODEL: &str = "func.func public @predict(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}";
/// First bytes of a module.
const MAGIC: &[u8] = b"\x89FNX";
/// What an endless file may take until it is refused: far more than it needs, far less than for ever.
const LIMIT: Duration = Duration::from_secs(20);

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), MODEL).unwrap();
    folder
}

/// A line of a shell; `$0` is the program.
fn shell(folder: &Path, line: &str) -> Output {
    Command::new("bash").args(["-c", line]).arg(binary()).current_dir(folder).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_model_is_not_replaced_by_its_module() {
    let folder = folder();
    std::fs::hard_link(folder.path().join("m.mlir"), folder.path().join("link.mlir")).unwrap();
    for (model, module) in [("m.mlir", "m.mlir"), ("m.mlir", "./m.mlir"), ("m.mlir", "link.mlir")] {
        for more in [&[][..], &["--compile-to=import"]] {
            let run = fornax(folder.path(), &[&["compile", "--quiet", model, "-o", module], more].concat());
            let said = run.fails(1, "FX0801").stderr;
            assert!(said.contains("would replace the model itself"), "{said}");
        }
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("m.mlir")).unwrap(), MODEL);
}

#[test]
fn from_stdin_to_stdout() {
    let folder = folder();
    fornax(folder.path(), &["compile", "--quiet", "m.mlir", "-o", "m.fnx"]).ok();
    let module = std::fs::read(folder.path().join("m.fnx")).unwrap();
    assert!(module.starts_with(MAGIC));
    for line in
        ["\"$0\" compile -q - < m.mlir", "cat m.mlir | \"$0\" compile -q -", "\"$0\" compile -q m.mlir -o - | cat"]
    {
        let output = shell(folder.path(), line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        assert_eq!(output.stdout, module, "{line}");
    }
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_closed_stdout_is_an_error() {
    let folder = folder();
    let closed = shell(folder.path(), "\"$0\" list-targets >&-");
    assert_eq!(closed.status.code(), Some(1));
    assert!(stderr(&closed).contains("error[FX0802]: cannot write to stdout: it is closed"), "{}", stderr(&closed));
    // Nothing is printed, so nothing is lost; and whoever throws the text away may.
    for line in ["\"$0\" compile -q m.mlir -o m.fnx >&-", "\"$0\" list-targets > /dev/null"] {
        let output = shell(folder.path(), line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
    }
    let full = shell(folder.path(), "\"$0\" list-targets > /dev/full");
    assert!(full.status.code() == Some(1) && stderr(&full).contains("No space left"), "{}", stderr(&full));
}

#[test]
fn what_never_ends_is_refused() {
    let folder = folder();
    fornax(folder.path(), &["compile", "--quiet", "m.mlir"]).ok();
    for arguments in [
        &["compile", "/dev/zero"][..],
        &["run-module", "--module=/dev/zero"],
        &["run-module", "--module=m.fnx", "--input=@/dev/zero"],
        &["run-module", "--module=m.fnx", "--input=3xf32=@/dev/zero"],
        &["run-module", "--batch=/dev/zero"],
        &["run-module", "--flagfile=/dev/zero"],
        &["inspect", "/dev/zero"],
        &["check", "/dev/zero"],
        &["verify-file", "/dev/zero"],
        &["compile", "m.mlir", "--tuning=/dev/zero"],
    ] {
        let began = Instant::now();
        let run = fornax(folder.path(), arguments);
        assert!(run.code == 1 || run.code == 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("error[FX"), "{arguments:?}: {}", run.stderr);
        assert!(began.elapsed() < LIMIT, "{arguments:?}: {:?}", began.elapsed());
    }
    let mut child = Command::new(binary())
        .args(["compile", "-"])
        .current_dir(folder.path())
        .stdin(Stdio::from(std::fs::File::open("/dev/zero").unwrap()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_small_stack_is_enough() {
    let folder = folder();
    let lines = "ulimit -s 64; \"$0\" compile -q m.mlir -o m.fnx && \"$0\" run-module --module=m.fnx --input=3xf32=1 \
                 && \"$0\" inspect m.fnx | tail -1";
    let output = shell(folder.path(), lines);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("result[0]: 3xf32=2 2 2\n"));
}

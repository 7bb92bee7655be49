//! What is said on stderr and in which form: `-v`, `-q`, `--color`, `--error-format`; words that are no text; a reader
//! that left.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use fornax_tests::{binary, fornax, fornax_with, root};

const MODEL: &str = "func.func public @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}";

fn model() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), MODEL).unwrap();
    folder
}

#[test]
fn verbosity() {
    let folder = model();
    let said = |flags: &[&str]| {
        let arguments = [&["compile", "m.mlir", "--target=cpu"], flags].concat();
        fornax(folder.path(), &arguments).ok().stderr
    };
    assert_eq!(said(&[]), "");
    let phases = said(&["-v"]);
    for phase in ["import", "simplify", "fuse", "schedule", "emit", "codegen", "pack"] {
        assert!(phases.lines().any(|line| line.starts_with(&format!("info: {phase}: "))), "no {phase} in {phases}");
    }
    assert!(phases.contains(" ms, ") && !phases.contains("debug:"), "{phases}");
    let kernels = said(&["-vv"]);
    assert!(kernels.lines().any(|line| line.starts_with("debug: kernel ")), "{kernels}");
    let logged = fornax_with(
        folder.path(),
        &["compile", "m.mlir"],
        &[("FORNAX_LOG", "fornax_passes=trace")],
        Duration::from_secs(60),
    );
    assert!(logged.stderr.contains("trace: simplify, round 1: "), "{}", logged.stderr);

    let run = fornax(folder.path(), &["run-module", "-vv", "--module=m.fnx", "--input=3xf32=1"]).ok().stderr;
    for line in ["info: open m.fnx: ", "info: image: ", "info: load: ", "debug: launch ", "info: call @f: "] {
        assert!(run.contains(line), "no {line} in {run}");
    }
}

#[test]
fn quiet_leaves_errors() {
    let folder = model();
    let loud = fornax(folder.path(), &["compile", "m.mlir", "--target=cuda"]).ok().stderr;
    assert!(loud.starts_with("warning: no CUDA target given"), "{loud}");
    assert_eq!(fornax(folder.path(), &["compile", "-q", "m.mlir", "--target=cuda"]).ok().stderr, "");
    fornax(folder.path(), &["--quiet", "compile", "no.mlir"]).fails(1, "FX0803");
    fornax(folder.path(), &["compile", "-q", "-v", "m.mlir"]).fails(1, "FX0801");
}

fn objects(stderr: &str) -> Vec<serde_json::Value> {
    stderr.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

#[test]
fn errors_as_json() {
    let folder = model();
    std::fs::write(folder.path().join("bad.mlir"), MODEL.replace("stablehlo.add", "stablehlo.ad")).unwrap();
    let run = fornax(folder.path(), &["compile", "bad.mlir", "--error-format=json"]);
    let found = objects(&run.stderr);
    assert_eq!(run.code, 1);
    let first = &found[0];
    assert_eq!(first["level"], "error");
    assert_eq!((&first["file"], &first["line"]), (&"bad.mlir".into(), &2.into()), "{first}");
    assert!(first["code"].as_str().unwrap().starts_with("FX"), "{first}");
    assert!(first["source_line"].as_str().unwrap().contains("stablehlo.ad %x"), "{first}");
    assert!(first["help"].as_str().unwrap().contains("stablehlo.add"), "{first}");

    let missing = objects(&fornax(folder.path(), &["compile", "no.mlir", "--error-format=json"]).stderr);
    assert_eq!(missing[0]["code"], "FX0803");
    assert!(missing[0]["cause"][0].as_str().unwrap().contains("No such file"), "{missing:?}");

    let usage = objects(&fornax(folder.path(), &["compile", "--nonsense", "--error-format", "json"]).stderr);
    assert_eq!(usage[0]["code"], "FX0801");
    assert!(usage[0]["message"].as_str().unwrap().contains("--nonsense"), "{usage:?}");

    let notes = fornax(folder.path(), &["compile", "-v", "m.mlir", "--target=cuda", "--error-format=json"]).ok();
    let levels: Vec<_> = objects(&notes.stderr).iter().map(|object| object["level"].clone()).collect();
    assert!(levels.contains(&"warning".into()) && levels.contains(&"info".into()), "{levels:?}");
}

#[test]
fn colour() {
    let folder = model();
    let plain = fornax(folder.path(), &["compile", "no.mlir"]).stderr;
    assert!(plain.starts_with("error[FX0803]: cannot read no.mlir"), "{plain}");
    let painted = fornax(folder.path(), &["compile", "no.mlir", "--color=always"]).stderr;
    assert!(painted.starts_with("\x1b[1;31merror[FX0803]\x1b[0m"), "{painted}");
    let help = |flags: &[&str]| fornax(folder.path(), flags).ok().stdout;
    assert!(help(&["--color=always", "--help"]).contains('\x1b'));
    assert!(!help(&["--help"]).contains('\x1b'));
}

#[test]
fn words_that_are_no_text() {
    let folder = model();
    let odd = OsStr::from_bytes(b"m\xff.mlir");
    std::fs::copy(folder.path().join("m.mlir"), folder.path().join(odd)).unwrap();
    let run = |arguments: &[&OsStr]| {
        let output = Command::new(binary()).args(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run(&["compile".as_ref(), odd]), (Some(0), String::new()));
    assert!(folder.path().join(OsStr::from_bytes(b"m\xff.fnx")).exists());
    let module = OsStr::from_bytes(b"--module=m\xff.fnx");
    assert_eq!(run(&["run-module".as_ref(), module, "--input=3xf32=1".as_ref()]), (Some(0), String::new()));
    let (code, text) = run(&["run-module".as_ref(), module, OsStr::from_bytes(b"--function=\xfe")]);
    assert_eq!(code, Some(1));
    assert!(text.starts_with("error[FX0801]: the argument") && text.contains("is not UTF-8"), "{text}");
    let (code, text) = run(&[OsStr::from_bytes(b"\xfe")]);
    assert!(code == Some(1) && text.contains("FX0801"), "{text}");
}

#[test]
fn a_reader_that_left_is_no_success() {
    for arguments in [&["list-targets"][..], &["completions", "bash"], &["explain"], &["list-drivers"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = Command::new(binary())
            .args(arguments)
            .current_dir(root())
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let status = child.wait().unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
        assert_eq!((status.code(), said.as_str()), (Some(141), ""), "{arguments:?}");
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(binary()).arg("explain").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("FX0802"));
}

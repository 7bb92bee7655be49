//! Spellings of other tools' command lines, turned into ours before clap reads them.
//!
//! Input: argv. Output: argv in Fornax's spelling and the notes to print once on stderr. `_` and `-` are equal in long
//! flags; a binary that is called `iree-compile` or `iree-run-module` gets the subcommand of that name; the seed
//! flags `--iree-…` map by the table below; any other `--iree-…` is an error with the nearest known name.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::{Result, bail};

/// What becomes of a foreign flag.
enum Action {
    /// Same meaning under our name.
    Rename(&'static str),
    /// Our flag, and a word that the flag is old.
    Old(&'static str),
    /// Accepted and without effect here, with the reason.
    Ignored(&'static str),
}

use Action::{Ignored, Old, Rename};

/// Foreign flag (without dashes, `-` for `_`) → action.
const FLAGS: &[(&str, Action)] = &[
    ("iree-hal-target-backends", Rename("target-backends")),
    ("iree-hal-target-device", Rename("target-backends")),
    ("iree-cuda-target", Rename("cuda-target")),
    ("iree-hal-cuda-llvm-target-arch", Old("cuda-target")),
    ("iree-cuda-target-features", Ignored("features follow from the architecture")),
    ("iree-cuda-use-ptxas", Rename("cuda-use-ptxas")),
    ("iree-rocm-target", Rename("rocm-target")),
    ("iree-hip-target", Rename("rocm-target")),
    ("iree-rocm-target-chip", Old("rocm-target")),
    ("iree-rocm-target-features", Ignored("features follow from the architecture")),
    ("iree-rocm-link-bc", Rename("rocm-link-bc")),
    ("iree-rocm-bc-dir", Rename("rocm-bc-dir")),
    ("iree-rocm-code-object-version", Rename("rocm-code-object-version")),
    ("iree-llvmcpu-target-cpu", Rename("cpu-target")),
    ("iree-input-type", Rename("input-type")),
    ("iree-hal-list-target-backends", Rename("list-target-backends")),
    ("hip-use-streams", Ignored("commands are always queued on a stream")),
    ("cuda-use-streams", Ignored("commands are always queued on a stream")),
    ("cuda-allow-inline-execution", Ignored("commands are always queued on a stream")),
];

/// Flags that may have `true` or `false` behind them, or nothing, which is `true`: what stands behind one without a value is no value of it.
const SWITCHES: &[&str] = &["--rocm-link-bc", "--cuda-use-ptxas"];

/// argv in our spelling, and notes for stderr.
#[derive(Debug, PartialEq, Eq)]
pub struct Translated {
    pub argv: Vec<OsString>,
    pub notes: Vec<String>,
}

/// Translates a whole command line. Words that are not UTF-8 stay as they are, but for the name of a flag before `=`.
pub fn translate(argv: Vec<OsString>) -> Result<Translated> {
    let mut out = Translated { argv: Vec::with_capacity(argv.len() + 1), notes: Vec::new() };
    let mut args = argv.into_iter().peekable();
    let program = args.next().unwrap_or_else(|| "fornax".into());
    let stem = Path::new(&program).file_stem().and_then(OsStr::to_str).unwrap_or("").to_string();
    out.argv.push("fornax".into());
    if let Some(subcommand) = stem.strip_prefix("iree-") {
        out.argv.push(subcommand.into());
    }
    let mut literal = false;
    while let Some(arg) = args.next() {
        literal |= arg == "--";
        let Some((name, value)) = split_flag(&arg).filter(|_| !literal) else {
            out.argv.push(arg);
            continue;
        };
        flag(name, value, &mut out)?;
        let has_value = args.peek().is_some_and(|next| next == "true" || next == "false");
        let is_switch = |last: &OsString| SWITCHES.iter().any(|switch| last == switch);
        if let Some(switch) = out.argv.last_mut().filter(|last| is_switch(last) && !has_value) {
            switch.push("=true");
        }
    }
    Ok(out)
}

/// Name and value of `--name` or `--name=value`.
fn split_flag(arg: &OsStr) -> Option<(&str, Option<&OsStr>)> {
    let bytes = arg.as_bytes().strip_prefix(b"--")?;
    let end = bytes.iter().position(|b| *b == b'=');
    let name = std::str::from_utf8(bytes.get(..end.unwrap_or(bytes.len()))?).ok()?;
    let value = end.and_then(|end| bytes.get(end + 1..)).map(OsStr::from_bytes);
    (!name.is_empty()).then_some((name, value))
}

fn flag(name: &str, value: Option<&OsStr>, out: &mut Translated) -> Result<()> {
    let name = name.replace('_', "-").to_lowercase();
    let spelled = |name: &str| {
        let mut flag = OsString::from(format!("--{name}"));
        if let Some(value) = value {
            flag.push("=");
            flag.push(value);
        }
        flag
    };
    match FLAGS.iter().find(|row| row.0 == name).map(|row| &row.1) {
        Some(Rename(ours)) => out.argv.push(device_value(ours, spelled(ours))),
        Some(Old(ours)) => {
            note(out, format!("--{name} is an alias of --{ours}"));
            if name == "iree-hal-cuda-llvm-target-arch" && value.is_none_or(OsStr::is_empty) {
                note(out, "the default is now sm_60 (was sm_35)".into());
            }
            out.argv.push(spelled(ours));
        }
        Some(Ignored(why)) => note(out, format!("--{name} has no effect: {why}")),
        None if name.starts_with("iree-") => {
            let nearest = fornax_targets::nearest(&name, FLAGS.iter().map(|row| row.0));
            let hint = nearest.first().map_or(String::new(), |n| format!("; did you mean --{n}?"));
            bail!("error[FX0801]: unknown flag --{name}{hint}");
        }
        None => out.argv.push(spelled(&name)),
    }
    Ok(())
}

/// `--iree-hal-target-device=hip|local` names devices, ours are backends.
fn device_value(ours: &str, flag: OsString) -> OsString {
    match (ours, flag.to_str()) {
        ("target-backends", Some("--target-backends=hip")) => "--target-backends=rocm".into(),
        ("target-backends", Some("--target-backends=local" | "--target-backends=llvm-cpu")) => {
            "--target-backends=cpu".into()
        }
        _ => flag,
    }
}

fn note(out: &mut Translated, text: String) {
    if !out.notes.contains(&text) {
        out.notes.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> Translated {
        translate(line.split(' ').map(OsString::from).collect()).unwrap()
    }

    fn text(run: &Translated) -> String {
        run.argv.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_that_are_no_text_stay() {
        let word = |bytes: &[u8]| OsStr::from_bytes(bytes).to_os_string();
        let run = translate(vec!["fornax".into(), word(b"m\xff.mlir"), word(b"--dump_ir_to=\xfe")]).unwrap();
        assert_eq!(run.argv[1..], [word(b"m\xff.mlir"), word(b"--dump-ir-to=\xfe")]);
    }

    #[test]
    fn seed_command_lines() {
        let cuda = run("iree-compile --iree-hal-target-backends=cuda --iree-cuda-target=sm_80 m.mlir -o m.vmfb");
        assert_eq!(text(&cuda), "fornax compile --target-backends=cuda --cuda-target=sm_80 m.mlir -o m.vmfb");
        assert!(cuda.notes.is_empty());
        let rocm = run("fornax compile --iree-hal-target-backends=rocm --iree-rocm-target-chip=gfx908 \
             --iree-rocm-link-bc=true --iree-rocm-bc-dir=/opt/rocm/amdgcn/bitcode m.mlir -o m.vmfb");
        assert_eq!(rocm.argv[2..5], ["--target-backends=rocm", "--rocm-target=gfx908", "--rocm-link-bc=true"]);
        assert_eq!(rocm.argv[5], "--rocm-bc-dir=/opt/rocm/amdgcn/bitcode");
        assert_eq!(rocm.notes.len(), 1);
    }

    #[test]
    fn underscores_are_dashes_in_names_not_in_values() {
        let run = run("iree-run-module --list_devices --expected_output=@a_b.npy");
        assert_eq!(run.argv[1..], ["run-module", "--list-devices", "--expected-output=@a_b.npy"]);
    }

    #[test]
    fn switches_take_no_file_for_their_value() {
        let line = "fornax compile --rocm-link-bc m.mlir --iree-cuda-use-ptxas -o m.fnx --cuda-use-ptxas false";
        let ours = "fornax compile --rocm-link-bc=true m.mlir --cuda-use-ptxas=true -o m.fnx --cuda-use-ptxas false";
        assert_eq!(text(&run(line)), ours);
    }

    #[test]
    fn unknown_foreign_flag_names_the_nearest() {
        let error = translate(vec!["fornax".into(), "compile".into(), "--iree-cuda-targt=sm_80".into()]).unwrap_err();
        assert!(error.to_string().contains("did you mean --iree-cuda-target?"), "{error}");
    }
}

//! Spellings of other tools' command lines, turned into ours before clap reads them.
//!
//! Input: argv. Output: argv in Fornax's spelling and the notes to print once on stderr. `_` and `-` are equal in long
//! flags; a binary that is called `iree-compile` or `iree-run-module` gets the subcommand of that name; the seed
//! flags `--iree-…` map by the table below; any other `--iree-…` is an error with the nearest known name.

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
    pub argv: Vec<String>,
    pub notes: Vec<String>,
}

/// Translates a whole command line.
pub fn translate(argv: Vec<String>) -> Result<Translated> {
    let mut out = Translated { argv: Vec::with_capacity(argv.len() + 1), notes: Vec::new() };
    let mut args = argv.into_iter().peekable();
    let program = args.next().unwrap_or_else(|| "fornax".into());
    let stem = program.rsplit('/').next().unwrap_or("").to_string();
    out.argv.push("fornax".into());
    if let Some(subcommand) = stem.strip_prefix("iree-") {
        out.argv.push(subcommand.to_string());
    }
    let mut literal = false;
    while let Some(arg) = args.next() {
        literal |= arg == "--";
        match arg.strip_prefix("--").filter(|rest| !literal && !rest.is_empty()) {
            Some(rest) => flag(rest, &mut out)?,
            None => {
                out.argv.push(arg);
                continue;
            }
        }
        let has_value = args.peek().is_some_and(|next| next == "true" || next == "false");
        if let Some(switch) = out.argv.last_mut().filter(|last| SWITCHES.contains(&last.as_str()) && !has_value) {
            switch.push_str("=true");
        }
    }
    Ok(out)
}

fn flag(text: &str, out: &mut Translated) -> Result<()> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.replace('_', "-"), Some(value)),
        None => (text.replace('_', "-"), None),
    };
    let name = name.to_lowercase();
    let spelled = |name: &str| match value {
        Some(v) => format!("--{name}={v}"),
        None => format!("--{name}"),
    };
    match FLAGS.iter().find(|row| row.0 == name).map(|row| &row.1) {
        Some(Rename(ours)) => out.argv.push(device_value(ours, spelled(ours))),
        Some(Old(ours)) => {
            note(out, format!("note: --{name} is an alias of --{ours}"));
            if name == "iree-hal-cuda-llvm-target-arch" && value.is_none_or(str::is_empty) {
                note(out, "note: the default is now sm_60 (was sm_35)".into());
            }
            out.argv.push(spelled(ours));
        }
        Some(Ignored(why)) => note(out, format!("note: --{name} has no effect: {why}")),
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
fn device_value(ours: &str, flag: String) -> String {
    match (ours, flag.as_str()) {
        ("target-backends", "--target-backends=hip") => "--target-backends=rocm".into(),
        ("target-backends", "--target-backends=local" | "--target-backends=llvm-cpu") => "--target-backends=cpu".into(),
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
        translate(line.split(' ').map(String::from).collect()).unwrap()
    }

    #[test]
    fn seed_command_lines() {
        let cuda = run("iree-compile --iree-hal-target-backends=cuda --iree-cuda-target=sm_80 m.mlir -o m.vmfb");
        assert_eq!(cuda.argv.join(" "), "fornax compile --target-backends=cuda --cuda-target=sm_80 m.mlir -o m.vmfb");
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
        assert_eq!(run(line).argv.join(" "), ours);
    }

    #[test]
    fn unknown_foreign_flag_names_the_nearest() {
        let error = translate(vec!["fornax".into(), "compile".into(), "--iree-cuda-targt=sm_80".into()]).unwrap_err();
        assert!(error.to_string().contains("did you mean --iree-cuda-target?"), "{error}");
    }
}

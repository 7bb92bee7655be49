//! Spellings of other tools' command lines, turned into ours before clap reads them.
//!
//! Input: argv. Output: argv in Fornax's spelling and the notes to print once on stderr. `_` and `-` are equal in long
//! flags; a binary that is called `iree-compile` or `iree-run-module` gets the subcommand of that name; the flags
//! `--iree-…` map by the table below; any other `--iree-…` is an error with the nearest known name. `--flagfile=FILE`
//! becomes the lines of FILE.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::Result;

use crate::failure::{Failure, exit};
use crate::input_file;

/// What becomes of a foreign flag.
enum Action {
    /// Same meaning under our name, with a value: behind `=` or in the next word.
    Rename(&'static str),
    /// As `Rename`, and a word that the flag is old.
    Old(&'static str),
    /// Same meaning under our name, without a value or with `true` or `false`.
    Switch(&'static str),
    /// Accepted with its value and without effect here, with the reason.
    Ignored(&'static str),
    /// The same for a flag without a value.
    IgnoredSwitch(&'static str),
}

use Action::{Ignored, IgnoredSwitch, Old, Rename, Switch};

/// Foreign flag (without dashes, `-` for `_`) → action.
#[rustfmt::skip]
const FLAGS: &[(&str, Action)] = &[
    ("iree-hal-target-backends", Rename("target-backends")),
    ("iree-hal-target-device", Rename("target-backends")),
    ("iree-cuda-target", Rename("cuda-target")),
    ("iree-hal-cuda-llvm-target-arch", Old("cuda-target")),
    ("iree-cuda-target-features", Ignored("features follow from the architecture")),
    ("iree-cuda-use-ptxas", Switch("cuda-use-ptxas")),
    ("iree-rocm-target", Rename("rocm-target")),
    ("iree-hip-target", Rename("rocm-target")),
    ("iree-rocm-target-chip", Old("rocm-target")),
    ("iree-rocm-target-features", Ignored("features follow from the architecture")),
    ("iree-rocm-link-bc", Switch("rocm-link-bc")),
    ("iree-rocm-bc-dir", Rename("rocm-bc-dir")),
    ("iree-rocm-code-object-version", Rename("rocm-code-object-version")),
    ("iree-llvmcpu-target-cpu", Rename("cpu-target")),
    ("iree-input-type", Rename("input-type")),
    ("iree-hal-list-target-backends", Switch("list-target-backends")),
    ("iree-opt-level", Ignored("every module is optimised fully")),
    ("hip-use-streams", IgnoredSwitch("commands are always queued on a stream")),
    ("cuda-use-streams", IgnoredSwitch("commands are always queued on a stream")),
    ("cuda-allow-inline-execution", IgnoredSwitch("commands are always queued on a stream")),
];

/// Our flag, a value of the foreign flag's, our value.
const VALUES: &[(&str, &str, &str)] = &[("cpu-target", "host", "native"), ("input-type", "stablehlo_xla", "stablehlo")];

/// Levels that `--iree-opt-level` has.
const OPT_LEVELS: [&str; 4] = ["O0", "O1", "O2", "O3"];

/// Flags that may have `true` or `false` behind them, or nothing, which is `true`: what stands behind one without a
/// value is no value of it.
const SWITCHES: &[&str] = &["--rocm-link-bc", "--cuda-use-ptxas"];

/// Files of flags that name files of flags.
const FLAGFILE_DEPTH_MAX: usize = 8;

/// The foreign flags, for `--help`: `--iree-cuda-target` is `--cuda-target`. Of compiling or of the rest.
pub fn aliases(compiler: bool) -> String {
    let mut lines = String::new();
    for (foreign, action) in FLAGS.iter().filter(|row| row.0.starts_with("iree-") == compiler) {
        let meaning = match action {
            Rename(ours) | Old(ours) | Switch(ours) => format!("--{ours}"),
            Ignored(why) | IgnoredSwitch(why) => format!("no effect: {why}"),
        };
        lines.push_str(&format!("  --{foreign:<32} {meaning}\n"));
    }
    lines
}

/// argv in our spelling, and notes for stderr.
#[derive(Debug, PartialEq, Eq)]
pub struct Translated {
    pub argv: Vec<OsString>,
    pub notes: Vec<String>,
}

/// Translates a whole command line. Words that are not UTF-8 stay as they are, but for the name of a flag before `=`.
pub fn translate(argv: Vec<OsString>) -> Result<Translated> {
    let mut out = Translated { argv: Vec::with_capacity(argv.len() + 1), notes: Vec::new() };
    let mut args = argv.into_iter();
    let program = args.next().unwrap_or_else(|| "fornax".into());
    let stem = Path::new(&program).file_stem().and_then(OsStr::to_str).unwrap_or("").to_string();
    out.argv.push("fornax".into());
    if let Some(subcommand) = stem.strip_prefix("iree-") {
        out.argv.push(subcommand.into());
        if subcommand == "run-module" {
            out.argv.push("--iree-output".into());
        }
    }
    words(args.collect(), 0, &mut out)?;
    Ok(out)
}

/// Translates words of a command line, or of a file of flags so many files deep.
fn words(words: Vec<OsString>, depth: usize, out: &mut Translated) -> Result<()> {
    let mut args = words.into_iter().peekable();
    let mut literal = false;
    while let Some(arg) = args.next() {
        literal |= arg == "--";
        let Some((name, value)) = split_flag(&arg).filter(|_| !literal) else {
            out.argv.push(arg);
            continue;
        };
        let name = name.replace('_', "-").to_lowercase();
        let mut next = || value.map(OsStr::to_os_string).or_else(|| args.next()).unwrap_or_default();
        match FLAGS.iter().find(|row| row.0 == name).map(|row| &row.1) {
            _ if name == "flagfile" => flagfile(Path::new(&next()), depth, out)?,
            Some(Rename(ours)) => renamed(ours, &next(), out),
            Some(Old(ours)) => {
                note(out, format!("--{name} is an alias of --{ours}"));
                let value = next();
                if name == "iree-hal-cuda-llvm-target-arch" && value.is_empty() {
                    note(out, "the default is now sm_60 (was sm_35)".into());
                } else {
                    renamed(ours, &value, out);
                }
            }
            Some(Ignored(why)) => {
                let value = next();
                check_ignored(&name, &value)?;
                note(out, format!("--{name} has no effect: {why}"));
            }
            Some(IgnoredSwitch(why)) => note(out, format!("--{name} has no effect: {why}")),
            Some(Switch(ours)) => out.argv.push(spelled(ours, value)),
            None if name.starts_with("iree-") => return Err(unknown(&name).into()),
            None => out.argv.push(spelled(&name, value)),
        }
        let has_value = args.peek().is_some_and(|next| next == "true" || next == "false");
        let is_switch = |last: &OsString| SWITCHES.iter().any(|switch| last == switch);
        if let Some(switch) = out.argv.last_mut().filter(|last| is_switch(last) && !has_value) {
            switch.push("=true");
        }
    }
    Ok(())
}

/// The lines of a file of flags: a flag each, `#` and `//` begin comments, blank ones are nothing.
fn flagfile(path: &Path, depth: usize, out: &mut Translated) -> Result<()> {
    if depth == FLAGFILE_DEPTH_MAX {
        let text = format!("--flagfile={}: more than {FLAGFILE_DEPTH_MAX} files inside of one another", path.display());
        return Err(Failure::usage(text).into());
    }
    let bytes = input_file::read(path)?;
    let lines = bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    let flags = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"//"));
    words(flags.map(|line| OsStr::from_bytes(line).to_os_string()).collect(), depth + 1, out)
}

fn spelled(name: &str, value: Option<&OsStr>) -> OsString {
    let mut flag = OsString::from(format!("--{name}"));
    if let Some(value) = value {
        flag.push("=");
        flag.push(value);
    }
    flag
}

/// Our flag with a foreign value.
fn renamed(ours: &str, value: &OsStr, out: &mut Translated) {
    let known = VALUES.iter().find(|row| row.0 == ours && value == row.1);
    out.argv.push(spelled(ours, Some(known.map_or(value, |row| OsStr::new(row.2)))));
}

/// What a flag without effect may say.
fn check_ignored(name: &str, value: &OsStr) -> Result<(), Failure> {
    if name == "iree-opt-level" && !OPT_LEVELS.iter().any(|level| value == *level) {
        let levels = OPT_LEVELS.join(", ");
        return Err(Failure::usage(format!("--{name}={}: the levels are {levels}", value.display())));
    }
    Ok(())
}

fn unknown(name: &str) -> Failure {
    let nearest = fornax_targets::nearest(name, FLAGS.iter().map(|row| row.0));
    let help = match nearest.first() {
        Some(near) => format!("did you mean --{near}?"),
        None => "`fornax compile --help` lists the flags of iree-compile that Fornax takes".to_string(),
    };
    Failure::new(exit::USAGE, "FX0801", format!("unknown flag --{name}"), &help)
}

/// Name and value of `--name` or `--name=value`.
fn split_flag(arg: &OsStr) -> Option<(&str, Option<&OsStr>)> {
    let bytes = arg.as_bytes().strip_prefix(b"--")?;
    let end = bytes.iter().position(|b| *b == b'=');
    let name = std::str::from_utf8(bytes.get(..end.unwrap_or(bytes.len()))?).ok()?;
    let value = end.and_then(|end| bytes.get(end + 1..)).map(OsStr::from_bytes);
    (!name.is_empty()).then_some((name, value))
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
        assert_eq!(run.argv[1..], ["run-module", "--iree-output", "--list-devices", "--expected-output=@a_b.npy"]);
    }

    #[test]
    fn switches_take_no_file_for_their_value() {
        let line = "fornax compile --rocm-link-bc m.mlir --iree-cuda-use-ptxas -o m.fnx --cuda-use-ptxas false";
        let ours = "fornax compile --rocm-link-bc=true m.mlir --cuda-use-ptxas=true -o m.fnx --cuda-use-ptxas false";
        assert_eq!(text(&run(line)), ours);
    }

    #[test]
    fn values_stand_behind_the_flag_too() {
        let line = "iree-compile --iree-hal-target-backends llvm-cpu --iree-llvmcpu-target-cpu=host --iree-opt-level \
                    O3 m.mlir";
        let host = run(line);
        assert_eq!(text(&host), "fornax compile --target-backends=llvm-cpu --cpu-target=native m.mlir");
        assert_eq!(host.notes, ["--iree-opt-level has no effect: every module is optimised fully"]);
        let wrong = translate(["fornax", "compile", "--iree-opt-level=9"].map(OsString::from).to_vec()).unwrap_err();
        assert!(wrong.to_string().contains("the levels are O0, O1, O2, O3"), "{wrong}");
        let none = run("fornax compile --iree-hal-cuda-llvm-target-arch= m.mlir");
        assert_eq!((text(&none).as_str(), none.notes.len()), ("fornax compile m.mlir", 2));
    }

    #[test]
    fn files_of_flags() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        std::fs::write(
            &one,
            format!("# flags\n--module=m.fnx\n\n  --input=2xf32=1 2  \n--flagfile={}\n", two.display()),
        )
        .unwrap();
        std::fs::write(&two, "// more\n--expected_output=2xf32=2 4\n").unwrap();
        let line = vec!["fornax".into(), "run-module".into(), spelled("flagfile", Some(one.as_os_str())), "-v".into()];
        let argv = translate(line).unwrap().argv;
        assert_eq!(argv[2..], ["--module=m.fnx", "--input=2xf32=1 2", "--expected-output=2xf32=2 4", "-v"]);
        std::fs::write(&two, format!("--flagfile={}", two.display())).unwrap();
        let round = translate(vec!["fornax".into(), spelled("flagfile", Some(two.as_os_str()))]).unwrap_err();
        assert!(round.to_string().contains("inside of one another"), "{round}");
        let missing = translate(vec!["fornax".into(), "--flagfile".into(), "no such file".into()]).unwrap_err();
        assert!(missing.to_string().contains("FX0803"), "{missing}");
    }

    #[test]
    fn unknown_foreign_flag_names_the_nearest() {
        let error = translate(vec!["fornax".into(), "compile".into(), "--iree-cuda-targt=sm_80".into()]).unwrap_err();
        assert!(error.to_string().contains("help: did you mean --iree-cuda-target?"), "{error}");
    }
}

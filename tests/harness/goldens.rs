//! Goldens: folders of a model, inputs and the outputs that another implementation gave (`in_N.npy`, `out_N.npy`,
//! tolerances in `meta.json`), compiled and run through the binary on one device or several.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::{Run, fornax, root};

/// The folders with a model under these, sorted.
pub fn cases(folders: &[&str]) -> Vec<PathBuf> {
    let paths = folders.iter().flat_map(|folder| std::fs::read_dir(root().join(folder)).unwrap());
    let mut cases: Vec<PathBuf> =
        paths.map(|entry| entry.unwrap().path()).filter(|path| path.join("model.mlir").exists()).collect();
    cases.sort();
    cases
}

/// Those that a variable asks for: none said, the selection; `all`; else those whose names contain one of its words.
pub fn chosen(cases: Vec<PathBuf>, variable: &str, selection: &[&str]) -> Vec<PathBuf> {
    let wanted = std::env::var(variable).unwrap_or_default();
    let words: Vec<&str> = wanted.split(',').filter(|word| !word.is_empty()).collect();
    let is_chosen = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match words.as_slice() {
            [] => selection.contains(&name.as_str()),
            ["all"] => true,
            words => words.iter().any(|word| name.contains(word)),
        }
    };
    cases.into_iter().filter(is_chosen).collect()
}

/// Two at a time, all of them; fails with what went wrong. At least so many there must be.
#[track_caller]
pub fn all_right(cases: &[PathBuf], least: usize, golden: impl Fn(&Path) -> Result<(), String> + Sync) {
    assert!(cases.len() >= least, "found only {} goldens", cases.len());
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let started = Instant::now();
                    let outcome = golden(case);
                    let name = case.file_name().unwrap_or_default().to_string_lossy();
                    println!("{name} {} {:.1} s", outcome.is_ok(), started.elapsed().as_secs_f64());
                    if let Err(error) = outcome {
                        println!("{name}: {error}");
                        failed.lock().unwrap().push(format!("{name}: {error}"));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {} goldens failed\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// Compiles a golden in `folder` for `targets` (flags of `compile`) and runs it once on each device; `run` starts the
/// binary.
pub fn golden(
    case: &Path,
    folder: &Path,
    targets: &[&str],
    devices: &[String],
    run: impl Fn(&[&str]) -> Run,
) -> Result<(), String> {
    let model = case.join("model.mlir").display().to_string();
    let compile = [&["compile", "--quiet", "--jobs=1", &model, "-o", "m.fnx"], targets].concat();
    let compiled = fornax(folder, &compile);
    if compiled.code != 0 {
        return Err(compiled.stderr);
    }
    let lines: Vec<String> = devices.iter().map(|device| batch_line(case, device)).collect::<Result<_, _>>()?;
    std::fs::write(folder.join("batch"), lines.join("\n")).map_err(|error| error.to_string())?;
    let run = run(&["run-module", "--batch=batch"]);
    let count = run.stdout.lines().filter(|line| line.starts_with("run ") && line.ends_with(": ok")).count();
    if run.code == 0 && count == devices.len() {
        return Ok(());
    }
    let wrong = run.stdout.lines().filter(|line| line.starts_with("run ") && !line.ends_with(": ok"));
    Err(format!("{}\n{}", wrong.collect::<Vec<_>>().join("\n"), run.stderr))
}

/// The flags of the run on one device.
fn batch_line(case: &Path, device: &str) -> Result<String, String> {
    // A range is that many devices.
    let flag = if device.contains('-') { "--devices" } else { "--device" };
    let flags = [vec![format!("{flag}={device}")], golden_flags(case)?].concat();
    serde_json::to_string(&flags).map_err(|error| error.to_string())
}

/// The flags of a golden's run, but for the device.
pub fn golden_flags(case: &Path) -> Result<Vec<String>, String> {
    let meta = std::fs::read_to_string(case.join("meta.json")).map_err(|error| error.to_string())?;
    let meta: serde_json::Value = serde_json::from_str(&meta).map_err(|error| error.to_string())?;
    let mut flags = vec!["--module=m.fnx".to_string()];
    for kind in ["f16", "bf16", "f32", "f64"] {
        if let Some(x) = meta["tolerance"][kind].as_f64() {
            flags.push(format!("--expected-{kind}-threshold={x}"));
        }
    }
    let files = |stem: &str| {
        (0..).map(|n| case.join(format!("{stem}_{n}.npy"))).take_while(|path| path.exists()).collect::<Vec<_>>()
    };
    let outputs = files("out");
    flags.extend(files("in").iter().map(|path| format!("--input=@{}", path.display())));
    flags.extend(outputs.iter().map(|path| format!("--expected-output=@{}", path.display())));
    flags.push("--output-max-element-count=0".to_string());
    if outputs.is_empty() {
        return Err(format!("{} has no outputs", case.display()));
    }
    Ok(flags)
}

//! JAX-made goldens: every folder of tests/numeric is a model with inputs and the outputs JAX gave; compiled for the CPU
//! and run through the binary.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fornax_tests::{fornax, root};

pub fn cases(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let mut cases: Vec<PathBuf> =
        entries.map(|e| e.unwrap().path()).filter(|p| p.join("model.mlir").exists()).collect();
    cases.sort();
    cases
}

#[test]
fn goldens_on_the_cpu() {
    all_right(&cases("tests/numeric"), 20);
}

/// Runs every golden; at least so many there must be.
pub fn all_right(cases: &[PathBuf], least: usize) {
    assert!(cases.len() >= least, "found only {} goldens", cases.len());
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = golden(case) {
                        failed.lock().unwrap().push(format!("{}: {error}", case.display()));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {} goldens failed\n{}", failed.len(), cases.len(), failed.join("\n"));
}

fn golden(case: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let model = case.join("model.mlir").display().to_string();
    let compiled = fornax(folder.path(), &["compile", "--quiet", "--jobs=1", "--target=cpu", &model, "-o", "m.fnx"]);
    if compiled.code != 0 {
        return Err(compiled.stderr);
    }
    let meta = std::fs::read_to_string(case.join("meta.json")).map_err(|e| e.to_string())?;
    let meta: serde_json::Value = serde_json::from_str(&meta).map_err(|e| e.to_string())?;
    let mut arguments = vec!["run-module".to_string(), "--module=m.fnx".into()];
    for kind in ["f16", "bf16", "f32", "f64"] {
        if let Some(x) = meta["tolerance"][kind].as_f64() {
            arguments.push(format!("--expected-{kind}-threshold={x}"));
        }
    }
    let files =
        |stem: &str| (0..).map(|n| case.join(format!("{stem}_{n}.npy"))).take_while(|p| p.exists()).collect::<Vec<_>>();
    arguments.extend(files("in").iter().map(|p| format!("--input=@{}", p.display())));
    let outputs = files("out");
    assert!(!outputs.is_empty(), "{}", case.display());
    arguments.extend(outputs.iter().map(|p| format!("--expected-output=@{}", p.display())));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = fornax(folder.path(), &arguments);
    match run.code {
        0 => Ok(()),
        _ => Err(run.stderr),
    }
}

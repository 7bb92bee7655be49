//! JAX-made goldens on devices of several chips.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fornax_tests::{fornax, root};

use crate::{chips, folder, on_double};

/// What `make test` runs: one of each kind of kernel, both float types of matrix instructions, loops, library calls.
const SELECTION: &[&str] = &[
    "activations",
    "argmax",
    "attention_f16",
    "attention_f32",
    "batch_norm",
    "concatenate",
    "conv_bf16",
    "conv_pool_f32",
    "convert_bf16",
    "convert_f32",
    "convert_i8",
    "counted_scan",
    "cumsum_i32",
    "data_loop",
    "dot_bf16_to_f32",
    "dot_i8_to_i32",
    "dynamic_slice",
    "gather_rows",
    "gelu_mlp_bf16",
    "gelu_mlp_f32",
    "hyperbolic_f32",
    "integer_arithmetic_i32",
    "layernorm_f16",
    "layernorm_f32",
    "mlp_constants",
    "pad",
    "power_f32",
    "random_bits_threefry2x32",
    "reduce_f64",
    "reduce_i64",
    "reverse",
    "row_log_softmax",
    "softmax_f32",
    "trigonometric_f32",
];

/// One run may take this long.
const LIMIT: Duration = Duration::from_secs(900);

fn cases() -> Vec<PathBuf> {
    let wanted = std::env::var("FORNAX_ROCM").unwrap_or_default();
    let words: Vec<&str> = wanted.split(',').filter(|word| !word.is_empty()).collect();
    let chosen = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match words.as_slice() {
            [] => SELECTION.contains(&name.as_str()),
            ["all"] => true,
            words => words.iter().any(|word| name.contains(word)),
        }
    };
    let entries = std::fs::read_dir(root().join("tests/numeric")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.join("model.mlir").exists());
    let mut cases: Vec<PathBuf> = paths.filter(chosen).collect();
    cases.sort();
    cases
}

#[test]
fn goldens_on_four_chips() {
    let cases = cases();
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

fn golden(case: &Path) -> Result<(), String> {
    let (folder, chips) = (folder(), chips());
    let model = case.join("model.mlir").display().to_string();
    let target = format!("--rocm-target={}", chips.join(","));
    let compile = ["compile", "--quiet", "--jobs=1", "--target-backends=rocm", &target, &model, "-o", "m.fnx"];
    let compiled = fornax(folder.path(), &compile);
    if compiled.code != 0 {
        return Err(compiled.stderr);
    }
    let lines: Vec<String> = (0..chips.len()).map(|at| batch_line(case, at)).collect::<Result<_, _>>()?;
    std::fs::write(folder.path().join("batch"), lines.join("\n")).map_err(|error| error.to_string())?;
    let run = on_double(folder.path(), &chips, &["run-module", "--batch=batch"], LIMIT);
    let count = run.stdout.lines().filter(|line| line.starts_with("run ") && line.ends_with(": ok")).count();
    if run.code == 0 && count == chips.len() {
        return Ok(());
    }
    let wrong = run.stdout.lines().filter(|line| line.starts_with("run ") && !line.ends_with(": ok"));
    Err(format!("{}\n{}", wrong.collect::<Vec<_>>().join("\n"), run.stderr))
}

/// The flags of the run on one of the devices.
fn batch_line(case: &Path, device: usize) -> Result<String, String> {
    let meta = std::fs::read_to_string(case.join("meta.json")).map_err(|error| error.to_string())?;
    let meta: serde_json::Value = serde_json::from_str(&meta).map_err(|error| error.to_string())?;
    let mut flags = vec!["--module=m.fnx".to_string(), format!("--device=rocm://{device}")];
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
    serde_json::to_string(&flags).map_err(|error| error.to_string())
}

//! `fornax bench`: its numbers, the inputs that it makes, several devices in one run, and how it ends.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use fornax_tests::{Run, binary, fornax, fornax_with, link_double, root};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(120);

fn compile(folder: &Path, model: &str, more: &[&str]) {
    let model = root().join(model).display().to_string();
    fornax(folder, &[&["compile", "--quiet", "--jobs=1", &model, "-o", "m.fnx"], more].concat()).ok();
}

fn bench(folder: &Path, more: &[&str]) -> Run {
    let seconds =
        if more.iter().any(|flag| flag.starts_with("--seconds")) { "--min-calls=1" } else { "--seconds=0.05" };
    fornax(folder, &[&["bench", "--module=m.fnx", seconds], more].concat())
}

fn json(run: Run) -> Value {
    let run = run.ok();
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

/// `CPU Time: 0.0123 seconds`
fn is_time(line: &str, kind: &str) -> bool {
    let number = line.strip_prefix(kind).and_then(|rest| rest.strip_prefix(" Time: "));
    let number = number.and_then(|rest| rest.strip_suffix(" seconds")).and_then(|number| number.split_once('.'));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    number.is_some_and(|(whole, part)| digits(whole) && digits(part) && part.len() == 4)
}

#[test]
fn the_last_call_is_compared_with_the_first_where_arguments_stay() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "tests/model/softmax.mlir", &["--target=cpu"]);
    let plain = json(bench(folder.path(), &["--format=json"]));
    assert_eq!(plain["same_bits"], Value::from(true), "{plain}");
    assert!(bench(folder.path(), &[]).ok().stdout.contains("yes in the last call"));
    // Every call changes what the next one reads: there is nothing to compare.
    let model = "func.func @main(%x: tensor<9xf32> {tf.aliasing_output = 0 : i32}) -> tensor<9xf32> {\n\
                 %0 = stablehlo.add %x, %x : tensor<9xf32>\nreturn %0 : tensor<9xf32>\n}\n";
    std::fs::write(folder.path().join("doubles.mlir"), model).unwrap();
    fornax(folder.path(), &["compile", "--quiet", "--target=cpu", "doubles.mlir", "-o", "m.fnx"]).ok();
    let doubles = json(bench(folder.path(), &["--format=json"]));
    assert_eq!(doubles["same_bits"], Value::Null, "{doubles}");
}

#[test]
fn one_device_with_inputs_that_bench_makes() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "tests/model/softmax.mlir", &["--target=cpu"]);
    let run = bench(folder.path(), &["--format=json", "--threads=1", "--warmup=2", "--min-calls=30"]).ok();
    assert!(run.stderr.contains("--input=4x1000xf32=random:0"), "{}", run.stderr);
    let report = json(run);
    let at = |name: &str| report[name].as_f64().unwrap_or_else(|| panic!("no {name} in {report}"));
    assert!(0.0 < at("min_ms") && at("min_ms") <= at("p50_ms") && at("p50_ms") <= at("p90_ms"), "{report}");
    assert!(at("p90_ms") <= at("p99_ms") && at("p99_ms") <= at("max_ms") && at("stddev_ms") > 0.0, "{report}");
    assert!(at("min_ms") <= at("mean_ms") && at("mean_ms") <= at("max_ms"), "{report}");
    assert_eq!((at("median_ms"), at("warmup_calls")), (at("p50_ms"), 2.0));
    assert!(at("calls") >= 30.0 && report["stopped"] == false, "{report}");
    assert!((at("calls_per_s") * at("queued_ms") - 1000.0).abs() < 1e-6, "{report}");
    assert_eq!(at("items"), 4.0);
    assert!((at("items_per_s") - 4.0 * at("calls_per_s")).abs() < 1e-6 * at("items_per_s"), "{report}");
    for part in ["upload_ms", "kernels_ms", "download_ms"] {
        assert!(at(part) >= 0.0);
    }
    let environment = &report["environment"];
    assert_eq!((&environment["threads"], &environment["driver"]), (&Value::from(1), &Value::from("cpu")));
    assert!(!environment["name"].as_str().unwrap().is_empty() && environment["driver_version"].is_string());
    // What was made can be given.
    let text = bench(folder.path(), &["--input=4x1000xf32=random:0", "--items=8"]).ok();
    assert!(!text.stderr.contains("note"), "{}", text.stderr);
    assert!(is_time(text.stdout.lines().next().unwrap(), "CPU"), "{}", text.stdout);
    for part in ["p50", "p90", "p99", "mean", "stddev", "calls/s", "(8 a call)", "environment", "driver cpu"] {
        assert!(text.stdout.contains(part), "no {part} in {}", text.stdout);
    }
    let cold = json(bench(folder.path(), &["--format=json", "--warmup=0", "--seconds=0"]));
    assert_eq!((&cold["warmup_calls"], cold["calls"].as_u64()), (&Value::from(0), Some(1)), "{cold}");
    bench(folder.path(), &["--seconds=-1"]).fails(1, "FX0801");
    bench(folder.path(), &["--threads=0"]).fails(1, "--threads");
    bench(folder.path(), &["--device=null", "--threads=2"]).fails(1, "FX0801");
    bench(folder.path(), &["--device=cpu,"]).fails(1, "FX0801");
    bench(folder.path(), &["--size", "batch=4"]).fails(1, "FX0713");
}

#[test]
fn sizes_that_the_module_leaves_open_are_named() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "tests/sizes/mlp/model.mlir", &["--target=cpu"]);
    let asked = bench(folder.path(), &[]).fails(1, "FX0801");
    let flag = asked.stderr.split("with ").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or_default();
    let name = flag.trim().strip_prefix("--size ").and_then(|rest| rest.strip_suffix("=N")).unwrap_or_default();
    assert!(!name.is_empty(), "{}", asked.stderr);
    let size = format!("{name}=6");
    let run = bench(folder.path(), &["--size", &size, "--format=json"]).ok();
    assert!(run.stderr.contains("--input=6x"), "{}", run.stderr);
    assert!(json(run)["made_inputs"][0].as_str().unwrap().starts_with("6x"));
}

#[test]
fn a_gpu_and_the_processor_in_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let targets = ["--target=cuda:a100", "--target=cpu", "--cuda-use-ptxas=false"];
    compile(folder.path(), "tests/model/softmax.mlir", &targets);
    let path = folder.path().display().to_string();
    let empty = folder.path().join("no-library");
    std::fs::create_dir(&empty).unwrap();
    let flags = ["bench", "--module=m.fnx", "--seconds=0.02", "--device=cuda,cpu"];
    let with = |library: &str, more: &[&str]| {
        let variables = [("LD_LIBRARY_PATH", library), ("FORNAX_FAKE_ARCH", "sm_80")];
        fornax_with(folder.path(), &[&flags[..], more].concat(), &variables, LIMIT)
    };
    link_double(folder.path(), "libfornax_fake_cuda.so", "libcuda.so.1");
    let text = with(&path, &[]).ok().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert!(is_time(lines[0], "GPU") && is_time(lines[1], "CPU"), "{text}");
    let tables = lines.iter().filter(|line| line.starts_with("@predict on ")).count();
    assert!(tables == 2 && lines[2].starts_with("@predict on cuda://"), "{text}");
    let ratio = text.split("CPU Time / GPU Time = ").nth(1).and_then(|rest| rest.split([',', ' ']).next()).unwrap();
    let ratio: f64 = ratio.parse().unwrap();
    assert_eq!(ratio < 1.0, text.contains("GPU slower"), "{text}");
    let report = json(with(&path, &["--format=json"]));
    let devices = report["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 2);
    let [gpu, cpu] = [0, 1].map(|at| devices[at]["median_ms"].as_f64().unwrap());
    assert!((report["ratio"].as_f64().unwrap() - cpu / gpu).abs() < 1e-9 * cpu / gpu, "{report}");
    assert_eq!((&report["baseline"], report["comparisons"].as_array().unwrap().len()), (&Value::from("cpu"), 1));
    assert_eq!(devices[0]["environment"]["clock_mhz"], 1980);
    let comparison = &report["comparisons"][0];
    assert_eq!(comparison["slower"], Value::from(cpu < gpu));
    let loses = cpu < gpu || comparison["ratio_from_host"].as_f64().is_some_and(|ratio| ratio < 1.0);
    assert_eq!(loses, comparison["reasons"].as_array().is_some_and(|reasons| !reasons.is_empty()), "{report}");
    // Without the library nothing is measured, and no other device stands in.
    if !Path::new("/proc/driver/nvidia").exists() {
        let missing = with(&empty.display().to_string(), &[]).fails(3, "FX0701");
        assert_eq!(missing.stdout, "");
    }
}

#[test]
fn an_endless_run_ends_with_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "tests/model/softmax.mlir", &["--target=cpu"]);
    let mut child = Command::new(binary())
        .args(["bench", "--module=m.fnx", "--seconds=inf", "--format=json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Inputs are made after Ctrl-C is watched for.
    let mut note = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut note).unwrap();
    assert!(note.contains("random:0"), "{note}");
    std::thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    let report: Value = serde_json::from_str(&text).unwrap();
    assert!(report["stopped"] == true && report["calls"].as_u64() > Some(0), "{report}");
    assert!(report["queued_ms"].is_null() && report["upload_ms"].is_null(), "{report}");
}

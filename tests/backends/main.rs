//! The library's front on the test doubles of libcuda, libamdhip64 and libOpenCL: which backend `Auto` takes, what
//! explicit preferences do, what the summary says, which device has the memory.
//!
//! A case is a process of this binary that finds the doubles. It asks the library and prints what it heard; the test
//! reads that. A double without devices stands for a machine without that GPU, so that what is installed here does not
//! matter.

mod worker;

use std::path::Path;
use std::process::Command;

use fornax_tests::link_double;

/// The variable that makes a process of this binary a worker: the name of its task.
const TASK: &str = "FORNAX_BACKENDS_TASK";

/// Double, the name under which it is found, its variable for devices, the devices, the backend.
const DOUBLES: &[(&str, &str, &str, &str, &str)] = &[
    ("libfornax_fake_cuda.so", "libcuda.so.1", "FORNAX_FAKE_CUDA_ARCH", "sm_80,sm_90", "CUDA"),
    ("libfornax_fake_hip.so", "libamdhip64.so.7", "FORNAX_FAKE_HIP_ARCH", "gfx942", "ROCm"),
    ("libfornax_fake_opencl.so", "libOpenCL.so.1", "FORNAX_FAKE_OPENCL_ARCH", "gpu", "OpenCL"),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    DOUBLES.iter().for_each(|row| link_double(folder.path(), row.0, row.1));
    folder
}

/// Does something only in a process that one of the others started.
#[test]
fn worker_process() {
    if let Ok(task) = std::env::var(TASK) {
        worker::run(&task);
    }
}

/// What a worker prints, in lines `name=value` and others, with the devices of each double in the order of the table.
#[track_caller]
fn ask(folder: &Path, task: &str, devices: &[&str], more: &[(&str, &str)]) -> String {
    let variables = DOUBLES.iter().map(|row| row.2).zip(devices.iter().copied());
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "worker_process", "--nocapture"])
        .env(TASK, task)
        .env("LD_LIBRARY_PATH", folder)
        .envs(variables)
        .envs(more.iter().copied())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{task}: {stdout}\n{stderr}");
    stdout.into_owned()
}

/// The line `name=…` of an answer.
#[track_caller]
fn value<'a>(answer: &'a str, name: &str) -> &'a str {
    let line = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    line.unwrap_or_else(|| panic!("no {name} in {answer}"))
}

#[test]
fn auto_takes_the_first_that_is_there_and_others_never_fall_back() {
    let folder = folder();
    for presence in 0..8u32 {
        let is_here = |at: usize| presence & (1 << at) != 0;
        let devices: Vec<&str> = (0..3).map(|at| if is_here(at) { DOUBLES[at].3 } else { "" }).collect();
        let answer = ask(folder.path(), "preferences", &devices, &[]);
        let first = (0..3).find(|at| is_here(*at)).map_or("CPU", |at| DOUBLES[at].4);
        assert_eq!(value(&answer, "Auto"), first, "{devices:?}");
        assert_eq!(value(&answer, "recommended"), first, "{devices:?}");
        for (at, (.., name)) in DOUBLES.iter().enumerate() {
            let wanted = match is_here(at) {
                true => name.to_string(),
                false => format!("FX0701 exit 3: No {name} devices found"),
            };
            assert_eq!(value(&answer, name), wanted, "{devices:?}");
        }
        assert_eq!(value(&answer, "CPU"), "CPU");
        assert!(value(&answer, "Metal").starts_with("FX0701 exit 3: Metal"), "{answer}");
        let gpu = (0..3).any(is_here);
        assert_eq!(value(&answer, "gpu"), format!("true {gpu}"), "{devices:?}");
        // Everything before the one that was taken was passed over, with its reason.
        let before = if gpu { (0..3).take_while(|at| !is_here(*at)).count() } else { 3 };
        let passed_over = value(&answer, "passed over");
        let all = DOUBLES.iter().take(before).all(|row| passed_over.contains(&format!("No {} devices found", row.4)));
        assert!(all, "{passed_over}");
    }
}

#[test]
fn the_summary_has_the_known_form() {
    let answer = ask(folder().path(), "summary", &["sm_80,sm_35", "gfx942", "gpu"], &[]);
    let lines: Vec<&str> = answer.lines().skip_while(|line| !line.starts_with("===")).collect();
    assert_eq!(lines[..2], ["=== Available Backends ===", "✓ CPU (CPU)"]);
    assert!(lines[2].starts_with("    [0] ") && lines[2].ends_with(" GB free)"), "{}", lines[2]);
    let rest = "✓ CUDA (CUDA)
    [0] Invented sm_80: 16.00 GB (16.00 GB free)
    [1] Invented sm_35: 16.00 GB (cannot run modules: compute capability 3.5, the oldest supported is 5.0)
✓ ROCm (ROCm)
    [0] Invented gfx942: 16.00 GB (16.00 GB free)
✓ OpenCL (OpenCL)
    [0] Invented gpu: 16.00 GB
✗ Metal (Metal)
    Error: Metal feature not enabled at compile time

Recommended backend: CUDA";
    let wanted: Vec<&str> = rest.lines().collect();
    assert_eq!(lines[3..3 + wanted.len()], wanted, "{answer}");
}

#[test]
fn a_device_that_runs_nothing_is_not_there() {
    let folder = folder();
    // Too old; listed, but opening it fails.
    for (devices, more) in [
        (["sm_35", "", ""], &[][..]),
        (["sm_80", "", ""], &[("FORNAX_FAKE_CUDA_FAIL", "cuDevicePrimaryCtxRetain=100")][..]),
    ] {
        let answer = ask(folder.path(), "preferences", &devices, more);
        assert_eq!((value(&answer, "Auto"), value(&answer, "gpu")), ("CPU", "true false"), "{devices:?}");
        assert!(value(&answer, "CUDA").starts_with("FX070"), "{answer}");
    }
    let answer = ask(folder.path(), "preferences", &["sm_35,sm_90", "", ""], &[]);
    assert_eq!((value(&answer, "Auto"), value(&answer, "device")), ("CUDA", "Invented sm_90"));
}

/// Two cards of 256 MB, of which the first has 96 left.
#[test]
fn the_device_that_has_the_memory_is_taken() {
    let memory = (256u64 << 20).to_string();
    let answer = ask(folder().path(), "memory", &["sm_80,sm_90", "", "gpu"], &[("FORNAX_FAKE_MEMORY", &memory)]);
    assert_eq!(value(&answer, "64"), "CUDA 0");
    assert_eq!(value(&answer, "192"), "CUDA 1");
    assert_eq!(value(&answer, "explicit 192"), "CUDA 1");
    let wanted = "FX0706: CUDA device 1 has insufficient memory: 0.25 GB available, 0.28 GB required";
    assert_eq!(value(&answer, "explicit 288"), wanted);
    // OpenCL does not tell what is free: four fifths are taken to be.
    assert_eq!(value(&answer, "opencl 192"), "OpenCL 0");
    let wanted = "FX0706: OpenCL device 0 has insufficient memory: 0.20 GB available, 0.23 GB required";
    assert_eq!(value(&answer, "opencl 240"), wanted);
    let wanted = "FX0706: No backend has enough memory for model (1048576.00 GB required)";
    assert_eq!(value(&answer, "1073741824"), wanted);
    assert_eq!(value(&answer, "rocm 1"), "FX0701: No ROCm devices found");
}

/// `to_device` and `to_host` give back what was there: every element type, every rank from 0 to 8, tensors without
/// elements.
#[test]
fn tensors_go_to_every_device_and_back() {
    let answer = ask(folder().path(), "tensors", &["sm_80", "gfx942", "gpu"], &[]);
    for driver in ["null", "cpu", "cuda", "rocm", "opencl"] {
        let tensors: usize = value(&answer, driver).parse().unwrap();
        assert!(tensors > 300, "{driver}: {tensors}");
    }
}

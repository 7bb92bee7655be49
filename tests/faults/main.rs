//! Each call of a GPU driver fails in turn, in every scenario, on the test doubles of libamdhip64, libcuda and
//! libOpenCL.
//!
//! A scenario first runs unharmed, which counts its calls. Then it runs once for each call and each of three codes (a
//! wrong value, out of memory, a lost device) with that call failing. It must end within seconds with an error that
//! names the call and has the right code (or go well, where the call is one that the runtime can do without), leave
//! nothing alive on the device, break no rule of the driver, and go well the next time.

mod command_buffers;
mod judge;
mod scenarios;
mod worker;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fornax_tests::{fornax, link_double, root};

use crate::scenarios::{Scenario, Trait};

/// The variable that makes a process of this binary a worker: `POSITION SCENARIO FOLDER`, the driver's position in the
/// table.
const TASK: &str = "FORNAX_FAULT_TASK";
/// A whole scenario may take this long.
const LIMIT: Duration = Duration::from_secs(300);

/// A driver and its double.
pub struct Driver {
    pub name: &'static str,
    /// The name under which the runtime looks for the library.
    pub library: &'static str,
    double: &'static str,
    target: &'static str,
    /// Settings of the double.
    pub settings: &'static str,
    /// Codes of a wrong value, of too little memory and of a lost device, and how their names start.
    pub codes: [i32; 3],
    pub names: &'static str,
    /// The double knows the settings `pools` and `properties`.
    pub variants: &'static [&'static str],
}

pub const DRIVERS: &[Driver] = &[
    Driver {
        name: "rocm",
        library: "libamdhip64.so.7",
        double: "libfornax_fake_hip.so",
        target: "rocm:gfx908",
        settings: "arch=gfx908,gfx908 poison=00 execute=0",
        codes: [1, 2, 719],
        names: "hipError",
        variants: &["pools", "properties"],
    },
    // Kernels are not executed (what they compute is tested elsewhere): zeros end loops whose condition is read from
    // memory.
    Driver {
        name: "cuda",
        library: "libcuda.so.1",
        double: "libfornax_fake_cuda.so",
        target: "cuda:sm_80",
        settings: "arch=sm_80,sm_80 poison=00",
        codes: [1, 2, 719],
        names: "CUDA_ERROR",
        variants: &[],
    },
    Driver {
        name: "opencl",
        library: "libOpenCL.so.1",
        double: "libfornax_fake_opencl.so",
        target: "opencl",
        settings: "arch=gpu,gpu poison=00",
        codes: [-30, -6, -36],
        names: "CL_",
        variants: &["properties"],
    },
    // Buffers with offsets instead of shared virtual memory.
    Driver {
        name: "opencl",
        library: "libOpenCL.so.1",
        double: "libfornax_fake_opencl.so",
        target: "opencl",
        settings: "arch=no-svm,no-svm poison=00",
        codes: [-30, -6, -36],
        names: "CL_",
        variants: &["properties"],
    },
];

/// Models and where they come from.
const MODELS: &[(&str, &str)] = &[
    ("constants", "tests/numeric/mlp_constants/model.mlir"),
    ("layers", "tests/numeric/attention_f32/model.mlir"),
    ("row", "tests/numeric/layernorm_f32/model.mlir"),
    ("sizes", "tests/sizes/mlp/model.mlir"),
    ("counted", "tests/numeric/counted_loop/model.mlir"),
    ("loop", "tests/numeric/data_loop/model.mlir"),
    ("branches", "tests/numeric/program_conditionals_switch_and_nested/model.mlir"),
    ("donated", "tests/faults/donated.mlir"),
];

#[test]
fn every_call_of_hip_may_fail() {
    each_scenario(0);
}

#[test]
fn every_call_of_cuda_may_fail() {
    each_scenario(1);
}

#[test]
fn every_call_of_opencl_may_fail() {
    each_scenario(2);
}

#[test]
fn every_call_of_opencl_with_buffers_may_fail() {
    each_scenario(3);
}

/// Does something only in a process that one of the others started.
#[test]
fn worker() {
    if let Ok(task) = std::env::var(TASK) {
        let words: Vec<&str> = task.splitn(3, ' ').collect();
        worker::run(words[0], words[1], Path::new(words[2]));
    }
}

fn each_scenario(driver: usize) {
    let (position, driver) = (driver, &DRIVERS[driver]);
    let folder = tempfile::tempdir().unwrap();
    link_double(folder.path(), driver.double, driver.library);
    for (name, path) in MODELS {
        let (model, output) = (root().join(path).display().to_string(), format!("{name}.fnx"));
        let target = format!("--target={}", driver.target);
        let arguments = ["compile", "--quiet", "--cuda-use-ptxas=false", &target, &model, "-o", &output];
        fornax(folder.path(), &arguments).ok();
    }
    let only = [(Trait::Keeps, "opencl"), (Trait::Parts, "cuda")];
    let is_for =
        |scenario: &&Scenario| only.iter().all(|(own, name)| driver.name == *name || !scenario.traits.contains(own));
    let scenarios = scenarios::SCENARIOS.iter().filter(is_for);
    let failed: Vec<String> =
        scenarios.filter_map(|scenario| start(position, scenario.name, folder.path()).err()).collect();
    assert!(failed.is_empty(), "{} scenarios failed\n{}", failed.len(), failed.join("\n"));
}

/// Runs a scenario in a process that finds the double.
fn start(position: usize, scenario: &str, folder: &Path) -> Result<(), String> {
    let driver = &DRIVERS[position];
    let started = Instant::now();
    let log = folder.join(format!("{scenario}.log"));
    let file = std::fs::File::create(&log).map_err(|error| error.to_string())?;
    let mut child = Command::new(std::env::current_exe().map_err(|error| error.to_string())?)
        .args(["--exact", "worker", "--nocapture"])
        .env(TASK, format!("{position} {scenario} {}", folder.display()))
        .env("LD_LIBRARY_PATH", folder)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(file.try_clone().map_err(|error| error.to_string())?)
        .stderr(file)
        .spawn()
        .map_err(|error| error.to_string())?;
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if started.elapsed() > LIMIT => {
                let _ = child.kill();
                break child.wait().map_err(|error| error.to_string())?;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let summary = text.lines().find(|line| line.contains(" calls, ")).unwrap_or_default();
    println!("{} {scenario}: {summary} {:.1} s", driver.name, started.elapsed().as_secs_f64());
    if status.success() {
        return Ok(());
    }
    let from = text.find("panicked at").unwrap_or(text.len().saturating_sub(1000));
    let why: Vec<&str> = text.get(from..).unwrap_or_default().lines().take(12).collect();
    Err(format!("{} {scenario}: {status}\n{}", driver.name, why.join("\n")))
}

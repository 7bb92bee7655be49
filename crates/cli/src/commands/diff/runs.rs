//! Both modules on one device, with the same inputs: time of a call, and whether the outputs are the same.
//!
//! Outputs of b are judged against those of a as `fornax verify` judges a device: floats within a tolerance, everything
//! else exactly. Times are medians of calls with arguments on the device; the two are measured one after the other.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use fornax_module::read::ParsedModule;
use fornax_runtime::Tensor;
use fornax_runtime::backends::choose_device;
use fornax_runtime::hal::Device;
use fornax_runtime::registry::AUTO;
use fornax_runtime::session::{
    BenchOptions, BenchResult, Module, ParameterFile, Session, SessionOptions, bench, bench_kernels,
};
use serde::Serialize;

use super::{Both, FunctionDiff, in_file};
use crate::args::{CommandBuffer, DiffArgs};
use crate::commands::analysis::random_inputs::given_or_random;
use crate::commands::analysis::walk::sample;
use crate::commands::loading::Devices;
use crate::commands::verify::compare::{Errors, Tolerances, compare, ulp_text};
use crate::failure::Failure;

/// What running both gave.
#[derive(Serialize)]
pub struct Runs {
    /// `cuda://0 (NVIDIA H200)`.
    pub device: String,
    pub functions: Vec<FunctionRun>,
}

#[derive(Serialize)]
pub struct FunctionRun {
    pub function: String,
    /// Median time of a call, milliseconds.
    pub call_ms: Both<f64>,
    /// Time in kernels of a call, microseconds; `None` where a kernel cannot be timed alone.
    pub kernels_us: Both<Option<f64>>,
    pub outputs: Vec<OutputDiff>,
}

#[derive(Serialize)]
pub struct OutputDiff {
    pub same: bool,
    /// Bit for bit.
    pub equal: bool,
    /// Largest distances.
    pub absolute: f64,
    pub relative: f64,
    pub text: String,
}

impl Runs {
    /// All outputs are the same, within the tolerance.
    pub fn same(&self) -> bool {
        self.functions.iter().flat_map(|function| &function.outputs).all(|output| output.same)
    }
}

/// The functions to run, or why none is.
pub fn wanted(args: &DiffArgs, signature: &[FunctionDiff]) -> Result<Vec<String>, String> {
    if args.no_run {
        return Err("--no-run".to_string());
    }
    let same: Vec<String> = signature.iter().filter(|f| f.change == "same").map(|f| f.name.clone()).collect();
    if same.is_empty() { Err("no function has the same signature in both".to_string()) } else { Ok(same) }
}

/// Runs both modules.
///
/// # Errors
/// Those of opening the device, of loading, and of the calls.
pub fn run(args: &DiffArgs, parsed: Both<&ParsedModule<&[u8]>>, functions: &[String]) -> Result<Runs> {
    let tolerances = Tolerances::parse(&args.tolerance)?;
    let open = |path: &Path| Module::open_with(path, args.verify.into()).map_err(|error| in_file(path, error.into()));
    let modules = Both { a: open(&args.a)?, b: open(&args.b)? };
    let device = device(args, &modules)?;
    let session = |module: &Module, path: &Path| {
        let parameters = args.parameters.iter().map(|p| ParameterFile::parse(p)).collect();
        let options = SessionOptions { parameters, ..SessionOptions::default() };
        Session::load(module, &device, &options).map_err(|error| in_file(path, error.into()))
    };
    let mut sessions = Both { a: session(&modules.a, &args.a)?, b: session(&modules.b, &args.b)? };
    let info = device.info();
    let mut runs = Runs { device: format!("{} ({})", info.uri(), info.name), functions: Vec::new() };
    for name in functions {
        let signature = modules.a.function(Some(name)).map_err(Failure::from)?.clone();
        // Sizes that nobody gave are those that the figures are for.
        let program = parsed.a.programs().iter().find_map(|p| p.functions.iter().find(|f| f.name == *name));
        let sizes = program.map_or_else(Vec::new, |f| sample(f, Some(&signature), &args.input_size));
        let inputs = given_or_random(&sessions.a, &signature, &args.input, &sizes, args.seed)?;
        let a = measure(&mut sessions.a, name, &inputs, args.seconds)?;
        let b = measure(&mut sessions.b, name, &inputs, args.seconds)?;
        let outputs = a.outputs.iter().zip(&b.outputs).map(|(x, y)| output(x, y, &tolerances)).collect();
        runs.functions.push(FunctionRun {
            function: name.clone(),
            call_ms: Both { a: a.one.p50_ms, b: b.one.p50_ms },
            kernels_us: Both {
                a: kernels_us(&mut sessions.a, name, &inputs),
                b: kernels_us(&mut sessions.b, name, &inputs),
            },
            outputs,
        });
    }
    Ok(runs)
}

/// The device asked for, else the first that runs both.
fn device(args: &DiffArgs, modules: &Both<Module>) -> Result<Device> {
    let mut devices = Devices::default();
    match args.device.as_deref() {
        Some(uri) if uri != AUTO => Ok(devices.open(uri, CommandBuffer::Auto).map_err(Failure::from)?),
        _ => {
            let open = |uri: &str| {
                let device = devices.open(uri, CommandBuffer::Auto)?;
                // Here it only matters whether b loads too.
                Session::load(&modules.b, &device, &SessionOptions::default()).map(|_| device)
            };
            Ok(choose_device(&modules.a, open).map_err(Failure::from)?.device)
        }
    }
}

fn measure(session: &mut Session, function: &str, inputs: &[Tensor], seconds: f64) -> Result<BenchResult> {
    let options = BenchOptions { time: Duration::from_secs_f64(seconds.clamp(0.0, 3600.0)), ..BenchOptions::default() };
    Ok(bench(session, function, inputs, &options).map_err(Failure::from)?)
}

fn kernels_us(session: &mut Session, function: &str, inputs: &[Tensor]) -> Option<f64> {
    let timed = bench_kernels(session, function, inputs).ok()?;
    Some(timed.kernels.iter().map(|kernel| kernel.launch_us * kernel.launches as f64).sum())
}

fn output(a: &Tensor, b: &Tensor, tolerances: &Tolerances) -> OutputDiff {
    let equal = a.ty() == b.ty() && a.bytes() == b.bytes();
    let row = |same: bool, errors: Errors, text: String| OutputDiff {
        same,
        equal,
        // JSON has no infinity.
        absolute: errors.absolute.min(f64::MAX),
        relative: errors.relative.min(f64::MAX),
        text,
    };
    match compare(b, a, tolerances, true) {
        Ok(errors) if equal => row(true, errors, "equal bit for bit".to_string()),
        Ok(errors) => {
            let text = format!(
                "equal within the tolerance: largest errors absolute {:.3e}, relative {:.3e}, {}",
                errors.absolute,
                errors.relative,
                ulp_text(errors.ulp)
            );
            row(true, errors, text)
        }
        Err(difference) => row(false, difference.errors, difference.text),
    }
}

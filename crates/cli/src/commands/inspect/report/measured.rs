//! Times of kernels for the report: measured here, or read from what `bench --kernels --format=json` printed.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use fornax_module::manifest::TargetEntry;
use fornax_runtime::session::{Module, ParameterFile, Session, SessionOptions, bench_kernels};
use serde::{Deserialize, Serialize};

use crate::args::{CommandBuffer, InspectArgs};
use crate::commands::analysis::random_inputs::{random_inputs, random_parameters};
use crate::commands::arguments::given;
use crate::commands::loading::Devices;
use crate::failure::Failure;
use crate::input_file;

/// Seed of arguments that nobody gave.
const SEED: u64 = 1;

/// Times of one module on one device.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// `cuda://GPU-… (NVIDIA H200)`.
    device: String,
    function: String,
    /// The image that ran, `cubin sm_90a: …`.
    #[serde(skip)]
    image: String,
    /// Bytes read and written by a plain copy, TB/s.
    copy_tb_s: f64,
    product: Option<String>,
    kernels: BTreeMap<String, Time>,
}

/// One kernel.
#[derive(Clone, Debug, Serialize)]
struct Time {
    launches: usize,
    us: f64,
    /// Bytes that a launch must move.
    bytes: u64,
    /// Possible time, microseconds: of a copy of as many bytes, or of the operations at the product's peak.
    possible_us: f64,
    /// `bytes` or `operations`.
    bound: String,
}

impl Measured {
    /// Whether these targets hold the image that was measured.
    pub fn is_of(&self, targets: &[&TargetEntry]) -> bool {
        let ran = |title: String| self.image.strip_prefix(&title).is_some_and(|rest| rest.starts_with(':'));
        targets.iter().flat_map(|target| &target.images).any(|image| ran(image.title()))
    }
}

/// What the flags ask for: nothing, a measurement, or a file.
pub fn measured(args: &InspectArgs) -> Result<Vec<Measured>> {
    match (&args.bench, args.measure) {
        (Some(file), _) => read(file),
        (None, true) => Ok(vec![measure(args)?]),
        (None, false) => Ok(Vec::new()),
    }
}

fn measure(args: &InspectArgs) -> Result<Measured> {
    let module = Module::open(&args.module).map_err(Failure::from)?;
    let signature = module.function(args.function.as_deref()).map_err(Failure::from)?.clone();
    let device = Devices::default().open(args.device.as_deref().unwrap_or("cpu"), CommandBuffer::Auto)?;
    let parameters = args.parameters.iter().map(|p| ParameterFile::parse(p)).collect();
    let given = given(&module, &signature, &args.input, &args.parameters)?;
    let nothing_given = args.input.is_empty();
    let tensors = match nothing_given {
        true => random_parameters(&module, &signature, &args.parameters, SEED)?,
        false => given.parameters,
    };
    let options = SessionOptions { parameters, tensors, ..SessionOptions::default() };
    let mut session = Session::load(&module, &device, &options).map_err(Failure::from)?;
    let inputs = match nothing_given {
        true => random_inputs(&session, &signature, &args.size, SEED)?,
        false => given.inputs,
    };
    let bench = bench_kernels(&mut session, &signature.name, &inputs).map_err(Failure::from)?;
    let info = session.device().info();
    let records = session.program_kernels();
    let time = |k: &fornax_runtime::session::KernelTime| {
        let time = Time {
            launches: k.launches,
            us: k.launch_us,
            bytes: k.bytes,
            possible_us: k.possible_us(),
            bound: k.bound().to_string(),
        };
        Some((records.get(k.kernel)?.name.clone(), time))
    };
    Ok(Measured {
        device: format!("{} ({})", info.uri(), info.name),
        function: signature.name.clone(),
        image: session.description().to_string(),
        copy_tb_s: bench.copy_bytes_per_s * 1e-12,
        product: bench.product.map(str::to_string),
        kernels: bench.kernels.iter().filter_map(time).collect(),
    })
}

/// What is read of a report of `bench --kernels --format=json`.
#[derive(Deserialize)]
struct BenchFile {
    function: String,
    device: String,
    image: String,
    copy_tb_s: f64,
    product: Option<String>,
    kernels: Vec<BenchKernel>,
}

#[derive(Deserialize)]
struct BenchKernel {
    name: String,
    launches: usize,
    launch_us: f64,
    bytes: u64,
    copy_us: f64,
    peak_us: Option<f64>,
    bound: String,
}

/// Of several devices, each.
#[derive(Deserialize)]
#[serde(untagged)]
enum BenchFiles {
    Several { devices: Vec<BenchFile> },
    One(Box<BenchFile>),
}

fn read(file: &Path) -> Result<Vec<Measured>> {
    let text = input_file::read_text(file)?;
    let wrong = || {
        let text = format!("{} is no report of `fornax bench --kernels --format=json`", file.display());
        Failure::usage(text)
    };
    let files = serde_json::from_str(&text).map_err(|_| wrong())?;
    Ok(match files {
        BenchFiles::Several { devices } => devices.into_iter().map(of_file).collect(),
        BenchFiles::One(one) => vec![of_file(*one)],
    })
}

fn of_file(file: BenchFile) -> Measured {
    let time = |k: BenchKernel| {
        let possible_us = k.peak_us.unwrap_or(0.0).max(k.copy_us);
        (k.name, Time { launches: k.launches, us: k.launch_us, bytes: k.bytes, possible_us, bound: k.bound })
    };
    Measured {
        device: file.device,
        function: file.function,
        image: file.image,
        copy_tb_s: file.copy_tb_s,
        product: file.product,
        kernels: file.kernels.into_iter().map(time).collect(),
    }
}

#[cfg(test)]
mod tests {
    use fornax_module::manifest::{ImageEntry, ImageKind};

    use super::*;

    const FILE: &str = r#"{"function": "main", "device": "cuda://0 (NVIDIA H200)", "median_ms": 0.2,
        "image": "cubin sm_90a: machine code for exactly this device; cubin", "copy_tb_s": 4.1, "product": "h200",
        "kernels": [{"name": "k0", "launches": 2, "launch_us": 7.5, "bytes": 64, "copy_us": 2.0, "peak_us": null,
        "bound": "bytes", "share": 1.0}]}"#;

    #[test]
    fn reports_of_bench_are_read_and_belong_to_their_target() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bench.json");
        for text in [FILE.to_string(), format!("{{\"devices\": [{FILE}], \"ratio\": 1.0}}")] {
            std::fs::write(&path, text).unwrap();
            let found = read(&path).unwrap();
            let time = &found[0].kernels["k0"];
            assert_eq!((time.us, time.launches, time.possible_us), (7.5, 2, 2.0));
            let target = |arch: &str| TargetEntry {
                images: vec![ImageEntry { kind: ImageKind::Cubin, arch: arch.into(), section: 0 }],
                ..TargetEntry::default()
            };
            assert!(found[0].is_of(&[&target("sm_90a")]) && !found[0].is_of(&[&target("sm_90")]));
        }
        std::fs::write(&path, "{}").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("bench --kernels"));
        assert!(read(Path::new("nothing.json")).unwrap_err().to_string().contains("FX0803"));
    }
}

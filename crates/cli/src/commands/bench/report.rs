//! What bench tells of one device, as text and as JSON.
//!
//! JSON: `median_ms` … `stddev_ms` (one call and a wait, arguments on the device), `queued_ms` (mean in a queue of
//! calls with one wait at the end), `calls_per_s` and `items_per_s` (of the queue), `upload_ms`, `kernels_ms`,
//! `download_ms` (a call from host tensors), `processor_ms` (processor time of a call, all threads), `environment`,
//! `made_inputs` (`--input` texts of inputs that bench made), `outputs` (files written by `--output`, from the first
//! call), `same_bits` (a call behind all others, a replay where calls are recorded, gave the bits of the first one;
//! null where calls overwrite their arguments), and with `--kernels` one object a kernel, see
//! [`super::kernels`]. Numbers that an interrupted run did not come to are null.

use fornax_module::manifest::FunctionSignature;
use fornax_runtime::Tensor;
use fornax_runtime::hal::{DeviceInfo, PowerState};
use fornax_runtime::session::{BenchResult, Session, Spread};
use serde::Serialize;

use super::kernels::{self, KernelsReport};
use crate::output::say;

/// What is called.
pub struct Call {
    pub function: String,
    pub inputs: Vec<Tensor>,
    /// Texts of inputs that nobody gave.
    made: Vec<String>,
    /// Items in a call, where that is known.
    items: Option<u64>,
    /// What they are called: `items`, `tok`.
    unit: String,
}

impl Call {
    /// `items` is the number of items in a call, where that is known.
    pub fn new(
        signature: &FunctionSignature,
        inputs: Vec<Tensor>,
        made: Vec<String>,
        items: Option<u64>,
        unit: &str,
    ) -> Call {
        Call { function: signature.name.clone(), inputs, made, items, unit: unit.to_string() }
    }

    /// The first size that all inputs and outputs of at least one dimension share, if there is one above 1.
    fn items_of(&self, outputs: &[Tensor]) -> Option<u64> {
        let sizes = |tensors: &[Tensor]| -> Vec<u64> {
            tensors.iter().filter_map(|tensor| tensor.ty().shape.first().copied()).collect()
        };
        let (inputs, outputs) = (sizes(&self.inputs), sizes(outputs));
        let first = *inputs.first()?;
        let shared = !outputs.is_empty() && inputs.iter().chain(&outputs).all(|size| *size == first);
        (shared && first > 1).then_some(first)
    }
}

/// What the numbers were measured on.
#[derive(Serialize)]
pub struct Environment {
    pub uri: String,
    pub name: String,
    pub arch: String,
    pub driver: &'static str,
    pub driver_version: String,
    pub compute_units: u32,
    /// Highest clock, where the driver tells it.
    pub clock_mhz: Option<u32>,
    /// While calls ran, where the driver tells: clock, power and its cap, and what kept the clock down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// Threads of a CPU device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
}

/// Clock and power while calls ran.
#[derive(Serialize)]
pub struct Load {
    pub clock_mhz: Option<u32>,
    pub power_w: Option<f64>,
    pub power_cap_w: Option<f64>,
    pub held_by: Vec<&'static str>,
}

impl Load {
    fn new(state: &PowerState) -> Load {
        let PowerState { clock_mhz, power_w, power_cap_w, ref held_by } = *state;
        Load { clock_mhz, power_w, power_cap_w, held_by: held_by.clone() }
    }

    /// `1980 MHz, 512 W of 700 W, held by: power cap`
    fn text(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.clock_mhz.map(|mhz| format!("{mhz} MHz")));
        let cap = self.power_cap_w.map_or(String::new(), |cap| format!(" of {cap:.0} W"));
        parts.extend(self.power_w.map(|watts| format!("{watts:.0} W{cap}")));
        if !self.held_by.is_empty() {
            parts.push(format!("clock held by: {}", self.held_by.join(", ")));
        }
        parts.join(", ")
    }
}

impl Environment {
    fn new(info: &DeviceInfo, power: Option<&PowerState>) -> Environment {
        let threads = info.properties.iter().find(|property| property.0 == "threads");
        Environment {
            uri: info.uri(),
            name: info.name.clone(),
            arch: info.arch.clone(),
            driver: info.driver,
            driver_version: info.driver_version.clone(),
            compute_units: info.compute_units,
            clock_mhz: info.clock_mhz,
            load: power.map(Load::new),
            threads: threads.and_then(|property| property.1.parse().ok()),
        }
    }

    fn text(&self) -> String {
        let mut parts = vec![self.name.clone(), self.arch.clone()];
        match self.threads {
            Some(threads) => parts.push(format!("{threads} of {} threads", self.compute_units)),
            None => parts.push(format!("{} compute units", self.compute_units)),
        }
        parts.push(self.clock_mhz.map_or("clock not told".to_string(), |mhz| format!("{mhz} MHz")));
        parts.push(format!("driver {} ({})", self.driver, self.driver_version));
        parts.join(", ")
    }
}

#[derive(Serialize)]
pub struct Report {
    function: String,
    device: String,
    /// The device as the command line names it.
    #[serde(skip)]
    pub asked: String,
    image: String,
    environment: Environment,
    pub median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    p50_ms: f64,
    p90_ms: f64,
    p99_ms: f64,
    mean_ms: f64,
    stddev_ms: f64,
    first_ms: f64,
    pub queued_ms: Option<f64>,
    calls_per_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items_per_s: Option<f64>,
    unit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    processor_ms: Option<f64>,
    pub upload_ms: Option<f64>,
    pub kernels_ms: Option<f64>,
    pub download_ms: Option<f64>,
    calls: u64,
    warmup_calls: u32,
    /// Ctrl-C ended the measurement.
    pub stopped: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    made_inputs: Vec<String>,
    outputs: Vec<String>,
    same_bits: Option<bool>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub kernels: Option<KernelsReport>,
    #[serde(skip)]
    pub is_cpu: bool,
}

impl Report {
    pub fn new(asked: &str, session: &Session, call: &Call, r: &BenchResult, outputs: Vec<String>) -> Report {
        let info = session.device().info();
        let Spread { calls, min_ms, p50_ms, p90_ms, p99_ms, max_ms, mean_ms, stddev_ms } = r.one;
        let calls_per_s = 1e3 / r.queued_ms.unwrap_or(mean_ms).max(1e-6);
        let items = call.items.or_else(|| call.items_of(&r.outputs));
        Report {
            function: call.function.clone(),
            device: format!("{} ({})", info.uri(), info.name),
            asked: asked.to_string(),
            image: session.description().to_string(),
            environment: Environment::new(info, r.power.as_ref()),
            median_ms: p50_ms,
            min_ms,
            max_ms,
            p50_ms,
            p90_ms,
            p99_ms,
            mean_ms,
            stddev_ms,
            first_ms: r.first_ms,
            queued_ms: r.queued_ms,
            calls_per_s,
            items,
            unit: call.unit.clone(),
            items_per_s: items.map(|items| items as f64 * calls_per_s),
            processor_ms: r.processor_ms,
            upload_ms: r.parts.map(|parts| parts.upload_ms),
            kernels_ms: r.parts.map(|parts| parts.kernels_ms),
            download_ms: r.parts.map(|parts| parts.download_ms),
            calls,
            warmup_calls: r.warmup_calls,
            stopped: r.stopped,
            made_inputs: call.made.clone(),
            outputs,
            same_bits: r.same_bits,
            kernels: None,
            is_cpu: is_cpu(info),
        }
    }

    pub fn kind(&self) -> &'static str {
        if self.is_cpu { "CPU" } else { "GPU" }
    }

    /// Upload, kernels and download together, milliseconds.
    pub fn cold_ms(&self) -> Option<f64> {
        Some(self.upload_ms? + self.kernels_ms? + self.download_ms?)
    }

    /// `CPU Time: 0.0123 seconds`
    pub fn print_time(&self) {
        say!("{} Time: {:.4} seconds", self.kind(), self.median_ms / 1e3);
    }

    pub fn print_table(&self) {
        say!("@{} on {}, {}", self.function, self.device, self.image);
        say!("  environment          {}", self.environment.text());
        if let Some(load) = &self.environment.load {
            say!("  under load           {}", load.text());
        }
        if self.stopped {
            say!("  stopped by Ctrl-C    what was measured until then");
        }
        say!(
            "  one call and a wait  {:>10.4} ms median of {} calls ({:.4} to {:.4}) after {} to warm up",
            self.median_ms,
            self.calls,
            self.min_ms,
            self.max_ms,
            self.warmup_calls
        );
        say!(
            "  spread               {:>10.4} ms p50, {:.4} p90, {:.4} p99, {:.4} mean, {:.4} stddev",
            self.p50_ms,
            self.p90_ms,
            self.p99_ms,
            self.mean_ms,
            self.stddev_ms
        );
        say!("  first call           {:>10.4} ms", self.first_ms);
        if let Some(same_bits) = self.same_bits {
            say!("  same bits            {:>10} in the last call", if same_bits { "yes" } else { "NO" });
        }
        if let Some(processor_ms) = self.processor_ms {
            say!("  processor time       {processor_ms:>10.4} ms a call, all threads");
        }
        if let Some(queued_ms) = self.queued_ms {
            say!("  in a queue           {queued_ms:>10.4} ms a call");
        }
        let items = self.items.zip(self.items_per_s);
        let items =
            items.map_or(String::new(), |(items, rate)| format!(", {rate:.1} {}/s ({items} a call)", self.unit));
        say!("  throughput           {:>10.1} calls/s{items}", self.calls_per_s);
        if let (Some(upload_ms), Some(kernels_ms), Some(download_ms)) =
            (self.upload_ms, self.kernels_ms, self.download_ms)
        {
            say!(
                "  from host tensors    {upload_ms:>10.4} ms upload, {kernels_ms:.4} ms kernels, {download_ms:.4} ms \
                 download"
            );
        }
        self.kernels.iter().for_each(kernels::print_text);
    }
}

/// Processors are also devices of OpenCL.
fn is_cpu(info: &DeviceInfo) -> bool {
    info.driver == "cpu" || info.properties.iter().any(|(name, kind)| *name == "kind" && kind == "CPU")
}

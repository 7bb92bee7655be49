//! How devices of one run compare, and why a GPU loses where it does.
//!
//! The baseline is the first CPU, else the first device. A ratio is the baseline's time over the device's: above 1 the
//! device is faster. Two ratios: with arguments that stay on the device, and from host tensors, with upload and
//! download.
//!
//! Worked example: a GPU takes 0.02 ms a call and 9 ms to move what a CPU computes in 3 ms: ratio 150, from host
//! tensors 0.33. "The GPU loses here" when tensors come from the host each time, and the reason is the transfer: 99 %
//! of the call.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use fornax_runtime::session::{DispatchAt, Moment, Observer, Session};
use serde::Serialize;

use super::report::{Call, Report};
use crate::failure::Failure;
use crate::output::say;

/// Part of a call from host tensors from which on moving them is a reason.
const TRANSFER_SHARE: f64 = 0.3;
/// Part of a call from which on waiting for each one is a reason.
const WAIT_SHARE: f64 = 0.3;
/// Time a launch from which on launching is a reason, microseconds: GPUs take 2 to 10 to launch and end an empty
/// kernel.
const LAUNCH_US: f64 = 10.0;
/// Threads that a compute unit should hold to be busy, where its driver does not tell how many it can.
const UNIT_THREADS: u32 = 1024;

#[derive(Serialize)]
pub struct Comparison {
    pub device: String,
    pub baseline: String,
    /// Baseline's median / device's median, arguments on the device.
    pub ratio: f64,
    /// The same in a queue of calls.
    ratio_queued: Option<f64>,
    /// The same with upload and download.
    ratio_from_host: Option<f64>,
    /// The device is slower with arguments on the device.
    slower: bool,
    /// Why a GPU loses, by either ratio; empty where it wins.
    reasons: Vec<Reason>,
    #[serde(skip)]
    kinds: [&'static str; 2],
}

#[derive(Serialize)]
struct Reason {
    /// `transfer`, `size`, `launch`, `wait` or `kernels`.
    kind: &'static str,
    text: String,
}

/// Compares all devices with the baseline.
pub fn compare(reports: &[Report], sessions: &mut [Session], call: &Call) -> Result<Vec<Comparison>> {
    let base = reports.iter().position(|report| report.is_cpu).unwrap_or(0);
    let Some(baseline) = reports.get(base) else { return Ok(Vec::new()) };
    let mut comparisons = Vec::new();
    for (at, (report, session)) in reports.iter().zip(sessions).enumerate() {
        if at == base {
            continue;
        }
        let over = |base: Option<f64>, own: Option<f64>| base.zip(own).map(|(base, own)| base / own.max(1e-6));
        let mut comparison = Comparison {
            device: report.asked.clone(),
            baseline: baseline.asked.clone(),
            ratio: baseline.median_ms / report.median_ms.max(1e-6),
            ratio_queued: over(baseline.queued_ms, report.queued_ms),
            ratio_from_host: over(baseline.cold_ms(), report.cold_ms()),
            slower: baseline.median_ms < report.median_ms,
            reasons: Vec::new(),
            kinds: [report.kind(), baseline.kind()],
        };
        if !report.is_cpu && (comparison.slower || comparison.loses_from_host()) {
            let launches = if comparison.slower { Some(count(session, call)?) } else { None };
            comparison.reasons = reasons(report, launches.as_ref(), unit_threads(session));
        }
        comparisons.push(comparison);
    }
    Ok(comparisons)
}

impl Comparison {
    fn loses_from_host(&self) -> bool {
        self.ratio_from_host.is_some_and(|ratio| ratio < 1.0)
    }

    pub fn print(&self) {
        let [kind, baseline_kind] = self.kinds;
        let from_host = self.ratio_from_host.map_or(String::new(), |ratio| format!(", {ratio:.2} from host tensors"));
        say!(
            "ratio: {baseline_kind} Time / {kind} Time = {:.2}{from_host} ({} against {})",
            self.ratio,
            self.baseline,
            self.device
        );
        match (kind, self.slower, self.loses_from_host()) {
            ("GPU", true, _) => say!("GPU slower: the GPU loses here"),
            ("GPU", false, true) => say!("the GPU loses here where tensors come from the host in every call"),
            _ => {}
        }
        for reason in &self.reasons {
            say!("  why: {}", reason.text);
        }
    }
}

/// Launches of one call.
#[derive(Default)]
struct Launches {
    count: u64,
    /// Threads of the largest one.
    threads: u64,
    /// Threads of a workgroup, by kernel.
    blocks: Vec<u64>,
}

impl Observer for Launches {
    fn see(&mut self, _: DispatchAt, moment: Moment<'_>) -> fornax_runtime::Result<()> {
        if let Moment::Before(launched) = moment {
            let workgroups = launched.grid.iter().fold(1u64, |product, extent| product.saturating_mul(*extent));
            let block = self.blocks.get(launched.kernel).copied().unwrap_or(1);
            self.count += 1;
            self.threads = self.threads.max(workgroups.saturating_mul(block));
        }
        Ok(())
    }
}

/// Calls the function once more and counts its launches.
fn count(session: &mut Session, call: &Call) -> Result<Launches> {
    let block =
        |kernel: &fornax_module::program::Kernel| kernel.block.iter().map(|extent| u64::from(*extent)).product();
    let blocks = session.program_kernels().iter().map(block).collect();
    let seen = Arc::new(Mutex::new(Launches { blocks, ..Launches::default() }));
    session.observe(&call.function, &call.inputs, seen.clone()).map_err(Failure::from)?;
    Ok(std::mem::take(&mut seen.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Threads that the device holds at once.
fn unit_threads(session: &Session) -> u64 {
    let info = session.device().info();
    let unit = if info.limits.unit_threads > 0 { info.limits.unit_threads } else { UNIT_THREADS };
    u64::from(unit) * u64::from(info.compute_units.max(1))
}

/// Why the device loses; `launches` where it does so with arguments on the device.
fn reasons(report: &Report, launches: Option<&Launches>, device_threads: u64) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let moved = report.upload_ms.zip(report.download_ms).map(|(up, down)| up + down);
    if let Some((moved, all)) = moved.zip(report.cold_ms())
        && moved >= TRANSFER_SHARE * all
    {
        let share = moved / all.max(1e-9) * 100.0;
        let text = format!(
            "transfer: moving tensors takes {moved:.4} ms, {share:.0} % of a call from host tensors; keep them on the \
             device"
        );
        reasons.push(Reason { kind: "transfer", text });
    }
    let Some(launches) = launches else { return reasons };
    if launches.threads < device_threads {
        let text = format!(
            "size: the largest of {} launches has {} threads, the device holds {device_threads} at once; give it \
             larger batches",
            launches.count, launches.threads
        );
        reasons.push(Reason { kind: "size", text });
    }
    let each_us = report.queued_ms.unwrap_or(report.median_ms) * 1e3 / launches.count.max(1) as f64;
    if launches.count > 0 && each_us < LAUNCH_US {
        let text = format!(
            "launch cost: {} launches a call, {each_us:.1} us each; to launch and end a kernel takes 2 to 10 us \
             whatever it does",
            launches.count
        );
        reasons.push(Reason { kind: "launch", text });
    }
    if let Some(queued) = report.queued_ms
        && report.median_ms - queued >= WAIT_SHARE * report.median_ms
    {
        let wait = report.median_ms - queued;
        let text = format!("wait: {wait:.4} ms of a call is waiting for it alone; queue calls, then wait once");
        reasons.push(Reason { kind: "wait", text });
    }
    if reasons.is_empty() {
        let text = "kernels: neither transfer, size nor launches explain it; see --kernels".to_string();
        reasons.push(Reason { kind: "kernels", text });
    }
    reasons
}

//! How long a function takes: one call and a wait, many calls in a queue, and the three parts of a cold call.
//!
//! The arguments are uploaded once; calls overwrite those that the signature aliases with outputs, as a decoder's cache
//! wants it. Outputs that the caller sees are those of the first call. Every number includes the wait for the device: a
//! clock that stops when work is merely queued measures nothing. Memory does not grow with the number of calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::latency::{Latencies, Spread};
use super::{DeviceTensor, Session, Timings};
use crate::drivers::processor_time::processor_time;
use crate::errors::Result;
use crate::hal::PowerState;
use crate::tensor::Tensor;

/// The page on measuring, whose program must compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/use/measuring.md")]
struct MeasuringPage;

/// Calls before timing where nobody says how many: at least these (command graphs are recorded in them) …
const WARM_CALLS_MIN: u32 = 3;
/// … until this part of the measured time has passed, so that clocks of processors and GPUs have risen …
const WARM_PART: u32 = 10;
/// … but not more than these.
const WARM_CALLS_MAX: u32 = 1000;
/// Longest time spent on calls in a queue; endless measurements are endless only call by call.
const QUEUE_TIME_MAX: Duration = Duration::from_secs(10);
/// Queues timed, at most.
const QUEUES_MAX: u32 = 1000;
/// The device is kept busy for this long before its clock and power are read: drivers average over some milliseconds.
const LOAD_TIME: Duration = Duration::from_millis(100);
/// Cold calls whose median parts are told.
const COLD_CALLS: usize = 3;

/// How long to measure.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Calls before timing starts; `None` for a tenth of `time`, and 3 at least.
    pub warmup_calls: Option<u32>,
    /// Calls are timed until this much time has passed, and at least `min_calls` times.
    pub time: Duration,
    pub min_calls: u32,
    /// Calls in one queue.
    pub queue_calls: u32,
    /// Set from elsewhere, it ends the measurement after the present call; what was measured is the result.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for BenchOptions {
    fn default() -> Self {
        BenchOptions { warmup_calls: None, time: Duration::from_millis(500), min_calls: 5, queue_calls: 16, stop: None }
    }
}

impl BenchOptions {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// What was measured, milliseconds.
#[derive(Clone, Debug)]
pub struct BenchResult {
    /// Wall time of one call and a wait, arguments already on the device.
    pub one: Spread,
    /// The very first call, with what is only done once.
    pub first_ms: f64,
    /// Calls before timing started.
    pub warmup_calls: u32,
    /// Mean wall time of a call in a queue with one wait at the end; `None` if stopped before.
    pub queued_ms: Option<f64>,
    /// Processor time of a call, all threads of the process: of calls one by one, mean. On a busy machine it says more
    /// than the wall clock; threads that wait awake count too. `None` where the system does not tell.
    pub processor_ms: Option<f64>,
    /// Upload, kernels and download of a call from host tensors, on the device's clock; medians. `None` if stopped
    /// before.
    pub parts: Option<Timings>,
    /// Clock and power while calls ran; `None` where the driver does not tell, or if stopped before.
    pub power: Option<PowerState>,
    /// The measurement was ended from outside.
    pub stopped: bool,
    /// Results of the first call.
    pub outputs: Vec<Tensor>,
    /// A call behind all others, a replay where calls are recorded, gave the same bits. `None` where calls overwrite
    /// their arguments, or if stopped before.
    pub same_bits: Option<bool>,
}

/// A function on arguments that are on the device.
struct Calls<'a> {
    session: &'a mut Session,
    function: &'a str,
    inputs: &'a [DeviceTensor],
}

impl Calls<'_> {
    /// One call and the wait for it.
    fn one(&mut self) -> Result<(Duration, Vec<DeviceTensor>)> {
        let start = Instant::now();
        let results = self.session.invoke_on_device(self.function, self.inputs)?;
        self.session.synchronize()?;
        Ok((start.elapsed(), results))
    }

    /// The results of one call, on the host.
    fn downloaded(&mut self) -> Result<(Duration, Vec<Tensor>)> {
        let (time, results) = self.one()?;
        let outputs = results.iter().map(|output| self.session.download(output)).collect::<Result<Vec<_>>>()?;
        Ok((time, outputs))
    }

    /// Mean milliseconds of a call in queues of `calls`.
    fn queued(&mut self, calls: u32, time: Duration, options: &BenchOptions) -> Result<f64> {
        let (mut queues, mut sum) = (0u32, Duration::ZERO);
        let start = Instant::now();
        while queues == 0 || (start.elapsed() < time && queues < QUEUES_MAX && !options.is_stopped()) {
            let queue = Instant::now();
            for _ in 0..calls {
                self.session.invoke_on_device(self.function, self.inputs)?;
            }
            self.session.synchronize()?;
            sum += queue.elapsed();
            queues += 1;
        }
        Ok(sum.as_secs_f64() * 1e3 / f64::from(queues) / f64::from(calls))
    }
}

impl Calls<'_> {
    /// Clock and power while calls run. Nothing is timed meanwhile.
    fn power(&mut self, calls: u32, time: Duration) -> Result<Option<PowerState>> {
        if self.session.device().power().is_none() {
            return Ok(None);
        }
        let start = Instant::now();
        loop {
            for _ in 0..calls {
                self.session.invoke_on_device(self.function, self.inputs)?;
            }
            let told = self.session.device().power();
            self.session.synchronize()?;
            if start.elapsed() >= time {
                return Ok(told);
            }
        }
    }
}

/// Measures a function.
pub fn bench(session: &mut Session, function: &str, inputs: &[Tensor], options: &BenchOptions) -> Result<BenchResult> {
    let resident = session.upload_inputs(function, inputs)?;
    session.synchronize()?;
    let overwrites = !session.function(Some(function))?.aliases.is_empty();
    let mut latencies = Latencies::new()?;
    let mut calls = Calls { session, function, inputs: &resident };
    let (first, outputs) = calls.downloaded()?;
    let warmup_calls = warm_up(&mut calls, options)?;
    if warmup_calls == 0 {
        latencies.record(first);
    }

    let used = processor_time();
    let (start, mut timed) = (Instant::now(), 0u64);
    let wanted = u64::from(options.min_calls.max(1));
    while latencies.calls() == 0
        || ((latencies.calls() < wanted || start.elapsed() < options.time) && !options.is_stopped())
    {
        latencies.record(calls.one()?.0);
        timed += 1;
    }
    let used = used.zip(processor_time()).map(|(from, to)| to.saturating_sub(from).as_secs_f64());
    let processor_ms = used.filter(|_| timed > 0).map(|seconds| seconds * 1e3 / timed as f64);

    let (mut queued_ms, mut parts, mut power, mut same_bits) = (None, None, None, None);
    if !options.is_stopped() {
        let time = options.time.min(QUEUE_TIME_MAX);
        queued_ms = Some(calls.queued(options.queue_calls.max(1), time, options)?);
    }
    if !options.is_stopped() {
        if !overwrites {
            let last = calls.downloaded()?.1;
            same_bits = Some(last.iter().map(Tensor::bytes).eq(outputs.iter().map(Tensor::bytes)));
        }
        power = calls.power(options.queue_calls.max(1), options.time.min(LOAD_TIME))?;
        parts = Some(cold_parts(session, function, inputs)?);
    }
    Ok(BenchResult {
        one: latencies.spread(),
        first_ms: first.as_secs_f64() * 1e3,
        warmup_calls,
        queued_ms,
        processor_ms,
        parts,
        power,
        stopped: options.is_stopped(),
        outputs,
        same_bits,
    })
}

/// Calls that are not timed, the first one (which ran before) among them; their number.
fn warm_up(calls: &mut Calls, options: &BenchOptions) -> Result<u32> {
    let (start, time) = (Instant::now(), options.time.min(QUEUE_TIME_MAX) / WARM_PART);
    let mut done = 1;
    if options.warmup_calls == Some(0) {
        return Ok(0);
    }
    loop {
        let enough = match options.warmup_calls {
            Some(wanted) => done >= wanted,
            None => done >= WARM_CALLS_MIN && (start.elapsed() >= time || done >= WARM_CALLS_MAX),
        };
        if enough || options.is_stopped() {
            return Ok(done);
        }
        calls.one()?;
        done += 1;
    }
}

/// Median parts of calls from host tensors.
fn cold_parts(session: &mut Session, function: &str, inputs: &[Tensor]) -> Result<Timings> {
    let mut parts = Vec::with_capacity(COLD_CALLS);
    for _ in 0..COLD_CALLS {
        parts.push(session.invoke_timed(function, inputs)?.1);
    }
    let part = |of: fn(&Timings) -> f64| median(parts.iter().map(of).collect());
    Ok(Timings {
        upload_ms: part(|t| t.upload_ms),
        kernels_ms: part(|t| t.kernels_ms),
        download_ms: part(|t| t.download_ms),
    })
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match (values.get(middle), values.get(middle.wrapping_sub(1))) {
        (Some(upper), Some(lower)) if values.len().is_multiple_of(2) => (upper + lower) / 2.0,
        (Some(value), _) => *value,
        (None, _) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(vec![]), 0.0);
    }
}

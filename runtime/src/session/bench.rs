//! How long a function takes: one call and a wait, many calls in a queue, and the three parts of a cold call.
//!
//! The arguments are uploaded once; calls overwrite those that the signature aliases with outputs, as a decoder's
//! cache wants it. Outputs that the caller sees are those of the first call. Every number includes the wait for the
//! device: a clock that stops when work is merely queued measures nothing.

use std::time::{Duration, Instant};

use super::{Session, Timings};
use crate::drivers::processor_time::processor_time;
use crate::errors::Result;
use crate::tensor::Tensor;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct BenchOptions {
    /// Calls before timing starts; command graphs are recorded in them.
    pub warmup_calls: u32,
    /// Calls are timed until this much time has passed, and at least `min_calls` times.
    pub time: Duration,
    pub min_calls: u32,
    /// Calls in one queue.
    pub queue_calls: u32,
}

impl Default for BenchOptions {
    fn default() -> Self {
        BenchOptions { warmup_calls: 3, time: Duration::from_millis(500), min_calls: 5, queue_calls: 16 }
    }
}

/// What was measured, milliseconds.
#[derive(Clone, Debug)]
pub struct BenchResult {
    /// Median wall time of one call and a wait, arguments already on the device.
    pub median_ms: f64,
    /// Least and largest of the same.
    pub min_ms: f64,
    pub max_ms: f64,
    /// Mean wall time of a call in a queue with one wait at the end.
    pub queued_ms: f64,
    /// Processor time of a call, all threads of the process: of calls one by one, mean. On a busy machine it says more than the wall
    /// clock; threads that wait awake count too. `None` where the system does not tell.
    pub processor_ms: Option<f64>,
    /// Upload, kernels and download of a call from host tensors, on the device's clock; medians.
    pub parts: Timings,
    /// Calls timed one by one.
    pub calls: u32,
    /// Results of the first call.
    pub outputs: Vec<Tensor>,
}

/// Measures a function.
pub fn bench(session: &mut Session, function: &str, inputs: &[Tensor], options: &BenchOptions) -> Result<BenchResult> {
    let resident = session.upload_inputs(function, inputs)?;
    let mut outputs = Vec::new();
    for output in session.invoke_on_device(function, &resident)? {
        outputs.push(session.download(&output)?);
    }
    for _ in 1..options.warmup_calls {
        session.invoke_on_device(function, &resident)?;
    }
    session.synchronize()?;

    let mut times = Vec::new();
    let used = processor_time();
    let start = Instant::now();
    while times.len() < options.min_calls.max(1) as usize || start.elapsed() < options.time {
        let call = Instant::now();
        let results = session.invoke_on_device(function, &resident)?;
        session.synchronize()?;
        times.push(call.elapsed().as_secs_f64() * 1e3);
        drop(results);
    }

    let used = used.zip(processor_time()).map(|(from, to)| to.saturating_sub(from).as_secs_f64());
    let processor_ms = used.map(|seconds| seconds * 1e3 / times.len() as f64);

    let mut queued = Vec::new();
    let calls = options.queue_calls.max(1);
    let start = Instant::now();
    while queued.is_empty() || (start.elapsed() < options.time && queued.len() < 1000) {
        let batch = Instant::now();
        for _ in 0..calls {
            session.invoke_on_device(function, &resident)?;
        }
        session.synchronize()?;
        queued.push(batch.elapsed().as_secs_f64() * 1e3 / f64::from(calls));
    }

    let mut parts = Vec::new();
    for _ in 0..3 {
        parts.push(session.invoke_timed(function, inputs)?.1);
    }
    let part = |of: fn(&Timings) -> f64| median(parts.iter().map(of).collect());
    Ok(BenchResult {
        min_ms: times.iter().copied().fold(f64::INFINITY, f64::min),
        max_ms: times.iter().copied().fold(0.0, f64::max),
        calls: times.len() as u32,
        median_ms: median(times),
        queued_ms: queued.iter().sum::<f64>() / queued.len().max(1) as f64,
        processor_ms,
        parts: Timings {
            upload_ms: part(|t| t.upload_ms),
            kernels_ms: part(|t| t.kernels_ms),
            download_ms: part(|t| t.download_ms),
        },
        outputs,
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

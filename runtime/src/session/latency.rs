//! Times of many calls in bounded memory: exact least, largest, mean and spread, percentiles within 0.01 %.
//!
//! Input: one duration a call, any number of them. Output: a [`Spread`]. Percentiles come from a histogram
//! whose buckets grow with the value and reach to the longest time so far, so a run of days takes no more memory than
//! one of an hour.

use std::time::Duration;

use hdrhistogram::Histogram;

use super::program_error;
use crate::errors::Result;

/// Digits that a percentile keeps: within 0.01 % of the measured time.
const DIGITS: u8 = 4;
/// Longest time that percentiles tell apart, nanoseconds: one hour. Longer ones count as this long.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// Where the times of calls lie, milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub calls: u64,
    pub min_ms: f64,
    /// The median.
    pub p50_ms: f64,
    pub p90_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
    pub mean_ms: f64,
    /// Standard deviation of the calls (not of their mean); 0 for a single one.
    pub stddev_ms: f64,
}

/// Collects times.
pub struct Latencies {
    histogram: Histogram<u64>,
    least: Duration,
    most: Duration,
    mean_ms: f64,
    /// Sum of the squared distances from the mean (Welford), milliseconds².
    squares: f64,
}

impl Latencies {
    pub fn new() -> Result<Latencies> {
        let histogram = Histogram::new(DIGITS);
        let histogram = histogram.map_err(|error| program_error(format!("the histogram of times: {error}")))?;
        Ok(Latencies { histogram, least: Duration::MAX, most: Duration::ZERO, mean_ms: 0.0, squares: 0.0 })
    }

    pub fn record(&mut self, time: Duration) {
        let recorded = self.histogram.record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).clamp(1, LONGEST_NS));
        debug_assert!(recorded.is_ok(), "its buckets reach to the longest time");
        self.least = self.least.min(time);
        self.most = self.most.max(time);
        let ms = time.as_secs_f64() * 1e3;
        let from_old_mean = ms - self.mean_ms;
        self.mean_ms += from_old_mean / self.calls() as f64;
        self.squares += from_old_mean * (ms - self.mean_ms);
    }

    pub fn calls(&self) -> u64 {
        self.histogram.len()
    }

    /// All zeros before the first call.
    pub fn spread(&self) -> Spread {
        let calls = self.calls();
        if calls == 0 {
            return Spread::default();
        }
        let (least, most) = (self.least.as_secs_f64() * 1e3, self.most.as_secs_f64() * 1e3);
        let percentile = |part: f64| (self.histogram.value_at_quantile(part) as f64 * 1e-6).clamp(least, most);
        Spread {
            calls,
            min_ms: least,
            p50_ms: percentile(0.5),
            p90_ms: percentile(0.9),
            p99_ms: percentile(0.99),
            max_ms: most,
            mean_ms: self.mean_ms,
            stddev_ms: (self.squares.max(0.0) / calls.saturating_sub(1).max(1) as f64).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= b.abs() * 2e-4, "{a} is not {b}");
    }

    #[test]
    fn percentiles_mean_and_spread_of_known_times() {
        let mut latencies = Latencies::new().unwrap();
        assert_eq!(latencies.spread(), Spread::default());
        // 1 to 1000 microseconds, in an order that is not sorted.
        for at in 0..1000u64 {
            latencies.record(Duration::from_micros(at * 7 % 1000 + 1));
        }
        let spread = latencies.spread();
        assert_eq!((spread.calls, spread.min_ms, spread.max_ms), (1000, 0.001, 1.0));
        close(spread.p50_ms, 0.5);
        close(spread.p90_ms, 0.9);
        close(spread.p99_ms, 0.99);
        close(spread.mean_ms, 0.5005);
        // Of 1..=n: sqrt(n (n + 1) / 12).
        close(spread.stddev_ms, (1000.0f64 * 1001.0 / 12.0).sqrt() * 1e-3);
    }

    #[test]
    fn memory_is_bounded_and_hours_do_not_fail() {
        let mut latencies = Latencies::new().unwrap();
        for at in 0..100_000u64 {
            latencies.record(Duration::from_nanos(at * at));
        }
        latencies.record(Duration::from_secs(100_000));
        latencies.record(Duration::ZERO);
        let bounded = Histogram::<u64>::new_with_bounds(1, LONGEST_NS, DIGITS).unwrap();
        assert!(latencies.histogram.distinct_values() <= bounded.distinct_values());
        let spread = latencies.spread();
        assert_eq!((spread.calls, spread.min_ms, spread.max_ms), (100_002, 0.0, 1e8));
    }
}

//! What the server counts, in the text form of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fornax_text::PageCount;

/// Upper bounds of the buckets of the time to the first token, seconds.
const BUCKETS: &[f64] = &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

/// Counters and gauges of a server.
#[derive(Default)]
pub struct Metrics {
    /// By path and status.
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    cancelled: AtomicU64,
    read: AtomicU64,
    made: AtomicU64,
    steps: AtomicU64,
    guessed: AtomicU64,
    right: AtomicU64,
    running: AtomicU64,
    preempted: AtomicU64,
    pages: AtomicU64,
    pages_held: AtomicU64,
    first: Mutex<Histogram>,
}

#[derive(Default)]
struct Histogram {
    /// Of each bound, and those above all.
    counts: [u64; BUCKETS.len() + 1],
    sum: f64,
}

impl Metrics {
    /// A request was answered.
    pub fn answered(&self, path: &'static str, status: u16) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((path, status)).or_default() += 1;
    }

    /// A client went away before its text was over.
    pub(crate) fn cancelled(&self) {
        self.cancelled.fetch_add(1, Relaxed);
    }

    /// Tokens of prompts went through the model.
    pub(crate) fn read(&self, tokens: usize) {
        self.read.fetch_add(tokens as u64, Relaxed);
    }

    pub(crate) fn made(&self, tokens: usize) {
        self.made.fetch_add(tokens as u64, Relaxed);
    }

    /// A token of each of some sequences went through the model.
    pub(crate) fn stepped(&self) {
        self.steps.fetch_add(1, Relaxed);
    }

    /// A text is over, some tokens of which were guessed.
    pub(crate) fn guessed(&self, made: usize, right: usize) {
        self.guessed.fetch_add(made as u64, Relaxed);
        self.right.fetch_add(right as u64, Relaxed);
    }

    pub(crate) fn running(&self, sequences: usize) {
        self.running.store(sequences as u64, Relaxed);
    }

    /// A text gave its pages back before it was over.
    pub(crate) fn preempted(&self) {
        self.preempted.fetch_add(1, Relaxed);
    }

    pub(crate) fn pages(&self, count: PageCount) {
        self.pages.store(count.all as u64, Relaxed);
        self.pages_held.store(count.held as u64, Relaxed);
    }

    pub(crate) fn first_token(&self, time: Duration) {
        let seconds = time.as_secs_f64();
        let bucket = BUCKETS.iter().position(|&bound| seconds <= bound).unwrap_or(BUCKETS.len());
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = first.counts.get_mut(bucket) {
            *count += 1;
        }
        first.sum += seconds;
    }

    /// All of it; `waiting` is the length of the queue.
    pub fn text(&self, waiting: usize) -> String {
        let mut text = String::new();
        let head = |text: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(text, "# HELP fornax_{name} {help}\n# TYPE fornax_{name} {kind}");
        };
        head(&mut text, "requests_total", "counter", "Requests that were answered, by path and status.");
        for ((path, status), count) in self.requests.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writeln!(text, "fornax_requests_total{{path=\"{path}\",status=\"{status}\"}} {count}");
        }
        let preempted = self.preempted.load(Relaxed);
        let values = [
            ("cancelled_total", "counter", "Texts whose client went away.", self.cancelled.load(Relaxed)),
            ("prompt_tokens_total", "counter", "Tokens of prompts that were computed.", self.read.load(Relaxed)),
            ("generated_tokens_total", "counter", "Tokens that were generated.", self.made.load(Relaxed)),
            ("decode_steps_total", "counter", "Steps that decoded, each for all sequences.", self.steps.load(Relaxed)),
            ("guessed_tokens_total", "counter", "Tokens that were guessed ahead.", self.guessed.load(Relaxed)),
            ("accepted_tokens_total", "counter", "Guessed tokens that were right.", self.right.load(Relaxed)),
            ("active_sequences", "gauge", "Sequences that are being computed.", self.running.load(Relaxed)),
            ("preempted_total", "counter", "Texts that gave their pages back, to go on later.", preempted),
            ("cache_pages", "gauge", "Pages of the caches; 0 where they are not in pages.", self.pages.load(Relaxed)),
            ("cache_pages_used", "gauge", "Pages that sequences hold.", self.pages_held.load(Relaxed)),
            ("queue_length", "gauge", "Requests that wait for a sequence.", waiting as u64),
        ];
        for (name, kind, help, value) in values {
            head(&mut text, name, kind, help);
            let _ = writeln!(text, "fornax_{name} {value}");
        }
        let name = "time_to_first_token_seconds";
        head(&mut text, name, "histogram", "From the request until its first token was chosen.");
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let bounds = BUCKETS.iter().map(f64::to_string).chain(["+Inf".to_string()]);
        let mut total = 0;
        for (bound, count) in bounds.zip(first.counts) {
            total += count;
            let _ = writeln!(text, "fornax_{name}_bucket{{le=\"{bound}\"}} {total}");
        }
        let _ = writeln!(text, "fornax_{name}_sum {}\nfornax_{name}_count {total}", first.sum);
        text
    }
}

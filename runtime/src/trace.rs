//! A trace of what host and devices did, as Chrome trace events: the JSON that Perfetto (ui.perfetto.dev) and
//! `chrome://tracing` open.
//!
//! Input: spans of a [`SpanObserver`] and phases of the caller. Output: one JSON object, written while it happens, so a
//! trace takes no memory but a line's. A span is a complete event (`"ph": "X"`), times are microseconds after the trace
//! began:
//!
//! ```json
//! {"name": "softmax_0", "cat": "kernel", "ph": "X", "pid": 2, "tid": 0, "ts": 812.25, "dur": 41.5,
//!  "args": {"dispatch": 0, "grid": [8, 1, 1], "block": [256, 1, 1], "shared_bytes": 0, "bytes": 32000}}
//! ```
//!
//! Process 1 is the host, a lane (`tid`) each thread that calls; spans of it nest. From 2 on each device is a process:
//! lane 0 is its queue (stream), lane n + 1 is thread n of a CPU device; spans of these lanes do not overlap.
//! `otherData` names the devices, where their times come from, and how many events were left out.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::errors::{Result, RuntimeError};
use crate::hal::{DeviceInfo, DeviceSpan, SpanObserver, TimeSource};

/// Events of a trace, at most: more than viewers open well. Later ones are counted.
const EVENTS_MAX: u64 = 1_000_000;
/// The host's process in the trace.
const HOST: u64 = 1;

/// A trace being written. Clones of the `Arc` are the same trace.
pub struct Trace {
    start: Instant,
    state: Mutex<State>,
}

struct State {
    /// `None` once finished, or once writing failed.
    out: Option<Box<dyn Write + Send>>,
    failed: Option<io::Error>,
    events: u64,
    most: u64,
    dropped: u64,
    /// Lanes of the host's threads.
    threads: HashMap<ThreadId, u64>,
    /// Processes of devices by URI, and what the trace says of each.
    devices: HashMap<String, u64>,
    described: Map<String, Value>,
    /// Where the last span of a device's lane ended, nanoseconds.
    ends: HashMap<(u64, u64), u64>,
}

/// What became of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceSummary {
    /// Spans written.
    pub events: u64,
    /// Spans left out because the trace had become too long.
    pub dropped: u64,
}

/// A phase of the host; it ends when this is dropped.
pub struct TracePhase<'a> {
    trace: &'a Trace,
    what: String,
    began: Instant,
}

impl Drop for TracePhase<'_> {
    fn drop(&mut self) {
        self.trace.host(&self.what, None, self.began, Instant::now());
    }
}

impl Trace {
    /// Begins a trace. What cannot be written is told by [`Trace::finish`].
    pub fn new(out: Box<dyn Write + Send>) -> Arc<Trace> {
        Trace::with_limit(out, EVENTS_MAX)
    }

    fn with_limit(out: Box<dyn Write + Send>, most: u64) -> Arc<Trace> {
        let state = State {
            out: Some(out),
            failed: None,
            events: 0,
            most,
            dropped: 0,
            threads: HashMap::new(),
            devices: HashMap::new(),
            described: Map::new(),
            ends: HashMap::new(),
        };
        let trace = Trace { start: Instant::now(), state: Mutex::new(state) };
        let mut state = trace.state();
        state.write(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
        // The first event has no comma in front.
        let name = json!({"name": "process_name", "ph": "M", "pid": HOST, "tid": 0, "args": {"name": "host"}});
        state.write(name.to_string().as_bytes());
        drop(state);
        Arc::new(trace)
    }

    /// A phase of the calling thread, until the result is dropped.
    pub fn phase(&self, what: impl Into<String>) -> TracePhase<'_> {
        TracePhase { trace: self, what: what.into(), began: Instant::now() }
    }

    /// Writes the end; later spans are lost.
    ///
    /// # Errors
    /// FX0832 if any part could not be written.
    pub fn finish(&self) -> Result<TraceSummary> {
        let mut state = self.state();
        let other = json!({
            "producer": concat!("fornax ", env!("CARGO_PKG_VERSION")),
            "devices": std::mem::take(&mut state.described),
            "commands": "submitted one by one while traced, without graphs; times of kernels on GPUs include up to \
                         some microseconds of launch",
            "events": state.events,
            "dropped_events": state.dropped,
        });
        state.write(format!("\n],\"otherData\":{other}}}\n").as_bytes());
        if let Some(mut out) = state.out.take()
            && let Err(error) = out.flush()
        {
            state.failed = Some(error);
        }
        match state.failed.take() {
            Some(error) => Err(RuntimeError::input("FX0832", format!("the trace: {error}"))),
            None => Ok(TraceSummary { events: state.events, dropped: state.dropped }),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nanoseconds after the trace began.
    fn at(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.start).as_nanos()).unwrap_or(u64::MAX)
    }
}

impl SpanObserver for Trace {
    fn host(&self, what: &str, bytes: Option<u64>, began: Instant, ended: Instant) {
        let (began, ended) = (self.at(began), self.at(ended));
        let mut state = self.state();
        let lane = state.thread_lane();
        let args = bytes.map_or(json!({}), |bytes| json!({ "bytes": bytes }));
        state.slice(&Slice { name: what, category: "host", process: HOST, lane, began, ended, args });
    }

    fn device(&self, device: &DeviceInfo, span: &DeviceSpan) {
        let (began, ended) = (self.at(span.began), self.at(span.ended));
        let mut state = self.state();
        let process = state.process(device);
        let lane = match span.thread {
            None => 0,
            Some((thread, _)) => u64::from(thread) + 1,
        };
        state.name_lane(process, lane);
        // Stamps of two batches are placed by two looks at the clock: a lane's spans stay apart.
        let end = state.ends.entry((process, lane)).or_default();
        let began = began.max(*end);
        let ended = ended.max(began);
        *end = ended;
        let mut args = match span.launch {
            None => json!({ "bytes": span.bytes }),
            Some(launch) => json!({
                "dispatch": launch.index,
                "grid": launch.grid,
                "block": launch.block,
                "shared_bytes": launch.shared_bytes,
                "bytes": span.bytes,
            }),
        };
        if let (Some((_, workgroups)), Some(args)) = (span.thread, args.as_object_mut()) {
            args.insert("workgroups".to_string(), json!(workgroups));
        }
        let (name, category) = (&*span.name, span.kind.name());
        state.slice(&Slice { name, category, process, lane, began, ended, args });
    }

    fn source(&self, device: &DeviceInfo, source: &TimeSource) {
        let mut state = self.state();
        state.process(device);
        let times = match source {
            TimeSource::Host => "host clock: commands are done when they are submitted".to_string(),
            TimeSource::Stamps(name) => (*name).to_string(),
            TimeSource::Missing(why) => format!("none, spans are those of the host's calls: {why}"),
        };
        let described = json!({
            "name": device.name,
            "arch": device.arch,
            "driver": device.driver_version,
            "device_times": times,
        });
        state.described.insert(device.uri(), described);
    }
}

/// A complete event of the trace: what ran in a lane, from when to when.
struct Slice<'a> {
    name: &'a str,
    category: &'a str,
    process: u64,
    lane: u64,
    /// Nanoseconds since the trace began.
    began: u64,
    ended: u64,
    args: Value,
}

impl State {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(out) = &mut self.out
            && let Err(error) = out.write_all(bytes)
        {
            self.failed = Some(error);
            self.out = None;
        }
    }

    fn event(&mut self, event: &Value) {
        self.write(format!(",\n{event}").as_bytes());
    }

    fn slice(&mut self, slice: &Slice) {
        if self.events >= self.most {
            self.dropped += 1;
            return;
        }
        self.events += 1;
        let duration = slice.ended.saturating_sub(slice.began);
        self.event(&json!({
            "name": slice.name, "cat": slice.category, "ph": "X", "pid": slice.process, "tid": slice.lane,
            "ts": microseconds(slice.began), "dur": microseconds(duration), "args": slice.args,
        }));
    }

    /// The lane of the calling thread, named when it first calls.
    fn thread_lane(&mut self) -> u64 {
        let thread = std::thread::current();
        if let Some(lane) = self.threads.get(&thread.id()) {
            return *lane;
        }
        let lane = self.threads.len() as u64;
        self.threads.insert(thread.id(), lane);
        let name = thread.name().unwrap_or("thread").to_string();
        self.event(&json!({"name": "thread_name", "ph": "M", "pid": HOST, "tid": lane, "args": {"name": name}}));
        lane
    }

    /// The process of a device, named when it is first seen.
    fn process(&mut self, device: &DeviceInfo) -> u64 {
        let uri = device.uri();
        if let Some(process) = self.devices.get(&uri) {
            return *process;
        }
        let process = HOST + 1 + self.devices.len() as u64;
        let name = format!("{uri} {}", device.name);
        self.event(&json!({"name": "process_name", "ph": "M", "pid": process, "tid": 0, "args": {"name": name}}));
        self.devices.insert(uri, process);
        process
    }

    fn name_lane(&mut self, process: u64, lane: u64) {
        if self.ends.contains_key(&(process, lane)) {
            return;
        }
        let name = if lane == 0 { "stream 0".to_string() } else { format!("thread {}", lane - 1) };
        self.event(&json!({"name": "thread_name", "ph": "M", "pid": process, "tid": lane, "args": {"name": name}}));
    }
}

/// Nanoseconds as microseconds; exact, since JSON numbers keep 53 bits.
fn microseconds(ns: u64) -> f64 {
    ns as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::hal::{LaunchShape, SpanKind};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::new(io::ErrorKind::StorageFull, "no room"))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn device() -> DeviceInfo {
        DeviceInfo { driver: "cuda", name: "Invented".into(), ..DeviceInfo::default() }
    }

    fn kernel(trace: &Trace, from_us: u64, to_us: u64) -> DeviceSpan {
        let launch = LaunchShape { index: 7, grid: [8, 1, 1], block: [256, 1, 1], shared_bytes: 64 };
        DeviceSpan {
            name: "softmax_0".into(),
            kind: SpanKind::Kernel,
            bytes: 32_000,
            launch: Some(launch),
            thread: None,
            began: trace.start + Duration::from_micros(from_us),
            ended: trace.start + Duration::from_micros(to_us),
        }
    }

    fn written(out: &Shared) -> Value {
        serde_json::from_slice(&out.0.lock().unwrap()).unwrap()
    }

    #[test]
    fn spans_become_events_on_lanes_that_do_not_overlap() {
        let out = Shared::default();
        let trace = Trace::new(Box::new(out.clone()));
        trace.source(&device(), &TimeSource::Stamps("CUDA events"));
        drop(trace.phase("call @main"));
        trace.device(&device(), &kernel(&trace, 10, 30));
        trace.device(&device(), &kernel(&trace, 25, 40));
        let thread = DeviceSpan { thread: Some((1, 4)), ..kernel(&trace, 11, 20) };
        trace.device(&device(), &thread);
        assert_eq!(trace.finish().unwrap(), TraceSummary { events: 4, dropped: 0 });
        let json = written(&out);
        let events = json["traceEvents"].as_array().unwrap();
        let spans: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
        assert_eq!((spans[0]["name"].as_str(), spans[0]["pid"].as_u64()), (Some("call @main"), Some(1)));
        assert_eq!((spans[1]["ts"].as_f64(), spans[1]["dur"].as_f64()), (Some(10.0), Some(20.0)));
        assert_eq!((spans[2]["ts"].as_f64(), spans[2]["dur"].as_f64()), (Some(30.0), Some(10.0)));
        assert_eq!(
            spans[1]["args"],
            json!({"dispatch": 7, "grid": [8, 1, 1], "block": [256, 1, 1], "shared_bytes": 64, "bytes": 32000})
        );
        assert_eq!((spans[3]["tid"].as_u64(), spans[3]["args"]["workgroups"].as_u64()), (Some(2), Some(4)));
        let names = events.iter().filter(|event| event["name"] == "thread_name").count();
        assert_eq!(names, 3, "{json}");
        assert_eq!(json["otherData"]["devices"]["cuda://0"]["device_times"], "CUDA events");
    }

    #[test]
    fn a_long_trace_is_cut_and_says_so() {
        let out = Shared::default();
        let trace = Trace::with_limit(Box::new(out.clone()), 3);
        for at in 0..10 {
            trace.device(&device(), &kernel(&trace, at, at + 1));
        }
        trace.source(&device(), &TimeSource::Missing("no profiling".into()));
        assert_eq!(trace.finish().unwrap(), TraceSummary { events: 3, dropped: 7 });
        let json = written(&out);
        assert_eq!(json["otherData"]["dropped_events"], 7);
        let times = json["otherData"]["devices"]["cuda://0"]["device_times"].as_str().unwrap();
        assert!(times.starts_with("none") && times.contains("no profiling"), "{times}");
    }

    #[test]
    fn a_full_disk_is_told_at_the_end() {
        let trace = Trace::new(Box::new(Full));
        drop(trace.phase("work"));
        assert_eq!(trace.finish().unwrap_err().code(), "FX0832");
    }
}

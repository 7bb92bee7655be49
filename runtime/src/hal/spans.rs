//! When a device did what: one interface for whoever wants to see it, and how device times become host times.
//!
//! Input: calls of [`Device`] while an observer is attached. Output: spans, told to the observer: what the host did
//! (upload, submit, wait, and phases that callers name), what the device's queue did (kernels, copies, fills), what
//! each thread of a CPU device did.
//!
//! A list of commands is submitted command by command, each between two time stamps of the device. The stamps are read
//! in batches, so a program of any length takes the same memory. Before each batch the device is idle once, a stamp is
//! recorded, and the host's clock at that moment makes host times of all stamps of the batch. Where commands run inside
//! of `submit`, the host's clock is the device's.
//!
//! Worked example: base stamp at host time 5 ms; a kernel between the stamps base + 0.20 ms and base + 0.35 ms is a
//! span 5.20 to 5.35 ms.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::device::{CommandList, Event};
use super::{Device, DeviceInfo, HalErrorKind, HalResult, RawCommand, RawDevice, RawList};

/// Commands whose stamps wait to be read, at most.
const BATCH: usize = 256;

/// Where the times of a device's spans come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeSource {
    /// Commands are done when `submit` returns: the host's clock.
    Host,
    /// Time stamps in the device's queue, by their name.
    Stamps(&'static str),
    /// The driver gives no times, and why: spans are those of the host's calls.
    Missing(String),
}

/// What kind of work a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    Kernel,
    Copy,
    Fill,
    Upload,
    Download,
    /// A branch or a loop that the device decides.
    Control,
}

impl SpanKind {
    pub fn name(self) -> &'static str {
        match self {
            SpanKind::Kernel => "kernel",
            SpanKind::Copy => "copy",
            SpanKind::Fill => "fill",
            SpanKind::Upload => "upload",
            SpanKind::Download => "download",
            SpanKind::Control => "control",
        }
    }
}

/// A launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Counts launches since the observer was attached.
    pub index: u64,
    /// Workgroups.
    pub grid: [u32; 3],
    /// Threads of a workgroup.
    pub block: [u32; 3],
    /// Dynamic shared memory of a workgroup, bytes.
    pub shared_bytes: u32,
}

/// Work of a device's queue, or of one of its threads.
#[derive(Clone, Debug)]
pub struct DeviceSpan {
    /// The kernel's name, else that of the kind.
    pub name: Arc<str>,
    pub kind: SpanKind,
    /// Of all bindings, or those copied, or filled.
    pub bytes: u64,
    pub launch: Option<LaunchShape>,
    /// Thread of a CPU device and its workgroups; `None` for the queue.
    pub thread: Option<(u32, u64)>,
    pub began: Instant,
    pub ended: Instant,
}

/// What one thread of a CPU device did for a dispatch.
#[derive(Clone, Copy, Debug)]
pub struct ThreadSpan {
    /// 0 is the thread that submits.
    pub thread: u32,
    pub workgroups: u64,
    pub began: Instant,
    pub ended: Instant,
}

/// Sees spans. Calls come from any thread, for each lane in the order of time.
pub trait SpanObserver: Send + Sync {
    /// The calling thread did this; spans of a thread nest. `bytes` where it moves some.
    fn host(&self, what: &str, bytes: Option<u64>, began: Instant, ended: Instant);

    /// The device did this.
    fn device(&self, device: &DeviceInfo, span: &DeviceSpan);

    /// Where the device's times come from; told at least once a device.
    fn source(&self, device: &DeviceInfo, source: &TimeSource);
}

/// The observer of a device and what waits to be told.
#[derive(Default)]
pub(super) struct Watch {
    on: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    observer: Option<Arc<dyn SpanObserver>>,
    source: Option<TimeSource>,
    /// A stamp, and the host's clock at its moment.
    base: Option<(Event, Instant)>,
    waiting: Vec<Waiting>,
    names: HashMap<u64, Arc<str>>,
    launches: u64,
}

/// A span whose stamps are not read yet.
struct Waiting {
    span: DeviceSpan,
    stamps: Option<(Event, Event)>,
    threads: Vec<ThreadSpan>,
}

/// A phase of the host; it ends when this is dropped.
pub struct Phase(Option<(Arc<dyn SpanObserver>, String, Instant)>);

impl Drop for Phase {
    fn drop(&mut self) {
        if let Some((observer, what, began)) = self.0.take() {
            observer.host(&what, None, began, Instant::now());
        }
    }
}

impl Watch {
    pub(super) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn observer(&self) -> Option<Arc<dyn SpanObserver>> {
        if self.is_on() { self.state().observer.clone() } else { None }
    }

    /// Kernels of another image may get the handles of one that is gone.
    pub(super) fn forget_names(&self) {
        if self.is_on() {
            self.state().names.clear();
        }
    }
}

impl Device {
    /// Attaches an observer to this device (all clones of it), or takes it away after telling it what is still waiting.
    /// Attached, commands run one by one, which takes longer.
    ///
    /// # Errors
    /// Those of waiting for the device.
    pub fn observe_spans(&self, observer: Option<Arc<dyn SpanObserver>>) -> HalResult<()> {
        let told = if self.watch.is_on() { self.settle_spans() } else { Ok(()) };
        let source = self.raw.time_source();
        if let Some(observer) = &observer {
            observer.source(self.info(), &source);
        }
        let on = observer.is_some();
        *self.watch.state() = State { observer, source: Some(source), ..State::default() };
        self.watch.on.store(on, Ordering::Relaxed);
        self.raw.keep_thread_spans(on);
        told
    }

    /// Whether an observer is attached.
    pub fn is_observed(&self) -> bool {
        self.watch.is_on()
    }

    /// A phase of the host that an observer sees, until the result is dropped.
    pub fn phase(&self, what: impl FnOnce() -> String) -> Phase {
        Phase(self.watch.observer().map(|observer| (observer, what(), Instant::now())))
    }

    /// A call of the host that an observer sees.
    pub(super) fn host_span<T>(&self, what: &str, bytes: Option<u64>, call: impl FnOnce() -> T) -> T {
        let Some(observer) = self.watch.observer() else { return call() };
        let began = Instant::now();
        let result = call();
        observer.host(what, bytes, began, Instant::now());
        result
    }

    /// A copy between host and device that an observer sees.
    pub(super) fn copy_span(
        &self,
        kind: SpanKind,
        bytes: u64,
        copy: impl FnOnce(&dyn RawDevice) -> HalResult<()>,
    ) -> HalResult<()> {
        if !self.watch.is_on() {
            return self.call(copy);
        }
        let span = plain_span(kind, bytes);
        self.host_span(kind.name(), Some(bytes), || self.between_stamps(span, copy))
    }

    /// Submits a list command by command.
    pub(super) fn submit_observed(&self, list: &CommandList) -> HalResult<()> {
        for command in &list.raw.commands {
            let span = self.span_of(command, list);
            let one = RawList { commands: vec![command.clone()], recording: Mutex::default() };
            let what = format!("submit {}", span.name);
            self.host_span(&what, None, || self.between_stamps(span, |raw| raw.submit(&one, 0)))?;
        }
        Ok(())
    }

    fn span_of(&self, command: &RawCommand, list: &CommandList) -> DeviceSpan {
        match command {
            RawCommand::Dispatch(dispatch) => {
                let mut state = self.watch.state();
                let name = state.names.entry(dispatch.kernel);
                let name = name.or_insert_with(|| list.kernel_name(dispatch.kernel).into()).clone();
                let index = state.launches;
                state.launches += 1;
                let (grid, block, shared_bytes) = (dispatch.grid, dispatch.block, dispatch.dynamic_shared_bytes);
                let bytes = dispatch.spans.iter().map(|span| span.bytes).fold(0, u64::saturating_add);
                let launch = Some(LaunchShape { index, grid, block, shared_bytes });
                DeviceSpan { name, launch, ..plain_span(SpanKind::Kernel, bytes) }
            }
            RawCommand::Copy { bytes, .. } => plain_span(SpanKind::Copy, *bytes),
            RawCommand::Fill { bytes, .. } => plain_span(SpanKind::Fill, *bytes),
            RawCommand::Collective(exchange) => {
                let name = exchange.kind.name().into();
                DeviceSpan { name, ..plain_span(SpanKind::Copy, exchange.source_bytes) }
            }
            RawCommand::While { .. } | RawCommand::If { .. } | RawCommand::Repeat { .. } => {
                plain_span(SpanKind::Control, 0)
            }
        }
    }

    /// Does something on the queue between two stamps.
    fn between_stamps(&self, span: DeviceSpan, work: impl FnOnce(&dyn RawDevice) -> HalResult<()>) -> HalResult<()> {
        let stamped = matches!(self.watch.state().source, Some(TimeSource::Stamps(_)));
        if stamped && self.watch.state().waiting.is_empty() {
            self.host_span("align clocks", None, || self.take_base())?;
        }
        let first = if stamped { Some(self.event()?) } else { None };
        let began = Instant::now();
        self.call(work)?;
        let ended = Instant::now();
        let stamps = first.map(|first| Ok((first, self.event()?))).transpose()?;
        let threads = self.raw.take_thread_spans();
        let span = DeviceSpan { began, ended, ..span };
        let waiting = {
            let mut state = self.watch.state();
            state.waiting.push(Waiting { span, stamps, threads });
            state.waiting.len()
        };
        if waiting >= BATCH { self.host_span("read time stamps", None, || self.settle_spans()) } else { Ok(()) }
    }

    /// Lets the device run dry, records a stamp, and notes the host's clock at its moment: halfway between asking and
    /// knowing.
    fn take_base(&self) -> HalResult<()> {
        self.call(|raw| raw.synchronize())?;
        let asked = Instant::now();
        let stamp = self.event()?;
        self.call(|raw| raw.synchronize())?;
        let moment = asked + asked.elapsed() / 2;
        self.watch.state().base = Some((stamp, moment));
        Ok(())
    }

    /// Reads the stamps that wait, waiting for the device, and tells the observer.
    pub(super) fn settle_spans(&self) -> HalResult<()> {
        let (waiting, base, observer) = {
            let mut state = self.watch.state();
            (std::mem::take(&mut state.waiting), state.base.take(), state.observer.clone())
        };
        let Some(observer) = observer else { return Ok(()) };
        for waiting in waiting {
            let mut span = waiting.span;
            if let (Some((first, last)), Some((base, moment))) = (&waiting.stamps, &base) {
                match self.elapsed_ms(base, first).and_then(|from| Ok((from, self.elapsed_ms(base, last)?))) {
                    Ok((from, to)) => {
                        let at = |ms: f64| *moment + Duration::from_secs_f64(ms.max(0.0) * 1e-3);
                        (span.began, span.ended) = (at(from), at(to.max(from)));
                    }
                    Err(error) if error.kind() == HalErrorKind::DeviceLost => return Err(error),
                    Err(error) => {
                        let missing = TimeSource::Missing(error.to_string());
                        observer.source(self.info(), &missing);
                        self.watch.state().source = Some(missing);
                    }
                }
            }
            observer.device(self.info(), &span);
            for thread in waiting.threads {
                let (began, ended) = (thread.began, thread.ended);
                let thread = Some((thread.thread, thread.workgroups));
                observer.device(self.info(), &DeviceSpan { thread, began, ended, ..span.clone() });
            }
        }
        Ok(())
    }
}

/// A span without a launch; its times are not known yet.
fn plain_span(kind: SpanKind, bytes: u64) -> DeviceSpan {
    let now = Instant::now();
    DeviceSpan { name: kind.name().into(), kind, bytes, launch: None, thread: None, began: now, ended: now }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drivers::null::{Log, NullDevice};
    use crate::hal::{Command, Place};

    #[derive(Default)]
    struct Lines(Mutex<Vec<String>>);

    impl SpanObserver for Lines {
        fn host(&self, what: &str, bytes: Option<u64>, began: Instant, ended: Instant) {
            assert!(began <= ended);
            let bytes = bytes.map_or(String::new(), |bytes| format!(" {bytes}"));
            self.0.lock().unwrap().push(format!("host {what}{bytes}"));
        }

        fn device(&self, device: &DeviceInfo, span: &DeviceSpan) {
            assert!(span.began <= span.ended);
            self.0.lock().unwrap().push(format!("{} {} {}", device.driver, span.name, span.bytes));
        }

        fn source(&self, device: &DeviceInfo, source: &TimeSource) {
            self.0.lock().unwrap().push(format!("{} {source:?}", device.driver));
        }
    }

    #[test]
    fn an_observer_sees_calls_and_commands_until_it_is_taken_away() {
        let device = Device::new(Arc::new(NullDevice::new(Log::default())));
        let lines = Arc::new(Lines::default());
        let buffer = device.allocate(64, Place::Device).unwrap();
        let work = |device: &Device| {
            let _phase = device.phase(|| "work".to_string());
            device.upload(&buffer.slice(0, 16), &[1; 16]).unwrap();
            let copy = Command::Copy { source: buffer.slice(0, 16), target: buffer.slice(32, 16) };
            device.submit(&device.record(&[copy]).unwrap()).unwrap();
            device.synchronize().unwrap();
        };
        work(&device);
        device.observe_spans(Some(lines.clone())).unwrap();
        work(&device.clone());
        device.observe_spans(None).unwrap();
        work(&device);
        let seen = lines.0.lock().unwrap().clone();
        let expected = [
            "null Host",
            "host upload 16",
            "host submit copy",
            "host wait",
            "null upload 16",
            "null copy 16",
            "host work",
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn what_waits_is_bounded() {
        let device = Device::new(Arc::new(NullDevice::new(Log::default())));
        let lines = Arc::new(Lines::default());
        device.observe_spans(Some(lines.clone())).unwrap();
        let buffer = device.allocate(64, Place::Device).unwrap();
        let fill = Command::Fill { target: buffer.all(), pattern: 0, pattern_bytes: 1 };
        let list = device.record(&vec![fill; 3 * BATCH + 1]).unwrap();
        device.submit(&list).unwrap();
        let fills = || lines.0.lock().unwrap().iter().filter(|line| *line == "null fill 64").count();
        assert_eq!((fills(), device.watch.state().waiting.len()), (3 * BATCH, 1));
        device.observe_spans(None).unwrap();
        assert_eq!(fills(), 3 * BATCH + 1);
    }
}

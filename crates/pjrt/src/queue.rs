//! The queue of a device: jobs run one after the other on a thread of their own, so that the caller goes on at once.
//!
//! A driver whose calls return before the device is done (a GPU's) has a second thread: it waits for the device, then
//! sets the events of what was submitted until then.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, ThreadId};

use fornax_runtime::hal;

use crate::error::{Failure, Result, Status};
use crate::event::{Outcome, Signal};
use crate::host_functions;

type Job = Box<dyn FnOnce() + Send>;

/// The queue of a device.
pub struct Queue {
    jobs: Sender<Job>,
    /// Where jobs run.
    thread: ThreadId,
    /// Jobs that wait or run.
    pending: Arc<AtomicUsize>,
    /// Events that wait for the device; `None` where a call that returned is done.
    completions: Option<Sender<Arc<Signal>>>,
}

impl Queue {
    /// Starts the threads of a device.
    ///
    /// # Errors
    /// FX0721 where the system has no thread.
    pub fn start(device: &hal::Device) -> Result<Queue> {
        let (jobs, waiting) = channel::<Job>();
        let pending = Arc::new(AtomicUsize::new(0));
        let running = pending.clone();
        let thread = spawn("fornax-queue", move || {
            for job in waiting {
                job();
                running.fetch_sub(1, Ordering::Release);
            }
        })?;
        let completions = match device.info().driver {
            "cpu" | "null" => None,
            _ => {
                let (sender, signals) = channel();
                let device = device.clone();
                spawn("fornax-completion", move || complete(&device, &signals))?;
                Some(sender)
            }
        };
        Ok(Queue { jobs, thread, pending, completions })
    }

    /// Runs a job behind those that wait. What a function of the host asks for runs at once: the queue may stand until
    /// the function returns.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        if host_functions::is_inside() {
            return job();
        }
        self.pending.fetch_add(1, Ordering::Acquire);
        if let Err(refused) = self.jobs.send(Box::new(job)) {
            // The thread is gone, as after a fork: the job runs here.
            refused.0();
            self.pending.fetch_sub(1, Ordering::Release);
        }
    }

    /// Whether this thread is the one where jobs run.
    pub fn is_here(&self) -> bool {
        thread::current().id() == self.thread
    }

    /// Nothing waits or runs.
    pub fn is_idle(&self) -> bool {
        self.pending.load(Ordering::Acquire) == 0
    }

    /// Sets a signal when the device has done what was submitted by now.
    pub fn complete(&self, signal: &Arc<Signal>) {
        match &self.completions {
            None => signal.set(Ok(())),
            Some(sender) => {
                if let Err(refused) = sender.send(signal.clone()) {
                    refused.0.set(Ok(()));
                }
            }
        }
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<ThreadId> {
    let thread = thread::Builder::new().name(name.into()).spawn(body);
    thread
        .map(|thread| thread.thread().id())
        .map_err(|error| Failure::coded(Status::ResourceExhausted, "FX0721", error))
}

fn complete(device: &hal::Device, signals: &Receiver<Arc<Signal>>) {
    while let Ok(first) = signals.recv() {
        // What was sent by now was submitted before this wait.
        let mut batch = vec![first];
        batch.extend(signals.try_iter());
        let outcome: Outcome = device.synchronize().map_err(Failure::from);
        for signal in batch {
            signal.set(outcome.clone());
        }
    }
}

//! A thread that looks after what is queued: a collective whose other devices are gone would wait for ever.
//!
//! Input: marks behind lists with collectives. While the first one is not reached, the thread asks the library for
//! errors and the host for devices that failed or ended; once it has taken longer than the timeout, the devices meet on
//! the host, to find who does not come. In each case it aborts the communicators: their kernels end, and whoever waits
//! for the device gets the error.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Gpu;
use super::communicators::Communicators;
use crate::drivers::rendezvous::Rendezvous;
use crate::hal::{HalError, HalErrorKind, HalResult};

/// Between two looks, at first and at most.
const LOOKS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];

#[derive(Default)]
struct Queue {
    marks: VecDeque<(u64, Instant)>,
    is_over: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub(super) fn start(
        communicators: Arc<Communicators>,
        gpu: Arc<dyn Gpu>,
        host: Arc<dyn Rendezvous>,
        timeout: Duration,
    ) -> HalResult<Watch> {
        let shared = Arc::new(Shared::default());
        let watcher = Watcher { shared: shared.clone(), communicators, gpu, host, timeout };
        let thread = std::thread::Builder::new().name("collectives".into()).spawn(move || watcher.run());
        let thread = thread.map_err(|error| HalError::new(HalErrorKind::Host, format!("no thread: {error}")))?;
        Ok(Watch { shared, thread: Some(thread) })
    }

    pub(super) fn add(&self, mark: u64) {
        self.shared.lock().marks.push_back((mark, Instant::now()));
        self.shared.changed.notify_all();
    }

    /// Waits until only so many marks are not reached.
    pub(super) fn wait(&self, most: usize) {
        let mut queue = self.shared.lock();
        while queue.marks.len() > most {
            queue = self.shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns when everything was reached or given up.
    pub(super) fn end(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        // A thread that panicked watches nothing.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

struct Watcher {
    shared: Arc<Shared>,
    communicators: Arc<Communicators>,
    gpu: Arc<dyn Gpu>,
    host: Arc<dyn Rendezvous>,
    timeout: Duration,
}

impl Watcher {
    fn run(&self) {
        let mut reached = Instant::now();
        let mut pause = LOOKS[0];
        while let Some((mark, queued)) = self.next() {
            let is_reached = self.gpu.enter().and_then(|()| self.gpu.is_reached(mark));
            let is_done = match is_reached {
                Ok(true) => true,
                Ok(false) => self.has_given_up(queued.max(reached)),
                // A lost device waits for nobody.
                Err(_) => true,
            };
            if is_done {
                (reached, pause) = (Instant::now(), LOOKS[0]);
                self.gpu.release_mark(mark);
                self.shared.lock().marks.pop_front();
                self.shared.changed.notify_all();
                continue;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOOKS[1]);
        }
    }

    /// Waits for a mark; `None` at the end.
    fn next(&self) -> Option<(u64, Instant)> {
        let mut queue = self.shared.lock();
        loop {
            match queue.marks.front() {
                Some(front) => return Some(*front),
                None if queue.is_over => return None,
                None => queue = self.shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn has_given_up(&self, since: Instant) -> bool {
        if let Err(error) = self.communicators.look() {
            self.host.fail(&error.to_string());
            return true;
        }
        if since.elapsed() < self.timeout {
            return false;
        }
        let error = self.communicators.late("a collective");
        self.host.fail(&error.to_string());
        true
    }
}

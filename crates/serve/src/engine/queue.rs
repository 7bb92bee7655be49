//! Requests on their way to the engine: as many as may wait, first come, first served.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::Job;

/// Why a request may not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// As many wait as may.
    Full,
    /// The server is shutting down, or the engine is gone.
    Closed,
}

/// Between the server's thread and the engine's.
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    ended: Notify,
    sequences: usize,
    waiting_max: usize,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Texts that were taken and are not over.
    running: usize,
    is_closed: bool,
    is_aborted: bool,
    has_ended: bool,
}

impl Queue {
    /// `sequences` run at a time, `waiting_max` more may wait.
    pub fn new(sequences: usize, waiting_max: usize) -> Queue {
        let (state, changed, ended) = (Mutex::default(), Condvar::new(), Notify::new());
        Queue { state, changed, ended, sequences, waiting_max }
    }

    /// Texts that run at a time.
    pub fn sequences(&self) -> usize {
        self.sequences
    }

    /// A panic elsewhere leaves nothing half done here.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request would be refused now.
    ///
    /// # Errors
    /// Where it may not wait.
    pub fn check(&self) -> Result<(), Refused> {
        self.check_state(&mut self.state(), 1)
    }

    fn check_state(&self, state: &mut State, more: usize) -> Result<(), Refused> {
        if state.is_closed {
            return Err(Refused::Closed);
        }
        let is_full = |state: &State| state.jobs.len() + state.running + more > self.most();
        if is_full(state) {
            // Who has gone waits no more.
            state.jobs.retain(|job| !job.reply.is_closed());
        }
        if is_full(state) { Err(Refused::Full) } else { Ok(()) }
    }

    /// Puts a request behind the others.
    ///
    /// # Errors
    /// Where it may not wait.
    pub fn push(&self, job: Job) -> Result<(), Refused> {
        self.push_all(vec![job])
    }

    /// Puts the texts of one request behind the others: all, or none.
    ///
    /// # Errors
    /// Where not all may wait.
    pub fn push_all(&self, jobs: Vec<Job>) -> Result<(), Refused> {
        let mut state = self.state();
        self.check_state(&mut state, jobs.len())?;
        state.jobs.extend(jobs);
        self.changed.notify_one();
        Ok(())
    }

    /// Texts that run and wait, at most.
    pub fn most(&self) -> usize {
        self.sequences + self.waiting_max
    }

    /// Requests that wait.
    pub fn waiting(&self) -> usize {
        self.state().jobs.iter().filter(|job| !job.reply.is_closed()).count()
    }

    /// The prompt of the next request.
    pub(super) fn next(&self) -> Option<Vec<u32>> {
        self.state().jobs.front().map(|job| job.prompt.clone())
    }

    /// The next request whose client is still there.
    pub(super) fn take(&self) -> Option<Job> {
        let mut state = self.state();
        while let Some(job) = state.jobs.pop_front() {
            if !job.reply.is_closed() {
                state.running += 1;
                return Some(job);
            }
        }
        None
    }

    /// A text that was taken is over.
    pub(super) fn finished(&self) {
        let mut state = self.state();
        state.running = state.running.saturating_sub(1);
    }

    /// Waits for a request; `false` where none will come.
    pub(super) fn wait(&self) -> bool {
        let is_quiet = |state: &mut State| state.jobs.is_empty() && !state.is_closed && !state.is_aborted;
        let state = self.changed.wait_while(self.state(), is_quiet).unwrap_or_else(PoisonError::into_inner);
        !state.jobs.is_empty() && !state.is_aborted
    }

    pub(crate) fn is_aborted(&self) -> bool {
        self.state().is_aborted
    }

    /// No further requests. Those that wait are dropped, texts that run end as they do.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        // Their clients see the other end of the reply gone.
        state.jobs.clear();
        self.changed.notify_all();
    }

    /// Texts that run end now.
    pub fn abort(&self) {
        self.close();
        self.state().is_aborted = true;
        self.changed.notify_all();
    }

    /// The engine is gone.
    pub(super) fn end(&self) {
        self.close();
        self.state().has_ended = true;
        self.ended.notify_waiters();
    }

    pub fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    /// Waits until the engine is gone.
    pub async fn ended(&self) {
        loop {
            let ended = self.ended.notified();
            if self.state().has_ended {
                return;
            }
            ended.await;
        }
    }
}

//! The hash of a module's constants: computed while other work goes on, asked for before anything uses them.
//!
//! ```text
//! Full:  Module::open ── hashing, other threads ───────────────┐
//!                     └─ device, image, inputs, uploads ── Session::load waits ── first run
//! Lazy:  Module::open ── Session::load ── first use of a constant hashes and waits
//! ```

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use fornax_module::{ModuleError, TrustedModule, Verify};

use super::module::Source;

/// Constants of up to so many bytes are hashed by whoever asks: a thread would take longer to start.
const OWN_THREAD_BYTES: u64 = 1 << 18;

type Checked = Result<(), ModuleError>;

enum State {
    Waiting,
    Running(JoinHandle<Checked>),
    Done(Checked),
}

pub(super) struct ConstantsCheck {
    state: Mutex<State>,
    /// Set when it is done and good: the way of every call but the first.
    good: AtomicBool,
    stop: Arc<AtomicBool>,
}

impl ConstantsCheck {
    /// Starts hashing if the module is to be checked before the first run.
    pub(super) fn start(module: &Arc<TrustedModule<Source>>) -> ConstantsCheck {
        let stop = Arc::new(AtomicBool::new(false));
        let range = module.constants_range();
        let good = module.verify() == Verify::Off || range.is_empty();
        let mut state = State::Waiting;
        if module.verify() == Verify::Full && range.end - range.start > OWN_THREAD_BYTES {
            let (module, stop) = (module.clone(), stop.clone());
            let work = move || module.verify_constants_until(&stop).map(drop);
            // Where the system gives no thread, the first to ask does it.
            if let Ok(handle) = std::thread::Builder::new().name("fornax-verify".into()).spawn(work) {
                state = State::Running(handle);
            }
        }
        ConstantsCheck { state: Mutex::new(state), good: AtomicBool::new(good), stop }
    }

    /// Whether the constants are what their hash says; waits for it, or finds out.
    pub(super) fn wait(&self, module: &TrustedModule<Source>) -> Checked {
        if self.good.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = match std::mem::replace(&mut *state, State::Waiting) {
            State::Waiting => module.verify_constants(),
            // A thread that failed has found nothing out.
            State::Running(handle) => handle.join().unwrap_or_else(|_| module.verify_constants()),
            State::Done(checked) => checked,
        };
        self.good.store(checked.is_ok(), Ordering::Release);
        *state = State::Done(checked.clone());
        checked
    }
}

impl Drop for ConstantsCheck {
    /// Nobody will ask any more.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

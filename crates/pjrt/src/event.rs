//! Events: something that will be done or fail. Whoever waits sleeps; who left a function is called by the thread that
//! sets the event, or at once.

use std::ffi::{c_int, c_void};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::api::{Handle, Text, args};
use crate::error::{ErrorObject, Failure, Result};

/// What became of it.
pub type Outcome = Result<()>;

type Callback = Box<dyn FnOnce(&Outcome) + Send>;

#[derive(Default)]
struct State {
    outcome: Option<Outcome>,
    callbacks: Vec<Callback>,
}

/// Something that happens once.
#[derive(Default)]
pub struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

impl Signal {
    pub fn new() -> Arc<Signal> {
        Arc::default()
    }

    /// One that has happened.
    pub fn done(outcome: Outcome) -> Arc<Signal> {
        let state = State { outcome: Some(outcome), callbacks: Vec::new() };
        Arc::new(Signal { state: Mutex::new(state), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets it; the first time counts.
    pub fn set(&self, outcome: Outcome) {
        let callbacks = {
            let mut state = self.lock();
            if state.outcome.is_some() {
                return;
            }
            state.outcome = Some(outcome.clone());
            self.changed.notify_all();
            std::mem::take(&mut state.callbacks)
        };
        for callback in callbacks {
            callback(&outcome);
        }
    }

    pub fn is_set(&self) -> bool {
        self.lock().outcome.is_some()
    }

    pub fn wait(&self) -> Outcome {
        let mut state = self.lock();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Calls `callback` when it is set.
    pub fn then(&self, callback: impl FnOnce(&Outcome) + Send + 'static) {
        let outcome = {
            let mut state = self.lock();
            let Some(outcome) = state.outcome.clone() else {
                state.callbacks.push(Box::new(callback));
                return;
            };
            outcome
        };
        callback(&outcome);
    }
}

/// An event as callers hold it.
pub struct Event(pub Arc<Signal>);

impl Event {
    pub fn give(signal: Arc<Signal>) -> Handle<Event> {
        Handle::give(Event(signal))
    }
}

type OnReady = unsafe extern "C" fn(*mut ErrorObject, *mut c_void);

/// A caller's function and its argument.
struct Receiver(OnReady, *mut c_void);

// SAFETY: the API says that functions left at events are called from any thread.
unsafe impl Send for Receiver {}

impl Receiver {
    fn call(self, outcome: &Outcome) {
        let error = outcome.clone().err().map_or(std::ptr::null_mut(), Failure::give);
        // SAFETY: the caller left both together; it owns the error.
        unsafe { (self.0)(error, self.1) };
    }
}

args! {
    EventArgs { event: Handle<Event> }
    IsReadyArgs { event: Handle<Event>, is_ready: bool }
    OnReadyArgs { event: Handle<Event>, callback: OnReady, argument: *mut c_void }
    SetArgs { event: Handle<Event>, code: c_int, message: Text }
}

pub fn destroy(args: &mut EventArgs) -> Result<()> {
    drop(args.event.take());
    Ok(())
}

pub fn is_ready(args: &mut IsReadyArgs) -> Result<()> {
    args.is_ready = args.event.get()?.0.is_set();
    Ok(())
}

/// The error of an event that is set; of one that is not, none.
pub fn error(args: &mut EventArgs) -> Result<()> {
    args.event.get()?.0.lock().outcome.clone().unwrap_or(Ok(()))
}

pub fn wait(args: &mut EventArgs) -> Result<()> {
    args.event.get()?.0.wait()
}

pub fn on_ready(args: &mut OnReadyArgs) -> Result<()> {
    let receiver = Receiver(args.callback, args.argument);
    args.event.get()?.0.then(move |outcome| receiver.call(outcome));
    Ok(())
}

pub fn create(args: &mut EventArgs) -> Result<()> {
    args.event = Event::give(Signal::new());
    Ok(())
}

pub fn set(args: &mut SetArgs) -> Result<()> {
    let outcome = match args.code {
        0 => Ok(()),
        status => Err(Failure { status, message: args.message.text() }),
    };
    args.event.get()?.0.set(outcome);
    Ok(())
}

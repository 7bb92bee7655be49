//! Errors of devices, and the memory of a lost one.

use std::fmt;
use std::sync::{Arc, OnceLock};

/// What happened, in terms a caller can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalErrorKind {
    /// The driver's library or its hardware is missing.
    Unavailable,
    /// The system refuses what the driver needs of it: file descriptors, threads, a place for files.
    Host,
    /// A wrong argument; nothing was done.
    InvalidArgument,
    /// The device or its driver cannot do this.
    Unsupported,
    /// No such device, kernel or symbol.
    NotFound,
    /// The image was refused.
    BadImage,
    /// `requested` bytes (0 where the call asked for none itself); `free` where the device tells.
    OutOfMemory { requested: u64, free: Option<u64> },
    /// A library that the devices need together is missing or too old.
    Library,
    /// Another device of the run failed, left or did not come.
    Peer,
    /// The device works no more in this process: every later call returns the first such error.
    DeviceLost,
    /// Anything else that the driver reports.
    Internal,
}

/// An error with the driver's call, code and name. Clones share one allocation.
#[derive(Clone, Debug)]
pub struct HalError(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    kind: HalErrorKind,
    /// The driver function that failed, or empty.
    api: &'static str,
    code: i64,
    code_name: String,
    what: String,
}

pub type HalResult<T> = Result<T, HalError>;

impl HalError {
    /// An error that no driver function reported.
    pub fn new(kind: HalErrorKind, what: impl Into<String>) -> HalError {
        HalError(Arc::new(Inner { kind, api: "", code: 0, code_name: String::new(), what: what.into() }))
    }

    /// An error code of a driver function. `what` says what was tried.
    pub fn api(kind: HalErrorKind, api: &'static str, code: i64, code_name: String, what: impl Into<String>) -> Self {
        HalError(Arc::new(Inner { kind, api, code, code_name, what: what.into() }))
    }

    pub fn invalid(what: impl Into<String>) -> HalError {
        HalError::new(HalErrorKind::InvalidArgument, what)
    }

    pub fn kind(&self) -> HalErrorKind {
        self.0.kind
    }

    /// The driver function that failed, or empty.
    pub fn api_name(&self) -> &'static str {
        self.0.api
    }

    /// The driver's code, 0 where none.
    pub fn code(&self) -> i64 {
        self.0.code
    }

    pub fn code_name(&self) -> &str {
        &self.0.code_name
    }
}

impl fmt::Display for HalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, api, code, code_name, what } = &*self.0;
        f.write_str(what)?;
        if let HalErrorKind::OutOfMemory { requested, free } = kind {
            match requested {
                0 => f.write_str(": out of memory")?,
                _ => write!(f, ": {requested} bytes requested")?,
            }
            if let Some(free) = free {
                write!(f, ", {free} free")?;
            }
        }
        if !api.is_empty() {
            write!(f, " ({api}: {code} {code_name})")?;
        }
        if *kind == HalErrorKind::DeviceLost {
            f.write_str("; the device is lost for this process")?;
        }
        Ok(())
    }
}

impl std::error::Error for HalError {}

/// Whether a device still works. The first loss is kept for ever.
#[derive(Debug, Default)]
pub struct Health(OnceLock<HalError>);

impl Health {
    /// The error of the loss, if the device is lost.
    pub fn check(&self) -> HalResult<()> {
        match self.0.get() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    pub fn is_lost(&self) -> bool {
        self.0.get().is_some()
    }

    /// Remembers `error` if it is a loss; gives back the error to return.
    pub fn note(&self, error: HalError) -> HalError {
        if error.kind() == HalErrorKind::DeviceLost {
            return self.0.get_or_init(|| error).clone();
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_loss_is_kept() {
        let health = Health::default();
        let lost = |code| HalError::api(HalErrorKind::DeviceLost, "call", code, "LOST".into(), "launch");
        assert!(health.check().is_ok());
        health.note(HalError::invalid("x"));
        assert!(!health.is_lost());
        health.note(lost(700));
        assert_eq!(health.note(lost(719)).code(), 700);
        assert_eq!(health.check().unwrap_err().code(), 700);
    }

    #[test]
    fn errors_name_the_call() {
        let kind = HalErrorKind::OutOfMemory { requested: 10, free: Some(4) };
        let error = HalError::api(kind, "cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY".into(), "allocating the arena");
        let text = "allocating the arena: 10 bytes requested, 4 free (cuMemAlloc_v2: 2 CUDA_ERROR_OUT_OF_MEMORY)";
        assert_eq!(error.to_string(), text);
    }
}

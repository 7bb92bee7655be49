//! The functions of NCCL that are used; RCCL has the same ones under the same names.
//!
//! Types and codes are those of nccl.h 2.18. Newer versions only add to them: a structure says its own length, and the
//! version that it was written for.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::drivers::symbols::{MISSING, NotLoaded, symbols};
use crate::hal::{HalError, HalErrorKind, HalResult};

/// A communicator's handle.
pub(super) type Comm = *mut c_void;

/// What all devices of a communicator have in common.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct UniqueId(pub(super) [u8; 128]);

/// `ncclConfig_t` of version 2.18.
#[repr(C)]
pub(super) struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
    blocking: c_int,
    cluster_size: c_int,
    blocks_min: c_int,
    blocks_max: c_int,
    network: *const c_char,
    shares: c_int,
}

/// `NCCL_CONFIG_UNDEF_INT`.
const UNDEFINED: c_int = c_int::MIN;
/// First version with `ncclCommSplit`.
const OLDEST: c_int = 21_800;

impl Config {
    /// Calls return at once; how they went is asked for ([`Nccl::ncclCommGetAsyncError`]).
    pub(super) fn not_blocking() -> Config {
        Config {
            size: size_of::<Config>(),
            magic: 0xcafe_beef,
            version: OLDEST as c_uint,
            blocking: 0,
            cluster_size: UNDEFINED,
            blocks_min: UNDEFINED,
            blocks_max: UNDEFINED,
            network: std::ptr::null(),
            shares: UNDEFINED,
        }
    }
}

pub(super) const SUCCESS: c_int = 0;
pub(super) const INVALID_ARGUMENT: c_int = 4;
pub(super) const INVALID_USAGE: c_int = 5;
pub(super) const REMOTE_ERROR: c_int = 6;
pub(super) const IN_PROGRESS: c_int = 7;

symbols! {
    /// libnccl or librccl.
    Nccl {
        ncclGetVersion(version: *mut c_int);
        ncclGetUniqueId(id: *mut UniqueId);
        ncclGetErrorString(code: c_int) -> *mut c_void;
        ncclGetLastError(comm: Comm) -> *mut c_void;
        ncclCommInitRankConfig(comm: *mut Comm, ranks: c_int, id: UniqueId, rank: c_int, config: *mut Config);
        ncclCommSplit(comm: Comm, color: c_int, key: c_int, new: *mut Comm, config: *mut Config);
        ncclCommGetAsyncError(comm: Comm, code: *mut c_int);
        ncclCommFinalize(comm: Comm);
        ncclCommDestroy(comm: Comm);
        ncclCommAbort(comm: Comm);
        ncclGroupStart();
        ncclGroupEnd();
        ncclAllReduce(
            source: *const c_void, target: *mut c_void, count: usize, element: c_int, operation: c_int, comm: Comm,
            stream: *mut c_void,
        );
        ncclReduceScatter(
            source: *const c_void, target: *mut c_void, target_count: usize, element: c_int, operation: c_int,
            comm: Comm, stream: *mut c_void,
        );
        ncclAllGather(
            source: *const c_void, target: *mut c_void, source_count: usize, element: c_int, comm: Comm,
            stream: *mut c_void,
        );
        ncclBroadcast(
            source: *const c_void, target: *mut c_void, count: usize, element: c_int, root: c_int, comm: Comm,
            stream: *mut c_void,
        );
        ncclSend(
            source: *const c_void, count: usize, element: c_int, to: c_int, comm: Comm, stream: *mut c_void,
        );
        ncclRecv(target: *mut c_void, count: usize, element: c_int, from: c_int, comm: Comm, stream: *mut c_void);
    }
}

impl Nccl {
    /// Loads the first of `names`; a library that is missing or too old is an error that says which.
    pub(super) fn find(names: &[&str]) -> HalResult<Nccl> {
        let missing = |what: String| HalError::new(HalErrorKind::Library, what);
        let loaded = Nccl::load(names).map_err(|NotLoaded { why, .. }| {
            let names = names.join(", ");
            missing(format!("collectives of these devices need NCCL, and none of {names} was loaded: {why}"))
        })?;
        let mut version = 0;
        // SAFETY: writes one int.
        let code = unsafe { loaded.ncclGetVersion(&mut version) };
        loaded.check("ncclGetVersion", code, "reading the version")?;
        if version < OLDEST || !loaded.has("ncclCommSplit") {
            let (major, minor) = (version / 10_000, version / 100 % 100);
            let file = loaded.search().file.unwrap_or_default();
            return Err(missing(format!("{file} is NCCL {major}.{minor}: collectives need 2.18")));
        }
        Ok(loaded)
    }

    /// An error unless the call went well or goes on.
    pub(super) fn check(&self, api: &'static str, code: c_int, what: &str) -> HalResult<()> {
        let kind = match code {
            SUCCESS | IN_PROGRESS => return Ok(()),
            INVALID_ARGUMENT | INVALID_USAGE | MISSING => HalErrorKind::Unsupported,
            REMOTE_ERROR => HalErrorKind::Peer,
            _ => HalErrorKind::Internal,
        };
        // SAFETY: any code may be asked for; the answer is a constant text.
        let name = text(unsafe { self.ncclGetErrorString(code) });
        let name = name.unwrap_or_else(|| "function missing in this version of the library".into());
        // SAFETY: the communicator may be null.
        let last = text(unsafe { self.ncclGetLastError(std::ptr::null_mut()) }).filter(|last| !last.is_empty());
        let what = last.map_or_else(|| what.to_string(), |last| format!("{what}: {}", last.trim()));
        Err(HalError::api(kind, api, code.into(), name, &what))
    }
}

/// A constant text of the library.
fn text(pointer: *mut c_void) -> Option<String> {
    // SAFETY: the library's texts end with a NUL and live for ever.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer.cast()) }.to_string_lossy().into_owned())
}

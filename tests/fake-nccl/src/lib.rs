//! A test double of libnccl and librccl: the entry points that the runtime uses, over the doubles of libcuda and
//! libamdhip64.
//!
//! Input: calls of threads or processes. Output: what collectives give. Each rank leaves its bytes as a file of a
//! folder, and fetches those of the others when it is asked how a call went: so calls go on (`ncclInProgress`) until
//! all ranks came, as those of the real library may.
//!
//! | variable | what |
//! | --- | --- |
//! | `FORNAX_FAKE_NCCL_FOLDER` | where ranks meet; must be set |
//! | `FORNAX_FAKE_NCCL_VERSION` | the version, 22809 without it |
//! | `FORNAX_FAKE_NCCL_FAULT` | `RANK:AT:exit`, `:hang` or `:CODE`: what rank RANK does at its AT-th collective |
//!
//! The folder's `calls.RANK` lists the calls of each rank.
//!
//! Limits: the real library queues work on the stream, and a rank that is gone is waited for there; here it is waited
//! for in the call. Graphs are not modelled. Send and receive are on the world.
//!
//! Example: with links `libcuda.so.1` to the double of libcuda and `libnccl.so.2` to this library in DIR,
//! `LD_LIBRARY_PATH=DIR fornax run-module --devices=cuda:0-1 …` exchanges buffers by files.

mod numbers;
mod ranks;
mod stream;

use std::ffi::{c_char, c_int, c_void};

use self::ranks::{Collective, Comm, Kind};

const SUCCESS: c_int = 0;
const INVALID_ARGUMENT: c_int = 4;
const IN_PROGRESS: c_int = 7;
const VERSION: c_int = 22_809;

/// `ncclUniqueId`.
#[repr(C)]
pub struct Id([u8; 128]);

/// A variable of the double.
fn setting(name: &str) -> Option<String> {
    std::env::var(format!("FORNAX_FAKE_NCCL_{name}")).ok()
}

/// # Safety
/// `version` is good for an int.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGetVersion(version: *mut c_int) -> c_int {
    let set = setting("VERSION").and_then(|text| text.parse().ok());
    // SAFETY: the caller's word.
    unsafe { version.write(set.unwrap_or(VERSION)) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn ncclGetErrorString(code: c_int) -> *const c_char {
    let text = match code {
        0 => c"no error",
        4 => c"invalid argument",
        6 => c"remote process exited or there was a network error",
        7 => c"NCCL operation in progress",
        _ => c"internal error",
    };
    text.as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn ncclGetLastError(_comm: *mut c_void) -> *const c_char {
    c"".as_ptr()
}

/// # Safety
/// `id` is good for 128 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGetUniqueId(id: *mut [u8; 128]) -> c_int {
    // SAFETY: the caller's word.
    unsafe { id.write(ranks::unique_id()) };
    SUCCESS
}

/// # Safety
/// `comm` is good for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommInitRankConfig(
    comm: *mut *mut Comm,
    ranks: c_int,
    id: Id,
    rank: c_int,
    _config: *mut c_void,
) -> c_int {
    let made = Comm::world(&id.0, rank as usize, ranks as usize);
    // SAFETY: the caller's word.
    unsafe { comm.write(Box::into_raw(Box::new(made))) };
    IN_PROGRESS
}

/// # Safety
/// `comm` is live, `new` good for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommSplit(
    comm: *mut Comm,
    color: c_int,
    key: c_int,
    new: *mut *mut Comm,
    _config: *mut c_void,
) -> c_int {
    // SAFETY: the caller's word.
    let comm = unsafe { &mut *comm };
    comm.split(color, key, new)
}

/// # Safety
/// `comm` is live, `code` good for an int.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommGetAsyncError(comm: *mut Comm, code: *mut c_int) -> c_int {
    // SAFETY: the caller's word.
    unsafe { code.write((*comm).state()) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn ncclCommFinalize(_comm: *mut Comm) -> c_int {
    SUCCESS
}

/// # Safety
/// `comm` is live; it is gone afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommDestroy(comm: *mut Comm) -> c_int {
    // SAFETY: made by a box of this library.
    let comm = unsafe { Box::from_raw(comm) };
    comm.log("destroy");
    SUCCESS
}

/// # Safety
/// As [`ncclCommDestroy`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommAbort(comm: *mut Comm) -> c_int {
    // SAFETY: made by a box of this library.
    let comm = unsafe { Box::from_raw(comm) };
    comm.log("abort");
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn ncclGroupStart() -> c_int {
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn ncclGroupEnd() -> c_int {
    IN_PROGRESS
}

/// Queues a collective.
///
/// # Safety
/// `comm` is live.
unsafe fn queue(comm: *mut Comm, collective: Collective) -> c_int {
    // SAFETY: the caller's word.
    unsafe { (*comm).queue(collective) }
}

macro_rules! collectives {
    ($($name:ident($($argument:ident: $ty:ty),*) = $kind:expr;)*) => {$(
        /// # Safety
        /// `comm` is live; buffers are the device's.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            source: u64, target: u64, count: usize, element: c_int, $($argument: $ty,)* comm: *mut Comm, stream: u64,
        ) -> c_int {
            let Some(width) = numbers::width(element) else { return INVALID_ARGUMENT };
            let (name, kind) = (stringify!($name), $kind(element, $($argument),*));
            let collective = Collective { name, kind, source, target, bytes: count * width, stream };
            // SAFETY: the caller's word.
            unsafe { queue(comm, collective) }
        }
    )*};
}

collectives! {
    ncclAllReduce(operation: c_int) = Kind::AllReduce;
    ncclReduceScatter(operation: c_int) = Kind::ReduceScatter;
    ncclAllGather() = |_| Kind::AllGather;
    ncclBroadcast(root: c_int) = |_, root| Kind::Broadcast(root as usize);
}

/// # Safety
/// `comm` is live; the buffer is the device's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclSend(
    source: u64,
    count: usize,
    element: c_int,
    to: c_int,
    comm: *mut Comm,
    stream: u64,
) -> c_int {
    let Some(width) = numbers::width(element) else { return INVALID_ARGUMENT };
    let kind = Kind::Send(to as usize);
    // SAFETY: the caller's word.
    unsafe { queue(comm, Collective { name: "ncclSend", kind, source, target: 0, bytes: count * width, stream }) }
}

/// # Safety
/// As [`ncclSend`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclRecv(
    target: u64,
    count: usize,
    element: c_int,
    from: c_int,
    comm: *mut Comm,
    stream: u64,
) -> c_int {
    let Some(width) = numbers::width(element) else { return INVALID_ARGUMENT };
    let kind = Kind::Receive(from as usize);
    // SAFETY: the caller's word.
    unsafe { queue(comm, Collective { name: "ncclRecv", kind, source: 0, target, bytes: count * width, stream }) }
}

//! Streams: what was queued and has not run yet.
//!
//! Nothing runs when it is queued. Work runs in order when somebody waits for its stream, for an event behind it, or
//! makes a call that waits for the device: a caller that reads too early reads poison, one that frees too early is
//! told.

use std::collections::VecDeque;

/// Something a stream does.
#[derive(Clone, Debug)]
pub enum Operation {
    Copy {
        target: u64,
        source: u64,
        bytes: u64,
    },
    Fill(Fill),
    Launch(Launch),
    /// An event's handle.
    Record(u64),
    /// Stream-ordered release of a block.
    Free(u64),
}

/// `count` elements of `width` bytes, `stride` bytes apart.
#[derive(Clone, Debug)]
pub struct Fill {
    pub target: u64,
    pub pattern: [u8; 4],
    pub width: usize,
    pub count: u64,
    pub stride: u64,
}

/// A kernel launch; `arguments` as they lie in the kernel's argument segment.
#[derive(Clone, Debug)]
pub struct Launch {
    pub function: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub arguments: Vec<u8>,
}

/// A stream of a device.
#[derive(Default)]
pub(crate) struct Stream {
    pub(crate) device: usize,
    pub(crate) queue: VecDeque<Operation>,
    /// What is recorded instead of queued, between begin and end of a capture.
    pub(crate) capture: Option<Vec<Operation>>,
}

/// A time stamp.
#[derive(Default)]
pub(crate) struct Event {
    pub(crate) device: usize,
    /// The stream in whose queue its record still is.
    pub(crate) pending: Option<u64>,
    pub(crate) at: Option<std::time::Instant>,
}

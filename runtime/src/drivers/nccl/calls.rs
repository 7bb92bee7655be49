//! Which calls of the library do a collective.
//!
//! | collective | calls |
//! | --- | --- |
//! | all-reduce, reduce-scatter | the library's, where it has the type and the reducer |
//! | the same with another type or reducer | gather to scratch (all-gather; parts by send and receive), then a kernel |
//! | all-gather, broadcast | the library's, on bytes |
//! | all-to-all, permute | sends and receives in one group, on bytes |
//!
//! Minimum and maximum of floats are among those that a kernel combines: the library drops NaN.
//!
//! Worked example: all-to-all of 8 bytes among devices 2 and 0: device 0 is second in the group, sends bytes 0..4 to
//! device 2 and 4..8 to itself, and gets bytes 0..4 from device 2 and 4..8 from itself.

use std::ffi::{c_int, c_void};

use fornax_module::collective::{CollectiveKind, Reducer};
use fornax_types::ElementType;

use super::Member;
use super::api::{Comm, IN_PROGRESS, Nccl, SUCCESS};
use crate::hal::{HalError, HalResult, RawCollective, RawExchange};

/// `ncclInt8`: bytes.
const BYTES: c_int = 0;

/// The library's type and operation; `None` where it has none that gives the same values.
fn native(element: ElementType, by: Reducer) -> Option<(c_int, c_int)> {
    let (sum, product, maximum, minimum) = (0, 1, 2, 3);
    let ty = match element {
        ElementType::I8 => 0,
        ElementType::Ui8 | ElementType::I1 => 1,
        ElementType::I32 => 2,
        ElementType::Ui32 => 3,
        ElementType::I64 => 4,
        ElementType::Ui64 => 5,
        ElementType::F16 => 6,
        ElementType::F32 => 7,
        ElementType::F64 => 8,
        ElementType::Bf16 => 9,
        _ => return None,
    };
    let is_flag = element == ElementType::I1;
    let operation = match by {
        // A flag is a byte that is 0 or 1.
        Reducer::And if is_flag => minimum,
        Reducer::Or if is_flag => maximum,
        Reducer::Minimum if !element.is_float() => minimum,
        Reducer::Maximum if !element.is_float() => maximum,
        Reducer::Add if !is_flag => sum,
        Reducer::Multiply if !is_flag => product,
        _ => return None,
    };
    Some((ty, operation))
}

/// Bytes of the buffers of all that a kernel then combines; `None` where the library combines.
fn gathered(exchange: &RawExchange) -> Option<u64> {
    let by = exchange.reducer?;
    let all = exchange.target_bytes.saturating_mul(exchange.group.len() as u64);
    native(exchange.element, by).is_none().then_some(all)
}

impl Member {
    /// Makes communicators, scratch and kernels that a collective needs.
    pub(super) fn prepare_one(&self, exchange: &RawExchange) -> HalResult<()> {
        if exchange.kind != CollectiveKind::Permute && exchange.kind != CollectiveKind::AllToAll {
            self.communicators.of_groups(&exchange.groups, &exchange.group)?;
        }
        if let Some(bytes) = gathered(exchange).filter(|_| !exchange.group.is_empty()) {
            self.gpu.prepare_combine(exchange, exchange.group.len())?;
            self.scratch(bytes)?;
        }
        Ok(())
    }

    /// Queues a collective.
    pub(super) fn call(&self, exchange: &RawExchange) -> HalResult<()> {
        self.gpu.enter()?;
        let RawExchange { kind, source, target, source_bytes, target_bytes, .. } = *exchange;
        if exchange.group.is_empty() {
            return if target_bytes > 0 { self.gpu.zero(target, target_bytes) } else { Ok(()) };
        }
        if source_bytes == 0 && target_bytes == 0 {
            return Ok(());
        }
        let (from, to, stream) = (source as *const c_void, target as *mut c_void, self.gpu.stream() as *mut c_void);
        if let Some(bytes) = gathered(exchange) {
            return self.combine_here(exchange, self.scratch(bytes)?);
        }
        let count = |bytes: u64| bytes as usize / exchange.element.storage_bytes();
        let at = || self.communicators.of_groups(&exchange.groups, &exchange.group);
        let how = || exchange.reducer.and_then(|by| native(exchange.element, by)).ok_or_else(no_reducer);
        match kind {
            CollectiveKind::AllReduce => {
                let (ty, operation) = how()?;
                self.communicators.call(at()?, "ncclAllReduce", |api, comm| {
                    // SAFETY: both ranges lie in live memory, which the list keeps until the stream is through.
                    unsafe { api.ncclAllReduce(from, to, count(source_bytes), ty, operation, comm, stream) }
                })
            }
            CollectiveKind::ReduceScatter => {
                let (ty, operation) = how()?;
                self.communicators.call(at()?, "ncclReduceScatter", |api, comm| {
                    // SAFETY: as above.
                    unsafe { api.ncclReduceScatter(from, to, count(target_bytes), ty, operation, comm, stream) }
                })
            }
            CollectiveKind::AllGather => self.gather_bytes(exchange, target),
            CollectiveKind::Broadcast => self.communicators.call(at()?, "ncclBroadcast", |api, comm| {
                // SAFETY: as above.
                unsafe { api.ncclBroadcast(from, to, source_bytes as usize, BYTES, 0, comm, stream) }
            }),
            CollectiveKind::AllToAll => self.exchange_parts(exchange, target),
            CollectiveKind::Permute => self.permute(exchange),
        }
    }

    fn gather_bytes(&self, exchange: &RawExchange, target: u64) -> HalResult<()> {
        let at = self.communicators.of_groups(&exchange.groups, &exchange.group)?;
        let (from, bytes, stream) = (exchange.source, exchange.source_bytes as usize, self.gpu.stream());
        self.communicators.call(at, "ncclAllGather", |api, comm| {
            let (from, to, stream) = (from as *const c_void, target as *mut c_void, stream as *mut c_void);
            // SAFETY: as in `call`; the target has room for what all have.
            unsafe { api.ncclAllGather(from, to, bytes, BYTES, comm, stream) }
        })
    }

    /// Part `i` of the source to device `i` of the group, and one of each to `target`.
    fn exchange_parts(&self, exchange: &RawExchange, target: u64) -> HalResult<()> {
        let part = exchange.source_bytes / exchange.group.len().max(1) as u64;
        let moves = (0u64..).zip(exchange.group.iter());
        let moves: Vec<Move> = moves
            .flat_map(|(at, &device)| {
                let (from, to) = (exchange.source + at * part, target + at * part);
                [Move::Send { from, device }, Move::Receive { to, device }]
            })
            .collect();
        self.moves(&moves, part)
    }

    fn permute(&self, exchange: &RawExchange) -> HalResult<()> {
        let own = self.device();
        let pairs = exchange.groups.iter().filter_map(|pair| <[u32; 2]>::try_from(pair.as_slice()).ok());
        let mut moves: Vec<Move> = pairs
            .filter(|[from, _]| *from == own)
            .map(|[_, device]| Move::Send { from: exchange.source, device })
            .collect();
        match exchange.sender {
            Some(device) => moves.push(Move::Receive { to: exchange.target, device }),
            None => self.gpu.zero(exchange.target, exchange.target_bytes)?,
        }
        self.moves(&moves, exchange.source_bytes)
    }

    /// Sends and receives of so many bytes each, as one step.
    fn moves(&self, moves: &[Move], bytes: u64) -> HalResult<()> {
        if moves.is_empty() || bytes == 0 {
            return Ok(());
        }
        let (bytes, stream) = (bytes as usize, self.gpu.stream());
        self.communicators.call(0, "ncclGroupEnd", |api, comm| {
            // SAFETY: no arguments.
            let begun = unsafe { api.ncclGroupStart() };
            if begun != SUCCESS {
                return begun;
            }
            let wrong = moves.iter().map(|one| one.queue(api, comm, bytes, stream)).find(|code| !is_taken(*code));
            // SAFETY: ends the group that was begun above, also after an error.
            let ended = unsafe { api.ncclGroupEnd() };
            wrong.unwrap_or(ended)
        })
    }

    /// What the library does not combine: everything comes here first.
    fn combine_here(&self, exchange: &RawExchange, scratch: u64) -> HalResult<()> {
        match exchange.kind {
            CollectiveKind::AllReduce => self.gather_bytes(exchange, scratch)?,
            _ => self.exchange_parts(exchange, scratch)?,
        }
        let count = exchange.group.len() as u64;
        let sources: Vec<u64> = (0..count).map(|at| scratch + at * exchange.target_bytes).collect();
        self.gpu.combine(exchange, &sources)
    }
}

fn is_taken(code: c_int) -> bool {
    [SUCCESS, IN_PROGRESS].contains(&code)
}

fn no_reducer() -> HalError {
    HalError::invalid("a sum without a reducer")
}

/// A part of a step between devices.
enum Move {
    Send { from: u64, device: u32 },
    Receive { to: u64, device: u32 },
}

impl Move {
    fn queue(&self, api: &Nccl, comm: Comm, bytes: usize, stream: u64) -> c_int {
        let stream = stream as *mut c_void;
        // SAFETY: the ranges lie in live memory, which the list keeps until the stream is through.
        unsafe {
            match *self {
                Move::Send { from, device } => {
                    api.ncclSend(from as *const c_void, bytes, BYTES, device as c_int, comm, stream)
                }
                Move::Receive { to, device } => {
                    api.ncclRecv(to as *mut c_void, bytes, BYTES, device as c_int, comm, stream)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_combines_what_it_gives_the_same_values_of() {
        assert_eq!(native(ElementType::Bf16, Reducer::Add), Some((9, 0)));
        assert_eq!(native(ElementType::Ui64, Reducer::Maximum), Some((5, 2)));
        assert_eq!(native(ElementType::I1, Reducer::And), Some((1, 3)));
        for (element, by) in [
            (ElementType::F32, Reducer::Maximum),
            (ElementType::I1, Reducer::Add),
            (ElementType::I16, Reducer::Add),
            (ElementType::I32, Reducer::And),
        ] {
            assert_eq!(native(element, by), None, "{element:?} {by:?}");
        }
    }
}

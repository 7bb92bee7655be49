//! What goes to a CUDA stream: launches, copies, fills.
//!
//! Input: steps of a checked list, one after another. Output: calls of the driver on the device's stream.
//!
//! Worked example: a fill with a pattern of 8 bytes whose halves differ is two fills of 4 bytes, 8 bytes apart.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::null_mut;

use cudarc::driver::sys::CUfunction;

use super::context::Context;
use super::staging::Staging;
use crate::hal::control::{Queue, Step};
use crate::hal::{EncodedMap, HalResult, RawDispatch};

impl Context {
    pub(super) fn launch(&self, dispatch: &RawDispatch) -> HalResult<()> {
        let mut parameters = parameters(dispatch);
        let ([x, y, z], [bx, by, bz]) = (dispatch.grid, dispatch.block);
        // SAFETY: the function's module is kept by the command list; the parameters are as many 64-bit words and
        // 128-byte maps as the kernel takes, read before the call returns.
        let code = unsafe {
            self.api.cuLaunchKernel(
                dispatch.kernel as CUfunction,
                x,
                y,
                z,
                bx,
                by,
                bz,
                dispatch.dynamic_shared_bytes,
                self.queue(),
                parameters.as_mut_ptr(),
                null_mut(),
            )
        };
        match code {
            0 => Ok(()),
            _ => self.check("cuLaunchKernel", code, &format!("launching {}", self.name(dispatch))),
        }
    }

    fn fill(&self, target: u64, bytes: usize, pattern: u64, pattern_bytes: u8) -> HalResult<()> {
        let (api, stream) = (&self.api, self.stream);
        let (low, high) = (pattern as u32, (pattern >> 32) as u32);
        // SAFETY: the range lies inside of a live allocation and is aligned to the pattern, as the device layer
        // checked.
        let (name, code) = unsafe {
            match pattern_bytes {
                1 => ("cuMemsetD8Async", api.cuMemsetD8Async(target, pattern as u8, bytes, stream)),
                2 => ("cuMemsetD16Async", api.cuMemsetD16Async(target, pattern as u16, bytes / 2, stream)),
                4 => ("cuMemsetD32Async", api.cuMemsetD32Async(target, low, bytes / 4, stream)),
                _ if low == high => ("cuMemsetD32Async", api.cuMemsetD32Async(target, low, bytes / 4, stream)),
                // One word wide and 8 bytes apart: first the low halves, then the high ones.
                _ => match api.cuMemsetD2D32Async(target, 8, low, 1, bytes / 8, stream) {
                    0 => ("cuMemsetD2D32Async", api.cuMemsetD2D32Async(target + 4, 8, high, 1, bytes / 8, stream)),
                    code => ("cuMemsetD2D32Async", code),
                },
            }
        };
        self.check(name, code, "filling")
    }
}

/// The stream, as the walk over a list sees it.
pub(super) struct Stream<'a> {
    pub(super) context: &'a Context,
    /// For looking at predicates.
    pub(super) staging: &'a RefCell<&'a mut Staging>,
    /// Waits after every command, so that an error names the one it belongs to.
    pub(super) waits: bool,
}

impl Queue for Stream<'_> {
    fn queue(&self, step: Step<'_>) -> HalResult<()> {
        match step {
            Step::Dispatch(dispatch) => self.context.launch(dispatch),
            Step::Collective(exchange) => return exchange.with.run(exchange),
            Step::Copy { source, target, bytes } => self.context.copy(target, source, bytes),
            Step::Fill { target, bytes, pattern, pattern_bytes } => {
                self.context.fill(target, bytes as usize, pattern, pattern_bytes)
            }
        }?;
        if !self.waits {
            return Ok(());
        }
        // SAFETY: the stream lives as long as its context.
        match (unsafe { self.context.api.cuStreamSynchronize(self.context.stream) }, step) {
            (0, _) => Ok(()),
            (code, Step::Dispatch(dispatch)) => {
                let what = format!("running {}", self.context.name(dispatch));
                self.context.check("cuStreamSynchronize", code, &what)
            }
            (code, _) => self.context.check("cuStreamSynchronize", code, "copying or filling"),
        }
    }

    fn read_flag(&self, address: u64) -> HalResult<bool> {
        let mut byte = [0];
        self.staging.borrow_mut().download(address, &mut byte)?;
        // What follows from a collective that gave up may never end.
        self.context.alerts.check()?;
        Ok(byte != [0])
    }
}

/// Pointers to a launch's parameters: addresses, tensor maps, constants.
pub(super) fn parameters(dispatch: &RawDispatch) -> Vec<*mut c_void> {
    let word = |word: &u64| std::ptr::from_ref(word).cast_mut().cast::<c_void>();
    let map = |map: &EncodedMap| std::ptr::from_ref(map).cast_mut().cast::<c_void>();
    let (addresses, constants) = dispatch.words.split_at(dispatch.bindings.min(dispatch.words.len()));
    let addresses = addresses.iter().map(word);
    addresses.chain(dispatch.maps.iter().map(map)).chain(constants.iter().map(word)).collect()
}

//! What goes to a CUDA stream: launches, copies, fills.
//!
//! A kernel that waits by itself until those before it are done (`griddepcontrol.wait`, as its target's entry says) may be launched as soon
//! as all workgroups of the kernel before it run: the launch then hides behind that kernel's end. Only right after a kernel: what
//! follows a copy or a fill is launched the plain way. Captured in a graph, such launches become edges of the same kind.
//!
//! Worked example: kernels a, b, c and a copy between b and c: b is launched early, c is not.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use cudarc::driver::sys::{CUfunction, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig};

use super::device::Context;
use super::staging::Staging;
use crate::drivers::symbols::MISSING;
use crate::hal::control::{Queue, Step};
use crate::hal::{EncodedMap, HalError, HalResult, RawDispatch};

impl Context {
    /// Launches a kernel. One that waits by itself until the kernel before it is done may start as soon as that one's workgroups all run.
    fn launch(&self, dispatch: &RawDispatch, after_kernel: bool) -> HalResult<()> {
        if dispatch.waits && after_kernel {
            let code = self.launch_early(dispatch);
            match code {
                0 => return Ok(()),
                // A driver without the call launches it the plain way.
                MISSING => {}
                _ => return self.check("cuLaunchKernelEx", code, &format!("launching {}", self.name(dispatch))),
            }
        }
        let mut parameters = parameters(dispatch);
        let ([x, y, z], [bx, by, bz]) = (dispatch.grid, dispatch.block);
        // SAFETY: the function's module is kept by the command list; the parameters are as many 64-bit words and 128-byte
        // maps as the kernel takes, read before the call returns.
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
                self.stream,
                parameters.as_mut_ptr(),
                null_mut(),
            )
        };
        match code {
            0 => Ok(()),
            _ => self.check("cuLaunchKernel", code, &format!("launching {}", self.name(dispatch))),
        }
    }

    fn launch_early(&self, dispatch: &RawDispatch) -> c_int {
        let mut parameters = parameters(dispatch);
        let ([x, y, z], [bx, by, bz]) = (dispatch.grid, dispatch.block);
        let mut early = CUlaunchAttribute {
            id: CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let config = CUlaunchConfig {
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: bx,
            blockDimY: by,
            blockDimZ: bz,
            sharedMemBytes: dispatch.dynamic_shared_bytes,
            hStream: self.stream,
            attrs: &mut early,
            numAttrs: 1,
        };
        let function = dispatch.kernel as CUfunction;
        // SAFETY: as for `launch`; the attribute outlives the call.
        unsafe { self.api.cuLaunchKernelEx(&config, function, parameters.as_mut_ptr(), null_mut()) }
    }

    fn fill(&self, target: u64, bytes: usize, pattern: u64, pattern_bytes: u8) -> HalResult<()> {
        let (api, stream) = (&self.api, self.stream);
        let (low, high) = (pattern as u32, (pattern >> 32) as u32);
        // SAFETY: the range lies inside of a live allocation and is aligned to the pattern, as the device layer checked.
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
    /// For looking at predicates; `None` while a graph is captured, which holds none.
    pub(super) staging: Option<&'a RefCell<&'a mut Staging>>,
    /// What was queued last is a kernel.
    pub(super) after_kernel: Cell<bool>,
    /// Waits after every command, so that an error names the one it belongs to.
    pub(super) waits: bool,
}

impl Queue for Stream<'_> {
    fn queue(&self, step: Step<'_>) -> HalResult<()> {
        let after_kernel = self.after_kernel.replace(matches!(step, Step::Dispatch(_)));
        match step {
            Step::Dispatch(dispatch) => self.context.launch(dispatch, after_kernel),
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
        let staging = self.staging.ok_or_else(|| HalError::invalid("a branch in a captured list"))?;
        let mut byte = [0];
        staging.borrow_mut().download(address, &mut byte)?;
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

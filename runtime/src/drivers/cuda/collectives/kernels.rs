//! The kernels of collectives that a device has loaded; compiled by the driver the first time.

use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{CUfunction, CUmodule};

use super::ptx::Kernel;
use crate::drivers::cuda::context::Context;
use crate::drivers::cuda::module::load_module;
use crate::hal::{DeviceInfo, HalError, HalErrorKind, HalResult, ImageKind};

pub(super) struct Kernels {
    context: Arc<Context>,
    info: DeviceInfo,
    loaded: Mutex<HashMap<Kernel, (CUmodule, CUfunction)>>,
}

// SAFETY: as for `Context`.
unsafe impl Send for Kernels {}
// SAFETY: as for `Context`.
unsafe impl Sync for Kernels {}

impl Kernels {
    pub(super) fn new(context: &Arc<Context>, info: DeviceInfo) -> Kernels {
        Kernels { context: context.clone(), info, loaded: Mutex::default() }
    }

    /// A kernel's handle.
    pub(super) fn get(&self, kernel: &Kernel, name: &str) -> HalResult<u64> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, function)) = loaded.get(kernel) {
            return Ok(*function as u64);
        }
        let unsupported = || HalError::new(HalErrorKind::Unsupported, format!("{name} of {:?}", kernel.work));
        let text = kernel.text().ok_or_else(unsupported)?;
        let module = load_module(&self.context, &self.info, ImageKind::Ptx, text.as_bytes())?;
        let mut function = null_mut();
        // SAFETY: the module is loaded, the name NUL-terminated; writes one handle.
        let code = unsafe { self.context.api.cuModuleGetFunction(&mut function, module, c"exchange".as_ptr()) };
        self.context.check("cuModuleGetFunction", code, "looking for a kernel of collectives")?;
        loaded.insert(kernel.clone(), (module, function));
        let mut names = self.context.kernel_names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(function as u64, name.to_string());
        Ok(function as u64)
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        let loaded = self.loaded.get_mut().unwrap_or_else(PoisonError::into_inner);
        if loaded.is_empty() || !self.context.enter_for_release() || !self.context.is_drained() {
            return;
        }
        for (module, function) in loaded.values() {
            let mut names = self.context.kernel_names.lock().unwrap_or_else(PoisonError::into_inner);
            names.remove(&(*function as u64));
            // SAFETY: loaded by `get`; the stream is drained.
            let code = unsafe { self.context.api.cuModuleUnload(*module) };
            self.context.released("cuModuleUnload", code);
        }
    }
}

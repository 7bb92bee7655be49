//! Loaded images: cubins and PTX, their kernels and what these take.

use std::ffi::{CString, c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use cudarc::driver::sys::{CUfunction, CUfunction_attribute, CUjit_option, CUmodule};

use super::compile::{self, Loaded};
use super::context::Context;
use crate::hal::{
    DeviceInfo, HalError, HalErrorKind, HalResult, ImageKind, KernelResources, KernelSpec, RawExecutable,
};

/// Room for the driver's compiler log, bytes.
const LOG_BYTES: usize = 16 * 1024;

/// A loaded image: a cubin, or PTX in one module or several.
pub(super) struct CudaModule {
    context: Arc<Context>,
    modules: Vec<Loaded>,
    kernels: Vec<u64>,
    /// Threads and dynamic shared bytes of each kernel's workgroups.
    launches: Vec<(u32, u32)>,
    unit_threads: u32,
    description: String,
}

// SAFETY: as for `Context`.
unsafe impl Send for CudaModule {}
// SAFETY: as for `Context`.
unsafe impl Sync for CudaModule {}

impl CudaModule {
    pub(super) fn load(
        context: &Arc<Context>,
        info: &DeviceInfo,
        kind: ImageKind,
        image: &[u8],
        kernels: &[KernelSpec],
    ) -> HalResult<CudaModule> {
        let start = Instant::now();
        let parts = if kind == ImageKind::Ptx { compile::load_parts(context, image)? } else { None };
        let modules = match parts {
            Some(parts) => parts,
            None => vec![Loaded::Whole(load_module(context, info, kind, image)?)],
        };
        let mut loaded = CudaModule {
            context: context.clone(),
            modules,
            kernels: Vec::new(),
            launches: kernels.iter().map(|k| (k.block.iter().product(), k.dynamic_shared_bytes)).collect(),
            unit_threads: info.limits.unit_threads,
            description: String::new(),
        };
        // The driver loads code when its functions are first asked for: that belongs to the time.
        for kernel in kernels {
            let function = loaded.function(kernel)? as u64;
            loaded.kernels.push(function);
            let mut names = context.kernel_names.lock().unwrap_or_else(PoisonError::into_inner);
            names.insert(function, kernel.name.clone());
        }
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        loaded.description = match kind {
            ImageKind::Ptx => {
                let parts = match loaded.modules.len() {
                    1 => String::new(),
                    parts => format!(", {parts} parts at a time"),
                };
                format!("ptx, compiled for {} by the driver in {elapsed:.1} ms{parts}", info.arch)
            }
            _ => format!("{} for {}, loaded in {elapsed:.1} ms", kind.name(), info.arch),
        };
        Ok(loaded)
    }

    fn function(&self, kernel: &KernelSpec) -> HalResult<CUfunction> {
        let api = &self.context.api;
        let name = CString::new(kernel.name.as_str()).map_err(|_| HalError::invalid("a kernel's name holds a NUL"))?;
        let Some(module) = self.modules.iter().find_map(|loaded| loaded.module_of(&kernel.name)) else {
            return Err(HalError::new(HalErrorKind::BadImage, format!("the image has no kernel {}", kernel.name)));
        };
        let mut function = null_mut();
        // SAFETY: the module is loaded, the name NUL-terminated; writes one handle.
        let code = unsafe { api.cuModuleGetFunction(&mut function, module, name.as_ptr()) };
        self.context.check("cuModuleGetFunction", code, &format!("looking for kernel {}", kernel.name))?;
        if kernel.dynamic_shared_bytes > 0 {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as c_int;
            // SAFETY: the function was just found.
            let code = unsafe { api.cuFuncSetAttribute(function, attribute, kernel.dynamic_shared_bytes as c_int) };
            self.context.check("cuFuncSetAttribute", code, &format!("asking for shared memory of {}", kernel.name))?;
        }
        Ok(function)
    }
}

pub(super) fn load_module(context: &Context, info: &DeviceInfo, kind: ImageKind, image: &[u8]) -> HalResult<CUmodule> {
    let mut log = vec![0u8; LOG_BYTES];
    let mut options =
        [CUjit_option::CU_JIT_ERROR_LOG_BUFFER as c_int, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_int];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), LOG_BYTES as *mut c_void];
    let mut module = null_mut();
    // SAFETY: PTX ends with a NUL (the device layer checked), a cubin's length is in its ELF header; the options have
    // as many values, and the log's size is that of its buffer.
    let code = unsafe {
        context.api.cuModuleLoadDataEx(
            &mut module,
            image.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    let mut what = format!("loading a {} image on {} ({}, {})", kind.name(), info.name, info.arch, info.driver_version);
    if code == cudarc::driver::sys::CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION as c_int {
        let version = ptx_version(image).unwrap_or_default();
        what.push_str(&format!(": the image is PTX {version}, which needs a newer driver"));
    }
    let length = log.iter().position(|byte| *byte == 0).unwrap_or(0);
    let log = String::from_utf8_lossy(log.get(..length).unwrap_or_default());
    if !log.trim().is_empty() {
        what.push_str(": ");
        what.push_str(log.trim());
    }
    context.check("cuModuleLoadDataEx", code, &what)?;
    Ok(module)
}

/// The text behind `.version`.
fn ptx_version(image: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(image).ok()?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix(".version"))?;
    Some(line.trim().to_string())
}

impl RawExecutable for CudaModule {
    fn kernels(&self) -> &[u64] {
        &self.kernels
    }

    fn describe(&self) -> String {
        self.description.clone()
    }

    fn resources(&self, kernel: usize) -> HalResult<Option<KernelResources>> {
        let (Some(&function), Some(&(threads, dynamic))) = (self.kernels.get(kernel), self.launches.get(kernel)) else {
            return Ok(None);
        };
        self.context.enter()?;
        let (api, function) = (&self.context.api, function as CUfunction);
        let attribute = |which: CUfunction_attribute| -> HalResult<u32> {
            let mut value = 0;
            // SAFETY: the function is one of this module, which is loaded as long as `self` lives; writes one int.
            let code = unsafe { api.cuFuncGetAttribute(&mut value, which as c_int, function) };
            self.context.check("cuFuncGetAttribute", code, "reading what a kernel takes")?;
            Ok(value.max(0) as u32)
        };
        let mut groups = 0;
        // SAFETY: as above.
        let code = unsafe {
            api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut groups, function, threads as c_int, dynamic as usize)
        };
        self.context.check("cuOccupancyMaxActiveBlocksPerMultiprocessor", code, "asking for the occupancy")?;
        Ok(Some(KernelResources {
            registers: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            shared_bytes: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?.saturating_add(dynamic),
            resident_groups: groups.max(0) as u32,
            unit_threads: self.unit_threads,
        }))
    }
}

impl Drop for CudaModule {
    fn drop(&mut self) {
        if !self.context.enter_for_release() {
            return;
        }
        // Command lists that use it keep this object: once the stream is drained nothing runs it any more; else it
        // stays loaded.
        if !self.context.is_drained() {
            return;
        }
        let mut names = self.context.kernel_names.lock().unwrap_or_else(PoisonError::into_inner);
        self.kernels.iter().for_each(|kernel| drop(names.remove(kernel)));
        drop(names);
        compile::unload(&self.context, &self.modules);
    }
}

//! A loaded image: a program of SPIR-V, built by the device's compiler, and its kernels.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use fornax_module::spirv::Spirv;

use super::api::*;
use super::cache::{Cache, Key};
use super::context::Context;
use super::device::c_text;
use super::memory::Memory;
use super::offsets::add_offsets;
use crate::drivers::symbols::MISSING;
use crate::hal::{DeviceInfo, HalError, HalErrorKind, HalResult, KernelResources, KernelSpec, RawExecutable};

/// Division and square root of f32 round correctly, as everywhere in Fornax.
const CORRECTLY_ROUNDED: &CStr = c"-cl-fp32-correctly-rounded-divide-sqrt";
/// Bytes of a build log that an error shows.
const LOG_BYTES: usize = 2000;

/// A kernel of a program. Its address is the handle that dispatches name.
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) handle: Handle,
    pub(super) arguments: u32,
    /// Its bindings are buffers with offsets, which come behind all other arguments (`offsets.rs`).
    pub(super) takes_offsets: bool,
    /// Held while arguments are set and the kernel is queued: OpenCL keeps them in the kernel.
    pub(super) lock: Mutex<()>,
    resources: KernelResources,
}

pub(super) struct OpenClProgram {
    context: Arc<Context>,
    program: Handle,
    /// Not changed after `load`: their addresses are the handles.
    kernels: Vec<Kernel>,
    handles: Vec<u64>,
    description: String,
}

// SAFETY: as for `Context`; each kernel's arguments are set under its lock.
unsafe impl Send for OpenClProgram {}
// SAFETY: as above.
unsafe impl Sync for OpenClProgram {}

impl OpenClProgram {
    pub(super) fn load(
        context: &Arc<Context>,
        info: &DeviceInfo,
        image: &[u8],
        kernels: &[KernelSpec],
    ) -> HalResult<OpenClProgram> {
        let start = Instant::now();
        let (major, minor) = Spirv::parse(image).map_err(|why| HalError::new(HalErrorKind::BadImage, why))?.version();
        if !context.found.spirv.contains(&(major, minor)) {
            let taken: Vec<String> = context.found.spirv.iter().map(|(a, b)| format!("{a}.{b}")).collect();
            let what = format!("the image is SPIR-V {major}.{minor}; {} takes {}", info.name, taken.join(", "));
            return Err(HalError::new(HalErrorKind::Unsupported, what));
        }
        let rewritten = match context.memory {
            Memory::Shared => None,
            Memory::Buffers(_) => Some(add_offsets(image).map_err(|why| HalError::new(HalErrorKind::BadImage, why))?),
        };
        let image = rewritten.as_deref().unwrap_or(image);
        let what = format!("loading a SPIR-V image on {} ({})", info.name, info.driver_version);
        let kept = match context.compiled.as_ref().map(|cache| (cache, cache.key(options(context), image))) {
            Some((cache, key)) => Self::load_kept(context, cache, key, info, kernels, &what)?,
            None => None,
        };
        let (how, mut loaded) = match kept {
            Some(loaded) => ("kept from an earlier run", loaded),
            None => {
                let loaded = Self::finish(context, create(context, image, &what)?, info, kernels, &what)?;
                if let Some(cache) = &context.compiled {
                    loaded.keep(cache, cache.key(options(context), image))?;
                }
                ("compiled by the driver", loaded)
            }
        };
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        loaded.description = format!("SPIR-V {major}.{minor} {how} in {elapsed:.1} ms");
        Ok(loaded)
    }

    /// A program of what the device's compiler made earlier; `None` where there is nothing, or nothing that the driver
    /// takes.
    fn load_kept(
        context: &Arc<Context>,
        cache: &Cache,
        key: Key,
        info: &DeviceInfo,
        kernels: &[KernelSpec],
        what: &str,
    ) -> HalResult<Option<OpenClProgram>> {
        let Some(binary) = cache.get(key) else { return Ok(None) };
        let (device, bytes) = (context.found.device, binary.len());
        let (mut state, mut code) = (0, MISSING);
        // SAFETY: one device of the context with one binary, which is copied.
        let handle = unsafe {
            let (list, states) = (&binary.as_ptr(), &mut state);
            context.api.clCreateProgramWithBinary(context.context, 1, &device, &bytes, list, states, &mut code)
        };
        let made = context
            .check_handle("clCreateProgramWithBinary", handle, code, what)
            .and_then(|program| Self::finish(context, program, info, kernels, what));
        match made {
            Ok(loaded) => Ok(Some(loaded)),
            Err(error) if context.health.is_lost() => Err(error),
            // The driver does not want it any more: it is compiled again.
            Err(error) => {
                tracing::info!("{error}");
                cache.forget(key);
                Ok(None)
            }
        }
    }

    /// Builds a program and makes its kernels.
    fn finish(
        context: &Arc<Context>,
        program: Handle,
        info: &DeviceInfo,
        kernels: &[KernelSpec],
        what: &str,
    ) -> HalResult<OpenClProgram> {
        let mut loaded = OpenClProgram {
            context: context.clone(),
            program,
            kernels: Vec::with_capacity(kernels.len()),
            handles: Vec::new(),
            description: String::new(),
        };
        loaded.build(what)?;
        for spec in kernels {
            loaded.kernels.push(loaded.kernel(spec, info)?);
        }
        loaded.handles = loaded.kernels.iter().map(|kernel| std::ptr::from_ref(kernel) as u64).collect();
        Ok(loaded)
    }

    /// Keeps what the device's compiler made, where it tells. An error only where the device was lost.
    fn keep(&self, cache: &Cache, key: Key) -> HalResult<()> {
        match self.binary() {
            Ok(binary) => cache.put(key, &binary),
            Err(error) if self.context.health.is_lost() => return Err(error),
            Err(error) => tracing::info!("{error}"),
        }
        Ok(())
    }

    /// The binary of the one device.
    fn binary(&self) -> HalResult<Vec<u8>> {
        let (api, what) = (&self.context.api, "reading what the compiler made");
        let sizes = |room, value: *mut c_void, bytes| {
            // SAFETY: the program is live; one device has one size, for which the query gives room.
            unsafe { api.clGetProgramInfo(self.program, PROGRAM_BINARY_SIZES as c_uint, room, value, bytes) }
        };
        let note = |error| self.context.health.note(error);
        let size = query_integer("clGetProgramInfo", what, &sizes).map_err(note)?;
        let mut binary = vec![0u8; usize::try_from(size).unwrap_or(0)];
        let mut target = binary.as_mut_ptr();
        // SAFETY: a list of one pointer, which has room for as many bytes as it was told.
        let code = unsafe {
            let list = std::ptr::from_mut(&mut target).cast();
            api.clGetProgramInfo(self.program, PROGRAM_BINARIES as c_uint, size_of::<*mut u8>(), list, null_mut())
        };
        self.context.check("clGetProgramInfo", code, what)?;
        Ok(binary)
    }

    fn build(&self, what: &str) -> HalResult<()> {
        let api = &self.context.api;
        let device = self.context.found.device;
        let options = options(&self.context);
        // SAFETY: one device of the context; no callback, so the call returns when all is built.
        let code = unsafe { api.clBuildProgram(self.program, 1, &device, options.as_ptr(), null_mut(), null_mut()) };
        if code == 0 || meaning(code).1 == HalErrorKind::DeviceLost {
            return self.context.check("clBuildProgram", code, what);
        }
        let ask = |room, value: *mut c_void, bytes| -> c_int {
            let log = PROGRAM_BUILD_LOG as c_uint;
            // SAFETY: the program is live; `query_bytes` gives room for the value, or asks for its length.
            unsafe { api.clGetProgramBuildInfo(self.program, device, log, room, value, bytes) }
        };
        let log = query_bytes("clGetProgramBuildInfo", what, &ask).map(|bytes| text(&bytes)).unwrap_or_default();
        let log: String = log.chars().take(LOG_BYTES).collect();
        let what = if log.is_empty() { what.to_string() } else { format!("{what}: {log}") };
        self.context.check("clBuildProgram", code, &what)
    }

    /// Makes a kernel and compares what it takes with what the module says and the device has.
    fn kernel(&self, spec: &KernelSpec, info: &DeviceInfo) -> HalResult<Kernel> {
        let what = format!("looking for kernel {}", spec.name);
        if spec.dynamic_shared_bytes > 0 {
            let what =
                format!("kernel {} asks for dynamic local memory, which images of SPIR-V do not have", spec.name);
            return Err(HalError::new(HalErrorKind::Unsupported, what));
        }
        let name = c_text(&spec.name)?;
        let mut code = MISSING;
        // SAFETY: the program is built, the name NUL-terminated.
        let handle = unsafe { self.context.api.clCreateKernel(self.program, name.as_ptr(), &mut code) };
        let handle = self.context.check_handle("clCreateKernel", handle, code, &what)?;
        let made = self.examine(handle, spec, info);
        if made.is_err() {
            self.release(handle);
        }
        made
    }

    fn examine(&self, handle: Handle, spec: &KernelSpec, info: &DeviceInfo) -> HalResult<Kernel> {
        let what = format!("asking what kernel {} takes", spec.name);
        let (api, device) = (&self.context.api, self.context.found.device);
        let note = |error| self.context.health.note(error);
        let count = |room, value: *mut c_void, bytes| {
            // SAFETY: the kernel is live; the query gives room.
            unsafe { api.clGetKernelInfo(handle, KERNEL_NUM_ARGS as c_uint, room, value, bytes) }
        };
        let arguments = query_integer("clGetKernelInfo", &what, &count).map_err(note)? as u32;
        let group = |which: u64| {
            move |room, value: *mut c_void, bytes| {
                // SAFETY: as above; the device is the program's.
                unsafe { api.clGetKernelWorkGroupInfo(handle, device, which as c_uint, room, value, bytes) }
            }
        };
        let number = |which| query_integer("clGetKernelWorkGroupInfo", &what, &group(which)).map_err(note);
        let required = group(KERNEL_COMPILE_WORK_GROUP_SIZE);
        let required = query_bytes("clGetKernelWorkGroupInfo", &what, &required).map_err(note)?;
        let required: Vec<u64> =
            required.chunks_exact(8).filter_map(|chunk| chunk.try_into().ok().map(u64::from_ne_bytes)).collect();
        let block = spec.block.map(u64::from);
        let refuse =
            |why: String| Err(HalError::new(HalErrorKind::Unsupported, format!("kernel {}: {why}", spec.name)));
        if required != block && required.iter().any(|extent| *extent != 0) {
            let what = format!("kernel {} wants workgroups of {required:?}, the module says {block:?}", spec.name);
            return Err(HalError::new(HalErrorKind::BadImage, what));
        }
        let (threads, most) = (block.iter().product::<u64>(), number(KERNEL_WORK_GROUP_SIZE)?);
        if threads > most {
            return refuse(format!("workgroups of {threads} threads; {} runs it with at most {most}", info.name));
        }
        let local = number(KERNEL_LOCAL_MEM_SIZE)?;
        let room = u64::from(info.limits.max_shared_bytes);
        if local > room {
            return refuse(format!("{local} bytes of local memory a workgroup; {} has {room}", info.name));
        }
        let resources = KernelResources {
            local_bytes: number(KERNEL_PRIVATE_MEM_SIZE)?.try_into().unwrap_or(u32::MAX),
            shared_bytes: local as u32,
            ..KernelResources::default()
        };
        let takes_offsets = matches!(self.context.memory, Memory::Buffers(_));
        Ok(Kernel { name: spec.name.clone(), handle, arguments, takes_offsets, lock: Mutex::new(()), resources })
    }

    fn release(&self, kernel: Handle) {
        if !self.context.health.is_lost() {
            // SAFETY: made by `kernel` and released once; the library keeps it while queued work needs it.
            let code = unsafe { self.context.api.clReleaseKernel(kernel) };
            self.context.released("clReleaseKernel", code);
        }
    }
}

/// Options of a device's compiler.
fn options(context: &Context) -> &'static CStr {
    if context.found.correctly_rounded { CORRECTLY_ROUNDED } else { c"" }
}

/// Makes a program of SPIR-V by the core function, or by that of the extension on platforms before OpenCL 2.1.
fn create(context: &Context, image: &[u8], what: &str) -> HalResult<Handle> {
    let (api, il) = (&context.api, image.as_ptr().cast());
    let (mut code, mut name) = (MISSING, "clCreateProgramWithIL");
    // SAFETY: the image is copied; the extension's function has the prototype of the extension.
    let handle = unsafe {
        if context.found.has_core_il {
            api.clCreateProgramWithIL(context.context, il, image.len(), &mut code)
        } else {
            name = "clCreateProgramWithILKHR";
            let text = CREATE_PROGRAM_WITH_IL_KHR.as_ptr();
            let address = api.clGetExtensionFunctionAddressForPlatform(context.found.platform, text);
            if address.is_null() {
                let what = format!("{what}: clGetExtensionFunctionAddressForPlatform knows no {name}");
                return Err(HalError::new(HalErrorKind::Unsupported, what));
            }
            std::mem::transmute::<Handle, CreateProgramWithIl>(address)(context.context, il, image.len(), &mut code)
        }
    };
    // A wrong value can only be the image.
    if code == INVALID_VALUE {
        return Err(HalError::api(HalErrorKind::BadImage, name, code.into(), meaning(code).0.to_string(), what));
    }
    context.check_handle(name, handle, code, what)
}

impl RawExecutable for OpenClProgram {
    fn kernels(&self) -> &[u64] {
        &self.handles
    }

    fn describe(&self) -> String {
        self.description.clone()
    }

    fn resources(&self, kernel: usize) -> HalResult<Option<KernelResources>> {
        Ok(self.kernels.get(kernel).map(|kernel| kernel.resources))
    }
}

impl Drop for OpenClProgram {
    fn drop(&mut self) {
        // Work that is queued keeps what it needs of them.
        for kernel in &self.kernels {
            self.release(kernel.handle);
        }
        if !self.context.health.is_lost() {
            // SAFETY: made by `load`.
            let code = unsafe { self.context.api.clReleaseProgram(self.program) };
            self.context.released("clReleaseProgram", code);
        }
    }
}

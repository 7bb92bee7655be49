//! PTX compiled by the driver on several threads.
//!
//! `cuModuleLoadDataEx` compiles kernel after kernel, and lets no other thread load meanwhile; `cuLibraryLoadData`
//! (CUDA 12.0 on) of several threads compile at the same time. So a text of many kernels is cut ([`parts`]), and each
//! part is loaded as a library by a thread of its own. The driver keeps what it compiled in its cache as for modules.
//!
//! Example: 35 kernels of 0.74 MB (ResNet50) on an H200 (driver 580.159, 16 processors): 1.84 s as a module, 0.19 s as
//! 16 libraries. Links (`cuLinkCreate` to `cuLinkComplete`) take 0.16 s, but compile otherwise: they ignore
//! `setmaxnreg`.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};
use std::thread;

use cudarc::driver::sys::{CUlibrary, CUmodule};

use super::context::Context;
use super::ptx_parts::{Part, parts};
use crate::hal::HalResult;

/// Most threads that compile for one image: as many as were measured, since each one's compiler takes memory.
const MOST_THREADS: usize = 16;

/// What the driver loaded.
pub(super) enum Loaded {
    /// All kernels of the image.
    Whole(CUmodule),
    Part(Library),
}

/// A part of an image: a library, its module in the context, and the names of its kernels.
pub(super) struct Library {
    library: CUlibrary,
    module: CUmodule,
    kernels: Vec<String>,
}

// SAFETY: handles, which any thread may use.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Loaded {
    /// The module, if it has the kernel.
    pub(super) fn module_of(&self, kernel: &str) -> Option<CUmodule> {
        match self {
            Loaded::Whole(module) => Some(*module),
            Loaded::Part(part) => part.kernels.iter().any(|name| name == kernel).then_some(part.module),
        }
    }
}

/// A library of each part of a PTX image; `None` where it is not cut, or a part does not load. Then the image goes
/// whole, whose error says why.
pub(super) fn load_parts(context: &Arc<Context>, image: &[u8]) -> HalResult<Option<Vec<Loaded>>> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let mut parts = parts(image, threads);
    let Some(own) = parts.pop() else { return Ok(None) };
    let made: Vec<OnceLock<HalResult<Library>>> = parts.iter().map(|_| OnceLock::new()).collect();
    let own = thread::scope(|scope| {
        for (part, made) in parts.into_iter().zip(&made) {
            let work = move || drop(made.set(library(context, part)));
            // A thread that cannot be had leaves its part to no one: the text is loaded whole.
            let _ = thread::Builder::new().name("fornax-ptx".into()).spawn_scoped(scope, work);
        }
        library(context, own)
    });
    let (mut loaded, mut failed) = (Vec::new(), None);
    for made in made.into_iter().map(OnceLock::into_inner).chain([Some(own)]) {
        match made {
            Some(Ok(library)) => loaded.push(Loaded::Part(library)),
            Some(Err(error)) => failed = Some(Some(error)),
            None => failed = failed.or(Some(None)),
        }
    }
    let Some(error) = failed else { return Ok(Some(loaded)) };
    if context.health.is_lost() {
        return error.map_or(Ok(None), Err);
    }
    if let Some(error) = error {
        tracing::info!("{error}; the whole image is compiled at once");
    }
    unload(context, &loaded);
    Ok(None)
}

/// Compiles and loads a part on the calling thread.
fn library(context: &Context, part: Part) -> HalResult<Library> {
    context.enter()?;
    let mut made = Library { library: null_mut(), module: null_mut(), kernels: part.kernels };
    let image = part.text.as_ptr().cast::<c_void>();
    // SAFETY: the text ends with a NUL; no options; writes one handle.
    let code = unsafe {
        context.api.cuLibraryLoadData(&mut made.library, image, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0)
    };
    context.check("cuLibraryLoadData", code, "compiling a part of a PTX image")?;
    // SAFETY: the library was just loaded, the context is current; writes one handle.
    let code = unsafe { context.api.cuLibraryGetModule(&mut made.module, made.library) };
    if let Err(error) = context.check("cuLibraryGetModule", code, "loading a part of a PTX image") {
        if !context.health.is_lost() {
            unload(context, &[Loaded::Part(made)]);
        }
        return Err(error);
    }
    Ok(made)
}

/// Gives back what nothing runs any more; the context is current.
pub(super) fn unload(context: &Context, loaded: &[Loaded]) {
    for one in loaded {
        match one {
            Loaded::Whole(module) => {
                // SAFETY: loaded by `CudaModule::load`, given back once.
                let code = unsafe { context.api.cuModuleUnload(*module) };
                context.released("cuModuleUnload", code);
            }
            Loaded::Part(part) => {
                // SAFETY: as above.
                let code = unsafe { context.api.cuLibraryUnload(part.library) };
                context.released("cuLibraryUnload", code);
            }
        }
    }
}

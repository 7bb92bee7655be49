//! Images and launches: what the emulator reads and runs.

use std::ffi::c_void;

use fornax_fake_driver::{Config, Executor, Image, KernelInfo, Launch, Memory, code};
use fornax_gcn::{CodeObject, Region};

/// Kernels run in the emulator of code objects.
pub struct Emulator;

/// Instructions that a wave may execute: a kernel that does not end is an error, not a hang.
const MAX_STEPS: u64 = 1 << 28;

struct View<'a>(&'a Memory);

impl fornax_gcn::Memory for View<'_> {
    fn region(&self, address: u64) -> Option<Region<'_>> {
        let (base, bytes, words) = self.0.words(address)?;
        Some(Region { base, bytes, words, writable: true })
    }
}

impl Executor for Emulator {
    fn load(&self, image: &[u8], arch: &str) -> Result<Image, i32> {
        if !image.starts_with(b"\x7fELF") {
            return Err(code::INVALID_IMAGE);
        }
        let object = CodeObject::load(image, arch).map_err(|error| {
            eprintln!("fake-hip: {error}");
            code::NO_BINARY_FOR_GPU
        })?;
        let kernel = |kernel: &fornax_gcn::KernelInfo| {
            let explicit = kernel.arguments.iter().filter(|argument| !argument.kind.starts_with("hidden_"));
            let arguments = explicit.clone().map(|argument| argument.size as usize).collect();
            let addresses =
                explicit.enumerate().filter(|row| row.1.kind == "global_buffer").map(|(at, _)| at).collect();
            KernelInfo { name: kernel.name.clone(), arguments, addresses }
        };
        Ok(Image { kernels: object.kernels().iter().map(kernel).collect(), payload: Box::new(object) })
    }

    fn check(&self, image: &Image, kernel: usize, launch: &Launch) -> Result<(), i32> {
        let object = image.payload.downcast_ref::<CodeObject>().ok_or(code::INVALID_IMAGE)?;
        let kernel = object.kernels().get(kernel).ok_or(code::INVALID_HANDLE)?;
        let explicit = kernel.arguments.iter().filter(|argument| !argument.kind.starts_with("hidden_"));
        let bytes = explicit.map(|argument| (argument.offset + argument.size) as usize).max().unwrap_or(0);
        let threads: u32 = launch.block.iter().product();
        let refused = if launch.arguments.len() != bytes {
            format!("{} bytes of arguments, the kernel takes {bytes}", launch.arguments.len())
        } else if kernel.required_workgroup_size.is_some_and(|required| required != launch.block) {
            format!("workgroups of {:?}, the kernel wants {:?}", launch.block, kernel.required_workgroup_size)
        } else if threads > kernel.max_flat_workgroup_size {
            format!("{threads} threads, the kernel allows {}", kernel.max_flat_workgroup_size)
        } else {
            return Ok(());
        };
        eprintln!("fake-hip: kernel {}: {refused}", kernel.name);
        Err(code::INVALID_VALUE)
    }

    fn run(
        &self,
        image: &Image,
        kernel: usize,
        launch: &Launch,
        memory: &Memory,
        config: &Config,
    ) -> Result<(), String> {
        let object = image.payload.downcast_ref::<CodeObject>().ok_or("no code object")?;
        let name = image.kernels.get(kernel).map(|kernel| kernel.name.as_str()).ok_or("no such kernel")?;
        let options = fornax_gcn::Launch {
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.shared_bytes,
            seed: config.seed,
            threads: config.threads,
            max_steps: MAX_STEPS,
        };
        let run = object.launch(name, &options, &launch.arguments, &View(memory));
        run.map(drop).map_err(|error| error.to_string())
    }
}

/// The packed arguments of `hipModuleLaunchKernel`'s last parameter: key 1 with a pointer, key 2 with a pointer to the
/// size, key 3.
///
/// # Safety
/// `extra` is such a list.
pub unsafe fn packed_arguments(extra: *mut *mut c_void) -> Option<Vec<u8>> {
    let (mut bytes, mut size) = (std::ptr::null::<u8>(), 0usize);
    let mut at = extra;
    loop {
        // SAFETY: keys 1 and 2 are followed by a value, key 3 ends the list.
        unsafe {
            match at.read() as usize {
                1 => bytes = at.add(1).read().cast(),
                2 => size = at.add(1).read().cast::<usize>().read(),
                3 => break,
                _ => return None,
            }
            at = at.add(2);
        }
    }
    if size > 0 && bytes.is_null() {
        return None;
    }
    // SAFETY: the caller's pointer and size.
    Some(if size == 0 { Vec::new() } else { unsafe { std::slice::from_raw_parts(bytes, size) }.to_vec() })
}

//! Kernels whose arguments are set one by one before a launch, as OpenCL has them.
//!
//! Arguments stay until they are set anew. Setting them from two threads at once is forbidden: at a launch all must have been set by the
//! thread that launches, or the rule is broken.

use std::thread::{ThreadId, current};

use crate::code;
use crate::queue::Launch;
use crate::world::{KernelInfo, Object, World};

/// What was set last, by position, and by whom.
pub type Arguments = Vec<Option<(u64, ThreadId)>>;

impl World {
    /// A kernel by name, with nothing set.
    pub fn new_kernel(&mut self, module: u64, name: &str) -> Result<u64, i32> {
        let device = self.device()?;
        let function = self.function(module, name)?;
        let arguments = vec![None; self.kernel(function)?.arguments.len()];
        Ok(self.insert(Object::Kernel { device, function, arguments }))
    }

    fn set_of(&mut self, kernel: u64) -> Result<(u64, &mut Arguments), i32> {
        match self.object(kernel, "a kernel")? {
            Object::Kernel { function, arguments, .. } => Ok((*function, arguments)),
            _ => Err(code::INVALID_HANDLE),
        }
    }

    /// What is known of a kernel.
    pub fn kernel_info(&mut self, kernel: u64) -> Result<KernelInfo, i32> {
        self.device()?;
        let function = self.set_of(kernel)?.0;
        self.kernel(function)
    }

    /// Sets an argument; `is_address` is whether it was given as one.
    pub fn set_argument(&mut self, kernel: u64, index: usize, value: u64, is_address: bool) -> Result<(), i32> {
        let info = self.kernel_info(kernel)?;
        if index < info.arguments.len() && info.addresses.contains(&index) != is_address {
            self.violate(format!("kernel {}: argument {index} is set as another kind than it is", info.name));
            return Err(code::INVALID_VALUE);
        }
        let room = self.set_of(kernel)?.1.get_mut(index).ok_or(code::INVALID_VALUE)?;
        *room = Some((value, current().id()));
        Ok(())
    }

    /// Queues a launch with the arguments that are set.
    pub fn launch_kernel(&mut self, stream: u64, kernel: u64, grid: [u32; 3], block: [u32; 3]) -> Result<(), i32> {
        self.device()?;
        let (function, arguments) = self.set_of(kernel)?;
        let set: Option<Vec<(u64, ThreadId)>> = arguments.iter().copied().collect();
        let set = set.ok_or(code::INVALID_VALUE)?;
        if set.iter().any(|(_, thread)| *thread != current().id()) {
            self.violate("a launch with arguments that another thread set");
        }
        let arguments = set.iter().flat_map(|(value, _)| value.to_le_bytes()).collect();
        self.launch(stream, Launch { function, grid, block, shared_bytes: 0, arguments })
    }

    /// Removes a kernel once what is queued has run, which needs it.
    pub fn release_kernel(&mut self, kernel: u64) -> Result<(), i32> {
        let device = self.device()?;
        let function = self.set_of(kernel)?.0;
        let finished = self.run_device(device);
        self.objects.remove(&kernel);
        self.objects.remove(&function);
        finished
    }
}

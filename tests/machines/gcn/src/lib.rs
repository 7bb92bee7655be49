//! The code-object emulator: loads an hsaco and executes its kernels as a GPU would, and reports what a GPU would only
//! sometimes show.
//!
//! Input: a code object for gfx9 (wave64) or gfx10 … gfx12 (wave32, wave64), a launch, kernel arguments, memory.
//! Output: memory as the kernel leaves it and counts, or the fault with kernel, place, instruction, lane and address:
//! accesses out of bounds, values that nothing wrote, registers used before their load was waited for, races over LDS.
//!
//! Instructions are decoded by LLVM's disassembler; one that is not modelled is an error, never a guess. Limits:
//! `docs/extend/gcn-emulator.md`.

mod access;
mod chip;
mod decode;
mod environment;
mod errors;
mod inst;
mod launch;
mod lds;
mod llvm;
mod matrix;
mod memory;
mod msgpack;
mod object;
mod program;
mod run;
mod setup;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod waits;
mod wave;

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
    program: program::Program,
}

impl CodeObject {
    /// Reads an hsaco for a device of this chip (`gfx90a`, `gfx90a:sramecc+:xnack-`).
    ///
    /// # Errors
    /// A file that is no code object, one for another chip, a chip that is not modelled.
    pub fn load(bytes: &[u8], chip: &str) -> Result<CodeObject> {
        let image = object::Image::read(bytes)?;
        let name = chip.split(':').next().unwrap_or(chip);
        let target = image.target.split(':').next().unwrap_or_default();
        if target != name && !target.ends_with("-generic") {
            return Err(GcnError::Object(format!("it is for {target}, the device is {name}")));
        }
        let chip = chip::Chip::of(name).ok_or_else(|| GcnError::Object(format!("no model of {name}")))?;
        Ok(CodeObject { program: program::Program::new(image, chip) })
    }

    /// The chip that it runs as.
    pub fn chip(&self) -> &str {
        &self.program.chip.name
    }

    pub fn kernels(&self) -> &[KernelInfo] {
        &self.program.image.kernels
    }

    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.kernels().iter().find(|kernel| kernel.name == name)
    }

    /// A named place of the image: a kernel's code, its descriptor, a global variable.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.program.image.symbols.iter().find(|symbol| symbol.name == name)
    }

    /// The image, where global variables stand.
    pub fn image(&self) -> Region<'_> {
        let image = &self.program.image;
        Region { base: object::IMAGE, bytes: image.bytes, words: &image.words, writable: true }
    }

    /// The instructions of a kernel that the emulator does not model: they fault where they are reached.
    ///
    /// # Errors
    /// No such kernel, no disassembler.
    pub fn unknown(&self, kernel: &str) -> Result<Vec<String>> {
        let info = self.kernel(kernel).ok_or_else(|| GcnError::NoKernel(kernel.into()))?;
        let function = match self.program.function(info.entry, info.wave_size) {
            Some(function) => function?,
            None => return Err(GcnError::Object(format!("{kernel} has no code"))),
        };
        let unknown = run::control::unknown as inst::Run;
        let found = function.insts.iter().filter(|inst| std::ptr::fn_addr_eq(inst.run, unknown));
        Ok(found.map(|inst| inst.text.clone()).filter(|text| text != "s_code_end").collect())
    }

    /// Runs a kernel to its end. `kernarg` holds the explicit arguments; hidden ones that the note lists are filled in.
    ///
    /// # Errors
    /// No such kernel, a launch that does not fit it, the kernel's first fault. Memory then holds what was written
    /// until then.
    pub fn launch(&self, kernel: &str, launch: &Launch, kernarg: &[u8], memory: &dyn Memory) -> Result<Stats> {
        let kernel = self.kernel(kernel).ok_or_else(|| GcnError::NoKernel(kernel.into()))?;
        launch::run(&self.program, kernel, launch, kernarg, memory)
    }
}

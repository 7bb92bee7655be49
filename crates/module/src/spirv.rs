//! A small reader of SPIR-V: header, instructions, entry points, capabilities. Nothing is trusted; work is linear in
//! the file.
//!
//! The compiler's linker and the checks of module files use it; what an operand means only those know who need it.

/// First word of a module.
pub const MAGIC: u32 = 0x0723_0203;
/// Words before the first instruction: magic, version, generator, bound of ids, schema.
pub const HEADER_WORDS: usize = 5;
/// Latest minor version of SPIR-V 1 that is read.
const MINOR_MAX: u32 = 6;
/// Ids of one module at most: the universal limit of the specification.
const BOUND_MAX: u32 = 0x3F_FFFF;

/// Opcodes that matter to a reader.
pub mod op {
    pub const EXTENSION: u16 = 10;
    pub const EXT_INST_IMPORT: u16 = 11;
    pub const MEMORY_MODEL: u16 = 14;
    pub const ENTRY_POINT: u16 = 15;
    pub const EXECUTION_MODE: u16 = 16;
    pub const CAPABILITY: u16 = 17;
    pub const FUNCTION: u16 = 54;
    pub const DECORATE: u16 = 71;
}

/// `OpEntryPoint`'s execution model of an OpenCL kernel; `OpMemoryModel`'s operands for OpenCL on 64-bit devices.
const KERNEL: u32 = 6;
const PHYSICAL_64: u32 = 2;
const OPENCL_MEMORY: u32 = 2;
/// `OpDecorate`'s operands of a function that another module must define.
const LINKAGE_ATTRIBUTES: u32 = 41;
const IMPORT: u32 = 1;

/// Capabilities that devices may lack, with the name under which `Manifest` demands them and drivers offer them.
pub(crate) const OPTIONAL_CAPABILITIES: &[(u32, &str)] =
    &[(9, "fp16"), (10, "fp64"), (12, "int64-atomics"), (65, "subgroup-shuffle")];

/// A module whose header was read.
#[derive(Clone, Debug)]
pub struct Spirv<'a> {
    bytes: &'a [u8],
    words: Vec<u32>,
}

/// One instruction: its opcode and the words after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction<'a> {
    /// Where its operands start, in words of the file.
    pub at: usize,
    pub opcode: u16,
    pub operands: &'a [u32],
}

impl<'a> Spirv<'a> {
    /// Reads a module: little endian, version 1, every instruction within the file.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(bytes: &'a [u8]) -> Result<Spirv<'a>, String> {
        if !bytes.len().is_multiple_of(4) {
            return Err("its length is no multiple of four".into());
        }
        let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let Some(&[magic, version, _, bound, schema]) = words.get(..HEADER_WORDS) else {
            return Err("it is too short".into());
        };
        if magic != MAGIC {
            return Err("it does not start with SPIR-V's magic number".into());
        }
        if version >> 16 != 1 || version >> 8 & 0xFF > MINOR_MAX || version & 0xFF != 0 {
            return Err(format!("version {}.{} of SPIR-V is not read", version >> 16, version >> 8 & 0xFF));
        }
        if bound == 0 || bound > BOUND_MAX || schema != 0 {
            return Err(format!("bound {bound} of ids, schema {schema}"));
        }
        let module = Spirv { bytes, words };
        let mut at = HEADER_WORDS;
        while at < module.words.len() {
            let count = module.words.get(at).map_or(0, |word| (word >> 16) as usize);
            if count == 0 || count > module.words.len() - at {
                return Err(format!("the instruction at word {at} does not fit the file"));
            }
            at += count;
        }
        Ok(module)
    }

    /// Major and minor version.
    pub fn version(&self) -> (u32, u32) {
        let version = self.words.get(1).copied().unwrap_or(0);
        (version >> 16, version >> 8 & 0xFF)
    }

    /// Ids are below this.
    pub fn bound(&self) -> u32 {
        self.words.get(3).copied().unwrap_or(0)
    }

    /// All instructions, in order.
    pub fn instructions(&self) -> impl Iterator<Item = Instruction<'_>> {
        let mut at = HEADER_WORDS;
        std::iter::from_fn(move || {
            let first = *self.words.get(at)?;
            let end = at.checked_add((first >> 16) as usize)?;
            let operands = self.words.get(at + 1..end)?;
            let instruction = Instruction { at: at + 1, opcode: first as u16, operands };
            at = end;
            Some(instruction)
        })
    }

    /// Numbers of the capabilities, in order.
    pub fn capabilities(&self) -> Vec<u32> {
        let found = self.instructions().filter(|i| i.opcode == op::CAPABILITY);
        found.filter_map(|i| i.operands.first().copied()).collect()
    }

    /// What the module demands of a device, in the words of `OPTIONAL_CAPABILITIES`.
    pub fn demands(&self) -> Vec<&'static str> {
        let capabilities = self.capabilities();
        let demanded = OPTIONAL_CAPABILITIES.iter().filter(|(number, _)| capabilities.contains(number));
        demanded.map(|(_, name)| *name).collect()
    }

    /// Names of the kernels.
    ///
    /// # Errors
    /// An entry point that is no kernel or has no readable name.
    pub fn kernels(&self) -> Result<Vec<&'a str>, String> {
        let mut names = Vec::new();
        for entry in self.instructions().filter(|i| i.opcode == op::ENTRY_POINT) {
            let [model, _, _, ..] = entry.operands else { return Err("an entry point without a name".into()) };
            if *model != KERNEL {
                return Err(format!("an entry point of execution model {model}, not a kernel"));
            }
            let end = entry.at + entry.operands.len();
            names.push(self.string(entry.at + 2, end).ok_or("an entry point whose name cannot be read")?);
        }
        Ok(names)
    }

    /// Whether an OpenCL driver can take it as it is: memory model of 64-bit OpenCL, nothing imported.
    ///
    /// # Errors
    /// What it is not.
    pub fn check_opencl(&self) -> Result<(), String> {
        let models: Vec<&[u32]> =
            self.instructions().filter(|i| i.opcode == op::MEMORY_MODEL).map(|i| i.operands).collect();
        if models != [&[PHYSICAL_64, OPENCL_MEMORY][..]] {
            return Err("its memory model is not OpenCL's with 64-bit addresses".into());
        }
        for decoration in self.instructions().filter(|i| i.opcode == op::DECORATE) {
            if let [_, LINKAGE_ATTRIBUTES, rest @ ..] = decoration.operands
                && rest.last() == Some(&IMPORT)
            {
                let name = self.string(decoration.at + 2, decoration.at + 2 + rest.len()).unwrap_or("?");
                return Err(format!("it imports `{name}`"));
            }
        }
        Ok(())
    }

    /// The literal string that starts at word `at` and ends before word `end`.
    pub fn string(&self, at: usize, end: usize) -> Option<&'a str> {
        let bytes = self.bytes.get(at.checked_mul(4)?..end.checked_mul(4)?)?;
        std::str::from_utf8(bytes.split(|byte| *byte == 0).next().filter(|text| text.len() < bytes.len())?).ok()
    }
}

/// Words that a literal string takes at the start of these; `None` where it does not end.
pub fn string_words(words: &[u32]) -> Option<usize> {
    words.iter().position(|word| word.to_le_bytes().contains(&0)).map(|last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x0001_0200, 0, 10, 0];
        for instruction in instructions {
            words.push((instruction.len() as u32) << 16 | instruction[0]);
            words.extend(&instruction[1..]);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn kernels_and_capabilities_are_found() {
        let name = u32::from_le_bytes(*b"add\0");
        let bytes = module(&[&[17, 6], &[17, 10], &[14, 2, 2], &[15, 6, 1, name, 2]]);
        let read = Spirv::parse(&bytes).unwrap();
        assert_eq!((read.version(), read.capabilities()), ((1, 2), vec![6, 10]));
        assert_eq!(read.demands(), ["fp64"]);
        assert_eq!(read.kernels().unwrap(), ["add"]);
        read.check_opencl().unwrap();
    }

    #[test]
    fn faults_are_told() {
        let good = module(&[&[14, 2, 2]]);
        assert!(Spirv::parse(&good[..22]).is_err());
        assert!(Spirv::parse(&good[..24]).unwrap_err().contains("does not fit"));
        assert!(Spirv::parse(&[]).is_err());
        assert!(Spirv::parse(&module(&[&[15]])).unwrap().kernels().is_err());
        let vulkan = module(&[&[14, 0, 1]]);
        assert!(Spirv::parse(&vulkan).unwrap().check_opencl().unwrap_err().contains("memory model"));
        let import = module(&[&[14, 2, 2], &[71, 3, 41, u32::from_le_bytes(*b"sin\0"), 1]]);
        assert_eq!(Spirv::parse(&import).unwrap().check_opencl().unwrap_err(), "it imports `sin`");
        let endless = module(&[&[15, 6, 1, u32::from_le_bytes(*b"long")]]);
        assert!(Spirv::parse(&endless).unwrap().kernels().is_err());
    }
}

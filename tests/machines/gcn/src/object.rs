//! Reads a code object: the loaded image, kernel descriptors (`NAME.kd`), metadata note, symbols.
//!
//! Input: the bytes of an hsaco (ELF64, machine 224). Output: an image at a fixed address, what stands in each
//! descriptor, the arguments that the note lists. Relocations of a linked object of one kernel are resolved already;
//! one that is left is an error.
//!
//! Worked example: a descriptor is 64 bytes: LDS bytes (u32 at 0), scratch bytes (4), kernarg bytes (8), the entry
//! relative to itself (i64 at 16), rsrc3, rsrc1, rsrc2 (u32 at 44, 48, 52), which user SGPRs the kernel wants (u16 at
//! 56), preloaded kernarg (u16 at 58).

use std::sync::atomic::{AtomicU32, Ordering};

use object::elf;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};

use crate::errors::{GcnError, Result};
use crate::msgpack::Value;

/// Where the image stands in the device's address space.
pub const IMAGE: u64 = 0x7a00_0000_0000;

/// One argument, as the note describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    pub offset: u32,
    pub size: u32,
    /// `global_buffer`, `by_value`, `hidden_block_count_x`, …
    pub kind: String,
}

/// What a descriptor and the note say of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    pub name: String,
    /// Address of the first instruction.
    pub entry: u64,
    /// Address of the descriptor.
    pub descriptor: u64,
    pub kernarg_bytes: u32,
    pub arguments: Vec<Argument>,
    pub lds_bytes: u32,
    pub scratch_bytes: u32,
    pub wave_size: u32,
    pub max_flat_workgroup_size: u32,
    pub required_workgroup_size: Option<[u32; 3]>,
    /// Vector registers that the descriptor grants: ordinary ones and accumulators together.
    pub vgprs: u32,
    pub(crate) rsrc1: u32,
    pub(crate) rsrc2: u32,
    pub(crate) rsrc3: u32,
    pub(crate) properties: u16,
    pub(crate) preload: u16,
}

/// A named place of the image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub address: u64,
    pub bytes: u64,
    pub is_code: bool,
}

#[derive(Debug)]
pub struct Image {
    pub target: String,
    pub bytes: u64,
    pub words: Vec<AtomicU32>,
    /// First address and length of what may be executed.
    pub code: (u64, u64),
    pub kernels: Vec<KernelInfo>,
    pub symbols: Vec<Symbol>,
}

fn bad(what: impl Into<String>) -> GcnError {
    GcnError::Object(what.into())
}

impl Image {
    pub fn read(bytes: &[u8]) -> Result<Image> {
        let file = ElfFile64::<Endianness>::parse(bytes).map_err(|error| bad(error.to_string()))?;
        if file.elf_header().e_machine.get(file.endian()) != elf::EM_AMDGPU {
            return Err(bad("the machine of the ELF file is not AMDGPU"));
        }
        let mut image = Image {
            target: String::new(),
            bytes: 0,
            words: Vec::new(),
            code: (0, 0),
            kernels: Vec::new(),
            symbols: Vec::new(),
        };
        image.segments(&file, bytes)?;
        for symbol in file.dynamic_symbols().chain(file.symbols()) {
            let name = symbol.name().unwrap_or_default();
            if name.is_empty() || symbol.is_undefined() || image.symbols.iter().any(|known| known.name == name) {
                continue;
            }
            let is_code = symbol.kind() == object::SymbolKind::Text;
            image.symbols.push(Symbol {
                name: name.into(),
                address: IMAGE + symbol.address(),
                bytes: symbol.size(),
                is_code,
            });
        }
        image.note(&file, bytes)?;
        Ok(image)
    }

    fn segments(&mut self, file: &ElfFile64<Endianness>, bytes: &[u8]) -> Result<()> {
        let endian = file.endian();
        let mut flat = Vec::new();
        for header in file.elf_program_headers().iter().filter(|header| header.p_type(endian) == elf::PT_LOAD) {
            let start = header.p_vaddr(endian) as usize;
            let data = header.data(endian, bytes).map_err(|()| bad("a segment reaches beyond the file"))?;
            let end = start
                .checked_add(header.p_memsz(endian) as usize)
                .filter(|&end| end <= 1 << 30 && data.len() <= end - start);
            let end = end.ok_or_else(|| bad("a segment of more than 1 GiB"))?;
            flat.resize(flat.len().max(end), 0u8);
            flat[start..start + data.len()].copy_from_slice(data);
            if header.p_flags(endian).0 & elf::PF_X.0 != 0 {
                self.code = (IMAGE + start as u64, header.p_memsz(endian));
            }
        }
        if self.code.1 == 0 {
            return Err(bad("no segment that may be executed"));
        }
        self.bytes = flat.len() as u64;
        flat.resize(flat.len().next_multiple_of(4), 0);
        self.words = flat.as_chunks::<4>().0.iter().map(|word| AtomicU32::new(u32::from_le_bytes(*word))).collect();
        Ok(())
    }

    fn note(&mut self, file: &ElfFile64<Endianness>, bytes: &[u8]) -> Result<()> {
        let endian = file.endian();
        for header in file.elf_program_headers() {
            let Ok(Some(mut notes)) = header.notes(endian, bytes) else { continue };
            while let Ok(Some(note)) = notes.next() {
                if note.name() == b"AMDGPU" && note.n_type(endian).0 == 32 {
                    let value = Value::read(note.desc()).ok_or_else(|| bad("the metadata note is no MessagePack"))?;
                    return self.metadata(&value);
                }
            }
        }
        Err(bad("no metadata note"))
    }

    fn metadata(&mut self, value: &Value) -> Result<()> {
        let target = value.get("amdhsa.target").and_then(Value::text).ok_or_else(|| bad("the note names no target"))?;
        self.target = target.rsplit("--").next().unwrap_or(target).to_string();
        for kernel in value.get("amdhsa.kernels").map(Value::list).unwrap_or_default() {
            let info = self.kernel(kernel).ok_or_else(|| bad("a kernel's metadata or descriptor is not complete"))?;
            self.kernels.push(info);
        }
        Ok(())
    }

    fn kernel(&self, meta: &Value) -> Option<KernelInfo> {
        let number = |key: &str| meta.get(key).and_then(Value::number).and_then(|n| u32::try_from(n).ok());
        let symbol = meta.get(".symbol")?.text()?;
        let descriptor = self.symbols.iter().find(|known| known.name == symbol)?.address;
        let word = |offset: u64| self.load(descriptor + offset);
        let rsrc1 = word(48)?;
        let required = meta.get(".reqd_workgroup_size").map(|size| {
            let of = |at: usize| size.list().get(at).and_then(Value::number).unwrap_or(1) as u32;
            [of(0), of(1), of(2)]
        });
        let argument = |arg: &Value| {
            Some(Argument {
                offset: arg.get(".offset")?.number()? as u32,
                size: arg.get(".size")?.number()? as u32,
                kind: arg.get(".value_kind")?.text()?.to_string(),
            })
        };
        let entry = u64::from(word(16)?) | u64::from(word(20)?) << 32;
        Some(KernelInfo {
            name: meta.get(".name")?.text()?.to_string(),
            entry: descriptor.wrapping_add(entry),
            descriptor,
            kernarg_bytes: number(".kernarg_segment_size")?,
            arguments: meta
                .get(".args")
                .map(Value::list)
                .unwrap_or_default()
                .iter()
                .map(argument)
                .collect::<Option<_>>()?,
            lds_bytes: number(".group_segment_fixed_size")?,
            scratch_bytes: number(".private_segment_fixed_size")?,
            wave_size: number(".wavefront_size")?,
            max_flat_workgroup_size: number(".max_flat_workgroup_size")?,
            required_workgroup_size: required,
            vgprs: number(".vgpr_count")?,
            rsrc1,
            rsrc2: word(52)?,
            rsrc3: word(44)?,
            properties: word(56)? as u16,
            preload: (word(56)? >> 16) as u16,
        })
    }

    /// The word at an address of the image.
    pub fn load(&self, address: u64) -> Option<u32> {
        let at = usize::try_from(address.checked_sub(IMAGE)? / 4).ok()?;
        Some(self.words.get(at)?.load(Ordering::Relaxed))
    }
}

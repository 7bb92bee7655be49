//! What the metadata note of an AMD code object says of its kernels.
//!
//! Input: an hsaco (or a section of notes). Output: a row a kernel. Nothing is trusted: what cannot be read is absent.
//! The note is MessagePack with owner `AMDGPU` and type 32; LLVM's "User Guide for AMDGPU Backend", code object
//! metadata, names its keys.

use crate::elf::{EM_AMDGPU, Elf};
use crate::msgpack::Value;

/// Owner and type of the note.
pub const NOTE_OWNER: &[u8] = b"AMDGPU\0";
pub const NOTE_TYPE: u32 = 32;
/// The key of the list of kernels.
pub const KERNELS: &str = "amdhsa.kernels";

/// What one kernel takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HsacoKernel {
    pub name: String,
    /// Lanes of a wave, threads of a workgroup.
    pub wave: u32,
    pub threads: u32,
    /// Vector registers of a lane: where accumulation registers are part of the same file (gfx90a and later) with them.
    pub vector_registers: u32,
    pub accumulation_registers: u32,
    /// Scalar registers of a wave.
    pub scalar_registers: u32,
    /// Registers that were spilled.
    pub vector_spills: u32,
    pub scalar_spills: u32,
    /// LDS of a workgroup and private memory of a lane, bytes.
    pub shared_bytes: u32,
    pub scratch_bytes: u32,
}

impl HsacoKernel {
    /// From an entry of the list of kernels; None without a name.
    pub fn of(entry: &Value) -> Option<HsacoKernel> {
        let number = |key: &str| entry.get(key).and_then(Value::number).unwrap_or(0);
        Some(HsacoKernel {
            name: entry.get(".name").and_then(Value::text)?.to_string(),
            wave: number(".wavefront_size"),
            threads: number(".max_flat_workgroup_size"),
            vector_registers: number(".vgpr_count"),
            accumulation_registers: number(".agpr_count"),
            scalar_registers: number(".sgpr_count"),
            vector_spills: number(".vgpr_spill_count"),
            scalar_spills: number(".sgpr_spill_count"),
            shared_bytes: number(".group_segment_fixed_size"),
            scratch_bytes: number(".private_segment_fixed_size"),
        })
    }
}

/// The kernels of an hsaco; none of what is no hsaco.
pub fn kernels(hsaco: &[u8]) -> Vec<HsacoKernel> {
    notes(hsaco).iter().flat_map(of_metadata).collect()
}

/// The processor an hsaco is for: `gfx90a`; None of what is no hsaco.
pub fn processor(hsaco: &[u8]) -> Option<String> {
    // `amdgcn-amd-amdhsa--gfx90a:sramecc+`, `amdgpu9.42-amd-amdhsa-unknown-gfx942`
    let name = |note: &Value| {
        let triple = note.get("amdhsa.target").and_then(Value::text)?;
        let processor = triple.splitn(5, '-').nth(4)?;
        Some(processor.split(':').next().unwrap_or(processor).to_string())
    };
    notes(hsaco).iter().find_map(name)
}

fn notes(hsaco: &[u8]) -> Vec<Value> {
    let elf = Elf::parse(hsaco).ok().filter(|elf| elf.machine == EM_AMDGPU);
    elf.map_or_else(Vec::new, |elf| elf.notes().filter_map(metadata).flatten().collect())
}

/// The kernels of one note.
pub fn of_metadata(metadata: &Value) -> Vec<HsacoKernel> {
    let Some(Value::Array(entries)) = metadata.get(KERNELS) else { return Vec::new() };
    entries.iter().filter_map(HsacoKernel::of).collect()
}

/// The metadata of every note of a section of notes; None when the section is malformed.
pub fn metadata(mut section: &[u8]) -> Option<Vec<Value>> {
    let mut found = Vec::new();
    while !section.is_empty() {
        let word = |at: usize| section.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
        let (owner_bytes, value_bytes, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let value_at = 12 + owner_bytes.next_multiple_of(4);
        let owner = section.get(12..12 + owner_bytes)?;
        let value = section.get(value_at..value_at.checked_add(value_bytes)?)?;
        if owner == NOTE_OWNER && kind == NOTE_TYPE {
            found.push(Value::read(value)?);
        }
        section = section.get(value_at + value_bytes.next_multiple_of(4)..).unwrap_or(&[]);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_object_has_no_kernels() {
        assert!(kernels(b"").is_empty() && kernels(b"\x7fELF\x02\x01\x01").is_empty());
        let mut elf = vec![0; 64];
        elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        elf[18..20].copy_from_slice(&EM_AMDGPU.to_le_bytes());
        assert!(kernels(&elf).is_empty() && processor(&elf).is_none());
        assert_eq!(metadata(&[0; 11]), None);
        assert_eq!(metadata(&[0xff; 12]), None);
    }

    #[test]
    fn an_entry_is_read_by_its_keys() {
        let text = |text: &str| Value::Text(text.into());
        let entry = Value::Map(vec![
            (text(".name"), text("k")),
            (text(".wavefront_size"), Value::Unsigned(64)),
            (text(".vgpr_count"), Value::Unsigned(124)),
            (text(".agpr_count"), Value::Unsigned(64)),
            (text(".private_segment_fixed_size"), Value::Text("many".into())),
        ]);
        let note = Value::Map(vec![(text(KERNELS), Value::Array(vec![entry, Value::Nil]))]);
        let found = of_metadata(&note);
        let wanted = HsacoKernel {
            name: "k".into(),
            wave: 64,
            vector_registers: 124,
            accumulation_registers: 64,
            ..HsacoKernel::default()
        };
        assert_eq!(found, [wanted]);
    }
}
